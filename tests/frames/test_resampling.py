"""Bins of time: pandas is the reference for every frequency, side, label, origin and reduction."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.time_bins import MOST_BINS
from akdask.columns.dtypes import TimeForm
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError, MissingColumnError, MissingLabelError
from tests.covering import in_turns, named

CALENDAR = [
    *("W", "W-WED", "2W-SAT", "B", "3B", "C", "ME", "2ME", "MS", "3MS", "BME", "BMS", "CBMS", "SME", "SMS", "SMS-10"),
    *("QE", "QE-NOV", "2QE", "QS", "QS-FEB", "BQE", "BQS-MAR", "YE", "YE-JUN", "YS", "YS-APR", "BYE", "BYE-SEP", "BYS"),
    *("WOM-2TUE", "LWOM-FRI"),
]
FIXED = ["D", "2D", "7D", "36h", "h", "5h", "12h", "90min", "25min", "D12h"]
SIDES = [{}, *({"closed": c, "label": lab} for c, lab in itertools.product(("left", "right"), repeat=2))]
ORIGINS = [
    *({"origin": origin} for origin in ("epoch", "start", "start_day", "end", "end_day", "2000-01-03 03:30")),
    *({"offset": "2h"}, {"offset": "-25min", "origin": "epoch"}, {"offset": "1h", "origin": "end"}),
]


def stamps(*texts):
    return pd.DatetimeIndex(texts, dtype="M8[ns]")


TIMES = {
    "gaps": stamps(
        "2023-12-30 05:17", "2023-12-30 05:20", "2023-12-31", "2024-01-01", "2024-02-29 23:59", "2024-05-31"
    ),
    "one row": stamps("2024-02-29 12:00"),
    "midnight": stamps("2024-03-31"),
    "before 1970": stamps(
        "1969-11-30 23:59:59.999999999", "1969-12-31 06:00", "1970-01-01", "1970-03-31 00:00:00.000000001"
    ),
    "unsorted with NaT": stamps(
        "2024-03-31 10:00", "NaT", "2024-01-31", "2024-03-01 11:00", "NaT", "2024-01-31 00:00:01"
    ),
}


def table(times):
    """Return rows in pandas: numbers of all kinds, text, and times."""
    size = len(times)
    x = np.array([1.5, np.nan, -2.0, 4.0, 0.25, 8.0])[:size]
    return pd.DataFrame(
        {
            "t": times,
            "x": x,
            "n": np.arange(2**60, 2**60 + size),
            "b": (np.arange(size) % 2).astype(bool),
            "s": pd.Series([f"s{number % 3}" for number in range(size)], dtype="str"),
        }
    )


def same(found, expected, **options):
    """Compare what akdask and pandas have found, whatever units pandas counts times in."""
    found = found.to_pandas()
    if expected.index.dtype.kind == "M":
        expected.index = expected.index.as_unit("ns")
    check = pd.testing.assert_series_equal if isinstance(expected, pd.Series) else pd.testing.assert_frame_equal
    check(found, expected, check_freq=False, **options)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(
    ("rule", "sides", "rows"),
    in_turns(FIXED + CALENDAR, SIDES, turning=["gaps", "midnight", "before 1970"]),
    ids=named,
)
def test_bins_are_those_of_pandas(rule, sides, rows):
    wanted = table(TIMES[rows])[["t", "n"]]
    same(ak.DataFrame(wanted).resample(rule, on="t", **sides).size(), wanted.resample(rule, on="t", **sides).size())


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize(
    ("rule", "sides", "origin", "rows"),
    in_turns(["7h", "2D", "25min"], SIDES, ORIGINS, turning=["gaps", "unsorted with NaT"]),
    ids=named,
)
def test_fixed_bins_begin_where_those_of_pandas_do(rule, sides, origin, rows):
    wanted = table(TIMES[rows])[["t", "n"]]
    asked = {"on": "t", **sides, **origin}
    same(ak.DataFrame(wanted).resample(rule, **asked).size(), wanted.resample(rule, **asked).size())


REDUCTIONS = ["sum", "prod", "min", "max", "mean", "median", "std", "var", "sem", "count", "nunique", "first", "last"]


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(
    ("how", "rule", "rows"),
    in_turns(REDUCTIONS, ["5h", "D", "W-WED", "MS", "QE-NOV", "B"], turning=["gaps", "one row", "unsorted with NaT"]),
)
def test_reductions_are_those_of_pandas(how, rule, rows):
    wanted = table(TIMES[rows])
    names = list(wanted) if how in ("count", "nunique", "first", "last") else ["t", "x", "n"]
    if how in ("prod", "var", "std", "sem"):
        # Those of numbers of 2**60 overflow in different ways.
        wanted["n"] -= 2**60
    wanted = wanted[names]
    found = getattr(ak.DataFrame(wanted).resample(rule, on="t"), how)()
    expected = getattr(wanted.resample(rule, on="t"), how)()
    if how in ("first", "last", "min", "max"):
        # Bins without rows make floats of integers in pandas, and lose digits; akdask keeps them.
        gaps = wanted.resample(rule, on="t").size().eq(0).any()
        expected = expected.drop(columns=[name for name in ("n", "b") if name in expected and gaps])
        found = found[list(expected)]
    # Products of groups are float64, as in Arkouda.
    same(found, expected, check_dtype=how != "prod")


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("rule", ["D", "ME", "2W"])
def test_labels_name_and_partitions_do_not_matter(rule, parts):
    wanted = table(TIMES["unsorted with NaT"]).set_index("t")[["x", "n"]]
    cuts = np.linspace(0, len(wanted), parts + 1).astype(int)
    df = ak.concat([ak.DataFrame(wanted[low:high]) for low, high in itertools.pairwise(cuts)])
    same(df.resample(rule).sum(), wanted.resample(rule).sum())
    same(df.resample(rule)["x"].agg(["sum", "count"]), wanted.resample(rule)["x"].agg(["sum", "count"]))
    same(df.resample(rule).x.first(), wanted.resample(rule).x.first())
    same(df.x.resample(rule).max(), wanted.x.resample(rule).max())
    same(df.resample(rule, level=0)[["x"]].mean(), wanted.resample(rule, level=0)[["x"]].mean())
    assert list(df.resample(rule).sum().columns) == ["x", "n"]


def test_agg_takes_names_lists_and_functions():
    wanted = table(TIMES["gaps"])[["t", "x", "n"]]
    ours, theirs = ak.DataFrame(wanted).resample("ME", on="t"), wanted.resample("ME", on="t")
    same(ours.agg({"x": "sum", "n": "count"}), theirs.agg({"x": "sum", "n": "count"}))
    named = {"low": ("x", "min"), "total": ("n", "sum"), "last": ("x", "last")}
    same(ours.agg(**named), theirs.agg(**named))
    several = theirs.agg({"x": ["min", "max"]})
    same(ours.agg({"x": ["min", "max"]}), several.set_axis(["x_min", "x_max"], axis=1))
    same(ours["x"].agg(lambda rows: rows.sum() * 2), theirs["x"].agg(lambda rows: rows.sum() * 2))
    same(ours["x"].agg(low="min", high="max"), theirs["x"].agg(low="min", high="max"))
    same(ours["x"].agg("sum"), theirs["x"].agg("sum"))
    same(ours["x"].ohlc(), theirs["x"].ohlc())
    same(ours["x"].quantile(0.25), theirs["x"].quantile(0.25))
    same(ours.x.std(ddof=0), theirs.x.std(ddof=0))
    pd.testing.assert_series_equal(ours.x.apply(len), theirs.x.apply(len))
    assert ours.pipe(lambda bins: bins.ngroups) == len(theirs.size())
    assert len(ours) == len(theirs.size())


@pytest.mark.parametrize("how", ["sum", "prod", "min", "first"])
@pytest.mark.parametrize("least", [0, 1, 2])
def test_results_of_too_few_values_are_missing(how, least):
    wanted = table(TIMES["gaps"])[["t", "x"]]
    ours, theirs = ak.DataFrame(wanted).resample("D", on="t"), wanted.resample("D", on="t")
    same(getattr(ours, how)(min_count=least), getattr(theirs, how)(min_count=least))


@pytest.mark.parametrize("func", ["sum", "max", "cumsum"])
def test_transform_has_the_rows_in_the_order_of_their_times(func):
    wanted = table(TIMES["gaps"]).set_index("t")[["x"]]
    same(ak.DataFrame(wanted).resample("MS").transform(func), wanted.resample("MS").transform(func))
    same(ak.DataFrame(wanted).resample("MS").x.transform(func), wanted.resample("MS").x.transform(func))


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("rule", ["D", "12h", "MS", "ME", "W", "B"])
@pytest.mark.parametrize("closed", [None, "left", "right"])
def test_other_times_are_filled_as_in_pandas(rule, closed):
    times = stamps("2024-01-31", "2023-12-31", "2024-01-01", "2024-03-31", "2024-02-29 12:00")
    wanted = pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0, 5.0], "n": range(5), "s": list("abcde")}, index=times)
    ours, theirs = ak.DataFrame(wanted).resample(rule, closed=closed), wanted.resample(rule, closed=closed)
    numbers = wanted[["x", "n"]].resample(rule, closed=closed)
    same(ours.asfreq(), theirs.asfreq(), check_dtype=False)
    same(ours[["x", "n"]].asfreq(fill_value=-1), numbers.asfreq(fill_value=-1), check_dtype=False)
    same(ours.ffill(), theirs.ffill(), check_dtype=False)
    same(ours.bfill(), theirs.bfill(), check_dtype=False)
    same(ours.ffill(limit=2), theirs.ffill(limit=2), check_dtype=False)
    same(ours.bfill(limit=1), theirs.bfill(limit=1), check_dtype=False)
    same(ours.x.ffill(), wanted.x.resample(rule, closed=closed).ffill())
    same(ours[["x", "n"]].interpolate(), numbers.interpolate())
    same(ours[["x", "n"]].nearest(), numbers.nearest(), check_dtype=False)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("freq", ["D", "7h", "MS", "ME", "W-WED", "B"])
@pytest.mark.parametrize(
    "params", [{}, {"method": "ffill"}, {"method": "bfill"}, {"fill_value": 0}, {"normalize": True}]
)
def test_asfreq_is_that_of_pandas(freq, params):
    times = stamps("2023-12-31 05:00", "2024-01-01", "2024-01-31 05:00", "2024-03-31")
    wanted = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0], "n": range(4)}, index=times)
    same(ak.DataFrame(wanted).asfreq(freq, **params), wanted.asfreq(freq, **params), check_dtype=False)
    same(ak.Series(wanted.x).asfreq(freq, **params), wanted.x.asfreq(freq, **params), check_dtype=False)


def test_bins_of_spans_begin_with_the_shortest_one():
    wanted = pd.DataFrame({"x": [1, 2, 3, 4]}, index=pd.TimedeltaIndex(["90min", "1h", "5h", "7h"], dtype="m8[ns]"))
    for asked in ({"rule": "2h"}, {"rule": "2h", "closed": "right"}, {"rule": "3h", "offset": "30min"}):
        found, expected = ak.DataFrame(wanted).resample(**asked).sum(), wanted.resample(**asked).sum()
        pd.testing.assert_frame_equal(found.to_pandas(), expected, check_freq=False)
    with pytest.raises(ArgumentTypeError, match="fixed length"):
        ak.DataFrame(wanted).resample("MS")


def test_rows_of_a_bin():
    wanted = table(TIMES["gaps"])[["t", "x"]]
    ours, theirs = ak.DataFrame(wanted).resample("MS", on="t"), wanted.resample("MS", on="t")
    label = pd.Timestamp("2023-12-01")
    assert ours.get_group(label)["x"].tolist()[2] == theirs.get_group(label)["x"].tolist()[2] == -2.0
    assert [(label, len(rows)) for label, rows in ours] == [(label, len(rows)) for label, rows in theirs]
    with pytest.raises(MissingLabelError):
        ours.get_group(pd.Timestamp("2024-03-01"))


def test_no_rows_and_only_missing_times_have_no_bins():
    for times in (stamps(), stamps("NaT", "NaT")):
        df = ak.DataFrame({"t": ak.Datetime(times), "x": np.arange(len(times))})
        for rule in ("D", "ME"):
            assert df.resample(rule, on="t").sum().to_pandas().shape == (0, 1)
            assert df.resample(rule, on="t").x.mean().tolist() == []


def test_times_from_one_end_to_the_other_of_64_bits():
    wanted = pd.DataFrame({"t": pd.DatetimeIndex(["1680-01-01", "2255-04-09"]), "x": 1})
    wanted["t"] = wanted["t"].astype("M8[ns]")
    same(ak.DataFrame(wanted).resample("100D", on="t").sum(), wanted.resample("100D", on="t").sum())
    same(ak.DataFrame(wanted).resample("5YS", on="t").sum(), wanted.resample("5YS", on="t").sum())


def in_their_form(index):
    """Return times of pandas with their unit and zone, where `ak.Datetime` would make nanoseconds of them."""
    ticks = ak.array(index.asi8)
    form = TimeForm("time", index.unit, None if index.tz is None else str(index.tz), may_lack=bool(index.hasnans))
    return ak.Datetime.of(ticks._frame, ticks._value, form)


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize(
    ("rule", "sides", "unit"),
    in_turns(["5h", "D", "2D", "W", "MS", "ME", "B"], SIDES, turning=["s", "ms", "us"]),
    ids=named,
)
def test_units_of_times_stay(rule, unit, sides):
    index = TIMES["gaps"].as_unit(unit)
    expected = pd.Series(range(len(index)), index).resample(rule, **sides).sum()
    found = (
        ak.DataFrame({"t": in_their_form(index), "x": np.arange(len(index))}).resample(rule, on="t", **sides).x.sum()
    )
    assert found.tolist() == expected.tolist()
    assert found.index.values.values.tolist() == expected.index.asi8.tolist()
    assert found.index.values._form.unit == unit


def test_bins_finer_than_the_unit_of_times_are_refused():
    df = ak.DataFrame({"t": in_their_form(TIMES["gaps"].as_unit("s")), "x": np.arange(len(TIMES["gaps"]))})
    with pytest.raises(ArgumentError, match="whole number of s"):
        df.resample("1500ms", on="t")


CLOCKS = pd.DatetimeIndex(
    [
        *("2024-03-30 22:15", "2024-03-31 00:30", "2024-03-31 01:30", "2024-03-31 05:00", "2024-04-02 00:00"),
        *("2024-10-26 23:30", "2024-10-27 00:30", "2024-10-27 01:30", "2024-10-27 02:30", "2024-10-28 00:00"),
    ]
).as_unit("ns")


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize(
    ("rule", "sides", "zone"),
    in_turns(
        ["D", "2D", "h", "6h", "36h", "W", "MS", "ME", "B", "QS"],
        SIDES,
        turning=["Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC"],
    ),
    ids=named,
)
def test_days_of_a_zone_have_23_or_25_hours(rule, zone, sides):
    index = CLOCKS.tz_localize("UTC").tz_convert(zone)
    expected = pd.Series(range(len(index)), index).resample(rule, **sides).agg(["sum", "count"])
    found = ak.DataFrame({"t": in_their_form(index), "x": np.arange(len(index))}).resample(rule, on="t", **sides).x
    found = found.agg(["sum", "count"])
    assert found["sum"].tolist() == expected["sum"].tolist()
    assert found["count"].tolist() == expected["count"].tolist()
    assert found.index.values.values.tolist() == expected.index.asi8.tolist()
    assert found.index.values._form.zone == zone


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC"])
@pytest.mark.parametrize("rule", ["12h", "D", "B", "MS"])
def test_other_times_of_a_zone_are_filled_as_in_pandas(rule, zone):
    index = CLOCKS[[0, 2, 4, 5, 9]].tz_localize("UTC").tz_convert(zone).normalize()
    wanted = pd.Series(range(len(index)), index)
    ours = ak.DataFrame({"x": np.arange(len(index))}, index=in_their_form(index)).x
    for ask in (
        lambda x: x.asfreq(rule, fill_value=-1),
        lambda x: x.resample(rule).ffill(),
        lambda x: x.resample(rule).sum(),
    ):
        found, expected = ask(ours), ask(wanted)
        assert found.fillna(-1).tolist() == expected.fillna(-1).tolist()
        assert found.index.values.values.tolist() == expected.index.asi8.tolist()


def test_rows_of_a_frame_stay_what_they_were_when_they_were_grouped():
    df = ak.DataFrame({"t": ak.Datetime(stamps("2024-01-01", "2024-01-02")), "x": [1, 2]})
    bins = df.resample("D", on="t")
    df["x"] = df["x"] * 10
    assert bins.sum()["x"].tolist() == [1, 2]


REFUSED = [
    *("M", "Q", "Y", "H", "T", "S", "x", ""),
    *({"closed": "both"}, {"label": "middle"}, {"origin": "never"}, {"offset": "never"}),
]


@pytest.mark.parametrize("asked", REFUSED, ids=str)
def test_what_pandas_refuses_is_refused_with_its_words(asked):
    wanted = table(TIMES["gaps"])[["t", "x"]]
    params = {"rule": asked} if isinstance(asked, str) else {"rule": "D", **asked}
    with pytest.raises(ValueError, match=r".") as theirs:
        wanted.resample(on="t", **params)
    with pytest.raises(ArgumentError) as ours:
        ak.DataFrame(wanted).resample(on="t", **params)
    assert str(theirs.value).rstrip(".") in str(ours.value)
    assert "Hint" in str(ours.value)


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.resample("D", on="x"), ArgumentTypeError),
        (lambda df: df.resample("D"), ArgumentTypeError),
        (lambda df: df.resample("D", on="y"), MissingColumnError),
        (lambda df: df.resample(5, on="t"), ArgumentTypeError),
        (lambda df: df.resample("-1h", on="t"), ArgumentError),
        (lambda df: df.resample("D", on="t", origin=pd.Timestamp("2024", tz="UTC")), ArgumentError),
        (lambda df: df.resample("D", on="t", level=0), ArgumentError),
        (lambda df: df.set_index("t").resample("D", level=1), ArgumentError),
        (lambda df: df.resample("D", on="t").agg("none"), ArgumentError),
        (lambda df: df.resample("D", on="t").agg(), ArgumentError),
        (lambda df: df.resample("D", on="t").s.mean(), ArgumentTypeError),
        (lambda df: df.resample("D", on="t").none, AttributeError),
        (lambda df: df.resample("D", on="t").ffill(), ArgumentError),
        (lambda df: df.set_index("t").x.resample("D", on="t"), ArgumentError),
        (lambda df: ak.concat([df, df]).set_index("t").resample("D").ffill(), ArgumentError),
        (lambda df: ak.concat([df, df]).set_index("t").asfreq("D"), ArgumentError),
        (lambda df: df.set_index("t").asfreq("D", method="up"), ArgumentError),
        (lambda df: df.set_index("t").asfreq("M"), ArgumentError),
        (lambda df: df.asfreq("D"), ArgumentTypeError),
        (lambda df: df.resample("D", on="t").x.quantile([0.5]), ArgumentError),
    ],
)
def test_what_cannot_be_done_is_refused_at_the_call(ask, error):
    with pytest.raises(error) as refused:
        ask(ak.DataFrame(table(TIMES["gaps"])))
    assert isinstance(refused.value, AkdaskError)


def test_too_many_bins_are_refused_before_they_take_memory():
    df = ak.DataFrame({"t": ak.Datetime(stamps("1970-01-01", "2024-01-01")), "x": [1, 2]})
    with pytest.raises(ArgumentError, match=r"\d bins"):
        df.resample("ns", on="t").sum()
    assert MOST_BINS < 54 * 365 * 86_400 * 1000


ticks = st.lists(
    st.one_of(
        st.integers(-400 * 86_400, 400 * 86_400), st.just(None), st.integers(-40, 40).map(lambda day: day * 86_400)
    ),
    min_size=1,
    max_size=12,
)


@given(
    ticks,
    st.sampled_from(FIXED + CALENDAR),
    st.sampled_from(SIDES),
    st.sampled_from([{}, {}, *ORIGINS]),
    st.integers(0, 12),
)
@example([0, 1801], "90min", {}, {"origin": "end", "offset": "1h"}, 0)
@settings(max_examples=settings().max_examples * 2, deadline=None)
def test_random_rows_are_reduced_as_by_pandas(seconds, rule, sides, origin, cut):
    if rule in CALENDAR:
        origin = {}
    numbers = [pd.NaT if one is None else pd.Timestamp("1970-01-01") + pd.Timedelta(seconds=one) for one in seconds]
    times = pd.DatetimeIndex(numbers).astype("M8[ns]")
    if times.isna().all():
        return
    wanted = pd.DataFrame({"t": times, "x": np.arange(len(times)) * 0.5, "n": range(len(times))})
    parts = [part for part in (wanted[:cut], wanted[cut:]) if len(part)]
    df = ak.concat([ak.DataFrame(part) for part in parts])
    asked = {"rule": rule, "on": "t", **sides, **origin}
    try:
        theirs = wanted.resample(**asked)
    except ValueError as refused:  # An offset may put the first bin behind the first time.
        with pytest.raises(ArgumentError, match=str(refused)):
            df.resample(**asked)
        return
    ours = df.resample(**asked)
    same(ours.agg({"x": "sum", "n": "count"}), theirs.agg({"x": "sum", "n": "count"}))
    same(ours.x.last(), theirs.x.last())


def test_the_only_level_of_labels_is_known_by_its_number_or_its_name():
    times = pd.date_range("2024-01-01", periods=4, freq="12h", name="t")
    series, wanted = ak.Series(ak.arange(4), index=ak.Index(ak.Datetime(times), "t")), pd.Series(range(4), times)
    frame = ak.DataFrame({"x": ak.arange(4)}, index=ak.Index(ak.Datetime(times), "t"))
    for level in (None, 0, -1, "t"):
        sums = wanted.resample("D").sum().tolist()
        assert series.resample("D", level=level).sum().tolist() == sums
        assert frame.resample("D", level=level).sum()["x"].tolist() == sums
    unnamed = ak.Series(ak.arange(4), index=ak.Index(ak.Datetime(times)))
    for resampled, levels in ((series, (1, -2, "x")), (frame, (1, -2, "x")), (unnamed, (1, "t"))):
        for level in levels:
            with pytest.raises(ArgumentError, match="one level"):
                resampled.resample("D", level=level)
