"""Frames without inputs: files, counted rows, and data in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Self
from uuid import uuid4

from akdask.columns import Table, type_of
from akdask.columns.missing_text import from_nulls
from akdask.deferred import is_arrow
from akdask.plan.expr._dask import GraphNode
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import ColumnRef, ResidentColumn
from akdask.schema import INT64, NULLABLE_STR, ColumnType, RowSpace
from akdask.storage.data.source import Source

if TYPE_CHECKING:
    from akdask.plan.expr.rowwise import Project


class Scan(Frame):
    """The columns of a source of files; which of them are read is decided by what uses them."""

    source: Source

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.source.lengths)

    def column(self, name: str) -> ColumnRef:
        """Return one column of the files."""
        return ColumnRef(self._name, name, self.source.columns[name])

    def describe(self) -> str:
        return f"Scan {self.source.label}  {len(self.source.columns)} columns, {self.rows.describe()}"


class Rows(Frame):
    """Rows that are only counted; their one column is the position, from which created arrays are computed."""

    lengths: tuple[int, ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.lengths)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Position of the first row of each partition."""
        return tuple(accumulate(self.lengths, initial=0))[:-1]

    @property
    def position(self) -> ColumnRef:
        """The number of the row, from 0."""
        return ColumnRef(self._name, "position", INT64)

    def describe(self) -> str:
        return f"Rows  {self.rows.describe()}"


class Literal(Frame):
    """Columns in this process's memory, one table for each partition.

    `nullable` are the names of those that are text of which some is missing.
    """

    tables: tuple[Table, ...]
    nullable: frozenset[Hashable]

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Self:
        """Return tables with nulls among their strings, if any, as partitions hold them."""
        found = {name for table in tables for name, column in table.columns.items() if _has_nulls(column)}
        if found:
            tables = [
                Table({name: from_nulls(c) if name in found else c for name, c in table.columns.items()}, table.nrows)
                for table in tables
            ]
        return cls(tuple(tables), frozenset(found))

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([table.nrows for table in self.tables])

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns."""
        dtype = NULLABLE_STR if name in self.nullable else type_of(self.tables[0].columns[name])
        return ColumnRef(self._name, name, dtype)

    def describe(self) -> str:
        return f"Literal  {self.rows.describe()}"


def _has_nulls(column: Any) -> bool:
    return is_arrow(column, "LargeStringArray") and bool(column.null_count)


class Persisted(Frame):
    """Tables that a scheduler holds: the outcome of `persist`.

    `graph` maps keys to results or futures, `keys` has one key for each partition.
    """

    name: str
    graph: Mapping[Any, Any]
    keys: tuple[Hashable, ...]
    rowspace: RowSpace
    schema: tuple[tuple[Hashable, ColumnType], ...]

    def __new__(cls, name: str, *operands: Any, _determ_token: str | None = None) -> Self:
        return super().__new__(cls, name, *operands, _determ_token=_determ_token or name)

    @classmethod
    def of(cls, frame: Project, graph: Mapping[Any, Any], keys: Callable[[], Sequence[Hashable]]) -> Self:
        """Return what stands for a projection whose partitions a graph now holds.

        ``dask.optimize`` holds their tasks under the keys of the collection, which `keys` returns, among others;
        ``persist`` holds results, or tasks that fetch them from disk, under keys of its own, in order.
        """
        schema = tuple(zip(frame.names, (value.dtype for value in frame.values), strict=True))
        # The same plan may be persisted again, by another client.
        name = f"persisted-{frame._name}-{uuid4().hex}"
        has_tasks = any(isinstance(item, GraphNode) for item in graph.values())
        stored = tuple(keys() if has_tasks and graph.keys() >= {*keys()} else graph)
        return cls(name, dict(graph), stored, frame.rows, schema)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.rowspace

    def column(self, name: Hashable) -> ResidentColumn:
        """Return one of the columns."""
        return ResidentColumn(self, name, dict(self.schema)[name])

    def describe(self) -> str:
        return f"Persisted  {self.rows.describe()}"
