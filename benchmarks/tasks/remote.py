"""Columns of files behind a network: HDF5 and Parquet, beside requests for the same bytes and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from time import perf_counter

import dask
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.data import FileSet, floats, integers, make_once, make_set, shares
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.slow_store import SlowFileSystem
from benchmarks.timing import Run, Timed

COLUMNS = ("a", "b")
REQUESTS = "range reads alone"
AT_ONCE, REQUEST = 32, 4 * 2**20
"""What the peer does: so many requests at a time, each of so many bytes."""

_VISITS = itertools.count()

Place = tuple[str, int, int]


def read_remote_columns(setting: Setting) -> list[Result]:
    """Add up two columns of sets that are open, over connections with 20 ms of latency and 100 MB/s each."""
    rows = setting.rows // 2
    kinds: dict[str, FileSet] = {
        "HDF5": make_set(setting.folder, "remote", {"a": floats, "b": integers}, rows, setting.files)
    }
    for label, codec, count in (("plain", "none", 4), ("Snappy", "snappy", 4), ("Snappy, 100 files", "snappy", 100)):
        target = setting.folder / f"remote-parquet-{rows}-rows-{codec}-{count}-files"
        kinds[f"Parquet, {label}"] = make_once(target, partial(_write, rows=rows, codec=codec, files=count))
    results = []
    for kind, files in kinds.items():
        runs: dict[str, Run] = {OURS: partial(_by_akdask, files), REQUESTS: partial(_by_requests, files)}
        results.append(Result(f"remote sums, {kind}", MILLISECONDS, setting.interleave(runs), {REQUESTS: 0.8}))
    return results


def _write(folder: Path, rows: int, codec: str, files: int) -> None:
    random = np.random.default_rng(0)
    columns = {"a": random.random(rows), "b": random.integers(-(2**40), 2**40, rows)}
    for number, (start, stop) in enumerate(shares(rows, files)):
        table = pa.table({name: values[start:stop] for name, values in columns.items()})
        pq.write_table(table, folder / f"set_LOCALE{number:04d}", compression=codec, use_dictionary=False)


def _by_akdask(files: FileSet) -> Timed:
    visit = next(_VISITS)  # nothing that was remembered of the files helps
    urls = [f"slow://{visit}{path}" for path in files.paths]
    data = ak.read(urls, list(COLUMNS))
    start = perf_counter()
    dask.compute(*[data[name].sum() for name in COLUMNS])
    return Timed(None, perf_counter() - start)


def _by_requests(files: FileSet) -> Timed:
    system = SlowFileSystem()
    places = [place for path in files.paths for place in _split(str(path), _places(path))]
    start = perf_counter()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(lambda place: len(system.cat_file(f"slow://0{place[0]}", place[1], place[2])), places))
    return Timed(None, perf_counter() - start)


def _places(path: Path) -> Iterator[tuple[int, int]]:
    """Yield where the columns begin in a file, and how many bytes they have."""
    if not _is_parquet(path):
        with h5py.File(path, "r") as file:
            for name in COLUMNS:
                yield file[name].id.get_offset(), file[name].nbytes
        return
    metadata = pq.read_metadata(path)
    for group in range(metadata.num_row_groups):
        for leaf in range(len(COLUMNS)):
            chunk = metadata.row_group(group).column(leaf)
            yield chunk.dictionary_page_offset or chunk.data_page_offset, chunk.total_compressed_size


def _is_parquet(path: Path) -> bool:
    """Whether a file is one of Parquet."""
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _split(path: str, places: Iterator[tuple[int, int]]) -> Sequence[Place]:
    return [
        (path, first, min(first + REQUEST, start + size))
        for start, size in places
        for first in range(start, start + size, REQUEST)
    ]
