"""NumPy's functions on lazy arrays: functions that akdask has stay lazy, all others compute and get NumPy arrays."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np

from akdask.arrays import concatenation as functions
from akdask.arrays import creation, elementwise, matrices, scans, shapes
from akdask.arrays import functions as rearranging
from akdask.arrays.array import Array
from akdask.arrays.ndarray import reshaped
from akdask.arrays.scalar import Scalar
from akdask.arrays.strided_layout import nonzero_positions

LAZY: dict[Callable[..., Any], Callable[..., Any]] = {
    np.sum: functions.sum,
    np.prod: functions.prod,
    np.min: functions.min,
    np.max: functions.max,
    np.mean: functions.mean,
    np.var: functions.var,
    np.std: functions.std,
    np.median: functions.median,
    np.quantile: functions.quantile,
    np.percentile: functions.percentile,
    np.any: functions.any,
    np.all: functions.all,
    np.argmin: functions.argmin,
    np.argmax: functions.argmax,
    np.count_nonzero: functions.count_nonzero,
    np.concatenate: functions.concatenate,
    np.where: elementwise.where,
    np.clip: elementwise.clip,
    np.round: elementwise.round,
    np.zeros_like: creation.zeros_like,
    np.ones_like: creation.ones_like,
    np.full_like: creation.full_like,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.shape: shapes.shape,
    np.transpose: shapes.transpose,
    np.moveaxis: shapes.moveaxis,
    np.swapaxes: shapes.swapaxes,
    np.flip: lambda m, axis=None: shapes.flip(m, axis=axis),
    np.squeeze: shapes.squeeze,
    np.expand_dims: shapes.expand_dims,
    np.roll: shapes.roll,
    np.reshape: lambda a, shape: reshaped(a if a.ndim == 1 else a.flatten(), shape),
    np.ravel: lambda a: a.copy() if a.ndim == 1 else a.flatten(),
    np.hstack: shapes.hstack,
    np.vstack: shapes.vstack,
    np.stack: shapes.stack,
    np.append: shapes.append,
    np.delete: shapes.delete,
    np.tile: shapes.tile,
    np.repeat: shapes.repeat,
    np.pad: shapes.pad,
    np.broadcast_to: shapes.broadcast_to,
    np.broadcast_arrays: shapes.broadcast_arrays,
    np.meshgrid: shapes.meshgrid,
    np.dot: matrices.dot,
    np.tensordot: matrices.tensordot,
    np.tril: matrices.tril,
    np.triu: matrices.triu,
    np.diff: rearranging.diff,
    np.take: rearranging.take,
    np.copy: lambda a: a.copy(),
    np.cumsum: scans.cumsum,
    np.cumprod: scans.cumprod,
    np.nonzero: lambda a: tuple(nonzero_positions(a)),
}


def array_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Answer NumPy's dispatch protocol (NEP 18)."""
    lazy = LAZY.get(func)
    if lazy is not None and _takes(lazy, args, kwargs):
        return lazy(*args, **kwargs)
    return func(*[_at_hand(item) for item in args], **{name: _at_hand(item) for name, item in kwargs.items()})


def _takes(function: Callable[..., Any], args: Any, kwargs: Any) -> bool:
    """Whether a function has these parameters; NumPy handles others of its own, such as ``out``."""
    try:
        signature(function).bind(*args, **kwargs)
    except TypeError:
        return False
    return True


def _at_hand(item: Any) -> Any:
    if isinstance(item, Array):
        return item.to_ndarray()
    if isinstance(item, Scalar):
        return item.value()
    if isinstance(item, list | tuple):
        return type(item)(map(_at_hand, item))
    return item
