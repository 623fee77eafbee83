"""Read blobs: as lazy columns of akdask, or as exact Arrow tables."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from akdask.arrays.stored_arrays import from_stored
from akdask.cluster import partition_size
from akdask.errors import ArgumentError, FileFormatError, MissingColumnError, warn
from akdask.evo.canonical import canonical_names, table_of
from akdask.evo.decoding import ColumnDecoding, Lookup, missing_values
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import BlobFormatError, ContentError, EvoError, KindError, ShapeError, place_of
from akdask.evo.kinds import TYPES, ArrayKind, Role, kind_of_schema, readable_name, role_named
from akdask.evo.source import BlobColumn, BlobSource
from akdask.formats.parquet.chunks import count_nulls, open_parquet
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.footers import PARQUET_ERRORS, inspect_file
from akdask.frames.dataframe import DataFrame
from akdask.storage.files import absolute, identify
from akdask.storage.objects import VALUES, StoredColumn, StoredObject
from akdask.storage.ranges import range_reader
from akdask.storage.remote import takes_storage_options

Path: TypeAlias = str | os.PathLike[str]
Columns: TypeAlias = Sequence[str | int] | str | int | None
Times: TypeAlias = Literal["auto", "datetime", "microseconds"]

_MOST_MICROSECONDS = (2**63 - 1) // 1000


@takes_storage_options
def read_blob(
    path_or_url: Path,
    description: ArrayDescription | Mapping[str, Any] | None = None,
    *,
    columns: Columns = None,
    rows: slice | None = None,
    role: str | None = None,
    nan_description: Any = None,
    lookup: Any = None,
    times: Times = "auto",
    storage_options: Mapping[str, Any] | None = None,
) -> DataFrame:
    """Return the rows of a blob as a lazy DataFrame.  Reads the footer only, and of `lookup` all.

    There is a partition for each run of row groups of about 1 Mi rows.  Columns are found by their positions, and named
    as their kind of array has it: x, y and z of three floats, and so on.

    Numbers become float64, int64, uint64 or bool.  NaN, null and the values of `nan_description` are missing: numbers
    become floats with NaN, times have NaT, text has missing text.  Integers beside missing values that do not fit into
    a float are an error on reading; `read_arrow` reads them.

    Parameters
    ----------
    path_or_url : str or path
        The file.
    description : ArrayDescription or mapping, optional
        Expected description of the blob: length, width and types are compared with the footer.
    columns : list of str or int, optional
        Columns to read: names, as above or in the file, or positions; all by default.
    rows : slice, optional
        Rows to read; other row groups are skipped.
    role : str, optional
        Role of the array. With ``geometry``, ``index`` and ``mask`` missing values are an error on reading. With
        ``color`` int32 is read as uint32, and with ``index`` int64 as uint64, with a warning.
    nan_description : mapping or list, optional
        ``{"values": [...]}``: values for missing.
    lookup : mapping, DataFrame, table or path, optional
        Lookup table of codes, keys first; integer columns then become text, missing where a code has no key.
    times : {"auto", "datetime", "microseconds"}, default "auto"
        Whether times become a Datetime of nanoseconds, or int64 of microseconds since 1970.  By default microseconds if
        the footer has times before 1677 or after 2262.
    storage_options : mapping of str to value, optional
        Options with which fsspec opens URLs, such as keys or ``anon=True``.

    Returns
    -------
    DataFrame
        Lazy.

    Raises
    ------
    MissingFileError
        If there is no such file.
    BlobFormatError
        If it is no Parquet file, or damaged.
    KindError
        If its columns make no kind of array, or not one for the role.
    ShapeError
        If its number of rows or columns differs from the description.
    MissingColumnError
        If there is no column of a name or position.

    Warns
    -----
    UserWarning
        If columns are read as another type than stored.
    """
    blob = _Blob(path_or_url, description, None if role is None else role_named(role))
    if times not in ("auto", "datetime", "microseconds"):
        raise ArgumentError(f"times is 'auto', 'datetime' or 'microseconds', not {times!r:.100}.")
    start, stop, step = _row_range(rows, blob.file.nrows)
    found = lookup_of(lookup)
    missing = missing_values(nan_description)
    chosen = blob.chosen(columns)
    decoded = {name: blob.column(position, missing, found, times) for name, position in chosen.items()}
    source = BlobSource(blob.file, decoded, start, stop, partition_size())
    objects = {
        name: StoredObject(name, column.decoding.kind, {VALUES: StoredColumn(source, name)})
        for name, column in decoded.items()
    }
    frame = DataFrame({name: from_stored(stored) for name, stored in objects.items()})
    return frame if step == 1 else frame[::step]


@takes_storage_options
def read_arrow(
    path_or_url: Path,
    description: ArrayDescription | Mapping[str, Any] | None = None,
    *,
    columns: Columns = None,
    rows: slice | None = None,
    storage_options: Mapping[str, Any] | None = None,
) -> pa.Table:
    """Return rows of a blob exactly as stored, nulls included, as an Arrow table; computes.

    Parameters
    ----------
    path_or_url, description, columns, rows, storage_options
        As in `read_blob`.

    Returns
    -------
    pyarrow.Table
        Columns are named as in `read_blob`.

    Raises
    ------
    EvoError
        As `read_blob` does, and if data is damaged.
    """
    blob = _Blob(path_or_url, description, None)
    start, stop, step = _row_range(rows, blob.file.nrows)
    chosen = blob.chosen(columns)
    file = blob.file
    starts = np.concatenate([[0], np.cumsum(file.rows)])
    groups = [number for number in range(len(file.rows)) if starts[number] < stop and starts[number + 1] > start]
    for position in chosen.values():
        _checked_chunks(file, position)
    with range_reader(file.file) as ranges:
        ranges.expect([[(0, file.file.size)]], goes_back=True)
        try:
            opened = open_parquet(ranges)
            wanted = [file.schema.columns[position].leaf for position in chosen.values()]
            order = sorted(range(len(wanted)), key=wanted.__getitem__)
            parts = opened.reader.read_row_groups(groups, column_indices=sorted(wanted), use_threads=True)
        except PARQUET_ERRORS as error:
            raise _unreadable(file.file.path, error) from error
    names = [list(chosen)[number] for number in order]
    table = parts.rename_columns(names).select(list(chosen)).replace_schema_metadata()
    table = table.cast(pa.schema([pa.field(name, TYPES[blob.types[position]]) for name, position in chosen.items()]))
    first = int(starts[groups[0]]) if groups else start
    table = table.slice(start - first, max(stop - start, 0))
    return table if step == 1 else table.take(pa.array(range(0, len(table), step), pa.int64()))


class _Blob:
    """A blob whose footer has been read and compared with its description."""

    def __init__(self, path: Path, description: ArrayDescription | Mapping[str, Any] | None, role: Role | None) -> None:
        self.file = open_footer(absolute(path))
        self.role = role
        self.path = self.file.file.path
        self.kind = _kind_of(self.file)
        self.types = [str(readable_name(column.stored)) for column in self.file.schema.columns]
        self.names = canonical_names(self.kind.name, len(self.types))
        if description is not None:
            _compare(self.file, self.types, ArrayDescription.from_json(description))
        self._becomes = _tolerated(self.path, self.file.schema.columns, self.types, role)

    def chosen(self, columns: Columns) -> dict[str, int]:
        """Return the positions of the requested columns, by their names."""
        if columns is None:
            return {name: position for position, name in enumerate(self.names)}
        wanted = [columns] if isinstance(columns, str | int) else list(columns)
        found = [self._position(column) for column in wanted]
        if not found or len(set(found)) < len(found):
            raise ArgumentError("columns to read are one or more, each once.", details=[f"given: {columns!r:.200}"])
        return {self.names[position]: position for position in found}

    def _position(self, column: Any) -> int:
        width = len(self.names)
        if isinstance(column, int | np.integer) and not isinstance(column, bool):
            if -width <= column < width:
                return int(column) % width
        elif column in self.names:
            return self.names.index(column)
        else:
            stored = [item.name for item in self.file.schema.columns]
            if stored.count(column) == 1:
                return stored.index(column)
        raise MissingColumnError(
            f"blob {self.path!r} has no column {column!r:.100}.", details=[f"columns: {', '.join(self.names)}"]
        )

    def column(self, position: int, missing: tuple[Any, ...], lookup: Lookup | None, times: Times) -> BlobColumn:
        """Return how one column is read."""
        stored, name = self.file.schema.columns[position], self.types[position]
        chunks = _checked_chunks(self.file, position)
        is_integer = name in ("int32", "int64", "uint8", "uint32", "uint64")
        is_complete = self.role is not None and not self.role.has_nulls and self.role.name != "lookup"
        nulls = stored.is_optional and not is_complete and self._may_be_null(stored, chunks, needed=name != "float64")
        return BlobColumn(
            stored,
            ColumnDecoding(
                name,
                nulls,
                missing if name in ("float64", "timestamp") or is_integer else (),
                lookup if is_integer else None,
                self._becomes[position],
                name == "timestamp" and (times == "microseconds" or (times == "auto" and _is_beyond(stored, chunks))),
                is_complete,
            ),
        )

    def _may_be_null(self, stored: ParquetColumn, chunks: Any, *, needed: bool) -> bool:
        counts = chunks["nulls"][self.file.rows > 0]
        if (counts > 0).any():
            return True
        if not (counts < 0).any() or not needed:
            return False
        unknown = tuple(np.flatnonzero((chunks["nulls"] < 0) & (self.file.rows > 0)).tolist())
        try:
            return count_nulls(self.file.file, stored, unknown) > 0
        except FileFormatError as error:
            raise _unreadable(self.path, error) from error


def open_footer(path: str) -> ParquetFileDescription:
    """Return the content of a blob's footer.

    Raises
    ------
    MissingFileError
        If there is no such file.
    BlobFormatError
        If it is no Parquet file, or damaged.
    """
    file = identify(path)
    try:
        return inspect_file(file)
    except FileFormatError as error:
        raise BlobFormatError(error.message, details=error.details, hint=error.hint) from error


def _kind_of(file: ParquetFileDescription) -> ArrayKind:
    columns = file.schema.columns
    nested = [f"column {number} ({column.name!r})" for number, column in enumerate(columns) if not column.is_flat]
    if nested:
        raise KindError(f"blob {file.file.path!r} has nested columns.", details=nested, hint="arrays are flat.")
    fields = [pa.field(column.name, TYPES.get(readable_name(column.stored) or "", column.stored)) for column in columns]
    return kind_of_schema(pa.schema(fields), blob=file.file.path)


def _compare(file: ParquetFileDescription, types: Sequence[str], description: ArrayDescription) -> None:
    problems = []
    if file.nrows != description.length:
        problems.append(f"it has {file.nrows:,} rows, its description says {description.length:,}")
    if len(types) != len(description.types):
        problems.append(f"it has {len(types)} columns, its description says {len(description.types)}")
    elif tuple(types) != description.types:
        problems.append(f"its columns are {'/'.join(types)}, its description says {'/'.join(description.types)}")
    if problems:
        raise ShapeError(
            f"blob {file.file.path!r} is not what its description says.",
            details=problems,
            hint="fetch the blob that the description names, or correct the description.",
        )


def _tolerated(
    path: str, columns: Sequence[ParquetColumn], types: Sequence[str], role: Role | None
) -> list[str | None]:
    """Return for each column the type that it is read as, None for its own."""
    if role is None or role.types is None:
        return [None] * len(types)
    tolerated = role.tolerated or {}
    bad = [f"{c.name!r}: {t}" for c, t in zip(columns, types, strict=True) if t not in {*role.types, *tolerated}]
    if bad:
        raise KindError(
            f"blob {path!r} is no array of role {role.name!r}, whose columns are {' or '.join(role.types)}.",
            details=bad,
            hint="name another role.",
        )
    found = [tolerated.get(name) if name not in role.types else None for name in types]
    for column, stored, becomes in zip(columns, types, found, strict=True):
        if becomes is not None:
            where = place_of(blob=path, column=column.name)
            warn(f"{where}: {stored} is taken for {becomes}, as which {role.name} arrays are stored.", UserWarning)
    return found


def _checked_chunks(file: ParquetFileDescription, position: int) -> Any:
    try:
        return file.chunks_of(file.schema.columns[position])
    except FileFormatError as error:
        raise BlobFormatError(error.message, details=error.details, hint=error.hint) from error


def _is_beyond(stored: ParquetColumn, chunks: Any) -> bool:
    """Whether statistics show times outside the range of nanoseconds."""
    known = chunks[chunks["bounded"]]
    low, high = (np.ascontiguousarray(known[side]).view(np.int64) for side in ("minimum", "maximum"))
    return bool((low < -_MOST_MICROSECONDS).any() or (high > _MOST_MICROSECONDS).any())


def lookup_of(lookup: Any) -> Lookup | None:
    """Return the lookup table given in any form, None for none; reads it if it is a path.

    Raises
    ------
    ArgumentError
        If it is no such table.
    ContentError
        If keys are null or repeat.
    EvoError
        If it is a blob that cannot be read.
    """
    if lookup is None or isinstance(lookup, Lookup):
        return lookup
    if isinstance(lookup, str | os.PathLike):
        return Lookup.of(read_arrow(lookup))
    if isinstance(lookup, Mapping) and not {"key", "value"} <= lookup.keys():
        keys = [int(key) for key in lookup]
        return Lookup.of(pa.table({"key": pa.array(keys, pa.int64()), "value": pa.array(lookup.values(), pa.string())}))
    if isinstance(lookup, DataFrame):
        lookup = lookup.to_arrow()
    return Lookup.of(table_of(lookup))


def _row_range(rows: slice | None, nrows: int) -> tuple[int, int, int]:
    if rows is None:
        return 0, nrows, 1
    if not isinstance(rows, slice):
        raise ArgumentError(f"rows is a slice, such as slice(0, 1000), not {rows!r:.100}.")
    try:
        start, stop, step = rows.indices(nrows)
    except TypeError as error:
        raise ArgumentError(f"rows is a slice of whole numbers, not {rows!r:.100}.") from error
    if step < 1:
        raise ArgumentError(f"rows is a slice of ascending rows, not {rows!r:.100}.", hint="reverse what is read.")
    return start, max(start, stop), step


def _unreadable(path: str, error: Exception) -> EvoError:
    if isinstance(error, ContentError):
        return error
    return BlobFormatError(
        f"blob {path!r} cannot be read.",
        details=[str(error)],
        hint="the blob is damaged; fetch or write it again, and see akdask.evo.validate.",
    )
