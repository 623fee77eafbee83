"""Materialized columns: computed once, and kept in memory for several passes over them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple
from weakref import ref

from akdask import machine
from akdask._dask import Expr
from akdask._distributed import default_client, is_cancelled, shares_memory
from akdask.columns.table import Table
from akdask.engine.alignment import OverProject, align_by_plan, rows_at_most
from akdask.engine.cache import CachedResult, CacheLease, find, is_leased, lease, put
from akdask.engine.missing import recombined, separated
from akdask.engine.node import Frame, RowSpace, depth_of, lower, rounds_of, rounds_on
from akdask.engine.rowwise import PersistedResults, Project, Tables, Tasks, Zip
from akdask.engine.values import ColumnRef, ResidentColumn, Value, assumed_width, columns_of, substitute_all

MOST_ROUNDS = 8
"""Rounds over rows that are streamed again for each round."""

MOST_STEPS = 32
"""Successive operations that are repeated for each result that is computed after them."""

MOST_STEPS_OF_UNKNOWN = 128
"""The same limit for rows whose number is unknown."""

MOST_ROUNDS_OF_MANY = 64
"""The same limit for rows that may not fit in memory: reading them again is faster than spilling them."""

SHARE = 16
"""The divisor of this machine's memory that bounds a kept column."""

_ON_WORKERS = "_on_workers"


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
    rounds = rounds_on(rounds_of(frame).own, values)
    steps = depth_of(frame).on(values)
    if rounds < MOST_ROUNDS and steps < MOST_STEPS:
        return frame, values
    fit = _fit(frame, values)
    if rounds < (MOST_ROUNDS if fit else MOST_ROUNDS_OF_MANY) and (
        fit is False or steps < (MOST_STEPS if fit else MOST_STEPS_OF_UNKNOWN)
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
    """Return a kept value; of integers with missing rows both parts are kept, as floats could change them."""
    columns = [Materialized(Project(frame, (0,), (part,))).column(0) for part in separated([value])]
    return recombined([value], columns)[0]


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
    return rows * width <= machine.memory() // SHARE


@lower.register
def _(frame: Materialized) -> Expr:
    name, count, remote, cached = frame._name, frame.npartitions, frame.on_workers, frame.cached
    if remote is not None:
        return PersistedResults(name, remote.graph, remote.keys)
    if cached is not None:
        return Tables(name, cached, _determ_token=name)
    frame.lease  # noqa: B018 -- the frame keeps it from here on
    calls = tuple((((0, number),), (name, number)) for number in range(count))
    return Tasks(f"keep {name}", _keep, calls, frame.frame)


def _keep(tables: Sequence[Table], name: str, number: int) -> Table:
    return put((name, number), tables[0])
