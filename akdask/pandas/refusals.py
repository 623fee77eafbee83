"""What pandas' face raises: errors of pandas that are errors of akdask, and what has no lazy form."""

from __future__ import annotations

from functools import cache
from typing import Any

from akdask.deferred import module_named
from akdask.errors import AkdaskError, UnsupportedError


class NotLazyError(Exception):
    """A call has no lazy form; its text says why.  Users do not see it: pandas answers the call."""


class AbsentColumnError(NotLazyError):
    """A call names a column that is not there."""


class ArrangementError(Exception):
    """pandas refuses an arrangement of labels, with the error that users see."""

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class PandasFallbackWarning(UserWarning):
    """A method that has no lazy form computed its object and ran in pandas."""


class FallbackError(AkdaskError, MemoryError):
    """A method that has no lazy form would compute more than the memory limit, or the setting forbids it."""


def refusal(error: Exception, given: Any = None, method: str | None = None) -> Any:
    """Return an error of pandas as one that is an AkdaskError, too.

    Below its text, which stays that of pandas, a note tells what a user may do, if the object and the method that raise
    it say so.
    """
    if isinstance(error, AkdaskError):
        return error
    hint = module_named("akdask.pandas.hints").hint_at(error, given, method)
    of_files = {name: getattr(error, name, None) for name in OF_FILES}
    return _refusal(type(error), error.args, str(error), of_files, hint)


OF_FILES = ("errno", "strerror", "filename")
"""What errors of files know beside their text."""


def _refusal(kind: Any, args: tuple[Any, ...], message: str, of_files: dict[str, Any], hint: str | None) -> Any:
    made = _refusal_class(kind)
    found: Any = made.__new__(made, *args)
    found.args, found.message, found.details, found.hint = args, message, (), hint
    if hint is not None:
        found.add_note(f"Hint: {hint}")
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
        of_files = {name: getattr(self, name, None) for name in OF_FILES}
        return _refusal, (kind, self.args, self.message, of_files, self.hint)

    return type(
        kind.__name__, (AkdaskError, kind), {"__str__": text, "__reduce__": reduce, "__module__": kind.__module__}
    )


def demand_pandas(version: str) -> None:
    """Refuse pandas before 3.0, whose text, times and copies are others.

    Raises
    ------
    UnsupportedError
        If it is older.

    Examples
    --------
    >>> demand_pandas("3.1.0")
    """
    if int(version.partition(".")[0]) < 3:
        raise UnsupportedError(
            f"akdask.pandas follows pandas 3, and pandas {version} is installed.",
            hint='pip install "pandas>=3"; import akdask works with it as it is.',
        )
