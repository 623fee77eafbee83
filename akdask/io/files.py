"""Reading and writing files, under Arkouda's names.

Reading opens metadata only and gives lazy objects; their bytes are read when values are needed.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from itertools import accumulate
from typing import TYPE_CHECKING, Any, SupportsIndex

from akdask.arrays.array import wrap
from akdask.arrays.pdarray import pdarray
from akdask.arrays.stored_arrays import from_stored, open_prefix
from akdask.arrays.writable import Writable
from akdask.columns.dtypes import NULLABLE_STR, UINT64
from akdask.engine.sources import Rows
from akdask.engine.values import Call, cast
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    CallError,
    ExistsError,
    FileError,
    InconsistentFilesError,
    MissingAttributeError,
)
from akdask.storage.files import takes_storage_options
from akdask.storage.locales import Filenames, names_of
from akdask.storage.objects import CODES, SERVERS_DIFFER, VALUES, ObjType, StoredObject, StoredSet
from akdask.storage.registry import format_named, format_of_files, open_files

if TYPE_CHECKING:
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.writing import Storable


__all__ = [
    "get_datasets",
    "get_filetype",
    "load",
    "load_all",
    "ls",
    "read",
    "read_hdf",
    "read_tagged_data",
    "save_all",
    "to_hdf",
    "update_hdf",
]


FILE_CODES = "Filename_Codes"
"""Arkouda's name for the numbers of the files among the objects read."""


def file_codes(files: StoredSet, objects: Mapping[str, StoredObject]) -> pdarray:
    """Return the number of each row's file, as lazy int64; files without rows are counted too.

    Raises
    ------
    ArgumentError
        If an object is no column.
    InconsistentFilesError
        If the objects have different numbers of rows in a file.
    """
    shares = {name: _shares(name, stored) for name, stored in objects.items()}
    rows = {name: _by_file(share) for name, share in shares.items()}
    first, expected = next(iter(rows.items()))
    differing = [name for name in rows if rows[name] != expected]
    if differing:
        raise InconsistentFilesError(
            "objects of different lengths cannot be tagged with their files together.",
            details=[f"{name!r} has other numbers of rows than {first!r}" for name in differing],
            hint="name the datasets to be read together.",
        )
    number = {path: position for position, path in reversed(list(enumerate(files.paths)))}
    paths, lengths = zip(*shares[first], strict=True)
    starts = tuple(accumulate(lengths, initial=0))[:-1]
    rows_of_set = Rows(lengths)
    codes = Call("of_range", rows_of_set.position, starts=starts, numbers=tuple(number[path] for path in paths))
    return pdarray(rows_of_set, codes)


def _shares(name: str, stored: StoredObject) -> list[tuple[str, int]]:
    """Return file and number of rows of each partition."""
    column = stored.members.get(VALUES) or stored.members.get(CODES)
    if column is None:
        raise ArgumentError(f"{name!r} is no column whose rows could be tagged.", hint="name the datasets to read.")
    return list(zip(column.source.paths, column.source.lengths, strict=True))


def _by_file(shares: list[tuple[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for path, rows in shares:
        counts[path] = counts.get(path, 0) + rows
    return counts


Path = str | os.PathLike[str]


class NamedObjects(dict[str, Any]):
    """The objects of files by name; asked for what only a frame has, it says how to get one."""

    def __getattr__(self, name: str) -> Any:
        from akdask.frames.dataframe import DataFrame

        if name.startswith("_") or not hasattr(DataFrame, name):
            raise MissingAttributeError(f"a dict of arrays has no attribute {name!r}.")
        raise MissingAttributeError(
            f"as in Arkouda, files are read as a dict of arrays, which has no {name!r}.",
            hint="ak.DataFrame(…) of it is a frame; import akdask.pandas as pd has pandas' functions, such as "
            "pd.read_parquet and pd.read_csv, which return frames; so does ak.scan.",
        )


class DeferredObjects(NamedObjects):
    """The objects of a file whose names are known, and that are made when one of them is asked for.

    Parameters
    ----------
    names : sequence of str
        The names.
    read : callable
        Returns the objects.
    """

    def __init__(self, names: Sequence[str], read: Callable[[], Mapping[str, Any]]) -> None:
        super().__init__(dict.fromkeys(names))
        self._unread: Callable[[], Mapping[str, Any]] | None = read

    def _read(self) -> None:
        if self._unread is not None:
            dict.update(self, self._unread())
            self._unread = None

    # Copies of a dict take what is stored, unless it iterates in a way of its own.
    def __iter__(self) -> Iterator[str]:
        return super().__iter__()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...]:
        self._read()
        return NamedObjects, (dict(self),)


def _after_reading(name: str) -> Any:
    """Return a method of dicts that reads first."""
    own = getattr(dict, name)

    @wraps(own)
    def method(self: DeferredObjects, *args: Any, **options: Any) -> Any:
        self._read()
        return own(self, *args, **options)

    return method


for _name in ("__getitem__", "__setitem__", "__delitem__", "__eq__", "__ne__", "__or__", "__ror__", "__ior__"):
    setattr(DeferredObjects, _name, _after_reading(_name))
for _name in ("__repr__", "get", "items", "values", "pop", "popitem", "setdefault", "update", "clear", "copy"):
    setattr(DeferredObjects, _name, _after_reading(_name))


def read_objects(
    files: StoredSet, datasets: str | Sequence[str] | None, *, tagged: bool = False, as_stored: bool = False
) -> dict[str, Any]:
    """Return the lazy objects of a set by name, all or the named ones, as a server reads them or as they are stored.

    Raises
    ------
    FileError
        If there are none.
    """
    names = None if datasets is None else dataset_names(datasets)
    groups = {} if names is None else _groups_among(files, names)
    if groups:
        return _with_groups(files, names or [], groups, as_stored=as_stored)
    found = files.objects(names)
    if not found and names is not None:
        hint = None if datasets is None else "name some of them, or leave datasets out for all."
        raise FileError("no objects to read.", details=[f"objects: {', '.join(files.kinds) or 'none'}"], hint=hint)
    objects = {name: from_stored(stored) if as_stored else _as_on_servers(stored) for name, stored in found.items()}
    return NamedObjects({**objects, FILE_CODES: file_codes(files, found)} if tagged else objects)


def _groups_among(files: StoredSet, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the names that are none of objects, but of groups of them, with the names of these."""
    if all(name in files.kinds for name in names):
        return {}
    from akdask.io.group_frames import members_of

    found = {name: members_of(name, files.kinds) for name in names if name not in files.kinds}
    return {name: members for name, members in found.items() if members}


def _with_groups(
    files: StoredSet, names: Sequence[str], groups: Mapping[str, list[str]], *, as_stored: bool
) -> dict[str, Any]:
    """Return named objects, and the frames of named groups."""
    from akdask.io.group_frames import frame_of_group

    rest = [name for name in names if name not in groups]
    others = read_objects(files, rest, as_stored=as_stored) if rest else {}
    return NamedObjects(
        {
            name: frame_of_group(name, groups[name], files.objects, name) if name in groups else others[name]
            for name in dict.fromkeys(names)
        }
    )


def _as_on_servers(stored: StoredObject) -> Any:
    """Return a stored object as a server has it: numbers of one byte of others widened, nulls of its own text empty."""
    made = from_stored(stored)
    if not stored.params.get(SERVERS_DIFFER):
        return made
    if stored.kind == ObjType.STRINGS:
        return made.fillna("") if made._value.dtype == NULLABLE_STR else made
    if stored.kind == ObjType.PDARRAY:
        return wrap(made._frame, cast(made._value, replace(UINT64, nullable=made._value.dtype.nullable)))
    return made.astype("uint64")


def dataset_names(datasets: Any) -> list[str]:
    """Return the names of requested objects.

    Raises
    ------
    ArgumentTypeError
        If they are no text, or no list of such.
    """
    names = [datasets] if isinstance(datasets, str) else datasets
    is_list = isinstance(names, Collection) and getattr(names, "ndim", 1) == 1
    if not is_list or not all(isinstance(name, str) for name in names):
        raise ArgumentTypeError(
            f"datasets are named by a str or a list of them, not by {type(datasets).__name__}.",
            hint="leave datasets out for all.",
        )
    return list(names)


def storables(columns: Any, names: Sequence[str] | None) -> dict[str, Storable]:
    """Return the objects to be written, by name."""
    from akdask.frames.dataframe import DataFrame

    if isinstance(columns, Writable):
        raise CallError(
            "a dict or list of arrays is wanted, not one.", hint="for one array: a.to_hdf(prefix), and so on."
        )
    named = isinstance(columns, Mapping | DataFrame)
    if not named and (isinstance(columns, str) or not isinstance(columns, Sequence)):
        raise ArgumentTypeError(
            f"what is written is a dict or a list of arrays, not a {type(columns).__name__}.",
            hint="pass {'name': array}.",
        )
    given = list(columns.keys()) if named else [str(number) for number in range(len(columns))]
    arrays = [columns[name] for name in given] if named else list(columns)
    if names is not None and len(names) != len(arrays):
        raise ArgumentError(f"{len(arrays)} columns need as many names, got {len(names)}.")
    wanted = given if names is None else list(names)
    for name in wanted:
        if not isinstance(name, str):
            raise ArgumentTypeError(f"objects are named by a str, not by {type(name).__name__}.", hint="pass names.")
    again = sorted({name for name in wanted if wanted.count(name) > 1})
    if again:
        raise ExistsError("two columns cannot have the same name.", details=[repr(name) for name in again])
    return dict(zip(wanted, map(_storable, arrays), strict=True))


def _storable(item: Any) -> Storable:
    from akdask.frames.dataframe import DataFrame

    if not isinstance(item, Writable | DataFrame):
        raise ArgumentTypeError(
            f"a {type(item).__name__} cannot be written.", hint="make it an array with ak.array(…)."
        )
    return item._storable()


@takes_storage_options
def read_hdf(  # noqa: PLR0917 - Arkouda's signature
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    iterative: bool = False,
    strict_types: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False,
    tag_data: bool = False,
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open HDF5 files in Arkouda's layout, of any release, as lazy objects.  Reads metadata only.

    In files of other programs, the datasets in groups have their paths as names.  A record is a DataFrame with a column
    for each field, complex numbers have the columns ``real`` and ``imag``, numbers with names are text, and a dataset
    without dimensions has one row.

    Two layouts need more than metadata. Strings without segments, also for `calc_string_offsets`, are counted. Segments
    that old releases stored as separate arrays are recognized by reading at most 4,097 of them.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files, glob patterns, or the prefix given to `to_hdf`; several files are read as one set, in the order of their
        ``_LOCALE`` numbers.
    datasets : str or sequence of str, optional
        Names of the objects to read; all by default.
    iterative : bool
        Accepted for compatibility with Arkouda; reading is lazy anyway.
    strict_types : bool, default True
        Demand that width and sign of numbers agree over the files too.
    allow_errors : bool, default False
        Leave out files that are missing or cannot be read, with one warning.
    calc_string_offsets : bool, default False
        Find where strings start from their bytes, even where that is stored.
    tag_data : bool, default False
        Add ``Filename_Codes``, the number of each row's file; see `read_tagged_data`.
    widen : bool, default False
        Read numbers of different types in the files, such as int64 and float64, as their common type; an integer that a
        float would change is an error on reading.  Otherwise columns whose types differ are left out, with one warning,
        and are an error if named.

    Returns
    -------
    dict of str to lazy object
        Each of the class that was written.  Objects with the same number of rows in every file share their rows, so
        ``DataFrame(read_hdf(…))`` scans once.

    Raises
    ------
    MissingFileError, FileFormatError
        If files are missing or damaged.
    MissingDatasetError
        If a name is in none of the files.
    InconsistentFilesError
        If the files do not agree; all disagreements are listed.
    ObjTypeError, UnsupportedError
        If a named object is of an unsupported kind, or all are; others are left out, with one warning.
    FileError
        If the files have no objects, or tags are requested with `iterative`.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_hdf("numbers")
    >>> ak.read_hdf("numbers*")["array"].tolist()
    [3, 1, 3]
    """
    if tag_data and iterative:
        raise FileError("rows cannot be tagged with their files when files are read one by one.")
    opened = open_files(
        filenames,
        format_named("HDF5"),
        strict_types=strict_types,
        allow_errors=allow_errors,
        calc_string_offsets=calc_string_offsets,
        widen=widen,
    )
    return read_objects(opened, datasets, tagged=tag_data)


@takes_storage_options
def read_tagged_data(  # noqa: PLR0917 - Arkouda's signature
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    strictTypes: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False,
    read_nested: bool = True,
    has_non_float_nulls: bool = False,
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], Categorical]:
    """Open files like `read`, and add the file of each row.  Reads metadata only.

    Parameters
    ----------
    filenames, datasets
        As in `read_hdf`.
    strictTypes : bool, default True
        `strict_types` of `read_hdf`.
    allow_errors, calc_string_offsets
        As in `read_hdf`.
    read_nested, has_non_float_nulls
        For formats that take them.
    widen : bool, default False
        As in `read_hdf`.

    Returns
    -------
    dict
        As from `read_hdf`, with ``Filename_Codes`` besides: the number of the file, in their order.
    Categorical
        The names of the files, one element for each, which the codes count: ``names[codes]`` has one for each row.

    Raises
    ------
    InconsistentFilesError
        If the objects have different numbers of rows in a file.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_hdf("numbers")
    >>> found, names = ak.read_tagged_data("numbers*")
    >>> found["array"].tolist(), found["Filename_Codes"].tolist()
    ([3, 1, 3], [0, 0, 0])
    """
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.creation import arange

    opened = open_files(
        filenames,
        strict_types=strictTypes,
        allow_errors=allow_errors,
        calc_string_offsets=calc_string_offsets,
        read_nested=read_nested,
        has_non_float_nulls=has_non_float_nulls,
        widen=widen,
    )
    found = read_objects(opened, datasets, tagged=True)
    return found, Categorical.from_codes(arange(len(opened.paths)), opened.paths)


@takes_storage_options
def read(  # noqa: PLR0917 - Arkouda's signature
    filenames: Filenames,
    datasets: str | Sequence[str] | None = None,
    iterative: bool = False,
    strictTypes: bool = True,
    allow_errors: bool = False,
    calc_string_offsets: bool = False,
    column_delim: str = ",",
    read_nested: bool = True,
    has_non_float_nulls: bool = False,
    fixed_len: int = -1,
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open files of any registered format, by their first bytes; see `read_hdf`.

    Parameters
    ----------
    filenames, datasets, iterative
        As in `read_hdf`.
    strictTypes : bool, default True
        `strict_types` of `read_hdf`.
    allow_errors, calc_string_offsets
        As in `read_hdf`.
    column_delim, read_nested, has_non_float_nulls, fixed_len
        For formats that take them.
    widen : bool, default False
        As in `read_hdf`.

    Raises
    ------
    UnsupportedError
        If the files are of a format that cannot be read.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_parquet("numbers")
    >>> ak.read("numbers*")["array"].tolist()
    [3, 1, 3]
    """
    opened = open_files(
        filenames,
        strict_types=strictTypes,
        allow_errors=allow_errors,
        calc_string_offsets=calc_string_offsets,
        column_delim=column_delim,
        read_nested=read_nested,
        has_non_float_nulls=has_non_float_nulls,
        fixed_len=fixed_len,
        widen=widen,
    )
    return read_objects(opened, datasets)


@takes_storage_options
def load(
    path_prefix: Path,
    file_format: str = "INFER",
    dataset: str = "array",
    calc_string_offsets: bool = False,
    column_delim: str = ",",
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open one object of the files that were written under a prefix.  Reads metadata only.

    Parameters
    ----------
    path_prefix : str or path
        The path given to `to_hdf`: prefix and extension of a set, or the path of a single file.
    file_format : str, default "INFER"
        The format; by default that of the first bytes.
    dataset : str, default "array"
        Name of the object.
    calc_string_offsets, column_delim
        As in `read`.
    widen : bool, default False
        As in `read_hdf`.

    Returns
    -------
    dict
        With one entry.

    Raises
    ------
    ArgumentTypeError
        If the prefix, format or dataset are no text.
    ArgumentError
        If the prefix is a pattern, or there is no such format.
    MissingFileError
        If there are no files of that prefix.
    UnsupportedError
        If they are of a format that cannot be read.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_hdf("numbers")
    >>> ak.load("numbers")["array"].tolist()
    [3, 1, 3]
    """
    if not isinstance(dataset, str):
        raise ArgumentTypeError(f"an object is named by a str, not by {type(dataset).__name__}.")
    options = {"calc_string_offsets": calc_string_offsets, "column_delim": column_delim, "widen": widen}
    return read_objects(open_prefix(path_prefix, file_format, **options), [dataset])


@takes_storage_options
def load_all(
    path_prefix: Path,
    file_format: str = "INFER",
    column_delim: str = ",",
    read_nested: bool = True,
    *,
    widen: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Open all objects of the files that were written under a prefix; see `load`.  Reads metadata only.

    Parameters
    ----------
    path_prefix, file_format, column_delim
        As in `load`.
    read_nested
        As in `read`.
    widen : bool, default False
        As in `read_hdf`.

    Examples
    --------
    >>> ak.to_hdf({"x": ak.array([3, 1, 3]), "y": ak.array(["b", "a", "b"])}, "rows")
    >>> {name: column.tolist() for name, column in ak.load_all("rows").items()}
    {'x': [3, 1, 3], 'y': ['b', 'a', 'b']}
    """
    return read_objects(
        open_prefix(path_prefix, file_format, column_delim=column_delim, read_nested=read_nested, widen=widen), None
    )


@takes_storage_options
def to_hdf(
    columns: Mapping[str, Any] | Sequence[Any],
    prefix_path: Path,
    names: Sequence[str] | None = None,
    mode: str = "truncate",
    file_type: str = "distribute",
    *,
    num_locales: int | None = None,
    na_rep: str | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Write objects to one set of HDF5 files, which Arkouda reads; computes.

    In a folder the set appears completely or not at all.  In an object store this holds for akdask's readers: a catalog
    beside the set is written last, and a set that differs from its catalog is an error. Other programs may for a moment
    see files of both the old and the new set.  Adding objects replaces all files of a set by copies.

    Parameters
    ----------
    columns : mapping or list of pdarray, Strings, Categorical or Index
        Objects to write.  They need not have the same number of rows; each is split into one partition for each file.
    prefix_path : str or path
        Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.
    names : list of str, optional
        Names for the objects, instead of the keys of a mapping or of ``"0"``, ``"1"`` and so on.
    mode : {"truncate", "append"}
        Replace files of that prefix, or add objects to them.
    file_type : {"distribute", "single"}
        A set of files, or one in all at exactly that path.
    num_locales : int, optional
        Number of files of a set; by default the largest number of partitions of the objects.
    na_rep : str, optional
        Text written for missing text, which HDF5 cannot store; empty text, with a warning, by default.

    Raises
    ------
    ArgumentError
        If `mode` or `file_type` are none of these, `num_locales` is no number of files, the numbers of names and
        columns differ, or the path names a folder or a device.
    ArgumentTypeError
        If something is no array, or a name no str.
    ExistsError
        If objects to be added exist already, or two have the same name.
    WriteError
        If the files cannot be written; existing files stay.

    Warns
    -----
    UserWarning
        If text is missing and `na_rep` is None.

    Examples
    --------
    >>> ak.to_hdf({"x": ak.array([3, 1, 3]), "y": ak.array(["b", "a", "b"])}, "rows")
    >>> ak.get_datasets("rows*")
    ['x', 'y']
    """
    from akdask.arrays.writing import write_objects

    objects = storables(columns, names)
    write_objects(objects, prefix_path, mode, file_type, num_locales=num_locales, na_rep=na_rep)


@takes_storage_options
def save_all(  # noqa: PLR0917 - Arkouda's signature
    columns: Mapping[str, Any] | Sequence[Any],
    prefix_path: Path,
    names: Sequence[str] | None = None,
    file_format: str = "HDF5",
    mode: str = "truncate",
    file_type: str = "distribute",
    compression: str | None = None,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Write objects as `to_hdf` does, in any format: the name of old Arkouda releases.

    Parameters
    ----------
    columns, prefix_path, names
        As in `to_hdf`.
    file_format : str, default "HDF5"
        The format.
    mode, file_type
        As in `to_hdf`.
    compression : str, optional
        For formats that take it.

    Raises
    ------
    UnsupportedError
        If the format cannot be written, or not so.

    Examples
    --------
    >>> ak.save_all({"x": ak.array([3, 1, 3])}, "rows", file_format="Parquet")
    >>> ak.get_filetype("rows*")
    'Parquet'
    """
    from akdask.arrays.writing import write_objects

    stored = storables(columns, names)
    write_objects(stored, prefix_path, mode, file_type, file_format=file_format, compression=compression)


@takes_storage_options
def update_hdf(
    columns: Mapping[str, Any] | Sequence[Any],
    prefix_path: Path,
    names: Sequence[str] | None = None,
    repack: bool = True,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> None:
    """Write objects into the HDF5 files of a prefix, replacing objects of the same names; computes.

    `repack` is accepted for compatibility with Arkouda; the space of old objects is always reclaimed.  For the rest see
    `to_hdf`.

    Parameters
    ----------
    storage_options : mapping of str to value, optional
        Options with which fsspec opens URLs, such as keys or ``anon=True``.

    Examples
    --------
    >>> ak.to_hdf({"x": ak.array([3, 1, 3])}, "rows")
    >>> ak.update_hdf({"x": ak.array([7, 8])}, "rows")
    >>> ak.read_hdf("rows*")["x"].tolist()
    [7, 8]
    """
    from akdask.arrays.writing import update_objects

    update_objects(storables(columns, names), prefix_path)


@takes_storage_options
def ls(
    filename: Path, col_delim: str = ",", read_nested: bool = True, *, storage_options: Mapping[str, Any] | None = None
) -> list[str]:
    """Return the names of the objects in a file; reads metadata only.

    Parameters
    ----------
    filename : str or path
        A file, or a pattern for a set of files.
    col_delim, read_nested
        For formats that take them.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_hdf("numbers")
    >>> ak.ls("numbers_LOCALE0000")
    ['array']
    """
    if not isinstance(filename, str | os.PathLike):
        raise ArgumentTypeError(f"ls takes one file name, got {type(filename).__name__}.", hint="use get_datasets.")
    return list(open_files(filename, column_delim=col_delim, read_nested=read_nested).kinds)


@takes_storage_options
def get_datasets(
    filenames: Filenames,
    allow_errors: bool = False,
    column_delim: str = ",",
    read_nested: bool = True,
    *,
    storage_options: Mapping[str, Any] | None = None,
) -> list[str]:
    """Return the names of the objects in the first file that has any; reads metadata only.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files, or glob patterns for sets of files.  Names are in the order in which akdask wrote them.
    allow_errors : bool, default False
        Pass over files that are missing or cannot be read.
    column_delim, read_nested
        For formats that take them.

    Raises
    ------
    MissingFileError, FileFormatError
        If a file before the first one with objects is missing or damaged.
    FileError
        If there are no objects.

    Examples
    --------
    >>> ak.to_hdf({"x": ak.array([3, 1, 3]), "y": ak.array(["b", "a", "b"])}, "rows")
    >>> ak.get_datasets("rows*")
    ['x', 'y']
    """
    for name in names_of(filenames):
        try:
            found = ls(name, column_delim, read_nested)
        except FileError:
            if not allow_errors:
                raise
        else:
            if found:
                return found
    raise FileError("the files have no objects.", details=[f"looked into {name!r}" for name in names_of(filenames)])


@takes_storage_options
def get_filetype(filenames: Filenames, *, storage_options: Mapping[str, Any] | None = None) -> str:
    """Return the format of the first file, by its first bytes: such as ``HDF5`` or ``Parquet``.

    Parameters
    ----------
    filenames : str, path or sequence of them
        Files or glob patterns.

    Examples
    --------
    >>> ak.array([3, 1, 3]).to_parquet("numbers")
    >>> ak.get_filetype("numbers*")
    'Parquet'
    """
    return format_of_files(filenames).name
