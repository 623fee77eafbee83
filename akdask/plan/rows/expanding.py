"""Frames whose rows depend on all rows before them: expanding reductions, and linear recurrences."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from akdask.columns import Table
from akdask.kernels.reductions.windows import (
    expanded_results,
    expanded_states,
    linear_recurrence,
    merged_states,
    reduced_integers,
    total_of,
)
from akdask.plan.expr._dask import Expr
from akdask.plan.expr.lower import lower
from akdask.plan.expr.rowwise import Project
from akdask.plan.rows.neighbours import PartitionChain, WithNeighbours
from akdask.plan.task.tables import Tasks
from akdask.schema import FLOAT64, ColumnType

States = dict[Hashable, Any]
"""By column, the state of its reduction."""


class Expanded(WithNeighbours):
    """A reduction of each row and all rows before it, of each column of the projection.

    These are float64, or for sums and means integers.
    """

    frame: Project
    name: str
    least: int
    ddof: int

    def dtype_of(self, name: Hashable) -> ColumnType:
        return FLOAT64

    def describe(self) -> str:
        return f"{self.name} of all rows so far"


class Recurrence(WithNeighbours):
    """``y = factor * y + term``, row by row from 0: columns 0 and 1 of the projection are factors and terms, float64.

    The results are its column 1.
    """

    frame: Project

    def describe(self) -> str:
        return "Recurrence"


@lower.register
def _(frame: Expanded) -> Expr:
    count = frame.npartitions
    parts = Tasks(
        f"totals {frame._name}", _total, tuple((((0, number),), (frame.name,)) for number in range(count)), frame.frame
    )
    before = PartitionChain(f"totals before {frame._name}", _merged, (frame.name,), False, parts)
    reduction = (frame.name, frame.least, frame.ddof)
    calls = tuple((((0, number), (1, number)), reduction) for number in range(count))
    return Tasks(frame._name, _expand, calls, frame.frame, before)


def _total(tables: Sequence[Table], name: str) -> States | None:
    (table,) = tables
    if not table.nrows:
        return None
    return {number: _last_state(name, column) for number, column in table.columns.items()}


def _last_state(name: str, column: Any) -> Any:
    """Return the state of a reduction of a whole column: of integers how many they are, and their sum."""
    if column.dtype.kind != "f":
        return len(column), total_of(column)
    return tuple(part[-1:] for part in expanded_states(name, column))


def _merged(earlier: States | None, part: States | None, name: str) -> States | None:
    if earlier is None or part is None:
        return part if earlier is None else earlier
    return {number: _merged_state(name, state, part[number]) for number, state in earlier.items()}


def _merged_state(name: str, one: Any, other: Any) -> Any:
    if isinstance(one[1], int):
        return one[0] + other[0], one[1] + other[1]
    return merged_states(name, one, other)


def _expand(inputs: Sequence[Any], name: str, least: int, ddof: int) -> Table:
    table, before = inputs
    found = {}
    for number, column in table.columns.items():
        if column.dtype.kind != "f":
            begins, ends = np.zeros(len(column), np.int64), np.arange(1, len(column) + 1)
            known = (0, 0) if before is None else before[number]
            found[number] = reduced_integers(name, column, begins, ends, least=least, before=known)
            continue
        states = expanded_states(name, column)
        merged = states if before is None else merged_states(name, before[number], states)
        found[number] = expanded_results(name, merged, least=least, ddof=ddof)
    return Table(found, table.nrows)


@lower.register
def _(frame: Recurrence) -> Expr:
    count = frame.npartitions
    parts = Tasks(f"last {frame._name}", _last, tuple((((0, number),), ()) for number in range(count)), frame.frame)
    before = PartitionChain(f"last before {frame._name}", _continued, (), False, parts)
    calls = tuple((((0, number), (1, number)), ()) for number in range(count))
    return Tasks(frame._name, _recur, calls, frame.frame, before)


def _last(tables: Sequence[Table]) -> tuple[float, float]:
    """Return the product of all factors of a partition, and its last result from 0."""
    (table,) = tables
    products, results = linear_recurrence(*_both(table))
    return (float(products[-1]), float(results[-1])) if table.nrows else (1.0, 0.0)


def _continued(earlier: tuple[float, float] | None, part: tuple[float, float]) -> tuple[float, float]:
    if earlier is None:
        return part
    return earlier[0] * part[0], earlier[1] * part[0] + part[1]


def _recur(inputs: Sequence[Any]) -> Table:
    table, before = inputs
    factors, terms = _both(table)
    products, results = linear_recurrence(factors, terms)
    return Table({0: factors, 1: results if before is None else results + products * before[1]}, table.nrows)


def _both(table: Table) -> tuple[Any, Any]:
    return table.columns[0], table.columns[1]
