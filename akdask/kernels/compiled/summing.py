"""Loops that add rows up."""

from __future__ import annotations

from typing import Any

from akdask.kernels.compiled.compiler import read_only, reordered
from akdask.typing import NumberArray

STEP = 2**12
"""Rows that are added up by themselves: sums of sums lose fewer digits of floats."""


def sum_selected(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    """Return the sum of the rows where the mask holds, computed in the type of `zero`."""
    return _sum(read_only(column), read_only(mask), zero)


@reordered
def _sum(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    total = zero
    for first in range(0, len(column), STEP):
        some, marks = column[first : first + STEP], mask[first : first + STEP]
        part = zero
        for row in range(len(some)):
            part += some[row] if marks[row] else zero
        total += part
    return total
