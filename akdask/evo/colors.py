"""Colours: red, green, blue and alpha in one unsigned word, alpha in the top byte and red in the lowest.

In little-endian memory the bytes of a word are red, green, blue, alpha, so rows of four bytes are colours without
conversion.  Fully opaque black is 0xFF000000, not 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from akdask.errors import warn
from akdask.evo.errors import ContentError, KindError, ShapeError
from akdask.evo.grids import is_dask_array

_WORD = np.dtype("<u4")
_CHANNELS = ("red", "green", "blue", "alpha")
_OPAQUE = 255


def pack(red: Any, green: Any = None, blue: Any = None, alpha: Any = _OPAQUE) -> Any:
    """Return colours as blobs hold them.

    Parameters
    ----------
    red, green, blue : array_like of int
        The channels, 0 to 255, of equal shapes or single numbers.  `red` alone is an array of shape (…, 3) or (…, 4)
        whose last axis has the channels.
    alpha : array_like of int, default 255
        Opacity: 0 is invisible.

    Returns
    -------
    numpy.ndarray of uint32
        The colours. A lazy Dask array if a channel is one. An Arrow array if a channel is one, null where a channel is.

    Raises
    ------
    ContentError
        If a channel is no integer or not from 0 to 255; for lazy arrays, on computing.
    ShapeError
        If channels have different shapes, or an array of all has neither three nor four.

    Examples
    --------
    >>> hex(pack(255, 128, 0, 255))
    '0xff0080ff'
    >>> pack(np.array([[0, 0, 0], [1, 2, 3]]), alpha=4).tolist()
    [67108864, 67305985]
    """
    given = _channels(red, alpha) if green is None and blue is None else [red, green, blue, alpha]
    missing = [name for name, channel in zip(_CHANNELS, given, strict=True) if channel is None]
    if missing:
        raise ShapeError(
            f"a colour lacks {' and '.join(missing)}.", hint="give red, green and blue, or one array of all."
        )
    if any(is_dask_array(channel) for channel in given):
        import dask.array as da

        return da.map_blocks(_packed, *map(da.asarray, given), dtype=np.uint32)
    if any(_is_arrow(channel) for channel in given):
        return _packed_arrow(given)
    return _packed(*given)


def unpack(colors: Any) -> tuple[Any, Any, Any, Any]:
    """Return the channels of colours: red, green, blue and alpha, each of uint8.

    Parameters
    ----------
    colors : array_like of uint32
        Colours.  int32 is read as the same bits, with a warning, and 64-bit integers where they fit.

    Returns
    -------
    tuple of numpy.ndarray
        Lazy Dask arrays if `colors` is one. Arrow arrays if `colors` is one, null where a colour is.

    Raises
    ------
    KindError
        If they are no integers.
    ContentError
        If an integer does not fit into 32 bits.

    Examples
    --------
    >>> [int(channel) for channel in unpack(4278223103)]
    [255, 128, 0, 255]
    """
    if is_dask_array(colors):
        _check_type(colors.dtype)
        words = colors.map_blocks(as_words, dtype=np.uint32)
        return tuple(words.map_blocks(_channel, number, dtype=np.uint8) for number in range(4))
    if _is_arrow(colors):
        array = _flat(colors)
        words = as_words(array.fill_null(0).to_numpy(zero_copy_only=False))
        mask = _mask(array)
        return tuple(pa.array(_channel(words, number), mask=mask) for number in range(4))
    words = as_words(np.asarray(colors))
    return tuple(_channel(words, number) for number in range(4))


def as_words(colors: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return colours of any integer type as uint32; int32 keeps its bits, with a warning.

    Raises
    ------
    KindError
        If they are no integers.
    ContentError
        If one does not fit.
    """
    _check_type(colors.dtype)
    if colors.dtype == np.int32:
        warn("colours of int32 are read as the same bits of uint32; write them as uint32.", UserWarning)
        return colors.view(np.uint32)
    if colors.dtype != np.uint32 and colors.size and (int(colors.min()) < 0 or int(colors.max()) >= 2**32):
        raise ContentError(
            "a colour does not fit into 32 bits.",
            details=[f"values from {colors.min()} to {colors.max()}"],
            hint="colours are from 0 to 0xFFFFFFFF.",
        )
    return colors.astype(np.uint32, copy=False)


def _channels(colors: Any, alpha: Any) -> list[Any]:
    """Return the channels along the last axis of an array."""
    array = colors if is_dask_array(colors) else np.asarray(colors)
    count = array.shape[-1] if array.ndim else 0
    if count not in (3, 4):
        raise ShapeError(
            f"an array of shape {array.shape} has no colours.",
            hint="its last axis has red, green, blue and perhaps alpha.",
        )
    return [array[..., 0], array[..., 1], array[..., 2], array[..., 3] if count == 4 else alpha]


def _packed(*channels: Any) -> Any:
    checked = [_checked(name, channel) for name, channel in zip(_CHANNELS, channels, strict=True)]
    try:
        shape = np.broadcast_shapes(*(channel.shape for channel in checked))
    except ValueError:
        shapes = [f"{name}: {channel.shape}" for name, channel in zip(_CHANNELS, checked, strict=True)]
        raise ShapeError("channels of colours have different shapes.", details=shapes) from None
    memory = np.empty((*shape, 4), np.uint8)
    for number, channel in enumerate(checked):
        memory[..., number] = channel
    return memory.view(_WORD)[..., 0].astype(np.uint32, copy=False)[()]


def _checked(name: str, channel: Any) -> np.ndarray[Any, Any]:
    array = np.asarray(channel)
    if array.dtype.kind not in "iu" or (array.dtype != np.uint8 and array.size and not _fits(array)):
        shown = (
            f"values from {array.min()} to {array.max()}" if array.dtype.kind in "iufb" and array.size else "its values"
        )
        raise ContentError(
            f"{name} is not of integers from 0 to 255.",
            details=[f"{array.dtype}: {shown}"],
            hint="multiply shares from 0 to 1 by 255 and round them to integers.",
        )
    return array


def _fits(array: np.ndarray[Any, Any]) -> bool:
    return int(array.min()) >= 0 and int(array.max()) <= 255


def _packed_arrow(channels: list[Any]) -> Any:
    flat = [_flat(channel) if _is_arrow(channel) else channel for channel in channels]
    mask = None
    for channel in flat:
        if _is_arrow(channel) and channel.null_count:
            mask = _mask(channel) if mask is None else mask | _mask(channel)
    words = _packed(*(c.fill_null(0).to_numpy(zero_copy_only=False) if _is_arrow(c) else c for c in flat))
    return pa.array(words, mask=mask)


def _mask(array: Any) -> np.ndarray[Any, Any] | None:
    return array.is_null().to_numpy(zero_copy_only=False) if array.null_count else None


def _flat(array: Any) -> Any:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _channel(words: np.ndarray[Any, Any], number: int) -> Any:
    return ((words >> np.uint32(8 * number)) & np.uint32(0xFF)).astype(np.uint8)


def _check_type(dtype: np.dtype[Any]) -> None:
    if dtype.kind not in "iu":
        raise KindError(f"colours are of uint32, not {dtype}.", hint="pack channels with evo.colors.pack(r, g, b, a).")


def _is_arrow(array: Any) -> bool:
    return isinstance(array, pa.Array | pa.ChunkedArray)
