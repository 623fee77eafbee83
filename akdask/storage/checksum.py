"""Checksums of stored bytes: 64 bits, taken block by block, at the speed of memory.

A multilinear hash: 64-bit words are multiplied by fixed odd weights and summed modulo 2**64, chunk after chunk.  An
odd weight can be inverted, so damage inside any one word always shows, and other damage almost always.  It finds what
rots, not what somebody forges.  Three to four times as fast as `zlib.crc32`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from akdask.typing import NumberArray

CHUNK_WORDS = 2**16
_MODULUS = 2**64
_FACTOR = 0x9E3779B97F4A7C15  # odd; spreads the sums of chunks


def _weights() -> npt.NDArray[np.uint64]:
    """Return odd numbers without a pattern: SplitMix64 of 0, 1, 2 and so on."""
    mixed = np.arange(1, CHUNK_WORDS + 1, dtype=np.uint64) * np.uint64(_FACTOR)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    return (mixed ^ (mixed >> np.uint64(31))) | np.uint64(1)


_WEIGHTS = _weights()


class Checksum:
    """The checksum of bytes that come in pieces; how they are cut makes no difference.

    Examples
    --------
    >>> full, cut = Checksum(), Checksum()
    >>> full.add(np.arange(5, dtype=np.uint8))
    >>> cut.add(np.arange(2, dtype=np.uint8))
    >>> cut.add(np.arange(2, 5, dtype=np.uint8))
    >>> full.value == cut.value
    True
    """

    def __init__(self) -> None:
        self._words = 0
        self._chunks = 0
        self._chunk = 0
        self._rest = np.empty(0, np.uint8)

    def add(self, block: NumberArray) -> None:
        """Take in the bytes of a contiguous array."""
        raw = block.view(np.uint8)
        if len(self._rest):
            missing = 8 - len(self._rest)
            started = np.concatenate([self._rest, raw[:missing]])
            if len(started) < 8:
                self._rest = started
                return
            self._add_words(started.view("<u8"))
            raw = raw[missing:]
        end = len(raw) - len(raw) % 8
        self._add_words(raw[:end].view("<u8"))
        self._rest = raw[end:].copy()

    def _add_words(self, words: npt.NDArray[np.uint64]) -> None:
        missing = -self._words % CHUNK_WORDS
        self._words += len(words)
        if missing:
            self._chunk += _sum(words[:missing], _WEIGHTS[-missing:])
            if len(words) < missing:
                return
            self._end_chunk()
            words = words[missing:]
        full = len(words) // CHUNK_WORDS
        chunks, words = words[: full * CHUNK_WORDS], words[full * CHUNK_WORDS :]
        # All in one call: a thread that calls often waits for others each time.
        for total in np.einsum("ij,j->i", chunks.reshape(full, CHUNK_WORDS), _WEIGHTS).tolist():
            self._chunk = total
            self._end_chunk()
        self._chunk += _sum(words, _WEIGHTS)

    def _end_chunk(self) -> None:
        self._chunks, self._chunk = self._folded, 0

    @property
    def value(self) -> int:
        """The checksum of all bytes so far, 0 to 2**64 - 1."""
        rest = int.from_bytes(self._rest.tobytes(), "little")
        # The bytes that fill no word are a chunk of their own.
        last = (self._folded * _FACTOR + rest * int(_WEIGHTS[0])) % _MODULUS
        return (last * _FACTOR + 8 * self._words + len(self._rest)) % _MODULUS

    @property
    def _folded(self) -> int:
        return (self._chunks * _FACTOR + self._chunk) % _MODULUS


def _sum(words: npt.NDArray[np.uint64], weights: npt.NDArray[np.uint64]) -> int:
    # Words may lie between the machine's: `dot` would copy all of them first.
    return int(np.einsum("i,i->", words, weights[: len(words)]))


def checksum(block: NumberArray) -> int:
    """Return the checksum of the bytes of one contiguous array."""
    found = Checksum()
    found.add(block)
    return found.value
