"""Python's operators and NumPy's ufuncs on DataFrames, column by column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.collections.core.array import Array
from akdask.collections.core.base import unlabelled
from akdask.collections.core.column_names import axis_number
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.series.base import SeriesBase
from akdask.collections.series.operators import BY_OPERATOR
from akdask.collections.text.strings import Strings
from akdask.deferred import is_pandas
from akdask.errors import ArgumentTypeError, SchemaError

Operation = Callable[[Any, Any], Any]


class ArithmeticMethods(NDArrayOperatorsMixin, FrameBase):
    """Arithmetic and comparison with scalars, DataFrames on the same rows, and values by the names of the columns."""

    __array_priority__ = 3000
    __hash__ = None  # type: ignore[assignment]  # comparison gives a DataFrame, as in pandas

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of each column; ``out=`` is what in-place operators pass."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or ufunc.nout > 1 or ufunc is np.matmul:
            return NotImplemented
        found = self._each_column(BY_OPERATOR.get(ufunc, ufunc), inputs)
        if out is None:
            return found
        (target,) = out
        if not isinstance(target, FrameBase):
            return NotImplemented
        target._become(found._columns)
        return target

    def add(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns plus a scalar, other columns, or values by the names of the columns; lazy.

        Parameters
        ----------
        other : scalar, array, DataFrame, Series or mapping
            One value; another frame on the same rows, with the same columns; or a value for each column by its name,
            such as ``df.mean()``.  With ``axis=0``, a value for each row.
        axis : {1, 0, "columns", "index"}
            Whether an array or a Series has a value for each column, or for each row.

        Raises
        ------
        SchemaError
            If other columns, or values by name, are not those of this frame.
        AlignmentError
            If it does not share rows with the frame.
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
        return self._with_other(operator.add, other, axis)

    def sub(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns less something; lazy.  See `add`."""
        return self._with_other(operator.sub, other, axis)

    def mul(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns times something; lazy.  See `add`."""
        return self._with_other(operator.mul, other, axis)

    def div(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns divided by something, as float64; lazy.  See `add`."""
        return self._with_other(operator.truediv, other, axis)

    truediv = div

    def floordiv(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns divided by something, rounded down; lazy.  See `add`."""
        return self._with_other(operator.floordiv, other, axis)

    def mod(self, other: Any, axis: int | str = 1) -> Self:
        """Return what remains of the columns divided by something; lazy.  See `add`."""
        return self._with_other(operator.mod, other, axis)

    def pow(self, other: Any, axis: int | str = 1) -> Self:
        """Return the columns raised to something; lazy.  See `add`."""
        return self._with_other(operator.pow, other, axis)

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

    def _with_other(self, operation: Operation, other: Any, axis: int | str) -> Self:
        if axis_number(axis) == 0 and not isinstance(other, FrameBase | Mapping):
            other = dict.fromkeys(self._columns.values, unlabelled(other))
        return self._each_column(operation, (self, other))

    def _each_column(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Self:
        columns = self._columns
        by_name = [_by_name(item, list(columns.values)) for item in inputs]
        return self._of(columns.beside({name: function(*(item[name] for item in by_name)) for name in columns.values}))


def _by_name(item: Any, names: list[str]) -> dict[str, Any]:
    """Return what stands for each column in an operation."""
    if isinstance(item, FrameBase):
        found: dict[Any, Any] = {name: item._columns.array(name) for name in item.columns}
    elif isinstance(item, Mapping):
        found = dict(item)
    elif is_pandas(item, "Series"):
        found = item.to_dict()
    elif isinstance(item, SeriesBase) and isinstance(item.index.values, Strings):
        found = item.to_pandas().to_dict()
    elif isinstance(item, SeriesBase | Array | np.ndarray):
        raise ArgumentTypeError(
            f"an operator of DataFrames takes no {type(item).__name__} with a value for each row.",
            hint="write df.add(a, axis=0), df.mul(a, axis=0) and so on.",
        )
    else:
        return dict.fromkeys(names, item)
    if set(found) != set(names):
        raise SchemaError(
            "an operator of DataFrames needs the same columns on both sides.",
            details=[f"columns: {names}", f"other: {list(found)}"],
            hint="choose the same ones first: df[['x', 'y']].",
        )
    return found
