"""Plans as text: as they were written, and as they will run."""

from __future__ import annotations

from typing import Any

from akdask.plan.node import Frame, Node
from akdask.plan.pipeline import Pipeline
from akdask.plan.present import Finish, Present
from akdask.plan.reduce import Element, TreeReduce
from akdask.plan.rowwise import Filter
from akdask.plan.sources import Scan
from akdask.plan.tables import Held, Tables, Tasks, Union
from akdask.plan.values import describe


def explain(plan: Node) -> str:
    """Return two trees: the plan as written, and the tasks that it lowers to; nothing is computed."""
    lowered = plan.finalize_compute().lower_completely()
    lines = ["As written", *_indent(_logical(plan), 1), "As it will run", *_indent(_physical(lowered), 1)]
    return "\n".join(lines)


def _indent(lines: list[str], levels: int) -> list[str]:
    return ["  " * levels + line for line in lines]


def _logical(node: Any) -> list[str]:
    match node:
        case Present():
            return _logical(node.frame)
        case Element():
            return _logical(node.aggregate)
        case Frame():
            inputs = [line for child in node.dependencies() for line in _logical(child)]
            return [node.describe(), *_indent(inputs, 1)]
    return []


def _physical(node: Any) -> list[str]:
    inputs = [line for child in node.dependencies() for line in _physical(child)]
    match node:
        case Finish() | Element() | Union():
            return inputs
        case Pipeline():
            return [_tasks("Pipeline", node.npartitions), *_indent(_pipeline(node), 1), *_indent(inputs, 1)]
        case TreeReduce():
            return [_tasks("Combine", len(node._layer())), *_indent(inputs, 1)]
        case Tasks():
            return [_tasks(node.function.__name__.strip("_"), node.npartitions), *_indent(inputs, 1)]
        case Tables() | Held():
            return [f"{type(node).__name__}  {node.npartitions} in memory"]
    return [type(node).__name__, *_indent(inputs, 1)]


def _tasks(name: str, count: int) -> str:
    return f"{name}  {count} task" + ("" if count == 1 else "s")


def _pipeline(node: Pipeline) -> list[str]:
    layout = node.layout
    lines = []
    for number, base in enumerate(layout.chain.bases):
        if isinstance(base, Scan):
            columns = layout.scanned(number)
            shown = ", ".join(columns[:8]) + (", …" if len(columns) > 8 else "")
            lines.append(f"read {shown or 'nothing'}  ({len(columns)} of {len(base.source.columns)} columns)")
    for selection in layout.chain.selections:
        kind = "filter " + describe(selection.predicate) if isinstance(selection, Filter) else selection.describe()
        lines.append(kind)
    return [*lines, layout.purpose]
