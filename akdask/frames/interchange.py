"""Exchange with other libraries: Arrow, polars, duckdb, Dask, xarray and torch, of frames and arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import dask
import numpy as np

from akdask._dask import Task, TaskRef, unknown_categories
from akdask.arrays.array import Array, wrap
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import DEFAULT_NA
from akdask.arrays.datetimes import Datetime, Timedelta
from akdask.arrays.pdarray import pdarray
from akdask.arrays.to_arrow import ToArrow
from akdask.columns.arrow import lists_of, numpy_numbers
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import (
    BOOL,
    INT64,
    NULLABLE_STR,
    PER_SECOND,
    SPAN,
    STR,
    TIME,
    ColumnType,
    TimeForm,
    column_type,
)
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import from_nulls
from akdask.columns.table import Table, empty
from akdask.deferred import is_arrow, module_named, pa, pc, pd
from akdask.engine.dask_bridges import to_dask
from akdask.engine.explain import partitions_stand_alone
from akdask.engine.node import Frame, RowSpace
from akdask.engine.rowwise import Partitions
from akdask.engine.run import CollectionRows
from akdask.engine.sources import Literal, Persisted, as_column, literal, partition_lengths
from akdask.engine.values import ColumnRef, token
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingColumnError,
    PositionError,
    SchemaError,
    TimeOverflowError,
    UnsupportedError,
)
from akdask.frames.columnset import INDEX, ColumnSet
from akdask.frames.conversion import ToPandas
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.operators.join.plan import IS_NA, LABEL
from akdask.operators.values.times import checked_zone, numbers_of
from akdask.storage.objects import ROW_LABELS
from akdask.typing import Column

NOT_EXCHANGED = {
    "duration": "numbers: timedelta // ak.Timedelta(1)",
    "bigint": "text: ak.cast(…, str)",
    "list": "one column of values",
}
"""Types that the protocol lacks, and the types that can be handed on instead."""


_NAT = np.iinfo(np.int64).min


Make = Callable[[Frame, ColumnRef], Array]
"""Makes a lazy array of a column of a frame."""


_TIMES = {"M": Datetime, "m": Timedelta}


def shown_names(columns: ColumnSet) -> dict[Any, str]:
    """Return the names of Arrow's columns, by names of columns; labels of the rows are the last column.

    Raises
    ------
    ArgumentError
        If there are labels, and a column that is called as they are.
    """
    taken = [name for name in columns.values if columns.index is not None and name.lower() == ROW_LABELS.lower()]
    if taken:
        raise ArgumentError(
            f"a DataFrame with a column {taken[0]!r} cannot be an Arrow table with its labels.",
            hint="rename the column, or drop the labels with reset_index(drop=True).",
        )
    return {name: name for name in columns.values} | ({} if columns.index is None else {INDEX: ROW_LABELS})


def arrow_table(columns: ColumnSet) -> pa.Table:
    """Return the rows as an Arrow table; computes.  See `DataFrame.to_arrow`."""
    form, extras = _arrow_form(columns)
    found: pa.Table = CollectionRows(columns.project(with_index=True), form, extras, None).result(chunked=True)
    return found


def arrow_schema(columns: ColumnSet) -> pa.Schema:
    """Return the names and types of the table that `arrow_table` returns; computes nothing."""
    form, extras = _arrow_form(columns)
    project = columns.project(with_index=True)
    nothing = {name: empty(value.dtype) for name, value in zip(project.names, project.values, strict=True)}
    no_labels = [Table({LABEL: empty(STR), IS_NA: empty(BOOL)}, 0)] * len(extras)
    return form(Table(nothing, 0), *no_labels).schema


def _arrow_form(columns: ColumnSet) -> tuple[ToArrow, tuple[Any, ...]]:
    """Return a function that makes Arrow's columns, and the tables of labels that it takes."""
    shown = shown_names(columns)
    tables = {name: kind._category_table for name, kind in columns.kinds.items() if isinstance(kind, Categorical)}
    labelled = [name for name in shown if name in tables]
    form = ToArrow(
        tuple((name, text, columns.kinds[name]._arrow_meaning) for name, text in shown.items()),
        tuple((name, position) for position, name in enumerate(labelled)),
        columns.nullable(),
        frozenset(name for name, table in tables.items() if table.is_ordered),
    )
    return form, tuple(tables[name] for name in labelled)


class InterchangeFrame:
    """The object that ``DataFrame.__dataframe__`` returns.

    Names and numbers of columns are known at once; requests for a column or a chunk compute its rows.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    nan_as_null : bool
        Must be False, as for Arrow's tables.
    allow_copy : bool
        Whether columns may be copied to be handed on.

    Raises
    ------
    UnsupportedError
        If the protocol has no type for a column.

    Notes
    -----
    Follows the dataframe interchange protocol, version 0.  Its chunks are the partitions.  Arrow's own implementation
    hands on their columns.
    """

    version = 0

    def __init__(self, frame: DataFrame, nan_as_null: bool = False, allow_copy: bool = True) -> None:
        if nan_as_null:
            raise UnsupportedError("nan_as_null has no effect.", hint="leave it False; missing text is null.")
        self._frame = frame
        self._allow_copy = allow_copy
        columns = frame._columns
        self._shown = shown_names(columns)
        for name, text in self._shown.items():
            kind = columns.kinds[name]
            of = kind._arrow_meaning.partition(" ")[0] or kind._value.dtype.kind
            if of in NOT_EXCHANGED:
                raise UnsupportedError(
                    f"the interchange protocol has no type for column {text!r}, of {kind._type_name()}.",
                    hint=f"hand on {NOT_EXCHANGED[of]}, or let Arrow's stream be read: pyarrow.table(df).",
                )

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> InterchangeFrame:
        """Return the same rows under other conditions."""
        return InterchangeFrame(self._frame, nan_as_null, allow_copy)

    @property
    def metadata(self) -> dict[str, Any]:
        """Nothing beyond the protocol."""
        return {}

    def num_columns(self) -> int:
        """Return the number of columns."""
        return len(self._shown)

    def num_rows(self) -> int:
        """Return the number of rows; counts them, once, where a filter has left that open."""
        return len(self._frame)

    def num_chunks(self) -> int:
        """Return the number of partitions."""
        return self._frame.npartitions

    def column_names(self) -> list[str]:
        """Return the names of the columns."""
        return list(self._shown.values())

    def get_column(self, i: int) -> Any:
        """Return a column by its position; computes.

        Raises
        ------
        PositionError
            If there is none.
        """
        if not 0 <= i < len(self._shown):
            raise PositionError(f"there is no column {i} among {len(self._shown)}.")
        return self.get_column_by_name(self.column_names()[i])

    def get_column_by_name(self, name: str) -> Any:
        """Return a column by its name; computes.

        Raises
        ------
        MissingColumnError
            If there is none.
        """
        return self._chosen([name])._exchanged.get_column(0)

    def get_columns(self) -> Iterable[Any]:
        """Return all columns; computes them at once."""
        columns: Iterable[Any] = self._exchanged.get_columns()
        return columns

    def select_columns(self, indices: Sequence[int]) -> InterchangeFrame:
        """Return some columns by their positions; lazy."""
        names = self.column_names()
        return self._chosen([names[number] for number in indices])

    def select_columns_by_name(self, names: Sequence[str]) -> InterchangeFrame:
        """Return some columns by their names; lazy."""
        return self._chosen(list(names))

    def get_chunks(self, n_chunks: int | None = None) -> Iterator[Any]:
        """Return the partitions one after the other, each computed when it is reached, or parts of them.

        Where partitions cannot be found one without the others, as after a sort, all are computed and kept first.

        Parameters
        ----------
        n_chunks : int, optional
            A multiple of the number of partitions, each of which is cut into as many parts.

        Raises
        ------
        ArgumentError
            If it is none.
        """
        count = self.num_chunks()
        if n_chunks is not None and (n_chunks < 1 or n_chunks % count):
            raise ArgumentError(f"{count} partitions cannot be handed on in {n_chunks!r} chunks.")
        return self._chunks(1 if n_chunks is None else n_chunks // count)

    def _chunks(self, parts: int) -> Iterator[Any]:
        frame = self._frame
        if not partitions_stand_alone(frame._columns.project(with_index=True)):
            frame = frame.persist()
        columns = frame._columns
        for number in range(self.num_chunks()):
            one = replace(columns, frame=Partitions(columns.frame, (number,)))
            table = arrow_table(one)
            size = -(-table.num_rows // parts)
            for part in range(parts):
                # A consumer takes a chunk for one piece of memory.
                piece = table.slice(part * size, size).combine_chunks()
                yield piece.__dataframe__(allow_copy=self._allow_copy)

    @cached_property
    def _exchanged(self) -> Any:
        return arrow_table(self._frame._columns).__dataframe__(allow_copy=self._allow_copy)

    def _chosen(self, names: Sequence[str]) -> InterchangeFrame:
        own = {text: name for name, text in self._shown.items()}
        missing = [name for name in names if name not in own]
        if missing:
            raise MissingColumnError(
                f"there is no column {missing[0]!r}.", details=[f"columns: {', '.join(map(str, own))}"]
            )
        columns = self._frame._columns
        arrays = {name: columns.index_array() if own[name] == INDEX else columns.array(own[name]) for name in names}
        return InterchangeFrame(self._frame._of(ColumnSet.of(arrays)), allow_copy=self._allow_copy)


def to_arrow(frame: DataFrame) -> pa.Table:
    return arrow_table(frame._columns)


def __dataframe__(frame: DataFrame, nan_as_null: bool, allow_copy: bool) -> InterchangeFrame:
    return InterchangeFrame(frame, nan_as_null, allow_copy)


def dask_frame(frame: DataFrame) -> Any:
    import dask

    arrow = dask.config.get("dataframe.convert-string", None) is not False
    columns = frame._columns
    converter, labels = ToPandas.of(columns, with_index=True, arrow_strings=arrow)
    project = columns.project(with_index=True)
    meta = unknown_categories(converter.of_nothing(project, len(labels)))
    return to_dask(project, converter, labels, meta)


def map_partitions(frame: DataFrame, func: Callable[..., Any], *args: Any, meta: Any, **params: Any) -> Any:
    rows = frame.to_dask()
    given = {} if meta is None else {"meta": meta}

    return from_dask(rows.map_partitions(func, *args, **given, **params))


def from_arrow(data: Any) -> Any:
    """Return Arrow data as lazy objects: a DataFrame of tables, an array of anything else; numbers are not copied.

    Narrow numbers widen to 64 bits, and bools are unpacked.  Timestamps and dates are Datetimes, durations Timedeltas,
    of their units and zones,
    dictionaries of text Categoricals, decimals without fraction integers of any size and others float64.  Where values
    are missing, integers and bools stay missing, text is empty within lists, times are NaT,
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
    """Return a polars DataFrame or Series as lazy objects; see `from_arrow`.  A LazyFrame is collected.

    Examples
    --------
    >>> import polars as pl
    >>> ak.from_polars(pl.DataFrame({"x": [1, 2]}))["x"].tolist()
    [1, 2]
    """
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
    nullable = [_may_lack(column) for column in stored.columns]
    frame = Literal.of(
        [
            Table(dict(zip(stored.column_names, map(_column, columns, nullable), strict=True)), nrows)
            for nrows, columns in tables or nothing
        ]
    )
    return {name: make(frame, frame.column(name)) for name, (_, make) in made.items()}


def _may_lack(column: pa.ChunkedArray) -> bool:
    """Return whether integers or bools are missing, in any partition."""
    return bool(column.null_count) and (pa.types.is_integer(column.type) or pa.types.is_boolean(column.type))


def _column(stored: pa.Array, is_nullable: bool) -> Column:
    if is_nullable:
        values = stored.fill_null(False if pa.types.is_boolean(stored.type) else 0)
        return NullableColumn(numpy_numbers(values), numpy_numbers(stored.is_null()) if stored.null_count else None)
    if pa.types.is_boolean(stored.type):
        return stored.to_numpy(zero_copy_only=False)
    return stored.to_numpy() if pa.types.is_primitive(stored.type) else stored


def _stored(name: str, column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Make]:
    """Return a column in the type in which partitions hold it, and a function that makes it a lazy array.

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
    flat = pa.chunked_array([chunk.flatten()])
    values = _floats(flat) if _may_lack(flat) else _stored(name, flat)[0]
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


def from_dask(data: Any) -> Any:
    """Return a Dask DataFrame, Series or array of one dimension as lazy objects with the same partitions.

    Partition lengths are unknown, except for arrays with known chunks; they are counted when an operation needs them.
    Labels of the rows are kept, unless they are plain numbers from 0 without a name.  Known categories of Dask give
    Categoricals, unknown ones text.

    Parameters
    ----------
    data : dask.dataframe.DataFrame, dask.dataframe.Series or dask.array.Array
        A collection of Dask.

    Raises
    ------
    ArgumentTypeError
        If it is of another kind, or has a column of a type that no column can hold.
    ArgumentError
        If an array has several dimensions.

    Examples
    --------
    >>> rows = ak.DataFrame({"x": [1, 2, 3]}).to_dask()
    >>> ak.from_dask(rows)["x"].tolist()
    [1, 2, 3]
    """
    meta = getattr(data, "_meta", None)
    if isinstance(meta, pd.DataFrame):
        return _frame(data, meta)
    if isinstance(meta, pd.Series):
        return _frame(data.to_frame("values"), meta.to_frame("values"))["values"]
    if isinstance(meta, np.ndarray) and hasattr(data, "chunks"):
        return _array(data)
    raise ArgumentTypeError(
        f"a {type(data).__name__} is no Dask DataFrame, Series or array.", hint="use ak.array(…) or ak.from_arrow(…)."
    )


def _frame(data: Any, meta: pd.DataFrame) -> DataFrame:
    names = list(meta.columns)
    bad = [repr(name) for name in names if type(name) is not str]
    if bad or len(set(names)) < len(names):
        raise ArgumentTypeError("columns are named by str, each by another.", details=bad)
    columns: dict[Hashable, Any] = {name: meta[name].dtype for name in names}
    has_labels = not _is_numbered(meta.index)
    if has_labels:
        columns[INDEX] = meta.index.dtype
    arrays = _arrays_of_partitions(data, columns, [math.nan] * data.npartitions)
    index = Index(arrays.pop(INDEX), meta.index.name) if has_labels else None
    return DataFrame(arrays, index=index)


def _is_numbered(index: pd.Index[Any]) -> bool:
    """Whether labels are the default of Dask: numbers without a name, from 0 in each partition or across them."""
    return index.name is None and (isinstance(index, pd.RangeIndex) or pd.api.types.is_integer_dtype(index.dtype))


def _array(data: Any) -> Array:
    if data.ndim != 1:
        raise ArgumentError(f"an array has one dimension, not {data.ndim}.", hint="pass data.ravel().")
    return _arrays_of_partitions(data, {0: data.dtype}, data.chunks[0])[0]


def _arrays_of_partitions(data: Any, columns: Mapping[Hashable, Any], lengths: Sequence[float]) -> dict[Any, Array]:
    """Return the columns of a Dask collection on the rows of one frame."""
    schema = tuple((name, _type_of(name, dtype)) for name, dtype in columns.items())
    known = {name: dtype.categories for name, dtype in columns.items() if _has_categories(dtype)}
    units = {name: form.unit for name, dtype in columns.items() if (form := _form_of(dtype)) is not None}
    convert = partial(_table, schema=schema, categories=known, units=units)
    optimized = data.optimize() if hasattr(data, "optimize") else data
    graph = dict(optimized.__dask_graph__())
    given = _flat(optimized.__dask_keys__())
    name = f"from-dask-{token(str(given[0]), schema)}"
    keys = [(name, number) for number in range(len(given))]
    graph.update({ours: Task(ours, convert, TaskRef(theirs)) for ours, theirs in zip(keys, given, strict=True)})
    is_known = not any(map(math.isnan, lengths))
    rows = RowSpace.of_lengths(list(map(int, lengths))) if is_known else RowSpace(name, len(keys))
    frame = Persisted(name, graph, tuple(keys), rows, schema)
    return {column: _lazy(frame, column, dtype, columns[column]) for column, dtype in schema}


def _flat(keys: Any) -> list[Any]:
    return [key for item in keys for key in _flat(item)] if isinstance(keys, list) else [keys]


def _lazy(frame: Persisted, name: Hashable, dtype: ColumnType, given: Any) -> Array:
    value = ColumnRef(frame._name, name, dtype)
    if _has_categories(given):
        return Categorical.from_codes(pdarray(frame, value), [*map(str, given.categories)], ordered=bool(given.ordered))
    form = _form_of(given)
    return wrap(frame, value) if form is None else _TIMES[given.kind].of(frame, value, form)


def _has_categories(dtype: Any) -> bool:
    """Whether a type is that of categories that Dask knows, all of which are text."""
    if not isinstance(dtype, pd.CategoricalDtype):
        return False
    known = [item for item in dtype.categories if isinstance(item, str) and item != "__UNKNOWN_CATEGORIES__"]
    return bool(known) and len(known) == len(dtype.categories)


def _type_of(name: Any, dtype: Any) -> ColumnType:
    if _has_categories(dtype) or getattr(dtype, "kind", "") in _TIMES:
        return INT64
    is_text = isinstance(dtype, pd.StringDtype | pd.CategoricalDtype) or dtype == np.dtype(object)
    if isinstance(dtype, pd.ArrowDtype):
        is_text = pa.types.is_string(dtype.pyarrow_dtype) or pa.types.is_large_string(dtype.pyarrow_dtype)
    try:
        if is_text:
            return NULLABLE_STR
        plain = getattr(dtype, "numpy_dtype", dtype)
        # Named as types of data in memory are, so that bytes stay bytes.
        return column_type(plain.name if plain == np.uint8 else plain)
    except ArgumentTypeError:
        raise ArgumentTypeError(f"no column can hold {name!r}, whose type is {dtype}.") from None


def _table(
    part: Any,
    schema: Sequence[tuple[Hashable, ColumnType]],
    categories: Mapping[Hashable, pd.Index[Any]],
    units: Mapping[Hashable, str],
) -> Table:
    """Return a partition of Dask's as a table: the function of its tasks.

    Raises
    ------
    SchemaError
        If it is not of the types that Dask has told.
    """
    columns = {}
    for name, dtype in schema:
        given = part if name == 0 and isinstance(part, np.ndarray) else part.index if name == INDEX else part[name]
        if name in units and getattr(given.dtype, "kind", "") in _TIMES:
            columns[name] = _numbers(name, given, given.dtype.kind, units[name])
        else:
            columns[name] = _column_at_hand(name, given, dtype, categories.get(name))
    return Table(columns, len(part))


def _column_at_hand(name: Hashable, given: Any, dtype: ColumnType, categories: pd.Index[Any] | None) -> Any:
    if categories is not None:
        codes = np.asarray(pd.Categorical(given, categories=categories).codes, np.int64)
        return np.where(codes < 0, len(categories), codes)
    if dtype.kind == "str":
        text = pa.array(given, from_pandas=True)
        return from_nulls(as_column(text.cast(pa.large_string())))
    found = as_column(np.asarray(given))
    if not isinstance(found, np.ndarray) or found.dtype != dtype.numpy:
        raise SchemaError(
            f"{name!r} has {given.dtype} in a partition, where Dask has told of {dtype}.",
            hint="give Dask the right types as meta.",
        )
    return found


def _numbers(name: Hashable, given: Any, kind: str, unit: str) -> Any:
    """Return times or spans as numbers of the unit that Dask has told of.

    Raises
    ------
    TimeOverflowError
        If 64 bits do not hold one.
    """
    try:
        return numbers_of(given, kind, unit)[0]
    except TimeOverflowError as error:
        raise TimeOverflowError(
            f"{name!r} has times that do not fit into 64 bits of {unit}.",
            details=error.details,
            hint="give Dask the right types as meta, or pass them as numbers.",
        ) from error


def _form_of(dtype: Any) -> TimeForm | None:
    """Return the form of times of a type, None for types without times."""
    if isinstance(dtype, pd.DatetimeTZDtype):
        return TimeForm(TIME, dtype.unit, checked_zone(dtype.tz))
    if getattr(dtype, "kind", "") not in _TIMES:
        return None
    unit = np.datetime_data(dtype)[0]
    return TimeForm(
        TIME if dtype.kind == "M" else SPAN, unit if unit in PER_SECOND else "ns" if unit == "generic" else "s"
    )


ROWS = "index"
"""The dimension of rows without a name, as pandas has it."""


def to_xarray(frame: DataFrame) -> Any:
    """Return the columns as variables on one dimension, that of the labels; see `DataFrame.to_xarray`."""
    xarray = module_named("xarray")
    counted = frame.resolve_lengths()
    name = counted.index.name or ROWS
    if name in counted.columns:
        raise ArgumentError(
            f"labels and a column are both called {name!r}.", hint="rename the column, or call reset_index(drop=True)."
        )
    variables = {column: (name, counted[column].to_dask()) for column in counted.columns}
    return xarray.Dataset(variables, {name: counted.index.to_ndarray()})


def from_xarray(data: Any) -> DataFrame:
    """Return the variables of a data set of xarray as the columns of a lazy DataFrame.

    Rows are the points of all dimensions, the last of which varies fastest.  Coordinates are columns, too; one that is
    called ``index`` labels the rows.  Chunks that are computed by Dask are read when values are asked for.

    Parameters
    ----------
    data : xarray.Dataset or xarray.DataArray
        An array must have a name.

    Raises
    ------
    ArgumentTypeError
        If the object is of another kind.

    Examples
    --------
    >>> ak.from_xarray(xarray.Dataset({"a": ("x", [5, 6])}, {"x": [1, 2]})).to_pandas()  # doctest: +SKIP
       x  a
    0  1  5
    1  2  6
    """
    xarray = module_named("xarray")
    if isinstance(data, xarray.DataArray):
        data = data.to_dataset(name=data.name or "values")
    if not isinstance(data, xarray.Dataset):
        raise ArgumentTypeError(f"a {type(data).__name__} is no data set of xarray.", hint="ak.array(…) takes arrays.")
    dimensions = list(map(str, data.sizes))
    absent = [name for name in dimensions if name not in data.coords]
    complete = data.assign_coords({name: range(data.sizes[name]) for name in absent})
    names = [*dimensions, *(str(name) for name in complete.variables if name not in dimensions)]
    # A coordinate of a dimension cannot be chunked, and a variable of another name can.
    spread = xarray.broadcast(*(xarray.DataArray(complete[name].variable.to_base_variable()) for name in names))
    chunked = xarray.Dataset({str(number): one for number, one in enumerate(spread)}).chunk().unify_chunks()
    return DataFrame(
        {
            name: from_dask(chunked[str(number)].transpose(*dimensions).data.reshape(-1))
            for number, name in enumerate(names)
        }
    )


class Samples:
    """Rows of a frame by position; see `DataFrame.to_torch`.

    Parameters
    ----------
    frame : DataFrame
        The rows; they are counted.
    """

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame.resolve_lengths()
        self._names = [str(name) for name in self._frame.columns.tolist()]

    def __len__(self) -> int:
        return len(self._frame)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return the values of one row by name; computes."""
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """Return the values of several rows, which are read at once; a loader calls this for whole batches."""
        wanted = np.asarray(indices, np.int64)
        if wanted.size and not -len(self) <= wanted.min() <= wanted.max() < len(self):
            raise PositionError(f"there are {len(self):,} rows, and none at {wanted.max()}.")
        chosen = self._frame.take(wanted)
        columns = dict(zip(self._names, dask.compute(*[chosen[name] for name in self._names]), strict=True))
        return [{name: values[row] for name, values in columns.items()} for row in range(len(wanted))]
