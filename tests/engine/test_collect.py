from __future__ import annotations

import pickle

import dask
import h5py
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from distributed import Client, LocalCluster

import akdask as ak
from akdask.engine.run import CollectColumns, Destination, FinishResult, can_collect
from akdask.errors import TransferError

N = 1000


@pytest.fixture
def stored(tmp_path):
    """Three files of unequal lengths, one without rows, as raw h5py reads them."""
    rng = np.random.default_rng(3)
    columns = {
        "i": rng.integers(-(2**62), 2**62, N),
        "u": rng.integers(0, 2**64, N, np.uint64),
        "f": rng.normal(size=N),
        "b": rng.random(N) < 0.5,
        "t": rng.integers(0, 2**60, N),
    }
    text = np.array([f"é{k}" * (k % 4) for k in range(N)])
    arrays = {name: ak.array(column) for name, column in columns.items()}
    arrays["t"] = ak.Datetime(columns["t"])
    arrays["s"] = ak.array(text)
    parts = [(0, 600), (600, 600), (600, N)]
    joined = {name: ak.concatenate([array[a:b] for a, b in parts]) for name, array in arrays.items()}
    ak.to_hdf(joined, tmp_path / "x.h5", num_locales=3)
    return tmp_path / "x.h5", {**columns, "s": text}


def test_frames_are_what_pandas_makes_of_the_arrays(stored):
    path, columns = stored
    expected = pd.DataFrame({**columns, "t": columns["t"].view("M8[ns]")})
    found = ak.DataFrame.load(path).to_pandas()[list(expected)]
    pd.testing.assert_frame_equal(found, expected)
    assert found["s"].dtype == pd.Series(["x"]).dtype


@pytest.mark.parametrize("scheduler", ["threads", "sync", "processes", None])
def test_every_scheduler_gives_the_same(stored, scheduler):
    path, columns = stored
    array, frame = ak.load(path, dataset="f")["f"], ak.DataFrame.load(path)
    with dask.config.set(scheduler=scheduler):
        np.testing.assert_array_equal(array.to_ndarray(), columns["f"])
        assert frame.to_pandas()["s"].tolist() == columns["s"].tolist()
        # Named as an argument, a scheduler is not known when the plan is made.
        np.testing.assert_array_equal(array.compute(scheduler="sync"), columns["f"])


def test_numbers_are_read_into_the_arrays_that_the_user_gets(stored, monkeypatch):
    path, columns = stored
    targets = []
    reader = type(ak.load(path, dataset="i")["i"]._frame.source.part(0, ["i"]).open())
    read = reader.read

    def noted(self, column, start, stop, out=None):
        targets.append(out)
        return read(self, column, start, stop, out)

    monkeypatch.setattr(reader, "read", noted)
    found = ak.load(path, dataset="i")["i"].to_ndarray()
    np.testing.assert_array_equal(found, columns["i"])
    assert sum(len(target) for target in targets) == N
    assert all(np.shares_memory(target, found) for target in targets if len(target))


def test_each_conversion_has_arrays_of_its_own(stored):
    path, columns = stored
    array, frame = ak.load(path, dataset="i")["i"], ak.DataFrame.load(path)
    first = array.to_ndarray()
    first[:] = 0
    np.testing.assert_array_equal(array.to_ndarray(), columns["i"])
    changed = frame.to_pandas()
    changed.loc[:, "i"] = 0
    np.testing.assert_array_equal(frame.to_pandas()["i"], columns["i"])


def test_frames_of_arrays_at_hand_may_be_changed_and_change_nothing():
    array = ak.array(np.arange(5))
    frame = ak.DataFrame({"a": array, "b": array}).to_pandas()
    frame.loc[0, "a"] = 7
    assert frame["a"].tolist() == [7, 1, 2, 3, 4]
    assert frame["b"].tolist() == array.tolist() == [0, 1, 2, 3, 4]


def test_numbers_of_several_partitions_are_computed_into_one_array(stored):
    path, columns = stored
    df = ak.DataFrame.load(path)
    for array in (df["i"], df["i"] + 1, df["i"][3:], df["i"][::-1], ak.concatenate([ak.arange(3)] * 2)):
        assert can_collect(array._project())
    for array in (ak.arange(3), df[df["b"]]["i"]):
        assert not can_collect(array._project())
    np.testing.assert_array_equal(df[df["b"]]["f"].to_ndarray(), columns["f"][columns["b"]])
    np.testing.assert_array_equal((df["f"] * 2).to_ndarray(), columns["f"] * 2)
    np.testing.assert_array_equal((df["f"] * 2)[5:-7:3].to_ndarray(), (columns["f"] * 2)[5:-7:3])
    np.testing.assert_array_equal(df["i"][::-1].to_ndarray(), columns["i"][::-1])


def test_one_array_has_equal_parts_twice():
    part = ak.array(np.arange(5.0))
    joined = ak.concatenate([part, part * 2, part])
    expected = np.concatenate([np.arange(5.0), np.arange(5.0) * 2, np.arange(5.0)])
    np.testing.assert_array_equal(joined.to_ndarray(), expected)
    np.testing.assert_array_equal((joined + joined[::-1]).to_ndarray(), expected + expected[::-1])
    frame = ak.DataFrame({"a": joined, "b": joined, "s": ak.cast(joined, str)})
    found = frame.to_pandas()
    np.testing.assert_array_equal(found["b"], expected)
    assert found["s"].tolist() == ak.cast(joined, str).tolist()


def test_the_general_path_gives_the_same(stored):
    path, _ = stored
    df = ak.DataFrame.load(path)
    for name in df.columns:
        rows = df[name].expr
        here = rows.here()
        assert isinstance(here, FinishResult)
        assert isinstance(here.operands[1], CollectColumns)
        (general,), (delivered,) = dask.compute(df[name]), (df[name].to_ndarray(),)
        np.testing.assert_array_equal(general, delivered)
        assert general.dtype == delivered.dtype


def test_a_destination_does_not_leave_its_process():
    with pytest.raises(TransferError, match="another"):
        pickle.dumps(Destination({"a": np.zeros(3)}))


@pytest.mark.cluster
def test_what_a_task_of_a_worker_computes_its_cluster_does(stored):
    path, columns = stored

    def total(path):
        import akdask as ak

        return ak.load(path, dataset="i")["i"].to_ndarray()

    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster, Client(cluster) as client:
        np.testing.assert_array_equal(client.submit(total, path).result(timeout=60), columns["i"])
        np.testing.assert_array_equal(ak.load(path, dataset="i")["i"].to_ndarray(), columns["i"])


def test_too_much_is_refused_before_it_is_read(stored):
    path, _ = stored
    with ak.config.set(max_transfer_bytes=10), pytest.raises(TransferError, match="limit"):
        ak.load(path, dataset="i")["i"].to_ndarray()


def test_strings_stay_in_the_pieces_in_which_they_are_read(stored):
    path, columns = stored
    found = ak.load(path, dataset="s")["s"].to_arrow()
    assert found.type == pa.large_string()
    assert found.num_chunks == 3
    assert found.to_pylist() == columns["s"].tolist()


def test_columns_of_foreign_files_are_widened(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["a"] = np.arange(5, dtype=">i2")
        file["b"] = np.arange(5, dtype="f4")
    found = ak.DataFrame.load(tmp_path / "x.h5").to_pandas()
    pd.testing.assert_frame_equal(found, pd.DataFrame({"a": np.arange(5), "b": np.arange(5.0)}))


def test_sources_may_ignore_where_they_are_to_read_to(monkeypatch, stored):
    path, columns = stored
    reader = type(ak.load(path, dataset="i")["i"]._frame.source.part(0, ["i"]).open())
    read = reader.read
    monkeypatch.setattr(reader, "read", lambda self, column, start, stop, out=None: read(self, column, start, stop))
    np.testing.assert_array_equal(ak.load(path, dataset="i")["i"].to_ndarray(), columns["i"])


def test_strings_that_are_computed_stay_in_the_chunks_that_tasks_make():
    plain = [f"{number % 7}" * (number % 4) for number in range(900)]
    strings = ak.concatenate([ak.array(plain[start : start + 300]) for start in range(0, 900, 300)])
    found = strings[ak.arange(900)[::-1]].to_arrow()
    assert found.to_pylist() == plain[::-1]
    assert strings.to_arrow().to_pylist() == plain
    frame = ak.DataFrame({"s": strings, "n": ak.arange(900)})
    assert frame[frame["n"] > 2].to_pandas()["s"].tolist() == plain[3:]
    assert frame[frame["n"] > 2].to_pandas()["n"].tolist() == list(range(3, 900))


def test_a_few_strings_do_not_keep_all_of_them_in_memory():
    strings = ak.concatenate([ak.array([f"{number:099d}" for number in range(400)]) for _ in range(3)]).persist()
    few = strings[398:404].to_arrow()
    assert few.to_pylist() == [f"{number:099d}" for number in (398, 399, 0, 1, 2, 3)]
    assert few.get_total_buffer_size() < 4000
