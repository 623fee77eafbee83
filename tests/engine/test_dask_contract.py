"""What akdask takes for granted of Dask, one assumption for each test: a release that changes one fails it by name.

Everything that `akdask._dask` and `akdask.cluster` import, call or answer is here.
"""

from __future__ import annotations

import inspect
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dask
import dask.threaded
import numpy as np
import pandas as pd
import pytest
from dask.base import collections_to_expr, named_schedulers
from dask.sizeof import sizeof

import akdask as ak
from akdask import _dask
from akdask import cluster as ours
from akdask._dask import Alias, DataNode, Expr, ExprSequence, List, SingletonExpr, Task, TaskRef
from akdask.engine.node import Node
from akdask.engine.run import compute

# ------------------------------------------------------------------------------------------ expressions and tasks


class Leaf(Node):
    name: str

    @property
    def npartitions(self):
        return 2

    def _layer(self):
        return {key: Task(key, str.upper, self.name) for key in self.__dask_keys__()}


class Placed(Leaf):
    name: str
    place: str

    def annotations(self):
        return ours.restrict(dict.fromkeys(self.__dask_keys__(), self.place), strict=True)


class Above(Node):
    below: Expr

    @property
    def npartitions(self):
        return 2

    def _lower(self):
        return None

    def _layer(self):
        pairs = zip(self.__dask_keys__(), self.below.__dask_keys__(), strict=True)
        return {ours: Task(ours, len, TaskRef(theirs)) for ours, theirs in pairs}


def test_expressions_have_operands_a_name_and_keys_by_partition():
    leaf = Leaf("contract")
    assert issubclass(SingletonExpr, Expr)
    assert leaf.operands == ["contract"]
    assert leaf.__dask_keys__() == [(leaf._name, 0), (leaf._name, 1)]
    assert Above(leaf).dependencies() == [leaf]


def test_walking_an_expression_gives_it_and_all_below():
    above = Above(Leaf("contract"))
    assert [type(node) for node in above.walk()] == [Above, Leaf]


def test_lowering_calls_lower_once_with_what_is_lowered(monkeypatch):
    calls = []
    real = Node.lower_once
    monkeypatch.setattr(Node, "lower_once", lambda self, lowered: calls.append(lowered) or real(self, lowered))
    above = Above(Leaf("contract"))
    assert above.lower_completely()._name == above._name
    assert calls
    assert all(isinstance(lowered, dict) for lowered in calls)


def test_the_graph_of_an_expression_is_the_layers_of_all_below():
    above = Above(Leaf("contract"))
    assert set(above.__dask_graph__()) == {*above.__dask_keys__(), *above.below.__dask_keys__()}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("lower_once", ["self", "lowered"]),
        ("simplify_once", ["self", "dependents", "simplified"]),
        ("rewrite", ["self", "kind", "rewritten"]),
        ("_simplify_up", ["self", "parent", "dependents"]),
        ("_simplify_down", ["self"]),
        ("_lower", ["self"]),
        ("_layer", ["self"]),
        ("lower_completely", ["self"]),
        ("finalize_compute", ["self"]),
        ("__dask_annotations__", ["self"]),
    ],
)
def test_methods_of_expressions_that_nodes_answer_or_call_take_these_parameters(name, parameters):
    assert list(inspect.signature(getattr(Expr, name)).parameters) == parameters


def test_several_collections_become_a_sequence_of_their_expressions():
    arrays = [ak.arange(3) + number for number in range(2)]
    assert isinstance(collections_to_expr(arrays), ExprSequence)
    assert [list(found) for found in dask.compute(*arrays)] == [[0, 1, 2], [1, 2, 3]]


def test_tasks_have_dependencies_and_run_when_called_with_their_results():
    task = Task("sum", sum, List(TaskRef("a"), TaskRef("b")))
    assert set(task.dependencies) == {"a", "b"}
    assert task({"a": 1, "b": 2}) == 3


def test_aliases_and_data_are_tasks():
    assert Alias("a", "b").dependencies == frozenset({"b"})
    assert DataNode("a", 3)() == 3


def test_categories_are_made_unknown():
    frame = _dask.unknown_categories(pd.DataFrame({"c": pd.Categorical([], ["a"])}))
    assert list(frame["c"].cat.categories) == ["__UNKNOWN_CATEGORIES__"]


# --------------------------------------------------------------------------------------------- threads of this process


@pytest.mark.parametrize("name", ["sync", "synchronous", "single-threaded", "threads", "threading"])
def test_schedulers_have_these_names(name):
    assert callable(named_schedulers[name])


def test_the_scheduler_of_threads_submits_to_any_executor_as_many_tasks_as_it_says():
    class Executor:
        _max_workers = 3

        def __init__(self):
            self.pool = ThreadPoolExecutor(1)
            self.running = self.most = 0

        def submit(self, function, *args):
            self.most = max(self.most, len(args) and self.running + 1)
            self.running += 1
            future = self.pool.submit(function, *args)
            future.add_done_callback(lambda _: setattr(self, "running", self.running - 1))
            return future

    executor = Executor()
    graph = {("x", number): Task(("x", number), time.sleep, 0.01) for number in range(8)}
    ours.threaded_get(graph, list(graph), pool=executor)
    assert 1 < executor.most <= 3


def test_threads_load_the_inputs_of_their_tasks_and_dump_the_results():
    here, seen = threading.current_thread(), []

    def loads(pair):
        first, second = pair
        if isinstance(second, dict):
            seen.append((first.key, dict(second), threading.current_thread() is not here))
            return first, {key: value.removeprefix("dumped ") for key, value in second.items()}
        return pair

    def dumps(pair):
        first, second = pair
        return pair if isinstance(second, dict) else (f"dumped {first}", second)

    graph = {"x": Task("x", str.upper, "a"), "y": Task("y", str.lower, TaskRef("x"))}
    assert ours.threaded_get(graph, ["y"], loads=loads, dumps=dumps) == ("dumped a",)
    assert seen == [("x", {}, True), ("y", {"x": "dumped A"}, True)]


def test_the_scheduler_of_threads_keeps_pools_that_can_be_forgotten():
    dask.delayed(len)([]).compute(scheduler="threads")
    lock = dask.threaded.pools_lock
    assert isinstance(lock, type(threading.Lock()))
    assert isinstance(dask.threaded.pools, dict)
    ours.forget_threads()
    assert dask.threaded.default_pool is None
    assert dask.threaded.pools_lock is not lock
    assert dask.delayed(len)([1]).compute(scheduler="threads") == 1


def test_sizes_are_those_that_objects_tell():
    class Sized:
        def __sizeof__(self):
            return 10**6

    assert sizeof(Sized()) >= 10**6
    assert sizeof(Sized()) == sys.getsizeof(Sized())


# --------------------------------------------------------------------------------------------- clients and workers


def test_a_module_without_a_client_has_none():
    pytest.importorskip("distributed")
    assert ours.default_client() is None


def test_addresses_that_make_no_sense_are_value_errors():
    ours.check_address("tcp://127.0.0.1:8786")
    with pytest.raises(ValueError, match="invalid literal"):
        ours.check_address("tcp://nonsense:x")


def test_outside_of_tasks_there_is_no_worker():
    pytest.importorskip("distributed")
    assert ours.current_worker() is ours.current_task() is ours.worker_folder() is None


@pytest.mark.cluster
def test_a_client_tells_memory_and_threads_of_all_workers(cluster_client):
    workers = ours.workers_of(cluster_client)
    assert len(workers) == 2
    assert all(limit > 2**20 and threads == 1 for limit, threads in workers.values())


@pytest.mark.cluster
def test_a_task_knows_its_worker_its_key_and_a_folder(cluster_client):
    def facts():
        worker = ours.current_worker()
        return worker.address, ours.current_task(), os.path.isdir(ours.worker_folder()), ours.memory_limit(worker)

    future = cluster_client.submit(facts, key="contract-facts", pure=False)
    address, task, is_folder, limit = future.result()
    assert task == (address, "contract-facts")
    assert is_folder
    assert limit == ours.workers_of(cluster_client)[address][0]


@pytest.mark.cluster
def test_a_worker_holds_results_by_their_keys(cluster_client):
    def holds(dask_worker):
        return ours.holds_result(dask_worker, "contract-held"), ours.holds_result(dask_worker, "contract-other")

    held = cluster_client.submit(np.arange, 3, key="contract-held")
    held.result()
    assert (True, False) in cluster_client.run(holds).values()
    assert held.done()


@pytest.mark.cluster
def test_workers_are_started_to_keep_no_freed_memory(cluster_client):
    assert all(cluster_client.run(ours.keeps_no_memory).values())


@pytest.mark.cluster
def test_the_event_loop_of_a_worker_calls_what_it_is_given(cluster_client):
    def start(dask_worker):
        ours.call_regularly(dask_worker, lambda: setattr(dask_worker, "contract_called", True), 10)

    def was_called(dask_worker):
        dask_worker.periodic_callbacks.pop("akdask").stop()
        return dask_worker.contract_called

    cluster_client.run(start)
    time.sleep(0.5)
    assert all(cluster_client.run(was_called).values())


# -------------------------------------------------------------------------------------------------------- spilling


class Named:
    """What workers spill as its name."""

    held: dict = {}


def register_named():
    def name_of(item):
        Named.held["a"] = item
        return "tcp://a", "key"

    ours.register_spilling(Named, name_of, lambda name: {("tcp://a", "key"): Named.held["a"]}[tuple(name)])


def test_what_moves_to_other_workers_is_serialized_with_a_context_and_what_is_spilled_without():
    from distributed.protocol import deserialize, serialize
    from distributed.protocol.serialize import dask_dumps

    register_named()
    named = Named()
    header, frames = serialize(named, on_error="raise")
    assert header["serializer"] == "dask"
    assert frames == []
    assert deserialize(header, frames) is named
    # What moves to others passes one, and is pickled then.
    with pytest.raises(NotImplementedError):
        dask_dumps(named, context={})
    moved, _ = serialize(named, on_error="raise", context={})
    assert moved["serializer"] == "pickle"


def test_workers_spill_what_is_registered_as_its_name_and_find_it_again(tmp_path):
    from distributed.spill import SpillBuffer

    register_named()
    data, named = SpillBuffer(str(tmp_path), target=2**30), Named()
    data["key"] = named
    assert data.evict() >= 0
    assert list(data.slow) == ["key"]
    assert "key" in data
    assert data["key"] is named


# ---------------------------------------------------------------------------------------------------- restrictions


@pytest.fixture
def local_client():
    """Return a client of two workers, threads of this process, of which one may go."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.mark.cluster
def test_annotations_of_nodes_reach_the_scheduler_by_key(local_client):
    place = max(ours.workers_of(local_client))

    placed = Placed("contract", place)

    class Root:
        expr = placed
        __dask_graph__ = placed.__dask_graph__
        __dask_keys__ = placed.__dask_keys__

        def __dask_postcompute__(self):
            return list, ()

    futures = local_client.compute(Root())
    futures.result()
    held = {key: set(where) for key, where in local_client.who_has().items() if key[0] == placed._name}
    assert set().union(*held.values()) <= {place}


@pytest.mark.cluster
def test_a_plugin_sees_new_tasks_and_workers_that_go(local_client):
    class Watching(ours.SchedulerPlugin):
        name = "contract"
        idempotent = True

        def __init__(self):
            self.seen, self.gone = [], []

        def update_graph(self, scheduler, *, tasks, **_):
            self.seen += [task.key for task in ours.tasks_of(scheduler, tasks)]

        def remove_worker(self, scheduler, worker, *, stimulus_id, **_):
            ours.run_waiting(scheduler, ours.tasks_of(scheduler), stimulus_id)
            self.gone.append(worker)

    ours.register_plugin(local_client, Watching())
    watching = local_client.cluster.scheduler.plugins["contract"]
    local_client.submit(len, [], key="contract-seen").result()
    assert "contract-seen" in watching.seen
    worker = next(iter(local_client.cluster.workers.values()))
    address = worker.address
    local_client.cluster.sync(worker.close)
    assert watching.gone == [address]


@pytest.mark.cluster
def test_a_plugin_is_told_how_tasks_have_ended(local_client):
    class Noting(ours.SchedulerPlugin):
        name = "contract-ends"

        def __init__(self):
            self.ends = []

        def transition(self, key, start, finish, *args, **facts):
            self.ends.append((key, start, finish, facts))

    ours.register_plugin(local_client, Noting())
    noting = local_client.cluster.scheduler.plugins["contract-ends"]
    local_client.submit(bytes, 1000, key="contract-end").result()
    local_client.submit(int, "x", key="contract-error").exception()
    ends = {(key, finish): facts for key, start, finish, facts in noting.ends if start == "processing"}
    facts = ends["contract-end", "memory"]
    assert facts["nbytes"] >= 1000
    assert [span["stop"] >= span["start"] for span in facts["startstops"] if span["action"] == "compute"] == [True]
    assert ("contract-error", "erred") in ends


@pytest.mark.cluster
def test_a_restart_cancels_what_a_client_holds(local_client):
    future = local_client.submit(len, [])
    assert future.result() == 0
    assert not ours.is_cancelled(future)
    local_client.restart(wait_for_workers=False)
    # The scheduler tells its clients, which older releases do not wait for.
    until = time.monotonic() + 10
    while not ours.is_cancelled(future):
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.cluster
def test_a_restricted_task_waits_for_its_worker_and_runs_once_relaxed(local_client):
    def relax(dask_scheduler):
        relaxed = ours.relax_restrictions(dask_scheduler, ours.tasks_of(dask_scheduler), "contract_mark")
        ours.run_waiting(dask_scheduler, relaxed, "contract")
        return len(relaxed)

    with dask.annotate(workers=["tcp://127.0.0.1:1"], allow_other_workers=False, contract_mark=True):
        waiting = dask.delayed(len, pure=False)([1]).persist()
    (key,) = waiting.__dask_keys__()
    tasks = local_client.cluster.scheduler.tasks
    until = time.monotonic() + 10
    while key not in tasks or tasks[key].state != "no-worker":
        assert time.monotonic() < until
        time.sleep(0.01)
    assert local_client.run_on_scheduler(relax) == 1
    assert waiting.compute() == 1


# ------------------------------------------------------------------------------------ results that are fetched in part


@pytest.mark.cluster
def test_a_scheduler_keeps_results_until_their_owner_lets_them_go(local_client):
    scheduler = local_client.cluster.scheduler
    future = local_client.submit(len, [1], key="contract-kept")
    future.result()
    local_client.run_on_scheduler(lambda dask_scheduler: ours.keep_results(dask_scheduler, ["contract-kept"], "owner"))
    future.release()
    (holder,) = scheduler.tasks["contract-kept"].who_has
    closed = next(item for item in local_client.cluster.workers.values() if item.address == holder.address)
    local_client.cluster.sync(closed.close)
    until = time.monotonic() + 10
    while scheduler.tasks["contract-kept"].state != "memory":
        assert time.monotonic() < until
        time.sleep(0.01)
    local_client.run_on_scheduler(lambda dask_scheduler: ours.let_results_go(dask_scheduler, "owner"))
    # That the client has released it may be told later than its owner lets it go.
    while "contract-kept" in scheduler.tasks:
        assert time.monotonic() < until
        time.sleep(0.01)
    assert "owner" not in scheduler.clients


@pytest.mark.cluster
def test_tasks_wait_again_for_a_result_that_is_taken_back(local_client):
    first = local_client.submit(len, [1], key="contract-first")
    first.result()
    waiting = local_client.submit(lambda _: time.sleep(0.2), first, key="contract-second")

    def take_back(dask_scheduler):
        ours.release_results(dask_scheduler, ours.tasks_of(dask_scheduler, ["contract-first"]), "contract")
        # Looked at here, as it is soon computed anew.
        return dask_scheduler.tasks["contract-first"].state

    assert local_client.run_on_scheduler(take_back) != "memory"
    waiting.result()


def test_a_setting_says_when_schedulers_give_up_workers():
    import distributed  # noqa: F401 -- sets the default

    assert ours.worker_ttl() == ours.WORKER_TTL
    for value, seconds in {"7 s": 7, "2 minutes": 120, None: ours.WORKER_TTL}.items():
        with dask.config.set({"distributed.scheduler.worker-ttl": value}):
            assert ours.worker_ttl() == seconds


@pytest.mark.cluster
def test_workers_answer_each_other_and_those_that_are_gone_do_not(local_client):
    class Answering(ours.WorkerPlugin):
        name = "contract-answering"

        def setup(self, worker):
            async def contract(number):
                return {"parts": ours.as_message(bytes(number))}

            worker.handlers["contract"] = contract

    def ask(addresses, key):
        worker = ours.current_worker()
        answers = ours.answers_of(worker, "contract", {address: {"number": 3} for address in addresses})
        return answers, ours.own_results(worker, [key]), ours.holders_of(worker, [key, "contract-missing"])

    ours.register_plugin(local_client, Answering())
    here, there = sorted(local_client.nthreads())
    held = local_client.submit(len, [1, 2], key="contract-held", workers=[here])
    held.result()
    gone = f"{there.rpartition('/')[0]}/999999"
    answers, own, holders = local_client.submit(ask, [there, gone], "contract-held", workers=[here]).result()
    assert answers == {there: {"parts": bytes(3)}, gone: None}
    assert own == {"contract-held": 2}
    assert {key: list(places) for key, places in holders.items()} == {"contract-held": [here], "contract-missing": []}


@pytest.mark.cluster
def test_messages_wait_a_millisecond_at_most(local_client):
    from akdask.engine.plugins import install_plugins

    scheduler = local_client.cluster.scheduler
    workers = list(local_client.cluster.workers.values())
    longest = max(stream.interval for stream in scheduler.stream_comms.values())
    assert longest > ours.MESSAGE_INTERVAL
    install_plugins()
    local_client.cluster.scale(3)
    local_client.wait_for_workers(3)
    assert ak.arange(5).sum().compute() == 10
    assert len(scheduler.stream_comms) == 3
    streams = [*scheduler.stream_comms.values(), *scheduler.client_comms.values(), local_client.scheduler_comm]
    streams += [worker.batched_stream for worker in (*workers, *local_client.cluster.workers.values())]
    assert {stream.interval for stream in streams} == {ours.MESSAGE_INTERVAL}


@pytest.mark.cluster
def test_clients_take_plans_and_return_results_or_futures_of_their_keys(local_client):
    plan = ExprSequence(Leaf("sent"), Leaf("other"))
    keys = [[(leaf._name, 1), (leaf._name, 0)] for leaf in plan.operands]
    futures = local_client.get(plan, keys, sync=False)
    assert [[future.key for future in own] for own in futures] == keys
    results = [[future.result() for future in own] for own in futures]
    assert [list(own) for own in local_client.get(plan, keys, sync=True)] == results


def test_results_are_computed_together_without_dask_as_with_it():
    items = (ak.arange(3).sum(), 4, ak.arange(2), None)
    for found in (compute(*items), dask.compute(*items)):
        assert (found[0], found[1], found[2].tolist(), found[3]) == (3, 4, [0, 1], None)
    assert compute() == ()
