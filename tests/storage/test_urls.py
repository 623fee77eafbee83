"""URLs where paths are taken: what works with files of stores works, and the rest says why it does not."""

import pytest

import akdask as ak
from akdask.cli import main
from akdask.errors import UnsupportedError
from tests.storage.stores import FaultyFileSystem

SET, SINGLE = "faulty://b/d/x.h5", "faulty://b/d/one.h5"


@pytest.fixture(autouse=True)
def _store():
    FaultyFileSystem.reset()
    ak.to_hdf({"a": ak.arange(6)}, SET, num_locales=2)
    ak.to_hdf({"a": ak.arange(5)}, SINGLE, file_type="single")
    yield
    FaultyFileSystem.reset()


def test_load_finds_a_set_and_a_single_file():
    assert ak.load(SET, dataset="a")["a"].tolist() == [*range(6)]
    assert ak.load(SINGLE, dataset="a")["a"].tolist() == [*range(5)]
    assert ak.load_all(SINGLE)["a"].tolist() == [*range(5)]


@pytest.mark.parametrize("command", ["ls", "info", "head", "validate"])
@pytest.mark.parametrize("url", [SET, SINGLE])
def test_commands_look_at_files_of_a_store(command, url, capsys):
    assert main([command, url]) == 0
    assert "a" in capsys.readouterr().out


def test_files_of_a_store_are_converted(capsys):
    assert main(["convert", SET, "faulty://b/d/y.parquet"]) == 0
    assert ak.read_parquet("faulty://b/d/y.parquet")["a"].tolist() == [*range(6)]
    assert "faulty://b/d/y" in capsys.readouterr().out


def test_checkpoints_are_folders_of_this_machine():
    numbers = ak.arange(3)  # noqa: F841 - a variable of the caller is what is saved
    with pytest.raises(UnsupportedError, match="folder of this machine"):
        ak.save_checkpoint("name", "faulty://b/d")
    with pytest.raises(UnsupportedError, match="folder of this machine"):
        ak.load_checkpoint("name", "faulty://b/d")


def test_snapshots_go_to_stores():
    numbers = ak.arange(3)  # noqa: F841 - a variable of the caller is what is saved
    ak.snapshot("faulty://b/d/snap.h5")
    assert ak.restore("faulty://b/d/snap.h5")["numbers"].tolist() == [0, 1, 2]


def test_files_of_pandas_are_written_on_this_machine():
    pytest.importorskip("tables", reason="PyTables is not installed; pip install 'akdask[test]'")
    with pytest.raises(UnsupportedError, match="files of this machine"):
        ak.export(SINGLE, write_file="faulty://b/d/out.h5")
