"""Hashes of rows: 64 bits for the values of one column or of several together.

Equal rows have equal hashes: ``-0.0`` hashes as ``0.0``, and all NaN alike. Different numbers of a single column have
different hashes. For strings and several columns that is only very likely, so rows with equal hashes must be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import STR, UINT64
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes, with_margin
from akdask.columns.table import slice_rows
from akdask.deferred import is_arrow
from akdask.engine.operations import Operation, numbers_to
from akdask.operators.keys import loops, tuning
from akdask.operators.keys.keys import FIRST, HALF, LAST_BITS, Words, word, word_count
from akdask.typing import Column, NumberArray


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
    for start in range(0, nrows, tuning.BLOCK_ROWS):
        stop = min(start + tuning.BLOCK_ROWS, nrows)
        hashes[start:stop] = _hash_block([slice_rows(column, start, stop) for column in columns])
    return hashes


def hash_words(words: Sequence[Words]) -> Words:
    """Return the hash of each row of several words, as `hash_rows` gives it for columns of one word each."""
    hashes = new_array(len(words[0]), np.uint64)
    for start in range(0, len(hashes), tuning.BLOCK_ROWS):
        rows = slice(start, start + tuning.BLOCK_ROWS)
        block = hashes[rows]
        block[...] = words[0][rows]
        loops.mix(block)
        for column in words[1:]:
            _mix_with(block, column[rows])
    return hashes


def is_exact(columns: Sequence[Column]) -> bool:
    """Whether rows with equal hashes are always equal."""
    return len(columns) == 1 and isinstance(columns[0], np.ndarray)


def are_same_keys(columns: Sequence[Column], others: NumberArray) -> bool:
    """Whether each row is equal to another one, given for each.

    Examples
    --------
    >>> are_same_keys([np.array([0.0, 5.0, -0.0])], np.array([0, 1, 0]))
    True
    """
    # No row is compared with itself.
    compared = np.where(others == np.arange(len(others)), -1, others)
    rows = np.flatnonzero(compared >= 0)
    for column in columns if len(rows) else ():
        if is_arrow(column, "LargeStringArray"):
            offsets, text = offsets_and_bytes(column)
            strings = offsets.view(np.uint64), text
            if not loops.check_strings(*strings, *strings, compared.copy()):
                return False
        elif any(
            (word(column, number, rows=rows) != word(column, number, rows=others[rows])).any()
            for number in range(word_count(column))
        ):
            return False
    return True


def buckets_of(hashes: Words, count: int) -> npt.NDArray[np.unsignedinteger]:
    """Return the bucket of each row; rows with equal hashes have the same bucket.

    The last bits of the hashes decide. The hashes of one bucket still differ in the leading bits, which give the slots
    of an index.

    Parameters
    ----------
    hashes : ndarray of uint64
    count : int
        Number of buckets, below 2 ** 32.

    Returns
    -------
    ndarray of uint16, or of uint32 for many buckets
        Narrow numbers sort faster.
    """
    buckets = hashes & LAST_BITS
    buckets *= np.uint64(count)
    buckets >>= HALF
    return buckets.astype(np.uint16 if count <= 2**16 else np.uint32)


def bucket_order(buckets: npt.NDArray[np.unsignedinteger], count: int) -> tuple[NumberArray, NumberArray]:
    """Return the rows in order of their buckets.

    Parameters
    ----------
    buckets : ndarray of uint16 or uint32
        The bucket of each row.
    count : int
        Number of buckets.

    Returns
    -------
    order : ndarray of int64
        The rows of the first bucket, ascending, then of the next.
    bounds : ndarray of int64, shape (count + 1,)
        First position of each bucket, and the end of the last.

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
        _mix_with(hashes, _hash_column(column))
    return hashes


def _hash_column(column: Column) -> Words:
    if is_arrow(column, "LargeStringArray"):
        hashes = np.empty(len(column), np.uint64)
        for first, offsets, text in with_margin(column):
            loops.hash_words(offsets, text, hashes[first:])
        return hashes
    hashes = word(column, 0)
    loops.mix(hashes)
    for number in range(1, word_count(column)):
        _mix_with(hashes, word(column, number))
    return hashes


def _mix_with(hashes: Words, words: Words) -> None:
    """Spread the bits of hashes and of further words over the hashes."""
    hashes *= FIRST
    hashes ^= words
    loops.mix(hashes)


def digests(offsets: NumberArray, data: NumberArray, part: int) -> Words:
    """Return the first or second half of the digest of each run of bytes, as uint64.

    Digests are those of Arkouda's server: SipHash-2-4 of 128 bits with the server's key.

    Examples
    --------
    >>> one, other, again = digests(np.array([0, 1, 2, 3]), np.frombuffer(b"aba", np.uint8), 0)
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    found = np.empty(len(offsets) - 1, np.uint64)
    loops.siphash(offsets.view(np.uint64), data, bool(part), found)
    return found


def _of_text(strings: Any, out: Any = None, *, part: int) -> NumberArray:
    offsets, data = offsets_and_bytes(strings)
    return digests(offsets - offsets[0], data, part)


def _of_numbers(*columns: Any, out: Any = None, part: int) -> NumberArray:
    """Return digests of rows of numbers; -0.0 and 0.0 are equal, and all NaN."""
    words = [_words(column) for column in columns]
    rows = np.column_stack(np.broadcast_arrays(*map(np.atleast_1d, words)))
    size = rows.shape[1] * rows.itemsize
    return digests(np.arange(0, size * len(rows) + 1, size), np.ascontiguousarray(rows).view(np.uint8).ravel(), part)


def _words(column: Any) -> Any:
    if column.dtype.kind != "f":
        return column.astype("<i8" if column.dtype.kind == "b" else f"<{column.dtype.kind}8").view("<u8")
    return np.where(np.isnan(column), np.nan, column + 0.0).astype("<f8").view("<u8")


DIGEST_OPERATIONS: dict[str, Operation] = {
    "text_hash": Operation("text_hash", 1, lambda strings, *, part: UINT64 if strings == STR else None, _of_text),
    "number_hash": Operation("number_hash", None, numbers_to(UINT64), _of_numbers),
}
