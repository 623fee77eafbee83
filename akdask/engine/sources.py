"""Frames without inputs: files, counted rows, and data in memory."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Self
from uuid import uuid4

import numpy as np
from dask.system import CPU_COUNT

from akdask import config
from akdask._dask import GraphNode
from akdask.cluster import partition_size
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import INT64, NULLABLE_STR, STR, ColumnType, column_type
from akdask.columns.exact import EXACT, first_changed
from akdask.columns.strings import from_nulls
from akdask.columns.table import Table, type_of
from akdask.deferred import is_arrow, is_na, is_pandas, pa, pd
from akdask.engine.node import Frame, RowSpace
from akdask.engine.values import ColumnRef, ResidentColumn
from akdask.errors import ArgumentError, ConversionError, refuses_foreign
from akdask.storage.source import Source
from akdask.typing import Column


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
        return f"Rows  {self.rows.describe()}"


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
        return f"Literal  {self.rows.describe()}"


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
    """Return the partition lengths of created rows: one if they are few, else one or more for each core.

    The cut is Arkouda's block split: partition k begins at row ``ceil(k * size / n)``.

    Examples
    --------
    >>> partition_lengths(5)
    (5,)
    """
    if size <= config.get("small_array"):
        return block_split(size, 1)
    needed = -(-size * INT64.numpy.itemsize // partition_size())
    return block_split(size, max(CPU_COUNT, min(needed, MOST_PARTITIONS)))


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


def literal(column: Column) -> tuple[Literal, ColumnRef]:
    """Return a column in memory as a frame, and the value of the column."""
    frame = literal_table(Table({0: column}, len(column)))
    return frame, frame.column(0)


def literal_table(table: Table) -> Literal:
    """Return columns in memory as one frame, cut into partitions."""
    bounds = accumulate(partition_lengths(table.nrows), initial=0)
    return Literal.of([table.slice(start, stop) for start, stop in pairwise(bounds)])


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
    if is_arrow(items, "ChunkedArray", "Array"):
        items = items.to_numpy(zero_copy_only=False) if not _is_text(items.type) else items
    if is_arrow(items, "ChunkedArray"):
        items = items.combine_chunks()
    if is_arrow(items, "Array"):
        return items.cast(pa.large_string())
    array = at_hand(items)
    if is_pandas(getattr(items, "dtype", None), "StringDtype"):
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
        raise ArgumentError(
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
        items = items.array if is_pandas(items, "Series", "Index") else items
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


def _strings(array: np.ndarray[Any, Any]) -> Column:
    """Mixed Python objects are refused rather than guessed at."""
    try:
        return pa.array(array.astype(object), pa.large_string(), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise ArgumentError(
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
