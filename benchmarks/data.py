"""The files that everybody reads: sets in Arkouda's layout, written with h5py alone.

A set is made once for each size and kept in the folder of the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from shutil import rmtree

import h5py
import numpy as np
import numpy.typing as npt

PIECES = 400
"""Rows are made in so many pieces, so that they are the same in any number of files that divides it."""
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

    def write(target: Path) -> None:
        for index, drawn in enumerate(pieces(rows, files)):
            _write_file(target / f"set_LOCALE{index:04d}", columns, drawn)

    return make_once(folder / f"{name}-{rows}-rows-{len(columns)}-columns-{files}-files", write)


def make_once(target: Path, write: Callable[[Path], None], *, in_memory: bool = True) -> FileSet:
    """Return the set in a folder, written by the function unless the folder is there.

    If `in_memory`, the page cache holds it then: the first to read it would wait for the disk, and be timed so.
    """
    if not target.exists():
        # Renamed when complete, so that an interrupted run leaves nothing that looks finished.
        partial = target.with_suffix(".partial")
        rmtree(partial, ignore_errors=True)
        partial.mkdir(parents=True)
        write(partial)
        partial.rename(target)
    files = FileSet(target)
    for path in files.paths if in_memory else ():
        _read_through(path)
    return files


def _read_through(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(2**24):
            pass


def shares(rows: int, files: int) -> list[tuple[int, int]]:
    """Return the first row of each file and the row after its last, split as Arkouda splits."""
    ends = [-(-index * rows // files) for index in range(files + 1)]
    return list(pairwise(ends))


def pieces(rows: int, files: int) -> list[list[tuple[int, int]]]:
    """Return the pieces of each file, as seeds and numbers of rows."""
    each = 1 if PIECES % files else PIECES // files
    drawn = [(seed, stop - start) for seed, (start, stop) in enumerate(shares(rows, files * each))]
    return [drawn[index * each : (index + 1) * each] for index in range(files)]


def stored_bytes(files: FileSet, names: Iterable[str]) -> int:
    """Return the bytes of the datasets that hold some columns, all files together."""
    sizes: list[int] = []

    def add(_: str, item: h5py.HLObject) -> None:
        if isinstance(item, h5py.Dataset):
            sizes.append(item.nbytes)

    for path in files.paths:
        with h5py.File(path, "r") as file:
            for name in names:
                item = file[name]
                add(name, item)
                if isinstance(item, h5py.Group):
                    item.visititems(add)
    return sum(sizes)


def _write_file(path: Path, columns: Mapping[str, Make], drawn: Sequence[tuple[int, int]]) -> None:
    with h5py.File(path, "w") as file:
        file.attrs["File_Format"] = 1
        for position, (name, make) in enumerate(columns.items()):
            parts = [make(np.random.default_rng((seed, position)), count) for seed, count in drawn]
            dataset = file.create_dataset(name, data=np.concatenate(parts))
            mark(dataset, 1)


def mark(item: h5py.HLObject, kind: int) -> None:
    """Say what kind of object a dataset or group is."""
    item.attrs["ObjType"] = kind
    item.attrs["file_version"] = np.float32(2.0)
    item.attrs["arkouda_version"] = np.bytes_("v2026.07.15")


def make_strings(folder: Path, length: int, rows: int) -> FileSet:
    """Return the set of one file of strings of random letters, about `length` bytes each with their NULs."""

    def write(target: Path) -> None:
        random = np.random.default_rng(length)
        ends = np.cumsum(random.integers(length - 4, length + 5, rows))
        values = random.integers(ord("a"), ord("z") + 1, ends[-1], np.uint8)
        values[ends - 1] = 0
        with h5py.File(target / "set_LOCALE0000", "w") as file:
            file.attrs["File_Format"] = 1
            file.create_group("s").attrs["ObjType"] = 2
            file["s/values"] = values
            file["s/segments"] = np.append(0, ends[:-1])

    return make_once(folder / f"strings-{length}-bytes-{rows}-rows", write)
