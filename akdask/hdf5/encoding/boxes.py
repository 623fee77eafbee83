"""Elements counted in row-major order, as boxes of an array of several dimensions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TypeAlias

Box: TypeAlias = tuple[slice, ...]
"""A range along each dimension."""


def boxes(shape: Sequence[int], start: int, stop: int) -> Iterator[Box]:
    """Yield boxes that together are the elements from `start` to `stop`, in order: at most two for each dimension.

    Examples
    --------
    >>> [tuple((side.start, side.stop) for side in box) for box in boxes((3, 4), 3, 9)]
    [((0, 1), (3, 4)), ((1, 2), (0, 4)), ((2, 3), (0, 1))]
    """
    if start >= stop:
        return
    if len(shape) == 1:
        yield (slice(start, stop),)
        return
    width = math.prod(shape[1:])
    first, last = -(-start // width), stop // width
    if first > last:  # all within one row
        yield from _within(shape, last, start, stop)
        return
    yield from _within(shape, first - 1, start, first * width)
    if first < last:
        yield (slice(first, last), *(slice(0, size) for size in shape[1:]))
    yield from _within(shape, last, last * width, stop)


def _within(shape: Sequence[int], row: int, start: int, stop: int) -> Iterator[Box]:
    before = row * math.prod(shape[1:])
    for box in boxes(shape[1:], start - before, stop - before):
        yield (slice(row, row + 1), *box)
