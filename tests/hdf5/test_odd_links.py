"""Links that lead nowhere, names without end and names that are no text: the rest of the file is read."""

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import UnsupportedError
from akdask.formats.hdf5.file_set import open_set
from akdask.storage.objects import ObjType

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


NO_TEXT = [b"\xff\xfe", b"a\xed\xa0\x80", b"x\xc3"]
"""Names that are no UTF-8: arbitrary bytes, half of a surrogate, half of a character."""


def fill(group, kind):
    """Put into a group what an object of a kind is made of."""
    group.attrs["ObjType"] = np.int64(kind)
    texts = {"values": np.frombuffer(b"a\0b\0", np.uint8), "segments": np.array([0, 2])}
    members = {
        ObjType.STRINGS: texts,
        ObjType.SEGARRAY: {"values": np.arange(4), "segments": np.array([0, 2])},
        ObjType.CATEGORICAL: {
            "codes": np.array([1, 0]),
            **{f"categories/{name}": part for name, part in texts.items()},
        },
        ObjType.PDARRAY: {"Limb_0": np.arange(2, dtype=np.uint64), "Limb_1": np.arange(2, dtype=np.uint64)},
        ObjType.INDEX: {"idx_0": np.arange(2)},
    }[kind]
    for name, part in members.items():
        group[name] = part


WANTED = {
    ObjType.STRINGS: ["a", "b"],
    ObjType.SEGARRAY: [[0, 1], [2, 3]],
    ObjType.CATEGORICAL: ["b", "a"],
    ObjType.PDARRAY: [0, 1 + 2**64],
    ObjType.INDEX: [0, 1],
}


@pytest.mark.parametrize("name", NO_TEXT)
@pytest.mark.parametrize("kind", WANTED, ids=str)
def test_objects_whose_names_are_no_text_are_read(path, name, kind):
    with h5py.File(path, "a") as file:
        fill(file.create_group(name), kind)
    shown = name.decode(errors="surrogateescape")
    found = ak.read_hdf(path)
    assert set(found) == {"y", shown}
    assert found[shown].tolist() == WANTED[kind]
    assert repr(found[shown])


@pytest.mark.parametrize("name", NO_TEXT)
def test_a_dataframe_with_a_column_that_pandas_cannot_name_is_refused_by_that_name(path, name):
    with h5py.File(path, "a") as file:
        frame = file.create_group("frame")
        frame.attrs["ObjType"] = np.int64(ObjType.DATAFRAME)
        frame[name] = np.arange(2)
        frame[name].attrs["ObjType"] = np.int64(ObjType.PDARRAY)
    with pytest.raises(UnsupportedError, match="no UTF-8") as caught:
        ak.read_hdf(path, "frame")
    assert repr(name) in str(caught.value)
    assert ak.read_hdf(path, "y")["y"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("name", NO_TEXT)
def test_members_that_objects_of_such_names_lack_are_looked_for(path, name):
    with h5py.File(path, "a") as file:
        fill(file.create_group(name), ObjType.STRINGS)
        del file[name]["segments"]
    shown = name.decode(errors="surrogateescape")
    assert ak.read_hdf(path, shown)[shown].tolist() == ["a", "b"]
    with h5py.File(path, "a") as file:
        del file[name]["values"]
    with pytest.raises(UnsupportedError, match="values"):
        ak.read_hdf(path, shown)
