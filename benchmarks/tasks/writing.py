"""From arrays in memory to files."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path

import h5py
import numpy as np

import akdask as ak
from benchmarks.data import Array
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import compare, interleave

TOFILE = "ndarray.tofile"


def write_three_columns(setting: Setting) -> list[Result]:
    """Write int64 and float64 columns, each turn to new files: replacing old ones measures the disk, not the writer."""
    folder = setting.folder / "written"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    turn = itertools.count()
    random = np.random.default_rng(0)
    rows = setting.rows // 4
    columns: dict[str, Array] = {
        "x": random.integers(-(2**40), 2**40, rows),
        "y": random.random(rows),
        "z": np.arange(rows),
    }
    ours = {name: ak.array(values) for name, values in columns.items()}

    def by_akdask() -> None:
        ak.to_hdf(ours, str(folder / f"akdask-{next(turn)}"))

    def by_tofile() -> None:
        for name, values in columns.items():
            values.tofile(folder / f"tofile-{next(turn)}-{name}.bin")

    def by_h5py() -> None:
        with h5py.File(folder / f"h5py-{next(turn)}", "w") as file:
            for name, values in columns.items():
                file[name] = values

    seconds = interleave({OURS: by_akdask, TOFILE: by_tofile, "h5py": by_h5py}, setting.repeat)
    for name, values in columns.items():
        compare({"given": values.tobytes(), "written": _written(folder, name).tobytes()})
    shutil.rmtree(folder)
    return [Result("write three columns", MILLISECONDS, seconds, {TOFILE: 0.6})]


def _written(folder: Path, name: str) -> Array:
    parts: list[Array] = []
    for path in sorted(folder.glob("akdask-0_LOCALE*")):
        with h5py.File(path, "r") as file:
            parts.append(file[name][:])
    return np.concatenate(parts)
