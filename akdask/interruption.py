"""Ends the tasks of a computation that was interrupted, or of which one has failed.

Threads cannot be interrupted: their tasks ask now and then whether the computation that they belong to has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event

_ended: ContextVar[Event | None] = ContextVar("akdask-ended", default=None)


@contextmanager
def interruptible() -> Iterator[None]:
    """End the tasks of a computation if it raises; they are run with the variables of this context."""
    ended = Event()
    before = _ended.set(ended)
    try:
        yield
    except BaseException:
        ended.set()
        raise
    finally:
        _ended.reset(before)


def end_if_interrupted() -> None:
    """End the task that calls this if its computation has ended: loops do so between pieces of some milliseconds.

    Raises
    ------
    KeyboardInterrupt
        Which no task takes for a failure of its own; nobody waits for its result any more.
    """
    ended = _ended.get()
    if ended is not None and ended.is_set():
        raise KeyboardInterrupt("the computation of this task has ended.")
