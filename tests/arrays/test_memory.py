"""How much memory there is, and how much of it is taken."""

from __future__ import annotations

import pytest

import akdask as ak
from akdask import cluster
from akdask.arrays.memory_report import get_array_ranks
from akdask.errors import ArgumentError


def test_memory_of_this_process_is_told():
    used = ak.get_mem_used()
    assert 2**20 < used < cluster.process_memory()
    assert ak.get_mem_used("KB") <= ak.get_mem_used() // 2**10 + 2**20
    assert 0 <= ak.get_mem_used(as_percent=True) <= 100
    assert 0 <= ak.get_mem_avail(as_percent=True) <= 100
    assert 0 < ak.get_mem_avail("mb") <= cluster.process_memory() // 2**20
    (status,) = ak.get_mem_status()
    assert status["total_mem"] == cluster.process_memory()
    assert status["locale_id"] == 0
    assert status["arkouda_mem_alloc"] + status["avail_mem"] == status["total_mem"]


@pytest.mark.parametrize("function", [ak.get_mem_used, ak.get_mem_avail])
def test_there_are_only_some_units(function):
    with pytest.raises(ArgumentError, match="measured in b, kb"):
        function("bytes")


@pytest.mark.cluster
def test_memory_of_workers_is_told(cluster_client):
    assert [status["locale_id"] for status in ak.get_mem_status()] == [0, 1]
    total = sum(status["total_mem"] for status in ak.get_mem_status())
    assert 0 < ak.get_mem_used() < total
    assert 0 < ak.get_mem_avail() < total


def test_ranks_go_up_to_the_highest():
    assert get_array_ranks() == list(range(1, ak.get_max_array_rank() + 1))
