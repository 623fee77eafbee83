"""Rows of a frame as samples, by position: what loaders of torch read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import dask
import numpy as np

from akdask.errors import PositionError

if TYPE_CHECKING:
    from akdask.frames.dataframe import DataFrame


class Samples:
    """Rows of a frame by position; see `DataFrame.to_torch`.

    Parameters
    ----------
    frame : DataFrame
        The rows; they are counted.
    """

    def __init__(self, frame: DataFrame) -> None:
        self._frame = frame.resolve_lengths()
        self._names = [str(name) for name in self._frame.columns.tolist()]

    def __len__(self) -> int:
        return len(self._frame)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """Return the values of one row by name; computes."""
        return self.__getitems__([index])[0]

    def __getitems__(self, indices: Sequence[int]) -> list[dict[str, Any]]:
        """Return the values of several rows, which are read at once; a loader calls this for whole batches."""
        wanted = np.asarray(indices, np.int64)
        if wanted.size and not -len(self) <= wanted.min() <= wanted.max() < len(self):
            raise PositionError(f"there are {len(self):,} rows, and none at {wanted.max()}.")
        chosen = self._frame.take(wanted)
        columns = dict(zip(self._names, dask.compute(*[chosen[name] for name in self._names]), strict=True))
        return [{name: values[row] for name, values in columns.items()} for row in range(len(wanted))]
