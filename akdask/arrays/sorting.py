"""Sorts of arrays and DataFrames, and sorting permutations, all lazy.

All sorts are stable, descending ones too.  Missing values (NaN, missing text) come last in both directions, as in
pandas.  Strings are ordered by their bytes, Categoricals by their labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from akdask.arrays.array import Array, check_axis, special, wrap
from akdask.arrays.ordering import SortingAlgorithm, directions, sortable, sorted_positions
from akdask.arrays.reductions import reduced
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import FLOAT64, INT64, UINT64
from akdask.engine.alignment import Aligned, align
from akdask.engine.missing import recombined, separated, without_missing
from akdask.engine.operations import promote
from akdask.engine.rowwise import Project
from akdask.engine.sources import as_column, literal, row_numbers
from akdask.engine.values import Call, cast
from akdask.errors import ArgumentError, ArgumentTypeError, refuses_foreign
from akdask.operators.sort.plan import Cosorted

if TYPE_CHECKING:
    from akdask.arrays.pdarray import pdarray


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
        The direction.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.argsort(ak.array([30, 10, 20])).tolist()
    [1, 2, 0]
    """
    array = sortable(pda)
    if array.ndim != 1:
        from akdask.arrays.along_axis import along_axis

        return along_axis("argsort", array, axis, ascending=ascending)
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
        The direction, of all or of each.

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.coargsort([ak.array([1, 1, 0]), ak.array(["b", "a", "c"])]).tolist()
    [2, 1, 0]
    """
    return sorted_positions(list(arrays), ascending)


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
    >>> import akdask as ak
    >>> ak.invert_permutation(ak.array([2, 0, 1])).tolist()
    [1, 2, 0]
    """
    from akdask.operators.sort.plan import sorted_rows

    array = sortable(perm)
    key = array._sort_key()
    if array._value.dtype.kind not in ("int", "uint"):
        raise ArgumentTypeError(f"a permutation is of integers, not of {array._type_name()}.")
    frame, (value, row) = sorted_rows([key], [True], [array._as_operand()], with_row=True)
    common, (before, given, position) = align("invert", [(frame, row), (frame, value), row_numbers(frame)])
    found: pdarray = wrap(common, Call("inverse_position", before, cast(given, INT64), position))
    return found


def sort(pda: Any, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = -1, ascending: bool = True) -> Any:
    """Return an array with the same elements in order; lazy.

    Parameters
    ----------
    pda : pdarray, Strings or Categorical
        The elements to sort.
    algorithm : SortingAlgorithm
        Accepted for compatibility with Arkouda.
    axis : int, default -1
        The dimension along which to sort an array of several dimensions; all other positions are sorted separately.
    ascending : bool, default True
        The direction.

    Returns
    -------
    pdarray, Strings or Categorical

    Examples
    --------
    >>> import akdask as ak
    >>> ak.sort(ak.array([3, 1, 2])).tolist(), ak.sort(ak.array([[3, 1], [2, 0]]), axis=0).tolist()
    ([1, 2, 3], [[2, 0], [3, 1]])
    """
    from akdask.operators.sort.plan import sorted_rows

    array = sortable(pda)
    if array.ndim != 1:
        from akdask.arrays.along_axis import along_axis

        return along_axis("sort", array, axis, ascending=ascending)
    check_axis("sort", axis)
    key = array._sort_key(ascending)
    if ascending and key[1] == array._key()[1]:
        frame, found = sorted_rows([key], [True], [(key[0], part) for part in separated([key[1]])])
        return array._of_key(frame, recombined([key[1]], found)[0])
    carried = [(array._frame, part) for part in separated([array._value])]
    frame, found = sorted_rows([key], [ascending], carried)
    return array._like(frame, recombined([array._value], found)[0])


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
    >>> import akdask as ak
    >>> bool(ak.is_cosorted([ak.array([1, 1, 2]), ak.array(["a", "b", "a"])]))
    True
    """
    from akdask.operators.sort.plan import key_order

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
        The sorted array, missing text last; every task gets all of it.
    v : pdarray, Strings, Categorical or scalar
        The elements to insert.
    side : {"left", "right"}
        Before or after elements that are equal.
    x2_sorted : bool
        Accepted for compatibility with Arkouda.

    Returns
    -------
    pdarray
        On the rows of `v`; a plain int for a scalar, at once.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.searchsorted(ak.array([10, 20, 30]), ak.array([20, 99])).tolist()
    [1, 3]
    """
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
