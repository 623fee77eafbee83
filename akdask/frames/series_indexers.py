"""Indexers of a Series: `loc` and `at` by labels, `iloc` and `iat` by positions."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.creation import arange, array
from akdask.arrays.pdarray import pdarray
from akdask.arrays.strings import Strings
from akdask.errors import ArgumentError, ArgumentTypeError, LabelTypeError, MissingLabelError, PositionError
from akdask.frames.alignment import as_labelled, mask_on_rows_of, put_on_rows_of
from akdask.frames.construction import is_scalar
from akdask.frames.index import MultiIndex
from akdask.frames.new_rows import with_row, with_row_of_levels
from akdask.frames.rows_by_label import Chosen, as_mask, called_with, check_labels, check_mask, is_many, rows_by_label
from akdask.frames.series_base import VALUES, SeriesBase, level_column

SCALARS = (int, float, bool, str, np.integer, np.floating, np.bool_, np.str_)
"""Types of single labels and values."""

Owner = TypeVar("Owner", bound=SeriesBase)


def is_supported_scalar(x: Any) -> bool:
    """Whether an object may be a single label or value of a Series.

    Examples
    --------
    >>> is_supported_scalar("a"), is_supported_scalar(None)
    (True, False)
    """
    return isinstance(x, SCALARS)


def checked_value(values: Any, val: Any) -> Any:
    """Convert a value for assignment to a Series to a scalar or an array.

    Raises
    ------
    ArgumentTypeError
        If it is of another type than the values, or they are text, which is not assigned to.
    """
    val = array(val) if isinstance(val, list | np.ndarray) else unlabelled(val)
    if isinstance(val, Strings | str) or isinstance(values, Strings):
        raise ArgumentTypeError(
            "text of a Series is not assigned to.", hint="make it anew: ak.where(mask, new, s.values)."
        )
    if not isinstance(val, pdarray) and not is_supported_scalar(val):
        raise ArgumentTypeError(
            f"a Series cannot take {type(val).__name__} as a value.", hint="give a number or array."
        )
    given = val.dtype if isinstance(val, pdarray) else np.asarray(val).dtype
    if given != values.dtype and not (is_supported_scalar(val) and np.can_cast(given, values.dtype, "same_kind")):
        raise ArgumentTypeError(
            f"values of {given} do not go into a Series of {values.dtype}.", hint="convert them first."
        )
    return val


class LocIndexer:
    """Entries of a Series by label: ``s.loc[key]``.

    Parameters
    ----------
    series : Series
        Whose entries.
    """

    def __init__(self, series: Any) -> None:
        self.series = series

    def __getitem__(self, key: Any) -> Any:
        """Return the entries of labels, of a mask, or between two labels; computes whether labels exist.

        Parameters
        ----------
        key : label, list of labels, mask or slice of labels; of several levels a tuple of labels, or a list of them
            Entries follow the order of a list, and a repeated label repeats its entries.  A slice includes both ends.
            If labels are times, text such as ``"2024-02"`` selects all entries within that period.

        Returns
        -------
        scalar, or Series
            A value for one label, or a list of one, that one entry has.

        Raises
        ------
        MissingLabelError
            If no entry has one of the labels.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1, 2, 3], index=[10, 20, 30]).loc[[30, 10]].tolist()
        [3, 1]
        """
        return located(self.series, key)

    def __setitem__(self, key: Any, val: Any) -> None:
        """Assign to the entries of labels, or where a mask holds; a label that is not there adds an entry."""
        series, is_one = self.series, not is_many(key) and not isinstance(key, slice)
        try:
            chosen = chosen_entries(series, key)
        except (LabelTypeError, MissingLabelError):
            if not is_one:
                raise
            self._add(key, val)
            return
        if chosen.is_one and not bool(chosen.rows.any()):
            self._add(key, val)
            return
        rows = chosen.rows if chosen.step is None else arange(series.size)[chosen.rows][:: chosen.step]
        val = as_labelled(val)
        if not isinstance(val, SeriesBase):
            series.values[rows] = series.validate_val(val)
        elif isinstance(rows, Array) and rows._value.dtype.kind == "bool":
            series.values = put_on_rows_of(series._row_labels, series.values, rows, val)
        else:
            series.values[rows] = series._on_rows(val)[rows]

    def _add(self, key: Any, val: Any) -> None:
        """Put an entry below the others."""
        series = self.series
        if not is_scalar(val):
            raise ArgumentError(f"no entry has the label {key!r}, and one entry takes one value.")
        columns = series._labelled._columns
        if not series._level_names:
            series._labelled._become(with_row(columns, key, {VALUES: val}))
            return
        if not isinstance(key, tuple) or len(key) != series.index.nlevels:
            raise MissingLabelError(f"no entry has the label {key!r}.", hint="a new entry has a label of each level.")
        levels = {level_column(number): label for number, label in enumerate(key)}
        series._labelled._become(with_row_of_levels(columns, {VALUES: val, **levels}))


def chosen_entries(series: SeriesBase, key: Any) -> Chosen:
    """Return which entries of a Series a key of labels chooses; see `rows_by_label`."""
    key = mask_on_rows_of(series._row_labels, called_with(key, series))
    return rows_by_label(series.index, key, numbered=series._given_labels() is None)


def located(series: Any, key: Any) -> Any:
    """Return the entries of a Series that a key of labels chooses, a value where it is one label of one entry."""
    if isinstance(key, slice) and key == slice(None):
        return series
    chosen = chosen_entries(series, key)
    rows = series._labelled._rows(chosen.rows)
    found = series._moved(rows if chosen.step is None else rows._rows(slice(None, None, chosen.step)))
    if chosen.levels is not None:
        left = [found.index.get_level_values(level) for level in chosen.levels]
        return series._of(found.values, left[0] if len(left) == 1 else MultiIndex(left), series.name)
    is_list = isinstance(chosen.rows, Array) and chosen.rows._value.dtype.kind != "bool"
    if not chosen.is_one and not (is_list and series._rules.unwraps_one_entry):
        return found
    count = len(found)
    if not count and chosen.is_one:
        raise MissingLabelError(f"no entry has the label {key!r}.", hint="see s.index.")
    return found.values[0] if count == 1 else found


class ILocIndexer(Generic[Owner]):
    """Entries of a Series by position: ``s.iloc[key]``.

    Parameters
    ----------
    method_name : {"iloc", "iat"}
        Its public name.
    series : Series
        Whose entries.
    """

    def __init__(self, method_name: str, series: Owner) -> None:
        self.name = method_name
        self.series = series

    def validate_key(self, key: Any) -> Any:
        """Return a key as an int or an array of positions or bools.

        Parameters
        ----------
        key : int, slice, list, or array of int or bool
            Which entries.

        Raises
        ------
        ArgumentTypeError
            If it is of another kind.
        ArgumentError
            If it is an array without elements.
        PositionError
            If there are no such positions.
        """
        key = array(key) if isinstance(key, list | np.ndarray) else unlabelled(key)
        if isinstance(key, slice):
            return _positions(key, self.series.size)
        if isinstance(key, int | np.integer) and not isinstance(key, bool):
            if not -self.series.size <= key < self.series.size:
                raise PositionError(f"{self.name}[{key}]: the Series has {self.series.size} entries.")
            return int(key)
        if isinstance(key, pdarray) and key.size == 0:
            raise ArgumentError(f"{self.name} needs at least one position.")
        if not isinstance(key, pdarray) or key.dtype not in (np.int64, np.bool_):
            raise ArgumentTypeError(f"{self.name} takes positions or a mask, not {_described(key)}.")
        if key.dtype == np.bool_:
            if key.size != self.series.size:
                raise PositionError(f"a mask of {key.size} elements does not fit {self.series.size} entries.")
        elif int(key.max()) >= self.series.size:
            raise PositionError(f"{self.name}[{key.max()}]: the Series has {self.series.size} entries.")
        return key

    def validate_val(self, val: Any) -> Any:
        """Return a value that may be assigned; see `Series.validate_val`."""
        return checked_value(self.series.values, val)

    def __getitem__(self, key: Any) -> Owner:
        """Return the entries at positions as a Series, of one entry for one position, as in Arkouda; lazy.

        Positions are checked, which counts rows of unknown number, and computes the largest of an array.
        """
        key = self.validate_key(key)
        rows = self.series._labelled
        return self.series._moved(rows._rows(slice(key, key + 1 or None) if isinstance(key, int) else key))

    def __setitem__(self, key: Any, val: Any) -> None:
        """Assign to the entries at positions; lazy but for the checks of the key.

        Raises
        ------
        ArgumentTypeError
            If the value is of another type than the values of the Series.
        ArgumentError
            If there are not as many values as positions.
        """
        self.series.values[self.validate_key(key)] = self.validate_val(val)


def _described(key: Any) -> str:
    return f"an array of {key.dtype}" if isinstance(key, pdarray) else type(key).__name__


def _positions(key: slice, size: int) -> slice:
    """Return a slice with plain bounds, refused where Arkouda refuses it."""
    if key.step is not None and key.step < 0 and key.start is None and key.stop is None:
        return key
    start = 0 if key.start is None else key.start
    stop = size if key.stop is None else key.stop
    if start < 0 or stop > size or start > stop:
        raise PositionError(
            f"positions {start} to {stop} are not all among the {size} entries, or not in order.",
            hint="slices count from the start, as in Arkouda.",
        )
    return slice(start, stop, key.step)


def label_key(series: SeriesBase, key: Any) -> Any:
    """Return a key of a Series checked: a scalar label, or an array of labels or bools.

    Raises
    ------
    ArgumentTypeError
        If it is none, or of another type than the labels.
    MissingLabelError
        If an array has labels that the Series lacks.
    PositionError
        If a mask has not the size of the Series.
    """
    key = mask_on_rows_of(series._row_labels, key)
    key = array(key) if isinstance(key, list | np.ndarray) else unlabelled(key)
    if isinstance(key, slice):
        return arange(series.size)[_positions(key, series.size)]
    labels = series.index
    mask = as_mask(key)
    if mask is not None:
        check_mask(mask, labels)
        return mask
    if is_supported_scalar(key):
        kind = np.asarray(key).dtype.kind
        if labels.nlevels > 1 or {"U": "str"}.get(kind, kind) != _kind(labels):
            raise ArgumentTypeError(f"labels are of {labels.dtype}, and {key!r} is none.", hint="iloc takes positions.")
        return key
    if not isinstance(key, Array):
        raise ArgumentTypeError(
            f"entries of a Series are chosen by a label, labels or a mask, not by {type(key).__name__}.",
            hint="for labels of several levels: s.loc[(1, 'a')].",
        )
    if labels.nlevels > 1 or key.dtype != labels.dtype:
        raise LabelTypeError(f"labels are of {labels.dtype}, and the key is of {key.dtype}.")
    check_labels(labels.values, key)
    return key


def _kind(labels: Any) -> str:
    """Return the kind of labels as NumPy has it, ``str`` for text."""
    values = labels.values
    if labels.nlevels > 1:
        return "O"
    return "str" if isinstance(values, Strings) or values._type_name() == "Categorical" else str(values.dtype.kind)
