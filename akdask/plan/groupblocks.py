"""What a partition makes of its rows where they are grouped: a table sorted by key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from akdask.columns import Table, concat_rows, empty
from akdask.kernels.arrange import Arrangement
from akdask.kernels.collapse import Collapse
from akdask.kernels.grouping import Grouping
from akdask.kernels.tally import Tallies, own
from akdask.plan import kept
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


def group_partitions(
    frame: Frame, values: Sequence[Value], gathering: Gathering, purpose: str, kept_as: str | None = None
) -> Expr:
    """Return the node that makes sorted tables of the partitions of a frame; the first values are the keys.

    Groupings of partitions are kept under the name `kept_as`, if one is given.
    """

    def sink(compile_these: Compile, values: Sequence[Value]) -> Sink:
        nkeys = gathering.nkeys
        name = None if kept_as is None else (kept_as, token(tuple(values[:nkeys])))
        return GroupBlocks(compile_these(values), compile_these(values[nkeys:]), gathering, name)

    purpose = f"{purpose[0].lower()}{purpose[1:]}  {token(gathering)[:8]}"
    return pipeline(frame, values, sink, purpose, lots=lots_of(frame))


@dataclass(frozen=True, slots=True)
class GroupBlocks:
    """Group the rows of a partition.

    While their keys span few cells, blocks are tallied one by one; what follows is held in memory and sorted.
    """

    program: Program
    without_keys: Program
    gathering: Gathering
    kept_as: kept.Key | None = None
    leave_last_mask: bool = False

    @property
    def programs(self) -> Sequence[Program]:
        return (self.program,)

    def run(self, partition: Partition | Lot) -> Table:
        name = None if self.kept_as is None else (*self.kept_as, *partition.identity)
        grouping = kept.find(name)
        if isinstance(self.gathering, Collapse) and grouping is not None:
            return self.gathering.grouped(grouping, self._values(partition))
        tallies = Tallies(self.gathering, partition.nrows) if isinstance(self.gathering, Collapse) else None
        held: list[list[Column]] = [[] for _ in self.program.outputs]
        for block in partition.blocks():
            columns = block.evaluate(self.program)
            if tallies is None or not tallies.add(*self._parted(columns)):
                for column, pieces in zip(columns, held, strict=True):
                    pieces.append(own(column))
        tables = [] if tallies is None else tallies.tables()
        if held[0] or not tables:
            # What was tallied in part is quickly found again.
            tables.append(self._sorted(held, None if tables else name))
        return self.gathering.merge(tables)

    def _sorted(self, held: Sequence[list[Column]], name: kept.Key | None) -> Table:
        keys, values = self._parted(_joined(held, self.program))
        if isinstance(self.gathering, Arrangement):
            return self.gathering.rows(keys, values)
        return self.gathering.grouped(kept.keep(name, Grouping(keys)), values)

    def _values(self, partition: Partition | Lot) -> list[Column]:
        held: list[list[Column]] = [[] for _ in self.without_keys.outputs]
        for block in partition.blocks() if held else ():
            for column, pieces in zip(block.evaluate(self.without_keys), held, strict=True):
                pieces.append(own(column))
        return _joined(held, self.without_keys)

    def _parted(self, columns: list[Column]) -> tuple[list[Column], list[Column]]:
        return columns[: self.gathering.nkeys], columns[self.gathering.nkeys :]


def _joined(held: Sequence[list[Column]], program: Program) -> list[Column]:
    return [concat_rows(pieces) if pieces else empty(dtype) for pieces, dtype in zip(held, program.dtypes, strict=True)]
