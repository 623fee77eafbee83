"""Worker affinity: tasks run on the workers that hold their inputs, as long as these workers are alive.

Dask has two kinds of restrictions.  Strict ones let a task wait forever if its worker dies.  Loose ones let a task run
elsewhere while its worker is paused for lack of memory; to move the inputs then takes memory of the same worker.  So
restrictions are strict here until the worker is gone, and loose from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from akdask._distributed import SchedulerPlugin, relax_restrictions, restrict, run_waiting, tasks_of

if TYPE_CHECKING:
    from akdask._distributed import Scheduler

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
