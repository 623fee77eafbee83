"""The index of the names of a group with many links: a B-tree of version 2, whose records are in the order of hashes.

Written from the HDF5 File Format Specification: nodes of record type 5.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from akdask.hdf5.tree.metadata_walk import MetadataWalk
from akdask.hdf5.tree.object_header import demand

_NAMES = 5  # type of the records
_HEADER = 38
_HEAD, _CHECKSUM = 6, 4  # bytes of a node before its records, and behind them
_HASH = 4
_MOST_LEVELS = 32
_MASK, _PART = 2**32 - 1, 12


class IndexRecord(NamedTuple):
    """A record of the index.

    Parameters
    ----------
    node : int
        Which block of the walk it is in.
    start, stop : int
        Its bytes in the block.
    heap_id : bytes
        Says where in the heap the link is.
    """

    node: int
    start: int
    stop: int
    heap_id: bytes


class _Tree(NamedTuple):
    node_size: int
    record_size: int
    depth: int

    @property
    def most_in_leaf(self) -> int:
        """Records that a leaf takes."""
        return (self.node_size - _HEAD - _CHECKSUM) // self.record_size

    def count_widths(self) -> list[tuple[int, int]]:
        """Return how many bytes count the records of a child, and those of all below it, for nodes of each level."""
        width = _width(self.most_in_leaf)
        widths = [(0, 0)]
        total = self.most_in_leaf
        for level in range(1, self.depth + 1):
            below = _width(total) if level > 1 else 0
            widths.append((width, below))
            pointer = 8 + width + below
            most = (self.node_size - _HEAD - _CHECKSUM - pointer) // (self.record_size + pointer)
            demand(most > 0)
            total = (most + 1) * total + most
        return widths


def _width(count: int) -> int:
    """Return the bytes of a number that counts so many."""
    return (count.bit_length() - 1) // 8 + 1


def records_of(walk: MetadataWalk, place: int, name: bytes) -> Iterator[IndexRecord]:
    """Yield the records of a group's index whose hash is that of a name.

    Parameters
    ----------
    walk : MetadataWalk
        Reads and keeps the nodes.
    place : int
        Place of the index's address in what the walk begins with.
    name : bytes
        The name.

    Raises
    ------
    UnknownStructureInTreeError
        If the index is made in a way that is not known here.
    """
    header = walk.follow(walk.START, place, _HEADER, b"BTHD\0")
    content = walk.blocks[header].content
    kind, node_size, record_size, depth = struct.unpack_from("<BIHH", content, 5)
    (count,) = struct.unpack_from("<H", content, 24)
    demand(kind == _NAMES and record_size > _HASH and _HEAD + _CHECKSUM + record_size < node_size)
    demand(depth <= _MOST_LEVELS)
    walk.fix(header, 5, 16)
    walk.fix(header, 24, 26)
    tree = _Tree(node_size, record_size, depth)
    wanted = name_hash(name)
    widths = tree.count_widths()
    above, place = header, 16
    for level in range(depth, -1, -1):
        size = tree.node_size if level else _HEAD + count * record_size
        demand(count <= tree.most_in_leaf and size <= tree.node_size)
        node = walk.follow(above, place, size, b"BTIN\0" if level else b"BTLF\0")
        walk.fix(node, 5, _HEAD)
        content = walk.blocks[node].content
        end = _HEAD + count * record_size
        demand(content[5] == _NAMES and end <= len(content))
        hashes = [int.from_bytes(content[at : at + _HASH], "little") for at in range(_HEAD, end, record_size)]
        first = bisect_left(hashes, wanted)
        for position in range(first, bisect_right(hashes, wanted)):
            start = _HEAD + position * record_size
            stop = start + record_size
            yield IndexRecord(node, start, stop, content[start + _HASH : stop])
        if level:
            width, below = widths[level]
            above, place = node, end + first * (8 + width + below)
            count = int.from_bytes(content[place + 8 : place + 8 + width], "little")
            walk.fix(node, place + 8, place + 8 + width)


def name_hash(name: bytes) -> int:
    """Return the hash by which names are in order: Jenkins' lookup3 of 32 bits.

    Examples
    --------
    >>> hex(name_hash(b"")), hex(name_hash(b"Four score and seven years ago"))
    ('0xdeadbeef', '0x17770551')
    """
    a = b = c = (0xDEADBEEF + len(name)) & _MASK
    if not name:
        return c
    *parts, last = [name[at : at + _PART].ljust(_PART, b"\0") for at in range(0, len(name), _PART)]
    for part in parts:
        a, b, c = _mixed(*_added(a, b, c, part))
    return _last_mixed(*_added(a, b, c, last))


def _added(a: int, b: int, c: int, part: bytes) -> tuple[int, int, int]:
    first, second, third = struct.unpack("<III", part)
    return (a + first) & _MASK, (b + second) & _MASK, (c + third) & _MASK


def _turned(word: int, bits: int) -> int:
    return ((word << bits) | (word >> (32 - bits))) & _MASK


def _mixed(a: int, b: int, c: int) -> tuple[int, int, int]:
    for bits in (4, 6, 8, 16, 19, 4):
        # The words take turns: after each step the second is the first.
        a, b, c = b, (c + b) & _MASK, ((a - c) & _MASK) ^ _turned(c, bits)
    return a, b, c


def _last_mixed(a: int, b: int, c: int) -> int:
    a, b, c = c, a, b
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, c, ((a ^ c) - _turned(c, bits)) & _MASK
    return c
