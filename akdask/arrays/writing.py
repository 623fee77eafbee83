"""Writes of lazy objects to files: the stored form of each, and sets of files with several objects."""

from __future__ import annotations

import os
import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import Any, cast

import numpy as np

from akdask import config
from akdask.columns.dtypes import INT64, NULLABLE_STR, TimeForm
from akdask.engine.file_writes import Filling, aligned, cut, fitted, partitions_per_file, write
from akdask.engine.missing import present, without_missing
from akdask.engine.node import Frame
from akdask.engine.rowwise import Chain, Project
from akdask.engine.sources import Scan, counted
from akdask.engine.times import in_unit
from akdask.engine.values import Replica, Value, as_floats
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, ExistsError, FileError, UnsupportedError, warn
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.records import record
from akdask.storage.files import absolute, is_file, is_remote, written_path
from akdask.storage.locales import locale_files
from akdask.storage.objects import LIMBS, UNIT, VALUES, ZONE, CuttingWriter, ObjectSpec, ObjType
from akdask.storage.recovery import recover
from akdask.storage.registry import format_named
from akdask.storage.source import partitions_by_size

MODES = ("truncate", "append")


def warn_of_appending(mode: str) -> None:
    """Warn where columns are appended to Parquet files, which Arkouda no longer does."""
    if mode == "append":
        warn("columns are best written in one call: Arkouda no longer appends to Parquet files.", DeprecationWarning)


FILE_TYPES = ("distribute", "single")

PLAIN_KINDS = (ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4)
"""Kinds that are numbers to servers of before v2023.09.06."""

Path = str | os.PathLike[str]


@record
class Storable:
    """The stored form of an array.

    Parameters
    ----------
    kind : ObjType
        The kind of object.
    frame : Frame
        The rows.
    members : mapping of str to Value
        The members that are stored row by row.
    tables : mapping of str to Project, optional
        Other stored members: one-partition plans with one column.
    children : mapping of str to Storable, optional
        Members that are objects themselves.
    params : mapping of str to value, optional
        Numbers that attributes hold, such as the shape of an array.
    form : TimeForm, optional
        Unit and zone of the numbers, if they are times.
    """

    kind: ObjType
    frame: Frame
    members: Mapping[str, Value] = field(default_factory=dict)
    tables: Mapping[str, Project] = field(default_factory=dict)
    children: Mapping[str, Storable] = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    form: TimeForm | None = None

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
            self.params if self.form is None else {**self.params, UNIT: self.form.unit, ZONE: self.form.zone},
        )

    def in_nanoseconds(self, name: str) -> Storable:
        """Return the object for formats that store only nanoseconds, in UTC for times with a zone.

        Raises
        ------
        TimeOverflowError
            When it is written, if 64 bits of nanoseconds do not hold a time.
        """
        children = {member: child.in_nanoseconds(f"{name}/{member}") for member, child in self.children.items()}
        if self.form is None:
            return replace(self, children=children) if children else self
        if self.form.zone not in (None, "UTC"):
            warn(f"the times of {name!r} are written as UTC: such files have no zone {self.form.zone!r}.", UserWarning)
        members = {
            member: in_unit(value, self.form.unit, "ns", name) if member == VALUES else value
            for member, value in self.members.items()
        }
        return replace(self, members=members, form=None)

    def nullable(self, name: str) -> Iterator[tuple[str, str]]:
        """Yield the columns of text that may be missing, each by the path of the object and the name of the member."""
        for path, item in self.named(name):
            yield from ((path, member) for member, value in item.members.items() if value.dtype == NULLABLE_STR)

    def without_missing(self, name: str, *, as_nan: bool) -> Storable:
        """Return the object as it is stored after its missing text is filled; `as_nan` makes floats of other gaps.

        Raises
        ------
        ConversionError
            When it is written, if an integer or bool is missing, or for `as_nan`, if an integer equals no float.
        """
        return replace(
            self,
            members={
                member: without_missing(as_floats(value) if as_nan else present(value, name))
                for member, value in self.members.items()
            },
            children={
                member: child.without_missing(f"{name}/{member}", as_nan=as_nan)
                for member, child in self.children.items()
            },
        )

    def as_inner(self) -> Storable:
        """Return the object as a level or key, where servers take only the numbers of times and addresses."""
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
    """Return the stored form of a single column.

    Files of one set must have the same number of limbs, so integers of any size are scanned before they are
    written; negative ones are an error then.
    """
    item = value.dtype.item or value.dtype
    tables = {}
    if item.kind == "bigint":
        needed = Replica(Aggregate(frame, (AggregateExpr("limbs", value),)), 0, INT64)
        tables[LIMBS] = Project(counted(1), (LIMBS,), (needed,))
    return Storable(_KINDS.get(value.dtype.kind, ObjType.PDARRAY), frame, {VALUES: value}, tables)


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
    """Write objects to one set of files, and return the files; computes.

    Each object is split into one partition for each file, or into several if a file may be too large for memory.

    `options` belong to the format, whose defaults replace None.  Where the format cannot hold missing text,
    `na_rep` is written in its place, or empty text with a warning; missing integers and bools are an error there, or
    NaN in text.

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
    chosen_mode = check_option("mode", mode, MODES, ArgumentError)
    chosen_type = check_option("file_type", file_type, FILE_TYPES, ArgumentError)
    if not objects:
        raise FileError("there is nothing to write.", hint="pass at least one column.")
    if not chosen_format.has_time_units:
        objects = {name: item.in_nanoseconds(name) for name, item in objects.items()}
    nullable: set[tuple[str, str]] = set()
    if not chosen_format.has_missing_rows:
        nullable = {pair for name, item in objects.items() for pair in item.nullable(name)}
        as_nan = chosen_format.missing_as_nan
        objects = {name: item.without_missing(name, as_nan=as_nan) for name, item in objects.items()}
    if not isinstance(na_rep, str | None):
        raise ArgumentTypeError(f"na_rep is the text written for what is missing, not a {type(na_rep).__name__}.")
    recover(written_path(path))
    everything = dict(pair for name, item in objects.items() for pair in item.named(name))
    partitions = max(item.frame.npartitions for item in everything.values())
    files = max(_files_of(item.frame) for item in everything.values())
    # Rows that filters leave would have to be counted to be put together.
    is_filtered = any(Chain.of(item.frame).selections for item in everything.values())
    count = _check_count(num_locales, chosen_type) or (partitions if is_filtered else files)
    if chosen_format.chooses_partitions:  # which make no files, and need not be few
        count = partitions
    if chosen_mode == "append" and chosen_type == "distribute" and num_locales is None and (overwrite or files == 1):
        # What comes from one file goes into any number of them; for several, the writer reports a differing number.
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
    written, missing = write(writer, rows, tables, Filling(frozenset(nullable), na_rep or "") if nullable else None)
    if missing and na_rep is None:
        names = sorted({repr(path) for path, member in nullable if (path, member) in missing})
        warn(
            f"missing text of {', '.join(names)} is written as empty text, since"
            f" {chosen_format.name} files have nothing for it; na_rep= says what to write instead.",
            UserWarning,
        )
    return written


def _files_of(frame: Frame) -> int:
    """Return the number of files of rows: as many as their sizes ask for where they are read, or as partitions."""
    count = frame.npartitions
    for base in Chain.of(frame).bases:
        if not isinstance(base, Scan) or base.npartitions != frame.npartitions:
            return frame.npartitions
        count = min(count, partitions_by_size(base.source))
    return count


def _cut(writer: CuttingWriter, project: Project) -> Frame:
    """Return the rows of objects in the partitions that a writer wants."""
    names = list(dict.fromkeys(cast("tuple[str, str]", column)[0] for column in project.names))
    return cut(project, lambda nrows: writer.cut(names, nrows))


def count_files(arrays: Iterable[Any], num_locales: int | None, file_size: Any) -> int | None:
    """Return the number of files that a user wants, None if the user left it open; may compute, to measure strings.

    Parameters
    ----------
    arrays : iterable of arrays
        The arrays to write.
    num_locales : int or None
        That number.
    file_size : int or None
        Instead, the bytes in memory of each file.

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
        warnings.filterwarnings("ignore", "[0-9]+ existing files", UserWarning)  # the user chose to replace it
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
    """Write objects into an existing set of a format, replacing objects of the same names; computes."""
    recover(written_path(path))
    is_single = not locale_files(os.fspath(path)) and is_file(absolute(path))
    file_type = "single" if is_single else "distribute"
    write_objects(objects, path, "append", file_type, overwrite=True, file_format=file_format)


def _by_frame(objects: Mapping[str, Storable]) -> list[Project]:
    """Collect the members of each frame, so that its rows are read once."""
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


def check_option(name: str, given: Any, allowed: tuple[str, ...], error: type[AkdaskError]) -> Any:
    """Return the option in lower case, as Arkouda compares it."""
    if not isinstance(given, str) or given.lower() not in allowed:
        raise error(f"{name} is {' or '.join(map(repr, allowed))}, not {given!r}.")
    return given.lower()
