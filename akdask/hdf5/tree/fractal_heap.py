"""The links of a group that has many of them: messages in a fractal heap, found by the index of their names.

Written from the HDF5 File Format Specification.  A heap is a table of blocks, rows of which double in size: the first
rows are blocks of links, later ones tables again.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from akdask.hdf5.tree.metadata_walk import MetadataWalk
from akdask.hdf5.tree.name_index import records_of
from akdask.hdf5.tree.object_header import UNDEFINED, Read, UnknownStructureInTreeError, demand, place_of_hard_link

_HEADER = 146
_MANAGED = 0  # type of what lies in the blocks of the heap itself
_MOST_WIDTH, _MOST_LEVELS = 1024, 32


class DenseLink(NamedTuple):
    """The walk to a link that is in a heap.

    Parameters
    ----------
    walk : MetadataWalk
        The blocks on the way; the last has the link.
    start : int
        Where the link begins in it.
    content : bytes
        The message that is the link.
    place : int
        Where the address is in the message.
    """

    walk: MetadataWalk
    start: int
    content: bytes
    place: int


class _Heap(NamedTuple):
    """What the header of a heap says.

    Parameters
    ----------
    width : int
        Blocks of a row.
    smallest, largest : int
        Bytes of the blocks of the first two rows, and of the last that are no tables.
    offset_width, length_width : int
        Bytes of the numbers that tell where a link is, and how long.
    rows : int
        Of the table that the header leads to; 0 if that is a block.
    """

    width: int
    smallest: int
    largest: int
    offset_width: int
    length_width: int
    rows: int

    @property
    def head(self) -> int:
        """Bytes of what is at the beginning of each block and table."""
        return 13 + self.offset_width

    def row_of(self, offset: int) -> int:
        """Return the row of a table that has an offset."""
        return (offset // (self.width * self.smallest)).bit_length()

    def block_size(self, row: int) -> int:
        """Return the bytes that a block of a row stands for."""
        return self.smallest << max(row - 1, 0)

    def row_start(self, row: int) -> int:
        """Return the offset at which a row begins."""
        return self.width * self.smallest << row - 1 if row else 0

    def rows_below(self, row: int) -> int:
        """Return how many rows a table has that stands in a row."""
        return (self.block_size(row) // (self.smallest * self.width)).bit_length()


def find_dense_link(read: Read, information: bytes, name: bytes) -> DenseLink:
    """Return a link of a group, given the message of its header that says where its links are.

    Parameters
    ----------
    read : Read
        Reads the file.
    information : bytes
        The message.
    name : bytes
        Name of the link.

    Raises
    ------
    UnknownStructureInTreeError
        If the group has no such link, or only the library can tell.
    """
    demand(information[0] == 0)
    place = 2 + (8 if information[1] & 1 else 0)
    demand(struct.unpack_from("<Q", information, place)[0] != UNDEFINED)
    walk = MetadataWalk(read, information)
    walk.fix(walk.START, 0, 2)
    found = list(records_of(walk, place + 8, name))
    # Hashes are alike by chance only; the library is asked then.
    demand(len(found) == 1)
    record, heap_id = found[0], found[0].heap_id
    walk.fix(record.node, record.start, record.stop)
    header = walk.follow(walk.START, place, _HEADER, b"FRHP\0")
    heap = _heap_of(walk, header)
    demand(len(heap_id) > heap.offset_width + heap.length_width and heap_id[0] == _MANAGED)
    offset = int.from_bytes(heap_id[1 : 1 + heap.offset_width], "little")
    length = int.from_bytes(heap_id[1 + heap.offset_width :][: heap.length_width], "little")
    start = _start_in_block(walk, header, heap, offset, length)
    content = walk.blocks[-1].content[start : start + length]
    address = place_of_hard_link(content, name)
    if address is None:
        raise UnknownStructureInTreeError
    return DenseLink(walk, start, content, address)


def _heap_of(walk: MetadataWalk, header: int) -> _Heap:
    content = walk.blocks[header].content
    filters, _, largest_object = struct.unpack_from("<HBI", content, 7)
    width, smallest, largest, bits = struct.unpack_from("<HQQH", content, 110)
    (rows,) = struct.unpack_from("<H", content, 140)
    demand(not filters and 0 < width <= _MOST_WIDTH and 0 < bits <= 64)
    demand(0 < smallest <= largest <= 2**32 and _is_power(width) and _is_power(smallest) and _is_power(largest))
    # How blocks are made, but not how much of them is in use.
    for start, stop in ((5, 14), (110, 130), (140, 142)):
        walk.fix(header, start, stop)
    length_width = (min(largest, largest_object).bit_length() - 1) // 8 + 1
    return _Heap(width, smallest, largest, (bits + 7) // 8, length_width, rows)


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


def _start_in_block(walk: MetadataWalk, header: int, heap: _Heap, offset: int, length: int) -> int:
    """Walk to the block of an object, and return where that begins in it."""
    above, place, size, rows = header, 132, heap.smallest, heap.rows
    for _ in range(_MOST_LEVELS):
        if not rows:
            demand(heap.head <= offset and offset + length <= size)
            walk.follow(above, place, size, b"FHDB\0")
            return offset
        row = heap.row_of(offset)
        demand(row < rows)
        table = walk.follow(above, place, heap.head + 8 * heap.width * rows, b"FHIB\0")
        column, offset = divmod(offset - heap.row_start(row), heap.block_size(row))
        size = heap.block_size(row)
        above, place = table, heap.head + 8 * (heap.width * row + column)
        rows = heap.rows_below(row) if size > heap.largest else 0
    raise UnknownStructureInTreeError
