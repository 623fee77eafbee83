"""Object headers of HDF5 files: the blocks that they are made of, and the messages in them.

Written from the HDF5 File Format Specification, versions 1 and 2 of headers.  Anything that is not known here is
left to the library.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

Read: TypeAlias = Callable[[int, int], bytes]
"""Returns bytes of a file, given where they begin and how many there are; fewer at its end."""

DATASPACE, LINK_INFO, DATATYPE, LINK, EXTERNAL, LAYOUT = 0x1, 0x2, 0x3, 0x6, 0x7, 0x8
CONTINUATION, SYMBOL_TABLE = 0x10, 0x11

IS_SHARED = 2
"""Flag of a message that is kept elsewhere."""

UNDEFINED = 2**64 - 1
"""Address of what is nowhere."""

_MOST_BYTES, _MOST_BLOCKS = 2**20, 64


class UnknownStructureInTreeError(Exception):
    """The file has a structure that only the library understands."""


class Message(NamedTuple):
    """A message of a header.

    Parameters
    ----------
    kind : int
        What it is about.
    flags : int
        Bits; see `IS_SHARED`.
    block : int
        Position of its block in the header.
    head : int
        Place in the block of what comes before the message and says what it is.
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
        All of it.
    fixed : tuple of (int, int)
        Start and stop of what tells how the block is to be read, messages left out.
    found_in : tuple of (int, int), optional
        Block, and place in it, of its address; None of the first block.
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
    """Give up what is not known here."""
    if not is_known:
        raise UnknownStructureInTreeError


def content_at(read: Read, address: int, size: int) -> bytes:
    """Return a block of just so many bytes."""
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
