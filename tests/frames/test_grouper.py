"""Bins of time among keys of groups, and bins of the rows of each group: pandas is the reference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, MissingColumnError
from tests.covering import in_turns

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
    if isinstance(found, pd.DataFrame):
        # Integers beside missing ones, which pandas has as floats.
        expected = expected.astype({name: "Int64" for name, dtype in found.dtypes.items() if dtype == "Int64"})
    check = pd.testing.assert_series_equal if isinstance(expected, pd.Series) else pd.testing.assert_frame_equal
    check(found, expected, check_freq=False)


@pytest.mark.sampled(one_of=2)
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


@pytest.mark.sampled(one_of=2)
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


@pytest.fixture
def labelled(wanted):
    return wanted.dropna(subset="t").astype({"x": float}).set_index("t")


EACH = ["D", "2D", "5h", "7h", "W", "W-WED", "MS", "ME", "B", "QE-NOV", "YS"]


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("rule", EACH)
@pytest.mark.parametrize("how", ["sum", "mean", "count", "max", "first", "last", "nunique"])
def test_each_group_has_bins_from_its_first_to_its_last(wanted, rule, how):
    df = ak.DataFrame(wanted)
    columns = ["x"] if how in ("max", "first", "last") else ["x", "n"]
    found = getattr(df.groupby("k").resample(rule, on="t")[columns], how)()
    expected = getattr(wanted.groupby("k").resample(rule, on="t")[columns], how)()
    same(found, expected.reset_index())
    same(getattr(df.groupby("k").resample(rule, on="t").x, how)(), expected["x"])


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(
    ("rule", "origin", "sides"),
    in_turns(
        ["7h", "2D", "12h", "D"],
        [{}, {"origin": "epoch"}, {"origin": "start"}, {"offset": "1h"}],
        turning=[{"closed": "right"}, {"label": "right"}, {"closed": "right", "label": "right"}],
    ),
)
def test_bins_of_groups_begin_where_those_of_pandas_do(labelled, rule, sides, origin):
    df = ak.DataFrame(labelled)
    found = df.groupby("k").resample(rule, **sides, **origin)["n"].sum()
    same(found, labelled.groupby("k").resample(rule, **sides, **origin)["n"].sum())
    found = df.groupby("k")["n"].resample(rule, **sides, **origin).count()
    same(found, labelled.groupby("k")["n"].resample(rule, **sides, **origin).count())


def test_bins_of_groups_are_reduced_by_several_names(labelled):
    df = ak.DataFrame(labelled.assign(j=labelled["n"] % 2))
    wanted = labelled.assign(j=labelled["n"] % 2)
    ours, theirs = df.groupby(["k", "j"]).resample("MS"), wanted.groupby(["k", "j"]).resample("MS")
    same(ours.agg({"x": "sum", "n": "max"}), theirs.agg({"x": "sum", "n": "max"}).reset_index())
    same(ours.size(), theirs.size())
    same(ours.x.sum(min_count=1), theirs.x.sum(min_count=1))
    assert ours.ngroups == len(theirs.size())


@pytest.mark.parametrize(
    "ask",
    [
        lambda groups: groups.resample("2ME", on="t"),
        lambda groups: groups.resample("MS", on="t", closed="right"),
        lambda groups: groups.resample("7h", on="t", origin="end"),
        lambda groups: groups.resample("D", on="t").agg(lambda rows: 1),
        lambda groups: groups.resample("D", on="t").ffill(),
        lambda groups: groups.resample("D", on="t").get_group("a"),
        lambda groups: iter(groups.resample("D", on="t")),
    ],
)
def test_bins_of_groups_that_only_pandas_has_are_refused_with_what_to_do(wanted, ask):
    with pytest.raises(NotImplementedError, match="Hint") as refused:
        ask(ak.DataFrame(wanted).groupby("k"))
    assert isinstance(refused.value, AkdaskError)
