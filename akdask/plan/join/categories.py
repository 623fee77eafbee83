"""Category tables: the labels that codes stand for, in one partition, broadcast to every task."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from akdask.cluster import check_memory
from akdask.columns import Table, concat_rows
from akdask.deferred import pa, pc
from akdask.errors import FileFormatError, NonUniqueError
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Call, ColumnRef, Replica, Value
from akdask.plan.join.membership import BuildIndex
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.task.tables import Tasks
from akdask.schema import BOOL, INT64, STR, RowSpace
from akdask.typing import Column

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

    `labels` is a one-partition frame with one column, the labels.  `na` is the NA label, which is appended if it is not
    among them, or a one-partition frame with one column, its codes.
    """

    labels: Frame
    na: Frame | str

    # Without an annotation, which would make it an operand.
    is_ordered = False
    """Whether the order of the labels is one of what they stand for, as pandas' ordered categories are."""

    is_arranged = False
    """Whether sorts go by the order of the labels, as they do of all categories in pandas, and not by their text."""

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.labels.rows if isinstance(self.na, Frame) else RowSpace(self._name, 1)

    def in_order(self, is_ordered: bool = True) -> CategoryTable:
        """Return the table of the same labels, which are ordered or not."""
        if self.is_ordered == is_ordered:
            return self
        return (OrderedTable if is_ordered else ArrangedTable)(self.labels, self.na)

    def arranged(self) -> CategoryTable:
        """Return the table of the same labels, by whose order sorts go."""
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
        """Which label is the NA label."""
        return ColumnRef(self._name, IS_NA, BOOL)

    @property
    def all_labels(self) -> Replica:
        """All labels, broadcast to a task."""
        return Replica(self, LABEL, STR)

    def code_of(self, strings: Value) -> Call:
        """Return the codes of strings, -1 for those that are no label."""
        return BuildIndex.of(self, [self.label]).find([strings])

    @property
    def na_code(self) -> Replica:
        """The code of the NA label."""
        return Replica(Aggregate(self, (AggregateExpr("argmax", self.is_na),)), 0, INT64)


class ArrangedTable(CategoryTable):
    """The categories of a Categorical that are sorted by, but not compared."""

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
    # Those of every partition, what they are joined to, and what marks them, are in memory at the same time.
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
