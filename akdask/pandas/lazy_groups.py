"""Results of groups, and small files, that nobody has looked at yet.

They are computed as soon as anything wants them in memory: a display, a label, a method that has no place in this
module.  Filters and other names leave them pending, and a join of them with rows that are not in memory takes their
plan, so that groups and join are one plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas

from akdask.pandas.face import OPERATORS, Face, NDFrame, words
from akdask.pandas.refusals import NotLazyError

STAYING = OPERATORS | words("__getitem__ rename reset_index")
"""Methods whose results are pending, too."""

JOINING = words("merge isin")
"""Methods that take plans where they meet rows that are not in memory."""


class Pending:
    """A result that is computed once, and a plan of the same rows.

    Parameters
    ----------
    compute : callable
        Returns the result in pandas.
    build : callable
        Returns the lazy frame or Series; raises NotLazyError where there is none.
    sources : sequence of Pending
        Results of which it is made.
    is_arranged : bool, optional
        Whether pandas takes the result from there, whatever the fallback to it is set to.
    """

    def __init__(
        self,
        compute: Callable[[], Any],
        build: Callable[[], Any],
        sources: Sequence[Pending] = (),
        is_arranged: bool = True,
    ) -> None:
        self._compute, self._build, self._sources = compute, build, sources
        self.is_arranged = is_arranged
        self._found: Any = None

    def value(self) -> Any:
        """Return the result; later changes of it change nothing here."""
        if self._found is None:
            self._found, self._sources = self._compute(), ()
            self._compute = self._build = self._nothing
        return self._found.copy(deep=False)

    @staticmethod
    def _nothing() -> Any:
        raise NotLazyError("it is computed")

    def plan(self) -> Any:
        """Return the lazy form."""
        return self._build()

    def is_computed(self) -> bool:
        """Return whether the result, or all of which it is made, is in memory."""
        return self._found is not None or (bool(self._sources) and all(one.is_computed() for one in self._sources))


def of(pending: Pending, kind: type[NDFrame]) -> Any:
    """Return a frame or Series that is pending."""
    made = kind._of()
    object.__setattr__(made, "_pending", pending)
    return made


def answer(face: Face, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a method of, or with, a pending result; NotImplemented where the result is to be computed first."""
    given = (face, *args, *kwargs.values())
    if not any(map(_is_pending, given)):
        return NotImplemented
    if name in JOINING:
        is_open, (own, *others), kwargs = joined_arguments((face, *args), kwargs)
        return own._call(name, tuple(others), kwargs) if is_open else NotImplemented
    if name not in STAYING or not _is_pending(face) or not _stays(face, name, args, kwargs):
        return NotImplemented
    try:
        own, *others = map(_planned, (face, *args))
        if not all(_has_rows_of(own, one) for one in others):
            return NotImplemented
        found = own._lazily_by_type(name, tuple(others), kwargs)
    except Exception:  # pandas answers it
        return NotImplemented
    if not isinstance(found, NDFrame) or found._lazy is None:
        return NotImplemented
    lazily, sources = found._lazy, tuple(one._pending if _is_pending(one) else one for one in (face, *args))

    def compute() -> Any:
        own, *others = (one.value() if isinstance(one, Pending) else one for one in sources)
        return getattr(own, name)(*others, **kwargs)

    pending = [one for one in sources if isinstance(one, Pending)]
    is_arranged = any(one.is_arranged for one in pending)
    return of(Pending(compute, lambda: lazily, pending, is_arranged), type(found))


def joined_arguments(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[bool, tuple[Any, ...], dict[str, Any]]:
    """Return arguments of a join, and whether plans took the place of pending results."""
    given = (*args, *kwargs.values())
    is_open = any(_is_pending(one) and not one._pending.is_computed() for one in given)
    if not is_open or all(one.is_at_hand() for one in given if isinstance(one, Face) and not _is_pending(one)):
        return False, args, kwargs
    try:
        return True, tuple(map(_planned, args)), {word: _planned(one) for word, one in kwargs.items()}
    except NotLazyError:
        return False, args, kwargs


def _is_pending(given: Any) -> bool:
    return isinstance(given, NDFrame) and given._pending is not None


def _stays(face: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Return whether the result of a call is pending, too."""
    if kwargs.get("inplace") or any(one._pending.is_computed() for one in (face, *args) if _is_pending(one)):
        return False
    if name == "__getitem__" and face.pandas_class is pandas.Series and not _is_pending(args[0]):
        return False  # It may be a value.
    return all(_is_pending(one) or _is_plain(one) for one in args) and all(map(_is_plain, kwargs.values()))


def _is_plain(given: Any) -> bool:
    """Return whether an argument holds no object of pandas, function or array."""
    if type(given) in (list, tuple):
        return all(map(_is_plain, given))
    if type(given) is dict:
        return all(map(_is_plain, given.values()))
    return isinstance(given, str | int | float | np.generic | pandas.Timestamp | pandas.Timedelta | None)


def _planned(given: Any) -> Any:
    """Return the plan of a pending result, and anything else as it is."""
    if not _is_pending(given) or given._pending.is_computed():
        return given
    return type(given)._of(given._pending.plan())


def _has_rows_of(face: Any, given: Any) -> bool:
    """Return whether an argument is no frame or Series, or one with the same rows, whose labels need no alignment."""
    if not isinstance(given, NDFrame):
        return True
    from akdask.pandas.selection import labels_of_rows

    return bool(labels_of_rows(face.lazy()).are_those_of(labels_of_rows(given.lazy())))
