"""Functions of columns by name or as callables: `DataFrame.agg`, `apply` and `map`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import dask
import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.ufuncs import isnan
from akdask.collections.core.array import Array
from akdask.collections.core.base import unlabelled
from akdask.collections.core.column_names import axis_number
from akdask.collections.core.later import later
from akdask.collections.frame_core.alignment import RowLabelled
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.missing import present
from akdask.collections.frame_core.to_pandas import with_exact_rows
from akdask.collections.groups.reduction_names import called, is_named
from akdask.collections.series.series import Series, by_column
from akdask.deferred import pd
from akdask.errors import ArgumentError
from akdask.plan.expr.values import Call

NUMBER_TYPES = ("int64", "uint64", "uint8", "float64", "bool")

REDUCTIONS = ("sum", "mean", "min", "max", "std", "var", "median", "prod", "count", "nunique", "any", "all")
"""Names that `agg` takes."""


class AggregationMethods(FrameBase):
    """Functions of whole columns, and of single values."""

    def agg(self, func: Any, axis: int | str = 0) -> Any:
        """Return reductions of the columns by their names; computes all at once.

        Parameters
        ----------
        func : str or callable, list of them, or mapping of str to such
            Reductions of all columns, or of each one that is named: ``"sum"``, ``"mean"``, ``"min"``, ``"max"``,
            ``"std"``, ``"var"``, ``"median"``, ``"prod"``, ``"count"``, ``"nunique"``, ``"any"``, ``"all"``.  A
            callable takes a column as a Series.
        axis : 0
            Columns are reduced; ``df.sum(axis=1)`` and its like reduce rows.

        Returns
        -------
        Series, or pandas.DataFrame where `func` is or has a list
            By the names of the columns; a row for each reduction.

        Raises
        ------
        ArgumentError
            If there is no such reduction, or no column to reduce.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3.0, 5.0]})
        >>> df.agg({"x": "sum", "y": "mean"}).to_dict()
        {'x': 3.0, 'y': 4.0}
        >>> df.agg(["min", "max"])
             x    y
        min  1  3.0
        max  2  5.0
        """
        if axis_number(axis) == 1:
            raise ArgumentError("agg reduces columns.", hint="df.sum(axis=1) and its like reduce rows.")
        wanted = dict(func) if isinstance(func, Mapping) else dict.fromkeys(self._columns.values, func)
        self._columns.only(wanted)
        is_table = any(_is_several(one) for one in wanted.values())
        calls = [(name, one) for name, given in wanted.items() for one in (given if _is_several(given) else [given])]
        if not calls:
            raise ArgumentError("agg needs columns, and what to reduce them by.")
        results = dask.compute(*(_reduced(later("column Series", self, name), one) for name, one in calls))
        if not is_table:
            return by_column(results, wanted)
        rows = list(dict.fromkeys(called(one) for _, one in calls))
        table = pd.DataFrame(index=rows, columns=list(wanted), dtype=object)
        for (name, one), result in zip(calls, results, strict=True):
            table.loc[called(one), name] = result
        return table.infer_objects()

    aggregate = agg

    def apply(self, func: Any, axis: int | str = 0, args: Sequence[Any] = (), **kwargs: Any) -> Any:
        """Return what a function makes of each column, or of each row.

        Parameters
        ----------
        func : callable or str
            Takes a column as a lazy Series, and returns a scalar or a Series or array on the same rows.  With
            ``axis=1`` it takes a row as a pandas Series, and returns a scalar.
        axis : {0, 1, "index", "columns"}
            0 gives it columns; 1 rows, one by one in this process, so that all of them must fit into its memory.
        args : sequence, optional
            Further arguments of the function, as `kwargs`.
        **kwargs
            Arguments of the function by name.

        Returns
        -------
        Series or DataFrame
            A DataFrame, which is lazy, of columns; otherwise a Series of scalars, which is computed.

        Raises
        ------
        ArgumentTypeError
            If the function returns something else.
        TransferError
            If the rows would take more memory than the setting ``max_transfer_bytes`` allows.

        Notes
        -----
        Where an expression of columns will do, such as ``df["x"] + df["y"]``, it is much faster than rows one by one.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 5]})
        >>> df.apply(lambda column: column.max() - column.min()).to_dict()
        {'x': 1, 'y': 2}
        >>> df.apply(lambda row: row["x"] + row["y"], axis=1).tolist()
        [4, 7]
        """
        if axis_number(axis) == 1:
            return self._applied_to_rows(func, args, kwargs)
        if is_named(func) and called(func) in REDUCTIONS:
            return self.agg(func)
        columns = self._columns
        found = {name: func(later("column Series", self, name), *args, **kwargs) for name in columns.values}
        if found and all(isinstance(unlabelled(one), Array) for one in found.values()):
            labels = [one._row_labels for one in found.values() if isinstance(one, RowLabelled)]
            if all(self._row_labels.are_those_of(one) for one in labels):
                return self._of(columns.beside({name: unlabelled(one) for name, one in found.items()}))
            return later("DataFrame", found)
        return by_column(dask.compute(*found.values()), list(found))

    def map(self, func: Callable[[Any], Any] | Mapping[Any, Any], na_action: str | None = None) -> Self:
        """Return what a function makes of each value, or other values by a mapping; lazy.  See `Series.map`.

        Parameters
        ----------
        func : callable or mapping
            Takes one value.
        na_action : {None, "ignore"}
            Whether the function sees missing values, or they stay.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [1, 2]}).map(lambda x: x * 10).to_pandas()["x"].tolist()
        [10, 20]
        """
        columns = self._columns
        made = {name: later("column Series", self, name).map(func, na_action) for name in columns.values}
        return self._of(columns.beside({name: unlabelled(one) for name, one in made.items()}))

    def idxmin(self, numeric_only: bool = False) -> Any:
        """Return the label of the row with the first smallest value of each column of numbers; computes.

        Parameters
        ----------
        numeric_only : bool
            Accepted for compatibility with pandas: other columns are left out in any case.

        Raises
        ------
        ArgumentError
            If all values of a column are missing.
        """
        return self._labels_of_extremes("argmin")

    def idxmax(self, numeric_only: bool = False) -> Any:
        """Return the label of the row with the first largest value of each column of numbers.  See `idxmin`."""
        return self._labels_of_extremes("argmax")

    def equals(self, other: Any) -> bool:
        """Whether another DataFrame has the same columns, rows and labels, missing ones in the same places; computes.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1.0, float("nan")]})
        >>> df.equals(df.copy()), df.equals(df.head(1))
        (True, False)
        """
        if not isinstance(other, FrameBase) or list(other.columns) != list(self.columns):
            return False
        if self.dtypes != other.dtypes or len(self) != len(other):
            return False
        mine, its = (frame._columns for frame in (self, other))
        pairs = [(mine.array(name), its.array(name)) for name in mine.values]
        pairs += [(mine.index_array(), its.index_array())] if mine.index is not None or its.index is not None else []
        same = [_are_equal(one, another) for one, another in pairs]
        return all(bool(one) for one in dask.compute(*same))

    def _labels_of_extremes(self, how: str) -> Series:
        columns = self._columns
        names = [name for name in columns.values if columns.kinds[name]._type_name() in NUMBER_TYPES]
        arrays: list[Any] = [columns.array(name) for name in names]
        lacking = [isnan(one).any() if one.dtype == np.float64 else False for one in arrays]
        some_lack = dict(zip(names, dask.compute(*lacking), strict=True))
        full = [name for name in names if not some_lack[name]]
        found = dask.compute(*(getattr(columns.array(name), how)() for name in full))
        labels = columns.index_array()[array(np.array(found, np.int64))].tolist() if full else []
        by_name = dict(zip(full, labels, strict=True))
        for name in names:
            if some_lack[name]:
                by_name[name] = getattr(later("column Series", self, name), how.replace("arg", "idx"))()
        return by_column([by_name[name] for name in names], names)

    def _applied_to_rows(self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        rows: Any = with_exact_rows(self.compute())
        found = rows.apply(func, axis=1, args=tuple(args), **kwargs)
        if isinstance(found, pd.DataFrame):
            return later("DataFrame", found)
        return later("series of", self._columns, array(found.to_numpy()))


def _is_several(func: Any) -> bool:
    return isinstance(func, list | tuple)


def _reduced(series: Any, func: Any) -> Any:
    """Return a column reduced by a name, as pandas reduces it, or by a function."""
    name = called(func) if is_named(func) else None
    if name is None and callable(func):
        return unlabelled(func(series))
    if name not in REDUCTIONS:
        raise ArgumentError(f"columns are not reduced by {func!r}.", details=[f"reductions: {', '.join(REDUCTIONS)}"])
    if name in ("min", "max"):
        return getattr(series, name)(skipna=True)
    given = series if name in ("count", "nunique") else series.dropna()
    return getattr(given, name)(1) if name in ("std", "var") else getattr(given, name)()


def _are_equal(one: Array, other: Array) -> Any:
    """Return whether all elements are equal, or missing on both sides; lazy."""
    both = ColumnSet.of({"one": one, "other": other})
    lacks = [Call("logical_not", present(both, name)) for name in both.values]
    is_equal: Any = one == other
    return (is_equal | pdarray(both.frame, Call("logical_and", *lacks))).all()
