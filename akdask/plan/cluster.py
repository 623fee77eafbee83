"""Where plans will run, as far as planning depends on it: a cluster or this process, and how much memory there is."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from distributed import Client


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
    """Return the bytes of memory that the smallest worker has, or this machine."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    client = current_client()
    if client is None:
        return machine
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    return min((facts["memory_limit"] or machine for facts in workers), default=machine)
