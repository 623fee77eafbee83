"""PageRank of a directed graph by ten rounds of the power method."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl

import akdask as ak
from benchmarks.scripts.components import make, vertices_of

__all__ = ["by_akdask", "by_pandas", "by_polars", "make"]

ROUNDS = 10
DAMPING = 0.85
TOP = 5


def by_akdask(folder: Path) -> tuple[float, ...]:
    """Return the largest ranks."""
    edges = ak.read_parquet(str(folder / "edges.parquet"))
    source, count = edges["source"].persist(), vertices_of(folder)
    groups = ak.GroupBy(edges["target"])
    senders, sent = ak.GroupBy(source).size()
    degree = ak.ones(count)
    degree[senders] = sent.astype(float)
    rank = ak.full(count, 1 / count)
    for _ in range(ROUNDS):
        reached, received = groups.sum((rank / degree)[source])
        rank = ak.full(count, (1 - DAMPING) / count)
        rank[reached] = received * DAMPING + (1 - DAMPING) / count
    return tuple(ak.maxk(rank, TOP).tolist()[::-1])


def by_pandas(folder: Path) -> tuple[float, ...]:
    """Return the same."""
    edges = pd.read_parquet(folder / "edges.parquet")
    source, target, count = edges["source"].to_numpy(), edges["target"], vertices_of(folder)
    sent = edges["source"].value_counts()
    degree = np.ones(count)
    degree[sent.index.to_numpy()] = sent.to_numpy()
    rank = np.full(count, 1 / count)
    for _ in range(ROUNDS):
        received = pd.Series((rank / degree)[source]).groupby(target, sort=False).sum()
        rank = np.full(count, (1 - DAMPING) / count)
        rank[received.index.to_numpy()] += received.to_numpy() * DAMPING
    return tuple(np.sort(rank)[-TOP:][::-1].tolist())


def by_polars(folder: Path) -> tuple[float, ...]:
    """Return the same."""
    edges, count = pl.read_parquet(folder / "edges.parquet"), vertices_of(folder)
    sent = edges["source"].value_counts()
    degree = pl.Series(np.ones(count)).scatter(sent["source"], sent["count"].cast(pl.Float64))
    rank = pl.Series(np.full(count, 1 / count))
    for _ in range(ROUNDS):
        shares = (rank / degree).gather(edges["source"])
        received = edges.lazy().select("target", share=shares).group_by("target").agg(pl.col("share").sum()).collect()
        rank = pl.Series(np.full(count, (1 - DAMPING) / count))
        rank = rank.scatter(received["target"], received["share"] * DAMPING + (1 - DAMPING) / count)
    return tuple(rank.top_k(TOP).sort(descending=True).to_list())
