"""The array of the Python array API standard: a lazy array of any number of dimensions, including zero."""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate
from types import ModuleType
from typing import Any, Self, TypeVar

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.arrays.array import wrap
from akdask.arrays.creation import full
from akdask.arrays.matrices import matmul
from akdask.arrays.ndarray import assign, operated, selected, shaped
from akdask.arrays.pdarray import pdarray
from akdask.arrays.row_selection import known_lengths
from akdask.arrays.scalar import Scalar
from akdask.arrays.shapes import swapaxes, transpose
from akdask.engine.sources import counted
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.operators.values.elementwise import UFUNCS

TRAILING_ZEROS = re.compile(r"(\.\d+?)0+(?=[ \]])")
"""Digits of floats that Arkouda leaves out of arrays of the standard."""

DEVICE = "cpu"
"""The only device."""

VERSIONS = ("2021.12", "2022.12", "2023.12")
"""Versions of the standard up to that of the module."""


HANDLED_FUNCTIONS: dict[Callable[..., Any], Callable[..., Any]] = {}
"""Implementations of NumPy's functions for arrays of the standard."""

Function = TypeVar("Function", bound=Callable[..., Any])


def implements_numpy(numpy_function: Callable[..., Any]) -> Callable[[Function], Function]:
    """Have a function called in place of one of NumPy's that is given arrays of the standard.

    Parameters
    ----------
    numpy_function : callable
        NumPy's, such as ``np.mean``.

    Returns
    -------
    callable
        Registers the function that it is given, and returns it.
    """

    def register(function: Function) -> Function:
        HANDLED_FUNCTIONS[numpy_function] = function
        return function

    return register


class StandardArray(NDArrayOperatorsMixin):
    """An array of the Python array API standard, made by the functions of `akdask.array_api`.

    It has a `pdarray`, and is as lazy: operators, functions and keys build a plan, and conversions to NumPy, Python or
    text compute it.  Elements are int64, uint64, float64 or bool.

    Parameters
    ----------
    array : pdarray, Scalar or number
        The elements.

    Examples
    --------
    >>> a = xp.reshape(xp.arange(6), (2, 3))
    >>> (a + xp.asarray([10, 20, 30])).tolist(), xp.sum(a).item()
    ([[10, 21, 32], [13, 24, 35]], 15)
    """

    __array_priority__ = 4000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array

    def __init__(self, array: Any) -> None:
        self._array = _of_any_dimensions(array)

    # attributes

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        dtype: np.dtype[Any] = self._array.dtype
        return dtype

    @property
    def device(self) -> str:
        """Where the elements are computed: ``cpu``."""
        return DEVICE

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return int(self._array.ndim)

    @property
    def shape(self) -> tuple[int, ...]:
        """Length of each dimension; counts the rows that a mask selects."""
        return tuple(self._array.shape)

    @property
    def size(self) -> int:
        """Number of elements; counts the rows that a mask selects."""
        return int(self._array.size)

    @property
    def T(self) -> Self:
        """The array with its dimensions in reverse order; lazy."""
        return type(self)(transpose(self._array))

    @property
    def mT(self) -> Self:
        """The matrices of the last two dimensions, transposed; lazy."""
        if self.ndim < 2:
            raise ArgumentError(f"an array of {self.ndim} dimensions has no matrices.")
        return type(self)(swapaxes(self._array, -1, -2))

    def __array_namespace__(self, *, api_version: str | None = None) -> ModuleType:
        """Return the module of the functions.

        Raises
        ------
        ArgumentError
            If there is no such version of the standard, which ``__array_api_version__`` names.
        """
        if api_version is not None and api_version not in VERSIONS:
            raise ArgumentError(
                f"there is no version {api_version!r} of the array standard.",
                details=[f"versions: {', '.join(VERSIONS)}"],
            )
        return sys.modules["akdask.array_api"]

    # conversion

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array; computes."""
        found: np.ndarray[Any, Any] = self._array.to_ndarray()
        return found

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.to_ndarray(), dtype=dtype)

    def tolist(self) -> Any:
        """Return the elements as nested lists, without dimensions as a number; computes."""
        return self.to_ndarray().tolist()

    def item(self) -> Any:
        """Return the only element as a Python number; computes."""
        if self.size != 1:
            raise ArgumentError(f"item() is for arrays of one element, not of {self.size}.")
        return self.to_ndarray().item()

    def chunk_info(self) -> list[list[int]]:
        """Return for each dimension the starts of the partitions; dimensions after the first are not cut."""
        starts = accumulate(known_lengths(self._array._frame)[:-1], initial=0)
        inner = max(math.prod(self.shape[1:]), 1)
        return [sorted({start // inner for start in starts}), *([0] for _ in self.shape[1:])] if self.shape else []

    def transpose(self, axes: Sequence[int] | None = None) -> Self:
        """Return the dimensions in another order, reversed by default; lazy."""
        return type(self)(transpose(self._array, axes))

    def to_device(self, device: Any, /, stream: Any = None) -> Self:
        """Return the array itself, as there is only one device.

        Raises
        ------
        UnsupportedError
            If it is another, or a stream is given.
        """
        check_device(device)
        if stream is not None:
            raise UnsupportedError("to_device(stream=…): tasks of processors have no streams.")
        return self

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: Any = None,
        copy: bool | None = None,
    ) -> Any:
        """Pass the elements to any library that reads DLPack; computes."""
        elements = self.to_ndarray()
        return elements.__dlpack__(stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return DLPack's number of the device."""
        found: tuple[int, int] = np.empty(0).__dlpack_device__()
        return found

    def __bool__(self) -> bool:
        return bool(self._single())

    def __int__(self) -> int:
        return int(self._single())

    def __float__(self) -> float:
        return float(self._single())

    def __complex__(self) -> complex:
        return complex(self._single())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise ArgumentTypeError(f"an array of {self.dtype} is no position.")
        return int(self._single())

    def _single(self) -> Any:
        if self.size != 1:
            raise ArgumentError(f"an array of {self.size} elements is no single number.", hint="use any() or all().")
        return self.to_ndarray().reshape(())[()]

    def __len__(self) -> int:
        return len(self._array)

    def __iter__(self) -> Iterator[Self]:
        """Iterate over the subarrays along the first dimension; lazy."""
        for position in range(len(self)):
            yield self[position]

    def __str__(self) -> str:
        if not self.ndim:
            return str(self.to_ndarray()[()])
        text = str(self._array)
        return TRAILING_ZEROS.sub(r"\1", text) if self.dtype.kind == "f" else text

    def __repr__(self) -> str:
        return f"Arkouda Array ({self.shape}, {self.dtype}){self}"

    def _repr_inline_(self, width: int) -> str:
        """Return shape and type, for displays of one line; computes nothing."""
        return f"Arkouda Array ({self.shape}, {self.dtype})"

    # operators

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Build an operator, or another ufunc of NumPy; in-place operators pass ``out=``.  Lazy."""
        out = kwargs.pop("out", None)
        if method != "__call__" or kwargs or (ufunc not in UFUNCS and ufunc is not np.matmul):
            return NotImplemented
        if ufunc is np.matmul:
            found = type(self)(matmul(*map(plain_array, inputs)))
        else:
            found = computed(UFUNCS[ufunc], *inputs)
        if out is None:
            return found
        (target,) = out
        if (found.shape, found.dtype) != (target.shape, target.dtype):
            raise ArgumentTypeError(
                f"{ufunc.__name__} in place would change shape or type.",
                details=[f"{target.dtype} {target.shape} to {found.dtype} {found.shape}"],
            )
        target._array = found._array
        return target

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Call the implementation from `implements_numpy` of a NumPy function, else the function on NumPy arrays."""
        if func in HANDLED_FUNCTIONS:
            return HANDLED_FUNCTIONS[func](*args, **kwargs)
        return func._implementation(*args, **kwargs)

    # elements

    def __getitem__(self, key: Any) -> Self:
        """Return the elements that a key selects; lazy, except that masks of several dimensions are counted.

        Parameters
        ----------
        key : int, slice, ``...``, None, array of int or bool, or a tuple of these
            As of a NumPy array.
        """
        plain = _plain_key(key)
        if self.ndim == 1 and isinstance(plain, pdarray) and plain.ndim == 1 and plain.dtype == np.bool_:
            return type(self)(self._array[plain])
        if isinstance(plain, bool | np.bool_):
            # A mask without dimensions chooses the whole array, or nothing, in a new dimension.
            one_row = shaped(self._array if self.ndim == 1 else self._array.flatten(), (1, *self.shape))
            return type(self)(selected(one_row, slice(0, int(plain))))
        return type(self)(selected(self._array, plain))

    def __setitem__(self, key: Any, value: Any) -> None:
        """Assign to the elements that a key selects; lazy."""
        plain = _plain_key(key)
        if isinstance(plain, bool | np.bool_):
            if not plain:
                return
            plain = ...
        base = self._array.flatten() if self.ndim != 1 else self._array.copy()
        assign(base, self.shape, plain, plain_array(value))
        self._array = shaped(base, self.shape)


def _of_any_dimensions(array: Any) -> Any:
    """Return an operation's result as a pdarray; a lazy scalar becomes zero-dimensional."""
    if isinstance(array, Scalar):
        return shaped(wrap(counted(1), array.as_value()), ())
    if not isinstance(array, pdarray):
        return shaped(full(1, array), ())
    return array


def plain_array(item: Any) -> Any:
    """Return the pdarray of an array of the standard, and other objects unchanged."""
    return item._array if isinstance(item, StandardArray) else item


def _plain_key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_plain_part, key))
    return _plain_part(key)


def _plain_part(part: Any) -> Any:
    if not isinstance(part, StandardArray):
        return part
    if part.ndim == 0:
        return bool(part) if part.dtype == np.bool_ else int(part)
    return part._array


def check_device(device: Any) -> None:
    """Refuse a device that there is not.

    Raises
    ------
    ArgumentError
        If it is another than the only one.
    """
    if device not in (None, DEVICE):
        raise ArgumentError(f"there is no device {device!r}.", hint=f"the only one is {DEVICE!r}.")


def computed(operation: str, *items: Any, **params: Any) -> StandardArray:
    """Return an operation on arrays whose shapes broadcast, and on numbers; lazy.

    Raises
    ------
    ArgumentTypeError
        If none of them is an array of the standard.
    """
    if not any(isinstance(item, StandardArray) for item in items):
        raise ArgumentTypeError(
            f"{operation} takes arrays of akdask.array_api, not {type(items[0]).__name__}.", hint="use asarray()."
        )
    return StandardArray(operated(operation, *map(plain_array, items), **params))


Array = StandardArray
"""Arkouda's name of the class."""


def flat(x: StandardArray) -> Any:
    """Return the lazy array of all elements in row-major order."""
    return x._array if x.ndim == 1 else x._array.flatten()
