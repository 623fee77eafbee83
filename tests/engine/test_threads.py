"""Tasks that wait for threads of this process, and who has threads of his own."""

import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from signal import SIGINT, default_int_handler, pthread_kill, signal

import dask
import numpy as np
import pytest
from dask import delayed
from dask.callbacks import Callback

import akdask as ak
from akdask._dask import Alias, Task, TaskRef
from akdask.columns.table import Table
from akdask.engine import scheduler, tuning
from akdask.testing.memory import MemorySource


@pytest.fixture
def noted(monkeypatch):
    """Have no scheduler chosen, and note in which threads Dask is asked to run."""
    pools = []
    get = dask.threaded.get

    def spy(graph, keys, **options):
        pools.append(options.get("pool"))
        return get(graph, keys, **options)

    monkeypatch.setattr(scheduler, "threaded_get", spy)
    with dask.config.set(scheduler=None):
        yield pools


def test_the_threads_are_those_of_akdask_where_nothing_is_said(noted):
    column = MemorySource({"x": np.arange(9)}, [4, 5]).arrays()["x"]
    with dask.config.set(num_workers=3):
        assert column.sum() == 36
        assert dask.compute(column.sum()) == (36,)
        graph = {number: Task(number, lambda: threading.current_thread().name) for number in range(70)}
        assert {name.split("_")[0] for name in scheduler.get(graph, list(graph))} == {"akdask"}
    assert noted == []


def test_dask_hands_tasks_to_them_where_somebody_observes(noted):
    column = MemorySource({"x": np.arange(9)}, [4, 5]).arrays()["x"]
    begun = []
    with dask.config.set(num_workers=3), Callback(pretask=lambda key, *_: begun.append(key)):
        assert column.sum() == 36
    assert begun
    assert [pool._max_workers for pool in noted] == [3]


@pytest.mark.parametrize("count", [1, 3])
def test_as_many_run_at_once_as_there_are_threads(count):
    running, most = set(), []
    lock = threading.Lock()
    together = threading.Barrier(count)

    def task(number):
        with lock:
            running.add(number)
            most.append(len(running))
        together.wait(10)
        with lock:
            running.remove(number)
        return number

    graph = {("task", number): (task, number) for number in range(4 * count)}
    found = scheduler.get(graph, list(graph), num_workers=count)
    assert list(found) == list(range(4 * count))
    assert max(most) == count


def test_a_pool_that_is_configured_is_taken(noted):
    with ThreadPoolExecutor(1) as pool, dask.config.set(pool=pool):
        assert ak.arange(5).sum() == 10
    assert noted == [None]


def test_computing_within_tasks_waits_for_nobody():
    """More of them than there are threads, each of which computes in turn."""
    columns = MemorySource({"x": [1, 2, 3]}, [1, 2]).arrays()

    def computed(number):
        return int((columns["x"] + number).sum())

    wanted = [delayed(computed)(number) for number in range(8)]
    with dask.config.set(num_workers=2):
        graph = {
            ("task", number): (lambda item: item.compute(scheduler="threads"), item)
            for number, item in enumerate(wanted)
        }
        assert list(scheduler.get(graph, list(graph))) == [6 + 3 * number for number in range(8)]


def test_other_threads_have_their_own(noted):
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: int(ak.arange(5).sum())).result() == 10
    assert noted == [None]


def test_an_error_is_raised_where_one_waits_and_tasks_that_wait_are_dropped():
    """A write that has failed is tidied up: no task may begin to write after that."""
    first, is_running, may_end, begun = threading.Lock(), threading.Event(), threading.Event(), []

    def task():
        if first.acquire(blocking=False):
            is_running.wait(10)
            raise ZeroDivisionError("in a task")
        begun.append(True)
        is_running.set()
        may_end.wait(10)

    # Each of two threads can have taken one that holds on when the error is seen; one more has been handed out.
    graph = {("task", number): (task,) for number in range(9)}
    with pytest.raises(ZeroDivisionError, match="in a task"):
        scheduler.get(graph, list(graph), num_workers=2)
    may_end.set()
    assert scheduler.get({"task": (sum, [1, 2])}, "task", num_workers=2) == 3
    assert 1 <= len(begun) <= 2


def test_an_error_between_tasks_is_raised_where_one_waits(monkeypatch):
    def fail(tasks, key, result):
        raise MemoryError("no room for what is known of a result")

    monkeypatch.setattr(scheduler.OrderedTasks, "finish", fail)
    with ThreadPoolExecutor(2) as pool, pytest.raises(MemoryError, match="no room"):
        scheduler.run_in_threads({number: Task(number, int) for number in range(9)}, list(range(9)), pool, 2)


def test_little_in_memory_is_computed_by_the_thread_that_asks(noted):
    column = ak.array([3, 1, 2]).persist()
    noted.clear()
    assert ak.GroupBy(column).size()[1].persist().tolist() == [1, 1, 1]
    assert noted == []


@pytest.mark.parametrize("in_threads", [False, True])
def test_results_are_let_go_once_they_have_been_read_for_the_last_time(noted, in_threads):
    held = weakref.WeakSet()

    class Result:
        def __init__(self, *inputs):
            self.depth = 1 + max((item.depth for item in inputs), default=0)
            self.alive = len(held)
            held.add(self)

    first = Table({"x": np.arange(3)}, 3)
    graph = {"first": first, "a": Task("a", lambda table: Result(), TaskRef("first"))}
    for name, before in zip("bcde", "abcd", strict=True):
        graph[name] = Task(name, Result, TaskRef(before))
    graph["alias"] = Alias("alias", "e")
    keys = ["alias", ["e", "first"]]
    with ThreadPoolExecutor(2) as pool:
        found, (again, table) = (
            scheduler.run_in_threads(graph, keys, pool, 2) if in_threads else scheduler.get(graph, keys)
        )
    assert found is again
    assert table is first
    assert (found.depth, found.alive) == (5, 1)
    assert list(held) == [found]
    assert noted == []


def test_tasks_run_as_they_are_found_below_what_is_wanted():
    """So that few results wait at a time: each sum of four is taken before the next four are made."""
    ran = []

    def task(name, *inputs):
        ran.append(name)
        return sum(inputs, 1)

    graph = {("leaf", number): Task(("leaf", number), task, "leaf") for number in range(8)}
    for half in range(2):
        leaves = [TaskRef(("leaf", number)) for number in range(4 * half, 4 * half + 4)]
        graph["half", half] = Task(("half", half), task, "half", *leaves)
    graph["all"] = Task("all", task, "all", TaskRef(("half", 0)), TaskRef(("half", 1)))
    with ThreadPoolExecutor(1) as pool:
        assert scheduler.run_in_threads(graph, "all", pool, 1) == 11
    assert ran == [*["leaf"] * 4, "half", *["leaf"] * 4, "half", "all"]


def test_tasks_wait_for_each_other_where_memory_is_short(monkeypatch):
    running, most = [], []

    def task():
        running.append(1)
        most.append(len(running))
        running.pop()

    monkeypatch.setattr(tuning, "MEMORY_PAUSE", 0.001)
    monkeypatch.setattr(scheduler.memory_budget, "is_exhausted", lambda: True)
    with ThreadPoolExecutor(3) as pool:
        scheduler.run_in_threads({number: Task(number, task) for number in range(50)}, list(range(50)), pool, 3)
    assert most == [1] * 50


def test_a_task_of_dask_waits_for_another_where_memory_is_short(monkeypatch):
    is_short, begun, may_end = threading.Event(), threading.Event(), threading.Event()
    is_short.set()
    monkeypatch.setattr(scheduler.memory_budget, "is_exhausted", is_short.is_set)
    monkeypatch.setattr(tuning, "MEMORY_PAUSE", 0.01)
    executor = scheduler.Executor(3)
    try:
        # Alone it runs, whatever memory there is.
        first = executor.submit(lambda: begun.set() or may_end.wait(10))
        assert begun.wait(10)
        second, third = executor.submit(int), executor.submit(int)
        assert not second.done()
        may_end.set()
        assert first.result(10)
        assert (second.result(10), third.result(10)) == (0, 0)
    finally:
        is_short.clear()
        may_end.set()


def test_an_interruption_reaches_whoever_waits_and_no_more_tasks_are_taken(request):
    may_end, begun = threading.Event(), []
    # Whatever was imported before may have installed another handler; later tests must meet no signal of this one.
    request.addfinalizer(partial(signal, SIGINT, signal(SIGINT, default_int_handler)))
    request.addfinalizer(may_end.set)

    def task():
        begun.append(True)
        # As Ctrl-C does: `interrupt_main` would leave a thread that waits asleep.
        pthread_kill(threading.main_thread().ident, SIGINT)
        may_end.wait(60)

    graph = {number: Task(number, task) for number in range(9)}
    with pytest.raises(KeyboardInterrupt):
        scheduler.get(graph, list(graph), num_workers=1)
    may_end.set()
    assert scheduler.get({"one": Task("one", sum, [1, 2])}, "one", num_workers=1) == 3
    assert len(begun) == 1


def test_observers_are_told_of_tasks_that_are_computed_here():
    begun = []
    with Callback(pretask=lambda key, *_: begun.append(key)):
        assert (ak.array([1, 2, 3]) + 1).sum() == 9
    assert begun


def test_threads_of_an_interrupted_computation_end_and_others_take_their_place():
    executor = scheduler.Executor(2)
    assert executor.submit(int).result() == 0
    before = list(executor._pool._threads)
    executor.abandon()
    for thread in before:
        thread.join(timeout=30)
    assert before
    assert not any(thread.is_alive() for thread in before)
    assert scheduler.Executor(2).submit(int).result() == 0
