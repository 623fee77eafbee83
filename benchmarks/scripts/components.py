"""Connected components of a graph: each vertex takes the smallest label among its neighbours until none changes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak

DEGREE = 6


def make(folder: Path, rows: int) -> None:
    """Write the edges of a random graph, each in both directions."""
    random = np.random.default_rng(0)
    vertices = max(rows // DEGREE, 2)
    one, other = random.integers(0, vertices, (2, max(rows // 2, 1)))
    edges = {"source": np.concatenate([one, other]), "target": np.concatenate([other, one])}
    metadata = {"vertices": str(vertices)}
    table = pa.table(edges).replace_schema_metadata(metadata)
    pq.write_table(table, folder / "edges.parquet", row_group_size=1 << 20)


def vertices_of(folder: Path) -> int:
    """Return the number of vertices."""
    return int(pq.read_schema(folder / "edges.parquet").metadata[b"vertices"])


def by_akdask(folder: Path) -> tuple[int, int, int]:
    """Return the number of components, the size of the largest, and the rounds that it took."""
    edges = ak.read_parquet(str(folder / "edges.parquet"))
    source = edges["source"].persist()  # used in each round
    groups = ak.GroupBy(edges["target"])
    reached = groups.unique_keys
    labels = ak.arange(vertices_of(folder))
    rounds = 0
    while True:
        _, least = groups.min(labels[source])
        before = labels[reached]
        lowered = ak.minimum(before, least)
        rounds += 1
        if not (lowered < before).any():
            break
        labels = labels + 0
        labels[reached] = lowered
    sizes = ak.value_counts(labels)[1]
    return int(sizes.size), int(sizes.max()), rounds


def by_pandas(folder: Path) -> tuple[int, int, int]:
    """Return the same."""
    edges = pd.read_parquet(folder / "edges.parquet")
    groups = edges.groupby("target", sort=False)["source"]
    reached = groups.first().index.to_numpy()
    labels = np.arange(vertices_of(folder))
    targets, source = edges["target"], edges["source"].to_numpy()
    rounds = 0
    while True:
        least = pd.Series(labels[source]).groupby(targets, sort=False).min().loc[reached].to_numpy()
        lowered = np.minimum(labels[reached], least)
        rounds += 1
        if not (lowered < labels[reached]).any():
            break
        labels[reached] = lowered
    sizes = pd.Series(labels).value_counts()
    return len(sizes), int(sizes.max()), rounds


def by_polars(folder: Path) -> tuple[int, int, int]:
    """Return the same."""
    edges = pl.read_parquet(folder / "edges.parquet")
    labels = pl.int_range(vertices_of(folder), eager=True)
    rounds = 0
    while True:
        least = (
            edges.lazy()
            .select("target", label=labels.gather(edges["source"]))
            .group_by("target")
            .agg(pl.col("label").min())
            .collect()
        )
        before = labels.gather(least["target"])
        lowered = pl.select(pl.min_horizontal(before, least["label"])).to_series()
        rounds += 1
        if not (lowered < before).any():
            break
        labels = labels.scatter(least["target"], lowered)
    sizes = labels.value_counts()["count"]
    return len(sizes), int(sizes.to_numpy().max()), rounds
