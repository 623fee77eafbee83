"""Strings numbered in the order in which they are met."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group import strategies, tuning
from akdask.operators.group.grouping import ranked
from akdask.operators.group.strategies import Dictionary
from akdask.operators.keys import tuning as key_tuning
from akdask.operators.keys.loops import move_strings
from akdask.operators.keys.tables import TextTable
from akdask.testing.strategies import strings_in_buffers

TEXT = st.text("ab", max_size=3) | st.text("ab\0", max_size=70) | st.text(max_size=10).filter(str.isprintable)


def texts_of(strings):
    return strings.cast(pa.large_binary()).to_pylist()


def check_numbers(blocks, limit=2**15):
    """Compare the numbers of each block with a dict's, up to the first block that makes too many known."""
    known, wanted = Dictionary(), {}
    with patch.object(tuning, "MOST_STRINGS", limit), patch.object(strategies, "are_too_many", return_value=False):
        for block in blocks:
            codes = known.codes(block)
            before = list(wanted)
            numbers = [wanted.setdefault(text, len(wanted)) for text in texts_of(block)]
            if len(wanted) > limit:
                assert codes is None
                assert texts_of(known.values) == before
                return
            assert codes.tolist() == numbers
            assert texts_of(known.values) == list(wanted)


@given(st.lists(strings_in_buffers(TEXT), max_size=6), st.integers(0, 40))
def test_strings_get_numbers_as_they_are_met_until_they_are_too_many(blocks, limit):
    check_numbers(blocks, limit)


def test_blocks_can_follow_one_that_had_too_many():
    known = Dictionary()
    with patch.object(tuning, "MOST_STRINGS", 2):
        assert known.codes(pa.array(["a"], pa.large_string())).tolist() == [0]
        assert known.codes(pa.array(["b", "c", "d"], pa.large_string())) is None
        assert known.codes(pa.array(["c", "a"], pa.large_string())).tolist() == [1, 0]
        assert known.values.to_pylist() == ["a", "c"]


@given(st.lists(st.lists(st.sampled_from([*"abcd", "ab"]), min_size=1, max_size=6), max_size=4))
def test_blocks_with_dictionaries_of_their_own_get_the_numbers_of_their_strings(blocks):
    known, wanted = Dictionary(), {}
    for block in blocks:
        encoded = pa.array(block, pa.large_string()).dictionary_encode()
        for text in encoded.dictionary.to_pylist():
            wanted.setdefault(text, len(wanted))
        assert known.codes(encoded).tolist() == [wanted[text] for text in block]
        assert known.values.to_pylist() == list(wanted)


@given(strings_in_buffers(TEXT))
def test_ranks_are_places_among_the_sorted_strings(strings):
    ranks, table = ranked(strings)
    plain = texts_of(strings)
    assert texts_of(table) == sorted(set(plain))
    assert [texts_of(table)[rank] for rank in ranks.tolist()] == plain


def test_tables_grow_with_strings_and_their_bytes():
    numbers = np.random.default_rng(0).integers(0, 30_000, 100_000)
    strings = pa.array([f"{number:b}" * (number % 3) + f"{number}" for number in numbers.tolist()], pa.large_string())
    check_numbers([strings[start : start + 10_000] for start in range(0, len(strings), 10_000)])


def test_short_strings_keep_their_numbers_among_long_ones():
    short = ["", "\0", "\0\0", "a", "a\0", "ab", "b\0\0a", "seven c", "8 chars.", "8 chars\0", "é"]
    long = ["9 chars..", "8 chars.\0", "a" * 16, "a" * 24, "a" * 25]
    check_numbers(
        [pa.array(some * (2**10 // len(some)), pa.large_string()) for some in (short, [*long, *short], short)]
    )


NUMBERED = [f"{number:08d}" for number in range(300)]
ALIKE = {
    "but for one word": [text for number in NUMBERED for text in (
        f"{number}the samethe end.", f"8 chars.{number}the end.", f"8 chars.the same{number}"
    )],
    "but for their length": [letter * length for letter in "a\0" for length in range(25)],
}  # fmt: skip


@pytest.mark.parametrize("texts", ALIKE.values(), ids=ALIKE)
def test_strings_that_are_alike_have_numbers_of_their_own(texts, monkeypatch):
    # Of so few slots, strings often meet in one.
    monkeypatch.setattr(key_tuning, "FEWEST_KEYS", 2**2)
    strings = pa.array(texts, pa.large_string())
    check_numbers([strings[::2], strings, strings[::-1]])


@pytest.mark.parametrize("rows", [2, 3])
def test_strings_of_a_dictionary_become_known_unless_they_are_more_than_the_rows(rows):
    known = Dictionary()
    strings = pa.array(["unused", "a", "b"], pa.large_string())
    encoded = pa.DictionaryArray.from_arrays(pa.array([2, 1, 2][:rows], pa.int32()), strings)
    codes = known.codes(encoded).tolist()
    wanted = strings.to_pylist() if rows == 3 else ["b", "a"]
    assert known.values.to_pylist() == wanted
    assert [wanted[code] for code in codes] == encoded.to_pylist()


def test_hundreds_of_thousands_of_long_strings_that_differ_in_the_middle_have_numbers_of_their_own():
    texts = pa.array([f"sixteen letters,{number:012d}the end." for number in range(400_000)], pa.large_string())
    assert np.array_equal(TextTable().numbers(texts, len(texts)), np.arange(len(texts)))


def test_entries_that_meet_in_a_larger_table_take_the_next_free_slots():
    # Hashes begin alike, so that all belong to the last slot, and the search goes on at the first.
    entries = np.array([2**64 - 1 - number for number in range(3)], np.uint64)
    slots = np.concatenate([entries, np.zeros(1, np.uint64)])
    into = np.zeros(8, np.uint64)
    move_strings(slots, into)
    assert into[[7, 0, 1]].tolist() == entries.tolist()
    assert np.count_nonzero(into) == 3


def folded(word):
    return word ^ word >> 32


def test_long_strings_with_equal_hashes_and_tags_are_compared_to_their_middle():
    # What the hash is after 16 bytes, without what the last word gives; see `hash_of` in loops.cpp.
    first, last = 0x6161616161616161, 0x7A7A7A7A7A7A7A7A
    factors = 0x9E3779B97F4A7C15, 0xD6E8FEB86659FD93, 0xA24BAED4963EE407
    found = 40 + sum(folded(word) * factor for word, factor in zip((first, first, last), factors, strict=True))

    def text(middle):
        # The second word of the middle undoes what the first one has done.
        mixed = (folded(found % 2**64) ^ middle) * factors[1] % 2**64
        words = first, first, middle, folded(mixed), last
        return b"".join(word.to_bytes(8, "little") for word in words)

    texts = [text(middle) for middle in (1, 2, 1, 3, 2)]
    offsets = np.arange(0, 41 * 5, 40)
    strings = pa.LargeStringArray.from_buffers(5, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts)))
    table = TextTable()
    assert table.numbers(strings, 5).tolist() == [0, 1, 0, 2, 1]
    assert len({slot >> 32 for slot in table._slots.tolist() if slot}) == 1
