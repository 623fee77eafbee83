"""The registry of reductions by name, and reductions of columns of one type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns.dtypes import FLOAT64, ColumnType
from akdask.columns.rows import empty
from akdask.columns.summation import UnitPositions
from akdask.engine.reduction import IS_SORTED, LIMBS, Reduction, ScalarForm, State
from akdask.operators.reduce.distinct import DISTINCT, MODE, NUNIQUE, UNIQUE
from akdask.operators.reduce.extremes import ARGMAX, ARGMIN, FIRST, MAXIMUM, MINIMUM
from akdask.operators.reduce.moments import ALL, AND, ANY, DEVIATION, MEAN, OR, VARIANCE, XOR
from akdask.operators.reduce.quantiles import MEDIAN, QUANTILE
from akdask.operators.reduce.sums import COUNT, COUNT_NONZERO, PRODUCT, SIZE, SUM
from akdask.operators.reduce.times import TIME_MEAN, TIME_QUANTILE, TIME_SUM
from akdask.typing import Column, NumberArray

# fmt: off
REDUCTIONS: dict[str, Reduction] = {
    reduction.name: reduction
    for reduction in (
        SIZE, COUNT, COUNT_NONZERO, SUM, PRODUCT, MEAN, VARIANCE, DEVIATION, MINIMUM, MAXIMUM, ARGMIN, ARGMAX, FIRST,
        ANY, ALL, OR, AND, XOR, NUNIQUE, DISTINCT, UNIQUE, MODE, MEDIAN, QUANTILE, IS_SORTED, LIMBS,
        TIME_SUM, TIME_MEAN, TIME_QUANTILE,
    )
}
# fmt: on


@dataclass(frozen=True, slots=True)
class ScalarReduction:
    """A reduction of columns of one type to one value.

    Parameters
    ----------
    name : str
        A key of ``REDUCTIONS``.
    dtype : ColumnType
        Type of the columns.
    """

    name: str
    dtype: ColumnType

    @property
    def token(self) -> str:
        """Names the reduction in plans."""
        return f"{self.name} of {self.dtype} {self.dtype.max_bits}"

    @property
    def _form(self) -> ScalarForm:
        return REDUCTIONS[self.name].scalar_form(self.dtype)

    @property
    def adds_floats(self) -> bool:
        """Whether it rounds sums, so that the order of the rows matters."""
        return self._form.adds_floats and REDUCTIONS[self.name].result_type(self.dtype) == FLOAT64

    def empty(self) -> State:
        """Return the state of no rows."""
        return self.partial(empty(self.dtype))

    def partial(self, column: Column, mask: NumberArray | None = None, positions: UnitPositions | None = None) -> State:
        """Reduce one block, or its rows where a bool mask holds.

        Without `positions`, the first row begins a unit of `akdask.columns.summation`.
        """
        form = self._form
        with np.errstate(all="ignore"):
            return form.partial(column, mask, positions) if form.adds_floats else form.partial(column, mask)

    def merge(self, left: State | None, right: State | None) -> State | None:
        """Return the state of the rows of both, `left` first; None means no rows."""
        if left is None or right is None:
            return right if left is None else left
        with np.errstate(all="ignore"):
            return self._form.merge(left, right)

    def finalize(self, state: State | None, **params: Any) -> Any:
        """Return the result: a NumPy scalar of exactly the result's dtype.

        Raises
        ------
        ArgumentError
            If the reduction has no result for no rows.
        """
        with np.errstate(all="ignore"):
            return self._form.finish(self.empty() if state is None else state, **params)


def merge_states(
    reductions: Sequence[ScalarReduction], left: Sequence[State | None], right: Sequence[State | None]
) -> list[State | None]:
    """Merge the states of several reductions on the rows of both sides, None for reductions without rows."""
    return [reduction.merge(*states) for reduction, *states in zip(reductions, left, right, strict=True)]
