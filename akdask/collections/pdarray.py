"""`pdarray`: a lazy one-dimensional array of numbers or bools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.collections.array import Array, as_ndarray
from akdask.collections.assignment import assigned
from akdask.collections.operators import OperatorMethods
from akdask.collections.reductions import ReductionMethods
from akdask.collections.wrap import shows


@shows("int", "uint", "float", "bool")
class pdarray(OperatorMethods, ReductionMethods, Array):
    """A lazy array of int64, uint64, float64 or bool.

    Made by reading files, by `array`, `arange` and their like, and by computing with other arrays.  Everything is lazy
    unless its description says otherwise.  Arithmetic follows Arkouda's type promotion, comparison gives bool arrays,
    and NumPy's ufuncs work on it.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.arange(6)
    >>> (a * 2)[a > 3].tolist()
    [8, 10]
    >>> int(a.sum())
    15
    """

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        return self._value.dtype.numpy

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._value.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements; counts rows if their number is unknown."""
        return self.size * self.itemsize

    def _form(self) -> Callable[..., Any]:
        return as_ndarray

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign to rows: lazy, and what was derived from the array before keeps the old values.

        Parameters
        ----------
        key : int, slice, or array of bool or int
            Which rows.
        item : scalar or pdarray
            One value for all of them, or an array as long as the selection.
        """
        self._frame, self._value = assigned(self, key, item)

    def fill(self, value: Any) -> None:
        """Set every element; lazy."""
        self[:] = value

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same elements in the same order; computes."""
        if not isinstance(other, pdarray) or self.size != other.size:
            return False
        return bool(self._operate("equal", self, other).all())
