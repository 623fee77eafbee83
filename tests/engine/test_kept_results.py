"""Results that are kept: by the cache as long as they are leased, on workers as long as a plan lives."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from weakref import ref

import numpy as np
import pytest

import akdask as ak
from akdask.columns.table import Table
from akdask.engine import cache, run, tuning
from akdask.engine.cache import Materialized, WorkerResults
from akdask.engine.rowwise import Project, Zip
from akdask.engine.sources import Literal
from akdask.engine.values import Call, Constant

ONE = Constant(np.int64(1))


def rows_of(*lengths):
    frame = Literal.of([Table({"x": np.arange(rows)}, rows) for rows in lengths])
    return frame, frame.column("x")


def kept(number=0, *lengths):
    """Return a materialized column that differs from those of other numbers."""
    frame, x = rows_of(*(lengths or (3, 2)))
    return Materialized(Project(frame, (0,), (Call("add", x, Constant(np.int64(number))),)))


class Sized:
    """A result of so many bytes."""

    def __init__(self, nbytes):
        self.nbytes = nbytes


class Client:
    """A client of a cluster: what results it has, by worker."""

    asynchronous = False

    def __init__(self, sizes=None, held=None):
        self.sizes, self.held = sizes or {}, held or {}

    def nbytes(self, *, summary):
        assert not summary
        return self.sizes

    def has_what(self):
        return self.held


class Future:
    """A result on a worker."""

    def __init__(self, key, is_cancelled=False):
        self.key, self.is_cancelled = key, is_cancelled

    def cancelled(self):
        return self.is_cancelled


def test_results_are_cached_while_they_are_leased():
    first, key, item = cache.lease("letters"), ("letters", 0), Sized(5)
    assert cache.lease("letters") is first
    assert cache.put(key, item) is item
    assert cache.put(None, item) is item
    assert cache.put(("others", 0), item) is item
    assert (cache.find(key), cache.find(("others", 0)), cache.find(None)) == (item, None, None)
    assert cache.sizes()["letters"] == 5
    assert cache.is_leased("letters")
    assert not cache.is_leased("others")
    del first
    assert cache.find(key) is None
    assert not cache.is_leased("letters")
    # What another holder of the same name has got meanwhile stays.
    second = cache.lease("letters")
    cache.put(key, item)
    cache._forget("letters", {key, ("letters", 1)})
    assert second.keys == {key, ("letters", 1)}
    assert cache.find(key) is item


@pytest.mark.parametrize(("limit", "memory", "most"), [(None, 800, 100), (50, 800, 50), (0, 800, 0), (10**6, 8, 10**6)])
def test_the_cache_takes_an_eighth_of_the_memory_or_what_is_set(monkeypatch, limit, memory, most):
    monkeypatch.setattr(cache.cluster, "process_memory", lambda: memory)
    with ak.config.set(cache_size=limit):
        assert cache._limit() == most


def test_columns_in_the_cache_need_no_computation():
    node = kept(1, 3, 0, 2)
    assert node.npartitions == 3
    assert (node.is_there, node.describe(), node.cached) == (False, "Keep for later rounds", None)
    assert list(map(id, node.dependencies())) == list(map(id, node.inputs)) == [id(node.frame)]
    tables = [Table({0: np.arange(rows)}, rows) for rows in (3, 0, 2)]
    held = node.lease
    for number in (0, 2):
        cache.put((node._name, number), tables[number])
        assert node.cached is None
    cache.put((node._name, 1), tables[1])
    assert list(map(id, node.cached)) == list(map(id, tables))
    assert (node.is_there, node.dependencies(), node.describe()) == (True, [], "Kept of an earlier round")
    assert held.name == node._name
    assert not node.is_planned
    other = kept(2, 3, 0, 2)
    node.plan_by(other)
    assert node.is_planned
    assert node.plan is other
    with ak.config.set(optimize=False):
        assert node.plan is node.frame


def test_columns_on_workers_are_there_for_their_client_alone(monkeypatch):
    client, node = Client(), kept(3)
    current = [client]
    monkeypatch.setattr(cache, "shares_memory", lambda: current[0] is None)
    monkeypatch.setattr(cache, "default_client", lambda: current[0])
    assert node.on_workers is None
    futures = {key: Future(key) for key in ("a", "b")}
    found = WorkerResults(ref(client), futures, ("a", "b"))
    node.hold(found)
    assert node.on_workers is found
    assert (node.is_there, node.dependencies()) == (True, [])
    for other in (None, Client()):
        current[0] = other
        assert node.on_workers is None
        assert not node.is_there
    current[0] = client
    # A restart cancels all, so that one tells of them.
    futures["b"].is_cancelled = True
    assert node.on_workers is found
    futures["a"].is_cancelled = True
    assert node.on_workers is None
    futures["a"].is_cancelled = False
    node.hold(None)
    assert node.on_workers is None
    node.hold(WorkerResults(ref(client), {}, ()))
    assert node.on_workers is not None
    del client
    current[0] = None
    gc.collect()
    monkeypatch.setattr(cache, "shares_memory", lambda: False)
    assert node.on_workers is None


def test_a_client_is_asked_for_the_result_of_each_plan(monkeypatch):
    asked = []

    def sent(client, lowered, keys, *, sync):
        assert sync
        asked.append((client, lowered))
        return [f"result of {key}" for key in keys]

    client = Client()
    monkeypatch.setattr(run, "_scheduler", lambda: None)
    monkeypatch.setattr(run, "default_client", lambda: client)
    monkeypatch.setattr(run, "_fused", lambda plans: plans)
    monkeypatch.setattr(run, "_sent", sent)
    plans = [rows_of(count)[0] for count in (5, 6)]
    whole = [plan.finalize_compute() for plan in plans]
    assert run._results(plans) == tuple(f"result of {plan.__dask_keys__()[0]}" for plan in whole)
    assert asked == [(client, whole)]


def test_workers_compute_columns_once_and_hold_the_last_ones(monkeypatch):
    client = Client()
    state = SimpleNamespace(client=client, worker=None, here=False)
    monkeypatch.setattr(tuning, "COLUMNS_ON_WORKERS", 2)
    for module in (run, cache):
        monkeypatch.setattr(module, "shares_memory", lambda: state.here)
        monkeypatch.setattr(module, "default_client", lambda: state.client)
    monkeypatch.setattr(run, "current_worker", lambda: state.worker)
    asked = []

    def sent(client, lowered, keys, *, sync):
        assert not sync
        asked.append(lowered)
        return [[Future("of") for _ in own] for own in keys]

    monkeypatch.setattr(run, "_fused", lambda plans: plans)
    monkeypatch.setattr(run, "_sent", sent)
    nodes = [kept(10 + number) for number in range(4)]
    for state.here, state.worker, state.client in (
        (True, None, client), (False, "w", client), (False, None, None),
        (False, None, SimpleNamespace(asynchronous=True)),
    ):  # fmt: skip
        run.persist_on_workers(nodes)
        assert asked == []
    state.here, state.worker, state.client = False, None, client
    above = Materialized(Project(nodes[0], (0,), (Call("add", nodes[0].column(0), ONE),)))
    plan = Project(Zip((above, nodes[1])), (0,), (nodes[1].column(0),))
    assert {node._name for node in run._not_persisted([plan])} == {node._name for node in (above, nodes[0], nodes[1])}
    run.persist_on_workers([nodes[0], nodes[0]])
    assert asked == [[nodes[0]]]
    assert nodes[0].on_workers.keys == tuple(nodes[0].__dask_keys__()) == tuple(nodes[0].on_workers.graph)
    assert nodes[0].on_workers.client() is client
    run.persist_on_workers([plan])
    assert [{node._name for node in one} for one in asked[1:]] == [{above._name, nodes[1]._name}]
    # Of three columns the oldest is released.
    assert nodes[0].on_workers is None
    assert above.on_workers is not None
    assert nodes[1].on_workers is not None
    run.persist_on_workers([nodes[1]])
    assert len(asked) == 2
    gone = ref(nodes[2])
    del nodes[2]
    gc.collect()
    run._release(gone)
    above.hold(None)
    nodes[1].hold(None)
    run._persisted.clear()


@pytest.mark.parametrize(
    ("rounds", "steps", "memory", "is_kept"),
    [
        # Of rows that fit, columns are kept after so many rounds or steps; of many, after more rounds alone.
        (2, 3, 10**6, False), (3, 0, 10**6, True), (0, 4, 10**6, True), (3, 4, 10**6, True),
        (5, 9, 16, False), (6, 0, 16, True), (0, 30, 16, False),
        (5, 6, None, False), (6, 0, None, True), (0, 7, None, True), (0, 6, None, False),
    ],
)  # fmt: skip
def test_columns_are_kept_after_some_rounds_or_steps(monkeypatch, rounds, steps, memory, is_kept):
    limits = {"MOST_ROUNDS": 3, "MOST_STEPS": 4, "MOST_ROUNDS_OF_MANY": 6, "MOST_STEPS_OF_UNKNOWN": 7}
    for name, value in limits.items():
        monkeypatch.setattr(tuning, name, value)
    frame, x = rows_of(5)
    monkeypatch.setattr(cache, "work_of", lambda frame: SimpleNamespace(on=lambda values: (rounds, steps)))
    if memory is None:
        monkeypatch.setattr(cache, "rows_at_most", lambda frame: None)
    else:
        monkeypatch.setattr(cache.cluster, "process_memory", lambda: memory)
    found, values = cache.within_rounds(frame, [x])
    assert (found is not frame) == is_kept
    assert isinstance(found, Materialized) == is_kept
    assert len(values) == 1
    if is_kept:
        both, (first, second) = cache.within_rounds(frame, [x, Call("add", x, ONE)])
        assert isinstance(both, Zip)
        assert {first.source, second.source} == {base._name for base in both.bases}


@pytest.mark.parametrize(("memory", "fits"), [(16 * 40, True), (16 * 40 - 1, False), (16 * 41, True)])
def test_a_column_may_take_a_sixteenth_of_the_memory(monkeypatch, memory, fits):
    monkeypatch.setattr(cache.cluster, "process_memory", lambda: memory)
    frame, x = rows_of(3, 2)
    assert cache._fit(frame, [Call("less", x, ONE), x]) == fits
    assert cache._fit(frame, [Call("less", x, ONE)])
    monkeypatch.setattr(cache, "rows_at_most", lambda frame: None)
    assert cache._fit(frame, [x]) is None


def test_values_of_a_column_before_and_after_it_was_kept_go_together():
    frame, x = rows_of(3, 2)
    node = Materialized(Project(frame, (0,), (Call("multiply", x, x),)))
    resident = node.column(0)
    common, values = cache.rejoined(node, [Call("add", resident, x)])
    assert common.npartitions == 2
    found = ak.pdarray(common, values[0])
    assert found.tolist() == [row * row + row for part in ([0, 1, 2], [0, 1]) for row in part]
    for given in ([Call("add", resident, x)], [Call("add", x, resident), resident], [resident, x]):
        together, moved = cache.within_rounds(node, given)
        assert [len(ak.pdarray(together, value).tolist()) for value in moved] == [5] * len(given)
    assert cache.within_rounds(node, [resident]) == (node, [resident])
    assert cache._frame_of(x, frame) is frame
    assert cache._frame_of(x, node) is frame
    assert cache._frame_of(resident, frame) is node
    other, y = rows_of(9)
    assert cache._frame_of(y, node) is node
    above = Materialized(Project(node, (0,), (Call("add", resident, ONE),)))
    assert cache._frame_of(x, above) is frame
    assert other is not frame


def test_memory_of_results_is_told_by_place(monkeypatch):
    gc.collect()
    before = {result.name for result in cache.results_in_memory()}
    client = Client({"a": 7, "b": 2, "c": 50}, {"w1": ["a", "c"], "w2": ["a", "b"], "w3": []})
    monkeypatch.setattr(cache, "default_client", lambda: client)
    monkeypatch.setattr(cache, "shares_memory", lambda: False)
    node = kept(77)
    node.hold(WorkerResults(ref(client), {"p0": Future("a"), "p1": Future("b")}, ("p0", "p1")))
    here = kept(78)
    held = here.lease
    cache.put((here._name, 0), Sized(30))
    groups = cache.lease("groups of a test")
    cache.put(("groups of a test", 0), Sized(4))
    cache.put(("groups of a test", 1), Sized(5))
    found = {
        result.name: (result.kind, result.nbytes) for result in cache.results_in_memory() if result.name not in before
    }
    literals = {name: found.pop(name) for name in list(found) if found[name][0] == "made of values"}
    assert found == {
        node._name: ("kept for later steps", {"w1": 7, "w2": 9}),
        here._name: ("kept for later steps", {cache.HERE: 30}),
        "groups of a test": ("groups found before", {cache.HERE: 9}),
    }
    assert [nbytes for _, nbytes in literals.values()] == [{cache.HERE: 40}]
    assert cache._locations(set()) == {}
    assert cache._locations({"b", "lost"}) == {"b": {"w2": 2}, "lost": {}}
    table = Table({0: np.arange(4)}, 4)
    assert cache._bytes_of({"p": Future("a"), "q": table}, {"a": {"w1": 7}}) == {"w1": 7, cache.HERE: 32}
    assert cache._bytes_of({"p": "anything"}, {}) == {}
    node.hold(None)
    monkeypatch.setattr(cache, "default_client", lambda: None)
    assert cache._locations({"b"}) == {}
    assert (held.name, groups.name) == (here._name, "groups of a test")


def test_plans_are_made_from_their_inputs_and_replicas():
    frame, x = rows_of(4)
    total = ak.pdarray(frame, x).sum()
    plan = (ak.pdarray(frame, x) - total).expr
    names = cache.names_below([plan])
    assert {plan._name, frame._name} <= names
    assert total.expr._name in names or len(names) > 3
    assert cache.names_below([]) == set()
