"""Rows by the time of day of their labels: pandas is the reference."""

from __future__ import annotations

import datetime

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.columns.dtypes import TimeForm
from akdask.errors import ArgumentError, ArgumentTypeError

TIMES = pd.DatetimeIndex(
    [
        *(
            "2024-01-31 09:30",
            "1969-12-31 09:30:00.000000001",
            "2024-03-31 23:59:59.999999999",
            "2024-02-29",
            "1960-02-29 17:00",
        ),
        *("2024-10-27 00:30", "2024-10-27 01:30", "2024-06-01 09:29:59.999999999", "2024-06-01 12:00"),
    ]
).as_unit("ns")


def frames(index):
    """Return rows in pandas and in akdask, labelled by times in their unit and zone."""
    ticks = ak.array(index.asi8)
    labels = ak.Datetime.of(ticks._frame, ticks._value, TimeForm("time", index.unit, index.tz and str(index.tz)))
    return pd.DataFrame({"x": range(len(index))}, index=index), ak.DataFrame({"x": np.arange(len(index))}, index=labels)


@pytest.mark.parametrize("inclusive", ["both", "left", "right", "neither"])
@pytest.mark.parametrize("bounds", [("09:30", "17:00"), ("17:00", "09:30"), ("00:00", "00:30:00"), ("12:00", "12:00")])
@pytest.mark.parametrize("zone", [None, "Europe/Berlin"])
@pytest.mark.parametrize("unit", ["ns", "s"])
def test_rows_between_two_times_of_day_are_those_of_pandas(bounds, inclusive, zone, unit):
    index = TIMES.as_unit(unit) if zone is None else TIMES.as_unit(unit).tz_localize("UTC").tz_convert(zone)
    wanted, df = frames(index)
    expected = wanted.between_time(*bounds, inclusive=inclusive)["x"].tolist()
    assert df.between_time(*bounds, inclusive=inclusive)["x"].tolist() == expected
    assert df.x.between_time(*bounds, inclusive=inclusive).tolist() == expected


@pytest.mark.parametrize("unit", ["us", "ms"])
def test_times_of_day_are_those_of_each_unit(unit):
    wanted, df = frames(TIMES.as_unit(unit))
    for bounds in (("09:30", "17:00"), ("23:59:59.999", "00:30"), ("09:29:59.999", "09:29:59.999999")):
        assert df.between_time(*bounds)["x"].tolist() == wanted.between_time(*bounds)["x"].tolist()
    assert df.at_time("09:30")["x"].tolist() == wanted.at_time("09:30")["x"].tolist()


@pytest.mark.parametrize("time", ["09:30", datetime.time(9, 30), datetime.time(23, 59, 59, 999_999), "00:00"])
def test_rows_at_a_time_of_day_are_those_of_pandas(time):
    wanted, df = frames(TIMES)
    assert df.at_time(time)["x"].tolist() == wanted.at_time(time)["x"].tolist()
    assert df.x.at_time(time).tolist() == wanted.at_time(time)["x"].tolist()


def test_labels_without_a_time_have_no_time_of_day():
    df = ak.DataFrame({"x": [1, 2]}, index=ak.Datetime(pd.DatetimeIndex(["NaT", "2024-01-01 05:00"])))
    assert df.between_time("00:00", "23:59:59")["x"].tolist() == [2]
    assert df.between_time("05:00", "04:00")["x"].tolist() == [2]


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.between_time("noon", "13:00"), ArgumentError),
        (lambda df: df.between_time("12:00", 13), ArgumentTypeError),
        (lambda df: df.between_time("12:00", "13:00", inclusive="all"), ArgumentError),
        (lambda df: df.at_time(datetime.time(9, 30, tzinfo=datetime.UTC)), ArgumentError),
        (lambda df: ak.DataFrame({"x": [1]}).at_time("09:30"), ArgumentTypeError),
    ],
)
def test_what_is_no_time_of_day_is_refused(ask, error):
    with pytest.raises(error):
        ask(frames(TIMES)[1])
