"""Codes of strings: integers in the order of the strings, made of only the bits in which the strings differ.

A layout tells which bits these are. Codes sort like the strings, and convert back to them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from operator import or_
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.arrow import numpy_numbers
from akdask.columns.memory import full_array, new_array
from akdask.columns.strings import MARGIN, StringsBuilder, offsets_and_bytes, with_margin
from akdask.columns.table import decoded, is_encoded, slice_rows
from akdask.deferred import pa
from akdask.operators.keys import loops, tuning
from akdask.operators.keys.keys import WORD_BITS, Words
from akdask.records import record

CodesOfRows: TypeAlias = npt.NDArray[np.uint64]
"""The codes of some rows, of shape (codes, rows)."""

Positions: TypeAlias = npt.NDArray[np.int32]
"""Positions of rows among the strings of a dictionary."""

BYTES = 8
"""Bytes of a word."""

HALVES, LOWEST_BITS = 0x0F0F0F0F0F0F0F0F, 0x0101010101010101
"""The lower half of each byte of a word, and its lowest bit."""


@record
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


LONGEST = MARGIN - BYTES
"""Most bytes of strings that are encoded: the loops read whole words."""


def write_codes(layout: StringLayout, strings: pa.LargeStringArray, codes: CodesOfRows, start: int = 0) -> StringLayout:
    """Write the codes of strings, at least one, if they fit the layout.

    Parameters
    ----------
    layout : StringLayout
        The bits of the codes.
    strings : large_string array
        If one is longer than `LONGEST`, nothing is written.
    codes : ndarray of uint64, shape (parts, rows)
        Filled from row `start` on, the most significant first.

    Returns
    -------
    StringLayout
        The same, or a wider one, nearer to theirs; then the written codes are invalid.
    """
    arrays = _layout_arrays(layout)
    odd = np.empty(len(layout.common), np.uint64)
    for first, offsets, text in with_margin(strings):
        shortest, longest, fits = loops.encode(
            offsets,
            text,
            layout.shortest,
            layout.longest,
            arrays.common,
            arrays.varying,
            arrays.moves,
            arrays.bits,
            arrays.into,
            codes,
            start + first,
            odd,
        )
        if not fits:
            return layout.widened(odd.tolist(), shortest, longest)
    return layout


class LayoutArrays(NamedTuple):
    """A layout as the loops take it."""

    common: Words
    varying: Words
    moves: Words
    """The bits of each word that move right by 1, 2, 4, … places, of shape (words, steps)."""
    bits: Words
    """The varying bits of each word, and last of the lengths."""
    into: Words
    """The number of the code that they go to."""
    bits_below: Words
    """The bits of the same code that are below those of a word."""


@lru_cache(64)
def _layout_arrays(layout: StringLayout) -> LayoutArrays:
    # They are made once: threads wait for each other meanwhile.
    bits = layout.word_bits
    into, bits_below = np.zeros(len(bits), np.uint64), np.zeros(len(bits), np.uint64)
    for code, part in enumerate(layout.parts):
        into[part] = code
        for number in part:
            bits_below[number] = sum(bits[later] for later in part if later > number)
    steps = [moves(mask) for mask in layout.varying]
    common, varying, moved, widths = (
        np.array(column, np.uint64) for column in (layout.common, layout.varying, steps, bits)
    )
    return LayoutArrays(common, varying, moved, widths, into, bits_below)


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
    for start in range(0, len(strings), tuning.BLOCK_ROWS):
        block, known = slice_rows(strings, start, start + tuning.BLOCK_ROWS), None
        while layout != known and layout.longest <= LONGEST:
            # The loop that writes codes also finds the bits that the layout lacks.
            known, codes = layout, np.empty((len(layout.parts), len(block)), np.uint64)
            layout = write_codes(layout, block, codes)
        if layout.longest > LONGEST:
            return None
    return layout


def codes_of(strings: pa.LargeStringArray, layout: StringLayout) -> CodesOfRows:
    """Return the codes of strings of a layout, the most significant first.

    Examples
    --------
    >>> strings = pa.array(["gate 07", "gate 11", "gate 01"], pa.large_string())
    >>> codes_of(strings, StringLayout((0x6761746520303700,), (0x070700,), 7, 7)).tolist()
    [[7, 9, 1]]
    """
    codes: CodesOfRows = new_array(len(layout.parts) * len(strings), np.uint64).reshape(len(layout.parts), -1)
    for start in range(0, len(strings), tuning.BLOCK_ROWS):
        write_codes(layout, slice_rows(strings, start, start + tuning.BLOCK_ROWS), codes, start)
    return codes


def strings_of(layout: StringLayout, codes: Sequence[Words]) -> pa.LargeStringArray:
    """Return the strings of codes."""
    count = len(codes[0])
    lengths = full_array(count, layout.shortest, np.int64)
    if layout.length_bits:
        lengths += (codes[-1] & np.uint64((1 << layout.length_bits) - 1)).view(np.int64)
    offsets = new_array(count + 1, np.int64)
    offsets[0] = 0
    np.cumsum(lengths, out=offsets[1:])
    arrays = _layout_arrays(layout)
    text = new_array(int(offsets[-1]) + BYTES, np.uint8)
    loops.decode(
        # Most strings have one code, which is not copied.
        np.stack(codes) if len(codes) > 1 else np.ascontiguousarray(codes[0]).reshape(1, -1),
        arrays.varying,
        arrays.moves,
        arrays.bits,
        arrays.into,
        arrays.common & ~arrays.varying,
        arrays.bits_below,
        offsets.view(np.uint64),
        text,
    )
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(text[:-BYTES]))


@record
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

    def append(self, strings: pa.LargeStringArray | pa.DictionaryArray) -> None:
        """Append the rows of an array; of positions in a dictionary, its strings are encoded, unless they are more."""
        if is_encoded(strings):
            is_short = 0 < len(strings.dictionary) <= len(strings)
            if self._plain is None and is_short and self._write(strings.dictionary):
                self._append_positions(len(strings.dictionary), numpy_numbers(strings.indices))
                return
            strings = decoded(strings)
        for start in range(0, len(strings), tuning.BLOCK_ROWS):
            block = (
                strings if len(strings) <= tuning.BLOCK_ROWS else slice_rows(strings, start, start + tuning.BLOCK_ROWS)
            )
            if self._plain is None and not self._write(block):
                self._plain = StringsBuilder(self._expected)
                if self._nrows:
                    self._plain.append(self._encoded(slice(self._nrows)).strings())
            if self._plain is not None:
                self._plain.append(block)
            self._nrows += len(block)

    def _append_positions(self, known: int, positions: Positions) -> None:
        """Append rows at positions among the strings whose codes have been written behind the last row."""
        assert self._form is not None, "codes have been written"
        begin, stop = self._nrows, self._nrows + len(positions)
        codes = self._codes[:, begin : begin + known].copy()
        self._widen(self._form, stop)
        np.take(codes, positions, axis=1, out=self._codes[:, begin:stop], mode="clip")
        self._nrows = stop

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
            needed = write_codes(form, strings, self._codes, self._nrows)
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
        for start in range(0, self._nrows, tuning.BLOCK_ROWS):
            rows = slice(start, min(start + tuning.BLOCK_ROWS, self._nrows))
            write_codes(form, self._encoded(rows).strings(), codes, start)
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
