"""64-bit words of keys and hashes: the values on which NumPy kernels and compiled loops must agree."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.engine.operations import Operation, wide_integers

Words: TypeAlias = npt.NDArray[np.uint64]
"""One word for each row."""

WORD_BITS = 64
TEXT_BYTES = 7
"""Bytes of a string in one word."""

SIGN = np.uint64(1 << 63)
LAST = np.uint64(2**64 - 1)
"""The word of NaN and of missing times, which sorts last in both directions."""

VACANT = np.uint64(2**64 - 1)
"""The word of an empty slot of an open-addressing table, where every search ends."""

FIRST = np.uint64(0x9E3779B97F4A7C15)
SECOND = np.uint64(0xD6E8FEB86659FD93)
"""Factors that mix the bits of words."""

HALF = np.uint64(32)
LAST_BITS = np.uint64(2**32 - 1)


ONE = np.uint64(1)
WIDTH_MASK = np.uint64(63)


def _bits(values: Any) -> Any:
    return None if values is None else values.view(np.uint64)


def _popcount(values: Any, out: Any = None) -> Any:
    # NumPy counts the ones of the absolute value of signed integers, so they are counted as unsigned.
    return np.bitwise_count(_bits(values), out=out, dtype=np.uint8).astype(values.dtype, copy=False)


def _parity(values: Any, out: Any = None) -> Any:
    ones = _popcount(values, out=out)
    return np.bitwise_and(ones, ones.dtype.type(1), out=out)


def _clz(values: Any, out: Any = None) -> Any:
    """Fill every place below the leading one with ones; the remaining zeros are the leading ones."""
    filled = np.bitwise_or(_bits(values), _bits(values) >> ONE, out=_bits(out))
    for shift in (2, 4, 8, 16, 32):
        filled = np.bitwise_or(filled, filled >> np.uint64(shift), out=_bits(out))
    return _popcount(np.invert(filled, out=_bits(out)).view(values.dtype), out=out)


def _ctz(values: Any, out: Any = None) -> Any:
    """Arkouda defines ``ctz(0)`` as 0."""
    bits = _bits(values)
    below = np.subtract(bits & -bits, bits != 0, out=_bits(out), dtype=np.uint64)
    return _popcount(below.view(values.dtype), out=out)


def _rotate_left(values: Any, count: Any, out: Any = None) -> Any:
    bits, count = _bits(values), _bits(count)
    upper = np.left_shift(bits, count & WIDTH_MASK, out=_bits(out))
    return np.bitwise_or(upper, bits >> (-count & WIDTH_MASK), out=_bits(out)).view(values.dtype)


def _rotate_right(values: Any, count: Any, out: Any = None) -> Any:
    return _rotate_left(values, -_bits(count), out=out)


BIT_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("popcount", 1, wide_integers, _popcount),
        Operation("parity", 1, wide_integers, _parity),
        Operation("clz", 1, wide_integers, _clz),
        Operation("ctz", 1, wide_integers, _ctz),
        Operation("rotl", 2, wide_integers, _rotate_left),
        Operation("rotr", 2, wide_integers, _rotate_right),
    )
}
