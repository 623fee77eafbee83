"""`Scalar`: the lazy result of a reduction.

Scalars that are computed together share one pass over the files.  A Scalar that is used as a number computes its
value, so scripts that expect plain numbers run unchanged.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays.array import Collection
from akdask.columns.dtypes import FLOAT64
from akdask.engine.run import run
from akdask.engine.values import Replica, Value, widened
from akdask.errors import errors_end_at_caller
from akdask.operators.reduce.plan import Element, calculated

_UNKNOWN = ...
_SHOWN_AS = "biuf"  # kinds of dtypes whose values scalars are an instance of


class _Floating(np.floating[Any]):
    """The type that lazy floats show themselves as: IPython asks `repr` only where the class itself defines it.

    There are no objects of it.
    """

    __repr__ = np.generic.__repr__


@errors_end_at_caller
class Scalar(NDArrayOperatorsMixin, Collection):
    """A number that has not been computed yet.

    ``dask.compute(a.sum(), b.mean())`` finds several in one pass.  Comparing, formatting, ``int()``, ``float()`` and
    ``bool()`` find the value, once.  Arithmetic stays lazy, with arrays, plain numbers and other scalars; its results
    have the values and types that NumPy's scalars give at compute.
    """

    __array_priority__ = 1000

    def __init__(self, expr: Element, value: Any = _UNKNOWN) -> None:
        super().__init__(expr)
        self._value = value

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the value; of integers of which some may be missing, it is NaN if one is.

        Examples
        --------
        >>> ak.array([3, 1]).sum().dtype
        dtype('int64')
        """
        return self._element.aggregate.result_type(self._element.position).numpy

    @property  # type: ignore[misc]  # typed as if it could be assigned
    def __class__(self) -> Any:
        """The type that the value will have, so that ``isinstance(a.sum(), np.int64)`` holds; computes nothing.

        Of floats it is `numpy.floating`, and of large integers, or of those that may be missing, the scalar's own: Dask
        takes a float or int for its own token, and would find the value to write it down.
        """
        element = self._element
        may_lack = element.aggregate.result_type(element.position).is_nullable_number
        if element.form is not None or may_lack or self.dtype.kind not in _SHOWN_AS:
            return type(self)
        return _Floating if self.dtype.kind == "f" else self.dtype.type

    def __dir__(self) -> Iterable[str]:
        """Return the names of a lazy scalar, whatever it shows itself as."""
        return [*dir(type(self)), *self.__dict__]

    @property
    def _element(self) -> Element:
        assert isinstance(self._expr, Element)
        return self._expr

    def as_value(self) -> Value:
        """Return the scalar as an operand of row-wise expressions."""
        element = self._element
        dtype = element.aggregate.result_type(element.position)
        if dtype.is_nullable_number:
            # It is an integer or NaN.
            return widened(Replica(element.aggregate, element.position, dtype.plain), FLOAT64)
        return Replica(element.aggregate, element.position, dtype)

    def value(self) -> Any:
        """Return the NumPy scalar; computes on first use.

        Examples
        --------
        >>> ak.array([3, 1]).sum().value()
        np.int64(4)
        """
        if self._value is _UNKNOWN:
            (self._value,) = run(self._expr)
        elif hasattr(self._value, "result"):
            # A persisted scalar on a cluster is a future.
            self._value = self._value.result()
        return self._value

    @property
    def _is_known(self) -> bool:
        return self._value is not _UNKNOWN

    def item(self) -> Any:
        """Return the plain Python value; computes on first use.

        Examples
        --------
        >>> ak.array([3, 1]).sum().item()
        4
        """
        value = self.value()
        return value.item() if isinstance(value, np.generic) else value

    def __reduce__(self) -> tuple[Any, ...]:
        # By default pickle saves the class, which is the class of the value.
        return Scalar, (self._expr,) if self._value is _UNKNOWN else (self._expr, self._value)

    def __dask_postcompute__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return _first, ()

    def __dask_postpersist__(self) -> tuple[Callable[..., Scalar], tuple[Any, ...]]:
        return _rebuild, (self._expr,)

    def __array_function__(self, func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
        from akdask.arrays.functions import array_function

        return array_function(func, types, args, kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.value(), dtype=dtype)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if any(isinstance(item, Collection) and not isinstance(item, Scalar) for item in inputs):
            return NotImplemented
        if isinstance(kwargs.get("out", (None,))[0], Scalar):
            # In-place operators: the result takes over the scalar's name.
            del kwargs["out"]
        if method == "__call__" and not kwargs:
            return _calculated(ufunc, *inputs)
        return getattr(ufunc, method)(*map(value_of, inputs), **kwargs)

    def __pow__(self, other: Any) -> Any:
        # For scalars, NumPy's operator and its function may differ in the last bit.
        return _calculated(operator.pow, self, other) if _is_plain(other) else super().__pow__(other)

    def __rpow__(self, other: Any) -> Any:
        return _calculated(operator.pow, other, self) if _is_plain(other) else super().__rpow__(other)

    def __rmul__(self, other: Any) -> Any:
        # Lists and text are repeated, not multiplied.
        return NotImplemented if isinstance(other, list | tuple | str | bytes) else super().__rmul__(other)

    def __repr__(self) -> str:
        return repr(self.value())

    def __str__(self) -> str:
        return str(self.value())

    def __format__(self, spec: str) -> str:
        return format(self.value(), spec)

    def __int__(self) -> int:
        return int(self.value())

    def __float__(self) -> float:
        return float(self.value())

    def __complex__(self) -> complex:
        return complex(self.value())

    def __bool__(self) -> bool:
        return bool(self.value())

    def __index__(self) -> int:
        return operator.index(self.value())

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(self.value(), ndigits)

    def __hash__(self) -> int:
        return hash(self.value())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.value(), name)


def _is_plain(item: Any) -> bool:
    return isinstance(item, Scalar | bool | int | float | np.generic)


def _calculated(function: Callable[..., Any], *inputs: Any) -> Any:
    """Return a function of numbers as a lazy scalar, or its value where it cannot wait."""
    waiting = calculated(function, [item._element if isinstance(item, Scalar) else item for item in inputs])
    if waiting is None:
        return function(*map(value_of, inputs))
    if any(isinstance(item, Scalar) and not item._is_known for item in inputs):
        return Scalar(waiting)
    return Scalar(waiting, function(*map(value_of, inputs)))


def value_of(item: Any) -> Any:
    """Return the value of a lazy scalar, which is computed, and anything else as it is."""
    return item.value() if isinstance(item, Scalar) else item


def _first(results: list[Any]) -> Any:
    return results[0]


def _rebuild(graph: Mapping[Hashable, Any], expr: Element, **_: Any) -> Scalar:
    """``dask.persist`` gives a graph of the result alone, ``dask.optimize`` one of tasks."""
    return Scalar(expr, *(graph.values() if len(graph) == 1 else ()))
