"""What other forms of samples are made of: those of a list that are selected, and how they are read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from akdask.lbann.epochs.reading import GroupedReader
from akdask.lbann.lists.sample_list import SampleList
from akdask.lbann.samples import AnyReader
from akdask.lbann.schema import SampleFields


class SelectedSamples(Protocol):
    """Samples of a list, as two schemas read them; `Dataset` is what users have of it.

    Attributes
    ----------
    samples : SampleList
        The list.
    indices : ndarray of int64
        Positions in it of the samples.
    fields : SampleFields
        What is read of each.
    reader : SampleReader or FileSampleReader
        Reads them.
    """

    samples: SampleList
    indices: np.ndarray
    fields: SampleFields
    reader: AnyReader

    @property
    def names(self) -> tuple[str, ...]:
        """What each sample has."""
        ...

    def __len__(self) -> int: ...

    def grouped(self, names: Sequence[str] | None = None, dtype: Any = None) -> GroupedReader:
        """Return what reads samples at any positions of the list."""
        ...

    def location(self, index: int) -> tuple[str, str]:
        """Return file and ID of a sample."""
        ...

    def sample_list(self) -> SampleList:
        """Return the list of these samples alone."""
        ...

    def size_of(self, name: str) -> int:
        """Return how many elements a sample has under a name."""
        ...

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of the elements under a name."""
        ...
