"""Rows are filtered before they are sorted or joined, where the predicate is of columns that are there before."""

from __future__ import annotations

from dataclasses import replace

from akdask.plan.expr.lengths import ColumnIdentity
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Project
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import ColumnRef, columns_of, substitute
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.optimize.needs import Need
from akdask.plan.optimize.rewriting import Swapped
from akdask.plan.sort.sort import Sort


def filter_first(node: Filter, need: Need) -> Swapped | None:
    """Return what a filter and the node below do, the other way round, if nobody else reads that node."""
    if not need.owns_input:
        return None
    below = node.frame
    if type(below) is Sort and not need.partitions:
        return Swapped(_sorted_later(node, below), below)
    if type(below) is HashJoin:
        joined = _joined_later(node, below)
        return None if joined is None else Swapped(joined, below)
    if type(below) is MatchRows and all(column.source != below.match.token for column in columns_of(node.predicate)):
        filtered = Filter(below.frame, node.predicate, node.mask)
        return Swapped(MatchRows(filtered, *below.operands[1:-1], _filtered(below.match, node)), below)
    return None


def _sorted_later(node: Filter, sort: Sort) -> Sort:
    project = _with_filter(node, sort, sort.frame)
    # Partitions are others than those of all rows, and so are their lengths.
    order = replace(sort.order, token=_filtered(ColumnIdentity(sort.order.token), node).token)
    return Sort(project, sort.by, sort.names, order)


def _joined_later(node: Filter, join: HashJoin) -> HashJoin | None:
    columns = columns_of(node.predicate)
    if join.kind == "mark" or any(column.source != join._name for column in columns):
        return None
    sides: list[Project] = [join.left, join.right]
    side = 0 if all(column.name in join.left.names for column in columns) else 1
    # Rows without a match are kept, whatever the other side has.
    if side and (join.kind != "inner" or not all(column.name in join.right.names for column in columns)):
        return None
    sides[side] = _with_filter(node, join, sides[side])
    left, right = sides
    return HashJoin(left, join.left_by, right, *join.operands[3:-1], _filtered(join.match, node))


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
