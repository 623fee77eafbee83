"""The labels of Categoricals: made of strings, joined with others, and looked up for rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from akdask.collections.arrays.creation import array
from akdask.collections.core.array import Array
from akdask.collections.core.selection import filter_columns
from akdask.collections.text.strings import Strings
from akdask.errors import ArgumentTypeError
from akdask.plan.expr.missing_text import demanded
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import Call, Replica, Value
from akdask.plan.join.categories import CategoryTable, Distinct
from akdask.plan.task.combine import Gather
from akdask.plan.task.compact import joined


def looked_up(labels: CategoryTable, value: Value, codes: Value) -> Call:
    """Evaluate a value once for each label, and look it up for each row."""
    table = Project(labels, (0,), (value,))
    return Call("lookup", Replica(table, 0, value.dtype), codes)


def strings_of(items: Any) -> Strings:
    """Return what labels or elements are given as as Strings; an error if they are no strings."""
    if isinstance(items, str | bytes) or not hasattr(items, "__len__"):
        raise ArgumentTypeError(f"expected an array or sequence of strings, got {type(items).__name__}.")
    if not isinstance(items, Array) or (not isinstance(items, Strings) and items.rows.size == 0):
        # NumPy, and Arkouda's array() too, would make floats of no elements.
        items = array(items if not isinstance(items, Array) and len(items) else np.array([], dtype=str))
    strings: Array = items
    if not isinstance(strings, Strings):
        raise ArgumentTypeError(
            f"a Categorical is made of strings, not of {type(strings).__name__}({strings._value.dtype}).",
            hint="convert numbers to strings first: Categorical(ak.cast(a, 'str')).",
        )
    return strings


def in_one_partition(strings: Strings) -> Frame:
    """Return a one-partition frame whose only column are the strings."""
    return Gather(Project(strings._frame, (0,), (demanded(strings._value),)))


def union_of(tables: Sequence[CategoryTable], na: str) -> CategoryTable:
    """Return a table of the labels of several, but for those that stand for missing, and `na`.

    Ordered tables of the same labels in the same order are one of them; whether they are is computed.
    """
    different = list(dict.fromkeys(tables))
    if all(table.is_ordered for table in different) and len({*map(tuple, map(labels_in_order, different))}) == 1:
        return different[0]
    frame = joined([Project(table, (0,), (table.label,)) for table in different])
    return CategoryTable(Distinct.of(frame, frame.column(0)), na)


def labels_in_order(table: CategoryTable) -> list[str]:
    """Return the labels but for the one for missing, in their order; computes."""
    there = filter_columns(table, [table.label], table, Call("logical_not", table.is_na))
    return list(Strings(there[0], there[1][0]).tolist())
