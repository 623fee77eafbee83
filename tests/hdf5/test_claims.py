"""Small files that claim more than any memory holds: every object opens at once, and is refused when asked for."""

import resource

import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t

import akdask as ak
from akdask.cli import main
from akdask.engine import run as running
from akdask.errors import TransferError, UnsupportedError
from akdask.formats.hdf5 import strings
from akdask.storage.objects import ObjType

TEXTS = {"values": np.frombuffer(b"a\0b\0", np.uint8), "segments": np.array([0, 2])}
LABELS = {f"categories/{name}": part for name, part in TEXTS.items()}


def never_written(group, name, count, dtype):
    """Make a dataset that takes no room however long it is."""
    made = h5p.create(h5p.DATASET_CREATE)
    made.set_alloc_time(h5d.ALLOC_TIME_LATE)
    h5d.create(group.id, name.encode(), h5t.py_create(np.dtype(dtype)), h5s.create_simple((count,)), made)


def in_chunks(group, name, count, dtype):
    """Make a dataset of chunks, none of which is there."""
    group.create_dataset(name, (count,), dtype, chunks=(2**16,))


class Claim:
    """A member that is as large as the test says."""

    def __init__(self, dtype="i8"):
        self.dtype = dtype


OBJECTS = {
    "numbers": (ObjType.PDARRAY, Claim()),
    "bools": (ObjType.PDARRAY, Claim("?")),
    "narrow floats": (ObjType.PDARRAY, Claim("f2")),
    "values of strings": (ObjType.STRINGS, {**TEXTS, "values": Claim("u1")}),
    "segments of strings": (ObjType.STRINGS, {**TEXTS, "segments": Claim()}),
    "values of lists": (ObjType.SEGARRAY, {"values": Claim(), "segments": np.array([0, 2])}),
    "segments of lists": (ObjType.SEGARRAY, {"values": np.arange(4), "segments": Claim()}),
    "codes": (ObjType.CATEGORICAL, {"codes": Claim(), **LABELS}),
    "segments of categories": (
        ObjType.CATEGORICAL,
        {"codes": np.arange(2), "categories/values": Claim("u1"), "categories/segments": Claim()},
    ),
    "codes of NA": (ObjType.CATEGORICAL, {"codes": np.arange(2), **LABELS, "NA_Codes": Claim()}),
    "limbs": (ObjType.PDARRAY, {"Limb_0": Claim("u8"), "Limb_1": Claim("u8")}),
    "an index": (ObjType.INDEX, {"idx_0": Claim()}),
    "a column": (ObjType.DATAFRAME, {"a": Claim()}),
}


@pytest.fixture(params=[never_written, in_chunks])
def path(request, tmp_path):
    def write(kind, members, count):
        path = tmp_path / "x.h5"
        with h5py.File(path, "w") as file:
            if isinstance(members, Claim):
                request.param(file, "x", count, members.dtype)
            else:
                group = file.create_group("x")
                for name, part in members.items():
                    if isinstance(part, Claim):
                        request.param(
                            group.require_group(name.rpartition("/")[0] or "/x"), leaf(name), count, part.dtype
                        )
                    else:
                        group[name] = part
            file["x"].attrs["ObjType"] = np.int64(kind)
        assert path.stat().st_size < 20_000
        return path

    return write


def leaf(name):
    return name.rpartition("/")[2]


def processor_time():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@pytest.mark.lazy_only
@pytest.mark.parametrize("count", [2**36, 2**57])
@pytest.mark.parametrize("what", OBJECTS)
def test_what_claims_more_than_memory_is_refused_before_it_is_read(path, what, count):
    kind, members = OBJECTS[what]
    found = ak.read_hdf(path(kind, members, count))["x"]
    with pytest.raises(TransferError, match="more than the limit"):
        found.to_pandas() if kind == ObjType.DATAFRAME else found.to_ndarray()


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("count", [2**36, 2**57])
@pytest.mark.parametrize("what", OBJECTS)
def test_commands_do_not_go_through_what_was_never_written(path, what, count):
    kind, members = OBJECTS[what]
    named, start = str(path(kind, members, count)), processor_time()
    for command in ("ls", "info", "head", "validate"):
        assert main([command, named]) in {0, 1, 2}
    assert processor_time() - start < 10


def test_validate_says_that_it_did_not_go_through(path, capsys):
    kind, members = OBJECTS["values of strings"]
    assert main(["validate", str(path(kind, members, 2**57))]) == 1
    assert "claims 144,115,188,075,855,872 elements, for which 0 bytes are stored" in " ".join(
        capsys.readouterr().out.split()
    )


@pytest.mark.parametrize("count", [2**36, 2**57])
def test_strings_without_segments_are_not_looked_for_where_nothing_is(path, count):
    named = path(ObjType.STRINGS, {"values": Claim("u1")}, count)
    with pytest.raises(UnsupportedError, match="without segments, and 0 bytes"):
        ak.read_hdf(named)


def test_the_starts_of_strings_take_no_more_memory_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr(strings, "BLOCK_BYTES", 1000)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["x/values"] = np.zeros(10_000, np.uint8)
    with ak.config.set(max_transfer_bytes=50_000), pytest.raises(TransferError, match="write the file with segments"):
        ak.read_hdf(tmp_path / "x.h5")
    assert ak.read_hdf(tmp_path / "x.h5")["x"].tolist() == [""] * 10_000


def test_strings_that_filters_packed_are_looked_through(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.create_dataset("x/values", data=np.zeros(100_000, np.uint8), chunks=(50_000,), compression="gzip")
    assert ak.read_hdf(tmp_path / "x.h5")["x"].size == 100_000


def test_a_want_of_memory_in_a_task_is_told_as_one(monkeypatch):
    def failing(plans):
        raise MemoryError("Unable to allocate 3 TiB")

    monkeypatch.setattr(running, "_results", failing)
    with pytest.raises(TransferError, match="more memory than there is") as caught:
        ak.arange(3).to_ndarray()
    assert caught.value.details == ("Unable to allocate 3 TiB",)
