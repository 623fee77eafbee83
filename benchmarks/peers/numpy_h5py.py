"""NumPy by hand, in three ways: on what h5py reads, on mapped files, and on data that is in memory already."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

import h5py
import numpy as np
import numpy.typing as npt

from benchmarks.data import FileSet
from benchmarks.peers.base import Peer
from benchmarks.timing import Run

Columns: TypeAlias = list[npt.NDArray[Any]]
Reader: TypeAlias = Callable[[Path, tuple[str, ...]], Columns]


def read_columns(path: Path, names: tuple[str, ...]) -> Columns:
    """Return whole columns of one file."""
    with h5py.File(path, "r") as file:
        return [file[name][:] for name in names]


def map_columns(path: Path, names: tuple[str, ...]) -> Columns:
    """Return columns of one file as mappings of it, which only contiguous datasets allow."""
    with h5py.File(path, "r") as file:
        datasets = [(file[name].id.get_offset(), file[name].dtype, file[name].shape) for name in names]
    return [np.memmap(path, dtype, "r", offset, shape) for offset, dtype, shape in datasets]


class NumpyH5py(Peer):
    """h5py reads, NumPy computes, a file for each thread."""

    name = "NumPy + h5py"
    read: Reader = staticmethod(read_columns)

    def sum_column(self, files: FileSet) -> Run:
        return self._each_file(files, ("a",), lambda a: a.sum())

    def filtered_sum(self, files: FileSet) -> Run:
        return self._each_file(files, ("a", "b"), lambda a, b: b[a > 0.5].sum())

    def expression_sum(self, files: FileSet) -> Run:
        return self._each_file(files, ("a", "b"), lambda a, b: np.sqrt(a * 2.5 + b).sum())

    def _each_file(self, files: FileSet, names: tuple[str, ...], compute: Callable[..., Any]) -> Run:
        pool = ThreadPoolExecutor(self.threads)
        return lambda: float(sum(pool.map(lambda path: compute(*self.read(path, names)), files.paths)))


class NumpyMapped(NumpyH5py):
    """The same on mapped files."""

    name = "NumPy, mapped"
    read = staticmethod(map_columns)


class NumpyMemory(NumpyH5py):
    """The same with the data in memory before the clock starts: no reading at all."""

    name = "NumPy, in memory"

    def _each_file(self, files: FileSet, names: tuple[str, ...], compute: Callable[..., Any]) -> Run:
        pool = ThreadPoolExecutor(self.threads)
        parts = [read_columns(path, names) for path in files.paths]
        return lambda: float(sum(pool.map(lambda columns: compute(*columns), parts)))
