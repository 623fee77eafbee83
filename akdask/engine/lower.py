"""Lowering: logical frames to physical nodes, one registered function for each kind of frame.

A logical node knows nothing of tasks.  When Dask asks for a graph, `lower` finds the function for its type in the
module that declares it, and returns a physical node whose inputs Dask lowers in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Any

from akdask._dask import Expr
from akdask.errors import UnsupportedError


@singledispatch
def lower(frame: Expr) -> Expr:
    """Return the physical node that makes the partitions of a logical one."""
    raise UnsupportedError(f"no lowering is registered for plan nodes of type {type(frame).__name__}.")


def has_tasks(frame: Expr) -> bool:
    """Whether a frame is lowered to tasks, rather than read by those of other frames."""
    return lower.dispatch(type(frame)) is not lower.dispatch(object)


Optimizer = Callable[[Sequence[Any]], list[Any]]
_optimizers: list[Optimizer] = []


def optimizes(optimizer: Optimizer) -> Optimizer:
    """Have a function rewrite plans that are computed together, before they are lowered."""
    _optimizers.append(optimizer)
    return optimizer


def optimized(plans: Sequence[Any]) -> list[Any]:
    """Return plans as they are lowered: rewritten by the optimiser, which knows all that plans are made of."""
    found = list(plans)
    for optimizer in _optimizers:
        found = optimizer(found)
    return found
