"""Missing values of a Series: NaN, NaT, missing text, and elements of Categoricals that are missing."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.frame_core.missing import present
from akdask.collections.lists.segarray import SegArray
from akdask.collections.series.base import VALUES
from akdask.collections.series.operators import SeriesOperators
from akdask.collections.text.categorical import Categorical
from akdask.collections.text.strings import Strings
from akdask.collections.time.timearray import TimeArray
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_integers import negated
from akdask.plan.expr.values import Value
from akdask.schema import FLOAT64


class SeriesMissing(SeriesOperators):
    """Finding, filling and leaving out what is missing."""

    def isna(self) -> Self:
        """Return where values are missing, as a Series of bool; lazy.

        Raises
        ------
        ArgumentTypeError
            If the values are lists.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan")], index=[5, 7]).isna().to_pandas().to_dict()
        {5: False, 7: True}
        """
        return self._marked(negated(self._present()))

    def notna(self) -> Self:
        """Return where values are not missing, as a Series of bool; lazy.  See `isna`."""
        return self._marked(self._present())

    def isnull(self) -> Self:
        """Return where values are missing; the same as `isna`."""
        return self.isna()

    def notnull(self) -> Self:
        """Return where values are not missing; the same as `notna`."""
        return self.notna()

    def hasnans(self) -> np.bool_:
        """Whether a value is missing; computes."""
        return np.bool_(bool(self.isna().values.any()))

    def count(self) -> Any:
        """Return the number of values that are not missing; lazy."""
        return self.notna().values.sum()

    def dropna(self) -> Self:
        """Return the entries whose values are not missing; lazy."""
        return self._moved(self._labelled._rows(self.notna().values))

    def fillna(self, value: Any) -> Self:
        """Return the Series with other values in place of those that are missing; lazy.

        Parameters
        ----------
        value : scalar, pdarray or Series
            One value, or one for each row: those of a Series by its labels, and what it has no label for stays missing.

        Returns
        -------
        Series
            Values that cannot be missing, such as integers, stay as they are.

        Raises
        ------
        ArgumentTypeError
            If text would be filled with something else, or numbers with text.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan"), 3.0]).fillna(100.0).tolist()
        [1.0, 100.0, 3.0]
        """
        values = self.values
        filling = self._on_rows(value)
        if isinstance(values, Strings | Categorical) and isinstance(filling, str):
            return self._with(values.fillna(filling))
        if isinstance(values, TimeArray):
            filled = where(~self.isna().values, values, filling)
            return self._with(filled if isinstance(filling, Array) else filled._lacking(False))
        if isinstance(values, Strings | Categorical):
            if isinstance(filling, str | Strings | Categorical):
                return self._with(where(self.isna().values, filling, values))
            raise ArgumentTypeError(
                f"missing elements of {values._describe()} are filled with text, not a {type(filling).__name__}.",
                hint="fillna('…') fills them.",
            )
        if values._value.dtype != FLOAT64:
            return self._with(values)
        if isinstance(filling, str | Strings):
            raise ArgumentTypeError("NaN is filled with a number, not with text.", hint="make text of it: astype(str).")
        return self._with(where(self.isna().values, filling, values))

    def _present(self) -> Value:
        if self._lacking is not None:
            return negated(self._lacking._value)
        if isinstance(self.values, SegArray):
            raise ArgumentTypeError("lists are never missing.", hint="ask for s.values.lengths == 0.")
        return present(self._labelled._columns, VALUES)

    def _marked(self, value: Value) -> Self:
        return self._with(pdarray(self._labelled._columns.frame, value))
