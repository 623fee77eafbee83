"""Lazy columns of pandas' nullable types: integers, floats, bools and text, whose missing values are NA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas

from akdask.pandas.arrow_types import BOOL, Arrow
from akdask.pandas.encoded import EXTREMES, Coding
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

DTYPES: Mapping[str, Any] = {
    **{f"int{bits}": pandas.api.types.pandas_dtype(f"Int{bits}") for bits in (8, 16, 32, 64)},
    "double": pandas.Float64Dtype(),
    "bool": pandas.BooleanDtype(),
    "string": pandas.StringDtype(na_value=pandas.NA),
}
"""pandas' nullable types by the names of Arrow's types of the same values."""


@record
class Masked(Arrow):
    """Values of a nullable type; compared, ordered and grouped as those of the type of Arrow."""

    @property
    def token(self) -> str:
        """Names the coding in plans."""
        return f"masked {self.type} {self.has_nan}"

    @property
    def dtype(self) -> Any:
        """The type of pandas."""
        return DTYPES[str(self.type)]

    def of_comparisons(self) -> Arrow:
        """Return the coding of bools: those of text are of Arrow."""
        return Arrow(BOOL) if self.kind == "U" else Masked(BOOL)

    def shares_numbers(self, other: Coding) -> bool:
        """Return whether the other one's values are of the same type."""
        return isinstance(other, Masked) and Arrow.shares_numbers(self, other)

    def in_common(self, other: Coding) -> Coding:
        """Return a coding of the values of both, where they are of one type."""
        if self != other:
            raise NotLazyError("columns are of different types")
        return self

    def __call__(self, column: Any) -> Any:
        """Return the values of a computed column."""
        if self.kind == "U":
            from akdask.columns.strings import with_nulls

            return self.dtype.__from_arrow__(with_nulls(column))
        return Coding.__call__(self, column)

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return a nullable array."""
        values = np.array(numbers, np.dtype(self.type.to_pandas_dtype()))
        mask = np.zeros(len(values), np.bool_) if missing is None else np.array(missing, np.bool_)
        if self.kind == "f":
            mask |= np.isnan(values)
        return self.dtype.construct_array_type()(values, mask)

    def parts(self, how: str) -> tuple[tuple[str, str], ...]:
        """Return the reductions of numbers from which a reduction of values is made."""
        if self.kind not in "iU" or (self.kind == "U" and how not in ("nunique", "first", "last")):
            raise NotLazyError(f"{how} of {self.dtype} has no lazy form")
        return Arrow.parts(self, how)

    def reduced(self, how: str, found: Sequence[pandas.Series]) -> Any:
        """Return a reduction of values."""
        (made,) = found
        if how == "nunique":
            return made
        if self.kind == "U" or how in EXTREMES:
            return made.astype(self.dtype)
        if how == "sum" and (made.astype(np.dtype(self.type.to_pandas_dtype())) == made).all():
            return made.astype(self.dtype)
        if how == "sum":
            raise NotLazyError("sums are larger than the type")
        return made.astype(pandas.Int64Dtype() if how == "count" else pandas.Float64Dtype())
