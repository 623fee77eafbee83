"""Groups that are computed at once are found in one pass: the reductions of the same rows by the same keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from akdask.plan.expr._dask import Expr, ExprSequence
from akdask.plan.expr.chain import Chain, rebuild
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Computed, Zip
from akdask.plan.expr.values import Value, substitute
from akdask.plan.group.aggregate import GroupAggregate


def share_groups(parent: Expr) -> ExprSequence | None:
    """Merge groups among the plans that ``dask.compute(keys, sums, means)`` hands to Dask, tried once for each.

    None if there is nothing to merge.
    """
    if not isinstance(parent, ExprSequence) or "_groups_shared" in parent.__dict__:
        return None
    parent.__dict__["_groups_shared"] = True
    alike: defaultdict[tuple[str, ...], dict[str, GroupAggregate]] = defaultdict(dict)
    for plan in parent.operands:
        for node in _grouped(plan):
            alike[(node.rows.token, *(key.token for key in node.keys))][node._name] = node
    merged: dict[str, GroupAggregate] = {}
    for nodes in alike.values():
        if len(nodes) > 1:
            merged.update(_merge(list(nodes.values())))
    if not merged:
        return None
    return ExprSequence(*[_moved(plan, merged) for plan in parent.operands])


def _computed(plan: Any) -> list[Computed]:
    """Return what a plan shows, or takes a scalar from; nothing once it has been lowered."""
    return [operand for operand in getattr(plan, "operands", ()) if isinstance(operand, Computed)]


def _grouped(plan: Any) -> list[GroupAggregate]:
    return [base for item in _computed(plan) for base in Chain.of(item.frame).bases if isinstance(base, GroupAggregate)]


def _merge(nodes: list[GroupAggregate]) -> dict[str, GroupAggregate]:
    """Return the node with all reductions, by the name of each node that it replaces."""
    frames = {base._name: base for node in nodes for base in node.frame.bases}
    selected = [node for node in nodes if len(Chain.of(node.frame).selections)]
    if selected:
        # Rows that were selected are merged only where they are the very same.
        nodes = [node for node in nodes if node.frame is nodes[0].frame]
        common = nodes[0].frame
    else:
        common = next(iter(frames.values())) if len(frames) == 1 else Zip(tuple(frames.values()))
    reductions = {item.token: item for node in nodes for item in node.reductions}
    merged_node = GroupAggregate(common, nodes[0].keys, nodes[0].identity, tuple(reductions.values()))
    # Several partitions of groups have the same bounds only where they are found from the same tables.
    return (
        {node._name: merged_node for node in nodes}
        if len(nodes) > 1 and merged_node.rows.same_rows(nodes[0].rows)
        else {}
    )


def _moved(plan: Any, merged: Mapping[str, GroupAggregate]) -> Any:
    operands = [_moved_rows(item, merged) if isinstance(item, Computed) else item for item in plan.operands]
    if all(new is old for new, old in zip(operands, plan.operands, strict=True)):
        return plan
    return type(plan)(*operands)


def _moved_rows(computed: Computed, merged: Mapping[str, GroupAggregate]) -> Computed:
    chain = Chain.of(computed.frame)
    replaced: dict[str, Value] = {}
    for base in chain.bases:
        if isinstance(base, GroupAggregate) and base._name in merged:
            replaced.update(_columns(base, merged[base._name]))
    if not replaced:
        return computed
    bases: dict[str, Frame] = {}
    for base in chain.bases:
        new = merged.get(base._name, base)
        bases[new._name] = new
    base = next(iter(bases.values())) if len(bases) == 1 else Zip(tuple(bases.values()))
    predicates = [substitute(predicate, replaced) for predicate in chain.predicates]
    return computed.moved(rebuild(base, chain.selections, predicates), replaced)


def _columns(old: GroupAggregate, new: GroupAggregate) -> dict[str, Value]:
    """Return where each column of a node is found in the one that replaces it."""
    positions = {item.token: number for number, item in enumerate(new.reductions)}
    moved: dict[str, Value] = {old.key(number).token: new.key(number) for number in range(len(old.keys))}
    for number, item in enumerate(old.reductions):
        moved[old.result(number).token] = new.result(positions[item.token])
    return moved
