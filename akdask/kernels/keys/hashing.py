"""Hashes of rows: 64 bits for the values of one column or of several together.

Equal rows have equal hashes: ``-0.0`` hashes as ``0.0``, and all NaN alike.  Of a single column of numbers, different
values have different hashes; of strings and of several columns that is only very likely, so equal hashes must be
followed by a look at the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from akdask.columns import new_array, slice_rows
from akdask.deferred import is_arrow
from akdask.kernels import compiled
from akdask.kernels.core.words import FIRST, HALF, LAST_BITS, SECOND, TEXT_BYTES, Words
from akdask.kernels.keys.normalized import word, word_count
from akdask.kernels.keys.strings import text_lengths
from akdask.typing import Column, NumberArray

BLOCK_ROWS = 2**13
"""Rows that are hashed at a time, so that what is found in between stays in the processor's cache."""


def hash_rows(columns: Sequence[Column]) -> Words:
    """Return the hash of each row; its leading bits are as good as all others.

    Parameters
    ----------
    columns : sequence of columns
        At least one; all of the same length.

    Returns
    -------
    ndarray of uint64

    Examples
    --------
    >>> one, other = hash_rows([np.array([0.0, -0.0])])
    >>> bool(one == other)
    True
    """
    nrows = len(columns[0])
    hashes = new_array(nrows, np.uint64)
    for start in range(0, nrows, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, nrows)
        hashes[start:stop] = _hash_block([slice_rows(column, start, stop) for column in columns])
    return hashes


def is_exact(columns: Sequence[Column]) -> bool:
    """Whether rows with equal hashes are sure to be equal."""
    return len(columns) == 1 and isinstance(columns[0], np.ndarray)


NARROW = 2**16
"""Buckets whose numbers fit in two bytes."""


def buckets_of(hashes: Words, count: int) -> npt.NDArray[np.unsignedinteger]:
    """Return which of some buckets each row goes to, so that rows with equal hashes meet in one.

    The last bits of the hashes decide: the hashes of one bucket still differ in the leading bits, by which an index
    finds its slots.

    Parameters
    ----------
    hashes : ndarray of uint64
    count : int
        Number of buckets, below 2 ** 32.

    Returns
    -------
    ndarray of uint16, or of uint32 for many buckets
        Sorted faster the narrower they are.
    """
    buckets = hashes & LAST_BITS
    buckets *= np.uint64(count)
    buckets >>= HALF
    return buckets.astype(np.uint16 if count <= NARROW else np.uint32)


def bucket_order(buckets: npt.NDArray[np.unsignedinteger], count: int) -> tuple[NumberArray, NumberArray]:
    """Return the rows in order of their buckets.

    Parameters
    ----------
    buckets : ndarray of uint16 or uint32
        Where each row goes.
    count : int
        Number of buckets.

    Returns
    -------
    order : ndarray of int64
        The rows of the first bucket, ascending, then those of the next.
    bounds : ndarray of int64, shape (count + 1,)
        Where each bucket begins, and the last one ends.

    Examples
    --------
    >>> order, bounds = bucket_order(np.array([1, 0, 1], np.uint16), 2)
    >>> order.tolist(), bounds.tolist()
    ([1, 0, 2], [0, 1, 3])
    """
    bounds = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(buckets, minlength=count), out=bounds[1:])
    return buckets.argsort(kind="stable"), bounds


def _hash_block(columns: Sequence[Column]) -> Words:
    hashes = _hash_column(columns[0])
    for column in columns[1:]:
        hashes *= FIRST
        hashes ^= _hash_column(column)
        _mix(hashes)
    return hashes


def _hash_column(column: Column) -> Words:
    if is_arrow(column, "LargeStringArray") and compiled.should_compile_text(len(column)):
        from akdask.kernels.compiled.keys.strings import hash_strings

        return hash_strings(column)
    hashes = _mix(word(column, 0))
    if isinstance(column, np.ndarray):
        return hashes
    lengths = text_lengths(column)
    for number in range(1, word_count(column)):
        # Few strings are as long as the longest.
        rows = np.flatnonzero(lengths > number * TEXT_BYTES)
        further = hashes[rows]
        further *= FIRST
        further ^= word(column, number, True, rows)
        hashes[rows] = _mix(further)
    return hashes


def _mix(words: Words) -> Words:
    """Spread every bit over all, in place; every step can be undone, so that different words stay different."""
    if compiled.should_compile(len(words)):
        from akdask.kernels.compiled.index.open_addressing import mix

        mix(words)
        return words
    words *= FIRST
    words ^= words >> HALF
    words *= SECOND
    words ^= words >> HALF
    return words
