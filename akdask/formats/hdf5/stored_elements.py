"""Stored elements of datasets: the input of codecs, independent of how bytes are found."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np

from akdask.cluster import check_memory
from akdask.columns.memory import LARGEST_REUSED, scratch
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import Extent
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
        """Return elements in scratch memory, which the next call of this thread uses again.

        Raises
        ------
        TransferError
            If they would exceed the memory limit of this process, even though the file is small.
        """
        dtype = np.dtype(extent.dtype)
        nbytes = count * dtype.itemsize
        if nbytes > LARGEST_REUSED:
            check_memory(nbytes, f"these rows of dataset {extent.dataset!r} take", "read fewer rows")
        stored = scratch(nbytes).view(dtype)
        self.read_into(stored, extent, start)
        return stored

    def cached(self, extent: Extent, find: Callable[[Elements, Extent], NumberArray]) -> NumberArray:
        """Return a function's result for a dataset, computed once."""
        if extent.dataset not in self._found:
            self._found[extent.dataset] = find(self, extent)
        return self._found[extent.dataset]
