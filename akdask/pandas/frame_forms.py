"""Lazy forms of methods of a frame that the lazy frame lacks, or has with another meaning or other words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas

from akdask.arrays.pdarray import pdarray
from akdask.deferred import loaded_module
from akdask.engine.values import nearest_floats
from akdask.errors import AkdaskError
from akdask.frames.dataframe import DataFrame
from akdask.frames.elementwise import EXACT
from akdask.pandas import selection, tuning
from akdask.pandas.arithmetic_forms import FORMS as ARITHMETIC
from akdask.pandas.face import called as called_on
from akdask.pandas.face import faced, in_pandas, lazy_argument, lazy_kind
from akdask.pandas.labels import (
    arranged,
    column_labels,
    computed,
    data_names,
    labels_of_frame,
    probe,
    row_labels,
    settled,
)
from akdask.pandas.lazy import (
    LazyFrame,
    LazySeries,
    column_of,
    keeps_equal_rows,
    key_of_selected,
    order_of_pandas,
    rows_found_once,
)
from akdask.pandas.refusals import AbsentColumnError, NotLazyError


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
    validate: Any = None,
) -> Any:
    """Join lazily; where keys or arguments have no lazy form, by rows that pandas finds by the keys."""
    words = {"how": how, "on": on, "left_on": left_on, "right_on": right_on, "left_index": left_index}
    words |= {"right_index": right_index, "sort": sort, "suffixes": suffixes}
    try:
        if indicator is not False or validate is not None:
            raise NotLazyError("rows are looked at")
        return _merged(frame, right, **words)
    except AbsentColumnError:
        raise
    except (AkdaskError, NotLazyError, TypeError):
        from akdask.pandas import key_joins

        return key_joins.form(pandas.merge)(frame, right, **words, indicator=indicator, validate=validate)


def _listed(key: Any) -> Any:
    return key if isinstance(key, list | tuple) else [key]


def _check_keys(side: Any, key: Any) -> None:
    """Refuse keys that name neither a column nor a level of the labels."""
    known = {*side._columns.values, side._columns.index_name} if isinstance(side, DataFrame) else set()
    for one in _listed(key) if known else ():
        if isinstance(one, str) and one not in known:
            raise AbsentColumnError(f"there is no column {one!r}")


def _merged(
    frame: LazyFrame,
    right: Any,
    how: str,
    on: Any,
    left_on: Any,
    right_on: Any,
    left_index: bool,
    right_index: bool,
    sort: bool,
    suffixes: Any,
) -> Any:
    if how not in ("inner", "left", "right", "outer", "cross"):
        raise NotLazyError(f"how={how!r} has no lazy form")
    if any(isinstance(one, DataFrame) and labels_of_frame(one) is not None for one in (frame, right)):
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    for key, is_by_labels, other in ((left_on, right_index, right), (right_on, left_index, frame)):
        columns = other._columns.values if isinstance(other, DataFrame) else ()
        if is_by_labels and key is not None and any(isinstance(one, str) and one in columns for one in _listed(key)):
            raise NotLazyError("a key is a column of the side that is joined by its labels")
    for key, sides in ((on, (frame, right)), (left_on, (frame,)), (right_on, (right,))):
        for side in sides:
            _check_keys(side, key)
    if how in ("right", "outer") and _differ_by_gaps(frame, right, on):
        raise NotLazyError("keys of one side may be floats")
    _check_exact(frame, right, on, left_on, right_on)
    encoded = loaded_module("akdask.pandas.encoded")
    if encoded is not None and how not in ("inner", "cross"):
        encoded.check_gaps(frame, right)
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
    )


def melt(
    frame: LazyFrame, id_vars: Any = None, value_vars: Any = None, var_name: Any = None, value_name: Any = "value"
) -> Any:
    if value_vars is not None and {*_listed(id_vars or [])} & {*_listed(value_vars)}:
        raise NotLazyError("a column stays, and is put below others")
    return frame.melt(id_vars, value_vars, "variable" if var_name is None else var_name, value_name)


def drop(
    frame: LazyFrame,
    labels: Any = None,
    axis: Any = 0,
    index: Any = None,
    columns: Any = None,
    level: Any = None,
    errors: str = "raise",
) -> Any:
    if labels is not None and (index is not None or columns is not None):
        raise NotLazyError("pandas refuses it")
    if axis in (1, "columns"):
        columns, labels = labels, None
    given = {"level": level, "errors": errors}
    index = in_pandas(labels if index is None else index)
    if index is None and columns is None:
        raise NotLazyError("nothing is dropped")
    if columns is not None:
        columns = in_pandas(columns)
        frame = arranged(frame, selection.asked(lambda row: row.drop(columns=columns, **given), probe(frame)))
    return frame if index is None else selection.by_labels(frame, lambda rows: rows.drop(index=index, **given))


def rename(
    frame: LazyFrame,
    mapper: Any = None,
    index: Any = None,
    columns: Any = None,
    axis: Any = None,
    level: Any = None,
    errors: str = "ignore",
) -> Any:
    if (mapper is not None or axis is not None) and (index is not None or columns is not None):
        raise NotLazyError("pandas refuses it")
    if axis in (1, "columns"):
        columns, mapper = mapper, None
    index = in_pandas(mapper if index is None else index)
    if index is None and columns is None:
        raise NotLazyError("nothing is renamed")
    given = {"level": level, "errors": errors}
    if columns is not None:
        columns = in_pandas(columns)
        frame = arranged(frame, selection.asked(lambda row: row.rename(columns=columns, **given), probe(frame)))
    return frame if index is None else selection.by_labels(frame, lambda rows: rows.rename(index=index, **given))


def reindex(
    frame: LazyFrame,
    labels: Any = None,
    index: Any = None,
    columns: Any = None,
    axis: Any = None,
    method: Any = None,
    level: Any = None,
    fill_value: Any = np.nan,
    limit: Any = None,
    tolerance: Any = None,
) -> Any:
    if labels is not None and (index is not None or columns is not None):
        raise NotLazyError("pandas refuses it")
    if axis in (1, "columns"):
        columns, labels = labels, None
    index = in_pandas(labels if index is None else index)
    given = {"method": method, "level": level, "limit": limit, "tolerance": tolerance}
    if columns is not None:
        columns = in_pandas(columns)
        frame = arranged(frame, selection.asked(lambda row: row.reindex(columns=columns), probe(frame)))
    if index is None:
        return frame
    return selection.by_labels(
        frame,
        lambda rows: rows.reindex(index=index, **given),
        fill_value=None if pandas.isna(fill_value) else fill_value,
    )


def sort_index(
    frame: LazyFrame,
    axis: Any = 0,
    level: Any = None,
    ascending: Any = True,
    kind: str = "quicksort",
    na_position: str = "last",
    sort_remaining: bool = True,
    ignore_index: bool = False,
    key: Any = None,
) -> Any:
    given = {
        "level": level,
        "ascending": ascending,
        "kind": kind,
        "na_position": na_position,
        "sort_remaining": sort_remaining,
        "ignore_index": ignore_index,
        "key": key,
    }
    return selection.by_labels(frame, lambda rows: rows.sort_index(**given))


def xs(frame: LazyFrame, key: Any, axis: Any = 0, level: Any = None, drop_level: bool = True) -> Any:
    given = {"axis": axis, "level": level, "drop_level": drop_level}
    if axis in (1, "columns"):
        return arranged(frame, selection.asked(lambda row: row.xs(key, **given), probe(frame)))
    return selection.by_labels(frame, lambda rows: rows.xs(key, **given))


def truncate(frame: LazyFrame, before: Any = None, after: Any = None, axis: Any = None) -> Any:
    if axis in (1, "columns"):
        return arranged(frame, selection.asked(lambda row: row.truncate(before, after, axis=1), probe(frame)))
    return selection.by_labels(frame, lambda rows: rows.truncate(before, after))


def apply(
    frame: LazyFrame,
    func: Any,
    axis: Any = 0,
    raw: bool = False,
    result_type: Any = None,
    args: Any = (),
    **options: Any,
) -> Any:
    """Call a function with each column."""
    if not callable(func) or isinstance(func, type) or axis not in (0, "index") or raw or result_type is not None:
        raise NotLazyError("functions of rows run in pandas")
    names = column_labels(frame)
    found = [
        func(faced(arranged(frame, probe(frame).iloc[:, number])), *args, **options) for number in range(len(names))
    ]
    if all(np.isscalar(one) for one in found):
        return pandas.Series(found, names)
    columns = [lazy_argument(one) for one in found]
    if labels_of_frame(frame) is None and all(lazy_kind(column) == "series" for column in columns):
        own = frame._row_labels
        if all(own.are_those_of(column._row_labels) for column in columns):
            values = {name: column.values for name, column in zip(names, columns, strict=True)}
            return frame._of(frame._columns.beside(values))
    raise NotLazyError("the function gives neither numbers nor columns")


def select(frame: LazyFrame, **given: Any) -> Any:
    """Return columns by their labels, and columns that expressions of `pandas.col` give."""
    items = given.pop("*", ())
    if len(items) == 1 and isinstance(items[0], list | np.ndarray | pandas.Index):
        items = tuple(items[0])
    expressions = pandas.api.typing.Expression
    if not given and not any(isinstance(item, expressions) for item in items):
        return arranged(frame, selection.asked(lambda row: row.select(list(items)), probe(frame)))
    if labels_of_frame(frame) is not None:
        raise NotLazyError("columns have labels of their own")
    data, names = faced(frame), list[str]()
    for name, item in [*[(None, item) for item in items], *given.items()]:
        if name is None and not isinstance(item, expressions):
            names.append(item)
            continue
        found = called_on(item, data) if isinstance(item, expressions) else item
        called = getattr(found, "name", None) if name is None else name
        if not isinstance(called, str) or called in names or (callable(found) and not hasattr(found, "lazy")):
            raise NotLazyError("a computed column has no name, or another one has it")
        data[called] = found
        names.append(called)
    return lazy_argument(data[names])


def interpolate(
    frame: LazyFrame,
    method: str = "linear",
    axis: Any = 0,
    limit: Any = None,
    limit_direction: Any = None,
    limit_area: Any = None,
) -> Any:
    from akdask.pandas.series_forms import interpolated

    if method != "linear" or axis not in (0, "index") or labels_of_frame(frame) is not None or limit is not None:
        raise NotLazyError("rows are interpolated by their numbers alone")
    if limit_direction not in (None, "forward") or limit_area is not None:
        raise NotLazyError("values are interpolated after the first one alone")
    columns = frame._columns
    for name in columns.values:
        columns = columns.having(name, interpolated(column_of(frame, name, name)).values)
    return frame._of(columns)


def transform(frame: LazyFrame, func: Any, axis: Any = 0, *args: Any, **options: Any) -> Any:
    """Call a method that gives a value for each value."""
    from akdask.pandas.series_forms import BY_VALUE

    if (
        axis not in (0, "index")
        or args
        or not (isinstance(func, np.ufunc) or (isinstance(func, str) and func in BY_VALUE))
    ):
        raise NotLazyError("functions of the user run in pandas")
    face = faced(frame)
    return lazy_argument(getattr(face, func)(**options) if isinstance(func, str) else func(face))


def rank(
    frame: LazyFrame, method: str = "average", na_option: str = "keep", ascending: bool = True, pct: bool = False
) -> Any:
    """Return ranks; integers beside columns of floats are ranked as the floats nearest to them."""
    columns = frame._columns
    kinds = {columns.array(name)._value.dtype.kind for name in columns.values}
    if "float" in kinds:
        for name in columns.values:
            array = columns.array(name)
            if type(array) is pdarray and array._value.dtype.kind in ("int", "uint"):
                columns = columns.having(name, pdarray(array._frame, nearest_floats(array._value)))
    return frame._of(columns).rank(method, ascending, pct, na_option=na_option)


def infer_objects(frame: LazyFrame) -> Any:
    return frame


def filter(frame: LazyFrame, items: Any = None, like: Any = None, regex: Any = None, axis: Any = None) -> Any:
    given = {"items": items, "like": like, "regex": regex}
    return selection.by_labels(frame, lambda rows: rows.filter(**given, axis=0))


def arranged_in_pandas(name: str) -> Callable[..., Any]:
    """Return the form of a method that gives cells other places: it is pandas' own on few rows."""

    def arrange(lazy: Any, *args: Any, **options: Any) -> Any:
        if len(lazy) > tuning.ARRANGED_ROWS:
            raise NotLazyError("there are many rows")
        rows = computed(lazy)
        return selection.asked(lambda rows: getattr(rows, name)(*args, **options), rows)

    return arrange


def reset_index(frame: LazyFrame, drop: bool = False, names: Any = None) -> Any:
    return frame.reset_index(drop=drop, names=names)


def resample(frame: LazyFrame, rule: Any, **options: Any) -> Any:
    from akdask.pandas import resample_forms

    return resample_forms.binned(frame, rule, **options)


def astype(frame: LazyFrame, dtype: Any, errors: str = "raise") -> Any:
    from akdask.pandas.conversions import converted

    given = dtype if isinstance(dtype, dict) else dict.fromkeys(frame._columns.values, dtype)
    if errors != "raise":
        raise NotLazyError("errors are ignored")
    if not given.keys() <= frame._columns.values.keys():
        raise AbsentColumnError("there is no such column")
    columns = frame._columns
    for name, wanted in given.items():
        columns = columns.having(name, converted(column_of(frame, name, name), wanted).values)
    return frame._of(columns)


def _differ_by_gaps(one: Any, other: Any, on: Any) -> bool:
    """Return whether keys of one side are floats in pandas, or may be since integers are missing, not the others."""
    if not isinstance(other, DataFrame):
        return False
    left, right = one._columns, other._columns
    names = _listed(on) if on is not None else [name for name in left.values if name in right.values]
    pairs = [(left.array(name), right.array(name)) for name in names if name in left.values and name in right.values]
    return any(
        bool(_with_gaps(mine)) != bool(_with_gaps(its)) or mine._value.dtype.kind != its._value.dtype.kind
        for mine, its in pairs
    )


def _check_exact(one: Any, other: Any, on: Any, left_on: Any, right_on: Any) -> None:
    """Raise NotLazyError for integers beyond those that are floats beside keys that are floats in pandas; computes."""
    left, right = _key_columns(one, on or left_on), _key_columns(other, on or right_on)
    for pair in zip(left, right, strict=False):
        kinds = {settled(array)._value.dtype.kind for array in pair if type(array) is pdarray}
        if "float" in kinds and any(_is_rounded(array) for array in pair):
            raise NotLazyError("keys are floats in pandas, which are rounded")


def _key_columns(side: Any, keys: Any) -> list[Any]:
    if not isinstance(side, DataFrame):
        return []
    columns = side._columns
    return [columns.array(key) if isinstance(key, str) and key in columns.values else None for key in _listed(keys)]


def _is_rounded(array: Any) -> bool:
    if type(array) is not pdarray or array._value.dtype.kind not in ("int", "uint"):
        return False
    numbers = LazySeries(array)
    return bool(((numbers > EXACT) | (numbers < -EXACT)).any())


def _with_gaps(array: Any) -> Any:
    return array._with_gaps() if type(array) is pdarray else ()


def most(name: str) -> Callable[..., Any]:
    """Return the form of ``nlargest`` or ``nsmallest``."""

    def choose(frame: LazyFrame, n: int, columns: Any, keep: str = "first") -> Any:
        if isinstance(columns, list) and len(columns) > 1:
            counts = [column_of(frame, each, None).count() for each in columns[:-1] if each in frame._columns.values]
            if any(int(count) < n for count in counts):
                raise NotLazyError("pandas chooses more rows where values are missing")
        return getattr(frame, name)(n, columns, keep)

    return choose


def select_dtypes(frame: LazyFrame, include: Any = None, exclude: Any = None) -> Any:
    """Return the columns that pandas selects by their types."""
    from akdask.pandas.labels import labels_of_frame, types_of

    if labels_of_frame(frame) is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    nothing = pandas.DataFrame({name: pandas.Series([], dtype=dtype) for name, dtype in types_of(frame).items()})
    return item(frame, list(nothing.select_dtypes(include, exclude).columns))


def set_index(frame: LazyFrame, keys: Any, drop: bool = True) -> Any:
    given = keys if isinstance(keys, list) else [keys]
    if any(getattr(one, "freq", None) is not None for one in given):
        raise NotLazyError("labels have a frequency")
    return frame.set_index(keys, drop)


def summary(name: str) -> Callable[..., Any]:
    """Return the form of a summary of columns."""
    from akdask.pandas import summaries

    found: Callable[..., Any] = getattr(summaries, name)
    return found


def expression(name: str) -> Callable[..., Any]:
    """Return the form of a method that takes an expression."""
    from akdask.pandas import queries

    found: Callable[..., Any] = getattr(queries, name)
    return found


def item(frame: LazyFrame, key: Any) -> Any:
    """Return a column, some columns, the rows of a mask, or a slice of rows."""
    if isinstance(key, str):
        if key not in frame._columns.values:
            raise AbsentColumnError("there is no such column")
        return column_of(frame, key, key)
    if isinstance(key, list | np.ndarray | pandas.Index) and len(key) and all(isinstance(name, str) for name in key):
        if len({*key}) < len(key):
            raise NotLazyError("names repeat")
        return frame._of(frame._columns.only(list(key)))
    if isinstance(key, DataFrame):
        encoded = loaded_module("akdask.pandas.encoded")
        if encoded is not None:
            encoded.check_gaps(frame)
        return frame.where(key)
    return selection.rows_of_frame(frame, key)


def sample(
    frame: LazyFrame,
    n: Any = None,
    frac: Any = None,
    replace: bool = False,
    weights: Any = None,
    random_state: Any = None,
    axis: Any = None,
    ignore_index: bool = False,
) -> Any:
    """Return the rows that pandas draws with the same seed."""
    given = {"n": n, "frac": frac, "replace": replace, "random_state": random_state, "ignore_index": ignore_index}
    if axis in (1, "columns"):
        return arranged(frame, selection.asked(lambda row: row.sample(axis=1, weights=weights, **given), probe(frame)))
    weights = computed(item(frame, weights)) if isinstance(weights, str) else in_pandas(weights)
    return selection.by_labels(frame, lambda rows: rows.sample(weights=weights, **given), is_repeatable=False)


def take(frame: LazyFrame, indices: Any, axis: Any = 0) -> Any:
    indices = in_pandas(indices)
    if axis in (1, "columns"):
        return arranged(frame, selection.asked(lambda row: row.take(indices, axis=1), probe(frame)))
    return selection.by_labels(frame, lambda rows: rows.take(indices))


def get(frame: LazyFrame, key: Any, default: Any = None) -> Any:
    found = probe(frame).get(in_pandas(key), default)
    return arranged(frame, found) if isinstance(found, pandas.Series | pandas.DataFrame) else found


def first_valid_index(frame: LazyFrame) -> Any:
    return _valid_labels(frame, 0)


def last_valid_index(frame: LazyFrame) -> Any:
    return _valid_labels(frame, -1)


def _valid_labels(frame: LazyFrame, position: int) -> Any:
    there = np.flatnonzero(
        computed(LazyFrame._of(frame._columns.only(data_names(frame)).labelled(None)).notna()).any(axis=1)
    )
    return row_labels(frame)[there[position]] if len(there) else None


def squeeze(frame: LazyFrame, axis: Any = None) -> Any:
    column = len(data_names(frame)) == 1 and axis in (None, 1, "columns")
    if axis in (None, 0, "index") and len(frame) == 1:
        return computed(frame).squeeze(axis)
    return arranged(frame, probe(frame).iloc[:, 0]) if column else frame


def drop_duplicates(frame: LazyFrame, subset: Any = None, keep: Any = "first", ignore_index: bool = False) -> Any:
    if subset is not None and not isinstance(subset, str | list):
        subset = list(subset)
    found = frame[~frame.duplicated(subset, keep=False)] if keep is False else frame.drop_duplicates(subset, keep)
    return found.reset_index(drop=True) if ignore_index else found


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
    if frame._columns.index_name in frame._columns.values and frame._columns.index_name in names:
        raise NotLazyError("the labels of the rows have the name of the column")
    if len(names) == 1 and names[0] in frame._columns.values:
        (up,) = ascending if isinstance(ascending, list | tuple) else [ascending]
        if not keeps_equal_rows(column_of(frame, names[0], names[0]), kind, key):
            selected = key_of_selected(frame, names[0])
            frame = rows_found_once(frame) if selected is None else frame
            base, column, numbers = selected or (frame, column_of(frame, names[0], names[0]), None)
            order = order_of_pandas(column, bool(up), kind, na_position, key)
            if order is not None:
                rows = base.take(order if numbers is None else numbers.to_ndarray()[order])
                return rows.reset_index(drop=True) if ignore_index else rows
    return frame.sort_values(by, ascending, na_position=na_position, ignore_index=ignore_index, key=key)


FORMS: Mapping[str, Callable[..., Any] | str] = {
    **ARITHMETIC,
    "__getitem__": item,
    "apply": apply,
    "astype": astype,
    **{name: summary(name) for name in ("corr", "cov", "describe", "quantile", "value_counts")},
    **{name: most(name) for name in ("nlargest", "nsmallest")},
    **{name: summary("by_column")(name) for name in ("kurt", "median", "sem", "skew")},
    **{name: summary("extreme")(name) for name in ("max", "min")},
    **{name: summary("truth")(name) for name in ("all", "any")},
    **{name: summary("of_numbers")(name) for name in ("mean", "prod", "std", "sum", "var")},
    **{name: summary(name) for name in ("agg", "diff", "equals", "mode")},
    "aggregate": summary("agg"),
    "product": summary("of_numbers")("prod"),
    **{name: summary("label_of_extreme")(name) for name in ("idxmax", "idxmin")},
    "filter": filter,
    "stack": arranged_in_pandas("stack"),
    "transpose": arranged_in_pandas("transpose"),
    "clip": "clip_forms",
    "drop": drop,
    "drop_duplicates": drop_duplicates,
    "first_valid_index": first_valid_index,
    "get": get,
    "last_valid_index": last_valid_index,
    "reindex": reindex,
    "sort_index": sort_index,
    "squeeze": squeeze,
    "take": take,
    "truncate": truncate,
    "xs": xs,
    "eval": expression("evaluated"),
    "query": expression("query"),
    "groupby": groupby,
    "melt": melt,
    "merge": merge,
    **dict.fromkeys(("pivot", "pivot_table", "unstack"), "pivots"),
    "rank": rank,
    "rename": rename,
    "resample": resample,
    "reset_index": reset_index,
    "sample": sample,
    "infer_objects": infer_objects,
    "interpolate": interpolate,
    "select": select,
    "transform": transform,
    "select_dtypes": select_dtypes,
    "set_index": set_index,
    "sort_values": sort_values,
}
"""Forms by the names of methods; of few calls, the module that has the form."""
