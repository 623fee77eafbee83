from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from akdask.operators.keys.keys import LAST, word
from akdask.operators.sort.kernels import argsort, sort_values
from akdask.operators.sort.ranges import FineRanges, ValueRanges

NAN_OF_OTHER_BITS = np.array([0xFFF8000000000007, 0x7FF8000000000001], np.uint64).view(np.float64).tolist()
FLOATS = st.sampled_from([0.0, -0.0, np.nan, *NAN_OF_OTHER_BITS, np.inf, -np.inf, 1.5]) | st.floats()
ITEMS = {
    "int64": st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2),
    "uint64": st.integers(0, 2**64 - 1) | st.sampled_from([0, 2**64 - 1]),
    "uint8": st.integers(0, 255),
    "bool": st.booleans(),
    "float64": FLOATS,
}


@st.composite
def parts(draw):
    dtype = draw(st.sampled_from(sorted(ITEMS)))
    given_parts = draw(st.lists(st.lists(ITEMS[dtype], max_size=9), min_size=1, max_size=4))
    return [np.array(items, dtype) for items in given_parts]


def bits(values):
    return values.view(f"u{values.itemsize}").tolist()


@given(parts(), st.booleans())
@example([np.array([0.0, -0.0, *NAN_OF_OTHER_BITS, 0.0, -0.0])], False)
@example([np.array([-0.0]), np.array([0.0] * 40 + [-0.0] * 40)], True)
def test_sorted_values_are_those_that_a_permutation_gives_to_the_last_bit(given_parts, ascending):
    values = np.concatenate(given_parts)
    found = sort_values(given_parts, ascending, np.empty_like(values))
    assert bits(found) == bits(values[argsort([values], [ascending])])


@given(parts(), st.booleans(), st.lists(st.integers(0, 40), max_size=5), st.integers(0, 9))
def test_values_are_split_where_their_keys_and_row_numbers_say(given_parts, ascending, chosen, first):
    values = np.concatenate(given_parts)
    rows = np.array([row % max(len(values), 1) for row in chosen] if len(values) else [], np.int64)
    # Splitters are rows of some partition: in order of their keys, and then of their numbers.
    rows = rows[np.lexsort([rows, word(values[rows], 0, ascending)])]
    ranges = ValueRanges(values[rows], rows + first, ascending)
    found, bounds = ranges.split(values, first)
    keys = list(zip(word(values, 0, ascending).tolist(), range(len(values)), strict=True))
    numbers = [sum(keys[row] <= key for row in rows.tolist()) for key in keys]
    order = sorted(range(len(values)), key=numbers.__getitem__)
    assert bits(found) == bits(values[order])
    assert bounds == [
        0,
        *[sum(number < wanted for number in numbers) for wanted in range(1, len(rows) + 1)],
        len(values),
    ]


CLOSE = [np.array([2**62, 2**62 + 1, -(2**62)] * 9 + list(range(30)))]
"""Values some of which lie far apart, and most too close for slots of equal width."""


@given(
    parts(), st.booleans(), st.lists(st.integers(0, 40), min_size=1, max_size=9), st.integers(1, 3), st.integers(0, 9)
)
@example(CLOSE, True, [0, 1, 1, 27, 30, 31, 40, 2], 3, 4)
@example([np.array([5, 5, 5]), np.array([5] * 9)], False, [1, 2, 2, 7, 11], 2, 0)
@example([np.array([0.0, np.nan, -0.0]), np.array([-0.0, 0.0, -np.nan])], True, [0, 1, 3, 4, 5], 2, 3)
def test_finer_ranges_begin_where_ranges_do_and_make_the_same_order(given_parts, ascending, chosen, within, first):
    given_parts = [part for part in given_parts if part.itemsize == 8]
    values = np.concatenate(given_parts) if given_parts else np.empty(0)
    rows = np.array([row % max(len(values), 1) for row in chosen] if len(values) else [], np.int64)
    rows = rows[: len(rows) // within * within + within - 1]
    if len(rows) < within:
        return
    rows = rows[np.lexsort([rows, word(values[rows], 0, ascending)])]
    exact = rows[within - 1 :: within]
    wanted, wanted_bounds = ValueRanges(values[exact], exact + first, ascending).split(values, first)
    found, bounds = FineRanges(values[rows], rows + first, within, ascending).split(given_parts, first)
    assert [item[0] for item in bounds] + [bounds[-1][-1]] == wanted_bounds
    assert [item[-1] for item in bounds[:-1]] == [item[0] for item in bounds[1:]]
    for fine, start, stop in zip(bounds, wanted_bounds, wanted_bounds[1:], strict=False):
        ordered = [
            sort_values([found[a:b]], ascending, np.empty(b - a, values.dtype)) for a, b in pairwise(fine) if b > a
        ]
        whole = sort_values([wanted[start:stop]], ascending, np.empty(stop - start, values.dtype))
        assert bits(np.concatenate([whole[:0], *ordered])) == bits(whole)


@pytest.mark.parametrize("scale", [1, 2**40, -(2**50)])
def test_fine_ranges_have_about_the_values_between_two_splitters(scale):
    values = np.random.default_rng(0).permutation(1000) * scale
    splitters = np.arange(10, 1000, 10) * scale
    ranges = FineRanges(splitters, np.zeros(99, np.int64), 20, ascending=scale > 0)
    _, bounds = ranges.split([values[:300], values[300:]], 0)
    assert [fine[0] for fine in bounds] == [0, 200, 400, 600, 800]
    for fine in bounds:
        assert 0 <= min(np.diff(fine)) <= max(np.diff(fine)) <= 2 * 10


def test_ranges_of_frequent_values_are_not_to_be_cut():
    words = np.arange(99)
    rows = np.zeros(99, np.int64)
    assert FineRanges(words, rows, 25, True).is_cut_quickly
    assert FineRanges(np.where(words > 80, 80, words), rows, 25, True).is_cut_quickly
    assert not FineRanges(np.where(words > 60, 60, words), rows, 25, True).is_cut_quickly
    assert not FineRanges(np.where(words > 60, 2**62, 0) + words, rows, 25, True).is_cut_quickly


@pytest.mark.parametrize("ascending", [True, False])
def test_the_last_of_all_words_is_split_by_row_numbers_too(ascending):
    values = np.full(5, np.iinfo(np.int64).max if ascending else np.iinfo(np.int64).min)
    assert word(values, 0, ascending)[0] == LAST
    _, bounds = ValueRanges(values[:1], np.array([13]), ascending).split(values, 10)
    assert bounds == [0, 3, 5]
