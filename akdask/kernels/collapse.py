"""Tables of groups: one row for each, sorted by key, with the states of its reductions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from akdask.columns import Table, concat_rows, take_rows
from akdask.kernels.dictionary import Numbered
from akdask.kernels.grid import Grid
from akdask.kernels.group import Codes, Groups, Stack, group_rows
from akdask.kernels.grouped import GROUPED, State
from akdask.kernels.pieces import scattered, sliced
from akdask.typing import Column, NumberArray

CELLS_PER_ROW = 2
"""Cells of a grid that take less time than sorting a row does."""


@dataclass(frozen=True, slots=True)
class Step:
    """One reduction of columns of the rows.

    Parameters
    ----------
    name : str
        A key of ``GROUPED``.
    columns : tuple of int
        What it takes, by position among the values: a column, and the numbers of the rows where they matter.
    skipna : bool
        Whether NaN are left out.
    params : tuple of (str, object)
        Arguments of the last step.
    """

    name: str
    columns: tuple[int, ...]
    skipna: bool = True
    params: tuple[tuple[str, Any], ...] = ()


class Merging(Protocol):
    """How tables that are sorted by key become one."""

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide to which range of the result a row belongs."""
        ...

    def keys(self, table: Table) -> list[Column]:
        """Return the key columns of a table."""
        ...

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several; at least one must be given."""
        ...

    def finish(self, table: Table) -> Table:
        """Return the results."""
        ...


@dataclass(frozen=True, slots=True)
class Collapse:
    """Reductions of rows with equal keys to one row.

    Tables have the keys under the names 0, 1, … and the states under (step, number).

    Parameters
    ----------
    nkeys : int
        Number of columns that the rows are grouped by.
    steps : tuple of Step
        What is computed.
    """

    nkeys: int
    steps: tuple[Step, ...]

    @property
    def cut_keys(self) -> int:
        """Number of leading keys that decide to which range of the result a row belongs."""
        return self.nkeys

    def rows(self, keys: Sequence[Column], values: Sequence[Column]) -> Table:
        """Return the table of some rows."""
        numbered = Numbered(keys)
        numbers, count = numbered.columns, len(numbered.columns)
        pieces = scattered(numbers, [*numbers, *values])
        if pieces is None:
            return self._restored(numbered, self.rows_at_once(numbers, values))
        tables = [self.rows_at_once(piece[:count], piece[count:]) for piece in pieces]
        return self._restored(numbered, Table.concat(tables))

    def rows_at_once(self, keys: Sequence[Column], values: Sequence[Column]) -> Table:
        """Return the same as `rows`, which is faster for many."""
        return self._collapsed(keys, lambda groups: self.partial(groups, values))

    def cells(self, keys: Sequence[Column], states: Sequence[State], cells: NumberArray) -> Table:
        """Return the table of groups given by their keys, with the states in some cells of a grid."""
        return self._table(keys, [tuple(take_rows(column, cells) for column in state) for state in states])

    def merge(self, tables: Sequence[Table]) -> Table:
        """Return one table of several, which may have groups in common; at least one must be given."""
        if len(tables) == 1:
            return tables[0]
        return Table.concat([self.merge_at_once(lot) for lot in sliced(tables)])

    def merge_at_once(self, tables: Sequence[Table]) -> Table:
        """Return the same as `merge`, which is faster for many rows."""
        if len(tables) == 1:
            return tables[0]
        joined = Table.concat(tables)
        numbered = Numbered(self.keys(joined))
        states = self._states(joined)
        return self._restored(numbered, self._collapsed(numbered.columns, lambda groups: self._again(groups, states)))

    def relabelled(self, table: Table, keys: Sequence[Column]) -> Table:
        """Return a table with other keys, each as often as before, sorted by these."""
        permutation = group_rows(keys).permutation
        assert permutation is not None, "rows were grouped by sorting"
        return self._with_keys(table, keys).take(permutation)

    def _collapsed(self, keys: Sequence[Column], reduce: Callable[[Groups], list[State]]) -> Table:
        """Sort only where the keys span much, for numbering cells is faster."""
        grid = Grid.around(keys) if len(keys[0]) else None
        if grid is not None and grid.cells <= CELLS_PER_ROW * len(keys[0]):
            codes = Codes(grid.codes(keys), grid.cells)
            cells = np.flatnonzero(codes.sizes())
            return self.cells(grid.keys(cells, [key.dtype for key in keys]), reduce(codes), cells)
        runs = group_rows(keys)
        firsts = runs.firsts()
        return self._table([take_rows(key, firsts) for key in keys], reduce(runs))

    def partial(self, groups: Groups, values: Sequence[Column]) -> list[State]:
        """Return the states of some rows."""
        states = []
        for step in self.steps:
            columns = [values[number] for number in step.columns] or [None]
            states.append(GROUPED[step.name].partial(groups, *columns, skipna=step.skipna))
        return states

    def merge_cells(self, layers: Sequence[Sequence[State]], cells: int) -> list[State]:
        """Return the states of the same groups of several lots of rows put together."""
        states = [
            tuple(concat_rows(columns) for columns in zip(*parts, strict=True)) for parts in zip(*layers, strict=True)
        ]
        return self._again(Stack(len(layers), cells), states)

    def finish(self, table: Table) -> Table:
        """Return the keys and the results, named by their numbers."""
        results = [
            GROUPED[step.name].finalize(*state, **dict(step.params))
            for step, state in zip(self.steps, self._states(table), strict=True)
        ]
        return Table(dict(enumerate([*self.keys(table), *results])), table.nrows)

    def keys(self, table: Table) -> list[Column]:
        """Return the key columns of a table."""
        return [table.columns[number] for number in range(self.nkeys)]

    def _states(self, table: Table) -> list[State]:
        states: list[list[Column]] = [[] for _ in self.steps]
        for name, column in table.columns.items():
            if isinstance(name, tuple):
                states[name[0]].append(column)
        return [tuple(state) for state in states]

    def _again(self, groups: Groups, states: Sequence[State]) -> list[State]:
        return [
            GROUPED[step.name].merge(groups, *state, skipna=step.skipna)
            for step, state in zip(self.steps, states, strict=True)
        ]

    def _restored(self, numbered: Numbered, table: Table) -> Table:
        """Return a table of numbers with the keys that they stand for."""
        keys = numbered.restored([table.columns[number] for number in range(len(numbered.columns))])
        return self._table(keys, self._states(table))

    def _with_keys(self, table: Table, keys: Sequence[Column]) -> Table:
        return Table({**table.columns, **dict(enumerate(keys))}, table.nrows)

    def _table(self, keys: Sequence[Column], states: Sequence[State]) -> Table:
        named: dict[Hashable, Column] = dict(enumerate(keys))
        named |= {(step, number): column for step, state in enumerate(states) for number, column in enumerate(state)}
        return Table(named, len(keys[0]))
