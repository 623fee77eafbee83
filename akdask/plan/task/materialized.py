"""Columns computed once and kept in memory for several readers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from akdask import machine
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rounds import rounds_of, rounds_on
from akdask.plan.expr.rowwise import Project, Zip
from akdask.plan.expr.values import Value
from akdask.plan.task.combine import OverProject
from akdask.plan.task.compact import rows_at_most
from akdask.schema import RowSpace

MOST_ROUNDS = 8
"""Rounds over rows that are read again for each of them."""

MOST_ROUNDS_OF_MANY = 64
"""The same for rows that may not fit in memory: to read them again is faster than to spill them."""

SHARE = 16
"""The divisor of this machine's memory that bounds a column to be kept."""

TEXT_BYTES = 32
"""Assumed bytes of a value that is not a number."""


class Materialized(OverProject):
    """A projection whose results stay in memory, for several passes."""

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows


def within_rounds(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return values on the rows of a frame, materialized if to compute them would take too many rounds.

    Each round over a column needs a result of the round before (`akdask.plan.expr.rounds`), and repeats the work of all
    earlier rounds, so that work would grow with the square of the rounds.  A few rounds are cheaper than the memory:
    rows are streamed, whatever their size, as in ``(a - a.mean()) / a.std()``.  After `MOST_ROUNDS` the column is kept,
    and rounds are counted anew, so that no step runs more often than that.  Rows that may be too many to be kept, or
    whose number is unknown, are streamed for longer.

    Columns are kept one by one: unused ones are never computed, and equal columns have equal names whatever else is
    kept beside them.
    """
    rounds = rounds_on(rounds_of(frame).own, values)
    if rounds < MOST_ROUNDS or (rounds < MOST_ROUNDS_OF_MANY and not _fit(frame, values)):
        return frame, values
    materialized = [Materialized(Project(frame, (0,), (value,))) for value in values]
    bases = tuple({item._name: item for item in materialized}.values())
    return bases[0] if len(bases) == 1 else Zip(bases), [item.column(0) for item in materialized]


def _fit(frame: Frame, values: Sequence[Value]) -> bool:
    """Whether each column can be kept.  Depends on this machine alone, as clusters come and go but names must not."""
    rows = rows_at_most(frame)
    width = max(value.dtype.itemsize if value.dtype.is_number else TEXT_BYTES for value in values)
    return rows is not None and rows * width <= machine.memory() // SHARE


@lower.register
def _(frame: Materialized) -> Expr:
    return lower(frame.frame)
