"""Row selection in a DataFrame: all columns at once, in one node of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from akdask.arrays import selection as row_tools
from akdask.arrays.array import Array, of_rows
from akdask.arrays.base import unlabelled
from akdask.arrays.column_names import axis_number, names_of
from akdask.engine.node import Frame
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError, MissingLabelError, PositionError, SchemaError
from akdask.frames.alignment import mask_on_rows_of
from akdask.frames.base import FrameBase
from akdask.frames.columnset import ColumnSet, Select
from akdask.frames.display import Row
from akdask.frames.index import Index
from akdask.frames.rows_by_label import demands_all, without_labels


class RowMethods(FrameBase):
    """Head, tail, slices, masks and positions."""

    def _rows(self, key: Any) -> Any:
        """Return the rows that a key chooses; see `DataFrame.__getitem__`."""
        key = unlabelled(mask_on_rows_of(self._row_labels, key))
        if isinstance(key, Array):
            return self._of(self._columns.on(_choose(*of_rows(key)._as_operand())))
        key = row_tools.row_key(key)
        if isinstance(key, int):
            return self._row(key)
        if isinstance(key, slice):
            return self._of(self._columns.sliced(key))
        return self._of(self._columns.on(_choose(*literal(as_column(key)))))

    def _row(self, position: int) -> Row:
        columns = self._columns
        frame = row_tools.one_row(columns.frame, position)
        row = self._of(ColumnSet(frame, columns.values, columns.kinds)).compute()
        # As single elements are, text is NumPy's.
        values = {name: row[name].iloc[0] for name in columns.values}
        return Row({name: np.str_(value) if type(value) is str else value for name, value in values.items()})

    def head(self, n: int = 5) -> Self:
        """Return the first `n` rows; lazy."""
        return self._of(self._columns.head(n))

    def tail(self, n: int = 5) -> Self:
        """Return the last `n` rows; lazy."""
        return self._of(self._columns.tail(n))

    def drop(
        self,
        keys: Any = None,
        axis: int | str = 0,
        inplace: bool = False,
        *,
        columns: str | Iterable[str] | None = None,
        index: Any = None,
        errors: str = "raise",
    ) -> Self | None:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2], "y": [3, 4]}, index=["a", "b"])
        >>> df.drop(columns="y", index="a").to_pandas()
           x
        b  2
        """
        if keys is None and columns is None and index is None:
            raise ArgumentError("nothing is left out.", hint="pass columns= or index=.")
        found = self._columns if index is None else _without_labels(self._columns, index, errors)
        if keys is not None and axis_number(axis) == 1:
            found = _without_columns(found, keys, errors)
        elif keys is not None:
            found = _without_positions(found, keys)
        return self._changed(found if columns is None else _without_columns(found, columns, errors), inplace)

    def reset_index(
        self,
        size: Any = None,
        inplace: bool = False,
        *,
        level: Any = None,
        drop: bool | None = None,
        names: Any = None,
    ) -> Self | None:
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
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 2], "x": [1, 2, 3]}).groupby("k").sum()
        >>> df.reset_index().to_pandas()
           k  x
        0  1  1
        1  2  5
        """
        columns = self._columns
        _check_level(columns, size if isinstance(size, str | list | tuple) else level)
        if drop is None:
            drop = columns.index_name is None and names is None and not self._rules.keeps_unnamed_labels
        if drop:
            return self._changed(columns.labelled(None), inplace)
        name = _column_of_labels(columns, names)
        if name in columns.values:
            raise SchemaError(f"there is a column {name!r} already.", hint="rename it first, or pass drop=True.")
        labels = columns.index_array()
        return self._changed(columns.labelled(None).having(name, labels).only([name, *columns.values]), inplace)


def _check_level(columns: ColumnSet, level: Any) -> None:
    """Refuse levels that labels of one level do not have."""
    for one in level if isinstance(level, list | tuple) else [level]:
        if isinstance(one, int | np.integer) and one not in (0, -1):
            raise PositionError(f"the labels have one level, not one of number {one}.", hint="pass level=0.")
        if isinstance(one, str) and one != columns.index_name:
            raise MissingLabelError(f"the labels are not called {one!r}, but {columns.index_name!r}.")


def _column_of_labels(columns: ColumnSet, names: Any) -> str:
    """Return the name of the column that labels become, as pandas chooses it."""
    if names is not None:
        given = [names] if isinstance(names, str) else list(names)
        if len(given) != 1 or not isinstance(given[0], str):
            raise ArgumentTypeError(f"labels of one level take one name, not {names!r}.")
        return given[0]
    if columns.index_name is not None:
        return str(columns.index_name)
    return "level_0" if "index" in columns.values else "index"


def _without_columns(columns: ColumnSet, names: Any, errors: str) -> ColumnSet:
    left_out = names_of(names)
    if demands_all(errors):
        columns.only(left_out)
    return columns.only(name for name in columns.values if name not in left_out)


def _without_positions(columns: ColumnSet, keys: Any) -> ColumnSet:
    keys = list(keys) if isinstance(keys, Iterable) and not isinstance(keys, str) else [keys]
    is_left = np.ones(sum(columns.counted()), np.bool_)
    is_left[[row_tools.row_position(columns.frame, row_tools.position(key)) for key in keys]] = False
    return columns.on(_choose(*literal(is_left)))


def _without_labels(columns: ColumnSet, labels: Any, errors: str) -> ColumnSet:
    remaining = without_labels(Index(columns.index_array()), labels, errors)
    return columns if isinstance(remaining, slice) else columns.on(_choose(*remaining._as_operand()))


def _choose(key_frame: Frame, key: Value) -> Select:
    return lambda frame, values: row_tools.select_columns(frame, values, key_frame, key)
