"""Times moved by offsets of the calendar: pandas is the reference."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import TimeForm
from akdask.errors import ArgumentError, ArgumentTypeError

OFFSETS = [
    *(pd.DateOffset(months=n) for n in (1, -1, 13, 0)),
    *(
        pd.DateOffset(years=1),
        pd.DateOffset(months=1, days=-2, hours=3),
        pd.DateOffset(day=31),
        pd.DateOffset(weekday=2),
    ),
    *(pd.DateOffset(days=3, normalize=True), pd.DateOffset(n=2), pd.DateOffset(microseconds=1)),
    *(cls(n) for cls in (pd.offsets.MonthEnd, pd.offsets.MonthBegin, pd.offsets.BMonthEnd) for n in (1, 0, -2)),
    *(pd.offsets.BMonthBegin(), pd.offsets.SemiMonthEnd(), pd.offsets.SemiMonthBegin(2, day_of_month=10)),
    *(pd.offsets.QuarterEnd(), pd.offsets.QuarterEnd(0, startingMonth=2), pd.offsets.QuarterBegin(-1)),
    *(pd.offsets.BQuarterEnd(), pd.offsets.BQuarterBegin(2), pd.offsets.YearEnd(), pd.offsets.YearEnd(0, month=6)),
    *(
        pd.offsets.YearBegin(2),
        pd.offsets.BYearEnd(),
        pd.offsets.BYearBegin(),
        pd.offsets.Week(),
        pd.offsets.Week(2, weekday=4),
    ),
    *(pd.offsets.BDay(), pd.offsets.BDay(-3), pd.offsets.BDay(0), pd.offsets.BDay(2, normalize=True)),
    *(
        pd.offsets.CDay(2, holidays=["2024-03-01"]),
        pd.offsets.BusinessHour(3),
        pd.offsets.WeekOfMonth(week=1, weekday=1),
    ),
    *(
        pd.offsets.LastWeekOfMonth(weekday=4),
        pd.offsets.Easter(),
        pd.offsets.FY5253(weekday=5, startingMonth=1, variation="last"),
    ),
    *(
        pd.offsets.Hour(5),
        pd.offsets.Day(2),
        pd.offsets.Minute(-90),
        pd.offsets.Nano(7),
        pd.offsets.MonthEnd(normalize=True),
    ),
]
DATES = pd.DatetimeIndex(
    [
        *(
            "2024-01-31 05:00",
            "2024-02-28",
            "2024-02-29 23:59:59.999999999",
            "NaT",
            "2023-02-28",
            "2000-12-31",
            "1900-03-01",
        ),
        *("1969-12-31 23:00", "2024-03-30 12:34:56.789", "2024-03-31", "2024-06-15", "2023-12-29 17:30", "1970-01-01"),
    ]
).as_unit("ns")

LAST = pd.DatetimeIndex(["2262-04-01"]).as_unit("ns")


def in_its_unit(index):
    """Return times of pandas as they are, where `ak.Datetime` would make nanoseconds of them."""
    ticks = ak.array(index.asi8)
    form = TimeForm("time", index.unit, None if index.tz is None else str(index.tz), may_lack=True)
    return ak.Datetime.of(ticks._frame, ticks._value, form)


def applied(index, offset, sign):
    """Return what pandas makes of times, without its warnings of offsets that it has no loop for."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return index + offset if sign == "+" else index - offset


def ours(times, offset, sign):
    return times + offset if sign == "+" else times - offset


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("sign", ["+", "-"])
@pytest.mark.parametrize("offset", OFFSETS, ids=repr)
def test_times_are_moved_as_by_pandas(offset, sign):
    expected = applied(DATES, offset, sign)
    for array in (ak.Datetime(DATES), ak.concatenate([ak.Datetime(DATES[:3]), ak.Datetime(DATES[3:])])):
        pd.testing.assert_index_equal(ours(array, offset, sign).to_pandas(), expected, exact="equiv", check_names=False)
    if sign == "+":
        pd.testing.assert_index_equal((offset + ak.Datetime(DATES)).to_pandas(), expected)


@pytest.mark.parametrize(
    "offset", [pd.DateOffset(months=1), pd.offsets.MonthEnd(), pd.offsets.BDay(2), pd.offsets.Day(3)]
)
def test_series_and_labels_are_moved_as_well(offset):
    wanted = pd.DataFrame({"t": DATES, "x": range(len(DATES))}, index=DATES)
    df = ak.DataFrame(wanted)
    pd.testing.assert_series_equal((df.t + offset).to_pandas(), wanted.t + offset)
    pd.testing.assert_series_equal((df.t - offset).to_pandas(), wanted.t - offset)
    pd.testing.assert_index_equal((df.index + offset).to_pandas(), wanted.index + offset)
    pd.testing.assert_index_equal((df.index - offset).to_pandas(), wanted.index - offset)
    df["u"] = df["t"] + offset
    np.testing.assert_array_equal(df["u"].to_ndarray(), (wanted.t + offset).to_numpy())


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
@pytest.mark.parametrize(
    "offset", [pd.DateOffset(months=1), pd.offsets.BDay(), pd.DateOffset(microseconds=3)], ids=repr
)
def test_units_stay_unless_an_offset_needs_a_finer_one(unit, offset):
    index = DATES.as_unit(unit)
    pd.testing.assert_index_equal((in_its_unit(index) + offset).to_pandas(), index + offset)


ZONED = pd.DatetimeIndex(["2024-03-30 12:00", "2024-03-31 00:30", "NaT", "2024-10-26 12:00", "2024-10-27 00:30"])


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC"])
@pytest.mark.parametrize("sign", ["+", "-"])
@pytest.mark.parametrize("offset", [*OFFSETS[:6], pd.offsets.BDay(), pd.offsets.Day(), pd.offsets.Hour(24)], ids=repr)
def test_clocks_of_a_zone_are_moved(offset, sign, zone):
    index = ZONED.as_unit("ns").tz_localize(zone)
    expected = applied(index, offset, sign)
    found = ours(in_its_unit(index), offset, sign)
    np.testing.assert_array_equal(found.values.to_ndarray(), expected.asi8)


@pytest.mark.parametrize("freq", ["MS", "ME", "D", "2h", "B", pd.offsets.MonthEnd(2), pd.Timedelta("3h")], ids=str)
@pytest.mark.parametrize("periods", [1, -2, 0])
def test_labels_are_shifted_as_by_pandas(freq, periods):
    wanted = pd.DataFrame({"x": range(len(DATES))}, index=DATES.rename("t"))
    df = ak.DataFrame(wanted)
    found, expected = df.shift(periods, freq=freq), wanted.shift(periods, freq=freq)
    pd.testing.assert_frame_equal(found.to_pandas(), expected, check_freq=False)
    pd.testing.assert_series_equal(
        df.x.shift(periods, freq).to_pandas(), wanted.x.shift(periods, freq), check_freq=False
    )
    assert df.index.tolist() == ak.Index(DATES).tolist()


@given(
    st.lists(st.integers(-(2**61), 2**61), min_size=1, max_size=10),
    st.sampled_from([offset for offset in OFFSETS if not isinstance(offset, pd.offsets.Easter)]),
    st.sampled_from("+-"),
)
@settings(max_examples=150, deadline=None)
def test_random_times_are_moved_as_by_pandas(ticks, offset, sign):
    index = pd.DatetimeIndex(np.array(ticks, "M8[ns]"))
    expected = applied(index, offset, sign)
    np.testing.assert_array_equal(ours(ak.Datetime(index), offset, sign).to_ndarray(), expected.to_numpy())


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda: ak.Timedelta(np.array([5], "m8[s]")) + pd.offsets.MonthEnd(), ArgumentTypeError),
        (lambda: pd.offsets.MonthEnd() - ak.Datetime(DATES), TypeError),
        (lambda: ak.Datetime(DATES) * pd.offsets.MonthEnd(), ArgumentTypeError),
        (lambda: ak.Datetime(DATES) < pd.offsets.MonthEnd(), ArgumentTypeError),
        (lambda: list(ak.Datetime(LAST) + pd.DateOffset(months=1)), ArgumentError),
        (lambda: ak.DataFrame({"x": [1]}).shift(1, freq="D"), ArgumentTypeError),
        (lambda: ak.DataFrame({"x": [1]}, index=ak.Datetime(DATES[:1])).shift(1, freq="M"), ArgumentError),
        (
            lambda: ak.DataFrame({"x": [1]}, index=ak.Datetime(DATES[:1])).shift(1, freq="D", fill_value=0),
            ArgumentError,
        ),
        (lambda: ak.DataFrame({"x": [1]}).shift(1, axis=1), ArgumentError),
    ],
)
def test_what_has_no_meaning_is_refused(ask, error):
    with pytest.raises(error):
        ask()


def test_spans_take_offsets_of_fixed_length():
    spans = pd.TimedeltaIndex(["1h", "-3D"]).as_unit("ns")
    for offset in (pd.offsets.Hour(2), pd.offsets.Minute(-5)):
        np.testing.assert_array_equal((ak.Timedelta(spans) + offset).to_ndarray(), (spans + offset).to_numpy())


def test_labels_have_the_fields_and_roundings_of_times():
    index = DATES.dropna().rename("t")
    labels = ak.DataFrame({"x": range(len(index))}, index=index).index
    for field in ("year", "month", "quarter", "day_of_week", "hour", "days_in_month", "is_month_end"):
        assert getattr(labels, field).tolist() == list(getattr(index, field))
    for ask in (
        lambda i: i.floor("7h"),
        lambda i: i.normalize(),
        lambda i: i.shift(2, "MS"),
        lambda i: i.shift(0, "MS"),
    ):
        pd.testing.assert_index_equal(ask(labels).to_pandas(), ask(index))
    assert labels.strftime("%Y").tolist() == index.strftime("%Y").tolist()
    with pytest.raises(AttributeError):
        labels.fortnight  # noqa: B018
    with pytest.raises(AttributeError):
        ak.Index(ak.array([1])).month  # noqa: B018
    with pytest.raises(ArgumentTypeError, match="times"):
        ak.Index(ak.array([1])).shift(1, "D")
