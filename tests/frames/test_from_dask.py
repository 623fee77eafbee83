from __future__ import annotations

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, SchemaError, TimeOverflowError

FRAME = pd.DataFrame(
    {
        "i": np.arange(10) * 3,
        "n": np.arange(10, dtype=np.int16),
        "f": np.linspace(0, 1, 10),
        "b": np.arange(10) % 2 == 0,
        "s": [f"t{k}" for k in range(10)],
        "t": pd.date_range("2020", periods=10, unit="ns"),
        "d": pd.to_timedelta(np.arange(10), unit="s").as_unit("ns"),
        "c": pd.Categorical(["x", "y"] * 5),
    }
)


def test_frames_keep_values_types_and_partitions():
    df = ak.from_dask(dd.from_pandas(FRAME, npartitions=3))
    assert df.npartitions == 3
    assert df.dtypes["c"] == "Categorical"
    found = df.to_pandas()
    assert found["c"].tolist() == FRAME["c"].tolist()
    pd.testing.assert_frame_equal(found.drop(columns="c"), FRAME.drop(columns="c"), check_dtype=False)
    assert df[df["b"]]["i"].sum() == FRAME["i"][FRAME["b"]].sum()
    assert ak.GroupBy(df["c"]).sum(df["i"])[1].tolist() == FRAME.groupby("c", observed=True)["i"].sum().tolist()


@pytest.mark.lazy_only
def test_nothing_is_computed_before_it_is_asked_for():
    calls = []

    def noted(part):
        calls.append(len(part))
        return part

    lazy = dd.from_pandas(FRAME, npartitions=2).map_partitions(noted, meta=FRAME.iloc[:0])
    df = ak.from_dask(lazy)
    assert (df.rows.lengths, calls) == (None, [])
    assert len(df) == 10
    assert calls


def test_labels_that_are_more_than_numbers_are_kept():
    frame = FRAME[["i"]].set_index(pd.Index([f"r{k}" for k in range(10)], name="row"))
    found = ak.from_dask(dd.from_pandas(frame, npartitions=2)).to_pandas()
    pd.testing.assert_frame_equal(found, frame, check_index_type=False)


def test_missing_values_are_those_of_arrays_at_hand():
    frame = pd.DataFrame(
        {"s": ["a", None], "c": pd.Categorical(["x", None]), "t": pd.to_datetime(["2020-01-01", None])}
    )
    df = ak.from_dask(dd.from_pandas(frame, npartitions=1))
    assert df["s"].tolist() == ["a", None]
    assert df["c"].to_strings().tolist() == ["x", "N/A"]
    assert df["t"].to_pandas().isna().tolist() == [False, True]


def test_series_and_arrays_are_taken():
    assert ak.from_dask(dd.from_pandas(FRAME["s"], npartitions=2)).tolist() == FRAME["s"].tolist()
    array = ak.from_dask(da.arange(10, chunks=(4, 6)))
    assert array.rows.lengths == (4, 6)
    assert array.tolist() == list(range(10))
    chosen = da.arange(10, chunks=5)
    assert ak.from_dask(chosen[chosen > 3]).tolist() == [4, 5, 6, 7, 8, 9]
    assert ak.from_dask(da.from_array(np.array(["a", "bc"]))).tolist() == ["a", "bc"]


def test_bytes_are_those_of_arrays_at_hand():
    numbers = np.array([1, 200], np.uint8)
    for found in (
        ak.from_dask(da.from_array(numbers)),
        ak.from_dask(dd.from_pandas(pd.Series(numbers), npartitions=1)),
    ):
        assert found.dtype == ak.array(numbers).dtype
        assert found.tolist() == [1, 200]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times_keep_their_unit_and_zone(unit):
    times = np.array(["2020-02-29T12:00:01", "1700-01-01", "NaT"], f"M8[{unit}]")
    pd.testing.assert_index_equal(ak.from_dask(da.from_array(times)).to_pandas(), pd.DatetimeIndex(times))
    series = pd.Series(times).dt.tz_localize("Pacific/Auckland", ambiguous=False)
    found = ak.from_dask(dd.from_pandas(series, npartitions=1)).to_pandas()
    pd.testing.assert_index_equal(found, pd.DatetimeIndex(series), check_names=False)


@pytest.mark.parametrize("year", [1600, 2300])
def test_times_beyond_nanoseconds_are_times_and_do_not_wrap_around(year):
    times = pd.Series(np.array([f"{year}-01-01"], "M8[us]"), name="t")
    lazy = ak.from_dask(dd.from_pandas(times.to_frame(), npartitions=1))
    assert lazy["t"].to_ndarray() == times.to_numpy()
    wrong = dd.from_pandas(times.to_frame(), npartitions=1).map_partitions(lambda part: part, meta={"t": "M8[ns]"})
    with pytest.raises(TimeOverflowError, match="'t' has times"):
        ak.from_dask(wrong)["t"].to_pandas()
    spans = np.array([400 * 365], "m8[D]").astype("m8[s]")
    assert ak.from_dask(da.from_array(spans)).to_pandas()[0] == pd.Timedelta(spans[0])


def test_what_cannot_be_taken_is_refused():
    with pytest.raises(ArgumentTypeError, match="no Dask"):
        ak.from_dask(FRAME)
    with pytest.raises(ArgumentError, match="one dimension, not 2"):
        ak.from_dask(da.zeros((2, 2)))
    with pytest.raises(ArgumentTypeError, match="complex128"):
        ak.from_dask(da.zeros(2, dtype=complex))
    with pytest.raises(ArgumentTypeError, match="1"):
        ak.from_dask(dd.from_pandas(pd.DataFrame({1: [1]}), npartitions=1))
    wrong = dd.from_pandas(FRAME[["f"]], npartitions=1).map_partitions(lambda part: part, meta={"f": "int64"})
    with pytest.raises(SchemaError, match="meta"):
        ak.from_dask(wrong)["f"].tolist()


def test_arrays_become_dask_arrays():
    for values in ([1, 2, 3], [0.5, 1, 2], [True, False, True], ["a", "", "bcd"], [2**80, 1, 2]):
        array = ak.concatenate([ak.array(values), ak.array(values)])
        found = array.to_dask()
        assert found.chunks == ((3, 3),)
        assert found.compute().tolist() == values * 2
        assert found.dtype == found.compute().dtype
    times = ak.Datetime(["2020-01-01", "2021-01-01"]).to_dask()
    assert times.max().compute() == np.datetime64("2021-01-01")
    assert ak.Categorical(["x", "y"]).to_dask().compute().tolist() == ["x", "y"]
    chosen = ak.arange(10)
    assert np.isnan(chosen[chosen > 5].to_dask().shape[0])
    assert chosen[chosen > 5].to_dask().sum().compute() == 30


def test_functions_are_applied_to_partitions():
    df = ak.DataFrame({"a": ak.arange(6), "s": ["x"] * 6}).repartition(3)
    doubled = df.map_partitions(lambda part, factor: part.assign(a=part["a"] * factor), 2)
    assert doubled.npartitions == 3
    assert doubled["a"].tolist() == [0, 2, 4, 6, 8, 10]
    counted = df.map_partitions(lambda part: pd.DataFrame({"n": [len(part)]}), meta={"n": "int64"})
    assert counted["n"].tolist() == [2, 2, 2]


def test_rows_are_cut_into_other_partitions():
    df = ak.DataFrame({"a": ak.arange(10), "s": [str(k) for k in range(10)]}, index=ak.arange(10) * 2)
    for count in (1, 3, 10, 12):
        cut = df.repartition(count)
        assert cut.npartitions == count
        pd.testing.assert_frame_equal(cut.to_pandas(), df.to_pandas())
    assert ak.arange(10).repartition(4).rows.lengths == (3, 2, 3, 2)
    chosen = df[df["a"] > 4]["s"].repartition(2)
    assert (chosen.npartitions, chosen.tolist()) == (2, list("56789"))
    assert ak.Categorical(["x", "y", "x"]).repartition(2).to_strings().tolist() == ["x", "y", "x"]
    for count in (0, 1.5, True, None):
        with pytest.raises(ArgumentError, match="number of partitions"):
            df.repartition(count)
