"""Plan nodes: declarations on Dask's expression core, with the rows that they have and how they are lowered.

A logical node knows nothing of tasks. When Dask needs a graph, `lower` finds the function for the node's type, which
the module that declares the node registers. It returns a physical node, whose inputs Dask lowers in turn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from functools import cached_property, singledispatch
from hashlib import blake2b
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, dataclass_transform
from weakref import ref

import numpy as np
import numpy.typing as npt

from akdask._dask import Alias, Expr, ExprSequence, SingletonExpr
from akdask.caches import Cache
from akdask.engine.values import Made, Value, flattened, token
from akdask.errors import UnsupportedError
from akdask.records import record

if TYPE_CHECKING:
    from typing import Self


@record
class RowSpace:
    """The identity of a set of rows, with its partitioning.

    Parameters
    ----------
    token : str
        Names the rows.  Rows of fixed lengths are named by these lengths alone, as only position aligns them.  Others
        are named by the selected rows, and by the identity of all values that decided the selection.
    npartitions : int
        Number of partitions.
    lengths : tuple of int, optional
        Rows in each partition; None until they are counted.
    total : int, optional
        Number of all rows, where it is known without the lengths: sorting, for example, preserves it.
    is_fixed : bool
        Whether the lengths are known for good, without counting rows, and name them.

    Examples
    --------
    >>> RowSpace.of_lengths([3, 2]) == RowSpace.of_lengths([3, 2])
    True
    >>> RowSpace.of_lengths([3, 2]).same_rows(RowSpace.of_lengths([2, 3]))
    False
    """

    token: str
    npartitions: int
    lengths: tuple[int, ...] | None = None
    total: int | None = None
    is_fixed: bool = False

    @classmethod
    def of_lengths(cls, lengths: npt.ArrayLike) -> RowSpace:
        """Return the row space of partitions with the given numbers of rows."""
        numbers = np.ascontiguousarray(lengths, dtype="<i8")
        known = tuple(numbers.tolist())
        digest = blake2b(numbers.tobytes(), digest_size=16).hexdigest()
        return cls(f"lengths {digest}", len(known), known, is_fixed=True)

    @property
    def size(self) -> int | None:
        """Number of rows in all, None while unknown."""
        return self.total if self.lengths is None else sum(self.lengths)

    def same_rows(self, other: RowSpace) -> bool:
        """Whether columns of the two can be combined row by row, partition by partition."""
        if self.token == other.token:
            return True
        return self.lengths is not None and self.lengths == other.lengths

    def describe(self) -> str:
        """Partitions and lengths in words, for error messages."""
        count = f"{self.npartitions} partition" + ("" if self.npartitions == 1 else "s")
        if self.lengths is None:
            return f"{count}, lengths unknown"
        shown = ", ".join(map(str, self.lengths[:6])) + (", …" if self.npartitions > 6 else "")
        return f"{count}, lengths ({shown})"


@singledispatch
def lower(frame: Expr) -> Expr:
    """Return the physical node that makes the partitions of a logical one."""
    raise UnsupportedError(f"no lowering is registered for plan nodes of type {type(frame).__name__}.")


def has_tasks(frame: Expr) -> bool:
    """Whether a frame is lowered to tasks of its own; others are read by the tasks of other frames."""
    return lower.dispatch(type(frame)) is not lower.dispatch(object)


Lengths = tuple[int, ...]

_known: Cache[str, Lengths] = Cache("counted rows", entries=10_000)


@record
class ColumnIdentity:
    """Identity of a column's contents: columns of equal identities are equal, row by row.

    Made by `akdask.engine.rowwise.column_identity`, of a value and of the frame that it is read on.
    """

    token: str

    def partitioned_like(self, own: RowSpace, other: RowSpace) -> ColumnIdentity:
        """Return the identity of the same column in the partitions of other rows."""
        return self if own.same_rows(other) else ColumnIdentity(token("cut", self, other.token))

    def moved(self) -> ColumnIdentity:
        """Return the identity of the column among other rows, or in another order."""
        return ColumnIdentity(token("moved", self))


def rows_decided_by(kind: str, deciding: Sequence[ColumnIdentity], npartitions: int, *params: Any) -> RowSpace:
    """Return a row space whose number of rows depends on the values of columns.

    Parameters
    ----------
    kind : str
        How.
    deciding : sequence of ColumnIdentity
        All columns whose values affect the number of rows.
    npartitions : int
        Number of partitions.
    *params
        Other parameters that affect it, such as the token of the row space that rows are selected from.
    """
    assert all(isinstance(column, ColumnIdentity) for column in deciding), "a value alone names no rows"
    return RowSpace(token(kind, tuple(deciding), npartitions, *params), npartitions)


def rows_rearranged(
    kind: str, given: Sequence[RowSpace], npartitions: int, lengths_of: Callable[..., Sequence[int]], *params: Any
) -> RowSpace:
    """Return a row space whose lengths follow from the lengths of others, by `lengths_of`.

    Their name does not depend on whether the others have been counted.
    """
    known = [rows.lengths for rows in given]
    if all(rows.is_fixed for rows in given):
        return RowSpace.of_lengths(lengths_of(*known))
    name = token(kind, tuple(rows.token for rows in given), *params)
    if all(lengths is not None for lengths in known):
        remember_lengths(name, tuple(lengths_of(*known)))
    return RowSpace(name, npartitions)


# Every node looks here, so that nothing stands between it and the cache.
known_lengths = _known.get
"""Return the lengths of the rows of a name, None if they have not been counted."""


def forget_lengths() -> None:
    """Forget all counted lengths; rows are counted again where their number is needed."""
    _known.clear()


def remember_lengths(row_token: str, lengths: Lengths) -> None:
    """Remember counted lengths."""
    _known.put(row_token, lengths)


class Work(NamedTuple):
    """What is done before the rows of a frame.

    Parameters
    ----------
    rounds : int
        Rounds along its own rows.
    most_rounds : int
        The largest number of rounds along any rows that it is made from.
    depth : int
        The longest chain of operations before its columns.
    selection : int
        Operations since then that selected rows.
    """

    rounds: int = 0
    most_rounds: int = 0
    depth: int = 0
    selection: int = 0

    def on(self, values: Sequence[Value]) -> tuple[int, int]:
        """Return the rounds of values on the rows, and the longest chain of operations before them."""
        rounds, steps = self.rounds, self.selection
        awaited = replicas = 0
        # No generators, as frames may have very many columns, and most operations have one.
        for value in values:
            if value.rounds > rounds:
                rounds = value.rounds
            if value.awaits > awaited:
                awaited = value.awaits
            if value.steps > steps:
                steps = value.steps
            if value.replica_depth > replicas:
                replicas = value.replica_depth
        steps += self.depth
        return rounds + 1 if awaited > rounds else rounds, max(replicas, steps)


def each_after_its_inputs(frame: Expr, name: str, rule: Callable[[Expr, list[Any]], Any]) -> Any:
    """Return the result of a rule for a frame, given the rule's results for the frame's inputs; without recursion.

    Each frame caches its result under the name.
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


def values_of_round(frame: Expr) -> list[Value]:
    """Return the values among the operands of a frame, and the values in its reductions."""
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


_WORK = "_work"


def work_of(frame: Expr) -> Work:
    """Return the work before the rows of a frame, which caches it."""
    found: Work | None = frame.__dict__.get(_WORK)
    return each_after_its_inputs(frame, _WORK, _work) if found is None else found


def _work(frame: Expr, inputs: Sequence[Work]) -> Work:
    values = values_of_round(frame)
    before = Work(*map(max, zip(*inputs, strict=True))) if inputs else Work()
    rounds, steps = before.on(values)
    most = max([rounds, before.most_rounds, *[value.awaits - 1 for value in values]])
    own = rounds if frame.is_seen_through else 0
    if frame.is_materialized:
        return Work(own, most)
    if frame.shows_inputs:
        # Values on these rows refer to the same columns, and count their own operations from there.
        return Work(own, most, before.depth, steps - before.depth + frame.weight)
    return Work(own, most, steps + frame.weight if inputs else 0)


_INPUTS = "_inputs"

_OPTIMIZED = "_optimized"
"""Marks a sequence of plans as optimised, as Dask asks again and again."""


class NodeRef(ref["Node"]):
    """A weak reference by name to a node, so that nodes of equal names are one object.

    `WeakValueDictionary` does the same in more calls, which would be a good part of the time of a small plan.
    """

    __slots__ = ("name", "nodes")

    name: str
    nodes: dict[str, NodeRef]


def _forget(entry: NodeRef) -> None:
    """Drop the name of a freed node, unless another node has it by now."""
    if entry.nodes.get(entry.name) is entry:
        del entry.nodes[entry.name]


@dataclass_transform(frozen_default=True)
class Node(SingletonExpr):
    """A node whose Dask parameters are its annotated fields, positional only."""

    is_fusible: ClassVar[bool] = False
    """Whether its tasks may be part of tasks of a reader: see `akdask.engine.fusion`."""

    _parameters: ClassVar[list[str]] = []
    _instances: ClassVar[dict[str, NodeRef]] = {}

    def __init_subclass__(cls) -> None:
        cls._parameters = list(get_annotations(cls))
        cls._instances = {}

    @classmethod
    def living(cls) -> list[Self]:
        """Return the living nodes of the class."""
        return [node for entry in list(cls._instances.values()) if (node := entry()) is not None]

    @classmethod
    def named(cls, name: str) -> Self | None:
        """Return the living node of the class with a name, None without one."""
        entry = cls._instances.get(name)
        return None if entry is None else entry()

    def __new__(cls, *operands: Any, _determ_token: str | None = None) -> Self:
        """Return the node of these operands: the same object as long as somebody holds it.

        Dask's constructors are more general, and take several times as long.
        """
        determined = _determ_token or token(cls.__name__, *operands)
        name = f"{cls.step(*operands)}-{determined}"
        nodes = cls._instances
        entry = nodes.get(name)
        if entry is not None and (found := entry()) is not None:
            return found
        node = object.__new__(cls)
        state = node.__dict__
        state.update(zip(cls._parameters, operands, strict=False))
        state["operands"], state["_determ_token"], state["_name"] = list(operands), determined, name
        entry = nodes[name] = NodeRef(node, _forget)
        entry.name, entry.nodes = name, nodes
        return node

    @classmethod
    def step(cls, *_operands: Any) -> str:
        """Describe the node's tasks in words without hyphens; Dask shows them as a key's prefix, and groups by it."""
        return cls.__name__.lower()

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the parts of the node, with its name and the cached facts about its rows."""
        state = {name: self.__dict__[name] for name in PICKLED if name in self.__dict__}
        return _remade, (type(self), self._determ_token, state, *self.operands)

    def __dask_graph__(self) -> dict[Any, Any]:
        """Return all tasks; a logical node is lowered first.

        Dask would collect the graph of each frame below, each of which is a whole graph again; see `Frame._layer`.
        """
        if any(isinstance(item, Frame) for item in self.operands):
            return materialize(self)
        return tasks_below([self])

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        """Return annotations for the scheduler: for each kind, values by the keys of tasks."""
        found: dict[str, dict[Any, Any]] = {}
        for node in self.walk():
            if isinstance(node, Node):
                for name, tasks in node.annotations().items():
                    found.setdefault(name, {}).update(tasks)
        return found

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Return annotations of this node's own tasks for the scheduler."""
        return {}

    def lower_completely(self) -> Expr:
        """Return the tasks of a plan that is computed alone, after optimising it."""
        (plan,) = lower_plans([self])
        return plan

    def _simplify_up(self, parent: Expr, dependents: Any) -> Expr | None:
        """Optimise the plans of a ``dask.compute`` together, once for each sequence of plans."""
        if not isinstance(parent, ExprSequence) or _OPTIMIZED in parent.__dict__:
            return None
        ours = [plan for plan in parent.operands if isinstance(plan, Node)]
        from akdask.engine.optimizer import optimize

        found = optimize(ours)
        parent.__dict__[_OPTIMIZED] = True
        if all(new is old for new, old in zip(found, ours, strict=True)):
            return None
        replaced = iter(found)
        sequence = ExprSequence(*[next(replaced) if isinstance(plan, Node) else plan for plan in parent.operands])
        sequence.__dict__[_OPTIMIZED] = True
        return sequence

    # Rewriting is akdask's own (rewrite.py): columns refer to nodes by name, so Dask must not rename them.

    def lower_once(self, lowered: dict[str, Expr]) -> Expr:
        """Lower the node and all nodes below it, iteratively; Dask's nested calls would overflow on long chains."""
        begun: dict[str, tuple[Expr, list[Expr]]] = {}
        stack: list[Expr] = [self]
        while stack:
            node = stack[-1]
            if node._name in lowered:
                stack.pop()
                continue
            if node._name in begun:
                # All nodes below it have been lowered by now.
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
            lowered[node._name] = on_lowered(out, inputs, lowered) if inputs else out
        return lowered[self._name]

    def simplify_once(self, dependents: Any, simplified: Any) -> Self:
        return self

    def rewrite(self, kind: str, rewritten: Any) -> Self:
        return self


PICKLED = ("planned_rows", "npartitions")
"""Cached fields that are pickled with a node; another process may lack the lengths that were known when it was
planned."""


def _remade(cls: type[Node], determ_token: str, state: Mapping[str, Any], *operands: Any) -> Node:
    node = cls(*operands, _determ_token=determ_token)
    node.__dict__.update(state)
    return node


def in_words(name: str) -> str:
    """Return the name of a class as words.

    Examples
    --------
    >>> in_words("RowNumbers")
    'Row numbers'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).capitalize()


class Frame(Node):
    """A logical node that produces rows.

    Lowering (lower.py) turns it into a physical node when Dask asks for a graph; until then nothing is read.
    """

    # Without an annotation, which would make it an operand.
    no_more_rows = False
    """Whether it has at most as many rows as its first input."""

    keeps_rows = False
    """Whether it has exactly as many rows as its first input."""

    is_seen_through = False
    """Whether each reader computes its rows again, rather than one task for all readers."""

    shows_inputs = False
    """Whether values on its rows refer to the columns of its inputs."""

    is_materialized = False
    """Whether its result stays in memory once computed, so that nothing below it is computed again."""

    keeps_replacement = False
    """Whether it holds the node that replaces it in an optimised plan, which only that plan would hold."""

    follows_needs = False
    """Whether the optimiser replaces it if no reader needs all of it, wherever it stands in a plan."""

    has_own_rows = True
    """Whether it defines its own row space, whatever its inputs are."""

    weight = 8
    """The number of operations on columns that it counts as, where the optimiser judges which results to keep."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.has_own_rows = cls.planned_rows is Frame.planned_rows

    @cached_property
    def planned_rows(self) -> RowSpace:
        """The row space of the result, as far as the plan alone tells."""
        raise NotImplementedError

    @property
    def rows(self) -> RowSpace:
        """The row space of the result, with all lengths that have been counted since it was planned."""
        found: RowSpace = self.__dict__.get("planned_rows") or _plan_rows(self)
        lengths = known_lengths(found.token) if found.lengths is None else None
        return found if lengths is None else RowSpace(found.token, found.npartitions, lengths, found.total)

    @property
    def npartitions(self) -> int:
        """Number of partitions of the result."""
        found: RowSpace = self.__dict__.get("planned_rows") or self.rows
        return found.npartitions

    def lower_into(self, names: Mapping[Hashable, Hashable], arrays: Node) -> Expr | None:
        """Return the physical node that writes columns into arrays of all rows, which a node allocates.

        `names` has the column of each array. None if the node makes tables of its own, whose rows are copied.
        """
        return None

    @property
    def bases(self) -> tuple[Frame, ...]:
        """The nodes whose columns a value on these rows may refer to."""
        return (self,)

    @cached_property
    def sources(self) -> frozenset[str]:
        """The possible source names of columns in values on these rows."""
        return frozenset([base._name for base in self.bases])

    @property
    def inputs(self) -> list[Frame]:
        """The input frames, without frames that values refer to; the node caches them."""
        found: list[Frame] | None = self.__dict__.get(_INPUTS)
        if found is None:
            found = self.__dict__[_INPUTS] = [item for item in self.dependencies() if isinstance(item, Frame)]
        return found

    @property
    def work(self) -> tuple[int, int]:
        """Successive passes over rows, and the longest chain of operations, before its result is complete."""
        found = work_of(self)
        return 1 + found.most_rounds, found.depth + found.selection

    @property
    def limiting(self) -> Frame | None:
        """The input that bounds its number of rows, None if it may have more rows than each input."""
        return self.operands[0] if self.no_more_rows else None

    def on_moved_rows(self) -> Frame:
        """Return the frame with a new identity of its rows, whose inputs have other rows, or another order, now.

        Counts and cached results of the old identity do not apply to them.
        """
        return self

    def of_columns(self, names: Container[Hashable]) -> Frame:
        """Return a frame of the same rows for readers of some columns; the frame itself if that saves nothing."""
        return self

    @property
    def pass_key(self) -> Hashable:
        """Key of the frames that one pass over the inputs can compute together; None if it is computed alone."""
        return None

    def in_one_pass(self, others: Sequence[Self]) -> tuple[Frame, dict[str, Any]] | None:
        """Return a frame with the columns of this one and of others of the same `pass_key`, None if there is none.

        Also returns the new column for each old one, by the token of the old column.
        """
        return None

    def describe(self) -> str:
        """One line for `explain`, without the inputs."""
        return in_words(type(self).__name__)

    def describe_column(self, name: Hashable) -> str | None:
        """Return the parts of a column, for `explain`; None for one that comes from the only input."""
        return None

    def _lower(self) -> Expr | None:
        return lower(self)

    def _layer(self) -> dict[Any, Any]:
        """Return the whole graph, for un-optimised plans in ``dask.optimize`` and ``dask.visualize``.

        Dask collects the layers of all nodes; frames that only the tasks of others read have no layer of their own.
        """
        return materialize(self) if has_tasks(self) else {}

    def __dask_graph__(self) -> dict[Any, Any]:
        return materialize(self)


def on_lowered(node: Expr, inputs: Sequence[Expr], lowered: Mapping[str, Expr]) -> Expr:
    """Return a node on the lowered inputs, named by its own name and by theirs alone."""
    names = [lowered[item._name]._name for item in inputs]
    if names == [item._name for item in inputs]:
        return node
    operands = [lowered[item._name] if isinstance(item, Expr) else item for item in node.operands]
    return type(node)(*operands, _determ_token=token(node._name, *names))


def _plan_rows(frame: Frame) -> RowSpace:
    """Return the planned rows of a frame, after those of its inputs, without recursion; each node caches its rows."""
    stack = [] if frame.has_own_rows else [frame]
    while stack:
        below = [item for item in stack[-1].inputs if not item.has_own_rows and "planned_rows" not in item.__dict__]
        if below:
            stack += below
        else:
            stack.pop().planned_rows  # noqa: B018 -- kept by the node
    return frame.planned_rows


def lower_plans(plans: Sequence[Node]) -> list[Expr]:
    """Return the tasks of plans that are computed together, after optimising them."""
    from akdask.engine.optimizer import optimize

    lowered: dict[str, Expr] = {}
    return [plan.lower_once(lowered) for plan in optimize(plans)]


def tasks_below(plans: Iterable[Expr]) -> dict[Any, Any]:
    """Return the tasks of lowered plans, and of all nodes below them."""
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
