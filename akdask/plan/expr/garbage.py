"""Garbage collection put off while tasks are made: Python would look at all of them again and again for nothing."""

from __future__ import annotations

import gc
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def without_collection(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function during which Python does not look for garbage: one that makes many objects, and no cycles."""

    @wraps(function)
    def uninterrupted(*args: P.args, **options: P.kwargs) -> T:
        if not gc.isenabled():
            return function(*args, **options)
        gc.disable()
        try:
            return function(*args, **options)
        finally:
            gc.enable()

    return uninterrupted
