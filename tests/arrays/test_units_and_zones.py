"""Times have a unit and a zone: pandas, NumPy and zoneinfo are the reference."""

import datetime
import operator
import zoneinfo
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, InconsistentFilesError, TimeOverflowError

UNITS = ("s", "ms", "us", "ns")
FAR = ["9999-12-31T23:59:59", "NaT", "0001-01-01", "2020-02-29T12:34:56"]
NEAR = ["2024-03-31T00:30", "NaT", "2024-10-27T00:30", "2024-10-27T01:30", "1969-07-20T20:17:40"]
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC", "+02:00")


def zoned(zone, unit="us", times=NEAR):
    return pd.Series(pd.DatetimeIndex(np.array(times, f"M8[{unit}]")).tz_localize("UTC").tz_convert(zone), name="t")


def same(found, expected):
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    found, expected = (pd.Series(item).reset_index(drop=True) for item in (found, expected))
    pd.testing.assert_series_equal(found, expected, check_names=False, check_dtype=expected.dtype.kind in "Mm")


@pytest.mark.parametrize("unit", UNITS[:3])
def test_frames_of_pandas_keep_the_unit(unit):
    frame = pd.DataFrame(
        {"t": np.array(FAR, f"M8[{unit}]"), "d": np.array([1, 2, "NaT", -5], f"m8[{unit}]"), "k": [2, 1, 1, 2]}
    )
    df = ak.DataFrame(frame)
    pd.testing.assert_frame_equal(df.to_pandas(), frame)
    assert (df["t"].unit, df.d.dt.unit) == (unit, unit)
    assert (df["t"].to_ndarray().dtype, df["d"].to_ndarray().dtype) == (f"M8[{unit}]", f"m8[{unit}]")
    assert df.to_arrow().schema.types[:2] == [pa.timestamp(unit), pa.duration(unit)]
    same(ak.Series(frame["t"]), frame["t"])
    same(df.t.dt.year, frame.t.dt.year)
    same(df.t.dt.microsecond, frame.t.dt.microsecond % 1000)
    same(df.t.dt.floor("D"), frame.t.dt.floor("D"))
    same(df.d.dt.total_seconds(), frame.d.dt.total_seconds())
    same(df["d"] * 2, frame["d"] * 2)
    same(df["t"] - df["t"], frame["t"] - frame["t"])
    for name in "td":
        same(df.sort_values(name)[name], frame.sort_values(name)[name])
        same(ak.sort(df[name], ascending=False), frame[name].sort_values(ascending=False))
        same(ak.unique(df[name]), pd.Series(np.unique(frame[name].to_numpy())))
        same(ak.concat([df, df])[name], pd.concat([frame, frame])[name])
        for how in ("min", "max", "mean", "count"):
            same(getattr(df.groupby("k")[name], how)(), getattr(frame.groupby("k")[name], how)())
        for how in ("min", "max"):
            assert getattr(getattr(df, name), how)(skipna=True) == getattr(frame[name], how)()
        same(df.merge(df, on=name)[name], frame.merge(frame, on=name, sort=True)[name])
        same(df.groupby(name, dropna=False).k.sum(), frame.groupby(name, dropna=False).k.sum())
        same(getattr(df, name).shift(), frame[name].shift())


def test_what_akdask_makes_counts_nanoseconds():
    for made in (
        ak.Datetime(["2020-01-01"]),
        ak.Datetime(pd.DatetimeIndex(["2020-01-01"]).as_unit("s")),
        ak.Datetime(ak.array([1]), unit="s"),
        ak.to_datetime(ak.array(["2020-01-01"])),
        ak.date_range("2020-01-01", periods=2),
        ak.array([pd.Timestamp("2020-01-01")]),
        ak.Timedelta(np.array([1], "m8[s]")),
    ):
        assert made.unit == "ns"
    assert ak.array(np.array([1], "M8[us]")).unit == "us"
    assert ak.array(np.array([1], "M8[D]")).unit == "s"
    for far in (ak.array(np.array(FAR, "M8[us]")), np.array(FAR, "M8[us]"), FAR[:1], ak.array(FAR[:1])):
        with pytest.raises(TimeOverflowError):
            ak.Datetime(far).to_ndarray()


times = st.one_of(st.sampled_from([-(2**63), -(2**63) + 1, 2**63 - 1, 0]), st.integers(-(10**12), 10**12))


@given(
    st.lists(times, min_size=1, max_size=8),
    st.lists(times, min_size=1, max_size=8),
    st.sampled_from(UNITS),
    st.sampled_from(UNITS),
)
def test_times_of_different_units_are_compared_exactly(left, right, one, other):
    count = min(len(left), len(right))
    per = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
    first, second = np.array(left[:count]).view(f"M8[{one}]"), np.array(right[:count]).view(f"M8[{other}]")
    for compare in (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne):
        expected = [
            compare is operator.ne if -(2**63) in pair else compare(pair[0] * per[other], pair[1] * per[one])
            for pair in zip(left[:count], right[:count], strict=True)
        ]
        assert compare(ak.array(first), ak.array(second)).tolist() == expected
        if abs(right[0]) <= 10**12 * per[other] // 10**9:
            known = pd.Timestamp(second[0])
            wanted = [
                compare is operator.ne if number == -(2**63) else compare(number * per[other], right[0] * per[one])
                for number in left[:count]
            ]
            assert compare(ak.array(first), known).tolist() == wanted
            assert compare(known, ak.array(first)).tolist() == [
                compare is operator.ne if number == -(2**63) else compare(right[0] * per[one], number * per[other])
                for number in left[:count]
            ]


def test_different_units_meet_in_the_finer_one_or_are_an_error():
    coarse, fine = np.array(["2020-01-01", "2021-01-01"], "M8[s]"), np.array(["2020-01-01", "2022-01-01"], "M8[us]")
    one, other = ak.array(coarse), ak.array(fine)
    same(ak.concatenate([one, other]), pd.Series(np.concatenate([coarse, fine])))
    same(ak.where(ak.array([True, False]), one, other), pd.Series(np.where([True, False], coarse, fine)))
    assert ak.in1d(one, other).tolist() == np.isin(coarse, fine).tolist()
    assert (ak.intersect1d(one, other).to_ndarray() == np.intersect1d(coarse, fine)).all()
    assert ak.searchsorted(one, other).tolist() == np.searchsorted(coarse, fine).tolist()
    left, right = pd.DataFrame({"t": coarse, "x": [1, 2]}), pd.DataFrame({"t": fine, "y": [3, 4]})
    found = ak.DataFrame(left).merge(ak.DataFrame(right), on="t", how="inner")
    assert (found["x"].tolist(), found["y"].tolist()) == ([1], [3])
    assert (one + ak.array(np.array([1, 2], "m8[ms]"))).unit == "ms"
    assert (one - other).unit == "us"
    one[0] = pd.Timestamp("1999-01-01")
    assert one[0] == pd.Timestamp("1999-01-01")
    with pytest.raises(ArgumentError, match="whole number of s"):
        one[0] = pd.Timestamp("1999-01-01T00:00:00.5")
    far = ak.array(np.array(["9999-12-31"], "M8[s]"))
    with pytest.raises(TimeOverflowError, match="in ns"):
        ak.concatenate([far, ak.Datetime(["2020-01-01"])]).to_ndarray()
    assert (far > ak.Datetime(["2020-01-01"])).tolist() == [True]


def test_units_are_changed():
    numbers = np.array([-1, 1500, -(2**63), 10**9])
    for kind in "Mm":
        given = pd.Series(numbers.view(f"{kind}8[ms]"))
        lazy = ak.array(given.to_numpy())
        for unit in UNITS:
            same(lazy.as_unit(unit), given.dt.as_unit(unit))
            same(lazy.astype(f"{'datetime' if kind == 'M' else 'timedelta'}64[{unit}]"), given.dt.as_unit(unit))
            same(ak.Series(lazy).dt.as_unit(unit), given.dt.as_unit(unit))
    with pytest.raises(ArgumentError, match="'D'"):
        lazy.as_unit("D")
    with pytest.raises(ArgumentTypeError):
        lazy.astype("datetime64[s]")


@pytest.mark.parametrize("how", ["mean", "median", "min", "max"])
def test_means_and_quantiles_of_times_are_times(how):
    given = pd.Series(np.array(["2020-01-01", "2020-01-04", "2021-01-01T00:00:01"], "M8[s]"))
    assert getattr(ak.array(given), how)() == getattr(given, how)()
    assert ak.array(given).quantile(0.25) == given.quantile(0.25)
    same(ak.array(given).quantile([0, 0.5]), given.quantile([0, 0.5]))
    assert ak.array(given).std(1).value().as_unit("s") == given.std().as_unit("s")
    spans = given - given[0]
    assert getattr(ak.array(spans), how)() == getattr(spans, how)()


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("unit", ["s", "us", "ns"])
def test_columns_with_a_zone_go_by_its_clocks(zone, unit):
    given = zoned(zone, unit)
    frame = pd.DataFrame({"t": given, "k": range(len(given))})
    df = ak.DataFrame(frame)
    pd.testing.assert_frame_equal(df.to_pandas(), frame)
    assert df["t"].tz == str(given.dt.tz)
    for field in ("year", "month", "day", "hour", "minute", "day_of_week", "day_of_year", "quarter", "is_month_end"):
        same(getattr(df.t.dt, field), getattr(given.dt, field))
    for method in ("day_name", "normalize"):
        same(getattr(df.t.dt, method)(), getattr(given.dt, method)())
    same(df.t.dt.strftime("%Y-%m-%d %H:%M %Z%z"), given.dt.strftime("%Y-%m-%d %H:%M %Z%z"))
    iso = df.t.dt.isocalendar().to_pandas()
    assert iso["week"].fillna(0).tolist() == given.dt.isocalendar()["week"].fillna(0).tolist()
    same(df.t.dt.floor("D"), given.dt.floor("D"))
    same(df.t.dt.ceil("D"), given.dt.ceil("D"))
    same(
        df.t.dt.round("h", ambiguous="NaT", nonexistent="NaT"), given.dt.round("h", ambiguous="NaT", nonexistent="NaT")
    )
    same(df.t.dt.tz_convert("Asia/Tokyo"), given.dt.tz_convert("Asia/Tokyo"))
    same(df.t.dt.tz_convert(None), given.dt.tz_convert(None))
    same(df.t.dt.tz_localize(None), given.dt.tz_localize(None))
    assert df.sort_values("t")["k"].tolist() == frame.sort_values("t")["k"].tolist()
    same(df.groupby("t").k.sum().index.to_pandas(), frame.groupby("t").k.sum().index)
    same(df["t"] - df["t"], given - given)
    same(df["t"] + pd.Timedelta("1D"), given + pd.Timedelta("1D"))
    assert df.to_arrow().schema.field("t").type == pa.timestamp(unit, df["t"].tz)
    assert df["t"][0] == given[0]
    assert df.t.max(skipna=True) == given.max()
    bound = pd.Timestamp("2024-10-27 02:30", tz="UTC")
    for compare in (operator.lt, operator.ge, operator.eq, operator.ne):
        assert compare(df["t"], bound).tolist() == compare(given, bound).tolist()
        assert (
            compare(df["t"], "2024-10-20 02:30").tolist()
            == compare(given, pd.Timestamp("2024-10-20 02:30", tz=zone)).tolist()
        )


def test_parts_are_those_of_zoneinfo():
    berlin = zoneinfo.ZoneInfo("Europe/Berlin")
    seconds = np.arange(1711843200 - 7200, 1711843200 + 7200 * 3, 900)
    found = ak.Datetime(ak.array(seconds), unit="s").tz_localize("UTC").tz_convert(berlin)
    clocks = [datetime.datetime.fromtimestamp(second, berlin) for second in seconds.tolist()]
    assert found.hour.tolist() == [clock.hour for clock in clocks]
    assert found.minute.tolist() == [clock.minute for clock in clocks]
    days = found.floor("D")
    lengths = (ak.Datetime(["2024-04-01"]).tz_localize(berlin) - days[-1]).total_seconds()
    assert lengths.tolist() == [23 * 3600.0]


@pytest.mark.parametrize("ambiguous", ["raise", "NaT", True, False, "array"])
@pytest.mark.parametrize("nonexistent", ["raise", "NaT", "shift_forward", "shift_backward", pd.Timedelta("1h")])
def test_clocks_are_taken_to_times_as_pandas_does(ambiguous, nonexistent):
    clocks = pd.Series(
        np.array(["2024-03-31T02:30", "2024-10-27T02:30", "2024-07-01", "NaT", "2024-10-27T02:45"], "M8[s]")
    )
    flags = np.array([True, True, False, False, False]) if ambiguous == "array" else ambiguous
    lazy = ak.Series(clocks)
    try:
        expected = clocks.dt.tz_localize("Europe/Berlin", ambiguous=flags, nonexistent=nonexistent)
    except ValueError:
        with pytest.raises(ArgumentError, match="Europe/Berlin"):
            lazy.dt.tz_localize("Europe/Berlin", ambiguous=flags, nonexistent=nonexistent).tolist()
        return
    same(lazy.dt.tz_localize("Europe/Berlin", ambiguous=flags, nonexistent=nonexistent), expected)


def test_zones_that_make_no_sense_are_refused():
    plain = ak.Datetime(["2020-01-01"])
    aware = plain.tz_localize("Europe/Berlin")
    for wrong in ("Europe/Nowhere", "nonsense", 17.5):
        with pytest.raises(ArgumentError):
            plain.tz_localize(wrong)
    with pytest.raises(ArgumentTypeError):
        plain.tz_convert("UTC")
    with pytest.raises(ArgumentTypeError):
        aware.tz_localize("UTC")


@pytest.mark.parametrize(
    ("zone", "clocks"),
    [
        (
            "Europe/Berlin",
            ["2023-10-29 01:30", "2023-10-29 02:30", "2023-10-29 02:45", "2023-10-29 02:30", "2023-10-30"],
        ),
        ("America/New_York", ["2023-11-05 01:10", "2023-11-05 01:50", "2023-11-05 01:10", "2023-11-05 01:50"]),
        ("Australia/Lord_Howe", ["2023-04-02 01:15", "2023-04-02 01:45", "2023-04-02 01:40", "2023-04-02 01:50"]),
        ("Europe/Berlin", ["2023-03-26 01:30", "2023-07-01 00:00"]),
        ("UTC", ["2023-03-26 01:30"]),
        ("Europe/Berlin", ["2023-10-29 02:30"]),
        ("Europe/Berlin", ["2023-03-26 02:30"]),
    ],
)
def test_the_order_of_times_tells_which_are_the_first_of_both(zone, clocks):
    plain = pd.Series(pd.to_datetime(clocks, format="mixed"))
    lazy = ak.Series.concat([ak.Series(plain[:2].to_numpy()), ak.Series(plain[2:].to_numpy())])
    labelled = pd.Series(np.arange(len(plain)), index=plain)
    try:
        expected = plain.dt.tz_localize(zone, ambiguous="infer")
    except ValueError:
        with pytest.raises(ArgumentError, match="Berlin"):
            lazy.dt.tz_localize(zone, ambiguous="infer").tolist()
        return
    same(lazy.dt.tz_localize(zone, ambiguous="infer"), expected)
    rows = ak.Series(ak.arange(len(plain)), index=ak.Series(plain.to_numpy()))
    found = rows.tz_localize(zone, ambiguous="infer").to_pandas().index
    assert found.equals(labelled.tz_localize(zone, ambiguous="infer").index)


def test_times_with_and_without_a_zone_do_not_meet():
    plain = ak.Datetime(["2020-01-01"])
    aware = plain.tz_localize("Europe/Berlin")
    frames = [ak.DataFrame({"t": item}) for item in (plain, aware)]
    for wrong in (
        lambda: plain < aware,
        lambda: aware == plain,
        lambda: aware != pd.Timestamp("2020-01-01"),
        lambda: plain > pd.Timestamp("2020-01-01", tz="UTC"),
        lambda: aware - plain,
        lambda: plain - pd.Timestamp("2020-01-01", tz="UTC"),
        lambda: ak.where(ak.array([True]), aware, plain),
        lambda: ak.concatenate([aware, plain]),
        lambda: ak.in1d(aware, plain),
        lambda: ak.concat(frames),
        lambda: frames[0].merge(frames[1], on="t"),
        lambda: ak.searchsorted(plain, aware),
        lambda: aware.__setitem__(0, pd.Timestamp("2020-01-01")),
    ):
        with pytest.raises(TypeError):
            wrong()
    other = aware.tz_convert("Asia/Tokyo")
    assert (aware == other).tolist() == [True]
    assert (aware - other).total_seconds().tolist() == [0.0]
    assert ak.concatenate([aware, other]).tz == "UTC"


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("zone", [None, "Europe/Berlin", "+02:00"])
def test_parquet_keeps_unit_and_zone(tmp_path, unit, zone):
    given = zoned(zone, unit) if zone else pd.Series(np.array(FAR if unit != "ns" else NEAR, f"M8[{unit}]"), name="t")
    frame = pd.DataFrame({"t": given, "d": np.arange(len(given)).astype(f"m8[{unit}]"), "k": range(len(given))})
    # Parquet has no seconds.
    expected = frame.assign(t=frame["t"].dt.as_unit("ms")) if unit == "s" else frame
    ak.DataFrame(frame).to_parquet(tmp_path / "own")
    df = ak.DataFrame(ak.read_parquet(f"{tmp_path}/own*"))
    pd.testing.assert_frame_equal(df.to_pandas()[list(frame)], expected)
    same(df.t.dt.year, frame.t.dt.year)
    frame.to_parquet(tmp_path / "pandas")
    others = ak.DataFrame(ak.read_parquet(tmp_path / "pandas"))
    pd.testing.assert_frame_equal(others.to_pandas()[list(frame)], pd.read_parquet(tmp_path / "pandas")[list(frame)])
    bound = pd.Timestamp("2024-06-01", tz=zone)
    for read in (df, others):
        assert read["k"][read["t"] < bound].tolist() == frame["k"][frame["t"] < bound].tolist()


def test_parquet_files_of_different_units_meet_in_the_finest(tmp_path):
    for number, kind in enumerate((pa.date32(), pa.timestamp("ms"), pa.timestamp("us"))):
        column = pa.array([datetime.date(2020, 1, 1 + number), None]).cast(kind)
        pq.write_table(pa.table({"t": column}), tmp_path / f"x_LOCALE000{number}")
    found = ak.read_parquet(f"{tmp_path}/x*")["t"]
    assert (
        found.to_ndarray().tolist()
        == np.array(["2020-01-01", "NaT", "2020-01-02", "NaT", "2020-01-03", "NaT"], "M8[us]").tolist()
    )
    assert found[found > "2020-01-02"].to_ndarray() == np.array(["2020-01-03"], "M8[us]")
    pq.write_table(pa.table({"t": pa.array([1], pa.timestamp("us", "UTC"))}), tmp_path / "x_LOCALE0003")
    with pytest.raises(InconsistentFilesError):
        ak.read_parquet(f"{tmp_path}/x*")["t"].to_ndarray()


def test_files_of_arkouda_have_nanoseconds_of_utc(tmp_path):
    near = ak.DataFrame({"t": np.array(NEAR, "M8[s]"), "d": np.array([1, 2, 3, 4, 5], "m8[ms]")})
    near.to_hdf(f"{tmp_path}/near")
    again = ak.DataFrame(ak.read_hdf(f"{tmp_path}/near*"))
    assert (again["t"].unit, again["d"].unit) == ("ns", "ns")
    np.testing.assert_array_equal(again["t"].to_ndarray(), np.array(NEAR, "M8[ns]"))
    np.testing.assert_array_equal(again["d"].to_ndarray(), np.arange(1, 6).astype("m8[ms]"))
    with pytest.raises(TimeOverflowError, match=r"'t'(.|\n)*253402300799"):
        ak.DataFrame({"t": np.array(FAR, "M8[s]")}).to_hdf(f"{tmp_path}/far")
    aware = ak.DataFrame({"t": zoned("Europe/Berlin")})
    with pytest.warns(UserWarning, match=r"'t'(.|\n)*UTC(.|\n)*Europe/Berlin"):
        aware.to_hdf(f"{tmp_path}/aware")
    np.testing.assert_array_equal(ak.read_hdf(f"{tmp_path}/aware*")["t"].to_ndarray(), np.array(NEAR, "M8[ns]"))


def test_labels_of_rows_take_zones():
    labels = pd.DatetimeIndex(np.array(NEAR, "M8[us]"), name="t")
    for pandas, lazy in (
        (pd.Series(range(5), index=labels), ak.Series(np.arange(5), index=ak.array(labels))),
        (pd.DataFrame({"x": range(5)}, index=labels), ak.DataFrame({"x": np.arange(5)}, index=ak.array(labels))),
    ):
        expected = pandas.tz_localize("UTC").tz_convert("Europe/Berlin")
        found = lazy.tz_localize("UTC").tz_convert("Europe/Berlin")
        pd.testing.assert_index_equal(found.index.to_pandas(), expected.index, check_names=False)
        assert found.index.tz == "Europe/Berlin"
        assert found.index.tz_convert(None).to_pandas().tolist() == expected.index.tz_convert(None).tolist()
        assert found.loc["2024-10-27"].index.size == len(expected.loc["2024-10-27"])
    with pytest.raises(ArgumentTypeError, match="labels that are times"):
        ak.Series([1, 2]).tz_localize("UTC")


def test_elements_with_a_zone_are_listed_with_it():
    given = zoned("Europe/Berlin")
    assert str(ak.array(given).tolist()) == str(given.tolist())


@pytest.mark.parametrize("how", [ak.corr, ak.cov])
def test_times_are_no_numbers_that_vary_with_others(how):
    times, numbers = ak.Datetime(["2026-01-01", "2026-01-03", "2026-01-04"]), ak.array([1, 2, 4])
    for one, other in ((times, numbers), (numbers, times), (times - times[0], numbers)):
        with pytest.raises(ArgumentTypeError):
            how(one, other)


EDGES = (0, 3, -(2**62), 2**62)


@pytest.mark.parametrize("how", ["lt", "le", "gt", "ge", "eq", "ne"])
@pytest.mark.parametrize("unit", ["s", "ns"])
def test_times_compare_with_those_that_their_unit_does_not_hold(how, unit):
    times = pd.Series(np.array([*EDGES, np.iinfo(np.int64).min], np.int64).view(f"M8[{unit}]"))
    others = ["1970-01-01", "1970-01-01 00:00:03", "1970-01-01 00:00:02.5", "9999-12-31", "0001-01-01"]
    mine = ak.Series(times)
    exact = [None if pd.isna(time) else int(number) for time, number in zip(times, times.astype("int64"), strict=True)]
    for other in others:
        number = Fraction(int(np.datetime64(other, "us").astype(np.int64)), 10**6)
        compared = [
            how == "ne" if one is None else getattr(operator, how)(Fraction(one, {"s": 1, "ns": 10**9}[unit]), number)
            for one in exact
        ]
        assert getattr(operator, how)(mine, pd.Timestamp(other)).tolist() == compared, other


@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
@pytest.mark.parametrize(
    ("given", "how"),
    [
        ([20260105, 20260201], {"format": "%Y%m%d"}),
        ([20260105.0, np.nan], {"format": "%Y%m%d"}),
        ([20260105, 7], {"format": "%Y%m%d", "errors": "coerce"}),
        (["2026-01-05", None], {"format": "%Y-%m-%d"}),
        (["2026-01-05", None, "?"], {"errors": "coerce"}),
        (["05/01/2026", "13/02/2026", None], {"dayfirst": True}),
        (["2026-01-05T00:00+02:00", "2026-01-05T00:00+01:00", None], {"utc": True}),
        (["2026-01-05 10:00", "2026-02-01 12:00"], {"utc": True}),
        ([1, 2], {"unit": "h", "utc": True}),
    ],
)
def test_text_and_numbers_are_read_as_by_pandas(given, how):
    expected = pd.to_datetime(pd.Series(given), **how)
    found = ak.to_datetime(ak.Series(pd.Series(given)), **how).to_pandas()
    assert found.astype(str).tolist() == expected.astype(str).tolist()
    assert found.dt.tz == expected.dt.tz


def test_numbers_that_are_not_written_so_are_refused():
    with pytest.raises(ArgumentError):
        ak.to_datetime(ak.array([7]), format="%Y%m%d").to_ndarray()


def test_bounds_of_all_values_are_put_in_order():
    expected = pd.Series([1, 5, 9])
    assert ak.Series(expected).clip(8, 2).tolist() == expected.clip(8, 2).tolist()
    assert ak.DataFrame({"x": expected}).clip(8, 2)["x"].tolist() == expected.clip(8, 2).tolist()
    days = pd.Series(pd.to_datetime(["2026-01-05", "2026-02-01", "2026-03-01"]))
    late, early = days[2], days[1]
    assert ak.Series(days).clip(late, early).to_pandas().tolist() == days.clip(late, early).tolist()
