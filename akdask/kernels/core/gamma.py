"""The regularized incomplete gamma function, which the tail of the chi-squared distribution is.

By its power series below the mean of the distribution, and by its continued fraction above (Abramowitz and Stegun,
6.5.29 and 6.5.31).  What both are multiplied by is taken from Stirling's series where the parameter is large:
logarithms of large numbers that nearly cancel would leave few digits of it.
"""

from __future__ import annotations

import math
from itertools import count

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
