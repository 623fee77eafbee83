"""Means of integers add them up as integers, and round once, whatever computes them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.table import Table, type_of
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.strategies import DirectIndexAggregation
from akdask.operators.reduce.reductions import ScalarReduction

WIDE = [2**53, 1, -(2**53)]

INT64 = st.sampled_from([-(2**63), 2**63 - 1, 2**53, -(2**53), 1, 2**62 + 1]) | st.integers(-(2**63), 2**63 - 1)
UINT64 = st.sampled_from([2**64 - 1, 2**63, 2**53 + 1, 0]) | st.integers(0, 2**64 - 1)
COLUMNS = st.one_of(
    st.lists(st.integers(-5, 5), min_size=1, max_size=30).map(lambda rows: np.array(rows, np.int64)),
    st.lists(INT64, min_size=1, max_size=30).map(lambda rows: np.array(rows, np.int64)),
    st.lists(UINT64, min_size=1, max_size=30).map(lambda rows: np.array(rows, np.uint64)),
    st.lists(st.booleans(), min_size=1, max_size=30).map(lambda rows: np.array(rows, np.bool_)),
    st.lists(st.integers(0, 255), min_size=1, max_size=30).map(lambda rows: np.array(rows, np.uint8)),
)


def mean(rows) -> float:
    """Return the float nearest to the mean of integers."""
    return sum(map(int, rows)) / len(rows)


MEANS = {
    "scalar": lambda x, k: x.mean(),
    "under a filter": lambda x, k: x[k == 1].mean(),
    "of groups": lambda x, k: ak.GroupBy(k).mean(x)[1][0],
    "of groups of a frame": lambda x, k: ak.DataFrame({"k": k, "x": x}).groupby("k")["x"].mean().tolist()[0],
    "of groups by two keys": lambda x, k: ak.GroupBy([k, k * 2**40]).mean(x)[1][0],
    "of groups with other reductions": (
        lambda x, k: (
            ak.DataFrame({"k": k, "x": x}).groupby("k").agg({"x": ["min", "sum", "mean"]}).to_pandas().iloc[0, 2]
        )
    ),
    "of a frame": lambda x, k: ak.DataFrame({"x": x}).mean().tolist()[0],
    "expanding": lambda x, k: ak.Series(x).expanding().mean().tolist()[-1],
    "rolling": lambda x, k: ak.Series(x).rolling(x.size).mean().tolist()[-1],
    "of lists": lambda x, k: ak.SegArray(ak.array([0]), x).mean()[0],
    "along an axis": lambda x, k: ak.mean(x.reshape(1, x.size), axis=1)[0],
    "down an axis": lambda x, k: ak.mean(x.reshape(x.size, 1), axis=0)[0],
    "resampled": (
        lambda x, k: (
            ak.DataFrame({"t": ak.array(np.zeros(x.size, "M8[ns]")), "x": x})
            .set_index("t")
            .resample("D")["x"]  # type: ignore[union-attr]
            .mean()
            .tolist()[0]
        )
    ),
    "in a pivot table": (
        lambda x, k: ak.DataFrame({"k": k, "c": k, "x": x}).pivot_table("x", "k", "c").to_pandas().iloc[0, 0]
    ),
    "transformed": lambda x, k: ak.DataFrame({"k": k, "x": x}).groupby("k")["x"].transform("mean").tolist()[0],
    "of rows": lambda x, k: ak.DataFrame({str(n): x[n : n + 1] for n in range(3)}).mean(axis=1).tolist()[0],
}


@pytest.mark.parametrize("name", MEANS)
def test_means_do_not_lose_small_integers_beside_large_ones(name):
    found = MEANS[name](ak.array(WIDE), ak.array([1, 1, 1]))
    assert float(found) == pd.Series(WIDE).groupby([1, 1, 1]).mean().tolist()[0] == 1 / 3


@pytest.mark.parametrize("name", MEANS)
@pytest.mark.parametrize("rows", [[2**63 - 1, 2**63 - 1, 1], [-(2**63), -(2**63), -1]])
def test_sums_that_64_bits_do_not_hold_have_means(name, rows):
    assert float(MEANS[name](ak.array(np.array(rows, np.int64)), ak.array([1, 1, 1]))) == mean(rows)


def test_many_rows_have_the_mean_of_few():
    rows = np.tile(np.array(WIDE), 100_000)
    x = ak.array(rows)
    assert float(x.mean()) == 1 / 3
    assert float(x[x > -5].mean()) == mean([2**53, 1])
    assert ak.GroupBy(ak.array(np.arange(300_000) % 2)).mean(x)[1].tolist() == [1 / 3, 1 / 3]


def test_a_long_axis_is_added_up_exactly():
    rows = np.tile(np.array([*WIDE, 0]), 2**15)
    found = ak.mean(ak.array(rows).reshape(rows.size // 2, 2), axis=0)
    assert found.tolist() == [mean(rows[::2]), mean(rows[1::2])]


@given(st.lists(COLUMNS, min_size=1, max_size=4), st.data())
def test_all_paths_give_the_nearest_float(blocks, data):
    blocks = [block for block in blocks if block.dtype == blocks[0].dtype]
    masks = [np.array(data.draw(st.lists(st.booleans(), min_size=len(b), max_size=len(b)))) for b in blocks]
    reduction = ScalarReduction("mean", type_of(blocks[0]))
    state = None
    for block in blocks:
        state = reduction.merge(state, reduction.partial(block))
    assert reduction.finalize(state) == mean(np.concatenate(blocks))
    chosen = [block[mask] for block, mask in zip(blocks, masks, strict=True)]
    if sum(map(len, chosen)):
        state = None
        for block, mask in zip(blocks, masks, strict=True):
            state = reduction.merge(state, reduction.partial(block, mask))
        assert reduction.finalize(state) == mean(np.concatenate(chosen))


@given(st.lists(COLUMNS, min_size=1, max_size=5), st.data())
def test_all_group_strategies_give_the_nearest_float(blocks, data):
    blocks = [block for block in blocks if block.dtype == blocks[0].dtype]
    keys = [np.array(data.draw(st.lists(st.integers(0, 3), min_size=len(b), max_size=len(b)))) for b in blocks]
    steps = (AggregationStep("mean", (0,)), AggregationStep("sum", (0,)))
    aggregation = Aggregation(1, steps[: data.draw(st.integers(1, 2))])
    direct = DirectIndexAggregation(aggregation, 10)
    tables = []
    for key, block in zip(keys, blocks, strict=True):
        direct.add(direct.accepts([key], [block]), [block])
        tables.append(aggregation.rows([key], [block]))
    joined_keys, joined = np.concatenate(keys), np.concatenate(blocks)
    wanted = [mean(joined[joined_keys == key]) for key in np.unique(joined_keys)]
    for table in (direct.finish().table(), aggregation.merge(tables), aggregation.rows([joined_keys], [joined])):
        found: Table = aggregation.finish(table)
        assert found.columns[1].tolist() == wanted
        if len(aggregation.steps) == 2:
            with np.errstate(over="ignore"):
                sums = [joined[joined_keys == key].sum() for key in np.unique(joined_keys)]
            assert found.columns[2].tolist() == sums


@pytest.mark.parametrize(("value", "dtype"), [(2**63 - 1, np.int64), (-(2**63), np.int64), (2**64 - 1, np.uint64)])
def test_sums_that_have_wrapped_are_merged(value, dtype):
    aggregation = Aggregation(1, (AggregationStep("mean", (0,)),))
    keys, values = np.array([1, 1, 1, 1, 2]), np.array([value] * 4 + [7], dtype)
    table = aggregation.rows([keys], [values])
    assert aggregation.finish(aggregation.merge([table] * 3)).columns[1].tolist() == [float(value), 7.0]
    total, more = (
        [state] for state in (tuple(map(np.copy, columns)) for columns in [aggregation._states(table)[0]] * 2)
    )
    aggregation.merge_in_place(total, more)
    merged = aggregation.table([np.array([1, 2])], total)
    assert aggregation.finish(merged).columns[1].tolist() == [float(value), 7.0]


def test_slots_that_move_know_how_large_their_sums_may_be():
    aggregation = Aggregation(1, (AggregationStep("mean", (0,)),))
    direct = DirectIndexAggregation(aggregation, 1000)
    for key, value in ((0, 2**63 - 9), (500, 1), (0, 2**63 - 9)):
        keys, values = [np.array([key])], [np.array([value])]
        direct.add(direct.accepts(keys, values), values)
    assert aggregation.finish(direct.finish().table()).columns[1].tolist() == [2.0**63, 1.0]
