"""Lazy forms of methods of a frame that the lazy frame lacks, or has with another meaning or other words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas.lazy import LazyFrame, column_of, order_of_pandas
from akdask.pandas.refusals import NotLazyError


def groupby(frame: LazyFrame, by: Any = None, **options: Any) -> Any:
    from akdask.pandas import grouped

    return grouped.of_frame(frame, by, **options)


def merge(
    frame: LazyFrame,
    right: Any,
    how: str = "inner",
    on: Any = None,
    left_on: Any = None,
    right_on: Any = None,
    left_index: bool = False,
    right_index: bool = False,
    sort: bool = False,
    suffixes: Any = ("_x", "_y"),
    indicator: Any = False,
) -> Any:
    if how not in ("inner", "left", "right", "outer", "cross"):
        raise NotLazyError(f"how={how!r} has no lazy form")
    if indicator is not False:
        raise NotLazyError("the indicator is a Categorical")
    return frame.merge(
        right,
        how=how,
        on=on,
        left_on=left_on,
        right_on=right_on,
        left_index=left_index,
        right_index=right_index,
        sort=sort or how == "outer",
        suffixes=suffixes,
        indicator=indicator,
    )


def melt(
    frame: LazyFrame, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value"
) -> Any:
    return frame.melt(id_vars, value_vars, "variable" if var_name is None else var_name, value_name)


def drop(
    frame: LazyFrame,
    labels: Any = None,
    axis: Any = 0,
    index: Any = None,
    columns: Any = None,
    errors: str = "raise",
) -> Any:
    if labels is not None and (index is not None or columns is not None):
        raise NotLazyError("labels and columns are both given")
    return frame.drop(labels, axis=axis, index=index, columns=columns, errors=errors)


def rename(
    frame: LazyFrame,
    mapper: Any = None,
    index: Any = None,
    columns: Any = None,
    axis: Any = None,
    errors: str = "ignore",
) -> Any:
    if mapper is not None and axis in (1, "columns"):
        columns, mapper = mapper, None
    if mapper is not None or index is not None or errors != "ignore":
        raise NotLazyError("labels of rows are renamed")
    names = {name: (columns(name) if callable(columns) else columns.get(name, name)) for name in frame.columns}
    if not all(isinstance(name, str) for name in names.values()) or len({*names.values()}) < len(names):
        raise NotLazyError("the names are not text, or repeat")
    return frame._of(frame._columns.renamed(names))


def reset_index(frame: LazyFrame, drop: bool = False, names: Any = None) -> Any:
    return frame.reset_index(drop=drop, names=names)


def resample(frame: LazyFrame, rule: Any, **options: Any) -> Any:
    from akdask.pandas import resample_forms

    return resample_forms.of_frame(frame, rule, **options)


def astype(frame: LazyFrame, dtype: Any, errors: str = "raise") -> Any:
    given = dtype if isinstance(dtype, dict) else dict.fromkeys(frame.columns, dtype)
    if errors != "raise" or not all(map(is_lazy_target, given.values())):
        raise NotLazyError("a type has no lazy form")
    return frame.astype(dtype)


def summary(name: str) -> Callable[..., Any]:
    """Return the form of a summary of columns."""
    from akdask.pandas import summaries

    found: Callable[..., Any] = getattr(summaries, name)
    return found


def table(name: str) -> Callable[..., Any]:
    """Return the form of a method that puts values of columns across."""
    from akdask.pandas import pivots

    found: Callable[..., Any] = getattr(pivots, name)
    return found


def item(frame: LazyFrame, key: Any) -> Any:
    """Return a column, some columns, the rows of a mask, or a slice of rows."""
    if isinstance(key, str):
        if key not in frame._columns.values:
            raise NotLazyError("there is no such column")
        return column_of(frame, key, key)
    if isinstance(key, list | np.ndarray | pandas.Index) and len(key) and all(isinstance(name, str) for name in key):
        if len({*key}) < len(key):
            raise NotLazyError("names repeat")
        return frame._of(frame._columns.only(list(key)))
    if isinstance(key, Series) and key.dtype == bool:
        return frame[key]
    if isinstance(key, DataFrame):
        return frame.where(key)
    if isinstance(key, slice) and all(
        part is None or isinstance(part, int) for part in (key.start, key.stop, key.step)
    ):
        return frame._of(frame._columns.sliced(key))
    raise NotLazyError("the key has no lazy form")


def is_lazy_target(dtype: Any) -> bool:
    try:
        return np.dtype(dtype).str[1:] in ("i8", "f8", "b1")
    except TypeError:
        return False


def sample(
    frame: LazyFrame,
    n: Any = None,
    frac: Any = None,
    replace: bool = False,
    random_state: Any = None,
    ignore_index: bool = False,
) -> Any:
    """Return the rows that pandas draws with the same seed."""
    drawn = pandas.Series(range(len(frame))).sample(n=n, frac=frac, replace=replace, random_state=random_state)
    rows = frame.take(drawn.to_numpy())
    return rows.reset_index(drop=True) if ignore_index else rows


def sort_values(
    frame: LazyFrame,
    by: Any,
    ascending: Any = True,
    kind: str = "quicksort",
    na_position: str = "last",
    ignore_index: bool = False,
    key: Any = None,
) -> Any:
    names = by if isinstance(by, list) else [by]
    if len(names) == 1 and key is None and names[0] in frame._columns.values:
        (up,) = ascending if isinstance(ascending, list | tuple) else [ascending]
        order = order_of_pandas(column_of(frame, names[0], None), bool(up), kind, na_position)
        if order is not None:
            rows = frame.take(order)
            return rows.reset_index(drop=True) if ignore_index else rows
    return frame.sort_values(by, ascending, na_position=na_position, ignore_index=ignore_index, key=key)


FORMS: Mapping[str, Callable[..., Any]] = {
    "__getitem__": item,
    "astype": astype,
    **{name: summary(name) for name in ("corr", "cov", "describe", "quantile", "value_counts")},
    **{name: summary("by_column")(name) for name in ("kurt", "median", "sem", "skew")},
    **{name: summary("extreme")(name) for name in ("max", "min")},
    "drop": drop,
    "groupby": groupby,
    "melt": melt,
    "merge": merge,
    **{name: table(name) for name in ("pivot", "pivot_table", "unstack")},
    "rename": rename,
    "resample": resample,
    "reset_index": reset_index,
    "sample": sample,
    "sort_values": sort_values,
}
