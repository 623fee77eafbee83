"""Rounds: successive passes over rows, each of which needs a result of the pass before.

``a - a.mean()`` goes over the rows of ``a`` twice: once for the mean, and once more with it.  Of ``a = a - a.mean()``
in a loop, each mean needs all means before it, and to find it, all steps before it are computed again from what is
read.  Rounds tell how many these are: along the rows of a column, the steps that need a result which takes as many
rounds as the step before.  A hundred tables that rows are looked up in are one round, for none needs another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.values import Value

_ROUNDS = "_rounds"


class Rounds(NamedTuple):
    """Of a frame: the rounds along its own rows, and the most along any rows that it is made from."""

    own: int
    most: int


def rounds_on(own: int, values: Sequence[Value]) -> int:
    """Return the rounds of values on rows that have taken some already."""
    most = max(own, max((value.rounds for value in values), default=0))
    return most + 1 if any(value.awaits > most for value in values) else most


def rounds_of(frame: Expr) -> Rounds:
    """Return the rounds of a frame, which keeps them; those of its inputs are found first, without nesting calls."""
    stack = [frame]
    while stack:
        node = stack[-1]
        if _ROUNDS in node.__dict__:
            stack.pop()
            continue
        inputs = node.inputs
        unknown = [item for item in inputs if _ROUNDS not in item.__dict__]
        if unknown:
            stack.extend(unknown)
            continue
        node.__dict__[_ROUNDS] = _rounds(node, [item.__dict__[_ROUNDS] for item in inputs])
        stack.pop()
    found: Rounds = frame.__dict__[_ROUNDS]
    return found


def _rounds(frame: Expr, inputs: Sequence[Rounds]) -> Rounds:
    values = list(values_of(frame))
    before = max((item.own for item in inputs), default=0)
    with_values = rounds_on(before, values)
    most = max([with_values, *(item.most for item in inputs), *(value.awaits - 1 for value in values)])
    return Rounds(with_values if frame.is_seen_through else 0, most)


def values_of(frame: Expr) -> Iterator[Value]:
    """Yield the values among the operands of a frame, and those that are reduced."""
    for operand in frame.operands:
        for item in operand if isinstance(operand, tuple) else (operand,):
            if isinstance(item, Value):
                yield item
            elif not isinstance(item, Expr):
                reduced = getattr(item, "values", None)
                if isinstance(reduced, tuple) and all(isinstance(value, Value) for value in reduced):
                    yield from reduced
