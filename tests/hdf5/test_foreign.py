"""Files that no Arkouda server wrote, made with plain h5py."""

import subprocess
import sys

import h5py
import numpy as np
import pytest

import akdask as ak
from akdask.errors import FileFormatError, ObjTypeError, UnsupportedError
from akdask.formats.hdf5.file_set import open_set
from akdask.pandas import scan as face_scan
from akdask.storage.objects import ObjType


@pytest.fixture
def path(tmp_path):
    return tmp_path / "foreign.h5"


@pytest.mark.parametrize(
    "stored", ["i1", "i2", "i4", "<i8", ">i8", ">i4", "u1", "u2", ">u4", "f2", "f4", ">f4", ">f8", "u8", ">u8"]
)
def test_numbers_of_any_width_and_byte_order_but_bytes_widen(path, read_set, stored):
    values = np.arange(7).astype(stored)
    with h5py.File(path, "w") as file:
        file["x"] = values
    found = open_set(path).select()["x"].members["values"]
    unsigned = {1: "uint8", 8: "uint64"}.get(np.dtype(stored).itemsize, "int64")
    widened = {"i": "int64", "f": "float64", "u": unsigned}
    assert found.source.columns["x"].name == widened[np.dtype(stored).kind]
    assert read_set(path) == {"x": values.tolist()}


def test_extremes_survive_widening(path, read_set):
    columns = {
        "a": np.array([-(2**31), 2**31 - 1], ">i4"),
        "b": np.array([2**32 - 1, 0], "<u4"),
        "c": np.array([2**64 - 1, 2**63], ">u8"),
        "d": np.array([np.inf, -0.5], ">f4"),
    }
    with h5py.File(path, "w") as file:
        for name, values in columns.items():
            file[name] = values
    assert read_set(path) == {name: values.tolist() for name, values in columns.items()}


@pytest.mark.parametrize("chunked", [False, True])
def test_enum_bools_are_bools(path, read_set, chunked):
    values = [True, False, True]
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.array(values), chunks=(2,) if chunked else None)
    assert read_set(path) == {"x": values}


@pytest.mark.parametrize("stored", ["u1", "i4"])
def test_anything_but_zero_is_true_where_the_attribute_says_bool(path, read_set, stored):
    with h5py.File(path, "w") as file:
        file["x"] = np.array([0, 1, 2, 100], stored)
        file["x"].attrs["isBool"] = 1
    assert read_set(path) == {"x": [False, True, True, True]}


def test_is_bool_of_zero_means_numbers(path, read_set):
    with h5py.File(path, "w") as file:
        file["x"] = np.array([0, 1, 2], "u1")
        file["x"].attrs["isBool"] = 0
    assert read_set(path) == {"x": [0, 1, 2]}


def test_data_that_was_never_written_reads_as_its_fill_value(path, read_set):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (3,), "i4")
        file.create_dataset("y", (3,), "f8", fillvalue=2.5)
    assert read_set(path) == {"x": [0, 0, 0], "y": [2.5, 2.5, 2.5]}


@pytest.mark.parametrize("options", [{"chunks": (4,)}, {"compression": "gzip"}, {"chunks": (3,), "shuffle": True}])
def test_chunked_and_compressed_numbers_and_strings_are_read(path, read_set, options):
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=np.arange(11), **options)
        file.create_dataset("s/values", data=np.frombuffer(b"a\0\0ccc\0dd\0", "u1"), **options)
        file.create_dataset("s/segments", data=np.array([0, 2, 3, 7]), **options)
    assert read_set(path) == {"x": list(range(11)), "s": ["a", "", "ccc", "dd"]}


def test_members_named_as_the_documents_name_them_are_found(path, read_set):
    with h5py.File(path, "w") as file:
        file["s/s_values"] = np.frombuffer(b"a\0bb\0", "u1")
        file["s/s_segments"] = np.array([0, 2])
        file["c/Codes"] = np.array([1, 0])
        file["c/Categories/Categories_values"] = np.frombuffer(b"x\0y\0", "u1")
        file["c/Categories/Categories_segments"] = np.array([0, 2])
        file["c/na_codes"] = np.array([1])
    assert read_set(path) == {"s": ["a", "bb"], "c": {"codes": [1, 0], "categories": ["x", "y"], "NA_Codes": [1]}}


def test_grouping_that_one_release_wrote_wrongly_is_left_out(path, read_set):
    with h5py.File(path, "w") as file:
        group = file.create_group("c")
        group.attrs["ObjType"] = 4
        group.attrs["arkouda_version"] = np.bytes_(b"v2023.05.05")
        for member in ("codes", "permutation", "segments"):
            group[member] = np.array([0, 0])
        group["NA_Codes"] = np.array([0])
        group["categories/values"] = np.frombuffer(b"x\0", "u1")
        group["categories/segments"] = np.array([0])
    assert set(read_set(path)["c"]) == {"codes", "categories", "NA_Codes"}


@pytest.mark.parametrize("number", [np.int8(7), np.uint16(7), np.array([7], ">i4"), 7])
def test_the_kind_is_read_from_an_attribute_of_any_integer_type(path, number):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
        file["x"].attrs["ObjType"] = number
    assert open_set(path).kinds == {"x": ObjType.DATETIME}


@pytest.mark.parametrize(
    "attribute", [np.arange(100), "pdarray", np.bytes_(b"text"), h5py.Empty("i8"), np.arange(8, dtype="i1") + 1]
)
def test_an_attribute_that_is_no_number_does_not_harm(path, read_set, attribute):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
        file["x"].attrs["ObjType"] = attribute
    assert read_set(path) == {"x": [0, 1, 2]}


def test_an_unknown_kind_is_named_and_other_objects_are_read(path, read_column):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
        file["y"] = np.arange(3)
        file["y"].attrs["ObjType"] = 99
    files = open_set(path)
    assert files.kinds == {"x": ObjType.PDARRAY, "y": ObjType.UNKNOWN}
    assert read_column(files.select(["x"])["x"].members["values"]) == [0, 1, 2]
    with pytest.raises(ObjTypeError, match=r"'y' .* unknown ObjType 99"):
        files.select(["y"])
    with pytest.warns(RuntimeWarning, match="'y': has the unknown ObjType 99"):
        assert list(files.select()) == ["x"]


@pytest.mark.parametrize("chunks", [None, (2,)])
@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (np.array([b"ab", b"", "ü".encode()]), ["ab", "", "ü"]),
        (np.array([b"caf\xe9", b"x"]), ["café", "x"]),
        (np.array(["ab", "ü", ""], h5py.string_dtype()), ["ab", "ü", ""]),
        (np.array([1, 0, 7], h5py.enum_dtype({"RED": 0, "BLUE": 1}, "u1")), ["BLUE", "RED", "7"]),
        (np.array([True, False]), [True, False]),
        (np.array([1.5, -2.0], np.longdouble), [1.5, -2.0]),
        (np.array([1.5, -2.0], ">f2"), [1.5, -2.0]),
    ],
)
def test_text_names_and_odd_numbers_are_read_as_the_library_does(path, read_set, chunks, stored, expected):
    with h5py.File(path, "w") as file:
        file.create_dataset("group/inner/x", data=stored, chunks=chunks)
    assert read_set(path) == {"group/inner/x": expected}


@pytest.mark.parametrize(
    ("data", "expected"), [(3.5, [3.5]), ("text", ["text"]), (np.int16(7), [7]), (h5py.Empty("f4"), [])]
)
def test_a_dataset_without_dimensions_has_one_row_or_none(path, read_set, data, expected):
    with h5py.File(path, "w") as file:
        file["x"] = data
    assert read_set(path) == {"x": expected}


def test_text_and_names_keep_their_shape(path):
    text = np.array([[b"a", b"b", b"c"], [b"d", b"e", b"f"]])
    with h5py.File(path, "w") as file:
        file["x"] = text
        file["y"] = np.array([[1, 0]], h5py.enum_dtype({"RED": 0, "BLUE": 1}))
    found = ak.read_hdf(path)
    assert found["x"].shape == (2, 3)
    assert found["x"].to_ndarray().tolist() == text.astype(str).tolist()
    assert found["y"].to_ndarray().tolist() == [["BLUE", "RED"]]


@pytest.mark.parametrize("chunks", [None, (2,)])
def test_records_are_frames(path, chunks):
    point = np.dtype([("x", ">i2"), ("y", "f4")])
    colours = h5py.enum_dtype({"RED": 0, "BLUE": 1}, "i1")
    records = np.zeros(
        5, [("id", "u8"), ("name", "S4"), ("at", point), ("triple", "i4", (3,)), ("c", "c8"), ("hue", colours)]
    )
    records["id"] = np.arange(5, dtype="u8") + np.uint64(2**63)
    records["name"] = [b"a", b"bb", b"", b"d", b"e"]
    records["at"]["x"], records["at"]["y"] = np.arange(5), np.arange(5) / 2
    records["triple"] = np.arange(15).reshape(5, 3)
    records["c"] = np.arange(5) + 2j
    records["hue"] = [0, 1, 0, 1, 1]
    with h5py.File(path, "w") as file:
        file.create_dataset("group/table", data=records, chunks=chunks)
    frame = ak.read_hdf(path)["group/table"].to_pandas()
    assert {name: frame[name].tolist() for name in frame} == {
        "id": records["id"].tolist(),
        "name": ["a", "bb", "", "d", "e"],
        "at.x": [0, 1, 2, 3, 4],
        "at.y": [0.0, 0.5, 1.0, 1.5, 2.0],
        **{f"triple.{number}": records["triple"][:, number].tolist() for number in range(3)},
        "c.real": [0.0, 1.0, 2.0, 3.0, 4.0],
        "c.imag": [2.0] * 5,
        "hue": ["RED", "BLUE", "RED", "BLUE", "BLUE"],
    }


def test_complex_numbers_of_several_dimensions_are_frames_of_two_columns(path):
    values = np.arange(6).reshape(2, 3) * (1 + 2j)
    with h5py.File(path, "w") as file:
        file["x"] = values
    frame = ak.read_hdf(path)["x"].to_pandas()
    assert (frame["real"] + 1j * frame["imag"]).tolist() == values.ravel().tolist()


def test_lists_of_the_library_are_lists(path, read_set):
    with h5py.File(path, "w") as file:
        numbers = file.create_dataset("x", (3,), h5py.vlen_dtype("i2"))
        numbers[0], numbers[2] = [1, 2], [3]
        text = file.create_dataset("y", (2,), h5py.vlen_dtype(h5py.string_dtype()))
        text[0] = np.array(["a", "ü"], object)
        file.create_dataset("z", (2,), h5py.vlen_dtype("f4"))
    assert read_set(path) == {"x": [[1, 2], [], [3]], "y": [["a", "ü"], []], "z": [[], []]}


def test_stored_arrays_add_dimensions(path):
    values = np.arange(12).reshape(2, 2, 3)
    with h5py.File(path, "w") as file:
        file.create_dataset("x", (2,), np.dtype(("i4", (2, 3))))[...] = values
    found = ak.read_hdf(path)["x"]
    assert found.shape == (2, 2, 3)
    assert found.to_ndarray().tolist() == values.tolist()
    with open_set(path).select()["x"].members["values"].source.part(0, ["x"]).open() as reader:
        assert reader.read("x", 4, 9).tolist() == [4, 5, 6, 7, 8]
        assert reader.read("x", 7, 8).tolist() == [7]


def test_times_of_h5py_are_times(path):
    times = np.array(["2020-01-01", "2021-05-06T07:08:09"], "M8[s]")
    with h5py.File(path, "w") as file:
        file["x"] = times.astype(h5py.opaque_dtype(times.dtype))
    assert ak.read_hdf(path)["x"].to_ndarray().tolist() == times.tolist()


def test_what_no_column_can_hold_is_listed_left_out_and_refused_by_name(path):
    with h5py.File(path, "w") as file:
        file["x"] = np.arange(3)
        file["odd"] = np.array([b"abc"], "V3")
        file["table"] = np.zeros(2, [("a", "i4"), ("raw", "V5")])
        file.create_group("empty")
    files = open_set(path)
    assert list(files.kinds) == ["empty", "odd", "table", "x"]
    with pytest.warns(RuntimeWarning) as told:
        assert list(files.select()) == ["table", "x"]
    assert [str(one.message).count("opaque bytes") for one in told] == [1, 1]
    with pytest.raises(UnsupportedError, match=r"'odd'.*foreign\.h5.* opaque bytes \(3 each\)"):
        files.select(["odd"])
    with pytest.warns(RuntimeWarning, match="table//raw"):
        frame = ak.read_hdf(path, "table")["table"]
    assert frame.to_pandas().to_dict("list") == {"a": [0, 0]}


def test_groups_that_contain_themselves_are_entered_once(path, read_set):
    with h5py.File(path, "w") as file:
        file["a/x"] = np.arange(2)
        file["a/again"] = file["a"]
        file["b"] = file["a"]
    assert read_set(path) == {"a/x": [0, 1]}


def test_records_of_several_files_are_one_frame(tmp_path):
    for number in range(2):
        with h5py.File(tmp_path / f"{number}.h5", "w") as file:
            file["t"] = np.array([(number, b"ab")], [("a", "i4"), ("b", "S2")])
            file["s"] = np.array([b"abc"])
    found = ak.read_hdf(str(tmp_path / "*.h5"), calc_string_offsets=True)
    assert found["t"].to_pandas().to_dict("list") == {"a": [0, 1], "b": ["ab", "ab"]}
    assert found["s"].tolist() == ["abc", "abc"]


def test_bools_of_lists_are_told_from_strings_without_a_kind(path, read_set):
    values = np.array([1, 0, 1], "u1")
    with h5py.File(path, "w") as file:
        for name, marked in (("b", "b/values"), ("c", "c")):
            file[f"{name}/values"] = values
            file[f"{name}/segments"] = np.array([0, 2])
            file[marked].attrs["isBool"] = 1
        file["s/values"] = np.frombuffer(b"ab\0", "u1")
        file["s/values"].attrs["isBool"] = 0
        file["s/segments"] = np.array([0])
    lists = [[True, False], [True]]
    assert read_set(path) == {"b": lists, "c": lists, "s": ["ab"]}


def test_a_dataframe_in_one_file_has_columns_without_kinds(path):
    with h5py.File(path, "w") as file:
        frame = file.create_group("df")
        frame.attrs["ObjType"] = 6
        frame["Index"] = np.arange(2)
        frame["flags/values"] = np.array([1, 0, 1], "u1")
        frame["flags/values"].attrs["isBool"] = np.int64(1)
        frame["flags/segments"] = np.array([0, 2])
    found = ak.read_hdf(str(path), "df")["df"]
    assert found["flags"].tolist() == [[True, False], [True]]


def test_a_file_without_objects_has_none(path):
    h5py.File(path, "w").close()
    assert open_set(path).kinds == {}
    assert open_set(path).select() == {}


def test_names_in_any_language_and_with_odd_characters_are_kept(path, read_set):
    names = ["größe", "a b", "'quoted\"", "a,b", "日本"]
    with h5py.File(path, "w") as file:
        for name in names:
            file[name] = np.arange(2)
    assert list(read_set(path)) == sorted(names, key=str.encode)


def test_a_scan_is_the_frame_of_the_rows_that_most_columns_have(path):
    with h5py.File(path, "w") as file:
        file["g/a"] = np.arange(3)
        file["g/b"] = [b"x", b"y", b"z"]
        file["t"] = np.array([(1, 0.5)] * 3, [("p", "i4"), ("q", "f8")])
        file["one"] = 5
        file["matrix"] = np.zeros((3, 2))
    with pytest.warns(RuntimeWarning, match=r"columns of 3 rows.*\n'matrix': shape \(3, 2\)\n'one': 1 row\n"):
        frame = ak.scan(path)
    assert frame.to_pandas().to_dict("list") == {
        "g/a": [0, 1, 2],
        "g/b": ["x", "y", "z"],
        "t.p": [1] * 3,
        "t.q": [0.5] * 3,
    }


def test_a_scan_of_arrays_of_several_dimensions_alone_has_a_column_for_each_number_of_a_row(path):
    values = np.arange(12.0).reshape(3, 2, 2)
    with h5py.File(path, "w") as file:
        file["cube"] = values
        file["matrix"] = values[:, 0]
        file["other"] = values[:2]
    with pytest.warns(RuntimeWarning, match="'other.0.0': 2 rows"):
        frame = ak.scan(path).to_pandas()
    names = ["cube.0.0", "cube.0.1", "cube.1.0", "cube.1.1", "matrix.0", "matrix.1"]
    assert list(frame) == names
    np.testing.assert_array_equal(frame.to_numpy(), np.c_[values.reshape(3, 4), values[:, 0]])


def test_a_scan_of_arrays_with_long_rows_alone_is_refused(path):
    with h5py.File(path, "w") as file:
        file["image"] = np.zeros((2, 5000))
    with pytest.raises(UnsupportedError, match=r"'image' has the shape \(2, 5000\)"):
        ak.scan(path)


def test_a_scan_of_no_objects_is_a_frame_without_columns(path):
    h5py.File(path, "w").close()
    assert ak.scan(path).shape == (0, 0)


def test_reading_all_of_a_file_without_datasets_gives_nothing(path):
    with h5py.File(path, "w") as file:
        file.create_group("g/h")
    assert ak.read_hdf(path) == ak.read(path) == {}
    assert ak.scan(path).shape == (0, 0)
    assert face_scan(path).shape == (0, 0)


PARTS = {
    "family": (("x%05d.h5", {"driver": "family", "memb_size": 4096}), "x00000.h5"),
    "family of a folder with %": (("a%%d0/x0%03d", {"driver": "family", "memb_size": 3000}), "a%d0/x0000"),
    "split": (("x", {"driver": "split"}), "x-m.h5"),
}


@pytest.mark.parametrize("name", PARTS)
def test_one_file_in_several_is_opened_by_its_first(tmp_path, name):
    (pattern, options), first = PARTS[name]
    (tmp_path / first).parent.mkdir(exist_ok=True)
    numbers = np.arange(4000)
    with h5py.File(tmp_path / pattern, "w", **options) as file:
        file["plain"] = numbers
        file.create_dataset("packed", data=numbers, chunks=(500,), compression="gzip")
        file["text"] = ["a", "b"]
        file["table"] = np.array([(1, 0.5), (2, 1.5)], [("n", "i8"), ("f", "f8")])
    found = ak.read_hdf(tmp_path / first)
    assert found["plain"].tolist() == found["packed"].tolist() == numbers.tolist()
    assert found["packed"][1200:1203].tolist() == [1200, 1201, 1202]
    assert found["text"].tolist() == ["a", "b"]
    assert found["table"]["f"].tolist() == [0.5, 1.5]
    assert ak.read_hdf(tmp_path / first, "plain")["plain"].sum() == numbers.sum()


def test_one_file_in_several_that_lacks_some_is_refused(tmp_path):
    with h5py.File(tmp_path / "x%d.h5", "w", driver="family", memb_size=4096) as file:
        file["x"] = np.arange(4000)
    (tmp_path / "x3.h5").unlink()
    with pytest.raises(FileFormatError, match="x0"):
        ak.read_hdf(tmp_path / "x0.h5")
    (tmp_path / "x3.h5").mkdir()
    with pytest.raises(FileFormatError, match=r"member .*x3\.h5' is no file"):
        ak.read_hdf(tmp_path / "x0.h5")


@pytest.mark.slow
def test_a_file_that_its_writer_did_not_close_is_not_said_to_be_damaged(path):
    script = (
        "import h5py, os, sys; file = h5py.File(sys.argv[1], 'w', libver='latest'); file['x'] = [1, 2]; file.flush()"
    )
    subprocess.run([sys.executable, "-c", f"{script}; os._exit(0)", path], check=True)
    with pytest.raises(FileFormatError, match="ended without closing") as caught:
        ak.read_hdf(path)
    assert "h5clear" in caught.value.hint
    assert "damaged" not in str(caught.value)


def test_groups_without_members_hide_nothing_that_cannot_be_read(path):
    with h5py.File(path, "w") as file:
        file.create_group("a")
        file["z"] = np.array([b"ab"], "V2")
    assert ak.ls(path) == ["a", "z"]
    with pytest.raises(UnsupportedError, match=r"'z' .*opaque"):
        ak.read_hdf(path)
    with pytest.raises(ObjTypeError, match="without members"):
        ak.read_hdf(path, "a")


@pytest.mark.parametrize("block", [512, 4096, 65536])
def test_files_with_a_block_of_the_user_are_recognized(path, block):
    with h5py.File(path, "w", userblock_size=block) as file:
        file["g/x"] = np.arange(3)
        file["text"] = [b"a", b"b", b"c"]
    with open(path, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file")
    assert ak.scan(path).to_pandas().to_dict("list") == {"g/x": [0, 1, 2], "text": ["a", "b", "c"]}
    assert ak.get_filetype(str(path)) == "HDF5"


@pytest.mark.parametrize("kind", [h5py.h5t.STD_I8BE, h5py.h5t.STD_U8BE])
@pytest.mark.parametrize("chunk", [None, (2,)])
def test_bytes_have_no_order(path, kind, chunk):
    with h5py.File(path, "w") as file:
        made = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if chunk:
            made.set_chunk(chunk)
        dataset = h5py.h5d.create(file.id, b"x", kind, h5py.h5s.create_simple((3,)), made)
        dataset.write(h5py.h5s.ALL, h5py.h5s.ALL, np.array([1, 2, 3], kind.dtype))
    assert (open_set(path)._files[0].slots[0, 0] >= 0) == (chunk is None)
    assert ak.read_hdf(path)["x"].tolist() == [1, 2, 3]
