"""Lazy forms of functions of pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas

from akdask.frames.dataframe import DataFrame
from akdask.pandas import category_forms, conversions, frame_forms, key_joins
from akdask.pandas.face import faced, lazy_argument
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError


def merge(left: Any, right: Any, **options: Any) -> Any:
    if not isinstance(left, DataFrame):
        raise NotLazyError("the left side is no frame")
    return frame_forms.merge(LazyFrame.under(left), right, **options)


def merge_asof(left: Any, right: Any, **options: Any) -> Any:
    return key_joins.form(pandas.merge_asof)(left, right, **options)


def merge_ordered(left: Any, right: Any, **options: Any) -> Any:
    return key_joins.form(pandas.merge_ordered)(left, right, **options)


def concat(
    objs: Any,
    axis: Any = 0,
    join: str = "outer",
    ignore_index: bool = False,
    keys: Any = None,
    levels: Any = None,
    names: Any = None,
    verify_integrity: bool = False,
    sort: bool = False,
) -> Any:
    """Put frames or Series below or beside each other."""
    from akdask.pandas import concatenation

    if isinstance(objs, dict):
        keys = list(objs) if keys is None else keys
        objs = [objs[key] for key in keys]
    if not isinstance(objs, list | tuple) or any(one is None for one in objs):
        raise NotLazyError("there is no list of frames and Series")
    given = {"join": join, "keys": keys, "levels": levels, "names": names, "sort": sort}
    given["verify_integrity"] = verify_integrity
    if axis not in (0, 1, "index", "columns"):
        raise NotLazyError("there is no such axis")
    return concatenation.concat(list(objs), axis in (1, "columns"), ignore_index, given)


def pivot_table(data: Any, kwargs: Any = None, **options: Any) -> Any:
    if kwargs:
        raise NotLazyError("arguments of functions")
    from akdask.pandas import pivots

    return pivots.pivot_table(LazyFrame.under(data), **options)


def pivot(data: Any, **options: Any) -> Any:
    from akdask.pandas import pivots

    return pivots.pivot(LazyFrame.under(data), **options)


def melt(
    frame: Any, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value"
) -> Any:
    return frame_forms.melt(LazyFrame.under(frame), id_vars, value_vars, var_name, value_name)


def crosstab(**options: Any) -> Any:
    from akdask.pandas import pivots

    return pivots.crosstab(**options)


def by_method(name: str) -> Callable[..., Any]:
    """Return the form of a function that is a method of frames and Series."""

    def call(obj: Any) -> Any:
        return lazy_argument(getattr(faced(obj), name)())

    return call


FORMS: Mapping[str, Callable[..., Any]] = {
    "merge": merge,
    "merge_asof": merge_asof,
    "merge_ordered": merge_ordered,
    "concat": concat,
    "crosstab": crosstab,
    "get_dummies": category_forms.get_dummies,
    "melt": melt,
    "pivot": pivot,
    "pivot_table": pivot_table,
    **{name: by_method(name) for name in ("isna", "isnull", "notna", "notnull")},
    "cut": category_forms.cut,
    "qcut": category_forms.qcut,
    "to_datetime": conversions.to_datetime,
    "to_timedelta": conversions.to_timedelta,
    "to_numeric": conversions.to_numeric,
}
