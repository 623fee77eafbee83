"""A source of columns in memory that records its reads, for tests of the columns and rows that plans read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from itertools import accumulate
from types import TracebackType
from typing import Any, Self

import pyarrow as pa

from akdask.arrays.array import wrap
from akdask.columns.dtypes import NULLABLE_STR, ColumnType
from akdask.columns.strings import from_nulls
from akdask.columns.table import Table, slice_rows, type_of
from akdask.engine.sources import Scan, as_column
from akdask.engine.values import token
from akdask.records import record
from akdask.storage.source import Bounds, PartReader
from akdask.typing import Column, NumberArray


@record
class Read:
    """Rows of one column of one partition that were read."""

    partition: int
    column: str
    start: int
    stop: int


class MemorySource:
    """A source that plans treat like a set of files.

    Parameters
    ----------
    columns : mapping of str to array-like
        All of one length.
    lengths : sequence of int
        Numbers of rows in the partitions.
    label : str, default "memory"
        Its name in plans.
    bounds : mapping of str to Bounds, optional
        The source's bounds of the columns' values.

    Attributes
    ----------
    reads : list of Read
        The reads in this process, in order.

    Examples
    --------
    >>> source = MemorySource({"a": [1, 2, 3], "b": [4, 5, 6]}, lengths=[2, 1])
    >>> int(source.arrays()["b"].sum())
    15
    >>> sorted((read.column, read.partition) for read in source.reads)
    [('b', 0), ('b', 1)]
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        lengths: Sequence[int],
        label: str = "memory",
        bounds: Mapping[str, Bounds] | None = None,
    ) -> None:
        given: dict[Any, Any] = {name: as_column(items) for name, items in columns.items()}
        nullable = {name for name, column in given.items() if isinstance(column, pa.Array) and column.null_count}
        self._data: dict[Any, Column] = {**given, **{name: from_nulls(given[name]) for name in nullable}}
        self.columns: Mapping[str, ColumnType] = {
            name: NULLABLE_STR if name in nullable else type_of(column) for name, column in given.items()
        }
        self.lengths = tuple(lengths)
        self._starts = tuple(accumulate(self.lengths, initial=0))
        self.label = label
        self.token = token(Table(self._data, sum(lengths)), self.lengths, label)
        self.reads: list[Read] = []
        self._bounds = dict(bounds or {})

    @property
    def paths(self) -> Sequence[str]:
        """The file of each partition: the label, as there is none."""
        return [self.label] * len(self.lengths)

    def bounds(self, column: str) -> Bounds | None:
        """Return the known bounds of a column's values."""
        return self._bounds.get(column)

    def part(self, index: int, columns: Sequence[str]) -> MemoryPart:
        """Return one partition, reduced to the given columns."""
        data = {name: self._data[name] for name in columns}
        return MemoryPart(index, self._starts[index], self.lengths[index], data, self.reads)

    def arrays(self) -> dict[str, Any]:
        """Return all columns as lazy arrays."""
        scan = Scan(self)
        return {name: wrap(scan, scan.column(name)) for name in self.columns}


@record
class MemoryPart(PartReader):
    """One partition of a `MemorySource`, and its reader."""

    index: int
    first: int
    nrows: int
    data: Mapping[str, Column]
    reads: list[Read] = field(repr=False)

    def open(self) -> Self:
        """Return the part, which reads from itself."""
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows of a column; in `out` if given, like a reader of files."""
        self.reads.append(Read(self.index, column, start, stop))
        rows = slice_rows(self.data[column], self.first + start, self.first + stop)
        if out is None:
            return rows
        out[: stop - start] = rows
        return out[: stop - start]
