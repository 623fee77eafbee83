import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from akdask.errors import FileFormatError
from akdask.storage.folders import HiddenFolder
from akdask.storage.transaction import Journal, Rename

TAG = "0123456789ab"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / ".set.h5.akdask-write"
    (path / TAG).mkdir(parents=True)
    return path


@pytest.fixture
def hidden(folder):
    with HiddenFolder.at(str(folder)) as found:
        yield found


def staged(folder, **texts):
    """Write finished files, and return the renames that put them into place."""
    for name, text in texts.items():
        (folder / TAG / f"{name}.h5").write_text(text)
    return tuple(Rename(f"{TAG}/{name}.h5", f"{name}.h5", len(text)) for name, text in texts.items())


def beside(folder):
    return {path.name: path.read_text() for path in folder.parent.iterdir() if path.is_file()}


def test_a_journal_is_read_as_it_was_written(folder, hidden):
    journal = Journal((Rename(f"{TAG}/set_LOCALE0000.h5", "set_LOCALE0000.h5", 3),), ("set_LOCALE0001.h5",))
    assert Journal.read(hidden) is None
    journal.write(hidden, durable=True)
    assert Journal.read(hidden) == journal
    assert sorted(path.name for path in folder.iterdir()) == [TAG, "journal"]


def test_it_may_be_carried_out_again_from_any_point(folder, hidden):
    (folder.parent / "set_LOCALE0002.h5").write_text("stale")
    journal = Journal(staged(folder, set_LOCALE0000="a", set_LOCALE0001="bc"), ("set_LOCALE0002.h5",))
    journal.write(hidden, durable=False)
    os.replace(folder / TAG / "set_LOCALE0000.h5", folder.parent / "set_LOCALE0000.h5")
    for _ in range(2):
        journal.carry_out(hidden, durable=False)
        assert beside(folder) == {"set_LOCALE0000.h5": "a", "set_LOCALE0001.h5": "bc"}
        assert journal.is_carried_out(hidden)


def test_a_finished_file_that_is_lost_is_noticed(folder, hidden):
    (folder.parent / "set_LOCALE0000.h5").write_text("of another write")
    journal = Journal(staged(folder, set_LOCALE0000="a"))
    journal.write(hidden, durable=False)
    (folder / TAG / "set_LOCALE0000.h5").unlink()
    with pytest.raises(FileNotFoundError):
        journal.carry_out(hidden, durable=False)


def test_who_comes_late_does_nothing_under_a_later_journal(folder, hidden):
    journal = Journal(staged(folder, set_LOCALE0000="a", set_LOCALE0001="b"), ("set_LOCALE0002.h5",))
    journal.write(hidden, durable=False)
    (folder.parent / "set_LOCALE0002.h5").write_text("of a later write")
    replace = os.replace

    def interrupted(source, target, **folders):
        replace(source, target, **folders)
        Journal(()).write(hidden, durable=False) if "LOCALE0000" in target else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        journal.carry_out(hidden, durable=False)
    assert beside(folder) == {"set_LOCALE0000.h5": "a", "set_LOCALE0002.h5": "of a later write"}


@pytest.mark.parametrize(
    "journal",
    [
        Journal((Rename(f"{TAG}/x", "../set_LOCALE0000.h5", 1),)),
        Journal((Rename("../x", "set_LOCALE0000.h5", 1),)),
        Journal((Rename("/x", "set_LOCALE0000.h5", 1),)),
        Journal((), (".bashrc",)),
        Journal((), ("set_LOCALE0000.h5/..",)),
        Journal((), ("..",)),
        Journal((Rename(f"{TAG}/x", ".profile", 1),)),
        Journal((Rename(f"{TAG}/x", ".other.h5.akdask", 1),)),
        Journal((), (".other.h5.akdask-write",)),
        Journal((), ("",)),
        Journal((), ("set\0",)),
        Journal((Rename(f"{TAG}/x", "set_LOCALE0000.h5", 1), Rename("ba9876543210/y", "set_LOCALE0001.h5", 1))),
    ],
)
def test_a_journal_that_touches_hidden_files_or_those_of_other_folders_is_refused(folder, hidden, journal):
    journal.write(hidden, durable=False)
    with pytest.raises(FileFormatError, match="damaged"):
        Journal.read(hidden)


@pytest.mark.parametrize("name", ["other.h5", "set_0000.h5", "set.samples", "list"])
def test_a_journal_of_this_user_names_files_as_the_user_likes(folder, hidden, name):
    (folder / TAG / "x").write_text("new")
    (folder.parent / name).write_text("old")
    Journal((Rename(f"{TAG}/x", name, 3),)).write(hidden, durable=False)
    Journal.read(hidden).carry_out(hidden, durable=False)
    assert beside(folder) == {name: "new"}


def test_the_manifest_beside_a_set_belongs_to_it(folder, hidden):
    journal = Journal((Rename(f"{TAG}/m", ".set.h5.akdask", 1), Rename(f"{TAG}/s", "set.h5", 1)), (".set.h5.akdask",))
    journal.write(hidden, durable=False)
    assert Journal.read(hidden) == journal


@given(position=st.integers(0, 10**6), bit=st.integers(0, 7), cut=st.booleans())
def test_a_damaged_journal_is_refused(tmp_path_factory, position, bit, cut):
    folder = tmp_path_factory.mktemp("damaged") / ".set.akdask-write"
    folder.mkdir()
    hidden = HiddenFolder.at(str(folder))
    Journal((Rename(f"{TAG}/set_LOCALE0000", "set_LOCALE0000", 3),), ("set_LOCALE0001",)).write(hidden, durable=False)
    content = bytearray((folder / "journal").read_bytes())
    position %= len(content)
    content[position] ^= 1 << bit
    (folder / "journal").write_bytes(content[:position] if cut else content)
    with pytest.raises(FileFormatError, match="damaged"):
        Journal.read(hidden)
