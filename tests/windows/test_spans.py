"""Windows of spans of time, and windows of groups: pandas is the reference, whatever the partitions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError, UnsupportedError

N = 40
DRAW = np.random.default_rng(3)
P = pd.DataFrame(
    {
        "t": pd.Timestamp("2026-01-01") + pd.to_timedelta(np.sort(DRAW.integers(0, 60_000, N)), unit="s"),
        "x": DRAW.normal(size=N) + 100,
        "y": np.where(DRAW.random(N) > 0.7, np.nan, DRAW.random(N)),
        "k": DRAW.integers(0, 3, N),
    }
).astype({"t": "M8[ns]"})
REDUCTIONS = ("sum", "mean", "min", "max", "var", "std", "count", "median")


@pytest.fixture
def df():
    return ak.DataFrame.concat(
        [ak.DataFrame(P[cut:end].reset_index(drop=True)) for cut, end in pairwise((0, 5, 5, 7, 8, N))]
    )


def same(found, wanted):
    found = found.to_pandas()
    check = pd.testing.assert_frame_equal if isinstance(wanted, pd.DataFrame) else pd.testing.assert_series_equal
    check(found, wanted, check_dtype=False, check_freq=False, check_index_type=False, atol=1e-8)


def test_spans_of_time_are_reduced_as_in_pandas(df):
    labelled = df.set_index("t")
    for how in REDUCTIONS:
        wanted = getattr(P.rolling("3h", on="t"), how)()
        same(getattr(df.rolling("3h", on="t"), how)(), wanted)
        least = getattr(P.set_index("t")["y"].rolling("90min", min_periods=2), how)()
        same(getattr(labelled.y.rolling(pd.Timedelta("90min"), min_periods=2), how)(), least)
    same(labelled.x.rolling("1h").quantile(0.3), P.set_index("t")["x"].rolling("1h").quantile(0.3))
    same(df.rolling("3h", on="t")["x"].agg("sum"), P.rolling("3h", on="t")["x"].sum())


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
@pytest.mark.parametrize("least", [None, 0, 2])
def test_windows_have_the_ends_that_are_closed(df, closed, least):
    given = {"min_periods": least, "closed": closed}
    # Rows a whole number of hours apart, several of them at the same time.
    hours = P.assign(t=P["t"].dt.floor("h"))
    rows = df.assign(t=df["t"].floor("h"))
    for how in REDUCTIONS:
        same(getattr(rows.rolling("3h", on="t", **given), how)(), getattr(hours.rolling("3h", on="t", **given), how)())
        for width in (1, 3):
            if least is not None and least > width:
                continue
            same(
                getattr(df[["x", "y"]].rolling(width, **given), how)(),
                getattr(P[["x", "y"]].rolling(width, **given), how)(),
            )
    same(df.x.rolling(4, center=True, closed=closed).sum(), P["x"].rolling(4, center=True, closed=closed).sum())
    wanted = P.groupby("k").rolling(3, min_periods=1, closed=closed)[["x", "y"]].sum()
    found = df.groupby("k").rolling(3, min_periods=1, closed=closed)[["x", "y"]].sum()
    same(found, wanted.reset_index(level=0, drop=True).sort_index())


def in_order(wanted):
    """Return what pandas finds of groups on the rows of the frame."""
    wanted = wanted.reset_index(drop=True)
    wanted.index = P.sort_values("k", kind="stable").index
    return wanted.sort_index()


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("closed", [None, "right", "left", "both", "neither"])
@pytest.mark.parametrize("how", ["sum", "max", "median", "count"])
def test_windows_have_their_row_in_the_middle_where_it_is_asked_for(df, closed, how):
    given = {"center": True, "closed": closed}
    for window, rest in (("3h", {}), ("90min", {"min_periods": 2}), ("1s", {"min_periods": 0})):
        wanted = getattr(P.drop(columns="k").rolling(window, on="t", **given, **rest), how)()
        same(getattr(df[["t", "x", "y"]].rolling(window, on="t", **given, **rest), how)(), wanted)
        groups, found = (each.groupby("k").rolling(window, on="t", **given, **rest) for each in (P, df))
        same(getattr(found[["x", "y"]], how)(), in_order(getattr(groups[["x", "y"]], how)()))
    for width, least in ((1, 0), (3, None), (4, 2)):
        groups, found = (each.groupby("k").rolling(width, least, **given) for each in (P, df))
        same(getattr(found[["x", "y"]], how)(), in_order(getattr(groups[["x", "y"]], how)()))
        both = [getattr(each[["x", "y"]].rolling(width, least, step=3, **given), how)() for each in (df, P)]
        same(*both)
    same(df.rolling(3, on="t").sum(), P.rolling(3, on="t").sum())


def test_windows_take_the_columns_of_numbers_alone_where_asked_to(df):
    text = P.assign(s="a", b=True)
    rows = df.assign(s=ak.array(["a"] * N), b=ak.array([True] * N))
    for name, given in (("rolling", (3,)), ("expanding", ()), ("ewm", (2,))):
        plain, found = (getattr(each[["x", "s", "b", "y"]], name)(*given) for each in (text, rows))
        same(found.mean(numeric_only=True), plain.mean(numeric_only=True))
        same(found["x"].mean(), plain["x"].mean())
        same(found.y.var(), plain.y.var())
        same(found.x.agg(["mean", "std"]), plain.x.agg(["mean", "std"]))
        with pytest.raises(ArgumentTypeError, match="s: "):
            found.mean()
    same(df.groupby("k").ewm(2)[["x"]].var(bias=True), in_order(P.groupby("k").ewm(2)[["x"]].var(bias=True)))
    same(df.groupby("k").rolling(3)[["x"]].quantile(0.3), in_order(P.groupby("k").rolling(3)[["x"]].quantile(0.3)))


@pytest.mark.parametrize("given", [{}, {"com": 2}, {"com": 2, "ignore_na": True}, {"adjust": False}])
def test_weights_decay_with_time_as_in_pandas(df, given):
    # Where alpha is 0.5, pandas has other weights than it documents for values that are missing.
    names = ["x", "y"] if "com" in given else ["x"]
    for halflife in ("2h", pd.Timedelta("90min")):
        wanted = P[names].ewm(halflife=halflife, times=P["t"], **given).mean()
        same(df[names].ewm(halflife=halflife, times=df["t"], **given).mean(), wanted)
        wanted = P.groupby("k")[names].ewm(halflife=halflife, times=P["t"], **given).mean()
        same(df.groupby("k")[names].ewm(halflife=halflife, times=df.t, **given).mean(), in_order(wanted))


def test_windows_of_groups_have_the_rows_of_the_frame(df):
    for how in REDUCTIONS:
        for args in ((3,), (3, 1)):
            wanted = getattr(P.groupby("k").rolling(*args)[["x", "y"]], how)()
            found = getattr(df.groupby("k").rolling(*args)[["x", "y"]], how)()
            same(found, wanted.reset_index(level=0, drop=True).sort_index())
        wanted = getattr(P.groupby("k").rolling("2h", on="t")[["x", "y"]], how)().reset_index(drop=True)
        wanted.index = P.sort_values("k", kind="stable").index
        same(getattr(df.groupby("k").rolling("2h", on="t"), how)()[["x", "y"]], wanted.sort_index())
    same(df.groupby("k")["x"].rolling(2).sum(), P.groupby("k")["x"].rolling(2).sum().droplevel(0).sort_index())


def test_expanding_windows_of_groups_begin_with_each(df):
    for how in REDUCTIONS[:-1]:
        for least in (1, 3):
            wanted = getattr(P.groupby("k")[["x", "y"]].expanding(least), how)().droplevel(0).sort_index()
            same(getattr(df.groupby("k")[["x", "y"]].expanding(least), how)(), wanted)


@pytest.mark.parametrize(
    "given",
    [
        {"span": 5}, {"com": 3.5, "min_periods": 3}, {"alpha": 0.3, "adjust": False}, {"alpha": 0.3, "ignore_na": True},
        {"alpha": 0.3, "adjust": False, "ignore_na": True}, {"alpha": 1},
    ],
)  # fmt: skip
def test_decaying_windows_are_reduced_as_in_pandas(df, given):
    for how in ("mean", "var", "std", "sum"):
        if how == "sum" and not given.get("adjust", True):
            continue
        same(getattr(df[["x", "y"]].ewm(**given), how)(), getattr(P[["x", "y"]].ewm(**given), how)())
        wanted = getattr(P.groupby("k")[["x", "y"]].ewm(**given), how)().droplevel(0).sort_index()
        same(getattr(df.groupby("k")[["x", "y"]].ewm(**given), how)(), wanted)
    same(df.x.ewm(**given).var(bias=True), P["x"].ewm(**given).var(bias=True))


def test_rows_in_no_group_are_missing():
    plain = pd.DataFrame({"k": [1.0, np.nan, 1.0], "x": [1.0, 2.0, 4.0]})
    groups = ak.DataFrame(plain).groupby("k")
    assert groups.rolling(2, 1).sum().to_pandas()["x"].tolist()[::2] == [1.0, 5.0]
    assert np.isnan(groups.expanding().sum().to_pandas()["x"][1])
    assert np.isnan(groups.ewm(alpha=0.5).mean().to_pandas()["x"][1])


def test_windows_reach_over_rows_that_are_centuries_apart():
    # pandas' own differences wrap around here: these sums are by definition, of integers of any size.
    times = pd.DatetimeIndex(["1680-01-01", "1680-01-02", "2200-01-01", "2255-01-01", "2255-01-02"]).as_unit("ns")
    ticks = [int(tick) for tick in times.asi8]
    wanted = pd.DataFrame({"t": times, "x": np.arange(5.0)})
    for cut in (2, 3, 4):
        df = ak.DataFrame.concat([ak.DataFrame(wanted[:cut]), ak.DataFrame(wanted[cut:].reset_index(drop=True))])
        for days in (1, 2, 30_000, 100_000):
            span = days * 86_400 * 10**9
            sums = [sum(x for x, tick in enumerate(ticks[: row + 1]) if ticks[row] - tick < span) for row in range(5)]
            assert df.rolling(f"{days}D", on="t")["x"].sum().tolist() == sums


def test_windows_of_no_rows_are_none():
    empty = ak.DataFrame(P[:0])
    assert len(empty.rolling("1h", on="t").sum()) == 0
    assert len(empty.groupby("k")[["x"]].rolling(2).sum()) == 0
    assert len(empty.x.ewm(alpha=0.5).var()) == 0


def test_several_reductions_of_a_series_are_columns(df):
    same(df.x.rolling(3).agg(["min", "max"]), P["x"].rolling(3).agg(["min", "max"]))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda df: df.rolling("1h"), ArgumentTypeError),
        (lambda df: df.rolling("1h", on="x"), ArgumentTypeError),
        (lambda df: df.rolling("no time", on="t"), ArgumentError),
        (lambda df: df.rolling("-1h", on="t"), ArgumentError),
        (lambda df: df.rolling("MS", on="t"), ArgumentError),
        (lambda df: df.rolling("M", on="t"), ArgumentError),
        (lambda df: df.rolling(pd.offsets.BDay(2), on="t"), ArgumentError),
        (lambda df: df.rolling("1h", on="t", closed="up"), ArgumentError),
        (lambda df: df.rolling("1h", on="t", center=1), ArgumentError),
        (lambda df: df.rolling("1h", on="t", step=2), UnsupportedError),
        (lambda df: df.x.rolling(2, step=0), ArgumentError),
        (lambda df: df.x.rolling(2, win_type="triang"), UnsupportedError),
        (lambda df: df.x.rolling(2, method="table"), UnsupportedError),
        (lambda df: df.x.expanding(method="tables"), ArgumentError),
        (lambda df: df.x.rolling(2).quantile(0.5, "lower"), UnsupportedError),
        (lambda df: df.x.rolling(2).skew(), AttributeError),
        (lambda df: df.x.ewm(2).agg("median"), ArgumentError),
        (lambda df: df.groupby("k").rolling(2, win_type="triang"), UnsupportedError),
        (lambda df: df.groupby("k").rolling(2, min_periods=3), ArgumentError),
        (lambda df: df.groupby("k").x.rolling(2, on="t"), ArgumentError),
        (lambda df: df.x.ewm(halflife="2h"), ArgumentError),
        (lambda df: df.x.ewm(halflife=2, times=df.t), ArgumentError),
        (lambda df: df.x.ewm(com=2, halflife="2h", times=df.t, adjust=False), UnsupportedError),
        (lambda df: df.x.ewm(halflife="2h", times=df.y), ArgumentTypeError),
        (lambda df: df.x.ewm(halflife="2h", times=df.t).std(), UnsupportedError),
        (lambda df: df.x.ewm(halflife="2h", times=df.t).sum(), UnsupportedError),
        (lambda df: df[["x"]].rolling(2, closed="up"), ArgumentError),
        (lambda df: df.rolling("1h", on="t", min_periods=-1), ArgumentError),
        (lambda df: df[["x"]].rolling(3)["none"], MissingColumnError),
        (lambda df: df[["x"]].rolling(3).agg(["sum"]), ArgumentError),
        (lambda df: df.x.rolling(3).agg("mode"), ArgumentError),
        (lambda df: df.x.rolling("1h").quantile(2), ArgumentTypeError),
        (lambda df: df.set_index("t").x.rolling("1h").quantile(2), ArgumentError),
        (lambda df: df.groupby("k").rolling("1h"), ArgumentTypeError),
        (lambda df: df.groupby("k").rolling(0), ArgumentError),
        (lambda df: df.groupby("k").rolling(2).sum(), ArgumentTypeError),
        (lambda df: df.groupby("k")[["x"]].ewm(alpha=0.5).min(), ArgumentError),
        (lambda df: df.groupby("k")[["x"]].rolling(2).agg("mode"), ArgumentError),
        (lambda df: df.groupby("k")["x"].rolling(2).none, AttributeError),
        (lambda df: df.x.ewm(alpha=0.5, adjust=False).sum(), ArgumentError),
    ],
)
def test_what_has_no_windows_is_refused(call, error):
    with pytest.raises(error):
        call(ak.DataFrame(P))


def test_times_out_of_order_are_an_error_of_the_computation(df):
    with pytest.raises(ArgumentError, match="order"):
        df.sort_values("x").rolling("1h", on="t").sum().to_pandas()
    gaps = ak.DataFrame({"t": pd.DatetimeIndex(["2026-01-01", None]), "x": [1.0, 2.0]})
    with pytest.raises(ArgumentError, match="missing"):
        gaps.rolling("1h", on="t").sum().to_pandas()


@pytest.mark.parametrize("closed", ["right", "left", "both", "neither"])
@pytest.mark.parametrize("unit", ["ns", "s"])
@pytest.mark.parametrize("window", ["2h", "2h1ms", "7199999ms"])
def test_windows_end_at_their_bounds_across_partitions_and_units(closed, unit, window):
    times = pd.DatetimeIndex(["2026-01-01"] * 2 + [f"2026-01-01 {hour:02}:00" for hour in range(1, 6)]).as_unit("ns")
    wanted = pd.DataFrame({"t": times, "x": 2.0 ** np.arange(7)})
    parts = [ak.DataFrame(wanted[row : row + 1].astype({"t": f"M8[{unit}]"})) for row in range(7)]
    assert parts[0]["t"].unit == unit
    # pandas takes no window finer than the unit of its times.
    expected = wanted.rolling(window, on="t", closed=closed)["x"].sum()
    np.testing.assert_array_equal(
        ak.concat(parts).rolling(window, on="t", closed=closed)["x"].sum().to_ndarray(), expected
    )


def test_columns_without_numbers_matter_only_where_they_are_reduced(df):
    named = df.assign(s=ak.array(["a"] * N))
    wanted = P.assign(s="a")
    same(named.rolling("3h", on="t")["x"].sum(), wanted.rolling("3h", on="t")["x"].sum())
    same(named[["x", "s"]].rolling(3)[["x"]].max(), wanted[["x", "s"]].rolling(3)[["x"]].max())
    same(named[["x", "s"]].expanding()["x"].max(), wanted[["x", "s"]].expanding()["x"].max())
    for ask in (lambda: named.rolling("3h", on="t").sum(), lambda: named[["x", "s"]].rolling(3).count()):
        with pytest.raises(ArgumentTypeError, match="numbers"):
            ask()
    assert named.groupby("k").rolling("3h", on="t").x.sum().to_pandas()["x"].notna().all()
    with pytest.raises(AttributeError, match="none"):
        named.groupby("k").rolling(2).none  # noqa: B018
