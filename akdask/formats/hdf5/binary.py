"""Parse HDF5's metadata: the superblock, object headers, and the trees and heaps that hold the links of groups.

Written from the HDF5 File Format Specification.  A walk notes the blocks that it reads, which of their bytes define the
structure and which are numbers, so that other groups and files can be compared with them.  Structures that are not
known here are left to the library.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.formats import tuning
from akdask.records import record

Read: TypeAlias = Callable[[int, int], bytes]
"""Returns bytes of a file, given offset and length; fewer at its end."""

UNDEFINED = 2**64 - 1
"""The undefined address."""

_MOST_BYTES, _MOST_BLOCKS = 2**24, 2**17
"""Of one walk: more than ten thousand columns need."""

_MOST_HEADER_BLOCKS = 64
_MOST_LEVELS = 32  # of a tree or a table


class UnknownStructureError(Exception):
    """The file has a structure that only the library understands."""


def demand(is_known: bool) -> None:
    """Raise unless the structure is known here."""
    if not is_known:
        raise UnknownStructureError


@dataclass(eq=False, slots=True)
class WalkedBlock:
    """A block of metadata.

    Parameters
    ----------
    address : int
        Which number of the walk is its address.
    content : bytes
        Its bytes.
    fixed : list of (int, int)
        Start and stop of the bytes that define the structure.
    fields : dict of int to (int, int)
        Bytes of each number by its place in the block, and which number of the walk it is.
    """

    address: int
    content: bytes
    fixed: list[tuple[int, int]] = field(default_factory=list)
    fields: dict[int, tuple[int, int]] = field(default_factory=dict)

    def fix(self, start: int, stop: int) -> None:
        """Note bytes that define the structure."""
        self.fixed.append((start, stop))


class Walk:
    """Blocks that were read one after the other, each at an address that was found before.

    Parameters
    ----------
    read : Read
        Reads the file.
    start : int, default 0
        The first address.

    Attributes
    ----------
    numbers : list of int
        The first address, and the numbers in blocks, in the order in which they were found.
    blocks : list of WalkedBlock
        In the order in which they were read.
    """

    def __init__(self, read: Read, start: int = 0) -> None:
        self._read = read
        self._blocks: dict[tuple[int, int], WalkedBlock] = {}
        self._nbytes = 0
        self.numbers = [start]
        self.headers: dict[int, ObjectHeader] = {}

    @property
    def blocks(self) -> list[WalkedBlock]:
        """Blocks in the order in which they were read."""
        return list(self._blocks.values())

    def peek(self, address: int, size: int, skipped: int = 0) -> bytes:
        """Return `size` bytes at, or a little behind, a numbered address without noting them."""
        start = self.numbers[address] + skipped
        demand(0 <= size <= _MOST_BYTES and 0 <= start < 2**63)
        content = self._read(start, size)
        demand(len(content) == size)
        return content

    def block(self, address: int, size: int, signature: bytes = b"") -> WalkedBlock:
        """Return the block of `size` bytes at a numbered address.

        Raises
        ------
        UnknownStructureError
            If it does not begin with the signature, or the walk is too long.
        """
        found = self._blocks.get((address, size))
        if found is None:
            found = WalkedBlock(address, self.peek(address, size), [(0, len(signature))])
            self._nbytes += size
            demand(found.content.startswith(signature))
            demand(len(self._blocks) < _MOST_BLOCKS and self._nbytes <= _MOST_BYTES)
            self._blocks[address, size] = found
        return found

    def number(self, block: WalkedBlock, place: int, size: int = 8) -> int:
        """Return which number of the walk is in a block at a place."""
        if place not in block.fields:
            demand(place + size <= len(block.content))
            block.fields[place] = size, len(self.numbers)
            self.numbers.append(int.from_bytes(block.content[place : place + size], "little"))
        return block.fields[place][1]

    def follow(self, block: WalkedBlock, place: int, size: int, signature: bytes) -> WalkedBlock:
        """Return the block whose address is in another block at a place; for errors see `block`."""
        return self.block(self.number(block, place), size, signature)


SIGNATURE = b"\x89HDF\r\n\x1a\n"
"""First bytes of a file."""

_WIDTHS = b"\x08\x08"  # bytes of addresses and of lengths
_NOWHERE = b"\xff" * 8


def root_address(read: Read) -> int | None:
    """Return the address of the root group; None if addresses are not offsets from the start of this file."""
    head = read(0, 96)
    if len(head) < 96 or not head.startswith(SIGNATURE):
        return None
    address = None
    match head[8]:
        case 0 | 1:  # no base address, and no block that describes a driver for several files
            base = 24 + 4 * head[8]
            if head[13:15] == _WIDTHS and not any(head[base : base + 8]) and head[base + 24 :][:8] == _NOWHERE:
                address = head[base + 40 :][:8]
        case 2 | 3:  # no base, and no extension
            if head[9:11] == _WIDTHS and not any(head[12:20]) and head[20:28] == _NOWHERE:
                address = head[36:44]
    return None if address is None else int.from_bytes(address, "little")


class OldSuperblock(NamedTuple):
    """Numbers of a superblock of version 0: the end of the file, the root group, and its entry as of a member."""

    end: int
    root: int
    entry: MemberEntry


def old_superblock(walk: Walk) -> OldSuperblock:
    """Return the superblock of a file whose first byte has address 0.

    Raises
    ------
    UnknownStructureError
        If it has another version.
    """
    block = walk.block(0, 96, SIGNATURE + b"\0\0\0\0\0" + _WIDTHS + b"\0")
    demand(not any(block.content[24:32]))
    return OldSuperblock(walk.number(block, 40), walk.number(block, 64), MemberEntry(block, 56))


class MessageKind:
    """Types of the messages of a header."""

    NIL = 0x0
    DATASPACE = 0x1
    LINK_INFO = 0x2
    DATATYPE = 0x3
    OLD_FILL = 0x4
    FILL = 0x5
    LINK = 0x6
    EXTERNAL = 0x7
    LAYOUT = 0x8
    ATTRIBUTE = 0xC
    COMMENT = 0xD
    CONTINUATION = 0x10
    SYMBOL_TABLE = 0x11
    MODIFIED = 0x12


class Message(NamedTuple):
    """A message of a header.

    Parameters
    ----------
    kind : int
        Of `MessageKind`.
    is_shared : bool
        Whether it is stored elsewhere.
    block : WalkedBlock
        The block that holds it.
    place, size : int
        Its bytes in the block.
    """

    kind: int
    is_shared: bool
    block: WalkedBlock
    place: int
    size: int

    @property
    def content(self) -> bytes:
        """The bytes of the message."""
        return self.block.content[self.place : self.place + self.size]

    def fix(self, start: int, stop: int) -> None:
        """Note bytes of the message that define the structure."""
        self.block.fix(self.place + start, self.place + stop)


@record
class ObjectHeader:
    """The header of a group or a dataset, with all its messages."""

    version: int
    blocks: tuple[WalkedBlock, ...]
    messages: tuple[Message, ...]

    def of_kind(self, kind: int) -> list[Message]:
        """Return the messages of a kind."""
        return [message for message in self.messages if message.kind == kind]

    def only(self, kind: int) -> Message:
        """Return the one message of a kind, which is in the header itself.

        Raises
        ------
        UnknownStructureError
            If it is stored elsewhere, missing, or there are several.
        """
        found = self.of_kind(kind)
        demand(len(found) == 1 and not found[0].is_shared)
        return found[0]


class _HeaderForm(NamedTuple):
    """How messages are stored: what begins a further block, heads of messages and their bytes, bytes of a checksum."""

    signature: bytes
    head: struct.Struct
    head_size: int
    checksum: int


def read_header(walk: Walk, address: int) -> ObjectHeader:
    """Return the header at a numbered address; its structure is type, size and flags of all messages.

    Raises
    ------
    UnknownStructureError
        If there is none, or one of another version.
    """
    if address in walk.headers:
        return walk.headers[address]
    start = walk.peek(address, 16)
    first, place, form = _old_start(walk, address, start) if start[0] == 1 else _new_start(walk, address, start)
    blocks: list[WalkedBlock] = [first]
    messages: list[Message] = []
    for block in blocks:
        for message in _messages(block, place, form):
            messages.append(message)
            if message.kind == MessageKind.CONTINUATION:
                demand(len(blocks) < _MOST_HEADER_BLOCKS and message.size >= 16)
                (size,) = struct.unpack_from("<Q", block.content, message.place + 8)
                message.fix(8, 16)
                blocks.append(walk.follow(block, message.place, size, form.signature))
        place = len(form.signature)
    found = walk.headers[address] = ObjectHeader(2 if form.signature else 1, tuple(blocks), tuple(messages))
    return found


def _old_start(walk: Walk, address: int, start: bytes) -> tuple[WalkedBlock, int, _HeaderForm]:
    block = walk.block(address, 16 + struct.unpack_from("<I", start, 8)[0])
    # Version, number of messages, size: how often the object is linked to differs.
    block.fix(0, 4)
    block.fix(8, 12)
    return block, 16, _HeaderForm(b"", struct.Struct("<HHB"), 8, 0)


def _new_start(walk: Walk, address: int, start: bytes) -> tuple[WalkedBlock, int, _HeaderForm]:
    demand(start.startswith(b"OHDR\2"))
    flags = start[5]
    place = 6 + (16 if flags & 0x20 else 0) + (4 if flags & 0x10 else 0)
    begin = place + (1 << (flags & 3))
    size = int.from_bytes(walk.peek(address, begin)[place:], "little")
    block = walk.block(address, begin + size + 4)
    # Times are left out.
    block.fix(0, 6)
    block.fix(place, begin)
    return block, begin, _HeaderForm(b"OCHK", struct.Struct("<BHB"), 6 if flags & 4 else 4, 4)


def _messages(block: WalkedBlock, place: int, form: _HeaderForm) -> Iterator[Message]:
    end = len(block.content) - form.checksum
    while place + form.head_size <= end:
        kind, size, flags = form.head.unpack_from(block.content, place)
        # The order of creation, which may follow, is not part of the structure.
        block.fix(place, place + form.head.size)
        place += form.head_size
        demand(place + size <= end)
        yield Message(kind, bool(flags & 2), block, place, size)
        place += size


class MemberEntry(NamedTuple):
    """The entry of a member in a table of an old group: its block, and where it begins there."""

    block: WalkedBlock
    place: int

    @property
    def kind(self) -> int:
        """What the entry tells of the member: `NOTHING_TOLD`, `IS_GROUP` or `IS_LINK`."""
        (kind,) = struct.unpack_from("<I", self.block.content, self.place + 16)
        return int(kind)

    @property
    def name_start(self) -> int:
        """Where its name begins in the names of the group."""
        (start,) = struct.unpack_from("<Q", self.block.content, self.place)
        return int(start)


NOTHING_TOLD, IS_GROUP, IS_LINK = 0, 1, 2
_ENTRY = 40  # bytes


class NameHeap(NamedTuple):
    """The names of the members of an old group: which number is their address, and how many bytes they are."""

    address: int
    size: int

    def part(self, walk: Walk, start: int, length: int) -> bytes:
        """Return a name, or as much of it as decides its comparison with a name of the given length."""
        demand(start < self.size)
        return walk.peek(self.address, min(length + 1, self.size - start), start).partition(b"\0")[0]


def name_heap(walk: Walk, address: int) -> NameHeap:
    """Return the heap of names at a numbered address."""
    head = walk.block(address, 32, b"HEAP\0")
    return NameHeap(walk.number(head, 24), struct.unpack_from("<Q", head.content, 8)[0])


def _tree_node(walk: Walk, address: int) -> WalkedBlock:
    (used,) = struct.unpack_from("<H", walk.peek(address, 24), 6)
    node = walk.block(address, 32 + 16 * used, b"TREE\0")
    node.fix(5, 8)
    return node


def _children(node: WalkedBlock) -> range:
    """Return the places of the addresses below a node of a tree."""
    return range(32, len(node.content), 16)


def _table(walk: Walk, address: int) -> WalkedBlock:
    (count,) = struct.unpack_from("<H", walk.peek(address, 8), 6)
    table = walk.block(address, 8 + _ENTRY * count, b"SNOD\1")
    table.fix(5, 8)
    return table


def entries_of(table: WalkedBlock) -> list[MemberEntry]:
    """Return the entries of a table of members."""
    return [MemberEntry(table, place) for place in range(8, len(table.content), _ENTRY)]


def tree_levels(walk: Walk, address: int) -> list[list[WalkedBlock]]:
    """Return the nodes of each level of the tree of an old group, from its root on; the last are tables of members."""
    nodes = [_tree_node(walk, address)]
    levels = [nodes]
    for height in range(nodes[0].content[5], -1, -1):
        demand(bool(nodes) and all(node.content[5] == height for node in nodes))
        below = [walk.number(node, place) for node in nodes for place in _children(node)]
        nodes = [_tree_node(walk, child) if height else _table(walk, child) for child in below]
        levels.append(nodes)
    return levels


def find_entry(walk: Walk, address: int, names: NameHeap, name: bytes) -> MemberEntry:
    """Return the entry of a name below a node of the tree of an old group.

    Raises
    ------
    UnknownStructureError
        If there is none.
    """
    node = _tree_node(walk, address)
    for _ in range(_MOST_LEVELS):
        # Keys and children alternate; a child has the names up to the key behind it.
        keys = struct.unpack_from(f"<{len(_children(node)) * 2}Q", node.content, 32)[1::2]
        first = bisect_left(keys[:-1], name, key=lambda start: names.part(walk, start, len(name)))
        demand(bool(keys))
        below = walk.number(node, _children(node)[first])
        if not node.content[5]:
            break
        node = _tree_node(walk, below)
    else:
        raise UnknownStructureError
    for entry in entries_of(_table(walk, below)):
        if names.part(walk, entry.name_start, len(name)) == name:
            demand(entry.kind != IS_LINK)
            return entry
    raise UnknownStructureError


class Link(NamedTuple):
    """A hard link of a new group: block and start of its message, the message, and the place of the address in it."""

    block: WalkedBlock
    start: int
    content: bytes
    place: int


def find_link(walk: Walk, header: ObjectHeader, name: bytes) -> Link:
    """Return a link of a new group: few are in its header, many in a heap.

    Raises
    ------
    UnknownStructureError
        If the group has no such link, or only the library can find it.
    """
    for message in header.of_kind(MessageKind.LINK):
        place = _place_of_hard_link(message.content, name)
        if place is not None:
            return Link(message.block, message.place, message.content, place)
    return _find_dense_link(walk, header.only(MessageKind.LINK_INFO), name)


def _place_of_hard_link(content: bytes, name: bytes) -> int | None:
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
    if n < tuning.HDF5_FEW_HASHED:
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


_NAMES = 5  # type of the records
_INDEX_HEADER = 38
_HEAD, _CHECKSUM = 6, 4  # bytes of a node before its records, and behind them
_HASH = 4


class _IndexRecord(NamedTuple):
    """A record of the index.

    Parameters
    ----------
    node : WalkedBlock
        The block that holds it.
    start, stop : int
        Its bytes in the block.
    heap_id : bytes
        Id of the link in the heap.
    """

    node: WalkedBlock
    start: int
    stop: int
    heap_id: bytes


class _Index(NamedTuple):
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


def _records_of(walk: Walk, header: WalkedBlock, name: bytes) -> Iterator[_IndexRecord]:
    """Yield the records of a group's index whose hash is that of a name.

    Raises
    ------
    UnknownStructureError
        If the index is made in a way that is not known here.
    """
    kind, node_size, record_size, depth = struct.unpack_from("<BIHH", header.content, 5)
    (count,) = struct.unpack_from("<H", header.content, 24)
    demand(kind == _NAMES and record_size > _HASH and _HEAD + _CHECKSUM + record_size < node_size)
    demand(depth <= _MOST_LEVELS)
    header.fix(5, 16)
    header.fix(24, 26)
    tree = _Index(node_size, record_size, depth)
    wanted = lookup3(name)
    widths = tree.count_widths()
    above, place = header, 16
    for level in range(depth, -1, -1):
        size = tree.node_size if level else _HEAD + count * record_size
        demand(count <= tree.most_in_leaf and size <= tree.node_size)
        node = walk.follow(above, place, size, b"BTIN\0" if level else b"BTLF\0")
        node.fix(5, _HEAD)
        content = node.content
        end = _HEAD + count * record_size
        demand(content[5] == _NAMES and end <= len(content))
        hashes = [int.from_bytes(content[at : at + _HASH], "little") for at in range(_HEAD, end, record_size)]
        first = bisect_left(hashes, wanted)
        for position in range(first, bisect_right(hashes, wanted)):
            start = _HEAD + position * record_size
            stop = start + record_size
            yield _IndexRecord(node, start, stop, content[start + _HASH : stop])
        if level:
            width, below = widths[level]
            above, place = node, end + first * (8 + width + below)
            count = int.from_bytes(content[place + 8 : place + 8 + width], "little")
            node.fix(place + 8, place + 8 + width)


_HEAP_HEADER = 146  # bytes
_MANAGED = 0  # type of objects stored in the blocks of the heap itself
_MOST_WIDTH = 1024


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


def _find_dense_link(walk: Walk, message: Message, name: bytes) -> Link:
    """Return a link of a group, given the message of its header with the addresses of its links."""
    information = message.content
    demand(information[0] == 0)
    place = 2 + (8 if information[1] & 1 else 0)
    demand(struct.unpack_from("<Q", information, place)[0] != UNDEFINED)
    message.fix(0, 2)
    index = walk.follow(message.block, message.place + place + 8, _INDEX_HEADER, b"BTHD\0")
    found = list(_records_of(walk, index, name))
    # Different names may have the same hash; then the library looks the link up.
    demand(len(found) == 1)
    record, heap_id = found[0], found[0].heap_id
    record.node.fix(record.start, record.stop)
    header = walk.follow(message.block, message.place + place, _HEAP_HEADER, b"FRHP\0")
    heap = _heap_of(header)
    demand(len(heap_id) > heap.offset_width + heap.length_width and heap_id[0] == _MANAGED)
    offset = int.from_bytes(heap_id[1 : 1 + heap.offset_width], "little")
    length = int.from_bytes(heap_id[1 + heap.offset_width :][: heap.length_width], "little")
    block, start = _in_heap(walk, header, heap, offset, length)
    content = block.content[start : start + length]
    address = _place_of_hard_link(content, name)
    if address is None:
        raise UnknownStructureError
    return Link(block, start, content, address)


def _heap_of(header: WalkedBlock) -> _Heap:
    content = header.content
    filters, _, largest_object = struct.unpack_from("<HBI", content, 7)
    width, smallest, largest, bits = struct.unpack_from("<HQQH", content, 110)
    (rows,) = struct.unpack_from("<H", content, 140)
    demand(not filters and 0 < width <= _MOST_WIDTH and 0 < bits <= 64)
    demand(0 < smallest <= largest <= 2**32 and _is_power(width) and _is_power(smallest) and _is_power(largest))
    # How blocks are made, but not how much of them is in use.
    for start, stop in ((5, 14), (110, 130), (140, 142)):
        header.fix(start, stop)
    length_width = (min(largest, largest_object).bit_length() - 1) // 8 + 1
    return _Heap(width, smallest, largest, (bits + 7) // 8, length_width, rows)


def _is_power(number: int) -> bool:
    return number & (number - 1) == 0


def _in_heap(walk: Walk, header: WalkedBlock, heap: _Heap, offset: int, length: int) -> tuple[WalkedBlock, int]:
    """Return the block of an object in a heap, and where the object begins in it."""
    above, place, size, rows = header, 132, heap.smallest, heap.rows
    for _ in range(_MOST_LEVELS):
        if not rows:
            demand(heap.head <= offset and offset + length <= size)
            return walk.follow(above, place, size, b"FHDB\0"), offset
        row = heap.row_of(offset)
        demand(row < rows)
        table = walk.follow(above, place, heap.head + 8 * heap.width * rows, b"FHIB\0")
        column, offset = divmod(offset - heap.row_start(row), heap.block_size(row))
        size = heap.block_size(row)
        above, place = table, heap.head + 8 * (heap.width * row + column)
        rows = heap.rows_below(row) if size > heap.largest else 0
    raise UnknownStructureError


UNKNOWN = (UnknownStructureError, struct.error, IndexError, OverflowError, ValueError)
"""Errors of a walk through a structure that is not known here, or damaged."""


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
    walk, address = Walk(read, root), 0
    try:
        for name in path.split("/"):
            address = _member(walk, read_header(walk, address), name.encode(errors="surrogateescape"))
    except UNKNOWN:
        return None
    return walk.numbers[address]


def _member(walk: Walk, header: ObjectHeader, name: bytes) -> int:
    """Return which number of the walk is the address of a member of a group."""
    if tables := header.of_kind(MessageKind.SYMBOL_TABLE):
        names = name_heap(walk, walk.number(tables[0].block, tables[0].place + 8))
        entry = find_entry(walk, walk.number(tables[0].block, tables[0].place), names, name)
        return walk.number(entry.block, entry.place + 8)
    link = find_link(walk, header, name)
    return walk.number(link.block, link.start + link.place)
