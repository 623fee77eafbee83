"""The metadata blocks of an old-style file: superblock 0, symbol tables, object headers 1 and contiguous data.

Servers write such files.  The library describes any other.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from akdask.formats.hdf5.binary import (
    IS_GROUP,
    IS_LINK,
    UNKNOWN,
    MemberEntry,
    MessageKind,
    Read,
    UnknownStructureError,
    Walk,
    WalkedBlock,
    demand,
    entries_of,
    name_heap,
    old_superblock,
    read_header,
    tree_levels,
)
from akdask.records import record

_DEEPEST = 5  # groups that contain themselves have no end
_REPEATED = {
    MessageKind.NIL,
    MessageKind.OLD_FILL,
    MessageKind.FILL,
    MessageKind.ATTRIBUTE,
    MessageKind.COMMENT,
    MessageKind.CONTINUATION,
}
"""Messages of which a header may have several: the library uses one of two of any other kind."""


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
        Bytes shared by all files.
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


@record
class Structure:
    """The metadata blocks that similar files have in common.

    Parameters
    ----------
    blocks : sequence of MetadataBlock
        All blocks but data, each after the block that holds its address.
    equal : sequence of (int, int)
        Groups of numbers that must be equal.
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


def structure_of(read: Read) -> Structure | None:
    """Return the structure of a file that the library has found to be sound; None if anything in it is unknown here."""
    try:
        return _FileWalk(read).structure()
    except (*UNKNOWN, RecursionError):
        return None


class _FileWalk:
    """A walk through all blocks of a file."""

    def __init__(self, read: Read) -> None:
        self._walk = Walk(read)
        self._equal: list[tuple[int, int]] = []
        self._datasets: dict[str, DatasetNumbers] = {}

    def structure(self) -> Structure:
        """Walk through the whole file, and number its numbers in the order in which blocks are unpacked."""
        end, root, entry = old_superblock(self._walk)
        self._object(root, "", self._hints(entry), 0)
        number = {0: 0}
        blocks = []
        for block in self._walk.blocks:
            at = number[block.address]
            fields = sorted((place, size, old) for place, (size, old) in block.fields.items())
            number.update({old: position for position, (_, _, old) in enumerate(fields, len(number))})
            blocks.append(_metadata_block(at, block.content, [(place, size) for place, size, _ in fields]))
        return Structure(
            tuple(blocks),
            tuple((number[left], number[right]) for left, right in self._equal),
            number[end],
            {
                path: DatasetNumbers(number[length], number[address], number[nbytes], width)
                for path, (length, address, nbytes, width) in self._datasets.items()
            },
        )

    def _object(self, at: int, path: str, told: Sequence[int], depth: int) -> None:
        """Walk through a group or a dataset; `told` are the numbers of a group in its entry."""
        demand(depth < _DEEPEST)
        header = read_header(self._walk, at)
        demand(header.version == 1)
        found: dict[int, list[int]] = {}
        width = 0
        for message in header.messages:
            demand(not message.is_shared and (message.kind in _REPEATED or message.kind not in found))
            fields = _fields(message.kind, message.content)
            found[message.kind] = [
                self._walk.number(message.block, message.place + place, size) for place, size in fields
            ]
            if message.kind == MessageKind.DATATYPE:
                (width,) = struct.unpack_from("<I", message.content, 4)
        match found:
            case {MessageKind.SYMBOL_TABLE: [tree, heap]} if MessageKind.LAYOUT not in found:
                self._equal += zip(told, (tree, heap), strict=False)
                self._group(tree, heap, path, depth)
            case {MessageKind.DATASPACE: [length, *maximum], MessageKind.LAYOUT: [address, nbytes]} if not told:
                self._equal += [(length, number) for number in maximum]
                self._datasets[path] = DatasetNumbers(length, address, nbytes, width)
            case _:
                raise UnknownStructureError

    def _group(self, tree: int, heap: int, path: str, depth: int) -> None:
        names = self._walk.block(*name_heap(self._walk, heap)).content
        *nodes, tables = tree_levels(self._walk, tree)
        for level in nodes:
            self._siblings(level)
        for entry in (entry for table in tables for entry in entries_of(table)):
            start = entry.name_start
            name = names[start : names.index(b"\0", start)].decode(errors="surrogateescape")
            header = self._walk.number(entry.block, entry.place + 8)
            self._object(header, f"{path}/{name}" if path else name, self._hints(entry), depth + 1)

    def _siblings(self, level: Sequence[WalkedBlock]) -> None:
        """Demand that the nodes of a level of a tree know their neighbours."""
        for left, right in pairwise(level):
            self._equal.append((self._walk.number(left, 16), right.address))
            self._equal.append((self._walk.number(right, 8), left.address))

    def _hints(self, entry: MemberEntry) -> list[int]:
        """Return the numbers with which a table's entry describes its group, if it does."""
        demand(entry.kind != IS_LINK)
        if entry.kind != IS_GROUP:
            return []
        return [self._walk.number(entry.block, entry.place + place) for place in (24, 32)]


def _metadata_block(at: int, content: bytes, fields: Sequence[tuple[int, int]]) -> MetadataBlock:
    code, end = "<", 0
    for place, size in fields:
        code += f"{place - end}s{'Q' if size == 8 else 'I'}"
        end = place + size
    layout = struct.Struct(f"{code}{len(content) - end}s")
    return MetadataBlock(at, len(content), layout, layout.unpack(content)[::2])


def _fields(kind: int, message: bytes) -> list[tuple[int, int]]:
    """Return places and bytes of the numbers of a message: addresses, lengths and times."""
    match kind:
        case MessageKind.DATASPACE:  # one dimension: its length, and how long it may become
            demand(message[:2] == b"\1\1" and message[2] < 2)
            return [(8, 8), (16, 8)][: 1 + message[2]]
        case MessageKind.LAYOUT:  # contiguous data: address and bytes
            demand(message[:2] == b"\3\1")
            return [(2, 8), (10, 8)]
        case MessageKind.CONTINUATION:
            return [(0, 8)]
        case MessageKind.SYMBOL_TABLE:
            return [(0, 8), (8, 8)]
        case MessageKind.MODIFIED:
            demand(message[0] == 1)
            return [(4, 4)]
    demand(kind in _REPEATED or kind == MessageKind.DATATYPE)
    return []
