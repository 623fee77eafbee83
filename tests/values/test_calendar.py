"""Fields of times, ratios and parts of spans, zones and offsets: pandas is the reference, and Python for integers."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from akdask.engine.operations import OPERATIONS
from akdask.errors import ArgumentError, TimeOverflowError
from akdask.operators.values.times import nanoseconds

NAT = -(2**63)
UNITS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
# Weeks of 53 in a year, leap years and centuries, days before 1970, and the last moments of a day.
DAYS = pd.DatetimeIndex(
    [
        *("1677-12-31", "1899-12-31 23:59:59.999999999", "1900-02-28", "1969-12-31", "1970-01-01", "1972-02-29"),
        *("2000-02-29", "2000-12-31 23:59:59", "2004-12-31", "2005-01-01", "2008-12-29", "2009-12-31", "2010-01-03"),
        *("2016-02-29 12:34:56.789", "2020-12-31", "2021-01-03", "2100-03-01", "2261-12-31"),
    ]
).append(pd.date_range("2023-12-25", periods=20))


def computed(operation, *columns, **params):
    return OPERATIONS[operation].evaluate(*columns, **params)


NEAR = pd.DatetimeIndex(np.random.default_rng(0).integers(-300 * 86_400, 200 * 86_400, 3000).astype("M8[s]"))
"""Times of fewer days than there are times."""


@pytest.mark.parametrize("unit", ["ns", "s"])
@pytest.mark.parametrize("days", [DAYS, NEAR], ids=["far apart", "near"])
def test_fields_of_dates_are_those_of_pandas(days, unit):
    times = days.as_unit(unit)
    weeks = times.isocalendar()
    wanted = {
        **{
            name: getattr(times, name)
            for name in ("year", "month", "day", "day_of_year", "day_of_week", "is_leap_year")
        },
        "week": weeks.week,
        "iso_year": weeks.year,
    }
    for field, expected in wanted.items():
        found = computed("calendar", times.asi8, field=field, unit=unit)
        assert found.tolist() == list(expected), field
        out = np.empty_like(found)
        assert computed("calendar", times.asi8, field=field, unit=unit, out=out) is out
        assert out.tolist() == list(expected)
    assert computed("calendar", times.asi8[2], field="day", unit=unit) == times.day[2]


def test_parts_of_times_count_steps_since_the_last_whole_one():
    ticks = DAYS.asi8
    for name, step in (("hour", 3600 * 10**9), ("minute", 60 * 10**9), ("second", 10**9)):
        count = 24 if name == "hour" else 60
        assert computed("time_part", ticks, name=name, step=step, count=count).tolist() == list(getattr(DAYS, name))
    assert computed("time_part", ticks, name="nanosecond", step=1, count=1000).tolist() == list(DAYS.nanosecond)
    assert computed("time_part", ticks, name="days", step=86_400 * 10**9, count=0).tolist() == [
        tick // (86_400 * 10**9) for tick in ticks.tolist()
    ]
    # Steps that are finer than the unit.
    finer = computed("time_part", np.array([-1, 5, NAT]), name="ms", step=1, count=0, factor=1000, missing=True)
    assert finer.tolist() == [-1000, 5000, 0]


SPANS = hnp.arrays(np.int64, 6, elements=st.integers(-1000, 1000) | st.sampled_from([NAT, 2**40, -(2**40)]))


@given(SPANS, SPANS)
def test_ratios_of_spans_are_those_of_python(left, right):
    pairs = list(zip(left.tolist(), right.tolist(), strict=True))
    with np.errstate(all="ignore"):
        ratios = computed("time_ratio", left, right)
        wholes = computed("whole_time_ratio", left, right, missing=True)
        rests = computed("remaining_time", left, right)
    for (one, other), ratio, whole, rest in zip(pairs, ratios.tolist(), wholes.tolist(), rests.tolist(), strict=True):
        if NAT in (one, other) or not other:
            assert np.isnan(ratio) or (NAT not in (one, other) and not other)
            assert rest == NAT
        else:
            assert (ratio, whole, rest) == (one / other, one // other, one % other)
    if NAT in left or NAT in right:
        with pytest.raises(ArgumentError, match="quotient"):
            computed("whole_time_ratio", left, right)
    else:
        with np.errstate(all="ignore"):
            assert computed("whole_time_ratio", left, right).tolist() == wholes.tolist()


@given(SPANS, hnp.arrays(np.float64, 6, elements=st.sampled_from([0.0, 0.5, -1.5, 3.0, np.nan, 1e3])))
def test_spans_times_and_by_floats_are_rounded_to_whole_ones(spans, floats):
    products = computed("multiply_times", spans, floats).tolist()
    down = computed("divide_times", spans, floats, round_down=True).tolist()
    cut = computed("divide_times", spans, floats, round_down=False).tolist()
    for row, (span, by) in enumerate(zip(spans.tolist(), floats.tolist(), strict=True)):
        if span == NAT or np.isnan(by):
            assert products[row] == down[row] == cut[row] == NAT
            continue
        assert products[row] == int(span * Fraction(by))
        wanted = (NAT, NAT) if not by else (Fraction(span) / Fraction(by) // 1, int(Fraction(span) / Fraction(by)))
        assert (down[row], cut[row]) == wanted
    largest = np.array([2**63 - 1, 3], np.uint64)
    assert computed("multiply_times", np.array([1, -1]), largest).tolist() == [2**63 - 1, -3]
    with pytest.raises(TimeOverflowError):
        computed("multiply_times", np.array([1, -1]), largest + np.uint64(1))
    with pytest.raises(TimeOverflowError):
        computed("multiply_times", np.array([2**62]), np.array([2.0]))
    assert computed("multiply_times", np.array([2**62]), np.array([1.5])).tolist() == [3 * 2**61]


def test_numbers_that_are_too_far_are_nat_where_that_is_asked_for():
    for numbers, step, wanted in (
        (np.array([5, 2**62, -(2**62), 2**63 - 1]), 2, [10, NAT, NAT, NAT]),
        (np.array([5, 2**62 - 1, -(2**62) + 1]), 2, [10, 2**63 - 2, -(2**63) + 2]),
        (np.array([5, 2**63], np.uint64), 1, [5, NAT]),
        (np.array([0.25, np.nan, np.inf, -1e300, 2.0**62]), 2, [0, NAT, NAT, NAT, NAT]),
        (np.array([0.5, -0.5, 1.25]), 1000, [500, -500, 1250]),
    ):
        assert computed("counted_time", numbers, step=step, coerce=True).tolist() == wanted


def test_local_times_are_those_of_pandas_and_come_back():
    summer = pd.date_range("2024-03-30 20:00", periods=12, freq="h").append(pd.DatetimeIndex([pd.NaT]))
    for unit in ("ns", "s"):
        times = summer.as_unit(unit)
        shown = computed("local_time", times.asi8, zone="Europe/Berlin", unit=unit)
        assert shown.tolist() == times.tz_localize("UTC").tz_convert("Europe/Berlin").tz_localize(None).asi8.tolist()
        assert computed("utc_time", shown, zone="Europe/Berlin", unit=unit).tolist() == times.asi8.tolist()
    assert computed("local_time", np.int64(0), zone="Asia/Tokyo", unit="s") == 9 * 3600
    twice = pd.DatetimeIndex(["2024-10-27 02:30"] * 2).as_unit("s").asi8
    first, second = computed("utc_time", twice, np.array([True, False]), zone="Europe/Berlin", unit="s").tolist()
    assert second - first == 3600
    assert computed("utc_time", twice, zone="Europe/Berlin", unit="s", ambiguous="NaT").tolist() == [NAT, NAT]
    skipped = pd.DatetimeIndex(["2024-03-31 02:30"]).as_unit("s").asi8
    for given_times in (twice, skipped):
        with pytest.raises(ArgumentError, match="clocks of Europe/Berlin"):
            computed("utc_time", given_times, zone="Europe/Berlin", unit="s")


@pytest.mark.parametrize("in_arrays", [True, False])
def test_times_are_moved_by_offsets_of_pandas(in_arrays):
    times = pd.DatetimeIndex(["2024-01-31", "2024-02-29 12:00", "2023-12-31"])
    for offset in (pd.DateOffset(months=1), pd.offsets.MonthEnd(1), pd.offsets.BDay(2)):
        given_params = {"pickled": pickle.dumps(offset), "in_arrays": in_arrays}
        found = computed("move_by_offset", times.as_unit("ns").asi8, subtract=False, **given_params)
        assert found.tolist() == [(time + offset).as_unit("ns").value for time in times]
        found = computed("move_by_offset", times.as_unit("s").asi8, subtract=True, unit="s", finer="s", **given_params)
        assert found.tolist() == [(time - offset).as_unit("ns").value // 10**9 for time in times]


def test_text_is_read_as_times_of_nanoseconds():
    from akdask.columns.arrow import pa

    text = pa.array(["2026-01-31T12:00:00.5", "1969-12-31"], pa.large_string())
    assert computed("parse_time", text, kind="M").tolist() == [1769860800500000000, -86_400 * 10**9]
    assert computed("parse_time", "1 days 00:00:01", kind="m") == 86_401 * 10**9
    assert nanoseconds(["2026-01-31", None, "2026-01-31T12:00:00.5"], "M").tolist() == [
        1769817600000000000,
        NAT,
        1769860800500000000,
    ]
    with pytest.raises(ArgumentError, match="not all a time"):
        computed("parse_time", pa.array(["no time"], pa.large_string()), kind="M")
