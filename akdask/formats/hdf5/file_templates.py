"""Describe files that have the metadata blocks of a file that was described before, without opening them.

Files of one set have the same blocks at different addresses, as the data between them has another length.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.errors import AkdaskError
from akdask.formats.hdf5.description import FileDescription, datasets_of
from akdask.storage.files import FileIdentity, identify, is_remote, is_unchanged, open_regular
from akdask.storage.ranges import ELSEWHERE
from akdask.storage.remote import RemoteFile

if TYPE_CHECKING:
    from akdask.formats.hdf5.binary import Read
    from akdask.formats.hdf5.file_structure import Structure

_SMALL = 2**20
"""Bytes of a file that is read at once: 50 µs for a file of ten columns, 75 µs block by block."""

_MAX_TEMPLATES = 4
"""Structures that files of a set have in turn: with rows and without, of first and of later releases."""

_MOST_ELEMENTS = 2**48
_UNDEFINED = 2**64 - 1  # address of data that is stored nowhere


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
        is_stored = addresses != _UNDEFINED
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
        self._templates: Cache[int, Template] = Cache("templates of HDF5 files", entries=_MAX_TEMPLATES)
        self._candidate: FileDescription | None = None
        self._folder = ""
        self._missed = 0

    def describe(self, file: FileIdentity) -> FileDescription | None:
        """Return the description of a file that is made as one before, None for any other."""
        with self._templates.lock:
            candidate, self._candidate = self._candidate, None
        # Only now it is known to be worth the effort.
        made = None if candidate is None else _template(candidate, self._describe)
        if made is not None:
            self._templates.put(id(made), made)
        templates = self._templates.values()[::-1]
        found = _first(templates, file) if templates else None
        if found is None:
            return None
        template, description = found
        self._missed = 0
        # From now on, it is the first that files are compared with.
        self._templates.get(id(template))
        return description

    def add(self, description: FileDescription) -> None:
        """Keep a file that others may be compared with.

        Where no two files are alike, ever fewer templates are made, since making one takes as long as opening a file.
        """
        file = description.file
        with self._templates.lock:
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
        if file.size > _SMALL:
            yield lambda start, count: os.pread(descriptor, count, start)
        else:
            content = os.pread(descriptor, file.size, 0)
            yield lambda start, count: content[start : start + count]
    finally:
        os.close(descriptor)


def _template(description: FileDescription, describe: Callable[[FileIdentity], FileDescription]) -> Template | None:
    """Return the template of a file; None if its structure does not determine the description."""
    # One file is described without the parser.
    from akdask.formats.hdf5.file_structure import structure_of

    file = description.file
    try:
        with _reading(file) as read:
            structure = structure_of(read)
            paths = [dataset.path for dataset in datasets_of(description.objects)]
            if structure is None or not structure.datasets.keys() >= set(paths):
                return None
            datasets = np.array([structure.datasets[path] for path in paths], np.int64).reshape(-1, 4).T
            made = Template(description, structure, np.array(structure.equal, np.int64).reshape(-1, 2).T, datasets)
            slots = made.slots(file.size, read)
            is_same = (
                slots is not None and np.array_equal(slots, description.slots) and _tells_all(made, read, describe)
            )
    except (OSError, AkdaskError):
        return None
    return made if is_same and is_unchanged(file) else None


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
