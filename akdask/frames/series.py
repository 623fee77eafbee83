"""`Series`: an array with labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array, of_rows
from akdask.arrays.base import Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.concatenation import concatenate
from akdask.arrays.creation import array
from akdask.arrays.strings import Strings
from akdask.arrays.substitutes import missing_attribute
from akdask.arrays.wrap import special
from akdask.columns.dtypes import NULLABLE_STR
from akdask.columns.exact import first_changed
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError, ConversionError, refuses_foreign
from akdask.frames.alignment import RowLabels, as_labelled, on_rows_of, put_on_rows_of
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.expanding import ExpandingMethods
from akdask.frames.index import Index
from akdask.frames.series_accessors import (
    CachedAccessor,
    CategoricalAccessor,
    DatetimeAccessor,
    Properties,
    StringAccessor,
)
from akdask.frames.series_analysis import SeriesAnalysis, SeriesMissing, SeriesOrder, SeriesReductions
from akdask.frames.series_base import VALUES, SeriesBase
from akdask.frames.series_conversion import SeriesConversion
from akdask.frames.series_functions import SeriesFunctions, text_applied
from akdask.frames.series_indexers import (
    ILocIndexer,
    LocIndexer,
    checked_value,
    is_supported_scalar,
    label_key,
    located,
)
from akdask.frames.windows import WindowMethods


class Series(
    SeriesReductions,
    SeriesOrder,
    SeriesMissing,
    SeriesConversion,
    SeriesAnalysis,
    SeriesFunctions,
    WindowMethods,
    ExpandingMethods,
):
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
    >>> import akdask as ak
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

    @refuses_foreign()
    def __init__(self, data: Any, name: Any = None, index: Any = None) -> None:
        labels = None if index is None else Index.factory(index)
        if isinstance(data, tuple | list) and len(data) == 2 and _is_labelled_pair(data):
            labels = Index.factory(data[0]) if labels is None else labels
            data = data[1]
        elif isinstance(data, tuple):
            raise ArgumentTypeError("a tuple that makes a Series is a pair of labels and values.", hint="pass a list.")
        if isinstance(data, Mapping):
            labels = Index(list(data)) if labels is None else labels
            data = list(data.values())
        elif isinstance(data, SeriesBase):
            labels = data._given_labels() if labels is None else labels
        elif is_pandas(data, "Series"):
            labels = Index.factory(data.index) if labels is None and not _is_numbered(data.index) else labels
        if name is None and (isinstance(data, Labelled) or is_pandas(data, "Series")):
            name = getattr(data, "name", None)
        self._set(as_values(data), labels, name)

    if not TYPE_CHECKING:  # by this method, every misspelt name would be one for type checkers

        def __getattr__(self, name: str) -> Any:
            accessor = getattr(type(self), name, None)
            if isinstance(accessor, type) and issubclass(accessor, Properties):
                # It was refused for these values, and says why again.
                accessor(self)
            raise missing_attribute(type(self), name)

    # entries

    str = CachedAccessor("str", StringAccessor)
    dt = CachedAccessor("dt", DatetimeAccessor)
    cat = CachedAccessor("cat", CategoricalAccessor)

    @property
    def plot(self) -> Any:
        """Pictures of the values, as in pandas: ``s.plot.line()``, ``s.plot(kind="hist")``; see `Plots`."""
        from akdask.plotting.accessor import Plots

        return Plots(self)

    @property
    def loc(self) -> LocIndexer:
        """Entries by label."""
        return LocIndexer(self)

    @property
    def at(self) -> LocIndexer:
        """Entries by label."""
        return LocIndexer(self)

    @property
    def iloc(self) -> ILocIndexer[Self]:
        """Entries by position."""
        return ILocIndexer("iloc", self)

    @property
    def iat(self) -> ILocIndexer[Self]:
        """Entries by position."""
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
        """
        return label_key(self, key)

    def validate_val(self, val: Any) -> Any:
        """Return a value that may be assigned, lists as arrays.

        Raises
        ------
        ArgumentTypeError
            If it is of another type than the values, or they are text.
        """
        return checked_value(self.values, val)

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
        if isinstance(key, slice):
            return self._moved(self._labelled._rows(key))
        if self._level_names and not isinstance(key, Array):
            return located(self, key)
        key = self.validate_key(key)
        if isinstance(key, Array) and key._value.dtype.kind != "bool":
            from akdask.frames.lookups import indexof1d

            found = self._moved(self._labelled._rows(indexof1d(key, self.index.values)))
            return found.values[0] if self._rules.unwraps_one_entry and len(found) == 1 else found
        if not is_supported_scalar(key):
            return self._moved(self._labelled._rows(key))
        found = self._moved(self._labelled._rows(self.index.values == key))
        return found.values[0] if len(found) == 1 else found

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
        key, val = self.validate_key(key), as_labelled(val)
        if isinstance(val, SeriesBase) and isinstance(key, Array) and key.dtype == np.bool_:
            self.values = put_on_rows_of(self._row_labels, self.values, key, val)
            return None
        val = self.validate_val(val)
        if is_supported_scalar(key):
            return self._set_label(key, val)
        if key.dtype == np.bool_:
            self.values[key] = val
            return None
        if key.size > 1 and self.has_repeat_labels():
            raise ArgumentError("several labels are assigned to, and some come twice.", hint="use a mask, or iloc.")
        from akdask.frames.lookups import indexof1d

        self.values[indexof1d(key, self.index.values)] = val
        return None

    def _set_label(self, key: Any, val: Any) -> None:
        is_there = self.index.values == key
        if bool(is_there.any()):
            self.values[is_there] = val[0] if isinstance(val, Array) and val.size == 1 else val
            return
        if isinstance(val, Array):
            raise ArgumentError(f"no entry has the label {key!r}, and one entry takes one value.")
        labels = concatenate([self.index.values, array([key])])
        values = concatenate([self.values, array([val])])
        self._set(values, Index(labels, self.index.name), self.name)

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the values; computes them all."""
        return iter(self.values)

    def __contains__(self, label: object) -> bool:
        """Whether an entry has a label; computes."""
        return bool(self.index.lookup(label).any())

    def has_repeat_labels(self) -> bool:
        """Whether a label comes twice; computes."""
        return not self.index.is_unique

    def locate(self, key: Any) -> Self:
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
        >>> import akdask as ak
        >>> ak.Series([1, 2, 3], index=[7, 8, 9]).locate([9, 7]).to_pandas().to_dict()
        {7: 1, 9: 3}
        """
        if isinstance(key, SeriesBase):
            from akdask.frames.lookups import lookup

            return self._of(lookup(self.index.values, self.values, key.values), key.index)
        if isinstance(key, list | tuple) and len(key) and isinstance(key[0], list | tuple):
            key = [array(list(level)) for level in zip(*key, strict=True)]
        is_sought = self.index.lookup(unlabelled(key))
        return self._moved(self._labelled._rows(is_sought))

    def map(self, arg: Any, na_action: Any = None) -> Self:
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
        >>> import akdask as ak
        >>> ak.Series([2, 3, 2]).map({2: 30.0, 3: 5.0}).tolist()
        [30.0, 5.0, 30.0]
        """
        if isinstance(arg, SeriesBase):
            return self._with(on_rows_of(RowLabels(self.values._frame, (self.values,)), arg))
        if callable(arg):
            if na_action is not None and self.values._value.dtype == NULLABLE_STR:
                return self._with(text_applied(self.values, arg, lambda missing: missing))
            found: Self = self.apply(arg)
            is_text = isinstance(found.values, Strings)
            return found if na_action is None or is_text else found.where(self.notna(), np.nan)
        news: Any = arg
        from akdask.frames import lookups

        return self._with(lookups.map(self.values, news, None))


def column_series(frame: DataFrame, name: str) -> Series:
    """Return a column of a DataFrame with the labels of its rows; assignments to its elements change both."""
    series = Series.__new__(Series)
    columns = frame._columns
    series.name, series._level_names = name, ()
    series._labelled = DataFrame._of(columns.only([name]).renamed({name: VALUES}))
    series._labelled._content.handed[VALUES] = frame._column(name), columns.array(name)
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


def as_values(data: Any) -> Any:
    """Convert the values of a Series to an array."""
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
    return is_labels and isinstance(values, Array | SeriesBase)


def _is_numbered(index: pd.Index) -> bool:
    """Whether pandas' labels are the numbers of the rows."""
    return isinstance(index, pd.RangeIndex) and index.identical(pd.RangeIndex(len(index)))
