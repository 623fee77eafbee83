"""Codes that several arrays share: small integers in place of values, to compare and count by position."""

from __future__ import annotations

from typing import Any

from akdask.arrays.array import Array
from akdask.arrays.concatenation import concatenate
from akdask.arrays.groupby import GroupBy
from akdask.arrays.keys import as_arrays, is_several
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import in1d, unique
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.lookups import find
from akdask.operators.rows.numbers import row_numbers


def unsqueeze(p: Any) -> Any:
    """Return a single array in a list, and anything else as it is.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(2)
    >>> ak.unsqueeze(a)[0] is a, ak.unsqueeze([a])[0] is a
    (True, True)
    """
    return [p] if isinstance(p, Array) else p


def zero_up(vals: Any) -> pdarray:
    """Return for each element how many distinct ones are below it, as int64; lazy.

    Parameters
    ----------
    vals : array, or sequence of arrays
        The elements; of several arrays, each row is one.  All NaN are one element, the last.

    Returns
    -------
    pdarray of int64
        With the rows of `vals`.

    Examples
    --------
    >>> import akdask as ak
    >>> ak.zero_up(ak.array([30, 10, 30, 20])).tolist()
    [2, 0, 2, 1]
    """
    groups = GroupBy(vals, dropna=False)
    codes: pdarray = groups.broadcast(pdarray(*row_numbers(groups._grouped())))
    return codes


def align(*args: Any) -> list[pdarray]:
    """Return for each element of several arrays how many distinct elements of all of them are below it; lazy.

    Parameters
    ----------
    *args : array, or sequence of arrays
        The elements; of sequences, all of which have as many arrays, each row is one.

    Returns
    -------
    list of pdarrays of int64
        Each with the rows of its argument.

    Raises
    ------
    ArgumentError
        If there are no arrays, or not as many in each sequence.
    ArgumentTypeError
        If some are sequences, and others are not, or the arrays have nothing in common.

    Examples
    --------
    >>> import akdask as ak
    >>> [codes.tolist() for codes in ak.align(ak.array([30, 10]), ak.array([20, 30, 30]))]
    [[2, 0], [1, 2, 2]]
    """
    columns = [as_arrays(arg) for arg in args]
    if len({len(column) for column in columns}) != 1:
        raise ArgumentError(
            "arrays to align are one or more, and sequences have as many each.",
            details=[f"given: {', '.join(str(len(column)) for column in columns) or 'none'}"],
        )
    if len({is_several(arg) for arg in args}) != 1:
        raise ArgumentTypeError("arrays are aligned with arrays, and sequences of arrays with such.")
    joined = [concatenate(list(parts)) for parts in zip(*columns, strict=True)]
    elements = unique(joined if len(joined) > 1 else joined[0])
    return [find(arg, elements) for arg in args]


def right_align(left: Any, right: Any) -> tuple[pdarray, list[pdarray]]:
    """Align two arrays as `align` does, without elements of the left one that the right one lacks; lazy.

    Parameters
    ----------
    left, right : array, or sequence of arrays
        The elements; of several arrays, each row is one.

    Returns
    -------
    keep : pdarray of bool
        Which elements of `left` are in `right`.
    aligned : list of two pdarrays of int64
        The remaining elements of `left`, and all of `right`, as numbers.

    Examples
    --------
    >>> import akdask as ak
    >>> keep, (left, right) = ak.right_align(ak.array([10, 20, 30, 40]), ak.array([20, 10, 40, 50]))
    >>> keep.tolist(), left.tolist(), right.tolist()
    ([True, True, False, True], [0, 1, 2], [1, 0, 2, 3])
    """
    keep: pdarray = in1d(left, right)
    chosen = [item[keep] for item in left] if is_several(left) else as_arrays(left)[0][keep]
    return keep, align(chosen, right)


def left_align(left: Any, right: Any) -> tuple[pdarray, list[pdarray]]:
    """Align two arrays as `align` does, without elements of the right one that the left one lacks; lazy.

    The sides are exchanged, so that `right` comes first in the result.  See `right_align`.

    Examples
    --------
    >>> import akdask as ak
    >>> keep, (right, left) = ak.left_align(ak.array([10, 20]), ak.array([30, 20]))
    >>> keep.tolist(), right.tolist(), left.tolist()
    ([False, True], [1], [0, 1])
    """
    return right_align(right, left)
