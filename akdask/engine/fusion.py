"""Fusion: tasks of a cluster that only one other task reads become part of it.

Between a task and the one that reads its result pass the messages of a worker to the scheduler, and of the scheduler to
a worker. They take milliseconds, in which most tasks on few rows are done: dimension tables that are read, filtered and
indexed, groups that are merged, sorted and cut. What could run beside other tasks, and has many rows, stays apart.
Threads of one process hand results on without messages, and fuse nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, Self

from akdask._dask import Expr, List, Task, TaskRef
from akdask.deferred import without_collection
from akdask.engine import tuning
from akdask.engine.node import Node, on_lowered, tasks_below
from akdask.engine.pipeline import Pipeline
from akdask.engine.rowwise import Tables, Tasks
from akdask.engine.sources import Rows, Scan
from akdask.engine.values import token
from akdask.records import record


class Fused(Node):
    """The tasks of several nodes, inputs first, as one task for each partition; its result is that of the last node.

    Operands after `members` are the inputs from other tasks.
    """

    members: tuple[Node, ...]

    @classmethod
    def of(cls, members: Sequence[Node]) -> Self:
        """Return the node of members, whose inputs are members before them or other nodes."""
        names = {member._name for member in members}
        inputs = {item._name: item for member in members for item in member.dependencies() if item._name not in names}
        return cls(tuple(members), *inputs.values())

    @classmethod
    def step(cls, *operands: Any) -> str:
        return str(operands[0][-1]._name.rpartition("-")[0])

    @property
    def npartitions(self) -> int:
        return self._last.npartitions

    @property
    def _last(self) -> Node:
        return self.members[-1]

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        tasks: dict[Any, Task] = {}
        for member in self.members:
            tasks.update(member._layer())
        graph = {}
        for number, last in enumerate(self._last.__dask_keys__()):
            chosen, inputs = _tasks_for(last, tasks)
            key = (self._name, number)
            graph[key] = Task(key, run_fused, FusedTasks(chosen, inputs), List(*map(TaskRef, inputs)))
        return graph


@record
class FusedTasks:
    """Tasks that are run one after the other, and the keys of the results that they are given."""

    tasks: tuple[Task, ...]
    inputs: tuple[Any, ...]


def run_fused(fused: FusedTasks, inputs: Sequence[Any]) -> Any:
    """Run tasks, and return the result of the last.  This is the function of the task that they are part of."""
    readers: defaultdict[Any, int] = defaultdict(int)
    for task in fused.tasks:
        for key in task.dependencies:
            readers[key] += 1
    results = dict(zip(fused.inputs, inputs, strict=True))
    for task in fused.tasks:
        result = task({key: results[key] for key in task.dependencies})
        for key in task.dependencies:
            readers[key] -= 1
            if not readers[key]:
                # Its memory is free for the next task.
                del results[key]
        results[task.key] = result
    return result


def _tasks_for(last: Any, tasks: Mapping[Any, Task]) -> tuple[tuple[Task, ...], tuple[Any, ...]]:
    """Return the tasks that a result is made by, inputs first, and the keys of results of other tasks."""
    found: dict[Any, Task] = {}
    inputs: dict[Any, None] = {}
    stack = [last]
    while stack:
        key = stack[-1]
        missing = [name for name in tasks[key].dependencies if name in tasks and name not in found]
        if missing:
            stack += missing
            continue
        stack.pop()
        found[key] = tasks[key]
        inputs.update(dict.fromkeys(name for name in sorted(tasks[key].dependencies, key=str) if name not in tasks))
    return tuple(found.values()), tuple(inputs)


class TaskGraph(Node):
    """The tasks of lowered plans and their annotations, as a scheduler gets them.

    Lowered plans refer to the plans that they were made from, whose pickling took 4 ms, and unpickling 2, where that of
    the tasks takes 0.7 and 0.4.
    """

    tasks: dict[Any, Any]
    notes: dict[str, dict[Any, Any]]

    @classmethod
    def of(cls, plans: Sequence[Expr]) -> Self:
        """Return the tasks of lowered plans."""
        notes: defaultdict[str, dict[Any, Any]] = defaultdict(dict)
        for plan in plans:
            for name, tasks in plan.__dask_annotations__().items():
                notes[name].update(tasks)
        return cls(tasks_below(plans), dict(notes), _determ_token=token(*[plan._name for plan in plans]))

    def __dask_graph__(self) -> dict[Any, Any]:
        return self.tasks

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        return self.notes


def fuse(plans: Sequence[Expr]) -> list[Expr]:
    """Return lowered plans in which nodes that only one other node reads are part of it, where that costs no time."""
    nodes = _inputs_first(plans)
    if len(plans) == 1 and _is_one_task(nodes):
        return [Fused.of(nodes)]
    roots = {plan._name for plan in plans}
    readers: defaultdict[str, list[Expr]] = defaultdict(list)
    for node in nodes:
        for item in node.dependencies():
            readers[item._name].append(node)
    groups: dict[str, list[Node]] = {}
    are_few = _are_few(nodes)
    for node in reversed(nodes):
        if isinstance(node, Node) and node.is_fusible:
            group = None if node._name in roots else _group_of(node, readers[node._name], groups, are_few)
            groups[node._name] = group = [] if group is None else group
            group.append(node)
    made: dict[str, Expr] = {}
    for node in nodes:
        made[node._name] = on_lowered(node, node.dependencies(), made)
        group = groups.get(node._name, [])
        if len(group) > 1 and group[0] is node:
            made[node._name] = Fused.of([made[member._name] for member in reversed(group)])
    return [made[plan._name] for plan in plans]


def _is_one_task(nodes: Sequence[Expr]) -> bool:
    """Whether a worker computes all nodes sooner than several do, which would wait for each other's messages."""
    if not all(isinstance(node, Node) and node.is_fusible for node in nodes):
        return False
    return sum(_rows_read(node, 0) for node in nodes) <= tuning.ONE_TASK_ROWS


def _inputs_first(plans: Sequence[Expr]) -> list[Expr]:
    """Return the nodes of lowered plans, each once, after its inputs."""
    found: dict[str, Expr] = {}
    stack = list(plans)
    while stack:
        node = stack[-1]
        missing = [item for item in node.dependencies() if item._name not in found]
        if missing and node._name not in found:
            stack += missing
            continue
        found[stack.pop()._name] = node
    return list(found.values())


def _group_of(
    node: Node, readers: Sequence[Expr], groups: Mapping[str, list[Node]], are_few: Mapping[str, bool]
) -> list[Node] | None:
    """Return the group of all readers of a node, the last member first, if the node may join it."""
    group = groups.get(readers[0]._name)
    if group is None or any(groups.get(reader._name) is not group for reader in readers):
        return None
    if node.npartitions != group[0].npartitions:
        return None
    # Many rows wait for nothing else, since they would be ready before.
    waits = any(len(reader.dependencies()) > 1 for reader in readers)
    if node.npartitions == 1:
        return None if waits and not are_few[node._name] else group
    return None if waits or not all(_is_in_step(reader, node) for reader in readers) else group


def _is_in_step(reader: Expr, node: Node) -> bool:
    """Whether each task of a reader of one node takes its partition of the same number, and no other."""
    if isinstance(reader, Tasks):
        return all(inputs == ((0, number),) for number, (inputs, _) in enumerate(reader.calls))
    if not isinstance(reader, Pipeline) or not reader.layout.table_bases:
        return False
    layout = reader.layout
    return all(
        batch == (number,) and layout.chain.partition(number)[0] == number
        for number, batch in enumerate(layout.batches)
    )


def _are_few(nodes: Sequence[Expr]) -> Mapping[str, bool]:
    """Return whether few rows are read for each node, as far as the plan tells; nodes come inputs first."""
    rows: dict[str, float] = {}
    for node in nodes:
        below = max((rows[item._name] for item in node.dependencies()), default=inf)
        rows[node._name] = _rows_read(node, below)
    return {name: count <= tuning.FUSED_ROWS for name, count in rows.items()}


def _rows_read(node: Expr, below: float) -> float:
    if isinstance(node, Tables):
        return sum(getattr(table, "nrows", 0) for table in node.tables)
    if not isinstance(node, Pipeline):
        return below
    sizes = [base.rows.size for base in node.layout.chain.bases if isinstance(base, Scan | Rows)]
    read = max((inf if size is None else size for size in sizes), default=0)
    return read + (below if node.dependencies() else 0)
