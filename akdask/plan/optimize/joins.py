"""Of joins that keep all rows of the left side, first rows are made of first rows of the left side.

Each row there has at least one row of the result, in order.  Of the other side, rows without a match among these few
are not needed: those that have one are found in one pass over its keys.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from akdask.plan.expr.lengths import ColumnIdentity
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import Filter, MatchRows, Project
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Call, Replica, Value, columns_of, substitute_all, walk
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.join.membership import INDEX, BuildIndex, BuildKeySet
from akdask.plan.optimize.needs import Need
from akdask.plan.optimize.top import MOST_ROWS
from akdask.plan.rows.broadcast import BroadcastColumn, broadcast_columns
from akdask.plan.shuffle.exchange import max_rows
from akdask.plan.sort.sort import Sort
from akdask.plan.sort.top_k import TopK
from akdask.plan.task.batches import SMALL_ROWS
from akdask.plan.task.combine import Gather, Limit, OverProject
from akdask.schema import INT64

LOOKUPS = ("lookup", "lookup_found")
"""Operations that take values of the other side by the numbers of their rows."""

Keep = Callable[[Project], OverProject]
"""Returns the few rows of the left side that are needed, with the same columns."""


def first_of_join(project: Project, need: Need) -> Project | None:
    """Return columns of joined rows of which only the first are read, made of the first rows of the left side."""
    if need.partitions or not _are_few_first(need) or not _is_left_join(project.frame):
        return None
    found = _Few(project.frame, project.values, lambda left: Limit(left, need.rows or 0)).joined
    return None if found is None else Project(found[0], project.names, found[1])


def first_of_sorted_join(sort: Sort, need: Need) -> Sort | None:
    """Return joined rows sorted by columns of the left side, made of the first rows in this order there."""
    project, count = sort.frame, need.rows or 0
    if not _are_few_first(need) or not _is_left_join(project.frame):
        return None
    numbered = project.frame.match.token
    if any(column.source == numbered for column in columns_of(*sort.keys)):
        return None

    def first(left: Project) -> TopK:
        by = tuple(("by", number) for number in range(len(sort.keys)))
        keyed = Project(left.frame, (*left.names, *by), (*left.values, *sort.keys))
        return TopK(keyed, by, sort.order.ascending, left.names, count)

    found = _Few(project.frame, project.values, first).joined
    return None if found is None else Sort(Project(found[0], project.names, found[1]), *sort.operands[1:])


def first_of_hash_join(join: HashJoin, need: Need) -> HashJoin | None:
    """Return first rows of a join of two large sides, of the first rows of the left one."""
    left, right, count = join.left, join.right, need.rows or 0
    if join.kind != "left" or need.partitions or not _are_few_first(need) or isinstance(left.frame, Limit | TopK):
        return None
    few = Limit(left, count)
    by = [few.column(name) for name in join.left_by]
    identity = ColumnIdentity(token("first", join.match, count))
    keys = [right.values[right.names.index(name)] for name in join.right_by]
    matched = Filter(right.frame, BuildKeySet.of(few, by).has(keys), identity)
    return HashJoin(
        Project(few, left.names, tuple(map(few.column, left.names))),
        join.left_by,
        Project(matched, right.names, right.values),
        *join.operands[3:6],
        1,
        identity,
    )


def _are_few_first(need: Need) -> bool:
    return need.rows is not None and 0 < need.rows <= MOST_ROWS


def _is_left_join(frame: Frame) -> bool:
    return isinstance(frame, MatchRows) and frame.keep_all and not isinstance(frame.frame, Limit | TopK)


@dataclass(frozen=True, slots=True)
class _Few:
    """A join of a few rows, made of one of many.

    Parameters
    ----------
    match : MatchRows
        The pairs of rows.
    values : sequence of Value
        What is computed of them.
    keep : Keep
        Chooses rows of the left side.
    """

    match: MatchRows
    values: Sequence[Value]
    keep: Keep

    @property
    def joined(self) -> tuple[Frame, tuple[Value, ...]] | None:
        """The pairs of the rows that are kept, and the values of these; None where row numbers have another use."""
        match, index, found = self.match, self.match.multiplicity.node, self.match.found
        if not isinstance(index, BuildIndex) or not isinstance(found, Call) or not self._only_looks_up(index):
            return None
        used = [column for column in columns_of(found, *self.values) if column.source != match.match.token]
        left = self.keep(Project(match.frame, tuple(range(len(used))), tuple(used)))
        replaced: dict[str, Value] = {column.token: left.column(number) for number, column in enumerate(used)}
        keys = substitute_all(found.args[1:], replaced)
        looked_up = self._looked_up(index)
        right, values = self._matched(index, left, keys, list(looked_up.values()))
        indexed = BuildIndex(Project(right, index.frame.names, tuple(values[: len(keys)])), index.need)
        identity = ColumnIdentity(token("first", match.match, left._name))
        pairs = MatchRows(left, indexed.find(keys), indexed.multiplicity, True, identity)
        replaced[match.row.token] = pairs.row
        replaced[Replica(index, INDEX, INT64).token] = Replica(indexed, INDEX, INT64)
        replaced.update(zip(looked_up, broadcast_columns(right, values[len(keys) :]), strict=True))
        return pairs, tuple(substitute_all(self.values, replaced))

    def _matched(
        self, index: BuildIndex, left: OverProject, keys: Sequence[Value], columns: Sequence[Value]
    ) -> tuple[Frame, Sequence[Value]]:
        """Return the rows of the other side that are needed, with their keys and other columns, found in one pass."""
        right, given = index.frame.frame, [*index.frame.values, *columns]
        most = max_rows(right)
        if most is not None and most <= SMALL_ROWS:
            return right, given
        is_needed = BuildKeySet.of(left, keys).has(index.frame.values)
        few = Filter(right, is_needed, ColumnIdentity(token("matched", index, left._name)))
        looked_up = Gather(Project(few, tuple(range(len(given))), tuple(given)))
        return looked_up, [looked_up.column(number) for number in range(len(given))]

    def _looked_up(self, index: BuildIndex) -> dict[str, Value]:
        """Return the columns of the other side that are looked at, by the tokens of what stands for them."""
        columns = {part.token: BroadcastColumn.of(part) for part in walk(*self.values)}
        right = index.frame.frame
        return {name: found.value for name, found in columns.items() if found is not None and found.frame is right}

    def _only_looks_up(self, index: BuildIndex) -> bool:
        """Whether row numbers only serve to look up columns of the other side, and to tell which lack a match."""
        row = self.match.row.token
        looked_up = self._looked_up(index)
        if any(value.token == row for value in self.values):
            return False
        for part in walk(*self.values):
            if isinstance(part, Call) and any(arg.token == row for arg in part.args):
                looks_up = part.operation in LOOKUPS and part.args[0].token in looked_up
                if not looks_up and part.operation != "less":
                    return False
        return True
