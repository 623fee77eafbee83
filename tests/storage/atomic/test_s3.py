"""Sets on an S3 server that the tests start: signed and anonymous access, failures, killed writers.

Skipped, and told of at the end of the run, where ``moto[server]`` and ``s3fs`` are not installed.
"""

from contextlib import suppress

import numpy as np
import pytest

import akdask as ak
from akdask.errors import AkdaskError, InconsistentFilesError, WriteError

REASON = "moto[server] and s3fs are not installed; pip install 'akdask[test]'"
server = pytest.importorskip("moto.server", reason=REASON)
s3fs = pytest.importorskip("s3fs", reason=REASON)

# Sessions of aiohttp end with their event loop, which fsspec never ends; botocore and moto call what Python removes.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:.* existing files"),
]
URLS = {"hdf": "s3://bucket/d/x.h5", "parquet": "s3://bucket/d/x.parquet", "csv": "s3://bucket/d/x.csv"}
OLD, NEW = np.arange(10), np.arange(100, 112)


@pytest.fixture(scope="module")
def endpoint():
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def options(endpoint):
    found = {"key": "k", "secret": "s", "client_kwargs": {"endpoint_url": endpoint}}
    system = s3fs.S3FileSystem(**found, use_listings_cache=False)
    if system.exists("bucket"):
        system.rm("bucket", recursive=True)
    system.mkdir("bucket")
    return found


@pytest.fixture(params=URLS)
def kind(request):
    return request.param


def write(kind, values, count, options):
    given = {"overwrite": True} if kind == "csv" else {}
    getattr(ak, f"to_{kind}")({"a": ak.array(values)}, URLS[kind], num_locales=count, storage_options=options, **given)


def read(kind, options, name=None):
    return getattr(ak, f"read_{kind}")(name or URLS[kind], storage_options=options)["a"].tolist()


def test_sets_are_written_read_and_replaced(kind, options):
    write(kind, OLD, 3, options)
    assert read(kind, options) == OLD.tolist()
    assert read(kind, options, URLS[kind].replace("x.", "x_LOCALE*.")) == OLD.tolist()
    write(kind, NEW, 2, options)
    assert read(kind, options) == NEW.tolist()
    assert ak.ls(URLS[kind], storage_options=options) == ["a"]
    system = s3fs.S3FileSystem(**options, use_listings_cache=False)
    assert sum("LOCALE" in path for path in system.find("bucket")) == 2
    assert not any("akdask-write" in path for path in system.find("bucket"))


def test_lazy_results_keep_the_options_of_their_own_read(options):
    write("hdf", OLD, 3, options)
    found = ak.read_hdf(URLS["hdf"], storage_options=options)["a"]
    other = ak.arange(3)
    assert int((found * 2).sum()) + int(other.sum()) == 2 * OLD.sum() + 3
    assert "secret" not in repr(found)


def test_anonymous_access_reads(options):
    write("parquet", OLD, 2, options)
    system = s3fs.S3FileSystem(**options, use_listings_cache=False)
    for path in system.find("bucket"):
        system.chmod(path, acl="public-read")
    assert read("parquet", {"anon": True, "client_kwargs": options["client_kwargs"]}) == OLD.tolist()


def test_a_bucket_that_is_not_there_is_an_error(options):
    with pytest.raises(AkdaskError):
        ak.read_hdf("s3://nowhere/d/x.h5", storage_options=options)
    with pytest.raises(WriteError, match="nowhere"):
        ak.to_hdf({"a": ak.arange(3)}, "s3://nowhere/d/x.h5", storage_options=options)


def test_a_replaced_object_is_told(options):
    write("hdf", OLD, 3, options)
    system = s3fs.S3FileSystem(**options, use_listings_cache=False)
    system.pipe_file("bucket/d/x_LOCALE0001.h5", b"other bytes")
    with pytest.raises(InconsistentFilesError, match="catalog"):
        read("hdf", options)


@pytest.mark.parametrize("method", ["_put_file", "_pipe_file", "_cp_file", "_cat_file", "_info"])
def test_requests_that_fail_for_a_while_are_repeated(method, options, monkeypatch):
    true, failures = getattr(s3fs.S3FileSystem, method), [OSError(16, "SlowDown"), TimeoutError("late")]

    async def failing(self, *args, **kwargs):
        if failures:
            raise failures.pop()
        return await true(self, *args, **kwargs)

    monkeypatch.setattr("akdask.storage.tuning.RETRY_PAUSE", 0)
    monkeypatch.setattr(s3fs.S3FileSystem, method, failing)
    s3fs.S3FileSystem.clear_instance_cache()  # instances keep the methods that they were made with
    write("hdf", OLD, 2, options)
    assert read("hdf", options) == OLD.tolist()
    assert not failures


LARGE = np.arange(20_000)


class Throttled(Exception):
    status = 503


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("kind", ["hdf", "parquet"], indirect=True)
@pytest.mark.parametrize("trouble", ["late", "cut", "status"])
def test_ranges_that_fail_or_are_cut_are_asked_for_again(kind, trouble, options, monkeypatch):
    write(kind, LARGE, 1, options)
    true, troubles = s3fs.S3FileSystem._cat_file, [trouble] * 3

    async def troubled(self, path, version_id=None, start=None, end=None):
        found = await true(self, path, version_id, start, end)
        if start is None or not troubles:
            return found
        troubles.pop()
        if trouble == "cut":
            return found[: len(found) // 2]
        raise TimeoutError("late") if trouble == "late" else Throttled("slow down")

    monkeypatch.setattr("akdask.storage.tuning.RETRY_PAUSE", 0)
    monkeypatch.setattr("akdask.storage.tuning.REQUEST", 2**14)
    found = getattr(ak, f"read_{kind}")(URLS[kind], storage_options=options)["a"]
    monkeypatch.setattr(s3fs.S3FileSystem, "_cat_file", troubled)
    s3fs.S3FileSystem.clear_instance_cache()  # instances keep the methods that they were made with
    assert found.tolist() == LARGE.tolist()
    assert int(found.sum()) == LARGE.sum()
    assert not troubles


@pytest.mark.parametrize("kind", ["hdf", "parquet"], indirect=True)
def test_an_object_that_is_replaced_while_it_is_read_is_told(kind, options, monkeypatch):
    write(kind, LARGE, 1, options)
    true, system = s3fs.S3FileSystem._cat_file, s3fs.S3FileSystem(**options, use_listings_cache=False)
    (path,) = (path for path in system.find("bucket") if "LOCALE" in path)
    replies = []

    async def replacing(self, path, version_id=None, start=None, end=None):
        found = await true(self, path, version_id, start, end)
        replies.append(start)
        if len(replies) == 2:
            await self._pipe_file(path, content[:100] + bytes(len(content) - 200) + content[-100:])
        return found

    content = system.cat_file(path)
    found = getattr(ak, f"read_{kind}")(URLS[kind], storage_options=options)["a"]
    monkeypatch.setattr("akdask.storage.tuning.REQUEST", 2**14)
    monkeypatch.setattr(s3fs.S3FileSystem, "_cat_file", replacing)
    s3fs.S3FileSystem.clear_instance_cache()
    with pytest.raises(AkdaskError, match="has changed since it was opened"):
        found.tolist()


def test_objects_are_added_and_updated(options):
    write("hdf", OLD, 3, options)
    ak.to_hdf({"b": ak.array(OLD * 2)}, URLS["hdf"], mode="append", num_locales=3, storage_options=options)
    ak.update_hdf({"a": ak.array(NEW[:10])}, URLS["hdf"], storage_options=options)
    found = ak.read_hdf(URLS["hdf"], storage_options=options)
    assert found["a"].tolist() == NEW[:10].tolist()
    assert found["b"].tolist() == (OLD * 2).tolist()


@pytest.mark.sampled(one_of=2)
@pytest.mark.parametrize("method", ["_put_file", "_cp_file", "_rm_file", "_pipe_file"])
@pytest.mark.parametrize("after", [0, 1])
def test_killed_writers_leave_the_old_set_or_the_new(method, after, options, monkeypatch):
    write("hdf", OLD, 3, options)
    true, calls = getattr(s3fs.S3FileSystem, method), []

    async def killing(self, *args, **kwargs):
        calls.append(args)
        if len(calls) > after:
            raise OSError(1, "killed")
        return await true(self, *args, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(s3fs.S3FileSystem, method, killing)
        s3fs.S3FileSystem.clear_instance_cache()
        patched.setattr("akdask.storage.transaction.StoreTransaction.discard", lambda _: None)
        with suppress(WriteError):
            write("hdf", NEW, 2, options)
    s3fs.S3FileSystem.clear_instance_cache()
    assert read("hdf", options) in (OLD.tolist(), NEW.tolist())
    write("hdf", OLD[:4], 1, options)
    assert read("hdf", options) == OLD[:4].tolist()
