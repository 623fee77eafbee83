"""dask.dataframe, with a partition for each file, read with h5py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.timing import Run


class DaskDataFrame(Peer):
    """``dd.from_map`` over the files, as its documentation has it for formats of one's own."""

    name = "dask.dataframe"

    def sum_column(self, files: FileSet) -> Run:
        return lambda: float(_frame(files, ["a"])["a"].sum().compute())

    def filtered_sum(self, files: FileSet) -> Run:
        def run() -> float:
            frame = _frame(files, ["a", "b"])
            return float(frame[frame["a"] > 0.5]["b"].sum().compute())

        return run

    def expression_sum(self, files: FileSet) -> Run:
        def run() -> float:
            frame = _frame(files, ["a", "b"])
            return float(np.sqrt(frame["a"] * 2.5 + frame["b"]).sum().compute())

        return run


def read_frame(path: Path, columns: list[str]) -> pd.DataFrame:
    """Return one file as a pandas DataFrame."""
    return pd.DataFrame(dict(zip(columns, read_columns(path, tuple(columns)), strict=True)), copy=False)


def _frame(files: FileSet, columns: list[str]) -> Any:
    meta = pd.DataFrame({name: np.empty(0) for name in columns})
    return dd.from_map(read_frame, files.paths, columns=columns, meta=meta)
