"""Summaries of the columns of lazy frames: correlations, descriptions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas

from akdask.arrays.categorical import Categorical
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import numbers_among
from akdask.pandas import labels as labelling
from akdask.pandas.face import faced
from akdask.pandas.lazy import LazyFrame, column_of, plain
from akdask.pandas.refusals import ArrangementError, NotLazyError


def _types(frame: LazyFrame) -> pandas.DataFrame:
    """Return no rows, with the types of the columns."""
    if labelling.labels_of_frame(frame) is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    return plain(frame.head(0).to_pandas())  # type: ignore[no-any-return]


def _numbers(frame: LazyFrame, numeric_only: bool) -> LazyFrame:
    types = _types(frame).dtypes
    names = [str(name) for name, dtype in types.items() if dtype.kind in "iufb"]
    if len(names) < len(types) and not numeric_only:
        raise NotLazyError("a column has no numbers")
    if not names:
        raise NotLazyError("no column has numbers")
    return LazyFrame._of(frame._columns.only(names))


def corr(frame: LazyFrame, method: Any = "pearson", min_periods: int = 1, numeric_only: bool = False) -> Any:
    """Return correlations of each two columns, in the rows where neither is missing."""
    if method == "spearman" and not computed(frame.isna().any()).any():
        frame = LazyFrame.under(_numbers(frame, numeric_only).rank())
    elif method != "pearson":
        raise NotLazyError("ranks of each two columns")
    from akdask.frames.reductions import moments_of_pairs

    numbers = _numbers(frame, numeric_only)
    names, (counts, products, first, second) = moments_of_pairs(numbers)
    with np.errstate(all="ignore"):
        found = np.clip(products / np.sqrt(first * second), -1, 1)
    found[counts < max(min_periods, 1)] = np.nan
    return pandas.DataFrame(found, index=names, columns=names)


def cov(frame: LazyFrame, min_periods: int | None = None, ddof: int | None = 1, numeric_only: bool = False) -> Any:
    """Return covariances of each two columns, in the rows where neither is missing."""
    from akdask.frames.reductions import moments_of_pairs

    if any(dtype.kind in "mM" for dtype in _types(frame).dtypes):
        raise NotLazyError("times")
    numbers = _numbers(frame, numeric_only)
    names, (counts, products, _, _) = moments_of_pairs(numbers)
    # Where a value is missing, pandas takes no other ddof than 1.
    ddof = 1 if ddof is None or counts.min() < len(numbers) else ddof
    with np.errstate(all="ignore"):
        found = products / (counts - ddof)
    found[(counts <= ddof) | (counts < (min_periods or 1))] = np.nan
    return pandas.DataFrame(found, index=names, columns=names)


def describe(frame: LazyFrame, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    """Return the summary of each column that pandas describes, one beside the other."""
    from akdask.frames.reductions import described_numbers, quantiles_of

    names = _described(_types(frame), include, exclude)
    columns = frame._columns
    numbers = [name for name in numbers_among(columns) if name in names and columns.values[name].dtype.kind != "bool"]
    # Together, so that files are read once.
    described = described_numbers(columns, numbers, quantiles_of(percentiles))
    parts = [
        described[name] if name in numbers else column_of(frame, name, name).describe(percentiles) for name in names
    ]
    labels: list[Any] = []
    for part in sorted(parts, key=len):
        labels += [label for label in part.index if label not in labels]
    made = pandas.concat([part.reindex(labels) for part in parts], axis=1, sort=False)
    return made.set_axis(pandas.Index(names), axis=1)


def computed(given: Any) -> Any:
    return given if isinstance(given, pandas.Series | np.ndarray) else given.to_pandas()


def quantile(
    frame: LazyFrame, q: Any = 0.5, numeric_only: bool = False, interpolation: str = "linear", method: str = "single"
) -> Any:
    """Return quantiles of the columns."""
    numbers = _numbers(frame, numeric_only)
    if method != "single" or any(dtype.kind == "b" for dtype in _types(numbers).dtypes):
        raise NotLazyError("tables, and bools")
    return numbers.quantile(q, interpolation=interpolation)


def by_column(how: str) -> Any:
    """Return the form of a reduction that each column has for itself."""

    def reduce(frame: LazyFrame, axis: Any = 0, skipna: bool = True, numeric_only: bool = False, ddof: int = 1) -> Any:
        if axis not in (0, "index") or not skipna or ddof != 1:
            raise NotLazyError("rows are reduced, or missing values are not left out")
        numbers = _numbers(frame, numeric_only)
        names = list(numbers._columns.values)
        types = _types(numbers).dtypes
        if any(dtype.kind == "b" for dtype in types):
            raise NotLazyError("bools")
        found = [getattr(column_of(numbers, name, name), how)() for name in names]
        return pandas.Series([float(one) for one in found], index=pandas.Index(names), dtype="float64")

    return reduce


def extreme(how: str) -> Any:
    """Return the form of an extreme of columns, of which some may be bools beside others."""

    def reduce(frame: LazyFrame, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        types = _types(frame).dtypes
        if axis not in (0, "index"):
            if axis is None or all(dtype.kind == "b" for dtype in types):
                raise NotLazyError("bools, or the result is one value")
            return getattr(frame, how)(axis=axis, skipna=skipna, numeric_only=numeric_only)
        names = [str(name) for name, dtype in types.items() if not numeric_only or dtype.kind in "iufb"]
        if not names:
            raise NotLazyError("no column has numbers")
        if len({types[name].kind == "b" for name in names}) == 1:
            return getattr(frame._of(frame._columns.only(names)), how)(skipna=skipna)
        found = [faced(getattr(column_of(frame, name, name), how)(skipna=skipna)) for name in names]
        return pandas.Series(found, index=pandas.Index(names), dtype=object)

    return reduce


def of_numbers(how: str) -> Any:
    """Return the form of a reduction that columns of numbers have, and others have in pandas or not at all."""

    def reduce(
        frame: LazyFrame,
        axis: Any = 0,
        skipna: bool = True,
        numeric_only: bool = False,
        min_count: int = 0,
        **options: Any,
    ) -> Any:
        if axis is None or min_count > 0:
            raise NotLazyError("the result is one value, or too few values are missing")
        numbers = _numbers(frame, numeric_only)
        is_spread = axis in (1, "columns") and how in ("std", "var")
        if is_spread and any(dtype.kind == "b" for dtype in _types(numbers).dtypes):
            raise NotLazyError("bools")
        return getattr(numbers, how)(axis=1 if axis in (1, "columns") else 0, skipna=skipna, **options)

    return reduce


def mode(frame: LazyFrame, axis: Any = 0, numeric_only: bool = False, dropna: bool = True) -> Any:
    if axis not in (0, "index"):
        raise NotLazyError("values are compared row by row")
    return _numbers(frame, numeric_only).mode(dropna=dropna)


def diff(frame: LazyFrame, periods: Any = 1) -> Any:
    """Return differences from earlier rows."""
    if any(dtype.kind not in "iufmM" for dtype in _types(frame).dtypes):
        raise NotLazyError("values have no differences")
    return frame.diff(periods)


def agg(frame: LazyFrame, func: Any = None, axis: Any = 0, *args: Any, **named: Any) -> Any:
    """Return reductions by name of columns of numbers."""
    if isinstance(func, list | tuple) and not all(isinstance(how, str) for how in func):
        raise NotLazyError("functions of the user are called by column")
    if isinstance(func, str) and not args and axis in (0, "index"):
        return getattr(faced(frame), func)(**named)
    own = frame
    if isinstance(func, dict):
        if not func.keys() <= frame._columns.values.keys():
            raise NotLazyError("there is no such column")
        own = LazyFrame._of(frame._columns.only(func))
        if axis in (0, "index") and any(dtype.kind not in "iufb" for dtype in _types(own).dtypes):
            from akdask.pandas.encoded_frames import aggregated

            return aggregated(faced(own), own, "agg", (func, *args), named)
    _numbers(own, False)
    return frame.agg(func, axis, *args, **named)


def equals(frame: LazyFrame, other: Any) -> Any:
    given = [frame, other] if isinstance(other, DataFrame) else [frame]
    if any(isinstance(kind, Categorical) for one in given for kind in one._columns.kinds.values()):
        raise NotLazyError("categories are compared in pandas")
    return frame.equals(other)


def truth(how: str) -> Any:
    """Return the form of `any` or `all` of columns of numbers and bools."""

    def reduce(frame: LazyFrame, axis: Any = 0, bool_only: bool = False, skipna: bool = True) -> Any:
        types = _types(frame).dtypes
        names = [str(name) for name, dtype in types.items() if not bool_only or dtype.kind == "b"]
        if axis is None or not skipna or not names or any(types[name].kind not in "iufb" for name in names):
            raise NotLazyError("values are no numbers, or the result is no column")
        columns = frame._columns.only(names)
        for name in names:
            if types[name].kind != "b":
                column = column_of(frame, name, name)
                holds = (column != 0) & column.notna() if how == "any" else (column != 0) | column.isna()
                columns = columns.having(name, holds.values)
        return getattr(frame._of(columns), how)(axis=1 if axis in (1, "columns") else 0)

    return reduce


def label_of_extreme(how: str) -> Any:
    """Return the form of the labels of the extremes of columns."""

    def reduce(frame: LazyFrame, axis: Any = 0, skipna: bool = True, numeric_only: bool = False) -> Any:
        from akdask.pandas.selection import taken

        labels = labelling.labels_of_frame(frame)
        if labels is not None and labels.levels:
            raise NotLazyError("rows have labels of several levels")
        if axis not in (0, "index"):
            raise NotLazyError("columns are compared row by row")
        own = labelling.below_labels(frame)
        types = _types(own).dtypes
        names = [str(name) for name, dtype in types.items() if not numeric_only or dtype.kind in "iufb"]
        if not names or any(types[name].kind not in "iufb" for name in names) or not len(frame):
            raise NotLazyError("values are no numbers, or there are none")
        columns = [column_of(own, name, name) for name in names]
        lacking = [bool(column.isna().any()) for column in columns]
        if (any(lacking) and not skipna) or any(not column.count() for column in columns):
            raise NotLazyError("a column has missing values")
        numbered = LazyFrame._of(own._columns.labelled(None))
        rows = [int(getattr(column_of(numbered, name, name), how)()) for name in names]
        found = labelling.row_labels(taken(own, np.array(rows)))
        outer = labelling.column_labels(frame).take([*map(labelling.data_names(frame).index, names)])
        return pandas.Series(found.array, index=outer)

    return reduce


def value_counts(
    frame: LazyFrame,
    subset: Any = None,
    normalize: bool = False,
    sort: bool = True,
    ascending: bool = False,
    dropna: bool = True,
) -> Any:
    """Return how often each combination of values occurs."""
    from akdask.pandas import group_forms, grouped

    _types(frame)
    names = list(frame._columns.values) if subset is None else subset if isinstance(subset, list) else [subset]
    groups = grouped.of_frame(frame, names, dropna=dropna, observed=False, sort=False)
    counts = group_forms.sizes(groups).rename("proportion" if normalize else "count")
    if sort:
        counts = counts.sort_values(ascending=ascending, kind="stable")
    if normalize:
        counts /= counts.sum()
    if len(names) == 1 and not isinstance(subset, str):
        counts.index = pandas.MultiIndex.from_arrays([counts.index], names=[counts.index.name])
    return counts


def _described(types: pandas.DataFrame, include: Any, exclude: Any) -> list[str]:
    """Return the columns that are described."""
    try:
        if include is None and exclude is None:
            found = types.select_dtypes(include=[np.number, "datetime"])
            return list(map(str, found.columns)) or list(map(str, types.columns))
        if include == "all":
            if exclude is not None:
                raise NotLazyError("exclude beside all")
            return list(types.columns)
        found = types.select_dtypes(include=include, exclude=exclude)
    except (TypeError, ValueError) as error:
        raise ArrangementError(error) from error
    if not len(found.columns):
        raise NotLazyError("no column is described")
    return list(found.columns)
