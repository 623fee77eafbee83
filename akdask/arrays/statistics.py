"""Statistics of arrays: Pearson's chi-squared test and its relatives, as in SciPy, and histograms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import count
from operator import index
from typing import Any, NamedTuple

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.creation import array
from akdask.arrays.elementwise import elementwise
from akdask.arrays.keys import projected
from akdask.arrays.pdarray import pdarray
from akdask.columns.dtypes import FLOAT64
from akdask.engine.alignment import align
from akdask.engine.run import compute
from akdask.engine.values import as_floats, cast
from akdask.errors import ArgumentError, ArgumentTypeError, UnfitArgumentError
from akdask.operators.reduce.histogram import Bincount, Edges, Histogram

_TINY = 1e-300
_PRECISION = 1e-17
_LARGE = 20  # parameters from here on have enough digits by Stirling's series
_NEAR = 0.1  # of numbers below, log1p(x) - x is a series
_STIRLING = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)


def chi_squared_tail(x: float, degrees: float) -> float:
    """Return how likely a chi-squared variable is to be `x` or more.

    NaN if that is NaN or the degrees of freedom are not positive.

    Examples
    --------
    >>> round(chi_squared_tail(2.0, 5), 12), chi_squared_tail(0.0, 3), chi_squared_tail(math.inf, 3)
    (0.849145036085, 1.0, 0.0)
    """
    if math.isnan(x) or not degrees > 0:
        return math.nan
    if x <= 0 or math.isinf(x):
        return float(x <= 0)
    a, half = degrees / 2, x / 2
    return 1 - _lower(a, half) if half < a + 1 else _upper(a, half)


def _lower(a: float, x: float) -> float:
    term = total = 1 / a
    for number in count(1):
        term *= x / (a + number)
        total += term
        if term < total * _PRECISION:
            break
    return _factor(a, x) * total


def _upper(a: float, x: float) -> float:
    """Evaluate the continued fraction from its beginning, as Lentz does."""
    b = x + 1 - a
    c, d = 1 / _TINY, 1 / b
    found = d
    for number in count(1):
        step = -number * (number - a)
        b += 2
        d = 1 / _not_zero(step * d + b)
        c = _not_zero(b + step / c)
        found *= d * c
        if abs(d * c - 1) < 2 * math.ulp(1.0):
            break
    return _factor(a, x) * found


def _not_zero(x: float) -> float:
    return x if abs(x) > _TINY else _TINY


def _factor(a: float, x: float) -> float:
    """Return ``x**a * exp(-x) / gamma(a)``."""
    if a < _LARGE:
        return math.exp(a * math.log(x) - x) / math.gamma(a)
    distance = (x - a) / a
    correction = math.fsum(part / a ** (2 * number + 1) for number, part in enumerate(_STIRLING))
    return math.exp(a * _log1p_less(distance) - correction) * math.sqrt(a / (2 * math.pi))


def _log1p_less(x: float) -> float:
    """Return ``log(1 + x) - x``."""
    if abs(x) > _NEAR:
        return math.log1p(x) - x
    total, power = 0.0, -x
    for number in count(2):
        power *= -x
        total -= power / number
        if abs(power) < abs(total) * _PRECISION or not power:
            break
    return total


LAMBDAS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2 / 3,
}
"""The power of each statistic."""

_TOLERANCE = float(np.sqrt(np.finfo(np.float64).eps))


class Power_divergenceResult(NamedTuple):
    """A statistic, and the probability of one as large if the counts are as expected."""

    statistic: np.float64
    pvalue: np.float64


def chisquare(f_obs: Any, f_exp: Any = None, ddof: int = 0) -> Power_divergenceResult:
    """Test whether counts are as expected by Pearson's statistic; computes.  See `power_divergence`.

    Examples
    --------
    >>> found = ak.chisquare(ak.array([16, 18, 16, 14, 12, 12]))
    >>> float(found.statistic), round(float(found.pvalue), 12)
    (2.0, 0.849145036085)
    """
    return power_divergence(f_obs, f_exp, ddof, "pearson")


def power_divergence(
    f_obs: Any, f_exp: Any = None, ddof: int = 0, lambda_: str | float | None = None
) -> Power_divergenceResult:
    """Test whether counts are as expected by a statistic of Cressie and Read; computes.

    Parameters
    ----------
    f_obs : pdarray
        The counts.
    f_exp : pdarray, optional
        The expected counts; the mean of the counts unless given.
    ddof : int, default 0
        Subtracted from the degrees of freedom, which are one less than the counts.
    lambda_ : str or float, optional
        The power of the statistic, or its name: ``pearson`` (unless given), ``log-likelihood``, ``freeman-tukey``,
        ``mod-log-likelihood``, ``neyman`` or ``cressie-read``.

    Returns
    -------
    Power_divergenceResult
        The statistic, and the probability of a statistic as large, by the chi-squared distribution, as float64.

    Raises
    ------
    ArgumentError
        If the statistic is unknown, or the sums of observed and expected counts differ by more than one
        part in 10**8.
    ArgumentTypeError
        If they are no arrays of numbers.
    AlignmentError
        If they are not as many.

    Notes
    -----
    Values follow ``scipy.stats.power_divergence``; SciPy is not needed.

    Examples
    --------
    >>> counts, expected = ak.array([10, 20, 30, 10]), ak.array([10, 30, 20, 10])
    >>> found = ak.power_divergence(counts, expected, lambda_="log-likelihood")
    >>> round(float(found.statistic), 12), round(float(found.pvalue), 12)
    (8.109302162163, 0.043805953502)
    """
    power = _power(lambda_)
    observed = _numbers(f_obs, "f_obs")
    expected = observed.mean() if f_exp is None else _numbers(f_exp, "f_exp")
    sums = [_terms(observed, expected, power).sum(), observed.sum()]
    statistic, total, *others = compute(*sums, *([expected.sum()] if isinstance(expected, pdarray) else []))
    for wanted in others:
        if abs(total - wanted) > _TOLERANCE * min(total, wanted):
            raise ArgumentError(
                "counts do not sum up to what was expected.",
                details=[f"sum of f_obs: {total}", f"sum of f_exp: {wanted}"],
                hint="scale f_exp: f_exp * (f_obs.sum() / f_exp.sum()).",
            )
    return Power_divergenceResult(
        np.float64(statistic), np.float64(chi_squared_tail(float(statistic), observed.size - 1 - ddof))
    )


def _power(lambda_: str | float | None) -> float:
    if lambda_ is None:
        return LAMBDAS["pearson"]
    if isinstance(lambda_, str):
        if lambda_ not in LAMBDAS:
            raise ArgumentError(f"there is no statistic {lambda_!r}.", hint=f"known: {', '.join(LAMBDAS)}.")
        return LAMBDAS[lambda_]
    return float(lambda_)


def _numbers(counts: Any, name: str) -> pdarray:
    made = counts if isinstance(counts, pdarray) else array(counts)
    if not isinstance(made, pdarray) or made._value.dtype.kind not in ("int", "uint", "float", "bool"):
        raise ArgumentTypeError(f"{name} is an array of numbers, not a {type(counts).__name__}.")
    # Statistics sum quotients of counts.
    return made.astype("float64")


def _terms(observed: pdarray, expected: Any, power: float) -> Any:
    """Return the terms of the statistic, which are added up."""
    if power == LAMBDAS["pearson"]:
        return (observed - expected) ** 2 / expected
    if power == LAMBDAS["log-likelihood"]:
        return 2 * elementwise("xlogy", observed, observed / expected)
    if power == LAMBDAS["mod-log-likelihood"]:
        spread = observed * 0 + expected
        return 2 * elementwise("xlogy", spread, spread / observed)
    return observed * ((observed / expected) ** power - 1) / (0.5 * power * (power + 1))


Range = tuple[float, float] | None


def histogram(
    pda: pdarray,
    bins: int = 10,
    range: tuple[float, float] | None = None,
) -> tuple[pdarray, pdarray]:
    """Count the elements in bins of equal width; lazy.

    Parameters
    ----------
    pda : pdarray
        The elements.
    bins : int, default 10
        Number of bins.
    range : (low, high), optional
        First and last edge; unless given, the smallest and the largest element.  Elements outside are not counted.

    Returns
    -------
    counts : pdarray of int64, shape (bins,)
        The last bin includes its right edge.
    edges : pdarray of float64, shape (bins + 1,)

    Raises
    ------
    ArgumentError
        If the range is empty; at compute, if no elements give the range, or one is NaN or infinite.

    Examples
    --------
    >>> counts, edges = ak.histogram(ak.arange(10), 3)
    >>> counts.tolist(), edges.tolist()
    ([3, 3, 4], [0.0, 3.0, 6.0, 9.0])
    """
    counts, (edges,) = _counted("histogram", [pda], [bins], [range])
    return counts, edges


def histogram2d(
    x: pdarray, y: pdarray, bins: int | Sequence[int] = 10, range: tuple[Range, Range] | None = None
) -> tuple[Any, pdarray, pdarray]:
    """Count pairs of elements in bins of equal width; lazy.

    Parameters
    ----------
    x, y : pdarray
        The elements; they share rows.
    bins : int or (int, int), default 10
        Number of bins, for both or for each.
    range : ((low, high), (low, high)), optional
        First and last edges; see `histogram`.

    Returns
    -------
    counts : ArrayView of float64, shape (x bins, y bins)
    x_edges, y_edges : pdarray of float64

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.
    ArgumentError
        See `histogram`.

    Examples
    --------
    >>> counts, x_edges, y_edges = ak.histogram2d(ak.array([0, 1, 1]), ak.array([5, 6, 6]), bins=2)
    >>> counts.to_ndarray().tolist(), y_edges.tolist()
    ([[1.0, 0.0], [0.0, 2.0]], [5.0, 5.5, 6.0])
    """
    counts, (x_edges, y_edges) = counted_in_shape("histogram2d", [x, y], bins, range)
    return counts, x_edges, y_edges


def histogramdd(
    sample: Sequence[pdarray], bins: int | Sequence[int] = 10, range: Sequence[Range] | None = None
) -> tuple[Any, list[pdarray]]:
    """Count rows of several arrays in bins of equal width; lazy.

    Parameters
    ----------
    sample : sequence of pdarray
        One array for each dimension; they share rows.
    bins : int or sequence of int, default 10
        Number of bins, for all or for each.
    range : sequence of (low, high) or None, optional
        First and last edges of each; see `histogram`.

    Returns
    -------
    counts : ArrayView of float64, with a dimension for each array
    edges : list of pdarray of float64

    Raises
    ------
    AlignmentError
        If the arrays do not share rows.
    ArgumentError
        If there are not as many bins or ranges as arrays, if their types differ, and where `histogram` raises it.

    Examples
    --------
    >>> counts, edges = ak.histogramdd([ak.arange(4), ak.arange(4)], bins=[2, 2])
    >>> counts.to_ndarray().tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """
    sample = list(sample)
    types = {str(getattr(item, "dtype", type(item).__name__)) for item in sample}
    if len(types) > 1:
        raise ArgumentError("histogramdd takes arrays of one type.", details=[f"types: {', '.join(sorted(types))}"])
    return counted_in_shape("histogramdd", sample, bins, range)


def counted_in_shape(
    name: str, sample: list[Any], bins: int | Sequence[int], range: Sequence[Range] | None
) -> tuple[Any, list[pdarray]]:
    """Return the counts of rows of several arrays, with a dimension for each array, and the edges of bins."""
    each = list(bins) if isinstance(bins, Sequence) else [bins] * len(sample)
    ranges = [None] * len(sample) if range is None else list(range)
    if not len(sample) == len(each) == len(ranges) > 0:
        raise ArgumentError(
            f"{name} takes at least one array, and bins and a range for each.",
            details=[f"arrays: {len(sample)}, bins: {len(each)}, ranges: {len(ranges)}"],
        )
    counts, edges = _counted(name, sample, each, ranges)
    return counts.astype(np.float64).reshape(*each), edges


def bincount(x: pdarray, weights: pdarray | None = None, minlength: int = 0) -> pdarray:
    """Count the occurrences of each whole number from 0 on; lazy, in one partition.

    Parameters
    ----------
    x : pdarray of int, uint or bool
        The numbers, 0 or more.
    weights : pdarray, optional
        The weight of each number, 1 unless given; with the rows of `x`.
    minlength : int
        Fewest counts to return.

    Returns
    -------
    pdarray of int64, or of float64 with weights
        One count for each number up to the largest.

    Raises
    ------
    ArgumentTypeError
        If `x` has no integers.
    ArgumentError
        If `minlength` is below 0; at compute, if a number is below 0 or too large for a table of counts.

    Notes
    -----
    Follows ``numpy.bincount``; Arkouda has no such function.

    Examples
    --------
    >>> ak.bincount(ak.array([3, 1, 1])).tolist()
    [0, 2, 0, 1]
    """
    given = [_number("bincount", x)]
    if given[0][1].dtype.kind not in ("int", "uint", "bool"):
        raise ArgumentTypeError(f"bincount needs a lazy array of integers, got {_kind(x)}.")
    if index(minlength) < 0:
        raise ArgumentError(f"bincount: minlength is a whole number from 0, not {minlength!r}.")
    if weights is not None:
        frame, value = _number("bincount", weights)
        given.append((frame, cast(value, FLOAT64)))
    frame, values = align("count", given)
    counted = Bincount(projected(frame, values), index(minlength))
    return pdarray(counted, counted.count)


def _counted(
    name: str, sample: Sequence[Any], bins: Sequence[int], ranges: Sequence[Range]
) -> tuple[pdarray, list[pdarray]]:
    frame, values = align(name, [_number(name, item) for item in sample])
    searched = tuple(value for value, bounds in zip(values, ranges, strict=True) if bounds is None)
    edges = tuple(
        Edges(frame, value, _bins(name, count), _bounds(name, bounds), searched if bounds is None else ())
        for value, count, bounds in zip(values, bins, ranges, strict=True)
    )
    counted = Histogram(edges)
    return pdarray(counted, counted.count), [pdarray(item, item.edge) for item in edges]


def _number(name: str, item: Any) -> tuple[Any, Any]:
    """Return numbers as frame and value, integers of any size or with missing rows as floats."""
    if not isinstance(item, pdarray):
        raise UnfitArgumentError(f"{name} needs lazy arrays of numbers, got {_kind(item)}.")
    value = as_floats(item._value)
    return item._frame, cast(value, FLOAT64) if value.dtype.kind == "bigint" else value


def _kind(item: Any) -> str:
    return item._describe() if isinstance(item, Array) else type(item).__name__


def _bins(name: str, bins: int) -> int:
    if index(bins) < 1:
        raise ArgumentError(f"{name}: bins is a whole number from 1, not {bins!r}.")
    return index(bins)


def _bounds(name: str, bounds: Range) -> Range:
    if bounds is None:
        return None
    low, high = map(float, bounds)
    if not low <= high:
        raise ArgumentError(f"{name}: the range {bounds!r} does not ascend.", hint="pass range=(low, high).")
    return low, high
