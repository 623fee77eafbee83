"""Row spaces: which rows a column has.  Columns combine when their row spaces are the same, and never by guess."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, slots=True)
class RowSpace:
    """The identity of a set of rows, with its partitioning.

    Parameters
    ----------
    token : str
        Names the rows.  Rows of fixed lengths are named by these lengths alone, as only position aligns them.  Others
        are named by the selected rows, and by the identity of all values that decided the selection.
    npartitions : int
        Number of partitions.
    lengths : tuple of int, optional
        Rows in each partition; None until they are counted.
    total : int, optional
        Number of all rows, where it is known without the lengths: sorting, for example, preserves it.
    is_fixed : bool
        Whether the lengths are known for good, without counting rows, and name them.

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
    is_fixed: bool = False

    @classmethod
    def of_lengths(cls, lengths: npt.ArrayLike) -> RowSpace:
        """Return the row space of partitions with the given numbers of rows."""
        numbers = np.ascontiguousarray(lengths, dtype="<i8")
        known = tuple(numbers.tolist())
        digest = blake2b(numbers.tobytes(), digest_size=16).hexdigest()
        return cls(f"lengths {digest}", len(known), known, is_fixed=True)

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
