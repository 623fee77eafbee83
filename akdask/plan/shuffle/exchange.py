"""Rows that change partition: every partition is split into pieces, and each new partition is made of one piece of all.

How rows are split and what is made of the pieces is said by who exchanges them: a sort splits by ranges of keys and
puts each range in order.  What lies between is decided here.  Threads of one process hand over the pieces as they are.
On a cluster each worker splits some partitions, keeps them, and hands over in one piece what a new partition gets of
all of them: so workers fetch, hold and spill no more than they need, and there are few tasks, of which each takes
time of the scheduler, and some kilobytes of memory on the worker.  Where memory is short, split partitions wait for it
on the disks of their workers (shelf.py).  Where there would be very many pieces all the same, those of several
partitions are joined first.

Dask's own P2P shuffle would do the same on a cluster.  But 20 M rows of two integers in 8 and 32 partitions, on two
workers of one thread, were sorted here in 0.4 to 0.5 of the time in which it only shared them out; and the answer stays
right when a worker dies in the midst of it.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from dask.system import CPU_COUNT

from akdask.cluster import addresses, all_memory, on_cluster, partition_size
from akdask.plan.expr._dask import Expr, List, Task, TaskRef
from akdask.plan.expr.garbage import without_collection
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import SELECTIONS, Project
from akdask.plan.shuffle.spill import ShuffleBuffer, SpillFile, clear_spill_files, task_name
from akdask.plan.task.allocator import manage_freed_memory
from akdask.plan.task.batches import ITEMSIZE, SMALL_ROWS

ROWS = 2**22
"""Rows of a partition that an exchange aims at, or fewer where partitions are wanted small."""

COLUMNS = 4
"""How many columns an exchange is thought to have where it is chosen how it is done."""

MEMORY_SHARE = 4
"""The part of all workers' memory, one in so many, that split partitions may take."""

MOST_PARTITIONS = 1024

MAX_SLICES = 2**18
"""Pieces that partitions are cut into, at most."""

PARTITIONS_PER_BUFFER = 4
"""How many new partitions the pieces on a rack make, about: it is as much as Dask may choose to move."""

MANY_PARTS = 16
"""Partitions whose parts of a new one are joined before they travel: each takes time of its own to send."""

FEWEST_GROUPS = 64
"""However many new partitions there are, the pieces of so many old ones need not be joined."""

Item = TypeVar("Item")

Part = Any
"""What a partition gives to a new one; splitting a block of rows makes one for each."""

Slices = Sequence[Sequence[Part]] | None
"""For each new partition, the parts that it gets, in the order of the rows; None where no partition gets any."""


class FinishPartition(Protocol):
    """What is made of parts."""

    def __call__(self, parts: Sequence[Part], /) -> Any:
        """Return a new partition, given all its parts."""
        ...

    def pack(self, parts: Sequence[Part], /) -> list[Part]:
        """Return the same as fewer parts, which keep nothing in memory but their rows."""
        ...


class Exchange(Node):
    """The partitions made of the pieces that the tasks of `split` give.

    If `apart`, pieces are results of tasks.  Then `places` are the addresses of the workers: each of them splits some
    partitions in a row, keeps them, and hands over the pieces of all of these for a new one together.  Dask would weigh
    the bytes to move against the tasks to wait for, and move a whole partition, through memory, for a piece of it.
    What each of them is made of, of a partition of `origin`, is made there, too.  If `racked`, no pieces are cut before
    all partitions are split.
    """

    split: Expr
    count: int
    finish: FinishPartition
    apart: bool
    racked: bool
    places: tuple[str, ...]
    strict: bool
    origin: Expr

    @property
    def npartitions(self) -> int:
        return self.count

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        graph: dict[Any, Any] = {
            key: Task(key, concat_slices, List(*map(TaskRef, members)), self.finish)
            for key, members in self._sources
            if members
        }
        if self.racked:
            self._add_racks(graph)
        together = f"together-{self._name}"
        if not self.apart:
            # One list for all new partitions: with one for each, references would grow with the product.
            graph[together] = Task(together, _hand_on, List(*(TaskRef(key) for key, _ in self._sources)))
        for index in range(self.count):
            key = (self._name, index)
            if self.apart:
                pieces = [TaskRef(self._piece(graph, number, index)) for number in range(len(self._shares))]
                graph[key] = Task(key, _make, List(*pieces), self.finish, None)
            else:
                graph[key] = Task(key, _make, TaskRef(together), self.finish, index)
        return graph

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Keep tasks at their places, as long as these are there."""
        if not self.places:
            return {}
        from akdask.plan.shuffle.affinity import annotate

        origins = dict(zip(self.split.__dask_keys__(), self.origin.__dask_keys__(), strict=False))
        where: dict[Any, str] = {}
        for number, (place, share) in enumerate(zip(self.places, self._shares, strict=False)):
            sources = [key for source, members in share for key in (source, *members)]
            made_of = [origins[key] for key in sources if key in origins]
            kinds = (self._rack_key, self._piece_key) if self.racked else (self._piece_key,)
            cuts = [key(number, index) for key in kinds for index in range(self.count)]
            where |= dict.fromkeys((*made_of, *sources, *cuts), place)
        return annotate(where, strict=self.strict)

    @cached_property
    def _sources(self) -> list[tuple[Hashable, list[Hashable]]]:
        """The keys of what is cut into pieces: split partitions, or many of these joined, whose keys come along."""
        keys = list(self.split.__dask_keys__())
        groups = max(MAX_SLICES // self.count, FEWEST_GROUPS)
        if len(keys) <= groups:
            return [(key, []) for key in keys]
        return [((f"join-{self._name}", number), members) for number, members in enumerate(_runs(keys, groups))]

    @cached_property
    def _shares(self) -> list[list[tuple[Hashable, list[Hashable]]]]:
        """Sources whose pieces are handed over together: those of one place, or each alone."""
        count = len(self._sources)
        return _runs(self._sources, min(len(self.places) or count, count))

    def _add_racks(self, graph: dict[Any, Any]) -> None:
        """Add tasks that bring the pieces of each place together, once every partition is split.

        So Dask cuts the pieces of the first new partition from all, makes it, and goes on to the next.  It would sooner
        cut all pieces of whatever is split, and have them all in memory in the end.
        """
        done: list[Hashable] = []
        for number, (key, _) in enumerate(self._sources):
            done.append((f"is-split-{self._name}", number))
            graph[done[-1]] = Task(done[-1], _wait_for, TaskRef(key))
        all_split = f"all-split-{self._name}"
        graph[all_split] = Task(all_split, _wait_for, *map(TaskRef, done))
        for number, share in enumerate(self._shares):
            sources = List(*(TaskRef(source) for source, _ in share))
            for start in range(0, self.count, self._per_rack):
                key, new = self._rack_key(number, start), range(start, min(start + self._per_rack, self.count))
                graph[key] = Task(key, _rack, sources, new, TaskRef(all_split))

    def _piece(self, graph: dict[Any, Any], number: int, index: int) -> Hashable:
        """Return the key of the task that cuts one piece, which is added to the graph."""
        key, share = self._piece_key(number, index), self._shares[number]
        finish = self.finish if len(share) > MANY_PARTS else None
        if self.racked:
            graph[key] = Task(key, _piece, TaskRef(self._rack_key(number, index)), index, finish)
        else:
            graph[key] = Task(key, _cut_piece, List(*(TaskRef(source) for source, _ in share)), index, finish)
        return key

    @property
    def _per_rack(self) -> int:
        """For how many new partitions the pieces of a place are brought together."""
        return PARTITIONS_PER_BUFFER * len(self._shares)

    def _rack_key(self, number: int, index: int) -> Hashable:
        return (f"rack-{self._name}", number, index // self._per_rack)

    def _piece_key(self, number: int, index: int) -> Hashable:
        return (f"piece-{self._name}", number, index)


def exchange(split: Expr, count: int, finish: FinishPartition, origin: Expr | None = None) -> Expr:
    """Return the physical node of the `count` new partitions that `finish` makes of the pieces that `split` gives.

    Each partition of `split` is made of the one of `origin` with the same number, as far as it has any.
    """
    origin = split if origin is None else origin
    if not on_cluster():
        return Exchange(split, count, finish, False, False, (), False, origin)
    from akdask.plan.shuffle.affinity import are_strict

    is_large = count * _partition_size() * COLUMNS > all_memory() // MEMORY_SHARE
    return Exchange(split, count, finish, True, is_large, addresses(), are_strict(), origin)


def buffer_bytes(count: int) -> int | None:
    """Return the bytes that each of so many split partitions may take of memory; None if they stay in this process."""
    return all_memory() // (MEMORY_SHARE * count) if on_cluster() else None


def _make(pieces: Sequence[Any], finish: FinishPartition, index: int | None) -> Any:
    """Make a new partition: the function of its task."""
    manage_freed_memory()
    clear_spill_files()
    return finish([part for parts in pieces for part in parts] if index is None else _cut_piece(pieces, index, None))


def _hand_on(pieces: list[Any]) -> list[Any]:
    """Hand on the pieces of all partitions as they are: the function of a task."""
    return pieces


def _wait_for(*_: Any) -> None:
    """Wait for others: the function of tasks that make nothing."""


def _rack(sources: Sequence[Slices], numbers: range, _: None) -> ShuffleBuffer:
    """Bring the pieces of partitions together for some new ones: the function of a task."""
    return ShuffleBuffer(sources, numbers, name=task_name())


def _cut_piece(sources: Sequence[Slices], index: int, finish: FinishPartition | None) -> Sequence[Part]:
    """Return the parts of one new partition that some have: the function of a task."""
    return _piece(ShuffleBuffer(sources, range(index, index + 1)), index, finish)


def _piece(rack: ShuffleBuffer, index: int, finish: FinishPartition | None) -> Sequence[Part]:
    """Return the parts of one new partition, joined if `finish` is given: the function of a task."""
    parts = rack.parts(index)
    return finish.pack(parts) if finish and parts else parts


def _runs(items: Sequence[Item], count: int) -> list[list[Item]]:
    """Cut items into so many runs of as many."""
    bounds = pairwise(number * len(items) // count for number in range(count + 1))
    return [list(items[start:stop]) for start, stop in bounds]


def concat_slices(pieces: Sequence[Slices], finish: FinishPartition) -> Slices:
    """Join the pieces of several partitions, for each new one; on disk, where some of them are."""
    used = [item for item in pieces if item is not None]
    joined = (finish.pack([part for parts in same for part in parts]) for same in zip(*used, strict=True))
    if any(isinstance(item, SpillFile) for item in used):
        return SpillFile.of_task(joined)
    return list(joined) or None


def partition_count(frame: Frame) -> int:
    """Return into how many partitions the rows of a frame go: a multiple of the threads, by the number of rows."""
    rows = max_rows(frame)
    if rows is None:
        return min(frame.npartitions, MOST_PARTITIONS)
    if rows <= SMALL_ROWS:
        return 1
    wanted = -(-rows * ITEMSIZE // _partition_size())
    return min(-(-wanted // CPU_COUNT) * CPU_COUNT, MOST_PARTITIONS)


def _partition_size() -> int:
    """Return the bytes that a column of a new partition is to take."""
    return max(min(partition_size(), ROWS * ITEMSIZE), ITEMSIZE)


def max_rows(frame: Frame) -> int | None:
    """Return the number of rows, or of those that they were selected from; None if nobody knows that either."""
    if frame.rows.size is not None:
        return frame.rows.size
    source = _selected_from(frame)
    if isinstance(source, Project) and source.frame.rows.size is not None:
        return source.frame.rows.size
    return _read_from(frame).rows.size


def _selected_from(frame: Frame) -> Frame:
    """Return the first base of a frame."""
    while isinstance(frame, SELECTIONS):
        frame = frame.frame
    return frame.bases[0]


_READ_FROM = "_read_from"


def _read_from(frame: Frame) -> Frame:
    """Return the frame below all selections and projections; those on the way keep it, for loops ask at each step."""
    asked = [frame]
    while _READ_FROM not in asked[-1].__dict__:
        node = asked[-1]
        below = node.frame if isinstance(node, (Project, *SELECTIONS)) else node.bases[0]
        if below is node:
            break
        asked.append(below)
    source: Frame = asked[-1].__dict__.get(_READ_FROM, asked[-1])
    for node in asked:
        node.__dict__[_READ_FROM] = source
    return source
