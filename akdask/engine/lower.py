"""Lowering: logical frames to physical nodes, one registered function for each kind of frame.

A logical node knows nothing of tasks.  When Dask needs a graph, `lower` finds the function for the node's type, which
the module that declares the node registers. It returns a physical node, whose inputs Dask lowers in turn.
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
    """Whether a frame is lowered to tasks of its own; others are read by the tasks of other frames."""
    return lower.dispatch(type(frame)) is not lower.dispatch(object)


Optimizer = Callable[[Sequence[Any]], list[Any]]
_optimizers: list[Optimizer] = []


def optimizes(optimizer: Optimizer) -> Optimizer:
    """Register the function that rewrites plans that are computed together, before they are lowered."""
    _optimizers.append(optimizer)
    return optimizer


def optimized(plans: Sequence[Any]) -> list[Any]:
    """Optimise plans before they are lowered; the optimiser rewrites them together with all their inputs."""
    found = list(plans)
    for optimizer in _optimizers:
        found = optimizer(found)
    return found
