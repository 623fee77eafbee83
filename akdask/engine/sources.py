"""Frames without inputs, and pruning: files, counted rows, data in memory, and what filters leave of them.

Pruning skips partitions and rows that filters must drop, judged by the bounds of columns. A predicate is evaluated on
intervals instead of rows. Partitions are excluded when tasks are made. Within a partition, a task takes the bounds of
smaller stretches, such as pages, from its inputs, and reads only the rows that may be left.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import cached_property, partial, reduce, wraps
from itertools import accumulate, pairwise
from typing import Any, ParamSpec, Self, TypeAlias, TypeVar
from uuid import uuid4

import numpy as np
import numpy.typing as npt
from dask.system import CPU_COUNT

from akdask import config
from akdask._dask import GraphNode
from akdask.cluster import partition_size
from akdask.columns.arrow import arrow_text
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BOOL, INT64, NULLABLE_STR, STR, ColumnType, column_type
from akdask.columns.exact import EXACT, compare, first_changed
from akdask.columns.strings import from_nulls
from akdask.columns.summation import UNIT
from akdask.columns.table import Table, type_of
from akdask.deferred import is_arrow, is_na, is_pandas, pa, pd
from akdask.engine import tuning
from akdask.engine.node import Frame, RowSpace
from akdask.engine.values import (
    Apply,
    BroadcastInput,
    Call,
    ColumnRef,
    Constant,
    ConstantRows,
    Load,
    Mask,
    Program,
    Range,
    Recall,
    ResidentColumn,
    Selection,
    Value,
    substitute_all,
    walk,
)
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, ConversionError, UnfitArgumentError
from akdask.interruption import end_if_interrupted
from akdask.records import record
from akdask.storage.source import Bounds, RowBounds, RowRanges, Source, Stretch, text_prefix
from akdask.typing import Column, NumberArray


class Scan(Frame):
    """The columns of a source of files; only the columns that are used are read."""

    source: Source

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.source.lengths)

    def column(self, name: str) -> ColumnRef:
        """Return one column of the files."""
        return ColumnRef(self._name, name, self.source.columns[name])

    def describe(self) -> str:
        return f"Scan {self.source.label}  {len(self.source.columns)} columns, {self.rows.describe()}"


class Rows(Frame):
    """Numbered rows without data; their one column is the position, from which created arrays are computed."""

    lengths: tuple[int, ...]

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths(self.lengths)

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """Position of the first row of each partition."""
        return tuple(accumulate(self.lengths, initial=0))[:-1]

    @property
    def position(self) -> ColumnRef:
        """The number of the row, from 0."""
        return ColumnRef(self._name, "position", INT64)

    def describe(self) -> str:
        return f"Row numbers  {self.rows.describe()}"


class RowNumbers(Frame):
    """The numbers of the rows of `frame`, from 0; rows are counted once, when the numbers are computed."""

    no_more_rows = True

    frame: Frame

    def describe_column(self, name: Hashable) -> str | None:
        return "row number"

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.frame.rows

    @property
    def position(self) -> ColumnRef:
        """The numbers."""
        return ColumnRef(self._name, 0, INT64)


def row_numbers(frame: Frame) -> tuple[Frame, ColumnRef]:
    """Return the number of each row as a column, the same column whether or not rows have been counted."""
    rows = frame.rows
    numbers = Rows(rows.lengths) if rows.is_fixed and rows.lengths is not None else RowNumbers(frame)
    return numbers, numbers.position


class Literal(Frame):
    """Columns in this process's memory, one table for each partition.

    `nullable` has the names of text columns with missing rows.
    """

    tables: tuple[Table, ...]
    nullable: frozenset[Hashable]

    @classmethod
    def of(cls, tables: Sequence[Table]) -> Self:
        """Return tables in the form of partitions, with nulls for missing strings."""
        found = {name for table in tables for name, column in table.columns.items() if _has_nulls(column)}
        if found:
            tables = [
                Table({name: from_nulls(c) if name in found else c for name, c in table.columns.items()}, table.nrows)
                for table in tables
            ]
        return cls(tuple(tables), frozenset(found))

    @cached_property
    def rows(self) -> RowSpace:
        return RowSpace.of_lengths([table.nrows for table in self.tables])

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns."""
        dtype = NULLABLE_STR if name in self.nullable else type_of(self.tables[0].columns[name])
        return ColumnRef(self._name, name, dtype)

    def describe(self) -> str:
        return f"Rows in memory  {self.rows.describe()}"


def _has_nulls(column: Any) -> bool:
    return is_arrow(column, "LargeStringArray") and bool(column.null_count)


class Persisted(Frame):
    """Tables that a scheduler holds: the result of `persist`.

    `graph` maps keys to results or futures, `keys` has one key for each partition.
    """

    name: str
    graph: Mapping[Any, Any]
    keys: tuple[Hashable, ...]
    rowspace: RowSpace
    schema: tuple[tuple[Hashable, ColumnType], ...]

    def __new__(cls, name: str, *operands: Any, _determ_token: str | None = None) -> Self:
        return super().__new__(cls, name, *operands, _determ_token=_determ_token or name)

    @classmethod
    def of(cls, frame: Any, graph: Mapping[Any, Any], keys: Callable[[], Sequence[Hashable]]) -> Self:
        """Return the frame that replaces a projection whose partitions are in a graph.

        ``dask.optimize`` has their tasks under the keys of the collection (`keys`), among others. ``persist`` has
        results, or tasks that fetch them from disk, under keys of its own, in order.
        """
        schema = tuple(zip(frame.names, (value.dtype for value in frame.values), strict=True))
        # The same plan may be persisted again, by another client.
        name = f"persisted-{frame._name}-{uuid4().hex}"
        has_tasks = any(isinstance(item, GraphNode) for item in graph.values())
        stored = tuple(keys() if has_tasks and graph.keys() >= {*keys()} else graph)
        return cls(name, dict(graph), stored, frame.rows, schema)

    @cached_property
    def planned_rows(self) -> RowSpace:
        return self.rowspace

    def column(self, name: Hashable) -> ResidentColumn:
        """Return one of the columns."""
        return ResidentColumn(self, name, dict(self.schema)[name])

    def describe(self) -> str:
        return f"Persisted  {self.rows.describe()}"


MOST_PARTITIONS = 2**14
"""Largest number of partitions of created rows, since every plan contains their lengths."""


def partition_lengths(size: int) -> tuple[int, ...]:
    """Return the partition lengths of created rows: one if they are few, else as many for each core.

    The cut is Arkouda's block split: partition k begins at row ``ceil(k * size / n)``.

    Examples
    --------
    >>> partition_lengths(5)
    (5,)
    """
    if size <= config.get("small_array"):
        return block_split(size, 1)
    needed = -(-size * INT64.numpy.itemsize // partition_size())
    # Three partitions would take two cores as long as four.
    return block_split(size, max(min(needed + -needed % CPU_COUNT, MOST_PARTITIONS), CPU_COUNT))


def block_split(size: int, count: int) -> tuple[int, ...]:
    """Return the partition lengths of Arkouda's block split of `size` rows over `count` partitions.

    Examples
    --------
    >>> block_split(2, 4)
    (1, 0, 1, 0)
    """
    bounds = [-(-partition * size // count) for partition in range(count + 1)]
    return tuple(stop - start for start, stop in pairwise(bounds))


def counted(size: int) -> Rows:
    """Return rows that are only numbers."""
    return Rows(partition_lengths(size))


def literal(column: Column, name: Hashable = 0) -> tuple[Literal, ColumnRef]:
    """Return a column in memory as a frame, and the value of the column, with the name that its user knows, if any."""
    frame = literal_table(Table({name: column}, len(column)))
    return frame, frame.column(name)


def literal_table(table: Table) -> Literal:
    """Return columns in memory as one frame, cut into partitions."""
    bounds = accumulate(partition_lengths(table.nrows), initial=0)
    return Literal.of([table.slice(start, stop) for start, stop in pairwise(bounds)])


Parameters = ParamSpec("Parameters")
Found = TypeVar("Found")


def refuses_foreign(
    hint: str = "pass numbers, text, times, or arrays of these.",
) -> Callable[[Callable[Parameters, Found]], Callable[Parameters, Found]]:
    """Have a function that takes data of any kind refuse data that NumPy, pandas or Arrow cannot convert.

    Their errors become an `ArgumentTypeError` or an `ArgumentError`, as they are for kinds of objects or for values.
    """

    def decorate(function: Callable[Parameters, Found]) -> Callable[Parameters, Found]:
        @wraps(function)
        def refusing(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Found:
            try:
                return function(*args, **kwargs)
            except AkdaskError:
                raise
            except (TypeError, AttributeError, NotImplementedError) as error:
                raise ArgumentTypeError(_refusal(function, error), details=_first_line(error), hint=hint) from error
            except (ValueError, OverflowError, RuntimeError) as error:
                raise ArgumentError(_refusal(function, error), details=_first_line(error), hint=hint) from error

        return refusing

    return decorate


def _refusal(function: Callable[..., object], error: Exception) -> str:
    name = function.__qualname__.removesuffix(".__init__")
    if isinstance(error, UnicodeError):
        return f"{name} takes text that UTF-8 can hold, without halves of surrogates."
    return f"{name} cannot make anything of what it is given."


def _first_line(error: Exception) -> list[str]:
    return [f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"]


@refuses_foreign()
def as_column(items: Any) -> Column:
    """Return a column of the elements of a NumPy array, pandas object, Arrow array, list or other sequence.

    Numbers widen to 64 bits. Strings become Arrow strings, with nulls for None, NaN and `pandas.NA` among them.
    Integers of more than 64 bits become integers of any size.

    Raises
    ------
    ArgumentError
        If the elements are not one-dimensional or of no type that a column can hold.
    """
    items = without_mask(items)
    is_text = is_pandas(getattr(items, "dtype", None), "StringDtype")
    if is_text and items.dtype.storage == "pyarrow":
        items = pa.array(getattr(items, "array", items))
    if is_arrow(items, "ChunkedArray", "Array"):
        items = items.to_numpy(zero_copy_only=False) if not _is_text(items.type) else items
    if is_arrow(items, "ChunkedArray"):
        items = items.combine_chunks()
    if is_arrow(items, "Array"):
        return items.cast(pa.large_string())
    array = at_hand(items)
    if is_text:
        # Text may be missing in all rows, and is still text.
        return _strings(np.asarray(array, object))
    if array.ndim == 1 and array.dtype.kind in "Of" and _are_ints(items):
        return _whole_numbers([int(item) for item in items])
    if array.ndim != 1:
        raise ArgumentError(
            f"a column has one dimension, not {array.ndim}.",
            details=[f"shape: {array.shape}"],
            hint="pass a flat array.",
        )
    if array.dtype.kind == "O":
        array = _numbers(array)
    if array.dtype.kind in "OUST":
        # NumPy writes numbers among strings as text; Arrow tells the two apart.
        return _strings(np.asarray(items, object) if isinstance(items, list | tuple) else array)
    if array.dtype.kind == "f" and isinstance(items, list | tuple):
        _check_floats(array, items)
    wanted = column_type(array.dtype)
    # Plans keep their data, so later changes to the caller's array must not reach it.
    return np.array(array, dtype=wanted.numpy, order="C")


def at_hand(items: Any) -> np.ndarray[Any, Any]:
    """Return a caller's data as a NumPy array; text becomes objects, since NumPy pads it to the longest string.

    Raises
    ------
    ArgumentError
        If the elements are lists of different lengths.
    """
    is_text = isinstance(items, list | tuple) and bool(items) and isinstance(items[0], str)
    try:
        found = np.asarray(items, object) if is_text else np.asarray(items)
    except ValueError as error:
        if "inhomogeneous" not in str(error):
            raise
        raise UnfitArgumentError(
            "an array of several dimensions is made of lists of one length, and of no single elements beside them.",
            details=[f"given: {items!r:.100}"],
            hint="ak.SegArray.from_multi_array(…) takes lists of different lengths.",
        ) from None
    if found.dtype.kind == "f" and found.ndim > 1:
        _check_floats(found, items)
    return found


def without_mask(items: Any) -> Any:
    """Return a masked array with missing values in place of masked elements; other data unchanged.

    Integers and bools have no missing value of their own, so they become objects.

    Raises
    ------
    ArgumentError
        If masked elements have a type without missing values.
    """
    if not isinstance(items, np.ma.MaskedArray):
        return items
    covered = np.ma.getmaskarray(items)
    data = np.asarray(items.data)
    if not data.dtype.names and not covered.any():
        return data
    match data.dtype.kind:
        case "f":
            return np.where(covered, np.array(np.nan, data.dtype), data)
        case "M" | "m":
            return np.where(covered, np.array("NaT", data.dtype), data)
        case "i" | "u" | "b" | "U" | "O" | "T" if data.dtype.names is None:
            found = data.astype(object)
            found[covered] = None
            return found
    raise ArgumentError(
        f"a masked array of {data.dtype} covers elements, and no column can hold missing ones of that type.",
        hint="fill them, with a.filled(…), or leave them out, with a.compressed().",
    )


@refuses_foreign()
def integers_apart(items: Any) -> tuple[Column, Column] | None:
    """Return a caller's integers or bools with missing rows, and the mask of these rows; None for other data.

    Raises
    ------
    ArgumentError
        If an integer does not fit 64 bits, and an integer equals no float.
    """
    if is_arrow(items, "ChunkedArray", "Array"):
        if not (pa.types.is_integer(items.type) or pa.types.is_boolean(items.type)) or not items.null_count:
            return None
        missing = np.asarray(items.is_null())
        return _widened(np.asarray(items.fill_null(False if pa.types.is_boolean(items.type) else 0))), missing
    dtype = getattr(items, "dtype", None)
    if is_pandas(items, "Series", "Index"):
        items = items.array
    if getattr(dtype, "kind", "") in "iub" and dtype is not None and not isinstance(dtype, np.dtype):
        missing = np.asarray(pd.isna(items))
        if not missing.any():
            return None
        return _widened(np.asarray(items.fillna(False if dtype.kind == "b" else 0)).astype(dtype.numpy_dtype)), missing
    if not isinstance(items, list | tuple) and getattr(dtype, "kind", "") != "O":
        return None
    there = next((item for item in items if item is not None and not is_na(item)), None)
    if not isinstance(there, int | np.integer | np.bool_) or not any(item is None or is_na(item) for item in items):
        return None
    return _objects_apart(np.asarray(items, object))


def _objects_apart(objects: np.ndarray[Any, Any]) -> tuple[Column, Column] | None:
    missing = pd.isna(objects) if objects.ndim == 1 else np.False_
    kind = pd.api.types.infer_dtype(objects, skipna=True) if missing.any() else ""
    if kind not in ("integer", "boolean") or any(isinstance(item, float) for item in objects[missing]):
        return None
    filled = np.where(missing, False if kind == "boolean" else 0, objects).tolist()
    found = np.array(filled, np.bool_) if kind == "boolean" else _whole_numbers(filled)
    if isinstance(found, np.ndarray):
        return found, missing
    changed = first_changed(np.array(filled, object))
    if changed is None:
        return None  # Floats with NaN hold all of these exactly.
    raise ArgumentError(
        "integers of more than 64 bits have no missing values, but as floats.",
        details=[f"the integer {changed} is no float", f"the first missing one at position {missing.argmax()}"],
        hint="put a number in their place.",
    )


def _widened(numbers: np.ndarray[Any, Any]) -> Column:
    return np.array(numbers, dtype=column_type(numbers.dtype).numpy, order="C")


NUMBERS = {"integer", "floating", "mixed-integer-float"}


def _numbers(objects: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return Python numbers as a NumPy array, with NaN for missing ones, as pandas does; other objects unchanged.

    Raises
    ------
    ArgumentError
        If truth values are missing; no column type can hold that.
    """
    if set(map(type, objects)) <= {str}:
        return objects  # numbers that need no pandas
    missing = pd.isna(objects)
    kind = pd.api.types.infer_dtype(objects, skipna=True)
    # If all elements are missing, a NaN among them tells that they are numbers.
    if kind in NUMBERS or (kind == "empty" and any(isinstance(item, float) for item in objects)):
        floats = np.where(missing, np.nan, objects).astype(np.float64)
        _check_floats(floats, objects)
        return floats
    if kind == "boolean" and missing.any():
        raise ArgumentError(
            "truth values are missing, which no column can hold.",
            details=[f"the first of them at position {missing.argmax()}"],
            hint="put True or False in their place, or 1.0, 0.0 and NaN for all.",
        )
    return objects.astype(np.bool_) if kind == "boolean" else objects


def _check_floats(floats: np.ndarray[Any, Any], items: Any) -> None:
    """Refuse integers that NumPy has changed to fit beside floats."""
    if isinstance(items, np.ndarray) and items.dtype.kind == "f":
        return
    if not (np.abs(floats) >= EXACT).any():
        return
    number = first_changed(np.array(items, object))
    if number is not None:
        raise ConversionError(
            f"the integer {number} would become {np.float64(number):.0f} as a float, which it is beside floats.",
            hint="make all of them integers, or this one a float, with float(…).",
        )


def _are_ints(items: Any) -> bool:
    """Whether all elements are Python or NumPy integers; stops at the first float."""
    if isinstance(items, np.ndarray) and items.dtype.kind != "O":
        return False
    return len(items) > 0 and all(isinstance(item, int | np.integer) and not isinstance(item, bool) for item in items)


def _whole_numbers(ints: list[int]) -> Column:
    """Return integers in the smallest type that holds them all; NumPy makes floats of small ones beside large ones."""
    low, high = min(ints), max(ints)
    if low >= -(2**63) and high < 2**63:
        return np.array(ints, np.int64)
    return np.array(ints, np.uint64) if low >= 0 and high < 2**64 else from_ints(ints)


def _is_text(dtype: pa.DataType) -> bool:
    return pa.types.is_string(dtype) or pa.types.is_large_string(dtype) or pa.types.is_string_view(dtype)


FEW_STRINGS = 1_000
"""Strings up to which Arrow is not asked to make a column of them, since it loads pandas for it."""


def _strings(array: np.ndarray[Any, Any]) -> Column:
    """Mixed Python objects are refused rather than guessed at."""
    if len(array) <= FEW_STRINGS and all(type(item) is str for item in array.tolist()):
        return arrow_text(array.tolist())
    try:
        return pa.array(array.astype(object), pa.large_string(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise UnfitArgumentError(
            "the elements are neither all numbers nor all strings.",
            details=[f"types: {', '.join(_types(array)) or str(error).splitlines()[0]}"],
            hint=f"convert them to one type first; column type {STR} holds text.",
        ) from None


def _types(array: np.ndarray[Any, Any]) -> list[str]:
    """Return the names of the elements' types, each with the position of the first."""
    first: dict[str, int] = {}
    for position, item in enumerate(array.tolist()):
        first.setdefault(type(item).__name__, position)
    return [f"{name} (position {position})" for name, position in first.items()]


@record(eq=False)
class Interval:
    """Bounds of values of some rows, for each partition or stretch of rows, or for all if the arrays are scalars.

    Parameters
    ----------
    low, high : ndarray
        Smallest and largest value. A bool result is undecided if its bounds are False and True.
    nans : ndarray of bool
        Whether a row may be NaN, which is in no interval.
    exact : bool
        False if low and high are prefixes of strings. Prefixes sort like the strings, but may tie.
    """

    low: Any
    high: Any
    nans: Any = np.False_
    exact: bool = True


PRESENT = "present_numbers"
"""The operation that gives the values of a column of numbers with missing rows."""


def apply(operation: str, args: Sequence[Interval | None], *, of_bools: bool) -> Interval | None:
    """Return the interval of an operation's results, None if it is unknown.

    Parameters
    ----------
    operation : str
        The name of an operation of `akdask.engine.operations`.
    args : sequence of Interval
        Its arguments, None for unknown intervals.
    of_bools : bool
        Whether all arguments are bools.
    """
    if operation in _LOGIC and of_bools:
        return _LOGIC[operation](*[_DOUBT if arg is None else arg for arg in args])
    known = [arg for arg in args if arg is not None]
    if operation == PRESENT:
        # Missing rows are outside of the bounds, as NaN is, and every comparison leaves them out.
        return known[0] if known else None
    return COMPARISONS[operation](*known) if operation in COMPARISONS and len(known) == len(args) else None


# Bounds are compared as rows are: integers with floats exactly.
_is_less, _is_at_most = partial(compare, np.less), partial(compare, np.less_equal)


def _less(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    may = _is_less(left.low, right.high) if exact else _is_at_most(left.low, right.high)
    return Interval(_is_less(left.high, right.low) & ~(left.nans | right.nans), may)


def _less_equal(left: Interval, right: Interval) -> Interval:
    exact = left.exact and right.exact
    must = _is_at_most(left.high, right.low) if exact else _is_less(left.high, right.low)
    return Interval(must & ~(left.nans | right.nans), _is_at_most(left.low, right.high))


def _equal(left: Interval, right: Interval) -> Interval:
    may = _is_at_most(left.low, right.high) & _is_at_most(right.low, left.high)
    if not (left.exact and right.exact):
        return Interval(np.False_, may)
    must = _is_at_most(left.high, right.low) & _is_at_most(right.high, left.low)
    return Interval(must & ~(left.nans | right.nans), may)


def _is_missing(value: Interval) -> Interval:
    return Interval(np.False_, value.nans)


def _not(value: Interval) -> Interval:
    return Interval(~value.high, ~value.low)


def _and(left: Interval, right: Interval) -> Interval:
    return Interval(left.low & right.low, left.high & right.high)


def _or(left: Interval, right: Interval) -> Interval:
    return Interval(left.low | right.low, left.high | right.high)


def _differ(left: Interval, right: Interval) -> Interval:
    return _or(_and(left, _not(right)), _and(_not(left), right))


_DOUBT = Interval(np.False_, np.True_)

_LOGIC: dict[str, Callable[..., Interval]] = {
    "bitwise_and": _and,
    "logical_and": _and,
    "bitwise_or": _or,
    "logical_or": _or,
    "bitwise_xor": _differ,
    "logical_xor": _differ,
    "invert": _not,
    "logical_not": _not,
}
"""Operations on bools."""

COMPARISONS: dict[str, Callable[..., Interval]] = {
    "less": _less,
    "less_equal": _less_equal,
    "greater": lambda left, right: _less(right, left),
    "greater_equal": lambda left, right: _less_equal(right, left),
    "equal": _equal,
    "not_equal": lambda left, right: _not(_equal(left, right)),
    "isnan": _is_missing,
    "missing_numbers": _is_missing,
}
"""Operations that give bools."""


Bools = npt.NDArray[np.bool_]


def partitions_left(bases: Sequence[Frame], predicates: Sequence[Value]) -> Bools | None:
    """Return for each partition of some aligned frames whether all predicates may hold for one of its rows.

    None if no partition can be excluded.
    """
    scans = {base._name: base for base in bases if isinstance(base, Scan)}
    known: dict[str, Interval | None] = {}
    for part in walk(*predicates):
        known[part.token] = _interval(part, scans, [known[arg.token] for arg in part.args])
    found = [known[predicate.token] for predicate in predicates]
    left = [truth.high for truth in found if truth is not None]
    if not left:
        return None
    count = bases[0].npartitions
    may_hold: Bools = reduce(np.logical_and, left, np.ones(count, np.bool_))
    return None if may_hold.all() else may_hold


def decided(bases: Sequence[Frame], values: Sequence[Value]) -> list[Value]:
    """Return values with the truth of comparisons in their place, or what it chooses, where bounds decide it."""
    scans = {base._name: base for base in bases if isinstance(base, Scan)}
    known: dict[str, Value] = {}
    for part in walk(*values) if scans else ():
        if not isinstance(part, Call):
            continue
        args = [known.get(arg.token, arg) for arg in part.args]
        if part.operation == "where" and isinstance(args[0], Constant):
            chosen = args[1 if args[0].value else 2]
            known |= {part.token: chosen} if chosen.dtype == part.dtype else {}
        elif part.operation in COMPARISONS or (part.operation in _LOGIC and part.dtype == BOOL):
            intervals = [_interval(arg, scans, ()) for arg in args if isinstance(arg, Constant | ColumnRef)]
            if part.sources and len(intervals) == len(args):
                truth = apply(part.operation, intervals, of_bools=all(arg.dtype == BOOL for arg in args))
                if truth is not None and (np.all(truth.low) or not np.any(truth.high)):
                    known[part.token] = Constant(np.bool_(np.all(truth.low)))
            left = [
                arg for arg in args if not isinstance(arg, Constant) or arg.value is not _NEUTRAL.get(part.operation)
            ]
            if len(left) == 1 < len(args) and left[0].dtype == BOOL:
                known[part.token] = left[0]
    return substitute_all(values, known)


_NEUTRAL = {
    **dict.fromkeys(("bitwise_and", "logical_and"), np.True_),
    **dict.fromkeys(("bitwise_or", "logical_or"), np.False_),
}
"""The truth beside which an operation gives its other argument."""


def _interval(value: Value, scans: Mapping[str, Scan], args: Sequence[Interval | None]) -> Interval | None:
    match value:
        case Constant():
            return _of_constant(value.value)
        case ColumnRef():
            scan = scans.get(value.source)
            return None if scan is None else _of_bounds(scan.source.bounds(str(value.name)))
        case Call():
            return apply(value.operation, args, of_bools=all(arg.dtype == BOOL for arg in value.args))
    return None


def _of_constant(value: Any) -> Interval | None:
    if isinstance(value, str):
        start = text_prefix(value)
        return None if start is None else Interval(np.bytes_(start), np.bytes_(start), exact=False)
    return Interval(value, value, np.not_equal(value, value)) if isinstance(value, np.generic) else None


def _of_bounds(bounds: Bounds | None) -> Interval | None:
    return (
        None if bounds is None else Interval(bounds.minima, bounds.maxima, bounds.nans, bounds.minima.dtype.kind != "S")
    )


# ------------------------------------------------------------------------------------------------- rows of a partition

FindBounds: TypeAlias = Callable[[Load, RowRanges], RowBounds | None]
"""Returns the bounds of a column's values in stretches of rows: see `PartReader.row_bounds`."""


class RowPruning:
    """Which rows of the partitions of a pipeline its first filters may leave.

    Parameters
    ----------
    selections : sequence of Mask, ExpandMatches or Range
        The selections of the pipeline, in order.
    """

    def __init__(self, selections: Sequence[Selection]) -> None:
        self._predicates = list(_leading(selections))
        self._loads = list(dict.fromkeys(load for program in self._predicates for load in _compared(program)))

    def ranges(self, nrows: int, replicas: Sequence[Any], find: FindBounds) -> RowRanges | None:
        """Return the ranges of `nrows` rows that may be left, None for all.

        Two ranges are at least `UNIT` rows apart; smaller gaps are read along.
        """
        everything: RowRanges = np.array([[0, nrows]])
        if not self._loads or not nrows:
            return None
        # Bounds that are in memory come first; rows that they exclude need no further look-ups.
        left = self._left(everything, everything[:0], replicas, find)
        if len(left):
            left = self._left(left, left, replicas, find)
        return None if left.tolist() == everything.tolist() else left

    def _left(self, ranges: RowRanges, within: RowRanges, replicas: Sequence[Any], find: FindBounds) -> RowRanges:
        """Return the rest of some ranges, given the narrowest bounds within others."""
        found = {load: find(load, within) for load in self._loads}
        known = {load: bounds for load, bounds in found.items() if bounds is not None}
        if not known:
            return ranges
        starts = np.unique(np.concatenate([ranges[:, 0], *(bounds.starts for bounds in known.values())]))
        columns = {load: _of_bounds(_at(bounds, starts)) for load, bounds in known.items()}
        holds = _holds(self._predicates, columns, replicas)
        return ranges if holds is None else _joined(ranges, starts, np.broadcast_to(holds, starts.shape))


def _leading(selections: Sequence[Selection]) -> Iterator[Program]:
    """Yield the leading predicates, before which rows are neither repeated nor counted, except from the first row."""
    for number, selection in enumerate(selections):
        if isinstance(selection, Mask):
            yield selection.predicate
        elif number or not isinstance(selection, Range):
            return


def _compared(program: Program) -> Iterator[Load]:
    """Yield the columns whose bounds may decide some results."""
    for step in program.steps:
        if isinstance(step, Load) and step.dtype == BOOL:
            yield step
        elif isinstance(step, Apply) and step.operation in COMPARISONS:
            args = [program.steps[arg] for arg in step.args]
            args = [
                program.steps[arg.args[0]] if isinstance(arg, Apply) and arg.operation == PRESENT else arg
                for arg in args
            ]
            if not any(isinstance(arg, Apply | Recall) for arg in args):
                yield from (arg for arg in args if isinstance(arg, Load))


def _at(bounds: RowBounds, starts: npt.NDArray[np.int64]) -> Bounds:
    """Return the bounds of the stretches that begin at some rows."""
    return bounds.bounds.take(np.searchsorted(bounds.starts, starts, "right") - 1)


def _holds(
    predicates: Sequence[Program], columns: Mapping[Load, Interval | None], replicas: Sequence[Any]
) -> Bools | None:
    """Return for each stretch of rows whether all predicates may hold, None if that is unknown."""
    handed_on: dict[int, Interval | None] = {}
    left: list[Any] = []
    for program in predicates:
        known: list[Interval | None] = []
        for step in program.steps:
            match step:
                case Load():
                    known.append(columns.get(step))
                case ConstantRows():
                    known.append(_of_constant(step.value))
                case BroadcastInput():
                    known.append(_of_constant(replicas[step.position][step.field]))
                case Recall():
                    known.append(handed_on[step.slot])
                case Apply():
                    # Operations on bools that give bools; other operations work on the bits of integers.
                    known.append(apply(step.operation, [known[arg] for arg in step.args], of_bools=step.dtype == BOOL))
        handed_on |= {slot: known[register] for register, slot in program.hands_on}
        left += [truth.high for register in program.outputs if (truth := known[register]) is not None]
    return reduce(np.logical_and, left) if left else None


def _joined(ranges: RowRanges, starts: npt.NDArray[np.int64], holds: Bools) -> RowRanges:
    """Drop stretches from ranges, and join ranges that are nearer to each other than a `UNIT`."""
    stops = np.append(starts[1:], ranges[-1, 1])
    # Each stretch begins in or before one range.
    number = np.maximum(np.searchsorted(ranges[:, 0], starts, "right") - 1, 0)
    stops = np.minimum(stops, ranges[number, 1])
    begins = np.maximum(starts, ranges[number, 0])
    remains = holds & (begins < stops)
    begins, stops = begins[remains], stops[remains]
    if not len(begins):
        return ranges[:0]
    apart = begins[1:] - stops[:-1] >= UNIT
    return np.column_stack([begins[np.append(True, apart)], stops[np.append(apart, True)]])


def windows(left: RowRanges | None, first: int, last: int, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of the rows that are left between two rows; cuts are at multiples of `most`, as for all rows.

    Examples
    --------
    >>> list(windows(np.array([[5, 25], [70, 80]]), 0, 75, 10))
    [(5, 10), (10, 20), (20, 25), (70, 75)]
    """
    ranges = [(0, last)] if left is None else left.tolist()
    for begin, end in ((max(begin, first), min(end, last)) for begin, end in ranges):
        for start in range(begin - begin % most, end if begin < end else 0, most):
            end_if_interrupted()
            yield max(start, begin), min(start + most, end)


def near_rows(rows: NumberArray, most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of ascending row numbers that are read together; no range spans more than `most` rows.

    Examples
    --------
    >>> list(near_rows(np.array([1, 3, 90_000, 90_001]), 2**16))
    [(0, 2), (2, 4)]
    """
    if not len(rows):
        return
    starts = rows.searchsorted(np.arange(rows[0] // most + 1, rows[-1] // most + 1) * most)
    # Rows that are many in their range are read together, without a look at each gap.
    if tuning.FEW_ROWS_LEFT * len(rows) <= rows[-1] - rows[0]:
        apart = np.union1d(starts, np.flatnonzero(np.diff(rows) > tuning.NEAR_ROWS) + 1)
        starts = apart if len(apart) < tuning.MOST_READS else starts
    yield from pairwise(dict.fromkeys([0, *starts.tolist(), len(rows)]))


def leaves_few(left: RowRanges | None, nrows: int) -> bool:
    """Tell whether so few of the rows are left that reading them one by one pays.

    Examples
    --------
    >>> leaves_few(np.array([[20, 30]]), 1000), leaves_few(np.array([[20, 90]]), 1000), leaves_few(None, 1000)
    (True, False, False)
    """
    return left is not None and tuning.FEW_ROWS_LEFT * int(np.diff(left).sum()) <= nrows


def stretches_left(stretches: Sequence[Stretch], left: RowRanges | None, itemsize: int) -> Sequence[Stretch]:
    """Return the stretches of the rows that are left; each begins a unit of summation."""
    if left is None:
        return stretches
    found, row = list[Stretch](), 0
    for stretch in stretches:
        nrows = stretch.nrows
        here = left[np.searchsorted(left[:, 1], row, "right") : np.searchsorted(left[:, 0], row + nrows)]
        for begin, end in (here - row).tolist():
            found.append(stretch.slice(max(begin, 0) // UNIT * UNIT, min(end, nrows), itemsize))
        row += nrows
    return found
