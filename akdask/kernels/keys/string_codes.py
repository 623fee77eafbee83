"""Strings as integers in the order of their bytes, made of nothing but the bits in which they differ.

Identifiers and names that share a form differ in few bits: of a hundred thousand called ``station number 00000`` to
``99999``, only the lower halves of five bytes.  Bits that are the same in all strings say nothing of their order, so
they are left out, and what remains often fits one word.  The strings can be made of it again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns import full_array, new_array, offsets_and_bytes
from akdask.kernels import compiled
from akdask.kernels.keys.normalized import WORD_BITS, Words
from akdask.typing import NumberArray

CodesOfRows: TypeAlias = npt.NDArray[np.uint64]
"""The codes of some rows, of shape (codes, rows)."""

BYTES = 8
"""Bytes of a word."""

HALVES, LOWEST_BITS = 0x0F0F0F0F0F0F0F0F, 0x0101010101010101
"""The lower half of each byte of a word, and its lowest bit."""

LONGEST = 64
"""Bytes of strings up to which it pays to look at all of them before anything is compared."""

BLOCK_ROWS = 2**15
"""Rows whose words stay in the core's cache."""


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

    def write(self, strings: pa.LargeStringArray, codes: CodesOfRows) -> StringLayout:
        """Write the codes of strings, at least one, if they are of this form.

        Parameters
        ----------
        strings : large_string array
            None longer than `LONGEST`, or nothing is written.
        codes : ndarray of uint64, shape (parts, rows)
            Filled, the most significant first.

        Returns
        -------
        Form
            The same, or a wider one, nearer to theirs; then what has been written means nothing.
        """
        if compiled.pays(len(strings)):
            from akdask.kernels.compiled.keys.string_codes import write_codes

            return write_codes(strings, self, codes)
        form = self._with(strings)
        if form == self:
            for start in range(0, len(strings), BLOCK_ROWS):
                block = strings[start : start + BLOCK_ROWS]
                self._encode(block, codes[:, start : start + len(block)])
        return form

    def _with(self, strings: pa.LargeStringArray) -> StringLayout:
        """Return the form of some more strings; only as to their lengths if these are new."""
        lengths = np.diff(offsets_and_bytes(strings)[0])
        varying = [0] * len(self.common)
        form = self.widened(varying, int(lengths.min()), int(lengths.max()))
        if form != self:
            return form
        for start in range(0, len(strings), BLOCK_ROWS):
            for number, word in enumerate(_words(strings[start : start + BLOCK_ROWS], len(self.common))):
                varying[number] |= int(np.bitwise_or.reduce(word ^ np.uint64(self.common[number])))
        return self.widened(varying, self.shortest, self.longest)

    def _encode(self, strings: pa.LargeStringArray, codes: CodesOfRows) -> None:
        codes[:] = 0
        into = {number: column for column, part in zip(codes, self.parts, strict=True) for number in part}
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
        lengths = full_array(count, self.shortest, np.int64)
        if self.length_bits:
            lengths += (codes[-1] & np.uint64((1 << self.length_bits) - 1)).view(np.int64)
        offsets = new_array(count + 1, np.int64)
        offsets[0] = 0
        np.cumsum(lengths, out=offsets[1:])
        if compiled.pays(count):
            from akdask.kernels.compiled.keys.string_codes import strings_of

            return strings_of(codes, self, offsets)
        text = new_array(int(offsets[-1]), np.uint8)
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


def _word_count(length: int) -> int:
    """Return how many words a string of some bytes has, at least one."""
    return max(-(-length // BYTES), 1)


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
