"""Lazy forms of the methods of groups.

Results with one row for each group are small: they are computed, and pandas labels them, so that levels, names and
categories are its own.  Results with one row for each row stay lazy.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
import pandas

from akdask.arrays.categorical import Categorical
from akdask.arrays.elementwise import cast as as_type
from akdask.arrays.groupby import ColumnGroups
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.groupby import DataFrameGroupBy
from akdask.frames.series import Series
from akdask.pandas import group_plans
from akdask.pandas import labels as labelling
from akdask.pandas.face import in_pandas
from akdask.pandas.group_plans import TAKEN, Call, demand_type, demand_types
from akdask.pandas.grouped import Grouped, key_column
from akdask.pandas.labels import FrameLabels, coding_of_array, computed, had_gaps
from akdask.pandas.lazy import LazyFrame, LazySeries, plain
from akdask.pandas.refusals import NotLazyError
from akdask.pandas.series import OF_VALUES

LABEL = "label"
"""Column of the labels of rows, where they become a level beside the keys."""

# reductions

NUMBERS = "iufb"

OF_NOTHING: Mapping[str, int | bool] = {
    "count": 0,
    "nunique": 0,
    "sum": 0,
    "prod": 1,
    "any": False,
    "all": True,
    "size": 0,
}
"""What reductions find of no rows; all others find nothing."""

SIZE = (("", "size"),)
"""The part of a column of another type that gives the sizes of groups."""

LARGEST_EXACT = 2**53
"""Products of integers that are found as floats are exact below it."""


def reduced(grouped: Grouped, calls: Sequence[Call], **params: Any) -> pandas.DataFrame:
    """Return reductions of groups, a column for each call by its number, labelled by the keys as pandas labels them."""
    return _labelled(grouped, calls, _found(grouped, calls, params))


def _found(grouped: Grouped, calls: Sequence[Call], params: Mapping[str, Any]) -> pandas.DataFrame:
    grouped = grouped.settled() if any(how in ("sum", "prod", "nunique") for _, how in calls) else grouped
    demand_types(grouped, calls, params)
    return _by_house(grouped, calls, params)


def _labelled(grouped: Grouped, calls: Sequence[Call], found: pandas.DataFrame) -> pandas.DataFrame:
    labels, taken = _labels(grouped, found)
    columns = {number: _taken(found[number], taken, how) for number, (_, how) in enumerate(calls)}
    return pandas.DataFrame(columns, index=labels, copy=False)


def sizes(grouped: Grouped) -> pandas.Series:
    """Return the number of rows of each group."""
    found = _by_house(grouped, [], {})
    labels, taken = _labels(grouped, found)
    return pandas.Series(_taken(found["size"], taken, "size"), index=labels)


def _by_house(grouped: Grouped, calls: Sequence[Call], params: Mapping[str, Any]) -> pandas.DataFrame:
    """Compute reductions in one pass; groups are in order, their keys and reductions are columns."""
    rows, house = grouped.rows, grouped.house
    asked: list[tuple[str, str, str]] = []
    for number, (position, how) in enumerate(calls):
        name, coding = str(position), grouped.coding(position)
        if coding is not None:
            parts_asked = SIZE if how == "size" else coding.parts(how)
            rows, parts = _with_parts(rows, grouped.column(position), name, parts_asked)
            asked += [(f"of {number} {part}", *call) for part, call in enumerate(parts)]
            continue
        if how in ("any", "all") and grouped.kind(position) != "U":
            column = grouped.column(position)
            truth: Any = column if grouped.kind(position) == "b" else column != 0
            if how == "any" and grouped.kind(position) == "f":
                truth &= Series(column).notna().values
            name = f"{how} {position}"
            rows = rows._of(rows._columns.having(name, truth))
        elif grouped.kind(position) == "b" and how in ("std", "var", "sem", "skew", "kurt"):
            name = f"{how} {position}"
            number_column = as_type(grouped.column(position), np.int64)
            rows = rows._of(rows._columns.having(name, number_column))
        asked.append((f"of {number}", name, "first_present" if how == "first" else how))
    if rows is not grouped.rows:
        house = grouped.house_of(rows)
    lazily: Any = house_reduction(house, asked, params) if asked else house.size()
    found = lazily.to_pandas()
    exact = {name for name in found.columns if name.count(" ") == 2}
    exact |= {key_column(number) for number, key in enumerate(grouped.keys) if coding_of_array(key) is not None}
    found = plain(found, frozenset(exact))
    for number, key in enumerate(grouped.keys):
        name = key_column(number)
        if found[name].dtype.kind in "iu" and had_gaps(key):
            found[name] = found[name].astype(np.float64)
    made = found[[*house.gb_key_names, *(["size"] if not asked else [])]]
    columns: dict[int, Any] = {}
    for number, (position, how) in enumerate(calls):
        coding = grouped.coding(position)
        if how == "size":
            counted = found[f"of {number}" if coding is None else f"of {number} 0"]
            columns[number] = _sizes_beside(grouped, position, counted)
        elif coding is not None:
            parts = [found[f"of {number} {part}"] for part in range(len(coding.parts(how)))]
            columns[number] = coding.reduced(how, parts)
        else:
            of_groups = _typed(found[f"of {number}"], how, grouped.kind(position))
            is_float = how in OF_VALUES and of_groups.dtype.kind in "iu"
            is_float = is_float and had_gaps(grouped.column(position), or_has=True)
            columns[number] = of_groups.astype(np.float64) if is_float else of_groups
    made = made if not columns else pandas.concat([made, pandas.DataFrame(columns)], axis=1)
    return pandas.DataFrame(made)


def _with_parts(rows: Any, column: Any, name: str, parts: Sequence[tuple[str, str]]) -> tuple[Any, list[Any]]:
    """Return rows with the numbers of which reductions of a column of another type are made, and these reductions."""
    from akdask.pandas.encoded import PARTS

    calls = []
    for part, how in parts:
        rows = rows._of(rows._columns.having(f"{part} {name}", PARTS[part](column.plain())))
        calls.append((f"{part} {name}", "first_present" if how == "first" else how))
    return rows, calls


def house_reduction(house: DataFrameGroupBy, asked: list[tuple[str, str, str]], params: Mapping[str, Any]) -> Any:
    from akdask.frames.group_reductions import reduce_at_once

    return reduce_at_once(house, asked, **params)


def _typed(column: pandas.Series, how: str, kind: str) -> pandas.Series:
    """Return products of integers as integers."""
    if how != "prod" or kind not in "iub":
        return column
    if column.isna().any() or (column.abs() >= LARGEST_EXACT).any():
        raise NotLazyError("products of integers are large")
    return column.astype("uint64" if kind == "u" else "int64")


def _keys(grouped: Grouped, found: pandas.DataFrame) -> list[pandas.Series]:
    """Return the keys of groups."""
    keys = []
    for number, name in enumerate(grouped.names):
        key: Any = found[key_column(number)]
        keys.append(key.astype(grouped.key_types.get(number, key.dtype)).rename(name))
    return keys


def _are_labels(grouped: Grouped, keys: Sequence[pandas.Series]) -> bool:
    """Return whether keys of groups are labels, in the order that pandas gives them."""
    options = grouped.options
    # Levels of groups that are not sorted are in the order of the first rows, too.
    is_plain = options["dropna"] and (options["sort"] or len(keys) == 1)
    return is_plain and not any(isinstance(key.dtype, pandas.CategoricalDtype) for key in keys)


def _labels(grouped: Grouped, found: pandas.DataFrame) -> tuple[pandas.Index, Any]:
    """Return labels of groups as pandas has them, and the rows of results that they label; None for all."""
    keys, options = _keys(grouped, found), grouped.options
    if _are_labels(grouped, keys):
        if len(keys) == 1:
            return pandas.Index(keys[0], name=grouped.names[0]), None
        return pandas.MultiIndex.from_arrays(keys, names=grouped.names), None
    given = {word: options[word] for word in ("sort", "observed", "dropna")}
    at = pandas.Series(range(len(found))).groupby(keys if len(keys) > 1 else keys[0], **given).min()
    return at.index, at.to_numpy()


def _taken(column: pandas.Series, taken: Any, how: str) -> Any:
    """Return results in the order of their labels, with what pandas has for groups without rows."""
    if taken is None:
        return column.array
    if taken.dtype.kind != "f":
        return column.array.take(taken)
    if column.dtype == object:
        raise NotLazyError("groups have no rows")
    lacks = np.isnan(taken)
    wanted = np.where(lacks, -1, taken).astype(np.int64)
    made = column.reindex(wanted)
    if how in OF_NOTHING:
        made = made.where(~lacks, OF_NOTHING[how]).astype(column.dtype)
    return made.array


# arrangement of results with one row for each group


def arranged(grouped: Grouped, found: pandas.DataFrame, columns: pandas.Index) -> Any:
    """Return results by groups as a frame, with keys as labels or as columns."""
    found = found.set_axis(columns, axis=1)
    if grouped.options["as_index"]:
        return found
    keys = [found.index.get_level_values(number) for number in range(len(grouped.keys))]
    return _with_keys(grouped, found.reset_index(drop=True), keys)


def arranged_reductions(grouped: Grouped, calls: Sequence[Call], columns: pandas.Index, **params: Any) -> Any:
    """Return reductions of groups as a frame, with keys as labels or as columns."""
    found = _found(grouped, calls, params)
    if not grouped.options["as_index"] and _are_labels(grouped, keys := _keys(grouped, found)):
        # Labels of several levels would take longer than the groups.
        return _with_keys(grouped, found[[*range(len(calls))]].set_axis(columns, axis=1), keys)
    return arranged(grouped, _labelled(grouped, calls, found), columns)


def _with_keys(grouped: Grouped, found: pandas.DataFrame, keys: Sequence[Any]) -> pandas.DataFrame:
    unnamed = ["index"] if len(keys) == 1 else [f"level_{number}" for number in range(len(keys))]
    names: list[Any] = [other if name is None else name for name, other in zip(grouped.names, unnamed, strict=True)]
    if len({*names}) < len(names):
        raise NotLazyError("names of keys repeat")
    names = [(name, "") if found.columns.nlevels == 2 else name for name in names]
    if any(name in found.columns for name in names):
        raise NotLazyError("a key is reduced, too")
    for number, (name, key) in enumerate(zip(names, keys, strict=True)):
        found.insert(number, name, key)
    return found


def columns_of(grouped: Grouped, positions: Sequence[int]) -> Any:
    if grouped.is_series:
        return pandas.Index([grouped.called[position] for position in positions])
    return pandas.Index(grouped.labels.take(list(positions)))


def per_column(grouped: Grouped, how: str, positions: Sequence[int], **params: Any) -> Any:
    """Return one reduction of some columns."""
    if not positions:
        raise NotLazyError("no column is left")
    calls = [(position, how) for position in positions]
    made = arranged_reductions(grouped, calls, columns_of(grouped, positions), **params)
    return made.iloc[:, 0] if grouped.is_series and grouped.options["as_index"] else made


def of_column_each(grouped: Grouped, how: str, positions: Sequence[int], **params: Any) -> Any:
    """Return one reduction of some columns, computed when it is looked at."""
    calls, is_series = [(position, how) for position in positions], grouped.is_series and grouped.options["as_index"]

    def compute() -> Any:
        return per_column(grouped, how, positions, **params)

    labels = [grouped.called[at] for at in positions] if grouped.is_series else columns_of(grouped, positions)
    return when_looked_at(grouped, calls, labels, compute, is_series=is_series, params=params)


def when_looked_at(
    grouped: Grouped,
    calls: Sequence[Call],
    labels: pandas.Index | list[Any],
    compute: Callable[[], Any],
    *,
    is_series: bool = False,
    params: Mapping[str, Any] | None = None,
) -> Any:
    """Return results by groups, computed when they are looked at if a plan of them is known to be the same.

    Parameters
    ----------
    grouped : Grouped
        The groups.
    calls : sequence of (int, str)
        The reductions; none for the number of rows.
    labels : pandas.Index or list
        Labels of the results; one, or None, for a Series.
    compute : callable
        Computes the results in pandas.
    is_series : bool
        Whether the result is a Series.
    params : mapping, optional
        Arguments of the reductions.
    """
    if params or not group_plans.has_plan(grouped, calls, labels):
        return compute()
    demand_types(grouped, calls, {})
    from akdask.pandas import pending
    from akdask.pandas.frame import DataFrame as FrameOfPandas
    from akdask.pandas.series import Series as SeriesOfPandas

    kind = SeriesOfPandas if is_series else FrameOfPandas

    def planned() -> Any:
        return group_plans.plan(grouped, calls, labels, is_series)

    sums = group_plans.narrow_sums(grouped, calls, labels, is_series)

    def looked_at() -> Any:
        try:
            return pending.narrowed_sums(computed(planned()), sums)
        except NotLazyError:
            return compute()

    return pending.of(pending.Pending(looked_at, planned, sums=sums), kind)


def reduction(how: str) -> Callable[..., Any]:
    def reduce(
        grouped: Any, numeric_only: bool = False, min_count: int | None = None, skipna: bool = True, ddof: int = 1
    ) -> Any:
        if not skipna or (grouped.is_wide and how in ("idxmin", "idxmax")):
            raise NotLazyError("missing values are not left out, or labels have several levels")
        if numeric_only and grouped.is_series and not _has_numbers(grouped, grouped.positions[0]):
            raise NotLazyError("the column has no numbers")
        positions = [at for at in grouped.positions if not numeric_only or _has_numbers(grouped, at)]
        if ddof != 1 and how == "sem":
            raise NotLazyError("sem with another ddof")
        params = {"ddof": ddof} if ddof != 1 else {}
        least = (0 if how in ("sum", "prod") else -1) if min_count is None else min_count
        if least <= 0 or (least == 1 and how in EXTREMES):
            return of_column_each(grouped, how, positions, **params)
        if any(grouped.kind(at) == "b" for at in positions):
            raise NotLazyError("truth values of too few rows")
        made = per_column(grouped, how, positions, **params)
        counts = per_column(grouped, "count", positions)
        names = grouped.names if not grouped.options["as_index"] else []
        return made.where(counts >= least) if not names else _where_enough(made, counts, least, names)

    return reduce


EXTREMES = ("first", "last", "max", "min")
"""Reductions that are missing where there is no value."""


def _has_numbers(grouped: Grouped, position: int) -> bool:
    coding = grouped.coding(position)
    if coding is None:
        return grouped.kind(position) in NUMBERS
    return pandas.api.types.is_numeric_dtype(coding.dtype)


def _where_enough(made: pandas.DataFrame, counts: pandas.DataFrame, least: int, names: Sequence[Hashable]) -> Any:
    mask = counts.drop(columns=list(names)) >= least
    return made.where(mask.reindex(columns=made.columns, fill_value=True))


def size(grouped: Grouped) -> Any:
    is_series = grouped.is_series or grouped.options["as_index"]
    name = "size" if not is_series else grouped.called[grouped.positions[0]] if grouped.is_series else None
    labels = pandas.Index([name], dtype=object)
    return when_looked_at(grouped, [], labels, lambda: _sizes(grouped), is_series=is_series)


def _sizes(grouped: Grouped) -> Any:
    found = sizes(grouped)
    if grouped.is_series:
        found = _sizes_beside(grouped, grouped.positions[0], found)
    if grouped.options["as_index"]:
        return found.rename(grouped.called[grouped.positions[0]]) if grouped.is_series else found
    return arranged(grouped, found.to_frame(), pandas.Index(["size"]))


def nunique(grouped: Grouped, dropna: bool = True) -> Any:
    if dropna:
        return of_column_each(grouped, "nunique", grouped.positions)
    found = per_column(grouped, "nunique", grouped.positions)
    if not grouped.options["as_index"]:
        raise NotLazyError("missing values are counted, and keys are columns")
    counts, rows = per_column(grouped, "count", grouped.positions), sizes(grouped)
    lacks = counts.lt(rows, axis=0) if not grouped.is_series else counts < rows
    made = found + lacks.astype("int64")
    return made.rename(found.name) if grouped.is_series else made


def check_shares(q: Any) -> None:
    """Refuse quantiles that there are not."""
    if not all(0 <= one <= 1 for one in np.atleast_1d(q)):
        raise NotLazyError("a quantile is not between 0 and 1")


def quantile(grouped: Grouped, q: Any = 0.5, interpolation: str = "linear", numeric_only: bool = False) -> Any:
    positions = [at for at in grouped.positions if not numeric_only or grouped.kind(at) in "iuf"]
    if interpolation != "linear" or (numeric_only and any(grouped.kind(at) == "b" for at in grouped.positions)):
        raise NotLazyError("the interpolation has no lazy form")
    check_shares(q)
    if not isinstance(q, list | tuple | np.ndarray):
        return per_column(grouped, "quantile", positions, q=float(q))
    if not grouped.options["as_index"]:
        raise NotLazyError("keys are columns")
    found = [per_column(grouped, "quantile", positions, q=float(one)) for one in q]
    if not found or len(found[0]) == 0:
        raise NotLazyError("there is no quantile, or no group")
    # Names of levels that are numbers would be taken for places.
    levels = [f"level {number}" for number in range(len(grouped.names) + 1)]
    stacked = pandas.concat(found, keys=[float(one) for one in q]).rename_axis(index=levels)
    order = np.arange(len(stacked)).reshape(len(found), -1).T.ravel()
    stacked = stacked.iloc[order].reorder_levels([*levels[1:], levels[0]])
    return stacked.rename_axis(index=[*grouped.names, None])


DESCRIBED = ("count", "mean", "std", "min")


def describe(grouped: Grouped, percentiles: Any = None, include: Any = None, exclude: Any = None) -> Any:
    if include is not None or exclude is not None or not grouped.options["as_index"]:
        raise NotLazyError("some columns are left out, or keys are columns")
    positions = [at for at in grouped.positions if grouped.kind(at) in "iuf"]
    if len(positions) < len(grouped.positions) and (
        grouped.is_series or any(grouped.kind(at) not in "UCb" for at in grouped.positions if at not in positions)
    ):
        raise NotLazyError("the summary of these types has no lazy form")
    if not positions:
        raise NotLazyError("there are no numbers")
    if not len(grouped.rows):
        raise NotLazyError("there are no rows")
    shares = [0.25, 0.5, 0.75] if percentiles is None else sorted({float(one) for one in percentiles})
    calls = [(at, how) for at in positions for how in (*DESCRIBED, "max")]
    found = reduced(grouped, calls).astype("float64")
    quantiles = [reduced(grouped, [(at, "quantile") for at in positions], q=share) for share in shares]
    names = pandas.Series([0.0]).describe(percentiles=percentiles).index
    parts = {}
    for number, at in enumerate(positions):
        first = number * 5
        columns = [found[first + step] for step in range(4)] + [rows[number] for rows in quantiles]
        made = pandas.concat([*columns, found[first + 4]], axis=1)
        parts[grouped.called[at]] = made.set_axis(names, axis=1)
    if grouped.is_series:
        return next(iter(parts.values()))
    return pandas.concat(parts, axis=1)


def of_pairs(how: str) -> Callable[..., Any]:
    """Return the form of a statistic of each two columns of each group."""

    def call(grouped: Grouped, numeric_only: bool = False, ddof: int | None = 1) -> Any:
        from akdask.frames import group_moments

        options, positions = grouped.options, [at for at in grouped.positions if grouped.kind(at) in "iuf"]
        if grouped.is_series or not options["as_index"] or not positions:
            raise NotLazyError("another Series, keys as columns, or no numbers")
        if len(positions) < len(grouped.positions) and not numeric_only:
            raise NotLazyError("a column has no numbers")
        names = [str(at) for at in positions]
        params = {"ddof": 1 if ddof is None else ddof} if how == "cov" else {}
        if params.get("ddof", 1) != 1 and any(grouped.kind(at) == "f" for at in positions):
            raise NotLazyError("in groups where a value is missing, pandas takes no other ddof than 1")
        found = plain(group_moments.of_pairs(grouped.house, how, names, **params).to_pandas())
        labels, taken = _labels(grouped, found.iloc[:: len(names)].reset_index(drop=True))
        if taken is not None:
            raise NotLazyError("groups have other labels")
        columns = columns_of(grouped, positions)
        keys = [labels.get_level_values(level).repeat(len(names)) for level in range(labels.nlevels)]
        inner = columns.take(np.tile(np.arange(len(names)), len(labels)))
        index = pandas.MultiIndex.from_arrays([*keys, inner], names=[*grouped.names, columns.name])
        return found[names].set_axis(columns, axis=1).set_axis(index)

    return call


# agg

NUMPY_REDUCTIONS: Mapping[Any, str] = {
    np.sum: "sum",
    np.mean: "mean",
    np.min: "min",
    np.max: "max",
    np.median: "median",
    np.prod: "prod",
    len: "size",
}
"""Functions that do with the values of a group what a reduction does; builtin sums and extremes let NaN through."""

BUILTIN_REDUCTIONS: Mapping[Any, str] = {sum: "sum", min: "min", max: "max"}


def reduction_of(grouped: Grouped, position: int, how: Any) -> str:
    """Return the reduction of a column that a name or function stands for."""
    if isinstance(how, str):
        if how not in TAKEN and how != "size":
            raise NotLazyError(f"{how!r} of groups has no lazy form")
        return how
    try:
        if how in BUILTIN_REDUCTIONS and grouped.kind(position) in "iub":
            return BUILTIN_REDUCTIONS[how]
        if how in NUMPY_REDUCTIONS and grouped.kind(position) in "iuf":
            return NUMPY_REDUCTIONS[how]
    except TypeError:
        pass
    raise NotLazyError("functions of the user run in pandas")


def name_of(how: Any) -> str:
    return how if isinstance(how, str) else str(how.__name__)


def agg(grouped: Grouped, func: Any = None, *args: Any, **named: Any) -> Any:
    if args or "engine" in named or "engine_kwargs" in named:
        raise NotLazyError("arguments of functions")
    if isinstance(func, str):
        form = _FORMS.get(func)
        if form is None or func in ("agg", "aggregate", "transform"):
            raise NotLazyError(f"{func!r} of groups has no lazy form")
        return form(grouped, **named)
    if func is not None and named:
        raise NotLazyError("arguments of functions")
    if func is None:
        return _named_reductions(grouped, named)
    if isinstance(func, list):
        names = [name_of(one) for one in func]
        if len({*names}) < len(names) or not names:
            raise NotLazyError("reductions repeat")
        wanted = [(at, how) for at in grouped.positions for how in func]
        if grouped.is_series:
            return _several(grouped, wanted, pandas.Index(names))
        return _several(grouped, wanted, _pairs(grouped, [(grouped.called[at], name_of(how)) for at, how in wanted]))
    if isinstance(func, dict):
        return _by_columns(grouped, func)
    if callable(func):
        wanted = [(at, func) for at in grouped.positions]
        made = in_pandas(_several(grouped, wanted, columns_of(grouped, grouped.positions)))
        return made.iloc[:, 0] if grouped.is_series and grouped.options["as_index"] else made
    raise NotLazyError("these reductions have no lazy form")


def _by_columns(grouped: Grouped, func: Mapping[Any, Any]) -> Any:
    if grouped.is_series or not func:
        raise NotLazyError("a mapping of one column")
    if any(isinstance(hows, list | tuple) for hows in func.values()):
        listed = {label: list(hows) if isinstance(hows, list | tuple) else [hows] for label, hows in func.items()}
        wanted = [(label, how) for label, hows in listed.items() for how in hows]
        labels = _pairs(grouped, [(label, name_of(how)) for label, how in wanted])
    else:
        wanted, labels = list(func.items()), pandas.Index(list(func), name=grouped.labels.name)
    return _several(grouped, [(grouped.position(label), how) for label, how in wanted], labels)


def _pairs(grouped: Grouped, pairs: list[tuple[Any, str]]) -> pandas.MultiIndex:
    if len({*pairs}) < len(pairs) or grouped.labels.nlevels > 1:
        raise NotLazyError("reductions repeat")
    found = pandas.MultiIndex.from_tuples(pairs, names=[grouped.labels.name, None])
    if grouped.labels.dtype == object and found.levels[0].dtype != object:
        outer: Any = found.levels[0].astype(object)
        return found.set_levels(outer, level=0)
    return found


def _named_reductions(grouped: Grouped, named: Mapping[str, Any]) -> Any:
    if not named:
        raise NotLazyError("there is no reduction")
    wanted = []
    for given in named.values():
        if grouped.is_series:
            if isinstance(given, tuple):
                raise NotLazyError("a pair for one column")
            wanted.append((grouped.positions[0], given))
            continue
        if getattr(given, "args", ()) or getattr(given, "kwargs", {}):
            raise NotLazyError("arguments of functions")
        column, how = (given.column, given.aggfunc) if isinstance(given, pandas.NamedAgg) else given
        wanted.append((grouped.position(column), how))
    return _several(grouped, wanted, pandas.Index(list(named)))


def _sizes_beside(grouped: Grouped, position: int, counted: pandas.Series) -> pandas.Series:
    """Return the sizes of groups in the type that pandas gives them beside a column."""
    dtype = getattr(grouped.coding(position), "dtype", None)
    if isinstance(dtype, pandas.ArrowDtype):
        return counted.astype("int64[pyarrow]")
    if isinstance(dtype, pandas.api.extensions.ExtensionDtype) and not isinstance(dtype, pandas.CategoricalDtype):
        raise NotLazyError("sizes have the type of the column")
    return counted


def _several(grouped: Grouped, wanted: Sequence[tuple[int, Any]], labels: pandas.Index) -> Any:
    calls = [(at, reduction_of(grouped, at, how)) for at, how in wanted]
    if any(how == "quantile" for _, how in calls):
        raise NotLazyError("quantiles beside other reductions")
    return when_looked_at(grouped, calls, labels, lambda: arranged_reductions(grouped, calls, labels))


# results with one row for each row


def of_rows(grouped: Grouped, found: Any, positions: Sequence[int]) -> Any:
    """Return results for rows with the labels that pandas gives them."""
    if grouped.is_wide:
        raise NotLazyError("rows have labels of several levels")
    if isinstance(found, Series):
        return found
    columns = found._columns.only([str(at) for at in positions])
    made = LazyFrame._of(columns)
    labels = columns_of(grouped, positions)
    if grouped.is_series:
        return labelling.series_of(labelling.labelled(made, FrameLabels(labels)), labels[0])
    if all(isinstance(label, str) for label in labels) and labels.name is None and labels.nlevels == 1:
        names = {str(at): label for at, label in zip(positions, labels, strict=True)}
        return LazyFrame._of(columns.renamed(names))
    return labelling.labelled(made, FrameLabels(labels))


def by_rows(name: str, kinds: str = "iufb") -> Callable[..., Any]:
    """Return the form of a method of the house that has a value for each row, for columns of some types."""

    def call(grouped: Any, **words: Any) -> Any:
        if words.pop("numeric_only", False):
            raise NotLazyError("some columns are left out")
        if any(grouped.kind(at) not in kinds for at in grouped.positions):
            raise NotLazyError("a column is of another type")
        grouped = grouped.settled() if isinstance(grouped, Grouped) else grouped
        return of_rows(grouped, getattr(grouped.in_house, name)(**words), grouped.positions)

    return call


def cumulated(name: str) -> Callable[..., Any]:
    run = by_rows(name, "iuf")

    def call(grouped: Any, numeric_only: bool = False, skipna: bool = True) -> Any:
        if not skipna:
            raise NotLazyError("missing values are not left out")
        return run(grouped, numeric_only=numeric_only)

    return call


def shift(grouped: Grouped, periods: Any = 1, freq: Any = None, fill_value: Any = None, suffix: Any = None) -> Any:
    if freq is not None or suffix is not None or not isinstance(periods, int) or not periods:
        raise NotLazyError("rows are shifted by several periods, by none, or by time")
    return by_rows("shift", "iufbMmU")(grouped, periods=periods, fill_value=fill_value)


def pct_change(grouped: Grouped, periods: int = 1, fill_method: Any = None, freq: Any = None) -> Any:
    if fill_method is not None or freq is not None:
        raise NotLazyError("missing values are filled, or rows are shifted by time")
    return by_rows("pct_change", "iuf")(grouped, periods=periods)


def diff(grouped: Grouped, periods: int = 1) -> Any:
    if not periods:
        raise NotLazyError("differences from the rows themselves")
    return by_rows("diff", "iufMm")(grouped, periods=periods)


def rank(
    grouped: Grouped, method: str = "average", ascending: bool = True, na_option: str = "keep", pct: bool = False
) -> Any:
    words = {"method": method, "ascending": ascending, "na_option": na_option, "pct": pct}
    return by_rows("rank", "iuf")(grouped, **words)


def ffill(grouped: Grouped, limit: int | None = None) -> Any:
    return by_rows("ffill", "iufMmUC")(grouped, limit=limit)


def bfill(grouped: Grouped, limit: int | None = None) -> Any:
    return by_rows("bfill", "iufMmUC")(grouped, limit=limit)


def cumcount(grouped: Grouped, ascending: bool = True) -> Any:
    return _unnamed(grouped, grouped.house.cumcount(ascending))


def ngroup(grouped: Grouped, ascending: bool = True) -> Any:
    if any(isinstance(key, Categorical) for key in grouped.keys) and not grouped.options["observed"]:
        raise NotLazyError("categories without rows have numbers")
    return _unnamed(grouped, grouped.house.ngroup(ascending))


def _unnamed(grouped: Grouped, found: Series) -> Any:
    if grouped.is_wide:
        raise NotLazyError("rows have labels of several levels")
    made = LazySeries.under(found).copy()
    made.name = None
    return made


TRANSFORMED = [
    "sum",
    "mean",
    "min",
    "max",
    "count",
    "std",
    "var",
    "median",
    "first",
    "last",
    "prod",
    "size",
    "nunique",
    "any",
    "all",
]


def transform(grouped: Grouped, func: Any, *args: Any, **kwargs: Any) -> Any:
    kwargs = {word: value for word, value in kwargs.items() if word not in ("engine", "engine_kwargs") or value}
    if args or kwargs or not isinstance(func, str):
        raise NotLazyError("functions of the user run in pandas")
    if func not in TRANSFORMED:
        form = _FORMS.get(func)
        if form is None or func not in ROWWISE:
            raise NotLazyError(f"{func!r} has no lazy form")
        return form(grouped)
    grouped = grouped.settled()
    for at in grouped.positions:
        if func != "size":
            demand_type(grouped, at, func, {})
            kind = grouped.kind(at)
            if kind not in "iufb" and func not in ("count", "nunique"):
                raise NotLazyError("a column has no numbers")
            if func in ("any", "all") or (func in ("prod", "first", "last") and kind != "f"):
                raise NotLazyError("the type of the result is another one")
    if func == "size" and not grouped.is_series:
        raise NotLazyError("sizes of groups of a frame are a Series")
    return of_rows(grouped, grouped.in_house.transform(func), grouped.positions)


ROWWISE = [
    "cumsum",
    "cumprod",
    "cummax",
    "cummin",
    "shift",
    "diff",
    "pct_change",
    "rank",
    "ffill",
    "bfill",
    "ngroup",
    "cumcount",
]


# some rows


def shown_positions(grouped: Grouped) -> list[int]:
    return list(range(len(grouped.called))) if grouped.chosen is None else grouped.chosen


def some_rows(name: str) -> Callable[..., Any]:
    def call(grouped: Any, n: Any = 5) -> Any:
        if not isinstance(n, int) or (n < 0 and name != "nth"):
            raise NotLazyError("several rows, or all but some")
        groups = grouped.house if grouped.chosen is None else grouped.in_house
        return of_rows(grouped, getattr(groups, name)(n), shown_positions(grouped))

    return call


def sample(
    grouped: Grouped,
    n: int | None = None,
    frac: float | None = None,
    replace: bool = False,
    weights: Any = None,
    random_state: Any = None,
) -> Any:
    """Return the rows that pandas draws with the same seed."""
    if weights is not None:
        raise NotLazyError("weights")
    numbers = plain(LazySeries(grouped.house.ngroup().values).to_pandas()).to_numpy()
    numbers = np.where(np.isnan(numbers), -1, numbers).astype(np.int64)
    there = pandas.Series(np.flatnonzero(numbers >= 0))
    drawn = there.groupby(numbers[there]).sample(n=n, frac=frac, replace=replace, random_state=random_state)
    positions = shown_positions(grouped)
    rows = grouped.rows._of(grouped.rows._columns.only(list(map(str, positions))))
    return of_rows(grouped, rows.take(drawn.to_numpy()), positions)


def get_group(grouped: Grouped, name: Any) -> Any:
    key = name[0] if isinstance(name, tuple) and len(name) == 1 and len(grouped.keys) == 1 else name
    return of_rows(grouped, grouped.house.get_group(key), shown_positions(grouped))


def extreme_values(name: str) -> Callable[..., Any]:
    def call(grouped: Any, n: int = 5, keep: str = "first") -> Any:
        if keep != "first" or not grouped.options["sort"] or grouped.kind(grouped.positions[0]) not in "iuf":
            raise NotLazyError("equal values, or groups that are not sorted")
        if grouped.kind(grouped.positions[0]) == "f" or grouped.is_wide:
            raise NotLazyError("missing values")
        return with_levels(grouped, lambda rows: getattr(rows, name)(n, str(grouped.positions[0])))

    return call


def with_levels(grouped: Grouped, rows_of: Callable[[Any], Any]) -> Any:
    """Return chosen rows of groups, with the keys and the labels of rows as levels."""
    rows = _beside_keys(grouped)
    groups = grouped.house_of(rows)
    return _levelled(grouped, rows_of(groups)._columns)


def _beside_keys(grouped: Grouped) -> LazyFrame:
    columns = grouped.rows._columns
    rows = LazyFrame._of(columns.having(LABEL, columns.index_array()))
    for number, key in enumerate(grouped.keys):
        rows = LazyFrame._of(rows._columns.having(f"level {number}", key))
    return rows


def _levelled(grouped: Grouped, columns: ColumnSet) -> Any:
    positions = grouped.positions
    own = columns.labelled(None)
    label = grouped.rows._columns.index_name
    levels = [(f"level {number}", name) for number, name in enumerate(grouped.names)] + [(LABEL, label)]
    names = [*(name for name, _ in levels), *(str(at) for at in positions)]
    made = LazyFrame._of(own.only(names))
    found = labelling.labelled(made, FrameLabels(columns_of(grouped, positions), tuple(levels)))
    return labelling.series_of(found, grouped.called[positions[0]]) if grouped.is_series else found


def value_counts(
    grouped: Grouped,
    subset: Any = None,
    normalize: bool = False,
    sort: bool = True,
    ascending: bool = False,
    bins: Any = None,
    dropna: bool = True,
) -> Any:
    options = grouped.options
    if subset is not None or bins is not None or not options["as_index"] or not options["dropna"] or not dropna:
        raise NotLazyError("these counts have no lazy form")
    columns = [grouped.column(at) for at in grouped.positions]
    if any(isinstance(one, Categorical) for one in (*grouped.keys, *columns)) or not options["sort"]:
        raise NotLazyError("counts of categories, and of groups that are not sorted")
    if {grouped.called[at] for at in grouped.positions} & {*grouped.names}:
        raise NotLazyError("pandas counts a column that is a key once")
    names = [f"{number}" for number in range(len(columns) + len(grouped.keys))]
    groups = ColumnGroups([*grouped.keys, *columns], dropna=True)
    keys, counts = groups.size()
    given = {**dict(zip(names, keys, strict=True)), "count": counts, "first": groups.unique_key_idx}
    rows = plain(DataFrame._of(ColumnSet.of(given)).to_pandas())
    rows = rows.sort_values("first", kind="stable")
    own = list(range(len(grouped.keys)))
    # Equal counts are in the order in which pandas has distinct rows.
    order: Any = rows.groupby([names[number] for number in own])[names[len(own) :]].value_counts(sort=False)
    found = rows.set_index(names)["count"].reindex(order.index)
    if sort:
        found = found.sort_values(ascending=ascending, kind="stable")
    found.index.names = range(len(names))
    found = found.sort_index(level=own, sort_remaining=False)
    if normalize:
        found = found / found.groupby(level=own).transform("sum")
    found.index.names = [*grouped.names, *(grouped.called[at] for at in grouped.positions)]
    return found.rename("proportion" if normalize else "count")


# windows of groups


class GroupedWindows:
    """Windows of the rows of each group; results have the keys and the labels of rows as levels.

    Parameters
    ----------
    grouped : Grouped
        The groups.
    windows : GroupWindows
        The windows of the house.
    """

    def __init__(self, grouped: Grouped, windows: Any) -> None:
        self.grouped, self.windows = grouped, windows

    def choose(self, key: Any) -> GroupedWindows:
        """Return the windows of some columns, or of one as a Series."""
        return GroupedWindows(self.grouped.choose(key), self.windows)

    def reduce(self, name: str, **words: Any) -> Any:
        """Return a reduction of all windows."""
        grouped = self.grouped
        if any(grouped.kind(at) not in "iufb" for at in grouped.positions):
            raise NotLazyError("a column has no numbers")
        windows = self.windows[list(map(str, grouped.positions))]
        found = getattr(windows, name)(**words)._columns
        columns = {str(at): found.array(str(at)) for at in grouped.positions}
        rows = _beside_keys(grouped)._columns
        columns |= {name: rows.array(name) for name in rows.values if name not in map(str, range(len(grouped.called)))}
        columns["order"] = grouped.house.ngroup().values
        made = LazyFrame._of(ColumnSet.of(columns))
        if grouped.options["dropna"]:
            made = made.dropna(subset=[f"level {number}" for number in range(len(grouped.keys))])
        return _levelled(grouped, made.sort_values("order")._columns)


def window_reduction(name: str) -> Callable[..., Any]:
    def call(self: GroupedWindows, ddof: int = 1, numeric_only: bool = False) -> Any:
        if numeric_only:
            raise NotLazyError("some columns are left out")
        return self.reduce(name, **({"ddof": ddof} if ddof != 1 else {}))

    return call


for _name in ("sum", "mean", "min", "max", "std", "var", "median", "count"):
    setattr(GroupedWindows, _name, window_reduction(_name))


def rolling(
    grouped: Grouped,
    window: Any,
    min_periods: int | None = None,
    center: bool = False,
    win_type: Any = None,
    on: Any = None,
    closed: str | None = None,
    method: str = "single",
    step: Any = None,
) -> Any:
    if win_type is not None or method != "single" or step is not None:
        raise NotLazyError("weights, tables and steps of windows")
    if grouped.is_wide:
        raise NotLazyError("rows have labels of several levels")
    if on is not None:
        raise NotLazyError("windows of a column of times")
    return GroupedWindows(grouped, grouped.in_house.rolling(window, min_periods, center, None, None, closed))


def expanding(grouped: Grouped, min_periods: int = 1, method: str = "single") -> Any:
    if grouped.is_wide or method != "single":
        raise NotLazyError("tables of windows")
    return GroupedWindows(grouped, grouped.in_house.expanding(min_periods))


def ewm(grouped: Grouped, **words: Any) -> Any:
    if grouped.is_wide or words.get("times") is not None or words.get("method", "single") != "single":
        raise NotLazyError("windows of time")
    return GroupedWindows(grouped, grouped.in_house.ewm(**words))


def of_groups(name: str, form: Callable[..., Any]) -> Callable[..., Any]:
    """Return the form of a method of groups; groups that are bins of time have their own."""

    @wraps(form)
    def call(grouped: Any, *args: Any, **words: Any) -> Any:
        if isinstance(grouped, Grouped):
            return form(grouped, *args, **words)
        from akdask.pandas import resample_forms

        own = resample_forms.FORMS.get(name)
        if own is None:
            raise NotLazyError(f"{name} of bins of time has no lazy form")
        return own(grouped, *args, **words)

    return call


_FORMS: dict[str, Callable[..., Any]] = {
    **{name: reduction(name) for name in ("sum", "prod", "mean", "min", "max", "std", "var", "sem", "median")},
    **{name: reduction(name) for name in ("skew", "kurt")},
    **{name: reduction(name) for name in ("count", "any", "all", "first", "last", "idxmin", "idxmax")},
    **{name: cumulated(name) for name in ("cumsum", "cumprod", "cummax", "cummin")},
    **{name: some_rows(name) for name in ("head", "tail", "nth")},
    **{name: extreme_values(name) for name in ("nlargest", "nsmallest")},
    **{name: of_pairs(name) for name in ("corr", "cov")},
    "__getitem__": Grouped.choose,
    "agg": agg,
    "aggregate": agg,
    "bfill": bfill,
    "cumcount": cumcount,
    "describe": describe,
    "diff": diff,
    "ewm": ewm,
    "expanding": expanding,
    "ffill": ffill,
    "get_group": get_group,
    "ngroup": ngroup,
    "nunique": nunique,
    "pct_change": pct_change,
    "quantile": quantile,
    "rank": rank,
    "rolling": rolling,
    "sample": sample,
    "shift": shift,
    "size": size,
    "transform": transform,
    "value_counts": value_counts,
}

FORMS: Mapping[str, Callable[..., Any]] = {name: of_groups(name, form) for name, form in _FORMS.items()}
"""Lazy forms of the methods of groups."""
