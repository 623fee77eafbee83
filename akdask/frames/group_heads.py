"""First rows of each group in the order of some columns, with their other columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Generic, TypeVar

from akdask.arrays.array import Array
from akdask.arrays.groupby import ColumnGroups, GroupBy
from akdask.arrays.selection import position, take_columns
from akdask.engine.node import Frame
from akdask.engine.rowwise import Zip
from akdask.engine.values import ColumnRef, Value
from akdask.frames.columnset import ColumnSet
from akdask.frames.dataframe import DataFrame
from akdask.operators.group.arrange import TopRowsOfGroups
from akdask.operators.sort.sort import Sort, key_order, sorted_rows

Rows = TypeVar("Rows", bound=DataFrame)


def first_of_groups(
    groups: GroupBy, columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool], count: int
) -> ColumnSet:
    """Return the first rows of each group in the order of some columns, with rows of a group adjacent."""
    by, directions = key_order([key._sort_key(up) for key, up in zip(keys, ascending, strict=True)], ascending)
    first = groups._first_in_order(by, directions, position(count))
    return columns.on(lambda frame, values: _taken(first, frame, values))


def _taken(first: TopRowsOfGroups, frame: Frame, values: Sequence[Value]) -> tuple[Frame, list[Value]]:
    """Return columns of the first rows; the node has the columns of keys and order already."""
    others = [value for value in values if value not in first.known]
    if not others:
        return first, [first.known[value] for value in values]
    at, found = take_columns(frame, others, first, first.position)
    columns = {**first.known, **dict(zip(others, found, strict=True))}
    return at if at is first else Zip((at, first)), [columns[value] for value in values]


def first_of_sorted_groups(groups: GroupBy, columns: ColumnSet, count: int, in_order: bool) -> ColumnSet | None:
    """Return the first rows of each group of rows that have been sorted, without sorting all of them.

    None unless the columns come from a sort, and the keys of the groups are among them.  If `in_order`, rows come in
    the order of the sort; otherwise rows of a group are adjacent.
    """
    sort, given = columns.frame, columns.numbered()
    if not isinstance(sort, Sort) or given.frame is not sort or groups._known_keys is not None or count < 0:
        return None
    before = dict(zip(sort.frame.names, sort.frame.values, strict=True))

    def unsorted(frame: Frame, values: Iterable[Value]) -> list[Value]:
        refs = [value for value in values if isinstance(value, ColumnRef) and value.source == sort._name]
        return [before[ref.name] for ref in refs] if frame is sort else []

    columns_there, keys = list(given.values.values()), [key._value for key in groups._arrays]
    values = unsorted(given.frame, columns_there if given.index is None else [*columns_there, given.index])
    known = [found for key in groups._arrays for found in unsorted(key._frame, [key._value])]
    if len(values) < len(columns_there) + (given.index is not None) or len(known) < len(keys):
        return None
    source = sort.frame.frame
    by = [(source, key) for key in sort.keys]
    arrays = [key._like(source, value) for key, value in zip(groups._arrays, known, strict=True)]
    again = ColumnGroups(arrays if groups._several else arrays[0], dropna=groups.dropna)
    first = again._first_in_order(by, sort.order.ascending, count)

    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        wanted = values if not in_order else [*values, *sort.keys]
        frame, found = _taken(first, frame, wanted)
        if not in_order:
            return frame, found
        taken, order = found[: len(values)], [(frame, key) for key in found[len(values) :]]
        ordered, moved = sorted_rows(
            [*order, (first, first.position)],
            [*sort.order.ascending, True],
            [(frame, value) for value in taken],
        )
        return ordered, list(moved)

    named = dict(zip(given.values, values, strict=False))
    index = None if given.index is None else values[-1]
    return replace(given, frame=source, values=named, index=index).moved(select)


class GroupTopMethods(Generic[Rows]):
    """Methods of `DataFrameGroupBy` that choose rows of each group by their values."""

    gb: GroupBy
    df: Rows

    def _columns(self, names: Any) -> list[str]:
        raise NotImplementedError

    def nlargest(self, n: int = 5, columns: str | Sequence[str] | None = None) -> Rows:
        """Return the rows of each group with the largest values, the largest first; lazy, and without sorting others.

        Parameters
        ----------
        n : int, default 5
            How many rows of each group, at most.
        columns : str or list of str, optional
            The columns to order by, the first one first; the columns of ``groups[columns]`` unless given.

        Returns
        -------
        DataFrame
            Rows keep their labels, and rows of a group are adjacent.  Equal rows keep their order.  Rows with missing
            values appear only if a group has too few others.

        Raises
        ------
        MissingColumnError
            If there is no column of a name.
        ArgumentTypeError
            If `columns` are no names.

        Notes
        -----
        Pandas' groups of a Series have such a method, which gives the values alone.

        Examples
        --------
        >>> import akdask as ak
        >>> df = ak.DataFrame({"k": [1, 2, 1, 1], "x": [5, 6, 9, 7]})
        >>> df.groupby("k").nlargest(2, "x").to_pandas()
           k  x
        2  1  9
        3  1  7
        1  2  6
        """
        return self._in_order(n, columns, ascending=False)

    def nsmallest(self, n: int = 5, columns: str | Sequence[str] | None = None) -> Rows:
        """Return the rows of each group with the smallest values, the smallest first; lazy.  See `nlargest`."""
        return self._in_order(n, columns, ascending=True)

    def _in_order(self, n: int, columns: str | Sequence[str] | None, *, ascending: bool) -> Rows:
        keys = [self.df._columns.array(name) for name in self._columns(columns)]
        rows: Rows = self.df._of(first_of_groups(self.gb, self.df._columns, keys, [ascending] * len(keys), n))
        return rows
