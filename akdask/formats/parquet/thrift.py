"""Thrift's compact protocol, as far as footers and page headers use it, and the row groups in footers.

Every length is compared with the available bytes.  A structure is read as its values alone, or as typed fields, so that
it can be changed and written again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.formats.parquet import loops
from akdask.storage.source import TEXT_BYTES

Struct: TypeAlias = dict[int, Any]
"""The fields of a structure by their numbers."""

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTS = (4, 5, 6)
_DEEPEST = 16
_LONGEST = 10  # bytes of a varint of 64 bits
_FEW = 15  # items whose number fits into the head of a list


class Field(NamedTuple):
    """A field of a structure, with its type on the wire."""

    kind: int
    value: Any
    """A number, bytes, `Fields`, or for lists the type of the items and the items."""


Fields: TypeAlias = dict[int, Field]
"""The fields of a structure by their numbers, as they can be written again."""


class ThriftError(ValueError):
    """Bytes that are no structure."""


class CutShortError(ThriftError):
    """The bytes end before the structure does."""


def read_struct(data: bytes) -> tuple[Struct, int]:
    """Return the structure that some bytes begin with, and how many bytes it has.

    Raises
    ------
    CutShortError
        If more bytes are needed.
    ThriftError
        If it is none.

    Examples
    --------
    >>> read_struct(bytes([0x15, 0x02, 0x15, 0x06, 0x00, 0xFF]))
    ({1: 1, 2: 3}, 5)
    """
    try:
        return _struct(data, 0, 0)
    except IndexError:
        raise CutShortError("the bytes end within a structure") from None


def read_fields(data: bytes) -> tuple[Fields, int]:
    """Return the structure that some bytes begin with, so that it can be written again, and how many bytes it has.

    For errors see `read_struct`.

    Examples
    --------
    >>> read_fields(bytes([0x15, 0x02, 0x15, 0x06, 0x00, 0xFF]))
    ({1: Field(kind=5, value=1), 2: Field(kind=5, value=3)}, 5)
    """
    try:
        return _struct(data, 0, 0, is_typed=True)
    except IndexError:
        raise CutShortError("the bytes end within a structure") from None


def write_fields(fields: Fields) -> bytes:
    """Return the bytes of a structure, its fields in the order of their numbers.

    Examples
    --------
    >>> write_fields({1: Field(5, 1), 2: Field(5, 3)}).hex()
    '1502150600'
    """
    out = bytearray()
    _put_fields(out, fields)
    return bytes(out)


def changed_fields(fields: Fields, values: Mapping[int, Any]) -> Fields:
    """Return fields of which some have other values, of their own types.

    Examples
    --------
    >>> changed_fields({1: Field(5, 1), 2: Field(5, 3)}, {2: 4})
    {1: Field(kind=5, value=1), 2: Field(kind=5, value=4)}
    """
    return {**fields, **{number: Field(fields[number].kind, value) for number, value in values.items()}}


def integers(struct: Any, *numbers: int) -> tuple[int, ...]:
    """Return the integer fields of a structure, -1 for missing ones and other types.

    Examples
    --------
    >>> integers({1: 7, 2: b"seven"}, 1, 2, 3)
    (7, -1, -1)
    """
    if not isinstance(struct, dict):
        return (-1,) * len(numbers)
    found = (struct.get(number) for number in numbers)
    return tuple(item if type(item) is int else -1 for item in found)


def _struct(data: bytes, at: int, depth: int, is_typed: bool = False) -> tuple[dict[int, Any], int]:
    """Return a structure, with a `Field` or the value for each field, and the position behind it."""
    # There is a header for some thousand rows, so this is written to be quick.
    if depth > _DEEPEST:
        raise ThriftError("structures are nested too deep")
    found: dict[int, Any] = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _int(data, at)
        if kind in _INTS and data[at] < 128:
            value: Any = (data[at] >> 1) ^ -(data[at] & 1)
            at += 1
        elif kind in (_TRUE, _FALSE):
            value = kind == _TRUE
        else:
            value, at = _value(data, at, kind, depth, is_typed)
        found[number] = Field(kind, value) if is_typed else value
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int, is_typed: bool) -> tuple[Any, int]:
    if kind in _INTS:
        return _int(data, at)
    if kind in (_TRUE, _FALSE, _BYTE):  # bools inside of lists
        return data[at], at + 1
    if kind in (_BINARY, _DOUBLE):
        size, at = (8, at) if kind == _DOUBLE else _varint(data, at)
        if size > len(data) - at:
            raise CutShortError("the bytes end within a structure")
        return data[at : at + size], at + size
    if kind in (_LIST, _SET):
        return _items(data, at, depth, is_typed)
    if kind == _STRUCT:
        return _struct(data, at, depth + 1, is_typed)
    raise ThriftError(f"a field has type {kind}")


def _items(data: bytes, at: int, depth: int, is_typed: bool) -> tuple[Any, int]:
    head = data[at]
    count, at = (head >> 4, at + 1) if head >> 4 < _FEW else _varint(data, at + 1)
    if count > len(data) - at:
        raise CutShortError("the bytes end within a list")
    found = []
    for _ in range(count):
        item, at = _value(data, at, head & 15, depth + 1, is_typed)
        found.append(item)
    return (head & 15, found) if is_typed else found, at


def _int(data: bytes, at: int) -> tuple[int, int]:
    raw, at = _varint(data, at)
    return (raw >> 1) ^ -(raw & 1), at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    found = 0
    for place in range(_LONGEST):
        byte = data[at + place]
        found |= (byte & 127) << 7 * place
        if byte < 128:
            return found, at + place + 1
    raise ThriftError("a number has more than 64 bits")


def _put_fields(out: bytearray, fields: Fields) -> None:
    last = 0
    for number in sorted(fields):
        kind, value = fields[number]
        if kind in (_TRUE, _FALSE):
            kind = _TRUE if value else _FALSE
        if 0 < number - last <= _FEW:
            out.append((number - last) << 4 | kind)
        else:
            out.append(kind)
            _put_int(out, number)
        if kind not in (_TRUE, _FALSE):
            _put_value(out, kind, value)
        last = number
    out.append(0)


def _put_value(out: bytearray, kind: int, value: Any) -> None:
    if kind in _INTS:
        _put_int(out, value)
    elif kind in (_TRUE, _FALSE, _BYTE):
        out.append(value)
    elif kind == _STRUCT:
        _put_fields(out, value)
    elif kind in (_LIST, _SET):
        item_kind, items = value
        out.append(min(len(items), _FEW) << 4 | item_kind)
        if len(items) >= _FEW:
            _put_varint(out, len(items))
        for item in items:
            _put_value(out, item_kind, item)
    else:
        if kind == _BINARY:
            _put_varint(out, len(value))
        out += value


def _put_int(out: bytearray, value: int) -> None:
    _put_varint(out, (value << 1) ^ (value >> 63))


def _put_varint(out: bytearray, value: int) -> None:
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)


CHUNK = np.dtype(
    [
        ("problem", "|i1"),  # position in PROBLEMS
        ("codec", "|i1"),  # position in CODECS
        ("offset", "<i8"),  # of the first page, that of the dictionary if there is one
        ("size", "<i8"),  # bytes of all pages in the file
        ("values", "<i8"),  # with nulls; for lists, the number of items
        ("nulls", "<i8"),  # -1 where unknown
        ("bounded", "?"),  # minimum and maximum hold: the bits of the physical type
        ("spelled", "?"),  # low and high hold: the first bytes of text
        ("minimum", "<u8"),
        ("maximum", "<u8"),
        ("low", f"S{TEXT_BYTES}"),
        ("high", f"S{TEXT_BYTES}"),
        ("pages", "<i8"),  # position of its offset index, which has the positions of pages; 0 without one
        ("pages_size", "<i8"),
        ("bounds", "<i8"),  # position of its column index, which has minima and maxima of pages; 0 without one
        ("bounds_size", "<i8"),
    ]
)
"""The metadata of a column in one row group, or in one page."""

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
    """The schema of a leaf."""

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
        The leaves of the schema.
    end : int
        Where the footer begins in its file: all chunks end before.

    Returns
    -------
    rows : ndarray, shape (nrowgroups,), int64
        At least 0 each, with the footer's total, unless that is 0, as their sum.
    chunks : ndarray, shape (nleaves, nrowgroups), dtype `CHUNK`
        Chunks with a problem cannot be read.

    Raises
    ------
    ThriftError
        If the structure makes no sense.
    """
    plain = _plain_row_groups(footer, leaves, end)
    return row_groups_of(read_struct(footer)[0], leaves, end) if plain is None else plain


def _plain_row_groups(
    footer: bytes, leaves: Sequence[Leaf], end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.void]] | None:
    """Return what `row_groups_of` does of a footer as most writers have it, without any problem; None for others."""
    about = [(PHYSICAL.index(leaf.physical), leaf.is_flat, leaf.is_unsigned) for leaf in leaves]
    types = np.array(about, np.int64).reshape(-1, 3)
    total, groups = np.zeros(1, np.int64), 0
    for _ in range(2):
        rows, chunks = np.zeros(groups, np.int64), np.zeros((len(leaves), groups), CHUNK)
        raw = chunks.view(np.uint8).reshape(-1, CHUNK.itemsize)
        groups = loops.read_row_groups(footer, types, end, total, rows, raw)
        if groups <= 0:
            return None
    of_all = sum(rows.tolist())
    if rows.min() < 0 or of_all >= 2**63 or int(total[0]) not in {0, of_all}:
        return None
    return rows, chunks


def row_groups_of(
    found: Struct, leaves: Sequence[Leaf], end: int
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.void]]:
    """Return the rows of each row group, and all column chunks, of a parsed structure; see `read_row_groups`."""
    groups = found.get(4, [])
    if not isinstance(groups, list):
        raise ThriftError("there are no row groups")
    rows = [integers(group, 3)[0] for group in groups]
    (total,) = integers(found, 3)
    # Some writers leave the total at 0.
    if min(rows, default=0) < 0 or sum(rows) >= 2**63 or total not in {0, sum(rows)}:
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
    # Some writers store 0 where there is no dictionary.
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
"""The fields of `CHUNK` for minimum and maximum, where these are unknown."""


def _index_locations(column: Struct, end: int, *, has_order: bool) -> Iterator[int]:
    """Yield positions and lengths of the indexes of pages; zeros for unusable ones."""
    for offset, size in (integers(column, 4, 5), integers(column, 6, 7) if has_order else (0, 0)):
        yield from (offset, size) if offset >= 4 and 0 < size <= end - offset else (0, 0)


def _extremes(statistics: Any, leaf: Leaf, *, has_orders: bool) -> tuple[Any, ...]:
    """Return whether minimum and maximum are known as numbers, whether as text, and their values."""
    if isinstance(statistics, dict):
        low, high = _sides(statistics, leaf, has_orders=has_orders)
        if isinstance(low, bytes) and isinstance(high, bytes):
            return extremes(low, high, leaf.physical)
    return UNKNOWN


def extremes(low: bytes, high: bytes, physical: str) -> tuple[Any, ...]:
    """Return the fields of `CHUNK` for a stored minimum and maximum."""
    width = _WIDTHS.get(physical)
    if width is not None and len(low) == len(high) == width:
        return (True, False, int.from_bytes(low, "little"), int.from_bytes(high, "little"), b"", b"")
    return (False, True, 0, 0, low[:TEXT_BYTES], high[:TEXT_BYTES]) if physical == "BYTE_ARRAY" else UNKNOWN


def _sides(statistics: Struct, leaf: Leaf, *, has_orders: bool) -> tuple[Any, Any]:
    """Return minimum and maximum, None where their order is not known to be that of the values."""
    if 5 in statistics and 6 in statistics and has_orders:
        return statistics[6], statistics[5]
    # Statistics of older writers are right only in the order of signed numbers.
    if leaf.physical in _WIDTHS and not leaf.is_unsigned:
        return statistics.get(2), statistics.get(1)
    return None, None
