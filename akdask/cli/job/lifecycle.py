"""The life of a job: a cluster, the script, and what is found out about both while it runs and afterwards."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

import dask

import akdask as ak
from akdask import machine
from akdask.cli.console import duration, size
from akdask.cli.job import clusters, folder
from akdask.cli.job.figures import Figures, ThreadFigures
from akdask.cli.job.report import JobReport
from akdask.cli.job.script import Outcome, run_script
from akdask.cli.job.watch import Watch
from akdask.cli.table import counted

if TYPE_CHECKING:
    from akdask._distributed import Client


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record of asyncio's tells more than that nobody waits for Dask's futures after Ctrl-C."""
    return "AllExit" not in str(record.exc_info or record.getMessage())


class Job:
    """One run of a script.

    Parameters
    ----------
    path : Path
        The script.
    arguments : sequence of str
        Its arguments.
    request : Request
        Where it computes.
    chosen : Path, optional
        The folder for what it leaves.
    """

    def __init__(self, path: Path, arguments: Sequence[str], request: clusters.Request, chosen: Path | None) -> None:
        self.path, self.arguments, self.request, self.chosen = path, arguments, request, chosen
        self.began = datetime.now().astimezone()
        self.notes: list[str] = []
        self.facts: dict[str, Any] = {}

    def run(self, *, has_report: bool) -> int:
        """Run it; returns the exit code of the script."""
        place = None
        with ExitStack() as stack:
            request = self.request
            if request.where in clusters.BATCHED_BY_MPI:
                # Before there is a folder: all ranks but one end here.
                client = stack.enter_context(clusters.opened(request))
                place = folder.made(self.chosen, self.path, self.began) if has_report else None
            else:
                place = folder.made(self.chosen, self.path, self.began) if has_report else None
                client = stack.enter_context(clusters.opened(self._with_logs(place)))
            start = perf_counter()
            self.facts |= _facts(client)
            outcome, watch = self._watched(client, place)
            seconds = perf_counter() - start
            if client is not None and place is not None:
                with self._noted("logs of the cluster"):
                    folder.write_cluster_logs(client, place)
        if place is not None:
            self._leave(place, outcome, watch, seconds)
        return outcome.code

    def _with_logs(self, place: Path | None) -> clusters.Request:
        """Return the request; workers of batch systems, which start alone, write into the folder as well."""
        if place is None or self.request.where not in clusters.BATCH_SYSTEMS:
            return self.request
        logs = place.resolve() / folder.WORKERS
        logs.mkdir(exist_ok=True)
        return clusters.Request(**{**vars(self.request), "logs": logs})

    def _watched(self, client: Client | None, place: Path | None) -> tuple[Outcome, Watch]:
        """Run the script while its tasks are counted."""
        with ExitStack() as stack:
            asyncio = logging.getLogger("asyncio")
            asyncio.addFilter(_is_news)
            stack.callback(asyncio.removeFilter, _is_news)
            read = stack.enter_context(_figures(client))
            watch = stack.enter_context(Watch(read))
            if client is not None and place is not None:
                stack.enter_context(self._dask_report(place / folder.DASK_REPORT))
            with folder.printed_to(None if place is None else place / folder.OUTPUT):
                outcome = run_script(self.path, self.arguments)
                if outcome.message:
                    print(outcome.message.rstrip(), file=sys.stderr)
        return outcome, watch

    @contextmanager
    def _dask_report(self, path: Path) -> Iterator[None]:
        """Have Dask write its report of what happens inside, if it can."""
        if find_spec("bokeh") is None:
            self.notes.append("Dask's own report needs Bokeh: pip install 'akdask[jobs]'.")
            yield
            return
        from distributed import performance_report

        report = performance_report(str(path))
        with ExitStack() as stack:
            with self._noted("Dask's report"):
                stack.enter_context(report)
            try:
                yield
            finally:
                with self._noted("Dask's report"):
                    stack.close()

    @contextmanager
    def _noted(self, what: str) -> Iterator[None]:
        """Note what cannot be found out, as the cluster may be gone: the script's own end counts."""
        try:
            yield
        except Exception as error:
            self.notes.append(f"There are no {what}, or not all of it: {type(error).__name__}: {error}")

    def _leave(self, place: Path, outcome: Outcome, watch: Watch, seconds: float) -> None:
        """Write what the job leaves, and say where."""
        if outcome.trace:
            (place / folder.TRACEBACK).write_text(outcome.trace, encoding="utf-8")
        figures = watch.figures
        if figures.lost:
            self.facts["workers_gone"] = figures.lost
        self.facts |= {"peak_memory": size(watch.peak)}
        files = sorted(
            str(path.relative_to(place)) for path in place.rglob("*") if path.is_file() and path.stat().st_size
        )
        report = JobReport(
            script=str(self.path),
            arguments=self.arguments,
            cluster=clusters.summary(self.request),
            began=self.began,
            seconds=seconds,
            code=outcome.code,
            message=outcome.message,
            steps=figures.steps,
            samples=watch.samples,
            facts=self.facts,
            notes=self.notes,
            files=files,
        )
        verdict = "done" if outcome.code == 0 else f"exit code {outcome.code}"
        print(f"akdask: {verdict} after {duration(seconds)}; report: {report.write(place)}", file=sys.stderr)


@contextmanager
def _figures(client: Client | None) -> Iterator[Callable[[], Figures]]:
    """Have what tasks do added up, and give what returns the sums."""
    if client is None:
        with ThreadFigures() as threads:
            yield lambda: Figures(dict(threads.steps), machine.memory_in_use())
        return
    from akdask.cli.job.scheduler_figures import ClusterFigures

    figures = ClusterFigures(client)
    try:
        yield figures.read
    finally:
        # A scheduler that is gone adds up no more either.
        with suppress(Exception):
            figures.close()


def _facts(client: Client | None) -> dict[str, Any]:
    facts = {
        "versions": f"akdask {ak.__version__}, dask {dask.__version__}, Python {sys.version.split()[0]}",
        "folder": os.getcwd(),
    }
    config = ak.get_config()
    if client is None:
        return {**facts, "machine": f"{config['maxTaskPar']} cores, {size(config['physicalMemory'])}"}
    each = f"{counted(config['maxTaskPar'], 'thread')} and {size(config['physicalMemory'] or 0)}"
    facts["workers"] = f"{config['numLocales']} of {each} at first"
    return {**facts, "scheduler": str(client.scheduler.address), "dashboard": str(client.dashboard_link)}
