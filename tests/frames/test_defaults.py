"""Methods of frames, columns and labels called with few arguments, as by most programs: pandas is the reference."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError

X = np.array([2.0, np.nan, 4.0, 3.0, np.nan, np.nan, 8.0, 1.0])
WHEN = pd.date_range("2024-01-01", periods=8, freq="D")
WORDS = ["a-b-c", "b", "-c", "d-", "e-f", "", "g-h-i-j", "k"]
FRAME = pd.DataFrame({"x": X, "n": np.arange(8)[::-1] ** 2, "k": [0, 1, 0, 1, 0, 1, 0, 1]})


def lazy():
    return ak.DataFrame({name: FRAME[name].to_numpy() for name in FRAME})


def numbers(found):
    found = found.to_pandas() if hasattr(found, "to_pandas") else found
    return found.to_numpy(float, na_value=np.nan) if isinstance(found, pd.DataFrame | pd.Series) else float(found)


def same(found, wanted):
    np.testing.assert_allclose(numbers(found), numbers(wanted), rtol=1e-12)


OF_BOTH = {
    "diff": lambda df: df.diff(), "diff of two": lambda df: df.diff(2), "diff downwards": lambda df: df.diff(-1),
    "pct_change": lambda df: df.pct_change(), "pct_change of two": lambda df: df.pct_change(2),
    "shift": lambda df: df.shift(), "ffill": lambda df: df.ffill(), "bfill": lambda df: df.bfill(),
    "ffill of one": lambda df: df.ffill(limit=1), "bfill of one": lambda df: df.bfill(limit=1),
    "cumsum": lambda df: df.cumsum(), "cummax": lambda df: df.cummax(), "rank": lambda df: df.rank(),
    "round": lambda df: df.round(), "clip": lambda df: df.clip(2, 5), "abs": lambda df: (-df).abs(),
    "rolling median": lambda df: df.rolling(3).median(), "rolling quantile": lambda df: df.rolling(3).quantile(0.25),
    "rolling sum": lambda df: df.rolling(2).sum(), "rolling least": lambda df: df.rolling(3, min_periods=1).mean(),
    "rolling std": lambda df: df.rolling(3, 2).std(), "rolling count": lambda df: df.rolling(3, min_periods=0).count(),
    "expanding": lambda df: df.expanding().mean(), "expanding two": lambda df: df.expanding(3).sum(),
    "ewm": lambda df: df.ewm(com=2).mean(), "ewm std": lambda df: df.ewm(com=2).std(),
    "ewm var": lambda df: df.ewm(com=2).var(bias=True), "ewm sum": lambda df: df.ewm(span=3).sum(),
    "rolling agg": lambda df: df.rolling(2).agg("max"), "ewm agg": lambda df: df.ewm(com=1).agg("mean"),
}  # fmt: skip


@pytest.mark.parametrize("is_frame", [True, False])
def test_results_of_columns_are_those_of_pandas(is_frame):
    for name, call in OF_BOTH.items():
        found, wanted = (df[["x", "n"]] if is_frame else df["x"] for df in (lazy(), FRAME))
        try:
            same(call(found), call(wanted))
        except AssertionError as error:
            raise AssertionError(name) from error


OF_GROUPS = {
    "diff": lambda g: g.diff(), "diff of two": lambda g: g.diff(2), "shift": lambda g: g.shift(),
    "cumsum": lambda g: g.cumsum(), "ffill": lambda g: g.ffill(), "rank": lambda g: g.rank(),
    "quantile": lambda g: g.quantile(), "median": lambda g: g.median(), "std": lambda g: g.std(),
    "rolling": lambda g: g.rolling(2).sum(), "rolling count": lambda g: g.rolling(2, min_periods=0).count(),
    "rolling quantile": lambda g: g.rolling(2).quantile(0.5), "expanding": lambda g: g.expanding().max(),
    "ewm": lambda g: g.ewm(com=1).mean(), "ewm var": lambda g: g.ewm(com=1).var(),
    "ewm std": lambda g: g.ewm(com=1).std(),
    "cumcount": lambda g: g.cumcount(),
}  # fmt: skip


@pytest.mark.parametrize("is_frame", [True, False])
def test_results_of_groups_are_those_of_pandas(is_frame):
    for name, call in OF_GROUPS.items():
        found, wanted = (df.groupby("k")[["x", "n"]] if is_frame else df.groupby("k")["x"] for df in (lazy(), FRAME))
        try:
            rows = call(wanted)
            # Windows stay in the order of the rows here, and are in that of the groups in pandas.
            same(call(found), rows.droplevel(0).sort_index() if rows.index.nlevels > 1 else rows)
        except AssertionError as error:
            raise AssertionError(name) from error


def test_text_is_parted_once_from_either_side():
    series, wanted = ak.Series(WORDS), pd.Series(WORDS)
    for name in ("partition", "rpartition"):
        for options in ({"sep": "-"}, {"sep": "b"}):
            found = getattr(series.str, name)(**options).to_pandas()
            assert found.to_numpy().tolist() == getattr(wanted.str, name)(**options).to_numpy().tolist()
        spaced = ak.Series(["a b c", "a"])
        assert (
            getattr(spaced.str, name)().to_pandas().to_numpy().tolist()
            == getattr(pd.Series(["a b c", "a"]).str, name)().to_numpy().tolist()
        )


def test_clocks_of_columns_and_labels_get_a_zone():
    wanted = pd.Series(WHEN)
    series, index = ak.Series(ak.Datetime(WHEN)), ak.Index(ak.Datetime(WHEN))
    assert (
        series.dt.tz_localize("Europe/Berlin").to_pandas().tolist() == wanted.dt.tz_localize("Europe/Berlin").tolist()
    )
    assert index.tz_localize("Europe/Berlin").to_pandas().tolist() == WHEN.tz_localize("Europe/Berlin").tolist()
    labelled = ak.Series(ak.arange(8), index=index)
    assert labelled.tz_localize("Asia/Tokyo").index.to_pandas().tolist() == WHEN.tz_localize("Asia/Tokyo").tolist()
    with pytest.raises(TypeError):
        ak.Index(ak.arange(2)).tz_localize("UTC")


def test_windows_of_a_span_of_time_are_those_of_pandas():
    frame = FRAME[["x", "n"]].assign(t=WHEN)
    found = ak.DataFrame({"x": X, "n": FRAME["n"].to_numpy(), "t": ak.Datetime(WHEN)})
    for how in ({"window": "3D"}, {"window": "2D", "min_periods": 2}, {"window": "3D", "closed": "left"}):
        one, other = found.rolling(**how, on="t"), frame.rolling(**how, on="t")
        for name in ("sum", "mean", "max", "count", "median", "std"):
            same(getattr(one, name)()[["x", "n"]], getattr(other, name)()[["x", "n"]])
        same(one.quantile(0.5)[["x"]], other.quantile(0.5)[["x"]])


def test_frames_are_written_added_to_and_read_back(tmp_path):
    df, x = lazy(), FRAME["x"].tolist()
    df.to_csv(tmp_path / "x.csv")
    found = ak.DataFrame.read_csv(str(tmp_path / "x*"))
    np.testing.assert_array_equal(found["x"].to_ndarray(), x)
    assert found.columns.tolist() == ["x", "n", "k"]
    df.to_hdf(str(tmp_path / "x.h5"))
    ak.DataFrame({"n": FRAME["n"].to_numpy() + 1}).update_hdf(str(tmp_path / "x.h5"))
    assert ak.DataFrame.load(str(tmp_path / "x.h5"))["n"].tolist() == (FRAME["n"] + 1).tolist()
    df[["n"]].to_parquet(str(tmp_path / "p"))
    with pytest.raises(ArgumentError):
        df.save(str(tmp_path / "y"), file_format="none")
    for file_format in ("HDF5", "Parquet"):
        df.save(str(tmp_path / file_format), file_format=file_format)
        assert (
            ak.DataFrame.load(str(tmp_path / file_format), file_format=file_format)["n"].tolist() == FRAME["n"].tolist()
        )


def test_entries_of_a_label_take_one_value_and_labels_that_are_new_an_entry():
    def series():
        return ak.Series(ak.array([1, 2, 3, 4]), index=ak.array([5, 6, 5, 7]))

    for value in (9, np.int64(9), ak.array([9])):
        found = series()
        found[5] = value
        assert found.tolist() == [9, 2, 9, 4]
    found = series()
    found[5] = ak.array([8, 9])
    assert found.tolist() == [8, 2, 9, 4]
    found[1] = 10
    assert (found.tolist(), found.index.tolist()) == ([8, 2, 9, 4, 10], [5, 6, 5, 7, 1])
    with pytest.raises(ArgumentError, match="one entry takes one value"):
        found[2] = ak.array([1])
    found[found.index.values > 5] = 0
    assert found.tolist() == [8, 0, 9, 0, 10]
    once = ak.Series(ak.array([1, 2, 3]), index=ak.array([5, 6, 7]))
    once[ak.array([7, 5])] = ak.array([8, 9])
    assert once.tolist() == [9, 2, 8]
    with pytest.raises(ArgumentError, match="some come twice"):
        found[ak.array([5, 6])] = 1
