"""Reductions of groups: each gives the keys and one value for each group."""

from __future__ import annotations

from collections.abc import Sequence
from inspect import signature
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.array import Array
from akdask.collections.core.later import later
from akdask.collections.core.wrap import wrap
from akdask.collections.groups.base import GroupBase, Keys, codes_of, like
from akdask.collections.groups.column_rules import column_rule
from akdask.collections.groups.keys import as_array, is_several, lazy_array
from akdask.collections.text.categorical import Categorical
from akdask.collections.time.timearray import TimeArray
from akdask.deferred import DeferredModule
from akdask.errors import ArgumentError, ArgumentTypeError
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.kernels.aggregates.registry import REDUCTIONS
from akdask.plan.expr.missing_integers import is_missing, key_parts
from akdask.plan.expr.missing_text import demanded
from akdask.plan.expr.values import Call, Constant, cast
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.run.alignment import align
from akdask.schema import BOOL, FLOAT64

if TYPE_CHECKING:
    from akdask.plan.group import aggregate as group_nodes
else:
    group_nodes = DeferredModule("akdask.plan.group.aggregate")

GROUP_REDUCTIONS = {
    name.lower(): name
    for name, item in REDUCTIONS.items()
    if item.group_types and name not in ("size", "time_quantile")
}
"""The name that each reduction of values has here, by the name that users write in any case."""

GROUPBY_REDUCTION_TYPES = frozenset(GROUP_REDUCTIONS)


class GroupReductionMethods(GroupBase):
    """Reductions by name.  What is computed together by ``dask.compute`` is found in one pass over the rows.

    Of times, NaT is skipped as NaN is of floats.  Minima, maxima, means, medians and quantiles of times are times,
    exact but for what is left of a unit; sums of spans are spans, and so are standard deviations, as exact as floats.
    """

    Reductions = GROUPBY_REDUCTION_TYPES
    """The names that `aggregate` takes."""

    def size(self) -> tuple[Keys, pdarray]:
        """Return the keys and the number of rows of each group, as int64; lazy."""
        grouped = self._grouped(("size", None, {}))
        return self._keys_of(grouped), self._result(grouped)

    def count(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the number of values of each group that are not NaN, as int64; lazy."""
        return self._reduced("count", values)

    def sum(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the sum of each group: int64 of bools and ints, which wraps; lazy.

        Parameters
        ----------
        values : pdarray
            With the rows of the keys.
        skipna : bool
            Leave out NaN.
        """
        return self._reduced("sum", values, skipna=skipna)

    def prod(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the product of each group as float64; see `sum`."""
        return self._reduced("prod", values, skipna=skipna)

    def mean(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the mean of each group as float64; see `sum`."""
        return self._reduced("mean", values, skipna=skipna)

    def var(self, values: Any, skipna: bool = True, ddof: int = 1) -> tuple[Keys, pdarray]:
        """Return the keys and the variance of each group, NaN where there are no more than `ddof` values; see `sum`."""
        return self._reduced("var", values, skipna=skipna, ddof=ddof)

    def std(self, values: Any, skipna: bool = True, ddof: int = 1) -> tuple[Keys, pdarray]:
        """Return the keys and the standard deviation of each group; see `var`."""
        return self._reduced("std", values, skipna=skipna, ddof=ddof)

    def min(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the smallest value of each group; see `sum`."""
        return self._reduced("min", values, skipna=skipna)

    def max(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the largest value of each group; see `sum`."""
        return self._reduced("max", values, skipna=skipna)

    def argmin(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the position in `values` of the first smallest value of each group; lazy.

        NaN are left out; the position is -1 where nothing else is there.
        """
        return self._reduced("argmin", values)

    def argmax(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the position in `values` of the first largest value of each group; see `argmin`."""
        return self._reduced("argmax", values)

    def first(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the first value of each group, of any type; lazy."""
        return self._reduced("first", values)

    def any(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether any value of each group is True; lazy."""
        return self._reduced("any", _truth("any", values))

    def all(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and whether all values of each group are True; lazy."""
        return self._reduced("all", _truth("all", values))

    def OR(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that any integer of each group has; lazy."""
        return self._reduced("OR", values)

    def AND(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that all integers of each group have; lazy."""
        return self._reduced("AND", values)

    def XOR(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the bits that an odd number of integers of each group have; lazy."""
        return self._reduced("XOR", values)

    def nunique(self, values: Any) -> tuple[Keys, pdarray]:
        """Return the keys and the number of distinct values of each group, NaN left out; of several arrays, of rows."""
        return self._statistic("nunique", self._numbered_rows(values)[0] if is_several(values) else values)

    def unique(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the distinct values of each group, ascending, as a SegArray; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys.  All NaN are one value, after all others; Categoricals give their labels.  Of
            several arrays, the distinct rows are found, and each array gives a SegArray of a list.

        Examples
        --------
        >>> import akdask as ak
        >>> keys, found = ak.GroupBy(ak.array([1, 2, 1])).unique(ak.array([5, 3, 4]))
        >>> found.tolist()
        [[4, 5], [3]]
        """
        if is_several(values):
            numbers, arrays = self._numbered_rows(values)
            keys, found = self._statistic("unique", numbers, skipna=False)
            return keys, [later("SegArray", found.segments, _as_text(array)[found.values]) for array in arrays]
        labels = as_array(_as_text(values))
        there = labels._like(labels._frame, demanded(labels._value))
        return self._statistic("unique", there, skipna=False)

    def mode(self, values: Any) -> tuple[Keys, Any]:
        """Return the keys and the commonest value of each group; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical, or sequence of them
            With the rows of the keys.  Of several values that are as common, that which comes first counts.  NaN are
            left out.  Of several arrays, the commonest row is found, as a list of its values.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.GroupBy(ak.array([1, 1, 1, 2, 2])).mode(ak.array([5, 3, 3, 9, 4]))[1].tolist()
        [3, 9]
        """
        if not is_several(values):
            return self._statistic("mode", values)
        numbers, arrays = self._numbered_rows(values)
        keys, commonest = self._statistic("mode", numbers)
        return keys, [array[commonest] for array in arrays]

    def _numbered_rows(self, values: Sequence[Any]) -> tuple[pdarray, tuple[Any, ...]]:
        """Return the number of each row of several arrays among their distinct rows, and these."""
        groups: Any = type(self)(list(values), dropna=False)
        grouped = groups._grouped()
        return groups.broadcast(pdarray(*row_numbers(grouped))), groups._tuple_of(groups._keys_of(grouped))

    def _numbered(self, values: Array) -> pdarray:
        """Return the number of each value among the distinct ones, as floats, NaN for what is missing."""
        numbers, _ = self._numbered_rows([values])
        frame, (number, given) = align("number", [numbers._as_operand(), values._as_operand()])
        return pdarray(frame, Call("where", is_missing(given), Constant(np.nan), cast(number, FLOAT64)))

    def median(self, values: Any, skipna: bool = True) -> tuple[Keys, pdarray]:
        """Return the keys and the median of each group as float64; see `sum`."""
        return self._statistic("median", values, skipna)

    def quantile(
        self, values: Any, q: float = 0.5, skipna: bool = True, method: str = "linear"
    ) -> tuple[Keys, pdarray]:
        """Return the keys and a quantile of each group, exactly; see `sum` and `pdarray.quantile`.

        Parameters
        ----------
        values : pdarray
            With the rows of the keys.
        q : float, default 0.5
            Which quantile, from 0 to 1.
        skipna : bool
            Leave out NaN; otherwise groups with NaN give NaN.
        method : str
            How to choose between two values, by the names of ``numpy.quantile``.

        Raises
        ------
        ArgumentError
            If `q` is not one number from 0 to 1, or there is no such method.

        Examples
        --------
        >>> import akdask as ak
        >>> ak.GroupBy(ak.array([1, 2, 1])).quantile(ak.array([5, 3, 7]), 0.25)[1].tolist()
        [5.5, 3.0]
        """
        wanted = checked_quantiles(q, method)
        if not isinstance(wanted, float):
            raise ArgumentError("one quantile of groups is found at a time.", hint="call quantile for each.")
        return self._statistic("quantile", values, skipna, q=wanted, method=method)

    def aggregate(
        self, values: Any, operator: str | Sequence[str], skipna: bool = True, ddof: int = 1
    ) -> tuple[Keys, Any]:
        """Return the keys and a reduction of each group, by its name; of several names, a list; lazy.

        Parameters
        ----------
        values : pdarray, Strings or Categorical
            With the rows of the keys.
        operator : str or sequence of str
            The name of one of the methods, or several.
        skipna, ddof
            Where the method takes them.

        Raises
        ------
        ArgumentError
            If there is no such reduction.
        """
        if not isinstance(operator, str):
            found = [self.aggregate(values, name, skipna, ddof) for name in operator]
            return found[0][0], [result for _, result in found]
        name = GROUP_REDUCTIONS.get(operator.lower())
        if name is None:
            raise ArgumentError(
                f"groups cannot be reduced by {operator!r}.",
                details=[f"reductions: {', '.join(sorted(GROUPBY_REDUCTION_TYPES))}"],
            )
        if name in ("any", "all"):
            # By name they take numbers for truth, in Arkouda too.
            return self._reduced(name, values)
        method = getattr(self, name)
        given = {"skipna": skipna, "ddof": ddof}
        return method(values, **{name: given[name] for name in signature(method).parameters if name in given})

    def reduce_column(self, name: str, values: Any, **params: Any) -> Any:
        """Return a reduction of each group, by its name, without the keys; lazy."""
        reduce = self._reduced if reduces_at_once(name, values) else self._statistic
        return reduce(name, values, **params)[1]

    def reduce_at_once(self, calls: Sequence[tuple[Any, str]], **params: Any) -> tuple[Keys, list[Any]]:
        """Return the keys and several reductions of the groups, found in one pass over the rows; lazy.

        Parameters
        ----------
        calls : sequence of (array, str)
            What to reduce, and the name of the reduction.
        **params
            Arguments of all of them.

        Raises
        ------
        ArgumentTypeError
            If `skipna` or `ddof` are of other types than bool and numbers.
        """
        _check_types(**params)
        arrays = [(self._counted(name, lazy_array(name, values)), name) for values, name in calls]
        rules = [column_rule(name, values, params.get("skipna", True)) for values, name in arrays]
        reductions = [
            (name, wrap(values._frame, value), params)
            for rule, (values, _) in zip(rules, arrays, strict=True)
            for name, value in rule.reductions
        ]
        grouped = self._grouped(*reductions)
        found = map(grouped.result, range(len(reductions)))
        results = [rule.make(grouped, rule.finish(*islice(found, len(rule.reductions)))) for rule in rules]
        return self._keys_of(grouped), results

    def _reduced(self, name: str, values: Any, **params: Any) -> tuple[Keys, Any]:
        keys, (result,) = self.reduce_at_once([(values, name)], **params)
        return keys, result

    def _counted(self, name: str, values: Array) -> Array:
        """Return what is counted of a column: codes or numbers of values, with NaN for what is missing."""
        if name == "nunique" and len(key_parts(values._value)) > 1:
            return self._numbered(values)
        if not (self._drops_labels and isinstance(values, Categorical) and name in ("count", "nunique")):
            return values
        lacks = values._missing_among(values._value)
        return pdarray(values._frame, Call("where", lacks, Constant(np.nan), cast(values._value, FLOAT64)))

    def _statistic(self, name: str, values: Any, skipna: bool = True, **params: Any) -> tuple[Keys, Any]:
        given = self._counted(name, lazy_array(name, values))
        if reduces_at_once(name, given):
            return self._reduced(name, given, skipna=skipna, **params)
        are_times = isinstance(given, TimeArray)
        if are_times and name in ("median", "quantile"):
            name = "time_quantile"
        form = REDUCTIONS[name].distinct
        assert form is not None, "others are reduced in one pass"
        operand = given if form.of_numbers else codes_of(given)
        frame, keys, (value,), numbers = self._on(operand)
        arguments = tuple(sorted(params.items()))
        node = group_nodes.GroupStatistic(
            frame, keys, self._by.identity, value, name, skipna, are_times, numbers, arguments
        )
        if form.of_numbers and are_times:
            return self._keys_of(node), given._lacking()._like(node, node.result)
        return self._keys_of(node), like(given if name == "mode" else None, node, node.result)


def reduces_at_once(name: str, values: Any) -> bool:
    """Whether groups of an array are reduced in one pass over the rows, with other reductions."""
    reduction = REDUCTIONS[name]
    return reduction.distinct is None or (
        isinstance(values, Array) and reduction.has_grouped_form(values._as_operand()[1].dtype)
    )


def _as_text(values: Any) -> Any:
    return values.to_strings() if isinstance(values, Categorical) else values


def _check_types(skipna: Any = True, ddof: Any = 1, **_: Any) -> None:
    if not isinstance(skipna, bool | np.bool_) or not isinstance(ddof, int | float | np.number):
        raise ArgumentTypeError(f"skipna is a bool and ddof a number, not {skipna!r:.50} and {ddof!r:.50}.")


def _truth(name: str, values: Any) -> Any:
    """Return values as they are, refused where Arkouda refuses them: numbers are not taken for truth."""
    if getattr(values, "dtype", BOOL.numpy) != BOOL.numpy:
        raise ArgumentTypeError(f"{name} of groups is of bool, not of {values.dtype}.", hint="compare: values != 0.")
    return values
