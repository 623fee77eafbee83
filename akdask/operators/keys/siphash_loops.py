"""A loop that hashes runs of bytes."""

from __future__ import annotations

import numpy as np

from akdask.compiler import compiled
from akdask.operators.keys import hashing as digests
from akdask.operators.keys.keys import Words
from akdask.operators.keys.loop_words import Text, word_at

A, B, C, D = digests.START
FIRST_XOR, SECOND_XOR, LENGTH_SHIFT = digests.FIRST_XOR, digests.SECOND_XOR, np.uint64(digests.LENGTH_SHIFT)
MIXES, LAST_MIXES, WORD, BITS = digests.MIXES, digests.LAST_MIXES, np.uint64(digests.WORD), np.uint64(64)


@compiled
def siphash(offsets: Words, text: Text, part: int, found: Words) -> None:
    """Write the first or second half of the hash of each run of bytes."""
    for row in range(len(found)):
        at, stop = offsets[row], offsets[row + 1]
        last = (stop - at) << LENGTH_SHIFT
        a, b, c, d = A, B, C, D
        while stop - at >= WORD:
            word = word_at(text, at)
            a, b, c, d = _mixed(a, b, c, d ^ word, MIXES)
            a ^= word
            at += WORD
        for shift in range(stop - at):
            last |= np.uint64(text[at + shift]) << (shift * WORD)
        a, b, c, d = _mixed(a, b, c, d ^ last, MIXES)
        a, b, c, d = _mixed(a ^ last, b, c ^ FIRST_XOR, d, LAST_MIXES)
        if part:
            a, b, c, d = _mixed(a, b ^ SECOND_XOR, c, d, LAST_MIXES)
        found[row] = a ^ b ^ c ^ d


@compiled
def _mixed(
    a: np.uint64, b: np.uint64, c: np.uint64, d: np.uint64, times: int
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    for _ in range(times):
        a += b
        c += d
        b = _rotated(b, np.uint64(13)) ^ a
        d = _rotated(d, np.uint64(16)) ^ c
        a = _rotated(a, np.uint64(32)) + d
        c += b
        b = _rotated(b, np.uint64(17)) ^ c
        d = _rotated(d, np.uint64(21)) ^ a
        c = _rotated(c, np.uint64(32))
    return a, b, c, d


@compiled
def _rotated(word: np.uint64, bits: np.uint64) -> np.uint64:
    return (word << bits) | (word >> (BITS - bits))
