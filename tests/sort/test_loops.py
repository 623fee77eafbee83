"""Loops of sorts, each beside what NumPy gives, for lengths around those of their steps."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.operators.keys.keys import LAST, word
from akdask.operators.sort import loops

pytestmark = pytest.mark.light

RANDOM = np.random.default_rng(0)


@pytest.mark.parametrize("nwords", [1, 2, 3])
@pytest.mark.parametrize("sizes", [[], [1], [2], [31, 32, 33], [33], [1, 40, 1, 2], [32], [5, 5, 5]], ids=str)
def test_rows_of_small_groups_are_ordered_and_large_ones_are_left_unless_they_are_equal(sizes, nwords):
    groups = np.repeat(np.arange(len(sizes)), sizes).astype(np.uint64)
    for most in (1, 3, 2**63):
        words = RANDOM.integers(0, most, (nwords, len(groups)), np.uint64)
        order, left = np.arange(len(groups)), np.ones(len(groups), bool)
        wanted = np.lexsort([*words[::-1], groups]) if len(groups) else order
        are_left = [
            size > 32 and len(np.unique(words[:, groups == number], axis=1)[0]) > 1 for number, size in enumerate(sizes)
        ]
        expected_left = np.repeat(are_left, sizes).astype(bool)
        assert loops.order_few(groups, words, order, left) == expected_left.sum()
        assert left.tolist() == expected_left.tolist()
        assert order.tolist() == np.where(expected_left, np.arange(len(groups)), wanted).tolist()


@pytest.mark.parametrize("count", [0, 1, 4, 5, 6, 11, 255])
@pytest.mark.parametrize("nrows", [0, 1, 511, 512, 513, 1100])
def test_words_are_numbered_by_the_splitters_that_are_no_larger(count, nrows):
    for most in (9, 2**64):
        splitters = np.sort(RANDOM.integers(0, most, count, np.uint64))
        words = RANDOM.integers(0, most, nrows, np.uint64)
        numbers, beyond = np.zeros(nrows, np.uint8), np.zeros(count, np.uint64)
        for flipped in (0, 2**64 - 1, 2**63):
            compared = words ^ np.uint64(flipped)
            beyond[:] = 3
            loops.number_words(words, flipped, splitters, numbers, beyond)
            assert numbers.tolist() == np.searchsorted(splitters, compared, "right").tolist()
            assert beyond.tolist() == [3 + int((compared >= splitter).sum()) for splitter in splitters]


def test_keys_are_packed_above_their_row_numbers():
    words, rows = np.array([5, 2**40, 2**63], np.uint64), np.array([0, 3, 7])
    for low, lost, shift in ((0, 0, 3), (5, 2, 3), (1, 1, 10), (5, 0, 0)):
        full, packed = np.zeros(3, np.uint64), np.zeros(3, np.uint64)
        loops.pack_rows(words, low, lost, shift, rows, full, packed)
        assert full.tolist() == [int(one) - low for one in words]
        assert packed.tolist() == [
            ((int(one) - low >> lost) << shift) % 2**64 | row for one, row in zip(words, rows.tolist(), strict=True)
        ]


@pytest.mark.parametrize("flipped", [0, 2**64 - 1])
@pytest.mark.parametrize("dtype", [np.int64, np.float64])
@pytest.mark.parametrize("nrows", [0, 1, 2, 7, 100])
def test_numbers_are_found_in_slots_of_which_some_are_cut_into_ranges(dtype, flipped, nrows):
    values = RANDOM.integers(-50, 50, nrows).astype(dtype)
    bits = values.view(np.uint64) if dtype == np.float64 else values.view(np.uint64) ^ np.uint64(2**63)
    words = word(values, 0, not flipped)
    low = int(words.min(initial=LAST)) if nrows else 0
    low += 1 if nrows > 2 else 0  # words below the lowest count as it
    span = max(int(words.max(initial=0)) - low - (1 if nrows > 2 else 0), 0)
    shift = max(span.bit_length() - 3, 0)
    slots = (span >> shift) + 1
    shifts = np.where(np.arange(slots) % 2, max(shift - 1, 0), shift).astype(np.uint8)
    sizes = 1 << (shift - shifts.astype(int))
    firsts = (np.cumsum(sizes) - sizes).astype(np.uint16)
    numbers, counts = np.zeros(nrows, np.uint16), np.zeros((int(sizes.sum()), 2), np.int64)
    loops.find_ranges(bits, flipped, dtype == np.float64, low, span, shift, firsts, shifts, numbers, counts)
    expected = []
    for one in words.tolist():
        distance = min(max(one, low) - low, span)
        slot = distance >> shift
        expected.append(int(firsts[slot]) + ((distance & ((1 << shift) - 1)) >> int(shifts[slot])))
    assert numbers.tolist() == expected
    assert counts.sum(axis=1).tolist() == np.bincount(expected, minlength=len(counts)).tolist()


@pytest.mark.parametrize("nwords", [1, 2, 3])
def test_rows_that_begin_as_a_splitter_go_before_or_behind_it(nwords):
    words = RANDOM.integers(0, 3, (nwords, 60), np.uint64)
    splitters = RANDOM.integers(0, 3, (nwords, 7), np.uint64)
    rows = RANDOM.integers(0, 60, 7)
    order = np.lexsort([rows, *splitters[::-1]])
    splitters, rows = np.ascontiguousarray(splitters[:, order]), rows[order]
    for first in (0, 5):
        numbers = np.searchsorted(splitters[0], words[0], "right").astype(np.uint8)
        counts = np.zeros(8, np.int64)
        loops.number_equals(words, splitters, rows, first, numbers, counts)
        marks = [(*splitters[:, number].tolist(), int(rows[number])) for number in range(7)]
        keys = [(*words[:, row].tolist(), first + row) for row in range(60)]
        expected = [sum(mark <= key for mark in marks) for key in keys]
        assert numbers.tolist() == expected
        assert counts.tolist() == np.bincount(expected, minlength=8).tolist()


@pytest.mark.parametrize("number", [np.uint8, np.uint16])
@pytest.mark.parametrize("value", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_values_are_written_range_by_range(number, value):
    numbers = RANDOM.integers(0, 5, 50).astype(number)
    values = np.arange(50).astype(value)
    starts = np.cumsum([0, *np.bincount(numbers, minlength=5)[:-1]]).astype(np.uint64)
    out = np.zeros(50, value)
    loops.write_ranges(numbers, values, starts, out)
    assert out.tolist() == values[np.argsort(numbers, kind="stable")].tolist()
    assert starts.tolist() == np.cumsum(np.bincount(numbers, minlength=5)).tolist()
