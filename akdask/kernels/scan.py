"""Scans: running totals of a column, given the total of all rows before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from akdask.columns import type_of
from akdask.kernels.reduce import TOTALS
from akdask.typing import NumberArray


@dataclass(frozen=True, slots=True)
class Scan:
    """A scan of a column.

    Parameters
    ----------
    name : str
        Its key in ``SCANS``.
    reduction : str
        The reduction whose result over a row and all before it the scan gives.
    ufunc : ufunc
        Puts two results together.
    """

    name: str
    reduction: str
    ufunc: np.ufunc

    def accumulate(self, column: NumberArray, before: Any) -> NumberArray:
        """Return the running results; `before` is that of all earlier rows, None if there are none.  Integers wrap."""
        with np.errstate(all="ignore"):
            running: NumberArray = self.ufunc.accumulate(column, dtype=TOTALS[type_of(column)].numpy)
            return running if before is None else self.ufunc(running, before, out=running)


SCANS: dict[str, Scan] = {
    scan.name: scan for scan in (Scan("cumsum", "sum", np.add), Scan("cumprod", "prod", np.multiply))
}
"""The scans by name; types of results are those of sums and products."""
