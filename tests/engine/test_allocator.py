from __future__ import annotations

import os
from types import SimpleNamespace

import numpy as np
import pytest

from akdask import cluster, config
from akdask.engine import memory


@pytest.mark.cluster
def test_workers_that_are_short_of_memory_give_back_what_is_freed(cluster_client):
    def freed(worker_is_short):
        pieces = [np.ones(2**13) for _ in range(1000)]
        last = pieces.pop()
        before = cluster.memory_in_use()
        del pieces
        memory.give_back_freed_memory(before if worker_is_short else 4 * before)
        return before - cluster.memory_in_use(), last.sum()

    (idle, _), (short, _) = (cluster_client.submit(freed, state, pure=False).result() for state in (False, True))
    assert short > 30 * 2**20
    assert idle <= short


@pytest.mark.light
@pytest.mark.parametrize(
    ("limit", "spare", "variable", "is_told"),
    [
        (2**32, 1, None, True),
        (2**32 - 1, 1, None, False),
        (2**32, 0, None, False),
        (2**40, 1, "MALLOC_ARENA_MAX", False),
    ],
)
def test_other_processes_keep_the_space_of_arrays_where_they_have_memory(monkeypatch, limit, spare, variable, is_told):
    for name in [name for name in os.environ if name.startswith("MALLOC_")]:
        monkeypatch.delenv(name)
    if variable is not None:
        monkeypatch.setenv(variable, "2")
    told = {}
    monkeypatch.setattr(memory, "ctypes", SimpleNamespace(CDLL=lambda _: SimpleNamespace(mallopt=told.__setitem__)))
    monkeypatch.setattr(memory, "call_regularly", lambda *_: pytest.fail("nobody looks at its memory"))
    with config.set(spare_memory=spare, memory_limit=limit):
        memory.manage_freed_memory.__wrapped__()
    # Arrays of up to 32 MiB come from space that is kept: M_MMAP_THRESHOLD, M_TRIM_THRESHOLD.
    assert told == ({-3: 2**25, -1: 2**26} if is_told else {})


@pytest.mark.parametrize(("limit", "spare"), [(2**29, 0), (2**30, 0), (2**32, 2**29)])
def test_what_workers_keep_is_by_the_memory_that_they_have(limit, spare, monkeypatch):
    worker = SimpleNamespace(memory_manager=SimpleNamespace(memory_limit=limit))
    monkeypatch.setattr(memory, "keeps_no_memory", lambda: True)
    monkeypatch.setattr(memory, "current_worker", lambda: worker)
    monkeypatch.setattr(memory, "call_regularly", lambda *_: None)
    monkeypatch.setattr(memory, "ctypes", SimpleNamespace(CDLL=lambda _: None))
    with config.set(spare_memory=2**31):
        memory.manage_freed_memory.__wrapped__()
        assert config.get("spare_memory") == spare


@pytest.mark.cluster
def test_workers_look_at_their_memory_regularly(cluster_client):
    def watched(dask_worker):
        return "akdask" in dask_worker.periodic_callbacks

    cluster_client.gather(cluster_client.map(lambda _: memory.manage_freed_memory(), range(20), pure=False))
    assert any(cluster_client.run(watched).values())
