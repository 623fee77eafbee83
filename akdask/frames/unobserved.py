"""Unobserved categories: groups without rows, which pandas shows with ``observed=False``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.arrays.array import Array
from akdask.arrays.categorical import Categorical
from akdask.arrays.creation import arange
from akdask.arrays.groupby import GroupBy
from akdask.arrays.pdarray import pdarray
from akdask.arrays.setops import in1d, unique
from akdask.arrays.sorting import coargsort
from akdask.columns.dtypes import FLOAT64
from akdask.engine.node import Frame
from akdask.engine.values import Call, Constant, cast
from akdask.errors import UnsupportedError
from akdask.frames.alignment import missing_like
from akdask.frames.columnset import ColumnSet
from akdask.frames.join import stacked

OF_NOTHING = {"size": 0, "count": 0, "nunique": 0, "sum": 0, "prod": 1, "any": False, "all": True}
"""What reductions find of no rows; all others find nothing."""


def with_unobserved(
    groups: GroupBy, keys: Any, results: Sequence[Array], reductions: Sequence[str]
) -> tuple[Any, list[Array]]:
    """Add groups for categories that no row has to keys and results, in order; counts keys.

    Parameters
    ----------
    groups : GroupBy
        The groups.
    keys : array, or tuple of arrays
        The keys of groups that have rows.
    results : sequence of Array
        Reductions of these groups.
    reductions : sequence of str
        Names of the reductions.

    Raises
    ------
    UnsupportedError
        If there are several keys, and rows whose keys are missing are in groups.
    """
    given = keys if isinstance(keys, tuple) else (keys,)
    if len(given) > 1 and not groups.dropna:
        raise UnsupportedError(
            "categories without rows are not combined with missing keys.", hint="pass dropna=True, or observed=True."
        )
    levels = _combined([_all_of(key) for key in groups._arrays])
    several = len(given) > 1
    lacking = in1d(list(levels) if several else levels[0], list(given) if several else given[0], invert=True)
    levels = [level[lacking] for level in levels]
    frame = levels[0]._frame
    nothing = [_of_nothing(result, how, frame) for result, how in zip(results, reductions, strict=True)]
    names = [str(number) for number in range(len(given) + len(results))]
    found = stacked(
        [
            ColumnSet.of(dict(zip(names, [*given, *results], strict=True))),
            ColumnSet.of(dict(zip(names, [*levels, *nothing], strict=True))),
        ]
    )
    arrays = [found.array(name) for name in names]
    order = coargsort([_place(key) for key in arrays[: len(given)]])
    arrays = [array[order] for array in arrays]
    return (tuple(arrays[: len(given)]) if several else arrays[0]), arrays[len(given) :]


def _place(key: Array) -> Array:
    """Return the column that orders groups: for a Categorical its codes, with NaN for the NA code."""
    if not isinstance(key, Categorical):
        return key
    lacks = key._missing_among(key._value)
    return pdarray(key._frame, Call("where", lacks, Constant(np.nan), cast(key._value, FLOAT64)))


def _all_of(key: Any) -> Array:
    """Return each category, or each distinct value of other keys."""
    found: Array = key._each_category() if isinstance(key, Categorical) else unique(key)
    return found


def _combined(levels: Sequence[Any]) -> list[Any]:
    """Return each combination of labels of several levels."""
    sizes = [int(level.size) for level in levels]
    if len(levels) == 1:
        return list(levels)
    count = 1
    for size in sizes:
        count *= size
    row, combined = arange(count), []
    for level, size in zip(levels, sizes, strict=True):
        count //= max(size, 1)
        combined.append(level[row // max(count, 1) % max(size, 1)])
    return combined


def _of_nothing(result: Array, reduction: str, frame: Frame) -> Array:
    found = OF_NOTHING.get(reduction)
    if found is None:
        return missing_like(frame, result)
    return result._like(frame, Constant(result._value.dtype.numpy.type(found)))
