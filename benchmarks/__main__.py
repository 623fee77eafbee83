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

from benchmarks.curves import draw
from benchmarks.page import fill
from benchmarks.report import Result, table, write_json
from benchmarks.setting import Setting
from benchmarks.tasks import ENGINE, TASKS

PACKAGES = ("akdask", "dask", "numpy", "h5py", "pandas", "pyarrow", "numba", "polars", "duckdb")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the tasks that are named, or all."""
    options = _parser().parse_args(arguments)
    names = _expand(options.names)
    setting = Setting(
        options.rows,
        options.repeat,
        options.folder.resolve(),
        options.threads,
        options.vaex_python,
        options.patience,
        options.sparse_rows,
    )
    machine = describe_machine(setting)
    print("\n".join(f"{name}: {value}" for name, value in machine.items()), end="\n\n")
    results: list[Result] = []
    failed: list[str] = []
    with dask.config.set(num_workers=setting.threads):
        for name in names:
            print(f"… {name}", file=sys.stderr)
            try:
                results += TASKS[name](setting)
            except Exception:  # the figures of the other tasks are worth having
                traceback.print_exc()
                failed.append(name)
        plots = draw(options.plots, setting) if options.plots else []
    print(table(results))
    if options.report:
        fill(options.report, machine, results, setting.threads, plots)
    if options.json:
        write_json(options.json, machine, results)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


def _expand(names: Sequence[str]) -> list[str]:
    """Return the names of tasks that are meant: `engine` stands for several, and nothing for all."""
    found = [task for name in names for task in (ENGINE if name == "engine" else (name,))]
    unknown = [name for name in found if name not in TASKS]
    if unknown:
        sys.exit(f"no task {', '.join(unknown)}; there are: engine, {', '.join(TASKS)}")
    return found or list(TASKS)


def describe_machine(setting: Setting) -> dict[str, object]:
    """Return what the figures depend on."""
    return {
        "machine": f"{_processor()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name))),
        "rows": f"{setting.rows:,} in 4 files, {setting.threads} threads, median of {setting.repeat}",
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", help=f"of: engine, {', '.join(TASKS)}; all if none is named")
    parser.add_argument("--rows", type=int, default=20_000_000, help="rows to read and write (default 20,000,000)")
    parser.add_argument("--repeat", type=int, default=7, help="turns that count (default 7)")
    parser.add_argument(
        "--patience", type=float, default=5.0, help="seconds after which a task is not repeated (default 5)"
    )
    parser.add_argument(
        "--sparse-rows", type=int, default=2_000_000_000, help="rows of the sparse set (default 2,000,000,000)"
    )
    folder = Path(tempfile.gettempdir()) / "akdask-benchmarks"
    parser.add_argument("--folder", type=Path, default=folder, help=f"where data is made and kept ({folder})")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of everybody (default all cores)")
    parser.add_argument("--json", type=Path, help="write the figures to this file as well")
    parser.add_argument(
        "--report", type=Path, help="write the table of the best peers between the markers of this file"
    )
    parser.add_argument("--plots", type=Path, help="draw time against rows and partitions into this folder")
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
