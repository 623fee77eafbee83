"""Choosing rows of a DataFrame: all its columns at once, in one node of the plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.collections import rows as row_tools
from akdask.collections.array import Array
from akdask.collections.columnset import ColumnSet
from akdask.errors import ArgumentError
from akdask.plan.created import as_column, literal
from akdask.plan.node import Frame
from akdask.plan.values import Value

if TYPE_CHECKING:
    from akdask.collections.dataframe import DataFrame


class RowMethods:
    """Head, tail, slices, masks and positions."""

    _columns: ColumnSet

    def _rows(self: Any, key: Any) -> Any:
        """Return the rows that a key chooses; see `DataFrame.__getitem__`."""
        if isinstance(key, Array):
            return self._of(self._columns.on(_choose(*key._as_operand())))
        key = row_tools.row_key(key)
        if isinstance(key, int):
            return self._row(key)
        if isinstance(key, slice):
            return self._of(self._columns.on(lambda frame, values: row_tools.slice_columns(frame, values, key)))
        return self._of(self._columns.on(_choose(*literal(as_column(key)))))

    def _row(self: Any, position: int) -> dict[str, Any]:
        frame = row_tools.one_row(self._columns.frame, position)
        columns = self._columns
        one: DataFrame = self._of(ColumnSet(frame, columns.values, columns.kinds))
        return {str(name): column.iloc[0] for name, column in one.to_pandas().items()}

    def head(self: Any, n: int = 5) -> Self:
        """Return the first `n` rows; lazy."""
        return self[:n] if n < 0 or self.rows.lengths is not None else self._of(self._columns.edge(n))

    def tail(self: Any, n: int = 5) -> Self:
        """Return the last `n` rows; lazy."""
        if n > 0 and self.rows.lengths is None:
            return self._of(self._columns.edge(-n))
        return self[-n:] if n else self[:0]

    def drop(self: Any, keys: Any, axis: int | str = 0, inplace: bool = False) -> Self | None:
        """Return the frame without some rows or columns.

        Parameters
        ----------
        keys : int, str, or list of them
            Positions of rows, or with ``axis=1`` names of columns.
        axis : {0, 1}
            Rows or columns.
        inplace : bool
            Change this frame and return None.

        Raises
        ------
        MissingColumnError, PositionError
            If there is no such column or row.
        """
        columns = self._columns
        keys = [keys] if isinstance(keys, str | int | np.integer) else list(keys)
        if axis in (1, "columns"):
            columns.only(keys)
            return self._changed(columns.only(name for name in columns.values if name not in keys), inplace)
        if axis not in (0, "index", "rows"):
            raise ArgumentError(f"axis is 0 for rows or 1 for columns, not {axis!r}.")
        kept = np.ones(sum(columns.counted()), np.bool_)
        kept[[row_tools.row_position(columns.frame, key) for key in keys]] = False
        return self._changed(columns.on(_choose(*literal(kept))), inplace)

    def reset_index(self: Any, size: int | None = None, inplace: bool = False) -> Self | None:
        """Return the frame with its rows labelled by their numbers; lazy.

        `size` is accepted as Arkouda spells it.
        """
        return self._changed(self._columns.labelled(None), inplace)


def _choose(key_frame: Frame, key: Value) -> Any:
    return lambda frame, values: row_tools.select_columns(frame, values, key_frame, key)
