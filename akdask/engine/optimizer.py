"""The optimiser: plans that are computed together, rewritten once before they are lowered.

A pass downwards finds the needs of each node: the columns, order and rows that its readers need. A pass upwards applies
the rules of `akdask.operators.rewrite_rules`, which replace nodes; values follow their columns. Both take time in
proportion to the plan. Plans without a kind of node that has rules are left at once. Kinds of nodes are known by their
names, so that a plan loads no modules of other kinds.
"""

from __future__ import annotations

from collections import ChainMap, Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from functools import cache, singledispatch
from operator import is_
from typing import Any, TypeAlias

from akdask import config
from akdask._dask import Expr
from akdask.deferred import module_named
from akdask.engine.alignment import Gather
from akdask.engine.node import Frame, Node
from akdask.engine.rowwise import Filter, MatchRows, Project, Shared, Zip
from akdask.engine.values import PLAIN, Call, ColumnRef, Replica, Value, walk
from akdask.records import record

_PARTS, _NODES = "_parts", "_nodes"
_ARE_PARTS = (Expr, Value)


def is_logical(plan: Any) -> bool:
    """Whether a plan has to be lowered yet; Dask simplifies plans once more after lowering."""
    return isinstance(plan, Frame) or (
        isinstance(plan, Node) and any(isinstance(operand, Frame) for operand in plan.operands)
    )


def inputs_first(plans: Sequence[Node]) -> list[Node]:
    """Return all nodes of plans, each once, after the nodes that it or its values refer to.

    A materialized column is a plan of its own, which is optimised apart, since its results are kept by its name.
    """
    found: list[Node] = []
    seen: set[str] = set()
    # Nodes are visited a second time, in a tuple, after those that they refer to.
    stack: list[Any] = list(reversed(plans))
    while stack:
        node = stack.pop()
        if type(node) is tuple:
            found += node
        elif node._name not in seen:
            seen.add(node._name)
            below = _nodes_of(node)
            if below:
                stack.append((node,))
                stack += below
            else:
                found.append(node)
    return found


def _nodes_of(node: Any) -> list[Any]:
    """Return the nodes that a node or its values refer to; the node caches them, as plans are walked many times."""
    known: list[Any] | None = node.__dict__.get(_NODES)
    if known is not None:
        return known
    found: list[Any] = []
    seen: set[str] = set()
    stack = list(parts_of(node))
    while stack:
        part = stack.pop()
        if not isinstance(part, Value):
            found.append(part)
        # Most values refer to columns of the frame and to no other node: they await no result.
        elif part.awaits and part.token not in seen:
            seen.add(part.token)
            stack += [part.node] if isinstance(part, Replica) else part.args
    found.reverse()
    node.__dict__[_NODES] = found
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
        if isinstance(operand, _ARE_PARTS):
            found.append(operand)
        elif type(operand) is tuple:
            # Iterative, as a frame may have thousands of columns.
            reductions = []
            for item in operand:
                if isinstance(item, _ARE_PARTS):
                    found.append(item)
                elif hasattr(item, "made_of"):
                    reductions += item.values
            found += reductions
    node.__dict__[_PARTS] = found
    return found


EVERY_ROW = 0
"""Means all rows, where other numbers count first rows, or last rows if negative."""

Columns = Iterable[Hashable]


@record
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
        Whether it makes matches whose row numbers only serve to look up columns of the other side, or selects such.
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
        if self.rows != request.rows:
            self.rows = request.rows if self.rows is None else _more(self.rows, request.rows)

    @property
    def is_of_any_order(self) -> bool:
        """Whether all rows are read, and no reader minds their order and partitions."""
        return not self.order and not self.partitions and self.rows == EVERY_ROW

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


_REWRITTEN = "_rewritten"
"""The cached field of a node with its replacement."""


@record
class Inlined:
    """Replacement of a node: values on another frame."""

    frame: Frame
    columns: Mapping[Hashable, Value]
    keeps_rows: bool = False


@record
class Swapped:
    """Replacement of a selection and the node below it: a frame with the columns of that node.

    The columns are those of the base of the frame. If that node matches rows, they may now be matched with the rows of
    `matched`.
    """

    frame: Frame
    below: Frame
    matched: Frame | None = None


Outcome: TypeAlias = Expr | Inlined | Swapped
"""Replacements by rules; a plain node has columns of the same names."""

Rule = Callable[[Any, Need], Outcome | None]
"""Returns the replacement of a node with such needs, None to leave it."""


class Rewriting:
    """The replacements of the nodes and values of plans so far.

    Parameters
    ----------
    needs : mapping of str to Need
        The needs of nodes, by name; others are needed whole.
    rules : mapping of type to sequence of Rule
        The rules for each kind of node, in order.
    """

    def __init__(self, needs: Mapping[str, Need], rules: Mapping[type, Sequence[Rule]]) -> None:
        self.needs = needs
        self.rules = rules
        self._nodes: dict[str, Expr] = {}
        self._moved: set[str] = set()
        self._sources: MutableMapping[str, str | Mapping[Hashable, Value]] = {}
        self._origins: dict[str, str] = {}
        self._matched: dict[str, Frame] = {}
        self._values: dict[str, Value] = {}

    def add(self, node: Node) -> None:
        """Rewrite a node, after all its inputs; a node without a reader stays."""
        need = self.needs.get(node._name)
        if need is None:
            need = Need(every_column=True, order=True, partitions=True, rows=EVERY_ROW)
        elif need.rows is None:
            return
        found: Outcome = self.with_new_parts(node) if self._nodes else node
        if isinstance(node, Filter) and isinstance(self._sources.get(node.frame._name), Mapping):
            # The replacement's input may have other readers now.
            need.owns_input = False
        for rule in self.rules.get(type(found), ()):
            outcome = rule(found, need)
            if outcome is not None:
                found = outcome
                if type(found) is not type(node):
                    break
        if found is not node:
            self.replace(node, found)

    def replace(self, node: Node, found: Outcome) -> None:
        """Replace a node, whose inputs have all been rewritten."""
        if self._has_moved(node) or (isinstance(node, Frame) and not _keeps_rows(node, found)):
            self._moved.add(node._name)
        if isinstance(node, Frame) and node.keeps_replacement:
            # Groups are cached as long as the computing node lives, which only the plan holds.
            node.__dict__[_REWRITTEN] = found.frame if isinstance(found, Inlined) else found
        if isinstance(found, Inlined):
            self._nodes[node._name], self._sources[node._name] = found.frame, found.columns
            return
        if isinstance(found, Swapped):
            self._swap(node, found)
            return
        self._nodes[node._name] = found
        if isinstance(node, MatchRows) and isinstance(found, MatchRows):
            if found.match != node.match:
                self._rename(node.match.token, found.match.token)
        elif not (isinstance(node, Frame) and node.shows_inputs):
            self._rename(node._name, found._name)

    def _swap(self, node: Any, found: Swapped) -> None:
        """Redirect values on a selection to the replacement of the node below it."""
        self._nodes[node._name] = found.frame
        if isinstance(found.below, MatchRows) and isinstance(found.frame, MatchRows):
            match = self._origin(found.below.match.token)
            self._rename(match, found.frame.match.token)
            if found.matched is not None:
                self._matched[match] = found.matched
        else:
            self._rename(self._origin(found.below._name), found.frame.bases[0]._name)
        # Only predicates have been rewritten before.
        while isinstance(node, Filter):
            for part in walk(node.predicate):
                self._values.pop(part.token, None)
            node = node.frame

    def _rename(self, old: str, new: str) -> None:
        self._sources[old], self._origins[new] = new, old

    def _origin(self, name: str) -> str:
        return self._origins.get(name, name)

    def rearrange(self, node: Node, found: Frame, matches: Mapping[str, tuple[str, Frame | None]]) -> None:
        """Replace a chain of selections by others, in any order; `matches` as in `rename_matches`."""
        self._nodes[node._name] = found
        self._moved.add(node._name)
        self.rename_matches(matches)
        # Values on the chain have been rewritten for its own filters.
        self._values.clear()

    def rename_matches(self, matches: Mapping[str, tuple[str, Frame | None]]) -> None:
        """Have values refer to other matches: for each its new name, and the rows that are matched if these change."""
        for old, (new, matched) in matches.items():
            origin = self._origin(old)
            self._rename(origin, new)
            if matched is not None:
                self._matched[origin] = matched

    def with_columns(self, columns: Mapping[str, Mapping[Hashable, Value]]) -> Rewriting:
        """Return these replacements for nodes whose values refer to other columns, given by source and name."""
        found = Rewriting(self.needs, self.rules)
        found._nodes, found._moved, found._matched = self._nodes, self._moved, self._matched
        found._sources = ChainMap(dict(columns), self._sources)
        return found

    def node(self, node: Any) -> Any:
        """Return the replacement of a node."""
        return self._nodes.get(node._name, node)

    def value(self, value: Value) -> Value:
        """Return a value with its columns and results replaced."""
        if not value.awaits and self._sources.keys().isdisjoint(value.sources):
            return value
        done = self._values
        if value.token not in done:
            for part in walk(value, leaves=done) if value.args else (value,):
                if part.token not in done:
                    done[part.token] = self._rewritten(part)
        return done[value.token]

    def _rewritten(self, value: Value) -> Value:
        if isinstance(value, Call):
            args = [self._values[arg.token] for arg in value.args]
            if value.operation == "lookup" and isinstance(row := value.args[1], ColumnRef):
                args[0] = self._among_matched(args[0], row.source)
            if all(map(is_, args, value.args)):
                return value
            return Call(value.operation, *args, **value.params)
        if isinstance(value, ColumnRef):
            source = self._sources.get(value.source)
            if source is None:
                return value
            if isinstance(source, str):
                return ColumnRef(source, value.name, value.dtype)
            # Unneeded columns have no replacement, and neither have values made from them.
            return source.get(value.name, value)
        if isinstance(value, Replica):
            node, columns = self.node(value.node), self._sources.get(value.node._name)
            if isinstance(columns, Mapping):
                column = columns[value.field]
                assert isinstance(column, ColumnRef), "a whole table has columns"
                return Replica(node, column.name, value.dtype)
            return value if node is value.node else Replica(node, value.field, value.dtype)
        return value

    def _among_matched(self, column: Any, match: str) -> Value:
        """Return a looked-up column among the rows that a match has now."""
        matched = self._matched.get(match)
        if matched is None:
            return column
        project = column.node.frame
        return Replica(Gather(Project(matched, project.names, project.values)), column.field, column.dtype)

    def with_new_parts(self, node: Node) -> Any:
        """Return a node with its parts replaced; the node itself if none was."""
        if isinstance(node, Frame) and node.is_materialized:
            return node
        operands = [self._operand(operand) for operand in node.operands]
        if all(map(is_, operands, node.operands)):
            return node
        return self._on_new_rows(node, type(node)(*operands))

    def _operand(self, operand: Any) -> Any:
        if isinstance(operand, Expr):
            return self.node(operand)
        if isinstance(operand, Value):
            return self.value(operand)
        if type(operand) is tuple:
            items = tuple([item if type(item) in PLAIN else self._operand(item) for item in operand])
            return operand if all(map(is_, items, operand)) else items
        if hasattr(operand, "made_of"):
            function, given = operand.made_of()
            args = [self._operand(item) for item in given]
            return operand if all(map(is_, args, given)) else function(*args)
        return operand

    def _has_moved(self, node: Node) -> bool:
        """Whether a node's inputs have other rows, or other partitions or orders of them, than before."""
        return bool(self._moved) and any(
            isinstance(part, Frame) and part._name in self._moved for part in parts_of(node)
        )

    def _on_new_rows(self, old: Node, new: Any) -> Any:
        """Return a node with a new identity of its rows if its inputs' rows have changed."""
        return new.on_moved_rows() if isinstance(new, Frame) and self._has_moved(old) else new


def _keeps_rows(node: Frame, found: Outcome) -> bool:
    if isinstance(found, Inlined | Swapped):
        return isinstance(found, Inlined) and found.keeps_rows
    return isinstance(node, Zip) or (isinstance(found, (type(node), Shared)) and found.rows.token == node.rows.token)


def rewritten(
    roots: Sequence[Node], nodes: Sequence[Node], needs: Mapping[str, Need], rules: Mapping[type, Sequence[Rule]]
) -> list[Node]:
    """Return the rewritten roots of plans; nodes are given inputs first."""
    rewriting = Rewriting(needs, rules)
    for node in nodes:
        rewriting.add(node)
    return [rewriting.node(root) for root in roots]


OCCASIONS = frozenset(
    {
        "Compact",
        "Gather",
        "HashJoin",
        "Limit",
        "MatchRows",
        "Realign",
        "Reverse",
        "Sort",
        "Take",
        "TopK",
    }
)
"""Kinds of nodes that make a search for needs worth while."""


def are_needs_sought(nodes: Iterable[Node], kinds: Mapping[str, int]) -> bool:
    """Whether a search for needs is worth while in plans of some nodes, counted in `kinds`."""
    return not OCCASIONS.isdisjoint(kinds) or any(isinstance(node, Frame) and node.follows_needs for node in nodes)


_RULES = "akdask.operators.rewrite_rules"
"""The module of the rules, which most plans do without."""


def optimize(plans: Sequence[Node]) -> list[Node]:
    """Return plans that give the same results with less work, and share the work of plans computed together."""
    plans = list(plans)
    if not config.get("optimize") or not all(map(is_logical, plans)):
        return plans
    nodes = inputs_first(plans)
    kinds = kinds_of(nodes)
    if "Materialized" in kinds:
        _optimize_materialized(nodes)
    return _rewritten(plans, nodes, kinds)


def _rewritten(plans: list[Node], nodes: list[Node], kinds: Mapping[str, int]) -> list[Node]:
    if len(plans) == 1 and kinds.get("GroupAggregate", 0) <= 1 and not are_needs_sought(nodes, kinds):
        return plans
    rules: Any = module_named(_RULES)
    found: list[Node] = rules.rewritten_by_rules(plans, nodes, kinds)
    return found


def _optimize_materialized(nodes: list[Node]) -> None:
    """Optimise the plans of materialized columns, those of one depth together; the columns and their names stay.

    Each is optimised once, however many of the others are made of it, and without nested calls: loops make long chains
    of them.
    """
    columns: list[Any]
    while columns := [node for node in nodes if _awaits_plan(node)]:
        plans = [node.frame for node in columns]
        nodes = inputs_first(plans)
        for node, plan in zip(columns, _rewritten(plans, nodes, kinds_of(nodes)), strict=True):
            node.plan_by(plan)


def _awaits_plan(node: Any) -> bool:
    is_materialized: bool = isinstance(node, Frame) and node.is_materialized
    return is_materialized and not (node.is_planned or node.is_there)


def kinds_of(nodes: Sequence[Node]) -> Mapping[str, int]:
    """Count the nodes of each class and its base classes; no two classes have the same name."""
    found: defaultdict[str, int] = defaultdict(int)
    for kind, count in Counter(map(type, nodes)).items():
        for name in _class_names(kind):
            found[name] += count
    return found


@cache
def _class_names(kind: type) -> tuple[str, ...]:
    return tuple([cls.__name__ for cls in kind.__mro__])
