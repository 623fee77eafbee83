"""Conversion: DataFrames and Series of any data, and their rows as objects of pandas and Python, and as files."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays.array import Array, Labelled, of_house, of_rows, special, unlabelled, wrap
from akdask.arrays.elementwise import cast, operand
from akdask.arrays.pdarray import pdarray
from akdask.arrays.scalar import Scalar
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, SPAN, STR, TIME, UINT8, UINT64
from akdask.columns.exact import as_floats, first_changed
from akdask.columns.nullable import NullableColumn
from akdask.columns.strings import with_nulls
from akdask.columns.table import Table, empty, to_objects
from akdask.deferred import is_arrow, is_pandas, pd
from akdask.engine.node import Frame
from akdask.engine.rowwise import Project
from akdask.engine.run import CollectionRows
from akdask.engine.sources import as_column, counted, literal_table
from akdask.engine.values import Constant, token
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.frames.alignment import RowLabels, as_labelled, on_all_labels, on_rows_of
from akdask.frames.columnset import INDEX, LACKING, VALUES, ColumnSet, check_names, level_column, names_of
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index
from akdask.frames.series import Series
from akdask.records import record
from akdask.storage.locales import Filenames
from akdask.storage.objects import ROW_LABELS, ObjType
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.arrays.rules import Rules
    from akdask.arrays.writing import Path, Storable
    from akdask.operators.join.plan import CategoryTable

ITERATED = 40_000
"""Rows that are brought into this process at a time: 100,000 take 79, 42 and 29 ms with 2,500, 10,000 and this many."""


def columns_of(initialdata: Any, index: Any, columns: Sequence[str] | None, rules: Rules) -> ColumnSet:
    """Return the columns and labels of the arguments of `DataFrame`."""
    named, found = named_items(initialdata, columns)
    check_names(named)
    if found is None and rules.labels_are_named:
        named, found = split_index(named)
    labels = found if index is None else Index(index)
    if isinstance(initialdata, Mapping):
        named, labels = _on_common_labels(named, labels)
    if labels is not None and all(map(is_scalar, named.values())):
        named = {name: spread(labels.values._frame, item) for name, item in named.items()}
    elif isinstance(initialdata, Mapping) and named and all(map(is_scalar, named.values())):
        raise ArgumentError(
            "columns of one value each have no number of rows.", hint="pass lists of one element, or labels as index."
        )
    arrays = arrays_of(named)
    try:
        return ColumnSet.of(arrays) if labels is None else ColumnSet.of(arrays, labels.values, labels.name)
    except AlignmentError:
        known = [(name, array._frame.rows.lengths) for name, array in arrays.items()]
        sizes = [(name, sum(lengths)) for name, lengths in known if lengths is not None]
        other = next(((name, size) for name, size in sizes if size != sizes[0][1]), None)
        if other is None:
            raise
        rows = f"{other[1]:,} row{'' if other[1] == 1 else 's'}"
        raise AlignmentError(
            f"column {other[0]!r} has {rows}, {sizes[0][0]!r} has {sizes[0][1]:,}.",
            hint="make them equally long, or apply the same mask to all of them.",
        ) from None


def from_pandas(rows: pd.DataFrame) -> DataFrame:
    if not is_pandas(rows, "DataFrame"):
        raise ArgumentTypeError(f"from_pandas takes a pandas DataFrame, got {type(rows).__name__}.")
    return DataFrame(rows)


def from_records(data: Any, columns: Sequence[str] | None, exclude: Sequence[str] | None) -> DataFrame:
    try:
        names: Any = columns
        without: Any = exclude
        made = pd.DataFrame.from_records(data, columns=names, exclude=without)
    except (TypeError, ValueError, AssertionError) as error:
        raise ArgumentError(f"from_records: {error}.") from error
    return DataFrame(made)


def from_dict(data: Mapping[str, Any], orient: str, columns: Sequence[str] | None) -> DataFrame:
    if orient == "columns":
        return DataFrame(dict(data))
    if orient != "index":
        raise ArgumentError(f"from_dict: orient={orient!r} is neither 'columns' nor 'index'.")
    names: Any = columns
    return DataFrame(pd.DataFrame.from_dict(dict(data), orient="index", columns=names))


def load(prefix_path: Path, file_format: str, *, widen: bool) -> DataFrame:
    from akdask.arrays.stored_arrays import open_prefix, read_objects

    objects = read_objects(open_prefix(prefix_path, file_format, widen=widen))
    # A snapshot of one DataFrame is a set with one object.
    (first, *rest) = objects.values()
    return first if isinstance(first, DataFrame) and not rest else DataFrame(objects)


def read_csv(filename: Filenames, delimiter: str, *, dtypes: Any, widen: bool) -> DataFrame:
    from akdask.arrays.stored_arrays import read_objects
    from akdask.storage.registry import format_named, open_files

    options = {"column_delim": delimiter, "dtypes": dtypes, "widen": widen}
    return DataFrame(read_objects(open_files(filename, format_named("CSV"), **options)))


def _on_common_labels(named: dict[str, Any], labels: Index | None) -> tuple[dict[str, Any], Index | None]:
    """Return columns of which Series are on given labels, or on all labels that one of them has; and these."""
    items = {name: as_labelled(item) for name, item in named.items()}
    series = {name: item for name, item in items.items() if isinstance(item, Series)}
    if not series:
        return named, labels
    if labels is not None:
        target = RowLabels(labels._levels[0]._frame, tuple(labels._levels))
        return items | {name: on_rows_of(target, item) for name, item in series.items()}, labels
    first, *others = series.values()
    found, arrays = first._row_labels, [first.values]
    for item in others:
        joined = on_all_labels(found, arrays, item._row_labels, [item.values])
        found, arrays = joined.labels, [*joined.ones, *joined.others]
    items |= dict(zip(series, arrays, strict=True))
    # Rows of a DataFrame have labels of one level.
    return items, Index(found.levels[0], first.index.name) if len(found.levels) == 1 else None


def named_items(data: Any, columns: Sequence[str] | None) -> tuple[dict[str, Any], Index | None]:
    """Return the columns for a DataFrame, by name, and the labels of rows that come beside them."""
    columns, data = None if columns is None else names_of(columns), of_house(data)
    if is_pandas(data, "DataFrame"):
        named = {str(name): _lists_or_same(data[name]) for name in data.columns}
        numbers = pd.RangeIndex(len(data))
        is_numbered = isinstance(data.index, pd.RangeIndex) and data.index.identical(numbers)
        return {name: named[name] for name in columns or named}, None if is_numbered else Index(data.index)
    if isinstance(data, DataFrame):
        given = data._columns if columns is None else data._columns.only(columns)
        labels = None if given.index is None else Index(given.index_array(), given.index_name)
        return {name: given.array(name) for name in given.values}, labels
    return _items_alone(data, columns), None


def _items_alone(data: Any, columns: Sequence[str] | None) -> dict[str, Any]:
    """Return the columns of a mapping or sequence, by name."""
    if data is None:
        return {name: [] for name in columns or ()}
    if isinstance(data, Mapping):
        return {name: data[name] for name in columns} if columns is not None else dict(data)
    if isinstance(data, str | Array) or not isinstance(data, Sequence | np.ndarray):
        raise ArgumentError(
            f"a DataFrame is not made of {type(data).__name__}.",
            hint="pass a dict of names and arrays, or a list of arrays.",
        )
    if isinstance(data, np.ndarray) and data.ndim == 2:
        data = list(data.T)
    elif data and all(isinstance(row, Mapping) for row in data):
        rows: Any = pd.DataFrame.from_records(list(data), columns=None if columns is None else list(columns))
        return {str(name): rows[name] for name in rows.columns}
    names = [str(number) for number in range(len(data))] if columns is None else columns
    if len(names) != len(data):
        raise ArgumentError(f"{len(data)} arrays need as many names, got {len(names)}.")
    return dict(zip(names, data, strict=True))


def _lists_or_same(column: Any) -> Any:
    """Return a column of pandas whose first element is a list or an array as SegArray, and other columns unchanged."""
    if column.dtype != object or not len(column) or not isinstance(column.iloc[0], list | np.ndarray):
        return column
    from akdask.arrays.segarray import SegArray

    return SegArray.from_multi_array(list(column))


def split_index(named: dict[str, Any]) -> tuple[dict[str, Any], Index | None]:
    """Take out the column that is the index by its name, as in Arkouda."""
    index = [name for name in named if name.lower() == "index"]
    if not index:
        return named, None
    return {name: item for name, item in named.items() if name != index[0]}, Index(named[index[0]])


def arrays_of(named: Mapping[str, Any]) -> dict[str, Array]:
    """Make arrays of columns, all data in memory as one frame; scalars take the rows of the others."""
    arrays: dict[str, Array] = {}
    at_hand: dict[str, Any] = {}
    scalars: dict[str, Any] = {}
    for name, given in named.items():
        item = of_house(given)
        if isinstance(item, Array):
            arrays[name] = of_rows(item)
        elif isinstance(item, Labelled):
            arrays[name] = item.values
        elif is_scalar(item):
            scalars[name] = item
        elif is_pandas(getattr(item, "dtype", None), "CategoricalDtype"):
            from akdask.arrays.categorical import Categorical

            arrays[name] = Categorical(item)
        elif (made := special(item)) is not None:
            arrays[name] = made
        else:
            at_hand[name] = as_column(list(item) if isinstance(item, range) else item)
    arrays.update(_literals(at_hand))
    frame = next((array._frame for array in arrays.values()), None) or counted(1)
    arrays.update({name: spread(frame, item) for name, item in scalars.items()})
    return {name: arrays[name] for name in named}


def _literals(columns: Mapping[str, Any]) -> dict[str, Array]:
    """Put columns at hand into one frame for each number of rows, so that it can be said which do not fit."""
    made: dict[str, Array] = {}
    for length in dict.fromkeys(len(column) for column in columns.values()):
        same: dict[Hashable, Any] = {name: column for name, column in columns.items() if len(column) == length}
        frame = literal_table(Table(same, length))
        made.update({str(name): wrap(frame, frame.column(name)) for name in same})
    return made


def spread(frame: Frame, item: Any) -> Array:
    """Return a scalar as a column on the rows of a frame; a time gives a column of times, None gives NaN."""
    from akdask.arrays.timearray import CLASSES, Moment

    if item is None:
        item = np.nan
    elif isinstance(item, np.datetime64 | np.timedelta64 | datetime | timedelta):
        moment = Moment.of(item, TIME if isinstance(item, np.datetime64 | datetime) else SPAN)
        form = replace(moment.form, unit="ns", may_lack=moment.is_missing)
        return CLASSES[form.kind].of(frame, Constant(moment.number_in("ns")), form)
    return wrap(frame, operand(item)[1])


def is_scalar(item: Any) -> bool:
    """Whether an item stands for every row: a plain value, or a lazy scalar."""
    if isinstance(item, Scalar | bool | int | float | str | bytes | np.generic):
        return True
    return not hasattr(item, "__len__") and bool(pd.api.types.is_scalar(item))


def series_parts(data: Any, name: Any, index: Any) -> tuple[Any, Index | None, Any]:
    """Return the values, the labels if any, and the name of the arguments of `Series`."""
    labels, data = None if index is None else Index.factory(index), of_house(data)
    if isinstance(data, tuple | list) and len(data) == 2 and _is_labelled_pair(data):
        labels = Index.factory(data[0]) if labels is None else labels
        data = data[1]
    elif isinstance(data, tuple):
        raise ArgumentTypeError("a tuple that makes a Series is a pair of labels and values.", hint="pass a list.")
    if isinstance(data, Mapping):
        labels = Index(list(data)) if labels is None else labels
        data = list(data.values())
    elif isinstance(data, Series):
        labels = data._given_labels() if labels is None else labels
    elif is_pandas(data, "Series"):
        labels = Index.factory(data.index) if labels is None and not _is_numbered(data.index) else labels
    if name is None and (isinstance(data, Labelled) or is_pandas(data, "Series")):
        name = getattr(data, "name", None)
    return _values(data), labels, name


def _values(data: Any) -> Any:
    """Convert the values of a Series to an array."""
    from akdask.arrays.categorical import Categorical
    from akdask.arrays.creation import array

    data = unlabelled(data)
    if isinstance(data, Array):
        return of_rows(data).copy()  # Later assignments to the given array do not change the Series.
    if is_pandas(data, "Categorical") or is_pandas(getattr(data, "dtype", None), "CategoricalDtype"):
        return Categorical(data)
    if isinstance(data, str) or not hasattr(data, "__len__"):
        raise ArgumentTypeError(f"a Series is made of an array or a sequence, not of {type(data).__name__}.")
    made = special(data)
    return array(data) if made is None else made


def _is_labelled_pair(data: Any) -> bool:
    """Whether two items are labels and values, as groups give them."""
    labels, values = data
    is_labels = isinstance(labels, Array | Index) or (
        isinstance(labels, list | tuple) and (isinstance(data, tuple) or all(isinstance(key, Array) for key in labels))
    )
    return is_labels and isinstance(values, Array | Series)


def _is_numbered(index: pd.Index) -> bool:
    """Whether pandas' labels are the numbers of the rows."""
    return isinstance(index, pd.RangeIndex) and index.identical(pd.RangeIndex(len(index)))


_NULLABLE = {INT64: "Int64", UINT64: "UInt64", UINT8: "UInt8", BOOL: "boolean", FLOAT64: "Float64"}
"""pandas' nullable types."""


EXACT = 2.0**53 - 1
"""Up to here, no two integers are the same float."""


ORIENTS = ("dict", "list", "series", "split", "tight", "records", "index")


@record
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
    ordered: tuple[Hashable, ...] = ()

    @classmethod
    def of(
        cls, columns: ColumnSet, *, with_index: bool, arrow_strings: bool = False, nullable: bool = False
    ) -> tuple[ToPandas, list[CategoryTable]]:
        """Return the converter for plans of the columns, and the category tables that it needs."""
        from akdask.arrays.categorical import Categorical

        has_index = with_index and columns.index is not None
        names: list[Hashable] = [*columns.values, *([INDEX] if has_index else [])]
        found: dict[str, CategoryTable] = {}
        labelled, converted = [], []
        ordered: list[Hashable] = []
        missing = columns.nullable()
        for name in names:
            kind = columns.kinds[name]
            converter = kind._pandas_converter() or (with_nulls if name in missing else None)
            if converter is not None:
                converted.append((name, converter))
            if isinstance(kind, Categorical):
                found.setdefault(kind._category_table._name, kind._category_table)
                labelled.append((name, list(found).index(kind._category_table._name)))
                ordered += [name] * kind.ordered
        index_name = columns.index_name if with_index else None
        types = nullable_types(columns) if nullable else {}
        made = cls(
            tuple(columns.values),
            has_index,
            tuple(labelled),
            tuple(converted),
            index_name,
            arrow_strings or nullable,
            tuple(types.items()),
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
            self.ordered,
        )
        return token("to pandas", own, converted)

    def __call__(self, table: Table, *labels: Table, start: int = 0) -> pd.DataFrame:
        """Return the frame; rows without labels are numbered from `start`."""
        positions = dict(self.labelled)
        columns: dict[Hashable, Any] = {
            **table.columns,
            **{name: converter(table.columns[name]) for name, converter in self.converted},
        }
        masks = {name: column for name, column in columns.items() if isinstance(column, NullableColumn)}
        columns |= {name: self._joined(column) for name, column in masks.items()}
        made: dict[Hashable, Any] = {
            name: self._labelled(name, columns[name], labels[positions[name]])
            if name in positions
            else self._column(columns[name])
            for name in (*self.names, *([INDEX] if self.has_index else []))
        }
        for name, dtype in self.nullable:
            if name not in masks:
                made[name] = as_nullable(made[name], dtype)
        index = pd.Index(made.pop(INDEX)) if self.has_index else pd.RangeIndex(start, start + table.nrows)
        index.name = self.index_name
        made = {name: item.set_axis(index) if is_pandas(item, "Series") else item for name, item in made.items()}
        # Renaming columns would take most of the time here; a frame without columns would get numbers for names.
        return pd.DataFrame(made, index=index, columns=None if made else [], copy=False)

    def _joined(self, column: NullableColumn) -> Any:
        """Return integers or bools that may be missing as one of pandas' nullable types.

        A whole frame without missing ones has plain integers, as after joins of pandas.  Partitions of a Dask DataFrame
        all have the type of its meta.
        """
        if column.missing is None and not self.arrow_strings:
            return np.array(column.values)
        return masked(column.values, column.mask)

    def _labelled(self, name: Hashable, codes: Column, labels: Table) -> Any:
        from akdask.arrays.categories import pandas_categorical

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
        from akdask.operators.join.plan import LABEL

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
    """Return pandas' nullable types for columns of numbers."""
    found: dict[Hashable, str] = {}
    for name, value in columns.values.items():
        kind = columns.kinds[name]
        if isinstance(kind, pdarray) and kind._pandas_converter() is None and value.dtype.plain in _NULLABLE:
            found[name] = _NULLABLE[value.dtype.plain]
    return found


def masked(values: NumberArray, missing: NumberArray) -> Any:
    """Return integers or bools as one of pandas' nullable types, NA where they are missing.

    Examples
    --------
    >>> masked(np.array([2**60 + 1, 0]), np.array([False, True])).tolist()
    [1152921504606846977, <NA>]
    """
    made = pd.arrays.BooleanArray if values.dtype == np.bool_ else pd.arrays.IntegerArray
    return made(np.array(values), np.array(missing))


def without_masks(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of pandas in which integers and bools of which some are missing are floats.

    Examples
    --------
    >>> without_masks(pd.DataFrame({"x": pd.array([2, None], "Int64")}))["x"].tolist()
    [2.0, nan]
    """
    masks = [name for name, dtype in rows.dtypes.items() if str(dtype) in _NULLABLE.values()]
    rows = rows.copy(deep=False) if masks else rows
    for name in masks:
        column: Any = rows[name].array
        missing = column.isna()
        numbers = column.to_numpy(column.dtype.numpy_dtype, na_value=0)
        rows[name] = np.where(missing, np.nan, as_floats(numbers, ~missing))
    return rows


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
    column = np.asarray(column)
    as_array: Any = pd.array
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
    project = (columns if retain_index else columns.labelled(None)).project(with_index=True)
    found: pd.DataFrame = CollectionRows(project, converter, tuple(labels), limit).result(chunked=True)
    return found


def series_to_pandas(series: Series, *, nullable: bool) -> pd.Series:
    form, project, labels = series_conversion(series, nullable=nullable)
    found: pd.Series = CollectionRows(project, form, tuple(labels), None).result(chunked=True)
    return found


def series_conversion(series: Series, *, nullable: bool = False) -> tuple[ToSeries, Any, list[Any]]:
    columns = series._labelled._columns
    converter, labels = ToPandas.of(columns, with_index=True, nullable=nullable)
    return ToSeries(converter, series._level_names, series.name), columns.project(with_index=True), labels


@record
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


def to_parquet(
    frame: DataFrame,
    path: Path,
    index: bool | None,
    columns: Sequence[str] | None,
    compression: str | None,
    convert_categoricals: bool,
    *,
    num_locales: int | None,
    file_size: int | None,
) -> None:
    from akdask.arrays.writing import count_files, write_objects

    chosen = frame._columns if columns is None else frame._columns.only(columns)
    write_objects(
        storables(frame, index, columns),
        path,
        "truncate",
        "distribute",
        num_locales=count_files(map(chosen.array, chosen.values), num_locales, file_size),
        file_format="Parquet",
        compression=compression,
        convert_categoricals=convert_categoricals,
    )


def storables(frame: DataFrame, index: bool | None, names: Sequence[str] | None) -> dict[str, Storable]:
    columns = frame._columns if names is None else frame._columns.only(names)
    labelled = columns.index is not None if index is None else index
    columns = columns.numbered() if labelled else columns
    objects = {name: columns.array(name)._storable() for name in columns.values}
    if labelled:
        _check_names(columns, "be written with its labels")
        objects[ROW_LABELS] = columns.index_array()._storable()
    return objects


def storable(frame: DataFrame) -> Storable:
    """Return the frame as one object, as snapshots hold it."""
    from akdask.arrays.writing import Storable

    columns = frame._columns.numbered()
    _check_names(columns, "be written as one object")
    children = {ROW_LABELS: _labels(columns)}
    children.update((name, columns.array(name)._storable()) for name in columns.values)
    return Storable(ObjType.DATAFRAME, columns.frame, children=children)


def _check_names(columns: ColumnSet, purpose: str) -> None:
    taken = [name for name in columns.values if name.lower() == ROW_LABELS.lower()]
    if taken:
        raise ArgumentError(
            f"a DataFrame with a column {taken[0]!r} cannot {purpose}.",
            hint="the labels of the rows have that name in files; rename the column, or leave them with index=False.",
        )


def _labels(columns: ColumnSet) -> Storable:
    """Return the labels of the rows in a form that servers take: 64-bit numbers or Strings."""
    from akdask.arrays.categorical import Categorical

    labels: Any = columns.index_array()
    if isinstance(labels, Categorical):
        labels = labels.to_strings()
    elif labels._value.dtype.kind == "bool":
        labels = cast(labels, "int64")
    return labels._storable().as_inner()
