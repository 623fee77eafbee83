from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from importlib.metadata import entry_points, version
from importlib.resources import files
from pkgutil import iter_modules
from types import ModuleType

import pytest

import akdask


def test_version_is_that_of_the_installed_package():
    assert akdask.__version__ == version("akdask")


def test_every_public_name_exists():
    missing = [name for name in akdask.__all__ if not hasattr(akdask, name)]
    assert missing == []


def test_public_names_are_listed_once():
    assert len(set(akdask.__all__)) == len(akdask.__all__)


@pytest.mark.parametrize("package", ["akdask", "akdask.evo", "akdask.io", "akdask.lbann", "akdask.plotting"])
def test_no_module_hides_a_public_name(package):
    found = import_module(package)
    same = {module.name for module in iter_modules(found.__path__)} & set(found.__all__)
    assert [name for name in sorted(same) if not isinstance(getattr(found, name), ModuleType)] == []


def test_package_declares_that_it_is_typed():
    assert files("akdask").joinpath("py.typed").is_file()


def test_console_script_points_at_a_callable():
    (script,) = entry_points(group="console_scripts", name="akdask")
    assert callable(script.load())


@pytest.mark.slow
def test_import_loads_neither_the_cluster_nor_optional_packages():
    code = (
        "import sys, akdask; "
        "print([name for name in ('distributed', 'matplotlib', 'polars', 'dask.dataframe') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["None", "'synchronous'"])
def test_a_computation_does_not_wait_for_the_cluster_to_be_imported(scheduler):
    code = (
        "import sys, dask, akdask as ak; "
        f"dask.config.set(scheduler={scheduler}); "
        "a = ak.arange(100) % 7; "
        "print(a.sum(), ak.sort(a)[-1], ak.GroupBy(a).size()[1].sum(), a.to_ndarray()[3], 'distributed' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.split() == ["295", "6", "100", "3", "False"]


@pytest.mark.slow
def test_kernels_and_columns_know_no_settings():
    """New arrays are the system's until somebody who knows the settings has spare memory kept."""
    code = (
        "import sys, types; sys.modules['akdask'] = package = types.ModuleType('akdask'); "
        f"package.__path__ = {list(akdask.__path__)!r}; "
        "import akdask.columns, akdask.operators.reduce.reductions, akdask.operators.group.aggregation; "
        "assert not {'akdask.config', 'akdask.cluster', 'distributed'} & set(sys.modules); "
        "assert akdask.columns.memory.new_array(2**24, 'u1').base is None"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
