"""`as_lazy`: scalars, and arrays of NumPy and pandas, as lazy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import array
from akdask.collections.core.array import Array
from akdask.collections.core.wrap import special
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentTypeError
from akdask.extension.operators import LazyOperators

NUMBERS = (bool, int, float, np.bool_, np.integer, np.floating)


def as_lazy(items: Any, is_text: bool = False) -> Any:
    """Return scalars, or an array of NumPy or pandas, as a lazy array.

    Parameters
    ----------
    items : array, Series, Index or sequence of scalars
        None, NaN and ``pd.NA`` are missing: integers and bools beside them become floats.
    is_text : bool
        What has no element that is there is text, and not floats.

    Raises
    ------
    ArgumentTypeError
        If the elements are neither all numbers nor all text.
    """
    if isinstance(items, pd.Series | pd.Index):
        items = items.array
    if isinstance(items, LazyOperators):
        return items._data
    if isinstance(items, Array):
        return items
    if isinstance(items, pd.Categorical):
        return Categorical(items)
    if not isinstance(items, np.ndarray) and hasattr(items, "dtype"):
        is_text = is_text or isinstance(items.dtype, pd.StringDtype)
        items = items.to_numpy() if hasattr(items, "to_numpy") else np.asarray(items)
    if not isinstance(items, np.ndarray):
        items = pd.Series(list(items), dtype=object).to_numpy()
    found = special(items)
    if found is not None:
        return found
    return array(_uniform(items, is_text) if items.dtype == object else items)


def _uniform(items: np.ndarray[Any, Any], is_text: bool) -> np.ndarray[Any, Any]:
    """Return objects as NumPy has their type; text as objects, None where it is missing."""
    missing = np.asarray(pd.isna(items))
    there = items[~missing]
    if (is_text and not len(there)) or any(isinstance(item, str) for item in there):
        _check_all(there, (str,))
        text = items.copy()
        text[missing] = None
        return text
    if not len(items):
        return np.empty(0)
    _check_all(there, NUMBERS)
    if missing.any():
        return np.array(
            [np.nan if is_missing else item for is_missing, item in zip(missing, items, strict=True)], float
        )
    plain = np.array(list(there))
    # NumPy has floats for integers that none of its types holds.
    is_lossy = plain.dtype.kind == "f" and all(isinstance(item, int | np.integer) for item in there)
    return items if is_lossy else plain


def _check_all(items: np.ndarray[Any, Any], types: tuple[type, ...]) -> None:
    other = next((item for item in items if not isinstance(item, types)), None)
    if other is not None:
        raise ArgumentTypeError(
            f"a lazy array does not hold {type(other).__name__} beside {type(items[0]).__name__}.",
            hint="elements are all numbers, or all text.",
        )
