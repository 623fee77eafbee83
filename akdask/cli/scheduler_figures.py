"""The figures of a job on a cluster: added up by its scheduler, as tasks end.

Imported where there is a cluster, as it loads `distributed`.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from dask.utils import key_split

from akdask.cli.report import Figures, StepFigures
from akdask.cluster import SchedulerPlugin, register_plugin

if TYPE_CHECKING:
    from akdask.cluster import Client, Scheduler


class AddFigures(SchedulerPlugin):  # type: ignore[misc]  # Dask is not typed
    """Adds up the figures of a scheduler's tasks.

    Parameters
    ----------
    name : str
        Name of the plugin; unique per job, as several may share a scheduler.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.steps: defaultdict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0, 0, 0])
        self.lost = 0

    def transition(self, key: Any, start: str, finish: str, *args: Any, **facts: Any) -> None:
        """Take note of a task that has ended, well or not."""
        if start != "processing" or finish not in {"memory", "erred"}:
            return
        step = self.steps[key_split(key)]
        if finish == "erred":
            step[4] += 1
            return
        step[0] += 1
        step[3] += facts.get("nbytes") or 0
        for span in facts.get("startstops") or ():
            step[{"compute": 1, "transfer": 2}.get(span["action"], 1)] += span["stop"] - span["start"]

    def remove_worker(self, scheduler: Scheduler, worker: str, **_: Any) -> None:
        """Take note of a worker that has gone."""
        self.lost += 1


def _read(name: str, dask_scheduler: Scheduler) -> Figures:
    """Return the figures, on the scheduler."""
    plugin = dask_scheduler.plugins[name]
    assert isinstance(plugin, AddFigures)
    steps = {step: StepFigures(*found) for step, found in plugin.steps.items()}  # type: ignore[arg-type]
    workers = dask_scheduler.workers.values()
    memory = sum(int(worker.metrics.get("memory", 0)) for worker in workers)
    return Figures(steps, memory, len(workers), plugin.lost)


class ClusterFigures:
    """The figures of a cluster's tasks from now on.

    Parameters
    ----------
    client : Client
        Of the cluster.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._name = f"akdask-figures-{uuid4().hex}"
        register_plugin(client, AddFigures(self._name))

    def read(self) -> Figures:
        """Return the figures."""
        found: Figures = self._client.run_on_scheduler(_read, self._name)
        return found

    def close(self) -> None:
        """Have the scheduler add up no more."""
        self._client.unregister_scheduler_plugin(self._name)
