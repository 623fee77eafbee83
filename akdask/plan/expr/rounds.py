"""Rounds: successive passes over rows, each of which needs a result of the pass before.

``a - a.mean()`` goes over the rows of ``a`` twice: once for the mean, and once more with it.  Of ``a = a - a.mean()``
in a loop, each mean needs all means before it, and to find it, all steps before it are computed again from what is
read.  Rounds tell how many these are: along the rows of a column, the steps that need a result which takes as many
rounds as the step before.  A hundred tables that rows are looked up in are one round, for none needs another.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.values import Value

_ROUNDS = "_rounds"


class Rounds(NamedTuple):
    """Of a frame: the rounds along its own rows, and the most along any rows that it is made from."""

    own: int
    most: int


def rounds_on(own: int, values: Sequence[Value]) -> int:
    """Return the rounds of values on rows that have taken some already."""
    most, awaited = own, 0
    # No generators, as frames may have very many columns, and most operations have one.
    for value in values:
        if value.rounds > most:
            most = value.rounds
        if value.awaits > awaited:
            awaited = value.awaits
    return most + 1 if awaited > most else most


def rounds_of(frame: Expr) -> Rounds:
    """Return the rounds of a frame, which keeps them."""
    found: Rounds | None = frame.__dict__.get(_ROUNDS)
    return each_after_its_inputs(frame, _ROUNDS, _rounds) if found is None else found


def each_after_its_inputs(frame: Expr, name: str, rule: Callable[[Expr, list[Any]], Any]) -> Any:
    """Return what a rule finds of a frame and of what it has found of its inputs, without nesting calls.

    Each frame keeps it under the name.
    """
    stack = [] if name in frame.__dict__ else [frame]
    while stack:
        node = stack[-1]
        if name in node.__dict__:
            stack.pop()
            continue
        known: list[Any] = []
        unknown: list[Expr] = []
        for item in node.inputs:
            found = item.__dict__.get(name)
            if found is None:
                unknown.append(item)
            else:
                known.append(found)
        if unknown:
            stack += unknown
            continue
        node.__dict__[name] = rule(node, known)
        stack.pop()
    return frame.__dict__[name]


def _rounds(frame: Expr, inputs: Sequence[Rounds]) -> Rounds:
    values = values_of(frame)
    before = most = 0
    for item in inputs:
        before, most = max(before, item.own), max(most, item.most)
    with_values = rounds_on(before, values)
    for value in values:
        most = max(most, value.awaits - 1)
    return Rounds(with_values if frame.is_seen_through else 0, max(most, with_values))


def values_of(frame: Expr) -> list[Value]:
    """Return the values among the operands of a frame, and those that are reduced."""
    # A list, as frames may have very many columns.
    found: list[Value] = []
    for operand in frame.operands:
        for item in operand if isinstance(operand, tuple) else (operand,):
            if isinstance(item, Value):
                found.append(item)
            elif not isinstance(item, Expr):
                reduced = getattr(item, "values", None)
                if isinstance(reduced, tuple) and all(isinstance(value, Value) for value in reduced):
                    found += reduced
    return found
