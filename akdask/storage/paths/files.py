"""Paths on this machine and fsspec URLs: which file is meant, and whether it is still the same file."""

from __future__ import annotations

import glob
import os
import stat
from dataclasses import dataclass
from typing import Any

import fsspec

from akdask.errors import ArgumentError, FileError, FileFormatError, MissingFileError

_SYSTEM = ("/dev/", "/proc/", "/sys/")
_MEMORY = "/dev/shm/"
"""A folder of files in memory, which is one as any other."""


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """One file in one state: another size or version means that everything known about it is stale.

    Parameters
    ----------
    path : str
        Absolute path or URL.
    size : int
        Bytes.
    version : str
        Time of modification, inode and owner of a local file, the file system's own mark of a remote one.
    """

    path: str
    size: int
    version: str


def is_remote(path: str) -> bool:
    """Whether the path is a URL, to be opened through fsspec.

    Examples
    --------
    >>> is_remote("s3://bucket/flows.h5"), is_remote("/data/flows.h5")
    (True, False)
    """
    return "://" in path


def absolute(path: str | os.PathLike[str]) -> str:
    """Return the path as any worker can use it: absolute, with ``~`` expanded.  URLs stay as they are.

    Raises
    ------
    ArgumentError
        If no file can have that name.
    """
    text = os.fspath(path)
    if is_remote(text):
        return text
    try:
        is_name = b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        is_name = False
    if not is_name:
        raise ArgumentError(
            "no file can have that name.", details=[ascii(text)], hint="names hold no NUL and no half of a surrogate."
        )
    return os.path.abspath(os.path.expanduser(text))


def written_path(path: str | os.PathLike[str]) -> str:
    """Return the absolute path of what is to be written.

    Raises
    ------
    ArgumentError
        If it names no file but a folder, or lies where the system shows its devices.
    """
    text = os.fspath(path)
    if is_remote(text):
        return text
    if not text.strip():
        raise ArgumentError("files are written under a name, and none is given.", hint="name them: 'folder/name.h5'.")
    path = absolute(text)  # refuses what no file system can hold
    folder, name = os.path.split(text)
    if name in {"", ".", ".."}:
        raise ArgumentError(
            f"{text!r} names a folder, not files in it.", hint=f"name them: {os.path.join(text, 'name.h5')!r}."
        )
    real = os.path.join(os.path.realpath(os.path.expanduser(folder)), "")
    if real.startswith(_SYSTEM) and not real.startswith(_MEMORY):
        raise ArgumentError(
            f"{text!r} lies where the system shows its devices and processes.", hint="write to another folder."
        )
    return path


def file_system(url: str) -> tuple[Any, str]:
    """Return the fsspec file system of a URL, and the path inside it."""
    system, path = fsspec.core.url_to_fs(url)
    return system, path


def identify(path: str) -> FileIdentity:
    """Return size and version of a file.

    Raises
    ------
    MissingFileError
        If there is no such file.
    FileFormatError
        If it is a folder, a FIFO or a device, or cannot be read.
    """
    try:
        if is_remote(path):
            return _remote_identity(path)
        return identity_of(path, os.stat(path))
    except FileNotFoundError:
        raise MissingFileError(f"no file {path!r}.") from None
    except OSError as error:
        raise FileFormatError(f"cannot look at {path!r}: {error.strerror or error}.") from error


def _remote_identity(url: str) -> FileIdentity:
    system, inner = file_system(url)
    size = system.info(inner).get("size")
    if size is None:
        raise FileFormatError(
            f"cannot look at {url!r}: its server does not tell how large it is.",
            hint="download the file and read the copy.",
        )
    return FileIdentity(url, int(size), str(system.ukey(inner)))


def is_unchanged(file: FileIdentity) -> bool:
    """Whether the file is there as it was."""
    try:
        return identify(file.path) == file
    except FileError:
        return False


def changed_error(file: FileIdentity) -> FileError:
    """Return the error for a file that is not as it was when it was opened, or gone."""
    return FileError(
        f"file {file.path!r} has changed since it was opened.",
        details=[f"it had {file.size} bytes"],
        hint="read the set again to see its present content.",
    )


def identity_of(path: str, status: os.stat_result) -> FileIdentity:
    """Return the identity of a local file from its `os.stat`."""
    if stat.S_ISDIR(status.st_mode):
        raise FileFormatError(f"{path!r} is a folder.", hint="name the files in it, for example with a pattern '…/*'.")
    if not stat.S_ISREG(status.st_mode):
        raise FileFormatError(f"{path!r} is a FIFO, a socket or a device, and no file.", hint="copy it to a file.")
    return FileIdentity(path, status.st_size, _version(status))


def has_status(file: FileIdentity, status: os.stat_result) -> bool:
    """Whether a local file is as it was, given its `os.stat`."""
    return status.st_size == file.size and _version(status) == file.version


def _version(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}/{status.st_ino}/{status.st_uid}"


def modified(file: FileIdentity) -> int:
    """Return the time of modification of a local file, in ns."""
    return int(file.version.partition("/")[0])


def owner_of(file: FileIdentity) -> int:
    """Return the user who owns a local file."""
    return int(file.version.rpartition("/")[2])


def exists(path: str) -> bool:
    """Whether there is a file or folder at the path."""
    if is_remote(path):
        system, inner = file_system(path)
        return bool(system.exists(inner))
    return os.path.lexists(path)


def matching(pattern: str) -> list[str]:
    """Return the files that match a glob pattern, in no particular order; hidden ones only if the pattern says so."""
    if is_remote(pattern):
        system, inner = file_system(pattern)
        shows_hidden = inner.rpartition("/")[2].startswith(".")
        found = [path for path in system.glob(inner) if shows_hidden or not path.rpartition("/")[2].startswith(".")]
        return [system.unstrip_protocol(path) for path in found]
    return glob.glob(pattern)


def names_in(folder: str) -> list[str]:
    """Return the names of the files in a folder; none where it cannot be listed."""
    try:
        if is_remote(folder):
            system, inner = file_system(folder)
            return [entry.rstrip("/").rpartition("/")[2] for entry in system.ls(inner, detail=False)]
        return os.listdir(folder or ".")
    except OSError:
        return []
