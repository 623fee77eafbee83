import gc
import weakref

import numpy as np
import pytest

import akdask as ak
from akdask.testing.memory import MemorySource


@pytest.mark.parametrize("operation", [ak.argsort, lambda x: x[ak.array([1, 2])], lambda x: ak.GroupBy(x).sum(x)[1]])
def test_what_rows_were_read_from_is_freed_with_the_last_reference(operation):
    x = MemorySource({"x": np.arange(12) % 5}, [4, 0, 3, 5]).arrays()["x"]
    source = weakref.ref(x._frame)
    gc.disable()
    try:
        operation(x).tolist()
        del x
        assert source() is None
    finally:
        gc.enable()


def test_many_partitions_are_joined_before_slices_are_handed_over(monkeypatch):
    monkeypatch.setattr("akdask.engine.tuning.MOST_SLICES", 4)
    monkeypatch.setattr("akdask.engine.tuning.FEWEST_SLICED_GROUPS", 4)
    values = np.random.default_rng(0).permutation(3000)
    parts = ak.concatenate([ak.array(part) for part in np.split(values, 60)])
    assert np.array_equal(ak.sort(parts).to_ndarray(), np.arange(3000))
    assert np.array_equal(parts.argsort().to_ndarray(), np.argsort(values))
