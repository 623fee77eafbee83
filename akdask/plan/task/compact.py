"""Rows joined end to end in a bounded number of partitions, however often rows are joined that were joined before.

Every join has the partitions of all its parts.  Loops that join what they have selected from their own rows would
double them each time, and each would be read through all joins before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, pairwise

from akdask.cluster import partition_size
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lengths import rows_rearranged
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.sources import Literal, Rows, Scan
from akdask.plan.task.batches import FEW, ITEMSIZE, SMALL_ROWS
from akdask.plan.task.combine import OverProject, concat_tables
from akdask.plan.task.concat import Concat
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace

MOST_TIMES = 16
"""How many times the partitions of the largest of its bases joined rows may have."""

_AT_MOST = "_rows_at_most"

MOST_PARTS = 64
"""Parts that are joined at once: of more, those before are one part, which is joined with what follows."""


class Compact(OverProject):
    """The same rows in the same order, in partitions that are made of several in a row; `counts` tells of how many."""

    frame: Project
    counts: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("packed", [self.frame.rows], len(self.counts), self._joined, self.counts)

    def _joined(self, lengths: Sequence[int]) -> list[int]:
        return [sum(lengths[start:stop]) for start, stop in self.runs]

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The first of the partitions that each is made of, and the one after the last."""
        return list(pairwise(accumulate(self.counts, initial=0)))


def joined(parts: Sequence[Project]) -> Concat | Compact:
    """Return the rows of projections with the same names and types, end to end."""
    concat = Concat(tuple(parts))
    count, wanted = concat.npartitions, _partitions(concat)
    if wanted is None or count < 2 * wanted:
        return concat
    bounds = pairwise(number * count // wanted for number in range(wanted + 1))
    everything = Project(concat, parts[0].names, tuple(concat.column(name) for name in parts[0].names))
    return Compact(everything, tuple(stop - start for start, stop in bounds))


def _partitions(concat: Concat) -> int | None:
    """Return in how many partitions rows are enough; None if these are few enough as they are.

    What is read from files a few times stays as it is: there, partitions may be skipped, and only what is asked for is
    read.

    Whoever is asked for the same rows must answer the same, so nothing that is counted later matters.
    """
    bases = {base.rows.token: base for part in concat.frames for base in part.frame.bases[:1]}
    most_times = MOST_TIMES * max(base.npartitions for base in bases.values())
    if all(isinstance(base, Scan | Rows | Literal) for base in bases.values()) and concat.npartitions <= most_times:
        return None
    most = rows_at_most(concat)
    if most is not None and most <= SMALL_ROWS:
        return FEW
    if concat.rows.is_fixed:
        return max(FEW, -(-sum(concat.rows.lengths or ()) * ITEMSIZE // partition_size()))
    return max(FEW, min(sum(base.npartitions for base in bases.values()), most_times))


def rows_at_most(frame: Frame) -> int | None:
    """Return a number that the rows of a frame do not exceed, None if the plan tells none.

    Each frame on the way keeps it, for loops ask again at each of their steps.
    """
    asked: list[Frame] = []
    most: int | None = None
    node: Frame | None = frame
    while node is not None and _AT_MOST not in node.__dict__:
        asked.append(node)
        if node.rows.is_fixed:
            most = node.rows.size
            break
        if isinstance(node, Concat):
            most = _sum_at_most(node)
            break
        node = node.limiting
    else:
        most = None if node is None else node.__dict__[_AT_MOST]
    for item in asked:
        item.__dict__[_AT_MOST] = most
    return most


def _sum_at_most(concat: Concat) -> int | None:
    found = [rows_at_most(part.frame) for part in concat.frames]
    known = [rows for rows in found if rows is not None]
    return sum(known) if len(known) == len(found) else None


@lower.register
def _(frame: Compact) -> Expr:
    calls = tuple((tuple((0, number) for number in range(*run)), ()) for run in frame.runs)
    return Tasks(frame._name, concat_tables, calls, frame.frame)
