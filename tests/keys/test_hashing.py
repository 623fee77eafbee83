from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.keys import tuning
from akdask.operators.keys.hashing import bucket_order, buckets_of, hash_rows, is_exact
from akdask.testing.strategies import DTYPES, columns, strings_in_buffers

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=10) | st.text("ab\0", max_size=70)


def as_column(plain):
    return pa.array(plain.tolist(), pa.large_string()) if plain.dtype.kind == "U" else plain


def as_key(item):
    return "nan" if isinstance(item, float) and np.isnan(item) else item


@st.composite
def some_columns(draw):
    rows = draw(st.integers(0, 20))
    return [draw(columns(dtype, rows)) for dtype in draw(st.lists(st.sampled_from(DTYPES), min_size=1, max_size=3))]


@given(some_columns())
def test_rows_have_equal_hashes_where_they_are_equal(plain):
    hashes = hash_rows([as_column(column) for column in plain]).tolist()
    keys = [tuple(map(as_key, row)) for row in zip(*[column.tolist() for column in plain], strict=True)]
    assert len(set(zip(keys, hashes, strict=True))) == len(set(keys)) == len(set(hashes))


@given(st.sampled_from([dtype for dtype in DTYPES if dtype != "str"]).flatmap(columns))
def test_single_numbers_are_told_apart_by_their_hashes(plain):
    assert is_exact([plain])
    assert len(set(hash_rows([plain]).tolist())) == len({as_key(item) for item in plain.tolist()})


def mixed(word):
    word = word * 0x9E3779B97F4A7C15 % 2**64
    word = (word ^ word >> 32) * 0xD6E8FEB86659FD93 % 2**64
    return word ^ word >> 32


def hash_of(text):
    """The hash of some bytes, on integers of Python: words of 7 bytes, each with the number of bytes that are left."""
    found = 0
    for start in range(0, max(len(text), 1), 7):
        word = int.from_bytes(text[start : start + 7].ljust(7, b"\0"), "big") << 8 | min(len(text) - start, 8)
        found = mixed(found * 0x9E3779B97F4A7C15 % 2**64 ^ word)
    return found


@given(strings_in_buffers(TEXT))
def test_strings_are_hashed_by_words_wherever_they_lie(strings):
    assert hash_rows([strings]).tolist() == [hash_of(text) for text in strings.cast(pa.large_binary()).to_pylist()]


@pytest.mark.parametrize("length", range(71))
def test_strings_of_any_length_are_hashed_up_to_the_end_of_the_buffer(length):
    text = bytes(range(1, 1 + length))
    bounds = np.array([0, length, 2 * length])
    strings = pa.LargeStringArray.from_buffers(2, pa.py_buffer(bounds), pa.py_buffer(text * 2))
    assert hash_rows([strings]).tolist() == [hash_of(text)] * 2


@given(st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**63, 2**64 - 1]))
def test_numbers_are_mixed(number):
    assert hash_rows([np.array([number], np.uint64)]).tolist() == [mixed(number)]


def test_blocks_do_not_show(monkeypatch):
    text = pa.array([f"{number:030d}"[: number % 31] for number in range(100)], pa.large_string())
    whole = hash_rows([text, np.arange(100)])
    monkeypatch.setattr(tuning, "BLOCK_ROWS", 7)
    assert hash_rows([text, np.arange(100)]).tolist() == whole.tolist()


def test_slices_of_strings_hash_like_copies_of_them():
    text = pa.array(["", "a", "long enough for several words", "a\0", "a"], pa.large_string())
    assert hash_rows([text[2:]]).tolist() == hash_rows([text]).tolist()[2:]
    assert len(set(hash_rows([text]).tolist())) == 4


def test_leading_bits_differ_for_numbers_that_are_close_together():
    slots = hash_rows([np.arange(1000)]) >> np.uint64(48)
    assert len(np.unique(slots)) > 980
    assert not is_exact([np.arange(2), np.arange(2)])


@given(st.lists(st.sampled_from(["a", "b", "é", "", "long enough for several words"]), max_size=40), st.integers(1, 9))
def test_equal_rows_meet_in_one_bucket_in_order(texts, count):
    order, bounds = bucket_order(buckets_of(hash_rows([pa.array(texts, pa.large_string())]), count), count)
    assert sorted(order.tolist()) == list(range(len(texts)))
    buckets = [order[start:stop].tolist() for start, stop in pairwise(bounds)]
    assert len(buckets) == count
    assert all(rows == sorted(rows) for rows in buckets)
    found = [{texts[row] for row in rows} for rows in buckets]
    assert sum(map(len, found)) == len(set(texts))


def test_buckets_hold_about_as_many_rows_each():
    _, bounds = bucket_order(buckets_of(hash_rows([np.arange(10_000)]), 10), 10)
    assert all(900 < stop - start < 1100 for start, stop in pairwise(bounds))
