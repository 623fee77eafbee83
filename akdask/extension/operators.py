"""`LazyOperators`: operators of lazy arrays in pandas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionArray

from akdask.arrays.array import Array
from akdask.arrays.creation import full
from akdask.arrays.writable import ShownAsArkouda
from akdask.errors import ArgumentError


class LazyOperators(ExtensionArray, metaclass=ShownAsArkouda):
    """Operators, applied to the lazy arrays inside."""

    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy
    _data: Any

    def _wrapped(self, data: Any) -> Any:
        raise NotImplementedError

    def _operand(self, item: Any) -> Any:
        """Return the lazy form of an argument."""
        raise NotImplementedError

    def _computed(self, function: Callable[..., Any], *items: Any) -> Any:
        """Return an operator on arrays and scalars, NotImplemented for objects that pandas unpacks itself."""
        if any(isinstance(item, pd.Series | pd.Index | pd.DataFrame) for item in items):
            return NotImplemented
        for item in items:
            # As in Arkouda, one element stands for all.
            if pd.api.types.is_list_like(item) and len(item) not in {1, len(self)}:
                raise ArgumentError(f"Lengths must match: {len(self)} and {len(item)}.")
        operands = [self._operand(item) for item in items]
        if len(self) != 1:
            operands = [item[0] if isinstance(item, Array) and len(item) == 1 else item for item in operands]
        found = function(*operands)
        if isinstance(found, tuple):
            return tuple(map(self._wrapped, found))
        return self._wrapped(found)

    def _cmp_method(self, other: Any, op: Callable[..., Any]) -> Any:
        """Return a comparison with another array or a scalar, as pandas' operators do."""
        return op(self, other) if op in {operator.eq, operator.ne} else self._computed(op, self, other)

    def _arith_method(self, other: Any, op: Callable[..., Any]) -> Any:
        """Return arithmetic with another extension array or a scalar, NotImplemented for all else."""
        if not isinstance(other, ExtensionArray) and not np.isscalar(other):
            return NotImplemented
        return self._computed(op, self, other)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc of lazy arrays; lazy."""
        if method != "__call__" or kwargs:
            return NotImplemented
        return self._computed(ufunc, *inputs)

    def __add__(self, other: Any) -> Any:
        return self._computed(operator.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._computed(operator.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._computed(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._computed(operator.sub, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._computed(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._computed(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Any:
        return self._computed(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._computed(operator.truediv, other, self)

    def __floordiv__(self, other: Any) -> Any:
        return self._computed(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return self._computed(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Any:
        return self._computed(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Any:
        return self._computed(operator.mod, other, self)

    def __pow__(self, other: Any) -> Any:
        return self._computed(operator.pow, self, other)

    def __rpow__(self, other: Any) -> Any:
        return self._computed(operator.pow, other, self)

    def __and__(self, other: Any) -> Any:
        return self._computed(operator.and_, self, other)

    def __rand__(self, other: Any) -> Any:
        return self._computed(operator.and_, other, self)

    def __or__(self, other: Any) -> Any:
        return self._computed(operator.or_, self, other)

    def __ror__(self, other: Any) -> Any:
        return self._computed(operator.or_, other, self)

    def __xor__(self, other: Any) -> Any:
        return self._computed(operator.xor, self, other)

    def __rxor__(self, other: Any) -> Any:
        return self._computed(operator.xor, other, self)

    def __lshift__(self, other: Any) -> Any:
        return self._computed(operator.lshift, self, other)

    def __rlshift__(self, other: Any) -> Any:
        return self._computed(operator.lshift, other, self)

    def __rshift__(self, other: Any) -> Any:
        return self._computed(operator.rshift, self, other)

    def __rrshift__(self, other: Any) -> Any:
        return self._computed(operator.rshift, other, self)

    def _equality(self, function: Callable[..., Any], other: Any, of_others: bool) -> Any:
        """Return which elements are equal, or differ; elements of types that do not compare all differ."""
        try:
            return self._computed(function, self, other)
        except TypeError:
            return self._wrapped(full(len(self), of_others, np.bool_))

    def __eq__(self, other: Any) -> Any:
        return self._equality(operator.eq, other, False)

    def __ne__(self, other: Any) -> Any:
        return self._equality(operator.ne, other, True)

    def __lt__(self, other: Any) -> Any:
        return self._computed(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        return self._computed(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        return self._computed(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        return self._computed(operator.ge, self, other)

    def __divmod__(self, other: Any) -> Any:
        return self._computed(divmod, self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return self._computed(divmod, other, self)

    def __neg__(self) -> Any:
        return self._computed(operator.neg, self)

    def __pos__(self) -> Any:
        return self._computed(operator.pos, self)

    def __abs__(self) -> Any:
        return self._computed(abs, self)

    def __invert__(self) -> Any:
        return self._computed(operator.invert, self)
