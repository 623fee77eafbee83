"""Reductions of each list to one value.  NaN is left out, as by Arkouda's GroupBy; of no values the result is 0."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns.bigint import from_ints, to_ints
from akdask.deferred import is_arrow, pa
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.kernels.aggregates.specification import Reduction, limited
from akdask.kernels.core.rules import Kernel, Operation, Rule
from akdask.kernels.group.row_groups import SortedGroups
from akdask.kernels.rowwise.segarray import codes_of, distinct_keys, parts_of, rows_of
from akdask.schema import BIGINT, INT64, ColumnType, unlimited
from akdask.typing import NumberArray


class ListGroups(SortedGroups):
    """The lists that are not empty, as groups of elements.

    Lists come whole, so that it does not matter to the bits of their sums where others are: NumPy may add up several
    elements side by side.
    """

    def reduce(self, ufunc: np.ufunc, values: NumberArray) -> NumberArray:
        """Reduce the values of each list."""
        reduced: NumberArray = ufunc.reduceat(values, self.segments) if self.count else values[:0]
        return reduced


def _reduce_numbers(reduction: Reduction, offsets: NumberArray, values: NumberArray) -> NumberArray:
    assert reduction.lists is not None, "only reductions of lists are registered"
    form = reduction.lists.grouped or reduction.grouped
    assert form is not None, "lists of numbers are reduced as groups"
    filled = np.flatnonzero(np.diff(offsets))
    groups = ListGroups(None, offsets[filled], len(values))
    positions = (np.arange(len(values)) - groups.spread(groups.segments),) if form.by_position else ()
    found = form.finalize(*form.partial(groups, values, *positions))
    results = np.zeros(len(offsets) - 1, found.dtype)
    results[filled] = found
    return results


def _reduce_integers(
    reduction: Reduction, offsets: NumberArray, numbers: list[int], max_bits: int
) -> NumberArray | pa.FixedSizeBinaryArray:
    assert reduction.lists is not None, "only reductions of lists are registered"
    compute, result = reduction.lists.of_integers, reduction.list_types[BIGINT]
    bounds = zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    found = [compute(numbers[start:stop]) if start < stop else 0 for start, stop in bounds]
    if result != BIGINT:
        return np.array(found, result.numpy)
    return from_ints([number % 2**max_bits for number in found] if max_bits > 0 else found)


def _kernel(reduction: Reduction) -> Kernel:
    def kernel(lists: Any, out: Any = None, max_bits: int = -1) -> Any:
        offsets, values = parts_of(lists)
        if is_arrow(values, "FixedSizeBinaryArray"):
            return _reduce_integers(reduction, offsets, to_ints(values), max_bits)
        return _reduce_numbers(reduction, offsets, values)

    return kernel


def _rule(reduction: Reduction) -> Rule:
    def rule(lists: ColumnType, **_: Any) -> ColumnType | None:
        found = None if lists.item is None else reduction.list_types.get(unlimited(lists.item))
        return found if lists.item is None or found is None else limited(found, lists.item)

    return rule


def _count_distinct(lists: Any, out: Any = None) -> NumberArray:
    offsets, values = parts_of(lists)
    codes = codes_of(values, len(lists))
    rows = distinct_keys(codes.keys(rows_of(offsets))) // codes.count
    return np.bincount(rows, minlength=len(lists)).astype(np.int64)


LIST_REDUCTIONS: dict[str, Operation] = {
    **{
        f"list_{name}": Operation(f"list_{name}", 1, _rule(reduction), _kernel(reduction), modular=True)
        for name, reduction in REDUCTIONS.items()
        if reduction.lists is not None
    },
    "list_nunique": Operation(
        "list_nunique", 1, lambda lists, **_: INT64 if lists.kind == "list" else None, _count_distinct
    ),
}
"""One value for each list, by the name of the reduction."""
