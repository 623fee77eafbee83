"""Scalar reductions as plan nodes: partial states of each partition, combined in a tree, finished to scalars."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial, reduce
from itertools import accumulate, pairwise
from typing import Any, Self

import numpy as np

from akdask._dask import Expr, List, Task, TaskRef
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NOT_A_TIME, UINT64, ColumnType, TimeForm
from akdask.columns.table import Table
from akdask.deferred import without_collection
from akdask.engine import tuning
from akdask.engine.missing import is_missing, negated
from akdask.engine.node import Frame, Node, RowSpace, lower, materialize
from akdask.engine.pipeline import Compile, decided_by_bounds, pipeline, reduction_batches
from akdask.engine.reduction import State
from akdask.engine.rowwise import Chain, Computed, Filter, Tasks
from akdask.engine.sinks import Count, Reduce, Sink
from akdask.engine.sources import RowNumbers, Scan
from akdask.engine.values import (
    Call,
    ColumnRef,
    Constant,
    Made,
    Program,
    Replica,
    Value,
    apart,
    as_floats,
    cast,
    describe,
    flattened,
    nearest_floats,
    substitute,
    token,
    walk,
)
from akdask.operators.reduce.reductions import PROPAGATING, REDUCTIONS, ScalarReduction, merge_states
from akdask.records import record
from akdask.storage.source import extremes_of


class AggregateExpr:
    """One reduction of one value.

    Parameters
    ----------
    name : str
        A name in `akdask.operators.reduce.reductions.REDUCTIONS`.
    value : Value
        The value to reduce.
    params : dict
        Further arguments of the last step, such as ``ddof``.

    Attributes
    ----------
    dtype : ColumnType
        Type of the result.

    Raises
    ------
    ArgumentTypeError
        If the reduction does not take such values.
    """

    __slots__ = ("_text", "dtype", "name", "params", "token", "value")

    def __init__(self, name: str, value: Value, **params: Any) -> None:
        self.name = name
        value = _reducible(name, value)
        self.dtype = REDUCTIONS[name].result_type(value.dtype, **params)
        self.value = value
        self.params = tuple(sorted(params.items()))
        self.token = token(name, value, self.params)
        self._text: str | None = None

    @property
    def values(self) -> tuple[Value, ...]:
        """The value in a tuple, as all reductions have it."""
        return (self.value,)

    @property
    def kernel(self) -> ScalarReduction:
        """The scalar form for the value's type."""
        return ScalarReduction(self.name, self.value.dtype)

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the arguments of the reduction."""
        return _reduction, (self.name, self.params, self.value)

    def moved(self, replaced: Mapping[str, Value]) -> AggregateExpr:
        """Return the reduction of the same value on another frame; columns are mapped by their tokens."""
        return AggregateExpr(self.name, substitute(self.value, replaced), **dict(self.params))

    def __str__(self) -> str:
        # Each text is made once: reductions may refer to others, many times.  Inner ones are made first, one by one,
        # since a chain may be longer than Python nests calls.
        stack = [self]
        while stack:
            below = stack[-1]._unwritten()
            if below:
                stack.extend(below)
                continue
            last = stack.pop()
            last._text = last._text or f"{last.name}({describe(last.value)})"
        assert self._text is not None, "it has just been written"
        return self._text

    def _unwritten(self) -> list[AggregateExpr]:
        """Return the reductions in the value that have no text yet; none if it has its own."""
        if self._text is not None:
            return []
        nodes = [part.node for part in walk(self.value) if isinstance(part, Replica)]
        found = [item for node in nodes if isinstance(node, Aggregate) for item in node.reductions]
        return [item for item in found if item._text is None]


def _reducible(name: str, value: Value) -> Value:
    """Return the values to reduce where integers may be missing; as NaN, missing ones count as true."""
    if not value.dtype.is_nullable_number or name in PROPAGATING:
        return value
    if name in ("any", "all", "count_nonzero"):
        integers, missing = apart(value)
        return Call("logical_or", cast(integers, BOOL), missing)
    return nearest_floats(value) if name in ("median", "quantile") else as_floats(value)


def _reduction(name: str, params: tuple[tuple[str, Any], ...], value: Value) -> AggregateExpr:
    return AggregateExpr(name, value, **dict(params))


class ScalarList(Frame):
    """A node whose result is a list of scalars in one partition."""

    @abstractmethod
    def result_type(self, position: int) -> ColumnType:
        """Return the type of one of the scalars."""

    @abstractmethod
    def describe_result(self, position: int) -> str:
        """Describe one of the scalars in words."""


class Aggregate(Computed, ScalarList):
    """Reductions of the rows of a frame, all in one pass; the result is a list of scalars in one partition."""

    weight = 2

    frame: Frame
    reductions: tuple[AggregateExpr, ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([len(self.reductions)])

    def result_type(self, position: int) -> ColumnType:
        """Return the type of one of the results."""
        return self.reductions[position].dtype

    def describe_result(self, position: int) -> str:
        """Describe one of the results in words."""
        return str(self.reductions[position])

    def moved(self, frame: Frame, replaced: Mapping[str, Value]) -> Self:
        return type(self)(frame, tuple(item.moved(replaced) for item in self.reductions))

    def describe(self) -> str:
        return "Aggregate " + ", ".join(map(str, self.reductions))


class Element(Node):
    """One result of an aggregation; its form may make another object of it."""

    is_fusible = True

    aggregate: ScalarList
    position: int
    form: TimeForm | None

    @property
    def npartitions(self) -> int:
        return 1

    def describe(self) -> str:
        """One line for `explain`."""
        return self.aggregate.describe_result(self.position)

    def _lower(self) -> Expr | None:
        """Let the last task of a single reduction return the element itself."""
        source = self.operands[0]
        if not isinstance(source, Aggregate) or len(source.reductions) > 1:
            return None
        tree = lower(source)
        assert isinstance(tree, TreeReduce), "so reductions are lowered"
        return TreeReduce(tree.combine, FinishElement(tree.finish, self.form), tree.partials)

    def _layer(self) -> dict[Any, Any]:
        source = self.operands[0]
        if isinstance(source, ScalarList):
            return materialize(self)
        key = (self._name, 0)
        return {key: Task(key, _element, TaskRef(source.__dask_keys__()[0]), self.position, self.form)}


class CountRows(Frame):
    """The number of rows in each partition; the result is a list in one partition."""

    frame: Frame

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([self.frame.npartitions])


class TreeReduce(Node):
    """Combine the partials of a pipeline, some at a time, in the order of the partitions; then finish them."""

    combine: Any
    finish: Any
    partials: Expr

    @classmethod
    def step(cls, *_operands: Any) -> str:
        return "combine"

    @property
    def npartitions(self) -> int:
        return 1

    @property
    def is_fusible(self) -> bool:  # type: ignore[override]
        """Whether one task combines all partials."""
        return self.partials.npartitions <= tuning.FAN_IN

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        graph: dict[Any, Any] = {}
        keys: list[Hashable] = list(self.partials.__dask_keys__())
        level = 0
        while len(keys) > tuning.FAN_IN:
            groups = [keys[start : start + tuning.FAN_IN] for start in range(0, len(keys), tuning.FAN_IN)]
            keys = [(f"combine-{self._name}", level, number) for number in range(len(groups))]
            for key, group in zip(keys, groups, strict=True):
                graph[key] = Task(key, self.combine, List(*map(TaskRef, group)))
            level += 1
        last = (self._name, 0)
        graph[last] = Task(last, self.finish, List(*map(TaskRef, keys)))
        return graph


@record
class CombineStates:
    """Merge lists of states, one list for each group of rows."""

    reductions: tuple[ScalarReduction, ...]

    @property
    def token(self) -> str:
        return token("combine", self.reductions)

    def __call__(self, partials: Sequence[list[Any]]) -> list[Any]:
        return reduce(partial(merge_states, self.reductions), partials)


@record
class FinishStates:
    """Merge the last states and turn them into scalars."""

    reductions: tuple[tuple[ScalarReduction, tuple[tuple[str, Any], ...]], ...]

    @property
    def token(self) -> str:
        return token("finish", self.reductions)

    def __call__(self, partials: Sequence[list[Any]]) -> list[Any]:
        states = CombineStates(tuple(reduction for reduction, _ in self.reductions))(partials)
        calls = zip(self.reductions, states, strict=True)
        return [reduction.finalize(state, **dict(params)) for (reduction, params), state in calls]


@record
class FinishElement:
    """Merge the last states of a single reduction and turn them into one result."""

    finish: FinishStates
    form: TimeForm | None

    @property
    def token(self) -> str:
        return token("finish element", self.finish, self.form)

    def __call__(self, partials: Sequence[list[Any]]) -> Any:
        return _element(self.finish(partials), 0, self.form)


def _element(results: Sequence[Any], position: int, form: TimeForm | None) -> Any:
    return results[position] if form is None else form(results[position])


def _as_list(counts: Sequence[Any]) -> list[Any]:
    return [count for item in counts for count in (item if isinstance(item, list) else [item])]


def _with_encoded(program: Program, calls: Sequence[tuple[int, ScalarReduction]]) -> Program:
    """Return a program that leaves text encoded for reductions that take it so."""
    takers = [kernel.takes_encoded for _, kernel in calls]
    taken = {register for register, takes in zip(program.outputs, takers, strict=True) if takes}
    others = {register for register, takes in zip(program.outputs, takers, strict=True) if not takes}
    return replace(program, encoded=taken - others) if taken - others else program


@lower.register
def _(frame: Aggregate) -> Expr:
    kernels = tuple(item.kernel for item in frame.reductions)

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        calls = list(enumerate(kernels))
        plain = [call for call, value in zip(calls, values, strict=True) if isinstance(value, ColumnRef)]
        computed = [call for call, value in zip(calls, values, strict=True) if not isinstance(value, ColumnRef)]
        return Reduce(
            _with_encoded(compile_these([values[number] for number, _ in plain]), plain),
            tuple(plain),
            _with_encoded(compile_these([values[number] for number, _ in computed]), computed),
            tuple(computed),
            any(kernel.adds_floats for kernel in kernels),
        )

    finish = FinishStates(tuple((kernel, item.params) for kernel, item in zip(kernels, frame.reductions, strict=True)))
    states = _known_states(frame)
    if states is not None:
        known = Tasks(f"extremes of {frame._name}", _told_by_files, (((), (states,)),))
        return TreeReduce(CombineStates(kernels), finish, known)
    values = [item.value for item in frame.reductions]
    purpose = "reduce " + ", ".join(map(str, frame.reductions))
    partials = pipeline(frame.frame, values, sink, purpose, batches=reduction_batches(frame.frame))
    return TreeReduce(CombineStates(kernels), finish, partials)


def _told_by_files(_: Sequence[Any], states: list[State]) -> list[State]:
    return states


def _known_states(frame: Aggregate) -> list[State] | None:
    """Return the states of extremes and numbers of stored rows that their source tells, None unless it tells all."""
    if not all(item.name in ("min", "max", "count_nonzero") for item in frame.reductions):
        return None
    from akdask.engine.times import is_present_time, ordered

    chain, values = decided_by_bounds(Chain.of(frame.frame), [item.value for item in frame.reductions])
    if not all(isinstance(node, Filter) for node in chain.selections):
        return None
    scans = {base._name: base.source for base in chain.bases if isinstance(base, Scan)}
    filters, states = {predicate.token for predicate in chain.predicates}, list[State]()
    for item, value in zip(frame.reductions, values, strict=True):
        if item.name == "count_nonzero":
            lengths = chain.bases[0].rows.lengths
            if filters or lengths is None or not isinstance(value, Constant):
                return None
            states.append(sum(lengths) * bool(value.value))
            continue
        column = value.args[0] if isinstance(value, Call) and value.operation == "subtract" else value
        if not isinstance(column, ColumnRef) or column.source not in scans:
            return None
        found = extremes_of(scans[column.source], str(column.name))
        if found is None:
            return None
        # Filters may leave out what is missing, which no extreme is.
        alone = {negated(is_missing(column)).token, is_present_time(column).token}
        if not filters <= alone or (found.is_part and not filters) or found.least == NOT_A_TIME:
            return None
        side = found.least if item.name == "min" else found.greatest
        if value is not column:
            if value.token != ordered(column).token:
                return None
            side = side - 1
        states.append((side,))
    return states


@lower.register
def _(frame: CountRows) -> Expr:
    counts = pipeline(frame.frame, [], lambda *_: Count(), "count rows")
    return TreeReduce(_as_list, _as_list, counts)


NUMBERS: dict[type[Any], ColumnType] = {dtype.numpy.type: dtype for dtype in (BOOL, INT64, UINT64, FLOAT64)}
"""Types of NumPy scalars in a plan, for the results of columns of 64 bits and truth values."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (
        operator.pow, np.add, np.subtract, np.multiply, np.divide, np.floor_divide, np.remainder, np.power,
        np.negative, np.positive, np.absolute, np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert,
        np.left_shift, np.right_shift, np.sqrt, np.square, np.exp, np.log, np.floor, np.ceil, np.trunc,
        np.rint, np.minimum, np.maximum,
    )
}  # fmt: skip
"""Functions that can be deferred; a comparison is used for a decision, so it needs the value."""

Operand = Element | int | float | bool | np.generic


class Arithmetic(ScalarList):
    """A function of scalar results and plain numbers; the result is a list of one scalar in one partition."""

    weight = 1

    function: str
    args: tuple[Operand, ...]
    dtype: ColumnType

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([1])

    @property
    def elements(self) -> list[Element]:
        """The results among the arguments."""
        return [arg for arg in self.args if isinstance(arg, Element)]

    def dependencies(self) -> list[Expr]:
        return [element.aggregate for element in self.elements]

    def result_type(self, position: int) -> ColumnType:
        return self.dtype

    def describe_result(self, position: int) -> str:
        return self.describe()

    def describe(self) -> str:
        # Without descriptions of the results, each of which may be made from others.
        return f"{self.function}({', '.join('…' if isinstance(arg, Element) else repr(arg) for arg in self.args)})"


def calculated(function: Callable[..., Any], args: Sequence[Any]) -> Element | None:
    """Return a function of scalar results and plain numbers as a plan; None if its value is needed at once.

    NumPy computes it, and gives the type of its result beforehand, which depends on types and not on values. Arguments
    that NumPy refuses for all values, such as a plain number beyond the other's type, are refused here.
    """
    if FUNCTIONS.get(function.__name__) is not function:
        return None
    examples = [_example(arg) for arg in args]
    if any(example is None for example in examples):
        return None
    with np.errstate(all="ignore"):
        dtype = NUMBERS.get(type(function(*examples)))
    if dtype is None or dtype == BOOL:
        return None
    return Element(Arithmetic(function.__name__, tuple(args), dtype), 0, None)


def _example(arg: Any) -> Any:
    """Return a number of an argument's type, None if it cannot be deferred."""
    if not isinstance(arg, Element):
        return arg if type(arg) in (bool, int, float, *NUMBERS) else None
    dtype = arg.aggregate.result_type(arg.position)
    return dtype.numpy.type(1) if arg.form is None and dtype in NUMBERS.values() else None


@lower.register
def _(frame: Arithmetic) -> Expr:
    elements = frame.elements
    remaining = iter(range(len(elements)))
    given = tuple((next(remaining), arg.position) if isinstance(arg, Element) else arg for arg in frame.args)
    calls = ((tuple((number, 0) for number in range(len(elements))), (frame.function, given)),)
    return Tasks(frame._name, _calculate, calls, *frame.dependencies())


def _calculate(results: Sequence[Sequence[Any]], function: str, given: tuple[Any, ...]) -> list[Any]:
    """Apply a function to numbers and to results, which are given by their positions."""
    return [FUNCTIONS[function](*[results[arg[0]][arg[1]] if isinstance(arg, tuple) else arg for arg in given])]


@lower.register
def _(frame: RowNumbers) -> Expr:
    lengths = frame.rows.lengths
    if lengths is not None:
        known = tuple(((), bounds) for bounds in pairwise(accumulate(lengths, initial=0)))
        return Tasks(frame._name, _number_between, known)
    calls = tuple((((0, 0),), (partition,)) for partition in range(frame.npartitions))
    return Tasks(frame._name, _number, calls, CountRows(frame.frame))


def _number(counts: Sequence[Sequence[int]], partition: int) -> Table:
    (lengths,) = counts
    start = sum(lengths[:partition])
    return _number_between((), start, start + lengths[partition])


def _number_between(inputs: Sequence[Any], start: int, stop: int) -> Table:
    return Table({0: np.arange(start, stop)}, stop - start)
