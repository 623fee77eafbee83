"""Parse HDF5's metadata: object headers and their messages, and the trees and heaps that hold links of groups.

Written from the HDF5 File Format Specification, versions 1 and 2 of headers.  Anything that is not known here is
left to the library.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Read: TypeAlias = Callable[[int, int], bytes]
"""Returns bytes of a file, given offset and length; fewer at its end."""

DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL, LAYOUT = 0x1, 0x2, 0x3, 0x6, 0x7, 0x8
CONTINUATION, SYMBOL_TABLE = 0x10, 0x11

IS_SHARED = 2
"""Flag of a message that is stored elsewhere."""

UNDEFINED = 2**64 - 1
"""The undefined address."""

_MOST_BYTES, _MOST_BLOCKS = 2**20, 64


class UnknownStructureInTreeError(Exception):
    """The file has a structure that only the library understands."""


class Message(NamedTuple):
    """A message of a header.

    Parameters
    ----------
    kind : int
        Type of the message.
    flags : int
        Bits; see `IS_SHARED`.
    block : int
        Position of its block in the header.
    head : int
        Offset in the block of the header of the message.
    place, size : int
        Its bytes in the block.
    """

    kind: int
    flags: int
    block: int
    head: int
    place: int
    size: int


@dataclass(frozen=True, slots=True)
class HeaderBlock:
    """A block of a header.

    Parameters
    ----------
    content : bytes
        The bytes of the block.
    fixed : tuple of (int, int)
        Start and stop of the bytes that define how the block is parsed, without messages.
    found_in : tuple of (int, int), optional
        Block that contains its address, and the offset in it; None for the first block.
    """

    content: bytes
    fixed: tuple[tuple[int, int], ...]
    found_in: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ObjectHeader:
    """The header of a group or a dataset, with all its messages."""

    version: int
    blocks: tuple[HeaderBlock, ...]
    messages: tuple[Message, ...]

    def content(self, message: Message) -> bytes:
        """Return the bytes of a message."""
        return self.blocks[message.block].content[message.place : message.place + message.size]

    def of_kind(self, kind: int) -> list[Message]:
        """Return the messages of a kind."""
        return [message for message in self.messages if message.kind == kind]


def demand(is_known: bool) -> None:
    """Raise unless the structure is known here."""
    if not is_known:
        raise UnknownStructureInTreeError


def content_at(read: Read, address: int, size: int) -> bytes:
    """Return a block of exactly `size` bytes."""
    demand(0 <= size <= _MOST_BYTES and 0 <= address < 2**63)
    content = read(address, size)
    demand(len(content) == size)
    return content


def read_header(read: Read, address: int) -> ObjectHeader:
    """Return the header at an address.

    Raises
    ------
    UnknownStructureInTreeError
        If there is none, or one of another version.
    """
    try:
        start = content_at(read, address, 16)
        return _read_old(read, address, start) if start[0] == 1 else _read_new(read, address, start)
    except (struct.error, IndexError) as error:
        raise UnknownStructureInTreeError from error


def _read_old(read: Read, address: int, start: bytes) -> ObjectHeader:
    (size,) = struct.unpack_from("<I", start, 8)
    # Version, number of messages, size: how often the object is linked to differs.
    blocks = [HeaderBlock(content_at(read, address, 16 + size), ((0, 4), (8, 12)))]
    messages: list[Message] = []
    for position, block in enumerate(blocks):
        for message in _old_messages(block.content, position):
            messages.append(message)
            if message.kind == CONTINUATION:
                _continue(read, blocks, message, ())
    return ObjectHeader(1, tuple(blocks), tuple(messages))


def _old_messages(content: bytes, block: int) -> Iterator[Message]:
    place = 16 if block == 0 else 0
    while place + 8 <= len(content):
        kind, size, flags = struct.unpack_from("<HHB", content, place)
        demand(place + 8 + size <= len(content))
        yield Message(kind, flags, block, place, place + 8, size)
        place += 8 + size


def _read_new(read: Read, address: int, start: bytes) -> ObjectHeader:
    demand(start.startswith(b"OHDR\2"))
    flags = start[5]
    place = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    width = 1 << (flags & 3)
    prefix = content_at(read, address, place + width)
    size = int.from_bytes(prefix[place:], "little")
    begin = place + width
    # Times are left out.
    blocks = [HeaderBlock(content_at(read, address, begin + size + 4), ((0, 6), (place, begin)))]
    messages: list[Message] = []
    for position, block in enumerate(blocks):
        for message in _new_messages(block.content, position, begin if position == 0 else 4, flags):
            messages.append(message)
            if message.kind == CONTINUATION:
                _continue(read, blocks, message, ((0, 4),))
    return ObjectHeader(2, tuple(blocks), tuple(messages))


def _new_messages(content: bytes, block: int, place: int, flags: int) -> Iterator[Message]:
    if block:
        demand(content.startswith(b"OCHK"))
    head = 6 if flags & 4 else 4
    end = len(content) - 4  # the checksum
    while place + head <= end:
        kind, size, own = struct.unpack_from("<BHB", content, place)
        demand(place + head + size <= end)
        yield Message(kind, own, block, place, place + head, size)
        place += head + size


def _continue(read: Read, blocks: list[HeaderBlock], message: Message, fixed: tuple[tuple[int, int], ...]) -> None:
    demand(len(blocks) < _MOST_BLOCKS)
    content = blocks[message.block].content
    address, size = struct.unpack_from("<QQ", content, message.place)
    blocks.append(HeaderBlock(content_at(read, address, size), fixed, (message.block, message.place)))


def place_of_hard_link(content: bytes, name: bytes) -> int | None:
    """Return where the address is in a link message, None if it links something else, or in another way."""
    version, flags = content[0], content[1]
    demand(version == 1)
    place = 2
    if flags & 8:
        if content[place]:
            return None
        place += 1
    place += (8 if flags & 4 else 0) + (1 if flags & 16 else 0)
    width = 1 << (flags & 3)
    length = int.from_bytes(content[place : place + width], "little")
    place += width
    return place + length if content[place : place + length] == name else None


Word: TypeAlias = Any
"""An integer, or an array of integers, whose lower 32 bits are used."""

_START, _MASK, _PART = 0xDEADBEEF, 2**32 - 1, 12
_FEW = 8
"""Rows below which numbers are faster than arrays."""


def lookup3(content: bytes) -> int:
    """Return the hash of bytes.

    Examples
    --------
    >>> hex(lookup3(b"")), hex(lookup3(b"Four score and seven years ago"))
    ('0xdeadbeef', '0x17770551')
    """
    a = b = c = (_START + len(content)) & _MASK
    if not content:
        return c
    *parts, last = struct.iter_unpack("<III", content.ljust(-(-len(content) // _PART) * _PART, b"\0"))
    for part in parts:
        a, b, c = _mixed(*_added((a, b, c), part))
    return int(_last_mixed(*_added((a, b, c), last)))


def lookup3_of_rows(rows: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint32]:
    """Return the hash of each row.

    Parameters
    ----------
    rows : ndarray of uint8, shape (n, nbytes)
        Rows of bytes, at least one byte each.

    Returns
    -------
    ndarray of uint32, shape (n,)
        Hashes.
    """
    n, nbytes = rows.shape
    if n < _FEW:
        return np.array([lookup3(row.tobytes()) for row in rows], np.uint32)
    padded = np.zeros((n, -(-nbytes // _PART) * _PART), np.uint8)
    padded[:, :nbytes] = rows
    # The same word of all rows is contiguous; sums of 32 bits wrap around by themselves.
    words = np.ascontiguousarray(padded.view("<u4").T)
    state: tuple[Word, Word, Word] = (np.full(n, (_START + nbytes) & _MASK, np.uint32),) * 3
    for at in range(0, len(words) - 3, 3):
        state = _mixed(*_added(state, words[at : at + 3]))
    hashes: npt.NDArray[np.uint32] = _last_mixed(*_added(state, words[-3:]))
    return hashes


def _added(state: tuple[Word, Word, Word], part: Any) -> tuple[Word, Word, Word]:
    a, b, c = ((word + more) & _MASK for word, more in zip(state, part, strict=True))
    return a, b, c


def _turned(word: Word, bits: int) -> Word:
    return ((word << bits) | (word >> (32 - bits))) & _MASK


def _mixed(a: Word, b: Word, c: Word) -> tuple[Word, Word, Word]:
    for bits in (4, 6, 8, 16, 19, 4):
        # The words take turns: after each step the second is the first.
        a, b, c = b, (c + b) & _MASK, ((a - c) & _MASK) ^ _turned(c, bits)
    return a, b, c


def _last_mixed(a: Word, b: Word, c: Word) -> Word:
    a, b, c = c, a, b
    for bits in (14, 11, 25, 16, 4, 14, 24):
        a, b, c = b, c, ((a ^ c) - _turned(c, bits)) & _MASK
    return c


@dataclass(frozen=True, slots=True)
class WalkedBlock:
    """A block on the way.

    Parameters
    ----------
    content : bytes
        The bytes that are parsed.
    found_in : tuple of (int, int)
        Block, and place in it, of its address.
    fixed : list of (int, int)
        Start and stop of the bytes that define the structure: another walk has the same structure if these are equal.
    """

    content: bytes
    found_in: tuple[int, int]
    fixed: list[tuple[int, int]] = field(default_factory=list)


class MetadataWalk:
    """Blocks that were walked through, in this order.

    Parameters
    ----------
    read : Read
        Reads the file.
    start : bytes
        The block at which the walk starts; its number is `START`.

    Attributes
    ----------
    blocks : list of WalkedBlock
        The first block is the one at which the walk starts.
    """

    START = 0

    def __init__(self, read: Read, start: bytes) -> None:
        self._read = read
        self.blocks = [WalkedBlock(start, (self.START, 0))]

    def fix(self, block: int, start: int, stop: int) -> None:
        """Demand these bytes of a block from other walks as well."""
        self.blocks[block].fixed.append((start, stop))

    def follow(self, block: int, place: int, size: int, signature: bytes) -> int:
        """Read a block that begins with a signature, and return its number.

        Parameters
        ----------
        block, place : int
            Where its address is.
        size : int
            Its bytes.
        signature : bytes
            Its first bytes, version included.

        Raises
        ------
        UnknownStructureInTreeError
            If there is no such block.
        """
        (address,) = struct.unpack_from("<Q", self.blocks[block].content, place)
        content = content_at(self._read, address, size)
        demand(content.startswith(signature))
        self.blocks.append(WalkedBlock(content, (block, place), [(0, len(signature))]))
        return len(self.blocks) - 1


_NAMES = 5  # type of the records
_INDEX_HEADER = 38
_HEAD, _CHECKSUM = 6, 4  # bytes of a node before its records, and behind them
_HASH = 4
_MOST_INDEX_LEVELS = 32


class IndexRecord(NamedTuple):
    """A record of the index.

    Parameters
    ----------
    node : int
        Which block of the walk it is in.
    start, stop : int
        Its bytes in the block.
    heap_id : bytes
        Id of the link in the heap.
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
        """Maximum number of records in a leaf."""
        return (self.node_size - _HEAD - _CHECKSUM) // self.record_size

    def count_widths(self) -> list[tuple[int, int]]:
        """Return for nodes of each level the widths of two counts: a child's records, and all records below it."""
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
    """Return the width in bytes of a number that counts up to `count`."""
    return (count.bit_length() - 1) // 8 + 1


def records_of(walk: MetadataWalk, place: int, name: bytes) -> Iterator[IndexRecord]:
    """Yield the records of a group's index whose hash is that of a name.

    Parameters
    ----------
    walk : MetadataWalk
        Reads and caches the nodes.
    place : int
        Offset of the index's address in the first block.
    name : bytes
        The name.

    Raises
    ------
    UnknownStructureInTreeError
        If the index is made in a way that is not known here.
    """
    header = walk.follow(walk.START, place, _INDEX_HEADER, b"BTHD\0")
    content = walk.blocks[header].content
    kind, node_size, record_size, depth = struct.unpack_from("<BIHH", content, 5)
    (count,) = struct.unpack_from("<H", content, 24)
    demand(kind == _NAMES and record_size > _HASH and _HEAD + _CHECKSUM + record_size < node_size)
    demand(depth <= _MOST_INDEX_LEVELS)
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


_HEADER = 146
_MANAGED = 0  # type of objects stored in the blocks of the heap itself
_MOST_WIDTH, _MOST_LEVELS = 1024, 32


class DenseLink(NamedTuple):
    """The walk to a link that is in a heap.

    Parameters
    ----------
    walk : MetadataWalk
        The blocks on the way; the last contains the link.
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
    """Fields of the header of a heap.

    Parameters
    ----------
    width : int
        Blocks of a row.
    smallest, largest : int
        Bytes of the blocks of the first two rows, and of the last that are no tables.
    offset_width, length_width : int
        Widths in bytes of the offset and length of a link.
    rows : int
        Rows of the root table; 0 if the root is a block.
    """

    width: int
    smallest: int
    largest: int
    offset_width: int
    length_width: int
    rows: int

    @property
    def head(self) -> int:
        """Length in bytes of the header of each block and table."""
        return 13 + self.offset_width

    def row_of(self, offset: int) -> int:
        """Return the row of a table that has an offset."""
        return (offset // (self.width * self.smallest)).bit_length()

    def block_size(self, row: int) -> int:
        """Return the size in bytes of a block in a row."""
        return self.smallest << max(row - 1, 0)

    def row_start(self, row: int) -> int:
        """Return the offset at which a row begins."""
        return self.width * self.smallest << row - 1 if row else 0

    def rows_below(self, row: int) -> int:
        """Return the number of rows of a table in a row."""
        return (self.block_size(row) // (self.smallest * self.width)).bit_length()


def find_dense_link(read: Read, information: bytes, name: bytes) -> DenseLink:
    """Return a link of a group, given the message of its header with the addresses of its links.

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
        If the group has no such link, or only the library can find it.
    """
    demand(information[0] == 0)
    place = 2 + (8 if information[1] & 1 else 0)
    demand(struct.unpack_from("<Q", information, place)[0] != UNDEFINED)
    walk = MetadataWalk(read, information)
    walk.fix(walk.START, 0, 2)
    found = list(records_of(walk, place + 8, name))
    # Different names may have the same hash; then the library looks the link up.
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


_SOFT = 2
_MOST_GROUP_LEVELS = 32


def find_group(read: Read, root: int, path: str) -> int | None:
    """Return the address of the object header at a path.

    Parameters
    ----------
    read : Read
        Reads the file.
    root : int
        Address of the root group.
    path : str
        Names, joined by slashes.

    Returns
    -------
    int or None
        None where only the library can find it or its absence.
    """
    address = root
    try:
        for name in path.split("/"):
            address = _member(read, address, name.encode(errors="surrogateescape"))
    except (UnknownStructureInTreeError, struct.error, IndexError, ValueError):
        return None
    return address


def _member(read: Read, group: int, name: bytes) -> int:
    header = read_header(read, group)
    if tables := header.of_kind(SYMBOL_TABLE):
        tree, heap = struct.unpack_from("<QQ", header.content(tables[0]))
        return _in_tree(read, tree, _Names(read, heap), name)
    for message in header.of_kind(LINK):
        content = header.content(message)
        place = place_of_hard_link(content, name)
        if place is not None:
            return _address_at(content, place)
    (information,) = header.of_kind(LINK_INFO)
    demand(not information.flags & IS_SHARED)
    link = find_dense_link(read, header.content(information), name)
    return _address_at(link.content, link.place)


def _address_at(content: bytes, place: int) -> int:
    (address,) = struct.unpack_from("<Q", content, place)
    return int(address)


class _Names:
    """Names of the members of an old group, read one by one."""

    def __init__(self, read: Read, heap: int) -> None:
        head = content_at(read, heap, 32)
        demand(head.startswith(b"HEAP\0"))
        self._read = read
        self._size, _, self._start = struct.unpack_from("<QQQ", head, 8)

    def at(self, offset: int, length: int) -> bytes:
        """Return a name, or as much of it as decides its comparison with a name of the given length."""
        demand(offset < self._size)
        content = self._read(self._start + offset, min(length + 1, self._size - offset))
        return content.partition(b"\0")[0]


def _in_tree(read: Read, node: int, names: _Names, name: bytes) -> int:
    for _ in range(_MOST_GROUP_LEVELS):
        head = content_at(read, node, 24)
        demand(head.startswith(b"TREE\0"))
        level, used = head[5], struct.unpack_from("<H", head, 6)[0]
        # Keys and children alternate; a child has the names up to the key behind it.
        numbers = struct.unpack(f"<{2 * used + 1}Q", content_at(read, node + 24, 16 * used + 8))
        first, last = 0, used - 1
        while first < last:
            middle = (first + last) // 2
            if names.at(numbers[2 * middle + 2], len(name)) < name:
                first = middle + 1
            else:
                last = middle
        node = numbers[2 * first + 1]
        if not level:
            return _in_table(read, node, names, name)
    raise UnknownStructureInTreeError


def _in_table(read: Read, table: int, names: _Names, name: bytes) -> int:
    head = content_at(read, table, 8)
    demand(head.startswith(b"SNOD\1"))
    (count,) = struct.unpack_from("<H", head, 6)
    for start, address, kind in struct.iter_unpack("<QQI20x", content_at(read, table + 8, 40 * count)):
        if names.at(start, len(name)) == name:
            demand(kind != _SOFT)
            return int(address)
    raise UnknownStructureInTreeError
