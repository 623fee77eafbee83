"""Files that are made alike, described without opening each: all but their data is the same, byte by byte.

The library takes some hundred microseconds for every object of every file.  Files of one set mostly differ in nothing
but the data of their columns.  Where a file has the size of one that has been described, and the same bytes everywhere
but in the data of the datasets there, whatever the library finds in one it finds in the other.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import pairwise
from tempfile import NamedTemporaryFile
from threading import Lock

import numpy as np

from akdask import config
from akdask.errors import AkdaskError
from akdask.hdf5.description import FileDescription, datasets_of
from akdask.storage.files import FileIdentity, identify, is_remote, is_unchanged

FEWEST_OBJECTS = 4
"""Of fewer, files are as quickly opened."""

MOST_BYTES = 2**23
"""Bytes of a file besides its data that are compared, at most."""

FAR = 2**12
"""Bytes of data that are rather left out than read along."""

LARGEST_REUSED = 16

Stretch = tuple[int, int]
"""Where a run of bytes begins and ends."""


@dataclass(frozen=True, slots=True)
class Template:
    """A described file, where the bytes lie that tell it from others, and their digest."""

    description: FileDescription
    stretches: tuple[Stretch, ...]
    digest: bytes


class Templates:
    """Files of which others may be made alike, those used last kept; by their sizes, for others cannot be.

    Parameters
    ----------
    describe : callable
        Describes a file by opening it.
    """

    def __init__(self, describe: Callable[[FileIdentity], FileDescription]) -> None:
        self._describe = describe
        self._by_size: OrderedDict[int, FileDescription | Template] = OrderedDict()
        self._lock = Lock()

    def describe(self, file: FileIdentity) -> FileDescription | None:
        """Return the description of a file that is made as one before, None for any other."""
        if is_remote(file.path) or config.get("external_files"):
            # What another file may hold for this one depends on the folder, and not on the bytes alone.
            return None
        with self._lock:
            found = self._by_size.get(file.size)
        if found is None:
            return None
        if isinstance(found, FileDescription):
            # Only now it is known to be worth the effort.
            made = self._template(found)
            with self._lock:
                if made is None:
                    self._by_size.pop(file.size, None)
                    return None
                found = self._by_size[file.size] = made
        if _digest(file.path, found.stretches) != found.digest:
            return None
        return replace(found.description, file=file)

    def add(self, description: FileDescription) -> None:
        """Keep a file that others may be compared with."""
        file = description.file
        if is_remote(file.path) or len(description.objects) < FEWEST_OBJECTS:
            return
        with self._lock:
            self._by_size[file.size] = description
            self._by_size.move_to_end(file.size)
            while len(self._by_size) > LARGEST_REUSED:
                self._by_size.popitem(last=False)

    def _template(self, description: FileDescription) -> Template | None:
        """Return what others are compared with, None where what was found depends on what is taken for data.

        Damaged files may say that data lies where something else is.  So a file of the bytes besides the data, with
        nothing between them, must be described as the whole file is.
        """
        stretches = _besides_data(description)
        if sum(stop - start for start, stop in stretches) > MOST_BYTES:
            return None
        digest = _digest(description.file.path, stretches)
        if digest is None:
            return None
        with NamedTemporaryFile() as bare:
            bare.truncate(description.file.size)
            with open(description.file.path, "rb") as whole:
                for start, stop in stretches:
                    whole.seek(start)
                    bare.seek(start)
                    bare.write(whole.read(stop - start))
            bare.flush()
            if _digest(bare.name, stretches) != digest:
                return None
            try:
                found = self._describe(identify(bare.name))
            except AkdaskError:
                return None
        is_same = found.objects == description.objects and np.array_equal(found.slots, description.slots)
        if not is_same or found.column_order != description.column_order or not is_unchanged(description.file):
            return None
        return Template(description, stretches, digest)


def _besides_data(description: FileDescription) -> tuple[Stretch, ...]:
    """Return where a file has anything but the data of its datasets, as far as that lies in one run each."""
    widths = np.array([np.dtype(item.dtype).itemsize for item in datasets_of(description.objects)], np.int64)
    starts, stops = description.slots[:, 0], description.slots[:, 0] + description.slots[:, 1] * widths
    is_run = (starts > 0) & (stops > starts) & (stops <= description.file.size)
    data = sorted(zip(starts[is_run].tolist(), stops[is_run].tolist(), strict=True))
    found, end = [], 0
    for start, stop in data:
        if start > end:
            found.append((end, start))
        end = max(end, stop)
    found.append((end, description.file.size))
    return tuple(stretch for stretch in found if stretch[0] < stretch[1])


def _digest(path: str, stretches: tuple[Stretch, ...]) -> bytes | None:
    """Return the digest of some bytes of a file, None if it cannot be read."""
    digest = blake2b(digest_size=32)
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        try:
            for first, last in _runs(stretches):
                start, stop = stretches[first][0], stretches[last - 1][1]
                read = memoryview(os.pread(descriptor, stop - start, start))
                if len(read) < stop - start:
                    return None
                for begin, end in stretches[first:last]:
                    digest.update(read[begin - start : end - start])
        finally:
            os.close(descriptor)
    except OSError:
        return None
    return digest.digest()


def _runs(stretches: tuple[Stretch, ...]) -> list[tuple[int, int]]:
    """Return which stretches are read at once: those with little between them."""
    apart = [number for number, (one, next_) in enumerate(pairwise(stretches), 1) if next_[0] - one[1] > FAR]
    return list(pairwise([0, *apart, len(stretches)])) if stretches else []
