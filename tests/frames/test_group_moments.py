"""Skewness, kurtosis, covariance and correlation of groups, beside pandas."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentTypeError

NUMBERS = st.one_of(st.none(), st.integers(-5, 5).map(float), st.floats(-1e6, 1e6, width=32))
ROWS = st.lists(st.tuples(st.integers(0, 3), NUMBERS, NUMBERS), min_size=1, max_size=40)


def _frame(rows):
    return pd.DataFrame(
        {
            "k": [key for key, *_ in rows],
            "x": np.array([np.nan if x is None else x for _, x, _ in rows]),
            "y": np.array([np.nan if y is None else y for *_, y in rows]),
        }
    )


def _near(found, wanted):
    """Compare where pandas finds a number; it knows equal values by a threshold of its own."""
    is_sure = np.isfinite(wanted)
    np.testing.assert_allclose(found[is_sure], wanted[is_sure], rtol=1e-6, atol=1e-6)


@given(ROWS)
def test_moments_are_those_of_pandas(rows):
    frame = _frame(rows)
    ours = ak.DataFrame(frame).groupby("k")
    calls = {name: ("x", name) for name in ("sem", "skew", "kurt", "last")}
    found, wanted = ours.agg(**calls).to_pandas(), frame.groupby("k").agg(**calls)
    assert found.index.tolist() == wanted.index.tolist()
    for name in calls:
        _near(found[name].to_numpy(), wanted[name].to_numpy())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@given(ROWS)
def test_pairs_are_those_of_pandas(rows):
    frame = _frame(rows)
    ours = ak.DataFrame(frame)
    groups, wanted = ours.groupby("k"), frame.groupby("k")
    _near(groups["x"].cov(ours.y).to_numpy(), wanted["x"].cov(frame.y).to_numpy())
    _near(groups["x"].corr(ours.y).to_numpy(), wanted["x"].corr(frame.y).to_numpy())


def test_a_frame_has_a_row_for_each_group_and_column():
    frame = _frame([(key % 3, float(key * 7 % 5), float(key * key % 7)) for key in range(30)])
    found = ak.DataFrame(frame).groupby("k").cov().to_pandas()
    wanted = frame.groupby("k")[["x", "y"]].cov()
    assert found["k"].tolist() == wanted.index.get_level_values(0).tolist()
    assert found["column"].tolist() == wanted.index.get_level_values(1).tolist()
    np.testing.assert_allclose(found[["x", "y"]], wanted)
    listed = ak.DataFrame(frame).groupby("k").corr(["y"]).to_pandas()
    np.testing.assert_allclose(listed["y"], 1)


@pytest.mark.parametrize("name", ["skew", "kurt", "sem", "std", "var"])
def test_groups_of_each_size_have_the_moments_of_pandas(name):
    rows = pd.DataFrame({"k": np.repeat(np.arange(1, 9), np.arange(1, 9)), "x": np.arange(36) ** 2 % 37 + 0.5})
    found, wanted = (getattr(frame.groupby("k")["x"], name)() for frame in (ak.DataFrame(rows), rows))
    np.testing.assert_allclose(found.to_numpy(), wanted.to_numpy(), rtol=1e-9)


def test_equal_values_have_no_shape():
    frame = pd.DataFrame({"k": [0] * 5, "x": [0.1] * 5, "y": [1.0, 2, 3, 4, 6]})
    ours = ak.DataFrame(frame)
    assert np.isnan(ours.groupby("k")["x"].skew().to_numpy()).all()
    assert np.isnan(ours.groupby("k")["x"].kurt().to_numpy()).all()
    assert np.isnan(ours.groupby("k")["x"].corr(ours.y).to_numpy()).all()


def test_text_has_no_moments():
    frame = ak.DataFrame({"k": [0, 1], "s": ["a", "b"], "x": [1.0, 2.0]})
    with pytest.raises(ArgumentTypeError, match="skew of groups takes numbers"):
        frame.groupby("k").agg(x=("s", "skew"))
    with pytest.raises(ArgumentTypeError, match="corr of groups takes numbers"):
        frame.groupby("k")["x"].corr(frame.s)
    assert list(frame.groupby("k").skew().columns) == ["x"]
