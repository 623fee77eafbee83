"""A row-wise chain taken apart: the nodes whose columns it reads, and the selections on their rows in order."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from akdask.plan.expr.lengths import ColumnIdentity
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import SELECTIONS, Filter, MatchRows, Partitions, Selecting, Slice
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Replica, Value

_SELECTED = "_selections_name"


@dataclass(frozen=True, slots=True)
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
        """The tables that matches need whole, beside what their predicates refer to."""
        return [node.multiplicity for node in self.selections if isinstance(node, MatchRows)]

    def sources(self, npartitions: int) -> Sequence[int]:
        """Return which partition of the bases each of the partitions comes from."""
        if any(isinstance(node, Slice | Partitions) for node in self.selections):
            return [self.partition(index)[0] for index in range(npartitions)]
        return range(npartitions)

    def partition(self, index: int) -> tuple[int, tuple[tuple[int, int, int] | None, ...]]:
        """Return which partition of the bases partition `index` comes from.

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
    """Return what tells a column from others, row by row: its value, and how the rows of its frame were selected.

    The value alone does not: ``x > 3`` is another on ``x[:5]`` than on ``x[5:10]``.  Values that refer to no column are
    told apart by how many rows there are.
    """
    return ColumnIdentity(token("column", value, _selections_name(frame), frame.rows.token))


def _selections_name(frame: Frame) -> str:
    """Name the selections between a frame and the nodes whose columns it shows; each node keeps the name of its own."""
    unnamed: list[Selecting] = []
    while isinstance(frame, SELECTIONS) and _SELECTED not in frame.__dict__:
        unnamed.append(frame)
        frame = frame.frame
    name: str = frame.__dict__.get(_SELECTED, "")
    for node in reversed(unnamed):
        name = node.__dict__[_SELECTED] = token(name, *selected_by(node))
    return name


def rebuild(base: Frame, selections: Sequence[Selecting], predicates: Sequence[Value]) -> Frame:
    """Put selections on another base, the filters and matches with new predicates."""
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


def _predicate(node: Selecting) -> Value | None:
    match node:
        case Filter():
            return node.predicate
        case MatchRows():
            return node.found
    return None


def selected_by(node: Selecting) -> tuple[str, Hashable]:
    """Return what a selection selects by, to be compared with that of others."""
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
