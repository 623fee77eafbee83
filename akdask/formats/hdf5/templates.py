"""The metadata blocks of an old-style HDF5 file, and the numbers in them that differ from file to file.

Written from the HDF5 File Format Specification: superblock 0, symbol tables, object headers 1 and contiguous data, as
servers write them.  Anything else is left to the library.  Files of one set have the same blocks at different
addresses, as the data between them has another length.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.errors import AkdaskError
from akdask.formats.hdf5.description import FileDescription, datasets_of
from akdask.storage.directory import open_regular
from akdask.storage.files import FileIdentity, identify, is_remote, is_unchanged
from akdask.storage.ranges import ELSEWHERE
from akdask.storage.remote import accessing, file_system, retrying

Read: TypeAlias = Callable[[int, int], bytes]
"""Returns bytes of a file, given offset and length; fewer at its end."""

UNDEFINED = 2**64 - 1
"""The undefined address."""

_SUPERBLOCK = b"\x89HDF\r\n\x1a\n\0\0\0\0\0\x08\x08\0"
_END, _ROOT, _ROOT_CACHE, _ROOT_CACHED = 40, 64, 72, 80
_IS_GROUP, _IS_LINK = 1, 2  # cached data of a member
_NIL, _DATASPACE, _DATATYPE, _OLD_FILL, _FILL, _LAYOUT, _ATTRIBUTE = 0x0, 0x1, 0x3, 0x4, 0x5, 0x8, 0xC
_COMMENT, _CONTINUATION, _SYMBOL_TABLE, _MODIFIED = 0xD, 0x10, 0x11, 0x12
_THE_SAME = {_NIL, _DATATYPE, _OLD_FILL, _FILL, _ATTRIBUTE, _COMMENT}
_IS_SHARED = 2  # flag of a message that is stored elsewhere
_DEEPEST = 5  # groups that contain themselves have no end
_MOST_BLOCKS, _MOST_BYTES = 2**17, 2**24  # more than ten thousand columns need

_Field: TypeAlias = tuple[int, int]
"""Place and bytes of a number in a block."""


class UnknownStructureError(Exception):
    """The file has a structure that only the library understands."""


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
    walk = _Walk(read)
    try:
        end = walk.superblock()
    except (struct.error, IndexError, OverflowError, RecursionError, ValueError) as error:
        raise UnknownStructureError from error
    return Structure(tuple(walk.blocks), tuple(walk.equal), end, walk.datasets)


class _Walk:
    """A walk through all blocks of a file; `at` is the number of an address among all numbers met."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._numbers = [0]
        self._nbytes = 0
        self.blocks: list[MetadataBlock] = []
        self.equal: list[tuple[int, int]] = []
        self.datasets: dict[str, DatasetNumbers] = {}

    def superblock(self) -> int:
        """Walk through the whole file; return the number of the field with its size."""
        content = self._content(0, 96)
        # Offsets count from the first byte.
        _demand(content.startswith(_SUPERBLOCK) and not any(content[24:32]))
        end, root, *cached = self._take(0, content, [(_END, 8), (_ROOT, 8), *_cached(content, _ROOT_CACHE)])
        self._object(root, "", cached, 0)
        return end

    def _content(self, at: int, size: int) -> bytes:
        _demand(size <= _MOST_BYTES)
        content = self._read(self._numbers[at], size)
        _demand(len(content) == size)
        return content

    def _take(self, at: int, content: bytes, fields: Sequence[_Field]) -> list[int]:
        """Add a block, and return the numbers of its fields, in the order of their positions."""
        self._nbytes += len(content)
        _demand(len(self.blocks) < _MOST_BLOCKS and self._nbytes <= _MOST_BYTES)
        code, end = "<", 0
        for place, size in fields:
            code += f"{place - end}s{'Q' if size == 8 else 'I'}"
            end = place + size
        layout = struct.Struct(f"{code}{len(content) - end}s")
        values = layout.unpack(content)
        self.blocks.append(MetadataBlock(at, len(content), layout, values[::2]))
        first = len(self._numbers)
        self._numbers += values[1::2]
        return list(range(first, len(self._numbers)))

    def _object(self, at: int, path: str, cached: Sequence[int], depth: int) -> None:
        """Walk through a group or a dataset; `cached` are the fields of a group in its entry."""
        _demand(depth < _DEEPEST)
        header = self._content(at, 16)
        _demand(header[0] == 1)
        chunks = [(at, 16 + struct.unpack_from("<I", header, 8)[0], 16)]
        found: dict[int, list[int]] = {}
        width = 0
        for chunk, size, start in chunks:
            content = self._content(chunk, size)
            messages = list(_messages(content, start))
            taken = iter(self._take(chunk, content, [field for _, _, fields in messages for field in fields]))
            for kind, place, fields in messages:
                # The library uses one of two messages of a kind.
                _demand(kind in _THE_SAME - {_DATATYPE} or kind == _CONTINUATION or kind not in found)
                found[kind] = [next(taken) for _ in fields]
                if kind == _CONTINUATION:
                    chunks.append((found[kind][0], struct.unpack_from("<Q", content, place + 8)[0], 0))
                if kind == _DATATYPE:
                    (width,) = struct.unpack_from("<I", content, place + 4)
        match found:
            case {0x11: [tree, heap]} if _LAYOUT not in found:
                self.equal += zip(cached, (tree, heap), strict=False)
                self._group(tree, heap, path, depth)
            case {0x1: [length, *maximum], 0x8: [address, nbytes]} if not cached:
                self.equal += [(length, number) for number in maximum]
                self.datasets[path] = DatasetNumbers(length, address, nbytes, width)
            case _:
                raise UnknownStructureError

    def _group(self, tree: int, heap: int, path: str, depth: int) -> None:
        header = self._content(heap, 32)
        _demand(header.startswith(b"HEAP\0"))
        (data,) = self._take(heap, header, [(24, 8)])
        names = self._content(data, struct.unpack_from("<Q", header, 8)[0])
        self._take(data, names, [])
        level = [tree]
        while level:
            level, tables = self._tree_level(level)
            for table in tables:
                self._table(table, names, path, depth)

    def _tree_level(self, nodes: Sequence[int]) -> tuple[list[int], list[int]]:
        """Walk through one level of a tree; return its nodes and the tables of members below it."""
        below: tuple[list[int], list[int]] = ([], [])
        depths = set()
        for position, at in enumerate(nodes):
            head = self._content(at, 24)
            _demand(head.startswith(b"TREE\0"))
            depths.add(head[5])
            sides = [side for side in (-1, 1) if 0 <= position + side < len(nodes)]
            (used,) = struct.unpack_from("<H", head, 6)
            positions = [*(12 + 4 * side for side in sides), *range(32, 32 + 16 * used, 16)]
            taken = self._take(at, self._content(at, 32 + 16 * used), [(place, 8) for place in positions])
            self.equal += [(number, nodes[position + side]) for number, side in zip(taken, sides, strict=False)]
            below[head[5] == 0].extend(taken[len(sides) :])
        _demand(len(depths) == 1)
        return below

    def _table(self, at: int, names: bytes, path: str, depth: int) -> None:
        """Walk through some members of a group."""
        head = self._content(at, 8)
        _demand(head.startswith(b"SNOD\1"))
        (count,) = struct.unpack_from("<H", head, 6)
        content = self._content(at, 8 + 40 * count)
        entries = range(8, 8 + 40 * count, 40)
        fields = [[(entry + 8, 8), *_cached(content, entry + 16)] for entry in entries]
        taken = iter(self._take(at, content, [field for own in fields for field in own]))
        for entry, own in zip(entries, fields, strict=True):
            (start,) = struct.unpack_from("<Q", content, entry)
            name = names[start : names.index(b"\0", start)].decode(errors="surrogateescape")
            header, *cached = [next(taken) for _ in own]
            self._object(header, f"{path}/{name}" if path else name, cached, depth + 1)


def _demand(is_known: bool) -> None:
    if not is_known:
        raise UnknownStructureError


def _cached(content: bytes, place: int) -> list[_Field]:
    """Return the fields with which a table's entry describes its group, if it does."""
    (kind,) = struct.unpack_from("<I", content, place)
    _demand(kind != _IS_LINK)
    return [(place + 8, 8), (place + 16, 8)] if kind == _IS_GROUP else []


def _messages(content: bytes, place: int) -> Iterator[tuple[int, int, list[_Field]]]:
    """Yield kind, place and fields of the messages of a header."""
    while place + 8 <= len(content):
        kind, size, flags = struct.unpack_from("<HHB", content, place)
        place += 8
        _demand(place + size <= len(content) and not flags & _IS_SHARED)
        yield kind, place, [(place + offset, nbytes) for offset, nbytes in _fields(kind, content[place : place + size])]
        place += size


def _fields(kind: int, message: bytes) -> list[_Field]:
    """Return the numbers of a message: addresses, lengths and times."""
    match kind:
        case 0x1:  # one dimension: its length, and how long it may become
            _demand(message[:2] == b"\1\1" and message[2] < 2)
            return [(8, 8), (16, 8)][: 1 + message[2]]
        case 0x8:  # contiguous data: address and bytes
            _demand(message[:2] == b"\3\1")
            return [(2, 8), (10, 8)]
        case 0x10:
            return [(0, 8)]
        case 0x11:
            return [(0, 8), (8, 8)]
        case 0x12:
            _demand(message[0] == 1)
            return [(4, 4)]
    _demand(kind in _THE_SAME)
    return []


SMALL = 2**20
"""Bytes of a file that is read at once."""

MAX_TEMPLATES = 4

_REQUEST = 2**16  # bytes of one request for metadata of a remote file
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
        yield _RemoteBytes(file).read
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


class _RemoteBytes:
    """Reads ranges of a remote file through a cache of larger blocks, as metadata blocks lie close together."""

    def __init__(self, file: FileIdentity) -> None:
        self._file = file
        self._content: dict[int, bytes] = {}

    def read(self, start: int, count: int) -> bytes:
        """Return bytes of the file."""
        first, last = start // _REQUEST, max(start + count - 1, start) // _REQUEST
        if last - first > SMALL // _REQUEST:
            raise OSError("no block of metadata is that large")
        found = b"".join(map(self._bytes_of, range(first, last + 1)))
        return found[start - first * _REQUEST : start - first * _REQUEST + count]

    def _bytes_of(self, number: int) -> bytes:
        if number not in self._content:
            begin, end = number * _REQUEST, min((number + 1) * _REQUEST, self._file.size)
            with accessing(self._file.options):
                system, inner = file_system(self._file.path)
                found = retrying(lambda: system.cat_file(inner, start=begin, end=end)) if begin < end else b""
            if len(found) != max(end - begin, 0):
                raise OSError("the server gives another range than it is asked for")
            self._content[number] = found
        return self._content[number]


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
