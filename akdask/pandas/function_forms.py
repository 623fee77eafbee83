"""Lazy forms of functions of pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from akdask.frames import functions
from akdask.frames.dataframe import DataFrame
from akdask.pandas import category_forms, conversions, frame_forms
from akdask.pandas.labels import labels_of_frame
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError


def merge(left: Any, right: Any, **options: Any) -> Any:
    if not isinstance(left, DataFrame):
        raise NotLazyError("the left side is no frame")
    return frame_forms.merge(LazyFrame.under(left), right, **options)


def concat(
    objs: Any, axis: Any = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None, sort: bool = False
) -> Any:
    """Put frames or Series below or beside each other."""
    if keys is not None or sort or not isinstance(objs, list | tuple):
        raise NotLazyError("keys and sort have no lazy form")
    items = [item for item in objs if item is not None]
    if any(isinstance(item, DataFrame) and labels_of_frame(item) is not None for item in items):
        raise NotLazyError("labels of several levels are put together by pandas")
    return functions.concat(items, axis=axis, join=join, ignore_index=ignore_index)


def pivot_table(data: Any, kwargs: Any = None, **options: Any) -> Any:
    if kwargs:
        raise NotLazyError("arguments of functions")
    return frame_forms.table("pivot_table")(LazyFrame.under(data), **options)


def pivot(data: Any, **options: Any) -> Any:
    return frame_forms.table("pivot")(LazyFrame.under(data), **options)


def melt(frame: Any, **options: Any) -> Any:
    return frame_forms.melt(LazyFrame.under(frame), **options)


def crosstab(**options: Any) -> Any:
    from akdask.pandas import pivots

    return pivots.crosstab(**options)


FORMS: Mapping[str, Callable[..., Any]] = {
    "merge": merge,
    "concat": concat,
    "crosstab": crosstab,
    "get_dummies": category_forms.get_dummies,
    "melt": melt,
    "pivot": pivot,
    "pivot_table": pivot_table,
    "isna": functions.isna,
    "notna": functions.notna,
    "cut": category_forms.cut,
    "qcut": category_forms.qcut,
    "to_datetime": conversions.to_datetime,
    "to_timedelta": conversions.to_timedelta,
    "to_numeric": conversions.to_numeric,
}
