"""Python's operators and NumPy's ufuncs on Series: computed of values that belong to the same labels."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.collections.arrays.elementwise import where
from akdask.collections.arrays.pdarray import pdarray
from akdask.collections.core.base import unlabelled
from akdask.collections.frame_core.alignment import OnAllLabels, RowLabelled, as_labelled, check_same, on_all_labels
from akdask.collections.frame_core.missing import of_columns, present_among
from akdask.collections.series.base import SeriesBase
from akdask.plan.expr.values import Call

BY_OPERATOR: dict[np.ufunc, Callable[..., Any]] = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.true_divide: operator.truediv,
    np.floor_divide: operator.floordiv,
    np.remainder: operator.mod,
    np.power: operator.pow,
    np.left_shift: operator.lshift,
    np.right_shift: operator.rshift,
    np.bitwise_and: operator.and_,
    np.bitwise_or: operator.or_,
    np.bitwise_xor: operator.xor,
    np.equal: operator.eq,
    np.not_equal: operator.ne,
    np.less: operator.lt,
    np.less_equal: operator.le,
    np.greater: operator.gt,
    np.greater_equal: operator.ge,
    np.invert: operator.invert,
    np.negative: operator.neg,
}
"""Ufuncs that are operators: text, Categoricals and times have their own meaning of these."""

COMPARISONS = frozenset({operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge})
"""Operators that need equal labels, as in pandas."""


class SeriesOperators(NDArrayOperatorsMixin, SeriesBase):
    """Arithmetic and comparison, with scalars, arrays of the same rows and other Series.

    Two Series of other labels meet on the labels of both, in order, where repeated labels are paired with each other;
    a number that one of them lacks is 0, as in Arkouda.  Comparisons need equal labels.
    """

    __array_priority__ = 2000
    __hash__ = None  # type: ignore[assignment]  # comparison gives a Series, as in pandas

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of values that belong to the same labels; ``out=`` is what in-place operators pass."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or any(_is_frame(item) for item in inputs):
            return NotImplemented
        result = self._computed(BY_OPERATOR.get(ufunc, ufunc), inputs)
        if out is None:
            return result
        (target,) = out
        if not isinstance(target, SeriesBase):
            return NotImplemented
        target._labelled = result._labelled
        return target

    def _computed(self, function: Callable[..., Any], inputs: tuple[Any, ...]) -> Any:
        inputs = tuple(map(as_labelled, inputs))
        series = [item for item in inputs if isinstance(item, SeriesBase)]
        given = [one._row_labels for one in series]
        name = _common_name(series)
        if function in COMPARISONS and len(series) > 1:
            are_same = [check_same(given[0], other) for other in given[1:]]
            found = of_columns(function, *map(unlabelled, inputs))
            for same in filter(None, are_same):
                found = pdarray(found._frame, Call("of_same_labels", found._value, same))
            return series[0]._with(found)._called(name)
        labels, values = given[0], [series[0].values]
        for one, own in zip(series[1:], given[1:], strict=True):
            joined = on_all_labels(labels, values, own, [one.values], self._rules.absent_operand)
            labels, values = joined.labels, [*joined.ones, *joined.others]
        remaining = iter(values)
        sides = [next(remaining) if isinstance(item, SeriesBase) else unlabelled(item) for item in inputs]
        found = of_columns(function, *sides)
        for one, own in zip(series, given, strict=True):
            if labels is own:
                return one._with(found)._called(name)
        return self._of(found, series[0]._named_index(labels.levels), name)

    def _on_joined(self, joined: OnAllLabels, found: Any, other: SeriesBase) -> Any:
        """Return what is computed of this Series and another one on the labels of both."""
        name = _common_name([self, other])
        if joined.labels.frame is self._labelled._columns.frame and self._row_labels.are_those_of(joined.labels):
            return self._with(found)._called(name)
        return self._of(found, self._named_index(joined.labels.arrays), name)

    def _called(self, name: Any) -> Any:
        self.name = name
        return self

    @classmethod
    def _of(cls, values: Any, index: Any, name: Any = None) -> Any:
        """Return a Series of values and labels."""
        made = cls.__new__(cls)
        made._set(values, index, name)
        return made

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __abs__(self) -> Any:
        return self._with(abs(self.values))

    def __bool__(self) -> bool:
        return bool(self.values)


def where_present(one: Any, other: Any) -> Any:
    """Return a column with values of another one where it is missing."""
    return where(pdarray(one._frame, present_among(one, one._value)), one, other)


def filled(sides: Sequence[Any], fill_value: Any) -> list[Any]:
    """Return two columns with a value for what is missing on one side only."""
    one, other = sides
    lacks = [pdarray(side._frame, Call("logical_not", present_among(side, side._value))) for side in sides]
    return [where(lacks[0] & ~lacks[1], fill_value, one), where(lacks[1] & ~lacks[0], fill_value, other)]


def _is_frame(item: Any) -> bool:
    """Whether an item is a DataFrame, which knows what it does with a Series."""
    return isinstance(item, RowLabelled) and not isinstance(item, SeriesBase)


def _common_name(series: list[SeriesBase]) -> Any:
    """Return the name that all have, None where they differ, as in pandas."""
    names = [one.name for one in series]
    return names[0] if all(name == names[0] for name in names) else None
