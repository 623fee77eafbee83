"""Missing text in files: null in Parquet, filled in the others with a warning, and read back as it is."""

import h5py
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import akdask as ak
from akdask.errors import ArgumentTypeError
from tests.gaps import merged_with_gaps

ITEMS = ["a", None, "", "é", None]


@pytest.fixture
def frame():
    return ak.DataFrame({"s": ak.concatenate([ak.array(ITEMS[:2]), ak.array(ITEMS[2:])]), "x": ak.arange(5)})


def test_parquet_has_nulls(frame, tmp_path, recwarn):
    frame.to_parquet(tmp_path / "x.parquet")
    assert not recwarn.list
    files = sorted(tmp_path.glob("x_*"))
    assert pa.concat_tables(map(pq.read_table, files))["s"].to_pylist() == ITEMS
    assert pl.read_parquet(files)["s"].to_list() == ITEMS
    found = ak.DataFrame(ak.read_parquet(tmp_path / "x_*"))
    assert found["s"].tolist() == ITEMS
    assert found[found["s"].isna()]["x"].tolist() == [1, 4]
    assert found[found["s"] != "a"]["x"].tolist() == [1, 2, 3, 4]
    assert ak.get_null_indices(tmp_path / "x_*", "s")["s"].tolist() == [0, 1, 0, 0, 1]


def test_an_array_in_parquet(tmp_path):
    ak.array(ITEMS).to_parquet(tmp_path / "x.parquet")
    assert ak.read_parquet(tmp_path / "x_*").popitem()[1].tolist() == ITEMS


rows = st.lists(st.none() | st.sampled_from(["", "a", "m", "z", "é"]), max_size=12)


@pytest.mark.parametrize("statistics", [True, False])
@given(items=rows, size=st.integers(1, 5), bound=st.sampled_from(["", "a", "b", "m", "zz"]))
def test_row_groups_are_skipped_rightly_where_text_is_missing(tmp_path_factory, statistics, items, size, bound):
    path = tmp_path_factory.mktemp("files") / "x.parquet"
    pq.write_table(
        pa.table({"s": pa.array(items, pa.string())}), path, row_group_size=size, write_statistics=statistics
    )
    with ak.config.set(partition_size=1):
        lazy, plain = ak.read_parquet(path)["s"], pd.Series(items, dtype="str")
        assert lazy.tolist() == items
        for found, expected in [
            (lazy[lazy == bound], plain[plain == bound]),
            (lazy[lazy != bound], plain[plain != bound]),
            (lazy[lazy < bound], plain[plain < bound]),
            (lazy[lazy >= bound], plain[plain >= bound]),
            (lazy[~(lazy >= bound)], plain[~(plain >= bound)]),
            (lazy[lazy.isna()], plain[plain.isna()]),
        ]:
            assert found.tolist() == [None if pd.isna(item) else item for item in expected]


def test_columns_without_nulls_have_the_type_of_text_that_is_never_missing(tmp_path):
    pq.write_table(pa.table({"s": ["a", "b"]}), tmp_path / "x.parquet")
    assert not ak.read_parquet(tmp_path / "x.parquet")["s"]._value.dtype.nullable


def test_hdf5_has_empty_text_and_a_warning_says_so(frame, tmp_path):
    with pytest.warns(UserWarning, match=r"missing text of 's' .*na_rep="):
        frame.to_hdf(tmp_path / "x.h5")
    assert ak.read_hdf(tmp_path / "x_*")["s"].tolist() == ["a", "", "", "é", ""]
    with h5py.File(min(tmp_path.glob("x_*"))) as file:
        assert file["s/values"][:].tobytes() == b"a\0\0"


def test_hdf5_has_what_is_asked_for(frame, tmp_path, recwarn):
    expected = ["a", "N/A", "", "é", "N/A"]
    frame.to_hdf(tmp_path / "a.h5", na_rep="N/A")
    frame["s"].to_hdf(tmp_path / "b.h5", na_rep="N/A")
    ak.to_hdf({"s": frame["s"]}, tmp_path / "c.h5", na_rep="N/A")
    assert ak.read_hdf(tmp_path / "a_*")["s"].tolist() == expected
    assert ak.read_hdf(tmp_path / "b_*")["strings_array"].tolist() == expected
    assert ak.read_hdf(tmp_path / "c_*")["s"].tolist() == expected
    assert not recwarn.list
    with pytest.raises(ArgumentTypeError, match="na_rep"):
        frame.to_hdf(tmp_path / "d.h5", na_rep=0)


def test_text_of_which_none_is_missing_is_written_without_a_warning(frame, tmp_path, recwarn):
    frame.dropna().to_hdf(tmp_path / "x.h5")
    assert not recwarn.list
    assert ak.read_hdf(tmp_path / "x_*")["s"].tolist() == ["a", "", "é"]


def test_all_ways_to_hdf5_warn(frame, tmp_path):
    frame.dropna().to_hdf(tmp_path / "x.h5")
    for write in (
        lambda: frame["s"].update_hdf(tmp_path / "x.h5", "t"),
        lambda: frame.save(tmp_path / "y.h5"),
        lambda: ak.save_all({"s": frame["s"]}, tmp_path / "z.h5"),
        lambda: ak.DataFrame({"x": frame["x"]}, index=frame["s"]).to_hdf(tmp_path / "w.h5"),
    ):
        with pytest.warns(UserWarning, match="written as empty text"):
            write()


def test_csv_has_what_is_asked_for(frame, tmp_path, recwarn):
    frame.to_csv(tmp_path / "a.csv", na_rep="-")
    frame["s"].to_csv(tmp_path / "b.csv")
    ak.to_csv({"s": frame["s"]}, tmp_path / "c.csv", na_rep="-")
    assert ak.read_csv(tmp_path / "a_*")["s"].tolist() == ["a", "-", "", "é", "-"]
    assert ak.read_csv(tmp_path / "b_*").popitem()[1].tolist() == ["a", "", "", "é", ""]
    assert ak.read_csv(tmp_path / "c_*")["s"].tolist() == ["a", "-", "", "é", "-"]
    assert not recwarn.list


def test_joins_keep_integers_for_pandas(tmp_path):
    left = {"k": [1, 2, 3], "i": [10, 20, 30], "b": [True, False, True], "s": ["a", None, "c"]}
    right = {"k": [1, 4], "u": np.array([7, 8], np.uint64), "f": [1.5, 2.5], "t": ["x", "y"]}
    frames = ak.DataFrame(left), ak.DataFrame(right)
    plain = [pd.DataFrame(data).convert_dtypes() for data in (left, right)]
    for how in ("inner", "left", "right", "outer"):
        joined = merged_with_gaps(frames[0], frames[1], "k", how)
        found = joined.to_pandas(nullable=True)
        expected = (
            plain[0].merge(plain[1].astype({"f": "Float64"}), on="k", how=how).sort_values("k", ignore_index=True)
        )
        assert {name: str(dtype) for name, dtype in found.dtypes.items()} == {
            "k": "Int64", "i": "Int64", "b": "boolean", "s": "string", "u": "UInt64", "f": "Float64", "t": "string"
        }  # fmt: skip
        for name in found:
            assert found[name].astype(object).fillna("missing").tolist() == (
                expected[name].astype(object).fillna("missing").tolist()
            )
        later = joined[joined["k"] > 0].sort_values("k", ascending=False)
        assert str(later.to_pandas(nullable=True).dtypes["u"]) == "UInt64"
        assert str(joined.to_pandas().dtypes["k"]) == "int64"
    assert str(merged_with_gaps(frames[0], frames[1], "k", "left").to_pandas().dtypes["u"]) == "UInt64"


def test_floats_that_are_no_integers_of_a_join_stay_floats():
    left, right = ak.DataFrame({"k": [1, 2]}), ak.DataFrame({"k": [1], "n": [2**60], "m": [3]})
    joined = merged_with_gaps(left, right, "k", "left")
    joined["m"] *= 0.5
    found = joined.to_pandas(nullable=True)
    assert [str(dtype) for dtype in found.dtypes] == ["Int64", "Int64", "Float64"]
    assert found["n"].tolist() == [2**60, pd.NA]
    assert found["m"].tolist() == [1.5, pd.NA]
