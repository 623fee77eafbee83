"""Public aliases and the protocols that tie the layers together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pyarrow as pa

Scalar: TypeAlias = bool | int | float | str | np.generic
"""A single value as users write it."""

NumberArray: TypeAlias = npt.NDArray[Any]
"""A one-dimensional NumPy array of int64, uint64, float64, uint8 or bool."""

StringArray: TypeAlias = "pa.LargeStringArray"
"""Strings of one partition: Arrow offsets and bytes, no Python objects."""

Column: TypeAlias = "NumberArray | pa.LargeStringArray"
"""What one column of one partition is in memory: numbers in NumPy; strings, lists and integers of any size in Arrow.
Numbers with missing rows are a `NullableColumn` of `akdask.columns.nullable`."""
