"""What cannot fit into this process is refused before anything is computed."""

from __future__ import annotations

import dask
import numpy as np
import pytest

import akdask as ak
from akdask import cluster
from akdask.errors import TransferError

WAYS = {
    "to_ndarray": lambda x: x.to_ndarray(),
    "tolist": lambda x: x.tolist(),
    "compute": lambda x: x.compute(),
    "dask.compute": dask.compute,
    "asarray": np.asarray,
    "iteration": lambda x: next(iter(x)),
    "frame": lambda x: ak.DataFrame({"x": x}).to_pandas(),
    "frame computed": lambda x: ak.DataFrame({"x": x}).compute(),
    "frame to NumPy": lambda x: np.asarray(ak.DataFrame({"x": x})),
    "index": lambda x: ak.Index(x).to_pandas(),
    "levels": lambda x: ak.MultiIndex([x, x]).to_pandas(),
    "shaped": lambda x: x.reshape(2**20, -1).to_ndarray(),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_what_the_machine_cannot_hold_is_refused_before_it_starts(way):
    # 2**50 bytes; nothing but the refusal ends within the time of a test.
    with pytest.raises(TransferError, match="this would bring 1,125,899,906,842,624 bytes") as caught:
        way(ak.arange(2**47))
    assert "ak.config.set(max_transfer_bytes=" in caught.value.hint


def test_plans_and_edges_of_what_cannot_be_held_are_shown():
    x = ak.arange(2**47)
    assert "As it will run" in x.explain()
    assert x.head(3).tolist() == [0, 1, 2]
    assert repr(x).startswith("array([0 1 2 ... ")


def test_half_of_the_memory_is_the_limit_unless_one_is_set(monkeypatch):
    monkeypatch.setattr(cluster, "process_memory", lambda: 160)
    assert ak.arange(10).tolist() == list(range(10))
    with pytest.raises(TransferError, match=r"88 bytes .* more than the limit of 80"):
        ak.arange(11).tolist()
    for limit in (None, float("inf"), "1 kB", 88):
        with ak.config.set(max_transfer_bytes=limit):
            assert len(ak.arange(11).tolist()) == 11
    with ak.config.set(max_transfer_bytes=7), pytest.raises(TransferError, match="limit of 7"):
        ak.arange(1).tolist()


def test_a_limit_of_a_call_goes_before_the_setting():
    frame = ak.DataFrame({"x": ak.arange(2**18)})
    with ak.config.set(max_transfer_bytes=10):
        assert frame.to_pandas(datalimit=2).shape == (2**18, 1)
    with pytest.raises(TransferError, match=r"limit of 1,048,576\."):
        frame.to_pandas(datalimit=1)


@pytest.mark.parametrize("make", [lambda text: text, ak.Categorical], ids=["Strings", "Categorical"])
def test_text_that_numpy_would_widen_beyond_memory_is_refused(make):
    texts = make(ak.array(["a", "b" * 100]))
    with ak.config.set(max_transfer_bytes=799), pytest.raises(TransferError, match="800 bytes"):
        texts.to_ndarray()
    with ak.config.set(max_transfer_bytes=800):
        assert texts.to_ndarray()[1] == "b" * 100


def test_characters_of_several_bytes_count_once():
    with ak.config.set(max_transfer_bytes=8):
        assert ak.array(["é"]).tolist() == ["é"]
