"""Choices and bounds of HDF5 files, each stated by itself: listings of groups, order of names, and schemas."""

from __future__ import annotations

import json
from types import SimpleNamespace

import h5py
import numpy as np
import pandas as pd
import pytest
from h5py import h5t

from akdask.caches import Cache
from akdask.columns.dtypes import FLOAT64, INT64, STR, UINT64
from akdask.errors import FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5 import (
    codecs,
    file_structure,
    global_heaps,
    group_templates,
    layout,
    manifest,
    metadata,
    new_file,
    pandas_file,
    readers,
    row_spaces,
    rules_of_metadata,
    rules_of_objects,
    strings,
    validation,
)
from akdask.formats.hdf5.binary import UNKNOWN, MessageKind
from akdask.formats.hdf5.description import ColumnSchema, FileDescription, ObjectSchema
from akdask.formats.hdf5.inspect import Template
from akdask.formats.hdf5.library import open_hdf5
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.formats.hdf5.metadata import NotFlatError, StoredDataset, StoredGroup
from akdask.formats.hdf5.open_files import NotThereError
from akdask.storage.files import FileIdentity, identify
from akdask.storage.objects import ObjType
from akdask.storage.ranges import ELSEWHERE, Extent, range_reader


class Listing:
    """A listing of so many bytes."""

    def __init__(self, nbytes):
        self.nbytes, self.last_use = nbytes, 0


class File:
    """A file with groups of so many members, which notes what is asked."""

    def __init__(self, name, members):
        self.path, self.identity = name, name
        self.asked, self.members = [], members
        self.library = SimpleNamespace(n_members=lambda parent: self.asked.append(parent) or members)


@pytest.fixture
def listed(monkeypatch):
    """Listings of a hundred bytes, of which three fit, made after three look-ups of one of ten members each."""
    for name, value in {
        "HDF5_FEW_GROUPS": 3, "HDF5_LISTING_LOOKUPS": 10, "HDF5_LISTING_BYTES": 1260, "HDF5_IDLE_LOOKUPS": 4,
        "HDF5_COUNTED_GROUPS": 2,
    }.items():  # fmt: skip
        monkeypatch.setattr(tuning, name, value)
    made = []

    def listing(file, parent, n_paths):
        made.append((file.path, parent, n_paths))
        return Listing(400)

    monkeypatch.setattr(group_templates, "_list", listing)
    return made


@pytest.mark.parametrize(
    ("members", "asked", "is_listed"),
    [
        (5, [1, 1], False),
        (5, [1, 1, 1], True),
        (5, [3], True),
        (30, [3], True),
        (31, [3], False),
        (31, [3, 1], True),
        (40, [2, 1], False),
    ],
)
def test_groups_are_listed_once_enough_members_are_asked_for(listed, members, asked, is_listed):
    found, file = group_templates._GroupListings(), File("f", members)
    results = [found.get(file, "g", ("a",), count) for count in asked]
    assert [result is not None for result in results] == [*[False] * (len(asked) - 1), is_listed]
    assert listed == [("f", "g", 1)] * is_listed
    # Members are counted once, where there may be a listing.
    assert file.asked == ["g"] * (sum(asked) >= 3)
    if is_listed:
        assert found.get(file, "g", ("a",), 1) is results[-1]
        assert len(listed) == 1


def test_listings_that_are_used_stay_and_others_make_room(listed):
    found = group_templates._GroupListings()
    files = [File(str(number), 11) for number in range(5)]

    def ask(number):
        return found.get(files[number], "g", ("a",), 3)

    first = [ask(number) for number in range(3)]
    assert all(first)
    # All were used a moment ago.
    assert ask(3) is None
    for _ in range(3):
        assert ask(1) is first[1]
    # The first is idle.
    assert ask(4) is not None
    assert ask(1) is first[1]
    assert [path for path, _, _ in listed] == ["0", "1", "2", "4"]
    # Eight bytes for each path and thirty-two of each member.
    for members, fits in ((31, True), (32, False)):
        alone = group_templates._GroupListings()
        assert (alone.get(File("f", members), "g", ("a",), 4) is not None) == fits
        assert (alone.get(File("h", members), "g", ("a", "b"), 4) is not None) == (members * 48 <= 1260)


def test_groups_that_are_asked_for_are_forgotten_where_they_are_many(listed):
    found = group_templates._GroupListings()
    for name in "abc":
        assert found.get(File("f", 5), name, ("x",), 2) is None
    # The counts of three groups are one too many.
    assert found.get(File("f", 5), "d", ("x",), 2) is None
    assert found.get(File("f", 5), "a", ("x",), 2) is None
    assert found.get(File("f", 5), "d", ("x",), 1) is not None


@pytest.mark.parametrize(
    ("stored", "dtype"),
    [
        ("i1", INT64), ("<i8", INT64), (">i4", INT64), ("u1", INT64), ("u4", INT64), ("u8", UINT64), ("f2", FLOAT64),
        ("f8", FLOAT64),
        ("f16", None), ("c8", None), ("S3", None),
    ],
)  # fmt: skip
def test_stored_numbers_have_types_of_columns(stored, dtype):
    assert layout.column_type_of(stored) == dtype


@pytest.mark.parametrize(
    ("names", "order", "wanted"),
    [
        ("cab", None, "abc"), ("cab", '["b"]', "bac"), ("cab", '["b", "x", "a", "b"]', "bac"),
        ("cab", "{", "abc"), ("cab", '{"a": 1}', "abc"),
        ("cab", '[1, null, "c"]', "cab"), ("", '["a"]', ""), ("cab", "", "abc"), ("cab", "5", "abc"),
    ],
)  # fmt: skip
def test_names_are_in_the_order_of_the_user_and_others_last(names, order, wanted):
    assert layout.in_stored_order(list(names), order) == list(wanted)
    assert layout.in_stored_order([*names, layout.METADATA_GROUP], order) == list(wanted)


def test_an_order_of_columns_is_stored_where_it_fits(tmp_path, monkeypatch):
    names = ["b", "a"]
    size = len(json.dumps(names))
    with h5py.File(tmp_path / "x.h5", "w") as file:
        for most, is_stored in ((size, False), (size + 1, True), (size, False)):
            monkeypatch.setattr(layout, "_LARGEST_ATTRIBUTE", most)
            layout.write_column_order(file.id, names)
            assert ("akdask_columns" in file.attrs) == is_stored
        layout.write_integer(file.id, b"one", 5)
        layout.write_integer(file.id, b"some", (5, -6))
        layout.write_text(file.id, b"text", b"abc")
        assert (file.attrs["one"], file.attrs["one"].shape, file.attrs["some"].tolist()) == (5, (), [5, -6])
        assert (file.attrs["text"], file.attrs.get_id("text").dtype) == (b"abc", np.dtype("S4"))


COLUMN, OTHER = (ColumnSchema(name, STR, ()) for name in ("one", "other"))


def test_schemas_have_each_object_and_each_column_once():
    one, other = (
        ObjectSchema(name, ObjType.PDARRAY, (("values", schema),)) for name, schema in (("a", COLUMN), ("b", OTHER))
    )
    assert manifest._made(((one, other), "order")) == ((one, other), "order")
    assert manifest._made(((), None)) == ((), None)
    again = ObjectSchema("a", ObjType.PDARRAY, (("values", OTHER),))
    shared = ObjectSchema("b", ObjType.PDARRAY, (("values", COLUMN),))
    for item in (
        ((one, again), None),
        ((one, shared), None),
        ((one, 5), None),
        ([one], None),
        ((one,), 5),
        (one, None),
        5,
    ):
        with pytest.raises(ValueError, match="no schema"):
            manifest._made(item)


def dataset(shape):
    found = StoredDataset.__new__(StoredDataset)
    found.__dict__["shape"] = shape
    return found


@pytest.mark.parametrize(
    ("shapes", "count"), [([(3,)], 3), ([(3, 4), (2,)], 14), ([()], 0), ([None, (5,)], 5), ([(0, 7)], 0), ([], 0)]
)
def test_elements_of_all_dimensions_are_counted(shapes, count):
    assert rules_of_objects._elements([(None, dataset(shape)) for shape in shapes]) == count


@pytest.mark.parametrize(
    ("kind", "message", "fields"),
    [
        (MessageKind.DATASPACE, b"\1\1\0", [(8, 8)]), (MessageKind.DATASPACE, b"\1\1\1", [(8, 8), (16, 8)]),
        (MessageKind.DATASPACE, b"\1\2\0", None),
        (MessageKind.DATASPACE, b"\2\1\0", None), (MessageKind.DATASPACE, b"\1\1\2", None),
        (MessageKind.LAYOUT, b"\3\1", [(2, 8), (10, 8)]),
        (MessageKind.LAYOUT, b"\3\2", None), (MessageKind.CONTINUATION, b"", [(0, 8)]),
        (MessageKind.SYMBOL_TABLE, b"", [(0, 8), (8, 8)]),
        (MessageKind.MODIFIED, b"\1", [(4, 4)]), (MessageKind.MODIFIED, b"\2", None), (MessageKind.LINK, b"", None),
    ],
)  # fmt: skip
def test_numbers_of_messages_have_places(kind, message, fields):
    if fields is None:
        with pytest.raises(UNKNOWN):
            file_structure._fields(kind, message)
    else:
        assert file_structure._fields(kind, message) == fields


def test_messages_without_numbers_are_those_that_may_come_again_and_types():
    for kind in (*file_structure._REPEATED, MessageKind.DATATYPE):
        if kind != MessageKind.CONTINUATION:
            assert file_structure._fields(kind, b"") == []


def test_blocks_are_bytes_and_numbers_in_turn():
    content = bytes(range(40))
    block = file_structure._metadata_block(3, content, [(4, 8), (12, 4), (20, 8)])
    assert (block.at, block.size, block.layout.size) == (3, 40, 40)
    assert block.same == (content[:4], b"", content[16:20], content[28:])
    assert block.layout.unpack(content)[1::2] == tuple(
        int.from_bytes(content[start:stop], "little") for start, stop in ((4, 12), (12, 16), (20, 28))
    )


@pytest.mark.parametrize(
    ("is_wrong", "beside", "is_raised"),
    [(False, None, False), (True, None, True), (True, True, True), (True, False, False), (False, True, False)],
)
def test_datasets_are_checked_once_and_files_of_other_programs_are_valid(monkeypatch, is_wrong, beside, is_raised):
    checked = []

    class Reader:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *_):
            checked.append("closed")

    def check(reader, extent, expected):
        checked.append((reader.file, extent, expected))
        if is_wrong:
            raise FileFormatError("differs.")

    monkeypatch.setattr(row_spaces, "ExtentReader", Reader)
    monkeypatch.setattr(row_spaces, "check_extent", check)
    monkeypatch.setattr(row_spaces, "VERIFIED", Cache("of a test"))
    told = None if beside is None else SimpleNamespace(is_as_written=lambda file: beside)
    for _ in range(2):
        if is_raised:
            with pytest.raises(FileFormatError):
                row_spaces.check_once("file", "extent", 5, told)
        else:
            row_spaces.check_once("file", "extent", 5, told)
    # What is right is not looked at again.
    assert checked == [("file", "extent", 5), "closed"] * (2 if is_wrong else 1)
    assert row_spaces.is_right("file", "extent", 5) == (not is_wrong)
    assert not row_spaces.is_right("file", "extent", 6)


def test_rows_of_text_without_segments_are_its_nuls():
    group = StoredGroup.__new__(StoredGroup)
    group.__dict__.update(kind=ObjType.STRINGS, members={"values": None})
    asked = []
    for facts, rows in ((SimpleNamespace(nuls=7), 7), (None, None)):
        context = SimpleNamespace(strings=lambda file, node, facts=facts: asked.append((file, node)) or facts)
        assert validation.SetContext.rows(context, "file", group) == rows
    assert asked == [("file", group)] * 2


@pytest.mark.parametrize(
    ("starts", "rows", "found"),
    [
        ([0, 2, 3, 6], [0, 2], ["a", "de"]), ([0, 2, 3, 6], [1, 2], ["", "de"]), ([0, 2, 3, 6], [3], ["fgh"]),
        ([0, 2, 3, 6], [0, 1, 2, 3], ["a", "", "de", "fgh"]), ([0, 2, 1, 6], [1, 2], None), ([0, 2, 3, 99], [3], None),
    ],
)  # fmt: skip
def test_only_the_bytes_from_the_first_to_the_last_wanted_string_are_read(monkeypatch, starts, rows, found):
    content = np.frombuffer(b"a\0\0de\0fgh\0", np.uint8)
    asked = []

    def read(extent, first, count):
        asked.append((first, count))
        return content[first : first + count]

    bounds = np.array([*starts, len(content)])
    monkeypatch.setattr(strings, "read_bounds", lambda elements, place, start, stop: bounds[start : stop + 1])
    place = SimpleNamespace(extents=[SimpleNamespace(length=len(content))])
    result = strings.read_strings_at(SimpleNamespace(read=read), place, np.array(rows))
    assert (None if result is None else result.to_pylist()) == found
    if found is not None:
        assert asked == [(starts[rows[0]], int(bounds[rows[-1] + 1]) - starts[rows[0]])]


@pytest.mark.parametrize(
    ("codes", "categories", "wanted"),
    [
        ([0, 1, -1], ["a", "b"], ["a", "b", None]), ([2], ["a", "b"], None), ([-2], ["a", "b"], None),
        ([], ["a"], []), ([], [], []),
        ([0, 1, 2, -1], ["a", None, "c"], ["a", None, "c", None]), ([0.0], ["a"], None), ([0], [], None),
    ],
)  # fmt: skip
def test_codes_of_pandas_are_those_of_categories(monkeypatch, codes, categories, wanted):
    monkeypatch.setattr(pandas_file, "_categories", lambda node, field: pd.Series(categories, dtype=object))
    given = np.array(codes, np.float64 if 0.0 in codes and isinstance(codes[0], float) else np.int8)
    if wanted is None:
        with pytest.raises(FileFormatError, match="beyond its categories"):
            pandas_file._categorical(SimpleNamespace(place="x"), "f", given)
    else:
        found = pandas_file._categorical(SimpleNamespace(place="x"), "f", given)
        assert [None if pd.isna(item) else item for item in found] == wanted
        assert found.categories.tolist() == [item for item in categories if item is not None]


@pytest.mark.parametrize(
    ("told", "walked", "fits", "is_made"),
    [
        ([8, 9], [8, 9], True, True), ([8, 9], [8, -1], True, True), ([None, 9], [5, 9], True, True),
        ([8, 9], [8, 7], True, False),
        ([8, 9], [8, 9], False, False), ([None, None], [1, 2], True, True),
    ],
)  # fmt: skip
def test_a_walk_is_right_where_the_library_finds_the_same(monkeypatch, told, walked, fits, is_made):
    template = SimpleNamespace(locate=lambda *_: (np.array([fits]), np.array([walked])))
    monkeypatch.setattr(group_templates, "make_template", lambda *_: template)
    paths = [f"g/{offset}" for offset in "ab"]
    offsets = dict(zip(paths, told, strict=True))
    library = SimpleNamespace(
        description=lambda path: SimpleNamespace(offset=offsets[path], elements=None, is_plain=True)
    )
    file = SimpleNamespace(library=library, read_at=None, descriptor=3, identity=SimpleNamespace(size=99))
    assert (group_templates._make(file, "g", 5, ("a", "b")) is template) == is_made


@pytest.mark.parametrize("raw", [[0, 1, 1, 0], [0, 2, 1, 0], [2, 2, 2, 2], [255, 0, 128, 1], [0, 0, 0, 0]])
@pytest.mark.parametrize(("stored", "is_as_in_memory"), [("|u1", True), ("|i1", True), ("|b1", True), ("<i4", False)])
def test_all_bytes_but_zero_are_true(raw, stored, is_as_in_memory):
    content = np.array(raw, np.uint8)

    def read_into(target, extent, start):
        # The library converts nothing between the same types.
        assert target.dtype == extent.dtype
        target.view(np.uint8)[:] = content[start : start + len(target)]

    def read(extent, start, count):
        return content[start : start + count].astype(np.int32)

    place = SimpleNamespace(extents=[SimpleNamespace(dtype=stored)], is_as_in_memory=is_as_in_memory)
    for start in (0, 1):
        out = np.zeros(4 - start, np.bool_)
        codecs._read_bools(SimpleNamespace(read=read, read_into=read_into), place, start, out)
        assert out.view(np.uint8).tolist() == [int(byte != 0) for byte in raw[start:]]


@pytest.mark.parametrize(
    ("told", "names", "count"),
    [
        (None, [b"Limb_0", b"Limb_1", b"other"], 2),
        (None, [], 1),
        (3, [], 3),
        (1, [], 1),
        (0, [], None),
        (-1, [], None),
        ("most", [], "most"),
        ("more", [], None),
    ],
)
def test_numbers_of_limbs_are_told_or_counted(told, names, count):
    numbers = {"most": codecs._MOST_LIMBS, "more": codecs._MOST_LIMBS + 1}
    group = SimpleNamespace(integer=lambda name: numbers.get(told, told), names=names)
    if count is None:
        with pytest.raises(NotFlatError, match="limbs"):
            codecs._count_limbs(group)
    else:
        assert codecs._count_limbs(group) == numbers.get(count, count)


@pytest.mark.parametrize("is_proven", [True, False])
def test_bounds_are_found_once_for_files_that_are_proven(is_proven):
    asked = []
    found = SimpleNamespace(take=lambda files: ("taken", files))

    def bounds(column, dtype):
        asked.append((column, dtype))
        return None if column == "y" else found

    source = row_spaces.Hdf5Source.__new__(row_spaces.Hdf5Source)
    source.__dict__.update(
        _bounds={}, _layouts=SimpleNamespace(is_proven=is_proven, bounds=bounds), _columns={"x": INT64, "y": FLOAT64},
        _ranges=SimpleNamespace(files=[0, 0, 1]),
    )  # fmt: skip
    for _ in range(2):
        assert source.bounds("x") == ("taken", [0, 0, 1])
        assert source.bounds("y") is None
    assert asked == [("x", INT64), ("y", FLOAT64)] * (1 if is_proven else 2)


# ---- chunks of remote files


class Ranges:
    """A reader of ranges that notes what is expected."""

    def __init__(self, ranges):
        self._ranges, self.expected = ranges, []

    def __getattr__(self, name):
        return getattr(self._ranges, name)

    def expect(self, streams, **_options):
        self.expected.append([list(stream) for stream in streams])


def test_chunks_that_will_be_read_are_fetched_as_soon_as_the_file_is_open(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        stored = [file.create_dataset(name, data=np.arange(10), chunks=(4,), compression="gzip") for name in "xy"]
        file["flat"] = np.arange(10)
        places = [
            [stored_chunk.byte_offset, stored_chunk.byte_offset + stored_chunk.size]
            for one in stored
            for stored_chunk in map(one.id.get_chunk_info, range(3))
        ]
    file = identify(str(tmp_path / "x.h5"))
    x, y, gone = (Extent(name, "<i8", ELSEWHERE, 10) for name in ("x", "y", "gone"))
    for wanted, found in (
        ([(x, 3, 5), (y, 8, 10)], [places[:2], places[5:]]),
        # Those that are not there are refused when they are read.
        ([(gone, 0, 10), (x, 0, 4)], [places[:1]]),
        ([], []),
    ):
        with range_reader(file) as opened:
            ranges = Ranges(opened)
            reader = readers.ChunkedReader(ranges, wanted)
            assert ranges.expected == []
            for start in (0, 4):
                out = np.empty(4, np.int64)
                reader.read_into(out, y, start)
                assert out.tolist() == list(range(start, start + 4))
            reader.close()
        assert [[list(place) for place in stream] for streams in ranges.expected for stream in streams] == found
        assert len(ranges.expected) == 1


# ---- what stands for nothing


@pytest.mark.parametrize(
    ("written", "text"), [(None, "nan"), ("", None), ("nan", "nan"), ("NaN", "NaN"), ("missing", "missing")]
)
def test_files_before_the_attribute_write_nan_for_missing_labels(written, text):
    assert pandas_file.label_missing(written) == text


def test_parts_of_shares_are_as_long_as_all_of_them():
    group = new_file.NewGroup("g", ObjType.STRINGS)
    shares = [
        (group, new_file.NewDataset("g/segments", "<i8", length), new_file.NewDataset("g/values", "|u1", 10 * length))
        for length in (3, 0, 4)
    ]
    assert new_file.concat_parts(shares) == (
        group,
        new_file.NewDataset("g/segments", "<i8", 7),
        new_file.NewDataset("g/values", "|u1", 70),
    )
    assert new_file.concat_parts(shares[1:2]) == shares[1]


def test_datasets_and_groups_without_rows_stand_for_nothing(tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file["empty"], file["one"] = np.zeros(0, np.int64), np.zeros(1, np.int64)
        for name, lengths in (("none", (0, 0)), ("both", (0, 5)), ("other", (5, 0)), ("rows", (5, 2)), ("bare", ())):
            group = file.create_group(name)
            for number, length in enumerate(lengths):
                group[str(number)] = np.zeros(length)
        for name, mark in (("is", 1), ("is not", 0), ("is two", 2)):
            file[name] = np.zeros(1, np.int64)
            file[name].attrs["isBool"] = mark
    with open_hdf5(str(tmp_path / "x.h5")) as file:
        node = metadata.root_of(file).at
        found = {name: rules_of_metadata._stands_for_nothing(node(name)) for name in NOTHING}
        marks = {name: rules_of_metadata._marked(node(name)) for name in ("is", "is not", "is two", "one")}
    assert found == NOTHING
    assert marks == {"is": 1, "is not": 0, "is two": 0, "one": 0}


NOTHING = {"empty": True, "one": False, "none": True, "both": True, "other": True, "rows": False, "bare": False}


@pytest.mark.parametrize(
    ("dtype", "lengths", "rows", "wanted"),
    [
        (INT64, [10], (3, 7), [(3, 7)]), (INT64, [10], (0, 10), [(0, 10)]), (INT64, [0], (0, 0), []),
        # The values come before the segments, of which one more is read.
        (STR, [100, 10], (3, 7), [(30, 80), (3, 8)]), (STR, [100, 10], (3, 10), [(30, 100), (3, 10)]),
        (STR, [95, 10], (1, 2), [(9, 29), (1, 3)]), (STR, [7, 3], (0, 1), [(0, 5), (0, 2)]), (STR, [7, 0], (0, 0), []),
        # Strings without segments are counted in all of them.
        (STR, [33], (3, 7), [(0, 33)]), (STR, [0], (0, 0), [(0, 0)]),
    ],
)  # fmt: skip
def test_elements_of_rows_are_cut_in_proportion(dtype, lengths, rows, wanted):
    extents = [SimpleNamespace(length=length) for length in lengths]
    found = list(readers._elements_of(SimpleNamespace(dtype=dtype, extents=extents), *rows))
    assert [one[1:] for one in found] == wanted
    assert [one[0] for one in found] == extents[: len(found)]


def test_heaps_of_a_file_are_searched_once_while_it_stays_as_it_is(tmp_path, monkeypatch):
    path, searched = tmp_path / "x.h5", []
    with h5py.File(path, "w") as file:
        file["x"] = ["text", "more"]
    monkeypatch.setattr(global_heaps, "_heaps", lambda descriptor, size: searched.append(size) or iter(()))
    monkeypatch.setattr(global_heaps, "_SOUND", Cache("heaps of this test", entries=4))
    for most, count in ((path.stat().st_size - 1, 0), (path.stat().st_size, 1), (2**30, 1)):
        with h5py.File(path) as file:
            global_heaps.check_heaps(file["x"].id, most)
        assert len(searched) == count
    with h5py.File(path, "a") as file:
        file["y"] = np.arange(1000)
    for _ in range(2):
        with h5py.File(path) as file:
            global_heaps.check_heaps(file.id, 2**30)
    assert searched[1:] == [path.stat().st_size]


class PandasGroup:
    """A group of a file of pandas with some members, which are groups too."""

    def __init__(self, address, members=(), kind=None):
        self.address, self.members, self._kind = address, dict(members), kind

    @property
    def names(self):
        return list(self.members)

    def attribute(self, name):
        return self._kind

    def kind(self, name):
        return h5py.Group if isinstance(self.members[name], PandasGroup) else h5py.Dataset

    def group(self, name):
        return self.members[name]


@pytest.mark.parametrize(("most", "found"), [(2, [2]), (3, [2, 3]), (4, [2, 3, 4]), (9, [2, 3, 4, 7])])
def test_objects_of_pandas_are_found_once_each_in_so_many_groups(monkeypatch, most, found):
    monkeypatch.setattr(pandas_file, "_MOST_GROUPS", most)
    inner = PandasGroup(3, kind="series")
    outer = PandasGroup(2, {"meta": PandasGroup(6, kind="series"), "inner": inner, "x": None}, kind="frame")
    plain = PandasGroup(5, {"inner": inner, "meta": PandasGroup(7, kind="series")})
    root = PandasGroup(1, {"outer": outer, "again": outer, "last": PandasGroup(4, kind="frame"), "plain": plain})
    plain.members["root"] = root
    assert [node.address for node in pandas_file._stored(root, set())] == found


def test_lists_of_text_are_told_by_the_kind_of_their_values():
    for inner, are_text in (
        (SimpleNamespace(kind=ObjType.STRINGS), True), (SimpleNamespace(kind=ObjType.PDARRAY), False), (None, False),
    ):  # fmt: skip
        assert validation._has_strings(SimpleNamespace(group=lambda name, inner=inner: inner)) is are_text


@pytest.mark.parametrize(("most", "read"), [(7, [None, None]), (8, [5, None]), (15, [5, None]), (16, [5, [1, 2]])])
def test_attributes_of_so_many_bytes_are_read(tmp_path, monkeypatch, most, read):
    monkeypatch.setattr(metadata, "_LARGEST_VALUE", most)
    with h5py.File(tmp_path / "x.h5", "w") as file:
        file.attrs["one"], file.attrs["two"] = np.int64(5), np.array([1, 2])
        file.attrs["none"] = h5py.Empty("i8")
    with open_hdf5(str(tmp_path / "x.h5")) as file:
        attributes = metadata.root_of(file).attributes
        assert [attributes[name].value for name in ("one", "two")] == read
        assert (attributes["none"].value, attributes["none"].shape) == (None, None)


def test_datasets_that_reach_beyond_their_file_or_are_far_larger_are_of_doubt():
    ratio = manifest._MAX_COMPRESSION_RATIO
    # Offset, or -1, and length of two datasets of a file of 100 bytes, whose elements take eight bytes and one.
    for first, second, doubtful in (
        ((20, 10), (0, 100), False),
        ((20, 11), (0, 0), True),
        ((21, 10), (0, 0), True),
        ((0, 0), (0, 101), True),
        ((0, 0), (1, 100), True),
        ((-1, 12 * ratio), (-1, 100 * ratio), False),
        ((-1, 12 * ratio + 1), (0, 0), True),
        ((0, 0), (-1, 100 * ratio + 1), True),
        # Empty datasets are nowhere.
        ((200, 0), (300, 0), False),
    ):
        found = object.__new__(HdfManifest)
        found._made, found._schema_of, found._ends = [None], [0, 0], [0, 2, 4]
        found._itemsizes = lambda _: [8, 1]
        found._slots = np.array([(0, 0), (0, 0), first, second])
        assert found._rows_of_doubt(np.array([100, 100])) == ({1} if doubtful else set()), (first, second)


def test_stored_numbers_are_those_of_numpy_unless_bits_are_left_out():
    def of_bits(kind, bits):
        kind = kind.copy()
        kind.set_precision(bits)
        return kind

    for kind, name, are_same in (
        (h5t.STD_I8LE, "|i1", True), (h5t.STD_I8BE, "|i1", True), (h5t.STD_U8BE, "|u1", True),
        (h5t.STD_I16LE, "<i2", True), (h5t.STD_I16BE, ">i2", True), (h5t.STD_U64LE, "<u8", True),
        (h5t.IEEE_F16LE, "<f2", True), (h5t.IEEE_F32BE, ">f4", True), (h5t.IEEE_F64LE, "<f8", True),
        (h5t.py_create(np.dtype(bool), logical=True), "|b1", True),
        (h5t.STD_B8LE, "|u1", False), (h5t.STD_B16LE, "<u2", False),
        (of_bits(h5t.STD_U8LE, 4), "|u1", False), (of_bits(h5t.STD_I8BE, 7), "|i1", False),
        (of_bits(h5t.STD_I16LE, 12), "<i2", False),
    ):  # fmt: skip
        assert metadata._numpy_name(kind.encode()) == (name, are_same), name
    for dtype, told in (("c16", "complex128"), ("S3", "S3"), (h5py.enum_dtype({"a": 1}, "i1"), "int8"), ("g", "128")):
        with pytest.raises(NotFlatError, match=f"holds .*{told}, not numbers"):
            metadata._numpy_name(h5t.py_create(np.dtype(dtype), logical=True).encode())


SIZE, AWAY = 1000, 2**64 - 1


def template(own):
    """Return a template of a file with two datasets of eight bytes an element, and of other numbers that are equal."""
    datasets = np.array([(0, 3), (1, 4), (2, 5), (8, 8)])
    structure = SimpleNamespace(numbers=lambda read: read(), end=6)
    description = FileDescription(FileIdentity("/own", SIZE, "1"), (), np.array(own), None)
    return Template(description, structure, np.array([[6, 7], [8, 9]]), datasets)


def test_files_are_made_as_a_template_where_their_numbers_fit():
    # Length, address and bytes of both, the size of the file, and two pairs of numbers that have to be the same.
    sound = [5, 100, 40, 7, 140, 56, SIZE, 3, SIZE, 3]
    for changes, fits in (
        ({}, True), ({6: SIZE - 1, 8: SIZE - 1}, False), ({6: SIZE + 1, 8: SIZE + 1}, False), ({8: 7}, False),
        ({7: 4}, False), ({7: 4, 9: 4}, True), ({0: 6}, False), ({0: 6, 2: 48}, True), ({2: 41}, False),
        ({5: 0}, False),
        ({1: SIZE - 40}, True), ({1: SIZE - 39}, False), ({1: SIZE + 1}, False), ({1: 2**64 - 2}, False),
        ({1: SIZE, 0: 0, 2: 0}, True), ({1: SIZE + 1, 0: 0, 2: 0}, False), ({1: AWAY}, True),
        ({0: 125, 1: 0, 2: SIZE}, True), ({0: 126, 1: 0, 2: SIZE + 8}, False),
        ({0: 2**48, 1: AWAY, 2: 2**51}, True), ({0: 2**48 + 1, 1: AWAY, 2: 2**51 + 8}, False),
    ):  # fmt: skip
        numbers = [changes.get(place, number) for place, number in enumerate(sound)]
        wanted = [(-1 if numbers[at + 1] == AWAY else numbers[at + 1], numbers[at]) for at in (0, 3)]
        found = template([(1, 1), (1, 1)]).slots(SIZE, lambda numbers=numbers: numbers)
        assert (None if found is None else [*map(tuple, found.tolist())]) == (wanted if fits else None), changes
    assert template([(1, 1), (1, 1)]).slots(SIZE, lambda: None) is None


def test_files_are_described_as_a_template_that_lacks_the_same_values():
    other = FileIdentity("/other", SIZE, "2")
    for own, slots, is_described in (
        ([(100, 5), (140, 7)], [(200, 1), (0, 9)], True),
        ([(100, 5), (140, 7)], [(200, 0), (240, 9)], False),
        ([(100, 5), (140, 0)], [(200, 5), (240, 9)], False),
        ([(100, 5), (140, 0)], [(200, 5), (240, 0)], True),
        ([(100, 5), (140, 1)], [(200, 5), (240, 1)], True),
        ([(100, 5), (140, 7)], [(-1, 5), (240, 7)], False),
        ([(0, 5), (-1, 7)], [(1, 5), (-1, 9)], True),
        ([(0, 5), (-1, 7)], [(0, 5), (0, 7)], False),
    ):
        numbers = [number for address, length in slots for number in (length, address % 2**64, 8 * length)]
        found = template(own).describe(other, lambda numbers=numbers: [*numbers, SIZE, 0, SIZE, 0])
        assert (found is not None) == is_described, (own, slots)
        if found is not None:
            assert (found.file, [*map(tuple, found.slots.tolist())]) == (other, slots)


def test_groups_are_found_by_bytes_or_else_by_the_library(monkeypatch):
    def of_library(group):
        if group == "nowhere":
            raise NotThereError
        return 9

    by_bytes = {"known": 7, "root": 0}
    monkeypatch.setattr(group_templates, "find_group", lambda read, root, group: by_bytes.get(group))
    for root, group, address in (
        (5, "", 5), (0, "", 0), (5, "known", 7), (5, "root", 0), (5, "other", 9), (5, "nowhere", -1), (None, "", 9),
        (None, "known", 9), (None, "nowhere", -1),
    ):  # fmt: skip
        file = SimpleNamespace(root=root, read_at=None, library=SimpleNamespace(address=of_library))
        assert group_templates._address(file, group) == address, (root, group)
