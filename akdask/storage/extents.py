"""Where the elements of flat datasets lie in a file, and how large files are split into row ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ELSEWHERE = -1
"""Offset of data that is not one contiguous run of bytes: chunked, filtered, never allocated."""


ALIGNED_ROWS = 2**15
"""Large files are split at multiples of so many rows."""

MANY = 8
"""Ranges of so many times as many rows are not much larger for that."""


@dataclass(frozen=True, slots=True)
class Extent:
    """One flat dataset in one file.

    Parameters
    ----------
    dataset : str
        Path of the dataset inside the file.
    dtype : str
        NumPy's name of the stored type, byte order included: ``<i8``, ``>f4``, ``|u1``.
    offset : int
        Position of the first element in the file, `ELSEWHERE` where only the file's own library finds it.
    length : int
        Number of elements.
    """

    dataset: str
    dtype: str
    offset: int
    length: int


@dataclass(frozen=True, slots=True)
class RowRanges:
    """The partitions of a set: rows ``starts[i]`` to ``stops[i]`` of file ``files[i]``, in file order."""

    files: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """Rows in each partition."""
        return self.stops - self.starts


def split_rows(rows: npt.NDArray[np.int64], nbytes: npt.NDArray[np.int64], limit: int) -> RowRanges:
    """Split files whose largest column passes `limit` bytes into ranges of about equal numbers of rows.

    Examples
    --------
    >>> split_rows(np.array([5, 2]), np.array([40, 16]), limit=20).lengths
    array([3, 2, 2])
    """
    pieces = np.clip(-(-nbytes // limit), 1, np.maximum(rows, 1))
    step = -(-rows // pieces)
    # Sums of floats are rounded by units of rows, which are the same ones wherever files are split.
    many = step >= MANY * ALIGNED_ROWS
    step = np.where(many, -(-step // ALIGNED_ROWS) * ALIGNED_ROWS, step)
    pieces = np.where(many, -(-rows // np.maximum(step, 1)), pieces)
    files = np.repeat(np.arange(len(rows)), pieces)
    within = np.arange(len(files)) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    starts = np.minimum(within * step[files], rows[files])
    stops = np.minimum(starts + step[files], rows[files])
    return RowRanges(files, starts, stops)
