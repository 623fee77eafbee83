"""How the elements of an array of several dimensions lie in a flat one: by strides, as in NumPy's views."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import mul
from typing import Any, Self

from akdask.collections.core.selection import known_lengths
from akdask.errors import AlignmentError
from akdask.plan.expr.created import counted
from akdask.plan.expr.values import Call, Value, columns_of
from akdask.plan.rows.broadcast import broadcast
from akdask.plan.rows.take import take_exchanged, takes_broadcast

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Layout:
    """A shape, and which element of a flat array is at each position.

    Parameters
    ----------
    shape : tuple of int
        Length of each dimension.
    strides : tuple of int
        By how many elements of the flat array a step along each dimension leads on.
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
        """Return what is at a position along a dimension, which goes."""
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
        """Return where the elements are in the flat array, for the numbers of rows."""
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

    Ranges of rows are sliced.  What else is few is copied by every task from the column, which is broadcast; larger
    columns are taken from by position.
    """
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
