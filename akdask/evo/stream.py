"""A stream of rows, from memory or any other producer, cut into row groups."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from typing import Any, Protocol, Self, TypeVar
from uuid import uuid4

import numpy as np
import pyarrow as pa
from dask.system import CPU_COUNT

from akdask.errors import ArgumentError
from akdask.evo.canonical import table_of
from akdask.evo.errors import BlobWriteError, ShapeError, UnsupportedTableError
from akdask.storage.files import is_remote, written_path

T = TypeVar("T")
R = TypeVar("R")

_STEP_BYTES = 2**24
"""Bytes per slice of sliced data."""


@dataclass(frozen=True, slots=True)
class RowStream:
    """Tables that come one after the other.

    Parameters
    ----------
    schema : pyarrow.Schema
        The columns of all.
    tables : iterator of pyarrow.Table
        The tables, as an iterator that is consumed once.
    """

    schema: pa.Schema
    tables: Iterator[pa.Table]

    @classmethod
    def of(cls, rows: Any) -> RowStream:
        """Return rows as a stream.

        Parameters
        ----------
        rows : object
            Any rows that `akdask.evo.canonical.table_of` takes; any producer of Arrow streams, such as a
            RecordBatchReader or a frame of polars; a dataset of HDF5 or an array of Zarr of one or two dimensions; or
            an iterator of any of these.

        Raises
        ------
        UnsupportedTableError
            If it is none of these.
        """
        if isinstance(rows, pa.RecordBatchReader):
            return cls(rows.schema, (pa.Table.from_batches([batch]) for batch in rows))
        if isinstance(rows, pa.Table):
            return cls(rows.schema, iter([rows]))
        if hasattr(rows, "__arrow_c_stream__") and not _is_pandas(rows):
            return cls.of(pa.RecordBatchReader.from_stream(rows))
        if (
            hasattr(rows, "shape")
            and hasattr(rows, "dtype")
            and not isinstance(rows, np.ndarray)
            and not _is_pandas(rows)
        ):
            return cls.of(_sliced(rows))
        if isinstance(rows, Iterator):
            return cls._of_tables(rows)
        table = table_of(rows)
        return cls(table.schema, iter([table]))

    @classmethod
    def _of_tables(cls, given: Iterator[Any]) -> RowStream:
        tables = (item for part in given for item in cls.of(part).tables)
        first = next(tables, None)
        if first is None:
            raise UnsupportedTableError("there is no table, so that nothing tells the columns.")
        return cls(first.schema, chain([first], tables))

    def groups(self, nrows: int) -> Iterator[pa.Table]:
        """Yield tables of a given number of rows, the last one with the rest; an empty one if there are no rows."""
        left: list[pa.Table] = []
        count = 0
        is_first = True
        for table in self.tables:
            if table.num_columns != len(self.schema):
                raise ShapeError(f"a table of {table.num_columns} columns follows one of {len(self.schema)}.")
            rest = table
            while count + len(rest) >= nrows:
                wanted = nrows - count
                yield _joined([*left, rest.slice(0, wanted)])
                left, count, is_first = [], 0, False
                rest = rest.slice(wanted)
            if len(rest):
                left.append(rest)
                count += len(rest)
        if count or is_first:
            yield _joined(left) if left else self.schema.empty_table()


def _joined(tables: Sequence[pa.Table]) -> pa.Table:
    first = tables[0]
    return (
        first if len(tables) == 1 else pa.concat_tables([table.rename_columns(first.column_names) for table in tables])
    )


def _is_pandas(rows: Any) -> bool:
    return type(rows).__module__.partition(".")[0] == "pandas"


def _sliced(dataset: Any) -> Iterator[np.ndarray[Any, Any]]:
    """Yield runs of rows of an array-like that is not in memory."""
    if len(dataset.shape) not in (1, 2):
        raise UnsupportedTableError(
            f"an array of {len(dataset.shape)} dimensions is no table.", hint="flatten grids with akdask.evo.flatten."
        )
    width = int(np.prod(dataset.shape[1:], dtype=np.int64)) * np.dtype(dataset.dtype).itemsize
    step = max(1, _STEP_BYTES // max(width, 1))
    yield np.asarray(dataset[:0])
    for start in range(0, dataset.shape[0], step):
        yield np.asarray(dataset[start : start + step])


def in_order(function: Callable[[T, int], R], items: Iterable[T], count: int, at_once: int) -> Iterator[tuple[R, ...]]:
    """Yield a function's results for each item and the numbers below a count, computing the next ones in threads.

    Parameters
    ----------
    function : callable
        Called with an item and a number.
    items : iterable
        The items, whose results are yielded in their order.
    count : int
        How many numbers there are.
    at_once : int
        How many items are taken at most before the results of the first are yielded.
    """
    pending: deque[list[Future[R]]] = deque()
    most = min(at_once, CPU_COUNT + 1)
    with ThreadPoolExecutor(CPU_COUNT, "akdask-evo") as pool:
        try:
            for item in items:
                pending.append([pool.submit(function, item, number) for number in range(count)])
                del item
                if len(pending) >= most:
                    yield tuple(future.result() for future in pending.popleft())
            while pending:
                yield tuple(future.result() for future in pending.popleft())
        finally:
            for future in chain.from_iterable(pending):
                future.cancel()


TEMPORARY = ".akdask-evo-"
"""How the names of files begin that are not complete yet, or never will be."""


class BlobSink(Protocol):
    """A place for the bytes of one blob, which appears under its name whole or not at all."""

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        ...

    def commit(self, name: str) -> None:
        """Give all bytes a name, from which on they can be found."""
        ...

    def abort(self) -> None:
        """Drop all bytes; no effect after `commit`."""
        ...


class LocalSink:
    """A file on this machine.

    Parameters
    ----------
    folder : str
        The folder.
    name : str, optional
        Name of the file; by default that of `commit`.

    Raises
    ------
    BlobWriteError
        If the target is not writable.
    """

    def __init__(self, folder: str, name: str | None = None) -> None:
        self._folder, self._name = folder, name
        self._path = os.path.join(folder, f"{TEMPORARY}{uuid4().hex}")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
            self._file = open(os.open(self._path, flags, 0o666), "wb", buffering=0)  # noqa: SIM115 - closed by `commit`
        except OSError as error:
            raise self._failed(error) from error

    @classmethod
    def at(cls, path: str | os.PathLike[str]) -> Self:
        """Return the place that a path names: a blob in a folder, or a file of exactly that path."""
        text = os.fspath(path)
        if is_remote(text) and not text.startswith("file://"):
            raise ArgumentError(
                f"a blob is not written to the URL {text!r} without a store.", hint="use akdask.evo.Store(url)."
            )
        if os.path.isdir(text):
            return cls(os.path.abspath(text))
        found = written_path(text)
        return cls(os.path.dirname(found), os.path.basename(found))

    def write(self, data: Any) -> None:
        """Take the next bytes."""
        view = memoryview(data)
        try:
            while view:
                view = view[self._file.write(view) :]
        except OSError as error:
            raise self._failed(error) from error

    def commit(self, name: str) -> None:
        """Give the file its name once all of its bytes are on disk, replacing any file of that name."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._path, os.path.join(self._folder, self._name or name))
            descriptor = os.open(self._folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise self._failed(error) from error

    def abort(self) -> None:
        """Remove the file, unless it has its name."""
        self._file.close()
        try:
            os.unlink(self._path)
        except OSError:
            return

    def _failed(self, error: OSError) -> BlobWriteError:
        return BlobWriteError(
            f"a blob cannot be written to {self._folder!r}.",
            details=[error.strerror or str(error)],
            hint="name a folder that exists, may be written to and has space left; nothing of the blob is left.",
        )


OpenTarget = Callable[[], BlobSink]
"""Begins a new blob."""


def opener(target: OpenTarget | str | os.PathLike[str]) -> OpenTarget:
    """Return the function that begins a blob at a target: the target itself, or one for a path on this machine."""
    if callable(target):
        return target
    if not isinstance(target, str | os.PathLike):
        raise ArgumentError(f"a blob goes to a path or to what opens a target, not to a {type(target).__name__}.")
    return lambda: LocalSink.at(target)
