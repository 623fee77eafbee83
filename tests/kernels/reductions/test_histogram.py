from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from akdask.kernels.reductions.histogram import bin_edges, count_in_any_bins, count_in_bins

FLOATS = arrays("f8", st.integers(0, 40), elements=st.floats(-2, 2) | st.just(np.nan))
INTEGERS = arrays("i8", st.integers(0, 40), elements=st.integers(-3, 3))


@given(FLOATS | INTEGERS, st.sampled_from([0.1, 1.0, 2.0]), st.integers(1, 12))
def test_bins_of_equal_width_are_counted_as_any_bins_are(column, high, bins):
    edges = bin_edges(-1, high, bins)
    assert np.array_equal(count_in_bins([column], [edges]), count_in_any_bins([column], [edges]))
