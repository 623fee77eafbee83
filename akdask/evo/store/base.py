"""Finding blobs in a folder: each by its name alone, and only if it is a file whose bytes are those of its name."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError
from akdask.evo.blobs.findings import errors_among
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import BlobFormatError, BlobWriteError, MissingBlobError, StoreError
from akdask.evo.identity import is_digest
from akdask.evo.kinds import TYPES, readable_name
from akdask.evo.reader import open_footer
from akdask.evo.store.digests import known_digest
from akdask.evo.store.entries import BlobFolder, EntryKind, StoreEntry
from akdask.evo.store.local import LocalFolder
from akdask.evo.store.names import Described, checked_name, described_by, name_of
from akdask.evo.store.remote import RemoteFolder
from akdask.evo.validation.checks import validate
from akdask.storage.paths.files import absolute, is_remote
from akdask.storage.paths.remote import NO_OPTIONS, NoAnswerError, StorageOptions, accessing, check_protocol

ABANDONED_AFTER = 3600.0
"""Seconds without a change after which a temporary file that nobody has locked is removed."""


class StoredBlobs:
    """The blobs of a folder, on this machine or in a file system of fsspec.

    Parameters
    ----------
    place : str or path
        The folder, or the URL of one.
    storage_options : mapping of str to value, optional
        What fsspec needs to open the URL.

    Raises
    ------
    ArgumentTypeError
        If `place` is no path, or `storage_options` no mapping.
    ArgumentError
        If none is named, or a URL of which fsspec knows no file system.
    """

    def __init__(self, place: str | os.PathLike[str], *, storage_options: Mapping[str, Any] | None = None) -> None:
        if not isinstance(place, str | os.PathLike):
            raise ArgumentTypeError(f"a store is a folder or a URL, not a {type(place).__name__}.")
        if storage_options is not None and not isinstance(storage_options, Mapping):
            raise ArgumentTypeError(
                f"storage_options is a dict of options by name, not a {type(storage_options).__name__}."
            )
        text = os.fspath(place)
        if not text.strip():
            raise ArgumentError("a store is a folder, and none is named.")
        self._options = StorageOptions(storage_options) if storage_options else NO_OPTIONS
        local = unquote(text.removeprefix("file://")) if text.startswith("file://") else text
        self._folder: BlobFolder
        if is_remote(local):
            check_protocol(local)
            self._folder = RemoteFolder(local, self._is_intact)
        else:
            self._folder = LocalFolder(absolute(local), self._is_intact)
        self._is_tidied = False

    def __repr__(self) -> str:
        return f"Store({self._folder.place!r})"

    def __contains__(self, blob: Described) -> bool:
        return self.has(blob)

    @property
    def place(self) -> str:
        """The folder: its absolute path, or its URL."""
        return self._folder.place

    def has(self, blob: Described) -> bool:
        """Whether there is a blob; true also where it is damaged, and where there is no data."""
        described = described_by(blob)
        if described is not None and described.data is None:
            return True
        with self._looking():
            return self._find(name_of(blob)) is not None

    def ls(self) -> list[StoreEntry]:
        """Return all blobs in the order of their names, damaged ones too; none if there is no folder."""
        with self._looking():
            found = [entry for entry in self._folder.entries() if entry.kind is EntryKind.BLOB]
        return sorted(found, key=lambda entry: entry.name)

    def describe(self, blob: Described) -> dict[str, Any]:
        """Return the description of a blob as its footer tells it.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            What names the blob.

        Raises
        ------
        MissingBlobError
            If there is no such blob.
        BlobFormatError, KindError
            If it is damaged, or no kind of array.
        """
        name = name_of(blob)
        with self.access():
            footer = open_footer(self._folder.location(self._there(name).name))
        fields = [
            (column.name, TYPES.get(readable_name(column.stored) or "", column.stored))
            for column in footer.schema.columns
        ]
        schema = pa.schema([pa.field(label, kind) for label, kind in fields])
        return ArrayDescription.of_schema(schema, footer.nrows, name).to_json()

    def check(self, blob: Described) -> None:
        """Compare the footer of a blob with its description, and with the rules for all blobs.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            Its description.

        Raises
        ------
        MissingBlobError
            If there is no such blob.
        BlobFormatError
            If it is not as described; all that is wrong is told.
        """
        described = described_by(blob)
        if described is not None and described.data is None:
            return
        with self.access():
            place = self._folder.location(self._there(name_of(blob)).name)
            wrong = errors_among(validate(place, described, footer_only=True))
        if wrong:
            raise BlobFormatError(
                f"blob {name_of(blob)!r} is not as described.", details=[finding.message for finding in wrong]
            )

    def path(self, blob: Described, *, verify: bool = True) -> str:
        """Return the path or URL of a blob.

        Parameters
        ----------
        blob, verify
            As in `get`.

        Raises
        ------
        MissingBlobError
            If there is no such blob.
        DigestError
            If its bytes are not those that it is named for.
        """
        with self.access():
            return self._verified(blob, verify=verify)

    def remove(self, blob: Described) -> None:
        """Remove a blob.

        Raises
        ------
        MissingBlobError
            If there is none.
        BlobWriteError
            If it cannot be removed.
        """
        with self.access():
            name = self._there(name_of(blob)).name
            try:
                self._folder.remove(name)
            except (OSError, NoAnswerError) as error:
                raise BlobWriteError(
                    f"blob {name!r} cannot be removed from {self.place!r}.", details=[str(error)]
                ) from error

    @contextmanager
    def access(self) -> Iterator[None]:
        """Have URLs opened with the options of the store inside the ``with``."""
        with accessing(self._options):
            yield

    @contextmanager
    def _looking(self) -> Iterator[None]:
        """Have the folder looked into inside the ``with``.

        Raises
        ------
        StoreError
            If that is not possible.
        """
        try:
            with self.access():
                yield
        except (OSError, NoAnswerError) as error:
            if isinstance(error, AkdaskError) and not isinstance(error, NoAnswerError):
                raise
            raise StoreError(
                f"the store {self.place!r} cannot be looked into.",
                details=[getattr(error, "strerror", None) or str(error)],
                hint="name a folder that may be read; for URLs check the keys and options in storage_options.",
            ) from error

    def _tidy(self) -> None:
        """Remove what writers have left that were killed; once, as folders may be large."""
        if self._is_tidied:
            return
        self._is_tidied = True
        with suppress(StoreError), self._looking():  # what is wrong with the folder is told when it is written to
            for entry in self._folder.entries():
                if entry.kind is EntryKind.TEMPORARY and self._folder.is_abandoned(entry, ABANDONED_AFTER):
                    with suppress(OSError):  # of another user, or gone meanwhile
                        self._folder.remove(entry.name)

    def _find(self, name: str) -> StoreEntry | None:
        """Return the file of a blob; names are compared without regard to case."""
        for written in (name, name.upper()):
            entry = self._folder.find(written)
            if entry is not None and entry.kind is EntryKind.BLOB:
                return entry
        return None

    def _there(self, name: str) -> StoreEntry:
        with self._looking():
            entry = self._find(name)
            strange = self._folder.find(name) if entry is None else None
        if entry is None:
            raise MissingBlobError(
                f"there is no blob {name!r} in {self.place!r}.",
                details=[] if strange is None else ["what has that name is a link or a folder, and no file"],
                hint="copy it from the store that has it, or put its rows again.",
            )
        return entry

    def _verified(self, blob: Described, *, verify: bool) -> str:
        """Return where a blob is, whose digest was compared with its name.

        Raises
        ------
        MissingBlobError, DigestError
            If it is not there, or damaged.
        """
        name = name_of(blob)
        entry = self._there(name)
        if verify and is_digest(name):
            try:
                found = known_digest(self._folder, entry)
            except (OSError, NoAnswerError) as error:
                raise BlobFormatError(
                    f"blob {name!r} of {self.place!r} cannot be read.", details=[str(error)]
                ) from error
            checked_name(name, found, self.place)
        return self._folder.location(entry.name)

    def _is_intact(self, name: str) -> bool:
        """Whether a blob is there and undamaged; of one that is named by a UUID that cannot be known."""
        entry = self._find(name)
        if entry is None or not is_digest(name):
            return False
        try:
            return known_digest(self._folder, entry) == name
        except (OSError, AkdaskError):
            return False
