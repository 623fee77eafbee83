"""Columns computed once and kept in memory for several readers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple
from weakref import ref

from akdask import machine
from akdask._dask import Expr
from akdask._distributed import default_client, is_cancelled, shares_memory
from akdask.columns.row_space import RowSpace
from akdask.columns.table import Table
from akdask.engine.alignment import align
from akdask.engine.cache import CachedResult, CacheLease, find, is_leased, lease, put
from akdask.engine.combine import OverProject, rows_at_most
from akdask.engine.lower import lower
from akdask.engine.missing import recombined, separated
from akdask.engine.node import Frame, depth_of, rounds_of, rounds_on
from akdask.engine.rowwise import Project, Zip
from akdask.engine.tables import PersistedResults, Tables, Tasks
from akdask.engine.values import ColumnRef, ResidentColumn, Value, assumed_width, columns_of, substitute_all

MOST_ROUNDS = 8
"""Rounds over rows that are read again for each of them."""

MOST_STEPS = 32
"""Successive operations that are repeated for each value asked for after them."""

MOST_STEPS_OF_UNKNOWN = 128
"""The same for rows whose number is unknown."""

MOST_ROUNDS_OF_MANY = 64
"""The same for rows that may not fit in memory: to read them again is faster than to spill them."""

SHARE = 16
"""The divisor of this machine's memory that bounds a column to be kept."""

_ON_WORKERS = "_on_workers"


class WorkerResults(NamedTuple):
    """Futures of the results on the workers of a client, as a graph, and the key of each partition."""

    client: ref[Any]
    graph: Mapping[Any, Any]
    keys: tuple[Hashable, ...]


class Materialized(OverProject):
    """A projection whose results stay in memory, for several passes.

    Later computations find them as well, for as long as the plan lives: where the cache of this process has space, or
    where `akdask.engine.run` holds them on the workers of a cluster.
    """

    is_materialized = True

    frame: Project

    def describe(self) -> str:
        """Say that the column is kept, and whether it is already."""
        return "Kept of an earlier round" if self.is_there else "Keep for later rounds"

    @property
    def on_workers(self) -> WorkerResults | None:
        """Its results where the workers that compute next hold them."""
        found: WorkerResults | None = self.__dict__.get(_ON_WORKERS)
        if found is None or shares_memory():
            return None
        client = found.client()
        if client is None or client is not default_client():
            return None
        # A restart of the cluster cancels all futures or none.
        return None if any(map(is_cancelled, islice(found.graph.values(), 1))) else found

    def hold(self, results: WorkerResults | None) -> None:
        """Have workers hold its results for as long as the plan lives; no longer for None."""
        self.__dict__[_ON_WORKERS] = results

    @property
    def is_there(self) -> bool:
        """Whether its results need not be computed."""
        return self.on_workers is not None or self.cached is not None

    @property
    def cached(self) -> tuple[CachedResult, ...] | None:
        """Its results where all of them are kept already."""
        if not is_leased(self._name):
            return None
        found = [find((self._name, number)) for number in range(self.npartitions)]
        cached = tuple(table for table in found if table is not None)
        return cached if len(cached) == len(found) else None

    @property
    def inputs(self) -> list[Frame]:
        return [self.frame]

    def dependencies(self) -> list[Expr]:
        """Return what is needed to compute it: nothing where it is kept already, for those who walk through plans."""
        return [] if self.is_there else super().dependencies()

    def column(self, name: Hashable) -> ResidentColumn:
        return ResidentColumn(self, name, self.dtype_of(name))

    @cached_property
    def lease(self) -> CacheLease:
        """The wish that the cache keeps the results."""
        return lease(self._name)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows


def within_rounds(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return values on the rows of a frame, materialized where to compute them would take too much.

    Each round over a column needs a result of the round before (`akdask.engine.node`), and repeats the work of all
    earlier rounds, so that work would grow with the square of the rounds.  A few rounds are cheaper than the memory:
    rows are streamed, whatever their size, as in ``(a - a.mean()) / a.std()``.  After `MOST_ROUNDS` the column is kept,
    and rounds are counted anew, so that no step runs more often than that.  Rows that may be too many to be kept, or
    whose number is unknown, are streamed for longer.

    A loop that asks for a value in each round does the same in separate computations.  After `MOST_STEPS` successive
    operations the column is kept as well, unless it has too many rows; a plan does not tell whether more will follow.

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
    """Return a value that is kept; of integers of which some are missing both parts are, as floats would not do."""
    columns = [Materialized(Project(frame, (0,), (part,))).column(0) for part in separated([value])]
    return recombined([value], columns)[0]


def rejoined(frame: Frame, values: Sequence[Value]) -> tuple[Frame, Sequence[Value]]:
    """Return a frame on which values can be evaluated that refer to columns as they were, and to kept ones.

    Operators of arrays have the frame of one of them, and values of others on the same rows, some of which may
    have been kept meanwhile, while their rows are those of the frame.  A column that is kept knows its node, and that
    knows the frame of which it was made.
    """
    columns = columns_of(*values)
    common, moved = align("compute with", [(_frame_of(column, frame), column) for column in columns])
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

    Depends on this machine alone, as clusters come and go but names must not.
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
