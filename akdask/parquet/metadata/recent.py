"""What was found of files lately, so that it need not be found again."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Found = TypeVar("Found")


class Recent(Generic[Key, Found]):
    """Some things by key; those that were not asked for the longest time go first.

    Parameters
    ----------
    most : int
        How many are kept.

    Examples
    --------
    >>> recent = Recent(2)
    >>> for key in "abc":
    ...     recent.add(key, key.upper())
    >>> recent.get("a"), recent.get("c")
    (None, 'C')
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[Key, Found] = OrderedDict()
        self._lock = Lock()
        os.register_at_fork(after_in_child=self._start_anew)

    def _start_anew(self) -> None:
        """Leave the lock that a thread may hold which a forked process does not have of its parent."""
        self._lock = Lock()

    def __contains__(self, key: object) -> bool:
        return key in self._found

    def get(self, key: Key) -> Found | None:
        """Return what was found under a key, None if that is not known any more."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
            return self._found.get(key)

    def add(self, key: Key, found: Found) -> None:
        """Keep what was found."""
        with self._lock:
            self._found[key] = found
            while len(self._found) > self._most:
                self._found.popitem(last=False)
