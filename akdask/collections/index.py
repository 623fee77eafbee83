"""`Index`: the labels of the rows of a DataFrame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from akdask.collections.array import Array
from akdask.collections.creation import array


class Index:
    """Labels of rows: an array with the name of index.

    Parameters
    ----------
    values : pdarray, Strings, Categorical, Index or data at hand
        The labels.
    name : str, optional
        What they are called.

    Examples
    --------
    >>> import akdask as ak
    >>> Index(ak.array([3, 1, 2]))[1:].tolist()
    [1, 2]
    """

    def __init__(self, values: Any, name: str | None = None) -> None:
        given: Any = values.values if isinstance(values, Index) else values
        self.values: Any = given if isinstance(given, Array) else array(given)
        self.name: str | None = values.name if name is None and isinstance(values, Index) else name

    @property
    def dtype(self) -> Any:
        """Type of the labels."""
        return self.values.dtype

    @property
    def size(self) -> int:
        """Number of labels; counts them, once, where a filter has left that open."""
        return int(self.values.size)

    @property
    def shape(self) -> tuple[int]:
        """``(size,)``."""
        return (self.size,)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, key: Any) -> Any:
        """Return one label, or the labels of chosen rows as an `Index`; see `pdarray.__getitem__`."""
        found = self.values[key.values if isinstance(key, Index) else key]
        return Index(found, self.name) if isinstance(found, Array) else found

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the labels; computes them all."""
        return iter(self.values)

    def __eq__(self, other: object) -> Any:
        """Return where labels are equal; lazy bool array."""
        return self.values == (other.values if isinstance(other, Index) else other)

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the labels as a NumPy array; computes."""
        return np.asarray(self.values.to_ndarray())

    def tolist(self) -> list[Any]:
        """Return the labels as a list; computes."""
        return self.to_ndarray().tolist()

    def to_pandas(self) -> pd.Index:
        """Return the labels as a pandas Index; computes."""
        labels = self.values.to_pandas() if hasattr(self.values, "to_pandas") else self.to_ndarray()
        return pd.Index(
            labels if getattr(labels, "dtype", None) is None or labels.dtype.kind != "U" else labels.astype(object),
            name=self.name,
        )

    def __repr__(self) -> str:
        return f"Index({self.values!r}, dtype={str(self.dtype)!r})"
