"""Writing objects to a set of HDF5 files, one for each partition, or to a single file."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import h5py
import numpy as np
from h5py import h5a, h5g, h5l, h5o

from akdask.columns.table import Table
from akdask.errors import ArgumentError, ExistsError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import lay_out_object
from akdask.formats.hdf5.description import FileDescription
from akdask.formats.hdf5.inspect import describe_file
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import HDF5_ERRORS, open_file, open_hdf5
from akdask.formats.hdf5.manifest import HdfManifest, carry_summaries, summarized, summed_up
from akdask.formats.hdf5.metadata import root_of
from akdask.formats.hdf5.new_file import (
    NewDataset,
    NewGroup,
    NewObject,
    Placed,
    Share,
    add_layout,
    concat_parts,
    copy_shares,
    create_file,
    summing_up,
    write_bytes,
)
from akdask.storage.files import FileIdentity, identify, is_file
from akdask.storage.locales import locale_files
from akdask.storage.objects import Columns, FileLayout, Mode, ObjectSpec
from akdask.storage.ranges import ELSEWHERE
from akdask.storage.staged_writer import FileReceipt, StagedWriter


@dataclass(frozen=True, slots=True)
class Receipt(FileReceipt):
    """The receipt of one written partition, with HDF5's additions to `FileReceipt`.

    Parameters
    ----------
    parts : tuple of NewGroup and NewDataset
        All that was made.
    placed : tuple of Placed
        Where the bytes of the datasets are in the partition's file.
    """

    parts: tuple[NewGroup | NewDataset, ...] = ()
    placed: tuple[Placed, ...] = ()


class SetWriter(StagedWriter[Receipt]):
    """One write of objects to a set of HDF5 files; space of replaced objects is reclaimed."""

    library_errors = HDF5_ERRORS
    update_hint = "write it with to_hdf first."
    replace_hint = "use update_hdf."

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
        _check_arguments(specs, npartitions, mode, file_type)
        how: Any = {"mode": mode, "file_type": file_type, "overwrite": overwrite, "per_file": per_file}
        super().__init__(path, specs, npartitions=npartitions, **how)

    def write(self, index: int, table: Table, tables: Columns | None = None) -> Receipt:
        """Write the file of one partition; see `StagedWriter.write`."""
        share = Share(index, self.npartitions)
        new = NewObject.join([lay_out_object(spec, table.columns, tables or {}, share) for spec in self.specs])
        copied = self._added_to[index].path if self._added_to and self.per_file == 1 else None
        with self._errors_naming(self._target_of(index)):
            attempt = self._staging.attempt(self._names[index])
            placed = self._lay_out(attempt, new.parts, copied)
            file = self._write_bytes(attempt, placed, new)
            self._staging.finish(attempt, self._names[index])
        return Receipt(index, file, new.parts, placed)

    def _write_bytes(self, path: str, placed: tuple[Placed, ...], new: NewObject) -> FileDescription | None:
        """Write the bytes, and return the manifest's description of the file if there will be a manifest."""
        if not self._has_manifest or self.per_file > 1:
            write_bytes(path, placed, new)
            return None
        new, summaries = summing_up(new, placed)
        write_bytes(path, placed, new)
        found = self._laid_out(path)
        return None if found is None else summed_up(summarized(found, summaries))

    def _described(self, path: str) -> FileDescription | None:
        found = self._laid_out(path)
        return None if found is None else summed_up(found)

    def _laid_out(self, path: str) -> FileDescription | None:
        """Return the positions of a written file's datasets, None if a manifest cannot describe all of it."""
        found = describe_file(identify(path))
        # For other datasets only the file has the bounds of chunks and shows whether all data is in it.
        return None if (found.slots[:, 0] < ELSEWHERE).any() else found

    def _names_in(self, file: FileIdentity) -> Iterable[str]:
        return stored_names(file.path)

    def _check_nothing_there(self) -> None:
        other = locale_files(self.path) if self.is_single else [self.path]
        if any(map(is_file, other)):
            raise ExistsError(
                f"cannot add to {self.path!r}: it is of the other file type.",
                details=[f"found: {other[0]}"],
                hint=f"use file_type={'distribute' if self.is_single else 'single'!r}.",
            )

    def _join(self, staged: Sequence[str], target: str, receipts: Sequence[Receipt], old: str | None) -> None:
        placed = self._lay_out(target, concat_parts([receipt.parts for receipt in receipts]), old)
        copy_shares(target, placed, staged, [receipt.placed for receipt in receipts])

    def _completed(self, files: Sequence[FileDescription]) -> Sequence[FileDescription]:
        if not self._added_to:
            return files
        old = HdfManifest.described(self._added_to)
        pairs = zip(files, self._added_to, strict=True)
        return [carry_summaries(file, old.get(copied)) for file, copied in pairs]

    def _write_manifest(self, path: str, files: Sequence[FileDescription], *, are_in_place: bool) -> None:
        HdfManifest.write(path, files, are_in_place=are_in_place)

    def _lay_out(self, path: str, parts: Sequence[NewGroup | NewDataset], old: str | None) -> tuple[Placed, ...]:
        names = [spec.name for spec in self.specs]
        if old is None:
            create_file(path, layout.SINGLE if self.is_single else layout.DISTRIBUTED)
            return add_layout(path, parts, names)
        with self._staging.readable(old) as copied:
            copy_without(copied, path, names)
            present = stored_names(copied)
        return add_layout(path, parts, list(dict.fromkeys([*present, *names])))


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


def stored_names(path: str) -> list[str]:
    """Return the names of the root objects of a file, in the user's order if akdask wrote it.

    Raises
    ------
    FileFormatError
        If the file cannot be read as HDF5.
    """
    with open_file(path) as file:
        root = root_of(file)
        names = [name.decode(errors="surrogateescape") for name in root.names]
        return layout.in_stored_order(names, root.text(layout.COLUMN_ORDER))


def copy_without(old: str, new: str, names: Collection[str]) -> None:
    """Copy a file, leaving out the objects of the given names and the space that they took."""
    present = set(stored_names(old))
    if not present.intersection(names):
        shutil.copyfile(old, new)
        return
    with open_hdf5(old) as source, h5py.File(new, "w-", libver="earliest") as target:
        _copy_attributes(h5g.open(source.id, b"/"), h5g.open(target.id, b"/"))
        for name in source:
            if name not in names:
                _copy_link(source.id, target.id, name.encode(errors="surrogateescape"))


def _copy_link(source: H5Object, target: H5Object, name: bytes) -> None:
    match source.links.get_info(name).type:
        case h5l.TYPE_HARD:
            h5o.copy(source, name, target, name)
        case h5l.TYPE_SOFT:
            target.links.create_soft(name, source.links.get_val(name))
        case h5l.TYPE_EXTERNAL:
            target.links.create_external(name, *source.links.get_val(name))


def _copy_attributes(source: H5Object, target: H5Object) -> None:
    for index in range(h5a.get_num_attrs(source)):
        old = h5a.open(source, index=index)
        new = h5a.create(target, old.name, old.get_type(), old.get_space())
        if old.shape is not None:
            value = np.zeros(old.shape, old.dtype)
            old.read(value)
            new.write(value)
