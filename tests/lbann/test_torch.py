"""Data sets of torch: the same samples, whatever loads them and however many workers it has.

They are tested with a stand-in for ``torch.utils.data``; ``make test-torch`` runs the same tests with torch itself.
"""

from __future__ import annotations

import importlib
import os
import pickle
import sys

import numpy as np
import pytest

from akdask.errors import ArgumentError
from akdask.lbann import Dataset
from tests.lbann import standin_torch
from tests.lbann.sample_sets import expected, make_samples

REAL = os.environ.get("AKDASK_TEST_TORCH") == "1"


@pytest.fixture
def torch_data(monkeypatch):
    """Return torch.utils.data, or what stands in for it."""
    if not REAL:
        for name, module in standin_torch.modules().items():
            monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, "akdask.lbann.torch", raising=False)
    yield importlib.import_module("torch.utils.data")
    sys.modules.pop("akdask.lbann.torch", None)


@pytest.fixture
def made(tmp_path):
    return expected(*make_samples(tmp_path))


@pytest.fixture
def ds(made, tmp_path):
    return Dataset(tmp_path / "train.samples", tmp_path / "data.yaml")


def rows(batches):
    """Return the first responses of batches: the positions of their samples."""
    return [np.asarray(batch["responses"])[:, 0].astype(int).tolist() for batch in batches]


def loaders(torch_data, *args, **options):
    """Yield loaders without and with workers, started in the ways that there are."""
    yield torch_data.DataLoader(*args, **options)
    for start in ("fork", "spawn") if REAL else ("fork",):
        yield torch_data.DataLoader(*args, num_workers=2, multiprocessing_context=start, **options)


def test_samples_by_position_are_loaded_in_order(torch_data, ds, made):
    for loader in loaders(torch_data, ds.to_torch(), batch_size=4):
        found = list(loader)
        assert rows(found) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14]]
        images = np.concatenate([np.asarray(batch["samples"]) for batch in found])
        np.testing.assert_array_equal(images.reshape(15, -1), made["samples"])
        assert np.asarray(found[0]["responses"]).dtype == np.float32


def test_samples_have_the_dimensions_of_the_schemas(torch_data, tmp_path, made):
    ds = Dataset(tmp_path / "train.samples", tmp_path / "data.yaml", keep_packed_fields=True)
    found = ds.to_torch(names=["image"])[3]["image"]
    assert found.shape == (1, 2, 3)
    assert ds.to_torch(names=["image"], shaped=False)[3]["image"].shape == (6,)


def test_distributed_samplers_share_samples_out(torch_data, ds):
    sampler = importlib.import_module("torch.utils.data.distributed").DistributedSampler
    mapped = ds.to_torch()
    seen = []
    for rank in range(3):
        chosen = sampler(mapped, num_replicas=3, rank=rank, shuffle=True, seed=1)
        chosen.set_epoch(2)
        seen += rows(torch_data.DataLoader(mapped, batch_size=5, sampler=chosen))[0]
    assert sorted(seen) == list(range(15))


@pytest.mark.parametrize("shuffle", [False, True, "files"])
def test_streamed_batches_come_in_one_order_however_many_workers_there_are(torch_data, ds, shuffle):
    stream = ds.to_torch("iterable", batch_size=2, shuffle=shuffle, seed=4)
    assert isinstance(stream, torch_data.IterableDataset)
    wanted = rows(ds.batches(2, shuffle=shuffle, seed=4))
    assert len(stream) == 8
    for loader in loaders(torch_data, stream, batch_size=None):
        assert rows(loader) == wanted


def test_epochs_of_a_stream_have_orders_of_their_own(torch_data, ds):
    stream = ds.to_torch("iterable", batch_size=5, shuffle=True, seed=4)
    first = rows(torch_data.DataLoader(stream, batch_size=None))
    assert rows(torch_data.DataLoader(stream, batch_size=None)) == first
    stream.set_epoch(1)
    assert rows(torch_data.DataLoader(stream, batch_size=None, num_workers=1)) != first


def test_processes_take_shares_of_equal_length_that_no_other_has(torch_data, ds):
    shares = [ds.to_torch("iterable", batch_size=2, shuffle=True, seed=4, rank=rank, world_size=3) for rank in range(3)]
    found = [rows(torch_data.DataLoader(share, batch_size=None, num_workers=2)) for share in shares]
    assert [len(one) for one in found] == [len(share) for share in shares] == [2, 2, 2]
    flat = [row for one in found for batch in one for row in batch]
    assert len(set(flat)) == len(flat)


def test_workers_may_be_prepared(torch_data, ds):
    from akdask.lbann import worker_init

    stream = ds.to_torch("iterable", batch_size=5)
    loader = torch_data.DataLoader(stream, batch_size=None, num_workers=2, worker_init_fn=worker_init)
    assert sum(map(len, rows(loader))) == 15


def test_a_handle_that_is_open_is_not_sent_to_workers(torch_data, ds, made):
    mapped = ds.to_torch()
    mapped[0]
    again = pickle.loads(pickle.dumps(mapped))
    np.testing.assert_array_equal(again[5]["samples"].reshape(-1), made["samples"][5])


def test_arguments_that_make_no_sense_are_refused(torch_data, ds):
    with pytest.raises(ArgumentError, match="'map' or 'iterable'"):
        ds.to_torch("stream")
    with pytest.raises(ArgumentError, match="together"):
        ds.to_torch("iterable", batch_size=2, rank=1)
    with pytest.raises(ArgumentError, match="rank 3 of 3"):
        ds.to_torch("iterable", batch_size=2, rank=3, world_size=3)


@pytest.mark.skipif(REAL, reason="torch is installed here")
def test_without_torch_samples_by_position_are_there_and_streams_are_refused(ds, monkeypatch):
    monkeypatch.delitem(sys.modules, "akdask.lbann.torch", raising=False)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert len(ds.to_torch()) == 15
    with pytest.raises(ArgumentError, match="torch is not installed"):
        ds.to_torch("iterable", batch_size=2)
    sys.modules.pop("akdask.lbann.torch", None)


def test_torch_is_imported_only_when_it_is_asked_for(ds):
    if not REAL:
        assert "torch" not in sys.modules
    assert ds[0]["samples"].shape == (6,)
