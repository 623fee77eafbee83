"""Threads of this process, and tasks that wait for them.

A forked process has none of its parent's threads, but what they held: tasks would wait for ever for threads that are
not there.  So it begins with pools of its own, here and in Dask, as akdask's caches begin with locks of their own.
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

AHEAD = 2
"""Tasks that are handed out for each thread: one to run, and one to go on with."""


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "akdask")


class Executor:
    """What Dask takes for an executor of more threads than there are, so that tasks wait for threads.

    Else threads wait for tasks: Dask hands out the next one when one has returned, in a thread that must be woken for
    it first, which may take longer than a small task.
    """

    def __init__(self, count: int) -> None:
        self._pool = _threads(count)
        self._max_workers = AHEAD * count
        self._handed_out: WeakSet[Future[Any]] = WeakSet()

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a function in a thread, with the variables of this context."""
        future = self._pool.submit(copy_context().run, function, *args)
        self._handed_out.add(future)
        return future

    def cancel(self) -> None:
        """Drop the tasks that wait: nobody asks for them any more."""
        for future in list(self._handed_out):
            future.cancel()


def get(graph: Mapping[Any, Any], keys: Any, **options: Any) -> Any:
    """Return the results of some keys, computed by threads: Dask's scheduler, with tasks handed out ahead.

    A pool that is configured is taken as it is; computations within tasks, and in other threads than the main one,
    have the threads that Dask gives them, since all of these may be waiting for them.
    """
    has_pool = options.get("pool") or dask.config.get("pool", None)
    if has_pool or current_thread() is not main_thread():
        return threaded_get(graph, keys, **options)
    count = options.pop("num_workers", None) or dask.config.get("num_workers", None) or CPU_COUNT
    executor = Executor(count)
    try:
        return threaded_get(graph, keys, pool=executor, **options)
    except BaseException:
        executor.cancel()
        raise


def _start_anew() -> None:
    """Leave the threads that a forked process does not have of its parent."""
    _threads.cache_clear()
    forget_threads()


os.register_at_fork(after_in_child=_start_anew)
