"""Clusters that change while plans live: workers that come and go, restarts, other clients, forked processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.errors import TransferError
from akdask.testing import assert_equal
from akdask.testing.strategies import partitioned

pytestmark = pytest.mark.cluster

ROWS = np.arange(1000)


@pytest.fixture(scope="module")
def changing():
    """Return a client of a cluster that these tests may do anything to; no other test has it."""
    from distributed import Client, LocalCluster

    with (
        # A worker that starts anew is not given up, however long that takes: nobody would compute any more.
        dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"}),
        LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture
def client(changing, synchronous_scheduler):
    with changing.as_current(), dask.config.set(scheduler="distributed"):
        yield changing


def values():
    return partitioned(ROWS, [300, 0, 500, 200])


def test_after_a_restart_plans_from_files_and_values_compute_again(client, tmp_path):
    ak.to_hdf({"x": values()}, tmp_path / "set")
    stored = ak.read_hdf(f"{tmp_path / 'set'}*")["x"]
    groups = ak.GroupBy(values() % 7)
    assert groups.size()[1].sum() == 1000
    client.restart()
    assert (stored.sum(), values().max(), groups.size()[1].sum()) == (ROWS.sum(), 999, 1000)


def test_what_was_persisted_before_a_restart_is_told_to_be_gone(client):
    from distributed.client import FutureCancelledError

    kept = (values() * 2).persist()
    assert kept.sum() == ROWS.sum() * 2
    client.restart()
    with pytest.raises((FutureCancelledError, TransferError)):
        kept.sum().compute()
    assert not [line for line in ak.memory().objects if line.object == "kept"]
    assert (values() * 2).persist().sum() == ROWS.sum() * 2


def test_loops_go_on_after_a_restart(client):
    rank, wanted = values() * 1.0, ROWS * 1.0
    for step in range(40):
        rank, wanted = rank * 1.01 - rank.mean(), wanted * 1.01 - wanted.mean()
        if step == 36:
            client.restart()
        if step % 4 == 0:
            assert float(rank.max()) == pytest.approx(wanted.max())
    np.testing.assert_allclose(rank.to_ndarray(), wanted, atol=1e-9)


def test_workers_that_come_are_used_and_workers_that_go_hand_on_what_they_hold(client):
    cluster = client.cluster
    cluster.scale(2)
    client.wait_for_workers(2)
    kept = (values() + 1).persist()
    found = ak.sort(-kept)
    assert_equal(found, -ROWS[::-1] - 1)
    (gone, *_) = client.nthreads()
    client.retire_workers([gone])
    assert gone not in client.nthreads()
    assert kept.sum() == (ROWS + 1).sum()
    assert_equal(ak.sort(-kept), -ROWS[::-1] - 1)


def test_adaptive_clusters_start_workers_when_there_is_work(client):
    cluster = client.cluster
    cluster.scale(0)
    adaptive = cluster.adapt(minimum=0, maximum=2, interval="50ms", wait_count=1000)
    try:
        client.retire_workers([*client.nthreads()])
        # With no worker at all, planning knows none either.
        assert values().sum() == ROWS.sum()
        assert_equal(ak.GroupBy(values() % 10).size()[1], np.full(10, 100))
    finally:
        adaptive.stop()
        cluster.scale(1)
        client.wait_for_workers(1)


def test_a_worker_that_is_killed_takes_nothing_with_it_that_is_not_found_again(client, tmp_path):
    client.cluster.scale(2)
    client.wait_for_workers(2)
    ak.to_hdf({"x": values()}, tmp_path / "set")
    kept = (ak.read_hdf(f"{tmp_path / 'set'}*")["x"] + 5).persist()
    assert kept.sum() == (ROWS + 5).sum()
    pids = client.run(os.getpid)
    os.kill(next(iter(pids.values())), signal.SIGKILL)
    assert kept.sum() == (ROWS + 5).sum()
    assert_equal(ak.sort(-kept), -(ROWS[::-1] + 5))


def test_clients_share_what_is_published_and_each_has_its_own_plans(client):
    from distributed import Client

    kept = (values() * 3).persist()
    kept.register("threes")
    with Client(client.scheduler.address, set_as_default=False) as second:
        with second.as_current():
            found = ak.attach("threes")
            assert found.sum() == ROWS.sum() * 3
            own = (found + 1).persist()
            assert own.sum() == (ROWS * 3 + 1).sum()
        # Dask asks the client of a plan's futures, whichever is current.
        assert kept.max() == 999 * 3
    # The second client has gone, and what it has published or found stays.
    assert ak.attach("threes").min() == 0
    kept.unregister()


FORK = """
import os, signal, sys
import dask
import numpy as np
from distributed import Client
import akdask as ak

with Client(sys.argv[1]):
    values = ak.array(np.arange(1000))
    assert values.sum() == 499500
    child = os.fork()
    if not child:
        signal.alarm(60)
        code = 1
        try:
            # The child has no thread that could talk to the scheduler.
            with dask.config.set(scheduler="threads"):
                assert (values + 1).sum() == 500500
                assert ak.argsort(-values)[0] == 999
            code = 0
        finally:
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
    assert (values * 2).sum() == 999000
"""


@pytest.mark.slow
def test_a_forked_child_of_a_client_computes_in_threads(client):
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK, client.scheduler.address],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert ran.stdout == "0\n", ran.stderr
