"""Tasks of a cluster that only one other task reads become part of it, with the same results."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from operator import itemgetter
from unittest.mock import patch

import numpy as np
import pandas as pd
import pytest
from dask.local import get_sync
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask._dask import Alias, ExprSequence, Task, TaskRef
from akdask.columns.table import Table
from akdask.engine import fusion, tuning
from akdask.engine.fusion import Copies, Fused, FusedTasks, TaskGraph, fuse, run_fused
from akdask.engine.node import lower_plans, tasks_below
from akdask.engine.rowwise import PersistedResults, Tables, Tasks
from akdask.errors import AkdaskError
from akdask.operators.reduce.plan import TreeReduce

SEVERAL = 3
"""Partitions of a node that has more than one."""


@pytest.fixture(autouse=True)
def _rows_are_many(monkeypatch):
    """Have few rows read by several tasks, as many are."""
    monkeypatch.setattr(tuning, "ONE_TASK_ROWS", -1)


def noted(inputs, name):
    """Return what a task is called and given, so that each result tells all that it is made of."""
    return name, tuple(inputs)


def leaf(name, rows=1, count=1):
    return Tables(name, tuple(Table({"x": np.arange(rows)}, rows) for _ in range(count)))


def reader(name, *inputs, count=1, in_step=True):
    """Return a node of so many tasks: each reads all of a node of another number, and of an equal number its own."""
    calls = tuple(
        (
            tuple(
                (at, partition)
                for at, node in enumerate(inputs)
                for partition in range(node.npartitions)
                if not (in_step and count == node.npartitions) or partition == number
            ),
            (f"{name}{number}",),
        )
        for number in range(count)
    )
    return Tasks(name, noted, calls, *inputs)


def results(plans):
    """Return the results of plans, with rows for tables."""

    def plain(found):
        if isinstance(found, tuple):
            return tuple(map(plain, found))
        return found.nrows if isinstance(found, Table) else found

    graph = ExprSequence(*plans).__dask_graph__()
    return [plain(get_sync(graph, plan.__dask_keys__())) for plan in plans]


def names(node):
    """Return the names of the nodes in a task, the last one's first."""
    return [member.token for member in reversed(node.members)] if isinstance(node, Fused) else [node.token]


@st.composite
def plans_of_tasks(draw):
    nodes = []
    for number in range(draw(st.integers(1, 9))):
        inputs = draw(st.lists(st.sampled_from(nodes), max_size=3, unique_by=lambda node: node._name)) if nodes else []
        count = draw(st.sampled_from([1, SEVERAL]))
        rows = draw(st.sampled_from([1, tuning.FUSED_ROWS + 1]))
        made = reader(f"n{number}", *inputs, count=count, in_step=draw(st.booleans())) if inputs else None
        nodes.append(leaf(f"n{number}", rows, count) if made is None else made)
    return [*draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=3)), nodes[-1]]


@given(plans_of_tasks(), st.integers(0, SEVERAL + 1))
def test_fused_plans_have_the_same_results_in_no_more_tasks(plans, threads):
    with patch.object(fusion, "worker_threads", lambda: workers(threads)):
        _check_fused(plans)


def workers(count):
    """Return the addresses of the workers of so many threads."""
    return tuple(f"tcp://{number}" for number in range(count))


def _check_fused(plans):
    fused = fuse(plans)
    assert results(fused) == results(plans)
    assert len(tasks_below(fused)) <= len(tasks_below(plans))
    assert results(pickle.loads(pickle.dumps(fused))) == results(plans)
    # Equal plans are fused alike, and others have other keys.
    assert [plan._name for plan in fuse(plans)] == [plan._name for plan in fused]


def test_a_chain_of_one_partition_is_one_task_whatever_its_rows():
    first = leaf("first", tuning.FUSED_ROWS + 1)
    (found,) = fuse([reader("last", reader("middle", first))])
    assert names(found) == ["last", "middle", "first"]
    assert found.dependencies() == []
    assert found._name.startswith("noted-")


def test_nodes_with_readers_in_several_tasks_stay_apart(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_SENT", 0)
    shared = reader("shared", leaf("first", tuning.FUSED_ROWS + 1))
    one, other = (reader(name, shared, count=SEVERAL) for name in ("one", "other"))
    (found,) = fuse([reader("last", one, other)])
    assert names(found) == ["last"]
    assert [names(node) for node in found.dependencies()] == [["one"], ["other"]]
    (below,) = {node for part in found.dependencies() for node in part.dependencies()}
    assert names(below) == ["shared", "first"]
    # Both readers in one task take it along.
    shared = reader("shared", leaf("first"))
    (found,) = fuse([reader("last", reader("one", shared), reader("other", shared))])
    assert sorted(names(found)) == ["first", "last", "one", "other", "shared"]


@pytest.mark.parametrize(("rows", "are_together"), [(30, True), (29, False)])
def test_a_plan_that_reads_few_rows_is_one_task(monkeypatch, rows, are_together):
    monkeypatch.setattr(tuning, "ONE_TASK_ROWS", rows)
    read = [leaf("one", 5, SEVERAL), leaf("other", 15, 1)]
    plan = reader("last", reader("middle", *read, count=SEVERAL), read[1])
    (found,) = fuse([plan])
    assert (len(tasks_below([found])) == 1) is are_together
    assert results([found]) == results([plan])
    # Two plans may be wanted by different workers.
    assert len(tasks_below(fuse([plan, read[1]]))) > 2
    # What other nodes make of rows that are read counts once.
    (whole,) = fuse([reader("behind", plan)])
    assert (len(tasks_below([whole])) == 1) is are_together


def test_what_is_asked_for_has_a_task_of_its_own():
    first = reader("first", leaf("rows"))
    last = reader("last", first)
    found = fuse([first, last])
    assert [names(node) for node in found] == [["first", "rows"], ["last"]]
    assert found[1].dependencies() == [found[0]]


@pytest.mark.parametrize(("rows", "are_together"), [(tuning.FUSED_ROWS, True), (tuning.FUSED_ROWS + 1, False)])
def test_many_rows_do_not_wait_for_other_inputs(rows, are_together):
    many, other = reader("many", leaf("rows", rows)), leaf("other", count=SEVERAL)
    (found,) = fuse([reader("last", many, other)])
    assert names(found) == (["last", "many", "rows"] if are_together else ["last"])
    assert len(found.dependencies()) == (1 if are_together else 2)


def test_partitions_of_the_same_number_are_fused_where_nothing_else_is_read():
    rows = leaf("rows", count=SEVERAL)
    in_step = reader("middle", rows, count=SEVERAL)
    (found,) = fuse([reader("last", in_step, count=SEVERAL)])
    assert names(found) == ["last", "middle", "rows"]
    assert len(tasks_below([found])) == SEVERAL
    (found,) = fuse([reader("last", in_step, count=SEVERAL, in_step=False)])
    assert names(found) == ["last"]
    (found,) = fuse([reader("last", in_step, leaf("other", count=SEVERAL), count=SEVERAL)])
    assert names(found) == ["last"]
    (found,) = fuse([reader("last", in_step)])
    assert names(found) == ["last"]


def test_what_waits_for_results_that_a_node_needs_itself_is_part_of_it():
    merged = reader("merged", leaf("parts", tuning.FUSED_ROWS, SEVERAL))
    numbers = reader("numbers", merged)
    (found,) = fuse([reader("last", merged, numbers)])
    assert names(found) == ["last", "numbers", "merged"]
    (found,) = fuse([reader("last", merged, reader("other", leaf("rows", tuning.FUSED_ROWS, SEVERAL)))])
    assert names(found) == ["last"]


def test_few_rows_are_read_by_each_process_that_needs_them():
    few = reader("few", leaf("rows", 2))
    readers = [reader(name, few, leaf("many", 1, SEVERAL), count=SEVERAL) for name in ("one", "other")]
    plan = reader("last", *readers)
    (found,) = fuse([plan])
    assert [names(node) for node in found.dependencies()] == [["one", "few", "rows"], ["other", "few", "rows"]]
    assert len(tasks_below([found])) == 1 + 3 * SEVERAL
    assert results([found]) == results([plan])
    # A table travels with each task, so it has fewer rows.
    (found,) = fuse([reader("last", leaf("table", tuning.ROWS_SENT + 1), count=SEVERAL)])
    assert names(found) == ["last"]


def test_many_nodes_are_computed_once_for_all_processes(monkeypatch):
    monkeypatch.setattr(tuning, "MOST_COPIED", 2)
    plan = reader("last", reader("third", reader("second", leaf("rows"))), count=SEVERAL)
    (found,) = fuse([reader("all", plan)])
    (last,) = found.dependencies()
    assert names(last) == ["last"]
    assert [names(node) for node in last.dependencies()] == [["third", "second", "rows"]]
    assert results([found]) == results([reader("all", plan)])


@pytest.mark.parametrize(("most", "are_copied"), [(SEVERAL**2, True), (SEVERAL**2 - 1, False)])
def test_few_results_are_merged_by_each_process_that_needs_them(monkeypatch, most, are_copied):
    monkeypatch.setattr(tuning, "MOST_SENT", most)
    parts = leaf("parts", tuning.FUSED_ROWS, SEVERAL)
    merged = reader("merged", parts)
    plan = reader("last", reader("middle", merged, count=SEVERAL))
    (found,) = fuse([plan])
    (middle,) = found.dependencies()
    assert names(middle) == (["middle", "merged"] if are_copied else ["middle"])
    assert results([found]) == results([plan])


def test_a_task_for_each_thread_makes_several_partitions(monkeypatch):
    count = tuning.MOST_IN_BUNDLE * 2
    monkeypatch.setattr(fusion, "worker_threads", lambda: workers(2))
    plan = reader("last", reader("middle", leaf("rows", count=count), count=count, in_step=False))
    (found,) = fuse([plan])
    assert results([found]) == results([plan])
    assert len(tasks_below([found])) == 1 + 2 + 2
    (middle,) = found.dependencies()
    nodes = [middle, *middle.dependencies()]
    placed = found.__dask_annotations__()
    assert placed["workers"] == {
        (node._name, at): [place] for node in nodes for at, place in ((0, "tcp://0"), (count // 2, "tcp://1"))
    }
    assert all(placed["allow_other_workers"].values())
    # What is asked for has a task of its own for each partition.
    (wanted,) = plan.dependencies()
    assert len(tasks_below(fuse([plan, wanted]))) == 1 + count + 2


@pytest.mark.parametrize(("rows", "count", "tasks"), [(10, 8, 2), (11, 8, 8), (1, 9, 9), (1, 2, 2)])
def test_more_rows_or_partitions_have_a_task_for_each(monkeypatch, rows, count, tasks):
    monkeypatch.setattr(fusion, "worker_threads", lambda: workers(2))
    monkeypatch.setattr(fusion, "partition_size", lambda: 8 * 40)
    plan = reader("last", reader("rows", leaf("leaf", rows, count), count=count))
    (found,) = fuse([plan])
    assert len(tasks_below([found])) == 1 + tasks
    assert results([found]) == results([plan])


@pytest.mark.cluster
def test_partitions_are_made_elsewhere_once_their_worker_is_gone(cluster_client, monkeypatch):
    monkeypatch.setattr(fusion, "worker_threads", lambda: workers(2))
    plan = reader("last", reader("middle", leaf("rows", 1, SEVERAL), count=SEVERAL, in_step=False))
    (found,) = fuse([plan])
    assert cluster_client.get(TaskGraph.of([found]), [(found._name, 0)])[0][1][0][0] == "middle0"


def test_results_are_merged_once_if_they_would_be_needed_again_later():
    merged = reader("merged", leaf("parts", tuning.FUSED_ROWS, SEVERAL))
    first = reader("first", merged, count=SEVERAL)
    (found,) = fuse([reader("last", reader("second", merged, first, count=SEVERAL, in_step=False))])
    (second,) = found.dependencies()
    assert names(second) == ["second"]
    assert names(second.dependencies()[0]) == ["merged"]


def shared_tasks(function):
    """Return fused tasks, as two workers get them, that read what a function makes of an input."""
    tasks = (Task("shared", function, TaskRef("given")), Task("last", list, TaskRef("shared")))
    return [
        pickle.loads(pickle.dumps(FusedTasks(tasks, (("given",),), ("last",), Copies(["shared"])))) for _ in range(2)
    ]


calls: list[object] = []


def counted(given):
    calls.append(given)
    return (*given, len(calls))


def fails_first(given):
    calls.append(given)
    if len(calls) == 1:
        raise AkdaskError("the first one fails", hint="nothing")
    return given


def test_waiting_tasks_of_a_process_share_a_result():
    calls.clear()
    one, other = shared_tasks(counted)
    assert [run_fused(one, [(0,)]), run_fused(other, [(0,)])] == [[0, 1], [0, 1]]
    # Nobody waits any more; a task that runs again makes the result again.
    assert [run_fused(one, [(0,)]), run_fused(other, [(0,)])] == [[0, 2], [0, 3]]


def test_threads_of_a_process_make_a_shared_result_once():
    calls.clear()
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(run_fused, shared_tasks(counted), [[(0,)], [(0,)]]))
    assert found == [[0, 1], [0, 1]]


def test_a_task_makes_the_result_that_another_failed_to_make():
    calls.clear()
    one, other = shared_tasks(fails_first)
    with pytest.raises(AkdaskError, match="the first one fails"):
        run_fused(one, [(0,)])
    assert run_fused(other, [(0,)]) == [0]


def test_aliases_are_no_tasks_of_their_own():
    held = PersistedResults("held", {"there": 5, "again": Alias("again", "there")}, ("again",))
    graph = TaskGraph.of([reader("last", held)]).__dask_graph__()
    (last,) = (task for task in graph.values() if isinstance(task, Task))
    assert set(graph) == {"there", last.key}
    assert last.dependencies == {"there"}
    # What is asked for keeps its key.
    assert set(TaskGraph.of([held]).__dask_graph__()) == {"there", *held.__dask_keys__()}


def test_a_tree_of_few_partials_is_fused_and_one_of_many_is_not():
    few, many = (
        TreeReduce(len, itemgetter(0), leaf("partials", count=count)) for count in (tuning.FAN_IN, tuning.FAN_IN + 1)
    )
    assert [few.is_fusible, many.is_fusible] == [True, False]


def test_results_are_dropped_as_soon_as_nobody_needs_them():
    alive = []

    class Large:
        def __init__(self, *_):
            alive.append(self)

        def __del__(self):
            counts.append(len(alive))

    counts = []

    def follow(_):
        alive.clear()
        return len(counts)

    tasks = (Task("a", Large, TaskRef("given")), Task("b", len, [1]), Task("c", follow, TaskRef("a")))
    last = Task("d", lambda c, b: (c, b, len(counts)), TaskRef("c"), TaskRef("b"))
    assert run_fused(FusedTasks((*tasks, last), (("given",),), ("d",)), [0]) == (0, 1, 1)


def test_errors_come_from_tasks_as_they_are():
    def fails(_inputs):
        raise AkdaskError("told by the task", hint="nothing")

    (found,) = fuse([Tasks("last", fails, (((), ()),))])
    (joined,) = fuse([Tasks("last", noted, ((((0, 0),), ("last",)),), found)])
    with pytest.raises(AkdaskError, match="told by the task"):
        results([joined])


@pytest.mark.lazy_only
def test_a_plan_of_columns_has_the_same_result():
    frame = ak.DataFrame({"k": ak.arange(40) % 7, "v": ak.arange(40)})
    sums = frame.groupby("k")["v"].sum()
    plans = lower_plans([sums.values.expr.finalize_compute()])
    for plan in (plans, fuse(plans)):
        (found,) = get_sync(ExprSequence(*plan).__dask_graph__(), plan[0].__dask_keys__())
        assert found.tolist() == [sum(range(k, 40, 7)) for k in range(7)]
    assert len(tasks_below(fuse(plans))) == 1 < len(tasks_below(plans))


@pytest.mark.lazy_only
@pytest.mark.parametrize(("rows", "tasks"), [(3, 0), (2, SEVERAL)])
def test_columns_that_are_only_read_are_read_by_each_process(tmp_path, monkeypatch, rows, tasks):
    monkeypatch.setattr(tuning, "FUSED_ROWS", rows)
    monkeypatch.setattr(tuning, "ROWS_COPIED", 2)
    monkeypatch.setattr(tuning, "SMALL_ROWS", 0)
    for name, count in (("left", 12), ("right", 6)):
        frame = pd.DataFrame({"k": np.arange(count) % 6, name: np.arange(count)})
        ak.DataFrame(frame).to_hdf(tmp_path / name, num_locales=SEVERAL)
    left, right = (ak.scan(str(tmp_path / name)) for name in ("left", "right"))
    joined = left.merge(right, on="k")
    plans = lower_plans([joined.groupby("left")["right"].sum().values.expr.finalize_compute()])
    found = fuse(plans)
    (made,) = get_sync(ExprSequence(*found).__dask_graph__(), found[0].__dask_keys__())
    assert made.tolist() == [k % 6 for k in range(12)]
    assert sum(key[0].startswith("read+collect") for key in tasks_below(found)) == tasks
