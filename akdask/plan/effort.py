"""What a plan would take to run, judged without running it: whether a `repr` may show values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from akdask.plan.chain import Chain
from akdask.plan.node import Frame
from akdask.plan.reduce import Aggregate
from akdask.plan.rowwise import Filter, Match, Project
from akdask.plan.sources import Literal, Persisted, Rows, Scan
from akdask.plan.values import Replica, Value, walk

SMALL_ROWS = 100_000
SMALL_PARTITIONS = 64

LEAVES = (Scan, Rows, Literal, Persisted)


def is_cheap(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether the first and last partition can be shown at once.

    That is so where they need nothing of other partitions but small tables, and where all inputs are small.
    """
    chain = Chain.of(frame)
    needed = [base for base in chain.bases if not isinstance(base, LEAVES)]
    return _is_small([*needed, *_replicated(*chain.predicates, *chain.replicas, *values)])


def _is_small(nodes: Sequence[Frame]) -> bool:
    """Whether all inputs of some nodes are known to be small, so that it does not matter what is done with them."""
    stack = list(nodes)
    seen = set()
    rows = partitions = 0
    while stack:
        node = stack.pop()
        if node._name in seen:
            continue
        seen.add(node._name)
        if isinstance(node, LEAVES):
            if node.rows.size is None:
                return False
            rows += node.rows.size
            partitions += node.npartitions
        stack.extend(_inputs(node))
    return rows <= SMALL_ROWS and partitions <= SMALL_PARTITIONS


def _inputs(node: Frame) -> Iterator[Frame]:
    yield from node.dependencies()
    match node:
        case Filter():
            yield from _replicated(node.predicate)
        case Match():
            yield from _replicated(node.found, node.fanout)
        case Project():
            yield from _replicated(*node.values)
        case Aggregate():
            yield from _replicated(*[reduction.value for reduction in node.reductions])


def _replicated(*values: Value) -> list[Frame]:
    return [value.node for value in walk(*values) if isinstance(value, Replica)]
