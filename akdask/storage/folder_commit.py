"""Write or replace a folder of files atomically: it appears completely or not at all.

The new folder is filled in a hidden one beside its target.  Once all of it is on disk, it is renamed to a second hidden
name, which states the remaining steps.  That name is the journal: from then on the write counts as done.  Each step is
one rename that leaves a visible trace, so if the process dies, the next one takes the remaining steps.
"""

from __future__ import annotations

import os
import shutil
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self, TypeAlias

from akdask.errors import AkdaskError, FileError, WriteError
from akdask.storage.commit import write_error
from akdask.storage.directory import Directory
from akdask.storage.files import names_in
from akdask.storage.hidden import OWNER, Lock, read_owner

_HIDDEN = ".akdask-folder"
_NEW = "new"
_OLD = "old"
_REPLACE, _PRESERVE = "replace", "preserve"
"""Names of a finished folder; each decides the fate of the folder that it replaces."""

# For writers on machines that share no locks with this one: seconds without any change after which they count as dead.
_ABANDONED = 24 * 3600.0
_STALLED = 60.0
_PATIENCE = 2 * _STALLED
_PAUSE = 0.01
_MOST_TRIES = 20


def previous(target: str) -> str:
    """Return the path to which a replaced folder is moved if it is kept."""
    return f"{target}.prev"


class FolderStaging:
    """The hidden folder in which a new folder is filled.

    Parameters
    ----------
    target : str
        Absolute path of the new folder.
    """

    def __init__(self, target: str) -> None:
        self.target = target
        self._hidden: _Hidden | None = None
        self._lock: Lock | None = None

    def create(self) -> str:
        """Clean up after dead writers, make the hidden folder, and return the folder to fill.

        Raises
        ------
        WriteError
            If another write of the folder is under way, or it cannot be written there.
        """
        try:
            os.makedirs(os.path.dirname(self.target), exist_ok=True)
            hidden = self._locked()
            os.mkdir(_NEW, dir_fd=hidden.folder.descriptor)
        except OSError as error:
            self.discard()
            raise error if isinstance(error, AkdaskError) else write_error(self.target, error) from error
        return os.path.join(hidden.path, _NEW)

    def _locked(self) -> _Hidden:
        path = _hidden_folder(self.target)
        for _ in range(_MOST_TRIES):
            recover_folders(os.path.dirname(self.target))
            with suppress(FileExistsError, FileNotFoundError):
                os.mkdir(path, 0o700)  # in a folder that several users write to, the hidden one is private
                self._hidden = _Hidden(path)
                self._lock = Lock.make(self._hidden.folder)
                if self._lock is not None:
                    return self._hidden
                self._release()
            time.sleep(_PAUSE)
        raise WriteError(
            f"cannot write {self.target!r}: another write of it is under way.",
            details=[f"writer: {_writer_of(path)}"],
            hint=f"wait for it to end; if it has ended on another machine, remove {path!r}.",
        )

    def commit(self, check: Callable[[str], object], *, preserves: bool) -> None:
        """Put the new folder in its place, and remove the old one or keep it as `previous`.

        Parameters
        ----------
        check : callable
            Given the path of each folder to be removed; raises if it must stay.
        preserves : bool
            Whether the old folder is kept.

        Raises
        ------
        WriteError
            If a step fails; the old folder is restored.
        """
        assert self._hidden is not None, "who commits has created"
        hidden = self._hidden
        try:
            for path in [self.target, *([previous(self.target)] if preserves else [])]:
                if os.path.lexists(path):
                    check(path)
            try:
                hidden.finish(_PRESERVE if preserves else _REPLACE)
                hidden.put_in_place()
            except OSError:
                hidden.take_back()
                raise
            hidden.remove()
            self._release()
        except OSError as error:
            raise error if isinstance(error, AkdaskError) else write_error(self.target, error) from error
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the prepared folder, unless the write has happened; may be called again."""
        if self._hidden is not None and self._hidden.marker is None:
            self._hidden.remove()
        self._release()

    def _release(self) -> None:
        if self._hidden is not None:
            self._hidden.close()
            self._hidden = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None


class _Hidden:
    """A hidden folder and its parent, both held open; as a context, closes both.

    Its content is reached from its descriptor, since others who may write to the parent can replace the folder at its
    path.

    Parameters
    ----------
    path : str
        Path of the folder.
    """

    def __init__(self, path: str) -> None:
        parent, self.name = os.path.split(path)
        self.path = path
        self._taken: list[tuple[_Place, _Place]] = []
        self.target = os.path.basename(_target_of(path))
        self.parent = Directory.at(parent)
        try:
            self.folder = self.parent.child(self.name)
        except BaseException:
            self.parent.close()
            raise

    @property
    def marker(self) -> str | None:
        """Name of the finished folder, None if the write has not happened or is done."""
        for name in (_REPLACE, _PRESERVE):
            with suppress(OSError):
                if stat.S_ISDIR(self.folder.status(name).st_mode):
                    return name
        return None

    @property
    def is_believed(self) -> bool:
        """Whether this user or the owner of the target made it, and no other user can write to it."""
        owners = {os.geteuid()}
        with suppress(OSError):
            owners.add(self.parent.status(self.target).st_uid)
        found = self.folder.status()
        return found.st_uid in owners and not found.st_mode & 0o022

    def finish(self, marker: str) -> None:
        """Wait until the new folder is on disk, then rename it to the name that states the remaining steps."""
        with self.folder.child(_NEW) as new:
            _sync_all(new)
        self.parent.sync()
        self.folder.rename(_NEW, marker)
        self.folder.sync()

    def put_in_place(self) -> None:
        """Take all remaining steps.

        Raises
        ------
        OSError
            If a step fails; the earlier steps are done.
        """
        marker = self.marker
        if marker is None:
            return
        inside, beside, target = self.folder, self.parent, self.target
        backup = previous(target)
        aside = [((target, beside), (_OLD, inside))]
        preserving = [((backup, beside), (_OLD, inside)), ((target, beside), (backup, beside))]
        moves = (preserving if marker == _PRESERVE else aside) if beside.has(target) else []
        for source, to in [*moves, ((marker, inside), (target, beside))]:
            if source[1].has(source[0]):
                _move(source, to)
                self._taken.append((to, source))
        self.parent.sync()

    def take_back(self) -> None:
        """Undo the steps that were taken here.

        Raises
        ------
        WriteError
            If a step cannot be undone.
        """
        try:
            while self._taken:
                _move(*self._taken.pop())
            marker = self.marker
            if marker is not None:
                _move((marker, self.folder), (_NEW, self.folder))
        except OSError as error:
            raise WriteError(
                f"cannot write {_target_of(self.path)!r}, nor put back what was there: {error.strerror or error}.",
                details=[f"old and new files are in {self.path!r}"],
                hint="end the cause; then the next that reads or writes there puts it in order.",
            ) from error

    def remove(self) -> None:
        """Remove the files that writers make, as far as possible, the writer's signature last."""
        for name in (_NEW, _OLD):
            shutil.rmtree(name, ignore_errors=True, dir_fd=self.folder.descriptor)
        with suppress(OSError):
            if set(self.folder.names()) <= {OWNER}:
                with suppress(FileNotFoundError):
                    self.folder.unlink(OWNER)
                self.parent.rmdir(self.name)

    def close(self) -> None:
        """Close both folders."""
        self.folder.close()
        self.parent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _sync_all(folder: Directory) -> None:
    """Wait until all files in a folder and its folders are on disk."""
    for name in folder.names():
        if stat.S_ISDIR(folder.status(name).st_mode):
            with folder.child(name) as inner:
                _sync_all(inner)
        else:
            folder.sync_file(name)
    folder.sync()


_Place: TypeAlias = tuple[str, Directory]
"""A name, and the folder that it is in."""


def _move(source: _Place, to: _Place) -> None:
    source[1].rename(source[0], to[0], to[1])


def recover_folders(parent: str) -> None:
    """Complete or remove the writes of dead writers in a folder.

    Acts only on hidden folders that were made by this user, or by the owner of the folder to be replaced, and that no
    other user can write to.

    Raises
    ------
    FileError
        If a folder is half replaced, and cannot be completed from here.
    """
    for name in names_in(parent):
        if name.startswith(".") and name.endswith(_HIDDEN):
            _recover(os.path.join(parent, name))


def recover_folder(target: str) -> None:
    """Complete or remove the write of a dead writer of one folder; see `recover_folders`."""
    if os.path.lexists(_hidden_folder(target)):
        _recover(_hidden_folder(target))


def _recover(path: str) -> None:
    give_up = time.monotonic() + _PATIENCE
    while True:
        try:
            hidden = _Hidden(path)
        except OSError:  # already removed, or not made by a writer
            return
        with hidden:
            if not hidden.is_believed or _finished(hidden) or hidden.marker is None:
                return
            if time.monotonic() > give_up:
                raise FileError(
                    f"{_target_of(path)!r} is being replaced, and its writer does not come to an end.",
                    details=[f"writer: {read_owner(hidden.folder) or 'unknown'}"],
                    hint="end that process; then the write is completed.",
                )
        time.sleep(_PAUSE)


def _finished(hidden: _Hidden) -> bool:
    """Act for the writer of a hidden folder, if it is dead."""
    try:
        lock = Lock.take_over(hidden.folder, _ABANDONED if hidden.marker is None else _STALLED)
    except FileNotFoundError:
        # Made a moment ago and not signed, or half removed.  Its maker tolerates the removal of an empty folder.
        with suppress(OSError):
            hidden.parent.rmdir(hidden.name)
        return True
    except OSError as error:
        return _is_complete(hidden, error)
    if lock is None:
        return False
    with lock:
        try:
            hidden.put_in_place()
        except OSError as error:
            return _is_complete(hidden, error)
        hidden.remove()
    return True


def _is_complete(hidden: _Hidden, error: OSError) -> bool:
    """Return True if the target exists, be it the old one; otherwise raise an error."""
    if hidden.marker is None or hidden.parent.has(hidden.target):
        return True
    raise FileError(
        f"{_target_of(hidden.path)!r} is half replaced, and cannot be completed: {error.strerror or error}.",
        details=[f"its writer has died: {read_owner(hidden.folder) or 'unknown'}"],
        hint="read or write it once where its folder can be written to.",
    ) from error


def _hidden_folder(target: str) -> str:
    folder, name = os.path.split(target)
    return os.path.join(folder, f".{name}{_HIDDEN}")


def _target_of(hidden: str) -> str:
    folder, name = os.path.split(hidden)
    return os.path.join(folder, name.removeprefix(".").removesuffix(_HIDDEN))


def _writer_of(path: str) -> str:
    """Return the signature in a hidden folder, for messages."""
    try:
        with _Hidden(path) as hidden:
            return str(read_owner(hidden.folder) or "unknown")
    except OSError:
        return "unknown"
