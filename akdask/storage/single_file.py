"""One small file of this machine, put into place by one rename: no other process can see a half of it.

A write of several files, or of one that takes long, is a transaction (`akdask.storage.transaction`), which is recovered
where its process dies.  Here a process that dies while it writes leaves a hidden file, and the old one as it was.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar
from uuid import uuid4

from akdask import config

Result = TypeVar("Result")

OF_FILES, OF_A_FOLDER = ".akdask-write", ".akdask-folder"
"""How names of hidden folders end, of writes of files and of a whole folder."""

_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP}  # some file systems cannot flush folders


def may_have_transactions(folder: str) -> bool:
    """Return whether a folder has hidden folders of writes, which live or wait to be recovered, or cannot be listed."""
    try:
        names = os.listdir(folder)
    except OSError:
        return True
    return any(map(is_hidden_folder, names))


def is_hidden_folder(name: str) -> bool:
    """Return whether a hidden folder of a write has such a name."""
    return name.startswith(".") and name.endswith((OF_FILES, OF_A_FOLDER))


def put_file(path: str, write: Callable[[str], Result]) -> Result:
    """Have a file written under a hidden name beside its place, and put it there; return what `write` returns.

    Errors of `write` and of the system are raised as they are; the old file is then as it was.
    """
    folder, name = os.path.split(path)
    attempt = os.path.join(folder, f".{name}.{uuid4().hex[:12]}")
    try:
        found = write(attempt)
        wanted = config.get("durable")
        is_durable = os.path.lexists(path) if wanted == "replaced" else wanted
        if is_durable:
            sync(os.open(attempt, os.O_RDONLY | os.O_CLOEXEC))
        os.replace(attempt, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(attempt)
        raise
    if is_durable:
        sync(os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    return found


def sync(descriptor: int) -> None:
    """Flush an open file or folder to disk and close it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)
