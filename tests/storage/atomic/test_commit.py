import os
import warnings

import pytest

import akdask as ak
from akdask.errors import WriteError
from akdask.storage.folders import Directory, HiddenFolder
from akdask.storage.recovery import recover
from akdask.storage.transaction import FileTransaction


def prepared(folder, **files):
    staging = FileTransaction(str(folder / "set"))
    staging.create()
    renames = []
    for name, text in files.items():
        path = staging.path(name)
        with open(path, "w") as file:
            file.write(text)
        renames.append((path, str(folder / name)))
    return staging, renames


def content(folder):
    """Return all files, and fail if there is a folder."""
    return {path.name: path.read_text() for path in folder.iterdir()}


def test_files_appear_together_and_stale_ones_go(tmp_path):
    (tmp_path / "a").write_text("old")
    (tmp_path / "c").write_text("stale")
    staging, renames = prepared(tmp_path, a="new", b="new")
    staging.commit(renames, [str(tmp_path / "c")])
    assert content(tmp_path) == {"a": "new", "b": "new"}


@pytest.mark.parametrize("fails_at", [0, 1, 2])
def test_a_failing_rename_leaves_the_old_files_and_nothing_else(tmp_path, monkeypatch, fails_at):
    for name in ("a", "c"):
        (tmp_path / name).write_text("old")
    staging, renames = prepared(tmp_path, a="new", b="new", c="new")
    replace, calls = os.replace, iter(range(9))

    def failing(source, target, **folders):
        if next(calls) == 1 + fails_at:  # the first puts the journal there
            raise PermissionError(13, "Permission denied")
        replace(source, target, **folders)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(WriteError, match="Permission denied"):
        staging.commit(renames)
    assert content(tmp_path) == {"a": "old", "c": "old"}


def failing_after(count, call):
    """Return a function that fails as if permissions were taken away after some calls."""
    calls = iter(range(99))

    def failing(*args, **options):
        if next(calls) >= count:
            raise PermissionError(13, "Permission denied")
        return call(*args, **options)

    return failing


@pytest.mark.parametrize("count", [1, 2])
def test_what_cannot_be_put_back_is_told_and_completed_by_the_next(tmp_path, monkeypatch, count):
    for name in ("set_LOCALE0000", "set_LOCALE0001"):
        (tmp_path / name).write_text("old")
    staging, renames = prepared(tmp_path, set_LOCALE0000="new", set_LOCALE0001="new")
    with monkeypatch.context() as patch:
        # The first rename puts the journal there.
        patch.setattr(os, "replace", failing_after(count, os.replace))
        with pytest.raises(WriteError, match="nor put back") as caught:
            staging.commit(renames)
    assert caught.value.details == (f"old and new files are in {staging.folder!r}",)
    assert recover(staging.target)
    assert content(tmp_path) == {"set_LOCALE0000": "new", "set_LOCALE0001": "new"}


def test_without_hard_links_a_commit_that_fails_is_completed_by_the_next(tmp_path, monkeypatch):
    (tmp_path / "set").write_text("old")
    staging, renames = prepared(tmp_path, set="new")

    def no_links(*_, **__):
        raise OSError(95, "Operation not supported")

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", no_links)
        patch.setattr(os, "replace", failing_after(1, os.replace))
        with pytest.raises(WriteError, match="nor put back"):
            staging.commit(renames)
    assert recover(staging.target)
    assert content(tmp_path) == {"set": "new"}


def test_a_folder_in_the_place_of_a_file_stays(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "inside").write_text("kept")
    staging, renames = prepared(tmp_path, a="new")
    with pytest.raises(WriteError, match="folder has that name"):
        staging.commit(renames)
    assert (tmp_path / "a" / "inside").read_text() == "kept"


def test_a_missing_folder_and_a_path_below_a_file_are_refused_with_a_hint(tmp_path):
    (tmp_path / "file").write_text("")
    for parent in ("absent", "file"):
        with pytest.raises(WriteError, match="create the folder first"):
            FileTransaction(str(tmp_path / parent / "set")).create()


@pytest.mark.parametrize(
    ("durable", "waits"), [(True, [True, True]), ("replaced", [False, True]), (False, [False] * 2)]
)
def test_a_write_waits_for_the_disk_where_that_is_asked_for(tmp_path, monkeypatch, durable, waits):
    waited = []
    monkeypatch.setattr(Directory, "sync_file", lambda folder, name: waited.append(name))
    found = []
    for count in range(2):
        with ak.config.set(durable=durable), warnings.catch_warnings(action="ignore"):
            ak.arange(10 + count).to_hdf(tmp_path / "set")
        found.append(any("LOCALE0000" in name for name in waited))
        waited.clear()
    assert found == waits


def test_a_set_can_be_written_again_though_a_task_of_an_interrupted_write_came_late(tmp_path, monkeypatch):
    interrupted, renames = prepared(tmp_path, a="interrupted")
    rmdir = Directory.rmdir

    def after_another_file(folder, name):
        (tmp_path / ".set.akdask-write" / name / "late").touch()
        rmdir(folder, name)

    with monkeypatch.context() as during:
        during.setattr(Directory, "rmdir", after_another_file)
        interrupted.discard()
    assert len(os.listdir(tmp_path)) == 1
    staging, renames = prepared(tmp_path, a="new")
    staging.commit(renames)
    assert content(tmp_path) == {"a": "new"}


def test_the_lock_of_a_write_is_released_though_its_removal_is_interrupted(tmp_path, monkeypatch):
    interrupted, _ = prepared(tmp_path, a="interrupted")

    def interrupt(hidden):
        raise KeyboardInterrupt

    with monkeypatch.context() as during:
        during.setattr(HiddenFolder, "remove", interrupt)
        with pytest.raises(KeyboardInterrupt):
            interrupted.discard()
    staging, renames = prepared(tmp_path, a="new")
    staging.commit(renames)
    assert content(tmp_path) == {"a": "new"}
