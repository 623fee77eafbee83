"""Column chunks read through Arrow: the general way, for columns of any type and encoding.

Pages have no fixed number of rows, so a chunk is decoded from its first row on, and rows before the wanted ones are
dropped.  Memory is bounded: some thousand rows at a time, whatever the size of the row group.  `decode` turns Arrow's
arrays into the columns that akdask computes with, and decides the values of nulls.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal
from uuid import UUID

import numpy as np
import pyarrow as pa

from akdask.caches import cached_results
from akdask.columns.arrow import are_null, arrow_numbers, lists_of, numpy_numbers
from akdask.columns.dtypes import FLOAT64, INT64, ColumnType
from akdask.columns.exact import widen_into
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import from_nulls
from akdask.columns.table import concat_rows, slice_rows, spread
from akdask.deferred import pc, pq
from akdask.errors import AkdaskError, FileFormatError, UnsupportedError
from akdask.formats import tuning
from akdask.formats.parquet.columns import DAY, EXACT_POWER, NAT, UNITS, ParquetColumn
from akdask.formats.parquet.footers import PARQUET_ERRORS, metadata_of
from akdask.formats.parquet.page_lists import no_text
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader, range_reader
from akdask.typing import Column, NumberArray


class FileBytes:
    """A file as pyarrow reads it: bytes from a position on.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    """

    closed = False

    def __init__(self, ranges: RangeReader) -> None:
        self._ranges = ranges
        self._position = 0

    def read(self, size: int) -> bytes:
        """Return the next bytes, as many as there are up to a number."""
        found = np.empty(min(size, max(self._ranges.file.size - self._position, 0)), np.uint8)
        self._ranges.read_into(found, self._position, "pages")
        self._position += len(found)
        return found.tobytes()

    def seek(self, offset: int, whence: int = 0) -> int:
        """Go to a position."""
        self._position = offset + (0, self._position, self._ranges.file.size)[whence]
        return self._position

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def writable(self) -> bool:
        """Whether it can be written to."""
        return False

    def seekable(self) -> bool:
        """Whether positions can be gone to."""
        return True

    def close(self) -> None:
        """Leave the file to who opened it."""

    def flush(self) -> None:
        """Do nothing, as the file is read-only."""


def open_parquet(ranges: RangeReader, int96_unit: Literal["s", "us", "ns"] = "us") -> pq.ParquetFile:
    """Return an open file as pyarrow reads it, which compares pages with their checksums where they have such.

    Times of 96 bits come in `int96_unit`: nanoseconds wrap around silently where they do not reach, so they are only
    for `exact_times`.
    """
    source = pa.PythonFile(FileBytes(ranges), mode="r")
    return pq.ParquetFile(
        source,
        metadata=metadata_of(ranges.file),
        pre_buffer=False,
        buffer_size=tuning.PARQUET_WINDOW,
        coerce_int96_timestamp_unit=int96_unit,
        page_checksum_verification=True,
    )


def exact_times(nanoseconds: pa.Array, seconds: pa.Array) -> pa.Array:
    """Return times of 96 bits in nanoseconds, given the same times in both units.

    Raises
    ------
    pyarrow.ArrowInvalid
        If nanoseconds of 64 bits do not reach one of them.
    """
    of_nanoseconds, of_seconds = (
        pc.fill_null(times.cast(pa.int64()), 0).to_numpy(zero_copy_only=False) for times in (nanoseconds, seconds)
    )
    wrapped = of_nanoseconds // 10**9 != of_seconds
    if wrapped.any():
        first = np.datetime64(int(of_seconds[wrapped][0]), "s")
        raise pa.ArrowInvalid(f"the time {first} {_BEYOND}, as nanoseconds of 64 bits are")
    return nanoseconds


_BEYOND = "is not between 1677 and 2262"


class ArrowChunkReader:
    """Reads rows of one column in one row group, in any order, best from the first to the last.

    Parameters
    ----------
    opened : pyarrow.parquet.ParquetFile
        The file.
    group : int
        The row group.
    column : ParquetColumn
        The column.
    decode : callable
        Makes the rows of an Arrow array.
    path : str
        The path of the file, for messages.
    """

    def __init__(
        self,
        opened: pq.ParquetFile,
        group: int,
        column: ParquetColumn,
        decode: Callable[[Any], Column],
        path: str,
    ) -> None:
        self._path, self._column, self._group = path, column, group
        self._nrows = opened.metadata.row_group(group).num_rows
        self._read_by(opened, decode)

    def _read_by(self, opened: pq.ParquetFile, decode: Callable[[Any], Column]) -> None:
        """Continue with an open file, whose rows are decoded by a function."""
        self._decode = decode
        self._batches_from_first = self._batches_of(opened)
        self._start_again()

    def _batches_of(self, opened: pq.ParquetFile) -> Callable[[], Iterator[Any]]:
        """Return a function that begins to read the row group."""
        return partial(
            opened.reader.iter_batches,
            tuning.PARQUET_BATCH_ROWS,
            row_groups=[self._group],
            column_indices=[self._column.leaf],
            use_threads=False,
        )

    def _start_again(self) -> None:
        self._batches: Iterator[Any] = iter(self._batches_from_first())
        self._current: Column | None = None
        self._first = self._stop = 0

    def read(self, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of the row group; for `out` see `akdask.storage.source.PartReader.read`.

        Raises
        ------
        FileFormatError
            If the data is damaged.
        """
        with errors_naming(self._path, self._column.name):
            slices = list(self._slices(start, stop))
        if out is None:
            return concat_rows(slices)
        row = 0
        for piece in slices:
            out[row : row + len(piece)] = piece
            row += len(piece)
        return out[:row]

    def _slices(self, start: int, stop: int) -> Iterator[Column]:
        if start < self._first:
            self._start_again()
        while start < stop:
            if start >= self._stop:
                self._next(start)
                continue
            assert self._current is not None, "there are rows"
            end = min(stop, self._stop)
            yield slice_rows(self._current, start - self._first, end - self._first)
            start = end

    def _next(self, wanted: int) -> None:
        """Advance to the next batch, decoding it if a row is wanted."""
        batch = next(self._batches, None)
        if batch is None or not batch.num_rows:
            raise FileFormatError(
                f"column {self._column.name!r} of {self._path!r} ends after {self._stop:,} of {self._nrows:,} rows.",
                hint="the file is damaged; write it again.",
            )
        self._first, self._stop = self._stop, self._stop + batch.num_rows
        self._current = self._decode(batch.column(0)) if wanted < self._stop else None


class Int96ChunkReader(ArrowChunkReader):
    """Reads 96-bit times as nanoseconds; times out of their range raise an error.

    Parameters
    ----------
    in_nanoseconds, in_seconds : pyarrow.parquet.ParquetFile
        The file, opened once in each unit.
    group, column, decode, path
        As of `ArrowChunkReader`.
    """

    def __init__(  # noqa: PLR0917 - those of `ArrowChunkReader`, and the file once more
        self,
        in_nanoseconds: pq.ParquetFile,
        in_seconds: pq.ParquetFile,
        group: int,
        column: ParquetColumn,
        decode: Callable[[Any], Column],
        path: str,
    ) -> None:
        self._in_seconds = in_seconds
        super().__init__(in_nanoseconds, group, column, decode, path)

    def _batches_of(self, opened: pq.ParquetFile) -> Callable[[], Iterator[Any]]:
        return partial(_exact_batches, super()._batches_of(opened), super()._batches_of(self._in_seconds))


def _exact_batches(nanoseconds: Callable[[], Iterator[Any]], seconds: Callable[[], Iterator[Any]]) -> Iterator[Any]:
    for fine, coarse in zip(nanoseconds(), seconds(), strict=True):
        times = _leaf_of(fine.column(0))
        exact_times(_items_of(times), _items_of(_leaf_of(coarse.column(0))))
        yield pa.record_batch([times], ["times"])


@cached_results("nulls of Parquet columns", 4096)
def count_nulls(file: FileIdentity, column: ParquetColumn, groups: tuple[int, ...]) -> int:
    """Return how many rows of a column, or items of its lists, are null in some row groups, by reading it."""
    with range_reader(file) as ranges, errors_naming(file.path, column.name):
        batches = open_parquet(ranges).reader.iter_batches(
            tuning.PARQUET_BATCH_ROWS, row_groups=list(groups), column_indices=[column.leaf], use_threads=False
        )
        leaves = (_leaf_of(batch.column(0)) for batch in batches)
        return sum((pc.list_flatten(leaf) if column.is_nested else leaf).null_count for leaf in leaves)


@cached_results("Parquet columns of bytes that are text", 4096)
def is_text(file: FileIdentity, column: ParquetColumn) -> bool:
    """Return whether the first bytes of a column that are some are UTF-8, by reading them."""
    with range_reader(file) as ranges, errors_naming(file.path, column.name):
        opened = open_parquet(ranges)
        groups = list(range(opened.num_row_groups))
        batches = opened.reader.iter_batches(
            tuning.PARQUET_BATCH_ROWS, row_groups=groups, column_indices=[column.leaf], use_threads=False
        )
        for batch in batches:
            leaf = _items_of(_plain(_leaf_of(batch.column(0))))
            if leaf.null_count < len(leaf):
                try:
                    _text(leaf)
                except pa.ArrowInvalid:
                    return False
                return True
    return True


@cached_results("Parquet dictionaries", 256, lambda strings: sum(map(sys.getsizeof, strings)))
def first_dictionary(file: FileIdentity, column: ParquetColumn) -> tuple[str, ...]:
    """Return the strings of the first dictionary of a column in their order, which its rows refer to."""
    with range_reader(file) as ranges, errors_naming(file.path, column.name):
        opened = open_parquet(ranges)
        groups = list(range(opened.num_row_groups))
        batches = opened.reader.iter_batches(1, row_groups=groups, column_indices=[column.leaf], use_threads=False)
        first = next(batches, None)
        return () if first is None else tuple(first.column(0).dictionary.to_pylist())


@contextmanager
def errors_naming(path: str, column: str) -> Iterator[None]:
    """Turn errors of pyarrow into errors that name the file and the column."""
    try:
        yield
    except AkdaskError:
        raise
    except PARQUET_ERRORS as error:
        if "delta bit width" in str(error):
            # duckdb writes differences of 33 bits between integers of 32, and Arrow does not read them.
            raise UnsupportedError(
                f"column {column!r} of {path!r} has differences between integers that Arrow does not read.",
                details=[str(error)],
                hint="write it in another encoding: with parquet_version v1, or as integers of 64 bits.",
            ) from error
        if _BEYOND in str(error):
            raise UnsupportedError(
                f"column {column!r} of {path!r} has times of 96 bits that 64 bits of nanoseconds do not reach.",
                details=[str(error)],
                hint="leave it out by naming the other columns; or write its times in microseconds (Spark: "
                "spark.sql.parquet.outputTimestampType=TIMESTAMP_MICROS).",
            ) from error
        if "Invalid UTF8" in str(error):
            raise no_text(column, path) from error
        if isinstance(error, NotImplementedError):
            raise UnsupportedError(
                f"column {column!r} of {path!r} is stored in a way that Arrow does not read.",
                details=[str(error)],
                hint="leave it out by naming the other columns, or write it in another way.",
            ) from error
        raise FileFormatError(
            f"column {column!r} of {path!r} cannot be read.",
            details=[str(error)],
            hint="the file is damaged; leave it out or write it again.",
        ) from error


# ------------------------------------------------------------------------------------------- rows from arrays of Arrow

_EXACT = 2**53
"""Whole numbers up to which floats are exact; their quotient by a power of ten is the float next to the true one."""


def decode(array: pa.Array, column: ParquetColumn, dtype: ColumnType, *, as_digits: bool = False) -> Column:
    """Return the rows of a column in the type that it has in all files, bytes as digits if that is asked for.

    Raises
    ------
    UnsupportedError
        If there are nulls where the type has no value for them.
    pyarrow.ArrowInvalid
        If a time does not fit into 64 bits of nanoseconds.
    """
    array = _plain(_leaf_of(array))
    if dtype.kind == "list":
        return _lists(array, column, dtype, as_digits)
    return _items(_digits_of_bytes(array, column) if as_digits else array, column, dtype)


def nulls_of(array: pa.Array) -> NumberArray:
    """Return 1 for each row that is null, and 0 for the others, as int64."""
    return are_null(_leaf_of(array)).astype(np.int64)


def _leaf_of(array: pa.Array) -> pa.Array:
    """Return the only leaf that was read of structs, in the lists that it is in; null where one of the structs is."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    types = pa.types
    if types.is_struct(array.type):
        return _leaf_of(array.flatten()[0])
    if types.is_fixed_size_list(array.type) and types.is_nested(array.type.value_type):
        array = array.cast(pa.large_list(array.type.value_field))
    if not (types.is_list(array.type) or types.is_large_list(array.type)):
        return array
    leaf = _leaf_of(array.values)
    return array if leaf is array.values or leaf.type == array.type.value_type else _lists_around(leaf, array)


def _lists_around(items: pa.Array, array: pa.Array) -> pa.Array:
    """Return lists like given ones, of other items."""
    offsets = arrow_numbers(numpy_numbers(array.offsets))
    of_lists = pa.LargeListArray if pa.types.is_large_list(array.type) else pa.ListArray
    return of_lists.from_arrays(offsets, items, mask=pc.is_null(array) if array.null_count else None)


def _items_of(array: pa.Array) -> pa.Array:
    """Return the items of lists in any number of lists; other arrays as they are."""
    return pc.list_flatten(array, recursive=True) if pa.types.is_nested(array.type) else array


def _plain(array: pa.Array) -> pa.Array:
    """Return an array without dictionary and extension type."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if isinstance(array, pa.DictionaryArray):
        array = array.dictionary_decode()
    return array


def _items(array: pa.Array, column: ParquetColumn, dtype: ColumnType) -> Column:
    if dtype.kind == "str":
        text = _text(array)
        return from_nulls(text) if dtype.nullable or not text.null_count else text.fill_null("")
    if dtype.kind == "bigint":
        if array.null_count:
            hint = (
                None if column.fraction is None else "read decimals as floats, which may be missing: decimals='float'."
            )
            raise UnsupportedError(
                f"column {column.name!r} has nulls, which integers of any size cannot be.", hint=hint
            )
        limbs = array if column.fraction is None else _limbs_of(array)
        return pa.concat_arrays([limbs]) if limbs.offset else limbs
    if pa.types.is_null(array.type):
        missing = None if dtype.is_nullable_number else np.nan if dtype == FLOAT64 else NAT
        return spread(missing, dtype, len(array))
    if column.scale != 1 or not _is_number(array.type):
        array = _as_number(array, column)
    if dtype.is_nullable_number:
        return NullableColumn(_numbers(array, column, dtype.plain), are_null(array) if array.null_count else None)
    if array.null_count and dtype == FLOAT64:
        floats = _numbers(array, column, dtype).copy()
        floats[are_null(array)] = np.nan
        return floats
    if array.null_count and dtype != INT64:
        raise FileFormatError(f"column {column.name!r} has nulls, though its statistics say that it has none.")
    return _numbers(array, column, dtype, NAT)


def _numbers(array: pa.Array, column: ParquetColumn, dtype: ColumnType, nothing: int = 0) -> NumberArray:
    """Return numbers, `nothing` for nulls; for errors see `widen_into`."""
    stored: NumberArray = numpy_numbers(array)
    if array.null_count:
        stored = stored.copy()
        stored[are_null(array)] = nothing
    if stored.dtype == dtype.numpy:
        return stored
    found = np.empty(len(stored), dtype.numpy)
    widen_into(found, stored, column.name)
    return found


def _is_number(stored: Any) -> bool:
    types = pa.types
    return bool(types.is_integer(stored) or types.is_floating(stored) or types.is_boolean(stored))


def _as_number(array: pa.Array, column: ParquetColumn) -> pa.Array:
    """Return decimals as floats or digits, and times as numbers of the unit that the column has in all files."""
    stored, types = array.type, pa.types
    if types.is_decimal(stored):
        return _digits(array) if types.is_integer(column.stored) else _of_decimals(array)
    days = types.is_date32(stored)
    narrow = days or types.is_time32(stored)
    integers = array.cast(pa.int32()).cast(pa.int64()) if narrow else array.cast(pa.int64())
    if types.is_integer(stored) or column.unit is None:
        return _multiplied(integers, column.scale)
    # By the type of the array: times of 96 bits have other units than the schema.
    given = DAY if days else UNITS["ms" if types.is_date(stored) else stored.unit]
    wanted = UNITS[column.unit]
    if given < wanted:
        return arrow_numbers(numpy_numbers(integers) // (wanted // given), missing=are_null(integers))
    return _multiplied(integers, given // wanted)


def _multiplied(integers: pa.Array, scale: int) -> pa.Array:
    return integers if scale == 1 else pc.multiply_checked(integers, pa.scalar(scale, pa.int64()))


def _digits(array: pa.Array) -> pa.Array:
    """Return the digits of decimals of up to 64 bits as integers."""
    wide = array.cast(pa.decimal128(38, array.type.scale))
    present, data = wide.buffers()
    low = np.frombuffer(data, "<i8").reshape(-1, 2)[wide.offset :][: len(wide), 0] if len(wide) else np.empty(0, "<i8")
    return arrow_numbers(low, missing=None if present is None else are_null(wide))


def _limbs_of(array: pa.Array) -> pa.FixedSizeBinaryArray:
    """Return decimals as the integers that Arrow keeps of them: two's complement with the lowest byte first."""
    stored = pa.binary(array.type.bit_width // 8)
    return pa.Array.from_buffers(stored, len(array), array.buffers(), 0, array.offset)


def _of_decimals(array: pa.Array) -> pa.Array:
    """Return the floats next to decimals, which Arrow's own conversion misses by a bit."""
    scale = array.type.scale
    if pa.types.is_decimal128(array.type) and 0 <= scale <= EXACT_POWER and not array.null_count and len(array):
        low, high = np.frombuffer(array.buffers()[1], "<i8").reshape(-1, 2)[array.offset :][: len(array)].T
        if (low >= -_EXACT).all() and (low <= _EXACT).all() and (high == low >> 63).all():
            return arrow_numbers(low / 10.0**scale)
    return array.cast(pa.string()).cast(pa.float64())


def _digits_of_bytes(array: pa.Array, column: ParquetColumn) -> pa.LargeStringArray:
    """Return bytes as digits in base 16, those of UUIDs in the usual groups."""
    of_uuid = column.logical == "UUID"
    show = (lambda value: str(UUID(bytes=value))) if of_uuid else bytes.hex
    shown = [None if value is None else show(value) for value in array.to_pylist()]
    return pa.array(shown, pa.large_string())


def _text(array: pa.Array) -> pa.LargeStringArray:
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), pa.large_string())
    if len(array) and (pa.types.is_string(array.type) or pa.types.is_binary(array.type)):
        # A cast would load Arrow's functions, which takes longer than to read a small file.
        present, offsets, data = array.buffers()
        wide = np.frombuffer(offsets, np.int32, array.offset + len(array) + 1).astype(np.int64)
        buffers = [present, pa.py_buffer(wide), data]
        text = pa.Array.from_buffers(pa.large_string(), len(array), buffers, array.null_count, array.offset)
        text.validate(full=True)
        return text
    # Only binary columns need validation as UTF-8.
    return array.cast(pa.large_binary()).cast(pa.large_string())


def _lists(array: pa.Array, column: ParquetColumn, dtype: ColumnType, as_digits: bool) -> pa.LargeListArray:
    """Return lists; a null is an empty list."""
    item = dtype.item
    assert item is not None, "the types of items are known"
    if pa.types.is_fixed_size_list(array.type) or array.null_count:
        array = array.cast(pa.large_list(array.type.value_field)) if not array.null_count else _without_null(array)
    offsets = numpy_numbers(array.offsets).astype(np.int64) if len(array) else np.zeros(1, np.int64)
    values = array.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
    values = _plain(values)
    if item.kind == "str":
        values = _as_text(values, column, as_digits)
    if values.null_count and item != FLOAT64 and not item.nullable:
        raise UnsupportedError(
            f"column {column.name!r} has nulls inside of lists of {item}, and there is no value for them.",
            hint="the statistics of the file say that there are none; write it again.",
        )
    found = _items(values, column, item)
    return lists_of(offsets - offsets[0], found)


def _as_text(array: pa.Array, column: ParquetColumn, as_digits: bool) -> pa.Array:
    """Return text or bytes as text, times as Arrow writes them, and lists of anything in JSON."""
    if not pa.types.is_nested(array.type):
        array = _plain(array)
        if as_digits:
            return _digits_of_bytes(array, column)
        if pa.types.is_duration(array.type):
            unit, apart = (pa.scalar(text, pa.large_string()) for text in (array.type.unit, ""))
            return pc.binary_join_element_wise(array.cast(pa.large_string()), unit, apart)
        return array.cast(pa.large_string()) if pa.types.is_temporal(array.type) else _text(array)
    rows = _with_text(array, column, as_digits).to_pylist()
    shown = [None if row is None else json.dumps(row, ensure_ascii=False, default=str) for row in rows]
    return pa.array(shown, pa.large_string())


def _with_text(array: pa.Array, column: ParquetColumn, as_digits: bool) -> pa.Array:
    """Return lists in any number of lists with bytes and times as text, other items as they are."""
    if pa.types.is_fixed_size_list(array.type):
        array = array.cast(pa.large_list(array.type.value_field))
    if pa.types.is_nested(array.type):
        return _lists_around(_with_text(array.values, column, as_digits), array)
    array = _plain(array)
    is_number = _is_number(array.type) or pa.types.is_decimal(array.type) or pa.types.is_null(array.type)
    return array if is_number else _as_text(array, column, as_digits)


def _without_null(array: pa.Array) -> pa.Array:
    """Return lists with empty ones in place of nulls, under which there may be values."""
    lengths = np.where(are_null(array), 0, numpy_numbers(pc.list_value_length(array)))
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return pa.LargeListArray.from_arrays(arrow_numbers(offsets), pc.list_flatten(array))
