"""Rows of groups: some rows of each group, differences, and results for each row, such as running results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, array, full
from akdask.arrays.datetimes import Timedelta
from akdask.arrays.elementwise import cast, where
from akdask.arrays.families import reduction
from akdask.arrays.group_reductions import GROUP_REDUCTIONS, has_meaning
from akdask.arrays.group_rows import first_in_order
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import position, take_columns
from akdask.arrays.setops import contained
from akdask.arrays.shapes import chained
from akdask.arrays.sorting import argsort
from akdask.arrays.timearray import TimeArray
from akdask.arrays.ufuncs import isnan
from akdask.deferred import pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.node import Frame
from akdask.engine.rowwise import Zip
from akdask.engine.sources import row_numbers
from akdask.engine.values import ColumnRef, Value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, UnsupportedError
from akdask.frames.alignment import on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import demand_numbers, is_number, missing_rows, numbers_among
from akdask.frames.expanding import Weights, as_column_of_times
from akdask.frames.group_reductions import in_pandas
from akdask.frames.group_windows import GroupDecaying, GroupExpanding, group_windows
from akdask.frames.rows_in_groups import (
    Arranged,
    differences_in_groups,
    filled_in_groups,
    filled_rows_in_groups,
    keeps_states,
    lacks_group,
    numbers_in_groups,
    numbers_of_rows,
    previous_in_groups,
    running_of_groups,
    running_times_of_groups,
    shifted_in_groups,
    taken_rows,
)
from akdask.frames.series import Series, series_of
from akdask.frames.windows import (
    as_integer,
    checked_limit,
    demand_plain_windows,
    difference,
    in_floats,
    never_lacks,
)
from akdask.operators.group import tuning
from akdask.operators.group.rows import TopRowsOfGroups
from akdask.operators.sort.plan import Sort, key_order, sorted_rows

if TYPE_CHECKING:
    from akdask.frames.groupby import DataFrameGroupBy


def _of_groups(differences: DiffAggregate, name: str) -> Series:
    """Return {what} of the differences in each group, NaN left out; lazy."""
    keys, found = differences.gb.aggregate(differences.values, name)
    return Series((keys, found))


class DiffAggregate:
    """Differences of successive values of each group, as `DataFrameGroupBy.diff` gives them.

    Parameters
    ----------
    gb : GroupBy
        The groups.
    series : pdarray or Series
        The numbers, on the rows of the keys.

    Raises
    ------
    ArgumentTypeError
        If these are no numbers.

    Notes
    -----
    Reductions are Series labelled by the keys, as in Arkouda.
    """

    def __init__(self, gb: GroupBy, series: Any) -> None:
        self.gb = gb
        self.values = _differences(gb, series.values if isinstance(series, Series) else series)

    sum = reduction("sum", _of_groups)
    prod = reduction("prod", _of_groups)
    mean = reduction("mean", _of_groups)
    var = reduction("var", _of_groups)
    std = reduction("std", _of_groups)
    count = reduction("count", _of_groups)
    min = reduction("min", _of_groups)
    max = reduction("max", _of_groups)
    median = reduction("median", _of_groups)
    argmin = reduction("argmin", _of_groups)
    argmax = reduction("argmax", _of_groups)
    any = reduction("any", _of_groups)
    all = reduction("all", _of_groups)
    first = reduction("first", _of_groups)
    mode = reduction("mode", _of_groups)
    nunique = reduction("nunique", _of_groups)
    unique = reduction("unique", _of_groups)

    def quantile(self, q: float = 0.5, interpolation: str = "linear") -> Series:
        """Return a quantile of the differences in each group, NaN left out; lazy."""
        keys, found = self.gb.quantile(self.values, q, method=interpolation)
        return Series((keys, found))

    def xor(self) -> Series:
        """Return the differences in each group, as integers, combined by exclusive or, NaN left out; lazy."""
        return self._combined("XOR", 0)

    def or_(self) -> Series:
        """Return the differences in each group, as integers, combined bit by bit by or, NaN left out; lazy."""
        return self._combined("OR", 0)

    def and_(self) -> Series:
        """Return the differences in each group, as integers, combined bit by bit by and, NaN left out; lazy."""
        return self._combined("AND", -1)

    def _combined(self, name: str, nothing: int) -> Series:
        """Return bits combined; NaN, the only difference of a group of one row, count as the neutral element."""
        numbers = cast(where(isnan(self.values), float(nothing), self.values), "int64")
        keys, found = getattr(self.gb, name)(numbers)
        return Series((keys, found))


def _differences(groups: GroupBy, values: Array) -> pdarray:
    """Return each value less the one before it in its group, as float64 on the rows of the values.

    NaN for the first ones of groups, and for rows that are in none.
    """
    if not isinstance(values, Array):
        raise ArgumentTypeError(f"differences need numbers, not {type(values).__name__}.")
    if type(values) is not pdarray or values._value.dtype.kind not in ("int", "uint", "float"):
        raise ArgumentTypeError(f"differences need a column of numbers, not {values._describe()}.")
    permutation = groups.permutation
    # Unsigned numbers would wrap around where they fall.
    ordered = (cast(values, "float64") if values._value.dtype.kind == "uint" else values)[permutation]
    steps: Any = cast(ordered - chained([ordered[:1], ordered[:-1]]), "float64")
    steps[groups.segments] = np.nan
    found = full(len(values), np.nan)
    found[permutation] = steps
    return found


RUNNING = ("cumsum", "cumprod", "cummin", "cummax")
RUNNING_OF_TIMES: dict[str, tuple[type, ...]] = {
    "cumsum": (Timedelta,),
    "cumprod": (),
    "cummin": (TimeArray,),
    "cummax": (TimeArray,),
}
"""The types of times that have running results."""


def first_of_groups(
    groups: GroupBy, columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool], count: int
) -> ColumnSet:
    """Return the first rows of each group in the order of some columns, with rows of a group adjacent."""
    by, directions = key_order([key._sort_key(up) for key, up in zip(keys, ascending, strict=True)], ascending)
    first = first_in_order(groups, by, directions, position(count))
    return columns.on(lambda frame, values: _taken(first, frame, values))


def _taken(first: TopRowsOfGroups, frame: Frame, values: Sequence[Value]) -> tuple[Frame, list[Value]]:
    """Return columns of the first rows; the node has the columns of keys and order already."""
    others = [value for value in values if value not in first.known]
    if not others:
        return first, [first.known[value] for value in values]
    at, found = take_columns(frame, others, first, first.position)
    columns = {**first.known, **dict(zip(others, found, strict=True))}
    return at if at is first else Zip((at, first)), [columns[value] for value in values]


def first_of_sorted_groups(groups: GroupBy, columns: ColumnSet, count: int, in_order: bool) -> ColumnSet | None:
    """Return the first rows of each group of rows that have been sorted, without sorting all of them.

    None unless the columns come from a sort, and the keys of the groups are among them.  If `in_order`, rows come in
    the order of the sort; otherwise rows of a group are adjacent.
    """
    sort, given = columns.frame, columns.numbered()
    if not isinstance(sort, Sort) or given.frame is not sort or groups._known_keys is not None or count < 0:
        return None
    before = dict(zip(sort.frame.names, sort.frame.values, strict=True))

    def unsorted(frame: Frame, values: Iterable[Value]) -> list[Value]:
        refs = [value for value in values if isinstance(value, ColumnRef) and value.source == sort._name]
        return [before[ref.name] for ref in refs] if frame is sort else []

    columns_there, keys = list(given.values.values()), [key._value for key in groups._arrays]
    values = unsorted(given.frame, columns_there if given.index is None else [*columns_there, given.index])
    known = [found for key in groups._arrays for found in unsorted(key._frame, [key._value])]
    if len(values) < len(columns_there) + (given.index is not None) or len(known) < len(keys):
        return None
    source = sort.frame.frame
    by = [(source, key) for key in sort.keys]
    arrays = [key._like(source, value) for key, value in zip(groups._arrays, known, strict=True)]
    again = ColumnGroups(arrays if groups._several else arrays[0], dropna=groups.dropna)
    first = first_in_order(again, by, sort.order.ascending, count)

    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        wanted = values if not in_order else [*values, *sort.keys]
        frame, found = _taken(first, frame, wanted)
        if not in_order:
            return frame, found
        taken, order = found[: len(values)], [(frame, key) for key in found[len(values) :]]
        ordered, moved = sorted_rows(
            [*order, (first, first.position)],
            [*sort.order.ascending, True],
            [(frame, value) for value in taken],
        )
        return ordered, list(moved)

    named = dict(zip(given.values, values, strict=False))
    index = None if given.index is None else values[-1]
    return replace(given, frame=source, values=named, index=index).moved(select)


def head(groups: DataFrameGroupBy, n: int, sort_index: bool) -> DataFrame:
    found = first_of_sorted_groups(groups.gb, groups.df._columns, n, sort_index)
    if found is not None:
        return groups.df._of(found)
    return _some_rows(groups, _at_the_edge(groups, n, last=False, in_order=sort_index), sort_index)


def tail(groups: DataFrameGroupBy, n: int, sort_index: bool) -> DataFrame:
    return _some_rows(groups, _at_the_edge(groups, n, last=True, in_order=sort_index), sort_index)


def _at_the_edge(groups: DataFrameGroupBy, n: int, *, last: bool, in_order: bool) -> Any:
    """Return the positions of the first or last rows of each group; if they are put `in_order` anyway, in any order."""
    if not 0 <= position(n) <= tuning.FEW_ROWS or not in_order:
        some_keys = groups.gb._arrays[0]
        return (groups.gb.tail if last else groups.gb.head)(some_keys, n)[1]
    first = first_in_order(groups.gb, [row_numbers(groups.df._columns.frame)], [not last], position(n))
    return pdarray(first, first.position)


def sample(
    groups: DataFrameGroupBy, n: int | None, frac: float | None, replace: bool, weights: Any, random_state: Any
) -> DataFrame:
    odds = groups.df._columns.array(weights) if isinstance(weights, str) else on_rows_of(groups.df._row_labels, weights)
    some_keys = groups.gb._arrays[0]
    chosen = groups.gb.sample(some_keys, n, frac, replace, odds, random_state, True, permute_samples=True)
    return _some_rows(groups, chosen, sort_index=False)


def diff(groups: DataFrameGroupBy, colname: Any, *, periods: int) -> DiffAggregate | DataFrame:
    if colname is None or isinstance(colname, int | np.integer):
        return differences(groups, as_integer("periods", periods if colname is None else colname))
    return DiffAggregate(groups.gb, groups.df._columns.array(colname))


def _some_rows(groups: DataFrameGroupBy, positions: Any, sort_index: bool) -> DataFrame:
    """Return rows at positions; in the order of the rows they are a filter, which reads the rows that it leaves."""
    if not sort_index:
        return groups.df._rows(positions)
    return groups.df._rows(contained(pdarray(*row_numbers(groups.df._columns.frame)), positions))


def transform(groups: DataFrameGroupBy, func: str | Callable[[pd.Series], Any]) -> DataFrame:
    if not isinstance(func, str):
        return _transformed_by_pandas(groups, func)
    if func in (*RUNNING, "shift", "pct_change", "ffill", "bfill", "rank", "cumcount", "ngroup"):
        return getattr(groups, func)()
    if func == "diff":
        return differences(groups, 1)
    name = GROUP_REDUCTIONS.get(func.lower(), func)
    if name not in {*GROUP_REDUCTIONS.values(), "size"}:
        raise ArgumentError(
            f"groups are not transformed by {func!r}.",
            details=[f"reductions: {', '.join(sorted(GROUP_REDUCTIONS))}"],
        )
    if name == "size":
        return spread(groups, {column: groups.gb.size()[1] for column in groups._columns(None)})
    chosen = {column: groups.df._columns.array(column) for column in groups._columns(None)}
    bad = [f"{column}: {given._type_name()}" for column, given in chosen.items() if not has_meaning(name, given)]
    if bad:
        raise ArgumentTypeError(f"{func} has no meaning for these columns.", details=bad, hint="choose others first.")
    return spread(groups, {column: groups.gb.reduce_column(name, given) for column, given in chosen.items()})


def shift(groups: DataFrameGroupBy, periods: int, freq: None, fill_value: Any) -> DataFrame:
    if freq is not None:
        raise UnsupportedError(
            "groups are shifted by rows, and not by freq=.", hint="df.shift(freq=…) moves the labels."
        )
    periods = as_integer("periods", periods)
    earlier = _one_row_before(groups, periods, fill_value)
    if earlier is not None:
        return groups.df._with_columns(earlier)
    return _on_arranged(
        groups, lambda columns, numbers: shifted_in_groups(columns, numbers, periods, fill_value), fill_value
    )


def _one_row_before(groups: DataFrameGroupBy, periods: int, fill_value: Any = None) -> dict[str, Array] | None:
    """Return the columns of the rows before the rows in their groups, None for other distances or too many groups."""
    own = groups.df._columns
    if periods != 1 or not keeps_states(groups.gb, own.frame.npartitions):
        return None
    positions = previous_in_groups(groups.gb)
    return {name: taken_rows(own.array(name), positions, fill_value) for name in groups._columns(None)}


def differences(groups: DataFrameGroupBy, periods: int) -> DataFrame:
    """Return the difference of each value and the value `periods` rows before in its group; counts rows."""
    _demand_numbers(groups, "diff", (TimeArray,))
    earlier = _one_row_before(groups, periods)
    if earlier is not None:
        own = groups.df._columns
        found = {name: difference(own.array(name), array) for name, array in earlier.items()}
        return groups.df._with_columns({name: _without_group(groups, array) for name, array in found.items()})
    return _on_arranged(groups, lambda columns, numbers: differences_in_groups(columns, numbers, periods))


def pct_change(groups: DataFrameGroupBy, periods: int) -> DataFrame:
    periods = as_integer("periods", periods)
    _demand_numbers(groups, "pct_change")

    def growth(columns: ColumnSet, numbers: pdarray) -> dict[str, Array]:
        earlier = shifted_in_groups(columns, numbers, periods)
        # A quotient is a float, as pandas' is.
        return {name: in_floats(columns.array(name)) / in_floats(earlier[name]) - 1 for name in columns.values}

    return _on_arranged(groups, growth)


def ffill(groups: DataFrameGroupBy, limit: int | None) -> DataFrame:
    return _filled(groups, backwards=False, limit=limit)


def bfill(groups: DataFrameGroupBy, limit: int | None) -> DataFrame:
    return _filled(groups, backwards=True, limit=limit)


def _filled(groups: DataFrameGroupBy, *, backwards: bool, limit: int | None) -> DataFrame:
    checked_limit(limit)
    own, lacks = groups.df._columns, lacks_group(groups.gb) if groups.gb.dropna else None
    if not keeps_states(groups.gb, own.frame.npartitions):
        how: dict[str, Any] = {"backwards": backwards, "limit": limit}
        return _on_arranged(groups, lambda columns, numbers: filled_in_groups(columns, numbers, **how))
    found: dict[str, Any] = {}
    for name in groups._columns(None):
        array = own.array(name)
        if array._value.dtype.kind == "list":
            raise ArgumentTypeError("lists are never missing.", hint="choose other columns.")
        if not never_lacks(array, array._value):
            rows = filled_rows_in_groups(groups.gb, own, name, backwards=backwards, limit=limit)
            found[name] = taken_rows(array, rows)
        elif lacks is None:
            found[name] = array
        else:
            frame, (value, lacking) = align_by_plan(
                "fill groups", [(array._frame, array._value), (lacks._frame, lacks._value)]
            )
            found[name] = missing_rows(array, frame, value, lacking)
    return groups.df._with_columns(found)


def rolling(
    groups: DataFrameGroupBy,
    window: Any,
    min_periods: int | None,
    center: bool,
    win_type: None,
    on: str | None,
    closed: str | None,
    method: str,
) -> Any:
    demand_plain_windows(win_type, method, center)
    return group_windows(groups, groups._columns(None), window, min_periods, center, on, closed)


def expanding(groups: DataFrameGroupBy, min_periods: int, method: str) -> GroupExpanding:
    demand_plain_windows(None, method)
    return GroupExpanding(groups, groups._columns(None), as_integer("min_periods", min_periods))


def ewm(
    groups: DataFrameGroupBy,
    com: float | None,
    span: float | None,
    halflife: Any,
    alpha: float | None,
    min_periods: int | None,
    adjust: bool,
    ignore_na: bool,
    times: Any,
    method: str,
) -> Any:
    when = None if times is None else as_column_of_times(times)
    weights = Weights.of(com, span, halflife, alpha, min_periods, adjust, ignore_na, when, method)
    return GroupDecaying(groups, groups._columns(None), weights)


def cumcount(groups: DataFrameGroupBy, ascending: bool) -> Any:
    numbers = numbers_in_groups(groups.gb)
    if not ascending:
        numbers = groups.gb.broadcast(groups.gb.size()[1]) - 1 - numbers

    return series_of(groups.df._columns, _without_group(groups, numbers))


def ngroup(groups: DataFrameGroupBy, ascending: bool) -> Any:
    count = groups.gb.ngroups
    ranks = arange(count) if groups.sort else argsort(argsort(groups.gb.unique_key_idx))
    numbers = groups.gb.broadcast(ranks if ascending else count - 1 - ranks)

    return series_of(groups.df._columns, _without_group(groups, numbers))


def nth(groups: DataFrameGroupBy, n: int) -> DataFrame:
    n = position(n)
    numbers = numbers_in_groups(groups.gb)
    if n < 0:
        sizes = groups.gb.broadcast(groups.gb.size()[1])
        rows: DataFrame = groups.df._rows((numbers >= 0) & (sizes - numbers == -n))
    else:
        rows = groups.df._rows(numbers == n)
    return rows if groups._chosen is None else rows._of(rows._columns.only(groups._chosen))


def get_group(groups: DataFrameGroupBy, name: Any) -> DataFrame:
    wanted = name if isinstance(name, tuple) else (name,)
    if len(wanted) != groups.gb.nkeys:
        raise ArgumentError(f"a group has {groups.gb.nkeys} keys, not {len(wanted)}.")
    mask: Any = None
    for key, item in zip(groups.gb._arrays, wanted, strict=True):
        is_equal = key == item
        mask = is_equal if mask is None else mask & is_equal
    rows: DataFrame = groups.df._rows(mask)
    if not len(rows):
        raise MissingLabelError(f"there is no group {name!r}.")
    return rows


def filter_groups(groups: DataFrameGroupBy, func: Callable[[pd.DataFrame], Any]) -> DataFrame:
    by_key = in_pandas(groups)
    remaining = by_key.filter(func).index
    return groups.df._rows(array(np.sort(np.asarray(remaining, np.int64))))


def running(groups: DataFrameGroupBy, name: str, numeric_only: bool) -> DataFrame:
    names = groups._columns(None)
    if numeric_only:
        names = [one for one in names if one in numbers_among(groups.df._columns)]
    else:
        _demand_numbers(groups, name, RUNNING_OF_TIMES[name])

    def run(columns: ColumnSet, numbers: pdarray, count: int | None = None) -> dict[str, Array]:
        arrays = {column: columns.array(column) for column in names}
        return {
            column: running_times_of_groups(name, array, numbers, count)
            if isinstance(array, TimeArray)
            else running_of_groups(name, array, numbers, count)
            for column, array in arrays.items()
        }

    own = groups.df._columns
    if not keeps_states(groups.gb, own.frame.npartitions):
        return _on_arranged(groups, run, names=names)
    found = run(own, numbers_of_rows(groups.gb), groups.gb.ngroups)
    return groups.df._with_columns({column: _without_group(groups, array) for column, array in found.items()})


def _demand_numbers(groups: DataFrameGroupBy, name: str, others: tuple[type, ...] = ()) -> None:
    """Refuse columns that have neither numbers nor are of another type that will do."""
    kinds = groups.df._columns.kinds
    demand_numbers(
        name, groups.df._columns, [one for one in groups._columns(None) if not isinstance(kinds[one], others)]
    )


def _on_arranged(
    groups: DataFrameGroupBy,
    find: Callable[[ColumnSet, pdarray], dict[str, Array]],
    fill_value: Any = None,
    names: Sequence[str] | None = None,
) -> DataFrame:
    arranged = Arranged(groups.gb)
    names = groups._columns(None) if names is None else names
    found = find(arranged.columns(groups.df._columns, names), arranged.numbers)
    return groups.df._with_columns(arranged.back(found, fill_value))


def spread(groups: DataFrameGroupBy, results: Mapping[str, Array]) -> DataFrame:
    """Return one value for each group spread back to the rows, missing for rows in no group."""
    return groups.df._with_columns(
        {name: _without_group(groups, groups.gb.broadcast(found)) for name, found in results.items()}
    )


def _without_group(groups: DataFrameGroupBy, spread: Array) -> Array:
    """Return values of rows, missing where a key is missing, if the types of the keys have that."""
    lacks = lacks_group(groups.gb) if groups.gb.dropna else None
    if lacks is None:
        return spread
    frame, (value, lacking) = align_by_plan("transform", [(spread._frame, spread._value), (lacks._frame, lacks._value)])
    return missing_rows(spread, frame, value, lacking) if _can_be_missing(spread) else spread


def _transformed_by_pandas(groups: DataFrameGroupBy, func: Callable[[pd.Series], Any]) -> DataFrame:
    names: Sequence[str] = groups._columns(None)
    found = in_pandas(groups)[list(names)].transform(func)
    made = {name: array(found[name].to_numpy()) for name in found}
    return groups.df._with_columns(made)


def extreme_rows(
    groups: DataFrameGroupBy, n: int, columns: str | Sequence[str] | None, *, ascending: bool
) -> DataFrame:
    keys = [groups.df._columns.array(name) for name in groups._columns(columns)]
    return groups.df._of(first_of_groups(groups.gb, groups.df._columns, keys, [ascending] * len(keys), n))


def _can_be_missing(array: Array) -> bool:
    return is_number(array) or array._value.dtype.kind == "str" or isinstance(array, Categorical | TimeArray)
