import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, AxisError
from akdask.testing import assert_equal
from akdask.testing.strategies import arrays, partitioned


def test_elements_are_taken_by_position():
    plain = np.array([4, 3, 5, 7, 6, 8])
    lazy = partitioned(plain, [2, 4])
    for positions in ([0, 1, 4], np.array([-1, 0]), [5, 5], np.array([], int)):
        assert_equal(ak.take(lazy, positions), np.take(plain, positions))
    assert ak.take(lazy, 2) == 5
    assert ak.take(ak.array(["a", "b"]), ak.array([1]), axis=0).tolist() == ["b"]
    with pytest.raises(AxisError):
        ak.take(lazy, [0], axis=1)
    with pytest.raises(ArgumentTypeError):
        ak.take([1, 2], [0])


@given(st.sampled_from(["int64", "uint64", "float64", "bool"]).flatmap(arrays), st.integers(0, 3))
def test_differences_are_numpys(pair, n):
    lazy, plain = pair
    with np.errstate(all="ignore"):
        wanted = np.diff(plain, n)
    np.testing.assert_array_equal(ak.diff(lazy, n).to_ndarray(), wanted)
    assert ak.diff(lazy, n).dtype == wanted.dtype


def test_differences_take_what_comes_before_and_behind():
    plain = np.array([1, 5, 2])
    lazy, edge = ak.array(plain), ak.array([7, 0])
    assert_equal(ak.diff(lazy, prepend=edge), np.diff(plain, prepend=[7, 0]))
    assert_equal(ak.diff(lazy, append=edge), np.diff(plain, append=[7, 0]))
    assert_equal(ak.diff(lazy, 2, prepend=edge, append=edge), np.diff(plain, 2, prepend=[7, 0], append=[7, 0]))
    assert_equal(ak.diff(lazy[lazy > 1]), np.diff(plain[plain > 1]))
    times = np.array(["2020-01-01", "2020-01-03"], "datetime64[ns]")
    assert isinstance(ak.diff(ak.array(times)), ak.Timedelta)
    assert ak.diff(ak.array(times)).values.tolist() == np.diff(times).astype(int).tolist()
    with pytest.raises(ArgumentError, match="whole number"):
        ak.diff(lazy, -1)
    with pytest.raises(ArgumentTypeError):
        ak.diff([1, 2])


@given(
    st.lists(st.tuples(st.integers(-9, 9), st.booleans()), min_size=1, max_size=20),
    st.lists(st.integers(-99, 99), min_size=1, max_size=25),
)
def test_values_are_put_where_numpy_puts_them(rows, values):
    plain, mask = (np.array(column) for column in zip(*rows, strict=True))
    for dtype in ("int64", "float64"):
        wanted = plain.astype(dtype)
        lazy = partitioned(plain.astype(dtype), [len(plain) // 2, len(plain) - len(plain) // 2])
        before = lazy + 0
        np.putmask(wanted, mask, values)
        ak.putmask(lazy, ak.array(mask), ak.array(values))
        assert_equal(lazy, wanted)
        assert_equal(before, plain.astype(dtype))


@pytest.mark.lazy_only
def test_values_that_do_not_fit_are_not_put():
    a, mask = ak.arange(3), ak.array([True, False, True])
    ak.putmask(a, mask, 7)
    assert a.tolist() == [7, 1, 7]
    with pytest.raises(ArgumentTypeError, match="cannot assign str"):
        ak.putmask(a, mask, ak.array(["x", "y", "z"]))
    with pytest.raises(RuntimeError, match="no floats into an array of int64"):
        ak.putmask(a, mask, ak.array([0.0, 0.0, 0.5]))
    with pytest.raises(ArgumentError, match="at least one value"):
        ak.putmask(a, mask, ak.arange(0))
    with pytest.raises(RuntimeError, match="a mask as long"):
        ak.putmask(a, mask[:2], ak.arange(3))
    with pytest.raises(ArgumentTypeError):
        ak.putmask([1], mask, ak.arange(3))
    words = ak.array(["a", "b", "c"])
    ak.putmask(words, mask, ak.array(["x", "y"]))
    assert words.tolist() == ["x", "b", "x"]
