"""Sorts, groups and joins, from files to files, of eight times the memory that a process may use; texts, too."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from shutil import rmtree
from subprocess import CalledProcessError
from typing import TypeAlias

import dask
import duckdb
import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak
from benchmarks.data import Array, FileSet, floats, make_once, make_set, mark, pieces
from benchmarks.process import fresh
from benchmarks.report import MEBIBYTES, OURS, SECONDS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Seconds, compare, peak, reset_peak

LIMIT = 1_500_000_000
ROWS = 8 * LIMIT // (4 * 8)
TEXT_ROWS = 8 * LIMIT // 26
BEFORE, BEHIND = b"host-", b".example.org\0"
DIGITS = 10
FILES = 40
KEYS = 10_000_000
DUCKDB = "duckdb"


def limited(setting: Setting) -> list[Result]:
    """Measure time and peak of each question, in a fresh process each, on files of eight times its memory limit.

    duckdb reads Parquet files of the same rows, without compression, and writes such; its temporary files are on the
    same disk.
    """
    files = make_set(setting.folder, "limited", COLUMNS, setting.scaled(ROWS), FILES)
    return [result for name in QUESTIONS if name not in DRAWN_FROM for result in _ask(setting, name, files)]


def limited_texts(setting: Setting) -> list[Result]:
    """Measure the same of texts that are nearly all different, that come ten times each, and of a million of them.

    Files are removed when they have been read: they take 12 GB, and what waits on disk up to 20.
    """
    results, rows = [], setting.scaled(TEXT_ROWS)
    for name, drawn_from in DRAWN_FROM.items():
        results += _ask(setting, name, make_texts(setting.folder, rows, drawn_from(rows)), keep=False)
    return results


def _ask(setting: Setting, name: str, files: FileSet, *, keep: bool = True) -> list[Result]:
    """Measure one question."""
    out = setting.folder / "limited-result"
    answers, seconds, cpu, peaks = {}, {}, {}, {}
    for who, answer in ((OURS, answer_of_ours), (DUCKDB, answer_of_duckdb)):
        read = files if who == OURS else as_parquet(files)
        if who == DUCKDB and not keep:
            rmtree(files.folder)
        out.mkdir()
        try:
            how = {"limit": LIMIT, "threads": setting.threads, "keys": setting.scaled(KEYS)}
            answers[who], seconds[who], cpu[who], peaks[who] = fresh(answer, name, str(read.folder), str(out), how)
        except CalledProcessError:
            if who == OURS:
                raise
            # duckdb says so where its memory does not suffice: whoever does not finish has no time.
            print(f"{who} does not finish: {name}", file=sys.stderr)
        finally:
            rmtree(out)
    if not keep:
        rmtree(read.folder)
    compare({who: tuple(answer) for who, answer in answers.items()})
    task = f"{name}, 8x the memory of a process"
    return [Result(task, SECONDS, Seconds(seconds, cpu)), Result(f"{task}: peak", MEBIBYTES, peaks, limit=LIMIT)]


Answer: TypeAlias = tuple[tuple[float, ...], float, float, int]
"""What an answer is compared by, the seconds that it takes, those of processors, and the peak of the process."""


def answer_of_ours(name: str, folder: str, out: str, how: Mapping[str, int]) -> Answer:
    """Write the answer."""
    temporary = Path(out) / "temporary"
    temporary.mkdir()
    reset_peak()
    options = {"temporary_directory": str(temporary), "num_workers": how["threads"]}
    with ak.config.set(memory_limit=how["limit"]), dask.config.set(options):
        start, cpu = time.perf_counter(), time.process_time()
        found = QUESTIONS[name](ak.DataFrame(ak.read_hdf(FileSet(Path(folder)).pattern)), how["keys"])
        found.to_hdf(f"{out}/set")
        seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
        highest = peak()
        written = ak.DataFrame(ak.read_hdf(f"{out}/set_LOCALE*"))
        return _compared(name, written), seconds, cpu, highest


def _compared(name: str, written: ak.DataFrame) -> tuple[float, ...]:
    if "s" in written.columns:
        return float(len(written)), float(written["n"].sum()), float(written["s"].get_lengths().sum())
    return float(len(written)), float(written["v"].sum())


def answer_of_duckdb(name: str, folder: str, out: str, how: Mapping[str, int]) -> Answer:
    """Do the same with duckdb."""
    temporary = Path(out) / "temporary"
    config = {"threads": how["threads"], "memory_limit": f"{how['limit']}B", "temp_directory": str(temporary)}
    connection = duckdb.connect(config=config)
    connection.execute("set preserve_insertion_order = false")
    connection.execute(f"create view data as select * from '{folder}/*.parquet'")
    connection.execute(f"create view other as select range as k, range as x from range({how['keys']})")
    reset_peak()
    start, cpu = time.perf_counter(), time.process_time()
    connection.execute(f"copy ({QUERIES[name]}) to '{out}/found.parquet' (format parquet, compression uncompressed)")
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    highest = peak()
    compared = "sum(n), sum(strlen(s))" if "order by s" in QUERIES[name] else "sum(v)"
    (found,) = connection.execute(f"select count(*), {compared} from '{out}/found.parquet'").fetchall()
    return tuple(map(float, found)), seconds, cpu, highest


def make_texts(folder: Path, rows: int, distinct: int) -> FileSet:
    """Return the set of names of hosts, drawn from so many."""

    def write(target: Path) -> None:
        for index, drawn in enumerate(pieces(rows, FILES)):
            names = [_names_of_hosts(np.random.default_rng(seed).integers(0, distinct, count)) for seed, count in drawn]
            values, lengths = (np.concatenate(parts) for parts in zip(*names, strict=True))
            with h5py.File(target / f"set_LOCALE{index:04d}", "w") as file:
                file.attrs["File_Format"] = 1
                group = file.create_group("s")
                mark(group, 2)
                group["values"] = values
                group["segments"] = np.cumsum(lengths) - lengths

    return make_once(folder / f"limited-texts-{rows}-rows-of-{distinct}", write)


def _names_of_hosts(numbers: Array) -> tuple[Array, Array]:
    """Return names with a NUL after each, end to end, and the lengths of all, faster than text is put together."""
    first, last = len(BEFORE), len(BEFORE) + DIGITS
    # 32 bits are divided faster.
    numbers = numbers.astype(np.uint32)
    powers = np.array([10**place for place in range(DIGITS - 1, -1, -1)], np.uint32)
    written = np.empty((len(numbers), last + len(BEHIND)), np.uint8)
    used = np.ones(written.shape, np.bool_)
    written[:, :first] = np.frombuffer(BEFORE, np.uint8)
    for place, power in enumerate(powers, first):
        written[:, place] = numbers // power % 10 + ord("0")
        # Zeros in front are left out, but for the last digit.
        used[:, place] = (numbers >= power) | (power == 1)
    written[:, last:] = np.frombuffer(BEHIND, np.uint8)
    return written[used], np.count_nonzero(used, axis=1)


def as_parquet(files: FileSet) -> FileSet:
    """Return the same rows in Parquet files without compression, made once."""

    def write(target: Path) -> None:
        for path in files.paths:
            with h5py.File(path) as file:
                columns = {name: _column(item) for name, item in file.items()}
            pq.write_table(pa.table(columns), target / f"{path.name}.parquet", compression="none")

    return make_once(files.folder.with_name(f"{files.folder.name}-parquet"), write)


def _column(item: h5py.Dataset | h5py.Group) -> Array | pa.Array:
    if isinstance(item, h5py.Dataset):
        return item[:]
    values, segments = item["values"][:], item["segments"][:]
    ends = np.append(segments[1:], len(values))
    kept = np.ones(len(values), np.bool_)
    kept[ends - 1] = False
    offsets = np.append(segments, len(values)) - np.arange(len(segments) + 1)
    return pa.LargeStringArray.from_buffers(len(segments), pa.py_buffer(offsets), pa.py_buffer(values[kept]))


def _group(frame: ak.DataFrame, by: str) -> ak.DataFrame:
    keys, sums = ak.GroupBy(frame[by]).sum(frame["v"])
    return ak.DataFrame({"k": keys, "v": sums})


def _join(frame: ak.DataFrame, keys: int) -> ak.DataFrame:
    other = ak.DataFrame({"k": ak.arange(keys), "x": ak.arange(keys)})
    joined: ak.DataFrame = ak.merge(frame[["k", "v", "w"]], other, on="k", sort=False)
    return joined


def _distinct(frame: ak.DataFrame) -> ak.DataFrame:
    keys, counts = ak.GroupBy(frame["s"]).size()
    return ak.DataFrame({"s": keys, "n": counts})


def _multiplicities(frame: ak.DataFrame) -> ak.DataFrame:
    """Return how many texts come how often: the texts themselves would take 20 GB more on disk."""
    keys, counts = ak.GroupBy(_distinct(frame)["n"]).size()
    return ak.DataFrame({"k": keys, "v": counts})


COLUMNS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "k": lambda random, count: random.integers(0, KEYS, count),
    "d": lambda random, count: random.integers(0, 10 * KEYS, count),
    "v": floats,
    "w": lambda random, count: random.integers(-(2**63), 2**63, count),
}

QUESTIONS: dict[str, Callable[[ak.DataFrame, int], ak.DataFrame]] = {
    "sort": lambda frame, keys: frame.sort_values("w"),
    "group, 10 M groups": lambda frame, keys: _group(frame, "k"),
    "group, 100 M groups": lambda frame, keys: _group(frame, "d"),
    "join": _join,
    "how often texts come, nearly all different": lambda frame, keys: _multiplicities(frame),
    "distinct texts, a tenth": lambda frame, keys: _distinct(frame),
    "distinct texts, 1 M": lambda frame, keys: _distinct(frame),
}

DISTINCT = "select s, count(*) as n from data group by s"

QUERIES = {
    "sort": "select * from data order by w",
    "group, 10 M groups": "select k, sum(v) as v from data group by k order by k",
    "group, 100 M groups": "select d as k, sum(v) as v from data group by d order by d",
    "join": "select data.k, v, w, x from data join other on data.k = other.k",
    "how often texts come, nearly all different": f"select n as k, count(*) as v from ({DISTINCT}) group by n",
    "distinct texts, a tenth": f"{DISTINCT} order by s",
    "distinct texts, 1 M": f"{DISTINCT} order by s",
}

DRAWN_FROM: dict[str, Callable[[int], int]] = {
    "how often texts come, nearly all different": lambda rows: 9 * rows,
    "distinct texts, a tenth": lambda rows: max(rows // 10, 1),
    "distinct texts, 1 M": lambda rows: 1_000_000,
}
"""Questions of texts, and how many texts are drawn from for so many rows."""
