"""Sets in object stores: whole or not at all, whenever a writer is killed and whatever requests fail."""

import gc
import json
import os

import fsspec
import h5py
import numpy as np
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import (
    ArgumentError,
    ArgumentTypeError,
    ExistsError,
    FileError,
    InconsistentFilesError,
    MissingFileError,
    UnsupportedError,
    WriteError,
)
from akdask.storage.catalog import catalog_path
from tests.storage.stores import FaultyFileSystem, Killed

URLS = {"hdf": "faulty://b/d/x.h5", "parquet": "faulty://b/d/x.parquet", "csv": "faulty://b/d/x.csv"}
OLD, NEW = np.arange(10), np.arange(100, 112)


@pytest.fixture(autouse=True)
def _store():
    FaultyFileSystem.reset()
    yield
    FaultyFileSystem.reset()


@pytest.fixture(params=URLS)
def kind(request):
    return request.param


def write(kind, values, count, **options):
    columns = {"a": ak.array(values), "s": ak.array(values.astype(str))}
    if kind == "csv":
        options["overwrite"] = True
    getattr(ak, f"to_{kind}")(columns, URLS[kind], num_locales=count, **options)


def read(kind, name=None):
    found = getattr(ak, f"read_{kind}")(name or URLS[kind])
    assert found["s"].tolist() == [str(value) for value in found["a"].tolist()]
    return found["a"].tolist()


def names():
    return sorted(path.rpartition("/")[2] for path in FaultyFileSystem.store)


def raw_values(kind):
    """Return the column of all files under their own names, by other readers."""
    found = []
    for path in sorted(path for path in FaultyFileSystem.store if "/x_LOCALE" in path and "akdask-write" not in path):
        with fsspec.open(f"faulty:/{path}", "rb") as file:
            if kind == "hdf":
                with h5py.File(file, "r") as opened:
                    found += opened["a/values" if isinstance(opened["a"], h5py.Group) else "a"][()].tolist()
            elif kind == "parquet":
                found += pq.read_table(file)["a"].to_pylist()
            else:
                options = pyarrow.csv.ReadOptions(skip_rows=3)
                found += pyarrow.csv.read_csv(file, options)["a"].to_pylist()
    return found


def test_other_programs_find_the_files_under_their_own_names(kind):
    write(kind, OLD, 3)
    extension = URLS[kind].rpartition(".")[2]
    assert names() == [f".x.{extension}.akdask-set", *(f"x_LOCALE000{number}.{extension}" for number in range(3))]
    assert raw_values(kind) == OLD.tolist()
    assert read(kind) == OLD.tolist()


@pytest.mark.filterwarnings("ignore:.* existing files")
def test_a_shorter_set_replaces_a_longer_one(kind):
    write(kind, OLD, 4)
    write(kind, NEW, 2)
    assert raw_values(kind) == read(kind) == NEW.tolist()


@pytest.mark.filterwarnings("ignore:.* existing files")
def test_a_writer_killed_at_any_request_leaves_the_old_set_or_the_new(kind):
    states = []
    for mutations in range(100):
        FaultyFileSystem.reset()
        write(kind, OLD, 3)
        FaultyFileSystem.mutations_left = mutations
        try:
            write(kind, NEW, 2)
            is_done = True
        except (Killed, WriteError):
            is_done = False
        FaultyFileSystem.mutations_left = None
        for name in (URLS[kind], URLS[kind].replace("x.", "x_LOCALE*."), URLS[kind].replace("x.", "*.")):
            found = read(kind, name)
            assert found in (OLD.tolist(), NEW.tolist())
        states.append(found == NEW.tolist())
        write(kind, OLD[:5], 1)  # the next writer finds all in order, and clears what is left
        assert read(kind) == raw_values(kind) == OLD[:5].tolist()
        assert len(names()) == 2
        if is_done:
            break
    assert is_done
    assert states == sorted(states)  # once the new set is there it stays
    assert set(states) == {True, False}
    assert states.count(True) > 2


def test_a_first_writer_that_is_killed_leaves_nothing_or_all(kind):
    found = set()
    for mutations in range(100):
        FaultyFileSystem.reset()
        FaultyFileSystem.mutations_left = mutations
        try:
            write(kind, NEW, 2)
            is_done = True
        except (Killed, WriteError):
            is_done = False
        FaultyFileSystem.mutations_left = None
        try:
            assert read(kind) == NEW.tolist()
            found.add("all")
        except MissingFileError:
            found.add("nothing")
        if is_done:
            break
    assert found == {"all", "nothing"}


def test_requests_that_fail_for_a_while_are_repeated(kind, monkeypatch):
    monkeypatch.setattr("akdask.storage.tuning.RETRY_PAUSE", 0)
    FaultyFileSystem.failures = {
        method: [TimeoutError("slow"), OSError(16, "busy"), ConnectionResetError("reset")]
        for method in ("put_file", "pipe_file", "cp_file", "info", "ls", "cat_file")
    }
    write(kind, OLD, 3)
    assert read(kind) == OLD.tolist()
    assert not any(FaultyFileSystem.failures.values())


def test_tries_are_bounded_and_the_old_set_stays(kind, monkeypatch):
    monkeypatch.setattr("akdask.storage.tuning.RETRY_PAUSE", 0)
    write(kind, OLD, 2)
    FaultyFileSystem.failures = {"put_file": [TimeoutError("slow")] * 1000}
    with ak.config.set(remote_tries=3), pytest.raises(WriteError, match="slow"):
        write(kind, NEW, 1)
    assert 1000 - len(FaultyFileSystem.failures["put_file"]) == 3
    FaultyFileSystem.failures = {}
    assert read(kind) == OLD.tolist()
    assert raw_values(kind) == OLD.tolist()


def test_errors_that_stay_are_not_repeated():
    FaultyFileSystem.failures = {"put_file": [PermissionError(13, "no")]}
    with pytest.raises(WriteError, match="no"):
        write("hdf", OLD, 1)
    assert [method for method, _ in FaultyFileSystem.requests].count("put_file") == 1


@pytest.mark.filterwarnings("ignore:.* existing files")
def test_a_switch_that_the_store_made_without_saying_so_counts(monkeypatch):
    write("hdf", OLD, 2)
    pipe = FaultyFileSystem.pipe_file
    calls = []

    def made_in_silence(self, path, value, *args, **kwargs):
        pipe(self, path, value, *args, **kwargs)
        calls.append(path)
        if len(calls) == 1:
            raise PermissionError(13, "no answer")

    monkeypatch.setattr(FaultyFileSystem, "pipe_file", made_in_silence)
    write("hdf", NEW, 2)
    assert read("hdf") == raw_values("hdf") == NEW.tolist()


def test_a_file_that_another_program_has_replaced_is_told(kind):
    write(kind, OLD, 3)
    path = next(path for path in FaultyFileSystem.store if "LOCALE0001" in path)
    FaultyFileSystem().cp_file(path.replace("0001", "0000"), path)
    with pytest.raises(InconsistentFilesError, match="not what its catalog says") as caught:
        read(kind)
    assert any("LOCALE0001" in detail and "has changed" in detail for detail in caught.value.details)


def test_a_last_file_that_is_gone_is_told(kind):
    write(kind, OLD, 3)
    del FaultyFileSystem.store[next(path for path in FaultyFileSystem.store if "LOCALE0002" in path)]
    with pytest.raises(InconsistentFilesError) as caught:
        read(kind)
    assert any("LOCALE0002" in detail and "is gone" in detail for detail in caught.value.details)


def test_a_catalog_of_a_set_that_another_program_has_replaced_is_stale(kind):
    write(kind, OLD, 2)
    for path in [path for path in FaultyFileSystem.store if "LOCALE" in path]:
        FaultyFileSystem().pipe_file(path, FaultyFileSystem.store[path].getvalue())
    with pytest.warns(RuntimeWarning, match="is stale"):
        assert read(kind) == OLD.tolist()


def test_a_set_without_a_catalog_is_checked_by_its_numbering(kind):
    write(kind, OLD, 3)
    FaultyFileSystem().rm_file(catalog_path(URLS[kind]))
    assert read(kind) == OLD.tolist()
    FaultyFileSystem().rm_file(next(path for path in FaultyFileSystem.store if "LOCALE0001" in path))
    with pytest.raises(InconsistentFilesError, match="missing"):
        read(kind)


@pytest.mark.parametrize(
    "change",
    [
        {"files": []},
        {"tag": "../d"},
        {"stale": ["y_LOCALE0000.h5"]},
        {"files": [{"name": "../x_LOCALE0000.h5", "upload": "x_LOCALE0000.h5", "size": 1, "mark": ""}]},
        {"files": [{"name": "x_LOCALE0000.h5", "upload": "x_LOCALE0000.h5", "size": "1", "mark": ""}]},
        {"akdask": 99},
        {"published": 1},
        {"files": 7},
    ],
)
def test_a_catalog_that_says_what_no_writer_says_is_refused(change):
    write("hdf", OLD, 2)
    place = FaultyFileSystem._strip_protocol(catalog_path(URLS["hdf"]))
    content = {**json.loads(FaultyFileSystem.store[place].getvalue()), **change}
    for raw in (json.dumps(content).encode(), b"\xff{", b"[" * 100_000):
        FaultyFileSystem().pipe_file(place, raw)
        with pytest.raises(FileError, match=r"catalog .* damaged"):
            read("hdf")


def test_a_single_file_is_written_from_several_partitions():
    a = ak.arange(10)
    url = "faulty://b/d/one.h5"
    ak.concatenate([a, a]).to_hdf(url, "a", file_type="single")
    assert ak.read_hdf(url)["a"].tolist() == [*range(10), *range(10)]


APPENDING = pytest.mark.filterwarnings("ignore:columns are best written in one call:DeprecationWarning")
TABULAR = [kind for kind in URLS if kind != "csv"]


def add(kind, values, **options):
    given = {"b": ak.array(values)}
    getattr(ak, f"to_{kind}")(given, URLS[kind], mode="append", num_locales=2, **options)


@APPENDING
@pytest.mark.parametrize("kind", TABULAR)
def test_objects_are_added_to_a_set_of_a_store(kind):
    write(kind, OLD, 2)
    add(kind, OLD * 3)
    found = getattr(ak, f"read_{kind}")(URLS[kind])
    assert list(found) == ["a", "s", "b"]
    assert found["b"].tolist() == (OLD * 3).tolist()
    assert read(kind) == OLD.tolist()
    assert raw_values(kind) == OLD.tolist()
    assert not any("akdask-write" in path for path in FaultyFileSystem.store)
    with pytest.raises(ExistsError, match="exist already"):
        add(kind, OLD)


def test_adding_to_parquet_files_warns_that_arkouda_no_longer_does():
    write("parquet", OLD, 2)
    with pytest.warns(DeprecationWarning, match="no longer appends to Parquet") as caught:
        add("parquet", OLD * 3)
    assert [warning.filename for warning in caught] == [__file__]


def test_objects_of_a_store_are_updated():
    write("hdf", OLD, 2)
    ak.update_hdf({"a": ak.array(OLD + 1), "c": ak.array(OLD * 0.5)}, URLS["hdf"])
    found = ak.read_hdf(URLS["hdf"])
    assert found["a"].tolist() == (OLD + 1).tolist()
    assert found["c"].tolist() == (OLD * 0.5).tolist()
    assert found["s"].tolist() == [str(value) for value in OLD]
    ak.array(OLD).update_hdf(URLS["hdf"], "a")
    assert read("hdf") == OLD.tolist()
    with pytest.raises(MissingFileError, match="no set"):
        ak.update_hdf({"a": ak.arange(3)}, "faulty://b/d/none.h5")


def test_objects_are_added_to_a_single_file_of_a_store():
    url = "faulty://b/d/one.h5"
    ak.array(OLD).to_hdf(url, "a", file_type="single")
    ak.array(OLD * 2).to_hdf(url, "b", mode="append", file_type="single")
    ak.update_hdf({"a": ak.array(NEW)}, url)
    found = ak.read_hdf(url)
    assert (found["a"].tolist(), found["b"].tolist()) == (NEW.tolist(), (OLD * 2).tolist())
    with pytest.raises(ExistsError, match="other file type"):
        ak.array(OLD).to_hdf(url, "c", mode="append")
    loaded = ak.load(url, dataset="b")
    assert (loaded["b"] if isinstance(loaded, dict) else loaded).tolist() == (OLD * 2).tolist()


@APPENDING
@pytest.mark.parametrize("kind", TABULAR)
@pytest.mark.parametrize("after", range(8))
def test_killed_appends_leave_the_old_set_or_the_new(kind, after):
    write(kind, OLD, 2)
    FaultyFileSystem.mutations_left = after
    with pytest.raises(Killed):
        add(kind, OLD * 3)
    FaultyFileSystem.mutations_left = None
    found = getattr(ak, f"read_{kind}")(URLS[kind])
    assert found["a"].tolist() == OLD.tolist()
    assert "b" not in found or found["b"].tolist() == (OLD * 3).tolist()
    with pytest.warns(UserWarning, match="existing files"):
        write(kind, NEW, 3)
    assert read(kind) == NEW.tolist()


@APPENDING
@pytest.mark.parametrize("kind", TABULAR)
def test_objects_are_not_added_to_a_set_that_is_not_what_its_catalog_says(kind):
    write(kind, OLD, 2)
    path = next(path for path in FaultyFileSystem.store if "LOCALE0001" in path)
    FaultyFileSystem().pipe_file(path, FaultyFileSystem.store[path].getvalue())
    with pytest.raises(InconsistentFilesError, match="catalog"):
        add(kind, OLD)


def test_objects_are_not_added_to_a_copy_that_has_not_come_whole(monkeypatch):
    write("hdf", OLD, 2)

    def cut(self, path, copy, **options):
        with open(copy, "wb") as file:
            file.write(self.cat_file(path)[:-1])

    with monkeypatch.context() as patch:
        patch.setattr(FaultyFileSystem, "get_file", cut)
        with pytest.raises(WriteError, match="has not come whole"):
            add("hdf", OLD * 3)
    assert read("hdf") == OLD.tolist()


def test_columns_are_not_added_to_csv_files_of_a_store():
    write("csv", OLD, 2)
    with pytest.raises(UnsupportedError, match="added to CSV"):
        ak.save_all({"b": ak.arange(10)}, URLS["csv"], file_format="CSV", mode="append")


@pytest.mark.parametrize("url", ["memory://x", "memory://d/", "s3://bucket", "s3://"])
def test_a_url_must_name_files_in_a_folder(url):
    with pytest.raises(ArgumentError, match="names no files"):
        ak.arange(3).to_hdf(url)


def test_file_urls_are_folders_of_this_machine(tmp_path):
    ak.arange(3).to_hdf(f"file://{tmp_path}/x.h5", "a")
    assert ak.read_hdf(str(tmp_path / "x.h5"))["a"].tolist() == [0, 1, 2]


def test_a_second_writer_takes_the_uploads_of_the_first():
    from akdask.storage.transaction import StoreTransaction

    first, second = StoreTransaction(URLS["hdf"]), StoreTransaction(URLS["hdf"])
    for staging in (first, second):
        staging.create()
        attempt = staging.attempt("x_LOCALE0000.h5")
        with open(attempt, "wb") as file:
            file.write(b"bytes")
        staging.finish(attempt, "x_LOCALE0000.h5")
    renames = [(first.path("x_LOCALE0000.h5"), "faulty://b/d/x_LOCALE0000.h5")]
    with pytest.raises(WriteError, match="uploads are gone"):
        first.commit(renames)
    second.commit([(second.path("x_LOCALE0000.h5"), "faulty://b/d/x_LOCALE0000.h5")])
    assert names() == [".x.h5.akdask-set", "x_LOCALE0000.h5"]


def test_local_copies_go_with_the_writer_that_made_them():
    from akdask.storage.transaction import StoreTransaction

    staging = StoreTransaction(URLS["hdf"])
    folder = os.path.dirname(staging.attempt("x_LOCALE0000.h5"))
    assert os.path.isdir(folder)
    del staging
    gc.collect()
    assert not os.path.exists(folder)


def test_the_options_of_a_read_reach_the_file_system_and_no_message(monkeypatch):
    write("hdf", OLD, 2)
    seen = []
    made = FaultyFileSystem.__init__

    def noting(self, **given):
        seen.append(given)
        made(self)

    monkeypatch.setattr(FaultyFileSystem, "__init__", noting)
    found = ak.read_hdf(URLS["hdf"], storage_options={"token": "hidden"})["a"]
    assert found.tolist() == OLD.tolist()
    assert {"token": "hidden"} in seen
    assert "hidden" not in repr(found) + str(found.expr)


@pytest.mark.parametrize("given", ["anon", 7, {1: 2}])
def test_options_that_are_none_are_refused(given):
    with pytest.raises(ArgumentTypeError, match="storage_options"):
        ak.read_hdf(URLS["hdf"], storage_options=given)


@pytest.mark.parametrize("kind", ["hdf", "parquet"])
def test_opening_takes_few_requests_a_file(kind):
    write(kind, np.arange(1000), 40)
    FaultyFileSystem.requests = []
    read_set = getattr(ak, f"read_{kind}")
    assert read_set(URLS[kind])["a"].size == 1000
    of_files = [path for _, path in FaultyFileSystem.requests if "LOCALE" in path]
    assert len(of_files) <= 2 * 40 + 4


@pytest.mark.parametrize("damage", ["changed", "gone", "more"])
def test_files_that_are_not_those_of_the_catalog_are_left_out_where_errors_are_allowed(kind, damage):
    write(kind, OLD, 3)
    path = next(path for path in FaultyFileSystem.store if "LOCALE0001" in path)
    left = [0, 2]
    if damage == "changed":
        FaultyFileSystem().pipe_file(path, FaultyFileSystem.store[path].getvalue())
    elif damage == "gone":
        del FaultyFileSystem.store[path]
    else:
        left = [0, 1, 2]
        FaultyFileSystem().pipe_file(path.replace("0001", "0003"), FaultyFileSystem.store[path].getvalue())
    urls = [URLS[kind].replace("x.", f"x_LOCALE000{number}.") for number in (0, 1, 2, 3)]
    urls = urls[: 4 if damage == "more" else 3]
    with pytest.warns(RuntimeWarning, match=r"left out:\n(.|\n)*(catalog|no such file)"):
        found = getattr(ak, f"read_{kind}")(urls, allow_errors=True)["a"].tolist()
    assert found == np.concatenate([np.array_split(OLD, 3)[number] for number in left]).tolist()
