"""What pandas' face raises: errors of pandas that are errors of akdask, and what has no lazy form."""

from __future__ import annotations

from functools import cache
from typing import Any

from akdask.errors import AkdaskError


class NotLazyError(Exception):
    """A call has no lazy form; its text says why.  Users do not see it: pandas answers the call."""


class ArrangementError(Exception):
    """pandas refuses an arrangement of labels, with the error that users see."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class PandasFallbackWarning(UserWarning):
    """A method that has no lazy form computed its object and ran in pandas."""


class FallbackError(AkdaskError, MemoryError):
    """A method that has no lazy form would compute more than the memory limit, or the setting forbids it."""


def refusal(error: Exception) -> Any:
    """Return an error of pandas as one that is an AkdaskError, too."""
    if isinstance(error, AkdaskError):
        return error
    kind: Any = type(error)
    made = _refusal_class(kind)
    found: Any = made.__new__(made, *error.args)
    found.args = error.args
    found.message, found.details, found.hint = str(error), (), None
    return found


@cache
def _refusal_class(kind: Any) -> Any:
    """Return the class of errors of pandas' class that are AkdaskErrors."""

    def text(self: Exception) -> str:
        return str(kind.__str__(self))

    def reduce(self: Exception) -> Any:
        return _refusal_again, (kind, self.args, self.message)  # type: ignore[attr-defined]

    return type(
        kind.__name__, (AkdaskError, kind), {"__str__": text, "__reduce__": reduce, "__module__": kind.__module__}
    )


def _refusal_again(kind: Any, args: tuple[Any, ...], message: str) -> Any:
    made = _refusal_class(kind)
    found: Any = made.__new__(made, *args)
    found.args, found.message, found.details, found.hint = args, message, (), None
    return found
