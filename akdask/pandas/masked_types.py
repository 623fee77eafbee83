"""Lazy columns of pandas' nullable types: integers, floats, bools and text, whose missing values are NA."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas
import pyarrow as pa

from akdask.pandas.arrow_types import BOOL, Arrow
from akdask.pandas.encoded import EXTREMES, Coding, with_gaps
from akdask.pandas.refusals import NotLazyError
from akdask.records import record

DTYPES: Mapping[str, Any] = {
    **{f"int{bits}": pandas.api.types.pandas_dtype(f"Int{bits}") for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": pandas.api.types.pandas_dtype(f"UInt{bits}") for bits in (8, 16, 32, 64)},
    "float": pandas.Float32Dtype(),
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

    def is_number(self, *, floats: bool, nullable: bool) -> bool:
        """Return whether values are numbers."""
        return nullable and self.kind in "iuf"

    def decoded(self, numbers: Any, missing: Any) -> Any:
        """Return a nullable array."""
        values = np.array(numbers, np.dtype(self.type.to_pandas_dtype()))
        mask = np.zeros(len(values), np.bool_) if missing is None else np.array(missing, np.bool_)
        if self.kind == "f":
            mask |= np.isnan(values)
        elif self.kind in "iu":
            values[mask] = 1  # As in pandas, which looks for zeros among divisors, missing ones or not.
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


def coding_of_masked(dtype: Any) -> Masked | None:
    """Return the coding of a nullable type, None for other types."""
    return next((Masked(pa.type_for_alias(name)) for name, known in DTYPES.items() if known == dtype), None)


def from_masked(values: Any) -> tuple[Any, Coding] | None:
    """Return numbers or text for a nullable array, and what they stand for; None if there is no coding."""
    coding = coding_of_masked(values.dtype)
    if coding is None:
        return None
    if coding.kind == "U":
        return values.astype("str"), coding
    numbers, missing = of_masked(values)
    if coding.kind == "f":
        return np.where(missing, np.nan, numbers.astype(np.float64)), coding
    wide = numbers if coding.kind == "b" or numbers.dtype == np.uint64 else numbers.astype(np.int64)
    return with_gaps(wide, missing), coding


def of_masked(array: Any) -> tuple[Any, Any]:
    """Return the numbers of a nullable array, 0 where they are missing, and which ones are."""
    kind = array.dtype.numpy_dtype
    missing = np.asarray(array.isna())
    return array.to_numpy(kind, na_value=kind.type(0)) if missing.any() else array.to_numpy(kind), missing
