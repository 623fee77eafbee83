"""Reading samples of several files at once: those of a file together, whatever the order in which they are wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, TypeAlias

import numpy as np

from akdask.errors import AkdaskError
from akdask.lbann.errors import SampleSizeError, SampleTypeError
from akdask.lbann.lists.sample_list import SampleList
from akdask.lbann.samples import SampleReader
from akdask.lbann.schema import Fields

Batch: TypeAlias = dict[str, np.ndarray]
"""Values of samples by name, a row for each sample."""


@dataclass(frozen=True, slots=True)
class SkippedSample:
    """A sample that an epoch went on without.

    Parameters
    ----------
    index : int
        Its position in the data set.
    path, sample : str
        Its file and ID.
    error : AkdaskError
        Why it could not be read.
    """

    index: int
    path: str
    sample: str
    error: AkdaskError


@dataclass(slots=True)
class SkippedSamples:
    """Samples that could not be read, from whichever thread."""

    found: list[SkippedSample] = field(default_factory=list)
    _lock: Any = field(default_factory=Lock)

    def add(self, skipped: Sequence[SkippedSample]) -> None:
        """Note samples."""
        with self._lock:
            self.found.extend(skipped)


class GroupedReader:
    """Reads samples at any positions of a list, file by file.  Picklable.

    Parameters
    ----------
    samples : SampleList
        Where they are.
    reader : SampleReader
        Reads samples of one file.
    names : sequence of str, optional
        What to return of each sample; all unless given.
    dtype : dtype, optional
        Type of the values; as the schemas make them unless given.
    """

    def __init__(
        self, samples: SampleList, reader: SampleReader, names: Sequence[str] | None = None, dtype: Any = None
    ) -> None:
        self.samples = samples
        self.reader = reader
        self.names = None if names is None else list(names)
        self.dtype = None if dtype is None else np.dtype(dtype)
        # Sizes and types of the first samples, which all others share; of two threads one sets them.
        self._alike: dict[str, tuple[tuple[int, ...], np.dtype[Any]]] = {}

    def reduced(self, names: Sequence[str]) -> GroupedReader:
        """Return what reads only some names of the same samples."""
        return GroupedReader(self.samples, _reader_of(self.reader, names), names, self.dtype)

    def read(self, indices: np.ndarray) -> Batch:
        """Return the values of samples, a row for each, in the order of their positions.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.

        Raises
        ------
        LbannError
            If a sample cannot be read, or differs from the others in size or type.
        """
        return self.read_batches(indices, max(len(indices), 1))[0] if len(indices) else {}

    def read_batches(
        self, indices: np.ndarray, batch_size: int, is_stopped: Callable[[], bool] = lambda: False
    ) -> list[Batch]:
        """Return the values of samples in batches, each in memory of its own.

        Those of a file are read together, whichever batches they belong to.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        batch_size : int
            Samples of a batch; the last may have fewer.
        is_stopped : callable
            Says whether nobody waits for the batches any more; asked before each file.

        Raises
        ------
        LbannError
            As `read` does.
        """
        sizes = [min(batch_size, len(indices) - start) for start in range(0, len(indices), batch_size)]
        batches: list[Batch] = []
        for rows, path, ids in self._by_file(indices):
            if is_stopped():
                return []
            part = self._selected(self.reader.read_batch(path, ids))
            for name, values in part.items():
                self._check_alike(name, values, path, ids)
            if len(sizes) == 1 and len(rows) == len(indices):
                return [{name: self._converted(values) for name, values in part.items()}]
            if not batches:
                batches = [{name: self._new(values, size) for name, values in part.items()} for size in sizes]
            # Rows of a file ascend, so that those of a batch lie together.
            bounds = np.searchsorted(rows, np.arange(len(sizes) + 1) * batch_size)
            for number in np.flatnonzero(np.diff(bounds)).tolist():
                start, stop = bounds[number], bounds[number + 1]
                into = rows[start:stop] - number * batch_size
                for name, values in part.items():
                    batches[number][name][into] = values[start:stop]
        return batches

    def read_what_can_be(self, indices: np.ndarray, skipped: SkippedSamples) -> Batch:
        """Return the values of the samples that can be read, a row for each; nothing if there are none.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        skipped : SkippedSamples
            Takes those that cannot.
        """
        try:
            return self.read(indices)
        except AkdaskError:
            pass
        batch: list[Batch] = []
        for index in indices.tolist():
            path, sample = self.samples[index]
            try:
                rows = self.read(np.array([index]))
            except AkdaskError as error:
                skipped.add([SkippedSample(index, path, sample, error)])
            else:
                batch.append(rows)
        names = batch[0] if batch else {}
        return {name: np.concatenate([rows[name] for rows in batch]) for name in names}

    def _by_file(self, indices: np.ndarray) -> Iterator[tuple[np.ndarray, str, list[str]]]:
        """Yield the rows, path and IDs of the samples of each file, files in the order of their first sample."""
        files = self.samples.file_of(indices)
        order = np.argsort(files, kind="stable")
        starts = np.flatnonzero(np.diff(files[order], prepend=-1))
        ids = self.samples.ids_of(indices[order])
        stops = np.append(starts[1:], len(order))
        groups = sorted(zip(starts.tolist(), stops.tolist(), strict=True), key=lambda group: order[group[0]])
        for start, stop in groups:
            rows = order[start:stop]
            yield rows, self.samples.paths[files[rows[0]]], ids[start:stop]

    def _selected(self, part: Batch) -> Batch:
        return part if self.names is None else {name: part[name] for name in self.names}

    def _new(self, values: np.ndarray, n: int) -> np.ndarray:
        return np.empty((n, *values.shape[1:]), self.dtype if self.dtype is not None else values.dtype)

    def _converted(self, values: np.ndarray) -> np.ndarray:
        return values if self.dtype is None else values.astype(self.dtype, copy=False)

    def _check_alike(self, name: str, values: np.ndarray, path: str, ids: Sequence[str]) -> None:
        shape, dtype = self._alike.setdefault(name, (values.shape[1:], values.dtype))
        if values.shape[1:] != shape:
            raise SampleSizeError(
                f"{name!r} has {values.shape[1]:,} elements, and {shape[0]:,} in the samples before.",
                file=path,
                sample=ids[0],
                field=name,
            )
        if values.dtype != dtype:
            raise SampleTypeError(
                f"{name!r} is of type {values.dtype}, and of {dtype} in the samples before.",
                file=path,
                sample=ids[0],
                field=name,
                hint="coerce the field to one type.",
            )


def _reader_of(reader: SampleReader, names: Sequence[str]) -> SampleReader:
    """Return a reader of the fields that some names need."""
    needed = {
        path: field for path, field in reader.fields.items() if path in names or field.directives.pack in names
    }
    if len(needed) == len(reader.fields):
        return reader
    return SampleReader(Fields(needed), keep_packed_fields=reader.keep_packed_fields)
