"""Set operations on arrays, and on the rows of several arrays.

All NaN are one element, as in pandas; in NumPy, each differs from every other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.groupby import GroupBy
from akdask.arrays.keys import as_arrays, as_comparable, comparable_keys, is_several, lazy_array
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import chained
from akdask.columns.exact import EXACT
from akdask.engine.sources import refuses_foreign
from akdask.engine.values import Call
from akdask.errors import ArgumentError, ArgumentTypeError, NonUniqueError
from akdask.operators.join.plan import has_match


def unique(pda: Any, return_groups: bool = False, assume_sorted: bool = False, return_indices: bool = False) -> Any:
    """Return the distinct elements of an array, or the distinct rows of several, in ascending order; lazy.

    Parameters
    ----------
    pda : pdarray, Strings, Categorical, or sequence of them
        All NaN are one element, after all others.  Arrays of several dimensions are flattened.
    return_groups : bool
        Return the groups of equal elements as well.
    assume_sorted : bool
        Accepted for compatibility with Arkouda.
    return_indices : bool
        With `return_groups`, return the position of the first of each as well.

    Returns
    -------
    array, or tuple of arrays
        The distinct elements.  With `return_groups`, a tuple: the elements, the permutation that brings equal ones
        together, where each group begins in it, the number of arrays, and with `return_indices` the positions.

    Examples
    --------
    >>> unique(ak.array([3, 1, 3, 2])).tolist()
    [1, 2, 3]
    """
    groups = GroupBy(_flat("unique", pda), assume_sorted=assume_sorted, dropna=False)
    if not return_groups:
        return groups.unique_keys
    parts = (groups.unique_keys, groups.permutation, groups.segments, groups.nkeys)
    return (*parts, groups.unique_key_idx) if return_indices else parts


def value_counts(pda: Any) -> tuple[Any, pdarray]:
    """Return the distinct elements of an array in ascending order, and how often each occurs, as int64; lazy.

    Examples
    --------
    >>> elements, counts = value_counts(ak.array([2, 0, 2]))
    >>> elements.tolist(), counts.tolist()
    ([0, 2], [1, 2])
    """
    return GroupBy(_flat("value_counts", pda), dropna=False).size()


def _flat(operation: str, pda: Any) -> Any:
    if isinstance(pda, ArrayView):
        return pda.flatten()
    return pda if is_several(pda) else lazy_array(operation, pda)


@refuses_foreign()
def in1d(A: Any, B: Any, assume_unique: bool = False, symmetric: bool = False, invert: bool = False) -> Any:
    """Return which elements of `A` are among the elements of `B`; lazy.

    Parameters
    ----------
    A : pdarray, Strings, Categorical, or sequence of them
        The elements; in several arrays, each row is one.
    B : array like `A`
        The elements to search.  Every task gets an index of all of them; if they are too many, rows are exchanged.
    assume_unique : bool
        Rows of several arrays are known to differ; it is an error if they do not.  It saves no work.
    symmetric : bool
        Return ``(in1d(A, B), in1d(B, A))``.
    invert : bool
        Return which elements of `A` are not in `B`.

    Returns
    -------
    pdarray of bool
        With the rows of `A`.

    Raises
    ------
    ArgumentTypeError
        If numbers are looked for among strings, if one side is an array and the other none, if several arrays are of
        other types than those of the other side, or `invert` is no bool.
    NonUniqueError
        If `assume_unique` is given, and rows of several arrays come twice.

    Examples
    --------
    >>> in1d(ak.array([1, 2, 3]), ak.array([3, 1])).tolist()
    [True, False, True]
    """
    _check_sides(A, B, assume_unique)
    if not isinstance(invert, bool | np.bool_):
        raise ArgumentTypeError(f"in1d: invert is a bool, not {invert!r:.100}.")
    if symmetric:
        return contained(A, B, invert=invert), contained(B, A, invert=invert)
    return contained(A, B, invert=invert)


def contained(A: Any, B: Any, invert: bool = False) -> Any:
    """Return which elements of an array are among others, as `in1d` does, which may be a list; lazy."""
    arrays = as_arrays(A)
    apart = _integers_and_floats(B)
    if apart is not None:
        integers, floats = (contained(arrays, part) for part in apart)
        either = integers | floats
        return ~either if invert else either
    B = as_comparable(arrays[0], B)
    if isinstance(arrays[0], Categorical) and len(arrays) == 1 and not is_several(B):
        found = arrays[0]._among(B)
    else:
        keys, others = comparable_keys("in1d", arrays, as_arrays(B))
        found = pdarray(*has_match(keys.side(), others.side()))
    return pdarray(found._frame, Call("logical_not", found._value)) if invert else found


def _integers_and_floats(items: Any) -> tuple[list[Any], list[Any]] | None:
    """Return integers and floats apart if one array would round the integers to floats; None for others."""
    if not isinstance(items, list | tuple) or not all(isinstance(item, int | float | np.number) for item in items):
        return None
    floats = [item for item in items if isinstance(item, float | np.floating)]
    integers = [item for item in items if not isinstance(item, float | np.floating)]
    return (integers, floats) if floats and any(abs(int(item)) > EXACT for item in integers) else None


def intersect1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the distinct elements of two arrays that are in both, ascending; lazy.

    Parameters
    ----------
    ar1, ar2 : array, or sequence of arrays
        Of several arrays, each row is an element.
    assume_unique : bool
        Accepted for compatibility with Arkouda; it saves no work.

    Returns
    -------
    array, or list of arrays
        One for each array of a side.

    Examples
    --------
    >>> intersect1d(ak.array([3, 1, 3, 2]), ak.array([3, 2, 5])).tolist()
    [2, 3]
    """
    _check_sides(ar1, ar2, assume_unique)
    return _distinct(_selected(ar1, ar2, invert=False))


def intersect(a: Any, b: Any, positions: bool = True, unique: bool = False) -> Any:
    """Return where the common elements of two arrays are, or the common elements; lazy.

    Parameters
    ----------
    a, b : pdarray, Strings or Categorical
        The elements.
    positions : bool, default True
        Return two arrays of bool, with the rows of `a` and of `b`; otherwise the distinct elements, ascending.
    unique : bool
        Accepted for compatibility with Arkouda, for elements that come once; it saves no work.

    Examples
    --------
    >>> here, there = ak.intersect(ak.array([1, 2, 3]), ak.array([2, 4]))
    >>> here.tolist(), there.tolist()
    ([False, True, False], [True, False])
    >>> ak.intersect(ak.array([1, 2, 3]), ak.array([2, 4]), positions=False).tolist()
    [2]
    """
    return in1d(a, b, symmetric=True) if positions else intersect1d(a, b)


def union1d(ar1: Any, ar2: Any) -> Any:
    """Return the distinct elements of two arrays, ascending; lazy.  See `intersect1d`.

    Examples
    --------
    >>> union1d(ak.array([3, 1]), ak.array([3, 2])).tolist()
    [1, 2, 3]
    """
    _check_sides(ar1, ar2)
    return _distinct(_joined(ar1, ar2))


def setdiff1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the distinct elements of one array that the other lacks, ascending; lazy.  See `intersect1d`.

    Examples
    --------
    >>> setdiff1d(ak.array([3, 1, 4]), ak.array([3, 2])).tolist()
    [1, 4]
    """
    _check_sides(ar1, ar2, assume_unique)
    return _distinct(_selected(ar1, ar2, invert=True))


def setxor1d(ar1: Any, ar2: Any, assume_unique: bool = False) -> Any:
    """Return the distinct elements that are in one of two arrays only, ascending; lazy.  See `intersect1d`.

    Examples
    --------
    >>> setxor1d(ak.array([3, 1]), ak.array([3, 2])).tolist()
    [1, 2]
    """
    _check_sides(ar1, ar2, assume_unique)
    return _distinct(_joined(_selected(ar1, ar2, invert=True), _selected(ar2, ar1, invert=True)))


def _check_sides(ar1: Any, ar2: Any, assume_unique: bool = False) -> None:
    """Refuse what is no array on one side, and several arrays whose types differ, or whose rows come twice.

    Rows may come twice unless they are assumed to be distinct.
    """
    if not (is_several(ar1) and is_several(ar2)):
        for item in (ar1, ar2):
            lazy_array("a set operation", item)
        return
    sides = [as_arrays(ar1), as_arrays(ar2)]
    types = [[array._type_name() for array in side] for side in sides]
    if len(sides[0]) == len(sides[1]) and types[0] != types[1]:
        raise ArgumentTypeError(
            "several arrays are of the same types on both sides.",
            details=[f"{name}: {', '.join(given)}" for name, given in zip(("first", "second"), types, strict=True)],
        )
    for name, side in zip(("first", "second"), sides if assume_unique else [], strict=False):
        if side and side[0].size and int(GroupBy(side).size()[1].max()) > 1:
            raise NonUniqueError(f"assume_unique is given, and rows of the {name} arrays come twice.")


def _distinct(items: Any) -> Any:
    """Return the distinct elements of an array or of a list of arrays, as Arkouda does."""
    return list(unique(items)) if is_several(items) else unique(items)


def _selected(ar1: Any, ar2: Any, *, invert: bool) -> Any:
    """Return the elements of one array that the other contains, or lacks with `invert`."""
    arrays = as_arrays(ar1)
    mask = contained(arrays if is_several(ar1) else arrays[0], ar2, invert=invert)
    chosen = [array[mask] for array in arrays]
    return chosen if is_several(ar1) else chosen[0]


def _joined(ar1: Any, ar2: Any) -> Any:
    lefts: list[Array] = as_arrays(ar1)
    rights: list[Array] = as_arrays(as_comparable(lefts[0], ar2))
    if len(lefts) != len(rights):
        raise ArgumentError("set operations need as many arrays on both sides.")
    joined = [chained([left, right]) for left, right in zip(lefts, rights, strict=True)]
    return joined if is_several(ar1) else joined[0]
