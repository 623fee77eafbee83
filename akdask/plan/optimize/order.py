"""Rows are not sorted for those who do not care about their order.

Which floats are added first is no order that anybody asks for: a sum of sorted rows is that of the rows as they are
stored, the same whenever a plan is computed.
"""

from __future__ import annotations

from akdask.plan.optimize.needs import EVERY_ROW, Need
from akdask.plan.optimize.rewriting import Inlined
from akdask.plan.sort.sort import Sort


def unsorted(sort: Sort, need: Need) -> Inlined | None:
    """Return the rows before they are sorted, if neither their order nor their partitions matter to any reader."""
    if need.order or need.partitions or need.rows != EVERY_ROW:
        return None
    project = sort.frame
    values = dict(zip(project.names, project.values, strict=True))
    return Inlined(project.frame, {name: values[name] for name in sort.names if name in values})
