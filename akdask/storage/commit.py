"""A set of files appears whole or not at all.

Every file is first written into a hidden folder beside its target, which is on the same file system.  When all are
there they are renamed into place; if a rename fails, those already done are undone.  A task that runs twice, or after
the end, writes to the hidden folder only.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from akdask.errors import UnsupportedError, WriteError
from akdask.storage.files import is_remote

_HINTS = {
    errno.ENOSPC: "the disk is full: free space or write elsewhere.",
    errno.EDQUOT: "your quota is used up: free space or write elsewhere.",
    errno.EACCES: "you may not write there: check the permissions of the folder.",
    errno.EPERM: "you may not write there: check the permissions of the folder.",
    errno.EROFS: "the file system is read-only: write elsewhere.",
    errno.ENOENT: "create the folder first; with a cluster, all workers must see it.",
    errno.EISDIR: "a folder has that name: choose another one.",
    errno.ENOTDIR: "create the folder first; a part of the path is a file.",
}


def write_error(path: str, error: OSError) -> WriteError:
    """Turn an error of the operating system into one that says what was written and what to do."""
    number = error.errno or _number_in(str(error))
    reason = os.strerror(number) if number else str(error)
    return WriteError(f"cannot write {path!r}: {reason}.", hint=_HINTS.get(number) if number else None)


def _number_in(text: str) -> int | None:
    """Find the error number that HDF5 gives inside its text only."""
    _, found, rest = text.partition("errno = ")
    digits = rest.partition(",")[0]
    return int(digits) if found and digits.isdigit() else None


def _restored(path: str, kept: str | None) -> bool:
    """Put back the file that was there, or remove the new one if there was none."""
    try:
        if kept is None:
            Path(path).unlink(missing_ok=True)
        elif not (os.path.lexists(path) and os.path.samefile(kept, path)):
            os.replace(kept, path)
    except OSError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class Staging:
    """The hidden folder in which the files of one write are prepared.  Travels to workers.

    Parameters
    ----------
    target : str
        Absolute path that the user gave; the folder lies beside it.
    """

    target: str
    folder: str = field(init=False)

    def __post_init__(self) -> None:
        if is_remote(self.target):
            raise UnsupportedError(f"cannot write to {self.target!r}.", hint="write to a folder, then copy the files.")
        parent, name = os.path.split(self.target)
        object.__setattr__(self, "folder", os.path.join(parent, f".{name}.{uuid4().hex[:12]}.tmp"))

    def create(self) -> None:
        """Make the folder, which also proves that files can be made beside it.

        Raises
        ------
        WriteError
            If the parent folder is missing or not writable.
        """
        try:
            os.mkdir(self.folder)
        except OSError as error:
            raise write_error(self.target, error) from error

    def path(self, name: str) -> str:
        """Return where the finished file of that name waits."""
        return os.path.join(self.folder, name)

    def attempt(self, name: str) -> str:
        """Return a path for one attempt at a file; no other attempt has the same."""
        return self.path(f"{name}.{uuid4().hex[:12]}")

    def commit(self, renames: Sequence[tuple[str, str]], stale: Sequence[str] = ()) -> None:
        """Rename finished files to their targets, in order, then remove stale ones; undo all of it on failure.

        Parameters
        ----------
        renames : sequence of (path, path)
            From inside the folder to the target.
        stale : sequence of path
            Files that the new ones make obsolete.

        Raises
        ------
        WriteError
            If a rename fails; what was there before is there again.
        """
        done: list[tuple[str, str | None]] = []
        target = self.target
        try:
            for source, target in renames:
                done.append((target, self._keep(target)))
                os.replace(source, target)
            for target in stale:
                done.append((target, self._keep(target)))
                os.unlink(target)
        except OSError as error:
            lost = [path for path, kept in reversed(done) if not _restored(path, kept)]
            if lost:
                raise WriteError(
                    f"cannot write {target!r}, nor put back files that were there: {error.strerror}.",
                    details=lost,
                    hint=f"their content is in {self.folder!r}.",
                ) from error
            self.discard()
            raise write_error(target, error) from error
        self.discard()

    def _keep(self, path: str) -> str | None:
        """Keep the present file under another name, so that it can be put back."""
        if not os.path.lexists(path):
            return None
        if os.path.isdir(path):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        kept = self.attempt("kept")
        try:
            os.link(path, kept)
        except OSError:  # some file systems have no hard links; moving leaves a moment without the file
            os.rename(path, kept)
        return kept

    def discard(self) -> None:
        """Remove the folder with all that is in it."""
        shutil.rmtree(self.folder, ignore_errors=True)
