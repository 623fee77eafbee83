"""The hidden folder in which a write is prepared: where it lies, whose it is, and what may be in it.

It holds ``owner``, signed by the process that writes; a folder named by twelve hexadecimal digits with the finished
files; and from the moment that the write has happened, ``journal``.  Everything is reached from open descriptors of
the folder and of the one that it lies in.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from types import TracebackType
from typing import Self
from uuid import uuid4

from akdask.storage.paths.directory import Directory
from akdask.storage.paths.locales import is_of_set, set_of

OWNER = "owner"
"""Name of the file that the process signs which writes."""

JOURNAL = "journal"
"""Name of the file that says what is to be done."""

_TAG = "[0-9a-f]{12}"
_STAGED = re.compile(_TAG)
# What NFS makes of a file that is removed while it is open goes by itself.
_LAYOUT = re.compile(rf"{OWNER}|{JOURNAL}|{JOURNAL}\.{_TAG}|{_TAG}|\.nfs[0-9a-f]+")
_OTHERS_WRITE = 0o022


def unique_tag() -> str:
    """Return twelve random hexadecimal digits."""
    return uuid4().hex[:12]


def is_staged_name(name: str) -> bool:
    """Whether a folder of finished files may have that name."""
    return _STAGED.fullmatch(name) is not None


class HiddenFolder:
    """An existing hidden folder and its parent, both held open; as a context, closes both.

    Parameters
    ----------
    parent : Directory
        The folder of the set.
    folder : Directory
        The hidden one.
    name : str
        Its name.
    """

    def __init__(self, parent: Directory, folder: Directory, name: str) -> None:
        self.parent = parent
        self.folder = folder
        self.name = name

    @classmethod
    def at(cls, path: str) -> HiddenFolder | None:
        """Open what is there, None if nothing is.

        Raises
        ------
        OSError
            If it is no folder, or the way to it is barred.
        """
        try:
            return cls._opened(path, is_new=False)
        except FileNotFoundError:
            return None

    @classmethod
    def make(cls, path: str) -> HiddenFolder:
        """Make the folder.

        Raises
        ------
        FileExistsError
            If something is there.
        OSError
            If it cannot be made.
        """
        return cls._opened(path, is_new=True)

    @classmethod
    def _opened(cls, path: str, *, is_new: bool) -> HiddenFolder:
        beside, name = os.path.split(path)
        parent = Directory.at(beside)
        try:
            return cls(parent, parent.make(name) if is_new else parent.child(name), name)
        except BaseException:
            parent.close()
            raise

    @property
    def path(self) -> str:
        """Where it is, for messages."""
        return self.parent.path_of(self.name)

    @property
    def set_name(self) -> str:
        """Name of the set that is written in it."""
        return os.path.basename(set_of(self.name))

    @property
    def writer(self) -> int:
        """The user that has made it."""
        return self.folder.status().st_uid

    @property
    def owners(self) -> set[int]:
        """The users that own the files of the set, as far as they are there and can be seen."""
        own = self.set_name
        found: set[int] = set()
        with suppress(OSError):
            for name in self.parent.names():
                if is_of_set(name, own):
                    status = self.parent.find(name)
                    found.update(() if status is None else {status.st_uid})
        return found

    @property
    def is_believed(self) -> bool:
        """Whether this user made it, or the one user who owns all files of the set.

        Where users share a folder, anyone can make a hidden folder, and add a file that looks as if it were of the set.
        """
        return self.writer == os.geteuid() or self.owners == {self.writer}

    @property
    def is_closed_to_others(self) -> bool:
        """Whether all that is in it must have been put there by its writer."""
        return not self.folder.status().st_mode & _OTHERS_WRITE

    @property
    def has_journal(self) -> bool:
        """Whether there is a journal; true also where the folder cannot be looked into."""
        try:
            return self.folder.has(JOURNAL)
        except OSError:
            return True

    @property
    def is_in_place(self) -> bool:
        """Whether the folder is still found under its name."""
        now = self.parent.find(self.name)
        return now is not None and os.path.samestat(now, self.folder.status())

    def has_only_what_writers_make(self) -> bool:
        """Whether it holds only files that writers make; a foreign folder may have been given its name."""
        return all(map(_LAYOUT.fullmatch, self.folder.names()))

    def remove(self) -> None:
        """Remove what writers make, as far as possible: the journal first, the signature of the writer last.

        Anything else stays, and so does the folder then.  A task of an interrupted write may still put a file among the
        finished ones: then the signature stays as well, by which the next that opens or writes the set removes them.
        """
        with suppress(OSError):
            names = self.folder.names()
            for name in sorted(names, key=lambda name: name != JOURNAL):
                if is_staged_name(name):
                    self._remove_staged(name)
                elif name != OWNER and _LAYOUT.fullmatch(name):
                    self.folder.unlink(name)
            if OWNER in names and not any(map(is_staged_name, self.folder.names())):
                self.folder.unlink(OWNER)
        self.remove_if_empty()

    def _remove_staged(self, name: str) -> None:
        with suppress(OSError):
            with self.folder.child(name) as staged:
                for file in staged.names():
                    staged.unlink(file)
            self.folder.rmdir(name)

    def remove_if_empty(self) -> None:
        """Remove it if nothing is in it."""
        with suppress(OSError):
            if self.is_in_place:
                self.parent.rmdir(self.name)

    def close(self) -> None:
        """Close both folders; may be called again."""
        self.folder.close()
        self.parent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
