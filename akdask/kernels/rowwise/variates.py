"""Random numbers of distributions that a number of uniform ones decides which is not known before, by position.

Element i depends on the seed, on i and on its own parameters: attempts that are rejected are made again from further
streams, at the same position.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.kernels.core.rules import Operation
from akdask.kernels.keys.random import mix_bits, uniform_at
from akdask.schema import FLOAT64, INT64, ColumnType
from akdask.typing import NumberArray

SMALL_MEAN = 10.0
"""Poisson numbers of smaller means are found one by one, others by rejection."""


def poisson(positions: NumberArray, means: NumberArray, *, seed: int) -> NumberArray:
    """Return Poisson numbers as int64, by inversion for small means and by rejection for large ones.

    Rejection is Hörmann's PTRS: The transformed rejection method for generating Poisson random variables, 1993.

    Examples
    --------
    >>> poisson(np.arange(3), np.zeros(3), seed=1).tolist()
    [0, 0, 0]
    """
    found = np.zeros(len(positions), np.int64)
    is_small = means < SMALL_MEAN
    found[is_small] = _by_inversion(positions[is_small], means[is_small], seed)
    _rejecting(found, np.flatnonzero(~is_small), _poisson_attempt, 2, positions, means, seed)
    return found


def _by_inversion(positions: NumberArray, means: NumberArray, seed: int) -> NumberArray:
    """Count the numbers whose cumulated probability a uniform number is above."""
    drawn = uniform_at(positions, seed)
    probability = np.exp(-means)
    cumulated = probability.copy()
    found = np.zeros(len(positions), np.int64)
    number = 0
    # Beyond this, the probability is less than what doubles near 1 can tell apart.
    while number < 100 and (above := drawn > cumulated).any():
        number += 1
        found += above
        probability *= means / number
        cumulated += probability
    return found


def _poisson_attempt(means: NumberArray, one: NumberArray, other: NumberArray) -> tuple[NumberArray, NumberArray]:
    scale = 0.931 + 2.53 * np.sqrt(means)
    slope = -0.059 + 0.02483 * scale
    shifted = one - 0.5
    distance = 0.5 - np.abs(shifted)
    with np.errstate(all="ignore"):
        found = np.floor((2 * slope / distance + scale) * shifted + means + 0.43)
        is_near = (distance >= 0.07) & (other <= 0.9277 - 3.6224 / (scale - 2))
        weight = np.log(other * (1.1239 + 1.1328 / (scale - 3.4)) / (slope / distance**2 + scale))
        is_below = weight <= found * np.log(means) - means - _log_factorial(found)
    accepted = (found >= 0) & (is_near | (is_below & ((distance >= 0.013) | (other <= distance))))
    return found, accepted


def _log_factorial(numbers: NumberArray) -> NumberArray:
    """Return the logarithms of factorials: Stirling's series after ten steps of the recurrence."""
    shift = 10.0
    top = np.maximum(numbers, 0.0) + shift + 1
    product = np.ones_like(top)
    for step in range(int(shift)):
        product *= np.maximum(numbers, 0.0) + step + 1
    series = 1 / (12 * top) - 1 / (360 * top**3) + 1 / (1260 * top**5) - 1 / (1680 * top**7)
    found: NumberArray = (top - 0.5) * np.log(top) - top + 0.5 * np.log(2 * np.pi) + series - np.log(product)
    return found


def standard_gamma(positions: NumberArray, shapes: NumberArray, *, seed: int) -> NumberArray:
    """Return gamma numbers of scale 1 as float64, by rejection.

    Marsaglia and Tsang, A simple method for generating gamma variables, 2000.  Shapes below 1 are drawn of one more.

    Examples
    --------
    >>> standard_gamma(np.arange(2), np.array([0.0, 0.0]), seed=1).tolist()
    [0.0, 0.0]
    """
    found = np.zeros(len(positions))
    is_low = shapes < 1
    drawn_of = shapes + is_low
    _rejecting(found, np.flatnonzero(shapes > 0), _gamma_attempt, 3, positions, drawn_of, seed)
    with np.errstate(divide="ignore"):
        shrink = (1 - uniform_at(positions, seed)) ** (1 / shapes)
    return np.where(is_low, found * shrink, found)


def _gamma_attempt(
    shapes: NumberArray, radius: NumberArray, angle: NumberArray, limit: NumberArray
) -> tuple[NumberArray, NumberArray]:
    normal = np.sqrt(-2 * np.log1p(-radius)) * np.cos(2 * np.pi * angle)
    least = shapes - 1 / 3
    cube = (1 + normal / np.sqrt(9 * least)) ** 3
    with np.errstate(all="ignore"):
        bound = 0.5 * normal**2 + least - least * cube + least * np.log(cube)
    return least * cube, (cube > 0) & (np.log1p(-limit) < bound)


def _rejecting(  # noqa: PLR0917 - what all rejection methods need
    found: NumberArray,
    rows: NumberArray,
    attempt: Callable[..., tuple[NumberArray, NumberArray]],
    wanted: int,
    positions: NumberArray,
    parameters: NumberArray,
    seed: int,
) -> None:
    """Fill rows with what attempts accept; each attempt takes uniform numbers of streams of its own."""
    stream = 1
    while len(rows):
        uniform = [uniform_at(positions[rows], seed, stream + number) for number in range(wanted)]
        drawn, accepted = attempt(parameters[rows], *uniform)
        found[rows[accepted]] = drawn[accepted]
        rows = rows[~accepted]
        stream += wanted


def shuffled(positions: NumberArray, *, seed: int, size: int, rounds: int) -> NumberArray:
    """Return where positions go in a permutation of `size` of them, each found by itself.

    A Feistel network of keyed hashes on the least even number of bits that holds `size`, which is walked until it
    leads below `size` again.

    Examples
    --------
    >>> sorted(shuffled(np.arange(5), seed=3, size=5, rounds=16).tolist())
    [0, 1, 2, 3, 4]
    """
    bits = max((size - 1).bit_length() + 1 & ~1, 2) // 2
    mask, width = np.uint64(2**bits - 1), np.uint64(bits)
    keys = mix_bits(np.arange(rounds, dtype=np.uint64) + mix_bits(np.array([seed % 2**64], np.uint64)))
    found = positions.astype(np.uint64)
    outside = np.arange(len(found))
    while len(outside):
        left, right = found[outside] >> width, found[outside] & mask
        for key in keys:
            left, right = right, left ^ (mix_bits(right + key) & mask)
        found[outside] = left << width | right
        outside = outside[found[outside] >= np.uint64(size)]
    return found.view(np.int64)


def _kernel(draw: Callable[..., NumberArray], dtype: Any) -> Callable[..., Any]:
    def kernel(positions: NumberArray, *parameters: Any, out: Any = None, **params: Any) -> Any:
        columns = [np.broadcast_to(np.asarray(item, dtype), len(positions)) for item in parameters]
        found = draw(positions, *columns, **params)
        if out is None:
            return found
        out[...] = found
        return out

    return kernel


def _of_float(result: ColumnType) -> Callable[..., ColumnType | None]:
    return lambda positions, parameter, **_: result if (positions, parameter) == (INT64, FLOAT64) else None


VARIATE_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("random_poisson", 2, _of_float(INT64), _kernel(poisson, np.float64)),
        Operation("random_gamma", 2, _of_float(FLOAT64), _kernel(standard_gamma, np.float64)),
        Operation("shuffled", 1, lambda dtype, **_: INT64 if dtype == INT64 else None, _kernel(shuffled, np.float64)),
    )
}
