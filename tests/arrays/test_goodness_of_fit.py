"""Values are those that SciPy 1.14 gives, and those of its documentation."""

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentError, ArgumentTypeError
from akdask.testing.memory import MemorySource

OBSERVED = [16, 18, 16, 14, 12, 12]
EXPECTED = [16, 16, 16, 16, 16, 8]
POWERS = {"pearson": 1, "freeman-tukey": -0.5, "neyman": -2, "cressie-read": 2 / 3}


@pytest.fixture
def counts():
    return MemorySource({"observed": OBSERVED, "expected": EXPECTED}, [2, 0, 4]).arrays()


def test_pearsons_statistic_is_that_of_scipy(counts):
    found = ak.chisquare(counts["observed"])
    assert isinstance(found, ak.Power_divergenceResult)
    assert found == pytest.approx((2.0, 0.84914503608460956), rel=1e-12)
    assert ak.chisquare(counts["observed"], counts["expected"]) == pytest.approx((3.5, 0.62338762774958223), rel=1e-12)
    assert ak.chisquare(counts["observed"], ddof=1).pvalue == pytest.approx(0.7357588823428847, rel=1e-12)


def test_other_statistics_are_those_of_scipy(counts):
    found = ak.power_divergence(counts["observed"], lambda_="log-likelihood")
    assert found == pytest.approx((2.006573162632538, 0.84823476779463769), rel=1e-12)
    assert ak.power_divergence(counts["observed"], lambda_=0) == found
    seen, wanted = np.array(OBSERVED, float), np.array(EXPECTED, float)
    for name, power in POWERS.items():
        statistic = (seen * ((seen / wanted) ** power - 1)).sum() * 2 / (power * (power + 1))
        found = ak.power_divergence(counts["observed"], counts["expected"], lambda_=name)
        assert found.statistic == pytest.approx(statistic, rel=1e-12)
    statistic = 2 * (wanted * np.log(wanted / seen)).sum()
    found = ak.power_divergence(counts["observed"], counts["expected"], lambda_="mod-log-likelihood")
    assert found.statistic == pytest.approx(statistic, rel=1e-12)


def test_counts_of_zero_are_taken():
    assert ak.power_divergence(ak.array([0, 4]), lambda_="log-likelihood").statistic == pytest.approx(8 * np.log(2))
    assert ak.power_divergence(ak.array([0, 4]), lambda_="mod-log-likelihood").statistic == np.inf


def test_what_cannot_be_tested_is_refused(counts):
    observed = counts["observed"]
    with pytest.raises(ArgumentError, match="no statistic 'best'"):
        ak.power_divergence(observed, lambda_="best")
    with pytest.raises(ArgumentError, match="do not sum up"):
        ak.chisquare(observed, observed * 2)
    with pytest.raises(ArgumentTypeError, match="array of numbers"):
        ak.chisquare(ak.array(["a"]))
    with pytest.raises(AlignmentError):
        ak.chisquare(observed, ak.array([1, 2]))
