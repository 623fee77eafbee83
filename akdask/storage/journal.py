"""The steps that replace a set, written down before the first is taken.

Once the journal is there, the write has happened: whoever finds it carries it out.  Each step may be taken again, also
by several processes at once.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from uuid import uuid4

from akdask.errors import FileFormatError
from akdask.storage.locales import set_of, set_path

JOURNAL = "journal"
"""Name of the file inside the hidden folder of a write."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A finished file, put into place.

    Parameters
    ----------
    source : str
        Path inside the hidden folder.
    target : str
        Name beside the hidden folder.
    size : int
        Bytes, by which a file that is in place already is known.
    """

    source: str
    target: str
    size: int


@dataclass(frozen=True, slots=True)
class Journal:
    """What is to be done, in order: renames first, then removals.

    Names, not paths, so that a folder may be moved, and is called otherwise on other machines.

    Parameters
    ----------
    renames : tuple of Rename
        Files of the new set.
    removals : tuple of str
        Names beside the hidden folder that the new set makes obsolete.
    """

    renames: tuple[Rename, ...]
    removals: tuple[str, ...] = ()

    def write(self, folder: str, *, durable: bool) -> None:
        """Put the journal into the hidden folder, whole, in place of one that is there."""
        steps = [[step.source, step.target, step.size] for step in self.renames]
        text = json.dumps({"version": 1, "renames": steps, "removals": self.removals}).encode()
        path = os.path.join(folder, JOURNAL)
        new = f"{path}.{uuid4().hex[:12]}"
        Path(new).write_bytes(_digest(text) + b"\n" + text)
        if durable:
            sync(new)
        os.replace(new, path)
        if durable:
            sync(folder)

    @classmethod
    def read(cls, folder: str) -> Journal | None:
        """Return the journal in a hidden folder; None if there is none.

        Raises
        ------
        FileFormatError
            If it is damaged, or names files that do not belong to the set.
        """
        path = os.path.join(folder, JOURNAL)
        try:
            digest, _, text = Path(path).read_bytes().partition(b"\n")
        except FileNotFoundError:
            return None
        try:
            journal = cls._parsed(text) if digest == _digest(text) else None
        except (ValueError, TypeError, KeyError):
            journal = None
        if journal is None or not journal._is_of(folder):
            raise FileFormatError(
                f"{path!r} is damaged: it cannot be known which files of the set are replaced.",
                hint=f"the new files are in {folder!r}: put them into place or remove that folder.",
            )
        return journal

    @classmethod
    def _parsed(cls, text: bytes) -> Journal | None:
        found = json.loads(text)
        if found["version"] != 1:
            return None
        return cls(tuple(Rename(*step) for step in found["renames"]), tuple(found["removals"]))

    def _is_of(self, folder: str) -> bool:
        """Whether only files of the set are touched, so that a folder of unknown origin can do no harm."""
        own = os.path.basename(set_of(folder))
        beside = [*(step.target for step in self.renames), *self.removals]
        inside = [part for step in self.renames for part in step.source.split("/")]
        return not {"", ".", ".."}.intersection(inside) and all(
            "/" not in name and (set_path(name) == own or name.startswith(f".{own}.")) for name in beside
        )

    def is_carried_out(self, folder: str) -> bool:
        """Whether no step is left to take."""
        beside = os.path.dirname(folder)
        return all(
            _is_in_place(os.path.join(folder, step.source), os.path.join(beside, step.target)) for step in self.renames
        ) and not any(os.path.lexists(os.path.join(beside, name)) for name in self.removals)

    def carry_out(self, folder: str, *, durable: bool) -> None:
        """Take all steps that are not taken yet.

        Raises
        ------
        OSError
            If a step fails; those before it are taken.
        """
        beside = os.path.dirname(folder)
        mark = _mark(folder)
        for step in self.renames:
            source, target = os.path.join(folder, step.source), os.path.join(beside, step.target)
            # Another process may have finished this journal, and a later write may have begun.
            if _mark(folder) != mark:
                return
            _put(source, target, step.size)
        for name in self.removals:
            if _mark(folder) != mark:
                return
            Path(beside, name).unlink(missing_ok=True)
        if durable:
            sync(beside)


def _put(source: str, target: str, size: int) -> None:
    """Rename a file, unless that is done."""
    if not _is_in_place(source, target):
        with suppress(FileNotFoundError):  # another process has done it just now
            os.replace(source, target)
    if os.lstat(target).st_size != size:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)


def _is_in_place(source: str, target: str) -> bool:
    """Whether a file has its new name already, and perhaps still its old one."""
    try:
        now = os.lstat(source)
    except FileNotFoundError:
        return True
    return os.path.lexists(target) and os.path.samestat(now, os.lstat(target))


def _mark(folder: str) -> tuple[int, int] | None:
    """Return what tells the present journal of a folder from earlier and later ones."""
    try:
        status = os.stat(os.path.join(folder, JOURNAL))
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _digest(text: bytes) -> bytes:
    return blake2b(text, digest_size=16).hexdigest().encode()


def journal_of(folder: str, renames: Sequence[tuple[str, str]], stale: Sequence[str]) -> Journal:
    """Return the journal of renames from inside a hidden folder and removals, given as paths."""
    steps = [(os.path.relpath(source, folder), os.path.basename(target), source) for source, target in renames]
    return Journal(
        tuple(Rename(source, target, os.lstat(path).st_size) for source, target, path in steps),
        tuple(os.path.basename(path) for path in stale),
    )


def sync(path: str) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some file systems cannot do that to folders
            raise
    finally:
        os.close(descriptor)
