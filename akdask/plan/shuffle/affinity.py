"""Workers that tasks are to run on, as long as they are there.

Dask knows two kinds of these.  Tasks that may only run where they should wait for ever if that worker dies.  Those that
may run elsewhere if it is not there do so, too, while it takes no tasks for being short of memory; then what they need
is moved away, which takes memory, of the worker that has none.  So tasks here are of the first kind until their worker
is gone, and then of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from distributed.diagnostics.plugin import SchedulerPlugin

from akdask.cluster import current_client

if TYPE_CHECKING:
    from distributed import Client
    from distributed.scheduler import Scheduler, TaskState

PLACED = "akdask_placed"
"""Annotation of tasks that have a place."""

_told: WeakSet[Client] = WeakSet()
"""Clients whose schedulers know what to do when a place is gone."""


class RelaxAffinity(SchedulerPlugin):
    """Lets tasks run anywhere whose place is gone."""

    name = "akdask-places"
    idempotent = True

    def update_graph(self, scheduler: Scheduler, *, tasks: Sequence[Any], **_: Any) -> None:
        """Look at new tasks, whose place may have gone since they were planned."""
        _loosen(scheduler, [scheduler.tasks[key] for key in tasks])

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **_: Any) -> None:
        """Look at all tasks, and run those that wait for the worker."""
        loosened = _loosen(scheduler, scheduler.tasks.values())
        waiting = {task.key: "processing" for task in loosened if task.state == "no-worker"}
        scheduler.transitions(waiting, stimulus_id)


def are_strict() -> bool:
    """Whether tasks may only run at their places, since the scheduler will know when one is gone; tell it, once."""
    client = current_client()
    if client is None or client.asynchronous:
        return False
    if client not in _told:
        try:
            client.register_plugin(RelaxAffinity())
        except ValueError:  # It takes no code from clients.
            return False
        _told.add(client)
    return True


def annotate(places: Mapping[Any, str], *, strict: bool) -> dict[str, dict[Any, Any]]:
    """Return what tells Dask the places of tasks, by their keys."""
    return {
        "workers": {key: [place] for key, place in places.items()},
        "allow_other_workers": dict.fromkeys(places, not strict),
        PLACED: dict.fromkeys(places, True),
    }


def _loosen(scheduler: Scheduler, tasks: Iterable[TaskState]) -> list[TaskState]:
    placed = [task for task in tasks if PLACED in (task.annotations or {}) and not task.loose_restrictions]
    gone = [task for task in placed if scheduler.workers.keys().isdisjoint(task.worker_restrictions or ())]
    for task in gone:
        task.loose_restrictions = True
    return gone
