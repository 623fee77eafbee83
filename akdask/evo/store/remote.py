"""Blobs in a file system of fsspec.

Nothing is known of a blob's name before its last byte, and object stores rename nothing, so that a blob is made in a
temporary file of this machine and sent when it is complete.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime
from typing import Any, BinaryIO, cast
from uuid import uuid4

from akdask.evo.blobs.sink import TEMPORARY
from akdask.evo.errors import BlobWriteError
from akdask.evo.store.entries import MARK, StoreEntry, kind_of_name
from akdask.storage.paths.directory import path_of_open
from akdask.storage.paths.files import version_of
from akdask.storage.paths.remote import NoAnswerError, file_system, retrying

_APPEAR_AT_ONCE = frozenset({"s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "memory"})
"""Protocols of file systems in which a file appears when all of it was sent."""


class RemoteFolder:
    """A folder of an fsspec file system; implements `akdask.evo.store.entries.BlobFolder`.

    Parameters
    ----------
    url : str
        The folder.
    is_intact : callable
        Tells whether a blob is there already.
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
            return _entry(retrying(lambda: system.info(inner)))
        except FileNotFoundError:
            return None

    def entries(self) -> Iterator[StoreEntry]:
        """Yield all entries; none if there is no folder."""
        system, inner = file_system(self._url)
        with suppress(FileNotFoundError):
            listed = retrying(lambda: system.ls(inner, detail=True))
            yield from (_entry(info) for info in listed if _name_of(info))

    def open(self, name: str) -> BinaryIO:
        """Open a file for reading."""
        system, inner = file_system(self.location(name))
        return cast("BinaryIO", retrying(lambda: system.open(inner, "rb", cache_type="readahead")))

    def sink(self) -> _RemoteSink:
        """Begin a new blob."""
        return _RemoteSink(self, self._is_intact)

    def send(self, path: str, name: str) -> None:
        """Send a file of this machine; it appears under its name when all of it was sent."""
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
        """Whether a temporary file has not changed for so many seconds."""
        return time.time() - entry.modified >= max(age, 3600.0)


class _RemoteSink:
    """A new blob, on this machine until it is complete; implements `akdask.evo.blobs.sink.BlobSink`.

    Parameters
    ----------
    folder : RemoteFolder
        Where it goes.
    is_intact : callable
        Tells whether a blob is there already.
    """

    def __init__(self, folder: RemoteFolder, is_intact: Callable[[str], bool]) -> None:
        self._folder, self._is_intact = folder, is_intact
        self._file = tempfile.NamedTemporaryFile(prefix=TEMPORARY)  # noqa: SIM115 - closed by `commit` and `abort`
        self._path = path_of_open(self._file.fileno(), self._file.name)
        if self._path != self._file.name:  # the file needs no name, and so goes with the process, however that ends
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


def _entry(info: Mapping[str, Any]) -> StoreEntry:
    name = _name_of(info)
    kind = kind_of_name(name, is_file=info.get("type") == "file" and not info.get("islink"))
    modified = _modified(info)
    return StoreEntry(
        name, kind, int(info.get("size") or 0), modified, f"{version_of(info)}/{info.get('size')}", modified
    )


def _modified(info: Mapping[str, Any]) -> float:
    """Return when a file was last written, 0 where its file system does not tell."""
    for key in ("LastModified", "last_modified", "mtime", "updated", "created"):
        found = info.get(key)
        if isinstance(found, datetime):
            return found.timestamp()
        if isinstance(found, int | float):
            return float(found)
    return 0.0
