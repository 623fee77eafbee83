"""What the readers of rows need of them: which columns, in what order, how many, in which partitions.

A kind of node without a rule needs everything of what it is made of.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.node import Frame, Node
from akdask.plan.expr.rowwise import Zip
from akdask.plan.optimize.parts import parts_of

EVERY_ROW = 0
"""Stands for all rows among numbers of first rows, and of last ones, which are negative."""

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
    only_looks_up : bool
        Whether it selects matches whose numbers of rows only serve to look up columns of the other side.
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
    only_looks_up: bool = False
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


@singledispatch
def needs_of_inputs(node: Node, need: Need) -> ReaderNeeds:
    """Yield the inputs of a node, and what it needs of each if that much is needed of itself."""
    for part in parts_of(node):
        if isinstance(part, Expr):
            yield part, ReaderNeed()
