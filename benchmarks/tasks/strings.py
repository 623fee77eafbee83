"""Strings: into memory, back to files, and questions about them, all on one thread."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import dask
import h5py
import pyarrow as pa
import pyarrow.compute as pc

import akdask as ak
from benchmarks.data import Array, FileSet, make_strings
from benchmarks.peers.text_h5py import read_arrays
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run, compare, interleave

LENGTHS = (9, 20)
"""Mean number of bytes of a string, its NUL included."""
BYTES_PER_SECOND = 1e9
PYARROW, POLARS, TOFILE = "pyarrow + h5py", "polars + h5py", "ndarray.tofile"
WORD, PART = "abcdefgh", "ab"


QUESTIONS: dict[str, tuple[Callable[[ak.Strings], Any], Callable[[pa.Array], pa.Array]]] = {
    f"s == {WORD!r}": (lambda s: (s == WORD).sum(), lambda s: pc.equal(s, WORD)),
    f"s.contains({PART!r})": (lambda s: s.contains(PART).sum(), lambda s: pc.match_substring(s, PART)),
    "s.get_lengths()": (lambda s: s.get_lengths().sum(), pc.binary_length),
}


def read_write_ask_strings(setting: Setting) -> list[Result]:
    """Read, write and question strings of two lengths."""
    rows = max(10, setting.rows // 2)
    results: list[Result] = []
    with dask.config.set(scheduler="synchronous"):
        for length in LENGTHS:
            files = make_strings(setting.folder, length, rows)
            results += [_read(setting, files, length), _write(setting, files, length)]
            results += [_ask(setting, files, length, question) for question in QUESTIONS]
    return results


def _read(setting: Setting, files: FileSet, length: int) -> Result:
    runs: dict[str, Run] = {
        OURS: lambda: len(ak.read_hdf(files.pattern)["s"].persist()),
        PYARROW: lambda: len(_read_arrow(files)),
    }
    seconds = interleave(runs, setting.repeat)
    nbytes = sum(values.nbytes for values in _stored(files.paths[0]))
    return Result(f"read strings of {length} bytes", MILLISECONDS, seconds, limit=nbytes / BYTES_PER_SECOND)


def _write(setting: Setting, files: FileSet, length: int) -> Result:
    """Write to new files each turn: replacing old ones measures the disk, not the writer."""
    folder = setting.folder / "written-strings"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    turn = itertools.count()
    stored = _stored(files.paths[0])
    ours = ak.read_hdf(files.pattern)["s"].persist()

    def by_akdask() -> None:
        ours.to_hdf(str(folder / f"akdask-{next(turn)}"), "s")

    def by_tofile() -> None:
        with (folder / f"tofile-{next(turn)}").open("wb") as file:
            for values in stored:
                values.tofile(file)

    seconds = interleave({OURS: by_akdask, TOFILE: by_tofile}, setting.repeat)
    written = [_stored(path)[0].tobytes() for path in sorted(folder.glob("akdask-0_LOCALE*"))]
    compare({"given": stored[0].tobytes(), "written": b"".join(written)})
    shutil.rmtree(folder)
    return Result(f"write strings of {length} bytes", MILLISECONDS, seconds, {TOFILE: 0.5})


def _ask(setting: Setting, files: FileSet, length: int, question: str) -> Result:
    by_akdask, by_arrow = QUESTIONS[question]
    runs: dict[str, Run] = {
        OURS: lambda: int(by_akdask(ak.read_hdf(files.pattern)["s"])),
        PYARROW: lambda: pc.sum(by_arrow(_read_arrow(files))).as_py(),
    }
    if find_spec("polars"):
        runs[POLARS] = lambda: _ask_polars(question, _read_arrow(files))
    return Result(f"{question}, {length} bytes", MILLISECONDS, interleave(runs, setting.repeat), {PYARROW: 1.0})


def _ask_polars(question: str, strings: pa.Array) -> object:
    import polars as pl

    series = pl.Series(strings)
    match question.partition("(")[0]:
        case "s.contains":
            return series.str.contains(PART, literal=True).sum()
        case "s.get_lengths":
            return series.str.len_bytes().sum()
        case _:
            return (series == WORD).sum()


def _stored(path: Path) -> list[Array]:
    with h5py.File(path, "r") as file:
        return [file["s/values"][:], file["s/segments"][:]]


def _read_arrow(files: FileSet) -> pa.Array:
    (column,) = read_arrays(files.paths[0], ("s",))
    return column
