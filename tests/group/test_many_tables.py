"""Tables of many partitions, which no task takes all of, and groups that are cached, are those of all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.engine import tuning as engine_tuning
from akdask.operators.group import plan, tuning
from akdask.operators.group.grouping import Grouping
from akdask.operators.group.plan import _fan_in
from akdask.testing.memory import MemorySource

ROWS = np.arange(240)
LENGTHS = [10, 0, 3, 27] * 6


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Let few rows be in many tables, and their groups in several partitions."""
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(engine_tuning, "FEW_PARTITIONS", 64)
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(tuning, "RANGE_ROWS", 60)


def keys_of(kind):
    # Groups of neighbours in the first half, few groups in the second.
    numbers = np.where(ROWS < 120, ROWS // 2, -(ROWS % 7))
    return np.array([f"{number:03d}" for number in numbers.tolist()]) if kind == "text" else numbers


@pytest.mark.parametrize(("kind", "few_rows"), [("integers", 6), ("text", 20), ("integers", -1), ("text", 1000)])
def test_groups_of_many_tables_are_those_of_pandas_however_many_are_merged_beforehand(monkeypatch, few_rows, kind):
    limits = {"FEW_TABLES": 3, "FEW_MERGED_ROWS": few_rows, "MOST_MERGED": 40, "MOST_SLICES": 0}
    monkeypatch.setattr(engine_tuning, "FAN_IN", 2)
    for name, value in limits.items():
        monkeypatch.setattr(tuning, name, value)
    plain = pd.DataFrame({"k": keys_of(kind), "v": ROWS * 7 % 30})
    columns = MemorySource({name: plain[name].to_numpy() for name in plain}, LENGTHS).arrays()
    groups = ak.GroupBy(columns["k"])
    (unique, totals), distinct = groups.sum(columns["v"]), groups.nunique(columns["v"])[1]
    wanted = plain.groupby("k")["v"].agg(["sum", "nunique"])
    assert unique.npartitions == 4
    assert unique.tolist() == wanted.index.tolist()
    assert totals.tolist() == wanted["sum"].tolist()
    assert distinct.tolist() == wanted["nunique"].tolist()


@pytest.mark.parametrize("count", [1, 4, 7])
def test_each_table_is_merged_with_its_neighbours_once(count, monkeypatch):
    monkeypatch.setattr(engine_tuning, "FAN_IN", 3)
    merges = list(_fan_in(count))
    assert [table for merge in merges for table in merge] == [(0, number) for number in range(count)]
    assert len(merges) == -(-count // 3)


@pytest.mark.parametrize("kind", ["integers", "text"])
def test_rows_are_grouped_once_for_all_reductions_of_a_groupby(monkeypatch, kind):
    monkeypatch.setattr(tuning, "FEWEST_SLOTS", 0)
    monkeypatch.setattr(tuning, "MOST_SLOTS", 0)
    # Left out and put back, it would be the last that is asked.
    others = {name: kind for name, kind in plan.STRATEGIES.items() if name != "dense"}
    monkeypatch.setattr(plan, "STRATEGIES", others)
    made = []
    init = Grouping.__init__
    monkeypatch.setattr(Grouping, "__init__", lambda self, *args: made.append(self) or init(self, *args))
    plain = pd.DataFrame({"k": keys_of(kind), "v": ROWS * 7 % 30})
    columns = MemorySource({name: plain[name].to_numpy() for name in plain}, [100, 0, 60, 80]).arrays()
    groups, wanted = ak.GroupBy(columns["k"]), plain.groupby("k")["v"]
    assert groups.sum(columns["v"])[1].tolist() == wanted.sum().tolist()
    first = len(made)
    assert first
    assert groups.max(columns["v"])[1].tolist() == wanted.max().tolist()
    assert groups.var(columns["v"])[1].tolist() == pytest.approx(wanted.var().tolist(), nan_ok=True)
    assert len(made) == first


@pytest.mark.parametrize(("most_bytes", "is_read_again"), [(100, True), (1000, False)])
def test_groups_are_cached_where_a_partition_of_them_takes_no_more_than_its_share(
    monkeypatch, most_bytes, is_read_again
):
    monkeypatch.setattr("akdask.cluster.process_memory", lambda: 4 * most_bytes * tuning.CACHE_SHARE)
    source = MemorySource({"k": ROWS // 2}, [60] * 4)
    sizes = ak.GroupBy(source.arrays()["k"]).size()[1]
    assert sizes.npartitions == 4
    for _ in range(2):
        source.reads.clear()
        assert sizes.tolist() == [2] * 120
    assert bool(source.reads) == is_read_again
