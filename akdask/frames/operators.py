"""Python's operators and NumPy's ufuncs on DataFrames, column by column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.column_names import axis_number
from akdask.arrays.operators import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.engine.node import Frame
from akdask.engine.values import Call, Constant, Value
from akdask.errors import AlignmentError, ArgumentTypeError
from akdask.frames.alignment import RowLabels, as_labelled, check_same, columns_on_rows_of, on_all_labels
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.missing import of_columns
from akdask.frames.series import Series
from akdask.frames.series_base import BY_OPERATOR, COMPARISONS, SeriesBase, filled, where_present

Operation = Callable[[Any, Any], Any]


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
    if axis_number(axis) == 0 and isinstance(other, SeriesBase):
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


LOGICAL = frozenset({operator.and_, operator.or_, operator.xor})

HERE = "\0here"
"""The column that tells which rows the left side has."""


@dataclass(frozen=True, slots=True)
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
    if isinstance(item, SeriesBase) and isinstance(item.index.values, Strings):
        by_label: dict[Any, Any] = item.to_pandas().to_dict()
        return by_label
    if isinstance(item, SeriesBase | Array | np.ndarray):
        raise ArgumentTypeError(
            f"an operator of DataFrames takes no {type(item).__name__} with a value for each row.",
            hint="write df.add(a, axis=0), df.mul(a, axis=0) and so on.",
        )
    return dict.fromkeys(names, item)
