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
    return _refusal(type(error), error.args, str(error), {name: getattr(error, name, None) for name in OF_FILES})


OF_FILES = ("errno", "strerror", "filename")
"""What errors of files know beside their text."""


def _refusal(kind: Any, args: tuple[Any, ...], message: str, of_files: dict[str, Any]) -> Any:
    made = _refusal_class(kind)
    found: Any = made.__new__(made, *args)
    found.args, found.message, found.details, found.hint = args, message, (), None
    if issubclass(kind, OSError):
        for name, value in of_files.items():
            setattr(found, name, value)
    return found


@cache
def _refusal_class(kind: Any) -> Any:
    """Return the class of errors of pandas' class that are AkdaskErrors."""

    def text(self: Any) -> str:
        return str(self.message)

    def reduce(self: Any) -> Any:
        return _refusal, (kind, self.args, self.message, {name: getattr(self, name, None) for name in OF_FILES})

    return type(
        kind.__name__, (AkdaskError, kind), {"__str__": text, "__reduce__": reduce, "__module__": kind.__module__}
    )
