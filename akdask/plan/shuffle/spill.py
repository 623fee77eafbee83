"""Pieces of a partition on a worker's disk, from where they are read one at a time.

Dask, too, writes results to disk where memory is short.  But it reads them back whole, for each task anew: partitions
that are split into a hundred pieces would be read a hundred times.

Slices are pickled, which writes the buffers of arrays as they are, and gives back arrays that a sort may write to.
Arrow's IPC format takes as many bytes, and as long to write; it takes 1.4 times as long to read tables of 200,000 rows
with strings, and 1.9 times those of numbers alone, since what Arrow reads must be copied before it is sorted in place;
tables of 2,000 rows take twice as long either way.
"""

from __future__ import annotations

import pickle
import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import IO, Any, TypeAlias, overload
from weakref import finalize

from akdask._distributed import current_task, current_worker, holds_result, register_spilling, worker_folder
from akdask.errors import AkdaskError, WriteError

Name: TypeAlias = tuple[str, Hashable]
"""The address of a worker, and the key of the task whose result a shelf is."""

_spilled: dict[Name, WorkerLocal] = {}
"""What Dask has written to disk, which means no more than its name."""


@dataclass(eq=False)
class WorkerLocal:
    """What a worker keeps where it is; without a name that Dask knows it by, Dask spills all of it."""

    name: Name | None


class SpillFile(WorkerLocal, Sequence[Any]):
    """Pieces in a file without a name, which is gone when the shelf or its process is.

    Parameters
    ----------
    pieces : iterable
        Each is written before the next is asked for.
    name : tuple of str and hashable, optional
        What Dask calls it.

    Raises
    ------
    WriteError
        If the disk is full, or cannot be written to.
    """

    def __init__(self, pieces: Iterable[Any], name: Name | None = None) -> None:
        super().__init__(name)
        self._lock = Lock()
        with _errors_naming_the_folder():
            self._file = TemporaryFile(dir=worker_folder())  # noqa: SIM115 -- closed with the shelf
        finalize(self, _close, self._file)
        # There are many shelves, each of many pieces: eight bytes of memory for a piece.
        self._starts = array("q")
        for piece in pieces:
            with _errors_naming_the_folder():
                self._starts.append(self._file.tell())
                pickle.dump(piece, self._file, 5)
        with _errors_naming_the_folder():
            self._file.flush()

    @classmethod
    def of_task(cls, pieces: Iterable[Any]) -> SpillFile:
        """Return the shelf that a worker's task, the one that runs now, is to give."""
        return cls(pieces, task_name())

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        with self._lock, _errors_naming_the_folder():
            self._file.seek(self._starts[index])
            return pickle.load(self._file)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle what is in the file, for other processes."""
        return SpillFile, (list(self),)


class ShuffleBuffer(WorkerLocal):
    """The pieces of several partitions for some new ones.

    Parameters
    ----------
    sources : sequence
        The pieces of each, on a shelf or in memory, or None.
    numbers : range
        For which new partitions they are.
    first : int
        The number of the new partition that the first piece of each source is for.
    name : tuple of str and hashable, optional
        What Dask calls it.
    """

    def __init__(
        self, sources: Sequence[Sequence[Any] | None], numbers: range, first: int = 0, name: Name | None = None
    ) -> None:
        super().__init__(name)
        self._sources = [pieces for pieces in sources if pieces is not None]
        self._numbers = numbers
        self._first = first

    def parts(self, number: int) -> list[Any]:
        """Return what all have for one new partition."""
        return [part for pieces in self._sources for part in pieces[number - self._first]]

    def __sizeof__(self) -> int:
        held = (pieces for pieces in self._sources if not isinstance(pieces, SpillFile))
        parts = (part for pieces in held for number in self._numbers for part in pieces[number - self._first])
        return sum(map(sys.getsizeof, parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle these pieces, for other processes."""
        pieces = [[item[number - self._first] for number in self._numbers] for item in self._sources]
        return ShuffleBuffer, (pieces, self._numbers, self._numbers.start)


def spilled(pieces: Sequence[Any], room: int | None, join: Callable[[Sequence[Any]], Sequence[Any]]) -> Sequence[Any]:
    """Return pieces as they are, to stay in this process, or the parts of each joined.

    With more than `room` bytes they are put on a shelf, one by one.
    """
    if room is None:
        return pieces
    joined = map(join, pieces)
    if sum(sys.getsizeof(part) for parts in pieces for part in parts) <= room:
        return list(joined)
    return SpillFile.of_task(joined)


def clear_spill_files() -> None:
    """Let go of what Dask has spilled, and forgotten since."""
    if not _spilled:
        return
    worker = current_worker()
    for address, key in list(_spilled):
        if worker is not None and address == worker.address and not holds_result(worker, key):
            _spilled.pop((address, key), None)


def _close(file: IO[bytes]) -> None:
    """Close a file whose content nobody wants, though what is left of it cannot be written."""
    with suppress(OSError):
        file.close()


@contextmanager
def _errors_naming_the_folder() -> Iterator[None]:
    """Turn what the operating system raises into an error that says where the space is wanted."""
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        raise WriteError(
            f"rows that do not fit in memory cannot be kept on disk: {error.strerror or error}.",
            details=[f"folder: {worker_folder() or gettempdir()}"],
            hint="free space there, or choose a folder: TMPDIR for this process, local_directory for Dask's workers.",
        ) from error


def task_name() -> Name | None:
    """Return what Dask calls the task of a worker that runs now."""
    name = current_task()
    if name is not None:
        _have_names_spilled()
    return name


@cache
def _have_names_spilled() -> None:
    """Tell Dask how to spill what is kept, without reading it."""

    def name_of(held: WorkerLocal) -> Name | None:
        if held.name is not None:
            _spilled[held.name] = held
        return held.name

    for kind in (SpillFile, ShuffleBuffer):
        register_spilling(kind, name_of, lambda name: _spilled[tuple(name)])
