"""Python's operators and NumPy's ufuncs on DataFrames, column by column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

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
from akdask.frames.base import FrameBase
from akdask.frames.columnset import ColumnSet
from akdask.frames.missing import of_columns
from akdask.frames.series import Series
from akdask.frames.series_base import BY_OPERATOR, COMPARISONS, SeriesBase, filled, where_present

Operation = Callable[[Any, Any], Any]


class ArithmeticMethods(NDArrayOperatorsMixin, FrameBase):
    """Arithmetic and comparison with scalars, other DataFrames, and values by the names of the columns.

    Two frames meet on all labels and all names of both.  Comparisons by operators need the same on both sides.
    """

    __array_priority__ = 3000
    __hash__ = None  # type: ignore[assignment]  # comparison gives a DataFrame, as in pandas

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of each column; in-place operators pass ``out=``."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or ufunc.nout > 1 or ufunc is np.matmul:
            return NotImplemented
        if out is None:
            return self._each_column(BY_OPERATOR.get(ufunc, ufunc), inputs)
        (target,) = out
        if not isinstance(target, ArithmeticMethods):
            return NotImplemented
        # In place a frame keeps its rows and columns.
        inputs = tuple(item if item is target else _on_rows_and_names(target, item) for item in inputs)
        target._become(target._each_column(BY_OPERATOR.get(ufunc, ufunc), inputs)._columns.only(target.columns))
        return target

    def add(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the columns plus a scalar, other columns, or values by the names of the columns; lazy.

        Parameters
        ----------
        other : scalar, array, DataFrame, Series or mapping
            One value, another frame, or a value for each column by its name, such as ``df.mean()``.  With ``axis=0``, a
            value for each row; a Series is aligned by labels.
        axis : {1, 0, "columns", "index"}
            Whether an array or a Series has a value for each column, or for each row.
        fill_value : scalar, optional
            Replaces a value that one side lacks, of two frames or of a frame and a Series of its rows.  If both lack
            it, the result is missing.

        Returns
        -------
        DataFrame
            With all labels and all names of both sides, in order where they differ, as pandas has it; missing where one
            side lacks them.

        Raises
        ------
        AlignmentError
            If an array does not share rows with the frame.
        ArgumentTypeError
            If a column is not of a type that can be computed with, such as text.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3.0, 5.0]})
        >>> (df - df.mean()).to_pandas()
             x    y
        0 -0.5 -1.0
        1  0.5  1.0
        >>> df.add(ak.array([10, 20]), axis=0).to_pandas()["x"].tolist()
        [11, 22]
        """
        return self._with_other(operator.add, other, axis, fill_value)

    def sub(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Subtract a scalar, array, DataFrame or Series from the columns; lazy.  See `add`."""
        return self._with_other(operator.sub, other, axis, fill_value)

    def mul(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the columns times something; lazy.  See `add`."""
        return self._with_other(operator.mul, other, axis, fill_value)

    def div(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the columns divided by something, as float64; lazy.  See `add`."""
        return self._with_other(operator.truediv, other, axis, fill_value)

    truediv = div

    def floordiv(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the columns divided by something, rounded down; lazy.  See `add`."""
        return self._with_other(operator.floordiv, other, axis, fill_value)

    def mod(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the remainders of a division of the columns; lazy.  See `add`."""
        return self._with_other(operator.mod, other, axis, fill_value)

    def pow(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> Self:
        """Return the columns raised to something; lazy.  See `add`."""
        return self._with_other(operator.pow, other, axis, fill_value)

    def eq(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are equal to something; lazy.  See `add`."""
        return self._with_other(operator.eq, other, axis)

    def ne(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are not equal to something; lazy.  See `add`."""
        return self._with_other(operator.ne, other, axis)

    def lt(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are less than something; lazy.  See `add`."""
        return self._with_other(operator.lt, other, axis)

    def le(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are not more than something; lazy.  See `add`."""
        return self._with_other(operator.le, other, axis)

    def gt(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are more than something; lazy.  See `add`."""
        return self._with_other(operator.gt, other, axis)

    def ge(self, other: Any, axis: int | str = 1) -> Self:
        """Return which values are not less than something; lazy.  See `add`."""
        return self._with_other(operator.ge, other, axis)

    def __abs__(self) -> Self:
        return self._each_column(abs, (self,))

    def _with_other(self, operation: Operation, other: Any, axis: int | str, fill_value: Any = None) -> Self:
        other = as_labelled(other)
        if axis_number(axis) == 0 and isinstance(other, SeriesBase):
            values, labels = dict.fromkeys(self._columns.values, other.values), other._row_labels
            return self._on_all(operation, _side(self), _Side(labels, values), fill_value)
        if axis_number(axis) == 0 and not isinstance(other, FrameBase | Mapping):
            other = dict.fromkeys(self._columns.values, unlabelled(other))
        if isinstance(other, FrameBase):
            return self._on_all(operation, _side(self), _side(other), fill_value)
        return self._each_column(operation, (self, other), is_strict=False)

    def _each_column(self, function: Callable[..., Any], inputs: tuple[Any, ...], *, is_strict: bool = True) -> Self:
        """Return a function of each column; `is_strict` comparisons need equal labels and names, as operators do."""
        inputs = tuple(map(as_labelled, inputs))
        frames = [item for item in inputs if isinstance(item, FrameBase)]
        is_comparison = is_strict and function in COMPARISONS
        if len(inputs) == len(frames) == 2:
            one, other = frames
            if not is_comparison:
                return self._on_all(function, _side(one), _side(other), None)
            if list(one.columns) != list(other.columns):
                raise _not_alike([list(one.columns), list(other.columns)])
            same = check_same(one._row_labels, other._row_labels)
            found = {
                name: of_columns(function, array, other._columns.array(name)) for name, array in _arrays(one).items()
            }
            return self._of(one._columns.beside({name: _checked(array, same) for name, array in found.items()}))
        columns = self._columns
        by_name = [_by_name(item, list(columns.values)) for item in inputs]
        names = list(columns.values)
        for found in by_name:
            if is_comparison and list(found) != names:
                raise _not_alike([names, list(found)])
            names = _all_names(names, list(found))
        return self._of(columns.beside({name: self._of_name(function, by_name, name) for name in names}))

    def _of_name(self, function: Callable[..., Any], by_name: Sequence[Mapping[str, Any]], name: str) -> Any:
        """Return a function of the columns of a name, missing unless all sides have that name."""
        if all(name in found for found in by_name):
            return of_columns(function, *(found[name] for found in by_name))
        return _of_nothing(function, self._columns.frame)

    def combine_first(self, other: Any) -> Self:
        """Fill missing values from another DataFrame, on all labels and names of both; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> one = ak.DataFrame({"x": [1.0, None]}, index=["a", "b"])
        >>> one.combine_first(ak.DataFrame({"x": [20.0, 30.0]}, index=["b", "c"])).to_pandas()["x"].to_dict()
        {'a': 1.0, 'b': 20.0, 'c': 30.0}
        """
        given = as_labelled(other)
        if not isinstance(given, FrameBase):
            raise ArgumentTypeError(f"combine_first takes a DataFrame, not {type(other).__name__}.")
        own, its = self._columns, given._columns
        names = list(dict.fromkeys([*own.values, *its.values]))
        lefts, rights = ({name: side.array(name) for name in side.values} for side in (own, its))
        joined = on_all_labels(self._row_labels, [*lefts.values()], given._row_labels, [*rights.values()])
        mine = dict(zip(lefts, joined.ones, strict=True))
        theirs = dict(zip(rights, joined.others, strict=True))
        made: dict[str, Any] = {
            name: where_present(mine[name], theirs[name])
            if name in mine and name in theirs
            else mine.get(name, theirs.get(name))
            for name in names
        }
        levels = joined.labels.levels
        return self._of(ColumnSet.of(made, levels[0] if levels else None, own.index_name))

    def _on_all(self, function: Callable[..., Any], one: _Side, other: _Side, fill_value: Any) -> Self:
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
            return self._of(self._columns.beside(made))
        index = joined.labels.levels
        return self._of(ColumnSet.of(made, index[0] if index else None, self._columns.index_name))


LOGICAL = frozenset({operator.and_, operator.or_, operator.xor})

HERE = "\0here"
"""The column that tells which rows the left side has."""


@dataclass(frozen=True, slots=True)
class _Side:
    """One side of an operator: columns, or one array for all of them, and the labels of its rows."""

    labels: RowLabels
    arrays: Mapping[str, Array]


def _side(frame: FrameBase) -> _Side:
    return _Side(frame._row_labels, _arrays(frame))


def _arrays(frame: FrameBase) -> dict[str, Array]:
    return {name: frame._columns.array(name) for name in frame.columns}


def _on_rows_and_names(target: FrameBase, item: Any) -> Any:
    """Return another DataFrame on the rows and columns of a target; everything else as it is."""
    item = as_labelled(item)
    if not isinstance(item, FrameBase):
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
    if isinstance(item, FrameBase):
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
