"""Frequencies: pandas' parser is the reference, and Arkouda's source for its names of units."""

import datetime
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.arrays.calendar import UNIT_SPANS, frequency_of, rounding_span
from akdask.arrays.rules import ARKOUDA, PANDAS
from akdask.errors import ArgumentError, ArgumentTypeError

CALENDAR = [
    *(
        "W",
        "W-WED",
        "2W",
        "B",
        "C",
        "ME",
        "MS",
        "2MS",
        "BME",
        "BMS",
        "CBME",
        "CBMS",
        "SME",
        "SMS",
        "QE",
        "QE-NOV",
        "QS",
    ),
    *("BQE", "BQS", "YE", "YE-JUN", "YS", "YS-APR", "BYE", "BYS", "bh", "cbh", "WOM-1MON", "LWOM-FRI"),
]
FIXED = ["D", "2D", "7D", "h", "6h", "1.5h", "1h30min", "min", "15min", "s", "90s", "ms", "250ms", "us", "ns", "7ns"]
REFUSED = ["M", "Q", "Y", "A", "H", "T", "S", "L", "U", "N", "BM", "SM", "BQ", "BY", "AS", "CBM", "BH", "", "x", "5"]
INSTANTS = pd.DatetimeIndex(
    ["1969-12-31 23:59:59.999999999", "2000-02-29", "2024-12-30 01:02:03.004005006", "1815-06-18 11:35", "2100-03-01"]
)
nanoseconds = st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=20)


def refusal(ask):
    """Return the words with which pandas refuses something, None if it does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ask()
        except (ValueError, TypeError) as error:
            return str(error)
    return None


KNOWN_TO_OLD_PANDAS = [
    freq for freq in REFUSED if refusal(lambda freq=freq: pd.tseries.frequencies.to_offset(freq)) is None
]


@pytest.mark.parametrize("freq", FIXED + CALENDAR)
def test_text_is_read_as_pandas_reads_it(freq):
    found, offset = frequency_of(freq, asked="test"), pd.tseries.frequencies.to_offset(freq)
    assert found.offset == offset
    assert found.span == (None if freq in CALENDAR else pd.Timedelta(freq if freq[0].isdigit() else f"1{freq}").value)


@pytest.mark.parametrize("freq", REFUSED)
@pytest.mark.parametrize(
    "ask", [lambda times, freq: times.floor(freq), lambda times, freq: ak.date_range("2024", periods=2, freq=freq)]
)
def test_text_that_pandas_refuses_is_refused_with_its_words(freq, ask):
    words = refusal(lambda: pd.tseries.frequencies.to_offset(freq))
    if words is None:
        pytest.skip("this pandas knows it")
    with pytest.raises(ArgumentError) as refused:
        ask(ak.Datetime(INSTANTS), freq)
    assert words.rstrip(".") in str(refused.value)
    assert "Hint" in str(refused.value)


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("freq", [*CALENDAR, pd.offsets.MonthEnd(), pd.DateOffset(months=1), pd.offsets.BDay(2)])
def test_only_fixed_frequencies_round(how, freq):
    assert "non-fixed frequency" in refusal(lambda: getattr(INSTANTS, how)(freq))
    for array in (ak.Datetime(INSTANTS), ak.Timedelta(np.arange(3).astype("m8[ns]"))):
        with pytest.raises(ArgumentError, match="non-fixed frequency"):
            getattr(array, how)(freq)
        with pytest.raises(ArgumentError, match="non-fixed frequency"):
            getattr(ak.Series(array).dt, how)(freq)


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@pytest.mark.parametrize("freq", FIXED)
@given(numbers=nanoseconds)
def test_rounding_is_that_of_pandas(how, freq, numbers):
    index = pd.DatetimeIndex(np.array(numbers, "M8[ns]"))
    np.testing.assert_array_equal(
        getattr(ak.Datetime(ak.array(numbers)), how)(freq).to_ndarray(), getattr(index, how)(freq).to_numpy()
    )


@pytest.mark.parametrize(
    "freq",
    [
        pd.offsets.Hour(6),
        pd.offsets.Day(2),
        pd.Timedelta("90min"),
        datetime.timedelta(hours=7),
        np.timedelta64(36, "h"),
        ak.Timedelta(np.array([5, 90], "m8[m]")).max(),
    ],
)
def test_frequencies_are_offsets_and_spans_as_well(freq):
    span = frequency_of(freq, asked="test").span
    expected = INSTANTS.floor(pd.Timedelta(span))
    np.testing.assert_array_equal(ak.Datetime(INSTANTS).floor(freq).to_ndarray(), expected.to_numpy())


@pytest.mark.parametrize("freq", [None, 5, 1.5, True, pd.NaT, ("D",), INSTANTS[0]])
def test_what_is_no_frequency_is_refused(freq):
    with pytest.raises(ArgumentTypeError, match="frequency"):
        ak.Datetime(INSTANTS).floor(freq)


@pytest.mark.parametrize("freq", ["0D", "-1h"])
def test_frequencies_that_are_not_longer_than_nothing_are_refused(freq):
    with pytest.raises(ArgumentError, match="longer than nothing"):
        ak.Datetime(INSTANTS).round(freq)


@pytest.mark.parametrize(
    ("unit", "freq"),
    [("w", "7D"), ("d", "D"), ("m", "min"), ("minutes", "min"), ("hrs", "h"), ("u", "us"), ("day", "D")],
)
def test_rounding_knows_the_units_of_arkouda(unit, freq):
    # arkouda/numpy/timeclass.py, _get_factor; case matters since pandas' W, M and MS are others.
    for how in ("floor", "ceil", "round"):
        np.testing.assert_array_equal(
            getattr(ak.Datetime(INSTANTS), how)(unit).to_ndarray(), getattr(INSTANTS, how)(freq).to_numpy()
        )


def test_the_table_of_rules_says_whether_units_are_known():
    assert rounding_span("m", ARKOUDA, asked="floor") == UNIT_SPANS["minutes"]
    with pytest.raises(ArgumentError, match="ME"):
        rounding_span("m", PANDAS, asked="floor")


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("freq", [*FIXED[:9], *CALENDAR])
@pytest.mark.parametrize(
    "params",
    [
        {"start": "1969-12-29 05:00", "periods": 6},
        {"end": "2024-02-29", "periods": 5},
        {"start": "2023-12-30 12:00", "end": "2024-03-02", "normalize": True, "inclusive": "left"},
    ],
)
def test_ranges_of_times_are_those_of_pandas(freq, params):
    if "end" in params and "start" in params and freq == "15min":
        params = params | {"start": "2024-03-01"}
    expected = pd.date_range(freq=freq, **params)
    np.testing.assert_array_equal(ak.date_range(freq=freq, **params).to_ndarray(), expected.to_numpy())


@pytest.mark.parametrize("unit", ["s", "ms", "us"])
def test_ranges_count_the_unit_that_is_asked_for(unit):
    expected = pd.date_range("2024-01-31", periods=3, freq="ME", unit=unit)
    found = ak.date_range("2024-01-31", periods=3, freq="ME", unit=unit)
    assert found.unit == unit
    assert found.values.tolist() == expected.asi8.tolist()
    assert ak.date_range("2024-01-31", periods=3).unit == "ns"


def test_ranges_go_by_the_clocks_of_a_zone():
    expected = pd.date_range("2024-03-30", periods=3, tz="Europe/Berlin").as_unit("ns")
    found = ak.date_range("2024-03-30", periods=3, tz="Europe/Berlin")
    assert found.values.tolist() == expected.asi8.tolist()
    assert found.hour.tolist() == [0, 0, 0]


def test_ranges_of_business_days_and_of_spans_are_those_of_pandas():
    params = {"start": "2024-01-01", "end": "2024-01-20"}
    np.testing.assert_array_equal(ak.bdate_range(**params).to_ndarray(), pd.bdate_range(**params).to_numpy())
    params |= {"freq": "C", "weekmask": "Sun Mon Tue", "holidays": ["2024-01-08"]}
    np.testing.assert_array_equal(ak.bdate_range(**params).to_ndarray(), pd.bdate_range(**params).to_numpy())
    params = {"start": "1h", "end": "3D", "freq": "7h", "closed": "left"}
    np.testing.assert_array_equal(ak.timedelta_range(**params).to_ndarray(), pd.timedelta_range(**params).to_numpy())


@pytest.mark.parametrize(
    "ask",
    [
        lambda: ak.date_range("2024", periods=2, end="2025", freq="D"),
        lambda: ak.date_range("2024", freq="D"),
        lambda: ak.date_range("never", periods=2),
        lambda: ak.date_range("2024", periods=2, inclusive="some"),
        lambda: ak.bdate_range("2024", periods=3, weekmask="Mon"),
        lambda: ak.timedelta_range("1h", periods=3, freq="MS"),
    ],
)
def test_ranges_that_pandas_refuses_are_refused(ask):
    with pytest.raises(ArgumentError, match="range"):
        ask()
