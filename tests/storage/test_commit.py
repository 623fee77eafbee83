import os
from pathlib import Path

import pytest

from akdask.errors import UnsupportedError, WriteError
from akdask.storage.commit import Staging


def prepared(folder, **files):
    staging = Staging(str(folder / "set"))
    staging.create()
    renames = []
    for name, text in files.items():
        path = staging.path(name)
        with open(path, "w") as file:
            file.write(text)
        renames.append((path, str(folder / name)))
    return staging, renames


def content(folder):
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

    def failing(source, target):
        if next(calls) == fails_at:
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(WriteError, match="Permission denied"):
        staging.commit(renames)
    assert content(tmp_path) == {"a": "old", "c": "old"}


def test_a_file_system_without_hard_links_is_undone_too(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    staging, renames = prepared(tmp_path, a="new", b="new")

    def no_links(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    renames[1] = (staging.path("absent"), renames[1][1])
    with pytest.raises(WriteError):
        staging.commit(renames)
    assert content(tmp_path) == {"a": "old"}


def test_what_cannot_be_put_back_is_kept_and_named(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old")
    staging, renames = prepared(tmp_path, a="new", b="new")
    replace, calls = os.replace, iter(range(9))

    def failing_after_the_first(source, target):
        if next(calls) > 0:
            raise PermissionError(13, "Permission denied")
        replace(source, target)

    monkeypatch.setattr(os, "replace", failing_after_the_first)
    with pytest.raises(WriteError, match="their content is in") as caught:
        staging.commit(renames)
    assert caught.value.details == (str(tmp_path / "a"),)
    assert "old" in [path.read_text() for path in Path(staging.folder).iterdir()]


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
            Staging(str(tmp_path / parent / "set")).create()


def test_urls_cannot_be_written_to():
    with pytest.raises(UnsupportedError, match="s3://bucket/set"):
        Staging("s3://bucket/set")
