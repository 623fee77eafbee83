"""Lazy forms of methods of a Series that the lazy Series lacks, or has with another meaning or other words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.deferred import loaded_module
from akdask.engine.values import nearest_floats
from akdask.frames.columnset import VALUES
from akdask.frames.series import Series
from akdask.pandas import selection
from akdask.pandas.arguments import NOT_GIVEN
from akdask.pandas.arithmetic_forms import FORMS as ARITHMETIC
from akdask.pandas.face import faced, in_pandas, lazy_argument, words
from akdask.pandas.labels import arrangement, framed, row_labels, series_of, settled_operands, type_with_gaps
from akdask.pandas.lazy import LazySeries, keeps_equal_rows, order_of_pandas, rows_found_once
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.series import OF_VALUES


def isin(series: LazySeries, values: Any) -> Any:
    return series.isin(values)


def map(series: LazySeries, func: Any = None, na_action: Any = None) -> Any:
    if isinstance(series.values, Categorical):
        raise NotLazyError("categories are mapped in pandas")
    if na_action not in (None, "ignore") or (isinstance(func, dict) and hasattr(func, "__missing__")):
        raise NotLazyError("what is not found has a value")
    if na_action == "ignore" and not callable(func):
        raise NotLazyError("missing values are not looked up")
    if isinstance(getattr(func, "values", None), Categorical) or _is_labelled_by_categories(func):
        raise NotLazyError("categories are looked up in pandas")
    to_truth = isinstance(func, dict) and any(isinstance(item, bool | np.bool_) for item in func.values())
    if not to_truth:
        return series.map(func, na_action)
    if not all(isinstance(item, bool | np.bool_) for item in func.values()):
        raise NotLazyError("the values are of several types")
    found = series.map({key: int(item) for key, item in func.items()}, na_action)
    if found.isna().any():
        raise NotLazyError("truth values of which some are missing are objects in pandas")
    return found == 1


def _is_labelled_by_categories(func: Any) -> bool:
    if not isinstance(func, Series):
        return isinstance(getattr(func, "index", None), pandas.CategoricalIndex)
    return not isinstance(func._labelled._columns.index_array(), pdarray | Strings)


def fillna(series: LazySeries, value: Any = None, limit: Any = None) -> Any:
    if isinstance(series.values, Categorical) or limit is not None:
        raise NotLazyError("categories are filled in pandas")
    return series.fillna(value)


def between(series: LazySeries, left: Any, right: Any, inclusive: str = "both") -> Any:
    if inclusive not in ("both", "neither", "left", "right"):
        raise NotLazyError("pandas refuses it")
    (one, least), (other, most) = settled_operands("ge", [series, left]), settled_operands("le", [series, right])
    above = one >= least if inclusive in ("both", "left") else one > least
    return above & (other <= most if inclusive in ("both", "right") else other < most)


def mode(series: LazySeries, dropna: bool = True) -> Any:
    if isinstance(series.values, Categorical):
        raise NotLazyError("the commonest categories are categories")
    return renamed(LazySeries.under(series.mode(dropna=dropna)), series.name)


def unique(series: LazySeries) -> Any:
    found = series.unique()
    if not isinstance(found, pdarray) or isinstance(found, TimeArray):
        return LazySeries(found).to_pandas().array
    values = found.to_ndarray()
    return values.astype(type_with_gaps(series, values.dtype), copy=False)


def nunique(series: LazySeries, dropna: bool = True) -> int:
    return int(series.nunique(dropna=dropna))


def idxmax(series: LazySeries, skipna: bool = True) -> Any:
    return label(series, series.idxmax(skipna=skipna))


def idxmin(series: LazySeries, skipna: bool = True) -> Any:
    return label(series, series.idxmin(skipna=skipna))


def position_of_extreme(name: str) -> Callable[..., Any]:
    """Return the form of the position of an extreme."""

    def find(series: LazySeries, skipna: bool = True) -> Any:
        if series._level_names:
            raise NotLazyError("labels have several levels")
        if not isinstance(series.values, pdarray) or isinstance(series.values, TimeArray):
            raise NotLazyError("values are no numbers")
        if not series.count() or (not skipna and series.isna().any()):
            raise NotLazyError("values are missing")
        return np.int64(getattr(series._on_columns(series._labelled._columns.labelled(None)), name)())

    return find


def groupby(series: LazySeries, by: Any = None, **options: Any) -> Any:
    from akdask.pandas import grouped

    return grouped.of_series(series, by, **options)


def resample(series: LazySeries, rule: Any, **options: Any) -> Any:
    from akdask.pandas import resample_forms

    return resample_forms.binned(series, rule, **options)


def astype(series: LazySeries, dtype: Any, errors: str = "raise") -> Any:
    from akdask.pandas.conversions import converted

    if errors != "raise":
        raise NotLazyError("errors are ignored")
    return converted(series, dtype)


def rename(series: LazySeries, index: Any = None, errors: str = "ignore") -> Any:
    if callable(index) or isinstance(index, dict | pandas.Series):
        raise NotLazyError("labels of rows are renamed")
    return renamed(series, index)


def reset_index(series: LazySeries, level: Any = None, drop: bool = False, name: Any = NOT_GIVEN) -> Any:
    if drop and level is None:
        return series.reset_index(drop=True)
    found = arrangement(to_frame(series, name), "reset_index", (), {"level": level, "drop": drop})
    return series_of(found, series.name) if drop else found


def label(series: LazySeries, found: Any) -> Any:
    """Return a label as an index of pandas gives it: text and numbers of rows are Python's."""
    if series._level_names:
        raise NotLazyError("labels have several levels")
    is_of_python = isinstance(found, np.str_) or series._labelled._columns.index is None
    return found.item() if is_of_python and isinstance(found, np.generic) else found


def to_frame(series: LazySeries, name: Any = NOT_GIVEN) -> Any:
    if name is None:
        raise NotLazyError("the column is named None")
    called = series.name if name is NOT_GIVEN else name
    return framed(series, 0 if called is None else called)


def by_labels(name: str) -> Callable[..., Any]:
    """Return the form of a method that chooses rows by labels: pandas finds their numbers."""

    def choose(series: LazySeries, *args: Any, **options: Any) -> Any:
        args, options = in_pandas(args), in_pandas(options)
        if "arg" in options:
            # pandas takes the first argument of `filter` by position alone.
            args = (options.pop("arg"), *args)
        return selection.by_labels(series, lambda rows: getattr(rows, name)(*args, **options))

    return choose


def renamed(series: LazySeries, name: Any) -> LazySeries:
    made = series.copy()
    made.name = name
    return made


def sort_values(
    series: LazySeries,
    ascending: bool = True,
    kind: str = "quicksort",
    na_position: str = "last",
    ignore_index: bool = False,
    key: Any = None,
) -> Any:
    if not keeps_equal_rows(series, kind, key):
        series = rows_found_once(series)
        order = order_of_pandas(series, ascending, kind, na_position, key)
        if order is not None:
            rows = series.iloc[order]
            return rows.reset_index(drop=True) if ignore_index else rows
    if key is not None:
        raise NotLazyError("there are many values")
    return series.sort_values(ascending, na_position=na_position, ignore_index=ignore_index)


def text_of(series: LazySeries) -> Any:
    from akdask.pandas.text_forms import TextOf

    return TextOf(series)


def shift(series: LazySeries, periods: Any = 1, freq: Any = None, axis: Any = 0, fill_value: Any = NOT_GIVEN) -> Any:
    """Return values of other rows; integers become floats, also of no rows."""
    if axis not in (0, "index") or not isinstance(periods, int):
        raise NotLazyError("rows are shifted by several periods")
    is_filled = fill_value is not NOT_GIVEN and fill_value is not None
    if type(series.values) is pdarray and freq is None and not is_filled and periods:
        dtype = series.values._value.dtype
        if dtype.kind == "bool" and not len(series):
            raise NotLazyError("bools become objects")
        if dtype.kind in ("int", "uint"):
            floats = pdarray(series.values._frame, nearest_floats(series.values._value))
            series = LazySeries.under(series._with(floats))
    return series.shift(periods, freq, fill_value=fill_value if is_filled else None)


def diff(series: LazySeries, periods: Any = 1) -> Any:
    if type(series.values) is pdarray and series.values._value.dtype.kind == "bool":
        raise NotLazyError("changes of truth values are objects")
    if type(series.values) is pdarray and series.values._value.dtype.kind == "uint":
        raise NotLazyError("differences of numbers without a sign wrap round")
    return series.diff(periods)


def interpolated(series: LazySeries) -> LazySeries:
    """Return floats with missing ones on the lines between the neighbours, and after the last one equal to it."""
    if not isinstance(series.values, pdarray) or isinstance(series.values, TimeArray):
        raise NotLazyError("values are no numbers")
    dtype = series.values._value.dtype
    if dtype.nullable or dtype.kind == "bool":
        raise NotLazyError("values are no floats")
    if dtype.kind != "float":
        return series
    if series._level_names:
        raise NotLazyError("labels have several levels")
    plain: Any = LazySeries.under(series._on_columns(series._labelled._columns.labelled(None)))
    numbers = LazySeries.under(plain._with(plain._labelled._columns.index_array().astype("float64")))
    there = plain.notna()
    positions = numbers.where(there)
    before, after = plain.ffill(), plain.bfill()
    first, last = positions.ffill(), positions.bfill()
    slope = (after - before) / (last - first)
    between = slope * (numbers - first) + before
    found = plain.where(there, between.where(after.notna(), before))
    return LazySeries.under(series._with(found.values))


def interpolate(
    series: LazySeries,
    method: str = "linear",
    axis: Any = 0,
    limit: Any = None,
    limit_direction: Any = None,
    limit_area: Any = None,
) -> Any:
    if method != "linear" or limit is not None or limit_direction not in (None, "forward") or limit_area is not None:
        raise NotLazyError("values are interpolated by their numbers, after the first one, alone")
    return interpolated(series)


BY_VALUE = words("abs cumsum cumprod cummax cummin shift diff rank ffill bfill pct_change round isna notna fillna")
"""Methods that give a value for each value."""


def transform(series: LazySeries, func: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
    if args or not (isinstance(func, np.ufunc) or (isinstance(func, str) and func in BY_VALUE)):
        raise NotLazyError("functions of the user run in pandas")
    face = faced(series)
    return lazy_argument(getattr(face, func)(**options) if isinstance(func, str) else func(face))


def infer_objects(series: LazySeries) -> Any:
    return series


def related(name: str) -> Callable[..., Any]:
    """Return the form of a measure of how two columns change together."""

    def relate(series: LazySeries, other: Any) -> Any:
        if not isinstance(other, Series):
            raise NotLazyError("the other side is no Series")
        if any(isinstance(side.values, TimeArray) for side in (series, other)):
            raise NotLazyError("missing times are numbers in pandas")
        return getattr(series, name)(other)

    return relate


def autocorr(series: LazySeries, lag: int = 1) -> Any:
    return related("corr")(series, series.shift(lag))


def truth(name: str) -> Callable[..., Any]:
    """Return the form of whether all, or any, values are true: of text pandas gives a bool of Python."""

    def reduce(series: LazySeries, skipna: bool = True) -> Any:
        found = faced(getattr(series, name)(skipna=skipna))
        return bool(found) if isinstance(series.values, Strings) else found

    return reduce


def argsort(series: LazySeries, kind: str = "quicksort") -> Any:
    """Return the positions that put the values in order."""
    order = order_of_pandas(series, True, kind, "last")
    if order is None:
        raise NotLazyError("there are many values")
    return LazySeries.under(series._with(array(order)))


def get(series: LazySeries, key: Any, default: Any = None) -> Any:
    key, nothing = in_pandas(key), object()
    numbers = pandas.Series(np.arange(len(series)), row_labels(framed(series, series.name)))
    if selection.asked(lambda rows: rows.get(key, nothing), numbers) is nothing:
        return default
    return selection.by_labels(series, lambda rows: rows.get(key))


def set_axis(series: LazySeries, labels: Any, axis: Any = 0) -> Any:
    rows = labels if isinstance(labels, pandas.Index) else pandas.Index(in_pandas(labels))
    if len(rows) != len(series) or rows.nlevels > 1:
        raise NotLazyError("labels are too many or too few, or have several levels")
    frame = selection.with_labels_of(framed(series, VALUES), rows, pandas.Index([VALUES]))
    return series_of(frame, series.name)


def categories_of(series: LazySeries) -> Any:
    from akdask.pandas.category_forms import CategoriesOf

    return CategoriesOf(series)


REDUCTIONS = words("sum mean min max std var median count nunique prod sem")


def agg(series: LazySeries, func: Any = None, axis: Any = 0, *args: Any, **named: Any) -> Any:
    if isinstance(func, list) and not args and not named and all(isinstance(how, str) for how in func):
        if not REDUCTIONS.issuperset(func) or len({*func}) < len(func) or not isinstance(series.values, pdarray):
            raise NotLazyError("a reduction has no lazy form")
        found = [faced(getattr(series, how)(**({"ddof": 1} if how in ("std", "var") else {}))) for how in func]
        made = pandas.Series(found, index=func, name=series.name)
        return made.astype(type_with_gaps(series, made.dtype)) if {*func} & OF_VALUES else made
    if isinstance(func, str):
        found = getattr(faced(series), func)
        return found(*args, **named) if callable(found) else found
    raise NotLazyError("functions of the user run in pandas")


def unstack(series: LazySeries, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
    from akdask.pandas import pivots

    return pivots.unstack(series, level, fill_value, sort)


def times_of(series: Any) -> Any:
    """Return ``dt``."""
    arrow = loaded_module("akdask.pandas.arrow_types")
    return series.dt if arrow is None else arrow.times_of(series)


def of_numbers(name: str) -> Callable[..., Any]:
    """Return the form of an attribute that is the same of values and of the numbers that stand for them."""

    def read(series: LazySeries) -> bool:
        encoded = loaded_module("akdask.pandas.encoded")
        coding = None if encoded is None else encoded.coding_of(series)
        if coding is not None and not coding.is_ordered:
            raise NotLazyError("values have no lazy order")
        plain: Any = series if coding is None else series._with(series.values.plain())
        found = getattr(plain, name)
        return bool(found() if callable(found) else found)

    return read


ATTRIBUTES = words("hasnans is_unique is_monotonic_decreasing is_monotonic_increasing")
"""Attributes that say something of all values."""


BY_LABELS = words("drop droplevel filter reorder_levels sample swaplevel take truncate xs")
"""Methods that choose or name rows by labels or positions."""


FORMS: Mapping[str, Callable[..., Any] | str] = {
    **ARITHMETIC,
    "str": text_of,
    "dt": times_of,
    "cat": categories_of,
    "__getitem__": selection.entries,
    "argmax": position_of_extreme("idxmax"),
    "argmin": position_of_extreme("idxmin"),
    "agg": agg,
    "aggregate": agg,
    "astype": astype,
    "groupby": groupby,
    "idxmax": idxmax,
    "idxmin": idxmin,
    "isin": isin,
    "map": map,
    "mode": mode,
    "nunique": nunique,
    "rename": rename,
    "resample": resample,
    "reset_index": reset_index,
    "shift": shift,
    "sort_index": "frame_forms",
    "sort_values": sort_values,
    **{name: by_labels(name) for name in BY_LABELS},
    **{name: of_numbers(name) for name in ATTRIBUTES},
    "to_frame": to_frame,
    "argsort": argsort,
    "between": between,
    "clip": "clip_forms",
    **{name: related(name) for name in ("corr", "cov")},
    **{name: truth(name) for name in ("all", "any")},
    "autocorr": autocorr,
    "diff": diff,
    "fillna": fillna,
    "get": get,
    "infer_objects": infer_objects,
    "interpolate": interpolate,
    "set_axis": set_axis,
    "transform": transform,
    "unique": unique,
    "unstack": unstack,
}
