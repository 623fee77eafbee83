"""Plans as flat lists, to be pickled: nested as they are, long chains would need more calls than Python nests.

What a plan is made of tells how it is made (`Parts.made_of`): by a function of plain arguments and of other parts.  The
list has each part once, after those that it is made of; a `Ref` stands for a part by its number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

Made: TypeAlias = tuple[Callable[..., Any], tuple[Any, ...]]


class Parts(Protocol):
    """Whatever a plan is made of."""

    def made_of(self) -> Made:
        """Return a function, and arguments of which it makes an equal object."""
        ...


@dataclass(frozen=True, slots=True)
class Ref:
    """A part of a list, by its number."""

    number: int


def flattened(root: Parts) -> tuple[Callable[..., Any], tuple[list[Made]]]:
    """Return what ``__reduce__`` is to return for a part of a plan."""
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
    """Whether an argument is a part, or a tuple of some."""
    return _is_part(item) or (isinstance(item, tuple) and any(map(_is_part, item)))


def _is_part(item: Any) -> bool:
    return hasattr(type(item), "made_of")
