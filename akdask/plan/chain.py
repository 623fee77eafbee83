"""A row-wise chain taken apart: the nodes whose columns it reads, and the selections on their rows in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from akdask.plan.node import Frame
from akdask.plan.rowwise import SELECTIONS, Filter, Partitions, Selecting, Slice
from akdask.plan.values import Value


@dataclass(frozen=True, slots=True)
class Chain:
    """Selections between a frame and the rows that its values are read from.

    Parameters
    ----------
    bases : tuple of Frame
        Nodes with the same rows, side by side.
    selections : tuple of Filter, Slice or Partitions
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
        """The predicates of the filters, in order."""
        return [node.predicate for node in self.selections if isinstance(node, Filter)]

    def partition(self, index: int) -> tuple[int, tuple[tuple[int, int, int] | None, ...]]:
        """Return which partition of the bases partition `index` comes from.

        Also returns, for each filter and slice, the row range there if it is a slice.
        """
        ranges: list[tuple[int, int, int] | None] = []
        for node in reversed(self.selections):
            match node:
                case Slice():
                    index, start, stop, step = node.ranges[index]
                    ranges.append((start, stop, step))
                case Partitions():
                    index = node.numbers[index]
                case Filter():
                    ranges.append(None)
        return index, tuple(reversed(ranges))


def rebuild(base: Frame, selections: Sequence[Selecting], predicates: Sequence[Value]) -> Frame:
    """Put selections on another base, the filters with new predicates."""
    remaining = iter(predicates)
    for node in selections:
        match node:
            case Filter():
                base = Filter(base, next(remaining))
            case Slice():
                base = Slice(base, node.ranges)
            case Partitions():
                base = Partitions(base, node.numbers)
    return base
