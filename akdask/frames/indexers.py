"""Indexers of a DataFrame: `loc` and `at` by labels and names, `iloc` and `iat` by positions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.base import Labelled, unlabelled
from akdask.arrays.column_names import names_of
from akdask.arrays.creation import arange, full
from akdask.arrays.operators import where
from akdask.deferred import is_pandas
from akdask.engine.alignment import align_by_plan
from akdask.errors import ArgumentError, ArgumentTypeError, LabelTypeError, MissingLabelError, PositionError
from akdask.frames.alignment import RowLabelled, as_labelled, mask_on_rows_of, missing_like, on_rows_of, put_on_rows_of
from akdask.frames.cells import is_nothing
from akdask.frames.construction import arrays_of, is_scalar
from akdask.frames.display import Row
from akdask.frames.index import Index
from akdask.frames.kinds import missing_rows
from akdask.frames.new_rows import with_row
from akdask.frames.rows_by_label import Chosen, as_mask, called_with, rows_by_label


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
    if is_pandas(value, "Series") or (isinstance(value, Labelled) and isinstance(value, RowLabelled)):
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
    """Return the missing value for rows of a new column without an assignment."""
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
