"""Thrift's compact protocol, as far as footers and headers of pages need it.

Every length is compared with what is there.  A structure is read as its values alone, or as fields that know their
types, so that it can be changed and written again.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

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


def _struct(data: bytes, at: int, depth: int, is_typed: bool = False) -> tuple[dict[int, Any], int]:
    """Return a structure, of each field a `Field` if it shall be typed, else the value, and where its bytes end."""
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
