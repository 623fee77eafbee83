"""What the index of a file tells of the pages of a chunk: where each lies, and between which values its rows are.

The index is what a writer adds for readers that skip pages, and nothing depends on it: where it contradicts itself, the
footer or the headers of pages, it is as if there were none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from akdask.errors import FileFormatError
from akdask.parquet.metadata.columns import ParquetColumn
from akdask.parquet.metadata.recent import Recent
from akdask.parquet.metadata.row_groups import CHUNK, UNKNOWN, extremes
from akdask.parquet.metadata.thrift import Struct, ThriftError, integers, read_struct
from akdask.parquet.reading.statistics import sides_of
from akdask.storage.data.ranges import RangeReader
from akdask.storage.paths.files import FileIdentity

Ints = npt.NDArray[np.int64]
Found = TypeVar("Found")

_LARGEST = 2**24  # bytes of an index of one chunk
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


_KNOWN: Recent[tuple[FileIdentity, int], Any] = Recent(4096)
"""Indexes that were read last, by where they lie; None for those that are not used."""


def page_locations(ranges: RangeReader, chunk: np.void) -> PageLocations | None:
    """Return where the pages of a chunk lie, None if no index tells it.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : void, dtype `CHUNK`
        What the footer tells of a chunk of a flat column.
    """
    return _remembered(ranges, chunk["pages"], chunk["pages_size"], lambda index: _locations(index, chunk))


def have_bounds(chunks: npt.NDArray[np.void]) -> npt.NDArray[np.bool_]:
    """Return for each of some chunks whether an index may tell more of its values than the footer does."""
    return (chunks["bounds_size"] > 0) & (chunks["pages_size"] > _ONE_PAGE)


def page_statistics(
    ranges: RangeReader, chunk: np.void, column: ParquetColumn
) -> tuple[PageLocations, npt.NDArray[np.void]] | None:
    """Return where the pages of a chunk lie and what is known of the values of each; None if no index tells it.

    Parameters
    ----------
    ranges : RangeReader
        The open file.
    chunk : void, dtype `CHUNK`
        What the footer tells of a chunk of a flat column.
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
    pages = _remembered(
        ranges, chunk["bounds"], chunk["bounds_size"], lambda index: _statistics(index, chunk, column, locations)
    )
    return None if pages is None else (locations, pages)


def _remembered(ranges: RangeReader, offset: Any, size: Any, parse: Callable[[Struct], Found]) -> Found | None:
    if not 0 < size <= _LARGEST:
        return None
    key = (ranges.file, int(offset))
    if key not in _KNOWN:
        raw = np.empty(int(size), np.uint8)
        found = None
        try:
            ranges.read_into(raw, int(offset), "page index")
            found = parse(read_struct(raw.tobytes())[0])
        except (_ContradictionError, ThriftError, OverflowError, FileFormatError):
            pass
        _KNOWN.add(key, found)
        return found
    known: Found | None = _KNOWN.get(key)
    return known


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
    # Between the pages and behind the last there is nothing: none is left out.
    if (offsets[1:] != (offsets + sizes)[:-1]).any() or offsets[-1] + sizes[-1] != end:
        raise _ContradictionError
    return PageLocations(firsts, rows, offsets, sizes)


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
        If pages do not have the nulls of their chunk, or not its minimum and maximum, or are not in the order told.
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
    # Only if each page with values tells of them is the chunk's minimum that of one.
    if len(least) and has_both and (not len(low) or np.sort(low)[0] > least[0] or np.sort(high)[-1] < most[0]):
        raise _ContradictionError


def _known_sides(pages: npt.NDArray[np.void], column: ParquetColumn) -> tuple[Any, Any, bool]:
    """Return minima and maxima of the pages that tell of both, and whether all do that have values."""
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
