"""The files that everybody reads: sets in Arkouda's layout, written with h5py alone.

A set is made once for each size and kept in the folder of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

import h5py
import numpy as np
import numpy.typing as npt

BLOCK = 2**21
Array = npt.NDArray[np.generic]
Make = Callable[[np.random.Generator, int], Array]
"""Makes so many values of one column."""


@dataclass(frozen=True)
class FileSet:
    """The files ``set_LOCALE####`` of one folder."""

    folder: Path

    @property
    def paths(self) -> list[Path]:
        return sorted(self.folder.glob("set_LOCALE*"))

    @property
    def pattern(self) -> str:
        return str(self.folder / "set_LOCALE*")


def floats(random: np.random.Generator, count: int) -> Array:
    return random.random(count)


def integers(random: np.random.Generator, count: int) -> Array:
    return random.integers(-(2**40), 2**40, count)


def make_set(folder: Path, name: str, columns: Mapping[str, Make], rows: int, files: int) -> FileSet:
    """Return the set of that name and size, written unless it is there already."""
    target = folder / f"{name}-{rows}-rows-{len(columns)}-columns-{files}-files"
    if not target.exists():
        # Renamed when complete, so that an interrupted run leaves nothing that looks finished.
        partial = target.with_suffix(".partial")
        rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        for index in range(files):
            start, stop = -(-index * rows // files), -(-(index + 1) * rows // files)
            _write_file(partial / f"set_LOCALE{index:04d}", columns, stop - start, seed=index)
        partial.rename(target)
    return FileSet(target)


def _write_file(path: Path, columns: Mapping[str, Make], rows: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    with h5py.File(path, "w") as file:
        file.attrs["File_Format"] = 1
        for name, make in columns.items():
            dataset = file.create_dataset(name, shape=(rows,), dtype=make(random, 0).dtype)
            dataset.attrs["ObjType"] = 1
            dataset.attrs["file_version"] = np.float32(2.0)
            dataset.attrs["arkouda_version"] = np.bytes_("v2026.07.15")
            for start in range(0, rows, BLOCK):
                stop = min(start + BLOCK, rows)
                dataset[start:stop] = make(random, stop - start)


def make_strings(folder: Path, length: int, rows: int) -> FileSet:
    """Return the set of one file of strings of random letters, about `length` bytes each with their NULs."""
    target = folder / f"strings-{length}-bytes-{rows}-rows"
    if not target.exists():
        partial = target.with_suffix(".partial")
        rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        random = np.random.default_rng(length)
        ends = np.cumsum(random.integers(length - 4, length + 5, rows))
        values = random.integers(ord("a"), ord("z") + 1, ends[-1], np.uint8)
        values[ends - 1] = 0
        with h5py.File(partial / "set_LOCALE0000", "w") as file:
            file.attrs["File_Format"] = 1
            file.create_group("s").attrs["ObjType"] = 2
            file["s/values"] = values
            file["s/segments"] = np.append(0, ends[:-1])
        partial.rename(target)
    return FileSet(target)
