"""Alignment with counting: brings columns to common rows, and counts rows of unknown number for that.

Arkouda knows the length of each array, so scripts combine the results of two filters that leave equally many rows. A
plan knows only counted lengths. Combining columns is the one place where lengths are counted without a request.
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
    """Return one frame on which all values can be evaluated, and the values there; see `akdask.engine.alignment`.

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
    """Return columns unchanged, for a node that aligns them itself; count their rows where `align` would."""
    align(operation, items)
    return items


def _may_share_rows(frames: Sequence[Frame]) -> bool:
    """Whether a count may show equal lengths: some frames are not counted, and no two are known to differ."""
    rows = [frame.rows for frame in frames]
    return any(item.lengths is None for item in rows) and len({item.size for item in rows} - {None}) < 2
