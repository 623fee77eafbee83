"""The cache of results: what tasks of this process have found and later tasks need not find again.

A GroupBy holds a `CacheLease` on its groupings, a plan one on each column that it keeps in memory.  While a lease is
held, its results are cached, up to the setting ``cache_size`` of bytes in all; the least recently used are dropped
first.  What is not there is found again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import RLock
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary, finalize

from akdask import config, machine

Key = tuple[Hashable, ...]
"""The name of the wish, and which of the results that are found for it."""

SHARE = 8
"""The part of this machine's memory that results may take unless a setting says how much."""

Found = TypeVar("Found", bound="CachedResult")


class CachedResult(Protocol):
    """What is kept."""

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        ...


_kept: OrderedDict[Key, CachedResult] = OrderedDict()
_sizes: dict[Key, int] = {}
_used = 0
# Wishes may be dropped, when garbage is collected, by a thread that holds the lock.
_lock = RLock()


def _start_anew() -> None:
    """Leave the lock that a thread may hold which a forked process does not have of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = RLock()


os.register_at_fork(after_in_child=_start_anew)


class CacheLease:
    """That results be kept; without the last of a name, they go.

    Parameters
    ----------
    name : str
        Names the results.
    """

    __slots__ = ("__weakref__", "name")

    def __init__(self, name: str) -> None:
        self.name = name


_leases: WeakValueDictionary[str, CacheLease] = WeakValueDictionary()


def lease(name: str) -> CacheLease:
    """Return the wish of a name, to be held."""
    with _lock:
        found = _leases.get(name)
        if found is None:
            found = _leases[name] = CacheLease(name)
            finalize(found, _forget, name)
        return found


def is_leased(name: str) -> bool:
    """Whether somebody in this process holds the wish of a name."""
    return name in _leases


def find(key: Key | None) -> CachedResult | None:
    """Return what is kept, None if nothing is."""
    with _lock:
        if key is None or key not in _kept:
            return None
        _kept.move_to_end(key)
        return _kept[key]


def put(key: Key | None, result: Found) -> Found:
    """Keep a result if it is still wished for, and return it."""
    if key is not None:
        with _lock:
            if is_leased(str(key[0])):
                _add(key, result)
                limit = _limit()
                while _used > limit:
                    _drop(next(iter(_kept)))
    return result


def _add(key: Key, result: CachedResult) -> None:
    global _used  # noqa: PLW0603 - there is one cache for the process
    if key in _kept:
        _drop(key)
    _kept[key], _sizes[key] = result, result.nbytes
    _used += _sizes[key]


def _drop(key: Key) -> None:
    global _used  # noqa: PLW0603 - there is one cache for the process
    del _kept[key]
    _used -= _sizes.pop(key)


def _limit() -> int:
    limit = config.get("cache_size")
    return machine.memory() // SHARE if limit is None else int(limit)


def _forget(name: str) -> None:
    with _lock:
        if name not in _leases:
            for key in [key for key in _kept if key[0] == name]:
                _drop(key)
