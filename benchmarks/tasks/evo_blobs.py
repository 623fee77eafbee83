"""Blobs of Evo objects: vertices written from locale files, columns read, memory of a write, footers of very many."""

from __future__ import annotations

import os
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from akdask import evo
from benchmarks.data import FileSet, floats, make_once, make_set, mark, shares
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, MILLISECONDS, OURS, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import compare, interleave, peak, reset_peak

PYARROW = "pyarrow, one writer"
READ_TABLE = "pyarrow.read_table"
NAMES = ("x", "y", "z")
SPARSE_BYTES = 8_000_000_000
ROW_GROUP = 2**20


def put_vertices(setting: Setting) -> list[Result]:
    """Write three float64 columns of four locale files as one blob, at the level of gzip that is pyarrow's."""
    files = make_set(setting.folder, "vertices", dict.fromkeys(NAMES, floats), setting.rows, 4)
    folder = setting.folder / "blobs"
    folder.mkdir(exist_ok=True)

    def by_akdask() -> int:
        frame = ak.DataFrame(ak.read_hdf(files.pattern))
        return int(evo.write_blob(frame, folder / "akdask", role="geometry").length)

    def by_pyarrow() -> int:
        schema = pa.schema([(name, pa.float64()) for name in NAMES])
        options = {"version": "2.4", "compression": "gzip", "use_dictionary": False, "store_schema": False}
        with pq.ParquetWriter(folder / "pyarrow", schema, **options) as writer:
            for path in files.paths:
                with h5py.File(path, "r") as file:
                    table = pa.table({name: file[name][:] for name in NAMES})
                writer.write_table(table, row_group_size=ROW_GROUP)
        return int(pq.read_metadata(folder / "pyarrow").num_rows)

    seconds = setting.interleave({OURS: by_akdask, PYARROW: by_pyarrow})
    ours, theirs = (pq.ParquetFile(folder / name) for name in ("akdask", "pyarrow"))
    for name in NAMES:
        found = (file.read([name]).column(0).to_numpy().tobytes() for file in (ours, theirs))
        compare(dict(zip((OURS, PYARROW), found, strict=True)))
    return [Result("Evo, put of three columns", SECONDS, seconds, {PYARROW: 1.7})]


def get_two_of_three(setting: Setting) -> list[Result]:
    """Read two of the three columns of a blob into Arrow."""
    target = setting.folder / f"blob-{setting.rows}-rows"
    make_once(target, lambda folder: _write_vertices(folder / "set_LOCALE0000", setting.rows))
    path = target / "set_LOCALE0000"
    expected = [pq.read_table(path, columns=[name]).column(0).to_numpy().sum() for name in ("x", "z")]
    found = evo.read_blob(path, columns=["x", "z"]).to_arrow()
    compare({OURS: tuple(float(c.to_numpy().sum()) for c in found.columns), READ_TABLE: tuple(map(float, expected))})
    runs = {
        OURS: lambda: evo.read_blob(path, columns=["x", "z"]).to_arrow().num_rows,
        READ_TABLE: lambda: pq.read_table(path, columns=["x", "z"]).num_rows,
    }
    return [Result("Evo, get two of three columns", MILLISECONDS, setting.interleave(runs), {READ_TABLE: 1.0})]


def memory_of_a_put(setting: Setting) -> list[Result]:
    """Measure the peak above the idle process while 8 GB of sparse files are written as one blob."""
    rows = setting.scaled(SPARSE_BYTES // (8 * len(NAMES)))
    target = setting.folder / f"sparse-vertices-{rows}-rows"
    files = make_once(target, lambda folder: _write_sparse(folder, rows), in_memory=False)
    length, above = fresh(peak_of_put, str(files.folder), str(setting.folder))
    compare({OURS: length, "written": rows})
    return [Result("memory of a put to Evo, 8 GB", MEBIBYTES, {OURS: above}, limit=300 * 2**20)]


def peak_of_put(source: str, folder: str) -> tuple[int, int]:
    """Return the rows of the blob, and the peak of memory above what the process had after a small blob."""
    target = Path(folder) / "sparse-blob"
    evo.write_blob(ak.DataFrame({name: ak.zeros(10) for name in NAMES}), target, role="geometry")
    frame = ak.DataFrame(ak.read_hdf(FileSet(Path(source)).pattern))
    idle = reset_peak()
    length = evo.write_blob(frame, target, role="geometry").length
    return length, peak() - idle


def validate_many_footers(setting: Setting) -> list[Result]:
    """Check 10,000 blobs by their footers."""
    count = setting.scaled(10_000)
    folder = setting.folder / f"many-blobs-{count}"
    make_once(folder, lambda target: _write_many(target, count), in_memory=False)
    paths = sorted(map(str, folder.iterdir()))

    def check() -> int:
        return sum(map(len, evo.validate_many(paths, role="geometry", footer_only=True).values()))

    compare({OURS: check(), "nothing": 0})
    seconds = interleave({OURS: check}, min(setting.repeat, 3))
    return [Result(f"Evo, footers of {count:,} blobs", SECONDS, seconds, limit=20.0)]


def _write_vertices(path: Path, rows: int) -> None:
    random = np.random.default_rng(0)
    evo.write_blob({name: random.random(rows) for name in NAMES}, path, role="geometry")


def _write_sparse(folder: Path, rows: int) -> None:
    for index, (start, stop) in enumerate(shares(rows, 16)):
        with h5py.File(folder / f"set_LOCALE{index:04d}", "w") as file:
            file.attrs["File_Format"] = 1
            for name in NAMES:
                dataset = file.create_dataset(name, shape=(stop - start,), dtype=np.float64, fill_time="never")
                mark(dataset, 1)
                dataset[:1] = index


def _write_many(folder: Path, count: int) -> None:
    """Write some blobs, each of which is there under many names."""
    different = min(count, 100)
    for number in range(different):
        evo.write_blob({name: np.arange(number + 5.0) for name in NAMES}, folder / f"{number:05d}", role="geometry")
    for number in range(different, count):
        os.link(folder / f"{number % different:05d}", folder / f"{number:05d}")
