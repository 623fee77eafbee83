"""A loop that looks for one delimiter in each string, and leaves the rest of it unread."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from akdask.columns.memory import new_array
from akdask.columns.strings import offsets_and_bytes
from akdask.compiler import compiled, read_only
from akdask.operators.keys.keys import Words
from akdask.operators.keys.loop_words import BYTES, NONE, ONE, WIDTH, Text, word_at
from akdask.operators.values.strings import ByteSets
from akdask.typing import NumberArray


def delimiter_starts(strings: pa.LargeStringArray, delimiter: bytes, times: int, *, from_right: bool) -> NumberArray:
    """Return where the delimiter of a number begins in each row, counted from the first byte of the first row.

    It is that of number `times`, from 1 on, of those that do not overlap, from the left or from the right; -1 where
    there are not as many.
    """
    offsets, text = offsets_and_bytes(strings)
    found = np.full(len(strings), -1, np.int64)
    pattern = read_only(np.frombuffer(delimiter, np.uint8))
    _find(read_only(offsets), read_only(text), pattern, times, -1 if from_right else 1, found)
    return found


@compiled
def _find(offsets: NumberArray, text: Text, pattern: Text, times: int, step: int, found: NumberArray) -> None:
    size, length, first = len(pattern), np.uint64(len(pattern)), pattern[0]
    for row in range(len(found)):
        start, last, left = offsets[row] - offsets[0], offsets[row + 1] - offsets[0] - size, times
        at = start if step > 0 else last
        while start <= at <= last:
            # Without a sign, as a negative one would count from the end.
            place = np.uint64(at)
            if text[place] != first:
                at += step
                continue
            inner = ONE
            while inner < length and text[place + inner] == pattern[inner]:
                inner += ONE
            if inner < length:
                at += step
                continue
            left -= 1
            if left == 0:
                found[row] = at
                break
            at += step * size


CHUNK = 2**12
"""Positions that are compared at a time."""


def contain(strings: pa.LargeStringArray, sets: ByteSets) -> npt.NDArray[np.bool_]:
    """Return which strings contain bytes of some sets, one or more, one after the other; one set has a single byte."""
    offsets, text = offsets_and_bytes(strings)
    found = np.zeros(len(strings), np.bool_)
    if len(sets) <= len(text):
        # Where two places fit, both of one byte alone if possible, the others are looked at.
        single = np.flatnonzero(sets.sum(axis=1) == 1)
        positions = single[[0, -1]].astype(np.uint64)
        bytes_there = sets[single[[0, -1]]].argmax(axis=1).astype(np.uint8)
        _find_bytes(read_only(offsets.view(np.uint64)), read_only(text), read_only(sets), positions, bytes_there, found)
    return found


@compiled
def _find_bytes(
    offsets: Words, text: Text, sets: ByteSets, positions: Words, wanted: Text, found: npt.NDArray[np.bool_]
) -> None:
    """Mark the strings that contain bytes of the sets: all are compared where two places fit."""
    size = np.uint64(len(sets))
    nplaces = np.uint64(len(text)) - size + ONE
    front, back = positions[0], positions[1]
    first, last = wanted[0], wanted[1]
    fits = np.zeros(CHUNK + WIDTH, np.uint8)
    row = NONE
    for start in range(NONE, nplaces, np.uint64(CHUNK)):
        count = min(np.uint64(CHUNK), nplaces - start)
        for position in range(count):
            at = start + position
            fits[position] = np.uint8(text[at + front] == first) & np.uint8(text[at + back] == last)
        fits[count : count + BYTES] = 0
        for eight in range(NONE, count, BYTES):
            if word_at(fits, eight) == NONE:
                continue
            for position in range(start + eight, start + eight + BYTES):
                if fits[position - start]:
                    while offsets[row + ONE] - offsets[0] <= position:
                        row += ONE
                    same = position + size <= offsets[row + ONE] - offsets[0]
                    inner = NONE
                    while same and inner < size:
                        same = sets[inner, text[position + inner]] != 0
                        inner += ONE
                    if same:
                        found[row] = True


def from_ascii(strings: pa.LargeStringArray) -> NumberArray | None:
    """Return strings as NumPy's; None where not all of them are ASCII."""
    offsets, text = offsets_and_bytes(strings)
    if text.view(np.int8).min(initial=0) < 0:
        return None
    longest = max(int(np.diff(offsets).max(initial=0)), 1)
    characters = new_array(len(strings) * longest, np.uint32).reshape(len(strings), longest)
    _widen(read_only(offsets), read_only(text), characters)
    return characters.view(f"U{longest}").ravel()


@compiled
def _widen(offsets: NumberArray, text: Text, characters: npt.NDArray[np.uint32]) -> None:
    """Write the bytes of each string to a row."""
    for row in range(len(characters)):
        start, length = offsets[row] - offsets[0], offsets[row + 1] - offsets[row]
        for place in range(length):
            characters[row, place] = text[start + place]
        for place in range(length, characters.shape[1]):
            characters[row, place] = 0
