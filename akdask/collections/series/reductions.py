"""Reductions of a Series: those of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.collections.series.operators import SeriesOperators
from akdask.errors import ArgumentTypeError


class SeriesReductions(SeriesOperators):
    """Lazy numbers; labels make no difference."""

    def sum(self, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the sum of the values; lazy.  See `pdarray.sum`.

        By itself it is NaN where a value is, as in Arkouda; `skipna` leaves missing values out, as pandas does by
        itself.

        Parameters
        ----------
        skipna : bool, default False
            Leave missing values out.
        **numpy : None
            What ``numpy.sum`` and its like pass to objects that are no arrays, such as ``axis=None``.

        Raises
        ------
        ArgumentTypeError
            If other arguments are given.

        Examples
        --------
        >>> import akdask as ak
        >>> s = ak.Series([1.0, float("nan"), 3.0])
        >>> float(s.sum()), float(s.sum(skipna=True))
        (nan, 4.0)
        """
        return self._there(skipna, numpy).sum()

    def prod(self, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the product of the values; lazy."""
        return self._there(skipna, numpy).prod()

    def mean(self, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the mean of the values; lazy."""
        return self._there(skipna, numpy).mean()

    def min(self, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the smallest value; lazy."""
        return self._there(skipna, numpy).min()

    def max(self, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the largest value; lazy."""
        return self._there(skipna, numpy).max()

    def std(self, ddof: int = 0, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the standard deviation of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self._there(skipna, numpy).std(ddof)

    def var(self, ddof: int = 0, *, skipna: bool = False, **numpy: None) -> Any:
        """Return the variance of the values; lazy.  `ddof` is 0 unless given, as in Arkouda."""
        return self._there(skipna, numpy).var(ddof)

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

    def _there(self, skipna: bool, numpy: Mapping[str, Any]) -> Any:
        """Return the values, without missing ones if asked for."""
        given = [name for name, value in numpy.items() if value not in (None, 0)]
        if given:
            raise ArgumentTypeError(f"a Series is reduced without {', '.join(given)}.")
        return self.dropna().values if skipna else self.values
