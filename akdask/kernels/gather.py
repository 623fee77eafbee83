"""Rows at given positions of a table that is larger than the caches.

NumPy waits for one row after the other.  A compiled loop asks memory for rows well before it comes to them; measured on
one thread with random positions, ns a row:

===================  =====  =====  =====  ======
bytes of the table   4 MiB  8 MiB  16 MiB  64 MiB
===================  =====  =====  =====  ======
``table.take``         1.6    8.0    11.2    13.4
the compiled loop      1.6    2.6     4.9     6.0
===================  =====  =====  =====  ======
"""

from __future__ import annotations

import numpy as np

from akdask.columns import take_rows
from akdask.kernels import compiled
from akdask.typing import Column, NumberArray

FAR = 2**22
"""Bytes of a table that the caches of a core do not hold."""

WORD = 8
"""Bytes of the items for which there is a loop."""


def gather(table: Column, positions: NumberArray, out: NumberArray | None = None) -> Column:
    """Return the rows of a table at some positions, each of which is there; in `out` if that is given.

    Examples
    --------
    >>> gather(np.array([0.5, 1.5]), np.array([1, 1, 0])).tolist()
    [1.5, 1.5, 0.5]
    """
    if not isinstance(table, np.ndarray):
        return take_rows(table, positions)
    if is_far(table, positions, out):
        found = np.empty(len(positions), table.dtype) if out is None else out
        gather_far(table, positions, found)
        return found
    # Only the clip mode of NumPy writes to `out` without a copy.
    return table.take(positions, out=out, mode="raise" if out is None else "clip")


def is_far(table: NumberArray, positions: NumberArray, out: NumberArray | None = None) -> bool:
    """Whether `gather_far` takes such arrays, and is faster."""
    arrays = (table, positions) if out is None else (table, positions, out)
    return (
        table.nbytes >= FAR
        and all(array.itemsize == WORD and array.flags.c_contiguous for array in arrays)
        and positions.ndim == 1
        and compiled.pays(len(positions))
    )


def gather_far(table: NumberArray, positions: NumberArray, out: NumberArray, missing: int = 0) -> bool:
    """Fill `out` with the rows at positions, `missing` bits where there is none, and return whether all are there."""
    from akdask.kernels.compiled.compiler import read_only
    from akdask.kernels.compiled.fetching import gather_words

    words = read_only(table.view(np.uint64)), read_only(positions.view(np.uint64))
    return bool(gather_words(*words, np.uint64(missing), out.view(np.uint64)))
