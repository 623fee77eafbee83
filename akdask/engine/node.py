"""The base of all plan nodes: declarations on Dask's expression core.

A node is a class with annotated fields and nothing else but a rule for its rows.  Rewriting and lowering live in
their own modules and are found by the type of the node.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from inspect import get_annotations
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform
from weakref import ref

from akdask._dask import Alias, Expr, ExprSequence, SingletonExpr
from akdask.columns.row_space import RowSpace
from akdask.engine.lower import has_tasks, lower, optimized
from akdask.engine.tokens import Made, flattened, token
from akdask.engine.values import Value

if TYPE_CHECKING:
    from typing import Self


_LIMIT = 10_000
_known: OrderedDict[str, tuple[int, ...]] = OrderedDict()
_lock = Lock()

Lengths = tuple[int, ...]


def _start_anew() -> None:
    """Leave the lock that a thread may hold which a forked process does not have of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = Lock()


os.register_at_fork(after_in_child=_start_anew)


@dataclass(frozen=True, slots=True)
class ColumnIdentity:
    """What the rows of a column hold: columns of equal identities are equal, row by row.

    Made by `akdask.engine.rowwise.column_identity`, of a value and of the frame that it is read on.
    """

    token: str

    def partitioned_like(self, own: RowSpace, other: RowSpace) -> ColumnIdentity:
        """Return the identity of the same column once its rows are cut into the partitions of other rows."""
        return self if own.same_rows(other) else ColumnIdentity(token("cut", self, other.token))


def rows_decided_by(kind: str, deciding: Sequence[ColumnIdentity], npartitions: int, *params: Any) -> RowSpace:
    """Return rows that are selected or made, as many as the values of columns decide.

    Parameters
    ----------
    kind : str
        How.
    deciding : sequence of ColumnIdentity
        All columns whose values have a say in how many rows are made.
    npartitions : int
        Number of partitions.
    *params
        Whatever else has, such as the token of the row space that rows are selected from.
    """
    assert all(isinstance(column, ColumnIdentity) for column in deciding), "a value alone names no rows"
    return RowSpace(token(kind, tuple(deciding), npartitions, *params), npartitions)


def rows_rearranged(
    kind: str, given: Sequence[RowSpace], npartitions: int, lengths_of: Callable[..., Sequence[int]], *params: Any
) -> RowSpace:
    """Return rows whose number follows from the lengths of others, which `lengths_of` is called with.

    Their name does not depend on whether the others have been counted.
    """
    known = [rows.lengths for rows in given]
    if all(rows.is_fixed for rows in given):
        return RowSpace.of_lengths(lengths_of(*known))
    name = token(kind, tuple(rows.token for rows in given), *params)
    if all(lengths is not None for lengths in known):
        remember_lengths(name, tuple(lengths_of(*known)))
    return RowSpace(name, npartitions)


def counted(rows: RowSpace) -> RowSpace:
    """Return rows with their lengths if they have been counted by now."""
    lengths = None if rows.is_fixed else known_lengths(rows.token)
    return rows if lengths is None else RowSpace(rows.token, rows.npartitions, lengths, rows.total)


def known_lengths(row_token: str) -> Lengths | None:
    """Return the lengths of the rows of that name, None if they have not been counted."""
    return _known.get(row_token)


def remember_lengths(row_token: str, lengths: Lengths) -> None:
    """Keep the outcome of a count."""
    with _lock:
        _known[row_token] = lengths
        while len(_known) > _LIMIT:
            _known.popitem(last=False)


_ROUNDS = "_rounds"


class Rounds(NamedTuple):
    """Of a frame: the rounds along its own rows, and the most along any rows that it is made from."""

    own: int
    most: int


def rounds_on(own: int, values: Sequence[Value]) -> int:
    """Return the rounds of values on rows that have taken some already."""
    most, awaited = own, 0
    # No generators, as frames may have very many columns, and most operations have one.
    for value in values:
        if value.rounds > most:
            most = value.rounds
        if value.awaits > awaited:
            awaited = value.awaits
    return most + 1 if awaited > most else most


def rounds_of(frame: Expr) -> Rounds:
    """Return the rounds of a frame, which keeps them."""
    found: Rounds | None = frame.__dict__.get(_ROUNDS)
    return each_after_its_inputs(frame, _ROUNDS, _rounds) if found is None else found


def each_after_its_inputs(frame: Expr, name: str, rule: Callable[[Expr, list[Any]], Any]) -> Any:
    """Return what a rule finds of a frame and of what it has found of its inputs, without nesting calls.

    Each frame keeps it under the name.
    """
    stack = [] if name in frame.__dict__ else [frame]
    while stack:
        node = stack[-1]
        if name in node.__dict__:
            stack.pop()
            continue
        known: list[Any] = []
        unknown: list[Expr] = []
        for item in node.inputs:
            found = item.__dict__.get(name)
            if found is None:
                unknown.append(item)
            else:
                known.append(found)
        if unknown:
            stack += unknown
            continue
        node.__dict__[name] = rule(node, known)
        stack.pop()
    return frame.__dict__[name]


def _rounds(frame: Expr, inputs: Sequence[Rounds]) -> Rounds:
    values = values_of_round(frame)
    before = most = 0
    for item in inputs:
        before, most = max(before, item.own), max(most, item.most)
    with_values = rounds_on(before, values)
    for value in values:
        most = max(most, value.awaits - 1)
    return Rounds(with_values if frame.is_seen_through else 0, max(most, with_values))


def values_of_round(frame: Expr) -> list[Value]:
    """Return the values among the operands of a frame, and those that are reduced."""
    # A list, as frames may have very many columns.
    found: list[Value] = []
    for operand in frame.operands:
        for item in operand if isinstance(operand, tuple) else (operand,):
            if isinstance(item, Value):
                found.append(item)
            elif not isinstance(item, Expr):
                reduced = getattr(item, "values", None)
                if isinstance(reduced, tuple) and all(isinstance(value, Value) for value in reduced):
                    found += reduced
    return found


_DEPTH = "_depth"


class Depth(NamedTuple):
    """Operations before the columns of a frame, and operations since then that selected its rows."""

    columns: int
    selection: int

    def on(self, values: Sequence[Value]) -> int:
        """Return the depth of values on the rows of the frame."""
        steps, replicas = self.selection, 0
        for value in values:
            if value.steps > steps:
                steps = value.steps
            if value.replica_depth > replicas:
                replicas = value.replica_depth
        return max(self.columns + steps, replicas)


def depth_of(frame: Expr) -> Depth:
    """Return the depth of a frame; it is computed once."""
    found: Depth | None = frame.__dict__.get(_DEPTH)
    return each_after_its_inputs(frame, _DEPTH, _depth) if found is None else found


def _depth(node: Expr, inputs: Sequence[Depth]) -> Depth:
    if node.is_materialized:
        return Depth(0, 0)
    columns = selection = 0
    for item in inputs:
        columns, selection = max(columns, item.columns), max(selection, item.selection)
    depth = Depth(columns, selection).on(values_of_round(node))
    if node.shows_inputs:
        # Values on these rows refer to the same columns, and count their own operations from there.
        return Depth(columns, depth - columns + node.weight)
    return Depth(depth + node.weight if inputs else 0, 0)


_OPTIMIZED = "_optimized"
"""Marks a sequence of plans as optimised, as Dask asks again and again."""


class NodeRef(ref["Node"]):
    """A weak reference to a node, by which others of the same name are found to be it.

    `WeakValueDictionary` does the same in four times as many calls, a good part of what a small plan takes.
    """

    __slots__ = ("name", "nodes")

    name: str
    nodes: dict[str, NodeRef]


def _forget(entry: NodeRef) -> None:
    """Let go of the name of a node that nobody holds any more, unless another node has it by now."""
    if entry.nodes.get(entry.name) is entry:
        del entry.nodes[entry.name]


@dataclass_transform(frozen_default=True)
class Node(SingletonExpr):
    """A node whose Dask parameters are its annotated fields, positional only."""

    _parameters: ClassVar[list[str]] = []
    _instances: ClassVar[dict[str, NodeRef]] = {}

    def __init_subclass__(cls) -> None:
        cls._parameters = list(get_annotations(cls))
        cls._instances = {}

    @classmethod
    def living(cls) -> list[Self]:
        """Return the nodes of the class that somebody holds."""
        return [node for entry in list(cls._instances.values()) if (node := entry()) is not None]

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the node of the class that has a name, None if nobody holds it."""
        entry = cls._instances.get(name)
        return None if entry is None else entry()

    def __new__(cls, *operands: Any, _determ_token: str | None = None) -> Self:
        """Return the node of these operands, the same object for as long as anybody holds it.

        What Dask's constructors do for nodes of any kind takes five times as long.
        """
        name = f"{cls.step(*operands)}-{_determ_token or token(cls.__name__, *operands)}"
        nodes = cls._instances
        entry = nodes.get(name)
        if entry is not None and (found := entry()) is not None:
            return found
        node = object.__new__(cls)
        node.__dict__.update(zip(cls._parameters, operands, strict=False))
        node.__dict__.update(operands=list(operands), _determ_token=name.partition("-")[2], _name=name)
        entry = nodes[name] = NodeRef(node, _forget)
        entry.name, entry.nodes = name, nodes
        return node

    @classmethod
    def step(cls, *_operands: Any) -> str:
        """Return what tasks of such a node do, in words without hyphens: Dask shows it of a key, and groups by it."""
        return cls.__name__.lower()

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return what the node is made of, its name and what it has found of its rows included."""
        state = {name: self.__dict__[name] for name in PICKLED if name in self.__dict__}
        return _remade, (type(self), self._determ_token, state, *self.operands)

    def __dask_graph__(self) -> dict[Any, Any]:
        """Return all tasks, those of what is still to be lowered too.

        Dask would ask each frame below for its own part, which is its whole graph again: see `Frame._layer`.
        """
        if any(isinstance(item, Frame) for item in self.operands):
            return materialize(self)
        return tasks_below([self])

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        """Return what the scheduler is to know of tasks: by what it is, and the keys of the tasks."""
        found: dict[str, dict[Any, Any]] = {}
        for node in self.walk():
            if isinstance(node, Node):
                for name, tasks in node.annotations().items():
                    found.setdefault(name, {}).update(tasks)
        return found

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Return what the scheduler is to know of this node's own tasks."""
        return {}

    def lower_completely(self) -> Expr:
        """Return the tasks of a plan that is computed alone, once it has been optimised."""
        (plan,) = lower_plans([self])
        return plan

    def _simplify_up(self, parent: Expr, dependents: Any) -> Expr | None:
        """Return what ``dask.compute`` hands to Dask, optimised as a whole; tried once for each sequence of plans."""
        if not isinstance(parent, ExprSequence) or _OPTIMIZED in parent.__dict__:
            return None
        ours = [plan for plan in parent.operands if isinstance(plan, Node)]
        found = optimized(ours)
        parent.__dict__[_OPTIMIZED] = True
        if all(new is old for new, old in zip(found, ours, strict=True)):
            return None
        replaced = iter(found)
        sequence = ExprSequence(*[next(replaced) if isinstance(plan, Node) else plan for plan in parent.operands])
        sequence.__dict__[_OPTIMIZED] = True
        return sequence

    # Rewriting is akdask's own (rewrite.py): columns refer to nodes by name, so Dask must not rename them.

    def lower_once(self, lowered: dict[str, Expr]) -> Expr:
        """Lower the node and all below it, one by one: Dask nests calls, and a chain may be longer than Python can."""
        begun: dict[str, tuple[Expr, list[Expr]]] = {}
        stack: list[Expr] = [self]
        while stack:
            node = stack[-1]
            if node._name in lowered:
                stack.pop()
                continue
            if node._name in begun:
                # All below it have been lowered by now.
                out, inputs = begun[node._name]
            else:
                out = node
                while (lower_still := out._lower()) is not None:
                    out = lower_still
                inputs = [item for item in out.operands if isinstance(item, Expr)]
                below = [item for item in inputs if item._name not in lowered] if inputs else inputs
                if below:
                    begun[node._name] = out, inputs
                    stack += below
                    continue
            stack.pop()
            lowered[node._name] = _on_lowered(out, inputs, lowered) if inputs else out
        return lowered[self._name]

    def simplify_once(self, dependents: Any, simplified: Any) -> Self:
        return self

    def rewrite(self, kind: str, rewritten: Any) -> Self:
        return self


PICKLED = ("planned_rows", "npartitions")
"""Cached fields that are pickled with a node: another process may not know the lengths known when it was planned."""


def _remade(cls: type[Node], determ_token: str, state: Mapping[str, Any], *operands: Any) -> Node:
    node = cls(*operands, _determ_token=determ_token)
    node.__dict__.update(state)
    return node


class Frame(Node):
    """A logical node that produces rows.

    Lowering (lower.py) turns it into a physical node when Dask asks for a graph; until then nothing is read.
    """

    # Without an annotation, which would make it an operand.
    no_more_rows = False
    """Whether it has no more rows than its first input."""

    keeps_rows = False
    """Whether it has as many rows as its first input."""

    is_seen_through = False
    """Whether its rows are found anew by each of those who read them, rather than once for all of them."""

    shows_inputs = False
    """Whether values on its rows refer to the columns of its inputs."""

    is_materialized = False
    """Whether its result stays in memory once it has been found, so that nothing before it is done again."""

    has_own_rows = True
    """Whether its rows are told by itself, whatever it is made of."""

    weight = 8
    """How many operations on columns it counts as, where it is judged what results are worth keeping."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.has_own_rows = cls.planned_rows is Frame.planned_rows

    @cached_property
    def planned_rows(self) -> RowSpace:
        """The row space of the result, as far as the plan alone tells it."""
        raise NotImplementedError

    @property
    def rows(self) -> RowSpace:
        """The row space of the result, with lengths that have been counted since it was planned."""
        found: RowSpace | None = self.__dict__.get("planned_rows")
        if found is None:
            # Those below first, one by one: a chain may be longer than Python nests calls.
            for node in _inputs_first(self):
                node.planned_rows  # noqa: B018 -- kept by the node
            found = self.planned_rows
        return counted(found) if found.lengths is None else found

    @property
    def npartitions(self) -> int:
        """Number of partitions of the result."""
        return self.rows.npartitions

    @property
    def bases(self) -> tuple[Frame, ...]:
        """The nodes whose columns a value on these rows may refer to."""
        return (self,)

    @cached_property
    def sources(self) -> frozenset[str]:
        """The names that columns of values on these rows may have for their source."""
        return frozenset([base._name for base in self.bases])

    @property
    def inputs(self) -> list[Frame]:
        """The frames that it is made of, but for those that values refer to."""
        return [item for item in self.dependencies() if isinstance(item, Frame)]

    @property
    def passes(self) -> int:
        """Number of successive passes over rows before its result is complete."""
        return 1 + rounds_of(self).most

    @property
    def depth(self) -> int:
        """How many operations are done one after the other until its result is there."""
        return sum(depth_of(self))

    @property
    def limiting(self) -> Frame | None:
        """An input that it has no more rows than, None if it may have more than each."""
        return self.operands[0] if self.no_more_rows else None

    def of_columns(self, names: Container[Hashable]) -> Frame:
        """Return a frame of the same rows for readers of some columns, the frame itself if that saves nothing."""
        return self

    @property
    def pass_key(self) -> Hashable:
        """What frames of a type agree in whose columns one pass over their inputs may find; None to be found alone."""
        return None

    def in_one_pass(self, others: Sequence[Self]) -> tuple[Frame, dict[str, Any]] | None:
        """Return a frame that has the columns of this one and of others of the same `pass_key`, None if there is none.

        Also returns where each column is found in it, by the token of the column.
        """
        return None

    def describe(self) -> str:
        """One line for `explain`, without the inputs."""
        return type(self).__name__

    def _lower(self) -> Expr | None:
        return lower(self)

    def _layer(self) -> dict[Any, Any]:
        """Return the whole graph: Dask asks un-optimised plans for it in ``dask.optimize`` and ``dask.visualize``.

        It asks all nodes of a plan; rows that are only ever read by the tasks of others have no part of their own.
        """
        return materialize(self) if has_tasks(self) else {}

    def __dask_graph__(self) -> dict[Any, Any]:
        return materialize(self)


def _on_lowered(node: Expr, inputs: Sequence[Expr], lowered: Mapping[str, Expr]) -> Expr:
    """Return a node on what its inputs were lowered to, named by its own name and by theirs alone."""
    names = [lowered[item._name]._name for item in inputs]
    if names == [item._name for item in inputs]:
        return node
    operands = [lowered[item._name] if isinstance(item, Expr) else item for item in node.operands]
    return type(node)(*operands, _determ_token=token(node._name, *names))


def _inputs_first(frame: Frame) -> Iterator[Frame]:
    """Yield the frames below one whose rows are not cached yet, and the frame itself, each after its inputs."""
    stack = [] if frame.has_own_rows else [frame]
    while stack:
        node = stack[-1]
        if "planned_rows" in node.__dict__:
            stack.pop()
            continue
        below = [
            item
            for item in node.dependencies()
            if isinstance(item, Frame) and not item.has_own_rows and "planned_rows" not in item.__dict__
        ]
        if below:
            stack.extend(below)
        else:
            yield stack.pop()


def lower_plans(plans: Sequence[Node]) -> list[Expr]:
    """Return the tasks of plans that are computed together, once they have been optimised."""
    lowered: dict[str, Expr] = {}
    return [plan.lower_once(lowered) for plan in optimized(plans)]


def tasks_below(plans: Iterable[Expr]) -> dict[Any, Any]:
    """Return the tasks of plans that have been lowered, and of all below them."""
    graph: dict[Any, Any] = {}
    seen: set[str] = set()
    stack = list(plans)
    while stack:
        node = stack.pop()
        if node._name not in seen:
            seen.add(node._name)
            graph.update(node._layer())
            stack += node.dependencies()
    return graph


def materialize(node: Node) -> dict[Any, Any]:
    """Return the tasks of a node, its own keys included."""
    lowered = node.lower_completely()
    graph: dict[Any, Any] = dict(lowered.__dask_graph__())
    for ours, theirs in zip(node.__dask_keys__(), lowered.__dask_keys__(), strict=True):
        if ours not in graph:
            graph[ours] = Alias(ours, theirs)
    return graph
