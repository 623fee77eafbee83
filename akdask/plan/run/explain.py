"""Plans as text: as they were written, and as they will run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Filter
from akdask.plan.expr.sources import Scan
from akdask.plan.expr.values import describe
from akdask.plan.reduce.aggregate import Element, TreeReduce
from akdask.plan.run.result import CollectionRows, FinishResult
from akdask.plan.task.pipeline import Pipeline
from akdask.plan.task.tables import HeldResults, Tables, Tasks, Union


def explain(plan: Node) -> str:
    """Return two trees: the plan as written, and the tasks that it lowers to; nothing is computed."""
    final = plan.finish_result() if isinstance(plan, CollectionRows) else plan.finalize_compute()
    lowered = final.lower_completely()
    lines = ["As written", *_indent(_logical(plan, set()), 1)]
    lines += ["As it will run", *_indent(_physical(lowered, set()), 1)]
    return "\n".join(lines)


def _indent(lines: list[str], levels: int) -> list[str]:
    return ["  " * levels + line for line in lines]


def _logical(node: Any, seen: set[str]) -> list[str]:
    match node:
        case CollectionRows():
            return _logical(node.frame, seen)
        case Element():
            return _logical(node.aggregate, seen)
        case Frame():
            return _tree(node, node.describe(), [], _logical, seen)
    return []


def _physical(node: Any, seen: set[str]) -> list[str]:
    match node:
        case FinishResult() | Element() | Union():
            return [line for child in node.dependencies() for line in _physical(child, seen)]
        case Pipeline():
            return _tree(
                node,
                _tasks("Pipeline", node.layout.ntasks),
                _pipeline(node),
                _physical,
                seen,
            )
        case TreeReduce():
            return _tree(node, _tasks("Combine", len(node._layer())), [], _physical, seen)
        case Tasks():
            return _tree(node, _tasks(node.function.__name__.strip("_"), node.npartitions), [], _physical, seen)
        case Tables() | HeldResults():
            return [f"{type(node).__name__}  {node.npartitions} in memory"]
    return _tree(node, type(node).__name__, [], _physical, seen)


def _tree(
    node: Node, title: str, details: list[str], write: Callable[[Any, set[str]], list[str]], seen: set[str]
) -> list[str]:
    """Return a node with its inputs below it; those that it shares with others are written once."""
    children = node.dependencies()
    if children and node._name in seen:
        return [f"{title}, as above"]
    seen.add(node._name)
    return [title, *_indent([*details, *(line for child in children for line in write(child, seen))], 1)]


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
