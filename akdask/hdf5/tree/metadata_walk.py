"""A walk through blocks of metadata: each was found by an address in one before it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

from akdask.hdf5.tree.object_header import Read, content_at, demand


@dataclass(frozen=True, slots=True)
class WalkedBlock:
    """A block on the way.

    Parameters
    ----------
    content : bytes
        All of it that matters.
    found_in : tuple of (int, int)
        Block, and place in it, of its address.
    fixed : list of (int, int)
        Start and stop of what makes up the structure: another walk is alike if these bytes are the same.
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
        What the walk begins with; its number is `START`.

    Attributes
    ----------
    blocks : list of WalkedBlock
        The first block is what the walk begins with.
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
            What it begins with, version included.

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
