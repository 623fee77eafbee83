"""Reductions of columns that are computed of the same column read it once, and give what pandas gives."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.engine import run


@pytest.mark.parametrize("labels", [1, 2, 7])
def test_columns_made_of_one_are_reduced_in_one_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, labels: int
) -> None:
    rng = np.random.default_rng(labels)
    text = pa.array([f"label {number}" for number in rng.integers(0, labels, 5_000)])
    plain = pd.DataFrame({"text": text, "x": np.where(rng.random(5_000) < 0.2, np.nan, rng.random(5_000))})
    pq.write_table(pa.table({"text": text, "x": pa.array(plain["x"].to_numpy())}), tmp_path / "rows.parquet")
    rows = ak.read_parquet(str(tmp_path / "rows.parquet"))
    plans, own = list[int](), run.run

    def counted(*given: Any) -> Any:
        plans.append(len(given))
        return own(*given)

    monkeypatch.setattr("akdask.frames.reductions.run", counted)
    columns: dict[str, Callable[[Any], Any]] = {
        "first": lambda one: one["text"] == "label 0",
        "others": lambda one: one["text"] != "label 0",
        "again": lambda one: one["text"] == "label 0",
        "last": lambda one: one["text"] == f"label {labels - 1}",
        "none": lambda one: one["text"] == "label",
        "all": lambda one: one["text"] != "label",
    }
    lazy = ak.DataFrame({name: make(rows) for name, make in columns.items()})
    expected = pd.DataFrame({name: make(plain) for name, make in columns.items()})
    for how in ("sum", "mean", "min", "max"):
        found = getattr(lazy, how)(skipna=True).to_pandas()
        pd.testing.assert_series_equal(found, getattr(expected, how)(), check_dtype=False)
    assert {*plans} == {1}
    mixed = ak.DataFrame({"x": rows["x"], "twice": rows["x"] * 2, "is": rows["text"] == "label 0"})
    wanted = pd.DataFrame({"x": plain["x"], "twice": plain["x"] * 2, "is": plain["text"] == "label 0"})
    pd.testing.assert_series_equal(mixed.sum(skipna=True).to_pandas(), wanted.sum())
