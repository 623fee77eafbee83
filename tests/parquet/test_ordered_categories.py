"""Parquet keeps the order of ordered categories, of files of akdask, pandas and Arrow alike."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak

CATEGORIES = ["lo", "mid", "hi", "never"]
ROWS = pd.DataFrame(
    {
        "c": pd.Categorical(["mid", "lo", None, "hi", "lo", "mid"], categories=CATEGORIES, ordered=True),
        "u": pd.Categorical(["b", "a", "b", "a", "b", "a"], categories=["b", "a"]),
        "x": np.arange(6),
    }
)


def check(found):
    got = found.to_pandas()
    assert got.c.cat.ordered
    assert got.c.cat.categories.tolist() == CATEGORIES
    pd.testing.assert_series_equal(got.c, ROWS.c, check_categorical=False)
    assert not got.u.cat.ordered
    assert found.sort_values("c").x.tolist() == ROWS.sort_values("c", kind="stable").x.tolist()
    assert found[found.c > "lo"].x.tolist() == ROWS[ROWS.c > "lo"].x.tolist()
    assert found.groupby("c").x.max().to_pandas().index.dropna().tolist() == ["lo", "mid", "hi"]


@pytest.mark.parametrize("npartitions", [1, 3])
def test_what_akdask_writes(tmp_path, npartitions):
    frame = ak.DataFrame(ROWS).repartition(npartitions) if npartitions > 1 else ak.DataFrame(ROWS)
    frame.to_parquet(tmp_path / "set.parquet")
    check(ak.DataFrame(ak.read_parquet(str(tmp_path / "set*"))))
    check(ak.DataFrame.load(tmp_path / "set.parquet"))
    # Other readers see the order as well, and nothing where there is nothing.
    theirs = pd.concat([pd.read_parquet(path) for path in sorted(tmp_path.glob("set*"))], ignore_index=True)
    assert theirs.c.cat.ordered
    assert theirs.c.cat.categories.tolist() == CATEGORIES
    pd.testing.assert_series_equal(theirs.c, ROWS.c, check_categorical=False)


@pytest.mark.filterwarnings("ignore:columns are best written in one call:DeprecationWarning")
def test_a_column_that_is_added_to_a_file_keeps_the_order(tmp_path):
    frame = ak.DataFrame(ROWS)
    frame[["x"]].to_parquet(tmp_path / "set.parquet")
    frame["c"].to_parquet(tmp_path / "set.parquet", dataset="c", mode="append")
    frame["u"].to_parquet(tmp_path / "set.parquet", dataset="u", mode="append")
    check(ak.DataFrame(ak.read_parquet(str(tmp_path / "set*"))))


@pytest.mark.parametrize("row_group_size", [2, 100])
def test_what_others_write(tmp_path, row_group_size):
    ROWS.to_parquet(tmp_path / "pandas.parquet", row_group_size=row_group_size)
    check(ak.DataFrame(ak.read_parquet(str(tmp_path / "pandas.parquet"))))
    table = pa.table({name: pa.array(ROWS[name]) for name in ROWS})
    pq.write_table(table, tmp_path / "arrow.parquet", row_group_size=row_group_size)
    check(ak.DataFrame(ak.read_parquet(str(tmp_path / "arrow.parquet"))))


def test_files_with_other_dictionaries_lose_no_label(tmp_path):
    kind = pa.dictionary(pa.int32(), pa.string(), ordered=True)
    for number, (labels, codes) in enumerate([(["lo", "hi"], [1, 0]), (["lo", "mid", "hi"], [1, 2, None])]):
        array = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(labels), ordered=True)
        assert array.type == kind
        pq.write_table(pa.table({"c": array}), tmp_path / f"part{number}.parquet")
    found = ak.read_parquet(str(tmp_path / "part*"))["c"]
    assert found.ordered
    assert found.to_pandas().tolist()[:4] == ["hi", "lo", "mid", "hi"]
    # What the first file does not know of comes behind what it knows.
    assert found.to_pandas().categories.tolist() == ["lo", "hi", "mid"]


def test_arkouda_files_keep_the_order_of_categories_and_not_what_it_means(tmp_path):
    ak.DataFrame(ROWS).to_hdf(tmp_path / "set.h5")
    found = ak.DataFrame.load(tmp_path / "set.h5")["c"]
    assert not found.ordered
    assert found.categories.tolist() == [*CATEGORIES, "N/A"]
    assert found.as_ordered().to_pandas().tolist()[:2] == ["mid", "lo"]
    assert (found.as_ordered() < "hi").tolist() == (ROWS.c < "hi").tolist()
