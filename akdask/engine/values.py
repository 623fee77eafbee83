"""Values: row-wise trees over the columns of a frame, their tokens, and the programs that they are compiled to.

All values of a frame are evaluated in one task, so that the number of tasks grows with the partitions and never with
columns times operators. A value refers to a column by the names of its node and of the column. Filtering rows leaves
the value unchanged.

Tokens are deterministic names of values, plan nodes and all their parts. Dask's own tokenizer walks arbitrary objects,
which is slow. Plans consist of a closed set of things that name themselves, so a short hash of these names is enough,
and plans are cheap to build. They are pickled as flat lists of their parts, since nested ones would exceed the
recursion limit.

A program is a flat list of steps, which the block interpreter executes in order. Each step writes one register. Steps
name the registers that are not read afterwards, so that the next step reuses their buffers. A long chain of arithmetic
thus needs two or three buffers, which stay in the cache of the core. The programs of a chain of filters run one after
the other, each on the rows left by the programs before. A result that a later program needs is handed on, so that
nothing is computed twice in a chain of any length.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Container, Hashable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from functools import cache, lru_cache, reduce
from hashlib import blake2b
from types import FunctionType
from typing import Any, Protocol, TypeAlias

import numpy as np
from dask.base import tokenize

from akdask._dask import Expr
from akdask.columns.arrow import offsets_of, values_of
from akdask.columns.bigint import limbs_of
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT64, ColumnType
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import Table, type_of
from akdask.engine.operations import OPERATIONS, scalar_type
from akdask.records import record
from akdask.typing import Column

_PACKAGE = __name__.partition(".")[0] + "."


class Named:
    """Something with a token, which equal things share."""

    __slots__ = ("token",)

    token: str


def token(*parts: Any) -> str:
    """Return a hash that is the same in every process for equal parts.

    Examples
    --------
    >>> token("add", 1) == token("add", 1), token("add", 1) == token("add", 1.0)
    (True, False)
    """
    return blake2b("\x1f".join(_names(parts)).encode(), digest_size=16).hexdigest()


PLAIN: frozenset[type] = frozenset({str, int, float, bool, type(None)})
"""Types that are named by their repr."""


def _names(parts: Sequence[Any]) -> list[str]:
    """Return the name of each part in one call, since naming takes a good part of a plan's time."""
    found: list[str] = []
    for part in parts:
        kind = type(part)
        if kind in PLAIN:
            found.append(repr(part))
        elif isinstance(part, Named):
            found.append(part.token)
        elif kind is tuple:
            found.append("(" + "\x1e".join(_names(part)) + ")")
        elif kind is dict:
            found.append("{" + "\x1e".join(_names((*part, *part.values()))) + "}")
        elif kind is Table:
            found.append(_table_name(part))
        else:
            named = getattr(part, "_name", None) or getattr(part, "token", None)
            found.append(named if isinstance(named, str) else _name_of_object(part, kind))
    return found


def _name_of_object(part: Any, kind: type) -> str:
    """Return the name of a function or record of this package by its definition; Dask would pickle it."""
    # Others' functions, in a notebook perhaps, may be redefined under the same name.
    if isinstance(part, FunctionType) and part.__module__.startswith(_PACKAGE):
        name = part.__qualname__
        if getattr(sys.modules[part.__module__], name, None) is part:
            return f"{part.__module__}.{name}"
    elif (names := _field_names(kind)) is not None:
        (values,) = _names([tuple([getattr(part, name) for name in names])])
        return f"{kind.__module__}.{kind.__qualname__}{values}"
    return f"{kind.__name__}:{tokenize(part)}"


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass or named tuple of this package, None for other classes."""
    if not kind.__module__.startswith(_PACKAGE):
        return None
    if is_dataclass(kind):
        return tuple([field.name for field in fields(kind)])
    return kind.__dict__.get("_fields") if issubclass(kind, tuple) else None


def _table_name(table: Table) -> str:
    """Return a hash of names, types and contents; Dask's hash mistakes slices of an Arrow array for the whole."""
    digest = blake2b(digest_size=16)
    for name, column in table.columns.items():
        digest.update(f"{name!r} {type_of(column)} {len(column)} ".encode())
        for part in _contents(column):
            digest.update(part)
    return f"table {table.nrows} {digest.hexdigest()}"


def _contents(column: Column) -> Iterator[Any]:
    """Yield all buffers of the rows, without bytes that the rows do not use."""
    if isinstance(column, np.ndarray):
        yield np.ascontiguousarray(column)
        return
    if isinstance(column, NullableColumn):
        yield from _contents(column.values)
        if column.missing is not None and column.missing.any():
            yield from _contents(column.missing)
        return
    dtype = type_of(column)
    match dtype.kind:
        case "bigint":
            yield np.ascontiguousarray(limbs_of(column))
        case "list":
            yield offsets_of(column)
            if dtype.item is not None:
                yield from _contents(values_of(column, dtype.item))
        case _:
            offsets, text = offsets_and_bytes(column)
            yield offsets - offsets[0]
            yield text


Made: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


class Parts(Protocol):
    """A part of a plan, as it is pickled."""

    def made_of(self) -> Made:
        """Return a function, and the arguments with which it makes an equal object."""
        ...


@record
class Ref:
    """A part of a list, by its number."""

    number: int


def flattened(root: Parts) -> tuple[Callable[..., Any], tuple[list[Made]]]:
    """Return the result of ``__reduce__`` for a part of a plan."""
    numbers: dict[int, int] = {}
    made: dict[int, Made] = {}
    found: list[Made] = []
    stack: list[Any] = [root]
    while stack:
        part = stack[-1]
        if id(part) in numbers:
            stack.pop()
            continue
        if id(part) not in made:
            made[id(part)] = (tuple_of, part) if isinstance(part, tuple) else part.made_of()
            below = [item for item in made[id(part)][1] if _has_parts(item)]
            if below:
                stack.extend(below)
                continue
        function, args = made.pop(id(part))
        numbers[id(part)] = len(found)
        found.append((function, tuple(Ref(numbers[id(item)]) if _has_parts(item) else item for item in args)))
        stack.pop()
    return rebuilt, (found,)


def rebuilt(made: list[Made]) -> Any:
    """Return the last part of a flat list."""
    parts: list[Any] = []
    for function, args in made:
        parts.append(function(*[parts[item.number] if isinstance(item, Ref) else item for item in args]))
    return parts[-1]


def tuple_of(*items: Any) -> tuple[Any, ...]:
    """Return the items as a tuple."""
    return items


def _has_parts(item: Any) -> bool:
    """Whether an argument is a part of a plan, or a tuple with such parts."""
    return _is_part(item) or (isinstance(item, tuple) and any(map(_is_part, item)))


def _is_part(item: Any) -> bool:
    return hasattr(type(item), "made_of")


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

    See `akdask.engine.cache.rejoined`.
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
        self.awaits, self.replica_depth = node.work
        self.field = field
        self.dtype = dtype
        self.token = f"replica {node._name}[{field!r}]"

    def __reduce__(self) -> tuple[Any, ...]:
        return flattened(self)

    def made_of(self) -> Made:
        """Return the arguments of the replica."""
        return Replica, (self.node, self.field, self.dtype)


TAKE_NULLABLE = frozenset(
    {"present_numbers", "missing_numbers", "lookup", "lookup_found", "take", "strided", "piecewise"}
)
"""Operations that take numbers with missing rows; others compute with floats, NaN where a row is missing."""

HAND_ON = frozenset({"cast", "where", "minimum", "maximum", "clip", "demand_equal"})
"""Operations that give the numbers they take, which must not be rounded even where they give floats."""


class Call(Value):
    """An operation on values, row by row."""

    __slots__ = ("args", "awaits", "operation", "params", "replica_depth", "rounds", "sources", "steps")

    def __init__(self, operation: str, *args: Value, **params: Any) -> None:
        self.operation = operation
        self.params = params
        named = tuple(sorted(params.items())) if params else ()
        dtype = _result_type(operation, tuple([arg.dtype for arg in args]), named)
        if dtype is None:
            of_plain = [arg.dtype.plain if arg.dtype.is_nullable_number else arg.dtype for arg in args]
            # Where floats come of integers without missing rows, NumPy rounds these, too.  Floats hold any bools, also
            # for operations that bools themselves do not have.
            has_integers = any(dtype.kind in ("int", "uint") for dtype in of_plain)
            rounds = (
                has_integers and operation not in HAND_ON and _result_type(operation, tuple(of_plain), named) == FLOAT64
            )
            args = tuple(map(nearest_floats if rounds else as_floats, args))
            dtype = _result_type(operation, tuple([arg.dtype for arg in args]), named)
        assert dtype is not None, "no argument is of a nullable type now"
        self.dtype = dtype
        self.args = args
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
    if dtype.is_nullable_number:
        integers, missing = apart(value) if value.dtype.nullable else (value, Constant(np.bool_(False)))
        return Call("nullable", cast(integers, dtype.plain), missing)
    limit = {"max_bits": dtype.max_bits} if dtype.max_bits > 0 else {}
    return Call("cast", value, dtype=dtype.name, **limit)


def as_floats(value: Value) -> Value:
    """Return integers with missing rows as floats, NaN where they are missing; other values stay as they are.

    Computing it raises if an integer equals no float.
    """
    if not value.dtype.is_nullable_number:
        return value
    integers, missing = apart(value)
    column = column_in_errors(value)
    return Call("missing_as_nan", integers, missing, **({"column": column} if column else {}))


def nearest_floats(value: Value) -> Value:
    """Return numbers as the floats nearest to them, NaN where integers are missing."""
    if not value.dtype.is_nullable_number:
        return cast(value, FLOAT64)
    integers, missing = apart(value)
    return Call("where", missing, Constant(np.nan), cast(integers, FLOAT64))


def apart(value: Value) -> tuple[Value, Value]:
    """Return the integers of a value of a nullable type, 0 or others where they are missing, and the mask of that."""
    if isinstance(value, Call) and value.operation == "nullable":
        return value.args[0], value.args[1]
    return Call("present_numbers", value), Call("missing_numbers", value)


def with_missing(integers: Value, missing: Value, column: str = "") -> Value:
    """Return integers or bools with missing rows; `column` is the name in messages of errors."""
    if integers.dtype.is_nullable_number:
        column = column or column_in_errors(integers)
        integers, lacking = apart(integers)
        missing = Call("logical_or", lacking, missing)
    if getattr(integers, "operation", "") == "present_numbers" and missing == Call("missing_numbers", *integers.args):
        return integers.args[0]
    return Call("nullable", integers, missing, **({"column": column} if column else {}))


def column_in_errors(value: Value) -> str:
    """Return the name of a column of integers with missing rows, for error messages."""
    return str(value.params.get("column", "")) if isinstance(value, Call) else ""


def key_parts(value: Value) -> list[Value]:
    """Return the values without missing rows that compare like a key, the most significant first.

    Integers with missing rows compare by two values: whether they are missing, and the integers. Narrow integers
    compare as floats.
    """
    if not value.dtype.is_nullable_number:
        return [value]
    if value.dtype.itemsize < FLOAT64.itemsize:
        return [as_floats(value)]
    integers, missing = apart(value)
    if getattr(integers, "operation", "") != "present_numbers":
        # Columns have the same integer in all missing rows.
        integers = Call("where", missing, Constant(integers.dtype.numpy.type(0)), integers)
    return [missing, integers]


def split_keys(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values that rows are compared by, of several keys; see `key_parts`."""
    return tuple(part for value in values for part in key_parts(value))


def present_keys(values: Iterable[Value]) -> tuple[Value, ...]:
    """Return the values that rows are compared by of which no key is missing, one for each key."""
    return tuple(apart(value)[0] if value.dtype.is_nullable_number else value for value in values)


def joined_keys(given: Iterable[Value], parts: Iterable[Value]) -> list[Value]:
    """Return keys on other rows, of the types of given ones, from what `split_keys` or `present_keys` made of these."""
    remaining = iter(parts)
    return [_of_parts(value, remaining) for value in given]


def _of_parts(value: Value, parts: Iterator[Value]) -> Value:
    part = next(parts)
    if not value.dtype.is_nullable_number:
        return part
    if part.dtype == value.dtype.plain:
        return with_missing(part, Constant(np.bool_(False)), column_in_errors(value))
    if part.dtype != FLOAT64:
        return with_missing(next(parts), part, column_in_errors(value))
    lacks = Call("isnan", part)
    filled = Call("where", lacks, Constant(0.0), part)
    return with_missing(cast(filled, value.dtype.plain), lacks, column_in_errors(value))


def widened(value: Value, dtype: ColumnType) -> Value:
    """Return a value converted to a common type with others; an integer that equals no float raises."""
    if dtype == FLOAT64 and value.dtype.is_nullable_number:
        return as_floats(value)
    if dtype == FLOAT64 and value.dtype in (INT64, UINT64):
        return Call("exact_floats", value)
    return cast(value, dtype)


@lru_cache(maxsize=4096)
def _result_type(
    operation: str, dtypes: tuple[ColumnType, ...], params: tuple[tuple[str, Any], ...]
) -> ColumnType | None:
    """Return the result type from a cache, since every operator that users write needs it.

    None for an operation on numbers with missing rows, if it takes them as floats.
    """
    if operation not in TAKE_NULLABLE and any(dtype.is_nullable_number for dtype in dtypes):
        return None
    return OPERATIONS[operation].result_type(*dtypes, **dict(params))


CONJUNCTIONS = ("bitwise_and", "logical_and")
DISJUNCTIONS = ("bitwise_or", "logical_or")


def conditions_of(predicate: Value, operations: Container[str] = CONJUNCTIONS) -> list[Value]:
    """Return the conditions that a predicate joins by ``and``, or by other operations on bools, in order."""
    found: list[Value] = []
    stack = [predicate]
    while stack:
        value = stack.pop()
        if isinstance(value, Call) and value.operation in operations and all(arg.dtype == BOOL for arg in value.args):
            stack += reversed(value.args)
        else:
            found.append(value)
    return found


def all_of(conditions: Sequence[Value], operation: str = "bitwise_and") -> Value:
    """Return the predicate that joins conditions by ``and``, or by another operation on bools."""
    return reduce(lambda one, other: Call(operation, one, other), conditions)


def stages_of(predicate: Value) -> list[Value]:
    """Return the conditions that read no text, and those that do, which take longer, as one predicate each."""
    stages: tuple[list[Value], list[Value]] = [], []
    for condition in conditions_of(predicate):
        stages[reads_text(condition)].append(condition)
    return [all_of(stage) for stage in stages] if all(stages) else [predicate]


def reads_text(condition: Value) -> bool:
    """Whether a condition reads text."""
    return any(part.dtype.kind == "str" and not isinstance(part, Constant) for part in walk(condition))


def walk(*values: Value, leaves: Container[str] = ()) -> list[Value]:
    """Return every distinct value of the trees, arguments before their users, without values under `leaves`."""
    found: list[Value] = []
    seen: set[str] = set()
    # Most values have no arguments, and need no second visit, in a tuple.
    stack: list[Any] = list(reversed(values))
    while stack:
        value = stack.pop()
        if type(value) is tuple:
            found += value
        elif (name := value.token) not in seen:
            seen.add(name)
            if value.args and name not in leaves:
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


def columns_in_words(names: Sequence[Hashable]) -> str:
    """Return the names of columns that users know, and the number of those that only a plan has.

    Examples
    --------
    >>> columns_in_words(["a", "b", 2]), columns_in_words([0, 1]), columns_in_words([("positions", 1)])
    ('a, b and 1 more', '2 columns', '1 column')
    """
    named = [name for name in names if isinstance(name, str)]
    rest = len(names) - len(named)
    if not named:
        return f"{rest} column{'' if rest == 1 else 's'}"
    return f"{', '.join(named)}{f' and {rest} more' if rest else ''}"


def column_in_words(name: Hashable) -> str:
    """Return the name of a column as users know it; ``values`` for a column that only a plan has, with its number.

    Examples
    --------
    >>> column_in_words("a"), column_in_words(0), column_in_words(2), column_in_words(("index", 0))
    ('a', 'values', 'values 3', 'index')
    """
    if isinstance(name, tuple) and name and isinstance(name[0], str):
        return name[0]
    if isinstance(name, int):
        return f"values {name + 1}" if name else "values"
    return str(name)


_columns_named: ContextVar[Callable[[ColumnRef], str | None]] = ContextVar("columns named", default=lambda _: None)


@contextmanager
def columns_named(find: Callable[[ColumnRef], str | None]) -> Iterator[None]:
    """Have values described with names that a function finds of columns, where it does not return None."""
    restore = _columns_named.set(find)
    try:
        yield
    finally:
        _columns_named.reset(restore)


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
            return _columns_named.get()(value) or column_in_words(value.name)
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
    if call.operation in {"lookup", "lookup_found"} and isinstance(call.args[0], Replica):
        # The column of another table, in the row that was found there.
        column = call.args[0]
        name = _columns_named.get()(ColumnRef(column.node._name, column.field, column.dtype))
        return f"{name or column_in_words(column.field)} of match"
    named = [f"{name}={value!r}" for name, value in call.params.items()]
    return f"{call.operation}({', '.join(args + named)})"


@record
class Load:
    """Read a column of one of the inputs."""

    base: int
    column: Hashable
    dtype: ColumnType


ColumnKey: TypeAlias = tuple[int, Hashable]
"""Key of a step's column: its input and name; hashed without a Python call, unlike the step."""


@record
class ConstantRows:
    """A constant; repeated on every row with the type `rows` if its operation has no other argument with rows."""

    value: Any
    rows: ColumnType | None


@record
class BroadcastInput:
    """A replicated result, given to the task as an argument."""

    position: int
    field: Hashable


@record
class Apply:
    """Run an operation on earlier registers, then release the buffers of the registers in `release`.

    The result may overwrite register `reuse`, which is not read afterwards.
    """

    operation: str
    args: tuple[int, ...]
    params: Mapping[str, Any]
    dtype: ColumnType
    release: tuple[int, ...]
    reuse: int | None


@record
class Recall:
    """Take a result handed on by an earlier program of the chain, for the rows that are left."""

    slot: int


Step = Load | ConstantRows | BroadcastInput | Apply | Recall


@record
class Program:
    """Steps and the registers of the results.

    Parameters
    ----------
    steps : tuple of Step
        Step i writes register i.
    outputs : tuple of int
        Registers of the results, in order.
    dtypes : tuple of ColumnType
        Types of the results.
    hands_on : tuple of (int, int)
        Registers that later programs recall, and the slots by which they do.
    forgets : tuple of int
        Slots that no later program recalls.
    encoded : set of int
        Results of which text may be positions in a dictionary, as `akdask.columns.table` has it.
    """

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]
    dtypes: tuple[ColumnType, ...]
    hands_on: tuple[tuple[int, int], ...] = ()
    forgets: tuple[int, ...] = ()
    encoded: Set[int] = frozenset()

    @property
    def loads(self) -> list[Load]:
        """The columns that the program may read."""
        return [step for step in self.steps if isinstance(step, Load)]

    def with_encoded(self, count: int) -> Program:
        """Return the program that leaves text encoded if it only appears among the first results."""
        return replace(self, encoded=set(self.outputs[:count]).difference(self.outputs[count:]))

    def only(self, registers: Set[int]) -> Program:
        """Return the program that computes some registers and hands them on, without other results."""
        needed = set(registers)
        for register in range(len(self.steps) - 1, -1, -1):
            step = self.steps[register]
            if register in needed and isinstance(step, Apply):
                needed.update(step.args)
        position = {register: number for number, register in enumerate(sorted(needed))}
        steps: list[Step] = []
        for register in position:
            step = self.steps[register]
            if isinstance(step, Apply):
                args, release = tuple(position[arg] for arg in step.args), tuple(position[arg] for arg in step.release)
                step = replace(
                    step, args=args, release=release, reuse=None if step.reuse is None else position[step.reuse]
                )
            steps.append(step)
        hands_on = tuple((position[register], slot) for register, slot in self.hands_on if register in registers)
        return Program(tuple(steps), (), (), hands_on)


@record
class Mask:
    """Keep the rows where a predicate holds."""

    predicate: Program


@record
class ExpandMatches:
    """Repeat the rows for every match; `column` has the matching row of the other table."""

    predicate: Program
    multiplicity: BroadcastInput
    keep_all: bool
    column: Load


@record
class Range:
    """Keep every `step`-th row from `start` to `stop`, counted after the earlier selections."""

    start: int
    stop: int
    step: int


Selection = Mask | ExpandMatches | Range


class Compiler:
    """Compiles the programs of a chain, in execution order.

    Parameters
    ----------
    programs : sequence of sequences of Value
        The values of each program; the last one may be compiled in parts, all of which run on the same rows.
    bases, replicas : mapping of str to int
        The nodes that values refer to, and the replicated ones; bases may be added between programs.
    """

    def __init__(
        self, programs: Sequence[Sequence[Value]], bases: Mapping[str, int], replicas: Mapping[str, int]
    ) -> None:
        self._bases = bases
        self._replicas = replicas
        self._slots: dict[str, int] = {}
        self._forgets: defaultdict[int, list[int]] = defaultdict(list)
        self._available: set[str] = set()
        self._count = 0
        if len(programs) > 1:
            self._share(programs)

    def _share(self, programs: Sequence[Sequence[Value]]) -> None:
        """Find the values that one program computes and later ones need, and the last program that needs each."""
        first: dict[str, int] = {}
        needed: dict[str, int] = {}
        have_rows: set[str] = set()
        for number, values in enumerate(programs):
            for value in walk(*values, leaves=first):
                if value.token in first:
                    continue
                first[value.token] = number
                if isinstance(value, ColumnRef) or not have_rows.isdisjoint(arg.token for arg in value.args):
                    have_rows.add(value.token)
                needed.update((arg.token, number) for arg in value.args if isinstance(arg, Call))
            needed.update((value.token, number) for value in values if isinstance(value, Call))
        for name, number in needed.items():
            if number > first[name] and name in have_rows:
                self._slots[name] = len(self._slots)
                self._forgets[number].append(self._slots[name])

    def next(self, values: Sequence[Value]) -> Program:
        """Compile the next program."""
        forgets = self._forgets[self._count]
        self._count += 1
        return self._compile(values, self._slots.keys() - self._available, forgets)

    def last(self, values: Sequence[Value]) -> Program:
        """Compile another part of the last program."""
        return self._compile(values, (), ())

    def _compile(self, values: Sequence[Value], new: Container[str], forgets: Sequence[int]) -> Program:
        # Loops rather than comprehensions, and no Counter: this takes a good part of the time of a small plan.
        ordered = walk(*values, leaves=self._available)
        alone: dict[str, Constant] = {}
        for value in ordered:
            if isinstance(value, Call) and value.token not in self._available:
                for constant in _constants_alone(value):
                    alone[constant.token] = constant
        # Constants that have rows for one call, and are scalars for another, have a register for each.
        scalars = _also_scalars(ordered, alone) if alone else {}
        register: dict[str, int] = {}
        for value in ordered:
            register[value.token] = len(scalars) + len(register)
        beside_others = {**register, **scalars} if scalars else register
        outputs = tuple([register[value.token] for value in values])
        # Count the uses of each register: one without further uses may be overwritten.  Results of earlier programs are
        # recalled, so their arguments are not used here.
        uses = [0] * (len(scalars) + len(ordered))
        for number in outputs:
            uses[number] += 1
        handed_on: list[str] = []
        for value in ordered:
            if value.token in self._available:
                continue
            of_args = register if not scalars or _constants_alone(value) else beside_others
            for arg in value.args:
                uses[of_args[arg.token]] += 1
            if value.token in new:
                handed_on.append(value.token)
                uses[register[value.token]] += 1
        hands_on = tuple([(register[name], self._slots[name]) for name in handed_on])
        # Write the steps in the order of the values, arguments first; each takes its uses off the counts.
        steps: list[Step] = [ConstantRows(alone[name].value, None) for name in scalars]
        for value in ordered:
            if value.token in self._available:
                steps.append(Recall(self._slots[value.token]))
            elif value.token in alone:
                steps.append(ConstantRows(alone[value.token].value, value.dtype))
            else:
                of_args = register if not scalars or _constants_alone(value) else beside_others
                steps.append(_step(value, of_args, uses, self._bases, self._replicas))
        self._available.update(handed_on)
        return Program(tuple(steps), outputs, tuple([value.dtype for value in values]), hands_on, tuple(forgets))


def _step(
    value: Value,
    register: Mapping[str, int],
    uses: list[int],
    bases: Mapping[str, int],
    replicas: Mapping[str, int],
) -> Step:
    match value:
        case ColumnRef():
            return Load(bases[value.source], value.name, value.dtype)
        case Constant():
            return ConstantRows(value.value, None)
        case Replica():
            return BroadcastInput(replicas[value.node._name], value.field)
        case Call():
            args = tuple([register[arg.token] for arg in value.args])
            for arg in args:
                uses[arg] -= 1
            release = tuple(dict.fromkeys([arg for arg in args if uses[arg] == 0]))
            return Apply(value.operation, args, _params(value), value.dtype, release, _reuse(value, args, release))
    raise AssertionError(f"no step for {type(value).__name__}")  # pragma: no cover - Value is a closed set


def _also_scalars(values: Sequence[Value], alone: Container[str]) -> dict[str, int]:
    """Return numbers of the constants that have rows for some call, and stand beside columns in another."""
    found: dict[str, int] = {}
    for value in values:
        if isinstance(value, Call) and not _constants_alone(value):
            for arg in value.args:
                if arg.token in alone:
                    found.setdefault(arg.token, len(found))
    return found


def _constants_alone(value: Value) -> list[Constant]:
    """Return the constants of a call that has no other arguments, since some kernels do not know the number of rows."""
    found: list[Constant] = []
    for arg in value.args:
        if isinstance(arg, ColumnRef | Call):
            return []
        if isinstance(arg, Constant):
            found.append(arg)
    return found


def _params(value: Call) -> Mapping[str, Any]:
    """Return the parameters of the kernel, with ``max_bits`` for integers of any size, since their columns lack it."""
    numbers = [dtype for arg in value.args if (dtype := arg.dtype.item or arg.dtype).kind == "bigint"]
    if not numbers or not OPERATIONS[value.operation].modular:
        return value.params
    return {**value.params, "max_bits": max(dtype.max_bits for dtype in numbers)}


def _reuse(value: Call, args: Sequence[int], release: Sequence[int]) -> int | None:
    """Return the argument that the result may overwrite, None if there is none."""
    if not OPERATIONS[value.operation].in_place:
        return None
    same_type = (arg for arg, item in zip(args, value.args, strict=True) if item.dtype == value.dtype)
    return next((arg for arg in same_type if arg in release), None)
