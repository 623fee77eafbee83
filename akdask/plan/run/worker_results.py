"""Columns that loops go on from, on the workers of a cluster.

In this process a `Materialized` finds its results in the cache.  Workers keep nothing from one computation to the next
but what somebody holds futures of: where a client is current, the columns of a plan are computed and held before it
runs, and plans begin with them from then on.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Any
from weakref import ref

import dask

from akdask._distributed import current_worker, default_client, shares_memory
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Node
from akdask.plan.expr.rounds import values_of
from akdask.plan.expr.values import Replica, walk
from akdask.plan.run.root import Root
from akdask.plan.task.materialized import Materialized, WorkerResults

MOST = 32
"""Columns that are held at a time: a plan refers to all rounds before, of which the last ones are read."""

_persisted: OrderedDict[str, ref[Materialized]] = OrderedDict()
_lock = Lock()


class _Column(Root):
    """A column as a collection of which Dask gives the futures."""

    def __dask_postpersist__(self) -> tuple[Callable[..., Mapping[Any, Any]], tuple[Any, ...]]:
        return dict, ()


def persist_on_workers(plans: Sequence[Node]) -> None:
    """Have the workers of the current client compute and hold the columns that plans go on from; returns at once."""
    if shares_memory() or current_worker() is not None:
        return
    client = default_client()
    wanted = [] if client is None or client.asynchronous else [*_not_persisted(plans)]
    if not wanted:
        return
    graphs = dask.persist(*[_Column(node) for node in wanted], traverse=False)
    with _lock:
        for node, graph in zip(wanted, graphs, strict=True):
            # Under keys of the scheduler's own, in the order of the partitions.
            node.hold(WorkerResults(ref(client), graph, tuple(graph)))
            _persisted[node._name] = ref(node)
        while len(_persisted) > MOST:
            oldest = _persisted.popitem(last=False)[1]()
            if oldest is not None:
                oldest.hold(None)


def _not_persisted(plans: Sequence[Node]) -> Iterator[Materialized]:
    """Yield the columns to be kept that plans are made from, each once, as far as others that are held are not."""
    stack: list[Expr] = list(plans)
    seen: set[str] = set()
    while stack:
        node = stack.pop()
        if node._name in seen:
            continue
        seen.add(node._name)
        if isinstance(node, Materialized) and node.on_workers is None:
            yield node
        stack += node.dependencies()
        stack += [value.node for value in walk(*values_of(node)) if isinstance(value, Replica)]
