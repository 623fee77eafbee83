"""A script as users write it: `test_typing` has mypy check it, strictly, and runs it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd

import akdask as ak


def make(folder: Path) -> None:
    rows: ak.pdarray = ak.arange(1_000)
    ports: ak.pdarray = ak.where(rows % 3 == 0, 53, 443)
    names: ak.Strings = ak.where(rows % 3 == 0, "udp", "tcp")
    times = ak.Datetime(rows * 60, unit="s")
    ak.to_hdf({"port": ports, "proto": names, "bytes": rows * 64, "time": times}, folder / "flows.h5", num_locales=2)


def numbers(column: ak.pdarray) -> tuple[float, int]:
    roots = ak.sqrt(column, where=column > 0)
    grid = column.reshape(2, -1)
    first: np.ndarray = grid.sum(axis=0).to_ndarray()
    total = column.sum() + ak.max(column) + roots.mean()
    kept = column[column > 10]
    kept[0] = 5
    order = ak.argsort(kept)
    return float(total), len(first) + int(kept[order][0]) + kept.argmax().item() + column.count_nonzero().item()


def text(names: ak.Strings) -> list[str]:
    clean = names.strip().lower()
    is_plain: ak.pdarray = clean.isalpha() & ~clean.isempty() & clean.contains("c")
    left, right = clean.peel("_")
    fields = left.stick(right, delimiter="-").split("-")
    labels = ak.Categorical(clean)
    codes: ak.pdarray = labels.codes
    print(fields, codes.max(), labels.categories.title(), labels.isna().sum())
    found: list[str] = clean[is_plain].tolist()
    return found


def calendar(times: ak.Datetime) -> ak.pdarray:
    spans: ak.Timedelta = times - times.floor("d")
    minutes: ak.pdarray = ak.where(times.day_of_week < 5, times.hour * 60 + times.minute, spans.seconds)
    return minutes


def groups(flows: ak.DataFrame) -> pd.DataFrame:
    by_port = ak.GroupBy([flows["port"], flows["proto"]])
    keys, totals = by_port.sum(flows["bytes"])
    share = flows["bytes"] / by_port.broadcast(totals)
    flows["share"] = share
    frame = flows.groupby("port").sum(["bytes"])
    steps = flows.groupby("port").diff("bytes").max()
    print(keys, steps.head(2), flows.groupby("proto").agg({"bytes": ["sum", "mean"]}))
    return frame.to_pandas()


def main(folder: Path) -> None:
    make(folder)
    flows = ak.DataFrame(ak.read_hdf(f"{folder}/flows_LOCALE*.h5"))
    web = flows[flows["port"] == 443].sort_values("bytes", ascending=False)
    services = ak.DataFrame({"port": ak.array([53, 443]), "service": ak.array(["dns", "https"])})
    joined = web.merge(services, on="port")
    joined.to_hdf(folder / "joined.h5")
    print(numbers(flows["bytes"]), text(flows["proto"]), calendar(flows["time"]), groups(flows), joined.explain())
    print(ak.ls(f"{folder}/joined_LOCALE*.h5"), ak.unique(web["port"]), ak.in1d(web["port"], services["port"]).any())


if __name__ == "__main__":
    with ak.config.set(manifest=False):
        main(Path("."))
