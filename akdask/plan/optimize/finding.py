"""Finds what is needed of each node of plans, from their results downwards; and what kinds of nodes need of others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Filter, MatchRows, Partitions, Project, Slice, Zip
from akdask.plan.expr.values import Call, ColumnRef, Replica, Value
from akdask.plan.group.aggregate import GroupAggregate, GroupStatistic
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.join.membership import BuildIndex, BuildKeySet
from akdask.plan.optimize.needs import EVERY_ROW, Need, ReaderNeed, ReaderNeeds, needs_of_inputs
from akdask.plan.optimize.parts import parts_of
from akdask.plan.reduce.aggregate import Aggregate, CountRows
from akdask.plan.reduce.row_numbers import RowNumbers
from akdask.plan.rows.broadcast import BroadcastColumn
from akdask.plan.rows.take import Take
from akdask.plan.sort.runs import ROW
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK
from akdask.plan.task.combine import Gather, Limit, Realign, Reverse
from akdask.plan.task.compact import Compact
from akdask.plan.task.concat import Concat

CHAINED = (Filter, MatchRows, Slice, Partitions, Project, Aggregate, GroupAggregate, GroupStatistic)
"""Kinds of nodes that evaluate values on the rows of their frame."""


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
            elif isinstance(value, Replica):
                needs.setdefault(value.node._name, Need()).add(node, ReaderNeed([value.field]))
    _look_upwards(nodes, needs)
    return needs


def _look_upwards(nodes: Sequence[Node], needs: Mapping[str, Need]) -> None:
    """Note what the readers of filters and projections are like."""
    matches = Counter(node.match.token for node in nodes if isinstance(node, MatchRows))
    looked_up = _matches_looked_up(nodes, needs) if matches and any(isinstance(node, Filter) for node in nodes) else ()
    for node in nodes:
        if isinstance(node, Filter):
            below, base = node.frame, _below_filters(node)
            need = needs[node._name]
            need.owns_input = (
                isinstance(base, Sort | HashJoin | Filter | MatchRows)
                and (matches[base.match.token] == 1 if isinstance(base, MatchRows) else not matches)
                and len(needs[below._name].readers) == 1
            )
            need.only_looks_up = need.owns_input and isinstance(base, MatchRows) and base.match.token in looked_up
        elif isinstance(node, Project):
            readers = needs[node._name].readers
            needs[node._name].is_computed_in_place = all(_computes_for(reader, node, needs) for reader in readers)


def _below_filters(node: Filter) -> Frame:
    below = node.frame
    while isinstance(below, Filter):
        below = below.frame
    return below


def _matches_looked_up(nodes: Sequence[Node], needs: Mapping[str, Need]) -> Set[str]:
    """Return the matches whose numbers of rows only serve to look up columns of the rows that are matched with."""
    right = {
        node.match.token: node.multiplicity.node.frame.frame
        for node in nodes
        if isinstance(node, MatchRows) and isinstance(node.multiplicity.node, BuildIndex)
    }
    others: set[str] = set()
    seen: set[str] = set()
    for node in nodes:
        values = live_values(node, needs[node._name])
        others.update(value.source for value in values if isinstance(value, ColumnRef))
        for value in _unseen(values, seen):
            for arg in value.args:
                if isinstance(arg, ColumnRef) and arg.source in right and not _looks_up(value, right[arg.source]):
                    others.add(arg.source)
    return right.keys() - others


def _looks_up(value: Value, frame: Frame) -> bool:
    column = BroadcastColumn.of(value.args[0]) if isinstance(value, Call) and value.operation == "lookup" else None
    return column is not None and column.frame is frame


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
