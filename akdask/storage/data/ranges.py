"""Ranges of bytes of one file, read into memory that the caller owns.

Local files are read with `os.preadv`, outside any lock and without mapping them: a mapping would count against the
kernel's limit, and a file that is truncated under a mapping kills the process.  Anything else goes through fsspec.
"""

from __future__ import annotations

import errno
import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import numpy as np

from akdask.errors import AkdaskError, FileError, FileFormatError, MissingFileError
from akdask.storage.data.read_ahead import ReadAhead, Stream
from akdask.storage.data.remote_bytes import RemoteBytes
from akdask.storage.paths.directory import open_regular
from akdask.storage.paths.files import FileIdentity, changed_error, has_status, is_remote
from akdask.storage.paths.remote import NoAnswerError
from akdask.typing import NumberArray

_MAX_REQUESTS = 2**30  # the kernel moves at most 2 GiB at a time
_BLOCK = 512  # bytes that `st_blocks` counts


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

    def expect(self, streams: Sequence[Stream], *, goes_back: bool = False) -> None:  # noqa: B027 - the system reads local files ahead
        """Begin to fetch what will be read, if that takes long.

        Parameters
        ----------
        streams : sequence of sequence of (int, int)
            Where ranges begin and end in the file.  Those of a stream will be read in their order, and the streams side
            by side, as columns are; none need be read.
        goes_back : bool, default False
            Whether a reader looks at what follows, such as headers, before it reads on.
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
            raise MissingFileError(
                f"no file {self.file.path!r} any more.", hint="it was there when it was opened: open what is there now."
            ) from None
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
    """Reads ahead of what is asked for; whether the file was as it was all the while is known at the end."""

    def __enter__(self) -> Self:
        self._bytes = RemoteBytes(self.file)
        self._ahead = ReadAhead(self._bytes.fetch, self._bytes.look)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ahead.close()
        if error is None:
            if self._bytes.has_replied and not self._bytes.is_same():
                raise changed_error(self.file)
        elif isinstance(error, AkdaskError):
            # What looks damaged may be of two states of the file.
            is_same = True
            with suppress(FileError):
                is_same = self._bytes.is_same()
            if not is_same:
                raise changed_error(self.file) from error

    def expect(self, streams: Sequence[Stream], *, goes_back: bool = False) -> None:
        size = self.file.size
        within = [[(max(start, 0), min(stop, size)) for start, stop in stream] for stream in streams]
        self._ahead.expect(
            [[(start, stop) for start, stop in stream if start < stop] for stream in within], int(goes_back)
        )

    def read_into(self, out: NumberArray, offset: int, dataset: str) -> None:
        target = out.reshape(-1).view(np.uint8)
        if offset + len(target) > self.file.size:
            raise self._ends_early(dataset)
        try:
            self._ahead.read_into(target, offset)
        except Exception as error:  # each file system has errors of its own
            if isinstance(error, AkdaskError) and not isinstance(error, NoAnswerError):
                raise
            raise FileError(f"cannot read dataset {dataset!r} of {self.file.path!r}: {error}.") from error
