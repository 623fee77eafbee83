"""Filters read their own columns first, and of the other columns the pages with rows that are left."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.formats.parquet.pages import PageReader

ROWS = 200
START = np.datetime64("2024-02-28")


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("akdask.engine.tuning.FEW_BLOCK_ROWS", 16)
        yield


def make_table(seed, with_nulls):
    """Return a table with a column of every kind."""
    random = np.random.default_rng(seed)

    def of(values, stored=None):
        missing = random.random(ROWS) < 0.1 if with_nulls else None
        return pa.array(values, stored, mask=missing)

    return pa.table({
        "row": np.arange(ROWS),
        "wide": of(random.integers(-(2**62), 2**62, ROWS)),
        "narrow": of(random.integers(-100, 100, ROWS).astype(np.int16)),
        "float": of(random.random(ROWS).astype(np.float32)),
        "bool": of(random.random(ROWS) < 0.5),
        "day": of(START + random.integers(0, 40, ROWS), pa.date32()),
        "few": of([f"name {number}" for number in random.integers(0, 5, ROWS)]),
        "many": of([f"text {number} ñ" * (number % 4) for number in random.integers(0, 2000, ROWS)]),
        "list": pa.array([[number] * (number % 3) for number in range(ROWS)], pa.list_(pa.int64())),
    })  # fmt: skip


@st.composite
def ways(draw):
    """Draw a way to write small pages."""
    return {
        "data_page_version": draw(st.sampled_from(["1.0", "2.0"])),
        "compression": draw(st.sampled_from(["none", "snappy", "zstd"])),
        "write_page_index": draw(st.booleans()),
        "use_dictionary": draw(st.booleans()),
        "dictionary_pagesize_limit": draw(st.sampled_from([50, 2**20])),
        "row_group_size": draw(st.sampled_from([90, 2**20])),
        "data_page_size": 100,
        "write_batch_size": draw(st.sampled_from([7, 40])),
    }


@settings(max_examples=25)
@given(
    st.builds(make_table, st.integers(0, 5), st.booleans()),
    ways(),
    st.sets(st.integers(0, ROWS - 1), max_size=30),
    st.tuples(st.sampled_from([2**8, 2**10, 2**21]), st.sampled_from([None, 3])),
)
def test_rows_that_filters_leave_have_the_values_of_every_column(tmp_path_factory, table, way, kept, chosen):
    block_size, others = chosen
    path = str(tmp_path_factory.mktemp("rows") / "x.parquet")
    pq.write_table(table, path, **way)
    wanted = table.take(pa.array(sorted(kept), pa.int64()))
    with ak.config.set(block_size=block_size):
        frame = ak.DataFrame(ak.read_parquet(path))
        found = frame[ak.in1d(frame["row"], ak.array(np.array(sorted(kept), np.int64)))]
        if others is not None:
            # A second filter leaves some of these rows.
            found = found[found["row"] % others == 0]
            wanted = wanted.filter(pa.array(np.array(sorted(kept), np.int64) % others == 0))
        names = [name for name in table.column_names if name != "list"]
        answer = found[names].to_pandas()
        lists = found["list"].to_list()
    for name in names:
        expected = wanted[name].cast(pa.timestamp("s")) if name == "day" else wanted[name]
        assert [None if pd.isna(item) else item for item in answer[name]] == expected.to_pylist()
    assert lists == wanted["list"].to_pylist()


@settings(max_examples=25)
@given(
    st.builds(make_table, st.integers(0, 5), st.booleans()),
    ways(),
    st.integers(0, 120),
    st.sampled_from([1, 2, 16]),
)
def test_blocks_with_few_rows_left_are_put_together(tmp_path_factory, table, way, most, share):
    path = str(tmp_path_factory.mktemp("joined") / "x.parquet")
    pq.write_table(table, path, **way)
    expected = table.to_pandas()
    scaled = expected["narrow"] * 3 + expected["row"]
    kept = ((scaled % 128) < most).to_numpy(bool)
    with pytest.MonkeyPatch.context() as patched, ak.config.set(block_size=2**8):
        patched.setattr("akdask.engine.tuning.JOINED_BLOCK_SHARE", share)
        frame = ak.DataFrame(ak.read_parquet(path))
        # What the filter computes, and the columns that it reads, are wanted of the rows that are left, too.
        both = frame["narrow"] * 3 + frame["row"]
        rows = frame[(both % 128) < most]
        rows["both"] = both[(both % 128) < most]
        assert rows["row"].to_list() == expected["row"][kept].tolist()
        assert rows["both"].to_list() == scaled[kept].tolist()
        again, left = rows[rows["row"] % 3 == 0], kept & (expected["row"] % 3 == 0)
        for name in ("few", "many", "float"):
            found = [None if pd.isna(item) else item for item in again[name].to_list()]
            assert found == [None if pd.isna(item) else item for item in expected[name][left]]


@settings(max_examples=25)
@given(
    st.builds(make_table, st.integers(0, 5), st.booleans()),
    ways(),
    st.lists(st.integers(0, ROWS - 1), min_size=1, max_size=30),
    st.tuples(st.sampled_from([1, 4]), st.booleans()),
)
def test_rows_that_have_pairs_have_the_values_of_every_column(tmp_path_factory, table, way, keys, chosen):
    divisor, is_paired_again = chosen
    path = str(tmp_path_factory.mktemp("pairs") / "x.parquet")
    pq.write_table(table, path, **way)
    names = [name for name in table.column_names if name != "list"]
    pairs = sorted((row, other) for other, row in enumerate(keys))
    rows = [row for row, other in pairs if (row + other) % divisor == 0]
    with pytest.MonkeyPatch.context() as patched, ak.config.set(block_size=2**10):
        patched.setattr("akdask.engine.tuning.FEW_PAIRED", 1)
        others = ak.DataFrame({"row": np.array(keys), "other": np.arange(len(keys))})
        found = ak.DataFrame(ak.read_parquet(path, names)).merge(others, on="row", sort=False)
        if is_paired_again:
            # All pairs have one of their own.
            same = ak.DataFrame({"other": np.arange(len(keys)), "same": np.arange(len(keys))})
            found = found.merge(same, on="other", sort=False)
        # A filter on columns of both sides leaves some of the pairs.
        found = found[(found["row"] + found["other"]) % divisor == 0]
        answer = found[names].to_pandas()
    wanted = table.take(pa.array(rows, pa.int64()))
    for name in names:
        expected = wanted[name].cast(pa.timestamp("s")) if name == "day" else wanted[name]
        assert [None if pd.isna(item) else item for item in answer[name]] == expected.to_pylist()


@pytest.mark.lazy_only
@pytest.mark.parametrize("name", ["wide", "many"])
def test_pages_without_rows_that_are_left_are_not_unpacked(tmp_path, monkeypatch, name):
    pq.write_table(make_table(0, True), tmp_path / "x.parquet", data_page_size=100, write_batch_size=20)
    unpacked, whole = [], PageReader._unpacked_page

    def noted(self, page):
        if self._column.name == name:
            unpacked.append(int(page[0]))
        return whole(self, page)

    monkeypatch.setattr(PageReader, "_unpacked_page", noted)
    monkeypatch.setattr(PageReader, "_decode", lambda *_, **__: 0)
    frame = ak.DataFrame(ak.read_parquet(tmp_path / "x.parquet"))
    rows = frame[(frame["row"] == 50) | (frame["row"] == 199)]
    assert len(rows[name].to_list()) == 2
    assert len(set(unpacked)) == 2
