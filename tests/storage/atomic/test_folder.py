"""Folders that appear whole, and hidden ones that somebody else has planted."""

import os
from pathlib import Path

import pytest

from akdask.errors import FileError, WriteError
from akdask.storage.folders import Directory
from akdask.storage.recovery import recover_folders, settled_folder
from akdask.storage.transaction import FolderTransaction

HIDDEN = ".c.akdask-folder"


def fill(folder, text="new"):
    with open(os.path.join(folder, "file"), "w") as file:
        file.write(text)


def write(target, text="new", **options):
    staging = FolderTransaction(str(target))
    fill(staging.create(), text)
    staging.commit(lambda path: None, **({"preserves": False} | options))


def test_a_folder_is_replaced_or_kept(tmp_path):
    for text in ("a", "b"):
        write(tmp_path / "deep" / "c", text)
    write(tmp_path / "deep" / "c", "d", preserves=True)
    write(tmp_path / "deep" / "c", "e", preserves=True)
    assert {path.name: (path / "file").read_text() for path in (tmp_path / "deep").iterdir()} == {
        "c": "e",
        "c.prev": "d",
    }


def test_two_writers_at_once_are_kept_apart(tmp_path):
    first = FolderTransaction(str(tmp_path / "c"))
    fill(first.create())
    with pytest.raises(WriteError, match="another write of it is under way") as caught:
        write(tmp_path / "c")
    assert f"process {os.getpid()}" in caught.value.details[0]
    first.commit(lambda path: None, preserves=False)
    assert os.listdir(tmp_path) == ["c"]


def test_a_folder_that_must_not_go_stays(tmp_path):
    write(tmp_path / "c", "old")
    staging = FolderTransaction(str(tmp_path / "c"))
    fill(staging.create())

    def refuse(path):
        raise FileError(f"not {path}")

    with pytest.raises(FileError, match="not "):
        staging.commit(refuse, preserves=False)
    assert os.listdir(tmp_path) == ["c"]
    assert (tmp_path / "c" / "file").read_text() == "old"


def plant(tmp_path, hidden=None):
    """Lay out what a writer leaves that was killed after its write had happened."""
    write(tmp_path / "c", "old")
    hidden = hidden or tmp_path / HIDDEN
    hidden.mkdir(mode=0o700)
    (hidden / "replace").mkdir()
    fill(hidden / "replace", "planted")
    (hidden / "owner").write_text("{}")
    return hidden


def test_what_a_dead_writer_has_finished_is_put_in_place(tmp_path):
    plant(tmp_path)
    recover_folders(str(tmp_path))
    assert os.listdir(tmp_path) == ["c"]
    assert (tmp_path / "c" / "file").read_text() == "planted"


def test_a_hidden_folder_that_others_can_write_to_is_not_believed(tmp_path):
    plant(tmp_path).chmod(0o777)
    recover_folders(str(tmp_path))
    assert (tmp_path / "c" / "file").read_text() == "old"


def test_a_link_in_place_of_a_hidden_folder_is_not_followed(tmp_path):
    (tmp_path / "victim").mkdir()
    plant(tmp_path, tmp_path / "victim" / "x")
    for name in ("new", "old"):
        (tmp_path / "victim" / "x" / name).mkdir()
    (tmp_path / HIDDEN).symlink_to(tmp_path / "victim" / "x")
    recover_folders(str(tmp_path))
    assert (tmp_path / "c" / "file").read_text() == "old"
    assert sorted(os.listdir(tmp_path / "victim" / "x")) == ["new", "old", "owner", "replace"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make files of other users")
def test_a_hidden_folder_of_a_foreign_user_is_not_believed(tmp_path):
    hidden = plant(tmp_path)
    os.chown(hidden, 65534, 65534)
    recover_folders(str(tmp_path))
    assert (tmp_path / "c" / "file").read_text() == "old"
    with pytest.raises(WriteError, match="another write"):
        write(tmp_path / "c")
    os.chown(tmp_path / "c", 65534, 65534)
    recover_folders(str(tmp_path))
    assert (tmp_path / "c" / "file").read_text() == "planted"


def test_what_no_writer_makes_stays(tmp_path):
    (tmp_path / HIDDEN).mkdir(mode=0o700)
    (tmp_path / HIDDEN / "owner").write_text("{}")
    (tmp_path / HIDDEN / "precious").write_text("mine")
    recover_folders(str(tmp_path))
    assert (tmp_path / HIDDEN / "precious").read_text() == "mine"


def failing_from(first, last):
    """Return a renaming that fails at some calls as if permissions were taken away."""
    replace, calls = os.replace, iter(range(99))

    def failing(*names, **folders):
        if first <= next(calls) <= last:
            raise PermissionError(13, "Permission denied")
        replace(*names, **folders)

    return failing


def found(tmp_path):
    return {path.name: (path / "file").read_text() for path in tmp_path.iterdir()}


@pytest.mark.parametrize(
    ("preserves", "fails_at"), [*((False, step) for step in range(3)), *((True, step) for step in range(4))]
)
def test_a_failing_rename_leaves_the_old_folders_and_nothing_else(tmp_path, monkeypatch, preserves, fails_at):
    for text in ("oldest", "old"):
        write(tmp_path / "c", text, preserves=True)
    with monkeypatch.context() as patch:
        # The first puts the record there; two or three more put the folders in place.
        patch.setattr(os, "replace", failing_from(fails_at, fails_at))
        with pytest.raises(WriteError, match="Permission denied"):
            write(tmp_path / "c", "new", preserves=preserves)
    assert found(tmp_path) == {"c": "old", "c.prev": "oldest"}


@pytest.mark.parametrize("fails_at", [1, 2, 3])
def test_folders_that_cannot_be_put_back_are_told_and_completed_by_the_next(tmp_path, monkeypatch, fails_at):
    for text in ("oldest", "old"):
        write(tmp_path / "c", text, preserves=True)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing_from(fails_at, 99))
        with pytest.raises(WriteError, match="nor put back"):
            write(tmp_path / "c", "new", preserves=True)
    recover_folders(str(tmp_path))
    assert found(tmp_path) == {"c": "new", "c.prev": "old"}


def test_a_record_that_cannot_be_taken_back_is_told_and_completed_by_the_next(tmp_path, monkeypatch):
    write(tmp_path / "c", "old")
    sync = Directory.sync

    def failing(folder):
        if folder.path.endswith(HIDDEN):
            raise OSError(5, "Input/output error")
        sync(folder)

    with monkeypatch.context() as patch:
        patch.setattr(Directory, "sync", failing)
        patch.setattr(os, "replace", failing_from(1, 99))
        with pytest.raises(WriteError, match="nor put back what was there: Input/output error"):
            write(tmp_path / "c", "new")
    recover_folders(str(tmp_path))
    assert found(tmp_path) == {"c": "new"}


def test_a_folder_is_read_again_that_is_replaced_meanwhile(tmp_path):
    write(tmp_path / "c", "old")
    looks = []

    def look(path):
        looks.append(Path(path, "file").read_text())
        if len(looks) < 3:
            write(tmp_path / "c", f"new {len(looks)}")
        if len(looks) == 1:
            raise FileError("a file is gone")
        return looks[-1]

    assert settled_folder(str(tmp_path / "c"), look) == "new 2"
    assert looks == ["old", "new 1", "new 2"]


def test_the_old_folder_is_read_where_the_new_one_cannot_be_put_in_place(tmp_path, monkeypatch):
    plant(tmp_path)
    failing = failing_from(0, 99)
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        assert settled_folder(str(tmp_path / "c"), lambda path: Path(path, "file").read_text()) == "old"
    (tmp_path / "c").rename(tmp_path / HIDDEN / "old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", failing)
        with pytest.raises(FileError, match="half replaced, and cannot be completed"):
            recover_folders(str(tmp_path))
    assert settled_folder(str(tmp_path / "c"), lambda path: Path(path, "file").read_text()) == "planted"


def test_folders_in_a_new_folder_come_with_it(tmp_path):
    staging = FolderTransaction(str(tmp_path / "new"))
    inner = os.path.join(staging.create(), "inner", "most")
    os.makedirs(inner)
    with open(os.path.join(inner, "file"), "w", encoding="utf-8") as file:
        file.write("x")
    staging.commit(lambda path: None, preserves=False)
    assert (tmp_path / "new" / "inner" / "most" / "file").read_text() == "x"
    assert os.listdir(tmp_path) == ["new"]
