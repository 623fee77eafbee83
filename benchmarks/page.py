"""The figures of the benchmark page, from those that are kept: ``python -m benchmarks.page`` measures nothing.

The text of the page stays as it is.  What stands between a line ``<!-- figures: … -->``, which names tasks or a
summary, and the next ``<!-- end -->`` is written anew.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median

from benchmarks.drawing import draw
from benchmarks.record import RESULTS, Record, kept
from benchmarks.report import OURS, Result, geometric_means

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
PLOTS = Path(__file__).with_name("plots")
BLOCK = re.compile(r"<!-- figures: (?P<names>[^>]+) -->.*?<!-- end -->", re.DOTALL)

CURVES = {"curves": "tables in memory", "curves-parquet": "Parquet files"}
VARIANTS = ("held-back", "held-back-database")
SERIES = {
    "curves": "points of the curves of tables in memory",
    "curves-parquet": "points of the curves of Parquet files",
    "held-back": "questions of data that nobody prepared for",
    "held-back-database": "questions of the db-benchmark of such data",
}
APART = SERIES.keys()
"""Tasks that are shown in a way of their own."""

ARGSORT_BYTES = 72 * 2**40 / 150 / 74_000
STATION_ROWS = 1e12 / 45 / 128
RECORDS = (
    "Arkouda's published records: `argsort` of 72 TiB in 150 s on 74,000 cores, which is "
    f"{ARGSORT_BYTES / 8e6:.1f} million rows and {ARGSORT_BYTES / 1e6:.1f} MB for each core and second; the "
    f"trillion-row challenge in 45 s on 128 nodes, {STATION_ROWS / 1e6:.0f} million rows for each node and second."
)

Records = Mapping[str, Record]


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the page of the figures that are kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.page", description=__doc__)
    parser.add_argument("--record", type=Path, default=RESULTS, help="the folder of the figures")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page")
    options = parser.parse_args(arguments)
    write_page(options.page, options.record)


def write_page(page: Path, folder: Path) -> None:
    """Write the figures of a folder into a page.

    Parameters
    ----------
    page : Path
        A file of Markdown with blocks.
    folder : Path
        Where figures are kept.

    Raises
    ------
    LookupError
        If the page has no blocks.
    """
    text, records = page.read_text(encoding="utf-8"), kept(folder)
    if not BLOCK.search(text):
        raise LookupError(f"{page} has no lines <!-- figures: … --> and <!-- end -->")

    def written(block: re.Match[str]) -> str:
        names = block["names"].split()
        parts = SUMMARIES[names[0]](records, page) if names[0] in SUMMARIES else _tasks(records, names)
        return "\n\n".join([f"<!-- figures: {block['names']} -->", *parts, "<!-- end -->"])

    page.write_text(BLOCK.sub(written, text), encoding="utf-8")


def named_tasks(text: str) -> list[str]:
    """Return the names of all tasks and summaries that a page shows."""
    return [name for block in BLOCK.finditer(text) for name in block["names"].split()]


def _tasks(records: Records, names: Sequence[str]) -> Iterator[str]:
    results = [result for name in names if name in records for result in records[name].results]
    if results:
        yield _markdown(HEADER, map(_compared, [*results, *geometric_means(results)]))
    missing = [f"`{name}`" for name in names if name not in records]
    if missing:
        yield f"Not measured yet: {', '.join(missing)}."


HEADER = ("task", "akdask", "beside it", "ratio", "of CPU", "bar", "met")


def _compared(result: Result) -> tuple[str, ...]:
    rival = result.rival
    held = OURS if result.limit is not None or rival is None else rival
    met = {None: "", True: "yes", False: "**no**"}[result.met(held)]
    if rival is None:
        return (result.name.strip(), result.shown(OURS), "", "", "", result.bar(held), met)
    of_cpu = result.cpu_ratio(rival)
    return (
        result.name.strip(),
        result.shown(OURS),
        f"{rival} {result.shown(rival)}",
        f"{result.ratio(rival):.2f}",
        "" if of_cpu is None else f"{of_cpu:.2f}",
        result.bar(held),
        met,
    )


def _setup(records: Records, page: Path) -> Iterator[str]:
    """Tell on what everything was measured, and with how many rows."""
    machines: dict[tuple[tuple[str, str], ...], list[Record]] = {}
    for record in records.values():
        machines.setdefault(tuple(record.machine.items()), []).append(record)
    yield "The figures of this page come from:"
    for machine, measured in machines.items():
        lines = [f"- {name}: {value}" for name, value in machine]
        settings: dict[str, list[str]] = {}
        for record in measured:
            how = f"{_most_rows(record)} rows, {record.threads} threads, medians of {record.repeat}"
            settings.setdefault(how, []).append(f"`{record.task}`")
        busy = [f"`{record.task}`" for record in measured if record.is_busy]
        if busy:
            settings["while other programs kept the machine busy, so that *of CPU* tells more"] = busy
        yield "\n".join([*lines, *(f"- {how}: {', '.join(names)}" for how, names in settings.items())])


def _most_rows(record: Record) -> str:
    most = max((result.work.rows for result in record.results if result.work), default=record.rows)
    return f"up to {most:,}" if record.task in CURVES else f"{record.rows:,}"


def _losses(records: Records, page: Path) -> Iterator[str]:
    """Tell how many goals are met, and show whatever is not, the worst first."""
    results = [result for name, record in records.items() if name not in APART for result in record.results]
    results += geometric_means(results)
    judged = [result for result in results if _is_met(result) is not None]
    lost = [result for result in judged if not _is_met(result)]
    slower = [result for result in results if _is_met(result) is None and _ratio(result) < 1]
    yield f"{len(judged) - len(lost)} of {len(judged)} bars are met. These are missed, the farthest first:"
    yield _markdown(HEADER, map(_compared, sorted(lost, key=_margin)))
    if slower:
        yield "Without a bar, but slower than the best beside it:"
        yield _markdown(HEADER, map(_compared, sorted(slower, key=_ratio)))
    yield from (_count_slower(records[name], where) for name, where in SERIES.items() if name in records)


def _count_slower(record: Record, where: str) -> str:
    slower = [result for result in record.results if _best_ratio(result) < 1]
    return f"Slower than the fastest of the others at {len(slower)} of {len(record.results)} {where}."


def _best_ratio(result: Result) -> float:
    return float("inf") if result.best_peer is None else result.ratio(result.best_peer)


def _is_met(result: Result) -> bool | None:
    return result.met(OURS if result.limit is not None or result.rival is None else result.rival)


def _ratio(result: Result) -> float:
    return float("inf") if result.rival is None else result.ratio(result.rival)


def _margin(result: Result) -> float:
    """Return which part of its goal is reached."""
    if result.limit is not None or result.rival is None:
        return (result.limit or 0.0) / result.values[OURS]
    return result.ratio(result.rival) / result.floors[result.rival]


def _curves(records: Records, page: Path) -> Iterator[str]:
    """Show time against rows, as plots and as ratios."""
    for name, what in CURVES.items():
        if name not in records:
            yield f"Not measured yet: `{name}`."
            continue
        results, is_busy = records[name].results, records[name].is_busy
        path = draw(PLOTS / f"{name}.png", results, of_cpu=is_busy)
        where = Path(os.path.relpath(path, page.parent)).as_posix()
        shown = "Seconds of processors, as other programs kept the machine busy" if is_busy else "Seconds that pass"
        yield f"{shown}, against rows of {what}:"
        yield f"![Time against rows of {what}, by question and engine]({where})"
        yield (
            f"Of {what}, how many times as long as akdask the fastest of the others takes, and of CPU in brackets; "
            "above 1 akdask is faster:"
        )
        sizes = sorted({result.work.rows for result in results if result.work})
        header = ("rows", *(f"{size:,}" for size in sizes))
        yield _markdown(header, (_ratios(asked, sizes) for asked in _by_task(results).values()))


def _ratios(results: Sequence[Result], sizes: Sequence[int]) -> tuple[str, ...]:
    found = {r.work.rows: _ratio_and_cpu(r, r.best_peer) for r in results if r.work and r.best_peer}
    return (results[0].task, *(found.get(size, "") for size in sizes))


def _ratio_and_cpu(result: Result, peer: str) -> str:
    of_cpu = result.cpu_ratio(peer)
    return f"{result.ratio(peer):.2f}" + ("" if of_cpu is None else f" ({of_cpu:.2f})")


def _variants(records: Records, page: Path) -> Iterator[str]:
    """Show the range of ratios over all kinds of data."""
    for name in VARIANTS:
        if name not in records:
            yield f"Not measured yet: `{name}`."
            continue
        yield _markdown(
            ("question", "lowest", "median", "highest", "median of CPU", "lowest with"),
            map(_range, _by_task(records[name].results).values()),
        )


def _range(results: Sequence[Result]) -> tuple[str, ...]:
    beside = [(result.ratio(peer), result.cpu_ratio(peer), result.case, peer)
              for result in results if (peer := result.best_peer)]  # fmt: skip
    ratios = [ratio for ratio, *_ in beside]
    of_cpu = [found for _, found, *_ in beside if found is not None]
    *_, case, peer = min(beside, key=lambda found: found[0])
    numbers = (min(ratios), median(ratios), max(ratios), *([median(of_cpu)] if of_cpu else []))
    shown = [f"{number:.2f}" for number in numbers]
    return (results[0].task, *shown, *[""] * (4 - len(shown)), f"{case}, beside {peer}")


def _first_runs(records: Records, page: Path) -> Iterator[str]:
    """Show the first, third and tenth run of each question in one row, the farthest behind in the first run first."""
    if "first-runs" not in records:
        yield "Not measured yet: `first-runs`."
        return
    runs: dict[str, list[Result]] = {}
    for result in records["first-runs"].results:
        where, _, _ = result.case.rpartition(", ")
        runs.setdefault(f"{result.task}, {where}", []).append(result)
    header = ("question", *(f"{run} run" for run in ("first", "third", "tenth")), "best beside it in its first run")
    yield "Times of akdask, and in brackets how many times as long the fastest of the others takes for the same run:"
    yield _markdown(
        header, (_run_by_run(name, runs[name]) for name in sorted(runs, key=lambda name: _best_ratio(runs[name][0])))
    )


def _run_by_run(name: str, results: Sequence[Result]) -> tuple[str, ...]:
    peer = results[0].best_peer
    shown = [f"{result.shown(OURS)} ({_best_ratio(result):.2f})" for result in results]
    return (name, *shown, "" if peer is None else f"{peer} {results[0].shown(peer)}")


def _throughput(records: Records, page: Path) -> Iterator[str]:
    """Tell rows and bytes for each core and second, beside Arkouda's records."""
    rows = [
        _per_core(result, record.threads)
        for name, record in records.items()
        if name not in APART
        for result in record.results
        if result.work
    ]
    yield _markdown(("for each core and second", "million rows", "MB"), rows)
    yield RECORDS


def _per_core(result: Result, threads: int) -> tuple[str, ...]:
    assert result.work is not None, "only results that tell their work are asked"
    seconds = result.values[OURS] * threads * 1e6
    return (result.name, f"{result.work.rows / seconds:,.1f}", f"{result.work.nbytes / seconds:,.0f}")


SUMMARIES: Mapping[str, Callable[[Records, Path], Iterator[str]]] = {
    "setup": _setup,
    "losses": _losses,
    "curves": _curves,
    "variants": _variants,
    "first-runs": _first_runs,
    "throughput": _throughput,
}


def _by_task(results: Iterable[Result]) -> dict[str, list[Result]]:
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(result.task, []).append(result)
    return found


def _markdown(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [header, ("---",) * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    main()
