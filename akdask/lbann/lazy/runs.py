"""Runs of samples that one task reads: of one file, or of several where samples are in random order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from akdask.lbann.epochs.reading import Batch, GroupedReader

MAX_BYTES = 1 << 27
"""Bytes of samples that a task reads, at most, unless one sample has more."""

_SHORT = 32
"""Samples of a run below which tasks would cost more than what they read."""


def runs_of(files: np.ndarray, sample_bytes: int) -> list[tuple[int, int]]:
    """Return which rows each task reads: first and last but one.

    Parameters
    ----------
    files : ndarray of int64, shape (n,)
        The file of each row.
    sample_bytes : int
        Bytes of a sample.

    Returns
    -------
    list of (int, int)
        Runs of rows of one file; where runs are short, as in random order, as many together as are worth a task.

    Examples
    --------
    >>> runs_of(np.repeat([0, 1], 100), 8)
    [(0, 100), (100, 200)]
    >>> runs_of(np.tile([0, 1], 100), 8)
    [(0, 200)]
    """
    n = len(files)
    most = max(1, MAX_BYTES // max(sample_bytes, 1))
    starts = np.flatnonzero(np.diff(files, prepend=-1))
    if len(starts) > 1 and n / len(starts) < _SHORT:
        starts = np.arange(0, n, min(most, _SHORT * _SHORT))
    bounds = [*starts.tolist(), n]
    return [(row, min(row + most, stop)) for start, stop in pairwise(bounds) for row in range(start, stop, most)]


class RunReader:
    """Reads the samples of one task.  Picklable, and as small as what it names.

    Parameters
    ----------
    reader : GroupedReader
        Reads samples of the list.
    indices : ndarray of int64
        Positions in the list.
    ids : str, optional
        Name under which the IDs of the samples come as well.
    """

    def __init__(self, reader: GroupedReader, indices: np.ndarray, ids: str | None = None) -> None:
        # The list is one of its own: a part of the whole would travel with all of it.
        self._reader = GroupedReader(reader.samples.take(indices), reader.reader, reader.names, reader.dtype)
        self.n = len(indices)
        self._ids = ids

    @property
    def paths(self) -> Sequence[str]:
        """The files."""
        return self._reader.samples.paths

    def reduced(self, names: Sequence[str]) -> RunReader:
        """Return what reads only some names of the same samples."""
        made = object.__new__(type(self))
        made._reader, made.n = self._reader.reduced([name for name in names if name != self._ids]), self.n
        made._ids = self._ids if self._ids in names else None
        return made

    def __call__(self) -> Batch:
        """Read the samples: a row for each, by name."""
        batch = {} if self._reader.names == [] else self._reader.read(np.arange(self.n))
        if self._ids is not None:
            batch[self._ids] = np.array(self._reader.samples.ids.to_pylist(), object).reshape(self.n, 1)
        return batch

    def rows(self, name: str) -> np.ndarray:
        """Read the samples, and return what they have under one name."""
        return self()[name]

    def dicts(self) -> list[Batch]:
        """Read the samples, and return each by itself."""
        batch = self()
        return [{name: values[row] for name, values in batch.items()} for row in range(self.n)]
