"""Sorting what is in memory: numbers beside NumPy, strings beside polars and duckdb, from columns to columns."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc

import akdask as ak
from benchmarks.data import Array
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run

NUMPY, POLARS, DUCKDB = "NumPy", "polars", "duckdb"
SHOWN = 100
"""Ranks at which results are compared."""

FASTER_THAN_NUMPY, FASTER_THAN_PEERS = 1.7, 2.0


def random_text(random: np.random.Generator, count: int) -> pa.LargeStringArray:
    """Return strings of 4 to 16 letters."""
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(random.integers(4, 17, count), out=offsets[1:])
    letters = random.integers(ord("a"), ord("z") + 1, offsets[-1], dtype=np.uint8)
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(letters))


def joined(*parts: str | Array) -> pa.LargeStringArray:
    """Return strings made of texts and numbers."""
    texts = [pa.scalar(part) if isinstance(part, str) else pc.cast(pa.array(part), pa.string()) for part in parts]
    return pc.cast(pc.binary_join_element_wise(*texts, ""), pa.large_string())


NUMBERS: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "int64": lambda random, count: random.integers(-(2**63), 2**63 - 1, count),
    "int64 of 100 values": lambda random, count: random.integers(0, 100, count),
    "int64 nearly in order": lambda random, count: np.arange(count) + random.integers(-1000, 1000, count),
    "float64": lambda random, count: random.random(count),
    "float64 with NaN": lambda random, count: np.where(random.random(count) < 0.1, np.nan, random.normal(size=count)),
}

STRINGS: dict[str, Callable[[np.random.Generator, int], pa.LargeStringArray]] = {
    "random": random_text,
    "hosts": lambda random, count: joined("host-", random.integers(0, count // 2 + 1, count), ".example.org"),
    "100,000 hosts": lambda random, count: joined("host-", random.integers(100_000, 200_000, count), ".example.org"),
    "URLs": lambda random, count: joined(
        "https://www.site", random.integers(0, 200, count), ".com/items?id=", random.integers(0, 10**6, count)
    ),
}


def sort_numbers(setting: Setting) -> list[Result]:
    """Sort integers and floats."""
    return [_numbers(setting, name) for name in NUMBERS]


def sort_strings(setting: Setting) -> list[Result]:
    """Find permutations of strings, apply one, and sort strings, half as many as there are rows."""
    return [result for name in STRINGS for result in _strings(setting, name)]


def _numbers(setting: Setting, name: str) -> Result:
    values = NUMBERS[name](np.random.default_rng(1), setting.rows)
    lazy = in_parts(values, setting.files)
    runs: dict[str, Run] = {
        OURS: lambda: _numbers_at_ranks(ak.sort(lazy).to_ndarray()),
        NUMPY: lambda: _numbers_at_ranks(np.sort(values)),
    }
    return Result(f"sort of {name}", MILLISECONDS, setting.interleave(runs), {NUMPY: FASTER_THAN_NUMPY})


def _strings(setting: Setting, name: str) -> list[Result]:
    random = np.random.default_rng(1)
    values = STRINGS[name](random, setting.rows // 2)
    permutation = random.permutation(len(values))
    lazy, positions = in_parts(values, setting.files), in_parts(permutation, setting.files)
    series, indices = pl.Series(values), pl.Series(permutation.astype(np.uint32))
    connection = duckdb.connect(config={"threads": setting.threads})
    table = pa.table({"s": values, "row": np.arange(len(values))})
    connection.register("given", table)
    connection.sql("create table strings as select * from given")
    ways: dict[str, dict[str, Run]] = {
        "argsort": {
            OURS: lambda: _at_permutation(values, ak.argsort(lazy).to_ndarray()),
            POLARS: lambda: _at_permutation(values, series.arg_sort().to_numpy()),
            DUCKDB: lambda: _at_permutation(
                values, connection.sql("select row from strings order by s, row").fetchnumpy()["row"]
            ),
        },
        "gather": {
            OURS: lambda: _text_at_ranks(lazy[positions].to_arrow()),
            POLARS: lambda: _text_at_ranks(series.gather(indices).to_arrow()),
        },
        "sort": {
            OURS: lambda: _text_at_ranks(lazy[ak.argsort(lazy)].to_arrow()),
            POLARS: lambda: _text_at_ranks(series.sort().to_arrow()),
            DUCKDB: lambda: _text_at_ranks(
                connection.sql("select s from strings order by s").to_arrow_table().column("s")
            ),
        },
    }
    found = []
    for way, runs in ways.items():
        seconds = setting.interleave(runs)
        floors = {peer: FASTER_THAN_PEERS for peer in seconds if peer != OURS}
        found.append(Result(f"{way} of strings: {name}", MILLISECONDS, seconds, floors))
    return found


def in_parts(values: Array | pa.LargeStringArray, count: int) -> ak.pdarray:
    """Return values in memory, in some partitions."""
    bounds = [number * len(values) // count for number in range(count + 1)]
    parts = [values[start:stop] for start, stop in pairwise(bounds)]
    found: ak.pdarray = ak.concatenate(
        [ak.from_arrow(part) if isinstance(part, pa.Array) else ak.array(part) for part in parts]
    ).persist()
    return found


def _ranks(count: int) -> range:
    return range(0, count, max(count // SHOWN, 1))


def _numbers_at_ranks(values: Array) -> list[str]:
    return [str(values[rank]) for rank in _ranks(len(values))]


def _text_at_ranks(strings: pa.Array | pa.ChunkedArray) -> list[str]:
    return [strings[rank].as_py() for rank in _ranks(len(strings))]


def _at_permutation(values: pa.LargeStringArray, permutation: Array) -> list[str]:
    """Return the strings at some ranks: not every permutation is stable."""
    return [values[int(permutation[rank])].as_py() for rank in _ranks(len(permutation))]
