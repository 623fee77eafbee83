"""Alignment by labels: brings the rows of one Series or DataFrame to the rows of another, as a lazy join.

Rows with the same labels by their plan stay unchanged.  Otherwise the rows of the target keep their order, and each
takes the one row of the other side with its label.  The page ``labels.md`` of the documentation has the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask import config
from akdask.arrays.array import Array, Labelled, of_house, of_rows
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, UINT64
from akdask.columns.table import Table, concat_rows
from akdask.deferred import is_arrow, is_pandas, pa
from akdask.engine.alignment import Gather, Limit, Realign, Reverse, align, align_by_plan
from akdask.engine.cache import Materialized, within_rounds
from akdask.engine.missing import call
from akdask.engine.node import Frame
from akdask.engine.rowwise import SELECTIONS, Filter, Partitions, Selecting, Slice, column_identity, reselect
from akdask.engine.sources import Literal, Persisted, RowNumbers, Rows, row_numbers
from akdask.engine.values import Call, ColumnRef, Constant, Replica, Value, cast
from akdask.errors import AlignmentError, ArgumentTypeError, UnsupportedError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dtypes import is_number, missing_rows
from akdask.frames.row_labelled import RowLabelled
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.records import record
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.arrays.keys import Keys

MOST_SPARSE = 2**10
"""Default labels for each label in memory that is looked at as one of them."""


@record(eq=False)
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
        return all(map(_are_one_column, self.arrays, other.arrays)) or all(
            map(_are_equal_at_hand, self.arrays, other.arrays)
        )


def as_labelled(item: Any) -> Any:
    """Return a Series or DataFrame of pandas, or of its face, as one of akdask, and everything else as it is."""
    item = of_house(item)
    if is_pandas(item, "Series"):
        from akdask.frames.series import Series

        return Series(item)
    if is_pandas(item, "DataFrame"):
        from akdask.frames.dataframe import DataFrame

        return DataFrame(item)
    return item


def on_rows_of(target: RowLabels, item: Any) -> Any:
    """Align an argument to the rows of a target; lazy.

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
    matched = Matched.of(target, labels, arrays)
    return [matched.with_missing(number) for number in range(len(arrays))]


def mask_on_rows_of(target: RowLabels, item: Any) -> Any:
    """Return a Series of bool as a mask of the rows of a target, and everything else as it is; lazy.

    Raises
    ------
    MaskLabelsError
        When it is computed, if the Series lacks a label of the target.
    """
    if is_pandas(item, "Series") and item.dtype in ("bool", "boolean"):
        item = as_labelled(item.fillna(False).astype(bool))
    if not isinstance(item, Labelled) or not isinstance(item, RowLabelled):
        return item
    values, labels = _values_of(item), item._row_labels
    if not isinstance(values, pdarray) or values._value.dtype != BOOL:
        return item
    if target.are_those_of(labels):
        return values
    matched = Matched.of(target, labels, [values])
    if matched.lacks is None:
        return matched.array(0)
    return pdarray(matched.frame, Call("of_labelled", matched.values[0], matched.has_label))


def put_on_rows_of(target: RowLabels, own: Array, mask: Array, item: Any) -> Array:
    """Return a column of the rows of a target with values of a Series where a mask holds, by labels; lazy.

    Values are missing where the mask holds and the Series lacks the label.
    """
    labels, values = item._row_labels, _values_of(item)
    if target.are_those_of(labels):
        return where(mask, values, own)
    matched = Matched.of(target, labels, [values])
    put: Array = where(mask, matched.array(0), own)
    if matched.lacks is None:
        return put
    others = [(put._frame, put._value), (mask._frame, mask._value), (matched.frame, matched.lacks)]
    frame, (value, holds, lacks) = align("assign", others)
    return missing_rows(put, frame, value, Call("logical_and", holds, lacks))


def condition_on_rows_of(target: RowLabels, item: Any) -> Any:
    """Return a condition on the rows of a target, False for labels that a Series of bool lacks, as in pandas; lazy."""
    item = as_labelled(item)
    if not isinstance(item, RowLabelled):
        return item.values if isinstance(item, Labelled) else item
    (condition,) = conditions_on_rows_of(target, item._row_labels, [_values_of(item)])
    return condition


def conditions_on_rows_of(target: RowLabels, labels: RowLabels, arrays: Sequence[Array]) -> list[Array]:
    """Return columns of bool on the rows of a target, False for labels that they lack, and others as they are; lazy."""
    if target.are_those_of(labels) or any(array._value.dtype != BOOL for array in arrays):
        return list(arrays)
    # Rows without a match are False already.
    matched = Matched.of(target, labels, arrays)
    return [matched.array(number) for number in range(len(arrays))]


def _values_of(item: Any) -> Array:
    return of_rows(item.values)


@record
class Matched:
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
    def of(cls, target: RowLabels, labels: RowLabels, arrays: Sequence[Array]) -> Matched:
        """Join columns that have labels to the rows of a target; lazy."""
        from akdask.arrays.keys import Keys
        from akdask.operators.join.plan import match_once

        pair = comparable(target, labels)
        if pair is None or target.frame.rows.size == 0:
            nothing = [_nothing_like(array) for array in arrays]
            return cls(target.frame, arrays, nothing, Constant(np.bool_(True)))
        selected = _selected_like(target, labels, arrays)
        if selected is not None:
            return cls(selected, arrays, [array._value for array in arrays], None)
        mine, theirs = pair
        told = _told_of(target, labels, is_once=True)
        if not told.are_distinct:
            mine, theirs = _with_numbers(mine, theirs)
        others = [*((theirs.frame, key) for key in theirs.values), *((array._frame, array._value) for array in arrays)]
        frame, found = within_rounds(*align("align", others))
        count = len(theirs.values)
        joined = match_once(mine.side(), Keys(frame, tuple(found[:count])).side(found[count:]))
        return cls(joined.frame, arrays, joined.right, None if told.are_all_found else joined.lacks)

    def array(self, number: int) -> Array:
        """Return one of the columns as it is."""
        return self.kinds[number]._like(self.frame, self.values[number])

    @property
    def has_label(self) -> Value:
        """Which rows have a label that the columns have."""
        return Constant(np.bool_(True)) if self.lacks is None else Call("logical_not", self.lacks)

    def with_missing(self, number: int) -> Array:
        """Return one of the columns with missing values for labels that it lacks."""
        kind, value = self.kinds[number], self.values[number]
        if self.lacks is None:
            return self.array(number)
        if value.dtype.kind == "str" and isinstance(value, Call) and value.operation == "lookup_found":
            return kind._like(self.frame, Call("lookup_found", *value.args, missing_text=True))
        return missing_rows(kind, self.frame, value, self.lacks)


def _selected_like(target: RowLabels, labels: RowLabels, arrays: Sequence[Array]) -> Frame | None:
    """Return the rows of a target beside columns of the rows that these are selected from; None where they are not.

    Each label must stand for one row of the columns.
    """
    frame, selections = target.frame, list[Selecting]()
    while isinstance(frame, SELECTIONS):
        selections.append(frame)
        frame = frame.frame
        before = RowLabels(frame, tuple(level._like(frame, level._value) for level in target.levels))
        if not before.are_those_of(labels):
            continue
        if _origin_of(labels) is None:
            return None
        columns = [(array._frame, array._value) for array in arrays]
        frame, found = align_by_plan("align", [(frame, before.arrays[0]._value), *columns])
        is_beside = all(value == given for (_, given), value in zip(columns, found[1:], strict=True))
        return reduce(reselect, reversed(selections), frame) if is_beside else None
    return None


def comparable(target: RowLabels, labels: RowLabels) -> tuple[Keys, Keys] | None:
    """Return the labels of both as keys of a join; None if labels of their kinds are never equal."""
    from akdask.arrays.keys import comparable_keys

    pairs = list(zip(target.arrays, labels.arrays, strict=False))
    if len(target.arrays) != len(labels.arrays) or any(_family(one) != _family(other) for one, other in pairs):
        return None
    return comparable_keys("align", list(target.arrays), list(labels.arrays))


def _family(array: Array) -> str:
    """Return the kind of labels, since only labels of one kind may be equal: numbers, text, bool, or kinds of times."""
    from akdask.arrays.categorical import Categorical

    if isinstance(array, Strings | Categorical):
        return "text"
    if is_number(array):
        return "bool" if array._value.dtype == BOOL else "number"
    return array._type_name()


def _nothing_like(array: Array) -> Value:
    """Return one value of the type of an array, to be called missing."""
    from akdask.arrays.categorical import Categorical

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
    from akdask.arrays.categorical import Categorical

    if type(one) is not type(other):
        return False
    tables = [array._category_table for array in (one, other) if isinstance(array, Categorical)]
    if tables and tables[0] is not tables[1]:
        return False
    if one._frame is other._frame and one._value == other._value:
        return True
    return column_identity(one._frame, one._value) == column_identity(other._frame, other._value)


def on_same_labels(target: RowLabels, labels: RowLabels, array: Array) -> Array:
    """Return a column of numbers on the rows of a target, which must have the same labels in any order; lazy.

    Raises
    ------
    AlignmentError
        When it is computed, if one side lacks a label of the other.
    """
    if target.are_those_of(labels):
        return array
    there, back = Matched.of(target, labels, [array]), Matched.of(labels, target, [])
    if there.lacks is None and back.lacks is None:
        return there.array(0)
    lacking = [Aggregate(side.frame, (AggregateExpr("all", side.has_label),)) for side in (there, back)]
    are_same = Call("logical_and", *(Replica(one, 0, BOOL) for one in lacking))
    checked = Call("of_same_labels", there.has_label, are_same)
    return array._like(there.frame, Call("where", checked, there.values[0], there.values[0]))


def missing_like(frame: Frame, array: Array) -> Array:
    """Return missing values of the type of an array on the rows of a frame."""
    return missing_rows(array, frame, _nothing_like(array), Constant(np.bool_(True)))


# all labels of both sides

LABEL, ORDER, HERE = "\0label", "\0order", "\0here"
"""Begin the names of the columns of rows that are joined by their labels."""


@record
class OnAllLabels:
    """Columns of two sides on the rows of all labels that one of them has.

    Parameters
    ----------
    labels : RowLabels
        The labels.
    ones, others : list of Array
        The columns of each side.
    """

    labels: RowLabels
    ones: list[Array]
    others: list[Array]


def on_all_labels(
    one: RowLabels, ones: Sequence[Array], other: RowLabels, others: Sequence[Array], fill: Any = None
) -> OnAllLabels:
    """Return the columns of two sides on the labels of both; lazy.

    Rows with the same labels in the same order stay as they are.  Otherwise labels are in order, and repeated ones are
    paired with each other, as in pandas.

    Parameters
    ----------
    one : RowLabels
        The labels of one side.
    ones : sequence of Array
        Its columns.
    other : RowLabels
        The labels of the other side.
    others : sequence of Array
        Its columns.
    fill : scalar, optional
        Number for labels that one side lacks, missing unless given; values of other kinds are always missing.

    Raises
    ------
    ArgumentTypeError
        If labels of the two sides have no order in common, such as numbers and text.
    """
    if one.are_those_of(other):
        return OnAllLabels(one, list(ones), list(others))
    pair = comparable(one, other)
    if pair is None:
        kinds = ["/".join(array._type_name() for array in labels.arrays) for labels in (one, other)]
        raise ArgumentTypeError("labels of two kinds have no order in common.", details=kinds)
    there, back = _told_of(one, other), _told_of(other, one)
    are_told = there.are_distinct and back.are_distinct and not (one.levels and other.levels)
    if are_told and there.are_all_found and back.are_all_found:
        # All labels are default ones, each once, and one side has them in order.
        if one.levels:
            return OnAllLabels(other, columns_on_rows_of(other, one, ones), list(others))
        return OnAllLabels(one, list(ones), columns_on_rows_of(one, other, others))
    keys = pair if are_told else _with_numbers(*pair)
    sides = [
        _with_labels(labels, keys, columns, f"{HERE}{number}", is_told_apart=not are_told)
        for number, (labels, keys, columns) in enumerate(zip((one, other), keys, (ones, others), strict=True))
    ]
    from akdask.frames.join import outer_by_labels

    joined: ColumnSet = outer_by_labels(sides[0], keys[0], sides[1], keys[1])
    levels = [joined.array(name) for name in joined.values if name.startswith(LABEL)]
    return OnAllLabels(
        RowLabels(joined.frame, tuple(levels)),
        [_of_side(joined, f"{HERE}0", number, fill, is_all=back.are_all_found) for number in range(len(ones))],
        [_of_side(joined, f"{HERE}1", number, fill, is_all=there.are_all_found) for number in range(len(others))],
    )


def _of_side(joined: ColumnSet, here: str, number: int, fill: Any, *, is_all: bool) -> Array:
    """Return a column of one side, missing or filled where the side is not there."""
    array, is_here = joined.array(f"{here} {number}"), joined.values[here]
    if is_all:
        return array
    if fill is None or not is_number(array):
        return missing_rows(array, joined.frame, array._value, Call("logical_not", is_here))
    filling = Constant(array._value.dtype.numpy.type(fill))
    return array._like(joined.frame, Call("where", is_here, array._value, filling))


def _with_labels(
    labels: RowLabels, keys: Keys, columns: Sequence[Array], here: str, *, is_told_apart: bool
) -> ColumnSet:
    """Return columns, their labels, an order of rows ahead of these, and a flag that marks existing rows."""
    levels = {f"{LABEL}{number}": level for number, level in enumerate(labels.arrays)}
    order = {ORDER: pdarray(keys.frame, keys.values[-1])} if is_told_apart else {}
    named = {f"{here} {number}": array for number, array in enumerate(columns)}
    return ColumnSet.of({**levels, **order, **named, here: pdarray(keys.frame, Constant(np.bool_(True)))})


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


def _with_numbers(one: Keys, other: Keys) -> tuple[Keys, Keys]:
    """Return keys with the number of each row beside them where all of both are equal, and 0 where they are not.

    So rows of the same labels pair with each other, one by one, also where labels come twice.
    """
    same = same_labels(one, other)
    return _with_number(one, same), _with_number(other, same)


def _with_number(keys: Keys, same: Value) -> Keys:
    from akdask.arrays.keys import Keys

    frame, (number, *values) = align("number", [row_numbers(keys.frame), *((keys.frame, key) for key in keys.values)])
    return Keys(frame, (*values, Call("where", same, number, Constant(np.int64(0)))))


def check_same(one: RowLabels, other: RowLabels) -> Value | None:
    """Return whether two sides of a comparison have the same labels; None where the plan tells that they have.

    Raises
    ------
    AlignmentError
        If the plan tells that they have others.
    """
    if one.are_those_of(other):
        return None
    pair = comparable(one, other)
    sizes = {labels.frame.rows.size for labels in (one, other)} - {None}
    are_at_hand = all(_at_hand(array) is not None for array in (*one.arrays, *other.arrays))
    if pair is None or len(sizes) > 1 or are_at_hand:
        raise AlignmentError(
            "only Series with the same labels in the same order are compared.",
            hint="bring one to the labels of the other by reindex, or compare arrays: s.values < other.values.",
        )
    return same_labels(*pair)


# facts about labels from plans


@record
class _Told:
    """Facts from plans about labels, compared with the labels of a target.

    Parameters
    ----------
    are_distinct : bool
        Whether no label is repeated.
    are_all_found : bool
        Whether each label of the target is among them.
    """

    are_distinct: bool
    are_all_found: bool


def _told_of(target: RowLabels, labels: RowLabels, *, is_once: bool = False) -> _Told:
    """Read facts about labels and the labels of a target from their plans.

    Raises
    ------
    NonUniqueError
        If `is_once`, both sides are in memory and differ, and a label is repeated.
    """
    from akdask.operators.join.key_tables import check_distinct, index_keys

    known, sought = _origin_of(labels), _origin_of(target)
    if known is not None and sought is not None:
        return _Told(True, known.has_all_of(sought))
    columns, wanted = ([_at_hand(array) for array in side.arrays] for side in (labels, target))
    keys = [column for column in columns if column is not None]
    if len(keys) < len(columns):
        return _Told(known is not None, False)
    index = index_keys(keys)
    if is_once and all(column is not None for column in wanted):
        check_distinct(keys, index)
    others = [column for column in wanted if column is not None]
    are_alike = len(others) == len(wanted) and all(map(_are_alike, keys, others))
    return _Told(index.firsts is None, are_alike and bool((index.find(others) >= 0).all()))


def _are_alike(one: Column, other: Column) -> bool:
    return is_arrow(one, "Array") == is_arrow(other, "Array") and (is_arrow(one, "Array") or one.dtype == other.dtype)


def _at_hand(array: Array) -> Column | None:
    """Return labels that are in memory, None for labels that are still to be computed."""
    from akdask.arrays.categorical import Categorical

    base, value = _base_of(array._frame, array._value), array._value
    tables = _tables_of(base)
    if tables is None or isinstance(array, Categorical) or value.dtype == NULLABLE_STR:
        return None
    columns = [table.columns[value.name] for table in tables]  # type: ignore[attr-defined]
    return concat_rows(columns) if len(columns) > 1 else columns[0]


def _tables_of(base: Frame | None) -> Sequence[Table] | None:
    """Return the rows of a node if they are in memory: rows of literals, and of arrays that are persisted eagerly."""
    if isinstance(base, Literal):
        return base.tables
    if not isinstance(base, Persisted) or not config.get("eager"):
        return None
    # A cluster has futures of them.
    results = [base.graph.get(key) for key in base.keys]
    found = [table for table in results if isinstance(table, Table)]
    return found if len(found) == len(results) else None


def _base_of(frame: Frame, value: Value) -> Frame | None:
    """Return the node of which a value is an unchanged column; None for computed values and selected rows."""
    if not isinstance(value, ColumnRef) or isinstance(frame, SELECTIONS):
        return None
    return next((base for base in frame.bases if base._name == value.source), None)


def _are_equal_at_hand(one: Array, other: Array) -> bool:
    """Whether two columns of labels in memory are equal, or are the numbers of rows."""
    if type(one) is not type(other):
        return False
    columns = [_numbers_or_at_hand(array) for array in (one, other)]
    mine, its = columns
    if mine is None or its is None or not _are_alike(mine, its) or len(mine) != len(its):
        return False
    if is_arrow(mine, "Array"):
        return bool(pa.Array.equals(mine, its))
    return bool(np.array_equal(mine, its, equal_nan=mine.dtype.kind == "f"))


def _numbers_or_at_hand(array: Array) -> Column | None:
    base = _base_of(array._frame, array._value)
    return np.arange(sum(base.lengths)) if isinstance(base, Rows) else _at_hand(array)


@record
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
    from akdask.operators.sort.plan import Sort
    from akdask.operators.sort.top_k import TopK

    is_all = True
    while isinstance(value, ColumnRef):
        while isinstance(frame, Filter | Slice | Partitions):
            frame, is_all = frame.frame, False
        base = _base_of(frame, value)
        if base is None:
            return None
        if isinstance(base, Rows) and value == base.position:
            return _Origin(sum(base.lengths), is_all)
        if isinstance(base, RowNumbers) and value == base.position:
            return _Origin(base.frame._name, is_all)
        if (tables := _tables_of(base)) is not None:
            return _origin_at_hand(tables, value, is_all)
        if isinstance(base, Limit) or type(base) is TopK:
            is_all = False
        elif not isinstance(base, Realign | Reverse | Gather | Materialized) and type(base) is not Sort:
            return None
        project = base.operands[0]
        frame, value = project.frame, project.values[project.names.index(value.name)]
    return None


def _origin_at_hand(tables: Sequence[Table], value: ColumnRef, is_all: bool) -> _Origin | None:
    """Return the same of labels in memory that are numbers of rows, each at most once."""
    if value.dtype != INT64:
        return None
    labels = np.concatenate([table.columns[value.name] for table in tables])
    if not len(labels):
        return _Origin(0, is_all)
    low, high = int(labels.min()), int(labels.max())
    if low < 0 or high >= MOST_SPARSE * len(labels) or len(np.unique(labels)) < len(labels):
        return None
    return _Origin(high + 1, is_all and high + 1 == len(labels))
