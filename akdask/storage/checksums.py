"""Checksums of stored bytes: 64 bits of XXH3, which finds accidental damage but no forgery.

One thread takes 26 GB/s of blocks of 1 MiB from memory, and two 18 GB/s together where others use the memory as well.
The multilinear hash of NumPy's `einsum` that was here before took 11 and 7 GB/s on the same machine.
The library lets other threads run while it goes over more than some kilobytes.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from threading import Lock

import numpy as np
from xxhash import xxh3_64

from akdask.errors import FileFormatError
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader, range_reader
from akdask.typing import NumberArray


class Checksum:
    """The checksum of bytes that come in blocks; their bounds make no difference.

    Examples
    --------
    >>> whole, cut = Checksum(), Checksum()
    >>> whole.add(np.arange(5, dtype=np.uint8))
    >>> cut.add(np.arange(2, dtype=np.uint8))
    >>> cut.add(np.arange(2, 5, dtype=np.uint8))
    >>> whole.value == cut.value
    True
    """

    def __init__(self) -> None:
        self._hash = xxh3_64()

    def add(self, block: NumberArray) -> None:
        """Take in the bytes of a contiguous array."""
        self._hash.update(block.view(np.uint8).data)

    @property
    def value(self) -> int:
        """The checksum of all bytes so far, 0 to 2**64 - 1."""
        return int(self._hash.intdigest())


def checksum(block: NumberArray) -> int:
    """Return the checksum of the bytes of one contiguous array."""
    found = Checksum()
    found.add(block)
    return found.value


_BLOCK = 2**19  # bytes that stay in the core's cache between reading and summing
_MOST = 2**16


class _Right:
    """What was compared and found right, the oldest forgotten first."""

    def __init__(self) -> None:
        self._found: OrderedDict[Hashable, None] = OrderedDict()
        self.start_anew()
        os.register_at_fork(after_in_child=self.start_anew)

    def start_anew(self) -> None:
        """Leave the lock that a thread of the parent may hold."""
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._found

    def add(self, key: Hashable) -> None:
        """Note something; what was noted before longest goes."""
        with self._lock:
            self._found[key] = None
            while len(self._found) > _MOST:
                self._found.popitem(last=False)


RIGHT = _Right()
"""Keys begin with the file in its state, so that they end with it."""


def sum_of_ranges(reader: RangeReader, ranges: Iterable[tuple[int, int]], what: str) -> int:
    """Return the checksum of ranges of bytes of an open file, one after the other; each is a start and a stop.

    Raises
    ------
    FileFormatError
        If the file ends before; `what` names them.
    """
    found, buffer = Checksum(), np.empty(_BLOCK, np.uint8)
    for begin, end in ranges:
        for start in range(begin, end, _BLOCK):
            block = buffer[: min(_BLOCK, end - start)]
            reader.read_into(block, start, what)
            found.add(block)
    return found.value


@dataclass(frozen=True, slots=True)
class FileSums:
    """The checksums of a whole file: of its data, and of what describes these, which follows.

    Parameters
    ----------
    stop : int
        Bytes of data.
    data : int
        Their checksum.
    rest : int
        That of the bytes behind.
    """

    stop: int
    data: int
    rest: int

    @classmethod
    def of(cls, file: FileIdentity, stop: int | None = None) -> FileSums:
        """Read a file, of which so many bytes are data, all unless given, and sum it up.

        Raises
        ------
        FileFormatError
            If the file ends before.
        """
        stop = file.size if stop is None else stop
        with range_reader(file) as reader:
            data = sum_of_ranges(reader, [(0, stop)], "all bytes")
            return cls(stop, data, sum_of_ranges(reader, [(stop, file.size)], "all bytes"))

    def check_once(self, file: FileIdentity, *, is_proven: bool) -> bool:
        """Compare all bytes of a file, unless this process has found them right already.

        Parameters
        ----------
        file : FileIdentity
            The file.
        is_proven : bool
            Whether the checksums are those of this very file; else it is a copy, or another program has written it
            since, which is so if neither its data nor what describes them is what was written.

        Returns
        -------
        bool
            Whether the file is the one that was summed up.

        Raises
        ------
        FileFormatError
            If bytes have changed.
        """
        if (file, self) in RIGHT:
            return True
        found = FileSums.of(file, self.stop)
        if found == self:
            RIGHT.add((file, self))
            return True
        if not is_proven and found.data != self.data and found.rest != self.rest:
            return False
        sides = (found.data, self.data) if found.data != self.data else (found.rest, self.rest)
        raise differing_error(repr(file.path), *sides)


def differing_error(what: str, found: int, expected: int) -> FileFormatError:
    """Return the error for bytes that are not those that were written."""
    return FileFormatError(
        f"{what} is not what was written.",
        details=[f"checksum {found:016x}, written with {expected:016x}"],
        hint="the disk or a copy has changed bytes: restore the file, or write the set again.  If another program has "
        "written it since, remove the manifest beside it.",
    )
