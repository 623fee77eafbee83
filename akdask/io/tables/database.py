"""Tables and queries of SQL databases, which drivers of ADBC read: a range of a column of integers is a part."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import closing
from typing import Any
from urllib.parse import quote
from uuid import uuid4

from akdask.deferred import module_named, pa
from akdask.errors import (
    ArgumentError,
    FileError,
    FileFormatError,
    MissingColumnError,
    MissingFileError,
    UnsupportedError,
)
from akdask.io.tables.source import LibraryRows, Opened
from akdask.records import record

DRIVERS = {
    "sqlite": "adbc_driver_sqlite",
    "postgresql": "adbc_driver_postgresql",
    "postgres": "adbc_driver_postgresql",
}
"""The driver of each beginning of a URL."""

ROWS = 2**20
"""Rows of a part, unless another number of parts is asked for."""

_RELATIONS = {
    "==": "=",
    "=": "=",
    "!=": "<>",
    "<": "<",
    "<=": "<=",
    ">": ">",
    ">=": ">=",
    "in": "IN",
    "not in": "NOT IN",
}


def opened(
    source: Any,
    filters: Any,
    *,
    table: str | None = None,
    query: str | None = None,
    on: str | None = None,
    parts: int | None = None,
    driver: str | None = None,
) -> Opened:
    """Open a table or a query.

    Rows are read at once, and kept in memory, unless ``on=`` names a column of integers without duplicates: then they
    are read by as many ranges of it as ``parts=`` says, when they are used.
    """
    if (table is None) == (query is None):
        raise ArgumentError("which rows of the database are meant?", hint='give table="flows", or query="select …".')
    database = Database.at(os.fspath(source), driver)
    where, values = _condition(filters)
    rows = Query(database, f"SELECT * FROM {_quoted(table)}" if table is not None else str(query), where, values)
    label = f"scan_table({database.label!r})"
    if on is None:
        found = rows.table()
        part = LibraryRows(found.num_rows, found.select, database.label)
        return Opened(label, uuid4().hex, found.schema, [part] if part.nrows else [])
    schema = rows.schema()
    ranges = list(_ranges(rows, schema, on, parts))
    return Opened(
        label, uuid4().hex, schema, [LibraryRows(read.nrows, read, database.label) for read in ranges if read.nrows]
    )


@record
class Database:
    """A database, to which each task makes a connection of its own."""

    driver: str
    uri: str
    label: str

    @staticmethod
    def at(url: str, driver: str | None) -> Database:
        """Return the database of a URL, or of a file of SQLite.

        Examples
        --------
        >>> Database.at("flows.db", None).uri  # doctest: +SKIP
        'file:/home/me/flows.db?mode=ro'
        """
        scheme, separator, rest = url.partition("://")
        label = re.sub(r"(://)(?:[^/]*@)?([^?]*).*", r"\1\2", url)  # without passwords
        module = driver or DRIVERS.get(scheme if separator else "sqlite")
        if module is None:
            raise ArgumentError(f"no driver is known for {label!r}.", hint='name its module: driver="adbc_driver_…".')
        try:
            module_named(f"{module}.dbapi")
        except ImportError:
            raise UnsupportedError(
                f"{label!r} needs the driver {module}, which is not installed.",
                hint=f"pip install {module.replace('_', '-')}",
            ) from None
        if module != DRIVERS["sqlite"]:
            return Database(module, url, label)
        path = os.path.abspath(rest.removeprefix("/") if separator else url)
        if not os.path.exists(path):  # where the driver would make one
            raise MissingFileError(f"there is no file {path!r}.")
        return Database(module, f"file:{quote(path)}?mode=ro", label)

    def table(self, statement: str, values: Sequence[Any]) -> pa.Table:
        """Return the rows of a statement."""
        errors = module_named("adbc_driver_manager.dbapi")
        try:
            with (
                closing(module_named(f"{self.driver}.dbapi").connect(self.uri)) as connection,
                closing(connection.cursor()) as cursor,
            ):
                if self.is_untyped:
                    # Types are those of the first batch of rows: all rows are one.
                    cursor.adbc_statement.set_options(**{"adbc.sqlite.query.batch_rows": str(2**30)})
                cursor.execute(statement, list(values) or None)
                return cursor.fetch_arrow_table()
        except errors.Error as error:
            raise FileFormatError(
                f"the database {self.label!r} cannot be read: {error}", details=[statement]
            ) from error

    @property
    def is_untyped(self) -> bool:
        """Whether values have types, and not columns."""
        return self.driver == DRIVERS["sqlite"]


@record
class Query:
    """Rows of a query for which a condition holds."""

    database: Database
    text: str
    where: str
    values: Sequence[Any]

    def table(self, what: str = "*", suffix: str = "", also: str = "") -> pa.Table:
        """Return columns, or expressions of them; ``also`` is another condition."""
        where = " AND ".join(f"({one})" for one in (self.where, also) if one)
        text = f"SELECT {what} FROM ({self.text}) AS asked{f' WHERE {where}' if where else ''}{suffix}"
        return self.database.table(text, self.values)

    def schema(self) -> pa.Schema:
        """Return names and types of the columns."""
        found = self.table(suffix=" LIMIT 0").schema
        if not self.database.is_untyped:
            return found
        counts = [
            f"max(typeof({_quoted(name)}) = '{kind}')" for name in found.names for kind in ("blob", "text", "real")
        ]
        told = [column[0].as_py() for column in self.table(", ".join(counts)).columns]
        types = []
        for number in range(0, len(told), 3):
            has_blob, has_text, has_real = told[number : number + 3]
            types.append(
                pa.binary() if has_blob else pa.string() if has_text else pa.float64() if has_real else pa.int64()
            )
        return pa.schema([*zip(found.names, types, strict=True)])


@record
class KeyRange:
    """Reads the rows of which a column of integers is between two bounds, and these."""

    query: Query
    schema: pa.Schema
    on: str
    first: int
    last: int
    nrows: int

    def __call__(self, names: Sequence[str]) -> pa.Table:
        """Return some columns."""
        chosen = ", ".join(map(_quoted, names)) or "NULL"
        found = self.query.table(chosen, f" ORDER BY {_quoted(self.on)}", _between(self.on, self.first, self.last))
        try:
            return found.cast(pa.schema([self.schema.field(name) for name in names])) if names else found
        except pa.ArrowException as error:
            raise FileError(
                f"values of {self.query.database.label!r} have other types than when it was opened: {error}",
                hint="the table has changed: open it again.",
            ) from error


def _ranges(rows: Query, schema: pa.Schema, on: str, parts: int | None) -> Sequence[KeyRange]:
    if on not in schema.names:
        raise MissingColumnError(f"the table has no column {on!r}.", details=[f"columns: {', '.join(schema.names)}"])
    if not pa.types.is_integer(schema.field(on).type):
        raise ArgumentError(
            f"the column {on!r} has no integers, but {schema.field(on).type}.",
            hint="on= names one of integers, such as the primary key; without it all rows are read at once.",
        )
    key = _quoted(on)
    (told,) = rows.table(
        f"count(*) AS n, count({key}) AS there, count(DISTINCT {key}) AS distinct_ones, "
        f"min({key}) AS first, max({key}) AS last"
    ).to_pylist()
    if not told["n"]:
        return []
    if told["n"] != told["distinct_ones"]:
        found = f"{told['n']:,} rows, {told['there']:,} of them with a value, {told['distinct_ones']:,} distinct"
        raise ArgumentError(
            f"the column {on!r} does not tell rows apart: {found}.",
            hint="on= names a column without duplicates and missing values; without it all rows are read at once.",
        )
    first, last = int(told["first"]), int(told["last"])
    wanted = -(-told["n"] // ROWS) if parts is None else parts
    if wanted < 1:
        raise ArgumentError(f"parts is {parts}.", hint="it is 1 or more.")
    width = -(-(last - first + 1) // wanted)
    ranges = []
    for start in range(first, last + 1, width):
        stop = min(start + width - 1, last)
        count = rows.table("count(*) AS n", also=_between(on, start, stop))
        ranges.append(KeyRange(rows, schema, on, start, stop, count.column(0)[0].as_py()))
    return ranges


def _between(on: str, first: int, last: int) -> str:
    return f"{_quoted(on)} BETWEEN {first} AND {last}"


def _quoted(name: str) -> str:
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _condition(filters: Any) -> tuple[str, list[Any]]:
    """Return conditions as SQL with parameters, and their values.

    Examples
    --------
    >>> _condition([[("port", "in", [80, 443])], [("host", "==", "a"), ("n", ">", 1)]])
    ('("port" IN ($1, $2)) OR ("host" = $3 AND "n" > $4)', [80, 443, 'a', 1])
    """
    if not filters:
        return "", []
    values: list[Any] = []

    def text(column: str, relation: str, value: Any) -> str:
        sign = _RELATIONS[relation]
        if not sign.endswith("IN"):
            values.append(value)
            return f"{_quoted(column)} {sign} ${len(values)}"
        listed = list(value)
        if not listed:
            return "1 = 0" if sign == "IN" else f"{_quoted(column)} IS NOT NULL"
        parameters = ", ".join(f"${len(values) + number + 1}" for number in range(len(listed)))
        values.extend(listed)
        return f"{_quoted(column)} {sign} ({parameters})"

    try:
        either = filters if isinstance(filters[0], list) else [filters]
        return " OR ".join(f"({' AND '.join(text(*one) for one in conditions)})" for conditions in either), values
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(
            f"filters cannot be read: {filters!r}", hint='write them as [("port", "==", 443), ("bytes", ">", 0)].'
        ) from error
