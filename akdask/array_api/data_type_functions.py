"""Types of elements: int64, uint64, float64 and bool; narrower ones widen to these."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.array_api.array_object import StandardArray
from akdask.errors import ArgumentError, ArgumentTypeError

KINDS = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The words of the standard for kinds of types, and NumPy's letters for them."""


def astype(x: StandardArray, dtype: Any, /, *, copy: bool = True) -> StandardArray:
    """Return the elements converted to another type; lazy.

    Examples
    --------
    >>> import akdask.array_api as xp
    >>> xp.astype(xp.asarray([1.7, 0.0]), xp.int64).tolist()
    [1, 0]
    """
    return StandardArray(x._array.astype(dtype))


def can_cast(from_: Any, to: Any, /) -> bool:
    """Whether a type, or that of an array, converts to another without loss.

    Examples
    --------
    >>> can_cast("int64", "float64"), can_cast("float64", "int64")
    (True, False)
    """
    return bool(np.can_cast(from_.dtype if isinstance(from_, StandardArray) else from_, to))


def finfo(type: Any, /) -> Any:
    """Return the limits of a type of floats, or of that of an array, as NumPy has them."""
    return np.finfo(type.dtype if isinstance(type, StandardArray) else type)


def iinfo(type: Any, /) -> Any:
    """Return the limits of a type of integers, or of that of an array, as NumPy has them."""
    return np.iinfo(type.dtype if isinstance(type, StandardArray) else type)


def isdtype(dtype: Any, kind: Any) -> bool:
    """Whether a type is of a kind, or of one of several.

    Parameters
    ----------
    dtype : dtype-like
        The type.
    kind : str, dtype-like, or tuple of them
        A word of the standard such as ``integral``, or another type.

    Raises
    ------
    ArgumentError
        If there is no such kind.

    Examples
    --------
    >>> isdtype("int64", "integral"), isdtype("int64", ("bool", "real floating"))
    (True, False)
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    if not isinstance(kind, str):
        return bool(np.dtype(dtype) == np.dtype(kind))
    if kind not in KINDS:
        raise ArgumentError(f"{kind!r} is no kind of types.", hint=f"kinds are {', '.join(KINDS)}.")
    return np.dtype(dtype).kind in KINDS[kind]


def result_type(*arrays_and_dtypes: Any) -> np.dtype[Any]:
    """Return the type that arrays, types and numbers have in common.

    Examples
    --------
    >>> result_type("int64", "float64")
    dtype('float64')
    """
    if not arrays_and_dtypes:
        raise ArgumentTypeError("result_type needs an array or a type.")
    return np.result_type(*(item.dtype if isinstance(item, StandardArray) else item for item in arrays_and_dtypes))
