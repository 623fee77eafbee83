"""Columns computed from row positions: random numbers and texts, and evenly spaced numbers.

Element i depends on i, the seed and the parameters only, so any partitioning, and any selection of rows, gives the same
numbers.  They are those that an Arkouda server draws for a seed: see ``loops.cpp``.  A server draws numbers of some
distributions one after the other, and starts again after some hundreds or thousands, by the size of the array.  Poisson
and gamma numbers whose parameters are arrays come from PCG64DXSM, which can be moved to any position as well, and is
faster than Philox, which is made for that.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from akdask.caches import Cache
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, STR, ColumnType
from akdask.deferred import pa
from akdask.engine.operations import Kernel, Operation
from akdask.errors import ArgumentError
from akdask.operators.values.loops import (
    draw_exponentials,
    draw_floats,
    draw_gammas,
    draw_logistics,
    draw_normals,
    draw_poissons,
    draw_rows,
    draw_short,
    draw_weighted_rows,
    draw_words,
    merge_shuffled_rows,
    permute_rows,
    shuffle_rows,
)
from akdask.typing import NumberArray

LOW_HALF = np.uint64(2**32 - 1)
HALF = np.uint64(32)
STEP = np.uint64(0x9E3779B97F4A7C15)


def _stream(seed: int, first: int, attempt: int = 0) -> np.random.PCG64DXSM:
    """Return the generator for numbers from `first` on; every (seed, attempt) names a stream of its own."""
    return np.random.PCG64DXSM(np.random.SeedSequence([seed % 2**64, attempt])).advance(first)


def uniform(first: int, count: int, *, seed: int, low: float = 0.0, high: float = 1.0) -> NumberArray:
    """Return elements `first` to ``first + count`` of a float64 column, uniform from `low` to `high`.

    Examples
    --------
    >>> uniform(0, 3, seed=1701).round(3).tolist()
    [0.011, 0.736, 0.124]
    >>> uniform(2, 3, seed=1).tolist() == uniform(0, 5, seed=1)[2:].tolist()
    True
    """
    numbers = np.empty(count)
    draw_floats(numbers, seed % 2**64, first, low, high)
    return numbers


def uniform_at(positions: NumberArray, seed: int, attempt: int = 0) -> NumberArray:
    """Return float64 numbers uniform in ``[0, 1)`` at some positions in any order.

    Examples
    --------
    >>> uniform_at(np.array([4, 2]), 1).tolist() == uniform_at(np.arange(5), 1)[[4, 2]].tolist()
    True
    """
    if not len(positions):
        return np.empty(0)
    first, last = int(positions.min()), int(positions.max())
    drawn: NumberArray = np.random.Generator(_stream(seed, first, attempt)).random(last + 1 - first)
    return np.asarray(drawn[positions - first])


def integers(first: int, count: int, *, seed: int, low: int, high: int) -> NumberArray:
    """Return elements `first` to ``first + count`` of an int64 column, each of ``[low, high)`` equally likely.

    Both bounds are taken modulo 2**64, as are the numbers, so that the column may stand for one of uint64.

    Raises
    ------
    ArgumentError
        If the range is empty or has more than 2**64 numbers.

    Examples
    --------
    >>> integers(0, 5, seed=1701, low=0, high=10).tolist()
    [6, 5, 1, 6, 3]
    """
    width = high - low
    if not 0 < width <= 2**64:
        raise ArgumentError(f"no integer of 64 bits can be drawn from [{low}, {high}).", hint="low must be below high.")
    if width > 2**32 and width % 2**32:
        # A server draws the halves of these by themselves, and leaves most numbers out.
        return _wide_integers(first, count, seed, low, width)
    words = np.empty(count, np.uint64)
    draw_words(words, seed % 2**64, first, low % 2**64, width - 1)
    return words.view(np.int64)


def _wide_integers(first: int, count: int, seed: int, low: int, width: int) -> NumberArray:
    """Return integers by Lemire's method: the upper 64 bits of 64 random ones times the width of the range.

    If the lower 64 bits show that the result would be biased, the element is drawn again from the next stream, at the
    same position.
    """
    biased = 2**64 % width
    numbers, remainders = _multiply_wide(_stream(seed, first).random_raw(count), np.uint64(width))
    attempt = 0
    while biased and (again := np.flatnonzero(remainders < np.uint64(biased))).size:
        attempt += 1
        start = int(again[0])
        drawn = _stream(seed, first + start, attempt).random_raw(int(again[-1]) + 1 - start)[again - start]
        numbers[again], remainders[again] = _multiply_wide(drawn, np.uint64(width))
    numbers += np.uint64(low % 2**64)
    return numbers.view(np.int64)


def short_integers(first: int, count: int, *, seed: int, low: int, high: int) -> NumberArray:
    """Return elements of an int64 column in ``[low, high)`` as a server draws numbers of 8 bits.

    Examples
    --------
    >>> set(short_integers(0, 100, seed=1, low=3, high=5).tolist()) == {3, 4}
    True
    """
    words = np.empty(count, np.uint8)
    draw_short(words, seed % 2**64, first, low, high - 1 - low)
    return words.astype(np.int64)


def bools(first: int, count: int, *, seed: int) -> NumberArray:
    """Return elements `first` to ``first + count`` of a bool column, both equally likely.

    Examples
    --------
    >>> bools(0, 5, seed=1701).tolist()
    [False, True, False, True, False]
    """
    words = np.empty(count, np.uint32)
    draw_short(words, seed % 2**64, first, 0, 2**32 - 1)
    return np.asarray(words >= np.uint32(2**31))


def _multiply_wide(numbers: Any, factor: np.uint64) -> tuple[Any, Any]:
    """Return the upper and the lower 64 bits of the products."""
    upper, lower = numbers >> HALF, numbers & LOW_HALF
    factor_upper, factor_lower = factor >> HALF, factor & LOW_HALF
    middle = upper * factor_lower + (lower * factor_lower >> HALF)
    if not factor_upper:
        return middle >> HALF, numbers * factor
    carry = (middle & LOW_HALF) + lower * factor_upper
    return upper * factor_upper + (middle >> HALF) + (carry >> HALF), numbers * factor


def standard_normal(first: int, count: int, *, seed: int, second: int | None = None) -> NumberArray:
    """Return elements `first` to ``first + count`` of a float64 column of mean 0 and variance 1, normally distributed.

    Box and Muller's method makes each from two uniform numbers; the other one is of the next seed, or, if `second` is
    given, so many positions further.

    Examples
    --------
    >>> standard_normal(0, 2, seed=1).round(3).tolist()
    [-0.686, 1.172]
    """
    radius = uniform(first, count, seed=seed)
    angle = uniform(first, count, seed=seed + 1) if second is None else uniform(first + second, count, seed=seed)
    with np.errstate(divide="ignore"):
        return np.asarray(np.sqrt(-2 * np.log(radius)) * np.cos(2 * np.pi * angle))


def seed_of_steps(seed: int, begin: int) -> int:
    """Return the seed of numbers that are drawn in steps, which is drawn at a position of the stream of a seed.

    Examples
    --------
    >>> seed_of_steps(17, 0)
    3716885997712858624
    """
    return int(uniform(begin, 1, seed=seed)[0] * 2.0**62)


def step_of(count: int) -> int:
    """Return how many numbers of an array are drawn one after the other, as a server does whatever its locales.

    Examples
    --------
    >>> step_of(0), step_of(10_000), step_of(10_001)
    (256, 256, 1024)
    """
    return max(256, 4 ** math.ceil(math.log10(count))) if count else 256


def _in_steps(draw: Callable[..., None], dtype: Any) -> Callable[..., NumberArray]:
    """Return a function that draws some elements of a column, which has seeds of its own every `step` elements."""

    def run(first: int, count: int, *, seed: int, step: int, **parameter: float) -> NumberArray:
        numbers = np.empty(count, dtype)
        draw(numbers, seed % 2**64, first, step, *parameter.values())
        return numbers

    return run


Lengths = tuple[str, float, float]
"""How lengths of texts are distributed, ``uniform`` or ``lognormal``, and two parameters."""

CHUNK = 2**18
"""Rows whose lengths are added up at once, to find where the characters of a row begin."""


def string_lengths(first: int, count: int, *, seed: int, lengths: Lengths) -> NumberArray:
    """Return how many characters each of the random texts has.

    Examples
    --------
    >>> string_lengths(0, 5, seed=8675309, lengths=("uniform", 1, 5)).tolist()
    [4, 3, 3, 2, 1]
    """
    kind, one, other = lengths
    if kind == "uniform":
        return integers(first, count, seed=seed, low=int(one), high=int(other))
    drawn = np.exp(one + other * standard_normal(first, count, seed=seed))
    # A server counts the end of a text too.
    return np.maximum(np.ceil(drawn).astype(np.int64) - 1, 0)


@lru_cache(2**16)
def _bytes_of(chunk: int, seed: int, lengths: Lengths) -> int:
    """Return how many bytes the texts of a chunk of rows take, with their ends."""
    return int(string_lengths(chunk * CHUNK, CHUNK, seed=seed, lengths=lengths).sum()) + CHUNK


def strings(positions: NumberArray, *, seed: int, lengths: Lengths, alphabet: str) -> pa.LargeStringArray:
    """Return random texts, with characters from an alphabet of neighbours in ASCII.

    Examples
    --------
    >>> strings(np.arange(5), seed=1, lengths=("uniform", 0, 3), alphabet="abc").to_pylist()
    ['bc', 'ca', '', 'ac', 'bb']
    """
    if not len(positions):
        return pa.array([], pa.large_string())
    chunk, last = int(positions.min()) // CHUNK, int(positions.max())
    begin = sum(_bytes_of(earlier, seed, lengths) for earlier in range(chunk))
    sizes = string_lengths(chunk * CHUNK, last + 1 - chunk * CHUNK, seed=seed, lengths=lengths)
    starts = np.cumsum(sizes + 1) - sizes - 1
    rows = positions - chunk * CHUNK
    sizes, starts = sizes[rows], starts[rows]
    origin = int(starts.min())
    words = np.empty(int((starts + sizes).max()) - origin, np.uint8)
    draw_short(words, seed % 2**64, begin + origin, ord(alphabet[0]), len(alphabet) - 1)
    offsets = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
    data = words[np.arange(offsets[-1]) + np.repeat(starts - origin - offsets[:-1], sizes)]
    return pa.LargeStringArray.from_buffers(len(sizes), pa.py_buffer(offsets), pa.py_buffer(data))


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


ORDER_ROWS = 2**22
"""Rows up to which an order that is found one row after the other is as a server has it: each task finds all of it."""

_orders: Cache[tuple[str, int, int, int], NumberArray] = Cache(
    "random orders", nbytes=2**26, size=lambda item: item.nbytes
)


def order(positions: NumberArray, *, method: str, seed: int, begin: int, size: int) -> NumberArray:
    """Return the rows at positions of a random order of `size` rows, which is found from the first row to the last.

    Examples
    --------
    >>> order(np.arange(10), method="shuffle", seed=18, begin=0, size=10).tolist()
    [0, 8, 2, 7, 9, 4, 6, 3, 5, 1]
    """
    key = (method, seed, begin, size)
    rows = _orders.get(key)
    if rows is None:
        rows = np.empty(size, np.int64)
        if method == "merge":
            # The seed is a whole number that a server multiplies by 2**62.
            draw_words(word := np.empty(1, np.uint64), seed % 2**64, begin, 0, 2**64 - 1)
            merge_shuffled_rows(rows, ((int(word[0]) << 62) + 1) % 2**64)
        else:
            (shuffle_rows if method == "shuffle" else permute_rows)(rows, seed % 2**64, begin)
        _orders.put(key, rows)
    return np.asarray(rows[positions])


def rows_in_groups(
    sizes: NumberArray,
    counts: NumberArray,
    begins: NumberArray,
    *,
    seed: int,
    replace: bool,
    weights: NumberArray | None = None,
) -> NumberArray:
    """Return positions of random rows in their groups, ``counts.sum()`` of them, one group after the other.

    Parameters
    ----------
    sizes, counts : ndarray of int64, shape (number of groups,)
        How many rows a group has, and how many are drawn.
    begins : ndarray of int64, shape (number of groups,)
        Where in the stream of the seed the numbers of a group begin.
    replace : bool
        Whether a row may be drawn several times.
    weights : ndarray of float64, shape (number of rows,), optional
        The odds of the rows, which follow each other group by group.

    Examples
    --------
    >>> rows_in_groups(np.array([3, 10]), np.array([2, 10]), np.array([0, 2]), seed=18, replace=False).tolist()
    [1, 0, 4, 7, 5, 1, 6, 9, 0, 8, 2, 3]
    """
    drawn = np.empty(counts.sum(), np.int64)
    rows, wanted, first = (np.ascontiguousarray(part, np.int64) for part in (sizes, counts, begins))
    largest = int(sizes.max(initial=0))
    if weights is None:
        draw_rows(drawn, rows, wanted, first, np.empty(largest, np.int64), seed % 2**64, replace)
    else:
        odds, sums = np.ascontiguousarray(weights, np.float64), np.empty(2 << max(largest - 1, 0).bit_length())
        draw_weighted_rows(drawn, rows, wanted, first, odds, sums, seed % 2**64, replace)
    return drawn


GOLDEN = 0x9E3779B97F4A7C15
"""The fraction of the golden ratio in 64 bits, whose multiples are evenly spread."""


def shuffled(positions: NumberArray, *, key: int, size: int, rounds: int) -> NumberArray:
    """Return the rows that a Feistel network moves to some positions of `size` positions, each computed by itself.

    The network has rounds of keyed hashes on the least even number of bits that holds `size`.  It is walked backwards,
    until it leads below `size` again.  Source: ``permuteIndexFeistel`` of Arkouda's ``src/RandMsg.chpl``.

    Examples
    --------
    >>> shuffled(np.arange(10), key=0x123456789ABCDEF0, size=10, rounds=18).tolist()
    [9, 7, 1, 2, 4, 5, 3, 6, 8, 0]
    """
    bits = max((size - 1).bit_length() + 1 & ~1, 2) // 2
    mask, width = np.uint64(2**bits - 1), np.uint64(bits)
    keys = [_turned(key ^ GOLDEN * (number + 1) % 2**64, 7 * number + 13) for number in range(rounds)]
    found = positions.astype(np.uint64)
    outside = np.arange(len(found))
    while len(outside):
        right, left = found[outside] >> width, found[outside] & mask
        for number in reversed(range(rounds)):
            left, right = right ^ (_hashed(left, keys[number], number) & mask), left
        found[outside] = left << width | right
        outside = outside[found[outside] >= np.uint64(size)]
    return found.view(np.int64)


def _turned(word: int, bits: int) -> int:
    """Return a word of 64 bits whose upper bits have become lower ones."""
    bits %= 64
    return (word << bits | word >> 64 - bits) % 2**64


def _hashed(words: NumberArray, key: int, number: int) -> NumberArray:
    """Return one half after a round of a Feistel network."""
    mixed = words ^ np.uint64(key ^ _turned(key, number) ^ GOLDEN ^ number)
    mixed = mixed * np.uint64(GOLDEN)
    mixed ^= mixed >> np.uint64(29) ^ mixed >> np.uint64(43)
    turned: NumberArray = mixed << np.uint64(17) | mixed >> np.uint64(47)
    return turned ^ np.uint64(number * 0xA5A5A5A5A5A5A5A5 % 2**64)


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
        Operation("random_order", 1, lambda dtype, **_: INT64 if dtype == INT64 else None, _kernel(order, np.float64)),
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
    """Return a kernel on positions in any order, from a function that computes runs of consecutive positions.

    The position 0 is that of the element `begin` of the function.
    """

    def kernel(positions: NumberArray, out: Any = None, begin: int = 0, **params: Any) -> NumberArray:
        first = int(positions.min()) if len(positions) else 0
        count = int(positions.max()) + 1 - first if len(positions) else 0
        numbers = run(first + begin, count, **params)
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


def _random_strings(positions: Any, out: Any = None, **params: Any) -> Any:
    return strings(positions, **params)


def _operation(name: str, result: ColumnType, run: Callable[..., NumberArray]) -> Operation:
    return Operation(name, 1, lambda dtype, **_: result if dtype == INT64 else None, _at_positions(run))


POSITION_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        Operation("of_range", 1, lambda dtype, **_: INT64 if dtype == INT64 else None, _of_range),
        Operation("random_texts", 1, lambda dtype, **_: STR if dtype == INT64 else None, _random_strings),
        _operation("linspace", FLOAT64, linspace),
        _operation("random_integers", INT64, integers),
        _operation("random_short_integers", INT64, short_integers),
        _operation("random_bools", BOOL, bools),
        _operation("random_uniform", FLOAT64, uniform),
        _operation("random_normal", FLOAT64, standard_normal),
        _operation("stepped_normal", FLOAT64, _in_steps(draw_normals, np.float64)),
        _operation("stepped_exponential", FLOAT64, _in_steps(draw_exponentials, np.float64)),
        _operation("stepped_logistic", FLOAT64, _in_steps(draw_logistics, np.float64)),
        _operation("stepped_gamma", FLOAT64, _in_steps(draw_gammas, np.float64)),
        _operation("stepped_poisson", INT64, _in_steps(draw_poissons, np.int64)),
    )
}
