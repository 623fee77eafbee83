"""How large partitions are on workers of any size: small enough for what the program leaves of their memory."""

from types import SimpleNamespace

import pytest

from akdask import cluster, config

MB, GB = 10**6, 10**9


@pytest.fixture
def workers(monkeypatch):
    """Return what makes a cluster current whose workers have so many bytes of memory and threads."""

    def make(*sizes):
        facts = {
            str(number): {"memory_limit": limit, "nthreads": threads} for number, (limit, threads) in enumerate(sizes)
        }
        client = SimpleNamespace(id=str(facts), scheduler_info=lambda n_workers: {"workers": facts})
        monkeypatch.setattr(cluster, "default_client", lambda: client)

    return make


def test_partitions_are_as_large_as_the_setting_says_where_there_is_memory(workers):
    workers((64 * GB, 2), (32 * GB, 1))
    with config.set(partition_size=100 * MB):
        assert cluster.partition_size() == 100 * MB


@pytest.mark.parametrize(("limit", "threads"), [(400 * MB, 1), (500 * MB, 2), (1 * GB, 1), (4 * GB, 4)])
def test_what_a_task_holds_fits_beside_the_program_on_small_workers(workers, limit, threads):
    workers((64 * GB, 1), (limit, threads))
    # A partition of ten columns, as it is read, in order, and on its way.
    assert 3 * 10 * threads * cluster.partition_size() < limit - cluster.PROGRAM
    assert cluster.partition_size() > MB


def test_even_workers_smaller_than_the_program_get_partitions(workers):
    workers((200 * MB, 1))
    assert 0 < cluster.partition_size() < MB
    assert cluster.all_memory() == 50 * MB


def test_workers_without_a_limit_have_what_the_machine_has(workers):
    workers((0, 1), (0, 2))
    assert cluster.all_memory() == 2 * cluster.process_memory()
    assert cluster.memory() == cluster.process_memory() // 2


def test_a_plan_asks_the_scheduler_once(monkeypatch):
    asked = []

    def scheduler_info(n_workers):
        asked.append(n_workers)
        return {"workers": {"a": {"memory_limit": 4 * GB, "nthreads": 1}}}

    client = SimpleNamespace(id="a client", scheduler_info=scheduler_info)
    monkeypatch.setattr(cluster, "default_client", lambda: client)
    assert cluster.addresses() == ("a",)
    assert cluster.memory() == cluster.all_memory()
    assert asked == [-1]
    monkeypatch.setattr(cluster, "monotonic", lambda: float("inf"))
    assert cluster.addresses() == ("a",)
    assert asked == [-1, -1]


def test_without_a_cluster_there_is_this_machine(monkeypatch):
    monkeypatch.setattr(cluster, "default_client", lambda: None)
    assert cluster.memory() == cluster.all_memory() == cluster.process_memory() - cluster.PROGRAM
    with config.set(memory_limit=GB):
        assert cluster.memory() == cluster.all_memory() == GB - cluster.PROGRAM
        assert 3 * 10 * cluster.CPU_COUNT * cluster.partition_size() < GB - cluster.PROGRAM
    assert cluster.addresses() == ()
