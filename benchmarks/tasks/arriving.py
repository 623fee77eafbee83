"""Columns of files on their way to the user: pandas' text, and numbers in arrays of NumPy."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import h5py
import numpy as np
import pandas as pd
import pyarrow as pa

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_set
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.text_data import make_text_set
from benchmarks.timing import Run

PYARROW, PREADV = "h5py + pandas.array", "preadv into ready arrays"
COLUMNS = tuple(f"c{number}" for number in range(9))


def text_and_numbers_to_pandas(setting: Setting) -> list[Result]:
    """Bring text of 22 bytes, nine columns of numbers and one array into this process."""
    pool = ThreadPoolExecutor(setting.threads)
    return [_text(setting, pool), *_numbers(setting, pool)]


def _text(setting: Setting, pool: ThreadPoolExecutor) -> Result:
    files = make_text_set(setting, "arriving", [f"host-{number:05d}.example.org" for number in range(5000)], floats)

    def by_arrow() -> int:
        parts = pool.map(lambda path: read_arrays(path, ("s",))[0], files.paths)
        return len(pd.array(pa.chunked_array(list(parts)), dtype=pd.StringDtype("pyarrow")))

    runs: dict[str, Run] = {
        OURS: lambda: len(ak.DataFrame({"s": ak.read_hdf(files.pattern, "s")["s"]}).to_pandas()),
        PYARROW: by_arrow,
    }
    return Result("text to pandas", MILLISECONDS, setting.interleave(runs), {PYARROW: 1 / 1.3})


def _numbers(setting: Setting, pool: ThreadPoolExecutor) -> list[Result]:
    files = make_set(setting.folder, "arriving", dict.fromkeys(COLUMNS, floats), setting.rows, setting.files)
    places = _places(files)
    ready = np.empty((len(COLUMNS), setting.rows))

    def read(names: tuple[str, ...]) -> float:
        list(pool.map(lambda item: _read_into(item[0], item[1], names, ready), places.items()))
        return float(ready[0, -1])

    last = COLUMNS[0]
    frames: dict[str, Run] = {
        OURS: lambda: float(ak.DataFrame(ak.read_hdf(files.pattern)).to_pandas()[last].iloc[-1]),
        PREADV: lambda: read(COLUMNS),
    }
    arrays: dict[str, Run] = {
        OURS: lambda: float(ak.read_hdf(files.pattern, last)[last].to_ndarray()[-1]),
        PREADV: lambda: read(COLUMNS[:1]),
    }
    bar = {PREADV: 1 / 1.2}
    return [
        Result("nine columns to pandas", MILLISECONDS, setting.interleave(frames), bar),
        Result("to_ndarray", MILLISECONDS, setting.interleave(arrays), bar),
    ]


def _places(files: FileSet) -> dict[Path, tuple[int, list[int], int]]:
    """Return of each file its first row, where its columns lie, and how many rows it has."""
    found, row = {}, 0
    for path in files.paths:
        with h5py.File(path, "r") as file:
            rows = len(file[COLUMNS[0]])
            found[path] = (row, [file[name].id.get_offset() for name in COLUMNS], rows)
        row += rows
    return found


def _read_into(path: Path, place: tuple[int, list[int], int], names: tuple[str, ...], ready: Array) -> None:
    row, offsets, rows = place
    with path.open("rb", buffering=0) as file:
        for number in range(len(names)):
            target = ready[number, row : row + rows]
            os.preadv(file.fileno(), [target.view(np.uint8).data], offsets[number])
