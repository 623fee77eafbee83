"""Integers of any size in memory: an Arrow array of fixed-size binary, each two's complement, lowest byte first.

All elements of an array have the same width, a multiple of 8 bytes, called limbs; arrays of one column may differ in
it.  The width affects only the memory of the elements.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from akdask.deferred import pa
from akdask.typing import NumberArray

LIMB = 64
"""Bits of a limb."""

HALF = np.uint64(2**32 - 1)
TOP_BIT = np.uint64(2**63)

LARGEST = 2**20
"""Bits beyond which an integer is an error rather than a way to fill the memory."""


def limbs_of(column: pa.FixedSizeBinaryArray) -> NumberArray:
    """Return the limbs of each element without a copy, lowest first: shape (n, width), uint64."""
    width = column.type.byte_width // 8
    if not len(column):
        return np.empty((0, width), np.uint64)
    buffer = column.buffers()[1]
    return np.frombuffer(buffer, np.uint64, len(column) * width, 8 * width * column.offset).reshape(-1, width)


def from_limbs(limbs: NumberArray) -> pa.FixedSizeBinaryArray:
    """Return the integers with the given limbs, shape (n, width), in two's complement."""
    count, width = limbs.shape
    data = pa.py_buffer(np.ascontiguousarray(limbs, np.uint64))
    return pa.Array.from_buffers(pa.binary(8 * width), count, [None, data])


def from_unsigned(limbs: NumberArray) -> pa.FixedSizeBinaryArray:
    """Return non-negative integers of the given limbs, shape (n, width)."""
    return from_limbs(with_limbs(limbs, limbs.shape[1] + 1, signed=False) if _signs(limbs).any() else limbs)


def with_limbs(limbs: NumberArray, width: int, *, signed: bool = True) -> NumberArray:
    """Return limbs with more high ones, so that the integers keep their values."""
    if width <= limbs.shape[1]:
        return limbs
    wide = np.empty((len(limbs), width), np.uint64)
    wide[:, : limbs.shape[1]] = limbs
    wide[:, limbs.shape[1] :] = _signs(limbs)[:, None] if signed else 0
    return wide


def narrowed(limbs: NumberArray) -> NumberArray:
    """Return limbs without the high ones that all integers can do without."""
    width = limbs.shape[1]
    while width > 1 and np.array_equal(limbs[:, width - 1], _signs(limbs[:, : width - 1])):
        width -= 1
    return limbs[:, :width]


def modulo_power(limbs: NumberArray, bits: int) -> NumberArray:
    """Return the unsigned limbs of integers in two's complement modulo ``2**bits``."""
    width = -(-bits // LIMB)
    lowest = np.array(with_limbs(limbs, width)[:, :width])
    if bits % LIMB:
        lowest[:, -1] &= np.uint64(2 ** (bits % LIMB) - 1)
    return lowest


def _signs(limbs: NumberArray) -> NumberArray:
    """Return the next higher limb of each integer: zeros, or all ones for negative integers."""
    highest = np.ascontiguousarray(limbs[:, -1]).view(np.int64)
    return (highest >> (LIMB - 1)).view(np.uint64)


def from_ints(ints: Sequence[int]) -> pa.FixedSizeBinaryArray:
    """Return Python ints as a column, as wide as the widest of them needs."""
    width = max((item.bit_length() for item in ints), default=0) // LIMB + 1
    data = b"".join([int(item).to_bytes(8 * width, "little", signed=True) for item in ints])
    return pa.Array.from_buffers(pa.binary(8 * width), len(ints), [None, pa.py_buffer(data)])


def to_ints(column: pa.FixedSizeBinaryArray) -> list[int]:
    """Return a column as Python ints."""
    limbs = limbs_of(column)
    if limbs.shape[1] == 1:
        found: list[int] = limbs[:, 0].view(np.int64).tolist()
        return found
    data, step = limbs.tobytes(), 8 * limbs.shape[1]
    return [int.from_bytes(data[at : at + step], "little", signed=True) for at in range(0, len(data), step)]


def from_numbers(numbers: NumberArray) -> pa.FixedSizeBinaryArray:
    """Return an array of whole numbers, or of bools, as a column of its own: arrays may be buffers that are reused."""
    if numbers.dtype == np.uint64:
        return from_unsigned(numbers.copy()[:, None])
    return from_limbs(numbers.astype(np.int64).view(np.uint64)[:, None])


def total(limbs: NumberArray) -> int:
    """Return the sum of the integers with the given limbs, in two's complement."""
    # Sums of half limbs fit 64 bits for as many rows as there can be.
    low: list[int] = (limbs & HALF).sum(axis=0).tolist()
    high: list[int] = (limbs >> np.uint64(LIMB // 2)).sum(axis=0).tolist()
    unsigned = sum(
        (first + (second << LIMB // 2)) << LIMB * k for k, (first, second) in enumerate(zip(low, high, strict=True))
    )
    found: int = unsigned - (int(np.count_nonzero(_signs(limbs))) << LIMB * limbs.shape[1])
    return found


def first_extreme(limbs: NumberArray, *, largest: bool) -> int:
    """Return the first row of the largest, or smallest, integer in two's complement; there must be one."""
    rows = np.arange(len(limbs))
    for number in reversed(range(limbs.shape[1])):
        limb = limbs[rows, number] if len(rows) < len(limbs) else limbs[:, number]
        if number == limbs.shape[1] - 1:
            limb = limb ^ TOP_BIT
        rows = rows[limb == (limb.max() if largest else limb.min())]
    return int(rows[0])
