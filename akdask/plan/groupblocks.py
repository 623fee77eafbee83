"""What a partition makes of its rows where they are grouped: a table sorted by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from akdask.columns import StringsBuilder, Table, concat_rows, empty, new_array
from akdask.kernels.arrange import Arrangement
from akdask.kernels.collapse import Collapse
from akdask.kernels.grouping import Grouping
from akdask.kernels.scattered import Placement, Scattered
from akdask.kernels.slab import Slab
from akdask.kernels.tally import Tallies
from akdask.plan import kept
from akdask.plan._dask import Expr
from akdask.plan.blocks import Block, Lot, Partition
from akdask.plan.lots import lots_of
from akdask.plan.node import Frame
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Program
from akdask.plan.sinks import Sink
from akdask.plan.tokens import token
from akdask.plan.values import Value
from akdask.schema import STR
from akdask.typing import Column

Gathering: TypeAlias = Collapse | Arrangement
"""Makes a table of rows: reduced to one for each group, or all of them."""


def group_partitions(
    frame: Frame,
    values: Sequence[Value],
    gathering: Gathering,
    purpose: str,
    kept_as: str | None = None,
    *,
    in_slabs: bool = False,
) -> Expr:
    """Return the node that makes sorted tables of the partitions of a frame; the first values are the keys.

    Groupings of partitions are kept under the name `kept_as`, if one is given.  If `in_slabs`, some are slabs instead.
    """

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        nkeys = gathering.nkeys
        name = None if kept_as is None else (kept_as, token(tuple(values[:nkeys])))
        return GroupBlocks(compile_these(values), compile_these(values[nkeys:]), gathering, name, in_slabs)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(gathering)[:8]}"
    return pipeline(frame, values, sink, purpose, lots=lots_of(frame, values[: gathering.nkeys]))


@dataclass(frozen=True, slots=True)
class GroupBlocks:
    """Group the rows of a partition.

    While their keys span few cells, blocks are tallied one by one; what follows is held in memory and sorted.
    """

    program: Program
    without_keys: Program
    gathering: Gathering
    kept_as: kept.Key | None = None
    in_slabs: bool = False
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | Lot) -> Table | Slab | Scattered:
        name = None if self.kept_as is None else (*self.kept_as, *partition.identity)
        found = kept.find(name)
        if isinstance(self.gathering, Collapse) and isinstance(found, Placement):
            return Scattered.of(self.gathering, found, self._values(partition))
        if isinstance(self.gathering, Collapse) and isinstance(found, Grouping):
            return self.gathering.grouped(found, self._values(partition))
        tallies = Tallies(self.gathering, partition.nrows) if isinstance(self.gathering, Collapse) else None
        held = Held(self.program, partition.nrows)
        for block in partition.blocks():
            # Once it is known that tallying does not pay, rows are read to where they stay.
            if tallies is None or tallies.closed or not tallies.add(*self._parted(block.evaluate(self.program))):
                held.add(block)
        tables = [] if tallies is None else tallies.tables()
        if tables and not held.nrows:
            return self.gathering.merge(tables)
        keys, values = self._parted(held.columns())
        if not tables and self.in_slabs and isinstance(self.gathering, Collapse):
            placement = Placement.of(keys)
            if placement is not None:
                return Scattered.of(self.gathering, kept.keep(name, placement), values)
            slab = Slab.of(self.gathering, keys, values)
            if slab is not None:
                return slab
        # What was tallied in part is quickly found again.
        return self.gathering.merge([*tables, self._sorted(keys, values, None if tables else name)])

    def _sorted(self, keys: list[Column], values: list[Column], name: kept.Key | None) -> Table:
        if isinstance(self.gathering, Arrangement):
            return self.gathering.rows(keys, values)
        return self.gathering.grouped(kept.keep(name, Grouping(keys)), values)

    def _values(self, partition: Partition | Lot) -> list[Column]:
        held = Held(self.without_keys, partition.nrows)
        for block in partition.blocks() if self.without_keys.outputs else ():
            held.add(block)
        return held.columns()

    def _parted(self, columns: list[Column]) -> tuple[list[Column], list[Column]]:
        return columns[: self.gathering.nkeys], columns[self.gathering.nkeys :]


class Held:
    """What a program makes of several blocks, most of it at once where it stays: untouched memory costs nothing.

    Parameters
    ----------
    program : Program
        What it is made by.
    most : int
        Number of rows that may come.
    """

    def __init__(self, program: Program, most: int) -> None:
        self.nrows = 0
        self._program = program
        self._dtypes = program.dtypes
        self._arrays = {number: new_array(most, t.numpy) for number, t in enumerate(program.dtypes) if t.is_number}
        self._texts = {number: StringsBuilder(most) for number, t in enumerate(program.dtypes) if t == STR}
        self._pieces: list[list[Column]] = [[] for _ in program.dtypes]

    def add(self, block: Block) -> None:
        """Add the rows of a block, whose memory the next one uses again."""
        stop = self.nrows + block.nrows
        room = {number: array[self.nrows : stop] for number, array in self._arrays.items()}
        columns = block.evaluate(self._program, [room.get(number) for number in range(len(self._dtypes))])
        for number, column in enumerate(columns):
            if number in room:
                if not np.may_share_memory(room[number], column):
                    room[number][:] = column
            elif number in self._texts:
                self._texts[number].append(column)
            else:
                self._pieces[number].append(column)
        self.nrows = stop

    def columns(self) -> list[Column]:
        """Return all rows."""
        return [
            self._arrays[number][: self.nrows]
            if number in self._arrays
            else self._texts[number].finish()
            if number in self._texts
            else concat_rows(pieces)
            if pieces
            else empty(dtype)
            for number, (pieces, dtype) in enumerate(zip(self._pieces, self._dtypes, strict=True))
        ]
