"""Looking at a job once a second: how far it is, for the terminal, and how much memory it has, for the report."""

from __future__ import annotations

from collections.abc import Callable
from shutil import get_terminal_size
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import NamedTuple, Self, TextIO

from akdask.cli.console import progress_bar
from akdask.cli.job.figures import Figures

MOST = 1000
"""Samples: of twice as many, every second one is forgotten."""

SECONDS = 1.0
"""Between two looks, at first."""


class Sample(NamedTuple):
    """What was seen at some moment."""

    seconds: float
    """Since the job began."""
    memory: int
    done: int
    """Tasks."""
    workers: int


class Watch:
    """While active, looks at a job once a second, or less often the longer it takes.

    Parameters
    ----------
    read : callable
        Returns the figures of the job.
    terminal : text stream, optional
        Where to show how far the job is.
    """

    def __init__(self, read: Callable[[], Figures], terminal: TextIO | None = None) -> None:
        self.samples: list[Sample] = []
        self.figures = Figures({})
        self._read = read
        self._terminal = terminal
        self._begun = perf_counter()
        self._shown = 0
        self._round: tuple[float, int] | None = None
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
        self._show("")

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
        """Take a sample; a scheduler that does not answer is left alone, as the script will hear of it."""
        try:
            self.figures = found = self._read()
        except Exception:  # whatever Dask raises: to look must not end the job
            return
        now = perf_counter() - self._begun
        self.samples.append(Sample(now, found.memory, found.done, found.workers))
        if self._terminal is not None:
            self._show_progress(now, found)

    def _show_progress(self, now: float, found: Figures) -> None:
        """Show how much is done of what was begun when there was nothing else to do."""
        if not found.left:
            self._round = None
            self._show("")
            return
        begun, before = self._round = self._round or (now, found.done)
        done = found.done - before
        self._show(progress_bar(done, done + found.left, now - begun, get_terminal_size().columns))

    def _show(self, line: str) -> None:
        if self._terminal is not None and (line or self._shown):
            print(f"\r{line.ljust(self._shown)}{'' if line else chr(13)}", end="", file=self._terminal, flush=True)
            self._shown = len(line)
