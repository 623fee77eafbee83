"""The exchange: splits every partition into slices, and makes each new partition of one slice of every old one.

The caller says how to split rows and how to finish a partition. A sort, for example, splits by ranges of keys and sorts
each range. This module decides how slices travel. Where memory is short, split partitions wait in spill files
(slices.py).

- Threads of one process pass them on as they are. If there would be very many slices, the slices of several partitions
  are concatenated first.
- On a cluster, split partitions stay on the workers that split them. Each new partition is one task, which fetches its
  slices from all workers (slices.py). There are as many tasks as partitions. If a worker dies, its partitions are
  recomputed.

Dask's P2P shuffle has as few tasks, but starts from the beginning when a worker dies, and was slower where partitions
were many: see docs/scale.md.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Any, TypeAlias, TypeVar

from akdask._dask import Expr, List, Task, TaskRef
from akdask.cluster import addresses, current_worker, on_cluster
from akdask.deferred import without_collection
from akdask.engine import tuning
from akdask.engine.memory import manage_freed_memory
from akdask.engine.node import Node
from akdask.engine.slices import (
    ChainedSlices,
    CutSlices,
    FinishPartition,
    Slices,
    SlicesOnDisk,
    SplitIndex,
    clear_spill_files,
    spilled,
    tell_place,
)

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
        from akdask.engine.plugins import IS_INDEX

        both = list(zip(self.split.__dask_keys__(), self._tokens, strict=True))
        placed = [list(chain(*run)) for run in _runs(both, max(len(self.workers), 1))]
        return {**_annotate(self, self.workers, placed), IS_INDEX: {self._index: True}}

    @property
    def _tokens(self) -> list[Hashable]:
        return [(f"place-{self._name}", number) for number in range(len(self.split.__dask_keys__()))]

    @property
    def _index(self) -> str:
        return f"split-index-{self._name}"


def exchange(split: Expr, count: int, finish: FinishPartition, origin: Expr | None = None) -> Expr:
    """Return the physical node of the `count` new partitions that `finish` makes of the slices that `split` returns.

    Each partition of `split` is computed from the one of `origin` with the same number, if there is one.
    """
    origin = split if origin is None else origin
    if not on_cluster():
        return Exchange(split, count, finish, None, origin)
    from akdask.engine.plugins import install_plugins

    install_plugins()
    return Exchange(split, count, finish, addresses(), origin)


def _concatenated(node: Exchange) -> tuple[dict[Any, Any], list[Source]]:
    """Return the tasks that concatenate slices if there would be very many, and the sources of slices from then on."""
    keys = list(node.split.__dask_keys__())
    groups = max(tuning.MOST_SLICES // node.count, tuning.FEWEST_SLICED_GROUPS)
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
    node: Exchange, workers: Sequence[str], placed: Sequence[Sequence[Hashable]]
) -> dict[str, dict[Any, Any]]:
    """Return the annotations of each worker's tasks, and of the tasks of their input partitions."""
    from akdask.engine.plugins import annotate

    origins = dict(zip(node.split.__dask_keys__(), node.origin.__dask_keys__(), strict=False))
    where: dict[Any, str] = {}
    for worker, keys in zip(workers, placed, strict=False):
        where |= dict.fromkeys((*keys, *(origins[key] for key in keys if key in origins)), worker)
    return annotate(where, strict=True) if where else {}


def _fetch(index: SplitIndex, number: int, finish: FinishPartition) -> Any:
    """Fetch the slices of a new partition, and finish it.  This is the function of its task."""
    _free_memory()
    return finish(index.fetch(number, finish))


def _free_memory() -> None:
    manage_freed_memory()
    clear_spill_files()


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
