"""Opening a set of many files that nobody has opened before."""

from __future__ import annotations

import os
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import h5py
import numpy as np

import akdask as ak
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.storage.files import identify
from akdask.storage.manifest import manifest_path
from benchmarks.data import FileSet, integers, make_set
from benchmarks.process import fresh
from benchmarks.report import MILLISECONDS, OURS, PIECES, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, Timed, compare, interleave

COLUMNS = 20
TURNS = 3


def open_many_files(setting: Setting) -> list[Result]:
    """Open 1,000 files of 20 columns without a manifest, in a fresh process each time."""
    count = setting.scaled(1000)
    columns = {f"c{index:02d}": integers for index in range(COLUMNS)}
    files = make_set(setting.folder, "many", columns, rows=100 * count, files=count)
    runs = {OURS: _in_fresh_process(files, open_with_akdask), "h5py": _in_fresh_process(files, open_with_h5py)}
    seconds = interleave(runs, min(TURNS, setting.repeat))
    _forget_manifest(files)
    opened = fresh(count_opens, str(files.folder))
    return [
        Result(f"open {count:,} files of {COLUMNS} columns", MILLISECONDS, seconds, limit=5.0),
        Result("  times that a file is opened, at most", PIECES, {OURS: opened}, limit=2),
    ]


def open_with_a_manifest(setting: Setting) -> list[Result]:
    """Open 10,000 files of 20 columns by their manifest, in a fresh process, and sum what a filter leaves of one."""
    count = setting.scaled(10_000)
    folder = _linked_set(setting.folder / f"linked-{count}", count)
    turns = [fresh(open_and_filter, str(folder)) for _ in range(min(TURNS, setting.repeat))]
    opening, filtering = (median(turn[name] for turn in turns) for name in ("open", "filter"))
    return [
        Result(f"open {count:,} files with a manifest", MILLISECONDS, {OURS: opening}, limit=1.0),
        Result(f"  filter that matches 1 of {count:,} files", MILLISECONDS, {OURS: filtering}),
    ]


def open_and_filter(folder: str) -> dict[str, float]:
    float(ak.zeros(1).sum())  # imports what Dask computes with
    start = perf_counter()
    data = ak.read_hdf(f"{folder}/many_LOCALE*")
    opened = perf_counter()
    column = data["c01"]
    compare({"found": float(column[column > 0].sum()), "written": 100.0})
    return {"open": opened - start, "filter": perf_counter() - opened}


def _linked_set(folder: Path, count: int) -> Path:
    """Make a set of two files, zeros and ones: all names but the last are those of the first."""
    if folder.exists():
        return folder
    folder.mkdir(parents=True)
    files = []
    for value, numbers in enumerate((range(count - 1), (count - 1,))):
        columns = {f"c{index:02d}": ak.array(np.full(100, value)) for index in range(COLUMNS)}
        ak.to_hdf(columns, folder / f"made{value}")
        made = folder / f"made{value}_LOCALE0000"
        (description,) = HdfManifest.described([identify(str(made))]).values()
        for number in numbers:
            os.link(made, folder / f"many_LOCALE{number:04d}")
        # Each link changes the state of the file; all links to it are files in the same state.
        description = replace(description, file=identify(str(made)))
        files += [description.at(str(folder / f"many_LOCALE{number:04d}")) for number in numbers]
    HdfManifest.write(manifest_path(str(folder / "many")), files)
    return folder


def open_with_akdask(folder: str) -> dict[str, float]:
    pattern = FileSet(Path(folder)).pattern
    start = perf_counter()
    data = ak.read_hdf(pattern)
    return {"seconds": perf_counter() - start, "answer": len(data)}


def open_with_h5py(folder: str) -> dict[str, float]:
    """Find what akdask finds: for every column of every file its type, length and place."""
    start = perf_counter()
    found: dict[str, list[Any]] = {}
    for path in FileSet(Path(folder)).paths:
        with h5py.File(path, "r") as file:
            for name, item in file.items():
                place = (item.dtype, item.shape, item.id.get_offset(), int(item.attrs["ObjType"]))
                found.setdefault(name, []).append(place)
    return {"seconds": perf_counter() - start, "answer": len(found)}


def count_opens(folder: str) -> int:
    """Return how often `read_hdf` opens the file that it opens most: through the HDF5 library or plainly."""
    files = FileSet(Path(folder))
    opens: Counter[str] = Counter()
    original = h5py.h5f.open

    def counted(name: bytes, *args: Any, **options: Any) -> Any:
        opens[name.decode()] += 1
        return original(name, *args, **options)

    def audit(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str):
            opens[args[0]] += 1

    h5py.h5f.open = counted
    sys.addaudithook(audit)
    ak.read_hdf(files.pattern)
    return max(opens[str(path)] for path in files.paths)


def _in_fresh_process(files: FileSet, function: Any) -> Run:
    def run() -> Timed:
        _forget_manifest(files)
        return Timed(**fresh(function, str(files.folder)))

    return run


def _forget_manifest(files: FileSet) -> None:
    for path in files.folder.glob(".*.akdask"):
        path.unlink()
