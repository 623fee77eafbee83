"""Rows to be written: a stream from memory or any other producer, or lazy rows that tasks encode.

Both are cut into row groups.  Each row group of lazy rows has a task, which reads only the rows that it needs.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property, partial
from itertools import chain
from typing import Any, Protocol, TypeVar
from uuid import uuid4

import numpy as np
import pyarrow as pa
from dask.system import CPU_COUNT

from akdask._dask import Expr, List, Task, TaskRef
from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.ndarray import ArrayView
from akdask.arrays.strings import Strings
from akdask.arrays.to_arrow import ToArrow
from akdask.cluster import default_client, shares_memory
from akdask.columns.dtypes import NOT_A_TIME
from akdask.columns.table import Table, empty
from akdask.deferred import pc, pd
from akdask.engine.alignment import Realign, row_slices
from akdask.engine.blocks import Partition, PartitionBatch
from akdask.engine.node import Frame, Node, RowSpace, lower, materialize
from akdask.engine.pipeline import Compile, pipeline
from akdask.engine.rowwise import Chain, Project, Slice, Tables, Tasks
from akdask.engine.run import resolve_lengths, run
from akdask.engine.sinks import Collect, Sink
from akdask.engine.sources import Literal, Rows, Scan
from akdask.engine.values import Call, Program, Value
from akdask.errors import ArgumentTypeError
from akdask.evo import tuning
from akdask.evo.canonical import is_of_pandas, table_of
from akdask.evo.errors import ContentError, ShapeError, UnsupportedTableError
from akdask.frames.dataframe import DataFrame
from akdask.frames.interchange import from_dask
from akdask.records import record

T = TypeVar("T")
R = TypeVar("R")


def lazy_rows(given: Any) -> LazyRows | None:
    """Return lazy data as lazy rows, None for data in memory.

    Parameters
    ----------
    given : object
        A DataFrame or array of akdask or of Dask, also an array of two dimensions, or a mapping of names to arrays.

    Raises
    ------
    UnsupportedTableError
        If it is lazy, but no table.
    AlignmentError
        If arrays do not share rows.
    """
    if isinstance(given, DataFrame):
        return LazyRows(given)
    if isinstance(given, ArrayView):
        raise UnsupportedTableError("an array of several dimensions is no table.", hint="flatten it first.")
    if isinstance(given, Array):
        return LazyRows(DataFrame({"data": given}))
    if is_dask(given):
        return LazyRows(*columns_of_dask(given))
    if isinstance(given, Mapping) and any(isinstance(item, Array) or is_dask(item) for item in given.values()):
        return LazyRows(*columns_of_mapping(given))
    return None


@record
class RowStream:
    """Tables that come one after the other.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns of all.
    tables : iterator of pyarrow.Table
        The tables, as an iterator that is consumed once.
    """

    schema: pa.Schema
    tables: Iterator[pa.Table]

    @classmethod
    def of(cls, rows: Any) -> RowStream:
        """Return rows as a stream.

        Parameters
        ----------
        rows : object
            Any rows that `akdask.evo.canonical.table_of` takes; any producer of Arrow streams, such as a
            RecordBatchReader or a frame of polars; a dataset of HDF5 or an array of Zarr of one or two dimensions; or
            an iterator of any of these.

        Raises
        ------
        UnsupportedTableError
            If it is none of these.
        """
        if isinstance(rows, pa.RecordBatchReader):
            return cls(rows.schema, (pa.Table.from_batches([batch]) for batch in rows))
        if isinstance(rows, pa.Table):
            return cls(rows.schema, iter([rows]))
        if hasattr(rows, "__arrow_c_stream__") and not is_of_pandas(rows):
            return cls.of(pa.RecordBatchReader.from_stream(rows))
        if (
            hasattr(rows, "shape")
            and hasattr(rows, "dtype")
            and not isinstance(rows, np.ndarray)
            and not is_of_pandas(rows)
        ):
            return cls.of(_sliced(rows))
        if isinstance(rows, Iterator):
            return cls._of_tables(rows)
        table = table_of(rows)
        return cls(table.schema, iter([table]))

    @classmethod
    def _of_tables(cls, given: Iterator[Any]) -> RowStream:
        tables = (item for part in given for item in cls.of(part).tables)
        first = next(tables, None)
        if first is None:
            raise UnsupportedTableError("there is no table, so that nothing tells the columns.")
        return cls(first.schema, chain([first], tables))

    def groups(self, nrows: int) -> Iterator[pa.Table]:
        """Yield tables of a given number of rows, the last one with the rest; an empty one if there are no rows."""
        left: list[pa.Table] = []
        count = 0
        is_first = True
        for table in self.tables:
            if table.num_columns != len(self.schema):
                raise ShapeError(f"a table of {table.num_columns} columns follows one of {len(self.schema)}.")
            rest = table
            while count + len(rest) >= nrows:
                wanted = nrows - count
                yield _joined([*left, rest.slice(0, wanted)])
                left, count, is_first = [], 0, False
                rest = rest.slice(wanted)
            if len(rest):
                left.append(rest)
                count += len(rest)
        if count or is_first:
            yield _joined(left) if left else self.schema.empty_table()


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    first = tables[0]
    return (
        first if len(tables) == 1 else pa.concat_tables([table.rename_columns(first.column_names) for table in tables])
    )


def _sliced(dataset: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield runs of rows of an array-like that is not in memory."""
    if len(dataset.shape) not in (1, 2):
        raise UnsupportedTableError(
            f"an array of {len(dataset.shape)} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    width = int(np.prod(dataset.shape[1:], dtype=np.int64)) * np.dtype(dataset.dtype).itemsize
    step = max(1, tuning.SLICE_BYTES // max(width, 1))
    yield np.asarray(dataset[:0])
    for start in range(0, dataset.shape[0], step):
        yield np.asarray(dataset[start : start + step])


def in_order(function: Callable[[T, int], R], items: Iterable[T], count: int, at_once: int) -> Iterator[tuple[R, ...]]:
    """Yield a function's results for each item and the numbers below a count, computing the next ones in threads.

    Parameters
    ----------
    function : callable
        Called with an item and a number.
    items : iterable
        The items, whose results are yielded in their order.
    count : int
        How many numbers there are.
    at_once : int
        How many items are taken at most before the results of the first are yielded.
    """
    pending: deque[list[Future[R]]] = deque()
    most = min(at_once, CPU_COUNT + 1)
    with ThreadPoolExecutor(CPU_COUNT, "akdask-evo") as pool:
        try:
            for item in items:
                pending.append([pool.submit(function, item, number) for number in range(count)])
                del item
                if len(pending) >= most:
                    yield tuple(future.result() for future in pending.popleft())
            while pending:
                yield tuple(future.result() for future in pending.popleft())
        finally:
            for future in chain.from_iterable(pending):
                future.cancel()


OwnTypes = Mapping[str, Any]
"""Arrow types of columns whose lazy type is another, by name."""


def is_dask(given: Any) -> bool:
    """Whether something is a collection of Dask."""
    return type(given).__module__.partition(".")[0] == "dask" and hasattr(given, "__dask_graph__")


def columns_of_dask(given: Any) -> tuple[DataFrame, OwnTypes]:
    """Return a Dask DataFrame, Series or array of one or two dimensions as lazy columns, and their own types.

    Raises
    ------
    UnsupportedTableError
        If an array has more dimensions, or a column is of a type that no column can hold.
    """
    try:
        if hasattr(given, "chunks"):
            return _of_array(given)
        return _of_frame(given.to_frame("data") if isinstance(given._meta, pd.Series) else given)
    except ArgumentTypeError as error:
        raise UnsupportedTableError(error.message, details=error.details, hint=error.hint) from error


def columns_of_mapping(given: Mapping[Any, Any]) -> tuple[DataFrame, OwnTypes]:
    """Return lazy columns by name, some of them of Dask, and their own types.

    Raises
    ------
    UnsupportedTableError
        If one is of a type that no column can hold, or is no column.
    AlignmentError
        If they do not share rows.
    """
    columns: dict[Hashable, Any] = {}
    own: dict[str, Any] = {}
    for name, item in given.items():
        if not is_dask(item):
            columns[str(name)] = item
            continue
        found, types = columns_of_dask(item)
        if len(found.columns) != 1:
            raise UnsupportedTableError(f"column {name!r} has {len(found.columns)} columns.", hint="name each alone.")
        columns[str(name)] = found[found.columns[0]]
        own.update({str(name): kind for kind in types.values()})
    return DataFrame(columns), own


def _of_array(given: Any) -> tuple[DataFrame, OwnTypes]:
    if given.ndim > 2:
        raise UnsupportedTableError(
            f"an array of {given.ndim} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    kind = pa.from_numpy_dtype(given.dtype) if given.dtype.kind in "iufbM" else None
    plain = given.view(np.int64) if given.dtype.kind == "M" else given
    columns = {"data": plain} if given.ndim == 1 else {str(n): plain[:, n] for n in range(given.shape[1])}
    # NaN of arrays stays NaN.
    own = {} if kind is None or kind == pa.float64() else dict.fromkeys(columns, kind)
    arrays: dict[Hashable, Array] = {name: from_dask(column) for name, column in columns.items()}
    return DataFrame(arrays), own


def _of_frame(given: Any) -> tuple[DataFrame, OwnTypes]:
    if not all(isinstance(name, str) for name in given.columns):
        given = given.rename(columns={name: str(name) for name in given.columns})
    meta = given._meta
    try:
        types = pa.Schema.from_pandas(meta, preserve_index=False)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise UnsupportedTableError("a Dask DataFrame is no table.", details=[str(error)]) from error
    own = {field.name: field.type for field in types if _is_plain(field.type)}
    changed = {name: dtype for name, kind in own.items() if (dtype := _plain_type(meta[name].dtype, kind)) is not None}
    if changed:
        types_of_parts = {name: np.dtype(dtype) for name, dtype in changed.items()}
        plain = meta.assign(**{name: pd.Series([], dtype=dtype) for name, dtype in types_of_parts.items()})
        given = given.map_partitions(partial(_plain_part, own={name: own[name] for name in changed}), meta=plain)
    return from_dask(given), own


def _is_plain(kind: Any) -> bool:
    """Whether lazy columns hold a type as numbers."""
    types = pa.types
    return bool(types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_timestamp(kind))


def _plain_type(dtype: Any, kind: Any) -> type | None:
    """Return the NumPy type to which a pandas column is first converted, None where it needs no conversion."""
    if pa.types.is_timestamp(kind):
        return np.int64
    return None if isinstance(dtype, np.dtype) else np.float64


def _plain_part(part: pd.DataFrame, own: OwnTypes) -> pd.DataFrame:
    """Return a partition with types of lazy columns; a function of tasks."""
    made = {name: _plain(part[name], kind) for name, kind in own.items()}
    return part.assign(**made)


def _plain(column: pd.Series[Any], kind: Any) -> Any:
    array = pa.chunked_array([pa.array(column, from_pandas=True).cast(kind)], kind)
    if pa.types.is_timestamp(kind):
        return array.cast(pa.int64()).fill_null(NOT_A_TIME).to_numpy()
    try:
        numbers = array.cast(pa.uint8()) if pa.types.is_boolean(kind) else array
        return numbers.cast(pa.float64()).to_numpy()
    except pa.ArrowInvalid as error:
        raise ContentError(
            f"column {column.name!r} of {column.dtype} has numbers of more than 53 bits.",
            details=[str(error)],
            hint="fill what is missing, and cast the column to a type of NumPy.",
        ) from error


def as_own(column: Any, kind: Any) -> Any:
    """Return an Arrow column in its own type, with nulls in place of the lazy column's missing values.

    Raises
    ------
    ArrowException
        If a number does not fit, which lazy columns of such a type do not have.
    """
    if pa.types.is_timestamp(kind):
        present = pc.not_equal(column, pa.scalar(NOT_A_TIME, pa.int64()))
        return pc.if_else(present, column, pa.scalar(None, pa.int64())).cast(kind)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        if pa.types.is_boolean(kind):
            column = column.cast(pa.uint8())
    return column if column.type == kind else column.cast(kind)


class EncodeColumns(Protocol):
    """Encodes the columns of row groups, and joins them."""

    @property
    def width(self) -> int:
        """Number of columns."""

    def __call__(self, rows: pa.Table, number: int) -> Any:
        """Return the encoded form of one column of a row group."""

    def joined(self, columns: Sequence[Any]) -> Any:
        """Return the encoded form of a row group, given its encoded columns."""


@record
class ToTable:
    """Makes an Arrow table of the rows of a task.

    Parameters
    ----------
    form : ToArrow
        Makes a table whose times have no zone.
    own : tuple of (str, pyarrow.DataType)
        Columns that have another type than their lazy ones, and that type.
    """

    form: ToArrow
    own: tuple[tuple[str, Any], ...]

    def __call__(self, rows: Table) -> pa.Table:
        """Return the table."""
        table = self.form(rows)
        for name, kind in self.own:
            position = table.schema.get_field_index(name)
            table = table.set_column(position, name, as_own(table.column(position), kind))
        return table


class LazyRows:
    """Columns of a plan that share rows.

    Parameters
    ----------
    frame : DataFrame
        The columns; labels of a Categorical become text, including missing ones.
    own : mapping of str to pyarrow.DataType, optional
        The types of columns that have others than their lazy ones.
    """

    def __init__(self, frame: DataFrame, own: OwnTypes | None = None) -> None:
        text = {
            name: _as_text(frame[name])
            for name in frame.columns
            if isinstance(frame._columns.kinds.get(name), Categorical)
        }
        given = DataFrame({name: text.get(name, frame[name]) for name in frame.columns}) if text else frame
        columns = given._columns
        self._project: Project = columns.project(with_index=False)
        meanings = tuple((name, str(name), columns.kinds[name]._arrow_meaning) for name in columns.values)
        self._form = ToTable(ToArrow(meanings, (), columns.nullable()), tuple((own or {}).items()))

    @property
    def schema(self) -> pa.Schema:
        """The types that the columns have in Arrow."""
        project = self._project
        nothing = {name: empty(value.dtype) for name, value in zip(project.names, project.values, strict=True)}
        return self._form(Table(nothing, 0)).schema

    def encoded(self, nrows: int, encode: EncodeColumns) -> EncodedRows:
        """Return the plan of encoded row groups of a given size; counts rows where the number is unknown."""
        project = self._project
        resolve_lengths(project)
        lengths = tuple(project.rows.lengths or ())
        total = sum(lengths)
        wanted = tuple(min(nrows, total - start) for start in range(0, total, nrows)) or (0,)
        name = uuid4().hex
        if not _is_cheap(project):
            cut = project if lengths == wanted else Realign(project, lengths, wanted)
            return EncodedRows(cut, None, self._form, encode, _determ_token=name)
        # Each task reads its rows alone, so that partitions may be of any size.
        slices = [some or [(0, 0, 0)] for some in row_slices(lengths, wanted)]
        ranges = tuple((partition, start, stop, 1) for some in slices for partition, start, stop in some)
        sliced = Project(Slice(project.frame, ranges), project.names, project.values)
        return EncodedRows(sliced, tuple(_runs(map(len, slices))), self._form, encode, _determ_token=name)


def _as_text(labels: Categorical) -> Strings:
    text, missing = labels.to_strings(), labels.isna()
    return Strings(text._frame, Call("make_missing", text._value, missing._value))


def _runs(counts: Iterable[int]) -> Iterator[tuple[int, ...]]:
    start = 0
    for count in counts:
        yield tuple(range(start, start + count))
        start += count


def _is_cheap(project: Project) -> bool:
    """Whether rows of a partition are found without computing the partitions before."""
    chain = Chain.of(project.frame)
    return not chain.selections and all(isinstance(base, Scan | Rows | Literal) for base in chain.bases)


@record
class CollectTable:
    """Collects rows as an Arrow table.

    Parameters
    ----------
    rows : Collect
        Collects them.
    form : ToTable
        Makes an Arrow table of them.
    """

    rows: Collect
    form: ToTable

    @property
    def leave_last_mask(self) -> bool:
        """As that of the rows."""
        return self.rows.leave_last_mask

    @property
    def programs(self) -> Sequence[Program]:
        """The programs of the rows."""
        return self.rows.programs

    def run(self, partition: Partition | PartitionBatch) -> Any:
        """Return the rows of partitions."""
        return self.form(self.rows.run(partition))


class EncodedRows(Frame):
    """Encoded row groups: of each partition of `frame`, or where `runs` are given of each run of partitions."""

    frame: Project | Realign
    runs: tuple[tuple[int, ...], ...] | None
    form: ToTable
    encode: EncodeColumns

    @cached_property
    def rows(self) -> RowSpace:
        """Each row group is one partition of one element, whatever its rows."""
        return RowSpace.of_lengths([1] * self.npartitions)

    @cached_property
    def npartitions(self) -> int:
        """Number of row groups."""
        return self.frame.npartitions if self.runs is None else len(self.runs)

    def results(self, consume: Callable[[Any], None], at_once: int) -> None:
        """Pass all row groups to a function in order, each as soon as possible; computes.

        Threads of this process pass them on within tasks. They do not begin to read the rows of more than `at_once`
        unfinished row groups, except where partitions have to be computed as a whole.  Results of a cluster are fetched
        one by one.

        Raises
        ------
        AkdaskError
            Errors of finding the rows, of encoding them or of the function.
        """
        client = None if shares_memory() else default_client()
        if client is None:
            if shares_memory():
                run(InOrder(consume, at_once, self, _determ_token=uuid4().hex))
            else:
                (found,) = run(
                    Tasks(f"all {self._name}", list, ((tuple((0, n) for n in range(self.npartitions)), ()),), self)
                )
                for item in found:
                    consume(item)
            return
        futures = client.get(materialize(self), self.__dask_keys__(), sync=False)
        try:
            for number, future in enumerate(futures):
                consume(future.result())
                futures[number] = None
                future.release()
        except BaseException:
            client.cancel([future for future in futures if future is not None])
            raise


class InOrder(Frame):
    """Calls a function with encoded row groups in their order; its single result is None."""

    consume: Callable[[Any], None]
    at_once: int
    frame: EncodedRows

    @cached_property
    def rows(self) -> RowSpace:
        """One result."""
        return RowSpace.of_lengths([1])


class _Calls(Node):
    """The tasks of `InOrder`: each waits for the one before.  All but the last are named by `name` and a number."""

    consume: Callable[[Any], None]
    name: str
    groups: Expr

    @property
    def npartitions(self) -> int:
        return 1

    def _layer(self) -> dict[Any, Any]:
        groups = self.groups.__dask_keys__()
        keys = [(self.name, number) for number in range(len(groups) - 1)] + [(self._name, 0)]
        graph: dict[Any, Any] = {}
        for number, (key, group) in enumerate(zip(keys, groups, strict=True)):
            waits = [TaskRef(keys[number - 1])] if number else []
            graph[key] = Task(key, _call, self.consume, TaskRef(group), List(*waits))
        return graph


@record
class _Tables:
    """Lowered tasks that make tables, held by a node as its own rather than as an input."""

    expr: Node


class _Waiting(Node):
    """Tasks that make tables, each of which waits until an earlier one, a fixed number before it, was passed on.

    Otherwise reading would run ahead of encoding and fill the memory, the more so the more threads there are.
    """

    tables: _Tables
    name: str
    at_once: int

    @property
    def npartitions(self) -> int:
        return int(self.tables.expr.npartitions)

    def __dask_keys__(self) -> list[Any]:
        """Return the keys of the tables."""
        keys: list[Any] = self.tables.expr.__dask_keys__()
        return keys

    def _layer(self) -> dict[Any, Any]:
        graph = dict(self.tables.expr.__dask_graph__())
        for number, key in enumerate(self.__dask_keys__()[self.at_once :]):
            task = graph[key]
            if isinstance(task, Task):
                graph[key] = Task(key, _call_after, TaskRef((self.name, number)), task.func, *task.args, **task.kwargs)
        return graph


def _call(consume: Callable[[Any], None], item: Any, before: Sequence[None]) -> None:
    consume(item)


def _call_after(before: None, function: Callable[..., Any], *args: Any, **options: Any) -> Any:
    return function(*args, **options)


@lower.register
def _(frame: InOrder) -> Expr:
    name = f"written {frame._name}"
    tables = _tables(frame.frame)
    if frame.frame.runs is not None:
        # Only tasks that read the rows of one row group can wait. Others must compute partitions first.
        read = _Tables(tables.lower_completely())
        tables = _Waiting(read, name, frame.at_once, _determ_token=f"tables of {frame._name}")
    return _Calls(frame.consume, name, _groups(frame.frame, tables), _determ_token=frame._name)


@lower.register
def _(frame: EncodedRows) -> Expr:
    return _groups(frame, _tables(frame))


def _tables(frame: EncodedRows) -> Node:
    """Return the tasks that make an Arrow table for each row group."""
    if frame.runs is None:
        shared = Tables(f"form of {frame._name}", (frame.form,), _determ_token=uuid4().hex)
        calls = tuple((((0, 0), (1, number)), ()) for number in range(frame.npartitions))
        return Tasks(f"tables of {frame._name}", _to_table, calls, shared, frame.frame)
    project = frame.frame
    assert isinstance(project, Project), "runs are of partitions that are read"

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return CollectTable(Collect(project.names, compile_these(values)), frame.form)

    made: Node = pipeline(project.frame, project.values, sink, f"tables of {frame._name}", batches=frame.runs)
    return made


def _groups(frame: EncodedRows, tables: Expr) -> Expr:
    """Return the tasks that encode the columns of row groups, and put them together."""
    width = frame.encode.width
    shared = Tables(f"encoding {frame._name}", (frame.encode,), _determ_token=uuid4().hex)
    pairs = [(group, number) for group in range(frame.npartitions) for number in range(width)]
    calls = tuple((((0, 0), (1, group)), (number,)) for group, number in pairs)
    columns = Tasks(f"columns of {frame._name}", _encode, calls, shared, tables)
    parts = [range(start, start + width) for start in range(0, len(pairs), width)]
    joins = tuple((((0, 0), *((1, number) for number in part)), ()) for part in parts)
    return Tasks(frame._name, _join, joins, shared, columns)


def _to_table(inputs: Sequence[Any]) -> pa.Table:
    form, rows = inputs
    return form(rows)


def _encode(inputs: Sequence[Any], number: int) -> Any:
    """Encode one column of a row group: the function of its task."""
    encode, table = inputs
    return encode(table, number)


def _join(inputs: Sequence[Any]) -> Any:
    encode, *columns = inputs
    return encode.joined(columns)
