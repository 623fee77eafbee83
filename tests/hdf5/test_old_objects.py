"""Objects that old releases stored as several root objects, and members of groups, each by itself."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

from akdask.formats.hdf5 import file_set, new_file
from akdask.formats.hdf5.file_set import LegacyObject, combined, find_legacy_objects, open_set
from akdask.formats.hdf5.open_files import LibraryFile, NotThereError
from akdask.storage.objects import CATEGORIES, CODES, NA_CODES, SEGMENTS, VALUES, ObjType, StoredColumn, StoredObject
from akdask.testing.memory import MemorySource

NUMBERS, TEXT = ObjType.PDARRAY, ObjType.STRINGS


def kinds(*names):
    return dict.fromkeys(names, NUMBERS)


@pytest.mark.parametrize(
    ("roots", "found"),
    [
        (("x_segments", "x_values"), {"x": {SEGMENTS: "x_segments", VALUES: "x_values"}}),
        (("x_segments",), {}),
        (("x_values",), {}),
        (("x_segments", "y_values"), {}),
        (("_segments", "_values"), {}),
        (("x", "x_segments", "x_values"), {}),
        (("c.codes", "c.categories"), {"c": {CODES: "c.codes", CATEGORIES: "c.categories"}}),
        (
            ("c.codes", "c.categories", "c._akNAcode"),
            {"c": {CODES: "c.codes", CATEGORIES: "c.categories", NA_CODES: "c._akNAcode"}},
        ),
        (("c.codes", "c._akNAcode"), {}),
        (("a_segments", "b.codes", "b.categories", "a_values"), {"a": 2, "b": 2}),
    ],
)
def test_names_that_belong_together_are_found_by_their_ends(roots, found):
    made = find_legacy_objects(kinds(*roots))
    assert {name: legacy.name for name, legacy in made.items()} == {name: name for name in found}
    for name, members in found.items():
        assert made[name].kind is (ObjType.SEGARRAY if SEGMENTS in made[name].members else ObjType.CATEGORICAL)
        assert members == (made[name].members if isinstance(members, dict) else len(made[name].members))


def stored(kind, values, lengths=None):
    source = MemorySource({"x": values}, lengths or [len(values)])
    return StoredObject("x", kind, {VALUES: StoredColumn(source, "x")})


LISTS = LegacyObject("x", ObjType.SEGARRAY, {SEGMENTS: "first", VALUES: "second"})
ITEMS = np.arange(6)


@pytest.mark.parametrize(
    ("segments", "values", "fits"),
    [
        (np.array([0, 2, 2, 6]), ITEMS, True),
        (np.array([0, 2, 6], np.uint64), ITEMS / 2, True),
        (np.array([0, 7]), ITEMS, False),
        (np.array([1, 2]), ITEMS, False),
        (np.array([0, 3, 2]), ITEMS, False),
        (np.array([0.0, 2.0]), ITEMS, False),
        (np.array([False, False]), ITEMS, False),
        (np.array([0, 2]), ["a", "b", "c"], False),
        (np.empty(0, np.int64), ITEMS, True),
        (np.array([0, -1]), ITEMS, False),
    ],
)
def test_segments_are_positions_in_the_values(segments, values, fits):
    parts = {"first": stored(NUMBERS, segments), "second": stored(NUMBERS, values)}
    found = combined(LISTS, parts)
    assert (found is not None) == fits
    if fits:
        assert (found.name, found.kind) == ("x", ObjType.SEGARRAY)
        assert found.members == {SEGMENTS: parts["first"].members[VALUES], VALUES: parts["second"].members[VALUES]}
    # Objects of other kinds are no members.
    for number in range(2):
        others = [stored(ObjType.DATETIME if number == place else NUMBERS, [0]) for place in range(2)]
        assert combined(LISTS, dict(zip(("first", "second"), others, strict=True))) is None


@pytest.mark.parametrize(
    ("codes", "labels", "fits"),
    [
        ([0, 1], ["a", "b"], True),
        ([0, 1], [0, 1], False),
        (["a", "b"], ["a", "b"], False),
        (np.array([0, 1], np.uint64), ["a", "b"], False),
    ],
)
@pytest.mark.parametrize("na", [None, [0], ["x"]])
def test_codes_are_integers_and_labels_text(codes, labels, fits, na):
    members = {CODES: "codes", CATEGORIES: "labels"} | ({} if na is None else {NA_CODES: "na"})
    parts = {
        name: stored(TEXT if isinstance(items[0], str) else NUMBERS, items)
        for name, items in (("codes", codes), ("labels", labels), ("na", na or [0]))
    }
    found = combined(LegacyObject("c", ObjType.CATEGORICAL, members), parts)
    assert (found is not None) == (fits and na != ["x"])


@pytest.mark.parametrize(
    ("lengths", "sample", "partitions"),
    [
        ([9], [0, 1, 2, 3, 8], [0, 0]),
        ([3, 6], [0, 1, 2, 3, 8], [0, 1, 1]),
        ([0, 4, 0, 5, 0], [0, 1, 2, 3, 8], [1, 3]),
        # Two partitions are opened, and the last.
        ([1, 0, 1, 7], [0, 1, 8], [0, 2, 3]),
        ([0, 0], [], []),
    ],
)
def test_first_segments_and_the_last_are_a_sample(monkeypatch, lengths, sample, partitions):
    monkeypatch.setattr(file_set, "_SAMPLE", 4)
    monkeypatch.setattr(file_set, "_SAMPLED_PARTITIONS", 2)
    source = MemorySource({"x": np.arange(sum(lengths))}, lengths)
    assert file_set._sample(StoredColumn(source, "x")).tolist() == sample
    assert [read.partition for read in source.reads] == partitions


@pytest.mark.parametrize("starts", [[0, 2, 2], [1, 2, 2]])
def test_old_lists_of_a_file_are_one_object_unless_their_parts_are_named(tmp_path, starts):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for name, values in (("l_segments", starts), ("l_values", [5, 6, 7]), ("z", [1])):
            file[name] = np.array(values)
            file[name].attrs["ObjType"] = 1
    made = open_set(str(tmp_path / "x.h5"))
    are_lists = starts[0] == 0
    assert list(made.objects()) == (["l", "z"] if are_lists else ["l_segments", "l_values", "z"])
    assert list(made.objects(["z", "l_values"])) == ["z", "l_values"]
    if are_lists:
        assert {name: found.kind for name, found in made.objects(["z", "l"]).items()} == {
            "z": ObjType.PDARRAY,
            "l": ObjType.SEGARRAY,
        }


@pytest.mark.parametrize("is_ordered", [False, True])
def test_members_of_groups_are_listed_by_creation_where_the_file_notes_it(tmp_path, is_ordered):
    path = str(tmp_path / "x.h5")
    with h5py.File(path, "w") as file:
        group = file.create_group("g", track_order=is_ordered)
        group["z"] = np.arange(3)
        group.create_group("b")
        group["a"] = h5py.SoftLink("/nowhere")
        file["d"] = 1
    opened = LibraryFile(path)
    try:
        wanted = [("z", False), ("b", True), ("a", False)]
        assert opened.members("g") == (wanted if is_ordered else sorted(wanted))
        for name, told in (("d", "a dataset, not a group"), ("e", "not there")):
            with pytest.raises(NotThereError, match=told):
                opened.members(name)
    finally:
        opened.close()


def test_objects_are_made_without_one_of_their_datasets():
    parts = (
        new_file.NewGroup("s", TEXT),
        new_file.NewDataset("s/segments", "<i8", 2),
        new_file.NewDataset("s/values", "|u1", 5),
    )
    made = new_file.NewObject(parts, {"s/segments": [np.arange(2)], "s/values": [np.arange(5)]})
    found = made.without("s/segments")
    assert found.parts == (parts[0], parts[2])
    assert list(found.blocks) == ["s/values"]
    assert list(made.without("s/other").blocks) == ["s/segments", "s/values"]
