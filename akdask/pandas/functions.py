"""Functions of pandas' face: lazy where they can be, else pandas' own on computed arguments."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from types import FrameType
from typing import Any

import pandas

from akdask import config
from akdask.deferred import loaded_module
from akdask.errors import end_at_caller
from akdask.pandas.arguments import NOT_GIVEN, accepted
from akdask.pandas.face import Face, faced, in_pandas, lazy_argument, words
from akdask.pandas.refusals import FallbackError, NotLazyError, refusal

LAZY = words(
    """crosstab get_dummies melt pivot pivot_table merge merge_asof merge_ordered concat isna isnull notna notnull cut
    qcut to_datetime to_timedelta to_numeric"""
)
"""Functions that have a lazy form."""

BY_ROW = words("get_dummies isna isnull notna notnull cut qcut to_datetime to_timedelta to_numeric")
"""Functions whose results have the labels of the rows."""


def faces_in(given: Any) -> list[Face]:
    """Return the lazy objects among arguments."""
    if isinstance(given, Face):
        return [given]
    if isinstance(given, list | tuple):
        return [face for item in given for face in faces_in(item)]
    if isinstance(given, Mapping):
        return [face for item in given.values() for face in faces_in(item)]
    return []


def function(name: str) -> Callable[..., Any]:
    """Return a function of pandas that takes objects of this face, with a lazy form if there is one."""
    own = getattr(pandas, name)

    def found(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        args = tuple(list(item) if isinstance(item, Iterator) else item for item in args)
        if name == "eval" and len(args) < 4:  # its fourth argument is a dict of variables
            kwargs = _with_variables(sys._getframe(2), args, kwargs)
        faces = faces_in((args, kwargs))
        mode = config.get("pandas_fallback")
        pending = loaded_module("akdask.pandas.pending")
        if pending is not None and name == "merge":
            _, args, kwargs = pending.joined_arguments(args, kwargs)
            faces = faces_in((args, kwargs))
        if faces and (mode == "error" or not all(face.is_at_hand() for face in faces)):
            try:
                return faced(_lazily(name, args, kwargs))
            except Exception as reason:
                if mode == "error":
                    from akdask.pandas.invalid_calls import try_function

                    try_function(own, args, kwargs)
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

    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return found(args, kwargs)
        except Exception as error:
            end_at_caller(error)
            raise

    call.__name__ = call.__qualname__ = name
    call.__doc__ = own.__doc__
    call.__wrapped__ = own  # type: ignore[attr-defined]
    return call


def _with_variables(caller: FrameType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `eval` with the variables that its expression names, unless dicts of them are given."""
    expression = args[0] if args else kwargs.get("expr")
    own = {**(kwargs.get("global_dict") or caller.f_globals), **(kwargs.get("local_dict") or caller.f_locals)}
    named = set(re.findall(r"[^\W\d]\w*", expression)) if isinstance(expression, str) else ()
    return {**kwargs, "local_dict": {name: own[name] for name in named if name in own}, "global_dict": {}}


def _lazily(name: str, args: Any, kwargs: Any) -> Any:
    if name not in LAZY:
        raise NotLazyError("it is not built yet")
    from akdask.pandas.function_forms import FORMS

    frequencies = loaded_module("akdask.pandas.frequencies")
    if (
        frequencies is not None
        and name not in BY_ROW | {"concat", "merge_asof", "merge_ordered"}
        and any(frequencies.is_regular(face.lazy()) for face in faces_in((args, kwargs)))
    ):
        raise NotLazyError("labels have a frequency")
    form, signature = FORMS[name], inspect.signature(getattr(pandas, name))
    given = signature.bind(*args, **kwargs)
    given.apply_defaults()
    words = {word: value for word, value in given.arguments.items() if value is not NOT_GIVEN}
    return form(**accepted(pandas, name, form, lazy_argument(words)))
