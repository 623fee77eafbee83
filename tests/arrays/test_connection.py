"""`connect`, in every form that its documentation names."""

from __future__ import annotations

import contextvars
import platform
import re
import subprocess
import sys
from contextlib import closing

import dask
import pytest
from dask.system import CPU_COUNT

import akdask as ak
from akdask.arrays.memory_report import report_mem
from akdask.errors import ArgumentError, ArgumentTypeError, ClosedSchedulerError, VersionError


@pytest.fixture
def disconnected():
    """Let Dask choose where to compute, and go back to this process afterwards."""
    with dask.config.set(scheduler=None):
        yield
        ak.disconnect()


@pytest.fixture
def address(session_client):
    return session_client.scheduler.address


def assert_computes_on(client):
    assert len(client.scheduler_info(n_workers=-1)["workers"]) >= 1
    assert type((ak.arange(10) + 1).persist()._frame.graph.popitem()[1]).__name__ == "Future"
    assert ak.arange(10).sum() == 45


def assert_computes_here():
    assert type((ak.arange(10) + 1).persist()._frame.graph.popitem()[1]).__name__ != "Future"
    assert ak.arange(10).sum() == 45


@pytest.mark.parametrize("arguments", [(), ("localhost",), ("localhost", 5555), ("node-17", 5555, 10)])
def test_hosts_of_arkouda_servers_mean_this_process(arguments, disconnected):
    assert ak.connect(*arguments) is None
    assert_computes_here()


def test_what_else_arkouda_scripts_pass_means_this_process(disconnected):
    assert ak.connect(server="localhost", port=5555, timeout=0, access_token="x", access_channel=None) is None
    assert ak.connect(connect_url="tcp://node-17:5555?token=x") is None
    assert_computes_here()


def test_a_misspelt_argument_is_refused():
    with pytest.raises(TypeError, match="timout"):
        ak.connect("localhost", timout=3)


@pytest.mark.cluster
@pytest.mark.parametrize("timeout", [{}, {"timeout": 0}, {"timeout": None}, {"timeout": 20}, {"timeout": 20.5}])
def test_an_address_is_that_of_a_dask_scheduler(address, timeout, disconnected):
    assert_computes_on(ak.connect(address, **timeout))
    ak.disconnect()
    assert_computes_here()


@pytest.mark.cluster
def test_an_address_may_be_connected_to_twice(address, disconnected):
    ak.connect(address)
    assert_computes_on(ak.connect(server=address))
    ak.disconnect()
    assert_computes_here()


@pytest.mark.cluster
def test_local_starts_processes_and_disconnecting_ends_them(disconnected):
    client = ak.connect("local")
    assert client.cluster.workers
    assert_computes_on(client)
    ak.disconnect()
    assert client.cluster.status.name == "closed"
    assert_computes_here()


@pytest.mark.cluster
def test_a_client_is_taken_and_left_open(session_client, disconnected):
    assert ak.connect(session_client) is session_client
    assert_computes_on(session_client)
    ak.disconnect()
    assert session_client.status == "running"
    assert_computes_here()


@pytest.mark.cluster
def test_a_cluster_object_is_taken_and_left_open(session_client, disconnected):
    assert_computes_on(ak.connect(session_client.cluster))
    ak.disconnect()
    assert session_client.cluster.status.name == "running"


@pytest.mark.cluster
def test_a_client_that_is_current_anyway_serves_in_cells_of_their_own_contexts(address, disconnected):
    from distributed import Client

    with closing(Client(address)) as client:
        assert contextvars.copy_context().run(ak.connect, client) is client
        assert_computes_on(client)
        contextvars.copy_context().run(ak.disconnect)
        assert client.status == "running"


@pytest.fixture
def own_cluster():
    """A scheduler with one worker in this process, which a test may close."""
    from distributed import LocalCluster

    with LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster:
        yield cluster


@pytest.mark.cluster
def test_a_scheduler_of_this_process_is_connected_to(own_cluster, disconnected):
    assert own_cluster.scheduler_address.startswith("inproc://")
    assert_computes_on(ak.connect(own_cluster.scheduler_address))


@pytest.mark.cluster
def test_a_scheduler_that_has_closed_is_told_until_the_user_disconnects(own_cluster, disconnected):
    address = own_cluster.scheduler_address
    ak.connect(address)
    own_cluster.close()
    with pytest.raises(ClosedSchedulerError, match=f"{address} has closed"):
        ak.arange(10).sum().compute()
    ak.disconnect()
    assert_computes_here()


@pytest.mark.cluster
def test_a_client_that_its_user_closes_leaves_threads(own_cluster, disconnected):
    with ak.connect(own_cluster.scheduler_address):
        pass
    assert_computes_here()


@pytest.mark.cluster
@pytest.mark.parametrize(("version", "said"), [(None, "no akdask"), ("0.0.9", "akdask 0.0.9")])
def test_workers_of_another_version_are_refused(version, said, own_cluster, disconnected, monkeypatch):
    from distributed import Client

    def versions(self, **_):
        return {"workers": {"tcp://node-1:40": {"packages": {"akdask": version}}}}

    monkeypatch.setattr(Client, "get_versions", versions)
    with pytest.raises(VersionError, match=f"1 of 1 workers cannot compute .*\n  tcp://node-1:40: {said}"):
        ak.connect(own_cluster.scheduler_address)
    assert_computes_here()


@pytest.mark.parametrize("server", ["tcp://127.0.0.1:9", "tcp://no-such-host.invalid:8786", "tcp://127.0.0.1", "x://y"])
def test_a_scheduler_that_does_not_answer_is_named(server):
    with pytest.raises(ArgumentError, match=f"no Dask scheduler answers at {server}"):
        ak.connect(server, timeout=1)


@pytest.mark.parametrize("server", [5, 8786.0, ["tcp://127.0.0.1:9"], ak])
def test_what_is_no_address_is_refused(server):
    with pytest.raises(ArgumentTypeError, match=f"cannot connect to {type(server).__name__}"):
        ak.connect(server)


@pytest.mark.parametrize("timeout", [-1, float("nan"), "soon", True, [3]])
def test_what_is_no_number_of_seconds_is_refused(timeout):
    with pytest.raises((ArgumentError, ArgumentTypeError), match="timeout is a number of seconds"):
        ak.connect("tcp://127.0.0.1:9", timeout=timeout)


@pytest.mark.slow
def test_connecting_to_this_process_does_not_load_the_cluster():
    code = "import sys, akdask as ak; ak.connect('localhost', 5555); ak.connect(); print('distributed' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_facts_about_this_process_have_arkoudas_names():
    facts = ak.get_config()
    assert facts["numLocales"] == facts["numNodes"] == 1
    assert facts["pythonVersion"] == platform.python_version()
    assert facts["maxTaskPar"] == CPU_COUNT
    assert facts["physicalMemory"] > 2**20
    assert len(facts["LocaleConfigs"]) == 1


def test_memory_is_reported(capsys):
    report_mem("before")
    assert re.fullmatch(r"before mem use:  \d+\.\d\d TB \(\d+\.\d%\)\n", capsys.readouterr().out)
