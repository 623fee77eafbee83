"""Rows numbered by their keys, or by their hashes where that takes too many moves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.operators.group.grouping import _number_sorted, number_rows
from akdask.operators.group.loops import sort_ties

# Two words whose first fits beside the row numbers are packed together, others are compared one by one.
WORDS = {"close": st.integers(-2, 2), "far": st.sampled_from([-(2**63), -1, 0, 1, 2**63 - 1])}
PATTERNS = st.sampled_from(
    [("far",), ("close", "far"), ("far", "close"), ("far", "far"), ("close", "far", "close"), ("far",) * 3]
)


@given(PATTERNS.flatmap(lambda kinds: st.lists(st.tuples(*map(WORDS.get, kinds)), min_size=1, max_size=60)))
def test_rows_are_numbered_in_the_order_of_keys_of_several_words(rows):
    codes, firsts = number_rows(
        [np.array(column, np.int64) for column in zip(*rows, strict=True)], np.empty(len(rows), np.int32)
    )
    distinct = sorted(set(rows))
    assert codes.count == len(distinct)
    assert [distinct[code] for code in codes.codes.tolist()] == rows
    assert firsts.tolist() == [rows.index(key) for key in distinct]


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
