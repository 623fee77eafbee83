import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak


@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.randoms(use_true_random=False), st.integers(1, 100))
def test_values_of_segments_are_repeated_on_their_rows(lengths, random, small_array):
    nrows = sum(lengths)
    permutation = list(range(nrows))
    random.shuffle(permutation)
    with ak.config.set(small_array=small_array):
        segments = ak.array(np.cumsum(lengths) - lengths)
        for values in (np.arange(len(lengths)) * 1.5, np.array([f"v{number}" for number in range(len(lengths))])):
            lazy = ak.array(values)
            if not nrows:
                with pytest.raises(ValueError, match="for 0 rows"):
                    ak.broadcast(segments, lazy, nrows)
                continue
            grouped = np.repeat(values, lengths)
            assert ak.broadcast(segments, lazy, nrows).tolist() == grouped.tolist()
            wanted = np.empty_like(grouped)
            wanted[permutation] = grouped
            assert ak.broadcast(segments, lazy, permutation=ak.array(permutation)).tolist() == wanted.tolist()


def test_a_groupby_has_segments_and_a_permutation():
    keys, values = ak.array([5, 3, 5, 3, 9]), ak.array([1, 2, 3])
    groups = ak.GroupBy(keys)
    assert ak.broadcast(groups.segments, values, permutation=groups.permutation).tolist() == [2, 1, 2, 1, 3]


def test_segments_without_rows_or_values_are_refused():
    segments, values = ak.array([0, 2]), ak.array([1, 2])
    for wrong in (
        lambda: ak.broadcast(segments, ak.arange(3), 5),
        lambda: ak.broadcast(segments[:0], values[:0], 5),
        lambda: ak.broadcast(segments, values),
        lambda: ak.broadcast(segments, values, 0),
    ):
        with pytest.raises(ValueError, match="broadcast") as caught:
            wrong()
        assert isinstance(caught.value, ak.AkdaskError)
    with pytest.raises(TypeError, match="values is a lazy array"):
        ak.broadcast(segments, [1, 2], 5)
