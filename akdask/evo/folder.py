"""Find and verify the blobs of a folder, by their names alone; a blob is a file whose digest is its name."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import unquote

import pyarrow as pa
from dask.system import CPU_COUNT

from akdask.caches import Cache
from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError
from akdask.evo.description import ArrayDescription
from akdask.evo.errors import BlobFormatError, BlobWriteError, MissingBlobError, StoreError
from akdask.evo.findings import errors_among
from akdask.evo.identity import is_digest
from akdask.evo.kinds import TYPES, readable_name
from akdask.evo.reader import open_footer
from akdask.evo.stores import (
    BlobFolder,
    Described,
    EntryKind,
    LocalFolder,
    RemoteFolder,
    StoreEntry,
    checked_name,
    described_by,
    name_of,
)
from akdask.evo.validation import validate
from akdask.storage.files import absolute, is_remote
from akdask.storage.remote import (
    AT_ONCE,
    NO_OPTIONS,
    NoAnswerError,
    StorageOptions,
    accessing,
    check_protocol,
    current_options,
)

_STEP = 2**18
"""Bytes that are hashed at a time: few enough to stay in the cache of a core between reading and hashing."""

_TICK = 2.0
"""Seconds within which a file may change twice and look the same."""

_KNOWN: Cache[tuple[str, int, str], str] = Cache("digests of blobs", entries=100_000)


def digest_of_entry(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the lower-case SHA-256 of the bytes that a file of a store has now.

    Raises
    ------
    OSError
        If it cannot be read.
    """
    began = time.time()
    digest = hashlib.sha256()
    memory = bytearray(_STEP)
    view = memoryview(memory)
    with folder.open(entry.name) as file:
        while count := file.readinto(memory):  # type: ignore[attr-defined]  # buffered and raw files have it
            digest.update(view[:count])
    found = digest.hexdigest()
    # A file that has changed meanwhile is not known, nor one that may change again within the same tick of its clock.
    if began - entry.changed > _TICK and folder.find(entry.name) == entry:
        _KNOWN.put(_key(folder, entry), found)
    return found


def known_digest(folder: BlobFolder, entry: StoreEntry) -> str:
    """Return the SHA-256 of a file, cached in this process while its state is unchanged."""
    found = _KNOWN.get(_key(folder, entry))
    return digest_of_entry(folder, entry) if found is None else found


def digests_of(folder: BlobFolder, entries: Iterable[StoreEntry]) -> dict[str, str | OSError]:
    """Return the SHA-256 of files by name, or the error of reading; many are read concurrently."""
    # The largest first, so that no thread is left with one when the others have ended.
    ordered = sorted(entries, key=lambda entry: -entry.size)
    options = current_options()

    def digest(entry: StoreEntry) -> str | OSError:
        with accessing(options):
            try:
                return digest_of_entry(folder, entry)
            except OSError as error:
                return error

    workers = AT_ONCE if "://" in folder.place else CPU_COUNT
    with ThreadPoolExecutor(max(min(workers, len(ordered)), 1)) as pool:
        return dict(zip([entry.name for entry in ordered], pool.map(digest, ordered), strict=True))


def _key(folder: BlobFolder, entry: StoreEntry) -> tuple[str, int, str]:
    return folder.location(entry.name), entry.size, entry.version


ABANDONED_AFTER = 3600.0
"""Seconds without a change after which an unlocked temporary file is removed."""


class StoredBlobs:
    """The blobs of a folder, on this machine or in a file system of fsspec.

    Parameters
    ----------
    place : str or path
        The folder, or the URL of one.
    storage_options : mapping of str to value, optional
        Options with which fsspec opens the URL.

    Raises
    ------
    ArgumentTypeError
        If `place` is no path, or `storage_options` no mapping.
    ArgumentError
        If no folder is given, or fsspec has no file system for the URL.
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
        """Whether there is a blob; also True where it is damaged, and for a description without data."""
        described = described_by(blob)
        if described is not None and described.data is None:
            return True
        with self._looking():
            return self._find(name_of(blob)) is not None

    def ls(self) -> list[StoreEntry]:
        """Return all blobs in the order of their names, including damaged ones; empty if there is no folder."""
        with self._looking():
            found = [entry for entry in self._folder.entries() if entry.kind is EntryKind.BLOB]
        return sorted(found, key=lambda entry: entry.name)

    def describe(self, blob: Described) -> dict[str, Any]:
        """Return the description of a blob from its footer.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            Name or description of the blob.

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
            If it differs from its description; all differences are listed.
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
            If the digest of its bytes is not its name.
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
        """Turn errors of listing and reading the folder inside the ``with`` into `StoreError`.

        Raises
        ------
        StoreError
            If the folder cannot be listed or read.
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
        """Remove the files of killed writers; once per process, as folders may be large."""
        if self._is_tidied:
            return
        self._is_tidied = True
        with suppress(StoreError), self._looking():  # writing reports errors of the folder
            for entry in self._folder.entries():
                if entry.kind is EntryKind.TEMPORARY and self._folder.is_abandoned(entry, ABANDONED_AFTER):
                    with suppress(OSError):  # of another user, or gone meanwhile
                        self._folder.remove(entry.name)

    def _find(self, name: str) -> StoreEntry | None:
        """Return the file of a blob; names are compared without case."""
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
        """Whether a blob is present and undamaged; for a UUID name damage cannot be detected."""
        entry = self._find(name)
        if entry is None or not is_digest(name):
            return False
        try:
            return known_digest(self._folder, entry) == name
        except (OSError, AkdaskError):
            return False
