"""Loops that add rows up."""

from __future__ import annotations

from typing import Any

from akdask.kernels.compiled.compiler import compiled, read_only
from akdask.typing import NumberArray


def sum_selected(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    """Return the sum of the integers where the mask holds, in the type of `zero`, which is theirs."""
    return _sum(read_only(column), read_only(mask), zero)


@compiled
def _sum(column: NumberArray, mask: NumberArray, zero: Any) -> Any:
    total = zero
    for row in range(len(column)):
        total += column[row] if mask[row] else zero
    return total
