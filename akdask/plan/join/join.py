"""Joins: the rows of one frame, each with the rows of another that have the same keys.

The strategy is chosen here: the other side is broadcast to every task, or, if it is too large, both sides are exchanged
by hash.  Pairs, their order and their row space are the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from akdask.plan.expr.chain import column_identity
from akdask.plan.expr.lengths import ColumnIdentity
from akdask.plan.expr.node import Frame
from akdask.plan.expr.rowwise import MatchRows, Project
from akdask.plan.expr.tokens import token
from akdask.plan.expr.values import Call, Constant, Value
from akdask.plan.join.hash_buckets import FOUND, Kind
from akdask.plan.join.hash_join import HashJoin
from akdask.plan.join.membership import BuildIndex, BuildKeySet
from akdask.plan.reduce.row_numbers import row_numbers
from akdask.plan.rows.broadcast import broadcast_columns, fits_broadcast
from akdask.plan.shuffle.exchange import partition_count
from akdask.plan.task.align import Aligned, align

_NO_PAIRS = ColumnIdentity("no pairs")
"""The identity of pairs where rows stay as they are, marked or with their only match."""


@dataclass(frozen=True, slots=True)
class JoinSide:
    """Rows of a frame, the keys that they are joined by, and the columns wanted of them."""

    frame: Frame
    keys: Sequence[Value]
    columns: Sequence[Value] = ()

    @property
    def fits_broadcast(self) -> bool:
        """Whether it is small enough to broadcast."""
        return fits_broadcast(self.frame, [*self.keys, *self.columns])

    def numbered(self) -> JoinSide:
        """Return the side with the number of each row as another column."""
        given = [*self.keys, *self.columns]
        frame, values = align("number", [*((self.frame, value) for value in given), row_numbers(self.frame)])
        return JoinSide(frame, values[: len(self.keys)], values[len(self.keys) :])


@dataclass(frozen=True, slots=True)
class JoinedColumns:
    """Columns of both sides on the rows of a join; `lacks` tells which rows lack a match."""

    frame: Frame
    left: Sequence[Value]
    right: Sequence[Value]
    lacks: Value


def join_rows(left: JoinSide, right: JoinSide, *, keep_all: bool) -> JoinedColumns:
    """Return the rows of one side, each repeated for every row of the other with the same keys.

    They keep their order; the matches of one row are in the order of the other side.

    Parameters
    ----------
    left, right : JoinSide
        Keys of both have the same types.
    keep_all : bool
        Keep rows without a match once, with NaN, 0, False or an empty string in the columns of the other side.
    """
    match = _matched(left, right, keep_all)
    if not right.fits_broadcast:
        return _exchanged(left, right, keep_all, match.match)
    look_up = "lookup_found" if match.keep_all else "lookup"
    found = [Call(look_up, column, match.row) for column in broadcast_columns(right.frame, right.columns)]
    return JoinedColumns(match, left.columns, found, Call("less", match.row, Constant(0)))


def join_row_numbers(left: JoinSide, right: JoinSide) -> tuple[JoinedColumns, Value]:
    """Return the rows of one side that have matches, and the row numbers of these on the other side."""
    if right.fits_broadcast:
        return join_rows(left, right, keep_all=False), _matched(left, right, False).row
    paired = join_rows(left, right.numbered(), keep_all=False)
    return paired, paired.right[-1]


def match_once(left: JoinSide, right: JoinSide) -> JoinedColumns:
    """Return the rows of one side as they are, each with the only row of the other that has the same keys.

    Rows without a match have NaN, 0, False or an empty string in the columns of the other side.

    Raises
    ------
    NonUniqueError
        When it is computed, if two rows of `right` have the same keys.
    """
    if right.fits_broadcast:
        row = BuildIndex.of(right.frame, right.keys, "only rows").find(left.keys)
        found = [Call("lookup_found", column, row) for column in broadcast_columns(right.frame, right.columns)]
        return JoinedColumns(left.frame, left.columns, found, Call("less", row, Constant(0)))
    theirs = _names("right", right)
    names = (*dict.fromkeys(theirs[value] for value in right.columns), FOUND)
    joined = _hash_join(JoinSide(left.frame, left.keys), right, "once", names, _NO_PAIRS)
    columns = [joined.column(theirs[value]) for value in right.columns]
    return JoinedColumns(joined, (), columns, Call("logical_not", joined.column(FOUND)))


def has_match(left: JoinSide, right: JoinSide) -> Aligned:
    """Return which rows of one side have keys that occur on the other."""
    if right.fits_broadcast:
        return left.frame, BuildKeySet.of(right.frame, right.keys).has(left.keys)
    joined = _hash_join(JoinSide(left.frame, left.keys), JoinSide(right.frame, right.keys), "mark", (FOUND,), _NO_PAIRS)
    return joined, joined.column(FOUND)


def _matched(left: JoinSide, right: JoinSide, keep_all: bool) -> MatchRows:
    index = BuildIndex.of(right.frame, right.keys, "all rows")
    names = tuple(column_identity(left.frame, key) for key in left.keys)
    match = ColumnIdentity(token("match", names, index, keep_all))
    return MatchRows(left.frame, index.find(left.keys), index.multiplicity, keep_all, match)


def _exchanged(left: JoinSide, right: JoinSide, keep_all: bool, match: ColumnIdentity) -> JoinedColumns:
    mine, theirs = _names("left", left), _names("right", right)
    wanted = dict.fromkeys([*(mine[value] for value in left.columns), *(theirs[value] for value in right.columns)])
    names = (*wanted, FOUND) if keep_all else tuple(wanted)
    joined = _hash_join(left, right, "left" if keep_all else "inner", names, match)
    return JoinedColumns(
        joined,
        [joined.column(mine[value]) for value in left.columns],
        [joined.column(theirs[value]) for value in right.columns],
        Call("logical_not", joined.column(FOUND)) if keep_all else Constant(False),
    )


def _hash_join(
    left: JoinSide, right: JoinSide, kind: Kind, names: tuple[Hashable, ...], match: ColumnIdentity
) -> HashJoin:
    mine, theirs = _names("left", left), _names("right", right)
    return HashJoin(
        Project(left.frame, tuple(mine.values()), tuple(mine)),
        tuple(mine[key] for key in left.keys),
        Project(right.frame, tuple(theirs.values()), tuple(theirs)),
        tuple(theirs[key] for key in right.keys),
        names,
        kind,
        max(partition_count(left.frame), partition_count(right.frame)),
        match,
    )


def _names(side: str, rows: JoinSide) -> dict[Value, Hashable]:
    """Name all values needed of a side, each once."""
    return {value: (side, number) for number, value in enumerate(dict.fromkeys([*rows.keys, *rows.columns]))}
