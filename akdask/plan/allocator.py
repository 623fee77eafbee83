"""The memory of Dask's workers, which give back the space of an array as soon as it is freed.

Dask starts them so, with ``MALLOC_TRIM_THRESHOLD_=65536``, to keep what they hold close to what they use.  But asking
the system for the space of a temporary array, and having its pages zeroed, takes ten times as long as filling it.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache

DASK_THRESHOLD = "65536"
"""What Dask sets; whoever sets anything else has reasons."""

TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
"""Parameters of the C library's ``mallopt``."""

LARGEST_KEPT = 2**25
"""Bytes of the largest array whose space is kept for the next one: what glibc finds out by itself where it may."""

ENOUGH_MEMORY = 64 * LARGEST_KEPT
"""Workers with less spill and stop sooner for memory that they keep for nobody than they gain by keeping it."""


@cache
def keep_freed_memory() -> None:
    """Let the allocator keep the space of some freed arrays, in processes that Dask told not to."""
    if os.environ.get("MALLOC_TRIM_THRESHOLD_") != DASK_THRESHOLD or _memory_limit() < ENOUGH_MEMORY:
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(MMAP_THRESHOLD, LARGEST_KEPT)
        mallopt(TRIM_THRESHOLD, 2 * LARGEST_KEPT)


def _memory_limit() -> int:
    """Return the bytes of memory of the worker whose task this is, or as many as never matter."""
    from distributed import get_worker

    try:
        return get_worker().memory_manager.memory_limit or sys.maxsize
    except ValueError:
        return sys.maxsize
