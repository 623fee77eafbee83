"""Clusters that are described and not there, to plan for any number of workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

MEMORY = 64 * 2**30
THREADS = 8


class DescribedClient:
    """A client of workers that are not there; Dask and akdask plan for them.

    Parameters
    ----------
    count : int
        Number of workers.
    memory : int
        Bytes of memory of each.
    threads : int
        Threads of each.
    """

    asynchronous = False
    status = "running"

    def __init__(self, count: int, memory: int = MEMORY, threads: int = THREADS) -> None:
        self.id = f"described {count}"
        self.scheduler_comm = SimpleNamespace(interval=0.0)
        worker = {"memory_limit": memory, "nthreads": threads}
        self.workers = {f"tcp://10.0.{number // 256}.{number % 256}:8000": worker for number in range(count)}

    def scheduler_info(self, n_workers: int = -1) -> dict[str, Any]:
        """Return what the scheduler knows of its workers."""
        return {"workers": self.workers}

    def register_plugin(self, plugin: object) -> None:
        """Take any plugin."""


@contextmanager
def described_workers(count: int) -> Iterator[DescribedClient]:
    """Make so many workers the current cluster."""
    from distributed.client import _current_client

    client = DescribedClient(count)
    token = _current_client.set(client)
    try:
        yield client
    finally:
        _current_client.reset(token)
