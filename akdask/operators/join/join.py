"""Joins: pairs of rows of two frames with the same keys, and the tables of categories.

This module chooses the strategy. The other side is broadcast to every task, or, if it is too large, both sides are
exchanged by hash. Both strategies give the same pairs, order and row space.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.cluster import check_memory
from akdask.columns.dtypes import BOOL, INT64, STR
from akdask.columns.rows import concat_rows
from akdask.columns.table import Table
from akdask.deferred import pa, pc
from akdask.engine.alignment import Aligned, align_by_plan
from akdask.engine.exchange import partition_count
from akdask.engine.node import ColumnIdentity, Frame, RowSpace, lower
from akdask.engine.rowwise import MatchRows, Project, Tasks, column_identity
from akdask.engine.tokens import token
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value
from akdask.errors import FileFormatError, NonUniqueError
from akdask.operators.join.hash_join import FOUND, HashJoin, Kind
from akdask.operators.join.membership import BuildIndex, BuildKeySet
from akdask.operators.reduce.aggregate import Aggregate, AggregateExpr
from akdask.operators.rows.numbers import row_numbers
from akdask.operators.rows.take import broadcast_columns, fits_broadcast
from akdask.typing import Column

_NO_PAIRS = ColumnIdentity("no pairs")
"""The identity of pairs if rows stay unchanged, marked or with their only match."""


@dataclass(frozen=True, slots=True)
class JoinSide:
    """Rows of a frame, their join keys, and the wanted columns."""

    frame: Frame
    keys: Sequence[Value]
    columns: Sequence[Value] = ()

    @property
    def fits_broadcast(self) -> bool:
        """Whether the side is small enough to broadcast."""
        return fits_broadcast(self.frame, [*self.keys, *self.columns])

    def numbered(self) -> JoinSide:
        """Return the side with the number of each row as another column."""
        given = [*self.keys, *self.columns]
        frame, values = align_by_plan("number", [*((self.frame, value) for value in given), row_numbers(self.frame)])
        return JoinSide(frame, values[: len(self.keys)], values[len(self.keys) :])


@dataclass(frozen=True, slots=True)
class JoinedColumns:
    """Columns of both sides on the rows of a join; `lacks` marks rows without a match."""

    frame: Frame
    left: Sequence[Value]
    right: Sequence[Value]
    lacks: Value


def join_rows(left: JoinSide, right: JoinSide, *, keep_all: bool) -> JoinedColumns:
    """Return the rows of one side, each repeated for every row of the other with the same keys.

    Rows keep their order. The matches of one row are in the order of the other side.

    Parameters
    ----------
    left, right : JoinSide
        Keys of both have the same types.
    keep_all : bool
        Keep rows without a match once, with NaN, 0, False or an empty string in the columns of the other side.
    """
    match = _matched(left, right, keep_all)
    if not right.fits_broadcast:
        return _exchanged(left, right, keep_all, match.match)
    look_up = "lookup_found" if match.keep_all else "lookup"
    found = [Call(look_up, column, match.row) for column in broadcast_columns(right.frame, right.columns)]
    return JoinedColumns(match, left.columns, found, Call("less", match.row, Constant(0)))


def join_row_numbers(left: JoinSide, right: JoinSide) -> tuple[JoinedColumns, Value]:
    """Return the rows of one side that have matches, and the row numbers of the matches on the other side."""
    if right.fits_broadcast:
        return join_rows(left, right, keep_all=False), _matched(left, right, False).row
    paired = join_rows(left, right.numbered(), keep_all=False)
    return paired, paired.right[-1]


def match_once(left: JoinSide, right: JoinSide) -> JoinedColumns:
    """Return the rows of one side unchanged, each with the only row of the other side that has the same keys.

    Rows without a match have NaN, 0, False or an empty string in the columns of the other side.

    Raises
    ------
    NonUniqueError
        When it is computed, if two rows of `right` have the same keys.
    """
    if right.fits_broadcast:
        row = BuildIndex.of(right.frame, right.keys, "only rows").find(left.keys)
        found = [Call("lookup_found", column, row) for column in broadcast_columns(right.frame, right.columns)]
        return JoinedColumns(left.frame, left.columns, found, Call("less", row, Constant(0)))
    theirs = _names("right", right)
    names = (*dict.fromkeys(theirs[value] for value in right.columns), FOUND)
    joined = _hash_join(JoinSide(left.frame, left.keys), right, "once", names, _NO_PAIRS)
    columns = [joined.column(theirs[value]) for value in right.columns]
    return JoinedColumns(joined, (), columns, Call("logical_not", joined.column(FOUND)))


def has_match(left: JoinSide, right: JoinSide) -> Aligned:
    """Return the mask of rows of one side whose keys occur on the other."""
    if right.fits_broadcast:
        return left.frame, BuildKeySet.of(right.frame, right.keys).has(left.keys)
    joined = _hash_join(JoinSide(left.frame, left.keys), JoinSide(right.frame, right.keys), "mark", (FOUND,), _NO_PAIRS)
    return joined, joined.column(FOUND)


def _matched(left: JoinSide, right: JoinSide, keep_all: bool) -> MatchRows:
    index = BuildIndex.of(right.frame, right.keys, "all rows")
    names = tuple(column_identity(left.frame, key) for key in left.keys)
    match = ColumnIdentity(token("match", names, index, keep_all))
    return MatchRows(left.frame, index.find(left.keys), index.multiplicity, keep_all, match)


def _exchanged(left: JoinSide, right: JoinSide, keep_all: bool, match: ColumnIdentity) -> JoinedColumns:
    mine, theirs = _names("left", left), _names("right", right)
    wanted = dict.fromkeys([*(mine[value] for value in left.columns), *(theirs[value] for value in right.columns)])
    names = (*wanted, FOUND) if keep_all else tuple(wanted)
    joined = _hash_join(left, right, "left" if keep_all else "inner", names, match)
    return JoinedColumns(
        joined,
        [joined.column(mine[value]) for value in left.columns],
        [joined.column(theirs[value]) for value in right.columns],
        Call("logical_not", joined.column(FOUND)) if keep_all else Constant(False),
    )


def _hash_join(
    left: JoinSide, right: JoinSide, kind: Kind, names: tuple[Hashable, ...], match: ColumnIdentity
) -> HashJoin:
    mine, theirs = _names("left", left), _names("right", right)
    return HashJoin(
        Project(left.frame, tuple(mine.values()), tuple(mine)),
        tuple(mine[key] for key in left.keys),
        Project(right.frame, tuple(theirs.values()), tuple(theirs)),
        tuple(theirs[key] for key in right.keys),
        names,
        kind,
        max(partition_count(left.frame), partition_count(right.frame)),
        match,
    )


def _names(side: str, rows: JoinSide) -> dict[Value, Hashable]:
    """Name all needed values of a side, each once."""
    return {value: (side, number) for number, value in enumerate(dict.fromkeys([*rows.keys, *rows.columns]))}


LABEL = "label"
IS_NA = "is_na"
CODE = "code"

_COPIES = 3


class Distinct(Frame):
    """The distinct values of one column in ascending order, in one partition."""

    aggregate: Aggregate

    @classmethod
    def of(cls, frame: Frame, value: Value) -> Distinct:
        """Return the distinct values of a column."""
        return cls(Aggregate(frame, (AggregateExpr("distinct", value),)))

    @cached_property
    def planned_rows(self) -> RowSpace:
        return RowSpace(self._name, 1)

    @property
    def values(self) -> ColumnRef:
        """The column."""
        return ColumnRef(self._name, 0, self.operands[0].reductions[0].dtype)


class UniqueLabels(Frame):
    """Labels in one partition; computing them raises if one occurs twice."""

    labels: Frame

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.labels.rows


class CategoryTable(Frame):
    """The categories of a Categorical, in one partition: a column of labels, and one that marks the NA label.

    `labels` is a one-partition frame with one column, the labels. `na` is the NA label, which is appended if the labels
    lack it, or a one-partition frame with one column, its codes.
    """

    labels: Frame
    na: Frame | str

    # Without an annotation, which would make it an operand.
    is_ordered = False
    """Whether the order of the labels has a meaning, as in pandas' ordered categories."""

    is_arranged = False
    """Whether sorts use the order of the labels, as pandas does for all categories, and not their text."""

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.labels.rows if isinstance(self.na, Frame) else RowSpace(self._name, 1)

    def in_order(self, is_ordered: bool = True) -> CategoryTable:
        """Return the table of the same labels, ordered or not."""
        if self.is_ordered == is_ordered:
            return self
        return (OrderedTable if is_ordered else ArrangedTable)(self.labels, self.na)

    def arranged(self) -> CategoryTable:
        """Return the table of the same labels, whose order sorts use."""
        return self if self.is_arranged else ArrangedTable(self.labels, self.na)

    @property
    def codes(self) -> ColumnRef:
        """The codes of the labels: their numbers."""
        return ColumnRef(self._name, CODE, INT64)

    @property
    def label(self) -> ColumnRef:
        """The labels."""
        return ColumnRef(self._name, LABEL, STR)

    @property
    def is_na(self) -> ColumnRef:
        """The mask of the NA label."""
        return ColumnRef(self._name, IS_NA, BOOL)

    @property
    def all_labels(self) -> Replica:
        """All labels, broadcast to a task."""
        return Replica(self, LABEL, STR)

    def code_of(self, strings: Value) -> Call:
        """Return the codes of strings, -1 for strings that are no label."""
        return BuildIndex.of(self, [self.label]).find([strings])

    @property
    def na_code(self) -> Replica:
        """The code of the NA label."""
        return Replica(Aggregate(self, (AggregateExpr("argmax", self.is_na),)), 0, INT64)


class ArrangedTable(CategoryTable):
    """The categories of a Categorical whose order sorts use, but comparisons do not."""

    labels: Frame
    na: Frame | str

    is_arranged = True


class OrderedTable(CategoryTable):
    """The categories of a Categorical whose order means something: lo < mid < hi."""

    labels: Frame
    na: Frame | str

    is_ordered = True
    is_arranged = True


@lower.register
def _(frame: Distinct) -> Expr:
    return Tasks(frame._name, _as_table, ((((0, 0),), ()),), frame.aggregate)


@lower.register
def _(frame: UniqueLabels) -> Expr:
    return Tasks(frame._name, _checked, ((((0, 0),), ()),), frame.labels)


@lower.register
def _(frame: CategoryTable) -> Expr:
    replicated = [frame.labels, *([frame.na] if isinstance(frame.na, Frame) else [])]
    # The pairs of every partition, their keys, and their marks are in memory at the same time.
    nbytes = sum((part.rows.size or 0) * STR.itemsize for part in replicated) * _COPIES
    check_memory(nbytes, "the categories of a Categorical take", "write it with fewer categories")
    if isinstance(frame.na, Frame):
        return Tasks(frame._name, _marked, ((((0, 0), (1, 0)), ()),), frame.labels, frame.na)
    return Tasks(frame._name, _completed, ((((0, 0),), (frame.na,)),), frame.labels)


def _as_table(results: Sequence[list[Column]]) -> Table:
    ((column,),) = results
    return Table({0: column}, len(column))


def _checked(tables: Sequence[Table]) -> Table:
    labels = _only_column(tables[0])
    counts = pc.value_counts(labels)
    again = counts.filter(pc.greater(counts.field("counts"), 1))
    if len(again):
        raise NonUniqueError(
            f"the category {again[0]['values'].as_py()!r:.100} is there more than once.",
            details=[f"categories: {len(labels)}, of which {len(counts)} differ"],
            hint="pass each category once.",
        )
    return tables[0]


def _marked(tables: Sequence[Table]) -> Table:
    labels, codes = map(_only_column, tables)
    is_na = np.zeros(len(labels), np.bool_)
    inside = (codes >= 0) & (codes < len(labels))
    if not inside.all():
        raise FileFormatError(
            f"the NA code {int(codes[~inside][0])} names none of the categories.",
            details=[f"categories: {len(labels)}"],
            hint="the Categorical is damaged; write it again.",
        )
    is_na[codes] = True
    return Table({LABEL: labels, IS_NA: is_na, CODE: np.arange(len(labels))}, len(labels))


def _completed(tables: Sequence[Table], na: str) -> Table:
    labels = _only_column(tables[0])
    found = pc.index(labels, pa.scalar(na, pa.large_string())).as_py()
    if found < 0:
        found = len(labels)
        labels = concat_rows([labels, pa.array([na], pa.large_string())])
    is_na = np.zeros(len(labels), np.bool_)
    is_na[found] = True
    return Table({LABEL: labels, IS_NA: is_na, CODE: np.arange(len(labels))}, len(labels))


def _only_column(table: Table) -> Any:
    (column,) = table.columns.values()
    return column
