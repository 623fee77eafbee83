"""The cost of a plan, judged without running it: whether what is found of it may be found at once.

What a `repr` computes is bounded by a `Budget`, and stopped if it takes longer than about a second all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from akdask._distributed import shares_memory
from akdask.plan.explain.estimate import estimate
from akdask.plan.expr.chain import Chain
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Partitions, Project
from akdask.plan.expr.sources import Literal, Persisted, Rows, Scan
from akdask.plan.expr.values import Replica, Value, substitute, walk
from akdask.plan.reduce.aggregate import Aggregate
from akdask.plan.task.combine import Limit
from akdask.storage.paths.files import is_remote


class Budget(NamedTuple):
    """What may be computed without being asked for."""

    rows: int
    """Rows of all inputs, those of each input counted once."""

    partitions: int
    """Partitions of all inputs."""

    nbytes: int
    """Bytes read of files; of remote ones a sixteenth."""


SMALL = Budget(100_000, 64, 2**24)
"""What is as good as at hand."""

SHOWN = Budget(20_000_000, 512, 2**28)
"""What takes up to a second: what is shown of groups, joins and sorted rows."""

CLUSTER = Budget(2_000_000, 64, 2**25)
"""What is shown of what a cluster computes, which cannot be stopped when it takes long."""

REMOTE = 16
"""How many times as long a remote file is taken to take."""

LEAVES = (Scan, Rows, Literal, Persisted)


def shown_budget() -> Budget:
    """Return what may be computed to be shown, where it would be computed now."""
    return SHOWN if shares_memory() else CLUSTER


def is_cheap(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether the first and last partition can be shown at once.

    True if they need nothing of other partitions but small tables, and all inputs are small.
    """
    chain = Chain.of(frame)
    needed = [base for base in chain.bases if not isinstance(base, LEAVES)]
    return _is_within(SMALL, [*needed, *_replicated(*chain.predicates, *chain.replicas, *values)])


def partitions_stand_alone(project: Project) -> bool:
    """Whether each partition is found without the others, and without tables that all of them need."""
    chain = Chain.of(project.frame)
    return all(isinstance(base, LEAVES) for base in chain.bases) and not _replicated(
        *chain.predicates, *chain.replicas, *project.values
    )


def is_small(frame: Frame, values: Sequence[Value], within: Budget = SMALL) -> bool:
    """Whether all rows can be computed at once, since all that they are made of is known to be small."""
    return _is_within(within, [Project(frame, tuple(range(len(values))), tuple(values))])


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


def _is_within(budget: Budget, nodes: Sequence[Frame]) -> bool:
    """Whether any computation on the rows of some nodes is within a budget."""
    rows = partitions = 0
    for leaf in _leaves(nodes):
        if leaf.rows.size is None:
            return False
        rows += leaf.rows.size
        partitions += leaf.npartitions
    if rows > budget.rows or partitions > budget.partitions:
        return False
    if rows <= SMALL.rows and partitions <= SMALL.partitions:
        return True
    # Only the tasks tell which columns are read.
    lowered = [node.lower_completely() for node in nodes]
    return estimate(lowered).nbytes * (REMOTE if _reads_remote(nodes) else 1) <= budget.nbytes


def _leaves(nodes: Sequence[Frame]) -> Iterator[Frame]:
    """Yield what the rows of some nodes are made of, each once."""
    stack, seen = list(nodes), set[str]()
    while stack:
        node = stack.pop()
        if node._name in seen:
            continue
        seen.add(node._name)
        if isinstance(node, LEAVES):
            yield node
        stack.extend(_inputs(node))


def _reads_remote(nodes: Sequence[Frame]) -> bool:
    """Whether the rows of some nodes are read from remote files."""
    return any(isinstance(leaf, Scan) and any(map(is_remote, leaf.source.paths)) for leaf in _leaves(nodes))


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
