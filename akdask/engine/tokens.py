"""Tokens: deterministic names of plan nodes, and of all their parts.

Dask's own tokenizer walks arbitrary objects, which is slow. Plan nodes consist of a closed set of things that name
themselves, so a short hash of these names is enough, and plans are cheap to build. Plans are pickled as flat lists of
their parts, since nested ones would exceed the recursion limit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from hashlib import blake2b
from types import FunctionType
from typing import Any, Protocol, TypeAlias

import numpy as np
from dask.base import tokenize

from akdask.columns.arrow import offsets_of, values_of
from akdask.columns.bigint import limbs_of
from akdask.columns.strings import offsets_and_bytes
from akdask.columns.table import Table, type_of
from akdask.typing import Column

_PACKAGE = __name__.partition(".")[0] + "."


class Named:
    """Something with a token, which equal things share."""

    __slots__ = ("token",)

    token: str


def token(*parts: Any) -> str:
    """Return a hash that is the same in every process for equal parts.

    Examples
    --------
    >>> token("add", 1) == token("add", 1), token("add", 1) == token("add", 1.0)
    (True, False)
    """
    return blake2b("\x1f".join(_names(parts)).encode(), digest_size=16).hexdigest()


_PLAIN = frozenset({str, int, float, bool, type(None)})
"""Types that are named by their repr."""


def _names(parts: Sequence[Any]) -> list[str]:
    """Return the name of each part in one call, since naming takes a good part of a plan's time."""
    found: list[str] = []
    for part in parts:
        kind = type(part)
        if kind in _PLAIN:
            found.append(repr(part))
        elif isinstance(part, Named):
            found.append(part.token)
        elif kind is tuple:
            found.append("(" + "\x1e".join(_names(part)) + ")")
        elif kind is dict:
            found.append("{" + "\x1e".join(_names((*part, *part.values()))) + "}")
        elif kind is Table:
            found.append(_table_name(part))
        else:
            named = getattr(part, "_name", None) or getattr(part, "token", None)
            found.append(named if isinstance(named, str) else _name_of_object(part, kind))
    return found


def _name_of_object(part: Any, kind: type) -> str:
    """Return the name of a function or record of this package by its definition; Dask would pickle it."""
    # Others' functions, in a notebook perhaps, may be redefined under the same name.
    if isinstance(part, FunctionType) and part.__module__.startswith(_PACKAGE):
        name = part.__qualname__
        if getattr(sys.modules[part.__module__], name, None) is part:
            return f"{part.__module__}.{name}"
    elif (names := _field_names(kind)) is not None:
        (values,) = _names([tuple([getattr(part, name) for name in names])])
        return f"{kind.__module__}.{kind.__qualname__}{values}"
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
    """Return a hash of names, types and contents; Dask's hash mistakes slices of an Arrow array for the whole."""
    digest = blake2b(digest_size=16)
    for name, column in table.columns.items():
        digest.update(f"{name!r} {type_of(column)} {len(column)} ".encode())
        for part in _contents(column):
            digest.update(part)
    return f"table {table.nrows} {digest.hexdigest()}"


def _contents(column: Column) -> Iterator[Any]:
    """Yield all buffers of the rows, without bytes that the rows do not use."""
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


Made: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


class Parts(Protocol):
    """A part of a plan, as it is pickled."""

    def made_of(self) -> Made:
        """Return a function, and the arguments with which it makes an equal object."""
        ...


@dataclass(frozen=True, slots=True)
class Ref:
    """A part of a list, by its number."""

    number: int


def flattened(root: Parts) -> tuple[Callable[..., Any], tuple[list[Made]]]:
    """Return the result of ``__reduce__`` for a part of a plan."""
    numbers: dict[int, int] = {}
    made: dict[int, Made] = {}
    found: list[Made] = []
    stack: list[Any] = [root]
    while stack:
        part = stack[-1]
        if id(part) in numbers:
            stack.pop()
            continue
        if id(part) not in made:
            made[id(part)] = (tuple_of, part) if isinstance(part, tuple) else part.made_of()
            below = [item for item in made[id(part)][1] if _has_parts(item)]
            if below:
                stack.extend(below)
                continue
        function, args = made.pop(id(part))
        numbers[id(part)] = len(found)
        found.append((function, tuple(Ref(numbers[id(item)]) if _has_parts(item) else item for item in args)))
        stack.pop()
    return rebuilt, (found,)


def rebuilt(made: list[Made]) -> Any:
    """Return the last part of a flat list."""
    parts: list[Any] = []
    for function, args in made:
        parts.append(function(*[parts[item.number] if isinstance(item, Ref) else item for item in args]))
    return parts[-1]


def tuple_of(*items: Any) -> tuple[Any, ...]:
    """Return the items as a tuple."""
    return items


def _has_parts(item: Any) -> bool:
    """Whether an argument is a part of a plan, or a tuple with such parts."""
    return _is_part(item) or (isinstance(item, tuple) and any(map(_is_part, item)))


def _is_part(item: Any) -> bool:
    return hasattr(type(item), "made_of")
