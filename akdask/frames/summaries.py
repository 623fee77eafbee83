"""Summaries of a DataFrame: descriptions, largest rows, repeated rows, and ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import dask
import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.column_names import names_of
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import cast, where
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.setops import in1d, value_counts
from akdask.arrays.shapes import concatenate
from akdask.arrays.sorting import coargsort
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, INT64, NOT_A_TIME
from akdask.deferred import pd
from akdask.engine.missing import key_parts, negated, parts
from akdask.engine.node import Frame
from akdask.engine.run import run
from akdask.engine.values import Call, Constant, Value
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.columnset import VALUES, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import as_other_type, is_number, numbers_among
from akdask.frames.index import Index
from akdask.frames.missing import present, present_among
from akdask.frames.windows import numbers_in_groups
from akdask.operators.reduce.plan import Aggregate, AggregateExpr
from akdask.operators.reduce.quantiles import checked_quantiles
from akdask.operators.sort.top_k import TopK

if TYPE_CHECKING:
    from akdask.frames.series import Series


QUARTILES = (0.25, 0.5, 0.75)


RANKS = ("average", "min", "max", "first", "dense")


KEEPS = ("first", "last")


NA_OPTIONS = ("keep", "top", "bottom")


def describe(frame: DataFrame, percentiles: Sequence[float] | None, include: str | None) -> pd.DataFrame:
    if include not in (None, "all"):
        raise ArgumentError(f"describe: include={include!r} is neither None nor 'all'.")
    columns = frame._columns
    wanted = quantiles_of(percentiles)
    numbers = [name for name in numbers_among(columns) if columns.values[name].dtype.kind != "bool"]
    described = described_numbers(columns, numbers, wanted)
    times = [name for name in columns.values if isinstance(columns.kinds[name], TimeArray)]
    if times:
        parts = [described.astype(object)] if numbers else []
        parts = sorted([*parts, *(described_times(columns, [name], wanted) for name in times)], key=len)
        rows = dict.fromkeys(row for part in parts for row in part.index)
        described = pd.concat([part.reindex(list(rows)) for part in parts], axis=1)
        numbers = [name for name in columns.values if name in (*numbers, *times)]
        described = described[numbers]
    others = [name for name in columns.values if name not in numbers and _has_labels(columns, name)]
    if numbers and (include != "all" or not others):
        return described
    if not numbers and not others:
        raise ArgumentTypeError("describe needs columns of numbers, times or text.", details=[f"types: {frame.dtypes}"])
    labels = described_labels(columns, others)
    if not numbers:
        return labels
    both = labels.reindex(["count", "unique", "top", "freq"]).join(described.astype(object), how="outer")
    order = ["count", "unique", "top", "freq", *(row for row in described.index if row != "count")]
    return both.reindex(order)[[name for name in columns.values if name in both]]


def rank(frame: DataFrame, method: str, ascending: bool, pct: bool, *, na_option: str) -> DataFrame:
    columns = frame._columns
    arrays = {name: columns.array(name) for name in columns.values}
    return frame._with_columns(
        {name: ranks(array, method, ascending, pct, na_option) for name, array in arrays.items()}
    )


def mode(frame: DataFrame, numeric_only: bool, dropna: bool) -> pd.DataFrame:
    columns = frame._columns
    names = numbers_among(columns) if numeric_only else list(columns.values)
    found = {name: pd.Series(commonest(columns, name, dropna)) for name in names}
    return pd.DataFrame(found)


def extreme_rows(frame: DataFrame, operation: str, n: int, columns: str | Sequence[str], keep: str) -> DataFrame:
    names = names_of(columns)
    largest = operation == "nlargest"
    if keep not in (*KEEPS, "all") or not names:
        raise ArgumentError(f"{operation} needs a column, and keep='first', 'last' or 'all', not {keep!r}.")
    arrays = [frame._columns.array(name) for name in names]
    for name, array in zip(names, arrays, strict=True):
        if not isinstance(array, TimeArray) and not is_number(array):
            raise ArgumentTypeError(
                f"{operation} needs numbers or times; column {name!r} has {array._type_name()}.",
                hint="df.sort_values(…).head(10) puts any column in order.",
            )
    if n <= 0:
        return frame.head(0)
    first = top_positions(arrays[0], int(n), largest=largest, last=keep == "last")
    chosen: DataFrame = frame._rows(first)
    if len(names) == 1 and keep != "all":
        return chosen
    # All rows with one of the values that are among the first, few more than are wanted.
    every: DataFrame = frame._rows(in1d(arrays[0], chosen._columns.array(names[0])))
    ordered = every._rows(slice(None, None, -1)) if keep == "last" else every
    ordered = ordered.sort_values(names, ascending=not largest)
    few = ordered.head(int(n))
    if keep != "all":
        return few
    wanted = [few._columns.array(name) for name in names]
    return ordered._rows(in1d([ordered._columns.array(name) for name in names], wanted))


def described_numbers(columns: ColumnSet, names: Sequence[str], quantiles: Sequence[float]) -> pd.DataFrame:
    """Return a description of columns of numbers, a row for each statistic; computes."""
    quantiles = sorted(set(quantiles))
    rows = ["count", "mean", "std", "min", *map(percentage, quantiles), "max"]
    if not names:
        return pd.DataFrame(index=rows)
    floats = {name: to_type(columns.values[name], FLOAT64) for name in names}
    wanted = [
        one
        for name, value in floats.items()
        for one in (
            AggregateExpr("count_nonzero", present(columns, name)),
            *_moments(value),
            AggregateExpr("quantile", value, q=(0.0, *quantiles, 1.0), method="linear", skipna=True),
        )
    ]
    (found,) = run(Aggregate(columns.frame, tuple(wanted)))
    by_name = {name: list(found[4 * place : 4 * place + 4]) for place, name in enumerate(names)}
    # A column with NaN has a mean of NaN, and is read once more without them.
    lacking = [name for name, (count, mean, *_) in by_name.items() if count and np.isnan(mean)]
    if lacking:
        again = run(*[_without_missing(columns.frame, floats[name], present(columns, name)) for name in lacking])
        for name, moments in zip(lacking, again, strict=True):
            by_name[name][1:3] = moments
    described = {
        name: [float(count), mean, std, *np.asarray(ranked, np.float64).tolist()]
        for name, (count, mean, std, ranked) in by_name.items()
    }
    return pd.DataFrame(described, index=rows, dtype=np.float64)


def described_times(columns: ColumnSet, names: Sequence[str], quantiles: Sequence[float]) -> pd.DataFrame:
    """Return a description of columns of times, a row for each statistic; computes."""
    quantiles = sorted(set(quantiles))
    found = {}
    from akdask.frames.series import Series

    for name in names:
        series: Any = Series(columns.array(name)).dropna()
        count = len(series)
        spread = {} if isinstance(columns.kinds[name], Datetime) else {"std": series.std(ddof=1)}
        several = series.quantile(quantiles).to_pandas().tolist() if count else [pd.NaT] * len(quantiles)
        statistics = {
            "count": count,
            "mean": series.mean() if count else pd.NaT,
            **spread,
            "min": series.min() if count else pd.NaT,
            **dict(zip(map(percentage, quantiles), several, strict=True)),
            "max": series.max() if count else pd.NaT,
        }
        found[name] = pd.Series(dict(zip(statistics, dask.compute(*statistics.values()), strict=True)), dtype=object)
    return pd.DataFrame(found)


def _moments(value: Value) -> tuple[AggregateExpr, AggregateExpr]:
    return AggregateExpr("mean", value), AggregateExpr("std", value, ddof=1)


def _without_missing(frame: Frame, value: Value, there: Value) -> Aggregate:
    chosen, (left,) = filter_columns(frame, [value], frame, there)
    return Aggregate(chosen, _moments(left))


def described_labels(columns: ColumnSet, names: Sequence[str]) -> pd.DataFrame:
    """Return a description of columns of labels: count, distinct values, the commonest and its number; computes."""
    found = {}
    for name in names:
        values, counts = _counts(columns, name)
        found[name] = [int(counts.sum()), len(counts), *_commonest(columns, name, values, counts)]
    return pd.DataFrame(found, index=["count", "unique", "top", "freq"], dtype=object)


def _commonest(columns: ColumnSet, name: str, values: np.ndarray[Any, Any], counts: np.ndarray[Any, Any]) -> Any:
    """Return the commonest of the values of a column, of several the first, and how often it occurs; computes."""
    if not len(counts):
        return np.nan, np.nan
    most = counts.max()
    tied = values[counts == most]
    if len(tied) == 1 or isinstance(columns.kinds[name], Categorical):
        return tied[0], int(most)
    rows = _there(columns, name)
    if len(tied) < len(values):
        rows = rows[in1d(rows, tied.tolist())]
    return np.asarray(rows[:1].to_ndarray())[0], int(most)


def _has_labels(columns: ColumnSet, name: str) -> bool:
    return isinstance(columns.kinds[name], Strings | Categorical) or columns.values[name].dtype.kind == "bool"


def _counts(columns: ColumnSet, name: str) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the distinct values of a column that are not missing, in order, and how often each occurs; computes."""
    known, numbers = dask.compute(*value_counts(_there(columns, name)))
    return np.asarray(known), np.asarray(numbers)


def _there(columns: ColumnSet, name: str) -> Any:
    """Return the values of a column that are not missing, integers and bools as such; lazy."""
    array = columns.array(name)[pdarray(columns.frame, present(columns, name))]
    apart = parts(array._value)
    return array if apart is None else pdarray(array._frame, apart[0])


def commonest(columns: ColumnSet, name: str, dropna: bool = True) -> np.ndarray[Any, Any]:
    """Return the commonest values of a column, in order, and a missing one if not `dropna`; computes."""
    values, counts = _counts(columns, name)
    missing = 0 if dropna else int(pdarray(columns.frame, negated(present(columns, name))).sum())
    most = max(missing, counts.max() if len(counts) else 0)
    found = values[counts == most] if len(counts) else values
    if not isinstance(columns.kinds[name], Categorical):
        # Labels come in the order of their categories.
        found = np.sort(found)
    if not missing or missing < most:
        return found
    nothing = np.array("NaT", found.dtype) if found.dtype.kind in "mM" else np.nan
    known = found if found.dtype.kind in "mMf" else found.astype(object)
    # Among times and labels pandas has the missing one first.
    is_first = isinstance(columns.kinds[name], TimeArray | Categorical)
    return np.insert(known, 0, nothing) if is_first else np.append(known, nothing)


def quantiles_of(percentiles: Sequence[float] | None) -> list[float]:
    """Return which quantiles describe numbers, checked; the quartiles unless given."""
    found = checked_quantiles(list(QUARTILES if percentiles is None else percentiles), "linear")
    return [found] if isinstance(found, float) else list(found)


def percentage(quantile: float) -> str:
    """Return how pandas calls a quantile.

    Examples
    --------
    >>> percentage(0.25), percentage(0.999)
    ('25%', '99.9%')
    """
    return f"{round(100 * quantile, 10):g}%"


def top_positions(array: Array, count: int, *, largest: bool, last: bool) -> pdarray:
    """Return the positions of the largest or smallest elements, the most extreme first; lazy.

    Of equal elements the first or the last ones are taken.  Missing elements are taken only if others are too few.
    """
    value = array._value
    missing: Value | None = None
    if isinstance(array, TimeArray):
        missing = Call("equal", value, Constant(NOT_A_TIME))
        filling: Any = np.iinfo(np.int64).min if largest else np.iinfo(np.int64).max
    elif len(key_parts(value)) > 1:
        missing, value = key_parts(value)
        limits = np.iinfo(value.dtype.numpy)
        filling = value.dtype.numpy.type(limits.min if largest else limits.max)
    elif value.dtype == FLOAT64:
        missing, filling = Call("isnan", value), -np.inf if largest else np.inf
    if missing is not None:
        value = Call("where", missing, Constant(filling), value)
    if value.dtype.kind == "bool":
        value = to_type(value, INT64)
    if largest != last:
        # The first of equal ones come from the side of the smallest.
        value = Call("negative" if value.dtype == FLOAT64 else "invert", value)
    found = TopK.of(array._frame, value, -count if last else count)
    positions = pdarray(found, found.positions)
    return positions[::-1] if last else positions


def ranks(
    array: Array, method: str = "average", ascending: bool = True, pct: bool = False, na_option: str = "keep"
) -> pdarray:
    """Return the ranks of the elements of an array, as float64; lazy.  See `DataFrame.rank`."""
    if method not in RANKS:
        raise ArgumentError(f"there is no rank {method!r}.", details=[f"methods: {', '.join(RANKS)}"])
    if na_option not in NA_OPTIONS:
        raise ArgumentError(f"na_option={na_option!r} is none of {', '.join(NA_OPTIONS)}.")
    if isinstance(array, Categorical) and not array.ordered:
        # Where labels are not compared, pandas ranks them by their text.
        array = as_other_type(array, str)
    keys: Any = array
    if na_option != "keep":
        # Where ranks descend, the first ones belong to the last groups.
        keys = [rank_of_missing(array, is_first=(na_option == "top") == ascending), array]
    groups = ColumnGroups(keys, dropna=na_option == "keep")
    sizes = ranked_sizes(groups.size()[1], method)
    upto, total = cumsum(sizes), sizes.sum()
    placed = place_ranks(groups, sizes, upto - sizes if ascending else total - upto, method)
    return placed / total if pct else placed


def rank_of_missing(array: Any, *, is_first: bool) -> Any:
    """Return a key of bools that sorts missing values first or last."""
    there = pdarray(array._frame, present_among(array, array._value))
    return there if is_first else ~there


def ranked_sizes(sizes: pdarray, method: str) -> pdarray:
    """Return the number of ranks that `sizes` equal rows take: one if ranks are dense, otherwise one for each row."""
    return sizes * 0 + 1 if method == "dense" else sizes


def place_ranks(groups: GroupBy, sizes: pdarray, below: pdarray, method: str) -> pdarray:
    """Return the ranks of rows, as float64; lazy.

    `groups` has the equal rows, which take `sizes` ranks after the `below` ones of the rows before them.
    """
    match method:
        case "average":
            found: Any = (2 * below + sizes + 1) / 2.0
        case "max":
            found = below + sizes
        case _:
            found = below + 1
    # Ranks are at most the number of rows, which floats hold.
    placed: pdarray = groups.broadcast(cast(found, np.float64))
    if method == "first":
        placed = placed + cast(numbers_in_groups(groups), np.float64)
    return placed


def describe_series(series: Series, percentiles: Sequence[float] | None) -> pd.Series:
    columns = series._value_columns()
    values = series.values
    if is_number(values) and values._value.dtype.kind != "bool":
        found = described_numbers(columns, [VALUES], quantiles_of(percentiles))
    elif isinstance(values, TimeArray):
        found = described_times(columns, [VALUES], quantiles_of(percentiles))
    elif isinstance(values, Strings | Categorical) or values._value.dtype.kind == "bool":
        found = described_labels(columns, [VALUES])
    else:
        raise ArgumentTypeError(f"describe takes numbers or text, not {values._type_name()}.")
    described: pd.Series = found[VALUES]
    described.name = series.name
    return described


def count_values(series: Series, sort: bool, *, normalize: bool, ascending: bool, dropna: bool) -> Series:
    values, counts, first = _counted(series.values, dropna)
    keys = [*([counts] if sort else []), *([] if first is None else [first])]
    if keys:
        order = coargsort(keys, ascending=[*([ascending] if sort else []), *([] if first is None else [True])])
        values, counts = values[order], counts[order]
    found, name = (counts / counts.sum(), "proportion") if normalize else (counts, "count")
    return series._of(found, Index(values, series.name), name)


def extreme_entries(series: Series, operation: str, n: int, keep: str, *, largest: bool) -> Series:
    values = series.values
    if keep not in KEEPS:
        raise ArgumentError(f"{operation}: keep={keep!r} is neither 'first' nor 'last'.")
    if not isinstance(values, TimeArray) and not is_number(values):
        raise ArgumentTypeError(f"{operation} needs numbers or times, not {values._type_name()}.")
    if n <= 0:
        return series._moved(series._labelled.head(0))
    at = top_positions(values, int(n), largest=largest, last=keep == "last")
    return series._rows(at)


def _counted(values: Array, dropna: bool) -> tuple[Any, Any, Any]:
    """Return distinct values, their counts, and the row of their first occurrence; includes unused categories."""
    if not isinstance(values, Categorical):
        groups = ColumnGroups(values, dropna=dropna)
        return *groups.size(), groups.unique_key_idx
    # Each category is added once, so that categories without rows are counted too.
    each = values._each_category()
    keys, counts = ColumnGroups(concatenate([values, each]), dropna=dropna).size()
    return keys, where(keys.isna(), counts, counts - 1), None
