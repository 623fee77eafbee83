"""Who is told of the tasks of a computation as they begin and end: deadlines, progress, profiles.

An observer is a callback of Dask's.  Those that are registered with Dask are told as well.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from contextvars import ContextVar
from time import perf_counter
from typing import Any

from dask.callbacks import Callback

_active: ContextVar[tuple[Callback, ...]] = ContextVar("observers", default=())


@contextmanager
def observed_by(observer: Callback) -> Iterator[None]:
    """Have an observer told of what this thread computes inside."""
    restore = _active.set((*_active.get(), observer))
    try:
        yield
    finally:
        _active.reset(restore)


_surrounding: list[Callable[[], AbstractContextManager[None]]] = []


def surround(context: Callable[[], AbstractContextManager[None]]) -> None:
    """Have all computations done inside a context from now on."""
    _surrounding.append(context)


@contextmanager
def surrounded() -> Iterator[None]:
    """Enter the contexts that computations are done in."""
    with ExitStack() as stack:
        for context in _surrounding:
            stack.enter_context(context())
        yield


def callbacks() -> list[tuple[Any, ...]] | None:
    """Return the callbacks of a computation that begins now; None where those of Dask will do."""
    observers = _active.get()
    return [*Callback.active, *(observer._callback for observer in observers)] if observers else None


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Give what this thread computes inside some seconds, after which it ends as soon as one of its tasks does.

    A cluster computes for as long as it takes.

    Raises
    ------
    OutOfTime
        If it takes longer; what was found until then is lost.
    """
    with observed_by(_Deadline(seconds)):
        yield


_seconds: ContextVar[dict[Hashable, float] | None] = ContextVar("seconds", default=None)


class _Recorder(Callback):
    """Records how long tasks take: with threads of ours, from where each begins; else from where it is handed out."""

    def __init__(self) -> None:
        self.seconds: dict[Hashable, float] = {}
        self._begun: dict[Hashable, float] = {}

    def _pretask(self, key: Hashable, dsk: Any, state: Any) -> None:
        self._begun[key] = perf_counter()

    def _posttask(self, key: Hashable, result: Any, dsk: Any, state: Any, worker_id: Any) -> None:
        self.seconds.setdefault(key, perf_counter() - self._begun[key])


@contextmanager
def recorded() -> Iterator[Mapping[Hashable, float]]:
    """Record how long each task takes that this thread has computed inside; yields seconds by the keys of tasks."""
    recorder = _Recorder()
    restore = _seconds.set(recorder.seconds)
    try:
        with observed_by(recorder):
            yield recorder.seconds
    finally:
        _seconds.reset(restore)


def recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what runs some tasks for Dask, recording how long it takes if that is wanted."""
    seconds = _seconds.get()
    if seconds is None:
        return function

    def timed(tasks: Sequence[tuple[Any, ...]]) -> Any:
        start = perf_counter()
        try:
            return function(tasks)
        finally:
            seconds[tasks[0][0]] = perf_counter() - start

    return timed


class OutOfTime(Exception):  # no error: what nobody asked for is left
    """What a computation was given a time for takes longer."""


class _Deadline(Callback):
    def __init__(self, seconds: float) -> None:
        self._end = perf_counter() + seconds

    def _posttask(self, key: Any, result: Any, dsk: Any, state: Mapping[str, Any], worker_id: Any) -> None:
        if perf_counter() > self._end and (state["waiting"] or state["ready"] or state["running"]):
            raise OutOfTime
