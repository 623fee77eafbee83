"""akdask itself."""

from __future__ import annotations

import numpy as np

import akdask as ak
from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.timing import Run


class Akdask(Peer):
    """From `read_hdf` to the number."""

    name = "akdask"

    def sum_column(self, files: FileSet) -> Run:
        return lambda: float(ak.read_hdf(files.pattern)["a"].sum())

    def filtered_sum(self, files: FileSet) -> Run:
        def run() -> float:
            frame = ak.DataFrame(ak.read_hdf(files.pattern))
            return float(frame[frame["a"] > 0.5]["b"].sum())

        return run

    def expression_sum(self, files: FileSet) -> Run:
        def run() -> float:
            data = ak.read_hdf(files.pattern)
            return float(np.sqrt(data["a"] * 2.5 + data["b"]).sum())

        return run
