"""Protocols of data that plans scan: sources, their partitions, and readers of row ranges.

A `Source` is one row space of a set of files: columns that have the same number of rows in every file.  A `Part` is one
partition of it, small enough to travel to a worker; it holds the positions of the bytes.  A `PartReader` reads row
ranges of it and holds open files only between ``__enter__`` and ``__exit__``.

Subclasses of the protocols inherit defaults: nothing opens early, no bounds are known, and only `read` finds rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from types import TracebackType
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from akdask.columns.dtypes import ColumnType
from akdask.columns.table import concat_rows, concat_text
from akdask.records import record
from akdask.typing import Column, NumberArray

TEXT_BYTES = 16
"""Bytes of a string in bounds."""


def text_prefix(text: str) -> bytes | None:
    """Return the prefix of a string in bounds, None if it is no Unicode text.

    Examples
    --------
    >>> text_prefix("a string of many letters")
    b'a string of many'
    """
    try:
        return text.encode()[:TEXT_BYTES]
    except UnicodeEncodeError:
        return None


@record(eq=False)
class Bounds:
    """Known bounds of a column's values in each partition, found without reading them.

    A partition without known bounds has the bounds of the type.

    Parameters
    ----------
    minima, maxima : ndarray, shape (npartitions,)
        Only NaN may lie outside.  Of the column's dtype; for strings bytes, between which the `text_prefix` of each
        string lies.
    nans : ndarray, shape (npartitions,), bool
        Whether there may be NaN.
    """

    minima: NumberArray
    maxima: NumberArray
    nans: npt.NDArray[np.bool_]

    def take(self, positions: npt.NDArray[np.int64]) -> Bounds:
        """Return the bounds of the partitions at the given positions."""
        return Bounds(self.minima[positions], self.maxima[positions], self.nans[positions])


RowRanges: TypeAlias = npt.NDArray[np.int64]
"""Ranges of rows, ascending: an array with a row for each, of its first row and the one behind its last."""


class RowBounds(NamedTuple):
    """Known bounds of a column's values in stretches of a partition's rows, found without reading them."""

    starts: npt.NDArray[np.int64]
    """The first row of each stretch, counted from the first of the partition: ascending, the first is 0."""

    bounds: Bounds
    """Bounds of each stretch, as if it were a partition."""


IN_MEMORY = -1
"""In place of a file: rows lie in the memory of this process."""


class Stretch(NamedTuple):
    """Rows of a column that lie one after the other, in a file or in memory.

    The bytes of a bool column may have any value: all but 0 are true.
    """

    descriptor: int
    """Descriptor of the file, which is open as long as the reader is; or `IN_MEMORY`."""

    offset: int
    """Position of the first row in bytes, or its address."""

    nrows: int
    """Number of rows."""

    stored: str = ""
    """The type of the numbers by its name in NumPy, if it may be narrower than that of the column."""

    def slice(self, start: int, stop: int, itemsize: int) -> Stretch:
        """Return some of the rows, of a column of so many bytes each in memory."""
        width = np.dtype(self.stored).itemsize if self.stored else itemsize
        return Stretch(self.descriptor, self.offset + start * width, stop - start, self.stored)


def address_of(numbers: NumberArray) -> int:
    """Return where the items of an array are in memory."""
    address: int = numbers.__array_interface__["data"][0]
    return address


def stretch_of(numbers: NumberArray) -> Stretch:
    """Return an array, contiguous and in memory, as a stretch; it must outlive the use of it."""
    return Stretch(IN_MEMORY, address_of(numbers), len(numbers), numbers.dtype.name)


def joined_in(out: NumberArray, parts: Sequence[Column]) -> NumberArray:
    """Return numbers end to end in an array, in which some of them may be already."""
    row = 0
    for part in parts:
        target = out[row : row + len(part)]
        if not np.may_share_memory(part, target):
            target[:] = part
        row += len(part)
    return out[:row]


class PartReader(Protocol):
    """Reads row ranges of the columns of one partition."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the files."""

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows `start` to `stop` of a column, counted from the first row of the partition.

        `out`, where given, is a contiguous array of the column's dtype with at least ``stop - start`` elements. Numbers
        are read into it, and the result is a view of it, which is valid until the next read into it. Numbers that are
        in memory may be returned as a read-only view instead, which is valid as long as the reader is open.
        """
        ...

    def read_text(self, column: str, start: int, stop: int) -> Any:
        """Return rows of a column of text, maybe as `akdask.columns.table`: positions in a dictionary."""
        return self.read(column, start, stop)

    def read_rows(self, column: str, rows: NumberArray, out: NumberArray | None = None) -> Any:
        """Return the rows of a column at ascending positions, at least one, numbers maybe in `out`; see `read_text`.

        None where only `read` finds them, with all rows between.
        """
        return None

    def stretches(self, column: str) -> Sequence[Stretch] | None:
        """Return the stretches of all rows of a column, in order; None where only `read` finds them."""
        return None

    def row_bounds(self, column: str, within: RowRanges) -> RowBounds | None:
        """Return known bounds of a column's values in stretches of the rows; None if unknown.

        Lookups are limited to the ranges `within`.
        """
        return None


class Extremes(NamedTuple):
    """The least and the greatest number of a column, found without reading it."""

    least: Any
    greatest: Any
    is_part: bool
    """Whether other rows may be missing: null, NaN or NaT."""


class Part(Protocol):
    """One partition of a source: picklable, no open files.

    A part with an attribute ``is_remote`` that is true is opened before it is its turn: see `opens_early`.
    """

    @property
    def nrows(self) -> int: ...

    def open(self) -> PartReader: ...


def opens_early(part: Part) -> bool:
    """Whether a part starts fetching when it is opened, so that opening it early is of use."""
    return bool(getattr(part, "is_remote", False))


class Source(Protocol):
    """Columns of one row space in a set of files.  Immutable.

    A source that cuts files so that several threads read one has an attribute ``npartitions_by_size``: see
    `partitions_by_size`.  One that knows extremes of columns has a method ``extremes``: see `extremes_of`.
    """

    @property
    def token(self) -> str:
        """Changes whenever the files change (path, size, time of modification)."""
        ...

    @property
    def label(self) -> str:
        """How a user names it, for plans and messages: ``read_hdf('flows_LOCALE*')``."""
        ...

    @property
    def columns(self) -> Mapping[str, ColumnType]: ...

    @property
    def lengths(self) -> Sequence[int]:
        """Rows in each partition."""
        ...

    @property
    def paths(self) -> Sequence[str]:
        """The file of each partition."""
        ...

    def part(self, index: int, columns: Sequence[str]) -> Part:
        """Return one partition, reduced to the given columns."""
        ...

    def bounds(self, column: str) -> Bounds | None:
        """Return known bounds of a column's values in each partition; None if unknown."""
        return None


def extremes_of(source: Source, column: str) -> Extremes | None:
    """Return the least and the greatest number of a column that a source knows exactly, None where it does not."""
    find = getattr(source, "extremes", None)
    return None if find is None else find(column)


def partitions_by_size(source: Source) -> int:
    """Return the number of partitions, or fewer: those if no file had been cut for several threads."""
    return int(getattr(source, "npartitions_by_size", len(source.lengths)))


@record
class ConsecutiveParts:
    """The rows of several parts, in order; implements `Part`.

    Parameters
    ----------
    parts : sequence of Part
        Some with rows.  All are open while any is read.
    """

    parts: Sequence[Part]

    @property
    def nrows(self) -> int:
        """Number of rows."""
        return sum(part.nrows for part in self.parts)

    @property
    def is_remote(self) -> bool:
        """Whether some are not on this machine."""
        return any(map(opens_early, self.parts))

    def open(self) -> ConsecutiveReader:
        """Return a reader, to be used in a ``with`` statement."""
        return ConsecutiveReader(self.parts)


class ConsecutiveReader(PartReader):
    """Reads row ranges of parts that lie end to end; implements `PartReader`."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = parts
        self._stack = ExitStack()
        self._readers: list[tuple[int, int, PartReader]] = []

    def __enter__(self) -> Self:
        with ExitStack() as opened:
            stop = 0
            for part in self._parts:
                start, stop = stop, stop + part.nrows
                if start < stop:
                    self._readers.append((start, stop, opened.enter_context(part.open())))
            self._stack = opened.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def read(self, column: str, start: int, stop: int, out: NumberArray | None = None) -> Column:
        """Return rows `start` to `stop` of a column, counted from the first of all, as each part does."""
        parts = []
        for reader, begin, end, at in self._within(start, stop):
            target = None if out is None else out[at : at + end - begin]
            parts.append(reader.read(column, begin, end, target))
        if out is not None and isinstance(parts[0], np.ndarray):
            return joined_in(out, parts)
        return concat_rows(parts)

    def read_text(self, column: str, start: int, stop: int) -> Any:
        """Return rows of a column of text, encoded where all parts give it so."""
        return concat_text(
            [reader.read_text(column, begin, end) for reader, begin, end, _ in self._within(start, stop)]
        )

    def _within(self, start: int, stop: int) -> Iterator[tuple[PartReader, int, int, int]]:
        """Yield the parts that some rows lie in, which rows of each they are, and how many come before these."""
        for first, last, reader in self._readers:
            begin, end = max(first, start), min(last, stop)
            if begin < end:
                yield reader, begin - first, end - first, begin - start

    def stretches(self, column: str) -> list[Stretch] | None:
        """Return the stretches of a column, in order; None where a part does not have them."""
        found: list[Stretch] = []
        for _, _, reader in self._readers:
            some = reader.stretches(column)
            if some is None:
                return None
            found += some
        return found
