"""Scale and bias: y = x * scale + bias, in double and rounded once to the type of the field."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]

_BLOCK = 2**15
"""Elements that are computed at a time, so that their doubles stay in the cache of a core."""


class _Elements(NamedTuple):
    """Consecutive elements of a sample with their factors: one number, or one each."""

    start: int
    stop: int
    scale: float | Values
    bias: float | Values


class Normalization:
    """Scale and bias for fields of one size.

    Parameters
    ----------
    scale, bias : tuple of float
        One number, or one for each channel.
    size : int
        Elements of a sample.
    is_blockwise : bool
        Whether the elements of a channel lie together; else elements of all channels take turns.
    """

    def __init__(self, scale: tuple[float, ...], bias: tuple[float, ...], size: int, *, is_blockwise: bool) -> None:
        self._columns = list(_columns(scale, bias, size, is_blockwise=is_blockwise))

    def apply(self, values: Values, out: Values) -> None:
        """Normalise samples.

        Parameters
        ----------
        values : ndarray, shape (n, size)
            float32 or float64.
        out : ndarray, shape (n, size)
            Takes the result, of the same type; it may be `values` itself.
        """
        scratch = np.empty(_BLOCK)
        with np.errstate(all="ignore"):  # infinities and NaN are values as any other, as in C
            for columns in self._columns:
                width = columns.stop - columns.start
                step = max(_BLOCK // max(width, 1), 1)
                for first in range(0, len(values), step):
                    block = values[first : first + step, columns.start : columns.stop]
                    doubles = scratch[: block.size].reshape(block.shape)
                    np.multiply(block, columns.scale, out=doubles, dtype=np.float64)
                    np.add(doubles, columns.bias, out=doubles)
                    out[first : first + step, columns.start : columns.stop] = doubles


def _columns(
    scale: tuple[float, ...], bias: tuple[float, ...], size: int, *, is_blockwise: bool
) -> Iterator[_Elements]:
    """Yield blocks of columns that are no longer than `_BLOCK`."""
    channels = len(scale)
    if channels == 1:
        for start in range(0, size, _BLOCK):
            yield _Elements(start, min(start + _BLOCK, size), scale[0], bias[0])
    elif is_blockwise and size // channels >= _BLOCK:
        length = size // channels
        for channel in range(channels):
            for start in range(0, length, _BLOCK):
                stop = min(start + _BLOCK, length)
                yield _Elements(channel * length + start, channel * length + stop, scale[channel], bias[channel])
    elif is_blockwise:
        numbers = [np.repeat(np.array(one), size // channels) for one in (scale, bias)]
        for start in range(0, size, _BLOCK):
            stop = min(start + _BLOCK, size)
            yield _Elements(start, stop, numbers[0][start:stop], numbers[1][start:stop])
    else:
        # Each block begins with the first channel.
        step = max(_BLOCK // channels, 1) * channels
        numbers = [np.resize(np.array(one), min(step, size)) for one in (scale, bias)]
        for start in range(0, size, step):
            stop = min(start + step, size)
            yield _Elements(start, stop, numbers[0][: stop - start], numbers[1][: stop - start])
