"""The blocks of metadata that an old-style HDF5 file is made of, and the numbers in them that differ from file to file.

Written from the HDF5 File Format Specification: superblock 0, symbol tables, object headers 1 and contiguous data,
which is what servers write.  Anything else is left to the library.  Files of one set have the same blocks, but these
lie elsewhere in each, as the data between them has another length.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Read: TypeAlias = Callable[[int, int], bytes]
"""Returns bytes of a file, given where they begin and how many there are; fewer at its end."""

UNDEFINED = 2**64 - 1
"""Address of what is nowhere."""

_SUPERBLOCK = b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0"
_END, _ROOT, _ROOT_CACHE, _ROOT_CACHED = 40, 64, 72, 80
_IS_GROUP, _IS_LINK = 1, 2  # what is cached of a member
_NIL, _DATASPACE, _DATATYPE, _OLD_FILL, _FILL, _LAYOUT, _ATTRIBUTE = 0x0, 0x1, 0x3, 0x4, 0x5, 0x8, 0xC
_COMMENT, _CONTINUATION, _SYMBOL_TABLE, _MODIFIED = 0xD, 0x10, 0x11, 0x12
_THE_SAME = {_NIL, _DATATYPE, _OLD_FILL, _FILL, _ATTRIBUTE, _COMMENT}
_IS_SHARED = 2  # flag of a message that is kept elsewhere
_DEEPEST = 5  # groups that contain themselves go on for ever
_MOST_BLOCKS, _MOST_BYTES = 2**17, 2**24  # more than ten thousand columns need

_Field: TypeAlias = tuple[int, int]
"""Place and bytes of a number in a block."""


class UnknownStructureError(Exception):
    """The file has a structure that only the library understands."""


class MetadataBlock(NamedTuple):
    """Bytes that are the same in all files of a structure, but for the numbers among them.

    Parameters
    ----------
    at : int
        Which number of the file is the address.
    size : int
        Bytes.
    layout : Struct
        The same bytes and numbers in turn.
    same : tuple of bytes
        What is the same.
    """

    at: int
    size: int
    layout: struct.Struct
    same: tuple[bytes, ...]


class DatasetNumbers(NamedTuple):
    """Which numbers are length, address and bytes of a dataset, and how many bytes an element has."""

    length: int
    address: int
    nbytes: int
    width: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The metadata blocks that similar files have in common.

    Parameters
    ----------
    blocks : sequence of MetadataBlock
        All blocks but data, each after the block that holds its address.
    equal : sequence of (int, int)
        Numbers that say the same.
    end : int
        Which number is the size of the file.
    datasets : mapping of str to DatasetNumbers
        By path.
    """

    blocks: Sequence[MetadataBlock]
    equal: Sequence[tuple[int, int]]
    end: int
    datasets: Mapping[str, DatasetNumbers]

    def numbers(self, read: Read) -> list[int] | None:
        """Return the numbers of a file of this structure, None for any other file."""
        found = [0]
        try:
            for at, size, layout, same in self.blocks:
                values = layout.unpack(read(found[at], size))
                if values[::2] != same:
                    return None
                found += values[1::2]
        except (struct.error, OverflowError):
            return None
        return found


def structure_of(read: Read) -> Structure:
    """Return the structure of a file that the library has found to be sound.

    Raises
    ------
    UnknownStructureError
        If there is anything in it that is not known here.
    """
    walk = _Walk(read)
    try:
        end = walk.superblock()
    except (struct.error, IndexError, OverflowError, RecursionError, ValueError) as error:
        raise UnknownStructureError from error
    return Structure(tuple(walk.blocks), tuple(walk.equal), end, walk.datasets)


class _Walk:
    """A walk through all blocks of a file; `at` says which of the numbers met is an address."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._numbers = [0]
        self._nbytes = 0
        self.blocks: list[MetadataBlock] = []
        self.equal: list[tuple[int, int]] = []
        self.datasets: dict[str, DatasetNumbers] = {}

    def superblock(self) -> int:
        """Take in the whole file; return which number is its size."""
        content = self._content(0, 96)
        # Offsets count from the first byte.
        _demand(content.startswith(_SUPERBLOCK) and not any(content[24:32]))
        end, root, *cached = self._take(0, content, [(_END, 8), (_ROOT, 8), *_cached(content, _ROOT_CACHE)])
        self._object(root, "", cached, 0)
        return end

    def _content(self, at: int, size: int) -> bytes:
        _demand(size <= _MOST_BYTES)
        content = self._read(self._numbers[at], size)
        _demand(len(content) == size)
        return content

    def _take(self, at: int, content: bytes, fields: Sequence[_Field]) -> list[int]:
        """Add a block, and return which numbers its fields are; they are in the order of their places."""
        self._nbytes += len(content)
        _demand(len(self.blocks) < _MOST_BLOCKS and self._nbytes <= _MOST_BYTES)
        code, end = "<", 0
        for place, size in fields:
            code += f"{place - end}s{'Q' if size == 8 else 'I'}"
            end = place + size
        layout = struct.Struct(f"{code}{len(content) - end}s")
        values = layout.unpack(content)
        self.blocks.append(MetadataBlock(at, len(content), layout, values[::2]))
        first = len(self._numbers)
        self._numbers += values[1::2]
        return list(range(first, len(self._numbers)))

    def _object(self, at: int, path: str, cached: Sequence[int], depth: int) -> None:
        """Take in a group or a dataset; `cached` is what its entry says of a group."""
        _demand(depth < _DEEPEST)
        header = self._content(at, 16)
        _demand(header[0] == 1)
        chunks = [(at, 16 + struct.unpack_from("<I", header, 8)[0], 16)]
        found: dict[int, list[int]] = {}
        width = 0
        for chunk, size, start in chunks:
            content = self._content(chunk, size)
            messages = list(_messages(content, start))
            taken = iter(self._take(chunk, content, [field for _, _, fields in messages for field in fields]))
            for kind, place, fields in messages:
                # Of two messages of a kind the library takes one.
                _demand(kind in _THE_SAME - {_DATATYPE} or kind == _CONTINUATION or kind not in found)
                found[kind] = [next(taken) for _ in fields]
                if kind == _CONTINUATION:
                    chunks.append((found[kind][0], struct.unpack_from("<Q", content, place + 8)[0], 0))
                if kind == _DATATYPE:
                    (width,) = struct.unpack_from("<I", content, place + 4)
        match found:
            case {0x11: [tree, heap]} if _LAYOUT not in found:
                self.equal += zip(cached, (tree, heap), strict=False)
                self._group(tree, heap, path, depth)
            case {0x1: [length, *maximum], 0x8: [address, nbytes]} if not cached:
                self.equal += [(length, number) for number in maximum]
                self.datasets[path] = DatasetNumbers(length, address, nbytes, width)
            case _:
                raise UnknownStructureError

    def _group(self, tree: int, heap: int, path: str, depth: int) -> None:
        header = self._content(heap, 32)
        _demand(header.startswith(b"HEAP\0"))
        (data,) = self._take(heap, header, [(24, 8)])
        names = self._content(data, struct.unpack_from("<Q", header, 8)[0])
        self._take(data, names, [])
        level = [tree]
        while level:
            level, tables = self._tree_level(level)
            for table in tables:
                self._table(table, names, path, depth)

    def _tree_level(self, nodes: Sequence[int]) -> tuple[list[int], list[int]]:
        """Take in the nodes of one level of a tree; return the nodes and the tables of members below it."""
        below: tuple[list[int], list[int]] = ([], [])
        depths = set()
        for position, at in enumerate(nodes):
            head = self._content(at, 24)
            _demand(head.startswith(b"TREE\0"))
            depths.add(head[5])
            sides = [side for side in (-1, 1) if 0 <= position + side < len(nodes)]
            (used,) = struct.unpack_from("<H", head, 6)
            positions = [*(12 + 4 * side for side in sides), *range(32, 32 + 16 * used, 16)]
            taken = self._take(at, self._content(at, 32 + 16 * used), [(place, 8) for place in positions])
            self.equal += [(number, nodes[position + side]) for number, side in zip(taken, sides, strict=False)]
            below[head[5] == 0].extend(taken[len(sides) :])
        _demand(len(depths) == 1)
        return below

    def _table(self, at: int, names: bytes, path: str, depth: int) -> None:
        """Take in some members of a group."""
        head = self._content(at, 8)
        _demand(head.startswith(b"SNOD\1"))
        (count,) = struct.unpack_from("<H", head, 6)
        content = self._content(at, 8 + 40 * count)
        entries = range(8, 8 + 40 * count, 40)
        fields = [[(entry + 8, 8), *_cached(content, entry + 16)] for entry in entries]
        taken = iter(self._take(at, content, [field for own in fields for field in own]))
        for entry, own in zip(entries, fields, strict=True):
            (start,) = struct.unpack_from("<Q", content, entry)
            name = names[start : names.index(b"\0", start)].decode(errors="surrogateescape")
            header, *cached = [next(taken) for _ in own]
            self._object(header, f"{path}/{name}" if path else name, cached, depth + 1)


def _demand(is_known: bool) -> None:
    if not is_known:
        raise UnknownStructureError


def _cached(content: bytes, place: int) -> list[_Field]:
    """Return the fields of what an entry of a table says of its group, if it does."""
    (kind,) = struct.unpack_from("<I", content, place)
    _demand(kind != _IS_LINK)
    return [(place + 8, 8), (place + 16, 8)] if kind == _IS_GROUP else []


def _messages(content: bytes, place: int) -> Iterator[tuple[int, int, list[_Field]]]:
    """Yield kind, place and fields of the messages of a header."""
    while place + 8 <= len(content):
        kind, size, flags = struct.unpack_from("<HHB", content, place)
        place += 8
        _demand(place + size <= len(content) and not flags & _IS_SHARED)
        yield kind, place, [(place + offset, nbytes) for offset, nbytes in _fields(kind, content[place : place + size])]
        place += size


def _fields(kind: int, message: bytes) -> list[_Field]:
    """Return the numbers of a message: addresses, lengths and times."""
    match kind:
        case 0x1:  # one dimension: its length, and how long it may become
            _demand(message[:2] == b"\1\1" and message[2] < 2)
            return [(8, 8), (16, 8)][: 1 + message[2]]
        case 0x8:  # contiguous data: address and bytes
            _demand(message[:2] == b"\3\1")
            return [(2, 8), (10, 8)]
        case 0x10:
            return [(0, 8)]
        case 0x11:
            return [(0, 8), (8, 8)]
        case 0x12:
            _demand(message[0] == 1)
            return [(4, 4)]
    _demand(kind in _THE_SAME)
    return []
