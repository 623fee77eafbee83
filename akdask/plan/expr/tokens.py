"""Deterministic names for everything that a plan is made of.

Dask's own tokenizer walks arbitrary objects and takes tens of microseconds; plan nodes are made of a closed set of
things that name themselves, so a short hash of those names is enough and keeps building a plan cheap.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Any

import numpy as np
from dask.base import tokenize

from akdask.columns import Table, offsets_and_bytes, type_of
from akdask.columns.bigint import limbs_of
from akdask.columns.lists import offsets_of, values_of
from akdask.typing import Column


def token(*parts: Any) -> str:
    """Return a hash that is the same in every process for equal parts.

    Examples
    --------
    >>> token("add", 1) == token("add", 1), token("add", 1) == token("add", 1.0)
    (True, False)
    """
    text = "\x1f".join(map(_name, parts))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _name(part: Any) -> str:
    kind = type(part)
    if kind is str or kind is int or kind is float or kind is bool or part is None:
        return repr(part)
    if kind is tuple:
        return "(" + "\x1e".join([_name(item) for item in part]) + ")"
    if kind is Table:
        return _table_name(part)
    named = getattr(part, "_name", None) or getattr(part, "token", None)
    return named if isinstance(named, str) else f"{kind.__name__}:{tokenize(part)}"


def _table_name(table: Table) -> str:
    """Return a hash of names, types and contents; Dask's takes slices of an Arrow array for the whole."""
    digest = blake2b(digest_size=16)
    for name, column in table.columns.items():
        digest.update(f"{name!r} {type_of(column)} {len(column)} ".encode())
        for part in _contents(column):
            digest.update(part)
    return f"table {table.nrows} {digest.hexdigest()}"


def _contents(column: Column) -> Iterator[Any]:
    """Yield all that the rows hold, and nothing of the buffers that they do not need."""
    if isinstance(column, np.ndarray):
        yield np.ascontiguousarray(column)
        return
    dtype = type_of(column)
    match dtype.kind:
        case "bigint":
            yield np.ascontiguousarray(limbs_of(column))
        case "list":
            yield offsets_of(column)
            if dtype.item is not None:
                yield from _contents(values_of(column, dtype.item))
        case _:
            offsets, text = offsets_and_bytes(column)
            yield offsets - offsets[0]
            yield text
