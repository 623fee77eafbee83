"""Partition lengths that were counted once, kept for every later question about the same rows."""

from __future__ import annotations

import os
from collections import OrderedDict
from threading import Lock

from akdask.schema import RowSpace

_LIMIT = 10_000
_known: OrderedDict[str, tuple[int, ...]] = OrderedDict()
_lock = Lock()


def _start_anew() -> None:
    """Leave the lock that a thread may hold which a forked process does not have of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = Lock()


os.register_at_fork(after_in_child=_start_anew)


def uncounted_rows(row_token: str, npartitions: int, total: int | None = None) -> RowSpace:
    """Return rows of a number that nobody knows when a plan is written, with lengths once they have been counted."""
    return RowSpace(row_token, npartitions, known_lengths(row_token), total)


def known_lengths(row_token: str) -> tuple[int, ...] | None:
    """Return the lengths of the rows of that name, None if nobody has counted them."""
    return _known.get(row_token)


def remember_lengths(row_token: str, lengths: tuple[int, ...]) -> None:
    """Keep the outcome of a count."""
    with _lock:
        _known[row_token] = lengths
        while len(_known) > _LIMIT:
            _known.popitem(last=False)
