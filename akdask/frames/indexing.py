"""Rows and cells by labels (`loc`, `at`) and by positions (`iloc`, `iat`), read and assigned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np

from akdask.arrays.array import Array, Labelled, unlabelled
from akdask.arrays.categorical import Categorical
from akdask.arrays.categories import labels_in_order
from akdask.arrays.creation import arange, array, full
from akdask.arrays.datetimes import Datetime
from akdask.arrays.elementwise import where
from akdask.arrays.pdarray import pdarray
from akdask.arrays.rules import ARKOUDA
from akdask.arrays.shapes import chained
from akdask.arrays.strings import Strings
from akdask.arrays.timearray import TimeArray
from akdask.deferred import is_pandas, pd
from akdask.engine.alignment import align_by_plan
from akdask.engine.sources import counted
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelTypeError,
    MissingLabelError,
    PositionError,
    errors_end_at_caller,
)
from akdask.frames.alignment import as_labelled, mask_on_rows_of, missing_like, on_rows_of, put_on_rows_of
from akdask.frames.columnset import VALUES, ColumnSet, level_column, names_of
from akdask.frames.conversion import arrays_of, is_scalar
from akdask.frames.dtypes import missing_rows
from akdask.frames.elementwise import is_nothing
from akdask.frames.index import Index, MultiIndex
from akdask.frames.row_labelled import RowLabelled
from akdask.frames.rows import (
    Chosen,
    Row,
    as_mask,
    called_with,
    check_labels,
    check_mask,
    is_many,
    kind_of,
    label_in,
    rows_by_label,
)
from akdask.frames.series import Series

SCALARS = (int, float, bool, str, np.integer, np.floating, np.bool_, np.str_)
"""Types of single labels and values."""


Owner = TypeVar("Owner", bound=Series)


@errors_end_at_caller
class FrameLocIndexer:
    """Rows and columns of a DataFrame by label.

    Parameters
    ----------
    frame : DataFrame
        Whose.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        """Return rows of labels, of a mask, or between two labels, and some of the columns.

        Parameters
        ----------
        key : label, list of labels, mask or slice of labels, or pair of that and of a name, names or slice of names
            A label of a single row gives a `Row`; other results are lazy.  Rows follow the order of a list, and a
            repeated label repeats its rows.  A slice includes both ends.  If labels are times, text such as
            ``"2024-02"`` selects all rows within that period.

        Raises
        ------
        MissingLabelError, MissingColumnError
            If there is no row or column of a name; looking up labels computes.

        Examples
        --------
        >>> df = ak.DataFrame({"x": [1, 2, 3]}, index=[10, 20, 30])
        >>> df.loc[[30, 10]].to_pandas()
            x
        30  3
        10  1
        """
        rows, names = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        frame = self._frame._of(self._frame._columns.only(_names(self._frame, names)))
        chosen = self._rows(frame, rows)
        if isinstance(names, str):
            from akdask.frames.series import column_series

            return chosen[names] if isinstance(chosen, Row) else column_series(chosen, names)
        return chosen

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to cells: ``df.loc[mask, "x"] = 0``; one label that no row has adds a row, missing elsewhere.

        Parameters
        ----------
        key : label, list of labels, mask or slice of labels, or pair of that and of a name, names or slice of names
            Without columns, the key selects all columns.
        value : scalar, sequence, array, mapping, Series or DataFrame
            A value for all cells.  For several columns a sequence has one value for each, a mapping one for each of its
            keys.  A Series is aligned by names of columns if the key has no columns or one row, otherwise by labels.

        Raises
        ------
        ArgumentError
            If there are not as many items as columns, or as rows.
        MissingLabelError
            If no row has one of several labels.
        LabelTypeError, SchemaError
            If values of a new row are of other kinds than the columns.
        """
        is_pair = isinstance(key, tuple) and len(key) == 2
        rows, names = key if is_pair else (key, slice(None))
        at = self._assigned(rows)
        wanted = [names] if isinstance(names, str) else _names(self._frame, names)
        is_row = at is None or self._is_one(rows)
        items = _items(value, wanted, by_name=is_row or not is_pair)
        value = as_labelled(value) if items is None else value
        if at is None:
            self._add_row(rows, dict.fromkeys(wanted, value) if items is None else items)
            return
        # Only at the end, so that an item that does not fit leaves all columns as they were.
        changed = self._frame if len(wanted) == 1 else self._frame.copy()
        indexer = FrameLocIndexer(changed)
        for name in wanted:
            if items is not None:
                indexer._assign(name, at, items[name])
            elif isinstance(value, RowLabelled):
                indexer._put(name, at, value if isinstance(value, Labelled) else _column_of(value, name))
            else:
                indexer._assign(name, at, value)
        if changed is not self._frame:
            self._frame._become(changed._columns)

    def _assign(self, name: str, at: Any, item: Any) -> None:
        """Assign a scalar or an array to some rows of a column."""
        frame = self._frame
        item = unlabelled(item)
        columns = frame._columns
        if name not in frame and is_scalar(item):
            nothing = missing_like(columns.frame, arrays_of({name: [item]})[name])
            frame[name] = where(self._as_mask(at), item, nothing)
            return
        if is_scalar(item) and is_nothing(item):
            own, mask = columns.array(name), self._as_mask(at)
            found, (value, lacks) = align_by_plan("assign", [(own._frame, own._value), (mask._frame, mask._value)])
            frame[name] = missing_rows(own, found, value, lacks)
            return
        if name not in frame:
            frame[name] = _missing_column(item)
        frame[name][at] = item

    def _put(self, name: str, at: Any, series: Any) -> None:
        """Assign a Series to some rows of a column, by labels."""
        frame = self._frame
        if isinstance(at, slice) and at == slice(None):
            frame[name] = series
            return
        if name not in frame:
            frame[name] = missing_like(frame._columns.frame, series.values)
        own = frame._columns.array(name)
        if isinstance(at, Array) and at._value.dtype.kind == "bool":
            frame[name] = put_on_rows_of(frame._row_labels, own, at, series)
        else:
            frame[name][at] = on_rows_of(frame._row_labels, series)[at]

    def _as_mask(self, at: Any) -> Any:
        """Return which rows are chosen, as a lazy bool array."""
        if isinstance(at, Array) and at._value.dtype.kind == "bool":
            return at
        mask: Any = full(len(self._frame), False, dtype="bool")
        mask[at] = True
        return mask

    def _add_row(self, label: Any, items: Mapping[str, Any]) -> None:
        """Put a row below the others, with a column for each name that is not there."""
        frame = self._frame
        columns = frame._columns
        for name in items:
            if name not in columns.values:
                nothing = missing_like(columns.frame, arrays_of({name: [items[name]]})[name])
                columns = columns.having(name, nothing)
        frame._become(with_row(columns, label, items))

    def _is_one(self, rows: Any) -> bool:
        """Whether rows are given by one label."""
        return is_scalar(rows) and not isinstance(rows, Array)

    def _assigned(self, rows: Any) -> Any:
        """Return the selection of rows to assign to, None if a single label has no row."""
        if isinstance(rows, slice) and rows == slice(None):
            return rows
        try:
            chosen = self._chosen(rows)
        except (LabelTypeError, MissingLabelError):
            if self._is_one(rows):
                return None
            raise
        if chosen.is_one and not bool(chosen.rows.any()):
            return None
        if chosen.step is None:
            return chosen.rows
        return arange(len(self._frame))[chosen.rows][:: chosen.step]

    def _rows(self, frame: Any, rows: Any) -> Any:
        if isinstance(rows, slice) and rows == slice(None):
            return frame
        chosen = self._chosen(rows)
        found = frame._rows(chosen.rows)
        if chosen.step is not None:
            return found._rows(slice(None, None, chosen.step))
        if not chosen.is_one:
            return found
        count = len(found)
        if not count:
            raise MissingLabelError(f"no row has the label {rows!r}.")
        return found[0] if count == 1 else found

    def _chosen(self, rows: Any) -> Chosen:
        columns = self._frame._columns
        index = Index(columns.index_array(), columns.index_name)
        rows = mask_on_rows_of(self._frame._row_labels, called_with(rows, self._frame))
        return rows_by_label(index, rows, numbered=columns.index is None)


@errors_end_at_caller
class FrameILocIndexer:
    """Rows and columns of a DataFrame by position.

    Parameters
    ----------
    frame : DataFrame
        Whose.
    """

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def __getitem__(self, key: Any) -> Any:
        """Return rows by position, and some of the columns.

        Parameters
        ----------
        key : int, slice, list or array of positions, or mask; or a pair of that and of positions of columns
            One int gives a `Row`, at once; otherwise results are lazy.

        Raises
        ------
        PositionError
            If there is no such row or column.
        """
        rows, numbers = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        names = _names_at(self._frame, numbers)
        frame = self._frame._of(self._frame._columns.only(names))
        chosen = frame if isinstance(rows, slice) and rows == slice(None) else frame._rows(rows)
        if isinstance(numbers, int | np.integer):
            from akdask.frames.series import column_series

            return chosen[names[0]] if isinstance(chosen, Row) else column_series(chosen, names[0])
        return chosen

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to cells: ``df.iloc[0, 1] = 5``; without columns, to all columns.

        For several columns a sequence has an item for each; a mapping or Series is aligned by their names.

        Raises
        ------
        PositionError
            If there is no such row or column.
        ArgumentError
            If there are not as many items as columns, or as rows.
        """
        is_pair = isinstance(key, tuple) and len(key) == 2
        rows, numbers = key if is_pair else (key, slice(None))
        names = _names_at(self._frame, numbers)
        is_row = isinstance(rows, int | np.integer)
        items = _items(value, names, by_name=(is_row or not is_pair) and not isinstance(numbers, int | np.integer))
        at = slice(rows, rows + 1 or None) if is_row else rows
        changed = self._frame if len(names) == 1 else self._frame.copy()
        for name in names:
            FrameLocIndexer(changed)._assign(name, at, value if items is None else items[name])
        if changed is not self._frame:
            self._frame._become(changed._columns)


@errors_end_at_caller
class CellIndexer:
    """Single values of a DataFrame.

    Parameters
    ----------
    frame : DataFrame
        Whose.
    by_position : bool
        Whether rows and columns are given by positions, or by label and name.
    """

    def __init__(self, frame: Any, *, by_position: bool) -> None:
        self._frame = frame
        self._by_position = by_position

    def __getitem__(self, key: Any) -> Any:
        """Return the value of a row and a column; computes.

        Raises
        ------
        ArgumentTypeError
            If the key is no pair of a row and a column.
        MissingLabelError, MissingColumnError, PositionError
            If there is none.
        """
        if not isinstance(key, tuple) or len(key) != 2:
            raise ArgumentTypeError("a cell has a row and a column: df.at[0, 'x'] or df.iat[0, 1].")
        indexer = self._frame.iloc if self._by_position else self._frame.loc
        return indexer[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to the value of a row and a column; by label, one that no row has adds a row."""
        row, column = key
        indexer = self._frame.iloc if self._by_position else self._frame.loc
        indexer[row, column] = value


def _names(frame: Any, names: Any) -> list[str]:
    """Return the columns that names, or a slice of names, choose."""
    columns = list(frame.columns)
    mask = as_mask(names) if not isinstance(names, slice | str | Array) else None
    if mask is not None:
        if len(mask) != len(columns):
            raise PositionError(f"a mask of {len(mask)} elements does not fit {len(columns)} columns.")
        return [name for name, is_chosen in zip(columns, mask.tolist(), strict=True) if is_chosen]
    if not isinstance(names, slice):
        return names_of(names)
    frame._columns.only([name for name in (names.start, names.stop) if name is not None])
    first = 0 if names.start is None else columns.index(names.start)
    last = len(columns) if names.stop is None else columns.index(names.stop) + 1
    return columns[first : last : names.step]


def _names_at(frame: Any, numbers: Any) -> list[str]:
    """Return the columns at positions."""
    columns = list(frame.columns)
    if isinstance(numbers, slice):
        return columns[numbers]
    wanted: Iterable[Any] = [numbers] if isinstance(numbers, int | np.integer) else numbers
    try:
        return [columns[number] for number in wanted]
    except IndexError:
        raise PositionError(f"the DataFrame has {len(columns)} columns, not one at {numbers}.") from None


def _items(value: Any, names: Sequence[str], *, by_name: bool) -> dict[str, Any] | None:
    """Return the item for each column, None where the value is for all of them.

    Raises
    ------
    ArgumentError
        If there are not as many items as columns.
    """
    if isinstance(value, Mapping) and by_name:
        return {name: value.get(name) for name in names}
    if is_pandas(value, "Series") or isinstance(value, Series):
        if not by_name:
            return None
        labelled: Any = value
        given = labelled if is_pandas(value, "Series") else labelled.to_pandas()
        return {name: given.get(name) for name in names}
    if isinstance(value, list | tuple | np.ndarray) and (by_name or len(names) > 1) and np.ndim(value) == 1:
        if len(value) != len(names):
            raise ArgumentError(f"{len(names)} columns take as many items, not {len(value)}.")
        return dict(zip(names, value, strict=True))
    return None


def _column_of(frame: Any, name: str) -> Any:
    """Return the column of a DataFrame that is assigned to one of that name."""
    if name not in frame:
        raise ArgumentError(f"the DataFrame that is assigned has no column {name!r}.", details=list(frame.columns))
    from akdask.frames.series import column_series

    return column_series(frame, name)


def _missing_column(value: Any) -> Any:
    """Return the missing value for rows of a new column to which an array does not assign."""
    item = unlabelled(value)
    if not isinstance(item, Array) or item._value.dtype.kind not in ("int", "uint", "float"):
        raise ArgumentTypeError(
            "only numbers make a new column by some of its rows, which is NaN elsewhere.",
            hint="make the column first: df['new'] = 'other'.",
        )
    return np.nan


def get_entries(series: Series, key: Any) -> Any:
    if isinstance(key, slice):
        has_bounds = any(isinstance(bound, int | np.integer) for bound in (key.start, key.stop))
        return series._rows(_positions(key, len(series)) if has_bounds and series._rules is ARKOUDA else key)
    if series._level_names and not isinstance(key, Array):
        return located(series, key)
    key = series.validate_key(key)
    if isinstance(key, Array) and key._value.dtype.kind != "bool":
        from akdask.frames.lookups import indexof1d

        found = series._rows(indexof1d(key, series.index.values))
        return found.values[0] if series._rules.unwraps_one_entry and len(found) == 1 else found
    if not is_supported_scalar(key):
        return series._rows(key)
    found = series._rows(series.index.values == key)
    if not len(found):
        raise MissingLabelError(f"no entry has the label {key!r}.", hint="see s.index.")
    return found.values[0] if len(found) == 1 else found


def set_entries(series: Series, key: Any, val: Any) -> None:
    key, val = series.validate_key(key), as_labelled(val)
    if isinstance(val, Series) and isinstance(key, Array) and key.dtype == np.bool_:
        series.values = put_on_rows_of(series._row_labels, series.values, key, val)
        return None
    val = series.validate_val(val)
    if is_supported_scalar(key):
        return _set_label(series, key, val)
    if key.dtype == np.bool_:
        series.values[key] = val
        return None
    if key.size > 1 and series.has_repeat_labels():
        raise ArgumentError("several labels are assigned to, and some come twice.", hint="use a mask, or iloc.")
    from akdask.frames.lookups import indexof1d

    series.values[indexof1d(key, series.index.values)] = val
    return None


def locate(series: Series, key: Any) -> Series:
    if isinstance(key, Series):
        from akdask.frames.lookups import lookup

        return series._of(lookup(series.index.values, series.values, key.values), key.index)
    if isinstance(key, list) and series.index.nlevels > 1 and all(is_supported_scalar(label) for label in key):
        raise ArgumentTypeError(
            "a label of several levels is a tuple, not a list of labels.", hint=f"locate({tuple(key)!r:.100}) seeks it."
        )
    if isinstance(key, list | tuple) and len(key) and isinstance(key[0], list | tuple):
        key = [array(list(level)) for level in zip(*key, strict=True)]
    is_sought = series.index._having(unlabelled(key))
    return series._rows(is_sought)


def _set_label(series: Series, key: Any, val: Any) -> None:
    is_there = series.index.values == key
    if bool(is_there.any()):
        series.values[is_there] = val[0] if isinstance(val, Array) and val.size == 1 else val
        return
    if isinstance(val, Array):
        raise ArgumentError(f"no entry has the label {key!r}, and one entry takes one value.")
    labels = chained([series.index.values, array([key])])
    values = chained([series.values, array([val])])
    series._set(values, Index(labels, series.index.name), series.name)


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
            "text of a Series is not assigned to.", hint="make a new one: ak.where(mask, new, s.values)."
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


@errors_end_at_caller
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
        if not isinstance(val, Series):
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


def chosen_entries(series: Series, key: Any) -> Chosen:
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


@errors_end_at_caller
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


def label_key(series: Series, key: Any) -> Any:
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


def with_row(columns: ColumnSet, label: Any, items: Mapping[str, Any]) -> ColumnSet:
    """Return columns with one row more, which has a label; lazy.

    Parameters
    ----------
    columns : ColumnSet
        The columns.
    label : scalar
        The label, of a kind that labels of the rows have.
    items : mapping of str to scalar
        The items of the row by the names of columns; missing for columns that it lacks.

    Raises
    ------
    LabelTypeError
        If labels are of another kind.
    SchemaError
        If an item is of another kind than its column.
    """
    below = ColumnSet.of(_items_of_row(columns, items), _label_like(columns.index_array(), label), columns.index_name)
    from akdask.frames.join import stacked

    found: ColumnSet = stacked([columns.numbered(), below])
    return found


def with_row_of_levels(columns: ColumnSet, items: Mapping[str, Any]) -> ColumnSet:
    """Return columns, of which some are levels of labels, with one row more; lazy.  See `with_row`."""
    from akdask.frames.join import stacked

    found: ColumnSet = stacked([columns, ColumnSet.of(_items_of_row(columns, items))])
    return found


def _items_of_row(columns: ColumnSet, items: Mapping[str, Any]) -> dict[str, Array]:
    return {name: _one_like(columns.array(name), items.get(name)) for name in columns.values}


def _one_like(array: Array, item: Any) -> Array:
    """Return an item as an array of one element that may stand below another."""
    if is_nothing(item):
        return missing_like(counted(1), array)
    if isinstance(array, Categorical) and item in labels_in_order(array._category_table):
        made = arrays_of({"": [item]})[""]
        return Categorical.of(made._frame, array._category_table.code_of(made._value), array._category_table)
    if isinstance(array, Datetime) and array.tz is not None:
        item = pd.DatetimeIndex([item])
        return arrays_of({"": item.tz_convert(array.tz) if item.tz is not None else item})[""]
    if isinstance(array, TimeArray):
        return arrays_of({"": pd.Index([item])})[""]
    return arrays_of({"": [item]})[""]


def _label_like(own: Array, label: Any) -> Array:
    """Return a label as an array of one element.

    Raises
    ------
    LabelTypeError
        If it is of another kind than labels that there are.
    """
    is_real = isinstance(label, int | float | np.number) and not isinstance(label, bool | np.bool_)
    if kind_of(own) == "number" and is_real and not is_nothing(label):
        return _one_like(own, label)
    fits, found = label_in(own, label)
    if not fits:
        raise LabelTypeError(
            f"labels are {own._type_name()}, and {label!r} is no label for a new row.",
            hint="give the rows other labels first, by set_axis or set_index.",
        )
    return _one_like(own, found)
