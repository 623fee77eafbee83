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

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

WIDGETS = "dask.widgets"


class _Widgets(ModuleType):
    """Stands for Dask's pictures of graphs until one is made: they load Jinja, a tenth of what `import dask` takes."""

    def get_template(self, name: str) -> Any:
        return self._loaded().get_template(name)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._loaded(), name)

    def _loaded(self) -> ModuleType:
        self.leave()
        return import_module(WIDGETS)

    def leave(self) -> None:
        """Let later imports load the module."""
        if sys.modules.get(WIDGETS) is self:
            del sys.modules[WIDGETS]


_widgets = _Widgets(WIDGETS)
if "dask" not in sys.modules:
    sys.modules[WIDGETS] = _widgets
try:
    from dask._expr import Expr, SingletonExpr
    from dask._expr import _ExprSequence as ExprSequence
    from dask._task_spec import Alias, DataNode, GraphNode, List, Task, TaskRef
finally:
    _widgets.leave()

__all__ = ["Alias", "DataNode", "Expr", "ExprSequence", "GraphNode", "List", "SingletonExpr", "Task", "TaskRef"]


def unknown_categories(frame: Any) -> Any:
    """Return an empty pandas frame whose categoricals have categories that Dask calls unknown."""
    from dask.dataframe.utils import clear_known_categories

    return clear_known_categories(frame)
