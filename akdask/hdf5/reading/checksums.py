"""Stored bytes of datasets against the checksums that their writer took."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from akdask.errors import FileFormatError
from akdask.hdf5.reading.read import ExtentReader
from akdask.hdf5.schema.description import FileDescription, datasets_of, ranges_beside
from akdask.storage.data.checksum import Checksum
from akdask.storage.data.compared import RIGHT, differing_error, sum_of_ranges
from akdask.storage.data.extents import Extent
from akdask.storage.data.ranges import range_reader
from akdask.storage.paths.files import FileIdentity

_BLOCK = 2**19  # bytes that stay in the core's cache between reading and summing


def check_extent(reader: ExtentReader, extent: Extent, expected: int) -> None:
    """Read a dataset whole and compare.

    Raises
    ------
    FileFormatError
        If the checksum is another, or the data cannot be read.
    """
    found = Checksum()
    step = _BLOCK // np.dtype(extent.dtype).itemsize
    buffer = np.empty(min(step, extent.length), extent.dtype)
    for start in range(0, extent.length, step):
        block = buffer[: min(step, extent.length - start)]
        reader.read_into(block, extent, start)
        found.add(block)
    if found.value != expected:
        raise differing_error(f"dataset {extent.dataset!r} of {reader.file.path!r}", found.value, expected)


@dataclass(frozen=True, slots=True)
class Beside:
    """The bytes of a file beside its datasets, by which a damaged copy is told from a file that was written anew.

    Parameters
    ----------
    ranges : tuple of (int, int)
        Where they start and stop.
    checksum : int
        What they were written with.
    """

    ranges: tuple[tuple[int, int], ...]
    checksum: int

    @classmethod
    def of(cls, file: FileDescription) -> Beside | None:
        """Return what is beside the datasets of a file, None if that was not summed up."""
        return None if file.beside is None else cls(tuple(ranges_beside(file)), file.beside)

    def is_as_written(self, file: FileIdentity) -> bool:
        """Read them, and compare; for errors see `check_extent`."""
        with range_reader(file) as reader:
            return sum_of_ranges(reader, self.ranges, "metadata") == self.checksum


def check_once(file: FileIdentity, extent: Extent, expected: int, beside: Beside | None = None) -> None:
    """Do `check_extent` unless this process has found the dataset of the file to be right already.

    A file that is unproven (`beside`) is as it was meant if what is beside its datasets differs as well: then another
    program has written it.
    """
    if is_right(file, extent, expected):
        return
    try:
        with ExtentReader(file) as reader:
            check_extent(reader, extent, expected)
    except FileFormatError:
        if beside is None or beside.is_as_written(file):
            raise
        return
    RIGHT.add((file, extent, expected))


def is_right(file: FileIdentity, extent: Extent, expected: int) -> bool:
    """Whether this process has found a dataset to be what was written."""
    return (file, extent, expected) in RIGHT


def summed_datasets(file: FileDescription) -> Iterator[tuple[Extent, int]]:
    """Yield the datasets of a file whose checksums are known, with these."""
    if file.summaries is not None:
        for dataset, slot, summary in zip(datasets_of(file.objects), file.slots.tolist(), file.summaries, strict=True):
            if summary["known"]:
                yield Extent(dataset.path, dataset.dtype, *slot), int(summary["checksum"])


def damages_of(file: FileDescription) -> list[tuple[str | None, str]] | None:
    """Compare all bytes of a file with their checksums: name the datasets that differ, None for what is beside them.

    Returns
    -------
    list of (str or None, str), or None
        Dataset, and what is wrong with it; None if the file is not the one that was described, but written anew.
    """
    found: list[tuple[str | None, str]] = []
    with ExtentReader(file.file) as reader:
        for extent, checksum in summed_datasets(file):
            try:
                check_extent(reader, extent, checksum)
            except FileFormatError as error:
                found.append((extent.dataset, " ".join([error.message, *error.details])))
            else:
                RIGHT.add((file.file, extent, checksum))
    beside = Beside.of(file)
    if beside is not None and not beside.is_as_written(file.file):
        if found and not file.is_proven:
            return None
        found.append((None, "what describes the data is not what was written."))
    return found
