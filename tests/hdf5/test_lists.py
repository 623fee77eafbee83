"""What is in files of SegArrays and of integers of any size, byte by byte, told and made by plain h5py."""

from itertools import accumulate, pairwise, product

import h5py
import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.columns.arrow import lists_of
from akdask.columns.bigint import from_ints
from akdask.columns.dtypes import BIGINT, BOOL, FLOAT64, INT64, STR, UINT64, list_of
from akdask.columns.table import Table
from akdask.errors import AkdaskError, FileFormatError, InconsistentFilesError, SchemaError, UnsupportedError
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.new_file import SetWriter
from akdask.storage.objects import ObjectSpec, ObjType

ITEMS = {"int64": INT64, "uint64": UINT64, "float64": FLOAT64, "bool": BOOL, "bigint": BIGINT, "str": STR}
STORED = {"int64": "<i8", "uint64": "<u8", "float64": "<f8", "bool": "|u1"}
ROWS = [0, 1, 7, 1000]
COUNTS = [1, 2, 5]


def value(kind, number):
    """Return a value of a kind, all different but for bools."""
    match kind:
        case "int64":
            return number - 3 if number else -(2**63)
        case "uint64":
            return 2**64 - 1 - number
        case "float64":
            return number / 2 if number else -0.0
        case "bool":
            return number % 3 == 0
        case "bigint":
            return [0, 2**64 - 1, 2**64, 2**200][number % 4] + number // 4
    return ["", "größe", "\U0001f43b", "x" * 40][number % 4] + str(number) * (number % 4)


def lists(kind, rows):
    """Return lists of 0 to 4 values."""
    lengths = [(row * 3) % 5 for row in range(rows)]
    starts = accumulate(lengths, initial=0)
    return [[value(kind, start + k) for k in range(length)] for start, length in zip(starts, lengths, strict=False)]


def as_column(kind, values):
    if kind == "bigint":
        return from_ints(values)
    return pa.array(values, pa.large_string()) if kind == "str" else np.array(values, kind)


def as_lists(kind, rows):
    offsets = np.array(list(accumulate(map(len, rows), initial=0)), np.int64)
    return lists_of(offsets, as_column(kind, [item for row in rows for item in row]))


def cut(rows, count):
    """Cut rows into shares, some of which are empty where there are few rows."""
    bounds = [-(-k * len(rows) // count) for k in range(count + 1)]
    return [rows[start:stop] for start, stop in pairwise(bounds)]


def limbs_of(numbers):
    return max([1, *(-(-number.bit_length() // 64) for number in numbers)])


def write(path, spec, columns, limbs, **options):
    writer = SetWriter(path, [spec], npartitions=len(columns), **options)
    writer.begin()
    try:
        tables = {"limbs": np.array([limbs])}
        receipts = [writer.write(k, Table({"x": c}, len(c)), tables) for k, c in enumerate(columns)]
    except BaseException:
        writer.abort()
        raise
    return writer.commit(receipts)


def attributes(node):
    """Return attributes by name, with their HDF5 types."""
    found = {}
    for name in node.attrs:
        attribute = node.attrs.get_id(name)
        assert attribute.shape == ()
        if name == "arkouda_version":
            assert attribute.get_type().get_strpad() == h5py.h5t.STR_NULLTERM
        else:
            expected = h5py.h5t.IEEE_F32LE if name == "file_version" else h5py.h5t.STD_I64LE
            assert attribute.get_type().equal(expected)
            found[name] = node.attrs[name].item()
    assert found.pop("file_version") == 2.0
    assert "arkouda_version" in node.attrs
    return found


def assert_dataset(dataset, stored, expected, is_bool=0):
    assert (dataset.dtype, dataset.ndim, dataset.chunks) == (np.dtype(stored), 1, None)
    assert dataset[:].tobytes() == np.array(expected, stored).tobytes()
    assert attributes(dataset) == {"ObjType": 1, "isBool": is_bool}


def assert_limbs(group, numbers, count, max_bits=-1):
    assert attributes(group) == {"ObjType": 1, "isBigInt": 1, "MaxBits": max_bits, "NumLimbs": count}
    assert set(group) == {f"Limb_{k}" for k in range(count)}
    for k in range(count):
        assert_dataset(group[f"Limb_{k}"], "<u8", [number >> 64 * k & (2**64 - 1) for number in numbers])


def assert_strings(group, texts):
    assert attributes(group) == {"ObjType": 2}
    encoded = [text.encode() + b"\0" for text in texts]
    assert_dataset(group["values"], "|u1", list(b"".join(encoded)))
    assert_dataset(group["segments"], "<i8", list(accumulate(map(len, encoded), initial=0))[:-1])


def assert_segarray(group, kind, rows, limbs):
    assert attributes(group) == {"ObjType": 3, **({"isBool": 1} if kind == "bool" else {})}
    assert_dataset(group["segments"], "<i8", list(accumulate(map(len, rows), initial=0))[:-1])
    assert group["segments"] == group["x_segments"]
    values = [item for row in rows for item in row]
    if kind == "bigint":
        assert_limbs(group["values"], values, limbs)
    elif kind == "str":
        assert_strings(group["values"], values)
    else:
        assert_dataset(group["values"], STORED[kind], values, is_bool=int(kind == "bool"))
        assert group["values"] == group["x_values"]


@pytest.mark.sampled(one_of=4)
@pytest.mark.parametrize("file_type", ["distribute", "single"])
@pytest.mark.parametrize(("count", "rows"), list(product(COUNTS, ROWS)))
@pytest.mark.parametrize("kind", ITEMS)
def test_segarrays_are_values_and_local_segments_with_all_attributes(tmp_path, kind, count, rows, file_type):
    everything = lists(kind, rows)
    shares = cut(everything, count)
    limbs = limbs_of([item for row in everything for item in row]) if kind == "bigint" else 1
    spec = ObjectSpec("x", ObjType.SEGARRAY, {"values": "x"}, {"limbs": "limbs"}, list_of(ITEMS[kind]))
    paths = write(tmp_path / "s.h5", spec, [as_lists(kind, share) for share in shares], limbs, file_type=file_type)
    for path, share in zip(paths, [everything] if file_type == "single" else shares, strict=True):
        with h5py.File(path) as file:
            assert_segarray(file["x"], kind, share, limbs)
    assert ak.read_hdf(paths)["x"].tolist() == everything


@pytest.mark.parametrize("file_type", ["distribute", "single"])
@pytest.mark.parametrize("rows", ROWS)
@pytest.mark.parametrize("count", COUNTS)
def test_integers_of_any_size_are_limbs_of_equal_number_in_all_files(tmp_path, read_set, count, rows, file_type):
    numbers = [value("bigint", row) for row in range(rows)]
    shares, limbs = cut(numbers, count), limbs_of(numbers)
    spec = ObjectSpec("x", ObjType.PDARRAY, {"values": "x"}, {"limbs": "limbs"}, BIGINT)
    paths = write(tmp_path / "b.h5", spec, [from_ints(share) for share in shares], limbs, file_type=file_type)
    for path, share in zip(paths, [numbers] if file_type == "single" else shares, strict=True):
        with h5py.File(path) as file:
            assert_limbs(file["x"], share, limbs)
    assert read_set(paths) == {"x": numbers}


@pytest.mark.parametrize("values", [[], [0], [2**64 - 1], [2**64], [2**200, 1], [0, 0, 2**64 - 1, 2**128]])
@pytest.mark.parametrize("max_bits", [-1, 64, 200])
def test_the_number_of_limbs_is_the_smallest_that_holds_the_elements_of_all_files(prefix, values, max_bits):
    kept = [number % 2**max_bits if max_bits > 0 else number for number in values]
    array = ak.concatenate(
        [ak.array(piece, dtype=ak.bigint, max_bits=max_bits) for piece in (values[:1], [], values[1:])]
    )
    array.to_hdf(prefix)
    for index, share in enumerate([kept[:1], [], kept[1:]]):
        with h5py.File(f"{prefix}_LOCALE000{index}") as file:
            assert_limbs(file["array"], share, limbs_of(kept), max_bits)
    found = ak.read_hdf(f"{prefix}_LOCALE*")["array"]
    assert (found.tolist(), found.max_bits, found.dtype) == (kept, max_bits, ak.bigint)


def test_integers_below_0_are_refused_unless_they_have_a_limit(prefix):
    array = ak.array([2**70, -1])
    with pytest.raises(SchemaError, match="max_bits"):
        array.to_hdf(prefix)
    assert not list(prefix.parent.iterdir())
    array.max_bits = 64
    array.to_hdf(prefix)
    assert ak.read_hdf(f"{prefix}_LOCALE*")["array"].tolist() == [2**70 % 2**64, 2**64 - 1]


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("step", [1, 3, 100])
def test_blocks_of_any_size_give_the_same_lists(tmp_path, read_column, kind, step):
    everything = lists(kind, 25)
    limbs = limbs_of([n for row in everything for n in row]) if kind == "bigint" else 1
    spec = ObjectSpec("x", ObjType.SEGARRAY, {"values": "x"}, {"limbs": "limbs"}, list_of(ITEMS[kind]))
    paths = write(tmp_path / "s.h5", spec, [as_lists(kind, share) for share in cut(everything, 2)], limbs)
    with ak.config.set(partition_size=20):
        column = open_set(paths).select()["x"].members["values"]
    assert len(column.source.lengths) > 2
    assert read_column(column, step) == everything


def test_reading_some_lists_reads_their_values_only(tmp_path):
    spec = ObjectSpec("x", ObjType.SEGARRAY, {"values": "x"}, {"limbs": "limbs"}, list_of(INT64))
    (path,) = write(
        tmp_path / "s.h5", spec, [as_lists("int64", [[1] * 1000, [2, 3], [4] * 1000])], 1, file_type="single"
    )
    column = open_set(path).select()["x"].members["values"]
    with column.source.part(0, ["x"]).open() as reader:
        read = []
        inner = reader._extents.read_into
        reader._extents.read_into = lambda out, extent, start: (
            read.append((extent.dataset, start, len(out))),
            inner(out, extent, start),
        )
        assert reader.read("x", 1, 2).to_pylist() == [[2, 3]]
    assert ("x/values", 1000, 2) in read
    assert sum(length for dataset, _, length in read if dataset == "x/values") == 2


# --------------------------------------------------------------------------------- what servers and others write


def server(path, name, kind, rows, limbs=None):
    """Write a share as servers do in distributed mode, with what they leave out of empty ones."""
    values = [item for row in rows for item in row]
    with h5py.File(path, "w", libver="earliest") as file:
        group = file.create_group(name)
        group.attrs["ObjType"] = 3
        if kind == "bool":
            group.attrs["isBool"] = 1
        group.create_dataset("segments", data=np.array(list(accumulate(map(len, rows), initial=0))[:-1], "<i8"))
        group["segments"].attrs["ObjType"] = 1
        if not rows or (not values and kind not in ("str", "bigint")):
            stored = {"str": "|u1", "bigint": "<u8", **STORED}[kind]
            group.create_dataset("values", data=np.empty(0, stored)).attrs["ObjType"] = 1
        elif kind == "str":
            inner = group.create_group("values")
            encoded = [text.encode() + b"\0" for text in values]
            inner.create_dataset("values", data=np.frombuffer(b"".join(encoded), np.uint8))
            inner.create_dataset("segments", data=np.array(list(accumulate(map(len, encoded), initial=0))[:-1], "<i8"))
        elif kind == "bigint":
            inner = group.create_group("values")
            count = limbs or limbs_of(values)
            inner.attrs.update({"isBigInt": 1, "MaxBits": -1, "NumLimbs": count, "ObjType": 1})
            if not values:
                inner.create_dataset("values", data=np.empty(0, "<u8"))
            for k in range(count if values else 0):
                limb = np.array([number >> 64 * k & (2**64 - 1) for number in values], "<u8")
                inner.create_dataset(f"Limb_{k}", data=limb)
        else:
            dataset = group.create_dataset("values", data=np.array(values, STORED[kind]))
            dataset.attrs["ObjType"] = 1
            if kind == "bool":
                dataset.attrs["isBool"] = 1


SHARES = {
    "all full": [[0, 1], [2]],
    "no rows first": [[], [0, 1], [2]],
    "no rows last": [[0, 1], [2], []],
    "no rows between": [[0], [], [1, 2]],
    "only empty lists first": [[None, None], [0, 1], [None]],
    "only empty lists last": [[0], [1, None, 2], [None, None]],
}


@pytest.mark.sampled(one_of=3)
@pytest.mark.parametrize("shares", SHARES)
@pytest.mark.parametrize("kind", ITEMS)
def test_shares_that_servers_leave_irregular_are_read(tmp_path, read_set, kind, shares):
    expected = []
    for index, share in enumerate(SHARES[shares]):
        rows = [[] if row is None else [value(kind, 4 * row + k) for k in range(3)] for row in share]
        server(tmp_path / f"d_LOCALE000{index}", "sa", kind, rows)
        expected += rows
    assert read_set(str(tmp_path / "d_LOCALE*")) == {"sa": expected}
    column = open_set(str(tmp_path / "d_LOCALE*")).select()["sa"].members["values"]
    assert column.source.columns["sa"] == list_of(ITEMS[kind])
    assert ak.read_hdf(str(tmp_path / "d_LOCALE*"))["sa"].tolist() == expected


@pytest.mark.parametrize("kind", ITEMS)
@pytest.mark.parametrize("rows", [[], [[]], [[], [], []]])
def test_sets_without_any_values_have_lists_of_the_right_length(tmp_path, kind, rows):
    for index in range(2):
        server(tmp_path / f"d_LOCALE000{index}", "sa", kind, rows)
    found = ak.read_hdf(str(tmp_path / "d_LOCALE*"))["sa"]
    assert found.tolist() == 2 * rows
    assert found.size == 2 * len(rows)
    assert found.values.size == 0
    if kind in ("int64", "float64", "bool"):
        assert found.dtype == np.dtype(kind)


def test_every_file_has_its_own_number_of_limbs(tmp_path, read_set):
    server(tmp_path / "d_LOCALE0000", "sa", "bigint", [[1, 2]])
    server(tmp_path / "d_LOCALE0001", "sa", "bigint", [[2**200], [2**64 - 1]])
    server(tmp_path / "d_LOCALE0002", "sa", "bigint", [[2**70]], limbs=5)
    assert read_set(str(tmp_path / "d_LOCALE*")) == {"sa": [[1, 2], [2**200], [2**64 - 1], [2**70]]}


@pytest.mark.parametrize("names", [("Values", "Offsets"), ("sa_values", "sa_segments"), ("values", "offsets")])
def test_members_are_found_under_the_names_of_the_documents(tmp_path, read_set, names):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["sa/" + names[0]] = np.array([1.5, 2.5])
        file["sa/" + names[1]] = np.array([0, 0], np.int32)
        file["sa"].attrs["ObjType"] = 3
    assert read_set(tmp_path / "f.h5") == {"sa": [[], [1.5, 2.5]]}


def test_without_an_objtype_groups_are_told_by_their_members(tmp_path, read_set):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["sa/values"], file["sa/segments"] = np.array([1, 2]), np.array([0, 1])
        file["texts/values/values"] = np.frombuffer(b"a\0", np.uint8)
        file["texts/values/segments"], file["texts/segments"] = np.array([0]), np.array([0, 1])
        file["big/Limb_0"], file["big/Limb_1"] = np.array([5], "<u8"), np.array([1], ">u8")
    assert read_set(tmp_path / "f.h5") == {"big": [2**64 + 5], "sa": [[1], [2]], "texts": [["a"], []]}


# ----------------------------------------------------------------------------------------------- damaged files


@pytest.mark.parametrize("segments", [[0, 3, 2], [0, 2, 9], [1, 2, 3], [-1, 0, 1], [0, 2**62, 3]])
def test_segments_that_do_not_fit_are_errors_that_name_the_file(tmp_path, segments):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        file["sa/values"], file["sa/segments"] = np.arange(4), np.array(segments)
    with pytest.raises(FileFormatError, match="sa/") as caught:
        ak.read_hdf(tmp_path / "f.h5")["sa"].tolist()
    assert "f.h5" in str(caught.value)


def damage(file, what):
    file["b/Limb_0"], file["b/Limb_1"] = np.arange(3, dtype="<u8"), np.arange(3, dtype="<u8")
    file["b"].attrs.update({"isBigInt": 1, "NumLimbs": 2, "ObjType": 1})
    match what:
        case "limb missing":
            del file["b/Limb_1"]
        case "no limbs":
            del file["b/Limb_0"]
            del file["b/Limb_1"]
        case "limbs of different lengths":
            del file["b/Limb_1"]
            file["b/Limb_1"] = np.arange(2, dtype="<u8")
        case "limb of floats":
            del file["b/Limb_1"]
            file["b/Limb_1"] = np.arange(3.0)
        case "absurd number":
            file["b"].attrs["NumLimbs"] = 2**40
        case "negative number":
            file["b"].attrs["NumLimbs"] = -1


@pytest.mark.parametrize(
    "what",
    ["limb missing", "no limbs", "limbs of different lengths", "limb of floats", "absurd number", "negative number"],
)
def test_groups_of_limbs_that_do_not_fit_are_refused(tmp_path, what):
    with h5py.File(tmp_path / "f.h5", "w") as file:
        damage(file, what)
        file["fine"] = np.arange(3)
    with pytest.raises(UnsupportedError, match="'b'"):
        ak.read_hdf(tmp_path / "f.h5", "b")
    with pytest.warns(RuntimeWarning, match=r"leaves out[\s\S]*'b'"):
        assert list(ak.read_hdf(tmp_path / "f.h5")) == ["fine"]
    assert ak.read_hdf(tmp_path / "f.h5", ["fine"])["fine"].tolist() == [0, 1, 2]


def test_files_that_disagree_about_the_values_are_refused(tmp_path):
    server(tmp_path / "d_LOCALE0000", "sa", "int64", [[1]])
    server(tmp_path / "d_LOCALE0001", "sa", "str", [["a"]])
    with pytest.raises(InconsistentFilesError, match="list"):
        ak.read_hdf(str(tmp_path / "d_LOCALE*"))


@pytest.mark.lazy_only
def test_a_file_cut_short_is_an_error(tmp_path):
    server(tmp_path / "d.h5", "sa", "int64", [list(range(10_000))])
    opened = ak.read_hdf(tmp_path / "d.h5")["sa"]
    with open(tmp_path / "d.h5", "r+b") as file:
        file.truncate(4000)
    with pytest.raises(AkdaskError):
        opened.tolist()
