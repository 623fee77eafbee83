"""Errors of calls that pandas refuses, where nothing may go through pandas.

A call without a lazy form may make no sense in the first place.  Where the setting forbids the way through pandas, it
is tried on the rows that are at hand, or on the first rows of others, for nothing but the error that pandas raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akdask.errors import AkdaskError
from akdask.pandas.face import Face, NDFrame, in_pandas, is_value_at_hand
from akdask.pandas.labels import computed
from akdask.pandas.refusals import refusal

ROWS = 1000
"""Rows of an object that is not at hand with which a call is tried."""

OF_TYPES = TypeError, NotImplementedError, SyntaxError, AttributeError
"""Errors that other rows would not change."""


def try_method(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raise the error of pandas if it refuses the call of a method."""
    _try(face, lambda own: getattr(own, name)(*in_pandas(args), **in_pandas(kwargs)), (args, kwargs))


def try_step(face: Face) -> None:
    """Raise the error of pandas if it refuses groups, windows or an accessor that are at hand, or have no lazy form."""
    if not face.is_at_hand():
        try:
            face.lazy()
        except Exception:
            _try(face, lambda own: None, ())
    else:
        _try(face, lambda own: None, ())


def try_assignment(face: Face, step: str | None, key: Any, value: Any) -> None:
    """Raise the error of pandas if it refuses the assignment."""

    def assign(own: Any) -> None:
        (own if step is None else getattr(own, step))[in_pandas(key)] = in_pandas(value)

    _try(face, assign, (key, value))


def try_function(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise the error of pandas if it refuses the call of a function."""
    if _are_at_hand((args, kwargs)):
        _raise(lambda: function(*in_pandas(args), **in_pandas(kwargs)), (Exception,))


def _try(face: Face, call: Callable[[Any], Any], given: Any) -> None:
    steps: list[Any] = []
    root: Any = face
    while hasattr(root, "_origin"):
        steps.append(root)
        root = root._origin
    if not _are_at_hand((given, *[(step._args, step._kwargs) for step in steps])):
        return
    try:
        rows = root.to_pandas() if root.is_at_hand() else computed(root.lazy().head(ROWS))
    except Exception:
        return

    def follow() -> None:
        own: Any = rows.copy(deep=False)
        for step in reversed(steps):
            own = getattr(own, step._step)
            if step._args is not None:
                own = own(*in_pandas(step._args), **in_pandas(step._kwargs or {}))
        call(own)

    _raise(follow, (Exception,) if root.is_at_hand() or len(rows) < ROWS else OF_TYPES)


def _are_at_hand(given: Any) -> bool:
    """Return whether arguments are at hand, or have few rows."""
    if isinstance(given, tuple | list):
        return all(map(_are_at_hand, given))
    if isinstance(given, dict):
        return all(map(_are_at_hand, given.values()))
    return is_value_at_hand(given) or (isinstance(given, NDFrame) and len(given) < ROWS)


def _raise(call: Callable[[], Any], kinds: tuple[type[Exception], ...]) -> None:
    try:
        call()
    except AkdaskError:
        return
    except kinds as error:
        raise refusal(error) from error
    except Exception:
        return
