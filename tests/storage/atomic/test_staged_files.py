"""Files of any names appear together, and no dead writer's come over later ones."""

import os
from pathlib import Path

import pytest

import akdask as ak
from akdask.errors import WriteError
from akdask.storage.recovery import recover_naming
from akdask.storage.transaction import Journal, staged_files, write_file, write_files


def read(folder):
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture
def interrupted(tmp_path, monkeypatch):
    """Leave a write of two files that has happened, and was not carried out."""
    write_files({tmp_path / "a": [b"old"], tmp_path / "b": [b"old"]})

    def killed(self, hidden, *, durable):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "carry_out", killed)
        with pytest.raises(KeyboardInterrupt):
            write_files({tmp_path / "a": [b"new"], tmp_path / "b": [b"new"]})
    assert (tmp_path / "a").read_text() == "old"
    return tmp_path


@pytest.mark.parametrize("name", ["a", "b"])
def test_whichever_file_is_looked_for_all_are_put_into_place(interrupted, name):
    recover_naming([str(interrupted / "other")])
    assert (interrupted / name).read_text() == "old"
    recover_naming([str(interrupted / name)])
    assert read(interrupted) == {"a": "new", "b": "new"}


def test_a_later_write_of_one_of_the_files_comes_after_that_of_the_dead_writer(interrupted):
    write_file(interrupted / "b", [b"newest"])
    assert read(interrupted) == {"a": "new", "b": "newest"}
    recover_naming([str(interrupted / "a")])
    assert read(interrupted) == {"a": "new", "b": "newest"}


def test_what_fails_leaves_what_was_there(tmp_path):
    write_file(tmp_path / "a", [b"old"])

    def failing():
        yield b"new"
        raise OSError(28, os.strerror(28))

    with pytest.raises(WriteError, match="No space left") as caught:
        write_files({tmp_path / "a": [b"new"], tmp_path / "b": failing()})
    assert repr(str(tmp_path / "b")) in str(caught.value)
    assert read(tmp_path) == {"a": "old"}


def test_files_that_are_obsolete_go_with_the_others(tmp_path):
    for name in "abc":
        (tmp_path / name).write_text("old")
    paths = [str(tmp_path / name) for name in "abc"]
    with staged_files(paths[0], paths[:2], stale=lambda: paths) as add:
        for path in paths[:2]:
            add(path, lambda made: Path(made).write_text("new"))
    assert read(tmp_path) == {"a": "new", "b": "new"}


@pytest.mark.light
@pytest.mark.parametrize("present", ["", "a", "b", "ab"])
def test_files_are_on_disk_before_any_of_them_replaces_one(tmp_path, monkeypatch, present):
    for name in present:
        (tmp_path / name).write_text("old")
    synced = []
    monkeypatch.setattr(os, "fsync", synced.append)
    with ak.config.set(durable="replaced"):
        write_files({tmp_path / "a": [b"new"], tmp_path / "b": [b"new"]})
    assert bool(synced) == bool(present)
    assert read(tmp_path) == {"a": "new", "b": "new"}
