"""All that plans are made of, in one list: what a node is made of comes before it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Any

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.values import ColumnRef, Constant, Replica, Value

_LEAVES = (ColumnRef, Constant)
_PARTS = "_parts"


def is_logical(plan: Any) -> bool:
    """Whether a plan is still to be lowered, as Dask asks for plans to be simplified after that once more."""
    return isinstance(plan, Frame) or (
        isinstance(plan, Node) and any(isinstance(operand, Frame) for operand in plan.operands)
    )


def inputs_first(plans: Sequence[Node]) -> list[Node]:
    """Return all nodes of plans, each once and after those that it or its values refer to.

    What is materialized is a plan of its own, whose name its results are kept by: it stays as it is.
    """
    found: list[Node] = []
    seen: set[str] = set()
    stack: list[tuple[Any, bool]] = [(plan, False) for plan in reversed(plans)]
    while stack:
        part, is_done = stack.pop()
        if is_done:
            found.append(part)
            continue
        is_value = isinstance(part, Value)
        name = part.token if is_value else part._name
        if name in seen:
            continue
        seen.add(name)
        if not is_value:
            stack.append((part, True))
            # Most values of a frame refer to its columns, and to no other node.
            stack += [(item, False) for item in parts_of(part) if type(item) not in _LEAVES]
        elif isinstance(part, Replica):
            stack.append((part.node, False))
        elif part.args:
            stack += zip(part.args, repeat(False))
    return found


def parts_of(node: Any) -> list[Any]:
    """Return the nodes and values that a node is made of, those among tuples and in reductions too; it keeps them."""
    known: list[Any] | None = node.__dict__.get(_PARTS)
    if known is not None:
        return known
    found: list[Any] = []
    if isinstance(node, Frame) and node.is_materialized:
        return found
    for operand in node.operands:
        if isinstance(operand, Expr | Value):
            found.append(operand)
        elif type(operand) is tuple:
            # Without nested calls, as a frame may have thousands of columns.
            reductions = []
            for item in operand:
                if isinstance(item, Expr | Value):
                    found.append(item)
                elif hasattr(item, "made_of"):
                    reductions += item.values
            found += reductions
    node.__dict__[_PARTS] = found
    return found
