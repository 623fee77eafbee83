"""Bringing columns to common rows where the user combines them: rows of unknown number are counted there.

Arkouda knows the length of each array, so scripts combine what two filters have left whenever as many rows are left.
Plans know lengths that have been counted; where columns are combined, and nowhere else, the count is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

from akdask.engine import alignment as by_plan
from akdask.engine.alignment import Aligned
from akdask.engine.node import Frame
from akdask.engine.run import resolve_lengths
from akdask.engine.values import Value
from akdask.errors import AlignmentError


def align(operation: str, items: Sequence[Aligned], *, keeps_rows: bool = False) -> tuple[Frame, list[Value]]:
    """Return one frame on which all values can be evaluated, and the values there, as `akdask.engine.alignment` does.

    Counts rows of unknown number, in one computation, where the plan does not tell that all have the same rows.

    Raises
    ------
    AlignmentError
        If the rows differ in number.
    """
    try:
        return by_plan.align(operation, items, keeps_rows=keeps_rows)
    except AlignmentError:
        if not _may_share_rows([frame for frame, _ in items]):
            raise
    resolve_lengths(*[frame for frame, _ in items])
    return by_plan.align(operation, items, keeps_rows=keeps_rows)


def share_rows(operation: str, items: Sequence[Aligned]) -> Sequence[Aligned]:
    """Return columns as they are, for a node that aligns them itself; counts their rows where `align` does."""
    align(operation, items)
    return items


def _may_share_rows(frames: Sequence[Frame]) -> bool:
    """Whether a count may show that frames have as many rows: some are not counted, and no two are known to differ."""
    rows = [frame.rows for frame in frames]
    return any(item.lengths is None for item in rows) and len({item.size for item in rows} - {None}) < 2
