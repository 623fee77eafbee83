"""Hashes of rows: 64 bits for the values of one column or of several together.

Equal rows have equal hashes: ``-0.0`` hashes as ``0.0``, and all NaN alike. Different numbers of a single column have
different hashes. For strings and several columns that is only very likely, so rows with equal hashes must be compared.

"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from akdask import compiled
from akdask.columns.dtypes import STR, UINT64
from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import slice_rows
from akdask.deferred import is_arrow
from akdask.engine.operations import Operation, numbers_to
from akdask.operators.keys.keys import FIRST, HALF, LAST_BITS, SECOND, TEXT_BYTES, Words, word, word_count
from akdask.operators.values.strings import text_lengths
from akdask.typing import Column, NumberArray

BLOCK_ROWS = 2**13
"""Rows that are hashed at a time, so that intermediate results stay in the processor's cache."""


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
    """Whether rows with equal hashes are always equal."""
    return len(columns) == 1 and isinstance(columns[0], np.ndarray)


NARROW = 2**16
"""Buckets whose numbers fit in two bytes."""


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
    return buckets.astype(np.uint16 if count <= NARROW else np.uint32)


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
        hashes *= FIRST
        hashes ^= _hash_column(column)
        _mix(hashes)
    return hashes


def _hash_column(column: Column) -> Words:
    if is_arrow(column, "LargeStringArray") and compiled.should_compile_text(len(column)):
        from akdask.operators.keys.string_loops import hash_strings

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
    """Spread every bit over all, in place; the steps are reversible, so that different words stay different."""
    if compiled.should_compile(len(words)):
        from akdask.operators.join.loops import mix

        mix(words)
        return words
    words *= FIRST
    words ^= words >> HALF
    words *= SECOND
    words ^= words >> HALF
    return words


KEY = 0x0706050403020100, 0x0F0E0D0C0B0A0908

START = np.array(
    [
        KEY[0] ^ 0x736F6D6570736575,
        KEY[1] ^ 0x646F72616E646F6D ^ 0xEE,
        KEY[0] ^ 0x6C7967656E657261,
        KEY[1] ^ 0x7465646279746573,
    ],
    np.uint64,
)
"""The state before the first word."""

WORD = 8
"""Bytes that are taken at a time."""

LENGTH_SHIFT = 56
"""Shift of the length in the last word; the remaining bytes are below it."""

MIXES, LAST_MIXES = 2, 4
"""Number of mixing rounds after each word, and before each half of the result."""

FIRST_XOR, SECOND_XOR = np.uint64(0xEE), np.uint64(0xDD)


CHUNK_ROWS = 2**14
"""Rows hashed at a time, so that their state stays in the cache."""


def digests(offsets: NumberArray, data: NumberArray, part: int) -> Words:
    """Return the first or second half of the digest of each run of bytes, as uint64.

    Examples
    --------
    >>> one, other, again = digests(np.array([0, 1, 2, 3]), np.frombuffer(b"aba", np.uint8), 0)
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    found = np.empty(len(offsets) - 1, np.uint64)
    if compiled.should_compile_text(len(found)):
        from akdask.compiler import read_only
        from akdask.operators.keys.siphash_loops import siphash

        siphash(read_only(offsets.view(np.uint64)), read_only(data), part, found)
        return found
    padded = np.concatenate([data, np.zeros(WORD, np.uint8)])
    windows = np.ndarray(len(data) + 1, np.dtype("<u8"), padded, strides=(1,))
    for start in range(0, len(found), CHUNK_ROWS):
        some = offsets[start : start + CHUNK_ROWS + 1]
        found[start : start + CHUNK_ROWS] = _digests(some, windows, part)
    return found


def _digests(offsets: NumberArray, windows: Words, part: int) -> Words:
    starts, lengths = offsets[:-1], np.diff(offsets)
    full = lengths // WORD
    state = np.repeat(START[:, None], len(starts), axis=1)
    rows = np.arange(len(starts))
    for number in range(int(full.max(initial=0))):
        rows = rows[full[rows] > number]
        state[:, rows] = _taken(state[:, rows], windows[starts[rows] + number * WORD].astype(np.uint64))
    left = (lengths % WORD).astype(np.uint64) * np.uint64(WORD)
    last = windows[starts + full * WORD].astype(np.uint64) & ((np.uint64(1) << left) - np.uint64(1))
    state = _taken(state, last | (lengths.astype(np.uint64) << np.uint64(LENGTH_SHIFT)))
    state[2] ^= FIRST_XOR
    state = _mixed(state, LAST_MIXES)
    if part:
        state[1] ^= SECOND_XOR
        state = _mixed(state, LAST_MIXES)
    found: Words = np.bitwise_xor.reduce(state, axis=0)
    return found


def _taken(state: Words, words: Words) -> Words:
    """Return the state of rows after one more word of each."""
    state[3] ^= words
    state = _mixed(state, MIXES)
    state[0] ^= words
    return state


def _mixed(state: Words, times: int) -> Words:
    a, b, c, d = state
    for _ in range(times):
        a = a + b
        c = c + d
        b = _rotated(b, 13) ^ a
        d = _rotated(d, 16) ^ c
        a = _rotated(a, 32) + d
        c = c + b
        b = _rotated(b, 17) ^ c
        d = _rotated(d, 21) ^ a
        c = _rotated(c, 32)
    return np.stack([a, b, c, d])


def _rotated(words: Words, bits: int) -> Words:
    return (words << np.uint64(bits)) | (words >> np.uint64(64 - bits))


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
