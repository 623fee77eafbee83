"""Reductions of the groups of a DataFrame: a row for each group, labelled by its keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array
from akdask.arrays.elementwise import cast
from akdask.arrays.families import called, reduction_named
from akdask.arrays.group_reductions import GROUP_REDUCTIONS, has_meaning, of_any_type, reduces_at_once
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.sorting import argsort, coargsort
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT8, UINT64
from akdask.engine.alignment import align, align_by_plan
from akdask.engine.node import Frame
from akdask.engine.sources import row_numbers
from akdask.engine.values import Call, Constant
from akdask.engine.values import cast as cast_value
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.alignment import missing_like
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import is_number, missing_rows
from akdask.frames.index import Index, MultiIndex
from akdask.frames.missing import can_be_missing, present, present_among
from akdask.frames.series import Series

if TYPE_CHECKING:
    from akdask.frames.groupby import DataFrameGroupBy


Reduced = tuple[str, str, Any]
"""Name of the result, column, reduction: its name, or a function of users."""


EXTREMES = {"idxmin": "argmin", "idxmax": "argmax"}
"""Reductions that return labels of rows, by the reductions that return positions."""


EDGES = {"last": True, "first_present": False}
"""Reductions to a value that is not missing, and whether it is the last one."""


COMPOSED = ("sem", "skew", "kurt")
"""Reductions that are found in several steps; see `akdask.frames.group_moments`."""


OF_NOTHING = {"size": 0, "count": 0, "nunique": 0, "sum": 0, "prod": 1, "any": False, "all": True}
OF_NOTHING |= {"argmin": -1, "argmax": -1}  # as of rows whose values are all missing
"""What reductions find of no rows; all others find nothing."""


def iterate(groups: DataFrameGroupBy) -> Iterator[tuple[Any, DataFrame]]:
    keys = groups.gb.unique_keys
    several, _ = in_group_order(groups, keys if isinstance(keys, tuple) else (keys,), {})
    for key in zip(*(level.tolist() for level in several), strict=True):
        yield key if len(key) > 1 else key[0], groups.get_group(key)


def agg(groups: DataFrameGroupBy, func: Any, **named: Any) -> DataFrame:
    return reduce_at_once(groups, calls_of(func, named, groups._columns(None)))


def size(groups: DataFrameGroupBy, as_series: bool | None) -> Series | DataFrame:
    grouped = groups.gb._grouped(("size", None, {}))
    keys, sizes = groups.gb._keys_of(grouped), groups.gb._result(grouped)
    if not groups.observed:
        keys, (sizes,) = with_unobserved(groups.gb, keys, [sizes], ["size"])
    if not (groups.as_index if as_series is None else as_series):
        return labelled_by_keys(groups, keys, {"size": sizes})
    names = groups.gb_key_names
    levels, found = in_group_order(groups, keys if isinstance(keys, tuple) else (keys,), {"size": sizes})
    return Series(
        found["size"], index=MultiIndex(levels, names=names) if len(levels) > 1 else Index(levels[0], names[0])
    )


def labels_of_extremes(groups: DataFrameGroupBy, called: str, found: DataFrame, skipna: bool) -> DataFrame:
    """Return the labels at the rows of extremes."""
    labels, columns = groups.df._columns.index_array(), found._columns
    names = [name for name in columns.values if name not in groups.gb_key_names]
    counted = {} if skipna else {name: groups.count(names)._columns.array(name) for name in names}
    sizes = None if skipna else groups.size(as_series=False)._columns.array("size")
    at = {}
    for name in names:
        positions = columns.array(name)
        at[name] = labels[demanded(called, positions, None if sizes is None else counted[name] == sizes)]
    if columns.index is None:
        keys = {name: columns.array(name) for name in columns.values if name in groups.gb_key_names}
        return groups.df._of(ColumnSet.of({**keys, **at}))
    return groups.df._of(columns.beside(at))


def reduce_columns(
    groups: DataFrameGroupBy, reduction: str, colnames: Any, *, min_count: int = 0, numbers: bool = True, **params: Any
) -> DataFrame:
    names = groups._columns(colnames)
    if colnames is None:
        arrays = {name: groups.df._columns.array(name) for name in names}
        names = [name for name, array in arrays.items() if reduction in COMPOSED or has_meaning(reduction, array)]
        if numbers:
            names = [name for name in names if _is_number_or_ordered(arrays[name])]
        if reduction in COMPOSED:
            names = [name for name in names if is_number(arrays[name])]
    found = reduce_at_once(groups, [(name, name, reduction) for name in names], **params)
    return _at_least(groups, found, min_count)


def _at_least(groups: DataFrameGroupBy, found: DataFrame, least: int) -> DataFrame:
    """Return results of groups, missing for groups with fewer values."""
    if least <= 0:
        return found
    names = [name for name in found._columns.values if name not in groups.gb_key_names]
    counts: Any = groups.count(names)._columns
    for name in names:
        array, lacks = found._columns.array(name), counts.array(name) < least
        frame, (value, lacking) = align("count", [(array._frame, array._value), (lacks._frame, lacks._value)])
        found = found._of(found._columns.having(name, missing_rows(array, frame, value, lacking)))
    return found


def reduce_at_once(groups: DataFrameGroupBy, calls: Iterable[Reduced], **params: Any) -> DataFrame:
    calls = list(calls)
    by_label = {name: how for name, _, how in calls if how in EXTREMES}
    calls = [
        (name, column, how if callable(how) else EXTREMES.get(how) or GROUP_REDUCTIONS.get(how.lower(), how))
        for name, column, how in calls
    ]
    known = {*GROUP_REDUCTIONS.values(), "size", *EDGES, *COMPOSED}
    unknown = [how for _, _, how in calls if not callable(how) and how not in known]
    if unknown:
        raise ArgumentError(
            f"groups cannot be reduced by {unknown[0]!r}.",
            details=[f"reductions: {', '.join(sorted({*GROUP_REDUCTIONS, *EDGES, *COMPOSED, *EXTREMES}))}"],
        )
    groups._columns([column for _, column, _ in calls])
    given = {column: groups.df._columns.array(column) for _, column, _ in calls}
    by_users = {name: (column, how) for name, column, how in calls if callable(how)}
    calls, order = [call for call in calls if not callable(call[2])], [name for name, _, _ in calls]
    apart = (*EDGES, *COMPOSED)
    one_pass = [call for call in calls if call[2] not in apart and reduces_at_once(call[2], given[call[1]])]
    arrays = [(given[column], how) for _, column, how in one_pass]
    found: dict[str, Array] = {}
    if len(calls) == 1 and not (one_pass or by_users) and calls[0][2] not in apart:
        # Its own keys have the rows of its results, so that nothing is counted.
        ((name, column, how),) = calls
        keys, found[name] = of_any_type(groups.gb, how, given[column], **params)
    else:
        keys, results = (
            groups.gb.reduce_at_once(arrays, **(params if arrays else {}))
            if calls or not by_users
            else (groups.gb.unique_keys, [])
        )
        found |= {name: result for (name, _, _), result in zip(one_pass, results, strict=True)}
    for name, column, how in calls:
        if how in EDGES:
            found[name] = _beside(keys, edge_value(groups, column, last=EDGES[how])[1])
        elif how in COMPOSED:
            from akdask.frames import group_moments

            found[name] = _beside(keys, getattr(group_moments, how)(groups.gb, given[column], **params))
        elif name not in found:
            found[name] = _beside(keys, of_any_type(groups.gb, how, given[column], **params)[1])
    for name, (column, function) in by_users.items():
        made = in_pandas(groups, columns=[column])[column].agg(function)
        found[name] = _beside(keys, array(made.to_numpy()))
    if not groups.observed:
        by_name = {name: how for name, _, how in calls} | dict.fromkeys(by_users, "")
        keys, completed = with_unobserved(
            groups.gb, keys, [found[name] for name in order], [by_name[name] for name in order]
        )
        found = dict(zip(order, completed, strict=True))
    labels: Any = groups.df._columns.index_array() if by_label else None
    found |= {name: labels[demanded(how, found[name])] for name, how in by_label.items()}
    return labelled_by_keys(groups, keys, {name: found[name] for name in order})


def labelled_by_keys(groups: DataFrameGroupBy, keys: Any, results: Mapping[str, Array]) -> DataFrame:
    arrays, results = in_group_order(groups, keys if isinstance(keys, tuple) else (keys,), results)
    if groups.as_index and len(arrays) == 1:
        return groups.df._of(ColumnSet.of(results, arrays[0], groups.gb_key_names[0]))
    return groups.df._of(ColumnSet.of({**dict(zip(groups.gb_key_names, arrays, strict=True)), **results}))


def in_group_order(
    groups: DataFrameGroupBy, keys: Sequence[Array], results: Mapping[str, Array]
) -> tuple[list[Array], dict[str, Array]]:
    """Return keys and results of groups in the order of their first rows, where they are not to be sorted."""
    if groups.sort:
        return list(keys), dict(results)
    order = argsort(groups.gb.unique_key_idx)
    return [key[order] for key in keys], {name: array[order] for name, array in results.items()}


def edge_values(groups: DataFrameGroupBy, names: Sequence[str], *, last: bool) -> DataFrame:
    """Return the first or the last value of each group that is not missing."""
    edges = {name: edge_value(groups, name, last=last) for name in names}
    keys: Any = next(iter(edges.values()))[0] if edges else groups.gb.unique_keys
    return labelled_by_keys(groups, keys, {name: found for name, (_, found) in edges.items()})


def edge_value(groups: DataFrameGroupBy, name: str, *, last: bool) -> tuple[Any, Array]:
    """Return the keys, and the first or the last value of a column in each group that is not missing."""
    columns = groups.df._columns
    # Floats hold all numbers of rows.
    numbers = cast(pdarray(*row_numbers(columns.frame)), np.float64)
    there = present(columns, name)
    frame, (value, is_there) = align_by_plan(
        "find the last", [(numbers._frame, numbers._value), (columns.frame, there)]
    )
    marked = pdarray(frame, Call("where", is_there, value, Constant(np.nan)))
    keys, rows = groups.gb.max(marked) if last else groups.gb.min(marked)
    lacks = Call("isnan", rows._value)
    at = pdarray(rows._frame, Call("cast", Call("where", lacks, Constant(0.0), rows._value), dtype="int64"))
    taken = columns.array(name)[at]
    common, (item, lacking) = align_by_plan("take the last", [(taken._frame, taken._value), (rows._frame, lacks)])
    is_plain = item.dtype in (INT64, UINT64, UINT8, BOOL) and not isinstance(taken, TimeArray | Categorical)
    return keys, taken if is_plain else missing_rows(taken, common, item, lacking)


def in_pandas(
    groups: DataFrameGroupBy, *, numbered: bool = True, columns: Sequence[str] | None = None, sort: bool = True
) -> Any:
    rows = groups.df._of(groups.df._columns.labelled(None)) if numbered else groups.df
    rows = rows if columns is None else rows._of(rows._columns.only(columns))
    given: Any = rows.to_pandas()
    keys = [key.to_pandas() if isinstance(key, Categorical) else key.to_ndarray() for key in groups.gb._arrays]
    in_frame = [name for name in groups.gb_key_names if name in given]
    by: Any = groups.gb_key_names if len(in_frame) == len(keys) else keys
    by = by[0] if len(by) == 1 else by
    options = {"dropna": groups.gb.dropna, "sort": sort, "group_keys": groups.group_keys}
    return given.groupby(by, observed=True, **options)


def calls_of(func: Any, named: Mapping[str, Any], columns: Sequence[str]) -> list[Reduced]:
    """Parse the arguments of `DataFrameGroupBy.agg` into calls of reductions.

    Raises
    ------
    ArgumentTypeError
        If a named result is no pair.
    """
    calls: list[Reduced] = []
    for name, pair in named.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise ArgumentTypeError(
                f"a named result is a pair of column and reduction, not {pair!r}.", hint='write total=("x", "sum").'
            )
        calls.append((name, pair[0], reduction_named(pair[1])))
    if isinstance(func, str | list | tuple) or callable(func):
        func = dict.fromkeys(columns, func)
    for column, reductions in (func or {}).items():
        if isinstance(reductions, list | tuple):
            calls += [(f"{column}_{called(reduction)}", column, reduction_named(reduction)) for reduction in reductions]
        else:
            calls.append((column, column, reduction_named(reductions)))
    return calls


def _is_number_or_ordered(array: Array) -> bool:
    return array._type_name() not in ("str", "Categorical") or getattr(array, "ordered", False)


def demanded(called: str, positions: Any, is_full: Any = None) -> Any:
    """Return positions of extremes, which raise at compute if a group has none, or is not full by `is_full`."""
    frame, values = align(
        called, [positions._as_operand(), (positions >= 0 if is_full is None else is_full)._as_operand()]
    )
    return positions._like(frame, Call("of_extremes", *values, name=called, skipna=is_full is None))


def _beside(keys: Any, result: Array) -> Array:
    """Count groups whose partitions have other bounds, so that they can be combined."""
    key = keys[0] if isinstance(keys, tuple) else keys
    if not key.rows.same_rows(result.rows):
        known_lengths(key._frame)
        known_lengths(result._frame)
    return result


def with_unobserved(
    groups: GroupBy, keys: Any, results: Sequence[Array], reductions: Sequence[str]
) -> tuple[Any, list[Array]]:
    """Add groups for categories that no row has to keys and results, in order; counts keys.

    Parameters
    ----------
    groups : GroupBy
        The groups.
    keys : array, or tuple of arrays
        The keys of groups that have rows.
    results : sequence of Array
        Reductions of these groups.
    reductions : sequence of str
        Names of the reductions.

    Raises
    ------
    UnsupportedError
        If there are several keys, and rows whose keys are missing are in groups.
    """
    from akdask.arrays.setops import contained
    from akdask.frames.join import stacked

    given = keys if isinstance(keys, tuple) else (keys,)
    if len(given) > 1 and not groups.dropna:
        raise UnsupportedError(
            "categories without rows are not combined with missing keys.", hint="pass dropna=True, or observed=True."
        )
    levels = _combined([_all_of(key) for key in groups._arrays])
    several = len(given) > 1
    lacking = contained(list(levels) if several else levels[0], list(given) if several else given[0], invert=True)
    levels = [level[lacking] for level in levels]
    frame = levels[0]._frame
    nothing = [_of_nothing(result, how, frame) for result, how in zip(results, reductions, strict=True)]
    names = [str(number) for number in range(len(given) + len(results))]
    found = stacked(
        [
            ColumnSet.of(dict(zip(names, [*given, *results], strict=True))),
            ColumnSet.of(dict(zip(names, [*levels, *nothing], strict=True))),
        ]
    )
    arrays = [found.array(name) for name in names]
    order = coargsort([_place(key) for key in arrays[: len(given)]])
    arrays = [array[order] for array in arrays]
    return (tuple(arrays[: len(given)]) if several else arrays[0]), arrays[len(given) :]


def _place(key: Array) -> Array:
    """Return the column that orders groups: for a Categorical its codes, with NaN for the NA code."""
    if not isinstance(key, Categorical):
        return key
    lacks = key._missing_among(key._value)
    return pdarray(key._frame, Call("where", lacks, Constant(np.nan), cast_value(key._value, FLOAT64)))


def _all_of(key: Any) -> Array:
    """Return each category, or each distinct value of other keys that is not missing."""
    from akdask.arrays.setops import unique

    if isinstance(key, Categorical):
        categories: Array = key._each_category()
        return categories
    found: Array = unique(key)
    return (
        found[pdarray(found._frame, present_among(found, found._value))] if can_be_missing(key, key._value) else found
    )


def _combined(levels: Sequence[Any]) -> list[Any]:
    """Return each combination of labels of several levels."""
    sizes = [int(level.size) for level in levels]
    if len(levels) == 1:
        return list(levels)
    count = 1
    for size in sizes:
        count *= size
    row, combined = arange(count), []
    for level, size in zip(levels, sizes, strict=True):
        count //= max(size, 1)
        combined.append(level[row // max(count, 1) % max(size, 1)])
    return combined


def _of_nothing(result: Array, reduction: str, frame: Frame) -> Array:
    found = OF_NOTHING.get(reduction)
    if found is None:
        return missing_like(frame, result)
    return result._like(frame, Constant(result._value.dtype.numpy.type(found)))
