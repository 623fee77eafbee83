"""Partial tables are split at the keys that their samples say, and few of their rows are merged beforehand."""

from __future__ import annotations

import sys
from bisect import bisect_left
from itertools import chain

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.bigint import from_ints
from akdask.columns.table import Table
from akdask.operators.group import plan, strategies, tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.plan import TableSamples, _choose, _merge_few, _sample, _split_all
from akdask.operators.group.strategies import (
    DenseTable,
    GroupTable,
    KeySplitters,
    TableSample,
    choose_splitters,
    merge_dense_tables,
)

SIZES = Aggregation(1, (AggregationStep("size", ()),))
GOLDEN = (5**0.5 - 1) / 2


@pytest.fixture(autouse=True)
def split_few(monkeypatch):
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(tuning, "CHUNK_SLOTS", 4)


def table_of(keys, sizes=None):
    """Return the table of groups of some keys, of as many rows each."""
    counts = np.array([1] * len(keys) if sizes is None else sizes, np.int64)
    return SIZES.table([np.array(keys, np.int64)], [(counts,)])


def columns_of(table):
    return [column.tolist() for column in table.columns.values()]


@pytest.mark.parametrize(
    ("nrows", "most", "number", "expected"),
    [
        # Rows begin at the fraction of (number + 1/2) golden ratios, in steps of rows / samples.
        (10, 3, 0, [1, 4, 7]),
        (10, 3, 1, [3, 6, 9]),
        (10, 3, 2, [1, 5, 8]),
        (9, 9, 1, list(range(9))),
        (2, 9, 0, [0, 1]),
        (0, 9, 0, []),
        (1000, 1, 4, [int((4.5 * GOLDEN) % 1 * 1000)]),
    ],
)
def test_samples_are_evenly_spaced_and_begin_elsewhere_in_each_table(nrows, most, number, expected):
    table = table_of(range(nrows))
    found = GroupTable(table).sample(1, most, number)
    assert found.nrows == nrows
    assert [key.tolist() for key in found.keys] == [expected]
    both = GroupTable(Table({0: table.columns[0], 1: -table.columns[0]}, nrows)).sample(2, most, number)
    assert [key.tolist() for key in both.keys] == [expected, [-key for key in expected]]


@pytest.mark.parametrize(
    ("samples", "count", "expected"),
    [
        ([(8, [0, 2, 4, 6])], 4, [0, 2, 4]),
        ([(8, [0, 2, 4, 6])], 2, [2]),
        ([(8, [0, 2, 4, 6])], 1, []),
        # Each of the first table stands for ten rows, each of the second for one.
        ([(30, [1, 2, 3]), (3, [10, 11, 12])], 3, [2, 3]),
        ([(3, [1, 2, 3]), (30, [10, 11, 12])], 3, [10, 11]),
        ([(0, []), (8, [0, 2, 4, 6])], 2, [2]),
        ([(4, [5, 5, 5, 9])], 4, [5, 5, 5]),
    ],
)
def test_splitters_are_the_sampled_keys_below_which_equal_shares_of_all_rows_are(samples, count, expected):
    made = [TableSample(nrows, [np.array(keys, np.int64)]) for nrows, keys in samples]
    assert choose_splitters(made, count).keys == [[key] for key in expected]


@pytest.mark.parametrize(("few", "expected"), [(7, [[2]]), (8, []), (9, [])])
def test_few_rows_are_not_split(monkeypatch, few, expected):
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", few)
    assert choose_splitters([TableSample(8, [np.array([0, 2, 4, 6])])], 2).keys == expected


KEYS = {
    "numbers": (np.array([0, 1, 1, 1, 4, 9]), [0, 1, 1, 1, 4, 9]),
    "text": (pa.array(["", "b", "b", "b", "é", "z"], pa.large_string()), [b"", b"b", b"b", b"b", b"z", "é".encode()]),
    "wide": (from_ints([-(2**70), 1, 1, 1, 2**64, 2**80]), [-(2**70), 1, 1, 1, 2**64, 2**80]),
}


@pytest.mark.parametrize("kind", KEYS)
def test_ranges_begin_at_the_first_row_that_is_not_below_their_splitter(kind):
    column, plain = KEYS[kind]
    if kind == "text":
        column = pa.array(["", "b", "b", "b", "z", "é"], pa.large_string())
    again = np.array([0, 0, 1, 1, 0, 0])
    rows = list(zip(plain, again.tolist(), strict=True))
    for splitter in rows:
        assert strategies._search([column], splitter[:1]) == bisect_left(plain, splitter[0])
        assert strategies._search([column, again], splitter) == bisect_left(rows, splitter)
        assert strategies._search([column, again], (splitter[0], 2)) == bisect_left(rows, (splitter[0], 2))


def test_surplus_ranges_are_empty_and_ranges_never_go_back():
    table = table_of([1, 3, 5, 7])
    assert KeySplitters([[3], [6]]).bounds(table, 3, 1).tolist() == [0, 1, 3, 4]
    assert KeySplitters([[3]]).bounds(table, 4, 1).tolist() == [0, 1, 4, 4, 4]
    assert KeySplitters([]).bounds(table, 2, 1).tolist() == [0, 4, 4]
    assert KeySplitters([[6], [3]]).bounds(table, 3, 1).tolist() == [0, 3, 3, 4]
    parts = KeySplitters([[3]]).split_table(table, 3, 1)
    assert [part.columns[0].tolist() for part in parts] == [[1], [3, 5, 7], []]


def dense(low, sizes):
    """Return the dense table of keys from `low` on that have so many rows."""
    counts = np.array(sizes)
    return DenseTable(SIZES, np.dtype(np.int64), low, counts > 0, [(counts,)])


def test_dense_tables_are_split_at_keys():
    made = dense(8, [1, 0, 2, 3, 0, 0, 0, 5])
    assert (made.nrows, made.high, made.__sizeof__()) == (8, 16, 8 + 8 * 8)
    assert made.sample(1, 2, 0).keys[0].tolist() == [8, 11]
    assert made.sample(1, 9, 0).nrows == 4
    for start, stop, low, expected in (
        (9, 12, 9, [0, 2, 3]), (-np.inf, 10, 8, [1, 0]), (15, np.inf, 15, [5]), (0, 0, 8, []), (90, 99, 16, []),
    ):  # fmt: skip
        part = made.between(start, stop)
        assert (part.low, part.states[0][0].tolist(), part.occupied.tolist()) == (
            low,
            expected,
            [size > 0 for size in expected],
        )
    parts = made.split(KeySplitters([[10], [15]]), 5, 1)
    assert [part.states[0][0].tolist() for part in parts] == [[1, 0], [2, 3, 0, 0, 0], [5], [], []]
    own = made.own()
    assert (own.low, own.dtype, own.occupied.tolist()) == (8, made.dtype, made.occupied.tolist())
    assert not np.shares_memory(own.occupied, made.occupied)
    assert not np.shares_memory(own.states[0][0], made.states[0][0])


@pytest.mark.parametrize(
    ("tables", "expected"),
    [
        ([(0, [1, 0, 2, 3])], {0: 1, 2: 2, 3: 3}),
        ([(0, [1, 0, 2, 3]), (4, [0, 1, 0, 0])], {0: 1, 2: 2, 3: 3, 5: 1}),
        ([(4, [0, 1, 0, 0]), (0, [1, 0, 2, 3, 1, 1, 0, 1])], {0: 1, 2: 2, 3: 3, 4: 1, 5: 2, 7: 1}),
        # No table has the slots between.
        ([(-8, [0, 0, 0, 7]), (8, [1, 0, 0, 0])], {-5: 7, 8: 1}),
        ([(0, []), (4, [0, 0, 0, 2])], {7: 2}),
        ([(0, [])], {}),
        # Cut within a chunk, as all tables of a range are.
        ([(2, [2, 3, 4]), (2, [1, 0, 1])], {2: 3, 3: 3, 4: 5}),
    ],
)
def test_slots_of_dense_tables_are_merged_chunk_by_chunk(tables, expected):
    merged = merge_dense_tables([dense(low, sizes) for low, sizes in tables])
    assert dict(zip(*columns_of(merged), strict=True)) == expected
    assert merged.nrows == len(expected)


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        # So many values for each of two rows, and more than direct tables take; slots begin and end at multiples of 4.
        ([[5, 24]], (4, 24)),
        ([[4, 23]], (4, 20)),
        ([[5, 25]], None),
        ([[-3, 16]], (-4, 24)),
        ([[5, 10]], None),
        ([[5, 9]], None),
        ([[5, 11]], (4, 8)),
        ([[5, 24], [5, 24]], None),
        ([[]], None),
        ([[5.0, 24.0]], None),
    ],
)
def test_close_integers_have_a_slot_for_each_value(monkeypatch, keys, expected):
    monkeypatch.setattr(tuning, "SLOTS_PER_ROW", 10)
    monkeypatch.setattr(tuning, "MOST_SLOTS", 6)
    columns = [np.array(key) if key else np.empty(0, np.int64) for key in keys]
    grid = strategies._grid(columns)
    assert (None if grid is None else (grid.lows[0], grid.nslots)) == expected
    strategy = strategies.DenseAggregation(SIZES)
    assert (strategy.accepts(columns, []) is not None) == (expected is not None)
    text = pa.array(["a"] * len(columns[0]), pa.large_string())
    assert strategy.accepts(columns, [columns[0], text]) is None


def test_tables_without_rows_stand_for_none_unless_there_are_no_others():
    empty, one, two = (GroupTable(table_of(*rows)) for rows in (([],), ([1, 2], [3, 4]), ([2, 3], [5, 6])))
    for parts, expected in (
        ([empty], []), ([empty, empty], []), ([empty, one, empty], [(1, 3), (2, 4)]),
        ([one, two], [(1, 3), (2, 9), (3, 6)]),
    ):  # fmt: skip
        for caches in False, True:
            table, grouping = GroupTable.merge(SIZES, parts, None, caches=caches)
            assert list(zip(*columns_of(table), strict=True)) == expected
            assert (grouping is not None) == (caches and parts[-1] is two)
    # A grouping serves again.
    _, known = GroupTable.merge(SIZES, [one, two], None, caches=True)
    table, again = GroupTable.merge(SIZES, [one, two], known, caches=True)
    assert again is known
    assert columns_of(table)[1] == [3, 9, 6]


def test_all_tables_of_a_process_are_split_at_once():
    parts = [GroupTable(table_of([0, 1, 2, 3])), dense(0, [0, 0, 1, 1, 1, 1, 0, 0])]
    ranges = _split_all(parts, 2, 1)
    keys = [[part.table().columns[0].tolist() for part in same] for same in ranges]
    assert [sorted(chain.from_iterable(same)) for same in keys] == [[0, 1], [2, 2, 3, 3, 4, 5]]
    assert [len(same) for same in keys] == [2, 2]


def test_tables_of_few_rows_are_sampled_as_a_whole():
    part = GroupTable(table_of(range(4)))
    found = _sample([part], 7, 1, 2, 4)
    assert (list(found.samples), found.merged, found.members) == ([7], part.rows, frozenset([7]))
    assert found.samples[7].keys[0].tolist() == part.sample(1, 2, 7).keys[0].tolist()
    assert sys.getsizeof(found) >= sys.getsizeof(part.rows)
    large = _sample([part], 7, 1, 2, 3)
    assert (list(large.samples), large.merged, large.members) == ([7], None, frozenset())
    assert sys.getsizeof(large) < 100


def test_tables_are_merged_beforehand_until_they_are_too_large(monkeypatch):
    parts = [_sample([GroupTable(table_of(keys))], number, 1, 9, 4) for number, keys in enumerate([[1, 2], [2, 3]])]
    large = _sample([GroupTable(table_of(range(5)))], 2, 1, 9, 4)
    monkeypatch.setattr(tuning, "MOST_MERGED", 4)
    found = _merge_few([*parts, large], SIZES)
    assert sorted(found.samples) == [0, 1, 2]
    assert found.members == frozenset([0, 1])
    assert columns_of(found.merged) == [[1, 2, 3], [1, 2, 1]]
    monkeypatch.setattr(tuning, "MOST_MERGED", 3)
    found = _merge_few([*parts, large], SIZES)
    assert (sorted(found.samples), found.merged, found.members) == ([0, 1, 2], None, frozenset())
    found = _merge_few([large], SIZES)
    assert (sorted(found.samples), found.merged) == ([2], None)


def test_splitters_are_chosen_of_merged_tables_and_of_those_that_are_not(monkeypatch):
    chosen = []
    monkeypatch.setattr(plan, "choose_splitters", lambda samples, count: chosen.append((samples, count)) or "splitters")
    monkeypatch.setattr(tuning, "TABLE_SAMPLES", 3)
    sample = [TableSample(1, [np.array([number])]) for number in range(3)]
    merged = TableSamples({0: sample[0], 1: sample[1]}, table_of([1, 2, 3]), frozenset([0, 1]))
    assert _choose([merged, TableSamples({2: sample[2]})], 5, 1) == ("splitters", frozenset([0, 1]))
    ((samples, count),) = chosen
    assert count == 5
    assert [item.nrows for item in samples] == [3, 1]
    assert samples[1] is sample[2]
    assert samples[0].keys[0].tolist() == [1, 2, 3]
