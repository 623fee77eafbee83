"""Row spaces: which rows a column has.  Columns combine when their row spaces are the same, and never by guess."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class RowSpace:
    """The identity of a set of rows, with its partitioning.

    Parameters
    ----------
    token : str
        Names the rows.  Rows of known lengths are named by those lengths alone: position is all that
        aligns them.  Filtered rows are named by what was filtered and by which predicate.
    npartitions : int
        Number of partitions.
    lengths : tuple of int, optional
        Rows in each partition; None while nobody has counted them.
    total : int, optional
        Number of rows in all, where that is known although the lengths are not: sorted rows are as many as before.

    Examples
    --------
    >>> RowSpace.of_lengths([3, 2]) == RowSpace.of_lengths([3, 2])
    True
    >>> RowSpace.of_lengths([3, 2]).same_rows(RowSpace.of_lengths([2, 3]))
    False
    """

    token: str
    npartitions: int
    lengths: tuple[int, ...] | None = None
    total: int | None = None

    @classmethod
    def of_lengths(cls, lengths: npt.ArrayLike) -> RowSpace:
        """Return the row space of partitions with the given numbers of rows."""
        known = tuple(int(n) for n in np.asarray(lengths, dtype=np.int64))
        return cls(f"lengths{hash(known):x}", len(known), known)

    @property
    def size(self) -> int | None:
        """Number of rows in all, None while unknown."""
        return self.total if self.lengths is None else sum(self.lengths)

    def same_rows(self, other: RowSpace) -> bool:
        """Whether columns of the two can be combined row by row, partition by partition."""
        if self.token == other.token:
            return True
        return self.lengths is not None and self.lengths == other.lengths

    def describe(self) -> str:
        """Partitions and lengths in words, for error messages."""
        count = f"{self.npartitions} partition" + ("" if self.npartitions == 1 else "s")
        if self.lengths is None:
            return f"{count}, lengths unknown"
        shown = ", ".join(map(str, self.lengths[:6])) + (", …" if self.npartitions > 6 else "")
        return f"{count}, lengths ({shown})"
