"""Workers that tasks are to run on, as long as they are there.

Dask knows two kinds of these.  Tasks that may only run where they should wait for ever if that worker dies.  Those that
may run elsewhere if it is not there do so, too, while it takes no tasks for being short of memory; then what they need
is moved away, which takes memory, of the worker that has none.  So tasks here are of the first kind until their worker
is gone, and then of the second.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from akdask._distributed import (
    SchedulerPlugin,
    default_client,
    register_plugin,
    relax_restrictions,
    restrict,
    run_waiting,
    tasks_of,
)

if TYPE_CHECKING:
    from akdask._distributed import Client, Scheduler

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
        relax_restrictions(scheduler, tasks_of(scheduler, tasks), PLACED)

    def remove_worker(self, scheduler: Scheduler, worker: str, *, stimulus_id: str, **_: Any) -> None:
        """Look at all tasks, and run those that wait for the worker."""
        relaxed = relax_restrictions(scheduler, tasks_of(scheduler), PLACED)
        run_waiting(scheduler, relaxed, stimulus_id)


def are_strict() -> bool:
    """Whether tasks may only run at their places, since the scheduler will know when one is gone; tell it, once."""
    client = default_client()
    if client is None or client.asynchronous:
        return False
    if client not in _told:
        if not register_plugin(client, RelaxAffinity()):
            return False
        _told.add(client)
    return True


def annotate(places: Mapping[Any, str], *, strict: bool) -> dict[str, dict[Any, Any]]:
    """Return what tells Dask the places of tasks, by their keys."""
    return {**restrict(places, strict=strict), PLACED: dict.fromkeys(places, True)}
