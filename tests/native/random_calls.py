"""Has loops of every noun called on random input, each at all levels: ``python -m tests.native.random_calls SEED``."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory

import dask
import numpy as np
import pandas as pd

import akdask as ak
from akdask.pandas.lazy_csv import csv
from tests.native.both_levels import calls, take_the_place_of_loops
from tests.thresholds import small_data_as_large

ROWS = 3000


def columns_of(rng: np.random.Generator) -> dict[str, ak.pdarray | ak.Strings]:
    """Return columns of all kinds, some with missing values."""
    floats = np.where(rng.random(ROWS) < 0.1, np.nan, rng.normal(size=ROWS))
    words = rng.choice(["", "a", "Bee", "naïve", "a longer text than others, of many words"], ROWS)
    columns = {
        "few": rng.integers(0, 30, ROWS),
        "many": rng.integers(-(2**60), 2**60, ROWS),
        "bytes": rng.integers(0, 250, ROWS).astype(np.uint8),
        "floats": floats,
        "bools": rng.random(ROWS) < 0.5,
        "words": words,
        "texts": np.char.add(words, rng.integers(0, 900, ROWS).astype(str)),
    }
    return {name: ak.array(column) for name, column in columns.items()}


def ask(columns: dict[str, ak.pdarray | ak.Strings], folder: Path) -> None:
    """Ask questions of every noun."""
    frame = ak.DataFrame(columns)
    frame.to_parquet(str(folder / "x.parquet"))
    ak.to_hdf(columns, str(folder / "x.h5"))
    for found in (ak.read_parquet(str(folder / "x_LOCALE*.parquet")), ak.read_hdf(str(folder / "x_LOCALE*.h5"))):
        assert ak.DataFrame(found).to_pandas().equals(frame.to_pandas())
    rows = frame.to_pandas()
    rows.to_csv(folder / "y.csv", index=False)
    assert ak.read_csv(str(folder / "y.csv"))["many"].tolist() == rows["many"].tolist()
    assert csv(str(folder / "y.csv")).compute().equals(pd.read_csv(folder / "y.csv"))
    rows.to_parquet(folder / "y.parquet", row_group_size=ROWS // 3)
    ak.DataFrame(ak.read_parquet(str(folder / "y.parquet"))).to_pandas()
    for keys in ("few", "many", "texts", ["few", "words"], ["many", "floats"]):
        groups = frame.groupby(keys)
        for reduction in ("sum", "min", "max", "mean", "var", "nunique", "first"):
            getattr(groups[["many", "floats"]] if "floats" not in keys else groups[["bytes"]], reduction)().to_pandas()
        groups.size().to_pandas()
        frame.sort_values(keys).to_pandas()
        frame[:500].merge(frame[200:900], on=keys).to_pandas()
    for name in ("few", "many", "texts"):
        int(ak.in1d(columns[name], columns[name][::3]).sum())
        ak.find(columns[name], ak.unique(columns[name])).to_ndarray()
    total = (columns["floats"] * 2 + columns["few"])[columns["bools"] & (columns["many"] > 0)]
    float(total.sum())
    float(ak.Series(total).max())
    for window in ("sum", "mean", "std", "min", "max"):
        getattr(ak.Series(columns["floats"]).rolling(7, min_periods=2), window)().to_pandas()
    for running in ("cumsum", "cummax"):
        getattr(frame.groupby("few")["floats"], running)().to_pandas()
    frame.groupby("few")["floats"].median().to_pandas()
    ak.histogram2d(columns["few"], columns["bytes"], bins=9)[0].to_ndarray()
    int(columns["many"][columns["few"] > 3].sum())
    texts = ak.Series(columns["texts"])
    for asked in (
        texts.str.upper(), texts.str.len(), texts.str[1:4], texts.str.find("e"), texts.str.strip("ab"),
        texts.str.startswith("a"), texts.str.replace("e", "--", regex=False), texts.str.zfill(9), texts.str.count("e"),
    ):  # fmt: skip
        asked.to_pandas()
    int(columns["texts"].contains("longer").sum())
    columns["texts"].hash()[0].to_ndarray()
    columns["texts"].peel("o")[0].to_ndarray()
    ak.randint(0, 9, ROWS, seed=1).to_ndarray()
    ak.randint(0, 9, ROWS, dtype=ak.uint8, seed=2).to_ndarray()
    ak.uniform(ROWS, seed=3).to_ndarray()
    ak.random_strings_uniform(0, 9, ROWS, seed=4).to_ndarray()


def main() -> None:
    """Print how many loops of each noun were called, and the names of the others."""
    take_the_place_of_loops()
    dask.config.set(scheduler="synchronous")
    columns = columns_of(np.random.default_rng(int(sys.argv[1])))
    for strategies in (nullcontext, small_data_as_large):
        with strategies(), TemporaryDirectory() as folder:
            ask(columns, Path(folder))
    for package in sorted({name.rpartition(".")[0] for name in calls}):
        loops = {name: count for name, count in calls.items() if name.rpartition(".")[0] == package}
        print(package, sum(map(bool, loops.values())), *[name.rpartition(".")[2] for name in loops if not loops[name]])


if __name__ == "__main__":
    main()
