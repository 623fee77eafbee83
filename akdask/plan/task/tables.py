"""Physical nodes that provide or combine whole tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

from akdask.columns import Table
from akdask.deferred import without_collection
from akdask.plan.expr._dask import Alias, DataNode, Expr, List, Task, TaskRef
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.sources import Literal, Persisted, Rows, Scan
from akdask.plan.expr.values import ColumnRef
from akdask.plan.task.inputs import read_only


class Tables(Node):
    """Tables in this process's memory."""

    token: str
    tables: tuple[Any, ...]

    @property
    def npartitions(self) -> int:
        return len(self.tables)

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        return {key: DataNode(key, table) for key, table in zip(self.__dask_keys__(), self.tables, strict=True)}


class PersistedResults(Node):
    """Results or futures that a scheduler holds, under its own keys."""

    name: str
    graph: Mapping[Any, Any]
    keys: tuple[Hashable, ...]

    def __new__(cls, name: str, *operands: Any, _determ_token: str | None = None) -> Self:
        return super().__new__(cls, name, *operands, _determ_token=_determ_token or name)

    @property
    def npartitions(self) -> int:
        return len(self.keys)

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        graph = dict(self.graph)
        for ours, theirs in zip(self.__dask_keys__(), self.keys, strict=True):
            graph[ours] = Alias(ours, theirs)
        return graph


class Tasks(Node):
    """One task for each partition, each calling the same function on some partitions of the inputs.

    `calls` has for each task the input partitions, as (input, partition) pairs, and further arguments.
    """

    token: str
    function: Callable[..., Any]
    calls: tuple[tuple[tuple[tuple[int, int], ...], tuple[Any, ...]], ...]

    @classmethod
    def step(cls, *operands: Any) -> str:
        return operands[1].__name__.strip("_").replace("_", " ")

    @property
    def npartitions(self) -> int:
        return len(self.calls)

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        keys: list[Sequence[Hashable]] = [node.__dask_keys__() for node in self.operands[3:]]
        graph = {}
        for index, (refs, args) in enumerate(self.calls):
            key = (self._name, index)
            inputs = List(*[TaskRef(keys[node][partition]) for node, partition in refs])
            graph[key] = Task(key, self.function, inputs, *args)
        return graph


class Union(Node):
    """The partitions of several physical nodes, one node after the other; operands are the nodes."""

    @property
    def npartitions(self) -> int:
        return len(self._parts)

    @cached_property
    def _parts(self) -> list[Hashable]:
        return [key for node in self.operands for key in node.__dask_keys__()]

    def __dask_keys__(self) -> list[Any]:
        """Return the keys of the parts, each once; repeated parts get keys of this node."""
        first = {key: index for index, key in reversed(list(enumerate(self._parts)))}
        return [key if first[key] == index else (self._name, index) for index, key in enumerate(self._parts)]

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        pairs = zip(self.__dask_keys__(), self._parts, strict=True)
        return {ours: Alias(ours, theirs) for ours, theirs in pairs if ours != theirs}


def passed_on(project: Project) -> Tasks | None:
    """Return the rows of a projection that does no more than name columns of tables, without a pipeline for it.

    None if it computes anything, or if its rows come from elsewhere.
    """
    source = project.frame
    if source.is_seen_through or source.shows_inputs or isinstance(source, Scan | Rows):
        return None
    names: list[Hashable] = []
    for value in project.values:
        if not isinstance(value, ColumnRef) or value.source != source._name:
            return None
        names.append(value.name)
    if type(source).of_columns is not Frame.of_columns and source.of_columns(names) is not source:
        return None
    named = tuple(zip(project.names, names, strict=True))
    calls = tuple([(((0, number),), (named,)) for number in range(project.npartitions)])
    return Tasks(f"collect {project._name}", _collect, calls, source)


def _collect(tables: Sequence[Table], named: Sequence[tuple[Hashable, Hashable]]) -> Table:
    (table,) = tables
    return Table({name: read_only(table.columns[there]) for name, there in named}, table.nrows)


@lower.register
def _(frame: Literal) -> Expr:
    # The name of the literal is that of its contents, which need not be hashed again.
    return Tables(frame._name, frame.tables, _determ_token=frame._name)


@lower.register
def _(frame: Persisted) -> Expr:
    return PersistedResults(frame.name, frame.graph, frame.keys)
