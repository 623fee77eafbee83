"""The depth of a plan: the longest sequence of operations from stored or materialized columns to its rows.

A program that asks for a value in each of its rounds would repeat all earlier rounds each time.  Depth says how much
that is, from the plan alone, and so which results are worth keeping (`akdask.plan.task.materialized`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.rounds import each_after_its_inputs, values_of
from akdask.plan.expr.values import Value

_DEPTH = "_depth"


class Depth(NamedTuple):
    """Operations before the columns of a frame, and operations since then that selected its rows."""

    columns: int
    selection: int

    def on(self, values: Sequence[Value]) -> int:
        """Return the depth of values on the rows of the frame."""
        steps, replicas = self.selection, 0
        for value in values:
            if value.steps > steps:
                steps = value.steps
            if value.replica_depth > replicas:
                replicas = value.replica_depth
        return max(self.columns + steps, replicas)


def depth_of(frame: Expr) -> Depth:
    """Return the depth of a frame; it is computed once."""
    found: Depth | None = frame.__dict__.get(_DEPTH)
    return each_after_its_inputs(frame, _DEPTH, _depth) if found is None else found


def _depth(node: Expr, inputs: Sequence[Depth]) -> Depth:
    if node.is_materialized:
        return Depth(0, 0)
    columns = selection = 0
    for item in inputs:
        columns, selection = max(columns, item.columns), max(selection, item.selection)
    depth = Depth(columns, selection).on(values_of(node))
    if node.shows_inputs:
        # Values on these rows refer to the same columns, and count their own operations from there.
        return Depth(columns, depth - columns + node.weight)
    return Depth(depth + node.weight if inputs else 0, 0)
