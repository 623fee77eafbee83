"""Spill files: slices of a partition on the disk of a worker, which are read one at a time.

Dask, too, writes results to disk where memory is short.  But it reads a result back as a whole, for each task: a
partition of a hundred slices would be read a hundred times.

An item is pickled with its buffers out of band. They are written unchanged and read at once, to arrays that a sort may
write to, or read in part (`akdask.engine.tables_on_disk`). Arrow's IPC format takes as many bytes, but a schema with
each small slice takes long to write, and a batch without a schema lacks the bounds and positions of a slice.
"""

from __future__ import annotations

import os
import pickle
import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from tempfile import TemporaryFile, gettempdir
from threading import Lock
from typing import IO, Any, ClassVar, TypeAlias, overload
from weakref import finalize, ref

import dask
import numpy as np

from akdask._distributed import current_task, current_worker, holds_result, register_spilling, worker_folder
from akdask.caches import after_fork
from akdask.columns.memory import new_array
from akdask.columns.table import Table
from akdask.engine.budget import memory_budget as process_budget
from akdask.engine.fetch import Part
from akdask.errors import AkdaskError, WriteError
from akdask.typing import NumberArray

FULL = 2**28
"""Bytes after which a file is full, so that space is freed before all spill files are gone."""

ALIGNMENT = 64
"""Alignment of buffers in bytes, for Arrow's kernels."""

SMALL = 2**18
"""Bytes of an item that are copied together and written at once."""


class UnnamedFile:
    """A file without a name; one thread at a time appends to it, and any number of threads read it.

    Parameters
    ----------
    folder : str
        The folder on whose disk it is.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._file = TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 -- closed with this object
        self.nbytes = 0
        finalize(self, _close, self._file)

    def append(self, item: Any) -> list[int]:
        """Append an item: the buffers of its arrays, and the pickle that makes the arrays again.

        Returns
        -------
        starts : list of int
            The position of each buffer.
        """
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(item, 5, buffer_callback=buffers.append)
        raw = [buffer.raw() for buffer in buffers]
        sizes = np.array([len(pickled), *(len(buffer) for buffer in raw)])
        parts: list[bytes | memoryview] = [np.array([len(sizes)]).tobytes(), sizes.tobytes(), pickled]
        end = sum(map(len, parts))
        starts = []
        for buffer in raw:
            padding = -end % ALIGNMENT
            parts += [bytes(padding), buffer]
            starts.append(self.nbytes + end + padding)
            end += padding + len(buffer)
        for part in [b"".join(parts)] if end <= SMALL else parts:
            self._write(part)
        self.nbytes += end
        return starts

    def truncate(self, nbytes: int) -> None:
        """Remove the bytes that were appended since the file had the given size."""
        with suppress(OSError):
            self._file.truncate(nbytes)
            self._file.seek(nbytes)
        self.nbytes = nbytes

    def read(self, start: int, stop: int) -> Any:
        """Read the item between two positions."""
        content = new_array(stop - start, np.uint8)
        memory = content.data
        self.read_into(memory, start)
        count = int(content[:8].view(np.int64)[0])
        first, *sizes = content[8 : 8 * (1 + count)].view(np.int64).tolist()
        begin = 8 * (1 + count)
        at, buffers = begin + first, []
        for size in sizes:
            at += -at % ALIGNMENT
            buffers.append(memory[at : at + size])
            at += size
        return pickle.loads(memory[begin : begin + first], buffers=buffers)

    def read_into(self, memory: memoryview, start: int) -> None:
        """Fill memory with the bytes from a position on."""
        done = 0
        while done < len(memory):
            count = os.preadv(self._file.fileno(), [memory[done:]], start + done)
            if not count:
                raise OSError(f"a file of {self.nbytes} bytes ends at byte {start + done}")
            done += count

    def _write(self, part: bytes | memoryview) -> None:
        rest = memoryview(part)
        while rest:
            rest = rest[self._file.write(rest) :]


class SpillSpace:
    """The files that are not full, each for one thread at a time; a file lives as long as something in it is needed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._files: list[ref[UnnamedFile]] = []

    @contextmanager
    def file_in(self, folder: str) -> Iterator[UnnamedFile]:
        """Give the caller a file in a folder to append to; an error truncates the file again."""
        file = self._take(folder)
        start = file.nbytes
        try:
            yield file
        except BaseException:
            file.truncate(start)
            raise
        finally:
            if file.nbytes < FULL:
                with self._lock:
                    self._files.append(ref(file))

    def _take(self, folder: str) -> UnnamedFile:
        with self._lock:
            there = [(name, file) for name in self._files if (file := name()) is not None]
            found = next((pair for pair in there if pair[1].folder == folder), None)
            self._files = [name for name, _ in there if found is None or name is not found[0]]
        return UnnamedFile(folder) if found is None else found[1]


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):
        file.close()


_space = SpillSpace()


def spill_space() -> SpillSpace:
    """Return the spill space of this process."""
    return _space


def _start_anew() -> None:
    """Forget the parent's files in a forked process, which may read but not append to them."""
    global _space  # noqa: PLW0603 - there is one for the process
    _space = SpillSpace()


after_fork(_start_anew)


MakePart: TypeAlias = Callable[[Table, int, list[int]], Part]

CutTable: TypeAlias = tuple[Table, NumberArray]
"""Rows, the first row of each new partition, and the end of the last."""


class CutSlices(Sequence[Sequence[Part]]):
    """Lazy slices for `count` new partitions; `cut` makes each when it is taken.  Pickled, they are their rows."""

    in_budget: Any

    is_on_disk: ClassVar[bool] = False
    """Whether rows are read from disk when they are taken."""

    def __init__(self, count: int) -> None:
        self._count = count

    def cut(self, number: int) -> Sequence[Part]:
        """Return the parts of one new partition."""
        raise NotImplementedError

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> Sequence[Part]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Part]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self.cut(number) for number in range(*index.indices(self._count))]
        return self.cut(range(self._count)[index])


class CutTables(CutSlices):
    """Slices of tables whose rows are sorted by new partition.

    Parameters
    ----------
    count : int
        Number of new partitions.
    tables : sequence of (Table, ndarray)
        Tables with rows in the order of the new partitions, and the bounds of these, one more than there are partitions
        or ranges.
    part : callable
        Makes a part from the rows of a new partition, its number, and the bounds of its ranges.
    shared : sequence
        Parts that every new partition gets after its own.
    within : int, default 1
        Number of ranges of each new partition.
    keeps_empty : bool, default False
        Whether there are parts without rows as well, which carry the columns' names and types.
    """

    def __init__(
        self,
        count: int,
        tables: Sequence[CutTable],
        part: MakePart,
        shared: Sequence[Part] = (),
        *,
        within: int = 1,
        keeps_empty: bool = False,
    ) -> None:
        super().__init__(count)
        self._tables, self._part, self._shared = tables, part, shared
        self._within, self._keeps_empty = within, keeps_empty

    def cut(self, number: int) -> list[Part]:
        """Return a part of each table that has rows for a new partition, and the shared parts."""
        found = []
        for table, bounds in self._tables:
            own = bounds[number * self._within : (number + 1) * self._within + 1].tolist()
            start, stop = own[0], own[-1]
            if start < stop or self._keeps_empty:
                found.append(self._part(table.slice(start, stop), number, [bound - start for bound in own]))
        return [*found, *self._shared]

    def __sizeof__(self) -> int:
        of_tables = sum(sys.getsizeof(table) + bounds.nbytes for table, bounds in self._tables)
        return of_tables + sum(map(sys.getsizeof, self._shared))


class ChainedSlices(CutSlices):
    """Concatenated slices of several old partitions.

    Parameters
    ----------
    chained : sequence
        The slices of some partitions, at least one.
    """

    def __init__(self, chained: Sequence[Sequence[Sequence[Part]]]) -> None:
        super().__init__(len(chained[0]))
        self._chained = chained

    def cut(self, number: int) -> list[Part]:
        """Return the parts of one new partition."""
        return [part for slices in self._chained for part in slices[number]]

    def __sizeof__(self) -> int:
        return 0


Name: TypeAlias = tuple[str, Hashable]
"""The address of a worker, and the key of the task whose result is a spill file."""

_spilled: dict[Name, WorkerResult] = {}
"""Objects of which Dask has spilled only the name."""


@dataclass(eq=False)
class WorkerResult:
    """A result that stays on its worker: Dask spills only its name, or all of it if it has none."""

    name: Name | None


class SpillFile(WorkerResult, Sequence[Any]):
    """Slices in an unnamed file, which disappears when its contents are freed or the process ends.

    Parameters
    ----------
    slices : iterable
        Each is written before the next is taken.
    name : tuple of str and hashable, optional
        Dask's name of the result.

    Raises
    ------
    WriteError
        If the disk is full or cannot be written to.
    """

    def __init__(self, slices: Iterable[Any], name: Name | None = None) -> None:
        super().__init__(name)
        # There are many spill files of many slices each, so a slice takes only eight bytes of memory.
        self._starts = array("q")
        with naming_the_folder() as folder, spill_space().file_in(folder) as file:
            self._file = file
            self._starts.append(file.nbytes)
            for slice_ in slices:
                file.append(slice_)
                self._starts.append(file.nbytes)

    @classmethod
    def of_task(cls, slices: Iterable[Any]) -> SpillFile:
        """Return a spill file as the result of the worker's current task."""
        return cls(slices, task_name())

    def __len__(self) -> int:
        return len(self._starts) - 1

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        number = range(len(self))[index]
        with naming_the_folder():
            return self._file.read(self._starts[number], self._starts[number + 1])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the contents of the file, for other processes."""
        return SpillFile, (list(self),)


class ShuffleBuffer(WorkerResult):
    """The slices of several partitions for some new ones.

    Parameters
    ----------
    sources : sequence
        The slices of each partition, in a spill file or in memory, or None.
    numbers : range
        The new partitions.
    first : int
        The new partition of the first slice of each source.
    name : tuple of str and hashable, optional
        Dask's name of the result.
    """

    def __init__(
        self, sources: Sequence[Sequence[Any] | None], numbers: range, first: int = 0, name: Name | None = None
    ) -> None:
        super().__init__(name)
        self._sources = [slices for slices in sources if slices is not None]
        self._numbers = numbers
        self._first = first

    def parts(self, number: int) -> list[Any]:
        """Return the parts of all sources for one new partition."""
        return [part for slices in self._sources for part in slices[number - self._first]]

    def __sizeof__(self) -> int:
        in_memory = (slices for slices in self._sources if not isinstance(slices, SpillFile))
        parts = (part for slices in in_memory for number in self._numbers for part in slices[number - self._first])
        return sum(map(sys.getsizeof, parts))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the slices, for other processes."""
        slices = [[item[number - self._first] for number in self._numbers] for item in self._sources]
        return ShuffleBuffer, (slices, self._numbers, self._numbers.start)


class SlicesInMemory(list[Any]):
    """Slices in memory, which count in the memory budget of this process."""

    in_budget: Any


def spilled(
    slices: Sequence[Any], memory_budget: int | None, join: Callable[[Sequence[Any]], Sequence[Any]]
) -> Sequence[Any]:
    """Return slices unchanged if they stay in this process's memory, otherwise with the parts of each joined.

    Lazily cut slices stay lazy in memory.

    Slices of more than `memory_budget` bytes are written to a spill file, one by one. Without a budget of their own,
    slices are written if they exceed the budget of the process, unless they are read from disk lazily.
    """
    is_cut = isinstance(slices, CutSlices)
    if memory_budget is None and isinstance(slices, CutSlices) and slices.is_on_disk:
        return slices
    nbytes = sys.getsizeof(slices) if is_cut else sum(sys.getsizeof(part) for parts in slices for part in parts)
    joined = map(join, slices)
    if memory_budget is not None:
        if nbytes > memory_budget:
            return SpillFile.of_task(joined)
        return slices if is_cut else list(joined)
    if process_budget.is_short(nbytes):
        return SpillFile(joined)
    in_memory = slices if isinstance(slices, CutSlices) else SlicesInMemory(slices)
    process_budget.add(in_memory, nbytes)
    return in_memory


def clear_spill_files() -> None:
    """Release spilled results that Dask has forgotten."""
    if not _spilled:
        return
    worker = current_worker()
    for address, key in list(_spilled):
        if worker is not None and address == worker.address and not holds_result(worker, key):
            _spilled.pop((address, key), None)


def spill_folder() -> str:
    """Return the folder for spilled data: the worker's, or Dask's for temporary files."""
    return worker_folder() or dask.config.get("temporary_directory", None) or gettempdir()


@contextmanager
def naming_the_folder() -> Iterator[str]:
    """Give the caller the spill folder; errors of the operating system then name it."""
    folder = spill_folder()
    try:
        yield folder
    except AkdaskError:
        raise
    except OSError as error:
        raise WriteError(
            f"rows that do not fit in memory cannot be kept on disk: {error.strerror or error}.",
            details=[f"folder: {folder}"],
            hint="free space there, or choose a folder: dask.config.set(temporary_directory=…) or TMPDIR for this "
            "process, local_directory for Dask's workers.",
        ) from error


def task_name() -> Name | None:
    """Return Dask's name for the current task of a worker."""
    name = current_task()
    if name is not None:
        _have_names_spilled()
    return name


@cache
def _have_names_spilled() -> None:
    """Register with Dask that results which stay on their worker are spilled by name, without reading them."""

    def name_of(result: WorkerResult) -> Name | None:
        if result.name is not None:
            _spilled[result.name] = result
        return result.name

    for kind in (SpillFile, ShuffleBuffer):
        register_spilling(kind, name_of, lambda name: _spilled[tuple(name)])
