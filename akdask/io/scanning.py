"""Opening files by their content, whatever program wrote them."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.caches import Cache
from akdask.deferred import pd
from akdask.errors import FileFormatError, MissingDatasetError, UnsupportedError, warn
from akdask.storage.files import absolute, identify, is_remote, takes_storage_options
from akdask.storage.locales import Filenames, expand, split_locale
from akdask.storage.registry import (
    first_bytes,
    format_named,
    format_of_files,
    format_of_folder,
    open_as_stored,
    open_files,
)
from akdask.storage.tuning import COLUMN_BYTES, KNOWN_SETS

if TYPE_CHECKING:
    from akdask.frames.dataframe import DataFrame

__all__ = ["scan"]

ARKOUDA = "read_arkouda"
"""The kind of files that Arkouda or akdask wrote as a set."""

_SIGNATURES = {b"ARROW1": "read_feather", b"ORC": "read_orc", b"<?xml": "read_xml"}
"""First bytes of files that pandas reads."""

_REFUSED = (b"SQLite format 3", b"\x80\x04", b"\x80\x05")
"""First bytes of files that are no frame, or a program."""

_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""First bytes of text in UTF-16."""

_PACKED = (b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ", b"PK\x03\x04")
"""First bytes of files whose content is to be unpacked."""

_DELIMITERS = ",\t;|"
_FIRST = 4096
_MOST_COLUMNS = 4096  # of arrays of several dimensions
_MOST_NAMED = 10


_FRAMES: Cache[Any, DataFrame] = Cache(
    "frames of opened sets", entries=KNOWN_SETS, size=lambda frame: COLUMN_BYTES * len(frame.columns)
)
"""Frames of sets that are opened again: an opened set is the same one as before if its files have not changed."""


@takes_storage_options
def scan(source: Filenames, *, storage_options: Mapping[str, Any] | None = None, **options: Any) -> DataFrame:
    """Open files of any kind as a DataFrame, chosen by their content.

    HDF5, Parquet, CSV and Zarr stay lazy; rows and types of CSV are found when a column is asked for.  JSON, Feather,
    ORC, Excel and XML files are read into memory by pandas.

    Parameters
    ----------
    source : str, path or list of them
        Files, folders, glob patterns, or the prefix of a set.
    **options
        Options of the reader that is chosen.  CSV files also take `usecols`, the names or positions of the columns, and
        `index_col`, the one that labels the rows.

    Returns
    -------
    DataFrame

    Raises
    ------
    MissingFileError
        If there are no such files.
    FileFormatError
        If the content is of no known kind.

    Examples
    --------
    >>> ak.DataFrame({"port": [443, 80], "bytes": [10, 20]}).to_parquet("flows")
    >>> flows = ak.scan("flows*")
    >>> flows[flows["port"] == 80]["bytes"].tolist()
    [20]
    """
    from akdask.frames.dataframe import DataFrame
    from akdask.io.pandas_files import import_data

    kind = kind_of(source)
    if kind == "read_csv":
        return _scan_csv(source, **{"column_delim": delimiter_of(source, options.get("skiprows", 0)), **options})
    if kind in {"read_hdf", "read_parquet"} and isinstance(source, str | os.PathLike) and not options.keys() - {"key"}:
        found = import_data(source, **options)
        if found is not None:
            return found
    if kind in {ARKOUDA, "read_parquet"}:
        return frame_of_set(source, **options)
    parts = [getattr(pd, kind)(path, **options) for path in expand(source)]
    return DataFrame(parts[0] if len(parts) == 1 else pd.concat(parts, ignore_index=True))


def _scan_csv(
    source: Filenames, datasets: Any = None, *, usecols: Any = None, index_col: str | int | None = None, **options: Any
) -> DataFrame:
    """Open CSV files; those of this machine are scanned when columns are asked for."""
    from akdask.frames.columnset import ColumnSet
    from akdask.frames.dataframe import DataFrame
    from akdask.io.files import read_objects

    opened = open_files(source, format_named("CSV"), **options)

    def columns() -> ColumnSet:
        wanted = datasets if usecols is None else [_column_named(opened, one) for one in usecols]
        if index_col is None:
            return ColumnSet.of(read_objects(opened, wanted))
        label = _column_named(opened, index_col)
        arrays = read_objects(opened, wanted if wanted is None or label in wanted else [*wanted, label])
        index = arrays.pop(label)
        return ColumnSet.of(arrays, index, label)

    # Options to open URLs are known during this call alone.
    return DataFrame._of(columns()) if any(map(is_remote, opened.paths)) else DataFrame.deferred(columns)


def _column_named(opened: Any, name: str | int) -> str:
    """Return the name of a column that is given by its name or position.

    Raises
    ------
    MissingDatasetError
        If there is none.
    """
    names = list(opened.kinds)
    if isinstance(name, int) and -len(names) <= name < len(names):
        return names[name]
    if name not in names:
        raise MissingDatasetError(
            f"there is no column {name!r}.", details=[f"columns: {', '.join(names)}"], hint="positions begin at 0."
        )
    return str(name)


@takes_storage_options
def frame_of_set(
    filenames: Filenames, datasets: Any = None, *, storage_options: Mapping[str, Any] | None = None, **options: Any
) -> DataFrame:
    """Return the objects of a set as a DataFrame; a set of one DataFrame is that one.

    Unless `datasets` names them, columns of other lengths than most have, and arrays of several dimensions, are left
    out with one warning; where there are no others, arrays of several dimensions have a column for each number of a
    row.  Variables of netCDF-4 have a row for each element, labelled by its coordinates; the rows of several such files
    follow each other, each file with its own coordinates.  Frames among other columns give theirs, named
    ``frame.column``.
    """
    from akdask.frames.dataframe import DataFrame
    from akdask.io.files import read_objects

    file_format, opened = open_as_stored(filenames, **options)
    known = _FRAMES.get(opened) if datasets is None else None
    if known is not None:
        return known.copy()
    objects = read_objects(opened, datasets, as_stored=True)
    if not objects:
        return DataFrame({})
    if file_format.name == "HDF5" and _has_dimensions(opened):
        from akdask.frames.join import concat
        from akdask.io.netcdf import frame_of_variables

        if len(opened.paths) > 1:
            return concat([frame_of_set([path], datasets, **options) for path in opened.paths])
        read = partial(read_objects, opened, as_stored=True)
        found = frame_of_variables(opened.paths[0], objects, read, are_named=datasets is not None)
        if found is not None:
            return found
    first, *rest = objects.values()
    if isinstance(first, DataFrame) and not rest:
        return first
    if datasets is not None:
        return DataFrame(objects)
    made = DataFrame(with_common_rows(objects))
    if [*made.columns] == [*opened.kinds]:  # Nothing is left out, of which each call tells.
        _FRAMES.put(opened, made.copy())
    return made


def _has_dimensions(opened: Any) -> bool:
    """Whether HDF5 files are of netCDF-4."""
    if opened.is_of_akdask:
        return False
    from akdask.formats.hdf5.metadata import has_dimensions

    return has_dimensions(identify(opened.paths[0]))


def with_common_rows(objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of the number of rows that most of them have, or of the larger of two such numbers."""
    from akdask.frames.dataframe import DataFrame

    found: dict[int, dict[str, Any]] = {}
    told: dict[str, str] = {}
    for name, item in objects.items():
        if isinstance(item, DataFrame):
            found.setdefault(len(item), {}).update({f"{name}.{column}": item[column] for column in item.columns})
            told[name] = _rows(len(item))
        elif getattr(item, "ndim", 1) != 1:
            told[name] = f"shape {item.shape}"
        else:
            found.setdefault(len(item), {})[name] = item
            told[name] = _rows(len(item))
    if not found:
        return _of_matrices(objects)
    nrows = max(found, key=lambda count: (len(found[count]), count))
    odd = {name: text for name, text in told.items() if text != _rows(nrows)}
    if not odd:
        return found[nrows]
    lines = [f"{name!r}: {text}" for name, text in list(odd.items())[:_MOST_NAMED]]
    more = [f"… and {len(odd) - _MOST_NAMED} more"] if len(odd) > _MOST_NAMED else []
    warn(
        f"the frame has the columns of {_rows(nrows)}, and leaves out:\n"
        + "\n".join([*lines, *more, "ak.read gives all of them, and datasets=… those that are named."]),
        RuntimeWarning,
    )
    return found[nrows]


def _of_matrices(objects: Mapping[str, Any]) -> dict[str, Any]:
    """Return a column for each number of the rows of arrays of several dimensions, named ``array.number``.

    Raises
    ------
    UnsupportedError
        If their rows are of too many numbers.
    """
    columns: dict[str, Any] = {}
    for name, item in objects.items():
        shape = item.shape
        width = math.prod(shape[1:])
        if len(columns) + width > _MOST_COLUMNS:
            raise UnsupportedError(
                f"{name!r} has the shape {shape}, too many numbers in a row for the columns of a frame.",
                hint="ak.read gives arrays of several dimensions.",
            )
        for place in np.ndindex(*shape[1:]):
            columns[".".join((name, *map(str, place)))] = item[(slice(None), *place)]
    return with_common_rows(columns) if columns else columns


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def kind_of(source: Filenames) -> str:
    """Return the name of the function that reads files, by what the first of them holds.

    Raises
    ------
    MissingFileError
        If there are no such files.
    FileFormatError
        If the content is of no known kind.
    UnsupportedError
        If it is a database, or a pickle, which can run any program.
    """
    if isinstance(source, str | os.PathLike) and format_of_folder(absolute(source)) is not None:
        return ARKOUDA
    path = expand(source)[0]
    first = first_bytes(path, _FIRST)
    if first.startswith(_REFUSED):
        raise UnsupportedError(
            f"{path!r} is a database or a pickle, which scan does not open.",
            hint="use read_sql, or read_pickle if you trust whoever wrote it, of akdask.pandas.",
        )
    for signature, reader in _SIGNATURES.items():
        if first.startswith(signature):
            return reader
    try:
        found = format_of_files(path).name
    except FileFormatError:
        if first.startswith(_PACKED):
            return _of_extensions(path)
        if first.startswith(_UTF_16):
            return "read_csv"
        if _is_text(first):
            return "read_json" if first.lstrip()[:1] in {b"{", b"["} else "read_csv"
        raise
    if found == "HDF5":
        from akdask.io.pandas_files import is_of_pandas

        return "read_hdf" if is_of_pandas(path) else ARKOUDA
    if found == "Parquet":
        return ARKOUDA if split_locale(path) is not None else "read_parquet"
    return ARKOUDA


def delimiter_of(source: Filenames, skiprows: Any = 0) -> str:
    """Return the delimiter of text files: the commonest candidate in the first line that is not passed over."""
    path = expand(source)[0]
    first = first_bytes(path, _FIRST)
    if first.startswith(_PACKED):
        return "\t" if ".tsv" in path.lower() else ","
    encoding = "utf-16" if first.startswith(_UTF_16) else "utf-8"
    every = first.decode(encoding, errors="replace").splitlines()
    lines = (line for line in (every[skiprows:] if isinstance(skiprows, int) else every) if line.strip())
    return max(_DELIMITERS, key=next(lines, "").count)


def _of_extensions(path: str) -> str:
    """Return the reader of a packed file, whose name says what is inside."""
    name = path.lower()
    if name.endswith((".xlsx", ".xlsm", ".ods")):
        return "read_excel"
    return "read_json" if ".json" in os.path.basename(name) else "read_csv"


def _is_text(first: bytes) -> bool:
    try:
        first.decode()
    except UnicodeDecodeError as error:
        return len(first) == _FIRST and error.start > len(first) - 4
    return bool(first) and b"\0" not in first
