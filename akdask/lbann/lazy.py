"""Samples as the lazy layer scans them: a partition is a run of samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from types import TracebackType
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np
import pyarrow as pa

from akdask._dask import Task
from akdask.arrays.array import wrap
from akdask.arrays.segarray import SegArray
from akdask.columns.arrow import lists_of
from akdask.columns.dtypes import FLOAT64, INT64, STR, UINT64, ColumnType, list_of
from akdask.columns.table import slice_rows
from akdask.engine.sources import Scan
from akdask.errors import ArgumentError
from akdask.frames.dataframe import DataFrame
from akdask.lbann import tuning
from akdask.lbann.epochs import Batch, GroupedReader
from akdask.lbann.transform import resolve
from akdask.storage.files import identify_all
from akdask.storage.source import PartReader, Source
from akdask.typing import Column, NumberArray

if TYPE_CHECKING:
    from akdask.lbann.dataset import Dataset


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
        Runs of rows of one file.  Short runs, as in random order, are joined until they are worth a task.

    Examples
    --------
    >>> runs_of(np.repeat([0, 1], 100), 8)
    [(0, 100), (100, 200)]
    >>> runs_of(np.tile([0, 1], 100), 8)
    [(0, 200)]
    """
    n = len(files)
    most = max(1, tuning.TASK_BYTES // max(sample_bytes, 1))
    starts = np.flatnonzero(np.diff(files, prepend=-1))
    if len(starts) > 1 and n / len(starts) < tuning.SHORT_RUN:
        starts = np.arange(0, n, min(most, tuning.SHORT_RUN**2))
    bounds = [*starts.tolist(), n]
    return [(row, min(row + most, stop)) for start, stop in pairwise(bounds) for row in range(start, stop, most)]


class RunReader:
    """Reads the samples of one task.  Picklable; its size is that of its samples' names.

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
        # The list is a copy: a slice would be pickled with the whole list.
        self._reader = GroupedReader(reader.samples.take(indices), reader.reader, reader.names, reader.dtype)
        self.n = len(indices)
        self._ids = ids

    @property
    def paths(self) -> Sequence[str]:
        """The files."""
        return self._reader.samples.paths

    def reduced(self, names: Sequence[str]) -> RunReader:
        """Return a reader of some names of the same samples."""
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
        """Read the samples, and return their values under one name."""
        return self()[name]

    def dicts(self) -> list[Batch]:
        """Read the samples, and return each by itself."""
        batch = self()
        return [{name: values[row] for name, values in batch.items()} for row in range(self.n)]


_ITEMS = {"f": FLOAT64, "i": INT64, "u": UINT64, "U": STR, "O": STR}


def type_of_column(dtype: np.dtype, size: int) -> ColumnType:
    """Return the type of a column of samples with `size` elements of a type.

    Examples
    --------
    >>> type_of_column(np.dtype("f4"), 1).name, type_of_column(np.dtype("i2"), 3).name
    ('float64', 'list[int64]')
    """
    item = _ITEMS[dtype.kind]
    return item if size == 1 else list_of(item)


class SamplePartReader(PartReader):
    """Reads the columns of one partition; the first read reads all of them.

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
        """Return values that were read, as columns."""
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


def dask_array_of(dataset: Dataset, name: str, batch: int) -> Any:
    """Return the values of samples under a name; see `Dataset.to_dask_array`.

    Raises
    ------
    ArgumentError
        If the number of rows of a chunk is not positive.
    """
    import dask.array as da

    if batch < 1:
        raise ArgumentError(f"a batch of {batch} samples.", hint="give an integer from 1 up.")
    reader = dataset.grouped([name])
    found = resolve(name, dataset.names)
    size, dtype = dataset.size_of(name), dataset.dtype_of(name)
    key = f"lbann-{found}-{uuid4().hex}"
    starts = range(0, len(dataset), batch)
    graph = {
        (key, number, 0): Task((key, number, 0), RunReader(reader, dataset.indices[start : start + batch]).rows, found)
        for number, start in enumerate(starts)
    }
    rows = tuple(min(batch, len(dataset) - start) for start in starts)
    kind = object if dtype.kind == "U" else dtype
    return da.Array(graph, key, (rows or (0,), (size,)), dtype=kind)


def dask_bag_of(dataset: Dataset, names: Sequence[str] | None) -> Any:
    """Return samples as dicts; see `Dataset.to_dask_bag`."""
    import dask.bag as db

    reader = dataset.grouped(names)
    chosen = reader.names or dataset.names
    files = dataset.samples.file_of(dataset.indices)
    runs = runs_of(files, sample_bytes(dataset, chosen)) if len(dataset) else []
    key = f"lbann-samples-{uuid4().hex}"
    graph = {
        (key, number): Task((key, number), RunReader(reader, dataset.indices[start:stop]).dicts)
        for number, (start, stop) in enumerate(runs)
    }
    return db.Bag(graph or {(key, 0): Task((key, 0), _no_samples)}, key, max(len(runs), 1))


def _no_samples() -> list[dict[str, np.ndarray]]:
    # Dask takes a task of `list` for a list of tasks.
    return []


def sample_bytes(dataset: Dataset, names: Sequence[str]) -> int:
    """Return about the bytes that a sample takes in memory; reads the first sample."""
    return sum(dataset.size_of(name) * max(np.dtype(dataset.dtype_of(name)).itemsize, 8) for name in names)


def frame_of(dataset: Dataset, names: Sequence[str] | None, ids: str | None = None) -> DataFrame:
    """Return samples as rows; see `Dataset.to_frame`.

    Raises
    ------
    ArgumentError
        If the column of IDs would have the name of another.
    """
    given = list(dataset.names if names is None else names)
    if ids is not None and ids in {*given, *dataset.names}:
        raise ArgumentError(f"samples have {ids!r} already.", hint="give the column of IDs another name by ids=….")
    reader = dataset.grouped(given)
    found = dict(zip(given, reader.names or (), strict=True))
    columns = {name: type_of_column(dataset.dtype_of(name), dataset.size_of(name)) for name in found.values()}
    files = dataset.samples.file_of(dataset.indices)
    runs = runs_of(files, sample_bytes(dataset, list(columns)))
    made = [RunReader(reader, dataset.indices[start:stop], ids) for start, stop in runs]
    if ids is not None:
        columns, found = {ids: STR, **columns}, {ids: ids, **found}
    source = SampleSource(made, columns, repr(dataset), _identity(dataset, files))
    scan = Scan(source)
    arrays = {}
    for name, inner in found.items():
        column = scan.column(inner)
        arrays[name] = SegArray.of(scan, column) if column.dtype.kind == "list" else wrap(scan, column)
    return DataFrame(arrays)


def _identity(dataset: Dataset, files: np.ndarray) -> str:
    """Return a text that changes with the samples, their files and their directives."""
    paths = [dataset.samples.paths[number] for number in np.unique(files)]
    digest = blake2b(digest_size=16)
    chosen = dataset.sample_list()
    for part in (*chosen.ids.buffers(), *chosen.files.buffers(), chosen.first, dataset.fields.explain().encode()):
        digest.update(part if part is not None else b"")
    for file in identify_all(paths):
        digest.update(f"{file.path}\0{file.size}\0{file.version}".encode(errors="surrogateescape"))
    digest.update(bytes([dataset.reader.keep_packed_fields]))
    return digest.hexdigest()
