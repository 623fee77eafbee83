"""Locate the datasets of many groups of the same structure at once, without the library.

The library takes some hundred microseconds for every dataset.  Samples of a data set mostly have the same members, made
by the same program, so that their metadata differ in addresses alone.  For one group the walk from its header to its
datasets is recorded as blocks: the origin of each block's address, and which of its bytes are structure and which are
addresses.  A group with the same structure has its datasets at its own addresses.  The types of the elements come from
the library, once for each structure.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import RLock
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.errors import FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5.binary import (
    UNKNOWN,
    Message,
    MessageKind,
    Read,
    UnknownStructureError,
    Walk,
    WalkedBlock,
    demand,
    find_entry,
    find_group,
    find_link,
    lookup3_of_rows,
    name_heap,
    read_header,
)
from akdask.formats.hdf5.open_files import NotThereError, StoredElements, TreeFile, UnknownElementsError
from akdask.records import record
from akdask.storage.files import FileIdentity

Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_WORD = 8
_LAYOUT_VERSIONS = {3, 4}
_MOST_ADDRESSES = 4096  # of one group
_MOST_BYTES = 2**23  # of blocks that are in memory at a time


class DataLocation(NamedTuple):
    """Source of a dataset's position: the number of an address that the walk found, and its length in bytes."""

    address: int
    delta: int


@record
class TemplateBlock:
    """A block of metadata that all groups of a template have.

    Parameters
    ----------
    address : int
        Number of its own address among those found so far.
    size : int
        Bytes, a multiple of eight.
    mask, same : ndarray of uint64, shape (size / 8,)
        Mask and value of the bits that define the structure.
    fields : tuple of (int, int)
        Places in the block of further addresses, and which these are.
    n_checked : int
        Bytes before a checksum that covers them; 0 where there is none, or where the referenced blocks prove the
        addresses.
    """

    address: int
    size: int
    mask: npt.NDArray[np.uint64]
    same: npt.NDArray[np.uint64]
    fields: tuple[tuple[int, int], ...]
    n_checked: int


class _Checks:
    """Checksums of blocks of several groups: compared for many blocks at once, as each step is a call for all of them.

    Parameters
    ----------
    fits : ndarray of bool, shape (n,)
        Finds groups of the same structure; those with a damaged block are excluded.
    """

    def __init__(self, fits: npt.NDArray[np.bool_]) -> None:
        self._fits = fits
        self._waiting: dict[int, list[tuple[npt.NDArray[np.int64], Bytes]]] = {}
        self._nbytes = 0

    def add(self, rows: npt.NDArray[np.int64], content: Bytes, n_checked: int) -> None:
        """Add blocks of some groups; `n_checked` bytes precede their checksum."""
        self._waiting.setdefault(n_checked, []).append((rows, content[:, : n_checked + 4]))
        self._nbytes += content.nbytes
        if self._nbytes > _MOST_BYTES:
            self.finish()

    def finish(self) -> None:
        """Compare the checksums of all added blocks."""
        for n_checked, blocks in self._waiting.items():
            rows = np.concatenate([some for some, _ in blocks])
            content = np.concatenate([one for _, one in blocks])
            stored = np.ascontiguousarray(content[:, n_checked:]).view("<u4")[:, 0]
            self._fits[rows[lookup3_of_rows(content[:, :n_checked]) != stored]] = False
        self._waiting, self._nbytes = {}, 0


@record
class GroupTemplate:
    """The walk from the header of a group to its datasets.

    Parameters
    ----------
    blocks : tuple of TemplateBlock
        Each after the one that has its address.
    n_addresses : int
        Number of addresses; the first is that of the group.
    locations : tuple of DataLocation or None
        Source of each dataset's address; None where only the library can read it.
    elements : tuple of StoredElements
        Of each dataset.
    """

    blocks: tuple[TemplateBlock, ...]
    n_addresses: int
    locations: tuple[DataLocation | None, ...]
    elements: tuple[StoredElements, ...]

    def locate(self, descriptor: int, file_size: int, groups: Offsets) -> tuple[npt.NDArray[np.bool_], Offsets]:
        """Return which groups are made like the first one, and where their datasets lie.

        Parameters
        ----------
        descriptor : int
            The open file.
        file_size : int
            Its bytes.
        groups : ndarray of int64, shape (n,)
            Addresses of the groups.

        Returns
        -------
        fits : ndarray of bool, shape (n,)
            Which groups are made alike.
        offsets : ndarray of int64, shape (n, ndatasets)
            Offsets of their data, for groups that fit; -1 where only the library can read it.
        """
        found: Offsets = np.full((self.n_addresses, len(groups)), -1, np.int64)
        found[0] = groups
        fits = np.ones(len(groups), np.bool_)
        checks = _Checks(fits)
        for block in self.blocks:
            at = found[block.address]
            fits &= (at >= 0) & (at < file_size)
            rows = np.flatnonzero(fits)
            if not len(rows):
                break
            step = max(1, _MOST_BYTES // block.size)
            for some in (rows[start : start + step] for start in range(0, len(rows), step)):
                words = _words(descriptor, at[some], block.size)
                fits[some] = ~((words ^ block.same) & block.mask).any(axis=1)
                content = words.view(np.uint8)
                if block.n_checked:
                    checks.add(some, content, block.n_checked)
                for place, address in block.fields:
                    found[address, some] = np.ascontiguousarray(content[:, place : place + 8]).view("<i8")[:, 0]
        checks.finish()
        return fits, self._offsets(found, file_size)

    def _offsets(self, found: Offsets, file_size: int) -> Offsets:
        offsets: Offsets = np.full((found.shape[1], len(self.locations)), -1, np.int64)
        for column, (place, elements) in enumerate(zip(self.locations, self.elements, strict=True)):
            if place is not None:
                at = found[place.address]
                nbytes = elements.size * elements.dtype.itemsize
                is_inside = (at >= 0) & (at <= file_size - nbytes - place.delta)
                offsets[:, column] = np.where(is_inside, at + place.delta, -1)
        return offsets


def _words(descriptor: int, addresses: Offsets, size: int) -> npt.NDArray[np.uint64]:
    """Return blocks as rows of words, padded at the end of the file."""
    pread = os.pread
    found = [pread(descriptor, size, address) for address in addresses.tolist()]
    content = b"".join(found)
    if len(content) != size * len(addresses):
        content = b"".join([block.ljust(size, b"\0") for block in found])
    return np.frombuffer(content, "<u8").reshape(-1, size // _WORD)


def make_template(
    read: Read, group: int, paths: Sequence[str], elements: Sequence[StoredElements], is_plain: Sequence[bool]
) -> GroupTemplate:
    """Write down the walk from the header of a group to its datasets.

    Parameters
    ----------
    read : Read
        Reads the file.
    group : int
        Address of the group.
    paths : sequence of str
        Paths of datasets in the group.
    elements : sequence of StoredElements
        Of these datasets, as the library has found them.
    is_plain : sequence of bool
        Whether their stored bytes are what NumPy means by the type.

    Raises
    ------
    UnknownStructureError
        If the structure of the group itself is unknown; datasets of unknown structure get no offset.
    """
    walk = _GroupWalk(read, group)
    locations: list[DataLocation | None] = []
    for path, stored, can_be_read in zip(paths, elements, is_plain, strict=True):
        try:
            locations.append(walk.dataset(path, stored) if can_be_read else None)
        except UNKNOWN:
            locations.append(None)
    demand(any(place is not None for place in locations))
    return walk.template(locations, elements)


class _GroupWalk:
    """A walk through one group; its blocks are compared in the bytes that define the structure."""

    def __init__(self, read: Read, group: int) -> None:
        self._walk = Walk(read, group)
        self._checked: set[WalkedBlock] = set()

    def template(self, locations: Sequence[DataLocation | None], elements: Sequence[StoredElements]) -> GroupTemplate:
        """Return the template of the blocks of this walk."""
        n_addresses = len(self._walk.numbers)
        demand(n_addresses <= _MOST_ADDRESSES)
        blocks = tuple(_template_block(block, block in self._checked) for block in self._walk.blocks)
        return GroupTemplate(blocks, n_addresses, tuple(locations), tuple(elements))

    def dataset(self, path: str, stored: StoredElements) -> DataLocation:
        """Return the position of a dataset's data."""
        address = 0
        for name in path.split("/"):
            address = self._member(address, name.encode(errors="surrogateescape"))
        header = read_header(self._walk, address)
        demand(not header.of_kind(MessageKind.EXTERNAL))
        if header.version == 2:
            self._checked.update(header.blocks)
        for kind in (MessageKind.DATASPACE, MessageKind.DATATYPE):
            message = header.only(kind)
            message.fix(0, message.size)
        message = header.only(MessageKind.LAYOUT)
        content = message.content
        demand(content[0] in _LAYOUT_VERSIONS)
        nbytes = stored.size * stored.dtype.itemsize
        match content[1]:
            case 0:  # the data is in the message
                demand(struct.unpack_from("<H", content, 2)[0] == nbytes)
                message.fix(0, 4)
                return DataLocation(message.block.address, message.place + 4)
            case 1:
                demand(struct.unpack_from("<Q", content, 10)[0] == nbytes)
                message.fix(0, 2)
                message.fix(10, 18)
                return DataLocation(self._walk.number(message.block, message.place + 2), 0)
        raise UnknownStructureError

    def _member(self, group: int, name: bytes) -> int:
        """Return the number of the address of a group's member."""
        header = read_header(self._walk, group)
        if header.of_kind(MessageKind.SYMBOL_TABLE):
            return self._in_table(header.only(MessageKind.SYMBOL_TABLE), name)
        block, start, content, place = find_link(self._walk, header, name)
        has_kind = content[1] & 8
        block.fix(start, start + (3 if has_kind else 2))
        # The structure is the name and its length, without the order of creation before it.
        block.fix(start + place - len(name) - (1 << (content[1] & 3)), start + place)
        return self._walk.number(block, start + place)

    def _in_table(self, message: Message, name: bytes) -> int:
        """Return the number of the address in a table of an old group; names are in a heap, entries in a tree."""
        tree, heap = (self._walk.number(message.block, message.place + place) for place in (0, 8))
        names = name_heap(self._walk, heap)
        entry = find_entry(self._walk, tree, names, name)
        entry.block.fix(entry.place, entry.place + 8)
        entry.block.fix(entry.place + 16, entry.place + 20)
        self._walk.block(*names).fix(entry.name_start, entry.name_start + len(name) + 1)
        return self._walk.number(entry.block, entry.place + 8)


def _template_block(block: WalkedBlock, is_checked: bool) -> TemplateBlock:
    mask = bytearray(len(block.content))
    for start, stop in block.fixed:
        mask[start:stop] = b"\xff" * (stop - start)
    padding = bytes(-len(mask) % _WORD)
    words: Any = np.frombuffer(mask + padding, "<u8")
    content: Any = np.frombuffer(block.content + padding, "<u8")
    fields = tuple((place, number) for place, (_, number) in block.fields.items())
    n_checked = len(mask) - 4 if is_checked else 0
    return TemplateBlock(block.address, len(words) * _WORD, words, content & words, fields, n_checked)


Paths: TypeAlias = tuple[str, ...]
Numbers: TypeAlias = npt.NDArray[np.int64]

BY_LIBRARY = -1
"""In place of a template where only the library can read a group."""

_UNKNOWN = -2


class Located(NamedTuple):
    """Where the datasets of groups lie.

    Parameters
    ----------
    templates : sequence of GroupTemplate
        How groups are made.
    which : ndarray of int64, shape (n,)
        Position of the template of each group; `BY_LIBRARY` where none fits or the group does not exist.
    offsets : ndarray of int64, shape (n, ndatasets)
        Offset of the data; -1 where only the library can read it.
    """

    templates: Sequence[GroupTemplate]
    which: Numbers
    offsets: Offsets


def locate(file: TreeFile, groups: Sequence[str], paths: Paths) -> Located:
    """Find where datasets of groups lie.

    Parameters
    ----------
    file : TreeFile
        The open file.
    groups : sequence of str
        Paths of groups in the file, without slashes at their ends.
    paths : tuple of str
        Paths of datasets in each group.

    Raises
    ------
    FileFormatError
        If the file cannot be read as HDF5.
    """
    lookup = _Lookup(file, paths, _templates_for(paths))
    parts = [group.rpartition("/") for group in groups]
    parents = {parent for parent, _, _ in parts}
    if len(parents) == 1 and paths and file.root is not None:
        return Located(lookup.templates, *_locate_in(file, parents.pop(), [name for _, _, name in parts], lookup))
    which = np.full(len(groups), BY_LIBRARY, np.int64)
    offsets: Offsets = np.full((len(groups), len(paths)), -1, np.int64)
    for parent in parents if paths and file.root is not None else ():
        rows = [row for row, (above, _, _) in enumerate(parts) if above == parent]
        which[rows], offsets[rows] = _locate_in(file, parent, [parts[row][2] for row in rows], lookup)
    return Located(lookup.templates, which, offsets)


class _Lookup(NamedTuple):
    """The datasets to find, and the file."""

    file: TreeFile
    paths: Paths
    templates: list[GroupTemplate]

    def fit(self, addresses: Numbers, names: Sequence[str], n_wanted: int) -> tuple[Numbers, Offsets]:
        """Return template and offsets of groups, given their addresses; -1 for missing groups.

        Templates are made of the first groups only: the wanted ones, whose names are given.
        """
        which = np.full(len(addresses), BY_LIBRARY, np.int64)
        offsets: Offsets = np.full((len(addresses), len(self.paths)), -1, np.int64)
        position = 0
        is_tried = np.zeros(len(addresses), np.bool_)
        while True:
            rows = np.flatnonzero((which == BY_LIBRARY) & (addresses >= 0))
            if position == len(self.templates):
                self._add_template(addresses, names, rows[rows < n_wanted], is_tried)
            if position == len(self.templates) or not len(rows):
                return which, offsets
            template = self.templates[position]
            fits, found = template.locate(self.file.descriptor, self.file.identity.size, addresses[rows])
            which[rows[fits]] = position
            offsets[rows[fits]] = found[fits]
            position += 1

    def _add_template(
        self, addresses: Numbers, names: Sequence[str], rows: Numbers, is_tried: npt.NDArray[np.bool_]
    ) -> None:
        """Add a template for one of the groups that no template fits, within the limit of attempts."""
        for row in rows[~is_tried[rows]].tolist():
            if len(self.templates) >= tuning.HDF5_GROUP_TEMPLATES or is_tried.sum() >= tuning.HDF5_TEMPLATE_TRIES:
                return
            is_tried[row] = True
            template = _make(self.file, names[row], int(addresses[row]), self.paths)
            if template is not None:
                self.templates.append(template)
                return


@dataclass(slots=True)
class _GroupListing:
    """The groups below one group: names in order, addresses, and what has been located."""

    names: npt.NDArray[Any]
    addresses: Numbers
    which: npt.NDArray[np.int8]
    offsets: Offsets
    last_use: int = 0
    lock: Any = field(default_factory=RLock)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return self.names.nbytes + self.addresses.nbytes + self.which.nbytes + self.offsets.nbytes

    def find(self, names: Sequence[str]) -> Numbers:
        """Return the rows of names, -1 for missing ones."""
        width = self.names.dtype.itemsize
        encoded = [name.encode(errors="surrogateescape") for name in names]
        wanted = np.array([name if len(name) <= width else b"" for name in encoded], self.names.dtype)
        rows = np.minimum(np.searchsorted(self.names, wanted), len(self.names) - 1)
        return np.where(self.names[rows] == wanted, rows, -1)

    def locate(self, parent: str, names: Sequence[str], lookup: _Lookup) -> tuple[Numbers, Offsets]:
        """Return template and offsets of groups; unknown ones are located with some neighbours."""
        rows = self.find(names)
        is_there = rows >= 0
        which = self.which[rows].astype(np.int64)
        if _UNKNOWN in which:
            with self.lock:
                self._locate_more(rows[is_there], parent, lookup)
            which = self.which[rows].astype(np.int64)
        offsets = self.offsets[rows]
        if not is_there.all():
            which[~is_there], offsets[~is_there] = BY_LIBRARY, -1
        return which, offsets

    def _locate_more(self, rows: Numbers, parent: str, lookup: _Lookup) -> None:
        new = np.unique(rows[self.which[rows] == _UNKNOWN])
        if not len(new):
            return
        is_more = self.which == _UNKNOWN
        is_more[new] = False
        located = np.concatenate([new, np.flatnonzero(is_more)[: tuning.HDF5_GROUPS_AHEAD]])
        below = f"{parent}/" if parent else ""
        paths = [below + name.decode(errors="surrogateescape") for name in self.names[new].tolist()]
        which, offsets = lookup.fit(self.addresses[located], paths, len(new))
        # A neighbour that is no sample is located again if it is wanted.
        is_found = (which != BY_LIBRARY) | (np.arange(len(located)) < len(new))
        self.offsets[located[is_found]] = offsets[is_found]
        self.which[located[is_found]] = which[is_found]


class _GroupListings:
    """Listings of groups of files, within a memory limit; safe for threads."""

    def __init__(self) -> None:
        self._found: Cache[tuple[FileIdentity, str, Paths], _GroupListing] = Cache(
            "listings of HDF5 groups", size=lambda listing: listing.nbytes
        )
        # Number of members requested so far, and their total, 0 if unknown.
        self._counts: dict[tuple[str, str], tuple[int, int]] = {}
        self._uses = 0

    def get(self, file: TreeFile, parent: str, paths: Paths, count: int) -> _GroupListing | None:
        """Return the listing of a group, made once enough of its members were requested."""
        key = (file.identity, parent, paths)
        with self._found.lock:
            self._uses += 1
            known = self._found.get(key)
            if known is not None:
                known.last_use = self._uses
                return known
            if len(self._counts) > tuning.HDF5_COUNTED_GROUPS:
                self._counts.clear()
            asked, n = self._counts.get((file.path, parent), (0, 0))
            asked += count
            if asked >= tuning.HDF5_FEW_GROUPS and not n:
                n = file.library.n_members(parent)
            self._counts[file.path, parent] = asked, n
            is_rare = asked < tuning.HDF5_FEW_GROUPS or asked * tuning.HDF5_LISTING_LOOKUPS < n
            if is_rare or not self._make_space(n * (8 * len(paths) + 32)):
                return None
            made = _list(file, parent, len(paths))
            if made is not None:
                made.last_use = self._uses
                self._found.put(key, made)
            return made

    def _make_space(self, nbytes: int) -> bool:
        """Drop the least recently used groups; those in use stay, as all take turns in an epoch."""
        while len(self._found) and self._found.nbytes + nbytes > tuning.HDF5_LISTING_BYTES:
            oldest = next(iter(self._found))
            known = self._found.get(oldest)
            if known is not None and self._uses - known.last_use < tuning.HDF5_IDLE_LOOKUPS:
                return False
            self._found.pop(oldest)
        return nbytes <= tuning.HDF5_LISTING_BYTES


_LISTINGS = _GroupListings()
_TEMPLATES: Cache[Paths, list[GroupTemplate]] = Cache("templates of HDF5 groups", entries=tuning.HDF5_TEMPLATE_SETS)


def _templates_for(paths: Paths) -> list[GroupTemplate]:
    with _TEMPLATES.lock:
        templates = _TEMPLATES.get(paths)
        return _TEMPLATES.put(paths, []) if templates is None else templates


def _locate_in(file: TreeFile, parent: str, names: Sequence[str], lookup: _Lookup) -> tuple[Numbers, Offsets]:
    try:
        listing = None if "" in names else _LISTINGS.get(file, parent, lookup.paths, len(names))
    except NotThereError:
        listing = None
    if listing is not None:
        return listing.locate(parent, names, lookup)
    groups = [f"{parent}/{name}" if parent else name for name in names]
    addresses = np.array([_address(file, group) for group in groups], np.int64)
    return lookup.fit(addresses, groups, len(groups))


def _address(file: TreeFile, group: str) -> int:
    if file.root is not None:
        if not group:
            return file.root
        found = find_group(file.read_at, file.root, group)
        if found is not None:
            return found
    try:
        return file.library.address(group)
    except NotThereError:
        return -1


def _list(file: TreeFile, parent: str, n_paths: int) -> _GroupListing | None:
    names, addresses = file.library.addresses(parent)
    if not names or len(names) * max(map(len, names)) > tuning.HDF5_LISTING_BYTES:
        return None
    table = np.array(names)
    order = np.argsort(table)
    return _GroupListing(
        table[order],
        np.array(addresses, np.int64)[order],
        np.full(len(names), _UNKNOWN, np.int8),
        np.full((len(names), n_paths), -1, np.int64),
    )


def _make(file: TreeFile, group: str, address: int, paths: Paths) -> GroupTemplate | None:
    """Make a template of a group; None if it lacks a dataset, or only the library knows its structure."""
    try:
        found = [file.library.description(f"{group}/{path}") for path in paths]
    except (NotThereError, UnknownElementsError, FileFormatError):
        return None
    try:
        template = make_template(
            file.read_at, address, paths, [one.elements for one in found], [one.is_plain for one in found]
        )
    except UnknownStructureError:
        return None
    fits, offsets = template.locate(file.descriptor, file.identity.size, np.array([address], np.int64))
    # The library's answer for this group proves that the walk was right.
    proof = [
        one.offset is None or offset in {one.offset, -1} for one, offset in zip(found, offsets[0].tolist(), strict=True)
    ]
    return template if fits[0] and all(proof) else None
