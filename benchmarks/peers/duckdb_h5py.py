"""duckdb, which has no reader for HDF5: h5py reads, duckdb scans the arrays as an Arrow table without a copy."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.peers.numpy_h5py import read_columns
from benchmarks.timing import Run


class DuckDB(Peer):
    """One connection, one query for each question."""

    name = "duckdb + h5py"

    def sum_column(self, files: FileSet) -> Run:
        return self._query(files, ("a",), "select sum(a) from data")

    def filtered_sum(self, files: FileSet) -> Run:
        return self._query(files, ("a", "b"), "select sum(b) from data where a > 0.5")

    def expression_sum(self, files: FileSet) -> Run:
        return self._query(files, ("a", "b"), "select sum(sqrt(a * 2.5 + b)) from data")

    def _query(self, files: FileSet, names: tuple[str, ...], query: str) -> Run:
        connection = duckdb.connect(config={"threads": self.threads})

        def run() -> float:
            parts = [pa.table(read_columns(path, names), names=list(names)) for path in files.paths]
            connection.register("data", pa.concat_tables(parts))
            ((answer,),) = connection.execute(query).fetchall()
            return float(answer)

        return run
