"""0.0 equals -0.0: which of the two stands as an extreme does not depend on partitions, order or compiler: 0.0 does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.testing.memory import MemorySource

numbers = st.lists(st.sampled_from([0.0, -0.0, 0.0, -0.0, 1.0, -1.0, float("nan")]), min_size=1, max_size=12)


@given(numbers, st.data())
def test_extremes_that_are_zeros_have_no_sign(values, data):
    rows = len(values)
    cut = data.draw(st.integers(0, rows))
    keys = data.draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    arrays = MemorySource({"k": np.array(keys), "x": np.array(values)}, [cut, rows - cut]).arrays()
    groups, array = ak.GroupBy(arrays["k"]), arrays["x"]
    series = ak.DataFrame(arrays).groupby("k")["x"]
    for found in (
        groups.min(array)[1],
        groups.max(array)[1],
        series.min(),
        series.max(),
        ak.cummin(array),
        ak.cummax(array),
    ):
        given_back = np.asarray(found.to_ndarray() if hasattr(found, "to_ndarray") else found.to_pandas())
        assert not np.signbit(given_back[given_back == 0]).any()
    for found in (array.min(), array.max()):
        assert not (found == 0 and np.signbit(float(found)))


@given(numbers, st.integers(0, 12))
def test_extremes_of_groups_are_those_of_numpy(values, cut):
    array = MemorySource({"x": np.array(values)}, [min(cut, len(values)), max(len(values) - cut, 0)]).arrays()["x"]
    one = ak.GroupBy(ak.zeros(len(values), "int64"))
    for name in ("min", "max"):
        np.testing.assert_array_equal(getattr(one, name)(array, skipna=False)[1].tolist(), [getattr(np, name)(values)])
        np.testing.assert_array_equal(float(getattr(array, name)()), getattr(np, name)(values))
