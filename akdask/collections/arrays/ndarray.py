"""`ArrayView`: a lazy array of several dimensions, which is a flat one and a shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import index
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from akdask.collections.core.later import later
from akdask.collections.core.scalar import Scalar
from akdask.collections.core.storage_methods import StorageMethods
from akdask.collections.core.substitutes import Substitutes
from akdask.collections.core.wrap import wrap
from akdask.collections.core.writing import Path, Storable
from akdask.collections.registered import RegisteredArray
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, PositionError, UnsupportedError
from akdask.kernels.aggregates.quantiles import checked_quantiles
from akdask.plan.expr.created import as_column, literal
from akdask.storage.formats.objects import ObjType
from akdask.storage.paths.remote import takes_storage_options


class ArrayView(NDArrayOperatorsMixin, StorageMethods, RegisteredArray, Substitutes):
    """A lazy array of several dimensions: a flat array, in row-major order, and a shape.

    Operators and NumPy's ufuncs work element by element, on arrays of one shape and on scalars.

    Parameters
    ----------
    base : pdarray
        The elements.
    shape : sequence of int
        Length of each dimension; one of them may be -1, which is found from the number of elements.

    Raises
    ------
    ArgumentError
        If the shape has another number of elements.

    Examples
    --------
    >>> import akdask as ak
    >>> grid = ak.arange(6).reshape(2, 3)
    >>> (grid * 10).tolist()
    [[0, 10, 20], [30, 40, 50]]
    >>> int(grid[1, 2]), grid[1].tolist()
    (5, [3, 4, 5])
    """

    __array_priority__ = 1800
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "ArrayView"

    def __init__(self, base: Any, shape: Sequence[int]) -> None:
        # The array may be assigned to; this one keeps its elements.
        self.base = base.copy()
        self.shape = _checked_shape(shape, base.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy dtype of the elements."""
        return self.base.dtype

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __bool__(self) -> bool:
        """Return the truth of the only element; an error, as in NumPy, if there are more or none."""
        return bool(self.base)

    def astype(self, dtype: Any) -> ArrayView:
        """Return the elements converted to another type; lazy.  See `pdarray.astype`."""
        return ArrayView(self.base.astype(dtype), self.shape)

    def flatten(self) -> Any:
        """Return the elements as a flat array, in row-major order; lazy."""
        return self.base.copy()

    def reshape(self, *shape: Any) -> Any:
        """Return the elements in another shape; lazy.  See `pdarray.reshape`."""
        return reshaped(self.base, *shape)

    def __getitem__(self, key: Any) -> Any:
        """Return the elements at ints, one for each of the first dimensions: an element, or a lazy array of the rest.

        A slice without a step chooses along the first dimension.

        Raises
        ------
        PositionError
            If a dimension is not that long.
        ArgumentTypeError
            If the key is anything else.
        """
        if isinstance(key, slice) and key.step in (None, 1):
            start, stop, _ = key.indices(self.shape[0])
            rest, count = self.shape[1:], max(stop - start, 0)
            first = start * math.prod(rest)
            return ArrayView(self.base[first : first + count * math.prod(rest)], (count, *rest))
        numbers = _positions(key, self.shape)
        rest = self.shape[len(numbers) :]
        first = 0
        for number, length in zip(numbers, self.shape, strict=False):
            first = first * length + number
        if not rest:
            return self.base[first]
        count = math.prod(rest)
        return reshaped(self.base[first * count : (first + 1) * count], rest)

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        """Compute a ufunc on the flat arrays; ``out=`` is what in-place operators pass."""
        out = kwargs.pop("out", None)
        result = element_by_element(ufunc.__name__, partial(getattr(ufunc, method), **kwargs), inputs, self.shape)
        if out is None:
            return result
        (target,) = out
        target.base = target.base.copy()._become(result.base, ufunc.__name__)
        return target

    def to_ndarray(self) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array of this shape; computes."""
        return self.base.to_ndarray().reshape(self.shape)

    def to_numpy(self, dtype: Any = None, copy: bool = False) -> np.ndarray[Any, Any]:
        """Return the elements as a NumPy array of this shape; see `pdarray.to_numpy`.  Computes."""
        return np.asarray(self, dtype=dtype)

    def tolist(self) -> list[Any]:
        """Return the elements as nested lists; computes."""
        return self.to_ndarray().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        return np.asarray(self.to_ndarray(), dtype=dtype)

    def _storable(self) -> Storable:
        return replace(self.base._storable(), kind=ObjType.ARRAYVIEW, params={"shape": self.shape})

    def flat_storable(self) -> Storable:
        """Return what is stored of the array as a flat one with a shape, which every server reads."""
        return replace(self._storable(), kind=ObjType.PDARRAY)

    @takes_storage_options
    def to_hdf(
        self,
        prefix_path: Path,
        dataset: str | None = None,
        mode: str = "truncate",
        file_type: str = "distribute",
        *,
        nd: str = "view",
        num_locales: int | None = None,
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        """Write the array to HDF5 files; computes.

        Parameters
        ----------
        prefix_path, dataset, mode, file_type
            As in `pdarray.to_hdf`; the object is called ``ArrayView`` unless named.
        nd : {"view", "flat"}
            As what: an ArrayView, which Arkouda servers of v2022.11.10 to v2024.06.21 read, or a flat pdarray, which
            all do.  The shape is stored and read by akdask either way.
        num_locales
            As in `pdarray.to_hdf`.
        storage_options : mapping of str to value, optional
            What fsspec needs to open URLs, such as keys or ``anon=True``.
        """
        if nd not in {"view", "flat"}:
            raise ArgumentError(f"nd is 'view' or 'flat', not {nd!r}.")
        writer: Any = super() if nd == "view" else _Flat(self)
        writer.to_hdf(prefix_path, dataset or self._default_dataset, mode, file_type, num_locales=num_locales)

    # reductions: of all elements to a lazy scalar, or along one or several dimensions to a lazy array

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

    def quantile(self, q: float = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
        """Return a quantile of all elements or along dimensions; see `sum` and `pdarray.quantile`.

        Raises
        ------
        UnsupportedError
            If `q` are several, and `axis` is given.
        """
        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            return self._reduced("quantile", axis, keepdims, q=wanted, method=method)
        if axis is not None:
            raise UnsupportedError("several quantiles are not found along an axis.", hint="ask for one at a time.")
        return self.base.quantile(q, None, method, keepdims)

    def count_nonzero(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the number of elements that are not 0 as int64, of all or along dimensions; see `sum`."""
        return self._reduced("count_nonzero", axis, keepdims)

    def _reduced(self, name: str, axis: Any, keepdims: bool, **params: Any) -> Any:
        return later("reduced_along", self.base, self.shape, name, axis, keepdims, **params)

    def __repr__(self) -> str:
        return f"ArrayView({self.base!r}, shape={self.shape})"


class _Flat(StorageMethods):
    """An array that is written as a flat one."""

    def __init__(self, view: ArrayView) -> None:
        self._view = view

    def _storable(self) -> Storable:
        return self._view.flat_storable()


def element_by_element(
    name: str, function: Callable[..., Any], items: Sequence[Any], shape: tuple[int, ...]
) -> ArrayView:
    """Return what a function of flat arrays makes of arrays of one shape, and of scalars, in that shape; lazy.

    Raises
    ------
    AlignmentError
        If an array has another shape, or none is given.
    """
    shapes = {getattr(item, "shape", ()) for item in items if not isinstance(item, Scalar)} - {()}
    if shapes != {shape}:
        raise AlignmentError(
            f"{name} needs arrays of one shape.", details=[f"shapes: {sorted(shapes)}"], hint="reshape them."
        )
    return ArrayView(function(*map(_flat, items)), shape)


def _flat(item: Any) -> Any:
    if isinstance(item, ArrayView):
        return item.base
    return wrap(*literal(as_column(item.ravel()))) if isinstance(item, np.ndarray) and item.ndim else item


def reshaped(base: Any, *shape: Any) -> Any:
    """Return a flat array in another shape: an `ArrayView`, or a flat array again if the shape has one dimension.

    Raises
    ------
    ArgumentError
        If the shape has another number of elements.
    """
    is_one = len(shape) == 1 and (isinstance(shape[0], Sequence | np.ndarray) or hasattr(shape[0], "to_ndarray"))
    lengths = tuple(shape[0]) if is_one else shape
    checked = _checked_shape(lengths, base.size)
    return base.copy() if len(checked) == 1 else ArrayView(base, checked)


def _checked_shape(shape: Sequence[int], size: int) -> tuple[int, ...]:
    try:
        lengths = tuple(index(length) for length in shape)
    except TypeError:
        raise ArgumentTypeError(f"a shape is made of whole numbers, not {shape!r}.") from None
    known = math.prod(length for length in lengths if length != -1)
    if lengths.count(-1) == 1 and known > 0 and size % known == 0:
        lengths = tuple(size // known if length == -1 else length for length in lengths)
    if not lengths or min(lengths) < 0 or math.prod(lengths) != size:
        raise ArgumentError(
            f"{size} elements cannot have the shape {tuple(shape)}.", hint="a shape has as many elements as the array."
        )
    return lengths


def _positions(key: Any, shape: tuple[int, ...]) -> list[int]:
    """Return the ints of a key, counted from the start."""
    try:
        numbers = [index(number) for number in (key if isinstance(key, tuple) else (key,))]
    except TypeError:
        raise ArgumentTypeError(
            "rows of an array of several dimensions are chosen by ints, or by one slice.",
            hint="flatten() it, or to_ndarray().",
        ) from None
    for number, length in zip(numbers, shape, strict=False):
        if not -length <= number < length:
            raise PositionError(f"position {number} is outside a dimension of {length}.")
    if len(numbers) > len(shape):
        raise PositionError(f"{len(numbers)} positions are too many for {len(shape)} dimensions.")
    return [number % length for number, length in zip(numbers, shape, strict=False)]
