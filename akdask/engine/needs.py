"""Needs: the columns, order and rows that readers need of each node, in a list with inputs before their users."""

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
    """Whether a plan has to be lowered yet; Dask simplifies plans once more after lowering."""
    return isinstance(plan, Frame) or (
        isinstance(plan, Node) and any(isinstance(operand, Frame) for operand in plan.operands)
    )


def inputs_first(plans: Sequence[Node]) -> list[Node]:
    """Return all nodes of plans, each once, after the nodes that it or its values refer to.

    A materialized column is a plan of its own. It stays as it is, since its results are kept by its name.
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
            # Most values of a frame refer to its columns and to no other node.
            stack += [(item, False) for item in parts_of(part) if type(item) not in _LEAVES]
        elif isinstance(part, Replica):
            stack.append((part.node, False))
        elif part.args:
            stack += zip(part.args, repeat(False))
    return found


def parts_of(node: Any) -> list[Any]:
    """Return the nodes and values that a node is made of, also within tuples and reductions; the node caches them."""
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
            # Iterative, as a frame may have thousands of columns.
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
"""Means all rows, where other numbers count first rows, or last rows if negative."""

Columns = Iterable[Hashable]


@dataclass(frozen=True, slots=True)
class ReaderNeed:
    """One reader's need of the rows of a node, apart from the columns that its values refer to.

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
    """The needs of all readers of a node together.

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
        Whether it selects matches whose row numbers only serve to look up columns of the other side.
    is_computed_in_place : bool
        Whether all readers of a projection can compute its columns on the rows of its input.
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
        """Add the need of one more reader."""
        self.readers.append(reader)
        if request.columns is None:
            self.every_column = True
        else:
            self.columns.update(request.columns)
        self.order |= request.order
        self.partitions |= request.partitions
        self.rows = request.rows if self.rows is None else _more(self.rows, request.rows)

    def wants(self, name: Hashable) -> bool:
        """Whether some reader reads a column."""
        return self.every_column or name in self.columns

    def only(self, names: Sequence[Hashable]) -> list[Hashable]:
        """Return the columns that are read; the first one if none is, since counting rows takes a column."""
        if self.every_column:
            return list(names)
        wanted = self.columns
        return [name for name in names if name in wanted] or list(names[:1])

    def only_frames(self, zipped: Zip) -> list[Frame]:
        """Return the frames side by side whose columns are read; the first one if none are."""
        return [frame for number, frame in enumerate(zipped.frames) if self.wants(number)] or [zipped.frames[0]]


def _more(one: int, other: int) -> int:
    if one > 0 and other > 0:
        return max(one, other)
    return min(one, other) if one < 0 and other < 0 else EVERY_ROW


ReaderNeeds = Iterator[tuple[Expr, ReaderNeed]]


@singledispatch
def needs_of_inputs(node: Node, need: Need) -> ReaderNeeds:
    """Yield the inputs of a node, and the need of each input that follows from the node's own need."""
    for part in parts_of(node):
        if isinstance(part, Expr):
            yield part, ReaderNeed()
