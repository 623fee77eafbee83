"""Checkpoints: a real one of a server is read, and plain pyarrow reads what is written."""

import json
import struct

import numpy as np
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import ArgumentError, ExistsError, FileError, FileFormatError, MissingFileError, UnsupportedError

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
