"""Samples as the lazy layer scans them: a partition is a run of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from types import TracebackType

import numpy as np
import pyarrow as pa

from akdask.columns import slice_rows
from akdask.columns.lists import lists_of
from akdask.lbann.epochs.reading import Batch
from akdask.lbann.lazy.runs import RunReader
from akdask.schema import FLOAT64, INT64, STR, UINT64, ColumnType
from akdask.schema.dtypes import list_of
from akdask.storage.data.source import PartReader, Source
from akdask.typing import Column, NumberArray

_ITEMS = {"f": FLOAT64, "i": INT64, "u": UINT64, "U": STR, "O": STR}


def type_of_column(dtype: np.dtype, size: int) -> ColumnType:
    """Return the type of a column of samples that have so many elements of a type.

    Examples
    --------
    >>> type_of_column(np.dtype("f4"), 1).name, type_of_column(np.dtype("i2"), 3).name
    ('float64', 'list[int64]')
    """
    item = _ITEMS[dtype.kind]
    return item if size == 1 else list_of(item)


class SamplePartReader(PartReader):
    """Reads the columns of one partition; all of them at once, when the first is asked for.

    Parameters
    ----------
    part : SamplePart
        The partition.
    """

    def __init__(self, part: SamplePart) -> None:
        self._part = part
        self._columns: dict[str, Column] | None = None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._columns = None

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column.

        Raises
        ------
        LbannError
            If a sample cannot be read.
        """
        if self._columns is None:
            self._columns = self._part.columns_of(self._part.run())
        rows = slice_rows(self._columns[column], start, stop)
        if out is None or not isinstance(rows, np.ndarray):
            return rows
        out[: len(rows)] = rows
        return out[: len(rows)]


class SamplePart:
    """One partition: a run of samples.

    Parameters
    ----------
    run : RunReader
        Reads them.
    columns : mapping of str to ColumnType
        Only the columns that will be read.
    """

    def __init__(self, run: RunReader, columns: Mapping[str, ColumnType]) -> None:
        self.run = run
        self._columns = dict(columns)

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return self.run.n

    def open(self) -> SamplePartReader:
        """Return a reader, to be used in a ``with`` statement."""
        return SamplePartReader(self)

    def columns_of(self, batch: Batch) -> dict[str, Column]:
        """Return what was read, as columns."""
        return {name: _column(batch[name], dtype) for name, dtype in self._columns.items()}


def _column(values: np.ndarray, dtype: ColumnType) -> Column:
    item = dtype if dtype.item is None else dtype.item
    flat = values.reshape(-1)
    flat = pa.array(flat.tolist(), pa.large_string()) if item.kind == "str" else flat.astype(item.numpy, copy=False)
    if dtype.item is None:
        return flat
    return lists_of(np.arange(len(values) + 1, dtype=np.int64) * values.shape[1], flat)


class SampleSource(Source):
    """The rows of a data set of samples.  Immutable.

    Parameters
    ----------
    runs : sequence of RunReader
        The partitions.
    columns : mapping of str to ColumnType
        All columns.
    label : str
        How a user names the data set.
    identity : str
        Changes whenever files, samples or schemas do.
    """

    def __init__(self, runs: Sequence[RunReader], columns: Mapping[str, ColumnType], label: str, identity: str) -> None:
        self._runs = list(runs)
        self._columns = dict(columns)
        self._label = label
        self._token = blake2b(
            repr((identity, self._columns)).encode(errors="surrogateescape"), digest_size=16
        ).hexdigest()

    @property
    def token(self) -> str:
        """Changes whenever files, samples, schemas or columns do."""
        return self._token

    @property
    def label(self) -> str:
        """How a user names the data set, for plans and messages."""
        return self._label

    @property
    def columns(self) -> Mapping[str, ColumnType]:
        """All columns with their types."""
        return self._columns

    @property
    def lengths(self) -> Sequence[int]:
        """Rows of each partition."""
        return [run.n for run in self._runs]

    @property
    def paths(self) -> Sequence[str]:
        """The first file of each partition."""
        return [next(iter(run.paths), "") for run in self._runs]

    def part(self, index: int, columns: Sequence[str]) -> SamplePart:
        """Return one partition, reduced to the given columns: fields of others are not read."""
        return SamplePart(self._runs[index].reduced(columns), {name: self._columns[name] for name in columns})
