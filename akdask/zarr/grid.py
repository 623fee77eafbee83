"""Where the elements of chunks are among those of an array in row-major order."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

Index: TypeAlias = tuple[int, ...]
Box: TypeAlias = tuple[tuple[int, int], ...]
"""First position and the one behind the last, of each dimension."""


@dataclass(frozen=True, slots=True)
class Grid:
    """An array cut into chunks, of which those at its end reach beyond it.

    A stripe is the least run of elements, in row-major order, that chunks make up which no other stripe needs.

    Parameters
    ----------
    shape : tuple of int
        Length of each dimension, of at least one.
    chunks : tuple of int
        Length of a chunk in each dimension, at least 1.
    """

    shape: Index
    chunks: Index

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def counts(self) -> Index:
        """Number of chunks in each dimension."""
        return tuple(-(-length // chunk) for length, chunk in zip(self.shape, self.chunks, strict=True))

    @property
    def axis(self) -> int:
        """The first dimension in which a chunk has more than one position: along it lie the stripes."""
        return next((axis for axis, chunk in enumerate(self.chunks[:-1]) if chunk > 1), len(self.chunks) - 1)

    @property
    def nstripes(self) -> int:
        """Number of stripes."""
        return math.prod(self.counts[: self.axis + 1]) if self.size else 0

    def stripe_start(self, stripe: int) -> int:
        """Return the first element of a stripe; of the one behind the last, the number of elements.

        Examples
        --------
        >>> grid = Grid((2, 5, 3), (1, 2, 3))
        >>> grid.nstripes, [grid.stripe_start(stripe) for stripe in range(7)]
        (6, [0, 6, 12, 15, 21, 27, 30])
        """
        if stripe >= self.nstripes:
            return self.size
        run, place = divmod(stripe, self.counts[self.axis])
        return (run * self.shape[self.axis] + place * self.chunks[self.axis]) * math.prod(self.shape[self.axis + 1 :])

    def stripe_at(self, element: int) -> int:
        """Return the stripe of an element.

        Examples
        --------
        >>> grid = Grid((2, 5, 3), (1, 2, 3))
        >>> [grid.stripe_at(element) for element in (0, 5, 6, 14, 15)]
        [0, 0, 1, 2, 3]
        """
        row = element // math.prod(self.shape[self.axis + 1 :])
        run, place = divmod(row, self.shape[self.axis])
        return run * self.counts[self.axis] + place // self.chunks[self.axis]

    def stripe_prefix(self, stripe: int) -> Index:
        """Return the numbers that the chunks of a stripe begin with.

        Examples
        --------
        >>> Grid((2, 5, 3), (1, 2, 2)).stripe_prefix(4)
        (1, 1)
        """
        prefix = []
        for count in reversed(self.counts[: self.axis + 1]):
            stripe, number = divmod(stripe, count)
            prefix.append(number)
        return tuple(reversed(prefix))

    def stripe_chunks(self, stripe: int) -> Iterator[Index]:
        """Yield the chunks of a stripe.

        Examples
        --------
        >>> list(Grid((2, 5, 3), (1, 2, 2)).stripe_chunks(4))
        [(1, 1, 0), (1, 1, 1)]
        """
        prefix = self.stripe_prefix(stripe)
        yield from ((*prefix, *inner) for inner in product(*map(range, self.counts[self.axis + 1 :])))

    def box_of(self, chunk: Index) -> Box:
        """Return the positions of a chunk that the array has."""
        sides = zip(chunk, self.chunks, self.shape, strict=True)
        return tuple((index * length, min((index + 1) * length, end)) for index, length, end in sides)


def runs(shape: Index, start: int, stop: int) -> Iterator[tuple[int, Box]]:
    """Yield the boxes that a run of elements of an array is, each with the place of its first element in the run.

    They are at most two for each dimension, and one more.

    Examples
    --------
    >>> list(runs((3, 4), 2, 9))
    [(0, ((0, 1), (2, 4))), (2, ((1, 2), (0, 4))), (6, ((2, 3), (0, 1)))]
    """
    rest = shape[1:]
    if not rest:
        if start < stop:
            yield 0, ((start, stop),)
        return
    width = math.prod(rest)
    position = start
    while position < stop:
        row, column = divmod(position, width)
        if column or stop - position < width:
            end = min(stop, (row + 1) * width)
            for place, box in runs(rest, column, end - row * width):
                yield position - start + place, ((row, row + 1), *box)
        else:
            last = stop // width
            yield position - start, ((row, last), *((0, length) for length in rest))
            end = last * width
        position = end


def common(first: Box, second: Box) -> Box | None:
    """Return the positions that two boxes share, None if they share none.

    Examples
    --------
    >>> common(((0, 4), (2, 5)), ((3, 9), (0, 3))), common(((0, 4),), ((4, 5),))
    (((3, 4), (2, 3)), None)
    """
    found = tuple((max(a, c), min(b, d)) for (a, b), (c, d) in zip(first, second, strict=True))
    return found if all(low < high for low, high in found) else None


def inside(box: Box, origin: Box) -> tuple[slice, ...]:
    """Return the slices of a box, counted from the first positions of another."""
    return tuple(slice(low - base, high - base) for (low, high), (base, _) in zip(box, origin, strict=True))
