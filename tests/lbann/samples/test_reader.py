"""Samples are read from files of any structure, one or many at once."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import h5py
import numpy as np
import pytest
from h5py import h5d, h5p, h5s, h5t
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from akdask.errors import AlignmentError
from akdask.formats.hdf5.group_templates import BY_LIBRARY, Located
from akdask.lbann import reader as reading
from akdask.lbann import schema
from akdask.lbann.errors import (
    LbannError,
    MissingSampleError,
    SampleError,
    SampleSizeError,
    SampleTypeError,
    UnknownNameError,
)
from akdask.lbann.reader import SampleReader

DATA = """
Image: {metadata: {ordering: 0, dims: [4, 3], channels: 1, scale: 0.5, bias: 1.0}}
inputs:
  Epmax: {metadata: {ordering: 10, scale: 0.1, bias: -1.0}}
  T: {metadata: {ordering: 5}}
count: {metadata: {ordering: 7}}
"""
EXPERIMENT = """
Image: {metadata: {pack: samples, coerce: float}}
inputs: {metadata: {pack: responses}}
count:
"""
FIELDS = schema.merge(schema.load(DATA), schema.load(EXPERIMENT))


def compact(group, name, value):
    made = h5p.create(h5p.DATASET_CREATE)
    made.set_layout(h5d.COMPACT)
    values = np.asarray(value)
    dataset = h5d.create(group.id, name.encode(), h5t.py_create(values.dtype), h5s.create_simple(values.shape), made)
    dataset.write(h5s.ALL, h5s.ALL, values)


STRUCTURES = {
    "old": ({}, None, None),
    "new": ({"libver": "latest"}, None, None),
    "dense": ({"libver": "latest"}, None, None),
    "ordered": ({}, True, None),
    "compact": ({}, True, compact),
    "chunked": ({}, None, None),
    "extended": ({"fs_strategy": "page"}, None, None),
    "user block": ({"userblock_size": 512}, None, None),
}


def write(path, n, structure="old", first=0, dtype="f8"):
    """Write samples, and return what must be read of them."""
    options, track, store = STRUCTURES[structure]
    random = np.random.default_rng(first)
    expected = {"samples": [], "responses": [], "count": []}
    with h5py.File(path, "w", **options) as file:
        for position in range(first, first + n):
            sample = file.create_group(f"RUN/{position:06d}", track_order=track)
            image, energy, temperature = random.random((4, 3)), position + 0.5, position * 2.0
            fields = {"Image": image, "T": temperature, "Epmax": energy, "count": position}
            for name, value in fields.items():
                group = sample if name in {"Image", "count"} else sample.require_group("inputs")
                array = np.asarray(value, "i4" if name == "count" else dtype)
                if store is not None:
                    store(group, name, array)
                elif structure == "chunked" and array.ndim:
                    group.create_dataset(name, data=array, chunks=True, compression="gzip")
                else:
                    group[name] = array
            if structure == "dense":  # more links than a header takes
                for number in range(50):
                    sample[f"inputs/more_{number}"] = number
            single = image.astype(dtype).astype("f4").astype("f8").ravel()
            expected["samples"].append((single * 0.5 + 1.0).astype("f4"))
            expected["responses"].append(np.array([temperature, energy * 0.1 - 1.0], dtype).astype(dtype))
            expected["count"].append(np.array([position], "i4"))
    return {name: np.array(rows) for name, rows in expected.items()}


def ids(*positions):
    return [f"RUN/{position:06d}" for position in positions]


def check(found, expected, rows):
    assert list(found) == ["samples", "responses", "count"]
    for name, values in found.items():
        assert values.dtype == expected[name].dtype.newbyteorder("=")
        np.testing.assert_array_max_ulp(values.astype("f8"), expected[name][rows].astype("f8"), maxulp=1)


@pytest.mark.parametrize("structure", STRUCTURES)
def test_samples_of_files_of_all_structures(tmp_path, structure):
    path = str(tmp_path / "f.h5")
    expected = write(path, 40, structure)
    reader = SampleReader(FIELDS)
    order = np.random.default_rng(1).permutation(40)
    for rows in (order[:1], order, order[::-1], np.array([3, 3, 5])):
        check(reader.read_batch(path, ids(*rows)), expected, rows)
    one = reader.read(path, "/RUN/000007")
    assert {name: values.tobytes() for name, values in one.items()} == {
        name: values[0].tobytes() for name, values in reader.read_batch(path, ids(7)).items()
    }


def test_big_endian_samples_are_read_in_native_order(tmp_path):
    path = str(tmp_path / "f.h5")
    expected = write(path, 5, dtype=">f8")
    check(SampleReader(FIELDS).read_batch(path, ids(*range(5))), expected, slice(None))


def test_samples_of_many_files_come_in_the_order_that_was_asked_for(tmp_path):
    structures = ["old", "new", "compact", "chunked", "ordered"]
    paths = [str(tmp_path / f"{structure}.h5") for structure in structures]
    parts = [
        write(path, 9, structure, first=100 * k)
        for k, (path, structure) in enumerate(zip(paths, structures, strict=True))
    ]
    random = np.random.default_rng(3)
    files, rows = random.integers(0, 5, 64), random.integers(0, 9, 64)
    reader = SampleReader(FIELDS)
    for _ in range(3):
        found = reader.read_samples(
            [paths[k] for k in files], [f"RUN/{100 * k + row:06d}" for k, row in zip(files, rows, strict=True)]
        )
        for name, values in found.items():
            wanted = np.array([parts[k][name][row] for k, row in zip(files, rows, strict=True)])
            np.testing.assert_array_max_ulp(values.astype("f8"), wanted.astype("f8"), maxulp=1)


def without_locations(file, groups, paths):
    return Located((), np.full(len(groups), BY_LIBRARY), np.full((len(groups), len(paths)), -1))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)
@given(st.data())
def test_what_is_read_by_offsets_is_what_the_library_reads(tmp_path_factory, data):
    folder = tmp_path_factory.mktemp("files")
    structure = data.draw(st.sampled_from(list(STRUCTURES)))
    dtype = data.draw(st.sampled_from(["f4", "f8", ">f4", ">f8"]))
    n = data.draw(st.integers(1, 20))
    path = str(folder / "f.h5")
    write(path, n, structure, dtype=dtype)
    rows = data.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=30))
    found = SampleReader(FIELDS).read_batch(path, ids(*rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "locate", without_locations)
        expected = SampleReader(FIELDS).read_batch(path, ids(*rows))
    singly = [SampleReader(FIELDS).read(path, one) for one in ids(*rows)]
    for name, values in found.items():
        assert values.tobytes() == expected[name].tobytes()
        assert values.tobytes() == b"".join(one[name].tobytes() for one in singly)


def test_large_fields_go_straight_to_their_place_and_are_transformed(tmp_path):
    path = str(tmp_path / "f.h5")
    volumes = np.random.default_rng(0).random((3, 2, 30, 30, 30)).astype("f4")
    with h5py.File(path, "w") as file:
        for row, volume in enumerate(volumes):
            file[f"{row}/plain"], file[f"{row}/scaled"], file[f"{row}/wide"] = volume, volume, volume.astype("f8")
            file[f"{row}/last"] = np.moveaxis(volume, 0, -1)
    text = """
    plain: {metadata: {pack: g, ordering: 2}}
    scaled: {metadata: {pack: g, ordering: 1, scale: 2.0, bias: 1.0}}
    wide: {metadata: {coerce: float}}
    last: {metadata: {dims: [30, 30, 30], channels: 2, layout: dhwc, transpose: cdhw}}
    """
    reader = SampleReader(schema.merge(schema.load(text)), keep_packed_fields=True)
    found = reader.read_batch(path, ["2", "0", "1"])
    flat = volumes.reshape(3, -1)[[2, 0, 1]]
    assert found["g"][:, 54_000:].tobytes() == flat.tobytes()
    assert found["g"][:, :54_000].tobytes() == (flat.astype("f8") * 2 + 1).astype("f4").tobytes()
    assert found["plain"].tobytes() == found["wide"].tobytes() == found["last"].tobytes() == flat.tobytes()
    assert reader.dims_of("last") == (2, 30, 30, 30)


def test_arrays_that_are_given_take_the_values(tmp_path):
    path = str(tmp_path / "f.h5")
    expected = write(path, 4)
    reader = SampleReader(FIELDS)
    out = reader.read_batch(path, ids(0, 0, 0))
    assert reader.read_samples([path] * 3, ids(1, 2, 3), out)["samples"] is out["samples"]
    check(out, expected, [1, 2, 3])


def test_readers_are_pickled_without_files_and_used_by_threads(tmp_path):
    paths = [str(tmp_path / f"{k}.h5") for k in range(4)]
    expected = [write(path, 30, first=30 * k) for k, path in enumerate(paths)]
    reader = SampleReader(FIELDS)
    reader.read(paths[0], ids(0)[0])
    copy = pickle.loads(pickle.dumps(reader))
    assert copy.size_of("datum") == reader.size_of("samples") == 12
    with ThreadPoolExecutor(8) as pool:
        tasks = [
            pool.submit(copy.read_batch, paths[k % 4], ids(*range(30 * (k % 4), 30 * (k % 4) + 30))) for k in range(40)
        ]
        for k, task in enumerate(tasks):
            check(task.result(), expected[k % 4], slice(None))


@pytest.mark.slow
def test_a_forked_process_reads_on(tmp_path):
    path = str(tmp_path / "f.h5")
    expected = write(path, 30)
    reader = SampleReader(FIELDS)
    reader.read_batch(path, ids(*range(30)))
    child = os.fork()
    if not child:
        try:
            check(reader.read_batch(path, ids(*range(30))), expected, slice(None))
        except BaseException:
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    check(reader.read_batch(path, ids(*range(30))), expected, slice(None))


def test_users_may_open_and_replace_files_that_were_read(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path, 12)
    reader = SampleReader(FIELDS)
    reader.read_batch(path, ids(*range(12)))
    with h5py.File(path, "a") as file:
        file["RUN/000003/inputs/T"][()] = 99.0
        del file["RUN/000004"]
    assert reader.read(path, ids(3)[0])["responses"][0] == 99.0
    with pytest.raises(MissingSampleError):
        reader.read(path, ids(4)[0])
    expected = write(path, 5, "new", first=7)
    check(reader.read_batch(path, ids(8, 9)), expected, [1, 2])


def test_sizes_are_known_after_the_first_sample(tmp_path):
    reader = SampleReader(FIELDS)
    assert reader.names == ("samples", "responses", "count")
    for ask in (reader.size_of, reader.dims_of, reader.dtype_of):
        with pytest.raises(LbannError, match="none has been read"):
            ask("samples")
        with pytest.raises(UnknownNameError):
            ask("labels")
    assert {name: values.shape for name, values in reader.read_samples([], []).items()} == dict.fromkeys(
        reader.names, (0, 0)
    )
    path = str(tmp_path / "f.h5")
    write(path, 1)
    reader.read(path, ids(0)[0])
    assert (reader.size_of("samples"), reader.dims_of("count"), reader.dtype_of("responses")) == (12, (1,), np.float64)
    assert reader.read_samples([], [])["samples"].shape == (0, 12)


def test_fields_that_no_wanted_name_needs_are_not_read(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path, 2)
    with h5py.File(path, "a") as file:
        del file["RUN/000000/count"], file["RUN/000000/Image"]
    reader = SampleReader(FIELDS, keep_packed_fields=True)
    assert list(reader.select(["response"]).read(path, ids(0)[0])) == ["responses", "inputs/Epmax", "inputs/T"]
    assert list(reader.select(["inputs/T"]).read(path, ids(0)[0])) == ["inputs/T"]
    with pytest.raises(UnknownNameError):
        reader.select(["labels"])


def test_text_is_read(tmp_path):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w") as file:
        file["1/a"], file["2/a"] = "é", np.array([b"xyz"])
    reader = SampleReader(schema.merge(schema.load("a:\nb:\n"), schema.load("a:\n\n")))
    found = reader.read_batch(path, ["2", "1"])["a"]
    assert found.tolist() == [["xyz"], ["é"]]
    assert found.dtype.kind == "U"


def test_a_null_dataspace_has_no_elements(tmp_path):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w") as file:
        file["1/a"] = h5py.Empty("f4")
    assert SampleReader(schema.merge(schema.load("a:\n\n"))).read(path, "1")["a"].shape == (0,)


def test_data_that_was_never_written_has_its_fill_value(tmp_path):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w") as file:
        for k in range(3):
            file.create_dataset(f"{k}/a", (4,), "f4", fillvalue=k + 0.5)
    found = SampleReader(schema.merge(schema.load("a:\n\n"))).read_batch(path, ["0", "1", "2"])["a"]
    assert found.tolist() == [[0.5] * 4, [1.5] * 4, [2.5] * 4]


def test_links_within_the_file_are_followed(tmp_path):
    path = str(tmp_path / "f.h5")
    with h5py.File(path, "w") as file:
        file["1/a"], file["2/b"] = 1.0, 2.0
        file["2/a"] = h5py.SoftLink("/2/b")
        file["3"] = h5py.SoftLink("/1")
    reader = SampleReader(schema.merge(schema.load("a:\n\n")))
    assert reader.read_batch(path, ["1", "2", "3"])["a"].ravel().tolist() == [1.0, 2.0, 1.0]


BAD = {
    "missing": (MissingSampleError, "is not there", lambda s: s.pop("T")),
    "group": (MissingSampleError, "is a group", lambda s: s["T"].clear()),
    "bool": (SampleTypeError, "enumeration", lambda s: s.update(T=True)),
    "half": (SampleTypeError, "float16", lambda s: s.update(T=np.float16(1))),
    "compound": (SampleTypeError, "compounds", lambda s: s.update(T=np.zeros((), [("a", "f4")]))),
    "complex": (SampleTypeError, "neither numbers", lambda s: s.update(T=1j)),
    "text": (SampleTypeError, "text", lambda s: s.update(T="text")),
    "integer": (SampleTypeError, "only float32 and float64 are packed", lambda s: s.update(T=np.int8(1))),
    "single": (SampleTypeError, "two types", lambda s: s.update(T=np.float32(1))),
    "size": (SampleSizeError, "2 elements, but 1", lambda s: s.update(T=np.zeros(2))),
    "outside": (MissingSampleError, "other file", lambda s: s.update(T=h5py.ExternalLink("g.h5", "/T"))),
}


@pytest.mark.parametrize("kind", BAD)
@pytest.mark.parametrize("by_library", [False, True])
def test_bad_fields_are_told_by_file_sample_and_field(tmp_path, kind, by_library, monkeypatch):
    path = str(tmp_path / "f.h5")
    write(path, 3)
    error, message, change = BAD[kind]
    sample = {"T": {"x": 1.0}}
    change(sample)
    with h5py.File(path, "a") as file:
        inputs = file["RUN/000001/inputs"]
        del inputs["T"]
        if kind == "group":
            inputs.create_group("T")
        elif sample:
            inputs["T"] = sample["T"]
    if by_library:
        monkeypatch.setattr(reading, "locate", without_locations)
    reader = SampleReader(FIELDS)
    with pytest.raises(error, match=message) as caught:
        reader.read_batch(path, ids(0, 1, 2))
    assert (caught.value.file, caught.value.sample) == (path, "RUN/000001")
    assert caught.value.field in {"inputs/T", "inputs/Epmax"}
    assert caught.value.field == "inputs/T" or kind == "single"
    check_rest = reader.read_batch(path, ids(0, 2))
    assert check_rest["count"].ravel().tolist() == [0, 2]


def test_a_sample_that_is_not_there_is_told(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path, 20)
    reader = SampleReader(FIELDS)
    for wanted in (["RUN/x"], [*ids(*range(20)), "RUN/x"], ["nowhere/000001", *ids(3)], ["RUN/000001/Image"]):
        with pytest.raises(MissingSampleError, match="no such sample") as caught:
            reader.read_batch(path, wanted)
        assert caught.value.sample in {"RUN/x", "nowhere/000001", "RUN/000001/Image"}


def test_metadata_that_is_written_as_a_field_is_told(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path, 1)
    reader = SampleReader(schema.merge(schema.load("Image:\n  ordering:\n")))
    with pytest.raises(MissingSampleError, match="belongs into a 'metadata' map"):
        reader.read(path, ids(0)[0])


def test_a_name_that_was_probably_meant_is_told(tmp_path):
    path = str(tmp_path / "f.h5")
    write(path, 1)
    for text in ("Images:\n\n", "inputs:\n  Epmx:\n"):
        with pytest.raises(MissingSampleError, match=r"did you mean '(Image|Epmax)'"):
            SampleReader(schema.merge(schema.load(text))).read(path, ids(0)[0])


def test_files_that_cannot_be_read_are_told(tmp_path):
    (tmp_path / "text.h5").write_text("no HDF5" * 100)
    (tmp_path / "empty.h5").write_text("")
    os.mkfifo(tmp_path / "pipe.h5")
    (tmp_path / "folder.h5").mkdir()
    reader = SampleReader(FIELDS)
    for name in ("text.h5", "empty.h5", "pipe.h5", "folder.h5", "a\0b"):
        with pytest.raises(SampleError, match="cannot be read") as caught:
            reader.read(str(tmp_path / name), "RUN/1")
        assert caught.value.file == str(tmp_path / name)
    with pytest.raises(SampleError, match="no HDF5 file"):
        reader.read(str(tmp_path / "text.h5"), "RUN/1")
    with pytest.raises(MissingSampleError, match="no such file"):
        reader.read(str(tmp_path / "nowhere.h5"), "RUN/1")
    with pytest.raises(AlignmentError):
        reader.read_samples(["a"], [])


@pytest.mark.parametrize("structure", ["old", "new", "dense", "compact"])
def test_damaged_files_are_errors_and_never_crash(tmp_path, structure):
    path = tmp_path / "f.h5"
    expected = write(path, 12, structure)
    content = path.read_bytes()
    random = np.random.default_rng(0)
    for trial in range(40):
        damaged = bytearray(content)
        if trial % 4 == 0:
            del damaged[int(random.integers(100, len(content))) :]
        else:
            for place in random.integers(0, len(content), 12):
                damaged[place] = int(random.integers(0, 256))
        other = tmp_path / f"{trial}.h5"
        other.write_bytes(damaged)
        with suppress(LbannError):
            found = SampleReader(FIELDS).read_batch(str(other), ids(*range(12)))
            assert found["samples"].shape == expected["samples"].shape


def test_fields_that_are_no_floats_are_noticed_once(tmp_path, caplog):
    write(str(tmp_path / "f.h5"), 3)
    reader = SampleReader(FIELDS)
    with caplog.at_level("INFO", "akdask.lbann"):
        for row in (0, 2):
            reader.read(str(tmp_path / "f.h5"), ids(row)[0])
    assert [record.message.split(" in ")[0] for record in caplog.records] == ["field 'count' is int32"]


def test_fields_that_only_the_library_can_read_may_be_stored_in_several_ways(tmp_path):
    path = str(tmp_path / "f.h5")
    stored = ["f8", "f4", ">i2", "f8", "u1"]
    with h5py.File(path, "w") as file:
        for k, dtype in enumerate(stored):
            file.create_dataset(f"{k}/a", data=np.full(3, k, dtype), chunks=(2,))
            file[f"{k}/b"] = float(k)
    reader = SampleReader(schema.merge(schema.load("metadata: {coerce: float}\na:\nb:\n")))
    for rows in ([0, 1, 2, 3, 4], [4, 2, 0], [1, 1]):
        found = reader.read_batch(path, [str(row) for row in rows])
        assert found["a"].tolist() == [[row] * 3 for row in rows]
        assert found["b"].tolist() == [[row] for row in rows]


def test_data_in_other_files_is_not_read_and_impossible_sizes_take_no_memory(tmp_path):
    path = str(tmp_path / "f.h5")
    (tmp_path / "secret").write_bytes(bytes(80))
    with h5py.File(path, "w") as file:
        file.create_dataset("external/a", (10,), "f8", external=[(str(tmp_path / "secret"), 0, 80)])
        layout = h5py.VirtualLayout((10,), "f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "g.h5"), "a", (10,))
        file.create_group("virtual").create_virtual_dataset("a", layout)
        file.create_dataset("huge/a", (2**50,), "f8", chunks=(2**16,))
        file["plain/a"] = np.arange(10.0)
    reader = SampleReader(schema.merge(schema.load("a:\n\n")))
    for sample, message in {"external": "other files", "virtual": "other files", "huge": "claims"}.items():
        for _ in range(2):
            with pytest.raises(MissingSampleError, match=message):
                reader.read_batch(path, [sample])
    assert reader.read(path, "plain")["a"].tolist() == list(range(10))
