"""Lazy forms of methods of groups, windows and accessors that the lazy ones lack, or have with another meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from akdask.frames.display import Row
from akdask.frames.indexing import FrameILocIndexer, ILocIndexer
from akdask.frames.series import Series


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
