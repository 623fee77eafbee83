"""Thread pools of this process, and the Dask scheduler that runs tasks on them.

A forked process has the locks of its parent's threads but not the threads, so its tasks would wait forever. It
therefore starts with new pools, here and in Dask, and akdask's caches start with new locks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from threading import Condition, current_thread, local, main_thread
from typing import Any
from weakref import WeakSet

import dask
from dask.callbacks import Callback
from dask.system import CPU_COUNT

from akdask import compiled
from akdask._dask import Alias, DataNode, Expr, GraphNode, Task
from akdask._distributed import forget_threads, get_here, threaded_get
from akdask.caches import after_fork
from akdask.columns.table import Table
from akdask.engine.batches import SMALL_ROWS
from akdask.engine.budget import memory_budget
from akdask.engine.pending import InputsInUse, PendingResult, fetch, fetch_all, pend
from akdask.engine.pipeline import rows_of_task, run_batch
from akdask.engine.scheduler import PAUSE, callbacks, input_keys, recording, run_here, run_in_threads
from akdask.interruption import interruptible

_running = local()
"""The inputs of the task that a thread runs, as `inputs`."""

SMALL_TASKS = 64
"""Number of tasks that this thread may run alone, if they have few rows."""

SMALL_CHAIN_ROWS = 2**22
"""Rows up to which this thread runs tasks that wait for each other anyway; more rows would delay interruptions."""


@cache
def _threads(count: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(count, "akdask")


class Executor:
    """An executor for Dask that informs observers of tasks; tasks wait for each other when memory is short."""

    def __init__(self, count: int) -> None:
        self._pool = _threads(count)
        self._max_workers = count
        self._handed_out: WeakSet[Future[Any]] = WeakSet()
        self._running = 0
        self._has_ended = Condition()

    def submit(self, function: Callable[..., Any], *args: Any) -> Future[Any]:
        """Run a function in a thread, with the variables of this context."""
        future = self._pool.submit(copy_context().run, self._run, recording(function), *args)
        self._handed_out.add(future)
        return future

    def _run(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run a function, after others have ended if there is too little memory for it beside them."""
        with self._has_ended:
            while self._running and memory_budget.is_exhausted():
                self._has_ended.wait(PAUSE)
            self._running += 1
        try:
            return function(*args)
        finally:
            with self._has_ended:
                self._running -= 1
                self._has_ended.notify_all()

    def cancel(self) -> None:
        """Drop the waiting tasks, whose results are no longer needed."""
        for future in list(self._handed_out):
            future.cancel()

    def abandon(self) -> None:
        """Drop the waiting tasks, and end each thread after its task; the next computation starts other threads.

        An interruption may come between the start of a thread and its registration in the pool. Nothing would end such
        a thread, and the interpreter would wait for it at exit.
        """
        self.cancel()
        self._pool.shutdown(wait=False, cancel_futures=True)
        _threads.cache_clear()


def get(graph: Mapping[Any, Any], keys: Any, **options: Any) -> Any:
    """Return the results of some keys, computed by threads.

    Results that wait for other tasks do so on disk when memory is short. Small work is computed in this thread, since
    waking another takes longer. Dask's own threads run tasks with observers or with a configured pool. They also run
    tasks for threads other than the main one, since all of our threads may be waiting for these.
    """
    return _fetched(keys, pending_results(graph, keys, **options))


def pending_results(graph: Mapping[Any, Any], keys: Any, **options: Any) -> Any:
    """Return the results without fetching them from disk; memory may be too short for all of them."""
    # Dask calls `loads` on tasks with their inputs in the thread that runs them, and `dumps` on results there.
    of_dask = {"dumps": _pending, "loads": _with_inputs}
    found = _tasks_of(graph)
    if options.get("pool") or dask.config.get("pool", None) or current_thread() is not main_thread():
        return threaded_get(found, keys, **options, **of_dask)
    count = options.pop("num_workers", None) or dask.config.get("num_workers", None) or CPU_COUNT
    options = {"callbacks": callbacks(), **options}
    executor = Executor(count)
    with compiled.computation(), interruptible():
        try:
            if _asks_dask(found, options):
                if is_small(found):
                    return get_here(found, keys, **options, **of_dask)
                return threaded_get(found, keys, pool=executor, **options, **of_dask)
            return run_here(found, keys) if is_small(found) else run_in_threads(found, keys, _threads(count), count)
        except KeyboardInterrupt:
            executor.abandon()
            raise
        except BaseException:
            executor.cancel()
            raise


def _asks_dask(tasks: Mapping[Any, Any], options: Mapping[str, Any]) -> bool:
    """Whether only Dask can run the tasks, or knows some of them."""
    if any(options.values()) or Callback.active or dask.config.get("rerun_exceptions_locally", False):
        return True
    return not all(isinstance(task, GraphNode | Table) for task in tasks.values())


class _PassedOn:
    """Marks an input that a task returns unchanged."""

    def __init__(self, result: Any) -> None:
        self.result = result


def _pending(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return a result with the thread that computed it; a task with its inputs unchanged."""
    result, other = pair
    if isinstance(other, dict):
        return pair
    inputs, _running.inputs = getattr(_running, "inputs", None), None
    if isinstance(result, _PassedOn):
        return result.result, other
    return (pend(result) if inputs is None else inputs.let_go(result)), other


def _with_inputs(pair: tuple[Any, Any]) -> tuple[Any, Any]:
    """Return a task with its inputs in memory; a result with its thread unchanged."""
    task, inputs = pair
    if not isinstance(inputs, dict):
        return pair
    if isinstance(task, Alias):
        return task, {key: _PassedOn(value) for key, value in inputs.items()}
    found = fetch_all(inputs)
    _running.inputs = InputsInUse(inputs, found)
    return task, found


def _fetched(keys: Any, found: Any) -> Any:
    """Return results, in lists that mirror the lists of keys."""
    if isinstance(keys, list):
        return tuple(map(_fetched, keys, found))
    return fetch(found)


def is_small(tasks: Mapping[Any, Any]) -> bool:
    """Whether few tasks compute, only with few rows that are in memory or numbered.

    More rows are allowed if no two tasks could run in parallel.
    """
    if len(tasks) > SMALL_TASKS:
        return False
    tables, computed = _tables_and_computed(tasks)
    rows = 0
    read: set[Any] = set()
    is_chain = True
    for task in computed:
        inputs = input_keys(task)
        found = _rows_of(task, inputs, tables)
        if found is None:
            return False
        rows += found
        made = inputs - tables.keys()
        is_chain = is_chain and len(made) <= 1 and read.isdisjoint(made)
        read.update(made)
    return rows <= (SMALL_CHAIN_ROWS if is_chain and len(read) == len(computed) - 1 else SMALL_ROWS)


def _tables_and_computed(tasks: Mapping[Any, Any]) -> tuple[dict[Any, int], list[Any]]:
    """Return the rows of the tables in a graph, by key, and the tasks that compute."""
    tables: dict[Any, int] = {}
    aliases: list[Alias] = []
    computed: list[Any] = []
    for key, task in tasks.items():
        item = task.value if isinstance(task, DataNode) else task
        if isinstance(item, Table | PendingResult):
            tables[key] = item.nrows
        elif isinstance(task, Alias):
            aliases.append(task)
        elif not isinstance(task, DataNode):
            computed.append(task)
    for alias in aliases:
        tables[alias.key] = tables.get(alias.target, 0)
    return tables, computed


def _rows_of(task: Any, inputs: Collection[Any], tables: Mapping[Any, int]) -> int | None:
    """Return the number of rows that a task goes over, None if it reads something."""
    if getattr(task, "func", None) is run_batch:
        return rows_of_task(task, tables)
    return sum([tables.get(name, 0) for name in inputs]) if inputs else None


def _tasks_of(graph: Any) -> Mapping[Any, Any]:
    """Return the tasks of a graph, and its pending results; their readers fetch these."""
    tasks = graph.__dask_graph__() if isinstance(graph, Expr) else graph
    return {
        key: DataNode(key, task.args[0]) if type(task) is Task and task.func is fetch else task
        for key, task in tasks.items()
    }


def _start_anew() -> None:
    """Forget the parent's threads in a forked process, which lacks them."""
    _threads.cache_clear()
    forget_threads()


after_fork(_start_anew)
