"""Reductions and orders of arrays of several dimensions: of all elements, or along one or several dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.arrays.sort_methods import SortingAlgorithm
from akdask.collections.core.later import later
from akdask.kernels.aggregates.quantiles import checked_quantiles


class AxisMethods(pdarray):
    """Reductions to a lazy scalar, or along dimensions to a lazy array."""

    def sum(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the sum of all elements, or sums along dimensions; see `pdarray.sum`.  Lazy.

        Parameters
        ----------
        axis : int or tuple of int, optional
            The dimensions that are reduced, all unless given; negative ones count from the end.
        keepdims : bool, default False
            Leave the dimensions that are reduced in the result, with length 1.

        Returns
        -------
        Scalar, pdarray or ArrayView
            By the number of dimensions that are left.

        Raises
        ------
        AxisError
            If there is no such dimension.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.arange(6).reshape(2, 3).sum(axis=0).tolist()
        [3, 5, 7]
        """
        return self._reduced("sum", axis, keepdims)

    def prod(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the product, of all or along dimensions; see `sum` and `pdarray.prod`."""
        return self._reduced("prod", axis, keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the smallest element, of all or along dimensions; see `sum` and `pdarray.min`."""
        return self._reduced("min", axis, keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the largest element, of all or along dimensions; see `sum` and `pdarray.max`."""
        return self._reduced("max", axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the mean as float64, of all or along dimensions; see `sum` and `pdarray.mean`."""
        return self._reduced("mean", axis, keepdims)

    def var(self, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the variance as float64, of all elements or along dimensions; see `sum` and `pdarray.var`."""
        return self._reduced("var", axis, keepdims, ddof=ddof)

    def std(self, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the standard deviation of all elements or along dimensions; see `sum` and `pdarray.std`."""
        return self._reduced("std", axis, keepdims, ddof=ddof)

    def any(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether any element is not 0, of all or along dimensions; see `sum` and `pdarray.any`."""
        return self._reduced("any", axis, keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether no element is 0, of all or along dimensions; see `sum` and `pdarray.all`."""
        return self._reduced("all", axis, keepdims)

    def argmin(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the position of the first smallest element as int64, of all or along dimensions; see `sum`."""
        return self._reduced("argmin", axis, keepdims)

    def argmax(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the position of the first largest element as int64, of all or along dimensions; see `sum`."""
        return self._reduced("argmax", axis, keepdims)

    def median(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the median as float64, of all elements or along dimensions; see `sum` and `pdarray.median`."""
        return self._reduced("median", axis, keepdims)

    def quantile(self, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
        """Return a quantile of all elements or along dimensions as float64; see `sum` and `pdarray.quantile`.

        Of several, the first dimension of the result is theirs.
        """
        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            found = self._reduced("quantile", axis, keepdims, q=wanted, method=method)
            return found if axis is None else found.astype(np.float64)
        if axis is not None or keepdims:
            return later("stack", [self.quantile(one, axis, method, keepdims) for one in np.asarray(wanted).tolist()])
        return self.flatten().quantile(q, None, method)

    def count_nonzero(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the number of elements that are not 0 as int64, of all or along dimensions; see `sum`."""
        return self._reduced("count_nonzero", axis, keepdims)

    def is_sorted(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether elements ascend, in row-major order or along a dimension; see `pdarray.is_sorted`."""
        if axis is None:
            return self.flatten().is_sorted(keepdims=keepdims)
        return later("along_axis", "is_sorted", self, axis, keepdims)

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = 0, ascending: bool = True) -> Any:
        """Return the positions that put the elements in order along a dimension; lazy.  See `akdask.argsort`."""
        return later("along_axis", "argsort", self, axis, ascending=ascending)

    def _reduced(self, name: str, axis: Any, keepdims: bool, **params: Any) -> Any:
        return later("reduced_along", self.flatten(), self.shape, name, axis, keepdims, **params)
