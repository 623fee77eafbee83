"""Columns of remote files under failures, beside what was written, and what of the files is asked for."""

import io
import threading

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import akdask as ak
from akdask.errors import AkdaskError, FileError, FileFormatError
from akdask.formats.hdf5 import library
from akdask.storage import ranges, remote, tuning
from akdask.storage.files import FileIdentity, identify
from tests.storage.stores import FaultyFileSystem

ROWS = 3000
NUMBERS = np.arange(ROWS) * 7 % 1001
FLOATS = np.sqrt(np.arange(ROWS))
TEXT = [f"é{k % 100}" * (k % 4) for k in range(ROWS)]
KINDS = ["flat", "chunked", "lzf", "parquet"]


class StatusError(Exception):
    status = 500


@pytest.fixture(autouse=True)
def store(monkeypatch):
    FaultyFileSystem.reset()
    monkeypatch.setattr(tuning, "RETRY_PAUSE", 0)
    monkeypatch.setattr(tuning, "REQUEST", 2**13)
    monkeypatch.setattr(tuning, "NEAR_BYTES", 2**7)
    with ak.config.set(block_size=2**12, cache_size=0):
        yield
    FaultyFileSystem.reset()


@pytest.fixture(params=KINDS)
def url(request, tmp_path):
    return stored(request.param, tmp_path)


def stored(kind, tmp_path, name="x"):
    path = tmp_path / name
    if kind == "parquet":
        table = pa.table({"n": NUMBERS, "f": FLOATS, "s": TEXT, "beside": FLOATS})
        pq.write_table(table, path, row_group_size=700, data_page_size=2000, use_dictionary=["s"])
        extension = "parquet"
    elif kind == "flat":
        columns = {"n": ak.array(NUMBERS), "f": ak.array(FLOATS), "s": ak.array(TEXT), "beside": ak.array(FLOATS)}
        ak.to_hdf(columns, str(path), file_type="single")
        extension = "h5"
    else:
        with h5py.File(path, "w") as file:
            text = [item.encode() + b"\0" for item in TEXT]
            values = np.frombuffer(b"".join(text), np.uint8)
            segments = np.cumsum([0, *map(len, text)])[:-1]
            settings = {"compression": "lzf" if kind == "lzf" else "gzip"}
            for column, data in (("n", NUMBERS), ("f", FLOATS), ("beside", FLOATS)):
                file.create_dataset(column, data=data, chunks=(300,), **settings)
            group = file.create_group("s")
            group.create_dataset("values", data=values, chunks=(1000,), **settings)
            group.create_dataset("segments", data=segments, chunks=(300,), **settings)
            group.attrs["segmented_string"] = 1
        extension = "h5"
    found = f"faulty://bucket/d/{name}.{extension}"
    FaultyFileSystem().pipe_file(found, (tmp_path / name).read_bytes() if path.exists() else b"")
    return found


def opened(url):
    return ak.DataFrame((ak.read_parquet if url.endswith("parquet") else ak.read_hdf)(url))


def check(df):
    kept = NUMBERS > 500
    assert float(df[df["n"] > 500]["f"].sum()) == pytest.approx(FLOATS[kept].sum())
    assert df["n"].tolist() == NUMBERS.tolist()
    assert df["s"].tolist() == TEXT
    assert df[df["n"] > 990]["s"].tolist() == [text for text, n in zip(TEXT, NUMBERS, strict=True) if n > 990]


def test_rows_are_those_that_were_written(url):
    check(opened(url))


def test_rows_are_the_same_without_reading_ahead(url):
    with ak.config.set(read_ahead=0):
        check(opened(url))


@pytest.mark.parametrize("error", [TimeoutError("late"), StatusError("500"), ConnectionResetError("reset")])
def test_replies_that_fail_for_a_while_are_asked_for_again(url, error):
    df = opened(url)
    FaultyFileSystem.failures["cat_file"] = [error] * 3
    check(df)
    assert not FaultyFileSystem.failures["cat_file"]


def test_replies_that_are_cut_are_asked_for_again(url):
    df = opened(url)
    FaultyFileSystem.lengths = [5, 0, 1000]
    check(df)
    assert not FaultyFileSystem.lengths


def test_what_keeps_failing_is_an_error_that_names_the_file(url):
    df = opened(url)
    FaultyFileSystem.failures["cat_file"] = [TimeoutError("late")] * 10_000
    with ak.config.set(remote_tries=2), pytest.raises(FileError, match=r"bucket/d/x"):
        df["n"].tolist()
    FaultyFileSystem.failures.clear()
    check(df)


def test_a_file_that_ends_early_for_good_is_an_error(url):
    df = opened(url)
    FaultyFileSystem.lengths = [3] * 10_000
    with ak.config.set(remote_tries=2), pytest.raises(AkdaskError, match=r"bucket/d/x"):
        df["n"].tolist()


@pytest.mark.parametrize("replies", [1, 2, 3])
def test_a_file_that_is_replaced_while_it_is_read_is_told(url, replies):
    df = opened(url)
    system = FaultyFileSystem()
    content = system.cat_file(url)
    other = bytearray(content)
    other[200:-3000] = bytes(len(other) - 3200)
    FaultyFileSystem.replaced_after = {system._strip_protocol(url): (replies, bytes(other))}
    with pytest.raises(FileError, match="has changed since it was opened"):
        df["f"].tolist()


@pytest.mark.parametrize("fails", [("info",), ("info", "cat_file")])
def test_a_server_that_does_not_answer_is_not_told_as_a_changed_file(url, fails):
    df = opened(url)
    missing = FileNotFoundError(url)  # as fsspec says it of web servers, whatever the reason
    missing.__cause__ = TimeoutError("late")
    FaultyFileSystem.failures |= {"info": [missing] * 10_000}
    if "cat_file" in fails:
        FaultyFileSystem.failures |= {"cat_file": [TimeoutError("late")] * 10_000}
    with ak.config.set(remote_tries=2), pytest.raises(FileError) as told:
        df["n"].tolist()
    assert "has changed" not in str(told.value)
    assert "late" in str(told.value)
    FaultyFileSystem.failures.clear()
    check(df)


def test_a_file_that_is_gone_is_told(url):
    df = opened(url)
    FaultyFileSystem().rm_file(url)
    with pytest.raises(FileError, match="has changed since it was opened"):
        df["f"].tolist()


def test_only_the_wanted_columns_are_read(url, monkeypatch):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 2**10)
    df = opened(url)
    df["n"].tolist()  # where chunks and pages are is known from here on
    FaultyFileSystem.ranges.clear()
    assert df["n"].tolist() == NUMBERS.tolist()
    asked = sum(end - start for _, start, end in FaultyFileSystem.ranges)
    assert asked < FaultyFileSystem().info(url)["size"] // 2


def test_many_small_files_of_a_batch_are_read_ahead(tmp_path):
    urls = []
    for number in range(40):
        path = tmp_path / f"y{number}"
        pq.write_table(pa.table({"n": NUMBERS + number}), path)
        urls.append(f"faulty://bucket/d/y{number}.parquet")
        FaultyFileSystem().pipe_file(urls[-1], path.read_bytes())
    found = ak.read_parquet(urls)["n"]
    assert int(found.sum()) == sum(int((NUMBERS + number).sum()) for number in range(40))
    assert int(found[found > 1030].sum()) == sum(
        int((NUMBERS + number)[NUMBERS + number > 1030].sum()) for number in range(40)
    )
    assert found.tolist() == np.concatenate([NUMBERS + number for number in range(40)]).tolist()
    assert remote._BUFFERS.nbytes == 0


def test_one_of_many_files_that_is_replaced_is_told(tmp_path):
    urls = []
    for number in range(30):
        urls.append(f"faulty://bucket/d/z{number}.parquet")
        path = tmp_path / f"z{number}"
        pq.write_table(pa.table({"n": NUMBERS}), path)
        FaultyFileSystem().pipe_file(urls[-1], path.read_bytes())
    found = ak.read_parquet(urls)["n"]
    path = FaultyFileSystem()._strip_protocol(urls[17])
    FaultyFileSystem.replaced_after = {path: (1, FaultyFileSystem.store[path].getvalue())}
    with pytest.raises(FileError, match=r"z17.*has changed since it was opened"):
        int(found.sum())


def test_libraries_that_read_the_file_themselves_are_repeated_and_read_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 2**18)
    url = stored("lzf", tmp_path)
    FaultyFileSystem.failures["cat_file"] = [TimeoutError("late")] * 2
    FaultyFileSystem.lengths = [10, 10]
    check(opened(url))
    size = FaultyFileSystem().info(url)["size"]
    opened(url)["n"].tolist()
    FaultyFileSystem.ranges.clear()
    with library.open_file(url) as file:
        assert file["n"][:].tolist() == NUMBERS.tolist()
        assert file["f"][:].tolist() == FLOATS.tolist()
    assert len(FaultyFileSystem.ranges) <= -(-size // 2**18)


def test_urls_of_a_list_are_asked_about_together_and_their_folder_is_listed_a_few_times(tmp_path, monkeypatch):
    path = tmp_path / "list"
    pq.write_table(pa.table({"n": NUMBERS}), path)
    urls = [f"faulty://bucket/l/x{number}.parquet" for number in range(64)]
    for url in urls:
        FaultyFileSystem().pipe_file(url, path.read_bytes())
    together, look, left = threading.Barrier(4), FaultyFileSystem.exists, list(range(4))

    def exists(self, path, **kwargs):
        if left and left.pop() is not None:
            together.wait(10)  # for others that are under way
        return look(self, path, **kwargs)

    monkeypatch.setattr(FaultyFileSystem, "exists", exists)
    assert len(ak.read_parquet(urls)["n"]) == 64 * ROWS
    listings = [method for method, _ in FaultyFileSystem.requests if method == "ls"]
    assert len(listings) <= 8


def test_chunks_of_remote_row_groups_are_few_requests_whatever_their_pages(tmp_path, monkeypatch):
    monkeypatch.setattr(tuning, "REQUEST", 2**22)
    monkeypatch.setattr(tuning, "NEAR_BYTES", 2**17)
    path = tmp_path / "pages"
    values = np.arange(40_000)
    table = pa.table({"a": values, "b": values * 2, "c": values * 3.0})
    pq.write_table(table, path, row_group_size=10_000, data_page_size=500, use_dictionary=False)
    url = "faulty://bucket/d/pages.parquet"
    FaultyFileSystem().pipe_file(url, path.read_bytes())
    df = opened(url)
    FaultyFileSystem.ranges.clear()
    assert int(df["a"].sum()) == values.sum()
    assert len(FaultyFileSystem.ranges) <= 4  # one for each row group at most
    FaultyFileSystem.ranges.clear()
    assert float((df["b"] + df["c"]).sum()) == (values * 5.0).sum()
    assert len(FaultyFileSystem.ranges) <= 4  # chunks that lie side by side are one request


def test_whether_many_small_files_are_as_they_were_is_asked_beside_what_brings_bytes(tmp_path):
    urls = []
    for number in range(20):
        path = tmp_path / f"w{number}"
        pq.write_table(pa.table({"n": NUMBERS}), path)
        urls.append(f"faulty://bucket/w/w{number}.parquet")
        FaultyFileSystem().pipe_file(urls[-1], path.read_bytes())
    found = ak.read_parquet(urls)["n"]
    FaultyFileSystem.requests.clear()
    assert int(found.sum()) == 20 * int(NUMBERS.sum())
    asked = [path for method, path in FaultyFileSystem.requests if method == "info"]
    assert len(asked) == len(set(asked)) == 20  # once each


class Refusing(io.BytesIO):
    """A file of a server that gives more than it is asked for."""

    def read(self, size=-1):
        raise ValueError("more than requested")


@pytest.mark.light
@pytest.mark.parametrize("size", [0, 1, 2, 100])
@pytest.mark.parametrize("gives_ranges", [True, False])
def test_a_web_server_is_asked_once_for_the_last_byte_of_a_file(size, gives_ranges, monkeypatch):
    opened = []

    class System:
        def open(self, path, mode):
            opened.append((io.BytesIO if gives_ranges else Refusing)(bytes(size)))
            return opened[-1]

    monkeypatch.setattr(remote, "identify", lambda url: FileIdentity(url, size, "v"))
    monkeypatch.setattr(remote, "file_system", lambda url: (System(), "x"))
    remote._WITH_RANGES.clear()
    for _ in range(2):
        if gives_ranges or size < 2:
            remote.demand_ranges("http://server/x")
        else:
            with pytest.raises(FileError, match="does not support ranges"):
                remote.demand_ranges("http://server/x")
    # The first byte alone is what any server sends.
    assert len(opened) == (0 if size < 2 else 1 if gives_ranges else 2)
    remote.demand_ranges("s3://server/x")
    remote._WITH_RANGES.clear()


@pytest.mark.parametrize(("is_same", "told"), [(True, "damaged"), (False, "has changed"), (None, "damaged")])
def test_damage_is_told_unless_the_file_is_known_to_have_changed(monkeypatch, is_same, told):
    url = "faulty://bucket/d/x"
    FaultyFileSystem().pipe_file(url, b"x")

    def answer(_):
        if is_same is None:
            raise FileError("no answer.")
        return is_same

    monkeypatch.setattr(remote.RemoteBytes, "is_same", answer)
    with pytest.raises(FileError, match=told), ranges.range_reader(identify(url)):
        raise FileFormatError("damaged.")
