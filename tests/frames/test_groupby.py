from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ArgumentTypeError, MissingColumnError
from akdask.operators.group import tuning
from akdask.testing.strategies import partitioned

TABLE = pd.DataFrame(
    {
        "k": [2, 1, 2, 1, 3, 2, 1],
        "j": ["a", "b", "a", "a", "b", "b", "b"],
        "x": [1.0, 2.0, np.nan, 4.0, 5.0, 0.5, 8.0],
        "y": [3, 1, 2, 5, 4, 9, 9],
    }
)


@pytest.fixture(params=[[7], [2, 0, 3, 2]])
def df(request, monkeypatch):
    monkeypatch.setattr(tuning, "FEW_SPLIT_ROWS", 0)
    monkeypatch.setattr(tuning, "RANGE_ROWS", 2)
    return ak.DataFrame({name: partitioned(TABLE[name].to_numpy(), request.param) for name in ("k", "x", "y")}
                        | {"j": partitioned(TABLE["j"].to_numpy(str), request.param)})  # fmt: skip


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "min", "max", "var", "std", "median"])
def test_columns_of_numbers_are_reduced_as_by_pandas(df, name):
    found = getattr(df.groupby("k"), name)().to_pandas(retain_index=True)[["x", "y"]]
    wanted = getattr(TABLE.groupby("k")[["x", "y"]], name)()
    np.testing.assert_allclose(found.to_numpy(float), wanted.to_numpy(float))
    assert found.index.tolist() == wanted.index.tolist()
    assert found.index.name == wanted.index.name


def test_several_reductions_come_in_one_frame(df):
    found = df.groupby(["k", "j"]).agg({"x": ["sum", "median"], "y": "nunique"}).to_pandas()
    groups = TABLE.groupby(["k", "j"])
    wanted = pd.DataFrame({"x_sum": groups["x"].sum(), "x_median": groups["x"].median(), "y": groups["y"].nunique()})
    pd.testing.assert_frame_equal(found, wanted.reset_index(), check_dtype=False)


def test_results_can_be_named(df):
    found = df.groupby("k", as_index=False).agg(total=("x", "sum"), most=("y", "max")).to_pandas()
    wanted = TABLE.groupby("k", as_index=False).agg(total=("x", "sum"), most=("y", "max"))
    pd.testing.assert_frame_equal(found, wanted)


def test_all_columns_are_reduced_by_one_name_or_several(df):
    groups = df.groupby("k", as_index=False)
    assert groups["y"].agg(["min", "max"]).columns == ["k", "y_min", "y_max"]
    assert groups[["x", "y"]].agg("first").columns == ["k", "x", "y"]
    assert sorted(groups.count().columns) == ["j", "k", "x", "y"]
    assert groups.first().to_pandas()["j"].tolist() == ["b", "a", "b"]
    first_modes = TABLE.groupby("k")["y"].agg(lambda y: next(value for value in y if value in set(y.mode())))
    assert groups.mode("y").to_pandas()["y"].tolist() == first_modes.tolist()
    assert groups.or_("y").to_pandas()["y"].tolist() == [13, 11, 4]


def test_sizes_of_groups_are_a_series_labelled_by_the_keys_or_a_column(df):
    for keys in ("k", ["k"], ["j", "k"]):
        found = df.groupby(keys).size().to_pandas()
        pd.testing.assert_series_equal(found, TABLE.groupby(keys).size(), check_index_type=False)
    found = df.groupby(["j", "k"], as_index=False).size().to_pandas()
    wanted = TABLE.groupby(["j", "k"]).size().rename("size").reset_index()
    pd.testing.assert_frame_equal(found, wanted)


def test_rows_of_groups_are_rows_of_the_frame(df):
    groups, plain = df.groupby("k"), TABLE.groupby("k")
    for n in (0, 1, 2, 9):
        for found, wanted in ((groups.head(n), plain.head(n)), (groups.tail(n), plain.tail(n))):
            assert found.index.tolist() == wanted.index.tolist()
            assert found["y"].tolist() == wanted["y"].tolist()
    assert groups.head(2, sort_index=False).index.tolist() == [1, 3, 0, 2, 4]
    assert len(df.groupby("k").sample(n=1, weights="y", random_state=0)) == 3
    assert len(df.groupby("k").sample(n=2, replace=True, random_state=0)) == 6


@pytest.mark.sampled(one_of=2)
@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@pytest.mark.parametrize("by", ["x", "y", "j", ["j", "y"]])
@pytest.mark.parametrize("keys", ["k", ["k", "j"]])
def test_heads_of_sorted_groups_are_those_of_pandas(df, keys, by):
    for ascending in (True, False):
        wanted = TABLE.sort_values(by, ascending=ascending, kind="stable").groupby(keys)
        groups = df.sort_values(by, ascending=ascending).groupby(keys)
        for n in (0, 1, 2):
            found = groups.head(n)
            assert "Sort" not in found.explain().split("First")[1]
            assert found.index.tolist() == wanted.head(n).index.tolist()
            assert found["y"].tolist() == wanted.head(n)["y"].tolist()
            together = groups.head(n, sort_index=False).index.tolist()
            assert together == [row for _, rows in wanted for row in rows.index[:n].tolist()]


@pytest.mark.parametrize("n", [-1, -2, -9])
def test_all_but_the_last_or_first_rows_of_groups_are_those_of_pandas(df, n):
    for groups, wanted in (
        (df.groupby("k"), TABLE.groupby("k")),
        (df.sort_values("y").groupby("k"), TABLE.sort_values("y").groupby("k")),
    ):
        assert groups.head(n)["y"].tolist() == wanted.head(n)["y"].tolist()
        assert groups.tail(n)["y"].tolist() == wanted.tail(n)["y"].tolist()


def test_the_largest_and_smallest_rows_of_groups_are_those_of_pandas(df):
    for name in ("nlargest", "nsmallest"):
        wanted = getattr(TABLE.groupby("k")["y"], name)(2)
        found = getattr(df.groupby("k"), name)(2, "y")
        assert found["y"].tolist() == wanted.tolist()
        assert found.index.tolist() == wanted.index.get_level_values(-1).tolist()
        assert getattr(df.groupby("k")["y"], name)(2).tolist() == wanted.tolist()


@pytest.mark.few_rows_only
@pytest.mark.lazy_only
@pytest.mark.parametrize("by", ["x", "y"])
def test_columns_that_decide_which_rows_are_first_are_not_taken_again(df, by):
    wanted = TABLE.sort_values(by, kind="stable").groupby("k").head(1)
    found = ak.DataFrame({"k": df["k"], by: df[by]}).sort_values(by).groupby("k").head(1)
    assert "take(" not in str(found.explain())
    for name in ("k", by):
        assert found[name].tolist() == wanted[name].tolist()


def test_a_groupby_of_the_columns_alone_is_given_where_asked_for(df):
    groups = df.groupby("k", use_series=False)
    assert isinstance(groups, ak.GroupBy)
    assert isinstance(df.GroupBy("k"), ak.GroupBy)
    assert isinstance(df.GroupBy(["k"], use_series=True, as_index=False), ak.DataFrameGroupBy)
    assert (
        df.groupby("k").broadcast(groups.sum(df["y"])[1]).tolist() == TABLE.groupby("k")["y"].transform("sum").tolist()
    )


@pytest.mark.parametrize("column", ["x", "y"])
@pytest.mark.parametrize("keys", ["k", ["k", "j"]])
def test_differences_in_groups_are_those_of_pandas(df, keys, column):
    found, wanted = df.groupby(keys).diff(column), TABLE.groupby(keys)[column].diff()
    np.testing.assert_array_equal(found.values.to_ndarray(), wanted)
    names = [keys] if isinstance(keys, str) else keys
    by_group = wanted.groupby([TABLE[name] for name in names])
    for name in ("sum", "mean", "min", "max", "std", "count", "nunique"):
        reduced, wanted = getattr(found, name)().to_pandas(), getattr(by_group, name)()
        np.testing.assert_allclose(reduced.to_numpy(float), wanted.to_numpy(float))
        assert reduced.index.tolist() == wanted.index.tolist()


def test_differences_are_made_of_groups_and_a_column_too():
    groups, numbers = ak.GroupBy(ak.array([1, 2, 1])), ak.array([5, 6, 9])
    for column in (numbers, ak.Series(numbers)):
        np.testing.assert_array_equal(ak.DiffAggregate(gb=groups, series=column).sum().to_ndarray(), [4.0, 0.0])
    with pytest.raises(ArgumentTypeError, match="not list"):
        ak.DiffAggregate(groups, [1, 2, 3])


def test_differences_of_unsigned_numbers_fall_below_zero():
    frame = ak.DataFrame({"k": [1, 1, 1], "x": ak.array(np.array([9, 2, 5], np.uint64))})
    np.testing.assert_array_equal(frame.groupby("k").diff("x").values.to_ndarray(), [np.nan, -7.0, 3.0])


def test_rows_that_are_in_no_group_have_no_difference():
    frame = ak.DataFrame({"k": [1.0, np.nan, 1.0], "x": [5, 6, 9]})
    np.testing.assert_array_equal(frame.groupby("k").diff("x").values.to_ndarray(), [np.nan, np.nan, 4.0])
    assert len(frame[:0].groupby("k").diff("x").values) == 0


def test_bits_of_differences_are_combined():
    frame = ak.DataFrame({"k": [1, 1, 1, 2], "x": [0, 6, 9, 5]})
    steps = frame.groupby("k").diff("x")
    found = [steps.xor(), steps.or_(), steps.and_()]
    assert [combined.tolist() for combined in found] == [[6 ^ 3, 0], [6 | 3, 0], [6 & 3, -1]]


def test_differences_of_what_is_no_number_are_refused(df):
    with pytest.raises(ArgumentTypeError, match="a column of numbers"):
        df.groupby("k").diff("j")
    with pytest.raises(MissingColumnError):
        df.groupby("k").diff("z")


@pytest.mark.parametrize("keep", ["first", "last"])
@pytest.mark.parametrize("subset", [None, "k", ["k", "j"]])
def test_repetitions_are_dropped_as_by_pandas(df, subset, keep, monkeypatch):
    # Fewer tasks than partitions: keys that were put together and the index differ in what is known of their rows.
    monkeypatch.setattr("akdask.engine.tuning.FEW_PARTITIONS", 4)
    twice = ak.DataFrame({name: ak.concatenate([df[name], df[name]]) for name in df.columns})
    wanted = pd.concat([TABLE, TABLE], ignore_index=True).drop_duplicates(subset, keep=keep)
    found = twice.drop_duplicates(subset, keep=keep).to_pandas(retain_index=True)
    pd.testing.assert_frame_equal(found[list(TABLE.columns)], wanted, check_dtype=False)


def test_missing_names_are_refused(df):
    with pytest.raises(MissingColumnError):
        df.groupby("z")
    with pytest.raises(MissingColumnError):
        df.groupby("k").sum("z")
    with pytest.raises(ArgumentTypeError):
        df.groupby(5)
    with pytest.raises(ArgumentError, match="cannot be reduced by 'total'"):
        df.groupby("k").agg({"x": "total"})
    with pytest.raises(ArgumentError, match="neither 'first' nor 'last'"):
        df.drop_duplicates(keep="none")


def test_results_of_groups_keep_their_keys_in_pandas_and_in_files(tmp_path):
    plain = pd.DataFrame({"k": ["b", "a", "b", "c"], "n": [3, 1, 3, 2], "x": [1.0, 2.0, 3.0, 4.0]})
    df = ak.DataFrame(plain)
    for key in ("k", "n"):
        found = df.groupby(key)[["x"]].sum()
        wanted = plain.groupby(key)[["x"]].sum()
        pd.testing.assert_frame_equal(found.to_pandas(), wanted, check_index_type=False)
        found.to_hdf(tmp_path / key)
        back = ak.DataFrame.load(tmp_path / key)
        pd.testing.assert_frame_equal(back.to_pandas(), wanted, check_names=False, check_index_type=False)
        assert found.to_pandas(retain_index=False).index.tolist() == [*range(len(wanted))]
        found.to_hdf(tmp_path / f"without {key}", index=False)
        assert ak.DataFrame.load(tmp_path / f"without {key}").index.tolist() == [*range(len(wanted))]
    several = df.groupby(["k", "n"])[["x"]].sum()
    several.to_hdf(tmp_path / "several")
    wanted = plain.groupby(["k", "n"])[["x"]].sum().reset_index()
    for frame in (several, ak.DataFrame.load(tmp_path / "several")):
        pd.testing.assert_frame_equal(frame.to_pandas(), wanted)


def test_labels_that_are_not_the_numbers_of_the_rows_are_kept_in_files(tmp_path):
    plain = pd.DataFrame({"x": [5, 6, 7, 8]})
    df = ak.DataFrame(plain)
    for number, (found, wanted) in enumerate(
        [(df[df["x"] % 2 == 0], plain[plain["x"] % 2 == 0]), (df[::-1], plain[::-1]), (df.tail(2), plain.tail(2))]
    ):
        found.to_hdf(tmp_path / f"{number}.h5")
        for frame in (found, ak.DataFrame.load(tmp_path / f"{number}.h5")):
            pd.testing.assert_frame_equal(frame.to_pandas(), wanted, check_index_type=False)
    df.head(3).to_hdf(tmp_path / "head.h5")
    assert set(ak.ls(str(tmp_path / "head_LOCALE0000.h5"))) == {"x"}


def test_a_column_with_the_name_of_labels_is_not_overwritten_by_them(tmp_path):
    df = ak.DataFrame({"x": [1, 2]}).assign(Index=[3, 4])
    df.to_hdf(tmp_path / "plain.h5")
    assert set(ak.ls(str(tmp_path / "plain_LOCALE0000.h5"))) == {"x", "Index"}
    with pytest.raises(ak.errors.ArgumentError, match="'Index' cannot be written with its labels"):
        df[df["x"] > 1].to_hdf(tmp_path / "labelled.h5")


def test_agg_takes_the_last_value_that_is_not_missing():
    plain = pd.DataFrame(
        {
            "k": [2, 1, 2, 1, 3],
            "x": [1.0, np.nan, np.nan, 4.0, np.nan],
            "s": pd.Series(["a", "b", None, None, None], dtype="str"),
            "t": pd.to_datetime(["2026-01-01", None, None, "2026-01-02", None]),
            "n": [2**60 + 1, 2, 3, 4, 5],
            "c": pd.Categorical(["u", "v", None, "v", None]),
        }
    )
    found, expected = ak.DataFrame(plain).groupby("k"), plain.groupby("k")
    by_name = {name: (name, "last") for name in "xstnc"}
    for ours, theirs in (
        (found.agg("last"), expected.agg("last")),
        (found.agg(total=("n", "sum"), **by_name), expected.agg(total=("n", "sum"), **by_name)),
        (found.agg({"x": "last", "n": "max"}), expected.agg({"x": "last", "n": "max"})),
        (found["s"].agg(["last", "count"]), expected["s"].agg(["last", "count"])),
    ):
        frame = ours.to_pandas()
        assert frame.index.tolist() == theirs.index.tolist()
        for name in theirs.columns:
            assert frame[name].isna().tolist() == theirs[name].isna().tolist()
            assert frame[name].dropna().tolist() == theirs[name].dropna().tolist()


def test_counts_of_values_that_are_there_read_no_column(tmp_path):
    frame = ak.DataFrame({"k": ak.array([1, 2, 1]), "x": ak.array([5, 6, 7]), "f": ak.array([0.5, np.nan, 1.5])})
    frame.to_parquet(str(tmp_path / "rows"))
    stored = ak.DataFrame(ak.read_parquet(str(tmp_path / "rows*")))
    counts = stored.groupby("k").agg(x=("x", "count"), f=("f", "count"))
    assert "size(), count(f)" in counts.explain()
    assert counts.to_pandas().to_dict("list") == {"x": [2, 1], "f": [2, 0]}
    assert (int(stored.x.count()), int(stored.f.count())) == (3, 2)
