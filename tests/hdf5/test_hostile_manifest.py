"""Manifests that somebody has made up: those of others are not believed, and none ends or holds a reader."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask.formats.hdf5.file_set import open_set
from akdask.formats.hdf5.manifest import HdfManifest
from akdask.storage.files import identify
from akdask.storage.locales import expand
from akdask.storage.manifest import checksum, read_manifest, write_manifest

ROOT = Path(__file__).parents[2]
NOBODY = 65534
ROWS = [0, 1, 2, 3000]

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can act as several users")


@pytest.fixture
def shared():
    """Return a folder that everybody may write to, with a set of two files and its manifest."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o1777)
    ak.concatenate([ak.array(ROWS[:2]), ak.array(ROWS[2:])]).to_hdf(folder / "r.h5", num_locales=2)
    yield folder
    shutil.rmtree(folder)


def pattern_of(folder):
    return str(folder / "r_LOCALE*.h5")


def believed(folder):
    return len(HdfManifest.described([identify(path) for path in expand(pattern_of(folder))]))


def forge(folder, owner=None, **numbers):
    """Put other numbers into the manifest of a set, its checksum right, and give it to a user."""
    path = folder / ".r.h5.akdask"
    batch = read_manifest(str(path))
    struct = batch["datasets"].values
    columns = {field.name: struct.field(field.name) for field in struct.type}
    columns |= {name: pa.array([value] * len(struct), columns[name].type) for name, value in numbers.items()}
    datasets = pa.ListArray.from_arrays(
        batch["datasets"].offsets, pa.StructArray.from_arrays(list(columns.values()), list(columns))
    )
    index = batch.schema.get_field_index("datasets")
    path.unlink()
    write_manifest(str(path), batch.set_column(index, batch.schema.field("datasets"), datasets))
    if owner is not None:
        os.chown(path, owner, owner)


def large(folder):
    """Return what a filter finds for which the forged maximum leaves nothing."""
    rows = ak.read_hdf(pattern_of(folder))["array"]
    return rows[rows > 2500].tolist()


@as_root
def test_statistics_of_another_user_prune_nothing(shared):
    assert believed(shared) == 2
    forge(shared, NOBODY, maximum=5)
    assert believed(shared) == 0
    assert large(shared) == [3000]


@as_root
def test_the_manifest_of_the_set_s_owner_is_believed_by_others(shared):
    os.seteuid(NOBODY)
    try:
        ak.array(ROWS).to_hdf(shared / "s.h5")
    finally:
        os.seteuid(0)
    assert len(HdfManifest.described([identify(str(shared / "s_LOCALE0000.h5"))])) == 1


@as_root
def test_a_file_that_has_changed_its_owner_is_not_the_one_that_was_described(shared):
    os.chown(shared / "r_LOCALE0001.h5", NOBODY, NOBODY)
    assert believed(shared) == 1
    assert large(shared) == [3000]


@as_root
def test_a_manifest_of_one_s_own_is_believed_about_the_files_of_others(shared):
    os.chown(shared / ".r.h5.akdask", NOBODY, NOBODY)
    assert believed(shared) == 0
    os.seteuid(NOBODY)
    try:
        assert believed(shared) == 2
    finally:
        os.seteuid(0)


def test_a_link_in_the_place_of_a_manifest_is_none(shared):
    path = shared / ".r.h5.akdask"
    path.rename(shared / "elsewhere")
    path.symlink_to(shared / "elsewhere")
    assert believed(shared) == 0
    assert large(shared) == [3000]


def test_a_manifest_larger_than_any_is_not_read(shared):
    os.truncate(shared / ".r.h5.akdask", 2**42)
    start = time.perf_counter()
    assert believed(shared) == 0
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "numbers",
    [
        {"offset": -1, "length": 2**60},
        {"offset": -1, "length": 2**45},
        {"offset": 2**62, "length": 2},
        {"offset": 0, "length": 2**40},
        {"offset": 2**63 - 1, "length": 2**63 - 1},
        {"length": 2**63 - 1},
        {"nans": 2**63 - 1},
        {"nans": -1},
    ],
)
def test_numbers_that_cannot_be_are_not_believed_and_hold_nobody(shared, numbers):
    forge(shared, **numbers)
    start = time.perf_counter()
    assert believed(shared) == 0
    assert large(shared) == [3000]
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_a_compressed_table_is_none_however_small_it_looks(tmp_path, codec):
    path = tmp_path / "m"
    batch = pa.record_batch({"size": pa.array(np.zeros(2**20, np.int64))})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as stream:
        stream.write_batch(batch)
    table = sink.getvalue().to_pybytes()
    path.write_bytes(table + b"akdask\0\3" + checksum(np.frombuffer(table, np.uint8)).to_bytes(8, "little"))
    assert read_manifest(str(path)) is None


def test_a_table_of_other_types_is_none_before_its_rows_are_looked_at(tmp_path):
    path = str(tmp_path / "m")
    batch = pa.record_batch({"size": pa.array([1, 2])})
    write_manifest(path, batch)
    assert read_manifest(path, schema=lambda: batch.schema).equals(batch)
    assert read_manifest(path, schema=pa.schema({"size": pa.int32()})) is None
    write_manifest(path, pa.record_batch({"size": pa.array([1, None])}))
    assert read_manifest(path) is None
    write_manifest(path, pa.record_batch({"size": pa.array(["a", "b"]).dictionary_encode()}))
    assert read_manifest(path) is None


def test_schemas_that_no_codec_makes_are_refused(shared):
    path = str(shared / ".r.h5.akdask")
    batch = read_manifest(path)
    made = batch.schema.metadata[b"made"].decode()
    for old, new in [
        ('{"ObjType": 1}', '{"ObjType": 2}'),
        ('{"ObjType": 1}', '{"ObjType": 4}'),
        ('{"ObjType": 1}', '{"ObjType": -1}'),
        ('"<i8"', '"<f8"'),
        ('"<i8"', '"<i3"'),
        ('"int64", "int"', '"int64", "str"'),
        ('"values"', '"codes"'),
        ('"values"', "3"),
        ('"array"', '"\\ud800"'),
        (made, "[" * 100_000),
    ]:
        assert old in made
        schema = batch.schema.with_metadata({b"made": made.replace(old, new).encode()})
        write_manifest(path, batch.replace_schema_metadata(schema.metadata))
        assert believed(shared) == 0, new
    assert open_set(pattern_of(shared)).select()


@pytest.mark.slow
def test_readers_live_through_hundreds_of_forged_manifests(tmp_path):
    count = int(os.environ.get("AKDASK_FORGERIES", "100" if "CI" in os.environ else "300"))
    done = subprocess.run(
        [sys.executable, "-m", "tests.hdf5.forge", str(tmp_path), str(count), str(os.environ.get("AKDASK_SEED", "0"))],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    assert found["problems"] == []
    assert sum(found["seen"].values()) >= count
    assert found["seen"]["believed"] > count // 20
