"""One pass for many: reductions that are computed together read their rows together.

``dask.compute(a.sum(), b.mean())`` hands Dask a sequence of plans.  Those that reduce the same rows are rewritten to
elements of one aggregation.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from akdask.plan._dask import ExprSequence
from akdask.plan.reduce import Aggregate, Element, Reduction


def share_aggregates(sequence: ExprSequence) -> ExprSequence | None:
    """Return the sequence with reductions of the same rows merged, None if there is nothing to merge."""
    groups: defaultdict[str, dict[str, Element]] = defaultdict(dict)
    for plan in sequence.operands:
        if _is_logical(plan):
            groups[plan.aggregate.frame._name][plan.aggregate._name] = plan
    moved: dict[str, Element] = {}
    for elements in groups.values():
        if len(elements) > 1:
            moved.update(_merge([element.aggregate for element in elements.values()]))
    if not moved:
        return None
    return ExprSequence(*[_moved(plan, moved) for plan in sequence.operands])


def _is_logical(plan: Any) -> bool:
    """Whether the plan is a reduction that has not been lowered yet; Dask simplifies again after lowering."""
    return isinstance(plan, Element) and isinstance(plan.operands[0], Aggregate)


def _merge(aggregates: list[Aggregate]) -> dict[str, Element]:
    """Return where each reduction is to be found, by its token within its rows."""
    reductions: dict[str, Reduction] = {}
    for aggregate in aggregates:
        reductions.update((item.token, item) for item in aggregate.reductions)
    merged = Aggregate(aggregates[0].frame, tuple(reductions.values()))
    frame = merged.frame._name
    return {f"{frame} {token}": Element(merged, position) for position, token in enumerate(reductions)}


def _moved(plan: Any, moved: dict[str, Element]) -> Any:
    if not _is_logical(plan):
        return plan
    wanted = plan.aggregate.reductions[plan.position]
    return moved.get(f"{plan.aggregate.frame._name} {wanted.token}", plan)
