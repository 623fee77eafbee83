"""Elements of datasets as they are stored: what codecs read from, whatever finds the bytes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from akdask.columns.scratch import scratch
from akdask.storage.data.extents import Extent
from akdask.storage.paths.files import FileIdentity
from akdask.typing import NumberArray


class Elements(ABC):
    """The elements of all datasets of one file.

    Parameters
    ----------
    file : FileIdentity
        The file.
    """

    def __init__(self, file: FileIdentity) -> None:
        self.file = file
        self._found: dict[str, NumberArray] = {}

    @abstractmethod
    def read_into(self, out: NumberArray, extent: Extent, start: int) -> None:
        """Fill an array of the stored type with the elements from `start` on.

        Raises
        ------
        FileFormatError
            If the file ends before, or the dataset cannot be read.
        """

    def read(self, extent: Extent, start: int, count: int) -> NumberArray:
        """Return elements in scratch memory, which the next call of this thread uses again."""
        dtype = np.dtype(extent.dtype)
        stored = scratch(count * dtype.itemsize).view(dtype)
        self.read_into(stored, extent, start)
        return stored

    def cached(self, extent: Extent, find: Callable[[Elements, Extent], NumberArray]) -> NumberArray:
        """Return what a function finds in a dataset, which it goes through only once."""
        if extent.dataset not in self._found:
            self._found[extent.dataset] = find(self, extent)
        return self._found[extent.dataset]
