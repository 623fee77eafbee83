"""Days of 23 and 25 hours, and Lord Howe's of half an hour more or less, in all that counts times: as in pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pandas.tseries.offsets as ways
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError

pytestmark = [
    # pandas tells of arguments that do nothing in a zone, and of offsets that it has no loop for.
    pytest.mark.filterwarnings("ignore:The 'o.* keyword does not take effect"),
    pytest.mark.filterwarnings("ignore::pandas.errors.PerformanceWarning"),
]

DAYS = [
    ("Europe/Berlin", "2026-03-28 20:00"),
    ("America/New_York", "2026-10-31 20:00"),
    ("Australia/Lord_Howe", "2026-04-04 00:00"),
    ("Australia/Lord_Howe", "2026-10-03 10:24"),
]
FIXED = ["15min", "30min", "45min", "h", "5h", "24h", "D", "2D"]
OF_THE_CALENDAR = [
    "W",
    "W-WED",
    "2W",
    "MS",
    "ME",
    "QS-FEB",
    "QE",
    "YS",
    "YE",
    "B",
    "C",
    "bh",
    "SMS",
    "SME",
    "BMS",
    "BME",
]
SIDES = [{}, {"closed": "left", "label": "right"}, {"closed": "right", "label": "left"}]


def outcome(ask):
    """Return what pandas or akdask gives, or that it refuses."""
    try:
        return ask()
    except (AkdaskError, ValueError, TypeError, NotImplementedError, OverflowError, IndexError, AttributeError):
        return "refused"


def agree(found, wanted, what):
    if isinstance(wanted, str) or isinstance(found, str):
        assert str(found) == str(wanted), what
    elif isinstance(wanted, pd.Index):
        pd.testing.assert_index_equal(found, wanted, exact=True, check_names=False, check_freq=False)
    else:
        pd.testing.assert_series_equal(found, wanted, check_dtype=False, check_freq=False, check_names=False)


@pytest.fixture(params=DAYS, ids=lambda day: f"{day[0]} {day[1][:10]}")
def rows(request):
    zone, evening = request.param
    times = pd.date_range(pd.Timestamp(evening, tz=zone), periods=45, freq="48min")
    return pd.Series(np.arange(1, 46), index=times, name="x")


def lazy(rows):
    return ak.DataFrame({"t": rows.index, "x": rows.to_numpy()}).set_index("t").x


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("freq", [*FIXED, *OF_THE_CALENDAR])
def test_bins_go_by_the_clocks_of_the_zone(rows, freq):
    mine, start = lazy(rows), rows.index[0]
    anchors = [{"origin": start - pd.Timedelta("7h13min")}, {"offset": "17min"}, {"origin": "end_day", "offset": "-2h"}]
    anchors += [{"origin": origin} for origin in ("epoch", "start", "end")]
    for how in [*SIDES, *(anchors if freq in ("45min", "5h", "24h") else [])]:
        wanted = outcome(lambda how=how: rows.resample(freq, **how).sum())
        agree(outcome(lambda how=how: mine.resample(freq, **how).sum().to_pandas()), wanted, (freq, how))
    grouper = pd.Grouper(freq=freq, closed="right", label="right")
    agree(outcome(lambda: mine.groupby(grouper).sum().to_pandas()), outcome(lambda: rows.groupby(grouper).sum()), freq)
    agree(outcome(lambda: mine.asfreq(freq).to_pandas()), outcome(lambda: rows.asfreq(freq)), freq)
    agree(outcome(lambda: mine.shift(2, freq=freq).to_pandas()), outcome(lambda: rows.shift(2, freq=freq)), freq)
    span = {"start": start, "end": rows.index[-1] + pd.Timedelta("9D"), "freq": freq, "inclusive": "left", "unit": "us"}
    agree(outcome(lambda: ak.date_range(**span).to_pandas()), outcome(lambda: pd.date_range(**span)), span)


OFFSETS = [
    *(getattr(ways, name)(2) for name in vars(ways)["__all__"] if name not in ("BaseOffset", "Tick")),
    *(ways.MonthEnd(-1), ways.BMonthEnd(-1), ways.BQuarterEnd(-1), ways.Week(weekday=2), ways.Day(-1)),
    *(ways.DateOffset(months=1, days=-1), ways.DateOffset(weekday=1), ways.BDay(offset=pd.Timedelta("2h"))),
    *(ways.BusinessHour(start="20:00", end="04:00"), ways.CustomBusinessDay(holidays=["2026-03-30"])),
    vars(ways)["FY5253Quarter"](startingMonth=3, weekday=2, variation="last", qtr_with_extra_week=1),
]


@pytest.mark.parametrize("offset", OFFSETS, ids=str)
def test_every_offset_does_what_it_does_in_pandas(offset):
    plain = pd.DatetimeIndex(["2026-03-28 13:59", "2026-03-31", "2026-04-04 16:00", "2026-12-31 12:00"]).as_unit("s")
    agree((ak.array(plain) + offset).to_pandas(), plain + offset, "+")
    times = plain.tz_localize("Australia/Lord_Howe")
    mine = ak.array(times)
    agree(outcome((mine + offset).to_pandas), outcome(lambda: times + offset), "+")
    agree(outcome((mine - offset).to_pandas), outcome(lambda: times - offset), "-")
    span = {"start": "2026-03-28 13:00", "periods": 9, "freq": offset, "tz": "Australia/Lord_Howe", "unit": "us"}
    agree(outcome(lambda: ak.date_range(**span).to_pandas()), outcome(lambda: pd.date_range(**span)), span)
    if offset.n > 0 and not (isinstance(offset, ways.Tick) and offset.nanos < 60 * 10**9):
        series = pd.Series([1.0, 2.0, 4.0], index=times[:3])
        found = outcome(lambda: ak.Series(series).resample(offset).sum().to_pandas())
        agree(found, outcome(lambda: series.resample(offset).sum()), "resample")
    if not isinstance(offset, ways.Tick | ways.Day):
        with pytest.raises(ArgumentError):
            ak.array(plain).floor(offset)


@pytest.mark.parametrize(
    "offset", [ways.Easter(), ways.DateOffset(), ways.MonthEnd(-1), ways.BaseOffset(), ways.Tick()]
)
def test_offsets_that_make_no_bins_are_refused(offset):
    rows = ak.Series([1.0, 2.0], index=pd.DatetimeIndex(["2026-03-28 13:59", "2026-04-28"]))
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        rows.resample(offset).sum()
