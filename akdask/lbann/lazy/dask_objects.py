"""Samples as Dask arrays and bags."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

import numpy as np

from akdask.errors import ArgumentError
from akdask.lbann.epochs.selection import SelectedSamples
from akdask.lbann.lazy.runs import RunReader, runs_of
from akdask.lbann.transform.names import resolve
from akdask.plan.expr._dask import Task


def dask_array_of(dataset: SelectedSamples, name: str, batch: int) -> Any:
    """Return what samples have under a name; see `Dataset.to_dask_array`.

    Raises
    ------
    ArgumentError
        If the number of rows of a chunk is not positive.
    """
    import dask.array as da

    if batch < 1:
        raise ArgumentError(f"a batch of {batch} samples.", hint="give an integer from 1 up.")
    reader = dataset.grouped([name])
    found = resolve(name, dataset.names)
    size, dtype = dataset.size_of(name), dataset.dtype_of(name)
    key = f"lbann-{found}-{uuid4().hex}"
    starts = range(0, len(dataset), batch)
    graph = {
        (key, number, 0): Task((key, number, 0), RunReader(reader, dataset.indices[start : start + batch]).rows, found)
        for number, start in enumerate(starts)
    }
    rows = tuple(min(batch, len(dataset) - start) for start in starts)
    kind = object if dtype.kind == "U" else dtype
    return da.Array(graph, key, (rows or (0,), (size,)), dtype=kind)


def dask_bag_of(dataset: SelectedSamples, names: Sequence[str] | None) -> Any:
    """Return samples as dicts; see `Dataset.to_dask_bag`."""
    import dask.bag as db

    reader = dataset.grouped(names)
    chosen = reader.names or dataset.names
    files = dataset.samples.file_of(dataset.indices)
    runs = runs_of(files, sample_bytes(dataset, chosen)) if len(dataset) else []
    key = f"lbann-samples-{uuid4().hex}"
    graph = {
        (key, number): Task((key, number), RunReader(reader, dataset.indices[start:stop]).dicts)
        for number, (start, stop) in enumerate(runs)
    }
    return db.Bag(graph or {(key, 0): Task((key, 0), _no_samples)}, key, max(len(runs), 1))


def _no_samples() -> list[dict[str, np.ndarray]]:
    return []


def sample_bytes(dataset: SelectedSamples, names: Sequence[str]) -> int:
    """Return about how many bytes a sample takes in memory; reads the first sample."""
    return sum(dataset.size_of(name) * max(np.dtype(dataset.dtype_of(name)).itemsize, 8) for name in names)
