"""The grouping cache: groupings that a later aggregation of the same groups need not find again.

A GroupBy holds a `CacheLease`.  While a lease is held, groupings that tasks of this process find are cached, up to the
setting ``kept_groups`` of bytes in all; the least recently used are dropped first.  Tasks that find nothing there sort.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import RLock
from typing import Protocol, TypeVar
from weakref import WeakValueDictionary, finalize

from akdask import config

Key = tuple[Hashable, ...]
"""The name of the wish, and which of the groupings that are found for it."""

Found = TypeVar("Found", bound="CachedGrouping")


class CachedGrouping(Protocol):
    """What is kept."""

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        ...


_kept: OrderedDict[Key, CachedGrouping] = OrderedDict()
# Wishes may be dropped, when garbage is collected, by a thread that holds the lock.
_lock = RLock()


def _start_anew() -> None:
    """Leave the lock that a thread may hold which a forked process does not have of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = RLock()


os.register_at_fork(after_in_child=_start_anew)


class CacheLease:
    """That groupings be kept; without the last of a name, they go.

    Parameters
    ----------
    name : str
        Names rows and keys.
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


def find(key: Key | None) -> CachedGrouping | None:
    """Return what is kept, None if nothing is."""
    with _lock:
        if key is None or key not in _kept:
            return None
        _kept.move_to_end(key)
        return _kept[key]


def put(key: Key | None, grouping: Found) -> Found:
    """Keep a grouping if it is still wished for, and return it."""
    if key is not None:
        with _lock:
            if is_leased(str(key[0])):
                _kept[key] = grouping
                _make_room()
    return grouping


def _make_room() -> None:
    used = sum(grouping.nbytes for grouping in _kept.values())
    limit = int(config.get("kept_groups"))
    while used > limit:
        _, oldest = _kept.popitem(last=False)
        used -= oldest.nbytes


def _forget(name: str) -> None:
    with _lock:
        if name not in _leases:
            for key in [key for key in _kept if key[0] == name]:
                del _kept[key]
