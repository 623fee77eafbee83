"""Operations in long chains: planned and run with work that grows as the chain does, and no deeper calls.

Work is counted in tasks and in calls of Python functions, with which time has nothing to do.
"""

import os
import pickle
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from inspect import stack
from itertools import pairwise
from pkgutil import walk_packages
from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
import akdask.engine
import akdask.operators
from akdask.engine import values
from akdask.engine.cache import Materialized
from akdask.engine.node import Frame, Node, values_of_round
from akdask.engine.pipeline import Pipeline
from akdask.engine.rowwise import Partitions
from akdask.engine.sources import Rows
from akdask.engine.tuning import MOST_ROUNDS, MOST_ROUNDS_OF_MANY
from akdask.engine.values import Replica, walk
from akdask.frames.expanding import recurrence

IS_LIMITED = "AKDASK_TEST_STEPS" in os.environ
MOST_STEPS = int(os.environ.get("AKDASK_TEST_STEPS", "80"))
"""Steps of the longest chains that are run; unless they are set, kinds of few calls are run at twice as many."""

HALVINGS = range(5, -1, -1) if IS_LIMITED else range(2, -2, -1)
LENGTHS = [int(MOST_STEPS / 2**number) for number in HALVINGS]

FEW_CALLS = 600
"""Calls for each step in kinds of chains of which a hundred and sixty steps take a tenth of a second or less."""

THOUSAND = 1000
PLANNED = THOUSAND if IS_LIMITED else 150
"""Steps of the chains that are planned."""

MOST_NESTED = 125
"""Calls that planning may nest, fewer than there are steps."""

MOST_GROWTH = 2.5
"""How much more work a chain of twice the length may take."""

MOST_GROWTH_OF_CALLS = 2.3
"""Calls of functions grow evenly: 2.16 times at most."""

FEW_TASKS = 16
"""What joins in steps makes some tasks more or less, whatever the length."""

ROWS = 12


def _frame(v):
    return ak.DataFrame({"k": v % 3, "v": v})


def _dedup(v):
    return _frame(v).drop_duplicates()["v"]


def _grouped_sums(v):
    return ak.GroupBy(v % 7).sum(v)[1]


def _frame_fed_back(d):
    keys, sums = ak.GroupBy(d["k"]).sum(d["v"])
    return ak.DataFrame({"k": keys, "v": sums})


def _swapped(v):
    w = v[1:]
    return w + v[:-1]


def _put(v):
    w = v + 0
    w[w > 3] = 1
    w[[0]] = ak.array([5])
    return w


def _put_masked(v):
    w = v + 0
    w[w > 3] = w[w > 3] - 1
    return w


def _put_items_of_others(v):
    w, chosen = v + 0, v > 3
    w[chosen] = (v * 2)[chosen]
    return w % 11


def _put_at_positions(v):
    w, at = v + 0, ak.argsort(v[v % 5 != 7])
    w[at] = at[:] + 1
    return w % 11


def _groups_made_of_parts(v):
    groups = ak.GroupBy(v % 5)
    made = ak.GroupBy.build_from_components(orig_keys=v % 5, permutation=groups.permutation, segments=groups.segments)
    return made.broadcast(made.sum(v)[1]) % 100


def _other_labels(c):
    return c.set_categories(ak.unique(c.to_strings()), na_value="N/A")


def _in_parts():
    """Return rows in two partitions that nobody knows the number of, which are sorted as many rows are."""
    values = ak.SegArray(ak.array([0, 2, 5]), ak.arange(ROWS)).values
    return ak.concatenate([values, values + 1])


def _first_partition(v):
    return ak.pdarray(Partitions(v._frame, (0,)), v._value) + 1


def _arange(start: int = ROWS):
    return ak.arange(start)


def _search(state):
    """Return the next step of a breadth-first search: what is reached, and all that has been."""
    reached, seen, sources, targets = state
    found = ak.unique(targets[ak.in1d(sources, reached)])
    found = found[~ak.in1d(found, seen)]
    return found, ak.concatenate([seen, found]), sources, targets


def _begin_search():
    return ak.array([0]), ak.array([0]), ak.array(np.arange(40)), ak.array((np.arange(40) * 7 + 3) % 40)


def _mode(v):
    return ak.GroupBy(v % 3).mode(v)[1]


def _self_join(v):
    return _frame(v).merge(ak.DataFrame({"v": v, "w": v + 1}), on="v")["w"]


def _exchanged_join(v):
    with ak.config.set(replicate_size=0):
        return _self_join(v) % 20


def _exchanged_take(v):
    with ak.config.set(replicate_size=0):
        return v[ak.array(np.arange(ROWS)[::-1].copy())]


def _largest(v):
    return ak.maxk(v, 5)


def _nested(v):
    return ak.SegArray(ak.array([0, 2, 5]), v)[::1].values


Step = Callable[[Any], Any]


def _floats() -> Any:
    return _in_parts() * 1.0


def _ranks_in_groups(values: Any) -> Any:
    ranks = ak.DataFrame({"k": values % 3, "v": values}).groupby("k").rank()["v"]
    return ak.cast(ranks, "int64")


def _means_of_spans(v: Any) -> Any:
    times = ak.Datetime(ak.arange(v.size) * 10**9)
    return ak.DataFrame({"t": times, "v": v}).rolling("3s", on="t").mean()["v"]


CHAINS: dict[str, tuple[Callable[[], Any], Step]] = {
    "filter": (_arange, lambda v: v[v % 5 != 7] + 1),
    "filters of filters": (lambda: ak.arange(2 * THOUSAND), lambda v: v[v > 2] - 1),
    "slice": (lambda: ak.arange(2 * THOUSAND), lambda v: v[1:]),
    "slices side by side": (lambda: ak.arange(2 * THOUSAND), _swapped),
    "reverse": (_arange, lambda v: v[::-1]),
    "reverse some rows": (_arange, lambda v: v[v % 5 != 7][::-1]),
    "concatenate parts": (_arange, lambda v: ak.concatenate([v[v > 3], v[v <= 3]])),
    "concatenate more": (_arange, lambda v: ak.concatenate([v, ak.arange(2)])),
    "append a row": (lambda: _frame(ak.arange(ROWS)), lambda d: ak.DataFrame.concat([d, d.head(1)])),
    "unique": (_arange, lambda v: ak.unique(v * 2 % 997 + 1)),
    "unique of joined": (_arange, lambda v: ak.unique(ak.concatenate([v, v + 1]) % 50)),
    "union1d": (_arange, lambda v: ak.union1d(v, (v + 1) % 50)),
    "setxor1d": (_arange, lambda v: ak.setxor1d(v, (v + 1) % 50)),
    "value_counts": (_arange, lambda v: ak.value_counts(v)[1]),
    "drop_duplicates": (_arange, _dedup),
    "grouped sums": (_arange, _grouped_sums),
    "grouped sums fed back": (lambda: _frame(ak.arange(ROWS)), _frame_fed_back),
    "sort": (_arange, lambda v: ak.sort(v * 3 % 7)),
    "sort of parts": (_in_parts, lambda v: ak.sort(v * 3 % 7)),
    "cumsum": (_arange, lambda v: ak.cumsum(v) % 11),
    "put": (_arange, _put),
    "take": (_arange, lambda v: v[ak.array(np.arange(ROWS)[::-1].copy())]),
    "broadcast": (_arange, lambda v: ak.GroupBy(v % 5).broadcast(ak.GroupBy(v % 5).sum(v)[1]) % 100),
    "bincount": (_arange, lambda v: ak.bincount(v % 5)),
    "breadth-first search": (_begin_search, _search),
    "minus its mean": (lambda: ak.arange(ROWS) * 1.5, lambda v: v - v.mean()),
    "filter by its mean": (_arange, lambda v: v[v >= v.min()] + 1),
    "rows that are among some": (_arange, lambda v: v[ak.in1d(v, ak.array([1, 2, 3]))]),
    "rows that are among themselves": (_arange, lambda v: v[ak.in1d(v, v)] + 1),
    "positions by themselves": (_arange, lambda v: v[v % ROWS]),
    "mode of groups": (_arange, _mode),
    "join": (_arange, _self_join),
    "join of exchanged rows": (_arange, _exchanged_join),
    "take from exchanged rows": (_arange, _exchanged_take),
    "largest": (_arange, _largest),
    "lists": (_arange, _nested),
    "histogram": (_arange, lambda v: ak.histogram(v, 7)[0]),
    "permutation of groups": (_arange, lambda v: v[ak.GroupBy(v % 5).permutation]),
    "categories": (lambda: ak.Categorical(ak.array(["b", "a"])), lambda c: ak.Categorical(c.to_strings())),
    "starts of groups": (_arange, lambda v: ak.GroupBy(v % 5).segments),
    "starts of lists": (_arange, lambda v: (ak.SegArray(ak.array([0, 1, 2]), v)[:2].segments + v.sum()) % 97),
    "put where it holds": (_arange, _put_masked),
    "put items of others where it holds": (_arange, _put_items_of_others),
    "put at positions": (_arange, _put_at_positions),
    "first partition": (_arange, _first_partition),
    "edges of bins": (_arange, lambda v: ak.histogram(v, 7)[1].astype("int64")),
    "in order or not": (_arange, lambda v: v + ak.is_cosorted([v])),
    "groups made of parts": (_arange, _groups_made_of_parts),
    "differences": (_arange, lambda v: v[1:] + ak.diff(v)),
    "shift": (_floats, lambda v: ak.Series(v).shift(1).fillna(0.0).values),
    "rolling means": (_floats, lambda v: ak.Series(v).rolling(3, min_periods=1).mean().values),
    "means of spans": (_floats, _means_of_spans),
    "expanding means": (_floats, lambda v: ak.Series(v).expanding().mean().values),
    "recurrence": (_floats, lambda v: recurrence(v * 0.0 + 0.5, v)),
    "filled forward": (_floats, lambda v: ak.Series(v).ffill().values + 1.0),
    "ranks in groups": (_arange, lambda v: _ranks_in_groups(v) % 11),
    "rows before in groups": (
        _arange,
        lambda v: ak.DataFrame({"k": v % 3, "v": v}).groupby("k").shift(fill_value=1)["v"] % 11,
    ),
    "running sums of groups": (_arange, lambda v: ak.DataFrame({"k": v % 3, "v": v}).groupby("k").cumsum()["v"] % 11),
    "running sums of very many groups": (
        _in_parts,
        lambda v: ak.DataFrame({"k": v, "v": v}).groupby("k").cumsum()["v"],
    ),
    "sort along an axis": (_arange, lambda v: ak.sort(v.reshape(2, -1), axis=1).flatten() + 1),
    "other labels": (lambda: ak.Categorical(ak.array(["b", "a"])), _other_labels),
    "ranges": (_arange, lambda v: ak.unique(ak.gen_ranges(v, v + 2)[1] % ROWS)),
    "other ordered labels": (
        lambda: ak.Categorical(pd.Categorical(["b", "a"], ["a", "b"], ordered=True)),
        lambda c: ak.concatenate([c, c])[:2],
    ),
    "other labels in an order of their own": (
        lambda: ak.Categorical(pd.Categorical(["b", "a"], ["b", "a"])),
        lambda c: ak.concatenate([c, c])[:2],
    ),
    "in other partitions": (_arange, lambda v: v + ak.concatenate([ak.arange(4), ak.arange(8)])),
    "number of rows": (_arange, lambda v: v[v % 5 != 7][ak.argsort(v[v % 5 != 7])]),
    "search in sorted": (_arange, lambda v: ak.searchsorted(ak.sort(v), v) % 9),
    "plus a number of arithmetic": (_arange, lambda v: (v + v.sum() % 97 * 2) % 1000),
    "product of matrices": (lambda: ak.arange(64).reshape(8, 8), lambda a: ak.matmul(a, a) % 10),
    "intervals": (_arange, lambda v: (v + ak.search_intervals(v, (_arange() * 90, _arange() * 90 + 9))) % 1000),
    "largest of groups": (
        _arange,
        lambda v: ak.DataFrame({"k": v % 3, "v": v + 1}).sort_values("v").groupby("k").head(4)["v"],
    ),
    "head": (_arange, lambda v: _frame(v[v % 5 != 7]).head(20)["v"]),
}


MOST_CALLS = 100
"""Calls of Python functions that planning takes for each partition."""

NOT_IN_CHAINS = {
    "ScalarList": "a base",
    "Frame": "a base",
    "Computed": "a base",
    "OverProject": "a base",
    "SelectedRows": "a base",
    "RowsByValue": "a base",
    "WithNeighbours": "a base",
    "Groups": "a base",
    "Shared": "takes more rows than chains here have",
    "Ranks": "numbers first groups by text, and chains have none",
    "Scan": "has no inputs",
    "Persisted": "has no inputs",
    "PersistedResults": "has no inputs",
    "Element": "is a number, not rows to go on with",
    "Fused": "is made of tasks, for a cluster",
    "TaskGraph": "is made of tasks, for a cluster",
    "CollectColumns": "ends a plan",
    "ToDask": "ends a plan",
    "Write": "ends a plan",
}


def _collection(state: Any) -> Any:
    if isinstance(state, tuple):
        return state[0]
    return state["v"] if isinstance(state, ak.DataFrame) else state


def _chained(name: str, length: int) -> Any:
    start, step = CHAINS[name]
    state = start()
    for _ in range(length):
        state = step(state)
    return _collection(state)


def _run(name: str, length: int) -> int:
    """Run a chain, and return the number of its tasks."""
    ntasks = 0

    def counting(graph: Any, keys: Any, **options: Any) -> Any:
        nonlocal ntasks
        tasks = graph.__dask_graph__()
        ntasks += len(tasks)
        return dask.get(tasks, keys, **options)

    with dask.config.set(scheduler=counting):
        _chained(name, length).to_ndarray()
    return ntasks


def _more(found: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Return what the steps of a chain have taken beyond those of the one before, and of the next one beyond these."""
    return pairwise(later - earlier for earlier, later in pairwise(found))


@pytest.mark.sampled(one_of=18)
@pytest.mark.parametrize("name", sorted(CHAINS))
def test_work_grows_as_the_chain_does(name, calls, record_property):
    _run(name, 2)
    ncalls: list[int] = []
    ntasks: list[int] = []
    for length in LENGTHS:
        has_few_calls = not IS_LIMITED and bool(ncalls) and ncalls[-1] <= FEW_CALLS * LENGTHS[len(ncalls) - 1]
        if length > MOST_STEPS * (2 if has_few_calls else 1):
            break
        ncalls.append(calls(lambda length=length: ntasks.append(_run(name, length))))
    record_property("calls", ncalls)
    record_property("tasks", ntasks)
    assert all(later < MOST_GROWTH_OF_CALLS * earlier for earlier, later in _more(ncalls)), ncalls
    assert all(later < MOST_GROWTH * earlier + FEW_TASKS for earlier, later in _more(ntasks)), ntasks


@pytest.mark.sampled(one_of=8)
@pytest.mark.parametrize("name", sorted(CHAINS))
def test_planning_grows_as_the_chain_does_and_nests_no_calls(name, monkeypatch):
    named, digest = 0, values.blake2b

    def counted(*args: Any, **options: Any) -> Any:
        nonlocal named
        named += 1
        return digest(*args, **options)

    start, step = CHAINS[name]
    state = start()
    found = []
    with monkeypatch.context() as patch:
        # Whatever is made in planning is named once; all calls of a chain this long would take minutes to count.
        patch.setattr(values, "blake2b", counted)
        for number in range(1, PLANNED + 1):
            state = step(state)
            if number in (PLANNED // 4, PLANNED // 2, PLANNED):
                found.append(named)
    assert found[2] - found[1] < MOST_GROWTH * (found[1] - found[0]), found
    plan = _collection(state)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(stack()) + MOST_NESTED)
    try:
        plan.__dask_graph__()
        assert "As it will run" in plan.explain()
        assert pickle.loads(pickle.dumps(plan.expr))._name == plan.expr._name
    finally:
        sys.setrecursionlimit(limit)


def test_every_kind_of_node_is_in_a_chain(monkeypatch):
    found: set[type] = set()
    lower = Frame._lower

    def lowered(frame: Frame) -> Any:
        found.add(type(frame))
        return lower(frame)

    # Some nodes are there only between those that a chain is made of and the tasks that they become.
    monkeypatch.setattr(Frame, "_lower", lowered)
    for name in CHAINS:
        plan = _chained(name, MOST_ROUNDS + 2).expr
        found |= _kinds(plan) | _kinds(plan.finish().lower_completely())
    for module in walk_packages([*akdask.engine.__path__], "akdask.engine."):
        import_module(module.name)
    for module in walk_packages(akdask.operators.__path__, "akdask.operators."):
        import_module(module.name)
    # Blobs of Evo and chunks for pandas end plans, and may not be loaded.
    others = ("tests.", "akdask.evo.", "akdask.pandas.")
    all_kinds = {kind for kind in _subclasses(Node) if not kind.__module__.startswith(others)}
    assert {kind.__name__ for kind in all_kinds - found} == set(NOT_IN_CHAINS)


def _subclasses(cls: type[Any]) -> Iterator[type[Any]]:
    kind: type[Any]
    for kind in cls.__subclasses__():
        yield kind
        yield from _subclasses(kind)


def _kinds(plan: Node) -> set[type]:
    """Return the kinds of all nodes of a plan, those that values refer to included."""
    nodes: dict[str, Node] = {}
    pending: list[Any] = [plan]
    while pending:
        node = pending.pop()
        if not isinstance(node, Node) or node._name in nodes:
            continue
        nodes[node._name] = node
        pending += node.dependencies()
        if isinstance(node, Pipeline):
            pending += [*node.layout.chain.bases, *node.layout.chain.selections]
        if isinstance(node, Frame):
            pending += [value.node for value in walk(*values_of_round(node)) if isinstance(value, Replica)]
    return set(map(type, nodes.values()))


def test_columns_are_kept_from_some_rounds_on_and_not_before():
    v = ak.arange(ROWS) * 1.5
    for _ in range(MOST_ROUNDS - 1):
        v = v - v.mean()
    assert Materialized not in _kinds(v.expr)
    assert Materialized in _kinds((v - v.mean()).expr)


def test_rounds_over_many_rows_stream_through_for_longer(monkeypatch):
    monkeypatch.setattr("akdask.engine.cache.cluster.process_memory", lambda: 16)
    v = ak.arange(ROWS) * 1.5
    for _ in range(MOST_ROUNDS + 2):
        v = v - v.mean()
    assert Materialized not in _kinds(v.expr)
    for _ in range(MOST_ROUNDS_OF_MANY):
        v = v - v.mean()
    assert Materialized in _kinds(v.expr)


def test_tables_that_do_not_need_each_other_are_one_round(monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.MOST_STEPS", 1000)
    v = ak.arange(ROWS)
    for number in range(3 * MOST_ROUNDS):
        v = v[ak.in1d(v, ak.arange(number + ROWS))]
        v = ak.array(np.arange(ROWS + number))[v]
    assert Materialized not in _kinds(v.expr)
    assert v.tolist() == list(range(ROWS))


def test_columns_that_are_kept_have_the_values_that_they_had():
    v = ak.arange(ROWS) * 1.5
    wanted = np.arange(ROWS) * 1.5
    for _ in range(4 * MOST_ROUNDS):
        v, wanted = (v - v.mean())[v > v.min()], (wanted - wanted.mean())[wanted > wanted.min()]
        if not len(wanted):
            break
    np.testing.assert_allclose(v.to_ndarray(), wanted)


def test_tasks_of_many_partitions_are_planned_in_linear_time(calls):
    def plan(count: int) -> None:
        frame = Rows((1000,) * count)
        v = ak.pdarray(frame, frame.position)
        v[v > 3].sum().__dask_graph__()
        ak.GroupBy(v[v > 3] % 7).sum(v[v > 3])[1].__dask_graph__()

    plan(10)
    found = [calls(lambda count=count: plan(count)) for count in (1000, 2000, 4000)]
    assert found[2] - found[1] < MOST_GROWTH * (found[1] - found[0]), found
    assert found[2] < MOST_CALLS * 4000
