"""Thrift's compact protocol, as far as headers of pages need it: read only, every length compared with what is there."""

from __future__ import annotations

from typing import Any, TypeAlias

Struct: TypeAlias = dict[int, Any]
"""The fields of a structure by their numbers."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
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
    reader = _Reader(data)
    return reader.struct(0), reader.at


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    def _byte(self) -> int:
        if self.at >= len(self._data):
            raise CutShortError("the bytes end within a structure")
        self.at += 1
        return self._data[self.at - 1]

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self.at:
            raise CutShortError("the bytes end within a structure")
        self.at += size
        return self._data[self.at - size : self.at]

    def _varint(self) -> int:
        found = 0
        for place in range(_LONGEST):
            byte = self._byte()
            found |= (byte & 127) << 7 * place
            if byte < 128:
                return found
        raise ThriftError("a number has more than 64 bits")

    def _int(self) -> int:
        raw = self._varint()
        return (raw >> 1) ^ -(raw & 1)

    def struct(self, depth: int) -> Struct:
        if depth > _DEEPEST:
            raise ThriftError("structures are nested too deep")
        found: Struct = {}
        number = 0
        while (head := self._byte()) != 0:
            number = number + (head >> 4) if head >> 4 else self._int()
            kind = head & 15
            found[number] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        match kind:
            case 1 | 2 | 3:  # bools in lists, and bytes
                return self._byte()
            case 4 | 5 | 6:
                return self._int()
            case 7:
                return self._take(8)
            case 8:
                return self._take(self._varint())
            case 9 | 10:
                return self._items(depth)
            case 12:
                return self.struct(depth + 1)
        raise ThriftError(f"a field has type {kind}")

    def _items(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 < 15 else self._varint()
        if count > len(self._data) - self.at:
            raise CutShortError("the bytes end within a list")
        return [self._value(head & 15, depth + 1) for _ in range(count)]
