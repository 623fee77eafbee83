"""A remote file as libraries read it that want a file object: a few bytes here and there, mostly close together."""

from __future__ import annotations

import io
from collections import OrderedDict
from typing import Any

from akdask.storage.data.remote_bytes import RemoteBytes
from akdask.storage.paths.files import FileIdentity

BLOCK = 2**18
"""Bytes that are fetched at a time at least."""

_CACHED = 64  # blocks


class RemoteFile(io.RawIOBase):
    """A file object of which blocks are kept, and whose requests are repeated where they fail.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that is known.
    """

    def __init__(self, file: FileIdentity) -> None:
        super().__init__()
        self._bytes = RemoteBytes(file)
        self._size = file.size
        self._position = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        if self._size:
            # Before a library holds its lock.
            self._block(0)

    def readable(self) -> bool:
        """Whether it can be read."""
        return True

    def seekable(self) -> bool:
        """Whether positions can be gone to."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position."""
        self._position = offset + (0, self._position, self._size)[whence]
        return self._position

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes, as many as there are; return how many."""
        target = memoryview(buffer).cast("B")
        count = max(min(len(target), self._size - self._position), 0)
        if not count:
            return 0
        start, stop = self._position, self._position + count
        first, last = -(-start // BLOCK), stop // BLOCK
        if last - first > 1:
            # What is long is read once, and whole.
            target[:count] = self._bytes.fetch(start, stop)
        else:
            for number in range(start // BLOCK, -(-stop // BLOCK)):
                begin, end = max(start, number * BLOCK), min(stop, (number + 1) * BLOCK)
                target[begin - start : end - start] = self._block(number)[begin - number * BLOCK : end - number * BLOCK]
        self._position = stop
        return count

    def _block(self, number: int) -> bytes:
        found = self._blocks.get(number)
        if found is None:
            start = number * BLOCK
            found = self._blocks[number] = self._bytes.fetch(start, min(start + BLOCK, self._size))
            if len(self._blocks) > _CACHED:
                self._blocks.popitem(last=False)
        else:
            self._blocks.move_to_end(number)
        return found
