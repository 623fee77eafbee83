"""The optimiser: plans that are computed together, rewritten once before they are lowered.

A pass downwards finds the needs of each node (`rewrite_rules.find_needs`). A pass upwards (`rewriting`) applies
`rewrite_rules.RULES`. Both take time in proportion to the plan. Plans without a kind of node that has rules are left at
once. Kinds of nodes are known by their names, so that a plan loads no modules of other kinds.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from operator import is_
from typing import Any

from akdask import config
from akdask.engine.needs import inputs_first, is_logical
from akdask.engine.node import Node

OCCASIONS = frozenset(
    {
        "Compact",
        "Gather",
        "HashJoin",
        "Limit",
        "MatchRows",
        "Realign",
        "Reverse",
        "Sort",
        "Take",
        "TopK",
    }
)
"""Kinds of nodes that make a search for needs worth while."""

MOST_PASSES = 4
"""Number of passes over plans; filters that the first one splits move below joins in the second."""


def optimize(plans: Sequence[Node]) -> list[Node]:
    """Return plans that give the same results with less work, and share the work of plans computed together."""
    plans = list(plans)
    if not config.get("optimize") or not all(map(is_logical, plans)):
        return plans
    nodes = inputs_first(plans)
    kinds = _kinds_of(nodes)
    if len(plans) > 1 or kinds.get("GroupAggregate", 0) > 1:
        from akdask.operators.rewrite_rules import share_aggregates, share_groups

        plans = share_aggregates(share_groups(plans))
        nodes = inputs_first(plans)
    if OCCASIONS.isdisjoint(kinds):
        return plans
    if kinds.get("Sort", 0) > 1:
        from akdask.operators.sort.shared_sorts import share_sorts

        plans = share_sorts(plans)
        nodes = inputs_first(plans)
    from akdask.operators.rewrite_rules import RULES, find_needs
    from akdask.operators.rewriting import rewritten

    for _ in range(MOST_PASSES):
        found = rewritten(plans, nodes, find_needs(nodes, plans), RULES)
        if all(map(is_, found, plans)):
            break
        # Once more: nodes that were apart may meet now, and columns of filters may be unused.
        plans, nodes = found, inputs_first(found)
    if "Sort" not in _kinds_of(nodes):
        return plans
    from akdask.operators.sort.carried_text import carry_positions

    return carry_positions(plans)


def _kinds_of(nodes: Sequence[Node]) -> Mapping[str, int]:
    """Count the nodes of each class and its base classes; no two classes have the same name."""
    found: defaultdict[str, int] = defaultdict(int)
    for node in nodes:
        kind: Any = type(node)
        for name in _class_names(kind):
            found[name] += 1
    return found


@cache
def _class_names(kind: type) -> tuple[str, ...]:
    return tuple([cls.__name__ for cls in kind.__mro__])
