"""Slices of rows that were taken at positions are those of NumPy, and few of them are read alone."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.operators.rows import tuning


@pytest.fixture(params=[1, 64], ids=["few", "many"], autouse=True)
def few_wanted(request, monkeypatch):
    """Take rows alone where they are fewer than all, or a 64th of all."""
    monkeypatch.setattr(tuning, "FEW_WANTED", request.param)


@given(
    positions=st.lists(st.integers(-20, 19), min_size=1, max_size=40), start=st.none() | st.integers(-50, 50),
    stop=st.none() | st.integers(-50, 50), step=st.sampled_from([None, 1, 2, -1, -3]),
)  # fmt: skip
@settings(max_examples=40)
def test_slices_of_taken_rows_are_those_of_numpy(positions, start, stop, step):
    numbers, text = np.arange(20) * 3, np.array([f"{number}" for number in range(20)])
    part = slice(start, stop, step)
    at = ak.array(positions)
    assert ak.array(numbers)[at][part].tolist() == numbers[positions][part].tolist()
    assert ak.array(text)[at][part].tolist() == text[positions][part].tolist()
    both = ak.array(numbers)[at] + ak.arange(len(positions))
    assert both[part].tolist() == (numbers[positions] + np.arange(len(positions)))[part].tolist()


@pytest.mark.lazy_only
@pytest.mark.few_rows_only
def test_few_of_the_taken_rows_of_a_frame_are_read_alone(few_wanted, tmp_path):
    rows = pd.DataFrame({"x": np.arange(1000), "s": [f"{number}" for number in range(1000)]})
    rows.to_parquet(tmp_path / "rows.parquet")
    lazy = ak.DataFrame(ak.read_parquet(str(tmp_path / "rows.parquet")))
    positions = np.random.default_rng(1).permutation(1000)
    few = lazy.take(positions).head(5)
    assert "pick take" in str(few.explain())
    pd.testing.assert_frame_equal(few.to_pandas(), rows.take(positions[:5]), check_dtype=False)
