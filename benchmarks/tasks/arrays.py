"""Functions of arrays in memory beside NumPy, and dask.array where it has them: from arrays to an array or a number."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import dask.array as da
import numpy as np

import akdask as ak
from benchmarks.report import MILLISECONDS, OURS, Result
from benchmarks.setting import Setting
from benchmarks.timing import Run

NUMPY, DASK = "NumPy", "dask.array"
NUMPYS_SHARE = 0.8
"""The least ratio to NumPy, which has one thread and no plan, on memory that both have to write."""

WIDTH = 1000
"""Columns of matrices."""

BINS = 100

SHOWN = 50
"""Elements at which results are compared."""


class Given(NamedTuple):
    """The same arrays of one library: of floats, integers, bools and positions, and a matrix."""

    library: Any
    x: Any
    y: Any
    whole: Any
    mask: Any
    places: Any
    items: Any
    matrix: Any
    row: Any


Function = Callable[[Given], Any]


def _changed(rows: Callable[[Given], Any], items: Callable[[Given], Any]) -> Function:
    """Return the function that copies an array and assigns to some rows of the copy."""

    def assign(given: Given) -> Any:
        changed = given.x.copy()
        changed[rows(given)] = items(given)
        return changed

    return assign


def _along(name: str, axis: int) -> Function:
    return lambda given: getattr(given.library, name)(given.matrix, axis=axis)


def _of(name: str, *fields: str, **params: Any) -> Function:
    return lambda given: getattr(given.library, name)(*[getattr(given, field) for field in fields], **params)


FUNCTIONS: dict[str, Function] = {
    "x[places] = items": _changed(lambda given: given.places, lambda given: given.items),
    "x[places] = 1.0": _changed(lambda given: given.places, lambda given: 1.0),
    "x[mask] = 1.0": _changed(lambda given: given.mask, lambda given: 1.0),
    "x[a:b] = 1.0": _changed(lambda given: slice(len(given.items), 2 * len(given.items)), lambda given: 1.0),
    "x[places]": lambda given: given.x[given.places],
    "x[mask]": lambda given: given.x[given.mask],
    "median": _of("median", "x"),
    "percentile": lambda given: given.library.percentile(given.x, 90),
    "three quantiles": lambda given: given.library.quantile(given.x, [0.1, 0.5, 0.9]),
    "a * x + y": lambda given: 2.5 * given.x + given.y,
    "x + y": lambda given: given.x + given.y,
    "x / y": lambda given: given.x / given.y,
    "i // 7": lambda given: given.whole // 7,
    "x > y": lambda given: given.x > given.y,
    "sqrt": _of("sqrt", "x"),
    "exp": _of("exp", "x"),
    "sin": _of("sin", "x"),
    "where": _of("where", "mask", "x", "y"),
    "minimum": _of("minimum", "x", "y"),
    "sum": _of("sum", "x"),
    "mean": _of("mean", "x"),
    "std": _of("std", "x"),
    "max": _of("max", "whole"),
    "argmin": _of("argmin", "x"),
    "cumsum": _of("cumsum", "whole"),
    "diff": _of("diff", "x"),
    "sort": _of("sort", "x"),
    "argsort": _of("argsort", "x"),
    "unique": _of("unique", "whole"),
    "concatenate": lambda given: given.library.concatenate([given.x, given.y]),
    "histogram": lambda given: given.library.histogram(given.x, bins=BINS, range=(0.0, 1.0))[0],
    "dot": _of("dot", "x", "y"),
    "matrix + row": lambda given: given.matrix + given.row,
    **{
        f"{name} along axis {axis}": _along(name, axis)
        for name in ("sum", "mean", "std", "var", "min", "argmin", "diff")
        for axis in (0, 1)
    },
}
"""What is computed, by name."""

NOT_OF_DASK = {
    *("x[places] = items", "x[places] = 1.0", "x[places]", "x[mask]", "median", "quantile", "three quantiles"),
    *("percentile", "sort", "argsort"),
}
"""What dask.array does not have, or not exactly."""


def functions_of_arrays(setting: Setting) -> list[Result]:
    """Compute functions of arrays."""
    plain = make_arrays(setting.rows)
    ours = Given(ak, *map(ak.array, plain[1:]))
    theirs = Given(da, *map(da.from_array, plain[1:]))
    found = []
    for name, function in FUNCTIONS.items():
        runs: dict[str, Run] = {
            OURS: partial(_answer, function, ours),
            NUMPY: partial(_answer, function, plain),
        }
        if name not in NOT_OF_DASK:
            runs[DASK] = partial(_answer, function, theirs, num_workers=setting.threads)
        found.append(Result(name, MILLISECONDS, setting.interleave(runs), {NUMPY: NUMPYS_SHARE}))
    return found


def make_arrays(rows: int) -> Given:
    """Return random arrays of NumPy; a tenth of the rows are at `places`, some of them repeatedly."""
    random = np.random.default_rng(1)
    x, y = random.random(rows), random.random(rows)
    whole, mask = random.integers(0, 10**6, rows), random.random(rows) < 0.5
    places = random.integers(0, rows, rows // 10)
    matrix = x[: rows // WIDTH * WIDTH].reshape(-1, WIDTH)
    return Given(np, x, y, whole, mask, places, random.random(len(places)), matrix, random.random(WIDTH))


def _answer(function: Function, given: Given, **options: Any) -> list[float]:
    """Compute a function, and return some elements of the result."""
    found = function(given)
    if isinstance(found, ak.Scalar):
        found = found.compute()
    elif hasattr(found, "to_ndarray"):
        found = found.to_ndarray()
    elif hasattr(found, "compute"):
        found = found.compute(**options)
    flat = np.asarray(found, np.float64).reshape(-1)
    return [float(item) for item in flat[:: max(len(flat) // SHOWN, 1)]]
