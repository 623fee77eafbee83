"""Byte ranges of files: reading and writing them, and the partitions that files are cut into by size.

Local files are read with `os.preadv`, outside any lock, unless a column is in a window (`akdask.storage.windows`).
Anything else goes through fsspec.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np
import numpy.typing as npt

from akdask.errors import AkdaskError, FileError, FileFormatError, MissingFileError
from akdask.records import record
from akdask.storage import tuning
from akdask.storage.files import FileIdentity, NoAnswerError, changed_error, has_status, is_remote, open_regular
from akdask.storage.remote import ReadAhead, RemoteBytes, Stream
from akdask.typing import NumberArray

if TYPE_CHECKING:
    from akdask.storage.windows import Window

NO_BYTES = np.zeros(0, np.uint8)

_MAX_REQUESTS = 2**30  # the kernel moves at most 2 GiB at a time
_BLOCK = 512  # bytes that `st_blocks` counts


class RangeReader(ABC):
    """Reads byte ranges of one file, which is open only inside ``with``."""

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
        """Fill a contiguous array with the bytes at `offset`; errors name `dataset`.

        Raises
        ------
        FileFormatError
            If the file ends before.
        """

    def expect(self, streams: Sequence[Stream], *, goes_back: bool = False) -> None:  # noqa: B027 - the system reads local files ahead
        """Begin to fetch the ranges that will be read, where fetching takes long.

        Parameters
        ----------
        streams : sequence of sequence of (int, int)
            Bounds of ranges in the file.  The ranges of a stream are read in order, and the streams side by side, as
            columns are. None of them has to be read.
        goes_back : bool, default False
            Whether a reader parses later bytes, such as headers, before it reads on.
        """

    def in_window(self, start: int, stop: int, first: int, last: int) -> NumberArray:
        """Return bytes of the file in a window, to be looked at once; an empty array where there is none.

        Other processes may write to the file meanwhile.  If it gets shorter, closing the reader raises an error.

        Parameters
        ----------
        start, stop : int
            Where the bytes begin and end.
        first, last : int
            Those that will be looked at; there are none unless the system's cache has the ends of these.
        """
        return NO_BYTES

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

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._windows: dict[tuple[int, int], Window | None] = {}

    def __enter__(self) -> Self:
        try:
            self.descriptor = open_regular(self.file.path, follows=True)
        except FileNotFoundError:
            raise MissingFileError(
                f"no file {self.file.path!r} any more.",
                hint="it was there when it was opened: open it again, or persist() what is read of files that go.",
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
        if any(window is not None and window.is_torn for window in self._windows.values()):
            raise changed_error(self.file) from error

    def in_window(self, start: int, stop: int, first: int, last: int) -> NumberArray:
        if self.has_holes or stop - start < tuning.LEAST_WINDOW_BYTES:
            return NO_BYTES
        from akdask.storage.windows import are_cached, window_of  # few rows have no window

        if (start, stop) not in self._windows:
            self._windows[start, stop] = window_of(self.file, self.descriptor, start, stop - start)
        window = self._windows[start, stop]
        return NO_BYTES if window is None or not are_cached(self.descriptor, first, last - 1) else window.numbers

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
            # No data from here on, or the file system does not report holes.
            data = self.file.size if error.errno == errno.ENXIO and offset < self.file.size else offset
        return min(data - offset, size)


class _RemoteReader(RangeReader):
    """Reads ahead; at the end it checks that the file did not change meanwhile."""

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
            # Apparent damage may come from two states of the file.
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


_KEEP_SIZE = 1
"""Linux's flag that a file be no longer than it is."""

_NOT_DONE = frozenset({errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL})
"""Errors of file systems that cannot reserve space."""


@contextmanager
def opened(path: str) -> Iterator[int]:
    """Open a file to be written all over, with its space on the disk reserved, and give its descriptor.

    Raises
    ------
    OSError
        If there is not enough space, among others.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        _reserve(descriptor)
        yield descriptor
    finally:
        os.close(descriptor)


def _reserve(descriptor: int) -> None:
    """Have space on the disk for a whole file before it is written, where the system can do that.

    This makes writing faster, since the file system allocates space once.
    """
    nbytes = os.fstat(descriptor).st_size
    fallocate = _fallocate()
    # The C library's `posix_fallocate` would write to every block instead, where a file system cannot do it.
    if fallocate is not None and nbytes and fallocate(descriptor, _KEEP_SIZE, 0, nbytes):
        number = ctypes.get_errno()
        if number not in _NOT_DONE:
            raise OSError(number, os.strerror(number))


@cache
def _fallocate() -> Callable[[int, int, int, int], int] | None:
    function = getattr(ctypes.CDLL(None, use_errno=True), "fallocate64", None) if sys.platform == "linux" else None
    if function is not None:
        function.argtypes = [ctypes.c_int, ctypes.c_int, ctypes.c_int64, ctypes.c_int64]
    return function


def write_at(descriptor: int, block: NumberArray, position: int) -> None:
    """Write a contiguous array at a position of an open file."""
    rest = block.view(np.uint8).data
    while rest:
        count = os.pwrite(descriptor, rest[: 2**30], position)
        rest, position = rest[count:], position + count


ELSEWHERE = -1
"""Offset of data that is not one contiguous run of bytes: never allocated, or of another type than NumPy's.

Data in chunks of n elements has ``ELSEWHERE - n``."""

OUTSIDE = -(2**63)
"""Offset of data that is, or may be, in other files."""

MOST_PARTITIONS = 2**17
"""Partitions into which the files of a set are split, if there are not more files: of 128 MiB each, 16 TiB."""


ALIGNED_ROWS = 2**15
"""Large files are split at multiples of this number of rows."""


@record
class Extent:
    """One flat dataset in one file.

    Parameters
    ----------
    dataset : str
        Path of the dataset inside the file.
    dtype : str
        NumPy's name of the stored type, byte order included: ``<i8``, ``>f4``, ``|u1``.
    offset : int
        Position of the first element in the file. Negative where only the file's own library finds it (`ELSEWHERE`,
        `OUTSIDE`).
    length : int
        Number of elements.
    """

    dataset: str
    dtype: str
    offset: int
    length: int


@record
class PartitionRanges:
    """The partitions of a set: rows ``starts[i]`` to ``stops[i]`` of file ``files[i]``, in file order.

    `by_size` is the number of partitions that the bytes alone ask for, as no file is cut for several threads.
    """

    files: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]
    by_size: int

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Rows in each partition."""
        return self.stops - self.starts


def split_rows(
    rows: npt.NDArray[np.int64],
    nbytes: npt.NDArray[np.int64],
    limit: int,
    most: npt.NDArray[np.int64] | None = None,
    grain: npt.NDArray[np.int64] | None = None,
) -> PartitionRanges:
    """Split files whose largest column passes `limit` bytes into ranges of about equal numbers of rows.

    Few files that are not in chunks are split into as many ranges as several threads need.

    Parameters
    ----------
    rows, nbytes : ndarray, shape (nfiles,), int64
        Rows of each file, and the bytes of its largest column.
    limit : int
        Bytes of a range.
    most : ndarray, shape (nfiles,), int64, optional
        Ranges that each file is split into at most.  All files together have no more than `MOST_PARTITIONS`, or one
        each.
    grain : ndarray, shape (nfiles,), int64, optional
        Rows of a chunk; ranges begin at multiples of it.

    Examples
    --------
    >>> split_rows(np.array([5, 2]), np.array([40, 16]), limit=20).lengths
    array([3, 2, 2])
    """
    counts = np.clip(-(-nbytes // limit), 1, np.maximum(rows, 1))
    if most is not None:
        counts = np.minimum(counts, np.maximum(most, 1))
    # As Python integers: NumPy's may overflow in the sum.
    total = sum(counts.tolist())
    if total > max(MOST_PARTITIONS, len(rows)):
        counts = np.maximum((counts * (MOST_PARTITIONS / total)).astype(np.int64), 1)
    by_size = sum(counts.tolist())
    shares = _shares(rows) if grain is None else np.ones_like(counts)
    is_shared = shares > counts
    counts = np.maximum(counts, shares)
    step = -(-rows // counts)
    if grain is None:
        # Sums of floats are rounded by units of rows, which are the same ones wherever files are split.
        grain = np.where(is_shared | (step >= tuning.MANY_RANGES * ALIGNED_ROWS), ALIGNED_ROWS, 1)
    step = np.where(is_shared, (step + grain // 2) // grain * grain, -(-step // grain) * grain)
    counts = np.where(is_shared | (grain == 1), counts, np.maximum(-(-rows // np.maximum(step, 1)), 1))
    files = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(files)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.minimum(within * step[files], rows[files])
    stops = np.where(within + 1 == counts[files], rows[files], np.minimum(starts + step[files], rows[files]))
    return PartitionRanges(files, starts, stops, by_size)


def _shares(rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the number of ranges of each file, so that no range has a large share of all rows, or few rows."""
    wanted = max(-(-sum(rows.tolist()) // tuning.SHARES), tuning.THREAD_ROWS)
    return np.asarray(-(-rows // min(wanted, 2**62)), np.int64)
