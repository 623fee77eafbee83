"""Commit sets of files atomically: they appear completely or not at all.

Every file is first written into a hidden folder beside its target, on the same file system.  When all files are
complete, a journal in that folder lists the renames and removals to do: from then on the write counts as done.  If its
process dies, the next process that opens or writes the set carries the journal out.  If a rename fails, a second
journal restores the old files.  A task that runs twice, or after the commit, writes to the hidden folder only, and each
hidden folder belongs to one writer.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from akdask import config
from akdask.errors import AkdaskError, WriteError
from akdask.storage.directory import Directory
from akdask.storage.files import is_remote
from akdask.storage.hidden import HiddenFolder, Lock, read_owner, unique_tag
from akdask.storage.journal import BACKUP, Journal, journal_of
from akdask.storage.locales import hidden_folder
from akdask.storage.object_store import ObjectStaging
from akdask.storage.recovery import recover

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
    errno.EEXIST: "a file has the name of the folder: choose another one.",
    errno.ENAMETOOLONG: "choose a shorter name: files have more letters in theirs.",
}
_OTHER_HINT = "the reason is the system's: write elsewhere, or mend it there."

_MOST_TRIES = 20
_PAUSE = 0.01


def write_error(path: str, error: Exception) -> WriteError:
    """Turn an error of the operating system or a library into one that names the file and the remedy."""
    number = getattr(error, "errno", None) or _number_in(str(error))
    reason = os.strerror(number) if number else str(error)
    return WriteError(
        f"cannot write {path!r}: {reason}.", hint=_HINTS.get(number, _OTHER_HINT) if number else _OTHER_HINT
    )


@contextmanager
def errors_naming(target: str) -> Iterator[None]:
    """Turn errors of the operating system into errors that name the user's file.

    HDF5 has some errors of the system in the text of others only, as where a full disk is noticed when a file closes.
    """
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        path = os.path.join(os.path.dirname(target), error.filename2) if error.filename2 else target
        raise write_error(path, error) from error
    except RuntimeError as error:
        if _number_in(str(error)) is None:
            raise
        raise write_error(target, error) from error


def _number_in(text: str) -> int | None:
    """Return the error number in the text of an HDF5 error, which has it nowhere else."""
    _, found, rest = text.partition("errno = ")
    digits = rest.partition(",")[0]
    return int(digits) if found and digits.isdigit() else None


def _is_durable(*, replaces: bool) -> bool:
    """Whether to wait for the disk, by the setting `durable`."""
    wanted = config.get("durable")
    return replaces if wanted == "replaced" else bool(wanted)


def staging(target: str) -> Staging | ObjectStaging:
    """Return the staging area of a write to a path or URL."""
    return ObjectStaging(target) if is_remote(target) else Staging(target)


class Staging:
    """The hidden folder in which the files of one write are prepared.  Travels to workers, without its lock.

    Files are named by paths that lead through the open folder, so that it cannot be replaced meanwhile.

    Parameters
    ----------
    target : str
        Absolute path given by the user; the hidden folder lies beside it.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self.folder = hidden_folder(target)
        # A task of an earlier write that is still running must not add its files to a later write.
        self._tag = unique_tag()
        self._writer = os.geteuid()
        self._durable = True
        self._lock: Lock | None = None
        self._hidden: HiddenFolder | None = None
        # Open for the lifetime of this object: tasks may be about to write when the write ends.
        self._staged: dict[str, Directory] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_lock": None, "_hidden": None, "_staged": {}}

    def create(self, *, replaces: Callable[[], object] = lambda: True) -> None:
        """Make and lock the folder, after completing or removing the write of a dead writer.

        Parameters
        ----------
        replaces : callable
            Returns whether there are files that the new ones may replace; called once the folder is locked.

        Raises
        ------
        WriteError
            If another write of the set is under way, or the parent folder is missing or not writable.
        FileError
            If the set is half replaced, and cannot be completed.
        """
        try:
            with errors_naming(self.target):
                hidden = self._locked()
                self._staged[self._tag] = hidden.folder.make(self._tag)
                self._writer = self._files.status().st_uid
                self._durable = _is_durable(replaces=bool(replaces()))
        except BaseException:
            self.discard()
            raise

    def _locked(self) -> HiddenFolder:
        """Make and lock the folder; try again while another process removes it."""
        for _ in range(_MOST_TRIES):
            recover(self.target)
            with suppress(FileExistsError):
                hidden = HiddenFolder.make(self.folder)
                self._lock = Lock.make(hidden.folder)
                if self._lock is not None:
                    self._hidden = hidden
                    return hidden
                hidden.close()
            time.sleep(_PAUSE)
        raise self._locked_out()

    def _locked_out(self) -> WriteError:
        """Return the error that names whatever occupies the place of the hidden folder."""
        try:
            hidden = HiddenFolder.at(self.folder)
        except OSError:
            return WriteError(
                f"cannot write {self.target!r}: {self.folder!r} is in the way, and is no folder.", hint="remove it."
            )
        writer, details, where = None, [], "if it has ended on another machine"
        if hidden is not None:
            with hidden:
                writer = read_owner(hidden.folder)
                if not hidden.is_believed:
                    details = [f"its folder belongs to user {hidden.writer}, who does not own the set"]
                    where = "if that user writes nothing there"
        return WriteError(
            f"cannot write {self.target!r}: another write of it is under way.",
            details=[f"writer: {writer or 'unknown'}", *details],
            hint=f"wait for it to end; {where}, remove {self.folder!r}.",
        )

    @property
    def _files(self) -> Directory:
        """The open folder of finished files.

        Raises
        ------
        OSError
            If it is not there, or not the one that was made.
        """
        # If two threads open it, both use the folder of the first.
        return self._staged.get(self._tag) or self._staged.setdefault(self._tag, self._opened())

    def _opened(self) -> Directory:
        """Open, on a worker, the folder that the client has made."""
        hidden = HiddenFolder.at(self.folder)
        if hidden is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self.folder)
        with hidden:
            staged = hidden.folder.child(self._tag)
            if {hidden.writer, staged.status().st_uid} <= {self._writer, os.geteuid()}:
                return staged
        staged.close()
        raise PermissionError(errno.EPERM, "It belongs to another user", self.folder)

    def path(self, name: str) -> str:
        """Return where the finished file of that name waits: a path for this process."""
        return os.path.join(self._files.anchor, name)

    def local(self, name: str) -> str:
        """Return where the finished file of that name can be read."""
        return self.path(name)

    @contextmanager
    def present(self, path: str) -> Iterator[str]:
        """Yield a path under which an existing file of the set can be read inside the ``with``."""
        yield path

    def attempt(self, name: str) -> str:
        """Return a path for one attempt at a file; each attempt gets its own."""
        return self.path(f"{name}.{unique_tag()}")

    def finish(self, attempt: str, name: str) -> str:
        """Make an attempt the finished file of that name, once its bytes are on disk, and return where it waits.

        Raises
        ------
        OSError
            If the disk fails.
        """
        made = os.path.basename(attempt)
        if self._durable:
            self._files.sync_file(made)
        self._files.rename(made, name)
        return self.path(name)

    def replace(self, name: str, target: str) -> None:
        """Put an optional finished file beside the folder once the set is in place."""
        assert self._hidden is not None, "who commits has created"
        self._files.rename(name, os.path.basename(target), self._hidden.parent)

    def commit(
        self,
        renames: Sequence[tuple[str, str]],
        stale: Sequence[str] = (),
        finishing: Callable[[], object] = lambda: None,
    ) -> None:
        """Rename finished files to their targets, in order, then remove stale ones; undo everything on failure.

        Parameters
        ----------
        renames : sequence of (path, path)
            From inside the folder to the target.
        stale : sequence of path
            Files that the new ones make obsolete.
        finishing : callable
            Called when all files are in place, before the next writer may begin. Errors of the disk are ignored.

        Raises
        ------
        WriteError
            If a rename fails; the old files are restored.
        """
        assert self._hidden is not None, "who commits has created"
        hidden = self._hidden
        with errors_naming(self.target):
            try:
                back = self._rollback(hidden, [target for _, target in renames], stale)
                named = [(os.path.basename(source), target) for source, target in renames]
                journal = journal_of(self._files, named, stale)
                if self._durable:
                    self._files.sync()
                journal.write(hidden, durable=self._durable)
            except BaseException:
                self.discard()
                raise
            try:
                journal.carry_out(hidden, durable=self._durable)
                with suppress(OSError):
                    finishing()
                hidden.remove()
            except OSError as error:
                self._go_back(hidden, back, error)
                raise
            finally:
                # After any other interruption, the next process that opens or writes the set may act.
                self._release()

    def _rollback(self, hidden: HiddenFolder, targets: Sequence[str], stale: Sequence[str]) -> Journal | None:
        """Link the present files to second names; return the journal that restores them, None without hard links."""
        backups, made = [], []
        for number, path in enumerate([*targets, *stale]):
            present = os.path.basename(path)
            if not hidden.parent.has(present):
                made.append(path)
                continue
            if os.path.isdir(path):
                raise write_error(path, IsADirectoryError(errno.EISDIR, ""))
            name = f"{number}{BACKUP}"
            try:
                hidden.parent.link(present, name, self._files)
            except OSError:
                return None
            backups.append((name, path))
        return journal_of(self._files, backups, made)

    def _go_back(self, hidden: HiddenFolder, back: Journal | None, error: OSError) -> None:
        """Put back the old files by a second journal, so that a killed process can be completed here, too."""
        try:
            if back is None:  # the file system has no hard links
                raise error
            back.write(hidden, durable=self._durable)
            back.carry_out(hidden, durable=self._durable)
        except OSError as second:
            raise WriteError(
                f"cannot write {self.target!r}, nor put back files that were there: {second.strerror or second}.",
                details=[f"old and new files are in {self.folder!r}"],
                hint="end the cause; then the next that opens or writes the set puts it in order.",
            ) from error
        hidden.remove()

    def discard(self) -> None:
        """Remove the folder and its content, but never the folder of another writer."""
        try:
            if self._hidden is not None:
                self._hidden.remove()
        finally:
            self._release()

    def _release(self) -> None:
        if self._hidden is not None:
            self._hidden.close()
            self._hidden = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None
