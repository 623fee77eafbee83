"""`clip` of integers is pandas', type included: it depends on whether a bound that is no integer replaces values."""

from __future__ import annotations

import numpy as np
import pandas
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import akdask.pandas as pd
from akdask import config
from akdask.pandas.clip_forms import clip
from tests.pandas_face.compare import difference

WIDE = [2**53, 2**53 + 1, 2**53 + 3, -(2**60), 2**62 + 1, 5]
BOUNDS = [None, 0, 2, -1, 0.5, 2.0, 2.5, 3.5, -1.5, np.inf, -np.inf, np.nan, 1e300, -1e300, 2.0**53, 2**53, 2.0**60]


def held(rows):
    made = (pd.DataFrame if isinstance(rows, pandas.DataFrame) else pd.Series)(rows)
    return type(made)._of(made.lazy(), None)


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@example(values=WIDE, dtype="int64", lower=None, upper=2.0**53)
@example(values=WIDE, dtype="int64", lower=-1e300, upper=1e300)
@example(values=[1, 2, 3], dtype="uint64", lower=-1, upper=None)
@example(values=[1, 2, 3], dtype="int64", lower=3.5, upper=0.5)
@example(values=[], dtype="int64", lower=0.5, upper=1.5)
@example(values=[0], dtype="int32", lower=1e300, upper=None)
@given(
    values=st.lists(st.integers(0, 4) | st.sampled_from([2**53, 2**53 + 1, 2**62 + 1]), max_size=6),
    dtype=st.sampled_from(["int64", "uint64", "int32", "float64"]),
    lower=st.sampled_from(BOUNDS),
    upper=st.sampled_from(BOUNDS),
)
def test_bounds_of_all_kinds(values, dtype, lower, upper):
    if dtype == "int32":
        values = [value % 2**31 for value in values]
    rows = pandas.DataFrame({"n": np.array(values, np.int64).astype(dtype), "x": np.arange(len(values)) / 2 + 0.25})
    own = held(rows)
    for ours, theirs in ((own["n"], rows["n"]), (own, rows)):
        try:
            wanted = theirs.clip(lower, upper)
        except (AssertionError, ValueError) as refused:  # pandas finds no type for 1e300 among integers.
            with pytest.raises(type(refused)):
                ours.clip(lower, upper)
        else:
            assert difference(ours.clip(lower, upper), wanted) is None


@pytest.mark.parametrize(
    ("bounds", "dtype"),
    [((0.5, 3.5), "int64"), ((1.5, None), "float64"), ((None, 2.0), "int64"), ((-np.inf, 2.5), "float64")],
)
def test_integers_are_bounded_lazily(bounds, dtype):
    rows = pandas.DataFrame({"n": [1, 2, 3], "s": ["a", "b", None]})
    with config.set(pandas_fallback="error"):
        found = held(rows)["n"].clip(*bounds)
        assert found._in_memory is None
        assert found.dtype == dtype
        assert difference(found, rows["n"].clip(*bounds)) is None
    assert difference(clip(held(rows[["n"]]).lazy(), *bounds).to_pandas(), rows[["n"]].clip(*bounds)) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
@pytest.mark.parametrize("bound", [[0.5, 9.0, 9.0], [9.0, 9.0, np.nan], [2.0, 1.0, 3.0], [1, 1, 1]])
def test_columns_are_bounds(bound):
    rows = pandas.DataFrame({"n": [1, 2, 3], "x": [0.5, np.nan, 3.0], "bound": bound})
    own = held(rows)
    assert difference(own["n"].clip(upper=own["bound"]), rows["n"].clip(upper=rows["bound"])) is None
    found, wanted = (one[["n", "x"]].clip(lower=one["bound"], axis=0) for one in (own, rows))
    assert difference(found, wanted) is None


@pytest.mark.filterwarnings("ignore:.*ran in pandas")
def test_labels_of_several_levels_stay():
    rows = pandas.DataFrame({"k": [1, 1, 2], "j": list("abc"), "n": [1, 2, 3]}).set_index(["k", "j"])
    assert difference(held(rows).clip(1.5, 2), rows.clip(1.5, 2)) is None
