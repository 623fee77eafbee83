"""Trips of taxis, in the columns of New York's yellow cabs: what is plausible, tips by hour, speed, busiest ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import akdask as ak

START, END = "tpep_pickup_datetime", "tpep_dropoff_datetime"
WAYS = 5

Answer = tuple[tuple[float, ...], float, tuple[tuple[int, int, int], ...]]


def make(folder: Path, rows: int) -> None:
    """Write trips of one year."""
    random = np.random.default_rng(0)
    start = np.datetime64("2024-01-01", "us") + random.integers(0, 366 * 86_400, rows) * np.timedelta64(1_000_000, "us")
    seconds = random.gamma(4.0, 200.0, rows).astype(np.int64)
    distance = np.round(seconds * random.uniform(0.001, 0.009, rows), 2)
    fare = np.round(3 + 2.5 * distance, 2)
    trips = {
        START: start,
        END: start + seconds * np.timedelta64(1_000_000, "us"),
        "passenger_count": random.integers(0, 7, rows),
        "trip_distance": distance,
        "PULocationID": random.integers(1, 264, rows),
        "DOLocationID": random.integers(1, 264, rows),
        "payment_type": random.integers(1, 5, rows),
        "fare_amount": np.where(random.random(rows) < 0.01, -fare, fare),
        "tip_amount": np.round(fare * random.uniform(0, 0.3, rows), 2),
    }
    pq.write_table(pa.table(trips), folder / "trips.parquet", row_group_size=1 << 20)


def by_akdask(folder: Path) -> Answer:
    """Return shares of tips by hour, the mean speed in miles an hour, and the busiest ways."""
    trips = ak.DataFrame(ak.read_parquet(str(folder / "trips.parquet")))
    seconds = (trips[END] - trips[START]).total_seconds()
    trips["seconds"] = seconds
    trips["hour"] = trips[START].hour
    trips = trips[(trips["fare_amount"] > 0) & (trips["passenger_count"] > 0) & (seconds > 60.0)]
    hours = ak.GroupBy(trips["hour"])
    tips, fares = hours.sum(trips["tip_amount"])[1], hours.sum(trips["fare_amount"])[1]
    speed = (trips["trip_distance"] / trips["seconds"] * 3600).mean()
    (start, end), counts = ak.GroupBy([trips["PULocationID"], trips["DOLocationID"]]).size()
    order = ak.argsort(-counts)[:WAYS]  # equal ones in the order of their keys
    ways = tuple(zip(start[order].tolist(), end[order].tolist(), counts[order].tolist(), strict=True))
    return tuple((tips / fares).tolist()), float(speed), ways


def by_pandas(folder: Path) -> Answer:
    """Return the same."""
    trips = pd.read_parquet(folder / "trips.parquet")
    trips["seconds"] = (trips[END] - trips[START]).dt.total_seconds()
    trips = trips[(trips["fare_amount"] > 0) & (trips["passenger_count"] > 0) & (trips["seconds"] > 60.0)]
    sums = trips.groupby(trips[START].dt.hour)[["tip_amount", "fare_amount"]].sum()
    speed = (trips["trip_distance"] / trips["seconds"] * 3600).mean()
    counts = trips.groupby(["PULocationID", "DOLocationID"]).size().reset_index(name="trips")
    counts = counts.sort_values("trips", ascending=False, kind="stable").head(WAYS)
    ways = tuple(counts.itertuples(index=False, name=None))
    return tuple((sums["tip_amount"] / sums["fare_amount"]).tolist()), float(speed), ways


def by_polars(folder: Path) -> Answer:
    """Return the same."""
    seconds = (pl.col(END) - pl.col(START)).dt.total_microseconds() / 1e6
    trips = (
        pl.scan_parquet(folder / "trips.parquet")
        .with_columns(seconds=seconds, hour=pl.col(START).dt.hour())
        .filter((pl.col("fare_amount") > 0) & (pl.col("passenger_count") > 0) & (pl.col("seconds") > 60.0))
    )
    hours = trips.group_by("hour").agg(pl.col("tip_amount").sum() / pl.col("fare_amount").sum()).sort("hour")
    speed = trips.select((pl.col("trip_distance") / pl.col("seconds") * 3600).mean())
    keys = ["PULocationID", "DOLocationID"]
    ways = trips.group_by(keys).len().sort(["len", *keys], descending=[True, False, False]).head(WAYS)
    by_hour, mean, busiest = pl.collect_all([hours, speed, ways])
    return tuple(by_hour["tip_amount"].to_list()), float(mean.item()), tuple(busiest.rows())
