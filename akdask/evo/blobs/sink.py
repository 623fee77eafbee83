"""Where the bytes of a new blob go: aside first, and under their name when all are there."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol, Self
from uuid import uuid4

from akdask.errors import ArgumentError
from akdask.evo.errors import BlobWriteError
from akdask.storage.paths.files import is_remote, written_path

TEMPORARY = ".akdask-evo-"
"""How the names of files begin that are not complete yet, or never will be."""


class BlobSink(Protocol):
    """A place for the bytes of one blob, which appears under its name whole or not at all."""

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        ...

    def commit(self, name: str) -> None:
        """Give all bytes a name, from which on they can be found."""
        ...

    def abort(self) -> None:
        """Drop all bytes; does nothing after `commit`."""
        ...


class LocalSink:
    """A file on this machine.

    Parameters
    ----------
    folder : str
        The folder.
    name : str, optional
        Name of the file, that of `commit` unless given.

    Raises
    ------
    BlobWriteError
        If nothing can be written there.
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
        """Give the file its name, once all of its bytes are on disk; a file of that name is replaced."""
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


OpenTarget = Callable[[], BlobSink]
"""Begins a new blob."""


def opener(target: OpenTarget | str | os.PathLike[str]) -> OpenTarget:
    """Return the function that begins a blob at a target: the target itself, or one for a path on this machine."""
    if callable(target):
        return target
    if not isinstance(target, str | os.PathLike):
        raise ArgumentError(f"a blob goes to a path or to what opens a target, not to a {type(target).__name__}.")
    return lambda: LocalSink.at(target)
