"""Slices: what the rows of a partition give to each new one in an exchange, in memory, on disk or on a worker.

A slice on disk is read alone. Dask, too, writes results to disk where memory is short, but reads them back as a whole,
for each task: a partition of a hundred slices would be read a hundred times. Parts are of any class, so each slice is
an item of its spill file. A `TableOnDisk` of the same rows needs a read for each column of a slice, and
took as long to read: 256 slices of 1 M rows of four integers 9 ms either way, 2,048 slices 50 ms and 60 ms.

On a cluster, split partitions stay on their workers, and tasks of new partitions fetch slices from there. So there is
one task for each new partition, whatever the number of workers. Slices are not results of tasks, so plugins
(`akdask.engine.plugins`) make Dask keep the partitions that they belong to.
"""

from __future__ import annotations

import pickle
import sys
import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from itertools import chain
from typing import Any, ClassVar, Protocol, TypeAlias, overload

from akdask.caches import cached_results
from akdask.cluster import (
    answers_of,
    current_task,
    current_worker,
    holders_of,
    holds_result,
    own_results,
    register_spilling,
    run_again,
    worker_ttl,
)
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine.memory import memory_budget as process_budget
from akdask.engine.spill import naming_the_folder, spill_space
from akdask.errors import UnreachableWorkerError
from akdask.records import record
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

_spilled: dict[Name, SlicesOnDisk] = {}
"""Spill files of which Dask has spilled only the name."""


class SlicesOnDisk(Sequence[Any]):
    """Slices in an unnamed file, which disappears when its contents are freed or the process ends.

    They stay on their worker: Dask spills only the name, or all of them if there is none.

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
        self.name = name
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
    """Register with Dask that spill files, which stay on their worker, are spilled by name, without reading them."""

    def name_of(slices: SlicesOnDisk) -> Name | None:
        if slices.name is not None:
            _spilled[slices.name] = slices
        return slices.name

    register_spilling(SlicesOnDisk, name_of, lambda name: _spilled[tuple(name)])


FETCH = "akdask_slices"
"""The name of the workers' handler for requests of slices."""

NOWHERE = ""
"""Stands for the worker of partitions that are being recomputed."""

_silence: dict[tuple[str, str], tuple[float, float]] = {}
"""For a pair of addresses, here and there: when the silent worker was first and last called."""

Holders: TypeAlias = Mapping[str, Sequence[int]]
"""The ascending numbers of the partitions that each worker holds, by its address."""

Run: TypeAlias = Sequence[int]
"""Consecutive numbers of old partitions."""


class FinishPartition(Protocol):
    """Makes a new partition of its parts."""

    def __call__(self, parts: Sequence[Part], /) -> Any:
        """Return a new partition, given all its parts."""
        ...

    def pack(self, parts: Sequence[Part], /) -> list[Part]:
        """Merge parts to fewer parts of the same rows, which keep nothing else in memory."""
        ...


@record
class SplitIndex:
    """Where the split partitions of an exchange are.

    Parameters
    ----------
    keys : tuple of hashable
        Dask's name of each split partition, in order.
    holders : dict of str to list of int
        The numbers of the partitions that each worker holds, by its address.
    here : sequence
        The split partitions themselves, in order, where no worker runs the tasks.
    """

    keys: tuple[Hashable, ...]
    holders: Holders = field(default_factory=dict)
    here: Sequence[Slices] = ()

    @staticmethod
    def of(tokens: Sequence[Any], keys: tuple[Hashable, ...]) -> SplitIndex:
        """Make the index of partitions from the results of `tell_place`.  This is the function of a task."""
        if not all(isinstance(token, str) for token in tokens):
            return SplitIndex(keys, here=tokens)
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for number, token in enumerate(tokens):
            holders[token].append(number)
        return SplitIndex(keys, dict(holders))

    def fetch(self, number: int, finish: FinishPartition) -> list[Part]:
        """Return the parts of a new partition from all old ones, in their order.

        If some are lost, the task is handed back to the scheduler, which recomputes them before it runs the task again.

        Raises
        ------
        UnreachableWorkerError
            If a worker that holds some has been silent for longer than a scheduler takes to give it up.
        """
        if not self.holders:
            return taken(self.here, number)
        worker = current_worker()
        assert worker is not None, "workers hold what is to be fetched"
        found: dict[int, Sequence[Part]] = {}
        lost = self._ask(worker, self._known, number, finish, found)
        if lost:
            # The worker that split them is gone, or has handed them on.
            holders = self._found_again(worker, lost)
            if self._ask(worker, holders, number, finish, found):
                _check_silence(worker.address, holders)
                time.sleep(tuning.LOST_PAUSE)
                run_again()
        return [part for first in sorted(found) for part in found[first]]

    def _ask(
        self, worker: Any, holders: Holders, number: int, finish: FinishPartition, found: dict[int, Sequence[Part]]
    ) -> list[int]:
        """Fetch parts, keyed by the number of the first partition of a run; return the numbers of lost partitions."""
        runs = {address: list(_runs(numbers)) for address, numbers in holders.items()}
        pickled = pickle.dumps(finish)
        asked: dict[str, dict[str, Any]] = {
            address: {
                "runs": [[self.keys[index] for index in run] for run in wanted],
                "number": number,
                "finish": pickled,
            }
            for address, wanted in runs.items()
            if address != NOWHERE
        }
        # All other workers are asked at once; parts of this worker need no message.
        own = asked.pop(worker.address, None)
        answers = answers_of(worker, FETCH, asked)
        _note_silence(worker.address, answers)
        lost: list[int] = []
        for address, wanted in runs.items():
            if own is not None and address == worker.address:
                split = own_results(worker, list(chain(*own["runs"])))
                parts = parts_of_runs(split, own["runs"], number, finish)
            else:
                answer = answers.get(address)
                parts = [None] * len(wanted) if answer is None else pickle.loads(answer["parts"])
            for run, items in zip(wanted, parts, strict=True):
                if items is None:
                    lost.extend(run)
                else:
                    found[run[0]] = items
        return lost

    @cached_property
    def _known(self) -> Holders:
        """The holders of partitions as far as this process knows."""
        return self.holders

    def _found_again(self, worker: Any, lost: Sequence[int]) -> Holders:
        """Ask the scheduler which workers hold partitions, and remember the answer."""
        who_has = holders_of(worker, [self.keys[index] for index in lost])
        holders: defaultdict[str, list[int]] = defaultdict(list)
        for index in lost:
            holders[next(iter(who_has.get(self.keys[index], ())), NOWHERE)].append(index)
        gone = set(lost)
        known = {address: [index for index in numbers if index not in gone] for address, numbers in self._known.items()}
        for address, numbers in holders.items():
            known[address] = sorted([*known.get(address, ()), *numbers])
        self.__dict__["_known"] = {address: numbers for address, numbers in known.items() if numbers}
        return holders

    def __reduce__(self) -> tuple[Any, ...]:
        return SplitIndex, (self.keys, self.holders, self.here)


def _note_silence(here: str, answers: Mapping[str, Any]) -> None:
    """Note since when workers have not answered the worker at the address `here`."""
    now = time.monotonic()
    for there, answer in answers.items():
        since, last = _silence.pop((here, there), (now, now))
        if answer is None:
            # After a long pause, another worker may have had this address.
            _silence[here, there] = (since if now - last < worker_ttl() else now), now


def _check_silence(here: str, holders: Holders) -> None:
    """Raise if a worker that still holds needed partitions, as the scheduler says, has long been silent.

    A scheduler takes some minutes to give up a worker whose machine has gone; this waits twice as long.
    """
    now = time.monotonic()
    silent = {there: now - _silence[here, there][0] for there in holders if (here, there) in _silence}
    if any(seconds > 2 * worker_ttl() for seconds in silent.values()):
        raise UnreachableWorkerError(
            f"the worker {here} cannot reach others, although the scheduler can, and they hold rows that it needs.",
            details=[f"{there}: no answer for {seconds:.0f} s" for there, seconds in silent.items()],
            hint="let all workers connect to each other: see to firewalls, and to the network that workers listen on "
            "(dask worker --interface …); or retire those that cannot be reached: client.retire_workers([…]).",
        )


def tell_place(slices: Slices) -> str | Slices:
    """Return the address of the worker that holds the slices of a partition.  This is the function of a task.

    Without workers, all tasks share the slices themselves.
    """
    worker = current_worker()
    return slices if worker is None else worker.address


def taken(split: Sequence[Slices], number: int) -> list[Part]:
    """Return the parts of a new partition from several old ones."""
    return [part for slices in split if slices is not None for part in slices[number]]


def parts_of_runs(
    split: Mapping[Hashable, Slices], runs: Sequence[Sequence[Hashable]], number: int, finish: FinishPartition
) -> list[Sequence[Part] | None]:
    """Return the parts of a new partition for each run of old ones, few for a long run; None if one is missing."""
    found: list[Sequence[Part] | None] = []
    for run in runs:
        if not all(key in split for key in run):
            found.append(None)
            continue
        parts = taken([split[key] for key in run], number)
        found.append(finish.pack(parts) if len(run) > tuning.MANY_PARTS and parts else parts)
    return found


def answer(split: Mapping[Hashable, Slices], runs: Sequence[Sequence[Hashable]], number: int, finish: bytes) -> bytes:
    """Return the parts of runs as bytes: the answer of a worker to another.

    They are copied to one string of bytes, since messages of many small parts would take longer.
    """
    return pickle.dumps(parts_of_runs(split, runs, number, _loaded(finish)), 5)


@cached_results("functions of exchanges", 16)
def _loaded(finish: bytes) -> Any:
    return pickle.loads(finish)


def _runs(numbers: Sequence[int]) -> Iterator[Run]:
    """Cut ascending numbers where one does not follow the other.

    Examples
    --------
    >>> list(_runs([1, 2, 3, 7, 8]))
    [[1, 2, 3], [7, 8]]
    """
    run: list[int] = []
    for number in numbers:
        if run and number != run[-1] + 1:
            yield run
            run = []
        run.append(number)
    if run:
        yield run
