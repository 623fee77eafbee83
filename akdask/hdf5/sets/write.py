"""Writing objects to a set of files, one for each partition, or to a single file.

The client makes a `SetWriter`, calls `begin`, sends it to the workers that call `write`, and calls `commit` with what
they return, or `abort`.  Until `commit` nothing that was there is touched.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from akdask import config
from akdask.columns import Table
from akdask.errors import (
    AkdaskError,
    ArgumentError,
    ExistsError,
    InconsistentFilesError,
    MissingFileError,
    WriteError,
    warn,
)
from akdask.hdf5.codecs import lay_out_object
from akdask.hdf5.encoding.merge import concat_parts, copy_shares
from akdask.hdf5.encoding.newfile import (
    NewDataset,
    NewGroup,
    NewObject,
    Placed,
    Share,
    add_layout,
    create_file,
    summing_up,
    write_bytes,
)
from akdask.hdf5.metadata.existing import copy_without, stored_names
from akdask.hdf5.metadata.inspect import HDF5_ERRORS, describe_file
from akdask.hdf5.schema import layout
from akdask.hdf5.schema.description import FileDescription
from akdask.hdf5.sets import manifest
from akdask.storage.atomic.commit import staging, write_error
from akdask.storage.atomic.manifest import manifest_path
from akdask.storage.atomic.object_store import compare_with_catalogs
from akdask.storage.data.extents import ELSEWHERE
from akdask.storage.formats.objects import Columns, ObjectSpec
from akdask.storage.paths.files import (
    FileIdentity,
    exists,
    identify,
    identify_all,
    is_file,
    is_remote,
    is_unchanged,
    written_path,
)
from akdask.storage.paths.locales import locale_files, locale_path, set_path

Mode: TypeAlias = Literal["truncate", "append"]
FileFormat: TypeAlias = Literal["distribute", "single"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What one partition has written, for the commit.

    Parameters
    ----------
    index : int
        The partition.
    parts : tuple of NewGroup and NewDataset
        All that was made.
    placed : tuple of Placed
        Where the bytes of the datasets are in the partition's file.
    file : FileDescription, optional
        The partition's file, for the manifest.
    """

    index: int
    parts: tuple[NewGroup | NewDataset, ...]
    placed: tuple[Placed, ...]
    file: FileDescription | None = None


class SetWriter:
    """One write of objects to a set.  Picklable once it has begun.

    Takes the parameters of `akdask.storage.formats.registry.Format.writer`; the space of replaced objects is given
    back.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        specs: Sequence[ObjectSpec],
        *,
        npartitions: int,
        mode: Mode = "truncate",
        file_type: FileFormat = "distribute",
        overwrite: bool = False,
    ) -> None:
        _check_arguments(specs, npartitions, mode, file_type)
        self.path = written_path(path)
        self.specs = tuple(specs)
        self.npartitions = npartitions
        self.mode = mode
        self.file_type = file_type
        self.overwrite = overwrite
        self._staging = staging(self.path)
        self._names = [os.path.basename(locale_path(self.path, index)) for index in range(npartitions)]
        self._adds = False
        self._added_to: tuple[FileIdentity, ...] = ()
        single = file_type == "single"
        # A set that is named like a locale of another shares its hidden folder, which takes files of the other only.
        self._has_manifest = (
            bool(config.get("manifest"))
            and not single
            and set_path(self.path) == self.path
            and not is_remote(self.path)
        )
        self.targets = [self.path] if single else [locale_path(self.path, index) for index in range(npartitions)]

    def begin(self) -> None:
        """Check that the write can succeed, and make the hidden folder for it.

        Raises
        ------
        WriteError
            If the folder is missing or not writable, or another write of the set is under way.
        ExistsError
            If an object is to be added that is there already, or a set to files of the other type.
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

    def write(self, index: int, table: Table, tables: Columns | None = None) -> Receipt:
        """Write the file of one partition into the hidden folder.  May be called again, also at the same time.

        Parameters
        ----------
        index : int
            Number of the partition.
        table : Table
            Its rows.
        tables : mapping of name to column, optional
            The small tables that every partition is given in full.

        Raises
        ------
        WriteError
            If the disk is full, or the folder cannot be seen from here.
        SchemaError
            If a column does not fit its object.
        """
        share = Share(index, self.npartitions)
        new = NewObject.join([lay_out_object(spec, table.columns, tables or {}, share) for spec in self.specs])
        is_final = len(self.targets) == self.npartitions
        with _errors_naming(self.targets[index] if is_final else self.path):
            attempt = self._staging.attempt(self._names[index])
            placed = self._lay_out(attempt, new.parts, self.targets[index] if self._adds and is_final else None)
            file = self._write_bytes(attempt, placed, new)
            self._staging.finish(attempt, self._names[index])
        return Receipt(index, new.parts, placed, file)

    def commit(self, receipts: Sequence[Receipt]) -> list[str]:
        """Put all files into place, and remove those that they make obsolete.

        Returns
        -------
        list of str
            The files of the set.

        Raises
        ------
        WriteError
            If a partition is missing, a file that was added to has changed meanwhile, or one cannot be put into place;
            the old set is there unchanged.

        Warns
        -----
        UserWarning
            If files are replaced in truncate mode.
        """
        try:
            renames = self._complete({receipt.index: receipt for receipt in receipts})
            self._check_unchanged()
        except BaseException:
            self.abort()
            raise
        replaced = self._present() if self.mode == "truncate" else []
        stale = sorted(set(replaced).difference(self.targets))
        self._staging.commit(renames, stale)
        if replaced:
            warn(f"{len(replaced)} existing files of {self.path!r} were replaced.", UserWarning)
        return self.targets

    def abort(self) -> None:
        """Remove all that was prepared; what was there before stays."""
        self._staging.discard()

    def _write_bytes(self, path: str, placed: tuple[Placed, ...], new: NewObject) -> FileDescription | None:
        """Write the bytes, and return what the manifest will say of the file if there is to be one."""
        if not self._has_manifest:
            write_bytes(path, placed, new)
            return None
        new, summaries = summing_up(new, placed)
        write_bytes(path, placed, new)
        found = describe_file(identify(path))
        if (found.slots[:, 0] < ELSEWHERE).any():
            # Only the file itself tells how its chunks are cut, and whether its data is all in it.
            return None
        return manifest.summarized(found, summaries)

    def _begin_append(self) -> None:
        present = self._present()
        if not present:
            self._check_nothing_there()
            return
        if len(present) != len(self.targets):
            raise InconsistentFilesError(
                f"{self.path!r} has {len(present)} files, the objects to add have {len(self.targets)} partitions.",
                hint=f"cut the rows anew with num_locales={len(present)}, or write the whole set with mode='truncate'.",
            )
        # Files of old sets may be numbered without zeros: they are added to as they are.
        self.targets = present
        self._adds = True
        self._added_to = identify_all(present)
        compare_with_catalogs(self._added_to)
        names = {spec.name for spec in self.specs}
        taken = [f"{path}: {name!r}" for path in present for name in stored_names(path) if name in names]
        if taken and not self.overwrite:
            raise ExistsError("objects of these names exist already.", details=taken, hint="use update_hdf.")

    def _check_nothing_there(self) -> None:
        if self.overwrite:
            raise MissingFileError(f"there is no set {self.path!r} to update.", hint="write it with to_hdf first.")
        other = locale_files(self.path) if self.file_type == "single" else [self.path]
        if any(map(is_file, other)):
            raise ExistsError(
                f"cannot add to {self.path!r}: it is of the other file type.",
                details=[f"found: {other[0]}"],
                hint=f"use file_type={'distribute' if self.file_type == 'single' else 'single'!r}.",
            )

    def _present(self) -> list[str]:
        """Return the files that are there now: of a set those of any number, of a single file that path only."""
        if self.file_type == "distribute":
            return locale_files(self.path)
        return [self.path] if exists(self.path) else []

    def _complete(self, receipts: dict[int, Receipt]) -> list[tuple[str, str]]:
        """Return the finished files and their places, after merging them if there is to be only one; manifest last."""
        missing = [index for index in range(self.npartitions) if index not in receipts]
        if missing:
            raise WriteError(f"{self.path!r} is not written: partitions {missing} are missing.")
        shares = [receipts[index] for index in range(self.npartitions)]
        if self.file_type == "distribute" or self.npartitions == 1:
            staged = [self._staging.path(name) for name in self._names]
            return [*zip(staged, self.targets, strict=True), *self._manifest(shares)]
        staged = [self._staging.local(name) for name in self._names]
        merged = self._staging.attempt(os.path.basename(self.path))
        with _errors_naming(self.path):
            placed = self._lay_out(
                merged, concat_parts([share.parts for share in shares]), self.path if self._adds else None
            )
            copy_shares(merged, placed, staged, [share.placed for share in shares])
            return [(self._staging.finish(merged, os.path.basename(self.path)), self.path)]

    def _check_unchanged(self) -> None:
        """Refuse to replace files by copies of an older state, if another writer has changed them since."""
        changed = [file.path for file in self._added_to if not is_unchanged(file)]
        if changed:
            raise WriteError(
                f"cannot write {self.path!r}: its files were changed while objects were added to them.",
                details=changed,
                hint="add the objects again.",
            )

    def _manifest(self, receipts: Sequence[Receipt]) -> list[tuple[str, str]]:
        """Return the finished manifest and its place; nothing if it cannot be written, for no set needs one."""
        targets = zip(receipts, self.targets, strict=True)
        files = [receipt.file.at(target) for receipt, target in targets if receipt.file is not None]
        if len(files) < len(receipts):
            return []
        if self._adds:
            old = manifest.described(self._added_to)
            pairs = zip(files, self._added_to, strict=True)
            files = [manifest.carry_summaries(file, old.get(copied)) for file, copied in pairs]
        attempt = self._staging.attempt("manifest")
        try:
            manifest.write(attempt, files)
            return [(self._staging.finish(attempt, "manifest"), manifest_path(self.path))]
        except OSError:
            return []

    def _lay_out(self, path: str, parts: Sequence[NewGroup | NewDataset], old: str | None) -> tuple[Placed, ...]:
        names = [spec.name for spec in self.specs]
        if old is None:
            create_file(path, layout.SINGLE if self.file_type == "single" else layout.DISTRIBUTED)
            return add_layout(path, parts, names)
        with self._staging.present(old) as copied:
            copy_without(copied, path, names)
            present = stored_names(copied)
        return add_layout(path, parts, list(dict.fromkeys([*present, *names])))


@contextmanager
def _errors_naming(path: str) -> Iterator[None]:
    """Turn what the operating system and HDF5 raise into an error that names the file to be written."""
    try:
        yield
    except AkdaskError:
        raise
    except OSError as error:
        raise write_error(path, error) from error
    except HDF5_ERRORS as error:
        raise WriteError(f"cannot write {path!r}: {error}.") from error


def _check_arguments(specs: Sequence[ObjectSpec], npartitions: int, mode: str, file_type: str) -> None:
    if mode not in {"truncate", "append"}:
        raise ArgumentError(f"mode must be 'truncate' or 'append', not {mode!r}.")
    if file_type not in {"distribute", "single"}:
        raise ArgumentError(f"file_type must be 'distribute' or 'single', not {file_type!r}.")
    if npartitions < 1 or not specs:
        raise ArgumentError("there is nothing to write.", details=[f"{len(specs)} objects, {npartitions} partitions"])
    names = [spec.name for spec in specs]
    inner = [name for spec in specs for name in spec.children]
    bad = [name for name in [*names, *inner] if name in {"", ".", layout.METADATA_GROUP} or "/" in name or "\0" in name]
    if bad:
        raise ArgumentError(
            "HDF5 cannot have objects of these names.",
            details=[repr(name) for name in bad],
            hint="rename them; a slash would make a path of groups.",
        )
    if len(set(names)) != len(names):
        raise ArgumentError("two objects have the same name.", details=sorted({n for n in names if names.count(n) > 1}))
