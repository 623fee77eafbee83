"""Partition lengths that were counted once, kept for every later question about the same rows."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from akdask.schema import RowSpace

_LIMIT = 10_000
_known: OrderedDict[str, tuple[int, ...]] = OrderedDict()
_lock = Lock()
_counts = [0]


def uncounted_rows(row_token: str, npartitions: int, total: int | None = None) -> RowSpace:
    """Return rows of a number that nobody knows when a plan is written, with lengths once they have been counted."""
    return RowSpace(row_token, npartitions, known_lengths(row_token), total)


def known_lengths(row_token: str) -> tuple[int, ...] | None:
    """Return the lengths of the rows of that name, None if nobody has counted them."""
    return _known.get(row_token)


def number_of_counts() -> int:
    """Return how often lengths have been remembered: as long as it is the same, nothing more is known of any rows."""
    return _counts[0]


def remember_lengths(row_token: str, lengths: tuple[int, ...]) -> None:
    """Keep the outcome of a count."""
    with _lock:
        _known[row_token] = lengths
        _counts[0] += 1
        while len(_known) > _LIMIT:
            _known.popitem(last=False)
