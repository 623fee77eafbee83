"""The interface of group strategies: how the rows of a partition are grouped, and groups of partitions are merged.

A strategy has two parts.  A `GroupStrategy` takes the rows of one partition and gives a `PartialTable`; partial tables
are handed on between tasks, which may split them at splitters, and `merge_partial_tables` joins those of one range of
the keys.  Which strategy is taken is decided by `akdask.operators.group.partial`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from akdask.columns.table import Table
from akdask.typing import Column

if TYPE_CHECKING:
    from akdask.operators.keys.string_codes import EncodedStrings


class TableMerge(Protocol):
    """How tables that are sorted by key become one."""

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide to which range of the result a row belongs."""
        ...

    @property
    def reduces(self) -> bool:
        """Whether merging leaves fewer rows, the same whatever the order of the tables."""
        ...

    @property
    def rounds(self) -> bool:
        """Whether the last bits depend on the steps in which tables are merged."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several; at least one must be given."""
        ...

    def merge_cached(self, tables: Sequence[Table], known: Any | None) -> tuple[Table, KeyGrouping | None]:
        """Return the same, and how the rows were grouped, if that can be reused: as `known` the next time."""
        ...

    def finish(self, table: Table) -> Table:
        """Return the results."""
        ...


class RowAggregation(Protocol):
    """What makes tables of rows, sorted by key."""

    @property
    def nkeys(self) -> int:
        """Number of keys, which are the first columns."""
        ...

    @property
    def encoded_keys(self) -> int:
        """Number of leading keys that may come as encoded strings."""
        ...

    def group(self, keys: Sequence[Column | EncodedStrings]) -> KeyGrouping:
        """Return rows by key."""
        ...

    def grouped(self, grouping: Any, values: Sequence[Column]) -> Table:
        """Return the table of rows that have been grouped."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several; at least one must be given."""
        ...


class KeyGrouping(Protocol):
    """How rows are grouped by their keys, to be cached for later aggregations of the same rows."""

    kind: ClassVar[str]
    """The strategy that groups so."""

    @property
    def nbytes(self) -> int:
        """Bytes that it occupies."""
        ...


class GroupSplitters(Protocol):
    """Where the keys are split into ranges."""

    def split_table(self, table: Table, count: int, nkeys: int) -> list[Table]:
        """Return the rows of each of `count` ranges, of a table sorted by key, without a copy."""
        ...


class KeySample(ABC):
    """What is known of the keys of a partial table where splitters are chosen."""

    precedence: ClassVar[int]
    """Of several kinds of samples, only those of the highest precedence choose the splitters."""

    @classmethod
    @abstractmethod
    def choose_splitters(cls, samples: Sequence[Any], count: int) -> GroupSplitters:
        """Return splitters that share the rows of all samples out among `count` ranges."""


class PartialTable(ABC):
    """Groups of the rows of one partition, or of one range of their keys."""

    __slots__ = ()

    precedence: ClassVar[int]
    """Of several kinds of partial tables, those of the highest precedence say how all are merged."""

    @property
    @abstractmethod
    def nrows(self) -> int:
        """Number of rows that it holds."""

    @abstractmethod
    def table(self) -> Table:
        """Return the groups, sorted by key."""

    @abstractmethod
    def sample(self, nkeys: int, most: int, number: int = 0) -> KeySample:
        """Return what stands for its keys, at most so many where rows are chosen, by its number among other tables."""

    @abstractmethod
    def split(self, splitters: Any, count: int, nkeys: int) -> list[Self]:
        """Return the rows of each of `count` ranges, without a copy."""

    def slices(self, splitters: Any, count: int, nkeys: int) -> Sequence[Sequence[PartialTable]]:
        """Return the same as an exchange takes it: one part for each range."""
        return [[item] for item in self.split(splitters, count, nkeys)]

    @abstractmethod
    def own(self) -> Self:
        """Return the same, keeping nothing else in memory."""

    @classmethod
    @abstractmethod
    def merge(
        cls, merging: TableMerge, parts: Sequence[Any], known: Any | None, *, caches: bool
    ) -> tuple[Table, KeyGrouping | None]:
        """Return one table of partial tables that are all of this kind, or sorted.

        If `caches`, also how their rows are grouped, where that can be reused: it is `known` the next time.
        """

    def small_table(self, most: int) -> Table | None:
        """Return the table where it has so few rows that it is worth merging before it is split; None otherwise."""
        return None


class GroupStrategy(ABC):
    """How the rows of a partition are grouped; an object holds what it has made of them.

    Parameters
    ----------
    aggregation : RowAggregation
        What is computed of the groups.
    """

    caches: ClassVar[bool] = True
    """Whether a grouping can be added again, with other values, by later aggregations of the same rows."""

    def __init__(self, aggregation: Any) -> None:
        self.aggregation = aggregation

    @abstractmethod
    def accepts(self, keys: Sequence[Any], values: Sequence[Column]) -> Any | None:
        """Return how rows are grouped by their keys, to be given to `add`; None to leave them to another strategy."""

    @abstractmethod
    def add(self, grouping: Any, values: Sequence[Column]) -> None:
        """Add rows that have been grouped."""

    @abstractmethod
    def finish(self) -> PartialTable:
        """Return the groups of all rows."""


def merge_partial_tables(
    merging: TableMerge, parts: Sequence[PartialTable], known: KeyGrouping | None = None, *, caches: bool = False
) -> tuple[Table, KeyGrouping | None]:
    """Return one table of several partial tables of the same range of keys, at least one; see `PartialTable.merge`."""
    leading = max(parts, key=lambda part: part.precedence)
    return leading.merge(merging, parts, known, caches=caches)


def choose_splitters(samples: Sequence[KeySample], count: int) -> GroupSplitters:
    """Return splitters that share the rows of all samples out among `count` ranges, at least one sample."""
    precedence = max(sample.precedence for sample in samples)
    leading = [sample for sample in samples if sample.precedence == precedence]
    return leading[0].choose_splitters(leading, count)
