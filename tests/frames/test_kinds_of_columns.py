"""Columns of text, times and integers with gaps, reduced, replaced, cast and told apart as by pandas."""

from __future__ import annotations

from typing import Any

import dask
import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import AkdaskError, ArgumentTypeError, ConversionError
from tests.missing_operations import as_plain

TIMES = [np.datetime64("2024-01-05", "ns"), np.datetime64("NaT"), np.datetime64("1999-01-01", "ns")]
COLUMNS: dict[str, Any] = {
    "x": pd.Series([2.5, np.nan, -1.0]),
    "n": pd.Series([3, 1, 2]),
    "b": pd.Series([True, False, True]),
    "s": pd.Series(["b", None, "a"], dtype="str"),
    "r": pd.Series(["y", "z", "x"], dtype="str"),
    "t": pd.Series(np.array(TIMES, "M8[ns]")),
    "u": pd.Series(np.array([TIMES[1], TIMES[0], TIMES[2]], "M8[us]")),
    "c": pd.Series(pd.Categorical(["lo", None, "hi"], ["lo", "mid", "hi"], ordered=True)),
}


def rows_of(names, labels=(7, 5, 9)):
    return pd.DataFrame({name: COLUMNS[name] for name in names}).set_axis(list(labels))


@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("names", ["xns", "sr", "tu", "t", "nst", "c", "nc", "nb"])
def test_extremes_are_those_of_columns_of_all_kinds(names, name, skipna):
    rows = rows_of(names)
    found = getattr(ak.DataFrame(rows), name)(skipna=skipna)
    assert as_plain(found) == as_plain(getattr(rows, name)(skipna=skipna))


@pytest.mark.parametrize("names", ["xns", "nst"])
def test_extremes_of_numbers_are_asked_for_by_name(names):
    rows = rows_of(names)
    frame = ak.DataFrame(rows)
    for name in ("min", "max"):
        expected = getattr(rows, name)(numeric_only=True)
        assert as_plain(getattr(frame, name)(skipna=True, numeric_only=True)) == as_plain(expected)
    for name in ("idxmin", "idxmax"):
        assert as_plain(getattr(frame, name)(numeric_only=True)) == as_plain(getattr(rows, name)(numeric_only=True))


@pytest.mark.parametrize("name", ["idxmin", "idxmax"])
@pytest.mark.parametrize("names", ["xns", "sr", "tu", "snt", "c"])
def test_labels_of_extremes_are_those_of_columns_of_all_kinds(names, name):
    rows = rows_of(names)
    assert as_plain(getattr(ak.DataFrame(rows), name)()) == as_plain(getattr(rows, name)())


def test_labels_in_no_order_have_no_extremes():
    frame = ak.DataFrame({"n": [1, 2], "c": ak.Categorical(ak.array(["a", "b"]))})
    for name in ("min", "max", "idxmin", "idxmax"):
        with pytest.raises(ArgumentTypeError, match="in no order"):
            getattr(frame, name)()


@pytest.mark.parametrize("skipna", [True, False])
@pytest.mark.parametrize("name", ["min", "max"])
@pytest.mark.parametrize("names", ["t", "tu", "xn"])
def test_rows_of_times_have_their_first_and_last(names, name, skipna):
    rows = rows_of(names)
    found = getattr(ak.DataFrame(rows), name)(axis=1, skipna=skipna)
    assert as_plain(found) == as_plain(getattr(rows, name)(axis=1, skipna=skipna))


@pytest.mark.parametrize("names", ["tx", "sx", "st"])
def test_rows_of_several_kinds_have_no_extremes(names):
    rows = rows_of(names).fillna({"t": np.datetime64("2024-01-01"), "s": "z"})
    for name in ("min", "max"):
        with pytest.raises(TypeError):
            getattr(rows, name)(axis=1)
        with pytest.raises(ArgumentTypeError, match="compared"):
            getattr(ak.DataFrame(rows), name)(axis=1)


def test_rows_of_spans_have_the_longest():
    spans = pd.DataFrame({"a": pd.to_timedelta([1, None], "D"), "b": pd.to_timedelta([2, 5], "h")})
    assert as_plain(ak.DataFrame(spans).max(axis=1, skipna=True)) == as_plain(spans.max(axis=1))


@pytest.mark.parametrize("column", ["s", "t", "c", "x"])
def test_values_are_replaced_by_none(column):
    rows = rows_of([column])
    old = rows[column].iloc[2]
    expected = as_plain(rows.replace(old, None))
    assert as_plain(ak.DataFrame(rows).replace(old, None)) == expected
    assert as_plain(ak.Series(rows[column]).replace(old, None)) == as_plain(rows[column].replace(old, None))
    with pytest.raises(AkdaskError, match="needs a value"):
        ak.Series(rows[column]).replace(old)


@pytest.mark.parametrize("names", ["n", "xn", "xnt", "s", "b", "nb", "r", "nr", "rt"])
def test_all_columns_are_described(names):
    rows = rows_of(names)
    pd.testing.assert_frame_equal(
        ak.DataFrame(rows).describe(include="all"), rows.describe(include="all"), check_dtype=False
    )


@pytest.mark.parametrize("labels", [(0, 1, 2), (7, 5, 9)])
def test_dummies_of_nothing_keep_their_rows(labels):
    nothing = pd.DataFrame({"s": pd.Series([None] * 3, dtype="str")}).set_axis(list(labels))
    for given, own in ((ak.Series(nothing.s), nothing.s), (ak.DataFrame(nothing), nothing)):
        expected = pd.get_dummies(own)
        found = ak.get_dummies(given)
        assert found.shape == expected.shape == (3, 0)
        assert found.to_pandas(retain_index=True).index.tolist() == expected.index.tolist()
        expected = pd.get_dummies(own, dummy_na=True)
        assert as_plain(ak.get_dummies(given, dummy_na=True)) == as_plain(expected)


@pytest.mark.parametrize("dtype", ["float64", "uint64", "float32", "uint8"])
@pytest.mark.parametrize("given", [COLUMNS["t"], COLUMNS["t"] - COLUMNS["t"]], ids=["times", "spans"])
def test_times_become_no_other_numbers_than_those_they_count(given, dtype):
    with pytest.raises(TypeError):
        given.astype(dtype)
    with pytest.raises(ArgumentTypeError, match="times are not converted"):
        ak.Series(given).astype(dtype)
    with pytest.raises(ArgumentTypeError, match="times are not converted"):
        ak.DataFrame({"t": given}).astype({"t": dtype})
    assert ak.Series(given).astype("int64").tolist() == given.astype("int64").tolist()


@pytest.mark.parametrize("values", [[1, None, 0], [True, None, False]])
def test_what_lacks_a_value_is_neither_true_nor_false(values):
    given = pd.Series(values, dtype="Int64" if values[0] is not True else "boolean")
    with pytest.raises(ValueError, match="NaN"):
        given.astype(bool)
    with pytest.raises(ConversionError, match="no bool"):
        ak.Series(given).astype(bool).tolist()
    assert ak.Series(given).dropna().astype(bool).tolist() == given.dropna().astype(bool).tolist()
    assert ak.Series([1.5, np.nan, 0.0]).astype(bool).tolist() == [True, True, False]


FIELDS = [
    *("year", "month", "day", "hour", "minute", "second", "microsecond", "nanosecond", "day_of_week", "day_of_year"),
    *("quarter", "is_month_start", "is_leap_year"),
]


@pytest.mark.parametrize("times", [TIMES, TIMES[::2]], ids=["with NaT", "without"])
def test_fields_of_times_of_files_without_bounds_are_those_of_pandas(tmp_path, times):
    expected = pd.Series(np.array(times, "M8[ns]"))
    ak.DataFrame({"t": expected}).to_hdf(str(tmp_path / "x.h5"))
    for hidden in tmp_path.glob(".*"):
        hidden.unlink()
    series = ak.DataFrame.load(str(tmp_path / "x.h5")).t
    later = series + np.timedelta64(36, "h")
    for field in FIELDS:
        for found, one in ((series, expected), (later, expected + np.timedelta64(36, "h"))):
            wanted = getattr(one.dt, field)
            if wanted.dtype.kind == "f":
                wanted = wanted.astype("Int64")
            pd.testing.assert_series_equal(
                getattr(found.dt, field).to_pandas(), wanted, check_names=False, check_dtype=wanted.dtype == "Int64"
            )
            assert getattr(found.dt, field).to_pandas().dtype.kind == wanted.dtype.kind
    for found, one in ((series, expected), (later, expected + np.timedelta64(36, "h"))):
        weeks = found.dt.isocalendar().to_pandas()
        pd.testing.assert_frame_equal(weeks, one.dt.isocalendar().astype(weeks.dtypes.to_dict()))
        assert set(weeks.dtypes) == {pd.Int64Dtype() if one.hasnans else np.dtype(np.int64)}


TIED = {
    "text": ["c", "a", None, "b", "a", "c", "d"],
    "floats": [2.5, 0.5, np.nan, 0.5, 2.5, 9.0, -1.0],
    "integers": [5, 3, 3, 5, 1, 9],
    "bools": [False, True, True, False],
    "times": pd.to_datetime(pd.Series(["2024-01-05", "1999-01-01", None, "2020-01-01"])).astype("M8[ns]"),
    "Categoricals": pd.Categorical(["c", "a", None, "b", "a", "c"], ["d", "c", "b", "a"]),
}


@pytest.mark.parametrize("given", [{}, {"ascending": True}, {"sort": False}, {"dropna": False}, {"normalize": True}])
@pytest.mark.parametrize("kind", TIED)
def test_values_that_are_as_common_come_in_the_order_of_their_first_rows(kind, given):
    values = pd.Series(TIED[kind], name="v")
    assert as_plain(ak.Series(values).value_counts(**given)) == as_plain(values.value_counts(**given))


@pytest.mark.parametrize("kind", ["text", "bools", "Categoricals"])
def test_the_first_of_the_commonest_values_is_the_top(kind):
    values = pd.Series(TIED[kind], name="v")
    assert as_plain(ak.Series(values).describe()) == as_plain(values.describe())


@pytest.mark.parametrize(
    "values", [np.arange(20) % 7, np.arange(20) % 7 * 1.5, np.array(list("zayxwb"))[np.arange(20) % 6]]
)
def test_values_of_several_partitions_are_counted_in_the_order_of_their_first_rows(values):
    parts = [ak.array(values[:9]), ak.array(values[9:])]
    found = ak.Series(ak.concatenate(parts)).value_counts()
    assert as_plain(found) == as_plain(pd.Series(values).value_counts())


@pytest.mark.parametrize(
    "keys",
    [
        {"n": [4, 3, 2], "k": ["a", "b", "a"]},
        {"n": [4, np.nan, 2], "k": ["a", "b", "a"]},
        {"n": [4, 3, 2], "k": ["a", None, "b"]},
    ],
)
def test_a_pivot_keeps_rows_and_keys_that_are_missing(keys):
    rows = pd.DataFrame({**keys, "x": [1.0, 2.0, np.nan]})
    found = ak.DataFrame(rows).pivot(index="n", columns="k", values="x").to_pandas(retain_index=True)
    expected = rows.pivot(index="n", columns="k", values="x")
    by_name = {str(name): expected[name].tolist() for name in expected}
    assert sorted(found.columns) == sorted(by_name)
    pd.testing.assert_frame_equal(
        found, pd.DataFrame(by_name, index=expected.index)[list(found.columns)], check_index_type=False
    )


def test_chunks_of_nothing_but_missing_text_go_before_text(tmp_path):
    chunks = [pd.DataFrame({"s": pd.Series(values, dtype="str")}) for values in ([None, None], ["a", None])]
    frames = []
    for number, chunk in enumerate(chunks):
        path = str(tmp_path / f"{number}.parquet")
        chunk.to_parquet(path)
        frames += [ak.DataFrame(ak.read_parquet(path)), ak.DataFrame(pd.read_parquet(path))]
    for one in frames[:2]:
        for other in frames[2:]:
            found = ak.concat([one, other], ignore_index=True)
            assert as_plain(found) == as_plain(pd.concat(chunks, ignore_index=True))


def refuse(*args, **options):
    raise AssertionError("a task runs")


@pytest.mark.parametrize("names", ["xnb", "srtu", "gnx"])
def test_no_rows_are_of_the_types_of_computed_ones_and_take_no_task(names):
    rows = pd.DataFrame({name: COLUMNS.get(name, pd.Series([1, None, 2], dtype="Int64")) for name in names})
    frame = ak.DataFrame(rows.set_axis([7, 5, 9]))
    none = frame[ak.array([False, False, False])]
    expected, column = none.to_pandas(), none.iloc[:, 0].to_pandas()
    with dask.config.set(scheduler=refuse):
        for empty in (frame.head(0), none.head(0), frame[frame[names[0]].isna()].head(0)):
            pd.testing.assert_frame_equal(empty.to_pandas(), expected)
            pd.testing.assert_series_equal(empty.iloc[:, 0].to_pandas(), column)
            assert empty.to_arrow().num_rows == 0
