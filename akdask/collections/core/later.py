"""Functions of later layers that classes of earlier ones need: looked up by name when they are called.

A time has a calendar, which is a DataFrame, and a DataFrame has columns of times.  The earlier layer names what it
needs, and the later one provides it, so that imports still point one way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Provided = TypeVar("Provided", bound=Callable[..., Any])

_provided: dict[str, Callable[..., Any]] = {}


def provides(name: str) -> Callable[[Provided], Provided]:
    """Register a function or class under a name that earlier layers look up."""

    def register(function: Provided) -> Provided:
        _provided[name] = function
        return function

    return register


def later(name: str, *args: Any, **params: Any) -> Any:
    """Call what a later layer provides."""
    return _provided[name](*args, **params)
