"""Physical nodes that provide or combine whole tables."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Self

from akdask._dask import Alias, DataNode, Expr, List, Task, TaskRef
from akdask.columns.row_space import RowSpace
from akdask.columns.table import Table
from akdask.deferred import without_collection
from akdask.engine.inputs import read_only
from akdask.engine.lower import lower
from akdask.engine.node import Frame, Node, depth_of, rows_rearranged
from akdask.engine.rowwise import Chain, Project, rebuild
from akdask.engine.sources import Literal, Persisted, Rows, Scan
from akdask.engine.values import ColumnRef, Value, substitute_all


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
        """Return the keys of the parts, each once; a repeated part gets keys of this node."""
        first = {key: index for index, key in reversed(list(enumerate(self._parts)))}
        return [key if first[key] == index else (self._name, index) for index, key in enumerate(self._parts)]

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        pairs = zip(self.__dask_keys__(), self._parts, strict=True)
        return {ours: Alias(ours, theirs) for ours, theirs in pairs if ours != theirs}


def passed_on(project: Project) -> Tasks | None:
    """Return the tables of a projection that only renames columns of tables, without a pipeline.

    None if it computes anything, or if its rows are not tables.
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
    # The literal's name is the hash of its contents, which need not be hashed again.
    return Tables(frame._name, frame.tables, _determ_token=frame._name)


@lower.register
def _(frame: Persisted) -> Expr:
    return PersistedResults(frame.name, frame.graph, frame.keys)


class Concat(Frame):
    """The concatenated rows of projections with the same names and types."""

    is_seen_through = True

    frames: tuple[Project, ...]

    @property
    def weight(self) -> int:  # type: ignore[override]  # of a class elsewhere
        """One for each computed part; otherwise a loop that appends its results would compute all of them each time."""
        return sum(depth_of(frame.frame).on(frame.values) > 0 for frame in self.frames)

    @cached_property
    def planned_rows(self) -> RowSpace:
        spaces = [frame.rows for frame in self.frames]
        npartitions = sum(space.npartitions for space in spaces)
        return rows_rearranged("concat", spaces, npartitions, lambda *lengths: [*chain.from_iterable(lengths)])

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.frames[0].column(name).dtype)

    def dependencies(self) -> list[Expr]:
        return list(self.frames)


@lower.register
def _(frame: Concat) -> Expr:
    return Union(*frame.frames)


def through(frame: Frame, values: Sequence[Value]) -> list[tuple[Frame, list[Value]]] | None:
    """Return chains that read the input of a projection, or of each part of a concatenation, block by block.

    None if the rows of the chain come from any other node.
    """
    if len(frame.bases) != 1 or not isinstance(frame.bases[0], Project | Concat):
        return None
    chain = Chain.of(frame)
    match chain.bases[0]:
        case Project() as project:
            return [_inline(chain, project, project, values)]
        case Concat() as concat if len(chain.predicates) == len(chain.selections):
            return [_inline(chain, concat, project, values) for project in concat.frames]
    return None


def _inline(chain: Chain, base: Frame, project: Project, values: Sequence[Value]) -> tuple[Frame, list[Value]]:
    """Substitute the values of a projection for the columns of the base."""
    inner = {
        ColumnRef(base._name, name, value.dtype).token: value
        for name, value in zip(project.names, project.values, strict=True)
    }
    predicates = chain.predicates
    found = substitute_all([*predicates, *values], inner)
    return rebuild(project.frame, chain.selections, found[: len(predicates)]), found[len(predicates) :]
