"""Plans that are computed at once share passes: reductions of the same rows, or of the same groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from akdask.plan.expr.chain import Chain, rebuild
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Computed, Zip
from akdask.plan.expr.values import ColumnRef, Value, substitute
from akdask.plan.group.aggregate import GroupAggregate
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr, Element

_Merged = tuple[GroupAggregate, dict[str, ColumnRef]]
"""A node with what several have, and where the columns of these are found in it."""


def share_groups(plans: Sequence[Node]) -> list[Node]:
    """Return plans, such as keys, sums and means, whose groups of the same rows by the same keys are found together."""
    alike: defaultdict[tuple[str, ...], dict[str, GroupAggregate]] = defaultdict(dict)
    for plan in plans:
        for node in _grouped(plan):
            alike[node.pass_key][node._name] = node
    merged: dict[str, _Merged] = {}
    for first, *others in map(dict.values, alike.values()):
        found = first.in_one_pass(others) if others else None
        if found is not None:
            merged.update({node._name: found for node in (first, *others)})
    return [_moved(plan, merged) for plan in plans] if merged else list(plans)


def _computed(plan: Any) -> list[Computed]:
    """Return what a plan shows, or takes a scalar from; nothing once it has been lowered."""
    return [operand for operand in getattr(plan, "operands", ()) if isinstance(operand, Computed)]


def _grouped(plan: Any) -> list[GroupAggregate]:
    return [base for item in _computed(plan) for base in Chain.of(item.frame).bases if isinstance(base, GroupAggregate)]


def _moved(plan: Any, merged: Mapping[str, _Merged]) -> Any:
    operands = [_moved_rows(item, merged) if isinstance(item, Computed) else item for item in plan.operands]
    if all(new is old for new, old in zip(operands, plan.operands, strict=True)):
        return plan
    return type(plan)(*operands)


def _moved_rows(computed: Computed, merged: Mapping[str, _Merged]) -> Computed:
    chain = Chain.of(computed.frame)
    replaced: dict[str, Value] = {}
    bases: dict[str, Frame] = {}
    for base in chain.bases:
        new, columns = merged.get(base._name, (base, {}))
        bases[new._name] = new
        replaced.update(columns)
    if not replaced:
        return computed
    base = next(iter(bases.values())) if len(bases) == 1 else Zip(tuple(bases.values()))
    predicates = [substitute(predicate, replaced) for predicate in chain.predicates]
    return computed.moved(rebuild(base, chain.selections, predicates), replaced)


def share_aggregates(plans: Sequence[Node]) -> list[Node]:
    """Return plans, such as the sum of a column and the mean of another, whose reductions of the same rows are one."""
    groups: defaultdict[str, dict[str, Element]] = defaultdict(dict)
    for plan in plans:
        if _is_reduction(plan):
            groups[plan.aggregate.frame._name][plan.aggregate._name] = plan
    moved: dict[str, tuple[Aggregate, int]] = {}
    for elements in groups.values():
        if len(elements) > 1:
            moved.update(_merged_reductions([element.aggregate for element in elements.values()]))
    return [_moved_element(plan, moved) for plan in plans] if moved else list(plans)


def _is_reduction(plan: Any) -> bool:
    """Whether the plan is one result of reductions."""
    return isinstance(plan, Element) and isinstance(plan.operands[0], Aggregate)


def _merged_reductions(aggregates: list[Aggregate]) -> dict[str, tuple[Aggregate, int]]:
    """Return where each reduction is to be found, by its token within its rows."""
    reductions: dict[str, AggregateExpr] = {}
    for aggregate in aggregates:
        reductions.update((item.token, item) for item in aggregate.reductions)
    merged = Aggregate(aggregates[0].frame, tuple(reductions.values()))
    frame = merged.frame._name
    return {f"{frame} {token}": (merged, position) for position, token in enumerate(reductions)}


def _moved_element(plan: Any, moved: dict[str, tuple[Aggregate, int]]) -> Any:
    if not _is_reduction(plan):
        return plan
    wanted = plan.aggregate.reductions[plan.position]
    found = moved.get(f"{plan.aggregate.frame._name} {wanted.token}")
    return plan if found is None else Element(*found, plan.form)
