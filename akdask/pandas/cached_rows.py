"""Rows that were computed for pandas and stay in memory, so that the next cell does not compute them again.

All of them together have a limit, and `akdask.memory` counts them; those that were used longest ago go first.
"""

from __future__ import annotations

from itertools import count
from typing import Any
from weakref import ref

from akdask import cluster
from akdask.caches import Cache
from akdask.pandas import tuning
from akdask.records import record


@record
class CachedRows:
    """Rows in memory.

    Parameters
    ----------
    holder : weakref.ref
        The frame or Series that keeps them, beside its plan.
    rows : pandas.DataFrame or pandas.Series
        What was computed.
    nbytes : int
        Memory that they take.
    """

    holder: ref[Any]
    rows: Any
    nbytes: int


def _limit() -> int:
    return cluster.process_memory() // tuning.CACHED_SHARE


def _size(cached: CachedRows) -> int:
    return cached.nbytes


def _release(cached: CachedRows) -> None:
    """Let the frame compute its rows again; it keeps them if they have become its only form."""
    holder = cached.holder()
    if holder is not None and holder._lazy is not None and holder._in_memory is cached.rows:
        object.__setattr__(holder, "_in_memory", None)


_numbers = count()

_cached: Cache[int, CachedRows] = Cache("rows computed for pandas", nbytes=_limit, size=_size, dropped=_release)


def cache(holder: Any, rows: Any) -> None:
    """Keep the computed rows of a frame or Series as long as it lives, or until the limit is reached."""
    number = next(_numbers)
    object.__setattr__(holder, "_in_memory", rows)
    # `memory_usage` makes a Series of the numbers, which takes longer than to have the rows of a small result.
    columns = [rows] if rows.ndim == 1 else [column for _, column in rows.items()]
    nbytes = rows.index.nbytes + sum([column.nbytes for column in columns])
    _cached.put(number, CachedRows(ref(holder, lambda _: _cached.pop(number)), rows, nbytes))
