"""`ArkoudaStringArray`: lazy text in pandas."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import where
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentTypeError
from akdask.extension.base import ArkoudaExtensionArray, holds
from akdask.extension.dtypes import ArkoudaStringDtype
from akdask.extension.refused import COLLECT, refuses

NUMERIC = (
    "all any argpartition byteswap choose clip compress conj conjugate cumprod cumsum diagonal dot dump dumps fill flatten "
    "getfield kurt max mean median min nonzero partition prod put resize round setfield sem setflags skew std sum to_device tobytes "
    "tofile trace var"
)


@refuses(NUMERIC, COLLECT)
@holds(str)
class ArkoudaStringArray(ArkoudaExtensionArray):
    """`Strings` in pandas; NaN stands for text that is missing.

    Parameters
    ----------
    data : Strings, or sequence of str
        The elements.

    Examples
    --------
    >>> import akdask as ak, pandas as pd
    >>> pd.Series(ArkoudaStringArray(ak.array(["b", None, "a"]))).sort_values().tolist()
    ['a', 'b', nan]
    """

    _holds = Strings
    default_fill_value = ""

    def __init__(self, data: Any) -> None:
        super().__init__(data if isinstance(data, Strings | ArkoudaExtensionArray) else array(data))

    @property
    def dtype(self) -> ArkoudaStringDtype:
        """The type ``ak_string``."""
        return ArkoudaStringDtype()

    def _elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.array([item is None for item in found], np.bool_)] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if found is None else str(found)

    def isna(self) -> np.ndarray[Any, Any]:
        """Return which text is missing, as a NumPy array; computes where some may be."""
        return np.asarray(self._data.isna().to_ndarray())

    def fillna(self, value: Any, limit: int | None = None, copy: bool = True) -> Self:  # type: ignore[override]
        """Return the text with other text in place of what is missing; lazy for one str.

        Parameters
        ----------
        value : str, or array of as many elements
            What takes its place.
        limit : int, optional
            How many are filled at most.
        copy : bool
            Accepted for compatibility with pandas.
        """
        if limit is not None or not isinstance(value, str):
            return super().fillna(value, limit=limit, copy=copy)
        return self._wrapped(self._data.fillna(value))

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        return where(missing, self._checked_scalar(fill), data)

    def _filled_rows(self, count: int, fill: Any) -> Any:
        return array([self._checked_scalar(fill)] * count)

    def _checked_scalar(self, value: Any) -> Any:
        if isinstance(value, str):
            return value
        if pd.isna(value):
            return None
        raise ArgumentTypeError(f"{value!r} is no text.")

    def _assign(self, key: Any, value: Any) -> None:
        if isinstance(key, int):
            key = slice(key, None if key == -1 else key + 1)
        rows = np.zeros(len(self), np.bool_)
        positions = np.arange(len(self))[key.to_ndarray() if hasattr(key, "to_ndarray") else key]
        rows[positions] = True
        if value is None or isinstance(value, str):
            self._data = where(array(rows), value, self._data)
            return
        found = self._elements()
        found[positions] = ArkoudaStringArray(value)._elements()
        self._data = array(np.where(pd.isna(found), None, found))

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        raise ArgumentTypeError(f"cannot perform {name} with type {self.dtype}")
