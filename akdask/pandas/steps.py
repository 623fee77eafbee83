"""Groups, windows, indexers and accessors of pandas' face."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any

import pandas
from pandas.api import typing as kinds

from akdask.pandas.arguments import SELECTOR
from akdask.pandas.face import Face, Step, called, faced, in_pandas, words
from akdask.pandas.refusals import ArrangementError, refusal


class Indexer(Step):
    """``loc``, ``iloc``, ``at`` or ``iat`` of a frame or Series."""

    pandas_class = type(pandas.Series(dtype=float).loc)
    forms = ("selection", "INDEXERS")
    lazy_methods = words("__getitem__")

    def __call__(self, axis: Any = None) -> Any:
        """Choose along an axis, as pandas' indexers do."""
        return self.to_pandas()(axis=axis)

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (self._called(key),), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._origin._set_item(self._step, self._called(key), value)

    def _called(self, key: Any) -> Any:
        """Return a key with the results of functions, which take the object, in their place."""
        return tuple(called(one, self._origin) for one in key) if isinstance(key, tuple) else called(key, self._origin)


class OfRows(Step):
    """Groups, windows, text or times, whose methods pandas may be asked for chunks of the rows."""

    def _lazily_or_by_chunk(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._lazily_by_type(name, args, kwargs)
        except ArrangementError:
            raise
        except Exception:
            chain: list[Step] = [self]
            while isinstance(chain[0]._origin, Step):
                chain.insert(0, chain[0]._origin)
            if chain[0]._step == "groupby":
                from akdask.pandas.group_chunks import answered
            else:
                from akdask.pandas.chunk_forms import answered
            found = answered(chain, name, args, kwargs)
            if found is NotImplemented:
                raise
            return self._faced(found)


class MovingWindows(OfRows):
    """Moving, growing or decaying windows."""

    pandas_class = kinds.Rolling

    forms = ("window_forms", "FORMS")
    lazy_methods = words("sum mean min max std var count median quantile")

    def __getitem__(self, key: Any) -> Any:
        return MovingWindows(self, "__getitem__", (key,), {}).checked()

    def __iter__(self) -> Any:
        return map(faced, self.to_pandas())


class Text(OfRows):
    """``str`` of a Series."""

    pandas_class = vars(pandas.Series)["str"]._accessor
    forms = ("text_forms", "FORMS")

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (key,), {})


class Times(OfRows):
    """``dt`` of a Series."""

    pandas_class = vars(pandas.Series)["dt"]._accessor
    forms = ("time_forms", "FORMS")

    lazy_methods = words(
        """year month day hour minute second microsecond nanosecond quarter dayofweek day_of_week weekday dayofyear
        day_of_year days_in_month daysinmonth is_month_start is_month_end is_quarter_start is_quarter_end
        is_year_start is_year_end is_leap_year floor ceil round normalize day_name month_name strftime total_seconds
        days seconds tz_localize tz_convert"""
    )


class CategoryAccessor(Step):
    """``cat`` of a Series."""

    pandas_class = vars(pandas.Series)["cat"]._accessor
    forms = ("category_forms", "FORMS")


class Resampled(OfRows):
    """Rows by spans of time."""

    pandas_class = kinds.Resampler
    forms = ("resample_forms", "FORMS")

    def __getitem__(self, key: Any) -> Any:
        return Resampled(self, "__getitem__", (key,), {}).checked()


class SeriesGroups(OfRows):
    """Values of one column by groups."""

    pandas_class = kinds.SeriesGroupBy
    forms = ("group_forms", "FORMS")
    steps = {"rolling": MovingWindows, "expanding": MovingWindows, "ewm": MovingWindows, "resample": Resampled}

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the groups."""
        return piped(self, func, args, kwargs)

    def __iter__(self) -> Any:
        return ((key, faced(rows)) for key, rows in self.to_pandas())

    def __len__(self) -> int:
        return len(self.to_pandas())


def piped(step: Step, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(func, tuple):
        func, word = func
        return func(*args, **{**kwargs, word: step})
    return func(step, *args, **kwargs)


class FrameGroups(OfRows):
    """Rows by groups."""

    pandas_class = kinds.DataFrameGroupBy
    forms = ("group_forms", "FORMS")
    steps = SeriesGroups.steps

    def pipe(self, func: Any, *args: Any, **kwargs: Any) -> Any:
        """Call a function with the groups."""
        return piped(self, func, args, kwargs)

    def __getitem__(self, key: Any) -> Any:
        return (FrameGroups if isinstance(key, list) else SeriesGroups)(self, "__getitem__", (key,), {})

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or hasattr(kinds.DataFrameGroupBy, name):
            return super().__getattr__(name)
        origin = self._origin
        while isinstance(origin, FrameGroups):  # Its columns would be those of all rows, computed.
            origin = origin._origin
        return self[name] if name in getattr(origin, "columns", ()) else super().__getattr__(name)

    def __iter__(self) -> Any:
        return ((key, faced(rows)) for key, rows in self.to_pandas())

    def __len__(self) -> int:
        return len(self.to_pandas())


def called_in_pandas(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of pandas for objects of the face."""

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return faced(function(*in_pandas(args), **in_pandas(kwargs)))
        except Exception as error:
            raise refusal(error) from error

    return wraps(function)(call) if inspect.isroutine(function) else call


class Selector:
    """``nth`` of groups, which is called, or given positions in brackets."""

    def __init__(self, groups: Face) -> None:
        self._groups = groups

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._groups._call(SELECTOR, args, kwargs)

    def __getitem__(self, positions: Any) -> Any:
        return self(positions)
