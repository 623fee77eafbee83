"""Strings as integers in the order of their bytes, made of nothing but the bits in which they differ.

Identifiers and names that share a form differ in few bits: of a hundred thousand called ``station number 00000`` to
``99999``, only the lower halves of five bytes.  Bits that are the same in all strings say nothing of their order, so
they are left out, and what remains often fits one word.  The strings can be made of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from akdask.columns import offsets_and_bytes
from akdask.kernels import compiled
from akdask.kernels.keys import WORD_BITS, Words
from akdask.typing import NumberArray

BYTES = 8
"""Bytes of a word."""

LONGEST = 64
"""Bytes of strings up to which it pays to look at all of them before anything is compared."""

BLOCK_ROWS = 2**15
"""Rows whose words stay in the core's cache."""


@dataclass(frozen=True, slots=True)
class Form:
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
    def of(cls, strings: pa.LargeStringArray) -> Form | None:
        """Return the form of strings, at least one; None where some are too long."""
        offsets, _ = offsets_and_bytes(strings)
        lengths = np.diff(offsets)
        shortest, longest = int(lengths.min()), int(lengths.max())
        if longest > LONGEST:
            return None
        count = max(-(-longest // BYTES), 1)
        first = [int(word[0]) for word in _words(strings[:1], count)]
        if compiled.pays(len(strings)):
            from akdask.kernels.compiled.forms import differing

            return cls(tuple(first), differing(strings, first), shortest, longest)
        varying = [0] * count
        for start in range(0, len(strings), BLOCK_ROWS):
            for number, word in enumerate(_words(strings[start : start + BLOCK_ROWS], count)):
                varying[number] |= int(np.bitwise_or.reduce(word ^ np.uint64(first[number])))
        return cls(tuple(first), tuple(varying), shortest, longest)

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

    def codes(self, strings: pa.LargeStringArray) -> list[Words]:
        """Return the codes of each of the strings that it is the form of, the most significant first."""
        if compiled.pays(len(strings)):
            from akdask.kernels.compiled.forms import codes_of

            return codes_of(strings, self)
        columns = [np.zeros(len(strings), np.uint64) for _ in self.parts]
        for start in range(0, len(strings), BLOCK_ROWS):
            block = strings[start : start + BLOCK_ROWS]
            self._encode(block, [column[start : start + len(block)] for column in columns])
        return columns

    def _encode(self, strings: pa.LargeStringArray, columns: Sequence[Words]) -> None:
        into = {number: column for column, part in zip(columns, self.parts, strict=True) for number in part}
        for number, word in enumerate(_words(strings, len(self.varying))):
            mask = self.varying[number]
            if mask:
                _append(into[number], _gathered(word, mask), mask.bit_count())
        if self.length_bits:
            offsets, _ = offsets_and_bytes(strings)
            _append(into[len(self.varying)], (np.diff(offsets) - self.shortest).view(np.uint64), self.length_bits)

    def strings(self, codes: Sequence[Words]) -> pa.LargeStringArray:
        """Return the strings of codes."""
        count = len(codes[0])
        lengths = np.full(count, self.shortest)
        if self.length_bits:
            lengths += (codes[-1] & np.uint64((1 << self.length_bits) - 1)).view(np.int64)
        offsets = np.zeros(count + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if compiled.pays(count):
            from akdask.kernels.compiled.forms import strings_of

            return strings_of(codes, self, offsets)
        text = np.empty(int(offsets[-1]), np.uint8)
        for start in range(0, count, BLOCK_ROWS):
            stop = min(start + BLOCK_ROWS, count)
            target = text[offsets[start] : offsets[stop]]
            padded = self._decode([column[start:stop].copy() for column in codes])
            if self.length_bits:
                np.compress((np.arange(self.longest) < lengths[start:stop, np.newaxis]).ravel(), padded, out=target)
            else:
                target.reshape(padded.shape)[:] = padded
        return pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text))

    def _decode(self, columns: Sequence[Words]) -> NumberArray:
        """Return the bytes of some strings, one below the other; the codes are used up."""
        words = np.empty((len(columns[0]), len(self.varying)), ">u8")
        words[:] = self.common
        for column, part in zip(columns, self.parts, strict=True):
            for number in reversed(part):
                if number == len(self.varying):
                    _remove(column, self.length_bits)
                    continue
                mask = self.varying[number]
                bits = _spread(column & np.uint64((1 << mask.bit_count()) - 1), mask)
                bits |= np.uint64(self.common[number] & ~mask)
                words[:, number] = bits
                _remove(column, mask.bit_count())
        return words.view(np.uint8)[:, : self.longest]


def form_of(strings: pa.LargeStringArray) -> Form | None:
    """Return the form of strings; None of no strings, or where some are so long that it would not pay.

    Examples
    --------
    >>> strings = pa.array(["gate 07", "gate 11", "gate 7"], pa.large_string())
    >>> form = form_of(strings)
    >>> (code,) = form.codes(strings)
    >>> form.strings([np.sort(code)]).to_pylist()
    ['gate 07', 'gate 11', 'gate 7']
    """
    form = Form.of(strings) if len(strings) else None
    return form if form is not None and form.longest else None


def _words(strings: pa.LargeStringArray, count: int) -> Iterator[Words]:
    """Yield 8 bytes of each string after the other, the first byte in the highest place, 0 behind the end."""
    offsets, text = offsets_and_bytes(strings)
    # Room for a word that begins at the end of the last string.
    text = np.concatenate([text, np.zeros(BYTES * (count + 1), np.uint8)])
    starts, lengths = offsets[:-1] - offsets[0], np.diff(offsets)
    shortest, longest = int(lengths.min()), int(lengths.max())
    for number in range(count):
        first = BYTES * number
        if shortest == longest:
            # What begins at equal distances need not be looked up one by one.
            words = np.ndarray(len(starts), ">u8", text, first, (shortest,)).astype(np.uint64)
        else:
            windows = np.ndarray(len(text) - first - BYTES + 1, ">u8", text, first, (1,))
            words = windows[starts].astype(np.uint64)
        if shortest == longest < first + BYTES:
            words &= KEPT[max(longest - first, 0)]
        elif shortest < first + BYTES:
            words &= KEPT[np.clip(lengths - first, 0, BYTES)]
        yield words


KEPT = np.array([(1 << 64) - (1 << 8 * (8 - count)) for count in range(9)], np.uint64)
"""For the number of bytes that are left of a string, the places that they have in a word."""


def _append(codes: Words, more: Words, bits: int) -> None:
    """Put bits behind those of the codes, in place; NumPy leaves shifts by a whole word undefined."""
    if bits < WORD_BITS:
        np.left_shift(codes, np.uint64(bits), out=codes)
    np.bitwise_or(codes, more, out=codes)


def _remove(codes: Words, bits: int) -> None:
    """Take the lowest bits off the codes, in place."""
    if bits < WORD_BITS:
        np.right_shift(codes, np.uint64(bits), out=codes)


@lru_cache(256)
def moves(mask: int) -> Sequence[int]:
    """Return which bits move right by 1, 2, 4, … places when the bits of a mask are brought together at the right.

    Each bit moves by as many places as there are zeros to its right, that is by the powers of two in that number.
    """
    found = []
    places = [place for place in range(WORD_BITS) if mask >> place & 1]
    distances = [place - number for number, place in enumerate(places)]
    for step in range(WORD_BITS.bit_length() - 1):
        moving = [number for number, distance in enumerate(distances) if distance >> step & 1]
        found.append(sum(1 << places[number] for number in moving))
        for number in moving:
            places[number] -= 1 << step
    return found


def _gathered(words: Words, mask: int) -> Words:
    """Return the bits of a mask side by side at the right, in place."""
    words &= np.uint64(mask)
    moving = np.empty_like(words)
    for step, moved in enumerate(moves(mask)):
        if moved:
            np.bitwise_and(words, np.uint64(moved), out=moving)
            words ^= moving
            moving >>= np.uint64(1 << step)
            words |= moving
    return words


def _spread(bits: Words, mask: int) -> Words:
    """Return bits from the right at the places of a mask, in place: what `_gathered` does, backwards."""
    moving = np.empty_like(bits)
    for step, moved in reversed(list(enumerate(moves(mask)))):
        if moved:
            np.bitwise_and(bits, np.uint64(moved >> (1 << step)), out=moving)
            bits ^= moving
            moving <<= np.uint64(1 << step)
            bits |= moving
    return bits
