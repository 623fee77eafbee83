"""``akdask demo``: what akdask does, on network flows made up for the purpose, with every answer checked."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import akdask as ak
from akdask.cli.console import Checks, Steps, duration, size
from akdask.cli.demo import steps
from akdask.cli.demo.flows import make_flows
from akdask.errors import ArgumentError

# Measured: a record takes about 120 bytes in the files; the demo, which keeps all records to check answers with, has
# up to 330 bytes for each in memory.
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
    """Go through the steps; returns the exit code, 1 if an answer was wrong."""
    folder = _writable(options.folder)
    _demand_space(folder, options.rows)
    samples = _arkouda_files(options.fixture)
    step, checks, began = Steps(9 if samples else 8), Checks(), perf_counter()
    print(f"akdask {ak.__version__}: {options.rows:,} network flows of one day, on {os.cpu_count()} cores")
    with step("Make the records, and write a set of four files"):
        truth = make_flows(options.rows)
        pattern = steps.write_flows(truth, folder / "flows.h5")
    with step("Open the set: only metadata is read"):
        flows = steps.open_flows(pattern)
    with step("Look at it"):
        steps.show_tables(flows)
    with step("Several questions, one pass over the files"):
        steps.ask_totals(flows, truth, checks)
    with step("Filter, and see what will be done before it is"):
        steps.ask_protocols(flows, truth, checks)
    with step("One question with akdask, and by hand with h5py and NumPy"):
        steps.race(pattern, truth, checks)
    with step("Draw the traffic of each hour"):
        steps.draw_hours(flows, truth, folder / "traffic.png", checks)
    with step("Write what was found, read it back, compare every value"):
        steps.write_result(flows, truth, folder / "blocked.h5", checks)
    if samples:
        with step("Open files that Arkouda servers wrote"):
            steps.show_files(samples)
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
    """Refuse what would only fail after a long time, or bring the machine to its knees."""
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
    """Return the file asked for, or the samples from Arkouda servers that are at hand."""
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
