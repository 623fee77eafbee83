"""A store of blobs, which are found by name, appear whole or not at all, and are verified."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, Literal
from urllib.parse import unquote

import pyarrow as pa

from akdask.errors import AkdaskError, ArgumentError, ArgumentTypeError
from akdask.evo import tuning
from akdask.evo.canonical import Names, canonical_names
from akdask.evo.categories import encode
from akdask.evo.collection import Collected, collect, findings_of, known_digest, used_by
from akdask.evo.description import (
    ArrayDescription,
    Described,
    UploadBlock,
    described_by,
    is_digest,
    is_reference,
    name_of,
    new_uuid,
    optional_name,
    several,
    upload_blocks,
)
from akdask.evo.errors import BlobFormatError, BlobWriteError, DigestError, EvoError, MissingBlobError, StoreError
from akdask.evo.findings import Finding, errors_among
from akdask.evo.folders import SUFFIX, BlobFolder, BlobSink, EntryKind, LocalFolder, LocalSink, RemoteFolder, StoreEntry
from akdask.evo.kinds import TYPES, readable_name
from akdask.evo.reader import Columns, Times, open_footer, read_arrow, read_blob
from akdask.evo.validation import validate
from akdask.evo.writer import write_blob
from akdask.frames.dataframe import DataFrame
from akdask.frames.interchange import from_arrow
from akdask.storage.files import (
    NO_OPTIONS,
    NoAnswerError,
    StorageOptions,
    absolute,
    accessing,
    check_protocol,
    is_remote,
)

ABANDONED_AFTER = 3600.0
"""Seconds without a change after which an unlocked temporary file is removed."""

_DAY = 86400.0


class Store:
    """A folder of blobs, on this machine or in an fsspec file system.  Any number of processes may share it.

    Blobs are named by the SHA-256 of their bytes, or by UUIDs, and lie in the folder under these names, without
    extension, as in the cache of the vendor's SDK.  Equal rows are stored once.

    Parameters
    ----------
    place : str or path
        The folder, which is made when something is put, or the URL of one.
    storage_options : mapping of str to value, optional
        Options with which fsspec opens the URL, such as keys or ``anon=True``.

    Raises
    ------
    ArgumentTypeError
        If `place` is no path, or `storage_options` no mapping.
    ArgumentError
        If no folder is given, or fsspec has no file system for the URL.

    Examples
    --------
    >>> store = Store("memory://blobs")
    >>> described = store.put({"x": [0.5, 1.5], "y": [2.5, 3.5]}, role="geometry")
    >>> described["length"], described["width"], described["data_type"]
    (2, 2, 'float64')
    >>> store.get(described)["y"].tolist()
    [2.5, 3.5]
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

    def put(
        self,
        rows: Any,
        *,
        role: str = "attribute",
        names: Names = None,
        data_type: str | None = None,
        row_group_rows: int | None = None,
        level: int | None = None,
        identifier: Literal["hash", "uuid"] = "hash",
        vertices: int | None = None,
        time_zone: str | None = None,
        truncate_times: bool = False,
        dictionaries: bool | None = None,
    ) -> dict[str, Any]:
        """Store rows as a blob, and return its description; computes.

        An existing blob is not written again, unless it is damaged.  Even if the process is killed, its name has the
        whole blob or none.

        Parameters
        ----------
        rows : DataFrame, array, mapping or iterator
            Rows, lazy or not, in any form of `akdask.evo.write_blob`.
        role, names, data_type, row_group_rows, level, identifier, vertices, time_zone, truncate_times, dictionaries
            As in `akdask.evo.write_blob`.

        Returns
        -------
        dict
            The JSON of the description, to be put into an object.

        Raises
        ------
        KindError, ContentError, ShapeError, UnsupportedTableError, BlobWriteError
            As for `akdask.evo.write_blob`.
        """
        with self.access():
            self._tidy()
            described = write_blob(
                rows,
                self._folder.sink,
                role=role,
                names=names,
                data_type=data_type,
                row_group_rows=row_group_rows,
                level=level,
                identifier=identifier,
                vertices=vertices,
                time_zone=time_zone,
                truncate_times=truncate_times,
                dictionaries=dictionaries,
            )
        return described.to_json()

    def put_categories(self, rows: Any, **options: Any) -> dict[str, dict[str, Any]]:
        """Store columns of text as codes and their lookup table, and return both descriptions; computes.

        Parameters
        ----------
        rows : object
            Columns of text, in any form of `akdask.evo.categories.encode`.
        **options
            Of `put`, for the codes.

        Returns
        -------
        dict
            The descriptions, under ``values`` and ``table`` as in attributes of objects.

        Raises
        ------
        KindError, ContentError, BlobWriteError
            As for `put`.
        """
        codes, table = encode(rows)
        values = self.put(codes, **{"role": "category", "data_type": "int32", **options})
        return {"values": values, "table": self.put(table, role="lookup")}

    def add(
        self,
        path_or_url: str | os.PathLike[str],
        *,
        role: str | None = None,
        identifier: Literal["hash", "uuid"] = "hash",
        storage_options: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Store a blob that is a file already, byte by byte, and return its description.

        Parameters
        ----------
        path_or_url : str or path
            The file.
        role : str, optional
            Role of the array; by default its values are not checked.
        identifier : {"hash", "uuid"}, default "hash"
            How the blob is named.
        storage_options : mapping of str to value, optional
            Options with which fsspec opens the URL of the file.

        Raises
        ------
        BlobFormatError
            If the file is no blob; all errors are listed.
        BlobWriteError
            If it cannot be written.
        """
        path = absolute(path_or_url)
        wrong = errors_among(validate(path, role=role, footer_only=role is None, storage_options=storage_options))
        if wrong:
            raise BlobFormatError(
                f"{path!r} is no blob that can be stored.",
                details=[str(finding) for finding in wrong],
                hint="write its rows with Store.put.",
            )
        folder, _, name = path.rpartition("/")
        source = Store(folder or "/", storage_options=storage_options)
        with self.access():
            self._tidy()
        wanted = new_uuid() if identifier == "uuid" else None
        found = source._send(name, self._folder.sink, lambda digest: wanted or digest, self._options)
        return self.describe(found)

    def get(
        self,
        blob: Described,
        *,
        columns: Columns = None,
        rows: slice | None = None,
        role: str | None = None,
        nan_description: Any = None,
        lookup: Any = None,
        times: Times = "auto",
        categoricals: bool = False,
        verify: bool = True,
    ) -> DataFrame:
        """Return the rows of a blob as a lazy DataFrame, with a partition for each run of row groups.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            Its description, with which the file is compared, or its name alone.
        columns : list of str or int, optional
            Names or positions of the columns to read.
        rows : slice, optional
            Rows to read.
        role : str, optional
            Role of the array.
        nan_description : mapping or list, optional
            Values for missing.
        lookup : mapping, DataFrame, table or path, optional
            Lookup table of codes: the description of one in this store, or any form of `akdask.evo.read_blob`.
        times : {"auto", "datetime", "microseconds"}, default "auto"
            Type of times.
        categoricals : bool, default False
            Whether codes become a Categorical rather than text.
        verify : bool, default True
            Compare the digest of the file with its name first.  A process reads each file once for that.

        Raises
        ------
        MissingBlobError
            If there is no such blob.
        DigestError
            If the digest of its bytes is not its name.
        EvoError
            As for `akdask.evo.read_blob`.
        """
        described = described_by(blob)
        if described is not None and described.data is None:
            return _nothing(described, columns)
        with self.access():
            found = lookup
            if is_reference(lookup):
                found = self.get_arrow(lookup, verify=verify)
            return read_blob(
                self._verified(blob, verify=verify),
                described,
                columns=columns,
                rows=rows,
                role=role,
                nan_description=nan_description,
                lookup=found,
                times=times,
                categoricals=categoricals,
            )

    def get_arrow(
        self, blob: Described, *, columns: Columns = None, rows: slice | None = None, verify: bool = True
    ) -> pa.Table:
        """Return the rows of a blob exactly as stored, as an Arrow table; computes.

        Parameters
        ----------
        blob, columns, rows, verify
            As in `get`.

        Raises
        ------
        EvoError
            As for `get`.
        """
        described = described_by(blob)
        if described is not None and described.data is None:
            names = canonical_names(described.kind, len(described.types))
            schema = pa.schema(list(zip(names, described.arrow_types, strict=True)))
            return schema.empty_table() if columns is None else schema.empty_table().select(_chosen(columns))
        with self.access():
            return read_arrow(self._verified(blob, verify=verify), described, columns=columns, rows=rows)

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

    def blocks(self, blob: Described) -> list[UploadBlock]:
        """Return the blocks in which a blob is uploaded: their names for the service, and their ranges of bytes.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            Its description or name.

        Raises
        ------
        MissingBlobError
            If there is no such blob.

        Examples
        --------
        >>> store = Store("memory://blocks")
        >>> [(block.start, block.stop > 0) for block in store.blocks(store.put({"x": [0.5]}))]
        [(0, True)]
        """
        with self.access():
            return upload_blocks(self._there(name_of(blob)).size)

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

    def verify(self, blobs: Iterable[Described] | Described | None = None, *, remove: bool = False) -> list[Finding]:
        """Hash blobs, many concurrently, and return the errors: missing, damaged, or not a file.

        Parameters
        ----------
        blobs : iterable of mapping, ArrayDescription or str, optional
            Names or descriptions; all present blobs by default.
        remove : bool, default False
            Remove damaged blobs, so that they can be put or fetched again.

        Returns
        -------
        list of Finding
            In the order of the names; empty without errors.  For a blob with a UUID name only the footer is checked.
        """
        given = None if blobs is None else several(blobs)
        names = None if given is None else [name for name in map(optional_name, given) if name is not None]
        with self._looking():
            findings = findings_of(self._folder, names)
            for finding in findings:
                if remove and finding.code in ("digest", "unreadable") and finding.blob is not None:
                    self._folder.remove(finding.blob)
        return findings

    def gc(self, roots: Any, *, grace: float | timedelta = _DAY, dry_run: bool = False) -> Collected:
        """Remove blobs that no root refers to, and temporary files that no process writes any more.

        Parameters
        ----------
        roots : iterable
            References in use: JSON documents of objects, paths of files of these, descriptions, or names of blobs.
        grace : float or datetime.timedelta, default 86400
            Seconds for which a blob stays after it was last put, as the object that refers to it may be on its way.
        dry_run : bool, default False
            Report without removing.

        Returns
        -------
        Collected
            The blobs that were removed, or would be.

        Raises
        ------
        ObjectError
            If a root cannot be read; then no blob is removed.
        ArgumentError
            If a root is of no such type, or the grace time is negative.
        """
        seconds: Any = grace.total_seconds() if isinstance(grace, timedelta) else grace
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds >= 0:
            raise ArgumentError(f"grace is a number of seconds from 0 on, not {grace!r:.100}.")
        used = used_by(roots)
        with self._looking():
            return collect(self._folder, used, seconds, min(seconds, ABANDONED_AFTER), dry_run=dry_run)

    def export(self, blob: Described, path: str | os.PathLike[str]) -> dict[str, Any]:
        """Copy a blob to a file of this machine, byte by byte, and return its description.

        Parameters
        ----------
        blob : mapping, ArrayDescription or str
            Which.
        path : str or path
            Path of the file, which is replaced; or a folder, in which the file gets the name of the blob.

        Raises
        ------
        MissingBlobError, DigestError
            If the blob is missing or damaged; then no file is written.
        BlobWriteError
            If the file cannot be written.
        """
        described = self.describe(blob) if isinstance(blob, str) else ArrayDescription.from_json(blob).to_json()
        name = name_of(described)
        with self.access():
            there = self._there(name).name
        self._send(
            there, lambda: LocalSink.at(path), lambda digest: checked_name(name, digest, self.place), self._options
        )
        return described

    def copy(self, blobs: Iterable[Described] | Described | None, target: Store) -> list[str]:
        """Copy blobs to another store, a few at a time, and return the names of the new ones.

        Bytes are hashed on their way, and a damaged blob does not appear in the target.

        Parameters
        ----------
        blobs : iterable of mapping, ArrayDescription or str, or None
            Names or descriptions of blobs; None for all.
        target : Store
            Where they go.

        Raises
        ------
        EvoError
            If blobs are missing or damaged, or cannot be written; all of them are listed, and the others are copied.
        ArgumentTypeError
            If the target is no store.
        """
        if not isinstance(target, Store):
            raise ArgumentTypeError(f"blobs are copied to a Store, not to a {type(target).__name__}.")
        given = [entry.identifier for entry in self.ls()] if blobs is None else several(blobs)
        names = list(dict.fromkeys(name for name in map(optional_name, given) if name is not None))

        def copied(name: str) -> str | AkdaskError | None:
            try:
                return self._copied(name, target)
            except AkdaskError as error:
                return error

        with ThreadPoolExecutor(max(min(tuning.COPIED_BLOBS, len(names)), 1)) as pool:
            found = list(pool.map(copied, names))
        failed = [error for error in found if isinstance(error, AkdaskError)]
        if failed:
            raise EvoError(
                f"{len(failed)} of {len(names)} blobs were not copied to {target.place!r}.",
                details=["; ".join([error.message, *error.details]) for error in failed],
                hint="fetch or write them again.",
            )
        return [name for name in found if isinstance(name, str)]

    @contextmanager
    def access(self) -> Iterator[None]:
        """Have URLs opened with the options of the store inside the ``with``."""
        with accessing(self._options):
            yield

    def _copied(self, name: str, target: Store) -> str | None:
        with target.access():
            if target._is_intact(name):
                target._folder.mark(name)
                return None
        with self.access():
            there = self._there(name).name
        return self._send(
            there, target._folder.sink, lambda digest: checked_name(name, digest, self.place), target._options
        )

    def _send(
        self, name: str, begin: Callable[[], BlobSink], chosen: Callable[[str], str], options: StorageOptions
    ) -> str:
        """Send the bytes of a file elsewhere, under the name that is chosen for their digest."""
        digest = hashlib.sha256()
        sink: BlobSink | None = None
        try:
            with self.access():
                file = self._folder.open(name)
            with file, accessing(options):
                sink = begin()
                while data := file.read(tuning.READ_BYTES):
                    digest.update(data)
                    sink.write(data)
                found = chosen(digest.hexdigest())
                sink.commit(found)
        except BaseException as error:
            if sink is not None:
                sink.abort()
            if isinstance(error, OSError) and not isinstance(error, AkdaskError):
                raise BlobFormatError(
                    f"blob {name!r} of {self.place!r} cannot be read.", details=[str(error)]
                ) from error
            raise
        return found

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
        for written in (name, name.upper(), f"{name}{SUFFIX}"):
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
            If it is missing or damaged.
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


def _nothing(described: ArrayDescription, columns: Columns) -> DataFrame:
    """Return the rows of an array without data."""
    names = canonical_names(described.kind, len(described.types))
    schema = pa.schema(list(zip(names, described.arrow_types, strict=True)))
    found: DataFrame = from_arrow(schema.empty_table())
    if columns is None:
        return found
    some: DataFrame = found[[names[c] if isinstance(c, int) else c for c in _chosen(columns)]]
    return some


def _chosen(columns: Columns) -> list[Any]:
    return [columns] if isinstance(columns, str | int) else list(columns or ())


def checked_name(name: str, digest: str, place: str) -> str:
    """Return the name of a blob whose bytes have a digest.

    Raises
    ------
    DigestError
        If the digest of the bytes is not the name.
    """
    if is_digest(name) and digest != name:
        raise DigestError(
            f"blob {name!r} of {place!r} is damaged.",
            details=[f"the SHA-256 of its bytes is {digest}"],
            hint="remove it with Store.verify(remove=True), then fetch it or put its rows again.",
        )
    return name
