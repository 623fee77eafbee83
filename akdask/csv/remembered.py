"""The beginnings of remote CSV files, or all of small ones, which are read several times over.

A file is looked at for how it is compressed, for its head, for the types of its columns, and whole for where its rows
end, before any of its rows are parsed.  Behind a network each look takes longer than the parsing.  So what is read of a
file from its first byte on without a gap is kept for a while, in this process, for the next look.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from akdask.storage.data.ranges import RangeReader, range_reader
from akdask.storage.data.read_ahead import Stream, buffer_limit
from akdask.storage.paths.files import FileIdentity, is_remote
from akdask.typing import NumberArray

FIRST = 2**16
"""Bytes that the first look at a remote file brings: its head and a sample of its rows are mostly among them."""

_PART, _FILES = 4, 4
"""The part of what may be read ahead that is kept, and the files that it is to have room for."""

Bytes = npt.NDArray[np.uint8]


class _Remembered:
    """Bytes from the first of each file on; files that were not asked for the longest time go first."""

    def __init__(self) -> None:
        self._found: OrderedDict[FileIdentity, Bytes] = OrderedDict()
        self.start_anew()
        os.register_at_fork(after_in_child=self.start_anew)

    def start_anew(self) -> None:
        """Leave the lock that a thread of the parent may hold."""
        self._lock = Lock()

    def get(self, file: FileIdentity) -> Bytes | None:
        """Return the bytes that are kept of a file in this state."""
        with self._lock:
            if file in self._found:
                self._found.move_to_end(file)
            return self._found.get(file)

    def add(self, file: FileIdentity, found: Bytes) -> None:
        """Keep bytes, unless more are kept."""
        with self._lock:
            known = self._found.get(file)
            if known is None or len(known) < len(found):
                self._found[file] = found
            limit = buffer_limit() // _PART
            while self._found and sum(map(len, self._found.values())) > limit:
                self._found.popitem(last=False)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._found.clear()


REMEMBERED = _Remembered()
"""That of this process."""


class RememberingReader(RangeReader):
    """Reads a remote file, what is kept of it without a request; keeps what it reads from the first byte on.

    Parameters
    ----------
    file : FileIdentity
        The file.
    """

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._inner = range_reader(file)
        self._known: Bytes | None = None
        self._begun: Bytes | None = None
        self._filled = 0

    def __enter__(self) -> Self:
        self._inner.__enter__()
        self._known = REMEMBERED.get(self.file)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # Raises if the file was replaced while it was read: then nothing of it is kept.
        self._inner.__exit__(kind, error, trace)
        if error is None and self._begun is not None and self._filled:
            is_complete = self._filled == self.file.size
            REMEMBERED.add(self.file, self._begun if is_complete else self._begun[: self._filled].copy())

    def expect(self, streams: Sequence[Stream], *, goes_back: bool = False) -> None:
        """Begin to fetch what is not kept."""
        known = 0 if self._known is None else len(self._known)
        left = [[(max(start, known), stop) for start, stop in stream if stop > known] for stream in streams]
        self._inner.expect(left, goes_back=goes_back)

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill an array with the bytes at a place; see `RangeReader.read_into`."""
        target = out.reshape(-1).view(np.uint8)
        known = self._known
        if known is not None:
            # What is kept comes first, the rest by requests.
            some = known[offset : offset + len(target)]
            target[: len(some)] = some
            target, offset = target[len(some) :], offset + len(some)
            if self._begun is None and len(known) < self.file.size:
                self._begin(known)
        if not len(target):
            return
        self._inner.read_into(target, offset, dataset)
        if known is None and self._begun is None:
            self._begin(np.empty(0, np.uint8))
        if self._begun is not None and offset <= self._filled:
            some = target[: max(len(self._begun) - offset, 0)]
            self._begun[offset : offset + len(some)] = some
            self._filled = max(self._filled, offset + len(some))

    def _begin(self, known: Bytes) -> None:
        """Make room for the bytes of a small file, or for the first ones of a large one."""
        is_small = self.file.size <= buffer_limit() // _PART // _FILES
        self._begun = np.empty(self.file.size if is_small else min(FIRST, self.file.size), np.uint8)
        self._filled = min(len(known), len(self._begun))
        self._begun[: self._filled] = known[: self._filled]


def remembering_reader(file: FileIdentity) -> RangeReader:
    """Return the reader of a file: of one of this machine, whose bytes are at hand, that which keeps nothing."""
    return RememberingReader(file) if is_remote(file.path) else range_reader(file)
