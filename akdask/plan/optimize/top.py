"""Of sorted rows of which only the first or last are read, the others are not sorted, and not read whole."""

from __future__ import annotations

from akdask.plan.optimize.needs import Need
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK

MOST_ROWS = 2**16
"""Rows that are looked for in this way: one task has all of them, and earlier ones those of each partition."""


def top_rows(sort: Sort, need: Need) -> TopK | None:
    """Return only the first or last rows of a sort, if nobody reads others."""
    if not need.rows or abs(need.rows) > MOST_ROWS:
        return None
    names = tuple(need.only(sort.names))
    return TopK(sort.frame, sort.by, sort.order.ascending, names, need.rows)
