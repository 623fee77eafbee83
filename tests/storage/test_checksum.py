import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from akdask.storage.checksum import CHUNK_WORDS, Checksum, checksum


def as_defined(raw):
    """The definition, in Python's integers: chunks of weighted words, then the rest, then the length."""
    modulus, factor = 2**64, 0x9E3779B97F4A7C15

    def weight(position):
        mixed = (position + 1) * factor % modulus
        mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9 % modulus
        mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EB % modulus
        return (mixed ^ mixed >> 31) | 1

    words = [int.from_bytes(raw[at : at + 8], "little") for at in range(0, len(raw) - len(raw) % 8, 8)]
    found = 0
    for start in range(0, len(words) - len(words) % CHUNK_WORDS, CHUNK_WORDS):
        chunk = words[start : start + CHUNK_WORDS]
        found = (found * factor + sum(weight(k) * word for k, word in enumerate(chunk))) % modulus
    last = words[len(words) - len(words) % CHUNK_WORDS :]
    found = found * factor + sum(weight(k) * word for k, word in enumerate(last))
    rest = int.from_bytes(raw[len(raw) - len(raw) % 8 :], "little")
    return ((found * factor + rest * weight(0)) * factor + len(raw)) % modulus


@given(st.binary(max_size=100))
def test_the_checksum_is_as_defined(raw):
    assert checksum(np.frombuffer(raw, np.uint8)) == as_defined(raw)


def test_the_checksum_of_several_chunks_is_as_defined():
    raw = np.random.default_rng(0).bytes(8 * CHUNK_WORDS * 2 + 1003)
    assert checksum(np.frombuffer(raw, np.uint8)) == as_defined(raw)


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
