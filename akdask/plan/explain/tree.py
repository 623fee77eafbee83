"""Plans as trees of lines: as they were written, and as they will run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from dask.utils import format_bytes

from akdask.plan.explain.estimate import Estimate, estimate_node
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Filter
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import describe
from akdask.plan.reduce.aggregate import Element, TreeReduce
from akdask.plan.run.result import CollectionRows, FinishResult
from akdask.plan.task.pipeline import Pipeline
from akdask.plan.task.tables import PersistedResults, Tables, Tasks, Union

_TOKENS = re.compile("-[0-9a-f]{32}")

MOST_LEVELS = 24
"""Nested nodes that are shown; a loop makes plans of thousands of levels, all alike."""


class Branch(NamedTuple):
    """A node of a tree, without its inputs."""

    level: int
    """How many nodes stand between this one and the result."""

    title: str
    """What it is, in words."""

    details: Sequence[str] = ()
    """Further lines about it."""

    name: str = ""
    """The name of the node, by which its tasks are known; empty for what is only mentioned."""

    estimate: Estimate | None = None
    """What its tasks take; None for what has none."""

    def text(self) -> Iterator[str]:
        """Yield the lines of the node."""
        taken = self.estimate
        parts = [] if taken is None else [f"{taken.tasks:,} task{'' if taken.tasks == 1 else 's'}"]
        if taken is not None and taken.rows:
            parts.append(f"{taken.rows:,} rows")
        if taken is not None and taken.nbytes:
            parts.append(f"{format_bytes(taken.nbytes)} of files")
        yield f"{'  ' * self.level}{self.title}{'  ' if parts else ''}{', '.join(parts)}"
        yield from (f"{'  ' * (self.level + 1)}{line}" for line in self.details)


class _Described(NamedTuple):
    """A node in words, further lines about it, its inputs, and what its tasks take."""

    title: str
    details: Sequence[str]
    inputs: Sequence[Any]
    estimate: Estimate | None = None


def written(plan: Node) -> list[Branch]:
    """Return the tree of a plan as it was written."""
    return list(_tree(plan, _logical))


def planned(lowered: Expr) -> list[Branch]:
    """Return the tree of the tasks that a plan has been lowered to."""
    return list(_tree(lowered, _physical))


def _tree(root: Any, describe_node: Callable[[Any], _Described | list[Any]]) -> Iterator[Branch]:
    """Yield each node, its inputs below it; those that it shares with others are described once.

    Without nested calls, of which a long chain would need more than Python allows.
    """
    seen: set[str] = set()
    stack = [(root, 1)]
    while stack:
        node, level = stack.pop()
        described = describe_node(node)
        if isinstance(described, list):
            stack += [(child, level) for child in reversed(described)]
            continue
        title, details, children, taken = described
        if children and node._name in seen:
            yield Branch(level, f"{title}, as above")
            continue
        seen.add(node._name)
        yield Branch(level, title, details, node._name, taken)
        if children and level == MOST_LEVELS:
            yield Branch(level + 1, "…")
            continue
        stack += [(child, level + 1) for child in reversed(children)]


def _logical(node: Any) -> _Described | list[Any]:
    """Describe a logical node; return its inputs in place of a node without a description."""
    match node:
        case CollectionRows():
            return [node.frame]
        case Element():
            return [node.aggregate]
        case Frame():
            return _Described(node.describe(), [], node.dependencies())
    return []


def _physical(node: Any) -> _Described | list[Any]:
    inputs = node.dependencies()
    match node:
        case FinishResult() | Element() | Union():
            return [*inputs]
        case Pipeline():
            return _Described("Pipeline", _pipeline(node), inputs, estimate_node(node))
        case TreeReduce():
            return _Described("Combine", [], inputs, estimate_node(node))
        case Tasks():
            return _Described(node.function.__name__.strip("_"), [], inputs, estimate_node(node))
        case Tables() | PersistedResults():
            return _Described(f"{type(node).__name__}  {node.npartitions} in memory", [], [])
    return _Described(type(node).__name__, [], inputs)


def _pipeline(node: Pipeline) -> list[str]:
    layout = node.layout
    lines = []
    for number, base in enumerate(layout.chain.bases):
        if isinstance(base, Scan):
            columns = layout.scanned(number)
            shown = ", ".join(columns[:8]) + (", …" if len(columns) > 8 else "")
            parts = [f"{len(columns)} of {len(base.source.columns)} columns"]
            if layout.nread < layout.npartitions:
                parts.append(f"{layout.nread} of {layout.npartitions} partitions")
            lines.append(f"read {shown or 'nothing'}  ({', '.join(parts)})")
    for selection in layout.chain.selections:
        kind = "filter " + describe(selection.predicate) if isinstance(selection, Filter) else selection.describe()
        lines.append(kind)
    return [*lines, _TOKENS.sub("", layout.purpose)]
