"""Arkouda's import paths below akdask, and below ``arkouda`` itself."""

from __future__ import annotations

import importlib
import subprocess
import sys

import numpy as np
import pytest

import akdask as ak
from akdask.arkouda.modules import ArkoudaFinder
from akdask.arkouda.paths import HOMES, MODULES, MOVED
from akdask.errors import ArgumentError, TransferError, UnsupportedError


@pytest.fixture
def arkouda(monkeypatch):
    """Have ``arkouda`` mean akdask while the test runs."""
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    ak.install_as_arkouda()
    yield sys.modules["arkouda"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "arkouda"]:
        del sys.modules[name]


@pytest.mark.parametrize("path", sorted({*MODULES, *MOVED}))
def test_every_path_can_be_imported_and_has_the_names_that_it_lists(path):
    module = importlib.import_module(f"akdask.{path}")
    assert all(hasattr(module, name) for name in dir(module))


def test_names_are_akdasks_own():
    from akdask.numpy.dtypes import int64
    from akdask.numpy.pdarrayclass import pdarray
    from akdask.pandas.groupbyclass import GroupBy, unique

    assert (pdarray, GroupBy, unique, int64) == (ak.pdarray, ak.GroupBy, ak.unique, np.int64)


def test_a_module_has_one_object_under_its_old_and_its_new_path():
    assert importlib.import_module("akdask.dataframe") is importlib.import_module("akdask.pandas.dataframe")
    assert ak.util is importlib.import_module("akdask.numpy.util")


def test_modules_are_attributes_of_the_package_and_of_each_other():
    assert ak.dtypes.int64 is np.int64
    assert ak.util.map(ak.array([2, 3]), {2: 30, 3: 5}).tolist() == [30, 5]
    assert ak.numpy.pdarrayclass.pdarray is ak.pdarray
    assert ak.core.client.get_config() == ak.get_config()


def test_a_module_takes_what_the_package_has_as_arkoudas_modules_import_from_each_other():
    assert ak.pandas.dataframe.arange is ak.arange
    with pytest.raises(AttributeError, match="no attribute 'arange2'"):
        ak.pandas.dataframe.arange2  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from akdask.pandas.dataframe import nothing  # noqa: F401


def test_all_names_of_a_module_are_imported_by_a_star():
    names: dict[str, object] = {}
    exec("from akdask.numpy.sorting import *", names)
    assert {"argsort", "coargsort", "sort", "searchsorted", "SortingAlgorithm"} <= names.keys()


def test_akdasks_own_modules_go_before_those_of_arkouda():
    assert importlib.import_module("akdask.io").__file__.endswith("akdask/io/__init__.py")
    assert importlib.import_module("akdask.testing").assert_equal is ak.assert_equal


@pytest.mark.slow
def test_numpy_and_pandas_stay_what_they_are_inside_the_package():
    code = "import akdask.numpy, akdask.pandas, numpy, pandas, akdask as ak; print(numpy.__file__, pandas.__file__)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "akdask" not in found.replace("/akdask/.venv", "")


def test_a_misspelt_name_of_the_package_is_told_what_is_alike():
    with pytest.raises(AttributeError, match=r"no attribute 'arang'.\nHint: did you mean ak.arange"):
        ak.arang  # noqa: B018
    with pytest.raises(AttributeError):
        ak.__wrapped__  # noqa: B018


def test_homes_are_of_known_paths():
    assert set(HOMES) <= set(MODULES)
    assert set(MOVED.values()) <= set(MODULES)


def test_arkouda_means_akdask(arkouda):
    import arkouda as installed
    import arkouda.pandas.dataframe
    from arkouda.client import get_config
    from arkouda.numpy import pdarrayclass
    from arkouda.testing import assert_equal

    assert installed is ak
    assert installed.pandas.dataframe.DataFrame is ak.DataFrame
    assert pdarrayclass.pdarray is ak.pdarray
    assert (get_config, assert_equal) == (ak.get_config, ak.assert_equal)
    assert ak.__name__ == ak.__spec__.name == "akdask"


def test_modules_of_akdask_are_not_loaded_twice(arkouda):
    assert importlib.import_module("arkouda.io") is importlib.import_module("akdask.io")


def test_what_arkouda_does_not_have_cannot_be_imported(arkouda):
    with pytest.raises(ModuleNotFoundError, match=r"arkouda\.nothing is no module"):
        importlib.import_module("arkouda.nothing")


def test_installing_twice_is_once(arkouda):
    ak.install_as_arkouda()
    assert sys.meta_path.count(ArkoudaFinder) == 1


def test_arkouda_itself_is_not_replaced_behind_the_back_of_who_has_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "arkouda", importlib.import_module("json"))
    with pytest.raises(ArgumentError, match="Arkouda itself has been imported"):
        ak.install_as_arkouda()


def test_what_needs_a_server_can_be_imported_and_says_so_when_it_is_used():
    from akdask.comm_diagnostics import get_comm_diagnostics, start_comm_diagnostics
    from akdask.core.client import Channel, generic_msg
    from akdask.numpy.pdarrayclass import create_pdarray

    for refused in (start_comm_diagnostics, get_comm_diagnostics, generic_msg, Channel, create_pdarray, ak.receive):
        with pytest.raises(UnsupportedError, match=r"needs a Chapel server.*\nHint: ") as caught:
            refused("x")
        assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(UnsupportedError, match="RequestMessage needs a Chapel server"):
        ak.core.message.RequestMessage.asdict()
    assert repr(ak.receive) == "<receive: needs a Chapel server, which akdask does not have>"


def test_what_asks_a_server_for_nothing_is_done(capsys, monkeypatch):
    client = ak.core.client
    assert (ak.ruok(), ak.get_server_commands(), client.get_array_ranks()) == ("imok", {}, [1, 2, 3])
    assert client.get_registration_config()["parameter_classes"]["array"]["nd"] == [1, 2, 3]
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    client.server_sleep(2)
    for harmless in (client.set_defaults, client.wait_for_async_activity, ak.shutdown, ak.print_server_commands):
        assert harmless() is None
    assert waited == [2]
    assert "commands: 0" in capsys.readouterr().out
    assert client.connected
    assert client.ShellMode.REPL_SHELL is client.get_shell_mode()


def test_a_function_is_still_called_where_an_import_has_put_the_module_of_its_name(monkeypatch):
    monkeypatch.delitem(sys.modules, "akdask.apply", raising=False)
    monkeypatch.setattr(ak, "apply", lambda x, y=1: x + y, raising=False)
    module = importlib.import_module("akdask.apply")
    assert ak.apply is module
    assert ak.apply(5, y=2) == module.apply(5, y=2) == 7


def test_what_scripts_assign_to_the_client_is_a_setting():
    client = ak.core.client
    with ak.config.set(max_transfer_bytes=2**20):
        client.maxTransferBytes = 8
        with pytest.raises(TransferError):
            ak.arange(2).tolist()
        client.set_defaults()
        assert client.maxTransferBytes > 2**20
    client.pdarrayIterThresh = 5
    assert client.pdarrayIterThresh == 5
    del client.pdarrayIterThresh
    assert client.pdarrayIterThresh == 100


def test_modules_have_what_their_classes_are_made_of_under_arkoudas_names():
    from akdask.core.logger import getArkoudaLogger
    from akdask.numpy.segarray import SEG_SUFFIX
    from akdask.numpy.timeclass import _AbstractBaseTime
    from akdask.pandas.groupbyclass import GroupByReductionType
    from akdask.pandas.match import MatchType

    assert {str(member) for member in GroupByReductionType} >= {"sum", "nunique"}
    assert ak.client_dtypes.BitVectorizer(4)(ak.array([3])).tolist() == ["..||"]
    assert ak.array(["ab"]).search("b").match_type() == MatchType.SEARCH.name
    assert issubclass(ak.Datetime, _AbstractBaseTime)
    assert (SEG_SUFFIX, getArkoudaLogger("akdask.x").name) == ("_segments", "akdask.x")
