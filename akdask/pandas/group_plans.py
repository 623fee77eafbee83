"""Types that reductions of groups take, and plans that give, row for row, what pandas gives for computed groups."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from akdask.arrays.array import Array
from akdask.columns.dtypes import FLOAT64, INT64, NULLABLE_INT64, NULLABLE_UINT8, NULLABLE_UINT64, ColumnType
from akdask.frames.columnset import VALUES, ColumnSet
from akdask.frames.group_reductions import reduce_at_once
from akdask.pandas import labels as labelling
from akdask.pandas.encoded import EXTREMES, Coding, Narrow, Objects
from akdask.pandas.grouped import Grouped, key_column, kind_of_values
from akdask.pandas.labels import FrameLabels
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import ArrangementError, NotLazyError

Call = tuple[int, str]
"""Position of a column, and a reduction."""

TAKEN: Mapping[str, str] = {
    **dict.fromkeys(("count", "nunique", "first", "last"), "iufbMmUC"),
    **dict.fromkeys(("min", "max"), "iufbMmU"),
    **dict.fromkeys(("sum", "prod", "std", "var", "sem", "skew", "kurt"), "iufb"),
    **dict.fromkeys(("any", "all"), "iufbU"),
    **dict.fromkeys(("idxmin", "idxmax"), "iufbMmU"),
    **dict.fromkeys(("mean", "median"), "iufbMm"),
    "quantile": "iuf",
}
"""Reductions, and the types of values that their lazy forms take."""

SAMPLES: Mapping[str, Any] = {
    "U": pandas.Series(["a"]),
    "M": pandas.Series(pandas.to_datetime(["2000-01-01"])),
    "m": pandas.Series(pandas.to_timedelta(["1D"])),
    "b": pandas.Series([True]),
}
"""A value of each type that pandas may refuse to reduce."""

PLANNED: Mapping[str, tuple[str, ColumnType | None]] = {
    **dict.fromkeys(("size", "count", "nunique"), ("iufbMmU", INT64)),
    **dict.fromkeys(("mean", "std", "var", "median"), ("if", FLOAT64)),
    **dict.fromkeys(("sum", "min", "max"), ("if", None)),
}
"""Reductions whose results have types that are known before: types of values, and of results, None for the same."""

NULLABLE = (NULLABLE_INT64, NULLABLE_UINT64, NULLABLE_UINT8)


def demand_type(grouped: Grouped, position: int, how: str, params: Mapping[str, Any]) -> None:
    """Raise what pandas raises for a reduction that does not take a type, NotLazyError if pandas takes it."""
    if how not in TAKEN:
        raise NotLazyError(f"{how} of groups has no lazy form")
    kind = grouped.kind(position)
    if kind in TAKEN[how]:
        return
    if kind == "C":
        raise NotLazyError("reductions of categories depend on whether they are in order")
    try:
        getattr(SAMPLES[kind].groupby([0], observed=True), how)(**params)
    except TypeError as error:
        raise ArrangementError(error) from error
    raise NotLazyError(f"{how} of groups takes no such column")


def demand_types(grouped: Grouped, calls: Sequence[Call], params: Mapping[str, Any]) -> None:
    """Raise what pandas raises for reductions that do not take the types of columns, NotLazyError if it takes them."""
    for position, how in calls:
        if how == "size" or grouped.coding(position) is not None:
            continue
        demand_type(grouped, position, how, params)
        if how in ("sum", "prod") and grouped.kind(position) == "u" and grouped.column(position).dtype == np.uint8:
            raise NotLazyError("sums of bytes wrap around")


def has_plan(grouped: Grouped, calls: Sequence[Call], labels: pandas.Index | list[Any]) -> bool:
    """Return whether keys have names, and types are known, so that a plan gives what pandas gives."""
    options, names = grouped.options, [*grouped.names, *(labels if calls or labels[0] is not None else [])]
    if not all(isinstance(name, str) for name in names) or getattr(labels, "name", None) is not None:
        return False
    if len({*names}) < len(names) or not options["dropna"] or not (options["sort"] or len(grouped.keys) == 1):
        return False
    if grouped.key_types or grouped.is_wide:
        return False
    if any(grouped.keys[number]._value != grouped.column(at)._value for number, at in grouped.own.items()):
        return False
    if any(key._value.dtype in NULLABLE or not _is_key(key, labelling.coding_of_array(key)) for key in grouped.keys):
        return False
    if grouped.is_series and not calls and grouped.coding(grouped.positions[0]) is not None:
        return False  # Sizes may be of the type of the column.
    return all(
        how in PLANNED and grouped.kind(at) in PLANNED[how][0] and _is_known(grouped, at, how) for at, how in calls
    )


def _is_key(key: Array, coding: Coding | None) -> bool:
    """Return whether groups by the numbers or the text of a key are those by its values, in their order."""
    return isinstance(coding, Objects) or (kind_of_values(key) in "iufbMU" and is_plain_or_narrow(coding))


def is_plain_or_narrow(coding: Coding | None) -> bool:
    """Return whether numbers of a column stand for themselves, or for integers of fewer bits."""
    return coding is None or (isinstance(coding, Narrow) and coding.dtype.kind in "iu")


def _is_known(grouped: Grouped, position: int, how: str) -> bool:
    """Return whether a reduction has a type that does not depend on values, or is a sum that may be narrow."""
    coding = grouped.coding(position)
    return coding is None or (is_plain_or_narrow(coding) and grouped.column(position)._value.dtype not in NULLABLE)


def narrow_sums(
    grouped: Grouped, calls: Sequence[Call], labels: pandas.Index | list[Any], is_series: bool
) -> dict[str, Narrow]:
    """Return the columns of a plan whose type depends on values: narrow if all sums of narrow integers fit."""
    codings = {number: grouped.coding(at) for number, (at, how) in enumerate(calls) if how == "sum"}
    return {VALUES if is_series else labels[number]: one for number, one in codings.items() if one is not None}


def plan(grouped: Grouped, calls: Sequence[Call], labels: pandas.Index | list[Any], is_series: bool) -> Any:
    """Return results of groups as a lazy frame or Series, with sums of narrow integers in 64 bits.

    Raises
    ------
    NotLazyError
        If a result is of another type than pandas' may be.
    """
    asked = [(f"of {number}", str(position), how) for number, (position, how) in enumerate(calls)]
    house: Any = grouped.house
    narrow: dict[int, Any] = {at: grouped.column(at) for at, _ in calls if grouped.coding(at) is not None}
    if narrow:
        rows = grouped.rows
        for position, column in narrow.items():
            rows = rows._of(rows._columns.having(str(position), column.plain()))
        house = grouped.house_of(rows)
    found = (reduce_at_once(house, asked) if asked else house.size(as_series=False))._columns
    results = [found.array(name) for name, _, _ in asked] or [found.array("size")]
    for number, ((position, how), array) in enumerate(zip(calls, results, strict=False)):
        dtype = PLANNED[how][1] or grouped.column(position)._value.dtype
        if array._value.dtype != dtype or dtype in NULLABLE:
            raise NotLazyError("the type depends on values")
        if position in narrow and how in EXTREMES:
            results[number] = narrow[position]._like(array._frame, array._value)
    keys = {name: found.array(key_column(number)) for number, name in enumerate(map(str, grouped.names))}
    columns = dict(zip(map(str, labels), results, strict=True))
    levels: tuple[tuple[str, Hashable], ...] = ()
    if not grouped.options["as_index"]:
        made = ColumnSet.of({**keys, **columns})
    elif len(keys) == 1:
        made = ColumnSet.of(columns, found.array(key_column(0)), grouped.names[0])
    else:
        made, levels = ColumnSet.of({**keys, **columns}), tuple((name, name) for name in keys)
    rows = labelling.labelled(LazyFrame._of(made), FrameLabels(pandas.Index(labels), levels) if levels else None)
    return labelling.series_of(rows, labels[0]) if is_series else rows
