"""Strings as integers in the order of their bytes, made of nothing but the bits in which they differ.

The layout tells which bits these are.  Codes order like the strings, and the strings can be made of them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from akdask.columns import full_array, new_array, offsets_and_bytes, slice_rows
from akdask.deferred import pa
from akdask.kernels import compiled
from akdask.kernels.core.string_layout import BYTES, CodesOfRows, StringLayout, moves
from akdask.kernels.core.words import WORD_BITS, Words
from akdask.typing import NumberArray

LONGEST = 64
"""Bytes of strings up to which it pays to look at all of them before anything is compared."""

BLOCK_ROWS = 2**15
"""Rows whose words stay in the core's cache."""


def write_codes(layout: StringLayout, strings: pa.LargeStringArray, codes: CodesOfRows) -> StringLayout:
    """Write the codes of strings, at least one, if they fit the layout.

    Parameters
    ----------
    layout : StringLayout
        Which bits make up the codes.
    strings : large_string array
        None longer than `LONGEST`, or nothing is written.
    codes : ndarray of uint64, shape (parts, rows)
        Filled, the most significant first.

    Returns
    -------
    StringLayout
        The same, or a wider one, nearer to theirs; then what has been written means nothing.
    """
    if compiled.should_compile_text(len(strings)):
        from akdask.kernels.compiled.keys.string_codes import write_codes as write_compiled

        return write_compiled(strings, layout, codes)
    found = _widened(layout, strings)
    if found == layout:
        for start in range(0, len(strings), BLOCK_ROWS):
            block = strings[start : start + BLOCK_ROWS]
            _encode(layout, block, codes[:, start : start + len(block)])
    return found


def layout_of(strings: pa.LargeStringArray, layout: StringLayout | None = None) -> StringLayout | None:
    """Return the layout of strings, at least one, and of those of another layout; None if any is too long.

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
    """Return the layout, or a wider one, nearer to that of some more strings."""
    if not compiled.should_compile_text(len(strings)):
        return _widened(layout, strings)
    # The loop that writes codes is the one that finds what they lack.
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
    """Return the layout of some more strings; only as to their lengths if these are new."""
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
        from akdask.kernels.compiled.keys.string_codes import strings_of as strings_compiled

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
    """Return the bytes of some strings, one below the other; the codes are used up."""
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
            words &= LEADING_BYTES[max(longest - first, 0)]
        elif shortest < first + BYTES:
            words &= LEADING_BYTES[np.clip(lengths - first, 0, BYTES)]
        yield words


LEADING_BYTES = np.array([(1 << 64) - (1 << 8 * (8 - count)) for count in range(9)], np.uint64)
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


def _extract_bits(words: Words, mask: int) -> Words:
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
    """Return bits from the right at the places of a mask, in place: what `_extract_bits` does, backwards."""
    moving = np.empty_like(bits)
    for step, moved in reversed(list(enumerate(moves(mask)))):
        if moved:
            np.bitwise_and(bits, np.uint64(moved >> (1 << step)), out=moving)
            bits ^= moving
            moving <<= np.uint64(1 << step)
            bits |= moving
    return bits
