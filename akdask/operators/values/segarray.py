"""Operations on lists, row by row: the kernels of SegArrays.

Lists are sorted, compared and concatenated through codes. Every value of a block is numbered in ascending order, so
that a row and a code make one integer for values of any type.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from akdask.columns.arrow import lists_of, numpy_numbers, offsets_of, values_of
from akdask.columns.bigint import from_ints, to_ints
from akdask.columns.dtypes import BIGINT, BOOL, INT64, UINT64, ColumnType, list_of, unlimited
from akdask.columns.table import concat_rows, take_rows, to_objects, type_of
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.operations import Kernel, Operation, Rule
from akdask.engine.reduction import Reduction, limited
from akdask.errors import ArgumentError
from akdask.operators.group.grouping import SortedGroups
from akdask.operators.keys.hashing import digests
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.records import record
from akdask.typing import Column, NumberArray


def parts_of(lists: pa.LargeListArray) -> tuple[NumberArray, Any]:
    """Return the start of each list and the end of the last, and the values of all."""
    return offsets_of(lists), values_of(lists, type_of(lists).item or INT64)


def lengths_of(lists: pa.LargeListArray, out: Any = None) -> NumberArray:
    """Return the number of values in each list as int64."""
    offsets = offsets_of(lists)
    lengths: NumberArray = np.subtract(offsets[1:], offsets[:-1], out=out)
    return lengths


def rows_of(offsets: NumberArray) -> NumberArray:
    """Return the row number of each value."""
    return np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))


@record
class ValueCodes:
    """Values as numbers from 0 in ascending order.

    Parameters
    ----------
    codes : ndarray, int64
        One for each value; equal for equal values, all NaN included.
    count : int
        Above all codes, and at least 1.
    decode : callable
        Returns the column of values of some codes.
    """

    codes: NumberArray
    count: int
    decode: Callable[[NumberArray], Column]

    def keys(self, rows: NumberArray) -> NumberArray:
        """Return one number for each pair of a row and a value, ordered by row first."""
        return rows * self.count + self.codes

    def lists(self, keys: NumberArray, nrows: int) -> pa.LargeListArray:
        """Return the lists of values of ascending keys."""
        return lists_of(_offsets(keys // self.count, nrows), self.decode(keys % self.count))


def codes_of(values: Column, nrows: int) -> ValueCodes:
    """Return the codes of the values of rows; for close integers, their distances from the lowest."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "iu" and len(values):
        low, spread = values.min(), int(values.max()) - int(values.min()) + 1
        if spread * nrows < 2**62:
            return ValueCodes((values - low).astype(np.int64), spread, lambda codes: codes.astype(values.dtype) + low)
    return ranked(values)


def ranked(values: Column) -> ValueCodes:
    """Return the codes of values of any type: their ranks among the distinct values."""
    if isinstance(values, np.ndarray):
        distinct, codes = np.unique(values, return_inverse=True)
    elif is_arrow(values, "FixedSizeBinaryArray"):
        numbers = to_ints(values)
        ordered = sorted(set(numbers))
        codes_by_number = {number: code for code, number in enumerate(ordered)}
        distinct, codes = from_ints(ordered), np.array([codes_by_number[number] for number in numbers], np.int64)
    else:
        found = pc.unique(values)
        distinct = found.take(pc.array_sort_indices(found))
        codes = numpy_numbers(pc.index_in(values, value_set=distinct))
    return ValueCodes(
        codes.astype(np.int64, copy=False), max(len(distinct), 1), lambda codes: take_rows(distinct, codes)
    )


def distinct_keys(keys: NumberArray) -> NumberArray:
    """Return the distinct keys in ascending order; `np.unique` hashes, which takes many times as long."""
    ordered = np.sort(keys)
    first = np.ones(len(ordered), np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    return ordered[first]


def _offsets(rows: NumberArray, count: int) -> NumberArray:
    """Return the starts of the lists of `nrows` rows, given the row of each value, ascending."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(rows, minlength=count))]).astype(np.int64)


def _filtered(lists: pa.LargeListArray, wanted: NumberArray) -> pa.LargeListArray:
    """Return lists of the values where a mask holds."""
    offsets, values = parts_of(lists)
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(wanted)])
    return lists_of(before[offsets], take_rows(values, np.flatnonzero(wanted)))


# ------------------------------------------------------------------------------------------- values put in, taken out


def _get(lists: Any, out: Any = None, *, j: int, default: Any = None, max_bits: int = -1) -> Column:
    """Return the j-th value of each list, from the end if negative; the default if there is none."""
    offsets, values = parts_of(lists)
    lengths = np.diff(offsets)
    inside = lengths > j if j >= 0 else lengths >= -j
    found = (offsets[:-1] if j >= 0 else offsets[1:])[inside] + j
    if inside.all():
        return take_rows(values, found)
    fallback = _single(default, type_of(values))
    sources = np.full(len(inside), len(values))
    sources[inside] = found
    return take_rows(concat_rows([values, fallback]), sources)


def _single(item: Any, dtype: ColumnType) -> Column:
    """Return a column of one value: the given one, or the type's value for nothing."""
    match dtype.kind:
        case "str":
            return pa.array(["" if item is None else item], pa.large_string())
        case "bigint":
            return from_ints([int(item or 0)])
    return np.array([0 if item is None else item], dtype.numpy)


def _set(lists: Any, chosen: Any, items: Any, out: Any = None, *, j: int, max_bits: int = -1) -> pa.LargeListArray:
    """Return lists with another j-th value where a mask holds."""
    offsets, values = parts_of(lists)
    rows = np.flatnonzero(np.broadcast_to(chosen, len(lists)))
    lengths = np.diff(offsets)[rows]
    outside = lengths <= j if j >= 0 else lengths < -j
    if outside.any():
        raise ArgumentError(
            f"there is no value {j} in some of the lists to set.",
            details=[f"the shortest of them has {int(lengths.min())} values"],
            hint="choose the lists by their lengths.",
        )
    column = _as_column(items, type_of(values), len(lists))
    sources = np.arange(len(values))
    sources[(offsets[:-1] if j >= 0 else offsets[1:])[rows] + j] = len(values) + rows
    return lists_of(offsets, take_rows(concat_rows([values, column]), sources))


def _as_column(item: Any, dtype: ColumnType, count: int) -> Column:
    if isinstance(item, np.ndarray) or is_arrow(item, "Array"):
        return item
    return take_rows(_single(item, dtype), np.zeros(count, np.int64))


def _joined(left: Any, right: Any, out: Any = None, max_bits: int = -1) -> pa.LargeListArray:
    """Concatenate two lists in each row."""
    parts = [parts_of(left), parts_of(right)]
    rows = np.concatenate([rows_of(offsets) for offsets, _ in parts])
    values = concat_rows([values for _, values in parts])
    return lists_of(parts[0][0] + parts[1][0], take_rows(values, np.argsort(rows, kind="stable")))


def _append(lists: Any, items: Any, out: Any = None, *, prepend: bool = False, max_bits: int = -1) -> Any:
    """Return lists with one more value each."""
    column = _as_column(items, type_of(lists).item or INT64, len(lists))
    others = lists_of(np.arange(len(lists) + 1), column)
    return _joined(others, lists) if prepend else _joined(lists, others)


def _window(lists: Any, out: Any = None, *, n: int, place: int) -> pa.LargeListArray:
    """Return one place of all runs of `n` values, run by run."""
    offsets, _ = parts_of(lists)
    lengths = np.diff(offsets)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return _filtered(lists, (within >= place) & (within <= np.repeat(lengths, lengths) - n + place))


def _remove_repeats(lists: Any, out: Any = None) -> pa.LargeListArray:
    return _filtered(lists, _is_first(lists))


def _is_first(lists: Any) -> NumberArray:
    """Return the mask of values that differ from the one before them in their list."""
    offsets, values = parts_of(lists)
    comparable = values if isinstance(values, np.ndarray) else ranked(values).codes
    first = np.ones(len(values), np.bool_)
    first[1:] = comparable[1:] != comparable[:-1]
    first[offsets[:-1][np.diff(offsets) > 0]] = True
    return first


def _multiplicity(lists: Any, out: Any = None) -> pa.LargeListArray:
    """Return the number of repetitions of each value that `_remove_repeats` leaves."""
    first = _is_first(lists)
    wanted_values = _filtered(lists, first)
    return lists_of(offsets_of(wanted_values), np.diff(np.flatnonzero(first), append=len(first)))


def _without(lists: Any, unwanted: Any, out: Any = None) -> pa.LargeListArray:
    """Return lists without the values of a table."""
    _, values = parts_of(lists)
    if isinstance(values, np.ndarray):
        return _filtered(lists, ~np.isin(values, unwanted))
    known = set(to_objects(unwanted))
    return _filtered(lists, np.array([item not in known for item in to_objects(values)], np.bool_))


# --------------------------------------------------------------------------------------------------- lists as sets


def _set_operation(combine: Callable[[NumberArray, NumberArray], NumberArray]) -> Kernel:
    """Return the kernel of a set operation, which gives the values of each list in ascending order."""

    def kernel(left: Any, right: Any, out: Any = None) -> pa.LargeListArray:
        parts = [parts_of(left), parts_of(right)]
        codes = codes_of(concat_rows([values for _, values in parts]), len(left))
        keys = codes.keys(np.concatenate([rows_of(offsets) for offsets, _ in parts]))
        count = len(parts[0][1])
        return codes.lists(combine(distinct_keys(keys[:count]), distinct_keys(keys[count:])), len(left))

    return kernel


def _unique(lists: Any, out: Any = None) -> pa.LargeListArray:
    offsets, values = parts_of(lists)
    codes = codes_of(values, len(lists))
    return codes.lists(distinct_keys(codes.keys(rows_of(offsets))), len(lists))


SET_OPERATIONS: dict[str, Kernel] = {
    "list_intersect": _set_operation(lambda a, b: np.intersect1d(a, b, assume_unique=True)),
    "list_union": _set_operation(lambda a, b: distinct_keys(np.concatenate([a, b]))),
    "list_setdiff": _set_operation(lambda a, b: np.setdiff1d(a, b, assume_unique=True)),
    "list_setxor": _set_operation(lambda a, b: np.setxor1d(a, b, assume_unique=True)),
}


# ---------------------------------------------------------------------------------------------- lists as single things


def _equal(left: Any, right: Any, out: Any = None, max_bits: int = -1) -> NumberArray:
    """Return the mask of lists with the same values in the same order; NaN differs from NaN."""
    parts = [parts_of(left), parts_of(right)]
    same: NumberArray = np.diff(parts[0][0]) == np.diff(parts[1][0])
    rows = np.flatnonzero(same)
    chosen = [_taken(lists, rows) for lists in (left, right)]
    offsets = chosen[0][0]
    differs = _differing(chosen[0][1], chosen[1][1])
    same[rows[rows_of(offsets)[differs]]] = False
    return same


def _taken(lists: Any, rows: NumberArray) -> tuple[NumberArray, Any]:
    return parts_of(take_rows(lists, rows))


def _differing(left: Column, right: Column) -> NumberArray:
    if not isinstance(left, np.ndarray):
        both = ranked(concat_rows([left, right])).codes
        left, right = both[: len(left)], both[len(left) :]
    found: NumberArray = left != right
    return found


def _not_equal(left: Any, right: Any, out: Any = None, max_bits: int = -1) -> NumberArray:
    return ~_equal(left, right)


def _hash(lists: Any, out: Any = None, *, part: int) -> NumberArray:
    """Return half of a 128-bit hash of each list, which depends on its values only."""
    offsets, values = parts_of(lists)
    if not isinstance(values, np.ndarray):
        objects = to_objects(values)
        contents = [repr(objects[start:stop]).encode() for start, stop in pairwise(offsets.tolist())]
        offsets, values = np.cumsum([0, *map(len, contents)]), np.frombuffer(b"".join(contents), np.uint8)
    return digests(offsets * values.itemsize, np.ascontiguousarray(values).view(np.uint8), part)


# -------------------------------------------------------------------------------------------------------------- rules


def _of_lists(result: ColumnType | None = None) -> Rule:
    """Take lists of one type of values; give a type, or the lists' own."""

    def rule(*types: ColumnType, **_: Any) -> ColumnType | None:
        same = len({unlimited(dtype) for dtype in types}) == 1 and types[0].kind == "list"
        return (result or types[0]) if same else None

    return rule


def _with_items(lists: ColumnType, *types: ColumnType, **_: Any) -> ColumnType | None:
    """Take lists, and after other arguments a value for each of them."""
    return lists if lists.item is not None and types[-1] == lists.item else None


def _item(lists: ColumnType, **_: Any) -> ColumnType | None:
    return lists.item


LIST_COMPARISONS: dict[str, tuple[Rule, Kernel]] = {
    "equal": (_of_lists(BOOL), _equal),
    "not_equal": (_of_lists(BOOL), _not_equal),
}
"""Comparisons for arguments that are lists."""

LIST_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("list_lengths", 1, _of_lists(INT64), lengths_of),
        Operation("list_get", 1, _item, _get),
        Operation("list_set", 3, _with_items, _set),
        Operation("list_join", 2, _of_lists(), _joined),
        Operation("list_append", 2, _with_items, _append),
        Operation("list_window", 1, _of_lists(), _window),
        Operation("list_remove_repeats", 1, _of_lists(), _remove_repeats),
        Operation("list_multiplicity", 1, _of_lists(list_of(INT64)), _multiplicity),
        Operation("list_without", 2, _with_items, _without),
        Operation("list_unique", 1, _of_lists(), _unique),
        *(Operation(name, 2, _of_lists(), kernel) for name, kernel in SET_OPERATIONS.items()),
        Operation("list_hash", 1, _of_lists(UINT64), _hash),
    )
}


class ListGroups(SortedGroups):
    """The lists that are not empty, as groups of elements.

    Lists are never divided between blocks, so the bits of their sums do not depend on other lists, although NumPy adds
    several elements side by side.
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
"""Operations that reduce each list to one value, by the name of the reduction."""
