"""Arkouda's import paths below `akdask.arkouda`, and below ``arkouda`` itself."""

from __future__ import annotations

import importlib
import pickle
import subprocess
import sys
from importlib import import_module

import cloudpickle
import numpy as np
import pytest

import akdask as ak
from akdask.arkouda.modules import CLASSES, HOMES, MODULES, MOVED, TREE
from akdask.arrays.writable import ARKOUDA_PATHS
from akdask.errors import ArgumentError, TransferError, UnsupportedError


@pytest.fixture
def arkouda():
    """Have ``arkouda`` mean `akdask.arkouda` while the test runs."""
    ak.install_as_arkouda()
    yield sys.modules["arkouda"]
    for name in [name for name in sys.modules if name.partition(".")[0] == "arkouda"]:
        del sys.modules[name]
    ARKOUDA_PATHS.clear()


@pytest.mark.parametrize("path", sorted({*MODULES, *MOVED}))
def test_every_path_can_be_imported_and_has_the_names_that_it_lists(path):
    module = importlib.import_module(f"akdask.arkouda.{path}")
    assert all(hasattr(module, name) for name in dir(module))


@pytest.mark.parametrize("path", CLASSES)
def test_classes_are_shown_by_arkoudas_paths_where_it_is_installed(request, monkeypatch, path):
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(f"akdask.{module}"), name)
    for known in list(ARKOUDA_PATHS):
        monkeypatch.delitem(ARKOUDA_PATHS, known)
    assert repr(found) == f"<class 'akdask.{path}'>"
    derived = type("Derived", (found,), {})
    arkouda = request.getfixturevalue("arkouda")
    assert repr(found) == f"<class 'arkouda.{CLASSES[path]}.{name}'>"
    assert getattr(importlib.import_module(f"arkouda.{CLASSES[path]}"), name) is found
    assert "Derived" in repr(derived)
    assert cloudpickle.loads(cloudpickle.dumps(found)) is found
    assert arkouda is sys.modules["akdask.arkouda"]


def test_names_are_akdasks_own():
    from akdask.arkouda.numpy.dtypes import int64
    from akdask.arkouda.numpy.pdarrayclass import pdarray
    from akdask.arkouda.pandas.groupbyclass import GroupBy, unique

    assert (pdarray, GroupBy, unique, int64) == (ak.pdarray, ak.GroupBy, ak.unique, np.int64)


def test_a_module_has_one_object_under_its_old_and_its_new_path():
    assert importlib.import_module("akdask.arkouda.dataframe") is ak.arkouda.pandas.dataframe
    assert ak.util is importlib.import_module("akdask.arkouda.numpy.util")


def test_modules_are_attributes_of_the_package_and_of_each_other():
    assert ak.dtypes.int64 is np.int64
    assert ak.util.map(ak.array([2, 3]), {2: 30, 3: 5}).tolist() == [30, 5]
    assert ak.arkouda.numpy.pdarrayclass.pdarray is ak.pdarray
    assert ak.arkouda.core.client.get_config() == ak.get_config()


def test_a_module_takes_what_the_package_has_as_arkoudas_modules_import_from_each_other():
    assert ak.arkouda.pandas.dataframe.arange is ak.arange
    with pytest.raises(AttributeError, match="no attribute 'arange2'"):
        ak.arkouda.pandas.dataframe.arange2  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'nothing'"):
        from akdask.arkouda.pandas.dataframe import nothing  # noqa: F401


def test_all_names_of_a_module_are_imported_by_a_star():
    names: dict[str, object] = {}
    exec("from akdask.arkouda.numpy.sorting import *", names)
    assert {"argsort", "coargsort", "sort", "searchsorted", "SortingAlgorithm"} <= names.keys()


@pytest.mark.parametrize("path", ["pandas.groupbyclass", "numpy", "core", "io_util"])
def test_below_akdask_itself_are_no_paths_of_arkouda(path):
    with pytest.raises(ModuleNotFoundError, match=f"akdask.{path}"):
        importlib.import_module(f"akdask.{path}")


def test_pandas_is_the_face_below_akdask_and_arkoudas_tree_below_arkouda(arkouda):
    face = importlib.import_module("akdask.pandas")
    assert importlib.import_module("arkouda.pandas") is arkouda.pandas is TREE["pandas"] is not face
    assert importlib.import_module("arkouda.pandas.groupbyclass").GroupBy is ak.GroupBy
    assert not hasattr(face, "groupbyclass")


@pytest.mark.slow
def test_numpy_and_pandas_stay_what_they_are_inside_the_package():
    code = "import akdask.arkouda.numpy, akdask.arkouda.pandas, numpy, pandas; print(numpy.__file__, pandas.__file__)"
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

    assert installed is arkouda is ak.arkouda
    assert installed.pandas.dataframe.DataFrame is ak.DataFrame
    assert installed.pandas.dataframe is ak.arkouda.pandas.dataframe is sys.modules["arkouda.dataframe"]
    assert pdarrayclass.pdarray is ak.pdarray
    assert (get_config, assert_equal) == (ak.get_config, ak.assert_equal)
    assert ak.arkouda.__name__ == ak.arkouda.__spec__.name == "akdask.arkouda"


def test_arkouda_has_the_public_names_of_akdask_and_arkoudas_modules(arkouda):
    assert [name for name in ak.__all__ if name != "random" and getattr(arkouda, name) is not getattr(ak, name)] == []
    assert (arkouda.__all__, arkouda.__version__) == (ak.__all__, ak.__version__)
    assert {*ak.__all__, "pandas", "numpy", "util", "client", "dtypes"} <= set(dir(arkouda))
    assert arkouda.random.randint is ak.random.randint
    assert arkouda.client.get_config is arkouda.core.client.get_config is ak.get_config
    names: dict[str, object] = {}
    exec("from arkouda import *", names)
    assert {"array", "DataFrame", "merge"} <= names.keys()
    with pytest.raises(AttributeError, match=r"no attribute 'arang'.\nHint: did you mean ak.arange"):
        arkouda.arang  # noqa: B018


def test_classes_of_an_old_and_a_new_path_are_one_where_akdask_has_the_modules(arkouda):
    import arkouda.array_api.creation_functions
    import arkouda.groupbyclass
    import arkouda.pandas.groupbyclass

    assert arkouda.array_api is ak.array_api
    assert arkouda.array_api.creation_functions is importlib.import_module("akdask.array_api.creation_functions")
    assert arkouda.groupbyclass is arkouda.pandas.groupbyclass
    assert arkouda.pandas.groupbyclass.GroupBy is ak.GroupBy


@pytest.mark.slow
@pytest.mark.parametrize(
    "first", ["import arkouda.pandas.groupbyclass as module", "from arkouda.pandas import groupbyclass as module"]
)
def test_a_module_of_arkouda_is_the_first_import_beside_akdask(first):
    code = f"import akdask; akdask.install_as_arkouda(); {first}; print(module.GroupBy is akdask.GroupBy)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "True\n"


def test_what_arkouda_does_not_have_cannot_be_imported(arkouda):
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'arkouda\.nothing'"):
        importlib.import_module("arkouda.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'arkouda\.pandas\.nothing'$"):
        importlib.import_module("arkouda.pandas.nothing")


def test_installing_twice_is_once(arkouda):
    ak.install_as_arkouda()
    assert sys.modules["arkouda"] is ak.arkouda
    assert {path: sys.modules[f"arkouda.{path}"] for path in TREE} == TREE


def test_arkouda_itself_is_not_replaced_behind_the_back_of_who_has_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "arkouda", importlib.import_module("json"))
    with pytest.raises(ArgumentError, match="Arkouda itself has been imported"):
        ak.install_as_arkouda()


def test_what_needs_a_server_can_be_imported_and_says_so_when_it_is_used():
    from akdask.arkouda.comm_diagnostics import get_comm_diagnostics, start_comm_diagnostics
    from akdask.arkouda.core.client import Channel, generic_msg
    from akdask.arkouda.numpy.pdarrayclass import create_pdarray

    for refused in (start_comm_diagnostics, get_comm_diagnostics, generic_msg, Channel, create_pdarray, ak.receive):
        with pytest.raises(UnsupportedError, match=r"needs a Chapel server.*\nHint: ") as caught:
            refused("x")
        assert isinstance(caught.value, NotImplementedError)
    with pytest.raises(UnsupportedError, match="RequestMessage needs a Chapel server"):
        ak.arkouda.core.message.RequestMessage.asdict()
    assert repr(ak.receive) == "<receive: needs a Chapel server, which akdask does not have>"


def test_what_asks_a_server_for_nothing_is_done(capsys, monkeypatch):
    client = ak.arkouda.core.client
    assert client._no_op() == "noop"
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


def test_a_module_gives_way_to_the_function_that_it_is_named_for(arkouda):
    import arkouda.apply
    from arkouda.apply import apply

    assert arkouda.apply is apply is ak.apply
    assert sys.modules["arkouda.apply"].apply is ak.apply


def test_modules_and_what_they_hold_are_found_again_by_other_processes():
    code = "import sys, pickle; print(pickle.load(sys.stdin.buffer))"
    pickled = cloudpickle.dumps([ak.arkouda.pandas.dataframe, ak.arkouda.pandas.groupbyclass.GroupBy])
    found = subprocess.run([sys.executable, "-c", code], input=pickled, capture_output=True, check=True).stdout
    assert b"akdask.arkouda.pandas.dataframe" in found
    assert b"akdask.arrays.groupby.GroupBy" in found


def test_what_scripts_assign_to_the_client_is_a_setting():
    client = ak.arkouda.core.client
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
    from akdask.arkouda.core.logger import getArkoudaLogger
    from akdask.arkouda.numpy.segarray import SEG_SUFFIX
    from akdask.arkouda.numpy.timeclass import _AbstractBaseTime
    from akdask.arkouda.pandas.groupbyclass import GroupByReductionType
    from akdask.arkouda.pandas.match import MatchType

    assert {str(member) for member in GroupByReductionType} >= {"sum", "nunique"}
    assert ak.arkouda.client_dtypes.BitVectorizer(4)(ak.array([3])).tolist() == ["..||"]
    assert ak.array(["ab"]).search("b").match_type() == MatchType.SEARCH.name
    assert issubclass(ak.Datetime, _AbstractBaseTime)
    assert (SEG_SUFFIX, getArkoudaLogger("akdask.x").name) == ("_segments", "akdask.x")


def test_helpers_stand_where_arkouda_has_them():
    from akdask.arkouda.numpy.pdarrayclass import is_locally_sorted
    from akdask.arkouda.numpy.util import _generate_test_shape, _infer_shape_from_size
    from akdask.arkouda.pandas.io import ARKOUDA_HDF5_FILE_METADATA_GROUP
    from akdask.arkouda.pandas.matcher import MatchType

    assert _generate_test_shape(4, 24) == ((2, 2, 2, 3), 24)
    assert _infer_shape_from_size((3, 4)) == ((3, 4), 2, 12)
    assert bool(is_locally_sorted(ak.arange(3)))
    assert not is_locally_sorted(ak.array([2, 1]))
    assert ARKOUDA_HDF5_FILE_METADATA_GROUP == "_arkouda_metadata"
    assert MatchType.SEARCH.name == "SEARCH"
    assert {"+", ">>>", "**"} < ak.pdarray.BinOps
    assert "//=" in ak.pdarray.OpEqOps
    assert {"==", "!="} == ak.Strings.BinOps == ak.Categorical.BinOps


def test_the_dtype_of_large_integers_is_one_object_and_hours_have_all_their_names():
    assert pickle.loads(pickle.dumps(ak.bigint)) is ak.bigint
    assert [ak.Timedelta(ak.array([1]), unit=unit).tolist()[0] for unit in ("h", "hr", "hrs", "hour")] == [
        ak.Timedelta(ak.array([3600]), unit="s").tolist()[0]
    ] * 4


def test_names_of_modules_are_found_there_but_those_that_serve_a_server():
    missing = [
        f"{path}.{name}"
        for path, names in MODULES.items()
        for name in names.split()
        if not hasattr(import_module(f"akdask.arkouda.{path}"), name)
    ]
    assert missing == ["numpy.pdarrayclass.int_uint_case", "numpy.pdarrayclass.resolve"]
