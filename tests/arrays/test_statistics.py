import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import AlignmentError, ArgumentTypeError
from akdask.testing import assert_equal
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


@given(st.lists(st.integers(-50, 50), min_size=3, max_size=20))
def test_skewness_is_that_of_moments(numbers):
    plain = np.array(numbers, float)
    distances = plain - plain.mean()
    with np.errstate(all="ignore"):
        wanted = (distances**3).mean() / (distances**2).mean() ** 1.5
        corrected = np.sqrt(len(plain) * (len(plain) - 1)) / (len(plain) - 2) * wanted
    np.testing.assert_allclose(ak.skew(ak.array(plain)), wanted, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(ak.skew(ak.array(plain), bias=False), corrected, rtol=1e-9, atol=1e-12)


def test_skewness_needs_numbers_that_differ():
    assert np.isnan(ak.skew(ak.array([2, 2, 2])))
    assert np.isnan(ak.skew(ak.array([2])))
    with pytest.raises(ArgumentTypeError, match="skew takes"):
        ak.skew([1, 2])


def test_next_floats_and_products_with_logarithms():
    x, y = np.array([1.0, 0.0, -1.0, np.inf]), np.array([2.0, -1.0, -1.0, 0.0])
    assert_equal(ak.nextafter(ak.array(x), ak.array(y)), np.nextafter(x, y), lazy=True)
    assert_equal(ak.nextafter(1.0, ak.array(y)), np.nextafter(1.0, y))
    assert_equal(ak.xlogy(ak.array([0, 0, 2]), ak.array([0.0, np.nan, 1.0])), [0.0, np.nan, 0.0], lazy=True)


def test_the_next_float_of_a_number_is_a_number():
    assert ak.nextafter(1, 2) == np.nextafter(1.0, 2.0)


@pytest.mark.parametrize("method", ["linear", "lower", "hazen"])
def test_several_quantiles_of_dimensions_are_along_the_first_one_and_floats(method):
    items = np.array([[1, 2, 9], [5, 3, 4]])
    for axis in (0, 1):
        found = ak.quantile(ak.array(items), [0.4, 0.6], axis=axis, method=method)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found.to_ndarray(), np.quantile(items, [0.4, 0.6], axis=axis, method=method))
        assert ak.quantile(ak.array(items), 0.4, axis=axis, method=method).dtype == np.float64
