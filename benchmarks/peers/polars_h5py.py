"""polars, which has no reader for HDF5: h5py reads, polars computes."""

from __future__ import annotations

import polars as pl

from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.timing import Run


class Polars(Peer):
    """Frames of the files, concatenated without a copy; polars uses all cores of its own accord."""

    name = "polars + h5py"

    def sum_column(self, files: FileSet) -> Run:
        return lambda: float(_frame(files, "a").select(pl.col("a").sum()).collect().item())

    def filtered_sum(self, files: FileSet) -> Run:
        query = pl.col("b").filter(pl.col("a") > 0.5).sum()
        return lambda: float(_frame(files, "a", "b").select(query).collect().item())

    def expression_sum(self, files: FileSet) -> Run:
        query = (pl.col("a") * 2.5 + pl.col("b")).sqrt().sum()
        return lambda: float(_frame(files, "a", "b").select(query).collect().item())


def _frame(files: FileSet, *names: str) -> pl.LazyFrame:
    parts = [pl.DataFrame(dict(zip(names, read_columns(path, names), strict=True))) for path in files.paths]
    return pl.concat(parts, rechunk=False).lazy()
