"""A power failure at any moment: of what was not waited for, any part may be lost, and a set is whole nevertheless.

A write is watched call by call.  After each, folders are laid out as a disk may then have them, in several ways, and
read.  What is kept of a file are the bytes that it had when it was last waited for; of a folder its names.
"""

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import akdask as ak
from akdask.storage.folders import HiddenFolder
from akdask.storage.recovery import recover
from akdask.storage.transaction import Journal
from tests.atomic.scenarios import SCENARIOS, found, silently

CALLS = ("mkdir", "rmdir", "unlink", "link", "replace", "fsync")

Names = dict[str, int]
"""What is in a folder: numbers of files and folders by name."""


@dataclass
class Disk:
    """Folders and files by their numbers, as they are now and as they are on disk."""

    root: int
    kinds: dict[int, bool] = field(default_factory=dict)
    """Whether a number is that of a folder."""
    folders: dict[int, Names] = field(default_factory=dict)
    files: dict[int, bytes] = field(default_factory=dict)
    kept_folders: dict[int, Names] = field(default_factory=dict)
    kept_files: dict[int, bytes] = field(default_factory=dict)

    def lay_out(self, folder: Path, names_of: Callable[[int], Names]) -> None:
        """Make what would be found after a failure; bytes that are lost are zeros."""
        self._lay_out(self.root, folder, names_of)

    def _lay_out(self, number: int, folder: Path, names_of: Callable[[int], Names]) -> None:
        folder.mkdir()
        for name, inside in names_of(number).items():
            if self.kinds[inside]:
                self._lay_out(inside, folder / name, names_of)
            else:
                kept = self.kept_files.get(inside, b"")
                (folder / name).write_bytes(kept.ljust(len(self.files.get(inside, b"")), b"\0"))


class Watch:
    """Follows a folder through the calls that change it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.disk = Disk(folder.stat().st_ino)
        self.moments: list[tuple[str, Disk, Names]] = []
        self.held: list[int] = []
        self.look()
        self.disk.kept_folders = dict(self.disk.folders)
        self.disk.kept_files = dict(self.disk.files)
        self.before = self.disk.folders[self.disk.root]

    def look(self) -> None:
        """See what is there now."""
        self.disk.folders = {}
        for path in [self.folder, *self.folder.rglob("*")]:
            number = path.stat().st_ino
            if number not in self.disk.kinds:
                self.held.append(os.open(path, os.O_RDONLY))  # so that no other gets the number when it is removed
                self.disk.kinds[number] = path.is_dir()
            if path.is_dir():
                self.disk.folders[number] = {one.name: one.lstat().st_ino for one in path.iterdir()}
            else:
                self.disk.files[number] = path.read_bytes()

    def close(self) -> None:
        """Let go of all files."""
        for descriptor in self.held:
            os.close(descriptor)

    def note(self, call: str, arguments: tuple) -> None:
        """Take in one call."""
        before = self.disk.folders.get(self.disk.root, {})
        self.look()
        if call == "fsync":
            number = os.fstat(arguments[0]).st_ino
            if number in self.disk.folders:
                self.disk.kept_folders[number] = self.disk.folders[number]
            elif number in self.disk.files:
                self.disk.kept_files[number] = self.disk.files[number]
        now = self.disk
        kept = Disk(
            now.root, now.kinds, dict(now.folders), dict(now.files), dict(now.kept_folders), dict(now.kept_files)
        )
        self.moments.append((call, kept, before))


def ways(disk: Disk, before: Names) -> dict[str, Callable[[int], Names]]:
    """Return how the names in folders may be after a failure."""
    here, kept = disk.folders[disk.root], disk.kept_folders[disk.root]
    # The last change of the folder of the set may be on disk, and those before it not.
    last = {name: number for name, number in kept.items() if name in here or name not in before}
    last |= {name: number for name, number in here.items() if before.get(name) != number}
    return {
        "only what was waited for": lambda number: disk.kept_folders.get(number, {}),
        "all names": lambda number: disk.folders.get(number, {}),
        "all names beside the set": lambda number: here if number == disk.root else disk.kept_folders.get(number, {}),
        "the last change": lambda number: last if number == disk.root else disk.kept_folders.get(number, {}),
    }


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Return a function that does something in a folder, and gives what was seen call by call."""

    def watch(folder, act):
        seen = Watch(folder)

        def noted(name):
            function = getattr(os, name)

            def call(*arguments, **options):
                result = function(*arguments, **options)
                seen.note(name, arguments)
                return result

            return call

        with monkeypatch.context() as patch:
            for name in CALLS:
                patch.setattr(os, name, noted(name))
            act()
        seen.close()
        return seen

    return watch


@pytest.mark.parametrize(
    "name", ["truncate over a wider set", "truncate over a narrower set", "update", "a single file"]
)
def test_a_power_failure_at_any_moment_leaves_the_old_set_or_the_new_one(tmp_path, watched, name):
    scenario = SCENARIOS[name]
    folder = tmp_path / "data"
    folder.mkdir()
    silently(scenario.prepare, str(folder / scenario.path))
    seen = watched(folder, lambda: silently(scenario.act, str(folder / scenario.path)))
    counts = {"before": 0, "after": 0}
    for step, (call, disk, before) in enumerate(seen.moments):
        for way, names_of in ways(disk, before).items():
            left = tmp_path / f"{step}-{way}"
            disk.lay_out(left, names_of)
            state = found(str(left), scenario, step)
            assert state in (scenario.before, scenario.after), f"step {step}, {call}, {way}"
            counts["after" if state == scenario.after else "before"] += 1
    assert min(counts.values()) > 20


def test_everything_is_waited_for_in_the_order_in_which_it_is_relied_on(tmp_path, watched):
    with warnings.catch_warnings(action="ignore"):
        for count in (10, 20):
            seen = watched(tmp_path, lambda count=count: ak.arange(count).to_hdf(tmp_path / "set.h5"))
    order: list[str] = []
    hidden = next(
        number
        for _, disk, _ in seen.moments
        for name, number in disk.folders[disk.root].items()
        if name.endswith("-write")
    )
    for call, disk, before in seen.moments:
        inside, here = disk.folders.get(hidden, {}), disk.folders[disk.root]
        staged = next((disk.folders[number] for number in inside.values() if number in disk.folders), {})
        if "journal" in inside and "journal" not in order:
            order.append("journal")
            # What the journal names is on disk, with its name; so is the journal, and the way to all of it.
            files = [number for name, number in staged.items() if not name.endswith(".kept")]
            assert files
            assert all(disk.kept_files.get(number) == disk.files[number] for number in [*files, inside["journal"]])
            tag = next(number for number in inside.values() if number in disk.folders)
            assert (
                disk.kept_folders[tag].items() >= {n: i for n, i in staged.items() if not n.endswith(".kept")}.items()
            )
            assert hidden in disk.kept_folders[disk.root].values()
        if call == "replace" and here != before and any("LOCALE" in n and here[n] != before.get(n) for n in here):
            order.append("rename")
            assert "journal" in disk.kept_folders[hidden]
        if "journal" in order and "journal" not in inside and "removed" not in order:
            order.append("removed")
            assert {n: i for n, i in disk.kept_folders[disk.root].items() if "LOCALE" in n} == {
                n: i for n, i in here.items() if "LOCALE" in n
            }
    assert order == ["journal", "rename", "removed"]


def test_who_comes_late_removes_nothing_under_a_later_journal(tmp_path, monkeypatch):
    (tmp_path / ".set.h5.akdask-write").mkdir()
    names = [f"set_LOCALE000{number}.h5" for number in range(3)]
    for name in names:
        (tmp_path / name).write_text("of a later write")
    with HiddenFolder.at(str(tmp_path / ".set.h5.akdask-write")) as hidden:
        journal = Journal((), tuple(names))
        journal.write(hidden, durable=False)
        unlink = os.unlink

        def replaced_after(name, **folder):
            unlink(name, **folder)
            Journal(()).write(hidden, durable=False)

        monkeypatch.setattr(os, "unlink", replaced_after)
        journal.carry_out(hidden, durable=False)
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_file()) == names[1:]


def test_a_journal_is_carried_out_once_more_after_a_failure_between_two_removals(tmp_path):
    (tmp_path / ".set.h5.akdask-write").mkdir()
    (tmp_path / ".set.h5.akdask-write" / "owner").write_text("")
    names = [f"set_LOCALE000{number}.h5" for number in range(3)]
    for name in names:
        (tmp_path / name).write_text("stale")
    with HiddenFolder.at(str(tmp_path / ".set.h5.akdask-write")) as hidden:
        journal = Journal((), tuple(names))
        journal.write(hidden, durable=False)
        (tmp_path / names[1]).unlink()
        assert not journal.is_carried_out(hidden)
    assert recover(str(tmp_path / "set.h5"))
    assert list(tmp_path.iterdir()) == []
