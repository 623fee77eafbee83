"""How a reduction is declared: what is kept of the rows seen so far, and how that is joined and finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import empty
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.core.summation import UnitPositions
from akdask.schema import BIGINT, BOOL, FLOAT64, INT64, UINT8, UINT64, ColumnType, bigint_of, unlimited
from akdask.typing import Column, NumberArray

TOTALS = {BOOL: INT64, UINT8: UINT64, INT64: INT64, UINT64: UINT64, FLOAT64: FLOAT64}
"""Types of sums and products: those of NumPy, which Arkouda's sums have too.  Integers wrap."""

State = Any
"""What is kept of the rows seen so far: small, and picklable."""


@dataclass(frozen=True, slots=True)
class Reduction:
    """A reduction of a column to one value.

    Parameters
    ----------
    name : str
        Its key in ``REDUCTIONS``.
    types : mapping of ColumnType to ColumnType
        Type of the result for every type of column that it takes.
    block, join, final : callable
        What `partial`, `merge` and `finalize` do.
    is_placed : bool
        Whether it matters to `block` where rows stand, as it adds floats up: see `akdask.kernels.core.summation`.
    """

    name: str
    types: dict[ColumnType, ColumnType]
    block: Callable[..., State]
    join: Callable[[State, State], State]
    final: Callable[..., Any]
    is_placed: bool = False

    def result_type(self, dtype: ColumnType) -> ColumnType:
        """Return the type of the result for a column of type `dtype`.

        Raises
        ------
        ArgumentTypeError
            If the reduction does not take such columns.
        """
        found = self.types.get(unlimited(dtype))
        if found is None:
            raise ArgumentTypeError(
                f"{self.name} does not take a column of type {dtype}.",
                details=[f"types that it takes: {', '.join(map(str, self.types))}"],
            )
        return bigint_of(dtype.max_bits) if found == BIGINT else found

    def empty(self, dtype: ColumnType) -> State:
        """Return the state of no rows."""
        return self.partial(empty(dtype))

    def partial(self, column: Column, mask: NumberArray | None = None, positions: UnitPositions | None = None) -> State:
        """Reduce one block, or those of its rows where a bool mask holds.

        Without `positions`, the first row stands where a unit of `akdask.kernels.core.summation` begins.
        """
        with np.errstate(all="ignore"):
            return self.block(column, mask, positions) if self.is_placed else self.block(column, mask)

    def merge(self, left: State, right: State) -> State:
        """Return the state of the rows of both; those of `left` come first."""
        with np.errstate(all="ignore"):
            return self.join(left, right)

    def joined(self, left: State | None, right: State | None) -> State | None:
        """Return the state of the rows of both, of which either may have had none: then it is None."""
        return right if left is None else left if right is None else self.merge(left, right)

    def finalize(self, state: State, **params: Any) -> Any:
        """Return the result: a NumPy scalar of exactly the result's dtype.

        Raises
        ------
        ArgumentError
            If the reduction has no result for no rows.
        """
        with np.errstate(all="ignore"):
            return self.final(state, **params)


def some(state: State, name: str) -> State:
    """Return the state of at least one row; refuse that of none."""
    if not state:
        raise ArgumentError(
            f"{name} of no rows.",
            details=["the column is empty, or a filter left nothing of it"],
            hint="check the size first.",
        )
    return state
