"""`Series`: an array with labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array, Labelled, of_rows, unlabelled
from akdask.arrays.families import reduction, shown_by
from akdask.columns.exact import first_changed
from akdask.deferred import pd
from akdask.engine.sources import refuses_foreign
from akdask.errors import ConversionError, errors_end_at_caller
from akdask.frames.alignment import RowLabels, on_rows_of
from akdask.frames.columnset import LACKING, VALUES, ColumnSet, level_column
from akdask.frames.dataframe import DataFrame
from akdask.frames.index import Index, MultiIndex
from akdask.frames.row_labelled import RowLabelled, operator_method

if TYPE_CHECKING:
    from akdask.engine.node import RowSpace
    from akdask.engine.run import CollectionRows
    from akdask.frames.indexing import ILocIndexer, LocIndexer
    from akdask.frames.resampling import Resampler
    from akdask.frames.series_accessors import CategoricalAccessor, DatetimeAccessor, StringAccessor
    from akdask.frames.series_groupby import SeriesGroupBy


def _of_series(series: Series, name: str, /, *, skipna: bool | None = None, **numpy: None) -> Any:
    """Return {what} of the values; lazy.  See `pdarray.sum`.

    A missing value makes the result missing, as in Arkouda.

    Parameters
    ----------
    skipna : bool, optional
        Leave missing values out, the default of pandas; Arkouda does not.
    **numpy : None
        Arguments that ``numpy.sum`` and its like pass to objects other than arrays, such as ``axis=None``.

    Raises
    ------
    ArgumentTypeError
        If other arguments are given.

    Examples
    --------
    >>> s = ak.Series([1.0, float("nan"), 3.0])
    >>> float(s.sum()), float(s.sum(skipna=True))
    (nan, 4.0)
    """
    from akdask.frames import reductions

    return getattr(reductions.present_values(series, skipna, numpy), name)()


_OF_SERIES = """
>>> ak.Series([2, 4, 3]).{name}().item()
{of_all}
"""


@shown_by(_OF_SERIES)
def _spread_of_series(series: Series, name: str, /, ddof: int = 0, *, skipna: bool | None = None, **numpy: None) -> Any:
    """Return {what} of the values; lazy.

    A missing value makes the result missing, as in Arkouda.

    Parameters
    ----------
    ddof : int
        Subtracted from the number of values: 0 unless given, as in Arkouda.
    skipna : bool, optional
        Leave missing values out, the default of pandas; Arkouda does not.
    **numpy : None
        Arguments that ``numpy.sum`` and its like pass to objects other than arrays, such as ``axis=None``.

    Raises
    ------
    ArgumentTypeError
        If other arguments are given.
    """
    from akdask.frames import reductions

    return getattr(reductions.present_values(series, skipna, numpy), name)(ddof)


@shown_by(_OF_SERIES)
def _extreme_of_series(series: Series, name: str, /, *, skipna: bool | None = None, **numpy: None) -> Any:
    """Return {what}, missing if no value is left; computes for text and times, lazy for others.

    A missing value makes the result missing, as in Arkouda.

    Parameters
    ----------
    skipna : bool, optional
        Leave missing values out, the default of pandas; Arkouda does not.
    **numpy : None
        Arguments that ``numpy.sum`` and its like pass to objects other than arrays, such as ``axis=None``.

    Raises
    ------
    ArgumentTypeError
        If other arguments are given.
    """
    from akdask.frames import reductions

    return reductions.extreme(series, name, skipna, numpy)


@shown_by(_OF_SERIES)
def _of_present_values(series: Series, name: str, /, *, skipna: bool = True) -> Any:
    """Return {what} of the values; lazy.  It is missing where a value is, if not `skipna`."""
    from akdask.frames import reductions

    return getattr(reductions.present_values(series, skipna), name)()


@shown_by(_OF_SERIES)
def _truth_of_series(series: Series, name: str, /, *, skipna: bool = True) -> Any:
    """Return {what}; lazy.  Missing values are left out, or count as true if not `skipna`."""
    from akdask.frames import reductions

    return getattr(reductions.truths(series, skipna), name)()


_OF_VALUES = """
>>> ak.Series([2, 3]).{name}(2).tolist()
{shown}
"""


@shown_by(_OF_VALUES)
def _arithmetic(series: Series, function: Callable[..., Any], /, other: Any, fill_value: Any = None) -> Series:
    """Return the values {what} a scalar, array or Series; lazy.

    Parameters
    ----------
    other : scalar, array or Series
        The other side; a Series is aligned by labels.
    fill_value : scalar, optional
        Replaces a value that is missing on one side, or whose label one side lacks.

    Returns
    -------
    Series
        With all labels of both, in order where they differ; missing where one side lacks them, as in pandas.
    """
    from akdask.frames import arithmetic

    return arithmetic.operated(series, function, other, fill_value)


@shown_by(_OF_VALUES)
def _comparison(series: Series, function: Callable[..., Any], /, other: Any) -> Series:
    """Return which values {what} something; lazy.  Labels meet as in `sub`."""
    from akdask.frames import arithmetic

    return arithmetic.operated(series, function, other)


@errors_end_at_caller
class Series(Labelled, RowLabelled):
    """A lazy array with labels, as a column of a DataFrame or a result of groups.

    Parameters
    ----------
    data : array, Series, sequence, mapping, pandas Series or Categorical, or tuple of labels and values
        The values; of a mapping its keys are the labels, of a pair the first are the labels, as groups give them.
    name : hashable, optional
        Name of the values.
    index : Index, array or sequence, or several arrays, optional
        Labels of the rows, their numbers unless given.

    Raises
    ------
    ArgumentTypeError
        If the values are no array or sequence.
    AlignmentError
        If there are not as many labels as values.

    Notes
    -----
    Follows ``arkouda.Series``.  Operators on two Series with other labels sort these, and use 0 for an entry that one
    side lacks, where pandas has NaN.  ``s.iloc[3]`` is a Series of one entry.

    Examples
    --------
    >>> s = ak.Series([10, 20, 30], index=["a", "b", "a"])
    >>> s["b"], (s + 1)["a"].tolist()
    (np.int64(20), [11, 31])
    >>> keys, totals = ak.GroupBy(ak.array([3, 1, 3])).sum(ak.array([1, 2, 3]))
    >>> ak.Series((keys, totals)).to_pandas()
    1    2
    3    4
    dtype: int64
    """

    objType = "Series"

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]  # comparison gives a Series, as in pandas

    name: Any
    _labelled: DataFrame
    """The column of values, labels of one level as the index, labels of several levels as columns."""
    _level_names: tuple[Any, ...]

    # construction

    @refuses_foreign()
    def __init__(self, data: Any, name: Any = None, index: Any = None) -> None:
        from akdask.frames import conversion

        self._set(*conversion.series_parts(data, name, index))

    @classmethod
    def concat(
        cls,
        arrays: Sequence[Any],
        axis: int = 0,
        index_labels: Sequence[str] | None = None,
        value_labels: Sequence[str] | None = None,
        ordered: bool = False,
    ) -> Any:
        """Put Series, or pairs of keys and values of groups, below each other or side by side.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            0 puts them below each other; 1 side by side, by their labels.
        index_labels : list of str, optional
            With ``axis=1``, names of the columns of labels.
        value_labels : list of str, optional
            With ``axis=1``, names of the columns of values: ``val_0``, ``val_1`` and so on unless given.
        ordered : bool
            Accepted for compatibility with Arkouda; the order is always kept.

        Returns
        -------
        Series, or DataFrame
            A DataFrame of labels and values with ``axis=1``; values are 0 for labels that a Series lacks.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.
        AxisError
            If `axis` is something else.

        Examples
        --------
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([3, 4], index=["b", "c"])
        >>> ak.Series.concat([one, two]).to_pandas().to_dict() == {"a": 1, "b": 3, "c": 4}
        True
        >>> ak.Series.concat([one, two], axis=1).to_pandas()
          idx  val_0  val_1
        0   a      1      0
        1   b      2      3
        2   c      0      4
        """
        from akdask.frames import join

        return join.concat_series(cls, arrays, axis, index_labels, value_labels, ordered)

    @classmethod
    def pdconcat(cls, arrays: Sequence[Any], axis: int = 0, labels: Any = None) -> pd.Series | pd.DataFrame:
        """Put Series, or pairs of keys and values of groups, together as pandas does; computes.

        Parameters
        ----------
        arrays : list of Series, or list of tuple
            At least one, all of one type.
        axis : {0, 1}
            Below each other, or side by side, where all have the labels of the first.
        labels : Strings or sequence of str, optional
            With ``axis=1``, names of the columns.

        Raises
        ------
        PositionError
            If there are none.
        ArgumentTypeError
            If they are of several types.

        Examples
        --------
        >>> ak.Series.pdconcat([ak.Series([1]), ak.Series([2])]).tolist()
        [1, 2]
        """
        from akdask.frames import join

        return join.concat_as_pandas(cls, arrays, axis, labels)

    def copy(self) -> Series:
        """Return a copy; it shares the data, which never change.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> other = s.copy()
        >>> other[0] = 9
        >>> s.tolist()
        [3, 1, 2]
        """
        return self._moved(self._labelled.copy())

    @classmethod
    def _of(cls, values: Any, index: Any, name: Any = None) -> Self:
        """Return a Series of values and labels."""
        made = cls.__new__(cls)
        made._set(values, index, name)
        return made

    def _set(self, values: Array, index: Index | None, name: Any) -> None:
        """Bring values and labels onto common rows; rows without labels are labelled by their numbers.

        Raises
        ------
        AlignmentError
            If values and labels do not share rows, as where there are not as many of both.
        """
        self.name = name
        if index is None or not isinstance(index, MultiIndex):
            labels = (None, None) if index is None else (index.values, index.name)
            columns = ColumnSet.of({VALUES: values}, *labels)
            self._level_names = ()
        else:
            levels = {level_column(number): level for number, level in enumerate(index.values)}
            columns = ColumnSet.of({VALUES: values, **levels})
            self._level_names = tuple(index.names)
        self._labelled = DataFrame._of(columns)

    def _moved(self, rows: Any) -> Self:
        """Return a Series of the same names on other rows."""
        moved = type(self).__new__(type(self))
        moved.name, moved._level_names, moved._labelled = self.name, self._level_names, rows
        return moved

    def _on_columns(self, columns: ColumnSet) -> Self:
        """Return a Series of the same names on other columns of values and labels."""
        return self._moved(DataFrame._of(columns))

    def _with(self, values: Any) -> Self:
        """Return other values with these labels and this name."""
        columns = self._labelled._columns
        if LACKING in columns.values:
            columns = columns.only([name for name in columns.values if name != LACKING])
        values = unlabelled(values)
        if isinstance(values, Array):
            return self._on_columns(columns.having(VALUES, of_rows(values)))
        moved = self._on_columns(columns)
        moved.values = values
        return moved

    def _with_lists(self, lists: Array, lacking: Array) -> Self:
        """Return lists with these labels, of which some are missing."""
        found = self._with(lists)
        found._labelled = DataFrame._of(found._labelled._columns.having(LACKING, lacking))
        return found

    def _framed(self, arrays: Mapping[str, Array]) -> DataFrame:
        """Return arrays on these rows as a DataFrame with these labels; levels of labels are columns there."""
        columns = self._labelled._columns
        if not self._level_names:
            return DataFrame._of(columns.beside(arrays))
        levels = {
            f"level_{number}" if name is None else str(name): columns.array(level_column(number))
            for number, name in enumerate(self._level_names)
        }
        return DataFrame._of(ColumnSet.of({**levels, **arrays}))

    # attributes

    @property
    def values(self) -> Any:
        """The values: a pdarray, Strings, Categorical and so on, the same object each time.

        Assignments to its elements change the Series.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.values
        array([3 1 2])
        """
        return self._labelled._column(VALUES)

    @values.setter
    def values(self, values: Any) -> None:
        self._labelled[VALUES] = unlabelled(values)

    @property
    def index(self) -> Index:
        """The labels of the rows: an `Index`, or a `MultiIndex`; their numbers unless others were given.  Lazy.

        Examples
        --------
        >>> ak.Series([3, 1], index=ak.array([20, 10])).index.tolist()
        [20, 10]
        """
        if not self._level_names:
            return self._labelled.index
        columns = self._labelled._columns
        levels = [columns.array(level_column(number)) for number in range(len(self._level_names))]
        return MultiIndex(levels, names=self._level_names)

    @index.setter
    def index(self, labels: Any) -> None:
        self._set(self.values, None if labels is None else Index.factory(labels), self.name)

    @property
    def dtype(self) -> Any:
        """Type of the values.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.dtype
        dtype('int64')
        """
        return self.values.dtype

    @property
    def size(self) -> int:
        """Number of values; counts them, once, where a filter has left that open.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.size
        3
        """
        return len(self._labelled)

    @property
    def empty(self) -> bool:
        """Whether there are no values.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.empty, s[s > 9].empty
        (False, True)
        """
        return not len(self)

    @property
    def rows(self) -> RowSpace:
        """The row space: identity of the rows, partitions, and partition lengths if known."""
        return self._labelled.rows

    @property
    def is_unique(self) -> bool:
        """Whether no value occurs twice; computes.

        Examples
        --------
        >>> ak.Series([3, 1]).is_unique, ak.Series([3, 3]).is_unique
        (True, False)
        """
        from akdask.frames import distinct

        return not bool(distinct.repeated([self.values], "first").any())

    @property
    def is_monotonic_increasing(self) -> bool:
        """Whether no value is less than the one before it; computes.

        Examples
        --------
        >>> ak.Series([1, 3, 3]).is_monotonic_increasing
        True
        """
        from akdask.arrays.timearray import TimeArray

        return bool(self.values.is_sorted()) and not (isinstance(self.values, TimeArray) and self.hasnans())

    @property
    def is_monotonic_decreasing(self) -> bool:
        """Whether no value is more than the one before it; computes.

        Examples
        --------
        >>> ak.Series([3, 3, 1]).is_monotonic_decreasing
        True
        """
        from akdask.arrays.timearray import TimeArray

        is_sorted = bool(self.values[::-1].is_sorted())
        return is_sorted and not (isinstance(self.values, TimeArray) and self.hasnans())

    def memory_usage(self, index: bool = True, unit: str = "B") -> int | float:
        """Return how much memory the values take when they are in memory, in bytes as an int; computes for text.

        Parameters
        ----------
        index : bool
            Add the labels.
        unit : {"B", "KB", "MB", "GB"}
            The unit.

        Examples
        --------
        >>> ak.Series(ak.arange(3)).memory_usage()
        48
        """
        from akdask.frames.index import convert_bytes

        own = convert_bytes(self.values.nbytes, unit)
        return own + self.index.memory_usage(unit) if index else own

    @property
    def _lacking(self) -> Array | None:
        """Which lists are missing, None where none is."""
        columns = self._labelled._columns
        return columns.array(LACKING) if LACKING in columns.values else None

    # plan

    @property
    def expr(self) -> CollectionRows:
        """The plan."""
        from akdask.engine.run import CollectionRows
        from akdask.frames import conversion

        form, project, labels = conversion.series_conversion(self)
        return CollectionRows(project, form, tuple(labels), None)

    def _persisted(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        return self._moved(self._labelled._persisted(graph, rename))

    # selection

    @property
    def loc(self) -> LocIndexer:
        """Entries by label.

        Examples
        --------
        >>> s = ak.Series([3, 1], index=ak.array(["a", "b"]))
        >>> s.loc["b"], s.loc[["b", "a"]].tolist()
        (np.int64(1), [1, 3])
        """
        from akdask.frames.indexing import LocIndexer

        return LocIndexer(self)

    @property
    def at(self) -> LocIndexer:
        """Entries by label.

        Examples
        --------
        >>> s = ak.Series([3, 1], index=ak.array(["a", "b"]))
        >>> s.at["b"]
        np.int64(1)
        """
        return self.loc

    @property
    def iloc(self) -> ILocIndexer[Self]:
        """Entries by position.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.iloc[-1], s.iloc[:2].tolist()
        (2    2
        dtype: int64, [3, 1])
        """
        from akdask.frames.indexing import ILocIndexer

        return ILocIndexer("iloc", self)

    @property
    def iat(self) -> ILocIndexer[Self]:
        """Entries by position.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.iat[1]
        1    1
        dtype: int64
        """
        from akdask.frames.indexing import ILocIndexer

        return ILocIndexer("iat", self)

    def validate_key(self, key: Any) -> Any:
        """Check a key, and return lists as arrays; computes whether labels exist.

        Parameters
        ----------
        key : scalar, array, Series or list
            Labels, or a mask.

        Raises
        ------
        ArgumentTypeError
            If it is none, or of another type than the labels.
        MissingLabelError
            If an array has labels that the Series lacks.
        PositionError
            If a mask has not the size of the Series.

        Examples
        --------
        >>> ak.Series([3, 1]).validate_key(ak.array([1, 0])).tolist()
        [1, 0]
        """
        from akdask.frames import indexing

        return indexing.label_key(self, key)

    def validate_val(self, val: Any) -> Any:
        """Return a value that may be assigned, lists as arrays.

        Raises
        ------
        ArgumentTypeError
            If it is of another type than the values, or they are text.

        Examples
        --------
        >>> ak.Series([3, 1]).validate_val(7)
        7
        """
        from akdask.frames import indexing

        return indexing.checked_value(self.values, val)

    def __getitem__(self, key: Any) -> Any:
        """Return the entries of labels, or the entries where a mask is true.

        Parameters
        ----------
        key : scalar, array or list of labels, mask, or slice of positions
            Which entries.  Masks are lazy; labels are looked up at once.

        Returns
        -------
        scalar, or Series
            A value where one entry has the label, otherwise all entries that have it.

        Raises
        ------
        ArgumentTypeError, MissingLabelError, PositionError
            As in `validate_key`.
        """
        from akdask.frames import indexing

        return indexing.get_entries(self, key)

    def __setitem__(self, key: Any, val: Any) -> None:
        """Assign to the entries of labels, or where a mask holds; a label that is not there adds an entry.

        A Series that is assigned where a mask holds goes by its labels, and leaves missing values where it lacks them.

        Raises
        ------
        ArgumentTypeError
            If key or value are of other types than labels and values.
        ArgumentError
            If there are not as many values as entries, or several labels are given and some come twice.
        """
        from akdask.frames import indexing

        indexing.set_entries(self, key, val)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values; computes them all."""
        return iter(self.values)

    def __contains__(self, label: object) -> bool:
        """Whether an entry has a label; computes."""
        return bool(self.index.lookup(label).any())

    def items(self) -> Iterator[tuple[Any, Any]]:
        """Iterate over labels and values; computes them all.

        Examples
        --------
        >>> [f"{label}: {value}" for label, value in ak.Series([3, 1], index=ak.array(["a", "b"])).items()]
        ['a: 3', 'b: 1']
        """
        return iter(self.to_pandas().items())

    def head(self, n: int = 10) -> Series:
        """Return the first `n` entries; lazy.

        Examples
        --------
        >>> ak.Series([3, 1, 2]).head(2).tolist()
        [3, 1]
        """
        return self._moved(self._labelled.head(n))

    def tail(self, n: int = 10) -> Series:
        """Return the last `n` entries; lazy.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.tail(2).tolist()
        [1, 2]
        """
        return self._moved(self._labelled.tail(n))

    def locate(self, key: Any) -> Series:
        """Return the entries that have some labels; lazy.

        Parameters
        ----------
        key : scalar, array, Index, list or tuple, or Series
            Labels, for several levels a list of arrays or a tuple of labels.  The values of a Series are looked up, and
            the result keeps its labels.

        Returns
        -------
        Series
            In the order of the rows, but for a Series.

        Examples
        --------
        >>> ak.Series([1, 2, 3], index=[7, 8, 9]).locate([9, 7]).to_pandas().to_dict()
        {7: 1, 9: 3}
        """
        from akdask.frames import indexing

        return indexing.locate(self, key)

    def drop(self, labels: Any = None, *, index: Any = None, errors: str = "raise") -> Series:
        """Drop the entries of some labels; computes whether the labels exist.

        Parameters
        ----------
        labels, index : label, or array or sequence of labels
            Both mean the same; of several levels a tuple, or a list of them.
        errors : {"raise", "ignore"}
            Whether labels that no entry has are an error.

        Raises
        ------
        MissingLabelError
            If no entry has one of the labels.

        Examples
        --------
        >>> ak.Series([1, 2, 3], index=["a", "b", "c"]).drop("b").to_dict()
        {'a': 1, 'c': 3}
        """
        from akdask.frames import rows

        return rows.drop_entries(self, labels, index=index, errors=errors)

    def sample(self, n: int = 1, *, frac: float | None = None, random_state: Any = None) -> Series:
        """Return some entries chosen at random; counts rows of unknown number.  See `DataFrame.sample`.

        Examples
        --------
        >>> len(ak.Series(ak.arange(100)).sample(3, random_state=1))
        3
        """
        from akdask.frames import rows

        return rows.sample_entries(self, n, frac=frac, random_state=random_state)

    def _rows(self, key: Any) -> Self:
        """Return the entries that a mask, positions or a slice choose."""
        return self._moved(self._labelled._rows(key))

    # labels

    def has_repeat_labels(self) -> bool:
        """Whether a label comes twice; computes.

        Examples
        --------
        >>> ak.Series([3, 1], index=ak.array(["a", "a"])).has_repeat_labels()
        True
        """
        return not self.index.is_unique

    def rename(self, name: Any = None, *, index: Any = None) -> Series:
        """Return the entries with another name of the values, or with other labels.

        Parameters
        ----------
        name : hashable, mapping or callable
            The name; a mapping or function has new labels by old ones, as in pandas.  A function computes.
        index : mapping or callable, optional
            The same as such a `name`.

        Raises
        ------
        ArgumentTypeError
            If new labels are of another type than the old ones.
        UnsupportedError
            If labels that are renamed have several levels.

        Examples
        --------
        >>> ak.Series([1, 2], index=[10, 20]).rename({10: 11}).to_pandas().to_dict()
        {11: 1, 20: 2}
        """
        from akdask.frames import columns

        return columns.rename_series(self, name, index=index)

    def reindex(self, index: Any, fill_value: Any = None) -> Series:
        """Return the entries that have given labels, in their order, missing where there is none; counts rows.

        See `DataFrame.reindex`.

        Examples
        --------
        >>> ak.Series([1, 2], index=["a", "b"]).reindex(["b", "z"], fill_value=0).tolist()
        [2, 0]
        """
        from akdask.frames import sorting

        return sorting.reindex_series(self, index, fill_value)

    def reset_index(
        self, level: Any = None, *, drop: bool = False, name: str | None = None, inplace: bool = False
    ) -> Any:
        """Return labels and values as columns of a DataFrame; lazy.

        Parameters
        ----------
        level : int, str, or list of them, optional
            Levels of the labels that become columns, all unless given; at most one level is left.
        drop : bool, default False
            Leave these labels out, and return a Series.
        name : str, optional
            Name of the column of values: that of the Series, or ``0``, unless given.
        inplace : bool, default False
            Change this Series and return None; with `drop` only, as values alone are a Series.

        Raises
        ------
        SchemaError
            If a level of the labels has that name.
        ArgumentError
            If there is no such level, a DataFrame would keep labels of several levels, or `inplace` is True without
            `drop`.

        Examples
        --------
        >>> df = ak.DataFrame({"k": ["a", "b", "a"], "x": [1, 2, 3]})
        >>> df.groupby("k")["x"].sum().reset_index(name="total").to_pandas()
           k  total
        0  a      4
        1  b      2
        """
        from akdask.frames import rows

        return rows.reset_series_index(self, level, drop=drop, name=name, inplace=inplace)

    def align(self, other: Any, join: str = "outer") -> tuple[Any, Any]:
        """Return this Series and another one on the same labels; lazy.

        Parameters
        ----------
        other : Series
            The other one.
        join : {"outer", "left", "right"}
            All labels of both, in order, or the labels of one side.  Labels that a side lacks have missing values.

        Raises
        ------
        ArgumentError
            If `join` is something else.

        Examples
        --------
        >>> left, right = ak.Series([1, 2], index=ak.array([0, 1])).align(ak.Series([5], index=ak.array([1])))
        >>> left.tolist(), right.tolist()
        ([1, 2], [nan, 5.0])
        """
        from akdask.frames import arithmetic

        return arithmetic.align_series(self, other, join)

    @property
    def _row_labels(self) -> RowLabels:
        columns = self._labelled._columns
        if not self._level_names:
            return RowLabels.of(columns)
        levels = (columns.array(level_column(number)) for number in range(len(self._level_names)))
        return RowLabels(columns.frame, tuple(levels))

    def _named_index(self, levels: Sequence[Array]) -> Index:
        """Return labels with the names of the labels of this Series."""
        index = self.index
        return MultiIndex(list(levels), names=index.names) if len(levels) > 1 else Index(levels[0], index.name)

    def _on_rows(self, item: Any) -> Any:
        """Align an argument to the rows of this Series: a Series by labels, an array by position."""
        return on_rows_of(self._row_labels, item)

    def _given_labels(self) -> Index | None:
        """Return the labels, None where rows are labelled by their numbers."""
        return None if self._labelled._columns.index is None and not self._level_names else self.index

    def _value_columns(self) -> ColumnSet:
        return self._labelled._columns.only([VALUES])

    def _with_columns(self, arrays: Mapping[str, Array]) -> Self:
        return self._with(arrays[VALUES])

    # missing values

    def hasnans(self) -> np.bool_:
        """Whether a value is missing; computes.

        Examples
        --------
        >>> s = ak.Series([1.0, np.nan, 4.0])
        >>> s.hasnans()
        np.True_
        """
        return np.bool_(bool(self.isna().values.any()))

    def dropna(self) -> Series:
        """Return the entries whose values are not missing; lazy.

        Examples
        --------
        >>> s = ak.Series([3.0, float("nan"), 3.0])
        >>> s.dropna().tolist()
        [3.0, 3.0]
        """
        return self._rows(self.notna().values)

    def fillna(self, value: Any) -> Series:
        """Replace missing values; lazy.

        Parameters
        ----------
        value : scalar, pdarray or Series
            One value, or one for each row.  A Series is aligned by labels; values without a label there stay missing.

        Returns
        -------
        Series
            Values that cannot be missing, such as integers, stay as they are.

        Raises
        ------
        ArgumentTypeError
            If text would be filled with something else, or numbers with text.

        Examples
        --------
        >>> ak.Series([1.0, float("nan"), 3.0]).fillna(100.0).tolist()
        [1.0, 100.0, 3.0]
        """
        from akdask.frames import missing

        return missing.fill_series(self, value)

    def combine_first(self, other: Any) -> Series:
        """Fill missing values from another Series, on all labels of both; lazy.

        Examples
        --------
        >>> one, two = ak.Series([1.0, None], index=["a", "b"]), ak.Series([20.0, 30.0], index=["b", "c"])
        >>> one.combine_first(two).to_pandas().to_dict()
        {'a': 1.0, 'b': 20.0, 'c': 30.0}
        """
        from akdask.frames import arithmetic

        return arithmetic.combine_series(self, other)

    # arithmetic

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of values with equal labels; in-place operators pass ``out=``."""
        from akdask.frames import arithmetic

        return arithmetic.apply_series_ufunc(ufunc, method, *inputs, **kwargs)

    def __divmod__(self, other: Any) -> tuple[Series, Series]:
        return self // other, self % other

    def __abs__(self) -> Series:
        return self._with(abs(self.values))

    def __bool__(self) -> bool:
        return bool(self.values)

    def __matmul__(self, other: Any) -> Any:
        return self.dot(other)

    def add(self, b: Series) -> Series:
        """Return the sums of the values of each label, of both Series; lazy.

        Examples
        --------
        >>> one, two = ak.Series([1, 2], index=["a", "b"]), ak.Series([10, 20], index=["b", "c"])
        >>> one.add(two).to_pandas().to_dict() == {"a": 1, "b": 12, "c": 20}
        True
        """
        from akdask.frames import arithmetic

        return arithmetic.add_series(self, b)

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

    def dot(self, other: Any) -> Any:
        """Return the sum of the products with the values of another Series or array; lazy.

        Raises
        ------
        AlignmentError
            When it is computed, if a label of one Series is not in the other.

        Examples
        --------
        >>> int(ak.Series([1, 2]) @ ak.Series([3, 4]))
        11
        """
        from akdask.frames import arithmetic

        return arithmetic.dot(self, other)

    def equals(self, other: Any) -> bool:
        """Whether another Series has the same values and labels, missing ones in the same places; computes.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.equals(s.copy()), s.equals(s + 1)
        (True, False)
        """
        if not isinstance(other, Series):
            return False
        return bool(self.to_frame("values").equals(other.to_frame("values")))

    # values

    def astype(self, dtype: Any) -> Series:
        """Return the values converted to another type, with the same labels; lazy.  See `pdarray.astype`.

        Missing values stay missing as text, and ``"category"`` makes a Categorical of text.

        Raises
        ------
        UnsupportedError
            If times are to become text, which `strftime` makes of them.
        ConversionError
            When computed, if a missing or infinite number becomes an integer.

        Examples
        --------
        >>> ak.Series([3, 1]).astype(float).tolist()
        [3.0, 1.0]
        """
        from akdask.frames import dtypes

        return self._with(dtypes.as_other_type(self.values, dtype))

    def map(self, arg: Any, na_action: Any = None) -> Series:
        """Replace each value by a mapping or a function; lazy.

        Parameters
        ----------
        arg : dict, Series or callable
            New values by old ones, as a dict or as a Series labelled by old values, or a function of single values; see
            `apply`.
        na_action : {None, "ignore"}
            Call a function with NaN, or leave NaN as they are.

        Returns
        -------
        Series
            Of Strings if the values were a Categorical.  Values without a match become missing; Arkouda's function
            `map` gives them the text ``"null"``.

        Raises
        ------
        ArgumentTypeError
            If it is neither a mapping nor a function.

        Examples
        --------
        >>> ak.Series([2, 3, 2]).map({2: 30.0, 3: 5.0}).tolist()
        [30.0, 5.0, 30.0]
        """
        from akdask.frames import elementwise

        return elementwise.map_values(self, arg, na_action)

    def apply(self, func: Any, args: Sequence[Any] = (), *, result_dtype: Any = None, **kwargs: Any) -> Any:
        """Apply a function to each value; lazy, except that it may compute the type of the results.

        Parameters
        ----------
        func : callable, ufunc or str
            Takes one value, of times as pandas has them.  A ufunc takes all at once, and a name is that of a reduction.
        args : sequence, optional
            Further arguments of the function, as `kwargs`.
        result_dtype : dtype-like, optional
            The type of its results.  Unless given, the first few results are computed to find it.
        **kwargs
            Arguments of the function by name.

        Returns
        -------
        Series
            With the same labels.

        Raises
        ------
        ArgumentTypeError
            If it is no function, or its results are of no type that a column can have.
        ArgumentError
            When it is computed, if a later result is not of the type.

        See Also
        --------
        akdask.apply : the same for arrays, which says where the function runs.

        Examples
        --------
        >>> ak.Series([1, 2]).apply(lambda x: x / 2).tolist()
        [0.5, 1.0]
        """
        from akdask.frames import elementwise

        return elementwise.apply_values(self, func, args, result_dtype=result_dtype, **kwargs)

    def transform(self, func: Any) -> Series:
        """Call a function that returns the same rows: ``s.transform(lambda s: s - s.mean())``; lazy.

        Raises
        ------
        ArgumentTypeError
            If the result has other rows.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.transform(lambda values: values * 2).tolist()
        [6, 2, 4]
        """
        from akdask.frames import elementwise

        return elementwise.transform(self, func)

    def between(self, left: Any, right: Any, inclusive: str = "both") -> Series:
        """Return which values lie between two bounds; lazy.

        Parameters
        ----------
        left, right : scalar, array or Series
            The bounds.
        inclusive : {"both", "neither", "left", "right"}
            Which of them count as between.

        Raises
        ------
        ArgumentError
            If `inclusive` is something else.

        Examples
        --------
        >>> ak.Series([1, 2, 3]).between(2, 3).tolist()
        [False, True, True]
        """
        from akdask.frames import elementwise

        found: Series = elementwise.between(self, left, right, inclusive)
        return found

    def isin(self, lst: Any) -> Series:
        """Return which values are among some, as a Series of bool; lazy.

        Parameters
        ----------
        lst : pdarray, Strings, Series or list
            The values to look for.  A missing one stands for all that are missing, but None for no NaN, as in pandas.

        Examples
        --------
        >>> ak.Series(["a", None, "b"]).isin(["a", None]).tolist()
        [True, True, False]
        """
        from akdask.frames import distinct

        return distinct.series_isin(self, lst)

    # reductions

    def count(self) -> Any:
        """Return the number of values that are not missing; lazy.

        Examples
        --------
        >>> s = ak.Series([1.0, np.nan, 4.0])
        >>> s.count()
        np.int64(2)
        """
        from akdask.frames.reductions import present_count

        return present_count(self)

    sum = reduction("sum", _of_series)
    prod = reduction("prod", _of_series)
    mean = reduction("mean", _of_series)
    min = reduction("min", _extreme_of_series)
    max = reduction("max", _extreme_of_series)
    std = reduction("std", _spread_of_series)
    var = reduction("var", _spread_of_series)

    def sem(self, ddof: int = 1) -> Any:
        """Return the standard error of the mean of the values that are not missing; lazy.

        Examples
        --------
        >>> ak.Series([1, 3]).sem()
        np.float64(1.0)
        """
        from akdask.errors import ArgumentTypeError
        from akdask.frames.dtypes import is_number
        from akdask.frames.reductions import present_values

        if not is_number(self.values):
            raise ArgumentTypeError(f"sem takes numbers, not {self.values._type_name()}.")
        values = present_values(self, True)
        return values.std(ddof) / np.sqrt(values.size)

    def skew(self) -> np.float64:
        """Return the skewness of the values that are not missing, corrected for a sample as in pandas; computes.

        Examples
        --------
        >>> ak.Series([1, 2, 3]).skew()
        np.float64(0.0)
        """
        from akdask.arrays.reductions import skew
        from akdask.errors import ArgumentTypeError
        from akdask.frames.dtypes import is_number
        from akdask.frames.reductions import present_values

        if not is_number(self.values):
            raise ArgumentTypeError(f"skew takes numbers, not {self.values._type_name()}.")
        values = present_values(self, True)
        return skew(values, bias=False) if values.size >= 3 else np.float64(np.nan)

    def kurt(self) -> np.float64:
        """Return the excess kurtosis of the values that are not missing, as pandas has it; computes.

        Examples
        --------
        >>> round(float(ak.Series([1, 2, 4, 9]).kurt()), 6)
        1.5
        """
        from akdask.frames import reductions

        return reductions.kurtosis(self)

    kurtosis = kurt

    median = reduction("median", _of_present_values)

    def quantile(self, q: float | Sequence[float] = 0.5, method: str = "linear", *, interpolation: str = "") -> Any:
        """Return a quantile of the values that are not missing, lazy, or a Series of several by `q`, which computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        method : str
            How to choose between two elements, by the names of ``numpy.quantile``.
        interpolation : str, optional
            Name of `method` in pandas.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, or there is no such method.

        Examples
        --------
        >>> ak.Series([1.0, float("nan"), 2.0, 4.0]).quantile([0.5, 1]).to_dict()
        {0.5: 2.0, 1.0: 4.0}
        """
        from akdask.frames import reductions

        return reductions.quantile(self, q, method, interpolation=interpolation)

    def mode(self, dropna: bool = True) -> Series:
        """Return the commonest values, in order, as a Series; computes.

        Parameters
        ----------
        dropna : bool, default True
            Leave out missing values, which count as one value otherwise.

        Examples
        --------
        >>> ak.Series(["b", "a", "b"]).mode().tolist()
        ['b']
        """
        from akdask.frames import reductions

        return reductions.mode(self, dropna)

    def nunique(self, dropna: bool = True) -> Any:
        """Return the number of distinct values, missing ones counting as one if not `dropna`; lazy.

        Examples
        --------
        >>> ak.Series([3, 1, 3]).nunique()
        np.int64(2)
        """
        from akdask.arrays.reductions import distinct_count

        return distinct_count(self.dropna().values if dropna else self.values)

    any = reduction("any", _truth_of_series)
    all = reduction("all", _truth_of_series)

    def argmin(self) -> Any:
        """Return the position of the first smallest value, or of the first that is NaN, as in Arkouda; lazy.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.argmin()
        np.int64(1)
        """
        from akdask.frames import reductions

        return reductions.position_of_extreme(self, "min")

    def argmax(self) -> Any:
        """Return the position of the first largest value, or of the first that is NaN, as in Arkouda; lazy.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.argmax()
        np.int64(0)
        """
        from akdask.frames import reductions

        return reductions.position_of_extreme(self, "max")

    def idxmin(self, *, skipna: bool = True) -> Any:
        """Return the label of the first smallest value; computes.  See `idxmax`.

        Examples
        --------
        >>> ak.Series([3, 1], index=ak.array(["a", "b"])).idxmin()
        np.str_('b')
        """
        from akdask.frames import reductions

        return reductions.label_of_extreme(self, "min", skipna)

    def idxmax(self, *, skipna: bool = True) -> Any:
        """Return the label of the first largest value; computes.

        Parameters
        ----------
        skipna : bool, default True
            Leave missing values out.

        Raises
        ------
        ArgumentError
            If there is no value, or one is missing and `skipna` is False.

        Examples
        --------
        >>> int(ak.Series([2.0, float("nan"), 3.0], index=[5, 6, 7]).idxmax())
        7
        """
        from akdask.frames import reductions

        return reductions.label_of_extreme(self, "max", skipna)

    def corr(self, other: Any) -> float:
        """Return Pearson's correlation with another Series; computes.

        Series are aligned on the labels that both have, arrays by position.  Rows where either value is NaN are left
        out, as in pandas.

        Examples
        --------
        >>> round(float(ak.Series([1, 2, 4]).corr(ak.Series([2, 4, 8]))), 12)
        1.0
        """
        from akdask.frames import reductions

        return reductions.correlation(self, other)

    def cov(self, other: Any) -> float:
        """Return the covariance with another Series; computes.  See `corr`.

        Examples
        --------
        >>> ak.Series([1, 2, 3]).cov(ak.Series([2, 4, 6]))
        np.float64(2.0)
        """
        from akdask.frames import reductions

        return reductions.covariance(self, other)

    def autocorr(self, lag: int = 1) -> float:
        """Return the correlation of the values with the values `lag` rows before; computes.

        Examples
        --------
        >>> ak.Series([1, 2, 3, 4]).autocorr()
        np.float64(1.0)
        """
        return self.corr(self.shift(lag))

    def agg(self, func: Any) -> Any:
        """Return a reduction of the values by its name, or a Series of several.

        Parameters
        ----------
        func : str or callable, or list of them
            ``"sum"``, ``"mean"``, ``"min"``, ``"max"``, ``"std"``, ``"var"``, ``"median"``, ``"prod"``, ``"count"``,
            ``"nunique"``, ``"any"``, ``"all"`` or ``"size"``, for the methods of these names.

        Returns
        -------
        scalar, or Series by the names of several
            A single result is lazy if its method is; several are computed.

        Raises
        ------
        ArgumentError
            If there is no such reduction.

        Examples
        --------
        >>> ak.Series([1, 2, 4]).agg(["min", "max"]).to_dict()
        {'min': 1, 'max': 4}
        """
        from akdask.frames import reductions

        return reductions.aggregate(self, func)

    aggregate = agg

    def describe(self, percentiles: Sequence[float] | None = None) -> pd.Series:
        """Return count, mean, standard deviation, extremes and quantiles of numbers; computes.

        Times have the same rows, without a standard deviation for points in time.  Text, Categoricals and bool have
        count, number of distinct values, the most common value and its count.

        Parameters
        ----------
        percentiles : sequence of float, optional
            Which quantiles, from 0 to 1; 25, 50 and 75 % unless given.

        Raises
        ------
        ArgumentTypeError
            If the values are of another kind.

        Examples
        --------
        >>> ak.Series([1, 2, 3, 4]).describe()["50%"]
        np.float64(2.5)
        """
        from akdask.frames import reductions

        return reductions.describe_series(self, percentiles)

    # distinct values, groups

    def unique(self) -> Any:
        """Return the distinct values, in the order in which they come first as in pandas, as an array; lazy.

        Examples
        --------
        >>> ak.Series([3, 1, 3]).unique().tolist()
        [3, 1]
        """
        from akdask.frames import distinct

        return distinct.unique(self)

    def duplicated(self, keep: str | bool = "first") -> Series:
        """Return which values are equal to another one; lazy.  See `DataFrame.duplicated`.

        Examples
        --------
        >>> ak.Series([3, 1, 3]).duplicated().tolist()
        [False, False, True]
        """
        from akdask.frames import distinct

        return self._with(distinct.repeated([self.values], keep))

    def drop_duplicates(self, keep: str | bool = "first") -> Series:
        """Drop entries whose values are repeated; lazy.  See `duplicated`.

        Examples
        --------
        >>> ak.Series([3, 1, 3]).drop_duplicates().tolist()
        [3, 1]
        """
        from akdask.frames import distinct

        return self._rows(~distinct.repeated([self.values], keep))

    def value_counts(
        self, sort: bool = True, *, normalize: bool = False, ascending: bool = False, dropna: bool = True
    ) -> Series:
        """Return how often each value occurs, as int64 labelled by the values; lazy.

        As in pandas, the labels are called as the values are, and the result is called ``count`` or ``proportion``.

        Parameters
        ----------
        sort : bool, default True
            Put the commonest first.
        normalize : bool, default False
            Return parts of all values, as float64, not numbers of them.
        ascending : bool, default False
            Put the rarest first.
        dropna : bool, default True
            Leave out missing values; otherwise NaN are counted as well.

        Notes
        -----
        Equally common values, and without `sort` all values, are in order of first occurrence; labels of a Categorical
        are in order of its categories.  Categories without a value have the count 0, as in pandas.  The function
        ``ak.value_counts`` leaves them out.

        Examples
        --------
        >>> ak.Series([2, 0, 2]).value_counts().to_pandas().to_dict()
        {2: 2, 0: 1}
        """
        from akdask.frames import distinct

        return distinct.count_values(self, sort, normalize=normalize, ascending=ascending, dropna=dropna)

    def groupby(
        self, by: Any = None, level: Any = None, dropna: bool = True, *, sort: bool = True, observed: bool = True
    ) -> SeriesGroupBy:
        """Return the values in groups, to be reduced or transformed: ``series.groupby(level=0).sum()``; lazy.

        Parameters
        ----------
        by : array, Series or Index, or list of them
            Keys on the same rows.
        level : int, str, or list of them
            Or the levels of the labels.
        dropna : bool, default True
            Leave out rows whose keys are missing.
        sort : bool, default True
            Have groups in order of their keys; otherwise in the order of their first rows.
        observed : bool, default True
            Leave out categories that no row has, where keys are Categoricals; see `DataFrame.groupby`.

        Returns
        -------
        SeriesGroupBy

        Raises
        ------
        ArgumentError
            If both are given, or none, or there is no such level.
        ArgumentTypeError
            If `by` is no array.

        Examples
        --------
        >>> ak.Series([1, 2, 4], index=["a", "b", "a"]).groupby(level=0).sum().to_pandas().to_dict()
        {'a': 5, 'b': 2}
        """
        from akdask.frames import series_groupby

        return series_groupby.groups_of(self, by, level, dropna, sort, observed)

    # windows

    # order

    def sort_values(self, ascending: bool = True, *, na_position: str = "last", ignore_index: bool = False) -> Series:
        """Return the entries in the order of their values; lazy.  Equal values keep their order.

        Parameters
        ----------
        ascending : bool, default True
            The direction.
        na_position : {"last", "first"}
            Where missing values come.
        ignore_index : bool, default False
            Number the entries from 0.

        Raises
        ------
        ArgumentError
            If `na_position` is something else.

        Examples
        --------
        >>> ak.Series(["b", None, "a"]).sort_values(na_position="first").tolist()
        [None, 'a', 'b']
        """
        from akdask.frames import sorting

        return sorting.sort_series(self, ascending, na_position=na_position, ignore_index=ignore_index)

    def sort_index(self, ascending: bool = True, *, na_position: str = "last") -> Series:
        """Return the entries in the order of their labels; lazy.

        Examples
        --------
        >>> ak.Series([3, 1], index=ak.array(["b", "a"])).sort_index().tolist()
        [1, 3]
        """
        from akdask.frames import sorting

        return sorting.sort_series_index(self, ascending, na_position=na_position)

    def nlargest(self, n: int = 5, keep: str = "first") -> Series:
        """Return the entries with the `n` largest values, the largest first; lazy.

        Parameters
        ----------
        n : int, default 5
            How many.
        keep : {"first", "last"}
            Which of equal values to take where not all fit.

        Raises
        ------
        ArgumentTypeError
            If the values are neither numbers nor times.

        Examples
        --------
        >>> ak.Series([3, 9, 5]).nlargest(2).to_pandas().to_dict()
        {1: 9, 2: 5}
        """
        from akdask.frames import sorting

        return sorting.extreme_entries(self, "nlargest", n, keep, largest=True)

    def nsmallest(self, n: int = 5, keep: str = "first") -> Series:
        """Return the entries with the `n` smallest values, the smallest first; lazy.  See `nlargest`.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.nsmallest(2).tolist()
        [1, 2]
        """
        from akdask.frames import sorting

        return sorting.extreme_entries(self, "nsmallest", n, keep, largest=False)

    def topn(self, n: int = 10) -> Series:
        """Return the `n` entries of the largest values, the largest first; lazy.

        Examples
        --------
        >>> ak.Series([3, 9, 5]).topn(2).to_pandas().to_dict()
        {1: 9, 2: 5}
        """
        from akdask.arrays.sorting import argmaxk

        return self._rows(argmaxk(self.values, n)[::-1])

    # time

    def resample(
        self,
        rule: Any,
        closed: str | None = None,
        label: str | None = None,
        on: None = None,
        level: Any = None,
        origin: Any = "start_day",
        offset: Any = None,
        group_keys: bool = False,
    ) -> Resampler[Series]:
        """Return the values grouped by bins of the times that label them: ``s.resample("ME").mean()``; computes.

        See `DataFrame.resample`; a Series has no columns for `on`.

        Examples
        --------
        >>> ak.Series([1, 2, 4], index=ak.Datetime(ak.array([0, 30, 150]), unit="m")).resample("h").sum().tolist()
        [3, 0, 4]
        """
        from akdask.frames import resampling

        return resampling.resample_series(self, rule, closed, label, on, level, origin, offset, group_keys)

    # shape

    def unstack(self, level: Any = -1, fill_value: Any = None) -> DataFrame:
        """Return a DataFrame with the labels of one level as columns and of the other levels as labels; computes.

        Parameters
        ----------
        level : int or str, default -1
            The level that becomes columns, named by the text of its labels.
        fill_value : scalar, optional
            Value of cells without an entry; missing unless given.

        Returns
        -------
        DataFrame
            Of several levels that remain, labels are columns.

        Raises
        ------
        ArgumentError
            If the labels have one level, or there is no such level, or entries have the same labels.

        Examples
        --------
        >>> labels = ak.MultiIndex([ak.array([1, 1, 2]), ak.array(["a", "b", "a"])])
        >>> ak.Series([5, 6, 7], index=labels).unstack(fill_value=0).to_pandas()
           a  b
        1  5  6
        2  7  0
        """
        from akdask.frames import reshaping

        return reshaping.unstack_series(self, level, fill_value)

    def to_frame(self, name: str | None = None) -> DataFrame:
        """Return the values as the only column of a DataFrame with these labels; lazy.

        Parameters
        ----------
        name : str, optional
            Name of the column: that of the Series, or ``0``, unless given.

        Notes
        -----
        Labels of several levels are columns as well, as rows of a DataFrame have labels of one level.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.to_frame("x").columns.tolist()
        ['x']
        """
        called = name if name is not None else "0" if self.name is None else str(self.name)
        if self._level_names:
            found: DataFrame = self.reset_index(name=called)
            return found
        return DataFrame({called: self.values}, self.index)

    def to_dataframe(self, index_labels: Sequence[str] | None = None, value_label: str | None = None) -> DataFrame:
        """Return labels and values as columns of a DataFrame; lazy.

        Parameters
        ----------
        index_labels : list of str, optional
            Names of the columns of labels: their own, or ``idx``, unless given.
        value_label : str, optional
            Name of the column of values: ``val_0`` unless given.

        Examples
        --------
        >>> ak.Series([5, 6], index=["a", "b"]).to_dataframe(["letter"], "number").to_pandas()
          letter  number
        0      a       5
        1      b       6
        """
        found: DataFrame = self.concat([self], 1, index_labels, None if value_label is None else [value_label])
        return found

    # export

    def to_pandas(self, *, nullable: bool = False) -> pd.Series:
        """Return the values and labels as a pandas Series; computes.

        Parameters
        ----------
        nullable : bool, default False
            Give pandas' nullable types, in which integers stay exact where some are missing; see `DataFrame.to_pandas`.

        Raises
        ------
        TransferError
            If they would take more than the setting ``max_transfer_bytes`` allows: half of the memory unless set.

        Examples
        --------
        >>> ak.Series([3, 1], name="x").to_pandas()
        0    3
        1    1
        Name: x, dtype: int64
        """
        from akdask.frames import conversion

        return conversion.series_to_pandas(self, nullable=nullable)

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the values as a NumPy array; computes.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.to_ndarray()
        array([3, 1, 2])
        """
        return np.asarray(self.values.to_ndarray())

    def __narwhals_series__(self) -> Any:
        """Hand the values to libraries that read columns by narwhals; see `pdarray.to_arrow`.  Computes."""
        return self.values.__narwhals_series__()

    def tolist(self) -> list[Any]:
        """Return the values as a list; computes.

        Examples
        --------
        >>> s = ak.Series([3, 1, 2])
        >>> s.tolist()
        [3, 1, 2]
        """
        return list(self.values.tolist() if self._lacking is None else self.to_pandas().tolist())

    def to_dict(self) -> dict[Any, Any]:
        """Return the values by their labels; computes.

        Examples
        --------
        >>> ak.Series([3, 1], index=ak.array(["a", "b"])).to_dict()
        {'a': 3, 'b': 1}
        """
        return self.to_pandas().to_dict()

    # display

    def __repr__(self) -> str:
        from akdask.frames import display

        return display.series_text(self)

    def _repr_html_(self) -> str:
        from akdask.frames import display

        return display.series_html(self)

    def _title(self) -> str:
        from akdask.arrays.display import counted

        return f"Series: {self.values._type_name()}, {counted(self.rows, 'value')}"

    # accessors: last, since `str` names the type above them

    @property
    def dt(self) -> DatetimeAccessor:
        """Fields and methods of times and spans: ``s.dt.year``.

        Examples
        --------
        >>> ak.Series(ak.Datetime(["2024-02-29", "2023-12-31"])).dt.year.tolist()
        [2024, 2023]
        """
        from akdask.frames.series_accessors import DatetimeAccessor

        return DatetimeAccessor(self)

    @property
    def cat(self) -> CategoricalAccessor:
        """Codes, categories and methods of Categoricals: ``s.cat.codes``.

        Examples
        --------
        >>> ak.Series(ak.Categorical(ak.array(["b", "a", "b"]))).cat.categories.tolist()
        ['a', 'b']
        """
        from akdask.frames.series_accessors import CategoricalAccessor

        return CategoricalAccessor(self)

    @property
    def str(self) -> StringAccessor:
        """Methods of text: ``s.str.contains("a")``.

        Examples
        --------
        >>> ak.Series(ak.array(["ab", "c"])).str.upper().tolist()
        ['AB', 'C']
        """
        from akdask.frames.series_accessors import StringAccessor

        return StringAccessor(self)

    if not TYPE_CHECKING:  # by this method, every misspelt name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            if name in ("dt", "cat", "str"):
                # It was refused for these values, and says why again.
                return getattr(type(self), name).fget(self)
            from akdask.arrays.missing_attributes import missing_attribute

            raise missing_attribute(type(self), name)


def column_series(frame: DataFrame, name: str) -> Series:
    """Return a column of a DataFrame with the labels of its rows; assignments to its elements change both."""
    series = Series.__new__(Series)
    columns = frame._columns
    series.name, series._level_names = name, ()
    series._labelled = DataFrame._of(columns.only([name]).renamed({name: VALUES}))
    array = frame._column(name)
    series._labelled._content.handed[VALUES] = array, array._frame, array._value
    return series


def series_of(columns: ColumnSet, values: Array, name: Any = None) -> Series:
    """Return an array with the labels that rows of a DataFrame have."""
    labels = None if columns.index is None else Index(columns.index_array(), columns.index_name)
    return Series(values, name, labels)


def by_column(values: Sequence[Any], names: Iterable[str], dtype: Any = None, name: Any = None) -> Series:
    """Return one value for each column of a DataFrame, labelled by the names of the columns."""
    is_bool = [isinstance(value, bool | np.bool_) for value in values]
    if any(is_bool) and not all(is_bool):
        # Beside numbers, True counts as 1.
        values = [int(value) if flag else value for value, flag in zip(values, is_bool, strict=True)]
    names = list(names)
    found = np.asarray(values, dtype) if dtype is not None or not values else pd.Series(list(values)).to_numpy()
    if found.dtype.kind == "f":
        _check_floats(values, names)
    return Series(found, name, Index(np.array(names, np.str_)))


def _check_floats(values: Sequence[Any], names: Sequence[str]) -> None:
    """Refuse integers of columns that would become others beside the floats of other columns."""
    for name, value in zip(names, values, strict=True):
        number = first_changed(value)
        if number is not None:
            raise ConversionError(
                f"the integer {number} of column {name!r} would become {int(float(number))} beside the floats of other "
                "columns.",
                hint="reduce the columns of integers by themselves, df[['a', 'b']], or each column, df['a'].",
            )
