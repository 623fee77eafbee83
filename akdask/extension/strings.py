"""`ArkoudaStringArray`: lazy text in pandas."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import where
from akdask.collections.core.array import Array
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentTypeError
from akdask.extension.base import ArkoudaExtensionArray, holds
from akdask.extension.dtypes import ArkoudaStringDtype
from akdask.extension.refused import COLLECT, refuses
from akdask.extension.scalars import as_lazy

NUMERIC = (
    "all any argpartition byteswap choose clip compress conj conjugate cumprod cumsum diagonal dot dump dumps fill flatten "
    "getfield kurt max mean median min nonzero partition prod put resize setfield sem setflags skew std sum to_device tobytes "
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

    def _filled(self, value: Any) -> Self:
        if isinstance(value, str):
            return self._wrapped(self._data.fillna(value))
        if not pd.api.types.is_list_like(value):
            self._checked_scalar(value)
            return self.copy()
        return self._wrapped(where(self._data.isna(), as_lazy(value), self._data))

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

    def _like(self, wanted: Any) -> Any:
        return self.astype(wanted) if wanted.type is np.str_ else self

    def _assign(self, key: Any, value: Any) -> None:
        positions = np.arange(len(self))[key.to_ndarray() if isinstance(key, Array) else key]
        rows = np.zeros(len(self), np.bool_)
        rows[positions] = True
        if isinstance(value, Strings):
            source = np.zeros(len(self), np.int64)
            source[positions] = np.arange(value.size)
            value = value[array(source)] if value.size else ""
        changed = where(array(rows), value, self._data)
        # In place, as views have the same text.
        self._data._frame, self._data._value = changed._frame, changed._value

    def _converted(self, wanted: Any) -> Any:
        if wanted.type is np.str_:
            return Categorical(self._data)
        return self._data.astype("bigint" if wanted.type is int else wanted.numpy_dtype)

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        if name == "count":
            return int((~self.isna()).sum())
        raise ArgumentTypeError(f"Cannot perform reduction '{name}' with type {self.dtype}")
