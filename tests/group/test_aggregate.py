from __future__ import annotations

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.group_reductions import of_any_type
from akdask.caches import clear_caches
from akdask.engine import tuning as engine_tuning
from akdask.engine.explain import explain
from akdask.operators.group import plan as group_plan
from akdask.operators.group import radix
from akdask.operators.group import tuning as group_tuning
from akdask.operators.group.plan import PartialAggregation
from akdask.operators.group.strategies import DenseAggregation
from akdask.testing.memory import MemorySource
from akdask.testing.strategies import partition_lengths, partitioned

ROWS = np.arange(60)


@pytest.fixture(autouse=True)
def few_rows_in_several_tasks(monkeypatch):
    """Few rows are grouped by one task in real use."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)


@pytest.fixture
def data():
    columns = {"k": ROWS % 7, "s": (ROWS % 3).astype(str), "x": ROWS * 0.5, "y": ROWS}
    return MemorySource(columns, [20, 0, 30, 10]).arrays()


@pytest.fixture
def passes(monkeypatch):
    """Count the partitions over which rows are grouped."""
    seen = []
    run = PartialAggregation.run
    monkeypatch.setattr(PartialAggregation, "run", lambda self, rows: seen.append(rows) or run(self, rows))
    return seen


def by_hand(ufunc, column):
    return [ufunc(column[key == ROWS % 7]) for key in range(7)]


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_groups_that_are_computed_together_are_found_in_one_pass(data, passes):
    groups = ak.GroupBy(data["k"])
    (keys, sums), (_, means), sizes = groups.sum(data["x"]), groups.mean(data["y"]), groups.size()[1]
    spread = groups.max(data["y"])[1] - groups.min(data["y"])[1]
    found = dask.compute(keys, sums, means, sizes, spread, groups.unique_keys)
    assert len(passes) == 4
    wanted = [range(7), by_hand(np.sum, ROWS * 0.5), by_hand(np.mean, ROWS), by_hand(len, ROWS), by_hand(np.ptp, ROWS)]
    for left, right in zip(found, [*wanted, range(7)], strict=True):
        assert left.tolist() == list(right)


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@given(data=st.data(), scale=st.sampled_from([1, 7]))
def test_groups_in_one_expression_are_found_in_one_pass_and_as_one_by_one(data, scale):
    lengths = data.draw(partition_lengths(max_partitions=3))
    nrows = sum(lengths)
    draw = {
        "k": st.integers(0, 4) | st.integers(-(2**40), 2**40),
        "x": st.integers(-9, 9).map(lambda number: number * 0.5),
        "y": st.integers(1, 9),
        "m": st.booleans(),
    }
    table = pd.DataFrame({name: data.draw(st.lists(of, min_size=nrows, max_size=nrows)) for name, of in draw.items()})
    table = table.astype({"k": np.int64, "x": np.float64, "y": np.int64, "m": np.bool_})
    columns = {name: partitioned(table[name].to_numpy(), lengths) for name in table}
    if data.draw(st.booleans()):
        mask = columns["m"]
        columns, table = {name: column[mask] for name, column in columns.items()}, table[table["m"]]
    elif data.draw(st.booleans()):
        half = nrows // 2
        columns, table = {name: column[half:] for name, column in columns.items()}, table[half:]
    groups = ak.GroupBy(columns["k"])
    (keys, sums), (_, weights) = groups.sum(columns["x"]), groups.sum(columns["y"] * scale)
    clear_caches()  # equal examples before this one may have left their groups
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(group_tuning, "RANGE_ROWS", data.draw(st.sampled_from([2, 2**21])))
        aggregated, calls = group_plan._aggregated, []
        patched.setattr(group_plan, "_aggregated", lambda node: calls.append(node) or aggregated(node))
        found = ak.DataFrame({"k": keys, "ratio": sums / weights}).to_pandas()
        assert len({node._name for node in calls}) == 1  # older releases of Dask lower plans twice
        clear_caches()
        apart = sums.to_ndarray() / weights.to_ndarray()
    expected = table.assign(y=table["y"] * scale).groupby("k")[["x", "y"]].sum()
    assert found["k"].tolist() == expected.index.tolist()
    np.testing.assert_array_equal(found["ratio"], expected["x"] / expected["y"])
    np.testing.assert_array_equal(found["ratio"], apart)


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_scalars_made_of_groups_share_the_pass_too(data, passes):
    groups = ak.GroupBy(data["k"])
    (keys, sums), (_, means), (_, most) = groups.sum(data["x"]), groups.mean(data["y"]), groups.max(data["y"])
    lazy = (sums.sum(), (means * 2).max(), most[most > 55].sum(), keys.argmax(), sums, (sums / most).mean())
    found = dask.compute(*lazy)
    assert len(passes) == 4
    totals, averages, largest = (
        np.array(by_hand(*how)) for how in ((np.sum, ROWS * 0.5), (np.mean, ROWS), (max, ROWS))
    )
    assert found[:4] == (totals.sum(), 2 * averages.max(), largest[largest > 55].sum(), 6)
    assert found[4].tolist() == totals.tolist()
    assert found[5] == pytest.approx((totals / largest).mean())
    assert [float(one) for one in lazy[:4]] == [float(one) for one in found[:4]]


def test_groups_of_different_rows_or_keys_are_found_apart(data, passes):
    some = data["y"] > 30
    plain, filtered = ak.GroupBy(data["k"]).size()[1], ak.GroupBy(data["k"][some]).size()[1]
    other = ak.GroupBy(data["s"]).size()[1]
    sizes = dask.compute(plain, filtered, other)
    wanted = [by_hand(len, ROWS), np.bincount(ROWS[ROWS > 30] % 7).tolist(), [20] * 3]
    assert [size.tolist() for size in sizes] == wanted
    assert len(passes) == 12


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
def test_groups_of_the_same_selection_are_shared(data, passes):
    some = data["y"] > 30
    groups = ak.GroupBy(data["k"][some])
    dask.compute(groups.sum(data["x"][some])[1], groups.max(data["x"][some])[1])
    assert len(passes) == 4


@pytest.mark.lazy_only
def test_only_the_columns_that_are_asked_for_are_read(data):
    text = explain(ak.GroupBy(data["k"]).sum(data["x"])[1].expr)
    assert "read k, x  (2 of 4 columns)" in text


@pytest.mark.lazy_only
def test_many_partitions_of_groups_are_cut_at_keys(data, monkeypatch):
    monkeypatch.setattr(group_tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 10)
    joined = ak.concatenate([data["y"], data["y"]])
    counts = ak.value_counts(joined)[1]
    assert counts.npartitions == 8
    assert counts.resolve_lengths().rows.lengths != (60, 0, 0, 0, 0, 0, 0, 0)
    assert counts.tolist() == [2] * 60


@pytest.mark.cluster
def test_groups_are_found_on_a_cluster(data, cluster_client):
    groups = ak.GroupBy([data["k"], data["s"]]).persist()
    (keys, labels), sums = groups.sum(data["y"])
    wanted = {(k, s): ROWS[(k == ROWS % 7) & (s == ROWS % 3)].sum() for k in range(7) for s in range(3)}
    assert dict(zip(zip(keys.tolist(), map(int, labels.tolist()), strict=True), sums.tolist(), strict=True)) == wanted
    assert ak.GroupBy(data["k"]).median(data["x"])[1].tolist() == by_hand(np.median, ROWS * 0.5)


@pytest.mark.parametrize(("how", "reduction"), [("inner", "sum"), ("left", "nunique"), ("inner", "nunique")])
def test_groups_of_joined_rows_whose_order_does_not_matter_are_those_of_pandas(how, reduction):
    left = pd.DataFrame({"k": np.arange(9), "w": np.arange(9) // 2})
    right = pd.DataFrame({"k": ROWS % 7, "v": ROWS * 5 % 8})

    def reduced(left, right):
        return getattr(left.merge(right, on="k", how=how).groupby("w")["v"], reduction)()

    found = reduced(ak.DataFrame(dict(left.items())), ak.DataFrame(dict(right.items())))
    assert found.tolist() == reduced(left, right).tolist()


@pytest.mark.parametrize("reduction", ["sum", "nunique"])
def test_groups_of_moved_rows_are_other_groups_of_the_same_columns(data, reduction):
    node = of_any_type(ak.GroupBy(data["k"]), reduction, data["x"])[1]._frame
    moved = node.on_moved_rows()
    assert type(moved) is type(node)
    assert moved.identity == node.identity.moved() != node.identity
    kept = [(old, new) for old, new in zip(node.operands, moved.operands, strict=True) if old is not node.identity]
    assert len(kept) == len(node.operands) - 1
    assert all(old is new for old, new in kept)


@pytest.mark.parametrize("keys", [[0, 1, 2**63, 0, 0], [5, 3, 5, 3, 4], ["a", "bbbbbbbbb", "b", "a", "c"]])
def test_radix_partitioned_rows_fit_tables_of_other_partitions(monkeypatch, keys):
    """Integers of any size take as many words as the largest of their partition; some partitions have no rows."""
    for name, value in {"FEWEST_RADIX_ROWS": 2, "RADIX_SLICE_ROWS": 1, "HEAVIEST": 100, "ROWS_OF_A_GROUP": 100}.items():
        monkeypatch.setattr(group_tuning, name, value)
    column = ak.array(keys, dtype="bigint") if 2**63 in keys else ak.array(keys)
    parts = [column[:2], column[:0], column[2:4], column[4:]]
    found, sums = ak.GroupBy(ak.concatenate(parts)).sum(ak.arange(5))
    assert found.tolist() == sorted(set(keys))
    assert sums.tolist() == [sum(row for row, other in enumerate(keys) if other == key) for key in sorted(set(keys))]


@pytest.mark.parametrize("pieces", [engine_tuning.MOST_SLICES, 8])
def test_radix_partitioned_rows_are_split_where_tables_are(monkeypatch, pieces):
    """Where no task looks at all partitions: some have few groups, and are in tables; their pieces may be joined."""
    for name, value in {"FEWEST_RADIX_ROWS": 50, "RADIX_SLICE_ROWS": 8, "HEAVIEST": 100}.items():
        monkeypatch.setattr(group_tuning, name, value)
    monkeypatch.setattr(group_tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(group_tuning, "MOST_SLOTS", 0)
    monkeypatch.setattr(group_tuning, "MOST_SLICES", 0)
    monkeypatch.setattr("akdask.engine.tuning.MOST_SLICES", pieces)
    monkeypatch.setattr("akdask.engine.tuning.FEWEST_SLICED_GROUPS", 2)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 150)
    made = []
    finish = radix.RadixAggregation.finish
    monkeypatch.setattr(radix.RadixAggregation, "finish", lambda self: made.append(finish(self)) or made[-1])
    random = np.random.default_rng(3)
    keys = np.concatenate([random.integers(-(10**9), 10**9, 300), np.repeat([-5, 7, 10**12], 60), np.arange(120)])
    values = random.integers(-100, 100, 600)
    columns = MemorySource({"k": keys, "v": values}, [100, 200, 90, 90, 0, 120]).arrays()
    groups = ak.GroupBy(columns["k"])
    (unique, sums), deviations = groups.sum(columns["v"]), groups.std(columns["v"])[1]
    wanted = pd.Series(values).groupby(keys).agg(["sum", "std"])
    assert unique.npartitions == 4
    assert len(unique[unique > 0].resolve_lengths().rows.lengths) == 4
    assert unique.tolist() == wanted.index.tolist()
    assert sums.tolist() == wanted["sum"].tolist()
    np.testing.assert_allclose(deviations.to_ndarray(), wanted["std"])
    # Found one after the other, they share their rows.
    np.testing.assert_allclose((sums + deviations).to_ndarray(), wanted["sum"] + wanted["std"])
    assert {part.nrows for part in made} == {100, 120, 200}


@pytest.mark.few_rows_only
@pytest.mark.parametrize("count", [1, 3, 7])
def test_dense_tables_are_split_where_sorted_ones_are(monkeypatch, count):
    """Sums can be in dense tables, variances cannot; they share their rows, also where some partitions are sorted."""
    monkeypatch.setattr(group_tuning, "MOST_SLOTS", 0)
    monkeypatch.setattr(group_tuning, "CHUNK_SLOTS", 4)
    monkeypatch.setattr(group_tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", 100)
    made = []
    finish = DenseAggregation.finish
    monkeypatch.setattr(DenseAggregation, "finish", lambda self: made.append(finish(self)) or made[-1])
    random = np.random.default_rng(count)
    keys = np.concatenate([random.integers(-50, 50, 400), random.integers(-(10**6), 10**6, 20)])
    values = random.integers(-100, 100, 420)
    if count == 1:
        keys, values = keys[:400], values[:400]
    shares = np.diff(np.linspace(0, len(keys), count + 1).astype(int)).tolist()
    columns = MemorySource({"k": keys, "v": values}, shares).arrays()
    groups = ak.GroupBy(columns["k"])
    (unique, sums), variances = groups.sum(columns["v"]), groups.var(columns["v"])[1]
    wanted = pd.Series(values).groupby(keys).agg(["sum", "var"])
    assert unique.tolist() == wanted.index.tolist()
    assert sums.tolist() == wanted["sum"].tolist()
    assert made
    np.testing.assert_allclose((sums + variances).to_ndarray(), wanted["sum"] + wanted["var"])
