"""Import of Arrow data, also from any library whose frames export Arrow, as lazy objects."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import DEFAULT_NA, Categorical
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.wrap import wrap
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import SPAN, TIME, TimeForm, column_type
from akdask.columns.lists import lists_of
from akdask.columns.table import Table
from akdask.deferred import is_arrow, pa, pc
from akdask.engine.node import Frame
from akdask.engine.sources import Literal, literal, partition_lengths
from akdask.engine.values import ColumnRef
from akdask.errors import ArgumentTypeError
from akdask.frames.dataframe import DataFrame
from akdask.operators.values.times import checked_zone
from akdask.typing import Column

_NAT = np.iinfo(np.int64).min

Make = Callable[[Frame, ColumnRef], Array]
"""Makes a lazy array of a column of a frame."""


def from_arrow(data: Any) -> Any:
    """Return Arrow data as lazy objects: a DataFrame of tables, an array of anything else; numbers are not copied.

    Narrow numbers widen to 64 bits, and bools are unpacked.  Timestamps and dates are Datetimes, durations Timedeltas,
    of their units and zones,
    dictionaries of text Categoricals, decimals without fraction integers of any size and others float64.  Where values
    are missing, integers and bools are float64 with NaN, text stays missing but is empty within lists, times are NaT,
    and elements of a Categorical its label for missing.

    Parameters
    ----------
    data : object
        An Arrow table, record batch, array or chunked array, or any object with ``__arrow_c_stream__`` or
        ``__arrow_c_array__``: frames and series of polars, relations of duckdb, DataFrames of pandas.

    Raises
    ------
    ArgumentTypeError
        If the object is of another kind, or values are of a type that no column can hold.

    Examples
    --------
    >>> from_arrow(pa.table({"a": [1, 2], "s": ["x", "y"]}))["s"].tolist()
    ['x', 'y']
    """
    found = _chunked(data)
    if not pa.types.is_struct(found.type):
        return _arrays(pa.table({"": found}))[""]
    table = pa.Table.from_struct_array(found)
    again = sorted({name for name in table.column_names if table.column_names.count(name) > 1})
    if again:
        raise ArgumentTypeError(f"several columns are called {', '.join(map(repr, again))}.", hint="rename them.")
    return DataFrame(_arrays(table))


def from_polars(data: Any) -> Any:
    """Return a polars DataFrame or Series as lazy objects; see `from_arrow`.  A LazyFrame is collected."""
    return from_arrow(data.collect() if hasattr(data, "collect") else data)


def _chunked(data: Any) -> pa.ChunkedArray:
    if is_arrow(data, "Table"):
        return data.to_struct_array()
    if hasattr(data, "__arrow_c_stream__"):
        return data if is_arrow(data, "ChunkedArray") else pa.chunked_array(data)
    if hasattr(data, "__arrow_c_array__"):
        return pa.chunked_array([pa.array(data)])
    raise ArgumentTypeError(
        f"a {type(data).__name__} is no Arrow data.", hint="pass an object with __arrow_c_stream__, or use ak.array(…)."
    )


def _arrays(table: pa.Table) -> dict[str, Array]:
    """Return the columns on the rows of one frame, whose partitions are the chunks, or parts of these."""
    made = {name: _stored(name, table.column(name)) for name in table.column_names}
    stored = pa.table({name: column for name, (column, _) in made.items()})
    batches = stored.to_batches(max_chunksize=max(*partition_lengths(table.num_rows), 1))
    tables = [(batch.num_rows, batch.columns) for batch in batches if batch.num_rows]
    nothing = [(0, [pa.array([], field.type) for field in stored.schema])]
    frame = Literal.of(
        [
            Table(dict(zip(stored.column_names, map(_column, columns), strict=True)), nrows)
            for nrows, columns in tables or nothing
        ]
    )
    return {name: make(frame, frame.column(name)) for name, (_, make) in made.items()}


def _column(stored: pa.Array) -> Column:
    if pa.types.is_boolean(stored.type):
        return stored.to_numpy(zero_copy_only=False)
    return stored.to_numpy() if pa.types.is_primitive(stored.type) else stored


def _stored(name: str, column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Make]:
    """Return a column in the type in which partitions hold it, and a function that makes a lazy array of it.

    Raises
    ------
    ArgumentTypeError
        If no column can hold such values.
    """
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _categorical(name, column) if _is_text(kind.value_type) else _stored(name, column.cast(kind.value_type))
    if _is_text(kind):
        return column.cast(pa.large_string()), wrap
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_duration(kind):
        return _numbered(column)
    if pa.types.is_decimal(kind):
        return (_integers(column), wrap) if kind.scale <= 0 and not column.null_count else (_floats(column), wrap)
    if pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        if column.null_count:
            return _floats(column), wrap
        if kind not in (pa.bool_(), pa.uint8()):
            column = column.cast(pa.from_numpy_dtype(column_type(kind.to_pandas_dtype()).numpy))
        return column, wrap
    if pa.types.is_floating(kind) or pa.types.is_null(kind):
        return _floats(column), wrap
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return pa.chunked_array([_lists(name, chunk) for chunk in _chunks(column)]), wrap
    raise ArgumentTypeError(
        f"no column can hold values of Arrow's type {kind}.",
        details=[f"column: {name!r}"] if name else [],
        hint="cast them to numbers, text, times or lists of these, or leave the column out.",
    )


def _is_text(kind: pa.DataType) -> bool:
    is_view = getattr(pa.types, "is_string_view", lambda _: False)
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or is_view(kind)


def _chunks(column: pa.ChunkedArray) -> list[pa.Array]:
    return column.chunks or [pa.array([], column.type)]


def _floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    numbers = column.cast(pa.uint8()) if pa.types.is_boolean(column.type) else column
    return numbers.cast(pa.float64(), safe=False).fill_null(np.nan)


def _integers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return decimals without fraction as integers of any size, all of one width."""
    return pa.chunked_array([from_ints([int(number) for number in column.to_pylist()])])


def _numbered(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Make]:
    """Return times as numbers of their own unit, days as seconds, and a function that makes an array of them."""
    kind, may_lack = column.type, bool(column.null_count)
    if pa.types.is_date(kind):
        kind = pa.timestamp("s" if pa.types.is_date32(kind) else "ms")
        column = column.cast(kind)
    numbers = pa.chunked_array([chunk.view(pa.int64()) for chunk in _chunks(column)]).fill_null(_NAT)
    if pa.types.is_duration(kind):
        return numbers, partial(Timedelta.of, form=TimeForm(SPAN, kind.unit, None, may_lack))
    zone = None if kind.tz is None else checked_zone(kind.tz)
    return numbers, partial(Datetime.of, form=TimeForm(TIME, kind.unit, zone, may_lack))


def _lists(name: str, chunk: pa.Array) -> pa.LargeListArray:
    """Return lists with values as columns hold them; a missing list is empty."""
    values, _ = _stored(name, pa.chunked_array([chunk.flatten()]))
    if _is_text(values.type):
        values = values.fill_null("")
    counts = pc.list_value_length(chunk).fill_null(0).cast(pa.int64()).to_numpy()
    return lists_of(np.concatenate([[0], np.cumsum(counts)]), values.combine_chunks())


def _categorical(name: str, column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Make]:
    """Return the codes of a dictionary of text; missing text has the NA code."""
    unified = column.unify_dictionaries()
    chunks = _chunks(unified)
    labels = chunks[0].dictionary.cast(pa.large_string())
    if labels.null_count or len(labels.unique()) < len(labels):
        return _stored(name, column.cast(pa.large_string()))
    named = labels.to_pylist()
    missing = named.index(DEFAULT_NA) if DEFAULT_NA in named else len(named)
    codes = pa.chunked_array([chunk.indices.cast(pa.int64()) for chunk in chunks]).fill_null(missing)
    ordered = bool(column.type.ordered)
    return codes, lambda frame, value: Categorical.from_codes(
        pdarray(frame, value), wrap(*literal(labels)), ordered=ordered
    )
