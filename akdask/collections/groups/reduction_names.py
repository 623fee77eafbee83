"""Reductions as users name them: by text, by NumPy's functions, or by functions of their own."""

from __future__ import annotations

from typing import Any


def called(func: Any) -> str:
    """Return what a reduction is called.

    Examples
    --------
    >>> called("sum"), called(max)
    ('sum', 'max')
    """
    return func if isinstance(func, str) else getattr(func, "__name__", str(func))


def is_named(func: Any) -> bool:
    """Whether a reduction is named, by text or by one of NumPy's functions, and is no function of a user.

    Examples
    --------
    >>> import numpy as np
    >>> is_named(np.mean), is_named(lambda rows: 0)
    (True, False)
    """
    return not callable(func) or str(getattr(func, "__module__", "")).partition(".")[0] == "numpy"


def named(func: Any) -> Any:
    """Return the name of a reduction, or the function itself where it is one of users."""
    return called(func) if is_named(func) else func
