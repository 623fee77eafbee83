"""How many operations are done one after the other to find rows, all the way from what is at hand.

A program that asks for a value in each of its rounds would do again, each time, all that it has done before.  Depth
tells from the plan alone how much that is, and so where results are worth keeping (`akdask.plan.task.materialized`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from akdask.plan.expr.rounds import each_after_its_inputs, values_of
from akdask.plan.expr.values import Value

if TYPE_CHECKING:
    from akdask.plan.expr.node import Frame

_KEPT = "_depth"


class Depth(NamedTuple):
    """Operations that come before the columns of a frame, and those that have selected their rows since."""

    columns: int
    selection: int

    def on(self, values: Sequence[Value]) -> int:
        """Return the depth of values on the rows of the frame."""
        steps = max([value.steps for value in values], default=0)
        replicas = max([value.replica_depth for value in values], default=0)
        return max(self.columns + max(self.selection, steps), replicas)


def depth_of(frame: Frame) -> Depth:
    """Return the depth of a frame, which keeps it."""
    found: Depth = each_after_its_inputs(frame, _KEPT, _depth)
    return found


def _depth(node: Frame, inputs: Sequence[Depth]) -> Depth:
    if node.is_kept:
        return Depth(0, 0)
    columns = max((item.columns for item in inputs), default=0)
    selection = max((item.selection for item in inputs), default=0)
    depth = Depth(columns, selection).on(list(values_of(node)))
    if node.shows_inputs:
        # What refers to columns goes on doing so, and counts its own operations from them.
        return Depth(columns, depth - columns + node.weight)
    return Depth(depth + node.weight if inputs else 0, 0)
