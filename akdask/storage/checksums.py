"""Checksums of stored bytes: 64 bits of XXH3, which finds accidental damage but no forgery.

The bytes are summed by a library that releases the interpreter lock for blocks of more than some kilobytes, so several
threads sum at a time.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np
from xxhash import xxh3_64

from akdask.caches import Cache
from akdask.errors import FileFormatError
from akdask.records import record
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import RangeReader, range_reader
from akdask.typing import NumberArray


class Checksum:
    """The checksum of bytes that come in blocks of any size; block bounds do not change it.

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
        """Add the bytes of a contiguous array."""
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
_KEY_BYTES = 300  # of a file, its state and a checksum, about

VERIFIED: Cache[Hashable, None] = Cache("verified checksums", entries=2**16, size=lambda _: _KEY_BYTES)
"""Comparisons that found equal checksums; keys begin with the file in its state, so that they end with it."""


def sum_of_ranges(reader: RangeReader, ranges: Iterable[tuple[int, int]], what: str) -> int:
    """Return the checksum of several byte ranges of an open file, one after the other.

    Raises
    ------
    FileFormatError
        If the file ends before the last range does; `what` names the ranges in the message.
    """
    found, buffer = Checksum(), np.empty(_BLOCK, np.uint8)
    for begin, end in ranges:
        for start in range(begin, end, _BLOCK):
            block = buffer[: min(_BLOCK, end - start)]
            reader.read_into(block, start, what)
            found.add(block)
    return found.value


@record
class FileSums:
    """The checksums of a whole file: one of its data, and one of the metadata that describe the data.

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
        """Read a file and sum its data, the first `stop` bytes or all, and its metadata.

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
            Whether the checksums belong to this very file. If not, it is a copy, or another program has written it
            since; then it is right if both its data and its metadata have these checksums.

        Returns
        -------
        bool
            Whether the file is the one that was summed up.

        Raises
        ------
        FileFormatError
            If bytes have changed.
        """
        if (file, self) in VERIFIED:
            return True
        found = FileSums.of(file, self.stop)
        if found == self:
            VERIFIED.put((file, self), None)
            return True
        if not is_proven and found.data != self.data and found.rest != self.rest:
            return False
        sides = (found.data, self.data) if found.data != self.data else (found.rest, self.rest)
        raise differing_error(repr(file.path), *sides)


def differing_error(what: str, found: int, expected: int) -> FileFormatError:
    """Return the error for bytes whose checksum differs from the one written."""
    return FileFormatError(
        f"{what} is not what was written.",
        details=[f"checksum {found:016x}, written with {expected:016x}"],
        hint="the disk or a copy has changed bytes: restore the file, or write the set again.  If another program has "
        "written it since, remove the manifest beside it.",
    )
