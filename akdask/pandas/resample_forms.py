"""Bins of time of pandas' face: the house reduces them, and pandas labels the results, with their frequency."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import pandas

from akdask.frames.series import Series
from akdask.pandas import labels as labelling
from akdask.pandas.group_forms import check_shares, name_of
from akdask.pandas.grouped import kind_of_values
from akdask.pandas.lazy import LazyFrame, LazySeries, plain
from akdask.pandas.refusals import NotLazyError

TAKEN: Mapping[str, str] = {
    **dict.fromkeys(("sum", "mean", "min", "max", "std", "var", "median", "sem", "quantile"), "iuf"),
    **dict.fromkeys(("count", "nunique"), "iufbMmU"),
    **dict.fromkeys(("first", "last"), "iuf"),
}
"""Reductions, and the types of values that their lazy forms take."""


class Binned:
    """Rows or values in bins of time; results have a row for each bin, whose labels have a frequency.

    Parameters
    ----------
    resampler : Resampler
        The bins of the house.
    freq : offset or str
        Distance of the bins.
    """

    def __init__(self, resampler: Any, freq: Any) -> None:
        self.resampler, self.freq = resampler, freq

    def choose(self, key: Any) -> Binned:
        """Return the same bins with some columns, or with one as a Series."""
        return Binned(self.resampler[key], self.freq)

    @property
    def is_series(self) -> bool:
        """Whether there is one column, which is a Series."""
        return bool(self.resampler._one)

    def kind(self, name: str) -> str:
        return kind_of_values(self.resampler._df._columns.array(name))

    @cached_property
    def _lacks_times(self) -> bool:
        """Whether a time is missing, where pandas forgets the frequency."""
        return bool(Series(self.resampler._bins.times).isna().any())

    def labelled(self, lazily: Any) -> Any:
        """Compute results, and give their labels the frequency of the bins."""
        found: Any = plain(lazily.to_pandas())
        if not len(found):
            raise NotLazyError("results of no rows have types of their own")
        index: Any = found.index
        if isinstance(found.index, pandas.DatetimeIndex | pandas.TimedeltaIndex) and not self._lacks_times:
            try:
                index.freq = pandas.tseries.frequencies.to_offset(self.freq)
            except ValueError as error:
                raise NotLazyError("the bins have no frequency") from error
        return found


def binned(
    lazy: LazyFrame | LazySeries,
    rule: Any,
    closed: Any = None,
    label: Any = None,
    on: Any = None,
    level: Any = None,
    origin: Any = "start_day",
    offset: Any = None,
    group_keys: bool = False,
) -> Binned:
    """Return the rows of a frame, or the values of a Series, in bins of time."""
    if isinstance(lazy, LazySeries):
        is_plain = not lazy._level_names and on is None
    else:
        is_plain = labelling.labels_of_frame(lazy) is None
    if not is_plain or level is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    if group_keys:
        raise NotLazyError("functions of bins may return labels")
    return Binned(lazy.resample(rule, closed=closed, label=label, on=on, origin=origin, offset=offset), rule)


def reduction(how: str) -> Callable[..., Any]:
    def reduce(
        bins: Binned, numeric_only: bool = False, min_count: int | None = None, skipna: bool = True, **params: Any
    ) -> Any:
        names = bins.resampler._names
        if numeric_only:
            if bins.is_series:
                raise NotLazyError("one column is not left out")
            bins = bins.choose([name for name in names if bins.kind(name) in "iufb"])
        _demand(bins, how)
        if not skipna or (min_count is not None and min_count > 0 and how not in ("sum", "min", "max")):
            raise NotLazyError("missing values are not left out")
        if min_count is not None and min_count > 0:
            params["min_count"] = min_count
        return bins.labelled(getattr(bins.resampler, how)(**params))

    return reduce


def _demand(bins: Binned, how: str, names: Any = None) -> None:
    if how not in TAKEN:
        raise NotLazyError(f"{how} of bins has no lazy form")
    for name in bins.resampler._names if names is None else names:
        if bins.kind(name) not in TAKEN[how]:
            raise NotLazyError("a column is of another type")


def quantile(bins: Binned, q: Any = 0.5) -> Any:
    _demand(bins, "quantile")
    check_shares(q)
    return bins.labelled(bins.resampler.quantile(q))


def size(bins: Binned) -> Any:
    return bins.labelled(bins.resampler.size())


def ohlc(bins: Binned) -> Any:
    if not bins.is_series:
        raise NotLazyError("columns have labels of two levels")
    _demand(bins, "mean")
    return bins.labelled(bins.resampler.ohlc())


def agg(bins: Binned, func: Any = None, *args: Any, **named: Any) -> Any:
    if args or (func is not None and named):
        raise NotLazyError("arguments of functions")
    if isinstance(func, str):
        form = FORMS.get(func)
        if form is None:
            raise NotLazyError(f"{func!r} of bins has no lazy form")
        return form(bins)
    names, labels = bins.resampler._names, None
    if func is None:
        named = {name: _pair(bins, how) for name, how in named.items()}
        calls = [pair if isinstance(pair, tuple) else (names[0], pair) for pair in named.values()]
    elif isinstance(func, list):
        calls = [(name, how) for name in names for how in func]
        if not bins.is_series:
            labels = pandas.MultiIndex.from_tuples([(name, name_of(how)) for name, how in calls])
    elif isinstance(func, dict) and not bins.is_series:
        listed = any(isinstance(hows, list | tuple) for hows in func.values())
        calls = [
            (name, how) for name, hows in func.items() for how in (hows if isinstance(hows, list | tuple) else [hows])
        ]
        if listed:
            labels = pandas.MultiIndex.from_tuples([(name, name_of(how)) for name, how in calls])
    else:
        raise NotLazyError("these reductions have no lazy form")
    if not calls or len({*map(str, calls)}) < len(calls) or not all(isinstance(how, str) for _, how in calls):
        raise NotLazyError("functions of the user run in pandas")
    for name, how in calls:
        _demand(bins, how, [name])
    found = bins.labelled(bins.resampler.agg(func, **named) if func is not None else bins.resampler.agg(**named))
    return found if labels is None else found.set_axis(labels, axis=1)


def _pair(bins: Binned, how: Any) -> Any:
    if isinstance(how, pandas.NamedAgg):
        if getattr(how, "args", ()) or getattr(how, "kwargs", {}):
            raise NotLazyError("arguments of functions")
        return how.column, how.aggfunc
    if isinstance(how, str) != bins.is_series:
        raise NotLazyError("a named reduction is of another form")
    return how


FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: reduction(name) for name in TAKEN if name != "quantile"},
    "__getitem__": Binned.choose,
    "agg": agg,
    "aggregate": agg,
    "ohlc": ohlc,
    "quantile": quantile,
    "size": size,
}
"""Lazy forms of the methods of bins of time."""
