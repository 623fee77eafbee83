"""All that plans are made of, in one list: what a node is made of comes before it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import singledispatch
from itertools import repeat
from typing import Any

from akdask._dask import Expr
from akdask.engine.node import Frame, Node
from akdask.engine.rowwise import Zip
from akdask.engine.values import ColumnRef, Constant, Replica, Value

_LEAVES = (ColumnRef, Constant)
_PARTS = "_parts"


def is_logical(plan: Any) -> bool:
    """Whether a plan is still to be lowered, as Dask asks for plans to be simplified after that once more."""
    return isinstance(plan, Frame) or (
        isinstance(plan, Node) and any(isinstance(operand, Frame) for operand in plan.operands)
    )


def inputs_first(plans: Sequence[Node]) -> list[Node]:
    """Return all nodes of plans, each once and after those that it or its values refer to.

    What is materialized is a plan of its own, whose name its results are kept by: it stays as it is.
    """
    found: list[Node] = []
    seen: set[str] = set()
    stack: list[tuple[Any, bool]] = [(plan, False) for plan in reversed(plans)]
    while stack:
        part, is_done = stack.pop()
        if is_done:
            found.append(part)
            continue
        is_value = isinstance(part, Value)
        name = part.token if is_value else part._name
        if name in seen:
            continue
        seen.add(name)
        if not is_value:
            stack.append((part, True))
            # Most values of a frame refer to its columns, and to no other node.
            stack += [(item, False) for item in parts_of(part) if type(item) not in _LEAVES]
        elif isinstance(part, Replica):
            stack.append((part.node, False))
        elif part.args:
            stack += zip(part.args, repeat(False))
    return found


def parts_of(node: Any) -> list[Any]:
    """Return the nodes and values that a node is made of, those among tuples and in reductions too; it keeps them."""
    known: list[Any] | None = node.__dict__.get(_PARTS)
    if known is not None:
        return known
    found: list[Any] = []
    if isinstance(node, Frame) and node.is_materialized:
        return found
    for operand in node.operands:
        if isinstance(operand, Expr | Value):
            found.append(operand)
        elif type(operand) is tuple:
            # Without nested calls, as a frame may have thousands of columns.
            reductions = []
            for item in operand:
                if isinstance(item, Expr | Value):
                    found.append(item)
                elif hasattr(item, "made_of"):
                    reductions += item.values
            found += reductions
    node.__dict__[_PARTS] = found
    return found


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
