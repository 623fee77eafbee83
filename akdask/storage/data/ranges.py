"""Ranges of bytes of one file, read into memory that the caller owns.

Local files are read with `os.preadv`, outside any lock and without mapping them: a mapping would count against the
kernel's limit, and a file that is truncated under a mapping kills the process.  Anything else goes through fsspec.
"""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from akdask.errors import FileError, FileFormatError, MissingFileError
from akdask.storage.paths.directory import open_regular
from akdask.storage.paths.files import FileIdentity, changed_error, has_status, identify, is_remote
from akdask.storage.paths.remote import accessing, concurrently, file_system, retrying
from akdask.typing import NumberArray

_MAX_REQUESTS = 2**30  # the kernel moves at most 2 GiB at a time
_BLOCK = 512  # bytes that `st_blocks` counts
_RANGE_SIZE = 4 * 2**20  # bytes of one remote request; several are under way at a time


class RangeReader(ABC):
    """Reads ranges of bytes of one file; holds it open only inside ``with``."""

    def __init__(self, file: FileIdentity) -> None:
        self.file = file

    @abstractmethod
    def __enter__(self) -> Self: ...

    def __exit__(  # noqa: B027 - nothing to close for file systems that open the file for each request
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the file."""

    @abstractmethod
    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        """Fill a contiguous array with the bytes at `offset`; `dataset` is named if that fails.

        Raises
        ------
        FileFormatError
            If the file ends before.
        """

    @property
    def dense_file(self) -> int | None:
        """The descriptor of a file of this machine all of whose bytes have been written, None for any other."""
        return None

    def _ends_early(self, dataset: str) -> FileFormatError:
        return FileFormatError(
            f"file {self.file.path!r} ends before the last byte of dataset {dataset!r}.",
            hint="the file is truncated; write it again.",
        )


def range_reader(file: FileIdentity) -> RangeReader:
    """Return the reader that fits where the file is."""
    return _RemoteReader(file) if is_remote(file.path) else _LocalReader(file)


class _LocalReader(RangeReader):
    descriptor: int
    has_holes: bool

    def __enter__(self) -> Self:
        try:
            self.descriptor = open_regular(self.file.path, follows=True)
        except FileNotFoundError:
            raise MissingFileError(f"no file {self.file.path!r} any more.") from None
        except OSError as error:
            raise FileError(f"cannot open {self.file.path!r}: {error.strerror}.") from error
        try:
            status = os.fstat(self.descriptor)
            if not has_status(self.file, status):
                raise changed_error(self.file)
            self.has_holes = status.st_blocks * _BLOCK < status.st_size
        except BaseException:
            os.close(self.descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self.descriptor)

    @property
    def dense_file(self) -> int | None:
        return None if self.has_holes else self.descriptor

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        rest = out.view(np.uint8).data
        if self.has_holes:
            hole = self._hole(offset, len(rest))
            out.view(np.uint8)[:hole] = 0
            rest, offset = rest[hole:], offset + hole
        while rest:
            try:
                count = os.preadv(self.descriptor, [rest[:_MAX_REQUESTS]], offset)
            except OSError as error:
                raise FileError(f"cannot read dataset {dataset!r} of {self.file.path!r}: {error.strerror}.") from error
            if not count:
                raise self._ends_early(dataset)
            rest, offset = rest[count:], offset + count

    def _hole(self, offset: int, size: int) -> int:
        """Return how many of some bytes, from the first on, were never written: they are zeros, and need no reading."""
        try:
            data = os.lseek(self.descriptor, offset, os.SEEK_DATA)
        except OSError as error:
            # There is no data from here on; or the file system does not tell.
            data = self.file.size if error.errno == errno.ENXIO and offset < self.file.size else offset
        return min(data - offset, size)


class _RemoteReader(RangeReader):
    system: Any
    inner: str

    def __enter__(self) -> Self:
        with accessing(self.file.options):
            if identify(self.file.path) != self.file:
                raise changed_error(self.file)
            demand_ranges(self.file.path)
            self.system, self.inner = file_system(self.file.path)
        return self

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        target = out.view(np.uint8).data
        starts = range(offset, offset + len(target), _RANGE_SIZE)
        stops = [min(start + _RANGE_SIZE, offset + len(target)) for start in starts]
        try:
            found = concurrently(self._range, zip(starts, stops, strict=True))
        except Exception as error:  # each file system has errors of its own
            raise FileError(f"cannot read dataset {dataset!r} of {self.file.path!r}: {error}.") from error
        for start, stop, data in zip(starts, stops, found, strict=True):
            if len(data) > stop - start:
                raise _ranges_error(self.file.path)
            if len(data) < stop - start:
                raise self._ends_early(dataset)
            target[start - offset : stop - offset] = data

    def _range(self, ends: tuple[int, int]) -> bytes:
        return bytes(retrying(lambda: self.system.cat_file(self.inner, start=ends[0], end=ends[1])))


_WITH_RANGES: set[str] = set()
"""Web servers that have given a range of bytes."""


def demand_ranges(url: str) -> None:
    """Refuse a web server that gives whole files only: each of many ranges would be the whole file, in memory.

    Asks each server once in a process, and other file systems never.

    Raises
    ------
    FileError
        If it does, or does not answer.
    """
    server = urlsplit(url)
    if server.scheme not in {"http", "https"} or server.netloc in _WITH_RANGES:
        return
    last = identify(url).size - 1
    if last < 1:  # the first byte may be had from any server
        return
    system, inner = file_system(url)
    try:
        # Opened files stop at the first bytes of a reply that is longer than what was asked for.
        with system.open(inner, "rb") as file:
            file.seek(last)
            file.read(1)
    except ValueError:
        raise _ranges_error(url) from None
    except Exception as error:  # each file system has errors of its own
        raise FileError(f"cannot read {url!r}: {error}.") from error
    _WITH_RANGES.add(server.netloc)


def _ranges_error(url: str) -> FileError:
    return FileError(
        f"the server of {url!r} does not support ranges: it gives more bytes of a file than it is asked for.",
        hint="download the file and read the copy, or use a server that answers range requests.",
    )
