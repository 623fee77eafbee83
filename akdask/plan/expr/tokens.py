"""Deterministic names for everything that a plan is made of.

Dask's own tokenizer walks arbitrary objects and takes tens of microseconds; plan nodes are made of a closed set of
things that name themselves, so a short hash of those names is enough and keeps building a plan cheap.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from hashlib import blake2b
from types import FunctionType
from typing import Any

import numpy as np
from dask.base import tokenize

from akdask.columns import Table, offsets_and_bytes, type_of
from akdask.columns.bigint import limbs_of
from akdask.columns.lists import offsets_of, values_of
from akdask.typing import Column

_PACKAGE = __name__.partition(".")[0] + "."


class Named:
    """Something with a token, which other things with equal contents share."""

    __slots__ = ("token",)

    token: str


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
        return "(" + "\x1e".join(_names(part)) + ")"
    if kind is dict:
        return "{" + "\x1e".join(_names((*part, *part.values()))) + "}"
    if kind is Table:
        return _table_name(part)
    named = getattr(part, "_name", None) or getattr(part, "token", None)
    return named if isinstance(named, str) else _name_of_object(part, kind)


def _names(parts: tuple[Any, ...]) -> list[str]:
    """Return the name of each part, without a call for each column of a wide frame."""
    return [
        part.token if isinstance(part, Named) else repr(part) if type(part) is str else _name(part) for part in parts
    ]


def _name_of_object(part: Any, kind: type) -> str:
    """Return the name of a function or a record of this package by what it is, which Dask pickles to find out."""
    # What others define, in a notebook perhaps, may be defined anew under the name that it had.
    if isinstance(part, FunctionType) and part.__module__.startswith(_PACKAGE):
        name = part.__qualname__
        if getattr(sys.modules[part.__module__], name, None) is part:
            return f"{part.__module__}.{name}"
    elif (names := _field_names(kind)) is not None:
        values = tuple([getattr(part, name) for name in names])
        return f"{kind.__module__}.{kind.__qualname__}{_name(values)}"
    return f"{kind.__name__}:{tokenize(part)}"


@cache
def _field_names(kind: type) -> tuple[str, ...] | None:
    """Return the names of the fields of a dataclass or named tuple of this package, None for other classes."""
    if not kind.__module__.startswith(_PACKAGE):
        return None
    if is_dataclass(kind):
        return tuple([field.name for field in fields(kind)])
    return kind.__dict__.get("_fields") if issubclass(kind, tuple) else None


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
