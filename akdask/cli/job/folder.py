"""What a job leaves in its folder: what was printed, what scheduler and workers said, the error with its traceback."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from akdask.errors import ArgumentError

if TYPE_CHECKING:
    from akdask._distributed import Client

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
            folder = _not_there(folder)
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


def _not_there(folder: Path) -> Path:
    """Return a name that no job of the same second has."""
    number, found = 1, folder
    while found.exists():
        number += 1
        found = folder.with_name(f"{folder.name}-{number}")
    return found


class Tee:
    """A stream that also writes to a file what is written to it.

    Parameters
    ----------
    stream : text stream
        Where text goes, and what answers for all else.
    copy : text stream
        The file.
    """

    def __init__(self, stream: TextIO, copy: TextIO) -> None:
        self._stream = stream
        self._copy = copy

    def write(self, text: str) -> int:
        """Write text to both."""
        # What begins at the left of its line again is progress, which a terminal wipes out.
        if not text.startswith("\r"):
            self._copy.write(text)
        return self._stream.write(text)

    def flush(self) -> None:
        """Hand on what both have kept."""
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
    """Keep what Python prints inside, to either stream, in a file as well."""
    if path is None:
        yield
        return
    streams = sys.stdout, sys.stderr
    with ExitStack() as stack:
        # Line by line, so that a job that is killed has left what it printed.
        copy = stack.enter_context(path.open("w", encoding="utf-8", errors="replace", buffering=1))
        sys.stdout, sys.stderr = (Tee(stream, copy) for stream in streams)
        try:
            yield
        finally:
            sys.stdout, sys.stderr = streams


def write_cluster_logs(client: Client, folder: Path) -> None:
    """Write what the scheduler and each worker remember of what they logged."""
    (folder / SCHEDULER).write_text(_lines(client.get_scheduler_logs()), encoding="utf-8")
    logs = client.get_worker_logs()
    if logs:
        (folder / WORKERS).mkdir(exist_ok=True)
    for address, lines in logs.items():
        name = re.sub(r"[^\w.-]+", "-", str(address).partition("://")[2])
        (folder / WORKERS / f"{name}.log").write_text(_lines(lines), encoding="utf-8")


def _lines(logs: Any) -> str:
    # Dask tells the last lines first.
    return "".join(f"{text}\n" for _, text in reversed([*logs]))
