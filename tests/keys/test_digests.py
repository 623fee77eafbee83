from __future__ import annotations

import math
import struct

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.strings import offsets_and_bytes
from akdask.operators.keys.hashing import DIGEST_OPERATIONS, digests

VECTORS = [
    "a3817f04ba25a8e66df67214c7550293",
    "da87c1d86b99af44347659119b22fc45",
    "8177228da4a45dc7fca38bdef60affe4",
    "9c70b60c5267a94e5f33b6b02985ed51",
]
"""What the authors of SipHash publish for the bytes 0, 1, 2, …, of which there are 0, 1, 2 and 3."""


def both_halves(contents):
    strings = pa.array(contents, pa.large_binary())
    offsets, data = offsets_and_bytes(strings)
    return list(zip(*(digests(offsets - offsets[0], data, part).tolist() for part in (0, 1)), strict=True))


def test_hashes_are_those_that_are_published():
    found = both_halves([bytes(range(count)) for count in range(len(VECTORS))])
    assert [b"".join(half.to_bytes(8, "little") for half in halves).hex() for halves in found] == VECTORS


def reference(content):
    """SipHash-2-4 with 128 bits, on integers of Python, as the paper's figures have it."""
    mask = 2**64 - 1
    k0, k1 = (int.from_bytes(bytes(range(first, first + 8)), "little") for first in (0, 8))
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def rotated(word, bits):
        return ((word << bits) | (word >> (64 - bits))) & mask

    def rounds(count):
        for _ in range(count):
            for one, two, first, second in ((0, 1, 13, 32), (2, 3, 16, 0), (0, 3, 21, 0), (2, 1, 17, 32)):
                v[one] = (v[one] + v[two]) & mask
                v[two] = rotated(v[two], first) ^ v[one]
                v[one] = rotated(v[one], second) if second else v[one]

    end = len(content) // 8 * 8
    words = [int.from_bytes(content[start : start + 8], "little") for start in range(0, end, 8)]
    for word in (*words, int.from_bytes(content[end:], "little") | (len(content) & 255) << 56):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    halves = []
    for place, mark in ((2, 0xEE), (1, 0xDD)):
        v[place] ^= mark
        rounds(4)
        halves.append(v[0] ^ v[1] ^ v[2] ^ v[3])
    return tuple(halves)


@given(st.lists(st.binary(max_size=40) | st.binary(min_size=250, max_size=270)))
def test_hashes_are_those_of_siphash(contents):
    assert both_halves(contents) == [reference(content) for content in contents]


def test_chunks_of_rows_and_slices_do_not_show():
    words = [f"{number:x}" * (number % 5) for number in range(20_000)]
    strings = pa.array(words, pa.large_string())[100:]
    offsets, data = offsets_and_bytes(strings)
    found = digests(offsets - offsets[0], data, 1)
    for row in (0, 7, 16_383, 16_384, 19_899):
        assert found[row] == reference(words[row + 100].encode())[1]


@given(st.lists(st.tuples(st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats()), min_size=1), st.integers(0, 1))
def test_numbers_are_hashed_by_their_bytes_and_text_from_its_first_byte(rows, part):
    numbers, flags, floats = (np.array(column) for column in zip(*rows, strict=True))
    found = DIGEST_OPERATIONS["number_hash"].kernel(numbers, flags, floats, part=part)
    packed = [struct.pack("<qqd", row[0], row[1], math.nan if math.isnan(row[2]) else row[2] + 0.0) for row in rows]
    assert found.tolist() == [reference(content)[part] for content in packed]
    text = [str(row) for row in rows]
    found = DIGEST_OPERATIONS["text_hash"].kernel(pa.array(["x", *text], pa.large_string())[1:], part=part)
    assert found.tolist() == [reference(content.encode())[part] for content in text]
