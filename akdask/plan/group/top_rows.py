"""The first rows of each group in the order of some columns."""

from __future__ import annotations

from functools import cached_property

from akdask.kernels.group.arrange import TopRows
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.lengths import rows_decided_by
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import ColumnRef, Value, describe
from akdask.plan.group.aggregate import GroupIdentity
from akdask.plan.group.merge import merge_by_range, table_bytes
from akdask.plan.group.partial import group_partitions
from akdask.schema import INT64, RowSpace


class TopRowsOfGroups(Frame):
    """Positions of the first `count` rows of each group in the order of the columns `by`, group by group; and these.

    Equal rows are ordered by their `positions`.  `identity` is that of the groups.
    """

    no_more_rows = True

    frame: Frame
    keys: tuple[Value, ...]
    identity: GroupIdentity
    by: tuple[Value, ...]
    ascending: tuple[bool, ...]
    positions: Value
    count: int

    @cached_property
    def planned_rows(self) -> RowSpace:
        rows = self.identity.rows("first of groups", self.frame, self.keys, self.ascending, self.count)
        deciding = (*self.identity.keys, *(column_identity(self.frame, value) for value in self.by))
        return rows_decided_by("first of groups by", deciding, rows.npartitions, rows.token)

    @property
    def position(self) -> ColumnRef:
        """The positions."""
        return ColumnRef(self._name, 0, INT64)

    @cached_property
    def known(self) -> dict[Value, ColumnRef]:
        """The columns of the rows that need not be taken from `frame`: by what they are there."""
        decide = enumerate((*self.keys, *self.by), 1)
        return {self.positions: self.position} | {
            value: ColumnRef(self._name, number, value.dtype) for number, value in decide
        }

    def describe(self) -> str:
        by = zip(self.by, self.ascending, strict=True)
        order = ", ".join(f"{describe(value)}{'' if upwards else ' descending'}" for value, upwards in by)
        return f"First {self.count} of groups by {', '.join(map(describe, self.keys))} in order of {order}"


@lower.register
def _(frame: TopRowsOfGroups) -> Expr:
    top = TopRows(len(frame.keys), frame.ascending, frame.count)
    values = (*frame.keys, *frame.by, frame.positions)
    partials = group_partitions(frame.frame, values, top, frame.describe())
    return merge_by_range(frame._name, partials, frame.npartitions, top, nbytes=table_bytes(frame.frame, values))
