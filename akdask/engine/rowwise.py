"""Frames that keep, select, compute or concatenate rows without moving any between partitions, and whole tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Any, Self

from akdask._dask import Alias, DataNode, Expr, List, Task, TaskRef
from akdask.columns.dtypes import INT64
from akdask.columns.table import Table, read_only
from akdask.deferred import without_collection
from akdask.engine.node import ColumnIdentity, Frame, Node, RowSpace, lower, rows_decided_by, rows_rearranged, work_of
from akdask.engine.sources import Literal, Persisted, Rows, Scan, row_numbers
from akdask.engine.values import Call, ColumnRef, Replica, Value, describe, substitute_all, token
from akdask.records import record

ROW = "row"
"""Name of the one column that a match adds."""


class Zip(Frame):
    """Frames with the same rows, side by side."""

    shows_inputs = True
    weight = 0

    frames: tuple[Frame, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frames[0].rows

    @property
    def bases(self) -> tuple[Frame, ...]:
        return self.frames

    @property
    def limiting(self) -> Frame:
        return self.frames[0]

    def dependencies(self) -> list[Frame]:
        return list(self.frames)

    def describe(self) -> str:
        return "Columns side by side"


class SelectedRows(Frame):
    """Base of frames that drop or repeat rows, and leave the columns that values refer to as they are."""

    is_seen_through = True
    shows_inputs = True
    weight = 1

    frame: Frame

    @cached_property
    def bases(self) -> tuple[Frame, ...]:
        return self.frame.bases

    @cached_property
    def sources(self) -> frozenset[str]:
        return self.frame.sources


class RowsByValue(SelectedRows):
    """Base of selections by the values of a column, whose identity is `decided_by`."""

    frame: Frame

    @property
    @abstractmethod
    def decided_by(self) -> ColumnIdentity:
        """Identities of the columns that decide the number of rows."""

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_decided_by(type(self).__name__.lower(), [self.decided_by], self.npartitions)

    @cached_property
    def npartitions(self) -> int:
        return self.frame.npartitions


class Filter(RowsByValue):
    """The rows of a frame where a predicate holds.

    `mask` is the identity of the truth values. Columns filtered by one mask share rows, although the predicate of each
    may refer to other nodes.
    """

    no_more_rows = True

    frame: Frame
    predicate: Value
    mask: ColumnIdentity

    @property
    def decided_by(self) -> ColumnIdentity:
        return self.mask

    def on_moved_rows(self) -> Filter:
        return Filter(self.frame, self.predicate, self.mask.moved())

    def describe(self) -> str:
        return f"Filter {describe(self.predicate)}"


class MatchRows(RowsByValue):
    """The rows of a frame repeated for every match in a table; rows without a match are dropped or kept once.

    `found` is the first matching row of the table, -1 without a match. `multiplicity` knows the other rows equal to it
    (see `MatchMultiplicity` in `akdask.operators.join.key_tables`). `match` is the identity of the pairs. Columns
    matched alike share rows.
    """

    frame: Frame
    found: Value
    multiplicity: Replica
    keep_all: bool
    match: ColumnIdentity

    @property
    def decided_by(self) -> ColumnIdentity:
        return self.match

    def on_moved_rows(self) -> MatchRows:
        return MatchRows(*self.operands[:-1], self.match.moved())

    @cached_property
    def sources(self) -> frozenset[str]:
        return self.frame.sources | {self.match.token}

    @property
    def row(self) -> ColumnRef:
        """The row of the table that each row is paired with, -1 without a match."""
        return ColumnRef(self.match.token, ROW, INT64)

    def describe(self) -> str:
        keys = self.found.args[1:] if isinstance(self.found, Call) and self.found.operation == "find_rows" else ()
        found = f"{', '.join(map(describe, keys))} with keys of a table" if keys else describe(self.found)
        return f"Match {found}{', all rows' if self.keep_all else ''}"


class Slice(SelectedRows):
    """Row ranges of the partitions of a frame with known lengths.

    `ranges` has one entry for each partition of the result: (partition of the input, start, stop, step), with start
    and stop counted within that partition and step positive.
    """

    no_more_rows = True

    frame: Frame
    ranges: tuple[tuple[int, int, int, int], ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([len(range(start, stop, step)) for _, start, stop, step in self.ranges])

    def describe(self) -> str:
        return f"Slice  {self.rows.describe()}"


class Computed(Frame):
    """A computation on the rows of a frame, which can move to another frame of the same rows."""

    frame: Frame

    @abstractmethod
    def moved(self, frame: Frame, replaced: Mapping[str, Value]) -> Self:
        """Return the same computation on another frame; columns are mapped by the tokens of this frame's columns."""


class Project(Computed):
    """Named values computed on the rows of a frame, in memory if a plan needs them there."""

    is_seen_through = True
    weight = 0
    no_more_rows = True

    frame: Frame
    names: tuple[Hashable, ...]
    values: tuple[Value, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    def moved(self, frame: Frame, replaced: Mapping[str, Value]) -> Self:
        return type(self)(frame, self.names, tuple(substitute_all(self.values, replaced)))

    @property
    def pass_key(self) -> str:
        return self.frame._name

    def in_one_pass(self, others: Sequence[Self]) -> tuple[Project, dict[str, ColumnRef]]:
        projects = (self, *others)
        values = {value.token: value for project in projects for value in project.values}
        merged = Project(self.frame, tuple(range(len(values))), tuple(values.values()))
        columns = {token: ColumnRef(merged._name, at, value.dtype) for at, (token, value) in enumerate(values.items())}
        return merged, {
            ColumnRef(project._name, name, value.dtype).token: columns[value.token]
            for project in projects
            for name, value in zip(project.names, project.values, strict=True)
        }

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the outputs, to compute with further."""
        return ColumnRef(self._name, name, self.values[self.names.index(name)].dtype)

    def describe(self) -> str:
        shown = [
            said if not isinstance(name, str) or said == name else f"{name}={said}"
            for name, value in zip(self.names, self.values, strict=True)
            for said in (describe(value),)
        ]
        verb = "Choose" if all(isinstance(value, ColumnRef) for value in self.values) else "Compute"
        return f"{verb} {', '.join(shown)}"

    def describe_column(self, name: Hashable) -> str | None:
        return describe(self.values[self.names.index(name)]) if name in self.names else None


class Shared(Frame):
    """The columns of a projection, which are computed once for all readers."""

    keeps_rows = True
    no_more_rows = True
    weight = 1

    frame: Project

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.frame.column(name).dtype)

    def describe(self) -> str:
        return "Keep for all readers"


class Partitions(SelectedRows):
    """Some whole partitions of a frame."""

    no_more_rows = True

    frame: Frame
    numbers: tuple[int, ...]

    @cached_property
    def planned_rows(self) -> RowSpace:
        return rows_rearranged("partitions", [self.frame.rows], len(self.numbers), self._chosen, self.numbers)

    def _chosen(self, lengths: Sequence[int]) -> list[int]:
        return [lengths[number] for number in self.numbers]


Selecting = Filter | MatchRows | Slice | Partitions
SELECTIONS = (Filter, MatchRows, Slice, Partitions)
"""Nodes that drop or repeat rows and leave the columns that values refer to as they are."""


_SELECTED = "_selections_name"


@record
class Chain:
    """Selections between a frame and the rows that its values are read from.

    Parameters
    ----------
    bases : tuple of Frame
        Nodes with the same rows, side by side.
    selections : tuple of Filter, MatchRows, Slice or Partitions
        From the rows of the bases outwards.
    """

    bases: tuple[Frame, ...]
    selections: tuple[Selecting, ...]

    @classmethod
    def of(cls, frame: Frame) -> Chain:
        """Take a frame apart."""
        selections: list[Selecting] = []
        while isinstance(frame, SELECTIONS):
            selections.append(frame)
            frame = frame.frame
        return cls(frame.bases, tuple(reversed(selections)))

    @property
    def predicates(self) -> list[Value]:
        """The values that filters and matches select by, in order."""
        return [predicate for node in self.selections if (predicate := _predicate(node)) is not None]

    @property
    def replicas(self) -> list[Replica]:
        """The tables that matches need whole, apart from nodes that their predicates refer to."""
        return [node.multiplicity for node in self.selections if isinstance(node, MatchRows)]

    def sources(self, npartitions: int) -> Sequence[int]:
        """Return for each partition the number of its partition in the bases."""
        if any(isinstance(node, Slice | Partitions) for node in self.selections):
            return [self.partition(index)[0] for index in range(npartitions)]
        return range(npartitions)

    def partition(self, index: int) -> tuple[int, tuple[tuple[int, int, int] | None, ...]]:
        """Return the number of partition `index` in the bases.

        Also returns, for each filter, match and slice, the row range there if it is a slice.
        """
        ranges: list[tuple[int, int, int] | None] = []
        for node in reversed(self.selections):
            match node:
                case Slice():
                    index, start, stop, step = node.ranges[index]
                    ranges.append((start, stop, step))
                case Partitions():
                    index = node.numbers[index]
                case Filter() | MatchRows():
                    ranges.append(None)
        return index, tuple(reversed(ranges))


def column_identity(frame: Frame, value: Value) -> ColumnIdentity:
    """Return the identity of a column's contents: its value, and the selection of its frame's rows.

    The value alone is not enough, since ``x > 3`` differs between ``x[:5]`` and ``x[5:10]``. Values that refer to no
    column differ by the number of rows.
    """
    return ColumnIdentity(token("column", value, _selections_name(frame), frame.rows.token))


def _selections_name(frame: Frame) -> str:
    """Name the selections between a frame and the bases of its columns; each node caches its name."""
    unnamed: list[Selecting] = []
    while isinstance(frame, SELECTIONS) and _SELECTED not in frame.__dict__:
        unnamed.append(frame)
        frame = frame.frame
    name: str = frame.__dict__.get(_SELECTED, "")
    for node in reversed(unnamed):
        name = node.__dict__[_SELECTED] = token(name, *selected_by(node))
    return name


def rebuild(base: Frame, selections: Sequence[Selecting], predicates: Sequence[Value]) -> Frame:
    """Put selections on another base, with new predicates for filters and matches."""
    remaining = iter(predicates)
    for node in selections:
        match node:
            case Filter():
                base = Filter(base, next(remaining), node.mask)
            case MatchRows():
                base = MatchRows(base, next(remaining), node.multiplicity, node.keep_all, node.match)
            case _:
                base = reselect(base, node)
    return base


def numbers_in_order(frame: Frame) -> tuple[Frame, Value]:
    """Return numbers that ascend along the rows; stored rows that filters leave keep theirs, and are not counted."""
    chain = Chain.of(frame)
    are_stored = all(isinstance(base, Scan | Rows | Literal | Persisted) for base in chain.bases)
    if not are_stored or not all(isinstance(node, Filter) for node in chain.selections):
        return row_numbers(frame)
    numbers, number = row_numbers(chain.bases[0])
    bases = {base._name: base for base in (*chain.bases, *numbers.bases)}
    base = numbers if len(bases) == 1 else Zip(tuple(bases.values()))
    return rebuild(base, chain.selections, chain.predicates), number


def _predicate(node: Selecting) -> Value | None:
    match node:
        case Filter():
            return node.predicate
        case MatchRows():
            return node.found
    return None


def selected_by(node: Selecting) -> tuple[str, Hashable]:
    """Return the identity of a selection's predicate, match or ranges, to compare it with others."""
    match node:
        case Filter():
            return "mask", node.mask
        case MatchRows():
            return "match", node.match
        case Slice():
            return "ranges", node.ranges
        case Partitions():
            return "numbers", node.numbers


def reselect(base: Frame, node: Selecting) -> Frame:
    """Put a selection on another base that has the columns of the old one."""
    return type(node)(base, *node.operands[1:])


class Tables(Node):
    """Tables in this process's memory."""

    is_fusible = True

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


SAID = {
    "choose": "choose ranges",
    "choose_splitters": "choose ranges",
    "collected": "collect",
    "computed": "compute",
    "concat_tables": "put together",
    "concat_limited": "put together",
    "concat_slices": "put together",
    "edges": "find edges",
    "index": "index keys",
    "joined": "join",
    "keep": "keep for later rounds",
    "list": "collect",
    "merge_all": "merge groups",
    "merge_few": "merge groups",
    "merge_range": "merge groups",
    "number": "number rows",
    "reduced": "reduce",
    "reorder": "put in order",
    "put_in_order": "put in order",
    "in_order": "put in order",
    "sort_tables": "sort",
    "split": "split by keys",
    "split_all": "split by keys",
    "split_merged": "split by keys",
    "split_left": "split left side by keys",
    "split_right": "split right side by keys",
}
"""What functions of tasks do, in words of users, where the name of the function does not say it."""


class Tasks(Node):
    """One task for each partition, each calling the same function on some partitions of the inputs.

    `calls` has for each task the input partitions, as (input, partition) pairs, and further arguments.
    """

    is_fusible = True

    token: str
    function: Callable[..., Any]
    calls: tuple[tuple[tuple[tuple[int, int], ...], tuple[Any, ...]], ...]

    @classmethod
    def step(cls, *operands: Any) -> str:
        name = operands[1].__name__.strip("_")
        return SAID.get(name) or name.replace("_", " ")

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


def renamed_columns(project: Project) -> Sequence[Hashable] | None:
    """Return the columns of tables that a projection only renames, so that it needs no pipeline.

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
    return names


def passed_on(project: Project) -> Tasks | None:
    """Return the tables of a projection that only renames their columns, without a pipeline; None for others."""
    names = renamed_columns(project)
    if names is None:
        return None
    named = tuple(zip(project.names, names, strict=True))
    calls = tuple([(((0, number),), (named,)) for number in range(project.npartitions)])
    return Tasks(f"collect {project._name}", _collect, calls, project.frame)


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
        return sum(work_of(frame.frame).on(frame.values)[1] > 0 for frame in self.frames)

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
def _(frame: Shared) -> Expr:
    return frame.frame


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
