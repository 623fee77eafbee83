"""The report of a job: a self-contained HTML file, and the same facts as JSON."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from pathlib import Path
from threading import Event, Lock, Thread
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TextIO

from dask.callbacks import Callback
from dask.utils import key_split

from akdask.cli.console import counted, duration, size
from akdask.errors import ArgumentError

if TYPE_CHECKING:
    from akdask.cluster import Client


class StepFigures(NamedTuple):
    """Figures of the tasks of one step; times are sums over tasks, which run concurrently."""

    tasks: int = 0
    seconds: float = 0.0
    """In which they computed."""
    transfer: float = 0.0
    """Seconds in which their inputs came from other workers."""
    nbytes: int = 0
    """Of their results."""
    failed: int = 0

    def plus(self, other: StepFigures) -> StepFigures:
        """Return the sum of both."""
        return StepFigures(
            self.tasks + other.tasks,
            self.seconds + other.seconds,
            self.transfer + other.transfer,
            self.nbytes + other.nbytes,
            self.failed + other.failed,
        )


Steps = Mapping[str, StepFigures]


class Figures(NamedTuple):
    """Figures of a job at some moment."""

    steps: Steps
    memory: int = 0
    """Bytes of memory that this process has, or all workers."""
    workers: int = 0
    lost: int = 0
    """Workers that have gone."""

    @property
    def done(self) -> int:
        """Tasks that are done."""
        return sum(step.tasks for step in self.steps.values())


class ThreadFigures(Callback):  # type: ignore[misc]  # Dask is not typed
    """While active, adds up the figures of tasks in threads of this process.

    Dask reports when a task is submitted and when it has ended.  A thread may have been busy in between, so a task is
    assumed to begin when the task before it on the same thread ended.
    """

    def __init__(self) -> None:
        self.steps: dict[str, StepFigures] = {}
        self._submitted: dict[Any, float] = {}
        self._ended: dict[Any, float] = {}
        self._lock = Lock()
        super().__init__()

    def _pretask(self, key: Any, dsk: Any, state: Any) -> None:
        self._submitted[key] = perf_counter()

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        now = perf_counter()
        with self._lock:
            began = max(self._submitted.pop(key, now), self._ended.get(worker_id, 0.0))
            self._ended[worker_id] = now
            nbytes = getattr(result, "nbytes", 0)
            step = StepFigures(1, max(now - began, 0.0), 0.0, nbytes if isinstance(nbytes, int) else 0)
            name = key_split(key)
            self.steps[name] = self.steps.get(name, StepFigures()).plus(step)

    def _finish(self, dsk: Any, state: Any, errored: bool) -> None:
        with self._lock:
            if errored:
                # The failed task is taken to be the first one that was submitted and did not end.
                name = key_split(next(iter(self._submitted), "task"))
                self.steps[name] = self.steps.get(name, StepFigures()).plus(StepFigures(failed=1))
            self._submitted.clear()


OUTPUT, TRACEBACK, WORKERS, SCHEDULER = "output.log", "traceback.log", "workers", "scheduler.log"
REPORT, FACTS, DASK_REPORT = "report.html", "job.json", "dask-report.html"


def made(chosen: Path | None, script: Path, now: datetime) -> Path:
    """Make the folder of a job: the chosen one, which may hold that of a job before, or one of a new name here.

    Raises
    ------
    ArgumentError
        If it cannot be made.
    """
    folder = chosen or Path(f"{script.stem}.run-{now:%Y%m%d-%H%M%S}")
    try:
        if chosen is None:
            folder = _unused_path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name in (OUTPUT, TRACEBACK, SCHEDULER, REPORT, FACTS, DASK_REPORT):
            (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise ArgumentError(
            f"cannot write to the folder {str(folder)!r}.",
            details=[error.strerror or str(error)],
            hint="name another one with --folder, or do without with --no-report.",
        ) from error
    return folder


def _unused_path(folder: Path) -> Path:
    """Return a name that no job of the same second has."""
    number, found = 1, folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found


class Tee:
    """A stream that copies its text to a file.

    Parameters
    ----------
    stream : text stream
        Receives the text, and has all other attributes.
    copy : text stream
        The file.
    """

    def __init__(self, stream: TextIO, copy: TextIO) -> None:
        self._stream = stream
        self._copy = copy

    def write(self, text: str) -> int:
        """Write text to both."""
        # A line that is overwritten from its left end is progress, which a terminal wipes out.
        if not text.startswith("\r"):
            self._copy.write(text)
        return self._stream.write(text)

    def flush(self) -> None:
        """Flush both."""
        self._copy.flush()
        self._stream.flush()

    def writelines(self, lines: Any) -> None:
        """Write lines to both."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def printed_to(path: Path | None) -> Iterator[None]:
    """Copy the printed output of the block, of both streams, to a file."""
    if path is None:
        yield
        return
    streams = sys.stdout, sys.stderr
    with ExitStack() as stack:
        # Line by line, so that a killed job leaves its output.
        copy = stack.enter_context(path.open("w", encoding="utf-8", errors="replace", buffering=1))
        sys.stdout, sys.stderr = (Tee(stream, copy) for stream in streams)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams


def write_cluster_logs(client: Client, folder: Path) -> None:
    """Write the remembered logs of the scheduler and each worker."""
    (folder / SCHEDULER).write_text(_lines(client.get_scheduler_logs()), encoding="utf-8")
    logs = client.get_worker_logs()
    if logs:
        (folder / WORKERS).mkdir(exist_ok=True)
    for address, lines in logs.items():
        name = re.sub(r"[^\w.-]+", "-", str(address).partition("://")[2])
        (folder / WORKERS / f"{name}.log").write_text(_lines(lines), encoding="utf-8")


def _lines(logs: Any) -> str:
    # Dask returns the last lines first.
    return "".join(f"{text}\n" for _, text in reversed([*logs]))


MOST = 1000
"""Maximum number of samples: beyond it, every second one is dropped."""

SECONDS = 1.0
"""Interval between two samples, at first."""


class Sample(NamedTuple):
    """Observation of a job at some moment."""

    seconds: float
    """Since the job began."""
    memory: int
    done: int
    """Tasks."""
    workers: int


class Watch:
    """While active, samples a job once a second, or less often the longer it takes.

    Parameters
    ----------
    read : callable
        Returns the figures of the job.
    """

    def __init__(self, read: Callable[[], Figures]) -> None:
        self.samples: list[Sample] = []
        self.figures = Figures({})
        self._read = read
        self._begun = perf_counter()
        self._is_over = Event()
        self._thread = Thread(target=self._go_on, name="akdask-watch", daemon=True)

    def __enter__(self) -> Self:
        self.look()
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()
        self.look()

    @property
    def peak(self) -> int:
        """The most memory that was seen."""
        return max((sample.memory for sample in self.samples), default=0)

    def _go_on(self) -> None:
        pause = SECONDS
        while not self._is_over.wait(pause):
            self.look()
            if len(self.samples) > 2 * MOST:
                del self.samples[1::2]
                pause *= 2

    def look(self) -> None:
        """Take a sample; failures of the scheduler are ignored, as the script will meet them."""
        try:
            self.figures = found = self._read()
        except Exception:  # any error of Dask: sampling must not end the job
            return
        now = perf_counter() - self._begun
        self.samples.append(Sample(now, found.memory, found.done, found.workers))


STYLE = """
:root { color-scheme: light dark; --line: #8884; --bar: #4a90d9; --good: #2a7d46; --bad: #b3372c; }
@media (prefers-color-scheme: dark) { :root { --good: #6fce8f; --bad: #ff8a7a; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: .25rem .9rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 12rem; } td.bar div { background: var(--bar); height: .8rem; border-radius: 2px; }
pre { background: #8881; padding: .8rem; overflow-x: auto; }
svg { width: 100%; height: 9rem; } svg path { fill: none; stroke: var(--bar); stroke-width: 1.5; }
svg line { stroke: var(--line); } svg text { fill: currentColor; font-size: 11px; }
"""


@dataclass
class JobReport:
    """The content of a job's report."""

    script: str
    arguments: Sequence[str]
    cluster: str
    began: datetime
    seconds: float
    code: int
    message: str
    steps: Steps
    samples: Sequence[Sample]
    facts: dict[str, Any] = field(default_factory=dict)
    """Further ones, for the table at the top."""
    notes: list[str] = field(default_factory=list)
    """Information that could not be collected, and the reasons."""
    files: list[str] = field(default_factory=list)
    """Names of the job's other files in its folder."""

    def as_json(self) -> dict[str, Any]:
        """Return the facts for programs."""
        return {
            "script": self.script,
            "arguments": [*self.arguments],
            "cluster": self.cluster,
            "began": self.began.isoformat(timespec="seconds"),
            "seconds": round(self.seconds, 3),
            "exit_code": self.code,
            "message": self.message,
            **self.facts,
            "steps": {name: step._asdict() for name, step in self.steps.items()},
            "notes": self.notes,
            "files": self.files,
        }

    def write(self, folder: Path) -> Path:
        """Write both files, and return the path of the page."""
        (folder / FACTS).write_text(json.dumps(self.as_json(), indent=1) + "\n", encoding="utf-8")
        path = folder / REPORT
        path.write_text(self.page(), encoding="utf-8")
        return path

    def page(self) -> str:
        """Return the page."""
        name = escape(Path(self.script).name)
        verdict = "done" if self.code == 0 else f"ended with exit code {self.code}"
        body = [
            f"<h1>{name} <span class='{'bad' if self.code else 'good'}'>{verdict}</span></h1>",
            _facts(self._key_facts()),
            *([f"<h2>Message</h2><pre>{escape(self.message)}</pre>"] if self.message else []),
            "<h2>Where the time went</h2>",
            _steps(self.steps),
            "<h2>Memory</h2>",
            _chart(self.samples),
            *([f"<h2>Notes</h2>{_list(map(escape, self.notes))}"] if self.notes else []),
            *([f"<h2>Files</h2>{_list(map(_link, self.files))}"] if self.files else []),
        ]
        return (
            "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'>"
            "<meta name='viewport' content='width=device-width, initial-scale=1'>"
            f"<title>{name}: {verdict}</title><style>{STYLE}</style></head>\n<body>\n"
            + "\n".join(body)
            + "\n</body></html>\n"
        )

    def _key_facts(self) -> dict[str, Any]:
        done, busy = sum(step.tasks for step in self.steps.values()), sum(step.seconds for step in self.steps.values())
        return {
            "command": " ".join([self.script, *self.arguments]),
            "began": f"{self.began:%Y-%m-%d %H:%M:%S}",
            "took": f"{duration(self.seconds)}, {done:,} tasks of {duration(busy)} in all",
            "where": self.cluster,
            **{name.replace("_", " "): fact for name, fact in self.facts.items()},
        }


def _facts(facts: dict[str, Any]) -> str:
    rows = "".join(f"<tr><th>{escape(name)}</th><td>{escape(str(fact))}</td></tr>" for name, fact in facts.items())
    return f"<div class='wide'><table>{rows}</table></div>"


def _steps(steps: Steps) -> str:
    """Return a table of steps, the longest first."""
    if not steps:
        return "<p>No tasks of Dask ran, or the scheduler does not tell.</p>"
    longest = max(*(step.seconds for step in steps.values()), 1e-9)
    rows = [
        f"<tr><td>{escape(name)}</td><td class='number'>{step.tasks:,}</td>"
        f"<td class='number'>{duration(step.seconds)}</td>"
        f"<td class='bar'><div style='width:{100 * step.seconds / longest:.1f}%'></div></td>"
        f"<td class='number'>{duration(step.transfer) if step.transfer else ''}</td>"
        f"<td class='number'>{size(step.nbytes) if step.nbytes else ''}</td>"
        f"<td class='number bad'>{step.failed or ''}</td></tr>"
        for name, step in sorted(steps.items(), key=lambda item: -item[1].seconds)
    ]
    heads = (
        "<tr><th>step</th><th class='number'>tasks</th><th class='number'>computed</th><th></th>"
        "<th class='number'>transferred</th><th class='number'>results</th><th class='number'>failed</th></tr>"
    )
    shown = f"<div class='wide'><table>{heads}{''.join(rows)}</table></div>"
    return f"{shown}<p>Times are sums over tasks, of which several ran at once.</p>"


def _chart(samples: Sequence[Sample], width: int = 900, height: int = 120) -> str:
    """Return the memory over time as a drawing."""
    longest = max((sample.seconds for sample in samples), default=0.0) or 1.0
    most = max((sample.memory for sample in samples), default=0)
    if not most:
        return "<p>Nothing was measured.</p>"
    points = " L".join(
        f"{width * sample.seconds / longest:.1f},{height - height * sample.memory / most:.1f}" for sample in samples
    )
    workers = max(sample.workers for sample in samples)
    of = f" of {counted(workers, 'worker')}" if workers else ""
    return (
        f"<svg viewBox='-2 -16 {width + 4} {height + 36}' preserveAspectRatio='none' role='img' "
        f"aria-label='memory over time'><line x1='0' y1='{height}' x2='{width}' y2='{height}'/><path d='M{points}'/>"
        f"</svg><p>At most {size(most)}{of}, in {duration(longest)}.</p>"
    )


def _list(items: Iterable[str]) -> str:
    return f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"


def _link(name: str) -> str:
    said = " (Dask's report: tasks on workers over time)" if name == DASK_REPORT else ""
    return f"<a href='{escape(name)}'>{escape(name)}</a>{said}"
