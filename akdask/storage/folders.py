"""Folders: open ones, and the hidden folder in which a write is prepared.

A path is resolved at every call, so it may lead to another file than the one that was examined.  The descriptor of an
open folder (`Directory`) stays with its folder even if that is moved or replaced.  Its files are reached by single
names, without following links, and are used only if they are regular, so that no FIFO and no device can block a reader.
Whatever the system refuses raises an `OSError`.

A `HiddenFolder` has a place, an owner and a permitted content.  A process signs the file ``owner`` and holds a lock on
it while it writes.  Beside it are

- for files, a folder named by twelve hexadecimal digits with the finished files, and, from the moment that the write
  has happened, the file ``journal`` with the remaining steps;
- for a whole folder, ``new``, which is filled and then renamed to ``replace`` or ``preserve``: that name says that the
  write has happened, and whether the old folder is kept.  The old one waits in ``old`` for its removal.

All of them are reached from open descriptors of the hidden folder and its parent.
"""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import re
import shutil
import socket
import stat
import time
from collections.abc import Container
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Self
from uuid import uuid4

from akdask.records import record
from akdask.storage.files import check_status, is_single_name, open_regular, path_of_open
from akdask.storage.locales import is_of_set, replaces_folder, set_of
from akdask.storage.single_file import sync

# Linux can open a folder as a path only, which needs no right to list it.
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


class Directory:
    """An open folder, and where it was found for messages; as a context, it closes itself."""

    def __init__(self, descriptor: int, path: str) -> None:
        self._descriptor: int | None = descriptor
        self.path = path

    @classmethod
    def at(cls, path: str) -> Directory:
        """Open the folder at a path that a user gave: links in it are followed."""
        return cls(os.open(path or ".", _FOLDER), path)

    def child(self, name: str) -> Directory:
        """Open a folder in this one; a link to a folder does not count."""
        return Directory(os.open(_single(name), _FOLDER | os.O_NOFOLLOW, dir_fd=self.descriptor), self.path_of(name))

    def make(self, name: str, mode: int = 0o777) -> Directory:
        """Make a folder in this one, and open it; a folder that is not empty may not take its place at once."""
        os.mkdir(_single(name), mode, dir_fd=self.descriptor)
        try:
            made = self.child(name)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path_of(name)) from error
        if made.names():
            made.close()
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self.path_of(name))
        return made

    @property
    def descriptor(self) -> int:
        """Descriptor of the open folder."""
        assert self._descriptor is not None, "a closed folder is not used again"
        return self._descriptor

    @property
    def anchor(self) -> str:
        """Return a path of this very folder for libraries that open by path; valid here while it is open."""
        return path_of_open(self.descriptor, self.path)

    def path_of(self, name: str) -> str:
        """Return the path of an entry, for messages."""
        return os.path.join(self.path, name)

    def open(self, name: str, flags: int = os.O_RDONLY) -> int:
        """Open a regular file in the folder and return its descriptor."""
        return open_regular(_single(name), flags, folder=self.descriptor, shown=self.path_of(name))

    def read(self, name: str, most: int, owners: Container[int] | None = None) -> bytes:
        """Return the content of a regular file of at most so many bytes, which one of `owners` must own if given."""
        with os.fdopen(self.open(name), "rb") as file:
            check_status(os.fstat(file.fileno()), most, owners, self.path_of(name))
            return file.read(most)

    def write(self, name: str, content: bytes, *, durable: bool) -> None:
        """Write a file that must not exist yet."""
        with os.fdopen(self.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL), "wb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())

    def status(self, name: str | None = None) -> os.stat_result:
        """Return the status of the folder or of an entry, without following links."""
        if name is None:
            return os.fstat(self.descriptor)
        return os.stat(_single(name), dir_fd=self.descriptor, follow_symlinks=False)

    def find(self, name: str) -> os.stat_result | None:
        """Return the status of an entry, None if it does not exist."""
        try:
            return self.status(name)
        except FileNotFoundError:
            return None

    def has(self, name: str) -> bool:
        """Whether the folder has an entry of that name, even a dangling link."""
        return self.find(name) is not None

    def names(self) -> list[str]:
        """Return the names of all entries."""
        descriptor = self._listable()
        try:
            return os.listdir(descriptor)
        finally:
            os.close(descriptor)

    def rename(self, name: str, new: str, to: Directory | None = None) -> None:
        """Rename an entry of the folder, here or into another folder, replacing any entry of that name."""
        there = self if to is None else to
        os.replace(_single(name), _single(new), src_dir_fd=self.descriptor, dst_dir_fd=there.descriptor)

    def link(self, name: str, new: str, to: Directory) -> None:
        """Give a file a second name in another folder."""
        os.link(
            _single(name), _single(new), src_dir_fd=self.descriptor, dst_dir_fd=to.descriptor, follow_symlinks=False
        )

    def unlink(self, name: str) -> None:
        """Remove a file, or a link."""
        os.unlink(_single(name), dir_fd=self.descriptor)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(_single(name), dir_fd=self.descriptor)

    def sync(self) -> None:
        """Wait until the names in the folder are on disk."""
        sync(self._listable())

    def sync_file(self, name: str) -> None:
        """Wait until a file in the folder is on disk."""
        sync(self.open(name))

    def sync_below(self) -> None:
        """Wait until all files and folders in the folder are on disk."""
        for name in self.names():
            if stat.S_ISDIR(self.status(name).st_mode):
                with self.child(name) as inner:
                    inner.sync_below()
            else:
                self.sync_file(name)
        self.sync()

    def _listable(self) -> int:
        return os.open(".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC, dir_fd=self.descriptor)

    def close(self) -> None:
        """Close the folder; may be called again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    __del__ = close


def _single(name: str) -> str:
    if not is_single_name(name):
        raise OSError(errno.EINVAL, "Not a name of a file", repr(name))
    return name


OWNER = "owner"
JOURNAL = "journal"
NEW, OLD = "new", "old"
REPLACE, PRESERVE = "replace", "preserve"

_TAG = re.compile("[0-9a-f]{12}")
# Files that NFS makes of removed files that are open disappear by themselves.
_OF_FILES = re.compile(rf"{OWNER}|{JOURNAL}|{JOURNAL}\.{_TAG.pattern}|{_TAG.pattern}|\.nfs[0-9a-f]+")
_OF_A_FOLDER = re.compile(rf"{OWNER}|{NEW}|{OLD}|\.nfs[0-9a-f]+")
_OTHERS_WRITE = 0o022


def unique_tag() -> str:
    """Return twelve random hexadecimal digits."""
    return uuid4().hex[:12]


def is_staged_name(name: str) -> bool:
    """Whether a folder of finished files may have that name."""
    return _TAG.fullmatch(name) is not None


def is_own_name(name: str) -> bool:
    """Whether writers give that name in hidden folders, of which users know nothing."""
    return name in {NEW, OLD, REPLACE, PRESERVE} or _OF_FILES.fullmatch(name) is not None


class HiddenFolder:
    """An existing hidden folder and its parent, both open; as a context, closes both."""

    def __init__(self, path: str, *, makes: bool = False) -> None:
        self.path = path
        beside, self.name = os.path.split(path)
        self.replaces_folder = replaces_folder(path)
        self.set_name = set_of(self.name)  # of the folder, if it replaces one
        self.parent = Directory.at(beside)
        try:
            # A finished folder is put in place whatever it holds, so only its writer may add to it.
            mode = 0o700 if self.replaces_folder else 0o777
            self.folder = self.parent.make(self.name, mode) if makes else self.parent.child(self.name)
        except BaseException:
            self.parent.close()
            raise

    @classmethod
    def at(cls, path: str) -> HiddenFolder | None:
        """Open the hidden folder, None if it does not exist; raise an `OSError` if it is no folder."""
        try:
            return cls(path)
        except FileNotFoundError:
            return None

    @classmethod
    def make(cls, path: str) -> HiddenFolder:
        """Make the folder; raise a `FileExistsError` if the path exists."""
        return cls(path, makes=True)

    @property
    def writer(self) -> int:
        """User id of its owner."""
        return self.folder.status().st_uid

    @property
    def owners(self) -> set[int]:
        """Return the users that own the visible files of the set, or the present folder."""
        own = self.set_name
        with suppress(OSError):
            names = [own] if self.replaces_folder else [name for name in self.parent.names() if is_of_set(name, own)]
            return {found.st_uid for name in names if (found := self.parent.find(name)) is not None}
        return set()

    @property
    def is_believed(self) -> bool:
        """Whether this user made it, or the one user who owns all files of the set; and if for a folder, nobody else.

        Where users share a folder, anyone can make a hidden folder, and add a file that seems to belong to the set.
        """
        is_ours = self.writer == os.geteuid() or self.owners == {self.writer}
        return is_ours and (self.is_closed_to_others or not self.replaces_folder)

    @property
    def is_closed_to_others(self) -> bool:
        """Whether only its writer can have put files into it."""
        return not self.folder.status().st_mode & _OTHERS_WRITE

    @property
    def record(self) -> str | None:
        """Name of the entry that says that the write has happened; None if it has not."""
        if not self.replaces_folder:
            return JOURNAL if self.folder.has(JOURNAL) else None
        for name in (REPLACE, PRESERVE):
            found = self.folder.find(name)
            if found is not None and stat.S_ISDIR(found.st_mode):
                return name
        return None

    @property
    def has_happened(self) -> bool:
        """Whether there is a record; also True where the folder cannot be read."""
        try:
            return self.record is not None
        except OSError:
            return True

    @property
    def is_in_place(self) -> bool:
        """Whether the folder is still found under its name."""
        now = self.parent.find(self.name)
        return now is not None and os.path.samestat(now, self.folder.status())

    def has_only_what_writers_make(self) -> bool:
        """Whether it holds only files that writers make; somebody may have given a foreign folder its name."""
        return all(map((_OF_A_FOLDER if self.replaces_folder else _OF_FILES).fullmatch, self.folder.names()))

    def remove(self) -> None:
        """Remove the files that writers make, as far as possible: the record first, the writer's signature last.

        Anything else stays, and so does the folder then.  A task of an interrupted write may still add a finished file.
        Then the signature stays as well, so that the next process that opens or writes the set removes both.
        """
        with suppress(OSError):
            if self.replaces_folder:
                if (record := self.record) is not None:
                    self.folder.rename(record, NEW)
                for name in (NEW, OLD):
                    shutil.rmtree(name, ignore_errors=True, dir_fd=self.folder.descriptor)
            else:
                for name in sorted(self.folder.names(), key=lambda name: name != JOURNAL):
                    if is_staged_name(name):
                        self._remove_staged(name)
                    elif name != OWNER and _OF_FILES.fullmatch(name):
                        self.folder.unlink(name)
            if self.folder.names() == [OWNER]:
                self.folder.unlink(OWNER)
        self.remove_if_empty()

    def _remove_staged(self, name: str) -> None:
        with suppress(OSError):
            with self.folder.child(name) as staged:
                for file in staged.names():
                    staged.unlink(file)
            self.folder.rmdir(name)

    def remove_if_empty(self) -> None:
        """Remove the folder if it is empty."""
        with suppress(OSError):
            if self.is_in_place:
                self.parent.rmdir(self.name)

    def close(self) -> None:
        """Close both folders."""
        self.folder.close()
        self.parent.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_BUSY = {errno.EWOULDBLOCK, errno.EACCES}
# Lustre without the option "flock"; NFS where the file may only be read.
_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}

_LARGEST = 4096  # bytes of a signature
_LONGEST = 255  # letters of a name in it
_LAST_PID = 2**31 - 1
_LAST_TIME = 2.0**36  # a year that four digits show


@record
class Owner:
    """The writing process."""

    host: str
    kernel: str  # changes whenever the machine starts
    pid: int
    since: float  # seconds since 1970

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"process {self.pid} on {self.host}, since {since}"


class Lock:
    """The lock on one hidden folder; as a context, it releases itself."""

    def __init__(self, descriptor: int, *, is_exclusive: bool) -> None:
        self._descriptor: int | None = descriptor
        self._is_exclusive = is_exclusive

    @classmethod
    def make(cls, folder: Directory) -> Lock | None:
        """Lock and sign a folder that has just been made; None if another process has removed it meanwhile."""
        try:
            lock = cls._open(folder, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:
            return None
        if lock is not None and lock._descriptor is not None:
            owner = Owner(socket.gethostname(), _kernel(), os.getpid(), time.time())
            try:
                os.ftruncate(lock._descriptor, 0)
                os.write(lock._descriptor, json.dumps(asdict(owner)).encode())
            except OSError:
                lock.release()
                raise
        return lock

    @classmethod
    def take_over(cls, folder: Directory, abandoned_after: float) -> Lock | None:
        """Lock a folder whose writer is dead; None if the writer may live.

        Parameters
        ----------
        folder : Directory
            The folder.
        abandoned_after : float
            Seconds without a change in the folder after which the writer counts as dead where locks do not decide.

        Raises
        ------
        FileNotFoundError
            If no writer has signed there.
        OSError
            If the lock cannot be tried: missing rights, or the signature is no regular file.
        """
        try:
            lock = cls._open(folder, os.O_RDWR)
        except OSError as error:
            if error.errno not in _NOT_WRITABLE:
                raise
            lock = cls._open(folder, os.O_RDONLY)
        if lock is not None and lock._may_be_owned(folder, abandoned_after):
            lock.release()
            return None
        return lock

    @classmethod
    def _open(cls, folder: Directory, flags: int) -> Lock | None:
        descriptor = folder.open(OWNER, flags)
        is_exclusive = True
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                os.close(descriptor)
                if error.errno in _BUSY:
                    return None
                raise
            is_exclusive = False
        now = folder.find(OWNER)
        if now is None or not os.path.samestat(now, os.fstat(descriptor)):
            os.close(descriptor)  # the folder was removed, and perhaps replaced, between both calls
            return None
        return cls(descriptor, is_exclusive=is_exclusive)

    def _may_be_owned(self, folder: Directory, abandoned_after: float) -> bool:
        """Whether another process may hold the lock although this one could take it."""
        owner = read_owner(folder)
        if owner is None:  # made and not signed yet, or the writer was killed in between
            return not self._is_exclusive and _quiet_time(folder) < abandoned_after
        if owner.kernel == _kernel():
            return not self._is_exclusive and _is_running(owner.pid)
        # A machine of the same name has been restarted since.
        return owner.host != socket.gethostname() and _quiet_time(folder) < abandoned_after

    def release(self) -> None:
        """Release the lock; may be called again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()

    __del__ = release


def read_owner(folder: Directory) -> Owner | None:
    """Return the writer that signed a folder; None if there is none, or the signature is malformed."""
    try:
        found = json.loads(folder.read(OWNER, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    match found:
        case {"host": str() as host, "kernel": str() as kernel, "pid": int() as pid, "since": int() | float() as since}:
            is_named = all(len(name) <= _LONGEST and name.isprintable() for name in (host, kernel))
            if is_named and 0 < pid <= _LAST_PID and math.isfinite(since) and 0 <= since < _LAST_TIME:
                return Owner(host, kernel, pid, since)
    return None


@cache
def _kernel() -> str:
    """Return an id of the running kernel; processes with the same id share locks."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return socket.gethostname()


def _quiet_time(folder: Directory) -> float:
    """Return the seconds since the last change in a folder."""
    inside = [status for name in folder.names() if (status := folder.find(name)) is not None]
    return time.time() - max(status.st_mtime for status in [folder.status(), *inside])


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, PermissionError) as error:
        return isinstance(error, PermissionError)
    return True
