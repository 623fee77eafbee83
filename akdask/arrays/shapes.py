"""Functions of shapes, all lazy: broadcasting, transposing, joining, splitting, tiling and padding."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import index
from typing import Any, Literal, TypeAlias

import numpy as np

from akdask.arrays.array import Array, check_axis
from akdask.arrays.creation import arange, filled, full
from akdask.arrays.creation import array as make_array
from akdask.arrays.elementwise import PLAIN, cast, clip, where
from akdask.arrays.ndarray import ArrayView, as_array, rearranged, reshaped, shaped, spread
from akdask.arrays.reductions import cumsum
from akdask.arrays.sorting import insertion_points
from akdask.arrays.strided_layout import Layout
from akdask.columns.dtypes import ColumnType, bigint_of
from akdask.engine import tuning
from akdask.engine.alignment import joined
from akdask.engine.node import Frame
from akdask.engine.operations import promote
from akdask.engine.rowwise import Concat, Project
from akdask.engine.values import Value, widened
from akdask.errors import (
    AlignmentError,
    ArgumentError,
    ArgumentTypeError,
    AxisError,
    UnfitArgumentError,
    UnsupportedError,
)


def checked_axis(name: str, axis: Any, ndim: int) -> int:
    """Return a dimension counted from the first.

    Raises
    ------
    ArgumentTypeError
        If it is no whole number.
    AxisError
        If the array has no such dimension.
    """
    try:
        number = index(axis)
    except TypeError:
        raise ArgumentTypeError(f"{name}(axis={axis!r}): dimensions are named by whole numbers.") from None
    if not -ndim <= number < ndim:
        raise AxisError(f"{name}(axis={axis}): the array has {ndim} dimensions.")
    return number % ndim


def checked_axes(name: str, axes: Any, ndim: int) -> tuple[int, ...]:
    """Return one or several dimensions counted from the first.

    Raises
    ------
    ArgumentError
        If a dimension comes twice.
    AxisError
        If the array has no such dimension.
    """
    given = axes if isinstance(axes, Sequence | np.ndarray) else (axes,)
    numbers = tuple(checked_axis(name, axis, ndim) for axis in given)
    if len(set(numbers)) < len(numbers):
        raise ArgumentError(f"{name}(axis={axes}): a dimension comes twice.")
    return numbers


def shape(a: Any) -> tuple[int, ...]:
    """Return the length of each dimension of an array, of a scalar none.

    Counts rows of unknown number.

    Raises
    ------
    ArgumentTypeError
        If it is neither.

    Examples
    --------
    >>> ak.shape(ak.zeros((2, 3))), ak.shape(7)
    ((2, 3), ())
    """
    if not hasattr(a, "shape") and not np.iterable(a) and not np.isscalar(a):
        raise ArgumentTypeError(f"a {type(a).__name__} has no shape.", hint="arrays, sequences and scalars have one.")
    found: tuple[int, ...] = a.shape if hasattr(a, "shape") else np.shape(a)
    return tuple(found)


def transpose(pda: Any, axes: Sequence[int] | None = None) -> Any:
    """Return an array with its dimensions in another order; lazy.

    Parameters
    ----------
    pda : pdarray
        The array.
    axes : sequence of int, optional
        The dimension of `pda` for each dimension of the result; the reverse order unless given.

    Returns
    -------
    pdarray

    Raises
    ------
    ArgumentError
        If not every dimension comes once.

    Examples
    --------
    >>> ak.transpose(ak.arange(6).reshape(2, 3)).tolist()
    [[0, 3], [1, 4], [2, 5]]
    """
    array = as_array(pda)
    order = tuple(range(array.ndim))[::-1] if axes is None else checked_axes("transpose", axes, array.ndim)
    if len(order) != array.ndim:
        raise ArgumentError(f"transpose: {len(order)} axes for an array of {array.ndim} dimensions.")
    return rearranged(array, Layout.of(array.shape).permuted(order))


def moveaxis(x: Any, source: Any, destination: Any) -> Any:
    """Return an array with some dimensions moved to other places, the others in their order; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    source, destination : int or sequence of int
        The dimensions to move, and their new positions; both have as many entries.

    Raises
    ------
    ArgumentError
        If there are not as many of both.

    Examples
    --------
    >>> moveaxis(ak.zeros((2, 3, 4)), 0, -1).shape
    (3, 4, 2)
    """
    array = as_array(x)
    given = checked_axes("moveaxis", source, array.ndim)
    wanted = checked_axes("moveaxis", destination, array.ndim)
    if len(given) != len(wanted):
        raise ArgumentError(f"moveaxis: {len(given)} dimensions for {len(wanted)} places.")
    order = [number for number in range(array.ndim) if number not in given]
    for position, number in sorted(zip(wanted, given, strict=True)):
        order.insert(position, number)
    return transpose(array, order)


def swapaxes(x: Any, axis1: int, axis2: int) -> Any:
    """Return an array with two dimensions exchanged; lazy.

    Examples
    --------
    >>> swapaxes(ak.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    array = as_array(x)
    first, second = (checked_axis("swapaxes", axis, array.ndim) for axis in (axis1, axis2))
    order = list(range(array.ndim))
    order[first], order[second] = second, first
    return transpose(array, order)


def flip(x: Any, /, *, axis: int | Sequence[int] | None = None) -> Any:
    """Return an array with its elements in reverse order along some dimensions; lazy.

    Parameters
    ----------
    x : pdarray, Strings or Categorical
        The array.
    axis : int or sequence of int, optional
        The dimensions, all unless given.

    Examples
    --------
    >>> ak.flip(ak.arange(4)).tolist(), ak.flip(ak.arange(4).reshape(2, 2), axis=1).tolist()
    ([3, 2, 1, 0], [[1, 0], [3, 2]])
    """
    if isinstance(x, PLAIN):
        raise ArgumentTypeError(f"flip takes a lazy array, not {type(x).__name__}.")
    array = as_array(x)
    axes = range(array.ndim) if axis is None else checked_axes("flip", axis, array.ndim)
    layout = Layout.of(array.shape)
    for number in axes:
        layout = layout.along(number, slice(None, None, -1))
    return rearranged(array, layout)


def squeeze(x: Any, /, axis: int | Sequence[int] | None = None) -> Any:
    """Return an array without dimensions of length 1; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    axis : int or sequence of int, optional
        The dimensions that go, all of length 1 unless given.

    Raises
    ------
    ArgumentError
        If one of them has another length.

    Examples
    --------
    >>> ak.squeeze(ak.zeros((1, 3, 1))).shape
    (3,)
    """
    array = as_array(x)
    lengths = array.shape
    chosen = [number for number, length in enumerate(lengths) if length == 1]
    axes = chosen if axis is None else checked_axes("squeeze", axis, array.ndim)
    if any(lengths[number] != 1 for number in axes):
        raise ArgumentError(f"squeeze(axis={axis}): only dimensions of length 1 can go.", details=[f"shape: {lengths}"])
    return reshaped(array.flatten(), [length for number, length in enumerate(lengths) if number not in axes])


def expand_dims(x: Any, axis: int | Sequence[int]) -> Any:
    """Return an array with further dimensions of length 1; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    axis : int or sequence of int
        Where the new dimensions are in the result.

    Examples
    --------
    >>> expand_dims(ak.arange(3), 0).shape, expand_dims(ak.arange(3), -1).shape
    ((1, 3), (3, 1))
    """
    array = as_array(x)
    count = len(axis) if isinstance(axis, Sequence | np.ndarray) else 1
    axes = checked_axes("expand_dims", axis, array.ndim + count)
    lengths = iter(array.shape)
    return reshaped(array.flatten(), [1 if number in axes else next(lengths) for number in range(array.ndim + count)])


def roll(x: Any, shift: Any, axis: Any = None) -> Any:
    """Return an array with its elements moved along some dimensions, from the end to the start; lazy.

    Parameters
    ----------
    x : pdarray
        The array.
    shift : int or sequence of int
        Number of places, for each dimension.
    axis : int or sequence of int, optional
        The dimensions; unless given, all elements are moved in row-major order.

    Raises
    ------
    ArgumentError
        If there are not as many shifts as dimensions.
    ArgumentTypeError
        If a shift is not whole.

    Examples
    --------
    >>> roll(ak.arange(5), 2).tolist()
    [3, 4, 0, 1, 2]
    """
    array = as_array(x)
    if axis is None:
        return reshaped(roll(array.flatten(), shift, 0), array.shape)
    shifts = tuple(shift) if isinstance(shift, Sequence) else (shift,)
    axes = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if len(shifts) != len(axes) and 1 not in (len(shifts), len(axes)):
        raise ArgumentError(f"roll: {len(shifts)} shifts for {len(axes)} dimensions.")
    for one, number in np.broadcast(np.asarray(shifts, object), np.asarray(axes, object)):
        array = _rolled(array, one, checked_axis("roll", number, array.ndim))
    return array


def _rolled(array: Any, shift: Any, axis: int) -> Any:
    length = array.shape[axis]
    try:
        start = -index(shift) % length if length else 0
    except TypeError:
        raise ArgumentTypeError(f"roll moves by whole numbers, not by {shift!r}.") from None
    if not start:
        return array
    layout = Layout.of(array.shape)
    parts = [rearranged(array, layout.along(axis, part)) for part in (slice(start, None), slice(start))]
    return chained(parts, axis=axis)


def broadcast_to(x: Any, shape: Any) -> Any:
    """Return an array with its elements repeated to fill a shape; lazy.

    Parameters
    ----------
    x : pdarray or number
        The elements.
    shape : int or sequence of int
        Its last dimensions have the lengths of the dimensions of `x`, where these are not 1.

    Raises
    ------
    AlignmentError
        If a dimension has another length.

    Examples
    --------
    >>> ak.broadcast_to(ak.arange(2), (2, 2)).tolist()
    [[0, 1], [0, 1]]
    """
    lengths = tuple(map(index, shape)) if isinstance(shape, Sequence) else (index(shape),)
    return spread(as_array(x), lengths)


def broadcast_arrays(*arrays: Any) -> list[Any]:
    """Return arrays in the one shape that they broadcast to; lazy.

    Raises
    ------
    AlignmentError
        If there is none.

    Examples
    --------
    >>> [item.shape for item in ak.broadcast_arrays(ak.arange(3), ak.zeros((2, 1)))]
    [(2, 3), (2, 3)]
    """
    items = [as_array(item) for item in arrays]
    shape = broadcast_shapes(*(item.shape for item in items))
    return [spread(item, shape) for item in items]


def broadcast_shapes(*shapes: Any) -> tuple[int, ...]:
    """Return the shape that arrays of some shapes broadcast to.

    Raises
    ------
    AlignmentError
        If there is none.

    Examples
    --------
    >>> ak.broadcast_shapes((3, 1), (4,))
    (3, 4)
    """
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        raise AlignmentError(
            "the shapes do not broadcast to one.",
            details=[f"shapes: {', '.join(map(str, shapes))}"],
            hint="dimensions, from the last on, have the same length or the length 1.",
        ) from None


def broadcast_dims(sa: Sequence[int], sb: Sequence[int]) -> tuple[int, ...]:
    """Return the shape that arrays of two shapes broadcast to; see `broadcast_shapes`.

    Examples
    --------
    >>> ak.broadcast_dims((5, 1), (1, 3))
    (5, 3)
    """
    return broadcast_shapes(tuple(sa), tuple(sb))


def meshgrid(*arrays: Any, indexing: str = "xy") -> list[Any]:
    """Return for each array its elements at all points of the grid that they span; lazy.

    Parameters
    ----------
    *arrays : pdarray
        Of one dimension each.
    indexing : {"xy", "ij"}
        The order of dimensions: ``ij`` follows the arrays, ``xy`` exchanges the first two.

    Raises
    ------
    ArgumentError
        If `indexing` is neither, or an array has several dimensions.

    Examples
    --------
    >>> [item.tolist() for item in meshgrid(ak.arange(2), ak.arange(2))]
    [[[0, 1], [0, 1]], [[0, 0], [1, 1]]]
    """
    if indexing not in ("xy", "ij"):
        raise ArgumentError(f"meshgrid: indexing={indexing!r} is neither 'xy' nor 'ij'.")
    items = [as_array(item) for item in arrays]
    if any(item.ndim > 1 for item in items):
        raise ArgumentError("meshgrid takes arrays of one dimension.")
    items = [reshaped(item.flatten(), -1) for item in items]
    shape = tuple(item.size for item in items)
    found = []
    for axis, item in enumerate(items):
        steps = tuple(int(number == axis) for number in range(len(shape)))
        grid = rearranged(item, Layout(shape, steps))
        found.append(swapaxes(grid, 0, 1) if indexing == "xy" and len(shape) > 1 else grid)
    return found


def promote_to_common_dtype(arrays: Sequence[Any]) -> tuple[Any, list[Any]]:
    """Return the float type that arrays have in common, and the arrays in it; lazy.  Follows ``numpy.common_type``.

    Parameters
    ----------
    arrays : sequence of pdarray
        Of numbers, not of bools.

    Raises
    ------
    ArgumentTypeError
        If they are no lazy arrays of numbers.

    Examples
    --------
    >>> dtype, arrays = ak.promote_to_common_dtype([ak.arange(2), ak.zeros(2)])
    >>> dtype, arrays[0].tolist()
    (dtype('float64'), [0.0, 1.0])
    """
    items = list(arrays)
    if any(not hasattr(item, "astype") or getattr(item, "dtype", None) is None for item in items):
        raise ArgumentTypeError("promote_to_common_dtype takes lazy arrays of numbers.")
    try:
        common = np.dtype(np.common_type(*(np.empty(0, item.dtype) for item in items)))
    except TypeError as error:
        raise ArgumentTypeError(f"promote_to_common_dtype takes lazy arrays of numbers: {error}.") from error
    return common, [item.astype(common) for item in items]


def spaced_between(start: Any, stop: Any, num: int, endpoint: bool, axis: int) -> Any:
    """Return `num` numbers between each two elements, as float64 along a new dimension; lazy.

    Parameters
    ----------
    start, stop : pdarray or number
        The first numbers, and the last ones or the ends; their shapes broadcast.
    num : int
        Number of elements.
    endpoint : bool
        Whether `stop` are the last.
    axis : int
        Where the new dimension is in the result.
    """
    span = (stop - start) * 1.0
    steps = arange(num).reshape(num, *[1] * span.ndim)
    found = start + steps * (span / max(num - endpoint, 1))
    if endpoint and num > 1:
        # The last number is exactly `stop`, whatever rounding gave.
        found = where(steps == num - 1, stop + span * 0.0, found)
    return moveaxis(found, 0, axis)


def concatenate(arrays: Any, axis: int | None = 0, ordered: bool = True) -> Any:
    """Join arrays end to end; lazy.  The partitions of the arrays follow one another.

    Parameters
    ----------
    arrays : sequence of pdarray, or of Strings, Categorical, …
        At least one, of one type.  Arrays of several dimensions have the same lengths but for that along `axis`.
    axis : int or None
        The dimension along which arrays of several dimensions are joined; None flattens them first.
    ordered : bool
        Accepted for compatibility with Arkouda; the order is always kept.

    Raises
    ------
    ArgumentError
        If there are none, or numbers are of several types.
    ArgumentTypeError
        If the types do not go together, or an argument is no lazy array.
    AxisError
        If `axis` is not an axis of the arrays.

    Examples
    --------
    >>> concatenate([ak.arange(2), ak.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    if isinstance(arrays, list | tuple) and all(type(item).__name__ == "pdarray" for item in arrays):
        types = {item._value.dtype.name for item in arrays}
        if len(types) > 1:
            raise ArgumentError(
                "concatenate takes numbers of one type.",
                details=[f"types: {', '.join(sorted(types))}"],
                hint="cast them first, for example with astype(float).",
            )
    if isinstance(arrays, list | tuple) and all(type(item).__name__ == "BitVector" for item in arrays):
        widths = {(item.width, item.reverse) for item in arrays}
        if len(widths) > 1:
            raise ArgumentTypeError("concatenate takes BitVectors of one width and direction.")
    return chained(arrays, axis, ordered)


def chained(arrays: Any, axis: int | None = 0, ordered: bool = True) -> Any:
    """Return arrays end to end, as `concatenate` does; ints and floats meet in their common type."""
    if not isinstance(arrays, Sequence) or isinstance(arrays, str):
        raise ArgumentTypeError(f"concatenate takes a list or tuple of arrays, not a {type(arrays).__name__}.")
    arrays = list(arrays)
    if not arrays:
        raise ArgumentError("concatenate needs at least one array.")
    for item in arrays:
        if type(item) is not type(arrays[0]):
            kinds = ", ".join(type(array).__name__ for array in arrays)
            raise UnfitArgumentError(f"concatenate needs arrays of one kind, got {kinds}.")
    if isinstance(arrays[0], ArrayView):
        return chained([array.base for array in arrays]) if axis is None else _joined_along(arrays, axis)
    if not isinstance(arrays[0], Array):
        raise ArgumentTypeError(f"concatenate needs lazy arrays, got {type(arrays[0]).__name__}.")
    check_axis("concatenate", axis)
    if hasattr(type(arrays[0]), "concatenate"):
        return arrays[0].concatenate(arrays[1:], ordered=ordered)
    arrays = arrays[0]._in_common("concatenate", arrays[1:])
    wanted = _common_type([array._value.dtype for array in arrays])
    values = [(array._frame, widened(array._value, wanted)) for array in arrays]
    parts = [part for frame, value in values for part in _parts(frame, value)]
    if len(parts) > tuning.MOST_CONCATENATED_PARTS:
        parts = [Project(frame, (0,), (value,)) for frame, value in values]
    frame = joined(parts)
    return arrays[0]._like(frame, frame.column(0))


def _common_type(given: Sequence[ColumnType]) -> ColumnType:
    """Return the type of the elements of joined arrays; bigints take the largest limit of bits, if any."""
    found = promote(*given) or given[0]
    limits = [dtype.max_bits for dtype in given if dtype.kind == "bigint"]
    return bigint_of(max(limits)) if found.kind == "bigint" else found


def _joined_along(arrays: Sequence[ArrayView], axis: int) -> Any:
    """Join arrays along one of several dimensions, which becomes the first one meanwhile."""
    ndim = arrays[0].ndim
    axis = checked_axis("concatenate", axis, ndim)
    if len({(*array.shape[:axis], *array.shape[axis + 1 :]) for array in arrays}) > 1:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise ArgumentError(
            "arrays that are joined differ in the length along the axis only.", details=[f"shapes: {shapes}"]
        )
    order = [axis, *range(axis), *range(axis + 1, ndim)]
    first = [rearranged(array, Layout.of(array.shape).permuted(order)) for array in arrays]
    shape = (sum(array.shape[0] for array in first), *first[0].shape[1:])
    joined_first = shaped(chained([array.flatten() for array in first]), shape)
    return rearranged(joined_first, Layout.of(shape).permuted([order.index(number) for number in range(ndim)]))


def _parts(frame: Frame, value: Value) -> tuple[Project, ...]:
    """Return the parts of an array that was joined before, so that joining in a loop does not nest."""
    if isinstance(frame, Concat) and frame.frames[0].names == (0,) and value == frame.column(0):
        return frame.frames
    return (Project(frame, (0,), (value,)),)


Casting: TypeAlias = Literal["no", "equiv", "safe", "same_kind", "unsafe"]


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> Any:
    """Join arrays along the second dimension, or arrays of one dimension along it; lazy.

    Parameters
    ----------
    tup : sequence of pdarray
        The arrays to join; their lengths agree in all other dimensions.
    dtype : dtype-like, optional
        The type of the result.
    casting : str
        Which conversions to `dtype` are allowed, by the words of ``numpy.can_cast``.

    Raises
    ------
    ArgumentError
        If there are no arrays, or their shapes do not fit.
    ArgumentTypeError
        If the conversion is not allowed.

    Examples
    --------
    >>> ak.hstack([ak.arange(2), ak.arange(3)]).tolist()
    [0, 1, 0, 1, 2]
    """
    arrays = [reshaped(item.flatten(), -1) if item.ndim == 0 else item for item in _several("hstack", tup)]
    return chained(_typed("hstack", arrays, dtype, casting), axis=0 if arrays[0].ndim == 1 else 1)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Casting = "same_kind") -> Any:
    """Join arrays along the first dimension; arrays of one dimension become rows; lazy.  See `hstack`.

    Examples
    --------
    >>> ak.vstack([ak.arange(2), ak.arange(2, 4)]).tolist()
    [[0, 1], [2, 3]]
    """
    arrays = [reshaped(item.flatten(), 1, -1) if item.ndim < 2 else item for item in _several("vstack", tup)]
    return chained(_typed("vstack", arrays, dtype, casting), axis=0)


def stack(arrays: Sequence[Any], axis: int = 0) -> Any:
    """Join arrays of one shape along a new dimension; lazy.

    Parameters
    ----------
    arrays : sequence of pdarray
        The arrays to join.
    axis : int, default 0
        Where the new dimension is in the result.

    Raises
    ------
    ArgumentError
        If there are no arrays, or they have several shapes.

    Examples
    --------
    >>> stack([ak.arange(2), ak.arange(2, 4)], axis=1).tolist()
    [[0, 2], [1, 3]]
    """
    items = _several("stack", arrays)
    if len({item.shape for item in items}) > 1:
        raise ArgumentError("stack needs arrays of one shape.", details=[f"shapes: {[item.shape for item in items]}"])
    return chained(_typed("stack", [expand_dims(item, axis) for item in items], None, "safe"), axis=axis)


def unstack(x: Any, axis: int = 0) -> tuple[Any, ...]:
    """Return the arrays at all positions along a dimension; lazy.

    Examples
    --------
    >>> [part.tolist() for part in unstack(ak.arange(4).reshape(2, 2), axis=1)]
    [[0, 2], [1, 3]]
    """
    array = as_array(x)
    number, layout = checked_axis("unstack", axis, array.ndim), Layout.of(array.shape)
    return tuple(rearranged(array, layout.at(number, position)) for position in range(array.shape[number]))


def append(arr: Any, values: Any, axis: int | None = None) -> Any:
    """Return an array with values after its end; lazy.

    Parameters
    ----------
    arr, values : pdarray, or Strings and Categorical of one dimension
        The elements to put together.
    axis : int, optional
        The dimension along which to join; unless given, both are flattened first.

    Raises
    ------
    ArgumentError
        If the shapes do not fit.

    Examples
    --------
    >>> ak.append(ak.arange(2), ak.array([[5], [6]])).tolist()
    [0, 1, 5, 6]
    """
    items = _several("append", [arr, values])
    if axis is None:
        items = [item.flatten() if item.ndim != 1 else item for item in items]
    elif items[0].ndim != items[1].ndim:
        raise ArgumentError(f"append(axis={axis}): arrays of {items[0].ndim} and {items[1].ndim} dimensions.")
    return chained(_typed("append", items, None, "safe"), axis=0 if axis is None else axis)


def delete(arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return an array without the elements at some positions; lazy, but counts the rest in several dimensions.

    Parameters
    ----------
    arr : pdarray, or Strings and Categorical of one dimension
        The elements.
    obj : int, slice, or array of int or bool
        Positions along the dimension.
    axis : int, optional
        The dimension; unless given, the array is flattened first.

    Raises
    ------
    PositionError
        If a position is not there.
    AlignmentError
        If a mask has another length than the dimension.

    Examples
    --------
    >>> ak.delete(ak.arange(5), [0, 2]).tolist(), ak.delete(ak.arange(4).reshape(2, 2), 0, axis=1).tolist()
    ([1, 3, 4], [[1], [3]])
    """
    array = as_array(arr)
    if axis is None:
        array, axis = (array if array.ndim == 1 else array.flatten()), 0
    number = checked_axis("delete", axis, array.ndim)
    length = array.shape[number]
    stays = full(length, True)
    chosen = make_array(obj) if isinstance(obj, list | tuple | np.ndarray) and np.ndim(obj) and len(obj) else obj
    if getattr(chosen, "dtype", None) == np.bool_ and np.ndim(chosen) and chosen.size != length:
        raise AlignmentError(f"a mask of {chosen.size} rows chooses of no dimension of {length}.")
    if not np.ndim(chosen) or len(chosen):
        stays[chosen] = False
    return array[stays] if array.ndim == 1 else array[(slice(None),) * number + (stays,)]


def _several(name: str, arrays: Any) -> list[Any]:
    if not isinstance(arrays, Sequence) or isinstance(arrays, str):
        raise ArgumentTypeError(f"{name} takes a list or tuple of arrays, not a {type(arrays).__name__}.")
    items = [as_array(item) for item in arrays]
    if not items:
        raise ArgumentError(f"{name} needs at least one array.")
    return items


def _typed(name: str, arrays: list[Any], dtype: Any, casting: Casting) -> list[Any]:
    """Return arrays of numbers in one type: the wanted one, or their common type."""
    if dtype is None:
        return arrays
    for array in arrays:
        if not np.can_cast(array.dtype, np.dtype(dtype), casting):
            raise ArgumentTypeError(f"{name}: {array.dtype} does not become {dtype} by casting={casting!r}.")
    return [array.astype(dtype) for array in arrays]


def tile(A: Any, /, reps: Any) -> Any:
    """Return an array that is repeated as a whole along dimensions; lazy.

    Parameters
    ----------
    A : pdarray, or Strings and Categorical of one dimension
        The elements.
    reps : int or sequence of int
        Number of repetitions along each of the last dimensions; the result has at least as many dimensions as numbers.

    Raises
    ------
    ArgumentError
        If a number is below 0.

    Examples
    --------
    >>> ak.tile(ak.arange(2), 3).tolist(), ak.tile(ak.arange(2), (2, 1)).tolist()
    ([0, 1, 0, 1, 0, 1], [[0, 1], [0, 1]])
    """
    array = as_array(A)
    counts = _counts("tile", reps if isinstance(reps, Sequence | np.ndarray) else (reps,))
    ndim = max(array.ndim, len(counts))
    counts = (1,) * (ndim - len(counts)) + counts
    layout = Layout.of((1,) * (ndim - array.ndim) + array.shape)
    pairs = list(zip(counts, layout.shape, layout.strides, strict=True))
    repeated = Layout(
        tuple(length for count, own, _ in pairs for length in (count, own)),
        tuple(step for _, _, stride in pairs for step in (0, stride)),
    )
    return reshaped(rearranged(array, repeated).flatten(), [count * own for count, own, _ in pairs])


def repeat(a: Any, repeats: Any, axis: int | None = None) -> Any:
    """Return an array with each element repeated; lazy, but for counting the rows where `repeats` are several.

    Parameters
    ----------
    a : pdarray, or Strings and Categorical of one dimension
        The elements.
    repeats : int, or array of int
        How often, all or each position along the dimension.
    axis : int, optional
        The dimension; unless given, the array is flattened first.

    Raises
    ------
    ArgumentError
        If a number is below 0, or there are not as many as positions.

    Examples
    --------
    >>> ak.repeat(ak.arange(3), 2).tolist(), ak.repeat(ak.arange(3), [1, 0, 2]).tolist()
    ([0, 0, 1, 1, 2, 2], [0, 2, 2])
    """
    array = as_array(a)
    if axis is None:
        array, axis = (array if array.ndim == 1 else array.flatten()), 0
    number = checked_axis("repeat", axis, array.ndim)
    counts = as_array(repeats) if np.ndim(repeats) else repeats
    if np.ndim(counts) and counts.size != 1:
        return _repeated_each(array, counts, number)
    (count,) = _counts("repeat", (counts[0] if np.ndim(counts) else counts,))
    layout = Layout.of(array.shape).with_axis(number + 1)
    layout = layout.spread((*layout.shape[: number + 1], count, *layout.shape[number + 2 :]))
    shape = [length * count if axis == number else length for axis, length in enumerate(array.shape)]
    return reshaped(rearranged(array, layout).flatten(), shape)


def _repeated_each(array: Any, counts: Any, axis: int) -> Any:
    length = array.shape[axis]
    if counts.ndim != 1 or counts.size != length or counts.dtype.kind not in "iub":
        raise ArgumentError(f"repeat takes one whole number for each of {length} positions.", details=[repr(counts)])
    if not length:
        return array
    if counts.dtype.kind == "i" and counts.min() < 0:
        raise ArgumentError("repeat: a number of repetitions is below 0.")
    ends = cumsum(cast(counts, "int64"))
    found = insertion_points(ends, arange(int(counts.sum())), side="right")
    return array[found] if array.ndim == 1 else array[(slice(None),) * axis + (found,)]


def _counts(name: str, given: Any) -> tuple[int, ...]:
    try:
        counts = tuple(index(count) for count in given)
    except TypeError:
        raise ArgumentTypeError(f"{name}: elements are repeated a whole number of times, not {given!r:.100}.") from None
    if min(counts, default=0) < 0:
        raise ArgumentError(f"{name}: a number of repetitions is below 0.")
    return counts


def pad(array: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """Return an array with further elements before and behind its own, along each dimension; lazy.

    Parameters
    ----------
    array : pdarray
        The elements.
    pad_width : int, pair of int, or a pair for each dimension
        Number of elements before and behind.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        The new elements: a constant, the element at the edge, the elements beyond the edge in reverse without or with
        the element at the edge, or the elements at the other end.
    **kwargs
        ``constant_values``, 0 unless given, of the forms that `pad_width` has.

    Raises
    ------
    ArgumentError
        If a width is below 0, or there is no element to repeat.
    UnsupportedError
        If the mode is unknown.

    Examples
    --------
    >>> pad(ak.arange(3), (1, 2)).tolist(), pad(ak.arange(3), 2, "reflect").tolist()
    ([0, 0, 1, 2, 0, 0], [2, 1, 0, 1, 2, 1, 0])
    """
    found = as_array(array)
    widths = [_counts("pad", pair) for pair in _pairs("pad_width", pad_width, found.ndim)]
    values = _pairs("constant_values", kwargs.pop("constant_values", 0), found.ndim)
    if kwargs:
        raise ArgumentTypeError(f"pad takes no {', '.join(kwargs)}.", hint="constant_values is what it takes.")
    if mode != "constant" and mode not in _MODES:
        raise UnsupportedError(f"pad(mode={mode!r}).", hint=f"modes are constant, {', '.join(_MODES)}.")
    for axis, (before, behind) in enumerate(widths):
        if not before and not behind:
            continue
        if mode == "constant":
            found = _with_constants(found, axis, (before, behind), values[axis])
        else:
            found = _with_own(found, axis, (before, behind), mode)
    return found


def _pairs(name: str, given: Any, ndim: int) -> list[tuple[Any, Any]]:
    try:
        pairs = np.broadcast_to(np.asarray(given), (ndim, 2))
    except ValueError:
        raise ArgumentError(f"pad: {name} is one number, a pair, or a pair for each dimension.") from None
    return [(first.item(), last.item()) for first, last in pairs]


def _with_constants(array: Any, axis: int, widths: tuple[int, ...], values: tuple[Any, Any]) -> Any:
    parts = [array]
    for place, width, value in zip((0, 2), widths, values, strict=True):
        shape = (*array.shape[:axis], width, *array.shape[axis + 1 :])
        added = full(math.prod(shape), np.asarray(value).astype(array.dtype)[()])
        parts.insert(place, reshaped(added, shape))
    return chained(parts, axis=axis)


def _with_own(array: Any, axis: int, widths: tuple[int, ...], mode: str) -> Any:
    length = array.shape[axis]
    if not length:
        raise ArgumentError(f"pad(mode={mode!r}): a dimension of length 0 has nothing to repeat.")
    positions = _MODES[mode](arange(-widths[0], length + widths[1]), length)
    return array[positions] if array.ndim == 1 else array[(slice(None),) * axis + (positions,)]


def _reflected(positions: Any, length: int) -> Any:
    period = max(2 * (length - 1), 1)
    return where(positions % period < length, positions % period, period - positions % period)


def _symmetric(positions: Any, length: int) -> Any:
    period = 2 * length
    return where(positions % period < length, positions % period, period - 1 - positions % period)


_MODES: dict[str, Callable[[Any, int], Any]] = {
    "edge": lambda positions, length: clip(positions, 0, length - 1),
    "reflect": _reflected,
    "symmetric": _symmetric,
    "wrap": lambda positions, length: positions % length,
}
"""By mode, which own elements stand at positions that may be outside."""


def copy(a: Any) -> Any:
    """Return a copy of an array, which keeps its elements when the array is assigned to; lazy.

    Parameters
    ----------
    a : pdarray, Strings, Categorical or another lazy object that has copies
        The object to copy.

    Raises
    ------
    ArgumentTypeError
        If it has none.

    Examples
    --------
    >>> a = ak.arange(3)
    >>> b = ak.copy(a)
    >>> a[0] = 9
    >>> b.tolist()
    [0, 1, 2]
    """
    if not hasattr(a, "copy") or not hasattr(type(a), "__dask_graph__"):
        raise ArgumentTypeError(f"copy takes a lazy object, not {type(a).__name__}.")
    return a.copy()


def scalar_array(value: Any, dtype: Any = None) -> Any:
    """Return an array of one element; takes no memory.

    Parameters
    ----------
    value : scalar
        The element.
    dtype : dtype-like, optional
        The value's type unless given.

    Examples
    --------
    >>> scalar_array(5, "float64").tolist()
    [5.0]
    """
    return filled(1, value, dtype)


def shares_memory(a: Any, b: Any) -> bool:
    """Whether two objects are the same array, or one holds columns that the other holds too.

    An array never sees assignments to another array, so an array shares memory with itself only, not with its copy.
    DataFrames, dicts and other collections share memory with the arrays that were put into them, until one of the two
    is assigned to.

    Parameters
    ----------
    a, b : object
        Lazy objects, or lists, tuples and mappings of them.

    Examples
    --------
    >>> a = ak.arange(3)
    >>> ak.shares_memory(a, a), ak.shares_memory(a, ak.copy(a)), ak.shares_memory(ak.DataFrame({"a": a}), a)
    (True, False, True)
    """
    if a is b:
        return next(_columns(a), None) is not None
    if isinstance(a, Array) and isinstance(b, Array):
        return False
    return not set(_columns(a)).isdisjoint(_columns(b))


def may_share_memory(a: Any, b: Any) -> bool:
    """Whether two objects hold the same columns, as `shares_memory` says, which is exact.

    Examples
    --------
    >>> may_share_memory(ak.zeros(2), ak.ones(2))
    False
    """
    return shares_memory(a, b)


def _columns(item: Any) -> Iterator[tuple[str, str]]:
    """Yield names of the expressions that an object is made of."""
    if isinstance(item, Array):
        yield item._frame._name, item._value.token
    elif isinstance(item, Mapping):
        for part in item.values():
            yield from _columns(part)
    elif isinstance(item, list | tuple):
        for part in item:
            yield from _columns(part)
    elif hasattr(item, "items") and callable(item.items):
        yield from _columns(dict(item.items()))
    else:
        parts = [getattr(type(item), name, None) and getattr(item, name) for name in ("values", "keys", "segments")]
        yield from _columns([part for part in parts if part is not None and not callable(part)])
