"""Reductions of a Series: those of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.collections.series.operators import SeriesOperators


class SeriesReductions(SeriesOperators):
    """Lazy numbers; labels make no difference."""

    def sum(self) -> Any:
        """Return the sum of the values; lazy.  See `pdarray.sum`."""
        return self.values.sum()

    def prod(self) -> Any:
        """Return the product of the values; lazy."""
        return self.values.prod()

    def mean(self) -> Any:
        """Return the mean of the values; lazy."""
        return self.values.mean()

    def min(self) -> Any:
        """Return the smallest value; lazy."""
        return self.values.min()

    def max(self) -> Any:
        """Return the largest value; lazy."""
        return self.values.max()

    def std(self, ddof: int = 0) -> Any:
        """Return the standard deviation of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self.values.std(ddof)

    def var(self, ddof: int = 0) -> Any:
        """Return the variance of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self.values.var(ddof)

    def any(self) -> Any:
        """Return whether any value is not zero; lazy."""
        return self.values.any()

    def all(self) -> Any:
        """Return whether no value is zero; lazy."""
        return self.values.all()

    def argmin(self) -> Any:
        """Return the position of the first smallest value; lazy."""
        return self.values.argmin()

    def argmax(self) -> Any:
        """Return the position of the first largest value; lazy."""
        return self.values.argmax()

    def idxmin(self) -> Any:
        """Return the label of the first smallest value; computes."""
        return self.index[int(self.values.argmin())]

    def idxmax(self) -> Any:
        """Return the label of the first largest value; computes."""
        return self.index[int(self.values.argmax())]

    def median(self) -> Any:
        """Return the median of the values; lazy."""
        return self.values.median()

    def quantile(self, q: float | Sequence[float] = 0.5, method: str = "linear") -> Any:
        """Return a quantile of the values, or several as an array; see `pdarray.quantile`."""
        return self.values.quantile(q, method=method)

    def nunique(self) -> Any:
        """Return the number of distinct values; lazy."""
        return self.values.nunique()
