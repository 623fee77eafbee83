"""The first rows of each group in the order of some columns, with the other columns of these rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from akdask.collections.core.array import Array
from akdask.collections.core.selection import position, take_columns
from akdask.collections.frame_core.columnset import ColumnSet
from akdask.collections.groups.groupby import GroupBy
from akdask.plan.expr.node import Frame
from akdask.plan.expr.values import ColumnRef, Value
from akdask.plan.sort.sort import Sort, key_order, sorted_rows


def first_of_groups(
    groups: GroupBy, columns: ColumnSet, keys: Sequence[Array], ascending: Sequence[bool], count: int
) -> ColumnSet:
    """Return the first rows of each group in the order of some columns, those of one group together."""
    by, directions = key_order([key._sort_key() for key in keys], ascending)
    first = groups._first_in_order(by, directions, position(count))
    return columns.on(lambda frame, values: take_columns(frame, values, first, first.position))


def first_of_sorted_groups(groups: GroupBy, columns: ColumnSet, count: int, in_order: bool) -> ColumnSet | None:
    """Return the first rows of each group of rows that have been sorted, without sorting all of them.

    None unless the columns are those of a sort, and groups are made of some of these.  If `in_order`, rows come in the
    order of the sort; otherwise those of one group together.
    """
    sort, given = columns.frame, columns.numbered()
    if not isinstance(sort, Sort) or given.frame is not sort or groups._known_keys is not None or count < 0:
        return None
    before = dict(zip(sort.frame.names, sort.frame.values, strict=True))

    def unsorted(frame: Frame, value: Value | None) -> Value | None:
        return (
            before[value.name]
            if frame is sort and isinstance(value, ColumnRef) and value.source == sort._name
            else None
        )

    values = {name: unsorted(given.frame, value) for name, value in given.values.items()}
    index = unsorted(given.frame, given.index)
    keys = [unsorted(key._frame, key._value) for key in groups._arrays]
    if None in (*values.values(), index, *keys):
        return None
    source = sort.frame.frame
    by = [(source, key) for key in sort.keys]
    arrays = [key._like(source, value) for key, value in zip(groups._arrays, keys, strict=True)]
    again = GroupBy(arrays if groups._several else arrays[0], dropna=groups.dropna)
    first = again._first_in_order(by, sort.order.ascending, count)

    def select(frame: Frame, values: list[Value]) -> tuple[Frame, list[Value]]:
        wanted = values if not in_order else [*values, *sort.keys]
        frame, found = take_columns(frame, wanted, first, first.position)
        if not in_order:
            return frame, found
        taken, order = found[: len(values)], [(frame, key) for key in found[len(values) :]]
        ordered, moved = sorted_rows(
            [*order, (first, first.position)],
            [*sort.order.ascending, True],
            [(frame, value) for value in taken],
        )
        return ordered, list(moved)

    return replace(given, frame=source, values=values, index=index).moved(select)
