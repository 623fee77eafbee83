"""Read byte ranges of one remote file in a known state, repeating requests and refusing replies of a wrong length."""

from __future__ import annotations

import io
from collections import OrderedDict
from concurrent.futures import Future
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

from akdask.caches import Cache
from akdask.errors import FileError, MissingFileError
from akdask.storage.files import FileIdentity, changed_error, identify
from akdask.storage.read_ahead import looking_threads
from akdask.storage.remote import accessing, file_system, retrying


class RemoteBytes:
    """Fetches ranges of bytes of a file, for several threads at a time.

    The first request is that of the first range.  The file may be replaced between two requests, so `is_same` tells
    only afterwards whether all ranges came from the same state.

    Parameters
    ----------
    file : FileIdentity
        The file, in the state that is known.

    Raises
    ------
    FileError
        If it is on a web server that does not give ranges.
    """

    def __init__(self, file: FileIdentity) -> None:
        self.file = file
        with accessing(file.options):
            demand_ranges(file.path)
            self._system, self._inner = file_system(file.path)
        self._lock = Lock()
        self._replies = 0  # that have come
        self._looking: tuple[int, Future[FileIdentity]] | None = None

    @property
    def has_replied(self) -> bool:
        """Whether any bytes have come."""
        return self._replies > 0

    def fetch(self, start: int, stop: int) -> bytes:
        """Return the bytes from one position to another, both within the file.

        Raises
        ------
        FileError
            If more bytes come than requested, or the file no longer exists.
        OSError
            If the file system does not answer, or fewer bytes come, as often as the request is repeated.
        """
        try:
            found = retrying(lambda: self._reply(start, stop))
        except FileNotFoundError:
            raise changed_error(self.file) from None
        with self._lock:
            self._replies += 1
        return found

    def _reply(self, start: int, stop: int) -> bytes:
        found = bytes(self._system.cat_file(self._inner, start=start, end=stop))
        if len(found) > stop - start:
            raise ranges_error(self.file.path)
        if len(found) < stop - start:
            raise ConnectionError(f"only {len(found):,} of {stop - start:,} bytes have come")
        return found

    def look(self) -> None:
        """Begin to check whether the file is unchanged, as all bytes to be read have arrived."""
        with self._lock:
            self._looking = self._replies, looking_threads().submit(self._identity)

    def is_same(self) -> bool:
        """Wait for the check whether the file was unchanged until the last bytes arrived.

        Raises
        ------
        FileError
            If the file system does not answer.
        """
        try:
            if self._looking is not None and self._looking[0] == self._replies:
                return self._looking[1].result() == self.file
            return self._identity() == self.file
        except MissingFileError:
            return False

    def _identity(self) -> FileIdentity:
        with accessing(self.file.options):
            return identify(self.file.path)


_WITH_RANGES: Cache[str, None] = Cache("web servers with ranges", entries=1000)
"""Web servers that have given a range of bytes."""


def demand_ranges(url: str) -> None:
    """Refuse a web server that gives whole files only: each of many ranges would be the whole file, in memory.

    Tests each web server once in a process, and other file systems never.

    Raises
    ------
    FileError
        If it does, or does not answer.
    """
    server = urlsplit(url)
    if server.scheme not in {"http", "https"} or server.netloc in _WITH_RANGES:
        return
    last = identify(url).size - 1
    if last < 1:  # any server sends the first byte
        return
    system, inner = file_system(url)
    try:
        # Opened files stop at the first bytes of a reply that is longer than requested.
        with system.open(inner, "rb") as file:
            file.seek(last)
            file.read(1)
    except ValueError:
        raise ranges_error(url) from None
    except Exception as error:  # each file system has errors of its own
        raise FileError(f"cannot read {url!r}: {error}.") from error
    _WITH_RANGES.put(server.netloc, None)


def ranges_error(url: str) -> FileError:
    """Return the error for a server that sends more of a file than requested."""
    return FileError(
        f"the server of {url!r} does not support ranges: it gives more bytes of a file than it is asked for.",
        hint="download the file and read the copy, or use a server that answers range requests.",
    )


BLOCK = 2**18
"""Bytes that are fetched at a time at least."""

_CACHED = 64  # blocks


class RemoteFile(io.RawIOBase):
    """A file object that caches blocks and repeats failed requests.

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
        """Fill a buffer with the next available bytes and return their number."""
        target = memoryview(buffer).cast("B")
        count = max(min(len(target), self._size - self._position), 0)
        if not count:
            return 0
        start, stop = self._position, self._position + count
        first, last = -(-start // BLOCK), stop // BLOCK
        if last - first > 1:
            # Long reads bypass the cache of blocks, by one request.
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
