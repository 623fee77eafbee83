"""Columns of one partition in memory: their rows, and tables of named columns, which tasks pass to each other.

A new kind of column registers its implementations of the row operations.  Text may be positions in a dictionary, as
files may store it: an Arrow array of that type, with large strings and no nulls, whose dictionary may have strings
without rows.  Readers return it on request only, as most of akdask handles plain strings.  Its rows are sliced and
taken like those of any Arrow column.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import singledispatch, wraps
from itertools import pairwise
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

import numpy as np

from akdask.columns import loops, tuning
from akdask.columns.arrow import arrow_numbers, numpy_numbers, offsets_of, values_of
from akdask.columns.bigint import from_ints, from_limbs, limbs_of, to_ints, with_limbs
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT8, UINT64, ColumnType, column_type, list_of
from akdask.columns.memory import new_array
from akdask.columns.nullable import NullableColumn, concat_nullable, nullable_full
from akdask.columns.strings import StringsBuilder, from_nulls, offsets_and_bytes, with_nulls
from akdask.deferred import is_arrow, pa, pc
from akdask.errors import ArgumentError, ArgumentTypeError, PositionError
from akdask.records import record
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable

WORD_BYTES = 8

CHUNK = 32
"""Bytes that a loop copies of a string at a time: ``CHUNK`` of ``native/text.hpp``."""

P = ParamSpec("P")
T = TypeVar("T")


def by_column(default: Callable[..., T]) -> _SingleDispatchCallable[T]:
    """Return a function like `functools.singledispatch`, whose implementations for Arrow's classes `of_arrow` adds.

    Parameters
    ----------
    default : callable
        Function for objects of other classes.
    """

    @wraps(default)
    def other(column: Any, *args: Any, **kwargs: Any) -> T:
        if is_arrow(column, "Array", "ChunkedArray"):
            # Threads that come here at once register the same.
            for name, implementation in _OF_ARROW.get(chosen, {}).items():
                dispatched.register(getattr(pa, name), implementation)
            found: Callable[..., T] = dispatched.dispatch(type(column))
            if found is not other:
                implementations[type(column)] = found
                return found(column, *args, **kwargs)
        return default(column, *args, **kwargs)

    dispatched: _SingleDispatchCallable[T] = singledispatch(other)
    implementations: dict[type, Callable[..., T]] = {}

    @wraps(default)
    def chosen(column: Any, *args: Any, **kwargs: Any) -> T:
        # `singledispatch` makes two calls more, for each column of each block.
        found = implementations.get(type(column))
        if found is None:
            found = dispatched.dispatch(type(column))
            if found is not other:
                implementations[type(column)] = found
        return found(column, *args, **kwargs)

    chosen.register = dispatched.register  # type: ignore[attr-defined]
    return cast("_SingleDispatchCallable[T]", chosen)


_OF_ARROW: dict[Any, dict[str, Callable[..., Any]]] = {}
"""By function: implementations for classes of Arrow, which are registered when the first such object comes."""


def of_arrow(function: Callable[..., Any], name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that adds the implementation for a class of Arrow to a function of `by_column`."""

    def add(implementation: Callable[P, T]) -> Callable[P, T]:
        _OF_ARROW.setdefault(function, {})[name] = implementation
        return implementation

    return add


def empty(dtype: ColumnType) -> Column:
    """Return a column of no rows."""
    if dtype.is_nullable_number:
        return NullableColumn(np.empty(0, dtype.numpy))
    return np.empty(0, dtype.numpy) if dtype.is_number else pa.array([], arrow_type(dtype))


def arrow_type(dtype: ColumnType) -> pa.DataType:
    """Return the Arrow type of columns that NumPy cannot hold; integers of any size may be wider."""
    match dtype.kind:
        case "list":
            return pa.large_list(pa.null() if dtype.item is None else arrow_type(dtype.item))
        case "bigint":
            return pa.binary(8)
        case "str":
            return pa.large_string()
    return pa.from_numpy_dtype(dtype.numpy)


@by_column
def type_of(column: Any) -> ColumnType:
    """Return the type of a column in memory."""
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


@by_column
def slice_rows(column: Any, start: int, stop: int, step: int = 1) -> Any:
    """Return every `step`-th row from `start` up to `stop`, with NumPy's meaning of negative steps."""
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


@by_column
def take_rows(column: Any, positions: NumberArray, out: NumberArray | None = None) -> Any:
    """Return the rows at the given non-negative positions; numbers are written to `out` if given.

    Examples
    --------
    >>> take_rows(np.array([0.5, 1.5]), np.array([1, 1, 0])).tolist()
    [1.5, 1.5, 0.5]
    """
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


def gather(column: Any, positions: Any, out: NumberArray | None = None, missing: int | None = None) -> Any:
    """Return the rows at the given positions, by a loop that checks them; None where it does not support the arguments.

    NumPy waits for one row after the other, and Arrow twice for each string: for its place and for its bytes. The loop
    prefetches rows well before it reaches them. A row at a position outside the column gets the bits `missing`, or no
    text. Without these bits, the result is None.
    """
    if not isinstance(column, np.ndarray):
        is_text = is_arrow(column, "LargeStringArray") and _have_words(positions)
        return _gather_strings(column, positions, fill=missing is not None) if is_text else None
    if not _have_words(positions, column, positions if out is None else out):
        return None
    found: NumberArray = np.empty(len(positions), column.dtype) if out is None else out
    rows, into = positions.view(np.uint64), found.view(np.uint64)
    all_present = loops.gather_words(column.view(np.uint64), rows, missing or 0, into)
    return found if all_present or missing is not None else None


def _have_words(*arrays: Any) -> bool:
    """Whether arrays have items of 64 bits, one after the other, for which there is a loop."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or array.itemsize != WORD_BYTES or array.dtype.hasobject:
            return False
        if array.ndim != 1 or not array.flags.c_contiguous:
            return False
    return True


def _gather_strings(strings: pa.LargeStringArray, positions: NumberArray, *, fill: bool) -> Any:
    """Gather strings; without one at a position, it is empty if `fill`, otherwise the result is None."""
    if strings.null_count:
        return None
    offsets, text = offsets_and_bytes(strings)
    count = len(positions)
    starts, ends = new_array(count, np.uint64), new_array(count + 1, np.uint64)
    if not loops.find_strings(offsets.view(np.uint64), positions.view(np.uint64), starts, ends) and not fill:
        return None
    into = copied_strings(text, starts, ends)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(ends), pa.py_buffer(into))


def copied_strings(text: NumberArray, starts: NumberArray, ends: NumberArray) -> NumberArray:
    """Return strings end to end, and a chunk behind the last.

    Parameters
    ----------
    text : ndarray of uint8
    starts : ndarray of uint64
        Where each string starts there.
    ends : ndarray of uint64
        Where each one starts in the result, and where the last ends.
    """
    into = new_array(int(ends[-1]) + CHUNK, np.uint8)
    if len(text) < len(starts):
        # Strings with a chunk of bytes behind them are copied by chunks; in a dictionary many rows may be its last one.
        text = np.concatenate([text, np.zeros(CHUNK, np.uint8)])
    loops.copy_strings(text, starts, ends, into)
    return into


@by_column
def filter_rows(column: Any, mask: NumberArray) -> Any:
    """Return the rows where the mask holds."""
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


@by_column
def nbytes(column: Any) -> int:
    """Return the bytes that the rows occupy."""
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


@by_column
def own_rows(column: Any) -> Any:
    """Return a copy, which keeps only its own rows in memory."""
    raise ArgumentTypeError(f"{type(column).__name__} is not a column.")


def concat_rows(columns: Sequence[Column]) -> Column:
    """Join columns of one type end to end; at least one must be given."""
    if len(columns) == 1:
        return columns[0]
    if isinstance(columns[0], np.ndarray):
        # All have one type: none is promoted.
        return np.concatenate(columns, out=new_array(sum(map(len, columns)), np.result_type(*columns)))
    if isinstance(columns[0], NullableColumn):
        return concat_nullable(columns)
    if is_arrow(columns[0], "LargeStringArray"):
        return _concat_strings(columns)
    return pa.concat_arrays(_of_one_type(columns))


def _concat_strings(columns: Sequence[pa.LargeStringArray]) -> pa.LargeStringArray:
    """Concatenate strings in memory of the module's pool; Arrow would mostly allocate new memory for them."""
    builder = StringsBuilder(sum(map(len, columns)), sum(len(offsets_and_bytes(column)[1]) for column in columns))
    for column in columns:
        builder.append(column)
    return builder.finish()


def _of_one_type(columns: Sequence[pa.Array]) -> Sequence[pa.Array]:
    """Widen integers of any size to the widest, also in lists; lists that are all empty may lack a type of values."""
    types = {column.type for column in columns}
    if len(types) == 1:
        return columns
    if pa.types.is_large_list(columns[0].type):
        named = next(kind.value_type for kind in types if not pa.types.is_null(kind.value_type))
        values = _of_one_type(
            [pa.nulls(0, named) if pa.types.is_null(c.type.value_type) else c.values for c in columns]
        )
        lists = zip(columns, values, strict=True)
        return [pa.LargeListArray.from_arrays(column.offsets, items) for column, items in lists]
    width = max(kind.byte_width for kind in types) // 8
    return [from_limbs(with_limbs(limbs_of(column), width)) for column in columns]


def to_objects(column: Column) -> list[Any]:
    """Return the rows as Python objects: lists of them for lists, None for missing rows."""
    if isinstance(column, NullableColumn):
        return column.to_list()
    if is_arrow(column, "FixedSizeBinaryArray"):
        return to_ints(column)
    if is_arrow(column, "LargeListArray"):
        dtype = type_of(column)
        items = [] if dtype.item is None else to_objects(values_of(column, dtype.item))
        return [items[start:stop] for start, stop in pairwise(offsets_of(column).tolist())]
    rows: Any = with_nulls(column) if is_arrow(column, "LargeStringArray") else column
    found: list[Any] = rows.tolist()
    return found


def read_only(column: Column) -> Column:
    """Return a read-only view of a column, which a caller must copy to change; plans keep tables in memory."""
    if isinstance(column, np.ndarray):
        column = column.view()
        column.flags.writeable = False
    return column.mapped(read_only) if isinstance(column, NullableColumn) else column


def is_scalar(result: Any) -> bool:
    """Whether the result of an operation is a single value rather than a column."""
    if isinstance(result, np.ndarray):
        return not result.ndim
    return not isinstance(result, NullableColumn) and not is_arrow(result, "Array") and not np.ndim(result)


def spread(result: Any, dtype: ColumnType, nrows: int) -> Column:
    """Return a result as a column; a single value is repeated on every row."""
    if not is_scalar(result):
        column: Column = result
        return column
    if dtype.is_number:
        return np.full(nrows, result, dtype.numpy)
    if dtype.is_nullable_number:
        return nullable_full(result, dtype, nrows)
    one = from_ints([result]) if dtype.kind == "bigint" else from_nulls(pa.array([result], arrow_type(dtype)))
    return take_rows(one, np.zeros(nrows, np.int64))


_TYPES = {t.numpy: t for t in (INT64, UINT64, FLOAT64, BOOL, UINT8)}


@type_of.register
def _(column: np.ndarray) -> ColumnType:
    return _TYPES.get(column.dtype) or column_type(column.dtype)


@slice_rows.register
def _(column: np.ndarray, start: int, stop: int, step: int = 1) -> NumberArray:
    return column[_python_slice(start, stop, step)]


@take_rows.register
def _(column: np.ndarray, positions: NumberArray, out: NumberArray | None = None) -> NumberArray:
    found: NumberArray | None = gather(column, positions, out)
    if found is not None:
        return found
    # Only the clip mode of NumPy writes to `out` without a copy.
    return column.take(positions, out=out, mode="raise" if out is None else "clip")


@filter_rows.register
def _(column: np.ndarray, mask: NumberArray) -> NumberArray:
    found: NumberArray = new_array(int(np.count_nonzero(mask)) + 1, column.dtype)
    return found[: _copy_masked(mask, column, found)]


def _copy_masked(mask: NumberArray, column: NumberArray, out: NumberArray) -> int:
    """Write the rows where the mask holds to memory with a row to spare, and return their number."""
    same_size = f"u{column.itemsize}"
    bits = np.ascontiguousarray(column).view(same_size)
    return loops.copy_masked(np.ascontiguousarray(mask), bits, out.view(same_size))


def put_rows(column: Any, rows: NumberArray, items: Any, first: int, total: int) -> Any:
    """Return a column with items at some rows, of several for one row the last; numbers are written in place.

    Parameters
    ----------
    column : Column
        Rows from number `first` on, of `total` in all.
    rows : ndarray of int or bool
        A mask of the column with an item for each True, or numbers of rows, of which those in the column count.
        Negative ones are counted from the end.
    items : Column
        The items; of numbers, one may be for all rows.

    Raises
    ------
    ArgumentError
        If there are more or fewer items than marked rows.
    PositionError
        If a row is not there.

    Examples
    --------
    >>> put_rows(np.zeros(3), np.array([4, -1, 2]), np.array([1.0, 2.0, 3.0]), 2, 5).tolist()
    [3.0, 0.0, 2.0]
    """
    is_mask = rows.dtype == np.bool_
    if is_mask and len(items) != (count := int(np.count_nonzero(rows))):
        raise ArgumentError(f"cannot assign {len(items)} items to {count} selected rows.")
    if isinstance(column, np.ndarray):
        same_size = f"u{column.itemsize}"
        bits, new = column.view(same_size), np.ascontiguousarray(items).view(same_size)
        if is_mask:
            loops.put_masked(np.ascontiguousarray(rows), new, bits)
            return column
        numbers = np.ascontiguousarray(np.minimum(rows, np.uint64(total)) if rows.dtype.kind == "u" else rows, np.int64)
        place = loops.put_at(numbers, new, first, total, bits)
    else:
        slots = np.flatnonzero(rows) if is_mask else np.where(rows < 0, rows + total, rows)
        outside = np.empty(0) if is_mask else np.flatnonzero((slots < 0) | (slots >= total))
        place = int(outside[0]) if len(outside) else -1
        slots = slots if is_mask else slots.astype(np.int64) - first
        here = np.flatnonzero((slots >= 0) & (slots < len(column)))
        source = np.arange(len(column))
        source[slots[here]] = len(column) + here
        column = take_rows(concat_rows([column, items]), source) if place < 0 else column
    if place >= 0:
        raise PositionError(
            f"position {int(rows[place])} is outside an array of {total} rows.",
            hint=f"positions run from {-total} to {total - 1}.",
        )
    return column


@nbytes.register
def _(column: np.ndarray) -> int:
    return column.nbytes


@own_rows.register
def _(column: np.ndarray) -> NumberArray:
    return column.copy()


@type_of.register
def _(column: NullableColumn) -> ColumnType:
    return replace(type_of(column.values), nullable=True)


@slice_rows.register
def _(column: NullableColumn, start: int, stop: int, step: int = 1) -> NullableColumn:
    return column.mapped(lambda rows: slice_rows(rows, start, stop, step))


@take_rows.register
def _(column: NullableColumn, positions: NumberArray, out: None = None) -> NullableColumn:
    return column.mapped(lambda rows: take_rows(rows, positions))


@filter_rows.register
def _(column: NullableColumn, mask: NumberArray) -> NullableColumn:
    return column.mapped(lambda rows: filter_rows(rows, mask))


@nbytes.register
def _(column: NullableColumn) -> int:
    return column.nbytes


@own_rows.register
def _(column: NullableColumn) -> NullableColumn:
    return column.mapped(own_rows)


@of_arrow(type_of, "Array")
def _(column: pa.Array) -> ColumnType:
    return _type_of_arrow(column.type)


def _type_of_arrow(kind: pa.DataType) -> ColumnType:
    if pa.types.is_large_list(kind):
        return list_of(None if pa.types.is_null(kind.value_type) else _type_of_arrow(kind.value_type))
    if pa.types.is_fixed_size_binary(kind):
        return BIGINT
    if pa.types.is_large_string(kind):
        return STR
    numpy_dtype = np.dtype(kind.to_pandas_dtype())
    return _TYPES.get(numpy_dtype) or column_type(numpy_dtype)


@of_arrow(slice_rows, "Array")
def _(column: pa.Array, start: int, stop: int, step: int = 1) -> pa.Array:
    if step == 1:
        return column.slice(start, max(stop - start, 0))
    return take_rows(column, np.arange(len(column))[_python_slice(start, stop, step)])


# Arrow's own functions of rows load `pyarrow.compute`, which takes half as long as NumPy.


@of_arrow(take_rows, "Array")
def _(column: pa.Array, positions: NumberArray, out: None = None) -> pa.Array:
    return column.take(arrow_numbers(positions))


@of_arrow(take_rows, "LargeStringArray")
def _(column: pa.LargeStringArray, positions: NumberArray, out: None = None) -> pa.LargeStringArray:
    found = gather(column, positions if positions.itemsize == WORD_BYTES else positions.astype(np.int64))
    return column.take(arrow_numbers(positions)) if found is None else found


@of_arrow(take_rows, "DictionaryArray")
def _(column: pa.DictionaryArray, positions: NumberArray, out: None = None) -> pa.DictionaryArray:
    if column.null_count or (positions < 0).any():
        return column.take(arrow_numbers(positions))
    indices = numpy_numbers(column.indices).take(positions)
    return pa.DictionaryArray.from_arrays(arrow_numbers(indices), column.dictionary, safe=False)


@of_arrow(filter_rows, "Array")
def _(column: pa.Array, mask: NumberArray) -> pa.Array:
    return pc.filter(column, arrow_numbers(mask))


@of_arrow(filter_rows, "LargeStringArray")
@of_arrow(filter_rows, "DictionaryArray")
def _(column: pa.LargeStringArray | pa.DictionaryArray, mask: NumberArray) -> pa.LargeStringArray | pa.DictionaryArray:
    return take_rows(column, np.flatnonzero(mask))


@of_arrow(nbytes, "Array")
@of_arrow(nbytes, "ChunkedArray")
def _(column: pa.Array | pa.ChunkedArray) -> int:
    return int(column.nbytes)


@of_arrow(own_rows, "Array")
def _(column: pa.Array) -> pa.Array:
    return pa.concat_arrays([column])


def _python_slice(start: int, stop: int, step: int) -> slice:
    """Spell a backward slice: a stop below zero means "through row 0" when stepping backwards, None for Python."""
    return slice(start, None if stop < 0 else stop, step)


# ------------------------------------------------------------------------------------ text as positions in a dictionary


MOST_LOOKED_UP = 2**18
"""Rows that are looked up in a dictionary here; loading Arrow's functions takes as long as some more."""


def is_encoded(column: Any) -> bool:
    """Whether a column is text as positions in a dictionary."""
    return is_arrow(column, "DictionaryArray")


def decoded(column: Any) -> Any:
    """Return a column, text as strings.

    Examples
    --------
    >>> decoded(pa.array(["a", "b", "a"], pa.large_string()).dictionary_encode()).to_pylist()
    ['a', 'b', 'a']
    """
    # Most columns are numbers, for which this is called per block.
    if isinstance(column, np.ndarray) or not is_encoded(column):
        return column
    if column.null_count or len(column) > MOST_LOOKED_UP:
        return column.dictionary_decode()
    return take_rows(column.dictionary, numpy_numbers(column.indices).astype(np.int64))


def concat_text(parts: Sequence[Any]) -> Any:
    """Join text end to end, at least one part; the result is encoded where all parts are.

    Examples
    --------
    >>> parts = [pa.array(some, pa.large_string()).dictionary_encode() for some in (["b"], ["a", "b"])]
    >>> concat_text(parts).dictionary.to_pylist(), concat_text(parts).indices.to_pylist()
    (['b', 'a'], [0, 1, 0])
    """
    if len(parts) > 1 and all(map(is_encoded, parts)):
        return pa.concat_arrays(parts)
    return parts[0] if len(parts) == 1 else concat_rows([decoded(part) for part in parts])


# -------------------------------------------------------------------------------------------------------- named columns


@record
class Table:
    """Columns with the same number of rows.

    Parameters
    ----------
    columns : mapping of name to column
        NumPy arrays of numbers, Arrow arrays of anything else.
    nrows : int
        Number of rows, stored because a table may have no columns.
    """

    columns: Mapping[Hashable, Column]
    nrows: int

    def __sizeof__(self) -> int:
        return 64 + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the rows alone: Arrow would pickle all that a slice was cut from."""
        columns = {name: own_rows(item) if is_slice(item) else item for name, item in self.columns.items()}
        return Table, (columns, self.nrows)

    @property
    def nbytes(self) -> int:
        """Bytes of all columns."""
        return sum(nbytes(column) for column in self.columns.values())

    def slice(self, start: int, stop: int, step: int = 1) -> Table:
        """Return every `step`-th row from `start` up to `stop`."""
        columns = {name: slice_rows(column, start, stop, step) for name, column in self.columns.items()}
        return Table(columns, len(range(start, stop, step)))

    def take(self, positions: NumberArray) -> Table:
        """Return the rows at the given positions."""
        return Table({name: take_rows(column, positions) for name, column in self.columns.items()}, len(positions))

    def own(self) -> Table:
        """Return a copy, which keeps only its own rows in memory."""
        return Table({name: own_rows(column) for name, column in self.columns.items()}, self.nrows)

    @staticmethod
    def concat(tables: Sequence[Table]) -> Table:
        """Join tables with the same columns end to end; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        columns = {name: concat_rows([table.columns[name] for table in tables]) for name in tables[0].columns}
        return Table(columns, sum(table.nrows for table in tables))


class TableBuilder:
    """Concatenated tables, written to one allocation.

    Concatenating them later would write everything twice, first to new memory, which takes longer to get than to write.

    Parameters
    ----------
    most : int
        Largest number of rows.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._nrows = 0
        self._names: tuple[Hashable, ...] = ()
        self._arrays: dict[Hashable, NumberArray] = {}
        self._parts: dict[Hashable, list[Column]] = {}

    def add(self, table: Table) -> None:
        """Append the rows of a table."""
        self._names = tuple(table.columns)
        for name, column in table.columns.items():
            if isinstance(column, np.ndarray):
                self._remaining(name, column)[: table.nrows] = column
            else:
                self._parts.setdefault(name, []).append(column)
        self._nrows += table.nrows

    def add_masked(self, table: Table, mask: NumberArray) -> None:
        """Append the rows of a table of numbers where the mask holds."""
        self._names = tuple(table.columns)
        count = 0
        for name, column in table.columns.items():
            numbers = np.asarray(column)
            count = _copy_masked(mask, numbers, self._remaining(name, numbers))
        self._nrows += count

    def table(self) -> Table:
        """Return all rows."""
        rows = {name: array[: self._nrows] for name, array in self._arrays.items()}
        is_sparse = tuning.SPARE_ROWS * self._nrows < self._most
        columns: dict[Hashable, Column] = {
            name: own_rows(array) if is_sparse else array for name, array in rows.items()
        }
        columns |= {name: concat_rows(parts) for name, parts in self._parts.items()}
        return Table({name: columns[name] for name in self._names}, self._nrows)

    def _remaining(self, name: Hashable, column: NumberArray) -> NumberArray:
        """Return the reserved memory after the existing rows, with one row to spare."""
        if name not in self._arrays:
            self._arrays[name] = new_array(self._most + 1, column.dtype)
        return self._arrays[name][self._nrows :]


def is_slice(column: Column) -> bool:
    """Whether an Arrow array holds much more memory than its rows take."""
    return not isinstance(column, np.ndarray | NullableColumn) and column.get_total_buffer_size() > 2 * nbytes(column)


class Sized:
    """Base of classes whose instances hold columns; `sys.getsizeof` counts them.

    Examples
    --------
    >>> held = Sized()
    >>> held.columns = [np.zeros(1000), np.zeros(1000)]
    >>> sys.getsizeof(held) >= 16_000
    True
    """

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + sum(map(_bytes, vars(self).values()))


def _bytes(item: Any) -> int:
    if isinstance(item, list | tuple):
        return sum(map(_bytes, item))
    return (
        nbytes(item)
        if isinstance(item, np.ndarray | NullableColumn) or is_arrow(item, "Array")
        else sys.getsizeof(item)
    )
