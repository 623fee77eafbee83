"""Groups, windows, indexers and accessors of pandas' face."""

from __future__ import annotations

from typing import Any

import pandas
from pandas.api import typing as kinds

from akdask.pandas.face import Step, faced, words


class Indexer(Step):
    """``loc``, ``iloc``, ``at`` or ``iat`` of a frame or Series."""

    pandas_class = type(pandas.Series(dtype=float).loc)
    forms = ("step_forms", "INDEXERS")
    lazy_methods = words("__getitem__")

    def __call__(self, axis: Any = None) -> Any:
        """Choose along an axis, as pandas' indexers do."""
        return self.to_pandas()(axis=axis)

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (key,), {})

    def __setitem__(self, key: Any, value: Any) -> None:
        self._origin._set_item(self._step, key, value)


class MovingWindows(Step):
    """Moving, growing or decaying windows."""

    pandas_class = kinds.Rolling

    lazy_methods = words("""sum mean min max std var count median quantile sem agg apply corr cov rank skew kurt""")


class Text(Step):
    """``str`` of a Series."""

    pandas_class = vars(pandas.Series)["str"]._accessor
    forms = ("step_forms", "TEXT")
    lazy_methods = words(
        """len __getitem__ lower upper capitalize title swapcase casefold strip lstrip rstrip contains startswith
        endswith find replace slice get zfill pad center ljust rjust count isdigit isalpha isalnum isspace islower
        isupper istitle isnumeric isdecimal removeprefix removesuffix repeat match fullmatch split cat
        partition rpartition get_dummies rfind"""
    )

    def __getitem__(self, key: Any) -> Any:
        return self._call("__getitem__", (key,), {})


class Times(Step):
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


class PandasAccessor(Step):
    """An attribute or method that pandas alone has: pictures, styles, and what is not built yet."""

    pandas_class = object

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call("__call__", args, kwargs)


class Resampled(Step):
    """Rows by spans of time."""

    pandas_class = kinds.Resampler
    lazy_methods = words(
        """sum mean min max count size std var median first last prod nunique agg aggregate ohlc __getitem__"""
    )

    def __getitem__(self, key: Any) -> Any:
        return Resampled(self, "__getitem__", (key,), {})


class SeriesGroups(Step):
    """Values of one column by groups."""

    pandas_class = kinds.SeriesGroupBy
    forms = ("step_forms", "COLUMN_GROUPS")
    lazy_methods = words(
        """sum mean min max count size std var median prod nunique agg aggregate any all cumsum cumprod
        cummax cummin cumcount diff shift pct_change rank transform quantile idxmax idxmin head tail ngroup rolling
        expanding ffill bfill sem value_counts unique nlargest nsmallest apply filter get_group kurt skew
        sample"""
    )
    steps = {"rolling": MovingWindows, "expanding": MovingWindows, "ewm": MovingWindows, "resample": Resampled}


REDUCTIONS = words(
    """sum mean min max count size std var median prod nunique agg aggregate any all quantile sem skew kurt idxmax
        idxmin"""
)
"""Methods of groups that have one row for each group."""


class FrameGroups(Step):
    """Rows by groups."""

    pandas_class = kinds.DataFrameGroupBy
    forms = ("step_forms", "GROUPS")
    lazy_methods = SeriesGroups.lazy_methods | words("__getitem__")
    steps = SeriesGroups.steps

    def _lazily(self, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        found, groups = super()._lazily(name, args, kwargs), self.lazy()
        if name not in REDUCTIONS or not groups.as_index or not hasattr(found, "set_index"):
            return found
        if len(groups.gb_key_names) > 1:
            found = found.set_index(list(groups.gb_key_names))
        from akdask.pandas import step_forms

        pairs = step_forms.pairs_of(args[0]) if name in ("agg", "aggregate") and args else None
        return found if pairs is None else found.set_axis(pairs, axis=1)

    def __getitem__(self, key: Any) -> Any:
        return (FrameGroups if isinstance(key, list) else SeriesGroups)(self, "__getitem__", (key,), {})

    def __getattr__(self, name: str) -> Any:
        origin = self._origin
        if (
            not name.startswith("_")
            and hasattr(origin, "columns")
            and name in origin.columns
            and not hasattr(kinds.DataFrameGroupBy, name)
        ):
            return self[name]
        return super().__getattr__(name)

    def __iter__(self) -> Any:
        return ((key, faced(rows)) for key, rows in self.to_pandas())

    def __len__(self) -> int:
        return len(self.to_pandas())
