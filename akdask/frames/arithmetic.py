"""Python's operators and NumPy's ufuncs on DataFrames and Series, column by column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.engine.node import Frame
from akdask.engine.run import compute
from akdask.engine.values import Call, Constant, Value
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.frames.alignment import (
    OnAllLabels,
    RowLabels,
    as_labelled,
    check_same,
    columns_on_rows_of,
    on_all_labels,
    on_same_labels,
)
from akdask.frames.columnset import ColumnSet, axis_number
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.missing import of_columns, present, present_among
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.series import Series
from akdask.records import record

Operation = Callable[[Any, Any], Any]


BY_OPERATOR: dict[np.ufunc, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.invert: operator.invert,
    np.negative: operator.neg,
}
"""Ufuncs that are operators: text, Categoricals and times have their own meaning of these."""


COMPARISONS = frozenset({operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge})
"""Operators that need equal labels, as in pandas."""


LOGICAL = frozenset({operator.and_, operator.or_, operator.xor})


HERE = "\0here"
"""The column that tells which rows the left side has."""


def apply_ufunc(frame: DataFrame, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    out = kwargs.pop("out", None)
    if method != "__call__" or kwargs or ufunc.nout > 1 or ufunc is np.matmul:
        return NotImplemented
    if out is None:
        return each_column(frame, BY_OPERATOR.get(ufunc, ufunc), inputs)
    (target,) = out
    if not isinstance(target, DataFrame):
        return NotImplemented
    # In place a frame keeps its rows and columns.
    inputs = tuple(item if item is target else _on_rows_and_names(target, item) for item in inputs)
    target._become(each_column(target, BY_OPERATOR.get(ufunc, ufunc), inputs)._columns.only(target.columns))
    return target


def operate(frame: DataFrame, operation: Operation, other: Any, axis: int | str, fill_value: Any = None) -> DataFrame:
    other = as_labelled(other)
    if axis_number(axis) == 0 and isinstance(other, Series):
        values, labels = dict.fromkeys(frame._columns.values, other.values), other._row_labels
        return _on_all(frame, operation, _side(frame), _Side(labels, values), fill_value)
    if axis_number(axis) == 0 and not isinstance(other, DataFrame | Mapping):
        other = dict.fromkeys(frame._columns.values, unlabelled(other))
    if isinstance(other, DataFrame):
        return _on_all(frame, operation, _side(frame), _side(other), fill_value)
    return each_column(frame, operation, (frame, other), is_strict=False)


def each_column(
    frame: DataFrame, function: Callable[..., Any], inputs: tuple[Any, ...], *, is_strict: bool = True
) -> DataFrame:
    """Return a function of each column; `is_strict` comparisons need equal labels and names, as operators do."""
    inputs = tuple(map(as_labelled, inputs))
    frames = [item for item in inputs if isinstance(item, DataFrame)]
    is_comparison = is_strict and function in COMPARISONS
    if len(inputs) == len(frames) == 2:
        one, other = frames
        if not is_comparison:
            return _on_all(frame, function, _side(one), _side(other), None)
        if list(one.columns) != list(other.columns):
            raise _not_alike([list(one.columns), list(other.columns)])
        same = check_same(one._row_labels, other._row_labels)
        found = {name: of_columns(function, array, other._columns.array(name)) for name, array in _arrays(one).items()}
        return frame._of(one._columns.beside({name: _checked(array, same) for name, array in found.items()}))
    columns = frame._columns
    by_name = [_by_name(item, list(columns.values)) for item in inputs]
    names = list(columns.values)
    for found in by_name:
        if is_comparison and list(found) != names:
            raise _not_alike([names, list(found)])
        names = _all_names(names, list(found))
    return frame._of(columns.beside({name: _of_name(frame, function, by_name, name) for name in names}))


def _of_name(frame: DataFrame, function: Callable[..., Any], by_name: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return a function of the columns of a name, missing unless all sides have that name."""
    if all(name in found for found in by_name):
        return of_columns(function, *(found[name] for found in by_name))
    return _of_nothing(function, frame._columns.frame)


def combine_first(frame: DataFrame, other: Any) -> DataFrame:
    given = as_labelled(other)
    if not isinstance(given, DataFrame):
        raise ArgumentTypeError(f"combine_first takes a DataFrame, not {type(other).__name__}.")
    own, its = frame._columns, given._columns
    names = list(dict.fromkeys([*own.values, *its.values]))
    lefts, rights = ({name: side.array(name) for name in side.values} for side in (own, its))
    joined = on_all_labels(frame._row_labels, [*lefts.values()], given._row_labels, [*rights.values()])
    mine = dict(zip(lefts, joined.ones, strict=True))
    theirs = dict(zip(rights, joined.others, strict=True))
    made: dict[str, Any] = {
        name: where_present(mine[name], theirs[name])
        if name in mine and name in theirs
        else mine.get(name, theirs.get(name))
        for name in names
    }
    levels = joined.labels.levels
    return frame._of(ColumnSet.of(made, levels[0] if levels else None, own.index_name))


def _on_all(frame: DataFrame, function: Callable[..., Any], one: _Side, other: _Side, fill_value: Any) -> DataFrame:
    """Return a function of two sides, on all labels and all names of both."""
    names = _all_names(list(one.arrays), list(other.arrays))
    is_logical = function in LOGICAL
    lefts, rights = dict(one.arrays), dict(other.arrays)
    if is_logical:
        lefts[HERE] = pdarray(one.labels.frame, Constant(np.True_))
    fill = 0 if is_logical else None
    joined = on_all_labels(one.labels, [*lefts.values()], other.labels, [*rights.values()], fill)
    mine = dict(zip(lefts, joined.ones, strict=True))
    its = dict(zip(rights, joined.others, strict=True))
    made: dict[str, Any] = {}
    for name in names:
        sides = [mine.get(name), its.get(name)]
        if fill_value is not None:
            sides = _filled(sides, fill_value)
        if any(side is None for side in sides):
            made[name] = _of_nothing(function, joined.labels.frame)
        else:
            made[name] = of_columns(function, *sides)
            # As in pandas, rows without a left side are False, and a missing right side counts as False.
            made[name] = made[name] & mine[HERE] if is_logical else made[name]
    if joined.labels is one.labels:
        return frame._of(frame._columns.beside(made))
    index = joined.labels.levels
    return frame._of(ColumnSet.of(made, index[0] if index else None, frame._columns.index_name))


@record
class _Side:
    """One side of an operator: columns, or one array for all of them, and the labels of its rows."""

    labels: RowLabels
    arrays: Mapping[str, Array]


def _side(frame: DataFrame) -> _Side:
    return _Side(frame._row_labels, _arrays(frame))


def _arrays(frame: DataFrame) -> dict[str, Array]:
    return {name: frame._columns.array(name) for name in frame.columns}


def _on_rows_and_names(target: DataFrame, item: Any) -> Any:
    """Return another DataFrame on the rows and columns of a target; everything else as it is."""
    item = as_labelled(item)
    if not isinstance(item, DataFrame):
        return item
    columns, arrays = target._columns, _arrays(item)
    names = [name for name in arrays if name in columns.values]
    found = columns_on_rows_of(target._row_labels, item._row_labels, [arrays[name] for name in names])
    nothing = dict.fromkeys(columns.values, pdarray(columns.frame, Constant(np.float64(np.nan))))
    return target._of(columns.beside(nothing | dict(zip(names, found, strict=True))))


def _all_names(names: list[str], others: list[str]) -> list[str]:
    """Return the names of both sides, in order where these are not the same."""
    return names if names == others else sorted({*names, *others})


def _not_alike(names: list[list[str]]) -> AlignmentError:
    return AlignmentError(
        "only DataFrames with the same columns and the same labels in the same order are compared.",
        details=[f"columns: {', '.join(one)}" for one in names],
        hint="df.eq(other), df.lt(other) and so on compare what both have.",
    )


def _checked(found: Any, same: Value | None) -> Any:
    return found if same is None else pdarray(found._frame, Call("of_same_labels", found._value, same))


def _of_nothing(function: Callable[..., Any], frame: Frame) -> pdarray:
    """Return the result of a function if a side has no column: NaN, for comparisons False, for ``!=`` True."""
    if function in COMPARISONS:
        return pdarray(frame, Constant(np.bool_(function is operator.ne)))
    return pdarray(frame, Constant(np.float64(np.nan)))


def _filled(sides: Sequence[Any], fill_value: Any) -> list[Any]:
    """Return two columns, filled with a value where only one is missing; one of them may be None."""
    one, other = sides
    if one is not None and other is not None:
        return filled(sides, fill_value)
    present = other if one is None else one
    filling = where(Series(present).isna().values, np.nan, fill_value)
    return [filling if side is None else side for side in sides]


def _by_name(item: Any, names: list[str]) -> dict[str, Any]:
    """Return the operand for each column."""
    if isinstance(item, DataFrame):
        return dict(_arrays(item))
    if isinstance(item, Mapping):
        return dict(item)
    if isinstance(item, Series) and isinstance(item.index.values, Strings):
        by_label: dict[Any, Any] = item.to_pandas().to_dict()
        return by_label
    if isinstance(item, Series | Array | np.ndarray):
        raise ArgumentTypeError(
            f"an operator of DataFrames takes no {type(item).__name__} with a value for each row.",
            hint="write df.add(a, axis=0), df.mul(a, axis=0) and so on.",
        )
    return dict.fromkeys(names, item)


def apply_series_ufunc(ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
    if method == "reduce" and isinstance(inputs[0], Series):
        return inputs[0].values.__array_ufunc__(ufunc, method, inputs[0].values, **kwargs)
    out = kwargs.pop("out", None)
    if method != "__call__" or kwargs or any(_is_frame(item) for item in inputs):
        return NotImplemented
    result = _computed(BY_OPERATOR.get(ufunc, ufunc), inputs)
    if out is None:
        return result
    (target,) = out
    if not isinstance(target, Series):
        return NotImplemented
    target._labelled = result._labelled
    return target


def add_series(series: Series, b: Series) -> Series:
    if not isinstance(b, Series):
        raise ArgumentTypeError(f"add takes a Series, not {type(b).__name__}.", hint="s + 1 adds to every value.")
    from akdask.arrays.groupby import GroupBy
    from akdask.arrays.shapes import chained

    index = series.index.concat(b.index)
    keys, sums = GroupBy(index.values).sum(chained([series.values, b.values]))
    return series._of(sums, Index.factory(keys))


def combine_series(series: Series, other: Any) -> Series:
    given = _series_of("combine_first", other)
    joined = on_all_labels(series._row_labels, [series.values], given._row_labels, [given.values])
    values = where_present(joined.ones[0], joined.others[0])
    if isinstance(values, pdarray):
        values._made_of([series.values, given.values])
    found: Series = _on_joined(series, joined, values, given)
    found.name = series.name
    return found


def align_series(series: Series, other: Any, join: str) -> tuple[Any, Any]:
    given = _series_of("align", other)
    if join == "left":
        return series, _named(series._with(series._on_rows(given)), given.name)
    if join == "right":
        return _named(given._with(given._on_rows(series)), series.name), given
    if join != "outer":
        raise ArgumentError(f"align: join={join!r} is none of 'outer', 'left' and 'right'.")
    joined = on_all_labels(series._row_labels, [series.values], given._row_labels, [given.values])
    one, two = (_on_joined(series, joined, values, given) for values in (*joined.ones, *joined.others))
    return _named(one, series.name), _named(two, given.name)


def dot(series: Series, other: Any) -> Any:
    other = as_labelled(other)
    if not isinstance(other, Series):
        return (series * unlabelled(other)).sum()
    return (series.values * on_same_labels(series._row_labels, other._row_labels, other.values)).sum()


def operated(series: Series, operation: Operation, other: Any, fill_value: Any = None) -> Any:
    other = as_labelled(other)
    if not isinstance(other, Series):
        return operation(series if fill_value is None else series.fillna(fill_value), unlabelled(other))
    joined = on_all_labels(series._row_labels, [series.values], other._row_labels, [other.values])
    sides = [*joined.ones, *joined.others]
    sides = sides if fill_value is None else filled(sides, fill_value)
    return _on_joined(series, joined, of_columns(operation, *sides), other)


def _on_joined(series: Series, joined: OnAllLabels, found: Any, other: Series) -> Any:
    """Return a result of this Series and another one as a Series on the labels of both."""
    name = _common_name([series, other])
    if joined.labels.frame is series._labelled._columns.frame and series._row_labels.are_those_of(joined.labels):
        return _named(series._with(found), name)
    return series._of(found, series._named_index(joined.labels.arrays), name)


def _computed(function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
    inputs = tuple(map(as_labelled, inputs))
    series = [item for item in inputs if isinstance(item, Series)]
    given = [one._row_labels for one in series]
    name = _common_name(series)
    if function in COMPARISONS and len(series) > 1:
        are_same = [check_same(given[0], other) for other in given[1:]]
        found = of_columns(function, *map(unlabelled, inputs))
        for same in filter(None, are_same):
            found = pdarray(found._frame, Call("of_same_labels", found._value, same))
        return _named(series[0]._with(found), name)
    labels, values = given[0], [series[0].values]
    for one, own in zip(series[1:], given[1:], strict=True):
        joined = on_all_labels(labels, values, own, [one.values], series[0]._rules.absent_operand)
        labels, values = joined.labels, [*joined.ones, *joined.others]
    remaining = iter(values)
    sides = [next(remaining) if isinstance(item, Series) else unlabelled(item) for item in inputs]
    found = of_columns(function, *sides)
    for one, own in zip(series, given, strict=True):
        if labels is own:
            return _named(one._with(found), name)
    return series[0]._of(found, series[0]._named_index(labels.levels), name)


def where_present(one: Any, other: Any) -> Any:
    """Return a column with values of another one where it is missing."""
    return where(pdarray(one._frame, present_among(one, one._value)), one, other)


def filled(sides: Sequence[Any], fill_value: Any) -> list[Any]:
    """Return two columns, filled with a value where only one is missing."""
    one, other = sides
    lacks = [pdarray(side._frame, Call("logical_not", present_among(side, side._value))) for side in sides]
    return [where(lacks[0] & ~lacks[1], fill_value, one), where(lacks[1] & ~lacks[0], fill_value, other)]


def _is_frame(item: Any) -> bool:
    """Whether an item is a DataFrame, which handles operations with a Series itself."""
    return isinstance(item, RowLabelled) and not isinstance(item, Series)


def _common_name(series: list[Series]) -> Any:
    """Return the name that all have, None where they differ, as in pandas."""
    names = [one.name for one in series]
    return names[0] if all(name == names[0] for name in names) else None


def _series_of(operation: str, other: Any) -> Any:
    """Return the other side, a Series of pandas as one of akdask."""
    found = as_labelled(other)
    if not isinstance(found, Series):
        raise ArgumentTypeError(f"{operation} takes a Series, not {type(other).__name__}.")
    return found


def _named(series: Any, name: Any) -> Any:
    series.name = name
    return series


def equals(frame: DataFrame, other: Any) -> bool:
    if not isinstance(other, DataFrame) or list(other.columns) != list(frame.columns):
        return False
    if frame.dtypes != other.dtypes or len(frame) != len(other):
        return False
    mine, its = frame._columns, other._columns
    pairs = [(mine.array(name), its.array(name)) for name in mine.values]
    pairs += [(mine.index_array(), its.index_array())] if mine.index is not None or its.index is not None else []
    same = [_are_equal(one, another) for one, another in pairs]
    return all(bool(one) for one in compute(*same))


def _are_equal(one: Array, other: Array) -> Any:
    """Return whether all elements are equal, or missing on both sides; lazy."""
    both = ColumnSet.of({"one": one, "other": other})
    lacks = [Call("logical_not", present(both, name)) for name in both.values]
    is_equal: Any = one == other
    return (is_equal | pdarray(both.frame, Call("logical_and", *lacks))).all()
