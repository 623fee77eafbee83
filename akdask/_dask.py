"""The only place that imports Dask's private names of expressions and tasks.

`SingletonExpr` gives content-addressed, deduplicated nodes.  Graphs consist of `Task` and `TaskRef`.
``dask.compute(a, b)`` wraps several collections in an `ExprSequence`.  `akdask.cluster` knows how tasks are run.

Besides the names, akdask relies on these calls: `lower_completely` calls `lower_once` with a dict of lowered nodes,
`optimize` calls `simplify_once` and `rewrite` of nodes that have no rewriting of their own, ``dask.compute`` calls
`finalize_compute` and the `_simplify_up` of inputs with their `ExprSequence`, and annotations come from
`__dask_annotations__` of the root.  Each has a test in ``tests/engine/test_dask_contract.py``, which a release of Dask
that changes it fails by name.

Worth proposing upstream, as it would make code here unnecessary:

- expressions as a public base class, whose constructor takes operands as they are (`Node.__new__`);
- lowering without nested calls, so that chains may be as long as memory allows (`Node.lower_once`);
- annotations of single tasks, by node (`Node.annotations`);
- a public task, with references to others, that a graph may hold (`Task`, `TaskRef`, `List`).
"""

from __future__ import annotations

from typing import Any

from dask._expr import Expr, SingletonExpr
from dask._expr import _ExprSequence as ExprSequence
from dask._task_spec import Alias, DataNode, GraphNode, List, Task, TaskRef

__all__ = ["Alias", "DataNode", "Expr", "ExprSequence", "GraphNode", "List", "SingletonExpr", "Task", "TaskRef"]


def unknown_categories(frame: Any) -> Any:
    """Return an empty pandas frame whose categoricals have categories that Dask calls unknown."""
    from dask.dataframe.utils import clear_known_categories

    return clear_known_categories(frame)
