"""The measured part of the benchmark page: akdask beside the best peer of each task, and Arkouda's records."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.report import OURS, Result

BEGIN, END = "<!-- engine: begin -->", "<!-- engine: end -->"
ARGSORT_BYTES = 72 * 2**40 / 150 / 74_000
STATION_ROWS = 1e12 / 45 / 128
RECORDS = (
    "Arkouda's published records: `argsort` of 72 TiB in 150 s on 74,000 cores, which is "
    f"{ARGSORT_BYTES / 8e6:.1f} million rows and {ARGSORT_BYTES / 1e6:.1f} MB for each core and second; the "
    f"trillion-row challenge in 45 s on 128 nodes, {STATION_ROWS / 1e6:.0f} million rows for each node and second."
)


def fill(
    path: Path, machine: Mapping[str, object], results: Sequence[Result], threads: int, plots: Sequence[Path]
) -> None:
    """Write what was found between the markers of a file, in place of what was found before.

    Parameters
    ----------
    path : Path
        The file.
    machine : mapping of str to object
        What the figures depend on.
    results : sequence of Result
    threads : int
        Cores that took part.
    plots : sequence of Path
        Plots to show.

    Raises
    ------
    LookupError
        If the file has no markers.
    """
    before, begin, rest = path.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise LookupError(f"{path} has no lines {BEGIN} and {END}")
    images = (f"![{plot.stem}]({Path(os.path.relpath(plot, path.parent)).as_posix()})" for plot in plots)
    parts = [_describe(machine), *_tables(results, threads), RECORDS, *images]
    path.write_text(before + begin + "\n\n" + "\n\n".join(parts) + "\n\n" + end + after, encoding="utf-8")


def _describe(machine: Mapping[str, object]) -> str:
    return "\n".join(f"- {name}: {value}" for name, value in machine.items())


def _tables(results: Sequence[Result], threads: int) -> Iterator[str]:
    yield _markdown(("task", "akdask", "best beside it", "ratio", "bar", "met"), map(_compared, results))
    worked = [result for result in results if result.work]
    if worked:
        header = ("for each core and second", "million rows", "MB")
        yield _markdown(header, (_throughput(result, threads) for result in worked))


def _compared(result: Result) -> tuple[str, ...]:
    best = result.best_peer
    held = OURS if result.limit is not None or best is None else best
    met = {None: "", True: "yes", False: "no"}[result.met(held)]
    beside, ratio = ("", "") if best is None else (f"{best} {result.shown(best)}", f"{result.ratio(best):.2f}")
    return (result.task.strip(), result.shown(OURS), beside, ratio, result.bar(held), met)


def _throughput(result: Result, threads: int) -> tuple[str, ...]:
    assert result.work is not None, "only results that tell their work are asked"
    seconds = result.values[OURS] * threads * 1e6
    return (result.task, f"{result.work.rows / seconds:,.1f}", f"{result.work.nbytes / seconds:,.0f}")


def _markdown(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
