"""Elements by strides: NumPy's views are the reference."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from akdask.operators.values.lookup import strided, strided_positions

LENGTHS = st.integers(1, 4)


@given(st.data(), st.lists(st.tuples(LENGTHS, st.sampled_from([-3, -1, 0, 1, 2, 7])), min_size=1, max_size=4))
def test_any_run_of_an_arrangement_is_that_of_a_view(data, pairs):
    shape, strides = (tuple(part) for part in zip(*pairs, strict=True))
    offset = 60
    table = np.arange(200) * 1.5
    expected = as_strided(table[offset:], shape, [8 * stride for stride in strides]).ravel()
    start = data.draw(st.integers(0, expected.size))
    rows = np.arange(start, data.draw(st.integers(start, expected.size)))
    params = {"shape": shape, "strides": strides, "offset": offset}
    np.testing.assert_array_equal(table[strided_positions(rows, **params)], expected[rows])
    np.testing.assert_array_equal(strided(table, rows, **params), expected[rows])
    out = np.empty(len(rows))
    assert strided(table, rows, out=out, **params) is out
    np.testing.assert_array_equal(out, expected[rows])


def test_rows_in_any_order_are_found_by_position():
    rows = np.array([5, 0, 0, 3])
    assert strided(np.arange(10, 16), rows, shape=(3, 2), strides=(1, 3), offset=0).tolist() == [15, 10, 10, 14]
