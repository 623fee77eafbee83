"""The scheduler of this process: runs the tasks of a graph in this thread, or on a pool of threads.

Dask orders all tasks before it runs the first, and hands out each from a thread that does nothing else. Together that
takes longer than a task of some thousand rows. Here tasks run in depth-first order from the wanted keys, each as soon
as its inputs are ready. A thread that has finished a task takes the next.

A forked process has the locks of its parent's threads but not the threads, so its tasks would wait forever. It
therefore starts with new pools, here and in Dask, and akdask's caches start with new locks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from functools import cache
from heapq import heappop, heappush
from threading import Condition, Event, current_thread, local, main_thread
from time import perf_counter
from typing import Any
from weakref import WeakSet

import dask
import numpy as np
from dask.callbacks import Callback
from dask.core import flatten
from dask.system import CPU_COUNT

from akdask._dask import Alias, DataNode, Expr, GraphNode, List, Task, TaskRef
from akdask.caches import after_fork
from akdask.cluster import forget_threads, get_here, threaded_get
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine.memory import InputsInUse, SpillableResult, fetch, fetch_all, make_spillable, memory_budget
from akdask.engine.pipeline import rows_of_task, run_batch
from akdask.interruption import interruptible


def run_here(graph: Mapping[Any, Any], keys: Any) -> Any:
    """Return the results of some keys, with tuples for lists of keys; tasks run in this thread."""
    tasks = OrderedTasks(graph, keys)
    for key in tasks.order:
        tasks.finish(key, _found_here(graph[key], tasks.inputs(key)))
    return tasks.wanted()


def run_in_threads(graph: Mapping[Any, Any], keys: Any, pool: ThreadPoolExecutor, count: int) -> Any:
    """Return the results of some keys, with tuples for lists of keys; tasks run in `count` threads of a pool."""
    tasks = OrderedTasks(graph, keys)
    run = _ThreadedRun(graph, tasks)
    try:
        for _ in range(min(count, len(tasks.order))):
            pool.submit(copy_context().run, run.work)
        run.wait()
    except KeyboardInterrupt:
        # It may come while a thread is being started.
        run.end(None)
        raise
    return tasks.wanted()


class OrderedTasks:
    """Tasks in the order in which one thread runs them, and their results.

    Parameters
    ----------
    graph : mapping of key to task
        Keys may also map to results, such as a table in memory.
    keys : key or list of keys
        The wanted keys, maybe in nested lists.
    """

    def __init__(self, graph: Mapping[Any, Any], keys: Any) -> None:
        self.order: list[Any] = []
        self.sources: dict[Any, dict[Any, Any]] = {}
        """Keys of the results of each task's inputs, with aliases resolved."""
        self._results: dict[Any, Any] = {}
        self._same: dict[Any, Any] = {}
        self._keys = keys
        wanted = list(flatten([keys]))
        self._sort(graph, wanted)
        self._readers = dict.fromkeys(self._results, 0) | dict.fromkeys(self.order, 0)
        for name in wanted:
            self._readers[self._same.get(name, name)] += 1
        for sources in self.sources.values():
            for source in sources.values():
                self._readers[source] += 1

    def _sort(self, graph: Mapping[Any, Any], wanted: list[Any]) -> None:
        """Put inputs before their users, with the inputs of one task together, so that few results wait at a time."""
        numbers = {key: number for number, key in enumerate(graph)}
        stack = wanted[::-1]
        needed: dict[Any, Any] = {}
        placed: set[Any] = set()
        while stack:
            key = stack[-1]
            task = graph[key]
            if key not in needed:
                needed[key] = names = input_keys(task)
                missing = [name for name in names if name not in needed]
                if missing:
                    stack += sorted(missing, key=numbers.__getitem__, reverse=True)
                    continue
            stack.pop()
            if key not in placed:
                placed.add(key)
                self._place(key, task, needed[key])

    def _place(self, key: Any, task: Any, names: Any) -> None:
        if isinstance(task, Alias):
            self._same[key] = self._same.get(task.target, task.target)
        elif isinstance(task, DataNode) or not isinstance(task, GraphNode):
            self._results[key] = task.value if isinstance(task, DataNode) else task
        else:
            self.order.append(key)
            self.sources[key] = {name: self._same.get(name, name) for name in names}

    def inputs(self, key: Any) -> dict[Any, Any]:
        """Return the inputs of a task, by the keys that the task uses."""
        return {name: self._results[source] for name, source in self.sources[key].items()}

    def finish(self, key: Any, result: Any) -> None:
        """Store the result of a task, and free inputs that it was the last to read."""
        self._results[key] = result
        for source in self.sources[key].values():
            self._readers[source] -= 1
            if not self._readers[source]:
                del self._results[source]

    def wanted(self) -> Any:
        """Return the wanted results, once all tasks are finished."""
        return self._picked(self._keys)

    def _picked(self, keys: Any) -> Any:
        if isinstance(keys, list):
            return tuple([self._picked(key) for key in keys])
        return self._results[self._same.get(keys, keys)]


class _ThreadedRun:
    """Tasks, as several threads run them."""

    def __init__(self, graph: Mapping[Any, Any], tasks: OrderedTasks) -> None:
        self._graph, self._tasks = graph, tasks
        self._ready: list[int] = []
        self._waits_for: dict[int, int] = {}
        self._next_of: defaultdict[Any, list[int]] = defaultdict(list)
        self._left, self._running = len(tasks.order), 0
        self._error: BaseException | None = None
        self._changed, self._is_over = Condition(), Event()
        for number, key in enumerate(tasks.order):
            made = {source for source in tasks.sources[key].values() if source in tasks.sources}
            for source in made:
                self._next_of[source].append(number)
            if made:
                self._waits_for[number] = len(made)
            else:
                self._ready.append(number)
        if not self._left:
            self._is_over.set()

    def work(self) -> None:
        """Run tasks until none are left.  This is the loop of each thread."""
        try:
            while (number := self._take()) is not None:
                key = self._tasks.order[number]
                self._finish(key, _found(self._graph[key], self._tasks.inputs(key)))
        except BaseException as error:  # raised again by the waiting thread
            self.end(error)

    def _take(self) -> int | None:
        """Return the number of a task with complete inputs, once there is enough memory for it beside others."""
        with self._changed:
            while not self._is_over.is_set():
                if self._ready and not (self._running and memory_budget.is_exhausted()):
                    self._running += 1
                    return heappop(self._ready)
                self._changed.wait(tuning.MEMORY_PAUSE if self._ready else None)
            return None

    def _finish(self, key: Any, result: Any) -> None:
        with self._changed:
            self._tasks.finish(key, result)
            self._running -= 1
            self._left -= 1
            for number in self._next_of.pop(key, ()):
                self._waits_for[number] -= 1
                if not self._waits_for[number]:
                    heappush(self._ready, number)
            if not self._left:
                self._is_over.set()
            # This thread takes one of the ready tasks.
            if not self._left or len(self._ready) > 1:
                self._changed.notify_all()

    def end(self, error: BaseException | None) -> None:
        """Have threads take no more tasks, as one has failed or the user has interrupted them."""
        with self._changed:
            self._error = self._error or error
            self._is_over.set()
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait for all tasks, or for the first failure."""
        while not self._is_over.wait(tuning.LOOK_UP):
            pass
        failure, self._error = self._error, None
        if failure is not None:
            try:
                raise failure
            finally:
                # Otherwise the error would keep itself, and the task's inputs, in memory.
                del failure


def input_keys(task: Any) -> Collection[Any]:
    """Return the keys of a task's inputs; a persisted entry is a result rather than a task."""
    return task.dependencies if isinstance(task, GraphNode) else ()


def _found(task: Any, inputs: dict[Any, Any]) -> Any:
    """Return the result of a task in its waiting form, and hold its inputs in memory while it runs."""
    fetched = fetch_all(inputs)
    in_use = InputsInUse(inputs, fetched)
    return in_use.let_go(_result(task, fetched))


def _found_here(task: Any, inputs: dict[Any, Any]) -> Any:
    """Return the result of a task in its waiting form, without accounting for a few numbers."""
    for item in inputs.values():
        if isinstance(item, SpillableResult):
            inputs = fetch_all(inputs)
            break
    result = _result(task, inputs)
    if type(result) is Table and result.nrows * len(result.columns) <= tuning.SMALL_ROWS:
        for column in result.columns.values():
            if not isinstance(column, np.ndarray):
                return make_spillable(result)
        return result
    return make_spillable(result)


def _result(task: Any, inputs: Mapping[Any, Any]) -> Any:
    if type(task) is not Task or task.kwargs:
        return task(inputs)
    return task.func(*[_argument(item, inputs) for item in task.args])


def _argument(item: Any, inputs: Mapping[Any, Any]) -> Any:
    """Return an argument of a task; Dask's own evaluation makes several times as many calls."""
    if type(item) is TaskRef:
        return inputs[item.key]
    if type(item) is List:
        return [_argument(part, inputs) for part in item.args]
    return item({name: inputs[name] for name in item.dependencies}) if isinstance(item, GraphNode) else item


_active: ContextVar[tuple[Callback, ...]] = ContextVar("observers", default=())


@contextmanager
def observed_by(observer: Callback) -> Iterator[None]:
    """Tell an observer about the computations that this thread runs inside."""
    restore = _active.set((*_active.get(), observer))
    try:
        yield
    finally:
        _active.reset(restore)


def callbacks() -> list[tuple[Any, ...]] | None:
    """Return the callbacks of a computation that begins now; None if Dask's own suffice."""
    observers = _active.get()
    return [*Callback.active, *(observer._callback for observer in observers)] if observers else None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Limit the computations of this thread inside to some seconds; then they end as soon as one of their tasks ends.

    Computations on a cluster are not limited.

    Raises
    ------
    OutOfTime
        If a computation takes longer; its partial results are dropped.
    """
    with observed_by(_Deadline(seconds)):
        yield


_seconds: ContextVar[dict[Hashable, float] | None] = ContextVar("seconds", default=None)


class _Recorder(Callback):
    """Records the time of tasks: with our threads, from the start of each; with Dask's, from when it is handed out."""

    def __init__(self) -> None:
        self.seconds: dict[Hashable, float] = {}
        self._begun: dict[Hashable, float] = {}

    def _pretask(self, key: Hashable, dsk: Any, state: Any) -> None:
        self._begun[key] = perf_counter()

    def _posttask(self, key: Hashable, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        self.seconds.setdefault(key, perf_counter() - self._begun[key])


@contextmanager
def recorded() -> Iterator[Mapping[Hashable, float]]:
    """Record the time of each task that this thread computes inside; yields seconds by the keys of tasks."""
    recorder = _Recorder()
    restore = _seconds.set(recorder.seconds)
    try:
        with observed_by(recorder):
            yield recorder.seconds
    finally:
        _seconds.reset(restore)


def recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function that runs tasks for Dask, and records their time if a recorder is active."""
    seconds = _seconds.get()
    if seconds is None:
        return function

    def timed(tasks: Sequence[tuple[Any, ...]]) -> Any:
        start = perf_counter()
        try:
            return function(tasks)
        finally:
            seconds[tasks[0][0]] = perf_counter() - start

    return timed


class OutOfTime(Exception):  # no error: an optional computation is abandoned
    """A computation took longer than its time limit."""


class _Deadline(Callback):
    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Mapping[str, Any], worker_id: Any) -> None:
        if perf_counter() > self._end and (state["waiting"] or state["ready"] or state["running"]):
            raise OutOfTime


_running = local()
"""The inputs of the task that a thread runs, as `inputs`."""


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
                self._has_ended.wait(tuning.MEMORY_PAUSE)
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
    with interruptible():
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
    return (make_spillable(result) if inputs is None else inputs.let_go(result)), other


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
    if len(tasks) > tuning.SMALL_TASKS:
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
    return rows <= (tuning.SMALL_CHAIN_ROWS if is_chain and len(read) == len(computed) - 1 else tuning.SMALL_ROWS)


def _tables_and_computed(tasks: Mapping[Any, Any]) -> tuple[dict[Any, int], list[Any]]:
    """Return the rows of the tables in a graph, by key, and the tasks that compute."""
    tables: dict[Any, int] = {}
    aliases: list[Alias] = []
    computed: list[Any] = []
    for key, task in tasks.items():
        item = task.value if isinstance(task, DataNode) else task
        if isinstance(item, Table | SpillableResult):
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
    """Return the tasks of a graph, and its spillable results; their readers fetch these."""
    tasks = graph.__dask_graph__() if isinstance(graph, Expr) else graph
    return {
        key: DataNode(key, task.args[0]) if type(task) is Task and task.func is fetch else task
        for key, task in tasks.items()
    }


def _reset_in_child() -> None:
    """Forget the parent's threads in a forked process, which lacks them."""
    _threads.cache_clear()
    forget_threads()


after_fork(_reset_in_child)
