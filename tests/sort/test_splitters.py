"""What is found of the rows of a partition before its ranges are chosen."""

from __future__ import annotations

from itertools import chain, product

import numpy as np
import pyarrow as pa
import pytest

from akdask.columns.dtypes import INT64, STR
from akdask.columns.table import Table
from akdask.engine.blocks import Partition
from akdask.engine.values import ColumnRef, Compiler
from akdask.operators.keys.keys import WORD_BITS, span
from akdask.operators.keys.string_codes import layout_of
from akdask.operators.sort import tuning
from akdask.operators.sort.partition import (
    KEYS,
    TEXT,
    PartitionSample,
    RadixPartitioning,
    SampleKeys,
    Splitters,
    choose_splitters,
)
from akdask.operators.sort.plan import SortOrder
from akdask.operators.sort.ranges import RangePartitioner
from akdask.testing.memory import MemorySource


@pytest.mark.parametrize("ascending", [True, False])
def test_keys_span_those_of_all_blocks(monkeypatch, ascending):
    monkeypatch.setattr("akdask.engine.tuning.FEW_BLOCK_ROWS", 1)
    program = Compiler([[ColumnRef("here", "k", INT64)]], {"here": 0}, {}).last([ColumnRef("here", "k", INT64)])
    numbers = [5, 9, 3, 4, -7, 0, 8], [9, 8, 7, 6, 5, 4, 3], [1, 2, 3, 4, 5, 6, 7]
    for column, block_rows in product(map(np.array, numbers), [1, 2, 3, 10]):
        with Partition([Table({"k": column}, len(column))], (), (), block_rows) as partition:
            (found,) = SampleKeys(program, (ascending,), 2, KEYS).run(partition)
        assert found.nrows == len(column)
        assert found.spans == (span(column, ascending),)
        assert len(found.positions) >= 3
        assert found.samples[0].tolist() == column[found.positions].tolist()


@pytest.mark.parametrize("block_rows", [1, 10])
def test_the_layout_of_text_is_that_of_all_blocks(monkeypatch, block_rows):
    monkeypatch.setattr("akdask.engine.tuning.FEW_BLOCK_ROWS", 1)
    text = pa.array(["gate 07", "gate 11", "a longer name"], pa.large_string())
    program = Compiler([[ColumnRef("here", "k", STR)]], {"here": 0}, {}).last([ColumnRef("here", "k", STR)])
    with Partition([Table({"k": text}, 3)], (), (), block_rows) as partition:
        (found,) = SampleKeys(program, (True,), 2, TEXT).run(partition)
    assert found.layout == layout_of(text)


def sample_of(keys):
    """The sample of a partition of which all rows were taken."""
    column = np.array(keys, np.int64)
    spans = (span(column, True) if len(column) else None,)
    return PartitionSample(len(column), spans, (1,), (column,), np.arange(len(column)), None)


def test_splitters_are_sampled_rows_at_equal_distances(monkeypatch):
    monkeypatch.setattr(tuning, "RANGE_ROWS", 1)
    parts = [5, 1, 9], [], [2, 5, 5, 0, 7]
    found = [[sample_of(parts[0])], [sample_of(parts[1]), sample_of(parts[2])]]
    ordered = sorted((key, row) for row, key in enumerate(chain.from_iterable(parts)))
    (splitters,) = choose_splitters(found, (True,), 2, True)
    assert list(zip(splitters.columns[0].tolist(), splitters.rows.tolist(), strict=True)) == ordered[1:]
    assert (splitters.nrows, splitters.within) == (8, 4)
    assert splitters.spans == (span(np.array([0, 9]), True),)
    (whole,) = choose_splitters(found, (True,), 2, False)
    assert whole.columns[0].tolist() == [key for key, _ in ordered[1:]]
    assert whole.rows.tolist() == [0] * 7
    coarser = splitters.coarser()
    assert coarser.within == 1
    assert coarser.columns[0].tolist() == [ordered[4][0]]
    assert coarser.rows.tolist() == [ordered[4][1]]


@pytest.mark.parametrize(("range_rows", "most", "within"), [(2, 2**11, 16), (2, 16, 8), (100, 2**11, 4)])
def test_ranges_of_a_partition_are_as_many_as_fit_the_cache(monkeypatch, range_rows, most, within):
    monkeypatch.setattr(tuning, "RANGE_ROWS", range_rows)
    monkeypatch.setattr(tuning, "MOST_RANGES", most)
    (splitters,) = choose_splitters([[sample_of(range(64))]], (True,), 2, True)
    assert splitters.within == within
    assert len(splitters.rows) == 2 * within - 1


def test_splitters_of_no_rows_are_none_and_nothing_is_known_of_keys():
    (splitters,) = choose_splitters([[sample_of([]), sample_of([])]], (True,), 3, True)
    assert (len(splitters.rows), splitters.nrows, splitters.spans, splitters.alike) == (0, 0, None, True)
    assert splitters.lost == WORD_BITS


@pytest.mark.parametrize(("least", "alike"), [(8, False), (7, True), (0, True)])
def test_keys_are_alike_if_sampled_ones_differ_only_in_bits_that_are_lost(least, alike):
    """Keys of all 64 bits lose three beside the numbers of five rows."""
    (splitters,) = choose_splitters([[sample_of([-(2**63), 0, 2**63 - 1, -8, least])]], (True,), 1, True)
    assert (splitters.shift, splitters.lost, splitters.fits) == (3, 3, False)
    assert (splitters.alike, splitters.nearly_fits) == (alike, not alike)


def test_rows_belong_to_the_range_after_all_splitters_that_are_not_beyond_them():
    splitters = [(3, 0), (5, 2), (5, 4), (5, 4), (9, 0), (200, 3)]
    words = np.array([0, 3, 4, 5, 5, 5, 5, 6, 9, 199, 200, 200, 1000], np.uint64)
    for first in (0, -4, 1):
        rows = np.arange(len(words)) + first
        keys = list(zip(words.tolist(), rows.tolist(), strict=True))
        marks = np.array([key for key, _ in splitters], np.uint64), np.array([row for _, row in splitters])
        for bits in (1, 3, 15):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(tuning, "PARTITION_SLOT_BITS", bits)
                ranges = RangePartitioner(*marks, 0, 1000)
                expected = [sum(mark <= key for mark in splitters) for key in keys]
                assert ranges.of(words, rows).tolist() == expected
                out = np.zeros(len(words), np.uint16)
                assert ranges.of(words, rows, out) is out
                assert out.tolist() == expected


@pytest.mark.parametrize("bits", [1, 14, 15, 16, 17, 40, 63, 64])
def test_ranges_of_keys_of_any_span_are_those_of_their_splitters(bits):
    rng = np.random.default_rng(bits)
    for low in (0, 5, 2**64 - 2**bits):
        high = min(low + 2**bits, 2**64) - 1
        words = np.concatenate(
            [rng.integers(low, high, 2000, np.uint64, endpoint=True), np.array([low, high], np.uint64)]
        )
        splitters = np.sort(rng.choice(words, 60))
        ranges = RangePartitioner(splitters, np.zeros(60, np.int64), low, high)
        expected = np.searchsorted(splitters, words, "right")
        assert ranges.of(words, np.arange(len(words))).tolist() == expected.tolist()


@pytest.mark.parametrize("within", [1, 2, 3])
def test_partitions_of_rows_by_range_have_the_bounds_of_their_ranges(within):
    marks = np.array([10, 20, 20, 30, 40])
    splitters = Splitters(
        (marks,), np.zeros(5, np.int64), (span(np.arange(50)),), (1,), 200, within, (True,), False, None
    )
    keys = np.random.default_rng(2).integers(0, 50, 200)
    found = RadixPartitioning(splitters, 10)
    for part in np.split(keys, [7, 120]):
        found.add([part], None)
    bounds = np.searchsorted(np.sort(keys), [0, *marks, 50])
    assert found.bounds.tolist() == bounds.tolist()
    assert list(found.partitions()) == [
        (bounds[first], bounds[first + within], (bounds[first : first + within + 1] - bounds[first]).tolist())
        for first in range(0, 6, within)
    ]
    assert np.sort(found.partitioned(keys)).tolist() == np.sort(keys).tolist()


def test_keys_count_from_the_smallest_and_are_packed_without_lost_bits():
    ranges = RangePartitioner(np.array([9], np.uint64), np.array([0]), 4, 4 + 2**61)
    words, packed = np.array([4, 7, 4 + 2**61], np.uint64), np.zeros(3, np.uint64)
    full_keys = ranges.pack(words, np.array([5, 6, 7]), 1, 3, packed)
    assert full_keys.tolist() == [0, 3, 2**61]
    assert packed.tolist() == [0 << 3 | 5, 1 << 3 | 6, 2**60 << 3 | 7]


@pytest.mark.parametrize(
    ("nrows", "partitions", "stride"), [(64, 1, 16), (24, 1, 6), (64, 4, 4), (4, 2, 1), (1000, 1, 16), (4000, 1, 40)]
)
def test_one_row_in_so_many_is_sampled(monkeypatch, nrows, partitions, stride):
    """At least four of each partition, one in sixteen rows, and a hundred of all of them."""
    monkeypatch.setattr(tuning, "SAMPLES", 4)
    monkeypatch.setattr(tuning, "MOST_SAMPLED", 16)
    monkeypatch.setattr(tuning, "ALL_SAMPLES", 100)
    lengths = [len(part) for part in np.array_split(np.arange(nrows), partitions)]
    array = MemorySource({"x": np.arange(nrows)}, lengths).arrays()["x"]
    key = array._frame, array._value
    assert SortOrder.of(array._frame, [key], [True]).stride == stride
    few, one = (SortOrder.of(array._frame, [key], [True], count) for count in (3, 1))
    assert (few.count, few.straddle, one.count, one.straddle) == (3, True, 1, False)
