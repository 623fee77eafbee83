"""The only place that imports Dask's private names.

`SingletonExpr` gives content-addressed, deduplicated nodes; `Task` and `TaskRef` are what a graph is made of;
`ExprSequence` is what ``dask.compute(a, b)`` builds of several collections.
"""

from dask._expr import Expr, SingletonExpr
from dask._expr import _ExprSequence as ExprSequence
from dask._task_spec import Alias, DataNode, List, Task, TaskRef

__all__ = ["Alias", "DataNode", "Expr", "ExprSequence", "List", "SingletonExpr", "Task", "TaskRef"]
