"""Methods that arrays of NumPy and pandas have and lazy arrays in pandas refuse, with what to write instead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

from akdask.errors import RefusedMethodError

Class = TypeVar("Class", bound=type)

COLLECT = "s.ak.collect() gives pandas' own array, which has it."
DIMENSIONS = "arrays of pandas have one dimension; ak.pdarray has more."


def refuses(names: str, hint: str) -> Callable[[Class], Class]:
    """Give a class methods that only say that they are not there; a decorator of classes.

    Parameters
    ----------
    names : str
        Their names, with spaces between.
    hint : str
        What to do instead.
    """

    def refusing(cls: Class) -> Class:
        for name in names.split():
            setattr(cls, name, _refusal(cls.__name__, name, hint))
        return cls

    return refusing


def _refusal(owner: str, name: str, hint: str) -> Callable[..., NoReturn]:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        raise RefusedMethodError(f"{owner}.{name} is not supported: lazy arrays in pandas do not have it.", hint=hint)

    refuse.__name__ = name
    refuse.only_refuses = True  # type: ignore[attr-defined]  # told apart from methods that do something
    refuse.__doc__ = f"Refuse: {name} is not there for lazy arrays in pandas."
    return refuse
