"""The batches of an epoch, read ahead by threads in an order that does not depend on the threads."""

from __future__ import annotations

import math
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.errors import AkdaskError, ArgumentError, warn
from akdask.lbann import tuning
from akdask.lbann.errors import LbannError, LbannWarning, SampleTypeError
from akdask.lbann.file_reader import AnyReader
from akdask.lbann.sample_list import SampleList
from akdask.records import record

Shuffle: TypeAlias = bool | Literal["files"]
"""Whether samples come in random order: all of them, or files, and the samples within each file."""


def epoch_order(
    n: int, files: np.ndarray | None, shuffle: Shuffle, seed: int | Sequence[int] | None, epoch: int
) -> np.ndarray:
    """Return the positions of samples in the order of an epoch.

    Parameters
    ----------
    n : int
        Number of samples.
    files : ndarray of int64, shape (n,), optional
        The file of each sample; only used if files are shuffled.
    shuffle : bool or "files"
        False keeps the order; "files" shuffles files, and the samples of each, so that the samples of a file stay
        together.
    seed : int or sequence of int, optional
        The same seed and epoch give the same order, however many threads and workers there are.
    epoch : int
        Number of the epoch, which makes the orders of a seed differ.

    Raises
    ------
    ArgumentError
        If `shuffle` is something else.
    """
    if shuffle is False:
        return np.arange(n, dtype=np.int64)
    if shuffle is not True and shuffle != "files":
        raise ArgumentError(f"shuffle is {shuffle!r}.", hint="it is True, False or 'files'.")
    given = [] if seed is None else [seed] if isinstance(seed, int | np.integer) else list(seed)
    random = np.random.default_rng([*given, epoch] if given else None)
    order = random.permutation(n)
    if shuffle is True or files is None or not n:
        return order
    # Samples are in random order already: a stable sort by the random rank of their files preserves it within files.
    ranks = random.permutation(int(files.max()) + 1)
    return order[np.argsort(ranks[files[order]], kind="stable")]


Batch: TypeAlias = dict[str, np.ndarray]
"""Values of samples by name, a row for each sample."""

_NARROWEST = 4
"""Bytes of the integers that are converted to the type of a batch."""


@record
class SkippedSample:
    """A sample that an epoch went on without.

    Parameters
    ----------
    index : int
        Its position in the data set.
    path, sample : str
        Its file and ID.
    error : AkdaskError
        Why it could not be read.
    """

    index: int
    path: str
    sample: str
    error: AkdaskError


class GroupedReader:
    """Reads samples at any positions of a list, grouped by file.  Picklable.

    Parameters
    ----------
    samples : SampleList
        Where they are.
    reader : SampleReader or FileSampleReader
        Reads samples by path and ID.
    names : sequence of str, optional
        Names of values to return for each sample; all by default.
    dtype : dtype, optional
        Type of all values except text; the type given by the schemas by default.  Integers of less than 32 bits are
        refused, as upstream does, since only a schema gives their meaning.
    """

    def __init__(
        self, samples: SampleList, reader: AnyReader, names: Sequence[str] | None = None, dtype: Any = None
    ) -> None:
        self.samples = samples
        self.reader = reader
        self.names = None if names is None else list(names)
        self.dtype = None if dtype is None else np.dtype(dtype)

    def reduced(self, names: Sequence[str]) -> GroupedReader:
        """Return a reader of some names of the same samples."""
        return GroupedReader(self.samples, self.reader.select(names), names, self.dtype)

    def with_reader(self, reader: AnyReader) -> GroupedReader:
        """Return a reader of the same samples by other schemas."""
        return GroupedReader(self.samples, reader, None, self.dtype)

    def read(self, indices: np.ndarray) -> Batch:
        """Return the values of samples, a row for each, in the order of their positions.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.

        Raises
        ------
        LbannError
            If a sample cannot be read, differs in size or type from earlier ones, or has integers of less than 32
            bits to be converted.
        FileError
            If the list was rewritten since it was read.
        """
        try:
            return self._values(indices)
        finally:
            self.samples.check_current()

    def _values(self, indices: np.ndarray) -> Batch:
        paths = self.samples.paths
        found = self.reader.read_samples(
            [paths[file] for file in self.samples.file_of(indices).tolist()], self.samples.ids_of(indices)
        )
        chosen = found if self.names is None else {name: found[name] for name in self.names}
        return {name: self._converted(name, values) for name, values in chosen.items()}

    def read_batches(
        self, indices: np.ndarray, batch_size: int, is_stopped: Callable[[], bool] = lambda: False
    ) -> list[Batch]:
        """Return the values of samples in batches, each in memory of its own.

        Small samples are read together, since finding the samples of a file takes longer than copying them.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        batch_size : int
            Samples of a batch; the last may have fewer.
        is_stopped : callable
            Returns whether the batches are no longer needed.

        Raises
        ------
        LbannError
            As for `read`.
        """
        starts = range(0, len(indices), batch_size)
        if len(starts) > 1 and self._sample_bytes() <= tuning.SMALL_SAMPLE_BYTES:
            found = self.read(indices)
            return [{name: rows[at : at + batch_size].copy() for name, rows in found.items()} for at in starts]
        return [self.read(indices[at : at + batch_size]) for at in starts if not is_stopped()]

    def _sample_bytes(self) -> float:
        """Return the bytes of a sample, infinity while none has been read."""
        try:
            return sum(self.reader.size_of(name) * self.reader.dtype_of(name).itemsize for name in self.reader.names)
        except LbannError:
            return math.inf

    def read_what_can_be(self, indices: np.ndarray, skipped: list[SkippedSample]) -> Batch:
        """Return the values of the readable samples, a row for each; empty if there are none.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        skipped : list of SkippedSample
            Receives the unreadable samples.
        """
        try:
            return self._values(indices)
        except AkdaskError:
            good = np.array([self._can_be_read(index, skipped) for index in indices.tolist()])
            return self._values(indices[good]) if good.any() else {}
        finally:
            self.samples.check_current()

    def _can_be_read(self, index: int, skipped: list[SkippedSample]) -> bool:
        try:
            self._values(np.array([index]))
        except AkdaskError as error:
            skipped.append(SkippedSample(index, *self.samples[index], error))
            return False
        return True

    def _converted(self, name: str, values: np.ndarray) -> np.ndarray:
        if self.dtype is None or values.dtype.kind == "U" or values.dtype == self.dtype:
            return values
        if values.dtype.kind in "iu" and values.dtype.itemsize < _NARROWEST:
            raise SampleTypeError(
                f"elements are {values.dtype}, which a batch of {self.dtype} does not take.",
                field=name,
                hint="coerce the field to float in the schema, or ask for batches without a dtype.",
            )
        return values.astype(self.dtype, copy=False)


OnError: TypeAlias = Literal["raise", "skip"]
"""Treatment of unreadable samples in an epoch."""


@record
class BatchOptions:
    """How samples come in batches.

    Parameters
    ----------
    batch_size : int
        Samples of a batch.
    shuffle : bool or "files"
        Whether samples come in random order.
    seed : int or sequence of int, optional
        Of the order.
    prefetch : int
        Number of batches in memory at a time, besides the one in use; 0 reads a batch when it is requested.
    on_error : {"raise", "skip"}
        Whether a sample that cannot be read ends the epoch.
    drop_last : bool
        Leave out a last batch of fewer samples.
    threads : int, optional
        Number of reading threads; at most four by default.
    progress : callable, optional
        Called with the number of batches taken and their total.
    """

    batch_size: int
    shuffle: Shuffle = False
    seed: int | Sequence[int] | None = None
    prefetch: int = 4
    on_error: OnError = "raise"
    drop_last: bool = False
    threads: int | None = None
    progress: Callable[[int, int], object] | None = None

    def __post_init__(self) -> None:
        for name, value, least in (("batch_size", self.batch_size, 1), ("prefetch", self.prefetch, 0)):
            number: Any = value  # users may pass values of any type
            if not isinstance(number, int | np.integer) or number < least:
                raise ArgumentError(f"{name} is {value!r}; it is an integer from {least} up.")
        if self.on_error not in {"raise", "skip"}:
            raise ArgumentError(f"on_error is {self.on_error!r}; it is 'raise' or 'skip'.")
        if self.threads is not None and self.threads < 1:
            raise ArgumentError(f"threads is {self.threads}; it is an integer from 1 up.")
        epoch_order(0, None, self.shuffle, None, 0)

    @property
    def n_threads(self) -> int:
        """Threads that read."""
        return self.threads or max(1, min(tuning.MOST_THREADS, os.cpu_count() or 1, self.prefetch))

    @property
    def window(self) -> int:
        """Number of batches read together, half of those in memory, so that the samples of a file are read at once."""
        return max(1, self.prefetch // max(2, self.n_threads))


class Batches:
    """The batches of an epoch.  Each iteration is one epoch, with its own order if it is random.

    Parameters
    ----------
    reader : GroupedReader
        Reads samples.
    indices : ndarray of int64, shape (n,)
        Positions of the samples in the list.
    options : BatchOptions
        How they come.

    Attributes
    ----------
    epoch : int
        Number of the next epoch; can be set.
    """

    def __init__(self, reader: GroupedReader, indices: np.ndarray, options: BatchOptions) -> None:
        self.reader = reader
        self._indices = indices
        self.options = options
        self.epoch = 0
        self._skipped: list[SkippedSample] = []

    def __len__(self) -> int:
        n, size = len(self._indices), self.options.batch_size
        return n // size if self.options.drop_last else -(-n // size)

    @property
    def skipped(self) -> list[SkippedSample]:
        """Samples of the last epoch that could not be read, in the order of the data set."""
        return sorted(self._skipped, key=lambda one: one.index)

    def __iter__(self) -> Iterator[Batch]:
        """Yield the batches of the next epoch, and increment its number; see `of_epoch`."""
        epoch, self.epoch = self.epoch, self.epoch + 1
        return self.of_epoch(epoch)

    def of_epoch(self, epoch: int, numbers: Sequence[int] | None = None) -> Iterator[Batch]:
        """Yield batches of an epoch.

        Parameters
        ----------
        epoch : int
            Number of the epoch.
        numbers : sequence of int, optional
            Numbers of the batches, ascending; all by default.

        Raises
        ------
        LbannError
            If a sample cannot be read, unless such samples are skipped; after the batches before it.

        Warns
        -----
        LbannWarning
            At the end of the epoch, if samples were skipped.
        """
        windows = self._windows(epoch, range(len(self)) if numbers is None else numbers)
        total = sum(map(self._n_batches, windows))
        skipped: list[SkippedSample] = []
        self._skipped = skipped
        read = self._serial(windows, skipped) if not self.options.prefetch else self._ahead(windows, skipped)
        for done, batch in enumerate(read, 1):
            if self.options.progress is not None:
                self.options.progress(done, total)
            yield batch
            del batch  # it would be in memory while the next is waited for
        if skipped:
            first = self.skipped[0]
            warn(
                f"{len(skipped):,} samples were skipped; the first, {first.sample!r} of {first.path!r}: "
                f"{first.error.message}",
                LbannWarning,
            )

    def _windows(self, epoch: int, numbers: Sequence[int]) -> list[np.ndarray]:
        """Return the positions of the samples of each window, in the order of the epoch."""
        options, indices, size = self.options, self._indices, self.options.batch_size
        files = self.reader.samples.file_of(indices) if options.shuffle == "files" else None
        order = indices[epoch_order(len(indices), files, options.shuffle, options.seed, epoch)]
        batches = [order[number * size : (number + 1) * size] for number in numbers]
        if not batches:
            return []
        step = options.window
        return [np.concatenate(batches[start : start + step]) for start in range(0, len(batches), step)]

    def _serial(self, windows: Sequence[np.ndarray], skipped: list[SkippedSample]) -> Iterator[Batch]:
        for window in windows:
            yield from self._read(window, skipped, lambda: False)

    def _ahead(self, windows: Sequence[np.ndarray], skipped: list[SkippedSample]) -> Iterator[Batch]:
        """Yield batches read by threads: a window is begun when it fits into memory beside the waiting batches."""
        stop, remaining = Event(), deque(windows)
        begun: deque[tuple[Future[list[Batch]], int]] = deque()
        in_memory = 0
        pool = ThreadPoolExecutor(self.options.n_threads, "akdask-lbann")

        def begin() -> int:
            count = in_memory
            while remaining and count + self._n_batches(remaining[0]) <= self.options.prefetch:
                window = remaining.popleft()
                begun.append((pool.submit(self._read, window, skipped, stop.is_set), self._n_batches(window)))
                count += begun[-1][1]
            return count

        try:
            in_memory = begin()
            while begun:
                future, count = begun.popleft()
                batches = deque(future.result())
                del future  # it would keep batches that were taken
                in_memory -= count - len(batches)
                while batches:
                    batch = batches.popleft()
                    in_memory -= 1
                    in_memory = begin()
                    yield batch
                    del batch
                in_memory = begin()
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)

    def _n_batches(self, window: np.ndarray) -> int:
        return -(-len(window) // self.options.batch_size)

    def _read(self, window: np.ndarray, skipped: list[SkippedSample], is_stopped: Callable[[], bool]) -> list[Batch]:
        """Return the batches of a window that have samples left."""
        size = self.options.batch_size
        try:
            return self.reader.read_batches(window, size, is_stopped)
        except AkdaskError:
            if self.options.on_error == "raise":
                raise
        batches = [self.reader.read_what_can_be(window[at : at + size], skipped) for at in range(0, len(window), size)]
        return [batch for batch in batches if batch]
