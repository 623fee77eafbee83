"""The format-independent part of a writer: files are staged, and put in place together or discarded.

The client makes a writer, calls `begin`, sends it to the workers that call `write`, and calls `commit` with their
receipts, or `abort`.  Until `commit` existing files stay untouched.  A format's subclass makes the bytes of a file.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar

from akdask import config
from akdask.columns.table import Table
from akdask.errors import (
    ArgumentError,
    ExistsError,
    InconsistentFilesError,
    MissingFileError,
    WriteError,
    warn,
)
from akdask.records import record
from akdask.storage.catalog import compare_with_catalogs
from akdask.storage.files import FileIdentity, exists, identify_all, is_remote, is_unchanged, written_path
from akdask.storage.locales import locale_files, locale_path, set_path
from akdask.storage.manifest import manifest_path
from akdask.storage.objects import Columns, FileLayout, JoinedFile, Mode, ObjectSpec
from akdask.storage.transaction import errors_naming, file_transaction


class DescribedFile(Protocol):
    """The manifest's description of one file."""

    @property
    def file(self) -> FileIdentity:
        """The file, in the state that is described."""

    def at(self, path: str) -> Self:
        """Return the description of the same file under another path."""


@record
class FileReceipt:
    """The receipt of one written partition, for the commit: its number, and its file for the manifest."""

    index: int
    file: Any = None


Receipt = TypeVar("Receipt", bound=FileReceipt)


class StagedWriter(ABC, Generic[Receipt]):
    """One write of a set, one file for each partition or a single file.  Picklable once it has begun.

    A subclass writes the file of one partition in `write`.  It may also join several partitions (`_join`), write
    manifests (`_write_manifest`), and add to existing files (`_names_in`).

    Parameters
    ----------
    path : str or path
        Prefix and extension of the set, or the exact path of a single file.
    specs : sequence of ObjectSpec
        The objects, in the order of the user.
    npartitions : int
        Number of files, unless single.
    mode : {"truncate", "append"}, default "truncate"
        Replace the set, or add objects to its files.
    file_type : {"distribute", "single"}, default "distribute"
        One file for each partition, or one in all.
    overwrite : bool, default False
        In append mode: replace existing objects.
    per_file : int, default 1
        How many partitions go into each file of a set.

    Attributes
    ----------
    noun : str
        Word for the format's objects in messages.
    library_errors : tuple of exception types
        Errors of the file library besides `OSError`.
    update_hint, replace_hint : str
        Advice for a user who replaces objects of a missing set, or adds objects that exist already.
    """

    noun: ClassVar[str] = "objects"
    library_errors: ClassVar[tuple[type[Exception], ...]] = ()
    update_hint: ClassVar[str] = "write it first."
    replace_hint: ClassVar[str] = "use mode='truncate'."

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileLayout = "distribute",
        overwrite: bool = False,
        per_file: int = 1,
    ) -> None:
        self.path = written_path(path)
        self.specs = tuple(specs)
        self.npartitions = npartitions
        self.mode = mode
        self.is_single = file_type == "single"
        self.overwrite = overwrite
        self.per_file = npartitions if self.is_single else per_file
        count = npartitions // per_file
        self.targets = [self.path] if self.is_single else [locale_path(self.path, number) for number in range(count)]
        self._staging = file_transaction(self.path)
        self._file_names = [os.path.basename(target) for target in self.targets]
        self._names = (
            [f"partition-{index}" for index in range(npartitions)] if self.per_file > 1 else list(self._file_names)
        )
        self._added_to: tuple[FileIdentity, ...] = ()
        # A set that is named like a locale of another shares its hidden folder, which accepts files of the other only.
        self._may_have_manifest = not self.is_single and set_path(self.path) == self.path and not is_remote(self.path)
        self._has_manifest = bool(config.get("manifest")) and self._may_have_manifest
        self._in_manifest: Sequence[Any] = ()

    def begin(self) -> None:
        """Check that the write can succeed, and make the hidden folder for it.

        Raises
        ------
        WriteError
            If the folder is missing or not writable, or another write of the set is under way.
        ExistsError
            If an object to be added exists already, or a set is added to files of the other type.
        InconsistentFilesError
            If objects are to be added to a set with another number of files.
        MissingFileError
            If objects are to be replaced in a set that is not there.
        """
        self._staging.create(replaces=self._present)
        try:
            if self.mode == "append":
                self._begin_append()
        except BaseException:
            self.abort()
            raise

    @abstractmethod
    def write(self, index: int, table: Table, tables: Columns | None = None) -> Receipt:
        """Write the file of one partition into the hidden folder; see `Writer.write`.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        SchemaError
            If a column does not fit its object.
        """

    def join(self, index: int, receipts: Sequence[Receipt]) -> JoinedFile:
        """Join the files of several partitions into one; errors are those of `write`."""
        first, name = index * self.per_file, self._file_names[index]
        parts = map(self._staging.path, self._names[first : first + self.per_file])
        with self._errors_naming(self.targets[index]), ExitStack() as opened:
            staged = [opened.enter_context(self._staging.readable(part)) for part in parts]
            attempt = self._staging.attempt(name)
            self._join(staged, attempt, receipts, self._added_to[index].path if self._added_to else None)
            finished = self._staging.finish(attempt, name)
            return JoinedFile(index, self._described(finished) if self._has_manifest else None)

    def commit(self, receipts: Sequence[Receipt | JoinedFile]) -> list[str]:
        """Put all files into place, and remove the files that they make obsolete.

        Returns
        -------
        list of str
            The files of the set.  A `UserWarning` says if files were replaced in truncate mode.

        Raises
        ------
        WriteError
            If a partition is missing, a file that was added to has changed meanwhile, or a file cannot be put into
            place. The old set stays unchanged.
        """
        try:
            renames = self._complete(receipts)
            self._check_unchanged()
        except BaseException:
            self.abort()
            raise
        replaced = self._present() if self.mode == "truncate" else []
        stale = sorted(set(replaced).difference(self.targets))
        if not self._in_manifest and self._may_have_manifest and os.path.lexists(manifest_path(self.path)):
            stale.append(manifest_path(self.path))
        self._staging.commit(renames, stale, self._renew_manifest)
        if replaced:
            warn(f"{len(replaced)} existing files of {self.path!r} were replaced.", UserWarning)
        return self.targets

    def abort(self) -> None:
        """Remove the prepared files; existing files stay."""
        self._staging.discard()

    # Methods that formats override.

    def _join(self, staged: Sequence[str], target: str, receipts: Sequence[Receipt], old: str | None) -> None:
        """Write a file with the content of its partitions' files and of the old file, if there is one."""
        raise NotImplementedError

    def _described(self, path: str) -> DescribedFile | None:
        """Return the manifest's description of a joined file; None if the format has no manifests."""
        return None

    def _completed(self, files: Sequence[Any]) -> Sequence[Any]:
        """Return the descriptions of all files, completed by values that need all of them."""
        return files

    def _write_manifest(self, path: str, files: Sequence[Any], *, are_in_place: bool) -> None:
        """Write the manifest of a set, given the descriptions in its receipts."""
        raise NotImplementedError

    def _names_in(self, file: FileIdentity) -> Iterable[str]:
        """Return the names of the objects of a file that objects are to be added to."""
        raise NotImplementedError

    def _check_absence(self) -> None:
        """Refuse append mode where other objects occupy the set's place; this class has no such case."""

    @property
    def _nfiles(self) -> int:
        """Number of files of a set that objects are added to."""
        return len(self.targets)

    # Methods that formats build on.

    def _present(self) -> list[str]:
        """Return the existing files: of a set, any number; of a single file, that path only."""
        if not self.is_single:
            return locale_files(self.path)
        return [self.path] if exists(self.path) else []

    def _target_of(self, index: int) -> str:
        """Return the path that messages name as a partition's file."""
        return self.targets[index] if len(self.targets) == self.npartitions else self.path

    def _errors_naming(self, path: str) -> AbstractContextManager[None]:
        """Turn errors of the operating system and the library into errors that name the file to be written."""
        return errors_naming(path, self.library_errors)

    def _begin_append(self) -> None:
        present = self._present()
        if not present:
            if self.overwrite:
                raise MissingFileError(f"there is no set {self.path!r} to update.", hint=self.update_hint)
            self._check_absence()
            return
        if len(present) != self._nfiles:
            raise InconsistentFilesError(
                f"{self.path!r} has {len(present)} files, the {self.noun} to add have {self._nfiles} partitions.",
                hint=f"cut the rows with num_locales={len(present)}, or write the whole set with mode='truncate'.",
            )
        # Files of old sets may be numbered without zeros; they keep their names.
        self.targets = present
        self._added_to = identify_all(present)
        compare_with_catalogs(self._added_to)
        names = {spec.name for spec in self.specs}
        taken = [f"{file.path}: {name!r}" for file in self._added_to for name in self._names_in(file) if name in names]
        if taken and not self.overwrite:
            raise ExistsError(f"{self.noun} of these names exist already.", details=taken, hint=self.replace_hint)

    def _complete(self, receipts: Sequence[Receipt | JoinedFile]) -> list[tuple[str, str]]:
        """Return the finished files and their targets, after joining the remaining partitions; manifest last."""
        joined = {receipt.index: receipt for receipt in receipts if isinstance(receipt, JoinedFile)}
        written = {receipt.index: receipt for receipt in receipts if not isinstance(receipt, JoinedFile)}
        missing = [k for k in range(self.npartitions) if k not in written and k // self.per_file not in joined]
        if missing:
            raise WriteError(f"{self.path!r} is not written: partitions {missing} are missing.")
        staged = [self._staging.path(name) for name in self._file_names]
        renames = list(zip(staged, self.targets, strict=True))
        if self.per_file == 1:
            return [*renames, *self._manifest([written[index].file for index in range(self.npartitions)])]
        for file in sorted(set(range(len(self.targets))).difference(joined)):
            joined[file] = self.join(file, [written[file * self.per_file + k] for k in range(self.per_file)])
        return [*renames, *self._manifest([joined[file].file for file in range(len(self.targets))])]

    def _check_unchanged(self) -> None:
        """Refuse to replace files by copies of an older state, if another writer has changed them since."""
        changed = [file.path for file in self._added_to if not is_unchanged(file)]
        if changed:
            raise WriteError(
                f"cannot write {self.path!r}: its files were changed while {self.noun} were added to them.",
                details=changed,
                hint=f"add the {self.noun} again.",
            )

    def _manifest(self, described: Sequence[DescribedFile | None]) -> list[tuple[str, str]]:
        """Return the finished manifest and its target; empty if it cannot be written, since it is optional."""
        files = [file.at(path) for file, path in zip(described, self.targets, strict=True) if file is not None]
        if len(files) < len(described) or not self._has_manifest:
            return []
        try:
            self._in_manifest = self._completed(files)
            return [(self._stage_manifest(are_in_place=False), manifest_path(self.path))]
        except OSError:
            self._in_manifest = ()
            return []

    def _stage_manifest(self, *, are_in_place: bool) -> str:
        attempt = self._staging.attempt("manifest")
        self._write_manifest(attempt, self._in_manifest, are_in_place=are_in_place)
        return self._staging.finish(attempt, "manifest")

    def _renew_manifest(self) -> None:
        """Rewrite the manifest once the files are in place, since renaming them has changed their states.

        The one that came with them describes them as it does copies, in case this process dies meanwhile.
        """
        if not self._in_manifest:
            return
        now = identify_all(self.targets)
        self._in_manifest = [
            replace(file, file=there) if _is_renamed(file.file, there) else file
            for file, there in zip(self._in_manifest, now, strict=True)
        ]
        self._stage_manifest(are_in_place=True)
        self._staging.replace("manifest", manifest_path(self.path))


def _is_renamed(before: FileIdentity, after: FileIdentity) -> bool:
    """Whether a file differs only in its time of change, which a rename updates."""
    states = (file.version.split("/") for file in (before, after))
    (modified, _, *rest), (modified_now, _, *rest_now) = states
    return (before.size, modified, rest) == (after.size, modified_now, rest_now)


def checked_codec(compression: Any, codecs: Sequence[str]) -> str | None:
    """Return the name of one of some codecs in lower case, None for none; raise an `ArgumentError` for others."""
    if compression is None:
        return None
    if not isinstance(compression, str) or compression.lower() not in codecs:
        named = ", ".join(name for name in codecs if name != "none")
        raise ArgumentError(f"compression is None or one of {named}, not {compression!r}.")
    return compression.lower()
