"""Where plans will run: a cluster or this process, and how much memory there is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from akdask import config

if TYPE_CHECKING:
    from distributed import Client


SHARE = 64
"""The part of a worker's memory that a column of a partition may take: there may be several columns, and they are in
memory as they are read, in order, and on their way to the next task."""


def current_client() -> Client | None:
    """Return the client of a cluster that is current; without the import, which is slow, there is none."""
    distributed = sys.modules.get("distributed")
    if distributed is None:
        return None
    try:
        client: Client = distributed.default_client()
    except ValueError:
        return None
    return client


def on_cluster() -> bool:
    """Whether a client of a cluster is current in this process."""
    return current_client() is not None


def memory() -> int:
    """Return the bytes of memory that the smallest worker has for each of its threads, or this machine."""
    return min((limit // threads for limit, threads in _workers().values()), default=_machine())


def all_memory() -> int:
    """Return the bytes of memory that all workers have together, or this machine."""
    return sum(limit for limit, _ in _workers().values()) or _machine()


def partition_size() -> int:
    """Return the bytes that a column of a partition may take: what the setting says, or less on small workers."""
    return min(int(config.get("partition_size")), memory() // SHARE)


def addresses() -> tuple[str, ...]:
    """Return the addresses of all workers."""
    return tuple(sorted(_workers()))


def _workers() -> dict[str, tuple[int, int]]:
    """Return the bytes of memory and the number of threads of each worker, by its address."""
    client = current_client()
    workers = {} if client is None else client.scheduler_info(n_workers=-1)["workers"]
    return {address: (facts["memory_limit"] or _machine(), facts["nthreads"]) for address, facts in workers.items()}


def _machine() -> int:
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
