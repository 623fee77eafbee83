"""Which process writes a set: a signed file in the hidden folder of the write, locked while that process lives.

The kernel drops the lock when a process ends, however it ends, so a file that can be locked tells of a dead writer.
That holds for processes under one kernel and on file systems that share locks between machines.  Of the others only
what the file says is known: who writes, where, and since when.
"""

from __future__ import annotations

import errno
import fcntl
import json
import math
import os
import socket
import time
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from akdask.storage.atomic.hidden import OWNER
from akdask.storage.paths.directory import Directory

_BUSY = {errno.EWOULDBLOCK, errno.EACCES}
# Lustre without the option "flock"; NFS where the file may only be read.
_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
_NOT_WRITABLE = {errno.EACCES, errno.EPERM, errno.EROFS}

_LARGEST = 4096  # bytes of a signature
_LONGEST = 255  # letters of a name in it
_LAST_PID = 2**31 - 1
_LAST_TIME = 2.0**36  # a year that four digits show


@dataclass(frozen=True, slots=True)
class Owner:
    """The process that writes.

    Parameters
    ----------
    host : str
        Name of its machine.
    kernel : str
        Changes whenever the machine is started; the name of the machine where the system has no such mark.
    pid : int
        Number of the process.
    since : float
        When it began, in seconds since 1970.
    """

    host: str
    kernel: str
    pid: int
    since: float

    def __str__(self) -> str:
        since = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(self.since))
        return f"process {self.pid} on {self.host}, since {since}"


class Lock:
    """The lock on one folder; also a context, which ends it."""

    def __init__(self, descriptor: int, *, is_exclusive: bool) -> None:
        self._descriptor: int | None = descriptor
        self._is_exclusive = is_exclusive

    @classmethod
    def make(cls, folder: Directory) -> Lock | None:
        """Lock a folder that has just been made, and sign it; None if another process has taken it away meanwhile."""
        try:
            lock = cls._open(folder, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:
            return None
        if lock is not None:
            owner = Owner(socket.gethostname(), _kernel(), os.getpid(), time.time())
            lock._sign(json.dumps(asdict(owner)).encode())
        return lock

    @classmethod
    def take_over(cls, folder: Directory, abandoned_after: float) -> Lock | None:
        """Lock a folder whose writer is dead; None if it may live.

        Parameters
        ----------
        folder : Directory
            The folder.
        abandoned_after : float
            Seconds without a change in the folder, after which the writer is taken for dead where it cannot be known.

        Raises
        ------
        FileNotFoundError
            If no writer has signed there.
        OSError
            If the lock cannot be tried: no right to, or what is signed is no regular file.
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
        if not _is_in(folder, descriptor):  # the folder was removed, and perhaps made anew, between both calls
            os.close(descriptor)
            return None
        return cls(descriptor, is_exclusive=is_exclusive)

    def _may_be_owned(self, folder: Directory, abandoned_after: float) -> bool:
        """Whether another process may hold the lock although this one could take it."""
        owner = read_owner(folder)
        if owner is None:  # made and not signed yet, or its writer was killed between both
            return not self._is_exclusive and _quiet_time(folder) < abandoned_after
        if owner.kernel == _kernel():
            return not self._is_exclusive and _is_running(owner.pid)
        # A machine of the same name has been started again since.
        return owner.host != socket.gethostname() and _quiet_time(folder) < abandoned_after

    def _sign(self, text: bytes) -> None:
        assert self._descriptor is not None, "a lock signs when it is made"
        try:
            os.ftruncate(self._descriptor, 0)
            os.write(self._descriptor, text)
        except OSError:
            self.release()
            raise

    def release(self) -> None:
        """Release the lock; may be called again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    __del__ = release


def read_owner(folder: Directory) -> Owner | None:
    """Return the writer that has signed in a folder; None if there is none, or it cannot be read."""
    try:
        found = json.loads(folder.read(OWNER, _LARGEST))
    except (OSError, ValueError, RecursionError):
        return None
    return _owner(found)


def _owner(found: Any) -> Owner | None:
    """Return the owner that a signature names; None if it is malformed, since anyone may have written it."""
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
    """Return for how many seconds nothing has changed in a folder."""
    inside = [status for name in folder.names() if (status := folder.find(name)) is not None]
    return time.time() - max(status.st_mtime for status in [folder.status(), *inside])


def _is_in(folder: Directory, descriptor: int) -> bool:
    """Whether an open file is the one that is signed in a folder."""
    now = folder.find(OWNER)
    return now is not None and os.path.samestat(now, os.fstat(descriptor))


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
