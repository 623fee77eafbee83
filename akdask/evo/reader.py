"""Read blobs: as lazy columns of akdask, or as exact Arrow tables.

Rows of a blob are a source of plans, with a partition for each run of row groups.  Values become columns: missing
values, text of codes, and units of times.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.stored_arrays import from_stored
from akdask.cluster import partition_size
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NOT_A_TIME, NULLABLE_STR, UINT64, ColumnType
from akdask.columns.strings import from_nulls
from akdask.deferred import pc
from akdask.engine.values import token
from akdask.errors import ArgumentError, FileFormatError, MissingColumnError, warn
from akdask.evo.canonical import canonical_names, table_of
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import BlobFormatError, ContentError, EvoError, KindError, ShapeError, place_of
from akdask.evo.kinds import AS_DESCRIBED, TYPES, ArrayKind, Role, kind_of_schema, readable_name, role_named
from akdask.formats.parquet.chunks import ArrowChunkReader, count_nulls, open_parquet
from akdask.formats.parquet.columns import ParquetColumn, ParquetFileDescription
from akdask.formats.parquet.footers import PARQUET_ERRORS, inspect_file
from akdask.formats.parquet.reader import RowGroup, RowGroupPart, RowGroupPartReader, partitions_of
from akdask.formats.parquet.statistics import bounds_of, of_stretches, unbounded, without_values
from akdask.frames.dataframe import DataFrame
from akdask.records import record
from akdask.storage.files import absolute, identify, takes_storage_options
from akdask.storage.objects import VALUES, ZONE, ObjType, StoredColumn, StoredObject
from akdask.storage.ranges import range_reader
from akdask.storage.source import Bounds, RowBounds, RowRanges
from akdask.typing import Column, NumberArray

_TO_NANOSECONDS = 1000
_NUMBERS = {"int32": INT64, "int64": INT64, "uint8": UINT64, "uint32": UINT64, "uint64": UINT64, "bool": BOOL}


def missing_values(nan_description: Any) -> tuple[Any, ...]:
    """Return the values for missing, from ``{"values": [...]}`` or a list.

    Raises
    ------
    ArgumentError
        If it is neither.

    Examples
    --------
    >>> missing_values({"values": [-999, None]}), missing_values(None)
    ((-999,), ())
    """
    if nan_description is None:
        return ()
    values = nan_description.get("values") if isinstance(nan_description, Mapping) else nan_description
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise ArgumentError(
            "values that stand for missing come as {'values': […]} or as a list.",
            details=[f"given: {nan_description!r:.100}"],
        )
    return tuple(value for value in list(values) if value is not None and value == value)  # noqa: PLR0124 - NaN


@record
class Lookup:
    """Keys of a lookup table, and the text of each.

    Parameters
    ----------
    keys : pyarrow.Array of int64
        The keys, each once.
    values : pyarrow.Array of large_string
        Their text.
    """

    keys: Any
    values: Any

    @classmethod
    def of(cls, table: pa.Table) -> Lookup:
        """Return the lookup table in two columns, keys first.

        Raises
        ------
        ContentError
            If keys are null or repeat.
        ArgumentError
            If there are other columns.
        """
        types = table.schema.types
        if len(types) != 2 or not pa.types.is_integer(types[0]) or not _is_text(types[1]):
            raise ArgumentError(
                "a lookup table has a column of whole numbers and one of text.",
                details=[f"given: {', '.join(map(str, types))}"],
            )
        keys = table.column(0).combine_chunks().cast(pa.int64())
        if keys.null_count or pc.count_distinct(keys).as_py() < len(keys):
            raise ContentError(
                "keys of a lookup table are null or come more than once.", hint="give each value one key."
            )
        return cls(keys, table.column(1).combine_chunks().cast(pa.large_string()))

    def decode(self, codes: Any) -> Any:
        """Return the text of codes, null for codes that are null or no keys."""
        positions = pc.index_in(codes.cast(pa.int64()), self.keys)
        return self.values.take(positions)

    @cached_property
    def labels(self) -> Any:
        """The texts, each once, as the categories of a Categorical; the label of missing values comes after them."""
        return self.values.unique().drop_null()

    @cached_property
    def na_value(self) -> str:
        """The label of missing values, which is none of the texts."""
        known, found = set(self.labels.to_pylist()), DEFAULT_NA
        while found in known:
            found += "_"
        return found

    def positions(self, codes: Any) -> Any:
        """Return the positions of codes among the labels, for missing ones that after the last."""
        return (
            pc.index_in(self.decode(codes), self.labels, skip_nulls=True).cast(pa.int64()).fill_null(len(self.labels))
        )

    def categorical(self, positions: Any) -> Categorical:
        """Return the Categorical of lazy positions."""
        return Categorical.from_codes(positions, [*self.labels.to_pylist(), self.na_value], na_value=self.na_value)


def _is_text(arrow: Any) -> bool:
    return bool(pa.types.is_string(arrow) or pa.types.is_large_string(arrow))


@record
class ColumnDecoding:
    """Rule for reading one stored column.

    Parameters
    ----------
    stored : str
        Name of its type in the blob.
    may_be_null : bool
        Whether the footer leaves room for nulls.
    missing : tuple, optional
        Values for missing.
    lookup : Lookup, optional
        The lookup table of codes.
    becomes : str, optional
        Name of the type as which the bits of integers are read.
    as_microseconds : bool, default False
        Whether times stay microseconds, as integers.
    is_complete : bool, default False
        Whether nulls and NaN are errors.
    is_categorical : bool, default False
        Whether codes become positions among the labels of the lookup table.
    """

    stored: str
    may_be_null: bool
    missing: tuple[Any, ...] = ()
    lookup: Lookup | None = None
    becomes: str | None = None
    as_microseconds: bool = False
    is_complete: bool = False
    is_categorical: bool = False

    @cached_property
    def dtype(self) -> ColumnType:
        """The type of the column that is read."""
        if self.is_categorical:
            return INT64
        if self.lookup is not None or self.stored == "string":
            return NULLABLE_STR
        if self.stored == "timestamp":
            return INT64
        if self.stored == "float64" or self._has_missing:
            return FLOAT64
        return _NUMBERS[self.becomes or self.stored]

    @property
    def is_plain(self) -> bool:
        """Whether values are read as stored, without any replacement."""
        return self.lookup is None and not self.missing and self.becomes is None and not self.as_microseconds

    @property
    def _has_missing(self) -> bool:
        return not self.is_complete and (self.may_be_null or bool(self.missing))

    @property
    def kind(self) -> ObjType:
        """The kind of object of the column."""
        if self.dtype == NULLABLE_STR:
            return ObjType.STRINGS
        return ObjType.DATETIME if self.stored == "timestamp" and not self.as_microseconds else ObjType.PDARRAY

    def lazy(self, column: StoredColumn) -> Any:
        """Return the lazy array of the column."""
        kind = self.kind
        params = {ZONE: "UTC"} if kind == ObjType.DATETIME else {}
        found = from_stored(StoredObject(column.column, kind, {VALUES: column}, params=params))
        return self.lookup.categorical(found) if self.is_categorical and self.lookup is not None else found

    def __call__(self, array: Any) -> Column:
        """Return rows, given as an Arrow array.

        Raises
        ------
        ContentError
            If null or NaN occurs where missing values are forbidden, if an integer beside missing values does not fit
            into a float, or if a time does not fit into 64 bits of nanoseconds.
        """
        if self.is_complete and array.null_count:
            raise ContentError(f"{array.null_count:,} values are null, which the role of the array forbids.")
        if self.lookup is not None:
            codes = self._without(array, self.missing)
            if self.is_categorical:
                found: NumberArray = self.lookup.positions(codes).to_numpy(zero_copy_only=False)
                return found
            return from_nulls(self.lookup.decode(codes))
        match self.stored:
            case "string":
                if pa.types.is_dictionary(array.type):
                    array = array.dictionary_decode()
                # Only bytes are validated, as UTF-8.
                return from_nulls(array.cast(pa.large_binary()).cast(pa.large_string()))
            case "timestamp":
                return self._times(array)
            case "float64":
                return self._floats(array)
        return self._integers(array)

    def _floats(self, array: Any) -> NumberArray:
        found: NumberArray = array.to_numpy(zero_copy_only=False)
        if self.missing:
            found = np.where(np.isin(found, np.array(self.missing, np.float64)), np.nan, found)
        if self.is_complete and np.isnan(found).any():
            raise ContentError("values are NaN, which the role of the array forbids.")
        return found

    def _integers(self, array: Any) -> NumberArray:
        if array.null_count and not self._has_missing:
            raise ContentError("values are null, though statistics say that none are; the file is damaged.")
        if self.becomes == "uint32":
            array = pa.Array.from_buffers(pa.uint32(), len(array), array.buffers(), array.null_count, array.offset)
        elif self.becomes == "uint64":
            array = _cast(array, pa.uint64(), "indices are not below 0")
        if not self._has_missing:
            found: NumberArray = array.to_numpy(zero_copy_only=False)
            return found.astype(self.dtype.numpy, copy=False)
        floats = _cast(self._without(array, self.missing), pa.float64(), "missing ones make whole numbers floats")
        return np.asarray(floats.fill_null(np.nan))

    def _times(self, array: Any) -> NumberArray:
        counts = self._without(array.cast(pa.int64()), tuple(map(microseconds_of, self.missing)))
        try:
            if not self.as_microseconds:
                counts = pc.multiply_checked(counts, pa.scalar(_TO_NANOSECONDS, pa.int64()))
        except pa.ArrowException:
            raise ContentError(
                "times are outside of the years 1677 to 2262, which nanoseconds reach.",
                hint="read them with times='microseconds'.",
            ) from None
        found: NumberArray = counts.fill_null(NOT_A_TIME).to_numpy(zero_copy_only=False)
        return found

    @staticmethod
    def _without(array: Any, values: Sequence[Any]) -> Any:
        """Return an array with nulls in place of some integers."""
        numbers = [int(value) for value in values if _fits(value, array.type)]
        if not numbers:
            return array
        is_missing = pc.is_in(array, pa.array(numbers, array.type))
        return pc.if_else(is_missing, pa.scalar(None, array.type), array)


def _fits(value: Any, arrow: Any) -> bool:
    """Whether a value is an integer of a type."""
    try:
        pa.scalar(int(value), arrow)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return bool(int(value) == value)


def _cast(array: Any, arrow: Any, why: str) -> Any:
    try:
        if pa.types.is_boolean(array.type):
            array = array.cast(pa.uint8())
        return array.cast(arrow)
    except pa.ArrowException as error:
        raise ContentError(
            f"values cannot be read as {arrow}: {why}.",
            details=[str(error)],
            hint="read them with akdask.evo.read_arrow.",
        ) from error


def microseconds_of(value: Any) -> Any:
    """Return a time for missing values in microseconds; numbers are microseconds already.

    Examples
    --------
    >>> microseconds_of("1900-01-01T00:00:00Z"), microseconds_of(7)
    (-2208988800000000, 7)
    """
    if not isinstance(value, str):
        return value
    try:
        return pa.scalar(datetime.fromisoformat(value), pa.timestamp("us", "UTC")).value
    except (ValueError, pa.ArrowException):
        raise ArgumentError(f"{value!r:.100} is no time.", hint="write it as 1900-01-01T00:00:00Z.") from None


@record
class BlobColumn:
    """One column of a blob.

    Parameters
    ----------
    stored : ParquetColumn
        The column in the file.
    decoding : ColumnDecoding
        How it is read.
    """

    stored: ParquetColumn
    decoding: ColumnDecoding

    @property
    def as_read(self) -> ParquetColumn:
        """The column in the file, with times in the unit in which they are read."""
        return self.stored if self.decoding.as_microseconds else self.stored.in_unit("ns")


@record
class BlobPart(RowGroupPart):
    """One partition of a blob; implements `akdask.storage.source.Part`.

    Parameters
    ----------
    columns : mapping of str to BlobColumn
        Only the columns that will be read.
    chunks : mapping of str to tuple of (int, int)
        Of each column, where its bytes begin and end in each row group.
    statistics : mapping of str to ndarray, dtype `CHUNK`
        Bounds in the file of the row groups, for columns that are read as stored.
    """

    columns: Mapping[str, BlobColumn]
    chunks: Mapping[str, tuple[tuple[int, int], ...]]
    statistics: Mapping[str, npt.NDArray[np.void]]

    def open(self) -> BlobPartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return BlobPartReader(self)


class BlobPartReader(RowGroupPartReader[BlobPart]):
    """Reads row ranges of one partition of a blob.

    Damage is a `BlobFormatError`, and values that the role of the array forbids are a `ContentError`.

    Parameters
    ----------
    part : BlobPart
        The partition.
    """

    def _chunk_ranges(self, column: str) -> Iterator[tuple[int, int]]:
        yield from self._part.chunks[column]

    def _dtype(self, column: str) -> ColumnType:
        return self._part.columns[column].decoding.dtype

    def row_bounds(self, column: str, within: RowRanges) -> RowBounds | None:
        """Return bounds from statistics of each row group; see `akdask.storage.source.PartReader`."""
        part = self._part
        known = part.statistics.get(column)
        # A single row group was considered before the task existed, and within row groups nothing is known.
        if known is None or len(part.groups) < 2 or len(within):
            return None
        dtype = part.columns[column].decoding.dtype
        bounds = bounds_of(part.columns[column].as_read, dtype, known)
        starts = np.array([group.first - part.start for group in part.groups], np.int64)
        return None if bounds is None else RowBounds(np.maximum(starts, 0), without_values(bounds, dtype, known))

    def _read(self, column: str, number: int, start: int, stop: int, out: NumberArray | None) -> Column:
        group = self._part.groups[number].number
        try:
            return super()._read(column, number, start, stop, out)
        except ContentError as error:
            where = place_of(blob=self._part.file.path, column=column, row_group=group)
            raise ContentError(error.message, details=[where, *error.details], hint=error.hint) from error
        except FileFormatError as error:
            raise BlobFormatError(
                f"{place_of(blob=self._part.file.path, column=column, row_group=group)} cannot be read.",
                details=[error.message, *error.details],
                hint="the blob is damaged; fetch or write it again, and see akdask.evo.validate.",
            ) from error

    def _open_chunk(self, column: str, number: int) -> ArrowChunkReader:
        wanted = self._part.columns[column]
        group = self._part.groups[number].number
        return ArrowChunkReader(self._arrow_file(), group, wanted.stored, wanted.decoding, self._part.file.path)


class BlobSource:
    """The rows of a blob; implements `akdask.storage.source.Source`.

    Parameters
    ----------
    file : ParquetFileDescription
        The file.
    columns : mapping of str to BlobColumn
        The columns that can be read.
    start, stop : int
        Rows of the file.
    limit : int
        Bytes of a column of a partition.
    """

    def __init__(
        self, file: ParquetFileDescription, columns: Mapping[str, BlobColumn], start: int, stop: int, limit: int
    ) -> None:
        self._file, self._found = file, dict(columns)
        self._parts = tuple(_parts(file, start, stop, limit))

    @cached_property
    def token(self) -> str:
        """Changes whenever the file, the rows or how columns are read change."""
        how = [(name, column.stored.leaf, *_identity(column.decoding)) for name, column in self._found.items()]
        rows = [(start, stop) for start, stop, _ in self._parts]
        text = repr((self._file.file, rows, how))
        return blake2b(text.encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def label(self) -> str:
        """How a user names it, for plans and messages."""
        return f"read_blob({self._file.file.path!r})"

    @cached_property
    def columns(self) -> Mapping[str, ColumnType]:
        """The columns with their types."""
        return {name: column.decoding.dtype for name, column in self._found.items()}

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Rows in each partition."""
        return tuple(stop - start for start, stop, _ in self._parts)

    @property
    def paths(self) -> Sequence[str]:
        """The file of each partition."""
        return [self._file.file.path] * len(self._parts)

    def part(self, index: int, columns: Sequence[str]) -> BlobPart:
        """Return one partition, reduced to the given columns."""
        start, stop, groups = self._parts[index]
        found = {name: self._found[name] for name in columns}
        chunks = {name: tuple(self._ranges(column.stored, groups)) for name, column in found.items()}
        rows = slice(groups[0].number, groups[-1].number + 1) if groups else slice(0)
        statistics = {
            name: self._file.chunks_of(column.stored)[rows]
            for name, column in found.items()
            if column.decoding.is_plain
        }
        return BlobPart(self._file.file, start, stop, groups, found, chunks, statistics)

    def _ranges(self, stored: ParquetColumn, groups: Sequence[RowGroup]) -> Iterator[tuple[int, int]]:
        chunks = self._file.chunks_of(stored)
        for group in groups:
            offset, size = int(chunks[group.number]["offset"]), int(chunks[group.number]["size"])
            yield offset, offset + size

    def bounds(self, column: str) -> Bounds | None:
        """Return bounds from statistics of each partition, None for values that are not read as stored."""
        stored, decoding = self._found[column].stored, self._found[column].decoding
        everything = unbounded(decoding.dtype, len(self._parts))
        if everything is None or not decoding.is_plain:
            return None
        of_groups = bounds_of(self._found[column].as_read, decoding.dtype, self._file.chunks_of(stored))
        if of_groups is None:
            return None
        stretches = [(groups[0].number, groups[-1].number + 1) if groups else (0, 0) for _, _, groups in self._parts]
        return of_stretches(of_groups, everything, stretches)


def _identity(decoding: ColumnDecoding) -> tuple[Any, ...]:
    lookup = decoding.lookup
    shown = None if lookup is None else token(lookup.keys.to_pylist(), lookup.values.to_pylist())
    how = (decoding.may_be_null, decoding.missing, decoding.becomes, decoding.as_microseconds, decoding.is_complete)
    return (decoding.stored, decoding.is_categorical, *how, shown)


def _parts(
    file: ParquetFileDescription, start: int, stop: int, limit: int
) -> Iterator[tuple[int, int, tuple[RowGroup, ...]]]:
    """Yield the rows of each partition, with their row groups; an empty one if there are no rows."""
    partitions = partitions_of([file], limit)
    some = False
    for index, (first, last) in enumerate(zip(partitions.starts.tolist(), partitions.stops.tolist(), strict=True)):
        begin, end = max(first, start), min(last, stop)
        if begin < end:
            groups = partitions.groups_of(index)
            yield begin, end, tuple(g for g in groups if g.first < end and g.first + g.nrows > begin)
            some = True
    if not some:
        yield start, start, ()


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
    categoricals: bool = False,
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
        Whether times become a Datetime of nanoseconds in UTC, or int64 of microseconds since 1970.  By default
        microseconds if the footer has times before 1677 or after 2262.
    categoricals : bool, default False
        Whether codes become a Categorical of all texts of the lookup table, rather than text.

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
    decoded = {
        name: blob.column(position, missing, found, times, categoricals=categoricals)
        for name, position in chosen.items()
    }
    source = BlobSource(blob.file, decoded, start, stop, partition_size())
    frame = DataFrame({name: column.decoding.lazy(StoredColumn(source, name)) for name, column in decoded.items()})
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
    for number, position in enumerate(chosen.values()):
        if (becomes := blob.becomes[position]) is not None:
            table = table.set_column(number, table.column_names[number], _same_bits(table.column(number), becomes))
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
        described: tuple[str, ...] = ()
        if description is not None:
            found = ArrayDescription.from_json(description)
            _compare(self.file, self.types, found)
            described = found.types
        self.becomes = _tolerated(self.path, self.file.schema.columns, self.types, role, described)

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

    def column(
        self, position: int, missing: tuple[Any, ...], lookup: Lookup | None, times: Times, *, categoricals: bool
    ) -> BlobColumn:
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
                self.becomes[position],
                name == "timestamp" and (times == "microseconds" or (times == "auto" and _is_beyond(chunks))),
                is_complete,
                categoricals and is_integer and lookup is not None,
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
    elif not all(
        stored in (wanted, AS_DESCRIBED.get(wanted)) for stored, wanted in zip(types, description.types, strict=True)
    ):
        problems.append(f"its columns are {'/'.join(types)}, its description says {'/'.join(description.types)}")
    if problems:
        raise ShapeError(
            f"blob {file.file.path!r} is not what its description says.",
            details=problems,
            hint="fetch the blob that the description names, or correct the description.",
        )


def _tolerated(
    path: str, columns: Sequence[ParquetColumn], types: Sequence[str], role: Role | None, described: Sequence[str]
) -> list[str | None]:
    """Return for each column the type that it is read as, None for its own."""
    found: list[str | None] = [
        wanted if wanted != stored else None for stored, wanted in zip(types, described or types, strict=True)
    ]
    for column, stored, becomes in zip(columns, types, found, strict=True):
        if becomes is not None:
            where = place_of(blob=path, column=column.name)
            warn(f"{where}: {stored} is taken for {becomes}, as it is described.", UserWarning)
    if any(found) or role is None or role.types is None:
        return found
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


def _same_bits(column: Any, name: str) -> Any:
    """Return integers as those of another sign."""
    return column.cast(TYPES[name], safe=False)


def _checked_chunks(file: ParquetFileDescription, position: int) -> Any:
    try:
        return file.chunks_of(file.schema.columns[position])
    except FileFormatError as error:
        raise BlobFormatError(error.message, details=error.details, hint=error.hint) from error


def _is_beyond(chunks: Any) -> bool:
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
        if "keys_data_type" in lookup:
            ArrayDescription.from_json(lookup)
        try:
            keys, values = pa.array([int(key) for key in lookup], pa.int64()), pa.array(lookup.values(), pa.string())
        except (TypeError, ValueError, OverflowError) as error:
            raise ArgumentError(
                "a lookup table maps integers to text.",
                details=[str(error)],
                hint="give a table of keys and values, a dict such as {0: 'clay'}, or its description.",
            ) from error
        return Lookup.of(pa.table({"key": keys, "value": values}))
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
