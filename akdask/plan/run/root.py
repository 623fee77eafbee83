"""What Dask takes for a collection: a plan with its graph, its keys, and the scheduler that runs it by default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from akdask.plan.expr.node import Node
from akdask.plan.run import threads


class Root:
    """A plan with the interface of a Dask collection.

    Runs on threads of this process unless a client or another scheduler is current.
    """

    __dask_scheduler__ = staticmethod(threads.get)

    def __init__(self, expr: Node) -> None:
        self._expr = expr

    @property
    def expr(self) -> Node:
        """The plan."""
        return self._expr

    def __dask_graph__(self) -> Mapping[Any, Any]:
        return self.expr.__dask_graph__()

    def __dask_keys__(self) -> list[Any]:
        return self.expr.__dask_keys__()

    def __dask_layers__(self) -> tuple[str, ...]:
        return (self.expr._name,)

    def __dask_tokenize__(self) -> str:
        return self.expr._name
