"""Threads of this process, and tasks that wait for them.

A forked process has the locks of its parent's threads but not the threads, so that tasks would wait forever.  It starts
with new pools, here and in Dask, and akdask's caches with new locks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from threading import current_thread, main_thread
from typing import Any
from weakref import WeakSet

import dask
from dask.system import CPU_COUNT

from akdask._distributed import forget_threads, threaded_get
from akdask.interruption import interruptible
from akdask.kernels import compiled
from akdask.plan.run.observers import callbacks, recording

AHEAD = 2
"""Tasks submitted for each thread: one to run, and one to continue with."""


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "akdask")


class Executor:
    """An executor that claims more threads than it has, so that tasks wait for threads and not threads for tasks.

    Otherwise Dask submits the next task when one has returned, and must wake a thread for it, which may take longer
    than a small task.
    """

    def __init__(self, count: int) -> None:
        self._pool = _threads(count)
        self._max_workers = AHEAD * count
        self._handed_out: WeakSet[Future[Any]] = WeakSet()

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a function in a thread, with the variables of this context."""
        future = self._pool.submit(copy_context().run, recording(function), *args)
        self._handed_out.add(future)
        return future

    def cancel(self) -> None:
        """Drop the waiting tasks, whose results are not needed any more."""
        for future in list(self._handed_out):
            future.cancel()


def get(graph: Mapping[Any, Any], keys: Any, **options: Any) -> Any:
    """Return the results of some keys, computed by threads: Dask's scheduler, with tasks submitted ahead.

    A configured pool is used as it is.  Computations within tasks, and in other threads than the main one, use Dask's
    own threads, since all of ours may be waiting for them.
    """
    has_pool = options.get("pool") or dask.config.get("pool", None)
    if has_pool or current_thread() is not main_thread():
        return threaded_get(graph, keys, **options)
    count = options.pop("num_workers", None) or dask.config.get("num_workers", None) or CPU_COUNT
    executor = Executor(count)
    with compiled.computation(), interruptible():
        try:
            return threaded_get(graph, keys, pool=executor, **{"callbacks": callbacks(), **options})
        except BaseException:
            executor.cancel()
            raise


def _start_anew() -> None:
    """Forget the threads of the parent, which a forked process does not have."""
    _threads.cache_clear()
    forget_threads()


os.register_at_fork(after_in_child=_start_anew)
