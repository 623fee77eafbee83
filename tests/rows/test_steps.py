"""Steps of tasks that take rows, put items and cut lists, each beside what NumPy gives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.arrow import lists_of
from akdask.columns.table import Table
from akdask.engine.alignment import Gather
from akdask.engine.rowwise import Project
from akdask.errors import ArgumentError
from akdask.operators.rows import plan, tuning
from akdask.operators.rows.plan import ConcatRanges, PutAt, PutSelected, Take
from akdask.testing.memory import MemorySource

pytestmark = [pytest.mark.lazy_only, pytest.mark.few_rows_only]


def table_of(*columns):
    made = [column if isinstance(column, pa.Array) else np.array(column) for column in columns]
    return Table(dict(enumerate(made)), len(made[0]))


def rows_of(table, name=0):
    return table.columns[name].tolist()


@pytest.mark.parametrize("lengths", [[10], [4, 6], [0, 3, 0, 7], [1] * 10])
def test_rows_of_several_partitions_are_picked_and_put_in_the_order_of_positions(lengths):
    values = np.arange(10) * 10
    positions = np.array([9, -1, 0, -10, 3, 4, 4, 5])
    picked, first = [], 0
    for length in lengths:
        part = table_of(values[first : first + length], np.arange(first, first + length))
        table, slots = plan._pick((part, table_of(positions)), first, 10)
        wanted = [slot for slot, at in enumerate(positions % 10) if first <= at < first + length]
        assert slots.tolist() == wanted
        assert rows_of(table) == [values[positions[slot] % 10] for slot in wanted]
        picked.append((table, slots))
        first += length
    for some in picked, picked[::-1]:
        found = plan._reorder(some)
        assert rows_of(found) == values[positions].tolist()
        assert rows_of(found, 1) == (positions % 10).tolist()


def frame_of(lengths, name="v"):
    array = MemorySource({name: np.arange(sum(lengths))}, lengths, label=name).arrays()[name]
    return array._frame, array._value


@pytest.mark.parametrize(
    ("partitions", "wanted", "most", "expected"),
    [
        (10, 2, (20, 1), None),
        (10, 2, (19, 1), [1, 1, 1, 1, 1, 1, 1, 1, 2]),
        (10, 2, (6, 1), [3, 3, 4]),
        (10, 2, (6, 4), [2, 3, 2, 3]),
        (10, 1, (10, 1), None),
        (10, 1, (0, 10), None),
        (10, 1, (0, 1), [10]),
    ],
)
def test_neighbours_are_joined_where_too_many_tasks_would_pick(monkeypatch, partitions, wanted, most, expected):
    monkeypatch.setattr(tuning, "MOST_PICKS", most[0])
    monkeypatch.setattr(tuning, "FEWEST_SOURCES", most[1])
    frame, value = frame_of([2] * partitions)
    at_frame, at = frame_of([1] * wanted, "at")
    taken, _ = plan.take_exchanged(frame, [value], at_frame, at, [2] * partitions)
    assert isinstance(taken, Take)
    source, lengths = plan._joined_sources(taken)
    assert list(lengths) == [2 * count for count in expected or [1] * partitions]
    assert source.npartitions == len(lengths)


@pytest.mark.parametrize(
    ("rows", "wanted", "expected"), [(127, 2, True), (128, 2, True), (129, 2, False), (64, 1, True), (65, 1, False)]
)
def test_broadcasts_pay_where_more_than_one_row_in_64_is_wanted(rows, wanted, expected):
    assert tuning.FEW_WANTED == 64
    frame, value = frame_of([rows])
    assert plan.takes_broadcast(frame, [value], frame_of([wanted], "at")[0]) == expected
    with ak.config.set(replicate_size=8):
        assert not plan.takes_broadcast(frame, [value], frame_of([wanted], "at")[0])


@pytest.mark.parametrize(
    ("starts", "lengths", "stride"),
    [([0, 5, 9], [3, 0, 2], 1), ([7], [4], 3), ([3, 3], [2, 2], -1), ([], [], 2), ([5, 1], [0, 3], 10)],
)
def test_numbers_of_ranges_are_those_of_python(starts, lengths, stride):
    found = plan._numbers([table_of(np.array(starts, np.int64), np.array(lengths, np.int64))], stride)
    expected = [start + stride * step for start, length in zip(starts, lengths, strict=True) for step in range(length)]
    assert (rows_of(found), found.nrows) == (expected, len(expected))


TEXT = pa.array(["a", "b", "c", "d", "e"], pa.large_string())


@pytest.mark.parametrize("rows", [(0, 5, 1), (1, 4, 2), (4, 5, 1), (2, 2, 1), (0, 5, 4)])
@pytest.mark.parametrize("column", [np.arange(5), TEXT], ids=["numbers", "text"])
def test_items_replace_the_rows_of_a_range_or_those_where_a_mask_holds(rows, column):
    chosen = range(*rows)
    items = TEXT[: len(chosen)] if column is TEXT else np.arange(len(chosen)) + 90
    mask = np.isin(np.arange(5), list(chosen))
    wanted = column.tolist()
    for row, item in zip(chosen, items.tolist(), strict=True):
        wanted[row] = item
    by_range = plan._put_in_order((table_of(column), table_of(items)), rows, (0, 0))
    by_mask = plan._put_in_order((table_of(column, mask), table_of(items)), None, (0, 0))
    assert rows_of(by_range) == rows_of(by_mask) == wanted
    assert column.tolist() == [*range(5)] or column is TEXT
    if column is not TEXT:
        for first in 0, 2:
            out = np.full(9, -1)
            found = plan._put_in_order((table_of(column), table_of(items), {"x": out}), rows, ("x", first))
            assert (found.nrows, found.columns) == (5, {})
            assert out.tolist() == [*[-1] * first, *wanted, *[-1] * (4 - first)]


@pytest.mark.parametrize(("count", "is_gathered"), [(16, False), (17, True)])
def test_items_of_many_partitions_are_gathered(count, is_gathered):
    assert tuning.FEWEST_SOURCES == 16
    frame, value = frame_of([5, 5])
    at_frame, at = frame_of([1] * count, "at")
    put = PutAt(Project(frame, (0,), (value,)), Project(at_frame, (0,), (at,)), (5, 5), 7)
    lowered = plan._put(put, 0)
    nodes, stack = [], [lowered]
    while stack:
        nodes.append(stack.pop())
        stack += nodes[-1].dependencies()
    assert any(isinstance(node, Gather) for node in nodes) == is_gathered


def lists_column(rows):
    return lists_of(np.cumsum([0, *map(len, rows)]), np.array([item for row in rows for item in row], np.int64))


def test_lists_become_a_row_for_each_value_and_other_columns_are_repeated():
    rows = [[1, 2], [], [3], [4, 5, 6]]
    labels = pa.array(["a", "b", "c", "d"], pa.large_string())
    other = [[item * 10 for item in row] for row in rows]
    found = plan._flatten(
        [Table({"l": lists_column(rows), "s": labels, "n": np.arange(4), "m": lists_column(other)}, 4)]
    )
    assert found.nrows == 6
    assert rows_of(found, "l") == [1, 2, 3, 4, 5, 6]
    assert found.columns["s"].to_pylist() == ["a", "a", "c", "d", "d", "d"]
    assert rows_of(found, "n") == [0, 0, 2, 3, 3, 3]
    assert rows_of(found, "m") == [10, 20, 30, 40, 50, 60]


@pytest.mark.parametrize(
    ("shape", "first", "expected"),
    [
        ([10, 12, 12], 10, [[1, 2], [], [3]]),
        ([10], 10, [[1, 2, 3]]),
        ([10, 13], 10, [[1, 2, 3], []]),
        ([11, 12], 10, None),
        ([10, 14], 10, None),
        ([10, 12, 11], 10, None),
        ([], 10, None),
        (lists_column([[0, 0], [], [0]]), 10, [[1, 2], [], [3]]),
        (lists_column([[0, 0]]), 10, None),
        (lists_column([[0, 0], [0, 0]]), 10, None),
    ],
)
def test_values_become_lists_of_segments_that_fit(shape, first, expected):
    shape = np.array(shape, np.int64) if isinstance(shape, list) else shape
    tables = [table_of(shape), table_of([1, 2, 3])]
    if expected is None:
        with pytest.raises(ArgumentError, match="do not fit"):
            plan._nest(tables, first)
    else:
        assert [list(row) for row in plan._nest(tables, first).columns[0].to_pylist()] == expected


def test_no_segments_have_no_values():
    none = plan._nest([table_of(np.empty(0, np.int64)), table_of(np.empty(0, np.int64))], 10)
    assert (none.nrows, none.columns[0].to_pylist()) == (0, [])


def test_segments_start_where_all_lengths_before_end():
    parts = [table_of(np.array(lengths, np.int64)) for lengths in ([2, 0], [], [3, 1, 4])]
    totals = [plan._total([part]) for part in parts]
    assert (totals, plan._firsts(totals)) == ([2, 0, 8], [0, 2, 2, 10])
    found = [rows_of(plan._starts((part, plan._firsts(totals)), number)) for number, part in enumerate(parts)]
    assert found == [[0, 2], [], [2, 5, 6]]


def test_ranges_of_numbers_have_rows_of_their_own_in_as_many_partitions():
    frame, value = frame_of([2, 3])
    ranges = ConcatRanges(Project(frame, (0, 1), (value, value)), 1)
    assert ranges.npartitions == 2
    assert not ranges.rows.is_fixed
    assert ranges.number.name == 0


def test_one_column_that_is_wanted_is_changed_in_given_memory_and_several_are_not(monkeypatch):
    for kind, function in ((PutAt, "_put"), (PutSelected, "_put_selected")):
        monkeypatch.setattr(plan, function, lambda node, name, arrays: (name, arrays))
        node = object.__new__(kind)
        assert node.lower_into({"x": 0}, "arrays") == ("x", "arrays")
        assert node.lower_into({"x": 0, "y": 0}, "arrays") is None
