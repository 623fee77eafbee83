import os
import time

import numpy as np
import pyarrow as pa
import pytest

from akdask.storage.manifest import checksum, later_than, manifest_path, read_manifest, write_manifest

BATCH = pa.record_batch({"name": pa.array([b"a", b"b"]), "size": pa.array([1, 2])})


@pytest.fixture
def written(tmp_path):
    """Return the path of a manifest with `BATCH`."""
    path = tmp_path / ".set.akdask"
    write_manifest(str(path), BATCH)
    return path


def test_the_manifest_is_hidden_beside_the_set():
    assert manifest_path("/data/flows.h5") == "/data/.flows.h5.akdask"
    assert manifest_path("flows") == ".flows.akdask"


def test_the_table_is_read_as_it_was_written(written):
    assert read_manifest(str(written)).equals(BATCH)


def test_anybody_can_read_the_table_as_an_arrow_stream(written):
    with pa.ipc.open_stream(written.read_bytes()) as stream:
        assert stream.read_next_batch().equals(BATCH)


def test_no_file_is_no_manifest(tmp_path):
    assert read_manifest(str(tmp_path / "nothing")) is None
    assert read_manifest(str(tmp_path)) is None


def test_a_manifest_that_is_cut_at_any_place_is_none(written):
    raw = written.read_bytes()
    for size in range(len(raw)):
        written.write_bytes(raw[:size])
        assert read_manifest(str(written)) is None
    written.write_bytes(raw + b"\0")
    assert read_manifest(str(written)) is None


def test_a_manifest_with_a_changed_byte_anywhere_is_none(written):
    raw = written.read_bytes()
    for position in range(len(raw)):
        written.write_bytes(raw[:position] + bytes([raw[position] ^ 0x10]) + raw[position + 1 :])
        assert read_manifest(str(written)) is None


def test_a_manifest_of_another_version_is_none(written):
    raw = bytearray(written.read_bytes())
    assert raw[-9] == 4
    raw[-9] = 3
    written.write_bytes(raw)
    assert read_manifest(str(written)) is None


def test_a_table_that_is_no_arrow_stream_is_none(tmp_path):
    path = tmp_path / "x"
    for table in (b"", b"nothing of the kind", b"\xff" * 64):
        total = checksum(np.frombuffer(table, np.uint8)).to_bytes(8, "little")
        path.write_bytes(table + b"akdask\0\4" + total)
        assert read_manifest(str(path)) is None


def test_the_clock_is_later_than_files_that_are_there(tmp_path):
    (tmp_path / "before").write_text("x")
    before = os.stat(tmp_path / "before").st_mtime_ns
    assert later_than(before, str(tmp_path / "now")) > before


def test_a_time_to_come_is_not_waited_for_long(tmp_path):
    to_come = time.time_ns() + 10**12
    assert later_than(to_come, str(tmp_path / "now")) < to_come
