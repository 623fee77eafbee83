"""Whether two arrays are equal, or nearly so, in all their elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.collections.arrays.creation import full_like
from akdask.collections.arrays.elementwise import elementwise
from akdask.collections.arrays.shaped.ndarray import ArrayView
from akdask.collections.core.array import Array
from akdask.collections.core.scalar import Scalar
from akdask.errors import ArgumentTypeError


def array_equal(pda_a: Any, pda_b: Any, equal_nan: bool = False) -> bool:
    """Whether two arrays have the same shape and elements; computes.

    Parameters
    ----------
    pda_a, pda_b : pdarray, Strings, Categorical or ArrayView
        Text is never equal to numbers.
    equal_nan : bool
        Whether NaN are equal to each other.

    Raises
    ------
    ArgumentTypeError
        If one of them is no lazy array.

    Examples
    --------
    >>> import akdask as ak
    >>> a = ak.array([1.0, float("nan")])
    >>> array_equal(a, a), array_equal(a, a, equal_nan=True)
    (False, True)
    """
    for item in (pda_a, pda_b):
        if not isinstance(item, Array | ArrayView):
            raise ArgumentTypeError(f"array_equal compares lazy arrays, got {type(item).__name__}.")
    if pda_a.shape != pda_b.shape:
        return False
    left, right = (item.base if isinstance(item, ArrayView) else item for item in (pda_a, pda_b))
    if (left.dtype == np.dtype(str)) != (right.dtype == np.dtype(str)):
        return False
    equal = left == right
    if equal_nan and {left.dtype, right.dtype} == {np.dtype(float)}:
        equal |= elementwise("isnan", left) & elementwise("isnan", right)
    return bool(equal.all())


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> bool:
    """Whether numbers differ by no more than a tolerance, ``atol + rtol * abs(b)``; computes.

    Parameters
    ----------
    a, b : pdarray, ArrayView or number
        One of them may be a number, and has that distance of all elements then.
    rtol, atol : float
        Tolerance relative to `b`, and beside that.
    equal_nan : bool
        Whether NaN are close to each other.

    Raises
    ------
    AlignmentError
        If the arrays are not of one size.
    ArgumentTypeError
        If neither is an array.

    Examples
    --------
    >>> import akdask as ak
    >>> allclose(ak.array([1.0, 2.0]), ak.array([1.0, 2.0 + 1e-9])), allclose(ak.array([1.0, 2.0]), 1.0)
    (True, False)
    """
    left, right = (_as_array(item, other) for item, other in ((a, b), (b, a)))
    distance = elementwise("fabs", elementwise("subtract", left, right))
    near = (distance <= elementwise("fabs", right) * rtol + atol) & elementwise("isfinite", right)
    # Infinities are close to themselves, but their distance is no number.
    near |= elementwise("equal", left, right)
    if equal_nan:
        near |= elementwise("isnan", left) & elementwise("isnan", right)
    return bool(near.all())


def _as_array(item: Any, other: Any) -> Any:
    """Return a flat array; of a plain number, one with the rows of the other."""
    if isinstance(item, ArrayView):
        return item.base
    if isinstance(item, int | float | np.number | Scalar) and isinstance(other, Array | ArrayView):
        return full_like(_as_array(other, item), 0) + float(item)
    if not isinstance(item, Array):
        raise ArgumentTypeError(f"allclose compares lazy arrays, got {type(item).__name__}.")
    return item
