"""Numbers of which some rows are missing: integers and bools, which have no value that says so as NaN does.

A column of the plain type is a NumPy array and pays nothing.  Values under missing rows are 0, so that columns of equal
content have equal bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from akdask.columns.dtypes import ColumnType
from akdask.typing import NumberArray


class NullableColumn:
    """A column of numbers with a mask of its missing rows.

    Parameters
    ----------
    values : numpy.ndarray
        The numbers, 0 in missing rows: integers or bools.
    missing : numpy.ndarray of bool, optional
        Which rows are missing; None where none is.
    """

    __slots__ = ("missing", "values")

    def __init__(self, values: NumberArray, missing: NumberArray | None = None) -> None:
        self.values = values
        self.missing = missing

    @classmethod
    def of(cls, values: Any, missing: Any, nrows: int | None = None) -> NullableColumn:
        """Return a column in new memory, with 0 in missing rows; either may be a single value for all rows.

        Parameters
        ----------
        values : numpy.ndarray or scalar
            The numbers, any in missing rows.
        missing : numpy.ndarray or scalar of bool
            Which rows are missing.
        nrows : int, optional
            The number of rows where both are single values.

        Examples
        --------
        >>> NullableColumn.of(np.array([5, 6]), np.array([True, False])).values.tolist()
        [0, 6]
        """
        shape = np.broadcast_shapes(np.shape(values), np.shape(missing)) or (nrows,)
        found = np.array(np.broadcast_to(values, shape))
        if not np.any(missing):
            return cls(found)
        mask = np.array(np.broadcast_to(missing, shape))
        found[mask] = 0
        return cls(found, mask)

    @property
    def mask(self) -> NumberArray:
        """Which rows are missing, as an array where none is, too."""
        return np.zeros(len(self.values), np.bool_) if self.missing is None else self.missing

    @property
    def nbytes(self) -> int:
        """Bytes of the values and of the mask."""
        return self.values.nbytes + (0 if self.missing is None else self.missing.nbytes)

    def __len__(self) -> int:
        return len(self.values)

    def __sizeof__(self) -> int:
        return 64 + self.nbytes

    def __reduce__(self) -> tuple[Any, ...]:
        return NullableColumn, (self.values, self.missing)

    def __repr__(self) -> str:
        return f"NullableColumn({self.values!r}, {self.missing!r})"

    def mapped(self, function: Callable[[NumberArray], NumberArray]) -> NullableColumn:
        """Return a function of rows, such as a slice, of the values and of the mask; no mask is left without need.

        Examples
        --------
        >>> NullableColumn(np.array([0, 6]), np.array([True, False])).mapped(lambda rows: rows[1:]).missing is None
        True
        """
        missing = None if self.missing is None else function(self.missing)
        return NullableColumn(function(self.values), missing if missing is not None and missing.any() else None)

    def to_list(self) -> list[Any]:
        """Return the rows as Python objects, None where they are missing."""
        found: list[Any] = self.values.tolist()
        if self.missing is not None:
            for row in np.flatnonzero(self.missing).tolist():
                found[row] = None
        return found


def concat_nullable(columns: Sequence[Any]) -> NullableColumn:
    """Join nullable columns of one type end to end, at least one."""
    values = np.concatenate([column.values for column in columns])
    if all(column.missing is None for column in columns):
        return NullableColumn(values)
    return NullableColumn(values, np.concatenate([column.mask for column in columns]))


def nullable_full(value: Any, dtype: ColumnType, nrows: int) -> NullableColumn:
    """Return a value on every row, None for missing ones."""
    return NullableColumn.of(dtype.numpy.type(0 if value is None else value), value is None, nrows)
