"""Strings of which some are missing: finding them, filling them, leaving them out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from akdask.collections.core.array import Array
from akdask.collections.core.operators import combine
from akdask.collections.core.selection import filter_columns
from akdask.collections.core.wrap import wrap
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_text import is_missing, is_present
from akdask.plan.expr.values import Call, Value

if TYPE_CHECKING:
    from akdask.collections.arrays.pdarray import pdarray


class MissingTextMethods(Array):
    """Missing text, which is not empty text; all lazy."""

    def isna(self) -> pdarray:
        """Return which strings are missing; lazy bool array.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["a", None, ""]).isna().tolist()
        [False, True, False]
        """
        value = self._value
        return self._truth(is_missing(value) if self._has_missing else Call("not_equal", value, value))

    def notna(self) -> pdarray:
        """Return which strings are not missing; lazy bool array."""
        value = self._value
        return self._truth(is_present(value) if self._has_missing else Call("equal", value, value))

    def isnull(self) -> pdarray:
        """Return which strings are missing, as `isna` does; lazy bool array."""
        return self.isna()

    def notnull(self) -> pdarray:
        """Return which strings are not missing, as `notna` does; lazy bool array."""
        return self.notna()

    def fillna(self, value: Any) -> Self:
        """Return the strings with other text in place of those that are missing; lazy.

        Parameters
        ----------
        value : str or Strings
            The text, or one for each row.

        Raises
        ------
        ArgumentTypeError
            If it is no text.
        AlignmentError
            If it is an array with other rows.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.array(["a", None, ""]).fillna("-").tolist()
        ['a', '-', '']
        """
        if not isinstance(value, str | MissingTextMethods):
            raise ArgumentTypeError(f"missing text is filled with text, not with a {type(value).__name__}.")
        if not self._has_missing:
            return self.copy()
        return self._like(*combine("fill_missing", [self, value]))

    def dropna(self) -> Self:
        """Return the strings that are not missing; lazy."""
        if not self._has_missing:
            return self.copy()
        frame, (value,) = filter_columns(self._frame, [self._value], self._frame, is_present(self._value))
        return self._like(frame, value)

    @property
    def _has_missing(self) -> bool:
        """Whether any may be missing."""
        return self._value.dtype.nullable

    def _truth(self, value: Value) -> Any:
        return wrap(self._frame, value)
