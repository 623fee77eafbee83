"""Deterministic names for everything that a plan is made of.

Dask's own tokenizer walks arbitrary objects and takes tens of microseconds; plan nodes are made of a closed set of
things that name themselves, so a short hash of those names is enough and keeps building a plan cheap.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from dask.base import tokenize


def token(*parts: Any) -> str:
    """Return a hash that is the same in every process for equal parts.

    Examples
    --------
    >>> token("add", 1) == token("add", 1), token("add", 1) == token("add", 1.0)
    (True, False)
    """
    text = "\x1f".join(map(_name, parts))
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _name(part: Any) -> str:
    kind = type(part)
    if kind is str or kind is int or kind is float or kind is bool or part is None:
        return repr(part)
    if kind is tuple:
        return "(" + "\x1e".join([_name(item) for item in part]) + ")"
    named = getattr(part, "_name", None) or getattr(part, "token", None)
    return named if isinstance(named, str) else f"{kind.__name__}:{tokenize(part)}"
