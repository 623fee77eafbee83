"""Reading samples of several files at once: those of a file together, whatever the order in which they are wanted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from akdask.errors import AkdaskError
from akdask.lbann.errors import LbannError, SampleTypeError
from akdask.lbann.lists.sample_list import SampleList
from akdask.lbann.samples import AnyReader

Batch: TypeAlias = dict[str, np.ndarray]
"""Values of samples by name, a row for each sample."""

_NARROWEST = 4
"""Bytes of the integers that are converted to the type of a batch."""

_SMALL = 1 << 16
"""Bytes of a sample up to which batches are copied from what was read for several."""


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


class GroupedReader:
    """Reads samples at any positions of a list, those of a file together.  Picklable.

    Parameters
    ----------
    samples : SampleList
        Where they are.
    reader : SampleReader or FileSampleReader
        Reads samples by path and ID.
    names : sequence of str, optional
        What to return of each sample; all unless given.
    dtype : dtype, optional
        Type of all values but text; as the schemas make them unless given.  Integers of less than 32 bits are refused
        as upstream refuses them, since only a schema says what they mean.
    """

    def __init__(
        self, samples: SampleList, reader: AnyReader, names: Sequence[str] | None = None, dtype: Any = None
    ) -> None:
        self.samples = samples
        self.reader = reader
        self.names = None if names is None else list(names)
        self.dtype = None if dtype is None else np.dtype(dtype)

    def reduced(self, names: Sequence[str]) -> GroupedReader:
        """Return what reads only some names of the same samples."""
        return GroupedReader(self.samples, self.reader.select(names), names, self.dtype)

    def with_reader(self, reader: AnyReader) -> GroupedReader:
        """Return what reads the same samples in another way."""
        return GroupedReader(self.samples, reader, None, self.dtype)

    def read(self, indices: np.ndarray) -> Batch:
        """Return the values of samples, a row for each, in the order of their positions.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.

        Raises
        ------
        LbannError
            If a sample cannot be read, has another size or type than those before it, or integers of less than 32 bits
            are to be converted.
        FileError
            If the list has been written anew since it was read.
        """
        try:
            return self._values(indices)
        finally:
            self.samples.check_current()

    def _values(self, indices: np.ndarray) -> Batch:
        paths = self.samples.paths
        found = self.reader.read_samples(
            [paths[file] for file in self.samples.file_of(indices).tolist()], self.samples.ids_of(indices)
        )
        chosen = found if self.names is None else {name: found[name] for name in self.names}
        return {name: self._converted(name, values) for name, values in chosen.items()}

    def read_batches(
        self, indices: np.ndarray, batch_size: int, is_stopped: Callable[[], bool] = lambda: False
    ) -> list[Batch]:
        """Return the values of samples in batches, each in memory of its own.

        Small samples are read at once, since looking for those of a file takes longer than copying them.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        batch_size : int
            Samples of a batch; the last may have fewer.
        is_stopped : callable
            Says whether nobody waits for the batches any more.

        Raises
        ------
        LbannError
            As `read` does.
        """
        starts = range(0, len(indices), batch_size)
        if len(starts) > 1 and self._sample_bytes() <= _SMALL:
            found = self.read(indices)
            return [{name: rows[at : at + batch_size].copy() for name, rows in found.items()} for at in starts]
        return [self.read(indices[at : at + batch_size]) for at in starts if not is_stopped()]

    def _sample_bytes(self) -> float:
        """Return the bytes of a sample, infinity while none has been read."""
        try:
            return sum(self.reader.size_of(name) * self.reader.dtype_of(name).itemsize for name in self.reader.names)
        except LbannError:
            return math.inf

    def read_what_can_be(self, indices: np.ndarray, skipped: list[SkippedSample]) -> Batch:
        """Return the values of the samples that can be read, a row for each; nothing if there are none.

        Parameters
        ----------
        indices : ndarray of int64, shape (n,)
            Positions in the list.
        skipped : list of SkippedSample
            Takes those that cannot.
        """
        try:
            return self._values(indices)
        except AkdaskError:
            good = np.array([self._can_be_read(index, skipped) for index in indices.tolist()])
            return self._values(indices[good]) if good.any() else {}
        finally:
            self.samples.check_current()

    def _can_be_read(self, index: int, skipped: list[SkippedSample]) -> bool:
        try:
            self._values(np.array([index]))
        except AkdaskError as error:
            skipped.append(SkippedSample(index, *self.samples[index], error))
            return False
        return True

    def _converted(self, name: str, values: np.ndarray) -> np.ndarray:
        if self.dtype is None or values.dtype.kind == "U" or values.dtype == self.dtype:
            return values
        if values.dtype.kind in "iu" and values.dtype.itemsize < _NARROWEST:
            raise SampleTypeError(
                f"elements are {values.dtype}, which a batch of {self.dtype} does not take.",
                field=name,
                hint="coerce the field to float in the schema, or ask for batches without a dtype.",
            )
        return values.astype(self.dtype, copy=False)
