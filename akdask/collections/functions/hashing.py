"""Hashes of elements, of one array or of the rows of several."""

from __future__ import annotations

from typing import Any

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.base import unlabelled
from akdask.collections.groups.keys import as_arrays
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_text import call
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Call, Value, cast
from akdask.plan.run.alignment import align
from akdask.schema import STR


def hash(pda: Any, full: bool = True) -> Any:
    """Return a hash of each element of an array, or of each row of several; lazy.

    Equal elements have equal hashes, whatever array they are in, provided that it is of the same type; all NaN have the
    same.  They are those of SipHash-2-4, and nothing to protect secrets by.

    Parameters
    ----------
    pda : pdarray, Strings, Categorical, SegArray, or sequence of them
        What to hash; several arrays share rows.
    full : bool, default True
        Return all 128 bits; otherwise the first 64, of which two are likely to be equal among some billion rows.

    Returns
    -------
    tuple of two pdarrays of uint64, or one of them
        The first and the last 64 bits of each hash, or with `full` False the first.

    Raises
    ------
    ArgumentTypeError
        If it is no array, or one has several dimensions.
    AlignmentError
        If several arrays do not share rows.

    Examples
    --------
    >>> import akdask as ak
    >>> high, low = ak.hash(ak.array([7, 8, 7]))
    >>> (high == high[0]).tolist()
    [True, False, True]
    >>> (ak.hash([ak.array([1, 1]), ak.array(["a", "b"])], full=False) == high[0]).tolist()
    [False, False]
    """
    if isinstance(pda, list | tuple) and not all(isinstance(unlabelled(item), Array) for item in pda):
        raise ArgumentTypeError("hash takes lazy arrays, one or several.", hint="make one with ak.array(…).")
    arrays = as_arrays(pda)
    halves = [half for item in arrays for half in _digest(item)]
    frame, values = align("hash", halves)
    if len(arrays) > 1:
        values = [Call("number_hash", *values, part=part) for part in (0, 1)]
    high, low = (pdarray(frame, value) for value in values)
    return (high, low) if full else high


def _digest(item: Array) -> list[tuple[Frame, Value]]:
    """Return both halves of the hash of each element."""
    if hasattr(item, "hash"):
        return [half._as_operand() for half in item.hash()]
    frame, value = item._as_operand()
    # Integers of any size that are equal may differ in what they take in memory, not in their digits.
    operation, value = ("text_hash", cast(value, STR)) if value.dtype.kind == "bigint" else ("number_hash", value)
    return [(frame, call(operation, value, part=part)) for part in (0, 1)]
