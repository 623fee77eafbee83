"""What the readers of rows need of them: which columns, in what order, how many, in which partitions.

Found from the results of plans downwards.  A kind of node without a rule needs everything of what it is made of.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Filter, MatchRows, Partitions, Project, Slice, Zip
from akdask.plan.expr.values import ColumnRef, Value
from akdask.plan.group.aggregate import GroupAggregate, GroupStatistic
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.join.membership import BuildIndex, BuildKeySet
from akdask.plan.optimize.parts import parts_of
from akdask.plan.reduce.aggregate import Aggregate, CountRows
from akdask.plan.reduce.row_numbers import RowNumbers
from akdask.plan.rows.take import Take
from akdask.plan.sort.runs import ROW
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK
from akdask.plan.task.combine import Gather, Limit, Realign, Reverse
from akdask.plan.task.compact import Compact
from akdask.plan.task.concat import Concat

EVERY_ROW = 0
"""Stands for all rows among numbers of first rows, and of last ones, which are negative."""

CHAINED = (Filter, MatchRows, Slice, Partitions, Project, Aggregate, GroupAggregate, GroupStatistic)
"""Kinds of nodes that evaluate values on the rows of their frame."""

Columns = Iterable[Hashable]


@dataclass(frozen=True, slots=True)
class ReaderNeed:
    """What one reader needs of the rows of a node; columns that its values refer to come on top.

    Parameters
    ----------
    columns : iterable of hashable, optional
        The columns read by name; all unless given.
    order : bool
        Whether it matters in which order rows come.
    partitions : bool
        Whether it matters in which partitions they come.
    rows : int
        The number of first rows that are read, the negative number of last ones, or `EVERY_ROW`.
    """

    columns: Columns | None = None
    order: bool = True
    partitions: bool = True
    rows: int = EVERY_ROW


@dataclass(slots=True)
class Need:
    """What all readers of a node need together.

    Parameters
    ----------
    columns : set of hashable
        The columns that are read, if not all are.
    every_column : bool
        Whether all columns are.
    order, partitions : bool
        Whether order, or partitions, matter to one.
    rows : int, optional
        The most first or last rows that are read, or `EVERY_ROW`; None without a reader.
    readers : list of Node
        The nodes that read it.
    owns_input : bool
        Whether it is the only reader of the frame that it selects rows of.
    is_computed_in_place : bool
        Whether all readers of a projection may as well compute its columns on the rows that it is of.
    """

    columns: set[Hashable] = field(default_factory=set)
    every_column: bool = False
    order: bool = False
    partitions: bool = False
    rows: int | None = None
    readers: list[Node] = field(default_factory=list)
    owns_input: bool = False
    is_computed_in_place: bool = False

    def add(self, reader: Node, request: ReaderNeed) -> None:
        """Take in what one more reader needs."""
        self.readers.append(reader)
        if request.columns is None:
            self.every_column = True
        else:
            self.columns.update(request.columns)
        self.order |= request.order
        self.partitions |= request.partitions
        self.rows = request.rows if self.rows is None else _more(self.rows, request.rows)

    def wants(self, name: Hashable) -> bool:
        """Whether anybody reads a column."""
        return self.every_column or name in self.columns

    def only(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Return those of some columns that are read, the first if none is: rows are counted by a column."""
        if self.every_column:
            return list(names)
        wanted = self.columns
        return [name for name in names if name in wanted] or list(names[:1])

    def only_frames(self, zipped: Zip) -> list[Frame]:
        """Return those of frames side by side of which columns are read, the first if none is."""
        return [frame for number, frame in enumerate(zipped.frames) if self.wants(number)] or [zipped.frames[0]]


def _more(one: int, other: int) -> int:
    if one > 0 and other > 0:
        return max(one, other)
    return min(one, other) if one < 0 and other < 0 else EVERY_ROW


ReaderNeeds = Iterator[tuple[Expr, ReaderNeed]]


def find_needs(nodes: Sequence[Node], roots: Sequence[Node]) -> Mapping[str, Need]:
    """Return by name what is needed of each node of plans, given inputs first."""
    needs: dict[str, Need] = {}
    seen: set[str] = set()
    for root in roots:
        needs.setdefault(root._name, Need()).add(root, ReaderNeed())
    for node in reversed(nodes):
        need = needs.setdefault(node._name, Need())
        if need.rows is None:
            continue
        if isinstance(node, Zip):
            # All that may refer to the columns of its frames has been seen.
            need.columns.update(number for number, frame in enumerate(node.frames) if _is_read(frame, needs))
        for item, request in needs_of_inputs(node, need):
            needs.setdefault(item._name, Need()).add(node, request)
        for value in _unseen(live_values(node, need), seen):
            if isinstance(value, ColumnRef):
                needs.setdefault(value.source, Need()).columns.add(value.name)
            elif node_of := getattr(value, "node", None):
                needs.setdefault(node_of._name, Need()).add(node, ReaderNeed())
    _look_upwards(nodes, needs)
    return needs


def _look_upwards(nodes: Sequence[Node], needs: Mapping[str, Need]) -> None:
    """Note what the readers of filters and projections are like."""
    matches = Counter(node.match.token for node in nodes if isinstance(node, MatchRows))
    for node in nodes:
        if isinstance(node, Filter):
            below = node.frame
            needs[node._name].owns_input = (
                isinstance(below, Sort | HashJoin | Filter | MatchRows)
                and (matches[below.match.token] == 1 if isinstance(below, MatchRows) else not matches)
                and len(needs[below._name].readers) == 1
            )
        elif isinstance(node, Project):
            readers = needs[node._name].readers
            needs[node._name].is_computed_in_place = all(_computes_for(reader, node, needs) for reader in readers)


def _computes_for(reader: Node, project: Project, needs: Mapping[str, Need]) -> bool:
    if not isinstance(reader, Zip):
        return isinstance(reader, CHAINED) and reader.frame is project
    frames = needs[reader._name].only_frames(reader)
    return all(isinstance(frame, Project) and frame.frame is project.frame for frame in frames)


def _is_read(frame: Frame, needs: Mapping[str, Need]) -> bool:
    need = needs.get(frame._name)
    return need is not None and (need.every_column or bool(need.columns))


def _unseen(values: Iterable[Value], seen: set[str]) -> Iterator[Value]:
    """Yield all parts of values that have not been seen yet: what they refer to is needed once."""
    stack = list(values)
    while stack:
        value = stack.pop()
        if value.token not in seen:
            seen.add(value.token)
            stack += value.args
            yield value


def live_values(node: Node, need: Need) -> list[Value]:
    """Return the values of a node that anybody needs."""
    if isinstance(node, Project) and not need.every_column:
        return [value for name, value in zip(node.names, node.values, strict=True) if name in need.columns]
    return [part for part in parts_of(node) if isinstance(part, Value)]


@singledispatch
def needs_of_inputs(node: Node, need: Need) -> ReaderNeeds:
    """Yield the inputs of a node, and what it needs of each if that much is needed of itself."""
    for part in parts_of(node):
        if isinstance(part, Expr):
            yield part, ReaderNeed()


@needs_of_inputs.register
def _(node: Project, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed((), need.order, need.partitions, need.rows or EVERY_ROW)


@needs_of_inputs.register
def _(node: Zip, need: Need) -> ReaderNeeds:
    frames = need.only_frames(node)
    if len(frames) == 1:
        yield frames[0], ReaderNeed((), need.order, need.partitions, need.rows or EVERY_ROW)
        return
    for frame in frames:
        yield frame, ReaderNeed(())


@needs_of_inputs.register
def _(node: Filter, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed((), need.order, need.partitions)


@needs_of_inputs.register
def _(node: MatchRows, need: Need) -> ReaderNeeds:
    # Pairs are named by their rows, and matches found are columns of that name.
    yield node.frame, ReaderNeed(())


@needs_of_inputs.register
def _(node: Slice, need: Need) -> ReaderNeeds:
    (partition, start, stop, _step), *others = node.ranges
    is_first = not others and partition == 0 and stop > start
    yield node.frame, ReaderNeed((), rows=stop if is_first else EVERY_ROW)


@needs_of_inputs.register
def _(node: Partitions, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(())


@needs_of_inputs.register
def _(node: Sort, need: Need) -> ReaderNeeds:
    # Rows that are equal keep their order.
    numbers = [ROW] if node.order.straddle else []
    yield node.frame, ReaderNeed([*node.by, *need.only(node.names), *numbers], need.order, need.partitions)


@needs_of_inputs.register
def _(node: TopK, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed([*node.by, *need.only(node.names)], partitions=False)


@needs_of_inputs.register
def _(node: Limit, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names), partitions=False, rows=node.count)


@needs_of_inputs.register
def _(node: Gather, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names), need.order, partitions=False)


@needs_of_inputs.register(Compact)
@needs_of_inputs.register(Realign)
@needs_of_inputs.register(Reverse)
def _(node: Compact | Realign | Reverse, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names))


@needs_of_inputs.register
def _(node: Take, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names))
    yield node.positions, ReaderNeed()


@needs_of_inputs.register
def _(node: Concat, need: Need) -> ReaderNeeds:
    for frame in node.frames:
        yield frame, ReaderNeed(need.only(frame.names), need.order, need.partitions)


@needs_of_inputs.register(CountRows)
@needs_of_inputs.register(RowNumbers)
def _(node: CountRows | RowNumbers, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(())


@needs_of_inputs.register
def _(node: Aggregate, need: Need) -> ReaderNeeds:
    by_order = any(REDUCTIONS[item.name].by_order for item in node.reductions)
    yield node.frame, ReaderNeed((), by_order, partitions=False)


@needs_of_inputs.register
def _(node: GroupAggregate, need: Need) -> ReaderNeeds:
    by_order = any(REDUCTIONS[item.name].by_order for item in node.reductions)
    yield node.frame, ReaderNeed((), by_order, need.partitions and node.npartitions > 1)


@needs_of_inputs.register
def _(node: GroupStatistic, need: Need) -> ReaderNeeds:
    by_order = REDUCTIONS[node.statistic].by_order
    yield node.frame, ReaderNeed((), by_order, need.partitions and node.identity.npartitions > 1)


@needs_of_inputs.register
def _(node: BuildKeySet, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(order=False, partitions=False)


@needs_of_inputs.register
def _(node: BuildIndex, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(partitions=False)


@needs_of_inputs.register
def _(node: HashJoin, need: Need) -> ReaderNeeds:
    wanted = need.only(node.names)
    yield node.left, ReaderNeed([*node.left_by, *wanted], need.order, need.partitions)
    yield node.right, ReaderNeed([*node.right_by, *wanted], need.order, partitions=False)
