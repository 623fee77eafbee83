"""Who takes part: akdask first, then what is installed of the alternatives."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from benchmarks.peers.base import Peer

__all__ = ["Peer", "find_peers"]

KINDS = {
    "ours:Akdask": "akdask",
    "numpy_h5py:NumpyMemory": "numpy",
    "numpy_h5py:NumpyMapped": "numpy",
    "numpy_h5py:NumpyH5py": "numpy",
    "dask_dataframe:DaskDataFrame": "dask.dataframe",
    "polars_h5py:Polars": "polars",
    "duckdb_h5py:DuckDB": "duckdb",
}
"""The package that each takes, which is imported only where it takes part."""


def find_peers(threads: int, vaex_python: str | None = None) -> list[Peer]:
    """Return akdask and every alternative that is installed."""
    peers: list[Peer] = [_kind(name)(threads) for name, package in KINDS.items() if find_spec(package)]
    if vaex_python:
        from benchmarks.peers.vaex_process import Vaex

        peers.append(Vaex(threads, vaex_python))
    return peers


def _kind(name: str) -> type[Peer]:
    module, _, kind = name.partition(":")
    found: type[Peer] = getattr(import_module(f"{__name__}.{module}"), kind)
    return found
