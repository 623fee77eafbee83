"""Skewness, kurtosis, covariance and correlation of groups: sums of powers and products of distances from means.

Means are found first and spread to the rows, so that sums of large numbers lose nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from akdask.arrays import ufuncs
from akdask.arrays.array import Array
from akdask.arrays.creation import arange, array
from akdask.arrays.elementwise import cast, clip, where
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.shapes import chained
from akdask.arrays.timearray import TimeArray
from akdask.engine.values import nearest_floats
from akdask.errors import ArgumentTypeError
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.frames.dtypes import is_number
from akdask.frames.group_reductions import in_group_order

if TYPE_CHECKING:
    from akdask.frames.groupby import DataFrameGroupBy


def _distances(groups: GroupBy, name: str, values: Any) -> tuple[Any, Any, Any]:
    """Return the distance of each value from the mean of its group, the number of values, and whether all are equal."""
    if not isinstance(values, pdarray) or isinstance(values, TimeArray):
        raise ArgumentTypeError(f"{name} of groups takes numbers, not {values._describe()}.")
    floats: Any = pdarray(values._frame, nearest_floats(values._value))
    found = groups.reduce_at_once([(floats, how) for how in ("mean", "count", "min", "max")])[1]
    mean, count, least, most = found
    return floats - groups.broadcast(mean), count, least == most


def skew(groups: GroupBy, values: Array) -> Any:
    """Return the skewness of each group without bias, NaN of fewer than three values, or equal ones."""
    distances, count, are_equal = _distances(groups, "skew", values)
    squares = distances * distances
    second, third = groups.reduce_at_once([(squares, "sum"), (squares * distances, "sum")])[1]
    counts = cast(count, np.float64)
    found = counts * ufuncs.sqrt(counts - 1) / (counts - 2) * third / (second * ufuncs.sqrt(second))
    return where((count < 3) | are_equal, np.nan, found)


def kurt(groups: GroupBy, values: Array) -> Any:
    """Return the excess kurtosis of each group without bias, NaN of fewer than four values, or equal ones."""
    distances, count, are_equal = _distances(groups, "kurt", values)
    squares = distances * distances
    second, fourth = groups.reduce_at_once([(squares, "sum"), (squares * squares, "sum")])[1]
    counts = cast(count, np.float64)
    below = (counts - 2) * (counts - 3)
    ratio = counts * (counts + 1) * (counts - 1) * fourth / (below * second * second)
    return where((count < 4) | are_equal, np.nan, ratio - 3 * (counts - 1) ** 2 / below)


def sem(groups: GroupBy, values: Array) -> Any:
    """Return the standard error of the mean of each group."""
    spread, count = groups.reduce_at_once([(values, "std"), (values, "count")])[1]
    return spread / count**0.5


def covariance(groups: GroupBy, one: Any, other: Any, ddof: int = 1) -> Any:
    """Return the covariance of two columns in each group, of the rows where neither is missing."""
    products, _, _, count = _products(groups, "cov", one, other)
    return where(count > ddof, products / (count - ddof), np.nan)


def correlation(groups: GroupBy, one: Any, other: Any) -> Any:
    """Return the correlation of two columns in each group, of the rows where neither is missing."""
    products, first, second, count = _products(groups, "corr", one, other)
    found = clip(products / ufuncs.sqrt(first * second), -1.0, 1.0)
    return where(count > 1, found, np.nan)


def _products(groups: GroupBy, name: str, one: Any, other: Any) -> Sequence[Any]:
    """Return sums of products and squares of distances of two columns, and the number of rows that have both."""
    pairs: list[Any] = []
    for values in (one, other):
        if not isinstance(values, pdarray) or isinstance(values, TimeArray):
            raise ArgumentTypeError(f"{name} of groups takes numbers, not {values._describe()}.")
        pairs.append(pdarray(values._frame, nearest_floats(values._value)))
    lacks = ufuncs.isnan(pairs[0]) | ufuncs.isnan(pairs[1])
    pairs = [where(lacks, np.nan, values) for values in pairs]
    first, second = (_distances(groups, name, values) for values in pairs)
    # A group of equal values has no width, whatever its mean was rounded to.
    x, y = (where(groups.broadcast(same), 0.0, distances) for distances, _, same in (first, second))
    x, y = (where(lacks, np.nan, values) for values in (x, y))
    return [*groups.reduce_at_once([(x * y, "sum"), (x * x, "sum"), (y * y, "sum")])[1], first[1]]


def of_pairs(groups: DataFrameGroupBy, name: str, colnames: Any, **params: Any) -> DataFrame:
    """Return a statistic of each two columns: a row for each group and column; counts groups."""
    arrays = {column: groups.df._columns.array(column) for column in groups._columns(colnames)}
    if colnames is None and groups._chosen is None:
        arrays = {column: values for column, values in arrays.items() if is_number(values)}
    if not arrays:
        raise ArgumentTypeError(f"{name} of groups needs columns of numbers.")
    statistic = {"corr": correlation, "cov": covariance}[name]
    found: dict[tuple[str, str], Any] = {}
    for one, other in combinations_with_replacement(arrays, 2):
        found[one, other] = found[other, one] = statistic(groups.gb, arrays[one], arrays[other], **params)
    keys = groups.gb.unique_keys
    levels, by_pair = in_group_order(
        groups, keys if isinstance(keys, tuple) else (keys,), {str(at): one for at, one in enumerate(found.values())}
    )
    numbers = dict(zip(found, by_pair.values(), strict=True))
    # Of each group all columns, one below the other.
    ngroups, row = groups.ngroups, arange(groups.ngroups * len(arrays))
    group, which = row // len(arrays), row % len(arrays)
    at = which * ngroups + group
    columns = {name: level[group] for name, level in zip(groups.gb_key_names, levels, strict=True)}
    columns["column"] = array(list(arrays))[which]
    for other in arrays:
        columns[other] = chained([numbers[one, other] for one in arrays])[at]
    return groups.df._of(ColumnSet.of(columns))
