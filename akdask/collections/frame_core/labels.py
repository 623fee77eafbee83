"""Labels of rows as arrays: made of what users give, converted, and handed to pandas."""

from __future__ import annotations

from collections.abc import Hashable
from inspect import isfunction
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import cast
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array, of_rows
from akdask.collections.core.base import Labelled
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.frame_core.memory_units import convert_bytes
from akdask.collections.frame_core.missing import present
from akdask.collections.text.categorical import Categorical
from akdask.deferred import is_pandas, pd
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError

INFERRED = {"int": "integer", "uint": "integer", "bigint": "integer", "float": "floating", "bool": "boolean"}
INFERRED |= {"str": "string"}
"""What pandas calls labels, by the kind of their type."""


def as_labels(given: Any) -> Any:
    """Return what a user gives as labels as an array; an error if it is neither array nor sequence."""
    if isinstance(given, Array):
        return of_rows(given).copy()  # What is assigned to the given one later does not change labels.
    if isinstance(given, str | bytes) or not hasattr(given, "__len__"):
        raise ArgumentTypeError(f"labels are an array or a sequence, not {type(given).__name__}.")
    if is_pandas(getattr(given, "dtype", None), "CategoricalDtype"):
        return Categorical(given)
    return of_rows(array(given))


def converted(labels: Any, dtype: Any) -> Any:
    """Convert labels to a type, or by a function that makes an array of one."""
    makes = isfunction(dtype) or (isinstance(dtype, type) and issubclass(dtype, Array))
    return dtype(labels) if makes else cast(labels, dtype)


def check_na_position(given: str) -> None:
    """Refuse to put missing labels anywhere but last."""
    if given == "first":
        raise UnsupportedError("na_position='first': missing labels of several levels come last.")
    if given != "last":
        raise ArgumentError(f"na_position={given!r} is neither 'last' nor 'first'.")


def is_there(labels: Any) -> Any:
    """Return which labels are not missing, as a lazy bool array."""
    columns = ColumnSet.of({"labels": labels})
    return pdarray(columns.frame, present(columns, "labels"))


def for_pandas(labels: Any) -> Any:
    """Return labels as pandas has them: text as objects."""
    found = labels.to_pandas() if hasattr(labels, "to_pandas") else labels.to_ndarray()
    return found.astype(object) if isinstance(found, np.ndarray) and found.dtype.kind == "U" else found


class LabelConversion(Labelled):
    """Conversion of an `Index`."""

    name: Any
    _labels: Any
    _list: list[Hashable] | None

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
