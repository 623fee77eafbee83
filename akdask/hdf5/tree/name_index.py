"""The index of the names of a group with many links: a B-tree of version 2, whose records are in the order of hashes.

Written from the HDF5 File Format Specification: nodes of record type 5.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from akdask.hdf5.tree.lookup3 import lookup3
from akdask.hdf5.tree.metadata_walk import MetadataWalk
from akdask.hdf5.tree.object_header import demand

_NAMES = 5  # type of the records
_HEADER = 38
_HEAD, _CHECKSUM = 6, 4  # bytes of a node before its records, and behind them
_HASH = 4
_MOST_LEVELS = 32


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
    wanted = lookup3(name)
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
