"""The optimiser: plans that are computed together, rewritten once before they are lowered.

A pass downwards finds what is needed of each node (`needs`), a pass upwards rewrites (`rewriting`) by rules (`rules`).
Both take time in proportion to the plan, and plans without anything that rules are for are left at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from akdask import config
from akdask.plan.expr.node import Node
from akdask.plan.optimize.needs import find_needs
from akdask.plan.optimize.parts import inputs_first, is_logical
from akdask.plan.optimize.rewriting import rewritten
from akdask.plan.optimize.rules import OCCASIONS, RULES
from akdask.plan.optimize.sharing import share_aggregates, share_groups, share_sorts
from akdask.plan.sort.sort import Sort


def optimize(plans: Sequence[Node]) -> list[Node]:
    """Return plans that give the same results with less work; computed together, so that they share it."""
    plans = list(plans)
    if not config.get("optimize") or not all(map(is_logical, plans)):
        return plans
    plans = share_aggregates(share_groups(plans))
    nodes = inputs_first(plans)
    if not any(isinstance(node, OCCASIONS) for node in nodes):
        return plans
    if sum(isinstance(node, Sort) for node in nodes) > 1:
        plans = share_sorts(plans)
        nodes = inputs_first(plans)
    found = rewritten(plans, nodes, find_needs(nodes, plans), RULES)
    if all(new is old for new, old in zip(found, plans, strict=True)):
        return found
    # Once more, as nodes meet that were apart, and columns that filters read are not needed any more.
    nodes = inputs_first(found)
    return rewritten(found, nodes, find_needs(nodes, found), RULES)
