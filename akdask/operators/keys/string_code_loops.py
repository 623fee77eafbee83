"""String codes by compiled loops, which take what `StringLayout` holds as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import pyarrow as pa

from akdask.columns.memory import new_array
from akdask.operators.keys.keys import Words
from akdask.operators.keys.loop_words import WIDTH, readable
from akdask.operators.keys.string_codes import CodesOfRows, StringLayout, moves
from akdask.operators.keys.string_loops import decode, encode
from akdask.typing import NumberArray

FORMS = 64
"""Forms whose arrays are kept: threads wait for each other while they are made, for every block of strings."""


def write_codes(strings: pa.LargeStringArray, form: StringLayout, codes: CodesOfRows) -> StringLayout:
    """Write the codes of strings of a form; return it, or a wider one if any are not of it."""
    bounds = np.uint64(form.shortest), np.uint64(form.longest)
    common, layout = _common(form), _layout(form)
    for first, offsets, text in readable(strings):
        odd = np.empty(len(common), np.uint64)
        shortest, longest, fits = encode(offsets, text, *bounds, common, *layout, codes[:, first:], odd)
        if not fits:
            return form.widened(odd.tolist(), int(shortest), int(longest))
    return form


def strings_of(codes: Sequence[Words], form: StringLayout, offsets: NumberArray) -> pa.LargeStringArray:
    """Return the strings of codes, given where to put them."""
    text = new_array(int(offsets[-1]) + WIDTH, np.uint8)
    fixed = _common(form) & ~np.array(form.varying, np.uint64)
    decode(np.stack(codes), *_layout(form), fixed, _bytes_left(form), offsets.view(np.uint64), text)
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(text[:-WIDTH]))


@lru_cache(FORMS)
def _common(form: StringLayout) -> Words:
    return np.array(form.common, np.uint64)


@lru_cache(FORMS)
def _layout(form: StringLayout) -> tuple[Words, Words, Words, Words]:
    """Return the mask of each word and how its bits come together, and how many of them go to which code."""
    into = np.zeros(len(form.word_bits), np.uint64)
    for code, part in enumerate(form.parts):
        into[part] = code
    steps = [moves(mask) for mask in form.varying]
    return np.array(form.varying, np.uint64), np.array(steps, np.uint64), np.array(form.word_bits, np.uint64), into


def _bytes_left(form: StringLayout) -> Words:
    """Return how many bits of the same code are behind those of each word."""
    left = np.zeros(len(form.word_bits), np.uint64)
    for part in form.parts:
        for number in part:
            left[number] = sum(form.word_bits[later] for later in part if later > number)
    return left
