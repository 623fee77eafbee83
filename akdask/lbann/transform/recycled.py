"""Memory of large arrays that is used again: the system clears new pages, which takes as long as reading into them."""

from __future__ import annotations

import math
import weakref
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]

_LARGE = 2**20
"""Bytes from which memory is used again."""

_MAX_IDLE_BYTES = 2**26
_MAX_IDLE = 4

_IDLE: deque[npt.NDArray[np.uint8]] = deque(maxlen=_MAX_IDLE)
"""Memory that nobody uses.  Appending and popping are atomic: memory is given back wherever an array is dropped."""


class _Lease:
    """Memory that an array is in; given back when no array and no view is left that refers to it."""

    __slots__ = ("__array_interface__", "__weakref__")

    def __init__(self, memory: npt.NDArray[np.uint8]) -> None:
        self.__array_interface__ = memory.__array_interface__
        weakref.finalize(self, _give_back, memory).atexit = False


def _give_back(memory: npt.NDArray[np.uint8]) -> None:
    if not _IDLE or memory.nbytes + sum([one.nbytes for one in list(_IDLE)]) <= _MAX_IDLE_BYTES:
        _IDLE.append(memory)


def empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Values:
    """Return an array with anything in it.

    Parameters
    ----------
    shape : tuple of int
        Its shape.
    dtype : numpy.dtype
        Its type.
    """
    nbytes = math.prod(shape) * dtype.itemsize
    if nbytes < _LARGE or dtype.hasobject:
        return np.empty(shape, dtype)
    leased: npt.NDArray[np.uint8] = np.asarray(_Lease(_memory(nbytes)))
    return leased[:nbytes].view(dtype).reshape(shape)


def _memory(nbytes: int) -> npt.NDArray[np.uint8]:
    """Return memory of at least so many bytes, and not of twice as many; what does not fit is freed."""
    for _ in range(_MAX_IDLE):
        try:
            memory = _IDLE.popleft()
        except IndexError:
            break
        if nbytes <= memory.nbytes < 2 * nbytes:
            return memory
    return np.empty(nbytes, np.uint8)
