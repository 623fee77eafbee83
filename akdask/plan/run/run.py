"""From a plan to its result: the only way in which akdask computes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import dask
from dask.callbacks import Callback

from akdask._distributed import named_scheduler
from akdask.errors import TransferError
from akdask.plan.expr._dask import DataNode
from akdask.plan.expr.lengths import remember_lengths
from akdask.plan.expr.node import Frame, Node
from akdask.plan.reduce.aggregate import CountRows, Element
from akdask.plan.run import threads
from akdask.plan.run.waiting import tasks_at_once
from akdask.plan.task.pipeline import narrowed


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


def run(*plans: Node) -> tuple[Any, ...]:
    """Return the results of plans, computed together.

    Raises
    ------
    TransferError
        If the memory of this process, or of a worker, does not suffice.
    """
    with _memory_errors():
        return _results(plans)


def run_partition(plan: Node) -> Any:
    """Return the result of a plan of one partition, without the overhead of `dask.compute`.

    If its tasks follow one another, they run in this thread: to hand them to others takes longer than a small write.

    Raises
    ------
    TransferError
        If the memory of this process, or of a worker, does not suffice.
    """
    with _memory_errors():
        scheduler = _scheduler()
        if scheduler is None:
            return _results([plan])[0]
        lowered = plan.lower_completely()
        graph = dict(lowered.__dask_graph__())
        (key,) = lowered.__dask_keys__()
        # Who has set threads of his own, or watches what runs, is to have it so.
        is_ours = scheduler is Root.__dask_scheduler__ and not dask.config.get("pool", None) and not Callback.active
        in_turn = _in_turn(graph, key) if is_ours else None
        if in_turn is None:
            return scheduler(graph, [key], **_options([plan]))[0]
        known = {name: task() for name, task in graph.items() if isinstance(task, DataNode)}
        results: dict[Any, Any] = {}
        for name in in_turn:
            results = {name: graph[name]({**known, **results})}
        return results[key]


def _in_turn(graph: Mapping[Any, Any], last: Any) -> list[Any] | None:
    """Return the keys of the tasks up to the last, in order; None if two of them could run at the same time."""
    found = [last]
    while waited := [name for name in graph[found[-1]].dependencies if not isinstance(graph[name], DataNode)]:
        if len(waited) > 1:
            return None
        found += waited
    return found[::-1]


@contextmanager
def _memory_errors() -> Iterator[None]:
    """Turn a lack of memory into an error that tells what to do."""
    try:
        yield
    except MemoryError as error:
        raise TransferError(
            "this takes more memory than there is.",
            details=[str(error)] if str(error) else [],
            hint="select fewer rows or columns, or give workers more memory.",
        ) from error


def _options(plans: Sequence[Node]) -> dict[str, int]:
    """Return what schedulers are told of plans: how many tasks are to run at a time, if that is limited."""
    at_once = tasks_at_once(plans)
    return {} if at_once is None else {"num_workers": dask.config.get("num_workers", None) or at_once}


def _results(plans: Sequence[Node]) -> tuple[Any, ...]:
    scheduler = _scheduler()
    options = _options(plans)
    if scheduler is None or len(plans) > 1 or not isinstance(plans[0], Element):
        return dask.compute(*[Root(plan) for plan in plans], traverse=False, scheduler=scheduler, **options)
    return (_number(plans[0], scheduler, options),)


def _number(plan: Element, scheduler: Callable[..., Any], options: Mapping[str, int]) -> Any:
    """Return the one number of a plan without the overhead of `dask.compute`, which takes longer than planning it.

    The last task runs in this thread: it only merges the results of the others.
    """
    lowered = plan.lower_completely()
    graph = dict(lowered.__dask_graph__())
    last = graph.pop(lowered.__dask_keys__()[0])
    inputs = list(last.dependencies)
    return last(dict(zip(inputs, scheduler(graph, inputs, **options), strict=True)))


def _scheduler() -> Callable[..., Any] | None:
    """Return the scheduler to use, None to leave the choice to Dask.

    Dask would import `distributed`, which takes half a second, to find that there is no client.
    """
    named = named_scheduler()
    return Root.__dask_scheduler__ if isinstance(named, str) else named


def resolve_lengths(*frames: Frame) -> None:
    """Count the rows of frames with unknown partition lengths, in one computation, and remember them."""
    unknown = {frame.rows.token: frame for frame in frames if frame.rows.lengths is None}
    if not unknown:
        return
    # Without what is only beside the rows, such as all that has been assigned to them in a loop.
    counts = run(*[CountRows(narrowed(frame, [])) for frame in unknown.values()])
    for token, lengths in zip(unknown, counts, strict=True):
        remember_lengths(token, tuple(lengths))
