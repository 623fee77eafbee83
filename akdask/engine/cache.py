"""The cache of results that tasks of this process have computed and later tasks reuse.

A GroupBy holds a `CacheLease` on its groupings. A plan holds leases on its groups and on each column that it
materializes. While a lease exists, its results are cached, up to ``cache_size`` bytes in all. The least recently used
results are dropped first, and computed again when they are needed.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary, finalize

from akdask import config, machine
from akdask.caches import Cache

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


def _limit() -> int:
    limit = config.get("cache_size")
    return machine.memory() // SHARE if limit is None else int(limit)


def _nbytes(result: CachedResult) -> int:
    return result.nbytes


_cached: Cache[Key, CachedResult] = Cache("columns and groups for later steps", nbytes=_limit, size=_nbytes)


class CacheLease:
    """Keeps results in the cache; they are dropped with the last lease of their name.

    Parameters
    ----------
    name : str
        Names the results.
    """

    __slots__ = ("__weakref__", "keys", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.keys: set[Key] = set()


_leases: WeakValueDictionary[str, CacheLease] = WeakValueDictionary()


def lease(name: str) -> CacheLease:
    """Return the lease of a name; the caller keeps a reference for as long as it needs the results."""
    with _cached.lock:
        found = _leases.get(name)
        if found is None:
            found = _leases[name] = CacheLease(name)
            finalize(found, _forget, name, found.keys)
        return found


def is_leased(name: str) -> bool:
    """Whether a lease of this name exists in this process."""
    return name in _leases


def find(key: Key | None) -> CachedResult | None:
    """Return a cached result, None if there is none."""
    return None if key is None else _cached.get(key)


def put(key: Key | None, result: Found) -> Found:
    """Cache a result if its lease still exists, and return it."""
    if key is not None:
        with _cached.lock:
            holder = _leases.get(str(key[0]))
            if holder is not None:
                holder.keys.add(key)
                _cached.put(key, result)
    return result


def sizes() -> dict[str, int]:
    """Return the bytes of all cached results, by the names of their leases."""
    return {name: _cached.size_of(holder.keys) for name, holder in list(_leases.items())}


def _forget(name: str, keys: set[Key]) -> None:
    with _cached.lock:
        successor = _leases.get(name)
        if successor is not None:
            successor.keys |= keys
            return
        for key in keys:
            _cached.pop(key)
