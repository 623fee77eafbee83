"""Samples are rows of lazy DataFrames, chunks of Dask arrays and partitions of Dask bags."""

from __future__ import annotations

import dask
import numpy as np
import pytest

import akdask as ak
from akdask.lbann import Dataset
from akdask.lbann.errors import LbannError, UnknownNameError
from akdask.lbann.lazy import runs_of
from tests.lbann.sample_sets import expected, make_samples


@pytest.fixture
def made(tmp_path):
    return expected(*make_samples(tmp_path))


@pytest.fixture
def ds(made, tmp_path):
    return Dataset(tmp_path / "train.samples", tmp_path / "data.yaml", keep_packed_fields=True)


def test_rows_are_samples_and_lists_are_vectors(ds, made):
    frame = ds.to_frame(["response", "in/energy", "samples"])
    assert frame.shape == (15, 3)
    assert isinstance(frame["samples"], ak.SegArray)
    np.testing.assert_array_equal(frame["in/energy"].to_ndarray(), made["responses"][:, 1])
    np.testing.assert_array_equal(np.array(frame["samples"].tolist()), made["samples"].astype(float))
    heavy = frame[frame["in/energy"] > 0.5]
    assert len(heavy) == (made["responses"][:, 1] > 0.5).sum()
    np.testing.assert_array_equal(
        np.array(heavy["response"].tolist()), made["responses"][made["responses"][:, 1] > 0.5]
    )


def test_rows_follow_the_order_of_a_subset(ds, made):
    order = [9, 2, 14, 2]
    np.testing.assert_array_equal(
        ds.subset(order).to_frame(["in/count"])["in/count"].to_ndarray(), made["responses"][order, 0]
    )


def test_frames_are_lazy_and_know_when_files_change(ds, tmp_path):
    frame = ds.to_frame(["in/energy"])
    (tmp_path / "a_1.h5").unlink()
    with pytest.raises(LbannError, match=r"no such file"):
        frame["in/energy"].sum().compute()


def test_frames_of_the_same_samples_are_the_same_rows(ds):
    first, second = ds.to_frame(["in/energy"]), ds.to_frame(["in/energy"])
    assert (first["in/energy"] + second["in/energy"]).size == 15


def test_only_fields_that_columns_need_are_read(ds, tmp_path):
    frame = ds.to_frame()
    import h5py

    with h5py.File(tmp_path / "a_0.h5", "a") as file:
        del file["RUN/000000001/image"]
    assert frame["in/energy"].to_ndarray().shape == (15,)


def test_a_chunk_of_a_dask_array_is_a_batch(ds, made):
    array = ds.to_dask_array("datum", batch=4)
    assert array.chunks == ((4, 4, 4, 3), (6,))
    assert array.dtype == np.float32
    np.testing.assert_array_equal(array.compute(), made["samples"])
    np.testing.assert_array_equal(array[5:9].mean(axis=0).compute(), made["samples"][5:9].mean(axis=0))


def test_a_bag_has_samples(ds, made):
    bag = ds.to_dask_bag(["responses"])
    assert [one["responses"][0] for one in bag.compute(scheduler="threads")] == made["responses"][:, 0].tolist()
    assert ds.subset([]).to_dask_bag(["responses"]).compute(scheduler="threads") == []


def test_names_that_are_not_there_are_refused(ds):
    for make in (ds.to_frame, ds.to_dask_bag):
        with pytest.raises(UnknownNameError):
            make(["nothing"])


def test_a_task_reads_a_run_of_samples_of_a_file():
    files = np.repeat(np.arange(5), 40)
    assert runs_of(files, 8) == [(start, start + 40) for start in range(0, 200, 40)]
    assert runs_of(np.repeat([0], 10), 1 << 26) == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 10)]
    assert runs_of(np.array([], int), 8) == []


def test_the_same_rows_come_with_threads_and_in_one_thread(ds):
    def read():
        return ds.to_frame(["samples"])["samples"].values.to_ndarray().tolist()

    with dask.config.set(scheduler="threads"):
        threaded = read()
    assert threaded == read()
