"""Interfaces of group strategies, which group the rows of a partition and merge the groups of partitions.

A strategy has two parts. A `GroupStrategy` makes a `PartialTable` from the rows of one partition. Tasks pass on partial
tables, and may split them at splitters. `merge_partial_tables` then merges the tables of one key range.
`akdask.operators.group.partial` chooses the strategy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from akdask.columns.table import Table
from akdask.engine.spillable import OnDisk, Spillable
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.operators.keys.string_codes import EncodedStrings


class TableMerge(Protocol):
    """Merges tables that are sorted by key."""

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide the range of a row in the result."""
        ...

    @property
    def reduces(self) -> bool:
        """Whether merging drops rows, the same in any order of the tables."""
        ...

    @property
    def rounds(self) -> bool:
        """Whether rounding depends on the steps in which tables are merged."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; at least one must be given."""
        ...

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, KeyGrouping | None]:
        """Merge tables to one, and return the grouping of their rows, if reusable, to pass as `known` next time."""
        ...

    def finish(self, table: Table) -> Table:
        """Return the results."""
        ...


class RowAggregation(Protocol):
    """Makes tables of rows, sorted by key."""

    @property
    def nkeys(self) -> int:
        """Number of keys, which are the first columns."""
        ...

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may be encoded strings."""
        ...

    def group(self, keys: Sequence[Column | EncodedStrings]) -> KeyGrouping:
        """Return rows by key."""
        ...

    def grouped(self, grouping: Any, values: Sequence[Column]) -> Table:
        """Return the table of rows that have been grouped."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Merge tables to one; at least one must be given."""
        ...


class KeyGrouping(Protocol):
    """A grouping of rows by their keys, cached for later aggregations of the same rows."""

    kind: ClassVar[str]
    """The strategy that made the grouping."""

    @property
    def nbytes(self) -> int:
        """Bytes that it takes."""
        ...


class GroupSplitters(Protocol):
    """The keys at which ranges begin."""

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each of `count` ranges of a table sorted by key, without a copy."""
        ...


class KeySample(ABC):
    """A sample of a partial table's keys, to choose splitters from."""

    precedence: ClassVar[int]
    """If there are several kinds of samples, the one of the highest precedence chooses the splitters."""

    @classmethod
    @abstractmethod
    def choose_splitters(cls, samples: Sequence[Any], count: int) -> GroupSplitters:
        """Return splitters that divide the rows of all samples into `count` ranges."""


class PartialTable(Spillable):
    """Groups of the rows of one partition, or of one range of their keys."""

    __slots__ = ()

    precedence: ClassVar[int]
    """If there are several kinds of partial tables, the one of the highest precedence decides how all are merged."""

    @property
    @abstractmethod
    def nrows(self) -> int:
        """Number of rows in the table."""

    @abstractmethod
    def table(self) -> Table:
        """Return the groups, sorted by key."""

    @abstractmethod
    def sample(self, nkeys: int, most: int, number: int = 0) -> KeySample:
        """Return a sample of the keys, of at most so many rows, chosen by the number of the table."""

    @abstractmethod
    def split(self, splitters: Any, count: int, nkeys: int) -> list[Self]:
        """Return the rows of each of `count` ranges, without a copy."""

    def slices(self, splitters: Any, count: int, nkeys: int) -> Sequence[Sequence[PartialTable]]:
        """Return the ranges for an exchange: one part for each."""
        return [[item] for item in self.split(splitters, count, nkeys)]

    @abstractmethod
    def own(self) -> Self:
        """Return a copy that keeps nothing else in memory."""

    def to_disk(self) -> OnDisk:
        from akdask.engine.tables_on_disk import ItemOnDisk

        return ItemOnDisk(self)

    @classmethod
    @abstractmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[Any], known: Any | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        """Merge partial tables that are all of this kind, or sorted.

        If `caches`, also return the grouping of their rows, if it can be reused: it is `known` the next time.
        """

    def small_table(self, most: int) -> Table | None:
        """Return the table if it has so few rows that merging it before the split pays; None otherwise."""
        return None


class GroupStrategy(ABC):
    """A way of grouping the rows of a partition; an object holds the partial results of one partition.

    Parameters
    ----------
    aggregation : RowAggregation
        The reductions.
    """

    caches: ClassVar[bool] = True
    """Whether a grouping can be added again, with other values, by later aggregations of the same rows."""

    def __init__(self, aggregation: Any) -> None:
        self.aggregation = aggregation

    @abstractmethod
    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> Any | None:
        """Return the grouping of the rows, which `add` takes; None to leave the rows to another strategy."""

    @abstractmethod
    def add(self, grouping: Any, values: Sequence[Column]) -> None:
        """Add rows that have been grouped."""

    @abstractmethod
    def finish(self) -> PartialTable:
        """Return the groups of all rows."""


def merge_partial_tables(
    merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None = None, *, caches: bool = False
) -> tuple[Table, KeyGrouping | None]:
    """Merge partial tables of one key range, at least one; see `PartialTable.merge`."""
    leading = max(parts, key=lambda part: part.precedence)
    return leading.merge(merging, parts, known, caches=caches)


def choose_splitters(samples: Sequence[KeySample], count: int) -> GroupSplitters:
    """Return splitters that divide the rows of all samples into `count` ranges; at least one sample must be given."""
    precedence = max(sample.precedence for sample in samples)
    leading = [sample for sample in samples if sample.precedence == precedence]
    return leading[0].choose_splitters(leading, count)
