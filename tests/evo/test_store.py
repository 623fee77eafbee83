"""Section 8: blobs lie under their names, whole or not at all, and are known to be undamaged."""

from __future__ import annotations

import hashlib
import os
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import dask.array as da
import fsspec
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask import evo
from akdask.errors import ArgumentError, ArgumentTypeError, MissingFileError
from akdask.evo.errors import (
    BlobFormatError,
    BlobWriteError,
    ContentError,
    DigestError,
    EvoError,
    IdentifierError,
    MissingBlobError,
    ObjectError,
    StoreError,
)

ROWS = pa.table({"x": [0.5, 1.5, 2.5], "y": [3.5, 4.5, 5.5], "z": [6.5, 7.5, 8.5]})
OTHER = "ab" * 32
UUID = "01234567-89ab-cdef-0123-456789abcdef"


@pytest.fixture(params=["folder", "memory", "file"])
def store(request, tmp_path):
    if request.param == "folder":
        return evo.Store(tmp_path / "blobs")
    if request.param == "file":
        return evo.Store(f"file://{tmp_path}/blobs")
    system = fsspec.filesystem("memory")
    if system.exists("/evo"):
        system.rm("/evo", recursive=True)
    return evo.Store("memory://evo/blobs")


@pytest.fixture
def folder(tmp_path):
    return evo.Store(tmp_path / "blobs")


def bytes_of(store, blob):
    with fsspec.open(store.path(blob, verify=False), "rb") as file:
        return file.read()


def overwrite(store, blob, content):
    with fsspec.open(store.path(blob, verify=False), "wb") as file:
        file.write(content)


def flip(store, blob, position, bit=0):
    content = bytearray(bytes_of(store, blob))
    content[position] ^= 1 << bit
    overwrite(store, blob, bytes(content))


def age(store, name, seconds=1_000_000):
    path = Path(store.place) / name
    os.utime(path, (time.time() - seconds,) * 2)


def test_section_8_what_is_put_comes_back(store):
    described = store.put(ROWS, role="geometry")
    assert {key: described[key] for key in ("length", "width", "data_type")} == {
        "length": 3,
        "width": 3,
        "data_type": "float64",
    }
    assert store.get(described).to_arrow().to_pydict() == ROWS.to_pydict()
    assert store.get(described, columns=["z", "x"], rows=slice(1, 3)).to_arrow().to_pydict() == {
        "z": [7.5, 8.5],
        "x": [1.5, 2.5],
    }
    assert store.get_arrow(described["data"]).to_pydict() == ROWS.to_pydict()
    assert store.describe(described) == described
    store.check(described)


def test_section_8_the_name_is_the_lower_case_digest_of_the_bytes(store):
    name = store.put(ROWS)["data"]
    assert name == hashlib.sha256(bytes_of(store, name)).hexdigest()
    assert [entry.name for entry in store.ls()] == [name]


def test_section_8_equal_rows_are_stored_once_however_they_are_partitioned(store):
    names = {
        store.put(rows, role="geometry")["data"]
        for rows in (
            ROWS,
            ROWS.to_pandas(),
            ak.from_arrow(ROWS),
            ROWS.to_pydict(),
            np.array(list(ROWS.to_pydict().values())).T,
        )
    }
    assert len(names) == len(store.ls()) == 1


def test_a_blob_that_is_there_is_not_touched_so_that_its_readers_go_on(folder):
    described = folder.put(ROWS)
    lazy = folder.get(described)
    status = os.stat(folder.path(described))
    time.sleep(0.01)
    folder.put(ROWS)
    assert (
        os.stat(folder.path(described)) == status or os.stat(folder.path(described)).st_mtime_ns == status.st_mtime_ns
    )
    assert lazy.to_arrow().to_pydict() == ROWS.to_pydict()


def test_section_8_uuids_name_blobs_on_request(store):
    described = store.put(ROWS, identifier="uuid")
    assert len(described["data"]) == 36
    assert store.put(ROWS, identifier="uuid") != described
    assert store.get(described).to_arrow().to_pydict() == ROWS.to_pydict()
    assert store.verify() == []


def test_null_stands_for_no_data(store):
    nothing = {"data": None, "length": 0, "width": 3, "data_type": "float64"}
    assert store.has(nothing)
    assert store.get(nothing).to_pandas().shape == (0, 3)
    assert store.get_arrow(nothing).schema.types == [pa.float64()] * 3
    assert list(store.get(nothing, columns=["y"]).columns) == ["y"]
    assert store.verify([nothing]) == []
    with pytest.raises(IdentifierError):
        store.path(nothing)


def test_refused_rows_leave_nothing(store):
    with pytest.raises(ContentError):
        store.put({"x": [0.5, float("nan")]}, role="geometry")
    assert store.ls() == []
    assert list(Path(store.place).glob("*")) == [] if "://" not in store.place else True


def test_section_9_categories_are_two_blobs_that_are_read_together(store):
    columns = {"a": ["x", "y", None, "x"], "b": ["z", "x", "z", None]}
    for given in (
        columns,
        pd.DataFrame(columns),
        ak.DataFrame({n: ak.from_arrow(pa.array(c)) for n, c in columns.items()}),
    ):
        found = store.put_categories(given)
        assert found["values"]["data_type"] == "int32"
        assert found["values"]["width"] == 2
        assert found["table"]["keys_data_type"] == "int32"
        for table in (found["table"], found["table"]["data"], evo.ArrayDescription.from_json(found["table"])):
            frame = store.get(found["values"], lookup=table)
            assert [frame[name].to_arrow().to_pylist() for name in frame.columns] == list(columns.values())
    assert len(store.ls()) == 2


def test_lazy_grids_and_colours_keep_their_types(store):
    grid = da.from_array(np.arange(24, dtype=np.int32).reshape(2, 3, 4), chunks=(2, 3, 1))
    found = store.put(evo.flatten(grid, axes="ijk"))
    assert found["data_type"] == "int32"
    assert store.get_arrow(found).column(0).to_pylist() == np.arange(24).reshape(2, 3, 4).flatten(order="F").tolist()
    colors = store.put(evo.colors.pack(da.arange(5, chunks=2), 0, 0), role="color")
    assert colors == {"data": colors["data"], "length": 5, "data_type": "uint32"}


def test_files_are_added_as_they_are_if_they_are_blobs(store, tmp_path):
    pq.write_table(ROWS, tmp_path / "good.parquet", version="2.4", compression="gzip")
    described = store.add(tmp_path / "good.parquet", role="geometry")
    assert bytes_of(store, described) == (tmp_path / "good.parquet").read_bytes()
    assert described["data"] == hashlib.sha256((tmp_path / "good.parquet").read_bytes()).hexdigest()
    pq.write_table(ROWS, tmp_path / "bad.parquet")
    with pytest.raises(BlobFormatError, match="GZIP"):
        store.add(tmp_path / "bad.parquet")
    with pytest.raises(BlobFormatError, match="no blob"):
        store.add(tmp_path / "none.parquet")
    store.export(described, tmp_path / "out.parquet")
    assert (tmp_path / "out.parquet").read_bytes() == (tmp_path / "good.parquet").read_bytes()


def test_stores_go_to_other_processes(store):
    described = store.put(ROWS)
    assert pickle.loads(pickle.dumps(store)).get(described).to_arrow().to_pydict() == ROWS.to_pydict()


def test_what_makes_no_sense_is_refused(folder):
    for call in (folder.verify, lambda given: folder.copy(given, folder), lambda given: folder.copy(None, given)):
        with pytest.raises(ArgumentTypeError):
            call(5)
    for roots in (5, None):
        with pytest.raises(ArgumentError):
            folder.gc(roots)
    with pytest.raises(ArgumentError, match="no file system"):
        evo.Store("nosuch://bucket/blobs")


@pytest.mark.parametrize("place", ["", "  "])
def test_a_store_has_a_place(place):
    with pytest.raises(ArgumentError):
        evo.Store(place)
    with pytest.raises(ArgumentTypeError):
        evo.Store(3)
    with pytest.raises(ArgumentTypeError):
        evo.Store("blobs", storage_options="key")


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "", "ab", "ab" * 31 + "/.", OTHER + "/..", UUID.replace("-", ""), "memory://x", "\0" * 64],
)
def test_section_8_names_never_become_paths(store, name):
    for call in (store.get, store.has, store.path, store.describe, store.remove, store.check, store.get_arrow):
        with pytest.raises(IdentifierError):
            call(name)
        with pytest.raises(EvoError):
            call({"data": name, "length": 1, "data_type": "float64"})


def test_section_8_names_are_compared_without_regard_to_case(folder):
    described = folder.put(ROWS)
    upper = described["data"].upper()
    assert folder.has(upper)
    assert folder.get({**described, "data": upper}).to_arrow().to_pydict() == ROWS.to_pydict()
    os.rename(folder.path(described), Path(folder.place) / upper)
    assert folder.get(described).to_arrow().to_pydict() == ROWS.to_pydict()
    assert folder.verify() == []
    assert folder.gc([described], grace=0).names == []


def test_blobs_that_are_not_there_are_told(store):
    assert not store.has(OTHER)
    assert OTHER not in store
    for call in (store.get, store.path, store.describe, store.remove, store.get_arrow):
        with pytest.raises(MissingBlobError, match="no blob"):
            call(OTHER)
    assert issubclass(MissingBlobError, MissingFileError)
    assert [finding.code for finding in store.verify([OTHER])] == ["missing"]
    assert store.ls() == []
    assert store.gc([], grace=0).names == []


def test_every_flipped_bit_is_found_and_nothing_of_the_blob_is_returned(store):
    described = store.put(ROWS)
    whole = bytes_of(store, described)
    for position in [0, 3, 4, 20, *range(30, len(whole), 23), len(whole) - 9, len(whole) - 1]:
        flip(store, described, position, position % 8)
        with pytest.raises(DigestError, match="damaged"):
            store.get(described)
        with pytest.raises(DigestError):
            store.get_arrow(described)
        assert [finding.code for finding in store.verify()] == ["digest"]
        overwrite(store, described, whole)
    assert store.get(described).to_arrow().to_pydict() == ROWS.to_pydict()


@pytest.mark.parametrize("length", [0, 1, 4, 100, -1])
def test_half_written_blobs_are_found_and_put_again(store, length):
    described = store.put(ROWS)
    overwrite(store, described, bytes_of(store, described)[:length])
    with pytest.raises(DigestError):
        store.get(described)
    assert len(store.verify()) == 1
    # Local files are compared before one is left as it is; others once they are removed.
    assert [finding.code for finding in store.verify(remove=True)] == ["digest"]
    assert store.put(ROWS) == described
    assert store.verify() == []


def test_a_damaged_blob_is_replaced_when_it_is_put_again(store):
    described = store.put(ROWS)
    flip(store, described, 50)
    assert store.put(ROWS) == described
    assert store.verify() == []


def test_damaged_blobs_with_uuids_are_found_by_their_footers(store):
    described = store.put(ROWS, identifier="uuid")
    overwrite(store, described, bytes_of(store, described)[:-10])
    assert [finding.code for finding in store.verify()] == ["unreadable"]
    with pytest.raises(EvoError):
        store.get(described)


def test_a_blob_is_not_what_another_description_says(store):
    described = store.put(ROWS)
    with pytest.raises(EvoError, match="rows"):
        store.get({**described, "length": 4})
    with pytest.raises(BlobFormatError, match="not as described"):
        store.check({**described, "width": 2})


def test_section_8_writers_of_one_digest_do_not_disturb_each_other(store):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: store.put(ROWS, role="geometry"), range(16)))
    assert all(described == found[0] for described in found)
    assert len(store.ls()) == 1
    assert store.verify() == []


WRITER = """
import sys, numpy as np
from akdask import evo
store = evo.Store(sys.argv[1])
print("ready", flush=True)
number = 0
while True:
    number += 1
    store.put(np.random.default_rng(number).random((40_000, 3)), role="geometry", row_group_rows=8_192, level=1)
"""


@pytest.mark.slow
def test_section_8_killed_writers_leave_no_damaged_blob(tmp_path):
    place = tmp_path / "blobs"
    delays = np.random.default_rng(0).uniform(0.0, 0.4, 2)
    for delay in delays:
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(place)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    # A writer may be killed before there is a folder.
    place.mkdir(exist_ok=True)
    store = evo.Store(place)
    assert store.verify() == []
    assert all(store.describe(entry.name)["length"] == 40_000 for entry in store.ls())
    store.gc([entry.name for entry in store.ls()], grace=0)
    assert {path.name for path in place.iterdir()} == {entry.name for entry in store.ls()}


def test_temporary_files_of_dead_writers_go_and_those_of_living_ones_stay(folder):
    folder.put(ROWS)
    with folder.access():
        sink = folder._folder.sink()
    sink.write(b"PAR1")
    dead = Path(folder.place) / (".akdask-evo-" + "0" * 32)
    dead.write_bytes(b"PAR1")
    assert folder.gc([], grace=3600).temporaries == 0
    assert folder.gc([], grace=0).temporaries == 1
    assert not dead.exists()
    sink.abort()
    dead.write_bytes(b"PAR1")
    age(folder, dead.name)
    evo.Store(folder.place).put(ROWS)
    assert not dead.exists()


def test_a_failing_disk_leaves_no_blob(folder, monkeypatch):
    folder.put({"a": [1.0]})

    def full(source, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(BlobWriteError, match="No space left"):
        folder.put(ROWS)
    assert len(list(Path(folder.place).iterdir())) == 1


def test_section_12_blobs_without_references_are_removed_after_the_grace_time(store):
    kept, gone = store.put(ROWS), store.put({"a": [1.0]})
    found = store.gc([{"vertices": {"list": [kept]}}], grace=3600)
    assert (found.names, found.recent) == ([], 1)
    found = store.gc([{"vertices": {"list": [kept]}}], grace=0, dry_run=True)
    assert found.names == [gone["data"]]
    assert store.has(gone)
    found = store.gc([{"vertices": {"list": [kept]}}], grace=timedelta(0))
    assert found.names == [gone["data"]]
    assert found.nbytes > 0
    assert [entry.name for entry in store.ls()] == [kept["data"]]


def test_blobs_that_are_old_go_and_those_that_were_put_again_stay(folder):
    old, again = folder.put(ROWS), folder.put({"a": [1.0]})
    for described in (old, again):
        age(folder, described["data"])
    folder.put({"a": [1.0]})
    assert folder.gc([], grace=3600).names == [old["data"]]
    assert folder.has(again)
    assert folder.gc([], grace=0).names == [again["data"]]
    assert list(Path(folder.place).iterdir()) == []


def test_roots_are_documents_files_descriptions_or_names(store, tmp_path):
    blobs = [store.put({"a": [float(number)]}) for number in range(4)]
    (tmp_path / "object.json").write_text(f'{{"any": ["{blobs[0]["data"].upper()}"]}}')
    roots = [tmp_path / "object.json", blobs[1], evo.ArrayDescription.from_json(blobs[2]), blobs[3]["data"]]
    assert store.gc(roots, grace=0).names == []
    assert store.gc(blobs[0], grace=0, dry_run=True).names == sorted(blob["data"] for blob in blobs[1:])


@pytest.mark.parametrize("root", ["nothing.json", "bad.json", 3, None])
def test_a_root_that_cannot_be_read_removes_nothing(store, tmp_path, monkeypatch, root):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text("{")
    store.put(ROWS)
    with pytest.raises((ObjectError, ArgumentError)):
        store.gc([root], grace=0)
    assert len(store.ls()) == 1
    with pytest.raises(ArgumentError, match="grace"):
        store.gc([], grace=-1)


def test_what_is_no_blob_is_never_removed(folder):
    folder.put(ROWS)
    for name in ("notes.txt", OTHER, ".hidden", "x" * 64):
        (Path(folder.place) / name).write_text("mine")
    found = folder.gc([], grace=0)
    assert len(found.names) == 1
    assert OTHER in found.problems[0]
    assert {path.name for path in Path(folder.place).iterdir()} == {"notes.txt", OTHER, ".hidden", "x" * 64}


def test_links_are_not_followed(folder, tmp_path):
    pq.write_table(ROWS, tmp_path / "secret.parquet", compression="gzip")
    folder.put({"a": [1.0]})
    (Path(folder.place) / OTHER).symlink_to(tmp_path / "secret.parquet")
    (Path(folder.place) / UUID).mkdir()
    for name in (OTHER, UUID):
        assert not folder.has(name)
        with pytest.raises(MissingBlobError, match="link or a folder"):
            folder.get(name)
    assert [finding.code for finding in folder.verify()] == ["no-file", "no-file"]
    assert OTHER not in folder.gc([], grace=0).names
    assert (tmp_path / "secret.parquet").exists()


def test_a_link_in_place_of_a_blob_is_replaced_and_not_written_through(folder, tmp_path):
    described = folder.put(ROWS)
    path = Path(folder.path(described))
    path.unlink()
    (tmp_path / "victim").write_text("mine")
    path.symlink_to(tmp_path / "victim")
    assert folder.put(ROWS) == described
    assert not path.is_symlink()
    assert (tmp_path / "victim").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="the administrator may write everywhere")
def test_folders_that_may_only_be_read_are_read(folder):
    described = folder.put(ROWS)
    os.chmod(folder.place, 0o555)
    try:
        assert folder.get(described).to_arrow().to_pydict() == ROWS.to_pydict()
        with pytest.raises(BlobWriteError):
            folder.put({"a": [1.0]})
    finally:
        os.chmod(folder.place, 0o755)


def test_a_file_is_no_store(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(BlobWriteError):
        evo.Store(tmp_path / "file").put(ROWS)
    for call in (evo.Store.ls, evo.Store.verify, lambda store: store.gc([]), lambda store: store.get(OTHER)):
        with pytest.raises(StoreError, match="cannot be looked into"):
            call(evo.Store(tmp_path / "file"))


def test_blobs_are_copied_between_stores_once(store, tmp_path):
    blobs = [store.put({"a": [float(number)]}) for number in range(3)] + [store.put(ROWS, identifier="uuid")]
    target = evo.Store(tmp_path / "other")
    assert sorted(store.copy(None, target)) == sorted(blob["data"] for blob in blobs)
    assert store.copy(blobs[:3], target) == []
    assert store.copy([], target) == []
    assert target.verify() == []
    assert target.copy(blobs[0], store) == []


def test_damaged_blobs_are_not_copied_and_the_others_are(store, tmp_path):
    blobs = [store.put({"a": [float(number)]}) for number in range(3)]
    flip(store, blobs[1], 40)
    target = evo.Store(tmp_path / "other")
    with pytest.raises(EvoError, match="2 of 4 blobs were not copied"):
        store.copy([*blobs, OTHER], target)
    assert {entry.name for entry in target.ls()} == {blobs[0]["data"], blobs[2]["data"]}
    assert {path.name for path in Path(target.place).iterdir()} == {blobs[0]["data"], blobs[2]["data"]}


@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_blobs_in_buckets(tmp_path):
    reason = "moto[server] and s3fs are not installed; pip install 'akdask[test]'"
    server = pytest.importorskip("moto.server", reason=reason)
    s3fs = pytest.importorskip("s3fs", reason=reason)
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    try:
        host, port = running.get_host_and_port()
        options = {"key": "k", "secret": "secret", "client_kwargs": {"endpoint_url": f"http://{host}:{port}"}}
        s3fs.S3FileSystem(**options, use_listings_cache=False).mkdir("blobs")
        store = evo.Store("s3://blobs/store", storage_options=options)
        described = store.put(ROWS, role="geometry")
        assert store.put(ROWS, role="geometry") == described
        assert store.get(described).to_arrow().to_pydict() == ROWS.to_pydict()
        assert store.verify() == []
        assert store.copy(None, evo.Store(tmp_path / "local")) == [described["data"]]
        flip_remote = s3fs.S3FileSystem(**options, use_listings_cache=False)
        flip_remote.pipe_file(f"blobs/store/{described['data']}", b"x" * 100)
        assert [finding.code for finding in store.verify()] == ["digest"]
        with pytest.raises(DigestError):
            store.get(described)
        assert store.gc([], grace=0).problems != ()
        assert "secret" not in repr(store)
        with pytest.raises(BlobWriteError):
            evo.Store("s3://nowhere/blobs", storage_options=options).put(ROWS)
    finally:
        running.stop()


def test_section_8_uuids_are_compared_without_regard_to_case(folder):
    described = folder.put({"x": [1.0, 2.0]}, identifier="uuid")
    path = Path(folder.path(described))
    path.rename(path.with_name(path.name.upper()))
    assert folder.get(described)["data"].tolist() == [1.0, 2.0]
    assert folder.verify([described]) == []
