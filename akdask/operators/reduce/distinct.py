"""Distinct values: their number, the values themselves, and the commonest."""

from __future__ import annotations

from operator import or_
from typing import Any

import numpy as np

from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import INT64, list_of
from akdask.columns.lists import lists_of
from akdask.columns.rows import concat_rows, take_rows
from akdask.deferred import pc
from akdask.engine.reduction import (
    ANYTHING,
    AdjacentRowGroups,
    DistinctForm,
    Reduction,
    ScalarForm,
    State,
    giving,
    select_rows,
    themselves,
)
from akdask.typing import Column, NumberArray


def distinct_numbers(values: NumberArray) -> NumberArray:
    """Return the distinct values in ascending order; all NaN are one value, and so are the two zeros.

    Examples
    --------
    >>> distinct_numbers(np.array([2.5, np.nan, 1.5, np.nan, 2.5])).tolist()
    [1.5, 2.5, nan]
    """
    # np.unique hashes since NumPy 2.3, which is many times slower on distinct values than sorting is.
    ordered = np.sort(values)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    if ordered.dtype == np.float64:
        first[1:] &= ordered[:-1] == ordered[:-1]
    found = ordered[first]
    if ordered.dtype == np.float64:
        # The first row stands for zeros of both signs, as it does where all rows are grouped.
        at = int(np.searchsorted(found, 0.0))
        if at < len(found) and found[at] == 0:
            found[at] = values[np.argmax(values == 0)]
    return found


def _distinct(column: Column, mask: NumberArray | None) -> State:
    """Return the distinct values; all NaN are one, as in NumPy."""
    rows = select_rows(column, mask)
    if not isinstance(rows, np.ndarray):
        return pc.unique(rows)
    return distinct_numbers(rows)


def _merge_distinct(left: State, right: State) -> State:
    return _distinct(concat_rows([left, right]), None)


def _ascending(values: Column) -> Column:
    return values if isinstance(values, np.ndarray) else values.take(pc.array_sort_indices(values))


def _distinct_integers(column: Any, mask: NumberArray | None) -> State:
    return set(to_ints(select_rows(column, mask)))


def _count(groups: AdjacentRowGroups, values: Column, counts: NumberArray, missing: NumberArray) -> Column:
    return groups.reduce(np.add, (~missing).astype(np.int64))


def _values(groups: AdjacentRowGroups, values: Column, counts: NumberArray, missing: NumberArray) -> Column:
    return lists_of(np.append(groups.segments, groups.nrows), values)


def _commonest(
    groups: AdjacentRowGroups, values: Column, counts: NumberArray, missing: NumberArray, firsts: NumberArray
) -> Column:
    """Return the most common value of each group, the one that appears first on ties."""
    counts = np.where(missing, 0, counts)
    are_commonest = counts == groups.spread(groups.reduce(np.maximum, counts))
    positions = np.where(are_commonest, firsts, np.iinfo(np.int64).max)
    return take_rows(values, np.flatnonzero(positions == groups.spread(groups.reduce(np.minimum, positions))))


NUNIQUE = Reduction(
    "nunique",
    giving(INT64, *ANYTHING),
    scalar=ScalarForm(_distinct, _merge_distinct, lambda state: np.int64(len(state))),
    integers=ScalarForm(_distinct_integers, or_, lambda state: np.int64(len(state))),
    distinct=DistinctForm(_count),
)

DISTINCT = Reduction(
    "distinct",
    themselves(*ANYTHING),
    scalar=ScalarForm(_distinct, _merge_distinct, _ascending),
    integers=ScalarForm(_distinct_integers, or_, lambda state: from_ints(sorted(state))),
)

UNIQUE = Reduction("unique", {dtype: list_of(dtype) for dtype in ANYTHING}, distinct=DistinctForm(_values))

MODE = Reduction("mode", themselves(*ANYTHING), distinct=DistinctForm(_commonest, by_position=True))
