"""The batches of an epoch: read by threads ahead of who takes them, in an order that no thread decides."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.errors import AkdaskError, ArgumentError, warn
from akdask.lbann.epochs.order import Shuffle, epoch_order
from akdask.lbann.epochs.reading import Batch, GroupedReader, SkippedSample
from akdask.lbann.errors import LbannWarning

OnError: TypeAlias = Literal["raise", "skip"]
"""What an epoch does about a sample that cannot be read."""

_MOST_THREADS = 4
"""Threads that read ahead, at most: those that wait for HDF5 wait for one another."""


@dataclass(frozen=True, slots=True)
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
        Batches that are in memory at a time, besides the one that was taken; 0 reads when a batch is taken.
    on_error : {"raise", "skip"}
        Whether a sample that cannot be read ends the epoch.
    drop_last : bool
        Leave out a last batch of fewer samples.
    threads : int, optional
        That read; at most four unless given.
    progress : callable, optional
        Is told the numbers of batches taken and of all.
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
            number: Any = value  # whatever a user gives
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
        return self.threads or max(1, min(_MOST_THREADS, os.cpu_count() or 1, self.prefetch))

    @property
    def window(self) -> int:
        """Batches that are read together, so that samples of a file are read at once; half of what is in memory."""
        return max(1, self.prefetch // max(2, self.n_threads))


class Batches:
    """The batches of an epoch; each iteration is one epoch, with an order of its own if it is random.

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
        Number of the next epoch; may be set.
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
        """Yield the batches of an epoch, and count it; see `of_epoch`."""
        epoch, self.epoch = self.epoch, self.epoch + 1
        return self.of_epoch(epoch)

    def of_epoch(self, epoch: int, numbers: Sequence[int] | None = None) -> Iterator[Batch]:
        """Yield batches of an epoch.

        Parameters
        ----------
        epoch : int
            Number of the epoch.
        numbers : sequence of int, optional
            Which batches of it, in ascending order; all unless given.

        Raises
        ------
        LbannError
            If a sample cannot be read, unless such samples are skipped; the batches before it have come.

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
        """Yield what threads read: a window is begun when it fits into memory beside what waits to be taken."""
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
        """Return the batches of a window; those without samples, as all were skipped, are left out."""
        size = self.options.batch_size
        try:
            return self.reader.read_batches(window, size, is_stopped)
        except AkdaskError:
            if self.options.on_error == "raise":
                raise
        batches = [self.reader.read_what_can_be(window[at : at + size], skipped) for at in range(0, len(window), size)]
        return [batch for batch in batches if batch]
