"""Columns of tables that other libraries read as Arrow tables: their types, and a `Source` of their parts."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple, Self

import numpy as np

from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.columns.arrow import numpy_numbers
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, NULLABLE_STR, SPAN, TIME, ColumnType, TimeForm, column_type
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import from_nulls
from akdask.deferred import pa, pc
from akdask.errors import FileError
from akdask.operators.values.times import checked_zone
from akdask.records import record
from akdask.storage.source import PartReader, Source
from akdask.typing import Column, NumberArray

_NAT = np.iinfo(np.int64).min


class LibraryRows(NamedTuple):
    """A part of a table: it becomes a partition."""

    nrows: int
    """How many rows it has."""

    read: Callable[[Sequence[str]], pa.Table]
    """Returns the rows of some columns, always in the same order; travels to workers."""

    path: str
    """Its file, or the table."""


class Opened(NamedTuple):
    """A table of a library."""

    label: str
    """How a user names it."""

    identity: str
    """Changes whenever the rows do."""

    schema: pa.Schema
    """Names and types of the columns."""

    parts: Sequence[LibraryRows]
    """All rows, in order."""


def digest(condition: Any) -> str:
    """Return a text that tells a condition from others; the text of a long one is cut."""
    return blake2b(pickle.dumps(condition), digest_size=16).hexdigest()


class ArrowType(NamedTuple):
    """What a column of Arrow becomes."""

    dtype: ColumnType
    """The type in partitions."""

    make: Callable[..., Any] | None = None
    """Makes the array of a column of a frame, if that is no plain one."""


def stored_type(field: pa.Field) -> ArrowType | None:
    """Return the array that a column becomes; None if there is no array of such values.

    Examples
    --------
    >>> str(stored_type(pa.field("a", pa.int32())).dtype), stored_type(pa.field("a", pa.binary()))
    ('int64?', None)
    """
    kind, types = field.type, pa.types
    if types.is_dictionary(kind):
        return stored_type(field.with_type(kind.value_type))
    if is_text(kind):
        return ArrowType(NULLABLE_STR)
    if types.is_timestamp(kind) or types.is_date(kind):
        unit, zone = ("s", None) if types.is_date(kind) else (kind.unit, kind.tz)
        form = TimeForm(TIME, unit, None if zone is None else checked_zone(zone), field.nullable)
        return ArrowType(INT64, partial(Datetime.of, form=form))
    if types.is_duration(kind):
        return ArrowType(INT64, partial(Timedelta.of, form=TimeForm(SPAN, kind.unit, None, field.nullable)))
    if types.is_boolean(kind) or types.is_integer(kind):
        dtype = BOOL if types.is_boolean(kind) else column_type(kind.to_pandas_dtype())
        return ArrowType(replace(dtype, nullable=field.nullable))
    if types.is_floating(kind) or types.is_decimal(kind):
        return ArrowType(FLOAT64)
    return None


def is_text(kind: pa.DataType) -> bool:
    """Return whether values of a type of Arrow are text."""
    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or is_view(kind))


def column_of(stored: pa.ChunkedArray, dtype: ColumnType) -> Column:
    """Return the rows of a column as partitions hold them."""
    if pa.types.is_dictionary(stored.type):
        stored = stored.cast(stored.type.value_type)
    if dtype.kind == "str":
        flat = stored.cast(pa.large_string()).combine_chunks()
        return from_nulls(pa.array([], flat.type) if isinstance(flat, pa.ChunkedArray) else flat)
    if pa.types.is_date(stored.type):
        stored = stored.cast(pa.timestamp("s"))
    if pa.types.is_temporal(stored.type):
        flat = stored.combine_chunks().view(pa.int64()).fill_null(_NAT)
    elif dtype == FLOAT64:
        flat = stored.cast(pa.float64(), safe=False).combine_chunks().fill_null(np.nan)
    else:
        flat = stored.cast(pa.from_numpy_dtype(dtype.numpy)).combine_chunks()
    if isinstance(flat, pa.ChunkedArray):  # as some releases of Arrow combine no chunks
        flat = pa.array([], flat.type)
    if not dtype.nullable:
        return numpy_numbers(flat)
    values = numpy_numbers(flat.fill_null(False if dtype.plain == BOOL else 0))
    return NullableColumn(values, numpy_numbers(pc.is_null(flat)) if flat.null_count else None)


class TableSource(Source):
    """Columns of a table of another library.  Immutable."""

    def __init__(self, opened: Opened, columns: Mapping[str, ColumnType]) -> None:
        self._opened = opened
        self._columns = dict(columns)
        told = repr((opened.identity, [(part.nrows, part.path) for part in opened.parts], self._columns))
        self._token = blake2b(told.encode(errors="surrogateescape"), digest_size=16).hexdigest()

    @property
    def token(self) -> str:
        """Changes whenever rows or columns do."""
        return self._token

    @property
    def label(self) -> str:
        """How a user names the table, for plans and messages."""
        return self._opened.label

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """All columns with their types."""
        return self._columns

    @property
    def lengths(self) -> Sequence[int]:
        """Rows of each partition."""
        return [part.nrows for part in self._opened.parts] or [0]

    @property
    def paths(self) -> Sequence[str]:
        """The file of each partition."""
        return [part.path for part in self._opened.parts] or [""]

    def part(self, index: int, columns: Sequence[str]) -> LibraryPart:
        """Return one partition, reduced to the given columns."""
        rows = self._opened.parts[index] if self._opened.parts else LibraryRows(0, self._opened.schema.empty_table, "")
        return LibraryPart(rows, {name: self._columns[name] for name in columns})


@record
class LibraryPart:
    """A partition of a table; implements `Part`."""

    rows: LibraryRows
    columns: Mapping[str, ColumnType]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.rows.nrows

    def open(self) -> LibraryReader:
        """Return a reader, to be used in a ``with`` statement."""
        return LibraryReader(self)


class LibraryReader(PartReader):
    """Reads rows of a partition; the library reads its columns when the first is asked for."""

    def __init__(self, part: LibraryPart) -> None:
        self._part = part
        self._table: pa.Table | None = None
        self._made: dict[str, Column] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        self._table = None
        self._made.clear()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows `start` to `stop` of a column."""
        if column not in self._made:
            if self._table is None:
                self._table = self._rows()
            self._made[column] = column_of(self._table.column(column), self._part.columns[column])
        found = self._made[column]
        if isinstance(found, NullableColumn):
            return found.mapped(lambda rows: rows[start:stop])
        if out is not None and isinstance(found, np.ndarray):
            out[: stop - start] = found[start:stop]
            return out[: stop - start]
        return found[start:stop]

    def _rows(self) -> pa.Table:
        rows = self._part.rows
        found = rows.read(list(self._part.columns))
        if found.num_rows != rows.nrows:
            raise FileError(
                f"a part of the table has {found.num_rows} rows, and had {rows.nrows} when it was opened.",
                details=[rows.path],
                hint="the table has changed: open it again.",
            )
        return found
