"""Hints below the errors of pandas, which name what akdask has instead."""

from __future__ import annotations

import inspect
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas

from akdask.arrays.missing_attributes import nearby
from akdask.errors import MissingAttributeError
from akdask.frames.columnset import shown_names
from akdask.storage.locales import nearby_files

REMOVED = {
    "append": "pd.concat([a, b])",
    "applymap": "map",
    "backfill": "bfill",
    "bool": ".item()",
    "first": ".loc of a time",
    "iteritems": "items",
    "ix": "loc for labels, iloc for positions",
    "lookup": "loc of pairs, or melt",
    "mad": "(a - a.mean()).abs().mean()",
    "pad": "ffill",
    "slice_shift": "shift",
    "swapaxes": "T",
    "tshift": "shift(freq=…)",
}
"""What pandas once had, and what took its place."""

INDEXERS = ("loc", "at", "iloc", "iat")
"""What finds rows first, whose labels are not listed."""

UNKNOWN_NAME = re.compile(r"has no attribute '([^_]\w*)'")

UNKNOWN_WORD = re.compile(r"got an unexpected keyword argument '(\w+)'")


def hint_at(error: Exception, given: Any, method: str | None = None) -> str | None:
    """Return advice about an error of pandas; None where its text says all.

    Parameters
    ----------
    error : exception
        The error.
    given : object
        The object of pandas' face whose method or attribute was asked for, or the columns of a new one.
    method : str, optional
        Name of the method.
    """
    if isinstance(error, FileNotFoundError):
        return nearby_files(str(error.filename or error))
    if given is None or isinstance(given, Mapping):
        return _of_lengths(given) if given and "same length" in str(error) else None
    if isinstance(error, AttributeError):
        unknown = UNKNOWN_NAME.search(str(error))
        return _of_attribute(unknown[1], given) if unknown else None
    if isinstance(error, TypeError) and method is not None:
        unknown = UNKNOWN_WORD.search(str(error))
        return _alike(unknown[1], _words(getattr(given.pandas_class, method, None))) if unknown else None
    if isinstance(error, NameError):
        return _of_columns(error.name or str(error), _columns(given))
    if isinstance(error, KeyError) and error.args and getattr(given, "_step", None) not in INDEXERS:
        return _of_columns(error.args[0], _columns(given))
    return None


def missing_name(name: str, public: list[str]) -> MissingAttributeError:
    """Return the error for a name that pandas' face lacks, as pandas does."""
    hint = None if name.startswith("_") else _alike(name, [one for one in public if not one.startswith("_")])
    return MissingAttributeError(f"module 'akdask.pandas' has no attribute {name!r}.", hint=hint)


def _of_attribute(name: str, given: Any) -> str | None:
    if name in REMOVED:
        return f"write {REMOVED[name]}"
    public = [one for one in dir(given.pandas_class) if not one.startswith("_")]
    return _alike(name, _named_by_text(_columns(given))) or _alike(name, public)


def _words(method: Any) -> list[str]:
    try:
        return list(inspect.signature(method).parameters)
    except (TypeError, ValueError):
        return []


def _columns(given: Any) -> list[Hashable]:
    """Return the labels of the columns of the frame that an object is, or comes from."""
    frame = given._root()
    return list(frame.columns) if getattr(frame, "pandas_class", None) is pandas.DataFrame else []


def _of_lengths(columns: Mapping[Any, Any]) -> str:
    """Return which of the given columns have other lengths than the first."""
    lengths = {name: len(values) for name, values in columns.items() if hasattr(values, "__len__")}
    first, *others = lengths
    odd = [name for name in others if lengths[name] != lengths[first]]
    return ", ".join(f"{name!r} has {lengths[name]:,} row{'s' * (lengths[name] != 1)}" for name in [first, *odd[:3]])


def _of_columns(asked: object, columns: list[Hashable]) -> str | None:
    """Return the column that is meant, if one is alike, or which ones there are."""
    quoted = re.findall(r"'([^']+)'", str(asked)) if isinstance(asked, str) and "'" in asked else [asked]
    missing = [one for one in quoted if isinstance(one, str) and one not in columns]
    if not columns or not missing:
        return None
    return _alike(missing[0], _named_by_text(columns)) or f"columns: {shown_names(columns)}"


def _alike(name: str, known: list[str]) -> str | None:
    """Return a hint at a name that differs by a slip."""
    return nearby(name, known, 0.75)


def _named_by_text(labels: Iterable[Hashable]) -> list[str]:
    return [one for one in labels if isinstance(one, str)]
