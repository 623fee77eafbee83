"""Concatenated rows, and how a chain on concatenated or projected rows reads the frames below directly."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import chain

from akdask.plan.expr._dask import Expr
from akdask.plan.expr.chain import Chain, rebuild
from akdask.plan.expr.depth import depth_of
from akdask.plan.expr.lengths import rows_rearranged
from akdask.plan.expr.lower import lower
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Project
from akdask.plan.expr.values import ColumnRef, Value, substitute_all
from akdask.plan.task.tables import Union
from akdask.schema import RowSpace


class Concat(Frame):
    """The rows of projections with the same names and types, end to end."""

    is_seen_through = True

    frames: tuple[Project, ...]

    @property
    def weight(self) -> int:  # type: ignore[override]  # of a class elsewhere
        """One for each part that is computed: a loop that appends what it finds would compute all of them each time."""
        return sum(depth_of(frame.frame).on(frame.values) > 0 for frame in self.frames)

    @cached_property
    def planned_rows(self) -> RowSpace:
        spaces = [frame.rows for frame in self.frames]
        npartitions = sum(space.npartitions for space in spaces)
        return rows_rearranged("concat", spaces, npartitions, lambda *lengths: [*chain.from_iterable(lengths)])

    def column(self, name: Hashable) -> ColumnRef:
        """Return one of the columns, to compute with further."""
        return ColumnRef(self._name, name, self.frames[0].column(name).dtype)

    def dependencies(self) -> list[Expr]:
        return list(self.frames)


@lower.register
def _(frame: Concat) -> Expr:
    return Union(*frame.frames)


def through(frame: Frame, values: Sequence[Value]) -> list[tuple[Frame, list[Value]]] | None:
    """Return chains that read what is below a projection, or below each part of a concatenation, block by block.

    None where the rows of the chain come from any other node.
    """
    if len(frame.bases) != 1 or not isinstance(frame.bases[0], Project | Concat):
        return None
    chain = Chain.of(frame)
    match chain.bases[0]:
        case Project() as project:
            return [_inline(chain, project, project, values)]
        case Concat() as concat if len(chain.predicates) == len(chain.selections):
            return [_inline(chain, concat, project, values) for project in concat.frames]
    return None


def _inline(chain: Chain, base: Frame, project: Project, values: Sequence[Value]) -> tuple[Frame, list[Value]]:
    """Substitute what a projection computes for the columns of the base."""
    inner = {
        ColumnRef(base._name, name, value.dtype).token: value
        for name, value in zip(project.names, project.values, strict=True)
    }
    predicates = chain.predicates
    found = substitute_all([*predicates, *values], inner)
    return rebuild(project.frame, chain.selections, found[: len(predicates)]), found[len(predicates) :]
