"""Choosing rows of a DataFrame: all its columns at once, in one node of the plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np

from akdask.collections.core import selection as row_tools
from akdask.collections.core.array import Array, of_rows
from akdask.collections.core.base import unlabelled
from akdask.collections.core.column_names import axis_number, names_of
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet, Select
from akdask.collections.frame_core.display import Row
from akdask.plan.expr.created import as_column, literal
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Value


class RowMethods(FrameBase):
    """Head, tail, slices, masks and positions."""

    def _rows(self, key: Any) -> Any:
        """Return the rows that a key chooses; see `DataFrame.__getitem__`."""
        key = unlabelled(key)
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

    def drop(self, keys: Any, axis: int | str = 0, inplace: bool = False) -> Self | None:
        """Return the frame without some rows or columns.

        Parameters
        ----------
        keys : int, str, or list of them
            Positions of rows, or with ``axis=1`` names of columns.
        axis : {0, 1, "index", "columns"}
            Rows or columns.
        inplace : bool
            Change this frame and return None.

        Raises
        ------
        MissingColumnError, PositionError
            If there is no such column or row.
        ArgumentTypeError
            If `keys` are no names, or no positions.
        """
        columns = self._columns
        if axis_number(axis) == 1:
            keys = names_of(keys)
            columns.only(keys)
            return self._changed(columns.only(name for name in columns.values if name not in keys), inplace)
        keys = list(keys) if isinstance(keys, Iterable) and not isinstance(keys, str) else [keys]
        is_left = np.ones(sum(columns.counted()), np.bool_)
        is_left[[row_tools.row_position(columns.frame, row_tools.position(key)) for key in keys]] = False
        return self._changed(columns.on(_choose(*literal(is_left))), inplace)

    def reset_index(self, size: int | None = None, inplace: bool = False) -> Self | None:
        """Return the frame with its rows labelled by their numbers; lazy.

        `size` is accepted as Arkouda spells it.
        """
        return self._changed(self._columns.labelled(None), inplace)


def _choose(key_frame: Frame, key: Value) -> Select:
    return lambda frame, values: row_tools.select_columns(frame, values, key_frame, key)
