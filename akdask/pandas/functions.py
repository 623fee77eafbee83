"""Functions of pandas' face: lazy where they can be, else pandas' own on computed arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import pandas

from akdask import config
from akdask.frames import functions
from akdask.pandas.face import NOT_GIVEN, Face, FallbackError, accepted, faced, in_pandas, lazy_argument, refusal
from akdask.pandas.lazy import NotLazyError


def faces_in(given: Any) -> list[Face]:
    """Return the lazy objects among arguments."""
    if isinstance(given, Face):
        return [given]
    if isinstance(given, list | tuple):
        return [face for item in given for face in faces_in(item)]
    if isinstance(given, Mapping):
        return [face for item in given.values() for face in faces_in(item)]
    return []


def function(name: str, form: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """Return a function of pandas that takes objects of this face, with a lazy form if there is one."""
    own = getattr(pandas, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        faces = faces_in((args, kwargs))
        mode = config.get("pandas_fallback")
        if faces and (mode == "error" or not all(face.is_at_hand() for face in faces)):
            try:
                return faced(_lazily(name, form, args, kwargs))
            except Exception as reason:
                if mode == "error":
                    if isinstance(reason, NotLazyError):
                        raise FallbackError(f"pandas.{name} has no lazy form here: {reason}.") from None
                    raise
                for face in faces:
                    if not face.is_at_hand():
                        face._tell(name, reason)
        try:
            return faced(own(*in_pandas(args), **in_pandas(kwargs)))
        except Exception as error:
            raise refusal(error) from error

    call.__name__ = call.__qualname__ = name
    call.__doc__ = own.__doc__
    call.__wrapped__ = own  # type: ignore[attr-defined]
    return call


def _lazily(name: str, form: Callable[..., Any] | None, args: Any, kwargs: Any) -> Any:
    if form is None:
        raise NotLazyError("it is not built yet")
    signature = inspect.signature(getattr(pandas, name))
    given = signature.bind(*args, **kwargs)
    given.apply_defaults()
    words = {word: value for word, value in given.arguments.items() if value is not NOT_GIVEN}
    return form(**accepted(pandas, name, form, lazy_argument(words)))


def merge(left: Any, right: Any, **options: Any) -> Any:
    from akdask.pandas.frame import DataFrame

    return DataFrame.lazy_forms["merge"](left, right, **options)


def concat(
    objs: Any, axis: Any = 0, join: str = "outer", ignore_index: bool = False, keys: Any = None, sort: bool = False
) -> Any:
    """Put frames or Series below or beside each other."""
    if keys is not None or sort or not isinstance(objs, list | tuple):
        raise NotLazyError("keys and sort have no lazy form")
    return functions.concat(
        [item for item in objs if item is not None], axis=axis, join=join, ignore_index=ignore_index
    )


FORMS: Mapping[str, Callable[..., Any]] = {
    "merge": merge,
    "concat": concat,
    "isna": functions.isna,
    "notna": functions.notna,
}
