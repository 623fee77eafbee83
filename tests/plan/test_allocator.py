from __future__ import annotations

import numpy as np
import pytest

from akdask.plan import allocator


@pytest.mark.cluster
def test_workers_that_are_short_of_memory_give_back_what_is_freed(cluster_client):
    def freed(worker_is_short):
        pieces = [np.ones(2**13) for _ in range(1000)]
        last = pieces.pop()
        before = allocator._resident()
        del pieces
        allocator.give_back_freed_memory(before if worker_is_short else 4 * before)
        return before - allocator._resident(), last.sum()

    (idle, _), (short, _) = (cluster_client.submit(freed, state, pure=False).result() for state in (False, True))
    assert short > 30 * 2**20
    assert idle <= short


def test_other_processes_keep_what_they_like(monkeypatch):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    monkeypatch.setattr(allocator, "_call_regularly", lambda *_: pytest.fail("nobody looks at its memory"))
    allocator.manage_freed_memory.__wrapped__()


@pytest.mark.cluster
def test_workers_look_at_their_memory_regularly(cluster_client):
    def watched(dask_worker):
        return "akdask" in dask_worker.periodic_callbacks

    cluster_client.gather(cluster_client.map(lambda _: allocator.manage_freed_memory(), range(20), pure=False))
    assert any(cluster_client.run(watched).values())
