"""Groups that are made alike: where their datasets lie, found for many groups at once without the library.

The library takes some hundred microseconds for every dataset.  Samples of a data set mostly have the same members, made
by the same program, so that their metadata differ in addresses alone.  Of one group the walk from its header to its
datasets is written down as blocks: where each block's address was found, which of its bytes make up the structure, and
which are addresses.  Where another group has the same bytes, its datasets are where its own addresses say.  What the
elements are, the library says of the first group, and is only asked again for groups that are made otherwise.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.hdf5.tree.elements import StoredElements
from akdask.hdf5.tree.fractal_heap import find_dense_link
from akdask.hdf5.tree.lookup3 import lookup3_of_rows
from akdask.hdf5.tree.object_header import (
    CONTINUATION,
    DATASPACE,
    DATATYPE,
    EXTERNAL,
    IS_SHARED,
    LAYOUT,
    LINK,
    LINK_INFO,
    SYMBOL_TABLE,
    UNDEFINED,
    ObjectHeader,
    Read,
    UnknownStructureInTreeError,
    content_at,
    demand,
    place_of_hard_link,
    read_header,
)

Offsets = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]

_WORD = 8
_LAYOUT_VERSIONS = {3, 4}
_MOST_NODES = 4096  # of the tree of one group
_MOST_BYTES = 2**23  # of blocks that are in memory at a time


class DataLocation(NamedTuple):
    """Where data lies: at an address that was found on the way, and so many bytes behind it."""

    address: int
    delta: int


@dataclass(frozen=True, slots=True)
class TemplateBlock:
    """A block of metadata that all groups of a template have.

    Parameters
    ----------
    address : int
        Which of the addresses found so far is its own.
    size : int
        Bytes, a multiple of eight.
    mask, same : ndarray of uint64, shape (size / 8,)
        Bits that make up the structure, and what they are.
    fields : tuple of (int, int)
        Places in the block of further addresses, and which these are.
    n_checked : int
        Bytes before a checksum that covers them; 0 where there is none, or where what the addresses lead to tells that
        they are right.
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
        Which groups are made alike; those with a damaged block are taken out.
    """

    def __init__(self, fits: npt.NDArray[np.bool_]) -> None:
        self._fits = fits
        self._waiting: dict[int, list[tuple[npt.NDArray[np.int64], Bytes]]] = {}
        self._nbytes = 0

    def add(self, rows: npt.NDArray[np.int64], content: Bytes, n_checked: int) -> None:
        """Add blocks of some groups, which have so many bytes before their checksum."""
        self._waiting.setdefault(n_checked, []).append((rows, content[:, : n_checked + 4]))
        self._nbytes += content.nbytes
        if self._nbytes > _MOST_BYTES:
            self.finish()

    def finish(self) -> None:
        """Compare what has been added."""
        for n_checked, blocks in self._waiting.items():
            rows = np.concatenate([some for some, _ in blocks])
            content = np.concatenate([one for _, one in blocks])
            stored = np.ascontiguousarray(content[:, n_checked:]).view("<u4")[:, 0]
            self._fits[rows[lookup3_of_rows(content[:, :n_checked]) != stored]] = False
        self._waiting, self._nbytes = {}, 0


@dataclass(frozen=True, slots=True)
class GroupTemplate:
    """The walk from the header of a group to its datasets.

    Parameters
    ----------
    blocks : tuple of TemplateBlock
        Each after the one that has its address.
    n_addresses : int
        How many addresses are found; the first is that of the group.
    locations : tuple of DataLocation or None
        Where the data of each dataset lies; None where only the library can read it.
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
            Where their data begins, for those that fit; -1 where only the library can read it.
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
    """Return blocks as rows of words; those at the end of the file are filled up."""
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
    UnknownStructureInTreeError
        If the group itself is of a structure that is not known; datasets that are not known have no place.
    """
    walk = _GroupWalk(read, group)
    locations: list[DataLocation | None] = []
    for path, stored, can_be_read in zip(paths, elements, is_plain, strict=True):
        try:
            locations.append(walk.dataset(path, stored) if can_be_read else None)
        except (UnknownStructureInTreeError, struct.error, IndexError, ValueError):
            locations.append(None)
    demand(any(place is not None for place in locations))
    return GroupTemplate(walk.blocks(), len(walk.numbers), tuple(locations), tuple(elements))


class _Noted:
    """A block that was walked through: its bytes, which of them matter, and where further addresses are."""

    def __init__(self, address: int, content: bytes) -> None:
        self.address = address
        self.content = content
        self.mask = bytearray(len(content))
        self.fields: dict[int, int] = {}
        self.n_checked = 0

    def fix(self, start: int, stop: int) -> None:
        """Demand these bytes of other blocks as well."""
        self.mask[start:stop] = b"\xff" * (stop - start)


class _GroupWalk:
    """A walk through one group; addresses are known by the order in which they were found."""

    def __init__(self, read: Read, group: int) -> None:
        self._read = read
        self.numbers = [group]
        self._noted: list[_Noted] = []
        self._headers: dict[int, tuple[ObjectHeader, list[_Noted]]] = {}
        self._members: dict[tuple[int, str], int] = {}
        self._several: dict[tuple[int, int], _Noted] = {}
        self._tables: dict[int, list[_Noted]] = {}

    def blocks(self) -> tuple[TemplateBlock, ...]:
        """Return the blocks, each after the one that has its address."""
        return tuple(_template_block(noted) for noted in self._noted)

    def _address(self, noted: _Noted, place: int) -> int:
        """Return which address is at a place of a block."""
        if place not in noted.fields:
            (number,) = struct.unpack_from("<Q", noted.content, place)
            demand(number == UNDEFINED or number < 2**63)
            noted.fields[place] = len(self.numbers)
            self.numbers.append(-1 if number == UNDEFINED else number)
        return noted.fields[place]

    def _header(self, address: int) -> tuple[ObjectHeader, list[_Noted]]:
        if address in self._headers:
            return self._headers[address]
        header = read_header(self._read, self.numbers[address])
        noted: list[_Noted] = []
        for block in header.blocks:
            at = address if block.found_in is None else self._address(noted[block.found_in[0]], block.found_in[1])
            one = _Noted(at, block.content)
            for start, stop in block.fixed:
                one.fix(start, stop)
            self._noted.append(one)
            noted.append(one)
        # Type, size and flags of all messages, for they say where the next one is; not the order of creation.
        for message in header.messages:
            noted[message.block].fix(message.head, message.head + (5 if header.version == 1 else 4))
            if message.kind == CONTINUATION:
                noted[message.block].fix(message.place + 8, message.place + 16)
        self._headers[address] = header, noted
        return header, noted

    def dataset(self, path: str, stored: StoredElements) -> DataLocation:
        """Return where the data of a dataset lies."""
        address = 0
        for name in path.split("/"):
            address = self._member(address, name)
        header, noted = self._header(address)
        demand(not header.of_kind(EXTERNAL))
        for one in noted if header.version == 2 else ():
            one.n_checked = len(one.content) - 4
        for kind in (DATASPACE, DATATYPE, LAYOUT):
            (message,) = header.of_kind(kind)
            demand(not message.flags & IS_SHARED)
            if kind != LAYOUT:
                noted[message.block].fix(message.place, message.place + message.size)
        content = header.content(message)
        block = noted[message.block]
        demand(content[0] in _LAYOUT_VERSIONS)
        nbytes = stored.size * stored.dtype.itemsize
        match content[1]:
            case 0:  # the data is in the message
                demand(struct.unpack_from("<H", content, 2)[0] == nbytes)
                block.fix(message.place, message.place + 4)
                return DataLocation(block.address, message.place + 4)
            case 1:
                demand(struct.unpack_from("<Q", content, 10)[0] == nbytes)
                block.fix(message.place, message.place + 2)
                block.fix(message.place + 10, message.place + 18)
                return DataLocation(self._address(block, message.place + 2), 0)
        raise UnknownStructureInTreeError

    def _member(self, group: int, name: str) -> int:
        """Return which address is that of a member of a group."""
        if (group, name) not in self._members:
            header, noted = self._header(group)
            encoded = name.encode(errors="surrogateescape")
            tables = header.of_kind(SYMBOL_TABLE)
            if tables:
                (table,) = tables
                found = self._in_table(noted[table.block], table.place, encoded)
            else:
                found = self._in_links(header, noted, encoded)
            self._members[group, name] = found
        return self._members[group, name]

    def _in_links(self, header: ObjectHeader, noted: list[_Noted], name: bytes) -> int:
        """Return which address a link of a new group has: few are in its header, many in a heap."""
        for message in header.of_kind(LINK):
            content = header.content(message)
            place = place_of_hard_link(content, name)
            if place is not None:
                return self._link(noted[message.block], message.place, content, place, name)
        (information,) = header.of_kind(LINK_INFO)
        demand(not information.flags & IS_SHARED)
        link = find_dense_link(self._read, header.content(information), name)
        blocks = [noted[information.block]]
        for number, one in enumerate(link.walk.blocks):
            # The message is a part of the header, all others are blocks of their own.
            start = information.place if number == 0 else 0
            if number:
                above, at = one.found_in
                at += 0 if above else information.place
                blocks.append(self._shared(self._address(blocks[above], at), len(one.content)))
            for first, stop in one.fixed:
                blocks[number].fix(start + first, start + stop)
        return self._link(blocks[-1], link.start, link.content, link.place, name)

    def _link(self, block: _Noted, start: int, content: bytes, place: int, name: bytes) -> int:
        """Return which address a link has, whose message begins at `start` of a block and has it at `place`."""
        has_kind = content[1] & 8
        block.fix(start, start + (3 if has_kind else 2))
        # The name, what its length is, and nothing of the order of creation before it.
        block.fix(start + place - len(name) - (1 << (content[1] & 3)), start + place)
        return self._address(block, start + place)

    def _in_table(self, block: _Noted, place: int, name: bytes) -> int:
        """Return which address a table of an old group has; names are in a heap, entries in a tree."""
        tree, heap = self._address(block, place), self._address(block, place + 8)
        head = self._shared(heap, 32)
        demand(head.content.startswith(b"HEAP\0"))
        head.fix(0, 5)
        names = self._address(head, 24)
        (size,) = struct.unpack_from("<Q", head.content, 8)
        text = content_at(self._read, self.numbers[names], size)
        if tree not in self._tables:
            self._tables[tree] = self._leaves(tree)
        for node in self._tables[tree]:
            (count,) = struct.unpack_from("<H", node.content, 6)
            for entry in range(8, 8 + 40 * count, 40):
                start, _, kind = struct.unpack_from("<QQI", node.content, entry)
                if text[start : start + len(name) + 1] == name + b"\0":
                    demand(kind != 2)  # a soft link
                    node.fix(entry, entry + 8)
                    node.fix(entry + 16, entry + 20)
                    self._shared(names, size).fix(start, start + len(name) + 1)
                    return self._address(node, entry + 8)
        raise UnknownStructureInTreeError

    def _shared(self, address: int, size: int) -> _Noted:
        """Return a block that several members need, noted once."""
        if (address, size) not in self._several:
            self._several[address, size] = _Noted(address, content_at(self._read, self.numbers[address], size))
            self._noted.append(self._several[address, size])
        return self._several[address, size]

    def _leaves(self, address: int) -> list[_Noted]:
        """Return the tables of entries below a node of the tree of a group."""
        head = content_at(self._read, self.numbers[address], 24)
        demand(head.startswith(b"TREE\0"))
        level, used = head[5], struct.unpack_from("<H", head, 6)[0]
        node = self._shared(address, 24 + 16 * used + 8)
        node.fix(0, 8)
        found = []
        for entry in range(used):
            below = self._address(node, 32 + 16 * entry)
            demand(len(self.numbers) < _MOST_NODES)
            if level:
                found += self._leaves(below)
                continue
            prefix = content_at(self._read, self.numbers[below], 8)
            demand(prefix.startswith(b"SNOD\1"))
            table = self._shared(below, 8 + 40 * struct.unpack_from("<H", prefix, 6)[0])
            table.fix(0, 8)
            found.append(table)
        return found


def _template_block(noted: _Noted) -> TemplateBlock:
    padding = -len(noted.content) % _WORD
    mask: Any = np.frombuffer(bytes(noted.mask) + bytes(padding), "<u8")
    content: Any = np.frombuffer(noted.content + bytes(padding), "<u8")
    return TemplateBlock(
        noted.address, len(mask) * _WORD, mask, content & mask, tuple(noted.fields.items()), noted.n_checked
    )
