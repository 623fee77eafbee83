"""Loops look at no row, and write no number, behind those that they are given."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.operators.group import loops

GIVEN, ROOM = 1000, 1300
RANDOM = np.random.default_rng(11)
GROUPS = RANDOM.integers(0, 50, ROOM)
WORDS = RANDOM.integers(0, 2**63, ROOM).astype(np.uint64)
FLOATS = np.where(GROUPS % 9, RANDOM.normal(size=ROOM), np.nan)
INTEGERS = RANDOM.integers(-(2**62), 2**62, ROOM)


def first(array):
    """Return the given rows of an array that goes on with others like them."""
    return array[:GIVEN]


def room(value, dtype=np.int64):
    """Return an array to write to, and what lies behind it."""
    array = np.full(ROOM, value, dtype)
    return array[:50], array[50:]


REDUCED = {
    loops.add_at: (0, np.add),
    loops.minimum_at: (2**62, np.minimum),
    loops.maximum_at: (-(2**62), np.maximum),
    loops.fmin_at: (np.nan, np.fmin),
    loops.fmax_at: (np.nan, np.fmax),
}


@pytest.mark.parametrize("codes", [GROUPS, GROUPS.astype(np.int32)], ids=["int64", "int32"])
def test_rows_are_reduced_by_the_groups_that_they_have(codes):
    for loop, (start, ufunc) in REDUCED.items():
        for values in (FLOATS,) if np.isnan(start) else (FLOATS, INTEGERS):
            found, behind = room(start, values.dtype)
            loop(first(codes), first(values), found)
            wanted, _ = room(start, values.dtype)
            with np.errstate(invalid="ignore"):
                ufunc.at(wanted, first(GROUPS), first(values))
            np.testing.assert_array_equal(found, wanted)
            assert len(set(behind.tolist())) == 1 or np.isnan(behind).all()
    counts, behind = room(0)
    loops.count_at(first(codes), counts)
    loops.count_rows(first(codes) + 7, 7, counts)
    assert counts.tolist() == (2 * np.bincount(first(GROUPS))).tolist()
    assert not behind.any()


@pytest.mark.parametrize("values", [FLOATS, INTEGERS], ids=["float64", "int64"])
def test_sums_counts_and_extremes_of_few_groups_are_found_in_one_pass(values):
    known = first(~np.isnan(values.astype(float)))
    kept, groups = first(values)[known], first(GROUPS)[known]
    sums = np.zeros(50, values.dtype)
    np.add.at(sums, groups, kept)
    sizes = np.bincount(first(GROUPS))
    extremes = [[ufunc(kept[groups == group]) for group in range(50) if group in groups] for ufunc in (np.min, np.max)]
    for loop, width in ((loops.add_values, 1), (loops.count_and_add, 2), (loops.count_and_compare, 4)):
        slots, nans = np.zeros((60, width), values.dtype), np.zeros(60, np.int64)
        slots[:, 2:3], slots[:, 3:] = 2**62, -(2**62)
        loop(first(GROUPS) + 7, 7, first(values), slots.reshape(-1)[: 50 * width], nans[:50])
        assert slots[:50, 0].tolist() == pytest.approx(sums.tolist())
        assert nans[:50].tolist() == np.bincount(first(GROUPS)[~known], minlength=50).tolist()
        if width > 1:
            assert slots[:50, 1].tolist() == sizes.tolist()
        for place, wanted in zip(range(2, width), extremes, strict=False):
            assert slots[np.unique(groups), place].tolist() == wanted
        assert not slots[50:, :2].any()
        assert not nans[50:].any()


@pytest.mark.parametrize("dtype", [np.uint64, np.uint32, np.uint16, np.uint8])
def test_rows_are_moved_to_their_groups_in_order(dtype):
    values = np.arange(ROOM).astype(dtype)
    order = np.argsort(first(GROUPS), kind="stable")
    ends = np.cumsum(np.bincount(first(GROUPS)))
    for start in range(9):
        # The first line of memory begins elsewhere each time.
        for loop in ("arrange", "partition"):
            target, places = np.full(ROOM, 77, dtype), np.append(0, ends)
            into = target[start : start + GIVEN]
            if loop == "arrange":
                loops.arrange(first(GROUPS), first(values), places[:-1], into)
            else:
                loops.partition(first(GROUPS).astype(np.uint16), places[:-1], first(values), into)
            assert into.tolist() == first(values)[order].tolist()
            assert places.tolist() == [*ends, ends[-1]]
            assert set(target[:start]) | set(target[start + GIVEN :]) == {77}


def test_slices_are_the_leading_bits_of_words():
    slices = np.full(ROOM, 9, np.uint16)
    loops.lead(first(WORDS), 50, 3, first(slices))
    assert first(slices).tolist() == [((word >> 50) - 3) % 2**16 for word in first(WORDS).tolist()]
    assert set(slices[GIVEN:]) == {9}


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.int16])
def test_keys_are_encoded_where_all_lie_within(dtype):
    keys, codes = GROUPS.astype(dtype), np.full(ROOM, 3, np.int32)
    assert loops.encode(first(keys), 0, 50, 100, codes)
    assert first(codes).tolist() == (300 + first(GROUPS)).tolist()
    assert set(codes[GIVEN:]) == {3}
    assert not loops.encode(first(keys), 0, 49, 0, codes)
    assert not loops.encode(first(keys), 1, 50, 0, codes)
