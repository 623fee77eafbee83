"""Forms of strings and their codes, by compiled loops: what ``texts.Form`` holds, as the arrays that these take."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from akdask.kernels.compiled.texts import decode, differences, encode
from akdask.kernels.compiled.words import WIDTH, readable
from akdask.kernels.keys import Words
from akdask.kernels.texts import Form, moves
from akdask.typing import NumberArray


def differing(strings: pa.LargeStringArray, common: Sequence[int]) -> tuple[int, ...]:
    """Return the bits in which the words of any string differ from given ones, the first byte in the highest place."""
    same = np.array(common, np.uint64).byteswap()
    varying = np.zeros_like(same)
    for _, offsets, text in readable(strings):
        differences(offsets, text, same, varying)
    return tuple(varying.byteswap().tolist())


def codes_of(strings: pa.LargeStringArray, form: Form) -> list[Words]:
    """Return the codes of each of the strings of a form."""
    codes = np.zeros((len(form.parts), len(strings)), np.uint64)
    layout = _layout(form)
    for first, offsets, text in readable(strings):
        encode(offsets, text, np.uint64(form.shortest), *layout, codes[:, first:])
    return list(codes)


def strings_of(codes: Sequence[Words], form: Form, offsets: NumberArray) -> pa.LargeStringArray:
    """Return the strings of codes, given where to put them."""
    text = np.empty(int(offsets[-1]) + WIDTH, np.uint8)
    common = np.array([word & ~mask for word, mask in zip(form.common, form.varying, strict=True)], np.uint64)
    decode(np.stack(codes), *_layout(form), common, _behind(form), offsets.view(np.uint64), text)
    return pa.LargeStringArray.from_buffers(len(offsets) - 1, pa.py_buffer(offsets), pa.py_buffer(text[:-WIDTH]))


def _layout(form: Form) -> tuple[Words, Words, Words, Words]:
    """Return the mask of each word and how its bits come together, and how many of them go to which code."""
    into = np.zeros(len(form.word_bits), np.uint64)
    for code, part in enumerate(form.parts):
        into[part] = code
    steps = [moves(mask) for mask in form.varying]
    return np.array(form.varying, np.uint64), np.array(steps, np.uint64), np.array(form.word_bits, np.uint64), into


def _behind(form: Form) -> Words:
    """Return how many bits of the same code are behind those of each word."""
    behind = np.zeros(len(form.word_bits), np.uint64)
    for part in form.parts:
        for number in part:
            behind[number] = sum(form.word_bits[later] for later in part if later > number)
    return behind
