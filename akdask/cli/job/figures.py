"""What the tasks of a job did: how many of each step, for how long, with how many bytes of results."""

from __future__ import annotations

from collections.abc import Mapping
from threading import Lock
from time import perf_counter
from typing import Any, NamedTuple

from dask.callbacks import Callback
from dask.utils import key_split


class StepFigures(NamedTuple):
    """What the tasks of one step did; times are sums over tasks, so that those of four threads pass four at a time."""

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
    """What is known of a job at some moment."""

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
    """While active, adds up what tasks in threads of this process do.

    Dask tells when a task is submitted and when it has ended.  A thread may have been busy in between, so that a
    task is taken to begin when the one before it on the same thread has ended.
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
                # The first task that was submitted and has not ended stands for what failed.
                name = key_split(next(iter(self._submitted), "task"))
                self.steps[name] = self.steps.get(name, StepFigures()).plus(StepFigures(failed=1))
            self._submitted.clear()
