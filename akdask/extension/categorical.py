"""`ArkoudaCategorical`: lazy text of few distinct values in pandas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Self

import numpy as np
import pandas as pd

from akdask.collections.arrays.creation import array
from akdask.collections.arrays.elementwise import where
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentTypeError
from akdask.extension.base import ArkoudaExtensionArray, holds
from akdask.extension.dtypes import ArkoudaCategoricalDtype
from akdask.extension.refused import COLLECT, refuses
from akdask.extension.scalars import as_lazy
from akdask.extension.strings import ArkoudaStringArray, checked_text

EQUALITY = (operator.eq, np.equal, operator.ne, np.not_equal)

OF_PANDAS = (
    "add_categories as_ordered as_unordered check_for_ordered describe from_codes notna notnull remove_categories "
    "remove_unused_categories rename_categories reorder_categories set_categories set_ordered sort_values to_list "
    "kurt max mean median min sem skew std sum var prod any all"
)


@refuses(OF_PANDAS, COLLECT)
@holds("ak_category")
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
        data = as_lazy(data, is_text=True)
        super().__init__(Categorical(data) if isinstance(data, Strings) else data)

    @property
    def dtype(self) -> ArkoudaCategoricalDtype:
        """The type ``ak_category``."""
        return ArkoudaCategoricalDtype()

    def _computed_elements(self) -> np.ndarray[Any, Any]:
        found = np.array(self._data.tolist(), object)
        found[np.asarray(self._data.isna().to_ndarray())] = np.nan
        return found

    def _scalar(self, found: Any) -> Any:
        return np.nan if found == self._data.na_value else str(found)

    def _computed(self, function: Callable[..., Any], *items: Any) -> Any:
        if any(isinstance(item, pd.Series | pd.Index | pd.DataFrame) for item in items):
            return NotImplemented
        if function in EQUALITY:
            found = super()._computed(function, *items)._data
            # What is missing equals nothing, though it has a label.
            missing = self._data.isna()
            return self._wrapped(found & ~missing if function in EQUALITY[:2] else found | missing)
        raise ArgumentTypeError(
            f"{function.__name__} does not take arguments of type {self.dtype.name}.",
            hint="its elements are equal or not; s.astype('ak_string') has an order and is put together.",
        )

    def _missing(self) -> Any:
        return self._data.isna()

    def memory_usage(self, deep: bool = False) -> int:
        """Return the bytes of the elements when they are in memory; computes.

        Parameters
        ----------
        deep : bool
            Makes no difference.
        """
        return self.nbytes

    @property
    def _text(self) -> Any:
        """The elements as lazy text, what has the label for missing ones missing."""
        return where(self._data.isna(), None, self._data.to_strings())

    def _filled(self, value: Any) -> Self:
        return self._wrapped(Categorical(ArkoudaStringArray(self._text)._filled(value)._data))

    def _assign(self, key: Any, value: Any) -> None:
        text = ArkoudaStringArray(self._text)
        text._assign(key, where(value.isna(), None, value.to_strings()) if isinstance(value, Categorical) else value)
        self._become(Categorical(text._data))

    def _become(self, data: Any) -> None:
        super()._become(data)
        self._data._category_table, self._data.permutation, self._data.segments = data._category_table, None, None

    def _filling(self, data: Any, missing: Any, fill: Any) -> Any:
        text = where(data.isna(), None, data.to_strings())
        return Categorical(where(missing, self._checked_scalar(fill), text))

    def _filled_rows(self, count: int, fill: Any) -> Any:
        return Categorical(array([self._checked_scalar(fill)] * count))

    def _checked_scalar(self, value: Any) -> Any:
        return checked_text(value)

    def _converted(self, wanted: Any) -> Any:
        return (
            self._text
            if wanted.type is str
            else self._text.astype("bigint" if wanted.type is int else wanted.numpy_dtype)
        )
