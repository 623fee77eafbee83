"""Files that are made alike, described without opening each: all but their data and where things lie is the same.

The library takes some hundred microseconds for every object of every file.  Files of one set mostly differ in nothing
but the data of their columns, how much of it there is, and when it was written.  Where the blocks of metadata of a file
are those of one that has been described, the library finds the same in both, but for addresses and lengths.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile
from threading import Lock

import numpy as np
import numpy.typing as npt

from akdask.errors import AkdaskError
from akdask.hdf5.metadata.structure import UNDEFINED, Read, Structure, UnknownStructureError, structure_of
from akdask.hdf5.schema.description import FileDescription, datasets_of
from akdask.storage.data.extents import ELSEWHERE
from akdask.storage.paths.directory import open_regular
from akdask.storage.paths.files import FileIdentity, identify, is_remote, is_unchanged
from akdask.storage.paths.remote import accessing, file_system, retrying

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
        What the library found.
    structure : Structure
        What other files must have.
    equal : ndarray, shape (2, n)
        Numbers of the structure that must be equal in pairs.
    datasets : ndarray, shape (4, ndatasets)
        Of each dataset, in the order of the slots, which numbers are its length, address and bytes; and its width.
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
        # Of lists without values only some files tell the type; and what is stored nowhere is read otherwise.
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

        Where no two files are alike, fewer and fewer templates are made, since making one takes as long as opening a
        file.
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
        return None  # opening the file tells what is wrong


@contextmanager
def _reading(file: FileIdentity) -> Iterator[Read]:
    """Open a file, and give the reader of its byte ranges."""
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
    """Reads ranges of a remote file, and keeps what is around them, as blocks of metadata lie close together."""

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
    """Return the template of a file; None if its structure alone does not tell what the file holds."""
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
    """Whether a file that has nothing but the blocks of a template is described as the template is."""
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
