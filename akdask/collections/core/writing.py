"""Writing lazy arrays to files: the methods named ``to_…`` and ``update_hdf``, and what they share."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, cast

import numpy as np

from akdask import config
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, ExistsError, FileError, UnsupportedError, warn
from akdask.plan.expr.created import counted
from akdask.plan.expr.missing_text import without_missing
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Replica, Value
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.write import Filling, aligned, cut, fitted, partitions_per_file, write
from akdask.schema import INT64, NULLABLE_STR
from akdask.storage.atomic.recovery import recover
from akdask.storage.formats.objects import LIMBS, VALUES, CuttingWriter, ObjectSpec, ObjType
from akdask.storage.formats.registry import format_named
from akdask.storage.paths.files import absolute, is_file, is_remote, written_path
from akdask.storage.paths.locales import locale_files
from akdask.storage.paths.remote import takes_storage_options

MODES = ("truncate", "append")
FILE_TYPES = ("distribute", "single")

PLAIN_KINDS = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
"""Kinds that are numbers to servers of before v2023.09.06."""

Path = str | os.PathLike[str]


@dataclass(frozen=True, slots=True)
class Storable:
    """What is stored of an array.

    Parameters
    ----------
    kind : ObjType
        The kind of object.
    frame : Frame
        The rows.
    members : mapping of str to Value
        What is stored row by row.
    tables : mapping of str to Project, optional
        What is stored besides: one-partition plans with one column.
    children : mapping of str to Storable, optional
        Members that are objects themselves.
    params : mapping of str to value, optional
        Numbers that attributes hold, such as the shape of an array.
    """

    kind: ObjType
    frame: Frame
    members: Mapping[str, Value] = field(default_factory=dict)
    tables: Mapping[str, Project] = field(default_factory=dict)
    children: Mapping[str, Storable] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)

    def spec(self, name: str) -> ObjectSpec:
        """Return the description of the object under a name."""
        is_plain = config.get("compat") and self.kind in PLAIN_KINDS
        return ObjectSpec(
            name,
            ObjType.PDARRAY if is_plain else self.kind,
            {member: (name, member) for member in self.members},
            {member: (name, member) for member in self.tables},
            self.members[VALUES].dtype if VALUES in self.members else None,
            {member: child.spec(f"{name}/{member}") for member, child in self.children.items()},
            self.params,
        )

    def nullable(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the columns of text that may be missing, each by the path of the object and the name of the member."""
        for path, item in self.named(name):
            yield from ((path, member) for member, value in item.members.items() if value.dtype == NULLABLE_STR)

    def without_missing(self) -> Storable:
        """Return the object as it is stored once its missing text has been filled."""
        return replace(
            self,
            members={member: without_missing(value) for member, value in self.members.items()},
            children={member: child.without_missing() for member, child in self.children.items()},
        )

    def as_inner(self) -> Storable:
        """Return the object as a level or key, where servers take no times or addresses but only their numbers."""
        if self.kind not in PLAIN_KINDS:
            return self
        return replace(self, kind=ObjType.PDARRAY, params={**self.params, "inner_kind": int(self.kind)})

    def named(self, name: str) -> Iterator[tuple[str, Storable]]:
        """Yield the object and all that it is made of, each with its path."""
        yield name, self
        for member, child in self.children.items():
            yield from child.named(f"{name}/{member}")


_KINDS = {"str": ObjType.STRINGS, "list": ObjType.SEGARRAY}


def stored_column(frame: Frame, value: Value) -> Storable:
    """Return what is stored of a single column.

    Files of one set must have the same number of limbs, so integers of any size are looked through before they are
    written; those below 0 are an error then.
    """
    item = value.dtype.item or value.dtype
    tables = {}
    if item.kind == "bigint":
        needed = Replica(Aggregate(frame, (AggregateExpr("limbs", value),)), 0, INT64)
        tables[LIMBS] = Project(counted(1), (LIMBS,), (needed,))
    return Storable(_KINDS.get(value.dtype.kind, ObjType.PDARRAY), frame, {VALUES: value}, tables)


class StorageMethods:
    """Writing an array to HDF5 files, as an object of a set or into one that is there."""

    _default_dataset: ClassVar[str] = "array"

    def _storable(self) -> Storable:
        raise NotImplementedError

    @takes_storage_options
    def to_hdf(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        file_type: str = "distribute",
        *,
        num_locales: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to HDF5 files, which Arkouda reads; computes.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.
        dataset : str, optional
            Name of the object: ``array`` for arrays of numbers, ``strings_array`` for Strings, ``categorical_array``
            for Categorical, ``index`` and ``groupby`` unless given.
        mode : {"truncate", "append"}
            Replace files of that prefix, or add the object to them.
        file_type : {"distribute", "single"}
            A set of files, or one in all at exactly that path.
        num_locales : int, optional
            Number of files of a set, one for each partition unless given; otherwise rows are split anew.  What is
            added to a set needs one partition for each of its files, or a single one, or this number.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.

        Raises
        ------
        ArgumentTypeError
            If `mode` or `file_type` are none of these.
        ArgumentError
            If `num_locales` is no number of files, or the path names a folder or a device.
        ExistsError
            If an object of that name is to be added and is there already.
        WriteError
            If the files cannot be written; what was there before stays.
        """
        self._write(self._storable(), prefix_path, dataset, mode, file_type, num_locales)

    def _write(  # noqa: PLR0917 - the parameters of `to_hdf`
        self,
        stored: Storable,
        path: Path,
        dataset: str | None,
        mode: str,
        file_type: str,
        num_locales: int | None = None,
        *,
        file_format: str = "HDF5",
        compression: str | None = None,
        na_rep: str | None = None,
    ) -> None:
        _check_option("mode", mode, MODES, ArgumentTypeError)
        _check_option("file_type", file_type, FILE_TYPES, ArgumentTypeError)
        write_objects(
            {dataset or self._default_dataset: stored},
            path,
            mode,
            file_type,
            num_locales=num_locales,
            file_format=file_format,
            compression=compression,
            na_rep=na_rep,
        )

    @takes_storage_options
    def save(  # noqa: PLR0917 - Arkouda's signature
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        compression: str | None = None,
        file_format: str = "HDF5",
        file_type: str = "distribute",
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array as `to_hdf` does, in any format: the name of old Arkouda releases.

        Parameters
        ----------
        prefix_path, dataset, mode
            As in `to_hdf`.
        compression : str, optional
            For formats that take it.
        file_format : str, default "HDF5"
            The format.
        file_type
            As in `to_hdf`.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.

        Raises
        ------
        UnsupportedError
            If the format cannot be written, or not so.
        """
        self._write(
            self._storable(), prefix_path, dataset, mode, file_type, file_format=file_format, compression=compression
        )

    @takes_storage_options
    def to_parquet(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        compression: str | None = None,
        *,
        num_locales: int | None = None,
        file_size: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to Parquet files, which Arkouda, pandas, polars and others read; computes.

        Other readers have times and addresses as numbers, and a Categorical as strings.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
        dataset : str, optional
            Name of the column, as in `to_hdf`.
        mode : {"truncate", "append"}
            Replace files of that prefix, or add the column to them, behind those that are there.
        compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
            How pages are packed, not at all unless given.
        num_locales : int, optional
            Number of files, as in `to_hdf`.
        file_size : int, optional
            Bytes of a file, as in `akdask.to_parquet`.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.

        Raises
        ------
        ArgumentTypeError, ArgumentError
            If `mode`, `compression`, `num_locales` or `file_size` are none of these.
        ExistsError
            If a column of that name is to be added and is there already.
        UnsupportedError
            If the array is no single column.
        WriteError
            If the files cannot be written; what was there before stays.
        """
        self._write(
            self._storable(),
            prefix_path,
            dataset,
            mode,
            "distribute",
            count_files([self], num_locales, file_size),
            file_format="Parquet",
            compression=compression,
        )

    @takes_storage_options
    def to_csv(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        col_delim: str = ",",
        overwrite: bool = False,
        *,
        num_locales: int | None = None,
        na_rep: str = "",
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to CSV files with Arkouda's header; computes.

        Times and addresses are written as their numbers.

        Parameters
        ----------
        prefix_path : str or path
            Prefix and extension of the files: ``d/x.csv`` gives ``d/x_LOCALE0000.csv`` and so on.
        dataset : str, optional
            Name of the column, as in `to_hdf`.
        col_delim : str, default ","
            What stands between fields; text of any length.
        overwrite : bool, default False
            Replace files of that prefix.
        num_locales : int, optional
            Number of files, one for each partition unless given.
        na_rep : str, default ""
            What is written for missing text.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.

        Raises
        ------
        ExistsError
            If there are files of that prefix, which are not to be replaced.
        UnsupportedError
            If elements are no numbers or strings, such as lists and labels of a Categorical.
        WriteError
            If the files cannot be written; what was there before stays.
        """
        objects = {dataset or self._default_dataset: self._storable()}
        write_csv(objects, prefix_path, col_delim, overwrite=overwrite, num_locales=num_locales, na_rep=na_rep)

    @takes_storage_options
    def update_hdf(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        repack: bool = True,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array into the HDF5 files of a prefix, replacing the object of that name; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_hdf`; the files must be there.
        dataset : str, optional
            Name of the object, as in `to_hdf`.
        repack : bool
            Accepted for compatibility with Arkouda; space that the old object took is always given back.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.
        """
        update_objects({dataset or self._default_dataset: self._storable()}, prefix_path)

    def update_parquet(self, prefix_path: Path, dataset: str | None = None) -> None:
        """Write the array into the Parquet files of a prefix, replacing the column of that name; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_parquet`; the files must be there.
        dataset : str, optional
            Name of the column, as in `to_parquet`.  Where there is none of that name, it is added behind the others.

        Raises
        ------
        FileError
            If there are no files, they have other numbers of rows, or cannot be written; what was there before stays.
        """
        update_objects({dataset or self._default_dataset: self._storable()}, prefix_path, "Parquet")


def write_objects(
    objects: Mapping[str, Storable],
    path: Path,
    mode: str,
    file_type: str,
    *,
    num_locales: int | None = None,
    overwrite: bool = False,
    file_format: str = "HDF5",
    na_rep: str | None = None,
    **options: Any,
) -> list[str]:
    """Write objects to one set of files, and return these; computes.

    Each object is split into one partition for each file, or into several where a file may be too large for memory.

    `options` are of the format; those that are None are left to it.  Where the format has nothing for missing text,
    `na_rep` is written in its place, or empty text with a warning.

    Raises
    ------
    ArgumentError
        If `mode`, `file_type`, `num_locales`, a name or the format is not allowed, or the path names a folder or a
        device.
    FileError
        If there are no objects.
    UnsupportedError
        If the format cannot be written, or not with such options.
    """
    chosen_format = format_named(file_format)
    options = {name: value for name, value in options.items() if value is not None}
    refused = sorted(set(options) - chosen_format.write_options)
    if refused:
        raise UnsupportedError(f"files of format {chosen_format.name!r} are written without {', '.join(refused)}.")
    chosen_mode = _check_option("mode", mode, MODES, ArgumentError)
    chosen_type = _check_option("file_type", file_type, FILE_TYPES, ArgumentError)
    if not objects:
        raise FileError("there is nothing to write.", hint="pass at least one column.")
    nullable: set[tuple[str, str]] = set()
    if not chosen_format.has_missing_text:
        nullable = {pair for name, item in objects.items() for pair in item.nullable(name)}
        objects = {name: item.without_missing() for name, item in objects.items()} if nullable else objects
    if not isinstance(na_rep, str | None):
        raise ArgumentTypeError(f"na_rep is the text written for what is missing, not a {type(na_rep).__name__}.")
    recover(written_path(path))
    everything = dict(pair for name, item in objects.items() for pair in item.named(name))
    count = _check_count(num_locales, chosen_type) or max(item.frame.npartitions for item in everything.values())
    if chosen_format.chooses_partitions:  # which make no files, and need not be few
        count = max(item.frame.npartitions for item in everything.values())
    if chosen_mode == "append" and chosen_type == "distribute" and num_locales is None and (overwrite or count == 1):
        # A single partition goes into any number of files; that of several is told by the writer if it differs.
        count = len(locale_files(os.fspath(path))) or count
    specs = [item.spec(name) for name, item in objects.items()]
    frames = _by_frame(everything)
    is_set = (chosen_mode, chosen_type) == ("truncate", "distribute") and not is_remote(written_path(path))
    per_file = partitions_per_file(frames, count) if is_set and chosen_format.joins_partitions else 1
    if per_file > 1:
        options["per_file"] = per_file
    writer = chosen_format.writer(
        path,
        specs,
        npartitions=count * per_file,
        mode=chosen_mode,
        file_type=chosen_type,
        overwrite=overwrite,
        **options,
    )
    if chosen_format.chooses_partitions:
        rows = [_cut(cast("CuttingWriter", writer), project) for project in frames]
    elif chosen_format.is_tabular:
        rows = aligned(frames, writer.npartitions, per_file)
    else:
        rows = [fitted(project, writer.npartitions, per_file) for project in frames]
    tables = [
        Project(table.frame, ((name, member),), table.values)
        for name, item in everything.items()
        for member, table in item.tables.items()
    ]
    files, missing = write(writer, rows, tables, Filling(frozenset(nullable), na_rep or "") if nullable else None)
    if missing and na_rep is None:
        names = sorted({repr(path) for path, member in nullable if (path, member) in missing})
        warn(
            f"missing text of {', '.join(names)} is written as empty text, since"
            f" {chosen_format.name} files have nothing for it; na_rep= says what to write instead.",
            UserWarning,
        )
    return files


def _cut(writer: CuttingWriter, project: Project) -> Frame:
    """Return the rows of objects in the partitions that a writer wants."""
    names = list(dict.fromkeys(cast("tuple[str, str]", column)[0] for column in project.names))
    return cut(project, lambda nrows: writer.cut(names, nrows))


def count_files(arrays: Iterable[Any], num_locales: int | None, file_size: Any) -> int | None:
    """Return the number of files that a user asks for, None if it is left open; may compute, to measure strings.

    Parameters
    ----------
    arrays : iterable of arrays
        What is to be written.
    num_locales : int or None
        That number.
    file_size : int or None
        Instead, bytes in memory of what each file has.

    Raises
    ------
    ArgumentError
        If both are given, or the size is no number of bytes.
    """
    if file_size is None:
        return num_locales
    if num_locales is not None:
        raise ArgumentError("num_locales and file_size both tell how many files there are.", hint="leave one out.")
    if not isinstance(file_size, (int, np.integer)) or isinstance(file_size, bool) or file_size < 1:
        raise ArgumentError(f"file_size is a number of bytes, at least 1, not {file_size!r}.")
    return max(1, -(-sum(array.nbytes for array in arrays) // int(file_size)))


def write_csv(
    objects: Mapping[str, Storable],
    path: Path,
    col_delim: str,
    *,
    overwrite: bool,
    num_locales: int | None,
    compression: str | None = None,
    na_rep: str = "",
) -> None:
    """Write objects to CSV files, which may replace others only if told so; computes.

    Raises
    ------
    ExistsError
        If there are files that are not to be replaced.
    """
    present = [] if overwrite else locale_files(written_path(path))
    if present:
        raise ExistsError("there are files already.", details=present, hint="overwrite=True replaces them.")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ existing files", UserWarning)  # the user has asked for it
        write_objects(
            objects,
            path,
            "truncate",
            "distribute",
            num_locales=num_locales,
            file_format="CSV",
            na_rep=na_rep,
            column_delim=col_delim,
            compression=compression,
        )


def update_objects(objects: Mapping[str, Storable], path: Path, file_format: str = "HDF5") -> None:
    """Write objects into a set of a format that is there, replacing those of the same names; computes."""
    recover(written_path(path))
    is_single = not locale_files(os.fspath(path)) and is_file(absolute(path))
    file_type = "single" if is_single else "distribute"
    write_objects(objects, path, "append", file_type, overwrite=True, file_format=file_format)


def _by_frame(objects: Mapping[str, Storable]) -> list[Project]:
    """Collect what is stored of each frame, so that its rows are read once."""
    frames: dict[str, Frame] = {}
    columns: dict[str, dict[Hashable, Value]] = {}
    for name, item in objects.items():
        if not item.members:
            continue
        frames[item.frame._name] = item.frame
        found = columns.setdefault(item.frame._name, {})
        found.update({(name, member): value for member, value in item.members.items()})
    return [Project(frames[key], tuple(found), tuple(found.values())) for key, found in columns.items()]


def _check_count(num_locales: Any, file_type: str) -> int | None:
    if num_locales is None:
        return None
    if not isinstance(num_locales, (int, np.integer)) or isinstance(num_locales, bool) or num_locales < 1:
        raise ArgumentError(f"num_locales is a number of files, at least 1, not {num_locales!r}.")
    if file_type == "single":
        raise ArgumentError("a single file has no locales.", hint="leave num_locales out, or write a set.")
    return int(num_locales)


def _check_option(name: str, given: Any, allowed: tuple[str, ...], error: type[AkdaskError]) -> Any:
    """Return the option in lower case, as Arkouda compares it."""
    if not isinstance(given, str) or given.lower() not in allowed:
        raise error(f"{name} is {' or '.join(map(repr, allowed))}, not {given!r}.")
    return given.lower()
