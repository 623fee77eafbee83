"""Rows numbered by their keys, or by their hashes where that takes too many moves."""

from collections import Counter
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.bigint import from_limbs, to_ints
from akdask.operators.group.grouping import Grouping, _number_sorted, number_rows
from akdask.operators.group.loops import sort_ties

# Two words whose first fits beside the row numbers are packed together, others are compared one by one.
WORDS = {"close": st.integers(-2, 2), "far": st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])}
PATTERNS = [("far",), ("close", "far"), ("far", "close"), ("far", "far"), ("close", "far", "close"), ("far",) * 3]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_each_word_of_a_key_tells_rows_apart(pattern):
    words = {"close": (2, -2, 0), "far": (-(2**63), 2**63 - 1, -1, 0)}
    check_numbered(list(product(*map(words.get, pattern)))[::-1] * 2)


@given(
    st.sampled_from(PATTERNS).flatmap(
        lambda kinds: st.lists(st.tuples(*map(WORDS.get, kinds)), min_size=1, max_size=60)
    )
)
def test_rows_are_numbered_in_the_order_of_keys_of_several_words(rows):
    check_numbered(rows)


def check_numbered(rows):
    codes, firsts = number_rows(
        [np.array(column, np.int64) for column in zip(*rows, strict=True)], np.empty(len(rows), np.int32)
    )
    distinct = sorted(set(rows))
    assert codes.count == len(distinct)
    assert [distinct[code] for code in codes.codes.tolist()] == rows
    assert firsts.tolist() == [rows.index(key) for key in distinct]


@pytest.mark.parametrize("distinct", [1, 3, 700, 5000])
def test_repeated_words_are_numbered_as_by_a_sort_of_all(distinct):
    rng = np.random.default_rng(distinct)
    words = rng.choice(rng.integers(0, 2**64, distinct, np.uint64), 5000)
    values, first, wanted = np.unique(words, return_index=True, return_inverse=True)
    for number in (lambda codes: number_rows([words], codes), lambda codes: _number_sorted([words], codes)):
        codes, firsts = number(np.empty(len(words), np.int32))
        assert codes.count == len(values)
        assert codes.codes.tolist() == wanted.tolist()
        assert firsts.tolist() == first.tolist()


def test_keys_whose_last_bits_decide_are_numbered_right():
    # Beside row numbers there is no room for the bits in which neighbours differ.
    keys = np.array([2**63 - 1, 5, 4, 5, 4, -(2**63), 5], np.int64)
    codes, firsts = number_rows([keys], np.empty(len(keys), np.int32))
    assert codes.codes.tolist() == [3, 2, 1, 2, 1, 0, 2]
    assert firsts.tolist() == [5, 2, 1, 0]


@pytest.mark.parametrize("ties", [3, 200])
@pytest.mark.parametrize("shift", [0, 50])
def test_few_rows_with_the_same_leading_bits_are_moved_to_their_places_and_many_are_left_to_hashing(shift, ties):
    # Further bits descend within each run of equal leading ones, so that every row of it has to be moved; the first
    # word fits beside row numbers or not, and then there is a third.
    rows = np.arange(3000)
    runs, further = rows // ties << shift, (rows == 0) * 2**62 + 2**61 - rows // 2
    words = [column.astype(np.uint64) for column in ([runs, rows % 2 << 62, further] if shift else [runs, further])]
    assert (_number_sorted(words, np.empty(3000, np.int32)) is None) == (ties == 200)
    codes, firsts = number_rows(words, np.empty(3000, np.int32))
    keys = list(zip(*[column.tolist() for column in words], strict=True))
    distinct = sorted(set(keys))
    assert [distinct[code] for code in codes.codes.tolist()] == keys
    assert firsts.tolist() == [keys.index(key) for key in distinct]


def test_ties_of_few_rows_are_sorted_and_those_of_many_are_left_to_hashing():
    for count, is_done in ((4, True), (9, True), (10, False), (100, False)):
        packed = np.arange(count, dtype=np.uint64)
        rest = packed[::-1].copy()
        assert sort_ties(packed, 8, rest) is is_done
        if is_done:
            assert packed.tolist() == list(range(count))[::-1]


@pytest.mark.parametrize("repeats", [1, 40], ids=["distinct", "repeated"])
def test_values_of_several_words_group_by_their_ranks_where_they_repeat(repeats):
    rng = np.random.default_rng(repeats)
    count = 20_000 // repeats
    texts = [f"https://{rng.integers(10**9):09d}.org/{rng.integers(10**9)}?{number}" for number in range(count)]
    rows = rng.permutation(np.repeat(np.arange(len(texts)), repeats))
    other = rng.integers(0, 3, len(rows))
    strings = pa.array(texts, pa.large_string()).take(rows)
    values = from_limbs(np.stack([2**60 + rows, rows % 7], axis=1).astype(np.uint64))
    for wide, plain in ((strings, strings.to_pylist()), (values, to_ints(values))):
        grouping = Grouping([wide, other])
        wanted = sorted(set(zip(plain, other.tolist(), strict=True)))
        found = to_ints(grouping.keys[0]) if wide is values else grouping.keys[0].to_pylist()
        assert list(zip(found, grouping.keys[1].tolist(), strict=True)) == wanted
        (sizes,) = grouping.reduce(lambda groups, values: [(groups.sizes(),)], [other])
        counts = Counter(zip(plain, other.tolist(), strict=True))
        assert sizes[0].tolist() == [counts[key] for key in wanted]


def test_keys_of_many_wide_words_are_numbered_by_their_hashes():
    # Ranks of all of them do not fit one word beside row numbers.
    rng = np.random.default_rng(0)
    distinct = rng.integers(0, 2**64, (5, 1000), np.uint64, endpoint=False)
    distinct[:4] >>= np.uint64(1)
    distinct[0, 500:] = distinct[0, :500]
    rows = rng.integers(0, 1000, 5000)
    words = [column.take(rows) for column in distinct]
    codes, firsts = number_rows([*words, *words[::-1]], np.empty(5000, np.int32))
    keys = list(zip(*[column.tolist() for column in words], strict=True))
    known = sorted(set(keys))
    assert [known[code] for code in codes.codes.tolist()] == keys
    assert firsts.tolist() == [keys.index(key) for key in known]
