"""Objects, formats and sources as other code sees them: numbers of kinds, defaults, names, messages."""

from __future__ import annotations

import errno
import gzip
import os
import sys
import warnings
from contextlib import nullcontext
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pytest

import akdask as ak
from akdask import caches
from akdask.errors import (
    ArgumentError,
    FileError,
    FileFormatError,
    MissingFileError,
    UnsupportedError,
)
from akdask.storage import catalog, files, locales, ranges, registry, remote, source, staged_writer, tuning
from akdask.storage.files import FileIdentity, StorageOptions
from akdask.storage.objects import Difference, ObjType, differing_error, unique_names, warn_of_left_out
from akdask.storage.registry import Format, SetOpener
from akdask.storage.single_file import may_have_transactions, put_file, sync
from akdask.storage.source import Bounds, PartReader

# ---- kinds and names


def test_kinds_have_the_numbers_and_names_of_arkouda():
    assert {kind.name: (kind.value, kind.label) for kind in ObjType} == {
        "UNKNOWN": (-1, "Unknown"), "ARRAYVIEW": (0, "ArrayView"), "PDARRAY": (1, "pdarray"), "STRINGS": (2, "Strings"),
        "SEGARRAY": (3, "SegArray"), "CATEGORICAL": (4, "Categorical"), "GROUPBY": (5, "GroupBy"),
        "DATAFRAME": (6, "DataFrame"), "DATETIME": (7, "Datetime"), "TIMEDELTA": (8, "Timedelta"), "IPV4": (9, "IPv4"),
        "BITVECTOR": (10, "BitVector"), "SERIES": (11, "Series"), "INDEX": (12, "Index"),
        "MULTIINDEX": (13, "MultiIndex"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        ([], []), (["x", "y"], ["x", "y"]), (["x", "x"], ["x", "x.1"]), (["x", "x", "x"], ["x", "x.1", "x.2"]),
        (["x", "y", "x", "x.1"], ["x", "y", "x.2", "x.1"]), (["x.1", "x", "x"], ["x.1", "x", "x.2"]),
        (["x", "x", "x.1", "x.1"], ["x", "x.2", "x.1", "x.1.1"]), (["", ""], ["", ".1"]),
    ],
)  # fmt: skip
def test_names_that_are_twice_get_numbers(names, expected):
    assert list(unique_names(names)) == expected


def differences(count, *, can_widen=False):
    return {f"c{k}": Difference(f"reason {k % 2}", [f"file {k}"], can_widen and k == 1) for k in range(count)}


@pytest.mark.parametrize("count", [1, 2, 10, 11])
@pytest.mark.parametrize("can_widen", [False, True])
def test_objects_that_differ_between_files_are_told(count, can_widen):
    found = differing_error(differences(count, can_widen=can_widen))
    names = ", ".join(f"'c{k}'" for k in range(min(count, 10))) + ", …" * (count > 10)
    reasons = "; ".join(f"reason {k}" for k in range(min(count, 2)))
    assert found.message == f"the files of the set differ in {names}: {reasons}."
    assert found.details == tuple(f"'c{k}': file {k}" for k in range(count))
    widening = "widen=True reads numbers in a type that has all of them; " if can_widen and count > 1 else ""
    assert found.hint == f"{widening}allow_errors=True leaves out files that are unlike the first."
    assert differences(1)["c0"].error("x", "do this").hint == "do this."
    assert differences(1)["c0"].error("x", "do this").message == "the files of the set differ in 'x': reason 0."


@pytest.mark.parametrize(("differing", "unreadable"), [(0, 0), (1, 0), (0, 1), (2, 3), (10, 0), (10, 1), (0, 12)])
@pytest.mark.parametrize("can_widen", [False, True])
def test_one_warning_tells_all_that_is_left_out(differing, unreadable, can_widen):
    lost = {f"u{k}": f"because {k}" for k in range(unreadable)}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        warn_of_left_out("read('x')", differences(differing, can_widen=can_widen), lost or None)
    total = differing + unreadable
    assert len(told) == (total > 0)
    for each in told:
        first, *lines, hint = str(each.message).split("\n")
        whats = ["what its files have differently"] * (differing > 0) + ["what cannot be read"] * (unreadable > 0)
        assert first == f"read('x') leaves out {' and '.join(whats)}:"
        named = [f"'c{k}': reason {k % 2}" for k in range(differing)] + [f"{n!r}: {r}" for n, r in lost.items()]
        assert lines == named[:10] + [f"… and {total - 10} more"] * (total > 10)
        hints = ["Ask for one by its name to see which files differ"] * (differing > 0)
        hints += ["widen=True reads numbers of several types in one"] * (can_widen and differing > 1)
        hints += ["Name the others to read them without this warning"] * (not differing)
        assert hint == "; ".join(hints) + "."


# ---- formats

ATTRIBUTES = (
    "signatures", "folder_signatures", "extensions", "is_tabular", "joins_partitions", "chooses_partitions",
    "has_missing_rows", "missing_as_nan", "has_time_units",
)  # fmt: skip


def test_a_format_says_what_it_can_and_no_more():
    class Plain(Format):
        name = "Plain"

    class Opened(Plain):
        def open(self, filenames, **options):
            return filenames

    known = registry.formats()
    told = {name: tuple(getattr(one, each) for each in ATTRIBUTES) for name, one in known.items()}
    told["Plain"] = tuple(getattr(Plain(), each) for each in ATTRIBUTES)
    assert told == {
        "HDF5": ((b"\x89HDF\r\n\x1a\n",), (), (".h5", ".hdf5"), False, True, False, False, False, False),
        "Parquet": ((b"PAR1",), (), (".parquet", ".pq"), True, True, False, True, False, True),
        "CSV": ((b"**HEADER",), (), (".csv",), True, True, False, False, True, False),
        "Zarr": ((), (".zarray", ".zgroup", "zarr.json"), (".zarr",), False, False, True, False, False, False),
        "Plain": ((), (), (), False, False, False, False, False, False),
    }
    assert (Plain.read_options, Plain.write_options) == (frozenset(), frozenset())
    assert (Plain().is_supported, Opened().is_supported) == (False, True)
    assert not Plain().recognizes(b"")
    assert not Plain().recognizes_packed("x")
    for call, text in (
        (lambda: Plain().open(["a", "b"]), "'a' is a Plain file"),
        (lambda: Plain().damages(["a", "b"]), "no manifests"),
        (lambda: Plain().writer("x", [], npartitions=1), "'Plain' cannot be written"),
    ):  # fmt: skip
        with pytest.raises(UnsupportedError, match=text):
            call()


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("x.h5", "HDF5"), ("x.HDF5", "HDF5"), ("x.parquet", "Parquet"), ("x.pq", "Parquet"), ("x.csv", "CSV"),
        ("x.zarr", "Zarr"), ("x", "HDF5"), ("x.txt", "HDF5"), ("csv", "HDF5"), ("d.csv/x", "HDF5"),
        ("x.csv.h5", "HDF5"),
    ],
)  # fmt: skip
def test_the_extension_chooses_the_format_of_new_files(path, name):
    assert registry.format_written(path).name == name
    assert registry.format_named(name.swapcase()).name == name


class Sketch(Format):
    """A format whose files are only recognized."""

    name, signatures, extensions = "Sketch", (b"SKETCH", b"SK2"), (".sk",)


class Readable(Sketch):
    """The same one, once its sets can be opened."""

    read_options = frozenset({"widen"})

    def open(self, filenames, **options):
        return filenames, options


@pytest.fixture
def registered():
    before = dict(registry._FORMATS)
    yield
    registry._FORMATS.clear()
    registry._FORMATS.update(before)


def test_a_format_that_opens_files_comes_before_one_that_only_knows_them(registered):
    sketch, readable = Sketch(), Readable()
    other = type("Other", (Readable,), {"name": "Other"})()
    registry._add(sketch)
    assert registry.format_named("sketch") is sketch
    assert registry._recognized_by(b"SK2...") is sketch
    registry._add(readable)
    assert registry.format_named("SKETCH") is readable
    registry._add(Readable())
    assert registry.format_named("sketch") is readable
    registry.register(sketch)
    assert registry.format_named("sketch") is sketch
    registry.register(other)
    assert registry._recognized_by(b"SKETCH") is other
    assert registry._recognized_by(b"SKETC") is None
    assert registry.format_written("a.sk") is sketch
    registry.unregister("SkEtCh")
    assert registry.format_written("a.sk") is other


def test_formats_take_the_options_that_they_have(registered, tmp_path):
    registry.register(Readable())
    (tmp_path / "x").write_bytes(b"SKETCH")
    path = str(tmp_path / "x")
    assert registry.open_files(path, widen=True, allow_errors=False) == (path, {"widen": True})
    assert registry.open_files("none", Readable(), other=1) == ("none", {})


def test_the_format_of_files_is_that_of_the_first_or_with_errors_of_any(tmp_path):
    for name, content in {"a": b"nothing", "b": b"PAR1", "c": b"**HEADER", "d": b"nothing"}.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "e_LOCALE0000").write_bytes(b"nothing")
    (tmp_path / "e_LOCALE0001").write_bytes(b"PAR1")
    (tmp_path / "f_LOCALE0000").write_bytes(b"PAR1")
    (tmp_path / "f_LOCALE0001").write_bytes(b"**HEADER")
    paths = {name: str(tmp_path / name) for name in "abcdef"}
    of = registry.format_of_files
    assert of([paths["b"], paths["a"]]).name == "Parquet"
    for given in ([paths["a"], paths["b"]], paths["a"], paths["e"]):
        with pytest.raises(FileFormatError):
            of(given)
    with pytest.raises(MissingFileError):
        of([str(tmp_path / "none"), paths["b"]])
    for given, name in {
        (paths["a"], paths["c"], paths["b"]): "CSV", (str(tmp_path / "none"), paths["b"]): "Parquet",
        (paths["e"],): "Parquet", (paths["f"],): "Parquet", (paths["a"], paths["d"]): "HDF5",
    }.items():  # fmt: skip
        assert of(given, allow_errors=True).name == name


def test_folders_of_a_format_are_known_by_a_file_in_them(tmp_path):
    for name in ".zarray", "zarr.json", "other":
        (tmp_path / name.strip(".")).mkdir()
        (tmp_path / name.strip(".") / name).write_text("{}")
    (tmp_path / "file").touch()
    found = {
        name: registry.format_of_folder(str(tmp_path / name))
        for name in ("zarray", "zarray/", "zarr.json", "other", "file", "none")
    }
    assert {name: each and each.name for name, each in found.items()} == {
        "zarray": "Zarr", "zarray/": "Zarr", "zarr.json": "Zarr", "other": None, "file": None, "none": None,
    }  # fmt: skip


def test_first_bytes_are_those_of_a_file_and_no_more(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(100)))
    assert registry.first_bytes(str(path)) == bytes(range(64))
    assert registry.first_bytes(str(path), 3) == registry.first_bytes(f"file://{path}", 3) == b"\0\1\2"
    assert registry.first_bytes(str(path), 200) == bytes(range(100))
    (tmp_path / "link").symlink_to("x")
    assert registry.first_bytes(str(tmp_path / "link"), 1) == b"\0"
    for name, error, text in (("none", MissingFileError, "no file"), ("", FileFormatError, "is a folder")):
        with pytest.raises(error, match=text):
            registry.first_bytes(str(tmp_path / name))


def test_files_of_no_format_are_told_by_what_they_begin_with(tmp_path):
    for content, text in {b"nothing of it": "first bytes b'nothing '", b"ARROW1\0\0xx": "an Arrow IPC file"}.items():
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(FileFormatError, match="is none of HDF5, Parquet, CSV") as found:
            registry.format_of(str(tmp_path / "x"))
        assert found.value.details == (text,)
    (tmp_path / "x").write_bytes(gzip.compress(b"**HEADER**\nint64\n*/HEADER/*\nx\n1\n"))
    assert registry.format_of(str(tmp_path / "x")).name == "CSV"
    (tmp_path / "x").write_bytes(bytes(1024) + b"\x89HDF\r\n\x1a\n")
    assert registry.format_of(str(tmp_path / "x")).name == "HDF5"


def test_files_are_named_by_the_first_and_their_number(tmp_path):
    for given, text in (
        ("x.h5", "'x.h5'"), (tmp_path, repr(str(tmp_path))), (["x.h5"], "'x.h5'"), (["x", "y"], "['x', … 2 files]"),
        (["x"] * 12, "['x', … 12 files]"),
    ):  # fmt: skip
        assert registry.shown(given) == text


@pytest.mark.parametrize("count", [1, 2, 10, 12])
def test_files_left_out_are_counted_and_ten_are_named(count):
    with pytest.warns(RuntimeWarning) as told:
        registry.warn_of_skipped([f"f{k}" for k in range(count)], count)
    lines = str(told[0].message).split("\n")
    assert lines[0] == ("1 file is left out:" if count == 1 else f"{count} files are left out:")
    assert lines[1:] == [f"f{k}" for k in range(min(count, 10))]


def test_files_that_a_manifest_names_are_missed_by_the_name_of_their_set():
    for path, manifest in {"d/x_LOCALE0001.h5": "'d/.x.h5.akdask'", "d/x.h5": "'d/.x.h5.akdask'"}.items():
        found = registry.lost_error([path, "d/y"])
        assert found.details == (f"missing: {path}", "missing: d/y")
        assert found.hint.endswith(f"by removing {manifest}.")


# ---- sets that are opened


class Described:
    """What an opener was asked for, and descriptions of the files that can be described."""

    def __init__(self, bad=(), lost=()):
        self.bad, self.lost, self.asked = bad, list(lost), []

    def __call__(self, present, patterns):
        self.asked.append([os.path.basename(file.path) for file in present])

        def describe(file):
            name = os.path.basename(file.path)
            if name in self.bad:
                raise FileError("cannot be described", details=[name])
            return name

        return describe, self.lost


def test_sets_are_kept_while_their_files_and_options_are_the_same(tmp_path):
    for name in "ab":
        (tmp_path / name).write_text(name)
    paths = [str(tmp_path / name) for name in "ab"]
    describer = Described()
    opener = SetOpener("kept in a test", describer)
    first = opener.open(paths, 1, list)
    assert first == ["a", "b"]
    assert opener.open(paths, 1, list) is first
    assert describer.asked == [["a", "b"]]
    sizes = {name: (entries, size) for name, entries, size in caches.caches()}
    assert sizes["opened kept in a test sets"] == (1, 2 * tuning.FILE_BYTES)
    assert opener.open(paths, 2, list) is not first
    assert opener.open(paths[:1], 1, list) == ["a"]
    with ak.config.set(verify_checksums=not ak.config.get("verify_checksums")):
        assert opener.open(paths, 1, list) is not first
    (tmp_path / "b").write_text("longer")
    assert opener.open(paths, 1, list) is not first
    assert len(describer.asked) == 5


def test_files_that_are_lost_or_cannot_be_described_are_errors_or_left_out(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text(name)
    paths = [str(tmp_path / name) for name in "abc"]
    opener = SetOpener("test", Described(lost=["d/gone"]))
    with pytest.raises(FileError, match="its manifest names"):
        opener.open(paths, None, list)
    with pytest.warns(RuntimeWarning, match="1 file is left out:\n'd/gone': missing from its set"):
        assert opener.open(paths, None, list, allow_errors=True) == ["a", "b", "c"]
    opener = SetOpener("test", Described(bad="b"))
    with pytest.raises(FileError, match="cannot be described"):
        opener.open(paths, None, list)
    with pytest.warns(RuntimeWarning, match="2 files are left out:\n'.*none': no such file\ncannot be described b$"):
        assert opener.open([*paths, str(tmp_path / "none")], None, list, allow_errors=True) == ["a", "c"]
    with pytest.raises(FileError, match="none of the files can be read") as found:
        opener.open(paths[1:2], None, list, allow_errors=True)
    assert found.value.details == ("cannot be described b",)
    with pytest.raises(MissingFileError):
        opener.open([str(tmp_path / "none")], None, list, allow_errors=True)


def test_options_of_file_systems_are_values():
    options = [StorageOptions(given) for given in ({}, {"a": 1}, {"a": 1, "b": "x"}, {"b": "x", "a": 1}, {"a": 2})]
    assert [[one == other for other in options] for one in options] == [
        [number == k or {number, k} == {2, 3} for k in range(5)] for number in range(5)
    ]
    assert len({*options}) == 4
    assert options[0] != {}
    assert options[1].for_protocol("memory://x") == {"a": 1}
    assert options[1].for_protocol("s3://x") == {"use_listings_cache": False, "a": 1}
    assert StorageOptions({"use_listings_cache": True}).for_protocol("gs://x") == {"use_listings_cache": True}
    with files.accessing(options[1]):
        assert files.current_options() is options[1]
    assert files.current_options() is files.NO_OPTIONS
    assert FileIdentity("x", 1, "v") != FileIdentity("x", 1, "v", options[1])


def test_results_of_many_items_come_in_order_with_the_options_of_the_call():
    with files.accessing(StorageOptions({"a": 1})):
        options = files.current_options()
        for count in (0, 1, 2, 100):
            found = files.concurrently(lambda item: (item, files.current_options() == options), iter(range(count)))
            assert found == [(item, True) for item in range(count)]


# ---- what is written


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (None, None), ("gzip", "gzip"), ("GZip", "gzip"), ("none", "none"), ("lz", ...), ("", ...), (3, ...),
        (b"gzip", ...),
    ],
)  # fmt: skip
def test_codecs_are_named_in_any_case(given, found):
    if found is ...:
        with pytest.raises(ArgumentError, match=r"None or one of gzip, zstd, not "):
            staged_writer.checked_codec(given, ["none", "gzip", "zstd"])
    else:
        assert staged_writer.checked_codec(given, ["none", "gzip", "zstd"]) == found


@pytest.mark.parametrize(
    ("size", "version", "is_renamed"),
    [
        (3, "5/6/7/8", True), (3, "5/9/7/8", True), (4, "5/6/7/8", False), (3, "4/6/7/8", False), (3, "5/6/9/8", False),
        (3, "5/6/7/9", False),
    ],
)  # fmt: skip
def test_a_renamed_file_differs_in_its_time_of_change_only(size, version, is_renamed):
    before = FileIdentity("/a", 3, "5/6/7/8")
    assert staged_writer._is_renamed(before, FileIdentity("/b", size, version)) == is_renamed


@pytest.mark.parametrize(("durable", "synced"), [(True, [2, 2]), ("replaced", [0, 2]), (False, [0, 0])])
def test_one_file_is_put_into_place_whole(tmp_path, monkeypatch, durable, synced):
    calls, found = [], []
    monkeypatch.setattr(os, "fsync", calls.append)
    path = str(tmp_path / "x")

    def write(attempt, text):
        assert os.path.dirname(attempt) == str(tmp_path)
        assert os.path.basename(attempt).startswith(".x.")
        with open(attempt, "w") as file:
            return file.write(text)

    with ak.config.set(durable=durable):
        for text in "first", "second":
            assert put_file(path, lambda attempt, text=text: write(attempt, text)) == len(text)
            found.append(len(calls))
            calls.clear()
            assert os.listdir(tmp_path) == ["x"]
        with pytest.raises(ZeroDivisionError):
            put_file(path, lambda attempt: write(attempt, "third") // 0)
    assert found == synced
    assert os.listdir(tmp_path) == ["x"]
    assert (tmp_path / "x").read_text() == "second"


def test_files_and_folders_that_cannot_be_flushed_are_left_and_failed_disks_are_errors(tmp_path, monkeypatch):
    for number in (errno.EINVAL, errno.ENOTSUP, errno.EIO, errno.ENOSPC):
        descriptor = os.open(tmp_path, os.O_RDONLY)
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", Mock(side_effect=OSError(number, "not flushed")))
            with (
                nullcontext()
                if number in (errno.EINVAL, errno.ENOTSUP)
                else pytest.raises(OSError, match="not flushed")
            ):
                sync(descriptor)
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_folders_that_writes_may_be_under_way_in_are_known(tmp_path):
    assert may_have_transactions(str(tmp_path / "none"))
    for name, may in {".x": False, "x.akdask-write": False, ".x.akdask-write": True}.items():
        (tmp_path / name).mkdir()
        assert may_have_transactions(str(tmp_path)) == may
    (tmp_path / ".x.akdask-write").rmdir()
    (tmp_path / ".y.akdask-folder").mkdir()
    assert may_have_transactions(str(tmp_path))


# ---- sources


def test_text_in_bounds_is_cut_to_bytes():
    for text, prefix in {"": b"", "a" * 16: b"a" * 16, "a" * 17: b"a" * 16, "é" * 9: "é".encode() * 8}.items():
        assert source.text_prefix(text) == prefix
    assert source.text_prefix("\ud800") is None
    bounds = Bounds(np.array([1, 2, 3]), np.array([4, 5, 6]), np.array([True, False, False]))
    taken = bounds.take(np.array([2, 0]))
    assert (taken.minima.tolist(), taken.maxima.tolist(), taken.nans.tolist()) == ([3, 1], [6, 4], [False, True])


@pytest.mark.parametrize("there", [[], [0], [1], [0, 1, 2]])
def test_numbers_are_joined_in_an_array_that_some_are_in_already(there):
    out, parts = np.full(9, -1), []
    for number, (start, stop) in enumerate([(0, 3), (3, 4), (4, 7)]):
        values = np.arange(start, stop) * 10
        if number in there:
            out[start:stop] = values
            values = out[start:stop]
        parts.append(values)
    found = source.joined_in(out, parts)
    assert found.tolist() == [0, 10, 20, 30, 40, 50, 60]
    assert out.tolist() == [*found.tolist(), -1, -1]
    assert np.shares_memory(found, out)


def test_an_array_is_a_stretch_of_memory():
    numbers = np.arange(10, dtype=np.int32)[3:]
    found = source.stretch_of(numbers)
    assert found == (source.IN_MEMORY, numbers.ctypes.data, 7, "int32")
    assert source.Stretch(1, 2, 3).stored == ""


class Numbers(PartReader):
    """Rows of one column."""

    def __init__(self, start, nrows, stretches=None):
        self.start, self.nrows, self.found = start, nrows, stretches

    def open(self):
        return self

    def read(self, column, start, stop, out=None):
        return pa.array([f"{column}{self.start + row}" for row in range(start, stop)])

    def stretches(self, column):
        return self.found


def test_parts_find_what_they_can_and_no_more():
    part = Numbers(0, 3)
    with part as reader:
        assert reader is part
        assert reader.read_text("x", 1, 3).to_pylist() == ["x1", "x2"]
        assert reader.read_rows("x", np.array([0])) is None
        assert PartReader.stretches(reader, "x") is None
        assert reader.row_bounds("x", np.array([[0, 1]])) is None
    assert not source.opens_early(part)
    part.is_remote = True
    assert source.opens_early(part)
    first, second = source.Stretch(1, 0, 3), source.Stretch(1, 24, 2)
    for some, found in (([[first], [second]], [first, second]), ([[first], None], None), ([None, [second]], None)):
        parts = [Numbers(0, 3, some[0]), Numbers(3, 2, some[1])]
        with source.ConsecutiveParts(parts).open() as reader:
            assert reader.stretches("x") == found
            assert reader.read_text("x", 2, 4).to_pylist() == ["x2", "x3"]
    assert [source.ConsecutiveParts(parts).is_remote for parts in ([Numbers(0, 1)], [Numbers(0, 1), part], [part])] == [
        False,
        True,
        True,
    ]


@pytest.mark.parametrize("limit", [199, 200, 201])
def test_more_is_read_ahead_where_a_request_has_room(monkeypatch, limit):
    monkeypatch.setattr(tuning, "REQUEST", 40)
    monkeypatch.setattr(remote, "_BUFFERS", remote._Buffers())
    monkeypatch.setattr(remote, "buffer_limit", lambda: limit)
    assert remote._BUFFERS.reserve(60, 60)
    assert not remote._BUFFERS.reserve(1, 60)
    assert remote.can_read_ahead() == (limit >= 200)
    remote._BUFFERS.release(20)
    assert remote._BUFFERS.nbytes == 40
    assert remote.can_read_ahead()


@pytest.mark.parametrize(
    ("setting", "memory", "limit"), [(None, 2**40, 2**29), (None, 160, 10), (7, 2**40, 7), (0, 160, 0)]
)
def test_the_setting_or_memory_bounds_what_is_read_ahead(monkeypatch, setting, memory, limit):
    monkeypatch.setattr(remote.cluster, "process_memory", lambda: memory)
    with ak.config.set(read_ahead=setting):
        assert (remote.buffer_limit(), remote._early_limit()) == (limit, limit // 2)


def test_files_are_read_through_links(tmp_path):
    (tmp_path / "x").write_bytes(bytes(range(10)))
    (tmp_path / "link").symlink_to(tmp_path / "x")
    out = np.zeros(4, np.uint8)
    with ranges.range_reader(files.identify(str(tmp_path / "link"))) as reader:
        reader.read_into(out, 3, "d")
    assert out.tolist() == [3, 4, 5, 6]


@pytest.mark.skipif(sys.platform != "linux", reason="the function is Linux's")
def test_space_is_asked_for_by_numbers_of_64_bits():
    assert [kind.__name__ for kind in ranges._fallocate().argtypes] == ["c_int", "c_int", "c_long", "c_long"]


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ([], None), (["y"], None), (["xa.h5"], "xa.h5"), (["xd", "xb", "xc", "xa"], "xa, xb, xc"),
        (["xb", "zzzz", "xa"], "xa, xb"),
    ],
)  # fmt: skip
def test_three_names_like_a_wrong_one_are_told(tmp_path, there, told):
    for name in there:
        (tmp_path / name).touch()
    assert locales.nearby_files(f"{tmp_path}/x.h5") == (None if told is None else f"nearby: {told}")


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("s3://b/d/x.h5", ["x.h5"]), ("s3://b/d/x", ["x.h5"]), ("s3://b/d/x_LOCALE0000.h5", ["x.h5"]),
        ("s3://b/d/x_LOCALE0001", ["x.h5"]), ("s3://b/d/*", ["x.h5", "y.pq"]), ("s3://b/d/y*", ["y.pq"]),
        ("s3://b/d/z", []), ("s3://b/d/h5", []), ("s3://b/d", ["x.h5", "y.pq"]), ("s3://b/d/", ["x.h5", "y.pq"]),
        ("s3://b/d/.h5", []),
    ],
)  # fmt: skip
def test_sets_in_stores_are_meant_by_names_of_their_files(monkeypatch, name, meant):
    known = {"s3://b/d": {"s3://b/d/x.h5": "1", "s3://b/d/y.pq": "2"}, "s3://b": {"s3://b/other": "3"}}
    monkeypatch.setattr(catalog, "is_folder", lambda path: path == "s3://b/d")
    monkeypatch.setattr(catalog.Catalog, "read", staticmethod(lambda path: path))
    assert sorted(catalog._catalogs_meant(name, known)) == [f"s3://b/d/{one}" for one in meant]
