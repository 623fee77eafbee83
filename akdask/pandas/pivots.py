"""Pivot tables and contingency tables: groups are reduced lazily, and pandas arranges the small results.

pandas' own code for tables runs on `TableRows`, which have what it asks of a frame: groups whose reductions are frames
of pandas, and columns with reductions for the margins.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas
from pandas.core.reshape import pivot as in_pandas

from akdask.arrays.array import Array
from akdask.arrays.elementwise import cast as as_type
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.index import Index
from akdask.frames.series import Series
from akdask.pandas import group_forms, grouped
from akdask.pandas import labels as labelling
from akdask.pandas.face import faced
from akdask.pandas.face import in_pandas as as_pandas
from akdask.pandas.lazy import LazyFrame, column_of, plain
from akdask.pandas.refusals import NotLazyError


class PresentRows:
    """Stands for the mask of the rows without missing values."""

    def all(self, axis: Any = 0) -> PresentRows:
        return self


class TableRows:
    """Rows of a lazy frame, as pandas' code for tables asks for them.

    Parameters
    ----------
    frame : LazyFrame
        The rows.
    """

    def __init__(self, frame: LazyFrame) -> None:
        self.frame = frame

    @property
    def columns(self) -> pandas.Index:
        return labelling.column_labels(self.frame)

    @property
    def index(self) -> Any:
        raise NotLazyError("rows are counted")

    def __contains__(self, key: Any) -> bool:
        return key in self.columns

    def __getitem__(self, key: Any) -> TableRows:
        if isinstance(key, PresentRows):
            return TableRows(LazyFrame.under(self.frame.dropna()))
        if not isinstance(key, list) or len({*key}) < len(key):
            raise NotLazyError("columns repeat")
        return TableRows(self.frame._of(self.frame._columns.only(key)))

    def notna(self) -> PresentRows:
        return PresentRows()

    def items(self) -> Iterator[tuple[Any, Any]]:
        for name in self.columns:
            yield name, faced(column_of(self.frame, name, name))

    def groupby(self, keys: list[Any], **options: Any) -> TableGroups:
        return TableGroups(grouped.of_frame(self.frame, keys, **options))


class TableGroups:
    """Groups of rows, whose reductions are frames of pandas."""

    def __init__(self, groups: Any) -> None:
        if not isinstance(groups, grouped.Grouped):
            # One key by spans of time: all of its bins are groups, with rows or without.
            raise NotLazyError("spans of time are the only key")
        self.groups = groups

    @property
    def _obj_with_exclusions(self) -> pandas.DataFrame:
        return pandas.DataFrame(columns=self.groups.labels.take(self.groups.positions))

    def __getitem__(self, key: Any) -> TableGroups:
        return TableGroups(self.groups.choose(key))

    def agg(self, aggfunc: Any, **words: Any) -> Any:
        return as_pandas(group_forms.agg(self.groups, aggfunc, **words))


def pivot_table(
    frame: LazyFrame,
    values: Any = None,
    index: Any = None,
    columns: Any = None,
    aggfunc: Any = "mean",
    fill_value: Any = None,
    margins: bool = False,
    dropna: bool = True,
    margins_name: Any = "All",
    observed: bool = True,
    sort: bool = True,
) -> Any:
    if labelling.labels_of_frame(frame) is not None:
        raise NotLazyError("columns are not named by text, or rows have labels of several levels")
    rows, across = _keys(index), _keys(columns)
    if margins and any(not isinstance(key, str) for key in (*rows, *across)):
        raise NotLazyError("margins of keys that are no columns")
    make: Any = getattr(in_pandas, "__internal_pivot_table", None)
    if make is None:
        raise NotLazyError("this pandas arranges tables otherwise")
    words: Any = (fill_value, margins, dropna, margins_name, observed, sort, {})
    if isinstance(aggfunc, list):
        names = [getattr(func, "__name__", func) for func in aggfunc]
        parts = [make(TableRows(frame), values, rows, across, func, *words) for func in aggfunc]
        return pandas.concat(parts, keys=names, axis=1)
    return make(TableRows(frame), values, rows, across, aggfunc, *words)


def _keys(given: Any) -> list[Any]:
    if given is None:
        return []
    if isinstance(given, list):
        return given
    if isinstance(given, tuple):
        raise NotLazyError("a tuple of keys")
    return [given]


def crosstab(
    index: Any,
    columns: Any,
    values: Any = None,
    rownames: Any = None,
    colnames: Any = None,
    aggfunc: Any = None,
    margins: bool = False,
    margins_name: str = "All",
    dropna: bool = True,
    normalize: Any = False,
) -> Any:
    """Count the rows, or reduce values, for each combination of keys."""
    if (values is None) != (aggfunc is None):
        raise NotLazyError("values need a reduction")
    rows, across = _columns_of(index), _columns_of(columns)
    named_rows, named_across = _names(rows, rownames, "row"), _names(across, colnames, "col")
    names = [f"key {number}" for number in range(len(rows) + len(across))]
    table = _beside([*rows, *across], names, values)
    if values is None:
        words: dict[str, Any] = {"aggfunc": "count", "fill_value": 0}
    else:
        words = {"aggfunc": aggfunc}
    found = pivot_table(
        table,
        DUMMY,
        names[: len(rows)],
        names[len(rows) :],
        margins=margins,
        margins_name=margins_name,
        dropna=dropna,
        observed=dropna,
        **words,
    )
    if values is None and not all(dtype == np.int64 for dtype in found.dtypes):
        found = found.astype(np.int64)
    if normalize is not False:
        found = in_pandas._normalize(  # type: ignore[attr-defined]
            found, normalize=normalize, margins=margins, margins_name=margins_name
        )
    found = found.rename_axis(index=dict(zip(names, named_rows, strict=False)), axis=0)
    return found.rename_axis(columns=dict(zip(names[len(rows) :], named_across, strict=True)), axis=1)


DUMMY = "__dummy__"


def _columns_of(given: Any) -> list[Any]:
    several = given if isinstance(given, list) else [given]
    if not several or not all(isinstance(one, Series) for one in several):
        raise NotLazyError("a key is no lazy Series")
    return several


def _names(columns: list[Any], given: Any, prefix: str) -> list[Any]:
    if given is None:
        return [f"{prefix}_{number}" if one.name is None else one.name for number, one in enumerate(columns)]
    names = list(given) if isinstance(given, list | tuple) else [given]
    if len(names) != len(columns):
        raise NotLazyError("arrays and names are not as many")
    return names


def _beside(columns: list[Any], names: list[str], values: Any) -> LazyFrame:
    """Return columns on the same rows as a frame."""
    first = columns[0]
    if first._level_names or any(one._level_names for one in columns):
        raise NotLazyError("rows have labels of several levels")
    found: dict[str, Array] = {names[0]: first.values}
    labels = first._labelled._row_labels
    for name, one in zip(names[1:], columns[1:], strict=True):
        found[name] = _on(labels, one)
    if values is None:
        zeros: Any = as_type(first.isna().values, np.int64)
        found[DUMMY] = zeros * 0
    else:
        found[DUMMY] = _on(labels, values)
    return LazyFrame._of(ColumnSet.of(found))


def _on(labels: Any, given: Any) -> Any:
    if not isinstance(given, Series | Array | Index):
        raise NotLazyError("values are no lazy Series")
    return on_rows_of(labels, given)


# reshaping of rows with several levels of labels


def unstack(lazily: Any, level: Any = -1, fill_value: Any = None, sort: bool = True) -> Any:
    """Return rows with a level of their labels as a level of the columns: as many cells as there are."""
    names = lazily._level_names if isinstance(lazily, Series) else _levels(lazily)
    if not names:
        raise NotLazyError("rows have labels of one level")
    return labelling.computed(lazily).unstack(level, fill_value=fill_value, sort=sort)


def _levels(frame: LazyFrame) -> tuple[Any, ...]:
    labels = labelling.labels_of_frame(frame)
    return () if labels is None else tuple(name for _, name in labels.levels)


def pivot(frame: LazyFrame, columns: Any, index: Any = None, values: Any = None) -> Any:
    """Return values in a column for each value of another column."""
    if not isinstance(columns, str) or not isinstance(index, str) or labelling.labels_of_frame(frame) is not None:
        raise NotLazyError("several columns are keys, or labels are")
    data = [name for name in frame._columns.values if name not in (columns, index)] if values is None else values
    if not isinstance(data, str) and len({*frame[list(data)].head(0).to_pandas().dtypes}) > 1:
        raise NotLazyError("values of several types become of one")
    found = frame.pivot(index=index, columns=columns, values=values)
    present = plain(frame[[columns]].drop_duplicates().to_pandas())[columns]
    if present.isna().any():
        raise NotLazyError("some keys are missing")
    distinct = pandas.Index(present.sort_values(), name=columns)
    if isinstance(present.dtype, pandas.CategoricalDtype):
        raise NotLazyError("keys are categories")
    labels = distinct
    if not isinstance(data, str):
        labels = pandas.MultiIndex.from_product([pandas.Index(list(data)), distinct], names=[None, columns])
    names = list(found._columns.values)
    if len(labels) != len(names):
        raise NotLazyError("columns differ")
    if not isinstance(data, str):
        # The house has the columns in the order of their names.
        starts = [sorted(data).index(name) * len(distinct) for name in data]
        names = [name for start in starts for name in names[start : start + len(distinct)]]
    return labelling.labelled(LazyFrame._of(found._columns.only(names)), labelling.FrameLabels(labels))
