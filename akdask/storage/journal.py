"""The record of a write: its remaining steps, kept in the hidden folder before the first of them is taken.

Once the record exists, the write has happened: a process that finds it carries it out.  Each step may be repeated, also
by several processes at once.  For files the record is a `Journal`.  For a whole folder it is a `FolderReplacement`, of
which the name of the finished folder says all.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from hashlib import blake2b
from typing import Any, ClassVar, TypeAlias

from akdask.errors import FileFormatError
from akdask.records import record
from akdask.storage.files import is_single_name, state_of
from akdask.storage.folders import JOURNAL, NEW, OLD, PRESERVE, Directory, HiddenFolder, is_staged_name, unique_tag
from akdask.storage.locales import is_of_set
from akdask.storage.manifest import manifest_path

BACKUP = ".kept"
"""Suffix of the second names of files that a write replaces, in case they must be restored."""

_VERSION = 1
_LARGEST = 2**28  # bytes; a step takes about 100
_LARGEST_FILE = 2**63 - 1


@record
class Rename:
    """The move of a finished file into place.

    Parameters
    ----------
    source : str
        Folder of finished files inside the hidden folder, slash, name in it.
    target : str
        Name beside the hidden folder.
    size : int
        Its size in bytes, by which a file in place is recognized.
    """

    source: str
    target: str
    size: int


@record
class Journal:
    """The steps that replace files, in order: renames first, then removals.

    It holds names instead of paths, since a folder may be moved or have another path on another machine.

    Parameters
    ----------
    renames : tuple of Rename
        New files, which wait in one folder.
    removals : tuple of str
        Names beside the hidden folder that the new files make obsolete.
    """

    renames: tuple[Rename, ...]
    removals: tuple[str, ...] = ()

    def write(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Put the complete journal into the hidden folder, replacing an older one.

        A durable journal is on disk afterwards, and so are all names that lead to it and to its files.
        """
        steps = [[step.source, step.target, step.size] for step in self.renames]
        text = json.dumps({"version": _VERSION, "renames": steps, "removals": self.removals}).encode()
        new = f"{JOURNAL}.{unique_tag()}"
        hidden.folder.write(new, _digest(text) + b"\n" + text, durable=durable)
        if durable:
            hidden.parent.sync()
        hidden.folder.rename(new, JOURNAL)
        if durable:
            hidden.folder.sync()

    @classmethod
    def read(cls, hidden: HiddenFolder) -> Journal | None:
        """Return the journal in a hidden folder; None if there is none.

        Raises
        ------
        FileFormatError
            If it is damaged, or names files that a writer does not name.
        OSError
            If it is no file that can be read, or not of the folder's owner.
        """
        try:
            digest, _, text = hidden.folder.read(JOURNAL, _LARGEST, {hidden.writer, os.geteuid()}).partition(b"\n")
        except FileNotFoundError:
            return None
        journal = _parsed(text) if digest == _digest(text) else None
        if journal is None or not journal._is_allowed(hidden):
            raise FileFormatError(
                f"{hidden.folder.path_of(JOURNAL)!r} is damaged: it cannot be known which files of the set are "
                "replaced.",
                hint=f"the new files are in {hidden.path!r}: put them into place or remove that folder.",
            )
        return journal

    @property
    def beside(self) -> tuple[str, ...]:
        """Return all names beside the hidden folder that the journal creates or removes."""
        return (*(step.target for step in self.renames), *self.removals)

    def _is_allowed(self, hidden: HiddenFolder) -> bool:
        """Whether writers give such names, and the owner of the folder may take each step."""
        own = hidden.set_name
        waiting = [step.source.partition("/")[::2] for step in self.renames]
        return (
            len({tag for tag, _ in waiting}) < 2
            and all(is_staged_name(tag) and is_single_name(name) for tag, name in waiting)
            and all(
                is_written_name(name, own) and (is_of_set(name, own) or _belongs_to_writer(hidden, name))
                for name in self.beside
            )
        )

    def _staged(self, hidden: HiddenFolder) -> AbstractContextManager[Directory | None]:
        """Open the folder that the new files wait in; None if it no longer exists."""
        with suppress(FileNotFoundError):
            if self.renames:
                return hidden.folder.child(self.renames[0].source.partition("/")[0])
        return nullcontext()

    def is_carried_out(self, hidden: HiddenFolder) -> bool:
        """Whether no step is left to take."""
        with self._staged(hidden) as staged:
            return all(_is_in_place(hidden, staged, step) for step in self.renames) and not any(
                map(hidden.parent.has, self.removals)
            )

    def carry_out(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Take all steps that are not taken yet; if one raises an `OSError`, the earlier steps are done."""
        identity = _identity(hidden)
        with self._staged(hidden) as staged:
            for step in self.renames:
                # Another process may have finished this journal, and a later write may have begun.
                if _identity(hidden) != identity:
                    return
                _put(hidden, staged, step)
        for name in self.removals:
            if _identity(hidden) != identity:
                return
            with suppress(FileNotFoundError):
                hidden.parent.unlink(name)
        if durable:
            hidden.parent.sync()


def _is_in_place(hidden: HiddenFolder, staged: Directory | None, step: Rename) -> bool:
    """Whether a file has its new name already, and perhaps still its old one."""
    source = None if staged is None else staged.find(step.source.partition("/")[2])
    placed = hidden.parent.find(step.target)
    return source is None or (placed is not None and os.path.samestat(source, placed))


def _put(hidden: HiddenFolder, staged: Directory | None, step: Rename) -> None:
    """Rename a file, unless that is done."""
    name = step.source.partition("/")[2]
    if staged is not None and not _is_in_place(hidden, staged, step):
        _check(hidden, staged, name)
        with suppress(FileNotFoundError):  # another process has done it just now
            staged.rename(name, step.target, hidden.parent)
    if step.target == manifest_path(hidden.set_name):
        return  # it may have been renewed since, and no set needs one
    placed = hidden.parent.find(step.target)
    if placed is None or placed.st_size != step.size or not (stat.S_ISREG(placed.st_mode) or name.endswith(BACKUP)):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), hidden.folder.path_of(step.source))


def _check(hidden: HiddenFolder, staged: Directory, name: str) -> None:
    """Refuse files that the writer cannot have put there: files of other users, links, folders and devices."""
    # A backup may be a link or of another user, in folders that nobody else can have put it into.
    if name.endswith(BACKUP) and hidden.is_closed_to_others and staged.status().st_uid == hidden.writer:
        return
    found = staged.find(name)
    if found is not None and not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", staged.path_of(name))
    if found is not None and found.st_uid not in {hidden.writer, os.geteuid()}:
        raise PermissionError(errno.EPERM, "It belongs to another user than its folder", staged.path_of(name))


class FolderReplacement:
    """The steps that put one finished folder in the place of another: each is a rename, whose trace is visible.

    Parameters
    ----------
    marker : {"replace", "preserve"}
        Name of the finished folder. The old one is removed, or kept under the name `previous`.
    """

    beside: ClassVar[tuple[str, ...]] = ()
    """Files that it creates or removes: none."""

    def __init__(self, marker: str) -> None:
        self.marker = marker
        self._taken: list[tuple[_Place, _Place]] = []

    def write(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Rename the filled folder to the marker, once it is on disk where that is asked for."""
        if durable:
            with hidden.folder.child(NEW) as new:
                new.sync_below()
            hidden.parent.sync()
        hidden.folder.rename(NEW, self.marker)
        if durable:
            hidden.folder.sync()

    def is_carried_out(self, hidden: HiddenFolder) -> bool:
        """Whether no step is left to take."""
        return not hidden.folder.has(self.marker)

    def carry_out(self, hidden: HiddenFolder, *, durable: bool) -> None:
        """Take all steps that are not taken yet; if one raises an `OSError`, the earlier steps are done."""
        inside, beside, target = hidden.folder, hidden.parent, hidden.set_name
        former, aside = previous(target), [((target, beside), (OLD, inside))]
        if self.marker == PRESERVE:
            aside = [((former, beside), (OLD, inside)), ((target, beside), (former, beside))]
        if inside.has(self.marker):
            for source, to in [*(aside if beside.has(target) else []), ((self.marker, inside), (target, beside))]:
                if source[1].has(source[0]):
                    _move(source, to)
                    self._taken.append((to, source))
            if durable:
                beside.sync()

    def take_back(self, hidden: HiddenFolder) -> None:
        """Undo the steps that were taken here, and then the record itself, until one raises an `OSError`."""
        while self._taken:
            _move(*self._taken.pop())
        if hidden.folder.has(self.marker):
            hidden.folder.rename(self.marker, NEW)


_Place: TypeAlias = tuple[str, Directory]
"""A name, and the folder that it is in."""


def _move(source: _Place, to: _Place) -> None:
    source[1].rename(source[0], to[0], to[1])


def previous(target: str) -> str:
    """Return the path to which a replaced folder is moved if it is kept."""
    return f"{target}.prev"


Record: TypeAlias = Journal | FolderReplacement


def record_in(hidden: HiddenFolder) -> Record | None:
    """Return the record in a hidden folder, None if there is none; raises as `Journal.read` does."""
    if not hidden.replaces_folder:
        return Journal.read(hidden)
    marker = hidden.record
    return None if marker is None else FolderReplacement(marker)


def journal_of(staged: Directory, renames: Sequence[tuple[str, str]], stale: Sequence[str]) -> Journal:
    """Return the journal of renames of finished files, by name, and removals, both given with paths of targets."""
    tag = os.path.basename(staged.path)
    sizes = [staged.status(name).st_size for name, _ in renames]
    return Journal(
        tuple(
            Rename(f"{tag}/{name}", os.path.basename(path), size)
            for (name, path), size in zip(renames, sizes, strict=True)
        ),
        tuple(map(os.path.basename, stale)),
    )


def is_written_name(name: object, own: str) -> bool:
    """Whether a writer of the set `own` may give a file beside its hidden folder that name.

    It is a single name. Hidden names are refused, since hidden files configure programs; the set's own hidden files and
    its manifest are allowed.

    Examples
    --------
    >>> [is_written_name(name, "x.h5") for name in ("x_LOCALE0000.h5", "x.samples", ".x.h5.akdask", ".bashrc", "a/b")]
    [True, True, True, False, False]
    """
    if not isinstance(name, str) or not is_single_name(name):
        return False
    return not name.startswith(".") or name == manifest_path(own) or (own.startswith(".") and is_of_set(name, own))


def _belongs_to_writer(hidden: HiddenFolder, name: str) -> bool:
    """Whether another user's journal may touch a file whose name does not show that it belongs to the set.

    The present file must belong to that user, who could do the same by hand.  A journal of this user may touch any file
    that it names.
    """
    if hidden.writer == os.geteuid():
        return True
    there = hidden.parent.find(name)
    return there is None or there.st_uid == hidden.writer


def _parsed(text: bytes) -> Journal | None:
    """Return the journal in a text; None if it is malformed or of another version."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    match found:
        case {"version": version, "renames": list() as steps, "removals": list() as removals}:
            if version == _VERSION and all(map(_is_step, steps)):
                return Journal(tuple(Rename(*step) for step in steps), tuple(removals))
    return None


def _is_step(step: Any) -> bool:
    match step:
        case [str(), str(), int() as size]:
            return not isinstance(size, bool) and 0 <= size <= _LARGEST_FILE
    return False


def _identity(hidden: HiddenFolder) -> str | None:
    """Return a mark of a folder's present journal that differs from those of earlier and later ones."""
    try:
        return state_of(hidden.folder.status(JOURNAL))
    except OSError:
        return None


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode()
