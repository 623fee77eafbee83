"""Conversion to pandas and to Python: of partitions, of results in this process, and of rows one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import pandas_categorical
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, UINT8, UINT64
from akdask.columns.exact import first_changed
from akdask.columns.strings import with_nulls
from akdask.columns.table import Table, empty, to_objects
from akdask.deferred import is_arrow, pd
from akdask.engine.missing import INTEGERS, MISSING, exact_type, is_in_parts
from akdask.engine.rowwise import Project
from akdask.engine.run import CollectionRows, run
from akdask.engine.values import token
from akdask.errors import ArgumentError
from akdask.frames.columnset import INDEX, LACKING, VALUES, ColumnSet, level_column
from akdask.operators.join.plan import LABEL, CategoryTable
from akdask.operators.values.cast import missing_as_nan
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.frames.dataframe import DataFrame
    from akdask.frames.series import Series


_NULLABLE = {INT64: "Int64", UINT64: "UInt64", UINT8: "UInt8", BOOL: "boolean", FLOAT64: "Float64"}
"""pandas' nullable types."""


EXACT = 2.0**53 - 1
"""Up to here, no two integers are the same float."""


ITERATED = 10_000
"""Rows that are brought into this process at a time."""


ORIENTS = ("dict", "list", "series", "split", "tight", "records", "index")


@dataclass(frozen=True)
class ToPandas:
    """Makes a pandas DataFrame of a table and of the tables of labels of its Categoricals.

    Parameters
    ----------
    names : tuple of str
        The columns.
    has_index : bool
        Whether the table has labels of its rows.
    labelled : tuple of (hashable, int)
        Columns that are codes, and the position of their labels among the further arguments.
    converted : tuple of (hashable, callable)
        Columns that another column is made of first, such as times of numbers.
    index_name : hashable, optional
        Name of the labels.
    arrow_strings : bool
        Give strings as pandas' ``string[pyarrow]``, as Dask DataFrames have them, without making Python objects.
    nullable : tuple of (hashable, str)
        Columns of numbers that become pandas' nullable types, and their names.
    in_parts : tuple of hashable
        Columns for which the table has integers and where these are missing, as `ColumnSet.apart` gives them.
    ordered : tuple of hashable
        Columns of Categoricals whose labels are in an order that means something.
    """

    names: tuple[str, ...]
    has_index: bool
    labelled: tuple[tuple[Hashable, int], ...] = ()
    converted: tuple[tuple[Hashable, Callable[[Column], Any]], ...] = ()
    index_name: Hashable = None
    arrow_strings: bool = False
    nullable: tuple[tuple[Hashable, str], ...] = ()
    in_parts: tuple[Hashable, ...] = ()
    ordered: tuple[Hashable, ...] = ()

    @classmethod
    def of(
        cls, columns: ColumnSet, *, with_index: bool, arrow_strings: bool = False, nullable: bool = False
    ) -> tuple[ToPandas, list[CategoryTable]]:
        """Return the converter for plans of `ColumnSet.apart`, and the category tables that it needs."""
        has_index = with_index and columns.index is not None
        names: list[Hashable] = [*columns.values, *([INDEX] if has_index else [])]
        found: dict[str, CategoryTable] = {}
        labelled, converted = [], []
        ordered: list[Hashable] = []
        missing = columns.nullable()
        for name in names:
            kind = columns.kinds[name]
            converter = with_nulls if name in missing else kind._pandas_converter()
            if converter is not None:
                converted.append((name, converter))
            if isinstance(kind, Categorical):
                found.setdefault(kind._category_table._name, kind._category_table)
                labelled.append((name, list(found).index(kind._category_table._name)))
                ordered += [name] * kind.ordered
        index_name = columns.index_name if with_index else None
        types = nullable_types(columns) if nullable else {}
        in_parts: list[Hashable] = [name for name, value in columns.values.items() if is_in_parts(value)]
        if has_index and columns.index is not None and is_in_parts(columns.index):
            in_parts.append(INDEX)
            if nullable:
                types[INDEX] = _NULLABLE[exact_type(columns.index)]
        made = cls(
            tuple(columns.values),
            has_index,
            tuple(labelled),
            tuple(converted),
            index_name,
            arrow_strings or nullable,
            tuple(types.items()),
            tuple(in_parts),
            tuple(ordered),
        )
        return made, list(found.values())

    @cached_property
    def token(self) -> str:
        """Names the converter in plans."""
        converted = tuple(
            [(name, getattr(converter, "token", None) or converter.__qualname__) for name, converter in self.converted]
        )
        own = (
            self.names,
            self.has_index,
            self.labelled,
            self.index_name,
            self.arrow_strings,
            self.nullable,
            self.in_parts,
            self.ordered,
        )
        return token("to pandas", own, converted)

    def __call__(self, table: Table, *labels: Table, start: int = 0) -> pd.DataFrame:
        """Return the frame; rows without labels are numbered from `start`."""
        positions = dict(self.labelled)
        columns: dict[Hashable, Any] = {
            **table.columns,
            **{name: converter(table.columns[name]) for name, converter in self.converted},
            **{name: self._joined(table, name) for name in self.in_parts},
        }
        made: dict[Hashable, Any] = {
            name: self._labelled(name, columns[name], labels[positions[name]])
            if name in positions
            else self._column(columns[name])
            for name in (*self.names, *([INDEX] if self.has_index else []))
        }
        for name, dtype in self.nullable:
            if name not in self.in_parts:
                made[name] = as_nullable(made[name], dtype)
        index = pd.Index(made.pop(INDEX)) if self.has_index else pd.RangeIndex(start, start + table.nrows)
        index.name = self.index_name
        # Renaming columns would take most of the time here; a frame without columns would get numbers for names.
        return pd.DataFrame(made, index=index, columns=None if made else [], copy=False)

    def _joined(self, table: Table, name: Hashable) -> Any:
        """Return integers that may be missing as one of pandas' nullable types, or as floats.

        A whole frame without missing integers has integers, as after joins of pandas.  Partitions of a Dask DataFrame
        all have the type of its meta.
        """
        integers, missing = table.columns[name, INTEGERS], table.columns[name, MISSING]
        dtype = dict(self.nullable).get(name)
        if dtype is not None:
            return masked(integers, missing, dtype)
        if not self.arrow_strings and not np.any(missing):
            return np.array(integers)
        return missing_as_nan(integers, missing, column="" if name == INDEX else str(name))

    def _labelled(self, name: Hashable, codes: Column, labels: Table) -> Any:
        return pandas_categorical(np.asarray(codes), labels, ordered=name in self.ordered, keeps_na=False)

    def _column(self, column: Column) -> Any:
        if is_arrow(column, "LargeStringArray", "ChunkedArray"):
            return pandas_text(column, "string[pyarrow]" if self.arrow_strings else _text_type())
        if is_arrow(column, "Array"):
            return pd.Series(to_objects(column), dtype=object).array
        # Arrays of plans, and arrays from other processes, must not be written to.
        return column if not isinstance(column, np.ndarray) or column.flags.writeable else column.copy()

    def of_nothing(self, project: Project, count: int) -> pd.DataFrame:
        """Return a frame without rows, of the right types, for `count` tables of labels without any."""
        columns = {name: empty(value.dtype) for name, value in zip(project.names, project.values, strict=True)}
        no_labels: Sequence[Table] = [Table({LABEL: empty(STR)}, 0)] * count
        return self(Table(columns, 0), *no_labels)


def pandas_text(column: Any, dtype: Any) -> Any:
    """Return strings as pandas holds them: the bytes as they are where its type is Arrow's, else Python objects.

    Examples
    --------
    >>> import pyarrow as pa
    >>> pandas_text(pa.array(["a", "b"], pa.large_string()), "string[pyarrow]").tolist()
    ['a', 'b']
    """
    if getattr(dtype, "storage", None) == "pyarrow" or dtype == "string[pyarrow]":
        return pd.array(column, dtype=dtype)
    return column.to_numpy(zero_copy_only=False) if is_arrow(column, "Array") else column.to_numpy()


def nullable_types(columns: ColumnSet) -> dict[Hashable, str]:
    """Return pandas' nullable types for columns of numbers, by their types before a join made them floats."""
    found: dict[Hashable, str] = {}
    for name, value in columns.values.items():
        kind = columns.kinds[name]
        if isinstance(kind, pdarray) and kind._pandas_converter() is None and value.dtype in _NULLABLE:
            found[name] = _NULLABLE[kind._widened or exact_type(value) if value.dtype == FLOAT64 else value.dtype]
    return found


def masked(integers: Any, missing: Any, dtype: str) -> Any:
    """Return integers or bool as one of pandas' nullable types, NA where they are missing.

    Examples
    --------
    >>> masked(np.array([2**60 + 1, 0]), np.array([False, True]), "Int64").tolist()
    [1152921504606846977, <NA>]
    """
    made = cast("Any", pd.array)(np.array(integers), dtype=dtype)
    made[np.asarray(missing)] = pd.NA
    return made


def as_nullable(column: Any, dtype: str) -> Any:
    """Return numbers as one of pandas' nullable types, NaN as NA; as floats unless all fit that type.

    Examples
    --------
    >>> as_nullable(np.array([1.0, np.nan]), "Int64")
    <IntegerArray>
    [1, <NA>]
    Length: 2, dtype: Int64
    >>> as_nullable(np.array([0.5, np.nan]), "Int64").dtype
    Float64Dtype()
    """
    column, as_array = np.asarray(column), cast("Any", pd.array)
    if column.dtype != np.float64:
        return as_array(column, dtype=dtype)
    missing = np.isnan(column)
    there = np.where(missing, 0.0, column)
    highest = 1.0 if dtype == "boolean" else EXACT
    if dtype == "Float64" or not ((there == np.rint(there)) & (np.abs(there) <= highest)).all():
        return as_array(column, dtype="Float64")
    made = as_array(there.astype(bool if dtype == "boolean" else np.int64), dtype=dtype)
    made[missing] = pd.NA
    return made


@cache
def _text_type() -> Any:
    """Return the default dtype of pandas for text: object until version 2, its own type of strings since."""
    return pd.Series([""]).dtype


def with_exact_rows(table: Any) -> Any:
    """Return pandas' rows as objects if a common type of floats would change integers, otherwise as they are.

    Examples
    --------
    >>> table = pd.DataFrame({"i": [2**53 + 1], "x": [0.5]})
    >>> int(table.iloc[0]["i"]), with_exact_rows(table).iloc[0]["i"]
    (9007199254740992, 9007199254740993)
    """
    dtypes = list(table.dtypes)
    if not all(isinstance(dtype, np.dtype) and dtype.kind in "iuf" for dtype in dtypes):
        return table
    if not dtypes or np.result_type(*dtypes).kind != "f":
        return table
    columns = (table.iloc[:, number].to_numpy() for number in range(len(dtypes)))
    return table.astype(object) if any(first_changed(column) is not None for column in columns) else table


def to_pandas(frame: DataFrame, datalimit: float | None, retain_index: bool, *, nullable: bool) -> pd.DataFrame:
    columns = frame._columns
    limit = None if datalimit is None else datalimit * 2**20
    converter, labels = ToPandas.of(columns, with_index=retain_index, nullable=nullable)
    project = (columns if retain_index else columns.labelled(None)).apart()
    rows = CollectionRows(project, converter, tuple(labels), limit)
    (result,) = run(rows.here(chunked=True))
    return result


def series_to_pandas(series: Series, *, nullable: bool) -> pd.Series:
    form, project, labels = series_conversion(series, nullable=nullable)
    rows = CollectionRows(project, form, tuple(labels), None)
    (result,) = run(rows.here(chunked=True))
    found: pd.Series = result
    return found


def series_conversion(series: Series, *, nullable: bool = False) -> tuple[ToSeries, Any, list[Any]]:
    columns = series._labelled._columns
    converter, labels = ToPandas.of(columns, with_index=True, nullable=nullable)
    return ToSeries(converter, series._level_names, series.name), columns.apart(), labels


@dataclass(frozen=True, slots=True)
class ToSeries:
    """Makes a pandas Series from the DataFrame of `ToPandas`.

    Parameters
    ----------
    to_pandas : ToPandas
        Makes the DataFrame.
    level_names : tuple of hashable
        Names of the levels that are columns there, none for labels of one level.
    name : hashable
        Name of the Series.
    """

    to_pandas: ToPandas
    level_names: tuple[Hashable, ...]
    name: Hashable

    @property
    def token(self) -> str:
        """Names the converter in plans."""
        return token("to Series", self.to_pandas.token, self.level_names, self.name)

    def __call__(self, table: Table, *labels: Table, start: int = 0) -> pd.Series:
        """Return the Series; rows without labels are numbered from `start`."""
        frame = self.to_pandas(table, *labels, start=start)
        if self.level_names:
            levels = [frame[level_column(number)] for number in range(len(self.level_names))]
            frame.index = pd.MultiIndex.from_arrays(levels, names=list(self.level_names))
        series: pd.Series = frame[VALUES]
        if LACKING in frame:
            series = series.mask(frame[LACKING], None)
        series.name = self.name
        return series


def to_dict(frame: DataFrame, orient: str) -> Any:
    if orient not in ORIENTS:
        raise ArgumentError(f"to_dict: orient={orient!r} is none of {', '.join(ORIENTS)}.")
    rows: Any = frame.compute()
    return rows.to_dict(orient)


def parts_of_rows(frame: DataFrame, limit: int | None) -> Iterator[pd.DataFrame]:
    """Yield some thousand rows at a time."""
    rows = frame if limit is None else frame.head(max(int(limit), 0))
    total = len(rows)
    for start in range(0, total, ITERATED):
        part = rows._rows(slice(start, start + ITERATED))
        yield part.compute()
