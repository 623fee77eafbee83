"""Times and spans: pandas is the reference."""

import datetime
import operator
import warnings

import dask
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError

TIMES = pd.DatetimeIndex(
    ["1969-12-31T23:59:59.999999999", "2000-02-29", "2024-12-30T01:02:03.004005006", "2100-03-01", "1677-09-22"]
)
SPANS = pd.TimedeltaIndex(np.array([0, -1, 86_400 * 10**9 + 1, 90_061_001_002_003, -(10**15) - 7], "m8[ns]"))
SAME_AS_PANDAS = ("year", "month", "day", "hour", "minute", "second", "day_of_year", "day_of_week", "is_leap_year")

nanoseconds = st.lists(st.integers(-(2**62), 2**62), min_size=1, max_size=30)


@pytest.fixture(params=[1, 2])
def times(request):
    with ak.config.set(small_array=len(TIMES) if request.param == 1 else 1):
        yield ak.Datetime(TIMES)


@pytest.fixture
def spans():
    return ak.Timedelta(SPANS)


def test_times_are_made_of_whatever_holds_times():
    expected = TIMES.to_numpy()
    text = [str(time) for time in expected]
    for given_times in (
        TIMES,
        pd.Series(TIMES),
        expected,
        expected.astype(object),
        text,
        np.array(text),
        ak.array(text),
        ak.array(expected.view(np.int64)),
        expected.view(np.int64),
        TIMES.tz_localize("UTC").tz_convert("Asia/Tokyo"),
    ):
        found = ak.Datetime(given_times)
        assert found.dtype == np.int64
        np.testing.assert_array_equal(found.to_ndarray(), expected)
        assert found.tz == getattr(getattr(given_times, "tz", None), "key", None)
        pd.testing.assert_index_equal(found.to_pandas(), TIMES if found.tz is None else given_times)
    days = np.array([0, 11_016], "M8[D]")
    np.testing.assert_array_equal(ak.Datetime(days).to_ndarray(), days.astype("M8[ns]"))


def test_spans_are_made_of_whatever_holds_spans():
    expected = SPANS.to_numpy()
    for given_spans in (SPANS, pd.Series(SPANS), expected, list(map(str, SPANS)), ak.array(list(map(str, SPANS)))):
        np.testing.assert_array_equal(ak.Timedelta(given_spans).to_ndarray(), expected)
    pd.testing.assert_index_equal(ak.Timedelta(SPANS).to_pandas(), SPANS)


def test_data_with_a_dtype_of_times_become_times():
    assert isinstance(ak.array(TIMES), ak.Datetime)
    assert isinstance(ak.array(SPANS.to_numpy()), ak.Timedelta)


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        ("w", 604800),
        ("days", 86400),
        ("H", 3600),
        ("hrs", 3600),
        ("m", 60),
        ("min", 60),
        ("sec", 1),
        ("ms", 1e-3),
        ("ns", 1e-9),
    ],
)
def test_numbers_count_units(unit, count):
    for three in (ak.array([3]), np.array([3]), [3]):
        assert ak.Timedelta(three, unit=unit).total_seconds().tolist() == [pytest.approx(3 * count)]


def test_what_is_no_time_is_refused():
    with pytest.raises(ArgumentError, match="time"):
        ak.Datetime(["yesterday"])
    for fractions in (ak.array([1.5]), np.array([1.5]), [1.5], pd.Series([1, 2.5])):
        with pytest.raises(ArgumentTypeError, match="float64"):
            ak.Datetime(fractions)
    for one in (5, "2024-01-01", pd.Timestamp("2024-01-01")):
        with pytest.raises(ArgumentTypeError, match="sequence"):
            ak.Datetime(one)
    with pytest.raises(ArgumentError, match="unit"):
        ak.Datetime(ak.array([1]), unit="fortnight")
    with pytest.raises(ArgumentError, match="time"):
        ak.Datetime(["9999-01-01"])


@pytest.mark.parametrize("field", SAME_AS_PANDAS)
def test_calendar_fields_are_those_of_pandas(times, field):
    np.testing.assert_array_equal(getattr(times, field).to_ndarray(), getattr(TIMES, field))


@given(nanoseconds)
def test_iso_weeks_are_those_of_pandas(numbers):
    expected = pd.DatetimeIndex(np.array(numbers, "M8[ns]")).isocalendar().reset_index(drop=True).astype(np.int64)
    pd.testing.assert_frame_equal(ak.Datetime(ak.array(numbers)).isocalendar().to_pandas(), expected)


def test_fractions_of_a_second_are_counted_in_three_digits_each(times):
    fractions = TIMES.microsecond * 1000 + TIMES.nanosecond
    np.testing.assert_array_equal(times.millisecond.to_ndarray(), fractions // 10**6)
    np.testing.assert_array_equal(times.microsecond.to_ndarray(), fractions // 10**3 % 1000)
    np.testing.assert_array_equal(times.nanosecond.to_ndarray(), fractions % 1000)
    assert times.weekday.tolist() == times.dayofweek.tolist() == TIMES.day_of_week.tolist()
    assert times.dayofyear.tolist() == TIMES.day_of_year.tolist()
    assert times.weekofyear.tolist() == times.week.tolist()
    pd.testing.assert_index_equal(times.date.to_pandas(), TIMES.normalize())


@pytest.mark.parametrize("how", ["floor", "ceil", "round"])
@given(numbers=nanoseconds, step=st.sampled_from(["D", "h", "15min", "s", "7s", "ms", "us", "ns"]))
def test_rounding_is_that_of_pandas(how, numbers, step):
    for array, index in (
        (ak.Datetime(ak.array(numbers)), pd.DatetimeIndex(np.array(numbers, "M8[ns]"))),
        (ak.Timedelta(ak.array(numbers)), pd.TimedeltaIndex(np.array(numbers, "m8[ns]"))),
    ):
        found = getattr(array, how)(step)
        assert type(found) is type(array)
        np.testing.assert_array_equal(found.to_ndarray(), getattr(index, how)(step).to_numpy())


def test_components_of_spans_are_those_of_pandas(spans):
    pd.testing.assert_frame_equal(spans.components.to_pandas(), SPANS.components, check_dtype=False)
    for field in ("days", "seconds", "microseconds", "nanoseconds"):
        np.testing.assert_array_equal(getattr(spans, field).to_ndarray(), getattr(SPANS, field))
    np.testing.assert_allclose(spans.total_seconds().to_ndarray(), SPANS.total_seconds())
    np.testing.assert_array_equal(spans.abs().to_ndarray(), abs(SPANS).to_numpy())


FIVE = np.arange(1, 6)
PAIRS = [
    (operator.add, TIMES[1:4], SPANS[1:4]),
    (operator.add, SPANS[1:4], TIMES[1:4]),
    (operator.add, SPANS, SPANS),
    (operator.sub, TIMES[1:4], SPANS[1:4]),
    (operator.sub, TIMES[1:4], TIMES[1:4][::-1]),
    (operator.sub, SPANS, SPANS[::-1]),
    (operator.mul, SPANS, FIVE),
    (operator.mul, FIVE, SPANS),
    (operator.floordiv, SPANS, SPANS[3]),
    (operator.truediv, SPANS, SPANS[3]),
    (operator.mod, SPANS, SPANS[3]),
    *((op, TIMES, TIMES[2]) for op in (operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge)),
    *((op, SPANS, SPANS[2]) for op in (operator.lt, operator.eq, operator.ge)),
    (operator.sub, TIMES[1:4], TIMES[1]),
    (operator.sub, TIMES[1], TIMES[1:4]),
    (operator.add, SPANS[2], TIMES[1:4]),
]


def test_dividing_spans_by_whole_numbers_rounds_down(spans):
    np.testing.assert_array_equal((spans // FIVE).to_ndarray().view(np.int64), SPANS.asi8 // FIVE)


def lazy(item):
    return ak.array(item) if isinstance(item, np.ndarray | pd.Index) else item


@pytest.mark.parametrize(("operation", "left", "right"), PAIRS)
def test_arithmetic_is_that_of_pandas(operation, left, right):
    expected = np.asarray(operation(left, right))
    found = operation(lazy(left), lazy(right))
    assert type(found) is {"M": ak.Datetime, "m": ak.Timedelta}.get(expected.dtype.kind, ak.pdarray)
    np.testing.assert_array_equal(found.to_ndarray(), expected)


@pytest.mark.parametrize(
    "other",
    [
        pd.Timestamp("2000-02-29"),
        np.datetime64("2000-02-29"),
        datetime.datetime(2000, 2, 29, tzinfo=datetime.UTC),
        "2000-02-29",
        pd.Timestamp("2000-02-29", tz="UTC").tz_convert("Asia/Tokyo"),
    ],
)
def test_scalars_of_any_library_stand_beside_times(times, other):
    zone = pd.Timestamp(other).tzinfo
    plain, times = (TIMES, times) if zone is None else (TIMES.tz_localize("UTC"), times.tz_localize("UTC"))
    assert (times == other).tolist() == [False, True, False, False, False]
    assert (other == times).tolist() == [False, True, False, False, False]
    np.testing.assert_array_equal((times[1:3] - other).to_ndarray(), (plain[1:3] - pd.Timestamp(other)))


def test_meaningless_operations_are_refused(times, spans):
    for wrong in (
        lambda: times + times,
        lambda: times * 2,
        lambda: times + 1,
        lambda: 1 - times,
        lambda: spans - times,
        lambda: times < spans,
        times.sum,
        times.prod,
        lambda: times & times,
        lambda: -times,
    ):
        with pytest.raises(ArgumentTypeError):
            wrong()


def test_in_place_operators_keep_the_kind(times, spans):
    short = times[1:4]
    before = short.to_pandas()
    short += pd.Timedelta("1D")
    pd.testing.assert_index_equal(short.to_pandas(), before + pd.Timedelta("1D"))
    with pytest.raises(ArgumentTypeError, match="Timedelta"):
        short -= before[0]


def test_reductions_are_lazy_times(times, spans):
    smallest, largest, total, spread = dask.compute(times.min(), times.max(), spans.sum(), spans.std())
    assert (smallest, largest, total) == (TIMES.min(), TIMES.max(), SPANS.sum())
    assert isinstance(times.std().compute(), pd.Timedelta)
    assert abs(spread - SPANS.to_series().std(ddof=0)) < pd.Timedelta("1us")
    assert isinstance(times.min(), ak.Scalar)
    assert times.min() == TIMES.min()
    assert (times == times.max()).tolist() == (TIMES.max() == TIMES).tolist()
    (kept,) = dask.persist(times.min())
    assert kept == TIMES.min()
    pd.testing.assert_index_equal((times[1:4] - times[1:4].min()).to_pandas(), TIMES[1:4] - TIMES[1:4].min())


def test_choosing_rows_keeps_the_kind(times):
    assert times[1] == TIMES[1]
    assert isinstance(times[1], pd.Timestamp)
    assert list(times) == list(TIMES)
    for key in (slice(1, 4), [3, 0], TIMES.year > 2000):
        assert isinstance(times[key], ak.Datetime)
        pd.testing.assert_index_equal(times[key].to_pandas(), TIMES[key])
    joined = ak.concatenate([times, times[:1]])
    pd.testing.assert_index_equal(joined.to_pandas(), TIMES.append(TIMES[:1]))
    chosen = ak.where(times > "2000", times, times.date)
    pd.testing.assert_index_equal(
        chosen.to_pandas(), pd.DatetimeIndex(np.where(TIMES > "2000", TIMES, TIMES.normalize()))
    )


def test_assignment_takes_times_only(times):
    expected = TIMES.to_numpy(copy=True)
    times[0] = "2001-01-01"
    times[TIMES.year > 2050] = pd.Timestamp("2050-01-01")
    expected[0], expected[3] = np.datetime64("2001-01-01"), np.datetime64("2050-01-01")
    np.testing.assert_array_equal(times.to_ndarray(), expected)
    for wrong in (5, pd.Timedelta("1D")):
        with pytest.raises(ArgumentTypeError, match="assign"):
            times[0] = wrong


def test_ranges_are_those_of_pandas():
    found = ak.date_range("2024-01-31", periods=4, freq="MS")
    assert found.to_pandas().tolist() == pd.date_range("2024-01-31", periods=4, freq="MS").tolist()
    found = ak.timedelta_range("1h", "5h", freq="2h", closed="left")
    expected = pd.timedelta_range("1h", "5h", freq="2h", closed="left")
    np.testing.assert_array_equal(found.to_ndarray(), expected.to_numpy())


def test_columns_of_a_frame_keep_their_kind():
    frame = pd.DataFrame({"t": TIMES, "d": SPANS, "x": range(5)}, index=TIMES)
    df = ak.DataFrame(frame)
    assert df.dtypes == {"t": "Datetime", "d": "Timedelta", "x": "int64"}
    expected = pd.DataFrame({"t": TIMES, "d": SPANS, "x": range(5)}, index=TIMES)
    pd.testing.assert_frame_equal(df.compute(), expected, check_index_type=False, check_freq=False)
    chosen = df[df["t"] > "2000"]
    pd.testing.assert_frame_equal(chosen.compute(), expected[expected["t"] > "2000"], check_freq=False)
    assert df[1]["t"] == TIMES[1]
    assert df.sum().index.tolist() == ["x"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pd.testing.assert_frame_equal(df.to_dask().compute(), expected, check_freq=False)
    pd.testing.assert_frame_equal(df.persist().compute(), expected, check_freq=False)


def test_display_shows_times(times):
    assert "2000-02-29 00:00:00" in repr(times)
    assert repr(times).startswith("Datetime(")
    assert "1 days" in repr(ak.Timedelta(SPANS))
    assert repr(ak.Datetime(TIMES[:0])) == "Datetime([],\n         dtype='datetime64[ns]')"


def test_equal_arrays_are_of_the_same_kind(times):
    assert times.equals(ak.Datetime(TIMES))
    assert not times.equals(times.values)
    assert times.values.equals(ak.array(TIMES.to_numpy().view(np.int64)))
    np.testing.assert_array_equal(ak.cast(times, "int64").to_ndarray(), TIMES.asi8)


def test_times_and_spans_are_made_of_each_other_by_their_nanoseconds():
    days = np.array(["1970-01-02", "NaT", "1969-12-31T23:59:59"], "M8[s]")
    numbers = days.astype("M8[ns]").astype(np.int64)
    for times in (days, pd.Series(days), pd.DatetimeIndex(days, tz="UTC"), ak.Datetime(days)):
        spans = ak.Timedelta(times)
        assert spans.values.tolist() == numbers.tolist()
        assert spans.to_pandas().equals(pd.TimedeltaIndex(numbers))
        assert ak.Datetime(spans).to_pandas().equals(pd.DatetimeIndex(numbers))
    of_spans = ak.Datetime(pd.timedelta_range("1s", periods=2))
    assert of_spans.to_pandas().equals(pd.DatetimeIndex([10**9, 86401 * 10**9]))
    assert int(ak.Datetime(np.array([2], "m8[h]")).hour[0]) == 2
