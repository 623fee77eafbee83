"""Concatenated rows in a bounded number of partitions, however often concatenations are concatenated again.

A concatenation has the partitions of all its parts.  Without this bound, loops that append selections of their own
rows would double the partitions at each step, and every partition would be read through all steps.
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
from akdask.plan.expr.rounds import each_after_its_inputs
from akdask.plan.expr.rowwise import Filter, Project, Zip
from akdask.plan.expr.sources import Literal, Rows, Scan
from akdask.plan.task.batches import FEW, ITEMSIZE, SMALL_ROWS
from akdask.plan.task.combine import OverProject, concat_tables
from akdask.plan.task.concat import Concat
from akdask.plan.task.tables import Tasks
from akdask.schema import RowSpace

MOST_TIMES = 16
"""Largest number of partitions of concatenated rows, as a multiple of those of the largest base."""

_AT_MOST = "_rows_at_most"
_ORIGIN = "_partitions_of_origin"

MOST_PARTS = 64
"""Largest number of parts concatenated by one node; earlier parts are concatenated first."""


class Compact(OverProject):
    """The same rows in the same order, with adjacent partitions merged; `counts` has how many for each new one."""

    frame: Project
    counts: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("packed", [self.frame.rows], len(self.counts), self._joined, self.counts)

    def _joined(self, lengths: Sequence[int]) -> list[int]:
        return [sum(lengths[start:stop]) for start, stop in self.runs]

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The range of old partitions of each new one."""
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
    """Return the number of partitions to compact a concatenation to, None to leave it as it is.

    What is read from files a few times stays as it is: there, partitions may be pruned, and only needed columns are
    read. The answer depends on the plan alone and not on lengths counted later, as equal plans must have equal
    partitions.
    """
    bases = {base.rows.token: base for part in concat.frames for base in part.frame.bases[:1]}
    most_times = MOST_TIMES * max(each_after_its_inputs(base, _ORIGIN, _origin) for base in bases.values())
    if all(isinstance(base, Scan | Rows | Literal) for base in bases.values()) and concat.npartitions <= most_times:
        return None
    most = rows_at_most(concat)
    if most is not None and most <= SMALL_ROWS:
        return FEW
    if concat.rows.is_fixed:
        return max(FEW, -(-sum(concat.rows.lengths or ()) * ITEMSIZE // partition_size()))
    return max(FEW, min(sum(base.npartitions for base in bases.values()), most_times))


def _origin(frame: Frame, inputs: Sequence[int]) -> int:
    """Return the most partitions of what rows were concatenated of, kept or merged since or not.

    Else each step of a loop could take the partitions of the step before for those of its largest base.
    """
    is_seen_through = isinstance(frame, Concat | Compact | Project | Zip | Filter) or frame.is_materialized
    return max(inputs) if inputs and is_seen_through else frame.npartitions


def rows_at_most(frame: Frame) -> int | None:
    """Return an upper bound of the rows of a frame, None if the plan has none.

    Each frame on the way caches it, as loops ask again at each step.
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
