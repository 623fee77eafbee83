"""Operations in long chains: planned and run with work that grows as the chain does, and no deeper calls.

Work is counted in calls of Python functions, with which time has nothing to do.
"""

import sys
from collections.abc import Callable
from inspect import stack
from itertools import pairwise
from typing import Any

import dask
import numpy as np
import pytest

import akdask as ak

LENGTH = 12
MOST_GROWTH = 2.5
"""How much more work a chain of twice the length may take."""

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


def _arange(start: int = ROWS):
    return ak.arange(start)


Step = Callable[[Any], Any]

CHAINS: dict[str, tuple[Callable[[], Any], Step]] = {
    "filter": (_arange, lambda v: v[v % 5 != 7] + 1),
    "filters of filters": (lambda: ak.arange(500), lambda v: v[v > 2] - 1),
    "slice": (lambda: ak.arange(500), lambda v: v[1:]),
    "slices side by side": (lambda: ak.arange(500), _swapped),
    "reverse": (_arange, lambda v: v[::-1]),
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
    "cumsum": (_arange, lambda v: ak.cumsum(v) % 11),
    "put": (_arange, _put),
    "take": (_arange, lambda v: v[ak.array(np.arange(ROWS)[::-1].copy())]),
    "broadcast": (_arange, lambda v: ak.GroupBy(v % 5).broadcast(ak.GroupBy(v % 5).sum(v)[1]) % 100),
    "bincount": (_arange, lambda v: ak.bincount(v % 5)),
    "head": (_arange, lambda v: _frame(v[v % 5 != 7]).head(20)["v"]),
}


@pytest.fixture
def calls() -> Callable[[Callable[[], Any]], int]:
    """Return what counts the calls of Python functions that something takes."""

    def count(function: Callable[[], Any]) -> int:
        found = 0

        def on_event(frame: Any, event: str, argument: Any) -> None:
            nonlocal found
            found += event == "call"

        sys.setprofile(on_event)
        try:
            function()
        finally:
            sys.setprofile(None)
        return found

    return count


def _collection(state: Any) -> Any:
    return state["v"] if isinstance(state, ak.DataFrame) else state


def _chained(name: str, length: int) -> Any:
    start, step = CHAINS[name]
    state = start()
    for _ in range(length):
        state = step(state)
    return _collection(state)


def _run(name: str, length: int) -> Any:
    with dask.config.set(scheduler="synchronous"):
        return _chained(name, length).to_ndarray()


@pytest.mark.parametrize("name", CHAINS)
def test_work_grows_as_the_chain_does(name, calls):
    _run(name, 2)
    found = [calls(lambda length=length: _run(name, length)) for length in (LENGTH, 2 * LENGTH, 4 * LENGTH)]
    more = [later - earlier for earlier, later in pairwise(found)]
    assert more[1] < MOST_GROWTH * more[0], found


@pytest.mark.parametrize("name", CHAINS)
def test_calls_are_not_nested_as_the_chain_is(name):
    plan = _chained(name, 300)
    limit = sys.getrecursionlimit()
    depth = len(stack())
    sys.setrecursionlimit(depth + 250)
    try:
        plan.__dask_graph__()
    finally:
        sys.setrecursionlimit(limit)
