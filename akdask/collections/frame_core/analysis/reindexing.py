"""Rows by given labels, missing where there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from akdask.collections.arrays.creation import full
from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.column_names import names_of
from akdask.collections.frame_core.analysis.kinds import missing_rows
from akdask.collections.frame_core.analysis.moving.arranged import empty_rows
from akdask.collections.frame_core.base import FrameBase
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.index import Index, MultiIndex
from akdask.collections.frame_core.rows_by_label import kind_of
from akdask.collections.groups.keys import comparable_keys
from akdask.errors import ArgumentError
from akdask.plan.task.align import align


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
            What stands where there is no such label or name; missing values unless given, for which integers and bool
            become float64.

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
