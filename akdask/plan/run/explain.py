"""Plans as text: as they were written, and as they will run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Filter
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import describe
from akdask.plan.reduce.aggregate import Element, TreeReduce
from akdask.plan.run.result import CollectionRows, FinishResult
from akdask.plan.task.pipeline import Pipeline
from akdask.plan.task.tables import PersistedResults, Tables, Tasks, Union

MOST_LEVELS = 24
"""Nested nodes that are shown; a loop makes plans of thousands of levels, all alike."""

Described = tuple[str, list[str], list[Any]]
"""A node in words, further lines about it, and its inputs."""


def explain(plan: Node) -> str:
    """Return two trees: the plan as written, and the tasks that it lowers to; nothing is computed."""
    final = plan.finish() if isinstance(plan, CollectionRows) else plan.finalize_compute()
    lowered = final.lower_completely()
    return "\n".join(["As written", *_tree(plan, _logical), "As it will run", *_tree(lowered, _physical)])


def _tree(root: Any, describe_node: Callable[[Any], Described | list[Any]]) -> Iterator[str]:
    """Yield a line for each node, its inputs below it; those that it shares with others are written once.

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
        title, details, children = described
        if children and node._name in seen:
            yield f"{'  ' * level}{title}, as above"
            continue
        seen.add(node._name)
        yield f"{'  ' * level}{title}"
        yield from (f"{'  ' * (level + 1)}{line}" for line in details)
        if children and level == MOST_LEVELS:
            yield f"{'  ' * (level + 1)}…"
            continue
        stack += [(child, level + 1) for child in reversed(children)]


def _logical(node: Any) -> Described | list[Any]:
    """Describe a logical node; return its inputs in place of a node without a description."""
    match node:
        case CollectionRows():
            return [node.frame]
        case Element():
            return [node.aggregate]
        case Frame():
            return node.describe(), [], node.dependencies()
    return []


def _physical(node: Any) -> Described | list[Any]:
    inputs = node.dependencies()
    match node:
        case FinishResult() | Element() | Union():
            return [*inputs]
        case Pipeline():
            return _tasks("Pipeline", node.layout.ntasks), _pipeline(node), inputs
        case TreeReduce():
            return _tasks("Combine", len(node._layer())), [], inputs
        case Tasks():
            return _tasks(node.function.__name__.strip("_"), node.npartitions), [], inputs
        case Tables() | PersistedResults():
            return f"{type(node).__name__}  {node.npartitions} in memory", [], []
    return type(node).__name__, [], inputs


def _tasks(name: str, count: int) -> str:
    return f"{name}  {count} task" + ("" if count == 1 else "s")


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
    return [*lines, layout.purpose]
