"""Reductions of lazy columns: each returns a lazy scalar, and those computed together share one pass."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.collections.core.array import Array, check_axis
from akdask.collections.core.later import later
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.wrap import wrap
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.plan.expr.created import as_column, literal
from akdask.plan.expr.missing_integers import key_parts
from akdask.plan.expr.values import Constant
from akdask.plan.reduce.aggregate import Aggregate, AggregateExpr, Element
from akdask.schema.times import TimeForm

if TYPE_CHECKING:
    from akdask.plan.group import aggregate as group_nodes
else:
    group_nodes = DeferredModule("akdask.plan.group.aggregate")


def reduced(array: Array, name: str, form: TimeForm | None = None, **params: Any) -> Scalar:
    """Return the lazy scalar of one reduction of an array, as what a form makes of it if that is given."""
    return Scalar(Element(Aggregate(array._frame, (AggregateExpr(name, array._value, **params),)), 0, form))


def distinct_count(array: Array) -> Scalar:
    """Return the lazy number of distinct elements of an array, which are grouped, for there may be many."""
    groups = group_nodes.GroupAggregate.of(array._frame, key_parts(array._value))
    return Scalar(Element(Aggregate(groups, (AggregateExpr("count_nonzero", Constant(True)),)), 0, None))


class ReductionMethods(Array):
    """Reductions to a lazy scalar.

    There is only one `axis`.  With `keepdims`, arrays of one element take the place of scalars.
    """

    def sum(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the sum: int64 of bools and ints (wrapping), uint64 of uint64, float64 of floats; lazy."""
        return self._reduced("sum", axis, keepdims)

    def prod(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the product, of the types that `sum` has; lazy."""
        return self._reduced("prod", axis, keepdims)

    def min(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the smallest element, NaN if there is one; lazy.  An error, when computed, of no elements."""
        return self._reduced("min", axis, keepdims)

    def max(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the largest element, NaN if there is one; lazy.  An error, when computed, of no elements."""
        return self._reduced("max", axis, keepdims)

    def mean(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the mean as float64, NaN of no elements; lazy."""
        return self._reduced("mean", axis, keepdims)

    def var(self, ddof: int = 0, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the variance as float64, with `ddof` subtracted from the count, which must be more; lazy."""
        return self._reduced("var", axis, keepdims, ddof=self._checked_ddof(ddof))

    def std(self, ddof: int = 0, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the standard deviation as float64, with `ddof` subtracted from the count; lazy."""
        return self._reduced("std", axis, keepdims, ddof=self._checked_ddof(ddof))

    def any(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return whether any element is not zero; lazy."""
        return self._reduced("any", axis, keepdims)

    def all(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return whether no element is zero; lazy."""
        return self._reduced("all", axis, keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the position of the first smallest element as int64; lazy."""
        return self._reduced("argmin", axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the position of the first largest element as int64; lazy."""
        return self._reduced("argmax", axis, keepdims)

    def median(self, axis: int | None = None, keepdims: bool = False) -> Scalar:
        """Return the median as float64, NaN of no elements or where one is NaN; lazy.  See `quantile`."""
        return self._reduced("median", axis, keepdims)

    def quantile(
        self, q: float | Sequence[float] = 0.5, axis: int | None = None, method: str = "linear", keepdims: bool = False
    ) -> Any:
        """Return one or several quantiles of the elements, exactly; lazy.

        Parameters
        ----------
        q : float or sequence of float
            Which quantiles, from 0 to 1.
        axis : int, optional
            The only axis.
        method : str
            How to choose between two elements, by the names of ``numpy.quantile``.
        keepdims : bool
            Return an array of one element.

        Returns
        -------
        Scalar, or pdarray of several quantiles
            float64, NaN where an element is NaN; by methods that choose elements (``lower``, ``higher``, ``nearest``,
            ``inverted_cdf``, ``closest_observation``) of their type.  Several are found together, and compute.

        Raises
        ------
        ArgumentError
            If `q` is not from 0 to 1, or there is no such method; when computed, of no elements that are no floats.

        Notes
        -----
        Every block of rows is sorted; sorted blocks are not merged, but meet in the task that finishes: eight bytes for
        each element, fewer where elements repeat.  Follows ``numpy.quantile``.

        Examples
        --------
        >>> import akdask as ak
        >>> a = ak.array([3, 1, 2, 10])
        >>> a.quantile(0.5), a.quantile([0, 1], method="lower").tolist()
        (np.float64(2.5), [1, 10])
        """
        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            return self._reduced("quantile", axis, keepdims, q=wanted, method=method)
        check_axis("quantile", axis)
        found = reduced(self, "quantile", q=wanted, method=method).value()
        several = wrap(*literal(as_column(found)))
        return later("reshaped", several, len(wanted), 1) if keepdims else several

    def count_nonzero(self) -> Scalar:
        """Return the number of elements that are not zero as int64; lazy."""
        return self._reduced("count_nonzero", None, False)

    def nunique(self) -> Scalar:
        """Return the number of distinct elements as int64, all NaN being one; lazy."""
        return distinct_count(self)

    def _checked_ddof(self, ddof: int) -> int:
        size = self.rows.size
        if not isinstance(ddof, int | float | np.number):
            raise ArgumentTypeError(f"ddof is a number, not {ddof!r:.100}.")
        if ddof < 0 or (size and ddof >= size):
            raise ArgumentError(f"ddof={ddof} leaves nothing to divide by, of {size} elements.", hint="ddof is 0 or 1.")
        return ddof

    def _reduced(self, name: str, axis: int | None, keepdims: bool, **params: Any) -> Scalar:
        check_axis(name, axis)
        if keepdims:
            found: Scalar = later("reduced_along", self, self.shape, name, None, keepdims, **params)
            return found
        return reduced(self, name, **params)
