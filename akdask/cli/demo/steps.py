"""The steps of the demo: akdask used as one would in a script, each answer compared with NumPy's."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from glob import glob
from pathlib import Path
from time import perf_counter
from typing import Any

import dask
import numpy as np

import akdask as ak
from akdask.cli.console import Checks, duration, say, size
from akdask.cli.demo.by_hand import web_bytes
from akdask.cli.demo.chart import can_draw, draw_traffic
from akdask.cli.demo.flows import DAY, PROTOCOLS, Flows
from akdask.deferred import pd
from akdask.storage.paths.locales import locale_files

HOUR = 3600 * 10**9
REPEATS = 5


def write_flows(truth: Flows, prefix: Path) -> str:
    """Write the records as a set, one file for each partition; returns the pattern that finds them."""
    with ak.config.set(small_array=truth.rows):  # each piece stays one partition, however large
        columns = {name: ak.concatenate([ak.array(part[name]) for part in truth.partitions]) for name in truth.names}
    columns["country"] = ak.Categorical(columns["country"])
    start = perf_counter()
    _write(ak.DataFrame(columns), prefix)
    elapsed = perf_counter() - start
    total = _show_files(prefix)
    say(f"written in {duration(elapsed)}: {size(total / elapsed)} a second")
    return _pattern(prefix)


def open_flows(pattern: str) -> Any:
    """Open the set as a DataFrame."""
    start = perf_counter()
    flows = ak.DataFrame(ak.read_hdf(pattern))
    elapsed = perf_counter() - start
    say(f"flows = ak.DataFrame(ak.read_hdf({pattern!r}))")
    say(flows.info)
    say(f"opened in {duration(elapsed)}")
    return flows


def show_tables(flows: Any) -> None:
    """Show the first records, and statistics of some columns."""
    table = flows[["start", "src", "host", "protocol", "dst_port", "bytes", "country"]].head().to_pandas()
    table["start"] = pd.to_datetime(table["start"]).dt.strftime("%H:%M:%S.%f")
    say(table.to_string())
    say("\n" + flows[["duration", "packets", "bytes"]].describe().map("{:,.4g}".format).to_string())


def ask_totals(flows: Any, truth: Flows, checks: Checks) -> None:
    """Find several numbers together: reductions are lazy, and those computed together read the files once."""
    nbytes = truth.column("bytes")
    questions = {
        "bytes in all": (flows["bytes"].sum(), nbytes.sum()),
        "bytes of the largest flow": (flows["bytes"].max(), nbytes.max()),
        "mean duration in seconds": (flows["duration"].mean(), truth.column("duration").mean()),
        "flows that were blocked": (flows["blocked"].sum(), truth.column("blocked").sum()),
        "different hosts": (flows["host"].nunique(), len(set(truth.column("host")))),
    }
    answers = dask.compute(*[lazy for lazy, _ in questions.values()])
    for (question, (_, expected)), answer in zip(questions.items(), answers, strict=True):
        say(f"{question:<26} {answer:>18,{'.6f' if isinstance(expected, float) else 'd'}}")
        checks.number(question, answer, expected)


def ask_protocols(flows: Any, truth: Flows, checks: Checks) -> None:
    """Sum the bytes of each protocol, after showing the plan for one of them."""
    say(flows["bytes"][flows["protocol"] == "tcp"].sum().explain())
    protocol, nbytes = truth.column("protocol"), truth.column("bytes")
    say()
    for name in PROTOCOLS:
        found = flows["bytes"][flows["protocol"] == name].sum()
        say(f"bytes of {name:<17} {int(found):>18,}")
        checks.number(f"bytes of {name}", found, nbytes[protocol == name].sum())


def race(pattern: str, truth: Flows, checks: Checks) -> None:
    """Time one question, from the names of the files to the number, with akdask and without."""
    say("bytes of flows to port 443 with more than ten packets")
    wanted = (truth.column("dst_port") == 443) & (truth.column("packets") > 10)
    expected = truth.column("bytes")[wanted].sum()
    for name, question in (("akdask", _web_bytes), ("by hand, one thread", _web_bytes_by_hand)):
        seconds, answer = _timed(partial(question, pattern))
        say(f"{name:<26} {answer:>18,}   {duration(seconds)}")
        checks.number(f"web bytes, {name}", answer, expected)
    say(f"best of {REPEATS} each, files in the page cache, from opening them to the number")


def draw_hours(flows: Any, truth: Flows, path: Path, checks: Checks) -> None:
    """Sum the bytes of each hour and protocol in one pass, and draw them."""
    hour = (flows["start"] - DAY.value) // HOUR
    zero = np.uint64(0)
    lazy = [
        ak.where((flows["protocol"] == name) & (hour == number), flows["bytes"], zero).sum()
        for name in PROTOCOLS
        for number in range(24)
    ]
    sums = np.array(dask.compute(*lazy)).reshape(len(PROTOCOLS), 24)
    hourly = dict(zip(PROTOCOLS, sums, strict=True))
    hours, protocol = (truth.column("start") - DAY.value) // HOUR, truth.column("protocol")
    for name, found in hourly.items():
        chosen = protocol == name
        expected = np.zeros(24, np.uint64)
        np.add.at(expected, hours[chosen], truth.column("bytes")[chosen])
        checks.arrays(f"{name} bytes by hour", found, expected)
    if can_draw():
        draw_traffic(path, hourly, f"Traffic on {DAY:%d %B %Y}, {truth.rows:,} flows")
        say(f"{len(lazy)} sums in one pass, drawn in {path}")
    else:
        say("no chart: matplotlib is missing; pip install 'akdask[plot]' brings it")


def write_result(flows: Any, truth: Flows, prefix: Path, checks: Checks) -> None:
    """Write the blocked flows with a new column as a set of their own, and read that back."""
    found = flows[flows["blocked"] & (flows["country"] != "N/A")]
    found["rate"] = found["bytes"] / found["duration"]
    _write(found, prefix)
    _show_files(prefix)
    again = ak.DataFrame(ak.read_hdf(_pattern(prefix)))
    chosen = truth.column("blocked") & (truth.column("country") != "N/A")
    expected = {name: truth.column(name)[chosen] for name in truth.names}
    expected["rate"] = expected["bytes"] / expected["duration"]
    for name, column in expected.items():
        checks.arrays(f"{name} read back", again[name].to_ndarray(), column)
    say(f"{len(again):,} records of {len(expected)} columns read back")


def show_files(paths: Sequence[Path]) -> None:
    """Show what is in files of Arkouda's own."""
    for path in paths:
        for name, array in ak.read_hdf(str(path)).items():
            say(f"{path.name}: {name} = {array!r}")


def _write(frame: Any, prefix: Path) -> None:
    """Write a DataFrame as a set; that files of an earlier demo are replaced needs no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*were replaced")
        frame.to_hdf(prefix)


def _pattern(prefix: Path) -> str:
    return str(prefix.with_name(f"{prefix.stem}_LOCALE*{prefix.suffix}"))


def _show_files(prefix: Path) -> int:
    """Name the files of a set; returns their bytes."""
    sizes = {path: Path(path).stat().st_size for path in locale_files(str(prefix))}
    for path, nbytes in sizes.items():
        say(f"{Path(path).name}  {size(nbytes)}")
    return sum(sizes.values())


def _web_bytes(pattern: str) -> int:
    flows = ak.read_hdf(pattern)
    return int(flows["bytes"][(flows["dst_port"] == 443) & (flows["packets"] > 10)].sum())


def _web_bytes_by_hand(pattern: str) -> int:
    return web_bytes(sorted(glob(pattern)))


def _timed(question: Callable[[], int]) -> tuple[float, int]:
    """Return the best time of a few, and the answer."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        answer = question()
        times.append(perf_counter() - start)
    return min(times), answer
