"""Row groups and column chunks as the Thrift structures of a footer tell of them.

pyarrow's own view of a column chunk ends the process where its type is not that of the schema, so footers of unknown
writers are read here, and nothing is asked of pyarrow that has not been compared with the schema.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.parquet.metadata.thrift import Struct, ThriftError, integers, read_struct
from akdask.storage.data.source import TEXT_BYTES

CHUNK = np.dtype(
    [
        ("problem", "|i1"),  # position in PROBLEMS
        ("codec", "|i1"),  # position in CODECS
        ("offset", "<i8"),  # of the first page, that of the dictionary if there is one
        ("size", "<i8"),  # bytes of all pages in the file
        ("values", "<i8"),  # with nulls; of lists their items
        ("nulls", "<i8"),  # -1 where unknown
        ("bounded", "?"),  # minimum and maximum hold: the bits of the physical type
        ("spelled", "?"),  # low and high hold: the first bytes of text
        ("minimum", "<u8"),
        ("maximum", "<u8"),
        ("low", f"S{TEXT_BYTES}"),
        ("high", f"S{TEXT_BYTES}"),
        ("pages", "<i8"),  # where its offset index lies, which tells where pages are; 0 where there is none
        ("pages_size", "<i8"),
        ("bounds", "<i8"),  # where its column index lies, which tells minima and maxima of pages
        ("bounds_size", "<i8"),
    ]
)
"""What is known of the part of a column in one row group, or in one page."""

CODECS = ("UNCOMPRESSED", "SNAPPY", "GZIP", "LZO", "BROTLI", "LZ4", "ZSTD", "LZ4_RAW")
PHYSICAL = (
    "BOOLEAN",
    "INT32",
    "INT64",
    "INT96",
    "FLOAT",
    "DOUBLE",
    "BYTE_ARRAY",
    "FIXED_LEN_BYTE_ARRAY",
)
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "FLOAT": 4, "DOUBLE": 8}

PROBLEMS = (
    "",
    "the footer does not tell where its data is",
    "its data is in another file",
    "its data would lie outside of the file",
    "it does not have as many values as its row group has rows",
    "its type is not that of the schema",
    "its codec is not known",
)
"""Why a column chunk cannot be read."""

_NOTHING, _UNTOLD, _ELSEWHERE, _OUTSIDE, _COUNT, _TYPE, _CODEC = range(len(PROBLEMS))


class Leaf(NamedTuple):
    """What the schema tells of a leaf."""

    physical: str
    is_flat: bool
    """Whether there is a value for each row."""

    is_unsigned: bool


def read_row_groups(
    footer: bytes, leaves: Sequence[Leaf], end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.void]]:
    """Return the rows of each row group, and all column chunks.

    Parameters
    ----------
    footer : bytes
        The structure.
    leaves : sequence of Leaf
        Those of the schema.
    end : int
        Where the footer begins in its file: all chunks end before.

    Returns
    -------
    rows : ndarray, shape (nrowgroups,), int64
        At least 0 each, and together as many as the footer tells.
    chunks : ndarray, shape (nleaves, nrowgroups), dtype `CHUNK`
        Those with a problem cannot be read.

    Raises
    ------
    ThriftError
        If the structure makes no sense.
    """
    found, _ = read_struct(footer)
    return row_groups_of(found, leaves, end)


def row_groups_of(
    found: Struct, leaves: Sequence[Leaf], end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.void]]:
    """Return the rows of each row group, and all column chunks, of a structure that was read; see `read_row_groups`."""
    groups = found.get(4, [])
    if not isinstance(groups, list):
        raise ThriftError("there are no row groups")
    rows = [integers(group, 3)[0] for group in groups]
    (total,) = integers(found, 3)
    if min(rows, default=0) < 0 or sum(rows) != total or total >= 2**63:
        raise ThriftError(f"there are {total:,} rows, in row groups of {sum(rows):,}")
    has_orders = isinstance(found.get(7), list)
    chunks = np.zeros((len(leaves), len(groups)), CHUNK)
    for number, (group, nrows) in enumerate(zip(groups, rows, strict=True)):
        columns = group.get(1) if isinstance(group, dict) else None
        if not isinstance(columns, list) or len(columns) != len(leaves):
            raise ThriftError(f"row group {number} does not have the {len(leaves)} leaves of the schema")
        for position, (column, leaf) in enumerate(zip(columns, leaves, strict=True)):
            chunks[position, number] = _chunk(column, leaf, nrows, end, has_orders=has_orders)
    return np.array(rows, np.int64), chunks


def _chunk(column: Any, leaf: Leaf, nrows: int, end: int, *, has_orders: bool) -> tuple[Any, ...]:
    about = column.get(3) if isinstance(column, dict) else None
    kind, codec, values, size, data, dictionary = integers(about, 1, 4, 5, 7, 9, 11)
    # Some writers say 0 where there is no dictionary.
    offset = dictionary if 0 < dictionary < data else data
    problem = _NOTHING
    if not isinstance(about, dict):
        problem = _UNTOLD
    elif 1 in column:
        problem = _ELSEWHERE
    elif kind not in range(len(PHYSICAL)) or PHYSICAL[kind] != leaf.physical:
        problem = _TYPE
    elif not 0 <= codec < len(CODECS):
        problem = _CODEC
    elif values < 0 or (leaf.is_flat and values != nrows):
        problem = _COUNT
    elif (nrows or values) and (offset < 4 or not 0 < size <= end - offset):
        problem = _OUTSIDE
    if problem or not isinstance(about, dict):
        return (problem, -1, 0, 0, 0, -1, *UNKNOWN, 0, 0, 0, 0)
    statistics = about.get(12)
    (nulls,) = integers(statistics, 3)
    return (
        problem,
        codec,
        offset,
        size,
        values,
        nulls if 0 <= nulls <= values else -1,
        *_extremes(statistics, leaf, has_orders=has_orders),
        *_index_locations(column, end, has_order=has_orders or (leaf.physical in _WIDTHS and not leaf.is_unsigned)),
    )


UNKNOWN = (False, False, 0, 0, b"", b"")
"""The fields of `CHUNK` that tell minimum and maximum, where these are not known."""


def _index_locations(column: Struct, end: int, *, has_order: bool) -> Iterator[int]:
    """Yield where the indexes of pages lie, and how long they are; zeros for those that cannot be used."""
    for offset, size in (integers(column, 4, 5), integers(column, 6, 7) if has_order else (0, 0)):
        yield from (offset, size) if offset >= 4 and 0 < size <= end - offset else (0, 0)


def _extremes(statistics: Any, leaf: Leaf, *, has_orders: bool) -> tuple[Any, ...]:
    """Return whether minimum and maximum are known as numbers, as text, and what they are."""
    if isinstance(statistics, dict):
        low, high = _sides(statistics, leaf, has_orders=has_orders)
        if isinstance(low, bytes) and isinstance(high, bytes):
            return extremes(low, high, leaf.physical)
    return UNKNOWN


def extremes(low: bytes, high: bytes, physical: str) -> tuple[Any, ...]:
    """Return the fields of `CHUNK` that tell minimum and maximum, given as they are stored."""
    width = _WIDTHS.get(physical)
    if width is not None and len(low) == len(high) == width:
        return (True, False, int.from_bytes(low, "little"), int.from_bytes(high, "little"), b"", b"")
    return (False, True, 0, 0, low[:TEXT_BYTES], high[:TEXT_BYTES]) if physical == "BYTE_ARRAY" else UNKNOWN


def _sides(statistics: Struct, leaf: Leaf, *, has_orders: bool) -> tuple[Any, Any]:
    """Return minimum and maximum, None where their order is not known to be that of the values."""
    if 5 in statistics and 6 in statistics and has_orders:
        return statistics[6], statistics[5]
    # What older writers knew only had the order of signed numbers.
    if leaf.physical in _WIDTHS and not leaf.is_unsigned:
        return statistics.get(2), statistics.get(1)
    return None, None
