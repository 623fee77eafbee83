"""Caches of this process, and its state that a forked process must not inherit.

Every cache of data or metadata is a `Cache`, or a function with `cached_results`. Each has a name and a limit, and
`akdask.memory` lists it with its bytes. A forked process begins with empty caches: a thread of the parent, which the
new process does not have, may have held a lock or been changing an entry at that moment. What else must begin afresh
there is registered with `after_fork`.
"""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache, wraps
from threading import RLock
from typing import Any, Generic, NamedTuple, ParamSpec, TypeVar, cast
from weakref import WeakSet

Key = TypeVar("Key", bound=Hashable)
Item = TypeVar("Item")
Arguments = ParamSpec("Arguments")

Limit = int | Callable[[], int]
"""The largest number, or a function that returns it whenever an item is added."""


class CacheMemory(NamedTuple):
    """The size of a cache."""

    name: str
    entries: int
    nbytes: int


_caches: WeakSet[Cache[Any, Any] | _CachedResults[Any]] = WeakSet()
_in_child: list[Callable[[], object]] = []


class Cache(Generic[Key, Item]):
    """Items by key, for all threads; the least recently used are dropped first.

    Parameters
    ----------
    name : str
        Names the items in the memory report.
    entries : int or callable, optional
        Largest number of items, or a function that returns it.
    nbytes : int or callable, optional
        Most bytes of all items, or a function that returns it.
    size : callable, default sys.getsizeof
        Returns the bytes of an item.
    at_least : int, default 0
        Number of items that are cached however large they are.
    dropped : callable, optional
        Called with each item that is dropped, by a limit or by `clear`.

    Examples
    --------
    >>> cache = Cache("letters", entries=2)
    >>> for key in "abc":
    ...     _ = cache.put(key, key.upper())
    >>> cache.get("a"), cache.get("c"), len(cache)
    (None, 'C', 2)
    """

    def __init__(
        self,
        name: str,
        *,
        entries: Limit = sys.maxsize,
        nbytes: Limit = sys.maxsize,
        size: Callable[[Item], int] = sys.getsizeof,
        at_least: int = 0,
        dropped: Callable[[Item], object] | None = None,
    ) -> None:
        self.name = name
        self.most_entries, self.most_bytes = entries, nbytes
        self._size, self._at_least, self._dropped = size, at_least, dropped
        self._start()
        _caches.add(self)

    def _start(self) -> None:
        self._items: OrderedDict[Key, tuple[Item, int]] = OrderedDict()
        self._nbytes = 0
        # Dropping an item may free others whose finalizers use the cache in the same thread.
        self.lock = RLock()

    @property
    def nbytes(self) -> int:
        """Bytes of all items."""
        return self._nbytes

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def __iter__(self) -> Iterator[Key]:
        """Iterate over the keys of this moment, the least recently used first."""
        return iter([key for key, _ in self._entries()])

    def values(self) -> list[Item]:
        """Return the items, the least recently used first."""
        return [found for _, (found, _) in self._entries()]

    def _entries(self) -> list[tuple[Key, tuple[Item, int]]]:
        while True:
            try:
                return list(self._items.items())
            except RuntimeError:
                continue  # another thread has moved an item to the end meanwhile

    def get(self, key: Key) -> Item | None:
        """Return the item of a key, None if there is none."""
        # Each step is atomic, and a lock would take as long as both.
        found = self._items.get(key)
        if found is None:
            return None
        try:
            self._items.move_to_end(key)
        except KeyError:
            # Another thread has dropped it.
            return found[0]
        return found[0]

    def put(self, key: Key, item: Item) -> Item:
        """Cache an item, in place of another of the same key, and return it."""
        nbytes = self._size(item)
        with self.lock:
            self.pop(key)
            self._items[key] = item, nbytes
            self._nbytes += nbytes
            most_entries, most_bytes = _number(self.most_entries), _number(self.most_bytes)
            while (len(self._items) > most_entries or self._nbytes > most_bytes) and len(self._items) > self._at_least:
                # In one step, as other threads move items to the end meanwhile.
                _, (oldest, freed) = self._items.popitem(last=False)
                self._nbytes -= freed
                if self._dropped is not None:
                    self._dropped(oldest)
        return item

    def pop(self, key: Key) -> Item | None:
        """Remove the item of a key and return it, None if there is none."""
        with self.lock:
            found = self._items.pop(key, None)
            if found is None:
                return None
            self._nbytes -= found[1]
            return found[0]

    def size_of(self, keys: Iterable[Key]) -> int:
        """Return the bytes of the items of some keys."""
        with self.lock:
            return sum(self._items[key][1] for key in keys if key in self._items)

    def clear(self) -> None:
        """Remove all items."""
        with self.lock:
            self._items, items = OrderedDict(), self._items
            self._nbytes = 0
            if self._dropped is not None:
                for item, _ in items.values():
                    self._dropped(item)

    def reset_in_child(self) -> None:
        """Begin without items in a forked process, and with a new lock."""
        _of_parent.append(self._items)
        self._start()


_of_parent: list[Any] = []
"""Items of the parent of a forked process. Freeing them could wait for a lock that one of its threads held."""


def _number(limit: Limit) -> int:
    return limit() if callable(limit) else limit


class cached_attribute(Generic[Item]):
    """An attribute that a method computes on first use, without a lock, for instances that one thread uses.

    `functools.cached_property` of Python 3.11 holds one lock of the class while it computes, so that threads that
    unpack dictionaries of different columns would wait for each other.

    Parameters
    ----------
    method : callable
        Returns the attribute of an instance.
    """

    def __init__(self, method: Callable[[Any], Item]) -> None:
        self._method, self.__doc__ = method, method.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, instance: Any, owner: type | None = None) -> Item:
        if instance is None:
            return cast("Item", self)
        found = instance.__dict__[self._name] = self._method(instance)
        return found


class _CachedResults(Generic[Item]):
    """The results of a function in the cache of `functools`, whose calls take a tenth of the time of a `Cache`."""

    def __init__(self, name: str, function: Callable[..., Item], entries: int, size: Callable[[Item], int]) -> None:
        self.name = name
        self._computed = self._computed_bytes = 0

        @wraps(function)
        def measured(*args: Any, **kwargs: Any) -> Item:
            found = function(*args, **kwargs)
            self._computed += 1
            self._computed_bytes += size(found)
            return found

        self.function = lru_cache(entries)(measured)

    @property
    def nbytes(self) -> int:
        """Bytes of the results, if those that were dropped had the same average size."""
        return len(self) * self._computed_bytes // max(self._computed, 1)

    def __len__(self) -> int:
        return self.function.cache_info().currsize

    def clear(self) -> None:
        self.function.cache_clear()
        self._computed = self._computed_bytes = 0

    def reset_in_child(self) -> None:
        # Arguments and results are plain data, and the cache of `functools` has no lock.
        self.clear()


def cached_results(
    name: str, entries: int, size: Callable[[Any], int] = sys.getsizeof
) -> Callable[[Callable[Arguments, Item]], Callable[Arguments, Item]]:
    """Return a decorator that caches the results of a function by its arguments, the most recently used ones.

    Parameters
    ----------
    name : str
        Names the results in the memory report.
    entries : int
        Largest number of results.
    size : callable, default sys.getsizeof
        Returns the bytes of a result.

    Examples
    --------
    >>> @cached_results("squares", 2)
    ... def square(number: int) -> int:
    ...     return number**2
    >>> square(3)
    9
    """

    def decorate(function: Callable[Arguments, Item]) -> Callable[Arguments, Item]:
        found = _CachedResults(name, function, entries, size)
        # The function keeps the cache, and with it the entry of the report.
        found.function.of = found  # type: ignore[attr-defined]
        _caches.add(found)
        return cast("Callable[Arguments, Item]", found.function)

    return decorate


def caches() -> list[CacheMemory]:
    """Return the sizes of all caches that have items, the largest first."""
    found = [CacheMemory(cache.name, len(cache), cache.nbytes) for cache in list(_caches) if len(cache)]
    return sorted(found, key=lambda cache: (-cache.nbytes, cache.name))


def clear_caches() -> None:
    """Empty all caches; their items are found or computed again when they are needed."""
    for cache in list(_caches):
        cache.clear()


def after_fork(function: Callable[[], object]) -> None:
    """Call a function in each process that is forked from this one, after its caches were emptied."""
    _in_child.append(function)


def _reset_in_child() -> None:
    for cache in list(_caches):
        cache.reset_in_child()
    for function in _in_child:
        function()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_in_child)
