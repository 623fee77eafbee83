"""Values of segments handed to the rows of each."""

from __future__ import annotations

from operator import index
from typing import Any

from akdask.collections.arrays.creation import arange
from akdask.collections.arrays.sorting import invert_permutation, searchsorted
from akdask.collections.core.array import Array
from akdask.errors import ArgumentError, ArgumentTypeError


def broadcast(segments: Any, values: Any, size: int = -1, permutation: Any = None) -> Any:
    """Spread one value per segment over the rows of each; lazy.

    Parameters
    ----------
    segments : pdarray of int
        Where each segment starts, ascending from 0.  Some may be empty.
    values : pdarray, Strings or Categorical
        One value for each segment.
    size : int
        How many rows there are; counted where a permutation is given.
    permutation : pdarray of int, optional
        The numbers of the rows with those of each segment together, as ``GroupBy.permutation`` is; the result has the
        order of the rows then.  Otherwise the rows are in the order of the segments.

    Returns
    -------
    array like `values`
        With as many rows as are given.

    Raises
    ------
    ArgumentError
        If there are no segments, not as many values, or no rows.
    ArgumentTypeError
        If segments or values are no lazy arrays.

    Examples
    --------
    >>> import akdask as ak
    >>> starts, numbers = ak.array([0, 2, 5]), ak.arange(3)
    >>> ak.broadcast(starts, numbers, 7).tolist()
    [0, 0, 1, 1, 1, 2, 2]
    >>> ak.broadcast(starts, numbers, permutation=ak.arange(6, -1, -1)).tolist()
    [2, 2, 1, 1, 1, 0, 0]
    """
    for name, item in (("segments", segments), ("values", values)):
        if not isinstance(item, Array):
            raise ArgumentTypeError(f"broadcast: {name} is a lazy array, not {type(item).__name__}.")
    if segments.size != values.size:
        raise ArgumentError(f"broadcast takes one value for each of {segments.size} segments, got {values.size}.")
    nrows = index(size) if permutation is None else permutation.size
    if not segments.size or nrows < 1:
        raise ArgumentError(
            f"broadcast has {segments.size} segments for {nrows} rows.", hint="pass the size, or a permutation."
        )
    rows: Any = arange(nrows) if permutation is None else invert_permutation(permutation)
    return values[searchsorted(segments, rows, side="right") - 1]
