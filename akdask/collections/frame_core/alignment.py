"""Rows of one Series or DataFrame brought to those of another by their labels, as a lazy join.

Rows with the same labels by their plan stay as they are.  Elsewhere the rows of the target keep their order, and each
takes the one row of the other side that has its label.  The page ``labels.md`` of the documentation has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array, of_rows
from akdask.collections.core.base import Labelled
from akdask.collections.core.later import later
from akdask.collections.frame_core.analysis.kinds import is_number, missing_where
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.groups.keys import Keys, comparable_keys
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.deferred import DeferredModule, is_pandas
from akdask.errors import AlignmentError, UnsupportedError
from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.missing_integers import recombined, separated
from akdask.plan.expr.missing_text import call
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Partitions, Slice
from akdask.plan.expr.sources import Rows
from akdask.plan.expr.values import Call, ColumnRef, Constant, Replica, Value, cast
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.reduce.row_numbers import RowNumbers, row_numbers
from akdask.plan.run.alignment import align
from akdask.plan.task.combine import Gather, Limit, Realign, Reverse
from akdask.plan.task.materialized import Materialized, within_rounds
from akdask.schema import BOOL, UINT64

if TYPE_CHECKING:
    from akdask.plan.join import join
    from akdask.plan.sort import sort, top_k
else:
    join = DeferredModule("akdask.plan.join.join")
    sort = DeferredModule("akdask.plan.sort.sort")
    top_k = DeferredModule("akdask.plan.sort.top_k")


@dataclass(frozen=True, slots=True)
class RowLabels:
    """The labels of the rows of a Series or DataFrame.

    Parameters
    ----------
    frame : Frame
        The rows.
    levels : tuple of Array
        Labels that were given; none where rows are labelled by their numbers.
    """

    frame: Frame
    levels: tuple[Array, ...] = ()

    @classmethod
    def of(cls, columns: ColumnSet) -> RowLabels:
        """Return the labels of the rows of columns."""
        return cls(columns.frame, () if columns.index is None else (columns.index_array(),))

    @property
    def arrays(self) -> tuple[Array, ...]:
        """The levels, the numbers of rows where there are no other labels."""
        return self.levels or (pdarray(*row_numbers(self.frame)),)

    def are_those_of(self, other: RowLabels) -> bool:
        """Whether the plans tell that both have the same labels in the same order."""
        if not self.levels and not other.levels:
            own, its = self.frame.rows, other.frame.rows
            return own.same_rows(its) or (own.size is not None and own.size == its.size)
        if len(self.arrays) != len(other.arrays):
            return False
        return all(map(_are_one_column, self.arrays, other.arrays))


class RowLabelled:
    """Base of what has labelled rows: `Series` and `DataFrame`."""

    @property
    def _row_labels(self) -> RowLabels:
        raise NotImplementedError


def as_labelled(item: Any) -> Any:
    """Return a Series or DataFrame of pandas as one of akdask, and everything else as it is."""
    if is_pandas(item, "Series"):
        return later("Series", item)
    return later("DataFrame", item) if is_pandas(item, "DataFrame") else item


def on_rows_of(target: RowLabels, item: Any) -> Any:
    """Return what a user gives for the rows of a target as arrays on these rows; lazy.

    Parameters
    ----------
    target : RowLabels
        The rows.
    item : Series, array or scalar
        A Series goes by its labels, and has missing values for labels that it lacks.  Everything else goes by position,
        and stays as it is.

    Raises
    ------
    NonUniqueError
        When it is computed, if a Series has a label twice, and has not the labels of the target in their order.
    """
    item = as_labelled(item)
    if not isinstance(item, RowLabelled):
        return item.values if isinstance(item, Labelled) else item
    (array,) = columns_on_rows_of(target, item._row_labels, [_values_of(item)])
    return array


def columns_on_rows_of(target: RowLabels, labels: RowLabels, arrays: Sequence[Array]) -> list[Array]:
    """Return columns that have labels on the rows of a target, with missing values for labels that they lack; lazy."""
    if target.are_those_of(labels):
        return list(arrays)
    matched = _Matched.of(target, labels, arrays)
    return [matched.with_missing(number) for number in range(len(arrays))]


def mask_on_rows_of(target: RowLabels, item: Any) -> Any:
    """Return a mask, or positions, by which a user chooses from the rows of a target; lazy.

    Raises
    ------
    MaskLabelsError
        When it is computed, if a Series of bool lacks a label of the target.
    """
    item = as_labelled(item)
    if not isinstance(item, RowLabelled):
        return item.values if isinstance(item, Labelled) else item
    values = _values_of(item)
    labels = item._row_labels
    if not isinstance(values, pdarray) or values._value.dtype != BOOL or target.are_those_of(labels):
        return values
    matched = _Matched.of(target, labels, [values])
    if matched.lacks is None:
        return matched.array(0)
    return pdarray(matched.frame, Call("of_labelled", matched.values[0], Call("logical_not", matched.lacks)))


def _values_of(item: Any) -> Array:
    return of_rows(item.values)


@dataclass(frozen=True, slots=True)
class _Matched:
    """Columns on the rows of a target, by their labels.

    Parameters
    ----------
    frame : Frame
        The rows of the target.
    kinds : sequence of Array
        Arrays like the columns.
    values : sequence of Value
        The columns, with anything for labels that they lack.
    lacks : Value, optional
        Which rows have a label that the columns lack; None where the plan tells that they lack none.
    """

    frame: Frame
    kinds: Sequence[Array]
    values: Sequence[Value]
    lacks: Value | None

    @classmethod
    def of(cls, target: RowLabels, labels: RowLabels, arrays: Sequence[Array]) -> _Matched:
        pair = comparable(target, labels)
        if pair is None:
            nothing = [_nothing_like(array) for array in arrays]
            return cls(target.frame, arrays, nothing, Constant(np.bool_(True)))
        mine, theirs = pair
        known, sought = _origin_of(labels), _origin_of(target)
        if known is None:
            mine, theirs = _told_apart(mine, theirs)
        wanted = separated([array._value for array in arrays])
        owners = [array._frame for array in arrays for _ in separated([array._value])]
        others = [*((theirs.frame, key) for key in theirs.values), *zip(owners, wanted, strict=True)]
        frame, found = within_rounds(*align("align", others))
        count = len(theirs.values)
        right = Keys(frame, tuple(found[:count])).side(found[count:])
        joined = join.match_once(mine.side(), right)
        values = recombined([array._value for array in arrays], joined.right)
        is_covered = known is not None and sought is not None and known.has_all_of(sought)
        return cls(joined.frame, arrays, values, None if is_covered else joined.lacks)

    def array(self, number: int) -> Array:
        """Return one of the columns as it is."""
        return self.kinds[number]._like(self.frame, self.values[number])

    def with_missing(self, number: int) -> Array:
        """Return one of the columns with missing values for labels that it lacks."""
        kind, value = self.kinds[number], self.values[number]
        if self.lacks is None:
            return self.array(number)
        if value.dtype.kind == "str" and isinstance(value, Call) and value.operation == "lookup_found":
            return kind._like(self.frame, Call("lookup_found", *value.args, missing_text=True))
        return kind._like(self.frame, missing_where(kind, value, self.lacks))


def comparable(target: RowLabels, labels: RowLabels) -> tuple[Keys, Keys] | None:
    """Return the labels of both as keys of a join; None if they are of kinds of which none equals one of the other."""
    pairs = list(zip(target.arrays, labels.arrays, strict=False))
    if len(target.arrays) != len(labels.arrays) or any(_family(one) != _family(other) for one, other in pairs):
        return None
    return comparable_keys("align", list(target.arrays), list(labels.arrays))


def _family(array: Array) -> str:
    """Return what labels have in common that may be equal: numbers, text, bool, or times of one kind."""
    if isinstance(array, Strings | Categorical):
        return "text"
    if is_number(array):
        return "bool" if array._value.dtype == BOOL else "number"
    return array._type_name()


def _nothing_like(array: Array) -> Value:
    """Return one value of the type of an array, to be called missing."""
    dtype = array._value.dtype
    if dtype.kind == "str":
        return Constant("")
    if isinstance(array, Categorical):
        return array._category_table.na_code
    if dtype.kind in ("list", "bigint"):
        raise UnsupportedError(
            f"a column of {array._type_name()} has nothing for missing elements.", hint="leave the column out."
        )
    return Constant(dtype.numpy.type(0))


def _are_one_column(one: Array, other: Array) -> bool:
    """Whether two arrays are the same column of the same rows."""
    if type(one) is not type(other):
        return False
    tables = [array._category_table for array in (one, other) if isinstance(array, Categorical)]
    if tables and tables[0] is not tables[1]:
        return False
    if one._frame is other._frame and one._value == other._value:
        return True
    return column_identity(one._frame, one._value) == column_identity(other._frame, other._value)


# equal labels


def same_labels(one: Keys, other: Keys) -> Value:
    """Return whether keys are equal, row by row, as one value that is computed with the plan.

    Their hashes of 128 bits are compared, each with that of the number of its row, summed up over all rows.
    """
    pairs = zip(_digest(one), _digest(other), strict=True)
    high, low = (Call("equal", mine, its) for mine, its in pairs)
    return Call("logical_and", high, low)


def _digest(keys: Keys) -> list[Value]:
    """Return both halves of a hash of all rows, which depends on their order."""
    frame, (number, *values) = align("number", [row_numbers(keys.frame), *((keys.frame, key) for key in keys.values)])
    frame, found = within_rounds(frame, [*values, number])
    *keyed, number = found
    hashes = [call(_hash_of(key), key, part=part) for key in keyed for part in (0, 1)]
    rows = [Call("number_hash", *hashes, cast(number, UINT64), part=part) for part in (0, 1)]
    summed = Aggregate(frame, tuple(AggregateExpr("sum", row) for row in rows))
    return [Replica(summed, position, UINT64) for position in range(len(rows))]


def _hash_of(key: Value) -> str:
    return "text_hash" if key.dtype.kind == "str" else "number_hash"


def _told_apart(one: Keys, other: Keys) -> tuple[Keys, Keys]:
    """Return keys with the number of each row beside them where all of both are equal, and 0 where they are not.

    So rows of the same labels pair with each other, one by one, also where labels come twice.
    """
    same = same_labels(one, other)
    return _with_number(one, same), _with_number(other, same)


def _with_number(keys: Keys, same: Value) -> Keys:
    frame, (number, *values) = align("number", [row_numbers(keys.frame), *((keys.frame, key) for key in keys.values)])
    return Keys(frame, (*values, Call("where", same, number, Constant(np.int64(0)))))


def checked_same(target: RowLabels, labels: RowLabels, found: pdarray) -> pdarray:
    """Return what a comparison has found, row by row, which is an error unless the labels are equal.

    Raises
    ------
    AlignmentError
        If the labels are known to differ; when it is computed, if they do.
    """
    if target.are_those_of(labels):
        return found
    pair = comparable(target, labels)
    if pair is None:
        raise AlignmentError(
            "only Series with the same labels in the same order are compared.",
            hint="compare arrays: s.values < other.values.",
        )
    return pdarray(found._frame, Call("of_same_labels", found._value, same_labels(*pair)))


# what plans tell of labels


@dataclass(frozen=True, slots=True)
class _Origin:
    """The default labels that labels are chosen from, each at most once.

    Parameters
    ----------
    rows : hashable
        Names the rows that have these labels by default: their number, or if it is unknown the frame.
    is_all : bool
        Whether none has been left out.
    """

    rows: int | str
    is_all: bool

    def has_all_of(self, other: _Origin) -> bool:
        """Whether each label of another is among these."""
        if not self.is_all:
            return False
        if isinstance(self.rows, int) and isinstance(other.rows, int):
            return other.rows <= self.rows
        return self.rows == other.rows


def _origin_of(labels: RowLabels) -> _Origin | None:
    """Return which default labels some labels are chosen from, as far as the plan tells."""
    if not labels.levels:
        return _origin_of_numbers(*row_numbers(labels.frame))
    (level, *more) = labels.levels
    return None if more or type(level) is not pdarray else _origin_of_numbers(level._frame, level._value)


def _origin_of_numbers(frame: Frame, value: Value) -> _Origin | None:
    is_all = True
    while isinstance(value, ColumnRef):
        while isinstance(frame, Filter | Slice | Partitions):
            frame, is_all = frame.frame, False
        base = next((base for base in frame.bases if base._name == value.source), None)
        if isinstance(frame, MatchRows) or base is None:
            return None
        if isinstance(base, Rows) and value == base.position:
            return _Origin(sum(base.lengths), is_all)
        if isinstance(base, RowNumbers) and value == base.position:
            return _Origin(base.frame._name, is_all)
        if isinstance(base, Limit) or type(base) is top_k.TopK:
            is_all = False
        elif not isinstance(base, Realign | Reverse | Gather | Materialized) and type(base) is not sort.Sort:
            return None
        project = base.operands[0]
        frame, value = project.frame, project.values[project.names.index(value.name)]
    return None
