"""Expanding windows and exponentially weighted ones: reductions of each row with all rows before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Generic

import numpy as np

from akdask.arrays.array import Array, unlabelled
from akdask.arrays.creation import full_like
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.ufuncs import isfinite
from akdask.engine.alignment import align_by_plan
from akdask.engine.rowwise import Project
from akdask.engine.sources import row_numbers
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError, errors_end_at_caller
from akdask.frames.columnset import ColumnSet
from akdask.frames.dtypes import demand_some_numbers
from akdask.frames.row_labelled import Owner
from akdask.frames.windows import (
    WindowReductions,
    aggregated,
    as_integer,
    chosen_columns,
    chosen_numbers,
    column_of,
    demand_plain_windows,
    is_span,
    shifted,
    span_of,
    taken,
)
from akdask.operators.windows.plan import Expanded, LastValid, Recurrence, WithNeighbours
from akdask.records import record


@record
class Weights:
    """How weights decay, as `DataFrame.ewm` is given it.

    Parameters
    ----------
    decay : float
        Factor of the weights from one row to the next.
    min_periods : int
        Fewest rows that must not be missing.
    adjust : bool
        Whether sums are divided by the sums of the weights.
    ignore_na : bool
        Whether weights skip missing values.
    times : Datetime, optional
        The time of each row, for weights that decay with time.
    halflife : int, optional
        The nanoseconds in which a weight halves.
    """

    decay: float
    min_periods: Any
    adjust: bool
    ignore_na: bool
    times: Any = None
    halflife: int = 0

    @classmethod
    def of(
        cls,
        com: float | None,
        span: float | None,
        halflife: Any,
        alpha: float | None,
        min_periods: Any,
        adjust: bool,
        ignore_na: bool,
        times: Any = None,
        method: str = "single",
    ) -> Weights:
        """Return weights from the arguments of `DataFrame.ewm`; `times` is an array on the rows.

        Raises
        ------
        ArgumentError
            If not exactly one of the four is given, or it is out of range.  Also if `times` come without a span as
            `halflife`, or such a span without `times`.
        ArgumentTypeError
            If `times` is no array of times.
        UnsupportedError
            If `method` is another one.
        """
        demand_plain_windows(None, method)
        least = 0 if min_periods is None else min_periods
        if times is None:
            if is_span(halflife):
                raise ArgumentError(
                    "halflife can only be a timedelta convertible argument if times is not None.", hint="pass times=."
                )
            return cls(1 - alpha_of(com, span, halflife, alpha), least, adjust, ignore_na)
        if not isinstance(times, Datetime):
            raise ArgumentTypeError(f"times must be datetime64 dtype, not {type(times).__name__}.")
        if not is_span(halflife):
            raise ArgumentError("halflife must be a timedelta convertible object", hint="such as '2D', beside times.")
        given = [com, span, alpha]
        if not adjust and given != [None] * 3:
            raise UnsupportedError(
                "None of com, span, or alpha can be specified if times is provided and adjust=False",
                hint="as in pandas; pass halflife alone.",
            )
        speed = 0.5 if given == [None] * 3 else alpha_of(com, span, None, alpha)
        return cls(1 - speed, least, adjust, ignore_na, times, span_of(halflife))

    def arranged(self, positions: Any) -> Weights:
        """Return the weights of rows in another order."""
        return self if self.times is None else replace(self, times=self.times[positions])

    @property
    def least(self) -> int:
        """Fewest values, at least one."""
        return max(as_integer("min_periods", self.min_periods), 1)


@errors_end_at_caller
class Decaying(Generic[Owner]):
    """Windows from the first row to each row with weights that decay, as `DataFrame.ewm` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        The object that was windowed, whose class and labels results get.
    columns : ColumnSet
        The columns.
    weights : Weights
        How they decay.
    """

    def __init__(self, owner: Owner, columns: ColumnSet, weights: Weights) -> None:
        self._owner = owner
        self._columns = columns
        self._weights = weights
        self._names = demand_some_numbers("ewm", columns)
        weights.least  # noqa: B018 - reading the property checks it

    reductions = ("mean", "sum", "var", "std")
    """Names that `agg` takes."""

    def __getitem__(self, names: str | list[str]) -> Any:
        """Return the windows of some columns; one name gives the windows of a Series.  See `Rolling`."""
        return chosen_columns(self, names)

    def __getattr__(self, name: str) -> Any:
        """Return the windows of the column of that name."""
        return column_of(self, name)

    def agg(self, func: str | Sequence[str]) -> Any:
        """Return the reduction of that name, or of a Series several as the columns of a DataFrame; lazy."""
        return aggregated(self, func)

    aggregate = agg

    def mean(self, numeric_only: bool = False) -> Owner:
        """Return the weighted mean of each row and all before it, as float64; lazy."""
        return self._each("mean", numeric_only)

    def sum(self, numeric_only: bool = False) -> Owner:
        """Return the weighted sum of each row and all before it, as float64; lazy.

        Raises
        ------
        ArgumentError
            Without `adjust`, as in pandas: the weights would have no common scale.
        """
        return self._each("sum", numeric_only)

    def var(self, bias: bool = False, numeric_only: bool = False) -> Owner:
        """Return the weighted variance of each row and all before it, as float64; lazy.

        Parameters
        ----------
        bias : bool, default False
            Leave out the correction for the variance of a sample.
        numeric_only : bool, default False
            Leave out columns without numbers.

        Raises
        ------
        UnsupportedError
            If weights decay with time, as in pandas.

        Examples
        --------
        >>> ak.Series([1.0, 3.0]).ewm(alpha=0.5).var().tolist()
        [nan, 2.0]
        """
        return self._each("var", numeric_only, bias=bias)

    def std(self, bias: bool = False, numeric_only: bool = False) -> Owner:
        """Return the weighted standard deviation of each row and all before it, as float64; lazy.  See `var`."""
        return self._each("std", numeric_only, bias=bias)

    def _each(self, name: str, numeric_only: bool, **params: Any) -> Owner:
        found = {
            column: getattr(DecayingColumn(self._columns.array(column), self._weights), name)(**params)
            for column in chosen_numbers("ewm", self._columns, self._names, numeric_only)
        }
        return self._owner._with_columns(found)


@errors_end_at_caller
@record
class DecayingColumn:
    """A column whose rows weigh less with each row below them.

    Parameters
    ----------
    array : pdarray
        The numbers; NaN and infinite ones are missing.
    weights : Weights
        How weights decay.
    groups : pdarray of int64, optional
        The number of the group of each row.  Rows of a group are adjacent, and weights restart with each group.
    """

    array: Any
    weights: Weights
    groups: Any = None

    def mean(self) -> Any:
        """Return the weighted mean of each row and all before it; lazy."""
        found = self._mean
        if not self.weights.adjust and self.weights.decay == 0.5:
            # pandas treats a decay of one half like irregular times, whose weights sum to one, except in variances.
            old, _ = self._shares
            found = self._mean_of(old, 1.0 - old)
        return self._where_known(self._carried(found))

    def sum(self) -> Any:
        """Return the weighted sum of each row and all before it; lazy."""
        if not self.weights.adjust:
            raise ArgumentError("ewm has sums only with adjust=True, as in pandas.")
        self._demand_rows("sum")
        return self._where_known(self._weighted)

    def _demand_rows(self, name: str) -> None:
        if self.weights.times is not None:
            raise UnsupportedError(f"{name} is not implemented with times, as in pandas.", hint="take mean.")

    def var(self, bias: bool = False) -> Any:
        """Return the weighted variance of each row and all before it; lazy."""
        self._demand_rows("var")
        old, new = self._shares
        before = shifted(ColumnSet.of({"mean": self._carried(self._mean)}), ["mean"], 1, fill_value=0.0)["mean"]
        moved, left = before - self._mean, self._values - self._mean
        steps = (old * moved * moved + new * left * left) / (old + new)
        is_first = self._is_first
        factors = where(self._there, where(is_first, 0.0, old / (old + new)), 1.0)
        found = recurrence(factors, where(self._there & ~is_first, steps, 0.0))
        if not bias:
            total, squares = self._sums_of_weights
            rest = total * total - squares
            # Rounding must not make a variance of one value.
            found = where(rest > 1e-13 * total * total, found * (total * total / rest), np.nan)
        return self._where_known(self._carried(found))

    def std(self, bias: bool = False) -> Any:
        """Return the weighted standard deviation of each row and all before it; lazy."""
        return self.var(bias) ** 0.5

    # shared by all reductions

    @cached_property
    def _values(self) -> Any:
        return pdarray(self.array._frame, taken("ewm", self.array._value))

    @cached_property
    def _there(self) -> Any:
        return isfinite(self._values)

    @cached_property
    def _known(self) -> Any:
        """The number of values that are not missing, up to each row."""
        return recurrence(self._within_groups(full_like(self._values, 1.0)), as_type(self._there, np.float64))

    @property
    def _is_first(self) -> Any:
        return self._there & (self._known == 1)

    @cached_property
    def _factors(self) -> Any:
        """The factor by which each row decays the weights of the rows before it."""
        decay = self.weights.decay if self.weights.times is None else self._decay_of_times
        decayed = where(self._there, decay, 1.0 if self.weights.ignore_na else decay)
        return self._within_groups(decayed)

    @property
    def _decay_of_times(self) -> Any:
        """The factor of the weights for the time from one row to the next."""
        when = self.weights.times.as_unit("ns").values
        return self.weights.decay ** (as_type(when - row_above(when), np.float64) / float(self.weights.halflife))

    @cached_property
    def _weighted(self) -> Any:
        return recurrence(self._factors, where(self._there, self._values, 0.0))

    @cached_property
    def _total(self) -> Any:
        return recurrence(self._factors, as_type(self._there, np.float64))

    @cached_property
    def _shares(self) -> tuple[Any, Any]:
        """The weights of all rows before, and of the row itself, where it has a value."""
        if self.weights.adjust:
            return self._total - 1, 1.0
        decay = self.weights.decay
        if self.weights.ignore_na:
            return (decay if self.weights.times is None else self._decay_of_times), 1 - decay
        return decay**self._since_valid, 1 - decay

    @cached_property
    def _mean(self) -> Any:
        """The mean where there is a value."""
        if self.weights.adjust:
            return self._weighted / self._total
        return self._mean_of(*self._shares)

    def _mean_of(self, old: Any, new: Any) -> Any:
        is_first = self._is_first
        factors = where(self._there, where(is_first, 0.0, old / (old + new)), 1.0)
        terms = where(is_first, self._values, self._values * (new / (old + new)))
        return recurrence(factors, where(self._there, terms, 0.0))

    @property
    def _sums_of_weights(self) -> tuple[Any, Any]:
        """The sum of the weights, and that of their squares."""
        if self.weights.adjust:
            return self._total, recurrence(self._factors * self._factors, as_type(self._there, np.float64))
        old, new = self._shares
        is_first = self._is_first
        factors = where(self._there, where(is_first, 0.0, (old / (old + new)) ** 2), 1.0)
        terms = where(is_first, 1.0, (new / (old + new)) ** 2)
        squares = recurrence(factors, where(self._there, terms, 0.0))
        return as_type(self._known >= 0, np.float64), squares

    @property
    def _since_valid(self) -> Any:
        """How many rows, or times of half-life, each is below the last one before it that has a value, as float64."""
        times = self.weights.times
        rows = pdarray(*row_numbers(self._there._frame)) if times is None else times.as_unit("ns").values
        # Exponents are floats; times are subtracted before.
        apart = as_type(rows - row_above(last_valid(rows, self._there)), np.float64)
        return apart if times is None else apart / float(self.weights.halflife)

    def _within_groups(self, factors: Any) -> Any:
        """Return factors that are 0 where a group begins."""
        if self.groups is None:
            return factors
        before = shifted(ColumnSet.of({"group": self.groups}), ["group"], 1, fill_value=-1)["group"]
        return where(before == self.groups, factors, 0.0)

    def _carried(self, found: Any) -> Any:
        """Return results where a value is missing as that of the last one that is not."""
        return last_valid(found, self._there)

    def _where_known(self, found: Any) -> Any:
        return where(self._known >= self.weights.least, found, np.nan)


def row_above(rows: Any) -> Any:
    """Return of each row the integer of the one above it; lazy."""
    return shifted(ColumnSet.of({"row": rows}), ["row"], 1, fill_value=-1)["row"]


def as_column_of_times(times: Any) -> Any:
    """Return times of rows as an array: by position, of a Series as well, as in pandas."""
    given = unlabelled(times)
    return given if isinstance(given, Array) else Datetime.at_hand(given)


def last_valid(found: Any, is_valid: Any) -> pdarray:
    """Return of each row the last one that is valid, from itself upwards; lazy."""
    frame, columns = align_by_plan("find", [(found._frame, found._value), (is_valid._frame, is_valid._value)])
    node = LastValid(Project(frame, (0, 1), tuple(columns)), False)
    return pdarray(node, node.column(0))


def recurrence(factors: Any, terms: Any) -> pdarray:
    """Return ``y = factor * y + term``, row by row from 0; lazy."""
    frame, columns = align_by_plan("recur", [(factors._frame, factors._value), (terms._frame, terms._value)])
    node = Recurrence(Project(frame, (0, 1), tuple(columns)))
    return pdarray(node, node.column(1))


def alpha_of(com: float | None, span: float | None, halflife: float | None, alpha: float | None) -> float:
    """Return the weight of a new value.

    Raises
    ------
    ArgumentError
        If not exactly one of the four is given, or it is out of range.
    """
    given = [value for value in (com, span, halflife, alpha) if value is not None]
    if len(given) != 1:
        raise ArgumentError("ewm takes one of com, span, halflife and alpha.")
    if com is not None and com >= 0:
        return 1 / (1 + com)
    if span is not None and span >= 1:
        return 2 / (span + 1)
    if halflife is not None and halflife > 0:
        return float(1 - 0.5 ** (1 / halflife))
    if alpha is not None and 0 < alpha <= 1:
        return float(alpha)
    raise ArgumentError(
        f"{given[0]!r} is out of range.", hint="com >= 0, span >= 1, halflife > 0, and alpha above 0 and at most 1."
    )


def expanding(owner: Owner, min_periods: int, method: str) -> Expanding[Any]:
    demand_plain_windows(None, method)
    return Expanding(owner, owner._value_columns(), min_periods)


def ewm(
    owner: Owner,
    com: float | None,
    span: float | None,
    halflife: Any,
    alpha: float | None,
    min_periods: int | None,
    adjust: bool,
    ignore_na: bool,
    times: Any,
    method: str,
) -> Decaying[Any]:
    when = None if times is None else as_column_of_times(times)
    weights = Weights.of(com, span, halflife, alpha, min_periods, adjust, ignore_na, when, method)
    return Decaying(owner, owner._value_columns(), weights)


@errors_end_at_caller
class Expanding(WindowReductions[Owner]):
    """Windows of each row and all rows before it, as `DataFrame.expanding` gives them.

    Parameters
    ----------
    owner : DataFrame or Series
        The object that was windowed, whose class and labels reductions get.
    columns : ColumnSet
        The columns to reduce.
    min_periods : int
        Fewest rows that must not be missing.
    """

    def __init__(self, owner: Owner, columns: ColumnSet, min_periods: Any) -> None:
        self._least = as_integer("min_periods", min_periods)
        if self._least < 0:
            raise ArgumentError(f"min_periods is not negative: got {min_periods!r}.")
        super().__init__(owner, columns, demand_some_numbers("expanding", columns))

    def _node(self, project: Project, name: str, ddof: int, q: float) -> WithNeighbours:
        return Expanded(project, name, self._least, ddof)
