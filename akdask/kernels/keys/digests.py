"""Digests: hashes of 128 bits, by which values are told apart without looking at them again.

They are those of SipHash-2-4 (Aumasson and Bernstein, 2012), which Arkouda documents for its hashes, with the key
0, 1, …, 15 of its authors' test vectors.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.columns import offsets_and_bytes
from akdask.kernels import compiled
from akdask.kernels.core.rules import Operation, numbers_to
from akdask.kernels.core.siphash import FIRST_XOR, LAST_MIXES, LENGTH_SHIFT, MIXES, SECOND_XOR, START, WORD
from akdask.kernels.core.words import Words
from akdask.schema import STR, UINT64
from akdask.typing import NumberArray

CHUNK_ROWS = 2**14
"""Rows hashed at a time, so that their state stays in the cache."""


def digests(offsets: NumberArray, data: NumberArray, part: int) -> Words:
    """Return the first or second half of the digest of each of some runs of bytes, as uint64.

    Examples
    --------
    >>> one, other, again = digests(np.array([0, 1, 2, 3]), np.frombuffer(b"aba", np.uint8), 0)
    >>> bool(one == again), bool(one == other)
    (True, False)
    """
    found = np.empty(len(offsets) - 1, np.uint64)
    if compiled.should_compile_text(len(found)):
        from akdask.kernels.compiled.compiler import read_only
        from akdask.kernels.compiled.keys.siphash import siphash

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
    """Return the state of rows after one word more of each."""
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
    """Return digests of rows of numbers, equal ones alike: -0.0 and 0.0, and all NaN."""
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
