"""Samples are read by workers of a cluster, and an epoch outlives one that is killed."""

from __future__ import annotations

import os
import signal

import dask
import distributed
import numpy as np
import pytest

from akdask.lbann import Dataset, verify
from tests.lbann.sample_sets import expected, make_samples

pytestmark = pytest.mark.cluster


@pytest.fixture
def made(tmp_path):
    return expected(*make_samples(tmp_path))


@pytest.fixture
def ds(made, tmp_path):
    return Dataset(tmp_path / "train.samples", tmp_path / "data.yaml")


def test_workers_read_runs_of_samples(cluster_client, ds, made, tmp_path):
    np.testing.assert_array_equal(ds.to_dask_array("samples", batch=4).compute(), made["samples"])
    assert [one["responses"][0] for one in ds.to_dask_bag().compute()] == made["responses"][:, 0].tolist()
    frame = ds.to_frame(["responses"])
    np.testing.assert_array_equal(np.array(frame["responses"].tolist()), made["responses"])
    assert ds.statistics()["in/energy"].mean[0] == pytest.approx(made["responses"][:, 1].mean())
    assert verify(tmp_path / "train.samples", tmp_path / "data.yaml").is_good


def test_an_epoch_outlives_a_worker_that_is_killed(ds, made):
    # A cluster of its own, as that of the session serves other tests.
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as client,
        dask.config.set(scheduler="distributed"),
    ):
        _kill_in_an_epoch(client, ds, made)


def _kill_in_an_epoch(client, ds, made):
    array = ds.to_dask_array("samples", batch=2)
    for number, chunk in enumerate(array.blocks):
        if number == 3:
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)
        np.testing.assert_array_equal(chunk.compute(), made["samples"][2 * number : 2 * number + 2])
