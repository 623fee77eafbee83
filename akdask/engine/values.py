"""Values: row-wise trees over the columns of a frame, evaluated inside one partition task.

All values of a frame are evaluated in one task, so that the number of tasks grows with the partitions and never with
columns times operators. A value refers to a column by the names of its node and of the column. Filtering rows leaves
the value unchanged.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from akdask._dask import Expr
from akdask.columns.dtypes import FLOAT64, INT64, UINT64, ColumnType
from akdask.engine.operations import OPERATIONS, scalar_type
from akdask.engine.tokens import Made, Named, flattened, token


class Value(Named):
    """A column-to-be: its type, and a token that equal trees share."""

    __slots__ = ("dtype",)

    dtype: ColumnType

    rounds = 0
    """Passes over its rows before the one that computes this value, each for a result that it needs.

    Negative for values without rows.  See `akdask.engine.node`.
    """

    awaits = 0
    """Successive passes over rows before all replicated results that it refers to are complete."""

    steps = 0
    """Length of the longest chain of operations on the columns that it refers to."""

    replica_depth = 0
    """Length of the longest chain of operations before the replicated results that it uses."""

    args: tuple[Value, ...] = ()
    """The values that this one is computed from."""

    sources: frozenset[str] = frozenset()
    """The names of the nodes whose columns it refers to."""

    def __hash__(self) -> int:
        return hash(self.token)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.token == other.token

    def __repr__(self) -> str:
        return describe(self)


TEXT_BYTES = 32
"""Assumed bytes of an element that is not a number."""


def assumed_width(value: Value) -> int:
    """Return the bytes of an element of a value, as far as they are known before reading."""
    return value.dtype.itemsize if value.dtype.is_number else TEXT_BYTES


class ColumnRef(Value):
    """A column that a node makes."""

    __slots__ = ("name", "source", "sources")

    def __init__(self, source: str, name: Hashable, dtype: ColumnType) -> None:
        self.source = source
        self.name = name
        self.dtype = dtype
        self.token = f"{source}[{name!r}]"
        self.sources = frozenset((source,))


class ResidentColumn(ColumnRef):
    """A materialized column.  It holds its node, since the node of its rows may not lead there.

    See `akdask.engine.materialized.rejoined`.
    """

    __slots__ = ("frame",)

    def __init__(self, frame: Expr, name: Hashable, dtype: ColumnType) -> None:
        super().__init__(frame._name, name, dtype)
        self.frame = frame

    def __reduce__(self) -> tuple[Any, ...]:
        # Plans are pickled once they are complete.
        return ColumnRef, (self.source, self.name, self.dtype)


class Constant(Value):
    """One plain value, the same on every row."""

    __slots__ = ("value",)

    rounds = -1

    def __init__(self, value: Any, other: ColumnType | None = None) -> None:
        self.dtype = scalar_type(value, other)
        match self.dtype.kind:
            case "bigint":
                self.value: Any = int(value)
            case "str":
                self.value = str(value)
            case _:
                self.value = self.dtype.numpy.type(value)
        self.token = f"{self.dtype.name}({self.value!r})"


class Replica(Value):
    """The result of a one-partition node, passed whole to every task: a lazy scalar, or a table to look up in."""

    __slots__ = ("awaits", "field", "node", "replica_depth")

    rounds = -1

    def __init__(self, node: Expr, field: Hashable, dtype: ColumnType) -> None:
        assert node.npartitions == 1, "a table is replicated whole"
        self.node = node
        self.awaits = node.passes
        self.replica_depth = node.depth
        self.field = field
        self.dtype = dtype
        self.token = f"replica {node._name}[{field!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the arguments of the replica."""
        return Replica, (self.node, self.field, self.dtype)


class Call(Value):
    """An operation on values, row by row."""

    __slots__ = ("args", "awaits", "operation", "params", "replica_depth", "rounds", "sources", "steps")

    def __init__(self, operation: str, *args: Value, **params: Any) -> None:
        self.operation = operation
        self.args = args
        self.params = params
        named = tuple(sorted(params.items()))
        self.dtype = _result_type(operation, tuple([arg.dtype for arg in args]), named)
        self.token = token(operation, *[arg.token for arg in args], named)
        self._count_steps()

    def _count_steps(self) -> None:
        # Comparisons and local names, since this is a good part of the time of a user's operator.
        steps, replica_depth, rounds, awaits, looked_at = 0, -1, -1, 0, 0
        sources = Value.sources
        for arg in self.args:
            of_arg = arg.sources
            if of_arg is not sources and of_arg:
                sources = (sources | of_arg) if sources else of_arg
            if arg.steps > steps:
                steps = arg.steps
            if arg.rounds > rounds:
                rounds = arg.rounds
            if arg.replica_depth > replica_depth and arg.replica_depth:
                replica_depth = arg.replica_depth
            if arg.awaits > awaits:
                awaits = arg.awaits
            if arg.awaits > looked_at and arg.rounds < 0:
                looked_at = arg.awaits
        self.steps, self.replica_depth, self.awaits, self.sources = steps + 1, replica_depth + 1, awaits, sources
        self.rounds = rounds + 1 if 0 <= rounds < looked_at else rounds

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the arguments of the call."""
        return _called, (self.operation, self.params, *self.args)


def _called(operation: str, params: Mapping[str, Any], *args: Value) -> Call:
    return Call(operation, *args, **params)


def cast(value: Value, dtype: ColumnType) -> Value:
    """Return a value converted to another type; unchanged if it has that type."""
    if value.dtype == dtype:
        return value
    if value.dtype.kind == dtype.kind == "str":
        return Call("as_nullable", value) if dtype.nullable else value
    limit = {"max_bits": dtype.max_bits} if dtype.max_bits > 0 else {}
    return Call("cast", value, dtype=dtype.name, **limit)


def widened(value: Value, dtype: ColumnType) -> Value:
    """Return a value converted to a common type with others; an integer that equals no float raises."""
    if dtype == FLOAT64 and value.dtype in (INT64, UINT64):
        return Call("exact_floats", value)
    return cast(value, dtype)


@lru_cache(maxsize=4096)
def _result_type(operation: str, dtypes: tuple[ColumnType, ...], params: tuple[tuple[str, Any], ...]) -> ColumnType:
    """Return the result type from a cache, since every operator that users write needs it."""
    return OPERATIONS[operation].result_type(*dtypes, **dict(params))


def walk(*values: Value, leaves: Container[str] = ()) -> list[Value]:
    """Return every distinct value of the trees, arguments before their users, without values under `leaves`."""
    found: list[Value] = []
    seen: set[str] = set()
    # Most values have no arguments, and need no second visit.
    stack: list[Value | tuple[Value]] = list(reversed(values))
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            found.append(value[0])
        elif value.token not in seen:
            seen.add(value.token)
            if value.args and value.token not in leaves:
                stack.append((value,))
                stack += reversed(value.args)
            else:
                found.append(value)
    return found


def columns_of(*values: Value) -> list[ColumnRef]:
    """Return the distinct columns that the values refer to."""
    return [value for value in walk(*values) if isinstance(value, ColumnRef)]


def substitute(value: Value, replacements: Mapping[str, Value]) -> Value:
    """Return the tree with columns replaced, given by the token of the column."""
    return substitute_all([value], replacements)[0]


def substitute_all(values: Sequence[Value], replacements: Mapping[str, Value]) -> list[Value]:
    """Return the trees with columns replaced; shared parts are visited once."""
    if not replacements:
        return list(values)
    done: dict[str, Value] = {}
    for part in walk(*values):
        args = tuple(done[arg.token] for arg in part.args)
        if part.token in replacements:
            done[part.token] = replacements[part.token]
        elif isinstance(part, Call) and any(new is not old for new, old in zip(args, part.args, strict=True)):
            done[part.token] = Call(part.operation, *args, **part.params)
        else:
            done[part.token] = part
    return [done[value.token] for value in values]


SHOWN = 200
"""Characters of a part of a value that `describe` shows; trees may be deep, and share parts many times."""


def describe(value: Value) -> str:
    """Write a value as a user would, with an ellipsis for parts that are long."""
    shown: dict[str, str] = {}
    for part in walk(value):
        text = _describe(part, [shown[arg.token] for arg in part.args])
        shown[part.token] = text if len(text) <= SHOWN else "(…)"
    return text


def _describe(value: Value, args: list[str]) -> str:
    match value:
        case ColumnRef():
            return value.name if isinstance(value.name, str) else f"[{value.name}]"
        case Constant():
            return repr(value.value) if isinstance(value.value, str) else str(value.value)
        case Replica():
            return f"<{value.node.describe()}>"
        case Call():
            return _describe_call(value, args)
    raise AssertionError(f"no words for {type(value).__name__}")  # pragma: no cover - Value is a closed set


def _describe_call(call: Call, args: list[str]) -> str:
    symbol = OPERATIONS[call.operation].symbol
    if symbol and len(args) == 2:
        return f"({args[0]} {symbol} {args[1]})"
    if symbol and len(args) == 1:
        return f"{symbol}{args[0]}"
    named = [f"{name}={value!r}" for name, value in call.params.items()]
    return f"{call.operation}({', '.join(args + named)})"


def as_value(item: Any, other: ColumnType | None = None) -> Value:
    """Return a value for a plain scalar; a value unchanged."""
    if isinstance(item, Value):
        return item
    return Constant(item[()] if isinstance(item, np.ndarray) and item.ndim == 0 else item, other)
