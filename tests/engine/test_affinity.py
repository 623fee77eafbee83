"""Tasks that have a place run there, however long it takes, and elsewhere once it is gone."""

from __future__ import annotations

import time

import dask
import pytest

from akdask.engine import plugins

pytestmark = pytest.mark.cluster


@pytest.fixture
def client():
    """Return the client of a cluster of two workers, threads of this process, of which one may go."""
    from distributed import Client, LocalCluster

    with (
        # Workers that are told to pause, and have memory enough, would go on by themselves.
        dask.config.set({"distributed.worker.memory.pause": False}),
        LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        yield client


@pytest.fixture
def both(client):
    return sorted(client.scheduler_info()["workers"])


def where():
    from distributed import get_worker

    return get_worker().address


def start(place, strict=True):
    """Start a task at a place."""
    told = plugins.annotate({"": place}, strict=strict)
    with dask.annotate(**{name: value[""] for name, value in told.items()}):
        return dask.delayed(where, pure=False)().persist()


def pause(client, worker, *, status):
    from distributed.core import Status

    client.run(lambda dask_worker: setattr(dask_worker, "status", Status[status]), workers=[worker])


def close(client, worker):
    (closed,) = [item for item in client.cluster.workers.values() if item.address == worker]
    client.cluster.sync(closed.close)


def await_state(client, task, wanted):
    """Wait until the scheduler has a task in a state; tasks come there some time after they are started."""
    (key,) = task.__dask_keys__()
    tasks = client.cluster.scheduler.tasks
    until = time.monotonic() + 10
    while key not in tasks or tasks[key].state != wanted:
        assert time.monotonic() < until
        time.sleep(0.01)


def test_tasks_run_at_their_places(client, both):
    plugins.install_plugins()
    assert [start(place).compute() for place in both] == both


def test_tasks_wait_for_a_place_that_is_short_of_memory(client, both):
    from distributed import wait

    plugins.install_plugins()
    pause(client, both[0], status="paused")
    moved, waiting = start(both[0], strict=False), start(both[0])
    wait(moved, timeout=10)
    await_state(client, waiting, "no-worker")
    pause(client, both[0], status="running")
    wait(waiting, timeout=10)
    assert [moved.compute(), waiting.compute()] == [both[1], both[0]]


@pytest.mark.parametrize("told", [True, False])
def test_tasks_run_elsewhere_once_their_place_is_gone(client, both, told, monkeypatch):
    from distributed import wait

    monkeypatch.setattr(plugins, "RelaxAffinity", plugins.RelaxAffinity if told else OtherPlugin)
    plugins.install_plugins()
    pause(client, both[0], status="paused")
    before = start(both[0])
    await_state(client, before, "no-worker")
    close(client, both[0])
    after = start(both[0])
    if told:
        assert [before.compute(), after.compute()] == [both[1], both[1]]
    else:
        with pytest.raises(TimeoutError):
            wait([before, after], timeout=1)


def OtherPlugin():
    from distributed.diagnostics.plugin import SchedulerPlugin

    return type("Other", (SchedulerPlugin,), {"name": "other"})()


def test_the_places_of_others_stay_as_they_are(client, both):
    from distributed import wait

    plugins.install_plugins()
    close(client, both[0])
    with pytest.raises(TimeoutError):
        wait(client.submit(where, workers=both[:1], pure=False), timeout=1)
