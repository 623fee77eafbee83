"""Labels of rows as what NumPy, pandas and Python have for them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from akdask.collections.core.array import Array
from akdask.collections.core.base import Labelled
from akdask.collections.frame_core.labels import for_pandas
from akdask.collections.frame_core.memory_units import convert_bytes
from akdask.deferred import pd


class LabelConversion(Labelled):
    """Conversion of an `Index`."""

    name: Any
    _labels: Any
    _kept: list[Hashable] | None

    @property
    def _levels(self) -> list[Any]:
        return [self._labels]

    @property
    def nbytes(self) -> int:
        """Bytes of all labels; counts rows if their number is unknown, and computes to measure strings."""
        return sum(level.nbytes for level in self._levels)

    def memory_usage(self, unit: str = "B") -> int | float:
        """Return how much memory the labels take when they are in memory, in bytes as an int; computes for text.

        Parameters
        ----------
        unit : {"B", "KB", "MB", "GB"}
            What is counted.
        """
        return convert_bytes(self.nbytes, unit)

    def to_dict(self, label: str | list[str] | None = None) -> dict[Any, Array]:
        """Return the labels by the name of the index, or by the one given."""
        if isinstance(label, list):
            (label,) = label
        return {label or self.name or "idx": self.values.copy()}

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the labels as a NumPy array; computes."""
        return np.asarray(self._labels.to_ndarray())

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the labels as a NumPy array; see `pdarray.to_numpy`.  Computes."""
        return np.asarray(self, dtype=dtype)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.to_ndarray(), dtype=dtype)

    def tolist(self) -> list[Any]:
        """Return the labels as a list; computes."""
        return self.to_ndarray().tolist()

    def to_list(self) -> list[Any]:
        """Return the labels as a list: the older name of `tolist`.  Computes."""
        return self.tolist()

    def to_pandas(self) -> pd.Index:
        """Return the labels as a pandas Index; computes."""
        return pd.Index(for_pandas(self._labels), name=self.name)
