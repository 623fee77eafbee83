"""`ArkoudaStringArray`: lazy text in pandas."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import where
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentTypeError, MissingAttributeError
from akdask.extension.base import ArkoudaExtensionArray, holds
from akdask.extension.dtypes import ArkoudaStringDtype
from akdask.extension.refused import COLLECT, refuses
from akdask.extension.scalars import as_lazy

NUMERIC = (
    "all any argpartition byteswap choose clip compress conj conjugate cumprod cumsum diagonal dot dump dumps fill "
    "flatten getfield kurt max mean median min nonzero partition prod put resize setfield sem setflags skew "
    "std sum to_device tobytes tofile trace var"
)


@refuses(NUMERIC, COLLECT)
@holds("ak_string")
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
        super().__init__(as_lazy(data, is_text=True))

    @property
    def dtype(self) -> ArkoudaStringDtype:
        """The type ``ak_string``."""
        return ArkoudaStringDtype()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_str_"):
            method = name.removeprefix("_str_")
            raise MissingAttributeError(
                f"pandas has no lazy .str.{method}.",
                hint=f"s.ak.to_ak_legacy().str.{method}(…) is lazy, s.ak.collect().str.{method}(…) runs in memory.",
            )
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.array([item is None for item in found], np.bool_)] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if found is None else str(found)

    def _missing(self) -> Any:
        return self._data.isna()

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
        return checked_text(value)

    def _like(self, wanted: Any) -> Any:
        return self.astype(wanted) if wanted.name == "ak_category" else self

    def _converted(self, wanted: Any) -> Any:
        if wanted.name == "ak_category":
            return Categorical(self._data)
        return self._data.astype("bigint" if wanted.type is int else wanted.numpy_dtype)


def checked_text(value: Any) -> str | None:
    """Return a scalar that may stand among text, None for what is missing."""
    if isinstance(value, str):
        return value
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    raise ArgumentTypeError(f"{value!r} is no text.", hint="text is str, or None where it is missing.")
