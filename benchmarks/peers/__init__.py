"""Who takes part: akdask first, then what is installed of the alternatives."""

from __future__ import annotations

from importlib.util import find_spec

from benchmarks.peers.base import Peer
from benchmarks.peers.dask_dataframe import DaskDataFrame
from benchmarks.peers.numpy_h5py import NumpyH5py, NumpyMapped, NumpyMemory
from benchmarks.peers.ours import Akdask

__all__ = ["Peer", "find_peers"]


def find_peers(threads: int, vaex_python: str | None = None) -> list[Peer]:
    """Return akdask and every alternative that is installed."""
    peers: list[Peer] = [kind(threads) for kind in (Akdask, NumpyMemory, NumpyMapped, NumpyH5py, DaskDataFrame)]
    if find_spec("polars"):
        from benchmarks.peers.polars_h5py import Polars

        peers.append(Polars(threads))
    if find_spec("duckdb"):
        from benchmarks.peers.duckdb_h5py import DuckDB

        peers.append(DuckDB(threads))
    if vaex_python:
        from benchmarks.peers.vaex_process import Vaex

        peers.append(Vaex(threads, vaex_python))
    return peers
