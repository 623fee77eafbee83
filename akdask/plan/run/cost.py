"""The cost of a plan, judged without running it: whether a `repr` may show values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from akdask.plan.expr.chain import Chain
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Partitions, Project
from akdask.plan.expr.sources import Literal, Persisted, Rows, Scan
from akdask.plan.expr.values import Replica, Value, substitute, walk
from akdask.plan.reduce.aggregate import Aggregate
from akdask.plan.task.combine import Limit

SMALL_ROWS = 100_000
SMALL_PARTITIONS = 64

LEAVES = (Scan, Rows, Literal, Persisted)


def is_cheap(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether the first and last partition can be shown at once.

    True if they need nothing of other partitions but small tables, and all inputs are small.
    """
    chain = Chain.of(frame)
    needed = [base for base in chain.bases if not isinstance(base, LEAVES)]
    return _is_small([*needed, *_replicated(*chain.predicates, *chain.replicas, *values)])


def partitions_stand_alone(project: Project) -> bool:
    """Whether each partition is found without the others, and without tables that all of them need."""
    chain = Chain.of(project.frame)
    return all(isinstance(base, LEAVES) for base in chain.bases) and not _replicated(
        *chain.predicates, *chain.replicas, *project.values
    )


def is_small(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether all rows can be computed at once, since all that they are made of is known to be small."""
    return _is_small([*Chain.of(frame).bases, *_replicated(*Chain.of(frame).predicates, *values)])


def edge_of_limit(frame: Frame, values: Sequence[Value]) -> tuple[Frame, list[Value], int] | None:
    """Return where the rows of a `Limit` are sought first: values on the first or last partition of its input.

    If a filter leaves few rows, all partitions may have to be read for the wanted rows.

    Returns
    -------
    (Frame, list of Value, int) or None
        The partition, the values on it, and the number of wanted rows, negative for the last ones; None if the frame is
        no `Limit`, or the partition cannot be shown at once.
    """
    if not isinstance(frame, Limit):
        return None
    project = frame.frame
    by_column = {frame.column(name).token: value for name, value in zip(project.names, project.values, strict=True)}
    found = [substitute(value, by_column) for value in values]
    if not is_cheap(project.frame, found):
        return None
    number = 0 if frame.count >= 0 else project.npartitions - 1
    return Partitions(project.frame, (number,)), found, frame.count


def _is_small(nodes: Sequence[Frame]) -> bool:
    """Whether all inputs of some nodes are known to be small, so that any computation on them is cheap."""
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
        case MatchRows():
            yield from _replicated(node.found, node.multiplicity)
        case Project():
            yield from _replicated(*node.values)
        case Aggregate():
            yield from _replicated(*[reduction.value for reduction in node.reductions])


def _replicated(*values: Value) -> list[Frame]:
    return [value.node for value in walk(*values) if isinstance(value, Replica)]
