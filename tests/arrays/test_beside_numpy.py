"""Calls of NumPy's names give what NumPy gives, along every axis and with every option."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import pytest

import akdask as ak
from akdask.arrays import matrices, shapes

Calls: TypeAlias = list[tuple[str, tuple[Any, ...], dict[str, Any]]]
"""Names of functions, and what they are given by place and by name."""

FLAT = np.array([3, -1, 4, 1, -5, 9, 2, 6])
GRID = np.arange(12).reshape(3, 4) % 7 - 2
BLOCK = np.arange(24).reshape(2, 3, 4) % 11 - 3
FLOATS = np.array([[0.5, -1.25, 2.0], [3.5, 0.0, -0.75]])
HOLEY = np.array([1.0, np.nan, -np.inf, 0.0, np.inf, -2.5])
WORDS = np.array([0, 1, 2, 2**63, 2**64 - 1], np.uint64)
MASK = np.array([True, False, True, True, False, True, False, False])

AXES: Calls = [
    *((name, (BLOCK,), {"axis": axis}) for name in ("cumsum", "cumprod", "flip", "sort") for axis in (-3, -1, 0, 1, 2)),
    *(("diff", (BLOCK,), {"n": n, "axis": axis}) for n in (0, 1, 2) for axis in (0, 1, -1)),
    *((name, (BLOCK,), {"axis": axis, "keepdims": keep}) for name in ("sum", "prod", "min", "max", "mean", "any",
        "all") for axis in (None, 0, -1, (0, 2), (1,)) for keep in (False, True)),
    *((name, (BLOCK,), {"axis": axis}) for name in ("argmin", "argmax") for axis in (None, 0, 1, 2)),
    *((name, (FLOATS,), {"axis": axis, "ddof": ddof}) for name in ("var", "std") for axis in (None, 0, 1)
        for ddof in (0, 1)),
    *(("median", (FLOATS,), {"axis": axis, "keepdims": keep}) for axis in (None, 0, -1) for keep in (False, True)),
    *(("take", (BLOCK, [1, 0, -1]), {"axis": axis}) for axis in (1, 2, -2)),
    *(("repeat", (GRID, 2), {"axis": axis}) for axis in (None, 0, 1)),
    ("repeat", (GRID, [1, 0, 2]), {"axis": 0}),
    *(("roll", (BLOCK, shift), {"axis": axis}) for shift in (0, 1, -2, 7) for axis in (None, 0, 2)),
    ("roll", (BLOCK, (1, 2)), {"axis": (0, 2)}),
    *(("concatenate", ([BLOCK, BLOCK[..., ::-1]],), {"axis": axis}) for axis in (0, 1, 2, -1)),
    *(("stack", ([GRID, -GRID],), {"axis": axis}) for axis in (0, 1, 2, -1)),
    *(("moveaxis", (BLOCK, one, other), {}) for one in (0, 1, -1) for other in (0, 2, -2)),
    ("moveaxis", (BLOCK, (0, 1), (-1, 0)), {}),
    *(("transpose", (BLOCK,), {"axes": axes}) for axes in (None, (2, 0, 1), (1, 0, 2))),
    *(("expand_dims", (GRID,), {"axis": axis}) for axis in (0, 1, 2, -1)),
    ("squeeze", (GRID[:, None],), {"axis": 1}),
    *(("delete", (GRID, obj), {"axis": axis}) for obj in (1, -1, [0, 2], slice(0, 2)) for axis in (None, 0, 1)),
    *(("append", (GRID, GRID[:2]), {"axis": axis}) for axis in (None, 0)),
    *((name, (GRID, k), {}) for name in ("tril", "triu") for k in (-3, -1, 0, 1, 5)),
    *((name, ([GRID, -GRID],), {}) for name in ("hstack", "vstack")),
]  # fmt: skip
SHAPES: Calls = [
    *(("tile", (GRID, reps), {}) for reps in (2, (2,), (1, 3), (2, 1, 2))),
    *(("pad", (GRID, width), {"mode": mode}) for width in (0, 1, (1, 2), ((0, 1), (2, 0))) for mode in ("constant",
        "edge")),
    ("pad", (FLAT, (2, 1)), {"mode": "constant", "constant_values": (7, 8)}),
    *(("eye", (3, 4), {"k": k}) for k in (-1, 0, 2)),
    *(("arange", bounds, {}) for bounds in ((5,), (2, 7), (7, 2, -2), (0, 10, 3))),
    *(("linspace", (0, 1), {"num": num, "endpoint": endpoint}) for num in (0, 1, 2, 5) for endpoint in (True, False)),
    *(("logspace", (0, 2), {"num": 4, "endpoint": endpoint, "base": base}) for endpoint in (True, False)
        for base in (10.0, 2.0)),
    ("full", ((2, 3), 7), {}), ("zeros", ((2, 3),), {}), ("ones", (4,), {}), ("full_like", (GRID, 5), {}),
    ("broadcast_to", (FLAT, (2, 8)), {}),
    ("matmul", (GRID, GRID.T), {}), ("matmul", (FLAT[:4], GRID.T), {}), ("matmul", (GRID, FLAT[:4]), {}), ("dot",
    (FLAT, FLAT[::-1]), {}),
    ("tensordot", (BLOCK, BLOCK), {"axes": 3}), ("tensordot", (BLOCK, GRID), {"axes": 2}), ("tensordot", (GRID,
    GRID.T), {"axes": 1}),
    ("vecdot", (GRID, -GRID), {}), ("squeeze", (GRID[None, :, None],), {}),
]  # fmt: skip
SETS: Calls = [
    *((name, (FLAT, FLAT[::2] + 1), {}) for name in ("intersect1d", "union1d", "setdiff1d", "setxor1d")),
    *(("searchsorted", (np.sort(FLAT), np.array([-9, -1, 2, 5, 99])), {"side": side}) for side in ("left", "right")),
    ("bincount", (np.array([0, 3, 3, 1]),), {}), ("bincount", (np.array([0, 3, 3, 1]),), {"minlength": 6}),
    ("bincount", (np.array([0, 3, 3]),), {"weights": np.array([0.5, 1.5, 2.5])}),
    ("unique", (FLAT % 3,), {}), ("where", (MASK, FLAT, -FLAT), {}), ("where", (MASK, FLAT, 7), {}), ("where", (MASK,
    7, FLAT), {}),
    ("clip", (FLAT, -1, 4), {}), ("clip", (FLOATS, None, 1.0), {}), ("clip", (FLOATS, 0.0, None), {}),
    *(("round", (FLOATS * 3.3,), {"decimals": decimals}) for decimals in (0, 1, 2)),
]  # fmt: skip
ELEMENTS: Calls = [
    *((name, (HOLEY,), {}) for name in ("floor", "ceil", "trunc", "fabs", "sign", "isnan", "isinf", "isfinite",
        "square", "exp", "expm1", "cos", "arctan", "tanh", "rad2deg", "deg2rad")),
    *((name, (FLOATS,), {}) for name in ("sin", "tan", "sinh", "cosh", "arcsinh", "exp", "floor")),
    *((name, (np.abs(FLOATS) + 1,), {}) for name in ("log", "log2", "log10", "log1p", "sqrt", "arccosh")),
    *((name, (FLOATS / 4,), {}) for name in ("arcsin", "arccos", "arctanh")),
    *((name, (FLAT, FLAT[::-1]), {}) for name in ("maximum", "minimum", "arctan2", "mod")),
    *((name, (HOLEY, HOLEY[::-1].copy()), {}) for name in ("maximum", "minimum", "nextafter")),
    *((name, (WORDS, WORDS[::-1].copy()), {}) for name in ("maximum", "minimum")),
    ("fmod", (FLOATS, FLOATS[::-1] + 0.1), {}), ("power", (FLOATS, 2), {}), ("logical_not", (MASK,), {}), ("divmod",
    (FLAT, 4), {}), ("count_nonzero", (FLAT,), {}), ("allclose", (FLOATS, FLOATS + 1e-9), {}),
]  # fmt: skip


def ours(name):
    """Return the function of a name, which the module of shapes has where Arkouda has none."""
    return next(getattr(module, name) for module in (ak, shapes, matrices) if hasattr(module, name))


def lazy(item):
    """Return arguments with lazy arrays in place of NumPy's."""
    if isinstance(item, list | tuple):
        made = [lazy(one) for one in item]
        return made if isinstance(item, list) else tuple(made)
    return ak.array(item) if isinstance(item, np.ndarray) else item


def plain(item):
    if isinstance(item, list | tuple):
        return [plain(one) for one in item]
    return item.to_ndarray() if hasattr(item, "to_ndarray") else np.asarray(item)


@pytest.mark.light
@pytest.mark.parametrize("calls", [AXES, SHAPES, SETS, ELEMENTS], ids=["axes", "shapes", "sets", "elements"])
def test_calls_give_what_numpy_gives(calls):
    for name, given, options in calls:
        with np.errstate(all="ignore"):
            wanted = getattr(np, name)(*given, **options)
            found = ours(name)(*lazy(given), **{word: lazy(value) for word, value in options.items()})
            pairs = (
                zip(plain(found), plain(wanted), strict=True) if isinstance(found, tuple) else [(plain(found), wanted)]
            )
            for one, other in pairs:
                np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=f"{name} {given} {options}")
                assert np.shape(one) == np.shape(other), (name, options)
