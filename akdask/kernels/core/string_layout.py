"""The layout of string codes: which bits of strings that look alike tell them apart, and where these bits go.

Identifiers and names that share a layout differ in few bits: of a hundred thousand called ``station number 00000`` to
``99999``, only the lower halves of five bytes.  Bits that are the same in all strings say nothing of their order, so
they are left out, and what remains often fits one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.kernels.core.words import WORD_BITS

CodesOfRows: TypeAlias = npt.NDArray[np.uint64]
"""The codes of some rows, of shape (codes, rows)."""

BYTES = 8
"""Bytes of a word."""

HALVES, LOWEST_BITS = 0x0F0F0F0F0F0F0F0F, 0x0101010101010101
"""The lower half of each byte of a word, and its lowest bit."""


@dataclass(frozen=True, slots=True)
class StringLayout:
    """What some strings have in common: their bits but some, and bounds of their lengths.

    Parameters
    ----------
    common : tuple of int
        The words of one of them, 8 bytes each, the first byte in the highest place, 0 behind the end.
    varying : tuple of int
        The bits of each word in which any two differ.
    shortest, longest : int
        Lengths in bytes.
    """

    common: tuple[int, ...]
    varying: tuple[int, ...]
    shortest: int
    longest: int

    @classmethod
    def of(cls, text: bytes) -> StringLayout:
        """Return the form of one string."""
        words = np.frombuffer(text.ljust(_word_count(len(text)) * BYTES, b"\0"), ">u8")
        return cls(tuple(words.tolist()), (0,) * len(words), len(text), len(text))

    def widened(self, varying: Sequence[int], shortest: int, longest: int) -> StringLayout:
        """Return the form of other strings too, given the bits in which they differ and bounds of their lengths."""
        longest = max(longest, self.longest)
        padding = (0,) * (_word_count(longest) - len(self.common))
        bits = tuple(map(or_, self.varying, varying))
        return StringLayout(self.common + padding, bits + padding, min(shortest, self.shortest), longest)

    def joined(self, other: StringLayout) -> StringLayout:
        """Return the layout of the strings of both.

        Examples
        --------
        >>> StringLayout.of(b"gate 07").joined(StringLayout.of(b"gate 11")).bits
        3
        """
        padded = self.widened((0,) * len(self.varying), self.shortest, other.longest)
        shorter = (0,) * (len(padded.common) - len(other.common))
        parts = zip(padded.common, other.common + shorter, other.varying + shorter, strict=True)
        return padded.widened([(mine ^ its) | varying for mine, its, varying in parts], other.shortest, other.longest)

    def with_digits(self) -> StringLayout:
        """Return a wider form: where a byte varies in any of its lower half, it may have any decimal digit."""
        lower = [mask & HALVES for mask in self.varying]
        used = [(half | half >> 1 | half >> 2 | half >> 3) & LOWEST_BITS for half in lower]
        return replace(self, varying=tuple(mask | 15 * byte for mask, byte in zip(self.varying, used, strict=True)))

    @property
    def length_bits(self) -> int:
        """Bits of the lengths: strings that differ in NUL bytes at the end alone are told apart by them."""
        return (self.longest - self.shortest).bit_length()

    @property
    def bits(self) -> int:
        """Bits that tell the strings apart."""
        return sum(self.word_bits)

    @property
    def word_bits(self) -> list[int]:
        """Bits that tell the strings apart in each word, and last in the lengths."""
        return [*map(int.bit_count, self.varying), self.length_bits]

    @property
    def parts(self) -> list[list[int]]:
        """Which words go into each code, as many as fit together; one past the last word stands for lengths."""
        parts: list[list[int]] = [[]]
        free = WORD_BITS
        for number, bits in enumerate(self.word_bits):
            if bits > free:
                parts.append([])
                free = WORD_BITS
            if bits:
                parts[-1].append(number)
                free -= bits
        return parts


def _word_count(length: int) -> int:
    """Return how many words a string of some bytes has, at least one."""
    return max(-(-length // BYTES), 1)


@lru_cache(256)
def moves(mask: int) -> Sequence[int]:
    """Return which bits move right by 1, 2, 4, … places when the bits of a mask are brought together at the right.

    Each bit moves by as many places as there are zeros to its right, that is by the powers of two in that number.
    """
    found = []
    positions = [position for position in range(WORD_BITS) if mask >> position & 1]
    distances = [position - number for number, position in enumerate(positions)]
    for step in range(WORD_BITS.bit_length() - 1):
        moving = [number for number, distance in enumerate(distances) if distance >> step & 1]
        found.append(sum(1 << positions[number] for number in moving))
        for number in moving:
            positions[number] -= 1 << step
    return found
