"""Plans for clusters that are described and not there: tasks follow partitions, whatever the number of workers."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

import akdask as ak
from akdask import cluster
from akdask.arrays.array import wrap
from akdask.columns.dtypes import INT64
from akdask.engine import tuning as engine_tuning
from akdask.engine.sources import Scan
from akdask.operators.group import tuning as group_tuning
from benchmarks.described import described_workers

MOST_TASKS = 12
"""Tasks for each partition that is read or made."""

TASKS = {
    "sort": lambda rows, others: rows.sort_values("k"),
    "group": lambda rows, others: rows.groupby("k").agg({"v": "sum"}),
    "merge": lambda rows, others: rows.merge(others, "k", sort=False),
}


class Described:
    """Rows of files that are described and not there."""

    columns = dict.fromkeys(("k", "v"), INT64)

    def __init__(self, label, lengths):
        self.label, self.lengths, self.token = label, tuple(lengths), f"described {label} {len(lengths)} {sum(lengths)}"
        self.paths = [label] * len(lengths)

    def bounds(self, column):
        return None

    def part(self, index, columns):
        return (self.label, index, tuple(columns))

    def frame(self, *names):
        scan = Scan(self)
        return ak.DataFrame({name: wrap(scan, scan.column(given)) for name, given in zip(names, "kv", strict=True)})


@pytest.fixture
def described():
    """Return what makes a number of described workers the current cluster."""
    pytest.importorskip("distributed")
    with ExitStack() as stack:
        yield lambda count: stack.enter_context(described_workers(count))


def planned(lazy):
    """Return the tasks of a frame and the workers that are planned for each, and the partitions that it has."""
    lowered = lazy._columns.frame.lower_completely()
    return lowered.__dask_graph__(), lowered.__dask_annotations__().get("workers", {}), lazy.npartitions


@pytest.mark.parametrize("task", TASKS)
def test_tasks_follow_partitions_whatever_the_number_of_workers(task, described, monkeypatch):
    parts, rows = 64, 1000
    monkeypatch.setattr("akdask.engine.tuning.EXCHANGED_ROWS", rows)
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(engine_tuning, "SMALL_ROWS", 0)
    monkeypatch.setattr(group_tuning, "RANGE_ROWS", rows)
    monkeypatch.setattr(group_tuning, "RANGES_FOR_EXCHANGE", 1)
    found = []
    for workers in (10, 100, 1000):
        described(workers)
        with ak.config.set(replicate_size=0):
            sides = [Described(label, [rows] * parts).frame("k", label) for label in ("v", "w")]
            graph, where, made = planned(TASKS[task](*sides))
        read = parts * (1 + (task == "merge"))
        assert made >= parts / 2
        assert len(graph) <= MOST_TASKS * (read + made)
        assert sum(len(item.dependencies) for item in graph.values()) <= 2 * MOST_TASKS * (read + made)
        assert len({place for places in where.values() for place in places}) >= 4
        found.append(len(graph))
    assert len(set(found)) == 1


def test_new_partitions_of_a_trillion_rows_fit_the_threads_of_workers(described):
    described(1000)
    rows = 10**12
    frame = Described("tera", [rows // 1000] * 1000).frame("k", "v")
    made = frame.sort_values("k").npartitions
    assert rows / made * 8 <= cluster.partition_size()
    assert made * cluster.memory() > rows * 16


def test_few_rows_stay_in_small_partitions(described):
    described(10)
    frame = Described("few", [engine_tuning.EXCHANGED_ROWS] * 20).frame("k", "v")
    assert frame.sort_values("k").npartitions == 20


def test_one_task_gets_no_more_samples_of_more_rows(described):
    described(1000)
    order = Described("tera", [10**9] * 1000).frame("k", "v").sort_values("k")
    stride = next(node for node in order._columns.frame.walk() if hasattr(node, "order")).order.stride
    assert 2**22 <= 10**12 / stride <= 2**23 + 1000


def test_workers_are_planned_for_tasks_of_the_plan_alone(described):
    described(1000)
    graph, where, _ = planned(Described("v", [engine_tuning.EXCHANGED_ROWS] * 100).frame("k", "v").sort_values("k"))
    assert set(where) <= set(graph)


def test_rows_are_exchanged_by_clusters_whose_workers_are_still_to_come(described):
    described(0)
    graph, where, made = planned(Described("v", [engine_tuning.EXCHANGED_ROWS] * 100).frame("k", "v").sort_values("k"))
    assert made > 1
    assert len(graph) > 100
    assert not where
