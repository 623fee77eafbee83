"""Sorted and reindexed rows of a DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from akdask.arrays import selection as row_tools
from akdask.arrays.array import Array
from akdask.arrays.base import unlabelled
from akdask.arrays.column_names import names_of
from akdask.arrays.creation import full
from akdask.arrays.keys import comparable_keys
from akdask.arrays.operators import where
from akdask.arrays.pdarray import directions, pdarray
from akdask.arrays.sorting import coargsort
from akdask.engine.alignment import align
from akdask.engine.node import Frame
from akdask.engine.values import Value
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.frames.base import FrameBase
from akdask.frames.columnset import ColumnSet
from akdask.frames.index import Index, MultiIndex, check_na_position
from akdask.frames.kinds import missing_rows
from akdask.frames.missing import present
from akdask.frames.rows_by_label import kind_of
from akdask.frames.windows import empty_rows
from akdask.operators.sort.sort import sorted_rows


class FrameSortMethods(FrameBase):
    """Sorting, and permutations."""

    def sort_values(
        self,
        by: str | Sequence[str] | None = None,
        ascending: bool | Sequence[bool] = True,
        *,
        na_position: str = "last",
        ignore_index: bool = False,
        key: Callable[[Any], Any] | None = None,
    ) -> Self:
        """Return the rows in order of some columns; lazy.

        Parameters
        ----------
        by : str or list of str, optional
            The columns, the first one first; all of them unless given.
        ascending : bool or list of bool, default True
            The direction, of all or of each.
        na_position : {"last", "first"}
            Where rows with missing values in these columns come.
        ignore_index : bool, default False
            Number the rows from 0.
        key : callable, optional
            Takes each of these columns as a Series, and returns the Series to sort by in its place, such as
            ``lambda s: s.str.lower()``.

        Returns
        -------
        DataFrame
            Rows keep their labels.  Equal rows keep their order.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `by` are no names, or `key` returns no array.
        ArgumentError
            If `na_position` is something else.

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
        if na_position not in ("first", "last"):
            raise ArgumentError(f"na_position={na_position!r} is neither 'first' nor 'last'.")
        names = names_of(columns.values if by is None else by)
        keys = [columns.array(name) for name in names]
        if key is not None:
            from akdask.frames.series import column_series

            keys = [_key_of(key(column_series(self, name))) for name in names]
        upwards = directions(ascending, len(keys))
        if na_position == "first":
            keys, upwards = _missing_first(keys, upwards)
        ordered = _sorted(columns, keys, upwards)
        return self._of(ordered.labelled(None) if ignore_index else ordered)

    def sort_index(self, ascending: bool = True, *, na_position: str = "last", ignore_index: bool = False) -> Self:
        """Return the rows in order of their labels, missing ones at either end; lazy.  See `sort_values`."""
        columns = self._columns
        keys: list[Array] = [columns.index_array()]
        upwards = [ascending]
        if na_position == "first":
            keys, upwards = _missing_first(keys, upwards)
        else:
            check_na_position(na_position)
        ordered = _sorted(columns, keys, upwards)
        return self._of(ordered.labelled(None) if ignore_index else ordered)

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


def _key_of(found: Any) -> Array:
    given = unlabelled(found)
    if not isinstance(given, Array):
        raise ArgumentTypeError(f"key returns what to sort by, a Series or an array, not {type(found).__name__}.")
    return given


def _missing_first(keys: Sequence[Array], ascending: Sequence[bool]) -> tuple[list[Array], list[bool]]:
    """Return keys, each after a key that is True where it is not missing."""
    found: list[tuple[Array, bool]] = []
    for key, upwards in zip(keys, ascending, strict=True):
        columns = ColumnSet.of({"key": key})
        found += [(pdarray(columns.frame, present(columns, "key")), True), (key, upwards)]
    return [key for key, _ in found], [upwards for _, upwards in found]


def _sorted(columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool]) -> ColumnSet:
    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        payload = [(frame, value) for value in values]
        by = [key._sort_key(up) for key, up in zip(keys, ascending, strict=True)]
        ordered, columns = sorted_rows(by, ascending, payload)
        return ordered, list(columns)

    return columns.on(select)


class ReindexMethods(FrameBase):
    """Rows and columns by given labels."""

    def reindex(
        self, labels: Any = None, index: Any = None, columns: Sequence[str] | None = None, fill_value: Any = None
    ) -> Self:
        """Return the rows that have given labels, in their order, and columns of given names; counts rows.

        Parameters
        ----------
        labels, index : Index, array or sequence, optional
            Labels of rows; both mean the same.
        columns : list of str, optional
            Names of columns.
        fill_value : scalar, optional
            Value of cells without such a label or name; missing unless given, for which integers and bool become
            float64.

        Raises
        ------
        ArgumentError
            If labels are given twice, or rows or labels have several levels.
        NonUniqueError
            When it is computed, if several rows have the same label.
        ArgumentTypeError
            If labels are no array or sequence.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"x": [1, 2]}, index=["a", "b"])
        >>> df.reindex(["b", "z"]).to_pandas()["x"].tolist()
        [2.0, nan]
        """
        if labels is not None and index is not None:
            raise ArgumentError("reindex: labels and index mean the same.", hint="pass one.")
        wanted = labels if index is None else index
        found = self._columns if wanted is None else reindexed(self._columns, wanted, fill_value)
        if columns is None:
            return self._of(found)
        missing = np.nan if fill_value is None else fill_value
        size = sum(found.counted())
        arrays = {
            name: found.array(name) if name in found.values else full(size, missing) for name in names_of(columns)
        }
        return self._of(found.beside(arrays))

    def reindex_like(self, other: Any) -> Self:
        """Return the rows and columns that another DataFrame has; counts rows.  See `reindex`."""
        return self.reindex(index=other.index, columns=list(other.columns))


def reindexed(columns: ColumnSet, labels: Any, fill_value: Any = None) -> ColumnSet:
    """Return the rows of columns that have given labels, missing or filled where there is none; counts rows."""
    wanted = labels if isinstance(labels, Index) else Index(labels)
    if isinstance(wanted, MultiIndex):
        raise ArgumentError("labels of several levels are not looked for by reindex.", hint="merge on the levels.")
    sought = Index(wanted).values
    own = columns.index_array()
    has_rows = sum(columns.counted()) > 0
    if has_rows and kind_of(own) == kind_of(sought):
        keys, others = comparable_keys("reindex", sought, own)
        positions = pdarray(keys.frame, others.indexed("only rows").find(keys.values))
    else:
        positions = full(sought.size, -1, dtype="int64")
    lacks = positions < 0
    at = where(lacks, 0, positions)
    found = {}
    for name in columns.values:
        array = columns.array(name)
        moved: Array = array[at] if has_rows else empty_rows(array, positions)
        if fill_value is not None:
            found[name] = where(lacks, fill_value, moved)
            continue
        frame, (value, lacking) = align("reindex", [(moved._frame, moved._value), (lacks._frame, lacks._value)])
        found[name] = missing_rows(moved, frame, value, lacking)
    return ColumnSet.of(found, sought, wanted.name if wanted.name is not None else columns.index_name)
