"""Paths in JSON documents: what a pattern matches, and which place is meant by the end of its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from akdask.evo.errors import ObjectError

_STEP = re.compile(r"([^.\[\]]+)|\[(\d*)\]")
_MOST_NAMED = 20


def matches(document: Any, pattern: str) -> Iterator[tuple[str, tuple[int, ...], Any]]:
    """Yield what a pattern matches: the path, the numbers of items of lists in it, and what is there.

    Examples
    --------
    >>> list(matches({"a": [{"b": 1}, {"b": 2}, {}]}, "a[].b"))
    [('a[0].b', (0,), 1), ('a[1].b', (1,), 2)]
    """
    found: list[tuple[str, tuple[int, ...], Any]] = [("", (), document)]
    for step in _STEP.finditer(pattern):
        name = step[1]
        following = []
        for path, numbers, value in found:
            if name is not None and isinstance(value, Mapping) and name in value:
                following.append((f"{path}.{name}" if path else name, numbers, value[name]))
            elif name is None and isinstance(value, list):
                chosen = range(len(value)) if not step[2] else range(int(step[2]), min(int(step[2]) + 1, len(value)))
                following += [(f"{path}[{n}]", (*numbers, n), value[n]) for n in chosen]
        found = following
    yield from found


def scoped(name: str, numbers: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
    """Return the component that a pattern names, of the items of lists that something else is in.

    Examples
    --------
    >>> scoped("vertices", (3,)), scoped("collections[]", (3,))
    (('vertices', ()), ('collections[]', (3,)))
    """
    return name, numbers[: name.count("[]")]


def resolve(document: Any, path: Any) -> tuple[str, Any]:
    """Return the place that a path, or the end of one, means in a document.

    Raises
    ------
    ObjectError
        If there is none, or several.
    """
    if not isinstance(path, str) or not path.strip("."):
        raise ObjectError(
            "a path names a place in the object, such as 'vertices.attributes'.", details=[f"given: {path!r:.100}"]
        )
    exact = list(matches(document, path))
    if exact and "[]" not in path and _joined(path) == path:
        return exact[0][0], exact[0][2]
    nodes = dict(_nodes(document))
    ends = [found for found in nodes if found == path or found.endswith(f".{path}")]
    # The outermost of those that lie in each other is meant.
    ends = [found for found in ends if not any(found != other and found.startswith(f"{other}.") for other in ends)]
    if len(ends) == 1:
        return ends[0], nodes[ends[0]]
    if ends:
        raise ObjectError(
            f"{path!r} is several places of the object.", details=sorted(ends)[:_MOST_NAMED], hint="name one of them."
        )
    known = sorted(found for found, value in nodes.items() if isinstance(value, Mapping | list))
    raise ObjectError(
        f"the object has nothing at {path!r}.",
        details=known[:_MOST_NAMED],
        hint="name one of these places, or the end of one.",
    )


def _joined(path: str) -> str:
    """Return a path as it is written when its steps are put together; other text differs from it."""
    found = ""
    for step in _STEP.finditer(path):
        found += f"[{step[2]}]" if step[1] is None else f".{step[1]}" if found else step[1]
    return found


def _nodes(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield all maps and lists in a document by their paths."""
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        path, value = waiting.pop()
        if path:
            yield path, value
        if isinstance(value, Mapping):
            waiting += [
                (f"{path}.{key}" if path else str(key), item)
                for key, item in value.items()
                if isinstance(item, Mapping | list)
            ]
        elif isinstance(value, list):
            waiting += [
                (f"{path}[{number}]", item) for number, item in enumerate(value) if isinstance(item, Mapping | list)
            ]
