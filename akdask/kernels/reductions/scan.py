"""Scans: running totals and extremes of a column, given those of all rows before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import type_of
from akdask.columns.bigint import from_ints, to_ints
from akdask.kernels.aggregates.extremes import without_sign_of_zero
from akdask.kernels.aggregates.specification import TOTALS, themselves
from akdask.schema import BIGINT, ColumnType
from akdask.typing import Column, NumberArray


@dataclass(frozen=True, slots=True)
class PrefixScan:
    """A scan of a column.

    Parameters
    ----------
    name : str
        Its key in ``SCANS``.
    reduction : str
        The reduction whose result over a row and all before it the scan gives.
    ufunc : ufunc
        Merges two results.
    types : mapping of ColumnType to ColumnType
        Type of the result for every type of column that it takes.
    """

    name: str
    reduction: str
    ufunc: np.ufunc
    types: Mapping[ColumnType, ColumnType]

    def accumulate(self, column: Column, before: Any) -> Column:
        """Return the running results; `before` is that of all earlier rows, None if there are none.  Integers wrap."""
        if not isinstance(column, np.ndarray):
            numbers = [] if before is None else [int(before)]
            running_numbers = self.ufunc.accumulate(np.array(numbers + to_ints(column), object))
            return from_ints(running_numbers[len(numbers) :].tolist())
        with np.errstate(all="ignore"):
            running: NumberArray = self.ufunc.accumulate(column, dtype=self.types[type_of(column)].numpy)
            running = running if before is None else self.ufunc(running, before, out=running)
        return without_sign_of_zero(running) if self.ufunc in (np.minimum, np.maximum) else running


ITSELF = themselves(*TOTALS)

SCANS: dict[str, PrefixScan] = {
    scan.name: scan
    for scan in (
        PrefixScan("cumsum", "sum", np.add, {**TOTALS, BIGINT: BIGINT}),
        PrefixScan("cumprod", "prod", np.multiply, TOTALS),
        PrefixScan("cummin", "min", np.minimum, ITSELF),
        PrefixScan("cummax", "max", np.maximum, ITSELF),
    )
}
"""The scans by name."""
