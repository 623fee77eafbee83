"""Columns computed from row positions: random numbers and texts, and evenly spaced numbers.

Element i depends on i, the seed and the parameters only, so any partitioning, and any selection of rows, gives the same
numbers. PCG64DXSM can be moved to any position without drawing the numbers before it. It is faster than Philox, which
is made for that. An Arkouda server would draw other numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.columns.dtypes import FLOAT64, INT64, STR, ColumnType
from akdask.deferred import pa
from akdask.engine.operations import Kernel, Operation
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
    """Return float64 numbers uniform in ``[0, 1)`` at some positions in any order.

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

    Lemire's method: the upper 64 bits of 64 random ones times the width of the range.  If the lower 64 bits show that
    the result would be biased, the element is drawn again from the next stream, at the same position.

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

    Box and Muller's method makes each pair of neighbours from one pair of uniform numbers.

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
    """Return strings of given lengths, with characters from an alphabet of ASCII.

    Lengths differ, so a stream of numbers could not be moved to a row. Each character is a hash of the seed, its row
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


SMALL_MEAN = 10.0
"""Poisson numbers of smaller means are found by inversion, others by rejection."""


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
    """Count the numbers whose cumulative probability is below a uniform number."""
    drawn = uniform_at(positions, seed)
    probability = np.exp(-means)
    cumulated = probability.copy()
    found = np.zeros(len(positions), np.int64)
    number = 0
    # Beyond this, the probability is below the resolution of doubles near 1.
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

    Marsaglia and Tsang, A simple method for generating gamma variables, 2000.  Shapes below 1 are drawn with one more,
    then scaled.

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
    """Fill rows with accepted attempts; each attempt takes uniform numbers from its own streams."""
    stream = 1
    while len(rows):
        uniform = [uniform_at(positions[rows], seed, stream + number) for number in range(wanted)]
        drawn, accepted = attempt(parameters[rows], *uniform)
        found[rows[accepted]] = drawn[accepted]
        rows = rows[~accepted]
        stream += wanted


def shuffled(positions: NumberArray, *, seed: int, size: int, rounds: int) -> NumberArray:
    """Return the images of positions in a permutation of `size` positions, each computed by itself.

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


def linspace(first: int, count: int, *, start: float, stop: float, num: int, endpoint: bool = True) -> NumberArray:
    """Return elements `first` to ``first + count`` of ``numpy.linspace(start, stop, num, endpoint)``, bit by bit.

    Examples
    --------
    >>> linspace(2, 3, start=0.0, stop=1.0, num=5).tolist()
    [0.5, 0.75, 1.0]
    """
    numbers = np.arange(first, first + count, dtype=np.float64)
    intervals = num - 1 if endpoint else num
    step = (stop - start) / intervals if intervals else np.nan
    if intervals and step:
        numbers *= step
    else:
        # The step underflows, or there is only one number.
        numbers = numbers / (intervals or 1) * (stop - start)
    numbers += start
    if endpoint and num > 1 and count and first + count == num:
        numbers[-1] = stop
    return numbers


def _at_positions(run: Callable[..., NumberArray]) -> Kernel:
    """Return a kernel on positions in any order, from a function that computes runs of consecutive positions."""

    def kernel(positions: NumberArray, out: Any = None, **params: Any) -> NumberArray:
        first = int(positions.min()) if len(positions) else 0
        count = int(positions.max()) + 1 - first if len(positions) else 0
        numbers = run(first, count, **params)
        if count != len(positions) or not np.all(positions[1:] > positions[:-1]):
            numbers = numbers[positions - first]
        if out is None:
            return numbers
        out[...] = numbers
        return np.asarray(out)

    return kernel


def _of_range(positions: Any, out: Any = None, *, starts: tuple[int, ...], numbers: tuple[int, ...]) -> Any:
    """Return the number of each position's range: the last one that does not start beyond it."""
    found = np.array(numbers, np.int64)[np.searchsorted(np.array(starts, np.int64), positions, side="right") - 1]
    if out is None:
        return found
    out[...] = found
    return out


def _random_strings(positions: Any, lengths: Any, out: Any = None, *, seed: int, alphabet: str) -> Any:
    return strings(positions, lengths, seed=seed, alphabet=alphabet)


def _strings_type(positions: ColumnType, lengths: ColumnType, **_: Any) -> ColumnType | None:
    return STR if positions == lengths == INT64 else None


def _operation(name: str, result: ColumnType, run: Callable[..., NumberArray]) -> Operation:
    return Operation(name, 1, lambda dtype, **_: result if dtype == INT64 else None, _at_positions(run))


POSITION_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("of_range", 1, lambda dtype, **_: INT64 if dtype == INT64 else None, _of_range),
        Operation("random_texts", 2, _strings_type, _random_strings),
        _operation("linspace", FLOAT64, linspace),
        _operation("random_integers", INT64, integers),
        _operation("random_uniform", FLOAT64, uniform),
        _operation("random_normal", FLOAT64, standard_normal),
    )
}
