"""Plugins of Dask: workers hand out slices, tasks stay with their inputs, and messages wait for no others.

The first two are the shuffle service. No task depends on a split partition, since that would move it whole. So the
scheduler keeps it as if a client wanted it, as long as some new partition has to be made. It recomputes the partitions
of a worker that dies.

Tasks run on the workers that hold their inputs, as long as these workers are alive. Dask has two kinds of restrictions.
Strict ones let a task wait forever if its worker dies.  Loose ones let a task run elsewhere while its worker is paused
for lack of memory; to move the inputs then takes memory of the same worker.  So restrictions are strict here until the
worker is gone, and loose from then on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from akdask.cluster import (
    SchedulerPlugin,
    WorkerPlugin,
    as_message,
    default_client,
    keep_results,
    let_results_go,
    register_plugin,
    relax_restrictions,
    release_results,
    restrict,
    run_waiting,
    send_promptly,
    tasks_of,
)
from akdask.engine.slices import FETCH, answer

if TYPE_CHECKING:
    from akdask.cluster import Client, Scheduler, TaskState, Worker

HAS_AFFINITY = "akdask_placed"
"""Annotation of tasks with worker affinity."""


class RelaxAffinity(SchedulerPlugin):
    """Lets tasks run anywhere once their worker is gone."""

    name = "akdask-places"
    idempotent = True

    def update_graph(self, scheduler: Scheduler, *, tasks: Sequence[Any], **_: Any) -> None:
        """Relax new tasks whose worker has gone since they were planned."""
        relax_restrictions(scheduler, tasks_of(scheduler, tasks), HAS_AFFINITY)

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **_: Any) -> None:
        """Relax the tasks of a worker, and run those that wait for it."""
        relaxed = relax_restrictions(scheduler, tasks_of(scheduler), HAS_AFFINITY)
        run_waiting(scheduler, relaxed, stimulus_id)


def annotate(workers: Mapping[Any, str], *, strict: bool) -> dict[str, dict[Any, Any]]:
    """Return annotations that tell Dask on which workers tasks run, by key."""
    return {**restrict(workers, strict=strict), HAS_AFFINITY: dict.fromkeys(workers, True)}


IS_INDEX = "akdask_split_index"
"""Annotation of the task that knows where the partitions of an exchange are."""

_registered: WeakSet[Client] = WeakSet()
"""Clients whose schedulers and workers have the plugins."""


class KeepSplit(SchedulerPlugin):
    """Keeps the split partitions of an exchange while tasks wait for slices of them."""

    name = "akdask-keep-split"
    idempotent = True

    def __init__(self) -> None:
        self._exchanges: set[Hashable] = set()

    async def start(self, scheduler: Scheduler) -> None:
        """Learn which scheduler it is, and adopt the exchanges that an asynchronous client started meanwhile."""
        self._scheduler = scheduler
        self.update_graph(scheduler, tasks=list(scheduler.tasks))
        self._recompute_lost("akdask-start")

    def update_graph(self, scheduler: Scheduler, *, tasks: Sequence[Any], **_: Any) -> None:
        """Keep the split partitions of new exchanges."""
        for task in tasks_of(scheduler, tasks):
            if IS_INDEX in (task.annotations or {}):
                self._exchanges.add(task.key)
                self._keep(task)

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **_: Any) -> None:
        """Have lost partitions split again."""
        self._recompute_lost(stimulus_id)

    def _recompute_lost(self, stimulus_id: str) -> None:
        """Release the index of lost partitions, so that the tasks that fetch them wait for them again.

        Otherwise these tasks would keep workers busy in vain, and the lost partitions need the workers.
        """
        scheduler = self._scheduler
        for index in tasks_of(scheduler, self._exchanges & scheduler.tasks.keys()):
            lost = [token for token in index.dependencies if any(task.state != "memory" for task in token.dependencies)]
            # One after the other: the index waits for the missing partitions.
            for tasks in (lost, [index] if lost else []):
                release_results(scheduler, tasks, stimulus_id)

    def transition(self, key: Any, start: str, finish: str, *_: Any, **__: Any) -> None:
        """Keep partitions that have to be split again, and release the partitions of complete exchanges."""
        if key not in self._exchanges:
            return
        if finish == "waiting":
            self._keep(self._scheduler.tasks[key])
        elif finish in {"released", "forgotten"}:
            # Not within the transition of another task.
            asyncio.get_running_loop().call_soon(self._let_go, key)

    def _keep(self, index: TaskState) -> None:
        split = [task.key for token in index.dependencies for task in (token, *token.dependencies)]
        keep_results(self._scheduler, split, _owner(index.key))

    def _let_go(self, key: Hashable) -> None:
        (index,) = tasks_of(self._scheduler, [key]) if key in self._scheduler.tasks else (None,)
        if index is None:
            self._exchanges.discard(key)
        if index is None or (index.state == "released" and not index.waiters):
            let_results_go(self._scheduler, _owner(key))


class PromptScheduler(SchedulerPlugin):
    """Sends the messages of a scheduler to workers and clients without delay."""

    name = "akdask-prompt-scheduler"
    idempotent = True

    async def start(self, scheduler: Scheduler) -> None:
        """Send promptly to the workers that are there."""
        send_promptly(scheduler.stream_comms.values())

    def add_worker(self, scheduler: Scheduler, worker: str) -> None:
        """Send promptly to a new worker."""
        send_promptly([scheduler.stream_comms[worker]])

    def update_graph(self, scheduler: Scheduler, **_: Any) -> None:
        """Send promptly to clients, which have no stream yet when the plugin is told of them."""
        send_promptly(scheduler.client_comms.values())


class PromptWorker(WorkerPlugin):
    """Sends the messages of a worker to its scheduler without delay."""

    name = "akdask-prompt-worker"

    def setup(self, worker: Worker) -> None:
        """Have the stream of the worker send promptly."""
        send_promptly([worker.batched_stream])


class HandOutSlices(WorkerPlugin):
    """Lets other workers fetch slices of the split partitions that a worker holds."""

    name = "akdask-hand-out-slices"

    def setup(self, worker: Worker) -> None:
        """Register the handler that answers requests of slices."""

        async def slices(runs: Sequence[Sequence[Hashable]], number: int, finish: bytes) -> dict[str, Any]:
            split = {key: worker.data[key] for key in chain(*runs) if key in worker.data}
            loop = asyncio.get_running_loop()
            return {"parts": as_message(await loop.run_in_executor(None, answer, split, runs, number, finish))}

        worker.handlers[FETCH] = slices


def install_plugins() -> None:
    """Register the plugins with the current cluster, once."""
    client = default_client()
    if client is not None and client not in _registered:
        send_promptly([client.scheduler_comm])
        for plugin in (PromptScheduler, PromptWorker, RelaxAffinity, KeepSplit, HandOutSlices):
            register_plugin(client, plugin())
        _registered.add(client)


def _owner(key: Hashable) -> str:
    return f"akdask {key}"
