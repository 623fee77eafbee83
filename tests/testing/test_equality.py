import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import akdask as ak
from akdask.testing import assert_equal


def fails(left, right, match, **options):
    with pytest.raises(AssertionError, match=match):
        assert_equal(left, right, **options)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (np.array([1, 2]), np.array([1, 2])),
        (np.array([1.0, np.nan]), pd.Series([1.0, np.nan])),
        (np.array([0.0]), np.array([-0.0])),
        (np.array(["a", "bc"]), pa.array(["a", "bc"], pa.large_string())),
        (np.array(["a", "bc"]), pd.Series(["a", "bc"])),
        (np.array(["a", "bc"], dtype="<U9"), pd.Categorical(["a", "bc"])),
        (np.array([], dtype=str), np.array([], dtype="<U5")),
        (np.int64(3), np.array(3)),
        ([1, 2], range(1, 3)),
        ({"x": np.array([1])}, pd.DataFrame({"x": [1]})),
    ],
)
def test_equal_things_of_any_kind_pass(left, right):
    assert_equal(left, right)
    assert_equal(right, left)


def test_lazy_arrays_equal_what_numpy_computes():
    assert_equal(ak.arange(5) * 2, np.arange(5) * 2)
    assert_equal(ak.array(["a", "é"]), np.array(["a", "é"]))
    assert_equal(ak.arange(5).sum(), np.int64(10))


def test_one_wrong_element_is_named():
    fails(ak.array([1, 5, 3]), np.array([1, 2, 3]), r"1 of 3 elements differ.\n  \[1\]: 5 != 2")


def test_order_matters():
    fails(np.array([1, 2]), np.array([2, 1]), "2 of 2 elements differ")


def test_nan_does_not_equal_a_number():
    fails(np.array([np.nan]), np.array([0.0]), "nan != 0.0")


def test_dtypes_are_compared_unless_told_otherwise():
    fails(np.array([1, 2]), np.array([1.0, 2.0]), "dtype is int64, not float64")
    assert_equal(np.array([1, 2]), np.array([1.0, 2.0]), check_dtype=False)


def test_strings_do_not_equal_numbers_even_if_dtypes_are_left_out():
    fails(np.array(["1"]), np.array([1]), "1 of 1 elements differ", check_dtype=False)


def test_lists_have_no_dtype():
    assert_equal(np.array([1, 2], dtype=np.uint64), [1, 2])


def test_lengths_of_arrays_are_compared():
    fails(np.array([1, 2]), np.array([1, 2, 3]), r"shape is \(2,\), not \(3,\)")


def test_tables_differ_by_names_order_and_column():
    fails({"x": [1]}, {"y": [1]}, r"columns are \['x'\], not \['y'\]")
    fails({"x": [1], "y": [2]}, {"y": [2], "x": [1]}, "columns are")
    fails({"x": [1], "y": [2]}, {"x": [1], "y": [3]}, "column 'y': 1 of 1 elements differ")
    fails({"x": [1]}, np.array([1]), "left is a table")
    fails(np.array([1]), {"x": [1]}, "right is a table")


def test_laziness_is_demanded_where_asked():
    assert_equal(ak.arange(3), [0, 1, 2], lazy=True)
    assert_equal(np.arange(3), [0, 1, 2], lazy=False)
    fails(np.arange(3), [0, 1, 2], "left is in memory: ndarray", lazy=True)
    fails(ak.arange(3), [0, 1, 2], "left is lazy: pdarray", lazy=False)


def test_partition_lengths_are_demanded_where_asked():
    joined = ak.concatenate([ak.arange(2), ak.arange(0), ak.arange(1)])
    assert_equal(joined, [0, 1, 0], lengths=[2, 0, 1])
    fails(joined, [0, 1, 0], r"partition lengths are \[2, 0, 1\], not \[3\]", lengths=[3])
    assert_equal(joined[joined == 0], [0, 0], lengths=[1, 0, 1])
