"""``python -m benchmarks [names…]``: time akdask and its alternatives in turns and print a table of ratios."""

from __future__ import annotations

import argparse
import os
import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import dask

from benchmarks.page import write_page
from benchmarks.process import HERE
from benchmarks.record import RESULTS, Record, keep
from benchmarks.report import Result, geometric_means, table
from benchmarks.setting import Setting
from benchmarks.tasks import SETS, TASKS, run_task

PACKAGES = ("akdask", "dask", "numpy", "h5py", "pandas", "pyarrow", "polars", "duckdb")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tasks that are named, or all."""
    options = _parser().parse_args(arguments)
    HERE.set(options.one_process)
    names = _expand(options.names)
    setting = Setting(
        options.rows,
        options.repeat,
        options.folder.resolve(),
        options.threads,
        options.vaex_python,
        options.patience,
        options.sparse_rows,
        curve_rows=options.curve_rows,
        questions=tuple(options.question),
    )
    machine = describe_machine()
    print("\n".join(f"{name}: {value}" for name, value in machine.items()), end="\n\n")
    record: Path | None = options.record or (RESULTS if options.page else None)
    results: list[Result] = []
    failed: list[str] = []
    with dask.config.set(num_workers=setting.threads):
        for name in names:
            print(f"… {name}", file=sys.stderr)
            try:
                found = run_task(name, setting)
            except Exception:  # the figures of the other tasks are worth having
                traceback.print_exc()
                failed.append(name)
                continue
            results += found
            if record:  # at once, as the next task may take long
                load = round(os.getloadavg()[0], 1)
                keep(record, Record(name, machine, setting.rows, setting.threads, setting.repeat, found, load))
    print(table([*results, *geometric_means(results)]))
    if options.page and record:
        write_page(options.page, record)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _expand(names: Sequence[str]) -> list[str]:
    """Return the names of tasks that are meant: some stand for several, and none for all."""
    found = [task for name in names for task in SETS.get(name, (name,))]
    unknown = [name for name in found if name not in TASKS]
    if unknown:
        sys.exit(f"no task {', '.join(unknown)}; there are: {', '.join((*SETS, *TASKS))}")
    return found or list(TASKS)


def describe_machine() -> dict[str, str]:
    """Return what the figures depend on."""
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name))),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of: {', '.join((*SETS, *TASKS))}; all if none is named")
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows to read and write (default 20,000,000)")
    parser.add_argument("--repeat", type=int, default=7, help="turns that count (default 7)")
    parser.add_argument(
        "--patience", type=float, default=5.0, help="seconds after which a task is not repeated (default 5)"
    )
    parser.add_argument(
        "--sparse-rows", type=int, default=2_000_000_000, help="rows of the sparse set (default 2,000,000,000)"
    )
    parser.add_argument(
        "--curve-rows", type=int, default=100_000_000, help="the most rows of the plots (default 100,000,000)"
    )
    parser.add_argument(
        "--question",
        action="append",
        default=[],
        help="ask only questions that begin so in first-runs, such as q1: or join; may be given again",
    )
    parser.add_argument(
        "--one-process",
        action="store_true",
        help="run in this process what would have fresh ones, to see that all works: its times and peaks mean nothing",
    )
    folder = Path(tempfile.gettempdir()) / "akdask-benchmarks"
    parser.add_argument("--folder", type=Path, default=folder, help=f"where data is made and kept ({folder})")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of everybody (default all cores)")
    parser.add_argument("--record", type=Path, help="keep the figures in this folder, a file for each task")
    parser.add_argument(
        "--page",
        type=Path,
        help="keep the figures in benchmarks/results, and write this page of all that are kept there",
    )
    parser.add_argument("--vaex-python", help="an interpreter that has vaex, to take part in its own process")
    return parser


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.processor()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


if __name__ == "__main__":
    main()
