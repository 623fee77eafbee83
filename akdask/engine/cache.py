"""Results that stay in memory: the cache, materialized columns, and the report of all memory that results take.

A GroupBy holds a `CacheLease` on its groupings. A plan holds leases on its groups and on each column that it
materializes. While a lease exists, its results are cached, up to ``cache_size`` bytes in all. The least recently used
results are dropped first, and computed again when they are needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeVar
from weakref import WeakValueDictionary, finalize, ref

from akdask import cluster, config
from akdask._dask import Expr
from akdask.caches import Cache
from akdask.cluster import default_client, is_cancelled, shares_memory
from akdask.columns.table import Table
from akdask.engine import tuning
from akdask.engine.alignment import OverProject, align_by_plan, rows_at_most
from akdask.engine.memory import SpillableResult, result_in
from akdask.engine.node import Frame, Node, RowSpace, lower, values_of_round, work_of
from akdask.engine.rowwise import PersistedResults, Project, Tables, Tasks, Zip
from akdask.engine.sources import Literal, Persisted
from akdask.engine.values import (
    ColumnRef,
    Replica,
    ResidentColumn,
    Value,
    assumed_width,
    columns_of,
    substitute_all,
    walk,
)

Key = tuple[Hashable, ...]
"""The name of a lease, and the key of one of its results."""

Found = TypeVar("Found", bound="CachedResult")


class CachedResult(Protocol):
    """A result that can be cached."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        ...


def _limit() -> int:
    limit = config.get("cache_size")
    return cluster.process_memory() // tuning.CACHE_SHARE if limit is None else int(limit)


def _nbytes(result: CachedResult) -> int:
    return result.nbytes


_cached: Cache[Key, CachedResult] = Cache("columns and groups for later steps", nbytes=_limit, size=_nbytes)


class CacheLease:
    """Keeps results in the cache; they are dropped with the last lease of their name.

    Parameters
    ----------
    name : str
        Names the results.
    """

    __slots__ = ("__weakref__", "keys", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: set[Key] = set()


_leases: WeakValueDictionary[str, CacheLease] = WeakValueDictionary()


def lease(name: str) -> CacheLease:
    """Return the lease of a name; the caller keeps a reference for as long as it needs the results."""
    with _cached.lock:
        found = _leases.get(name)
        if found is None:
            found = _leases[name] = CacheLease(name)
            finalize(found, _forget, name, found.keys)
        return found


def is_leased(name: str) -> bool:
    """Whether a lease of this name exists in this process."""
    return name in _leases


def find(key: Key | None) -> CachedResult | None:
    """Return a cached result, None if there is none."""
    return None if key is None else _cached.get(key)


def put(key: Key | None, result: Found) -> Found:
    """Cache a result if its lease still exists, and return it."""
    if key is not None:
        with _cached.lock:
            holder = _leases.get(str(key[0]))
            if holder is not None:
                holder.keys.add(key)
                _cached.put(key, result)
    return result


def sizes() -> dict[str, int]:
    """Return the bytes of all cached results, by the names of their leases."""
    return {name: _cached.size_of(holder.keys) for name, holder in list(_leases.items())}


def _forget(name: str, keys: set[Key]) -> None:
    with _cached.lock:
        successor = _leases.get(name)
        if successor is not None:
            successor.keys |= keys
            return
        for key in keys:
            _cached.pop(key)


_ON_WORKERS = "_on_workers"


_PLAN = "_plan"


class WorkerResults(NamedTuple):
    """Futures of the results on the workers of a client, as a graph, and the key of each partition."""

    client: ref[Any]
    graph: Mapping[Any, Any]
    keys: tuple[Hashable, ...]


class Materialized(OverProject):
    """A projection whose results stay in memory, for several passes.

    Later computations reuse them as long as the plan lives: if the cache of this process has space, or if
    `akdask.engine.run` holds them on the workers of a cluster.
    """

    is_materialized = True

    frame: Project

    def describe(self) -> str:
        """Describe the column, and whether it is in memory already."""
        return "Kept of an earlier round" if self.is_there else "Keep for later rounds"

    @property
    def on_workers(self) -> WorkerResults | None:
        """Its results on workers, if these are the workers that compute next."""
        found: WorkerResults | None = self.__dict__.get(_ON_WORKERS)
        if found is None or shares_memory():
            return None
        client = found.client()
        if client is None or client is not default_client():
            return None
        # A restart of the cluster cancels all futures or none.
        return None if any(map(is_cancelled, islice(found.graph.values(), 1))) else found

    def hold(self, results: WorkerResults | None) -> None:
        """Have workers hold its results as long as the plan lives; None releases them."""
        self.__dict__[_ON_WORKERS] = results

    @property
    def is_there(self) -> bool:
        """Whether its results need not be computed."""
        return self.on_workers is not None or self.cached is not None

    @property
    def cached(self) -> tuple[CachedResult, ...] | None:
        """Its results if all of them are in the cache."""
        if not is_leased(self._name):
            return None
        found = [find((self._name, number)) for number in range(self.npartitions)]
        cached = tuple(table for table in found if table is not None)
        return cached if len(cached) == len(found) else None

    @property
    def is_planned(self) -> bool:
        """Whether the optimiser has made a plan that computes it."""
        return _PLAN in self.__dict__

    def plan_by(self, plan: Node) -> None:
        """Compute it by a plan of the same rows and columns."""
        self.__dict__[_PLAN] = plan

    @property
    def plan(self) -> Node:
        """The plan that computes it: the projection, or what the optimiser made of it."""
        found: Node = self.__dict__.get(_PLAN, self.frame) if config.get("optimize") else self.frame
        return found

    @property
    def inputs(self) -> list[Frame]:
        return [self.frame]

    def dependencies(self) -> list[Expr]:
        """Return the inputs of its computation; none if its results are in memory already."""
        return [] if self.is_there else super().dependencies()

    def column(self, name: Hashable) -> ResidentColumn:
        return ResidentColumn(self, name, self.dtype_of(name))

    @cached_property
    def lease(self) -> CacheLease:
        """The lease that makes the cache keep the results."""
        return lease(self._name)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows


def within_rounds(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return values on the rows of a frame; columns that would be recomputed too often are materialized.

    Each round over a column needs a result of the round before (`akdask.engine.node`), and repeats the work of all
    earlier rounds, so that work would grow with the square of the rounds.  A few rounds are cheaper than the memory, so
    rows of any size are streamed for them, as in ``(a - a.mean()) / a.std()``. After `MOST_ROUNDS` the column is kept,
    and rounds are counted from there, so that no step runs more often than that. Rows of unknown number, or too many to
    keep, are streamed for longer.

    A loop that computes a result in each round repeats work in the same way, in separate computations.  After
    `MOST_STEPS` successive operations the column is kept as well, unless it has too many rows; a plan does not tell
    whether more will follow.

    Columns are kept one by one: unused ones are never computed, and equal columns have equal names whatever else is
    kept beside them.
    """
    for value in values:
        if not value.sources <= frame.sources:
            frame, values = rejoined(frame, values)
            break
    rounds, steps = work_of(frame).on(values)
    if rounds < tuning.MOST_ROUNDS and steps < tuning.MOST_STEPS:
        return frame, values
    fit = _fit(frame, values)
    if rounds < (tuning.MOST_ROUNDS if fit else tuning.MOST_ROUNDS_OF_MANY) and (
        fit is False or steps < (tuning.MOST_STEPS if fit else tuning.MOST_STEPS_OF_UNKNOWN)
    ):
        return frame, values
    columns = [_materialized(frame, value) for value in values]
    bases = tuple(
        {
            ref.source: ref.frame for value in columns for ref in columns_of(value) if isinstance(ref, ResidentColumn)
        }.values()
    )
    return bases[0] if len(bases) == 1 else Zip(bases), columns


def _materialized(frame: Frame, value: Value) -> Value:
    """Return a kept value."""
    return Materialized(Project(frame, (0,), (value,))).column(0)


def rejoined(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return a frame for values of which some refer to a column as it was, and some to the materialized column.

    An operator of arrays takes the frame of one array, and the values of others on the same rows. Some of these columns
    may have been materialized meanwhile. A materialized column knows its node, and the node knows the frame that it was
    made from.
    """
    columns = columns_of(*values)
    common, moved = align_by_plan("compute with", [(_frame_of(column, frame), column) for column in columns])
    return common, substitute_all(values, {old.token: new for old, new in zip(columns, moved, strict=True)})


def _frame_of(column: ColumnRef, frame: Frame) -> Frame:
    """Return the frame on which a column can be evaluated beside values on another frame of the same rows."""
    if column.source in frame.sources:
        return frame
    if isinstance(column, ResidentColumn):
        source: Frame = column.frame
        return source
    stack, seen = list(frame.bases), set()
    while stack:
        base = stack.pop()
        if isinstance(base, Materialized) and base._name not in seen:
            seen.add(base._name)
            origin = base.frame.frame
            if column.source in origin.sources:
                return origin
            stack += origin.bases
    return frame


def _fit(frame: Frame, values: Sequence[Value]) -> bool | None:
    """Whether each column can be kept, None if unknown.

    The answer depends on this machine only: clusters come and go, but names of plans must stay.
    """
    rows = rows_at_most(frame)
    if rows is None:
        return None
    width = max(map(assumed_width, values))
    return rows * width <= cluster.process_memory() // tuning.COLUMN_SHARE


@lower.register
def _(frame: Materialized) -> Expr:
    name, count, remote, cached = frame._name, frame.npartitions, frame.on_workers, frame.cached
    if remote is not None:
        return PersistedResults(name, remote.graph, remote.keys)
    if cached is not None:
        return Tables(name, cached, _determ_token=name)
    frame.lease  # noqa: B018 -- the frame keeps it from here on
    calls = tuple((((0, number),), (name, number)) for number in range(count))
    return Tasks(f"keep {name}", _keep, calls, frame.plan)


def _keep(tables: Sequence[Table], name: str, number: int) -> Table:
    return put((name, number), tables[0])


HERE = "this process"


class ResultMemory(NamedTuple):
    """Bytes that one node of plans, or one grouping, keeps in memory."""

    name: str
    """Name of the node, or of the lease of the grouping."""
    kind: str
    """The reason why it is kept, in words."""
    nbytes: Mapping[str, int]
    """Bytes at each place, in memory or spilled: the address of a worker, or `HERE`."""


def results_in_memory() -> list[ResultMemory]:
    """Return all that plans of this process keep in memory, here or on the workers of the current client."""
    persisted, columns = Persisted.living(), Materialized.living()
    graphs = {node._name: ("persisted", node.graph) for node in persisted}
    graphs |= {node._name: ("kept for later steps", node.on_workers.graph) for node in columns if node.on_workers}
    locations = _locations({key for _, graph in graphs.values() for key in _future_keys(graph)})
    found = [ResultMemory(name, kind, _bytes_of(graph, locations)) for name, (kind, graph) in graphs.items()]
    found += [
        ResultMemory(node._name, "made of values", {HERE: sum(table.nbytes for table in node.tables)})
        for node in Literal.living()
    ]
    names = {node._name for node in columns}
    found += [
        ResultMemory(str(name), "kept for later steps" if name in names else "groups found before", {HERE: nbytes})
        for name, nbytes in sizes().items()
    ]
    return [result for result in found if any(result.nbytes.values())]


def spilled_bytes() -> int:
    """Return the bytes of persisted results of this process that are on disk, for want of memory."""
    results = (result_in(item) for node in Persisted.living() for item in node.graph.values())
    return sum(item.nbytes for item in results if isinstance(item, SpillableResult) and item.in_memory is None)


def other_bytes(results: Iterable[ResultMemory]) -> dict[str, int]:
    """Return the bytes of workers' results that belong to others than the given plans, by worker."""
    client = default_client()
    if client is None:
        return {}
    sizes = client.nbytes(summary=False)
    found = Counter({address: sum(sizes.get(key, 0) for key in keys) for address, keys in client.has_what().items()})
    for result in results:
        found.subtract(result.nbytes)
    return {address: nbytes for address, nbytes in found.items() if nbytes > 0 and address != HERE}


def names_below(plans: Iterable[Node]) -> set[str]:
    """Return the names of all nodes that plans are made from."""
    stack: list[Any] = list(plans)
    seen: set[str] = set()
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            stack += node.dependencies()
            stack += [value.node for value in walk(*values_of_round(node)) if isinstance(value, Replica)]
    return seen


def _future_keys(graph: Mapping[Any, Any]) -> Iterator[Hashable]:
    return (item.key for item in graph.values() if _is_future(item))


def _is_future(item: Any) -> bool:
    return type(item).__name__ == "Future" and hasattr(item, "key")


def _locations(keys: set[Hashable]) -> dict[Hashable, dict[str, int]]:
    """Return the workers that hold the results of some keys, with their bytes."""
    client = default_client()
    if client is None or not keys:
        return {}
    sizes = client.nbytes(summary=False)
    found: dict[Hashable, dict[str, int]] = {key: {} for key in keys}
    for address, results in client.has_what().items():
        for key in results:
            if key in found:
                found[key][address] = sizes.get(key, 0)
    return found


def _bytes_of(graph: Mapping[Any, Any], locations: Mapping[Hashable, Mapping[str, int]]) -> dict[str, int]:
    found: Counter[str] = Counter()
    for item in graph.values():
        if _is_future(item):
            found.update(locations.get(item.key, {}))
            continue
        result = result_in(item)
        if isinstance(result, Table | SpillableResult):
            found[HERE] += result.nbytes
    return dict(found)
