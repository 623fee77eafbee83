"""Ranks: of the rows of a column, and of rows within their groups."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange
from akdask.arrays.elementwise import cast, where
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.keys import projected
from akdask.arrays.pdarray import pdarray
from akdask.arrays.reductions import cumsum
from akdask.engine.alignment import Aligned, align_by_plan
from akdask.engine.values import Call, Constant, Value, split_keys
from akdask.errors import ArgumentError
from akdask.frames.dtypes import as_other_type
from akdask.frames.missing import can_be_missing, present_among
from akdask.frames.row_labelled import Owner
from akdask.frames.rows_in_groups import lacks_group, numbers_in_groups, numbers_of_rows, running_of_groups
from akdask.operators.group.plan import fits_one_task
from akdask.operators.group.row_results import RanksInGroups

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
