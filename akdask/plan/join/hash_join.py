"""Hash joins of two large sides: rows of both go to buckets by the hash of their keys, matches back to their partition.

No process holds a whole side.  Rows have the order that a broadcast join gives them: matches go to the partition that
their left row came from, and are sorted by its position there; all matches of a left row are in one bucket, in order of
the right rows.

A key that is heavy on the left side, with more rows than a bucket should have, is not confined to one bucket: its rows
go to the buckets of their partitions, and the right rows of that key to all buckets.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lengths import ColumnIdentity, rows_decided_by
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import MatchRows, Project
from akdask.plan.expr.values import ColumnRef, describe
from akdask.plan.join.hash_buckets import (
    FOUND,
    KEEPING_ROWS,
    JoinBucket,
    Kind,
    all_heavy_keys,
    heavy_keys,
    split_left,
    split_right,
)
from akdask.plan.shuffle.exchange import buffer_bytes, exchange
from akdask.plan.sort.runs import SortPartition
from akdask.plan.task.tables import Tasks, Union
from akdask.schema import BOOL, ColumnType, RowSpace


class HashJoin(Frame):
    """The columns `names` of pairs of rows whose columns `left_by` and `right_by` are equal.

    `kind` says whether rows of `left` without a match are kept; `FOUND` tells which these are.  `match` is the identity
    of the pairs: columns matched alike share rows.
    """

    left: Project
    left_by: tuple[Hashable, ...]
    right: Project
    right_by: tuple[Hashable, ...]
    names: tuple[Hashable, ...]
    kind: Kind
    buckets: int
    match: ColumnIdentity

    @cached_property
    def planned_rows(self) -> RowSpace:
        """The same rows as those of a `MatchRows`."""
        if self.kind in KEEPING_ROWS:
            return self.left.rows
        return rows_decided_by(MatchRows.__name__.lower(), [self.match], self.npartitions)

    @cached_property
    def npartitions(self) -> int:
        return self.left.npartitions

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.dtype_of(name))

    def dtype_of(self, name: Hashable) -> ColumnType:
        """Return the type of a column."""
        if name == FOUND:
            return BOOL
        return (self.left if name in self.left.names else self.right).column(name).dtype

    def describe(self) -> str:
        keys = [
            ", ".join(describe(side.values[side.names.index(name)]) for name in by)
            for side, by in ((self.left, self.left_by), (self.right, self.right_by))
        ]
        return f"Join ({self.kind}) by hash of {keys[0]} and of {keys[1]}"


@lower.register
def _(frame: HashJoin) -> Expr:
    left, right, count = frame.left, frame.right, frame.buckets
    lefts, rights = range(left.npartitions), range(right.npartitions)
    memory_budget = buffer_bytes(len(lefts) + len(rights))
    samples = tuple((((0, number),), (frame.left_by, count)) for number in lefts)
    heavy = Tasks(f"heavy {frame._name}", heavy_keys, samples, left)
    everything = tuple((0, number) for number in lefts)
    all_heavy = Tasks(f"all heavy {frame._name}", all_heavy_keys, ((everything, ()),), heavy)
    calls = tuple((((0, number), (1, number)), (number, frame.left_by, count, memory_budget)) for number in lefts)
    others = tuple((((0, number), (1, 0)), (frame.right_by, count, memory_budget)) for number in rights)
    shares = Union(
        Tasks(f"split left {frame._name}", split_left, calls, left, heavy),
        Tasks(f"split right {frame._name}", split_right, others, right, all_heavy),
    )
    types = tuple((name, right.column(name).dtype) for name in right.names)
    pair = JoinBucket(
        frame.left_by, frame.right_by, types, frame.names, frame.kind, left.npartitions, buffer_bytes(count)
    )
    pairs = exchange(shares, count, pair)
    return exchange(pairs, left.npartitions, SortPartition(frame.names, tuple(map(frame.dtype_of, frame.names))))
