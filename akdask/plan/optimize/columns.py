"""Columns that nobody reads are neither sorted, nor joined, nor taken along in any other way."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project, Zip
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.optimize.needs import Need
from akdask.plan.optimize.rewriting import Inlined
from akdask.plan.sort.runs import ROW
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK
from akdask.plan.task.combine import OverProject
from akdask.plan.task.concat import Concat


def of_columns(node: OverProject, need: Need) -> Any:
    """Return a node with the columns of one projection, of those that are read."""
    return type(node)(narrowed(node.frame, need.only(node.frame.names)), *node.operands[1:])


def narrow_sort(sort: Sort, need: Need) -> Sort:
    """Return sorted rows with only those columns that are read, beside the keys."""
    names = tuple(need.only(sort.names))
    numbers = [ROW] if sort.order.straddle else []
    return Sort(narrowed(sort.frame, [*sort.by, *names, *numbers]), sort.by, names, sort.order)


def narrow_top_k(top: TopK, need: Need) -> TopK:
    """Return first or last rows with only those columns that are read: what they were made of may be narrower."""
    names = tuple(need.only(top.names))
    return TopK(narrowed(top.frame, [*top.by, *names]), top.by, top.ascending, names, top.count)


def narrow_join(join: HashJoin, need: Need) -> HashJoin:
    """Return joined rows with only those columns that are read."""
    names = tuple(need.only(join.names))
    left, right = narrowed(join.left, [*join.left_by, *names]), narrowed(join.right, [*join.right_by, *names])
    return HashJoin(left, join.left_by, right, join.right_by, names, *join.operands[5:])


def in_place(project: Project, need: Need) -> Inlined | None:
    """Return the rows of a projection for readers that compute its columns themselves, each those that it reads."""
    if not need.is_computed_in_place:
        return None
    return Inlined(project.frame, dict(zip(project.names, project.values, strict=True)), keeps_rows=True)


def narrow_project(project: Project, need: Need) -> Project | None:
    """Return a projection to those columns that are read: what the others are made of may not be there any more."""
    return None if need.every_column else narrowed(project, need.only(project.names))


def narrow_concat(concat: Concat, need: Need) -> Concat:
    """Return concatenated rows with only those columns that are read."""
    names = need.only(concat.frames[0].names)
    return Concat(tuple([narrowed(frame, names) for frame in concat.frames]))


def narrow_zip(zipped: Zip, need: Need) -> Frame:
    """Return those frames side by side of which columns are read, each once."""
    frames = tuple({frame._name: frame for frame in need.only_frames(zipped)}.values())
    return frames[0] if len(frames) == 1 else Zip(frames)


def narrowed(project: Project, names: Iterable[Hashable]) -> Project:
    """Return a projection to fewer columns, in the order that they have in it."""
    wanted = set(names)
    if len(wanted.intersection(project.names)) == len(project.names):
        return project
    wanted_columns = [
        (name, value) for name, value in zip(project.names, project.values, strict=True) if name in wanted
    ]
    return Project(
        project.frame, tuple(name for name, _ in wanted_columns), tuple(value for _, value in wanted_columns)
    )
