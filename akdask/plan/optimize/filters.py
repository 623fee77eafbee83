"""Rows are filtered before they are sorted or joined, where the predicate is of columns that are there before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.lengths import ColumnIdentity
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Project
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Call, ColumnRef, Value, columns_of, substitute, walk
from akdask.plan.join.hash_buckets import KEEPING_ROWS
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.join.membership import BuildIndex
from akdask.plan.optimize.needs import Need
from akdask.plan.optimize.rewriting import Swapped
from akdask.plan.rows.broadcast import BroadcastColumn
from akdask.plan.sort.sort import Sort
from akdask.schema import BOOL

CONJUNCTIONS = ("bitwise_and", "logical_and")

LEFT, RIGHT, NEITHER = range(3)
"""The sides of a join to which a filter goes: first those that are done first."""


def split_filter(node: Filter, need: Need) -> Filter | None:
    """Return filters one after the other in place of one whose conditions are of different sides of a join below."""
    if not need.owns_input or not isinstance(node.frame, HashJoin | MatchRows):
        return None
    parts: defaultdict[int, list[Value]] = defaultdict(list)
    for condition in _conditions(node.predicate):
        parts[_side(condition, node.frame, need)].append(condition)
    if len(parts) == 1:
        return None
    *first, last = [reduce(lambda one, other: Call("bitwise_and", one, other), parts[side]) for side in sorted(parts)]
    frame = node.frame
    for condition in first:
        frame = Filter(frame, condition, ColumnIdentity(token("condition", condition, node.mask)))
    return Filter(frame, last, node.mask)


def _conditions(predicate: Value) -> Iterator[Value]:
    """Yield what must hold together where a predicate does, in order."""
    stack = [predicate]
    while stack:
        value = stack.pop()
        if isinstance(value, Call) and value.operation in CONJUNCTIONS and all(arg.dtype == BOOL for arg in value.args):
            stack += reversed(value.args)
        else:
            yield value


def _side(condition: Value, join: HashJoin | MatchRows, need: Need) -> int:
    """Return the side of a join whose columns a condition is of, if rows of it may be filtered before they are joined.

    Rows without a match are kept, whatever the other side has.
    """
    columns = columns_of(condition)
    if isinstance(join, MatchRows):
        if all(column.source != join.match.token for column in columns):
            return LEFT
        is_of_right = need.only_looks_up and all(column.source == join.match.token for column in columns)
        return RIGHT if is_of_right and not join.keep_all else NEITHER
    if join.kind in KEEPING_ROWS or any(column.source != join._name for column in columns):
        return NEITHER
    if all(column.name in join.left.names for column in columns):
        return LEFT
    is_of_right = join.kind == "inner" and all(column.name in join.right.names for column in columns)
    return RIGHT if is_of_right else NEITHER


def filter_first(node: Filter, need: Need) -> Swapped | None:
    """Return what a filter and the node below do, the other way round, if nobody else reads that node."""
    if not need.owns_input:
        return None
    below = node.frame
    if type(below) is Sort and not need.partitions:
        return Swapped(_sorted_later(node, below), below)
    if not isinstance(below, HashJoin | MatchRows):
        return None
    side = _side(node.predicate, below, need)
    if side == NEITHER:
        return None
    if isinstance(below, HashJoin):
        return Swapped(_joined_later(node, below, side), below)
    return _matched_later(node, below) if side == LEFT else _found_later(node, below)


def _sorted_later(node: Filter, sort: Sort) -> Sort:
    project = _with_filter(node, sort, sort.frame)
    # Partitions are others than those of all rows, and so are their lengths.  The numbers of the rows that are left do
    # not follow one another.
    name = _filtered(ColumnIdentity(sort.order.token), node).token
    order = replace(sort.order, token=name, straddle=False, numbered=False)
    return Sort(project, sort.by, sort.names, order)


def _joined_later(node: Filter, join: HashJoin, side: int) -> HashJoin:
    sides: list[Project] = [join.left, join.right]
    sides[side] = _with_filter(node, join, sides[side])
    left, right = sides
    return HashJoin(left, join.left_by, right, *join.operands[3:-1], _filtered(join.match, node))


def _matched_later(node: Filter, match: MatchRows) -> Swapped:
    # Other rows than those of the filter, whose number may have been counted.
    filtered = Filter(match.frame, node.predicate, _filtered(node.mask, node))
    return Swapped(MatchRows(filtered, *match.operands[1:-1], _filtered(match.match, node)), match)


def _found_later(node: Filter, match: MatchRows) -> Swapped | None:
    """Return matches with only those rows of the other side that a filter keeps; None if it is a join of its own.

    Numbers of rows then count those that are left, so that columns are looked up among these too.
    """
    index, found = match.multiplicity.node, match.found
    if not isinstance(index, BuildIndex) or not isinstance(found, Call) or isinstance(index.frame.frame, MatchRows):
        return None
    given, columns = index.frame, dict[str, Value]()
    for part in walk(node.predicate):
        if match.row in part.args:
            column = BroadcastColumn.of(part.args[0])
            if column is None or column.frame is not given.frame:
                return None
            columns[part.token] = column.value
    predicate = substitute(node.predicate, columns)
    few = Filter(given.frame, predicate, column_identity(given.frame, predicate))
    indexed = BuildIndex(Project(few, given.names, given.values), index.need)
    pairs = MatchRows(
        match.frame, indexed.find(found.args[1:]), indexed.multiplicity, False, _filtered(match.match, node)
    )
    return Swapped(pairs, match, few)


def _with_filter(node: Filter, above: Frame, project: Project) -> Project:
    """Return a projection of only those rows that a filter of the columns of a node above keeps."""
    values = {
        ColumnRef(above._name, name, value.dtype).token: value
        for name, value in zip(project.names, project.values, strict=True)
    }
    predicate = substitute(node.predicate, values)
    return Project(Filter(project.frame, predicate, _filtered(node.mask, node)), project.names, project.values)


def _filtered(identity: ColumnIdentity, node: Filter) -> ColumnIdentity:
    return ColumnIdentity(token("filtered", identity, node.mask))
