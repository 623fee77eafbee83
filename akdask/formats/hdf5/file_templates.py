"""Describe files that have the metadata blocks of a file that was described before, without opening them.

Files of one set have the same blocks at different addresses, as the data between them has another length.  A template
is made of old-style files, as servers write them: superblock 0, symbol tables, object headers 1 and contiguous data.
The library describes any other file.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import pairwise
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from akdask.errors import AkdaskError
from akdask.formats.hdf5.binary import (
    IS_GROUP,
    IS_LINK,
    UNDEFINED,
    UNKNOWN,
    Block,
    Entry,
    MessageKind,
    Read,
    UnknownStructureError,
    Walk,
    demand,
    entries_of,
    name_heap,
    old_superblock,
    read_header,
    tree_levels,
)
from akdask.formats.hdf5.description import FileDescription, datasets_of
from akdask.storage.directory import open_regular
from akdask.storage.files import FileIdentity, identify, is_remote, is_unchanged
from akdask.storage.ranges import ELSEWHERE
from akdask.storage.remote_file import RemoteFile

_DEEPEST = 5  # groups that contain themselves have no end
_REPEATED = {
    MessageKind.NIL,
    MessageKind.OLD_FILL,
    MessageKind.FILL,
    MessageKind.ATTRIBUTE,
    MessageKind.COMMENT,
    MessageKind.CONTINUATION,
}
"""Messages of which a header may have several: the library uses one of two of any other kind."""


class MetadataBlock(NamedTuple):
    """Bytes that are the same in all files of a structure, but for the numbers among them.

    Parameters
    ----------
    at : int
        Which number of the file is the address.
    size : int
        Bytes.
    layout : Struct
        The same bytes and numbers in turn.
    same : tuple of bytes
        Bytes shared by all files.
    """

    at: int
    size: int
    layout: struct.Struct
    same: tuple[bytes, ...]


class DatasetNumbers(NamedTuple):
    """Which numbers are length, address and bytes of a dataset, and how many bytes an element has."""

    length: int
    address: int
    nbytes: int
    width: int


@dataclass(frozen=True, slots=True)
class Structure:
    """The metadata blocks that similar files have in common.

    Parameters
    ----------
    blocks : sequence of MetadataBlock
        All blocks but data, each after the block that holds its address.
    equal : sequence of (int, int)
        Groups of numbers that must be equal.
    end : int
        Which number is the size of the file.
    datasets : mapping of str to DatasetNumbers
        By path.
    """

    blocks: Sequence[MetadataBlock]
    equal: Sequence[tuple[int, int]]
    end: int
    datasets: Mapping[str, DatasetNumbers]

    def numbers(self, read: Read) -> list[int] | None:
        """Return the numbers of a file of this structure, None for any other file."""
        found = [0]
        try:
            for at, size, layout, same in self.blocks:
                values = layout.unpack(read(found[at], size))
                if values[::2] != same:
                    return None
                found += values[1::2]
        except (struct.error, OverflowError):
            return None
        return found


def structure_of(read: Read) -> Structure:
    """Return the structure of a file that the library has found to be sound.

    Raises
    ------
    UnknownStructureError
        If there is anything in it that is not known here.
    """
    try:
        return _FileWalk(read).structure()
    except (*UNKNOWN, RecursionError) as error:
        raise UnknownStructureError from error


class _FileWalk:
    """A walk through all blocks of a file."""

    def __init__(self, read: Read) -> None:
        self._walk = Walk(read)
        self._equal: list[tuple[int, int]] = []
        self._datasets: dict[str, DatasetNumbers] = {}

    def structure(self) -> Structure:
        """Walk through the whole file, and number its numbers in the order in which blocks are unpacked."""
        end, root, entry = old_superblock(self._walk)
        self._object(root, "", self._told(entry), 0)
        number = {0: 0}
        blocks = []
        for block in self._walk.blocks:
            at = number[block.address]
            fields = sorted((place, size, old) for place, (size, old) in block.fields.items())
            number.update({old: position for position, (_, _, old) in enumerate(fields, len(number))})
            blocks.append(_metadata_block(at, block.content, [(place, size) for place, size, _ in fields]))
        return Structure(
            tuple(blocks),
            tuple((number[left], number[right]) for left, right in self._equal),
            number[end],
            {
                path: DatasetNumbers(number[length], number[address], number[nbytes], width)
                for path, (length, address, nbytes, width) in self._datasets.items()
            },
        )

    def _object(self, at: int, path: str, told: Sequence[int], depth: int) -> None:
        """Walk through a group or a dataset; `told` are the numbers of a group in its entry."""
        demand(depth < _DEEPEST)
        header = read_header(self._walk, at)
        demand(header.version == 1)
        found: dict[int, list[int]] = {}
        width = 0
        for message in header.messages:
            demand(not message.is_shared and (message.kind in _REPEATED or message.kind not in found))
            fields = _fields(message.kind, message.content)
            found[message.kind] = [
                self._walk.number(message.block, message.place + place, size) for place, size in fields
            ]
            if message.kind == MessageKind.DATATYPE:
                (width,) = struct.unpack_from("<I", message.content, 4)
        match found:
            case {MessageKind.SYMBOL_TABLE: [tree, heap]} if MessageKind.LAYOUT not in found:
                self._equal += zip(told, (tree, heap), strict=False)
                self._group(tree, heap, path, depth)
            case {MessageKind.DATASPACE: [length, *maximum], MessageKind.LAYOUT: [address, nbytes]} if not told:
                self._equal += [(length, number) for number in maximum]
                self._datasets[path] = DatasetNumbers(length, address, nbytes, width)
            case _:
                raise UnknownStructureError

    def _group(self, tree: int, heap: int, path: str, depth: int) -> None:
        names = self._walk.block(*name_heap(self._walk, heap)).content
        *nodes, tables = tree_levels(self._walk, tree)
        for level in nodes:
            self._siblings(level)
        for entry in (entry for table in tables for entry in entries_of(table)):
            start = entry.name_start
            name = names[start : names.index(b"\0", start)].decode(errors="surrogateescape")
            header = self._walk.number(entry.block, entry.place + 8)
            self._object(header, f"{path}/{name}" if path else name, self._told(entry), depth + 1)

    def _siblings(self, level: Sequence[Block]) -> None:
        """Demand that the nodes of a level of a tree know their neighbours."""
        for left, right in pairwise(level):
            self._equal.append((self._walk.number(left, 16), right.address))
            self._equal.append((self._walk.number(right, 8), left.address))

    def _told(self, entry: Entry) -> list[int]:
        """Return the numbers with which a table's entry describes its group, if it does."""
        demand(entry.kind != IS_LINK)
        if entry.kind != IS_GROUP:
            return []
        return [self._walk.number(entry.block, entry.place + place) for place in (24, 32)]


def _metadata_block(at: int, content: bytes, fields: Sequence[tuple[int, int]]) -> MetadataBlock:
    code, end = "<", 0
    for place, size in fields:
        code += f"{place - end}s{'Q' if size == 8 else 'I'}"
        end = place + size
    layout = struct.Struct(f"{code}{len(content) - end}s")
    return MetadataBlock(at, len(content), layout, layout.unpack(content)[::2])


def _fields(kind: int, message: bytes) -> list[tuple[int, int]]:
    """Return places and bytes of the numbers of a message: addresses, lengths and times."""
    match kind:
        case MessageKind.DATASPACE:  # one dimension: its length, and how long it may become
            demand(message[:2] == b"\1\1" and message[2] < 2)
            return [(8, 8), (16, 8)][: 1 + message[2]]
        case MessageKind.LAYOUT:  # contiguous data: address and bytes
            demand(message[:2] == b"\3\1")
            return [(2, 8), (10, 8)]
        case MessageKind.CONTINUATION:
            return [(0, 8)]
        case MessageKind.SYMBOL_TABLE:
            return [(0, 8), (8, 8)]
        case MessageKind.MODIFIED:
            demand(message[0] == 1)
            return [(4, 4)]
    demand(kind in _REPEATED or kind == MessageKind.DATATYPE)
    return []


SMALL = 2**20
"""Bytes of a file that is read at once."""

MAX_TEMPLATES = 4

_MOST_ELEMENTS = 2**48


@dataclass(frozen=True, slots=True, eq=False)
class Template:
    """A described file and its structure.

    Parameters
    ----------
    description : FileDescription
        The library's description.
    structure : Structure
        The structure that other files must have.
    equal : ndarray, shape (2, n)
        Numbers of the structure that must be equal in pairs.
    datasets : ndarray, shape (4, ndatasets)
        For each dataset, in the order of the slots: the numbers of its length, address and size fields, and its width.
    """

    description: FileDescription
    structure: Structure
    equal: npt.NDArray[np.int64]
    datasets: npt.NDArray[np.int64]

    def slots(self, size: int, read: Read) -> npt.NDArray[np.int64] | None:
        """Return where the datasets of a file lie, None if it is not made as this one."""
        numbers = self.structure.numbers(read)
        if numbers is None:
            return None
        found = np.array(numbers, np.uint64)
        left, right = self.equal
        of_length, of_address, of_nbytes, width = self.datasets
        lengths, addresses, nbytes = found[of_length], found[of_address], found[of_nbytes]
        is_stored = addresses != UNDEFINED
        if (
            numbers[self.structure.end] != size
            or (found[left] != found[right]).any()
            or (lengths > _MOST_ELEMENTS).any()
            or (nbytes != lengths * width.astype(np.uint64)).any()
            or (is_stored & ((addresses > size) | (nbytes > size) | (addresses + nbytes > size))).any()
        ):
            return None
        return np.stack([np.where(is_stored, addresses.astype(np.int64), ELSEWHERE), lengths.astype(np.int64)], axis=1)

    def describe(self, file: FileIdentity, read: Read) -> FileDescription | None:
        """Return the description of a file, None if it is not made as this one."""
        slots = self.slots(file.size, read)
        if slots is None:
            return None
        own = self.description.slots
        # Only some files reveal the type of lists without values, and data stored nowhere is read differently.
        if ((slots[:, 1] == 0) != (own[:, 1] == 0)).any() or ((slots[:, 0] < 0) != (own[:, 0] < 0)).any():
            return None
        return replace(self.description, file=file, slots=slots)


class Templates:
    """The templates used last, with which other files are compared.

    Parameters
    ----------
    describe : callable
        Describes a file by opening it.
    """

    def __init__(self, describe: Callable[[FileIdentity], FileDescription]) -> None:
        self._describe = describe
        self._templates: list[Template] = []
        self._candidate: FileDescription | None = None
        self._folder = ""
        self._missed = 0
        self._lock = Lock()

    def describe(self, file: FileIdentity) -> FileDescription | None:
        """Return the description of a file that is made as one before, None for any other."""
        with self._lock:
            candidate, self._candidate = self._candidate, None
        # Only now it is known to be worth the effort.
        made = None if candidate is None else _template(candidate, self._describe)
        with self._lock:
            if made is not None:
                self._templates = [made, *self._templates][:MAX_TEMPLATES]
            templates = self._templates
        found = _first(templates, file) if templates else None
        if found is None:
            return None
        template, description = found
        with self._lock:
            self._missed = 0
            if self._templates[0] is not template:
                others = [other for other in self._templates if other is not template]
                self._templates = [template, *others][:MAX_TEMPLATES]
        return description

    def add(self, description: FileDescription) -> None:
        """Keep a file that others may be compared with.

        Where no two files are alike, ever fewer templates are made, since making one takes as long as opening a file.
        """
        file = description.file
        with self._lock:
            folder = os.path.dirname(file.path)
            self._missed = self._missed + 1 if folder == self._folder else 1
            self._folder = folder
            if _is_power_of_four(self._missed):
                self._candidate = description


def _is_power_of_four(number: int) -> bool:
    return not number & (number - 1) and number.bit_length() % 2 == 1


def _first(templates: list[Template], file: FileIdentity) -> tuple[Template, FileDescription] | None:
    """Return the first template that fits a file, and the description that follows from it."""
    try:
        with _reading(file) as read:
            described = ((template, template.describe(file, read)) for template in templates)
            return next(((template, found) for template, found in described if found is not None), None)
    except (OSError, AkdaskError):
        return None  # opening the file raises the proper error


@contextmanager
def _reading(file: FileIdentity) -> Iterator[Read]:
    if is_remote(file.path):
        remote = RemoteFile(file)

        def read(start: int, count: int) -> bytes:
            remote.seek(start)
            return remote.read(count) or b""

        yield read
        return
    descriptor = open_regular(file.path, follows=True)
    try:
        if file.size > SMALL:
            yield lambda start, count: os.pread(descriptor, count, start)
        else:
            content = os.pread(descriptor, file.size, 0)
            yield lambda start, count: content[start : start + count]
    finally:
        os.close(descriptor)


def _template(description: FileDescription, describe: Callable[[FileIdentity], FileDescription]) -> Template | None:
    """Return the template of a file; None if its structure does not determine the description."""
    file = description.file
    try:
        with _reading(file) as read:
            made = _of_structure(description, structure_of(read))
            slots = made.slots(file.size, read)
            is_same = (
                slots is not None and np.array_equal(slots, description.slots) and _tells_all(made, read, describe)
            )
    except (OSError, AkdaskError, UnknownStructureError):
        return None
    return made if is_same and is_unchanged(file) else None


def _of_structure(description: FileDescription, structure: Structure) -> Template:
    paths = [dataset.path for dataset in datasets_of(description.objects)]
    if not structure.datasets.keys() >= set(paths):
        raise UnknownStructureError
    datasets = np.array([structure.datasets[path] for path in paths], np.int64).reshape(-1, 4).T
    return Template(description, structure, np.array(structure.equal, np.int64).reshape(-1, 2).T, datasets)


def _tells_all(template: Template, read: Read, describe: Callable[[FileIdentity], FileDescription]) -> bool:
    """Whether a file of the template's blocks alone has the template's description."""
    wanted, numbers = template.description, template.structure.numbers(read)
    if numbers is None:
        return False
    with NamedTemporaryFile() as bare:
        bare.truncate(wanted.file.size)
        for block in template.structure.blocks:
            bare.seek(numbers[block.at])
            bare.write(read(numbers[block.at], block.size))
        bare.flush()
        found = describe(identify(bare.name))
    is_same = found.objects == wanted.objects and found.column_order == wanted.column_order
    return is_same and np.array_equal(found.slots, wanted.slots)
