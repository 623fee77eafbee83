"""Reductions of a Series: those of its values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from akdask.collections.series.operators import SeriesOperators


class SeriesReductions(SeriesOperators):
    """Lazy numbers; labels make no difference."""

    def sum(self, *, skipna: bool = False) -> Any:
        """Return the sum of the values; lazy.  See `pdarray.sum`.

        By itself it is NaN where a value is, as in Arkouda; `skipna` leaves missing values out, as pandas does by
        itself.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.Series([1.0, float("nan"), 3.0])
        >>> float(s.sum()), float(s.sum(skipna=True))
        (nan, 4.0)
        """
        return self._there(skipna).sum()

    def prod(self, *, skipna: bool = False) -> Any:
        """Return the product of the values; lazy."""
        return self._there(skipna).prod()

    def mean(self, *, skipna: bool = False) -> Any:
        """Return the mean of the values; lazy."""
        return self._there(skipna).mean()

    def min(self, *, skipna: bool = False) -> Any:
        """Return the smallest value; lazy."""
        return self._there(skipna).min()

    def max(self, *, skipna: bool = False) -> Any:
        """Return the largest value; lazy."""
        return self._there(skipna).max()

    def std(self, ddof: int = 0, *, skipna: bool = False) -> Any:
        """Return the standard deviation of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self._there(skipna).std(ddof)

    def var(self, ddof: int = 0, *, skipna: bool = False) -> Any:
        """Return the variance of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self._there(skipna).var(ddof)

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

    def _there(self, skipna: bool) -> Any:
        """Return the values, without missing ones if asked for."""
        return self.dropna().values if skipna else self.values
