"""Lazy forms of methods of columns of narrow numbers, whose results are narrow, or rounded, as pandas has them.

Sums of narrow floats are rounded after each addition, and the order of these is NumPy's: it halves the rows again and
again.  The rows are cut where it cuts them, so that the sum has the same bits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pandas

from akdask.frames.dataframe import DataFrame
from akdask.pandas import tuning
from akdask.pandas.arguments import NOT_GIVEN, accepted, bound_arguments
from akdask.pandas.encoded import Coding, Narrow, coding_of, columns_of, narrowed, series_of
from akdask.pandas.face import NDFrame, lazy_argument, words
from akdask.pandas.refusals import NotLazyError

BLOCK = 128
"""Rows that NumPy adds without halving them."""


# sums of floats


def halves(start: int, count: int, most: int) -> Any:
    """Return where NumPy halves rows that it adds: pairs of such, and ranges of at most so many rows."""
    if count <= max(most, BLOCK):
        return range(start, start + count)
    half = count // 2
    half -= half % 8
    return halves(start, half, most), halves(start + half, count - half, most)


def _leaves(tree: Any) -> list[range]:
    return [tree] if isinstance(tree, range) else [*_leaves(tree[0]), *_leaves(tree[1])]


def _added(tree: Any, sums: Mapping[int, np.float32]) -> Any:
    return sums[tree.start] if isinstance(tree, range) else _added(tree[0], sums) + _added(tree[1], sums)


def sum_and_count(own: Any) -> tuple[np.float32, int]:
    """Return the sum of narrow floats that are not missing, rounded as NumPy rounds it, and their number; computes."""
    from akdask.pandas.chunks import by_chunk

    tree = halves(0, len(own), tuning.CHUNK_ROWS)
    leaves = _leaves(tree)

    def of_chunk(rows: Any, _: int) -> Any:
        values = np.asarray(rows, np.float32)
        missing = np.isnan(values)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.where(missing, np.float32(0), values).sum(dtype=np.float32), int((~missing).sum())

    found = by_chunk(own, leaves, of_chunk)
    with np.errstate(over="ignore", invalid="ignore"):
        made = _added(tree, {leaf.start: one for leaf, (one, _) in zip(leaves, found, strict=True)})
    return np.float32(made), sum(count for _, count in found)


def total(own: Any, coding: Narrow, min_count: int = 0) -> Any:
    found, count = sum_and_count(own)
    if count < min_count:
        raise NotLazyError("there are too few values")
    return found


def mean(own: Any, coding: Narrow) -> Any:
    found, count = sum_and_count(own)
    if not count:
        raise NotLazyError("there is no value")
    with np.errstate(over="ignore", invalid="ignore"):
        return found / np.float32(count)


def rounded_reduction(name: str) -> Callable[..., Any]:
    """Return the form of a reduction that pandas computes with wide floats, and rounds."""

    def reduce(own: Any, coding: Narrow) -> Any:
        found = float(getattr(plain_of(own), name)(**({"ddof": 1} if name in ("std", "var") else {})))
        if np.isnan(found):
            raise NotLazyError("there are too few values")
        with np.errstate(over="ignore"):
            return np.float32(found)

    return reduce


# operands


def plain_of(own: Any) -> Any:
    """Return a Series of the wide numbers."""
    from akdask.frames.columnset import VALUES

    array: Any = columns_of(own).array(VALUES)
    return series_of(own, array.plain())


def value_of(coding: Narrow, given: Any) -> Any:
    """Return a plain value as the type holds it.

    Raises
    ------
    NotLazyError
        If it makes another type of the column.
    """
    if type(given) not in (int, float) or (type(given) is float and coding.dtype.kind != "f"):
        raise NotLazyError("the value has no lazy form")
    try:
        made = pandas.Series([1, 1], dtype=coding.dtype).where([True, False], given)
    except (TypeError, ValueError, OverflowError) as error:
        raise NotLazyError("pandas refuses the value") from error
    if made.dtype != coding.dtype:
        raise NotLazyError("the value makes another type of the column")
    return made.iloc[1].item()


def operand(coding: Narrow, given: Any) -> Any:
    """Return a plain value, or the wide numbers of a column of the type."""
    if not isinstance(given, NDFrame):
        return value_of(coding, given)
    other = given.lazy()
    if isinstance(other, DataFrame) or coding_of(other) != coding:
        raise NotLazyError("an argument is of another type")
    return plain_of(other)


# methods


def chosen(name: str) -> Callable[..., Any]:
    """Return the form of `where` or `mask`; integers are floats if some are left out, which is computed."""

    def choose(own: Any, coding: Narrow, cond: Any, other: Any = NOT_GIVEN) -> Any:
        cond = lazy_argument(cond)
        if isinstance(cond, DataFrame):
            raise NotLazyError("the condition is a frame")
        plain = plain_of(own)
        if other is NOT_GIVEN or (isinstance(other, float) and np.isnan(other)):
            if coding.dtype.kind != "f":
                found = getattr(floats_of(plain), name)(cond)
                return found if bool(found.isna().any()) else own
            return narrowed(getattr(plain, name)(cond), coding)
        return narrowed(getattr(plain, name)(cond, operand(coding, other)), coding)

    return choose


def shift(own: Any, coding: Narrow, periods: Any = 1, fill_value: Any = NOT_GIVEN) -> Any:
    if type(periods) is not int:
        raise NotLazyError("rows are shifted by several periods")
    plain = plain_of(own)
    if fill_value is not NOT_GIVEN and fill_value is not None:
        return narrowed(plain.shift(periods, fill_value=value_of(coding, fill_value)), coding)
    if coding.dtype.kind == "f":
        return narrowed(plain.shift(periods), coding)
    if not periods or not len(own):
        raise NotLazyError("integers stay integers where no row is without a source")
    return floats_of(plain).shift(periods)


def floats_of(plain: Any) -> Any:
    """Return numbers as floats."""
    return plain.astype(np.float64)


def fillna(own: Any, coding: Narrow, value: Any = None, limit: Any = None) -> Any:
    if limit is not None or value is None or isinstance(value, dict):
        raise NotLazyError("only some of the missing values are filled")
    if coding.dtype.kind != "f":
        return own
    return narrowed(plain_of(own).fillna(operand(coding, value)), coding)


def clip(own: Any, coding: Narrow, lower: Any = None, upper: Any = None) -> Any:
    bounds = [None if bound is None else value_of(coding, bound) for bound in (lower, upper)]
    return narrowed(plain_of(own).clip(*bounds), coding)


def filled_along(name: str) -> Callable[..., Any]:
    """Return the form of a method that fills with neighbours."""

    def fill(own: Any, coding: Narrow, limit: Any = None) -> Any:
        return narrowed(getattr(plain_of(own), name)(limit=limit), coding) if coding.dtype.kind == "f" else own

    return fill


def diff(own: Any, coding: Narrow, periods: Any = 1) -> Any:
    if type(periods) is not int or not periods:
        raise NotLazyError("rows are compared with several others")
    if coding.dtype.kind == "u":
        raise NotLazyError("differences of numbers without a sign wrap round")
    if coding.dtype.kind == "f":
        return own - shift(own, coding, periods)
    if coding.dtype.itemsize < np.dtype(np.int32).itemsize:
        raise NotLazyError("differences are narrow floats")
    return plain_of(own).diff(periods)


def running(name: str) -> Callable[..., Any]:
    """Return the form of a running sum or product."""

    def run(own: Any, coding: Narrow) -> Any:
        if _running_type(coding.dtype, name) != np.int64:
            raise NotLazyError("pandas rounds narrow floats, or has numbers without a sign")
        return getattr(plain_of(own), name)()

    return run


@lru_cache
def _running_type(dtype: Any, name: str) -> Any:
    return getattr(pandas.Series([1, 1], dtype=dtype), name)().dtype


def rank(
    own: Any,
    coding: Coding,
    method: str = "average",
    na_option: str = "keep",
    ascending: bool = True,
    pct: bool = False,
) -> Any:
    return plain_of(own).rank(method, ascending, pct, na_option=na_option)


def rounded(own: Any, coding: Narrow, decimals: int | None = 0) -> Any:
    if coding.dtype.kind == "f" or decimals is None or decimals < 0:
        raise NotLazyError("pandas rounds narrow floats")
    return own


def replace(own: Any, coding: Narrow, to_replace: Any = None, value: Any = NOT_GIVEN) -> Any:
    pairs = to_replace if isinstance(to_replace, dict) and value is NOT_GIVEN else None
    if pairs is None and type(to_replace) in (int, float) and value is not NOT_GIVEN:
        pairs = {to_replace: value}
    if pairs is None or any(value_of(coding, old) != old for old in pairs):
        raise NotLazyError("several values are replaced, or others than the column may have")
    return narrowed(plain_of(own).replace({old: value_of(coding, new) for old, new in pairs.items()}), coding)


def between(own: Any, coding: Narrow, left: Any, right: Any, inclusive: str = "both") -> Any:
    from akdask.pandas.series import Series

    side = Series._of(own)
    above, below = BOUNDS.get(inclusive, (None, None))
    if above is None or below is None:
        raise NotLazyError("pandas refuses it")
    return lazy_argument(getattr(side, above)(left) & getattr(side, below)(right))


BOUNDS: Mapping[str, tuple[str, str]] = {
    "both": ("__ge__", "__le__"),
    "left": ("__ge__", "__lt__"),
    "right": ("__gt__", "__le__"),
    "neither": ("__gt__", "__lt__"),
}
"""Comparisons with the bounds by which of them count as between."""


def agg(own: Any, coding: Narrow, func: Any = None) -> Any:
    if not isinstance(func, list) or not func or not all(isinstance(how, str) and how in REDUCED for how in func):
        raise NotLazyError("functions of the user run in pandas")
    if len({*func}) < len(func):
        raise NotLazyError("a reduction is asked for twice")
    from akdask.pandas.series import Series

    dtype = pandas.Series([1, 1], dtype=coding.dtype).agg(func).dtype
    found = [Series._of(own)._lazily_by_type(how, (), {}) for how in func]
    return pandas.Series(found, index=func, name=own.name, dtype=dtype)


REDUCED = words("sum mean std var median min max count nunique")


def describe(own: Any, coding: Narrow) -> Any:
    """Return the description of floats: the mean and the deviation are rounded."""
    found = plain_of(own).describe()
    made = found if isinstance(found, pandas.Series) else found.to_pandas()
    made["mean"], made["std"] = mean(own, coding), rounded_reduction("std")(own, coding)
    return made.rename(own.name)


REDUCTIONS: Mapping[str, Callable[..., Any]] = {
    "sum": total,
    "mean": mean,
    **{name: rounded_reduction(name) for name in ("std", "var", "median", "skew", "kurt")},
    "describe": describe,
}
"""Reductions of narrow floats; those of integers are reductions of wide ones."""

AS_WIDE = words("any all idxmax idxmin argmax argmin")
"""Methods of narrow floats that give what they give for wide ones."""

FORMS: Mapping[str, Callable[..., Any]] = {
    **{name: filled_along(name) for name in ("bfill", "ffill")},
    **{name: running(name) for name in ("cumprod", "cumsum")},
    "agg": agg,
    "aggregate": agg,
    "between": between,
    "clip": clip,
    "diff": diff,
    "fillna": fillna,
    "mask": chosen("mask"),
    "rank": rank,
    "replace": replace,
    "round": rounded,
    "shift": shift,
    "where": chosen("where"),
}
"""Lazy forms of methods; each takes the column, what its numbers stand for, and pandas' arguments."""


def of_column(face: Any, own: Any, coding: Narrow, name: str, args: Any, kwargs: dict[str, Any]) -> Any:
    """Call the lazy form of a method of a narrow column; NotImplemented leaves it to those of all encoded columns.

    Raises
    ------
    NotLazyError
        If there is none.
    """
    is_float = coding.dtype.kind == "f"
    if is_float and name in AS_WIDE:
        return type(face)._of(plain_of(own))._lazily(name, args, kwargs)
    if coding.dtype.kind == "u" and name == "sum" and not args and not kwargs:
        return np.uint64(type(face)._of(plain_of(own))._lazily(name, args, kwargs))
    form = FORMS.get(name) or (REDUCTIONS.get(name) if is_float else None)
    if form is None or kwargs.get("inplace") is True:
        return NotImplemented
    given = bound_arguments(pandas.Series, name, args, kwargs)
    return face._faced(form(own, coding, **accepted(pandas.Series, name, form, given)))
