"""Freed memory on Dask's workers: kept for new arrays, and returned to the system when memory runs short.

Dask starts workers with ``MALLOC_TRIM_THRESHOLD_=65536``, to keep reserved memory close to used memory.  But the system
zeroes the pages of each new array, which takes far longer than filling them. So workers keep freed space here. They
return all of it when memory runs short. Otherwise Dask would count it as data, and spill again and again without
effect.
"""

from __future__ import annotations

import ctypes
import sys
from functools import cache, partial

from akdask import compiled, config, machine
from akdask._distributed import call_regularly, current_worker, keeps_no_memory, memory_limit
from akdask.cluster import data_memory
from akdask.columns.memory import keep_freed, release_unused

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of the C library's ``mallopt``."""

MAX_CACHED_ARRAY = 2**25
"""Bytes of the largest array whose space is kept; glibc raises its own threshold up to this value."""

ENOUGH_MEMORY = 64 * MAX_CACHED_ARRAY
"""Workers with less memory keep no freed space."""

ENOUGH_TO_COMPILE = 2**30
"""Workers with less memory do not load the compiler."""

SPARE = 8
"""The divisor of the memory of a worker, or of this process, that bounds the freed space it keeps."""

INTERVAL = 200
"""Milliseconds between two checks of a worker's memory."""

SHORT = 0.5
"""The fraction of a worker's memory above which memory is short; Dask begins to spill at 0.6."""


keep_freed(lambda: min(config.get("spare_memory"), data_memory(machine.memory()) // SPARE))


@cache
def manage_freed_memory() -> None:
    """Let a worker with enough memory keep the space of freed arrays, and return it when memory runs short.

    Only in processes that Dask told not to keep any.  Memory is checked at intervals, also while Dask pauses the worker
    for lack of memory: no task would run then that could free any, and the pause would never end.
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
        mallopt(MMAP_THRESHOLD, MAX_CACHED_ARRAY)
        mallopt(TRIM_THRESHOLD, 2 * MAX_CACHED_ARRAY)
    call_regularly(worker, partial(give_back_freed_memory, limit), INTERVAL)


def give_back_freed_memory(limit: int) -> None:
    """Return the space of freed arrays to the system if this process comes close to a limit in bytes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if machine.memory_in_use() > SHORT * limit:
        release_unused()
        if trim is not None:
            trim(0)
