"""Statistics and page indexes of column chunks: bounds of row groups and pages, and where pages lie."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.caches import Cache
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT8, UINT64, ColumnType
from akdask.columns.strings import SENTINEL
from akdask.errors import FileFormatError
from akdask.formats.parquet import loops
from akdask.formats.parquet.columns import NAT, ParquetColumn
from akdask.formats.parquet.thrift import CHUNK, PHYSICAL, UNKNOWN, Struct, ThriftError, extremes, integers, read_struct
from akdask.storage.files import FileIdentity
from akdask.storage.objects import ObjType
from akdask.storage.ranges import RangeReader
from akdask.storage.source import TEXT_BYTES, Bounds

_WIDEST: dict[ColumnType, tuple[Any, Any]] = {
    INT64: (-(2**63), 2**63 - 1),
    UINT64: (0, 2**64 - 1),
    UINT8: (0, 2**8 - 1),
    FLOAT64: (-np.inf, np.inf),
    BOOL: (False, True),
    STR: (b"", b"\xff" * TEXT_BYTES),
}
_PHYSICAL = {"INT32": "<i4", "INT64": "<i8", "FLOAT": "<f4", "DOUBLE": "<f8", "BOOLEAN": "?"}


def unbounded(dtype: ColumnType, count: int) -> Bounds | None:
    """Return the bounds of a type, None if it has none."""
    if dtype.plain not in _WIDEST:
        return None
    kind = f"S{TEXT_BYTES}" if dtype.kind == "str" else dtype.numpy
    low, high = (np.full(count, side, kind) for side in _WIDEST[dtype.plain])
    return Bounds(low, high, np.full(count, dtype == FLOAT64 or dtype.is_nullable_number))


def constant(value: Any, dtype: ColumnType) -> Bounds | None:
    """Return the bounds of a column with one value in all rows."""
    if dtype.plain not in _WIDEST:
        return None
    if value is None:
        return unbounded(dtype, 1)
    if dtype.kind == "str":
        start = np.array([value.encode()[:TEXT_BYTES]], f"S{TEXT_BYTES}")
        return Bounds(start, start, np.zeros(1, np.bool_))
    side = np.array([value], dtype.numpy)
    missing = np.isnan(side)
    if missing.any():
        return unbounded(dtype, 1)
    return Bounds(side, side, missing)


def bounds_of(column: ParquetColumn, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> Bounds | None:
    """Return the bounds of a column in each of its chunks, None if unknown.

    Parameters
    ----------
    column : ParquetColumn
        The column as its file has it.
    dtype : ColumnType
        The type that it has in all files.
    chunks : ndarray, dtype `CHUNK`
        Its metadata in the footer.
    """
    found = unbounded(dtype, len(chunks))
    if found is None or not column.is_flat:
        return None
    has_none = chunks["nulls"] == 0 if column.is_optional else np.ones(len(chunks), np.bool_)
    if dtype.kind == "str":
        return _of_text(found, dtype, chunks, has_none)
    return _of_numbers(found, column, dtype, chunks, has_none)


def without_values(bounds: Bounds, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> Bounds:
    """Return bounds between which there is no value where all rows are null, as these are in a column of the type."""
    empty = (chunks["nulls"] == chunks["values"]) & (chunks["values"] > 0)
    if dtype == FLOAT64:
        bounds.minima[empty], bounds.maxima[empty] = np.inf, -np.inf
    elif dtype.is_nullable_number:
        bounds.minima[empty], bounds.maxima[empty] = reversed(_WIDEST[dtype.plain])
    elif dtype == NULLABLE_STR:
        bounds.minima[empty] = SENTINEL
    return bounds


def of_stretches(of_groups: Bounds, everything: Bounds, stretches: Iterable[tuple[int, int]]) -> Bounds:
    """Return the bounds of partitions from those of row groups; the type's bounds where a partition has none.

    Parameters
    ----------
    of_groups : Bounds
        Bounds of the row groups.
    everything : Bounds
        Bounds of the type, for each partition; changed in place.
    stretches : iterable of (int, int)
        Of each partition, its first row group and the one behind its last.
    """
    lows, highs = of_groups.minima.tolist(), of_groups.maxima.tolist()
    for index, (first, last) in enumerate(stretches):
        if first < last:
            everything.minima[index] = min(lows[first:last])
            everything.maxima[index] = max(highs[first:last])
            everything.nans[index] = of_groups.nans[first:last].any()
    return everything


def _of_text(
    found: Bounds, dtype: ColumnType, chunks: npt.NDArray[np.void], has_none: npt.NDArray[np.bool_]
) -> Bounds | None:
    known = chunks["spelled"] & (chunks["low"] <= chunks["high"])
    if not known.any():
        return None
    if dtype == NULLABLE_STR:
        # Missing text sorts last.
        found.minima[known] = chunks["low"][known]
        high = known & has_none
        found.maxima[high] = chunks["high"][high]
        return found
    found.minima[known], found.maxima[known] = chunks["low"][known], chunks["high"][known]
    return found


def _of_numbers(
    found: Bounds,
    column: ParquetColumn,
    dtype: ColumnType,
    chunks: npt.NDArray[np.void],
    has_none: npt.NDArray[np.bool_],
) -> Bounds | None:
    values = _typed_sides(column, dtype, chunks)
    if values is None or not chunks["bounded"].any():
        return None
    known, low, high = values
    if column.kind in _TIMES:
        low = np.where(has_none, low, NAT)
    found.minima[known], found.maxima[known] = low[known], high[known]
    if not pa.types.is_floating(column.stored):
        # Nulls are the only missing rows; NaN among floats are not counted in statistics.
        found.nans[known & has_none] = False
    return found


_TIMES = (ObjType.DATETIME, ObjType.TIMEDELTA)


def extremes_of(column: ParquetColumn, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> tuple[Any, Any] | None:
    """Return the least and the greatest number of a column in its chunks, None where statistics do not tell them.

    Nulls and NaN are left out. Writers cut text short in statistics, but no numbers. For the arguments see `bounds_of`.
    """
    chunks = chunks[chunks["values"] > 0]
    chunks = chunks[chunks["nulls"] < chunks["values"]]
    if not len(chunks) or chunks["problem"].any() or not column.is_flat or dtype.plain not in _WIDEST:
        return None
    values = _typed_sides(column, dtype, chunks)
    return None if values is None or not values[0].all() else (values[1].min(), values[2].max())


def _typed_sides(column: ParquetColumn, dtype: ColumnType, chunks: npt.NDArray[np.void]) -> tuple[Any, Any, Any] | None:
    """Return in which chunks minima and maxima are known, and both in the column's type, None if they have no order."""
    values = sides_of(column, chunks)
    if values is None:
        return None
    low, high = values
    with np.errstate(invalid="ignore"):
        known = chunks["bounded"] & (low <= high)
    if column.kind in _TIMES:
        most = np.int64((2**63 - 1) // column.scale)
        known &= (-most <= low) & (high <= most)
        low, high = (np.where(known, side, 0).astype(np.int64) * column.scale for side in values)
    if dtype.plain == INT64 and low.dtype.kind == "u":
        known &= high < 2**63  # others are an error where they are read
    with np.errstate(invalid="ignore"):
        return known, low.astype(dtype.numpy), high.astype(dtype.numpy)


def has_order(column: ParquetColumn) -> bool:
    """Whether minima and maxima of numbers are those of the column's values."""
    return column.physical in _PHYSICAL and not pa.types.is_decimal(column.stored)


def sides_of(column: ParquetColumn, chunks: npt.NDArray[np.void]) -> tuple[Any, Any] | None:
    """Return minima and maxima as stored, None where their order is not that of the column's values."""
    if not has_order(column):
        return None
    stored = np.dtype(_PHYSICAL[column.physical])
    if pa.types.is_unsigned_integer(column.stored):
        stored = np.dtype(f"<u{stored.itemsize}")
    raw = (np.ascontiguousarray(chunks[side]) for side in ("minimum", "maximum"))
    sides = [bits.astype(f"<u{stored.itemsize}").view(stored) for bits in raw]
    return sides[0], sides[1]


Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Found = TypeVar("Found")

_LARGEST_INDEX = 2**24  # bytes of an index of one chunk
_ONE_PAGE = 24  # bytes of an index that has no more than a page or two
_ASCENDING, _DESCENDING = 1, 2
_TRUE = 1  # inside of a list


class PageLocations(NamedTuple):
    """Where the data pages of a chunk lie: its offset index."""

    firsts: Ints
    """The first row of each page in the row group, ascending from 0."""

    rows: Ints
    """How many rows each has, at least one."""

    offsets: Ints
    """Where each begins in the file, with its header."""

    sizes: Ints


class _ContradictionError(Exception):
    """An index that is not used."""


def _index_bytes(index: PageLocations | npt.NDArray[np.void] | None) -> int:
    return sum(part.nbytes for part in index) if isinstance(index, tuple) else getattr(index, "nbytes", 0)


_INDEXES: Cache[tuple[FileIdentity, int], Any] = Cache("Parquet page indexes", entries=4096, size=_index_bytes)
"""Indexes by position; None for unusable ones."""


def page_locations(ranges: RangeReader, chunk: np.void) -> PageLocations | None:
    """Return the positions of a chunk's pages, None without a usable index.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : void, dtype `CHUNK`
        The footer's metadata of a chunk of a flat column.
    """
    return _cached_index(ranges, chunk["pages"], chunk["pages_size"], lambda raw: _locations_in(raw, chunk))


def have_bounds(chunks: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """Return for each chunk whether an index may bound its values more tightly than the footer does."""
    return (chunks["bounds_size"] > 0) & (chunks["pages_size"] > _ONE_PAGE)


def concat_chunks(parts: Iterable[npt.NDArray[np.void]]) -> npt.NDArray[np.void]:
    """Return arrays of `CHUNK` as one, a hundred times as fast as NumPy, which looks at the type of each field."""
    return np.frombuffer(b"".join([part.data for part in parts]), CHUNK)


def page_statistics(
    ranges: RangeReader, chunk: np.void, column: ParquetColumn
) -> tuple[PageLocations, npt.NDArray[np.void]] | None:
    """Return the positions of a chunk's pages and the bounds of each; None without a usable index.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : void, dtype `CHUNK`
        The footer's metadata of a chunk of a flat column.
    column : ParquetColumn
        The column.

    Returns
    -------
    locations : PageLocations
        See `page_locations`.
    pages : ndarray, shape (npages,), dtype `CHUNK`
        Minima, maxima and nulls, as of chunks.
    """
    locations = page_locations(ranges, chunk)
    if locations is None:
        return None
    pages = _cached_index(
        ranges, chunk["bounds"], chunk["bounds_size"], lambda raw: _statistics_in(raw, chunk, column, locations)
    )
    return None if pages is None else (locations, pages)


def _cached_index(ranges: RangeReader, offset: Any, size: Any, parse: Callable[[Bytes], Found]) -> Found | None:
    if not 0 < size <= _LARGEST_INDEX:
        return None
    key = (ranges.file, int(offset))
    if key not in _INDEXES:
        raw = np.empty(int(size), np.uint8)
        found = None
        try:
            ranges.read_into(raw, int(offset), "page index")
            found = parse(raw)
        except (_ContradictionError, ThriftError, OverflowError, FileFormatError):
            pass
        _INDEXES.put(key, found)
        return found
    known: Found | None = _INDEXES.get(key)
    return known


def _locations_in(raw: Bytes, chunk: np.void) -> PageLocations:
    plain = _plain_locations(raw, chunk)
    return _locations(read_struct(raw.tobytes())[0], chunk) if plain is None else plain


def _plain_locations(raw: Bytes, chunk: np.void) -> PageLocations | None:
    """Return what `_locations` does of an index as most writers have it, None for others."""
    told, count = chunk.tobytes(), 0
    for _ in range(2):
        found = np.empty((len(PageLocations._fields), count), np.int64)
        count = loops.read_page_locations(raw, told, found)
        if count < 0:
            return None
    return PageLocations(*found)


def _locations(index: Struct, chunk: np.void) -> PageLocations:
    locations = index.get(1)
    if not isinstance(locations, list) or not locations:
        raise _ContradictionError
    table = np.array([integers(location, 1, 2, 3) for location in locations], np.int64)
    offsets, sizes, firsts = (np.ascontiguousarray(column) for column in table.T)
    rows = np.diff(firsts, append=chunk["values"])
    end = chunk["offset"] + chunk["size"]
    # Compared without additions that might wrap around.
    inside = (sizes > 0) & (offsets >= chunk["offset"]) & (offsets <= end) & (sizes <= end - offsets)
    if firsts[0] != 0 or firsts.max() >= chunk["values"] or (rows <= 0).any() or not inside.all():
        raise _ContradictionError
    # The index must cover the chunk without gaps.
    if (offsets[1:] != (offsets + sizes)[:-1]).any() or offsets[-1] + sizes[-1] != end:
        raise _ContradictionError
    return PageLocations(firsts, rows, offsets, sizes)


def _statistics_in(raw: Bytes, chunk: np.void, column: ParquetColumn, locations: PageLocations) -> npt.NDArray[np.void]:
    plain = _plain_statistics(raw, chunk, column, locations)
    return _statistics(read_struct(raw.tobytes())[0], chunk, column, locations) if plain is None else plain


def _plain_statistics(
    raw: Bytes, chunk: np.void, column: ParquetColumn, locations: PageLocations
) -> npt.NDArray[np.void] | None:
    """Return what `_statistics` does of an index as most writers have it, None for others."""
    if not (column.physical == "BYTE_ARRAY" or has_order(column)):
        return None
    found = np.empty(len(locations.rows), CHUNK)
    physical, is_unsigned = PHYSICAL.index(column.physical), pa.types.is_unsigned_integer(column.stored)
    pages = found.view(np.uint8).reshape(-1, CHUNK.itemsize)
    return found if loops.read_page_bounds(raw, chunk.tobytes(), physical, is_unsigned, locations.rows, pages) else None


def _statistics(index: Struct, chunk: np.void, column: ParquetColumn, locations: PageLocations) -> npt.NDArray[np.void]:
    count = len(locations.firsts)
    empty, low, high = (_items(index, number, count) for number in (1, 2, 3))
    nulls = _items(index, 5, count) if 5 in index else [-1] * count
    found = np.zeros(count, CHUNK)
    found["values"] = locations.rows
    for number, (is_empty, rows) in enumerate(zip(empty, locations.rows.tolist(), strict=True)):
        told = nulls[number]
        if type(told) is not int or not -1 <= told <= rows:
            raise _ContradictionError
        if is_empty == _TRUE:
            told = rows if told < 0 else told
        if (told == rows) != (is_empty == _TRUE):
            raise _ContradictionError
        found["nulls"][number] = told
        sides = UNKNOWN if is_empty == _TRUE else _extremes(low[number], high[number], column)
        found[_SIDES][number] = sides
    _compare(found, index, chunk, column)
    return found


_SIDES = ["bounded", "spelled", "minimum", "maximum", "low", "high"]


def _items(index: Struct, field: int, count: int) -> list[Any]:
    found = index.get(field)
    if not isinstance(found, list) or len(found) != count:
        raise _ContradictionError
    return found


def _extremes(low: Any, high: Any, column: ParquetColumn) -> tuple[Any, ...]:
    if not isinstance(low, bytes) or not isinstance(high, bytes):
        raise _ContradictionError
    return extremes(low, high, column.physical)


def _compare(pages: npt.NDArray[np.void], index: Struct, chunk: np.void, column: ParquetColumn) -> None:
    """Refuse an index that cannot be true.

    Raises
    ------
    _ContradictionError
        If pages do not add up to the nulls, minimum and maximum of their chunk, or contradict their declared order.
    """
    known = chunk["nulls"]
    if known >= 0 and (pages["nulls"] >= 0).all() and pages["nulls"].sum() != known:
        raise _ContradictionError
    low, high, has_both = _known_sides(pages, column)
    if (low > high).any():
        raise _ContradictionError
    order = integers(index, 4)[0]
    for side in (low, high):
        if (order == _ASCENDING and (side[1:] < side[:-1]).any()) or (
            order == _DESCENDING and (side[1:] > side[:-1]).any()
        ):
            raise _ContradictionError
    least, most, _ = _known_sides(np.array([chunk], CHUNK), column)
    # Only if every page with values has bounds must one of them have the chunk's minimum.
    if len(least) and has_both and (not len(low) or np.sort(low)[0] > least[0] or np.sort(high)[-1] < most[0]):
        raise _ContradictionError


def _known_sides(pages: npt.NDArray[np.void], column: ParquetColumn) -> tuple[Any, Any, bool]:
    """Return minima and maxima of the pages that have both, and whether all pages with values do."""
    if column.physical == "BYTE_ARRAY":
        low, high, known = pages["low"], pages["high"], pages["spelled"]
    else:
        sides = sides_of(column, pages)
        if sides is None:
            return np.empty(0), np.empty(0), False
        low, high = sides
        # NaN is no bound.
        known = pages["bounded"] & ~(np.isnan(low) | np.isnan(high))
    is_empty = pages["nulls"] == pages["values"]
    return low[known], high[known], bool((known | is_empty).all())
