"""``akdask run``: run a script as a job, with its own cluster, a report, logs, and the exit code of the script."""

from __future__ import annotations

import argparse
import builtins
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from io import open_code
from pathlib import Path
from threading import current_thread, main_thread
from time import perf_counter
from types import FrameType, ModuleType, TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import dask
from dask.utils import parse_bytes

import akdask as ak
from akdask import cluster
from akdask.cli import clusters
from akdask.cli import report as folder
from akdask.cli.console import counted, duration, size
from akdask.cli.report import Figures, JobReport, ThreadFigures, Watch
from akdask.errors import AkdaskError, MissingFileError

if TYPE_CHECKING:
    from akdask.cluster import Client

PACKAGE = Path(ak.__file__).parent

DESCRIPTION = """Run a Python script as a job: start or join a cluster, make it the one that akdask computes on, show
how far the script is, and leave a folder with a report, logs and what it printed.  The script needs no line about
clusters.  Options may stand before or behind the script; all else behind it is the script's, and so is everything
behind --.  The exit code is the script's: 1 after an error, 130 after Ctrl-C, 143 after SIGTERM; it is 2 if the job
cannot begin."""

WHERE = """threads of this process (the default), local for processes of this machine, the address of a scheduler
(tcp://host:port) or the .json file that it has written, slurm, pbs, lsf, sge, oar, moab or htcondor for jobs of a
batch system, k8s for Kubernetes, gateway for Dask Gateway, or mpi within mpirun"""


def register(commands: Any) -> None:
    """Add the subcommand to the parser."""
    parser = commands.add_parser(
        "run", help="run a script on a cluster of its own, with a report", description=DESCRIPTION, allow_abbrev=False
    )
    _add_options(parser)
    parser.add_argument("script", type=Path, metavar="SCRIPT", help="a Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="...", help="what the script finds in sys.argv")
    parser.set_defaults(run=run)


def _add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that may precede or follow the script; without defaults, so that the first one holds."""
    options: list[tuple[str, dict[str, Any]]] = [
        ("--cluster", {"metavar": "WHERE", "help": " ".join(WHERE.split())}),
        (
            "--workers",
            {"type": _workers, "metavar": "N", "help": "how many, or MIN:MAX for as many as there is work for"},
        ),
        ("--memory", {"type": _bytes, "metavar": "SIZE", "help": "of each worker, such as 16GB"}),
        ("--threads", {"type": _threads, "metavar": "N", "help": "of each worker, or of this process"}),
        (
            "--option",
            {
                "action": "append",
                "metavar": "NAME=VALUE",
                "help": "further argument of what starts the cluster, such as queue=short; may be repeated",
            },
        ),
        ("--folder", {"type": Path, "metavar": "DIR", "help": "for report and logs (default: ./SCRIPT.run-TIME)"}),
        ("--no-report", {"action": "store_true", "help": "leave no folder"}),
        ("--arkouda", {"action": "store_true", "help": "have `import arkouda` mean akdask"}),
        ("--dry-run", {"action": "store_true", "help": "print what would be started: the job script of a worker"}),
    ]
    for name, arguments in options:
        parser.add_argument(name, default=argparse.SUPPRESS, **arguments)


def _workers(text: str) -> tuple[int, int]:
    try:
        return clusters.worker_range(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number from 1 nor MIN:MAX") from None


def _bytes(text: str) -> int:
    try:
        return int(parse_bytes(text))
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of bytes such as 16GB") from None


def _threads(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number from 1")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the job; return the exit code of the script."""
    given, arguments = _split(options)
    path: Path = given.script
    if not path.is_file():
        raise MissingFileError(f"there is no script {str(path)!r}.")
    request = _request(given)
    clusters.check(request)
    if getattr(given, "dry_run", False):
        print(clusters.described(request))
        return 0
    if getattr(given, "arkouda", False):
        ak.install_as_arkouda()
    has_report = not getattr(given, "no_report", False)
    with ended_by_sigterm():
        try:
            return Job(path, arguments, request, getattr(given, "folder", None)).run(has_report=has_report)
        except Terminated as ended:
            # While the cluster was started, or stopped.
            return int(str(ended.code))


def _split(options: argparse.Namespace) -> tuple[argparse.Namespace, list[str]]:
    """Return all options, also after the script, and the arguments of the script."""
    behind = list(options.arguments)
    cut = behind.index("--") if "--" in behind else len(behind)
    parser = argparse.ArgumentParser(prog="akdask run", add_help=False, allow_abbrev=False)
    _add_options(parser)
    found, arguments = parser.parse_known_args(behind[:cut], options)
    return found, [*arguments, *behind[cut + 1 :]]


def _request(given: argparse.Namespace) -> clusters.Request:
    workers, memory = getattr(given, "workers", None), getattr(given, "memory", None)
    where = getattr(given, "cluster", None) or ("local" if workers or memory else clusters.THREADS)
    return clusters.Request(
        where, workers, memory, getattr(given, "threads", None), clusters.options_of(getattr(given, "option", []))
    )


class Outcome(NamedTuple):
    """How a script ended."""

    code: int
    """Its exit code: the script's argument of `sys.exit`, 1 for an error, 130 for Ctrl-C, 143 for SIGTERM."""
    message: str = ""
    """Message for the user; empty if the script has printed it."""
    trace: str = ""
    """All of the traceback."""


class Terminated(SystemExit):
    """The job must end at once: a batch system takes back its node."""


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Have SIGTERM end the block by an exception, so that a report is written all the same."""
    if current_thread() is not main_thread():
        yield
        return

    def end(number: int, frame: FrameType | None) -> None:
        raise Terminated(128 + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def run_script(path: Path, arguments: Sequence[str]) -> Outcome:
    """Run a script as if by ``python path arguments…``.

    Parameters
    ----------
    path : Path
        The script.
    arguments : sequence of str
        Arguments in `sys.argv`.
    """
    try:
        with _as_main(path, arguments) as module, open_code(str(path)) as file:
            code = compile(file.read(), str(path), "exec")
            exec(code, vars(module))
    except KeyboardInterrupt:
        return Outcome(130, "akdask: interrupted", traceback.format_exc())
    except Terminated as ended:
        return Outcome(_exit_code(ended), "akdask: terminated", traceback.format_exc())
    except SystemExit as ended:
        said = ended.code if ended.code is not None and not isinstance(ended.code, int) else ""
        return Outcome(_exit_code(ended), str(said))
    except AkdaskError as error:
        return Outcome(1, _error_at_place(error, path), traceback.format_exc())
    except BaseException as error:
        # As Python prints it, without the frames between Python and the script.
        own = _from_script(error.__traceback__, path)
        return Outcome(1, "".join(traceback.format_exception(type(error), error, own)), traceback.format_exc())
    finally:
        _flush()
    return Outcome(0)


@contextmanager
def _as_main(path: Path, arguments: Sequence[str]) -> Iterator[ModuleType]:
    """Give a script the environment of a Python main program: its arguments, its import folder, and ``__main__``.

    Workers that Dask starts while the script runs import the main module of their parent.  They are given akdask's,
    which they do not run: a script without ``if __name__ == "__main__"`` would run again in each.
    """
    module = ModuleType("__main__")
    module.__file__, module.__spec__ = str(path), ModuleSpec("akdask.__main__", None)
    vars(module)["__builtins__"] = builtins
    argv, main, folder = sys.argv, sys.modules["__main__"], str(path.resolve().parent)
    sys.argv, sys.modules["__main__"] = [str(path), *arguments], module
    sys.path.insert(0, folder)
    try:
        yield module
    finally:
        sys.argv, sys.modules["__main__"] = argv, main
        if folder in sys.path:
            sys.path.remove(folder)


def _exit_code(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    # The system keeps the last eight bits.
    return ended.code & 255 if isinstance(ended.code, int) else 1


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()


def _error_at_place(error: AkdaskError, path: Path) -> str:
    """Return an error with its place in the user's code, the useful part of a traceback."""
    place = _place(error.__traceback__, path)
    return f"akdask: {place}{type(error).__name__}: {error}"


def _place(trace: TracebackType | None, script: Path) -> str:
    """Return the innermost line that is the user's: of the script, or of a module beside it or below."""
    folder, found = script.resolve().parent, None
    for frame in traceback.extract_tb(trace):
        path = Path(frame.filename)
        if path == script or (path.is_relative_to(folder) and not _is_foreign(path)):
            found = frame
    if found is None:
        return ""
    where = "" if found.name == "<module>" else f", in {found.name}"
    line = f"    {found.line}\n" if found.line else ""
    return f"{found.filename}, line {found.lineno}{where}:\n{line}"


def _is_foreign(path: Path) -> bool:
    return path.is_relative_to(PACKAGE) or "site-packages" in path.parts or path.is_relative_to(sys.base_prefix)


def _from_script(trace: TracebackType | None, script: Path) -> Any:
    """Return a traceback from the first line of the script on, or all of it if it has none."""
    found = trace
    while found is not None and found.tb_frame.f_code.co_filename != str(script):
        found = found.tb_next
    return found or None


def _is_news(record: logging.LogRecord) -> bool:
    """Whether a record of asyncio is more than its complaint that nobody awaits Dask's futures after Ctrl-C."""
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
        The folder for its files.
    """

    def __init__(self, path: Path, arguments: Sequence[str], request: clusters.Request, chosen: Path | None) -> None:
        self.path, self.arguments, self.request, self.chosen = path, arguments, request, chosen
        self.began = datetime.now().astimezone()
        self.notes: list[str] = []
        self.facts: dict[str, Any] = {}

    def run(self, *, has_report: bool) -> int:
        """Run the job; return the exit code of the script."""
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
        """Return the request; workers of batch systems, which start by themselves, log into the folder as well."""
        if place is None or self.request.where not in clusters.BATCH_SYSTEMS:
            return self.request
        logs = place.resolve() / folder.WORKERS
        logs.mkdir(exist_ok=True)
        return replace(self.request, logs=logs)

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
        """Have Dask write its report of the block, where it can."""
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
        """Note failures to collect information, as the cluster may be gone: the script's own end counts."""
        try:
            yield
        except Exception as error:
            self.notes.append(f"There are no {what}, or not all of it: {type(error).__name__}: {error}")

    def _leave(self, place: Path, outcome: Outcome, watch: Watch, seconds: float) -> None:
        """Write the files of the job, and print their paths."""
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
    """Add up the figures of tasks, and yield a function that returns the sums."""
    if client is None:
        with ThreadFigures() as threads:
            yield lambda: Figures(dict(threads.steps), cluster.memory_in_use())
        return
    from akdask.cli.scheduler_figures import ClusterFigures

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
