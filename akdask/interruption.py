"""Ends the tasks of a computation that was interrupted, or of which one has failed.

Threads cannot be interrupted: their tasks ask now and then whether the computation that they belong to has ended.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from akdask.typing import NumberArray

AT_A_TIME = 2**22
"""Rows, about, after which a loop can be ended."""

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


def interruptible_ranges(ends: Sequence[int] | NumberArray) -> Iterator[tuple[int, int]]:
    """Yield consecutive ranges of items, such that each has about `AT_A_TIME` rows.

    Parameters
    ----------
    ends : sequence of int, or ndarray
        How many rows have been seen when each has been done; a `range` for rows themselves.

    Examples
    --------
    >>> list(interruptible_ranges([2**21, 2**22, 2**23, 2**23 + 5]))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = rows = 0
    while first < len(ends):
        end_if_interrupted()
        stop = max(bisect_right(ends, rows + AT_A_TIME, first), first + 1)
        yield first, stop
        first, rows = stop, int(ends[stop - 1])
