"""SQL over frames: duckdb runs a query and reads the columns and rows that it needs through Arrow."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import and_, eq, ge, gt, le, lt
from typing import Any

import pyarrow.dataset
from dask.system import CPU_COUNT

from akdask.arrays.array import Array, of_house
from akdask.arrays.categorical import Categorical
from akdask.arrays.datetimes import Datetime
from akdask.arrays.missing_attributes import nearby
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.columns.arrow import nulls_for_nan
from akdask.deferred import pa, pd
from akdask.engine.explain import partitions_stand_alone
from akdask.engine.rowwise import Partitions
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, UnsupportedError, end_at_caller
from akdask.frames.columnset import INDEX, ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.interchange import arrow_schema, arrow_table, from_arrow, shown_names


def sql(query: str, /, params: Sequence[Any] | Mapping[str, Any] | None = None, **tables: Any) -> DataFrame:
    """Return the rows of a SQL query over frames; computes.

    duckdb runs it, in its dialect.  Only columns that the query names are read, and rows that simple conditions of it
    leave out (``port = 443 and day >= '2024-01-01'``) are not.  Rows come a few partitions at a time.

    Parameters
    ----------
    query : str
        The query.  A name of a table is a variable of the caller, or else a global one: a DataFrame, one of
        `akdask.pandas` or pandas, or anything that Arrow reads.  Names of files stand in quotes, as in duckdb.
    params : sequence or mapping, optional
        Values for ``?`` or ``$1``, or by name for ``$name``, in the query.
    **tables : DataFrame or object
        Tables by name, instead of variables.

    Returns
    -------
    DataFrame
        The rows, in memory.

    Raises
    ------
    ArgumentError
        If duckdb refuses the query, or it names a table that is not there.
    ArgumentTypeError
        If a variable that it names is no table.
    UnsupportedError
        If duckdb is not installed, or a column has integers of any size.

    Notes
    -----
    Missing values are NULL, NaN of floats too.  Labels of rows are a column ``Index``, unless they are plain numbers.
    Sums of integers are int64 where they fit.  Order of the rows is only what ``order by`` says.

    Examples
    --------
    >>> flows = ak.DataFrame({"ip": ["a", "b", "a"], "bytes": [10, 20, 30]})
    >>> hosts = ak.DataFrame({"ip": ["a", "b"], "name": ["web", "mail"]})
    >>> ak.sql("select name, sum(bytes) as total from flows join hosts using (ip) group by name order by name")
       name  total
    0  mail     20
    1   web     40 (2 rows x 2 columns)
    """
    caller = sys._getframe(1)
    try:
        return _answered(query, params, tables, [caller.f_globals, caller.f_locals, tables])
    except AkdaskError as error:
        end_at_caller(error)
        raise


def relation(frame: DataFrame, connection: Any = None) -> Any:
    """Return a relation of duckdb that reads a frame as its queries need it."""
    source = _duckdb() if connection is None else connection
    return source.from_arrow(FrameDataset(frame))


def _answered(query: str, params: Any, tables: dict[str, Any], scopes: list[dict[str, Any]]) -> DataFrame:
    duckdb = _duckdb()
    words = set(_WORDS.findall(query))
    named = {name: found for scope in scopes for name, found in scope.items() if name in words} | tables
    known = {name: _table(found) for name, found in named.items() if _is_table(found)}
    for name in tables.keys() - known.keys():
        if not _is_table(tables[name]):
            raise ArgumentTypeError(f"{name!r} is {_of(tables[name])}, and no table.", hint="make it ak.DataFrame(…).")
    with duckdb.connect(config={"python_enable_replacements": False}) as connection:
        for name, table in known.items():
            connection.register(name, table)
        try:
            result = connection.sql(query, params=params)
            rows = pa.table({}) if result is None else result.to_arrow_table()
        except duckdb.Error as error:
            problems = [table.problem for table in known.values() if isinstance(table, FrameDataset)]
            raise next(filter(None, problems), None) or _refused(str(error), scopes) from None
    names = rows.column_names
    again = sorted({name for name in names if names.count(name) > 1})
    if again:
        raise ArgumentError(
            f"several columns of the result are called {', '.join(map(repr, again))}.",
            hint="name them in the query: select a.x as left_x, b.x as right_x.",
        )
    made: DataFrame = from_arrow(pa.table({name: _narrowed(rows.column(name)) for name in names}))
    return made


_WORDS = re.compile(r"\w+")


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError:
        raise UnsupportedError(
            "SQL needs the package duckdb, which is not installed.", hint="pip install 'akdask[sql]'"
        ) from None
    return duckdb


def _is_table(found: Any) -> bool:
    """Return whether duckdb reads an object as a table, which arrays are not."""
    return hasattr(found, "__arrow_c_stream__") and (hasattr(found, "columns") or hasattr(found, "schema"))


def _table(found: Any) -> Any:
    """Return an object that duckdb reads a table from.

    A frame of pandas' face may hold columns of which akdask has no type, as pandas holds them: Arrow may have one.
    """
    try:
        own = of_house(found)
    except UnsupportedError as reason:
        try:
            return pa.table(found)
        except (pa.ArrowException, TypeError):
            raise reason from None
    return FrameDataset(own) if isinstance(own, DataFrame) else pa.table(own)


def _of(item: Any) -> str:
    name = type(item).__name__
    return f"{'an' if name[0] in 'aeiouAEIOU' else 'a'} {name}"


def _refused(text: str, scopes: Sequence[Mapping[str, Any]]) -> ArgumentError:
    """Return the error that says why duckdb does not run a query."""
    absent = _ABSENT.search(text)
    if absent is None:
        return ArgumentError(f"the query cannot run: {text}")
    name = absent[1]
    known = dict.fromkeys(name for scope in scopes for name, found in scope.items() if _is_table(found))
    others = [f"{name!r} is {_of(scope[name])}." for scope in scopes if name in scope]
    return ArgumentError(
        f"there is no table {name!r} for the query.",
        details=[*([f"tables: {', '.join(known)}"] if known else []), *others],
        hint=nearby(name, known) or "name a variable with a DataFrame, or give one as an argument of that name.",
    )


_ABSENT = re.compile("Table with name (.+?) does not exist")


def _narrowed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return integers of 128 bits, as sums are, with 64 bits if they fit."""
    if not pa.types.is_decimal(column.type) or column.type.scale:
        return column
    try:
        return column.cast(pa.int64())
    except pa.ArrowInvalid:
        return column


class FrameDataset(pyarrow.dataset.Dataset):
    """A frame as one of Arrow's data sets, from which duckdb and others read some columns and rows.

    Parameters
    ----------
    frame : DataFrame
        The rows.
    """

    # Arrow's class is a shell about an object of C++, which is not there: callers use `schema` and `scanner` alone.
    def __init__(self, frame: DataFrame) -> None:
        self.frame = frame
        self.problem: BaseException | None = None
        self._shown = shown_names(frame._columns)
        self._schema = arrow_schema(frame._columns)
        for field in self._schema:
            if pa.types.is_decimal256(field.type):
                raise UnsupportedError(
                    f"duckdb has no type for integers of any size, as in column {field.name!r}.",
                    hint="convert the column with ak.cast(…, ak.int64) or ak.cast(…, str), or leave it out.",
                )

    @property
    def schema(self) -> pa.Schema:
        """Names and types of the columns."""
        return self._schema

    def scanner(self, columns: Sequence[str] | None = None, filter: Any = None, **_: Any) -> FrameScanner:
        """Return a reader of some columns, of rows for which a condition holds."""
        return FrameScanner(self, self._schema.names if columns is None else list(columns), filter)


class FrameScanner:
    """Reads a frame for duckdb.

    Parameters
    ----------
    data : FrameDataset
        The frame.
    names : list of str
        Columns.
    condition : pyarrow.compute.Expression, optional
        Rows that are wanted.
    """

    def __init__(self, data: FrameDataset, names: list[str], condition: Any) -> None:
        self._data = data
        self._names = names
        self._condition = condition
        self.projected_schema = pa.schema([data.schema.field(name) for name in names])

    def to_reader(self) -> pa.RecordBatchReader:
        """Return a stream of the rows."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self._batches())

    def _batches(self) -> Iterator[pa.RecordBatch]:
        try:
            for columns in self._portions():
                # Arrow evaluates the whole condition, of which the plan may know only a part.
                rows = nulls_for_nan(arrow_table(columns))
                chosen = rows if self._condition is None else rows.filter(self._condition)
                yield from chosen.select(self._names).cast(self.projected_schema).to_batches()
        except BaseException as error:
            self._data.problem = error
            raise

    def _portions(self) -> Iterator[ColumnSet]:
        """Yield the columns of the query and of its condition, as many partitions at a time as there are threads."""
        frame = self._data.frame
        columns = frame._columns
        own = {text: name for name, text in self._data._shown.items()}
        text = "" if self._condition is None else str(self._condition)
        read = [name for name in own if name in self._names or name in text]
        masks = [
            RELATIONS[relation](columns.array(own[name]), constant)
            for name, relation, constant in comparisons(text)
            if name in own and own[name] != INDEX and _takes(columns.array(own[name]), relation, constant)
        ]
        if masks:
            columns = frame[reduce(and_, masks)]._columns
        arrays = {name: columns.index_array() if own[name] == INDEX else columns.array(own[name]) for name in read}
        chosen = frame._of(ColumnSet.of(arrays))
        count, threads = chosen.npartitions, CPU_COUNT
        if count <= threads:
            yield chosen._columns
            return
        if not partitions_stand_alone(chosen._columns.project(with_index=True)):
            chosen = chosen.persist()
        for start in range(0, count, threads):
            numbers = tuple(range(start, min(start + threads, count)))
            yield replace(chosen._columns, frame=Partitions(chosen._columns.frame, numbers))


RELATIONS: dict[str, Callable[[Any, Any], Any]] = {"==": eq, ">": gt, ">=": ge, "<": lt, "<=": le}

_COMPARISON = re.compile(
    r"""\((?P<name>[^()"]+?)[ ](?P<relation>==|>=|<=|>|<)[ ](?:
        (?P<number>-?\d+) | (?P<time>\d{4}-\d\d-\d\d[ ][\d:.]+Z?) | "(?P<text>[^"\\]*)"
    )\)""",
    re.VERBOSE,
)
_VALID = re.compile(r"""is_valid\([^()"]+\)""")


def comparisons(condition: str) -> list[tuple[str, str, Any]]:
    """Return comparisons that hold for each row that fulfils a condition, in Arrow's words; none if it has others.

    Examples
    --------
    >>> comparisons('(is_valid(a) and ((a > 1) and (b == "x")))')
    [('a', '>', 1), ('b', '==', 'x')]
    >>> comparisons("((a == 1) or (a == 3))")
    []
    """
    found: list[tuple[str, str, Any]] = []
    end = _read(condition, 0, found)
    return found if end == len(condition) else []


def _read(condition: str, start: int, found: list[tuple[str, str, Any]]) -> int:
    """Add the comparisons of the term that starts at a place; return its end, -1 if it is of another kind."""
    if (valid := _VALID.match(condition, start)) is not None:
        return valid.end()
    if (match := _COMPARISON.match(condition, start)) is not None:
        name, relation, number, time, text = match.groups()
        found.append((name, relation, int(number) if number else pd.Timestamp(time) if time else text))
        return match.end()
    if condition[start : start + 1] != "(":
        return -1
    middle = _read(condition, start + 1, found)
    if middle < 0 or not condition.startswith(" and ", middle):
        return -1
    end = _read(condition, middle + len(" and "), found)
    return end + 1 if end >= 0 and condition[end : end + 1] == ")" else -1


def _takes(column: Array, relation: str, constant: Any) -> bool:
    """Return whether a column is compared in the plan as in SQL."""
    if isinstance(constant, str):
        return relation == "==" and isinstance(column, Strings | Categorical)
    if isinstance(constant, int):
        return type(column) is pdarray and column._value.dtype.kind in ("int", "uint")
    return type(column) is Datetime and (constant.tz is None) == (column.tz is None)
