"""Joins give more rows than they were given; what is computed of these must have room for all of them."""

from __future__ import annotations

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak

KEYS = st.lists(st.integers(0, 2), min_size=1, max_size=9).map(np.array)
HOW = st.sampled_from(["inner", "left", "right", "outer"])


@st.composite
def joined(draw):
    """The lazy and the plain join of two tables whose keys come several times."""
    how, plain = draw(HOW), []
    for payload in ("x", "y"):
        keys = draw(KEYS)
        values = draw(st.lists(st.integers(-4, 4), min_size=len(keys), max_size=len(keys)))
        plain.append(pd.DataFrame({"k": keys, payload: np.array(values) * 2.0**40}))
    left, right = (ak.DataFrame({name: ak.array(side[name].to_numpy()) for name in side}) for side in plain)
    return ak.merge(left, right, on="k", how=how), plain[0].merge(plain[1], on="k", how=how)


@given(joined())
def test_they_are_sorted(both):
    found, plain = both
    for name in ("k", "x", "y"):
        order = ak.argsort(found[name]).to_ndarray()
        assert sorted(order) == list(range(len(plain)))
        np.testing.assert_array_equal(found[name].to_ndarray()[order], np.sort(plain[name].to_numpy()))
        np.testing.assert_array_equal(ak.sort(found[name]).to_ndarray(), np.sort(plain[name].to_numpy()))


@given(joined())
def test_they_are_put_in_order_with_all_their_columns(both):
    found, plain = both
    wanted = plain.sort_values(["y", "x", "k"]).to_numpy()
    np.testing.assert_array_equal(found.sort_values(["y", "x", "k"]).to_pandas()[["k", "x", "y"]].to_numpy(), wanted)


@given(joined(), st.sampled_from(["k", "x", "y"]))
def test_they_are_grouped(both, key):
    found, plain = both
    keys, sizes = ak.GroupBy(found[key]).size()
    wanted = plain.groupby(key).size()
    assert (keys.tolist(), sizes.tolist()) == (wanted.index.tolist(), wanted.tolist())
