"""What each state of hidden folders, locks and records means."""

from __future__ import annotations

import errno
import json
import os
import pickle
import socket
import time
from itertools import product
from pathlib import Path

import pytest

from akdask.errors import ArgumentError, FileError, WriteError
from akdask.storage import folders, recovery, transaction
from akdask.storage.catalog import Catalog
from akdask.storage.files import infos_in, version_of
from akdask.storage.folders import Directory, HiddenFolder, Lock, Owner, read_owner
from akdask.storage.transaction import FolderReplacement, Journal, Rename, StoreTransaction, errors_naming, write_error
from tests.storage.stores import FaultyFileSystem

TAG = "0123456789ab"
OWNER = {"host": "here", "kernel": "k", "pid": 5, "since": 7.5}


def made(folder, *names):
    """Make files, and folders where a name ends with a slash."""
    for name in names:
        path = folder / name
        if name.endswith("/"):
            path.mkdir(parents=True, exist_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)


def below(folder):
    """Return all paths below a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# ---- open folders


def test_folders_are_opened_by_single_names_and_no_links(tmp_path):
    made(tmp_path, "a/x", "y")
    (tmp_path / "link").symlink_to("a")
    with Directory.at(str(tmp_path)) as folder:
        with folder.child("a") as inner:
            assert (inner.names(), inner.path) == (["x"], str(tmp_path / "a"))
        for name, error in {"link": NotADirectoryError, "y": NotADirectoryError, "none": FileNotFoundError}.items():
            with pytest.raises(error):
                folder.child(name)
        for name in ("a/x", "..", ""):
            for call in (folder.child, folder.make, folder.status, folder.unlink, folder.rmdir, folder.open):
                with pytest.raises(OSError, match="Not a name") as found:
                    call(name)
                assert found.value.errno == errno.EINVAL
        assert folder.has("link")
        assert not folder.has("none")
        assert folder.find("y").st_size == 1
        assert folder.status().st_ino == os.stat(tmp_path).st_ino
        assert os.path.samefile(folder.anchor, tmp_path)
        assert sorted(folder.names()) == ["a", "link", "y"]
    with pytest.raises(AssertionError):
        folder.names()
    folder.close()


def test_files_of_a_folder_are_written_once_and_read_up_to_a_size(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with Directory.at(str(tmp_path)) as folder:
        folder.write("x", b"abc", durable=False)
        assert not synced
        folder.write("y", b"de", durable=True)
        assert len(synced) == 1
        assert folder.read("x", 3) == b"abc"
        assert folder.read("x", 3, {os.geteuid()}) == b"abc"
        with pytest.raises(OSError, match="too large"):
            folder.read("x", 2)
        with pytest.raises(PermissionError):
            folder.read("x", 3, {os.geteuid() + 1})
        with pytest.raises(FileExistsError):
            folder.write("x", b"other", durable=False)
        with folder.make("inner") as inner:
            folder.rename("x", "z")
            folder.rename("y", "w", inner)
            folder.link("z", "v", inner)
            assert (sorted(folder.names()), sorted(inner.names())) == (["inner", "z"], ["v", "w"])
            assert inner.read("w", 9) == b"de"
            assert inner.status("v").st_ino == folder.status("z").st_ino
            inner.unlink("v")
            with pytest.raises(OSError, match="not empty"):
                folder.rmdir("inner")
            inner.unlink("w")
            folder.rmdir("inner")
        assert folder.names() == ["z"]
        with pytest.raises(FileExistsError):
            folder.make("z")


def test_links_get_second_names_themselves(tmp_path):
    made(tmp_path, "x", "inner/")
    (tmp_path / "link").symlink_to("x")
    with Directory.at(str(tmp_path)) as folder, folder.child("inner") as inner:
        folder.link("link", "second", inner)
    assert os.readlink(tmp_path / "inner" / "second") == "x"


def test_all_that_lies_below_a_folder_is_flushed(tmp_path, monkeypatch):
    made(tmp_path, "a", "b/c", "b/d/e", "f/")
    flushed = []

    def flush(descriptor):
        flushed.append(os.fstat(descriptor).st_ino)
        os.close(descriptor)

    monkeypatch.setattr(folders, "sync", flush)
    with Directory.at(str(tmp_path)) as folder:
        folder.sync_below()
        assert sorted(flushed) == sorted(os.stat(path).st_ino for path in (tmp_path, *tmp_path.rglob("*")))
        assert flushed[-1] == os.stat(tmp_path).st_ino
        flushed.clear()
        folder.sync()
        folder.sync_file("a")
        assert flushed == [os.stat(tmp_path).st_ino, os.stat(tmp_path / "a").st_ino]


# ---- who writes


@pytest.mark.parametrize(
    ("changes", "is_owner"),
    [
        ({}, True), ({"pid": 1}, True), ({"pid": 0}, False), ({"pid": 2**31 - 1}, True), ({"pid": 2**31}, False),
        ({"since": 0}, True), ({"since": -1}, False), ({"since": 2**36 - 1}, True), ({"since": 2.0**36}, False),
        ({"since": float("inf")}, False), ({"host": "h" * 255}, True), ({"host": "h" * 256}, False),
        ({"kernel": "k" * 255}, True), ({"kernel": "k" * 256}, False), ({"kernel": "a\nb"}, False),
        ({"host": ""}, True), ({"pid": "5"}, False), ({"since": "7"}, False), ({"more": 1}, True),
    ],
)  # fmt: skip
def test_a_signature_names_a_process_that_there_may_be(tmp_path, changes, is_owner):
    told = OWNER | changes
    (tmp_path / "owner").write_text(json.dumps(told))
    expected = Owner(*(told[name] for name in OWNER)) if is_owner else None
    with Directory.at(str(tmp_path)) as folder:
        assert read_owner(folder) == expected


def test_a_signature_of_more_bytes_than_any_is_none(tmp_path):
    text = json.dumps(OWNER)
    with Directory.at(str(tmp_path)) as folder:
        for size, is_owner in {4096: True, 4097: False}.items():
            (tmp_path / "owner").write_text(text.ljust(size))
            assert (read_owner(folder) is not None) == is_owner
        os.unlink(tmp_path / "owner")
        assert read_owner(folder) is None


def holds(is_exclusive, owner, is_running, quiet):
    """Whether another process may hold a lock that this one could take, as the module says it."""
    if owner is None:
        return not is_exclusive and quiet < 10
    if owner == "this machine":
        return not is_exclusive and is_running
    return owner == "another machine" and quiet < 10


OWNERS = {
    None: None,
    "this machine": Owner("here", "now", 5, 0.0),
    "this machine before its start": Owner("here", "before", 5, 0.0),
    "another machine": Owner("there", "other", 5, 0.0),
}


@pytest.mark.light
@pytest.mark.parametrize("owner", OWNERS)
def test_a_writer_may_live_where_neither_locks_nor_processes_nor_times_say_that_it_is_dead(
    tmp_path, monkeypatch, owner
):
    monkeypatch.setattr(folders, "read_owner", lambda _: OWNERS[owner])
    monkeypatch.setattr(folders, "_kernel", lambda: "now")
    monkeypatch.setattr(socket, "gethostname", lambda: "here")
    for is_exclusive, is_running, quiet in product((True, False), (True, False), (9.0, 10.0, 11.0)):
        monkeypatch.setattr(folders, "_is_running", lambda pid, found=is_running: found and pid == 5)
        monkeypatch.setattr(folders, "_quiet_time", lambda _, found=quiet: found)
        with Directory.at(str(tmp_path)) as folder, Lock(os.dup(0), is_exclusive=is_exclusive) as lock:
            assert lock._may_be_owned(folder, 10.0) == holds(is_exclusive, owner, is_running, quiet)


def test_a_folder_is_quiet_since_the_last_change_of_it_or_of_what_it_holds(tmp_path, monkeypatch):
    made(tmp_path, "x", "y")
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    for of_folder, of_x, of_y in [(900, 100, 200), (100, 900, 200), (100, 200, 900)]:
        for name, when in {"x": of_x, "y": of_y, ".": of_folder}.items():
            os.utime(tmp_path / name, (when, when))
        with Directory.at(str(tmp_path)) as folder:
            assert folders._quiet_time(folder) == 100


def test_a_process_runs_unless_the_system_does_not_know_it(monkeypatch):
    sent = []
    for error, runs in ((None, True), (PermissionError(), True), (ProcessLookupError(), False)):

        def kill(pid, signal, error=error):
            sent.append((pid, signal))
            if error is not None:
                raise error

        monkeypatch.setattr(os, "kill", kill)
        assert folders._is_running(7) == runs
    assert sent == [(7, 0)] * 3


def fails(number):
    def failing(*_):
        raise OSError(number, os.strerror(number))

    return failing


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (errno.EWOULDBLOCK, "held"), (errno.EACCES, "held"), (errno.ENOSYS, "free"), (errno.ENOTSUP, "free"),
        (errno.EOPNOTSUPP, "free"), (errno.ENOLCK, "free"), (errno.EINVAL, "free"), (errno.EBADF, "free"),
        (errno.EIO, "error"), (errno.ENOSPC, "error"),
    ],
)  # fmt: skip
def test_a_lock_is_held_free_or_an_error(tmp_path, monkeypatch, open_files, number, expected):
    (tmp_path / "owner").touch()
    before = open_files()
    monkeypatch.setattr(folders.fcntl, "flock", fails(number))
    with Directory.at(str(tmp_path)) as folder:
        if expected == "error":
            with pytest.raises(OSError, match=os.strerror(number)):
                Lock._open(folder, os.O_RDWR)
        else:
            lock = Lock._open(folder, os.O_RDWR)
            assert (lock is None) == (expected == "held")
            if lock is not None:
                assert not lock._is_exclusive
                assert open_files() == [*before, str(tmp_path / "owner")]
                lock.release()
                lock.release()
    assert open_files() == before


@pytest.mark.parametrize("number", [errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO])
def test_a_signature_that_may_only_be_read_is_locked_too(tmp_path, monkeypatch, number):
    (tmp_path / "owner").write_text(json.dumps(OWNER | {"kernel": folders._kernel()}))
    open_file, flags_seen = Directory.open, []

    def opened(self, name, flags=os.O_RDONLY):
        flags_seen.append(flags)
        if flags & os.O_RDWR:
            fails(number)()
        return open_file(self, name, flags)

    monkeypatch.setattr(Directory, "open", opened)
    with Directory.at(str(tmp_path)) as folder:
        if number == errno.EIO:
            with pytest.raises(OSError, match=os.strerror(number)):
                Lock.take_over(folder, 10)
            assert flags_seen == [os.O_RDWR]
        else:
            with Lock.take_over(folder, 10) as lock:
                assert lock._is_exclusive
            assert flags_seen[:2] == [os.O_RDWR, os.O_RDONLY]


def test_a_signature_takes_the_place_of_a_longer_one(tmp_path, monkeypatch):
    (tmp_path / "owner").write_text("x" * 1000)
    monkeypatch.setattr(time, "time", lambda: 1000.0)
    with Directory.at(str(tmp_path)) as folder:
        with Lock.make(folder):
            assert read_owner(folder) == Owner(socket.gethostname(), folders._kernel(), os.getpid(), 1000.0)
        with monkeypatch.context() as during:
            during.setattr(os, "write", fails(errno.ENOSPC))
            with pytest.raises(OSError, match="No space"):
                Lock.make(folder)
        with Lock.make(folder) as lock:
            assert lock is not None


# ---- hidden folders


def test_writers_give_few_names():
    own = {"owner", "journal", f"journal.{TAG}", TAG, ".nfs0a", "new", "old", "replace", "preserve"}
    others = {"owner2", "journal.x", f"journal.{TAG}0", TAG[:-1], f"{TAG}0", TAG.upper(), ".nfs", ".nfsx", "news", ""}
    assert {name for name in own | others if folders.is_own_name(name)} == own
    assert {name for name in own | others if folders.is_staged_name(name)} == {TAG}
    assert folders.is_staged_name(folders.unique_tag())
    assert folders.unique_tag() != folders.unique_tag()


@pytest.mark.parametrize(
    ("suffix", "content", "record", "is_only"),
    [
        ("write", [], None, True), ("write", ["owner"], None, True), ("write", ["owner", f"{TAG}/x"], None, True),
        ("write", ["owner", "journal"], "journal", True), ("write", [f"journal.{TAG}"], None, True),
        ("write", [".nfs01"], None, True), ("write", ["owner", "mine"], None, False), ("write", ["new/"], None, False),
        ("write", ["replace/"], None, False),
        ("folder", [], None, True), ("folder", ["owner", "new/x", "old/y"], None, True),
        ("folder", ["owner", "replace/x"], "replace", False), ("folder", ["preserve/"], "preserve", False),
        ("folder", ["replace/", "preserve/"], "replace", False), ("folder", ["replace"], None, False),
        ("folder", ["journal"], None, False), ("folder", [f"{TAG}/"], None, False), ("folder", [".nfs01"], None, True),
    ],
)  # fmt: skip
def test_a_record_says_that_a_write_has_happened(tmp_path, suffix, content, record, is_only):
    path = tmp_path / f".x.h5.akdask-{suffix}"
    path.mkdir()
    made(path, *content)
    with HiddenFolder.at(str(path)) as hidden:
        assert (hidden.record, hidden.has_happened) == (record, record is not None)
        assert hidden.has_only_what_writers_make() == is_only
        assert (hidden.set_name, hidden.replaces_folder) == ("x.h5", suffix == "folder")
        assert (hidden.name, hidden.path) == (path.name, str(path))
    assert HiddenFolder.at(str(tmp_path / ".y.akdask-write")) is None


def test_a_folder_that_cannot_be_looked_into_may_have_a_record(tmp_path, monkeypatch):
    path = tmp_path / ".x.h5.akdask-write"
    path.mkdir()
    with HiddenFolder.at(str(path)) as hidden:
        assert not hidden.has_happened
        monkeypatch.setattr(Directory, "status", fails(errno.EACCES))
        assert hidden.has_happened
        assert hidden.owners == set()


@pytest.mark.parametrize(
    ("suffix", "content", "left"),
    [
        ("write", [], None), ("write", ["owner"], None),
        ("write", ["owner", "journal", f"journal.{TAG}", f"{TAG}/x", f"{TAG}/y", "ba9876543210/"], None),
        ("write", ["owner", "journal", "mine", f"{TAG}/x"], ["mine", "owner"]),
        ("write", ["journal", "mine"], ["mine"]),
        ("write", ["owner", f"{TAG}/x/y"], [TAG, f"{TAG}/x", f"{TAG}/x/y", "owner"]),
        ("write", ["owner", "new/x"], ["new", "new/x", "owner"]),
        ("folder", ["owner", "new/x/y", "old/z"], None), ("folder", ["owner", "replace/x", "old/z"], None),
        ("folder", ["owner", "preserve/x"], None), ("folder", ["owner", "mine", "new/x"], ["mine", "owner"]),
        ("folder", ["owner", "journal"], ["journal", "owner"]),
    ],
)  # fmt: skip
def test_what_writers_make_is_removed_and_all_else_stays(tmp_path, suffix, content, left):
    path = tmp_path / f".x.h5.akdask-{suffix}"
    path.mkdir()
    made(path, *content)
    with HiddenFolder.at(str(path)) as hidden:
        hidden.remove()
        assert hidden.is_in_place == (left is not None)
    assert (below(path) if path.exists() else None) == left


def test_the_record_goes_first_and_the_signature_last(tmp_path, monkeypatch):
    path = tmp_path / ".x.h5.akdask-write"
    made(path, "owner", "journal", f"{TAG}/x", f"journal.{TAG}")
    removed = []
    for name in ("unlink", "rmdir"):
        call = getattr(Directory, name)

        def noted(self, entry, call=call):
            removed.append(entry)
            call(self, entry)

        monkeypatch.setattr(Directory, name, noted)
    with HiddenFolder.at(str(path)) as hidden:
        hidden.remove()
    assert removed[0] == "journal"
    assert removed[-2:] == ["owner", path.name]
    assert set(removed) == {"journal", f"journal.{TAG}", "x", TAG, "owner", path.name}


def test_a_folder_is_in_place_while_it_is_the_one_of_its_name(tmp_path):
    path = tmp_path / ".x.h5.akdask-write"
    with HiddenFolder.make(str(path)) as hidden:
        assert hidden.is_in_place
        path.rename(tmp_path / "aside")
        assert not hidden.is_in_place
        path.mkdir()
        assert not hidden.is_in_place
        hidden.remove_if_empty()
        assert path.exists()
    with pytest.raises(FileExistsError):
        HiddenFolder.make(str(path))
    path.rmdir()
    path.touch()
    with pytest.raises(NotADirectoryError):
        HiddenFolder.at(str(path))


@pytest.mark.parametrize(("suffix", "mode"), [("write", 0o777), ("folder", 0o700)])
def test_only_the_writer_of_a_whole_folder_may_add_to_it(tmp_path, suffix, mode):
    umask = os.umask(0)
    try:
        with HiddenFolder.make(str(tmp_path / f".x.akdask-{suffix}")) as hidden:
            assert hidden.folder.status().st_mode & 0o777 == mode
            assert hidden.is_closed_to_others == (suffix == "folder")
            for bits, is_closed in {0o700: True, 0o755: True, 0o720: False, 0o702: False}.items():
                os.chmod(hidden.path, bits)
                assert hidden.is_closed_to_others == is_closed
                assert hidden.is_believed == (is_closed or suffix == "write")
            assert hidden.writer == os.geteuid()
    finally:
        os.umask(umask)


def test_the_owners_of_a_set_are_those_of_its_visible_files(tmp_path, monkeypatch):
    made(tmp_path, "x_LOCALE0000.h5", "x_LOCALE0001.h5", "x.samples", "y.h5", "x.h5", ".x.h5.akdask-write/owner")
    made(tmp_path, ".x.h5.akdask-folder/owner")
    numbers = {"x_LOCALE0000.h5": 1, "x_LOCALE0001.h5": 2, "x.samples": 3, "y.h5": 4, "x.h5": 5}
    find = Directory.find

    def found(self, name):
        status = find(self, name)
        if status is None or name not in numbers:
            return status
        return os.stat_result([*status[:4], numbers[name], *status[5:10]])

    monkeypatch.setattr(Directory, "find", found)
    with HiddenFolder.at(str(tmp_path / ".x.h5.akdask-write")) as hidden:
        assert hidden.owners == {1, 2, 3, 5}
    with HiddenFolder.at(str(tmp_path / ".x.h5.akdask-folder")) as hidden:
        assert hidden.owners == {5}
    os.unlink(tmp_path / "x.h5")
    with HiddenFolder.at(str(tmp_path / ".x.h5.akdask-folder")) as hidden:
        assert hidden.owners == set()


# ---- errors


@pytest.mark.parametrize("number", [*transaction._HINTS, errno.EIO])
def test_errors_of_the_system_come_with_a_remedy(number):
    hint = transaction._HINTS.get(number, transaction._OTHER_HINT)
    for error in (OSError(number, "x"), RuntimeError(f"Unable to write (errno = {number}, error message = 'x')")):
        found = write_error("/d/x.h5", error)
        assert (found.message, found.hint) == (f"cannot write '/d/x.h5': {os.strerror(number)}.", hint)


def test_errors_without_a_number_are_told_as_they_are():
    for text in ("lost", "errno = x, lost", "errno = , lost", "number 28, lost"):
        found = write_error("/d/x.h5", RuntimeError(text))
        assert (found.message, found.hint) == (f"cannot write '/d/x.h5': {text}.", transaction._OTHER_HINT)


class OwnError(Exception):
    """An error of a library."""


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (OSError(28, "full", "/tmp/hidden/x"), "/d/x.h5"), (OSError(28, "full", "a", None, "b.h5"), "/d/b.h5"),
        (OSError(28, "full", "a", None, TAG), "/d/x.h5"), (OSError(28, "full", "a", None, "journal"), "/d/x.h5"),
        (RuntimeError("errno = 28, full"), "/d/x.h5"), (OwnError("lost"), "/d/x.h5"), (RuntimeError("lost"), None),
        (ValueError("errno = 28, full"), None), (ArgumentError("wrong"), None),
    ],
)  # fmt: skip
def test_errors_name_the_file_of_the_user(error, named):
    with pytest.raises(WriteError if named else type(error)) as found, errors_naming("/d/x.h5", (OwnError,)):
        raise error
    if named:
        assert found.value.message.startswith(f"cannot write {named!r}: ")
    else:
        assert found.value is error


# ---- records


def hidden_of(tmp_path, suffix="write"):
    path = tmp_path / f".x.h5.akdask-{suffix}"
    path.mkdir(exist_ok=True)
    return HiddenFolder.at(str(path))


@pytest.mark.parametrize(
    ("staged", "placed", "state"),
    [
        (None, None, "lost"), (3, None, "put"), (None, 3, "done"), (None, 4, "lost"), (3, 9, "put"), (4, 3, "lost"),
    ],
)  # fmt: skip
def test_a_file_is_put_into_place_once_and_known_by_its_size(tmp_path, staged, placed, state):
    with hidden_of(tmp_path) as hidden:
        (tmp_path / hidden.name / TAG).mkdir()
        waiting, target = tmp_path / hidden.name / TAG / "n", tmp_path / "x_LOCALE0000.h5"
        for path, size in ((waiting, staged), (target, placed)):
            if size is not None:
                path.write_text("x" * size)
        one = Journal((Rename(f"{TAG}/n", target.name, 3),))
        assert one.beside == (target.name,)
        assert one.is_carried_out(hidden) == (staged is None)
        if state == "lost":
            with pytest.raises(FileNotFoundError):
                one.carry_out(hidden, durable=False)
        else:
            one.carry_out(hidden, durable=False)
            assert target.stat().st_size == 3
            assert not waiting.exists()


def test_both_names_of_a_file_are_those_of_a_rename_that_has_happened(tmp_path):
    with hidden_of(tmp_path) as hidden:
        (tmp_path / hidden.name / TAG).mkdir()
        waiting, target = tmp_path / hidden.name / TAG / "n", tmp_path / "x_LOCALE0000.h5"
        waiting.write_text("abc")
        os.link(waiting, target)
        one = Journal((Rename(f"{TAG}/n", target.name, 3),), ("x_LOCALE0001.h5",))
        assert one.is_carried_out(hidden)
        (tmp_path / "x_LOCALE0001.h5").touch()
        assert not one.is_carried_out(hidden)
        one.carry_out(hidden, durable=False)
        assert (waiting.exists(), target.exists(), (tmp_path / "x_LOCALE0001.h5").exists()) == (True, True, False)


def test_a_manifest_may_be_lost_or_renewed(tmp_path):
    with hidden_of(tmp_path) as hidden:
        made(tmp_path / hidden.name, f"{TAG}/")
        one = Journal((Rename(f"{TAG}/manifest", ".x.h5.akdask", 3),))
        one.carry_out(hidden, durable=False)
        assert not (tmp_path / ".x.h5.akdask").exists()
        (tmp_path / ".x.h5.akdask").write_text("longer")
        one.carry_out(hidden, durable=False)
        assert (tmp_path / ".x.h5.akdask").read_text() == "longer"


def test_a_journal_is_flushed_between_the_files_and_its_name(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(Directory, "sync", lambda self: flushed.append(self.path))
    monkeypatch.setattr(os, "fsync", lambda _: flushed.append("file"))
    with hidden_of(tmp_path) as hidden:
        for durable in (False, True):
            Journal(()).write(hidden, durable=durable)
            Journal(()).carry_out(hidden, durable=durable)
            assert flushed == (["file", str(tmp_path), hidden.path, str(tmp_path)] if durable else [])


@pytest.mark.parametrize("marker", ["replace", "preserve"])
@pytest.mark.parametrize("present", [[], ["x.h5"], ["x.h5.prev"], ["x.h5", "x.h5.prev"]])
def test_a_folder_takes_the_place_of_another_and_back(tmp_path, marker, present):
    def beside():
        return {
            path.name: [inner.name for inner in path.iterdir()]
            for path in tmp_path.iterdir()
            if not path.name.startswith(".")
        }

    for name in present:
        made(tmp_path, f"{name}/of {name}")
    before = beside()
    expected = {**before, "x.h5": ["of new"]}
    if marker == "preserve" and "x.h5" in present:
        expected["x.h5.prev"] = ["of x.h5"]
    with hidden_of(tmp_path, "folder") as hidden:
        made(tmp_path / hidden.name, "new/of new")
        for back in (True, False):
            one = FolderReplacement(marker)
            assert one.is_carried_out(hidden)
            one.write(hidden, durable=False)
            assert not one.is_carried_out(hidden)
            assert transaction.record_in(hidden).marker == marker
            one.carry_out(hidden, durable=False)
            assert one.is_carried_out(hidden)
            assert beside() == expected
            if back:
                one.take_back(hidden)
                assert beside() == before
                assert hidden.folder.names() == ["new"]
        one.carry_out(hidden, durable=False)
        assert beside() == expected
        assert one.beside == ()


def test_a_folder_is_flushed_before_it_is_renamed_and_then_its_place(tmp_path, monkeypatch):
    flushed = []
    monkeypatch.setattr(Directory, "sync_below", lambda self: flushed.append(self.path))
    monkeypatch.setattr(Directory, "sync", lambda self: flushed.append(self.path))
    with hidden_of(tmp_path, "folder") as hidden:
        for durable in (False, True):
            made(tmp_path / hidden.name, "new/x")
            one = FolderReplacement("replace")
            one.write(hidden, durable=durable)
            one.carry_out(hidden, durable=durable)
            new = f"{hidden.path}/new"
            assert flushed == ([new, str(tmp_path), hidden.path, str(tmp_path)] if durable else [])


# ---- recovery


@pytest.mark.parametrize(
    ("content", "signature", "is_left"),
    [
        (["owner"], OWNER, True), (["owner"], "", True), (["owner"], "\0" * 9, True), (["owner"], "mine", False),
        (["owner", "mine"], OWNER, False), (["owner", f"{TAG}/x"], OWNER, True),
    ],
)  # fmt: skip
def test_a_folder_without_a_record_is_left_by_a_writer_if_it_is_signed(tmp_path, content, signature, is_left):
    with hidden_of(tmp_path) as hidden:
        made(Path(hidden.path), *content)
        text = signature if isinstance(signature, str) else json.dumps(signature)
        Path(hidden.path, "owner").write_text(text)
        assert recovery._is_left_by_a_writer(hidden) == is_left


def test_hidden_folders_of_names_that_find_no_file_are_looked_for(tmp_path):
    made(tmp_path, ".x.h5.akdask-write/", ".y.h5.akdask-write/", ".z.akdask-folder/", "d/.x.h5.akdask-write/")
    for name, found in {
        "x.h5": ["x.h5"], "x_LOCALE0000.h5": ["x.h5"], "x_0003.h5": ["x.h5"], "x*": ["x.h5"], "*.h5": ["x.h5", "y.h5"],
        "x_LOCALE0001.h5": ["x.h5"], "w.h5": [], "z": ["z"], "d/x.h5": ["d/x.h5"], "*/x_LOCALE*": ["d/x.h5"],
        "x_LOCALE*1.h5": [],
    }.items():  # fmt: skip
        hidden = recovery._left_of(str(tmp_path / name))
        assert sorted(os.path.relpath(recovery.set_of(path), tmp_path) for path in hidden) == found
    both = recovery._left_of([str(tmp_path / name) for name in ("x.h5", "y.h5", "none.h5")])
    assert sorted(os.path.basename(path) for path in both) == [".x.h5.akdask-write", ".y.h5.akdask-write"]


def test_files_are_looked_for_in_their_folders(tmp_path):
    made(tmp_path, "a/", "b/", "c")
    root = str(tmp_path)
    names = [
        f"{root}/x",
        f"{root}/y",
        f"{root}/a/x*",
        "s3://bucket/d/x",
        "s3://bucket/d/",
        "memory://e/x",
        "http://w/x",
    ]
    assert sorted(recovery._folders(names)) == [root, f"{root}/a"]
    assert sorted(recovery._folders([f"{root}/[ab]/x"])) == [f"{root}/a", f"{root}/b"]
    assert recovery._stores(names) == ["memory://e", "s3://bucket", "s3://bucket/d"]
    before = recovery._changes([root, f"{root}/none"], [])
    assert before == [folders_state(root), ""]
    os.rename(tmp_path / "c", tmp_path / "a" / "c")
    assert recovery._changes([root, f"{root}/none"], []) == [folders_state(root), ""]
    assert recovery._changes([], ["s3://bucket/*"]) == []


def folders_state(path):
    status = os.stat(path)
    return f"{status.st_mtime_ns}/{status.st_ctime_ns}/{status.st_ino}/{status.st_uid}"


@pytest.mark.parametrize(
    ("suffix", "content", "changed", "left"),
    [
        ("write", [], True, False), ("write", ["owner"], True, False), ("write", ["mine"], False, True),
        ("folder", [], True, False), ("folder", ["owner", "new/x"], True, False),
        ("folder", ["owner", "replace/x"], True, False),
    ],
)  # fmt: skip
def test_recovery_tells_whether_files_may_have_changed(tmp_path, suffix, content, changed, left):
    path = tmp_path / f".x.h5.akdask-{suffix}"
    assert not recovery.recover_in(str(path))
    path.mkdir(mode=0o700)
    made(path, *content)
    if "owner" in content:
        (path / "owner").write_text(json.dumps(OWNER | {"kernel": "before", "host": socket.gethostname()}))
    recover = recovery.recover_folder if suffix == "folder" else recovery.recover
    assert recover(str(tmp_path / "x.h5")) == changed
    assert path.exists() == left
    assert (tmp_path / "x.h5").exists() == ("replace/x" in content)


def test_a_record_that_nobody_has_signed_is_not_carried_out(tmp_path, monkeypatch):
    monkeypatch.setattr(recovery.tuning, "STALLED_SECONDS", 0.005)
    path = tmp_path / ".x.h5.akdask-folder"
    path.mkdir(mode=0o700)
    made(path, "replace/x")
    with pytest.raises(FileError, match="does not come to an end"):
        recovery.recover_folder(str(tmp_path / "x.h5"))
    assert below(tmp_path) == [path.name, f"{path.name}/replace", f"{path.name}/replace/x"]


def test_whole_folders_of_dead_writers_are_put_in_order_wherever_they_lie(tmp_path):
    for name in ("x", "y"):
        path = tmp_path / f".{name}.akdask-folder"
        path.mkdir(mode=0o700)
        made(path, "replace/new")
        (path / "owner").write_text(json.dumps(OWNER | {"kernel": "before", "host": socket.gethostname()}))
    made(tmp_path, ".z.akdask-write/")
    recovery.recover_folders(str(tmp_path))
    assert below(tmp_path) == [".z.akdask-write", "x", "x/new", "y", "y/new"]


@pytest.mark.parametrize("name", ["x_LOCALE0004.h5", "list", "other.h5"])
def test_writes_that_touch_a_file_are_known_by_names_and_journals(tmp_path, name):
    with hidden_of(tmp_path) as hidden:
        path = hidden.path
        assert recovery._names_any(path, {name}) == (name == "x_LOCALE0004.h5")
        Journal((Rename(f"{TAG}/n", "list", 3),), ("gone",)).write(hidden, durable=False)
        assert recovery._names_any(path, {name}) == (name != "other.h5")
        assert recovery._names_any(path, {name, "gone"})
        Path(path, "journal").write_text("damaged")
        assert recovery._names_any(path, {name}) == (name == "x_LOCALE0004.h5")
    assert not recovery._names_any(str(tmp_path / ".none.akdask-write"), {name})


def test_folders_that_are_replaced_all_the_time_are_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(recovery.tuning, "MOST_TRIES", 3)
    calls, states = [], iter(range(99))
    monkeypatch.setattr(recovery, "_changes", lambda folders, stores: next(states))
    with pytest.raises(FileError, match="replaced all the time"):
        recovery.settled_folder(str(tmp_path), calls.append)
    assert calls == [str(tmp_path)] * 3

    def failing(path):
        calls.append(path)
        raise FileError("gone")

    with pytest.raises(FileError, match="replaced all the time"):
        recovery.settled_folder(str(tmp_path), failing)
    assert len(calls) == 6
    monkeypatch.setattr(recovery, "_changes", lambda folders, stores: folders)
    assert recovery.settled_folder(str(tmp_path), os.path.basename) == tmp_path.name
    with pytest.raises(FileError, match="gone"):
        recovery.settled_folder(str(tmp_path), failing)
    assert len(calls) == 7


# ---- object stores


@pytest.fixture
def store():
    FaultyFileSystem.reset()
    yield FaultyFileSystem.store
    FaultyFileSystem.reset()


URL = "faulty://b/d/x.h5"


def uploaded(**files):
    """Begin a write to a store, and upload files."""
    one = StoreTransaction(URL)
    one.create()
    for name, text in files.items():
        attempt = one.attempt(name)
        Path(attempt).write_text(text)
        assert one.finish(attempt, name) == one.path(name)
        assert not os.path.exists(attempt)
    return one


def test_uploads_wait_in_a_folder_of_their_write_and_are_discarded(store):
    one = uploaded(x_LOCALE0000="abc")
    assert one.path("n") == f"faulty://b/d/.x.h5.akdask-write/{one._tag}/n"
    assert list(store) == [f"/b/d/.x.h5.akdask-write/{one._tag}/x_LOCALE0000"]
    assert len({one.attempt("n"), one.attempt("n")}) == 2
    folder = os.path.dirname(one.attempt("n"))
    with one.readable(one.path("x_LOCALE0000")) as copy:
        assert Path(copy).read_text() == "abc"
        assert os.path.dirname(copy) == folder
    assert os.listdir(folder) == []
    sent = pickle.loads(pickle.dumps(one))
    assert sent.path("n") == one.path("n")
    assert os.path.dirname(sent.attempt("n")) != folder
    one.discard()
    one.discard()
    assert list(store) == []
    del one
    assert not os.path.exists(folder)


def test_a_later_write_to_a_store_removes_what_an_earlier_one_has_uploaded(store):
    one = uploaded(n="abc")
    two = uploaded(n="de")
    assert list(store) == [f"/b/d/.x.h5.akdask-write/{two._tag}/n"]
    with pytest.raises(WriteError, match="its uploads are gone") as found:
        one.commit([(one.path("n"), "faulty://b/d/x_LOCALE0000.h5")])
    assert found.value.details == ("n",)


def test_files_of_stores_that_do_not_come_whole_are_refused(store, monkeypatch):
    one = uploaded(n="abc")
    attempt = one.attempt("m")
    Path(attempt).write_text("abc")
    with monkeypatch.context() as during:
        during.setattr(FaultyFileSystem, "put_file", lambda self, local, inner: self.pipe_file(inner, b"ab"))
        with pytest.raises(WriteError, match="2 of 3 bytes have arrived"):
            one.finish(attempt, "m")
    with monkeypatch.context() as during:
        during.setattr(FaultyFileSystem, "get_file", lambda self, inner, local: Path(local).write_text("ab"))
        with pytest.raises(WriteError, match="has not come whole"), one.readable(one.path("n")):
            pass
    assert os.listdir(os.path.dirname(attempt)) == [os.path.basename(attempt)]


def test_a_commit_to_a_store_copies_uploads_to_their_names_and_removes_stale_files(store):
    uploads = {f"x_LOCALE000{k}.h5": "abc"[: k + 1] for k in range(2)}
    one = uploaded(**uploads)
    store_system = FaultyFileSystem()
    store_system.pipe_file("/b/d/x_LOCALE0002.h5", b"stale")
    ended = []
    renames = [(one.path(name), f"faulty://b/d/{name}") for name in uploads]
    one.commit(renames, ["faulty://b/d/x_LOCALE0002.h5"], lambda: ended.append(sorted(store)))
    assert ended == [["/b/d/.x.h5.akdask-set", "/b/d/x_LOCALE0000.h5", "/b/d/x_LOCALE0001.h5"]]
    catalog = Catalog.read(URL)
    assert (catalog.tag, catalog.is_published, catalog.stale) == (one._tag, True, ())
    assert [(entry.name, entry.upload, entry.size) for entry in catalog.entries] == [
        (name, name, len(text)) for name, text in uploads.items()
    ]
    found = infos_in("faulty://b/d")
    assert [entry.mark for entry in catalog.entries] == [version_of(found[name]) for name in uploads]
    one.replace("n", URL)


@pytest.mark.parametrize("has_taken_it", [False, True])
def test_a_store_that_does_not_answer_to_a_switch_is_looked_at(store, monkeypatch, has_taken_it):
    one = uploaded(**{"x_LOCALE0000.h5": "abc"})
    write, calls = Catalog.write, []

    def silent(catalog):
        calls.append(catalog.is_published)
        if has_taken_it or catalog.is_published:
            write(catalog)
        if not catalog.is_published:
            raise FileError("no answer")

    monkeypatch.setattr(Catalog, "write", silent)
    renames = [(one.path("x_LOCALE0000.h5"), "faulty://b/d/x_LOCALE0000.h5")]
    if has_taken_it:
        one.commit(renames)
        assert sorted(store) == ["/b/d/.x.h5.akdask-set", "/b/d/x_LOCALE0000.h5"]
        assert calls == [False, True]
    else:
        with pytest.raises(WriteError, match="no answer"):
            one.commit(renames)
        assert list(store) == []
        assert calls == [False]


def test_the_next_writer_publishes_what_a_dead_one_has_switched_to(store):
    one = uploaded(**{"x_LOCALE0000.h5": "abc"})
    one._switch([(one.path("x_LOCALE0000.h5"), "faulty://b/d/x_LOCALE0000.h5")], [])
    assert not Catalog.read(URL).is_published
    StoreTransaction(URL).create()
    assert sorted(store) == ["/b/d/.x.h5.akdask-set", "/b/d/x_LOCALE0000.h5"]
    assert Catalog.read(URL).is_published


def test_a_hidden_folder_leaves_nothing_open(tmp_path):
    hidden = hidden_of(tmp_path)
    assert files_open_below(tmp_path)
    hidden.close()
    assert not files_open_below(tmp_path)


def files_open_below(folder) -> list[str]:
    """Return what this process has open in a folder; files of other tests may be closed at any moment."""
    opened = [Path("/proc/self/fd") / number for number in os.listdir("/proc/self/fd")]
    return [target for target in map(os.path.realpath, opened) if target.startswith(str(folder))]
