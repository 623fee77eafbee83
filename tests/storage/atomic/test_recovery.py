import os
import shutil
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from akdask.errors import ArgumentTypeError, FileError, MissingFileError, WriteError
from akdask.storage import recovery, tuning
from akdask.storage.folders import Lock
from akdask.storage.locales import hidden_folder
from akdask.storage.recovery import recover, settled
from akdask.storage.transaction import FileTransaction, journal_of

FILES = ["set_LOCALE0000.h5", "set_LOCALE0001.h5"]


def left(folder, *, committed, old=FILES, new=FILES):
    """Leave what a writer has prepared, with or without a journal; return the staging, whose lock is held."""
    for name in old:
        (folder / name).write_text("old")
    staging = FileTransaction(str(folder / "set.h5"))
    staging.create()
    for name in new:
        Path(staging.path(name)).write_text("new")
    if committed:
        renames = [(name, str(folder / name)) for name in new]
        stale = [str(folder / name) for name in set(old) - set(new)]
        journal_of(staging._files, renames, stale).write(staging._hidden, durable=False)
    return staging


def find(names):
    return settled(names, list)


def content(folder):
    return {path.name: path.read_text() if path.is_file() else "folder" for path in Path(folder).iterdir()}


@contextmanager
def without_rights(folder):
    """Take the right to write in a folder away, also from the super-user."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    for path in folders:
        path.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(user)
        for path in folders:
            path.chmod(0o755)


@pytest.fixture
def open_folder():
    """Return a folder that every user may reach."""
    folder = Path(tempfile.mkdtemp())
    yield folder
    shutil.rmtree(folder)


@pytest.mark.parametrize("names", ["set_LOCALE*.h5", "set*", "*", "set_LOCALE0001.h5", ["set_LOCALE0000.h5"] * 2])
@pytest.mark.parametrize(("committed", "text"), [(False, "old"), (True, "new")])
def test_any_name_of_a_file_puts_its_set_in_order(tmp_path, names, committed, text):
    left(tmp_path, committed=committed)._release()
    find(str(tmp_path / names) if isinstance(names, str) else [tmp_path / name for name in names])
    assert content(tmp_path) == dict.fromkeys(FILES, text)


@pytest.mark.parametrize("names", ["set_LOCALE*.h5", "set*", "set_LOCALE0001.h5"])
def test_a_set_of_which_no_file_is_there_yet_is_completed(tmp_path, names):
    left(tmp_path, committed=True, old=[])._release()
    assert len(find(tmp_path / names)) == (2 if "*" in names else 1)
    assert content(tmp_path) == dict.fromkeys(FILES, "new")


def test_names_of_other_sets_do_not_touch_it(tmp_path):
    left(tmp_path, committed=True, old=[])._release()
    for name in ("set2_LOCALE*.h5", "other.h5"):
        with pytest.raises(MissingFileError):
            find(tmp_path / name)
    assert list(content(tmp_path).values()) == ["folder"]


def test_a_set_that_shrank_half_way_is_completed(tmp_path):
    wide = [f"set_LOCALE000{number}.h5" for number in range(4)]
    left(tmp_path, committed=True, old=wide)._release()
    (tmp_path / wide[2]).unlink()
    assert find(tmp_path / "set_LOCALE*.h5") == [str(tmp_path / name) for name in FILES]


def test_the_folder_of_a_living_writer_stays(tmp_path):
    staging = left(tmp_path, committed=False)
    assert find(tmp_path / "set*") == [str(tmp_path / name) for name in FILES]
    assert content(tmp_path) == {**dict.fromkeys(FILES, "old"), os.path.basename(staging.folder): "folder"}
    with pytest.raises(WriteError, match="another write of it is under way") as caught:
        FileTransaction(staging.target).create()
    assert f"process {os.getpid()}" in caught.value.details[0]
    staging.discard()
    assert content(tmp_path) == dict.fromkeys(FILES, "old")


def test_a_living_writer_that_renames_is_waited_for(tmp_path):
    staging = left(tmp_path, committed=True)
    writer = threading.Timer(0.05, staging._release)
    writer.start()
    assert recover(str(tmp_path / FILES[0]))
    writer.join()
    assert content(tmp_path) == dict.fromkeys(FILES, "new")


def test_a_living_writer_that_does_not_end_is_told_of(tmp_path, monkeypatch):
    staging = left(tmp_path, committed=True)
    monkeypatch.setattr(tuning, "STALLED_SECONDS", 0.01)
    with pytest.raises(FileError, match="does not come to an end"):
        find(tmp_path / "set*")
    staging.discard()


def test_a_writer_elsewhere_that_renames_no_more_is_acted_for_after_a_while(tmp_path, monkeypatch):
    left(tmp_path, committed=True)._release()
    owner = Path(hidden_folder(str(tmp_path / "set.h5")), "owner")
    owner.write_text('{"host": "elsewhere", "kernel": "another", "pid": 1, "since": 0}')
    monkeypatch.setattr(tuning, "STALLED_SECONDS", 0.05)
    assert recover(str(tmp_path / "set.h5"))
    assert content(tmp_path) == dict.fromkeys(FILES, "new")


def test_what_is_left_in_a_folder_without_rights_does_not_hinder_reading(open_folder):
    left(open_folder, committed=False)._release()
    with without_rights(open_folder):
        assert len(find(open_folder / "set*")) == 2


def test_a_half_replaced_set_in_a_folder_without_rights_is_refused_with_a_hint(open_folder):
    left(open_folder, committed=True)._release()
    with without_rights(open_folder), pytest.raises(FileError, match="cannot be completed: Permission") as caught:
        find(open_folder / "set*")
    assert "where its folder can be written to" in caught.value.hint
    assert recover(str(open_folder / "set.h5"))


def test_a_replaced_set_whose_journal_cannot_be_removed_is_read(open_folder):
    staging = left(open_folder, committed=True, new=FILES[:1])
    os.replace(staging.path(FILES[0]), open_folder / FILES[0])
    (open_folder / FILES[1]).unlink()
    staging._release()
    with without_rights(open_folder):
        assert find(open_folder / "set*") == [str(open_folder / FILES[0])]


def test_a_folder_that_nobody_has_signed_is_removed_only_if_it_is_empty(tmp_path):
    folder = Path(hidden_folder(str(tmp_path / "set.h5")))
    folder.mkdir()
    assert recover(str(tmp_path / "set.h5"))
    assert not folder.exists()
    folder.mkdir()
    (folder / "mine").write_text("kept")
    assert not recover(str(tmp_path / "set.h5"))
    with pytest.raises(WriteError, match="another write"):
        FileTransaction(str(tmp_path / "set.h5")).create()
    assert (folder / "mine").read_text() == "kept"


def test_a_writer_copes_with_its_empty_folder_being_taken_away(tmp_path, monkeypatch):
    make, calls = Lock.make, iter(range(9))

    def robbed(folder):
        if next(calls) == 0:
            os.rmdir(folder.path)
        return make(folder)

    monkeypatch.setattr(Lock, "make", robbed)
    staging = FileTransaction(str(tmp_path / "set"))
    staging.create()
    assert os.path.isdir(staging.folder)
    staging.discard()


def test_a_look_is_repeated_until_no_file_is_replaced_meanwhile(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text("old")
    looks = []

    def look(paths):
        found = [Path(path).read_text() for path in paths]
        if not looks:
            left(tmp_path, committed=True)._release()
        looks.append(found)
        return found

    assert settled(tmp_path / "set*", look) == ["new", "new"]
    assert looks[0] == ["old", "old"]


def test_what_is_found_twice_is_taken_though_other_files_come_and_go(tmp_path):
    (tmp_path / FILES[0]).write_text("old")
    count = iter(range(99))

    def look(paths):
        time.sleep(0.01)
        (tmp_path / f"log{next(count)}").write_text("")
        return [Path(path).read_text() for path in paths]

    assert settled(tmp_path / "set*", look) == ["old"]
    assert next(count) == 2


def test_files_that_are_replaced_all_the_time_are_given_up(tmp_path, monkeypatch):
    (tmp_path / FILES[0]).write_text("old")
    monkeypatch.setattr(tuning, "MOST_TRIES", 3)

    def look(paths):
        time.sleep(0.01)
        os.replace(shutil.copy(paths[0], tmp_path / "other"), paths[0])
        return object()

    with pytest.raises(FileError, match="replaced all the time"):
        settled(tmp_path / "set*", look)


def test_an_error_counts_only_if_no_file_was_replaced_meanwhile(tmp_path):
    (tmp_path / FILES[0]).write_text("old")
    errors = [MissingFileError("gone"), None]

    def look(paths):
        error = errors.pop(0)
        if error:
            time.sleep(0.01)
            (tmp_path / "new").write_text("")
            raise error
        return paths

    assert settled(tmp_path / "set*", look) == [str(tmp_path / FILES[0])]
    with pytest.raises(MissingFileError):
        settled(tmp_path / "absent*", look)


def test_names_of_the_wrong_type_are_refused():
    with pytest.raises(ArgumentTypeError):
        settled([1], list)


def test_files_that_are_read_are_not_looked_for_again_within(tmp_path, monkeypatch):
    for name in FILES:
        (tmp_path / name).write_text("old")
    names, looked_for = [str(tmp_path / "set*")], []
    expand = recovery.expand
    monkeypatch.setattr(recovery, "expand", lambda given: looked_for.append(given) or expand(given))
    wanted = [str(tmp_path / name) for name in FILES]
    assert settled(names, lambda paths: [paths, settled(names, list), settled(wanted[:1], list)]) == [
        wanted,
        wanted,
        wanted[:1],
    ]
    assert looked_for == [names, wanted[:1]]
    (tmp_path / FILES[1]).unlink()
    with pytest.raises(ZeroDivisionError):
        settled(names, lambda paths: 1 / 0)
    assert settled(names, list) == wanted[:1]
