"""Lines of a web server's log: which hosts and paths fail, and how many bytes failed requests took."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

import akdask as ak

TOP = 5

Answer = tuple[int, tuple[tuple[str, int], ...], int]


def make(folder: Path, rows: int) -> None:
    """Write lines of a host, a request, a status and bytes."""
    random = np.random.default_rng(0)
    hosts = pa.array([f"host-{number:05d}.example.org" for number in range(5000)])
    paths = pa.array([f"/api/v1/item/{number}" for number in range(1000)])
    status = pa.array(["200", "301", "404", "500", "503"])
    chosen = [part.take(pa.array(random.integers(0, len(part), rows))) for part in (hosts, paths, status)]
    sizes = pc.cast(pa.array(random.integers(100, 100_000, rows)), pa.string())
    lines = pc.binary_join_element_wise(chosen[0], pa.scalar("GET"), *chosen[1:], sizes, " ")
    pq.write_table(pa.table({"line": lines}), folder / "log.parquet", row_group_size=1 << 20)


def by_akdask(folder: Path) -> Answer:
    """Return how many requests failed, the paths that did so most often, and the bytes that they took."""
    line = ak.read_parquet(str(folder / "log.parquet"))["line"]
    failed = line[line.contains(" 50[03] ", regex=True)]
    _, request = failed.peel(" GET ")
    path, rest = request.peel(" ")
    _, size = rest.peel(" ")
    paths, counts = ak.value_counts(path)
    order = ak.coargsort([counts, paths], ascending=[False, True])[:TOP]
    worst = tuple(zip(paths[order].tolist(), counts[order].tolist(), strict=True))
    return int(failed.size), worst, int(ak.cast(size, ak.int64).sum())


def by_pandas(folder: Path) -> Answer:
    """Return the same."""
    line = pd.read_parquet(folder / "log.parquet")["line"]
    parts = line[line.str.contains(" 50[03] ")].str.split(" ", expand=True)
    counts = parts[2].value_counts().rename_axis("path").reset_index(name="requests")
    counts = counts.sort_values(["requests", "path"], ascending=[False, True]).head(TOP)
    worst = tuple(zip(counts["path"].tolist(), counts["requests"].tolist(), strict=True))
    return len(parts), worst, int(parts[4].astype("int64").sum())


def by_polars(folder: Path) -> Answer:
    """Return the same."""
    names = ["host", "method", "path", "status", "bytes"]
    parts = (
        pl.scan_parquet(folder / "log.parquet")
        .filter(pl.col("line").str.contains(" 50[03] "))
        .select(pl.col("line").str.split_exact(" ", 4).struct.rename_fields(names).struct.unnest())
    )
    counts = parts.group_by("path").len().sort(["len", "path"], descending=[True, False]).head(TOP)
    total = parts.select(pl.len(), pl.col("bytes").cast(pl.Int64).sum())
    worst, sums = pl.collect_all([counts, total])
    return int(sums["len"][0]), tuple(worst.rows()), int(sums["bytes"][0])
