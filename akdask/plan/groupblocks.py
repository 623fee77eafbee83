"""What a partition makes of its rows where they are grouped: a table sorted by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from akdask.columns import Table, concat_rows, empty
from akdask.kernels.arrange import Arrangement
from akdask.kernels.collapse import Collapse
from akdask.kernels.tally import Tallies, own
from akdask.plan._dask import Expr
from akdask.plan.blocks import Lot, Partition
from akdask.plan.lots import lots_of
from akdask.plan.node import Frame
from akdask.plan.pipeline import Compile, pipeline
from akdask.plan.program import Program
from akdask.plan.sinks import Sink
from akdask.plan.tokens import token
from akdask.plan.values import Value
from akdask.typing import Column

Gathering: TypeAlias = Collapse | Arrangement
"""Makes a table of rows: reduced to one for each group, or all of them."""


def group_partitions(frame: Frame, values: Sequence[Value], gathering: Gathering, purpose: str) -> Expr:
    """Return the node that makes sorted tables of the partitions of a frame; the first values are the keys."""

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        return GroupBlocks(compile_these(values), gathering)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(gathering)[:8]}"
    return pipeline(frame, values, sink, purpose, lots=lots_of(frame))


@dataclass(frozen=True, slots=True)
class GroupBlocks:
    """Group the rows of a partition.

    While their keys span few cells, blocks are tallied one by one; what follows is held in memory and sorted.
    """

    program: Program
    gathering: Gathering
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | Lot) -> Table:
        tallies = Tallies(self.gathering, partition.nrows) if isinstance(self.gathering, Collapse) else None
        held: list[list[Column]] = [[] for _ in self.program.outputs]
        for block in partition.blocks():
            columns = block.evaluate(self.program)
            if tallies is None or not tallies.add(*self._parted(columns)):
                for column, pieces in zip(columns, held, strict=True):
                    pieces.append(own(column))
        tables = [] if tallies is None else tallies.tables()
        if held[0] or not tables:
            tables.append(self._sorted(held))
        return self.gathering.merge(tables)

    def _sorted(self, held: Sequence[list[Column]]) -> Table:
        columns = [
            concat_rows(pieces) if pieces else empty(dtype)
            for pieces, dtype in zip(held, self.program.dtypes, strict=True)
        ]
        return self.gathering.rows(*self._parted(columns))

    def _parted(self, columns: list[Column]) -> tuple[list[Column], list[Column]]:
        return columns[: self.gathering.nkeys], columns[self.gathering.nkeys :]
