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
from functools import cache
from pathlib import Path

DASK_THRESHOLD = "65536"
"""What Dask sets; whoever sets anything else has reasons."""

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of the C library's ``mallopt``."""

LARGEST_KEPT = 2**25
"""Bytes of the largest array whose space is kept for the next one: what glibc finds out by itself where it may."""

ENOUGH_MEMORY = 64 * LARGEST_KEPT
"""Workers with less keep nothing."""

SHORT = 0.5
"""The part of a worker's memory from which on it is short: Dask begins to spill at 0.6."""


@cache
def keep_freed_memory() -> None:
    """Let the allocator keep the space of some freed arrays, in processes that Dask told not to."""
    if not _is_worker() or _memory_limit() < ENOUGH_MEMORY:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, LARGEST_KEPT)
        mallopt(TRIM_THRESHOLD, 2 * LARGEST_KEPT)


def give_back_freed_memory() -> None:
    """Give the space of freed arrays back to the system, where a worker is short of memory."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None and _is_worker() and _resident() > SHORT * _memory_limit():
        trim(0)


def _is_worker() -> bool:
    return os.environ.get("MALLOC_TRIM_THRESHOLD_") == DASK_THRESHOLD


def _memory_limit() -> int:
    """Return the bytes of memory of the worker whose task this is, or as many as never matter."""
    from distributed import get_worker

    try:
        return get_worker().memory_manager.memory_limit or sys.maxsize
    except ValueError:
        return sys.maxsize


def _resident() -> int:
    statistics = Path("/proc/self/statm")
    return int(statistics.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if statistics.exists() else 0
