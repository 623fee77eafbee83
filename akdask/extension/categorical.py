"""`ArkoudaCategorical`: lazy text of few distinct values in pandas."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from akdask.collections.arrays.elementwise import where
from akdask.collections.text.categorical import Categorical
from akdask.errors import ArgumentTypeError
from akdask.extension.base import ArkoudaExtensionArray, holds
from akdask.extension.dtypes import ArkoudaCategoricalDtype
from akdask.extension.refused import COLLECT, refuses

OF_PANDAS = (
    "add_categories as_ordered as_unordered check_for_ordered describe from_codes memory_usage notna notnull "
    "remove_categories remove_unused_categories rename_categories reorder_categories set_categories set_ordered sort_values "
    "to_list kurt max mean median min sem skew std sum var prod any all"
)


@refuses(OF_PANDAS, COLLECT)
@holds(np.str_)
class ArkoudaCategorical(ArkoudaExtensionArray):
    """A `Categorical` in pandas; its label for missing elements is NaN there.

    Parameters
    ----------
    data : Categorical, or sequence of str
        The elements.

    Examples
    --------
    >>> import akdask as ak, pandas as pd
    >>> s = pd.Series(ArkoudaCategorical(ak.Categorical(ak.array(["x", "y", "x"]))))
    >>> (s == "x").tolist()
    [True, False, True]
    """

    _holds = Categorical
    default_fill_value = ""

    def __init__(self, data: Any) -> None:
        super().__init__(data if isinstance(data, Categorical | ArkoudaExtensionArray) else Categorical(data))

    @property
    def dtype(self) -> ArkoudaCategoricalDtype:
        """The type ``ak_category``."""
        return ArkoudaCategoricalDtype()

    def _elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.asarray(self._data.isna().to_ndarray())] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if found == self._data.na_value else str(found)

    def isna(self) -> np.ndarray[Any, Any]:
        """Return which elements have the label for missing ones, as a NumPy array; computes."""
        return np.asarray(self._data.isna().to_ndarray())

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        text = where(missing, self._checked_scalar(fill), data.to_strings())
        return Categorical(text)

    def _filled_rows(self, count: int, fill: Any) -> Any:
        return Categorical([self._checked_scalar(fill)] * count)

    def _checked_scalar(self, value: Any) -> Any:
        if isinstance(value, str):
            return value
        if pd.isna(value):
            return "N/A"
        raise ArgumentTypeError(f"{value!r} is no text.")

    def _reduce(self, name: str, *, skipna: bool = True, keepdims: bool = False, **kwargs: Any) -> Any:
        raise ArgumentTypeError(f"cannot perform {name} with type {self.dtype}")

    def _converted(self, wanted: Any) -> Any:
        text = where(self._data.isna(), None, self._data.to_strings())
        return text if wanted.type is str else text.astype("bigint" if wanted.type is int else wanted.numpy_dtype)
