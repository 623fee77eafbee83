"""Thrift's compact protocol, as far as headers of pages need it; every length is compared with what is there."""

from __future__ import annotations

from typing import Any, TypeAlias

Struct: TypeAlias = dict[int, Any]
"""The fields of a structure by their numbers."""

_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 12
_INTS = (4, 5, 6)
_DEEPEST = 16
_LONGEST = 10  # bytes of a varint of 64 bits


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


def integers(struct: Any, *numbers: int) -> tuple[int, ...]:
    """Return fields of a structure that are whole numbers, -1 for those that are missing or no such.

    Examples
    --------
    >>> integers({1: 7, 2: b"seven"}, 1, 2, 3)
    (7, -1, -1)
    """
    if not isinstance(struct, dict):
        return (-1,) * len(numbers)
    found = (struct.get(number) for number in numbers)
    return tuple(item if type(item) is int else -1 for item in found)


def _struct(data: bytes, at: int, depth: int) -> tuple[Struct, int]:
    # There is a header for some thousand rows, so this is written to be quick.
    if depth > _DEEPEST:
        raise ThriftError("structures are nested too deep")
    found: Struct = {}
    number = 0
    while head := data[at]:
        at += 1
        kind = head & 15
        if head >> 4:
            number += head >> 4
        else:
            number, at = _int(data, at)
        if kind in _INTS and data[at] < 128:
            found[number] = (data[at] >> 1) ^ -(data[at] & 1)
            at += 1
        elif kind in (_TRUE, _FALSE):
            found[number] = kind == _TRUE
        else:
            found[number], at = _value(data, at, kind, depth)
    return found, at + 1


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[Any, int]:
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
        return _items(data, at, depth)
    if kind == _STRUCT:
        return _struct(data, at, depth + 1)
    raise ThriftError(f"a field has type {kind}")


def _items(data: bytes, at: int, depth: int) -> tuple[list[Any], int]:
    head = data[at]
    count, at = (head >> 4, at + 1) if head >> 4 < 15 else _varint(data, at + 1)
    if count > len(data) - at:
        raise CutShortError("the bytes end within a list")
    found = []
    for _ in range(count):
        item, at = _value(data, at, head & 15, depth + 1)
        found.append(item)
    return found, at


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
