"""From a plan to its result: the only way in which akdask computes."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dask

from akdask._distributed import expect_arrow, named_scheduler
from akdask.errors import TransferError
from akdask.plan.expr.lengths import remember_lengths
from akdask.plan.expr.lower import optimizes
from akdask.plan.expr.node import Frame, Node, lower_plans, tasks_below
from akdask.plan.optimize.optimize import optimize
from akdask.plan.reduce.aggregate import CountRows, Element
from akdask.plan.run.observers import callbacks, surrounded
from akdask.plan.run.root import Root
from akdask.plan.run.threads import pending_results
from akdask.plan.run.waiting import tasks_at_once
from akdask.plan.run.worker_results import persist_on_workers
from akdask.plan.shuffle.pending import persisted
from akdask.plan.task.pipeline import narrowed

optimizes(optimize)


def run(*plans: Node) -> tuple[Any, ...]:
    """Return the results of plans, computed together.

    Raises
    ------
    TransferError
        If the memory of this process, or of a worker, does not suffice.
    """
    with _computation():
        return _results(plans) if plans else ()


def partitions_in_memory(plan: Node) -> dict[Hashable, Any] | None:
    """Return the results of a plan's partitions by its keys, None where a cluster is to keep them.

    Where memory is short, the oldest go to disk.

    Raises
    ------
    TransferError
        If the memory of this process does not suffice.
    """
    scheduler = _scheduler()
    if scheduler is None:
        return None
    with _computation():
        (lowered,) = lower_plans([plan])
        options = _options([plan], scheduler)
        if scheduler is Root.__dask_scheduler__:
            scheduler = pending_results
        found = scheduler(tasks_below([lowered]), lowered.__dask_keys__(), **options)
        return {key: persisted(key, result) for key, result in zip(plan.__dask_keys__(), found, strict=True)}


@contextmanager
def _computation() -> Iterator[None]:
    """Compute inside what surrounds all computations, and say what to do where memory does not suffice."""
    try:
        with surrounded():
            yield
    except MemoryError as error:
        raise TransferError(
            "this takes more memory than there is.",
            details=[str(error)] if str(error) else [],
            hint="select fewer rows or columns, make partitions smaller (partition_size), or allow more: "
            "ak.config.set(memory_limit=…) for this process, memory_limit for the workers of a cluster.",
        ) from error


def _results(plans: Sequence[Node]) -> tuple[Any, ...]:
    persist_on_workers(plans)
    scheduler = _scheduler()
    options = _options(plans, scheduler)
    if scheduler is None:
        expect_arrow()
        return dask.compute(*[Root(plan) for plan in plans], traverse=False, **options)
    # Without the overhead of `dask.compute`, which takes longer than planning does.
    lowered = lower_plans([plan.finalize_compute() for plan in plans])
    graph = tasks_below(lowered)
    keys = [plan.__dask_keys__()[0] for plan in lowered]
    if len(plans) > 1 or not isinstance(plans[0], Element):
        return tuple(scheduler(graph, keys, **options))
    # The last task runs in this thread: it only merges the results of the others.
    last = graph.pop(keys[0])
    inputs = list(last.dependencies)
    return (last(dict(zip(inputs, scheduler(graph, inputs, **options), strict=True))),)


def _options(plans: Sequence[Node], scheduler: Callable[..., Any] | None) -> dict[str, Any]:
    """Return how a scheduler is to compute plans."""
    options: dict[str, Any] = {"callbacks": callbacks()} if scheduler is not Root.__dask_scheduler__ else {}
    at_once = tasks_at_once(plans)
    if at_once is not None:
        options["num_workers"] = dask.config.get("num_workers", None) or at_once
    return options


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
