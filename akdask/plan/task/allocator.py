"""The memory of Dask's workers, which give back the space of an array as soon as it is freed.

Dask starts them so, with ``MALLOC_TRIM_THRESHOLD_=65536``, to keep what they hold close to what they use.  But asking
the system for the space of a temporary array, and having its pages zeroed, takes ten times as long as filling it.  So
workers keep it, and give all of it back where memory runs short: Dask would take it for data, and spill what it holds
again and again without any gain.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache, partial
from pathlib import Path

from akdask import config
from akdask._distributed import call_regularly, current_worker, keeps_no_memory, memory_limit
from akdask.columns.memory import keep_freed, release_unused
from akdask.kernels import compiled

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of the C library's ``mallopt``."""

LARGEST_KEPT = 2**25
"""Bytes of the largest array whose space is kept for the next one: what glibc finds out by itself where it may."""

ENOUGH_MEMORY = 64 * LARGEST_KEPT
"""Workers with less keep nothing."""

ENOUGH_TO_COMPILE = 2**30
"""Workers with less do not load the compiler."""

SPARE = 8
"""The part of a worker's memory, one in so many, that it keeps in freed arrays at most."""

INTERVAL = 200
"""Milliseconds from one look at a worker's memory to the next."""

SHORT = 0.5
"""The part of a worker's memory from which on it is short: Dask begins to spill at 0.6."""


keep_freed(lambda: config.get("spare_memory"))


@cache
def manage_freed_memory() -> None:
    """Let a worker with enough memory keep the space of freed arrays, and give it back where it runs short.

    Only in processes that Dask told not to keep any.  Once in a while memory is looked at, also while Dask has the
    worker wait because it is short of it: nothing would run that could free any, and Dask would wait for ever.
    """
    worker = current_worker() if keeps_no_memory() else None
    if worker is None:
        return
    limit = memory_limit(worker) or sys.maxsize
    is_enough = limit >= ENOUGH_MEMORY
    config.set(spare_memory=min(config.get("spare_memory"), limit // SPARE if is_enough else 0))
    if limit < ENOUGH_TO_COMPILE:
        compiled.disable()
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None and is_enough:
        mallopt(MMAP_THRESHOLD, LARGEST_KEPT)
        mallopt(TRIM_THRESHOLD, 2 * LARGEST_KEPT)
    call_regularly(worker, partial(give_back_freed_memory, limit), INTERVAL)


def give_back_freed_memory(limit: int) -> None:
    """Give the space of freed arrays back to the system, if this process comes close to a limit in bytes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if _resident() > SHORT * limit:
        release_unused()
        if trim is not None:
            trim(0)


def _resident() -> int:
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0
