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

    Each frame on the way caches it, as loops ask again at each step.  Without nested calls, for long chains.
    """
    stack = [frame]
    while stack:
        node = stack[-1]
        inputs = _bounding(node)
        unknown = [item for item in inputs if _AT_MOST not in item.__dict__]
        if unknown and _AT_MOST not in node.__dict__:
            stack += unknown
            continue
        stack.pop()
        if _AT_MOST not in node.__dict__:
            known = [item.__dict__[_AT_MOST] for item in inputs]
            node.__dict__[_AT_MOST] = _bound(node, known)
    found: int | None = frame.__dict__[_AT_MOST]
    return found


def _bounding(node: Frame) -> list[Frame]:
    """Return the frames that bound the rows of one of unknown number: together if it is a concatenation."""
    if node.rows.is_fixed:
        return []
    if isinstance(node, Concat):
        return [part.frame for part in node.frames]
    return [] if node.limiting is None else [node.limiting]


def _bound(node: Frame, known: Sequence[int | None]) -> int | None:
    if node.rows.is_fixed:
        return node.rows.size
    rows = [count for count in known if count is not None]
    return sum(rows) if rows and len(rows) == len(known) else None


@lower.register
def _(frame: Compact) -> Expr:
    calls = tuple((tuple((0, number) for number in range(*run)), ()) for run in frame.runs)
    return Tasks(frame._name, concat_tables, calls, frame.frame)
