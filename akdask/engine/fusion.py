"""Fusion: tasks of a cluster become part of others that read their results.

Between a task and the one that reads its result pass the messages of a worker to the scheduler, and of the scheduler to
a worker. They take milliseconds, in which most tasks on few rows are done: dimension tables that are read, filtered and
indexed, groups that are merged, sorted and cut. What could run beside other tasks, and has many rows, stays apart.
Threads of one process hand results on without messages, and fuse nothing.

If several tasks read a result, such as the index of a dimension table, each process makes it for its own tasks. That
takes the time in which these would wait for one process that makes it, and for its result to arrive.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from itertools import pairwise
from math import inf
from threading import Lock
from typing import Any, Self
from weakref import WeakValueDictionary

from akdask._dask import Alias, Expr, List, Task, TaskRef
from akdask.cluster import partition_size, restrict, worker_threads
from akdask.deferred import without_collection
from akdask.engine import tuning
from akdask.engine.node import Node, on_lowered, tasks_below
from akdask.engine.pipeline import ITEMSIZE, Pipeline
from akdask.engine.rowwise import Tables, Tasks
from akdask.engine.scheduler import input_keys
from akdask.engine.sinks import Collect
from akdask.engine.sources import Rows, Scan
from akdask.engine.values import token
from akdask.records import record
from akdask.storage.files import is_remote


class Fused(Node):
    """The tasks of several nodes, inputs first, as one task for each partition; its result is that of the last node.

    Each process makes the results of `copied` members once for all of its tasks. If there are `workers`, the addresses
    of workers, a task for each makes several partitions. Operands after these are the inputs from other tasks.
    """

    members: tuple[Node, ...]
    copied: tuple[Node, ...]
    workers: tuple[str, ...]

    @classmethod
    def of(cls, members: Sequence[Node], copied: Sequence[Node] = (), workers: Sequence[str] = ()) -> Self:
        """Return the node of members, whose inputs are members before them or other nodes."""
        names = {member._name for member in members}
        inputs = {item._name: item for member in members for item in member.dependencies() if item._name not in names}
        return cls(tuple(members), tuple(copied), tuple(workers), *inputs.values())

    @classmethod
    def step(cls, *operands: Any) -> str:
        return str(operands[0][-1]._name.rpartition("-")[0])

    @property
    def npartitions(self) -> int:
        return self._last.npartitions

    @property
    def _last(self) -> Node:
        return self.members[-1]

    @cached_property
    def bundles(self) -> list[tuple[Any, range]]:
        """The key and the partitions of each task."""
        count, tasks = self.npartitions, len(self.workers) or self.npartitions
        bounds = [number * count // tasks for number in range(tasks + 1)]
        return [((self._name, start), range(start, stop)) for start, stop in pairwise(bounds)]

    @property
    def reads_bundles(self) -> bool:
        """Whether an input comes from a task of several partitions, which only tasks of this class can take."""
        return any(len(node.bundles) < node.npartitions for node in self.dependencies() if isinstance(node, Fused))

    def annotations(self) -> Mapping[str, Mapping[Any, Any]]:
        """Have each task of several partitions run on its worker, unless another is idle."""
        if not self.workers:
            return {}
        keys = [key for key, _ in self.bundles]
        return restrict(dict(zip(keys, self.workers, strict=True)), strict=False)

    @without_collection
    def _layer(self) -> dict[Any, Any]:
        tasks: dict[Any, Task] = {}
        for member in self.members:
            tasks.update(member._layer())
        copied = {key for node in self.copied for key in node.__dask_keys__()}
        bundled: dict[Any, tuple[Any, tuple[Any, ...]]] = {}
        for node in self.dependencies():
            if isinstance(node, Fused):
                for key, partitions in node.bundles:
                    keys = tuple((node._name, number) for number in partitions)
                    bundled |= dict.fromkeys(keys, (key, keys))
        graph = {}
        made = self._last.__dask_keys__()
        for key, partitions in self.bundles:
            results = tuple(made[number] for number in partitions)
            chosen, needed = _tasks_for(results, tasks)
            inputs = dict(bundled.get(name, (name, (name,))) for name in needed)
            copies = Copies([task.key for task in chosen if task.key in copied])
            fused = FusedTasks(chosen, tuple(inputs.values()), results, copies)
            graph[key] = Task(key, run_fused, fused, List(*map(TaskRef, inputs)))
        return graph


class _Copy:
    """The result of a task that each process makes for itself, once it is made."""

    def __init__(self) -> None:
        self._lock = Lock()

    def result(self, task: Task, inputs: Mapping[Any, Any]) -> Any:
        """Return the result, made of the inputs of the task by the thread that needs it first."""
        with self._lock:
            if not hasattr(self, "_result"):
                self._result = task(inputs)
            return self._result


class Copies:
    """The results of some tasks that a process makes once, as long as tasks that use them wait there or run.

    A worker unpickles a task when it is told of it, so that all of its waiting tasks share one copy.
    """

    _known: WeakValueDictionary[Any, _Copy] = WeakValueDictionary()
    _lock = Lock()

    def __init__(self, keys: Sequence[Any] = ()) -> None:
        self._keys = tuple(keys)
        self._shared = self._found()

    def __reduce__(self) -> tuple[Any, ...]:
        return Copies, (self._keys,)

    def _found(self) -> dict[Any, _Copy]:
        with Copies._lock:
            return {key: Copies._known.setdefault(key, _Copy()) for key in self._keys}

    def handed_over(self) -> dict[Any, _Copy]:
        """Return the copies by the keys of their tasks, and hold them no longer."""
        shared, self._shared = self._shared, {}
        return shared or self._found()


class Several(list[Any]):
    """The results of several partitions, which one task has made."""


@record
class FusedTasks:
    """Tasks that are run one after the other, the keys of the results in each input, and of the results to return."""

    tasks: tuple[Task, ...]
    inputs: tuple[tuple[Any, ...], ...]
    results: tuple[Any, ...]
    copies: Copies = field(default_factory=Copies)


def run_fused(fused: FusedTasks, inputs: Sequence[Any]) -> Any:
    """Run tasks, and return the wanted results.  This is the function of the task that they are part of."""
    readers: defaultdict[Any, int] = defaultdict(int)
    for task in fused.tasks:
        for key in task.dependencies:
            readers[key] += 1
    copies = fused.copies.handed_over()
    results: dict[Any, Any] = {}
    for keys, given in zip(fused.inputs, inputs, strict=True):
        results |= zip(keys, given if isinstance(given, Several) else [given], strict=True)
    for task in fused.tasks:
        needed = {key: results[key] for key in task.dependencies}
        result = copies[task.key].result(task, needed) if task.key in copies else task(needed)
        for key in task.dependencies:
            readers[key] -= 1
            if not readers[key]:
                # Its memory is free for the next task.
                del results[key]
        results[task.key] = result
    wanted = [results[key] for key in fused.results]
    return Several(wanted) if len(wanted) > 1 else wanted[0]


def _tasks_for(wanted: Sequence[Any], tasks: Mapping[Any, Task]) -> tuple[tuple[Task, ...], tuple[Any, ...]]:
    """Return the tasks that results are made by, inputs first, and the keys of results of other tasks."""
    found: dict[Any, Task] = {}
    inputs: dict[Any, None] = {}
    stack = [*reversed(wanted)]
    while stack:
        key = stack[-1]
        if key in found:
            stack.pop()
            continue
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
        tasks = tasks_below(plans)
        wanted = {key for plan in plans for key in plan.__dask_keys__()}
        same = {key: task.target for key, task in tasks.items() if isinstance(task, Alias) and key not in wanted}
        direct = {key: _without(same, task) for key, task in tasks.items() if key not in same}
        return cls(direct, dict(notes), _determ_token=token(*[plan._name for plan in plans]))

    def __dask_graph__(self) -> dict[Any, Any]:
        return self.tasks

    def __dask_annotations__(self) -> dict[str, dict[Any, Any]]:
        return self.notes


def _without(same: Mapping[Any, Any], task: Any) -> Any:
    """Return a task that takes results by the keys of the tasks that make them, rather than by those of aliases."""
    renamed = {key: key for key in input_keys(task) if key in same}
    while any(target in same for target in renamed.values()):
        renamed = {key: same.get(target, target) for key, target in renamed.items()}
    return task.substitute(renamed) if renamed else task


def fuse(plans: Sequence[Expr]) -> list[Expr]:
    """Return lowered plans in which nodes are part of their readers, where that costs no time."""
    nodes = _inputs_first(plans)
    if len(plans) == 1 and _is_one_task(nodes):
        return [Fused.of(nodes)]
    links = _Links(nodes, {plan._name for plan in plans})
    groups: dict[str, _Joined] = {}
    rows = _rows_below(nodes)
    for node in reversed(nodes):
        if isinstance(node, Node) and node.is_fusible and node._name not in links.copied:
            group = None if node._name in links.roots else _group_of(node, links, groups, rows)
            groups[node._name] = group = group or _Joined()
            group.add(node, links.needs[node._name])
    made: dict[str, Expr] = {}
    for node in nodes:
        made[node._name] = on_lowered(node, node.dependencies(), made)
        group = groups.get(node._name)
        if group is not None and group.members[0] is node:
            copied = links.copied_below(group.members)
            members = [made[item._name] for item in (*copied, *reversed(group.members))]
            found = Fused.of(members, [made[item._name] for item in copied], _workers_of(node, links, rows))
            if len(members) > 1 or found.workers or found.reads_bundles:
                made[node._name] = found
    return [made[plan._name] for plan in plans]


class _Joined:
    """Nodes that become one, the last one first, and the nodes whose results it is given."""

    def __init__(self) -> None:
        self.members: list[Node] = []
        self.needs: dict[str, Expr] = {}

    def add(self, node: Node, needs: Mapping[str, Expr]) -> None:
        """Add a node, all of whose readers are members."""
        self.members.append(node)
        self.needs.pop(node._name, None)
        self.needs |= needs


def _workers_of(node: Node, links: _Links, rows: Mapping[str, float]) -> tuple[str, ...]:
    """Return the workers of a task for each thread that make some partitions of a node each, () for others.

    Dask would run tasks where most of their inputs are, one after the other, while other workers wait.
    """
    threads = worker_threads()
    count = len(threads)
    is_many = node.npartitions > tuning.MOST_IN_BUNDLE * count or rows[node._name] * ITEMSIZE > count * partition_size()
    return threads if 1 < count <= node.npartitions and not is_many and links.all_may_take(node) else ()


class _Links:
    """Which nodes of plans read which."""

    def __init__(self, nodes: Sequence[Expr], roots: set[str]) -> None:
        self.roots, self._nodes = roots, nodes
        self._numbers = {node._name: number for number, node in enumerate(nodes)}
        self._readers: defaultdict[str, list[Expr]] = defaultdict(list)
        self._before: list[int] = []
        for node in nodes:
            before = 0
            for item in node.dependencies():
                self._readers[item._name].append(node)
                number = self._numbers[item._name]
                before |= self._before[number] | 1 << number
            self._before.append(before)
        self.copied = self._copied()
        """Nodes that are computed in each process that needs their result."""
        self.needs: dict[str, dict[str, Expr]] = {}
        """The nodes whose results the tasks of each node are given."""
        self.readers: defaultdict[str, list[Expr]] = defaultdict(list)
        """The nodes whose tasks are given the result of each node."""
        for node in nodes:
            needs: dict[str, Expr] = {}
            self.needs[node._name] = needs
            for item in node.dependencies():
                needs |= self.needs[item._name] if item._name in self.copied else {item._name: item}
            if node._name not in self.copied:
                for name in needs:
                    self.readers[name].append(node)

    def comes_before(self, other: Expr, node: Expr) -> bool:
        """Whether one node is below another."""
        return bool(self._before[self._numbers[node._name]] >> self._numbers[other._name] & 1)

    def are_ready(self, others: Sequence[Expr], node: Node) -> bool:
        """Whether the results of other nodes are made of what a node needs itself, by as many tasks as it has."""
        stack, seen = list(others), set[str]()
        while stack:
            item = stack.pop()
            if item._name in seen or self.comes_before(item, node):
                continue
            seen.add(item._name)
            needs = self.needs[item._name]
            if not needs or item.npartitions > node.npartitions:
                return False
            stack += needs.values()
        return True

    def copied_below(self, group: Sequence[Node]) -> list[Node]:
        """Return the copied nodes that a group needs, inputs first."""
        found: dict[str, Node] = {}
        stack = list(group)
        while stack:
            for item in stack.pop().dependencies():
                if item._name in self.copied and item._name not in found:
                    found[item._name] = item
                    stack.append(item)
        return sorted(found.values(), key=lambda node: self._numbers[node._name])

    def _copied(self) -> set[str]:
        within: dict[str, dict[str, float]] = {}
        outside: dict[str, dict[str, int]] = {}
        for node in self._nodes:
            if not self._may_be_copied(node):
                continue
            share = tuning.ROWS_COPIED if _is_read(node) else 1
            rows, others = {node._name: _rows_read(node, 0) / share}, dict[str, int]()
            for item in node.dependencies():
                if item._name in within:
                    rows |= within[item._name]
                    others |= outside[item._name]
                else:
                    others[item._name] = item.npartitions
            if sum(rows.values()) <= tuning.FUSED_ROWS and len(rows) <= tuning.MOST_COPIED:
                within[node._name], outside[node._name] = rows, others
        users: dict[str, dict[str, Expr]] = {}
        for node in reversed(self._nodes):
            if node._name not in within:
                continue
            found: dict[str, Expr] = {}
            for reader in self._readers[node._name]:
                found |= users.get(reader._name, {reader._name: reader})
            sent = sum(outside[node._name].values()) * sum(user.npartitions for user in found.values())
            if node.npartitions > 1 and any(reader._name not in users for reader in self._readers[node._name]):
                continue
            if not sent or (sent <= tuning.MOST_SENT and self._are_at_once(list(found.values()))):
                users[node._name] = found
        return set(users)

    def _are_at_once(self, users: Sequence[Expr]) -> bool:
        """Whether all nodes have several tasks, and none is below another."""
        return all(
            user.npartitions > 1 and not any(self.comes_before(other, user) for other in users) for user in users
        )

    def _may_be_copied(self, node: Expr) -> bool:
        if not isinstance(node, Node) or not node.is_fusible:
            return False
        if node.npartitions > 1:
            readers = self._readers[node._name]
            return _is_read(node) and all(one.npartitions == 1 and self._may_be_copied(one) for one in readers)
        if isinstance(node, Tables) and _rows_read(node, 0) > tuning.ROWS_SENT:
            return False
        return self.all_may_take(node)

    def all_may_take(self, node: Expr) -> bool:
        """Whether another task than its own may make a node, as all of its readers are tasks of this module."""
        readers = self._readers[node._name]
        return node._name not in self.roots and all(isinstance(one, Node) and one.is_fusible for one in readers)


def _is_read(node: Expr) -> bool:
    """Whether a node only reads columns of local files, which takes less time than to send them."""
    if not isinstance(node, Pipeline) or node.layout.masks or not isinstance(node.layout.sink, Collect):
        return False
    bases = node.layout.chain.bases
    # The files of a source are in one store.
    return all(isinstance(base, Scan) and not any(map(is_remote, base.source.paths[:1])) for base in bases)


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


def _group_of(node: Node, links: _Links, groups: Mapping[str, _Joined], rows: Mapping[str, float]) -> _Joined | None:
    """Return the group of all readers of a node, if the node may join it."""
    readers = links.readers[node._name]
    group = groups.get(readers[0]._name)
    if group is None or any(groups.get(reader._name) is not group for reader in readers):
        return None
    if node.npartitions != group.members[0].npartitions:
        return None
    if node.npartitions > 1 and not all(_is_in_step(reader, node) for reader in readers):
        return None
    if node.npartitions == 1 and rows[node._name] <= tuning.FUSED_ROWS:
        return group
    # Many rows wait for nothing else, since they would be ready before.
    others = [item for name, item in group.needs.items() if name != node._name]
    return group if links.are_ready(others, node) else None


def _is_in_step(reader: Expr, node: Node) -> bool:
    """Whether each task of a reader takes the partition of its own number of a node, and no other of it."""
    if isinstance(reader, Tasks):
        at = {at for at, item in enumerate(reader.operands[3:]) if item._name == node._name}
        return all(
            {partition for item, partition in inputs if item in at} == {number}
            for number, (inputs, _) in enumerate(reader.calls)
        )
    if not isinstance(reader, Pipeline):
        return False
    layout = reader.layout
    tables = reader.operands[1 : 1 + len(layout.table_bases)]
    others = reader.operands[1 + len(layout.table_bases) :]
    if node._name not in {item._name for item in tables} or node._name in {item._name for item in others}:
        return False
    return all(
        batch == (number,) and layout.chain.partition(number)[0] == number
        for number, batch in enumerate(layout.batches)
    )


def _rows_below(nodes: Sequence[Expr]) -> Mapping[str, float]:
    """Return how many rows are read for each node, as far as the plan tells; nodes come inputs first."""
    rows: dict[str, float] = {}
    for node in nodes:
        below = max((rows[item._name] for item in node.dependencies()), default=inf)
        rows[node._name] = _rows_read(node, below)
    return rows


def _rows_read(node: Expr, below: float) -> float:
    if isinstance(node, Tables):
        return sum(getattr(table, "nrows", 0) for table in node.tables)
    if not isinstance(node, Pipeline):
        return below
    sizes = [base.rows.size for base in node.layout.chain.bases if isinstance(base, Scan | Rows)]
    read = max((inf if size is None else size for size in sizes), default=0)
    return read + (below if node.dependencies() else 0)
