"""The grouping cache: groupings that a later aggregation of the same groups need not find again.

A GroupBy holds a `CacheLease`.  While a lease is held, groupings that tasks of this process find are cached, up to the
setting ``kept_groups`` of bytes in all; the least recently used are dropped first.  Tasks that find nothing there sort.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import RLock
from weakref import WeakValueDictionary, finalize

from akdask import config
from akdask.kernels.group.strategy import KeyGrouping

Key = tuple[Hashable, ...]
"""The name of a lease, and which of the groupings that are found for it."""

_groupings: OrderedDict[Key, KeyGrouping] = OrderedDict()
# Leases may end, when garbage is collected, in a thread that holds the lock.
_lock = RLock()


def _start_anew() -> None:
    """Make a new lock for a forked process: a thread that it does not have may hold that of its parent."""
    global _lock  # noqa: PLW0603 - there is one for the process
    _lock = RLock()


os.register_at_fork(after_in_child=_start_anew)


class CacheLease:
    """A claim to the groupings of a name, which are dropped with the last lease of it.

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
    """Return a lease of a name; groupings are cached for as long as it is referenced."""
    with _lock:
        found = _leases.get(name)
        if found is None:
            found = _leases[name] = CacheLease(name)
            finalize(found, _forget, name)
        return found


def is_leased(name: str) -> bool:
    """Whether there is a lease of a name in this process."""
    return name in _leases


def find(key: Key | None) -> KeyGrouping | None:
    """Return a cached grouping, None if there is none."""
    with _lock:
        if key is None or key not in _groupings:
            return None
        _groupings.move_to_end(key)
        return _groupings[key]


def put(key: Key | None, grouping: KeyGrouping | None) -> None:
    """Cache a grouping, if there is one and still a lease of its name."""
    if key is not None and grouping is not None:
        with _lock:
            if is_leased(str(key[0])):
                _groupings[key] = grouping
                _evict()


def _evict() -> None:
    """Drop the least recently used groupings until the others fit the setting."""
    used = sum(grouping.nbytes for grouping in _groupings.values())
    limit = int(config.get("kept_groups"))
    while used > limit:
        _, oldest = _groupings.popitem(last=False)
        used -= oldest.nbytes


def _forget(name: str) -> None:
    with _lock:
        if name not in _leases:
            for key in [key for key in _groupings if key[0] == name]:
                del _groupings[key]
