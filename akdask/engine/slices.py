"""Slices: what the rows of a partition give to each new one in an exchange, in memory or on the disk of a worker.

A slice on disk is read alone. Dask, too, writes results to disk where memory is short, but reads them back as a whole,
for each task: a partition of a hundred slices would be read a hundred times.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, TypeAlias, overload

from akdask._distributed import current_task, current_worker, holds_result, register_spilling
from akdask.columns.table import Table
from akdask.engine.budget import memory_budget as process_budget
from akdask.engine.spill import naming_the_folder, spill_space
from akdask.typing import NumberArray

Part = Any
"""The rows that an old partition gives to a new one; each block of rows that is split makes one part."""

Slices: TypeAlias = Sequence[Sequence[Part]] | None
"""For each new partition, its parts in row order; None if no partition gets any."""

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


class SlicesOnDisk(WorkerResult, Sequence[Any]):
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
    def of_task(cls, slices: Iterable[Any]) -> SlicesOnDisk:
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
        return SlicesOnDisk, (list(self),)


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
        in_memory = (slices for slices in self._sources if not isinstance(slices, SlicesOnDisk))
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
            return SlicesOnDisk.of_task(joined)
        return slices if is_cut else list(joined)
    if process_budget.is_short(nbytes):
        return SlicesOnDisk(joined)
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

    for kind in (SlicesOnDisk, ShuffleBuffer):
        register_spilling(kind, name_of, lambda name: _spilled[tuple(name)])
