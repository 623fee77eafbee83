"""Checkpoints: a real one of a server is read, and plain pyarrow reads what is written."""

import json
import os
import resource
import shutil
import struct
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ExistsError,
    FileError,
    FileFormatError,
    MissingFileError,
    TransferError,
    UnsupportedError,
    WriteError,
)

VALUES = {
    "a": np.arange(-3, 4),
    "u": np.array([0, 2**64 - 1, 5], np.uint64),
    "f": np.array([np.nan, -0.0, np.inf]),
    "b": np.array([True, False, True]),
    "none": np.array([], np.int64),
}


@pytest.fixture(params=[1, 2])
def saved(request, tmp_path):
    with ak.config.set(small_array=100 if request.param == 1 else 1):
        session = {name: ak.array(values) for name, values in VALUES.items()}
        session |= {"text": ak.array(["left out"]), "save": ak.save_checkpoint, "path": tmp_path / "folder"}
        exec("name = save('mine', path)", session)
    assert session["name"] == "mine"
    return tmp_path / "folder" / "mine"


def test_a_checkpoint_of_a_server_has_its_values(shared_fixtures):
    found = ak.load_checkpoint("id_9joRTHi_", shared_fixtures / "arkouda" / "checkpoint")
    assert list(found) == ["id_9joRTHi_21"]
    assert found["id_9joRTHi_21"].dtype == np.int64
    assert found["id_9joRTHi_21"].tolist() == [0, 0, 2, 0, 0, 0, 0, 0, 0, 0]


def test_arrays_come_back_with_values_and_types(saved):
    found = ak.load_checkpoint("mine", saved.parent)
    assert set(found) == set(VALUES)
    for name, values in VALUES.items():
        assert found[name].dtype == values.dtype
        np.testing.assert_array_equal(found[name].to_ndarray(), values)


def test_files_are_what_servers_write(saved):
    server = json.loads((saved / "server.md").read_text())
    count = server["numLocales"]
    assert server == {"serverid": "mine", "numLocales": count}
    for name, values in VALUES.items():
        first, about, *chunks = map(json.loads, (saved / f"{name}.md").read_text().splitlines())
        assert first == {"entryName": name, "entryType": "PrimitiveTypedArraySymEntry"}
        assert about == {
            "dtype": values.dtype.name,
            "size": len(values),
            "ndim": 1,
            "numTargetLocales": count,
            "numChunks": count,
        }
        assert [chunk["filename"] for chunk in chunks] == [
            f"folder/mine/{name}_LOCALE{number:04d}.data" for number in range(count)
        ]
        parts = []
        for number, chunk in enumerate(chunks):
            file = pq.ParquetFile(saved / f"{name}_LOCALE{number:04d}.data")
            (column,) = file.schema
            assert (column.name, column.max_definition_level) == ("data", 0)
            assert file.metadata.metadata is None
            parts.append(file.read().column("data").to_numpy())
            assert len(parts[-1]) == chunk["numElems"]
        np.testing.assert_array_equal(np.concatenate(parts), values)


def test_lines_are_spelt_as_servers_spell_them(saved):
    line = (saved / "server.md").read_text().splitlines()[0]
    assert line.startswith('{"serverid":"mine", "numLocales":')


def test_modes_replace_keep_or_refuse(tmp_path):
    a = ak.array([1])
    ak.save_checkpoint("c", tmp_path)
    a = ak.array([2])
    with pytest.raises(ExistsError):
        ak.save_checkpoint("c", tmp_path, mode="error")
    ak.save_checkpoint("c", tmp_path, mode="preserve_previous")
    assert ak.load_checkpoint("c.prev", tmp_path)["a"].tolist() == [1]
    a = ak.array([3])
    ak.save_checkpoint("c", tmp_path)
    assert ak.load_checkpoint("c", tmp_path)["a"].tolist() == a.tolist() == [3]
    assert sorted(item.name for item in tmp_path.iterdir()) == ["c", "c.prev"]


@pytest.mark.parametrize("name", ["c", "c.prev"])
@pytest.mark.parametrize("kind", ["files", "foreign server.md", "checkpoint with notes", "empty", "file", "link"])
def test_what_is_no_checkpoint_is_not_replaced(tmp_path, name, kind):
    a = ak.array([1])
    ak.save_checkpoint("c", tmp_path)
    ak.save_checkpoint("real", tmp_path)
    there = tmp_path / name
    if there.exists():
        shutil.rmtree(there)
    if kind == "link":
        there.symlink_to(tmp_path / "real")
    elif kind == "file":
        there.write_text("thesis")
    elif kind == "checkpoint with notes":
        shutil.copytree(tmp_path / "real", there)
        (there / "notes.txt").write_text("thesis")
    else:
        there.mkdir()
        if kind != "empty":
            (there / ("server.md" if kind == "foreign server.md" else "thesis.tex")).write_text("# thesis")
    before = listed(tmp_path)
    a = ak.array([2])
    with pytest.raises(ExistsError, match="is no checkpoint") as caught:
        ak.save_checkpoint("c", tmp_path, mode="preserve_previous")
    assert str(there) in str(caught.value)
    assert "another name" in caught.value.hint
    assert listed(tmp_path) == before
    assert a.size == 1


def listed(folder):
    return {path: path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_a_full_disk_is_told_with_what_to_do(tmp_path):
    a, b = ak.arange(100_000), ak.array([2**70] * 1000)
    ak.save_checkpoint("c", tmp_path)
    before = listed(tmp_path)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    for most in (0, 500, 5_000, 50_000):
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, limit[1]))
        try:
            with pytest.raises(WriteError, match="File too large") as caught:
                ak.save_checkpoint("c", tmp_path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limit)
        assert caught.value.hint
        assert listed(tmp_path) == before
    (tmp_path / "file").touch()
    with pytest.raises(WriteError, match="cannot write"):
        ak.save_checkpoint("c", tmp_path / "file")
    assert (a.size, b.size) == (100_000, 1000)


def test_a_reader_finds_one_checkpoint_while_it_is_replaced(tmp_path):
    def save(number):
        a, b = ak.array([number] * 10), ak.array([number])
        assert (a.size, b.size) == (10, 1)
        ak.save_checkpoint("c", tmp_path)

    save(0)
    with ThreadPoolExecutor(1) as pool:
        saving = pool.submit(lambda: [save(number) for number in range(1, 15)])
        while not saving.done():
            found = ak.load_checkpoint("c", tmp_path)
            assert found["a"].tolist() == found["b"].tolist() * 10
        saving.result()
    assert ak.load_checkpoint("c", tmp_path)["b"].tolist() == [14]


@pytest.mark.parametrize("name", ["server.md", "a.md", "a_LOCALE0000.data"])
@pytest.mark.parametrize("kind", ["fifo", "link", "folder"])
def test_what_is_no_file_in_a_checkpoint_is_refused(saved, tmp_path, name, kind):
    os.rename(saved / name, tmp_path / "elsewhere")
    match kind:
        case "fifo":
            os.mkfifo(saved / name)
        case "link":
            (saved / name).symlink_to(tmp_path / "elsewhere")
        case _:
            (saved / name).mkdir()
    if (name, kind) == ("server.md", "link"):
        assert ak.load_checkpoint("mine", saved.parent)  # nothing of it is used
        return
    with pytest.raises(FileError):
        ak.load_checkpoint("mine", saved.parent)


def test_what_cannot_be_written_is_said(tmp_path):
    with pytest.raises(FileError, match="nothing to write"):
        ak.save_checkpoint("c", tmp_path)
    a = ak.arange(3)
    for name in ("a/b", ".."):
        with pytest.raises(ArgumentError, match="no name"):
            ak.save_checkpoint(name, tmp_path)
    with pytest.raises(ArgumentError, match="mode"):
        ak.save_checkpoint("c", tmp_path, mode="append")
    assert a.size == 3
    assert not list(tmp_path.iterdir())


def test_integers_of_any_size_are_read(tmp_path):
    folder = tmp_path / "big"
    folder.mkdir()
    (folder / "server.md").write_text('{"serverid":"big", "numLocales":2}\n')
    shares = [[0, 1, -(2**70)], [2**64, -5]]
    about = '{"dtype":"bigint", "size":5, "ndim":1, "numTargetLocales":2, "numChunks":0}'
    first = '{"entryName":"b", "entryType":"PrimitiveTypedArraySymEntry"}'
    (folder / "b.md").write_text(f"{first}\n{about}\n.akdata/big/b\n")
    for number, share in enumerate(shares, 1):
        data = struct.pack("=Q", len(share))
        for value in share:
            magnitude = abs(value).to_bytes((abs(value).bit_length() + 7) // 8, "big")
            data += struct.pack("=I", len(magnitude) | (value < 0) << 31) + magnitude
        (folder / f"b_LOCALE{number:04d}.bin").write_bytes(data)
    assert ak.load_checkpoint("big", tmp_path)["b"].tolist() == [*shares[0], *shares[1]]
    (folder / "b_LOCALE0002.bin").write_bytes(data[:-1])
    with pytest.raises(FileFormatError, match="beyond"):
        ak.load_checkpoint("big", tmp_path)
    (folder / "b_LOCALE0002.bin").unlink()
    with pytest.raises(FileFormatError, match="tells of 5"):
        ak.load_checkpoint("big", tmp_path)


@pytest.mark.parametrize("small", [100, 1])
def test_integers_of_any_size_are_written(small, tmp_path):
    values = [0, 2**64, -(2**70), 255, -1]
    with ak.config.set(small_array=small):
        session = {"b": ak.array(values), "n": ak.arange(3), "save": ak.save_checkpoint, "path": tmp_path}
        exec("save('big', path)", session)
    folder = tmp_path / "big"
    _, about, base = (folder / "b.md").read_text().splitlines()
    assert json.loads(about)["numChunks"] == 0
    assert base == f"{tmp_path.name}/big/b"
    found = []
    for number in range(1, json.loads(about)["numTargetLocales"] + 1):
        data = (folder / f"b_LOCALE{number:04d}.bin").read_bytes()
        (count,), position = struct.unpack_from("=Q", data), 8
        for _ in range(count):
            (header,) = struct.unpack_from("=I", data, position)
            position += 4 + header % 2**31
            found.append(
                (-1 if header >> 31 else 1) * int.from_bytes(data[position - header % 2**31 : position], "big")
            )
        assert position == len(data)
    assert found == values
    assert ak.load_checkpoint("big", tmp_path)["b"].tolist() == values


def test_damage_is_said(saved):
    with pytest.raises(MissingFileError, match="no checkpoint"):
        ak.load_checkpoint("other", saved.parent)
    entry = saved / "a.md"
    lines = entry.read_text().splitlines()
    for wrong, error in (
        (["{"], FileFormatError),
        ([lines[0]], FileFormatError),
        ([lines[0], lines[1]], FileFormatError),
        ([lines[0], lines[1].replace("int64", "str"), *lines[2:]], UnsupportedError),
        ([lines[0], lines[1].replace("int64", "float64"), *lines[2:]], FileFormatError),
        ([*lines[:2], lines[2].replace("a_LOCALE0000", "../../gone"), *lines[3:]], FileFormatError),
    ):
        entry.write_text("\n".join(wrong))
        with pytest.raises(error):
            ak.load_checkpoint("mine", saved.parent)


@pytest.mark.parametrize("name", ["a\0b", "\ud800", 3, None, b"mine"])
def test_what_no_folder_is_named_is_refused(saved, name):
    a = ak.array([1])
    for call in (ak.load_checkpoint, ak.save_checkpoint):
        with pytest.raises(ArgumentError if isinstance(name, str) else ArgumentTypeError):
            call(name, saved.parent)
    assert a.size == 1


@pytest.mark.parametrize("name", ["a.md", "b.md", "other.md", "a_LOCALE0000.data"])
def test_a_file_larger_than_any_is_not_read(saved, name):
    with (saved / name).open("wb") as file:
        file.truncate(2**43)
    with pytest.raises(FileFormatError, match="File too large"):
        ak.load_checkpoint("mine", saved.parent)


def test_more_elements_than_may_be_brought_here_are_refused_before_they_are_unpacked(saved):
    entry = saved / "a.md"
    told = entry.read_text()
    zeros = pa.table({"data": np.zeros(2**20, np.int64)})
    pq.write_table(zeros, saved / "a_LOCALE0000.data")
    assert (saved / "a_LOCALE0000.data").stat().st_size < 2**14
    with ak.config.set(max_transfer_bytes=2**20):
        with pytest.raises(FileFormatError, match=f"{2**20} elements"):
            ak.load_checkpoint("mine", saved.parent)
        entry.write_text(told.replace('"size":7', f'"size":{2**20}'))
        with pytest.raises(TransferError, match=r"8,388,\d+ bytes"):
            ak.load_checkpoint("mine", saved.parent)
    entry.write_text(told.replace('"size":7', f'"size":{2**80}'))
    with pytest.raises(TransferError):
        ak.load_checkpoint("mine", saved.parent)


def test_entries_that_contradict_each_other_are_refused(saved):
    first, about, *chunks = (saved / "a.md").read_text().splitlines()
    for lines, told in (
        ([first.replace('"a"', '"u"'), about, *chunks], "two files .* describe the entry 'u'"),
        ([first.replace('"a"', '{"a":1}'), about, *chunks], "no entry"),
        ([first.replace('"a"', "null"), about, *chunks], "no entry"),
        ([first, about.replace('"size":7', '"size":7.0'), *chunks], "no entry"),
        ([first, about.replace('"size":7', '"size":-7'), *chunks], "no entry"),
        ([first, about.replace('"size":7', '"size":14'), *chunks, *chunks], "told of twice"),
    ):
        (saved / "a.md").write_text("\n".join(lines))
        with pytest.raises(FileFormatError, match=told):
            ak.load_checkpoint("mine", saved.parent)


def test_a_checkpoint_is_named_after_the_package_and_stands_in_the_working_folder_unless_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, grid, text = ak.array([1, 2]), ak.arange(6).reshape(2, 3), ak.array(["left out"])
    labels, _hidden = ak.Categorical(["a", "b"]), ak.arange(3)
    assert ak.save_checkpoint() == "akdask"
    assert sorted(file.name for file in (tmp_path / ".akdata" / "akdask").iterdir()) == [
        "a.md",
        "a_LOCALE0000.data",
        "server.md",
    ]
    assert {name: found.tolist() for name, found in ak.load_checkpoint("akdask").items()} == {"a": [1, 2]}
    assert ak.save_checkpoint("other", mode="error") == "other"
    with pytest.raises(ExistsError, match="'overwrite'"):
        ak.save_checkpoint("other", mode="error")
    del a
    with pytest.raises(FileError, match="nothing to write"):
        ak.save_checkpoint()
    assert [item.size for item in (grid, text, labels, _hidden)] == [6, 1, 2, 3]


@pytest.mark.parametrize("name", ["d/c", "/c", ".", "..", "c/"])
def test_names_of_other_folders_are_refused(tmp_path, name):
    a = ak.array([1])
    with pytest.raises(ArgumentError, match="no name of a checkpoint"):
        ak.save_checkpoint(name, tmp_path)
    with pytest.raises(ArgumentError, match="mode is 'overwrite', 'preserve_previous', 'error'"):
        ak.save_checkpoint("c", tmp_path, mode="append")
    with pytest.raises(UnsupportedError, match="folder of this machine"):
        ak.save_checkpoint("c", "memory://folder")
    with pytest.raises(UnsupportedError, match="folder of this machine"):
        ak.load_checkpoint("c", "memory://folder")
    assert a.size == 1
    assert not [*tmp_path.iterdir()]


def test_chunks_of_other_types_and_lengths_than_entries_tell_are_refused(saved):
    file = next(saved.glob("u_LOCALE0000.data"))
    own = pq.read_table(file)["data"]
    told = (saved / "u.md").read_text()
    for column in (
        own.cast(pa.float64(), safe=False),
        pa.array([0] * len(own), pa.int64()),
        pa.array([0] * len(own), pa.uint32()),
        pa.concat_arrays([*own.chunks, pa.array([1], pa.uint64())]),
        pa.array(own.to_pylist()[1:], pa.uint64()),
        pa.array([None] * len(own), pa.uint64()),
    ):
        pq.write_table(pa.table({"data": column}), file)
        with pytest.raises(FileFormatError, match="u_LOCALE0000"):
            ak.load_checkpoint("mine", saved.parent)
    pq.write_table(pa.table({"other": own}), file)
    with pytest.raises(FileFormatError, match="cannot be read"):
        ak.load_checkpoint("mine", saved.parent)
    # Further columns are passed over, and folders of the server that wrote it too.
    pq.write_table(pa.table({"more": own, "data": own}), file)
    (saved / "u.md").write_text(told.replace('"filename":"', '"filename":"/on/a/server/'))
    assert ak.load_checkpoint("mine", saved.parent)["u"].tolist() == VALUES["u"].tolist()
