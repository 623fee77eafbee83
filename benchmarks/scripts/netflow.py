"""Which ports carry traffic near alerts: flows and alerts of one host, joined where their times lie close together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak

WINDOW = 30
"""Seconds between an alert and a flow that belongs to it."""

PORTS = 5


def make(folder: Path, rows: int) -> None:
    """Write the flows, and an alert for each thousand of them."""
    random = np.random.default_rng(0)
    hosts = max(rows // 100, 1)
    flows = {
        "host": random.integers(0, hosts, rows),
        "time": random.integers(0, 86_400, rows),
        "port": random.choice([22, 53, 80, 123, 443, 8080, 8443], rows),
        "bytes": random.integers(40, 1_000_000, rows),
    }
    alerts = {
        "host": random.integers(0, hosts, max(rows // 1000, 1)),
        "time": random.integers(0, 86_400, max(rows // 1000, 1)),
    }
    pq.write_table(pa.table(flows), folder / "flows.parquet", row_group_size=1 << 20)
    pq.write_table(pa.table(alerts), folder / "alerts.parquet")


def by_akdask(folder: Path) -> tuple[tuple[int, int], ...]:
    """Return the ports with the most bytes near alerts."""
    flows = ak.DataFrame(ak.read_parquet(str(folder / "flows.parquet")))
    alerts = ak.DataFrame(ak.read_parquet(str(folder / "alerts.parquet")))
    flow, _ = ak.join_on_eq_with_dt(
        flows["host"], alerts["host"], flows["time"], alerts["time"], WINDOW, "abs_dt", result_limit=len(flows)
    )
    near = flows[ak.unique(flow)]
    ports, totals = ak.GroupBy(near["port"]).sum(near["bytes"])
    order = ak.argsort(totals, ascending=False)[:PORTS]
    return tuple(zip(ports[order].tolist(), totals[order].tolist(), strict=True))


def by_pandas(folder: Path) -> tuple[tuple[int, int], ...]:
    """Return the same."""
    flows = pd.read_parquet(folder / "flows.parquet").reset_index(names="flow")
    alerts = pd.read_parquet(folder / "alerts.parquet")
    pairs = flows.merge(alerts, on="host", suffixes=("", "_alert"))
    pairs = pairs[(pairs["time"] - pairs["time_alert"]).abs() <= WINDOW].drop_duplicates("flow")
    totals = pairs.groupby("port")["bytes"].sum().nlargest(PORTS)
    return tuple(zip(totals.index.tolist(), totals.tolist(), strict=True))


def by_polars(folder: Path) -> tuple[tuple[int, int], ...]:
    """Return the same."""
    flows = pl.scan_parquet(folder / "flows.parquet").with_row_index("flow")
    alerts = pl.scan_parquet(folder / "alerts.parquet")
    totals = (
        flows.join(alerts, on="host", suffix="_alert")
        .filter((pl.col("time") - pl.col("time_alert")).abs() <= WINDOW)
        .unique("flow")
        .group_by("port")
        .agg(pl.col("bytes").sum())
        .top_k(PORTS, by="bytes")
        .sort("bytes", descending=True)
        .collect()
    )
    return tuple(zip(totals["port"].to_list(), totals["bytes"].to_list(), strict=True))
