"""`idxmin` and `idxmax` of groups; the reference is pandas."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError

FULL = pd.DataFrame({"k": [1, 1, 2, 2], "x": [4.0, 7.0, 3.0, 3.0], "n": [2, 1, 5, 6]}, index=list("dcba"))
SOME = FULL.assign(x=[np.nan, 7.0, 3.0, np.nan])
NONE = FULL.assign(x=[np.nan, np.nan, 3.0, np.nan])

CALLS = [
    "groupby('k').{}()", "groupby('k').x.{}()", "groupby('k')[['x']].{}()", "groupby('k').{}(skipna=False)",
    "groupby('k').x.{}(skipna=False)", "groupby('k').n.{}(skipna=False)", "groupby('k').n.{}()",
    "groupby('k').agg(at=('x', '{}'))", "groupby('k').agg({{'x': '{}', 'n': 'sum'}})", "groupby('k').x.agg('{}')",
    "groupby('k').x.agg(['min', '{}'])",
]  # fmt: skip


ALL = FULL.assign(k=pd.Categorical(list("aabb"), list("ba")))
LACKING = FULL.assign(k=pd.Categorical(list("aabb"), list("bca")))


def test_labels_of_extremes_by_categories():
    calls = [call.replace("('k')", "('k', observed=False)") for call in CALLS]
    for (rows, how), call in product([(LACKING, "idxmin"), (LACKING, "idxmax"), (ALL, "idxmax")], calls):
        test_labels_of_extremes(rows, how, call)


@pytest.mark.parametrize("rows", [FULL, SOME, NONE], ids=["full", "some", "none"])
@pytest.mark.parametrize("how", ["idxmin", "idxmax"])
@pytest.mark.parametrize("call", CALLS)
def test_labels_of_extremes(rows, how, call):
    function = eval(f"lambda df: df.{call.format(how)}")
    lazy = function(ak.DataFrame(rows))
    try:
        wanted = function(rows)
    except ValueError:
        with pytest.raises(ArgumentError, match=how):
            lazy.to_pandas()
        return
    found = lazy.to_pandas()
    compare = pd.testing.assert_frame_equal if isinstance(wanted, pd.DataFrame) else pd.testing.assert_series_equal
    compare(found, wanted, check_dtype=False)
