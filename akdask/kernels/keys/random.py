"""Random numbers and texts by position: element i depends on the seed and on i, and on nothing else.

PCG64DXSM can be moved to any position without drawing the numbers before it, and takes half the time of Philox, which
is made for that (6 and 12 ns a number).  The numbers are not those that an Arkouda server would draw.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from akdask.deferred import pa
from akdask.errors import ArgumentError
from akdask.typing import NumberArray

LOW_HALF = np.uint64(2**32 - 1)
HALF = np.uint64(32)
STEP = np.uint64(0x9E3779B97F4A7C15)


def _stream(seed: int, first: int, attempt: int = 0) -> np.random.PCG64DXSM:
    """Return the generator for numbers from `first` on; every (seed, attempt) names a stream of its own."""
    return np.random.PCG64DXSM(np.random.SeedSequence([seed % 2**64, attempt])).advance(first)


def uniform(first: int, count: int, *, seed: int, low: float = 0.0, high: float = 1.0) -> NumberArray:
    """Return elements `first` to ``first + count`` of a float64 column, uniform in ``[low, high)``.

    Examples
    --------
    >>> uniform(2, 3, seed=1).tolist() == uniform(0, 5, seed=1)[2:].tolist()
    True
    """
    numbers: NumberArray = np.random.Generator(_stream(seed, first)).random(count)
    if low != 0.0 or high != 1.0:
        numbers *= high - low
        numbers += low
    return numbers


def uniform_at(positions: NumberArray, seed: int, attempt: int = 0) -> NumberArray:
    """Return float64 numbers uniform in ``[0, 1)``, those of some positions in any order.

    Examples
    --------
    >>> uniform_at(np.array([4, 2]), 1).tolist() == uniform(0, 5, seed=1)[[4, 2]].tolist()
    True
    """
    if not len(positions):
        return np.empty(0)
    first, last = int(positions.min()), int(positions.max())
    drawn: NumberArray = np.random.Generator(_stream(seed, first, attempt)).random(last + 1 - first)
    return np.asarray(drawn[positions - first])


def integers(first: int, count: int, *, seed: int, low: int, high: int) -> NumberArray:
    """Return elements `first` to ``first + count`` of an int64 column, each of ``[low, high)`` equally likely.

    Lemire's method: the upper 64 bits of 64 random ones times the width of the range.  Where the lower 64 bits say
    that the result would be biased, the element is drawn again from the next stream, at the same position.

    Raises
    ------
    ArgumentError
        If the range is empty or leaves int64.

    Examples
    --------
    >>> set(integers(0, 100, seed=1, low=-1, high=2).tolist()) == {-1, 0, 1}
    True
    """
    if not -(2**63) <= low < high <= 2**63:
        raise ArgumentError(
            f"no int64 can be drawn from [{low}, {high}).", hint="low must be below high, and both within int64."
        )
    width = high - low
    biased = 2**64 % width
    numbers = _stream(seed, first).random_raw(count)
    if width < 2**64:
        numbers, remainders = _multiply_wide(numbers, np.uint64(width))
        attempt = 0
        while biased and (again := np.flatnonzero(remainders < np.uint64(biased))).size:
            attempt += 1
            start = int(again[0])
            drawn = _stream(seed, first + start, attempt).random_raw(int(again[-1]) + 1 - start)[again - start]
            numbers[again], remainders[again] = _multiply_wide(drawn, np.uint64(width))
    numbers += np.uint64(low % 2**64)
    return numbers.view(np.int64)


def _multiply_wide(numbers: Any, factor: np.uint64) -> tuple[Any, Any]:
    """Return the upper and the lower 64 bits of the products."""
    upper, lower = numbers >> HALF, numbers & LOW_HALF
    factor_upper, factor_lower = factor >> HALF, factor & LOW_HALF
    middle = upper * factor_lower + (lower * factor_lower >> HALF)
    if not factor_upper:
        return middle >> HALF, numbers * factor
    carry = (middle & LOW_HALF) + lower * factor_upper
    return upper * factor_upper + (middle >> HALF) + (carry >> HALF), numbers * factor


def standard_normal(first: int, count: int, *, seed: int) -> NumberArray:
    """Return elements `first` to ``first + count`` of a float64 column of mean 0 and variance 1, normally distributed.

    Box and Muller's method: each pair of neighbours is made of one pair of uniform numbers.

    Examples
    --------
    >>> standard_normal(3, 2, seed=1).tolist() == standard_normal(0, 5, seed=1)[3:].tolist()
    True
    """
    before = first % 2
    pairs = (before + count + 1) // 2
    drawn = uniform(first - before, 2 * pairs, seed=seed).reshape(pairs, 2)
    # 1 - u is never 0, whose logarithm is infinite.
    radius = np.sqrt(-2.0 * np.log1p(-drawn[:, 0]))
    angle = 2 * np.pi * drawn[:, 1]
    normal = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).ravel()
    return normal[before : before + count]


def strings(positions: NumberArray, lengths: NumberArray, *, seed: int, alphabet: str) -> pa.LargeStringArray:
    """Return strings of given lengths, of characters that are drawn from an alphabet of ASCII.

    Lengths differ, so that no stream of numbers could be moved to a row: each character is a hash of the seed, its row
    and its place in the string.

    Examples
    --------
    >>> rows = np.arange(3)
    >>> strings(rows[1:], rows[1:], seed=1, alphabet="ab") == strings(rows, rows, seed=1, alphabet="ab")[1:]
    True
    """
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    rows = mix_bits(positions.view(np.uint64) + mix_bits(np.array([seed % 2**64], np.uint64)))
    positions_within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    drawn = mix_bits(np.repeat(rows, lengths) + positions_within.astype(np.uint64) * STEP)
    letters = np.frombuffer(alphabet.encode("ascii"), np.uint8)
    data = letters[(drawn >> HALF) * np.uint64(len(letters)) >> HALF]
    return pa.LargeStringArray.from_buffers(len(lengths), pa.py_buffer(offsets), pa.py_buffer(data))


def mix_bits(words: NumberArray) -> NumberArray:
    """Return hashes in which every bit depends on every bit of the words, which are uint64.

    The finalizer of SplitMix64: Steele, Lea and Flood, Fast splittable pseudorandom number generators, 2014.
    """
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
