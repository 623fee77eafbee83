"""Reductions by name, reductions of columns of one type, and those of distinct values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import or_
from typing import Any

import numpy as np

from akdask.columns.arrow import lists_of
from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import FLOAT64, INT64, ColumnType, list_of
from akdask.columns.nullable import NullableColumn
from akdask.columns.summation import UnitPositions
from akdask.columns.table import concat_rows, empty, take_rows
from akdask.deferred import pc
from akdask.engine.reduction import (
    ANYTHING,
    IS_SORTED,
    LIMBS,
    AdjacentRowGroups,
    DistinctForm,
    Reduction,
    ScalarForm,
    State,
    giving,
    select_rows,
    themselves,
)
from akdask.operators.reduce.extremes import ARGMAX, ARGMIN, FIRST, MAXIMUM, MINIMUM
from akdask.operators.reduce.quantiles import MEDIAN, QUANTILE
from akdask.operators.reduce.sums import (
    ALL,
    AND,
    ANY,
    COUNT,
    COUNT_NONZERO,
    DEVIATION,
    MEAN,
    OR,
    PRODUCT,
    SIZE,
    SUM,
    VARIANCE,
    XOR,
)
from akdask.operators.reduce.times import TIME_MEAN, TIME_QUANTILE, TIME_SUM
from akdask.records import record
from akdask.typing import Column, NumberArray


def distinct_numbers(values: NumberArray) -> NumberArray:
    """Return the distinct values in ascending order; all NaN are one value, and so are the two zeros.

    Examples
    --------
    >>> distinct_numbers(np.array([2.5, np.nan, 1.5, np.nan, 2.5])).tolist()
    [1.5, 2.5, nan]
    """
    from akdask.operators.keys.keys import sort_numbers

    # np.unique hashes since NumPy 2.3, which is many times slower on distinct values than sorting is.
    ordered = values.copy()
    sort_numbers(ordered)
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
    return groups.reduce(np.add, (~missing).astype(np.int64)) if missing.any() else groups.sizes()


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


# fmt: off
REDUCTIONS: dict[str, Reduction] = {
    reduction.name: reduction
    for reduction in (
        SIZE, COUNT, COUNT_NONZERO, SUM, PRODUCT, MEAN, VARIANCE, DEVIATION, MINIMUM, MAXIMUM, ARGMIN, ARGMAX, FIRST,
        ANY, ALL, OR, AND, XOR, NUNIQUE, DISTINCT, UNIQUE, MODE, MEDIAN, QUANTILE, IS_SORTED, LIMBS,
        TIME_SUM, TIME_MEAN, TIME_QUANTILE,
    )
}
# fmt: on


@record
class SomeMissing:
    """The state of rows of which some are missing, and with them the result."""


PROPAGATING = frozenset({"sum", "prod", "mean", "var", "std", "min", "max"})
"""Reductions of integers of which some may be missing; others reduce floats."""


@record
class ScalarReduction:
    """A reduction of columns of one type to one value.

    Parameters
    ----------
    name : str
        A key of ``REDUCTIONS``.
    dtype : ColumnType
        Type of the columns.
    """

    name: str
    dtype: ColumnType

    @cached_property
    def token(self) -> str:
        """Names the reduction in plans."""
        return f"{self.name} of {self.dtype} {self.dtype.max_bits}"

    @cached_property
    def _form(self) -> ScalarForm:
        return REDUCTIONS[self.name].scalar_form(self._type)

    @property
    def _type(self) -> ColumnType:
        return self.dtype.plain if self.dtype.is_nullable_number else self.dtype

    @property
    def adds_floats(self) -> bool:
        """Whether it rounds sums, so that the order of the rows matters."""
        return self._form.adds_floats and REDUCTIONS[self.name].result_type(self._type) == FLOAT64

    @property
    def takes_encoded(self) -> bool:
        """Whether text may be positions in a dictionary."""
        return self._form.takes_encoded

    def empty(self) -> State:
        """Return the state of no rows."""
        return self.partial(empty(self.dtype))

    def partial(self, column: Column, mask: NumberArray | None = None, positions: UnitPositions | None = None) -> State:
        """Reduce one block, or its rows where a bool mask holds.

        Without `positions`, the first row begins a unit of `akdask.columns.summation`.
        """
        form = self._form
        if isinstance(column, NullableColumn):
            missing, column = column.missing, column.values
            if missing is not None and bool(missing.any() if mask is None else missing[mask].any()):
                return SomeMissing()
        with np.errstate(all="ignore"):
            return form.partial(column, mask, positions) if form.adds_floats else form.partial(column, mask)

    def merge(self, left: State | None, right: State | None) -> State | None:
        """Return the state of the rows of both, `left` first; None means no rows."""
        if left is None or right is None:
            return right if left is None else left
        if isinstance(left, SomeMissing) or isinstance(right, SomeMissing):
            return SomeMissing()
        with np.errstate(all="ignore"):
            return self._form.merge(left, right)

    def finalize(self, state: State | None, **params: Any) -> Any:
        """Return the result: a NumPy scalar of exactly the result's dtype, or NaN if rows are missing.

        Raises
        ------
        ArgumentError
            If the reduction has no result for no rows.
        """
        if isinstance(state, SomeMissing):
            return np.float64(np.nan)
        with np.errstate(all="ignore"):
            return self._form.finish(self.empty() if state is None else state, **params)


def merge_states(
    reductions: Sequence[ScalarReduction], left: Sequence[State | None], right: Sequence[State | None]
) -> list[State | None]:
    """Merge the states of several reductions on the rows of both sides, None for reductions without rows."""
    return [reduction.merge(*states) for reduction, *states in zip(reductions, left, right, strict=True)]
