"""How the row groups of a set are cut into partitions: small ones of a file go together, large ones are split."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from akdask.parquet.metadata.description import ParquetFileDescription
from akdask.parquet.reading.row_group_part import RowGroup
from akdask.storage.data.extents import split_rows

GROUPED_ROWS = 2**20
"""Rows up to which neighbouring row groups of a file are one partition."""

_ITEMSIZE = 8

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class RowGroupPartitions:
    """The partitions of a set, in the order of its rows.

    Parameters
    ----------
    files : ndarray, shape (npartitions,), int64
        The file of each.
    starts, stops : ndarray, shape (npartitions,), int64
        Its rows of that file.
    first, last : ndarray, shape (npartitions,), int64
        Its row groups, counted over all files; `last` is behind the last of them.
    groups : tuple of sequence of RowGroup
        The row groups of each file.
    counted : ndarray, shape (nfiles + 1,), int64
        Row groups of all files before each.
    """

    files: Ints
    starts: Ints
    stops: Ints
    first: Ints
    last: Ints
    groups: tuple[Sequence[RowGroup], ...]
    counted: Ints

    @property
    def lengths(self) -> Ints:
        """Rows in each partition."""
        return self.stops - self.starts

    def groups_of(self, index: int) -> tuple[RowGroup, ...]:
        """Return the row groups that a partition has rows of."""
        file = int(self.files[index])
        before = int(self.counted[file])
        return tuple(self.groups[file][int(self.first[index]) - before : int(self.last[index]) - before])


def partitions_of(files: Sequence[ParquetFileDescription], limit: int) -> RowGroupPartitions:
    """Cut the rows of files into partitions, so that a column of one takes `limit` bytes at most where that can be.

    Each file has one partition at least, also one without rows.
    """
    units: list[tuple[int, int, int, int, int]] = []  # file, first and last group, first row, rows
    groups: list[list[RowGroup]] = []
    counted = np.zeros(len(files) + 1, np.int64)
    most = max(1, min(GROUPED_ROWS, limit // _ITEMSIZE))
    for number, file in enumerate(files):
        before, row, found = int(counted[number]), 0, list[RowGroup]()
        begun: list[int] = [before, before, 0, 0]
        for group, nrows in enumerate(file.rows.tolist()):
            found.append(RowGroup(group, row, nrows))
            if begun[3] and begun[3] + nrows > most:
                units.append((number, *begun))  # type: ignore[arg-type]
                begun = [before + group, before + group, row, 0]
            begun[1], begun[3] = before + group + 1, begun[3] + nrows
            row += nrows
        units.append((number, *begun))  # type: ignore[arg-type]
        groups.append(found)
        counted[number + 1] = before + len(found)
    file_of, first, last, begin, rows = np.array(units, np.int64).reshape(-1, 5).T
    # Divided, not multiplied: no number of rows is too large for that.
    sizes = np.minimum(rows, 2**59) * _ITEMSIZE
    ranges = split_rows(rows, sizes, limit)
    starts, stops = (side + begin[ranges.files] for side in (ranges.starts, ranges.stops))
    return RowGroupPartitions(
        file_of[ranges.files], starts, stops, first[ranges.files], last[ranges.files], tuple(groups), counted
    )
