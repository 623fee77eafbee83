from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.columns.table import Table, type_of
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import AccumulatorTable, Aggregation, AggregationStep, BlockTable
from akdask.operators.group.strategies import DirectIndexAggregation
from akdask.operators.reduce.reductions import REDUCTIONS

STEPS = tuple(
    AggregationStep(name, (0, 1) if reduction.by_position else (0,), skipna)
    for name, reduction in REDUCTIONS.items()
    for skipna in (True, False)
    if np.dtype("float64").name in {t.name for t in reduction.group_types} and reduction.grouped
)


@st.composite
def blocks(draw):
    """Blocks of rows with integer keys of two types that spread from one to the next, and floats with NaN."""
    made = []
    for _ in range(draw(st.integers(0, 12))):
        low, rows = draw(st.sampled_from([-(2**63), -3, 0, 5, 900])), draw(st.integers(1, 12))
        spread = st.sampled_from([0, 2**63, 2**64 - 1]) if draw(st.integers(0, 9)) == 0 else st.just(2**64 - 1)
        first = draw(st.lists(st.integers(low, low + 4), min_size=rows, max_size=rows))
        second = draw(st.lists(spread, min_size=rows, max_size=rows))
        keys = [np.array(first, np.int64), np.array(second, np.uint64)]
        values = draw(st.lists(st.sampled_from([np.nan, -1.5, 0.0, 2.0]), min_size=rows, max_size=rows))
        made.append((keys, np.array(values)))
    return made


def same(left: Table, right: Table) -> None:
    assert list(left.columns) == list(right.columns)
    for name in left.columns:
        np.testing.assert_allclose(left.columns[name], right.columns[name], rtol=1e-12, atol=1e-12)
        assert left.columns[name].dtype == right.columns[name].dtype


FOLDING = tuple(step for step in STEPS if Aggregation(2, (step,)).merges_in_place)
"""Steps whose states are added up in place from block to block."""

EXACT = {"size", "count", "sum", "min", "max"}

IN_ONE_PASS = tuple(step for step in STEPS if step.form.accumulated and step.skipna)
"""Steps whose rows accumulators take."""


def add(groups, keys, values):
    """Add a block if it is accepted, and tell whether it is."""
    grouping = groups.accepts(keys, values)
    if grouping is not None:
        groups.add(grouping, values)
    return grouping is not None


@pytest.mark.parametrize(
    "steps",
    [
        STEPS,
        FOLDING,
        IN_ONE_PASS,
        [AggregationStep("size", ())],
        [AggregationStep("sum", (0,)), AggregationStep("max", (0,))],
        [AggregationStep("mean", (0,)), AggregationStep("count", (0,))],
    ],
    ids=["all", "folding", "in one pass", "size", "sum", "mean"],
)
@given(made=blocks(), dtype=st.sampled_from([np.float64, np.int64, np.uint64, np.bool_]))
def test_tallied_blocks_give_what_sorting_all_rows_gives(steps, dtype, made):
    if dtype != np.float64:
        # Sums of integers wrap around; those that are made of them as floats are small enough to be exact.
        scale = 2**61 if all(step.name in EXACT for step in steps) else 2**20
        made = [(keys, np.nan_to_num(values * scale, nan=7).astype(np.int64).astype(dtype)) for keys, values in made]
    of_type = type_of(np.empty(0, dtype))
    aggregation = Aggregation(2, tuple(step for step in steps if of_type in REDUCTIONS[step.name].group_types))
    groups = DirectIndexAggregation(aggregation, 10_000)
    taken, position = [], 0
    for keys, values in made:
        columns = [values, np.arange(position, position + len(values))]
        if add(groups, keys, columns):
            taken.append((keys, columns))
            position += len(values)
    tables = groups.tables()
    assert bool(tables) == bool(taken)
    if taken:
        keys = [np.concatenate(parts) for parts in zip(*(keys for keys, _ in taken), strict=True)]
        values = [np.concatenate(parts) for parts in zip(*(values for _, values in taken), strict=True)]
        same(aggregation.finish(aggregation.merge(tables)), aggregation.finish(aggregation.rows(keys, values)))


SEVERAL = [AggregationStep(name, (at,)) for at, name in enumerate(("mean", "sum", "max", "count", "sum"))]


@pytest.mark.few_rows_only
@pytest.mark.parametrize("steps", [SEVERAL, SEVERAL[::-1], SEVERAL[1:2] + SEVERAL[4:]], ids=["first", "last", "sums"])
@given(st.lists(st.integers(0, 40), min_size=1, max_size=60), st.integers(0, 2**32))
def test_rows_are_counted_once_for_all_columns(steps, keys, seed):
    random = np.random.default_rng(seed)
    columns = [random.choice([np.nan, -1.5, 0.5, 2.0], len(keys)) for _ in SEVERAL]
    columns[4] = random.integers(-9, 9, len(keys))
    aggregation = Aggregation(1, tuple(steps))
    groups = DirectIndexAggregation(aggregation, 10_000)
    for start in range(0, len(keys), 20):
        rows = slice(start, start + 20)
        assert add(groups, [np.array(keys[rows])], [column[rows] for column in columns])
    found = aggregation.finish(aggregation.merge(groups.tables())).columns
    frame = pd.DataFrame(dict(enumerate(columns))).groupby(np.array(keys))
    for place, step in enumerate(steps, 1):
        wanted = frame[step.columns[0]].agg(step.name)
        assert found[0].tolist() == wanted.index.tolist()
        np.testing.assert_allclose(found[place], wanted, rtol=1e-12)


@pytest.mark.few_rows_only
def test_wide_keys_are_not_tallied_and_neither_is_what_follows():
    groups = DirectIndexAggregation(Aggregation(1, ()), 100)
    assert add(groups, [np.arange(5)], [])
    assert not add(groups, [np.array([0, tuning.MOST_SLOTS])], [])
    assert not add(groups, [np.arange(5)], [])
    assert [table.nrows for table in groups.tables()] == [5]


ONE_SUM = Aggregation(1, (AggregationStep("sum", (0,)), AggregationStep("count", (0,)), AggregationStep("mean", (0,))))


def tallied(aggregation, *made):
    groups = DirectIndexAggregation(aggregation, 10_000)
    assert all(add(groups, [np.array(keys)], [np.array(values)]) for keys, values in made)
    return aggregation.finish(aggregation.merge(groups.tables())).columns


@pytest.mark.few_rows_only
@pytest.mark.parametrize("cells", [3, 600])
def test_numbers_of_missing_values_stay_when_the_grid_grows(cells):
    columns = tallied(ONE_SUM, ([5, 6, 6], [np.nan, np.nan, 2.0]), ([5 - cells, 6], [1.0, np.nan]), ([7], [4.0]))
    assert columns[0].tolist() == [5 - cells, 5, 6, 7]
    assert columns[1].tolist() == [1.0, 0.0, 2.0, 4.0]
    assert columns[2].tolist() == [1, 0, 1, 1]
    np.testing.assert_array_equal(columns[3], [1.0, np.nan, 2.0, 4.0])


@pytest.mark.few_rows_only
def test_blocks_that_wait_are_added_in_their_order():
    # Of variances, no loop knows anything: blocks with fewer rows than cells wait for others.
    aggregation = Aggregation(1, (AggregationStep("var", (0,)), AggregationStep("first", (0, 1))))
    groups = DirectIndexAggregation(aggregation, 10_000)
    made = [([0, 99], [1e16, 1.0]), ([0, 99], [1.0, 2.0]), ([0, 99], [-1e16, 4.0]), ([0, 99], [3.0, 8.0])]
    for number, (keys, values) in enumerate(made):
        assert add(groups, [np.array(keys)], [np.array(values), np.array([2 * number, 2 * number + 1])])
    (table,) = groups.tables()
    rows = [np.concatenate([np.array(part, float) for part in parts]) for parts in zip(*made, strict=True)]
    wanted = aggregation.rows([rows[0].astype(np.int64)], [rows[1], np.arange(8)])
    for name, column in wanted.columns.items():
        assert np.asarray(table.columns[name]).tobytes() == np.asarray(column).tobytes(), name


@pytest.mark.few_rows_only
def test_blocks_of_few_rows_wait_until_they_have_as_many_as_slots(monkeypatch):
    added = []
    add_rows = BlockTable.add
    monkeypatch.setattr(
        BlockTable, "add", lambda table, codes, values: added.append(len(codes)) or add_rows(table, codes, values)
    )
    groups = DirectIndexAggregation(Aggregation(1, (AggregationStep("var", (0,)),)), 10_000)
    # Ten slots: blocks of so many rows, and those that are added together; what is left is added at the end.
    for rows, wanted in ((10, [10]), (4, []), (5, []), (1, [10]), (12, [12]), (9, []), (12, [21]), (3, [])):
        assert add(groups, [np.linspace(0, 9, rows).astype(np.int64)], [np.ones(rows)])
        assert added == wanted, rows
        added.clear()
    groups.tables()
    assert added == [3]


@pytest.mark.parametrize("step", [1, -1])
def test_slots_move_few_times_while_keys_ascend_or_descend_from_block_to_block(step, monkeypatch):
    moved = []
    widened = AccumulatorTable.widened
    monkeypatch.setattr(AccumulatorTable, "widened", lambda table, grid: moved.append(grid) or widened(table, grid))
    aggregation = Aggregation(1, (AggregationStep("sum", (0,)), AggregationStep("count", (0,))))
    groups = DirectIndexAggregation(aggregation, 10**6)
    blocks = [np.arange(100 * number, 100 * number + 130) for number in range(64)][::step]
    for keys in blocks:
        assert add(groups, [keys], [keys * 0.5])
    assert 1 <= len(moved) <= 8
    (found,) = groups.tables()
    keys = np.concatenate(blocks)
    wanted = pd.Series(keys * 0.5).groupby(keys).agg(["sum", "count"])
    columns = list(found.columns.values())
    np.testing.assert_array_equal(columns[0], wanted.index)
    np.testing.assert_array_equal(columns[1], wanted["sum"])
    np.testing.assert_array_equal(columns[2], wanted["count"])
