"""Bins of time among keys of groups, and bins of the rows of each group: pandas is the reference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, MissingColumnError

RULES = ["D", "2D", "5h", "W", "MS", "ME", "B", "QE-NOV", "2MS"]


@pytest.fixture
def wanted():
    times = [
        "2024-01-31 05:00",
        "2023-12-30",
        "NaT",
        "2024-01-31 17:00",
        "2024-03-01",
        "2024-02-29 23:59",
        "2024-03-04",
    ]
    return pd.DataFrame(
        {
            "t": pd.DatetimeIndex(times).astype("M8[ns]"),
            "k": list("abaabba"),
            "x": [1.0, 2.0, 3.0, 4.0, np.nan, 6.0, 7.0],
            "n": range(7),
        }
    )


def same(found, expected):
    found = found.to_pandas()
    check = pd.testing.assert_series_equal if isinstance(expected, pd.Series) else pd.testing.assert_frame_equal
    check(found, expected, check_freq=False)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("sides", [{}, {"closed": "right", "label": "left"}, {"closed": "left", "label": "right"}])
def test_bins_alone_have_those_without_rows(wanted, rule, sides):
    ours, theirs = ak.Grouper(key="t", freq=rule, **sides), pd.Grouper(key="t", freq=rule, **sides)
    df = ak.DataFrame(wanted)
    same(df.groupby(ours)[["x", "n"]].sum(), wanted.groupby(theirs)[["x", "n"]].sum())
    same(df.groupby(theirs).x.mean(), wanted.groupby(theirs).x.mean())
    same(df.groupby([theirs]).x.count(), wanted.groupby([theirs]).x.count())
    same(df.groupby(ours).size(), wanted.groupby(theirs).size())
    same(df.groupby(ours, as_index=False)[["n"]].sum(), wanted.groupby(theirs, as_index=False)[["n"]].sum())


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("label", ["left", "right"])
def test_bins_among_other_keys_have_those_with_rows(wanted, rule, label):
    grouper, df = pd.Grouper(key="t", freq=rule, label=label), ak.DataFrame(wanted)
    for keys in (["k", grouper], [grouper, "k"]):
        expected = wanted.groupby(keys)[["x", "n"]].sum()
        same(df.groupby(keys)[["x", "n"]].sum(), expected.reset_index())
        same(df.groupby(keys).x.count(), wanted.groupby(keys).x.count())
        same(df.groupby(keys, dropna=False).n.sum(), wanted.groupby(keys, dropna=False).n.sum())


def test_labels_are_grouped_by_time_as_well(wanted):
    wanted = wanted.set_index("t")
    df, grouper = ak.DataFrame(wanted), pd.Grouper(freq="MS")
    same(df.groupby(grouper)[["n"]].sum(), wanted.groupby(grouper)[["n"]].sum())
    same(df.x.groupby(grouper).sum(), wanted.x.groupby(grouper).sum())
    same(df.groupby(["k", grouper]).n.max(), wanted.groupby(["k", grouper]).n.max())
    same(df.groupby(pd.Grouper(level="t", freq="W")).n.sum(), wanted.groupby(pd.Grouper(level="t", freq="W")).n.sum())


def test_a_grouper_without_a_frequency_names_a_column(wanted):
    df = ak.DataFrame(wanted)
    same(df.groupby(pd.Grouper(key="k")).n.sum(), wanted.groupby(pd.Grouper(key="k")).n.sum())
    keys = [ak.Grouper(key="k"), pd.Grouper(key="t", freq="MS")]
    same(df.groupby(keys).n.sum(), wanted.groupby(keys).n.sum())


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: ak.Grouper(key="t", freq="M"), ArgumentError),
        (lambda df: ak.Grouper(key="t", freq="D", closed="both"), ArgumentError),
        (lambda df: ak.Grouper(key="t", level=0, freq="D"), ArgumentError),
        (lambda df: ak.Grouper(key="t", freq=5), ArgumentTypeError),
        (lambda df: df.groupby(ak.Grouper(key="y", freq="D")), MissingColumnError),
        (lambda df: df.groupby(ak.Grouper(freq="D")), ArgumentTypeError),
        (lambda df: df.groupby(["k", ak.Grouper(key="x", freq="D")]), ArgumentTypeError),
        (lambda df: df.set_index("t").groupby(ak.Grouper(level=1, freq="D")), ArgumentError),
        (lambda df: df.x.groupby(ak.Grouper(key="t", freq="D")), MissingColumnError),
    ],
)
def test_groupers_that_cannot_be_are_refused(wanted, ask, error):
    with pytest.raises(error) as refused:
        ask(ak.DataFrame(wanted))
    assert isinstance(refused.value, AkdaskError)
