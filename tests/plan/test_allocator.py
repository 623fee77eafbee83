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
        allocator.SHORT = 0.0 if worker_is_short else 1.0
        allocator.give_back_freed_memory()
        allocator.SHORT = 0.5
        return before - allocator._resident(), last.sum()

    (idle, _), (short, _) = (cluster_client.submit(freed, state, pure=False).result() for state in (False, True))
    assert short > 30 * 2**20
    assert idle <= short


def test_other_processes_keep_what_they_like(monkeypatch):
    monkeypatch.delenv("MALLOC_TRIM_THRESHOLD_", raising=False)
    monkeypatch.setattr(allocator, "_memory_limit", lambda: pytest.fail("nobody need know"))
    allocator.keep_freed_memory.__wrapped__()
    allocator.give_back_freed_memory()
