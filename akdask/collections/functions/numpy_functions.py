"""NumPy's functions on lazy arrays: those that akdask has stay lazy, all others compute and hand NumPy its arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from akdask.collections.arrays import creation, elementwise
from akdask.collections.core.array import Array
from akdask.collections.core.later import provides
from akdask.collections.core.scalar import Scalar
from akdask.collections.text import concatenation as functions

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
}


@provides("array function")
def array_function(func: Callable[..., Any], types: Any, args: Any, kwargs: Any) -> Any:
    """Answer NumPy's dispatch protocol (NEP 18)."""
    lazy = LAZY.get(func)
    if lazy is not None:
        return lazy(*args, **kwargs)
    return func(*[_at_hand(item) for item in args], **{name: _at_hand(item) for name, item in kwargs.items()})


def _at_hand(item: Any) -> Any:
    if isinstance(item, Array):
        return item.to_ndarray()
    if isinstance(item, Scalar):
        return item.value()
    if isinstance(item, list | tuple):
        return type(item)(map(_at_hand, item))
    return item
