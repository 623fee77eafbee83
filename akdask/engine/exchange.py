"""The exchange: splits every partition into slices, and makes each new partition of one slice of every old one.

The caller says how to split rows and how to finish a partition. A sort, for example, splits by ranges of keys and sorts
each range. This module decides how slices travel. Where memory is short, split partitions wait in spill files
(slices.py).

- Threads of one process pass them on as they are.
- On a cluster, split partitions stay on the workers that split them. Each new partition is one task, which fetches its
  slices from all workers (slices.py). There are as many tasks as partitions. If a worker dies, its partitions are
  recomputed.
- A cluster that takes no plugins cannot keep results on which no task depends. There, slices are results of tasks. Each
  worker splits some partitions, keeps them, and sends all their slices for a new partition at once. That is a task for
  each worker and new partition. If there would still be very many slices, the slices of several partitions are
  concatenated first.

Dask's P2P shuffle has as few tasks, but starts from the beginning when a worker dies, and was slower where partitions
were many: see docs/scale.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import chain, pairwise
from typing import Any, TypeAlias, TypeVar

from akdask._dask import Expr, List, Task, TaskRef
from akdask.cluster import addresses, current_worker, memory_share, on_cluster
from akdask.deferred import without_collection
from akdask.engine.alignment import exchanged_partition_size
from akdask.engine.memory import manage_freed_memory
from akdask.engine.node import Node
from akdask.engine.slices import (
    MANY_PARTS,
    ChainedSlices,
    CutSlices,
    FinishPartition,
    Part,
    ShuffleBuffer,
    Slices,
    SlicesOnDisk,
    SplitIndex,
    clear_spill_files,
    spilled,
    taken,
    task_name,
    tell_place,
)

COLUMNS = 4
"""Assumed number of columns of an exchange when its size is estimated."""

MAX_SLICES = 2**18
"""Largest number of slices of an exchange."""

PARTITIONS_PER_BUFFER = 4
"""Approximate size of a shuffle buffer, in new partitions: Dask may choose to move all of it."""

FEWEST_GROUPS = 64
"""The slices of this number of old partitions are never concatenated, however many new partitions there are."""

Item = TypeVar("Item")

Source: TypeAlias = tuple[Hashable, list[Hashable]]
"""The key of a task whose result is sliced, and the keys of the tasks whose results it concatenates, if any."""


class Exchange(Node):
    """The partitions made of the slices that the tasks of `split` return, each by one task.

    Threads of one process pass slices on as they are; `workers` is None then. Otherwise each worker keeps the
    partitions that it splits, and workers fetch slices from each other. A task for each partition tells where it is.
    Each of the `workers` splits consecutive partitions, if it can, so that it sends few parts. The input of a split, a
    partition of `origin`, is computed on the same worker.
    """

    split: Expr
    count: int
    finish: FinishPartition
    workers: tuple[str, ...] | None
    origin: Expr

    @property
    def npartitions(self) -> int:
        return self.count

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        keys = tuple(self.split.__dask_keys__())
        if self.workers is None:
            graph, sources = _concatenated(self)
            told = [key for key, _ in sources]
        else:
            told = self._tokens
            graph = {token: Task(token, tell_place, TaskRef(key)) for token, key in zip(told, keys, strict=True)}
        # One list for all new partitions; with a list for each, references would grow with the product.
        graph[self._index] = Task(self._index, SplitIndex.of, List(*map(TaskRef, told)), keys)
        for number in range(self.count):
            key = (self._name, number)
            graph[key] = Task(key, _fetch, TaskRef(self._index), number, self.finish)
        return graph

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Keep tasks on their workers, as long as these are alive, and have the scheduler keep split partitions."""
        if self.workers is None:
            return {}
        from akdask.engine.shuffle_service import IS_INDEX

        both = list(zip(self.split.__dask_keys__(), self._tokens, strict=True))
        placed = [list(chain(*run)) for run in _runs(both, max(len(self.workers), 1))]
        return {**_annotate(self, self.workers, placed, strict=True), IS_INDEX: {self._index: True}}

    @property
    def _tokens(self) -> list[Hashable]:
        return [(f"place-{self._name}", number) for number in range(len(self.split.__dask_keys__()))]

    @property
    def _index(self) -> str:
        return f"split-index-{self._name}"


class SliceExchange(Node):
    """The partitions made of the slices that the tasks of `split` return, where only Dask passes them on.

    Slices are results of tasks. Each of the `workers` splits consecutive partitions, keeps them, and sends all their
    slices for a new partition together.  Without affinity, Dask would weigh bytes against waiting tasks, and move a
    whole partition through memory for one slice.  The input of a split, a partition of `origin`, is computed on the
    same worker.  If `is_buffered`, no slice is taken before all partitions are split.
    """

    split: Expr
    count: int
    finish: FinishPartition
    is_buffered: bool
    workers: tuple[str, ...]
    origin: Expr

    @property
    def npartitions(self) -> int:
        return self.count

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        graph = dict(self._concatenated[0])
        if self.is_buffered:
            self._add_buffers(graph)
        for index in range(self.count):
            key = (self._name, index)
            slices = [TaskRef(self._take_slice(graph, number, index)) for number in range(len(self._groups))]
            graph[key] = Task(key, _make, List(*slices), self.finish)
        return graph

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Keep tasks on their workers, as long as these are alive."""
        kinds = (self._buffer_key, self._slice_key) if self.is_buffered else (self._slice_key,)
        placed = [
            [
                *(key for source, members in group for key in (source, *members)),
                *(key(number, index) for key in kinds for index in range(self.count)),
            ]
            for number, group in enumerate(self._groups)
        ]
        return _annotate(self, self.workers, placed, strict=False)

    @cached_property
    def _concatenated(self) -> tuple[dict[Any, Any], list[Source]]:
        return _concatenated(self)

    @cached_property
    def _groups(self) -> list[list[Source]]:
        """Sources whose slices travel together: all of one worker, or each alone."""
        sources = self._concatenated[1]
        return _runs(sources, min(len(self.workers) or len(sources), len(sources)))

    def _add_buffers(self, graph: dict[Any, Any]) -> None:
        """Add tasks that collect the slices of each worker in shuffle buffers, after every partition is split.

        Dask then takes the slices of the first new partition from all buffers, finishes it, and goes on to the next.
        Without this order, it would take all slices of a partition as soon as it is split, until all are in memory.
        """
        done: list[Hashable] = []
        for number, (key, _) in enumerate(self._concatenated[1]):
            done.append((f"is-split-{self._name}", number))
            graph[done[-1]] = Task(done[-1], _wait_for, TaskRef(key))
        all_split = f"all-split-{self._name}"
        graph[all_split] = Task(all_split, _wait_for, *map(TaskRef, done))
        for number, group in enumerate(self._groups):
            sources = List(*(TaskRef(source) for source, _ in group))
            for start in range(0, self.count, self._buffer_size):
                key, new = self._buffer_key(number, start), range(start, min(start + self._buffer_size, self.count))
                graph[key] = Task(key, _fill_buffer, sources, new, TaskRef(all_split))

    def _take_slice(self, graph: dict[Any, Any], number: int, index: int) -> Hashable:
        """Add the task that takes one slice to the graph, and return its key."""
        key, group = self._slice_key(number, index), self._groups[number]
        finish = self.finish if len(group) > MANY_PARTS else None
        if self.is_buffered:
            graph[key] = Task(key, _take_buffered, TaskRef(self._buffer_key(number, index)), index, finish)
        else:
            graph[key] = Task(key, _take_slice, List(*(TaskRef(source) for source, _ in group)), index, finish)
        return key

    @property
    def _buffer_size(self) -> int:
        """The number of new partitions of a shuffle buffer."""
        return PARTITIONS_PER_BUFFER * len(self._groups)

    def _buffer_key(self, number: int, index: int) -> Hashable:
        return (f"shuffle-buffer-{self._name}", number, index // self._buffer_size)

    def _slice_key(self, number: int, index: int) -> Hashable:
        return (f"shuffle-slice-{self._name}", number, index)


def exchange(split: Expr, count: int, finish: FinishPartition, origin: Expr | None = None) -> Expr:
    """Return the physical node of the `count` new partitions that `finish` makes of the slices that `split` returns.

    Each partition of `split` is computed from the one of `origin` with the same number, if there is one.
    """
    origin = split if origin is None else origin
    if not on_cluster():
        return Exchange(split, count, finish, None, origin)
    from akdask.engine.shuffle_service import can_fetch

    if can_fetch():
        return Exchange(split, count, finish, addresses(), origin)
    is_large = count * exchanged_partition_size() * COLUMNS > memory_share()
    return SliceExchange(split, count, finish, is_large, addresses(), origin)


def _concatenated(node: Exchange | SliceExchange) -> tuple[dict[Any, Any], list[Source]]:
    """Return the tasks that concatenate slices if there would be very many, and the sources of slices from then on."""
    keys = list(node.split.__dask_keys__())
    groups = max(MAX_SLICES // node.count, FEWEST_GROUPS)
    if len(keys) <= groups:
        return {}, [(key, []) for key in keys]
    sources: list[Source] = [
        ((f"join-{node._name}", at), members) if len(members) > 1 else (members[0], [])
        for at, members in enumerate(_runs(keys, groups))
    ]
    joins = {
        key: Task(key, concat_slices, List(*map(TaskRef, members)), node.finish) for key, members in sources if members
    }
    return joins, sources


def _annotate(
    node: Exchange | SliceExchange, workers: Sequence[str], placed: Sequence[Sequence[Hashable]], *, strict: bool
) -> dict[str, dict[Any, Any]]:
    """Return the annotations of each worker's tasks, and of the tasks of their input partitions."""
    from akdask.engine.shuffle_service import annotate

    origins = dict(zip(node.split.__dask_keys__(), node.origin.__dask_keys__(), strict=False))
    where: dict[Any, str] = {}
    for worker, keys in zip(workers, placed, strict=False):
        where |= dict.fromkeys((*keys, *(origins[key] for key in keys if key in origins)), worker)
    return annotate(where, strict=strict) if where else {}


def _make(slices: Sequence[Sequence[Part]], finish: FinishPartition) -> Any:
    """Finish a new partition from its slices.  This is the function of its task."""
    _free_memory()
    return finish(list(chain(*slices)))


def _fetch(index: SplitIndex, number: int, finish: FinishPartition) -> Any:
    """Fetch the slices of a new partition, and finish it.  This is the function of its task."""
    _free_memory()
    return finish(index.fetch(number, finish))


def _free_memory() -> None:
    manage_freed_memory()
    clear_spill_files()


def _wait_for(*_: Any) -> None:
    """Wait for other tasks.  This is the function of tasks without a result."""


def _fill_buffer(sources: Sequence[Slices], numbers: range, _: None) -> ShuffleBuffer:
    """Collect the slices of partitions for some new ones.  This is the function of a task."""
    return ShuffleBuffer(sources, numbers, name=task_name())


def _take_slice(sources: Sequence[Slices], index: int, finish: FinishPartition | None) -> Sequence[Part]:
    """Return the parts of one new partition from several sources.  This is the function of a task."""
    return _packed(taken(sources, index), finish)


def _take_buffered(buffer: ShuffleBuffer, index: int, finish: FinishPartition | None) -> Sequence[Part]:
    """Return the parts of one new partition from a buffer.  This is the function of a task."""
    return _packed(buffer.parts(index), finish)


def _packed(parts: Sequence[Part], finish: FinishPartition | None) -> Sequence[Part]:
    """Return parts unchanged, or concatenated if `finish` is given."""
    return finish.pack(parts) if finish and parts else parts


def _runs(items: Sequence[Item], count: int) -> list[list[Item]]:
    """Cut items into `count` runs of about equal length."""
    bounds = pairwise(number * len(items) // count for number in range(count + 1))
    return [list(items[start:stop]) for start, stop in bounds]


def concat_slices(slices: Sequence[Slices], finish: FinishPartition) -> Slices:
    """Concatenate the slices of several partitions for each new one, in a spill file if one of them is on disk.

    In this process, lazily cut or read slices stay lazy. To cut them now would take as long, and a second copy in
    memory or on disk.
    """
    used = [item for item in slices if item is not None]
    is_here = current_worker() is None
    if used and is_here and all(isinstance(item, SlicesOnDisk | CutSlices) for item in used):
        return ChainedSlices(used)
    joined = (finish.pack([part for parts in same for part in parts]) for same in zip(*used, strict=True))
    if any(isinstance(item, SlicesOnDisk) or (isinstance(item, CutSlices) and item.is_on_disk) for item in used):
        return SlicesOnDisk.of_task(joined)
    found = list(joined)
    return spilled(found, None, list) if found and is_here else found or None
