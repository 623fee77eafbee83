from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.alignment import rows_at_most
from akdask.errors import ArgumentError, ArgumentTypeError, UnsupportedError
from akdask.frames.rows_in_groups import running_of_groups

numbers = st.lists(st.one_of(st.floats(-1e3, 1e3), st.just(float("nan"))), max_size=25)
cuts = st.lists(st.integers(0, 25), max_size=4)
REDUCTIONS = ("sum", "mean", "min", "max", "var", "std", "count")


def in_parts(values, at):
    """Return an array with the given partitions, some of them empty."""
    return ak.concatenate([ak.array(part) for part in np.split(np.asarray(values), sorted(at))])


@given(numbers, cuts, st.integers(1, 9), st.booleans(), st.sampled_from(REDUCTIONS), st.data())
@settings(max_examples=12)
def test_moving_windows_are_those_of_pandas(values, at, window, center, reduction, data):  # noqa: PLR0917 - drawn
    values = np.array(values, float)
    least = data.draw(st.none() | st.integers(0, window))
    lazy = ak.Series(in_parts(values, at)).rolling(window, least, center)
    wanted = getattr(pd.Series(values).rolling(window, least, center), reduction)().to_numpy()
    # pandas takes away what leaves a window, and keeps the rounding of it.
    np.testing.assert_allclose(getattr(lazy, reduction)().values.to_ndarray(), wanted, rtol=1e-6, atol=1e-3)


@pytest.mark.light
@pytest.mark.parametrize("ddof", [0, 1, 2, 3])
@pytest.mark.parametrize("reduction", ["std", "var"])
def test_degrees_of_freedom_are_those_that_are_asked_for(reduction, ddof):
    days = pd.date_range("2026-01-01", periods=7, freq="D")
    plain = pd.DataFrame({"k": [0, 1, 0, 0, 1, 0, 1], "x": [1.0, 4.0, 9.0, np.nan, 25.0, 36.0, 49.0]}, index=days)
    lazy = ak.DataFrame(plain.reset_index(names="t"))
    for windows in (lambda x: x.rolling(4, min_periods=1), lambda x: x.expanding(1), lambda x: x.rolling("4D")):
        wanted = getattr(windows(plain["x"]), reduction)(ddof=ddof)
        found = getattr(windows(lazy.set_index("t").x), reduction)(ddof=ddof)
        np.testing.assert_allclose(found.values.to_ndarray(), wanted.to_numpy(), rtol=1e-12)
    wanted = getattr(plain.reset_index().groupby("k")["x"].rolling(3, min_periods=1), reduction)(ddof=ddof).droplevel(0)
    found = getattr(lazy.groupby("k").x.rolling(3, min_periods=1), reduction)(ddof=ddof)
    np.testing.assert_allclose(found.sort_index().values.to_ndarray(), wanted.sort_index().to_numpy(), rtol=1e-12)


@given(numbers, cuts, st.integers(1, 9), st.booleans(), st.sampled_from(REDUCTIONS))
@settings(max_examples=15)
def test_windows_do_not_depend_on_partitions(values, at, window, center, reduction):
    values = np.array(values, float)
    one, several = (ak.Series(in_parts(values, cut)).rolling(window, 1, center) for cut in ([], at))
    found = [getattr(lazy, reduction)().values.to_ndarray() for lazy in (one, several)]
    assert np.array_equal(*found, equal_nan=True)


@given(numbers, cuts, st.integers(-30, 30))
@settings(max_examples=15)
def test_shift_diff_and_growth_are_those_of_pandas(values, at, periods):
    frame = pd.DataFrame({"f": np.array(values, float), "n": np.arange(len(values))})
    lazy = ak.DataFrame({name: in_parts(frame[name], at) for name in frame})
    shifted = frame.astype({"n": "Int64"}).shift(periods)
    has_all = not (periods and len(values))
    pd.testing.assert_frame_equal(
        lazy.shift(periods).to_pandas(), shifted.astype({"n": "int64"} if has_all else {}), check_dtype=not has_all
    )
    pd.testing.assert_frame_equal(lazy.diff(periods).to_pandas(), frame.diff(periods).astype(float))
    with np.errstate(all="ignore"):
        wanted = frame / frame.shift(periods) - 1
    pd.testing.assert_frame_equal(lazy.pct_change(periods).to_pandas(), wanted.astype(float))


@given(numbers, cuts)
@settings(max_examples=12)
def test_filling_along_and_running_results_are_those_of_pandas(values, at):
    wanted = pd.Series(np.array(values, float))
    lazy = ak.Series(in_parts(values, at).astype(float))
    for name in ("ffill", "bfill", "cumsum", "cummin", "cummax"):
        found = getattr(lazy, name)().values.to_ndarray()
        np.testing.assert_allclose(found, getattr(wanted, name)().to_numpy(), rtol=1e-9, atol=1e-9)


def test_all_kinds_are_shifted_and_filled_with_what_is_missing_for_them():
    times = pd.to_datetime(["2026-01-01", "2026-01-02", "2026-01-05"])
    frame = ak.DataFrame(
        {"s": ["a", "b", "c"], "t": times, "c": pd.Categorical(["x", "y", "x"]), "b": [True, False, True]}
    )
    down = frame.shift(1).to_pandas()
    assert down["s"].tolist()[1:] == ["a", "b"]
    assert pd.isna(down["s"][0])
    assert down["t"].tolist()[1:] == list(times[:2])
    assert pd.isna(down["t"][0])
    assert down["c"].tolist()[1:] == ["x", "y"]
    assert pd.isna(down["c"][0])
    assert frame.shift(1).to_pandas(nullable=True)["b"].tolist()[1:] == [True, False]
    assert frame.shift(1).bfill().to_pandas()["s"].tolist() == ["a", "a", "b"]
    assert frame[["t"]].diff().to_pandas()["t"].tolist()[1:] == [pd.Timedelta("1D"), pd.Timedelta("3D")]


def test_a_value_may_come_in_from_outside():
    assert ak.Series([1, 2, 3]).shift(2, fill_value=7).tolist() == [7, 7, 1]
    assert ak.Series([1, 2, 3]).shift(2, fill_value=7).dtype == np.int64
    assert ak.Series(["a", "b"]).shift(-5, fill_value="-").tolist() == ["-", "-"]


def test_labels_stay_and_filtered_rows_need_not_be_counted():
    frame = ak.DataFrame({"x": in_parts(np.arange(10), [3, 3, 7])})
    chosen = frame[frame["x"] % 3 == 1]
    rolled = chosen.rolling(2).sum()
    assert rolled.rows.lengths is None
    assert rolled.to_pandas()["x"].to_dict() == pytest.approx({1: np.nan, 4: 5.0, 7: 11.0}, nan_ok=True)
    assert (chosen["x"] - chosen.shift(1, fill_value=0)["x"]).tolist() == [1, 3, 3]


def test_the_plan_tells_how_many_rows_there_are_at_most():
    rows = ak.arange(10)
    few = rows[rows > 3]
    for found in running_of_groups("cumsum", few, few), ak.cumsum(few):
        assert rows_at_most(found._frame) == 10


def test_infinite_values_are_missing_in_windows_as_in_pandas():
    values = [1.0, np.inf, 2.0, 3.0]
    wanted = pd.Series(values).rolling(2).sum().tolist()
    assert ak.Series(values).rolling(2).sum().tolist() == pytest.approx(wanted, nan_ok=True)


def test_frames_without_columns_or_rows_have_windows():
    assert ak.DataFrame().rolling(3).mean().columns == []
    assert ak.DataFrame({"x": np.empty(0)}).rolling(3).mean().to_pandas()["x"].tolist() == []
    assert ak.DataFrame({"s": ["a"], "x": [1]}).rolling(1, numeric_only=True).max().columns == ["x"]


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (lambda df: df.rolling(0), ArgumentError),
        (lambda df: df.rolling("2h"), ArgumentTypeError),
        (lambda df: df.rolling(2, 3), ArgumentError),
        (lambda df: df[["s"]].rolling(2), ArgumentTypeError),
        (lambda df: df[["x"]].rolling(2).agg("product"), ArgumentError),
        (lambda df: df.shift(1.5), ArgumentTypeError),
        (lambda df: df[["s"]].diff(), ArgumentTypeError),
        (lambda df: df[["s"]].cumsum(), ArgumentTypeError),
    ],
)
def test_what_cannot_be_done_is_refused_when_it_is_asked_for(ask, error):
    with pytest.raises(error):
        ask(ak.DataFrame({"x": [1, 2], "s": ["a", "b"]}))


def test_lists_are_not_shifted():
    lists = ak.DataFrame({"l": ak.SegArray(ak.array([0, 2]), ak.array([1, 2, 3]))})
    with pytest.raises(UnsupportedError, match="nothing for missing"):
        lists.shift()


def test_halos_of_many_partitions_are_a_chain_of_small_tasks():
    sizes = []
    for count in (20, 40):
        rows = ak.DataFrame({"x": in_parts(np.arange(4 * count), range(4, 4 * count, 4))})
        sizes.append(len(rows.rolling(3).sum().dask))
    assert sizes[1] < 2.2 * sizes[0]
