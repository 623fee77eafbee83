"""Writing objects to a set of HDF5 files, one for each partition, or to a single file.

The content of a new file is made in two steps: HDF5 makes the layout, then the bytes are written past it.  The second
step takes no lock, so threads write their partitions side by side.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache
from typing import Any, TypeAlias

import h5py
import numpy as np
from h5py import h5a, h5d, h5g, h5l, h5o, h5p, h5s, h5t

from akdask.columns.table import Table
from akdask.errors import ArgumentError, ExistsError
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import lay_out_object
from akdask.formats.hdf5.description import DatasetSummary, FileDescription
from akdask.formats.hdf5.inspect import describe_file
from akdask.formats.hdf5.layout import H5Object
from akdask.formats.hdf5.library import HDF5_ERRORS, open_file, open_hdf5
from akdask.formats.hdf5.manifest import HdfManifest, carry_summaries, summarized, summed_up
from akdask.formats.hdf5.metadata import root_of
from akdask.formats.hdf5.null_terminated import PrefixRange
from akdask.records import record
from akdask.storage.files import FileIdentity, identify, is_file
from akdask.storage.locales import locale_files
from akdask.storage.objects import Columns, FileLayout, Mode, ObjectSpec, ObjType
from akdask.storage.ranges import ELSEWHERE, Extent, RangeReader, opened, range_reader, write_at
from akdask.storage.staged_writer import FileReceipt, StagedWriter
from akdask.storage.tuning import BLOCK_BYTES
from akdask.typing import NumberArray


@record
class Share:
    """Partition `index` of `count`, as Arkouda cuts a table of n rows into blocks."""

    index: int
    count: int

    def of(self, nrows: int) -> slice:
        """Return the rows of this partition.

        Examples
        --------
        >>> [len(range(2)[Share(k, 4).of(2)]) for k in range(4)]
        [1, 0, 1, 0]
        """
        return slice(-(-self.index * nrows // self.count), -(-(self.index + 1) * nrows // self.count))


Attributes: TypeAlias = tuple[tuple[bytes, int | tuple[int, ...]], ...]
"""Attributes beyond those of every object: int64, scalars or one-dimensional."""


@record
class NewGroup:
    """A group to be made.

    Parameters
    ----------
    path : str
        Path in the file.
    kind : ObjType
        The attribute.
    attributes : tuple of (name, int or tuple of int)
        Further attributes.
    column_order : tuple of str
        Names of the members as the user ordered them, where that matters.
    """

    path: str
    kind: ObjType
    attributes: Attributes = ()
    column_order: tuple[str, ...] = ()


@record
class NewDataset:
    """A flat dataset to be made.

    Parameters
    ----------
    path : str
        Path in the file; its group is made before.
    dtype : str
        NumPy's name of the stored type.
    length : int
        Number of elements.
    kind : ObjType
        The attribute.
    is_bool : bool
        The attribute.
    alias : str, optional
        Name of a hard link to the dataset, in the same group.
    local_to : str, optional
        The elements are positions in this dataset's share of one file, so they shift when files are joined.
    attributes : tuple of (name, int or tuple of int)
        Further attributes.
    """

    path: str
    dtype: str
    length: int
    kind: ObjType = ObjType.PDARRAY
    is_bool: bool = False
    alias: str | None = None
    local_to: str | None = None
    attributes: Attributes = ()


@record
class NewObject:
    """All that one object adds to a file.

    Parameters
    ----------
    parts : tuple of NewGroup and NewDataset
        In the order in which they are made.
    blocks : mapping of str to iterable of ndarray
        The elements of each dataset, by path, in blocks; each iterable is consumed once.
    prefixes : mapping of str to PrefixRange
        For datasets of string bytes, by path: the range of the strings, once the blocks were consumed.
    """

    parts: tuple[NewGroup | NewDataset, ...]
    blocks: Mapping[str, Iterable[NumberArray]]
    prefixes: Mapping[str, PrefixRange] = field(default_factory=dict)

    def without(self, path: str) -> NewObject:
        """Return the object without one of its datasets."""
        blocks = {name: parts for name, parts in self.blocks.items() if name != path}
        return replace(self, parts=tuple(part for part in self.parts if part.path != path), blocks=blocks)

    @classmethod
    def group(cls, group: NewGroup, members: Iterable[NewObject]) -> NewObject:
        """Return a group with the additions of its members."""
        joined = cls.join(members)
        return replace(joined, parts=(group, *joined.parts))

    @classmethod
    def join(cls, objects: Iterable[NewObject]) -> NewObject:
        """Return the combined additions of several objects."""
        made = list(objects)
        return cls(
            tuple(part for one in made for part in one.parts),
            {path: blocks for one in made for path, blocks in one.blocks.items()},
            {path: prefixes for one in made for path, prefixes in one.prefixes.items()},
        )


@record
class Placed:
    """A dataset that was made, and where its bytes belong."""

    dataset: NewDataset
    extent: Extent


def create_file(path: str, file_format: int) -> None:
    """Make a file without objects, in HDF5's oldest format, as servers do."""
    with h5py.File(path, "w-", libver="earliest") as file:
        layout.write_integer(h5g.open(file.id, b"/"), layout.FILE_FORMAT, file_format)


def add_layout(path: str, parts: Iterable[NewGroup | NewDataset], column_order: Sequence[str]) -> tuple[Placed, ...]:
    """Add groups, datasets without their bytes, and all attributes to a file."""
    with h5py.File(path, "r+", libver="earliest") as file:
        root = h5g.open(file.id, b"/")
        made = [(part, _make(root, part)) for part in parts]
        layout.write_column_order(root, column_order)
    return tuple(Placed(part, extent) for part, extent in made if isinstance(part, NewDataset) and extent is not None)


def _make(root: H5Object, part: NewGroup | NewDataset) -> Extent | None:
    if isinstance(part, NewGroup):
        group = h5g.create(root, part.path.encode())
        layout.write_kind(group, part.kind)
        _write_attributes(group, part.attributes)
        if part.column_order:
            layout.write_column_order(group, part.column_order)
        return None
    node = h5d.create(
        root, part.path.encode(), _stored_type(part.dtype), h5s.create_simple((part.length,)), _creation()
    )
    layout.write_kind(node, part.kind)
    layout.write_integer(node, layout.IS_BOOL, part.is_bool)
    _write_attributes(node, part.attributes)
    if part.alias is not None:
        root.links.create_hard(part.alias.encode(), root, part.path.encode())
    offset = node.get_offset()
    return Extent(part.path, part.dtype, ELSEWHERE if offset is None else offset, part.length)


def _write_attributes(node: H5Object, attributes: Attributes) -> None:
    for name, value in attributes:
        layout.write_integer(node, name, value)


@cache
def _creation() -> H5Object:
    """Contiguous, with a place in the file at once, and no zeros written that the bytes will replace."""
    creation = h5p.create(h5p.DATASET_CREATE)
    creation.set_layout(h5d.CONTIGUOUS)
    creation.set_alloc_time(h5d.ALLOC_TIME_EARLY)
    creation.set_fill_time(h5d.FILL_TIME_NEVER)
    return creation


@cache
def _stored_type(dtype: str) -> H5Object:
    return h5t.py_create(np.dtype(dtype))


def write_bytes(path: str, placed: Iterable[Placed], new: NewObject) -> None:
    """Write the elements of datasets where the layout has put them."""
    with opened(path) as descriptor:
        for place in placed:
            position = place.extent.offset
            for block in new.blocks[place.extent.dataset]:
                write_at(descriptor, block, position)
                position += block.nbytes


def summing_up(new: NewObject, placed: Iterable[Placed]) -> tuple[NewObject, dict[str, DatasetSummary]]:
    """Return an object whose blocks are summarized as they are written, and the summaries by path of the dataset.

    The blocks come in parts that are still in the cache of the core when they are used next.
    """
    summaries = {
        place.extent.dataset: DatasetSummary(place.extent.dtype, new.prefixes.get(place.extent.dataset))
        for place in placed
    }
    blocks = {path: _summed_up(blocks, summaries[path]) for path, blocks in new.blocks.items()}
    return replace(new, blocks=blocks), summaries


def _summed_up(blocks: Iterable[NumberArray], summary: DatasetSummary) -> Iterator[NumberArray]:
    for block in blocks:
        step = BLOCK_BYTES // block.itemsize
        for start in range(0, len(block), step):
            part = block[start : start + step]
            summary.add(part)
            yield part


def concat_parts(shares: Sequence[Sequence[NewGroup | NewDataset]]) -> tuple[NewGroup | NewDataset, ...]:
    """Return the parts of the file that holds all shares."""
    return tuple(
        replace(same[0], length=sum(part.length for part in same if isinstance(part, NewDataset)))
        if isinstance(same[0], NewDataset)
        else same[0]
        for same in zip(*shares, strict=True)
    )


def copy_shares(path: str, placed: Sequence[Placed], files: Sequence[str], shares: Sequence[Sequence[Placed]]) -> None:
    """Copy the bytes of all shares into place; positions within a share are shifted by the shares before it."""
    positions = {place.extent.dataset: place.extent.offset for place in placed}
    lengths: defaultdict[str, int] = defaultdict(int)
    with opened(path) as descriptor:
        for file, share in zip(files, shares, strict=True):
            before = dict(lengths)
            with range_reader(identify(file)) as reader:
                for place in share:
                    name, shift = place.extent.dataset, before.get(place.dataset.local_to or "", 0)
                    positions[name] = _copy(reader, place.extent, descriptor, positions[name], shift)
                    lengths[name] += place.extent.length


def _copy(reader: RangeReader, extent: Extent, descriptor: int, position: int, shift: int) -> int:
    dtype = np.dtype(extent.dtype)
    step = BLOCK_BYTES // dtype.itemsize
    buffer = np.empty(min(step, extent.length), dtype)
    for start in range(0, extent.length, step):
        block = buffer[: min(step, extent.length - start)]
        reader.read_into(block, extent.offset + start * dtype.itemsize, extent.dataset)
        if shift:
            block += shift
        write_at(descriptor, block, position)
        position += block.nbytes
    return position


@record
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

    def _check_absence(self) -> None:
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
