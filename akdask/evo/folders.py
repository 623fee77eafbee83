"""Folders of blobs, on this machine or in an fsspec file system: their entries, and the files that become blobs."""

from __future__ import annotations

import errno
import fcntl
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from enum import StrEnum
from typing import Any, BinaryIO, Protocol, Self, cast
from uuid import uuid4

from akdask.errors import ArgumentError
from akdask.evo.description import is_identifier
from akdask.evo.errors import BlobWriteError
from akdask.records import record
from akdask.storage.files import (
    NoAnswerError,
    file_system,
    is_remote,
    path_of_open,
    retrying,
    state_of,
    version_of,
    written_path,
)
from akdask.storage.folders import Directory

TEMPORARY = ".akdask-evo-"
"""How the names of files begin that are not complete yet, or never will be."""

MARK = ".evo-used-"
"""How the names of marks begin: the rest is the name of a blob that was put again, and so is in use."""

SUFFIX = ".parquet"
"""What others append to the names of blobs that they have fetched; akdask reads these and writes none."""

_TEMPORARY = re.compile(rf"{re.escape(TEMPORARY)}[0-9a-f]{{32}}")


class EntryKind(StrEnum):
    """The kinds of entries in the folder."""

    BLOB = "blob"
    TEMPORARY = "temporary"
    MARK = "mark"
    FOREIGN = "foreign"


@record
class StoreEntry:
    """One entry of the folder.

    Parameters
    ----------
    name : str
        Its name in the folder.
    kind : EntryKind
        Kind of the entry; a link or a folder with the name of a blob is foreign.
    size : int
        Bytes.
    modified : float
        Time of the last write, in seconds since 1970; 0 if unknown.
    version : str
        Changes whenever its bytes do.
    changed : float
        Time of the last change of its bytes, as recorded by the file system itself.
    """

    name: str
    kind: EntryKind
    size: int
    modified: float
    version: str
    changed: float

    @property
    def identifier(self) -> str:
        """The name of the blob that it is, or that it is the mark of."""
        return self.name.removeprefix(MARK).removesuffix(SUFFIX).lower()


def kind_of_name(name: str, *, is_file: bool) -> EntryKind:
    """Return the kind of an entry by its name; entries that are not files are foreign.

    Examples
    --------
    >>> str(kind_of_name("ab" * 32, is_file=True)), str(kind_of_name("notes.txt", is_file=True))
    ('blob', 'foreign')
    """
    if not is_file:
        return EntryKind.FOREIGN
    if is_identifier(name.removesuffix(SUFFIX)):
        return EntryKind.BLOB
    if name.startswith(MARK) and is_identifier(name.removeprefix(MARK)):
        return EntryKind.MARK
    return EntryKind.TEMPORARY if _TEMPORARY.fullmatch(name) else EntryKind.FOREIGN


class BlobFolder(Protocol):
    """The folder of a store.  The store validates names before it passes them on."""

    @property
    def place(self) -> str:
        """Absolute path or URL."""
        ...

    def location(self, name: str) -> str:
        """Return the path or URL of an entry."""
        ...

    def find(self, name: str) -> StoreEntry | None:
        """Return the entry of a name, None if there is none."""
        ...

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries, unordered; none if there is no folder."""
        ...

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        ...

    def sink(self) -> BlobSink:
        """Begin a new blob."""
        ...

    def mark(self, name: str) -> None:
        """Note that a blob is in use from now on."""
        ...

    def remove(self, name: str) -> None:
        """Remove a file."""
        ...

    def is_abandoned(self, entry: StoreEntry, age: float) -> bool:
        """Whether a temporary file is unchanged for `age` seconds, and unlocked where the folder has locks."""
        ...


class BlobSink(Protocol):
    """A place for the bytes of one blob, which appears under its name whole or not at all."""

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        ...

    def commit(self, name: str) -> None:
        """Give all bytes a name, from which on they can be found."""
        ...

    def abort(self) -> None:
        """Drop all bytes; no effect after `commit`."""
        ...


class LocalSink:
    """A file on this machine.

    Parameters
    ----------
    folder : str
        The folder.
    name : str, optional
        Name of the file; by default that of `commit`.

    Raises
    ------
    BlobWriteError
        If the target is not writable.
    """

    def __init__(self, folder: str, name: str | None = None) -> None:
        self._folder, self._name = folder, name
        self._path = os.path.join(folder, f"{TEMPORARY}{uuid4().hex}")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            self._file = open(os.open(self._path, flags, 0o666), "wb", buffering=0)  # noqa: SIM115 - closed by `commit`
        except OSError as error:
            raise self._failed(error) from error

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """Return the place that a path names: a blob in a folder, or a file of exactly that path."""
        text = os.fspath(path)
        if is_remote(text) and not text.startswith("file://"):
            raise ArgumentError(
                f"a blob is not written to the URL {text!r} without a store.", hint="use akdask.evo.Store(url)."
            )
        if os.path.isdir(text):
            return cls(os.path.abspath(text))
        found = written_path(text)
        return cls(os.path.dirname(found), os.path.basename(found))

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise self._failed(error) from error

    def commit(self, name: str) -> None:
        """Give the file its name once all of its bytes are on disk, replacing any file of that name."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._path, os.path.join(self._folder, self._name or name))
            descriptor = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise self._failed(error) from error

    def abort(self) -> None:
        """Remove the file, unless it has its name."""
        self._file.close()
        try:
            os.unlink(self._path)
        except OSError:
            return

    def _failed(self, error: OSError) -> BlobWriteError:
        return BlobWriteError(
            f"a blob cannot be written to {self._folder!r}.",
            details=[error.strerror or str(error)],
            hint="name a folder that exists, may be written to and has space left; nothing of the blob is left.",
        )


_NO_LOCKS = {errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.EINVAL, errno.EBADF}
_LONGEST_WRITE = 86400.0
"""Seconds after which a temporary file counts as abandoned where locks do not decide."""

IsIntact = Callable[[str], bool]
"""Returns whether a blob of a name is present and undamaged."""


class LocalFolder:
    """A folder of this machine; implements `akdask.evo.folders.BlobFolder`.

    Parameters
    ----------
    path : str
        Absolute path.
    is_intact : callable
        Returns whether a blob exists already.
    """

    def __init__(self, path: str, is_intact: IsIntact) -> None:
        self._path = path
        self._is_intact = is_intact

    @property
    def place(self) -> str:
        """Absolute path."""
        return self._path

    def location(self, name: str) -> str:
        """Return the path of an entry."""
        return os.path.join(self._path, name)

    def find(self, name: str) -> StoreEntry | None:
        """Return the entry of a name, None if there is none."""
        try:
            with Directory.at(self._path) as folder:
                status = folder.find(name)
        except FileNotFoundError:
            return None
        return None if status is None else _entry(name, status)

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries; none if there is no folder."""
        try:
            with Directory.at(self._path) as folder:
                for name in folder.names():
                    status = folder.find(name)
                    if status is not None:
                        yield _entry(name, status)
        except FileNotFoundError:
            return

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading, without following links."""
        with Directory.at(self._path) as folder:
            return os.fdopen(folder.open(name), "rb", buffering=0)

    def sink(self) -> LocalSink:
        """Begin a new blob, making the folder if necessary."""
        try:
            os.makedirs(self._path, exist_ok=True)
        except OSError as error:
            raise BlobWriteError(
                f"the folder {self._path!r} cannot be made.", details=[error.strerror or str(error)]
            ) from error
        return _StoreSink(self, self._is_intact)

    def mark(self, name: str) -> None:
        """Mark a blob as in use from now on.  Its own times stay, as readers identify the file by them."""
        with Directory.at(self._path) as folder:
            descriptor = folder.open(MARK + name, os.O_WRONLY | os.O_CREAT)
            try:
                os.utime(descriptor)
            finally:
                os.close(descriptor)

    def remove(self, name: str) -> None:
        """Remove a file."""
        with Directory.at(self._path) as folder:
            folder.unlink(name)

    def is_abandoned(self, entry: StoreEntry, age: float) -> bool:
        """Whether a temporary file is unchanged for `age` seconds and unlocked."""
        quiet = time.time() - entry.modified
        if quiet < age:
            return False
        try:
            with Directory.at(self._path) as folder:
                descriptor = folder.open(entry.name)
        except OSError:
            return False
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return error.errno in _NO_LOCKS and quiet >= _LONGEST_WRITE
        finally:
            os.close(descriptor)
        return True


class _StoreSink(LocalSink):
    """A new blob of a folder, which is dropped where the folder has it already.

    Parameters
    ----------
    folder : LocalFolder
        The folder.
    is_intact : callable
        Returns whether a blob exists already.
    """

    def __init__(self, folder: LocalFolder, is_intact: IsIntact) -> None:
        super().__init__(folder.place)
        self._blobs, self._is_intact = folder, is_intact
        # The lock ends with the process: an unlocked file is abandoned.
        with suppress(OSError):
            fcntl.flock(self._file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)

    def commit(self, name: str) -> None:
        """Give the blob its name, unless there is one that is the same."""
        if not self._is_intact(name):
            super().commit(name)
            return
        try:
            self._blobs.mark(name)
        except OSError as error:
            raise self._failed(error) from error
        self.abort()


def _entry(name: str, status: Any) -> StoreEntry:
    kind = kind_of_name(name, is_file=stat.S_ISREG(status.st_mode))
    newest = max(status.st_mtime, status.st_ctime)
    return StoreEntry(name, kind, status.st_size, status.st_mtime, state_of(status), newest)


_APPEAR_AT_ONCE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "memory"})
"""Protocols of file systems in which a file appears only once it is complete."""


class RemoteFolder:
    """A folder of an fsspec file system; implements `akdask.evo.folders.BlobFolder`.

    Parameters
    ----------
    url : str
        The folder.
    is_intact : callable
        Returns whether a blob exists already.
    """

    def __init__(self, url: str, is_intact: Callable[[str], bool]) -> None:
        self._url = url.rstrip("/")
        self._is_intact = is_intact

    @property
    def place(self) -> str:
        """The URL."""
        return self._url

    def location(self, name: str) -> str:
        """Return the URL of an entry."""
        return f"{self._url}/{name}"

    def find(self, name: str) -> StoreEntry | None:
        """Return the entry of a name, None if there is none."""
        system, inner = file_system(self.location(name))
        try:
            return _remote_entry(retrying(lambda: system.info(inner)))
        except FileNotFoundError:
            return None

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries; none if there is no folder."""
        system, inner = file_system(self._url)
        with suppress(FileNotFoundError):
            listed = retrying(lambda: system.ls(inner, detail=True))
            yield from (_remote_entry(info) for info in listed if _name_of(info))

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        system, inner = file_system(self.location(name))
        return cast("BinaryIO", retrying(lambda: system.open(inner, "rb", cache_type="readahead")))

    def sink(self) -> _RemoteSink:
        """Begin a new blob."""
        return _RemoteSink(self, self._is_intact)

    def send(self, path: str, name: str) -> None:
        """Send a local file; it appears under its name once it is complete."""
        system, inner = file_system(self.location(name))
        if self._url.partition("://")[0] in _APPEAR_AT_ONCE:
            retrying(lambda: system.put_file(path, inner))
            return
        _, folder = file_system(self._url)
        system.makedirs(folder, exist_ok=True)
        _, aside = file_system(self.location(f"{TEMPORARY}{uuid4().hex}"))
        try:
            retrying(lambda: system.put_file(path, aside))
            system.mv(aside, inner)
        except BaseException:
            with suppress(Exception):
                system.rm_file(aside)
            raise

    def mark(self, name: str) -> None:
        """Note that a blob is in use from now on."""
        system, inner = file_system(self.location(MARK + name))
        retrying(lambda: system.pipe_file(inner, b""))

    def remove(self, name: str) -> None:
        """Remove a file."""
        system, inner = file_system(self.location(name))
        retrying(lambda: system.rm_file(inner))

    def is_abandoned(self, entry: StoreEntry, age: float) -> bool:
        """Whether a temporary file is unchanged for `age` seconds."""
        return time.time() - entry.modified >= max(age, 3600.0)


class _RemoteSink:
    """A new blob, on this machine until complete; implements `akdask.evo.folders.BlobSink`.

    Parameters
    ----------
    folder : RemoteFolder
        The target folder.
    is_intact : callable
        Returns whether a blob exists already.
    """

    def __init__(self, folder: RemoteFolder, is_intact: Callable[[str], bool]) -> None:
        self._folder, self._is_intact = folder, is_intact
        self._file = tempfile.NamedTemporaryFile(prefix=TEMPORARY)  # noqa: SIM115 - closed by `commit` and `abort`
        self._path = path_of_open(self._file.fileno(), self._file.name)
        if self._path != self._file.name:  # a file without a name disappears with the process
            os.unlink(self._file.name)

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        try:
            self._file.write(data)
        except OSError as error:
            raise self._failed(error, os.path.dirname(self._file.name)) from error

    def commit(self, name: str) -> None:
        """Send the blob under its name, unless there is one that is the same."""
        try:
            if self._is_intact(name):
                self._folder.mark(name)
            else:
                self._file.flush()
                self._folder.send(self._path, name)
        except (OSError, NoAnswerError) as error:
            raise self._failed(error, self._folder.place) from error
        finally:
            self.abort()

    def abort(self) -> None:
        """Drop all bytes that are on this machine."""
        with suppress(FileNotFoundError):
            self._file.close()

    @staticmethod
    def _failed(error: Exception, place: str) -> BlobWriteError:
        return BlobWriteError(
            f"a blob cannot be written to {place!r}.",
            details=[getattr(error, "strerror", None) or str(error)],
            hint="check the address, the keys and options in storage_options, and the space left.",
        )


def _name_of(info: Mapping[str, Any]) -> str:
    return str(info["name"]).rstrip("/").rpartition("/")[2]


def _remote_entry(info: Mapping[str, Any]) -> StoreEntry:
    name = _name_of(info)
    kind = kind_of_name(name, is_file=info.get("type") == "file" and not info.get("islink"))
    modified = _modified(info)
    return StoreEntry(
        name, kind, int(info.get("size") or 0), modified, f"{version_of(info)}/{info.get('size')}", modified
    )


def _modified(info: Mapping[str, Any]) -> float:
    """Return the time of a file's last write, 0 where the file system has none."""
    for key in ("LastModified", "last_modified", "mtime", "updated", "created"):
        found = info.get(key)
        if isinstance(found, datetime):
            return found.timestamp()
        if isinstance(found, int | float):
            return float(found)
    return 0.0


OpenTarget = Callable[[], BlobSink]
"""Begins a new blob."""


def opener(target: OpenTarget | str | os.PathLike[str]) -> OpenTarget:
    """Return the function that begins a blob at a target: the target itself, or one for a path on this machine."""
    if callable(target):
        return target
    if not isinstance(target, str | os.PathLike):
        raise ArgumentError(f"a blob goes to a path or to what opens a target, not to a {type(target).__name__}.")
    return lambda: LocalSink.at(target)
