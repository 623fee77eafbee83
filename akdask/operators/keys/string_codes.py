"""Codes of strings: integers in the order of the strings, made of only the bits in which the strings differ.

A layout tells which bits these are. Codes sort like the strings, and convert back to them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from akdask import compiled
from akdask.columns.memory import full_array, new_array
from akdask.columns.strings import StringsBuilder, offsets_and_bytes
from akdask.columns.table import slice_rows
from akdask.deferred import pa
from akdask.operators.keys.keys import WORD_BITS, Words
from akdask.typing import NumberArray

CodesOfRows: TypeAlias = npt.NDArray[np.uint64]
"""The codes of some rows, of shape (codes, rows)."""

BYTES = 8
"""Bytes of a word."""

HALVES, LOWEST_BITS = 0x0F0F0F0F0F0F0F0F, 0x0101010101010101
"""The lower half of each byte of a word, and its lowest bit."""


@dataclass(frozen=True, slots=True)
class StringLayout:
    """The common bits of some strings, the bits in which they differ, and bounds of their lengths.

    Parameters
    ----------
    common : tuple of int
        The words of one string, 8 bytes each, with the first byte in the highest place and 0 after the end.
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
        """Return the layout of one string."""
        words = np.frombuffer(text.ljust(_word_count(len(text)) * BYTES, b"\0"), ">u8")
        return cls(tuple(words.tolist()), (0,) * len(words), len(text), len(text))

    def widened(self, varying: Sequence[int], shortest: int, longest: int) -> StringLayout:
        """Return the layout that also fits other strings, given their varying bits and bounds of their lengths."""
        longest = max(longest, self.longest)
        padding = (0,) * (_word_count(longest) - len(self.common))
        bits = tuple(map(or_, self.varying, varying))
        return StringLayout(self.common + padding, bits + padding, min(shortest, self.shortest), longest)

    def joined(self, other: StringLayout) -> StringLayout:
        """Return the layout that fits the strings of both.

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
        """Return a wider layout: a byte that varies in its lower half may be any decimal digit."""
        lower = [mask & HALVES for mask in self.varying]
        used = [(half | half >> 1 | half >> 2 | half >> 3) & LOWEST_BITS for half in lower]
        return replace(self, varying=tuple(mask | 15 * byte for mask, byte in zip(self.varying, used, strict=True)))

    @property
    def length_bits(self) -> int:
        """Bits of the lengths, which distinguish strings that differ only in NUL bytes at the end."""
        return (self.longest - self.shortest).bit_length()

    @property
    def bits(self) -> int:
        """Number of bits in which the strings differ."""
        return sum(self.word_bits)

    @property
    def word_bits(self) -> list[int]:
        """Number of varying bits of each word, and last of the lengths."""
        return [*map(int.bit_count, self.varying), self.length_bits]

    @property
    def parts(self) -> list[list[int]]:
        """Words of each code, as many as fit together; one past the last word stands for lengths."""
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
    """Return the number of words of a string of some bytes, at least one."""
    return max(-(-length // BYTES), 1)


@lru_cache(256)
def moves(mask: int) -> Sequence[int]:
    """Return the bits that move right by 1, 2, 4, … places to bring the bits of a mask together at the right.

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


LONGEST = 64
"""Most bytes of strings that are all read before any comparison."""

BLOCK_ROWS = 2**15
"""Rows whose words stay in the core's cache."""


def write_codes(layout: StringLayout, strings: pa.LargeStringArray, codes: CodesOfRows) -> StringLayout:
    """Write the codes of strings, at least one, if they fit the layout.

    Parameters
    ----------
    layout : StringLayout
        The bits of the codes.
    strings : large_string array
        If one is longer than `LONGEST`, nothing is written.
    codes : ndarray of uint64, shape (parts, rows)
        Filled, the most significant first.

    Returns
    -------
    StringLayout
        The same, or a wider one, nearer to theirs; then the written codes are invalid.
    """
    if compiled.should_compile_text(len(strings)):
        from akdask.operators.keys.string_code_loops import write_codes as write_compiled

        return write_compiled(strings, layout, codes)
    found = _widened(layout, strings)
    if found == layout:
        for start in range(0, len(strings), BLOCK_ROWS):
            block = strings[start : start + BLOCK_ROWS]
            _encode(layout, block, codes[:, start : start + len(block)])
    return found


def layout_of(strings: pa.LargeStringArray, layout: StringLayout | None = None) -> StringLayout | None:
    """Return the layout of strings, at least one, and of another layout; None if any string is too long.

    Examples
    --------
    >>> layout_of(pa.array(["gate 07", "gate 11"], pa.large_string())).bits
    3
    """
    if layout is None:
        offsets, text = offsets_and_bytes(strings)
        layout = StringLayout.of(text[: offsets[1] - offsets[0]].tobytes())
    for start in range(0, len(strings), BLOCK_ROWS):
        block, known = slice_rows(strings, start, start + BLOCK_ROWS), None
        while layout != known and layout.longest <= LONGEST:
            known, layout = layout, _needed(layout, block)
        if layout.longest > LONGEST:
            return None
    return layout


def _needed(layout: StringLayout, strings: pa.LargeStringArray) -> StringLayout:
    """Return the layout, or a wider one, nearer to the layout of some more strings."""
    if not compiled.should_compile_text(len(strings)):
        return _widened(layout, strings)
    # The loop that writes codes also finds the bits that the layout lacks.
    return write_codes(layout, strings, np.empty((len(layout.parts), len(strings)), np.uint64))


def codes_of(strings: pa.LargeStringArray, layout: StringLayout) -> CodesOfRows:
    """Return the codes of strings of a layout, the most significant first.

    Examples
    --------
    >>> strings = pa.array(["gate 07", "gate 11", "gate 01"], pa.large_string())
    >>> codes_of(strings, StringLayout((0x6761746520303700,), (0x070700,), 7, 7)).tolist()
    [[7, 9, 1]]
    """
    codes: CodesOfRows = new_array(len(layout.parts) * len(strings), np.uint64).reshape(len(layout.parts), -1)
    for start in range(0, len(strings), BLOCK_ROWS):
        write_codes(layout, slice_rows(strings, start, start + BLOCK_ROWS), codes[:, start : start + BLOCK_ROWS])
    return codes


def _widened(layout: StringLayout, strings: pa.LargeStringArray) -> StringLayout:
    """Return the layout widened to some more strings; only their lengths if these are new."""
    lengths = np.diff(offsets_and_bytes(strings)[0])
    varying = [0] * len(layout.common)
    found = layout.widened(varying, int(lengths.min()), int(lengths.max()))
    if found != layout:
        return found
    for start in range(0, len(strings), BLOCK_ROWS):
        for number, word in enumerate(_words(strings[start : start + BLOCK_ROWS], len(layout.common))):
            varying[number] |= int(np.bitwise_or.reduce(word ^ np.uint64(layout.common[number])))
    return layout.widened(varying, layout.shortest, layout.longest)


def _encode(layout: StringLayout, strings: pa.LargeStringArray, codes: CodesOfRows) -> None:
    codes[:] = 0
    into = {number: column for column, part in zip(codes, layout.parts, strict=True) for number in part}
    for number, word in enumerate(_words(strings, len(layout.varying))):
        mask = layout.varying[number]
        if mask:
            _append(into[number], _extract_bits(word, mask), mask.bit_count())
    if layout.length_bits:
        offsets, _ = offsets_and_bytes(strings)
        _append(into[len(layout.varying)], (np.diff(offsets) - layout.shortest).view(np.uint64), layout.length_bits)


def strings_of(layout: StringLayout, codes: Sequence[Words]) -> pa.LargeStringArray:
    """Return the strings of codes."""
    count = len(codes[0])
    lengths = full_array(count, layout.shortest, np.int64)
    if layout.length_bits:
        lengths += (codes[-1] & np.uint64((1 << layout.length_bits) - 1)).view(np.int64)
    offsets = new_array(count + 1, np.int64)
    offsets[0] = 0
    np.cumsum(lengths, out=offsets[1:])
    if compiled.should_compile_text(count):
        from akdask.operators.keys.string_code_loops import strings_of as strings_compiled

        return strings_compiled(codes, layout, offsets)
    text = new_array(int(offsets[-1]), np.uint8)
    for start in range(0, count, BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, count)
        target = text[offsets[start] : offsets[stop]]
        padded = _decode(layout, [column[start:stop].copy() for column in codes])
        if layout.length_bits:
            np.compress((np.arange(layout.longest) < lengths[start:stop, np.newaxis]).ravel(), padded, out=target)
        else:
            target.reshape(padded.shape)[:] = padded
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text))


def _decode(layout: StringLayout, columns: Sequence[Words]) -> NumberArray:
    """Return the bytes of some strings, one below the other; overwrites the codes."""
    words = np.empty((len(columns[0]), len(layout.varying)), ">u8")
    words[:] = layout.common
    for column, part in zip(columns, layout.parts, strict=True):
        for number in reversed(part):
            if number == len(layout.varying):
                _remove(column, layout.length_bits)
                continue
            mask = layout.varying[number]
            bits = _spread(column & np.uint64((1 << mask.bit_count()) - 1), mask)
            bits |= np.uint64(layout.common[number] & ~mask)
            words[:, number] = bits
            _remove(column, mask.bit_count())
    return words.view(np.uint8)[:, : layout.longest]


def _words(strings: pa.LargeStringArray, count: int) -> Iterator[Words]:
    """Yield 8 bytes of each string at a time, with the first byte in the highest place, and 0 after the end."""
    offsets, text = offsets_and_bytes(strings)
    # Room for a word that begins at the end of the last string.
    text = np.concatenate([text, np.zeros(BYTES * (count + 1), np.uint8)])
    starts, lengths = offsets[:-1] - offsets[0], np.diff(offsets)
    shortest, longest = int(lengths.min()), int(lengths.max())
    for number in range(count):
        first = BYTES * number
        if shortest == longest:
            # Strings at equal distances need no look-up one by one.
            words = np.ndarray(len(starts), ">u8", text, first, (shortest,)).astype(np.uint64)
        else:
            windows = np.ndarray(len(text) - first - BYTES + 1, ">u8", text, first, (1,))
            words = windows[starts].astype(np.uint64)
        if shortest == longest < first + BYTES:
            words &= LEADING_BYTES[max(longest - first, 0)]
        elif shortest < first + BYTES:
            words &= LEADING_BYTES[np.clip(lengths - first, 0, BYTES)]
        yield words


LEADING_BYTES = np.array([(1 << 64) - (1 << 8 * (8 - count)) for count in range(9)], np.uint64)
"""For the number of remaining bytes of a string, the mask of their places in a word."""


def _append(codes: Words, more: Words, bits: int) -> None:
    """Append bits to the codes, in place; NumPy leaves shifts by a whole word undefined."""
    if bits < WORD_BITS:
        np.left_shift(codes, np.uint64(bits), out=codes)
    np.bitwise_or(codes, more, out=codes)


def _remove(codes: Words, bits: int) -> None:
    """Take the lowest bits off the codes, in place."""
    if bits < WORD_BITS:
        np.right_shift(codes, np.uint64(bits), out=codes)


def _extract_bits(words: Words, mask: int) -> Words:
    """Move the bits of a mask side by side to the right, in place."""
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
    """Move bits from the right to the places of a mask, in place: the inverse of `_extract_bits`."""
    moving = np.empty_like(bits)
    for step, moved in reversed(list(enumerate(moves(mask)))):
        if moved:
            np.bitwise_and(bits, np.uint64(moved >> (1 << step)), out=moving)
            bits ^= moving
            moving <<= np.uint64(1 << step)
            bits |= moving
    return bits


@dataclass(frozen=True, slots=True)
class EncodedStrings:
    """Strings as codes, which have the order of the strings' bytes.

    Parameters
    ----------
    form : StringLayout
        The layout of the strings.
    codes : sequence of ndarray of uint64
        The codes, the most significant first.
    """

    form: StringLayout
    codes: Sequence[Words]

    def __len__(self) -> int:
        return len(self.codes[0])

    def strings(self) -> pa.LargeStringArray:
        """Return the strings themselves."""
        return strings_of(self.form, self.codes)


class StringEncoder:
    """Encodes strings block by block, in a layout that is widened for new strings; no block need outlive the next.

    Parameters
    ----------
    nrows : int
        Number of all strings, as far as known.

    Examples
    --------
    >>> coding = StringEncoder(3)
    >>> coding.append(pa.array(["gate 07", "gate 11"], pa.large_string()))
    >>> coding.append(pa.array(["gate 7"], pa.large_string()))
    >>> coded = coding.finish()
    >>> len(coded.codes), coded.strings().to_pylist()
    (1, ['gate 07', 'gate 11', 'gate 7'])
    """

    def __init__(self, nrows: int) -> None:
        self._expected = nrows
        self._nrows = 0
        self._form: StringLayout | None = None
        self._codes = _reserve(0, 0)
        self._plain: StringsBuilder | None = None

    def append(self, strings: pa.LargeStringArray) -> None:
        """Append the rows of an array."""
        for start in range(0, len(strings), BLOCK_ROWS):
            block = strings if len(strings) <= BLOCK_ROWS else slice_rows(strings, start, start + BLOCK_ROWS)
            if self._plain is None and not self._write(block):
                self._plain = StringsBuilder(self._expected)
                if self._nrows:
                    self._plain.append(self._encoded(slice(self._nrows)).strings())
            if self._plain is not None:
                self._plain.append(block)
            self._nrows += len(block)

    def finish(self) -> EncodedStrings | pa.LargeStringArray:
        """Return all rows; as strings if there are none, or if some are too long for codes to pay."""
        if self._plain is None and self._nrows:
            return self._encoded(slice(self._nrows))
        return (self._plain or StringsBuilder(0)).finish()

    def _write(self, strings: pa.LargeStringArray) -> bool:
        """Write the codes of strings; return whether the layout fits them."""
        form = self._form or _form_of_first(strings)
        stop = self._nrows + len(strings)
        while form.longest <= LONGEST:
            self._widen(form, stop)
            needed = write_codes(form, strings, self._codes[:, self._nrows : stop])
            if needed == form:
                return True
            # Ascending numbers vary in one digit after the other, but not bit by bit.
            form = needed.with_digits() if self._nrows else needed
        return False

    def _widen(self, form: StringLayout, nrows: int) -> None:
        """Reserve space for the rows of a layout, and convert the existing codes to it."""
        if form == self._form and nrows <= self._codes.shape[1]:
            return
        codes = _reserve(len(form.parts), self._expected if nrows <= self._expected else 2 * nrows)
        for start in range(0, self._nrows, BLOCK_ROWS):
            rows = slice(start, min(start + BLOCK_ROWS, self._nrows))
            write_codes(form, self._encoded(rows).strings(), codes[:, rows])
        self._form, self._codes = form, codes

    def _encoded(self, rows: slice) -> EncodedStrings:
        assert self._form is not None, "rows have come"
        return EncodedStrings(self._form, list(self._codes[:, rows]))


def _reserve(parts: int, nrows: int) -> CodesOfRows:
    codes: CodesOfRows = new_array(parts * nrows, np.uint64).reshape(parts, nrows)
    return codes


def _form_of_first(strings: pa.LargeStringArray) -> StringLayout:
    _, text = offsets_and_bytes(strings[:1])
    return StringLayout.of(text.tobytes())
