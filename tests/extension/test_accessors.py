"""``.ak`` of Series, Index and DataFrame of pandas."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import akdask as ak
from akdask.errors import ArgumentTypeError


@pytest.fixture
def series():
    return pd.Series([3, 1, 2], index=["a", "b", "a"], name="n")


@pytest.fixture
def frame():
    return pd.DataFrame({"k": [2, 1, 2], "s": ["x", None, "y"], "f": [0.5, np.nan, 1.5]}, index=[5, 6, 7])


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ([1, 2], "ak_int64"),
        (np.array([1, 2], np.uint64), "ak_uint64"),
        ([0.5, np.nan], "ak_float64"),
        ([True, False], "ak_bool"),
        ([2**70, 1], "ak_bigint"),
        (["a", None], "ak_string"),
        (pd.Categorical(["a", "b"]), "ak_category"),
        (pd.array([1, 2], dtype="Int64"), "ak_int64"),
        (pd.array([1, None, 2**60 + 1], dtype="Int64"), "ak_int64"),
        (pd.array([True, None], dtype="boolean"), "ak_bool"),
        (pd.array(["a", None], dtype="string"), "ak_string"),
    ],
)
def test_a_series_becomes_lazy_and_comes_back(values, name):
    plain = pd.Series(values)
    lazy = plain.ak.to_ak()
    assert lazy.dtype == name
    assert f"ak_{lazy.dtype.name.removesuffix('_')}" == name
    assert lazy.ak.is_arkouda
    assert not plain.ak.is_arkouda
    found = lazy.ak.collect()
    assert not found.ak.is_arkouda
    assert [None if pd.isna(item) else item for item in found] == [None if pd.isna(item) else item for item in plain]


def test_labels_and_names_go_along(series):
    lazy = series.ak.to_ak()
    assert (lazy.name, lazy.index.dtype.name) == ("n", "string")
    pd.testing.assert_series_equal(lazy.ak.collect(), series, check_index_type=False)


def test_a_lazy_series_becomes_one_of_akdask_and_back(series):
    legacy = series.ak.to_ak_legacy()
    assert isinstance(legacy, ak.Series)
    back = pd.Series.ak.from_ak_legacy(legacy)
    assert back.ak.is_arkouda
    pd.testing.assert_series_equal(back.ak.collect(), series, check_index_type=False)
    assert pd.Series.ak.from_ak_legacy(ak.arange(3), name="x").ak.collect().tolist() == [0, 1, 2]


def test_locate_finds_labels(series):
    lazy = series.ak.to_ak()
    assert lazy.ak.locate("a").tolist() == series.loc[["a"]].tolist()
    assert lazy.ak.locate(pd.Index(["b"])).tolist() == [1]


def test_groups_of_a_series_are_those_of_pandas(series):
    keys, sizes = pd.Series([1, 2, 1]).ak.to_ak().ak.groupby().size()
    assert dict(zip(keys.tolist(), sizes.tolist(), strict=True)) == {1: 2, 2: 1}
    with pytest.raises(ArgumentTypeError, match="lazy Series"):
        series.ak.groupby()


@pytest.mark.parametrize("ascending", [True, False])
def test_argsort_gives_positions(series, ascending):
    found = series.ak.to_ak().ak.argsort(ascending=ascending)
    assert found.dtype == "ak_int64"
    order = np.argsort(series.to_numpy() if ascending else -series.to_numpy(), kind="stable")
    assert found.tolist() == order.tolist()
    with pytest.raises(ArgumentTypeError):
        series.ak.argsort()


def test_apply_calls_a_function_on_each_element(series):
    lazy = series.ak.to_ak()
    assert lazy.ak.apply(lambda item: item * 2).tolist() == [6, 2, 4]
    assert lazy.ak.apply(lambda item: item, result_dtype=np.float64).dtype == "ak_float64"
    with pytest.raises(ArgumentTypeError):
        series.ak.apply(abs)


def test_labels_become_lazy_and_come_back():
    index = pd.Index([3, 1, 2], name="i")
    lazy = index.ak.to_ak()
    assert lazy.ak.is_arkouda
    assert lazy.name == "i"
    pd.testing.assert_index_equal(lazy.ak.collect(), index)
    assert lazy.ak.to_ak_legacy().to_pandas().tolist() == [3, 1, 2]
    pd.testing.assert_index_equal(pd.Index.ak.from_ak_legacy(lazy.ak.to_ak_legacy()).ak.collect(), index)


def test_labels_of_several_levels_become_lazy_and_come_back():
    index = pd.MultiIndex.from_arrays([[1, 1, 2], ["a", "b", "a"]], names=["n", "s"])
    lazy = index.ak.to_ak()
    assert lazy.ak.is_arkouda
    assert not index.ak.is_arkouda
    assert lazy.ak.collect().tolist() == index.tolist()
    legacy = index.ak.to_ak_legacy()
    assert isinstance(legacy, ak.MultiIndex)
    assert pd.Index.ak.from_ak_legacy(legacy).tolist() == index.tolist()


def test_labels_are_put_together_and_looked_up():
    one, other = pd.Index([1, 2]).ak.to_ak(), pd.Index([2, 3])
    assert one.ak.concat(other).tolist() == [1, 2, 2, 3]
    assert one.ak.lookup(ak.array([2, 5])).tolist() == pd.Index([1, 2]).isin([2, 5]).tolist()
    (level,) = one.ak.to_dict().values()
    assert level.tolist() == [1, 2]


def test_labels_are_written(tmp_path):
    index = pd.Index([4, 5]).ak.to_ak()
    index.ak.to_hdf(tmp_path / "h")
    index.ak.update_hdf(tmp_path / "h", dataset="again")
    index.ak.to_parquet(tmp_path / "p")
    index.ak.to_csv(tmp_path / "c")
    assert ak.read_hdf(str(tmp_path / "h*"), "again")["again"].tolist() == [4, 5]
    assert ak.read_parquet(str(tmp_path / "p*"), "index")["index"].tolist() == [4, 5]
    assert ak.read_csv(str(tmp_path / "c*"), "index")["index"].tolist() == [4, 5]


def test_a_frame_becomes_lazy_and_comes_back(frame):
    lazy = frame.ak.to_ak()
    assert [dtype.name for dtype in lazy.dtypes] == ["int64", "string", "float64"]
    pd.testing.assert_frame_equal(lazy.ak.collect(), frame, check_dtype=False)


def test_a_frame_becomes_one_of_akdask_and_back(frame):
    legacy = frame.ak.to_ak_legacy()
    assert isinstance(legacy, ak.DataFrame)
    back = pd.DataFrame.ak.from_ak_legacy(legacy)
    pd.testing.assert_frame_equal(back.ak.collect(), frame, check_dtype=False)


@pytest.mark.parametrize("how", ["inner", "left"])
def test_merge_joins_as_pandas_does(how):
    one = pd.DataFrame({"k": [1, 2, 3], "v": [10, 20, 30]})
    other = pd.DataFrame({"k": [2, 3, 4], "v": [7, 8, 9]})
    found = one.ak.to_ak().ak.merge(other.ak.to_ak(), on="k", how=how).ak.collect()
    wanted = one.merge(other, on="k", how=how)
    found = found[list(wanted.columns)].sort_values("k").reset_index(drop=True)
    pd.testing.assert_frame_equal(found, wanted, check_dtype=False, check_index_type=False)
    with pytest.raises(ArgumentTypeError, match="left one are not"):
        one.ak.merge(other.ak.to_ak())
    with pytest.raises(ArgumentTypeError, match="right one are not"):
        one.ak.to_ak().ak.merge(other)
    with pytest.raises(ArgumentTypeError, match="right must be a DataFrame of pandas"):
        one.ak.to_ak().ak.merge(other.ak.to_ak_legacy())


def test_pandas_groups_and_sorts_lazy_columns(frame):
    lazy = frame.ak.to_ak()
    wanted = frame.groupby("k")["f"].sum()
    assert lazy.groupby("k")["f"].sum().tolist() == wanted.tolist()
    assert lazy.sort_values("f")["k"].tolist() == frame.sort_values("f")["k"].tolist()


def test_what_pandas_has_no_lazy_type_for_is_refused():
    with pytest.raises(ArgumentTypeError, match="Datetime"):
        pd.Series(pd.to_datetime(["2020-01-01"])).ak.to_ak()
    assert isinstance(pd.DataFrame({"t": pd.to_datetime(["2020-01-01"])}).ak.to_ak_legacy()["t"], ak.Datetime)


def test_accessors_refuse_what_arkouda_refuses():
    index, lazy = pd.Index([1, 2]), pd.Series([2.0, np.nan, 1.0]).ak.to_ak()
    with pytest.raises(TypeError, match="concat puts an Index"):
        index.ak.concat([3])
    with pytest.raises(TypeError, match="from_ak_legacy"):
        pd.Index.ak.from_ak_legacy(ak.arange(2))
    assert lazy.ak.argsort(na_position="first").tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="na_position"):
        lazy.ak.argsort(na_position="middle")
    for name in ("groupby", "argsort"):
        with pytest.raises(TypeError, match="needs a lazy Series"):
            getattr(pd.Series([1]).ak, name)()
