"""The tail of the chi-squared distribution beside its closed forms, which whole degrees of freedom have."""

import math
from decimal import Decimal, localcontext

import pytest

from akdask.arrays.statistics import chi_squared_tail

pytestmark = pytest.mark.light

RATIOS = (0.01, 0.3, 0.7, 0.9, 0.97, 1.0, 1.02, 1.1, 1.5, 3.0)


def exactly(x, degrees):
    """The tail for an even number of degrees, as a sum in 60 digits."""
    with localcontext(prec=60):
        half, term, total = Decimal(x) / 2, Decimal(1), Decimal(0)
        for number in range(degrees // 2):
            total += term
            term *= half / (number + 1)
        return total * (-half).exp()


@pytest.mark.parametrize("degrees", [2, 4, 10, 38, 40, 42, 100, 2000])
def test_the_tail_is_exact_to_twelve_digits_for_even_degrees(degrees):
    for ratio in RATIOS:
        wanted = exactly(ratio * degrees, degrees)
        if wanted > Decimal("1e-290"):
            assert abs(Decimal(chi_squared_tail(ratio * degrees, degrees)) / wanted - 1) < Decimal("1e-12")


@pytest.mark.parametrize("x", [1e-9, 0.3, 1.0, 4.0, 40.0])
def test_the_tail_of_odd_degrees_is_that_of_the_normal_distribution(x):
    normal = math.erfc(math.sqrt(x / 2))
    assert chi_squared_tail(x, 1) == pytest.approx(normal, rel=1e-12)
    density = math.sqrt(2 * x / math.pi) * math.exp(-x / 2)
    assert chi_squared_tail(x, 3) == pytest.approx(normal + density, rel=1e-12)


def test_the_ends_are_defined():
    assert chi_squared_tail(-1.0, 3) == chi_squared_tail(0.0, 3) == 1.0
    assert chi_squared_tail(math.inf, 3) == 0.0
    assert all(map(math.isnan, (chi_squared_tail(math.nan, 3), chi_squared_tail(1.0, 0), chi_squared_tail(1.0, -2))))
    assert chi_squared_tail(1e5, 3) == 0.0
