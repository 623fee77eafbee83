"""Links that lead nowhere and names that nest without end: the rest of the file is read, and nothing else is raised."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import UnsupportedError
from akdask.hdf5.sets.file_set import open_set
from akdask.storage.formats.objects import ObjType

NESTED = np.bytes_("[" * 50_000)
"""As JSON it is deeper than the interpreter's stack."""

LINKS = {
    "itself": {"l": h5py.SoftLink("/l")},
    "one another": {"l": h5py.SoftLink("/m"), "m": h5py.SoftLink("/l")},
    "through another file": {"e": h5py.ExternalLink("gone.h5", "/x"), "l": h5py.SoftLink("/e/y")},
    "through a dataset": {"l": h5py.SoftLink("/y/z")},
    "nothing": {"l": h5py.SoftLink("/gone")},
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.h5"
    with h5py.File(path, "w") as file:
        file["y"] = np.arange(3)
    return path


@pytest.mark.parametrize("links", LINKS.values(), ids=LINKS)
def test_links_that_lead_nowhere_are_told_of_and_the_rest_is_read(path, links):
    """To ask the library whether they lead anywhere makes h5py raise SystemError."""
    with h5py.File(path, "a") as file:
        for name, link in links.items():
            file[name] = link
    assert open_set(path).kinds == {**dict.fromkeys(links, ObjType.UNKNOWN), "y": ObjType.PDARRAY}
    assert ak.read_hdf(path, "y")["y"].tolist() == [0, 1, 2]
    with pytest.raises(UnsupportedError, match="link"):
        ak.read_hdf(path, "l")["l"]


def test_an_order_of_columns_that_nests_too_deeply_is_none(path):
    with h5py.File(path, "a") as file:
        file.attrs["akdask_columns"] = NESTED
        frame = file.create_group("frame")
        frame.attrs["ObjType"] = np.int64(ObjType.DATAFRAME)
        frame.attrs["akdask_columns"] = NESTED
        for name in ("b", "a"):
            frame[name] = np.arange(2)
            frame[name].attrs["ObjType"] = np.int64(ObjType.PDARRAY)
    assert list(open_set(path).kinds) == ["frame", "y"]
    assert list(open_set(path).select(["frame"])["frame"].children) == ["a", "b"]
    assert ak.read_hdf(path, "y")["y"].tolist() == [0, 1, 2]
