"""Lazy forms of methods of windows that the lazy ones lack, or have with another meaning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pandas

from akdask.frames.dataframe import DataFrame
from akdask.frames.series import Series
from akdask.pandas import labels as labelling
from akdask.pandas.group_forms import GroupedWindows
from akdask.pandas.lazy import LazyFrame
from akdask.pandas.refusals import NotLazyError

REDUCTIONS = frozenset(("sum", "mean", "min", "max", "std", "var", "count", "median"))
"""Reductions of windows by name."""


def choose(windows: Any, key: Any) -> Any:
    if isinstance(windows, GroupedWindows):
        return windows.choose(key)
    if not isinstance(key, str) and not (isinstance(key, list) and all(isinstance(one, str) for one in key)):
        raise NotLazyError("columns are not named by text")
    return windows[key]


def agg(windows: Any, func: Any = None, *args: Any, **named: Any) -> Any:
    """Return several reductions of windows, beside each other."""
    if args or named:
        raise NotLazyError("arguments of functions")
    if isinstance(func, str) and func in REDUCTIONS:
        return getattr(windows, func)()
    if isinstance(windows, GroupedWindows) or not isinstance(func, list | dict) or not func:
        raise NotLazyError("functions of the user run in pandas")
    given = [how for hows in (func.values() if isinstance(func, dict) else func) for how in _listed(hows)]
    if not all(isinstance(how, str) and how in REDUCTIONS for how in given):
        raise NotLazyError("functions of the user run in pandas")
    if isinstance(func, list):
        found = {how: getattr(windows, how)() for how in func}
        if len(found) < len(func):
            raise NotLazyError("reductions repeat")
        first = found[func[0]]
        if isinstance(first, Series):
            columns = first._labelled._columns.beside({how: one.values for how, one in found.items()})
            return LazyFrame._of(columns)
        pairs = [(name, how) for name in first._columns.values for how in func]
        return _table(first, pairs, [found[how]._columns.array(name) for name, how in pairs])
    pairs = [(name, how) for name, hows in func.items() for how in _listed(hows)]
    arrays = [getattr(windows[name], how)().values for name, how in pairs]
    first = windows.sum()
    if not isinstance(first, DataFrame):
        raise NotLazyError("a mapping of one column")
    if any(isinstance(hows, list) for hows in func.values()):
        return _table(first, pairs, arrays)
    return LazyFrame._of(first._columns.beside(dict(zip(func, arrays, strict=True))))


def _listed(hows: Any) -> list[Any]:
    return hows if isinstance(hows, list) else [hows]


def _table(first: DataFrame, pairs: list[tuple[str, str]], arrays: list[Any]) -> LazyFrame:
    columns = first._columns.beside({str(number): array for number, array in enumerate(arrays)})
    labels = pandas.MultiIndex.from_tuples(pairs)
    return labelling.labelled(LazyFrame._of(columns), labelling.FrameLabels(labels))


FORMS: Mapping[str, Callable[..., Any]] = {"__getitem__": choose, "agg": agg, "aggregate": agg}
"""Lazy forms of the methods of windows."""
