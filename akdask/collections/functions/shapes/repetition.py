"""Arrays whose elements are repeated, one by one or all of them, and arrays with a border; all lazy."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from operator import index
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import arange, full
from akdask.collections.arrays.elementwise import cast, clip, where
from akdask.collections.arrays.scans import cumsum
from akdask.collections.arrays.shaped.along_axis import checked_axis
from akdask.collections.arrays.shaped.layout import Layout
from akdask.collections.arrays.shaped.ndarray import as_array, rearranged, reshaped
from akdask.collections.arrays.sorting import searchsorted
from akdask.collections.text.concatenation import concatenate
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError


def tile(A: Any, /, reps: Any) -> Any:
    """Return an array that is repeated as a whole along dimensions; lazy.

    Parameters
    ----------
    A : pdarray, or Strings and Categorical of one dimension
        The elements.
    reps : int or sequence of int
        How often, along each of the last dimensions; the result has as many as there are numbers at least.

    Raises
    ------
    ArgumentError
        If a number is below 0.

    Examples
    --------
    >>> import akdask as ak
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
        The dimension; the array is flat before unless it is given.

    Raises
    ------
    ArgumentError
        If a number is below 0, or there are not as many as positions.

    Examples
    --------
    >>> import akdask as ak
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
    found = searchsorted(ends, arange(int(counts.sum())), side="right")
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
        How many before and behind.
    mode : {"constant", "edge", "reflect", "symmetric", "wrap"}
        What they are: a constant, the element at the edge, those beyond the edge in reverse order without or with that
        at the edge, or those at the other end.
    **kwargs
        ``constant_values``, 0 unless given, of the forms that `pad_width` has.

    Raises
    ------
    ArgumentError
        If a width is below 0, or nothing is there to be repeated.
    UnsupportedError
        If there is no such mode.

    Examples
    --------
    >>> import akdask as ak
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
        filled = full(math.prod(shape), np.asarray(value).astype(array.dtype)[()])
        parts.insert(place, reshaped(filled, shape))
    return concatenate(parts, axis=axis)


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
