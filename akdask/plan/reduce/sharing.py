"""Groups that are computed at once are found in one pass: the reductions of the same rows by the same keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping
from typing import Any

from akdask.plan.expr._dask import Expr, ExprSequence
from akdask.plan.expr.chain import Chain, rebuild
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Computed, Zip
from akdask.plan.expr.values import ColumnRef, Value, substitute

_Merged = tuple[Frame, dict[str, ColumnRef]]
"""A node with what several have, and where the columns of these are found in it."""


def share_groups(parent: Expr) -> ExprSequence | None:
    """Merge groups among the plans that ``dask.compute(keys, sums, means)`` hands to Dask, tried once for each.

    None if there is nothing to merge.
    """
    if not isinstance(parent, ExprSequence) or "_groups_shared" in parent.__dict__:
        return None
    parent.__dict__["_groups_shared"] = True
    alike: defaultdict[Hashable, dict[str, Frame]] = defaultdict(dict)
    for plan in parent.operands:
        for node in _grouped(plan):
            alike[node.pass_key][node._name] = node
    merged: dict[str, _Merged] = {}
    for first, *others in map(dict.values, alike.values()):
        found = first.in_one_pass(others) if others else None
        if found is not None:
            merged.update({node._name: found for node in (first, *others)})
    if not merged:
        return None
    return ExprSequence(*[_moved(plan, merged) for plan in parent.operands])


def _computed(plan: Any) -> list[Computed]:
    """Return what a plan shows, or takes a scalar from; nothing once it has been lowered."""
    return [operand for operand in getattr(plan, "operands", ()) if isinstance(operand, Computed)]


def _grouped(plan: Any) -> list[Frame]:
    return [base for item in _computed(plan) for base in Chain.of(item.frame).bases if base.shares_passes]


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
