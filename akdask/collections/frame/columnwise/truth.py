"""Whether values of a DataFrame hold: any or all, of each column, of each row, or of all of it."""

from __future__ import annotations

from functools import reduce

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.column_names import axis_number
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.series.series import Series, by_column, series_of
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr
from akdask.plan.run.run import run
from akdask.schema import BOOL


class TruthMethods(FrameBase):
    """Reductions of the columns of bool; others are left out, as in Arkouda."""

    def any(self, axis: int | str | None = 0) -> Series | bool:
        """Return whether any value of the columns of bool holds; lazy for rows, else it computes.

        Parameters
        ----------
        axis : {0, 1, "index", "columns", None}
            Of each column, of each row, or of all of them.

        Returns
        -------
        Series or bool
            By the names of the columns; by the labels of the rows; or one.  False where there is nothing.

        Raises
        ------
        ArgumentError
            If there is no such axis.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"a": [True, False], "b": [False, False], "x": [1, 2]})
        >>> df.any().to_dict(), df.any(axis=1).tolist(), df.any(axis=None)
        ({'a': True, 'b': False}, [True, False], True)
        """
        return self._holding("any", axis)

    def all(self, axis: int | str | None = 0) -> Series | bool:
        """Return whether all values of the columns of bool hold, True where there is nothing; see `any`."""
        return self._holding("all", axis)

    def _holding(self, name: str, axis: int | str | None) -> Series | bool:
        columns = self._columns
        bools = {column: value for column, value in columns.values.items() if value.dtype == BOOL}
        if axis is not None and axis_number(axis) == 1:
            operation = {"any": "logical_or", "all": "logical_and"}[name]
            nothing: Value = Constant(np.bool_(name == "all"))
            holding = reduce(lambda one, other: Call(operation, one, other), bools.values(), nothing)
            return series_of(columns, pdarray(columns.frame, holding))
        found = []
        if bools:
            (found,) = run(Aggregate(columns.frame, tuple(AggregateExpr(name, value) for value in bools.values())))
        if axis is None:
            return bool(any(found) if name == "any" else all(found))
        return by_column(found, bools, np.bool_)
