"""What is in written files, told by plain h5py."""

import os
import pickle
import threading
from itertools import pairwise

import h5py
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import akdask as ak
from akdask.columns.dtypes import BOOL, FLOAT64, INT64, UINT8, UINT64
from akdask.columns.table import Table
from akdask.errors import (
    ArgumentError,
    ExistsError,
    FileFormatError,
    InconsistentFilesError,
    MissingFileError,
    SchemaError,
    WriteError,
)
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.new_file import SetWriter
from akdask.storage.objects import ObjectSpec, ObjType

NUMBERS = {
    "i": ([-(2**63), 0, 2**63 - 1], INT64, "<i8"),
    "u": ([0, 2**64 - 1, 2**63], UINT64, "<u8"),
    "f": ([np.nan, -0.0, np.inf], FLOAT64, "<f8"),
    "b": ([True, False, True], BOOL, "|u1"),
}
CATEGORICAL = ObjectSpec("k", ObjType.CATEGORICAL, {"codes": "codes"}, {"categories": "labels", "NA_Codes": "na"})
TABLES = {"labels": pa.array(["red", "blå", "", "N/A"], pa.large_string()), "na": np.array([3])}


def numbers(name, dtype=INT64, kind=ObjType.PDARRAY):
    return ObjectSpec(name, kind, {"values": name}, dtype=dtype)


def strings(name):
    return ObjectSpec(name, ObjType.STRINGS, {"values": name})


def table(**columns):
    arrays = {
        k: pa.array(v, pa.large_string()) if v and isinstance(v[0], str) else np.array(v) for k, v in columns.items()
    }
    return Table(arrays, len(next(iter(arrays.values()))))


def write(path, specs, tables, small=None, **options):
    writer = SetWriter(path, specs, npartitions=len(tables), **options)
    writer.begin()
    return writer.commit([writer.write(index, part, small) for index, part in enumerate(tables)])


def exact(node, name):
    """Type and shape of an attribute as HDF5 has it, and its value."""
    attribute = node.attrs.get_id(name)
    kind = attribute.get_type()
    return kind.get_class(), kind.get_size(), attribute.shape, node.attrs[name]


def assert_attributes(node, kind, is_bool=None):
    assert exact(node, "ObjType") == (h5py.h5t.INTEGER, 8, (), kind)
    assert node.attrs.get_id("ObjType").get_type().equal(h5py.h5t.STD_I64LE)
    assert exact(node, "file_version") == (h5py.h5t.FLOAT, 4, (), 2.0)
    text = node.attrs.get_id("arkouda_version").get_type()
    value = node.attrs["arkouda_version"]
    assert (text.get_class(), text.is_variable_str()) == (h5py.h5t.STRING, False)
    assert (text.get_cset(), text.get_strpad()) == (h5py.h5t.CSET_ASCII, h5py.h5t.STR_NULLTERM)
    assert text.get_size() == len(value) + 1
    expected = {"ObjType", "file_version", "arkouda_version"}
    if is_bool is not None:
        assert exact(node, "isBool") == (h5py.h5t.INTEGER, 8, (), is_bool)
        expected.add("isBool")
    assert set(node.attrs) == expected


def assert_plain(dataset, stored):
    assert dataset.ndim == 1
    assert dataset.dtype == np.dtype(stored)
    assert dataset.chunks is None
    assert dataset.maxshape == dataset.shape


@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_are_stored_in_64_bits_and_bools_as_bytes(tmp_path, name):
    values, dtype, stored = NUMBERS[name]
    write(
        tmp_path / "x.h5",
        [numbers(name, dtype)],
        [Table({name: np.array(part, dtype.numpy)}, len(part)) for part in (values, [])],
    )
    for index, expected in enumerate([values, []]):
        with h5py.File(tmp_path / f"x_LOCALE000{index}.h5") as file:
            assert list(file) == [name]
            assert exact(file, "File_Format") == (h5py.h5t.INTEGER, 8, (), 1)
            assert_plain(file[name], stored)
            assert_attributes(file[name], 1, is_bool=int(dtype == BOOL))
            assert file[name][:].tobytes() == np.array(expected, stored).tobytes()


@pytest.mark.parametrize("kind", [ObjType.DATETIME, ObjType.TIMEDELTA, ObjType.IPV4])
def test_other_kinds_of_numbers_keep_their_kind(tmp_path, kind):
    dtype = UINT64 if kind is ObjType.IPV4 else INT64
    write(tmp_path / "x", [numbers("x", dtype, kind)], [Table({"x": np.arange(3, dtype=dtype.name)}, 3)])
    with h5py.File(tmp_path / "x_LOCALE0000") as file:
        assert_attributes(file["x"], int(kind), is_bool=0)
    assert open_set(tmp_path / "x_LOCALE0000").kinds == {"x": kind}


def test_files_are_of_the_oldest_format_as_servers_write_them(tmp_path):
    (path,) = write(tmp_path / "x", [numbers("x"), strings("s")], [table(x=[1], s=["a"])])
    with open(path, "rb") as file:
        assert file.read(9) == b"\x89HDF\r\n\x1a\n\0"
    with h5py.File(path) as file:
        assert file.id.get_create_plist().get_link_creation_order() == 0


def test_strings_are_bytes_with_nuls_and_local_segments_under_both_names(tmp_path):
    parts = [["one", "", "größe"], [], ["\U0001f43b"]]
    tables = [Table({"s": pa.array(part, pa.large_string())}, len(part)) for part in parts]
    write(tmp_path / "x.h5", [strings("s")], tables)
    for index, part in enumerate(parts):
        encoded = [text.encode() + b"\0" for text in part]
        with h5py.File(tmp_path / f"x_LOCALE000{index}.h5") as file:
            group = file["s"]
            assert_attributes(group, 2)
            assert set(group) == {"values", "segments", "s_values", "s_segments"}
            assert_plain(group["values"], "u1")
            assert_plain(group["segments"], "<i8")
            for member in ("values", "segments"):
                assert_attributes(group[member], 1, is_bool=0)
                assert group[member] == group[f"s_{member}"]
            assert group["values"][:].tobytes() == b"".join(encoded)
            assert group["segments"][:].tolist() == np.cumsum([0, *map(len, encoded)])[:-1].tolist()


def test_missing_strings_are_written_empty_and_slices_write_their_rows_only(tmp_path, read_set):
    whole = pa.array(["cut", "a", None, "b", "cut"], pa.large_string())
    write(tmp_path / "x", [strings("s")], [Table({"s": whole.slice(1, 3)}, 3)])
    assert read_set(tmp_path / "x_LOCALE0000") == {"s": ["a", "", "b"]}


def test_the_parts_of_a_categorical_are_each_cut_into_blocks(tmp_path):
    tables = [Table({"codes": np.array(codes, np.int64)}, len(codes)) for codes in ([0, 3, 1], [], [2])]
    write(tmp_path / "x", [CATEGORICAL], tables, TABLES)
    expected = [([0, 3, 1], b"red\0bl\xc3\xa5\0", [0, 4], [3]), ([], b"\0", [0], []), ([2], b"N/A\0", [0], [])]
    for index, (codes, values, segments, na) in enumerate(expected):
        with h5py.File(tmp_path / f"x_LOCALE000{index}") as file:
            group = file["k"]
            assert_attributes(group, 4)
            assert set(group) == {"codes", "categories", "NA_Codes"}
            assert_attributes(group["categories"], 2)
            for member in ("codes", "NA_Codes"):
                assert_plain(group[member], "<i8")
                assert_attributes(group[member], 1, is_bool=0)
            assert group["codes"][:].tolist() == codes
            assert group["categories/values"][:].tobytes() == values
            assert group["categories/segments"][:].tolist() == segments
            assert group["NA_Codes"][:].tolist() == na


def test_a_single_file_has_all_rows_and_global_segments(tmp_path):
    parts = [
        table(x=[1, 2], s=["a", "bb"], codes=[0, 1]),
        table(x=[3], s=["ccc"], codes=[3]),
        table(x=[4], s=[""], codes=[2]),
    ]
    paths = write(tmp_path / "x.h5", [numbers("x"), strings("s"), CATEGORICAL], parts, TABLES, file_type="single")
    assert paths == [str(tmp_path / "x.h5")]
    assert os.listdir(tmp_path) == ["x.h5"]
    with h5py.File(paths[0]) as file:
        assert file.attrs["File_Format"] == 0
        assert file["x"][:].tolist() == [1, 2, 3, 4]
        assert file["s/values"][:].tobytes() == b"a\0bb\0ccc\0\0"
        assert file["s/segments"][:].tolist() == [0, 2, 5, 9]
        assert file["k/codes"][:].tolist() == [0, 1, 3, 2]
        assert file["k/categories/values"][:].tobytes() == b"red\0bl\xc3\xa5\0\0N/A\0"
        assert file["k/categories/segments"][:].tolist() == [0, 4, 9, 10]
        assert file["k/NA_Codes"][:].tolist() == [3]
        assert_attributes(file["s"], 2)
        assert_attributes(file["x"], 1, is_bool=0)


def test_a_single_file_larger_than_a_block_of_copying_is_whole(tmp_path):
    values = np.arange(3_000_000)
    parts = [Table({"x": part}, len(part)) for part in np.split(values, [1_000_001, 1_000_002])]
    write(tmp_path / "x", [numbers("x")], parts, file_type="single")
    with h5py.File(tmp_path / "x") as file:
        assert np.array_equal(file["x"][:], values)


def test_the_order_of_columns_is_kept_in_a_root_attribute_and_nothing_is_added_to_root(tmp_path, read_set):
    (path,) = write(tmp_path / "x", [numbers("z"), numbers("ä"), numbers("b")], [table(z=[1], ä=[2], b=[3])])
    with h5py.File(path) as file:
        assert list(file) == ["b", "z", "ä"]
        assert set(file.attrs) == {"File_Format", "akdask_columns"}
    assert list(read_set(path)) == ["z", "ä", "b"]


def test_a_list_of_columns_too_long_for_an_attribute_is_left_out(tmp_path, read_set):
    names = [f"{'n' * 300}{k}" for k in range(400, 150, -1)]
    (path,) = write(tmp_path / "x", [numbers(name) for name in names], [table(**{name: [1] for name in names})])
    assert list(read_set(path)) == sorted(names)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=40),
    values=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=40),
    npartitions=st.integers(1, 4),
    single=st.booleans(),
)
def test_what_is_written_is_read_back(  # noqa: PLR0917
    tmp_path, write_set, read_set, texts, values, npartitions, single
):
    nrows = min(len(texts), len(values))
    columns = {"s": np.array(texts[:nrows], "U"), "v": np.array(values[:nrows], np.int64)}
    cuts = [nrows * k // npartitions for k in range(npartitions + 1)]
    lengths = [b - a for a, b in pairwise(cuts)]
    options = {"file_type": "single"} if single else {}
    paths = write_set(
        tmp_path / "x", {k: v.tolist() if k == "s" and nrows else v for k, v in columns.items()}, lengths, **options
    )
    assert read_set(paths) == {"s": texts[:nrows], "v": values[:nrows]}


def test_narrow_and_mismatched_values(tmp_path, read_set):
    write(tmp_path / "x", [numbers("x", UINT8)], [Table({"x": np.array([1, 255], np.uint8)}, 2)])
    assert read_set(tmp_path / "x_LOCALE0000") == {"x": [1, 255]}
    writer = SetWriter(tmp_path / "y", [numbers("x")], npartitions=1)
    writer.begin()
    with pytest.raises(SchemaError, match="'x' is to be written as int64, but the values are float64"):
        writer.write(0, table(x=[0.5]))
    with pytest.raises(SchemaError, match="Strings, but the values are int64"):
        SetWriter(tmp_path / "y", [strings("x")], npartitions=1).write(0, table(x=[1]))
    writer.abort()


def test_a_string_with_nul_is_refused_by_row(tmp_path):
    writer = SetWriter(tmp_path / "x", [strings("s")], npartitions=1)
    writer.begin()
    with pytest.raises(SchemaError, match=r"'s' cannot be written(.|\n)*row 2 contains NUL"):
        writer.write(0, table(s=["a", "", "b\0c", "d"]))
    writer.abort()
    assert not os.listdir(tmp_path)


# ------------------------------------------------------------------------------------------------ modes


def test_truncate_replaces_a_wider_set_and_touches_no_other_file(tmp_path, read_set):
    others = ["run2_LOCALE0000.h5", "run.h5", "run_LOCALE0000", "my_run_LOCALE0000.h5", "run_LOCALE0001.h5.bak"]
    for name in others:
        (tmp_path / name).write_text("other")
    write(tmp_path / "run.h5", [numbers("x")], [table(x=[k]) for k in range(4)])
    with pytest.warns(UserWarning, match="4 existing files"):
        write(tmp_path / "run.h5", [numbers("y")], [table(y=[k]) for k in range(2)])
    written = [".run.h5.akdask", "run_LOCALE0000.h5", "run_LOCALE0001.h5"]
    assert sorted(os.listdir(tmp_path)) == sorted([*others, *written])
    assert all((tmp_path / name).read_text() == "other" for name in others)
    assert read_set(tmp_path / "run_LOCALE*.h5") == {"y": [0, 1]}


def test_append_adds_objects_to_each_file(tmp_path, read_set):
    write(tmp_path / "x", [strings("s"), numbers("b")], [table(s=["a"], b=[1]), table(s=["b"], b=[2])])
    write(tmp_path / "x", [numbers("a")], [table(a=[1, 2, 3]), table(a=[4])], mode="append")
    found = read_set(tmp_path / "x_LOCALE*")
    assert found == {"s": ["a", "b"], "b": [1, 2], "a": [1, 2, 3, 4]}
    assert list(found) == ["s", "b", "a"]


@pytest.mark.parametrize("file_type", ["distribute", "single"])
def test_append_to_nothing_makes_the_set(tmp_path, read_set, file_type):
    paths = write(tmp_path / "x", [numbers("x")], [table(x=[1]), table(x=[2])], mode="append", file_type=file_type)
    assert read_set(paths) == {"x": [1, 2]}


def test_append_to_a_single_file_merges_what_is_added(tmp_path, read_set):
    for name in ("a", "b"):
        parts = [table(**{name: [1]}), table(**{name: [2]})]
        write(tmp_path / "x", [numbers(name)], parts, mode="append", file_type="single")
    assert read_set(tmp_path / "x") == {"a": [1, 2], "b": [1, 2]}


def test_append_to_files_of_an_old_server_keeps_their_names_and_content(tmp_path, read_set):
    for index in range(2):
        with h5py.File(tmp_path / f"x_LOCALE{index}", "w") as file:
            file.create_group("_arkouda_metadata").attrs["file_version"] = np.float32(1.0)
            file["z"] = np.array([index])
    paths = write(tmp_path / "x", [numbers("a")], [table(a=[1]), table(a=[2])], mode="append")
    assert [os.path.basename(path) for path in paths] == ["x_LOCALE0", "x_LOCALE1"]
    assert read_set(tmp_path / "x_LOCALE*") == {"z": [0, 1], "a": [1, 2]}


def test_overwriting_replaces_objects_gives_back_their_space_and_keeps_all_else(tmp_path, read_set):
    big = list(range(10_000))
    paths = write(
        tmp_path / "x",
        [numbers("z"), numbers("a"), CATEGORICAL],
        [table(z=big, a=[1] * 10_000, codes=[0] * 10_000)],
        TABLES,
    )
    with h5py.File(paths[0], "r+") as file:
        file.attrs["mine"] = "kept"
        file["link"] = h5py.SoftLink("/a")
    before = os.path.getsize(paths[0])
    write(tmp_path / "x", [numbers("z"), strings("new")], [table(z=[5], new=["x"])], mode="append", overwrite=True)
    found = read_set(paths)
    assert (found["z"], found["new"], found["a"]) == ([5], ["x"], [1] * 10_000)
    assert found["k"]["categories"] == TABLES["labels"].to_pylist()
    assert list(found)[:3] == ["z", "a", "k"]
    assert os.path.getsize(paths[0]) < before - 70_000
    with h5py.File(paths[0]) as file:
        assert file.attrs["mine"] == "kept"
        assert file["link"] == file["a"]
        assert file["k/categories/values"] == file["k/categories/categories_values"]
        assert_attributes(file["a"], 1, is_bool=0)


def snapshot(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize(
    ("npartitions", "options", "error", "words"),
    [
        (2, {}, ExistsError, r"'x'[\s\S]*update_hdf"),
        (3, {}, InconsistentFilesError, "2 files, .* 3 partitions"),
        (2, {"file_type": "single"}, ExistsError, "other file type"),
        (2, {"file_type": "single", "overwrite": True}, MissingFileError, "no set"),
    ],
)
def test_an_append_that_does_not_fit_is_refused_before_anything_is_written(
    tmp_path, npartitions, options, error, words
):
    write(tmp_path / "x", [numbers("x")], [table(x=[1]), table(x=[2])])
    before = snapshot(tmp_path)
    with pytest.raises(error, match=words):
        SetWriter(tmp_path / "x", [numbers("x")], npartitions=npartitions, mode="append", **options).begin()
    assert snapshot(tmp_path) == before


def test_a_set_is_not_added_beside_a_single_file(tmp_path):
    write(tmp_path / "x", [numbers("x")], [table(x=[1])], file_type="single")
    with pytest.raises(ExistsError, match="file_type='single'"):
        SetWriter(tmp_path / "x", [numbers("y")], npartitions=1, mode="append").begin()


def test_a_damaged_file_is_not_added_to(tmp_path):
    (tmp_path / "x_LOCALE0000").write_bytes(b"no HDF5")
    with pytest.raises(FileFormatError):
        SetWriter(tmp_path / "x", [numbers("y")], npartitions=1, mode="append").begin()
    assert snapshot(tmp_path) == {"x_LOCALE0000": b"no HDF5"}


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (["a/b"], {}),
        ([""], {}),
        (["."], {}),
        (["_arkouda_metadata"], {}),
        (["a", "a"], {}),
        ([], {}),
        (["a"], {"mode": "replace"}),
        (["a"], {"file_type": "many"}),
        (["a"], {"npartitions": 0}),
    ],
)
def test_names_and_modes_that_cannot_be_are_refused(tmp_path, names, options):
    with pytest.raises(ArgumentError):
        SetWriter(tmp_path / "x", [numbers(name) for name in names], **{"npartitions": 1, **options})


# ---------------------------------------------------------------------------------------------- failures


@pytest.fixture
def old_set(tmp_path):
    write(tmp_path / "x.h5", [numbers("x")], [table(x=[1]), table(x=[2]), table(x=[3])])
    return snapshot(tmp_path)


def test_a_full_disk_leaves_the_old_set_and_no_traces(tmp_path, old_set, monkeypatch):
    writer = SetWriter(tmp_path / "x.h5", [numbers("x")], npartitions=2)
    writer.begin()
    receipts = [writer.write(0, table(x=[10]))]

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "pwrite", full)
    with pytest.raises(WriteError, match=r"x_LOCALE0001\.h5'[\s\S]*disk is full") as caught:
        writer.write(1, table(x=[11]))
    assert isinstance(pickle.loads(pickle.dumps(caught.value)), WriteError)
    with pytest.raises(WriteError, match=r"partitions \[1\] are missing"):
        writer.commit(receipts)
    assert snapshot(tmp_path) == old_set


@pytest.mark.parametrize("parent", ["absent", "file"])
def test_a_folder_that_is_none_is_refused_at_the_beginning(tmp_path, parent):
    (tmp_path / "file").write_text("")
    with pytest.raises(WriteError, match="create the folder first"):
        SetWriter(tmp_path / parent / "x", [numbers("x")], npartitions=1).begin()


def test_a_read_only_folder_is_refused_at_the_beginning(tmp_path, monkeypatch):
    def read_only(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "mkdir", read_only)
    with pytest.raises(WriteError, match="check the permissions"):
        SetWriter(tmp_path / "x", [numbers("x")], npartitions=1).begin()


def test_a_worker_that_does_not_see_the_folder_says_so(tmp_path):
    with pytest.raises(WriteError, match="all workers must see it"):
        SetWriter(tmp_path / "x", [numbers("x")], npartitions=1).write(0, table(x=[1]))


def test_aborting_leaves_the_old_set_and_no_traces(tmp_path, old_set):
    writer = SetWriter(tmp_path / "x.h5", [numbers("x")], npartitions=1)
    writer.begin()
    writer.write(0, table(x=[9]))
    writer.abort()
    assert snapshot(tmp_path) == old_set


def test_nothing_is_seen_before_the_commit(tmp_path, old_set, read_set):
    writer = SetWriter(tmp_path / "x.h5", [numbers("x")], npartitions=3)
    writer.begin()
    receipts = [writer.write(k, table(x=[9])) for k in range(3)]
    assert read_set(tmp_path / "x_LOCALE*.h5") == {"x": [1, 2, 3]}
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir() if p.is_file()} == old_set
    with pytest.warns(UserWarning, match="3 existing files"):
        writer.commit(receipts)
    assert read_set(tmp_path / "x_LOCALE*.h5") == {"x": [9, 9, 9]}


def test_a_commit_that_cannot_rename_leaves_the_old_set_and_no_traces(tmp_path, old_set, monkeypatch):
    writer = SetWriter(tmp_path / "x.h5", [numbers("x")], npartitions=2)
    writer.begin()
    receipts = [writer.write(k, table(x=[9])) for k in range(2)]
    replace = os.replace

    def failing(source, target, **folders):
        if os.path.basename(target) == "x_LOCALE0001.h5":
            raise PermissionError(13, "Permission denied")
        replace(source, target, **folders)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(WriteError, match="Permission denied"):
        writer.commit(receipts)
    monkeypatch.undo()
    assert snapshot(tmp_path) == old_set


def test_tasks_that_run_twice_at_once_or_too_late_do_no_harm(tmp_path, read_set):
    writer = SetWriter(tmp_path / "x", [numbers("x"), strings("s")], npartitions=2)
    writer.begin()
    copies = [pickle.loads(pickle.dumps(writer)) for _ in range(8)]
    receipts = []
    threads = [
        threading.Thread(
            target=lambda k=k: receipts.append(copies[k].write(k % 2, table(x=[k % 2], s=["a" * (k % 2)])))
        )
        for k in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.commit(receipts)
    with pytest.raises(WriteError):
        copies[0].write(0, table(x=[7], s=["late"]))
    assert sorted(os.listdir(tmp_path)) == [".x.akdask", "x_LOCALE0000", "x_LOCALE0001"]
    assert read_set(tmp_path / "x_LOCALE*") == {"x": [0, 1], "s": ["", "a"]}


@pytest.mark.parametrize("mode", ["truncate", "append"])
def test_ranges_of_a_file_for_several_threads_are_written_to_one_file(tmp_path, mode):
    rows = np.arange(2**18 + 9)
    ak.DataFrame({"x": ak.array(rows)}).to_hdf(tmp_path / "one", num_locales=1)
    read = ak.read_hdf(str(tmp_path / "one_LOCALE*"))["x"]
    assert read.npartitions == 2
    # Rows that filters leave are not counted beforehand.
    read[read > 7].to_hdf(tmp_path / "few", dataset="x")
    assert len(list(tmp_path.glob("few_LOCALE*"))) == 2
    assert np.array_equal(ak.read_hdf(str(tmp_path / "few_LOCALE*"))["x"].to_ndarray(), rows[8:])
    target = tmp_path / ("one" if mode == "append" else "other")
    (read * 2).to_hdf(target, dataset="y", mode=mode)
    assert len(list(tmp_path.glob(f"{target.name}_LOCALE*"))) == 1
    assert np.array_equal(ak.read_hdf(f"{target}_LOCALE*", "y")["y"].to_ndarray(), 2 * rows)
