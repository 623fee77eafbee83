"""Rules of files as tables: how rows and bytes are split, which names belong together, which failures may pass."""

from __future__ import annotations

import errno
import os
import re
from datetime import UTC, datetime
from glob import glob

import numpy as np
import pytest

from akdask.errors import ArgumentError, ArgumentTypeError, FileFormatError
from akdask.storage import catalog, files, locales, ranges, remote, tuning
from akdask.storage.catalog import Catalog, Entry
from akdask.storage.files import FileIdentity
from akdask.storage.ranges import PartitionRanges, split_rows
from akdask.storage.remote import _Request, _requests, _split

# ---- rows and bytes


def lengths_of(rows, nbytes, limit, **options):
    """Return the rows of the ranges of each file, which follow each other without a gap."""
    given = {name: np.array(value, np.int64) for name, value in options.items()}
    found = split_rows(np.array(rows, np.int64), np.array(nbytes, np.int64), limit, **given)
    assert isinstance(found, PartitionRanges)
    parts = [[] for _ in rows]
    for file, start, stop in zip(found.files.tolist(), found.starts.tolist(), found.stops.tolist(), strict=True):
        assert start == sum(parts[file])
        parts[file].append(stop - start)
    assert [sum(part) for part in parts] == list(rows)
    return parts


@pytest.mark.parametrize(
    ("rows", "nbytes", "limit", "expected"),
    [
        ([5, 2], [40, 16], 20, [[3, 2], [2]]),
        ([10], [80], 80, [[10]]),
        ([10], [81], 80, [[5, 5]]),
        ([2**62] * 9, [0] * 9, 80, [[2**62]] * 9),
        ([10], [80], 27, [[4, 4, 2]]),
        ([10], [80], 8, [[1] * 10]),
        ([10], [80], 1, [[1] * 10]),
        ([0, 3], [0, 24], 8, [[0], [1, 1, 1]]),
        ([0], [10**12], 1, [[0]]),
        ([7], [56], 10**15, [[7]]),
    ],
)
def test_files_are_split_into_ranges_of_about_equal_rows(rows, nbytes, limit, expected):
    assert lengths_of(rows, nbytes, limit) == expected


def test_ranges_are_no_more_than_is_allowed_and_begin_at_chunks(monkeypatch):
    assert lengths_of([10, 10], [80, 80], 8, most=[3, 0]) == [[4, 4, 2], [10]]
    assert lengths_of([10], [80], 8, grain=[4]) == [[4, 4, 2]]
    assert lengths_of([10], [80], 40, grain=[4]) == [[8, 2]]
    assert lengths_of([10], [80], 20, grain=[1]) == [[3, 3, 3, 1]]
    monkeypatch.setattr(ranges, "MOST_PARTITIONS", 6)
    assert lengths_of([10, 20], [80, 160], 8) == [[5, 5], [5, 5, 5, 5]]
    assert lengths_of([1] * 7, [8] * 7, 8) == [[1]] * 7
    assert lengths_of([6], [48], 8) == [[1] * 6]


def test_large_ranges_begin_at_units_of_rows_that_floats_are_added_up_by(monkeypatch):
    monkeypatch.setattr(ranges, "ALIGNED_ROWS", 4)
    monkeypatch.setattr(tuning, "MANY_RANGES", 2)
    assert lengths_of([20], [160], 80) == [[12, 8]]
    assert lengths_of([20], [160], 72) == [[7, 7, 6]]
    assert lengths_of([21], [160], 80) == [[12, 9]]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([0], [[0]]),
        ([2**18], [[2**18]]),
        ([2**18 + 1], [[2**17, 2**17 + 1]]),
        ([400_000], [[196_608, 203_392]]),
        ([800_000], [[196_608, 196_608, 196_608, 210_176]]),
        ([2**20, 0, 451_424], [[360_448, 360_448, 327_680], [0], [229_376, 222_048]]),
        ([2**20 + 2], [[262_144, 262_144, 262_144, 262_146]]),
        ([2**20] * 4, [[2**20]] * 4),
        ([2**20] * 3, [[2**19, 2**19]] * 3),
        ([2**16] * 4, [[2**16]] * 4),
    ],
)
def test_few_files_are_split_for_several_threads_where_units_of_rows_begin(rows, expected):
    sizes = [8 * count for count in rows]
    assert lengths_of(rows, sizes, 2**40) == expected
    assert lengths_of(rows, sizes, 2**40, grain=[1] * len(rows)) == [[count] for count in rows]


def bounds_of(requests):
    return [(request.start, request.stop) for request in requests]


def test_ranges_are_fetched_by_requests_of_a_size_that_short_rests_join(monkeypatch):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 3)
    for (start, stop, size), expected in {
        (0, 10, 10): [(0, 10)],
        (0, 20, 10): [(0, 10), (10, 20)],
        (0, 22, 10): [(0, 10), (10, 22)],
        (0, 23, 10): [(0, 10), (10, 20), (20, 23)],
        (5, 7, 10): [(5, 7)],
        (5, 5, 10): [],
    }.items():
        assert bounds_of(_split(start, stop, size)) == expected


@pytest.mark.parametrize(
    ("streams", "expected"),
    [
        ([[(0, 4), (4, 8)]], [(0, 8)]),
        ([[(0, 4), (7, 9)]], [(0, 9)]),
        ([[(0, 4), (8, 9)]], [(0, 4), (8, 9)]),
        ([[(0, 6), (8, 11)]], [(0, 6), (8, 11)]),
        ([[(0, 6), (8, 10)]], [(0, 10)]),
        ([[(8, 10)], [(0, 6)]], [(0, 10)]),
        # A range that is larger than a request is split, and no other one joins it.
        ([[(0, 2), (2, 25), (25, 26)]], [(0, 2), (2, 12), (12, 22), (22, 25), (25, 26)]),
        # What two streams read is fetched once.
        ([[(0, 6)], [(3, 9)]], [(0, 9)]),
        ([[(0, 6)], [(2, 5)]], [(0, 6)]),
        ([[(0, 6), (0, 6)]], [(0, 6)]),
        ([[], [(4, 4)]], []),
    ],
)
def test_short_ranges_that_are_close_together_share_a_request(monkeypatch, streams, expected):
    monkeypatch.setattr(tuning, "NEAR_BYTES", 3)
    assert bounds_of(_requests(streams, 10)) == expected


def test_requests_of_many_streams_are_small(monkeypatch):
    monkeypatch.setattr(tuning, "REQUEST", 1000)
    monkeypatch.setattr(tuning, "NEAR_BYTES", 10)
    monkeypatch.setattr(tuning, "TASK_SHARE", 4)
    monkeypatch.setattr(remote, "buffer_limit", lambda: 8000)
    assert [remote._request_size(count) for count in (0, 1, 2, 4, 200, 10**6)] == [1000, 1000, 1000, 500, 10, 10]
    monkeypatch.setattr(remote, "buffer_limit", lambda: 0)
    monkeypatch.setattr(tuning, "MOST_READ_AHEAD", 400)
    assert remote._request_size(1) == 100


def test_requests_are_begun_once_and_only_where_there_is_room(monkeypatch):
    monkeypatch.setattr(remote, "threads", Threads)
    monkeypatch.setattr(remote, "_BUFFERS", remote._Buffers())
    request = _Request(0, 100)
    assert not request.begin(None, 99)
    assert request.future is None
    assert request.begin(None, 100)
    assert request.begin(None, 0)
    assert remote._BUFFERS.nbytes == 100
    other = _Request(100, 150)
    assert not other.begin(None, 149)
    assert other.begin(None, 150)
    request.drop()
    assert remote._BUFFERS.nbytes == 50
    request.drop()
    assert remote._BUFFERS.nbytes == 50


class Threads:
    """Stands for threads, which do nothing."""

    def submit(self, *_):
        return self

    def cancel(self):
        """Do nothing."""

    def add_done_callback(self, function):
        function(self)


# ---- names


@pytest.mark.parametrize(
    ("path", "of_set", "numbered", "samples", "split"),
    [
        ("d/x_LOCALE0003.h5", "d/x.h5", "d/x_LOCALE0003.h5", "d/x_LOCALE0003.samples", ("d/x.h5", "0003")),
        ("d/x_LOCALE0003", "d/x", "d/x_LOCALE0003", "d/x_LOCALE0003.samples", ("d/x", "0003")),
        (
            "d/x_LOCALE1_LOCALE22.h5",
            "d/x.h5",
            "d/x_LOCALE1_LOCALE22.h5",
            "d/x_LOCALE1_LOCALE22.samples",
            ("d/x_LOCALE1.h5", "22"),
        ),
        ("d/x_LOCALE3.tar.gz", "d/x_LOCALE3.tar.gz", "d/x_LOCALE3.tar.gz", "d/x_LOCALE3.tar.samples", None),
        ("d/x_0003.h5", "d/x_0003.h5", "d/x.h5", "d/x_0003.samples", None),
        ("d/x_12345", "d/x_12345", "d/x", "d/x_12345.samples", None),
        ("d/x_003.h5", "d/x_003.h5", "d/x_003.h5", "d/x_003.samples", None),
        ("d_LOCALE0001/x.h5", "d_LOCALE0001/x.h5", "d_LOCALE0001/x.h5", "d_LOCALE0001/x.samples", None),
    ],
)
def test_names_tell_the_set_of_a_file(path, of_set, numbered, samples, split):
    assert locales.set_path(path) == of_set
    assert locales.numbered_set_path(path) == numbered
    assert locales.list_path(path) == samples
    assert locales.split_locale(path) == split


def test_hidden_folders_tell_what_they_are_for():
    for path in "d/x.h5", "x.h5", "s3://b/x.h5":
        of_files, of_folder = locales.hidden_folder(path), locales.hidden_folder_of_folder(path)
        assert [locales.set_of(hidden) for hidden in (of_files, of_folder)] == [path, path]
        assert [locales.replaces_folder(hidden) for hidden in (of_files, of_folder)] == [False, True]
        assert [locales.is_in_hidden_folder(f"{hidden}/0") for hidden in (of_files, of_folder)] == [True, False]
        assert not locales.is_in_hidden_folder(of_files)


NAMES = ["x_LOCALE0000.h5", "x_LOCALE0001.h5", "x2_LOCALE0000.h5", "y.h5", "y.csv", "[z].h5", "a.b.h5", "ab.h5"]


@pytest.mark.parametrize(
    "pattern",
    ["*.h5", "x_LOCALE*.h5", "?.h5", "?.*", "[xy]*.h5", "[!xy]*", "*[0-9].h5", "a?b*", "y.h5", "*", "[[]z].h5", "x?_*"],
)
def test_patterns_of_paths_are_those_of_glob(tmp_path, pattern):
    for name in NAMES:
        (tmp_path / name).touch()
    expression = re.compile(locales._glob_expression(pattern))
    assert sorted(filter(expression.fullmatch, NAMES)) == sorted(map(os.path.basename, glob(str(tmp_path / pattern))))
    assert not re.fullmatch(locales._glob_expression("*.h5"), "d/y.h5")
    assert re.fullmatch(locales._glob_expression("**/y.h5"), "a/b/y.h5")


@pytest.mark.parametrize(
    ("given", "lost"),
    [
        ([], []), (["y.h5"], []), (["x_LOCALE0000"], []), (["x_LOCALE0001"], ["x_LOCALE0000"]),
        (["x_LOCALE0000.h5", "x_LOCALE0002.h5", "x_LOCALE0001"], ["x_LOCALE0001.h5", "x_LOCALE0000"]),
        (["x_LOCALE2", "x_LOCALE10"], [f"x_LOCALE{number}" for number in (0, 1, 3, 4, 5, 6, 7, 8, 9)]),
        (["x_LOCALE09", "x_LOCALE08"], [f"x_LOCALE0{number}" for number in range(8)]),
    ],
)  # fmt: skip
def test_numbers_below_the_highest_are_missed(given, lost):
    assert list(locales.missing_locales(given)) == lost


def test_names_are_text_or_paths(tmp_path):
    assert locales.names_of("x") == ["x"]
    assert locales.names_of([tmp_path, "y"]) == [str(tmp_path), "y"]
    assert locales.names_of(("a", "b")) == ["a", "b"]
    for wrong in 5, [5], ["x", None]:
        with pytest.raises(ArgumentTypeError, match="named by a str or path"):
            locales.names_of(wrong)


def test_similar_names_are_told(tmp_path):
    for name in "flows.h5", "flows.csv", "flow_2.h5", "flows_LOCALE0000.h5", "other":
        (tmp_path / name).touch()
    near = locales.nearby_files
    assert near(str(tmp_path / "flows.parquet")) == "nearby: flows.csv, flows.h5, flows_LOCALE0000.h5"
    assert near(str(tmp_path / "flow_*.csv")) == "nearby: flow_2.h5"
    assert near(str(tmp_path / "othr")) == "nearby: other"
    assert near(str(tmp_path / "zzz")) is None


# ---- states of files


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({}, ""), ({"ETag": "e"}, "e"), ({"ETag": "", "etag": "f"}, "f"), ({"md5Hash": "m", "mtime": 5}, "m"),
        ({"mtime": 5.5}, "5.5"), ({"LastModified": datetime(2020, 1, 1, tzinfo=UTC)}, "1577836800.0"),
        ({"created": 7, "updated": 8}, "8"), ({"checksum": 3, "crc32c": "c"}, "c"),
    ],
)  # fmt: skip
def test_the_mark_of_content_tells_the_version_of_a_remote_file_before_its_time(info, expected):
    assert files.version_of(info) == expected


def with_attribute(error, name, value):
    setattr(error, name, value)
    return error


class ClientPayloadError(Exception):
    """Stands for an error of the same name."""


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TimeoutError(), True), (ConnectionResetError(), True), (OSError(errno.EBUSY, "busy"), True),
        (OSError(errno.EACCES, "no"), False),
        (ValueError(), False), (with_attribute(ValueError(), "status", 503), True), (with_attribute(ValueError(),
        "status", 404), False),
        (with_attribute(ValueError(), "code", 429), True), (ClientPayloadError(), True), (FileNotFoundError(), False),
        (with_attribute(FileNotFoundError(), "__cause__", TimeoutError()), True),
        (with_attribute(FileNotFoundError(), "__cause__", ValueError()), False),
    ],
)  # fmt: skip
def test_failures_that_may_pass_are_those_of_connections_and_busy_servers(error, expected):
    assert files.is_transient(error) == expected
    assert files._is_said_missing(error) == (expected and isinstance(error, FileNotFoundError))


def test_requests_are_repeated_as_often_as_the_setting_says(monkeypatch):
    pauses = []
    monkeypatch.setattr(files.time, "sleep", pauses.append)
    monkeypatch.setattr(files.random, "uniform", lambda low, high: high)
    monkeypatch.setattr(tuning, "RETRY_PAUSE", 1)
    monkeypatch.setattr(tuning, "LONGEST_RETRY_PAUSE", 5)
    monkeypatch.setattr(files.config, "get", lambda _: 4)
    failures = [TimeoutError(), TimeoutError(), TimeoutError()]

    def request():
        if failures:
            raise failures.pop()
        return "found"

    assert files.retrying(request) == "found"
    assert pauses == [2, 4, 5]
    failures += [TimeoutError()] * 4
    with pytest.raises(TimeoutError):
        files.retrying(request)
    assert failures == []
    failures += [ValueError("of its own"), ValueError("first")]
    with pytest.raises(files.NoAnswerError, match="ValueError: first"):
        files.retrying(request)
    assert len(failures) == 1
    failures[:] = [PermissionError()]
    with pytest.raises(PermissionError):
        files.retrying(request)


@pytest.mark.parametrize(
    "path",
    [
        "",
        "  ",
        "d/",
        ".",
        "..",
        "d/..",
        "/dev/x",
        "/proc/x.h5",
        "/sys/a/x",
        "s3://b",
        "s3://b/",
        "s3://b/d/",
        "file:///dev/x",
        "memory:// ",
    ],
)
def test_paths_that_no_files_can_be_written_under_are_refused(path):
    with pytest.raises(ArgumentError):
        files.written_path(path)


def test_paths_of_files_that_are_written_are_absolute(tmp_path):
    assert files.written_path("x.h5") == os.path.abspath("x.h5")
    assert files.written_path("~/x.h5") == os.path.expanduser("~/x.h5")
    assert files.written_path(f"file://{tmp_path}/a%20b.h5") == f"{tmp_path}/a b.h5"
    assert files.written_path("/dev/shm/x.h5") == "/dev/shm/x.h5"
    assert files.written_path("memory://d/x.h5") == "memory://d/x.h5"
    assert files.written_path(tmp_path / "x") == str(tmp_path / "x")
    for wrong in b"x", 5, None:
        with pytest.raises(ArgumentTypeError):
            files.written_path(wrong)
    for name in "a\0b", "\ud800":
        with pytest.raises(ArgumentError, match="no file can have"):
            files.absolute(name)


def test_regular_files_alone_are_opened(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("x")
    os.mkfifo(tmp_path / "fifo")
    folder = os.open(tmp_path, os.O_RDONLY)
    try:
        for name, options in (("x", {}), ("link", {"follows": True}), ("x", {"folder": folder})):
            descriptor = files.open_regular(name if "folder" in options else str(tmp_path / name), **options)
            assert os.read(descriptor, 9) == b"abc"
            assert not os.get_inheritable(descriptor)
            os.close(descriptor)
        for name, number in (("link", errno.ELOOP), ("fifo", errno.EINVAL), ("none", errno.ENOENT)):
            with pytest.raises(OSError, match=name) as found:
                files.open_regular(str(tmp_path / name))
            assert found.value.errno == number
    finally:
        os.close(folder)
    with pytest.raises(FileFormatError, match="FIFO"):
        files.identify(str(tmp_path / "fifo"))
    with pytest.raises(FileFormatError, match="is a folder"):
        files.identify(str(tmp_path))


def test_files_of_other_users_and_large_ones_are_refused(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    status = os.stat(tmp_path / "x")
    files.check_status(status, 3, {status.st_uid}, "x")
    files.check_status(status, 3, None, "x")
    with pytest.raises(OSError, match="too large"):
        files.check_status(status, 2, None, "x")
    with pytest.raises(PermissionError):
        files.check_status(status, 3, {status.st_uid + 1}, "x")


def test_the_state_of_a_file_tells_its_times_and_owner(tmp_path):
    (tmp_path / "x").write_bytes(b"abc")
    file = files.identify(str(tmp_path / "x"))
    status = os.stat(tmp_path / "x")
    assert (files.owner_of(file), file.size) == (status.st_uid, 3)
    assert files.last_changed(file) == max(status.st_mtime_ns, status.st_ctime_ns)
    assert files.last_changed(FileIdentity("x", 3, "7/5/1/0")) == 7
    assert files.last_changed(FileIdentity("x", 3, "5/7/1/0")) == 7
    assert files.has_status(file, status)
    os.utime(tmp_path / "x", ns=(1, 1))
    assert not files.has_status(file, os.stat(tmp_path / "x"))
    assert not files.is_unchanged(file)


def test_data_in_folders_are_files_without_a_dot_or_an_underscore(tmp_path):
    for name in "a", ".b", "_c", "d/e", ".f/g", "_h/i", "d/_j", "d/k/l":
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    below = sorted(os.path.relpath(path, tmp_path) for path in files.files_below(str(tmp_path)))
    assert below == ["a", "d/e", "d/k/l"]
    assert sorted(files.identities_below(str(tmp_path))) == [".b", ".f/g", "_c", "_h/i", "a", "d/_j", "d/e", "d/k/l"]
    assert sorted(files.names_in(str(tmp_path))) == [".b", ".f", "_c", "_h", "a", "d"]
    assert files.names_in(str(tmp_path / "none")) == []


# ---- catalogs of stores


ENTRY = {"name": "x_LOCALE0000.h5", "upload": "x_LOCALE0000.h5", "size": 3, "mark": "m"}
CONTENT = {"akdask": 1, "tag": "0" * 32, "published": False, "files": [ENTRY], "stale": ["x_LOCALE0001.h5"]}


def test_a_catalog_is_read_as_it_was_written():
    tag = next(tag for tag in ("0" * 32, "a", "0", "0" * 16, "0" * 8) if catalog._TAG.fullmatch(tag))
    found = Catalog._parsed("s3://b/x.h5", CONTENT | {"tag": tag})
    assert found == Catalog("s3://b/x.h5", tag, False, (Entry(**ENTRY),), ("x_LOCALE0001.h5",))
    assert (found.folder, found.uploads) == ("s3://b", f"s3://b/.x.h5.akdask-write/{tag}")
    for wrong in (
        {"akdask": 2}, {"published": 1}, {"files": []}, {"files": [ENTRY, ENTRY]}, {"tag": "../x"}, {"stale": ["y.h5"]},
        {"files": [ENTRY | {"name": "d/x.h5"}]}, {"files": [ENTRY | {"name": "y.h5"}]},
        {"files": [ENTRY | {"upload": "y.h5"}]},
        {"files": [ENTRY | {"size": "3"}]}, {"files": [ENTRY | {"size": True}]}, {"files": [ENTRY | {"mark": 5}]},
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            Catalog._parsed("s3://b/x.h5", CONTENT | {"tag": tag} | wrong)


def test_urls_of_stores_are_those_that_sets_are_written_to():
    stored = {
        "s3://b/x": True,
        "memory://x": True,
        "http://a/x": False,
        "https://a/x": False,
        "file:///x": False,
        "/x": False,
    }
    assert {url: catalog.is_stored(url) for url in stored} == stored
    assert [catalog._folder_of(url) for url in ("s3://b/d/x.h5", "s3://b/d/", "s3://b/d")] == [
        "s3://b/d",
        "s3://b",
        "s3://b",
    ]
    assert catalog._plain("memory:///d/x/") == catalog._plain("memory://d/x") == "memory://d/x"
    assert [catalog.size_of(info) for info in (None, {}, {"size": 0})] == [None, None, 0]


@pytest.mark.parametrize(
    ("rows", "nbytes", "limit", "cut", "by_size"),
    [
        ([2**21], [2**24], 2**30, 4, 1),
        ([2**21], [2**24], 2**23, 4, 2),
        ([2**21], [2**24], 2**21, 8, 8),
        ([2**20, 3, 2**20], [2**23, 24, 2**23], 2**30, 5, 3),
        ([0, 5], [0, 40], 20, 3, 3),
    ],
)
def test_partitions_by_size_leave_out_what_is_cut_for_threads(rows, nbytes, limit, cut, by_size):
    found = split_rows(np.array(rows, np.int64), np.array(nbytes, np.int64), limit)
    assert (len(found.files), found.by_size) == (cut, by_size)
