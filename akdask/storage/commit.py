"""A set of files appears whole or not at all.

Every file is first written into a hidden folder beside its target, which is on the same file system.  When all are
there, a journal in that folder names what is to be done: from then on the write has happened, whatever becomes of its
process, for the next that opens or writes the set carries the journal out.  If a rename fails, a second journal leads
back.  A task that runs twice, or after the end, writes to the hidden folder only; a folder belongs to one writer.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any
from uuid import uuid4

from akdask import config
from akdask.errors import AkdaskError, UnsupportedError, WriteError
from akdask.storage.files import is_remote
from akdask.storage.journal import Journal, journal_of, sync
from akdask.storage.locales import hidden_folder
from akdask.storage.lock import Lock, read_owner
from akdask.storage.recovery import recover, remove

_HINTS = {
    errno.ENOSPC: "the disk is full: free space or write elsewhere.",
    errno.EFBIG: "files may not be that large here: write more partitions, or elsewhere.",
    errno.EDQUOT: "your quota is used up: free space or write elsewhere.",
    errno.EACCES: "you may not write there: check the permissions of the folder.",
    errno.EPERM: "you may not write there: check the permissions of the folder.",
    errno.EROFS: "the file system is read-only: write elsewhere.",
    errno.ENOENT: "create the folder first; with a cluster, all workers must see it.",
    errno.EISDIR: "a folder has that name: choose another one.",
    errno.ENOTDIR: "create the folder first; a part of the path is a file.",
}

_MOST_TRIES = 20
_PAUSE = 0.01


def write_error(path: str, error: OSError) -> WriteError:
    """Turn an error of the operating system into one that says what was written and what to do."""
    number = error.errno or _number_in(str(error))
    reason = os.strerror(number) if number else str(error)
    return WriteError(f"cannot write {path!r}: {reason}.", hint=_HINTS.get(number) if number else None)


@contextmanager
def _errors_naming(target: str) -> Iterator[None]:
    """Turn what the operating system raises into an error that names a file that the user knows."""
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        raise write_error(error.filename2 or target, error) from error


def _number_in(text: str) -> int | None:
    """Find the error number that HDF5 gives inside its text only."""
    _, found, rest = text.partition("errno = ")
    digits = rest.partition(",")[0]
    return int(digits) if found and digits.isdigit() else None


def _is_durable(*, replaces: bool) -> bool:
    """Whether to wait for the disk, by the setting `durable`."""
    wanted = config.get("durable")
    return replaces if wanted == "replaced" else bool(wanted)


class Staging:
    """The hidden folder in which the files of one write are prepared.  Travels to workers, without its lock.

    Parameters
    ----------
    target : str
        Absolute path that the user gave; the folder lies beside it.
    """

    def __init__(self, target: str) -> None:
        if is_remote(target):
            raise UnsupportedError(f"cannot write to {target!r}.", hint="write to a folder, then copy the files.")
        self.target = target
        self.folder = hidden_folder(target)
        # A task of an earlier write that is still running must not put its files among those of a later one.
        self._files = os.path.join(self.folder, uuid4().hex[:12])
        self._durable = True
        self._lock: Lock | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_lock": None}

    def create(self, *, replaces: Callable[[], object] = lambda: True) -> None:
        """Make the folder, after putting in order what a dead writer has left; keeps other writers of the set off.

        Parameters
        ----------
        replaces : callable
            Asked then whether there are files that the new ones may replace.

        Raises
        ------
        WriteError
            If another write of the set is under way, or the parent folder is missing or not writable.
        FileError
            If the set is half replaced, and cannot be completed.
        """
        try:
            with _errors_naming(self.target):
                self._lock = self._locked()
                os.mkdir(self._files)
                self._durable = _is_durable(replaces=bool(replaces()))
        except BaseException:
            self.discard()
            raise

    def _locked(self) -> Lock:
        """Make and lock the folder; tries again where another process is just about to remove it."""
        for _ in range(_MOST_TRIES):
            recover(self.target)
            with suppress(FileExistsError):
                os.mkdir(self.folder)
                lock = Lock.make(self.folder)
                if lock is not None:
                    return lock
            time.sleep(_PAUSE)
        raise WriteError(
            f"cannot write {self.target!r}: another write of it is under way.",
            details=[f"writer: {read_owner(self.folder) or 'unknown'}"],
            hint=f"wait for it to end; if it has ended on another machine, remove {self.folder!r}.",
        )

    def path(self, name: str) -> str:
        """Return where the finished file of that name waits."""
        return os.path.join(self._files, name)

    def attempt(self, name: str) -> str:
        """Return a path for one attempt at a file; no other attempt has the same."""
        return self.path(f"{name}.{uuid4().hex[:12]}")

    def finish(self, attempt: str, name: str) -> str:
        """Make an attempt the finished file of that name, once its bytes are on disk, and return where it waits.

        Raises
        ------
        OSError
            If the disk fails.
        """
        if self._durable:
            sync(attempt)
        os.replace(attempt, self.path(name))
        return self.path(name)

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
        with _errors_naming(self.target):
            try:
                back = self._way_back([target for _, target in renames], stale)
                journal = journal_of(self.folder, renames, stale)
                if self._durable:
                    sync(self._files)
                journal.write(self.folder, durable=self._durable)
            except BaseException:
                self.discard()
                raise
            try:
                journal.carry_out(self.folder, durable=self._durable)
                remove(self.folder)
            except OSError as error:
                self._go_back(back, error)
                raise
            finally:
                # Whatever else interrupts this, the next that opens or writes the set may act.
                self._release()

    def _way_back(self, targets: Sequence[str], stale: Sequence[str]) -> Journal | None:
        """Keep the present files under second names; return the journal that restores them, None if that cannot be."""
        kept, made = [], []
        for number, path in enumerate([*targets, *stale]):
            if os.path.isdir(path):
                raise write_error(path, IsADirectoryError(errno.EISDIR, ""))
            if not os.path.lexists(path):
                made.append(path)
                continue
            name = self.path(f"{number}.kept")
            try:
                os.link(path, name, follow_symlinks=False)
            except OSError:
                return None
            kept.append((name, path))
        return journal_of(self.folder, kept, made)

    def _go_back(self, back: Journal | None, error: OSError) -> None:
        """Put back what was there, which no kill can interrupt for good either."""
        try:
            if back is None:  # the file system has no hard links
                raise error
            back.write(self.folder, durable=self._durable)
            back.carry_out(self.folder, durable=self._durable)
        except OSError as second:
            raise WriteError(
                f"cannot write {self.target!r}, nor put back files that were there: {second.strerror or second}.",
                details=[f"old and new files are in {self.folder!r}"],
                hint="end the cause; then the next that opens or writes the set puts it in order.",
            ) from error
        remove(self.folder)

    def discard(self) -> None:
        """Remove the folder with all that is in it, if it is still there; nothing happens to that of another writer."""
        if self._lock is not None:
            remove(self.folder)
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None
