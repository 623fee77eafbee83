"""Functions whose implementation depends on the kind of a column, without loading Arrow for columns of numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch, wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from akdask.deferred import is_arrow, pa

if TYPE_CHECKING:
    from functools import _SingleDispatchCallable

P = ParamSpec("P")
T = TypeVar("T")


def by_column(default: Callable[..., T]) -> _SingleDispatchCallable[T]:
    """Return a function like `functools.singledispatch`, whose implementations for Arrow's classes `of_arrow` adds.

    Parameters
    ----------
    default : callable
        What is called for objects of other classes.
    """

    @wraps(default)
    def other(column: Any, *args: Any, **kwargs: Any) -> T:
        if is_arrow(column, "Array", "ChunkedArray"):
            # Threads that come here at once register the same.
            for name, implementation in _OF_ARROW.get(chosen, {}).items():
                dispatched.register(getattr(pa, name), implementation)
            found: Callable[..., T] = dispatched.dispatch(type(column))
            if found is not other:
                implementations[type(column)] = found
                return found(column, *args, **kwargs)
        return default(column, *args, **kwargs)

    dispatched: _SingleDispatchCallable[T] = singledispatch(other)
    implementations: dict[type, Callable[..., T]] = {}

    @wraps(default)
    def chosen(column: Any, *args: Any, **kwargs: Any) -> T:
        # `singledispatch` makes two calls more, for each column of each block.
        found = implementations.get(type(column))
        if found is None:
            found = dispatched.dispatch(type(column))
            if found is not other:
                implementations[type(column)] = found
        return found(column, *args, **kwargs)

    chosen.register = dispatched.register  # type: ignore[attr-defined]
    return cast("_SingleDispatchCallable[T]", chosen)


_OF_ARROW: dict[Any, dict[str, Callable[..., Any]]] = {}
"""By function: implementations for classes of Arrow, which are registered when the first such object comes."""


def of_arrow(function: Callable[..., Any], name: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that adds the implementation for a class of Arrow to a function of `by_column`."""

    def add(implementation: Callable[P, T]) -> Callable[P, T]:
        _OF_ARROW.setdefault(function, {})[name] = implementation
        return implementation

    return add
