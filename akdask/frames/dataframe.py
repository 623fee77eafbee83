"""`DataFrame`: lazy columns that share their rows."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.families import reduction, shown_by
from akdask.columns.arrow import nulls_for_nan
from akdask.deferred import compliant, pa, pd
from akdask.engine.run import CollectionRows, resolve_lengths
from akdask.engine.sources import Persisted, refuses_foreign
from akdask.engine.values import ColumnRef
from akdask.errors import AkdaskError, ArgumentError, end_at_caller, errors_end_at_caller
from akdask.frames.alignment import RowLabels
from akdask.frames.columnset import ColumnNames, ColumnSet, names_of
from akdask.frames.row_labelled import RowLabelled, operator_method
from akdask.storage.files import takes_storage_options

if TYPE_CHECKING:
    from akdask.arrays.groupby import GroupBy
    from akdask.arrays.pdarray import pdarray
    from akdask.arrays.writing import Path, Storable
    from akdask.engine.node import Frame, RowSpace
    from akdask.engine.values import Value
    from akdask.frames.columns import Renaming
    from akdask.frames.display import Info
    from akdask.frames.groupby import DataFrameGroupBy
    from akdask.frames.index import Index
    from akdask.frames.indexing import CellIndexer, FrameILocIndexer, FrameLocIndexer
    from akdask.frames.interchange import InterchangeFrame, Samples
    from akdask.frames.series import Series
    from akdask.storage.locales import Filenames


@dataclass(slots=True)
class Content:
    """Content of a DataFrame, which its shallow copies share.

    Parameters
    ----------
    given : ColumnSet or callable
        The columns, or what returns them when they are asked for.
    handed : dict of str to (Array, Array)
        The arrays that ``df["x"]`` has returned, and their rows and values at that time.
    """

    given: ColumnSet | Callable[[], ColumnSet]
    handed: dict[str, tuple[Array, Frame, Value]] = field(default_factory=dict)

    @property
    def columns(self) -> ColumnSet:
        """The columns."""
        if not isinstance(self.given, ColumnSet):
            self.given = self.given()
        return self.given

    @columns.setter
    def columns(self, columns: ColumnSet) -> None:
        self.given = columns


def _of_columns(
    frame: DataFrame, name: str, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False
) -> Any:
    """Return {what} of each column of numbers, or of each row; computes for columns, lazy for rows.

    Parameters
    ----------
    axis : {0, 1, "index", "columns"}
        Reduce each column, or the columns of numbers in each row.
    skipna : bool, default False
        Leave NaN out, the default of pandas.  Otherwise NaN give NaN, the default of Arkouda.
    numeric_only : bool
        Accepted for compatibility with pandas: only columns of numbers and bool are reduced in any case.

    Returns
    -------
    Series
        By the names of the columns, or by the labels of the rows.

    Raises
    ------
    ArgumentError
        If there is no such axis.

    Examples
    --------
    >>> df = ak.DataFrame({"x": [1.0, float("nan")], "y": [3, 4]})
    >>> df.sum(skipna=True).to_dict(), df.sum(axis=1).tolist()
    ({'x': 1.0, 'y': 7.0}, [4.0, nan])
    """
    from akdask.frames import reductions

    return reductions.reduce_columns(frame, name, axis, skipna)


_SPREADS = """
>>> ak.DataFrame({"x": [2, 4, 3]}).{name}().to_dict()
{'x': 1.0}
"""


_OF_COLUMNS = """
>>> ak.DataFrame({"x": [2, 4, 3]}).{name}().to_dict()
{'x': {of_all}}
"""


@shown_by(_SPREADS)
def _spread_of_columns(
    frame: DataFrame,
    name: str,
    ddof: int = 1,
    axis: int | str = 0,
    skipna: bool = False,
    numeric_only: bool = False,
) -> Any:
    """Return {what} of each column of numbers, or of each row; computes for columns, lazy for rows.

    Parameters
    ----------
    ddof : int, default 1
        Subtracted from the number of values.
    axis, skipna, numeric_only
        As in `sum`.
    """
    from akdask.frames import reductions

    return reductions.reduce_columns(frame, name, axis, skipna, ddof=ddof)


def _extreme_of_columns(
    frame: DataFrame, name: str, axis: int | str = 0, skipna: bool = False, numeric_only: bool = False
) -> Any:
    """Return {what} of each column, or of each row; computes for columns, lazy for rows.

    Parameters
    ----------
    axis : {0, 1, "index", "columns"}
        Reduce each column, or each row.
    skipna : bool, default False
        Leave missing values out.  See `sum`.
    numeric_only : bool, default False
        Leave out columns that have neither numbers nor bool.

    Returns
    -------
    Series, or pandas.Series of object
        By the names of the columns, or by the labels of the rows.  It is pandas' where text or times stand beside
        values of another type.

    Raises
    ------
    ArgumentError
        If there is no such axis.
    ArgumentTypeError
        If values have no order, or values of a row cannot be compared with each other.

    Examples
    --------
    >>> df = ak.DataFrame({"x": [3, 1], "s": ["b", "a"]})
    >>> df.min().to_dict(), df.min(numeric_only=True).to_dict()
    ({'x': 1, 's': 'a'}, {'x': 1})
    """
    from akdask.frames import reductions

    return reductions.extremes(frame, name, axis, skipna, numeric_only)


@shown_by(_OF_COLUMNS)
def _label_of_extreme(frame: DataFrame, name: str, numeric_only: bool = False) -> Any:
    """Return {what} of each column; computes.

    Parameters
    ----------
    numeric_only : bool, default False
        Leave out columns that have neither numbers nor bool.

    Raises
    ------
    ArgumentError
        If all values of a column are missing.
    ArgumentTypeError
        If values have no order.
    """
    from akdask.frames import reductions

    return reductions.labels_of_extremes(frame, name, numeric_only)


def _truth_of_columns(frame: DataFrame, name: str, axis: int | str | None = 0) -> Series | bool:
    """Return {what}, of columns of bool; lazy for rows, otherwise it computes.

    Parameters
    ----------
    axis : {0, 1, "index", "columns", None}
        Of each column, of each row, or of all of them.

    Returns
    -------
    Series or bool
        By the names of the columns, by the labels of the rows, or a single bool.  False without values.

    Raises
    ------
    ArgumentError
        If there is no such axis.

    Examples
    --------
    >>> df = ak.DataFrame({"a": [True, False], "b": [False, False], "x": [1, 2]})
    >>> df.any().to_dict(), df.any(axis=1).tolist(), df.any(axis=None)
    ({'a': True, 'b': False}, [True, False], True)
    """
    from akdask.frames import reductions

    return reductions.column_truths(frame, name, axis)


_OF_COLUMNS = """
>>> ak.DataFrame({"x": [2, 3]}).{name}(2)["x"].tolist()
{shown}
"""


@shown_by(_OF_COLUMNS)
def _arithmetic(
    frame: DataFrame, function: Callable[..., Any], /, other: Any, axis: int | str = 1, fill_value: Any = None
) -> DataFrame:
    """Return the values {what} a scalar, array, DataFrame or Series; lazy.  See `add`."""
    from akdask.frames import arithmetic

    return arithmetic.operate(frame, function, other, axis, fill_value)


@shown_by(_OF_COLUMNS)
def _comparison(frame: DataFrame, function: Callable[..., Any], /, other: Any, axis: int | str = 1) -> DataFrame:
    """Return which values {what} something; lazy.  See `add`."""
    from akdask.frames import arithmetic

    return arithmetic.operate(frame, function, other, axis)


@errors_end_at_caller
class DataFrame(RowLabelled):
    """Named lazy columns that share their rows.

    Parameters
    ----------
    initialdata : mapping, DataFrame, pandas.DataFrame or sequence, optional
        Columns by name (lazy arrays, data at hand, Series, or a scalar for all rows; Series meet on the labels of all
        of them, or on the labels `index`), or arrays in the order of `columns`; or
        rows, as a list of mappings or a NumPy array of two dimensions.  A key ``index``, in any case, becomes the
        index, as `to_hdf` stores it.
    index : Index, lazy array or data at hand, optional
        Labels of the rows, instead of their numbers.
    columns : list of str, optional
        Names of the columns, ``"0"``, ``"1"`` and so on unless given; of a mapping, the columns to take.

    Raises
    ------
    AlignmentError
        If the columns do not share rows.
    ArgumentError
        If there are not as many names as arrays, or `initialdata` is something else.
    ArgumentTypeError
        If columns are not named by str.

    Examples
    --------
    >>> df = DataFrame({"x": ak.arange(4), "y": ["a", "b", "c", "d"]})
    >>> df[df["x"] > 1].to_pandas()
       x  y
    2  2  c
    3  3  d
    """

    objType = "DataFrame"

    __array_priority__ = 3000

    __hash__ = None  # type: ignore[assignment]

    _content: Content

    # construction

    @refuses_foreign()
    def __init__(self, initialdata: Any = None, index: Any = None, columns: Sequence[str] | None = None) -> None:
        from akdask.frames import conversion

        self._content = Content(conversion.columns_of(initialdata, index, columns, self._rules))

    @classmethod
    def of(cls, columns: Mapping[str, Array], index: Array | None = None) -> DataFrame:
        """Return the frame of arrays that share rows, whatever the columns are called."""
        return cls._of(ColumnSet.of(columns, index))

    @classmethod
    def deferred(cls, columns: Callable[[], ColumnSet]) -> DataFrame:
        """Return a frame whose columns are asked for when they, or their types, are needed."""
        return cls._with(Content(columns))

    @classmethod
    def from_pandas(cls, pd_df: pd.DataFrame) -> DataFrame:
        """Return the columns and index of a pandas DataFrame as lazy columns.

        Categorical columns stay so; column names become str.

        Examples
        --------
        >>> ak.DataFrame.from_pandas(pd.DataFrame({"x": [3, 1]}))["x"].tolist()
        [3, 1]
        """
        from akdask.frames import conversion

        return conversion.from_pandas(pd_df)

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Any], orient: str = "columns", columns: Sequence[str] | None = None
    ) -> DataFrame:
        """Return the DataFrame of a mapping.

        Parameters
        ----------
        data : mapping
            Columns by name, or with ``orient="index"`` rows by label.
        orient : {"columns", "index"}
            Meaning of the keys.
        columns : sequence of str, optional
            Names of the columns of rows.

        Raises
        ------
        ArgumentError
            If `orient` is something else.

        Examples
        --------
        >>> ak.DataFrame.from_dict({"x": [1, 2], "y": ["a", "b"]})["y"].tolist()
        ['a', 'b']
        """
        from akdask.frames import conversion

        return conversion.from_dict(data, orient, columns)

    @classmethod
    def from_records(
        cls, data: Any, columns: Sequence[str] | None = None, exclude: Sequence[str] | None = None
    ) -> DataFrame:
        """Return the DataFrame of rows at hand.

        Parameters
        ----------
        data : sequence of tuples or dicts, structured ndarray, or mapping
            The rows.
        columns : sequence of str, optional
            Names of the columns, and which to take of dicts.
        exclude : sequence of str, optional
            Columns to leave out.

        Raises
        ------
        ArgumentError
            If pandas makes no rows of them.

        Examples
        --------
        >>> ak.DataFrame.from_records([(1, "a"), (2, "b")], columns=["n", "s"]).to_pandas()
           n  s
        0  1  a
        1  2  b
        """
        from akdask.frames import conversion

        return conversion.from_records(data, columns, exclude)

    @classmethod
    @takes_storage_options
    def load(
        cls,
        prefix_path: Path,
        file_format: str = "INFER",
        *,
        widen: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> DataFrame:
        """Open the files that were written under a prefix as a DataFrame.  Reads metadata only.

        Parameters
        ----------
        prefix_path : str or path
            Prefix, as for `to_hdf`.
        file_format : str, default "INFER"
            The format, told from the first bytes unless given.
        widen : bool, default False
            As in `akdask.read_hdf`.

        Raises
        ------
        MissingFileError
            If there are no files of that prefix.
        AlignmentError
            If the objects in the files do not have as many rows.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).to_parquet("rows")
        >>> ak.DataFrame.load("rows")["x"].tolist()
        [3, 1]
        """
        from akdask.frames import conversion

        return conversion.load(prefix_path, file_format, widen=widen)

    @classmethod
    @takes_storage_options
    def read_csv(
        cls,
        filename: Filenames,
        col_delim: str = ",",
        *,
        dtypes: Any = None,
        widen: bool = False,
        storage_options: Mapping[str, Any] | None = None,
    ) -> DataFrame:
        """Open CSV files of Arkouda or other writers as a DataFrame; see `akdask.read_csv`.

        Parameters
        ----------
        filename : str, path or sequence of them
            Files or glob patterns.
        col_delim : str, default ","
            Delimiter of fields.
        dtypes : mapping of str to dtype, or dtype, optional
            Types of columns.
        widen : bool, default False
            As in `akdask.read_csv`.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).to_csv("rows")
        >>> ak.DataFrame.read_csv("rows*")["x"].tolist()
        [3, 1]
        """
        from akdask.frames import conversion

        return conversion.read_csv(filename, col_delim, dtypes=dtypes, widen=widen)

    def copy(self, deep: bool = True) -> DataFrame:
        """Return a copy; it shares the data, which never change.

        Parameters
        ----------
        deep : bool, default True
            Make an independent frame; otherwise assignments to one of the two change both.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> other = df.copy()
        >>> other["x"] = other["x"] * 10
        >>> df["x"].tolist()
        [1, 2]
        """
        columns = self._columns
        return self._of(columns) if deep else self._with(self._content)

    @classmethod
    def _of(cls, columns: ColumnSet) -> DataFrame:
        return cls._with(Content(columns))

    @classmethod
    def _with(cls, content: Content) -> DataFrame:
        self = cls.__new__(cls)
        self._content = content
        return self

    def _changed(self, columns: ColumnSet, inplace: bool) -> DataFrame | None:
        if not inplace:
            return self._of(columns)
        self._become(columns)
        return None

    def _become(self, columns: ColumnSet) -> None:
        """Hold other columns from now on, with other rows perhaps."""
        self._content.columns = columns
        self._content.handed = {}

    def _value_columns(self) -> ColumnSet:
        return self._columns

    def _with_columns(self, arrays: Mapping[str, Array]) -> DataFrame:
        return self._of(self._columns.beside(arrays))

    # plan

    @property
    def expr(self) -> CollectionRows:
        """The plan."""
        from akdask.frames.conversion import ToPandas

        converter, labels = ToPandas.of(self._columns, with_index=True)
        return CollectionRows(self._columns.project(with_index=True), converter, tuple(labels), None)

    @property
    def rows(self) -> RowSpace:
        """The row space: identity of the rows, partitions, and partition lengths if known."""
        return self._columns.frame.rows

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> DataFrame:
        columns = self._columns
        project = columns.project(with_index=True)
        frame = Persisted.of(project, graph, self.__dask_keys__)
        named = zip(project.names, project.values, strict=True)
        return self._of(columns.placed(frame, [ColumnRef(frame._name, name, value.dtype) for name, value in named]))

    def resolve_lengths(self) -> DataFrame:
        """Count the rows of each partition if they are unknown; returns the frame itself.

        Examples
        --------
        >>> df = ak.DataFrame({"x": ak.arange(6)})
        >>> df[df["x"] > 3].resolve_lengths().size
        2
        """
        resolve_lengths(self._columns.frame)
        return self

    def repartition(self, npartitions: int) -> DataFrame:
        """Return the rows in another number of partitions, of about equal length.

        Lazy, but for counting rows of unknown number.  Rows keep their labels.

        Raises
        ------
        ArgumentError
            If that is no number of partitions.

        Examples
        --------
        >>> ak.DataFrame({"x": ak.arange(6)}).repartition(2).npartitions
        2
        """
        from akdask.arrays.row_selection import repartitioned

        columns = self._columns
        return self._of(columns.placed(*repartitioned(columns.project(with_index=True), npartitions)))

    def map_partitions(self, func: Callable[..., Any], *args: Any, meta: Any = None, **params: Any) -> Any:
        """Apply a function to the pandas DataFrame of each partition, and return its results as a DataFrame; lazy.

        Parameters
        ----------
        func : callable
            ``func(frame, *args, **params)`` returns a pandas DataFrame.
        *args
            Further arguments of the function.
        meta : pandas.DataFrame or mapping of str to dtype, optional
            Names and types of its results; unless given, a call with a made-up frame finds them.
        **params
            Further arguments of the function, by name.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2, 3]})
        >>> df.map_partitions(lambda rows: rows * 10)["x"].tolist()
        [10, 20, 30]
        """
        from akdask.frames import interchange

        return interchange.map_partitions(self, func, *args, meta=meta, **params)

    # shape and labels

    @property
    def columns(self) -> ColumnNames:
        """Names of the columns, in order.

        Examples
        --------
        >>> list(ak.DataFrame({"x": [3, 1], "y": ["b", "a"]}).columns)
        ['x', 'y']
        """
        return ColumnNames(self._columns.values)

    @columns.setter
    def columns(self, names: Sequence[str]) -> None:
        columns, wanted = self._columns, names_of(names)
        if len(wanted) != len(columns.values) or len({*wanted}) < len(wanted):
            raise ArgumentError(
                f"{len(columns.values)} columns need as many names, all different.", details=[f"given: {wanted!r:.200}"]
            )
        self._become(columns.renamed(dict(zip(columns.values, wanted, strict=True))))

    @property
    def index(self) -> Index:
        """Labels of the rows; their numbers unless others were given.  Lazy.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}, index=ak.array([20, 10])).index.tolist()
        [20, 10]
        """
        from akdask.frames.index import Index

        columns = self._columns
        return Index(columns.index_array(), columns.index_name)

    @index.setter
    def index(self, labels: Any) -> None:
        from akdask.frames.index import Index

        index = None if labels is None else Index(labels)
        self._content.columns = self._columns.labelled(*((None, None) if index is None else (index.values, index.name)))

    @property
    def axes(self) -> list[Any]:
        """Labels of the rows, and names of the columns.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).axes
        [Index(array([0 1]), dtype='int64'), Index(['x'], dtype='<U0')]
        """
        return [self.index, self.columns]

    @property
    def dtypes(self) -> dict[str, str]:
        """Types of the columns, by name: ``int64``, ``str``, ``Categorical`` and so on.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1], "y": ["b", "a"]}).dtypes
        {'x': 'int64', 'y': 'str'}
        """
        columns = self._columns
        return {name: columns.array(name)._type_name() for name in columns.values}

    @property
    def ndim(self) -> int:
        """Always 2.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).ndim
        2
        """
        return 2

    @property
    def size(self) -> int:
        """Number of rows times columns, as in Arkouda and pandas; counts rows, once, where a filter left that open.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.size
        6
        """
        return len(self) * len(self.columns)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.shape
        (3, 2)
        """
        return len(self), len(self.columns)

    @property
    def empty(self) -> bool:
        """Whether there are no rows or no columns.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.empty, df[df["x"] > 9].empty
        (False, True)
        """
        return not self.columns or not len(self)

    def __len__(self) -> int:
        """Return the number of rows; counts them, once, where a filter has left that open."""
        size = self.rows.size
        return sum(self._columns.counted()) if size is None else size

    def update_nrows(self) -> None:
        """Count the rows, once, where a filter has left their number open.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.update_nrows()
        """
        len(self)

    def memory_usage(self, index: bool = True, unit: str = "B") -> Any:
        """Return how much memory each column takes when it is in memory; counts rows of unknown number.

        Parameters
        ----------
        index : bool
            Include the labels of the rows.
        unit : {"B", "KB", "MB", "GB"}
            The unit.  Strings count only their offsets, Categoricals only their codes.

        Returns
        -------
        Series
            By the names of the columns, after ``Index``; int64 if counted in bytes, else float64.

        Raises
        ------
        ArgumentError
            If there is no such unit.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).memory_usage().to_dict()
        {'Index': 16, 'x': 16}
        """
        from akdask.frames import display

        return display.memory_usage(self, index, unit)

    def memory_usage_info(self, unit: str = "GB") -> str:
        """Return in words how much memory all columns and the labels take; see `memory_usage`.

        Examples
        --------
        >>> ak.DataFrame({"x": ak.arange(1000), "y": ak.arange(1000)}).memory_usage_info(unit="KB")
        '23.44 KB'
        """
        return f"{self.memory_usage(unit=unit).sum():.2f} {unit}"

    def set_index(self, keys: Any, drop: bool = True, inplace: bool = False) -> DataFrame | None:
        """Return the frame with its rows labelled by a column or an array; lazy.

        Parameters
        ----------
        keys : str, array or Series
            The labels.
        drop : bool, default True
            Take the column out of the others.
        inplace : bool, default False
            Change this frame and return None.

        Raises
        ------
        MissingColumnError
            If there is no column of that name.
        ArgumentTypeError
            If `keys` has several columns; rows of a DataFrame have labels of one level here.

        Examples
        --------
        >>> ak.DataFrame({"k": ["a", "b"], "x": [1, 2]}).set_index("k").to_pandas()
           x
        k
        a  1
        b  2
        """
        from akdask.frames import columns

        return columns.set_index(self, keys, drop, inplace)

    def reset_index(
        self,
        size: Any = None,
        inplace: bool = False,
        *,
        level: Any = None,
        drop: bool | None = None,
        names: Any = None,
    ) -> DataFrame | None:
        """Return the frame with its rows labelled by their numbers; lazy.

        Parameters
        ----------
        size : int, optional
            Accepted as Arkouda spells it; a name is taken for `level`, which is the first argument in pandas.
        inplace : bool
            Change this frame and return None.
        level : int or str, or list of one, optional
            The level of the labels, as in pandas; they have one.
        drop : bool, optional
            Leave the labels out; False makes them the first column, named as the labels are, or ``index``.  Unless
            given, labels with a name become a column, such as the keys of groups, and labels without a name are left
            out, as in Arkouda.
        names : str or list of one, optional
            Name of the column.

        Raises
        ------
        SchemaError
            If there is a column of that name.
        MissingLabelError, PositionError
            If there is no such level.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 2, 2], "x": [1, 2, 3]}).groupby("k").sum()
        >>> df.reset_index().to_pandas()
           k  x
        0  1  1
        1  2  5
        """
        from akdask.frames import rows

        return rows.reset_index(self, size, inplace, level=level, drop=drop, names=names)

    def set_axis(self, labels: Any, axis: int | str = 0) -> DataFrame:
        """Return the frame with other labels of rows, or with ``axis=1`` other names of columns; lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.set_axis(["a", "b"], axis=1).columns.tolist()
        ['a', 'b']
        """
        from akdask.frames import columns

        return columns.set_axis(self, labels, axis)

    def rename(
        self,
        mapper: Renaming | None = None,
        index: Renaming | None = None,
        column: Renaming | None = None,
        axis: int | str = 0,
        inplace: bool = False,
        *,
        columns: Renaming | None = None,
    ) -> DataFrame | None:
        """Return the frame with other names of columns, other labels of rows, or both; lazy.

        Parameters
        ----------
        mapper : mapping or callable, optional
            Old to new names or labels, as `axis` has it.
        index : mapping or callable, optional
            Old to new labels of rows.  A function computes, for it is given every label.
        column : mapping or callable, optional
            Old to new names of columns.
        axis : {0, 1, "index", "column"}
            Use of `mapper`: labels of rows, or names of columns.
        inplace : bool
            Change this frame and return None.
        columns : mapping or callable, optional
            The same as `column`, as pandas spells it.

        Raises
        ------
        ArgumentError
            If neither names nor labels are to change, or both by `index` and `column`, which Arkouda does one at a
            time; or if two columns would have the same name.
        ArgumentTypeError
            If new labels are of another type than the old ones.

        Notes
        -----
        Names and labels that are not there are passed over, as in Arkouda.

        Examples
        --------
        >>> df = ak.DataFrame({"A": [1, 2, 3]})
        >>> df.rename(column={"A": "a"}).rename(index={0: 99, 2: 11}).to_pandas(retain_index=True)
            a
        99  1
        1   2
        11  3
        """
        from akdask.frames.columns import rename

        return rename(self, mapper, index, column, axis, inplace, columns=columns)

    def rename_axis(self, mapper: Hashable) -> DataFrame:
        """Return the frame with another name of the labels of its rows; lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.rename_axis("row").index.name
        'row'
        """
        columns = self._columns
        return self._of(columns.labelled(columns.index_array(), mapper))

    def add_prefix(self, prefix: str) -> DataFrame:
        """Return the columns with text before their names.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.add_prefix("old_").columns.tolist()
        ['old_x', 'old_y']
        """
        return self._of(self._columns.renamed({name: f"{prefix}{name}" for name in self.columns}))

    def add_suffix(self, suffix: str) -> DataFrame:
        """Return the columns with text behind their names.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.add_suffix("_old").columns.tolist()
        ['x_old', 'y_old']
        """
        return self._of(self._columns.renamed({name: f"{name}{suffix}" for name in self.columns}))

    def reindex(
        self, labels: Any = None, index: Any = None, columns: Sequence[str] | None = None, fill_value: Any = None
    ) -> DataFrame:
        """Return the rows that have given labels, in their order, and columns of given names; counts rows.

        Parameters
        ----------
        labels, index : Index, array or sequence, optional
            Labels of rows; both mean the same.
        columns : list of str, optional
            Names of columns.
        fill_value : scalar, optional
            Value of cells without such a label or name; missing unless given.

        Raises
        ------
        ArgumentError
            If labels are given twice, or rows or labels have several levels.
        NonUniqueError
            When it is computed, if several rows have the same label.
        ArgumentTypeError
            If labels are no array or sequence.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2]}, index=["a", "b"])
        >>> df.reindex(["b", "z"]).to_pandas()["x"].tolist()
        [2, <NA>]
        """
        from akdask.frames import sorting

        return sorting.reindex(self, labels, index, columns, fill_value)

    def reindex_like(self, other: Any) -> DataFrame:
        """Return the rows and columns that another DataFrame has; counts rows.  See `reindex`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.reindex_like(ak.DataFrame({"y": [0]}))["y"].tolist()
        [3.0]
        """
        return self.reindex(index=other.index, columns=list(other.columns))

    def squeeze(self, axis: int | str | None = None) -> Any:
        """Return the only column of a frame as a Series, and its only value where it has one row; else the frame.

        Examples
        --------
        >>> ak.DataFrame({"x": [3]}).squeeze()
        np.int64(3)
        """
        from akdask.frames import columns

        return columns.squeeze(self, axis)

    @property
    def _columns(self) -> ColumnSet:
        """The columns, with assignments to rows of arrays that came from ``df["x"]``."""
        content = self._content
        for name, (array, frame, value) in content.handed.items():
            if array._frame is not frame or array._value != value:
                content.handed[name] = array, array._frame, array._value
                content.columns = content.columns.having(name, array)
        return content.columns

    @property
    def _row_labels(self) -> RowLabels:
        return RowLabels.of(self._columns)

    # selection

    @overload
    def __getitem__(self, key: list[str] | slice | Array) -> DataFrame: ...

    @overload
    def __getitem__(self, key: Any) -> Any: ...

    def __getitem__(self, key: Any) -> Any:
        """Return a column, some columns, or some rows.

        Parameters
        ----------
        key : str, list of str, int, slice, or array of bool or int
            A name gives the column, several a DataFrame.  An int gives one `Row`, at once; other keys choose
            rows as keys of an array do, and stay lazy.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If the key is of another kind, such as a list of names and numbers.
        """
        # A column takes half a microsecond, to which the wrapper of other methods would add a quarter.
        try:
            if isinstance(key, str):
                return self._column(key)
            if isinstance(key, list | tuple) and any(isinstance(name, str) for name in key):
                return self._of(self._columns.only(names_of(key)))
            return self._rows(key)
        except AkdaskError as error:
            end_at_caller(error)
            raise

    @property
    def loc(self) -> FrameLocIndexer:
        """Rows and columns by label: ``df.loc[df["x"] > 1, ["x", "y"]]``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.loc[df["x"] > 1, ["y"]].to_pandas()
           y
        0  b
        2  b
        """
        from akdask.frames.indexing import FrameLocIndexer

        return FrameLocIndexer(self)

    @property
    def iloc(self) -> FrameILocIndexer:
        """Rows and columns by position: ``df.iloc[:10, 0]``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.iloc[1:].to_pandas()
           x  y
        1  1  a
        2  3  b
        """
        from akdask.frames.indexing import FrameILocIndexer

        return FrameILocIndexer(self)

    @property
    def at(self) -> CellIndexer:
        """One value by label and column: ``df.at["a", "x"]``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.at[1, "y"]
        np.str_('a')
        """
        from akdask.frames.indexing import CellIndexer

        return CellIndexer(self, by_position=False)

    @property
    def iat(self) -> CellIndexer:
        """One value by the positions of its row and column: ``df.iat[0, 1]``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.iat[1, 0]
        np.int64(1)
        """
        from akdask.frames.indexing import CellIndexer

        return CellIndexer(self, by_position=True)

    def head(self, n: int = 5) -> DataFrame:
        """Return the first `n` rows; lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.head(2).to_pandas()
           x  y
        0  3  b
        1  1  a
        """
        return self._of(self._columns.head(n))

    def tail(self, n: int = 5) -> DataFrame:
        """Return the last `n` rows; lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.tail(2)["y"].tolist()
        ['a', 'b']
        """
        return self._of(self._columns.tail(n))

    def take(self, indices: Any, axis: Any = 0) -> DataFrame:
        """Return the rows, or with ``axis=1`` the columns, at positions; rows of unknown number may be counted.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.take([2, 0])["x"].tolist(), df.take([1], axis=1).columns.tolist()
        ([3, 3], ['y'])
        """
        if axis in {1, "columns"}:
            names = list(self.columns)
            return self[[names[position] for position in indices]]
        return self._rows(indices if isinstance(indices, Array) else np.asarray(indices, np.int64))

    def sample(self, n: int = 5, *, frac: float | None = None, random_state: Any = None) -> DataFrame:
        """Return `n` rows chosen at random, all of them if there are no more; counts rows of unknown number.

        Parameters
        ----------
        n : int, default 5
            How many rows.
        frac : float, optional
            Or which part of them, from 0 to 1.
        random_state : int or numpy.random.Generator, optional
            Seed for a choice that can be repeated.

        Raises
        ------
        ArgumentError
            If there cannot be so many.
        ArgumentTypeError
            If numbers are none.

        Examples
        --------
        >>> df = ak.DataFrame({"x": ak.arange(100)})
        >>> len(df.sample(3, random_state=1))
        3
        """
        from akdask.frames import rows

        return rows.sample(self, n, frac=frac, random_state=random_state)

    def query(
        self,
        expr: str,
        inplace: bool = False,
        *,
        local_dict: Mapping[str, Any] | None = None,
        global_dict: Mapping[str, Any] | None = None,
    ) -> DataFrame | None:
        """Return the rows for which an expression holds; lazy.

        Parameters
        ----------
        expr : str
            In pandas' grammar: columns by name, in backticks if it has other characters than letters, ``index`` for
            the labels; ``@name`` for variables of the caller; comparisons, also chained, ``in`` and ``not in``;
            ``and``, ``or``, ``not``, ``&``, ``|``, ``~``; arithmetic and its functions; ``x.isna()``,
            ``x.between(1, 2)``, ``s.str.contains("a")``, ``t.dt.year`` and the like.  Nothing else is done, whatever
            it says.
        inplace : bool, default False
            Change this frame and return None.
        local_dict, global_dict : mapping of str to value, optional
            Variables in place of the caller's.

        Raises
        ------
        ArgumentError
            If the expression is not in the grammar; the message shows where.
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If an operator is not for columns of a type.

        Notes
        -----
        Follows ``pandas.DataFrame.query``.  Other functions, attributes and subscripts are refused, and so are ``is``,
        ``<<``, ``>>``, ``^`` and ``if``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2, 3, 4], "s": ["tcp", "udp", "tcp", "icmp"]})
        >>> least = 2
        >>> df.query("x >= @least and s in ['tcp', 'icmp']").to_pandas()
           x     s
        2  3   tcp
        3  4  icmp
        """
        from akdask.frames import expressions

        return expressions.query(self, expr, inplace, local_dict=local_dict, global_dict=global_dict)

    def filter(
        self, items: Sequence[str] | None = None, like: str | None = None, regex: str | None = None
    ) -> DataFrame:
        """Return the columns whose names are chosen; lazy.

        Parameters
        ----------
        items : sequence of str, optional
            Names of columns; unknown names are ignored.
        like : str, optional
            Or part of names.
        regex : str, optional
            Or a regular expression that is found in names.

        Raises
        ------
        ArgumentError
            If not exactly one of them is given.

        Examples
        --------
        >>> ak.DataFrame({"x1": [1], "x2": [2], "y": [3]}).filter(like="x").columns.tolist()
        ['x1', 'x2']
        """
        from akdask.frames import columns

        return columns.filter_columns(self, items, like, regex)

    def filter_by_range(self, keys: str | Sequence[str], low: int = 1, high: int | None = None) -> pdarray:
        """Return which rows have keys that occur in a given number of rows; lazy bool array.

        Parameters
        ----------
        keys : str or list of str
            The columns that must be equal.
        low, high : int
            Fewest and most rows, both included; no most if None.

        Returns
        -------
        pdarray of bool
            With the rows of the frame; False for rows with NaN among their keys, which are in no group.

        Raises
        ------
        ArgumentError
            If `low` is negative, or `high` is less than `low`.
        ArgumentTypeError
            If `keys` are no names.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.filter_by_range("x", low=2).tolist()
        [True, False, True]
        """
        from akdask.frames.groupby import filter_by_range

        return filter_by_range(self, keys, low, high)

    def select_dtypes(self, include: Any = None, exclude: Any = None) -> DataFrame:
        """Return the columns of some types; lazy.

        Parameters
        ----------
        include, exclude : str, type or list of them, optional
            Types as `dtypes` names them, such as ``"int64"``, ``"str"`` or ``"Categorical"``, types of NumPy, and
            ``"number"``, which includes spans of time, ``"object"`` for text, ``"category"``, ``"datetime"`` and
            ``"timedelta"``.

        Raises
        ------
        ArgumentError
            If neither is given, or both name a type.

        Examples
        --------
        >>> ak.DataFrame({"x": [1], "y": [1.5], "s": ["a"]}).select_dtypes("number").columns.tolist()
        ['x', 'y']
        """
        from akdask.frames import dtypes

        return dtypes.select_dtypes(self, include, exclude)

    def isin(self, values: Any) -> DataFrame:
        """Return which values are among given ones, as a DataFrame of bool; lazy.

        Parameters
        ----------
        values : array or sequence, mapping, Series, or DataFrame
            Values for all columns, or a mapping of values by column.  A Series, or the column of that name of a
            DataFrame, gives one value for each row, by labels.  Text never equals a number.

        Raises
        ------
        ArgumentTypeError
            If it is nothing to look among, such as one number or str.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.isin({"x": [3], "y": ["a"]}).to_pandas()
               x      y
        0   True  False
        1  False   True
        2   True  False
        """
        from akdask.frames import distinct

        return distinct.isin(self, values)

    def _rows(self, key: Any) -> Any:
        """Return the rows that a key chooses; see `DataFrame.__getitem__`."""
        from akdask.frames import rows

        return rows.select(self, key)

    # columns

    def __setitem__(self, name: Any, values: Any) -> None:
        """Put a column into the frame: an array with the same rows, data at hand, or a scalar for all rows.

        A mask in place of the name assigns to the rows, a DataFrame of bool to the cells, where it is True.  An int
        assigns the values of a mapping to that row.  A list of names takes another DataFrame, or a sequence with a
        column for each name.

        Raises
        ------
        AlignmentError
            If an array does not share rows with the other columns.
        ArgumentError
            If no column can have that name.
        ArgumentTypeError
            If `name` is neither, or a row is given as something else than a mapping.
        MissingColumnError, PositionError
            If a row is given that is not there, or has columns that are not.
        """
        from akdask.frames import columns

        columns.assign_item(self, name, values)

    def __delitem__(self, name: str) -> None:
        columns = self._columns
        columns.array(name)
        self._content.columns = columns.only(other for other in columns.values if other != name)
        self._content.handed.pop(name, None)

    def __contains__(self, name: object) -> bool:
        return name in self._columns.values

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the columns."""
        return iter(self.columns)

    def __getattr__(self, name: str) -> Any:
        """Return a column whose name is no attribute, as a Series with the labels of the rows."""
        from akdask.arrays.missing_attributes import missing_attribute

        content = self.__dict__.get("_content")
        if content is None or name not in content.columns.values:
            known = [] if content is None else content.columns.values
            raise missing_attribute(type(self), name, of="attribute or column", columns=known)
        from akdask.frames.series import column_series

        return column_series(self, name)

    def __setattr__(self, name: str, values: Any) -> None:
        """Change a column by its name, ``df.x = …`` for ``df["x"] = …``; as in pandas, none is made so."""
        if name.startswith("_") or hasattr(type(self), name):
            super().__setattr__(name, values)
        elif name in self:
            self[name] = values
        else:
            from akdask.errors import warn
            from akdask.frames.conversion import is_scalar

            if not is_scalar(values):
                warn(f"df.{name} = … makes no column; write df[{name!r}] = … for one.", UserWarning)
            super().__setattr__(name, values)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.columns)

    def __dir__(self) -> Iterable[str]:
        return [*super().__dir__(), *(name for name in self.columns if name.isidentifier())]

    def keys(self) -> list[str]:
        """Return the names of the columns.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.keys()
        Index(['x', 'y'], dtype='<U0')
        """
        return self.columns

    def values(self) -> list[Array]:
        """Return the columns.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> [column.tolist() for column in df.values()]
        [[1, 2], [3, 4]]
        """
        return [self._column(name) for name in self.columns]

    def items(self) -> list[tuple[str, Array]]:
        """Return names and columns.

        Examples
        --------
        >>> [(name, column.tolist()) for name, column in ak.DataFrame({"x": [3, 1]}).items()]
        [('x', [3, 1])]
        """
        return [(name, self._column(name)) for name in self.columns]

    def get(self, name: str | list[str], default: Any = None) -> Any:
        """Return a column, or a frame of a list of columns; the default if a column is missing.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.get("x").tolist(), df.get("z") is None
        ([3, 1, 3], True)
        """
        if isinstance(name, list):
            return self._of(self._columns.only(name)) if all(one in self for one in name) else default
        return self._column(name) if name in self else default

    def pop(self, name: str) -> Array:
        """Take a column out of the frame and return it.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.pop("x").tolist(), df.columns.tolist()
        ([3, 1, 3], ['y'])
        """
        array = self._columns.array(name)
        del self[name]
        return array

    def insert(self, loc: int, column: str, value: Any, allow_duplicates: bool = False) -> None:
        """Put a column into this frame at a place among the others.

        Parameters
        ----------
        loc : int
            How many columns stand before it.
        column : str
            Its name.
        value : array, data at hand, or scalar
            Values as for `df[column] = …`.
        allow_duplicates : False
            Accepted for compatibility with pandas; names are all different.

        Raises
        ------
        SchemaError
            If there is a column of that name.
        PositionError
            If there are not as many columns.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1]})
        >>> df.insert(0, "number", ak.arange(2))
        >>> df.to_pandas()
           number  x
        0       0  3
        1       1  1
        """
        from akdask.frames import columns

        columns.insert(self, loc, column, value)

    def assign(self, **kwargs: Any) -> DataFrame:
        """Return the frame with more columns; each is a value as for `df[name] = …`, or a function of the frame.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).assign(double=lambda df: df["x"] * 2).to_pandas()
           x  double
        0  3       6
        1  1       2
        """
        changed = self.copy()
        for name, values in kwargs.items():
            changed[name] = values(changed) if callable(values) else values
        return changed

    def eval(
        self,
        expr: str,
        inplace: bool = False,
        *,
        local_dict: Mapping[str, Any] | None = None,
        global_dict: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value of an expression, or the frame with columns that expressions give; lazy.

        Parameters
        ----------
        expr : str
            An expression as for `query`, or one line for each column, ``z = x + y``, which may use earlier columns.
        inplace : bool, default False
            Put the columns into this frame and return None.
        local_dict, global_dict : mapping of str to value, optional
            Variables in place of the caller's.

        Returns
        -------
        Series, plain value, DataFrame or None
            The value, with the labels of the rows; or the frame.

        Raises
        ------
        ArgumentError, MissingColumnError, ArgumentTypeError
            As in `query`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [10, 20]})
        >>> df.eval("x + y").tolist()
        [11, 22]
        >>> df.eval("z = x * y").to_pandas()
           x   y   z
        0  1  10  10
        1  2  20  40
        """
        from akdask.frames import expressions

        return expressions.evaluate(self, expr, inplace, local_dict=local_dict, global_dict=global_dict)

    def update(self, other: Any) -> None:
        """Put values of another DataFrame into this frame, by labels; of a mapping put all columns into it.

        Parameters
        ----------
        other : DataFrame, Series or mapping
            The new values of columns of the same names, where they are not missing; rows and columns that only `other`
            has are left out, as in pandas.  A mapping replaces columns and adds new ones.

        Raises
        ------
        NonUniqueError
            When it is computed, if a DataFrame or Series has a label twice, and other labels than this frame.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2, 3]})
        >>> df.update(ak.DataFrame({"x": [30, 10]}, index=[2, 0]))
        >>> df["x"].tolist()
        [10, 2, 30]
        """
        from akdask.frames import columns

        columns.update(self, other)

    def drop(
        self,
        keys: Any = None,
        axis: int | str = 0,
        inplace: bool = False,
        *,
        columns: str | Iterable[str] | None = None,
        index: Any = None,
        errors: str = "raise",
    ) -> DataFrame | None:
        """Return the frame without some rows or columns.

        Parameters
        ----------
        keys : int, str, or list of them, optional
            Positions of rows, or with ``axis=1`` names of columns.
        axis : {0, 1, "index", "columns"}
            Rows or columns.
        inplace : bool
            Change this frame and return None.
        columns : str or iterable of str, optional
            Names of columns, as pandas spells it.
        index : scalar, array or sequence, optional
            Labels of rows, as in pandas; looking them up computes.
        errors : {"raise", "ignore"}
            Raise for unknown columns and labels, or ignore them.

        Raises
        ------
        MissingColumnError, PositionError, MissingLabelError
            If there is no such column or row.
        ArgumentTypeError
            If `keys` are no names, or no positions.
        ArgumentError
            If nothing is to be left out.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]}, index=["a", "b"])
        >>> df.drop(columns="y", index="a").to_pandas()
           x
        b  2
        """
        from akdask.frames import rows

        return rows.drop(self, keys, axis, inplace, columns=columns, index=index, errors=errors)

    def astype(self, dtype: Any) -> DataFrame:
        """Return the columns converted to another type; lazy.

        Parameters
        ----------
        dtype : dtype-like, or mapping of str to dtype-like
            One type for all columns, or types by name.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError, ArgumentError
            If a column cannot become of that type; see `cast`.
        ConversionError
            When computed, if a missing or infinite number becomes an integer.  Missing values stay missing as text.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [3, 4]}).astype({"x": float}).dtypes
        {'x': 'float64', 'y': 'int64'}
        """
        from akdask.frames import dtypes

        return dtypes.astype(self, dtype)

    def _column(self, name: str) -> Array:
        """Return a column, the same object each time, so that assigning to its rows changes the frame."""
        columns = self._columns
        handed = self._content.handed
        if name not in handed:
            array = columns.array(name)
            handed[name] = array, array._frame, array._value
        return handed[name][0]

    # missing values and duplicates

    def dropna(
        self,
        axis: int | str = 0,
        how: str | None = None,
        thresh: int | None = None,
        ignore_index: bool = False,
        *,
        subset: str | Sequence[str] | None = None,
    ) -> DataFrame:
        """Return the frame without the rows, or columns, that have missing values; lazy for rows.

        Parameters
        ----------
        axis : {0, 1, "index", "columns"}
            Leave out rows, or columns, whose values are then counted.
        how : {"any", "all"}, optional
            Whether one missing value is enough, which is the default, or all must be missing.
        thresh : int, optional
            Keep rows or columns with at least this number of values that are not missing.
        ignore_index : bool
            Number the rows from 0.
        subset : str or list of str, optional
            The columns to look at for missing values, all unless given.

        Raises
        ------
        ArgumentTypeError
            If both `how` and `thresh` are given.
        ArgumentError
            If `how` or `axis` is something else, or columns are left out by some of them.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3.0, float("nan")], "y": [1, 2]})
        >>> df.dropna().to_pandas()
             x  y
        0  3.0  1
        """
        from akdask.frames import missing

        return missing.dropna(self, axis, how, thresh, ignore_index, subset=subset)

    def fillna(self, value: Any) -> DataFrame:
        """Replace missing values; lazy.

        Integers with missing values stay exact if an integer fills them.

        Parameters
        ----------
        value : str, number, bool, time, mapping of str to such, Series or DataFrame
            One value for all columns of its kind, a mapping or Series with values by column, or a DataFrame with a
            value for each cell, by labels and names.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If a value is of another kind, or of another kind than its column.  When computed, if a column of another
            kind has missing values, which one value for all columns would not replace.

        Examples
        --------
        >>> df = ak.DataFrame({"s": ["a", None], "x": [1.5, None]})
        >>> df.fillna({"s": "-", "x": 0.0}).to_pandas()
           s    x
        0  a  1.5
        1  -  0.0
        """
        from akdask.frames import missing

        return missing.fillna(self, value)

    def combine_first(self, other: Any) -> DataFrame:
        """Fill missing values from another DataFrame, on all labels and names of both; lazy.

        Examples
        --------
        >>> one = ak.DataFrame({"x": [1.0, None]}, index=["a", "b"])
        >>> one.combine_first(ak.DataFrame({"x": [20.0, 30.0]}, index=["b", "c"])).to_pandas()["x"].to_dict()
        {'a': 1.0, 'b': 20.0, 'c': 30.0}
        """
        from akdask.frames import arithmetic

        return arithmetic.combine_first(self, other)

    def duplicated(self, subset: str | Sequence[str] | None = None, keep: str | bool = "first") -> Any:
        """Return which rows are equal to another one, as a Series of bool; lazy.

        Parameters
        ----------
        subset : str or list of str, optional
            The columns that must be equal, all unless given.
        keep : {"first", "last", False}
            The row among equal ones that is no repetition: the first, the last, or none.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentError
            If `keep` is something else.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2, 1]}).duplicated().tolist()
        [False, False, True]
        """
        from akdask.frames import distinct

        return distinct.duplicated(self, subset, keep)

    def drop_duplicates(self, subset: str | Sequence[str] | None = None, keep: str = "first") -> DataFrame:
        """Return the frame with one row of all that are equal, in the order of the rows; lazy.

        Parameters
        ----------
        subset : str or list of str, optional
            The columns that must be equal, all unless given.
        keep : {"first", "last"}
            Which row to keep.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentError
            If `keep` is something else.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.drop_duplicates().to_pandas()
           x  y
        0  3  b
        1  1  a
        """
        from akdask.frames import distinct

        return distinct.drop_duplicates(self, subset, keep)

    # arithmetic and values

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of each column; in-place operators pass ``out=``."""
        from akdask.frames import arithmetic

        return arithmetic.apply_ufunc(self, ufunc, method, *inputs, **kwargs)

    def __abs__(self) -> DataFrame:
        from akdask.frames import arithmetic

        return arithmetic.each_column(self, abs, (self,))

    def add(self, other: Any, axis: int | str = 1, fill_value: Any = None) -> DataFrame:
        """Return the columns plus a scalar, other columns, or values by the names of the columns; lazy.

        Parameters
        ----------
        other : scalar, array, DataFrame, Series or mapping
            One value, another frame, or a value for each column by its name, such as ``df.mean()``.  With ``axis=0``, a
            value for each row; a Series is aligned by labels.
        axis : {1, 0, "columns", "index"}
            Whether an array or a Series has a value for each column, or for each row.
        fill_value : scalar, optional
            Replaces a value that one side lacks, of two frames or of a frame and a Series of its rows.  If both lack
            it, the result is missing.

        Returns
        -------
        DataFrame
            With all labels and all names of both sides, in order where they differ, as pandas has it; missing where one
            side lacks them.

        Raises
        ------
        AlignmentError
            If an array does not share rows with the frame.
        ArgumentTypeError
            If a column is not of a type that can be computed with, such as text.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3.0, 5.0]})
        >>> (df - df.mean()).to_pandas()
             x    y
        0 -0.5 -1.0
        1  0.5  1.0
        >>> df.add(ak.array([10, 20]), axis=0).to_pandas()["x"].tolist()
        [11, 22]
        """
        from akdask.frames import arithmetic

        return arithmetic.operate(self, operator.add, other, axis, fill_value)

    sub = operator_method("sub", _arithmetic)
    mul = operator_method("mul", _arithmetic)
    div = operator_method("div", _arithmetic)
    truediv = div
    floordiv = operator_method("floordiv", _arithmetic)
    mod = operator_method("mod", _arithmetic)
    pow = operator_method("pow", _arithmetic)
    eq = operator_method("eq", _comparison)
    ne = operator_method("ne", _comparison)
    lt = operator_method("lt", _comparison)
    le = operator_method("le", _comparison)
    gt = operator_method("gt", _comparison)
    ge = operator_method("ge", _comparison)

    def equals(self, other: Any) -> bool:
        """Whether another DataFrame has the same columns, rows and labels, missing ones in the same places; computes.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1.0, float("nan")]})
        >>> df.equals(df.copy()), df.equals(df.head(1))
        (True, False)
        """
        from akdask.frames import arithmetic

        return arithmetic.equals(self, other)

    def map(self, func: Callable[[Any], Any] | Mapping[Any, Any], na_action: str | None = None) -> DataFrame:
        """Apply a function or a mapping to each value; lazy.  See `Series.map`.

        Parameters
        ----------
        func : callable or mapping
            Takes one value.
        na_action : {None, "ignore"}
            Whether the function sees missing values, or they stay.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2]}).map(lambda x: x * 10).to_pandas()["x"].tolist()
        [10, 20]
        """
        from akdask.arrays.array import unlabelled
        from akdask.frames.series import column_series

        columns = self._columns
        made = {name: column_series(self, name).map(func, na_action) for name in columns.values}
        return self._of(columns.beside({name: unlabelled(one) for name, one in made.items()}))

    def apply(self, func: Any, axis: int | str = 0, args: Sequence[Any] = (), **kwargs: Any) -> Any:
        """Apply a function to each column, or to each row.

        Parameters
        ----------
        func : callable or str
            Takes a column as a lazy Series, and returns a scalar or a Series or array on the same rows.  With
            ``axis=1`` it takes a row as a pandas Series, and returns a scalar.
        axis : {0, 1, "index", "columns"}
            0 gives it columns; 1 rows, one by one in this process, so that all of them must fit into its memory.
        args : sequence, optional
            Further arguments of the function, as `kwargs`.
        **kwargs
            Arguments of the function by name.

        Returns
        -------
        Series or DataFrame
            A DataFrame, which is lazy, of columns; otherwise a Series of scalars, which is computed.

        Raises
        ------
        ArgumentTypeError
            If the function returns something else.
        TransferError
            If the rows would take more memory than the setting ``max_transfer_bytes`` allows.

        Notes
        -----
        Where an expression of columns will do, such as ``df["x"] + df["y"]``, it is much faster than rows one by one.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 5]})
        >>> df.apply(lambda column: column.max() - column.min()).to_dict()
        {'x': 1, 'y': 2}
        >>> df.apply(lambda row: row["x"] + row["y"], axis=1).tolist()
        [4, 7]
        """
        from akdask.frames import reductions

        return reductions.apply_columns(self, func, axis, args, **kwargs)

    # reductions

    def count(self, axis: int | str = 0, numeric_only: bool = False) -> Series | pdarray:
        """Return the number of values that are not missing, of each column or row; computes for columns.

        NaN is missing, and so are NaT and the label for missing of a Categorical.

        Parameters
        ----------
        axis : {0, 1, "index", "columns"}
            Count the values of each column, or of each row.
        numeric_only : bool
            Look at columns of numbers and bool only.

        Returns
        -------
        Series of int64
            By the names of the columns, or lazy by the labels of the rows.

        Raises
        ------
        ArgumentError
            If there is no such axis.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1.0, float("nan")], "y": [1, 2]})
        >>> df.count().to_dict(), df.count(axis=1).tolist()
        ({'x': 1, 'y': 2}, [2, 1])
        """
        from akdask.frames import reductions

        return reductions.count(self, axis, numeric_only)

    sum = reduction("sum", _of_columns)
    prod = reduction("prod", _of_columns)
    mean = reduction("mean", _of_columns)
    min = reduction("min", _extreme_of_columns)
    max = reduction("max", _extreme_of_columns)
    std = reduction("std", _spread_of_columns)
    var = reduction("var", _spread_of_columns)

    def median(self, numeric_only: bool = False) -> Series:
        """Return the median of each column of numbers, NaN left out as in pandas; computes.  See `quantile`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.median().to_dict()
        {'x': 1.5, 'y': 3.5}
        """
        from akdask.frames import reductions
        from akdask.frames.series import by_column

        return by_column(*reversed(reductions._reduced_numbers(self, "quantile", skipna=True)))

    def quantile(
        self, q: float | Sequence[float] = 0.5, interpolation: str = "linear", numeric_only: bool = True
    ) -> Series | pd.DataFrame:
        """Return quantiles of each column of numbers, NaN left out as in pandas; computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        interpolation : str
            How to choose between two values, by the names of ``numpy.quantile``; see `pdarray.quantile`.
        numeric_only : True
            Accepted for compatibility with pandas.

        Returns
        -------
        Series, or pandas.DataFrame with a row for each of several quantiles
            By the names of the columns.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, there is no such method, or a column of integers has no rows to choose from.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]})
        >>> df.quantile(0.25).to_dict()
        {'x': 1.25, 'y': 3.25}
        """
        from akdask.frames import reductions

        return reductions.quantiles(self, q, interpolation)

    def mode(self, numeric_only: bool = False, dropna: bool = True) -> pd.DataFrame:
        """Return the commonest values of each column, in order, one below the other; computes.

        Parameters
        ----------
        numeric_only : bool, default False
            Leave out columns without numbers.
        dropna : bool, default True
            Leave out missing values, which count as one value otherwise.

        Returns
        -------
        pandas.DataFrame
            Columns with fewer of them than others end with missing values.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2, 2], "y": [5, 6, 7]}).mode()["x"].tolist()
        [2.0, nan, nan]
        """
        from akdask.frames import distinct

        return distinct.mode(self, numeric_only, dropna)

    def nunique(self, axis: int = 0, dropna: bool = True) -> Series:
        """Return the number of distinct values of each column; computes, all columns together.

        Parameters
        ----------
        axis : 0
            Accepted for compatibility with pandas; distinct values of a row are not counted.
        dropna : bool
            Leave out missing values, which are one value otherwise.

        Raises
        ------
        UnsupportedError
            If `axis` is 1.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 1, 2], "y": ["a", "b", "c"]}).nunique().to_dict()
        {'x': 2, 'y': 3}
        """
        from akdask.frames import distinct

        return distinct.nunique(self, axis, dropna)

    any = reduction("any", _truth_of_columns)
    all = reduction("all", _truth_of_columns)
    idxmin = reduction("idxmin", _label_of_extreme)
    idxmax = reduction("idxmax", _label_of_extreme)

    def corr(self, numeric_only: bool = True) -> DataFrame:
        """Return the correlation of each pair of columns of numbers as a DataFrame; computes, in two passes.

        Its rows are labelled by the names of the columns.  A pair gives NaN if a value of either is NaN, as in Arkouda,
        or if a column is constant.  Strings and Categoricals are left out, as their codes measure nothing.

        Parameters
        ----------
        numeric_only : True
            Accepted for compatibility with pandas.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [-1, -2]}).corr().to_pandas(retain_index=True)
             x    y
        x  1.0 -1.0
        y -1.0  1.0
        """
        from akdask.frames import reductions

        return reductions.correlations(self)

    def cov(self, ddof: int = 1) -> DataFrame:
        """Return the covariance of each pair of columns of numbers as a DataFrame; computes.

        Of each pair, rows where a value is missing are left out.

        Parameters
        ----------
        ddof : int, default 1
            Subtracted from the number of rows.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [-1, -3]}).cov().to_pandas()
             x    y
        x  0.5 -1.0
        y -1.0  2.0
        """
        from akdask.frames import reductions

        return reductions.covariances(self, ddof)

    def agg(self, func: Any, axis: int | str = 0) -> Any:
        """Return reductions of the columns by their names; computes all at once.

        Parameters
        ----------
        func : str or callable, list of them, or mapping of str to such
            Reductions of all columns, or of each one that is named: ``"sum"``, ``"mean"``, ``"min"``, ``"max"``,
            ``"std"``, ``"var"``, ``"median"``, ``"prod"``, ``"count"``, ``"nunique"``, ``"any"``, ``"all"``.  A
            callable takes a column as a Series.
        axis : 0
            Columns are reduced; ``df.sum(axis=1)`` and its like reduce rows.

        Returns
        -------
        Series, or pandas.DataFrame where `func` is or has a list
            By the names of the columns; a row for each reduction.

        Raises
        ------
        ArgumentError
            If there is no such reduction, or no column to reduce.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3.0, 5.0]})
        >>> df.agg({"x": "sum", "y": "mean"}).to_dict()
        {'x': 3.0, 'y': 4.0}
        >>> df.agg(["min", "max"])
             x    y
        min  1  3.0
        max  2  5.0
        """
        from akdask.frames import reductions

        return reductions.agg(self, func, axis)

    aggregate = agg

    def describe(self, percentiles: Sequence[float] | None = None, include: str | None = None) -> pd.DataFrame:
        """Return count, mean, standard deviation, extremes and quantiles of columns of numbers and times; computes.

        Parameters
        ----------
        percentiles : sequence of float, optional
            Which quantiles, from 0 to 1; 25, 50 and 75 % unless given.
        include : {"all"}, optional
            Describe all columns.  Text, Categoricals and bool have count, number of distinct values, the most common
            value and its count.  Otherwise they are described only if no column has numbers.

        Returns
        -------
        pandas.DataFrame
            Missing values are left out, as in pandas.

        Raises
        ------
        ArgumentTypeError
            If there are no columns to describe.
        ArgumentError
            If a quantile is not from 0 to 1, or `include` is something else.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2, 3, 4]}).describe()["x"].tolist()
        [4.0, 2.5, 1.2909944487358056, 1.0, 1.75, 2.5, 3.25, 4.0]
        """
        from akdask.frames import reductions

        return reductions.describe(self, percentiles, include)

    def value_counts(
        self, subset: str | Sequence[str] | None = None, sort: bool = True, ascending: bool = False, dropna: bool = True
    ) -> DataFrame:
        """Return the distinct rows, and in column ``count`` how often each occurs; lazy.

        Parameters
        ----------
        subset : str or list of str, optional
            The columns that must be equal, all unless given.
        sort : bool
            Put the rows in order of their counts; rows of equal counts in order of the columns.
        ascending : bool
            Whether the rarest come first.
        dropna : bool
            Leave out rows with NaN or NaT.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        SchemaError
            If one of the columns is called ``count``.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1, 3]}).value_counts().to_pandas()
           x  count
        0  3      2
        1  1      1
        """
        from akdask.frames import distinct

        return distinct.value_counts(self, subset, sort, ascending, dropna)

    # groups

    @overload
    def groupby(
        self,
        keys: Any = None,
        use_series: Literal[True] = True,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy: ...

    @overload
    def groupby(
        self,
        keys: Any,
        use_series: bool,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy | GroupBy: ...

    def groupby(
        self,
        keys: Any = None,
        use_series: bool = True,
        as_index: bool = True,
        dropna: bool = True,
        *,
        sort: bool = True,
        level: Any = None,
        observed: bool = True,
        group_keys: bool = True,
    ) -> DataFrameGroupBy | GroupBy:
        """Return the rows grouped by one or more columns; lazy.

        Parameters
        ----------
        keys : str, array, Series or pandas.Grouper, or list of them
            Columns by name, or others with the rows of the frame, such as ``df["t"].floor("h")``; bins of time, such as
            ``ak.Grouper(key="t", freq="ME")``, of which the first and the last time are computed.
        use_series : bool
            Return a `DataFrameGroupBy`; otherwise a `GroupBy` of the columns alone.
        as_index : bool
            Label the rows of results by the keys where there is one key; otherwise keys are columns.
        dropna : bool
            Leave out rows with NaN among their keys.
        sort : bool
            Have groups in order of their keys; otherwise in the order of their first rows.
        level : {0, -1} or str, optional
            In place of `keys`: group by the labels of the rows.
        observed : bool, default True
            Leave out categories that no row has, as pandas does from version 3.  Otherwise reductions have a row for
            each category of a Categorical, of several keys for each combination, which counts them.
        group_keys : bool
            Add the keys to the labels of results of `apply`.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `keys` are no names.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.groupby("y").sum().to_pandas()
           x
        y
        a  1
        b  6
        """
        from akdask.frames.groupby import grouped

        return grouped(
            self, keys, use_series, as_index, dropna, sort=sort, level=level, observed=observed, group_keys=group_keys
        )

    def GroupBy(self, keys: Any, use_series: bool = False, as_index: bool = True, dropna: bool = True) -> Any:
        """Return the rows grouped as `groupby` does, but as a `GroupBy` of the columns unless `use_series`; lazy.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.GroupBy("y").sum(df["x"])[1].tolist()
        [1, 6]
        """
        return self.groupby(keys, use_series, as_index, dropna)

    # windows

    # sorting

    def sort_values(
        self,
        by: str | Sequence[str] | None = None,
        ascending: bool | Sequence[bool] = True,
        *,
        na_position: str = "last",
        ignore_index: bool = False,
        key: Callable[[Any], Any] | None = None,
    ) -> DataFrame:
        """Return the rows in order of some columns; lazy.

        Parameters
        ----------
        by : str or list of str, optional
            The columns, the first one first; all of them unless given.
        ascending : bool or list of bool, default True
            The direction, of all or of each.
        na_position : {"last", "first"}
            Where rows with missing values in these columns come.
        ignore_index : bool, default False
            Number the rows from 0.
        key : callable, optional
            Takes each of these columns as a Series, and returns the Series to sort by in its place, such as
            ``lambda s: s.str.lower()``.

        Returns
        -------
        DataFrame
            Rows keep their labels.  Equal rows keep their order.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `by` are no names, or `key` returns no array.
        ArgumentError
            If `na_position` is something else.

        Examples
        --------
        >>> ak.DataFrame({"x": [2, 1, 2], "y": ["b", "c", "a"]}).sort_values(["x", "y"]).to_pandas()
           x  y
        1  1  c
        2  2  a
        0  2  b
        """
        from akdask.frames import sorting

        return sorting.sort_values(self, by, ascending, na_position=na_position, ignore_index=ignore_index, key=key)

    def sort_index(self, ascending: bool = True, *, na_position: str = "last", ignore_index: bool = False) -> DataFrame:
        """Return the rows in order of their labels, missing ones at either end; lazy.  See `sort_values`.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}, index=ak.array([2, 0])).sort_index()["x"].tolist()
        [1, 3]
        """
        from akdask.frames import sorting

        return sorting.sort_index(self, ascending, na_position=na_position, ignore_index=ignore_index)

    def argsort(self, key: str, ascending: bool = True) -> pdarray:
        """Return the positions that put the rows in order of one column; lazy.

        Downwards, equal integers or floats keep their order and other equal values are reversed, as in Arkouda.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.argsort("x").tolist()
        [1, 0, 2]
        """
        from akdask.frames import sorting

        return sorting.column_permutation(self, key, ascending)

    def coargsort(self, keys: Sequence[str], ascending: bool | Sequence[bool] = True) -> pdarray:
        """Return the positions that put the rows in order of some columns, the first one first; lazy.

        A frame without columns has no rows, and no positions.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.coargsort(["y", "x"]).tolist()
        [1, 0, 2]
        """
        from akdask.frames import sorting

        return sorting.permutation(self, keys, ascending)

    def apply_permutation(self, perm: pdarray) -> None:
        """Put the rows of this frame in another order, given by their positions; counts rows of unknown number.

        Raises
        ------
        ArgumentError
            If there are not as many positions as rows.  Whether each comes once is not looked into.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.apply_permutation(ak.array([1, 0, 2]))
        >>> df["x"].tolist()
        [1, 3, 3]
        """
        from akdask.frames import sorting

        sorting.apply_permutation(self, perm)

    def nlargest(self, n: int, columns: str | Sequence[str], keep: str = "first") -> DataFrame:
        """Return the `n` rows with the largest values, the largest first; lazy, and without sorting the others.

        Parameters
        ----------
        n : int
            How many rows.
        columns : str or list of str
            The columns of numbers or times that decide, the first one first.
        keep : {"first", "last", "all"}
            Which of equal rows to take if there are more than `n`; ``all`` takes all of them.

        Returns
        -------
        DataFrame
            Rows keep their labels.  Rows with missing values appear only if there are too few others.

        Raises
        ------
        ArgumentTypeError
            If a column has neither numbers nor times.
        ArgumentError
            If `keep` is something else.
        MissingColumnError
            If there is no column of a name.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 9, 5], "s": ["a", "b", "c"]}).nlargest(2, "x").to_pandas()
           x  s
        1  9  b
        2  5  c
        """
        from akdask.frames import sorting

        return sorting.extreme_rows(self, "nlargest", n, columns, keep)

    def nsmallest(self, n: int, columns: str | Sequence[str], keep: str = "first") -> DataFrame:
        """Return the `n` rows with the smallest values, the smallest first; lazy.  See `nlargest`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.nsmallest(1, "x")["y"].tolist()
        ['a']
        """
        from akdask.frames import sorting

        return sorting.extreme_rows(self, "nsmallest", n, columns, keep)

    # reshaping

    def melt(
        self,
        id_vars: str | Sequence[str] | None = None,
        value_vars: str | Sequence[str] | None = None,
        var_name: str = "variable",
        value_name: str = "value",
    ) -> DataFrame:
        """Return the columns one below the other, in one column of names and one of values; lazy.

        Parameters
        ----------
        id_vars : str or list of str, optional
            Columns that stay, repeated for each of the others.
        value_vars : str or list of str, optional
            Columns that are put below each other, all others unless given.
        var_name, value_name : str
            Names of the two new columns.

        Returns
        -------
        DataFrame
            Its rows are numbered from 0.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If values of different kinds would come below each other.
        SchemaError
            If a new column would have the name of one that stays.

        Examples
        --------
        >>> ak.DataFrame({"k": ["a", "b"], "x": [1, 2], "y": [3, 4]}).melt("k").to_pandas()
           k variable  value
        0  a        x      1
        1  b        x      2
        2  a        y      3
        3  b        y      4
        """
        from akdask.frames import reshaping

        return reshaping.melt(self, id_vars, value_vars, var_name, value_name)

    def stack(self) -> Any:
        """Return all values, row by row, as a Series labelled by row and column; counts rows.

        Returns
        -------
        Series
            With missing values where the columns have them, as in pandas from version 3.

        Raises
        ------
        ArgumentError
            If there are no columns.
        ArgumentTypeError
            If columns are of different kinds.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [3, 4]}).stack().to_pandas().to_dict()
        {(0, 'x'): 1, (0, 'y'): 3, (1, 'x'): 2, (1, 'y'): 4}
        """
        from akdask.frames import reshaping

        return reshaping.stack(self)

    def unstack(self) -> Any:
        """Return all values, column by column, as a Series labelled by column and row; counts rows.

        Raises
        ------
        ArgumentError
            If there are no columns.
        ArgumentTypeError
            If columns are of different kinds.

        See Also
        --------
        Series.unstack : labels of one level as columns.

        Notes
        -----
        Same as ``pandas.DataFrame.unstack`` for labels of one level.  `pivot` turns keys in columns into names of
        columns.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2], "y": [3, 4]}).unstack().to_pandas().to_dict()
        {('x', 0): 1, ('x', 1): 2, ('y', 0): 3, ('y', 1): 4}
        """
        from akdask.frames import reshaping

        return reshaping.unstack(self)

    def pivot(self, *, columns: str, index: str | None = None, values: str | Sequence[str] | None = None) -> DataFrame:
        """Return values with the elements of one column as labels and of another as names; computes.

        Parameters
        ----------
        columns : str
            The column whose elements become names.
        index : str, optional
            The column that labels rows; the labels that they have unless given.
        values : str or list of str, optional
            The columns of values, all others unless given.

        Raises
        ------
        ArgumentError
            If two rows have the same keys, which `pivot_table` reduces.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 1, 2], "c": ["a", "b", "a"], "x": [5, 6, 7]})
        >>> df.pivot(index="k", columns="c", values="x").to_pandas()["a"].tolist()
        [5.0, 7.0]
        """
        from akdask.frames import reshaping

        return reshaping.pivot(self, columns=columns, index=index, values=values)

    def pivot_table(
        self,
        values: str | Sequence[str] | None = None,
        index: str | Sequence[str] | None = None,
        columns: str | Sequence[str] | None = None,
        aggfunc: str | Mapping[str, str] = "mean",
        fill_value: Any = None,
        *,
        dropna: bool = True,
        observed: bool = True,
    ) -> DataFrame:
        """Return reductions of groups, with the keys `index` as labels and the keys `columns` as names; computes.

        Parameters
        ----------
        values : str or list of str, optional
            Columns to reduce, all columns of numbers unless given.
        index, columns : str or list of str
            Keys of the rows and of the columns of the result; one of them suffices.
        aggfunc : str or mapping of str to str, default "mean"
            A reduction of groups, of all columns or of each.
        fill_value : scalar, optional
            Value of combinations without rows, NaN unless given.
        dropna : bool, default True
            Leave out groups and columns with only missing values, and rows with missing keys.  Otherwise each
            combination of keys has a row or a column.
        observed : bool, default True
            Leave out categories of keys that no row has; see `DataFrame.groupby`.

        Returns
        -------
        DataFrame
            Columns are named by the text of their keys, joined by ``_`` where there are several, after the name of the
            values where these are several.  Of several keys of rows, the labels stay columns.

        Raises
        ------
        ArgumentError
            If there are no keys, no such reduction, or very many columns.
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If columns do not hold `fill_value`.
        ConversionError
            If `fill_value` is a fraction, and an integer beside gaps is no float.

        Notes
        -----
        Follows ``pandas.DataFrame.pivot_table``, but for the names of columns.

        Examples
        --------
        >>> df = ak.DataFrame({"k": [1, 1, 2], "c": ["a", "b", "a"], "x": [1.0, 2.0, 3.0]})
        >>> df.pivot_table("x", "k", "c", "sum").to_pandas()
             a    b
        k
        1  1.0  2.0
        2  3.0  NaN
        """
        from akdask.frames import reshaping

        return reshaping.pivot_table(
            self, values, index, columns, aggfunc, fill_value, dropna=dropna, observed=observed
        )

    # joins

    def merge(
        self,
        right: DataFrame,
        on: str | Sequence[str] | None = None,
        how: str = "inner",
        left_suffix: str = "_x",
        right_suffix: str = "_y",
        convert_ints: bool = True,
        sort: bool = True,
        *,
        left_on: str | Sequence[str] | None = None,
        right_on: str | Sequence[str] | None = None,
        suffixes: tuple[str, str] | None = None,
        indicator: bool | str = False,
        left_index: bool = False,
        right_index: bool = False,
    ) -> DataFrame:
        """Join with another DataFrame by equal values of columns; lazy.  See `merge`.

        Parameters
        ----------
        right : DataFrame
            The other rows; a Series with a name is a column.
        on, how, left_suffix, right_suffix, convert_ints, sort, left_on, right_on
            As `merge` has them.  ``how="cross"`` pairs each row with all others.
        suffixes : (str, str), optional
            The same as `left_suffix` and `right_suffix`, as pandas spells it.
        indicator : bool or str, default False
            Add a column, ``_merge`` or of that name, which says whether a row comes from ``left_only``,
            ``right_only`` or ``both``.
        left_index, right_index : bool, default False
            Join by the labels of the rows in place of columns.  Rows joined by the labels of both sides keep these.
            If one side joins by labels, rows keep the labels of the other side, unless some rows lack them.

        Raises
        ------
        ArgumentError
            If keys are given twice.
        ArgumentTypeError
            If `right` is neither a DataFrame nor a Series, or `suffixes` are not two.

        Examples
        --------
        >>> left, right = ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [2, 3]})
        >>> left.merge(right, how="outer", indicator=True).to_pandas()
           k      _merge
        0  1   left_only
        1  2        both
        2  3  right_only
        """
        from akdask.frames import join

        return join.merge_frames(
            self,
            right,
            on,
            how,
            left_suffix,
            right_suffix,
            convert_ints,
            sort,
            left_on=left_on,
            right_on=right_on,
            suffixes=suffixes,
            indicator=indicator,
            left_index=left_index,
            right_index=right_index,
        )

    def join(
        self,
        other: Any,
        on: str | None = None,
        how: str = "left",
        lsuffix: str = "",
        rsuffix: str = "",
        sort: bool = False,
    ) -> DataFrame:
        """Join with another DataFrame by the labels of its rows; lazy.

        Parameters
        ----------
        other : DataFrame or Series
            The other rows; a Series is a column of its name.
        on : str, optional
            The column of this frame that has labels of `other`; the labels of its own rows unless given.
        how : {"left", "inner", "right", "outer", "semi", "anti"}
            Which rows to keep; see `merge`.
        lsuffix, rsuffix : str
            Appended to names of columns that both have.
        sort : bool
            Put the rows in order of the labels.  All labels of both, ``how="outer"``, are in order in any case.

        Returns
        -------
        DataFrame
            The columns of both; integers and bool may be missing if rows may lack a match.  Rows joined by labels keep
            these, in order if all rows of both sides are kept.  Rows joined by a column keep their own labels; if rows
            of `other` without a match are kept, rows are numbered from 0.

        Raises
        ------
        MissingColumnError
            If there is no column `on`.
        SchemaError
            If columns of both have the same name, and no suffixes.

        Notes
        -----
        Follows ``pandas.DataFrame.join``; Arkouda has no such method.

        Examples
        --------
        >>> left = ak.DataFrame({"x": [1, 2]}, index=["a", "b"])
        >>> right = ak.DataFrame({"y": [20, 10]}, index=["b", "a"])
        >>> left.join(right).to_pandas(retain_index=True)
           x   y
        a  1  10
        b  2  20
        """
        from akdask.frames import join

        return join.join(self, other, on, how, lsuffix, rsuffix, sort)

    @classmethod
    def concat(cls, items: Sequence[DataFrame], ordered: bool = True) -> DataFrame:
        """Return the rows of several DataFrames, one below the other; lazy.  Partitions stay as they are.

        Parameters
        ----------
        items : sequence of DataFrame
            At least one.  All have the same columns, in any order; types of numbers meet in their common type, and
            Categoricals put their categories together.
            Frames without columns are left out.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Returns
        -------
        DataFrame
            With the labels of the rows if all items have labels; otherwise rows are numbered from 0.

        Raises
        ------
        ArgumentError
            If there are no items.
        ArgumentTypeError
            If one of them is no DataFrame.
        MissingColumnError
            If their columns differ.
        SchemaError
            If strings meet numbers.

        Examples
        --------
        >>> ak.DataFrame.concat([ak.DataFrame({"x": [1]}), ak.DataFrame({"x": [2, 3]})])["x"].tolist()
        [1, 2, 3]
        """
        from akdask.frames import join

        return join.concat(items)

    def append(self, other: DataFrame, ordered: bool = True) -> DataFrame:
        """Append the rows of another DataFrame in place; lazy.  See `concat`.

        Returns
        -------
        DataFrame
            The frame itself.  Objects derived from it before keep their rows.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2]})
        >>> df.append(ak.DataFrame({"x": [3]})) is df
        True
        >>> df["x"].tolist()
        [1, 2, 3]
        """
        self._become(self.concat([self, other], ordered)._columns)
        return self

    # time

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: str | None = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: bool = False,
    ) -> Any:
        """Return the rows grouped by bins of time, to be reduced: ``df.resample("ME", on="t").mean()``.

        Parameters
        ----------
        rule : str, pandas offset or timedelta
            How far apart bins are: ``"15min"``, ``"h"``, ``"D"``, or by the calendar, such as ``"W"``, ``"MS"``,
            ``"QE-NOV"`` and ``pd.offsets.BMonthEnd()``.  Case matters.
        closed : {"left", "right"}, optional
            Which bound belongs to a bin: the left one, but the right one of ``"ME"``, ``"YE"``, ``"QE"``, ``"BME"``,
            ``"BYE"``, ``"BQE"`` and ``"W"``, as in pandas.
        label : {"left", "right"}, optional
            Which bound labels a bin, chosen like `closed`.
        on : str, optional
            The column of times, the labels of the rows unless given.
        level : int or str, optional
            The level of the labels, which have one.
        origin : {"epoch", "start", "start_day", "end", "end_day"} or time
            From where bins of fixed length are counted.
        offset : str or timedelta, optional
            Added to the origin.
        group_keys : bool
            Accepted for compatibility with pandas.

        Returns
        -------
        Resampler
            Its reductions have one row for each bin from the first to the last, also where there are no rows: 0 for
            sums and counts, otherwise missing.

        Raises
        ------
        ArgumentTypeError
            If the column has no times.
        ArgumentError
            If pandas refuses `rule` or another argument, or there would be too many bins.
        MissingColumnError
            If there is no column of that name.

        Notes
        -----
        Follows ``pandas.DataFrame.resample``; text and other columns that a reduction has no meaning for are left out.
        First and last time are computed.

        Examples
        --------
        >>> times = ak.Datetime(["2024-01-31", "2024-02-01", "2024-04-30"])
        >>> ak.DataFrame({"t": times, "x": [1, 2, 4]}).resample("ME", on="t").sum().to_pandas()["x"].tolist()
        [1, 2, 0, 4]
        """
        from akdask.frames import resampling

        return resampling.resample(self, rule, closed, label, on, level, origin, offset)

    # display

    def __repr__(self) -> str:
        from akdask.frames import display

        return display.text_of(self)

    def __str__(self) -> str:
        from akdask.frames import display

        return display.outline(self, display.size_at_hand(self))

    def _repr_html_(self) -> str:
        from akdask.frames import display

        return display.html_of(self)

    def _get_head_tail(self) -> pd.DataFrame:
        """Return what is shown of the rows, in pandas; see Arkouda's benchmarks."""
        from akdask.frames import display

        return display.head_and_tail(self)

    _get_head_tail_server = _get_head_tail

    @property
    def info(self) -> Info:
        """Columns, rows and memory in words, without computing.  Called as in pandas, it prints the types, too.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.info()
        DataFrame(['x', 'y'], 3 rows, 72.00 B)
          x: int64
          y: str
        """
        from akdask.frames import display

        return display.info(self)

    # export and files

    def to_pandas(
        self, datalimit: float | None = None, retain_index: bool = True, *, nullable: bool = False
    ) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; computes.

        Parameters
        ----------
        datalimit : float, optional
            Most megabytes (2**20 bytes) to bring into this process; ``config.get("max_transfer_bytes")`` unless given.
        retain_index : bool, default True
            Keep the labels of the rows, such as the keys of groups, as pandas does; otherwise number the rows from 0.
        nullable : bool, default False
            Give pandas' nullable types: ``Int64``, ``UInt64``, ``boolean``, ``Float64`` and ``string``, with
            ``pandas.NA`` for missing values.  Integers and bool that a join has made floats, for rows without a
            match, become integers and bool again.  They are exact after rows are selected, sorted, persisted or
            concatenated.  Results computed from the floats, and keys of groups, become integers only if none is
            beyond 2**53, where floats may have been rounded; otherwise they stay ``Float64``.

        Raises
        ------
        TransferError
            If the data would take more than that.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).to_pandas()
           x
        0  3
        1  1
        """
        from akdask.frames import conversion

        return conversion.to_pandas(self, datalimit, retain_index, nullable=nullable)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array of two dimensions, converted as pandas does; computes.

        Integers and bools of which some are missing are floats, as in `pdarray.to_ndarray`.
        """
        from akdask.frames import conversion

        return np.asarray(conversion.without_masks(self.compute()), dtype=dtype)

    def to_dict(self, orient: str = "dict") -> Any:
        """Return the rows as dicts and lists of Python; computes.

        Parameters
        ----------
        orient : {"dict", "list", "series", "split", "tight", "records", "index"}
            Which: by columns and labels, by columns, one dict for each row, and so on, as
            ``pandas.DataFrame.to_dict`` has them.

        Raises
        ------
        ArgumentError
            If it is none of these.
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows.

        Examples
        --------
        >>> ak.DataFrame({"x": [1, 2]}).to_dict("records")
        [{'x': 1}, {'x': 2}]
        """
        from akdask.frames import conversion

        return conversion.to_dict(self, orient)

    def iterrows(self, limit: int | None = None) -> Iterator[tuple[Hashable, pd.Series]]:
        """Iterate over labels and rows, these as pandas Series; computes some thousand rows at a time.

        Parameters
        ----------
        limit : int, optional
            Stop after so many rows.

        Examples
        --------
        >>> [(label, row["x"]) for label, row in ak.DataFrame({"x": [5, 6, 7]}).iterrows(limit=2)]
        [(0, np.int64(5)), (1, np.int64(6))]
        """
        from akdask.frames import conversion
        from akdask.frames.conversion import with_exact_rows

        for part in conversion.parts_of_rows(self, limit):
            yield from with_exact_rows(part).iterrows()

    def itertuples(self, index: bool = True, name: str | None = "Pandas", limit: int | None = None) -> Iterator[Any]:
        """Iterate over rows as named tuples; computes some thousand rows at a time.

        Parameters
        ----------
        index : bool, default True
            Let the label of the row be the first field.
        name : str or None, default "Pandas"
            Name of the tuples' class; None for plain tuples.
        limit : int, optional
            Stop after so many rows.

        Examples
        --------
        >>> list(ak.DataFrame({"x": [5, 6, 7]}).itertuples(limit=2))
        [Pandas(Index=0, x=5), Pandas(Index=1, x=6)]
        """
        from akdask.frames import conversion

        for part in conversion.parts_of_rows(self, limit):
            yield from part.itertuples(index=index, name=name)

    def to_arrow(self) -> pa.Table:
        """Return the rows as an Arrow table; computes.

        Types are as in `pdarray.to_arrow`; numbers and text are not copied.  Labels of the rows, unless they are plain
        numbers from 0, are the last column ``Index``, which `akdask.from_arrow` makes labels again.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.
        ArgumentError
            If there are labels, and a column that is called as they are.
        UnsupportedError
            If integers have more digits than Arrow's decimals.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.to_arrow()["y"].to_pylist()
        ['b', 'a', 'b']
        """
        from akdask.frames import interchange

        return interchange.to_arrow(self)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hand the rows to any library that reads Arrow's stream of tables; see `to_arrow`.  Computes."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __narwhals_dataframe__(self) -> Any:
        """Hand the columns to libraries that read frames by narwhals, such as plotly; see `to_arrow`.  Computes.

        Labels are left out, as narwhals leaves out those of pandas.  Missing floats are null, as the missing of all
        other types are.
        """
        columns: Any = self.reset_index(drop=True)
        return compliant(nulls_for_nan(columns.to_arrow()))

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> InterchangeFrame:
        """Hand the rows to any library that reads the dataframe interchange protocol; see `to_arrow`.  Lazy.

        A request for a column computes its rows, a request for a chunk the rows of one partition.

        Parameters
        ----------
        nan_as_null : False
            Accepted for the protocol.
        allow_copy : bool, default True
            Allow copies of columns.  If False, a request for a column of several partitions or of bools raises.

        Raises
        ------
        UnsupportedError
            If the protocol has no type for a column: spans of time, integers of any size, lists.
        """
        from akdask.frames import interchange

        return interchange.__dataframe__(self, nan_as_null, allow_copy)

    def to_polars(self) -> Any:
        """Return the rows as a polars DataFrame; see `to_arrow`.  Computes.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).to_polars()["x"].to_list()
        [3, 1]
        """
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def to_duckdb(self, connection: Any = None) -> Any:
        """Return the rows as a relation of duckdb; lazy.

        Each query of the relation reads the columns that it names, and the rows that its simple conditions leave, a few
        partitions at a time.  ``narwhals.from_native`` makes a lazy frame of it.  Missing values are NULL, NaN too.

        Parameters
        ----------
        connection : duckdb connection, optional
            Where queries run, duckdb's own unless given.

        Raises
        ------
        UnsupportedError
            If duckdb is not installed, or a column has integers of any size.

        Examples
        --------
        >>> df = ak.DataFrame({"port": [443, 80, 443], "bytes": [10, 20, 30]})
        >>> df.to_duckdb().filter("port = 443").aggregate("sum(bytes)").fetchall()
        [(40,)]
        """
        from akdask.frames.sql import relation

        return relation(self, connection)

    def to_torch(self) -> Samples:
        """Return the rows as a data set for ``torch.utils.data.DataLoader``; counts the rows, and reads none.

        Each batch is read when it is asked for: values by name, of NumPy's types, which the loader makes tensors of.
        Torch itself is not needed, nor are all rows in memory; `persist` keeps those that fit.  Workers of a loader are
        best started by ``multiprocessing_context="spawn"``, since threads of this process are not there in a fork.

        Examples
        --------
        >>> rows = ak.DataFrame({"x": [0.5, 1.5, 2.5], "label": [1, 0, 1]}).to_torch()
        >>> len(rows), rows[1]
        (3, {'x': np.float64(1.5), 'label': np.int64(0)})
        """
        from akdask.frames.interchange import Samples

        return Samples(self)

    def to_dask(self) -> Any:
        """Return a Dask DataFrame with the same rows, labels and partitions; lazy.

        Strings have the type of Dask's setting ``dataframe.convert-string``: ``string[pyarrow]`` unless it is off.
        Categoricals have categories that Dask calls unknown.

        Examples
        --------
        >>> ak.DataFrame({"x": [3, 1]}).to_dask()["x"].sum().compute().item()
        4
        """
        from akdask.frames import interchange

        return interchange.dask_frame(self)

    def to_xarray(self) -> Any:
        """Return the columns as variables of a data set of xarray, on the dimension of the labels; columns stay lazy.

        Rows are counted, and labels computed.  The dimension is ``index`` unless the labels have a name.

        Raises
        ------
        ArgumentError
            If a column is called as the labels are.

        Examples
        --------
        >>> dict(ak.DataFrame({"a": [5, 6]}).to_xarray().sizes)  # doctest: +SKIP
        {'index': 2}
        """
        from akdask.frames import interchange

        return interchange.to_xarray(self)

    @takes_storage_options
    def to_hdf(
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        file_type: str = "distribute",
        *,
        num_locales: int | None = None,
        na_rep: str | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to HDF5 files, which Arkouda reads; computes.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.h5`` gives ``d/x_LOCALE0000.h5`` and so on.
        index : bool, optional
            Write the labels of the rows as well, as ``Index``.  Unless given, labels such as the keys of groups are
            written, and plain row numbers are not.  `DataFrame.load` makes them labels again.
        columns : list of str, optional
            The columns to write, all unless given.
        file_type : {"distribute", "single"}
            A set of files, or one in all at exactly that path.
        num_locales : int, optional
            Number of files of a set, to which rows are repartitioned; one for each partition unless given.
        na_rep : str, optional
            Text for missing text, which HDF5 cannot store; empty text, with a warning, unless given.

        Raises
        ------
        ArgumentError
            If labels are to be written beside a column that is called as they are.

        Warns
        -----
        UserWarning
            If text is missing and `na_rep` is not given.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.to_hdf("rows")
        >>> ak.DataFrame.load("rows")["y"].tolist()
        ['b', 'a', 'b']
        """
        from akdask.arrays.writing import write_objects
        from akdask.frames import conversion

        objects = conversion.storables(self, index, columns)
        write_objects(objects, path, "truncate", file_type, num_locales=num_locales, na_rep=na_rep)

    @takes_storage_options
    def update_hdf(
        self,
        prefix_path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        repack: bool = True,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns into the HDF5 files of a prefix, replacing columns of the same names; computes.

        `index` is as in `to_hdf`.  `repack` is accepted for compatibility with Arkouda; the space of old columns
        is always freed.

        Parameters
        ----------
        storage_options : mapping of str to value, optional
            Options with which fsspec opens URLs, such as keys or ``anon=True``.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.to_hdf("rows")
        >>> ak.DataFrame({"x": [7, 8, 9]}).update_hdf("rows")
        >>> ak.read_hdf("rows*")["x"].tolist()
        [7, 8, 9]
        """
        from akdask.arrays.writing import update_objects
        from akdask.frames import conversion

        update_objects(conversion.storables(self, index, columns), prefix_path)

    @takes_storage_options
    def to_parquet(
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        compression: str | None = None,
        convert_categoricals: bool = False,
        *,
        num_locales: int | None = None,
        file_size: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to Parquet files, which Arkouda, pandas, polars and others read; computes.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.parquet`` gives ``d/x_LOCALE0000.parquet`` and so on.
        index, columns
            As in `to_hdf`.
        compression : {"snappy", "gzip", "brotli", "zstd", "lz4"}, optional
            How pages are packed, not at all unless given.
        convert_categoricals : bool, default False
            Write each Categorical as strings alone; otherwise akdask reads it as a Categorical again.
        num_locales : int, optional
            Number of files, as in `to_hdf`.
        file_size : int, optional
            Bytes of a file, as in `akdask.to_parquet`.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.to_parquet("rows")
        >>> ak.scan("rows*")["y"].tolist()
        ['b', 'a', 'b']
        """
        from akdask.frames import conversion

        conversion.to_parquet(
            self,
            path,
            index,
            columns,
            compression,
            convert_categoricals,
            num_locales=num_locales,
            file_size=file_size,
        )

    def update_parquet(
        self, prefix_path: Path, index: bool | None = None, columns: Sequence[str] | None = None
    ) -> None:
        """Write the columns into the Parquet files of a prefix, replacing columns of the same names; computes.

        Parameters
        ----------
        prefix_path : str or path
            As in `to_parquet`; the files must be there.
        index, columns
            As in `to_hdf`.

        Raises
        ------
        InconsistentFilesError
            If the files have other numbers of rows.
        MissingFileError
            If there are no files.
        WriteError
            If the files cannot be written; existing files stay as they are.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df[["x"]].to_parquet("rows")
        >>> df[["y"]].update_parquet("rows")
        >>> ak.get_datasets("rows*")
        ['x', 'y']
        """
        from akdask.arrays.writing import update_objects
        from akdask.frames import conversion

        update_objects(conversion.storables(self, index, columns), prefix_path, "Parquet")

    @takes_storage_options
    def to_csv(
        self,
        path: Path,
        index: bool | None = False,
        columns: Sequence[str] | None = None,
        col_delim: str = ",",
        overwrite: bool = False,
        *,
        num_locales: int | None = None,
        na_rep: str = "",
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns to CSV files with Arkouda's header; computes.

        Times and addresses are written as their numbers.

        Parameters
        ----------
        path : str or path
            Prefix and extension of the files: ``d/x.csv`` gives ``d/x_LOCALE0000.csv`` and so on.
        index : bool, default False
            Write the labels of the rows as well, as the last column ``Index``.
        columns : list of str, optional
            The columns to write, all unless given.
        col_delim : str, default ","
            Delimiter of fields; text of any length.
        overwrite : bool, default False
            Replace files of that prefix.
        num_locales : int, optional
            Number of files, one for each partition unless given.
        na_rep : str, default ""
            Text for missing text.

        Raises
        ------
        ExistsError
            If there are files of that prefix, which are not to be replaced.
        UnsupportedError
            If a column holds no numbers or strings: a Categorical, for example, whose labels `to_strings` gives.
        WriteError
            If the files cannot be written; existing files stay as they are.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.to_csv("rows")
        >>> ak.DataFrame.read_csv("rows*")["y"].tolist()
        ['b', 'a', 'b']
        """
        from akdask.arrays.writing import write_csv
        from akdask.frames import conversion

        objects = conversion.storables(self, index, columns)
        write_csv(objects, path, col_delim, overwrite=overwrite, num_locales=num_locales, na_rep=na_rep)

    @takes_storage_options
    def save(
        self,
        path: Path,
        index: bool | None = None,
        columns: Sequence[str] | None = None,
        file_format: str = "HDF5",
        file_type: str = "distribute",
        compression: str | None = None,
        *,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the columns as `to_hdf` does, in any format: the name of old Arkouda releases.

        Parameters
        ----------
        path, index, columns
            As in `to_hdf`.
        file_format : str, default "HDF5"
            The format.
        file_type
            As in `to_hdf`.
        compression : str, optional
            For formats that take it.

        Raises
        ------
        UnsupportedError
            If the format cannot be written, or not so.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [3, 1, 3], "y": ["b", "a", "b"]})
        >>> df.save("rows")
        >>> ak.get_filetype("rows*")
        'HDF5'
        """
        from akdask.arrays.writing import write_objects
        from akdask.frames import conversion

        objects = conversion.storables(self, index, columns)
        write_objects(objects, path, "truncate", file_type, file_format=file_format, compression=compression)

    def _storable(self) -> Storable:
        """Return the frame as one object, as snapshots hold it."""
        from akdask.frames import conversion

        return conversion.storable(self)


from_pandas = DataFrame.from_pandas
