"""Rows of a DataFrame in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

from akdask.collections.arrays.sort_methods import directions
from akdask.collections.arrays.sorting import coargsort
from akdask.collections.core import selection as row_tools
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import names_of
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import Value

if TYPE_CHECKING:
    from akdask.plan.sort import sort as sort_plan
else:
    sort_plan = DeferredModule("akdask.plan.sort.sort")

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


class FrameSortMethods(FrameBase):
    """Sorting, and permutations."""

    def sort_values(self, by: str | Sequence[str] | None = None, ascending: bool | Sequence[bool] = True) -> Self:
        """Return the rows in order of some columns; lazy.

        Parameters
        ----------
        by : str or list of str, optional
            The columns, the first one first; all of them unless given.
        ascending : bool or list of bool, default True
            The direction, of all or of each.

        Returns
        -------
        DataFrame
            Rows keep their labels.  Equal rows keep their order; NaN comes last.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `by` are no names.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.DataFrame({"x": [2, 1, 2], "y": ["b", "c", "a"]}).sort_values(["x", "y"]).to_pandas()
           x  y
        1  1  c
        2  2  a
        0  2  b
        """
        columns = self._columns
        if by is None and not columns.values:
            return self._of(columns)
        keys = [columns.array(name) for name in names_of(columns.values if by is None else by)]
        return self._of(_sorted(columns, keys, directions(ascending, len(keys))))

    def sort_index(self, ascending: bool = True) -> Self:
        """Return the rows in order of their labels; lazy."""
        columns = self._columns
        return self._of(_sorted(columns, [columns.index_array()], [ascending]))

    def argsort(self, key: str, ascending: bool = True) -> pdarray:
        """Return the positions that put the rows in order of one column; lazy."""
        return self.coargsort([key], ascending)

    def coargsort(self, keys: Sequence[str], ascending: bool | Sequence[bool] = True) -> pdarray:
        """Return the positions that put the rows in order of some columns, the first one first; lazy.

        A frame without columns has no rows, and no positions.
        """
        columns = self._columns
        if not columns.values:
            positions: pdarray = columns.index_array()
            return positions
        return coargsort([columns.array(name) for name in names_of(keys)], ascending=ascending)

    def apply_permutation(self, perm: pdarray) -> None:
        """Put the rows of this frame in another order, given by their positions; counts rows of unknown number.

        Raises
        ------
        ArgumentError
            If there are not as many positions as rows.  Whether each comes once is not looked into.
        """
        if len(perm) != len(self):
            raise ArgumentError(f"a permutation of {len(self)} rows has as many positions, not {len(perm)}.")
        self._changed(
            self._columns.on(lambda frame, values: row_tools.take_columns(frame, values, *perm._as_operand())),
            inplace=True,
        )


def _sorted(columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool]) -> ColumnSet:
    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        payload = [(frame, value) for value in values]
        ordered, columns = sort_plan.sorted_rows([key._sort_key() for key in keys], ascending, payload)
        return ordered, list(columns)

    return columns.on(select)
