from __future__ import annotations

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


def test_other_processes_keep_what_they_like(monkeypatch):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    monkeypatch.setattr(memory, "call_regularly", lambda *_: pytest.fail("nobody looks at its memory"))
    memory.manage_freed_memory.__wrapped__()


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
