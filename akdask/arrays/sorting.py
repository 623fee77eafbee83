"""Sorts of arrays and DataFrames, sorting permutations and the order of rows, all lazy."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from operator import index
from typing import TYPE_CHECKING, Any, SupportsIndex

from akdask.arrays.array import Array, at_hand, check_axis, of_rows, special, wrap
from akdask.arrays.reductions import reduced
from akdask.arrays.row_selection import filter_columns
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, STR, UINT64
from akdask.engine.alignment import Aligned, align, share_rows
from akdask.engine.missing import is_missing, is_present, lacks_numbers, negated, without_missing
from akdask.engine.operations import promote
from akdask.engine.rowwise import Project
from akdask.engine.sources import as_column, literal, refuses_foreign, row_numbers
from akdask.engine.values import Call, as_floats, cast, key_parts
from akdask.errors import ArgumentError, ArgumentTypeError, UnfitArgumentError

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


class SortingAlgorithm(Enum):
    """The algorithms of an Arkouda server; accepted and ignored, as akdask chooses by the data."""

    RadixSortLSD = "RadixSortLSD"
    TwoArrayRadixSort = "TwoArrayRadixSort"


def sorted_positions(arrays: Sequence[Any], ascending: bool | Sequence[bool]) -> Any:
    """Return the positions that sort the rows of several arrays, as pdarray; see `akdask.coargsort`."""
    from akdask.operators.sort.plan import sorted_rows

    ascending = directions(ascending, len(arrays))
    keys = share_rows(
        "sort", [of_rows(sortable(item))._sort_key(up) for item, up in zip(arrays, ascending, strict=True)]
    )
    frame, (row,) = sorted_rows(keys, ascending, with_row=True)
    return wrap(frame, row)


def stable_argsort(array: Any, axis: int = 0, *, ascending: bool) -> Any:
    """Return the positions that sort an array along a dimension; the order of equal elements is kept."""
    if array.ndim != 1:
        from akdask.arrays.axes import along_axis

        return along_axis("argsort", array, axis, ascending=ascending)
    check_axis("argsort", axis)
    return sorted_positions([array], ascending)


def reversed_positions(arrays: Sequence[Any], *, missing_first: bool = False) -> Any:
    """Return the positions that sort rows downwards, where equal rows come from the last to the first."""
    from akdask.operators.sort.plan import sorted_rows

    keys = [key for item in arrays for key in _mirrored(of_rows(sortable(item)), missing_first)]
    frame, (row,) = sorted_rows(list(share_rows("sort", keys)), [True] * len(keys), with_row=True)
    return wrap(frame, row)[::-1]


def _mirrored(array: Array, missing_first: bool) -> list[Aligned]:
    """Return sort keys of elements that put them upwards in the reverse of their order downwards."""
    if missing_first:
        return [array._sort_key()]
    frame, value = array._sort_key(ascending=False)
    if value.dtype == NULLABLE_STR:
        return [(frame, is_present(value)), (frame, value)]
    if value.dtype == FLOAT64:
        return [(frame, Call("missing_first", value))]
    if lacks_numbers(value.dtype):
        return [(frame, negated(is_missing(value))), (frame, value)]
    return [(frame, value)]


def directions(ascending: bool | Sequence[bool], count: int) -> list[bool]:
    """Return the direction of each of some keys.

    Raises
    ------
    ArgumentError
        If there are no keys, or not as many directions as keys.
    """
    if not count:
        raise ArgumentError("there is nothing to sort by.", hint="pass at least one array or column.")
    if not isinstance(ascending, Sequence):
        return [bool(ascending)] * count
    if len(ascending) != count:
        raise ArgumentError(
            f"{count} keys to sort by have as many directions, not {len(ascending)}.",
            hint="ascending is one bool, or one for each key.",
        )
    return [bool(item) for item in ascending]


def sortable(item: Any) -> Array:
    """Return the array to sort by; an error names the expected arguments."""
    if isinstance(item, Array):
        return item
    values = getattr(item, "values", None)
    if isinstance(values, Array):
        return values
    raise UnfitArgumentError(
        f"cannot sort by {type(item).__name__}.", hint="pass a lazy array; ak.array(…) makes one of data at hand."
    )


def check_algorithm(algorithm: Any) -> None:
    """Refuse what is no algorithm of Arkouda."""
    if not isinstance(algorithm, SortingAlgorithm):
        raise ArgumentTypeError(
            f"algorithm is a SortingAlgorithm, not {algorithm!r:.100}.",
            details=[f"there are: {', '.join(SortingAlgorithm.__members__)}"],
        )


def is_sorted(array: Array, axis: int | None) -> Scalar:
    """Return whether the elements of an array ascend, which no NaN or missing text is part of; lazy."""
    check_axis("is_sorted", axis)
    frame, value = array._sort_key()
    *lacks, value = key_parts(value)
    found = reduced(wrap(frame, value), "is_sorted")
    if lacks:
        return found & ~reduced(wrap(frame, lacks[0]), "any")
    return found if value.dtype != NULLABLE_STR else found & reduced(wrap(frame, is_present(value)), "all")


def few_extremes(name: str, pda: Any, k: int) -> Any:
    """Return the result of ``mink``, ``maxk``, ``argmink`` or ``argmaxk``."""
    from akdask.operators.sort.top_k import TopK

    if not isinstance(pda, Array):
        raise ArgumentTypeError(f"{name} needs a lazy array, got {type(pda).__name__}.")
    if not isinstance(k, SupportsIndex):
        raise ArgumentTypeError(f"{name}: k is a whole number, not {k!r:.100}.")
    if index(k) < 1:
        raise ArgumentError(f"{name}: k is a whole number from 1, not {k!r}.")
    if pda.ndim != 1:
        raise ArgumentError(f"{name} takes an array of one dimension, not of {pda.ndim}.", hint="flatten() makes one.")
    if pda._frame.rows.size == 0:
        raise ArgumentError(f"{name} needs an array with elements; it has none.")
    frame, key = pda._sort_key()
    if key.dtype == NULLABLE_STR:
        return _present_extremes(name, pda, k)
    if len(key_parts(key)) > 1:
        ordered = sorted_positions([pda], "min" in name)[: index(k)]
        first = ordered if "min" in name else ordered[::-1]
        return first if name.startswith("arg") else pda[first]
    found = TopK.of(frame, as_floats(key), -index(k) if "max" in name else index(k))
    positions: Any = wrap(found, found.positions)
    if name.startswith("arg"):
        return positions
    # Elements that are ordered by a separate key have to be looked up.
    return pda._like(found, found.values) if key == pda._value else pda[positions]


def _present_extremes(name: str, pda: Array, k: int) -> Any:
    """Return extremes of strings without missing ones, or their positions among all."""
    frame, value = pda._sort_key()
    frame, (value, row) = align("number", [(frame, value), row_numbers(frame)])
    there, (value, row) = filter_columns(frame, [without_missing(value), row], frame, is_present(value))
    found = few_extremes(name, wrap(there, value), k)
    return wrap(there, row)[found] if name.startswith("arg") else found


def argsort(pda: Any, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = 0, ascending: bool = True) -> pdarray:
    """Return the positions that put an array in order, as int64; lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        The elements to sort by.
    algorithm : SortingAlgorithm
        Accepted for compatibility with Arkouda.
    axis : int, default 0
        The dimension along which to sort an array of several dimensions; all other positions are sorted separately.
    ascending : bool, default True
        The direction.  Downwards, equal elements of an array of one dimension come from the last to the first, as in
        Arkouda; missing ones come last in both directions.

    Examples
    --------
    >>> ak.argsort(ak.array([30, 10, 20])).tolist()
    [1, 2, 0]
    >>> ak.argsort(ak.array([30, 10, 30]), ascending=False).tolist()
    [2, 0, 1]
    """
    check_algorithm(algorithm)
    array = sortable(pda)
    if array.ndim != 1:
        return array.argsort(axis=axis, ascending=ascending)
    check_axis("argsort", axis)
    return coargsort([array], algorithm, ascending)


@refuses_foreign()
def coargsort(
    arrays: Sequence[Any], algorithm: Any = SortingAlgorithm.RadixSortLSD, ascending: bool | Sequence[bool] = True
) -> pdarray:
    """Return the positions that sort the rows of several arrays by the first array, then the next; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray, Strings or Categorical
        The keys; they share rows.
    algorithm : SortingAlgorithm
        Accepted for compatibility with Arkouda.
    ascending : bool or sequence of bool, default True
        The direction, of all or of each.  False puts equal rows from the last to the first, as in Arkouda; a sequence
        keeps their order.

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.

    Examples
    --------
    >>> ak.coargsort([ak.array([1, 1, 0]), ak.array(["b", "a", "c"])]).tolist()
    [2, 1, 0]
    """
    check_algorithm(algorithm)
    if isinstance(ascending, Sequence) or ascending or not len(arrays):
        return sorted_positions(list(arrays), ascending)
    return reversed_positions(list(arrays))


def invert_permutation(perm: Any) -> pdarray:
    """Return the positions that undo a permutation, as int64; lazy.

    Parameters
    ----------
    perm : pdarray of int
        Each position once.

    Raises
    ------
    ArgumentTypeError
        If its elements are no integers.
    ArgumentError
        When computed, if it is no permutation.

    Examples
    --------
    >>> ak.invert_permutation(ak.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    from akdask.operators.sort.plan import sorted_rows

    array = sortable(perm)
    key = array._sort_key()
    if array._value.dtype.kind not in ("int", "uint"):
        raise ArgumentTypeError(f"a permutation is of integers, not of {array._type_name()}.")
    check_permutation(array)
    frame, (value, row) = sorted_rows([key], [True], [array._as_operand()], with_row=True)
    common, (before, given, position) = align("invert", [(frame, row), (frame, value), row_numbers(frame)])
    found: pdarray = wrap(common, Call("inverse_position", before, cast(given, INT64), position))
    return found


def check_permutation(array: Array) -> None:
    """Refuse elements in this process that are no permutation; others are checked when they are computed."""
    positions = at_hand(array)
    if positions is not None and sorted(positions.tolist()) != list(range(len(positions))):
        raise ArgumentError("the array is no permutation.", hint="it has each position once.")


def sort(pda: Any, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = -1, ascending: bool = True) -> Any:
    """Return an array with the same elements in order; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements to sort.
    algorithm : SortingAlgorithm
        Accepted for compatibility with Arkouda.
    axis : int, default -1
        The dimension along which to sort an array of several dimensions; all other positions are sorted separately.
    ascending : bool, default True
        The direction.

    Returns
    -------
    pdarray

    Raises
    ------
    ArgumentTypeError
        If it has no numbers.
    ArgumentError
        If it has bools.

    Examples
    --------
    >>> ak.sort(ak.array([3, 1, 2])).tolist(), ak.sort(ak.array([[3, 1], [2, 0]]), axis=0).tolist()
    ([1, 2, 3], [[2, 0], [3, 1]])
    """
    check_algorithm(algorithm)
    array = sortable(pda)
    if array._value.dtype == STR:
        raise ArgumentTypeError("sort takes numbers, not text.", hint="a[ak.argsort(a)] sorts text.")
    if array._value.dtype == BOOL:
        raise ArgumentError("sort takes numbers, not bools.", hint="a[ak.argsort(a)] sorts them.")
    return in_order(array, axis, ascending)


def in_order(array: Any, axis: int = -1, ascending: bool = True) -> Any:
    """Return an array of any type with the same elements in order; lazy."""
    from akdask.operators.sort.plan import sorted_rows

    if array.ndim != 1:
        from akdask.arrays.axes import along_axis

        return along_axis("sort", array, axis, ascending=ascending)
    check_axis("sort", axis)
    key = array._sort_key(ascending)
    if ascending and key[1] == array._key()[1]:
        frame, (found,) = sorted_rows([key], [True], [key])
        return array._of_key(frame, found)
    frame, (found,) = sorted_rows([key], [ascending], [(array._frame, array._value)])
    return array._like(frame, found)


def is_cosorted(arrays: Sequence[Any]) -> Scalar:
    """Return whether the rows of several arrays are in ascending order, by the first array first; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray, Strings or Categorical
        They share rows.  NaN come last, as `coargsort` puts them.

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.

    Examples
    --------
    >>> bool(ak.is_cosorted([ak.array([1, 1, 2]), ak.array(["a", "b", "a"])]))
    True
    """
    from akdask.operators.sort.plan import Cosorted, key_order

    keys = [sortable(item)._sort_key() for item in arrays]
    directions(True, len(keys))
    frame, values = align("compare rows of", key_order(keys, [True] * len(keys))[0])
    cosorted = Cosorted(Project(frame, tuple(range(len(values))), tuple(values)))
    return reduced(wrap(cosorted, cosorted.ascending), "all")


def _one(item: Any) -> Array:
    """Return one value as an array that can be compared with another."""
    made = special([item])
    return wrap(*literal(as_column([item]))) if made is None else made


def _looked_for(array: Array, values: Array) -> tuple[Aligned, Aligned]:
    """Return sort keys of two arrays, in the same form."""
    array, values = array._in_common("searchsorted", [values])
    values = array._in_my_order(values)
    has_order = array._key()[1] != array._value or getattr(array, "ordered", False)
    if type(array) is type(values) and has_order:
        return array._sort_key(), values._sort_key()
    return array._as_operand(), values._as_operand()


def searchsorted(a: Any, v: Any, side: str = "left", x2_sorted: bool = False) -> Any:
    """Return where elements can be inserted into a sorted array so that it stays sorted, as int64; lazy.

    Parameters
    ----------
    a : pdarray, Strings or Categorical
        The sorted array, missing text last; every task gets the whole array.
    v : pdarray, Strings, Categorical or scalar
        The elements to insert, numbers of the type of `a`.
    side : {"left", "right"}
        Before or after elements that are equal.
    x2_sorted : bool
        Accepted for compatibility with Arkouda.

    Returns
    -------
    pdarray
        On the rows of `v`; a plain int for a scalar, at once.

    Raises
    ------
    ArgumentTypeError
        If numbers are bools, or of two types, or `v` is a list.
    ArgumentError
        If `a` has several dimensions.

    Examples
    --------
    >>> ak.searchsorted(ak.array([10, 20, 30]), ak.array([20, 99])).tolist()
    [1, 3]
    """
    if not isinstance(v, Array) and getattr(v, "ndim", isinstance(v, Sequence) and not isinstance(v, str)):
        raise ArgumentTypeError(
            f"searchsorted looks for a lazy array or one value, not a {type(v).__name__}.",
            hint="make it an array with ak.array(…).",
        )
    given = [item._value.dtype for item in (a, v if isinstance(v, Array) else _one(v)) if isinstance(item, Array)]
    kinds = [dtype.name for dtype in given if dtype.is_number or dtype.kind == "bigint"]
    if "bool" in kinds or (len(kinds) > 1 and len(set(kinds)) > 1):
        raise ArgumentTypeError(f"searchsorted looks for numbers of one type, not {' among '.join(kinds[::-1])}.")
    return insertion_points(a, v, side)


def insertion_points(a: Any, v: Any, side: str = "left") -> Any:
    """Return where elements can be inserted, as `searchsorted` does; numbers of several types are compared exactly."""
    from akdask.operators.sort.plan import SortedTable

    if getattr(a, "ndim", 1) > 1:
        raise ArgumentError(f"searchsorted looks in an array of one dimension, not of {a.ndim}.", hint="flatten() it.")
    array, values = sortable(a), v if isinstance(v, Array) else _one(v)
    (table_frame, table), (frame, value) = _looked_for(array, values)
    # Missing elements are last in the sorted array, and are looked for there.
    table, value = without_missing(table), without_missing(value)
    wanted = promote(table.dtype, value.dtype)
    # Numbers without an exact common type are compared in their own types.
    is_mixed = wanted == FLOAT64 and not {INT64, UINT64}.isdisjoint({table.dtype, value.dtype})
    if wanted is not None and table.dtype != value.dtype and not is_mixed:
        table, value = cast(table, wanted), cast(value, wanted)
    found: Any = wrap(frame, SortedTable.of(table_frame, table).search(value, side))
    if not isinstance(v, Array):
        return int(found[0])
    if v.ndim == 1:
        return found
    from akdask.arrays.ndarray import shaped

    return shaped(found, v.shape)


def mink(pda: Any, k: int) -> Any:
    """Return the `k` smallest elements in ascending order; all if there are fewer.  Lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        The elements.
    k : int
        Number of elements, at least 1.

    Returns
    -------
    pdarray, Strings or Categorical

    Examples
    --------
    >>> ak.mink(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 3]
    """
    return few_extremes("mink", pda, k)


def maxk(pda: Any, k: int) -> Any:
    """Return the `k` largest elements in ascending order; all if there are fewer.  NaN counts as the largest.  Lazy.

    Examples
    --------
    >>> ak.maxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [5, 10]
    """
    return few_extremes("maxk", pda, k)


def argmink(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` smallest elements, of the smallest first; lazy.

    Examples
    --------
    >>> ak.argmink(ak.array([10, 5, 1, 3]), 2).tolist()
    [2, 3]
    """
    return few_extremes("argmink", pda, k)


def argmaxk(pda: Any, k: int) -> pdarray:
    """Return the positions of the `k` largest elements, of the largest last; lazy.

    Examples
    --------
    >>> ak.argmaxk(ak.array([10, 5, 1, 3]), 2).tolist()
    [1, 0]
    """
    return few_extremes("argmaxk", pda, k)
