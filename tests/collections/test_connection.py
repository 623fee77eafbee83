import pytest
from dask.system import CPU_COUNT

import akdask as ak
from akdask.errors import ArgumentError


def test_hosts_of_arkouda_servers_mean_this_process():
    assert ak.connect("localhost", 5555) is None
    assert ak.connect() is None
    assert ak.arange(3).sum() == 3
    ak.disconnect()


def test_facts_about_this_process_have_arkoudas_names():
    facts = ak.get_config()
    assert facts["numLocales"] == 1
    assert facts["maxTaskPar"] == CPU_COUNT
    assert facts["physicalMemory"] > 2**20
    assert len(facts["LocaleConfigs"]) == 1


def test_a_scheduler_that_does_not_answer_is_named():
    with pytest.raises(ArgumentError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9"):
        ak.connect("tcp://127.0.0.1:9", timeout=1)
