"""``akdask demo``: a tour of akdask on made-up network flows, with every answer checked."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from glob import glob
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import Any

import dask
import h5py
import numpy as np
import pyarrow as pa

import akdask as ak
from akdask.cli.console import Checks, Steps, duration, say, size
from akdask.deferred import pd
from akdask.errors import ArgumentError
from akdask.records import record
from akdask.storage.locales import locale_files
from akdask.typing import Column, NumberArray, StringArray

SEED = 20240318
DAY = pd.Timestamp("2024-03-18")
PARTITIONS = 4
MINUTES = 24 * 60
MINUTE = 60 * 10**9

PROTOCOLS = ("tcp", "udp", "icmp")
# Destination ports, with their shares among flows of a protocol.
PORTS = {
    "tcp": ([443, 80, 22, 25, 3389, 8080], [0.74, 0.12, 0.04, 0.03, 0.02, 0.05]),
    "udp": ([53, 443, 123, 500], [0.55, 0.35, 0.08, 0.02]),
    "icmp": ([0], [1.0]),
}
# Median of the bytes in one flow, and the spread of their logarithm: few flows carry most of the bytes.
TRAFFIC = {"tcp": (4_000, 2.2), "udp": (6_000, 2.0), "icmp": (200, 0.5)}
COUNTRIES = ("US", "DE", "NL", "FR", "GB", "IE", "JP", "SG", "BR", "IN", "ZA", "N/A")
COUNTRY_SHARES = (0.34, 0.12, 0.09, 0.07, 0.08, 0.07, 0.05, 0.04, 0.03, 0.05, 0.01, 0.05)


@record
class Flows:
    """Records in memory, in as many pieces as there will be files.

    Parameters
    ----------
    partitions : list of dict
        Columns by name: NumPy arrays, Arrow arrays of strings.
    """

    partitions: list[dict[str, Column]]

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return list(self.partitions[0])

    @property
    def rows(self) -> int:
        """Number of records."""
        return sum(len(part["start"]) for part in self.partitions)

    def column(self, name: str) -> NumberArray:
        """Return one whole column; strings as Python objects."""
        parts = [part[name] for part in self.partitions]
        return np.concatenate([p if isinstance(p, np.ndarray) else p.to_numpy(zero_copy_only=False) for p in parts])


def make_flows(rows: int) -> Flows:
    """Return flows of a day in order of time, a quarter of the day in each partition; deterministic.

    Parameters
    ----------
    rows : int
        How many in all.
    """
    hour = np.arange(MINUTES) / 60
    working_day = np.exp(-(((hour - 10.5) / 2.5) ** 2)) + np.exp(-(((hour - 15) / 2.8) ** 2))
    weights = 0.25 + working_day + 0.5 * np.exp(-(((hour - 21) / 1.8) ** 2))
    counts = np.random.default_rng(SEED).multinomial(rows, weights / weights.sum())
    hosts = _hosts(max(1, rows // 20))
    quarters = np.split(np.arange(MINUTES), PARTITIONS)
    return Flows(
        [
            _partition(np.repeat(minutes, counts[minutes]), hosts, np.random.default_rng([SEED, number]))
            for number, minutes in enumerate(quarters)
        ]
    )


def _partition(minute: NumberArray, hosts: StringArray, random: np.random.Generator) -> dict[str, Column]:
    rows = len(minute)
    start = DAY.value + minute * MINUTE + random.integers(0, MINUTE, rows)
    protocol = random.choice(len(PROTOCOLS), rows, p=[0.77, 0.2, 0.03])
    port, volume = np.zeros(rows, np.int64), np.zeros(rows)
    for code, name in enumerate(PROTOCOLS):
        chosen = np.flatnonzero(protocol == code)
        ports, shares = PORTS[name]
        median, spread = TRAFFIC[name]
        port[chosen] = random.choice(ports, len(chosen), p=shares)
        volume[chosen] = random.lognormal(np.log(median), spread, len(chosen))
    nbytes = np.minimum(volume, 2e9).astype(np.uint64) + np.uint64(40)
    # A Pareto distribution over the hosts: a few are contacted all the time, most of them once or twice.
    host = (random.pareto(0.6, rows) * 3).clip(0, len(hosts) - 1).astype(np.int64)
    return {
        "start": np.sort(start),
        "duration": random.lognormal(-1.0, 1.7, rows) + 1e-4,
        "protocol": _taken(PROTOCOLS, protocol),
        "src": _taken(_addresses("10", 60_000), random.integers(0, 60_000, rows)),
        "host": hosts.take(pa.array(host)),
        "src_port": random.integers(1024, 65_536, rows),
        "dst_port": port,
        "packets": 1 + (nbytes // np.uint64(900)).astype(np.int64),
        "bytes": nbytes,
        "blocked": random.random(rows) < np.where(port == 3389, 0.6, 0.01),
        "country": _taken(COUNTRIES, random.choice(len(COUNTRIES), rows, p=COUNTRY_SHARES)),
    }


def _taken(words: Any, codes: NumberArray) -> StringArray:
    return pa.array(words, pa.large_string()).take(pa.array(codes))


def _addresses(network: str, count: int) -> StringArray:
    numbers = range(256, 256 + count)
    return pa.array([f"{network}.{n >> 16}.{n >> 8 & 255}.{n & 255}" for n in numbers], pa.large_string())


def _hosts(count: int) -> StringArray:
    kinds = ("www", "cdn", "api", "mail", "img", "login")
    scrambled = (n * 2654435761 % 2**32 for n in range(count))
    return pa.array([f"{kinds[n % 6]}.{n:x}.example" for n in scrambled], pa.large_string())


COLOURS = ("#1f4e79", "#e08e2b", "#7a7a7a")


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def draw_traffic(path: Path, hourly: Mapping[str, NumberArray], title: str) -> None:
    """Draw the traffic of each hour of a day as stacked bars.

    Parameters
    ----------
    path : Path
        The PNG to write.
    hourly : mapping of str to ndarray, shape (24,)
        Bytes in each hour, by protocol.
    title : str
        Above the chart.
    """
    import matplotlib as mpl
    import numpy as np
    from matplotlib.figure import Figure

    with mpl.rc_context({"font.size": 11, "axes.spines.top": False, "axes.spines.right": False}):
        figure = Figure(figsize=(9, 4.6), layout="constrained")
        axes = figure.subplots()
        below = np.zeros(24)
        for (name, nbytes), colour in zip(hourly.items(), COLOURS, strict=True):
            gigabytes = np.asarray(nbytes, np.float64) / 1e9
            label = f"{name}  ({gigabytes.sum():,.2f} GB)"
            axes.bar(np.arange(24) + 0.5, gigabytes, 0.86, bottom=below, color=colour, label=label)
            below += gigabytes
        axes.set(xlabel="hour of the day (UTC)", ylabel="traffic (GB per hour)", xlim=(0, 24))
        axes.set_xticks(range(0, 25, 3), [f"{hour:02d}:00" for hour in range(0, 25, 3)])
        axes.set_title(title, loc="left", fontweight="bold")
        axes.grid(axis="y", color="#dddddd", linewidth=0.8)
        axes.set_axisbelow(True)
        axes.legend(frameon=False, loc="upper left")
        figure.savefig(path, dpi=130)


def web_bytes(paths: Iterable[str]) -> int:
    """Return the bytes of encrypted web traffic in flows of more than ten packets."""
    total = 0
    for path in paths:
        with h5py.File(path) as file:
            chosen = (file["dst_port"][:] == 443) & (file["packets"][:] > 10)
            total += int(file["bytes"][:][chosen].sum())
    return total


HOUR = 3600 * 10**9
REPEATS = 5


def write_flows(truth: Flows, prefix: Path) -> str:
    """Write the records as a set, one file for each partition; return a pattern for its files."""
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
    """Compute several numbers together: reductions are lazy, and one computation reads the files once."""
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
    """Show the objects in files of Arkouda itself."""
    for path in paths:
        for name, array in ak.read_hdf(str(path)).items():
            say(f"{path.name}: {name} = {array!r}")


def _write(frame: Any, prefix: Path) -> None:
    """Write a DataFrame as a set; replacing the files of an earlier demo gives no warning."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*were replaced")
        frame.to_hdf(prefix)


def _pattern(prefix: Path) -> str:
    return str(prefix.with_name(f"{prefix.stem}_LOCALE*{prefix.suffix}"))


def _show_files(prefix: Path) -> int:
    """Name the files of a set; return their bytes."""
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


# Measured: a record takes about 120 bytes in the files, and up to 330 bytes in memory, as the demo keeps all records to
# check answers with.
DISK_PER_ROW, MEMORY_PER_ROW = 130, 350
SAMPLES = Path("../shared/fixtures/arkouda/hdf5")


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "demo",
        help="write a set of files, ask questions of it, draw a chart, check every answer",
        description="Write network flows, made up for the purpose, to a set of _LOCALE#### files; ask questions of "
        "them, draw a chart, write a result and read it back.  Every answer is compared with NumPy's.",
    )
    parser.add_argument(
        "--rows", type=_row_count, default=1_000_000, metavar="N", help="number of records (default: 1,000,000)"
    )
    parser.add_argument(
        "--folder", type=Path, default=Path("akdask-demo"), metavar="DIR", help="where the files go (./akdask-demo)"
    )
    parser.add_argument(
        "--fixture",
        type=Path,
        metavar="FILE",
        help="also open this HDF5 file, written by Arkouda (default: the samples in ../shared/fixtures, if there)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Go through the steps; return the exit code, 1 if an answer was wrong."""
    folder = _writable(options.folder)
    _demand_space(folder, options.rows)
    samples = _arkouda_files(options.fixture)
    step, checks, began = Steps(9 if samples else 8), Checks(), perf_counter()
    print(f"akdask {ak.__version__}: {options.rows:,} network flows of one day, on {os.cpu_count()} cores")
    with step("Make the records, and write a set of four files"):
        truth = make_flows(options.rows)
        pattern = write_flows(truth, folder / "flows.h5")
    with step("Open the set: only metadata is read"):
        flows = open_flows(pattern)
    with step("Look at it"):
        show_tables(flows)
    with step("Several questions, one pass over the files"):
        ask_totals(flows, truth, checks)
    with step("Filter, and see what will be done before it is"):
        ask_protocols(flows, truth, checks)
    with step("One question with akdask, and by hand with h5py and NumPy"):
        race(pattern, truth, checks)
    with step("Draw the traffic of each hour"):
        draw_hours(flows, truth, folder / "traffic.png", checks)
    with step("Write what was found, read it back, compare every value"):
        write_result(flows, truth, folder / "blocked.h5", checks)
    if samples:
        with step("Open files that Arkouda servers wrote"):
            show_files(samples)
    return _conclude(folder, checks, perf_counter() - began)


def _row_count(text: str) -> int:
    try:
        rows = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    if rows < 1:
        raise argparse.ArgumentTypeError(f"at least one record is needed, not {rows}")
    return rows


def _writable(folder: Path) -> Path:
    """Return the folder, made if need be, if files can be made in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        raise ArgumentError(
            f"cannot write to the folder {str(folder)!r}.",
            details=[error.strerror or str(error)],
            hint="name another one with --folder.",
        ) from error


def _demand_space(folder: Path, rows: int) -> None:
    """Refuse sizes that would fail after a long time, or exhaust the machine."""
    space = {
        f"on the disk of {str(folder)!r}": (rows * DISK_PER_ROW, shutil.disk_usage(folder).free),
        "in memory": (rows * MEMORY_PER_ROW, ak.get_config()["physicalMemory"]),
    }
    lacking = [
        f"{where}: {size(need)} needed, {size(have)} there" for where, (need, have) in space.items() if need > have
    ]
    if lacking:
        raise ArgumentError(f"no room for {rows:,} records.", details=lacking, hint="ask for fewer with --rows.")


def _arkouda_files(given: Path | None) -> list[Path]:
    """Return the requested file, or the available samples from Arkouda servers."""
    if given is None:
        return sorted(SAMPLES.glob("*_LOCALE*"))
    if not given.is_file():
        raise ArgumentError(f"there is no file {str(given)!r}.", hint="--fixture takes one HDF5 file.")
    return [given]


def _conclude(folder: Path, checks: Checks, elapsed: float) -> int:
    print(f"\nThe files are in {folder.resolve()}; remove that folder when you have seen enough.")
    for file in sorted(folder.iterdir()):
        if not file.name.startswith("."):
            print(f"  {file.name}  {size(file.stat().st_size)}")
    if checks.failed:
        print(f"{len(checks.failed)} of {checks.count} answers are WRONG: {', '.join(checks.failed)}.")
        return 1
    print(f"All {checks.count} answers are equal to NumPy's.  {duration(elapsed)} in all.")
    return 0
