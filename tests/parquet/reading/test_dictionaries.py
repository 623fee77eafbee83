"""Operations are asked of the strings of a dictionary, where rows are positions in one."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.engine.operations import OPERATIONS, Operation

TEXT = st.sampled_from(["", "a", "b", "Ab ñ", "a long string of many letters", " c12 "])


@pytest.fixture(autouse=True, scope="module")
def _small_blocks():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("akdask.engine.tuning.FEW_BLOCK_ROWS", 16)
        yield


CALLS = {
    "equal": lambda text: text == "a",
    "differs": lambda text: text != "b",
    "isin": lambda text: text.isin(["a", "Ab ñ", "none"]),
    "contains": lambda text: text.str.contains("b", regex=False),
    "matches": lambda text: text.str.contains("[0-9]+", regex=True),
    "startswith": lambda text: text.str.startswith("a"),
    "endswith": lambda text: text.str.endswith("s"),
    "len": lambda text: text.str.len(),
    "find": lambda text: text.str.find("l"),
    "isna": lambda text: text.isna(),
    "upper": lambda text: text.str.upper(),
    "strip": lambda text: text.str.strip(),
    "replace": lambda text: text.str.replace("a", "xyz", regex=False),
    "upper_equal": lambda text: text.str.upper() == "A",
    "extract": lambda text: text.str.extract("([0-9])", expand=False),
    "filled": lambda text: text.fillna("a").str.len(),
    "joined": lambda text: text + "-" + text,
}


@settings(max_examples=25)
@given(st.lists(TEXT | st.none(), min_size=1, max_size=60), st.sampled_from(list(CALLS)), st.sampled_from([8, 2**21]))
@example(["a", None, "b"] * 10, "filled", 8)
def test_answers_are_those_that_pandas_has_of_the_rows(tmp_path_factory, rows, name, block_size):
    path = str(tmp_path_factory.mktemp("text") / "x.parquet")
    rows = rows * 3
    pq.write_table(pa.table({"k": pa.array(rows, pa.string()), "v": np.arange(len(rows))}), path, row_group_size=70)
    with ak.config.set(block_size=block_size):
        frame = ak.DataFrame(ak.read_parquet(path))
        for some, given_rows in ((frame, rows), (frame[frame["v"] % 3 == 1], rows[1::3])):
            found = CALLS[name](some.k).to_pandas()
            expected = CALLS[name](pd.Series(given_rows, dtype="str"))
            assert [None if pd.isna(item) else item for item in found] == [
                None if pd.isna(item) else item for item in expected
            ]


@pytest.mark.lazy_only
def test_each_string_of_a_dictionary_is_asked_once(tmp_path, monkeypatch):
    pq.write_table(pa.table({"k": [f"text {row % 7}" for row in range(70_000)]}), tmp_path / "x.parquet")
    asked, evaluate = [], Operation.evaluate

    def noted(self, *args, out=None, **params):
        asked.extend(len(arg) for arg in args if isinstance(arg, pa.Array) and self.name == "contains")
        return evaluate(self, *args, out=out, **params)

    monkeypatch.setattr(type(OPERATIONS["contains"]), "evaluate", noted)
    with ak.config.set(block_size=2**16):
        frame = ak.DataFrame(ak.read_parquet(tmp_path / "x.parquet"))
        assert frame["k"].contains("3").sum() == 10_000
    assert asked == [7]


def test_row_groups_of_a_partition_may_have_other_dictionaries(tmp_path):
    rows = ["a", "b"] * 32 + ["b", "c"] * 32
    pq.write_table(pa.table({"k": rows}), tmp_path / "x.parquet", row_group_size=64)
    with ak.config.set(block_size=8 * 32):
        frame = ak.DataFrame(ak.read_parquet(tmp_path / "x.parquet"))
        assert (frame["k"] == "b").to_list() == [row == "b" for row in rows]
