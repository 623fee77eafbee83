"""Errors of calls that pandas refuses, found without computing all rows.

A call without a lazy form may make no sense in the first place.  Where the setting forbids the way through pandas, or
where the lazy form has refused the call, it is tried on the rows that are at hand, or on the first rows of others, for
nothing but the error that pandas raises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from akdask import config
from akdask.errors import AkdaskError, MissingColumnError, UnsupportedError
from akdask.pandas.arguments import bound_arguments
from akdask.pandas.face import Face, NDFrame, in_pandas, is_value_at_hand
from akdask.pandas.labels import by_rows, computed
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import AbsentColumnError, NotLazyError, refusal

ROWS = 1000
"""Rows of an object that is not at hand with which a call is tried."""

ACCESSORS = ("str", "dt", "cat")
"""Attributes that pandas has for some types alone."""

OF_TYPES = TypeError, NotImplementedError, SyntaxError, AttributeError, NameError
"""Errors that other rows would not change."""


def try_method(
    face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], reason: Exception | None = None
) -> None:
    """Raise the error of pandas if it refuses the call of a method; the reason is why the lazy form does."""
    if _is_of_columns(reason):
        args, kwargs = _few_rows(args), _few_rows(kwargs)
    _try(face, lambda own: getattr(own, name)(*in_pandas(args), **in_pandas(kwargs)), (args, kwargs), reason, name)


def try_attribute(face: Face, name: str, reason: Exception | None = None) -> None:
    """Raise the error of pandas if it has no such attribute here; the reason is why there is no lazy one."""
    _try(face, lambda own: getattr(own, name), (), reason)


def try_step(face: Any) -> None:
    """Raise the error of pandas if it refuses groups, windows or an accessor that are at hand, or have no lazy form."""
    if not face.is_at_hand():
        try:
            face.lazy()
        except Exception as reason:
            if config.get("pandas_fallback") == "error" or is_refusal(reason) or face._step in ACCESSORS:
                _try(face, lambda own: None, (), reason)
    else:
        _try(face, lambda own: None, ())


def is_refusal(reason: Exception) -> bool:
    """Whether a lazy form has found fault with a call, so that pandas may, too."""
    return isinstance(reason, AbsentColumnError) or not isinstance(reason, NotLazyError | UnsupportedError)


def fits(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether a method of pandas takes such arguments."""
    try:
        bound_arguments(face.pandas_class, name, args, kwargs)
    except TypeError:
        return False
    except (AttributeError, ValueError):
        return True  # There is no signature to compare with.
    return True


def try_assignment(face: Face, step: str | None, key: Any, value: Any) -> None:
    """Raise the error of pandas if it refuses the assignment."""

    def assign(own: Any) -> None:
        (own if step is None else getattr(own, step))[in_pandas(key)] = in_pandas(value)

    _try(face, assign, (key, value))


def try_function(function: Callable[..., Any], args: Any, kwargs: Any) -> None:
    """Raise the error of pandas if it refuses the call of a function."""
    if _are_at_hand((args, kwargs)):
        _raise(lambda: function(*in_pandas(args), **in_pandas(kwargs)), (Exception,))


def _try(
    face: Face,
    call: Callable[[Any], Any],
    given: Any,
    reason: Exception | None = None,
    method: str | None = None,
) -> None:
    steps: list[Any] = []
    root: Any = face
    while hasattr(root, "_origin"):
        steps.append(root)
        root = root._origin
    if not _are_at_hand((given, *[(step._args, step._kwargs) for step in steps])):
        return
    try:
        rows = root.to_pandas() if root.is_at_hand() else _first_rows(root)
    except Exception:
        return

    def follow() -> None:
        own: Any = rows.copy(deep=False)
        for step in reversed(steps):
            own = getattr(own, step._step)
            if step._args is not None:
                own = own(*in_pandas(step._args), **in_pandas(step._kwargs or {}))
        call(own)

    of_columns = (KeyError,) if _is_of_columns(reason) else ()
    kinds = (Exception,) if root.is_at_hand() or len(rows) < ROWS else OF_TYPES + of_columns
    _raise(follow, kinds, face, method)


def _is_of_columns(reason: Exception | None) -> bool:
    """Whether a lazy form misses a column, which the first rows lack as all rows do."""
    return isinstance(reason, AbsentColumnError | MissingColumnError)


def _few_rows(given: Any) -> Any:
    """Return arguments with the first rows of those that are not at hand."""
    if isinstance(given, tuple | list):
        return type(given)(map(_few_rows, given))
    if isinstance(given, dict):
        return {word: _few_rows(value) for word, value in given.items()}
    if isinstance(given, NDFrame) and not given.is_at_hand():
        return _first_rows(given)
    return given


def _first_rows(given: Any) -> Any:
    lazily = given.lazy()
    of_frame = isinstance(lazily, LazyFrame)
    return computed(by_rows(lazily, lambda rows: rows.head(ROWS)) if of_frame else lazily.head(ROWS))


def _are_at_hand(given: Any) -> bool:
    """Return whether arguments are at hand, or have few rows."""
    if isinstance(given, tuple | list):
        return all(map(_are_at_hand, given))
    if isinstance(given, dict):
        return all(map(_are_at_hand, given.values()))
    return is_value_at_hand(given) or (isinstance(given, NDFrame) and len(given) < ROWS)


def _raise(
    call: Callable[[], Any],
    kinds: tuple[type[Exception], ...],
    face: Face | None = None,
    method: str | None = None,
) -> None:
    try:
        call()
    except AkdaskError:
        return
    except kinds as error:
        raise refusal(error, face, method) from error
    except Exception:
        return
