"""The metadata of one file: described completely, opened once, cached until the file changes.

Files that have the metadata blocks of a file that was described before are described without opening them.  Files of
one set have the same blocks at different addresses, as the data between them has another length.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from akdask.caches import Cache
from akdask.errors import AkdaskError, FileFormatError
from akdask.formats import tuning
from akdask.formats.hdf5 import layout
from akdask.formats.hdf5.codecs import describe_members
from akdask.formats.hdf5.description import FileDescription, ObjectSchema, Slot, datasets_of
from akdask.formats.hdf5.library import is_in_parts, open_file
from akdask.formats.hdf5.metadata import root_of
from akdask.records import record
from akdask.storage.files import (
    FileIdentity,
    changed_error,
    concurrently,
    identify,
    is_remote,
    is_unchanged,
    open_regular,
)
from akdask.storage.ranges import ELSEWHERE
from akdask.storage.remote import RemoteFile

if TYPE_CHECKING:
    from akdask.formats.hdf5.binary import Read
    from akdask.formats.hdf5.file_structure import Structure

_MOST_ELEMENTS = 2**48
_UNDEFINED = 2**64 - 1  # address of data that is stored nowhere


@record(eq=False)
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
        self._templates: Cache[int, Template] = Cache("templates of HDF5 files", entries=tuning.HDF5_FILE_TEMPLATES)
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
        if file.size > tuning.HDF5_SMALL_FILE:
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


_SLOT_BYTES = 16  # of a dataset in a description, about


_DESCRIPTIONS: Cache[FileIdentity, FileDescription] = Cache(
    "descriptions of HDF5 files",
    nbytes=tuning.HDF5_DESCRIPTION_BYTES,
    size=lambda found: _SLOT_BYTES * (len(found.slots) + 1),
    at_least=1,
)


def inspect_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, from memory if the file has not changed since.

    Raises
    ------
    FileFormatError
        If the file is not HDF5, truncated or damaged.
    FileError
        If it has changed since it was checked.
    """
    known = _DESCRIPTIONS.get(file)
    if known is None:
        try:
            known = _TEMPLATES.describe(file)
            if known is None:
                known = describe_file(file)
                _TEMPLATES.add(known)
        finally:
            # Opened by name after it was checked: another file may have the name by now.
            if not is_remote(file.path) and not is_unchanged(file):
                raise changed_error(file)
        _DESCRIPTIONS.put(file, known)
    return known


def inspect_ahead(files: Sequence[FileIdentity]) -> None:
    """Inspect remote files concurrently and cache their descriptions; errors are left to `inspect_file`."""
    far = [file for file in files if is_remote(file.path)]
    # The first two make the template that others are compared with.
    for file in far[: tuning.HDF5_FIRST_FILES]:
        _try_to_inspect(file)
    concurrently(_try_to_inspect, far[tuning.HDF5_FIRST_FILES :])


def _try_to_inspect(file: FileIdentity) -> None:
    with suppress(AkdaskError):
        inspect_file(file)


def describe_file(file: FileIdentity) -> FileDescription:
    """Describe all root objects of an HDF5 file, without caching; see `inspect_file`."""
    with open_file(file.path, file) as opened:
        root = root_of(opened)
        described = list(describe_members(root))
        slots = [slot for found in described for slot in found.slots]
        if is_in_parts(opened):
            slots = [(ELSEWHERE if offset >= 0 else offset, length) for offset, length in slots]
        _check_ends(file, tuple(found.schema for found in described), slots)
        return FileDescription(
            file,
            tuple(found.schema for found in described),
            np.array(slots, np.int64).reshape(-1, 2),
            root.text(layout.COLUMN_ORDER),
        )


def _check_ends(file: FileIdentity, objects: Sequence[ObjectSchema], slots: Sequence[Slot]) -> None:
    """Refuse data that would lie past the end of the file."""
    # No element that is read past the library has more than eight bytes.
    if not slots or max([offset + 8 * length for offset, length in slots]) <= file.size:
        return
    for dataset, (offset, length) in zip(datasets_of(objects), slots, strict=True):
        # The name of a type ends with its bytes.
        if offset + length * int(dataset.dtype[2:]) > file.size and offset >= 0:
            raise FileFormatError(
                f"dataset {dataset.path!r} of {file.path!r} would end {offset + length * int(dataset.dtype[2:]):,} "
                f"bytes into a file of {file.size:,}.",
                hint="the file is damaged or truncated; write it again.",
            )


_TEMPLATES = Templates(describe_file)
