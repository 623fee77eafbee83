import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.storage.manifest import Checksum, checksum

CHUNK_WORDS = 2**10
"""XXH3 goes over stripes and blocks of fewer words than these."""


# From the test vectors of xxHash, for a seed of 0.
KNOWN = {0: 0x2D06800538D394C2}


def test_the_checksum_is_the_published_one_of_xxh3():
    assert {size: checksum(np.zeros(size, np.uint8)) for size in KNOWN} == KNOWN


@given(st.data())
def test_how_the_bytes_are_cut_makes_no_difference(data):
    size = data.draw(st.sampled_from([0, 7, 64, 1000, 8 * CHUNK_WORDS - 3, 8 * CHUNK_WORDS + 3, 16 * CHUNK_WORDS]))
    raw = np.random.default_rng(size).integers(0, 256, size).astype(np.uint8)
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=6)))
    found = Checksum()
    for start, stop in zip([0, *cuts], [*cuts, size], strict=True):
        found.add(raw[start:stop])
    assert found.value == checksum(raw)


@given(st.binary(min_size=1, max_size=200), st.data())
def test_a_flipped_bit_a_lost_byte_and_an_added_zero_show(raw, data):
    position = data.draw(st.integers(0, len(raw) - 1))
    flipped = bytearray(raw)
    flipped[position] ^= 1 << data.draw(st.integers(0, 7))
    others = [bytes(flipped), raw[:position] + raw[position + 1 :], raw + b"\0"]
    known = checksum(np.frombuffer(raw, np.uint8))
    assert known not in [checksum(np.frombuffer(other, np.uint8)) for other in others]


def test_words_that_change_places_show():
    words = np.random.default_rng(1).integers(0, 2**63, 3 * CHUNK_WORDS)
    swapped = words.copy()
    swapped[[3, 2 * CHUNK_WORDS + 3]] = words[[2 * CHUNK_WORDS + 3, 3]]
    within = words.copy()
    within[[4, 5]] = words[[5, 4]]
    assert len({checksum(words), checksum(swapped), checksum(within)}) == 3
