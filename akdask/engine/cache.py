"""The cache of results that tasks of this process have computed and later tasks reuse.

A GroupBy holds a `CacheLease` on its groupings. A plan holds leases on its groups and on each column that it
materializes. While a lease exists, its results are cached, up to ``cache_size`` bytes in all. The least recently used
results are dropped first, and computed again when they are needed.
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
"""The name of a lease, and the key of one of its results."""

SHARE = 8
"""The divisor of this machine's memory that bounds the cache by default."""

Found = TypeVar("Found", bound="CachedResult")


class CachedResult(Protocol):
    """A result that can be cached."""

    @property
    def nbytes(self) -> int:
        """Bytes of memory that it takes."""
        ...


_cached: OrderedDict[Key, CachedResult] = OrderedDict()
_by_name: dict[Hashable, set[Key]] = {}
_sizes: dict[Key, int] = {}
_used = 0
# Garbage collection may drop a lease in a thread that holds the lock.
_lock = RLock()


def _start_anew() -> None:
    """Replace the lock in a forked process; a thread that it lacks may hold the old one."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = RLock()


os.register_at_fork(after_in_child=_start_anew)


class CacheLease:
    """Keeps results in the cache; they are dropped with the last lease of their name.

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
    """Return the lease of a name; the caller keeps a reference for as long as it needs the results."""
    with _lock:
        found = _leases.get(name)
        if found is None:
            found = _leases[name] = CacheLease(name)
            finalize(found, _forget, name)
        return found


def is_leased(name: str) -> bool:
    """Whether a lease of this name exists in this process."""
    return name in _leases


def find(key: Key | None) -> CachedResult | None:
    """Return a cached result, None if there is none."""
    with _lock:
        if key is None or key not in _cached:
            return None
        _cached.move_to_end(key)
        return _cached[key]


def put(key: Key | None, result: Found) -> Found:
    """Cache a result if its lease still exists, and return it."""
    if key is not None:
        with _lock:
            if is_leased(str(key[0])):
                _add(key, result)
                limit = _limit()
                while _used > limit:
                    _drop(next(iter(_cached)))
    return result


def _add(key: Key, result: CachedResult) -> None:
    global _used  # noqa: PLW0603 - there is one cache for the process
    if key in _cached:
        _drop(key)
    _cached[key], _sizes[key] = result, result.nbytes
    _by_name.setdefault(key[0], set()).add(key)
    _used += _sizes[key]


def _drop(key: Key) -> None:
    global _used  # noqa: PLW0603 - there is one cache for the process
    del _cached[key]
    _by_name[key[0]].discard(key)
    _used -= _sizes.pop(key)


def sizes() -> dict[Hashable, int]:
    """Return the bytes of all cached results, by the names of their leases."""
    with _lock:
        return {name: sum(_sizes[key] for key in keys) for name, keys in _by_name.items()}


def clear() -> None:
    """Drop all results; they are found again where they are needed."""
    with _lock:
        for key in [*_cached]:
            _drop(key)


def _limit() -> int:
    limit = config.get("cache_size")
    return machine.memory() // SHARE if limit is None else int(limit)


def _forget(name: str) -> None:
    with _lock:
        if name not in _leases:
            for key in [*_by_name.get(name, ())]:
                _drop(key)
            _by_name.pop(name, None)
