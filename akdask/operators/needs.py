"""What plans need of their nodes: the columns, order and rows that the readers of each node use.

A kind of node without an entry here needs all of its inputs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from akdask.columns.dtypes import BOOL, INT64, STR, UINT64
from akdask.engine.alignment import Compact, Gather, Limit, Realign, Reverse
from akdask.engine.node import Frame, Node
from akdask.engine.optimizer import EVERY_ROW, Need, ReaderNeed, ReaderNeeds, inputs_first, needs_of_inputs, parts_of
from akdask.engine.rowwise import Concat, Filter, MatchRows, Partitions, Project, Slice, Zip
from akdask.engine.sources import RowNumbers
from akdask.engine.values import Call, ColumnRef, Replica, Value
from akdask.operators.group.plan import GroupAggregate, Groups, GroupStatistic
from akdask.operators.join.plan import BuildIndex, BuildKeySet, HashJoin
from akdask.operators.reduce.plan import Aggregate, CountRows
from akdask.operators.reduce.reductions import REDUCTIONS
from akdask.operators.rows.plan import BroadcastColumn, Take
from akdask.operators.sort.plan import Sort
from akdask.operators.sort.ranges import ROW
from akdask.operators.sort.top_k import Ranks, TopK

CHAINED = (Filter, MatchRows, Slice, Partitions, Project, Aggregate, GroupAggregate, GroupStatistic)
"""Kinds of nodes that evaluate values on the rows of their frame."""


def find_needs(nodes: Sequence[Node], roots: Sequence[Node]) -> Mapping[str, Need]:
    """Return the needs of each node of plans by name; nodes are given inputs first."""
    needs: defaultdict[str, Need] = defaultdict(Need)
    rules: dict[type, Callable[[Any, Need], ReaderNeeds]] = {}
    seen: set[str] = set()
    for root in roots:
        needs[root._name].add(root, ReaderNeed())
    matches = Counter(node.match.token for node in nodes if isinstance(node, MatchRows))
    lookups = _Lookups(nodes, matches)
    if matches:
        # The columns that are looked up in indexed rows come after the matches that find the rows.
        nodes = inputs_first([*(node for node in nodes if isinstance(node, Gather)), *roots])
    for node in reversed(nodes):
        need = needs[node._name]
        if need.rows is None:
            continue
        values = live_values(node, need)
        if isinstance(node, MatchRows):
            if matches[node.match.token] > 1:
                # Several nodes name the same pairs, so that none can change them.
                need.order = need.partitions = True
            only_looks_up, columns = lookups.of(node)
            for reader, column, _ in columns:
                needs[column.node._name].add(reader, ReaderNeed([column.field], order=not only_looks_up))
            if only_looks_up:
                need.only_looks_up = all(row.source == node.match.token for _, _, row in columns)
                # The order of indexed rows is that of the pairs of a row.
                needs[node.multiplicity.node._name].add(node, ReaderNeed(order=need.order))
                values = _keys_to_find(node)
        if isinstance(node, Zip):
            # All readers of its frames' columns have been seen.
            need.columns.update(number for number, frame in enumerate(node.frames) if _is_read(frame, needs))
        kind = type(node)
        if kind not in rules:
            # Each call of the function itself would look for its rule.
            rules[kind] = needs_of_inputs.dispatch(kind)
        for item, request in rules[kind](node, need):
            needs[item._name].add(node, request)
        lookups.note(node, values, need)
        unseen = [*values]
        while unseen:
            value = unseen.pop()
            if value.token in seen:
                continue
            seen.add(value.token)
            if value.args:
                unseen += lookups.others_in(value, node)
            elif isinstance(value, ColumnRef):
                needs[value.source].columns.add(value.name)
            elif isinstance(value, Replica):
                needs[value.node._name].add(node, ReaderNeed([value.field]))
    _look_upwards(nodes, needs, matches)
    return needs


class _Lookups:
    """The columns that are looked up at the row numbers of matches, as far as readers have been seen.

    Sorts carry row numbers, by which they put rows in order. Where nobody minds the order, that is no use of them.

    Parameters
    ----------
    nodes : sequence of Node
        All nodes of plans.
    matches : mapping of str to int
        The number of nodes that name the same pairs.
    """

    def __init__(self, nodes: Sequence[Node], matches: Mapping[str, int]) -> None:
        self._columns: defaultdict[str, list[tuple[Node, Replica, ColumnRef]]] = defaultdict(list)
        self._others: set[str] = set()
        # By the tokens of row numbers, and of columns that carry these.
        self._indexed: dict[str, tuple[str, Frame]] = {}
        for node in nodes if matches else ():
            if isinstance(node, MatchRows):
                match, index = node.match.token, node.multiplicity.node
                if isinstance(index, BuildIndex) and matches[match] == 1:
                    self._indexed[node.row.token] = match, index.frame.frame
            elif isinstance(node, Sort):
                for name, value in zip(node.frame.names, node.frame.values, strict=True):
                    if value.token in self._indexed:
                        self._indexed[node.column(name).token] = self._indexed[value.token]

    def of(self, match: MatchRows) -> tuple[bool, Sequence[tuple[Node, Replica, ColumnRef]]]:
        """Return whether row numbers only serve to look up columns of indexed rows, and each such use of them."""
        name = match.match.token
        return match.row.token in self._indexed and name not in self._others, self._columns[name]

    def note(self, reader: Node, values: Sequence[Value], need: Need) -> None:
        """Note values of a reader that are row numbers."""
        if not self._indexed:
            return
        if isinstance(reader, Sort):
            values = () if need.is_of_any_order else reader.keys
        elif isinstance(reader, Project) and all(isinstance(above, Sort) for above in need.readers):
            return
        self._others.update(self._indexed[value.token][0] for value in values if value.token in self._indexed)

    def others_in(self, value: Value, reader: Node) -> Sequence[Value]:
        """Return the arguments of a value after noting its use of row numbers, but for a column that they look up."""
        for arg in value.args:
            if arg.token in self._indexed and isinstance(arg, ColumnRef):
                match, rows = self._indexed[arg.token]
                column = value.args[0]
                if isinstance(column, Replica) and _looks_up(value, rows):
                    self._columns[match].append((reader, column, arg))
                    return value.args[1:]
                self._others.add(match)
        return value.args


def _look_upwards(nodes: Sequence[Node], needs: Mapping[str, Need], matches: Mapping[str, int]) -> None:
    """Note the readers of filters and projections."""
    are_apart = all(count == 1 for count in matches.values())
    for node in nodes:
        if isinstance(node, Filter):
            filters, base = below_filters(node)
            need = needs[node._name]
            need.owns_input = (
                isinstance(base, Sort | HashJoin | Filter | MatchRows | Groups)
                and (matches[base.match.token] == 1 if isinstance(base, MatchRows) else are_apart)
                and all(len(needs[frame._name].readers) == 1 for frame in (*filters, base))
            )
            need.only_looks_up = need.owns_input and needs[base._name].only_looks_up
        elif isinstance(node, Project):
            readers = needs[node._name].readers
            needs[node._name].is_computed_in_place = all(_computes_for(reader, node, needs) for reader in readers)


def below_filters(node: Filter) -> tuple[list[Filter], Frame]:
    """Return the filters that a filter selects rows of, and the frame below them."""
    filters, below = list[Filter](), node.frame
    while isinstance(below, Filter):
        filters.append(below)
        below = below.frame
    return filters, below


def _keys_to_find(match: MatchRows) -> list[Value]:
    return [*match.found.args[1:]]


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


def live_values(node: Node, need: Need) -> list[Value]:
    """Return the values of a node that some reader needs."""
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
    # Columns of the same rows stay side by side, whatever partitions these have.
    partitions = need.partitions or len({_numbered(frame)._name for frame in frames}) > 1
    for frame in frames:
        yield frame, ReaderNeed((), partitions=partitions)


def _numbered(frame: Frame) -> Frame:
    """Return the rows that a column numbers; other frames as they are."""
    return frame.frame if isinstance(frame, RowNumbers) else frame


@needs_of_inputs.register
def _(node: Filter, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed((), need.order, need.partitions)


@needs_of_inputs.register
def _(node: MatchRows, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed((), need.order, need.partitions)


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
    # Rows with equal keys keep their order.
    numbers = [ROW] if node.order.straddle else []
    order = need.order and (has_equal_rows(node) or is_in_order(node))
    yield node.frame, ReaderNeed([*node.by, *need.only(node.names), *numbers], order, need.partitions)


@needs_of_inputs.register
def _(node: TopK, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed([*node.by, *need.only(node.names)], has_equal_rows(node), partitions=False)


@needs_of_inputs.register
def _(node: Ranks, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(order=False, partitions=False)
    yield node.few, ReaderNeed(order=need.order)


def has_equal_rows(node: Sort | TopK) -> bool:
    """Whether rows may be equal in all columns by which they are ordered, and keep their order then."""
    groups = groups_of(node)
    return groups is None or bool(other_keys(node, groups))


def is_in_order(node: Sort) -> bool:
    """Whether rows are groups, all or some, that ascend by the keys that they are sorted by already."""
    base = _unfiltered(node)
    groups, *others = map(_numbered, base.frames if isinstance(base, Zip) else [base])
    if not isinstance(groups, Groups) or not groups.ordered or not all(node.order.ascending):
        return False
    if any(other is not groups for other in others):
        return False
    keys = [groups.key(number) for number in range(len(groups.keys))]
    # Missing floats come last when they are sorted.
    return [key.token for key in node.keys] == [key.token for key in keys[: len(node.keys)]] and all(
        key.dtype in (INT64, UINT64, BOOL, STR) for key in node.keys
    )


def groups_of(node: Sort | TopK) -> Groups | None:
    """Return the groups whose rows, all or some, are ordered; None for other rows."""
    base = _unfiltered(node)
    return base if isinstance(base, Groups) else None


def _unfiltered(node: Sort | TopK) -> Frame:
    """Return the frame whose rows, all or some, are ordered."""
    given = node.frame.frame
    return below_filters(given)[1] if isinstance(given, Filter) else given


def other_keys(node: Sort | TopK, groups: Groups) -> list[ColumnRef]:
    """Return the keys of groups by which they are not ordered."""
    project = node.frame
    by = {project.values[project.names.index(name)].token for name in node.by}
    keys = map(groups.key, range(len(groups.keys)))
    return [key for key in keys if key.token not in by]


@needs_of_inputs.register
def _(node: Limit, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names), partitions=False, rows=node.count)


@needs_of_inputs.register
def _(node: Gather, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names), need.order, partitions=False)


@needs_of_inputs.register(Compact)
@needs_of_inputs.register(Realign)
def _(node: Compact | Realign, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names))


@needs_of_inputs.register
def _(node: Reverse, need: Need) -> ReaderNeeds:
    # Its first rows are the last ones of the other.
    yield node.frame, ReaderNeed(need.only(node.frame.names), rows=-(need.rows or EVERY_ROW))


@needs_of_inputs.register
def _(node: Take, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(need.only(node.frame.names))
    yield node.positions, ReaderNeed()


@needs_of_inputs.register
def _(node: Concat, need: Need) -> ReaderNeeds:
    for frame in node.frames:
        yield frame, ReaderNeed(need.only(frame.names), need.order, need.partitions)


@needs_of_inputs.register
def _(node: CountRows, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed(())


@needs_of_inputs.register
def _(node: RowNumbers, need: Need) -> ReaderNeeds:
    yield node.frame, ReaderNeed((), partitions=need.partitions)


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
    yield node.frame, ReaderNeed(order=need.order, partitions=False)


@needs_of_inputs.register
def _(node: HashJoin, need: Need) -> ReaderNeeds:
    wanted = need.only(node.names)
    yield node.left, ReaderNeed([*node.left_by, *wanted], need.order, need.partitions)
    yield node.right, ReaderNeed([*node.right_by, *wanted], need.order, partitions=False)
