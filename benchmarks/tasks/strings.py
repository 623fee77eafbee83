"""Strings: into memory, back to files, and questions about them, all on one thread but one of the writes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
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
from benchmarks.timing import Run, Timed, compare, interleave

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
            results += [_read(setting, files, length), *_write(setting, files, length)]
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


def _write(setting: Setting, files: FileSet, length: int) -> list[Result]:
    """Write one file on one thread, and four on all.

    New files each turn, deleted at once: replacing old ones measures the disk, not the writer, and memory that the page
    cache never had before, the system.
    """
    folder = setting.folder / "written-strings"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    stored = _stored(files.paths[0])
    whole = ak.read_hdf(files.pattern)["s"].persist()
    quarters = ak.concatenate([whole[len(whole) * k // 4 : len(whole) * (k + 1) // 4] for k in range(4)]).persist()

    def by_akdask(given: ak.Strings, scheduler: str) -> Timed:
        with dask.config.set(scheduler=scheduler, num_workers=setting.threads):
            return _timed_and_deleted(folder, lambda: given.to_hdf(str(folder / "akdask"), "s"))

    def by_tofile() -> Timed:
        def run() -> None:
            with (folder / "tofile").open("wb") as file:
                for values in stored:
                    values.tofile(file)

        return _timed_and_deleted(folder, run)

    results = []
    for given, scheduler, how in (
        (whole, "synchronous", "1 file"),
        (quarters, "threads", f"4 files, {setting.threads} threads"),
    ):
        runs: dict[str, Run] = {OURS: partial(by_akdask, given, scheduler), TOFILE: by_tofile}
        seconds = interleave(runs, setting.repeat)
        results.append(Result(f"write strings of {length} bytes, {how}", MILLISECONDS, seconds, {TOFILE: 0.5}))
        given.to_hdf(str(folder / "written"), "s")
        written = [_stored(path)[0].tobytes() for path in sorted(folder.glob("written_LOCALE*"))]
        compare({"given": stored[0].tobytes(), "written": b"".join(written)})
    shutil.rmtree(folder)
    return results


def _timed_and_deleted(folder: Path, run: Run) -> Timed:
    """Time what writes files to an empty folder, and delete them."""
    start = perf_counter()
    run()
    seconds = perf_counter() - start
    shutil.rmtree(folder)
    folder.mkdir()
    return Timed(None, seconds)


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
