"""Computations: run plans on threads or a cluster, and return their results; nothing else in akdask computes.

The root of a plan is the rows of a collection, and their transfer to the user's process. Tasks of this process read
columns of files, and compute numbers, straight into the arrays that a user gets. Elsewhere each partition has its own
arrays, which are joined later. That takes twice the memory, and most of the time goes into allocating and clearing it.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property
from threading import current_thread, main_thread
from time import perf_counter
from typing import Any, Literal, TypeAlias
from weakref import ref

import dask
from dask.system import CPU_COUNT

from akdask import config
from akdask._dask import Expr, List, Task, TaskRef
from akdask.caches import Cache
from akdask.cluster import current_worker, default_client, expect_arrow, named_scheduler, shares_memory, transfer_limit
from akdask.columns.dtypes import ColumnType
from akdask.columns.memory import new_array
from akdask.columns.table import Table, concat_rows, empty, is_slice
from akdask.deferred import is_arrow, pa
from akdask.engine import scheduler, tuning
from akdask.engine.alignment import all_partitions, concat_tables
from akdask.engine.cache import Materialized, WorkerResults
from akdask.engine.memory import manage_freed_memory, persisted
from akdask.engine.node import (
    Frame,
    Node,
    RowSpace,
    lower,
    lower_plans,
    materialize,
    remember_lengths,
    tasks_below,
    values_of_round,
)
from akdask.engine.optimizer import Need, ReaderNeed, ReaderNeeds, needs_of_inputs
from akdask.engine.pipeline import narrowed, pipeline_into
from akdask.engine.rowwise import Chain, Project, Tasks
from akdask.engine.scheduler import callbacks, pending_results
from akdask.engine.sources import Scan
from akdask.engine.values import ColumnRef, Replica, walk
from akdask.errors import TransferError
from akdask.operators.reduce.plan import CountRows, Element
from akdask.storage.files import is_remote, uses_remote_files
from akdask.storage.remote import buffer_limit
from akdask.storage.source import Source

_LOG = logging.getLogger("akdask")


class Destination(dict[Hashable, Any]):
    """Arrays for the numbers of all partitions; the tasks of one process fill them."""

    def __reduce__(self) -> Any:
        raise TransferError(
            "columns are read into the memory of this process, and tasks run in another.",
            hint="name the scheduler with dask.config.set(scheduler=…), or make a Client the current one.",
        )


class CollectColumns(Frame):
    """All rows of a projection in one partition; numbers are read or computed straight into arrays of all rows.

    Strings stay in the chunks in which they are read or made if `chunked`; otherwise they are joined.
    """

    frame: Project
    chunked: bool

    @cached_property
    def planned_rows(self) -> RowSpace:
        lengths = self.frame.rows.lengths
        return RowSpace.of_lengths([sum(lengths)]) if lengths is not None else RowSpace(self._name, 1)


def can_collect(frame: Project, *, chunked: bool = False) -> bool:
    """Whether tasks share the memory of this process, and a projection is columns of files or has several partitions.

    Partitions are not joined if strings stay in chunks, or if the places of numbers are known.
    """
    if not shares_memory():
        return False
    is_read = _is_read(frame)
    if is_read or frame.npartitions == 1:
        return is_read
    has_lengths = frame.rows.lengths is not None
    return any(
        (has_lengths and dtype.is_number) or (chunked and dtype.kind == "str") for dtype in _dtypes(frame).values()
    )


def _is_read(frame: Project) -> bool:
    chain = Chain.of(frame.frame)
    return (
        not chain.selections
        and all(isinstance(base, Scan) for base in chain.bases)
        and all(
            isinstance(value, ColumnRef) and (value.dtype.is_number or value.dtype.kind == "str")
            for value in frame.values
        )
    )


def _dtypes(project: Project) -> dict[Hashable, ColumnType]:
    return {name: value.dtype for name, value in zip(project.names, project.values, strict=True)}


@needs_of_inputs.register
def _(node: CollectColumns, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(partitions=False)


@lower.register
def _(frame: CollectColumns) -> Expr:
    project = frame.frame
    dtypes = tuple(_dtypes(project).items())
    lengths = project.rows.lengths or ()
    arrays = Tasks(f"destination {frame._name}", _new_destination, (((), (dtypes, sum(lengths))),))
    if project.rows.lengths is None or Chain.of(project.frame).predicates:
        calls = ((all_partitions(project.npartitions), ()),)
        joined = _in_chunks if frame.chunked else concat_tables
        return Tasks(f"join {project._name}", joined, calls, project)
    filled = _written(project, arrays) or pipeline_into(project.frame, project.names, project.values, lengths, arrays)
    every = tuple((1, number) for number in range(project.npartitions))
    return Tasks(frame._name, _collected, ((((0, 0), *every), (dtypes, sum(lengths), frame.chunked)),), arrays, filled)


def _written(project: Project, arrays: Node) -> Expr | None:
    """Return the physical node that writes nothing but numbers of one frame, None if the frame does not do so."""
    source = project.frame
    columns: dict[Hashable, Hashable] = {}
    for name, value in zip(project.names, project.values, strict=True):
        if not isinstance(value, ColumnRef) or value.source != source._name or not value.dtype.is_number:
            return None
        columns[name] = value.name
    return source.lower_into(columns, arrays)


def _new_destination(inputs: Sequence[Any], dtypes: Sequence[tuple[Hashable, ColumnType]], nrows: int) -> Destination:
    """Allocate arrays for the numbers of all partitions, in a task, so that each computation has its own arrays."""
    manage_freed_memory()
    return Destination({name: new_array(nrows, dtype.numpy) for name, dtype in dtypes if dtype.is_number})


def _collected(
    inputs: Sequence[Any], dtypes: Sequence[tuple[Hashable, ColumnType]], nrows: int, chunked: bool
) -> Table:
    arrays, *tables = inputs
    others = (_in_chunks if chunked else Table.concat)(tables).columns
    return Table({name: arrays[name] if name in arrays else others[name] for name, _ in dtypes}, nrows)


def _in_chunks(tables: Sequence[Table]) -> Table:
    """Concatenate tables; chunks of strings are not copied."""
    if len(tables) == 1:
        return tables[0]
    columns = {}
    for name in tables[0].columns:
        chunks = [table.columns[name] for table in tables]
        # A view of a few rows would keep the whole buffer in memory.
        in_chunks = is_arrow(chunks[0], "LargeStringArray") and not any(len(one) and is_slice(one) for one in chunks)
        columns[name] = pa.chunked_array(chunks) if in_chunks else concat_rows(chunks)
    return Table(columns, sum(table.nrows for table in tables))


def check_transfer(project: Project, limit: float | None = None) -> None:
    """Refuse to bring a projection into this process if it takes more than a limit, or than the setting allows.

    Columns without fixed width count by their offsets only. Rows of unknown number do not count, since a count would
    read the columns that they are selected by a second time.

    Raises
    ------
    TransferError
        If the projection would take more.
    """
    size = project.rows.size
    if size is not None:
        check_bytes(size * sum(value.dtype.itemsize for value in project.values), limit)


def check_bytes(nbytes: int, limit: float | None = None) -> None:
    """Refuse a result of more bytes than a limit, or than the setting allows.

    Raises
    ------
    TransferError
        If the result has more.
    """
    limit = transfer_limit() if limit is None else limit
    if nbytes > limit:
        raise TransferError(
            f"this would bring {nbytes:,} bytes into this process, more than the limit of {limit:,.0f}.",
            hint="select fewer rows or columns, or raise the limit with ak.config.set(max_transfer_bytes=…): a number "
            "of bytes, text such as '64 GiB', or None for no limit; unless set, it is half of the memory.",
        )


class CollectionRows(Frame):
    """The rows of a collection.

    `form` makes the user's object from a table and the results of `extras`. These are one-partition nodes, such as
    category tables. `limit` is the largest number of bytes to transfer to this process, None for the setting.
    """

    frame: Project
    form: Callable[..., Any]
    extras: tuple[Frame, ...]
    limit: float | None

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    def finalize_compute(self) -> Expr:
        check_transfer(self.frame, self.limit)
        return self.finish()

    def result(self, *, chunked: bool = False) -> Any:
        """Return the user's object; computes, unless the plan tells that there are no rows.  For `chunked` see `here`.

        Raises
        ------
        TransferError
            If the rows would take more than the limit.
        """
        if self.frame.rows.is_fixed and not self.frame.rows.size and not self.extras:
            columns = zip(self.frame.names, self.frame.values, strict=True)
            return self.form(Table({name: empty(value.dtype) for name, value in columns}, 0))
        (found,) = run(self.here(chunked=chunked))
        return found

    def here(self, *, chunked: bool = False) -> Node:
        """Return the plan of the user's object, with columns of files read straight into it.

        If `chunked`, string columns may reach the form as Arrow's chunked arrays.

        Raises
        ------
        TransferError
            If the rows would take more than the limit.
        """
        if not can_collect(self.frame, chunked=chunked):
            return self
        check_transfer(self.frame, self.limit)
        return FinishResult(self.form, CollectColumns(self.frame, chunked), *self.extras)

    def finish(self) -> FinishResult:
        """Return the plan of the user's object, of any size."""
        return FinishResult(self.form, self.frame, *self.extras)


class FinishResult(Node):
    """All rows in this process, as the user's object; operands after `frame` are the extras."""

    is_fusible = True

    form: Callable[..., Any]
    frame: Expr

    @property
    def npartitions(self) -> int:
        return 1

    def _layer(self) -> dict[Any, Any]:
        if isinstance(self.frame, Frame):
            return materialize(self)
        key = (self._name, 0)
        tables = List(*map(TaskRef, self.frame.__dask_keys__()))
        extras = List(*[TaskRef(node.__dask_keys__()[0]) for node in self.operands[2:]])
        return {key: Task(key, finish_result, self.form, tables, extras)}


def tasks_of(plan: Node) -> Expr:
    """Return the lowered plan of a result of any size; nothing is computed."""
    return (plan.finish() if isinstance(plan, CollectionRows) else plan.finalize_compute()).lower_completely()


def finish_result(form: Callable[..., Any], tables: Sequence[Table], extras: Sequence[Any]) -> Any:
    """Concatenate the partitions, and make the user's object from them."""
    found = form(Table.concat(tables), *extras)
    if is_arrow(found, "Table"):
        expect_arrow()
    return found


@lower.register
def _(frame: CollectionRows) -> Expr:
    return lower(frame.frame)


@needs_of_inputs.register
def _(node: FinishResult, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(partitions=False)
    for extra in node.operands[2:]:
        yield extra, ReaderNeed()


class Root:
    """A plan with the interface of a Dask collection.

    Runs on threads of this process unless a client or another scheduler is current.
    """

    __dask_scheduler__ = staticmethod(scheduler.get)

    def __init__(self, expr: Node) -> None:
        self._expr = expr

    @property
    def expr(self) -> Node:
        """The plan."""
        return self._expr

    def __dask_graph__(self) -> Mapping[Any, Any]:
        return self.expr.__dask_graph__()

    def __dask_keys__(self) -> list[Any]:
        return self.expr.__dask_keys__()

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.expr._name,)

    def __dask_tokenize__(self) -> str:
        return self.expr._name


_FEW, _PART = 2, 4
"""Columns of a source that a plan is assumed to read; of many columns, a fraction."""

_ITEMSIZE = 8


def tasks_at_once(plans: Sequence[Node]) -> int | None:
    """Return the number of parallel tasks of plans that read remote files, None for one on each core.

    Some columns of all their partitions then fit in the space for reading ahead. So tasks on large partitions, each of
    which keeps the network busy alone, need no more memory than others.
    """
    if not uses_remote_files() or not shares_memory():
        return None
    sizes = [_nbytes(scan.source) for scan in _scans(plans) if any(map(is_remote, scan.source.paths))]
    if not sizes:
        return None
    limit = buffer_limit() // max(*sizes, 1)
    found = CPU_COUNT
    while found * 2 <= min(tuning.MOST_REMOTE_TASKS, limit):
        found *= 2  # a few different numbers, since the threads of each are kept
    return found


def _scans(plans: Sequence[Node]) -> Iterator[Scan]:
    """Yield the sources of the rows of plans, each once."""
    stack, seen = list(plans), set[str]()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            if isinstance(node, Scan):
                yield node
            stack.extend(node.dependencies())


def _nbytes(source: Source) -> int:
    """Return the bytes of the largest partition, for the columns that a plan is assumed to read."""
    return max(source.lengths, default=0) * _ITEMSIZE * max(_FEW, len(source.columns) // _PART)


def _release(node: ref[Materialized]) -> None:
    oldest = node()
    if oldest is not None:
        oldest.hold(None)


_persisted: Cache[str, ref[Materialized]] = Cache(
    "columns on workers", entries=lambda: tuning.COLUMNS_ON_WORKERS, dropped=_release
)


def persist_on_workers(plans: Sequence[Node]) -> None:
    """Have the workers of the current client compute and hold the materialized columns of plans; returns at once."""
    if shares_memory() or current_worker() is not None:
        return
    client = default_client()
    wanted = [] if client is None or client.asynchronous else [*_not_persisted(plans)]
    if not wanted:
        return
    lowered = _fused(wanted)
    keys = [plan.__dask_keys__() for plan in lowered]
    for node, own, futures in zip(wanted, keys, _sent(client, lowered, keys, sync=False), strict=True):
        node.hold(WorkerResults(ref(client), dict(zip(own, futures, strict=True)), tuple(own)))
        _persisted.put(node._name, ref(node))


def _fused(plans: Sequence[Node]) -> list[Expr]:
    """Return the tasks of plans for a cluster."""
    from akdask.engine.fusion import fuse

    return fuse(lower_plans(plans))


def _sent(client: Any, lowered: Sequence[Expr], keys: Sequence[Any], *, sync: bool) -> Sequence[Any]:
    """Have a cluster compute lowered plans, and return the results of some keys, or futures of these."""
    from akdask.engine.fusion import TaskGraph
    from akdask.engine.plugins import install_plugins

    install_plugins()
    found: Sequence[Any] = client.get(TaskGraph.of(lowered), keys, sync=sync)
    return found


def _not_persisted(plans: Sequence[Node]) -> Iterator[Materialized]:
    """Yield the materialized columns of plans that no worker holds yet, each once; do not look below held columns."""
    stack: list[Expr] = list(plans)
    seen: set[str] = set()
    while stack:
        node = stack.pop()
        if node._name in seen:
            continue
        seen.add(node._name)
        if isinstance(node, Materialized) and node.on_workers is None:
            yield node
        stack += node.dependencies()
        stack += [value.node for value in walk(*values_of_round(node)) if isinstance(value, Replica)]


def run(*plans: Node) -> tuple[Any, ...]:
    """Compute plans together, and return their results.

    Raises
    ------
    TransferError
        If the memory of this process, or of a worker, does not suffice.
    """
    with _computation():
        return _results(plans) if plans else ()


def compute(*items: Any) -> tuple[Any, ...]:
    """Return the results of lazy objects, computed together, and other items as they are, as ``dask.compute`` does."""
    results = iter(run(*[item.expr for item in items if isinstance(item, Root)]))
    return tuple([next(results) if isinstance(item, Root) else item for item in items])


def partitions_in_memory(plan: Node) -> dict[Hashable, Any] | None:
    """Return the results of a plan's partitions by its keys, None if a cluster keeps them.

    The oldest results go to disk when memory is short.

    Raises
    ------
    TransferError
        If the memory of this process does not suffice.
    """
    scheduler = _scheduler()
    if scheduler is None:
        return None
    with _computation():
        (lowered,) = lower_plans([plan])
        options = _options([plan], scheduler)
        if scheduler is Root.__dask_scheduler__:
            scheduler = pending_results
        found = scheduler(tasks_below([lowered]), lowered.__dask_keys__(), **options)
        return {key: persisted(key, result) for key, result in zip(plan.__dask_keys__(), found, strict=True)}


Place: TypeAlias = Literal["terminal", "notebook"]


def place_of_progress() -> Place | None:
    """Return where to show progress, None where nobody looks on, or the setting ``progress`` forbids it."""
    wanted = config.get("progress")
    if wanted is False or current_thread() is not main_thread():
        return None
    # Whether this process is the kernel of a notebook.
    ipython: Callable[[], Any] | None = getattr(sys.modules.get("IPython"), "get_ipython", None)
    if ipython is not None and getattr(ipython(), "kernel", None) is not None:
        return "notebook"
    return "terminal" if wanted is True or (sys.stderr is not None and sys.stderr.isatty()) else None


def progress_shown() -> AbstractContextManager[None]:
    """Return the context that shows the progress of computations inside, if there is a place for it."""
    place = place_of_progress()
    if place is None:
        return nullcontext()
    from akdask.engine.explain import progress

    return progress(place)


@contextmanager
def _computation() -> Iterator[None]:
    """Show progress, log the time, and add advice to the error if memory does not suffice."""
    begun = perf_counter()
    try:
        with progress_shown():
            yield
        _LOG.debug("computed in %.3f s", perf_counter() - begun)
    except MemoryError as error:
        raise TransferError(
            "this takes more memory than there is.",
            details=[str(error)] if str(error) else [],
            hint="select fewer rows or columns, make partitions smaller (partition_size), or allow more: "
            "ak.config.set(memory_limit=…) for this process, memory_limit for the workers of a cluster.",
        ) from error


def _results(plans: Sequence[Node]) -> tuple[Any, ...]:
    persist_on_workers(plans)
    scheduler = _scheduler()
    options = _options(plans, scheduler)
    if scheduler is None:
        expect_arrow()
        try:
            client = default_client()
            if client is None or client.asynchronous:
                return dask.compute(*[Root(plan) for plan in plans], traverse=False, **options)
            lowered = _fused([plan.finalize_compute() for plan in plans])
            if len(plans) == 1 and isinstance(plans[0], Element):
                return (_element(client, lowered[0]),)
            return tuple(_sent(client, lowered, [plan.__dask_keys__()[0] for plan in lowered], sync=True))
        except Exception:
            default_client()  # Raises the error of a scheduler that has closed, of which this one is a consequence.
            raise
    # Without the overhead of `dask.compute`, which takes longer than planning.
    lowered = lower_plans([plan.finalize_compute() for plan in plans])
    graph = tasks_below(lowered)
    keys = [plan.__dask_keys__()[0] for plan in lowered]
    if len(plans) > 1 or not isinstance(plans[0], Element):
        return tuple(scheduler(graph, keys, **options))
    # The last task runs in this thread, since it only merges the results of the others.
    last = graph.pop(keys[0])
    inputs = list(last.dependencies)
    return (last(dict(zip(inputs, scheduler(graph, inputs, **options), strict=True))),)


def _element(client: Any, lowered: Expr) -> Any:
    """Have a cluster compute the lowered plan of an element, and return this.

    A last task that only merges the results of others runs here, rather than on a worker that these are sent to.
    """
    from akdask.engine.fusion import Fused

    (key,) = lowered.__dask_keys__()
    tasks = lowered._layer()
    keys = list(tasks[key].dependencies)
    if len(tasks) > 1 or not keys or (isinstance(lowered, Fused) and len(lowered.members) > 1):
        return _sent(client, [lowered], [key], sync=True)[0]
    return tasks[key](dict(zip(keys, _sent(client, lowered.dependencies(), keys, sync=True), strict=True)))


def _options(plans: Sequence[Node], scheduler: Callable[..., Any] | None) -> dict[str, Any]:
    """Return the options with which a scheduler computes plans."""
    options: dict[str, Any] = {"callbacks": callbacks()} if scheduler is not Root.__dask_scheduler__ else {}
    at_once = tasks_at_once(plans)
    if at_once is not None:
        options["num_workers"] = dask.config.get("num_workers", None) or at_once
    return options


def _scheduler() -> Callable[..., Any] | None:
    """Return the scheduler to use, None to leave the choice to Dask.

    Without a client, Dask would import `distributed` just to find none, which is slow.
    """
    named = named_scheduler()
    return Root.__dask_scheduler__ if isinstance(named, str) else named


def resolve_lengths(*frames: Frame) -> None:
    """Count the rows of frames with unknown partition lengths, in one computation, and remember them."""
    unknown = {frame.rows.token: frame for frame in frames if frame.rows.lengths is None}
    if not unknown:
        return
    # Without columns beside the rows, such as columns that a loop has assigned.
    counts = run(*[CountRows(narrowed(frame, [])) for frame in unknown.values()])
    for token, lengths in zip(unknown, counts, strict=True):
        remember_lengths(token, tuple(lengths))
