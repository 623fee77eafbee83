"""Loops of joins, each beside what NumPy gives, for lengths around those of their steps."""

from __future__ import annotations

import numpy as np
import pytest

from akdask.operators.join import loops

pytestmark = pytest.mark.light

RANDOM = np.random.default_rng(0)
LENGTHS = [0, 1, 2, 15, 16, 17, 100]


@pytest.mark.parametrize("low", [0, 7, 2**64 - 40])
@pytest.mark.parametrize("nslots", [1, 7, 8, 9, 40])
def test_cells_of_close_keys_are_marked_and_looked_up(low, nslots):
    cells = np.unique(RANDOM.integers(0, nslots, 10))
    words = (cells.astype(np.uint64) + np.uint64(low)).astype(np.uint64)
    bits = np.zeros(nslots // 8 + 1, np.uint8)
    loops.mark(words, low, bits)
    assert np.flatnonzero(np.unpackbits(bits, bitorder="little")).tolist() == cells.tolist()
    wanted = np.arange(-3, nslots + 30).astype(np.uint64) + np.uint64(low)
    found = np.zeros(len(wanted), bool)
    loops.look_up_bits(wanted, low, nslots, bits, found)
    assert found.tolist() == np.isin(wanted, words).tolist()
    with pytest.raises(ValueError, match="without a cell"):
        loops.mark(np.array([(low + 8 * len(bits)) % 2**64], np.uint64), low, bits)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("nslots", [1, 9, 70_000])
@pytest.mark.parametrize("count", LENGTHS)
def test_the_first_row_of_each_cell_is_found(dtype, nslots, count):
    low = 5
    words = RANDOM.integers(0, min(nslots, 50), count).astype(np.uint64) + np.uint64(low)
    rows = np.full(nslots + 1, -1, dtype)
    loops.put_rows(words, low, rows)
    firsts = {}
    for row, one in enumerate(words.tolist()):
        firsts.setdefault(one, row)
    expected = np.full(nslots + 1, -1)
    for one, row in firsts.items():
        expected[one - low] = row
    assert rows.tolist() == expected.tolist()
    edges = [0, low, low + nslots - 1, low + nslots, low + nslots + 9, 2**64 - 1]
    wanted = np.append(words, np.array(edges, np.uint64))
    found = np.zeros(len(wanted), np.int64)
    loops.look_up_rows(wanted, low, nslots, rows, found)
    assert found.tolist() == [firsts.get(one, -1) for one in wanted.tolist()]


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("low", [0, 7, 2**64 - 40])
@pytest.mark.parametrize("nslots", [1, 31, 32, 33, 64, 100_000, 1_100_000])
@pytest.mark.parametrize("order", ["ascending", "equal", "any"])
@pytest.mark.parametrize("count", LENGTHS)
def test_the_first_row_of_each_slot_is_found_by_the_slots_before_it(count, order, nslots, low, dtype):
    slots = RANDOM.integers(0, nslots, count)
    if order == "ascending":
        slots = np.unique(slots)
    elif order == "equal":
        slots.sort()
    words = slots.astype(np.uint64) + np.uint64(low)
    cells, rows = np.zeros(nslots // 32 + 1, np.uint64), np.full(len(words), -7, dtype)
    distinct, firsts = np.unique(slots, return_index=True)
    ascends = bool((np.diff(slots) > 0).all())
    assert loops.fill_cells(words, low, cells, rows) == (len(distinct), ascends)
    assert rows[: len(distinct)].tolist() == ([-7] * len(words) if ascends else firsts.tolist())
    bits = (cells[:, None] >> np.arange(32, dtype=np.uint64)) & np.uint64(1)
    assert np.flatnonzero(bits).tolist() == distinct.tolist()
    assert (cells >> np.uint64(32)).tolist() == np.searchsorted(distinct, 32 * np.arange(len(cells))).tolist()
    edges = np.array([-(2**40), -1, 0, nslots - 1, nslots, nslots + 31, 2**40])
    wanted = np.concatenate([slots, edges, RANDOM.integers(0, nslots, 200)])
    found = np.full(len(wanted), -7)
    given = rows[:0] if ascends else rows
    loops.look_up_cells(wanted.astype(np.uint64) + np.uint64(low), low, nslots, cells, given, found)
    known = dict(zip(distinct.tolist(), firsts.tolist(), strict=True))
    assert found.tolist() == [known.get(slot, -1) for slot in wanted.tolist()]


def test_slots_beyond_the_cells_are_refused():
    cells, rows = np.zeros(2, np.uint64), np.zeros(2, np.int32)
    loops.fill_cells(np.array([5, 68], np.uint64), 5, cells, rows)
    with pytest.raises(ValueError, match="without a cell"):
        loops.fill_cells(np.array([69], np.uint64), 5, cells, rows)
    with pytest.raises(ValueError, match="without a cell"):
        loops.look_up_cells(np.zeros(1, np.uint64), 5, 64, cells, rows, np.zeros(1, np.int64))
    cells[1] = np.uint64(2) << np.uint64(32) | np.uint64(1)
    with pytest.raises(ValueError, match="beyond the rows"):
        loops.look_up_cells(np.array([37], np.uint64), 5, 63, cells, rows, np.zeros(1, np.int64))
    with pytest.raises(ValueError, match="no room"):
        loops.fill_cells(np.zeros(3, np.uint64), 0, cells, rows)


@pytest.mark.parametrize("count", LENGTHS)
def test_rows_with_a_match_are_kept_with_their_positions(count):
    found = RANDOM.integers(-1, 2, count)
    positions, rows = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    matches = np.flatnonzero(found >= 0)
    assert loops.matched(found, positions, rows) == len(matches)
    assert positions[: len(matches)].tolist() == matches.tolist()
    assert rows[: len(matches)].tolist() == found[matches].tolist()


@pytest.mark.parametrize("keep_all", [False, True])
@pytest.mark.parametrize("nkeys", [1, 3, 100])
@pytest.mark.parametrize("nrows", [0, 1, 2, 63, 64, 65, 200])
@pytest.mark.parametrize("count", LENGTHS)
def test_rows_are_paired_with_those_put_together(count, nrows, nkeys, keep_all):
    keys = RANDOM.integers(0, nkeys, nrows)
    firsts = np.array([np.flatnonzero(keys == key)[0] for key in keys], np.int64)
    found = RANDOM.choice(np.append(np.unique(firsts), -1), count)
    starts, order = np.full(nrows + 2, -7), np.full(nrows, -7)
    loops.put_together(firsts, starts, order)
    assert order.tolist() == np.argsort(firsts, kind="stable").tolist()
    assert np.diff(starts)[:nrows].tolist() == np.bincount(firsts, minlength=nrows).tolist()
    pairs = [
        (row, match)
        for row, first in enumerate(found)
        for match in (np.flatnonzero(firsts == first) if first >= 0 else [-1] * keep_all)
    ]
    assert loops.count_pairs(found, starts, keep_all) == len(pairs)
    row = before = 0
    made = []
    while row < count:
        positions, rows = np.full(7, -7), np.full(7, -7)
        row, before, some = loops.pair_up(found, starts, order, keep_all, row, before, positions, rows)
        made += zip(positions[:some].tolist(), rows[:some].tolist(), strict=True)
        assert some == 7 or (row, before) == (count, 0)
    assert made == pairs


@pytest.mark.parametrize("nrows", [0, 1, 2, 3, 7, 8, 9, 100])
@pytest.mark.parametrize("count", LENGTHS)
def test_words_are_put_among_sorted_ones(nrows, count):
    for most in (5, 2**64):
        table = np.sort(RANDOM.integers(0, most, nrows, np.uint64))
        words = RANDOM.integers(0, most, count, np.uint64)
        if nrows and count > 2:
            words[:2] = table[0], table[-1]
        found = np.zeros(count, np.int64)
        for after, side in ((False, "left"), (True, "right")):
            loops.search_sorted(table, words, after, found)
            assert found.tolist() == np.searchsorted(table, words, side).tolist()
