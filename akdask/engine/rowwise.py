"""Frames that keep, select or compute rows without moving any between partitions."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from akdask.columns.dtypes import INT64
from akdask.columns.row_space import RowSpace
from akdask.engine.node import ColumnIdentity, Frame, rows_decided_by, rows_rearranged
from akdask.engine.tokens import token
from akdask.engine.values import ColumnRef, Replica, Value, describe, substitute_all

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

    def describe(self) -> str:
        return f"Filter {describe(self.predicate)}"


class MatchRows(RowsByValue):
    """The rows of a frame repeated for every match in a table; rows without a match are dropped or kept once.

    `found` is the first matching row of the table, -1 without a match. `multiplicity` knows the other rows equal to it
    (see `MatchMultiplicity` in `akdask.operators.join.matches`). `match` is the identity of the pairs. Columns matched
    alike share rows.
    """

    frame: Frame
    found: Value
    multiplicity: Replica
    keep_all: bool
    match: ColumnIdentity

    @property
    def decided_by(self) -> ColumnIdentity:
        return self.match

    @cached_property
    def sources(self) -> frozenset[str]:
        return self.frame.sources | {self.match.token}

    @property
    def row(self) -> ColumnRef:
        """The row of the table that each row is paired with, -1 without a match."""
        return ColumnRef(self.match.token, ROW, INT64)

    def describe(self) -> str:
        return f"Match {describe(self.found)}{', all rows' if self.keep_all else ''}"


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
        shown = [f"{name}={describe(value)}" for name, value in zip(self.names, self.values, strict=True)]
        return "Project " + ", ".join(shown)


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
