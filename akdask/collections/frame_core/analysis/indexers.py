"""`loc` and `at`, `iloc` and `iat`: rows and cells of a DataFrame by labels and names, and by positions."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange
from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled, unlabelled
from akdask.collections.core.column_names import names_of
from akdask.collections.core.later import later
from akdask.collections.frame_core.alignment import (
    RowLabelled,
    as_labelled,
    mask_on_rows_of,
    missing_like,
    on_rows_of,
    put_on_rows_of,
)
from akdask.collections.frame_core.display import Row
from akdask.collections.frame_core.index import Index
from akdask.collections.frame_core.rows_by_label import Chosen, as_mask, called_with, rows_by_label
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, PositionError


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
            One label gives a `Row` where one row has it; otherwise results are lazy.  Rows of a list come in its order,
            all rows of each label as often as that is there.  A slice includes both ends.  Among times text names
            a period, such as ``"2024-02"``, and all rows within it.

        Raises
        ------
        MissingLabelError, MissingColumnError
            If there is no row or column of a name; whether labels are there is computed.

        Examples
        --------
        >>> import akdask as ak
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
            return chosen[names] if isinstance(chosen, Row) else later("column Series", chosen, names)
        return chosen

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to cells: ``df.loc[mask, "x"] = 0``."""
        if not isinstance(key, tuple) or len(key) != 2:
            raise ArgumentTypeError("cells are assigned by rows and columns: df.loc[mask, 'x'] = 0.")
        rows, names = key
        at = self._assigned(rows)
        value = as_labelled(value)
        for name in _names(self._frame, names):
            if isinstance(value, RowLabelled):
                self._put(name, at, value if isinstance(value, Labelled) else _column_of(value, name))
                continue
            if name not in self._frame:
                self._frame[name] = _missing_column(value)
            self._frame[name][at] = unlabelled(value)

    def _put(self, name: str, at: Any, series: Any) -> None:
        """Assign a Series to some rows of a column, by labels."""
        frame = self._frame
        if isinstance(at, slice):
            frame[name] = series
            return
        if name not in frame:
            frame[name] = missing_like(frame._columns.frame, series.values)
        own = frame._columns.array(name)
        if isinstance(at, Array) and at._value.dtype.kind == "bool":
            frame[name] = put_on_rows_of(frame._row_labels, own, at, series)
        else:
            frame[name][at] = on_rows_of(frame._row_labels, series)[at]

    def _assigned(self, rows: Any) -> Any:
        """Return what chooses the rows that are assigned to; refuse a label that no row has."""
        if isinstance(rows, slice) and rows == slice(None):
            return rows
        chosen = self._chosen(rows)
        if chosen.is_one and not bool(chosen.rows.any()):
            raise MissingLabelError(f"no row has the label {rows!r}.", hint="ak.concat puts further rows below.")
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
            return chosen[names[0]] if isinstance(chosen, Row) else later("column Series", chosen, names[0])
        return chosen

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to cells: ``df.iloc[0, 1] = 5``; rows alone are those of all columns."""
        rows, numbers = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        for name in _names_at(self._frame, numbers):
            self._frame[name][rows] = unlabelled(value)


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
        """Assign to the value of a row and a column."""
        row, column = key
        if self._by_position:
            self._frame[row] = {_names_at(self._frame, column)[0]: value}
        else:
            self._frame.loc[row, column] = value


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


def _column_of(frame: Any, name: str) -> Any:
    """Return the column of a DataFrame that is assigned to one of that name."""
    if name not in frame:
        raise ArgumentError(f"the DataFrame that is assigned has no column {name!r}.", details=list(frame.columns))
    return later("column Series", frame, name)


def _missing_column(value: Any) -> Any:
    """Return what a new column has where nothing is assigned to it."""
    item = unlabelled(value)
    if isinstance(item, Array):
        is_number = item._value.dtype.kind in ("int", "uint", "float")
    else:
        is_number = isinstance(item, int | float | np.number) and not isinstance(item, bool)
    if not is_number:
        raise ArgumentTypeError(
            "only numbers make a new column by some of its rows, which is NaN elsewhere.",
            hint="make the column first: df['new'] = 'other'.",
        )
    return np.nan
