"""Sorted and reindexed rows, the largest and smallest ones, and ranks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays import row_selection as row_tools
from akdask.arrays.array import Array, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange, full
from akdask.arrays.elementwise import cast, where
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.keys import comparable_keys, projected
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.arrays.setops import contained
from akdask.arrays.shapes import chained
from akdask.arrays.sorting import check_permutation, coargsort, directions, sorted_positions
from akdask.arrays.timearray import TimeArray
from akdask.columns.dtypes import FLOAT64, INT64
from akdask.engine.alignment import Aligned, align_by_plan
from akdask.engine.missing import negated
from akdask.engine.node import Frame
from akdask.engine.sources import row_numbers
from akdask.engine.times import ordered as nat_last
from akdask.engine.values import Call, Constant, Value, key_parts, split_keys
from akdask.engine.values import cast as to_type
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.columnset import ColumnSet, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import as_other_type, is_number, missing_rows
from akdask.frames.index import Index, MultiIndex, check_na_position, present_labels
from akdask.frames.missing import can_be_missing, present, present_among
from akdask.frames.row_labelled import Owner
from akdask.frames.rows import kind_of
from akdask.frames.rows_in_groups import empty_rows, lacks_group, numbers_in_groups, numbers_of_rows, running_of_groups
from akdask.operators.group.plan import fits_one_task
from akdask.operators.group.row_results import RanksInGroups
from akdask.operators.sort.plan import sorted_rows
from akdask.operators.sort.top_k import TopK

if TYPE_CHECKING:
    from akdask.frames.series import Series


def sort_values(
    frame: DataFrame,
    by: str | Sequence[str] | None,
    ascending: bool | Sequence[bool],
    *,
    na_position: str,
    ignore_index: bool,
    key: Callable[[Any], Any] | None,
) -> DataFrame:
    columns = frame._columns
    if by is None and not columns.values:
        return frame._of(columns)
    if na_position not in ("first", "last"):
        raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
    names = names_of(columns.values if by is None else by)
    keys = [columns.array(name) for name in names]
    if key is not None:
        from akdask.frames.series import column_series

        keys = [_key_of(key(column_series(frame, name))) for name in names]
    upwards = directions(ascending, len(keys))
    if na_position == "first":
        keys, upwards = _missing_first(keys, upwards)
    ordered = in_order(columns, keys, upwards)
    return frame._of(ordered.labelled(None) if ignore_index else ordered)


def sort_index(frame: DataFrame, ascending: bool, *, na_position: str, ignore_index: bool) -> DataFrame:
    columns = frame._columns
    keys: list[Array] = [columns.index_array()]
    upwards = [ascending]
    if na_position == "first":
        keys, upwards = _missing_first(keys, upwards)
    else:
        check_na_position(na_position)
    ordered = in_order(columns, keys, upwards)
    return frame._of(ordered.labelled(None) if ignore_index else ordered)


def permutation(frame: DataFrame, keys: Sequence[str], ascending: bool | Sequence[bool]) -> pdarray:
    columns = frame._columns
    if not columns.values:
        positions: pdarray = columns.index_array()
        return positions
    return coargsort([columns.array(name) for name in names_of(keys)], ascending=ascending)


def column_permutation(frame: DataFrame, key: str, ascending: bool) -> pdarray:
    """Return the positions that sort by one column; numbers keep the order of equal ones, as Arkouda negates them."""
    columns = frame._columns
    if columns.values and not ascending:
        column = columns.array(key)
        if type(column) is pdarray and column._value.dtype in (INT64, FLOAT64):
            return sorted_positions([column], ascending)
    return permutation(frame, [key], ascending)


def apply_permutation(frame: DataFrame, perm: pdarray) -> None:
    if len(perm) != len(frame):
        raise ArgumentError(f"a permutation of {len(frame)} rows has as many positions, not {len(perm)}.")
    check_permutation(perm)
    frame._changed(
        frame._columns.on(lambda rows, values: row_tools.take_columns(rows, values, *perm._as_operand())),
        inplace=True,
    )


def _key_of(found: Any) -> Array:
    given = unlabelled(found)
    if not isinstance(given, Array):
        raise ArgumentTypeError(f"key returns what to sort by, a Series or an array, not {type(found).__name__}.")
    return given


def _missing_first(keys: Sequence[Array], ascending: Sequence[bool]) -> tuple[list[Array], list[bool]]:
    """Return keys, each after a key that is True where it is not missing."""
    found: list[tuple[Array, bool]] = []
    for key, upwards in zip(keys, ascending, strict=True):
        columns = ColumnSet.of({"key": key})
        found += [(pdarray(columns.frame, present(columns, "key")), True), (key, upwards)]
    return [key for key, _ in found], [upwards for _, upwards in found]


def in_order(columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool]) -> ColumnSet:
    """Return columns sorted by some keys, the first one first; equal rows keep their order."""

    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        payload = [(frame, value) for value in values]
        by = [key._sort_key(up) for key, up in zip(keys, ascending, strict=True)]
        ordered, columns = sorted_rows(by, ascending, payload)
        return ordered, list(columns)

    return columns.on(select)


def reindex(frame: DataFrame, labels: Any, index: Any, columns: Sequence[str] | None, fill_value: Any) -> DataFrame:
    if labels is not None and index is not None:
        raise ArgumentError("reindex: labels and index mean the same.", hint="pass one.")
    wanted = labels if index is None else index
    found = frame._columns if wanted is None else reindexed(frame._columns, wanted, fill_value)
    if columns is None:
        return frame._of(found)
    missing = np.nan if fill_value is None else fill_value
    size = sum(found.counted())
    arrays = {name: found.array(name) if name in found.values else full(size, missing) for name in names_of(columns)}
    return frame._of(found.beside(arrays))


def reindexed(columns: ColumnSet, labels: Any, fill_value: Any = None) -> ColumnSet:
    """Return the rows of columns that have given labels, missing or filled where there is none; counts rows."""
    wanted = labels if isinstance(labels, Index) else Index(labels)
    if isinstance(wanted, MultiIndex):
        raise ArgumentError("labels of several levels are not looked for by reindex.", hint="merge on the levels.")
    sought = Index(wanted).values
    own = columns.index_array()
    has_rows = sum(columns.counted()) > 0
    if has_rows and kind_of(own) == kind_of(sought):
        keys, others = comparable_keys("reindex", sought, own)
        positions = pdarray(keys.frame, others.indexed("only rows").find(keys.values))
    else:
        positions = full(sought.size, -1, dtype="int64")
    lacks = positions < 0
    at = where(lacks, 0, positions)
    found = {}
    for name in columns.values:
        array = columns.array(name)
        moved: Array = array[at] if has_rows else empty_rows(array, positions)
        if fill_value is not None:
            found[name] = where(lacks, fill_value, moved)
            continue
        frame, (value, lacking) = align_by_plan("reindex", [(moved._frame, moved._value), (lacks._frame, lacks._value)])
        found[name] = missing_rows(moved, frame, value, lacking)
    return ColumnSet.of(found, sought, wanted.name if wanted.name is not None else columns.index_name)


def sort_series_index(series: Series, ascending: bool, *, na_position: str) -> Series:
    if na_position == "first" and not isinstance(series.index, MultiIndex):
        labels = series.index.values
        return series._rows(coargsort([present_labels(labels), labels], ascending=[True, ascending]))
    check_na_position(na_position)
    return series._rows(sorted_positions(series.index._levels, ascending))


def sort_series(series: Series, ascending: bool, *, na_position: str, ignore_index: bool) -> Series:
    if na_position not in ("first", "last"):
        raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
    if na_position == "last":
        ordered = series._rows(sorted_positions([series.values], ascending))
    else:
        ordered = series._rows(coargsort([series.notna().values, series.values], ascending=[True, ascending]))
    return ordered.reset_index(drop=True) if ignore_index else ordered


def reindex_series(series: Series, index: Any, fill_value: Any) -> Series:
    if series._level_names:
        raise ArgumentError("labels of several levels are not looked for by reindex.", hint="use locate.")
    return series._on_columns(reindexed(series._labelled._columns, index, fill_value))


KEEPS = ("first", "last")


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
    every: DataFrame = frame._rows(contained(arrays[0], chosen._columns.array(names[0])))
    ordered = every._rows(slice(None, None, -1)) if keep == "last" else every
    ordered = ordered.sort_values(names, ascending=not largest)
    few = ordered.head(int(n))
    if keep != "all":
        return few
    wanted = [few._columns.array(name) for name in names]
    return ordered._rows(contained([ordered._columns.array(name) for name in names], wanted))


def top_positions(array: Array, count: int, *, largest: bool, last: bool) -> pdarray:
    """Return the positions of the largest or smallest elements, the most extreme first; lazy.

    Of equal elements the first or the last ones are taken.  Missing elements are taken only if others are too few.
    """
    *masks, value = key_parts(array._value)
    if masks:
        # No integer is left to stand for missing ones.
        frame, (value, lacks, row) = align_by_plan(
            "number", [(array._frame, value), (array._frame, masks[0]), row_numbers(array._frame)]
        )
        there, (number, place) = row_tools.filter_columns(frame, [value, row], frame, negated(lacks))
        first = pdarray(there, place)[top_positions(pdarray(there, number), count, largest=largest, last=last)]
        lacking, (place,) = row_tools.filter_columns(frame, [row], frame, lacks)
        others = pdarray(lacking, place)
        return chained([first, others[-count:][::-1] if last else others[:count]])[:count]
    if isinstance(array, TimeArray) and not largest:
        # NaT is the smallest number.
        value = nat_last(value)
    if value.dtype.kind == "bool":
        value = to_type(value, INT64)
    if largest != last:
        # The first of equal ones come from the side of the smallest.
        value = Call("negative" if value.dtype == FLOAT64 else "invert", value)
    if last and value.dtype == FLOAT64:
        # NaN are the last ones in order.
        value = Call("missing_first", value)
    found = TopK.of(array._frame, value, -count if last else count)
    positions = pdarray(found, found.positions)
    return positions[::-1] if last else positions


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


RANKS = ("average", "min", "max", "first", "dense")


NA_OPTIONS = ("keep", "top", "bottom")


def rank(
    rows: Owner,
    method: str,
    ascending: bool,
    pct: bool,
    *,
    na_option: str,
    groups: GroupBy | None = None,
    names: Iterable[str] | None = None,
) -> Owner:
    columns = rows._value_columns()
    arrays = {name: columns.array(name) for name in (columns.values if names is None else names)}
    found = {name: ranks(array, method, ascending, pct, na_option, groups) for name, array in arrays.items()}
    return rows._with_columns(found)


def ranks(
    array: Array,
    method: str = "average",
    ascending: bool = True,
    pct: bool = False,
    na_option: str = "keep",
    groups: GroupBy | None = None,
) -> pdarray:
    """Return the ranks of the elements of an array, or of those of each group, as float64; lazy.

    See `DataFrame.rank`.
    """
    if method not in RANKS:
        raise ArgumentError(f"there is no rank {method!r}.", details=[f"methods: {', '.join(RANKS)}"])
    if na_option not in NA_OPTIONS:
        raise ArgumentError(f"na_option={na_option!r} is none of {', '.join(NA_OPTIONS)}.")
    if isinstance(array, Categorical) and not array.ordered:
        # Where labels are not compared, pandas ranks them by their text.
        array = as_other_type(array, str)
    found = _by_sorting(array, method, ascending, pct, na_option, groups)
    if found is not None:
        return found
    if groups is None:
        return _by_value(array, method, ascending, pct, na_option)
    return _by_group_and_value(array, method, ascending, pct, na_option, groups)


def _by_sorting(
    array: Array, method: str, ascending: bool, pct: bool, na_option: str, groups: GroupBy | None
) -> pdarray | None:
    """Return ranks that one task finds by sorting all rows; None if these are too many."""
    values, directions = [array._key()], [ascending]
    masks: list[Aligned] = []
    if can_be_missing(array, array._value):
        there = present_among(array, array._value)
        if na_option == "keep":
            masks = [(array._frame, there)]
        else:
            is_last = there if na_option == "top" else Call("logical_not", there)
            values, directions = [(array._frame, is_last), *values], [True, ascending]
    keys: list[Aligned] = []
    if groups is not None:
        keys = [(groups._by.frame, key) for key in split_keys(groups._by.given)]
        masks += [] if groups._by.grouped is None else [(groups._by.frame, groups._by.grouped)]
    frame, aligned = align_by_plan("rank", [*masks, *keys, *values])
    has_rank: Value = Constant(np.True_)
    for mask in aligned[: len(masks)]:
        has_rank = Call("logical_and", has_rank, mask)
    of_groups, by = aligned[len(masks) : -len(values)], aligned[-len(values) :]
    parts = [(part, up) for value, up in zip(by, directions, strict=True) for part in split_keys([value])]
    columns = [has_rank, *of_groups, *(part for part, _ in parts)]
    if not fits_one_task(frame, columns):
        return None
    node = RanksInGroups(projected(frame, columns), len(of_groups), tuple(up for _, up in parts), method, pct)
    return pdarray(node, node.rank)


def _by_value(array: Array, method: str, ascending: bool, pct: bool, na_option: str) -> pdarray:
    """Return ranks of any number of rows, by grouping equal ones."""
    keys: Any = array
    if na_option != "keep":
        # Where ranks descend, the first ones belong to the last groups.
        keys = [_rank_of_missing(array, is_first=(na_option == "top") == ascending), array]
    groups = ColumnGroups(keys, dropna=na_option == "keep")
    sizes = _ranked_sizes(groups.size()[1], method)
    upto, total = cumsum(sizes), sizes.sum()
    placed = _place(groups, sizes, upto - sizes if ascending else total - upto, method)
    return placed / total if pct else placed


def _by_group_and_value(
    array: Array, method: str, ascending: bool, pct: bool, na_option: str, groups: GroupBy
) -> pdarray:
    """Return ranks in groups of any number of rows, by grouping rows of a group that are equal."""
    keeps = na_option == "keep"
    by: list[Array] = list(groups._arrays)
    if not groups.dropna or not keeps:
        # Rows with a missing key, or with a missing value, may be in a group.
        by = [numbers_of_rows(groups)]
    # Where ranks descend, the first ones belong to the last groups.
    there = [] if keeps else [_rank_of_missing(array, is_first=(na_option == "top") == ascending)]
    by_value = ColumnGroups([*by, *there, array], dropna=keeps)
    keys, counts = by_value.size()
    sizes = _ranked_sizes(counts, method)
    outer = GroupBy(list(keys[: len(by)]), dropna=False)
    numbers = outer.broadcast(arange(outer.ngroups))
    upto = running_of_groups("cumsum", sizes, numbers)
    below = upto - sizes if ascending else outer.broadcast(outer.sum(sizes)[1]) - upto
    placed: Any = _place(by_value, sizes, below, method)
    if pct:
        placed = placed / by_value.broadcast(outer.broadcast(outer.sum(sizes)[1]))
    lacks = None if keeps or not groups.dropna else lacks_group(groups)
    return placed if lacks is None else where(lacks, np.nan, placed)


def _rank_of_missing(array: Any, *, is_first: bool) -> Any:
    """Return a key of bools that sorts missing values first or last."""
    there = pdarray(array._frame, present_among(array, array._value))
    return there if is_first else ~there


def _ranked_sizes(sizes: pdarray, method: str) -> pdarray:
    """Return the number of ranks that `sizes` equal rows take: one if ranks are dense, otherwise one for each row."""
    return sizes * 0 + 1 if method == "dense" else sizes


def _place(groups: GroupBy, sizes: pdarray, below: pdarray, method: str) -> pdarray:
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
