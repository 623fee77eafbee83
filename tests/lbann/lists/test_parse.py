"""Reading and writing sample lists of all types."""

from __future__ import annotations

import gzip
import json
import pickle
import re
import warnings
import zlib

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import MissingFileError
from akdask.lbann.errors import LbannError, LbannListError, LbannWarning
from akdask.lbann.read_lists import read_list
from akdask.lbann.sample_list import ListType, SampleList
from tests.conftest import NO_FIXTURES, SHARED_FIXTURES

UPSTREAM = SHARED_FIXTURES / "lbann"
GOOD = "CONDUIT_HDF5_INCLUSION\n3 1 2\n/data\na.h5 2 1 x/0 x/1\n/b.h5 1 0 y\n"


def read(tmp_path, text, **options):
    path = tmp_path / "list"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_list(path, **options)


def all_of(samples):
    return [samples[index] for index in range(len(samples))]


@pytest.mark.skipif(not SHARED_FIXTURES.is_dir(), reason=NO_FIXTURES)
def test_lists_of_upstream_are_read_as_upstream_reads_them():
    cases = [c for c in json.loads((UPSTREAM / "expected.json").read_text())["cases"] if c["kind"] == "sample_list"]
    assert len(cases) == 3
    for case in cases:
        wanted, path = case["expect"], UPSTREAM / case["file"]
        found = read_list(path)
        assert len(found) == wanted["num_samples"]
        assert len(found.files) == wanted["num_files"]
        assert [found.files[0].as_py(), found.ids[0].as_py()] == wanted["first"]
        if "last" in wanted:
            assert [found.files[-1].as_py(), found.ids[-1].as_py()] == wanted["last"]
        if "base_dir" in wanted:
            assert found.base_directory == wanted["base_dir"]
        if "path_of_first" in wanted:
            assert found[0][0] == wanted["path_of_first"]
        if "writes_back_identically" in wanted:
            assert (found.to_text() == path.read_bytes()) == wanted["writes_back_identically"]


def test_paths_are_glued_to_the_base_directory(tmp_path):
    assert all_of(read(tmp_path, GOOD)) == [("/data/a.h5", "x/0"), ("/data/a.h5", "x/1"), ("/data//b.h5", "y")]


def test_a_base_directory_that_ends_with_a_slash_gets_no_second_one(tmp_path):
    assert read(tmp_path, GOOD.replace("/data", "/data/"))[0][0] == "/data/a.h5"


@pytest.mark.parametrize(
    "pack", [gzip.compress, zlib.compress, lambda text: gzip.compress(text[:50]) + gzip.compress(text[50:])]
)
def test_compressed_lists_are_unpacked(tmp_path, pack):
    assert read(tmp_path, pack(GOOD.encode())).to_text() == GOOD.encode()


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: data[:20] + b"xxxx" + data[24:]])
def test_damaged_compressed_lists_are_refused(tmp_path, damage):
    with pytest.raises(LbannListError, match=r"damaged|cut short|no type|line 1|is no"):
        read(tmp_path, damage(gzip.compress(GOOD.encode())))


@pytest.mark.parametrize(
    ("head", "body", "label"),
    [
        ("CONDUIT_HDF5_INCLUSION\n2 5 1\n/d", "a.h5 2 5 s t", None),
        ("multi-sample_inclusion and more\n2 5 1\n/d x\nlabels.txt x", "a.h5 2 5 s t", "labels.txt"),
        ("MULTI-SAMPLE_INCLUSION_V2\n2 1\n/d", "a.h5 2 s t", None),
    ],
)
def test_inclusion_lists_of_all_types_name_their_samples(tmp_path, head, body, label):
    found = read(tmp_path, f"{head}\n\n \t\n  {body.replace(' ', chr(9) + ' ')}  \r\n\n")
    assert all_of(found) == [("/d/a.h5", "s"), ("/d/a.h5", "t")]
    assert found.label_file == label
    assert all_of(read(tmp_path, found.to_text())) == all_of(found)


def test_single_sample_lists_have_one_sample_a_file(tmp_path):
    found = read(tmp_path, "SINGLE-SAMPLE\n3\n/d\nlabels\na.h5\nb.h5 s\nc.h5\n")
    assert all_of(found) == [("/d/a.h5", ""), ("/d/b.h5", "s"), ("/d/c.h5", "")]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "line 1"),
        ("\nCONDUIT_HDF5_INCLUSION\n1 0 1\n/d\na 1 0 s\n", "line 1"),
        ("CONDUIT\n1 0 1\n/d\na 1 0 s\n", "names no type"),
        ("CONDUIT_HDF5_INCLUSION\n1 0\n/d\na 1 0 s\n", "line 2"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 -1\n/d\na 1 0 s\n", "line 2"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n  \na 1 0 s\n", "line 3"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n", "line 3"),
        ("MULTI-SAMPLE_INCLUSION\n1 0 1\n/d\n\na 1 0 s\n", "line 4"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 2\n/d\na 1 0 s\n", "2 files on line 2 and lists 1"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 0\n/d\na 1 0 s\n", "0 files on line 2 and lists 1"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n/d\na 1\n", "line 4 .* lacks a count"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n/d\n\na 0x1 0 s\n", "line 5 .*'0x1' is no number of included"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n/d\na 2 0 s\n", "says 2 samples and names 1"),
        ("CONDUIT_HDF5_INCLUSION\n1 0 1\n/d\na 1 0 s\0\n", "line 4 .* no text: control"),
        (b"CONDUIT_HDF5_INCLUSION\n1 0 1\n/d\na 1 0 \xff\n", "line 4 .* no text"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path, text, told):
    with pytest.raises(LbannListError) as caught:
        read(tmp_path, text)
    assert re.search(told, str(caught.value), re.DOTALL)


def test_a_list_that_is_not_there_is_told(tmp_path):
    with pytest.raises(MissingFileError, match="no sample list"):
        read_list(tmp_path / "nothing")


def test_wrong_totals_are_warned_of(tmp_path):
    with pytest.warns(LbannWarning, match="included: 4 said, 3 there"):
        read(tmp_path, GOOD.replace("3 1 2", "4 1 2"))


def test_samples_and_files_may_come_twice(tmp_path):
    found = read(tmp_path, "CONDUIT_HDF5_INCLUSION\n4 0 3\n/d\na 2 0 s s\nb 1 0 t\na 1 0 u\n")
    assert all_of(found) == [("/d/a", "s"), ("/d/a", "s"), ("/d/b", "t"), ("/d/a", "u")]
    assert found.paths == ["/d/a", "/d/b"]
    assert found.file_of([0, 2, 3]).tolist() == [0, 1, 0]


@pytest.fixture
def two_levels(tmp_path):
    with h5py.File(tmp_path / "a.h5", "w", track_order=True) as file:
        for name in ("z", "y", "x"):
            file.create_group(f"RUN/{name}")["v"] = 1.0
    with h5py.File(tmp_path / "b.h5", "w") as file:
        for name in ("z", "y"):
            file.create_group(name)["v"] = 1.0
    return tmp_path


def excluding(folder, *lines, counts="0 0"):
    return f"CONDUIT_HDF5_EXCLUSION\n{counts} {len(lines)}\n{folder}\n" + "".join(f"{line}\n" for line in lines)


def test_exclusion_finds_the_level_of_samples_and_becomes_an_inclusion_list(two_levels):
    text = excluding(two_levels, "a.h5 2 1 RUN/y", "b.h5 2 0", counts="4 1")
    found = read(two_levels, text)
    assert found.ids_of(range(4)) == ["RUN/z", "RUN/x", "y", "z"]
    lines = found.to_text().decode().splitlines()
    assert [lines[0], lines[1], *lines[3:]] == [
        "CONDUIT_HDF5_INCLUSION",
        "4 1 2",
        "a.h5 2 1 RUN/z RUN/x",
        "b.h5 2 0 y z",
    ]


def test_all_files_that_an_exclusion_list_lacks_are_named_at_once(two_levels):
    text = excluding(two_levels, "no.h5 2 1 RUN/y", "b.h5 2 0", "neither.h5 1 0", "no.h5 1 0", counts="6 1")
    with pytest.raises(LbannListError, match=r"2 of 3 files") as caught:
        read(two_levels, text)
    told = str(caught.value)
    for line, name in ((4, "no.h5"), (6, "neither.h5"), (7, "no.h5")):
        assert f"line {line}: no such file '{two_levels}/{name}'" in told
    assert "b.h5" not in told
    assert "line 3" in caught.value.hint


def test_exclusion_keeps_the_order_of_creation_where_it_is_tracked(tmp_path):
    with h5py.File(tmp_path / "c.h5", "w", track_order=True) as file:
        for name in ("z", "y", "x"):
            file.create_group(name)["v"] = 1.0
    assert read(tmp_path, excluding(tmp_path, "c.h5 2 1 /y", counts="2 1")).ids_of([0, 1]) == ["z", "x"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("a.h5 2 2 RUN/y RUN/y", "several times"),
        ("a.h5 2 1 RUN/w", "does not have"),
        ("a.h5 3 1 RUN/y", "the file has 3"),
        ("a.h5 2 1", "says 1 excluded samples and names 0"),
        ("a.h5 9 0", "groups at no depth"),
        ("a.h5 1 2 RUN RUN/y", "different depths"),
        ("no.h5 1 0", "no such file"),
        ("list 1 0", "cannot be read"),
    ],
)
def test_exclusion_lists_that_contradict_their_files_are_refused(two_levels, line, told):
    with pytest.raises(LbannListError, match=told):
        read(two_levels, excluding(two_levels, line))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.lists(st.text("xyz/:(,)ä", min_size=1), max_size=5)), max_size=8))
def test_lists_are_read_as_they_are_written_whatever_the_block(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("lists")
    made = SampleList.of(lines, base_directory="/d")
    for block in (3, 1 << 20):
        found = read(folder, made.to_text(), block=block)
        assert all_of(found) == [(f"/d/{file}", sample) for file, ids in lines for sample in ids]
        assert found.to_text() == made.to_text()


@given(st.data())
def test_mutated_lists_are_read_or_refused(tmp_path_factory, data):
    text = bytearray(GOOD.encode())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(text)))
        match data.draw(st.sampled_from(["insert", "delete", "repeat"])):
            case "insert":
                text[at:at] = data.draw(
                    st.binary(max_size=4) | st.sampled_from([b"\n", b" ", b"9", b"\x1f\x8b", b"x\x9c"])
                )
            case "delete":
                del text[at : at + data.draw(st.integers(1, 20))]
            case "repeat":
                text[at:at] = text[at : at + data.draw(st.integers(1, 30))]
    folder = tmp_path_factory.mktemp("lists")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LbannWarning)
        try:
            found = read(folder, bytes(text))
        except LbannError:
            return
    assert len(all_of(found)) == found.included.sum()


def test_taking_samples_gives_a_list_in_their_order(tmp_path):
    found = read(tmp_path, GOOD).take([2, 0, 0, 1])
    assert [sample for _, sample in all_of(found)] == ["y", "x/0", "x/0", "x/1"]
    assert found.to_text().decode().splitlines()[3:] == ["/b.h5 1 0 y", "a.h5 3 1 x/0 x/0 x/1"]
    assert all_of(pickle.loads(pickle.dumps(found))) == all_of(found)


def test_a_list_without_samples_is_a_list(tmp_path):
    found = read(tmp_path, "CONDUIT_HDF5_INCLUSION\n0 0 0\n/d\n")
    assert (len(found), found.paths, found.take(np.array([])).to_text()) == (0, [], found.to_text())


def test_names_that_no_list_can_hold_are_refused():
    for name in ("", "a b", "a\n", "a\0"):
        with pytest.raises(LbannListError, match="cannot hold"):
            SampleList.of({"f": [name]})


def test_types_say_how_they_are_written_back():
    assert [one.inclusion.value for one in ListType if one.is_exclusion] == [
        "CONDUIT_HDF5_INCLUSION",
        "MULTI-SAMPLE_INCLUSION",
    ]
