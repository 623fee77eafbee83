"""Lazy forms of methods of groups, windows and accessors that the lazy ones lack, or have with another meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from akdask.frames.display import Row
from akdask.frames.indexing import FrameILocIndexer, ILocIndexer
from akdask.frames.series import Series
from akdask.pandas.refusals import NotLazyError


def chosen(indexer: Any, key: Any) -> Any:
    """Return what an indexer chooses; pandas knows the type of the values of one row."""
    found = indexer[key]
    if isinstance(found, Row):
        by_position = isinstance(indexer, FrameILocIndexer)
        rows = indexer[key : key + 1 or None] if by_position else indexer[[key]]
        return rows.to_pandas().iloc[0]
    if isinstance(found, Series) and isinstance(key, int) and isinstance(indexer, ILocIndexer):
        return found.to_pandas().iloc[0]
    return found


INDEXERS: Mapping[str, Callable[..., Any]] = {"__getitem__": chosen}


# text


def contains(text: Any, pat: Any, case: bool = True, flags: int = 0, na: Any = None, regex: bool = True) -> Any:
    if flags or not isinstance(pat, str) or na not in (None, False):
        raise NotLazyError("flags, and values for missing text other than False, have no lazy form")
    return text.contains(pat, regex=regex, case=case)


def changed(name: str) -> Callable[..., Any]:
    def change(text: Any) -> Any:
        return getattr(text, name)()

    return change


def split(text: Any, pat: Any = None, n: int = -1, expand: bool = False, regex: Any = None) -> Any:
    raise NotLazyError("lists of text are objects in pandas")


def replace(
    text: Any, pat: Any, repl: Any = None, n: int = -1, case: Any = None, flags: int = 0, regex: bool = False
) -> Any:
    if isinstance(pat, dict) or callable(repl) or flags or case is not None:
        raise NotLazyError("functions, several patterns and flags have no lazy form")
    return text.replace(pat, repl, n, regex=regex)


TEXT: Mapping[str, Callable[..., Any]] = {
    "contains": contains,
    "replace": replace,
    "split": split,
    **{name: changed(name) for name in ("lower", "upper", "title", "capitalize", "isdigit", "isalpha", "isalnum")},
}
