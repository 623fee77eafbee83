"""Functions of a Series' values: user functions, functions of two Series, and operators as methods."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Self

import dask
import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.functions import apply
from akdask.arrays.group_columns import called, is_named
from akdask.arrays.reductions import corr, cov, near_zero, skew
from akdask.arrays.selection import sample_of
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BIGINT, BOOL, NOT_A_TIME, NULLABLE_STR
from akdask.deferred import pd
from akdask.engine import missing
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError
from akdask.frames.alignment import as_labelled, comparable, on_all_labels, on_same_labels
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.kinds import as_other_type
from akdask.frames.missing import of_columns
from akdask.frames.rows_by_label import without_labels
from akdask.frames.series_base import SeriesBase, SeriesOperators, filled, where_present

REDUCTIONS = ("sum", "prod", "mean", "min", "max", "std", "var", "median", "count", "nunique", "any", "all", "size")
"""Names that `agg` takes."""

SAMPLED = 64
"""Values that tell of which type a function's results are."""


class SeriesFunctions(SeriesOperators):
    """Methods of pandas beyond Arkouda's."""

    def agg(self, func: Any) -> Any:
        """Return a reduction of the values by its name, or a Series of several.

        Parameters
        ----------
        func : str or callable, or list of them
            ``"sum"``, ``"mean"``, ``"min"``, ``"max"``, ``"std"``, ``"var"``, ``"median"``, ``"prod"``, ``"count"``,
            ``"nunique"``, ``"any"``, ``"all"`` or ``"size"``, for the methods of these names.

        Returns
        -------
        scalar, or Series by the names of several
            A single result is lazy if its method is; several are computed.

        Raises
        ------
        ArgumentError
            If there is no such reduction.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 4]).agg(["min", "max"]).to_dict()
        {'min': 1, 'max': 4}
        """
        if not isinstance(func, list | tuple):
            return self._reduced_by(func)
        names = [called(one) for one in func]
        from akdask.frames.series import by_column

        return by_column(dask.compute(*map(self._reduced_by, func)), names)

    aggregate = agg

    def apply(self, func: Any, args: Sequence[Any] = (), *, result_dtype: Any = None, **kwargs: Any) -> Any:
        """Apply a function to each value; lazy, except that it may compute the type of the results.

        Parameters
        ----------
        func : callable, ufunc or str
            Takes one value, of times as pandas has them.  A ufunc takes all at once, and a name is that of a reduction.
        args : sequence, optional
            Further arguments of the function, as `kwargs`.
        result_dtype : dtype-like, optional
            The type of its results.  Unless given, the first few results are computed to find it.
        **kwargs
            Arguments of the function by name.

        Returns
        -------
        Series
            With the same labels.

        Raises
        ------
        ArgumentTypeError
            If it is no function, or its results are of no type that a column can have.
        ArgumentError
            When it is computed, if a later result is not of the type.

        See Also
        --------
        akdask.apply : the same for arrays, which says where the function runs.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2]).apply(lambda x: x / 2).tolist()
        [0.5, 1.0]
        """
        if isinstance(func, str):
            return self._reduced_by(func)
        if isinstance(func, np.ufunc):
            return func(self, *args, **kwargs)
        if not callable(func):
            raise ArgumentTypeError(f"a {type(func).__name__} is no function.", hint="pass a callable.")
        call = (lambda value: func(value, *args, **kwargs)) if args or kwargs else func
        values = as_other_type(self.values, str) if isinstance(self.values, Categorical) else self.values
        if result_dtype is None and values._value.dtype == NULLABLE_STR:
            return self._with(text_applied(values, call, call))
        if isinstance(values, TimeArray):
            return self._with(_applied_to_times(values, call, result_dtype))
        wanted = _type_of_results(values, call) if result_dtype is None else result_dtype
        if wanted is np.float64:
            return self._with(apply(values, lambda value: _float_or_nan(call(value)), wanted))
        return self._with(apply(values, call, wanted))

    def transform(self, func: Any) -> Any:
        """Call a function that returns the same rows: ``s.transform(lambda s: s - s.mean())``; lazy.

        Raises
        ------
        ArgumentTypeError
            If the result has other rows.
        """
        found = getattr(self, func)() if isinstance(func, str) else func(self)
        sizes = {one.rows.size for one in (self, found) if isinstance(one, SeriesBase)} - {None}
        if not isinstance(found, Array | SeriesBase) or len(sizes) > 1:
            raise ArgumentTypeError(
                f"transform returns a value for each row, not {type(found).__name__}.", hint="agg takes reductions."
            )
        return self._with(found) if isinstance(found, Array) else found

    def pipe(self, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a function with the Series: ``s.pipe(f, 1)`` for ``f(s, 1)``."""
        return func(self, *args, **kwargs)

    # two Series

    def corr(self, other: Any) -> np.float64:
        """Return Pearson's correlation with another Series; computes.

        Series are aligned on the labels that both have, arrays by position.  Rows where either value is NaN are left
        out, as in pandas.

        Examples
        --------
        >>> import akdask as ak
        >>> round(float(ak.Series([1, 2, 4]).corr(ak.Series([2, 4, 8]))), 12)
        1.0
        """
        one, two = self._pairs(other)
        return corr(one, two) if one.size > 1 else np.float64(np.nan)

    def cov(self, other: Any) -> np.float64:
        """Return the covariance with another Series; computes.  See `corr`."""
        one, two = self._pairs(other)
        return cov(one, two) if one.size > 1 else np.float64(np.nan)

    def autocorr(self, lag: int = 1) -> np.float64:
        """Return the correlation of the values with the values `lag` rows before; computes."""
        return self.corr(self.shift(lag))

    def dot(self, other: Any) -> Any:
        """Return the sum of the products with the values of another Series or array; lazy.

        Raises
        ------
        AlignmentError
            When it is computed, if a label of one Series is not in the other.

        Examples
        --------
        >>> import akdask as ak
        >>> int(ak.Series([1, 2]) @ ak.Series([3, 4]))
        11
        """
        other = as_labelled(other)
        if not isinstance(other, SeriesBase):
            return (self * unlabelled(other)).sum()
        return (self.values * on_same_labels(self._row_labels, other._row_labels, other.values)).sum()

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def equals(self, other: Any) -> bool:
        """Whether another Series has the same values and labels, missing ones in the same places; computes."""
        if not isinstance(other, SeriesBase):
            return False
        return bool(self.to_frame("values").equals(other.to_frame("values")))

    # statistics

    def skew(self) -> np.float64:
        """Return the skewness of the values that are not missing, corrected for a sample as in pandas; computes."""
        return skew(self.dropna().values, bias=False)

    def kurt(self) -> np.float64:
        """Return the excess kurtosis of the values that are not missing, as pandas has it; computes.

        Examples
        --------
        >>> import akdask as ak
        >>> round(float(ak.Series([1, 2, 4, 9]).kurt()), 6)
        1.5
        """
        values = near_zero("kurt", self.dropna().values)
        squares = (values - values.mean()) ** 2
        count, second, fourth = dask.compute(values.size, squares.sum(), (squares**2).sum())
        if count < 4:
            return np.float64(np.nan)
        with np.errstate(all="ignore"):
            ratio = np.float64(fourth) / np.float64(second) ** 2
            below = (count - 2) * (count - 3)
            return np.float64(count * (count + 1) * (count - 1) / below * ratio - 3 * (count - 1) ** 2 / below)

    kurtosis = kurt

    def sem(self, ddof: int = 1) -> Any:
        """Return the standard error of the mean of the values that are not missing; lazy."""
        values = self.dropna().values
        return values.std(ddof) / np.sqrt(values.size)

    def mode(self, dropna: bool = True) -> Any:
        """Return the commonest values, in order, as a Series; computes.

        Parameters
        ----------
        dropna : bool, default True
            Leave out missing values, which count as one value otherwise.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series(["b", "a", "b"]).mode().tolist()
        ['b']
        """
        found = DataFrame({"values": self.values}).mode(dropna=dropna)["values"]
        from akdask.frames.series import Series

        return Series(found, self.name)

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether no value is less than the one before it; computes."""
        return bool(self.values.is_sorted()) and not (isinstance(self.values, TimeArray) and self.hasnans())

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether no value is more than the one before it; computes."""
        is_sorted = bool(self.values[::-1].is_sorted())
        return is_sorted and not (isinstance(self.values, TimeArray) and self.hasnans())

    # rows

    def drop(self, labels: Any = None, *, index: Any = None, errors: str = "raise") -> Self:
        """Drop the entries of some labels; computes whether the labels exist.

        Parameters
        ----------
        labels, index : label, or array or sequence of labels
            Both mean the same; of several levels a tuple, or a list of them.
        errors : {"raise", "ignore"}
            Whether labels that no entry has are an error.

        Raises
        ------
        MissingLabelError
            If no entry has one of the labels.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 3], index=["a", "b", "c"]).drop("b").to_dict()
        {'a': 1, 'c': 3}
        """
        if (labels is None) == (index is None):
            raise ArgumentError("drop takes labels= or index=, which mean the same.")
        left = without_labels(self.index, index if labels is None else labels, errors)
        return self[:] if isinstance(left, slice) else self._moved(self._labelled._rows(left))

    def sample(self, n: int = 1, *, frac: float | None = None, random_state: Any = None) -> Self:
        """Return some entries chosen at random; counts rows of unknown number.  See `DataFrame.sample`."""
        size = len(self)
        count, draw = sample_of(size, n, frac, random_state)
        if count > size:
            raise ArgumentError(f"{count} of {size} entries cannot be chosen.")
        return self._moved(self._labelled._rows(draw.choice(size, count, replace=False)))

    def reset_index(
        self, level: Any = None, *, drop: bool = False, name: str | None = None, inplace: bool = False
    ) -> Any:
        """Return labels and values as columns of a DataFrame; lazy.

        Parameters
        ----------
        level : int, str, or list of them, optional
            Levels of the labels that become columns, all unless given; at most one level is left.
        drop : bool, default False
            Leave these labels out, and return a Series.
        name : str, optional
            Name of the column of values: that of the Series, or ``0``, unless given.
        inplace : bool, default False
            Change this Series and return None; with `drop` only, as values alone are a Series.

        Raises
        ------
        SchemaError
            If a level of the labels has that name.
        ArgumentError
            If there is no such level, a DataFrame would keep labels of several levels, or `inplace` is True without
            `drop`.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]})
        >>> df.groupby("k")["x"].sum().reset_index(name="total").to_pandas()
           k  total
        0  a      4
        1  b      2
        """
        index = self.index
        taken = _levels(index, level)
        left = [number for number in range(index.nlevels) if number not in taken]
        labels = _some_levels(index, left)
        if drop:
            dropped = type(self)._of(self.values, labels, self.name)
            if not inplace:
                return dropped
            self._labelled, self._level_names = dropped._labelled, dropped._level_names
            return None
        if inplace:
            raise ArgumentError("labels and values are a DataFrame, which a Series cannot become in place.")
        if len(left) > 1:
            raise ArgumentError(
                "rows of a DataFrame have labels of one level.", hint=f"name all levels but one: {index.names}."
            )
        columns = {_called(index, number): index._levels[number] for number in taken}
        called = name if name is not None else "0" if self.name is None else str(self.name)
        if called in columns:
            raise SchemaError(f"labels and values cannot both be called {called!r}.", hint="pass name=.")
        named = {**columns, called: self.values}
        found = ColumnSet.of(named) if labels is None else ColumnSet.of(named, labels.values, labels.name)
        return DataFrame._of(found)

    # operators by name

    def sub(self, other: Any, fill_value: Any = None) -> Self:
        """Subtract a scalar, array or Series from the values; lazy.

        Parameters
        ----------
        other : scalar, array or Series
            The subtrahend; a Series is aligned by labels.
        fill_value : scalar, optional
            Replaces a value that is missing on one side, or whose label one side lacks.

        Returns
        -------
        Series
            With all labels of both, in order where they differ; missing where one side lacks them, as in pandas.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2]).sub(ak.Series([10]), fill_value=0).tolist()
        [-9.0, 2.0]
        """
        return self._operated(operator.sub, other, fill_value)

    def mul(self, other: Any, fill_value: Any = None) -> Self:
        """Return the values times something; lazy.  See `sub`."""
        return self._operated(operator.mul, other, fill_value)

    def div(self, other: Any, fill_value: Any = None) -> Self:
        """Return the values divided by something, as float64; lazy.  See `sub`."""
        return self._operated(operator.truediv, other, fill_value)

    truediv = div

    def floordiv(self, other: Any, fill_value: Any = None) -> Self:
        """Return the values divided by something, rounded down; lazy.  See `sub`."""
        return self._operated(operator.floordiv, other, fill_value)

    def mod(self, other: Any, fill_value: Any = None) -> Self:
        """Return the remainders of a division of the values; lazy.  See `sub`."""
        return self._operated(operator.mod, other, fill_value)

    def pow(self, other: Any, fill_value: Any = None) -> Self:
        """Return the values raised to something; lazy.  See `sub`."""
        return self._operated(operator.pow, other, fill_value)

    def eq(self, other: Any) -> Self:
        """Return which values are equal to something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.eq, other)

    def ne(self, other: Any) -> Self:
        """Return which values are not equal to something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.ne, other)

    def lt(self, other: Any) -> Self:
        """Return which values are less than something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.lt, other)

    def le(self, other: Any) -> Self:
        """Return which values are not more than something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.le, other)

    def gt(self, other: Any) -> Self:
        """Return which values are more than something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.gt, other)

    def ge(self, other: Any) -> Self:
        """Return which values are not less than something; lazy.  Labels meet as in `sub`."""
        return self._operated(operator.ge, other)

    def combine_first(self, other: Any) -> Self:
        """Fill missing values from another Series, on all labels of both; lazy.

        Examples
        --------
        >>> import akdask as ak
        >>> one, two = ak.Series([1.0, None], index=["a", "b"]), ak.Series([20.0, 30.0], index=["b", "c"])
        >>> one.combine_first(two).to_pandas().to_dict()
        {'a': 1.0, 'b': 20.0, 'c': 30.0}
        """
        given = _series_of("combine_first", other)
        joined = on_all_labels(self._row_labels, [self.values], given._row_labels, [given.values])
        found: Self = self._on_joined(joined, where_present(joined.ones[0], joined.others[0]), given)
        found.name = self.name
        return found

    def align(self, other: Any, join: str = "outer") -> tuple[Any, Any]:
        """Return this Series and another one on the same labels; lazy.

        Parameters
        ----------
        other : Series
            The other one.
        join : {"outer", "left", "right"}
            All labels of both, in order, or the labels of one side.  Labels that a side lacks have missing values.

        Raises
        ------
        ArgumentError
            If `join` is something else.
        """
        given = _series_of("align", other)
        if join == "left":
            return self, self._with(self._on_rows(given))._called(given.name)
        if join == "right":
            return given._with(given._on_rows(self))._called(self.name), given
        if join != "outer":
            raise ArgumentError(f"align: join={join!r} is none of 'outer', 'left' and 'right'.")
        joined = on_all_labels(self._row_labels, [self.values], given._row_labels, [given.values])
        one, two = (self._on_joined(joined, values, given) for values in (*joined.ones, *joined.others))
        return one._called(self.name), two._called(given.name)

    # how

    def _operated(self, operation: Callable[[Any, Any], Any], other: Any, fill_value: Any = None) -> Any:
        other = as_labelled(other)
        if not isinstance(other, SeriesBase):
            return operation(self if fill_value is None else self.fillna(fill_value), unlabelled(other))
        joined = on_all_labels(self._row_labels, [self.values], other._row_labels, [other.values])
        sides = [*joined.ones, *joined.others]
        sides = sides if fill_value is None else filled(sides, fill_value)
        return self._on_joined(joined, of_columns(operation, *sides), other)

    def _pairs(self, other: Any) -> tuple[Any, Any]:
        """Return the values of both, without rows where either is missing."""
        other = as_labelled(other)
        values: list[Any] = [self.values, unlabelled(other)]
        if isinstance(other, SeriesBase):
            if comparable(self._row_labels, other._row_labels) is None:
                return (DataFrame({"one": [np.nan]})["one"],) * 2
            joined = on_all_labels(self._row_labels, values[:1], other._row_labels, values[1:])
            values = [*joined.ones, *joined.others]
        both = DataFrame(dict(zip(("one", "other"), values, strict=True))).dropna()
        return _of_present(both["one"]), _of_present(both["other"])

    def _reduced_by(self, func: Any) -> Any:
        name = called(func)
        if not is_named(func):
            return unlabelled(func(self))
        if name not in REDUCTIONS:
            raise ArgumentError(
                f"a Series is not reduced by {func!r}.", details=[f"reductions: {', '.join(REDUCTIONS)}"]
            )
        found = getattr(self, name)
        return found() if callable(found) else found


def _of_present(values: Any) -> Any:
    """Return integers and times none of which is missing any more as integers."""
    if isinstance(values, TimeArray):
        return values.values
    apart = missing.parts(values._value)
    return values if apart is None or apart[0].dtype == BOOL else values._like(values._frame, apart[0])


def _levels(index: Index, level: Any) -> list[int]:
    """Return the numbers of some levels of labels, all if None."""
    if level is None:
        return list(range(index.nlevels))
    found = []
    for one in level if isinstance(level, list | tuple) else [level]:
        number = index.names.index(one) if one in index.names else one
        if not isinstance(number, int | np.integer) or not -index.nlevels <= number < index.nlevels:
            raise ArgumentError(f"there is no level {one!r}.", details=[f"levels: {index.names}"])
        found.append(int(number) % index.nlevels)
    return sorted(found)


def _some_levels(index: Index, numbers: Sequence[int]) -> Index | None:
    """Return labels of some of the levels, none where rows are to be numbered."""
    if not numbers:
        return None
    if len(numbers) == 1:
        return Index(index._levels[numbers[0]], index.names[numbers[0]])
    return MultiIndex([index._levels[at] for at in numbers], names=[index.names[at] for at in numbers])


def _called(index: Index, number: int) -> str:
    """Return the name of the column for a level of labels."""
    name = index.names[number]
    if name is not None:
        return str(name)
    return f"level_{number}" if index.nlevels > 1 else "index"


def _applied_to_times(values: Any, call: Callable[[Any], Any], result_dtype: Any) -> Any:
    """Apply a function to times or spans, which it gets as pandas' scalars; lazy."""
    made = partial(_as_time, values._dtype_kind, values.unit, values._form.zone)
    numbers = values.values
    results = [call(made(number)) for number in _first_of(numbers)]
    kinds = (pd.Timestamp, type(pd.NaT)) if values._dtype_kind == "M" else (pd.Timedelta, type(pd.NaT))
    if results and all(isinstance(result, kinds) for result in results):
        found = apply(numbers, partial(_number_of_time, values.unit, call, made), np.int64)
        return values._lacking()._like(found._frame, found._value)
    wanted = _type_in_common(results) if result_dtype is None else result_dtype
    return apply(numbers, lambda number: _float_or_nan(call(made(number))), wanted)


def _as_time(kind: str, unit: Any, zone: str | None, number: int) -> Any:
    """Return a time or span of pandas."""
    if number == NOT_A_TIME:
        return pd.NaT
    if kind == "m":
        return pd.Timedelta(np.timedelta64(number, unit))
    time = pd.Timestamp(np.datetime64(number, unit))
    return time if zone is None else time.tz_localize("UTC").tz_convert(zone)


def _number_of_time(unit: str, call: Callable[[Any], Any], made: Callable[[int], Any], number: int) -> int:
    found = call(made(number))
    return NOT_A_TIME if found is pd.NaT else int(found.as_unit(unit).asm8.view("i8"))


def _is_nothing(found: Any) -> bool:
    return found is None or found is pd.NA or (isinstance(found, float) and bool(np.isnan(found)))


def _float_or_nan(found: Any) -> Any:
    return np.nan if found is None else found


def _type_of_results(values: Array, func: Callable[[Any], Any]) -> Any:
    """Return the type of column for the results of a function of the first elements; computes these."""
    return _type_in_common([func(value) for value in _first_of(values)])


def _first_of(values: Array) -> list[Any]:
    return ColumnSet.of({"values": values}).head(SAMPLED).array("values").tolist()


def text_applied(values: Any, call: Callable[[Any], Any], of_missing: Callable[[Any], Any]) -> Any:
    """Apply a function to text, and another one to NaN in place of missing text; lazy."""
    try:
        absent = of_missing(np.nan)
    except Exception:
        # It cannot take NaN, so missing text is not passed to it and stays missing.
        absent = None
    lacks = _is_nothing(absent)
    few = _first_of(values)
    results = [call(value) for value in few if isinstance(value, str)]
    if not lacks or len(results) < len(few):
        results.append(np.nan if lacks else absent)
    wanted = _type_in_common(results)
    if lacks and wanted is not np.float64:
        return apply(values, call, wanted)
    stands_in = "\0missing"

    def each(text: Any) -> Any:
        return _float_or_nan(absent if text == stands_in else call(text))

    return apply(values.fillna(stands_in), each, wanted)


def _type_in_common(results: Sequence[Any]) -> Any:
    if not results:
        return None
    are_text = [isinstance(result, str) for result in results]
    if any(are_text) and all(is_text or _is_nothing(item) for is_text, item in zip(are_text, results, strict=True)):
        return str
    if all(isinstance(result, int | np.integer) and not isinstance(result, bool) for result in results):
        return _type_of_integers(min(map(int, results)), max(map(int, results)))
    found = np.result_type(*(np.asarray(np.nan if result is None else result).dtype for result in results))
    if found.kind not in "iufb" or any(np.ndim(result) for result in results if result is not None):
        raise ArgumentTypeError(
            "a function of single values returns numbers, bool or text.",
            details=[f"results: {', '.join(sorted({type(result).__name__ for result in results}))}"],
        )
    return {"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.bool_}[found.kind]


def _type_of_integers(low: int, high: int) -> Any:
    """Return the type that has integers from one to another."""
    for dtype in (np.int64, np.uint64):
        if np.iinfo(dtype).min <= low and high <= np.iinfo(dtype).max:
            return dtype
    return BIGINT.name


def _series_of(operation: str, other: Any) -> Any:
    """Return the other side, a Series of pandas as one of akdask."""
    found = as_labelled(other)
    if not isinstance(found, SeriesBase):
        raise ArgumentTypeError(f"{operation} takes a Series, not {type(other).__name__}.")
    return found
