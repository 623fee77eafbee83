import warnings

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AlignmentError, ArgumentTypeError
from akdask.testing.strategies import partitioned

X = np.array([3.0, -1.0, 4.0, 1.5, 9.0])
Y = np.array([2, 7, 1, 8, 2])


@pytest.fixture
def pair():
    return partitioned(X, [2, 0, 3]), partitioned(Y, [2, 0, 3])


def test_covariance_and_correlation_are_numpys(pair):
    x, y = pair
    for found in (ak.cov(x, y), x.cov(y), ak.cov(y, x)):
        assert isinstance(found, np.float64)
        assert found == pytest.approx(np.cov(X, Y)[0, 1])
    for found in (ak.corr(x, y), x.corr(y)):
        assert found == pytest.approx(np.corrcoef(X, Y)[0, 1])
    assert ak.cov(x, x) == pytest.approx(X.var(ddof=1))
    assert ak.corr(y > 3, y) == pytest.approx(np.corrcoef(Y > 3, Y)[0, 1])


def test_what_does_not_vary_has_no_correlation():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(ak.corr(ak.ones(3), ak.arange(3)))
        assert np.isnan(ak.cov(ak.array([1.0]), ak.array([2.0])))


def test_products_are_summed(pair):
    x, y = pair
    assert ak.dot(x, y) == X.dot(Y)
    assert ak.dot(y, y).dtype == np.int64
    assert ak.dot(y, 3).tolist() == (Y * 3).tolist()
    assert ak.dot(2, y).tolist() == (Y * 2).tolist()
    assert ak.dot(2, 3) == 6
    assert ak.dot(y > 3, y > 7).dtype == np.bool_
    assert bool(ak.dot(y > 3, y > 7)) is bool(np.dot(Y > 3, Y > 7))
    unsigned = np.arange(5, dtype="uint64")
    assert ak.dot(ak.array(unsigned), ak.array(Y)).dtype == np.float64


def test_arrays_that_are_no_pair_are_refused(pair):
    for function in (ak.cov, ak.corr, ak.dot):
        with pytest.raises(AlignmentError):
            function(pair[0], ak.arange(3))
    for function in (ak.cov, ak.corr):
        for wrong in ([1, 2], ak.array(["a"] * 5)):
            with pytest.raises(ArgumentTypeError):
                function(wrong, pair[0])
