"""`ArrayView`: an array of several dimensions, as a flat array in row-major order and a shape."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import index
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.elementwise import elementwise
from akdask.arrays.families import reduction, shown_by
from akdask.arrays.pdarray import pdarray
from akdask.arrays.sorting import SortingAlgorithm
from akdask.arrays.strided_layout import Layout, Positions, Shape, all_positions, arranged, chosen, mask_of
from akdask.columns.table import Table
from akdask.engine.node import Frame
from akdask.engine.sources import as_column, literal
from akdask.engine.values import Value
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError, UnsupportedError, errors_end_at_caller
from akdask.storage.files import takes_storage_options
from akdask.storage.objects import ObjType

if TYPE_CHECKING:
    from akdask.arrays.writing import Path, Storable

MOST_SHOWN = 1000
"""Elements of an array whose `repr` shows values."""


_OF_DIMENSIONS = """
>>> ak.array([[2, 4, 3]]).{name}().item()
{of_all}
"""


@shown_by(_OF_DIMENSIONS)
def _of_dimensions(array: ArrayView, name: str, axis: Any = None, keepdims: bool = False) -> Any:
    """Return {what} of all elements, or of those along dimensions; lazy.  Types are those of `pdarray.{name}`.

    Parameters
    ----------
    axis : int or tuple of int, optional
        The dimensions to reduce, all unless given; negative ones count from the end.
    keepdims : bool, default False
        Leave the dimensions that are reduced in the result, with length 1.

    Returns
    -------
    Scalar, pdarray or ArrayView
        By the number of dimensions that are left.

    Raises
    ------
    AxisError
        If the dimension does not exist.
    """
    return array._reduced(name, axis, keepdims)


@shown_by(_OF_DIMENSIONS)
def _spread_of_dimensions(array: ArrayView, name: str, ddof: int = 0, axis: Any = None, keepdims: bool = False) -> Any:
    """Return {what} of all elements, or of those along dimensions; see `sum` and `pdarray.{name}`."""
    return array._reduced(name, axis, keepdims, ddof=ddof)


@errors_end_at_caller
class ArrayView(pdarray):
    """A lazy array of any number of dimensions but one: a flat array, in row-major order, and a shape.

    It is a `pdarray`.  Operators and NumPy's ufuncs work element by element, on arrays whose shapes broadcast and on
    scalars; keys choose elements as in NumPy.

    Parameters
    ----------
    base : pdarray
        The elements.
    shape : sequence of int
        Length of each dimension; one of them may be -1, and follows from the number of elements.

    Raises
    ------
    ArgumentError
        If the shape has another number of elements.

    Examples
    --------
    >>> grid = ak.arange(6).reshape(2, 3)
    >>> (grid * ak.array([1, 10, 100])).tolist()
    [[0, 10, 200], [3, 40, 500]]
    >>> int(grid[1, 2]), grid[:, ::2].tolist()
    (5, [[0, 2], [3, 5]])
    """

    __array_priority__ = 3000
    __hash__ = None  # type: ignore[assignment]  # comparison gives an array, as in NumPy

    _default_dataset = "ArrayView"

    def __init__(self, base: Any, shape: Sequence[int]) -> None:
        # Users may assign to the array later; the result has the present elements.
        self._flat = base.copy()
        self._frame, self._value = self._flat._frame, self._flat._value
        self._shape = _checked_shape(shape, base.size)

    def _like(self, frame: Frame, value: Value) -> Any:
        """Return a flat array of the same kind; the shape of other rows is unknown."""
        return self._flat._like(frame, value)

    @property
    def base(self) -> Any:
        """The elements as a flat array.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.base.tolist()
        [0, 1, 2, 3, 4, 5]
        """
        return self._flat._like(self._frame, self._value)

    @property
    def dtype(self) -> Any:
        """NumPy dtype of the elements.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.dtype
        dtype('int64')
        """
        return self._flat.dtype

    @property
    def shape(self) -> Shape:  # type: ignore[override]  # that of a flat array has one length
        """Length of each dimension.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.shape
        (2, 3)
        """
        return self._shape

    @property
    def ndim(self) -> int:
        """Number of dimensions.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.ndim
        2
        """
        return len(self._shape)

    @property
    def size(self) -> int:
        """Number of elements.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.size
        6
        """
        return math.prod(self._shape)

    @property
    def T(self) -> Any:
        """The array with its dimensions in reverse order; lazy.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.T.tolist()
        [[0, 3], [1, 4], [2, 5]]
        """
        return rearranged(self, Layout.of(self._shape).permuted(range(self.ndim)[::-1]))

    def __len__(self) -> int:
        if not self._shape:
            raise ArgumentTypeError("an array without dimensions has no length.", hint="size is 1.")
        return self._shape[0]

    def copy(self) -> Self:
        """Return a copy; lazy objects share immutable parts.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.copy().tolist()
        [[0, 1, 2], [3, 4, 5]]
        """
        return type(self)(self.base, self._shape)

    def take(self, indices: Any, axis: int | None = None) -> Any:
        """Return the elements at some positions, in row-major order or along a dimension; see `akdask.take`.  Lazy.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.take([2, 0], axis=1).tolist()
        [[2, 0], [5, 3]]
        """
        if axis is not None:
            return self[(slice(None),) * (axis % max(self.ndim, 1)) + (indices,)]
        return self.base[as_array(indices) if np.ndim(indices) > 1 else indices]

    def head(self, n: int = 5) -> Any:
        """Return the elements at the first `n` positions along the first dimension; lazy.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.head(1).tolist()
        [[0, 1, 2]]
        """
        return self[:n]

    def tail(self, n: int = 5) -> Any:
        """Return the elements at the last `n` positions along the first dimension; lazy.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.tail(1).tolist()
        [[3, 4, 5]]
        """
        return self[-n:] if n else self[:0]

    def astype(self, dtype: Any) -> Any:
        """Return the elements converted to another type; lazy.  See `pdarray.astype`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.astype(ak.float64).tolist()
        [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]
        """
        return shaped(self.base.astype(dtype), self._shape)

    def flatten(self) -> Any:
        """Return the elements as a flat array, in row-major order; lazy.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.flatten().tolist()
        [0, 1, 2, 3, 4, 5]
        """
        return self.base

    def reshape(self, *shape: Any) -> Any:
        """Return the elements in another shape; lazy.  See `pdarray.reshape`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.reshape(3, 2).tolist()
        [[0, 1], [2, 3], [4, 5]]
        """
        return reshaped(self.base, *shape)

    def repartition(self, npartitions: int) -> Self:
        """Return the elements in another number of partitions; see `pdarray.repartition`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.repartition(2).npartitions
        2
        """
        return type(self)(self.base.repartition(npartitions), self._shape)

    def equals(self, other: Any) -> bool:
        """Whether the other array has the same shape and elements; computes.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.equals(a.copy())
        True
        """
        return isinstance(other, pdarray) and self.shape == other.shape and bool((self == other).all())

    # reductions, of all elements or along dimensions

    sum = reduction("sum", _of_dimensions)
    prod = reduction("prod", _of_dimensions)
    min = reduction("min", _of_dimensions)
    max = reduction("max", _of_dimensions)
    mean = reduction("mean", _of_dimensions)
    var = reduction("var", _spread_of_dimensions)
    std = reduction("std", _spread_of_dimensions)
    any = reduction("any", _of_dimensions)
    all = reduction("all", _of_dimensions)
    argmin = reduction("argmin", _of_dimensions)
    argmax = reduction("argmax", _of_dimensions)
    median = reduction("median", _of_dimensions)

    def quantile(self, q: Any = 0.5, axis: Any = None, method: str = "linear", keepdims: bool = False) -> Any:
        """Return a quantile of all elements or along dimensions as float64; see `sum` and `pdarray.quantile`.

        Of several, the first dimension of the result is theirs.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.quantile(0.5, axis=0).tolist()
        [1.5, 2.5, 3.5]
        """
        from akdask.operators.reduce.quantiles import checked_quantiles

        wanted = checked_quantiles(q, method)
        if isinstance(wanted, float):
            found = self._reduced("quantile", axis, keepdims, q=wanted, method=method)
            return found if axis is None else found.astype(np.float64)
        if axis is not None or keepdims:
            from akdask.arrays.shapes import stack

            return stack([self.quantile(one, axis, method, keepdims) for one in np.asarray(wanted).tolist()])
        return self.flatten().quantile(q, None, method)

    def count_nonzero(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return the number of elements that are not 0 as int64, of all or along dimensions; see `sum`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.count_nonzero(axis=1).tolist()
        [2, 3]
        """
        return self._reduced("count_nonzero", axis, keepdims)

    def is_sorted(self, axis: Any = None, keepdims: bool = False) -> Any:
        """Return whether elements ascend, in row-major order or along a dimension; see `pdarray.is_sorted`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.is_sorted(axis=1).tolist()
        [True, True]
        """
        if axis is None:
            return self.flatten().is_sorted(keepdims=keepdims)
        from akdask.arrays.axes import along_axis

        return along_axis("is_sorted", self, axis, keepdims)

    def argsort(self, algorithm: Any = SortingAlgorithm.RadixSortLSD, axis: int = 0, ascending: bool = True) -> Any:
        """Return the positions that put the elements in order along a dimension; lazy.  See `akdask.argsort`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.argsort(axis=1, ascending=False).tolist()
        [[2, 1, 0], [2, 1, 0]]
        """
        from akdask.arrays.axes import along_axis

        return along_axis("argsort", self, axis, ascending=ascending)

    def _reduced(self, name: str, axis: Any, keepdims: bool, **params: Any) -> Any:
        from akdask.arrays.axes import reduced_along

        return reduced_along(self.flatten(), self.shape, name, axis, keepdims, **params)

    # selection and assignment

    def __getitem__(self, key: Any) -> Any:
        """Return the elements that a key chooses of a NumPy array.

        Parameters
        ----------
        key : int, slice, ``...``, None, array of int or bool, or a tuple of these
            One element is computed at once if the key has ints alone; the rest is lazy, but the elements of a mask
            are counted.

        Raises
        ------
        PositionError
            If a dimension is not that long.
        AlignmentError
            If a mask has another shape.
        ArgumentTypeError
            If a part of the key is of no such kind.
        """
        return selected(self, key, as_element=not _has_ellipsis(key))

    def __setitem__(self, key: Any, item: Any) -> None:
        """Assign to the elements that a key chooses; lazy.  Arrays derived from this one before keep the old values.

        Parameters
        ----------
        key : int, slice, ``...``, None, array of int or bool, or a tuple of these
            Which elements; see `__getitem__`.
        item : scalar or array
            Broadcasts to their shape; for a mask of all dimensions, also one element for each True.
        """
        base = self.base
        assign(base, self._shape, key, item)
        self._frame, self._value = base._frame, base._value

    def _rows_of(self, array: Any) -> Any:
        """Return the rows of a flat array at positions, in the shape of the positions."""
        if self.dtype == np.bool_:
            raise AlignmentError(
                f"a mask of {self.ndim} dimensions chooses of no array of one.", hint="flatten() the mask."
            )
        return shaped(array[self.base], self._shape)

    # operators

    def _operate(self, operation: str, *items: Any, **params: Any) -> Any:
        return operated(operation, *items, **params)

    def _become(self, changed: Any, operation: str) -> Any:
        if getattr(changed, "shape", None) != self._shape:
            raise AlignmentError(
                f"{operation} in place needs arrays of one shape.",
                details=[f"shapes: {self._shape}, {getattr(changed, 'shape', ())}"],
            )
        self._flat = self.base._become(_flat(changed), operation)
        self._frame, self._value = self._flat._frame, self._flat._value
        return self

    # conversion

    def _converter(self) -> Callable[..., Any]:
        return partial(_in_shape, convert=self._flat._converter(), shape=self._shape)

    def _extras(self) -> tuple[Frame, ...]:
        extras: tuple[Frame, ...] = self._flat._extras()
        return extras

    def __dask_postpersist__(self) -> tuple[Callable[..., Self], tuple[Any, ...]]:
        return self._persisted_in_shape, ()

    def _persisted_in_shape(self, graph: Mapping[Any, Any], rename: Mapping[str, str] | None = None) -> Self:
        return type(self)(self._persisted(graph, rename), self._shape)

    def to_dask(self) -> Any:
        """Return a Dask array of the same shape; lazy.  See `pdarray.to_dask`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.to_dask().sum().compute().item()
        15
        """
        return self.base.to_dask().reshape(self._shape)

    def to_arrow(self) -> Any:
        """Refuse: Arrow's arrays have one dimension.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.to_arrow().to_pylist()
        Traceback (most recent call last):
            ...
        akdask.errors.UnsupportedError: Arrow's arrays have one dimension. ...
        """
        raise UnsupportedError("Arrow's arrays have one dimension.", hint="flatten() it.")

    # storage

    def _storable(self) -> Storable:
        return replace(self.base._storable(), kind=ObjType.ARRAYVIEW, params={"shape": self._shape})

    def flat_storable(self) -> Storable:
        """Return the array's stored form: a flat array with a shape, which every server reads."""
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
            The stored form: an ArrayView for Arkouda servers of v2022.11.10 to v2024.06.21, or a flat pdarray, which
            all do.  The shape is stored and read by akdask either way.
        num_locales
            As in `pdarray.to_hdf`.

        Examples
        --------
        >>> a = ak.arange(6).reshape(2, 3)
        >>> a.to_hdf("grid", "grid")
        >>> ak.read_hdf("grid*")["grid"].shape
        (2, 3)
        """
        if nd not in {"view", "flat"}:
            raise ArgumentError(f"nd is 'view' or 'flat', not {nd!r}.")
        stored = self._storable() if nd == "view" else self.flat_storable()
        self._write(stored, prefix_path, dataset, mode, file_type, num_locales)

    # display

    def __str__(self) -> str:
        return self._nested("[", "]")

    def __repr__(self) -> str:
        return self._nested("array([", "])")

    def _nested(self, start: str, end: str) -> str:
        from akdask.arrays.display import lazy_text

        if self.size > MOST_SHOWN or not self._is_cheap():
            return f"<{self._describe()}: {lazy_text(self)}>"
        return _nested(self.to_ndarray(), start, end)

    def _repr_html_(self) -> str:
        from akdask.arrays.display import framed, html_of_grid, lazy_text
        from akdask.engine.explain import is_small

        if not is_small(self._frame, [self._value]):
            return framed(f"{self._title()}: {lazy_text(self)}")
        return html_of_grid(self._title(), self, np.atleast_1d(self.to_ndarray()))

    def _describe(self) -> str:
        return f"{type(self).__name__}({self._value.dtype}, shape {self._shape})"

    def _title(self) -> str:
        return f"{super()._title()}, shape {self._shape}"


def _nested(items: Any, start: str, end: str) -> str:
    """Write elements as Arkouda does: an array of arrays."""
    from akdask.arrays.display import printed_numbers

    shown = printed_numbers(np.atleast_1d(items)) if items.ndim <= 1 else [_nested(item, start, end) for item in items]
    return f"{start}{' '.join(shown)}{end}"


def selected(array: Any, key: Any, as_element: bool = False) -> Any:
    """Return the elements that a key chooses of an array of any number of dimensions; see `ArrayView.__getitem__`.

    Lazy; a single element is an array without dimensions, or the element itself with `as_element`.
    """
    shape = array.shape
    mask = mask_of(key, shape)
    if mask is not None:
        rest = shape[mask.ndim :]
        rows = _flat(array)[_flat(_mask_rows(mask, shape))]
        return rows if not rest else reshaped(rows, (-1 if math.prod(rest) else int(mask.sum()), *rest))
    found = chosen(Layout.of(shape), key)
    if isinstance(found, Positions):
        return shaped(_flat(array)[found.elements], found.shape)
    return _flat(array)[found.offset] if as_element and not found.shape else rearranged(array, found)


def assign(base: Any, shape: Shape, key: Any, item: Any) -> None:
    """Assign to the elements that a key chooses of a flat array in some shape; see `ArrayView.__setitem__`."""
    mask = mask_of(key, shape)
    if mask is not None and (mask.ndim == len(shape) or not getattr(item, "ndim", 0)):
        items = item if _is_scalar(item) else as_array(item)
        base[_flat(_mask_rows(mask, shape))] = _flat(items) if getattr(items, "ndim", 0) else _element(items)
        return
    found = chosen(Layout.of(shape), key)
    items = item if _is_scalar(item) else _flat(spread(_without_leading(as_array(item), len(found.shape)), found.shape))
    simple = found.merged() if isinstance(found, Layout) else None
    if simple is not None and simple.strides in ((), (1,)):
        base[simple.offset : simple.offset + simple.size] = items
    else:
        base[all_positions(found) if isinstance(found, Layout) else found.elements] = items


def _element(item: Any) -> Any:
    """Return the element of an array without dimensions; computes."""
    return item.base[0] if isinstance(item, ArrayView) else item


def _without_leading(array: Any, ndim: int) -> Any:
    """Return an array without surplus first dimensions of length 1; NumPy assigns such arrays."""
    shape = array.shape
    while len(shape) > ndim and shape[0] == 1:
        shape = shape[1:]
    return array if shape == array.shape else shaped(_flat(array), shape)


def operated(operation: str, *items: Any, **params: Any) -> Any:
    """Return the result of an operation on scalars and arrays whose shapes broadcast; lazy.

    Raises
    ------
    AlignmentError
        If the shapes do not broadcast.
    """
    shapes = [() if _is_scalar(item) else as_array(item).shape for item in items]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise AlignmentError(
            f"{operation} needs arrays of one shape, or of shapes that broadcast.",
            details=[f"shapes: {', '.join(map(str, shapes))}"],
            hint="reshape them.",
        ) from None
    flat = [item if _is_scalar(item) else _flat(spread(as_array(item), shape)) for item in items]
    return shaped(elementwise(operation, *flat, **params), shape)


def spread(array: Any, shape: Sequence[int]) -> Any:
    """Return an array with its elements repeated along dimensions that are new, or had the length 1; lazy.

    Raises
    ------
    AlignmentError
        If a dimension has another length.
    """
    own = array.shape
    if own == tuple(shape):
        return array
    return rearranged(array, Layout.of(own).spread(shape))


def rearranged(array: Any, layout: Layout) -> Any:
    """Return the elements of an array that a layout has, in its shape; lazy."""
    return shaped(arranged(_flat(array), layout), layout.shape)


def _is_scalar(item: Any) -> bool:
    return not isinstance(item, Array | list | tuple) and not (isinstance(item, np.ndarray) and item.ndim)


def as_array(item: Any) -> Any:
    """Return data at hand as a lazy array."""
    if isinstance(item, Array):
        return item
    items = np.asarray(item)
    return shaped(wrap(*literal(as_column(items.ravel()))), items.shape)


def _mask_rows(mask: Any, shape: Shape) -> Any:
    """Return a mask of the first dimensions of an array as a lazy one of all."""
    lazy = as_array(mask)
    return spread(shaped(_flat(lazy), (*lazy.shape, *(1 for _ in shape[mask.ndim :]))), shape)


def _has_ellipsis(key: Any) -> bool:
    return key is ... or (isinstance(key, tuple) and any(part is ... for part in key))


def _flat(item: Any) -> Any:
    return item.base if isinstance(item, ArrayView) else item


def shaped(flat: Any, shape: Sequence[int]) -> Any:
    """Return a flat array in a shape that is known to fit; for one dimension, the array itself."""
    return flat if len(shape) == 1 else ArrayView(flat, shape)


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


def _in_shape(table: Table, *extras: Any, convert: Callable[..., Any], shape: Shape) -> Any:
    return convert(table, *extras).reshape(shape)


def _checked_shape(shape: Sequence[int], size: int) -> Shape:
    try:
        lengths = tuple(index(length) for length in shape)
    except TypeError:
        raise ArgumentTypeError(f"a shape is made of whole numbers, not {shape!r}.") from None
    known = math.prod(length for length in lengths if length != -1)
    if lengths.count(-1) == 1 and known > 0 and size % known == 0:
        lengths = tuple(size // known if length == -1 else length for length in lengths)
    if min(lengths, default=0) < 0 or math.prod(lengths) != size:
        raise ArgumentError(
            f"{size} elements cannot have the shape {tuple(shape)}.", hint="a shape has as many elements as the array."
        )
    return lengths
