"""Reductions of a Series: those of its values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from akdask.collections.arrays.extremes import few_extremes
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.reductions import distinct_count, reduced
from akdask.collections.frame_core.index import Index
from akdask.collections.series.operators import SeriesOperators
from akdask.collections.text.strings import Strings
from akdask.collections.time.timearray import TimeArray
from akdask.deferred import pd
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.plan.expr import missing_integers


class SeriesReductions(SeriesOperators):
    """Lazy numbers; labels make no difference."""

    def sum(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the sum of the values; lazy.  See `pdarray.sum`.

        By itself it is missing where a value is, as in Arkouda; `skipna` leaves missing values out, as pandas does by
        itself.

        Parameters
        ----------
        skipna : bool, optional
            Leave missing values out; Arkouda does not.
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

    def prod(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the product of the values; lazy.  See `sum`."""
        return self._there(skipna, numpy).prod()

    def mean(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the mean of the values; lazy.  See `sum`."""
        return self._there(skipna, numpy).mean()

    def min(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the smallest value, missing if nothing is left of them; computes of text and times.  See `sum`."""
        return self._extreme("min", skipna, numpy)

    def max(self, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the largest value, missing if nothing is left of them; computes of text and times.  See `sum`."""
        return self._extreme("max", skipna, numpy)

    def std(self, ddof: int = 0, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the standard deviation; lazy.  `ddof` is 0 unless given, as in Arkouda.  See `sum`."""
        return self._there(skipna, numpy).std(ddof)

    def var(self, ddof: int = 0, *, skipna: bool | None = None, **numpy: None) -> Any:
        """Return the variance of the values; lazy.  `ddof` is 0 unless given, as in Arkouda.  See `sum`."""
        return self._there(skipna, numpy).var(ddof)

    def any(self, *, skipna: bool = True) -> Any:
        """Return whether any value is not zero; lazy.  Missing values are left out if `skipna`."""
        return self._truths(skipna).any()

    def all(self, *, skipna: bool = True) -> Any:
        """Return whether no value is zero; lazy.  See `any`."""
        return self._truths(skipna).all()

    def argmin(self) -> Any:
        """Return the position of the first smallest value, or of the first that is NaN, as in Arkouda; lazy."""
        return self.values.argmin()

    def argmax(self) -> Any:
        """Return the position of the first largest value, or of the first that is NaN, as in Arkouda; lazy."""
        return self.values.argmax()

    def idxmin(self, *, skipna: bool = True) -> Any:
        """Return the label of the first smallest value; computes.  See `idxmax`."""
        return self._label_of("min", skipna)

    def idxmax(self, *, skipna: bool = True) -> Any:
        """Return the label of the first largest value; computes.

        Parameters
        ----------
        skipna : bool, default True
            Leave missing values out.

        Raises
        ------
        ArgumentError
            If there is no value, or one is missing and `skipna` is False.

        Examples
        --------
        >>> import akdask as ak
        >>> int(ak.Series([2.0, float("nan"), 3.0], index=[5, 6, 7]).idxmax())
        7
        """
        return self._label_of("max", skipna)

    def median(self, *, skipna: bool = True) -> Any:
        """Return the median of the values; lazy.  It is missing where a value is, if not `skipna`."""
        return self._there(skipna).median()

    def quantile(self, q: float | Sequence[float] = 0.5, method: str = "linear", *, interpolation: str = "") -> Any:
        """Return a quantile of the values that are not missing, lazy, or a Series of several by `q`, which computes.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        method : str
            How to choose between two elements, by the names of ``numpy.quantile``.
        interpolation : str, optional
            What pandas calls `method`.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, or there is no such method.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.Series([1.0, float("nan"), 2.0, 4.0]).quantile([0.5, 1]).to_dict()
        {0.5: 2.0, 1.0: 4.0}
        """
        there, method = self._there(True), interpolation or method
        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            return there.quantile(wanted, method=method)
        return self._of(there.quantile(wanted, method=method), Index(list(wanted)), self.name)

    def nunique(self, dropna: bool = True) -> Any:
        """Return the number of distinct values, missing ones counting as one if not `dropna`; lazy."""
        return distinct_count(self.dropna().values if dropna else self.values)

    def _there(self, skipna: bool | None, numpy: Mapping[str, Any] | None = None) -> Any:
        """Return the values, without missing ones if asked for: integers as such then."""
        given = [name for name, value in (numpy or {}).items() if value not in (None, 0)]
        if given:
            raise ArgumentTypeError(f"a Series is reduced without {', '.join(given)}.")
        if not (self._rules.skipna if skipna is None else skipna):
            return self.values
        values = self.dropna().values
        apart = missing_integers.parts(values._value)
        return values if apart is None else pdarray(values._frame, apart[0])

    def _truths(self, skipna: bool) -> Any:
        if not isinstance(self.values, pdarray) or isinstance(self.values, TimeArray):
            raise ArgumentTypeError(
                f"elements of {self.values._describe()} are neither true nor false.", hint="compare them first."
            )
        return self._there(skipna)

    def _extreme(self, name: str, skipna: bool | None, numpy: Mapping[str, Any]) -> Any:
        values = self._there(skipna, numpy)
        if isinstance(values, Strings):
            if not values.size or bool(self.isna().values.any() if values is self.values else False):
                return float("nan")
            return few_extremes(f"{name}k", values, 1).tolist()[0]
        if isinstance(values, TimeArray) and values is not self.values and not values.size:
            return pd.NaT
        if values is self.values or not isinstance(values, pdarray) or values._pandas_converter() is not None:
            return getattr(values, name)()
        return reduced(values, name, nan_of_none=True)

    def _label_of(self, name: str, skipna: bool) -> Any:
        """Return the label of the first extreme."""
        there = self.dropna()
        count = len(there)
        if not count:
            raise ArgumentError(f"idx{name} of a Series finds no value that is not missing.", hint="use dropna first.")
        if not skipna and count < len(self):
            raise ArgumentError(f"idx{name}: some of the values are missing.", hint="pass skipna=True.")
        values = there._there(True)
        if isinstance(values, Strings):
            # Of equal ones the first has the label.
            return there[values == few_extremes(f"{name}k", values, 1).tolist()[0]].head(1).index[0]
        return there.index[int(getattr(values, f"arg{name}")())]
