"""Indexing of arrays of several dimensions by NumPy's rules: a key becomes a strided layout, or positions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate
from operator import index, mul
from typing import Any, NoReturn, Self, SupportsIndex

import numpy as np

from akdask.arrays.array import Array, wrap
from akdask.arrays.row_selection import known_lengths
from akdask.columns.dtypes import INT64
from akdask.engine.sources import as_column, counted, literal, row_numbers
from akdask.engine.values import Call, Value, columns_of
from akdask.errors import AlignmentError, ArgumentTypeError, AxisError, PositionError
from akdask.records import record

Shape = tuple[int, ...]


@record
class Layout:
    """A shape, and which element of a flat array is at each position.

    Parameters
    ----------
    shape : tuple of int
        Length of each dimension.
    strides : tuple of int
        Distance in the flat array of one step along each dimension.
    offset : int, default 0
        The element at the start of all dimensions.

    Examples
    --------
    >>> Layout.of((2, 3)).permuted((1, 0))
    Layout(shape=(3, 2), strides=(1, 3), offset=0)
    """

    shape: Shape
    strides: Shape
    offset: int = 0

    @classmethod
    def of(cls, shape: Sequence[int]) -> Self:
        """Return the layout of all elements in row-major order."""
        strides = list(accumulate(reversed(shape[1:]), mul, initial=1))
        return cls(tuple(shape), tuple(reversed(strides)) if shape else ())

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def permuted(self, axes: Sequence[int]) -> Layout:
        """Return the dimensions in another order."""
        return Layout(tuple(self.shape[axis] for axis in axes), tuple(self.strides[axis] for axis in axes), self.offset)

    def with_axis(self, axis: int) -> Layout:
        """Return a further dimension of length 1."""
        return self._replaced(axis, axis, ((1, 0),), self.offset)

    def at(self, axis: int, position: int) -> Layout:
        """Return the elements at a position along a dimension, which is removed."""
        return self._replaced(axis, axis + 1, (), self.offset + position * self.strides[axis])

    def along(self, axis: int, key: slice) -> Layout:
        """Return a slice along a dimension."""
        numbers = range(*key.indices(self.shape[axis]))
        # Of no elements, none is where the slice would start.
        offset = self.offset + numbers.start * self.strides[axis] if numbers else self.offset
        return self._replaced(axis, axis + 1, ((len(numbers), numbers.step * self.strides[axis]),), offset)

    def spread(self, shape: Sequence[int]) -> Layout:
        """Return the layout with elements repeated along dimensions that are new, or had the length 1.

        Raises
        ------
        AlignmentError
            If a dimension has another length.
        """
        own = (1,) * (len(shape) - len(self.shape)) + self.shape
        if len(own) != len(shape) or any(length not in (1, wanted) for length, wanted in zip(own, shape, strict=True)):
            raise AlignmentError(
                f"an array of shape {self.shape} does not broadcast to {tuple(shape)}.",
                hint="dimensions, from the last on, have the same length or the length 1.",
            )
        strides = (0,) * (len(shape) - len(self.shape)) + self.strides
        steps = tuple(0 if length == 1 else stride for length, stride in zip(own, strides, strict=True))
        return Layout(tuple(shape), steps, self.offset)

    def merged(self) -> Layout:
        """Return the same elements with as few dimensions as there can be.

        Examples
        --------
        >>> Layout.of((4, 1, 3)).along(0, slice(1, 3)).merged()
        Layout(shape=(6,), strides=(1,), offset=3)
        """
        pairs: list[tuple[int, int]] = []
        for length, stride in zip(self.shape, self.strides, strict=True):
            if length == 1:
                continue
            if pairs and pairs[-1][1] == length * stride:
                pairs[-1] = pairs[-1][0] * length, stride
            else:
                pairs.append((length, stride))
        return Layout(tuple(length for length, _ in pairs), tuple(stride for _, stride in pairs), self.offset)

    def positions(self, rows: Value) -> Value:
        """Return the positions of elements in the flat array, by the numbers of rows."""
        simple = self.merged()
        if simple.shape in ((), (self.size,)) and simple.strides in ((), (1,)) and not self.offset:
            return rows
        return Call("strided_position", rows, shape=simple.shape, strides=simple.strides, offset=simple.offset)

    def _replaced(self, start: int, stop: int, pairs: Sequence[tuple[int, int]], offset: int) -> Layout:
        shape = (*self.shape[:start], *(length for length, _ in pairs), *self.shape[stop:])
        strides = (*self.strides[:start], *(stride for _, stride in pairs), *self.strides[stop:])
        return Layout(shape, strides, offset)


def arranged(base: Any, layout: Layout) -> Any:
    """Return the elements of a flat array that a layout has, as a flat array in row-major order; lazy.

    Ranges of rows are sliced.  Of other elements, few are copied from the broadcast column by every task, and many are
    taken by position.
    """
    from akdask.operators.rows.plan import broadcast, take_exchanged, takes_broadcast

    if not layout.size:
        return base[:0]
    simple = layout.merged()
    if len(simple.shape) <= 1 and 0 not in simple.strides:
        (count,), (step,) = simple.shape or (1,), simple.strides or (1,)
        stop = simple.offset + count * step
        return base[simple.offset : stop if stop >= 0 else None : step]
    frame, value, rows = base._frame, base._value, counted(layout.size)
    if not columns_of(value):
        return base._like(rows, value)
    if takes_broadcast(frame, [value], rows):
        params = {"shape": simple.shape, "strides": simple.strides, "offset": simple.offset}
        return base._like(rows, Call("strided", broadcast(frame, value), rows.position, **params))
    found, (taken,) = take_exchanged(frame, [value], rows, simple.positions(rows.position), known_lengths(frame))
    return base._like(found, taken)


@record
class Positions:
    """Chosen elements of a flat array: an array of their positions, and their shape."""

    elements: Any
    shape: Shape


@record
class _IndexArray:
    """Positions along a dimension: an array, and the length of the dimension if a mask gives it."""

    positions: Any
    length: int | None = None


def chosen(layout: Layout, key: Any) -> Layout | Positions:
    """Return the elements that a key chooses from a layout of a flat array in row-major order.

    Ints, slices, ``...`` and None give a layout; arrays of ints or bools among them give positions, which are lazy.
    Bools of a lazy array are counted.

    Raises
    ------
    PositionError
        If a dimension is not that long.
    ArgumentTypeError
        If a part of the key is of no such kind.
    AlignmentError
        If a mask has another shape than the dimensions that it chooses of, or index arrays do not broadcast.
    """
    parts = _expanded(key, layout)
    axis, arrays, axes = 0, [], []
    for part in parts:
        if part is None:
            layout, axis = layout.with_axis(axis), axis + 1
        elif isinstance(part, slice):
            layout, axis = layout.along(axis, part), axis + 1
        elif isinstance(part, int):
            layout = layout.at(axis, row_of(part, layout.shape[axis]))
        else:
            if part.length not in (None, layout.shape[axis]):
                _refuse_mask(part.length, layout.shape[axis])
            arrays.append(part.positions)
            axes.append(axis)
            axis += 1
    # An int beside index arrays counts as one of them, and so decides the place of their dimensions.
    return _of_arrays(layout, arrays, axes, _are_adjacent(parts)) if arrays else layout


def row_of(position: int, length: int) -> int:
    """Return a position along a dimension counted from its start.

    Raises
    ------
    PositionError
        If the dimension is not that long.
    """
    if not -length <= position < length:
        raise PositionError(f"position {position} is outside a dimension of {length}.")
    return position % length


def mask_of(key: Any, shape: Shape) -> Any:
    """Return the mask of bools that a key consists of, for the first dimensions of an array, None if it is no mask."""
    if isinstance(key, tuple) and len(key) == 1:
        (key,) = key
    if not _is_array(key):
        return None
    key = np.asarray(key) if isinstance(key, list) else key
    if key.dtype != np.bool_ or not key.ndim:
        return None
    if key.shape != shape[: len(key.shape)]:
        _refuse_mask(key.shape, shape)
    return key


def _refuse_mask(given: Any, wanted: Any) -> NoReturn:
    raise AlignmentError(
        "a mask has the lengths of the dimensions that it chooses of.", details=[f"lengths: {given}, of {wanted}"]
    )


def _is_array(part: Any) -> bool:
    return isinstance(part, Array | list) or (isinstance(part, np.ndarray) and part.ndim > 0)


def _expanded(key: Any, layout: Layout) -> list[Any]:
    """Return the parts of a key, one for each dimension and None for new ones: masks as arrays of positions."""
    given = list(key) if isinstance(key, tuple) else [key]
    parts: list[Any] = []
    ellipsis = None
    for part in given:
        if part is ...:
            if ellipsis is not None:
                raise AxisError("a key has one `...`, which stands for all dimensions that it does not name.")
            ellipsis = len(parts)
            continue
        parts.extend(_plain_parts(part))
    named = sum(part is not None for part in parts)
    missing = len(layout.shape) - named
    if missing < 0:
        raise PositionError(f"{named} positions are too many for {len(layout.shape)} dimensions.")
    at = len(parts) if ellipsis is None else ellipsis
    parts[at:at] = [slice(None)] * missing
    return parts


def _plain_parts(part: Any) -> list[Any]:
    if part is None or isinstance(part, slice):
        return [part]
    if isinstance(part, bool | np.bool_):
        raise ArgumentTypeError("a single bool does not select rows.", hint="pass a mask with one bool a row.")
    if _is_array(part):
        return _array_parts(part)
    if isinstance(part, SupportsIndex):
        return [index(part)]
    raise ArgumentTypeError(
        f"a {type(part).__name__} chooses nothing along a dimension.", hint="use an int, a slice, a mask or positions."
    )


def _array_parts(part: Any) -> list[Any]:
    part = np.asarray(part, None if len(part) else np.int64) if isinstance(part, list) else part
    if part.dtype.kind not in "biu":
        raise ArgumentTypeError(f"cannot select rows by an array of {part.dtype}.", hint="use bools, or positions.")
    if part.dtype != np.bool_:
        return [_IndexArray(part)]
    found = np.nonzero(part) if isinstance(part, np.ndarray) else nonzero_positions(part)
    return [_IndexArray(positions, length) for positions, length in zip(found, part.shape, strict=True)]


def nonzero_positions(array: Any) -> list[Any]:
    """Return the positions of nonzero elements along each dimension, as flat arrays of int64; lazy."""
    flat = array.flatten()
    truth = flat if flat.dtype == np.bool_ else flat != 0
    rows = wrap(*row_numbers(truth._frame))[truth]
    shape = array.shape if array.ndim > 1 else (1,)
    if len(shape) == 1:
        return [rows]
    return [
        rows // math.prod(shape[axis + 1 :]) % length if axis else rows // math.prod(shape[1:])
        for axis, length in enumerate(shape)
    ]


def _are_adjacent(parts: Sequence[Any]) -> bool:
    """Whether index arrays, and ints beside them, follow one another."""
    kinds = "".join("a" if isinstance(part, int | _IndexArray) else "-" for part in parts)
    return "-" not in kinds.strip("-")


def _of_arrays(layout: Layout, arrays: Sequence[Any], axes: Sequence[int], are_adjacent: bool) -> Positions:
    """Return the positions that index arrays choose along some dimensions of a layout, and all along the others."""
    try:
        common = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise AlignmentError("index arrays do not broadcast to one shape.", details=[f"shapes: {shapes}"]) from None
    total: Any = None
    for array, axis in zip(arrays, axes, strict=True):
        flat = _checked(array, layout.shape[axis])
        steps = arranged(flat, Layout.of(array.shape).spread(common)) * layout.strides[axis]
        total = steps if total is None else total + steps
    rest = [axis for axis in range(len(layout.shape)) if axis not in axes]
    lengths, strides = (tuple(of[axis] for axis in rest) for of in (layout.shape, layout.strides))
    first = axes[0] if are_adjacent else 0
    shape = (*lengths[:first], *common, *lengths[first:])
    others = Layout(shape, (*strides[:first], *(0,) * len(common), *strides[first:]), layout.offset)
    rows = counted(others.size)
    fixed = wrap(rows, others.positions(rows.position))
    if not rest and not layout.offset:
        return Positions(total, shape)
    along = Layout.of(common)
    spread = Layout(shape, (*(0,) * first, *along.strides, *(0,) * (len(lengths) - first)))
    return Positions(fixed + arranged(total, spread), shape)


def _checked(array: Any, length: int) -> Any:
    """Return an array of positions along a dimension as a flat array, counted from the start of the dimension."""
    if isinstance(array, np.ndarray):
        outside = (array < -length) | (array >= length)
        if outside.any():
            row_of(int(array[outside][0]), length)
        return wrap(*literal(as_column(np.where(array < 0, array + length, array).astype(np.int64).ravel())))
    flat = array.flatten()
    return wrap(flat._frame, Call("from_start", flat._value, length=length))


def all_positions(layout: Layout) -> Any:
    """Return where the elements of a layout are in the flat array, as int64; lazy."""
    rows = counted(layout.size)
    found = layout.positions(rows.position)
    assert found.dtype == INT64, "positions are counted in int64"
    return wrap(rows, found)
