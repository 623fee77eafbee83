"""Results that wait for other tasks, in memory or on disk."""

from __future__ import annotations

import gc
import pickle

import numpy as np
import pytest

import akdask as ak
from akdask import cluster
from akdask.columns.table import Table
from akdask.engine import memory
from akdask.engine import tuning as engine_tuning
from akdask.engine.memory import InputsInUse, MemoryBudget, SpillableResult, fetch, fetch_all, make_spillable
from akdask.operators.group import tuning
from akdask.operators.group.aggregation import Aggregation, AggregationStep
from akdask.operators.group.radix import RadixAggregation
from akdask.operators.group.strategies import DenseAggregation, GroupTable


@pytest.fixture
def short(monkeypatch):
    """Have a budget of which a result of a thousand numbers takes more than half."""
    found = MemoryBudget()
    monkeypatch.setattr(memory, "memory_budget", found)
    monkeypatch.setattr(memory, "_in_memory", {})
    monkeypatch.setattr(cluster, "memory_in_use", lambda: 2**40)
    with ak.config.set(memory_limit=engine_tuning.WAITING_SHARE_ANYWAY * 12_000):
        yield found


def table(start):
    return Table({"n": np.arange(start, start + 1000)}, 1000)


def starts(results):
    return [int(fetch(result).columns["n"][0]) for result in results]


def test_the_oldest_go_to_disk_and_all_come_back(short):
    results = [make_spillable(table(start)) for start in range(4)]
    assert [result._on_disk is not None for result in results] == [True, True, True, False]
    assert starts(results) == list(range(4))
    assert starts(pickle.loads(pickle.dumps(results))) == list(range(4))
    assert 8_000 <= short.nbytes < 12_000


def test_what_is_not_needed_any_more_makes_way(short):
    for start in range(4):
        result = make_spillable(table(start))
        assert result._on_disk is None
        del result
        gc.collect()
    assert short.nbytes == 0
    assert not memory._in_memory


def test_what_takes_no_more_than_to_tell_where_it_is_stays_in_memory(short):
    tiny = make_spillable(table(0).slice(0, 3))
    large = [make_spillable(table(start)) for start in range(3)]
    assert [result.in_memory is None for result in (tiny, *large)] == [False, True, True, False]


def test_tables_of_groups_come_back_as_what_is_read_by_range(short):
    first, _ = (make_spillable(GroupTable(table(start))) for start in (0, 5))
    found = fetch(first)
    assert found.nrows == 1000
    assert found.table().columns["n"].tolist() == list(range(1000))


@pytest.mark.parametrize("kind", [DenseAggregation, RadixAggregation])
def test_partial_tables_of_every_strategy_come_back(short, monkeypatch, kind):
    monkeypatch.setattr(tuning, "MOST_SLOTS", 0)
    for name, value in {"FEWEST_RADIX_ROWS": 1, "ROWS_OF_A_GROUP": 1000, "HEAVIEST": 1000}.items():
        monkeypatch.setattr(tuning, name, value)
    aggregation = Aggregation(1, (AggregationStep("sum", (0,)),))
    keys, values = [np.arange(2000) // 2], [np.arange(2000) * 0.5]

    def partial():
        strategy = kind(aggregation)
        strategy.add(strategy.accepts(keys, values), values)
        return strategy.finish()

    waiting = [make_spillable(partial()) for _ in range(3)]
    assert waiting[0].in_memory is None
    found, wanted = fetch(waiting[0]), partial()
    assert type(found) is type(wanted)
    assert found.nrows == waiting[0].nrows == wanted.nrows
    for column, other in zip(found.table().columns.values(), wanted.table().columns.values(), strict=True):
        assert column.tolist() == other.tolist()


def test_what_is_no_table_is_passed_on(short):
    for result in (1, "text", [table(0)], None):
        assert make_spillable(result) is result is fetch(result)
    assert short.nbytes == 0


def test_memory_that_the_process_does_not_use_is_for_results(short, monkeypatch):
    monkeypatch.setattr(cluster, "memory_in_use", lambda: 0)
    results = [make_spillable(table(start)) for start in range(4)]
    assert all(result._on_disk is None for result in results)
    assert short.nbytes == sum(result.nbytes for result in results)


def test_inputs_of_more_than_all_memory_are_refused(short):
    results = {number: SpillableResult(table(number)) for number in range(100)}
    with pytest.raises(MemoryError, match=r"needs 8\d\d,\d+ bytes at once"):
        fetch_all(results)
    assert starts(fetch_all({0: results[0]}).values()) == [0]


def test_tasks_run_one_by_one_where_memory_is_exhausted(monkeypatch):
    found = MemoryBudget()
    now = [0.0]
    monkeypatch.setattr(memory, "monotonic", lambda: now[0])
    for share in (0.5, 0.9, 0.6):
        now[0] += 1
        monkeypatch.setattr(cluster, "memory_in_use", lambda share=share: int(share * cluster.process_memory()))
        assert found.is_exhausted() == (share > engine_tuning.EXHAUSTED)


GIB = 2**30


@pytest.mark.parametrize(
    ("limit", "kept"), [(1.5, 0.75), (8, 4), (12, 8), (16, 12), (64, 48)], ids=lambda size: f"{size} GiB"
)
def test_what_plans_keep_leaves_to_tasks_what_they_need(monkeypatch, limit, kept):
    class Result:
        """Anything that has bytes."""

    found, result = MemoryBudget(), Result()
    monkeypatch.setattr(cluster, "process_memory", lambda: int(limit * GIB))
    monkeypatch.setattr(cluster, "memory_in_use", lambda: int(kept * GIB))
    monkeypatch.setattr(memory, "give_back_freed_memory", lambda limit: None)
    # Of tests that ran before.
    monkeypatch.setattr(memory, "spare_bytes", lambda: 0)
    found.add(result, int(kept * GIB))
    found.keep(result, int(kept * GIB))
    assert not found.is_short(persisted=True)
    monkeypatch.setattr(cluster, "memory_in_use", lambda: int(kept * GIB) + 1)
    assert found.is_short(persisted=True)
    assert not found.is_exhausted()


def test_what_a_task_has_fetched_is_not_spilled_until_it_ends(short):
    waiting = {"input": make_spillable(table(0))}
    inputs = InputsInUse(waiting, fetch_all(waiting))
    later = [make_spillable(table(start)) for start in (1, 2)]
    assert [result._on_disk is not None for result in (*waiting.values(), *later)] == [False, True, False]
    inputs.let_go("no table")
    make_spillable(table(3))
    assert waiting["input"]._on_disk is not None


def test_an_input_that_a_task_hands_on_waits_as_it_has_waited(short):
    waiting = {"input": make_spillable(table(0)), "other": 5}
    make_spillable(table(1))
    fetched = fetch_all(waiting)
    written = waiting["input"]._on_disk
    assert written is not None
    assert InputsInUse(waiting, fetched).let_go(fetched["input"]) is waiting["input"]
    assert waiting["input"]._on_disk is written
