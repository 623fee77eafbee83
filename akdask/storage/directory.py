"""An open folder, whose files are reached through its descriptor by single names, without following links.

A path is resolved at every call, so it may lead to another file than the one that was examined.  A descriptor stays
with its folder even if the folder is moved or replaced.  Files are opened without waiting and are used only if they are
regular, so that no FIFO and no device can block a reader.  Whatever the system refuses raises an `OSError`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Container
from typing import Self

# Linux can open a folder as a path only, which needs no right to list it.
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)
_DESCRIPTORS = "/proc/self/fd"
_CANNOT_SYNC = {errno.EINVAL, errno.ENOTSUP}  # some file systems cannot flush folders


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
        return open_regular(_single(name), flags, folder=self)

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
        _sync(self._listable())

    def sync_file(self, name: str) -> None:
        """Wait until a file in the folder is on disk."""
        _sync(self.open(name))

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


def open_regular(path: str, flags: int = os.O_RDONLY, *, folder: Directory | None = None, follows: bool = False) -> int:
    """Open a regular file without waiting, and return its descriptor.

    The path is a single name if `folder` is given. `follows` says whether a link in its place is followed.
    """
    flags |= os.O_NONBLOCK | os.O_CLOEXEC | (0 if follows else os.O_NOFOLLOW)
    descriptor = os.open(path, flags, 0o666, dir_fd=None if folder is None else folder.descriptor)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        shown = path if folder is None else folder.path_of(path)
        raise OSError(errno.EINVAL, "Not a regular file", shown)
    return descriptor


def path_of_open(descriptor: int, path: str) -> str:
    """Return a path of this very file or folder, while it is open, for libraries that open by path; else `path`."""
    anchor = f"{_DESCRIPTORS}/{descriptor}"
    return anchor if os.path.exists(anchor) else path


def check_status(status: os.stat_result, most: float, owners: Container[int] | None, path: str) -> None:
    """Refuse an open file that is too large or that none of the given users owns; None allows any user."""
    if owners is not None and status.st_uid not in owners:
        raise PermissionError(errno.EPERM, "It belongs to another user", path)
    if status.st_size > most:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), path)


def is_single_name(name: object) -> bool:
    """Whether this is the name of a direct entry of a folder, and not a path that leads elsewhere.

    Examples
    --------
    >>> [is_single_name(name) for name in ("x.h5", "..", "a/b", "nul" + chr(0), chr(0xD800), 3)]
    [True, False, False, False, False, False]
    """
    if not isinstance(name, str) or name in {"", ".", ".."} or "/" in name or "\0" in name:
        return False
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def _single(name: str) -> str:
    if not is_single_name(name):
        raise OSError(errno.EINVAL, "Not a name of a file", repr(name))
    return name


def _sync(descriptor: int) -> None:
    """Flush an open file to disk and close it."""
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC:
            raise
    finally:
        os.close(descriptor)
