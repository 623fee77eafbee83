"""More rows than the disk would hold: files that are holes but for some rows at their beginning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

import dask
import h5py
import numpy as np

import akdask as ak
from akdask.formats.hdf5.inspect import describe_file
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.storage.files import identify
from akdask.storage.manifest import manifest_path
from benchmarks.data import FileSet, make_once, mark, shares
from benchmarks.report import OURS, SECONDS, Result, Work
from benchmarks.setting import Setting
from benchmarks.timing import Run, compare, interleave

FILES = 10_000
GROUPS = 10


def sparse_files(setting: Setting) -> list[Result]:
    """Filter and sum, and sum by a key of ten values, once each, rows in 10,000 files."""
    count, rows = setting.scaled(FILES), setting.scaled(setting.sparse_rows)
    with sparse_set(setting, rows, count) as files:
        size = f"{rows:,} rows in {count:,} files"
        work = Work(rows, 2 * rows * np.dtype(np.int64).itemsize)
        return [
            _once(f"filtered sum, {size}", lambda: _filtered_sum(files), count * (GROUPS - 1.0), work),
            _once(f"sum of {GROUPS} groups, {size}", lambda: _groups(files), [float(count)] * GROUPS, work),
        ]


@contextmanager
def sparse_set(setting: Setting, rows: int, count: int) -> Iterator[FileSet]:
    """Yield columns `k` and `v` in so many files, mostly holes, with a manifest, and remove them."""
    target = setting.folder / f"sparse-{rows}-rows-{count}-files"
    files = make_once(target, lambda folder: _write(folder, rows, count), in_memory=False)
    try:
        HdfManifest.write(
            manifest_path(str(target / "set")), [describe_file(identify(str(path))) for path in files.paths]
        )
        yield files
    finally:
        rmtree(target)


def _once(task: str, run: Run, expected: object, work: Work) -> Result:
    def checked() -> None:
        compare({"found": run(), "written": expected})

    # Without patience the first turn is the only one.
    return Result(task, SECONDS, interleave({OURS: checked}, repeat=1, patience=0.0), work=work)


def _filtered_sum(files: FileSet) -> float:
    frame = ak.DataFrame(ak.read_hdf(files.pattern))
    return float(frame[frame["k"] > 0]["v"].sum())


def _groups(files: FileSet) -> list[float]:
    data = ak.read_hdf(files.pattern)
    (sums,) = dask.compute(ak.GroupBy(data["k"]).sum(data["v"])[1])
    return [float(total) for total in sums]


def _write(folder: Path, rows: int, count: int) -> None:
    """Write ones of every group at the beginning of each file; HDF5 leaves the rest out, which reads as zeros."""
    columns = {"k": np.arange(GROUPS), "v": np.ones(GROUPS)}
    for index, (start, stop) in enumerate(shares(rows, count)):
        with h5py.File(folder / f"set_LOCALE{index:04d}", "w") as file:
            file.attrs["File_Format"] = 1
            for name, values in columns.items():
                dataset = file.create_dataset(name, shape=(stop - start,), dtype=values.dtype, fill_time="never")
                mark(dataset, 1)
                dataset[:GROUPS] = values
