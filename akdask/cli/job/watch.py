"""Looking at a job once a second: how far it is, and how much memory it has, for the report."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Thread
from time import perf_counter
from types import TracebackType
from typing import NamedTuple, Self

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
        """Take a sample; a scheduler that does not answer is left alone, as the script will hear of it."""
        try:
            self.figures = found = self._read()
        except Exception:  # whatever Dask raises: to look must not end the job
            return
        now = perf_counter() - self._begun
        self.samples.append(Sample(now, found.memory, found.done, found.workers))
