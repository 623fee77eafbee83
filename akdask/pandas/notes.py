"""Notes of users on frames and Series, `attrs`, which most methods of pandas pass on."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import pandas
from pandas.core.computation import expressions  # type: ignore[attr-defined, unused-ignore]

from akdask.pandas.face import OPERATORS, NDFrame, words

OF_BOTH = OPERATORS | words("add sub mul truediv floordiv mod pow radd rsub rmul rtruediv rfloordiv rmod rpow")
"""Methods whose results have the notes of the other side, where it has some."""

JOINS = words("merge join")
"""Methods whose results have the notes that both sides share."""

WINDOWS = words("rolling expanding ewm")

WITHOUT = words("value_counts memory_usage")
"""Methods that pass nothing on."""

WITHOUT_OF_GROUPS = words(
    """count nunique size cumsum cumprod cummax cummin pct_change rank ffill bfill cumcount ngroup quantile apply"""
)
"""Methods of groups that pass nothing on."""


def passed_on(
    face: Any, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any], notes: dict[Any, Any], found: Any
) -> Any:
    """Return the result of a method, with the notes that it passes on."""
    if not isinstance(found, NDFrame):
        return found
    steps = []
    origin = face
    while hasattr(origin, "_origin"):
        steps.append(origin._step)
        origin = origin._origin
    others = [item._known_notes() or {} for item in args if isinstance(item, NDFrame)]
    if name in OF_BOTH:
        notes = next((other for other in others if other), notes)
    if name in JOINS and any(other != notes for other in others):
        return found
    if name == "eval" and found.pandas_class is pandas.Series and _is_by_numexpr(kwargs.get("engine")):
        return found
    if notes and _are_passed_on(face, name, args, steps):
        found._note(deepcopy(notes))
    return found


def _is_by_numexpr(engine: Any) -> bool:
    """Whether pandas computes values of expressions by numexpr, whose results have no notes, if an engine is given."""
    return bool(expressions.USE_NUMEXPR) if engine is None else bool(engine == "numexpr")


def _are_passed_on(face: Any, name: str, args: tuple[Any, ...], steps: list[str]) -> bool:
    if WINDOWS.intersection(steps):
        return False
    is_series = issubclass(face.pandas_class, pandas.Series)
    if "groupby" not in steps:
        is_list = (name == "quantile" or name in ("agg", "aggregate")) and is_series
        return name not in WITHOUT and not is_list
    if name in ("agg", "aggregate", "transform"):
        if not args or not isinstance(args[0], str):
            return False
        is_column = "SeriesGroupBy" in face.pandas_class.__name__
        if name == "transform" and is_column and args[0] not in ("shift", "diff"):
            return False
        name = args[0]
    return name not in WITHOUT_OF_GROUPS and not (name == "describe" and "Series" in face.pandas_class.__name__)
