"""Where the elements of flat datasets lie in a file, and how large files are split into row ranges."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

ELSEWHERE = -1
"""Offset of data that is not one contiguous run of bytes: never allocated, or of another type than NumPy's.

Data in chunks of n elements has ``ELSEWHERE - n``."""

OUTSIDE = -(2**63)
"""Offset of data that is, or may be, in other files."""

MOST_PARTITIONS = 2**17
"""Partitions into which the files of a set are split, if there are not more files: of 128 MiB each, 16 TiB."""


ALIGNED_ROWS = 2**15
"""Large files are split at multiples of this number of rows."""

MANY = 8
"""Ranges of this many times `ALIGNED_ROWS` are aligned: that makes them little larger."""


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
        Position of the first element in the file; below 0, where only the file's own library finds it
        (`ELSEWHERE`, `OUTSIDE`).
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


def split_rows(
    rows: npt.NDArray[np.int64],
    nbytes: npt.NDArray[np.int64],
    limit: int,
    most: npt.NDArray[np.int64] | None = None,
    grain: npt.NDArray[np.int64] | None = None,
) -> RowRanges:
    """Split files whose largest column passes `limit` bytes into ranges of about equal numbers of rows.

    Parameters
    ----------
    rows, nbytes : ndarray, shape (nfiles,), int64
        Rows of each file, and the bytes of its largest column.
    limit : int
        Bytes of a range.
    most : ndarray, shape (nfiles,), int64, optional
        Ranges that each file is split into at most.  All files together have no more than `MOST_PARTITIONS`, or one
        each.
    grain : ndarray, shape (nfiles,), int64, optional
        Rows of a chunk; ranges begin at multiples of it.

    Examples
    --------
    >>> split_rows(np.array([5, 2]), np.array([40, 16]), limit=20).lengths
    array([3, 2, 2])
    """
    counts = np.clip(-(-nbytes // limit), 1, np.maximum(rows, 1))
    if most is not None:
        counts = np.minimum(counts, np.maximum(most, 1))
    # As Python integers: those of an array may overflow in the sum.
    total = sum(counts.tolist())
    if total > max(MOST_PARTITIONS, len(rows)):
        counts = np.maximum((counts * (MOST_PARTITIONS / total)).astype(np.int64), 1)
    step = -(-rows // counts)
    if grain is None:
        # Sums of floats are rounded by units of rows, which are the same ones wherever files are split.
        grain = np.where(step >= MANY * ALIGNED_ROWS, ALIGNED_ROWS, 1)
    step = -(-step // grain) * grain
    counts = np.where(grain > 1, np.maximum(-(-rows // np.maximum(step, 1)), 1), counts)
    files = np.repeat(np.arange(len(rows)), counts)
    within = np.arange(len(files)) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = np.minimum(within * step[files], rows[files])
    stops = np.minimum(starts + step[files], rows[files])
    return RowRanges(files, starts, stops)
