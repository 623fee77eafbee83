"""Few keys that are far apart are numbered while rows are read; what comes out is what sorting all rows gives."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.operators.group import strategies

ROWS = 200_000
REDUCTIONS = ("sum", "mean", "min", "var", "count", "median", "nunique", "first", "std")


def keys(kind, random):
    wide = random.integers(-(2**62), 2**62, 700)
    match kind:
        case "int64":
            return random.choice(wide, ROWS)
        case "uint64":
            return random.choice(wide.astype(np.uint64), ROWS)
        case "float64":
            return random.choice(np.append(random.random(700), [0.0, np.inf, -np.inf]), ROWS)
        case "more and more":  # too many from some block on
            return np.where(np.arange(ROWS) < 60_000, random.choice(wide, ROWS), random.integers(0, 2**62, ROWS))
    return random.choice(wide[:30], ROWS)


@pytest.mark.parametrize("kind", ["int64", "uint64", "float64", "more and more"])
def test_few_keys_far_apart_are_reduced_as_in_pandas(kind):
    random = np.random.default_rng(7)
    plain = pd.DataFrame({"k": keys(kind, random), "v": random.integers(-9, 9, ROWS)})
    parts = np.array_split(np.arange(ROWS), 3)
    lazy = ak.DataFrame(
        {name: ak.concatenate([ak.array(plain[name].to_numpy()[at]) for at in parts]) for name in plain}
    )
    wanted = plain.groupby("k", as_index=False).agg(**{name: ("v", name) for name in REDUCTIONS})
    for names in (REDUCTIONS, REDUCTIONS[:2]):
        found = lazy.groupby("k", as_index=False).agg(**{name: ("v", name) for name in names}).to_pandas()
        pd.testing.assert_frame_equal(found, wanted[["k", *names]], check_dtype=False)


def test_several_keys_far_apart_are_one_key():
    random = np.random.default_rng(8)
    plain = pd.DataFrame({
        "a": keys("few", random), "b": keys("few", random) / 2**70, "c": random.choice(["x", "yy", "z"], ROWS),
        "d": random.integers(0, 4, ROWS), "v": random.random(ROWS),
    })  # fmt: skip
    by = ["a", "b", "c", "d"]
    lazy = ak.DataFrame(dict(plain.items()))
    found = lazy.groupby(by, as_index=False).agg(v=("v", "sum"), n=("v", "size")).to_pandas()
    wanted = plain.groupby(by, as_index=False).agg(v=("v", "sum"), n=("v", "size"))
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False)


@pytest.mark.parametrize("how", ["sum", "mean", "var", "prod"])
def test_floats_are_added_up_in_the_same_order_whether_keys_are_numbered_or_sorted(how, monkeypatch):
    random = np.random.default_rng(9)
    key, values = keys("int64", random), random.normal(size=ROWS) * 10.0 ** random.integers(-5, 5, ROWS)

    def found():
        lazy = ak.DataFrame({"k": ak.array(key), "v": ak.array(values)})
        return lazy.groupby("k", as_index=False).agg(found=("v", how))["found"].to_ndarray()

    numbered = found()
    monkeypatch.setattr(strategies, "are_too_many", lambda values, most: True)
    assert numbered.tobytes() == found().tobytes()
    np.testing.assert_allclose(numbered, pd.Series(values).groupby(key).agg(how), rtol=1e-9)


@pytest.mark.parametrize("distinct", [30, 900])
def test_keys_whose_combinations_are_many_are_numbered_widest_first(distinct):
    random = np.random.default_rng(distinct)
    wide = random.choice(2_000, distinct, replace=False)
    plain = pd.DataFrame({
        "a": random.choice(wide, ROWS) - 100, "b": random.choice(wide, ROWS), "c": random.integers(0, 3, ROWS),
        "v": random.random(ROWS),
    })  # fmt: skip
    lazy = ak.DataFrame(dict(plain.items()))
    for by in (["a", "b"], ["c", "b", "a"], ["b", "c"]):
        found = lazy.groupby(by, as_index=False).agg(v=("v", "max"), n=("v", "size")).to_pandas()
        wanted = plain.groupby(by, as_index=False).agg(v=("v", "max"), n=("v", "size"))
        pd.testing.assert_frame_equal(found, wanted, check_dtype=False)
